//! Figures on the pages of the documentation: written by a command, never by hand.
//!
//! | module | idea |
//! | --- | --- |
//! | `blocks` | where figures stand on a page, and who has written them |
//! | `figures` | what they are made of |

mod blocks;
mod figures;

use std::{
    fs,
    path::{Path, PathBuf},
};

use chess_observer::files;
use chess_observer_lab::experiments::VERSION;

use self::{
    blocks::{Block, Page},
    figures::{Command, Known},
};
use crate::cli::{Done, outputs, print_out, say, stopped};

/// Writes every block of figures of the package in `root`: from the JSON of earlier runs where `from` names some, else by
/// measuring what is asked for.
pub fn write(root: &Path, from: &[PathBuf]) -> Result<Done, String> {
    let mut known = Known::read(from)?;
    let (mut written, mut left) = (0, 0);
    for path in pages(root)? {
        let mut page = read(&path)?;
        for block in &mut page.blocks {
            if stopped() {
                return Ok(Done::Interrupted);
            }
            let at = format!("{}:{}", path.display(), block.line);
            let told = |why: String| format!("{at}: {why}");
            if !block.is_as_written() {
                return Err(told(edited(block)));
            }
            let text = block.marker.command.clone();
            let command = Command::read(&text, root).map_err(told)?;
            // What only takes moments is asked anew even where earlier figures are given.
            let is_asked = from.is_empty() || matches!(command, Command::Study(_));
            if is_asked && known.shown(&text, &command).is_none() {
                say(&format!("{at}: {text}"));
                known.measure(&text, &command).map_err(|why| format!("{at}: {why}"))?;
            }
            match known.shown(&text, &command) {
                Some(shown) => {
                    block.write(shown.markdown(&block.marker.form), &shown.version);
                    written += 1;
                }
                None => {
                    left += 1;
                    say(&format!("{at}: no figures of `{text}` at hand: the block stays as it is"));
                }
            }
        }
        outputs::write(&path, page.text().as_bytes())?;
    }
    say(&format!("{written} blocks of figures written, {left} left as they are"));
    Ok(Done::Processed)
}

/// Looks whether every block of figures is as it was written, and whether its command still exists.
pub fn check(root: &Path) -> Result<Done, String> {
    let (mut wrong, mut blocks, mut others) = (vec![], 0, 0);
    for path in pages(root)? {
        for block in read(&path)?.blocks {
            blocks += 1;
            let at = format!("{}:{}", path.display(), block.line);
            match &block.marker.written {
                None => wrong.push(format!("{at}: was never written: lab --write-docs")),
                Some((version, _)) => others += usize::from(version != VERSION),
            }
            if !block.is_as_written() {
                wrong.push(format!("{at}: {}", edited(&block)));
            }
            if let Err(why) = Command::read(&block.marker.command, root) {
                wrong.push(format!("{at}: `{}`: {why}", block.marker.command));
            }
        }
    }
    if let Some(first) = wrong.first() {
        wrong.iter().skip(1).for_each(|line| say(line));
        return Err(first.clone());
    }
    print_out(&format!(
        "{blocks} blocks of figures are as they were written; {others} by other versions than {VERSION}\n"
    ))?;
    Ok(Done::Processed)
}

fn edited(block: &Block) -> String {
    let command = &block.marker.command;
    format!(
        "what `{command}` had written was changed by hand: put it back, or take its version and hash out of the marker"
    )
}

/// The pages that may have figures, in the order of their names.
fn pages(root: &Path) -> Result<Vec<PathBuf>, String> {
    let mut pages = vec![root.join("README.md")];
    if let Ok(entries) = fs::read_dir(root.join("docs")) {
        pages.extend(
            entries.flatten().map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == "md")),
        );
    }
    pages.retain(|path| path.is_file());
    pages.sort();
    if pages.is_empty() {
        return Err(format!("{}: no README.md and no docs/*.md: give the folder of the package", root.display()));
    }
    Ok(pages)
}

fn read(path: &Path) -> Result<Page, String> {
    let text = files::text(path, files::LARGEST_TABLE).map_err(|e| format!("{}: {e}", path.display()))?;
    Page::read(&text).map_err(|(line, why)| format!("{}:{line}: {why}", path.display()))
}
