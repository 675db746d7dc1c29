//! What is known of one board, and what the arbiter has to know of it.

use std::{collections::BTreeMap, sync::Arc, time::Instant};

use serde_json::{Value, json};
use shakmaty::{Square, fen::Fen};

use super::{
    alarms::{AlarmKind, Alarms},
    game::{Game, san_of},
    go::GoGame,
    record::Record,
    words::{BoardWord, Health, MoveKind, MoveWord, Plays, PositionWord, SightWord, Tracker, Word},
};
use crate::game::Explanation;

/// A square is shown as doubtful while its likeliest content is less probable: as `game.min_confidence` has it.
const IN_DOUBT: f32 = 0.95;

/// One board.
#[derive(Debug, Clone, Default)]
pub struct Board {
    /// What people call it.
    pub name: String,
    /// The game's record: PGN or SGF.
    text: String,
    played: Played,
    /// When each ply was understood, and how surely.
    told: BTreeMap<usize, (f64, Option<f64>)>,
    place: BoardWord,
    health: Health,
    alarms: Alarms,
}

/// What is played on it.
#[derive(Debug, Clone)]
enum Played {
    Chess(Box<ChessGame>),
    Go(Box<GoGame>),
}

impl Default for Played {
    fn default() -> Self {
        Self::Chess(Box::default())
    }
}

/// A game of chess on a board.
#[derive(Debug, Clone, Default)]
struct ChessGame {
    position: PositionWord,
    game: Game,
    record: Option<Arc<Record>>,
    sight: SightWord,
}

impl Board {
    /// A board of chess of which nothing is known yet.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// A Go board of which nothing is known yet.
    #[must_use]
    pub fn of_go(name: &str) -> Self {
        Self { name: name.into(), played: Played::Go(Box::default()), ..Self::default() }
    }

    /// What is played on it.
    #[must_use]
    pub const fn plays(&self) -> Plays {
        match self.played {
            Played::Chess(_) => Plays::Chess,
            Played::Go(_) => Plays::Go,
        }
    }

    /// Takes over what the board tells. False where it is nothing new: how a board is doing is told every second.
    pub fn hear(&mut self, word: Word) -> bool {
        match (word, &mut self.played) {
            (Word::Move(word), _) => self.hear_move(&word),
            (Word::Warning(word), played) => {
                let restore = played.restore(&word.squares, &word.fen);
                self.alarms.hear(word, restore);
            }
            (Word::Position(word), Played::Chess(chess)) => {
                self.alarms.illegal(word.illegal);
                chess.position = word;
            }
            (Word::Stones(word), Played::Go(go)) => {
                self.alarms.illegal(word.illegal);
                go.hear(*word);
            }
            (Word::Game(text), _) => self.hear_game(text),
            (Word::Board(word), _) => self.hear_board(*word),
            (Word::Sight(word), Played::Chess(chess)) => {
                let new = word != chess.sight;
                chess.sight = word;
                return new;
            }
            (Word::Health(word), _) => return self.hear_health(word),
            // Words of the other game: its observer was there before.
            (Word::Position(_) | Word::Sight(_), Played::Go(_)) | (Word::Stones(_), Played::Chess(_)) => return false,
        }
        true
    }

    fn hear_health(&mut self, word: Health) -> bool {
        if word == self.health {
            return false;
        }
        if word.gone {
            self.alarms.call(AlarmKind::Silent, "The observer of this board has gone.");
        } else if word.silent.is_empty() {
            self.alarms.settle(AlarmKind::Silent);
        } else {
            self.alarms.call(AlarmKind::Silent, &word.silent);
        }
        self.health = word;
        true
    }

    fn hear_move(&mut self, word: &MoveWord) {
        if word.kind == MoveKind::TakenBack {
            self.told.retain(|ply, _| *ply < word.ply);
        } else {
            self.told.insert(word.ply, (word.stamp_s, word.confidence));
        }
        self.alarms.settle(AlarmKind::Uncertain);
        self.played.time(&self.told);
    }

    fn hear_game(&mut self, text: String) {
        let plies = self.played.read(&text);
        self.told.retain(|ply, _| *ply <= plies);
        self.text = text;
        self.played.time(&self.told);
    }

    fn hear_board(&mut self, word: BoardWord) {
        if !word.lost {
            self.alarms.settle(AlarmKind::BoardLost);
        }
        if matches!(word.tracker, Tracker::Following | Tracker::Over) {
            self.alarms.settle(AlarmKind::Uncertain);
        }
        self.place = word;
    }

    /// Somebody has seen to the alarm `id`. False where there is none.
    pub(super) fn acknowledge(&mut self, id: u64) -> bool {
        self.alarms.acknowledge(id)
    }

    /// The game's record as text: PGN or SGF.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The game as it was heard; `None` before the first that can be read, and where none of chess is played.
    #[must_use]
    pub const fn record(&self) -> Option<&Arc<Record>> {
        match &self.played {
            Played::Chess(chess) => chess.record.as_ref(),
            Played::Go(_) => None,
        }
    }

