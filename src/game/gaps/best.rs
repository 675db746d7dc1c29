//! The most plausible lines, the most plausible first.

use std::{cmp::Ordering, collections::BinaryHeap};

use shakmaty::{Chess, Move, Position as _};

use super::{Sheet, Stuck};
use crate::game::plausible::{log_probabilities, log_probability};

/// Unfinished lines kept at once: more change nothing in the classic games, and cost seconds.
const MOST_KEPT: usize = 100_000;
/// Memory for them, in bytes: a fraction of what the smallest computers with a camera have.
const MEMORY_BYTES: usize = 64 << 20;
/// What a line takes beside its moves, in bytes: the position, its costs, and what the allocator adds.
const LINE_BYTES: usize = 256;
/// Of too many lines this part is kept.
const KEPT_AFTER: f64 = 0.3;
/// Nats that the next gap is expected to cost: only to compare lines of different length when not all can be kept. About
/// what a move that was played costs in the mean over games.
const USUAL_COST: f64 = 2.5;

/// A line that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The plies as SAN.
    pub sans: Vec<String>,
    /// Natural logarithm of its plausibility: the sum over the gaps, and over the move that follows each, of the
    /// logarithms of `plausible`. It only serves to compare lines of one sheet.
    pub log_plausibility: f64,
}

/// What the search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Best {
    /// The lines, the most plausible first.
    pub lines: Vec<Found>,
    /// There are no more than these.
    pub all: bool,
    /// Nothing was passed over: these are the most plausible ones for certain.
    pub exact: bool,
    /// Where nothing fits, when no line goes through.
    pub stuck: Option<Stuck>,
}

/// A line up to a gap or to the end.
struct Partial {
    cost: f64,
    /// Plies played.
    ply: usize,
    gaps: usize,
    position: Chess,
    moves: Vec<Move>,
}

impl Partial {
    fn rank(&self) -> f64 {
        self.cost - USUAL_COST * self.gaps as f64
    }
}

impl PartialEq for Partial {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Partial {}
impl PartialOrd for Partial {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
/// The cheapest is the greatest; of equal ones the longer.
impl Ord for Partial {
    fn cmp(&self, other: &Self) -> Ordering {
        other.cost.total_cmp(&self.cost).then(self.ply.cmp(&other.ply))
    }
}

pub(super) fn search(sheet: &Sheet, wanted: usize, go_on: &mut dyn FnMut() -> bool) -> Option<Best> {
    let mut best = Best { lines: Vec::new(), all: false, exact: true, stuck: None };
    let start = sheet.start.position();
    let mut search = Search { sheet, open: BinaryHeap::new(), furthest: 0, stuck_in: Some(start.clone()) };
    let most = MOST_KEPT.min(MEMORY_BYTES / (LINE_BYTES + size_of::<Move>() * sheet.plies()));
    search.add(Partial { cost: 0.0, ply: 0, gaps: 0, position: start.clone(), moves: Vec::new() });
    while let Some(line) = search.open.pop() {
        if line.ply == sheet.plies() {
            if best.lines.len() == wanted {
                return Some(best);
            }
            let sans = sheet.start.sans(&line.moves).iter().map(ToString::to_string).collect();
            best.lines.push(Found { sans, log_plausibility: -line.cost });
            continue;
        }
        if !search.branch(&line, go_on) {
            return None;
        }
        if search.open.len() > most {
            best.exact = false;
            search.keep((KEPT_AFTER * most as f64) as usize);
        }
    }
    best.all = best.exact;
    best.stuck = best.lines.is_empty().then(|| sheet.stuck(search.furthest, search.stuck_in.as_ref()));
    Some(best)
}

/// A search under way.
struct Search<'a> {
    sheet: &'a Sheet,
    open: BinaryHeap<Partial>,
    /// The ply that no line has passed, and the position before it where there is only one.
    furthest: usize,
    stuck_in: Option<Chess>,
}

impl Search<'_> {
    /// A line, played on to its next gap; kept where it may lead to the end.
    fn add(&mut self, mut line: Partial) {
        let begun = line.ply;
        let moves = &mut line.moves;
        let mut reply = 0.0;
        line.ply = self.sheet.play_on(&mut line.position, begun, |position, mv| {
            // The move that answers a gap tells of it: a man that was taken back had probably taken.
            if begun > 0 && moves.len() == begun {
                reply = -log_probability(position, moves.last().copied(), &[mv]);
            }
            moves.push(mv);
        });
        line.cost += reply;
        if line.ply > self.furthest {
            (self.furthest, self.stuck_in) = (line.ply, Some(line.position.clone()));
        } else if line.ply == self.furthest && self.stuck_in.as_ref() != Some(&line.position) {
            self.stuck_in = None;
        }
        if line.ply == self.sheet.plies() {
            self.open.push(line);
        } else if self.sheet.branches(line.ply) {
            match self.sheet.hopeless(&line.position, line.ply) {
                // No line passes that ply, and it is not known which positions lead there.
                Some(ply) if ply >= self.furthest => (self.furthest, self.stuck_in) = (ply, None),
                Some(_) => {}
                None => self.open.push(line),
            }
        }
    }

    /// Fills the gap before which a line stands with every move that fits; `false` where it is to stop.
    fn branch(&mut self, line: &Partial, go_on: &mut dyn FnMut() -> bool) -> bool {
        let fitting = self.sheet.steps[line.ply].moves(&line.position);
        for (mv, log_probability) in log_probabilities(&line.position, line.moves.last().copied()) {
            if !fitting.contains(&mv) {
                continue;
            }
            if !go_on() {
                return false;
            }
            let mut next = Partial {
                cost: line.cost - log_probability,
                ply: line.ply + 1,
                gaps: line.gaps + 1,
                position: line.position.clone(),
                moves: line.moves.clone(),
            };
            next.position.play_unchecked(mv);
            next.moves.push(mv);
            self.add(next);
        }
        true
    }

    /// Keeps so many of the lines, the most promising.
    fn keep(&mut self, count: usize) {
        let mut kept = std::mem::take(&mut self.open).into_vec();
        kept.select_nth_unstable_by(count, |a, b| a.rank().total_cmp(&b.rank()));
        kept.truncate(count);
        self.open = kept.into();
    }
}
