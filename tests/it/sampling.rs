//! Sampling the board: the fast way reads what the plain way reads.

use chess_observer::{
    board::{
        corners::Corners,
        geometry::{BoardPoint, ImagePoint},
        lens::Lens,
        map::BoardMap,
    },
    frame::{Frame, PixelFormat},
    sight::{
        colour::Samples,
        coverage::{POINTS, POINTS_PER_SIDE, point},
        sampler::Sampler,
    },
};
use proptest::prelude::*;

use crate::support::noise;

/// A tap may be taken for this far from its place, in pixels: on the near side of a board seen steeply through a strong
/// lens, a point's cell is bent by a tenth.
const OFF_PX: f64 = 0.15;

/// Least and greatest mean over the nine taps of a point's cell that are in the picture: where one lies near a border of
/// pixels, it may be taken for either; `None` where that may be one of the picture's own borders.
fn plainly(frame: &Frame<'_>, map: &BoardMap, index: usize) -> Option<[[f32; 3]; 2]> {
    let middle = point(index);
    let size = [frame.width(), frame.height()].map(f64::from);
    let (mut low, mut high, mut seen) = ([0.0; 3], [0.0; 3], 0.0);
    for (dx, dy) in (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dx, dy))) {
        let step = 1.0 / (3 * POINTS_PER_SIDE) as f64;
        let at = map.to_image(BoardPoint::new(middle.x + f64::from(dx) * step, middle.y + f64::from(dy) * step));
        if (0..2).any(|i| (at[i] + 0.5).abs() < OFF_PX || (at[i] + 0.5 - size[i]).abs() < OFF_PX) {
            return None;
        }
        if (0..2).all(|i| at[i] > -0.5 && at[i] < size[i] - 0.5) {
            let near = [-OFF_PX, OFF_PX];
            let colours = near.map(|v| near.map(|u| frame.rgb((at.x + u).round() as u32, (at.y + v).round() as u32)));
            for k in 0..3 {
                let values = || colours.iter().flatten().map(|rgb| f32::from(rgb[k]));
                low[k] += values().fold(f32::MAX, f32::min);
                high[k] += values().fold(0.0, f32::max);
            }
            seen += 1.0;
        }
    }
    Some([low, high].map(|sums| sums.map(|sum| sum / seen)))
}

/// Boards of 20 to 100 pixels a square from all sides, partly outside a picture of 640×480.
fn boards() -> impl Strategy<Value = BoardMap> {
    let turn = 0.0..std::f64::consts::TAU;
    (turn, 80.0..400.0, 0.0..0.35, 150.0..500.0, 100.0..400.0, prop::option::of(-0.3..0.1)).prop_filter_map(
        "a board that folds",
        |(turn, half_px, tilt, x, y, k1): (f64, f64, f64, f64, f64, Option<f64>)| {
            let corner = |[u, v]: [f64; 2]| {
                // Anticlockwise as seen in the picture; the far side is smaller.
                let (u, v) = (u * turn.cos() - v * turn.sin(), u * turn.sin() + v * turn.cos());
                let w = 1.0 + tilt * v;
                [x + half_px * u / w, y - half_px * v / w]
            };
            let corners = Corners::new([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(corner)).ok()?;
            let lens = k1.map(|k1| Lens::radial(600.0, ImagePoint::new(320.0, 240.0), [k1, 0.0]));
            let map = BoardMap::from_corners(&corners, lens)?;
            let seen = |i: usize| map.to_image(point(i)).coords.iter().all(|v| v.is_finite());
            (0..POINTS).all(seen).then_some(map)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Noise shows every pixel that is mistaken.
    #[test]
    fn a_sampler_reads_what_is_there(
        boards in prop::collection::vec(boards(), 3),
        format in prop::sample::select(PixelFormat::ALL.to_vec()),
        padding in 0..9_usize,
        seed: u32,
    ) {
        let (mut sampler, mut samples) = (Sampler::default(), Samples::default());
        // One sampler for all: the board moves, and the picture changes its size.
        for (map, (width, height)) in boards.iter().zip([(640, 480), (640, 480), (321, 400)]) {
            let step = format.row_bytes(width) + padding;
            let data: Vec<u8> = noise(seed).take(step * height as usize).collect();
            let frame = Frame::new(width, height, step, format, &data).unwrap();
            sampler.read(&frame, map, &mut samples);
            prop_assert_eq!(samples.0.len(), POINTS);
            for (index, read) in samples.0.iter().enumerate() {
                let Some([low, high]) = plainly(&frame, map, index) else { continue };
                let same = (0..3).all(|k| {
                    (read[k].is_nan() && low[k].is_nan()) || (low[k] - 1e-3..=high[k] + 1e-3).contains(&read[k])
                });
                prop_assert!(same, "point {} of {:?}: {:?}, not {:?} to {:?}", index, frame, read, low, high);
            }
        }
    }
}
