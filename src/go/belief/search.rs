//! Which lines of plays lead to what the look shows?
//!
//! From every moment that may have been before, plays are added one by one, each on a crossing that shows a stone of its
//! colour, the rules taking off what it takes. Of lines that lead to the same situation in another order the likeliest few
//! are kept; nothing that comes can tell them apart.

use std::{collections::HashMap, sync::Arc};

use super::{
    losses::{Losses, Odd},
    priors::{CORRECTED, FORBIDDEN, FORBIDDEN_KO, PLAY, THROWN_IN, TURN, nearness, pass},
};
use crate::go::{Color, Content, Fault, Moment, Play, Point, Rules};

/// Lines that are gone on from at every step.
const WIDTH: usize = 40;
/// Orders kept of what leads to the same.
const ORDERS: usize = 6;
/// Plays that are tried from one moment: the likeliest by nearness.
const BREADTH: usize = 14;
/// Nats below the best from which a line is left.
const HOPELESS: f64 = 40.0;
/// Steps without a better line after which the search ends: a throw-in and its capture gain nothing until the third.
const PATIENCE: usize = 3;

/// What a line stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The game has come so far.
    Line,
    /// The same, and something is being done that is to be waited for.
    Waiting,
    /// The board was cleared for a new game.
    NewGame,
    /// None of these.
    Anything,
}

/// A line of plays that may have led to what is on the board.
#[derive(Debug, Clone)]
pub struct Line {
    pub end: Arc<Moment>,
    /// What lies otherwise than the rules say.
    pub odd: Odd,
    pub kind: Kind,
    /// ln of how likely it was before this look.
    pub prior: f64,
    /// Nats by which the look speaks against it.
    pub misfit: f64,
    /// The play that was taken back to come here.
    pub(crate) undone: Option<Play>,
    /// Plays that may be added.
    pub left: usize,
}

impl Line {
    pub fn new(end: Arc<Moment>, odd: Odd, prior: f64, losses: &Losses) -> Self {
        let misfit = losses.misfit(&end, &odd);
        Self { end, odd, kind: Kind::Line, prior, misfit, undone: None, left: 0 }
    }

    pub fn score(&self) -> f64 {
        self.prior - self.misfit
    }

    /// The same for lines that nothing that comes can tell apart.
    pub(crate) fn class(&self) -> (u64, Odd, Kind) {
        (self.end.situation(), self.odd.clone(), self.kind)
    }

    /// What lies here.
    pub(crate) fn lies(&self, point: Point) -> Content {
        let odd = self.odd.iter().find(|(p, _)| *p == point).map(|(_, c)| *c);
        odd.unwrap_or_else(|| self.end.board().at(point))
    }
}

/// What the search goes by.
pub(crate) struct Search<'a> {
    pub losses: &'a Losses,
    pub rules: &'a Rules,
    /// Crossings that may hold stones of Black, and of White.
    candidates: [Vec<Point>; 2],
}

impl<'a> Search<'a> {
    pub fn new(losses: &'a Losses, rules: &'a Rules) -> Self {
        let candidates = [Color::Black, Color::White].map(|c| losses.candidates(c));
        Self { losses, rules, candidates }
    }

    /// The lines themselves, and those that go on from them.
    pub(crate) fn grow(&self, bases: Vec<Line>) -> Vec<Line> {
        let mut all = Vec::new();
        let (mut layer, mut first) = (thinned(bases), true);
        let (mut best, mut since) = (f64::NEG_INFINITY, 0);
        loop {
            let top = layer.iter().map(Line::score).fold(f64::NEG_INFINITY, f64::max);
            since = if top > best { 0 } else { since + 1 };
            best = best.max(top);
            layer.retain(|l| l.score() > best - HOPELESS);
            if since >= PATIENCE || layer.is_empty() {
                all.extend(layer.into_iter().filter(|l| first || l.kind != Kind::Waiting));
                break;
            }
            let next = layer.iter().filter(|l| l.left > 0).flat_map(|l| self.after(l)).collect();
            // What still waits after a play was only on the way.
            all.extend(layer.into_iter().filter(|l| first || l.kind != Kind::Waiting));
            (layer, first) = (thinned(next), false);
        }
        all.retain(|l| l.score() > best - HOPELESS);
        all
    }

