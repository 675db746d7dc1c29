//! Writes the game as PGN, export format: seven tag roster, movetext in lines of at most 80 columns.

use std::fmt::Write as _;

use shakmaty::CastlingMode;

use super::{
    Game, Tags,
    line::{Line, number},
    notes::Notes,
};

/// Columns of movetext in the export format of the PGN standard (8.2.1: fewer than 80 printing characters).
const COLUMNS: usize = 79;
/// Headers that the record writes by itself.
const OWN: [&str; 12] =
    ["Event", "Site", "Date", "Round", "White", "Black", "Result", "Variant", "SetUp", "FEN", "UTCDate", "UTCTime"];

/// The game as PGN, complete, with one newline at its end and an empty line before the moves.
#[must_use]
pub(super) fn write(line: &Line, tags: &Tags, result: &str, notes: &Notes) -> String {
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
    if let Some(begun) = notes.began_at() {
        let ((year, month, day), seconds) = (begun.utc_date(), begun.0.div_euclid(1_000_000_000).rem_euclid(86_400));
        header("UTCDate", &format!("{year:04}.{month:02}.{day:02}"));
        header("UTCTime", &format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60));
    }
    for (name, value) in &tags.more {
        header(name, value);
    }
    if line.start().castling_mode() == CastlingMode::Chess960 {
        header("Variant", "Chess960");
    }
    if !line.start().is_exactly_usual() {
        header("SetUp", "1");
        header("FEN", &line.start().fen().to_string());
    }
    text.push('\n');
    wrap(&mut text, tokens(line, result, notes));
    text
}

/// Reads further headers from `Name=value; Name=value`; empty parts are passed over.
///
/// # Errors
/// A text that says what is wrong: no `=`, a name that is none (a letter, then letters, digits, underscores), one that
/// the record writes by itself, or one that comes twice.
pub(crate) fn read_headers(text: &str) -> Result<Vec<(String, String)>, String> {
    let mut headers: Vec<(String, String)> = Vec::new();
    for part in text.split(';').map(str::trim).filter(|part| !part.is_empty()) {
        let shown = || part.chars().take(40).collect::<String>();
        let (name, value) = part.split_once('=').ok_or_else(|| format!("no = in {:?}", shown()))?;
        let (name, value) = (name.trim(), value.trim());
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || !name.chars().all(word) {
            return Err(format!("no header's name: {:?}", shown()));
        }
        if OWN.contains(&name) {
            return Err(format!("the record writes {name} by itself"));
        }
        if headers.iter().any(|(known, _)| known == name) {
            return Err(format!("{name} twice"));
        }
        headers.push((name.to_owned(), value.to_owned()));
    }
    Ok(headers)
}

fn tokens(line: &Line, result: &str, notes: &Notes) -> Vec<String> {
    let mut tokens = Vec::with_capacity(line.len() * 3 / 2 + 1);
    let mut interrupted = true;
    for index in 0..=line.len() {
        if let Some(ply) = index.checked_sub(1).and_then(|last| line.plies().get(last)) {
            tokens.extend(number(line, index - 1, interrupted));
            tokens.push(ply.san.to_string());
            interrupted = false;
        }
        for comment in notes.comments(line, index) {
            interrupted = true;
            // A brace would end it. A command in brackets stays in one piece.
            let text = format!("{{{}}}", comment.replace(['{', '}'], " "));
            let mut words = text.split_whitespace().peekable();
            while let Some(word) = words.next() {
                let command = word.starts_with("{[%") || word.starts_with("[%");
                let rest = if command { words.next_if(|next| next.contains(']')) } else { None };
                tokens.push(rest.map_or_else(|| word.to_owned(), |rest| format!("{word} {rest}")));
            }
        }
    }
    tokens.push(result.to_owned());
    tokens
}

pub(super) fn wrap(text: &mut String, tokens: Vec<String>) {
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
pub(super) fn escape(value: &str) -> String {
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
        write(&self.line, &self.tags, self.result().as_str(), &self.notes)
    }
}
