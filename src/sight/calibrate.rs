//! First sight: is this the position that we expect, and from which side does the camera look?

use shakmaty::{Bitboard, Board, Color, Piece, Role, Square};

use super::{
    appearance::{CLASSES, class_of_bare},
    colour::{Colour, ColourModels, Gamut, Samples},
    coverage::{POINTS, point, points_on, square_of},
    direction::{self, Expected},
    evidence::INDEPENDENCE,
    layout::Layout,
    occlusion::{Heights, Occlusion, Parallax, are_possible},
    product::ln_of_product,
    rays::Rays,
    separation::{Separation, climb},
};
use crate::{board::map::BoardMap, frame::Frame};

/// Last steps of the search for a direction: two of the lean at the board's centre, in squares a square of height, and one of the
/// nearness, in squares⁻¹.
const LAST_TURN: [f64; 3] = [0.0125, 0.0125, 0.001875];
/// So many times it begins with longer ones, twice as long each: from a guess, and from where the direction was found before.
const FROM_GUESS: usize = 4;
const FROM_FOUND: usize = 3;
/// First step of the search for heights, as a part of ours. Steps of it alone find more than half of what finer ones find; where that
/// is far from what another set has to gain, as with nearly every Staunton set, finer ones are not tried.
const COARSE_HEIGHT: f64 = 0.1;

/// Lean, in squares a square of height, of the flattest camera that sees a game: 14 degrees above the board.
pub(crate) const FLATTEST: f64 = 4.0;

/// Finds the camera direction under which colours separate best into white men, black men, light and dark squares.
///
/// Works without camera parameters, and for pictures that were warped to the squares before they came: only heights
/// are wanted, and men of known places show them. `guess` (from the camera's pose) is believed as far as poses are, unless
/// the picture may have been warped, and the men speak clearly against it. Returns the direction, and the guess where it was
/// believed.
#[must_use]
pub(super) fn fit_parallax(colours: &[Colour], men: &Board, guess: Option<Parallax>) -> (Parallax, Option<Parallax>) {
    let mut starts = vec![Parallax::default()];
    let Some(guess) = guess else {
        for turn in 0..8 {
            let angle = f64::from(turn) * std::f64::consts::FRAC_PI_4;
            for length in [0.3, 0.7, 1.2] {
                starts.push(from_centre([length * angle.cos(), length * angle.sin()], 0.06));
            }
        }
        starts.push(from_centre([0.0, 0.0], 0.08));
        return (search(colours, men, Expected::Near(Parallax::default()), starts).1, None);
    };
    // Sets of men are not all as tall as ours: the guess's direction is trusted, its length is searched.
    starts.extend([0.7, 0.85, 1.0, 1.2].map(|scale| guess.for_taller(scale)));
    let (value, found) = search(colours, men, Expected::Posed(guess), starts.clone());
    if direction::may_be_warped(&guess) {
        let (otherwise, elsewhere) = search(colours, men, Expected::Near(guess), starts);
        if otherwise > value + direction::warped_gain(men.occupied().count()) {
            return (elsewhere, None);
        }
    }
    (found, Some(guess))
}

/// The best direction from these starts on, and its score.
fn search(colours: &[Colour], men: &Board, expected: Expected, starts: Vec<Parallax>) -> (f64, Parallax) {
    let mut separation = Separation::of(colours, men);
    let ours = Occlusion::from(Parallax::default());
    let mut score = |parallax: &Parallax| separation.under(&ours.seen_from(*parallax)) - expected.penalty(parallax);
    let mut scored: Vec<(f64, Parallax)> = starts.into_iter().map(|p| (score(&p), p)).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    // The best two starts are refined: neighbouring directions can hold the better summit.
    scored.truncate(2);
    let refined = scored.into_iter().map(|(value, parallax)| turn((value, parallax), FROM_GUESS, &mut score));
    refined.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((f64::NEG_INFINITY, Parallax::default()))
}

/// The camera direction again, and how tall the men are, from another placement of men: those that stand alone show both
/// best. `posed` is the direction of the camera's pose, where that is believed.
#[must_use]
pub(super) fn refine(colours: &[Colour], men: &Board, now: &Occlusion, posed: Option<Parallax>) -> Occlusion {
    let mut separation = Separation::of(colours, men);
    let expected = posed.map_or(Expected::Near(now.parallax()), Expected::Posed);
    let mut score = |occlusion: &Occlusion| {
        separation.under(occlusion)
            - expected.penalty(&occlusion.parallax())
            - direction::heights_penalty(&occlusion.heights())
    };
    let start = (score(now), now.parallax());
    let (value, parallax) = turn(start, FROM_FOUND, |parallax| score(&now.seen_from(*parallax)));
    let ours = Occlusion::from(parallax);
    let as_ours = score(&ours);
    let mut of_heights = |heights: &Heights| are_possible(heights).then(|| score(&Occlusion::new(parallax, *heights)));
    let (value, heights) = climb((value, now.heights()), [COARSE_HEIGHT; 6], 1, &mut of_heights);
    if value - as_ours < direction::other_set_gain() / 2.0 {
        return ours;
    }
    let (value, heights) = climb((value, heights), [COARSE_HEIGHT / 2.0; 6], 2, of_heights);
    if value - as_ours > direction::other_set_gain() { Occlusion::new(parallax, heights) } else { ours }
}