    /// The line with one play more, in every way that the look speaks for.
    fn after(&self, line: &Line) -> Vec<Line> {
        let own = line.end.to_play();
        let mut next = Vec::new();
        for color in [own, own.other()] {
            let candidates = self.candidates[color as usize].iter();
            let mut free: Vec<_> = candidates
                .filter(|&&p| {
                    line.end.board().at(p) == Content::Empty
                        && (line.lies(p) == color.into()
                            || self.losses.at(p, color.into()) < 6.0 + self.losses.at(p, line.lies(p)))
                })
                .map(|&p| (nearness(&line.end, p) - self.losses.at(p, color.into()), p))
                .collect();
            free.sort_by(|a, b| b.0.total_cmp(&a.0));
            for (_, point) in free.into_iter().take(BREADTH) {
                next.extend(self.with(line, point, color));
                if color != own {
                    next.extend(self.taken_at_once(line, point));
                }
            }
        }
        next
    }

    /// The line with a stone beside this crossing, which the stone here takes at once: nobody has seen it.
    fn taken_at_once(&self, line: &Line, at: Point) -> Vec<Line> {
        let beside = self
            .losses
            .size
            .next_to(at)
            .filter(|&p| line.end.board().at(p) == Content::Empty && self.losses.in_sight(p));
        let both = beside.filter_map(|thrown_in| {
            let end = line.end.play(thrown_in, self.rules).ok()?.play(at, self.rules).ok()?;
            let prior = line.prior + PLAY + nearness(&line.end, at) + THROWN_IN;
            end.captured().contains(&thrown_in).then(|| self.grown(line, end, prior, 2))
        });
        both.flatten().collect()
    }

    /// The line with this stone.
    fn with(&self, line: &Line, at: Point, color: Color) -> Option<Line> {
        // A stone that lay there already, with the play before it unseen, was paid for when it came.
        let known = line.odd.contains(&(at, color.into()));
        let mut prior = line.prior + if known { 0.0 } else { PLAY + nearness(&line.end, at) };
        let end = if color == line.end.to_play() {
            line.end.force(at, color, self.rules)?
        } else {
            let passed = pass(&line.end);
            if passed >= TURN {
                prior += passed;
                line.end.pass().force(at, color, self.rules)?
            } else {
                prior += TURN;
                line.end.force(at, color, self.rules)?
            }
        };
        if color == line.end.to_play() {
            prior += match end.last().and_then(|p| p.fault) {
                None => 0.0,
                Some(Fault::Ko) => FORBIDDEN_KO,
                Some(_) => FORBIDDEN,
            };
        }
        if line.undone.is_some_and(|undone| is_beside(undone, color, at)) {
            prior += CORRECTED;
        }
        self.grown(line, end, prior, 1)
    }

    /// A line that goes on to `end` in so many plays.
    fn grown(&self, line: &Line, end: Arc<Moment>, prior: f64, plays: usize) -> Option<Line> {
        let left = line.left.checked_sub(plays)?;
        let odd: Odd = line.odd.iter().filter(|&&(p, c)| end.board().at(p) != c).copied().collect();
        // A stone that waits for the play before it waits on, until it has its place in the line.
        let waits = line.kind == Kind::Waiting && odd.iter().any(|(_, c)| *c != Content::Empty);
        let kind = if waits { Kind::Waiting } else { Kind::Line };
        Some(Line { left, kind, ..Line::new(end, odd, prior, self.losses) })
    }
}

/// Is this the same stone, a crossing or two away?
fn is_beside(undone: Play, color: Color, at: Point) -> bool {
    let near = |p: Point| p != at && p.x.abs_diff(at.x).max(p.y.abs_diff(at.y)) <= 2;
    undone.color == color && undone.at.is_some_and(near)
}

/// The best lines, with only a few orders of what leads to the same. Equal lines become one.
pub(crate) fn thinned(mut lines: Vec<Line>) -> Vec<Line> {
    lines.sort_by(|a, b| b.score().total_cmp(&a.score()));
    let mut paths: HashMap<(u64, Odd, Kind), usize> = HashMap::new();
    let mut classes: HashMap<(u64, Odd, Kind), usize> = HashMap::new();
    let mut kept: Vec<Line> = Vec::new();
    for line in lines {
        let path = (line.end.path(), line.odd.clone(), line.kind);
        if paths.contains_key(&path) {
            continue;
        }
        let orders = classes.entry(line.class()).or_default();
        if *orders < ORDERS {
            *orders += 1;
            paths.insert(path, kept.len());
            kept.push(line);
        }
        if classes.len() > WIDTH {
            break;
        }
    }
    kept
}
