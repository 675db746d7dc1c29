//! What was made of one look, for people: the belief before, every story with its prior and what the picture says for it, what
//! each square that matters says by itself, what a decision needed, and the belief after.

use shakmaty::{Board, Chess, Move, Piece, Square, san::SanPlus, uci::UciMove};

pub use super::trust::{Sighting, Weights};
use super::{
    beliefs::Belief, decision::Decision, evidence::Evidence, hypotheses::Story, line::Line, verdicts, weighing::Group,
};

/// Most stories and lines that are named.
const NAMED: usize = 12;
/// Nats by which a square must speak against the likeliest story to be listed though that does not change it.
const SPEAKS_AGAINST: f64 = 3.0;

/// What was made of a look.
#[derive(Debug, Clone, PartialEq)]
pub struct Account {
    /// Lines that earlier looks suggested, against the game's own, in nats; the likeliest first.
    pub before: Vec<Suggested>,
    /// What was weighed, the likeliest first.
    pub stories: Vec<Weight>,
    /// The squares that the two likeliest stories change, that speak against the likeliest, or that show something foreign.
    pub squares: Vec<Said>,
    /// What became of the likeliest story.
    pub verdict: Verdict,
    /// The likeliest story as it may be judged from outside.
    pub seen: Seen,
    /// Lines that are carried over to the next look, as `before`.
    pub after: Vec<Suggested>,
}

/// The likeliest story of a look, and how it was seen.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    /// The game before the look, ply by ply.
    pub game: Vec<UciMove>,
    /// The game if this story is acted on, ply by ply; `None` where it is no line of play.
    pub line: Option<Vec<UciMove>>,
    /// The placement that it leads to.
    pub men: Board,
    /// How it was seen; `None` where it is no line of play.
    pub sighting: Option<Sighting>,
}

/// A line that looks suggest.
#[derive(Debug, Clone, PartialEq)]
pub struct Suggested {
    /// Its plies from where it parts from the game, as SAN.
    pub line: String,
    /// What its prior and the looks say for it against the game's own line, in nats.
    pub log_odds: f64,
}

/// A story on the scales.
#[derive(Debug, Clone, PartialEq)]
pub struct Weight {
    /// What would have happened.
    pub story: String,
    /// ln of its prior against that nothing has changed, with what earlier looks said.
    pub prior: f64,
    /// What the picture says for it against that nothing has changed, in nats.
    pub picture: f64,
    /// Its posterior.
    pub probability: f64,
}

/// What a square says.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    /// Which.
    pub square: Square,
    /// What stood there.
    pub before: Option<Piece>,
    /// What stands there in the likeliest story.
    pub now: Option<Piece>,
    /// How much likelier the picture is if it is empty, holds a white piece, holds a black one, than with what stood there; all
    /// other squares as before. In nats.
    pub nats: [f64; 3],
    /// The picture tells nothing of it.
    pub is_hidden: bool,
    /// It shows something else than the likeliest story.
    pub is_unexplained: bool,
}

/// How sure the likeliest story is, and what was missing.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// Its posterior, with that of the lines that go on from it.
    pub posterior: f64,
    /// The probability that it is right, as it was seen.
    pub confidence: f64,
    /// What it would have needed.
    pub needed: f64,
    /// How much of the picture is foreign to it, in squares.
    pub clutter: f64,
    /// Nothing covers what it changes.
    pub is_uncovered: bool,
    /// No square disagrees clearly.
    pub fits: bool,
    /// It was acted on.
    pub sure: bool,
}

impl Account {
    /// Of a look that was weighed and not yet acted on.
    pub(super) fn of<'a, S: Iterator<Item = &'a Group>>(
        line: &Line,
        standing: &Board,
        beliefs: &[Belief],
        groups: impl Fn() -> S,
        decision: &Decision<'_>,
        evidence: &dyn Evidence,
    ) -> Self {
        let as_before = evidence.log_likelihood(standing);
        let mut members: Vec<_> = groups().flat_map(|group| &group.members).collect();
        members.sort_by(|a, b| b.probability.total_cmp(&a.probability));
        members.truncate(NAMED);
        let weight = |m: &&super::weighing::Weighed| Weight {
            story: words(line, &m.hypothesis.story, &m.hypothesis.men),
            prior: m.hypothesis.prior,
            picture: m.log_likelihood + m.kinds - as_before,
            probability: m.probability,
        };
        let told = &decision.first.hypothesis.men;
        let rival = groups().nth(1).and_then(|group| group.members.first()).map(|m| &m.hypothesis.men);
        Self {
            before: suggested(line, beliefs),
            stories: members.iter().map(weight).collect(),
            squares: Square::ALL
                .into_iter()
                .filter_map(|s| said(s, standing, told, rival, decision, evidence))
                .collect(),
            verdict: Verdict {
                posterior: decision.posterior,
                confidence: decision.confidence,
                needed: decision.needed,
                clutter: decision.clutter,
                is_uncovered: !decision.covered,
                fits: decision.fits,
                sure: decision.sure,
            },
            seen: Seen {
                game: line.plies().iter().map(|ply| ply.uci).collect(),
                line: line_of(line, decision.story()),
                men: told.clone(),
                sighting: decision.sighting,
            },
            after: vec![],
        }
    }

