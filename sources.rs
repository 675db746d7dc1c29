// Names the sources that figures come from, for the build scripts of the packages that make figures.

use std::{fs, io, path::Path};

/// A hash of the names and contents of `sources`, files or folders, without the `programs`: those print figures and make
/// none. Cargo is told of every file, so that the hash is worked out again when one changes.
fn sources_hash(sources: &[&str], programs: &[&str]) -> io::Result<String> {
    let mut hash = Fnv::default();
    for path in sources {
        add(Path::new(path), programs, &mut hash)?;
    }
    Ok(format!("{:08x}", hash.0 >> 32))
}

/// Names and contents, folder by folder in the order of the names.
fn add(path: &Path, programs: &[&str], hash: &mut Fnv) -> io::Result<()> {
    if programs.iter().any(|program| path == Path::new(program)) {
        return Ok(());
    }
    if path.is_dir() {
        let entries: Result<Vec<_>, _> = fs::read_dir(path)?.map(|entry| entry.map(|e| e.path())).collect();
        let mut entries = entries?;
        entries.sort();
        return entries.iter().try_for_each(|entry| add(entry, programs, hash));
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
