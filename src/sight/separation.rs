//! How well a picture's colours separate into men and squares under a camera's direction, and the search for the best one.

use shakmaty::Board;

use super::{
    appearance::{CLASSES, class_of_bare},
    colour::{Colour, ColourModels, Gamut, Place},
    coverage::{POINTS, point, square_of},
    layout::Layout,
    occlusion::Occlusion,
    product::ln_of_product,
    rays::Rays,
};

/// Every third point of each row, in turn from row to row: enough to compare camera directions. With every fifth one a
/// recording is lost.
const STRIDE: usize = 3;

/// Less of a point's colour than this teaches nothing of a class.
const LEAST_SHARE: f32 = 0.3;

/// A picture of men on known places, to be asked under many directions.
pub(super) struct Separation {
    rays: Rays,
    points: Vec<Point>,
    /// Which part of each point's ray belongs to which class.
    shares: Vec<[f32; CLASSES]>,
    models: ColourModels<CLASSES>,
}

/// A point that is asked.
struct Point {
    /// Class of its square, seen bare.
    bare: usize,
    colour: Place,
}

impl Separation {
    /// A picture's colours at the sample points, of men who stand so.
    pub fn of(colours: &[Colour], men: &Board) -> Self {
        let gamut = Gamut::of(colours);
        let asked: Vec<usize> =
            (0..POINTS).filter(|i| i % STRIDE == (i / 8) % STRIDE && colours[*i][0].is_finite()).collect();
        let of_point =
            |index: &usize| Point { bare: class_of_bare(square_of(*index)), colour: gamut.place(&colours[*index]) };
        Self {
            rays: Rays::new(asked.iter().map(|index| point(*index)).collect(), Layout::of(men)),
            points: asked.iter().map(of_point).collect(),
            shares: Vec::with_capacity(asked.len()),
            models: ColourModels::new(gamut),
        }
    }

    /// Mean log-likelihood of the points' colours, each class having the colours of the points that show it.
    pub fn under(&mut self, occlusion: &Occlusion) -> f64 {
        self.models.forget(0.0);
        self.shares.clear();
        self.rays.aim(occlusion);
        for (k, point) in self.points.iter().enumerate() {
            let mut shares = [0.0; CLASSES];
            let mut open = 1.0;
            for (square, cover) in self.rays.met(k) {
                shares[self.rays.men().class(square) - 1] += open * cover;
                open *= 1.0 - cover;
            }
            shares[point.bare] += open;
            for (class, share) in shares.into_iter().enumerate().filter(|(_, share)| *share > LEAST_SHARE) {
                self.models.add_at(class, &point.colour, share);
            }
            self.shares.push(shares);
        }
        self.models.settle();
        let likelihood = |(point, shares): (&Point, &[f32; CLASSES])| {
            let density: f32 = self.models.density_at(&point.colour).iter().zip(shares).map(|(d, s)| s * d).sum();
            f64::from(density.max(1e-12))
        };
        ln_of_product(self.points.iter().zip(&self.shares).map(likelihood)) / self.points.len().max(1) as f64
    }
}

/// Pattern search from a place of known score on: along each axis, with steps that are halved so many times. A place
/// without a score is none.
pub(super) fn climb<const N: usize>(
    start: (f64, [f64; N]),
    mut step: [f64; N],
    rounds: usize,
    mut score: impl FnMut(&[f64; N]) -> Option<f64>,
) -> (f64, [f64; N]) {
    let (mut value, mut best) = start;
    for _ in 0..rounds {
        loop {
            let before = value;
            for axis in 0..N {
                for sign in [-1.0, 1.0] {
                    let mut tried = best;
                    tried[axis] += sign * step[axis];
                    if let Some(v) = score(&tried).filter(|v| *v > value) {
                        (value, best) = (v, tried);
                    }
                }
            }
            if value <= before {
                break;
            }
        }
        step = step.map(|s| s * 0.5);
    }
    (value, best)
}
