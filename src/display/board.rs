//! What is known of one board, and what the arbiter has to know of it.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
    time::Instant,
};

use serde::Serialize;
use serde_json::{Value, json};
use shakmaty::{Square, fen::Fen};

use super::{
    game::{Game, san_of},
    record::Record,
    words::{BoardWord, Health, MoveKind, MoveWord, PositionWord, SightWord, Tracker, WarningKind, WarningWord, Word},
};
use crate::game::Explanation;

/// Warnings that are kept for the page: the last evening's.
const WARNINGS: usize = 200;
/// What is said of an illegal position before its warning was heard.
const UNTOLD: &str = "An illegal position stands on the board.";
/// A square is shown as doubtful while its likeliest content is less probable: as `game.min_confidence` has it.
const IN_DOUBT: f32 = 0.95;

/// Something that the arbiter has to see.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Alarm {
    /// Number among the alarms of this board.
    pub id: u64,
    /// Why the arbiter is called.
    pub kind: AlarmKind,
    /// One sentence.
    pub text: String,
    /// The squares concerned.
    pub squares: Vec<String>,
    /// What to put right: square and the man that belongs there as FEN writes him, empty for none.
    pub restore: Vec<(String, String)>,
    /// Time of the picture, in seconds since the epoch.
    pub stamp_s: f64,
    /// It still stands on the board.
    pub stands: bool,
    /// Somebody has seen to it.
    pub acknowledged: bool,
}

/// Why the arbiter is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AlarmKind {
    /// An illegal change.
    Illegal,
    /// The picture cannot be explained.
    Uncertain,
    /// The board is not where it was.
    BoardLost,
    /// The camera or the observer is silent.
    Silent,
    /// The disk has not taken what was told.
    NotSaved,
}

/// One board.
#[derive(Debug, Clone, Default)]
pub struct Board {
    /// What people call it.
    pub name: String,
    position: PositionWord,
    pgn: String,
    game: Game,
    record: Option<Arc<Record>>,
    /// When each ply was understood, and how surely.
    told: BTreeMap<usize, (f64, Option<f64>)>,
    place: BoardWord,
    health: Health,
    sight: SightWord,
    warnings: VecDeque<Value>,
    alarms: Vec<Alarm>,
    alarms_so_far: u64,
}

impl Board {
    /// A board of which nothing is known yet.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Takes over what the board tells. False where it is nothing new: how a board is doing is told every second.
    pub fn hear(&mut self, word: Word) -> bool {
        match word {
            Word::Move(word) => self.hear_move(&word),
            Word::Warning(word) => self.hear_warning(word),
            Word::Position(word) => {
                if !word.illegal {
                    self.settle(AlarmKind::Illegal);
                } else if !self.alarms.iter().any(|a| a.stands && a.kind == AlarmKind::Illegal) {
                    // Who comes late hears no warning, and the warning may come after the position.
                    self.alarm(AlarmKind::Illegal, UNTOLD.into(), Vec::new(), "", 0.0);
                }
                self.position = word;
            }
            Word::Game(pgn) => self.hear_game(pgn),
            Word::Board(word) => self.hear_board(*word),
            Word::Sight(word) => {
                let new = word != self.sight;
                self.sight = word;
                return new;
            }
            Word::Health(word) => {
                if word == self.health {
                    return false;
                }
                if word.gone {
                    self.alarm(AlarmKind::Silent, "The observer of this board has gone.".into(), Vec::new(), "", 0.0);
                } else if word.silent.is_empty() {
                    self.settle(AlarmKind::Silent);
                } else {
                    self.alarm(AlarmKind::Silent, word.silent.clone(), Vec::new(), "", 0.0);
                }
                self.health = word;
            }
        }
        true
    }

    fn hear_move(&mut self, word: &MoveWord) {
        if word.kind == MoveKind::TakenBack {
            self.told.retain(|ply, _| *ply < word.ply);
        } else {
            self.told.insert(word.ply, (word.stamp_s, word.confidence));
        }
        self.settle(AlarmKind::Uncertain);
        self.time_plies();
    }

    fn hear_game(&mut self, pgn: String) {
        if let Some(record) = Record::read(&pgn, self.record.as_deref(), Instant::now()) {
            self.game = Game::of(&record.game);
            self.told.retain(|ply, _| *ply <= self.game.plies.len());
            self.record = Some(record);
        }
        self.pgn = pgn;
        self.time_plies();
    }

