//! How many lines? What follows from a position behind a gap is counted once, and at the last ply nothing is played.

use std::collections::HashMap;

use shakmaty::{Chess, Position as _};

use super::{Sheet, words::Step};

/// Positions remembered: bounds the memory (about 200 bytes each).
const REMEMBERED: usize = 500_000;

struct Counter<'a> {
    sheet: &'a Sheet,
    known: HashMap<(usize, Chess), u64>,
    go_on: &'a mut dyn FnMut() -> bool,
}

pub(super) fn count(sheet: &Sheet, go_on: &mut dyn FnMut() -> bool) -> Option<u64> {
    let mut counter = Counter { sheet, known: HashMap::new(), go_on };
    counter.from(sheet.start.position().clone(), 0)
}

impl Counter<'_> {
    fn from(&mut self, mut position: Chess, ply: usize) -> Option<u64> {
        let ply = self.sheet.play_on(&mut position, ply, |_, _| ());
        if ply == self.sheet.plies() {
            return Some(1);
        }
        if !self.sheet.branches(ply) {
            return Some(0);
        }
        if !(self.go_on)() {
            return None;
        }
        let step = &self.sheet.steps[ply];
        if ply + 1 == self.sheet.plies() {
            let moves = if *step == Step::Missing { position.legal_moves().len() } else { step.moves(&position).len() };
            return Some(moves as u64);
        }
        if self.sheet.hopeless(&position, ply).is_some() {
            return Some(0);
        }
        let key = (ply, position);
        if let Some(known) = self.known.get(&key) {
            return Some(*known);
        }
        let mut sum = 0_u64;
        for mv in step.moves(&key.1) {
            let mut next = key.1.clone();
            next.play_unchecked(mv);
            sum = sum.checked_add(self.from(next, ply + 1)?)?;
        }
        if self.known.len() < REMEMBERED {
            self.known.insert(key, sum);
        }
        Some(sum)
    }
}
