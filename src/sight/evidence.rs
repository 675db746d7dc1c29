//! One look at the board, as likelihoods of placements.

use std::cell::RefCell;

use shakmaty::{Bitboard, Board, Color, Piece, Role, Square};

use super::{
    appearance::{Appearance, PointDensity},
    colour::{Colour, Samples},
    coverage::{Coverage, POINTS, POINTS_PER_SIDE, points_on, role_index},
    squares::Squares,
};
use crate::game::evidence::Evidence;

/// Neighbouring points tell nearly the same: this much of each one's log-likelihood counts. With 64 points a square,
/// a man is worth about a dozen independent looks.
const INDEPENDENCE: f64 = 0.2;
/// Chance that what stayed looks as in the reference picture: a shadow may have come, or a hand may have been there
/// then.
const AS_BEFORE: f32 = 0.7;
/// A point is unexplained when anything at all is likelier than what should be there.
const UNEXPLAINED_RATIO: f32 = 1.0;
/// A point whose colour is rarer than this many times any colour at all does not belong to what is said to be there.
const STRANGE: f32 = 0.7;
/// Share of a square's points that may differ without meaning anything.
const SPECKS: f64 = 0.15;
/// A square is unexplained when this share of its points is.
const UNEXPLAINED_SHARE: f64 = 0.3;

/// A look: the colours of one picture held against everything learnt.
#[derive(Debug)]
pub struct LookEvidence<'a> {
    coverage: &'a Coverage,
    appearance: &'a Appearance,
    densities: Vec<PointDensity>,
    /// Points that show something else than the reference picture.
    differs: Vec<bool>,
    /// ln of every point's likelihood under the reference placement.
    reference_ln: Vec<f32>,
    reference_sum: f64,
    /// Marks the points that one evaluation has already counted.
    visited: RefCell<(u32, Vec<u32>)>,
}

/// A picture's light against the reference's, and its noise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Light {
    /// What each channel (red, green, blue) of the reference must be multiplied with to look like this picture.
    pub gain: [f32; 3],
    /// Standard deviation of unchanged points, as luminance and colour differences.
    pub noise: Colour,
}

impl Default for Light {
    fn default() -> Self {
        Self { gain: [1.0; 3], noise: [2.0; 3] }
    }
}

impl Light {
    /// Compares a picture with the reference, robustly: most of the board shows what it showed before.
    #[must_use]
    pub fn compare(samples: &Samples, reference_rgb: &[[f32; 3]], reference: &[Colour]) -> Self {
        let mut gain = [1.0; 3];
        for (k, gain) in gain.iter_mut().enumerate() {
            let mut ratios: Vec<f32> = samples
                .0
                .iter()
                .zip(reference_rgb)
                .filter(|(now, then)| then[k] > 12.0 && now[k].is_finite())
                .map(|(now, then)| now[k] / then[k])
                .collect();
            if ratios.len() >= POINTS / 8 {
                *gain = median(&mut ratios).clamp(0.02, 50.0);
            }
        }
        let colours = samples.in_light(gain);
        let noise = std::array::from_fn(|k| {
            let mut steps: Vec<f32> =
                colours.iter().zip(reference).map(|(a, b)| (a[k] - b[k]).abs()).filter(|d| d.is_finite()).collect();
            // From the median absolute deviation; more than 12 levels is change, not noise.
            (1.4826 * median(&mut steps)).clamp(0.0, 12.0)
        });
        Self { gain, noise }
    }
}

fn median(values: &mut [f32]) -> f32 {
    if values.is_empty() {
        return 1.0;
    }
    let middle = values.len() / 2;
    *values.select_nth_unstable_by(middle, f32::total_cmp).1
}

impl<'a> LookEvidence<'a> {
    /// Holds the colours of a picture (under the reference's light) against what was learnt.
    #[must_use]
    pub fn new(colours: &[Colour], noise: Colour, coverage: &'a Coverage, appearance: &'a Appearance) -> Self {
        let densities = appearance.densities(colours, noise);
        let differs = colours.iter().enumerate().map(|(index, c)| appearance.differs(index, c, noise)).collect();
        let mut look = Self {
            differs,
            coverage,
            appearance,
            densities,
            reference_ln: Vec::new(),
            reference_sum: 0.0,
            visited: RefCell::new((0, vec![0; POINTS])),
        };
        let men = appearance.men_standing();
        look.reference_ln = (0..POINTS).map(|index| look.point_ln(index, men)).collect();
        look.reference_sum = look.reference_ln.iter().map(|ln| f64::from(*ln)).sum();
        look
    }

    /// Likelihood of a point's colour if these men stand on the board, without the share of outliers.
    fn explained_density(&self, index: usize, men: &Board) -> f32 {
        let d = &self.densities[index];
        let before = self.appearance.men_standing();
        let first = self.coverage.first_candidate(index);
        let mut open = 1.0;
        let mut sum = 0.0;
        for (k, candidate) in self.coverage.candidates(index).iter().enumerate() {
            let Some(piece) = men.piece_at(candidate.square) else { continue };
            let cover = candidate.cover[role_index(piece.role)];
            if cover == 0.0 {
                continue;
            }
            let class = d.men[usize::from(piece.color == Color::Black)];
            // A man that stayed where it was looks as it looked, as far as it was seen.
            let density = if before.piece_at(candidate.square) == Some(piece) {
                let as_before = AS_BEFORE * self.appearance.shown(first + k);
                as_before * d.reference + (1.0 - as_before) * class
            } else {
                class
            };
            sum += open * cover * density;
            open *= 1.0 - cover;
        }
        let as_before = AS_BEFORE * self.appearance.bare(index);
        sum + open * (as_before * d.reference + (1.0 - as_before) * d.board)
    }

