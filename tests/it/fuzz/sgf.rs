//! Games of Go.

use chess_observer::go::{
    record::{Notes, Record, write},
    sgf::Sgf,
};

use super::{fuzz, one_line};

const GAME: &str = "(;GM[1]FF[4]CA[UTF-8]SZ[9]RU[Japanese]KM[6.5]PB[A\\]b]HA[2]AB[cc][gg];W[ee]C[a \\\\ \n b];B[ab](;W[];B[tt];W[aa])\n(;W[bb]KO[];AE[aa]AW[ba:bc]PL[B];B[hh]))";
const OLD: &str = "letter (see below)\n(;GaMe[1]SiZe[19];Black[aa];White[bb])(;SZ[5];B[ee])";
const WORDS: [&str; 14] =
    ["(", ")", ";", "[", "]", "\\", "B[aa]", "W[zz]", "SZ[25]", "SZ[9:13]", "AB[aa:yy]", "CA[GB18030]", "tt", ":"];

#[test]
fn games_of_go() {
    let seeds = [GAME, OLD].map(|text| text.as_bytes().to_vec());
    fuzz("games of go", 2.0, &seeds, &WORDS, |bytes, _| {
        let sgf = match Sgf::read(bytes) {
            Ok(sgf) => sgf,
            Err(e) => return one_line(&e),
        };
        // What was read is written so that it reads the same.
        assert_eq!(Sgf::read(sgf.write().as_bytes()).as_ref(), Ok(&sgf));
        for number in 1..=sgf.games().len() {
            match Record::of(&sgf, number) {
                Ok(record) => {
                    let again = write(&record.info, &record.end, &Notes::default()).write();
                    let again = Record::read(again.as_bytes()).expect("what we write, we read");
                    assert_eq!(again.end.board(), record.end.board());
                }
                Err(e) => one_line(&e),
            }
        }
    });
}
