//! What is before the board? The points that a hand, a sleeve or the like covers, and their colours.
//!
//! Where a hand is before all that is seen around a crossing, the crossing itself tells so. From there the hand goes on to
//! all that touches it and does not look as the board did: its edges, and a new stone that it hides in part. Which of them
//! is hand and which is stone their colours tell, against those of the hand around.

use super::{
    colour::{ANYTHING_LN, Expected, Tone},
    place::{AROUND, OUTSIDE, Place, Window},
    shape::{PER_LINE, STRIDE},
};

/// Spread of one colour of a hand or a sleeve, in levels.
pub(super) const HAND_SPREAD: Tone = [14.0, 7.0, 6.0];
/// Fewer points are no hand: two stones.
const LEAST: usize = 60;
/// Colours that are told apart: skin and sleeve, each lit, in shade and at its edges.
const MOST_COLOURS: usize = 12;
/// Two colours are one up to so many spreads.
const ALIKE: f32 = 2.0;
/// So far around a crossing the hand's colours are looked for, in points.
const NEAR: usize = 3 * PER_LINE;
/// Share of a hand's colours around a crossing, and of all its colours; the rest is anything else.
const SHARES: [f32; 2] = [0.8, 0.15];
/// A colour in the shade of the hand itself: how much of its light it has, and share of the points that are so.
const SHADE: (f32, f32) = (0.55, 0.06);
/// How likely a point that touches the hand and does not look as the board did is the hand's, and one that does.
const IS_HAND: [f32; 2] = [0.5, 0.02];

/// What covers the board in a picture.
#[derive(Debug, Clone)]
pub(crate) struct Cover {
    /// For each point of the lattice the number of its colour; none where nothing covers it.
    colour: Vec<Option<u8>>,
    /// Each colour, lit and in the hand's own shade.
    colours: Vec<[Expected; 2]>,
    /// Points of each colour.
    counts: Vec<f32>,
}

/// What covers the points around a crossing: for each the logarithms of how likely nothing does, and of how likely it is
/// that something of its colour does.
#[derive(Debug, Clone, Copy)]
pub struct Veil {
    free: [f32; AROUND],
    held: [f32; AROUND],
}

impl Cover {
    /// `seeds` are the points that are certainly covered, `strange` those that do not look as the board did. None where it
    /// is too little for a hand.
    #[must_use]
    pub(crate) fn grown(seeds: impl IntoIterator<Item = usize>, strange: &[bool], seen: &[Tone]) -> Option<Self> {
        let mut is_cover = vec![false; strange.len()];
        let mut open: Vec<usize> = seeds.into_iter().filter(|i| strange[*i]).collect();
        open.iter().for_each(|i| is_cover[*i] = true);
        while let Some(i) = open.pop() {
            let rows = [i.wrapping_sub(STRIDE), i, i + STRIDE];
            for beside in rows.into_iter().flat_map(|row| [row.wrapping_sub(1), row, row.wrapping_add(1)]) {
                if strange.get(beside).is_some_and(|is| *is) && !is_cover[beside] {
                    is_cover[beside] = true;
                    open.push(beside);
                }
            }
        }
        let points: Vec<usize> = (0..seen.len()).filter(|i| is_cover[*i]).collect();
        (points.len() >= LEAST).then(|| Self::coloured(&points, seen))
    }

    /// Finds the colours of the points.
    fn coloured(points: &[usize], seen: &[Tone]) -> Self {
        let mut means: Vec<(Tone, f32)> = vec![];
        for tone in points.iter().map(|i| seen[*i]) {
            let near = nearest(&means, tone);
            match near {
                Some((k, far)) if far < ALIKE * ALIKE || means.len() == MOST_COLOURS => {
                    let (mean, n) = &mut means[k];
                    *n += 1.0;
                    (0..3).for_each(|c| mean[c] += (tone[c] - mean[c]) / *n);
                }
                _ => means.push((tone, 1.0)),
            }
        }
        let mut cover = Self {
            colour: vec![None; seen.len()],
            colours: means.iter().map(|(mean, _)| lit_and_shaded(*mean)).collect(),
            counts: vec![0.0; means.len()],
        };
        for i in points {
            if let Some((k, _)) = nearest(&means, seen[*i]) {
                cover.colour[*i] = Some(k as u8);
                cover.counts[k] += 1.0;
            }
        }
        cover
    }

    /// Is this point of the lattice covered, or does it touch what covers the board?
    #[must_use]
    pub fn has(&self, index: usize) -> bool {
        self.colour[index].is_some()
    }

    /// What covers the points around a crossing; none where nothing does.
    #[must_use]
    pub(crate) fn veil(&self, place: &Place, window: &Window, seen: &[Tone]) -> Option<Veil> {
        if !(0..AROUND).any(|k| self.has(window.point(k))) {
            return None;
        }
        let shares = self.shares(place, window);
        let mut veil = Veil { free: [0.0; AROUND], held: [0.0; AROUND] };
        for k in 0..AROUND {
            let index = window.point(k);
            let [is, other] = IS_HAND;
            let prior = if self.has(index) { is } else { other };
            veil.free[k] = (1.0 - prior).ln();
            let colours = self.colours.iter().zip(&shares).filter(|(_, share)| **share > 1e-3);
            let of = |[lit, shaded]: &[Expected; 2]| {
                (1.0 - SHADE.1) * lit.ln(seen[index]).exp() + SHADE.1 * shaded.ln(seen[index]).exp()
            };
            let density: f32 = colours.map(|(colour, share)| share * of(colour)).sum();
            veil.held[k] = (prior * (density + (1.0 - SHARES[0] - SHARES[1]) * ANYTHING_LN.exp())).ln();
        }
        Some(veil)
    }

