//! What went wrong? Each fault is explained from the truth and from what the pictures could show.

use chess_observer::{
    event::{Event, line::Line},
    game::start::Start,
};
use serde::{Deserialize, Serialize};
use shakmaty::{Chess, Color, Move, Position as _, Role, Square, san::SanPlus, uci::UciMove};

use super::{align::align, truth::Truth};

/// What went wrong at a ply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// No clean picture shows the position after this ply, and the ply was misread or not read.
    NoCleanPicture,
    /// The right man, but another goal on the same line from where it stood (Petkov's commonest error).
    GoalOnSameLine,
    /// The right man, but another goal elsewhere.
    OtherGoal,
    /// The right goal, but another man went there.
    OtherOrigin,
    /// The right pawn and goal, but another man came of it.
    OtherPromotion,
    /// Castling was read as a move of the king or the rook alone, or the other way round, or to the other side.
    CastlingHalf,
    /// The right moves in another order.
    Order,
    /// A move that was taken back stands in the record.
    TakeBackNotSeen,
    /// An illegal move was read as a legal one.
    IllegalTakenForLegal,
    /// A legal move was announced as an illegal one.
    LegalTakenForIllegal,
    /// The ply was not read though a clean picture shows it.
    NotRead,
    /// A move was read that nobody played.
    Invented,
    /// Another move altogether.
    OtherMove,
    /// The record had left the game before this ply.
    AfterEarlierFault,
}

impl Cause {
    /// A few words for people.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::NoCleanPicture => "no clean picture of the ply",
            Self::GoalOnSameLine => "other goal on the same line",
            Self::OtherGoal => "other goal",
            Self::OtherOrigin => "other man to the same goal",
            Self::OtherPromotion => "other promotion",
            Self::CastlingHalf => "half of castling",
            Self::Order => "order of plies",
            Self::TakeBackNotSeen => "take-back not seen",
            Self::IllegalTakenForLegal => "illegal taken for legal",
            Self::LegalTakenForIllegal => "legal taken for illegal",
            Self::NotRead => "not read",
            Self::Invented => "invented",
            Self::OtherMove => "another move",
            Self::AfterEarlierFault => "after an earlier fault",
        }
    }
}

/// A fault with its explanation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explained {
    /// Number of the ply, 1 for the first; of the next one where a move was invented.
    pub ply: usize,
    /// The move's number as people write it: `12.` or `12...`.
    pub number: String,
    /// The right move as SAN; `None` where a move was invented.
    pub correct: Option<String>,
    /// What was read, as SAN; `None` where nothing was.
    pub read: Option<String>,
    /// The man that moved, or that was said to.
    pub role: Role,
    /// What went wrong.
    pub cause: Cause,
    /// The picture at which it was read, from 0.
    pub picture: Option<usize>,
}

/// A list of moves with the positions between them.
struct Played {
    /// As UCI.
    words: Vec<String>,
    /// As far as they are legal.
    moves: Vec<Move>,
    sans: Vec<String>,
    /// Before each legal move, and after the last.
    positions: Vec<Chess>,
}

impl Played {
    fn new(start: &Start, words: Vec<String>) -> Self {
        let mut position = start.position().clone();
        let mut played = Self { words, moves: vec![], sans: vec![], positions: vec![position.clone()] };
        for word in &played.words {
            let Some(m) = word.parse::<UciMove>().ok().and_then(|u| u.to_move(&position).ok()) else { break };
            played.sans.push(SanPlus::from_move_and_play_unchecked(&mut position, m).to_string());
            played.moves.push(m);
            played.positions.push(position.clone());
        }
        played
    }

    fn san(&self, index: usize) -> String {
        self.sans.get(index).unwrap_or(&self.words[index]).clone()
    }
}

/// One row of the alignment, by the indices of its moves.
struct Place {
    correct: Option<usize>,
    read: Option<usize>,
    ply: usize,
    right: bool,
    /// Do both boards show the same after it?
    together: bool,
}

/// Explains every fault of a replay: `events` with their pictures' numbers against the truth.
///
/// From the first fault until both boards show the same again is one *episode*. Where it holds the right moves in
/// another order, that is what is wrong; else its first fault has a cause, and the others follow from it.
#[must_use]
pub fn explain(truth: &Truth, events: &[(usize, Event)]) -> Vec<Explained> {
    let start = truth.start_fen.as_deref().and_then(|fen| Start::from_fen(fen).ok()).unwrap_or_default();
    let mut line = Line::default();
    events.iter().for_each(|(frame, event)| line.push(*frame, event));
    let correct = Played::new(&start, truth.plies.clone());
    let read = Played::new(&start, line.plies().iter().map(|p| p.uci.to_string()).collect());
    let (mut explained, mut episode) = (vec![], vec![]);
    let places = places(&correct, &read);
    let last = places.len();
    for (i, place) in places.iter().enumerate() {
        if !place.right {
            episode.push(place);
        }
        if episode.is_empty() || !(place.together || i + 1 == last) {
            continue;
        }
        let order = is_reordered(&episode, &correct, &read);
        for (n, fault) in std::mem::take(&mut episode).into_iter().enumerate() {
            let cause = match (order, n) {
                (true, _) => Cause::Order,
                (false, 0) => primary(fault, &correct, &read, truth, events),
                (false, _) => Cause::AfterEarlierFault,
            };
            let (of, index) = match (fault.correct, fault.read) {
                (Some(index), _) => (&correct, index),
                (None, index) => (&read, index.unwrap_or(0)),
            };
            explained.push(Explained {
                ply: fault.ply,
                number: number(of.positions.get(index)),
                correct: fault.correct.map(|c| correct.san(c)),
                read: fault.read.map(|r| read.san(r)),
                role: of.moves.get(index).map_or(Role::Pawn, |m| m.role()),
                cause,
                picture: fault.read.map(|r| line.plies()[r].since),
            });
        }
    }
    explained
}

