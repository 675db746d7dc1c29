//! What is to be done, from what the server has and what the board shows. Knows no network and no clock of its own.
//!
//! A move is sent when the board shows it surely, the hand is away, and it has stood for a moment; and it is sent once. After
//! an answer that leaves open whether the server has it, nothing is sent before the server has told how the game stands.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use shakmaty::{CastlingMode, Chess, Position as _, san::SanPlus, uci::UciMove};

use super::words::Online;
use crate::display::record::Record;

/// What the board says.
#[derive(Debug, Clone, Default)]
pub struct AtBoard {
    /// The game on the board; `None` before the first.
    pub record: Option<Arc<Record>>,
    /// How sure its last ply is, 0 to 1; `None` where that was not heard.
    pub confidence: Option<f64>,
    /// The position is understood, and no hand is over the board.
    pub at_rest: bool,
    /// Since when all that is so.
    pub since: Option<Instant>,
}

/// When a move is sent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rules {
    /// Least confidence at which a move is sent without a person's word.
    pub least_confidence: f64,
    /// How long it has stood on the board by then.
    pub settled: Duration,
    /// Every move needs a person's word.
    pub confirm_all: bool,
}

/// A ply of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ply {
    /// Its number, 1 for the first.
    pub number: usize,
    /// As UCI.
    pub uci: String,
    /// As SAN.
    pub san: String,
}

/// How server and board stand to each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// No game runs.
    NoGame,
    /// The same on both, and it is our side's turn.
    OurTurn,
    /// The same on both, and it is the other side's turn.
    TheirTurn,
    /// The other side's move is to be made on the board.
    ToBePlayed(Ply),
    /// Our move stands on the board, and is not to be sent yet.
    Wait(Ply),
    /// It is sent when a person says so.
    Confirm(Ply, &'static str),
    /// It is to be sent now.
    Send(Ply),
    /// It was sent, and the server has not told of it yet.
    Sent(Ply),
    /// It was sent, and is no move of the game: the server has refused it.
    Refused(Ply),
    /// The board shows something else than the game.
    Differs,
}

/// What became of the move that was sent last.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Fate {
    /// On its way, or accepted and not told yet.
    Open,
    /// Whether the server has it is not known before it tells how the game stands.
    Unknown,
    /// It does not have it, for it was too busy; it may be sent again.
    Free,
    /// It will never have it.
    Refused,
}

/// Decides.
#[derive(Debug)]
pub struct Player {
    rules: Rules,
    game: Option<Online>,
    sent: Option<(Ply, Fate)>,
    confirmed: Option<Ply>,
    /// The position on the board when the server took moves back: what stands there is no new move.
    stale: Option<Chess>,
    seen: AtBoard,
}

impl Player {
    /// One who has no game yet.
    #[must_use]
    pub const fn new(rules: Rules) -> Self {
        let seen = AtBoard { record: None, confidence: None, at_rest: false, since: None };
        Self { rules, game: None, sent: None, confirmed: None, stale: None, seen }
    }

    /// The game, as the server has it.
    #[must_use]
    pub const fn game(&self) -> Option<&Online> {
        self.game.as_ref()
    }

    /// The server tells how the game stands. `whole`: it was asked anew, so it has every move that it will ever have of those
    /// that were answered.
    pub fn hear(&mut self, game: Option<Online>, whole: bool) {
        let (old, new) = (self.game.take(), game);
        let same = matches!((&old, &new), (Some(old), Some(new)) if old.id == new.id);
        if !same {
            (self.sent, self.confirmed, self.stale) = (None, None, None);
        }
        if let (Some(old), Some(new), true) = (&old, &new, same) {
            let has = |ply: &Ply| new.ucis.len() >= ply.number;
            let shorter = new.ucis.len() < old.ucis.len();
            if shorter {
                self.stale = self.on_board().cloned();
            }
            match &self.sent {
                Some((ply, _)) if has(ply) || shorter => self.sent = None,
                // The server was asked after it had answered, and does not have it.
                Some((_, Fate::Unknown)) if whole => self.sent = None,
                _ => {}
            }
        }
        self.game = new;
    }

