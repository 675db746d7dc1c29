//! The whole pipeline in one place: pictures in, events out.

use crate::{
    board::geometry::Corners,
    event::Event,
    frame::{Frame, Stamp},
    game::{CommandError, Game, Tags, start::Start},
    params::Params,
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

/// Intrinsic parameters of a camera, as in `sensor_msgs/CameraInfo`.
#[derive(Debug, Clone, PartialEq)]
pub struct CameraInfo {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Row-major 3×3 intrinsic matrix, in pixels.
    pub k: [f64; 9],
    /// Distortion model: `plumb_bob`, `rational_polynomial`, `equidistant`.
    pub distortion_model: String,
    /// Its coefficients.
    pub d: Vec<f64>,
}

/// Pose of the board in the camera's optical frame: `point_in_camera = rotation * point_in_board + translation`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// Rotation camera from board (x towards h1, y towards a8, z up).
    pub rotation: nalgebra::UnitQuaternion<f64>,
    /// Position of a1's outer corner in the camera's optical frame, in metres.
    pub translation_m: nalgebra::Vector3<f64>,
}

/// What is known of the board.
#[derive(Debug, Clone, PartialEq)]
pub struct BoardReport {
    /// State of the search.
    pub state: BoardState,
    /// Outer corners a1, h1, h8, a8.
    pub corners: Option<Corners>,
    /// Its pose, when the camera's parameters are known.
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

/// The pipeline: feed it pictures, it returns events.
#[derive(Debug)]
pub struct Observer {
    params: Params,
    game: Game,
    stats: Stats,
}

impl Observer {
    /// An observer at the beginning of a game.
    ///
    /// # Errors
    /// When the parameters contradict each other or the start position is not legal.
    pub fn new(params: &Params) -> Result<Self, CommandError> {
        let start =
            if params.game_start_fen.is_empty() { Start::default() } else { Start::from_fen(&params.game_start_fen)? };
        Ok(Self { params: params.clone(), game: Game::new(start, Tags::default()), stats: Stats::default() })
    }

    /// Takes over changed parameters; those that cannot change while running keep their value.
    pub fn set_params(&mut self, params: &Params) {
        self.params = params.clone();
    }

    /// Tells the camera's intrinsic parameters.
    pub fn set_camera_info(&mut self, _info: &CameraInfo) {}

    /// Looks at a picture.
    pub fn observe(&mut self, _frame: &Frame<'_>, _stamp: Stamp) -> Vec<Event> {
        self.stats.frames += 1;
        Vec::new()
    }

    /// Begins a new game from `fen`, or from the usual position.
    ///
    /// # Errors
    /// When the position is not legal.
    pub fn new_game(&mut self, _fen: Option<&str>) -> Result<Vec<Event>, CommandError> {
        Ok(Vec::new())
    }

    /// Says what stands on the board now; the game goes on from there.
    ///
    /// # Errors
    /// When the position is not legal.
    pub fn set_position(&mut self, _fen: &str) -> Result<Vec<Event>, CommandError> {
        Ok(Vec::new())
    }

    /// Takes the next picture as a settled position (a clock press, a robot's own signal).
    pub fn capture(&mut self) {}

    /// Takes back the last `plies` plies.
    ///
    /// # Errors
    /// When fewer have been played.
    pub fn take_back(&mut self, _plies: usize) -> Result<Vec<Event>, CommandError> {
        Ok(Vec::new())
    }

    /// Says that ply `ply` (1 for the first, 0 for the last one played) was `uci` (or SAN).
    ///
    /// # Errors
    /// When there is no such ply, the move is not legal there, or the plies after it no longer are.
    pub fn correct_move(&mut self, _ply: usize, _uci: &str) -> Result<Vec<Event>, CommandError> {
        Ok(Vec::new())
    }

    /// Ends the game (`1-0`, `0-1`, `1/2-1/2`) or reopens it (`*`).
    ///
    /// # Errors
    /// When the text is none of these.
    pub fn set_result(&mut self, _result: &str) -> Result<Vec<Event>, CommandError> {
        Ok(Vec::new())
    }

    /// Gives the board's corners, or asks for a new search in the next picture.
    pub fn locate_board(&mut self, _corners: Option<Corners>) {}

    /// While paused, pictures are counted and not looked at.
    pub fn set_paused(&mut self, _paused: bool) {}

    /// The game as PGN, always complete.
    #[must_use]
    pub fn pgn(&self) -> String {
        String::new()
    }

    /// The position and its legal state.
    #[must_use]
    pub fn position(&self) -> PositionReport {
        PositionReport {
            fen: String::new(),
            white_to_move: true,
            check: false,
            ply: 0,
            threefold: false,
            fifty_moves: false,
            result: "*".into(),
            result_reason: String::new(),
            illegal: false,
        }
    }

    /// The board: where, how sure, what on it.
    #[must_use]
    pub fn board(&self) -> BoardReport {
        BoardReport { state: BoardState::Searching, corners: None, pose: None, occupancy: None }
    }

    /// What the tracker is doing.
    #[must_use]
    pub fn tracker(&self) -> TrackerState {
        TrackerState::NoBoard
    }

    /// Counters since the start.
    #[must_use]
    pub const fn stats(&self) -> &Stats {
        &self.stats
    }

    /// The picture with what is known drawn into it: grid, men, doubts, the last move.
    #[must_use]
    pub fn overlay(&self, frame: &Frame<'_>) -> image::RgbImage {
        frame.to_rgb()
    }
}
