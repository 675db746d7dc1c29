//! Colours of sample points, and what colours a class of things has.

use super::histogram::Histogram;

/// A colour as luminance, red minus green, and yellow minus blue: 0 to 255 and two signed differences. Linear in the
/// camera's RGB, so that a change of light is a gain, and noise stays where it is.
pub type Colour = [f32; 3];

/// Red, green and blue at every sample point, 0 to 255.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Samples(pub Vec<[f32; 3]>);

impl Samples {
    /// The samples under the light of the reference: each channel divided by its gain.
    #[must_use]
    pub(super) fn in_light(&self, gain: [f32; 3]) -> Vec<Colour> {
        self.0.iter().map(|rgb| colour_from_rgb([rgb[0] / gain[0], rgb[1] / gain[1], rgb[2] / gain[2]])).collect()
    }
}

/// Luminance and two colour differences of an RGB colour.
#[must_use]
pub(super) fn colour_from_rgb([r, g, b]: [f32; 3]) -> Colour {
    [0.3 * r + 0.59 * g + 0.11 * b, r - g, 0.5 * (r + g) - b]
}

/// Red, green and blue of such a colour: [`colour_from_rgb`] solved for them.
#[must_use]
pub(super) fn rgb_from_colour([luminance, reddish, yellowish]: &Colour) -> [f32; 3] {
    let green = luminance - 0.355 * reddish + 0.11 * yellowish;
    [green + reddish, green, green + 0.5 * reddish - yellowish]
}

/// A colour in a light in which red, green and blue are so many times as bright.
#[must_use]
pub(super) fn relit(colour: &Colour, times: [f32; 3]) -> Colour {
    let rgb = rgb_from_colour(colour);
    colour_from_rgb(std::array::from_fn(|k| rgb[k] * times[k]))
}

/// Bins of a coarse histogram along luminance and the two colour differences.
const BINS: [usize; 3] = [24, 10, 10];
/// A fine one has so many times as many along each: in half of the light that a picture needs black men lie ten levels from black
/// squares, one coarse bin.
const FINE: usize = 2;

/// The part of colour space that the board and its men use: where the histograms have their bins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Gamut {
    low: Colour,
    bin: Colour,
    /// Bins in the place of one of [`BINS`], along each axis.
    parts: usize,
}

impl Gamut {
    /// Of these colours, with room around them for other light and other men.
    #[must_use]
    pub fn of(colours: &[Colour]) -> Self {
        let mut low = [0.0; 3];
        let mut bin = [256.0 / BINS[0] as f32, 0.0, 0.0];
        for k in 1..3 {
            let mut values: Vec<f32> = colours.iter().map(|c| c[k]).filter(|v| v.is_finite()).collect();
            values.sort_by(f32::total_cmp);
            let at = |f: f64| values.get((values.len() as f64 * f) as usize).copied().unwrap_or(0.0);
            let (p2, p98) = (at(0.02), at(0.98));
            // Half as much again on each side, and never so narrow that the sensor's noise fills it.
            let half = (0.75 * (p98 - p2)).max(24.0);
            let middle = 0.5 * (p2 + p98);
            low[k] = middle - half;
            bin[k] = 2.0 * half / BINS[k] as f32;
        }
        Self { low, bin, parts: 1 }
    }

    /// The same part of colour space in finer bins.
    #[must_use]
    pub(crate) fn fine(self) -> Self {
        Self { bin: self.bin.map(|width| width / FINE as f32), parts: self.parts * FINE, ..self }
    }

    fn bins(&self) -> [usize; 3] {
        BINS.map(|bins| bins * self.parts)
    }

    fn bin_count(&self) -> usize {
        self.bins().iter().product()
    }

    fn flat(&self, at: [usize; 3]) -> usize {
        let [_, second, third] = self.bins();
        (at[0] * second + at[1]) * third + at[2]
    }

    /// Density of a colour of which nothing is known: one over the gamut's volume.
    #[must_use]
    pub(super) fn uniform(&self) -> f32 {
        1.0 / (0..3).map(|k| self.bin[k] * self.bins()[k] as f32).product::<f32>()
    }

    fn cell(&self, colour: &Colour) -> [f32; 3] {
        let bins = self.bins();
        std::array::from_fn(|k| ((colour[k] - self.low[k]) / self.bin[k] - 0.5).clamp(0.0, (bins[k] - 1) as f32))
    }