    fn time_plies(&mut self) {
        for (index, ply) in self.game.plies.iter_mut().enumerate() {
            if let Some((stamp_s, confidence)) = self.told.get(&(index + 1)) {
                ply.stamp_s = Some(*stamp_s);
                ply.confidence = confidence.or(ply.confidence);
            }
        }
    }

    fn hear_warning(&mut self, word: WarningWord) {
        let kind = match word.kind {
            WarningKind::Illegal => Some(AlarmKind::Illegal),
            WarningKind::Uncertain => Some(AlarmKind::Uncertain),
            WarningKind::BoardLost => Some(AlarmKind::BoardLost),
            WarningKind::Restored => {
                self.settle(AlarmKind::Illegal);
                self.settle(AlarmKind::Uncertain);
                None
            }
            WarningKind::BoardFound | WarningKind::BoardMoved => {
                self.settle(AlarmKind::BoardLost);
                None
            }
            WarningKind::NotSaved => Some(AlarmKind::NotSaved),
            WarningKind::Saved => {
                self.settle(AlarmKind::NotSaved);
                None
            }
            WarningKind::Touched | WarningKind::Unexpected => None,
        };
        let about = json!({ "kind": word.kind, "text": word.text, "squares": word.squares, "stamp_s": word.stamp_s });
        self.warnings.push_back(about);
        while self.warnings.len() > WARNINGS {
            self.warnings.pop_front();
        }
        if let Some(kind) = kind {
            self.alarm(kind, word.text, word.squares, &word.fen, word.stamp_s);
        }
    }

    fn hear_board(&mut self, word: BoardWord) {
        if !word.lost {
            self.settle(AlarmKind::BoardLost);
        }
        if matches!(word.tracker, Tracker::Following | Tracker::Over) {
            self.settle(AlarmKind::Uncertain);
        }
        self.place = word;
    }

    /// Raises an alarm, unless the same one stands already.
    fn alarm(&mut self, kind: AlarmKind, text: String, squares: Vec<String>, fen: &str, stamp_s: f64) {
        if self.alarms.iter().any(|a| a.stands && a.kind == kind && a.text == text) {
            return;
        }
        let restore = if kind == AlarmKind::Illegal { restore(&squares, fen) } else { Vec::new() };
        if let Some(untold) = self.alarms.iter_mut().find(|a| a.stands && a.kind == kind && a.text == UNTOLD) {
            (untold.text, untold.squares, untold.restore, untold.stamp_s) = (text, squares, restore, stamp_s);
            return;
        }
        // One reason of a kind stands at a time: a new one takes the old one's place.
        self.settle(kind);
        self.alarms.retain(|a| a.kind != kind);
        self.alarms_so_far += 1;
        let id = self.alarms_so_far;
        self.alarms.push(Alarm { id, kind, text, squares, restore, stamp_s, stands: true, acknowledged: false });
    }

    /// What was the matter is so no longer. An illegal change stays to be acknowledged: the arbiter has to know of it.
    fn settle(&mut self, kind: AlarmKind) {
        self.alarms.iter_mut().filter(|a| a.kind == kind).for_each(|a| a.stands = false);
        self.alarms.retain(|a| a.stands || (a.kind == AlarmKind::Illegal && !a.acknowledged));
    }

    /// Somebody has seen to the alarm `id`. False where there is none.
    pub fn acknowledge(&mut self, id: u64) -> bool {
        let found = self.alarms.iter_mut().find(|a| a.id == id);
        let there = found.map(|alarm| alarm.acknowledged = true).is_some();
        self.alarms.retain(|a| a.stands || !a.acknowledged);
        there
    }

    /// The game as PGN.
    #[must_use]
    pub fn pgn(&self) -> &str {
        &self.pgn
    }

    /// The game as it was heard; `None` before the first that can be read.
    #[must_use]
    pub const fn record(&self) -> Option<&Arc<Record>> {
        self.record.as_ref()
    }

    /// The legal position and its state under the rules.
    #[must_use]
    pub const fn position(&self) -> &PositionWord {
        &self.position
    }

    /// How its observer is doing.
    #[must_use]
    pub const fn health(&self) -> &Health {
        &self.health
    }

    /// What the last look said of every square.
    #[must_use]
    pub const fn place(&self) -> &BoardWord {
        &self.place
    }

    fn fen(&self) -> &str {
        let last = self.game.plies.last().map_or(self.game.start.as_str(), |ply| ply.fen.as_str());
        if self.position.fen.is_empty() { last } else { &self.position.fen }
    }

