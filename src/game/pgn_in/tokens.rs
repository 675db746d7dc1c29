//! The words of a PGN text, each with its place.

use shakmaty::{Color, KnownOutcome, Outcome, san::SanPlus};

/// Where something stands in a text; lines and columns count from 1, columns in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Which line.
    pub line: usize,
    /// Which character of the line.
    pub column: usize,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// What a text is made of.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Word<'a> {
    /// `[Name "value"]`, without its escapes.
    Tag { name: &'a str, value: String },
    /// What stands in braces.
    Comment(&'a str),
    /// The beginning of a variation.
    Open,
    /// The end of a variation.
    Close,
    /// `1-0` and its like, or `*`.
    Result(Outcome),
    /// `12.` or, `for_black`, `12...`.
    Number { number: usize, for_black: bool },
    /// A move.
    San(SanPlus),
    /// `$1`, `!?`, `+-`: an opinion.
    Glyph,
    /// What nothing in a PGN is written like, and what should stand there.
    Unknown { text: &'a str, expected: &'static str },
    /// A comment whose brace is not closed.
    Unclosed,
}

/// A word, where it stands, and whether an empty line came before it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token<'a> {
    pub word: Word<'a>,
    pub place: Place,
    pub(super) after_gap: bool,
}

/// Splits a text into its words.
#[derive(Debug, Clone)]
pub(super) struct Tokens<'a> {
    rest: &'a str,
    place: Place,
    /// Nothing but headers has come on this line.
    line_is_fresh: bool,
    /// Line ends since the last word.
    line_ends: usize,
}

/// Signs of evaluation, as informators and databases write them; `N` is a novelty, `D` asks for a diagram.
const EVALUATIONS: [&str; 18] =
    ["=", "+=", "=+", "+/=", "=/+", "+/-", "-/+", "+-", "-+", "+--", "--+", "±", "∓", "⩲", "⩱", "∞", "N", "D"];

fn is_word_end(c: char) -> bool {
    c.is_whitespace() || matches!(c, '(' | ')' | '{' | '}' | ';' | '[' | ']')
}

fn result(word: &str) -> Option<Outcome> {
    let decisive = |winner| Some(Outcome::Known(KnownOutcome::Decisive { winner }));
    match word.replace(['–', '—'], "-").as_str() {
        "1-0" => decisive(Color::White),
        "0-1" => decisive(Color::Black),
        "1/2-1/2" | "½-½" => Some(Outcome::Known(KnownOutcome::Draw)),
        "*" => Some(Outcome::Unknown),
        _ => None,
    }
}

