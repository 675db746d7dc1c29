//! What the observer tells when asked.

use serde::{Deserialize, Serialize};
use shakmaty::{Bitboard, Board, fen::Fen};

use crate::{
    board::corners::Corners,
    endgame::Outcome,
    event::ending::Ending,
    frame::Stamp,
    game::Look,
    sight::{
        features::{Contrast, SquareFeatures},
        light::Light,
        squares::Squares,
    },
};

/// State of the search for the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoardState {
    /// Not found yet.
    Searching,
    /// Found; the game is followed.
    Locked,
    /// It was there, and is not now.
    Lost,
}

/// What the tracker is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrackerState {
    /// No board yet.
    NoBoard,
    /// At rest and understood.
    Following,
    /// Something moves on the board.
    Disturbed,
    /// At rest, and not understood.
    Doubt,
    /// An illegal position stands.
    Illegal,
    /// Asked to pause.
    Paused,
    /// The game is over.
    Over,
}

/// What a pose rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PoseSource {
    /// The camera's own parameters.
    CameraInfo,
    /// The board's perspective alone, and the focal lengths that cameras usually have.
    Estimated,
}

/// Pose of the board in the camera's optical frame: `point_in_camera = rotation * point_in_board + translation`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// What it rests on.
    pub source: PoseSource,
    /// Rotation camera from board (x towards h1, y towards a8, z up).
    pub rotation: nalgebra::UnitQuaternion<f64>,
    /// Position of a1's outer corner in the camera's optical frame, in metres.
    pub translation_m: nalgebra::Vector3<f64>,
    /// Standard deviation of the rotation, in radians.
    pub angle_sd_rad: f64,
    /// Standard deviation of the distance to the board's centre, over that distance.
    pub distance_sd: f64,
    /// Focal length, in pixels.
    pub focal_px: f64,
    /// Standard deviation of the focal length over the focal length; 0 where the camera told it.
    pub focal_sd: f64,
}

/// Deviations up to which an estimated pose stands for a measured one: 4° and 6 % of the distance.
const SURE: (f64, f64) = (0.07, 0.06);

impl Pose {
    /// Is it known well enough to be told without its deviations? One with the camera's own parameters always is.
    #[must_use]
    pub fn is_sure(&self) -> bool {
        self.source == PoseSource::CameraInfo || (self.angle_sd_rad <= SURE.0 && self.distance_sd <= SURE.1)
    }
}

/// What is known of the board.
#[derive(Debug, Clone, PartialEq)]
pub struct BoardReport {
    /// State of the search.
    pub state: BoardState,
    /// Outer corners a1, h1, h8, a8, in the pictures as they come.
    pub corners: Option<Corners>,
    /// Are the pictures read as mirror images?
    pub mirrored: bool,
    /// Its pose, from the camera's parameters or estimated.
    pub pose: Option<Pose>,
    /// What the last look said of each square; `None` before the first one.
    pub squares: Option<Squares>,
}

/// Change of a probability or a share that is worth telling: less is the picture's noise.
const NEWS: f32 = 0.01;

impl BoardReport {
    /// Does it say something else than `other`? What noise changes from look to look is nothing else.
    #[must_use]
    pub fn is_news_to(&self, other: &Self) -> bool {
        let source = |report: &Self| report.pose.map(|pose| pose.source);
        let squares = match (&self.squares, &other.squares) {
            (Some(now), Some(then)) => differ(now, then),
            (now, then) => now.is_some() != then.is_some(),
        };
        squares
            || (self.state, self.corners, self.mirrored) != (other.state, other.corners, other.mirrored)
            || source(self) != source(other)
    }
}

fn differ(now: &Squares, then: &Squares) -> bool {
    now.covered != then.covered || numbers(now).zip(numbers(then)).any(|(a, b)| (a - b).abs() > NEWS)
}

fn numbers(squares: &Squares) -> impl Iterator<Item = &f32> {
    squares.probability.as_flattened().iter().chain(&squares.changed).chain(&squares.reliability)
}

/// A position in figures, as it was seen for the first time.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    /// Time of the picture.
    pub stamp: Stamp,
    /// What was understood to stand on the board.
    pub men: Board,
    /// Every square, a1, b1, … h8.
    pub squares: [SquareFeatures; 64],
    /// What stands out least from what; `None` where one of the kinds is not in sight.
    pub contrast: Option<Contrast>,
}

/// One look at the whole board in a few numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LookSummary {
    /// Squares over which there is something else than the board and its men.
    pub covered: usize,
    /// Squares of which it is not clear what they hold.
    pub in_doubt: usize,
    /// How much the picture can tell of the squares, 0 to 1, in the mean.
    pub mean_reliability: f32,
    /// Squares under a shadow, or a light, that did not lie on them in the last picture that was understood.
    pub shaded: usize,
    /// How much lighter than that picture this one is, in red, green and blue: 1 is as light.
    pub light_gain: [f32; 3],
    /// Standard deviation of luminance where nothing has changed, in grey levels.
    pub noise_levels: f32,
    /// Standard deviations of the noise from which a point of the board has changed.
    pub change_threshold: f32,
    /// What stands out least from what, in the last position; `None` before the first one.
    pub contrast: Option<Contrast>,
}

