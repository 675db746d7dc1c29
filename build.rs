//! Says what the sourced ROS 2 has: `logger_levels` where it knows the services for log levels.
//!
//! Names the sources that figures come from: `CHESS_OBSERVER_SOURCES` is a hash of everything in the library that can change
//! a figure, so that figures of other sources are known as such, whatever version stands in `Cargo.toml`.

use std::{env, fs, io, path::Path};

/// What figures depend on: the library and its dependencies, the games and scenes inside it.
const SOURCES: [&str; 4] = ["Cargo.lock", "games", "scenes", "src"];
/// Folders of the programs: they print figures and make none.
const PROGRAMS: [&str; 3] = ["src/bin", "src/cli", "src/node"];

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    let mut hash = Fnv::default();
    for path in SOURCES {
        add(Path::new(path), &mut hash)?;
    }
    println!("cargo:rustc-env=CHESS_OBSERVER_SOURCES={:08x}", hash.0 >> 32);
    distribution();
    Ok(())
}

/// Messages of rcl_interfaces differ among the distributions.
fn distribution() {
    println!("cargo:rustc-check-cfg=cfg(logger_levels)");
    println!("cargo:rerun-if-env-changed=AMENT_PREFIX_PATH");
    let prefixes = env::var_os("AMENT_PREFIX_PATH").unwrap_or_default();
    if env::split_paths(&prefixes).any(|prefix| prefix.join("share/rcl_interfaces/srv/GetLoggerLevels.srv").is_file()) {
        println!("cargo:rustc-cfg=logger_levels");
    }
}

/// Names and contents, folder by folder in the order of the names.
fn add(path: &Path, hash: &mut Fnv) -> io::Result<()> {
    if PROGRAMS.iter().any(|program| path == Path::new(program)) {
        return Ok(());
    }
    if path.is_dir() {
        let entries: Result<Vec<_>, _> = fs::read_dir(path)?.map(|entry| entry.map(|e| e.path())).collect();
        let mut entries = entries?;
        entries.sort();
        return entries.iter().try_for_each(|entry| add(entry, hash));
    }
    // Files, not their folders: what the programs are made of shall not build the library again.
    println!("cargo:rerun-if-changed={}", path.display());
    hash.add(path.to_string_lossy().as_bytes());
    hash.add(&fs::read(path)?);
    Ok(())
}

/// G. Fowler, L. C. Noll and K.-P. Vo's hash, version 1a, of 64 bits.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    fn add(&mut self, bytes: &[u8]) {
        // The length as well: what ends one file does not begin the next.
        for byte in (bytes.len() as u64).to_le_bytes().iter().chain(bytes) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}
