//! Reads games from PGN text: headers, comments, variations, annotation glyphs, games that begin elsewhere.
//!
//! [`pgn_reader`] splits the text, [`shakmaty`] checks each move. A fault is told with the number of the game and of
//! the ply, and costs that one game only.

use std::ops::ControlFlow;

use pgn_reader::{RawComment, RawTag, Reader, SanPlus, Skip, Visitor};
use shakmaty::{Chess, EnPassantMode, Move, Outcome, Position as _, fen::Fen, uci::UciMove};

use super::{
    Tags,
    start::{Start, StartError},
};

/// Why a game could not be read. Games and plies count from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PgnError {
    /// The FEN header is no position.
    #[error("game {game}: header FEN {fen:?}: {source}")]
    Start {
        /// Which game.
        game: usize,
        /// The header's value.
        fen: String,
        /// What is wrong with it.
        source: StartError,
    },
    /// A variant other than chess and Chess960.
    #[error("game {game}: variant {variant:?} is not read here, only chess and Chess960")]
    Variant {
        /// Which game.
        game: usize,
        /// The header's value.
        variant: String,
    },
    /// A move that is not legal where it stands, or fits several men.
    #[error("game {game}, ply {ply}: {san} {why} in {fen}")]
    Move {
        /// Which game.
        game: usize,
        /// Which ply.
        ply: usize,
        /// The move as written.
        san: String,
        /// `is not legal` or `is ambiguous`.
        why: &'static str,
        /// The position before it.
        fen: String,
    },
    /// The text breaks off inside a header or a comment.
    #[error("game {game}: {why}")]
    Text {
        /// Which game.
        game: usize,
        /// What is wrong.
        why: String,
    },
}

/// A game as its text says.
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
#[must_use]
pub fn read_games(text: &str) -> Vec<Result<GameText, PgnError>> {
    let mut reader = Reader::build(std::io::Cursor::new(text.as_bytes()))
        // A player's name or an annotator's remark may be long; the reader's own default of 255 bytes is not enough.
        .set_supported_tag_line_length(4096)
        .finish();
    let mut games = Vec::new();
    loop {
        let game = games.len() + 1;
        match reader.read_game(&mut Scribe { game }) {
            Ok(Some(read)) => games.push(read),
            Ok(None) => return games,
            Err(e) => {
                // What follows a text that breaks off cannot be trusted to begin at a game.
                games.push(Err(PgnError::Text { game, why: e.to_string() }));
                return games;
            }
        }
    }
}

/// A header's value without its escapes. pgn-reader 0.29's own decoding takes the second backslash of an escaped
/// backslash for the beginning of another escape.
fn unescape(raw: &[u8]) -> String {
    let mut plain = Vec::with_capacity(raw.len());
    let mut bytes = raw.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        let escaped = if byte == b'\\' { bytes.next_if(|b| matches!(b, b'\\' | b'"')) } else { None };
        plain.push(escaped.unwrap_or(byte));
    }
    String::from_utf8_lossy(&plain).into_owned()
}

/// Collects one game.
struct Scribe {
    game: usize,
}

/// The game so far, and the position reached.
struct Draft {
    text: GameText,
    position: Chess,
    result_read: bool,
    /// The beginning of a comment that is longer than the reader's buffer.
    comment: String,
}

impl Visitor for Scribe {
    type Tags = Vec<(String, String)>;
    type Movetext = Draft;
    type Output = Result<GameText, PgnError>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Self::Tags> {
        ControlFlow::Continue(Vec::new())
    }

    fn tag(&mut self, tags: &mut Self::Tags, name: &[u8], value: RawTag<'_>) -> ControlFlow<Self::Output> {
        tags.push((String::from_utf8_lossy(name).into_owned(), unescape(value.as_bytes())));
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Self::Tags) -> ControlFlow<Self::Output, Self::Movetext> {
        let game = self.game;
        let header = |name: &str| tags.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
        if let Some(variant) = header("Variant") {
            let plain: String = variant.chars().filter(char::is_ascii_alphanumeric).collect();
            let known =
                ["", "chess", "standard", "normal", "fromposition", "chess960", "fischerandom", "fischerrandom"];
            if !known.contains(&plain.to_ascii_lowercase().as_str()) {
                return ControlFlow::Break(Err(PgnError::Variant { game, variant: variant.to_owned() }));
            }
        }
        let start = match header("FEN").map(|fen| (fen, Start::from_fen(fen))) {
            None => Start::default(),
            Some((_, Ok(start))) => start,
            Some((fen, Err(source))) => {
                return ControlFlow::Break(Err(PgnError::Start { game, fen: fen.to_owned(), source }));
            }
        };
        let result = header("Result").and_then(|text| text.parse().ok()).unwrap_or(Outcome::Unknown);
        let position = start.position().clone();
        let text = GameText { number: game, headers: tags, start, moves: Vec::new(), comments: Vec::new(), result };
        ControlFlow::Continue(Draft { text, position, result_read: false, comment: String::new() })
    }

