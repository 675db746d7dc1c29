//! What several tests use.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

pub const PROGRAM: &str = env!("CARGO_BIN_EXE_lab");

/// The folder of all packages: games, scenes and documentation are there.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Recordings with truth, which are not part of the package: tests that need them say so when they are not there.
pub fn shared() -> PathBuf {
    std::env::var_os("CHESS_OBSERVER_SHARED").map_or_else(|| root().join("../shared"), PathBuf::from)
}

fn told(output: Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

/// The program's exit status, standard output and standard error, started where the README starts it.
pub fn run(args: &[&str]) -> (i32, String, String) {
    told(Command::new(PROGRAM).args(args).current_dir(root()).output().unwrap())
}

/// The same of the product's program, which is built beside ours when the tests of the whole workspace are.
pub fn product(args: &[&str]) -> (i32, String, String) {
    let program = Path::new(PROGRAM).with_file_name("chess_observer");
    assert!(program.is_file(), "no {}: build it, or run the tests with --workspace", program.display());
    told(Command::new(program).args(args).current_dir(root()).output().unwrap())
}

/// Simulates a game as stills into `out`, a folder or a bag.
pub fn simulate(dir: &Path, pgn: &str, out: &str, more: &[&str]) -> PathBuf {
    let (game, out) = (dir.join("game.pgn"), dir.join(out));
    fs::write(&game, pgn).unwrap();
    let args = ["simulate", "--pgn", game.to_str().unwrap(), "--out", out.to_str().unwrap(), "--stills"];
    let (status, _, err) = product(&[&args[..], more].concat());
    assert_eq!(status, 0, "{err}");
    out
}

/// A recording with truth of `n` pictures, in which nothing can be seen.
pub fn recording(dir: &Path, n: usize) {
    fs::create_dir_all(dir.join("frames")).unwrap();
    let mut rows = String::from("frame,time_s,ply,event,uci,state,note\n");
    for i in 0..n {
        let picture = image::RgbImage::from_fn(16, 12, |x, y| image::Rgb([(17 * i as u32 + 7 * x + 13 * y) as u8; 3]));
        picture.save(dir.join(format!("frames/{i:03}.png"))).unwrap();
        rows.push_str(&format!("{i:03},,{i},move,,clean,\n"));
    }
    fs::write(dir.join("events.csv"), rows).unwrap();
    fs::write(dir.join("truth.pgn"), "1. e4 e5 *\n").unwrap();
    fs::write(dir.join("about.toml"), "name = \"nothing\"\n").unwrap();
}