impl LookSummary {
    /// Sums up a look at these squares in this light. A square is in doubt while its likeliest content has a probability
    /// below `min_confidence`.
    #[must_use]
    pub fn of(
        squares: &Squares,
        light: &Light,
        change_threshold: f32,
        contrast: Option<Contrast>,
        min_confidence: f64,
    ) -> Self {
        let likeliest = |p: &[f32; 3]| p.iter().copied().fold(0.0, f32::max);
        Self {
            covered: squares.covered.count(),
            in_doubt: squares.probability.iter().filter(|p| f64::from(likeliest(p)) < min_confidence).count(),
            mean_reliability: squares.reliability.iter().sum::<f32>() / 64.0,
            shaded: light.shaded.count(),
            light_gain: light.gain,
            noise_levels: light.noise[0],
            change_threshold,
            contrast,
        }
    }
}

/// What is known of the game.
#[derive(Debug, Clone, PartialEq)]
pub struct PositionReport {
    /// The legal position.
    pub fen: Fen,
    /// Is the side to move in check?
    pub check: bool,
    /// Plies played.
    pub ply: usize,
    /// May a draw be claimed by threefold repetition?
    pub threefold: bool,
    /// May a draw be claimed by fifty moves?
    pub fifty_moves: bool,
    /// Who has won; unknown (`*`) while the game goes on.
    pub result: shakmaty::Outcome,
    /// Why it is over; `None` while it is not.
    pub result_reason: Option<Ending>,
    /// Does an illegal position stand on the board?
    pub illegal: bool,
    /// What the endgame tables say; `None` where they do not hold the position.
    pub endgame: Option<Endgame>,
}

/// What the endgame tables say of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Endgame {
    /// For the side to move, with best play of both sides.
    pub outcome: Outcome,
    /// Full moves until mate; `None` in a draw, and where the tables know the outcome only.
    pub distance: Option<u8>,
}

/// How a picture is read: what the pictures before it have told of rest, and what people have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manner {
    /// The whole board has rested long enough for warnings.
    pub patient: bool,
    /// Somebody has said "now".
    pub forced: bool,
    /// A hand may be passing.
    pub passing: bool,
    /// Squares that are not at rest, a1 the lowest bit.
    pub unsettled: u64,
}

impl Manner {
    /// A look in this manner.
    pub(super) const fn look(self, min_confidence: f64) -> (Look, Bitboard) {
        let Self { patient, forced, passing, unsettled } = self;
        (Look { settled: true, patient, forced, passing, min_confidence }, Bitboard(unsettled))
    }
}

/// Counters since the start.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Stats {
    /// Pictures observed.
    pub frames: u64,
    /// Pictures that were left out, of a board at rest.
    pub left_out: u64,
    /// Pictures with something moving on the board.
    pub disturbed: u64,
    /// Pictures in which a decision was sought.
    pub looks: u64,
    /// Pictures whose time was before that of the last one.
    pub time_jumps: u64,
    /// Of the looks, those at pictures in which the board was neither in its place nor found elsewhere: nothing was read.
    pub refused: u64,
}

#[cfg(test)]
mod tests {
    use shakmaty::{Bitboard, Square};

    use super::*;

    fn report() -> BoardReport {
        let squares = Squares {
            probability: [[0.98, 0.01, 0.01]; 64],
            changed: [0.02; 64],
            reliability: [1.0; 64],
            covered: Bitboard::EMPTY,
        };
        BoardReport { state: BoardState::Locked, corners: None, mirrored: false, pose: None, squares: Some(squares) }
    }

    fn changed(change: fn(&mut Squares)) -> BoardReport {
        let mut report = report();
        report.squares.iter_mut().for_each(change);
        report
    }

    #[test]
    fn noise_is_no_news_and_a_change_of_one_square_is() {
        assert!(!report().is_news_to(&report()));
        assert!(!changed(|s| s.probability = [[0.975, 0.015, 0.01]; 64]).is_news_to(&report()));
        let news: [fn(&mut Squares); 4] = [
            |s| s.probability[63] = [0.9, 0.1, 0.0],
            |s| s.changed[0] = 0.5,
            |s| s.reliability[7] = 0.9,
            |s| s.covered.add(Square::E4),
        ];
        for change in news {
            assert!(changed(change).is_news_to(&report()) && report().is_news_to(&changed(change)));
        }
        assert!(BoardReport { squares: None, ..report() }.is_news_to(&report()));
        assert!(BoardReport { state: BoardState::Lost, ..report() }.is_news_to(&report()));
    }

    #[test]
    fn a_look_in_numbers_counts_what_is_covered_and_what_is_in_doubt() {
        let mut light = Light { noise: [1.5, 9.0, 9.0], gain: [1.0, 0.9, 0.8], ..Light::default() };
        light.shaded = Bitboard::from(shakmaty::Square::D1);
        let sight = |report: BoardReport, least: f64| {
            LookSummary::of(&report.squares.expect("a look"), &light, 4.5, None, least)
        };
        let clear = LookSummary {
            covered: 0,
            in_doubt: 0,
            mean_reliability: 1.0,
            shaded: 1,
            light_gain: [1.0, 0.9, 0.8],
            noise_levels: 1.5,
            change_threshold: 4.5,
            contrast: None,
        };
        assert_eq!(sight(report(), 0.95), clear);
        // Who asks for more is in more doubt.
        assert_eq!(sight(report(), 0.99), LookSummary { in_doubt: 64, ..clear });
        let hand = changed(|s| {
            s.covered = Bitboard::from_square(Square::E4) | Bitboard::from_square(Square::E5);
            s.probability[28] = [0.4, 0.3, 0.3];
            s.reliability[28] = 0.0;
            s.reliability[36] = 0.0;
        });
        assert_eq!(sight(hand, 0.95), LookSummary { covered: 2, in_doubt: 1, mean_reliability: 62.0 / 64.0, ..clear });
    }
}