    fn san(&mut self, draft: &mut Self::Movetext, san_plus: SanPlus) -> ControlFlow<Self::Output> {
        use shakmaty::san::SanError;
        match san_plus.san.to_move(&draft.position) {
            Ok(m) => {
                draft.position.play_unchecked(m);
                draft.text.moves.push(m);
                ControlFlow::Continue(())
            }
            Err(e) => ControlFlow::Break(Err(PgnError::Move {
                game: self.game,
                ply: draft.text.moves.len() + 1,
                san: san_plus.san.to_string(),
                why: if e == SanError::AmbiguousSan { "is ambiguous" } else { "is not legal" },
                fen: Fen::from_position(&draft.position, EnPassantMode::Legal).to_string(),
            })),
        }
    }

    fn partial_comment(&mut self, draft: &mut Self::Movetext, comment: RawComment<'_>) -> ControlFlow<Self::Output> {
        draft.comment += &String::from_utf8_lossy(comment.as_bytes());
        ControlFlow::Continue(())
    }

    fn comment(&mut self, draft: &mut Self::Movetext, comment: RawComment<'_>) -> ControlFlow<Self::Output> {
        let mut text = std::mem::take(&mut draft.comment);
        text += &String::from_utf8_lossy(comment.as_bytes());
        draft.text.comments.push((draft.text.moves.len(), text));
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, _: &mut Self::Movetext) -> ControlFlow<Self::Output, Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn outcome(&mut self, draft: &mut Self::Movetext, outcome: Outcome) -> ControlFlow<Self::Output> {
        if !draft.result_read {
            draft.text.result = outcome;
            draft.result_read = true;
        }
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, draft: Self::Movetext) -> Self::Output {
        Ok(draft.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &str = r#"[Event "A \"B\" C"]
[White "Müller, K."]
[Black "?"]
[Date "????.??.??"]
[Result "1-0"]

1. e4 $1 {best} e5 2. Nf3! (2. f4 exf4 (2... d5)) 2... Nc6 ; to the end
3. Bb5 a6 4. O-O 1-0

[FEN "4k3/P7/8/8/8/8/8/4K3 w - - 0 1"]

1. a8=N Kd7 1/2-1/2
"#;

    #[test]
    fn reads_headers_comments_variations_and_starts() {
        let games: Vec<_> = read_games(TWO).into_iter().map(Result::unwrap).collect();
        assert_eq!(games.len(), 2);
        assert_eq!(games[0].ucis(), ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "e1g1"]);
        assert_eq!(games[0].header("Event"), Some("A \"B\" C"));
        assert_eq!(games[0].tags().white, "Müller, K.");
        assert_eq!(games[0].tags().black, "");
        assert_eq!(games[0].tags().date, "");
        assert_eq!(games[0].result.as_str(), "1-0");
        assert_eq!(games[0].positions().len(), 8);
        assert_eq!(games[1].ucis(), ["a7a8n", "e8d7"]);
        // What follows a semicolon is not kept.
        assert_eq!(games[0].comments, [(1, "best".to_owned())]);
        assert_eq!((games[0].number, games[1].number, games[1].comments.len()), (1, 2, 0));
        assert_eq!(games[1].start.fen(), "4k3/P7/8/8/8/8/8/4K3 w - - 0 1");
        assert_eq!(games[1].result.as_str(), "1/2-1/2");
    }

    #[test]
    fn a_fault_names_game_and_ply_and_costs_one_game() {
        let text = "1. e4 e5 2. Ke3 *\n\n1. d4 *\n\n[FEN \"nonsense\"]\n\n1. e4 *\n\n[Variant \"Atomic\"]\n\n1. e4 *\n\n1. c4 *\n";
        let games = read_games(text);
        assert_eq!(games.len(), 5);
        let first = games[0].as_ref().unwrap_err();
        assert!(matches!(first, PgnError::Move { game: 1, ply: 3, .. }), "{first}");
        assert!(first.to_string().starts_with("game 1, ply 3: Ke3 is not legal in rnbqkbnr/"), "{first}");
        assert_eq!(games[1].as_ref().unwrap().ucis(), ["d2d4"]);
        assert!(matches!(games[2], Err(PgnError::Start { game: 3, .. })));
        assert!(matches!(games[3], Err(PgnError::Variant { game: 4, .. })));
        assert_eq!(games[4].as_ref().unwrap().ucis(), ["c2c4"]);
    }

    #[test]
    fn ambiguous_moves_and_broken_text_are_errors() {
        let ambiguous = read_games("[FEN \"4k3/8/8/8/8/8/4K3/R6R w - - 0 1\"]\n\n1. Rd1 *");
        assert!(matches!(ambiguous[0], Err(PgnError::Move { why: "is ambiguous", ply: 1, .. })), "{ambiguous:?}");
        assert!(matches!(read_games("1. e4 { never ends")[0], Err(PgnError::Text { game: 1, .. })));
        assert!(read_games("").is_empty());
    }

    #[test]
    fn long_comments_stay_whole() {
        let text = format!("1. e4 {{{}}} e5 *", "long ".repeat(2000));
        let game = read_games(&text).remove(0).unwrap();
        assert_eq!(game.comments, [(1, "long ".repeat(2000))]);
    }

    #[test]
    fn chess960_castles_as_king_takes_rook() {
        let text = "[Variant \"Chess960\"]\n[FEN \"1k6/8/8/8/8/8/8/1K4R1 w G - 0 1\"]\n\n1. O-O *";
        let game = read_games(text).remove(0).unwrap();
        assert_eq!(game.ucis(), ["b1g1"]);
    }
}
