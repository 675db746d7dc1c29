//! What does a picture say of the stones on a Go board?
//!
//! For each crossing three likelihoods: empty, a black stone, a white stone; never a verdict. All of it is one model. The
//! plane of the stones' middles carries a lattice of points ([`shape`]); a content of a crossing says for each point around
//! it what should be seen there: what was there before, bare wood with its lines, or a stone of its colour, as this game's
//! stones look in this light ([`memory`]). A point fits or does not ([`colour`]), points fit together ([`weigh`]).
//!
//! From A. Carta and M. Corsolini, "A new approach to an old problem: the reconstruction of a Go game through a series of
//! photographs", 2015, come the class means of the picture itself, the position before as the teacher, the shift of
//! stones with height and view, and lines as what tells wood from stones (their disuniformity).

pub mod colour;
pub mod cover;
pub mod light;
pub mod memory;
pub mod place;
pub mod shape;
mod shown;
pub mod weigh;

pub use shown::Shown;

use cover::Cover;
use memory::Memory;
use place::{AROUND, Place, Window};
use shape::Shape;
use weigh::{Weighed, Weigher};

use super::{colour::Samples, sampler::Sampler};
use crate::{
    board::{grid::Grid, pose::Optics},
    frame::Frame,
    go::{Content, Look, Seen},
};

/// A grid that has moved by less than this from picture to picture keeps what is remembered of its points, in distances
/// between lines: two points of the lattice are a third.
const SAME_PLACE: f64 = 0.3;
/// The same for the change of the shift that height makes.
const SAME_VIEW: f32 = 0.05;
/// From so much on a crossing's content counts as another one when its neighbours are read again, in nats.
const CLEARLY: f32 = 4.0;
/// Of a crossing that is hidden more than this nothing is learnt.
const HIDDEN: f32 = 0.3;

/// What hides a crossing and has not changed for so many pictures lies there: hands tremble.
const LIES: u8 = 3;
/// Median change of lightness from picture to picture of what has not changed, in levels at most: noise and compression.
const UNCHANGED: f32 = 4.0;

/// The sight of one board: it remembers how board and stones look.
#[derive(Debug, Clone, Default)]
pub struct Stones {
    k: Option<[f64; 9]>,
    grid: Option<(Grid, [u32; 2])>,
    place: Option<Place>,
    memory: Option<Memory>,
    sampler: Option<Sampler>,
    samples: Samples,
    /// For each crossing, in how many pictures something hid it that has not changed since.
    lies: Vec<u8>,
    /// What the points of the lattice showed in the picture before.
    earlier: Vec<colour::Tone>,
    /// What was found in the last picture.
    weighed: Vec<Weighed>,
    /// The points that something covers there.
    covered: Option<Cover>,
}

impl Stones {
    /// The sight of a board that was never seen. `k` is the camera's row-major 3×3 matrix, where it is known.
    #[must_use]
    pub fn new(k: Option<[f64; 9]>) -> Self {
        Self { k, ..Self::default() }
    }

    /// Reads a picture. `before` is the position as it is believed to have been in the picture before (row by row): a
    /// crossing that looks as it did speaks for its content. Where it is shorter than the board, the rest counts as empty.
    pub fn look(&mut self, frame: &Frame<'_>, grid: &Grid, before: &[Content]) -> Look {
        let size = grid.size();
        let mut before = before.to_vec();
        before.resize(size.count(), Content::Empty);
        self.weighed.clear();
        self.aim(frame, grid);
        let Some(place) = &self.place else { return Look::nothing(size) };
        let raster = place.shape.raster();
        let sampler = self.sampler.get_or_insert_with(|| Sampler::over(raster));
        sampler.read(frame, &place.shape.raster_map(), &mut self.samples);
        let samples = &self.samples.0;
        let memory = self.memory.get_or_insert_with(|| Memory::new(samples, place, size, &before));
        memory.take(samples, place);
        (self.weighed, self.covered) = weigh_all(memory, place, &before);
        let seen =
            self.weighed.iter().map(|w| Seen { log_likelihood: w.ln.map(f64::from), covered: f64::from(w.hidden) });
        Look { size, seen: seen.collect() }
    }