    /// The board tells.
    pub fn see(&mut self, seen: AtBoard) {
        self.seen = seen;
        if self.stale.as_ref().is_some_and(|stale| self.on_board() != Some(stale)) {
            self.stale = None;
        }
    }

    fn on_board(&self) -> Option<&Chess> {
        self.seen.record.as_ref()?.positions.last()
    }

    /// The move is on its way.
    pub(super) fn sending(&mut self, ply: Ply) {
        self.confirmed = None;
        self.sent = Some((ply, Fate::Open));
    }

    /// What the server answered: it was too busy, and does not have it.
    pub fn busy(&mut self) {
        self.fate(Fate::Free);
    }

    /// It does not take it.
    pub fn refused(&mut self) {
        self.fate(Fate::Refused);
    }

    /// Nobody knows. The game has to be asked for anew.
    pub fn unknown(&mut self) {
        self.fate(Fate::Unknown);
    }

    fn fate(&mut self, fate: Fate) {
        if let Some((_, old)) = &mut self.sent {
            *old = fate;
        }
    }

    /// A person says that the move on the board is meant.
    ///
    /// # Errors
    /// When there is none to be confirmed.
    pub fn confirm(&mut self, now: Instant) -> Result<Ply, String> {
        match self.standing(now) {
            Standing::Confirm(ply, _) | Standing::Wait(ply) => {
                self.confirmed = Some(ply.clone());
                Ok(ply)
            }
            other => Err(format!("there is no move to be confirmed: {}", other.sentence())),
        }
    }

    /// How server and board stand to each other.
    #[must_use]
    pub fn standing(&self, now: Instant) -> Standing {
        let Some(game) = self.game.as_ref().filter(|game| game.runs()) else { return Standing::NoGame };
        let Some(record) = &self.seen.record else { return Standing::Differs };
        let plies = record.positions.len();
        let Some(shown) = record.positions.last() else { return Standing::Differs };
        let ours = game.now().turn() == game.color;
        if same(shown, game.now()) {
            return if ours { Standing::OurTurn } else { Standing::TheirTurn };
        }
        let before = game.positions.len().checked_sub(2).map(|index| &game.positions[index]);
        if let (Some(before), true) = (before, ours)
            && same(shown, before)
        {
            return last_of(game).map_or(Standing::Differs, Standing::ToBePlayed);
        }
        let one_ahead = plies >= 2 && same(&record.positions[plies - 2], game.now());
        match one_ahead.then(|| ply_on(record, game.ucis.len() + 1)).flatten() {
            Some(ply) if ours => self.ours(ply, now),
            _ => Standing::Differs,
        }
    }

    /// A move of ours stands on the board, and the server does not have it.
    fn ours(&self, ply: Ply, now: Instant) -> Standing {
        if self.stale.as_ref().is_some_and(|stale| self.on_board() == Some(stale)) {
            return Standing::Differs;
        }
        match &self.sent {
            Some((sent, Fate::Open | Fate::Unknown)) => return Standing::Sent(sent.clone()),
            Some((sent, Fate::Refused)) if *sent == ply => return Standing::Refused(ply),
            _ => {}
        }
        let settled = self.seen.since.is_some_and(|since| now.saturating_duration_since(since) >= self.rules.settled);
        let confirmed = self.confirmed.as_ref() == Some(&ply);
        if confirmed {
            return Standing::Send(ply);
        }
        if !self.seen.at_rest || !settled {
            return Standing::Wait(ply);
        }
        match self.seen.confidence {
            _ if self.rules.confirm_all => Standing::Confirm(ply, "every move is to be confirmed"),
            Some(sure) if sure >= self.rules.least_confidence => Standing::Send(ply),
            Some(_) => Standing::Confirm(ply, "it is in doubt"),
            None => Standing::Confirm(ply, "nobody has told how sure it is"),
        }
    }
}

