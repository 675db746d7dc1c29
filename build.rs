//! Says what the sourced ROS 2 has: `logger_levels` where it knows the services for log levels.
//!
//! Names the sources that games are read with: `CHESS_OBSERVER_SOURCES` is a hash of everything in the library that can
//! change what is read, so that results of other sources are known as such, whatever version stands in `Cargo.toml`.

use std::env;

include!("sources.rs");

/// What results depend on: the library and its dependencies, the games and scenes inside it.
const SOURCES: [&str; 4] = ["Cargo.lock", "games", "scenes", "src"];
/// Folders of the programs.
const PROGRAMS: [&str; 4] = ["src/bin", "src/cli", "src/node", "src/program"];

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=sources.rs");
    println!("cargo:rustc-env=CHESS_OBSERVER_SOURCES={}", sources_hash(&SOURCES, &PROGRAMS)?);
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
