//! The way of the pictures from the camera to whoever receives them: what is lost, comes twice, freezes, is damaged, and
//! what becomes of the stamps.

use std::collections::VecDeque;

use super::SimFrame;
use crate::{
    frame::Stamp,
    sim::{
        dice::{Dice, mix},
        picture::damage::damage,
        play::script::State,
        scene::{Scene, Stream},
    },
};

/// The way of the pictures.
#[derive(Debug, Default)]
pub(super) struct Transmission {
    /// `None` while nothing goes wrong.
    faults: Option<Faults>,
}

#[derive(Debug)]
struct Faults {
    stream: Stream,
    dice: Dice,
    seed: u64,
    /// From picture to picture, in seconds.
    period_s: f64,
    /// Pictures so far, lost ones included.
    count: u64,
    /// When the last picture without a stamp came: no later one comes before it.
    came: Stamp,
    /// What the stamps' clock is ahead by, in seconds.
    ahead_s: f64,
    /// The picture on which the stream is frozen, and until when.
    frozen: Option<(SimFrame, Stamp)>,
    /// Pictures that come next.
    waiting: VecDeque<SimFrame>,
}

impl Transmission {
    /// The way that a scene's pictures take; `seed` decides what happens to which of them.
    pub(super) fn new(scene: &Scene, seed: u64) -> Self {
        let faults = (scene.stream != Stream::default()).then(|| Faults {
            stream: scene.stream.clone(),
            dice: Dice::new(seed, 0x57),
            seed,
            period_s: 1.0 / scene.camera.frame_rate_hz,
            count: 0,
            came: Stamp::default(),
            ahead_s: 0.0,
            frozen: None,
            waiting: VecDeque::new(),
        });
        Self { faults }
    }

    /// The camera takes a picture every so many seconds.
    pub(super) fn pictures_every(&mut self, period_s: f64) {
        if let Some(faults) = &mut self.faults {
            faults.period_s = period_s;
        }
    }

    /// The next picture that comes; `shot` takes one.
    pub(super) fn next(&mut self, mut shot: impl FnMut() -> Option<SimFrame>) -> Option<SimFrame> {
        let Some(faults) = &mut self.faults else { return shot() };
        loop {
            if let Some(frame) = faults.waiting.pop_front() {
                return Some(frame);
            }
            let frame = shot()?;
            faults.send(frame);
        }
    }
}

impl Faults {
    /// A picture sets out.
    fn send(&mut self, frame: SimFrame) {
        let number = self.count;
        self.count += 1;
        // Every picture throws all dice, so that one fault does not change where the others come.
        let [drop, double, freeze, jump, way, unstamped, late, harm] = std::array::from_fn(|_| self.dice.unit());
        let stream = &self.stream;
        if jump < stream.jump {
            self.ahead_s += if way < 0.5 { stream.jump_s } else { -stream.jump_s };
        }
        let stamped = unstamped >= stream.unstamped;
        let mut frame = match &self.frozen {
            Some((seen, until)) if frame.taken < *until => {
                again(seen, frame.taken, "the stream is frozen on an earlier picture")
            }
            _ => {
                self.frozen = None;
                frame
            }
        };
        if self.frozen.is_none() && (harm < stream.damaged || number < u64::from(stream.damaged_first)) {
            let seed = self.seed ^ mix(number);
            damage(&mut frame.image, stream.damage, stream.damage_height, stream.damage_strength, seed);
            (frame.clean, frame.state, frame.note) = (false, State::Irregular, "damaged in transmission");
        }
        if self.frozen.is_none() && freeze < stream.frozen {
            let until = Stamp::from_s(frame.taken.as_s() + stream.frozen_s);
            self.frozen = Some((frame.clone(), until));
        }
        if drop < stream.dropped {
            return;
        }
        let late_s = late * stream.latency_s;
        let second = (double < stream.duplicated).then(|| {
            let at = Stamp::from_s(frame.taken.as_s() + 0.5 * self.period_s);
            again(&frame, at, "the picture before, once more")
        });
        for frame in std::iter::once(frame).chain(second) {
            let stamp = self.stamp(frame.taken, stamped, late_s);
            self.waiting.push_back(SimFrame { stamp, stamped, ..frame });
        }
    }

    /// What is taken for the time of a picture.
    fn stamp(&mut self, taken: Stamp, stamped: bool, late_s: f64) -> Stamp {
        if stamped {
            // Nothing is added where the clock is right: not a bit of the stamp changes.
            return if self.ahead_s == 0.0 { taken } else { Stamp::from_s(taken.as_s() + self.ahead_s) };
        }
        self.came = self.came.max(Stamp::from_s(taken.as_s() + late_s));
        self.came
    }
}

/// A picture that comes again at a later time; its row tells what it shows.
fn again(frame: &SimFrame, at: Stamp, note: &'static str) -> SimFrame {
    SimFrame { taken: at, note, ..frame.clone() }
}