    fn point_ln(&self, index: usize, men: &Board) -> f32 {
        let outlier = self.densities[index].outlier;
        // Outside the picture: nothing is known, nothing is said.
        if outlier == 0.0 { 0.0 } else { (self.explained_density(index, men) + outlier).ln() }
    }

    /// Share of a square's points that these men do not explain.
    #[must_use]
    pub fn unexplained_share(&self, square: Square, men: &Board) -> f64 {
        let mut seen = 0u32;
        let mut unexplained = 0u32;
        for index in points_on(square) {
            let outlier = self.densities[index].outlier;
            if outlier > 0.0 {
                seen += 1;
                unexplained += u32::from(self.explained_density(index, men) < UNEXPLAINED_RATIO * outlier);
            }
        }
        if seen == 0 { 0.0 } else { f64::from(unexplained) / f64::from(seen) }
    }

    /// Share of every square's points that have changed where these men have not, or do not belong to them: a hand,
    /// its shadow, another light.
    fn foreign(&self, men: &Board) -> [f64; 64] {
        let before = self.appearance.men_standing();
        let mut moved = [false; POINTS];
        for square in Square::ALL {
            if men.piece_at(square) != before.piece_at(square) {
                for index in self.coverage.points_of(square) {
                    moved[usize::from(*index)] = true;
                }
            }
        }
        let strange = STRANGE * self.appearance.uniform();
        std::array::from_fn(|square| {
            let foreign = |index: &usize| {
                if moved[*index] { self.explained_density(*index, men) < strange } else { self.differs[*index] }
            };
            let count = points_on(Square::new(square as u32)).filter(foreign).count();
            count as f64 / (POINTS_PER_SIDE * POINTS_PER_SIDE) as f64
        })
    }

    /// Squares that show the board and these men and nothing else: what may be learnt from.
    #[must_use]
    pub fn clear(&self, men: &Board) -> Bitboard {
        let foreign = self.foreign(men);
        let explained = !self.unexplained(men);
        explained.into_iter().filter(|square| foreign[usize::from(*square)] <= UNEXPLAINED_SHARE).collect()
    }

    /// Every square by itself, all others as in the last picture that was understood.
    #[must_use]
    pub fn squares(&self) -> Squares {
        let men = self.reference();
        let probability = std::array::from_fn(|i| {
            let ln = self.square(Square::new(i as u32));
            let most = ln.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let weights = ln.map(|l| (l - most).exp());
            let sum: f64 = weights.iter().sum();
            weights.map(|w| (w / sum) as f32)
        });
        let changed = std::array::from_fn(|i| {
            let holds = men.color_at(Square::new(i as u32)).map_or(0, |c| 1 + usize::from(c == Color::Black));
            1.0 - probability[i][holds]
        });
        Squares { probability, changed, reliability: [1.0; 64], covered: self.unexplained(men) }
    }

    /// The log-likelihood from every point, whatever the reference was.
    #[cfg(test)]
    pub(super) fn in_full(&self, men: &Board) -> f64 {
        INDEPENDENCE * (0..POINTS).map(|index| f64::from(self.point_ln(index, men))).sum::<f64>()
    }
}

impl Evidence for LookEvidence<'_> {
    fn log_likelihood(&self, men: &Board) -> f64 {
        let before = self.appearance.men_standing();
        let mut visited = self.visited.borrow_mut();
        visited.0 = visited.0.wrapping_add(1);
        let epoch = visited.0;
        let mut sum = self.reference_sum;
        for square in Square::ALL {
            if men.piece_at(square) == before.piece_at(square) {
                continue;
            }
            for index in self.coverage.points_of(square) {
                let index = usize::from(*index);
                if visited.1[index] != epoch {
                    visited.1[index] = epoch;
                    sum += f64::from(self.point_ln(index, men)) - f64::from(self.reference_ln[index]);
                }
            }
        }
        INDEPENDENCE * sum
    }

    fn reference(&self) -> &Board {
        self.appearance.men_standing()
    }

    fn square(&self, square: Square) -> [f64; 3] {
        let mut men = self.reference().clone();
        let here = men.piece_at(square);
        men.discard_piece_at(square);
        let empty = self.log_likelihood(&men);
        let of = |color: Color| {
            let mut men = men.clone();
            // A man of the other colour, or where none was, is most often a pawn-sized one.
            let piece = here.filter(|p| p.color == color).unwrap_or(Piece { color, role: Role::Pawn });
            men.set_piece_at(square, piece);
            self.log_likelihood(&men)
        };
        [empty, of(Color::White), of(Color::Black)]
    }

    fn clutter(&self, men: &Board) -> f64 {
        // Specks along the edges of men and squares are the camera's; a hand fills squares.
        let solid = |share: f64| (share - SPECKS).max(0.0) / (1.0 - SPECKS);
        let unexplained: f64 = Square::ALL.into_iter().map(|square| self.unexplained_share(square, men)).sum();
        unexplained + self.foreign(men).into_iter().map(solid).sum::<f64>()
    }

    fn unexplained(&self, men: &Board) -> Bitboard {
        Square::ALL.into_iter().filter(|square| self.unexplained_share(*square, men) > UNEXPLAINED_SHARE).collect()
    }
}