    /// Where a colour lies among the bins.
    pub(super) fn place(&self, colour: &Colour) -> Place {
        let (cell, bins) = (self.cell(colour), self.bins());
        let base: [usize; 3] = std::array::from_fn(|k| (cell[k] as usize).min(bins[k] - 2));
        let [first, second, third] = cell.map(|c| (c + 0.5) as usize);
        Place {
            bin: [first * bins[1] + second, third],
            base: self.flat(base),
            part: std::array::from_fn(|k| cell[k] - base[k] as f32),
        }
    }
}

/// Where a colour lies among the bins of a gamut: worked out once for a colour that many models are asked about.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// The row of bins that holds it, and which of its bins.
    bin: [usize; 2],
    /// The lowest of the eight bins whose middles lie around it, and how far it lies from that one to the next along each axis.
    base: usize,
    part: [f32; 3],
}

/// What colours each of `N` classes of things has: smoothed histograms that forget. They lie side by side, since a point is
/// mostly asked of all classes.
#[derive(Debug, Clone)]
pub(super) struct ColourModels<const N: usize> {
    gamut: Gamut,
    weights: Histogram<N>,
    density: Vec<[f32; N]>,
    /// What the densities are made in.
    desk: [Histogram<N>; 3],
    total: [f32; N],
}

/// Share of the uniform density in every model: a colour never seen is improbable, not impossible.
const UNSEEN_SHARE: f32 = 0.05;
/// Share of a fine model that stands for colours close to those seen, the rest for those in the next two bins as well: men in nearly
/// the colour of their squares are told by the former, what the light does to colours is borne by the latter. With half of each
/// neither loses more than ln 2 a point to the other alone.
const CLOSE: f32 = 0.5;

impl<const N: usize> ColourModels<N> {
    /// Classes of which nothing is known yet.
    #[must_use]
    pub fn new(gamut: Gamut) -> Self {
        Self {
            gamut,
            weights: Histogram::new(gamut.bins()),
            density: vec![[gamut.uniform(); N]; gamut.bin_count()],
            desk: std::array::from_fn(|_| Histogram::new(gamut.bins())),
            total: [0.0; N],
        }
    }

    /// Adds one colour to a class with a weight; takes effect at the next [`settle`](Self::settle).
    pub fn add(&mut self, class: usize, colour: &Colour, weight: f32) {
        if weight == 0.0 || !colour[0].is_finite() {
            return;
        }
        self.add_at(class, &self.gamut.place(colour), weight);
    }

    /// The same for a colour whose place is known.
    pub(super) fn add_at(&mut self, class: usize, place: &Place, weight: f32) {
        self.weights.add(place.bin, class, weight);
        self.total[class] += weight;
    }

    /// The weight of what was learnt of each class.
    #[must_use]
    pub(super) const fn total(&self) -> [f32; N] {
        self.total
    }

    /// Keeps this share of what was learnt before.
    pub fn forget(&mut self, keep: f32) {
        self.weights.forget(keep);
        self.total.iter_mut().for_each(|total| *total *= keep);
    }

    /// Makes the densities from the colours added so far.
    pub fn settle(&mut self) {
        let wide = self.gamut.parts > 1;
        let [close, even, odd] = &mut self.desk;
        close.blur_along(0, &self.weights, 1);
        even.blur_along(1, close, 1);
        close.blur_along(2, even, 1);
        if wide {
            even.blur_along(0, close, FINE);
            odd.blur_along(1, even, FINE);
            even.blur_along(2, odd, FINE);
        }
        let volume: f32 = self.gamut.bin.iter().product();
        let uniform = self.gamut.uniform();
        // Of a class that was hardly seen nothing is known.
        let scale: [f32; N] = self.total.map(|t| if t < 1.0 { 0.0 } else { (1.0 - UNSEEN_SHARE) / (t * volume) });
        let floor: [f32; N] = self.total.map(|t| if t < 1.0 { uniform } else { UNSEEN_SHARE * uniform });
        self.density.fill(floor);
        let reached = if wide { &*even } else { &*close };
        for bin in reached.held() {
            self.density[bin] = std::array::from_fn(|class| {
                // Each colour stands for those close by and, less surely, for those around.
                let seen = close.at(bin)[class];
                let seen = if wide { CLOSE * seen + (1.0 - CLOSE) * even.at(bin)[class] } else { seen };
                scale[class] * seen + floor[class]
            });
        }
    }

