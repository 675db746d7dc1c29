//! The colours of a look, and how likely each is by what may be there: worked out when it is first asked for. Of a board at rest
//! hardly any is.

use std::cell::OnceCell;

use super::{
    appearance::Appearance, colour::Colour, coverage::POINTS, density::PointDensity, surroundings::Noise, tone::Tones,
};

/// The colours of a picture under the reference's light.
#[derive(Debug, Clone, Copy)]
pub struct SeenColours<'a> {
    /// Of each point.
    pub seen: &'a [Colour],
    /// What it may show as well: brighter than the picture can say, or not in the shadow around it.
    pub otherwise: &'a [Option<Colour>],
    /// How much a point may differ without showing anything else.
    pub noise: Noise,
}

/// The densities of a look's points.
#[derive(Debug, Clone)]
pub(super) struct Densities<'a> {
    look: SeenColours<'a>,
    appearance: &'a Appearance,
    /// How bright each square is.
    tones: [Tones; 64],
    known: Vec<OnceCell<PointDensity>>,
}

impl<'a> Densities<'a> {
    /// Of a look whose squares are in these tones. What an earlier one has left is worked out anew.
    pub fn new(
        look: SeenColours<'a>,
        appearance: &'a Appearance,
        tones: [Tones; 64],
        mut left: Vec<OnceCell<PointDensity>>,
    ) -> Self {
        left.clear();
        left.resize(POINTS, OnceCell::new());
        Self { look, appearance, tones, known: left }
    }

    /// What the next look's can be worked out on.
    pub fn into_left(self) -> Vec<OnceCell<PointDensity>> {
        self.known
    }

    /// Those of one point.
    pub fn at(&self, index: usize) -> &PointDensity {
        self.known[index].get_or_init(|| {
            let density = |c: &Colour| self.appearance.density(index, c, self.look.noise.deviation, &self.tones);
            let seen = density(&self.look.seen[index]);
            self.look.otherwise[index].map_or(seen, |c| seen.or(&density(&c)))
        })
    }

    /// Another light, or a hand, makes these of them.
    pub fn set(&mut self, index: usize, density: PointDensity) {
        self.known[index] = density.into();
    }

    /// How likely the point's colour is at least if it shows what it showed, as long as nobody has asked for more; else 0.
    pub fn at_least_as_before(&self, index: usize) -> f32 {
        match self.known[index].get() {
            Some(_) => 0.0,
            None => self.appearance.at_least_as_before(index, &self.look.seen[index], self.look.noise.deviation),
        }
    }
}