    /// Learns from the picture that was read last. `now` is the position that it was understood to show: it teaches what
    /// stones look like, and what each crossing looks like with its content.
    pub(crate) fn learn(&mut self, now: &[Content]) {
        let (Some(place), Some(memory)) = (&self.place, &mut self.memory) else { return };
        if now.len() != self.weighed.len() {
            return;
        }
        self.lies.resize(now.len(), 0);
        for ((lies, window), weighed) in self.lies.iter_mut().zip(&place.windows).zip(&self.weighed) {
            let is_same = weighed.hidden >= HIDDEN && is_unchanged(window, &self.earlier, &memory.seen);
            *lies = if is_same { lies.saturating_add(1) } else { 0 };
        }
        let (mut frozen, known) = understood(place, now, &self.weighed, &self.lies);
        if let Some(covered) = &self.covered {
            for (index, frozen) in frozen.iter_mut().enumerate() {
                *frozen |= covered.has(index) && self.lies[usize::from(place.owner[index])] < LIES;
            }
        }
        memory.learn(place, now, &frozen, &known);
        self.earlier.clone_from(&memory.seen);
        self.weighed.clear();
    }

    /// Works the geometry out anew where the board has moved.
    fn aim(&mut self, frame: &Frame<'_>, grid: &Grid) {
        let size_px = [frame.width(), frame.height()];
        if self.grid.as_ref().is_some_and(|(old, px)| old == grid && *px == size_px) {
            return;
        }
        let optics = self.k.map_or(Optics::Unknown { size_px: (size_px[0], size_px[1]) }, Optics::Known);
        let shape = Shape::new(grid, &optics);
        let is_same_board = self.memory.as_ref().is_some_and(|m| m.size() == grid.size());
        if !is_same_board {
            (self.memory, self.sampler) = (None, None);
        }
        let stays = self.grid.as_ref().is_some_and(|(old, px)| {
            *px == size_px && old.size() == grid.size() && old.farthest_px(grid) < SAME_PLACE * grid.spacing_px()
        }) && self.place.as_ref().is_some_and(|place| place.shape.turned(&shape) < SAME_VIEW);
        if let (false, Some(memory)) = (stays, &mut self.memory) {
            memory.forget_points();
        }
        self.place = Some(Place::new(shape, grid.size()));
        self.grid = Some((*grid, size_px));
    }
}

/// Weighs every crossing, and those beside changed ones again: a stone that has come covers a part of its neighbours.
fn weigh_all(memory: &Memory, place: &Place, before: &[Content]) -> (Vec<Weighed>, Option<Cover>) {
    let mut weigher = Weigher::new(memory, place, before);
    let mut weighed: Vec<Weighed> = (0..before.len()).map(|crossing| weigher.weigh(crossing)).collect();
    weigher.find_cover(&weighed);
    for crossing in weigher.beside_cover() {
        weighed[crossing] = weigher.weigh(crossing);
    }
    let mut changed: Vec<(usize, f32)> = (0..before.len())
        .map(|crossing| (crossing, weighed[crossing].change(before[crossing])))
        .filter(|(_, change)| *change > CLEARLY)
        .collect();
    changed.sort_by(|a, b| b.1.total_cmp(&a.1));
    for (crossing, _) in &changed {
        let again = weigher.weigh(*crossing);
        if again.change(before[*crossing]) > CLEARLY {
            weigher.has_changed(*crossing, again.best());
        }
    }
    for crossing in weigher.beside_changed() {
        weighed[crossing] = weigher.weigh(crossing);
    }
    (weighed, weigher.into_cover())
}

/// The points of which it is not sure what they show, and the crossings whose content is as believed.
fn understood(place: &Place, now: &[Content], weighed: &[Weighed], lies: &[u8]) -> (Vec<bool>, Vec<bool>) {
    let mut frozen = vec![false; place.owner.len()];
    let is_known = |crossing: usize| {
        let w = &weighed[crossing];
        w.best() == now[crossing] && w.hidden < HIDDEN
    };
    let known: Vec<bool> = (0..now.len()).map(is_known).collect();
    for (crossing, window) in
        place.windows.iter().enumerate().filter(|(crossing, _)| !known[*crossing] && lies[*crossing] < LIES)
    {
        let reach = if weighed[crossing].hidden < HIDDEN { 1.4 } else { f32::INFINITY };
        (0..AROUND).filter(|k| window.within[*k] < reach).for_each(|k| frozen[window.point(k)] = true);
    }
    (frozen, known)
}

/// Do the points around a crossing show what they showed in the picture before?
fn is_unchanged(window: &Window, earlier: &[colour::Tone], seen: &[colour::Tone]) -> bool {
    if earlier.len() != seen.len() {
        return false;
    }
    let points = (0..AROUND).map(|k| window.point(k));
    let mut changes: Vec<f32> =
        points.map(|i| (earlier[i][0] - seen[i][0]).abs()).filter(|change| change.is_finite()).collect();
    colour::median(&mut changes) < UNCHANGED
}