impl Standing {
    /// One sentence for people.
    #[must_use]
    pub fn sentence(&self) -> String {
        match self {
            Self::NoGame => "no game runs".into(),
            Self::OurTurn => "our move".into(),
            Self::TheirTurn => "the other side's move".into(),
            Self::ToBePlayed(ply) => format!("{} is to be made on the board", ply.san),
            Self::Wait(ply) => format!("{} has to stand for a moment, with no hand over the board", ply.san),
            Self::Confirm(ply, why) => format!("{} waits for ~/confirm: {why}", ply.san),
            Self::Send(ply) => format!("{} is to be sent", ply.san),
            Self::Sent(ply) => format!("{} was sent", ply.san),
            Self::Refused(ply) => format!("the server does not take {}", ply.san),
            Self::Differs => "the board shows another position than the game has".into(),
        }
    }
}

/// The same men, side to move and rights; counters do not matter.
fn same(a: &Chess, b: &Chess) -> bool {
    a.board() == b.board() && a.turn() == b.turn() && a.castles().castling_rights() == b.castles().castling_rights()
}

fn last_of(game: &Online) -> Option<Ply> {
    ply_of(game, game.ucis.len().checked_sub(1)?)
}

/// The ply with this index, 0 for the first.
pub(super) fn ply_of(game: &Online, index: usize) -> Option<Ply> {
    let uci = game.ucis.get(index)?.clone();
    let mut before = game.positions.get(index)?.clone();
    let mv = uci.parse::<UciMove>().ok()?.to_move(&before).ok()?;
    let san = SanPlus::from_move_and_play_unchecked(&mut before, mv).to_string();
    Some(Ply { number: index + 1, uci, san })
}

