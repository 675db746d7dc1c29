//! Writes the game as PGN, export format: seven tag roster, movetext in lines of at most 80 columns.

use std::fmt::Write as _;

use shakmaty::{CastlingMode, Color, Position as _};

use super::{Game, Tags, line::Line};

/// Columns of movetext in the export format of the PGN standard (8.2.1: fewer than 80 printing characters).
const COLUMNS: usize = 79;

/// The game as PGN, complete, with one newline at its end and an empty line before the moves.
#[must_use]
pub fn write(line: &Line, tags: &Tags, result: &str) -> String {
    let mut text = String::new();
    let or = |value: &str, unknown: &str| if value.trim().is_empty() { unknown.to_owned() } else { value.to_owned() };
    let mut header = |name: &str, value: &str| {
        let _ = writeln!(text, "[{name} \"{}\"]", escape(value));
    };
    header("Event", &or(&tags.event, "?"));
    header("Site", &or(&tags.site, "?"));
    header("Date", &or(&tags.date, "????.??.??"));
    header("Round", &or(&tags.round, "?"));
    header("White", &or(&tags.white, "?"));
    header("Black", &or(&tags.black, "?"));
    header("Result", result);
    if line.start().castling_mode() == CastlingMode::Chess960 {
        header("Variant", "Chess960");
    }
    if !line.start().is_exactly_usual() {
        header("SetUp", "1");
        header("FEN", &line.start().fen());
    }
    text.push('\n');
    wrap(&mut text, tokens(line, result));
    text
}

fn tokens(line: &Line, result: &str) -> impl Iterator<Item = String> {
    let first = line.start().position();
    let mut number = first.fullmoves().get();
    let mut turn = first.turn();
    let mut tokens = Vec::with_capacity(line.len() * 3 / 2 + 1);
    for (index, ply) in line.plies().iter().enumerate() {
        if turn == Color::White {
            tokens.push(format!("{number}."));
        } else if index == 0 {
            tokens.push(format!("{number}..."));
        }
        tokens.push(ply.san.clone());
        if turn == Color::Black {
            number = number.saturating_add(1);
        }
        turn = !turn;
    }
    tokens.push(result.to_owned());
    tokens.into_iter()
}

fn wrap(text: &mut String, tokens: impl Iterator<Item = String>) {
    let mut column = 0;
    for token in tokens {
        if column > 0 && column + 1 + token.len() > COLUMNS {
            text.push('\n');
            column = 0;
        } else if column > 0 {
            text.push(' ');
            column += 1;
        }
        column += token.len();
        text.push_str(&token);
    }
    text.push('\n');
}

/// A header's value: quotes and backslashes escaped; control characters, which PGN cannot hold, become spaces.
fn escape(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    for c in value.trim().chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            // Line and paragraph separators break lines in many readers.
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

impl Game {
    /// The game as PGN, complete at every moment; the result is `*` while it goes on.
    #[must_use]
    pub fn pgn(&self) -> String {
        write(&self.line, &self.tags, self.result())
    }
}
