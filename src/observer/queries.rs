//! What may be asked of an observer, between pictures.

use std::cell::OnceCell;

use shakmaty::{Board, Square};

use super::{
    BoardReport, CameraError, Endgame, Figures, LookSummary, Manner, Observer, PositionReport, Stats, TrackerState,
    overlay,
};
use crate::{
    board::{
        calibration::Calibration,
        corners::{Corners, GeometryError},
    },
    endgame::{self, SyzygyFault},
    event::{Event, hindrance::Hindrance},
    frame::{Frame, Stamp},
    game::{Explanation, Game, account::Account, line::Ply},
    sight::{
        features::{Contrast, Seen},
        layout::Layout,
        squares::Squares,
    },
};

/// What the pictures so far have left for whoever asks.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) stats: Stats,
    /// What the last look said of each square.
    pub(super) squares: Option<Squares>,
    /// How the last position looked at first.
    pub(super) first_sight: Option<FirstSight>,
    /// How the last picture was read; `None` where it was not.
    pub(super) manner: Option<Manner>,
    /// Squares of the last move, for the overlay.
    last_change: Vec<Square>,
}

/// A position as it was seen for the first time.
#[derive(Debug)]
pub(super) struct FirstSight {
    pub(super) stamp: Stamp,
    pub(super) men: Board,
    pub(super) seen: Seen,
    /// In figures, once somebody asks: nothing is decided by them.
    pub(super) figures: OnceCell<Box<Figures>>,
}

impl Findings {
    pub(super) fn remember_change(&mut self, events: &[Event]) {
        for event in events {
            let uci = match event {
                Event::Move { uci, .. } | Event::Revised { uci, .. } => Some(*uci),
                Event::Illegal { uci, .. } => *uci,
                _ => continue,
            };
            self.last_change = uci.into_iter().flat_map(|uci| [uci.from(), uci.to()]).flatten().collect();
        }
    }
}

impl Observer {
    /// Why nothing is used of what was told of the camera; `None` while it is used, or nothing was told.
    #[must_use]
    pub fn camera_problem(&self) -> Option<CameraError> {
        self.watch.camera_problem()
    }

    /// What was made of the last picture, where [`explain`](Self::explain) asked for that; `None` where it was not read.
    #[must_use]
    pub fn account(&self) -> Option<&Account> {
        self.game.account().filter(|_| self.findings.manner.is_some())
    }

    /// How the last picture was read; `None` where it was not.
    #[must_use]
    pub(crate) const fn manner(&self) -> Option<Manner> {
        self.findings.manner
    }

    /// Why the corners that were given are not used; `None` while they are, or none were given. Known from the first
    /// picture on.
    #[must_use]
    pub fn corners_problem(&self) -> Option<GeometryError> {
        self.watch.corners_problem()
    }

    /// Why no game begins, where the board is searched in vain; `None` while it is in view, or nothing was searched. For the first
    /// ten seconds of a film it is what a glance tells.
    #[must_use]
    pub const fn hindrance(&self) -> Option<&Hindrance> {
        self.watch.hindrance()
    }

    /// The board's place as it was last announced, to be offered at the next start; `None` where it is not known.
    #[must_use]
    pub fn calibration(&self) -> Option<Calibration> {
        self.watch.calibration()
    }

    /// The plies of the current game, first to last.
    #[must_use]
    pub fn plies(&self) -> &[Ply] {
        self.game.plies()
    }

    /// The game as PGN, always complete.
    #[must_use]
    pub fn pgn(&self) -> String {
        self.game.pgn()
    }

    /// The game as all looks together make it likeliest; as it was told where [`keep_looks`](Self::keep_looks) was not called.
    #[must_use]
    pub fn in_hindsight(&self) -> Game {
        self.game.in_hindsight()
    }

    /// The games before this one that had a move, oldest first, as PGN: complete, with their results.
    #[must_use]
    pub fn finished(&self) -> &[String] {
        self.game.finished()
    }

