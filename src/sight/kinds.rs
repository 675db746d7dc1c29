//! What kind of man has come? His outline as the picture shows it, on the board and against what lies beyond its edge.
//!
//! The likelihood of a placement takes men to stand on the middles of their squares, with soft outlines. Here one man is
//! looked at closely: wherever he may stand on his square, wherever he faces, and whether his set is a little larger or
//! stouter than ours, his outline is sharp, and the likelihood of his kind is the mean over all of these. Only men who have come are asked, where the colour
//! of a square has changed: who stood there before was judged when he came, and the same pixels are no new witness.

use nalgebra::Vector2;
use shakmaty::{Bitboard, Role, Square};

use super::{
    appearance::Appearance,
    colour::{Colour, ColourModels},
    coverage::{Coverage, POINTS_PER_SIDE, point},
    density::OUTLIER_SHARE,
    layout::{Layout, role_index},
    occlusion::{Occlusion, Parallax, soft_cover},
    outline::margin,
    surface::like_background,
    surroundings::{self, LookAround, PER_SQUARE, POINTS_AROUND},
};
use crate::board::geometry::{BoardPoint, square_centre};

/// How much of a point's log-likelihood counts: twice as much as for a placement, whose men stand wrongly by a tenth of a
/// square. Of 96 simulated under-promotions 67, 74 and 78 were told from queens with 0.3, 0.4 and 0.5; beyond 0.4 the true
/// kinds became less likely on the whole.
const INDEPENDENCE: f64 = 0.4;
/// Shift of what stands a square high, in squares, up to which nothing is said of kinds, and from which on all: 79° and 59°
/// above the board. From above only widths are left, of which shadows and sets make more than kinds do.
const SHIFT_SILENT: f64 = 0.2;
const SHIFT_FULL: f64 = 0.6;
/// A point beyond the edge stands for so many of the board's.
const BOARDS_POINTS: f64 = ((POINTS_PER_SIDE * POINTS_PER_SIDE) / (PER_SQUARE * PER_SQUARE)) as f64;
/// How far an outline is uncertain in squares, where it is known where the man stands: half a sample point.
const BLUR: f32 = 0.035;
/// Men are looked for at so many distances from the middle of the square, along each of its sides …
const STEPS: usize = 5;
/// … this far apart, in squares: half of the thinnest neck's radius.
const STEP: f64 = 0.06;
/// Standard deviation of that distance, in squares.
const OFF_CENTRE: f64 = 0.08;
/// Heights and widths of men against ours, and the ln of how likely they are: larger and smaller, stouter and slimmer sets.
/// Together 1. The camera's direction was found with all the men, so a set that is only taller is none.
const BUILDS: [(f64, f32, f64); 5] =
    [(1.0, 1.0, -1.094), (0.93, 0.93, -1.794), (1.07, 1.07, -1.794), (1.0, 0.9, -1.794), (1.0, 1.1, -1.794)];
/// Directions that a knight may face, all alike: an eighth of a turn more or less hardly changes his outline. Eight of them
/// told no more.
const FACINGS: usize = 4;

/// What tells kinds in one picture.
#[derive(Debug, Clone)]
pub(super) struct Kinds<'a> {
    around: LookAround<'a>,
    appearance: &'a Appearance,
    /// What lies around the board in general: for places that were never seen without a man before them.
    ground: ColourModels<1>,
}

/// A point that a man could hide.
struct Witness {
    place: BoardPoint,
    /// Density of its colour if he does not hide it, and if he does.
    without: f32,
    with: f32,
    weight: f64,
}

impl<'a> Kinds<'a> {
    /// Of a look around the board, with what men look like.
    #[must_use]
    pub fn new(around: LookAround<'a>, appearance: &'a Appearance) -> Self {
        let seen = (0..POINTS_AROUND).filter_map(|index| around.surroundings.ground(index));
        Self { around, appearance, ground: appearance.colours_of(seen.map(|(colour, _)| colour)) }
    }

    /// Log-likelihood of the kinds of the men who have come, up to a constant that all placements of the same colours
    /// share. `density` is that of a point's colour on the board if these men stand there.
    pub(super) fn likelihood(
        &self,
        men: &Layout,
        come: Bitboard,
        board: &Coverage,
        density: impl Fn(usize, &Layout) -> f32,
    ) -> f64 {
        let men_come = come.into_iter().filter(|square| men.at(*square).is_some());
        men_come.map(|square| self.of_man(men, square, board, &density)).sum()
    }