    /// What goes on to the next look.
    pub(super) fn carried_over(&mut self, line: &Line, beliefs: &[Belief]) {
        self.after = suggested(line, beliefs);
    }
}

/// The game if this story is acted on.
fn line_of(line: &Line, story: &Story) -> Option<Vec<UciMove>> {
    let Story::Line { keep, moves, .. } = story else { return None };
    let mode = line.start().castling_mode();
    let kept = line.plies().iter().take(*keep).map(|ply| ply.uci);
    Some(kept.chain(moves.iter().map(|mv| UciMove::from_move(*mv, mode))).collect())
}

/// The likeliest lines that looks suggest.
fn suggested(line: &Line, beliefs: &[Belief]) -> Vec<Suggested> {
    let parts = |belief: &Belief| {
        let shared = line.plies().iter().zip(&belief.moves).take_while(|(ply, mv)| ply.mv == **mv).count();
        played(line, shared, &belief.moves[shared..])
    };
    let told = |belief: &Belief| Suggested { line: parts(belief), log_odds: belief.log_odds() };
    let mut told: Vec<Suggested> = beliefs.iter().map(told).collect();
    told.sort_by(|a, b| b.log_odds.total_cmp(&a.log_odds));
    told.truncate(NAMED);
    told
}

/// What a square says, if that matters.
fn said(
    square: Square,
    standing: &Board,
    told: &Board,
    rival: Option<&Board>,
    decision: &Decision<'_>,
    evidence: &dyn Evidence,
) -> Option<Said> {
    let said = evidence.square(square);
    let class = |men: &Board| men.piece_at(square).map_or(0, |piece| if piece.color.is_white() { 1 } else { 2 });
    let nats = said.map(|v| v - said[class(standing)]);
    let against = nats.iter().fold(f64::MIN, |a, b| a.max(*b)) - nats[class(told)];
    let changes = |men: &Board| men.piece_at(square) != standing.piece_at(square);
    let (is_hidden, is_unexplained) = (decision.hidden.contains(square), decision.unexplained.contains(square));
    let matters =
        changes(told) || rival.is_some_and(changes) || against > SPEAKS_AGAINST || is_hidden || is_unexplained;
    matters.then(|| Said {
        square,
        before: standing.piece_at(square),
        now: told.piece_at(square),
        nats,
        is_hidden,
        is_unexplained,
    })
}

/// A story in words.
fn words(line: &Line, story: &Story, men: &Board) -> String {
    match story {
        Story::Standing => "nothing has changed".into(),
        Story::Line { keep, moves, over } => {
            let end = over.map(|outcome| format!(", then {outcome}")).unwrap_or_default();
            played(line, *keep, moves) + &end
        }
        Story::NewGame { .. } => "a new game has been set up".into(),
        Story::Making { lifted: Some(from) } => format!("the piece of {from} is in the air"),
        Story::Making { lifted: None } => "a move is half made".into(),
        Story::Unpromoted => "a pawn on the last rank is not yet replaced".into(),
        Story::Illegal => format!("against the rules: {}", verdicts::judge(line.position(), men).text),
        Story::Anything => "whatever the squares say one by one".into(),
    }
}

/// Plies that follow the first `keep` of the game, as SAN.
fn played(line: &Line, keep: usize, moves: &[Move]) -> String {
    let mut position: Chess = line.position_after(keep).clone();
    let plies = moves.iter().map(|mv| SanPlus::from_move_and_play_unchecked(&mut position, *mv).to_string());
    let plies = plies.collect::<Vec<_>>().join(" ");
    match (line.len() - keep.min(line.len()), plies.is_empty()) {
        (0, true) => "as the game stands".into(),
        (0, false) => plies,
        (back, true) => format!("{back} plies taken back"),
        (back, false) => format!("{plies} instead of the last {back} plies"),
    }
}
