//! A square in figures, as people compare pictures: lightness and hue, how uniform it is, how much it has changed.
//!
//! The features are those of A. Carta and M. Corsolini, "Reconstruction of a Go game through a series of photographs"
//! (PhotoKifu): luminance, colour, hue, and the disuniformity along a turn round the place, here for each part of a man that
//! the camera sees. The game does not decide by them: it asks for likelihoods, point by point ([`evidence`](super::evidence)).
//! They tell people what their camera, light and set of men are good for ([`Contrast`]), and go into tables.

use std::f32::consts::{PI, TAU};

use shakmaty::Square;

use super::{
    appearance::{CLASSES, class_of_bare},
    colour::{Colour, colour_from_rgb},
    coverage::{Coverage, POINTS, POINTS_PER_SIDE, beside_on_square, index_at, square_of},
    layout::Layout,
    levels::median,
};

/// What one point of the picture can show of a square.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The bare board.
    Board,
    /// The lower third of the man who stands on it.
    Foot,
    /// The middle third.
    Trunk,
    /// The upper third.
    Head,
}

impl Part {
    /// From the board upwards.
    pub const ALL: [Self; 4] = [Self::Board, Self::Foot, Self::Trunk, Self::Head];

    /// In tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Board => "board",
            Self::Foot => "foot",
            Self::Trunk => "trunk",
            Self::Head => "head",
        }
    }
}

/// A point shows a man from this chance on, and the board up to one minus it; between them lies his outline, where colours
/// are mixed.
const SURE: f32 = 0.7;
/// Points that a part must show: the middle of fewer is one pixel's affair. A pawn's head seen obliquely has four.
const LEAST_POINTS: usize = 3;
/// Radii, in squares, between which the turn round the middle climbs: inside the foot of the smallest man, and just outside of
/// it. A bare square is uniform there, a man is not.
const TURN: [f32; 2] = [0.15, 0.32];
/// Steps of that turn: about as many as it meets points.
const TURN_STEPS: usize = 16;

/// One part of a square. All values but the edges are medians, so a highlight or a shadow's edge on less than half of it changes
/// little.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Features {
    /// Points that show it.
    pub points: usize,
    /// Luminance, 0 to 255.
    pub luminance: f32,
    /// CIE 1976 L*, a*, b* (D65), the camera's pixels taken for sRGB.
    pub lab: [f32; 3],
    /// Distance of its colours to their middle, as ΔE (CIE 1976).
    pub spread: f32,
    /// Root of the mean squared step of luminance from point to point, in levels: energy of its edges.
    pub edge_levels: f32,
    /// How much each point differs from what it showed in the last picture that was understood, both in that one's light, in
    /// levels; not a number where it was not seen then.
    pub difference_levels: f32,
}

impl Features {
    /// Distance from grey, C*.
    #[must_use]
    pub fn chroma(&self) -> f32 {
        self.lab[1].hypot(self.lab[2])
    }

    /// Hue angle, -π to π; of a grey it means nothing.
    #[must_use]
    pub fn hue_rad(&self) -> f32 {
        self.lab[2].atan2(self.lab[1])
    }
}

/// One square.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SquareFeatures {
    parts: [Option<Features>; 4],
    /// Mean step of colour along a turn round the square's middle, which climbs from the middle outwards: luminance and
    /// colour differences, in levels; not a number where the turn leaves the picture.
    pub disuniformity: f32,
}

impl SquareFeatures {
    /// A part; `None` where the camera sees too little of it.
    #[must_use]
    pub const fn part(&self, part: Part) -> Option<&Features> {
        self.parts[part as usize].as_ref()
    }
}

/// The colours of one picture at every sample point.
#[derive(Debug, Clone)]
pub struct Seen {
    /// As the camera shows them, 0 to 255.
    pub(super) rgb: Vec<[f32; 3]>,
    /// Under the reference's light.
    pub(super) colours: Vec<Colour>,
    /// Those of the last picture that was understood.
    pub(super) reference: Vec<Colour>,
}