    /// The same of the man on one square, the others as told.
    fn of_man(&self, men: &Layout, square: Square, board: &Coverage, density: impl Fn(usize, &Layout) -> f32) -> f64 {
        let Some((_, role)) = men.at(square) else { return 0.0 };
        let rays = self.around.surroundings.rays();
        let on_board = witnesses(board, men, square, density).map(|(index, [without, with])| Witness {
            place: point(index),
            without,
            with,
            weight: 1.0,
        });
        let beyond =
            witnesses(rays, men, square, |index, men| self.density(index, men)).map(|(index, [without, with])| {
                Witness { place: surroundings::point(index), without, with, weight: BOARDS_POINTS }
            });
        let witnesses: Vec<Witness> = on_board.chain(beyond).collect();
        let counts = INDEPENDENCE * telling(&rays.parallax(), square);
        let scores: Vec<f64> = poses(role)
            .map(|pose| pose.prior + counts * pose.fit(&witnesses, rays.occlusion(), square, role))
            .collect();
        let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        best + scores.iter().map(|score| (score - best).exp()).sum::<f64>().ln()
    }

    /// Density of a point's colour beyond the edge if these men stand on the board; 1 where nothing is known.
    fn density(&self, index: usize, men: &Layout) -> f32 {
        let colour = &self.around.colours[index];
        if !colour[0].is_finite() {
            return 1.0;
        }
        let of_men = self.appearance.men_density(colour);
        let (mut open, mut sum) = (1.0, OUTLIER_SHARE * self.appearance.uniform());
        for candidate in self.around.surroundings.rays().candidates(index) {
            let Some((class, role)) = men.at(candidate.square) else { continue };
            sum += open * candidate.cover[role] * of_men[class];
            open *= 1.0 - candidate.cover[role];
        }
        sum + open * self.behind(index, colour)
    }

    /// Density of a point's colour where no man hides it.
    fn behind(&self, index: usize, colour: &Colour) -> f32 {
        let [anything] = self.ground.density(colour);
        self.around.surroundings.ground(index).map_or(anything, |(ground, trust)| {
            let sigma = self.around.surroundings.sigma(index, &self.around.noise);
            like_background(colour, ground, trust, sigma, anything)
        })
    }
}

/// The points that the man on a square could hide, each with the densities of its colour if he does not, and if he does.
fn witnesses(
    rays: &Coverage,
    men: &Layout,
    square: Square,
    density: impl Fn(usize, &Layout) -> f32,
) -> impl Iterator<Item = (usize, [f32; 2])> {
    let mut without_him = *men;
    without_him.clear(square);
    let class = men.at(square).map_or(0, |(class, _)| class);
    rays.hidden_from(square).filter_map(move |(index, candidate)| {
        // A point's density is linear in his cover: two of its values tell all.
        let (role, cover) = (0..).zip(candidate.cover).max_by(|a, b| a.1.total_cmp(&b.1))?;
        let mut with_another = without_him;
        with_another.set(square, class, role);
        let without = density(index, &without_him);
        let with = without + (density(index, &with_another) - without) / cover;
        Some((index, [without, with.max(f32::MIN_POSITIVE)]))
    })
}

/// How a man may stand on his square.
struct Pose {
    /// From its middle, in squares.
    off: Vector2<f64>,
    /// His height against ours.
    stature: f64,
    /// His width against ours.
    girth: f32,
    /// Where he faces: a direction of length 1.
    towards: [f32; 2],
    /// ln of how likely that is.
    prior: f64,
}

/// How much a picture in which heights shift so can tell of the kind of a man on this square, 0 to 1.
fn telling(parallax: &Parallax, square: Square) -> f64 {
    let foot = square_centre(square);
    let [x, y] = parallax.at_height([foot.x, foot.y], 1.0);
    let shift = (x - foot.x).hypot(y - foot.y);
    ((shift - SHIFT_SILENT) / (SHIFT_FULL - SHIFT_SILENT)).clamp(0.0, 1.0)
}

fn poses(role: usize) -> impl Iterator<Item = Pose> {
    let at = |k: usize| STEP * (k as f64 - (STEPS / 2) as f64);
    // All others are turned on a lathe.
    let facings = if role == role_index(Role::Knight) { FACINGS } else { 1 };
    BUILDS.into_iter().flat_map(move |(stature, girth, prior)| {
        (0..STEPS * STEPS * facings).map(move |k| {
            let (place, facing) = (k / facings, k % facings);
            let off = Vector2::new(at(place % STEPS), at(place / STEPS));
            let prior = prior - 0.5 * off.norm_squared() / (OFF_CENTRE * OFF_CENTRE) - (facings as f64).ln();
            let (sin, cos) = (std::f32::consts::TAU * facing as f32 / facings as f32).sin_cos();
            Pose { off, stature, girth, towards: [cos, sin], prior }
        })
    })
}

