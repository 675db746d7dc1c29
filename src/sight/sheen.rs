//! How much of what a dark square shows is no light of its wood but the sheen of its surface: a lamp or a window that it mirrors.
//!
//! Where something comes between the two, the sheen goes, and a dark square loses far more of its light than a pale one beside
//! it, which shows so much more of its own. So how much there may be is measured: a square without sheen is the darkest against
//! the pale wood around it, however the lamps' light falls over the board.

use shakmaty::Square;

use super::{appearance::Appearance, shade::side_by_side};

/// One in so many of the dark squares may be darker than the others since wood differs; the darkest of those has no sheen.
const DARKER: usize = 5;

/// ln of the levels of red, green and blue.
type Levels = [f32; 3];

/// Of each dark square and channel, ln of how many times brighter its sheen makes it.
#[derive(Debug, Clone)]
pub(super) struct Sheen([Levels; 64]);

impl Sheen {
    /// Measures it on what was seen of the bare board.
    pub fn of(appearance: &Appearance) -> Self {
        let bare =
            Square::ALL.map(|square| appearance.bare_rgb(square).map(|rgb| rgb.map(|level| level.max(1.0).ln())));
        let contrasts = Square::ALL.map(|square| if square.is_dark() { against_pale(square, &bare) } else { None });
        let without: Levels = std::array::from_fn(|k| {
            let mut all = [0.0; 64];
            let count = all.iter_mut().zip(contrasts.iter().flatten()).map(|(slot, there)| *slot = there[k]).count();
            if count == 0 { 0.0 } else { *all[..count].select_nth_unstable_by(count / DARKER, f32::total_cmp).1 }
        });
        let sheen = |contrast: Levels| std::array::from_fn(|k| (contrast[k] - without[k]).max(0.0));
        Self(contrasts.map(|contrast| contrast.map_or([0.0; 3], sheen)))
    }

    /// On a dark square; of the pale ones it is not known.
    pub const fn on(&self, dark: Square) -> &Levels {
        &self.0[dark as usize]
    }
}

/// How much brighter a dark square is than the pale ones that have an edge in common with it, in the mean of those known.
fn against_pale(dark: Square, bare: &[Option<Levels>; 64]) -> Option<Levels> {
    let own = bare[usize::from(dark)]?;
    let (mut sum, mut count) = ([0.0; 3], 0.0);
    for pale in side_by_side(dark).into_iter().filter_map(|square| bare[usize::from(square)]) {
        sum = std::array::from_fn(|k| sum[k] + pale[k]);
        count += 1.0;
    }
    (count > 0.0).then(|| std::array::from_fn(|k| own[k] - sum[k] / count))
}
