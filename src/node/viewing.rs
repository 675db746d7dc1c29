//! Who looks at the board on `~/markers`, and what he has seen of it; where a square is.

use r2r::{geometry_msgs::msg::PoseStamped, std_msgs::msg::Header};
use shakmaty::{Piece, Square};

use super::{
    markers::{self, Scene},
    outputs::Outputs,
};
use crate::{board::staunton, event::Event, observer::PositionReport, params::Params};

/// The last move, what is wrong on the board, and the markers that were published last.
#[derive(Debug, Default)]
pub(super) struct Viewing {
    last_move: Vec<Square>,
    /// Squares that somebody should look at, and why.
    wrong: (Vec<Square>, String),
    /// What was published last, and how many looked at it.
    shown: Option<(Scene, usize)>,
}

impl Viewing {
    /// Remembers the last move, and what is wrong; `position` is what stands after `events`.
    pub fn hear(&mut self, events: &[Event], position: &PositionReport) {
        for event in events {
            match event {
                Event::Move { uci, .. } | Event::Revised { uci, .. } => {
                    self.last_move = [uci.from(), uci.to()].into_iter().flatten().collect();
                }
                Event::TakeBack { .. } | Event::NewGame { .. } => self.last_move.clear(),
                Event::Illegal { squares, text, .. } => {
                    self.wrong = (squares.into_iter().collect(), text.clone());
                }
                _ => {}
            }
        }
        if !position.illegal {
            self.wrong = (Vec::new(), String::new());
        }
    }

    /// Publishes the markers where somebody looks at them, and they are news or he is.
    pub fn show(&mut self, outputs: &Outputs, position: &PositionReport, params: &Params) {
        let viewers = outputs.marker_viewers();
        if viewers == 0 {
            self.shown = None;
            return;
        }
        let scene = Scene {
            men: position.fen.as_setup().board.clone(),
            last_move: self.last_move.clone(),
            wrong: self.wrong.0.clone(),
            text: self.wrong.1.clone(),
            square_m: params.square_size_m,
            frame: params.board_frame.clone(),
        };
        if self.shown.as_ref().is_none_or(|(shown, before)| *shown != scene || viewers > *before) {
            outputs.markers(scene.message());
        }
        self.shown = Some((scene, viewers));
    }
}

/// Where a square is, seen in the picture with `header`: its middle, at the top of the man who stands there; and who that is, and
/// how high, in metres.
#[must_use]
pub(super) fn square_pose(
    square: Square,
    position: &PositionReport,
    params: &Params,
    header: &Header,
) -> (PoseStamped, Option<Piece>, f64) {
    let (square_m, man) = (params.square_size_m, position.fen.as_setup().board.piece_at(square));
    let height_m = man.map_or(0.0, |piece| staunton::height(piece.role) * square_m);
    let [x, y] = markers::middle(square, square_m);
    let mut pose = PoseStamped {
        header: Header { frame_id: params.board_frame.clone(), ..header.clone() },
        ..PoseStamped::default()
    };
    (pose.pose.position.x, pose.pose.position.y, pose.pose.position.z) = (x, y, height_m);
    pose.pose.orientation.w = 1.0;
    (pose, man, height_m)
}
