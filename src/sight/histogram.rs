//! Histograms that are smoothed where they hold anything: the colours of a board and its men fill one bin in forty.

/// Weight of a bin, in points, below which it is forgotten: a millionth of a point is nothing beside what every colour has, and
/// halved on and on it would become a number that processors are slow with.
const FORGOTTEN: f32 = 1e-6;

/// Counts of `N` classes in bins along three axes.
#[derive(Debug, Clone)]
pub(super) struct Histogram<const N: usize> {
    /// How many bins there are along each axis.
    size: [usize; 3],
    bins: Vec<[f32; N]>,
    /// Of each row along the last axis the first bin that may hold anything, and the one after the last.
    rows: Vec<[usize; 2]>,
}

impl<const N: usize> Histogram<N> {
    /// Without anything in it.
    pub(super) fn new(size: [usize; 3]) -> Self {
        let rows = size[0] * size[1];
        Self { size, bins: vec![[0.0; N]; rows * size[2]], rows: vec![Self::EMPTY; rows] }
    }

    /// What a row holds that holds nothing: whatever is joined to it is all that is held.
    const EMPTY: [usize; 2] = [usize::MAX, 0];

    /// Adds to a class, in a bin of a row.
    pub(super) fn add(&mut self, [row, at]: [usize; 2], class: usize, weight: f32) {
        self.bins[row * self.size[2] + at][class] += weight;
        self.rows[row] = joined(self.rows[row], [at, at + 1]);
    }

    /// Keeps this share of everything, and nothing of what is [`FORGOTTEN`].
    pub(super) fn forget(&mut self, keep: f32) {
        for (bins, row) in self.bins.chunks_exact_mut(self.size[2]).zip(&mut self.rows) {
            let [held, end] = std::mem::replace(row, Self::EMPTY);
            for (at, bin) in bins.iter_mut().enumerate().take(end).skip(held) {
                *bin = bin.map(|weight| if weight < FORGOTTEN { 0.0 } else { keep * weight });
                if bin.iter().any(|weight| *weight > 0.0) {
                    *row = joined(*row, [at, at + 1]);
                }
            }
        }
    }

    /// What the classes have in a bin.
    pub(super) fn at(&self, bin: usize) -> &[f32; N] {
        &self.bins[bin]
    }

    /// All bins that may hold anything.
    pub(super) fn held(&self) -> impl Iterator<Item = usize> {
        let third = self.size[2];
        self.rows.iter().enumerate().flat_map(move |(row, [from, to])| (*from..*to).map(move |at| row * third + at))
    }

    /// Becomes another one, smoothed along an axis by [1 2 1] / 4 of what lies so many bins away; what leaves at the border stays
    /// at it.
    pub(super) fn blur_along(&mut self, axis: usize, from: &Self, reach: usize) {
        let [first, second, third] = self.size;
        for (i, j) in (0..first).flat_map(|i| (0..second).map(move |j| (i, j))) {
            let row = i * second + j;
            // Along the last axis the neighbours of a bin are in its own row.
            let [before, after] = match axis {
                0 => beside(i, reach, first).map(|i| i * second + j),
                1 => beside(j, reach, second).map(|j| i * second + j),
                _ => [row; 2],
            };
            let to = &mut self.bins[row * third..][..third];
            let [was, end] = self.rows[row];
            if was < end {
                to[was..end].fill([0.0; N]);
            }
            let [held, end] = joined(joined(from.rows[before], from.rows[row]), from.rows[after]);
            self.rows[row] = [held, end];
            if held >= end {
                continue;
            }
            let bins_of = |row: usize| &from.bins[row * third..][..third];
            let (before, here, after) = (bins_of(before), bins_of(row), bins_of(after));
            let mix = |[before, here, after]: [&[f32; N]; 3]| {
                std::array::from_fn(|n| 0.25 * before[n] + 0.5 * here[n] + 0.25 * after[n])
            };
            if axis == 2 {
                let (held, end) = (held.saturating_sub(reach), (end + reach).min(third));
                self.rows[row] = [held, end];
                for k in held..end {
                    let [before, after] = beside(k, reach, third);
                    to[k] = mix([&here[before], &here[k], &here[after]]);
                }
            } else {
                let sides = before[held..end].iter().zip(&after[held..end]);
                for ((to, here), (before, after)) in to[held..end].iter_mut().zip(&here[held..end]).zip(sides) {
                    *to = mix([before, here, after]);
                }
            }
        }
    }
}

/// The places so many before and after one, of so many along an axis; the place itself where they would lie beyond the border.
fn beside(at: usize, reach: usize, of: usize) -> [usize; 2] {
    [if at < reach { at } else { at - reach }, if at + reach < of { at + reach } else { at }]
}

/// The parts of two rows, with what lies between them.
fn joined(one: [usize; 2], other: [usize; 2]) -> [usize; 2] {
    [one[0].min(other[0]), one[1].max(other[1])]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::dice::Dice;

    const SIZE: [usize; 3] = [7, 5, 6];
    const COUNT: usize = SIZE[0] * SIZE[1] * SIZE[2];

    /// A few bins by chance, some at the borders.
    fn sown(dice: &mut Dice) -> Histogram<2> {
        let mut sown = Histogram::new(SIZE);
        for class in [0, 1, 1, 0, 1] {
            sown.add([dice.index(SIZE[0] * SIZE[1]), dice.index(SIZE[2])], class, dice.between(0.5, 2.0) as f32);
        }
        sown
    }

    /// The same smoothing, of every bin.
    fn blurred(of: &[[f32; 2]], axis: usize, reach: usize) -> Vec<[f32; 2]> {
        let step: usize = SIZE[axis + 1..].iter().product();
        let one = |bin: usize| {
            let at = bin / step % SIZE[axis];
            let before = if at < reach { bin } else { bin - reach * step };
            let after = if at + reach < SIZE[axis] { bin + reach * step } else { bin };
            std::array::from_fn(|n| 0.25 * of[before][n] + 0.5 * of[bin][n] + 0.25 * of[after][n])
        };
        (0..COUNT).map(one).collect()
    }

    #[test]
    fn smoothing_what_is_held_smooths_everything_also_where_something_was_before() {
        let mut dice = Dice::new(1, 0);
        let mut to = sown(&mut dice);
        for turn in 0..200 {
            let from = sown(&mut dice);
            let (axis, reach) = (turn % 3, 1 + turn / 3 % 2);
            to.blur_along(axis, &from, reach);
            assert_eq!(to.bins, blurred(&from.bins, axis, reach), "axis {axis}, reach {reach}");
            let mut again = Histogram::new(SIZE);
            again.blur_along(1, &to, 2);
            assert_eq!(again.bins, blurred(&to.bins, 1, 2), "of what was smoothed along axis {axis}");
        }
    }

    #[test]
    fn all_that_is_not_forgotten_is_held() {
        let mut dice = Dice::new(2, 0);
        let mut histogram = sown(&mut dice);
        let something =
            |h: &Histogram<2>| (0..COUNT).filter(|bin| h.at(*bin).iter().any(|w| *w > 0.0)).collect::<Vec<_>>();
        for _ in 0..5 {
            histogram.forget(0.01);
            let held: Vec<usize> = histogram.held().collect();
            assert!(something(&histogram).iter().all(|bin| held.contains(bin)));
        }
        assert_eq!((something(&histogram).len(), histogram.held().count()), (0, 0));
    }
}