impl Pose {
    /// Log-likelihood of the points if a man of this kind stands so.
    fn fit(&self, witnesses: &[Witness], men: &Occlusion, square: Square, role: usize) -> f64 {
        let parallax = men.parallax().for_taller(self.stature * men.heights()[role]);
        let centre = square_centre(square) + self.off;
        let of = |w: &Witness| {
            let cover = soft_cover(margin(&parallax, w.place, centre, self.towards, self.girth, role), BLUR);
            w.weight * f64::from(((1.0 - cover) * w.without + cover * w.with).ln())
        };
        witnesses.iter().map(of).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        board::map::BoardMap,
        frame::Frame,
        game::{evidence::Evidence as _, start::Start},
        sight::view::{Reading, View},
        sim::{Scene, Simulation},
    };
    use shakmaty::{Bitboard, Board, Piece, Position as _, Role};

    /// A pawn goes from h7 to h8, before the table, and becomes this; seen from an elevation.
    struct Promotion {
        view: View,
        reading: Reading,
        after: Board,
    }

    impl Promotion {
        fn to(role: Role, elevation_deg: f64) -> Self {
            let start = Start::from_fen("rnbqkbr1/pppppp1P/5n2/8/8/8/PPPPPPP1/RNBQKBNR w KQq - 0 1").unwrap();
            let moves = start.position().legal_moves();
            let mv = *moves.iter().find(|mv| mv.to() == Square::H8 && mv.promotion() == Some(role)).unwrap();
            let after = start.position().clone().play(mv).unwrap().board().clone();
            let scene = Scene::oblique(elevation_deg);
            let before = start.position().board().clone();
            let stills: Vec<_> = Simulation::new(&scene, (start, vec![mv]), 5).unwrap().stills().collect();
            let frames = [0, 1].map(|k: usize| Frame::from_rgb(&stills[k].image).unwrap());
            let map = BoardMap::from_corners(&stills[0].corners, None).unwrap();
            let view = View::begin(&frames[0], &map, &before, None).unwrap();
            let mut reading = Reading::default();
            view.read(&frames[1], &mut reading);
            Self { view, reading, after }
        }

        /// ln of a queen's likelihood against this man's: from the placement's own, and with kinds.
        fn queen_against(&self, role: Role) -> [f64; 2] {
            let look = self.view.evidence(&self.reading, Bitboard::EMPTY, 4.0);
            let [queen, other] = [Role::Queen, role].map(|role| {
                let mut men = self.after.clone();
                men.set_piece_at(Square::H8, Piece { role, color: shakmaty::Color::White });
                [look.log_likelihood(&men), look.kinds(&men)]
            });
            [queen[0] - other[0], queen[0] + queen[1] - other[0] - other[1]]
        }
    }

    #[test]
    fn a_head_before_the_table_tells_a_queen_from_a_knight() {
        for elevation_deg in [40.0, 55.0] {
            let queen = Promotion::to(Role::Queen, elevation_deg);
            let knight = Promotion::to(Role::Knight, elevation_deg);
            let (is, is_not) = (queen.queen_against(Role::Knight)[1], knight.queen_against(Role::Knight)[1]);
            // A knight's head leans forward, and so looks taller than it is.
            assert!(is > 3.0 && is > is_not + 5.0, "{elevation_deg}: {is} {is_not}");
            // Who has not been promoted yet is the smallest of all.
            assert!(queen.queen_against(Role::Pawn)[1] > 3.0, "{elevation_deg}");
        }
    }

    #[test]
    fn who_stood_there_before_is_not_asked() {
        let Promotion { view, reading, .. } = Promotion::to(Role::Queen, 50.0);
        let look = view.evidence(&reading, Bitboard::EMPTY, 4.0);
        let mut men = view.men().clone();
        let as_before = look.kinds(&men);
        for square in [Square::B8, Square::G8] {
            men.set_piece_at(square, Piece { role: Role::Queen, color: shakmaty::Color::Black });
        }
        assert_eq!((look.kinds(&men), as_before), (0.0, 0.0));
    }
}