/// Every square of a picture in which these men stand, a1, b1, … h8.
#[must_use]
pub(super) fn read(seen: &Seen, coverage: &Coverage, men: &Layout) -> [SquareFeatures; 64] {
    let mut points_of: [[Vec<usize>; 4]; 64] = std::array::from_fn(|_| Default::default());
    for index in (0..POINTS).filter(|index| seen.rgb[*index][0].is_finite()) {
        if let Some((square, part)) = shown(coverage, index, men) {
            points_of[usize::from(square)][part as usize].push(index);
        }
    }
    std::array::from_fn(|square| SquareFeatures {
        parts: points_of[square].each_ref().map(|points| features(seen, points)),
        disuniformity: disuniformity(&seen.colours, Square::new(square as u32)),
    })
}

/// Whose part a point shows, where that is fairly sure.
fn shown(coverage: &Coverage, index: usize, men: &Layout) -> Option<(Square, Part)> {
    let mut open = 1.0;
    for candidate in coverage.candidates(index) {
        let Some((_, role)) = men.at(candidate.square) else { continue };
        let here = open * candidate.cover[role];
        if here > SURE {
            let part = match coverage.met_at(index, candidate.square, role) {
                height if height < 1.0 / 3.0 => Part::Foot,
                height if height < 2.0 / 3.0 => Part::Trunk,
                _ => Part::Head,
            };
            return Some((candidate.square, part));
        }
        open *= 1.0 - candidate.cover[role];
    }
    (open > SURE).then_some((square_of(index), Part::Board))
}

fn features(seen: &Seen, points: &[usize]) -> Option<Features> {
    if points.len() < LEAST_POINTS {
        return None;
    }
    let labs: Vec<[f32; 3]> = points.iter().map(|index| lab_from_rgb(seen.rgb[*index])).collect();
    let lab = middle(&labs);
    let mut luminances: Vec<f32> = points.iter().map(|index| colour_from_rgb(seen.rgb[*index])[0]).collect();
    let mut spreads: Vec<f32> = labs.iter().map(|other| distance(other, &lab)).collect();
    // Each pair of neighbours once.
    let beside = |index: usize| beside_on_square(index).filter(move |other| *other > index && points.contains(other));
    let pairs = points.iter().flat_map(|index| beside(*index).map(|other| (*index, other)));
    let steps: Vec<f32> = pairs.map(|(a, b)| (seen.colours[b][0] - seen.colours[a][0]).powi(2)).collect();
    let known = points.iter().filter(|index| seen.reference[**index][0].is_finite());
    let mut differences: Vec<f32> =
        known.map(|index| distance(&seen.colours[*index], &seen.reference[*index])).collect();
    Some(Features {
        points: points.len(),
        luminance: median(&mut luminances),
        lab,
        spread: median(&mut spreads),
        edge_levels: (steps.iter().sum::<f32>() / steps.len().max(1) as f32).sqrt(),
        difference_levels: if differences.is_empty() { f32::NAN } else { median(&mut differences) },
    })
}

/// The median of each channel.
fn middle(labs: &[[f32; 3]]) -> [f32; 3] {
    std::array::from_fn(|k| median(&mut labs.iter().map(|lab| lab[k]).collect::<Vec<_>>()))
}

fn disuniformity(colours: &[Colour], square: Square) -> f32 {
    let n = POINTS_PER_SIDE;
    let [file, rank] = [usize::from(square.file()), usize::from(square.rank())];
    let point = |step: usize| {
        let share = step as f32 / TURN_STEPS as f32;
        let (sin, cos) = (TAU * share - PI).sin_cos();
        let radius = TURN[0] + (TURN[1] - TURN[0]) * share;
        let at = |first: usize, along: f32| first * n + ((0.5 + radius * along) * n as f32) as usize;
        &colours[index_at(at(file, cos), at(rank, sin))]
    };
    (0..TURN_STEPS).map(|step| distance(point(step), point(step + 1))).sum::<f32>() / TURN_STEPS as f32
}

