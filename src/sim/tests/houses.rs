//! The order of the houses: a lower one never imports a higher one.

use std::{fs, path::Path};

/// Each house or file with those that it must not know of.
const UNKNOWN: [(&str, &[&str]); 11] = [
    ("math.rs", &["dice", "grid", "scene", "shape", "play", "light", "picture", "disturb", "simulation", "output"]),
    ("dice.rs", &["grid", "scene", "shape", "play", "light", "picture", "disturb", "simulation", "output"]),
    ("grid.rs", &["scene", "shape", "play", "light", "picture", "disturb", "simulation", "output"]),
    ("slip.rs", &["dice", "grid", "scene", "shape", "play", "light", "picture", "disturb", "simulation", "output"]),
    ("scene", &["shape", "play", "light", "picture", "disturb", "simulation", "output"]),
    ("shape", &["play", "light", "picture", "disturb", "simulation", "output"]),
    ("play", &["light", "picture", "disturb", "simulation", "output"]),
    ("light", &["play", "picture", "disturb", "simulation", "output"]),
    ("picture", &["play", "disturb", "simulation", "output"]),
    ("disturb.rs", &["play", "simulation", "output"]),
    ("knocks.rs", &["grid", "shape", "play", "light", "picture", "disturb", "simulation", "output"]),
];

/// Does a path or a tree of imports that begins with `root` lead to `house`?
fn leads(code: &str, root: &str, house: &str) -> bool {
    code.split(root).skip(1).any(|rest| {
        let path = rest.split(';').next().unwrap();
        path.match_indices(house).any(|(at, _)| {
            let begins = !path[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            begins && !path[at + house.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_')
        })
    })
}

#[test]
fn lower_houses_do_not_know_of_higher_ones() {
    let sim = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/sim");
    let mut imports = 0;
    for (house, unknown) in UNKNOWN {
        let path = sim.join(house);
        // In a house `super` is the house itself, which may have a file named as another house.
        let (files, roots): (Vec<_>, &[&str]) = match fs::read_dir(&path) {
            Ok(entries) => (entries.map(|entry| entry.unwrap().path()).collect(), &["sim::"]),
            Err(_) => (vec![path], &["sim::", "super::"]),
        };
        for file in files {
            let text = fs::read_to_string(&file).unwrap();
            // What comments point to and what tests compare with is no import.
            let code = text.split("\n#[cfg(test)]").next().unwrap();
            let lines: Vec<_> = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
            let code = lines.join("\n");
            imports += usize::from(roots.iter().any(|root| code.contains(root)));
            for higher in unknown {
                assert!(
                    !roots.iter().any(|root| leads(&code, root, higher)),
                    "{} must not import {higher}",
                    file.display()
                );
            }
        }
    }
    assert!(imports > 20, "only {imports} files import anything of the simulator: are these its houses?");
}
