//! One look, as it is kept.

use serde::{Deserialize, Serialize};

use crate::{
    event::Event,
    frame::Stamp,
    game::Explanation,
    observer::{Manner, Observer, TrackerState},
    sight::squares::Squares,
};

/// Why a picture is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// Something was told.
    Told,
    /// It was in doubt.
    Doubt,
    /// Nothing was new: one of many.
    Quiet,
    /// Nobody looked: a person said something.
    Said,
}

/// What was said of every square: a1, b1, … h1, a2, … h8.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Belief {
    /// Probabilities of empty, white man, black man: 192 numbers.
    pub occupancy: Vec<f32>,
    /// Probability that the square has changed: 64 numbers.
    pub changed: Vec<f32>,
    /// How much the picture can tell of it: 64 numbers.
    pub reliability: Vec<f32>,
    /// Something else than the board and its men is over it: 64 answers.
    pub covered: Vec<bool>,
}

impl Belief {
    /// What a look says.
    #[must_use]
    pub fn of(squares: &Squares) -> Self {
        Self {
            occupancy: squares.probability.as_flattened().to_vec(),
            changed: squares.changed.to_vec(),
            reliability: squares.reliability.to_vec(),
            covered: shakmaty::Square::ALL.iter().map(|&square| squares.covered.contains(square)).collect(),
        }
    }

    /// Are there as many numbers as squares?
    #[must_use]
    pub fn is_whole(&self) -> bool {
        [self.changed.len(), self.reliability.len(), self.covered.len()] == [64; 3] && self.occupancy.len() == 192
    }

    /// The squares of which it is not clear what they hold: the likeliest content is less probable than `least`.
    #[must_use]
    pub fn in_doubt(&self, least: f32) -> Vec<usize> {
        let likeliest = |p: &[f32]| p.iter().copied().fold(0.0, f32::max);
        let squares = self.occupancy.chunks(3).enumerate();
        squares.filter(|(_, p)| likeliest(p) < least).map(|(square, _)| square).collect()
    }

    /// What every square holds most likely: 0 nothing, 1 a white man, 2 a black man.
    #[must_use]
    pub(crate) fn likeliest(&self) -> Vec<usize> {
        let best = |p: &[f32]| (0..p.len()).max_by(|a, b| p[*a].total_cmp(&p[*b])).unwrap_or(0);
        self.occupancy.chunks(3).map(best).collect()
    }
}

/// A picture, and what was made of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Look {
    /// Number in its file, from 1.
    #[serde(default)]
    pub number: u64,
    /// Time of the picture, in nanoseconds.
    pub stamp_ns: i64,
    /// Why it is kept.
    pub why: Why,
    /// Plies played after it.
    pub ply: usize,
    /// The legal position before it.
    pub(super) fen_before: String,
    /// The legal position after it.
    pub fen: String,
    /// What the tracker was doing after it.
    pub state: String,
    /// Outer corners a1, h1, h8, a8, in pixels.
    pub corners: Option<[[f64; 2]; 4]>,
    /// How it was looked at; `None` where the picture was not read.
    pub(crate) manner: Option<Manner>,
    /// What was believed before it.
    pub before: Option<Belief>,
    /// What is believed after it.
    pub after: Option<Belief>,
    /// Standard deviations of the noise from which a point has changed.
    pub change_threshold: Option<f32>,
    /// Noise of the luminance, in grey levels.
    pub noise_levels: Option<f32>,
    /// What was told.
    pub events: Vec<Event>,
    /// The likeliest explanations, where it was not understood.
    #[serde(default)]
    pub explanations: Vec<Explanation>,
}

impl Look {
    /// What `observer` has just made of a picture.
    #[must_use]
    pub fn of(observer: &Observer, stamp: Stamp, why: Why, events: &[Event], before: (String, Option<Belief>)) -> Self {
        let (position, sight) = (observer.position(), observer.sight());
        let state = match observer.tracker() {
            TrackerState::NoBoard => "no_board",
            TrackerState::Following => "following",
            TrackerState::Disturbed => "disturbed",
            TrackerState::Doubt => "doubt",
            TrackerState::Illegal => "illegal",
            TrackerState::Paused => "paused",
            TrackerState::Over => "over",
        };
        Self {
            number: 0,
            stamp_ns: stamp.0,
            why,
            ply: position.ply,
            fen_before: before.0,
            fen: position.fen.to_string(),
            state: state.into(),
            corners: observer.corners().map(|corners| corners.to_array()),
            manner: observer.manner(),
            before: before.1,
            after: observer.squares().map(Belief::of),
            change_threshold: sight.map(|sight| sight.change_threshold),
            noise_levels: sight.map(|sight| sight.noise_levels),
            events: events.to_vec(),
            explanations: observer.explanations().to_vec(),
        }
    }
}