    fn in_doubt(&self) -> Vec<usize> {
        let squares = self.place.squares.as_ref().filter(|squares| squares.is_whole());
        squares.map(|squares| squares.in_doubt(IN_DOUBT)).unwrap_or_default()
    }

    /// What may have been played, where the last look was not understood; named as people name moves.
    fn choices(&self) -> Vec<Explanation> {
        let fen = self.fen();
        let named = |open: &Explanation| {
            let san = if open.uci.is_empty() { Some(String::new()) } else { san_of(fen, &open.uci) };
            // One that is not legal any more is of an earlier position.
            Some(Explanation { san: san?, ..open.clone() })
        };
        self.sight.explanations.iter().filter_map(named).collect()
    }

    /// What the hall shows of it.
    #[must_use]
    pub fn tile(&self, id: &str) -> Value {
        let last = self.game.plies.last();
        let calling = self.alarms.iter().find(|a| !a.acknowledged).or_else(|| self.alarms.first());
        json!({
            "id": id,
            "name": self.name,
            "white": self.game.white,
            "black": self.game.black,
            "fen": self.fen(),
            "ply": self.position.ply,
            "last": last.map(|p| json!({ "number": p.number, "san": p.san, "uci": p.uci, "stamp_s": p.stamp_s })),
            "spent_s": spent(&self.game),
            "result": self.position.result,
            "result_reason": self.position.result_reason,
            "tracker": self.place.tracker,
            "alarm": calling,
        })
    }

    /// What its page shows.
    #[must_use]
    pub fn page(&self, id: &str) -> Value {
        let mut page = self.tile(id);
        let more = json!({
            "game": self.game,
            "position": self.position,
            "alarms": self.alarms,
            "warnings": self.warnings,
            "corners": self.place.corners,
            "in_doubt": self.in_doubt(),
            "health": self.health,
            "sight": self.sight,
            "choices": self.choices(),
        });
        if let (Value::Object(page), Value::Object(more)) = (&mut page, more) {
            page.extend(more);
        }
        page
    }
}

/// How long White and Black have thought, in seconds, where the record notes times.
fn spent(game: &Game) -> Option<[i64; 2]> {
    let mut spent = [0, 0];
    let mut any = false;
    for ply in &game.plies {
        if let Some(took_s) = ply.took_s {
            any = true;
            spent[usize::from(ply.number.ends_with("..."))] += took_s;
        }
    }
    any.then_some(spent)
}

