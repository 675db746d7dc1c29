//! What one program is told of one board: what stands on it, and the moves since the position that the program has set up.
//!
//! Everything is a state: an event holds what differs from the event before it. A move that is taken back comes as a shorter
//! list, one that is corrected as a shorter list and then the right one.

use serde_json::{Map, Value, json};
use shakmaty::{Board, Chess, Color, Position as _, fen::Fen};

use super::{placement, serial::Known};
use crate::display::{hall::Stand, record::Record};

/// The position from which a program counts moves.
#[derive(Debug, Clone)]
struct Setup {
    /// As the program gave it.
    fen: String,
    men: Board,
    /// Who is to move, where the program said it.
    turn: Option<Color>,
    /// Plies of the game before it, once the board has shown it.
    from: Option<usize>,
    /// Moves were told since.
    told: bool,
}

impl Setup {
    fn read(fen: &str) -> Result<Self, String> {
        let setup = fen.trim().parse::<Fen>().map_err(|e| format!("setup: not a FEN: {e}"))?.into_setup();
        let turn = fen.split_whitespace().nth(1).map(|_| setup.turn);
        Ok(Self { fen: fen.trim().to_owned(), men: setup.board, turn, from: None, told: false })
    }

    fn is(&self, position: &Chess) -> bool {
        *position.board() == self.men && self.turn.is_none_or(|turn| turn == position.turn())
    }

    /// The moves since then; `None` while the board has not shown the position. A position of which no more than the last ply
    /// was played since counts as shown: that ply may have come while the program was setting up. Earlier ones do not: they
    /// may be of another game.
    fn moves(&mut self, record: &Record) -> Option<Vec<String>> {
        let at = |plies: usize| record.positions.get(plies).is_some_and(|position| self.is(position));
        let last = record.sans.len();
        self.from = self
            .from
            .filter(|from| at(*from))
            .or_else(|| [Some(last), last.checked_sub(1)].into_iter().flatten().find(|plies| at(*plies)));
        let moves = match self.from {
            Some(from) => record.sans.get(from..).unwrap_or_default().to_vec(),
            // What was told stands no longer.
            None if self.told => Vec::new(),
            None => return None,
        };
        self.told |= self.from.is_some();
        Some(moves)
    }
}

/// A program's subscription to a board.
#[derive(Debug, Clone)]
pub(super) struct Feed {
    /// What the program calls it.
    pub(super) id: Value,
    /// The board.
    pub(super) board: Known,
    setup: Option<Setup>,
    /// The board's version that was told last; `None` tells anew.
    version: Option<u64>,
    /// What was told last of each field.
    sent: Map<String, Value>,
}

impl Feed {
    /// One of which nothing was told yet.
    pub(super) fn new(id: Value, board: Known) -> Self {
        Self { id, board, setup: None, version: None, sent: Map::new() }
    }

    /// From now on moves are counted from this position.
    ///
    /// # Errors
    /// When it is no FEN.
    pub(super) fn set_up(&mut self, fen: &str) -> Result<(), String> {
        self.setup = Some(Setup::read(fen)?);
        for field in ["start", "san", "match"] {
            self.sent.remove(field);
        }
        self.tell_anew();
        Ok(())
    }

    /// Everything that is told depends on more than the board: it is looked at again.
    pub(super) const fn tell_anew(&mut self) {
        self.version = None;
    }

    /// Is there anything that this version of the board has not been asked for?
    pub(super) fn is_behind(&self, version: u64) -> bool {
        self.version != Some(version)
    }

    /// Tells what is new.
    pub(super) fn events(&mut self, stand: &Stand, flipped: bool) -> Vec<Value> {
        self.version = Some(stand.version);
        let mut news = self.news(stand, flipped);
        let mut events = Vec::new();
        if let Some(kept) = self.kept(&news) {
            // Programs look at how many moves a list has: one that is only corrected comes first without the wrong ones.
            let shorter = json!({ "start": news.get("start"), "san": kept, "match": false });
            events.extend(shorter.as_object().cloned().map(|shorter| self.told(shorter, flipped)));
        }
        // Where the list of moves is told, it says from where, and whether the men stand so.
        let whole: &[&str] = if news.get("san") == self.sent.get("san") { &[] } else { &["start", "san", "match"] };
        news.retain(|field, value| whole.contains(&field.as_str()) || self.sent.get(field) != Some(value));
        if !news.is_empty() {
            events.push(self.told(news, flipped));
        }
        events
    }

    /// The moves that the old list and the new one have in common, where the new one goes on otherwise.
    fn kept(&self, news: &Map<String, Value>) -> Option<Vec<Value>> {
        let (old, new) = (self.sent.get("san")?.as_array()?, news.get("san")?.as_array()?);
        let kept: Vec<_> = old.iter().zip(new).take_while(|(a, b)| a == b).map(|(a, _)| a.clone()).collect();
        (kept.len() < old.len() && kept.len() < new.len()).then_some(kept)
    }

    /// An event with these fields, which are then told.
    fn told(&mut self, fields: Map<String, Value>, flipped: bool) -> Value {
        let mut event = fields.clone();
        self.sent.extend(fields);
        event.insert("serialnr".into(), self.board.serial.clone().into());
        event.insert("flipped".into(), flipped.into());
        Value::Object(event)
    }

    /// All that could be told now.
    fn news(&mut self, stand: &Stand, flipped: bool) -> Map<String, Value> {
        let mut news = Map::new();
        news.insert("flipped".into(), flipped.into());
        // There is none.
        news.insert("clock".into(), Value::Null);
        let men = stand.men();
        if let Some((_, shown)) = &men {
            news.insert("board".into(), placement::text(shown, flipped).into());
        }
        if let (Some(setup), Some(record)) = (&mut self.setup, &stand.record)
            && let Some(moves) = setup.moves(record)
        {
            let stands = setup.from.is_some() && men.is_some_and(|(legal, shown)| legal == shown);
            news.insert("start".into(), setup.fen.clone().into());
            news.insert("san".into(), json!(moves));
            news.insert("match".into(), stands.into());
        }
        news
    }
}

impl Stand {
    /// The men as the game has them and as they are seen; `None` while no position is known.
    pub(super) fn men(&self) -> Option<(Board, Board)> {
        let legal = match &self.record {
            Some(record) => record.positions.last()?.board().clone(),
            None => self.fen.parse::<Fen>().ok()?.into_setup().board,
        };
        let shown = placement::men(&legal, &self.place);
        Some((legal, shown))
    }
}
