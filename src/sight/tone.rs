//! How bright is a square whose board was never seen?
//!
//! Squares of one colour differ, and the light differs from square to square. A square is bright or dark as a whole: all its points
//! that were never seen bare tell its tone together, else each of them could pass for whatever suits it.

use super::{
    colour::{Colour, colour_from_rgb, rgb_from_colour},
    light,
};

/// A square may be so many times as bright as the others of its colour.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tone(f32);

/// Tones that are looked at, and how likely each is: squares of one colour differ by 4 % of their luminance (standard deviation,
/// light squares, the median of nine recordings that are fitted on) and more where they are dark, and the light differs from square
/// to square. Three points stand for a normal distribution of 5 % (Gauss and Hermite). The first is that of the other squares.
const TONES: [(Tone, f32); 3] = [(Tone(1.0), 2.0 / 3.0), (Tone(1.087), 1.0 / 6.0), (Tone(0.913), 1.0 / 6.0)];
/// Chance from which on a tone is looked at: one less likely adds nothing to a density.
const LEAST_CHANCE: f32 = 1e-3;

impl Tone {
    /// What a colour of a square in this tone would be on the others of its class.
    pub(super) fn left_out(self, colour: &Colour) -> Colour {
        let Self(times) = self;
        // What is as bright as can be shown may be so in a darker tone as well.
        let level = |v: f32| if times > 1.0 && v >= light::CLIPPED { v } else { v / times };
        colour_from_rgb(rgb_from_colour(colour).map(level))
    }

    /// How much a tone stretches the space of colours: by so much its densities are thinner.
    pub(super) fn stretch(self) -> f32 {
        self.0.powi(3)
    }
}

/// The chances of one square's tones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Tones([f32; TONES.len()]);

impl Tones {
    /// The square is as bright as the others of its colour: what is said where none of its hidden points shows anything new.
    pub(super) const AS_THE_OTHERS: Self = Self([1.0, 0.0, 0.0]);

    /// By what is seen of the square, of which a tone gives the log-likelihood.
    pub(super) fn told(log_likelihood: impl Fn(Tone) -> f32) -> Self {
        let logs = TONES.map(|(tone, chance)| chance.ln() + log_likelihood(tone));
        let most = logs.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let weights = logs.map(|log| (log - most).exp());
        let sum: f32 = weights.iter().sum();
        Self(weights.map(|weight| weight / sum))
    }

    /// Chance that it is as bright as the others.
    pub(super) const fn same(&self) -> f32 {
        self.0[0]
    }

    /// The other tones that it may well have, with their chances.
    pub(super) fn others(&self) -> impl Iterator<Item = (Tone, f32)> + '_ {
        let all = TONES.iter().zip(&self.0).map(|((tone, _), chance)| (*tone, *chance));
        all.skip(1).filter(|(_, chance)| *chance > LEAST_CHANCE)
    }
}