/// The last ply on the board, with its number in the game.
fn ply_on(record: &Record, number: usize) -> Option<Ply> {
    let mv = *record.game.moves.last()?;
    let uci = UciMove::from_move(mv, CastlingMode::Standard).to_string();
    Some(Ply { number, uci, san: record.sans.last()?.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::online::words::State;
    use serde_json::json;

    fn online(moves: &str, color: &str) -> Online {
        let (white, black) = if color == "white" { ("me", "them") } else { ("them", "me") };
        let full = json!({ "id": "abc", "white": { "id": white }, "black": { "id": black },
            "state": { "moves": moves, "status": "started" } });
        Online::read(&serde_json::from_value(full).unwrap(), "me").unwrap()
    }

    fn player() -> Player {
        Player::new(Rules { least_confidence: 0.95, settled: Duration::from_millis(500), confirm_all: false })
    }

    /// A board that has been at rest for a second.
    fn board(pgn: &str, confidence: Option<f64>, now: Instant) -> AtBoard {
        let since = now.checked_sub(Duration::from_secs(1));
        AtBoard { record: Record::read(pgn, None, now), confidence, at_rest: true, since }
    }

    fn standing(moves: &str, color: &str, pgn: &str, confidence: Option<f64>) -> Standing {
        let (mut player, now) = (player(), Instant::now());
        player.hear(Some(online(moves, color)), true);
        player.see(board(pgn, confidence, now));
        player.standing(now)
    }

    fn ply(number: usize, uci: &str, san: &str) -> Ply {
        Ply { number, uci: uci.into(), san: san.into() }
    }

    #[test]
    fn what_server_and_board_have_says_what_is_to_be_done() {
        let sure = Some(0.99);
        for (moves, color, pgn, confidence, expected) in [
            ("", "white", "*", sure, Standing::OurTurn),
            ("", "black", "*", sure, Standing::TheirTurn),
            ("", "white", "1. e4 *", sure, Standing::Send(ply(1, "e2e4", "e4"))),
            ("", "white", "1. e4 *", Some(0.9), Standing::Confirm(ply(1, "e2e4", "e4"), "it is in doubt")),
            ("", "white", "1. e4 *", None, Standing::Confirm(ply(1, "e2e4", "e4"), "nobody has told how sure it is")),
            ("e2e4", "white", "1. e4 *", sure, Standing::TheirTurn),
            ("e2e4 e7e5", "white", "1. e4 *", sure, Standing::ToBePlayed(ply(2, "e7e5", "e5"))),
            ("e2e4 e7e5", "white", "1. e4 e5 *", sure, Standing::OurTurn),
            // Another move of theirs, ours out of turn, two at once, and somewhere else.
            ("e2e4 e7e5", "white", "1. e4 e6 *", sure, Standing::Differs),
            ("e2e4", "white", "1. e4 e5 *", sure, Standing::Differs),
            ("", "white", "1. e4 e5 *", sure, Standing::Differs),
            ("", "black", "1. e4 *", sure, Standing::Differs),
            ("e2e4", "black", "1. d4 *", sure, Standing::Differs),
            // The board came later than the game.
            (
                "e2e4 e7e5",
                "white",
                "[SetUp \"1\"]\n[FEN \"rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 1\"]\n\n1. Nf3 *",
                sure,
                Standing::Send(ply(3, "g1f3", "Nf3")),
            ),
        ] {
            assert_eq!(standing(moves, color, pgn, confidence), expected, "{moves:?} {color} {pgn}");
        }
    }

    #[test]
    fn a_move_is_sent_once_whatever_is_answered() {
        let (mut player, now) = (player(), Instant::now());
        player.hear(Some(online("", "white")), true);
        player.see(board("1. e4 *", Some(0.99), now));
        let e4 = ply(1, "e2e4", "e4");
        player.sending(e4.clone());
        assert_eq!(player.standing(now), Standing::Sent(e4.clone()));
        // Told anew without it: it may still be on its way.
        player.hear(Some(online("", "white")), true);
        assert_eq!(player.standing(now), Standing::Sent(e4.clone()));
        // Nobody knows; a line of the stream does not say, the whole game does.
        player.unknown();
        let mut game = online("", "white");
        game.hear(State { status: "started".into(), wdraw: true, ..State::default() }).unwrap();
        player.hear(Some(game), false);
        assert_eq!(player.standing(now), Standing::Sent(e4.clone()));
        player.hear(Some(online("", "white")), true);
        assert_eq!(player.standing(now), Standing::Send(e4.clone()));
        // Busy: again. Refused: never again, but another one.
        player.sending(e4.clone());
        player.busy();
        assert_eq!(player.standing(now), Standing::Send(e4.clone()));
        player.sending(e4.clone());
        player.refused();
        assert_eq!(player.standing(now), Standing::Refused(e4));
        player.see(board("1. d4 *", Some(0.99), now));
        assert_eq!(player.standing(now), Standing::Send(ply(1, "d2d4", "d4")));
    }

    #[test]
    fn a_hand_and_a_moment_are_waited_for_and_a_person_goes_before_doubt() {
        let (mut player, now) = (player(), Instant::now());
        player.hear(Some(online("", "white")), true);
        let e4 = ply(1, "e2e4", "e4");
        player.see(AtBoard { at_rest: false, since: None, ..board("1. e4 *", Some(0.99), now) });
        assert_eq!(player.standing(now), Standing::Wait(e4.clone()));
        player.see(AtBoard { since: Some(now), ..board("1. e4 *", Some(0.5), now) });
        assert_eq!(player.standing(now), Standing::Wait(e4.clone()));
        let later = now + Duration::from_millis(500);
        assert_eq!(player.standing(later), Standing::Confirm(e4.clone(), "it is in doubt"));
        assert_eq!(player.confirm(later), Ok(e4.clone()));
        assert_eq!(player.standing(later), Standing::Send(e4));
        // The word was for that move.
        player.see(board("1. d4 *", Some(0.5), now));
        assert!(matches!(player.standing(later), Standing::Confirm(..)));
        player.see(board("*", Some(0.5), now));
        assert!(player.confirm(later).unwrap_err().contains("our move"));
    }

    #[test]
    fn what_the_server_takes_back_is_not_sent_again_while_it_stands() {
        let (mut player, now) = (player(), Instant::now());
        player.hear(Some(online("e2e4", "white")), true);
        player.see(board("1. e4 *", Some(0.99), now));
        player.hear(Some(online("", "white")), false);
        assert_eq!(player.standing(now), Standing::Differs);
        player.see(board("*", Some(0.99), now));
        assert_eq!(player.standing(now), Standing::OurTurn);
        player.see(board("1. e4 *", Some(0.99), now));
        assert_eq!(player.standing(now), Standing::Send(ply(1, "e2e4", "e4")));
        player.hear(None, true);
        assert_eq!(player.standing(now), Standing::NoGame);
    }
}
