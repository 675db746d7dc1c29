//! Writes SGF.

use super::{Node, Sgf};

/// Columns after which a new line is begun between nodes. Values are never broken.
const COLUMNS: usize = 76;

/// The text of a file, with a line end after every game.
pub(super) fn write(sgf: &Sgf) -> String {
    let mut text = String::new();
    for &game in &sgf.games {
        write_game(sgf, game, &mut text);
        text.push('\n');
    }
    text
}

/// What is still to be written.
enum Next {
    /// A node and all after it.
    Line(usize),
    /// The same as a variation.
    Variation(usize),
    Close,
}

fn write_game(sgf: &Sgf, game: usize, text: &mut String) {
    let mut column = 0;
    let mut todo = vec![Next::Variation(game)];
    while let Some(next) = todo.pop() {
        match next {
            Next::Close => {
                text.push(')');
                column += 1;
            }
            Next::Variation(number) => {
                if number != game {
                    text.push('\n');
                }
                text.push('(');
                column = 1;
                todo.push(Next::Close);
                todo.push(Next::Line(number));
            }
            Next::Line(number) => {
                let Some(node) = sgf.node(number) else { continue };
                let written = node_text(node);
                if column > 1 && column + written.len() > COLUMNS {
                    text.push('\n');
                    column = 0;
                }
                text.push_str(&written);
                column = match written.rsplit_once('\n') {
                    Some((_, last)) => last.len(),
                    None => column + written.len(),
                };
                match node.children[..] {
                    [only] => todo.push(Next::Line(only)),
                    _ => todo.extend(node.children.iter().rev().map(|&c| Next::Variation(c))),
                }
            }
        }
    }
}

fn node_text(node: &Node) -> String {
    let mut text = String::from(";");
    for property in &node.properties {
        text.push_str(&property.name);
        for value in &property.values {
            text.push('[');
            text.push_str(value);
            text.push(']');
        }
    }
    text
}