fn places(correct: &Played, read: &Played) -> Vec<Place> {
    let words = |p: &Played| p.words.clone();
    let (c, r) = (words(correct), words(read));
    let (c, r): (Vec<&str>, Vec<&str>) =
        (c.iter().map(String::as_str).collect(), r.iter().map(String::as_str).collect());
    let (mut i, mut j) = (0, 0);
    align(&c, &r)
        .iter()
        .map(|row| {
            let place = (row.correct.map(|_| i), row.read.map(|_| j));
            i += usize::from(row.correct.is_some());
            j += usize::from(row.read.is_some());
            let after = |p: &Played, n: usize| p.positions.get(n).map(|q| (q.board().clone(), q.turn()));
            let together = after(correct, i).is_some() && after(correct, i) == after(read, j);
            Place { correct: place.0, read: place.1, ply: row.ply, right: row.is_right(), together }
        })
        .collect()
}

fn is_reordered(episode: &[&Place], correct: &Played, read: &Played) -> bool {
    let mut right: Vec<&str> = episode.iter().filter_map(|p| Some(correct.words[p.correct?].as_str())).collect();
    let mut told: Vec<&str> = episode.iter().filter_map(|p| Some(read.words[p.read?].as_str())).collect();
    right.sort_unstable();
    told.sort_unstable();
    right == told
}

fn number(position: Option<&Chess>) -> String {
    position.map_or_else(String::new, |p| {
        format!("{}{}", p.fullmoves(), if p.turn() == Color::White { "." } else { "..." })
    })
}

/// Why did the record leave the game here?
fn primary(fault: &Place, correct: &Played, read: &Played, truth: &Truth, events: &[(usize, Event)]) -> Cause {
    let told = fault.read.map(|r| read.words[r].as_str());
    // Something that was shown around this ply and does not stand in the game.
    let shown = |test: &dyn Fn(&str) -> bool| {
        told.is_some_and(|uci| {
            truth.rows.iter().any(|row| (row.ply + 1).abs_diff(fault.ply) <= 1 && row.uci == uci && test(&row.event))
        })
    };
    if shown(&|event| event == "illegal" || event.starts_with("illegal:")) {
        return Cause::IllegalTakenForLegal;
    }
    if shown(&|event| event.contains("take_back") || event.contains("takeback")) {
        return Cause::TakeBackNotSeen;
    }
    let Some(right) = fault.correct else { return Cause::Invented };
    let warned = |(frame, event): &(usize, Event)| {
        matches!(event, Event::Illegal { .. })
            && truth.rows.get(*frame).is_some_and(|row| row.ply == fault.ply && !row.event.starts_with("illegal"))
    };
    if events.iter().any(warned) {
        return Cause::LegalTakenForIllegal;
    }
    if !truth.rows.iter().any(|row| row.ply == fault.ply && row.state == "clean") {
        return Cause::NoCleanPicture;
    }
    let Some(index) = fault.read else { return Cause::NotRead };
    match (correct.moves.get(right), read.moves.get(index)) {
        (Some(&right), Some(&told)) => compare(right, told),
        _ => Cause::OtherMove,
    }
}