fn distance(a: &[f32; 3], b: &[f32; 3]) -> f32 {
    (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f32>().sqrt()
}

/// CIE 1976 L*a*b* under D65 of an sRGB colour, 0 to 255 (IEC 61966-2-1, CIE 15).
#[must_use]
fn lab_from_rgb(rgb: [f32; 3]) -> [f32; 3] {
    let [r, g, b] = rgb.map(|v| {
        let v = (v / 255.0).clamp(0.0, 1.0);
        if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
    });
    // Over the white point's X and Z.
    let x = (0.412_456_4 * r + 0.357_576_1 * g + 0.180_437_5 * b) / 0.950_47;
    let y = 0.212_672_9 * r + 0.715_152_2 * g + 0.072_175 * b;
    let z = (0.019_333_9 * r + 0.119_192 * g + 0.950_304_1 * b) / 1.088_83;
    let f = |t: f32| if t > 216.0 / 24389.0 { t.cbrt() } else { (24389.0 / 27.0 * t + 16.0) / 116.0 };
    let [x, y, z] = [x, y, z].map(f);
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

/// What stands out least from what, of the men and the squares they can stand on. A low one is no fault by itself: of the scenes
/// that ship, which are all read, one has 3 (pale men on pale squares, whose edges and shadows tell them).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contrast {
    /// Distance of their colours, ΔE (CIE 1976): 2 is the least that people see, 100 black from white.
    pub delta_e: f32,
    /// What they are.
    pub between: [&'static str; 2],
}

/// What a camera must tell apart, as places in [`NAMES`].
const PAIRS: [[usize; 2]; 5] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3]];
/// Of the classes of colours.
const NAMES: [&str; CLASSES] = ["white men", "black men", "dark squares", "light squares"];