impl<'a> Tokens<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let rest = text.trim_start_matches('\u{feff}');
        Self { rest, place: Place { line: 1, column: 1 }, line_is_fresh: true, line_ends: 0 }
    }

    /// Takes the first `bytes`, which end between two characters.
    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        for c in taken.chars() {
            if c == '\n' {
                self.place = Place { line: self.place.line + 1, column: 1 };
            } else {
                self.place.column += 1;
            }
        }
        taken
    }

    /// Takes everything up to and without the first character that `ends`, or the rest.
    fn take_until(&mut self, ends: impl Fn(char) -> bool) -> &'a str {
        self.take(self.rest.find(ends).unwrap_or(self.rest.len()))
    }

    /// Passes over white space, remarks to the end of a line, and lines that begin with a per cent sign.
    fn skip(&mut self) {
        loop {
            match self.rest.chars().next() {
                Some('\n') => {
                    self.take(1);
                    self.line_is_fresh = true;
                    self.line_ends += 1;
                }
                Some(c) if c.is_whitespace() => {
                    self.take(c.len_utf8());
                }
                Some('%') if self.place.column == 1 => {
                    self.take_until(|c| c == '\n');
                }
                Some(';') => {
                    self.take_until(|c| c == '\n');
                    // A line with a remark is not empty.
                    self.line_ends = 0;
                }
                _ => return,
            }
        }
    }

    fn tag(&mut self) -> Word<'a> {
        let line = &self.rest[..self.rest.find('\n').unwrap_or(self.rest.len())];
        let inner = line[1..].trim_start();
        let tag = inner.split_once('"').and_then(|(name, rest)| {
            let name = name.trim_end();
            let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_+#=:-".contains(c));
            let (value, left) = tag_value(rest)?;
            is_name.then_some((name, value, left))
        });
        let Some((name, value, left)) = tag else {
            let text = self.take(line.len()).trim_end();
            return Word::Unknown { text, expected: "a header, [Name \"value\"]" };
        };
        self.take(line.len() - left.len());
        Word::Tag { name, value }
    }

    /// A word that is no sign by itself.
    fn plain(&mut self) -> Word<'a> {
        let length = self.rest.find(is_word_end).unwrap_or(self.rest.len());
        let word = &self.rest[..length];
        if let Some(outcome) = result(word) {
            self.take(length);
            return Word::Result(outcome);
        }
        let digits = word.len() - word.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let dots = word[digits..].len() - word[digits..].trim_start_matches(['.', '…']).len();
        // `12.`, `12`, and `12e4`, but not `0-0`.
        let is_number = |rest: &str| rest.is_empty() || rest.starts_with(char::is_alphabetic);
        if dots > 0 || (digits > 0 && is_number(&word[digits..])) {
            let text = self.take(digits + dots);
            let number = text[..digits].parse().unwrap_or(0);
            return Word::Number { number, for_black: dots > 1 || text.ends_with('…') };
        }
        // `e4$1`
        let length = word.char_indices().skip(1).find(|(_, c)| *c == '$').map_or(length, |(i, _)| i);
        let text = self.take(length);
        let move_text = text.trim_end_matches(['!', '?']);
        let is_nag = text.strip_prefix('$').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
        if move_text.is_empty() || is_nag || text == "e.p." || EVALUATIONS.contains(&text) {
            return Word::Glyph;
        }
        let spelt = if move_text.starts_with("0-0") { move_text.replace('0', "O") } else { move_text.to_owned() };
        match spelt.parse::<SanPlus>() {
            Ok(san) => Word::San(san),
            Err(_) => Word::Unknown { text, expected: "a move (SAN), a comment, a variation or a result" },
        }
    }
}

/// A header's value, which stands between its quotation marks, without its escapes; and what follows its bracket. Marks
/// inside that somebody forgot to escape belong to it.
fn tag_value(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => match chars.next_if(|(_, c)| matches!(c, '\\' | '"')) {
                Some((_, escaped)) => value.push(escaped),
                None => value.push('\\'),
            },
            '"' => match text[at + 1..].trim_start().strip_prefix(']') {
                Some(left) => return Some((value, left)),
                None => value.push('"'),
            },
            c => value.push(c),
        }
    }
    None
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        self.skip();
        let first = self.rest.chars().next()?;
        let (place, after_gap) = (self.place, self.line_ends > 1);
        let fresh = std::mem::take(&mut self.line_is_fresh);
        let word = match first {
            '[' if fresh => {
                self.line_is_fresh = true;
                self.tag()
            }
            '{' => {
                self.take(1);
                let comment = self.take_until(|c| c == '}');
                if self.rest.is_empty() { Word::Unclosed } else { Word::Comment(comment) }
            }
            '(' => Word::Open,
            ')' => Word::Close,
            '[' | ']' | '}' => Word::Unknown { text: &self.rest[..1], expected: "a move (SAN) or a result" },
            _ => self.plain(),
        };
        if matches!(first, '(' | ')' | ']' | '}') || (first == '[' && !fresh) || matches!(word, Word::Comment(_)) {
            self.take(1);
        }
        self.line_ends = 0;
        Some(Token { word, place, after_gap })
    }
}