fn compare(right: Move, told: Move) -> Cause {
    let half = |castle: Move, other: Move| match castle {
        Move::Castle { king, rook } => other.is_castle() || other.from() == Some(king) || other.from() == Some(rook),
        _ => false,
    };
    if half(right, told) || half(told, right) {
        return Cause::CastlingHalf;
    }
    let (from, to) = (right.from(), right.to());
    if told.from() == from {
        if told.to() == to {
            return Cause::OtherPromotion;
        }
        let on_line = from.is_some_and(|from| {
            let step = |s: Square| {
                let (x, y) = (s.file() as i32 - from.file() as i32, s.rank() as i32 - from.rank() as i32);
                (x, y)
            };
            let ((ax, ay), (bx, by)) = (step(to), step(told.to()));
            ax * by == ay * bx && ax * bx + ay * by > 0
        });
        return if on_line { Cause::GoalOnSameLine } else { Cause::OtherGoal };
    }
    if told.to() == to { Cause::OtherOrigin } else { Cause::OtherMove }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{say, truth::Row};

    fn played(ply: usize, uci: &str) -> Event {
        say::played(ply, uci, 1.0)
    }

    /// One clean picture before the first ply and after each, except after `hidden`.
    fn truth(fen: Option<&str>, plies: &str, hidden: &[usize]) -> Truth {
        let plies: Vec<String> = plies.split_whitespace().map(str::to_owned).collect();
        let row = |ply: usize| Row {
            frame: ply.to_string(),
            time_ms: None,
            ply,
            let_go: ply,
            event: "move".into(),
            uci: ply.checked_sub(1).map(|i| plies[i].clone()).unwrap_or_default(),
            state: if hidden.contains(&ply) { "hand" } else { "clean" }.into(),
        };
        let rows = (0..=plies.len()).map(row).collect();
        Truth { start_fen: fen.map(str::to_owned), plies, rows, ..Truth::default() }
    }

    fn told(line: &str) -> Vec<(usize, Event)> {
        line.split_whitespace().enumerate().map(|(i, uci)| (i + 1, played(i + 1, uci))).collect()
    }

    fn words(truth: &Truth, events: &[(usize, Event)]) -> Vec<String> {
        let dash = |san: Option<String>| san.unwrap_or_else(|| "–".into());
        explain(truth, events)
            .into_iter()
            .map(|e| format!("{}{} – {}: {}", e.number, dash(e.correct), dash(e.read), e.cause.words()))
            .collect()
    }

    #[test]
    fn what_went_wrong_is_named() {
        let check = |fen: Option<&str>, right: &str, read: &str, expected: &[&str]| {
            assert_eq!(words(&truth(fen, right, &[]), &told(read)), expected, "{right} / {read}");
        };
        check(None, "e2e4 e7e5", "e2e4 e7e5", &[]);
        check(None, "e2e4 e7e5", "e2e3 e7e5", &["1.e4 – e3: other goal on the same line"]);
        check(None, "g1f3 e7e5", "g1h3 e7e5", &["1.Nf3 – Nh3: other goal"]);
        check(None, "e2e4", "d2d3", &["1.e4 – d3: another move"]);
        check(None, "e2e4 e7e5", "e2e4", &["1...e5 – –: not read"]);
        check(None, "e2e4", "e2e4 e7e5", &["1...– – e5: invented"]);
        let rooks = Some("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1");
        check(rooks, "e1g1", "h1f1", &["1.O-O – Rf1: half of castling"]);
        check(rooks, "e1c1", "e1g1", &["1.O-O-O – O-O: half of castling"]);
        check(rooks, "a1d1", "h1f1", &["1.Rd1 – Rf1: another move"]);
        let knights = Some("4k3/8/8/8/8/8/8/1N2KN2 w - - 0 1");
        check(knights, "b1d2", "f1d2", &["1.Nbd2 – Nfd2: other man to the same goal"]);
        let pawn = Some("8/P6k/8/8/8/8/8/K7 w - - 0 1");
        check(pawn, "a7a8n", "a7a8q", &["1.a8=N – a8=Q: other promotion"]);
    }

    #[test]
    fn plies_in_another_order_are_one_kind_of_fault() {
        let moves = "e2e4 e7e5 g1f3 b8c6";
        let expected = ["1.e4 – Nf3: order of plies", "2.Nf3 – e4: order of plies"];
        assert_eq!(words(&truth(None, moves, &[]), &told("g1f3 e7e5 e2e4 b8c6")), expected);
    }

    #[test]
    fn what_follows_from_a_fault_is_told_apart_from_a_new_one() {
        // The bishop goes too far, and comes back from there; later another fault.
        let right = "e2e4 e7e5 f1c4 g8f6 c4b3 a7a6";
        let expected = ["2.Bc4 – Bb5: other goal on the same line", "3.Bb3 – Ba4: after an earlier fault"];
        let read = told("e2e4 e7e5 f1b5 g8f6 b5a4 a7a6");
        assert_eq!(words(&truth(None, right, &[]), &read), expected);
    }

    #[test]
    fn pictures_that_are_missing_excuse() {
        let words = words(&truth(None, "e2e4 e7e5 g1f3", &[2]), &told("e2e4 e7e6 g1f3"));
        assert_eq!(words, ["1...e5 – e6: no clean picture of the ply"]);
    }

    #[test]
    fn illegal_moves_and_warnings_are_considered() {
        let mut shown = truth(None, "e2e4 e7e5", &[]);
        shown.rows.insert(
            1,
            Row {
                frame: "x".into(),
                time_ms: None,
                ply: 0,
                let_go: 0,
                event: "illegal:wrong_piece_movement".into(),
                uci: "d2d4".into(),
                state: "clean".into(),
            },
        );
        assert_eq!(words(&shown, &told("d2d4 e7e5")), ["1.e4 – d4: illegal taken for legal"]);
        let warning = say::illegal(&[]);
        let events = [(1, played(1, "e2e4")), (2, warning)];
        assert_eq!(words(&truth(None, "e2e4 e7e5", &[]), &events), ["1...e5 – –: legal taken for illegal"]);
    }
}
