//! Every line, one by one: depth first, with the dead ends remembered.

use std::collections::HashSet;

use shakmaty::{Chess, Move, Position as _, san::SanPlus};

use super::{Sheet, Stuck};

/// Dead ends remembered: bounds the memory (about 200 bytes each).
const DEAD_ENDS: usize = 500_000;

/// A position before a gap, and the moves still to be tried there.
#[derive(Debug, Clone)]
struct Fork {
    ply: usize,
    position: Chess,
    left: Vec<Move>,
    led_on: bool,
}

/// The lines of a [`Sheet`], found while they are asked for; each as SAN from the first ply to the last.
#[derive(Debug, Clone)]
pub struct Lines<'a> {
    sheet: &'a Sheet,
    /// Not begun: what can be read from the start on is still to be played.
    fresh: bool,
    forks: Vec<Fork>,
    path: Vec<Move>,
    /// SAN of the first plies of `path`, and the position after them: only what is given out is written.
    written: Vec<String>,
    dead: HashSet<(usize, Chess)>,
    furthest: usize,
    /// The position after `furthest` plies; `None` when there are several.
    stuck_in: Option<Chess>,
}

impl<'a> Lines<'a> {
    pub(super) fn new(sheet: &'a Sheet) -> Self {
        Self {
            sheet,
            fresh: true,
            forks: Vec::new(),
            path: Vec::new(),
            written: Vec::new(),
            dead: HashSet::new(),
            furthest: 0,
            stuck_in: None,
        }
    }

    /// Where the longest line that was tried comes to its end; `None` when one went through. It says where the whole is
    /// stuck once [`next`](Iterator::next) has returned `None`.
    #[must_use]
    pub fn stuck(&self) -> Option<Stuck> {
        (self.furthest < self.sheet.plies()).then(|| self.sheet.stuck(self.furthest, self.stuck_in.as_ref()))
    }

    /// Goes on from a position after `ply` plies, up to the next gap. True at the end of the sheet.
    fn advance(&mut self, mut position: Chess, ply: usize) -> bool {
        let ply = self.sheet.play_on(&mut position, ply, |_, mv| self.path.push(mv));
        if ply > self.furthest || (ply == 0 && self.stuck_in.is_none()) {
            self.furthest = ply;
            self.stuck_in = Some(position.clone());
        } else if ply == self.furthest && self.stuck_in.as_ref() != Some(&position) {
            self.stuck_in = None;
        }
        if ply == self.sheet.plies() {
            self.forks.iter_mut().for_each(|fork| fork.led_on = true);
            return true;
        }
        if !self.sheet.branches(ply) {
            return false;
        }
        if let Some(stuck) = self.sheet.hopeless(&position, ply) {
            // No line passes that ply, and it is not known which positions lead there.
            (self.furthest, self.stuck_in) =
                (self.furthest.max(stuck), self.stuck_in.take().filter(|_| stuck < self.furthest));
            return false;
        }
        let key = (ply, position);
        if !self.dead.contains(&key) {
            let (_, position) = key;
            let mut left = self.sheet.steps[ply].moves(&position);
            left.reverse();
            self.forks.push(Fork { ply, position, left, led_on: false });
        }
        false
    }

    /// The line on the path as SAN. What it shares with the line before is not written again.
    fn write(&mut self) -> Vec<String> {
        let mut position = self.sheet.start.position().clone();
        let known = self.written.len().min(self.path.len());
        self.path[..known].iter().for_each(|&mv| position.play_unchecked(mv));
        for &mv in &self.path[known..] {
            self.written.push(SanPlus::from_move_and_play_unchecked(&mut position, mv).to_string());
        }
        self.written.clone()
    }
}

impl Lines<'_> {
    /// The next line. `go_on` is asked at every position; when it says no, there is none yet, and the search can be taken up
    /// again.
    pub fn next_while(&mut self, mut go_on: impl FnMut() -> bool) -> Option<Vec<String>> {
        if std::mem::take(&mut self.fresh) && self.advance(self.sheet.start.position().clone(), 0) {
            return Some(self.write());
        }
        while go_on() {
            let fork = self.forks.last_mut()?;
            let (ply, next) = (fork.ply, fork.left.pop());
            self.path.truncate(ply);
            self.written.truncate(ply);
            let Some(mv) = next else {
                if let Some(fork) = self.forks.pop()
                    && !fork.led_on
                    && self.dead.len() < DEAD_ENDS
                {
                    self.dead.insert((ply, fork.position));
                }
                continue;
            };
            let mut position = fork.position.clone();
            position.play_unchecked(mv);
            self.path.push(mv);
            if self.advance(position, ply + 1) {
                return Some(self.write());
            }
        }
        None
    }
}

impl Iterator for Lines<'_> {
    type Item = Vec<String>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_while(|| true)
    }
}
