//! What may lie on the board besides what plays have left there.

use super::{
    losses::{Losses, Odd},
    priors::{
        ANYTHING, ANYTHING_FURTHER, HANDICAP, NEW_GAME, ODD, ODD_FURTHER, PLAY, PUSHED, TAKEN_FIRST, UNSEEN, nearness,
    },
    search::{Kind, Line},
};
use crate::go::{Board, Color, Content, Moment, Point};

/// Lines of which it is asked what lies otherwise.
const ASKED: usize = 12;
/// Most crossings that lie otherwise, each by a chance of its own. Beyond that it is anything.
const MOST_ODD: usize = 4;
/// Nats from which a crossing shows something else.
const SHOWS: f64 = 4.0;
/// Nats below the best from which nobody asks what lies otherwise.
const NOT_ASKED: f64 = 60.0;

/// All of them.
pub fn all(lines: &[Line], told: &Line, losses: &Losses) -> Vec<Line> {
    let mut best: Vec<&Line> = lines.iter().collect();
    best.sort_by(|a, b| b.score().total_cmp(&a.score()));
    let top = best.first().map_or(0.0, |l| l.score());
    best.retain(|l| l.score() > top - NOT_ASKED);
    best.truncate(ASKED);
    let mut all: Vec<Line> = Vec::new();
    for line in best {
        all.extend(lying_otherwise(line, losses));
        all.extend(hidden(line, losses));
    }
    all.extend(cleared(told, losses));
    all.extend(with_handicap(told, losses));
    all.push(anything(lines, told, losses));
    all
}

/// The line, and what lies otherwise than it says.
fn lying_otherwise(line: &Line, losses: &Losses) -> Option<Line> {
    let standing = losses.standing(&line.end, &line.odd);
    let shown = losses.likeliest();
    let other: Vec<Point> =
        losses.size.points().filter(|&p| losses.in_sight(p) && losses.at(p, standing.at(p)) >= SHOWS).collect();
    // Only stones that were there can lie otherwise: one that has come is somebody's play.
    if other.iter().all(|&p| standing.at(p) == Content::Empty) {
        return None;
    }
    // The last stone is taken back or put elsewhere: that is a line.
    if line.end.last().and_then(|p| p.at).is_some_and(|at| other.contains(&at)) {
        return None;
    }
    let (prior, kind) = if is_taken_first(line, &other, &shown) {
        (TAKEN_FIRST, Kind::Waiting)
    } else if other.len() > MOST_ODD {
        return None;
    } else if is_pushed(&other, &standing, &shown) {
        (PUSHED, Kind::Line)
    } else {
        (ODD + ODD_FURTHER * (other.len() - 1) as f64, Kind::Line)
    };
    let mut odd: Odd = line.odd.iter().filter(|(p, _)| !other.contains(p)).copied().collect();
    // What lies as the rules say is not odd.
    odd.extend(other.iter().map(|&p| (p, shown.at(p))).filter(|&(p, c)| line.end.board().at(p) != c));
    odd.sort();
    Some(Line { kind, ..Line::new(line.end.clone(), odd, line.prior + prior, losses) })
}

/// Are these stones that the player to play is about to take, taken off before his own is put down?
fn is_taken_first(line: &Line, gone: &[Point], shown: &Board) -> bool {
    let board = line.end.board();
    let taken = Content::from(line.end.to_play().other());
    let mut liberty = None;
    gone.iter().all(|&p| {
        let Some(group) = board.group(p) else { return false };
        let [only] = group.liberties[..] else { return false };
        board.at(p) == taken && shown.at(p) == Content::Empty && *liberty.get_or_insert(only) == only
    })
}

/// One stone that has gone a crossing or two?
fn is_pushed(other: &[Point], standing: &Board, shown: &Board) -> bool {
    let &[a, b] = other else { return false };
    let moved = |from: Point, to: Point| {
        standing.at(from) != Content::Empty
            && shown.at(from) == Content::Empty
            && standing.at(to) == Content::Empty
            && shown.at(to) == standing.at(from)
    };
    a.x.abs_diff(b.x).max(a.y.abs_diff(b.y)) <= 2 && (moved(a, b) || moved(b, a))
}

/// A play that cannot be seen, under a hand, and one of the other player that can.
fn hidden(line: &Line, losses: &Losses) -> Vec<Line> {
    let board = line.end.board();
    let empty = |p: &Point| board.at(*p) == Content::Empty;
    let all = losses.size.points().filter(empty).count().max(1);
    let unseen = losses.size.points().filter(|p| empty(p) && !losses.in_sight(*p)).count();
    if unseen == 0 {
        return Vec::new();
    }
    let share = (unseen as f64 / all as f64).ln();
    let other = line.end.to_play().other();
    let clear = losses.candidates(other).into_iter().filter(|&p| losses.at(p, other.into()) <= 0.0);
    let clear = clear.filter(|p| line.lies(*p) == Content::Empty && losses.at(*p, Content::Empty) >= SHOWS);
    clear
        .map(|p| {
            let mut odd = line.odd.clone();
            odd.push((p, other.into()));
            odd.sort();
            let prior = line.prior + PLAY + nearness(&line.end, p) + UNSEEN + share;
            Line { kind: Kind::Waiting, ..Line::new(line.end.clone(), odd, prior, losses) }
        })
        .collect()
}

/// The board was cleared.
fn cleared(told: &Line, losses: &Losses) -> Option<Line> {
    let stones = told.end.board().stones().count();
    // A stone or two are taken back, not cleared away.
    (stones > 2).then(|| {
        let start = Moment::start(Board::empty(losses.size), Color::Black);
        Line { kind: Kind::NewGame, ..Line::new(start, Odd::new(), NEW_GAME, losses) }
    })
}

/// The stones of a handicap are put down, one after another.
fn with_handicap(told: &Line, losses: &Losses) -> Option<Line> {
    let before = told.end.board();
    let shown = losses.likeliest();
    let black = shown.count(Color::Black);
    let begins = told.end.number() <= 1 && before.count(Color::White) == 0 && before.count(Color::Black) < black;
    let fits = (2..=9).contains(&black) && shown.count(Color::White) == 0;
    (begins && fits).then(|| Line::new(Moment::start(shown, Color::White), Odd::new(), HANDICAP, losses))
}

/// Whatever nobody thought of.
fn anything(lines: &[Line], told: &Line, losses: &Losses) -> Line {
    let carried = lines.iter().map(|l| l.prior).fold(f64::NEG_INFINITY, f64::max).min(0.0);
    let standing = losses.standing(&told.end, &told.odd);
    let changed = losses.size.points().filter(|&p| losses.at(p, standing.at(p)) >= SHOWS).count();
    let prior = carried + ANYTHING + ANYTHING_FURTHER * changed as f64;
    Line { kind: Kind::Anything, prior, misfit: 0.0, ..told.clone() }
}
