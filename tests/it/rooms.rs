//! The house: DESIGN.md has a table of the rooms, and no room imports one of a lower line.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// The rooms of the table, each with its line.
fn rooms(design: &str) -> BTreeMap<String, usize> {
    let table = design.split_once("| room | ").unwrap().1;
    let lines = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let named = lines.enumerate().flat_map(|(row, line)| {
        let first = line.split('|').nth(1).unwrap();
        first.split(',').map(move |name| (name.trim().trim_matches('`').to_owned(), row))
    });
    named.collect()
}

/// The sources in a folder, those of tests left out.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        if name != "tests" && path.is_dir() {
            sources(&path, found);
        } else if name != "tests" && path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// The rooms that a source imports, by `crate::room` or in a list after `use crate::`; unit tests may import all.
fn imported(source: &str) -> Vec<String> {
    let source = source.split("#[cfg(test)]\nmod tests").next().unwrap();
    let code: String = source.lines().map(|line| line.split("//").next().unwrap().to_owned() + "\n").collect();
    let mut found = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        // The text in braces after `crate::`, without what stands in braces of its own; or the one path that stands there.
        let (mut depth, mut list) = (0_usize, String::new());
        for c in code[at + "crate::".len()..].chars() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                ';' if depth == 0 => break,
                _ if depth < 2 => list.push(c),
                _ => {}
            }
            if depth == 0 && !(c.is_alphanumeric() || c == '_') {
                break;
            }
        }
        let word =
            |path: &str| path.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
        found.extend(list.split(',').map(word).filter(|name| !name.is_empty()));
    }
    found
}

#[test]
fn no_room_imports_a_lower_one() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let rooms = rooms(&fs::read_to_string(root.join("DESIGN.md")).unwrap());
    let mut all = Vec::new();
    sources(&root.join("src"), &mut all);
    let (mut imports, mut wrong) = (0, Vec::new());
    for path in all {
        let inside = path.strip_prefix(root.join("src")).unwrap();
        let room = inside.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs");
        if ["bin", "lib"].contains(&room) {
            continue;
        }
        let line = rooms.get(room).unwrap_or_else(|| panic!("DESIGN.md has no room {room}"));
        for other in imported(&fs::read_to_string(&path).unwrap()) {
            let Some(below) = rooms.get(&other) else { continue };
            imports += 1;
            if below > line {
                wrong.push(format!("{} imports {other}", inside.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(imports > 300, "only {imports} imports between rooms were found: what reads them is wrong");
}

#[test]
fn imports_are_read_from_lists_and_paths() {
    let source = "use crate::{\n    board::{map::Map, lens},\n    frame::Frame, // sight\n};\nuse crate::game;\n\
                  fn f() -> crate::event::Event { crate::go::g() }\n#[cfg(test)]\nmod tests { use crate::node; }";
    assert_eq!(imported(source), ["board", "frame", "game", "event", "go"]);
}