fn from_centre(centre: [f64; 2], inverse_height: f64) -> Parallax {
    Parallax { lean: centre.map(|v| v + 4.0 * inverse_height), inverse_height }
}

/// The best direction near one of known score, and its score. The first step is the last one doubled so many times.
fn turn((value, start): (f64, Parallax), doublings: usize, mut score: impl FnMut(&Parallax) -> f64) -> (f64, Parallax) {
    let centred = |[x, y, inverse_height]: [f64; 3]| from_centre([x, y], inverse_height);
    let [x, y] = start.at_centre();
    let of_direction = |tried: &[f64; 3]| {
        // A camera lower than three squares over the board sees no game.
        let possible = tried[0].hypot(tried[1]) <= FLATTEST && (-0.02..=0.33).contains(&tried[2]);
        possible.then(|| score(&centred(*tried)))
    };
    let first = LAST_TURN.map(|step| step * f64::from(1 << doublings));
    let (value, best) = climb((value, [x, y, start.inverse_height]), first, 1 + doublings, of_direction);
    (value, centred(best))
}

/// How well the picture shows the expected position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Recognition {
    /// Share of squares that read as they should, learnt from the other half of the board; the mean over
    /// squares with and without men.
    pub share: f64,
    /// Luminance of the white men over that of the black ones; 1 where one side has none.
    pub(super) white_over_black: f32,
    /// Of each square, a1 first, the mean log-density of its points, were they a white man's, a black one's, bare; zero where
    /// none was read.
    pub told: [[f64; 3]; 64],
}

impl Recognition {
    /// The squares that read as these men stand, where anything was read.
    #[must_use]
    pub fn shows(&self, men: &Board) -> Bitboard {
        let men = Layout::of(men);
        let as_expected = |square: &Square| {
            let told = self.told[usize::from(*square)];
            let truth = men.at(*square).map_or(2, |(class, _)| class);
            told != [0.0; 3] && likeliest(&told) == truth
        };
        Square::ALL.into_iter().filter(as_expected).collect()
    }
}

/// So often the squares are read again with colours learnt from the men that they told.
const READINGS: usize = 4;

/// Who stands where in a picture of a board at this place on which some men may stand otherwise than `men`: each square is read by
/// itself, in colours that are learnt from what the others show. Men where none should be are taken for pawns.
#[must_use]
pub(crate) fn read_squares(frame: &Frame<'_>, map: &BoardMap, men: &Board, guess: Option<Parallax>) -> Board {
    let colours = Samples::read(frame, map).in_light([1.0; 3]);
    let (parallax, _) = fit_parallax(&colours, men, guess);
    let mut stand = men.clone();
    for _ in 0..READINGS {
        let told = recognise(&colours, &stand, &parallax.into()).told;
        let mut shown = Board::empty();
        for square in Square::ALL {
            let vote = told[usize::from(square)];
            let piece = match likeliest(&vote) {
                // Nothing of it is seen.
                _ if vote == [0.0; 3] => stand.piece_at(square),
                2 => None,
                class => {
                    let color = Color::from_white(class == 0);
                    let expected = men.piece_at(square).filter(|piece| piece.color == color);
                    Some(expected.unwrap_or(Piece { color, role: Role::Pawn }))
                }
            };
            if let Some(piece) = piece {
                shown.set_piece_at(square, piece);
            }
        }
        if shown == stand {
            break;
        }
        stand = shown;
    }
    stand
}

/// Which class a square reads as: a white man, a black one, bare.
fn likeliest(told: &[f64; 3]) -> usize {
    (0..3).max_by(|a, b| told[*a].total_cmp(&told[*b])).unwrap_or(2)
}

/// Folds of squares in diagonal stripes: each holds squares of every row and shade.
const FOLDS: usize = 4;

fn fold_of(square: Square) -> usize {
    (usize::from(square.file()) / 2 + usize::from(square.rank())) % FOLDS
}

/// A point that fairly surely shows one thing: which, of which square.
struct Shows {
    index: usize,
    square: Square,
    /// A white man, a black one, bare board.
    class: usize,
}

/// Reads every square with colours learnt from the other squares only.
///
/// On an empty board, or one with men in other places, squares with and without men do not differ as they should:
/// the share falls towards a half.
#[must_use]
pub(super) fn recognise(colours: &[Colour], men: &Board, occlusion: &Occlusion) -> Recognition {
    let men = Layout::of(men);
    let shows = shown(&men, &trace(&men, occlusion));
    let luminance = |class: usize| {
        let of_class = shows.iter().filter(|s| s.class == class).map(|s| colours[s.index][0]);
        let of_class: Vec<f32> = of_class.filter(|l| l.is_finite()).collect();
        (!of_class.is_empty()).then(|| of_class.iter().sum::<f32>() / of_class.len() as f32)
    };
    let white_over_black = luminance(0).zip(luminance(1)).map_or(1.0, |(white, black)| white / black.max(1.0));
    let (votes, voters) = votes(colours, &men, &shows);
    let share = share_told(colours, &men, &votes);
    let told = std::array::from_fn(|n| votes[n].map(|vote| vote / f64::from(voters[n].max(1))));
    Recognition { share, white_over_black, told }
}

