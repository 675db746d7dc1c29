//! Reads games from PGN text: headers, comments, variations, annotation glyphs, games that begin elsewhere.
//!
//! Nothing is passed over: what cannot be read is a fault, told with the numbers of the game and of the ply, line and
//! column, and costs that one game. [`shakmaty`] checks each move. Variations are read, and their moves not checked.

mod tokens;

use std::iter::Peekable;

use shakmaty::{
    Chess, EnPassantMode, Move, Outcome, Position as _,
    fen::Fen,
    san::{SanError, SanPlus},
    uci::UciMove,
};

pub use tokens::Place;
use tokens::{Token, Tokens, Word};

use super::{
    Tags,
    start::{Start, StartError},
};

/// Why a game could not be read, and where. Games and plies count from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PgnError {
    /// Which game.
    pub game: usize,
    /// Which ply was to come; `None` where it is a header's fault.
    pub ply: Option<usize>,
    /// Where in the text.
    pub place: Place,
    /// What is wrong there.
    pub fault: Fault,
}

/// What is wrong in a PGN.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The FEN header is no position.
    #[error("header FEN {fen:?}: {source}")]
    Start {
        /// The header's value.
        fen: String,
        /// What is wrong with it.
        source: StartError,
    },
    /// A variant other than chess and Chess960.
    #[error("variant {0:?} is not read here, only chess and Chess960")]
    Variant(String),
    /// A move that is not legal where it stands, or fits several men.
    #[error("{san} {why} in {fen}")]
    Move {
        /// The move as written.
        san: String,
        /// `is not legal` or `is ambiguous`.
        why: &'static str,
        /// The position before it.
        fen: String,
    },
    /// Something that nothing in a PGN is written like.
    #[error("expected {expected}, got {text:?}")]
    Word {
        /// What could stand there.
        expected: &'static str,
        /// The text, cut at 40 characters.
        text: String,
    },
    /// A comment that never ends.
    #[error("this comment is never closed: expected }}")]
    OpenComment,
    /// A variation that never ends.
    #[error("this variation is never closed: expected )")]
    OpenVariation,
    /// An end of a variation without its beginning.
    #[error("this ) closes no variation")]
    NoVariation,
}

impl std::fmt::Display for PgnError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { game, ply, place, fault } = self;
        write!(f, "game {game}")?;
        if let Some(ply) = ply {
            write!(f, ", ply {ply}")?;
        }
        write!(f, ", {place}: {fault}")
    }
}

impl std::error::Error for PgnError {}

/// A game as its text says; by default one without headers and moves.
#[derive(Debug, Clone, PartialEq)]
pub struct GameText {
    /// Which game of its text, 1 for the first.
    pub number: usize,
    /// All headers in the order of the text.
    pub headers: Vec<(String, String)>,
    /// The first position.
    pub start: Start,
    /// The moves of the main line; each is legal after those before it.
    pub moves: Vec<Move>,
    /// The comments in braces of the main line in the order of the text, each with the number of moves before it.
    pub comments: Vec<(usize, String)>,
    /// The result that ends the movetext, or else the header's.
    pub result: Outcome,
}

impl Default for GameText {
    fn default() -> Self {
        let (start, result) = (Start::default(), Outcome::Unknown);
        Self { number: 1, headers: vec![], start, moves: vec![], comments: vec![], result }
    }
}

impl GameText {
    /// A header's value, by its exact name.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The headers that the observer's own record has; `?` and its like count as unknown.
    #[must_use]
    pub fn tags(&self) -> Tags {
        let known = |name| {
            let value = self.header(name).unwrap_or_default();
            if value.chars().all(|c| matches!(c, '?' | '.' | '-')) { String::new() } else { value.to_owned() }
        };
        Tags {
            event: known("Event"),
            site: known("Site"),
            date: known("Date"),
            round: known("Round"),
            white: known("White"),
            black: known("Black"),
            more: Vec::new(),
        }
    }

    /// The moves as UCI; castling as the king's two-square move, in Chess960 as the king taking its rook.
    #[must_use]
    pub fn ucis(&self) -> Vec<String> {
        let mode = self.start.castling_mode();
        self.moves.iter().map(|&m| UciMove::from_move(m, mode).to_string()).collect()
    }

    /// The positions from the first to the last: one more than there are moves.
    #[must_use]
    pub fn positions(&self) -> Vec<Chess> {
        let mut position = self.start.position().clone();
        let mut positions = vec![position.clone()];
        for &m in &self.moves {
            position.play_unchecked(m);
            positions.push(position.clone());
        }
        positions
    }
}

/// Reads every game of a text. An unreadable game is an error in its place, and the next one is read all the same.
///
/// A game ends with its result, before the next headers, and before the number of its own first move after an empty line.
#[must_use]
pub fn read_games(text: &str) -> Vec<Result<GameText, PgnError>> {
    let mut tokens = Tokens::new(text).peekable();
    let mut games = Vec::new();
    while tokens.peek().is_some() {
        games.extend(Scribe::new(games.len() + 1).read(&mut tokens));
    }
    games
}

/// The variants that are read, without case and signs.
const VARIANTS: [&str; 8] =
    ["", "chess", "standard", "normal", "fromposition", "chess960", "fischerandom", "fischerrandom"];

