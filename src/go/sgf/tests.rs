use proptest::prelude::*;

use super::*;

fn read(text: &str) -> Result<Sgf, String> {
    Sgf::read(text.as_bytes()).map_err(|e| e.to_string())
}

#[test]
fn variations_comments_and_unknown_properties_are_kept() {
    let text = "(;GM[1]FF[4]SZ[19]XY[what][nobody] [knows];B[aa]C[a \\] and a \\\\ \nand a line](;W[bb];B[cc])(;W[dd]\n(;B[ee])(;B[ff])))";
    let sgf = read(text).unwrap();
    assert_eq!((sgf.games().len(), sgf.len()), (1, 7));
    let root = sgf.node(0).unwrap();
    assert_eq!(root.values("XY").unwrap().len(), 3);
    let first = sgf.node(1).unwrap();
    assert_eq!(super::text(first.value("C").unwrap()), "a ] and a \\ \nand a line");
    assert_eq!(first.children.len(), 2);
    assert_eq!(sgf.main_line(0).count(), 4);
    assert_eq!(read(&sgf.write()).unwrap(), sgf);
}

#[test]
fn several_games_and_text_around_them() {
    let sgf = read("From: somebody (who knows)\n\n(;B[aa])\n ( ;B[bb])\nend (of) text").unwrap();
    assert_eq!(sgf.games(), &[0, 1]);
}

#[test]
fn names_of_older_programs_are_read() {
    let sgf = read("(;GaMe[1]SiZe[9]Black[aa])").unwrap();
    let names: Vec<_> = sgf.node(0).unwrap().properties.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["GM", "SZ", "B"]);
}

#[test]
fn what_is_no_sgf_is_refused_with_its_place() {
    for (text, error) in [
        ("", "line 1, column 1: expected a game that begins with (;, got nothing"),
        ("PGN", "line 1, column 1: expected a game that begins with (;, got \"PGN\""),
        ("(;B[aa]\n;W[bb", "line 2, column 3: expected a value that ] ends, got \"[bb\""),
        ("(;B[aa]", "line 1, column 8: expected ; or ( or ), got nothing"),
        ("(;B;W[aa])", "line 1, column 4: expected a value in [ ], got \";W[aa])\""),
        ("(;B[aa]())", "line 1, column 9: expected a node that begins with ;, got \"))\""),
        ("(;B[aa]((;W[bb])))", "line 1, column 9: expected a node that begins with ;, got \"(;W[bb])))\""),
        ("(;b[aa])", "line 1, column 3: expected a property's name in capital letters, got \"b[aa])\""),
    ] {
        assert_eq!(read(text), Err(error.to_owned()), "{text}");
    }
}

#[test]
fn letters_other_than_utf_8_are_read() {
    let latin = b"(;PB[M\xfcller]C[caf\xe9])";
    assert_eq!(Sgf::read(latin).unwrap().node(0).unwrap().value("PB"), Some("M\u{fc}ller"));
    // In these letters a character's second byte may be that of a bracket or of an escape.
    let mut japanese = b"(;CA[Shift_JIS]PB[".to_vec();
    japanese.extend_from_slice(b"\x83\x5c\x83\x5d");
    japanese.extend_from_slice(b"];B[aa])");
    let sgf = Sgf::read(&japanese).unwrap();
    assert_eq!(sgf.node(0).unwrap().value("PB"), Some("\u{30bd}\u{30be}"));
    assert_eq!(sgf.len(), 2);
}

#[test]
fn a_file_of_a_million_variations_within_variations_ends_nothing() {
    let deep = "(;B[aa]".repeat(300_000) + &")".repeat(300_000);
    let sgf = read(&deep).unwrap();
    assert_eq!(read(&sgf.write()).unwrap(), sgf);
    assert!(read(&"(;".repeat(1_000_001)).unwrap_err().contains("a million"));
}

#[test]
fn texts_come_back_as_they_were() {
    for words in ["", "a]b", "a\\", "[x:y]", "two\nlines", "\u{56f2}\u{7881} \\]"] {
        let mut sgf = Sgf::default();
        let node = sgf.add(None);
        sgf.put(node, "C", escape(words));
        assert_eq!(text(read(&sgf.write()).unwrap().node(0).unwrap().value("C").unwrap()), words);
    }
    assert_eq!(text("soft \\\r\nline\tend\r\nnext"), "soft line end\nnext");
    assert_eq!(simple_text(" two\nlines "), "two lines");
}

proptest! {
    #[test]
    fn nothing_makes_the_reader_panic_and_what_it_reads_it_writes(bytes in prop::collection::vec(
        prop_oneof![Just(b'('), Just(b')'), Just(b';'), Just(b'['), Just(b']'), Just(b'\\'), Just(b'B'), Just(b'\n'), any::<u8>()],
        0..60,
    )) {
        let bytes = [b"(;".as_slice(), &bytes].concat();
        if let Ok(sgf) = Sgf::read(&bytes) {
            prop_assert_eq!(Sgf::read(sgf.write().as_bytes()).unwrap(), sgf);
        }
    }

    #[test]
    fn every_text_comes_back(words in "[^\\p{Cc}]{0,40}") {
        let plain: String = words.chars().collect();
        prop_assert_eq!(text(&escape(&plain)), plain);
    }
}