/// Log-likelihood of a picture of these men, in colours that are learnt from it with them on it: men who stand elsewhere blur the
/// colours of all others. Outside the picture a point may have any colour, so that pictures can be compared as well.
#[must_use]
pub(super) fn likelihood(colours: &[Colour], men: &Board, occlusion: &Occlusion) -> f64 {
    let men = Layout::of(men);
    let rays = trace(&men, occlusion);
    let gamut = Gamut::of(colours).fine();
    let mut models = ColourModels::<CLASSES>::new(gamut);
    for Shows { index, class, .. } in shown(&men, &rays) {
        let class = if class == 2 { class_of_bare(square_of(index)) } else { class };
        models.add(class, &colours[index], 1.0);
    }
    models.settle();
    let densities = (0..POINTS).map(|index| {
        if !colours[index][0].is_finite() {
            return f64::from(gamut.uniform());
        }
        let of_class = models.density(&colours[index]);
        let (mut open, mut sum) = (1.0, 0.0);
        for (square, cover) in rays.met(index) {
            sum += open * cover * of_class[men.class(square) - 1];
            open *= 1.0 - cover;
        }
        f64::from(sum + open * of_class[class_of_bare(square_of(index))])
    });
    INDEPENDENCE * ln_of_product(densities)
}

/// What the ray from each point of the board meets.
fn trace(men: &Layout, occlusion: &Occlusion) -> Rays {
    let mut rays = Rays::new((0..POINTS).map(point).collect(), *men);
    rays.aim(occlusion);
    rays
}

/// What each point shows, where that is fairly sure.
fn shown(men: &Layout, rays: &Rays) -> Vec<Shows> {
    let mut shows = Vec::new();
    for index in 0..POINTS {
        let mut open = 1.0;
        let mut top: Option<(Square, f32)> = None;
        for (square, cover) in rays.met(index) {
            let weight = open * cover;
            if top.is_none_or(|t| weight > t.1) {
                top = Some((square, weight));
            }
            open *= 1.0 - cover;
        }
        match top {
            Some((square, weight)) if weight > 0.7 => {
                shows.push(Shows { index, square, class: men.class(square) - 1 });
            }
            _ if open > 0.8 => shows.push(Shows { index, square: square_of(index), class: 2 }),
            _ => {}
        }
    }
    shows
}

/// For each square the sum over its points of the log-densities of white men, black men and bare board, learnt from the
/// squares of the other folds; and how many points that were.
fn votes(colours: &[Colour], men: &Layout, shows: &[Shows]) -> ([[f64; 3]; 64], [u32; 64]) {
    let gamut = Gamut::of(colours);
    let mut votes = [[0.0f64; 3]; 64];
    let mut voters = [0u32; 64];
    for fold in 0..FOLDS {
        let mut models = ColourModels::<CLASSES>::new(gamut);
        for Shows { index, class, .. } in shows.iter().filter(|s| fold_of(s.square) != fold) {
            let class = if *class == 2 { class_of_bare(square_of(*index)) } else { *class };
            models.add(class, &colours[*index], 1.0);
        }
        models.settle();
        // A man is read where he stands; an empty square where it is open.
        let is_read = |s: &&Shows| fold_of(s.square) == fold && (s.class < 2) == men.at(s.square).is_some();
        for Shows { index, square, .. } in shows.iter().filter(is_read) {
            if !colours[*index][0].is_finite() {
                continue;
            }
            let densities = models.density(&colours[*index]);
            voters[usize::from(*square)] += 1;
            let classes = [0, 1, class_of_bare(square_of(*index))];
            for (vote, class) in votes[usize::from(*square)].iter_mut().zip(classes) {
                *vote += f64::from(densities[class].ln());
            }
        }
    }
    (votes, voters)
}

/// The share of the squares whose votes tell what stands there: the mean over what may stand there; 0 where only one thing
/// was to be told.
fn share_told(colours: &[Colour], men: &Layout, votes: &[[f64; 3]; 64]) -> f64 {
    let mut right = [0u32; 3];
    let mut total = [0u32; 3];
    for square in Square::ALL {
        let vote = votes[usize::from(square)];
        if points_on(square).all(|i| !colours[i][0].is_finite()) || vote == [0.0; 3] {
            continue;
        }
        let truth = men.at(square).map_or(2, |(class, _)| class);
        total[truth] += 1;
        right[truth] += u32::from(likeliest(&vote) == truth);
    }
    let shares: Vec<f64> =
        (0..3).filter(|k| total[*k] > 0).map(|k| f64::from(right[k]) / f64::from(total[k])).collect();
    if shares.len() < 2 { 0.0 } else { shares.iter().sum::<f64>() / shares.len() as f64 }
}