/// Writes one game down.
struct Scribe {
    text: GameText,
    position: Chess,
    /// The first fault. After it the game is only read to its end.
    fault: Option<PgnError>,
    /// Where each variation begins that is open.
    variations: Vec<Place>,
    /// Something else than comments has come.
    begun: bool,
    /// The headers are being read.
    in_headers: bool,
    /// The number of a move has come.
    numbered: bool,
}

impl Scribe {
    fn new(number: usize) -> Self {
        let text = GameText { number, ..GameText::default() };
        let position = text.start.position().clone();
        Self { text, position, fault: None, variations: vec![], begun: false, in_headers: true, numbered: false }
    }

    /// Reads up to the end of the game. `None` where there are comments only.
    fn read(mut self, tokens: &mut Peekable<Tokens<'_>>) -> Option<Result<GameText, PgnError>> {
        self.read_headers(tokens);
        self.in_headers = false;
        while let Some(token) = tokens.next_if(|token| !self.is_of_next_game(token)) {
            self.begun |= !matches!(token.word, Word::Comment(_));
            if let Word::Result(result) = token.word
                && self.variations.is_empty()
            {
                self.text.result = result;
                self.read_last_remarks(tokens);
                break;
            }
            self.take(token);
        }
        if let Some(&place) = self.variations.first() {
            self.failed(place, Fault::OpenVariation);
        }
        self.begun.then(|| self.fault.map_or(Ok(self.text), Err))
    }

    /// Does this word begin another game? Without a result and headers, a move with the first number does.
    fn is_of_next_game(&self, token: &Token<'_>) -> bool {
        match token.word {
            Word::Tag { .. } => true,
            Word::Number { number, for_black } => {
                let plies = self.text.moves.len();
                let again = number == self.text.start.number(0).0;
                let later = plies > 1 || (plies == 1 && !for_black) || self.fault.is_some();
                token.after_gap && again && later && self.numbered && self.variations.is_empty()
            }
            _ => false,
        }
    }

    fn read_headers(&mut self, tokens: &mut Peekable<Tokens<'_>>) {
        while let Some(token) = tokens.next_if(|t| {
            let is_bad_header = matches!(&t.word, Word::Unknown { text, .. } if text.starts_with('['));
            is_bad_header || matches!(t.word, Word::Tag { .. } | Word::Comment(_) | Word::Unclosed)
        }) {
            match token.word {
                Word::Tag { name, value } => {
                    self.begun = true;
                    self.header(token.place, name, &value);
                    self.text.headers.push((name.to_owned(), value));
                }
                _ => {
                    self.begun |= !matches!(token.word, Word::Comment(_));
                    self.take(token);
                }
            }
        }
    }

    /// What a header says of the game's rules and its beginning.
    fn header(&mut self, place: Place, name: &str, value: &str) {
        match name {
            "Variant" => {
                let plain: String = value.chars().filter(char::is_ascii_alphanumeric).collect();
                if !VARIANTS.contains(&plain.to_ascii_lowercase().as_str()) {
                    self.failed(place, Fault::Variant(value.to_owned()));
                }
            }
            "FEN" => match Start::from_fen(value) {
                Ok(start) => {
                    self.position = start.position().clone();
                    self.text.start = start;
                }
                Err(source) => self.failed(place, Fault::Start { fen: value.to_owned(), source }),
            },
            "Result" => self.text.result = value.parse().unwrap_or(Outcome::Unknown),
            _ => {}
        }
    }

    /// What stands behind the result, and before an empty line.
    fn read_last_remarks(&mut self, tokens: &mut Peekable<Tokens<'_>>) {
        let is_remark = |t: &Token<'_>| matches!(t.word, Word::Comment(_) | Word::Unclosed | Word::Glyph);
        while let Some(token) = tokens.next_if(|token| !token.after_gap && is_remark(token)) {
            self.take(token);
        }
    }

    fn take(&mut self, token: Token<'_>) {
        let Token { word, place, .. } = token;
        match word {
            Word::Open => self.variations.push(place),
            Word::Close if self.variations.is_empty() => self.failed(place, Fault::NoVariation),
            Word::Close => drop(self.variations.pop()),
            Word::Number { .. } => self.numbered = true,
            Word::Unclosed => self.failed(place, Fault::OpenComment),
            Word::Unknown { text, expected } => {
                let text = text.chars().take(40).collect();
                self.failed(place, Fault::Word { expected, text });
            }
            Word::Comment(text) if self.variations.is_empty() => {
                self.text.comments.push((self.text.moves.len(), text.to_owned()));
            }
            Word::San(san) if self.variations.is_empty() && self.fault.is_none() => self.play(place, &san),
            _ => {}
        }
    }

    fn play(&mut self, place: Place, san: &SanPlus) {
        match san.san.to_move(&self.position) {
            Ok(m) => {
                self.position.play_unchecked(m);
                self.text.moves.push(m);
            }
            Err(e) => {
                let why = if e == SanError::AmbiguousSan { "is ambiguous" } else { "is not legal" };
                let fen = Fen::from_position(&self.position, EnPassantMode::Legal).to_string();
                self.failed(place, Fault::Move { san: san.san.to_string(), why, fen });
            }
        }
    }

    fn failed(&mut self, place: Place, fault: Fault) {
        let ply = (!self.in_headers).then_some(self.text.moves.len() + 1);
        self.fault.get_or_insert(PgnError { game: self.text.number, ply, place, fault });
    }
}

#[cfg(test)]
mod tests;
