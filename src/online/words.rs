//! What the server says, as far as it concerns us. What is not known here is passed over.

use serde::Deserialize;
use shakmaty::{Chess, Color, Position as _, fen::Fen, uci::UciMove};

/// A line of the stream of an account's events.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub(super) enum AccountEvent {
    /// A game runs.
    GameStart {
        /// Which.
        game: GameName,
    },
    /// A game is over.
    GameFinish {
        /// Which.
        game: GameName,
    },
    /// Anything else.
    #[serde(other)]
    Other,
}

/// Which game.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct GameName {
    /// Its name.
    pub id: String,
}

/// A line of the stream of a game.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub(super) enum GameEvent {
    /// All of it: the first line.
    GameFull(Box<GameFull>),
    /// How it stands now.
    GameState(State),
    /// Anything else.
    #[serde(other)]
    Other,
}

/// A game.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GameFull {
    /// Its name.
    pub id: String,
    /// Who has White.
    pub white: Side,
    /// Who has Black.
    pub black: Side,
    /// `startpos`, or a FEN.
    #[serde(default)]
    initial_fen: String,
    /// The rules.
    #[serde(default)]
    pub(crate) variant: Variant,
    /// How it stands.
    pub state: State,
}

/// The rules of a game.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct Variant {
    /// Their name.
    #[serde(default)]
    pub key: String,
}

/// A player.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct Side {
    /// Name of the account; an engine of the server's own has none.
    #[serde(default)]
    pub id: Option<String>,
}

/// How a game stands.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct State {
    /// All moves as UCI, with spaces between.
    pub moves: String,
    /// `started` while it goes on.
    pub status: String,
    /// `white` or `black`, where somebody has won.
    #[serde(default)]
    pub winner: Option<String>,
    /// White's time left, in milliseconds.
    #[serde(default)]
    pub(super) wtime: Option<i64>,
    /// Black's time left, in milliseconds.
    #[serde(default)]
    pub(super) btime: Option<i64>,
    /// White offers a draw.
    #[serde(default)]
    pub(super) wdraw: bool,
    /// Black offers a draw.
    #[serde(default)]
    pub(super) bdraw: bool,
}

/// The variants that are chess.
const CHESS: [&str; 3] = ["", "standard", "fromPosition"];

/// A game of ours, as the server has it: every move checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Online {
    /// Its name.
    pub id: String,
    /// Our side.
    pub color: Color,
    /// The positions: one more than there are moves.
    pub positions: Vec<Chess>,
    /// The moves as UCI; castling as the king's move.
    pub ucis: Vec<String>,
    /// How it stands.
    pub state: State,
}

impl Online {
    /// Reads a game of the account `me`.
    ///
    /// # Errors
    /// One line: it is not chess, not ours, or has a move that is not legal.
    pub fn read(full: &GameFull, me: &str) -> Result<Self, String> {
        if !CHESS.contains(&full.variant.key.as_str()) {
            return Err(format!("game {}: expected chess, got the variant {:?}", full.id, full.variant.key));
        }
        let color = match (full.white.id.as_deref(), full.black.id.as_deref()) {
            (Some(white), _) if white == me => Color::White,
            (_, Some(black)) if black == me => Color::Black,
            _ => return Err(format!("game {}: this account does not play in it", full.id)),
        };
        let start = match full.initial_fen.as_str() {
            "" | "startpos" => Chess::default(),
            fen => fen
                .parse::<Fen>()
                .map_err(|e| e.to_string())
                .and_then(|fen| fen.into_position(shakmaty::CastlingMode::Standard).map_err(|e| e.to_string()))
                .map_err(|e| format!("game {}: it begins with {fen:?}: {e}", full.id))?,
        };
        let mut game =
            Self { id: full.id.clone(), color, positions: vec![start], ucis: Vec::new(), state: State::default() };
        game.hear(full.state.clone())?;
        Ok(game)
    }

    /// Takes over how it stands now.
    ///
    /// # Errors
    /// One line: a move that is not legal. The game then stays as it was.
    pub fn hear(&mut self, state: State) -> Result<(), String> {
        let (mut positions, mut ucis) = (vec![self.positions[0].clone()], Vec::new());
        for text in state.moves.split_whitespace() {
            let position = &positions[positions.len() - 1];
            let mv = text.parse::<UciMove>().ok().and_then(|uci| uci.to_move(position).ok());
            let mv = mv.ok_or_else(|| format!("game {}: {text:?} is no legal move there", self.id))?;
            let mut next = position.clone();
            next.play_unchecked(mv);
            positions.push(next);
            ucis.push(UciMove::from_move(mv, shakmaty::CastlingMode::Standard).to_string());
        }
        (self.positions, self.ucis, self.state) = (positions, ucis, state);
        Ok(())
    }

    /// The position now.
    #[must_use]
    pub fn now(&self) -> &Chess {
        &self.positions[self.positions.len() - 1]
    }

    /// Does it go on?
    #[must_use]
    pub fn runs(&self) -> bool {
        matches!(self.state.status.as_str(), "started" | "created")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn full(moves: &str) -> GameFull {
        let game = json!({ "type": "gameFull", "id": "abc", "white": { "id": "me", "rating": 1500 }, "black": { "aiLevel": 3 },
            "initialFen": "startpos", "variant": { "key": "standard" }, "more": [1],
            "state": { "type": "gameState", "moves": moves, "status": "started", "wtime": 1000 } });
        match serde_json::from_value(game).unwrap() {
            GameEvent::GameFull(full) => *full,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_game_is_read_and_every_move_checked() {
        let mut game = Online::read(&full("e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1h1"), "me").unwrap();
        assert_eq!((game.color, game.ucis.len(), game.ucis[6].as_str()), (Color::White, 7, "e1g1"));
        let bad = State { moves: "e2e5".into(), ..State::default() };
        assert_eq!(game.hear(bad), Err("game abc: \"e2e5\" is no legal move there".into()));
        assert_eq!(game.ucis.len(), 7);
        assert!(Online::read(&full(""), "them").unwrap_err().contains("does not play"));
        let other = GameFull { variant: Variant { key: "atomic".into() }, ..full("") };
        assert!(Online::read(&other, "me").unwrap_err().contains("atomic"));
    }

    #[test]
    fn what_is_not_known_is_passed_over() {
        for line in [r#"{"type":"chatLine","text":"hi"}"#, r#"{"type":"opponentGone","gone":true}"#] {
            assert_eq!(serde_json::from_str::<GameEvent>(line).unwrap(), GameEvent::Other);
        }
        assert_eq!(serde_json::from_str::<AccountEvent>(r#"{"type":"challenge","x":1}"#).unwrap(), AccountEvent::Other);
        let start = r#"{"type":"gameStart","game":{"id":"abc","color":"white"}}"#;
        let AccountEvent::GameStart { game } = serde_json::from_str(start).unwrap() else { panic!() };
        assert_eq!(game.id, "abc");
    }
}