    /// Probability densities of the classes at a colour, trilinear between bins.
    #[must_use]
    pub(crate) fn density(&self, colour: &Colour) -> [f32; N] {
        self.density_at(&self.gamut.place(colour))
    }

    /// The same at a colour whose place is known.
    #[must_use]
    pub(super) fn density_at(&self, place: &Place) -> [f32; N] {
        let [_, second, third] = self.gamut.bins();
        let mut sums = [0.0; N];
        for corner in 0..8usize {
            let mut weight = 1.0;
            let mut at = place.base;
            for (k, step) in [second * third, third, 1].into_iter().enumerate() {
                if corner >> k & 1 == 1 {
                    at += step;
                    weight *= place.part[k];
                } else {
                    weight *= 1.0 - place.part[k];
                }
            }
            let density = &self.density[at];
            for class in 0..N {
                sums[class] += weight * density[class];
            }
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gamut() -> Gamut {
        Gamut::of(&[[0.0, -30.0, -30.0], [100.0, 0.0, 0.0], [255.0, 30.0, 30.0]])
    }

    #[test]
    fn a_colour_and_its_red_green_and_blue_are_the_same() {
        for rgb in [[0.0, 0.0, 0.0], [255.0, 255.0, 255.0], [214.0, 150.0, 130.0], [10.0, 200.0, 90.0]] {
            let again = rgb_from_colour(&colour_from_rgb(rgb));
            assert!((0..3).all(|k| (again[k] - rgb[k]).abs() < 1e-2), "{rgb:?}: {again:?}");
        }
    }

    #[test]
    fn a_density_integrates_to_one() {
        for gamut in [gamut(), gamut().fine()] {
            let mut model = ColourModels::<1>::new(gamut);
            for k in 0..200u32 {
                // Up to the borders as well, where nothing may be lost.
                let colour = [(k % 9) as f32 * 32.0, (k % 13) as f32 * 10.0 - 60.0, (k % 7) as f32];
                model.add(0, &colour, 1.0 + (k % 3) as f32);
            }
            model.settle();
            let volume: f32 = gamut.bin.iter().product();
            let sum: f32 = model.density.iter().map(|[d]| d * volume).sum();
            assert!((sum - 1.0).abs() < 1e-3, "{sum}");
        }
    }

    #[test]
    fn a_fine_model_tells_neighbours_apart_and_bears_other_light_as_a_coarse_one_does() {
        // Black men of 40 levels on squares of 50, as they are in half of the light.
        let told = |gamut: Gamut| {
            let mut model = ColourModels::<2>::new(gamut);
            for k in 0..400u32 {
                let grain = (k % 5) as f32 - 2.0;
                model.add(0, &[40.0 + grain, 0.0, 10.0], 1.0);
                model.add(1, &[50.0 + grain, 0.0, 10.0], 1.0);
            }
            model.settle();
            let [man, square] = model.density(&[40.0, 0.0, 10.0]);
            let [in_other_light, _] = model.density(&[25.0, 0.0, 10.0]);
            (man / square, in_other_light)
        };
        let ((coarse, coarse_tail), (fine, fine_tail)) = (told(gamut()), told(gamut().fine()));
        assert!(fine > 2.0 * coarse, "{fine} {coarse}");
        assert!(fine_tail > 0.25 * coarse_tail, "{fine_tail} {coarse_tail}");
    }

    #[test]
    fn a_model_prefers_what_it_has_seen() {
        let mut model = ColourModels::<1>::new(gamut());
        for _ in 0..100 {
            model.add(0, &[200.0, 5.0, 10.0], 1.0);
        }
        model.settle();
        let [[seen], [unseen]] = [[198.0, 4.0, 9.0], [60.0, 5.0, 10.0]].map(|colour| model.density(&colour));
        assert!(seen > 50.0 * unseen && unseen > 0.0);
    }

    #[test]
    fn extreme_and_missing_colours_are_harmless() {
        let mut model = ColourModels::<1>::new(gamut());
        model.add(0, &[f32::NAN; 3], 1.0);
        assert_eq!(model.total[0], 0.0);
        model.add(0, &[1e9, -1e9, 1e9], 2.0);
        model.settle();
        assert!(model.density(&[-1e9, 1e9, 0.0])[0].is_finite());
    }
}
