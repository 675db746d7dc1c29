//! What the node publishes, with the quality of service of each topic: as the observer of chess has them.

use r2r::{
    Node, Publisher,
    chess_observer::msg::{GoBoard, GoMove, Warning},
    sensor_msgs::msg::Image,
    std_msgs::msg::{Header, String as Text},
};

use crate::node::{
    log::Log,
    outputs::{EVENTS, LATCHED, PICTURES, check, image_message},
};

/// Everything but `/diagnostics` and `/parameter_events`.
pub struct Outputs {
    moves: Publisher<GoMove>,
    board: Publisher<GoBoard>,
    sgf: Publisher<Text>,
    warnings: Publisher<Warning>,
    overlay: Publisher<Image>,
    log: Log,
}

impl Outputs {
    /// Creates all publishers.
    ///
    /// # Errors
    /// When the middleware refuses one.
    pub(super) fn new(node: &mut Node, log: Log) -> r2r::Result<Self> {
        Ok(Self {
            moves: node.create_publisher("go_moves", EVENTS)?,
            board: node.create_publisher("go_board", LATCHED)?,
            sgf: node.create_publisher("sgf", LATCHED)?,
            warnings: node.create_publisher("warnings", EVENTS)?,
            overlay: node.create_publisher("~/overlay", PICTURES)?,
            log,
        })
    }

    /// Publishes on `go_moves`.
    pub(super) fn a_move(&self, message: &GoMove) {
        check(&self.log, "go_moves", self.moves.publish(message));
    }

    /// Publishes on `go_board`.
    pub(super) fn board(&self, message: &GoBoard) {
        check(&self.log, "go_board", self.board.publish(message));
    }

    /// Publishes on `sgf`.
    pub(super) fn sgf(&self, text: &str) {
        // A C string ends at a NUL, and r2r panics on one.
        check(&self.log, "sgf", self.sgf.publish(&Text { data: text.replace('\0', " ") }));
    }

    /// Publishes on `warnings`.
    pub(super) fn warning(&self, message: &Warning) {
        check(&self.log, "warnings", self.warnings.publish(message));
    }

    /// Does somebody look at `~/overlay`?
    pub(super) fn overlay_wanted(&self) -> bool {
        self.overlay.get_inter_process_subscription_count().is_ok_and(|n| n > 0)
    }

    /// Publishes on `~/overlay`.
    pub(super) fn overlay(&self, header: &Header, picture: image::RgbImage) {
        check(&self.log, "~/overlay", self.overlay.publish(&image_message(header, picture)));
    }
}
