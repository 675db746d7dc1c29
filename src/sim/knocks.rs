//! Where are camera and table at each moment, while knocks come, go on for a while, and shake the picture?

use super::{
    dice::Dice,
    math,
    scene::{Bump, Standpoint},
};

/// Oscillations in a second of a table, or of a tripod's head, that was knocked.
const SHAKE_HZ: f64 = 7.0;
/// So many times does the shaking fall by a factor of e until it is taken for ended: to a twentieth.
const SHAKE_FALLS: f64 = 3.0;

/// A knock that goes on.
#[derive(Debug)]
struct Active {
    bump: Bump,
    began_s: f64,
    /// Directions and phases of the shaking.
    phases: [f64; 2],
}

impl Active {
    /// How much of it has happened, 0 to 1.
    fn share(&self, time_s: f64) -> f64 {
        if self.bump.slide_s <= 0.0 {
            return 1.0;
        }
        let t = ((time_s - self.began_s) / self.bump.slide_s).clamp(0.0, 1.0);
        // In single precision as everywhere where things move.
        f64::from(math::ease(t as f32))
    }

    fn shake_px(&self, time_s: f64) -> [f64; 2] {
        let passed_s = time_s - self.began_s;
        if self.bump.shake_px <= 0.0 || passed_s >= self.bump.shake_s {
            return [0.0; 2];
        }
        let left = self.bump.shake_px * math::exp(-SHAKE_FALLS * passed_s / self.bump.shake_s);
        let swing = |phase: f64| math::sin_cos(std::f64::consts::TAU * SHAKE_HZ * passed_s + phase).1;
        self.phases.map(|phase| left * swing(phase))
    }

    fn is_over(&self, time_s: f64) -> bool {
        time_s - self.began_s >= self.bump.slide_s.max(if self.bump.shake_px > 0.0 { self.bump.shake_s } else { 0.0 })
    }
}

/// All knocks so far.
#[derive(Debug)]
pub struct Knocks {
    /// After all that is over.
    settled: Standpoint,
    active: Vec<Active>,
    seed: u64,
    count: u64,
}

impl Knocks {
    /// Before the first knock; `seed` decides how the picture shakes.
    #[must_use]
    pub const fn new(standpoint: Standpoint, seed: u64) -> Self {
        Self { settled: standpoint, active: vec![], seed, count: 0 }
    }

    /// A knock begins.
    pub fn begin(&mut self, bump: &Bump, time_s: f64) {
        let mut dice = Dice::new(self.seed ^ super::dice::mix(self.count), 0xb1);
        self.count += 1;
        let phases = [0, 1].map(|_| std::f64::consts::TAU * dice.unit());
        self.active.push(Active { bump: bump.clone(), began_s: time_s, phases });
    }

    /// A knock that is over at once, with everything before it.
    pub fn settle(&mut self, bump: &Bump) {
        self.count += 1;
        for active in self.active.drain(..) {
            self.settled = self.settled.bumped(&active.bump);
        }
        self.settled = self.settled.bumped(bump);
    }

    /// Where camera and table are; moments must be asked for in their order.
    pub fn at(&mut self, time_s: f64) -> Standpoint {
        while self.active.first().is_some_and(|a| a.is_over(time_s)) {
            self.settled = self.settled.bumped(&self.active.remove(0).bump);
        }
        let mut shown = self.settled.clone();
        let mut shake = [0.0; 2];
        for active in &self.active {
            shown = shown.bumped(&active.bump.part(active.share(time_s)));
            let [x, y] = active.shake_px(time_s);
            shake = [shake[0] + x, shake[1] + y];
        }
        if shake == [0.0; 2] { shown } else { shown.shaken(shake) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{Camera, Scene, scene::Knocked};

    fn knocks() -> Knocks {
        Knocks::new(Standpoint::new(Camera::new(&Scene::default()).unwrap()), 5)
    }

    /// Distance of White's left corner from where it was at first, in pixels.
    fn moved(at: &Standpoint) -> f64 {
        let first = knocks().settled.camera.corners().0[0];
        nalgebra::distance(&at.camera.corners().0[0], &first)
    }

    #[test]
    fn a_slide_takes_its_time_and_ends_where_a_knock_ends_at_once() {
        let bump = Bump { what: Knocked::Board, shift_squares: [0.5, 0.0], slide_s: 0.8, ..Bump::default() };
        let (mut slow, mut quick) = (knocks(), knocks());
        slow.begin(&bump, 10.0);
        quick.settle(&bump);
        let way: Vec<f64> = [10.0, 10.2, 10.4, 10.6, 10.8, 11.0].map(|t| moved(&slow.at(t))).to_vec();
        assert!(way[0] < 1e-9 && way.windows(2).take(4).all(|w| w[0] < w[1] - 0.5) && way[4] == way[5], "{way:?}");
        assert_eq!(slow.at(12.0), quick.at(0.0));
    }

    #[test]
    fn shaking_dies_away_and_leaves_nothing() {
        let bump = Bump { shake_px: 4.0, shake_s: 1.0, ..Bump::default() };
        let mut knocks = knocks();
        knocks.begin(&bump, 2.0);
        let far: Vec<f64> = (0..30).map(|i| moved(&knocks.at(2.0 + f64::from(i) * 0.05))).collect();
        let most = |part: &[f64]| part.iter().copied().fold(0.0, f64::max);
        assert!(most(&far[..5]) > 2.0 && most(&far[..5]) < 8.0, "{far:?}");
        assert!(most(&far[15..20]) < 1.0 && most(&far[20..]) < 1e-9, "{far:?}");
    }

    #[test]
    fn knocks_that_overlap_follow_each_other() {
        let turn = Bump { turn_deg: 5.0, slide_s: 1.0, ..Bump::default() };
        let shift = Bump { shift_px: [20.0, 0.0], ..Bump::default() };
        let (mut both, mut one_by_one) = (knocks(), knocks());
        both.begin(&turn, 0.0);
        both.begin(&shift, 0.3);
        let _ = both.at(0.5);
        one_by_one.settle(&turn);
        one_by_one.settle(&shift);
        assert_eq!(both.at(1.5), one_by_one.at(0.0));
    }
}