    /// The legal position and its state under the rules; `None` where no chess is played.
    #[must_use]
    pub const fn position(&self) -> Option<&PositionWord> {
        match &self.played {
            Played::Chess(chess) => Some(&chess.position),
            Played::Go(_) => None,
        }
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

    fn in_doubt(&self) -> Vec<usize> {
        let squares = self.place.squares.as_ref().filter(|squares| squares.is_whole());
        squares.map(|squares| squares.in_doubt(IN_DOUBT)).unwrap_or_default()
    }

    /// What the hall shows of it.
    #[must_use]
    pub(crate) fn tile(&self, id: &str) -> Value {
        let common = json!({
            "id": id,
            "name": self.name,
            "plays": self.plays(),
            "tracker": self.place.tracker,
            "alarm": self.alarms.calling(),
        });
        with(common, self.played.tile())
    }

    /// What its page shows.
    #[must_use]
    pub(crate) fn page(&self, id: &str) -> Value {
        let more = json!({
            "alarms": self.alarms.alarms(),
            "warnings": self.alarms.warnings(),
            "corners": self.place.corners,
            "in_doubt": self.in_doubt(),
            "health": self.health,
        });
        with(with(self.tile(id), more), self.played.page())
    }
}

/// Both of two objects.
fn with(mut object: Value, more: Value) -> Value {
    if let (Value::Object(object), Value::Object(more)) = (&mut object, more) {
        object.extend(more);
    }
    object
}

impl Played {
    /// Reads the record; returns how many plies the game has now.
    fn read(&mut self, text: &str) -> usize {
        match self {
            Self::Chess(chess) => {
                if let Some(record) = Record::read(text, chess.record.as_deref(), Instant::now()) {
                    chess.game = Game::of(&record.game);
                    chess.record = Some(record);
                }
                chess.game.plies.len()
            }
            Self::Go(go) => {
                go.read(text);
                go.plays()
            }
        }
    }

    /// Notes when each ply was understood, and how surely.
    fn time(&mut self, told: &BTreeMap<usize, (f64, Option<f64>)>) {
        match self {
            Self::Chess(chess) => chess.game.time(told),
            Self::Go(go) => go.time(told),
        }
    }

    /// What belongs on these places. Without a position of chess the board's own counts.
    fn restore(&self, places: &[String], fen: &str) -> Vec<(String, String)> {
        match self {
            Self::Chess(_) => restore(places, fen),
            Self::Go(go) => go.restore(places),
        }
    }

    fn tile(&self) -> Value {
        match self {
            Self::Chess(chess) => chess.tile(),
            Self::Go(go) => go.tile(),
        }
    }

    fn page(&self) -> Value {
        match self {
            Self::Chess(chess) => chess.page(),
            Self::Go(go) => go.page(),
        }
    }
}

impl ChessGame {
    fn fen(&self) -> &str {
        let last = self.game.plies.last().map_or(self.game.start.as_str(), |ply| ply.fen.as_str());
        if self.position.fen.is_empty() { last } else { &self.position.fen }
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

    fn tile(&self) -> Value {
        let last = self.game.plies.last();
        json!({
            "white": self.game.white,
            "black": self.game.black,
            "fen": self.fen(),
            "ply": self.position.ply,
            "last": last.map(|p| json!({ "number": p.number, "san": p.san, "uci": p.uci, "stamp_s": p.stamp_s })),
            "spent_s": spent(&self.game),
            "result": self.position.result,
            "result_reason": self.position.result_reason,
        })
    }

    fn page(&self) -> Value {
        json!({
            "game": self.game,
            "position": self.position,
            "sight": self.sight,
            "choices": self.choices(),
        })
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
    use crate::display::{
        alarms::{UNTOLD, WARNINGS},
        words::{StonesWord, WarningKind, WarningWord},
    };

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

    #[test]
    fn a_go_board_calls_as_one_of_chess_does_and_hears_no_chess() {
        let mut board = Board::of_go("one");
        assert!(!board.hear(Word::Position(PositionWord::default())) && !board.hear(Word::Sight(SightWord::default())));
        let stones =
            StonesWord { size: 5, stones: "X....\n".repeat(5), number: 1, illegal: true, ..StonesWord::default() };
        assert!(board.hear(Word::Stones(Box::new(stones.clone()))));
        assert_eq!((&alarm(&board)["text"], &board.tile("b")["plays"]), (&json!(UNTOLD), &json!("go")));
        let squares = vec!["A5".into(), "B5".into()];
        let told =
            WarningWord { kind: WarningKind::Illegal, text: "No.".into(), squares, fen: String::new(), stamp_s: 5.0 };
        board.hear(Word::Warning(told));
        assert_eq!(alarm(&board)["restore"], json!([["A5", "X"], ["B5", ""]]));
        board.hear(Word::Stones(Box::new(StonesWord { illegal: false, ..stones })));
        assert_eq!(alarm(&board)["stands"], json!(false));
        board.hear(Word::Move(MoveWord {
            kind: MoveKind::New,
            ply: 1,
            uci: String::new(),
            confidence: Some(0.8),
            stamp_s: 7.0,
        }));
        board.hear(Word::Game("(;GM[1]SZ[5]PW[Bo];B[aa])".into()));
        let page = board.page("b");
        assert_eq!((&page["game"]["plies"][0]["confidence"], &page["last"]["name"]), (&json!(0.8), &json!("A5")));
        assert_eq!((&page["white"], &page["stones"]["size"]), (&json!("Bo"), &json!(5)));
        assert!(board.record().is_none() && board.position().is_none());
    }
}
