//! Names the sources that figures come from: `CHESS_OBSERVER_SOURCES` is a hash of everything that can change a figure, in the
//! product, in this laboratory and in the studies, so that figures of other sources are known as such, whatever version
//! stands in `Cargo.toml`.

include!("../sources.rs");

/// What figures depend on.
const SOURCES: [&str; 6] = ["../Cargo.lock", "../games", "../scenes", "../src", "../studies/krk/src", "src"];
/// The programs.
const PROGRAMS: [&str; 7] = [
    "../src/bin",
    "../src/cli",
    "../src/node",
    "../src/program",
    "../studies/krk/src/main.rs",
    "src/cli",
    "src/main.rs",
];

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=../sources.rs");
    println!("cargo:rustc-env=CHESS_OBSERVER_SOURCES={}", sources_hash(&SOURCES, &PROGRAMS)?);
    Ok(())
}
