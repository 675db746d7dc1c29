//! Reads SGF.

use super::{Property, Sgf};

/// Most nodes of a file: a hundred times those of the longest game, with all its variations.
const MOST_NODES: usize = 1_000_000;

/// Why a text is no SGF, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: expected {expected}, got {got}")]
pub struct SgfError {
    /// Line, from 1.
    pub line: usize,
    /// Column in letters, from 1.
    pub column: usize,
    /// What could stand there.
    pub expected: &'static str,
    /// What stands there.
    pub got: String,
}

/// Reads a text.
pub(super) fn read(text: &str) -> Result<Sgf, SgfError> {
    let mut reader = Reader { text, at: 0, sgf: Sgf::default(), variations: Vec::new(), last: None };
    reader.find_first()?;
    while !reader.is_done() {
        reader.step()?;
    }
    Ok(reader.sgf)
}

struct Reader<'a> {
    text: &'a str,
    /// Bytes read.
    at: usize,
    sgf: Sgf,
    /// For every open variation the node that it begins after, and whether it has a node of its own.
    variations: Vec<(Option<usize>, bool)>,
    /// The node that goes on.
    last: Option<usize>,
}

impl Reader<'_> {
    /// Goes to the first `(` that a `;` follows.
    fn find_first(&mut self) -> Result<(), SgfError> {
        for (at, _) in self.text.match_indices('(') {
            if self.text[at + 1..].trim_start().starts_with(';') {
                self.at = at;
                return Ok(());
            }
        }
        Err(self.error("a game that begins with (;"))
    }

    /// Nothing follows, or something that is no game.
    fn is_done(&mut self) -> bool {
        self.skip_space();
        self.variations.is_empty() && !self.sgf.games.is_empty() && self.peek() != Some('(')
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn skip_space(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Reads one bracket or one node.
    fn step(&mut self) -> Result<(), SgfError> {
        match self.peek() {
            Some('(') => {
                if self.variations.last().is_some_and(|(_, begun)| !begun) {
                    return Err(self.error("a node that begins with ;"));
                }
                self.variations.push((self.last, false));
                self.at += 1;
            }
            Some(')') => {
                let Some((before, true)) = self.variations.pop() else {
                    return Err(self.error("a node that begins with ;"));
                };
                self.last = before;
                self.at += 1;
            }
            Some(';') => {
                if self.sgf.len() == MOST_NODES {
                    return Err(self.error("no more nodes than a million"));
                }
                self.at += 1;
                let node = self.sgf.add(self.last);
                self.last = Some(node);
                if let Some((_, begun)) = self.variations.last_mut() {
                    *begun = true;
                }
                self.properties(node)?;
            }
            _ => return Err(self.error("; or ( or )")),
        }
        Ok(())
    }

    fn properties(&mut self, node: usize) -> Result<(), SgfError> {
        loop {
            self.skip_space();
            let rest = &self.text[self.at..];
            let letters = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len();
            if letters == 0 {
                return Ok(());
            }
            let name: String = rest[..letters].chars().filter(char::is_ascii_uppercase).collect();
            if name.is_empty() {
                return Err(self.error("a property's name in capital letters"));
            }
            self.at += letters;
            let values = self.values()?;
            let properties = &mut self.sgf.nodes[node].properties;
            match properties.iter_mut().find(|p| p.name == name) {
                Some(property) => property.values.extend(values),
                None => properties.push(Property { name, values }),
            }
        }
    }

    fn values(&mut self) -> Result<Vec<String>, SgfError> {
        let mut values = Vec::new();
        loop {
            self.skip_space();
            if self.peek() != Some('[') {
                return if values.is_empty() { Err(self.error("a value in [ ]")) } else { Ok(values) };
            }
            let rest = &self.text[self.at + 1..];
            let mut escaped = false;
            let end = rest.bytes().position(|b| {
                let closes = b == b']' && !escaped;
                escaped = b == b'\\' && !escaped;
                closes
            });
            let Some(end) = end else {
                return Err(self.error("a value that ] ends"));
            };
            values.push(rest[..end].to_owned());
            self.at += end + 2;
        }
    }

    /// An error at the place that is being read.
    fn error(&self, expected: &'static str) -> SgfError {
        let before = &self.text[..self.at];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        let rest = self.text[self.at..].lines().next().unwrap_or_default();
        let got = match rest.chars().take(20).collect::<String>() {
            nothing if nothing.trim().is_empty() => "nothing".to_owned(),
            some => format!("{some:?}"),
        };
        SgfError { line, column, expected, got }
    }
}