    /// How much of what covers the board around a crossing has each colour. What lies in the place of the crossing's own
    /// stone does not count: it may be the stone.
    fn shares(&self, place: &Place, window: &Window) -> Vec<f32> {
        let mut near = vec![0.0f32; self.colours.len()];
        let rows = place.owner.len() / STRIDE;
        let (column, row) = (window.middle % STRIDE, window.middle / STRIDE);
        for y in row.saturating_sub(NEAR)..(row + NEAR + 1).min(rows) {
            for x in column.saturating_sub(NEAR)..(column + NEAR + 1).min(STRIDE) {
                if let Some(k) = self.colour[y * STRIDE + x] {
                    near[usize::from(k)] += 1.0;
                }
            }
        }
        for k in (0..AROUND).filter(|k| window.within[*k] < OUTSIDE) {
            if let Some(colour) = self.colour[window.point(k)] {
                near[usize::from(colour)] -= 1.0;
            }
        }
        let (near_all, all) = (near.iter().sum::<f32>().max(1.0), self.counts.iter().sum::<f32>().max(1.0));
        near.iter().zip(&self.counts).map(|(n, count)| SHARES[0] * n / near_all + SHARES[1] * count / all).collect()
    }
}

impl Veil {
    /// ln p of what is seen at a point, where it is so likely without what covers it.
    #[must_use]
    pub fn through(&self, k: usize, ln: f32) -> f32 {
        super::colour::either(self.free[k] + ln, self.held[k])
    }

    /// How likely the point is covered, where what is seen there is so likely without.
    #[must_use]
    pub(crate) fn hides(&self, k: usize, ln: f32) -> f32 {
        1.0 / (1.0 + (self.free[k] + ln - self.held[k]).clamp(-60.0, 60.0).exp())
    }
}

/// A colour of a hand.
fn lit_and_shaded(mean: Tone) -> [Expected; 2] {
    [mean, mean.map(|v| SHADE.0 * v)].map(|mean| Expected::new(mean, HAND_SPREAD))
}

/// The nearest of some colours, and how far it is, in spreads, squared.
fn nearest(means: &[(Tone, f32)], tone: Tone) -> Option<(usize, f32)> {
    let far = |mean: &Tone| (0..3).map(|c| ((tone[c] - mean[c]) / HAND_SPREAD[c]).powi(2)).sum::<f32>();
    means.iter().map(|(mean, _)| far(mean)).enumerate().min_by(|a, b| a.1.total_cmp(&b.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        go::{Point, Size},
        sight::stones::place::tests::place,
    };

    const WOOD: Tone = [160.0, 50.0, 5.0];
    const SKIN: Tone = [150.0, 40.0, -8.0];
    const BLACK: Tone = [35.0, 1.0, 0.0];

    /// A board whose left columns a hand covers up to a column of the lattice, with a black stone on E5 beside it.
    fn hand(place: &Place, up_to: usize) -> (Vec<bool>, Vec<Tone>, usize) {
        let stone = Size::new(9).unwrap().index(Point::new(4, 4));
        let mut seen = vec![WOOD; place.owner.len()];
        let window = &place.windows[stone];
        (0..AROUND).filter(|k| window.within[*k] < 1.0).for_each(|k| seen[window.point(k)] = BLACK);
        for (index, tone) in seen.iter_mut().enumerate().filter(|(index, _)| index % STRIDE <= up_to) {
            *tone = if index % 2 == 0 { SKIN } else { SKIN.map(|v| v * 0.9) };
        }
        (seen.iter().map(|tone| *tone != WOOD).collect(), seen, stone)
    }

    #[test]
    fn what_is_too_small_is_no_hand() {
        let place = place();
        let mut strange = vec![false; place.owner.len()];
        (0..LEAST - 1).for_each(|i| strange[i] = true);
        let seen = vec![WOOD; strange.len()];
        assert!(Cover::grown([3], &strange, &seen).is_none());
        strange[LEAST - 1] = true;
        assert!(Cover::grown([3], &strange, &seen).is_some());
        assert!(Cover::grown([], &strange, &seen).is_none());
    }

    #[test]
    fn a_hand_goes_on_to_what_touches_it_and_no_further() {
        let place = place();
        let middle = place.windows[Size::new(9).unwrap().index(Point::new(4, 4))].middle;
        let column = middle % STRIDE;
        for (up_to, touches) in [(column - 6, false), (column - 1, true)] {
            let (strange, seen, _) = hand(&place, up_to);
            let cover = Cover::grown([0], &strange, &seen).unwrap();
            assert_eq!(cover.has(middle), touches);
        }
    }

    #[test]
    fn what_shows_of_a_stone_is_not_taken_for_the_hand_that_touches_it() {
        let place = place();
        let size = Size::new(9).unwrap();
        let column = place.windows[size.index(Point::new(4, 4))].middle % STRIDE;
        let (strange, seen, stone) = hand(&place, column - 1);
        let cover = Cover::grown([0], &strange, &seen).unwrap();
        let window = &place.windows[stone];
        let veil = cover.veil(&place, window, &seen).unwrap();
        let black = Expected::new(BLACK, [8.0, 4.0, 3.0]);
        for k in (0..AROUND).filter(|k| window.within[*k] < 0.8) {
            let hidden = veil.hides(k, black.ln(seen[window.point(k)]));
            let shows = seen[window.point(k)] == BLACK;
            assert!(if shows { hidden < 0.2 } else { hidden > 0.8 }, "{k}: {hidden}");
        }
    }
}
