//! Figures in the documentation are written by a command, and nobody edits them by hand.

use std::{fs, path::Path};

use crate::support::run;

fn check(root: &str) -> (i32, String, String) {
    run(&["--check-docs", root])
}

#[test]
fn every_figure_of_the_documentation_is_as_it_was_written() {
    let (status, out, err) = check(crate::support::root().to_str().unwrap());
    print!("{out}");
    assert_eq!(status, 0, "{err}");
}

#[test]
fn blocks_are_written_from_a_run_and_kept_until_they_are_written_again() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let root = dir.path().display().to_string();
    fs::create_dir(path("docs")).unwrap();
    fs::write(path("tiny.pgn"), "1. e4 e5 *").unwrap();
    let asked = format!("--experiments petkov --pgn {} --seed 3", path("tiny.pgn"));
    let block =
        |command: &str, form: &str| format!("<!-- figures: {command}; as {form} -->\n<!-- end of figures -->\n");
    let page = |command: &str| format!("# Page\n\n{}\n{}", block(command, "papers"), block(command, "text"));
    fs::write(path("README.md"), page(&format!("lab {asked}"))).unwrap();
    // What was never written is no documentation yet.
    let (status, _, err) = check(&root);
    assert!(status == 2 && err.contains("README.md:3: was never written"), "{err}");

    let words: Vec<&str> = asked.split(' ').collect();
    let json = path("figures.json");
    let (status, ..) = run(&[&words[..], &["--json", &json]].concat());
    assert_eq!(status, 0);
    let write = |more: &[&str]| run(&[&["--write-docs", &root], more].concat());
    let (status, _, err) = write(&["--from", &json]);
    assert!(status == 0 && err.contains("2 blocks of figures written, 0 left as they are"), "{err}");
    let written = fs::read_to_string(path("README.md")).unwrap();
    assert!(
        written.contains("**100.00 %** of 2 plies, 1/1 games perfect") && written.contains("Game by game"),
        "{written}"
    );
    assert!(written.contains(&format!("`lab {asked}`, version {}+", env!("CARGO_PKG_VERSION"))), "{written}");
    let (status, out, err) = check(&root);
    assert!(status == 0 && out.starts_with("2 blocks of figures are as they were written; 0 by other"), "{out}{err}");

    // Written again, from the same figures or by measuring now, nothing changes.
    for more in [&["--from", json.as_str()][..], &[]] {
        assert_eq!(write(more).0, 0);
        assert_eq!(fs::read_to_string(path("README.md")).unwrap(), written);
    }

    // A figure is not improved by hand, and figures that are not at hand leave a block as it is.
    fs::write(path("README.md"), written.replace("100.00 %", "101.00 %")).unwrap();
    for (status, _, err) in [check(&root), write(&["--from", &json])] {
        assert!(status == 2 && err.contains("was changed by hand"), "{err}");
    }
    fs::write(path("README.md"), &written).unwrap();
    fs::write(path("docs/other.md"), block("lab --experiments koray", "text")).unwrap();
    let (status, _, err) = write(&["--from", &json]);
    assert!(status == 0 && err.contains("other.md:1: no figures of `lab --experiments koray` at hand"), "{err}");
    assert_eq!(fs::read_to_string(path("README.md")).unwrap(), written);

    // A command that no longer exists is told.
    fs::write(path("docs/other.md"), block("lab --experiments caruana", "text")).unwrap();
    let (status, _, err) = check(&root);
    assert!(status == 2 && err.contains("caruana"), "{err}");
    let missing = Path::new(&root).join("nothing").display().to_string();
    let (status, _, err) = check(&missing);
    assert!(status == 2 && err.contains("no README.md and no docs/*.md"), "{err}");
    fs::write(path("old.json"), "{\"experiments\": []}").unwrap();
    let (status, _, err) = write(&["--from", &path("old.json")]);
    assert!(status == 2 && err.contains("old.json: does not say which version"), "{err}");
}