    /// The position and its legal state.
    #[must_use]
    pub fn position(&self) -> PositionReport {
        let status = self.game.status();
        PositionReport {
            fen: crate::game::line::fen(self.game.position()),
            check: status.check,
            ply: status.ply,
            threefold: status.threefold,
            fifty_moves: status.fifty_moves,
            result: status.result,
            result_reason: status.reason,
            illegal: status.illegal,
            endgame: self.endgame(),
        }
    }

    /// What the endgame tables say: our own, and for more men those of the parameter `syzygy_directory`.
    fn endgame(&self) -> Option<Endgame> {
        let position = self.game.position();
        let known = endgame::outcome(position);
        let known = known.or_else(|| Some((self.syzygy.as_ref()?.outcome(position)?, None)));
        known.map(|(outcome, distance)| Endgame { outcome, distance })
    }

    /// Why the parameter `syzygy_directory` gives no tables, or not all; `None` while it does, or is empty.
    #[must_use]
    pub fn syzygy_fault(&self) -> Option<&SyzygyFault> {
        self.syzygy_fault.as_ref()
    }

    /// The board: where, how sure, what on it.
    #[must_use]
    pub fn board(&self) -> BoardReport {
        BoardReport {
            state: self.watch.state(),
            corners: self.corners(),
            mirrored: self.watch.mirrors(),
            pose: self.watch.pose(self.params.square_size_m),
            squares: self.findings.squares.clone(),
        }
    }

    /// Outer corners a1, h1, h8, a8 of the board, in the pictures as they come; `None` while it is not known.
    #[must_use]
    pub fn corners(&self) -> Option<Corners> {
        self.watch.map().map(|map| map.corners())
    }

    /// What the last look said of each square; `None` before the first one.
    #[must_use]
    pub const fn squares(&self) -> Option<&Squares> {
        self.findings.squares.as_ref()
    }

    /// The last position that was understood, in figures, as it was seen for the first time; `None` before the first one.
    #[must_use]
    pub fn figures(&self) -> Option<&Figures> {
        let FirstSight { stamp, men, seen, figures } = self.findings.first_sight.as_ref()?;
        if let Some(known) = figures.get() {
            return Some(known);
        }
        let view = self.watch.view()?;
        let layout = Layout::of(men);
        Some(figures.get_or_init(|| {
            let squares = view.features(seen, &layout);
            let contrast = Contrast::of(&squares, &layout);
            Box::new(Figures { stamp: *stamp, men: men.clone(), squares, contrast })
        }))
    }

    /// The last look at the whole board in a few numbers; `None` before the first one.
    #[must_use]
    pub fn sight(&self) -> Option<LookSummary> {
        let squares = self.findings.squares.as_ref()?;
        let contrast = self.figures().and_then(|figures| figures.contrast);
        let (light, threshold) = (self.reading.light(), self.threshold.sigma());
        Some(LookSummary::of(squares, &light, threshold, contrast, self.params.game_min_confidence))
    }

    /// The likeliest explanations of the last look, the likeliest first; empty where it was understood.
    #[must_use]
    pub fn explanations(&self) -> &[Explanation] {
        self.game.explanations()
    }

    /// What the tracker is doing.
    #[must_use]
    pub const fn tracker(&self) -> TrackerState {
        self.tracker
    }

    /// Counters since the start.
    #[must_use]
    pub const fn stats(&self) -> &Stats {
        &self.findings.stats
    }

    /// The picture with what is known drawn into it: grid, the outlines of the men, the last move, the state, and of every
    /// square what the last look said of it. Where the outlines lie on the men, the board's place and pose are right.
    #[must_use]
    pub fn overlay(&self, frame: &Frame<'_>) -> image::RgbImage {
        let map = self.watch.map();
        let seen = overlay::Drawing {
            map: map.as_ref(),
            camera: self.watch.projection(),
            men: self.game.standing(),
            change: &self.findings.last_change,
            squares: self.findings.squares.as_ref(),
            state: self.tracker,
        };
        overlay::draw(frame, &seen)
    }
}
