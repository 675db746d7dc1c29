//! Recordings that are cut or damaged: never a panic, never an endless loop, and what is intact is used.

use std::fs;

use chess_observer::bag::{BagWriter, Compression};

use crate::support::{PICTURES, contents, picture, run, write};

/// A generator of test cases that is the same on every machine (Marsaglia, "Xorshift RNGs", 2003).
struct Xorshift(u64);

impl Xorshift {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }
}

fn bags(dir: &std::path::Path) -> Vec<std::path::PathBuf> {
    let path = |name: &str| dir.join(name);
    write(BagWriter::mcap(&path("plain.mcap"), Compression::None).unwrap(), true);
    write(BagWriter::mcap(&path("chunks.mcap"), Compression::Chunks).unwrap(), true);
    write(BagWriter::sqlite(&path("plain.db3"), Compression::None).unwrap(), true);
    write(BagWriter::sqlite(&path("messages.db3"), Compression::Messages).unwrap(), true);
    let packed = zstd::encode_all(fs::read(path("plain.mcap")).unwrap().as_slice(), 0).unwrap();
    fs::write(path("packed.mcap.zstd"), packed).unwrap();
    ["plain.mcap", "chunks.mcap", "plain.db3", "messages.db3", "packed.mcap.zstd"].map(path).to_vec()
}

#[test]
fn flipped_and_missing_bytes_never_make_it_panic() {
    let dir = tempfile::tempdir().unwrap();
    let mut random = Xorshift(0x9e37_79b9_7f4a_7c15);
    for path in bags(dir.path()) {
        let whole = fs::read(&path).unwrap();
        let (mut complete, mut partial, mut refused) = (0, 0, 0);
        for _ in 0..120 {
            let mut bytes = whole.clone();
            match random.below(4) {
                0 => bytes.truncate(random.below(whole.len())),
                1 => {
                    // A stretch overwritten, as a failing disk leaves it.
                    let start = random.below(bytes.len());
                    let end = bytes.len().min(start + 1 + random.below(512));
                    bytes[start..end].fill(random.below(256) as u8);
                }
                _ => {
                    for _ in 0..1 + random.below(8) {
                        let at = random.below(bytes.len());
                        bytes[at] ^= 1 << random.below(8);
                    }
                }
            }
            fs::write(&path, &bytes).unwrap();
            match contents(&path, None) {
                Ok(read) if read.pictures.len() == PICTURES => complete += 1,
                Ok(_) => partial += 1,
                Err(text) => {
                    assert!(!text.contains('\n'), "one line: {text}");
                    refused += 1;
                }
            }
        }
        // The damage is real, and it does not cost the whole recording every time.
        assert!(complete < 120 && partial > 0, "{}: {complete} {partial} {refused}", path.display());
    }
}

#[test]
fn an_mcap_cut_anywhere_yields_its_beginning_and_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("bag.mcap");
    write(BagWriter::mcap(&path, Compression::None).unwrap(), true);
    let whole = fs::read(&path).unwrap();
    let (mut seen, mut noted) = (0, 0);
    for cut in (whole.len() / 20..whole.len()).step_by(whole.len() / 40) {
        fs::write(&path, &whole[..cut]).unwrap();
        let Ok(read) = contents(&path, None) else { continue };
        assert!(read.pictures.len() >= seen, "more of the file, fewer pictures");
        seen = read.pictures.len();
        for (i, (index, _, image)) in read.pictures.iter().enumerate() {
            assert_eq!((*index, image), (i, &picture(i as u8, 40, 30)), "cut at {cut}");
        }
        // A file whose data are complete has lost only its summary, which is no loss to the reader.
        match read.notes.as_slice() {
            [] => assert_eq!(seen, PICTURES, "cut at {cut}"),
            notes => assert!(notes.len() == 1 && notes[0].contains("is cut short: "), "{notes:?}"),
        }
        noted += read.notes.len();
    }
    assert!(noted > 30, "most cuts are within the data");
    assert_eq!(seen, PICTURES, "most of the file has most of the pictures");
}

#[test]
fn a_damaged_chunk_costs_only_itself() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("bag.mcap");
    let mut bag = BagWriter::mcap(&path, Compression::Chunks).unwrap();
    let topic = bag.topic("/i", chess_observer::bag::messages::types::IMAGE).unwrap();
    // 3 MB each, so that every one fills a chunk with the next.
    for i in 0..6 {
        let image = picture(i as u8, 1000, 1000);
        let frame = chess_observer::frame::Frame::from_rgb(&image).unwrap();
        let header = crate::support::header(i);
        let message = chess_observer::bag::messages::Image::packed(&frame, &image, header).unwrap();
        bag.write(topic, crate::support::stamp(i), &message.write()).unwrap();
    }
    bag.finish().unwrap();
    let mut bytes = fs::read(&path).unwrap();
    let magic = [0x28, 0xb5, 0x2f, 0xfd];
    let chunk = bytes.windows(4).position(|w| w == magic).unwrap();
    bytes[chunk..chunk + 4].fill(0);
    fs::write(&path, &bytes).unwrap();
    let read = contents(&path, None).unwrap();
    assert_eq!(read.pictures.len(), 4);
    assert_eq!(read.pictures[0].1, crate::support::stamp(2));
    assert_eq!(read.bad.len(), 1, "{:?}", read.bad);
}

#[test]
fn what_is_no_recording_is_refused_with_one_line() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = dir.path().join(name);
        fs::write(&path, bytes).unwrap();
        path.display().to_string()
    };
    for (path, says) in [
        (file("empty.mcap", b""), "expected a folder of pictures, a rosbag2 directory, a .mcap or a .db3 file"),
        (file("text.db3", b"hello"), "expected a folder of pictures, a rosbag2 directory, a .mcap or a .db3 file"),
        (file("magic.mcap", b"\x89MCAP0\r\n"), "no topic with pictures: it has nothing"),
        (file("other.mcap", b"\x89MCAP9\r\n"), "not an MCAP file (it does not begin with the MCAP magic)"),
        (file("x.db3", b"SQLite format 3\0garbage"), "not a readable rosbag2 database: "),
        (dir.path().join("missing").display().to_string(), "No such file or directory"),
    ] {
        let (status, out, err) = run(&["replay", &path]);
        assert_eq!((status, out.as_str()), (2, ""), "{path}");
        assert_eq!(err.lines().count(), 1, "{err}");
        assert!(err.starts_with(&format!("chess_observer: {path}: ")) && err.contains(says), "{err}");
    }
}
