//! How likely the colour of one point is, by what may be there.

/// Share of points that show something else than the model knows.
pub(super) const OUTLIER_SHARE: f32 = 0.02;
/// Chance that what stayed looks as in the reference picture: a shadow may have come, or a hand may have been there
/// then.
pub(super) const AS_BEFORE: f32 = 0.8;
/// A colour that is rarer, where it is, than this many times any colour at all does not belong to what is said to be there.
pub(super) const STRANGE: f32 = 0.7;
/// A colour that is rarer than this many times that of a hand, where it is, looks like a hand: it is likelier there by as much.
const RATHER_A_HAND: f32 = 0.5;

/// Densities at one point of a look.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PointDensity {
    /// Of a man: white, black.
    pub men: [f32; 2],
    /// Of the bare board.
    pub board: f32,
    /// Of what was seen there before.
    pub reference: f32,
    /// Of a hand, where hands were seen and the point has changed; else 0.
    pub(super) hand: f32,
    /// Of anything at all, a hand among it, times [`OUTLIER_SHARE`]; 0 where the point lies outside the picture.
    pub(super) outlier: f32,
}

impl PointDensity {
    /// Of what stayed, where this part of it was seen before, and otherwise it has this density.
    pub(super) fn stayed(&self, seen: f32, anew: f32) -> f32 {
        let as_before = AS_BEFORE * seen;
        as_before * self.reference + (1.0 - as_before) * anew
    }

    /// How much likelier the point is where what is seen there has the first density than where it has the second one, in nats.
    pub(super) fn gained(&self, [now, before]: [f32; 2]) -> f32 {
        ((now + self.outlier) / (before + self.outlier)).ln()
    }

    /// Of a point that may as well have another colour: each takes what suits it better.
    pub fn or(self, other: &Self) -> Self {
        Self {
            men: std::array::from_fn(|k| self.men[k].max(other.men[k])),
            board: self.board.max(other.board),
            reference: self.reference.max(other.reference),
            ..self
        }
    }

    /// The same of a point that may show a hand.
    pub fn or_a_hand(self, density: f32) -> Self {
        Self { hand: density, outlier: self.outlier.max(OUTLIER_SHARE * density), ..self }
    }

    /// Does the point look like a hand rather than like what has this density there?
    pub fn is_rather_a_hand(&self, explained: f32) -> bool {
        explained < RATHER_A_HAND * self.hand
    }

    /// Density from which on something does not belong to what is said to be there: it looks like nothing known, or like a hand.
    /// `uniform` is that of any colour at all.
    pub fn strange(&self, uniform: f32) -> f32 {
        (STRANGE * uniform).max(RATHER_A_HAND * self.hand)
    }
}