/// Which man belongs on each of the squares, by the legal position.
fn restore(squares: &[String], fen: &str) -> Vec<(String, String)> {
    let Ok(fen) = fen.parse::<Fen>() else { return Vec::new() };
    let setup = fen.into_setup();
    let man = |square: Square| setup.board.piece_at(square).map_or_else(String::new, |piece| piece.char().to_string());
    squares.iter().filter_map(|name| Some((name.clone(), man(name.parse().ok()?)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    fn warning(kind: WarningKind, text: &str) -> Word {
        let squares = vec!["e2".into(), "e5".into()];
        Word::Warning(WarningWord { kind, text: text.into(), squares, fen: START.into(), stamp_s: 5.0 })
    }

    fn alarm(board: &Board) -> Value {
        board.tile("b")["alarm"].clone()
    }

    #[test]
    fn an_illegal_move_calls_until_it_is_acknowledged_even_after_it_was_put_right() {
        let mut board = Board::new("one");
        board.hear(warning(WarningKind::Illegal, "e2e5: no pawn moves like that."));
        let raised = alarm(&board);
        assert_eq!((&raised["kind"], &raised["stands"]), (&json!("illegal"), &json!(true)));
        assert_eq!(raised["restore"], json!([["e2", "P"], ["e5", ""]]));
        // The same again is no new alarm.
        board.hear(warning(WarningKind::Illegal, "e2e5: no pawn moves like that."));
        assert_eq!(alarm(&board)["id"], raised["id"]);
        board.hear(warning(WarningKind::Restored, "The legal position stands again."));
        assert_eq!(alarm(&board)["stands"], json!(false));
        assert!(board.acknowledge(1) && !board.acknowledge(1));
        assert_eq!(alarm(&board), Value::Null);
    }

    #[test]
    fn an_acknowledgment_holds_while_the_same_thing_stands() {
        let mut board = Board::new("one");
        board.hear(warning(WarningKind::Illegal, "first"));
        assert!(board.acknowledge(1));
        board.hear(warning(WarningKind::Illegal, "first"));
        assert_eq!((&alarm(&board)["id"], &alarm(&board)["acknowledged"]), (&json!(1), &json!(true)));
        // Another one calls again.
        board.hear(warning(WarningKind::Illegal, "second"));
        assert_eq!((&alarm(&board)["id"], &alarm(&board)["acknowledged"]), (&json!(2), &json!(false)));
    }

    #[test]
    fn an_illegal_position_calls_without_its_warning_and_once_with_it() {
        let mut board = Board::new("one");
        board.hear(Word::Position(PositionWord { illegal: true, ..PositionWord::default() }));
        assert_eq!(alarm(&board)["text"], json!(UNTOLD));
        board.hear(warning(WarningKind::Illegal, "e2e5: no pawn moves like that."));
        assert_eq!((&alarm(&board)["id"], &alarm(&board)["squares"]), (&json!(1), &json!(["e2", "e5"])));
        board.hear(Word::Position(PositionWord::default()));
        assert_eq!(alarm(&board)["stands"], json!(false));
    }

    #[test]
    fn what_settles_by_itself_calls_nobody_any_more() {
        let mut board = Board::new("one");
        board.hear(warning(WarningKind::Uncertain, "Unclear."));
        board.hear(warning(WarningKind::BoardLost, "Lost."));
        board.hear(Word::Health(Health { silent: "no picture for 6 s".into(), gone: false }));
        assert_eq!(board.page("b")["alarms"].as_array().unwrap().len(), 3);
        board.hear(Word::Board(Box::new(BoardWord { tracker: Tracker::Following, ..BoardWord::default() })));
        board.hear(Word::Health(Health::default()));
        assert_eq!(alarm(&board), Value::Null);
    }

    #[test]
    fn what_may_have_been_played_is_offered_in_the_observers_own_order() {
        let mut board = Board::new("one");
        board.hear(Word::Position(PositionWord { fen: START.into(), ..PositionWord::default() }));
        let open = |uci: &str, probability| Explanation { uci: uci.into(), san: String::new(), probability };
        let explanations = vec![open("g1f3", 0.6), open("", 0.3), open("e7e5", 0.1)];
        let sight = SightWord { change_threshold: Some(4.0), noise_levels: Some(1.5), explanations };
        assert!(board.hear(Word::Sight(sight.clone())) && !board.hear(Word::Sight(sight)));
        let page = board.page("b");
        let named = |i: usize| page["choices"][i]["san"].clone();
        // Black is not to move: what is no legal move is not offered.
        assert_eq!([named(0), named(1), named(2)], [json!("Nf3"), json!(""), Value::Null]);
        assert_eq!(page["sight"]["change_threshold"], json!(4.0));
        board.hear(Word::Sight(SightWord::default()));
        assert_eq!(board.page("b")["choices"], json!([]));
    }

    #[test]
    fn how_a_board_is_doing_is_news_only_when_it_changes() {
        let mut board = Board::new("one");
        let silent = || Word::Health(Health { silent: "no picture".into(), gone: false });
        assert!(board.hear(silent()) && !board.hear(silent()) && board.hear(Word::Health(Health::default())));
    }

    #[test]
    fn warnings_do_not_grow_without_end() {
        let mut board = Board::new("one");
        for i in 0..3 * WARNINGS {
            board.hear(warning(WarningKind::Touched, &format!("{i}")));
        }
        assert_eq!(board.page("b")["warnings"].as_array().unwrap().len(), WARNINGS);
    }

    #[test]
    fn moves_give_the_game_its_times_and_confidences() {
        let mut board = Board::new("one");
        let a_move =
            |kind, ply, confidence| Word::Move(MoveWord { kind, ply, uci: String::new(), confidence, stamp_s: 7.0 });
        board.hear(a_move(MoveKind::New, 1, Some(0.9)));
        board.hear(Word::Game("1. e4 {[%emt 0:00:04]} e5 {[%emt 0:00:06]} *\n".into()));
        let page = board.page("b");
        assert_eq!((&page["game"]["plies"][0]["confidence"], &page["spent_s"]), (&json!(0.9), &json!([4, 6])));
        assert_eq!(page["game"]["plies"][1]["stamp_s"], Value::Null);
        assert_eq!(page["last"]["san"], json!("e5"));
        board.hear(Word::Game("1. e4 {[%emt 0:00:04]} *\n".into()));
        board.hear(a_move(MoveKind::TakenBack, 1, None));
        board.hear(Word::Game("1. d4 *\n".into()));
        assert_eq!(board.page("b")["game"]["plies"][0]["confidence"], Value::Null);
    }
}
