//! What the observer tells when asked.

use crate::{board::geometry::Corners, endgame::Outcome};

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
    /// Outer corners a1, h1, h8, a8.
    pub corners: Option<Corners>,
    /// Its pose, from the camera's parameters or estimated.
    pub pose: Option<Pose>,
    /// Probabilities of empty, white man, black man for a1, b1, … h8; `None` before the first look.
    pub occupancy: Option<[[f32; 3]; 64]>,
}

/// What is known of the game.
#[derive(Debug, Clone, PartialEq)]
pub struct PositionReport {
    /// The legal position, six fields.
    pub fen: String,
    /// White to move?
    pub white_to_move: bool,
    /// Is the side to move in check?
    pub check: bool,
    /// Plies played.
    pub ply: usize,
    /// May a draw be claimed by threefold repetition?
    pub threefold: bool,
    /// May a draw be claimed by fifty moves?
    pub fifty_moves: bool,
    /// `*`, `1-0`, `0-1` or `1/2-1/2`.
    pub result: String,
    /// Why it is over; empty while it is not.
    pub result_reason: String,
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

/// Counters since the start.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Stats {
    /// Pictures observed.
    pub frames: u64,
    /// Pictures with something moving on the board.
    pub disturbed: u64,
    /// Pictures in which a decision was sought.
    pub looks: u64,
    /// Pictures whose time was before that of the last one.
    pub time_jumps: u64,
    /// Pictures refused, for instance because their size changed and the board was not found again.
    pub refused: u64,
}