impl Contrast {
    /// Of a picture in which these men stand: the least of what it must tell apart. `None` where one of the kinds is not
    /// in sight.
    #[must_use]
    pub fn of(squares: &[SquareFeatures; 64], men: &Layout) -> Option<Self> {
        let mut seen: [Vec<[f32; 3]>; CLASSES] = Default::default();
        for square in Square::ALL {
            let features = &squares[usize::from(square)];
            let body = [Part::Trunk, Part::Head, Part::Foot].into_iter().find_map(|part| features.part(part));
            if let (Some((colour, _)), Some(body)) = (men.at(square), body) {
                seen[colour].push(body.lab);
            }
            if let Some(board) = features.part(Part::Board) {
                seen[class_of_bare(square)].push(board.lab);
            }
        }
        if seen.iter().any(Vec::is_empty) {
            return None;
        }
        let middles = seen.map(|labs| middle(&labs));
        let pairs = PAIRS.into_iter().map(|pair| (distance(&middles[pair[0]], &middles[pair[1]]), pair));
        let (delta_e, pair) = pairs.min_by(|a, b| a.0.total_cmp(&b.0))?;
        Some(Self { delta_e, between: pair.map(|kind| NAMES[kind]) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        board::map::BoardMap,
        frame::Frame,
        sight::view::{Reading, View},
        sim::{Scene, Simulation},
    };
    use shakmaty::Board;

    /// The start position as a camera at this elevation shows it, in a light of which the reference had `gain` times less.
    fn start(elevation_deg: f64, gain: f32) -> [SquareFeatures; 64] {
        let game = crate::game::pgn_in::read_games("1. e4 *").remove(0).unwrap();
        let still = Simulation::new(&Scene::oblique(elevation_deg), &game, 3).unwrap().stills().next().unwrap();
        let map = BoardMap::from_corners(&still.corners, None).unwrap();
        let view = View::begin(&Frame::from_rgb(&still.image).unwrap(), &map, &Board::default(), None).unwrap();
        let mut lit = still.image;
        lit.iter_mut().for_each(|v| *v = (f32::from(*v) * gain).round() as u8);
        let mut reading = Reading::default();
        view.read(&Frame::from_rgb(&lit).unwrap(), &mut reading);
        view.features(&view.seen(&reading), &Layout::of(&Board::default()))
    }

    #[test]
    fn colours_of_the_standard_have_its_coordinates() {
        let lab = |rgb: [f32; 3]| lab_from_rgb(rgb).map(|v| (v * 10.0).round() / 10.0);
        assert_eq!(lab([255.0; 3]).map(f32::abs), [100.0, 0.0, 0.0]);
        assert_eq!(lab([0.0; 3]), [0.0; 3]);
        assert_eq!(lab([255.0, 0.0, 0.0]), [53.2, 80.1, 67.2]);
        assert_eq!(lab([0.0, 0.0, 255.0]), [32.3, 79.2, -107.9]);
        assert!(lab_from_rgb([-5.0, 300.0, 1e9]).iter().all(|v| v.is_finite()));
    }

    #[test]
    fn men_are_seen_in_parts_and_bare_squares_as_boards() {
        let squares = start(45.0, 1.0);
        let part = |square: Square, part: Part| squares[usize::from(square)].part(part);
        // The white king, before the camera, from foot to head; nobody on e4.
        for of in [Part::Foot, Part::Trunk, Part::Head] {
            assert!(part(Square::E1, of).is_some() && part(Square::E4, of).is_none(), "{of:?}");
        }
        // Nobody stands before these two.
        let [white, black] = [Square::E1, Square::E7].map(|square| part(square, Part::Foot).unwrap().lab[0]);
        assert!(white > black + 15.0, "{white} {black}");
        let bare = part(Square::E4, Part::Board).unwrap();
        assert!(
            bare.points > 40 && bare.chroma() > 5.0 && (0.3..1.8).contains(&bare.hue_rad()),
            "wood is brown: {bare:?}"
        );
        // Wood is uniform, and men are not.
        let turn = |rank: usize| (0..8).map(|file| squares[8 * rank + file].disuniformity).sum::<f32>();
        assert!(turn(0) > 2.0 * turn(3) && turn(7) > 2.0 * turn(4));
    }

    #[test]
    fn another_light_is_no_difference() {
        for square in start(50.0, 0.7) {
            for features in Part::ALL.iter().filter_map(|part| square.part(*part)) {
                assert!(features.difference_levels < 3.0, "{features:?}");
            }
        }
    }

    #[test]
    fn a_highlight_on_a_third_of_a_square_changes_little() {
        let points: Vec<usize> = (0..64).collect();
        let wood: Vec<[f32; 3]> = points.iter().map(|k| [170.0, 120.0 + (k * 7 % 5) as f32, 70.0]).collect();
        let mut lit = wood.clone();
        lit[..21].fill([255.0; 3]);
        let seen = |rgb: &[[f32; 3]]| Seen { rgb: rgb.to_vec(), colours: rgb.to_vec(), reference: wood.clone() };
        let of = |rgb: &[[f32; 3]]| features(&seen(rgb), &points).unwrap();
        let (before, after) = (of(&wood), of(&lit));
        assert!(distance(&before.lab, &after.lab) < 1.5 && after.difference_levels == 0.0);
        assert!((before.luminance - after.luminance).abs() < 2.0 && after.edge_levels > before.edge_levels);
        assert_eq!(features(&seen(&wood), &points[..2]), None);
    }

    #[test]
    fn the_least_contrast_is_named() {
        let men = Layout::of(&Board::default());
        let of = |lab: [f32; 3]| Some(Features { points: 9, lab, ..Features::default() });
        let squares: [SquareFeatures; 64] = std::array::from_fn(|k| {
            let square = Square::new(k as u32);
            let board = of([if square.is_light() { 75.0 } else { 40.0 }, 8.0, 20.0]);
            let man = men.at(square).and_then(|(colour, _)| of([[80.0, 15.0][colour], 8.0, 20.0]));
            SquareFeatures { parts: [board, man, man, man], disuniformity: 0.0 }
        });
        let expected = Contrast { delta_e: 5.0, between: ["white men", "light squares"] };
        assert_eq!(Contrast::of(&squares, &men), Some(expected));
        assert_eq!(Contrast::of(&squares, &Layout::of(&Board::empty())), None);
    }
}
