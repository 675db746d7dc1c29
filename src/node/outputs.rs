//! What the node publishes, with the quality of service of each topic.

use r2r::{
    Node, Publisher, PublisherUntyped, QosProfile,
    chess_observer::msg::{Board, Move, Position, Warning},
    sensor_msgs::msg::{CompressedImage, Image},
    std_msgs::msg::{Header, String as Text},
};

use image::codecs::jpeg::JpegEncoder;

use super::log::Log;

/// Everything but `/diagnostics` and `/parameter_events`.
#[derive(Debug)]
pub struct Outputs {
    moves: Publisher<Move>,
    warnings: Publisher<Warning>,
    position: Publisher<Position>,
    pgn: Publisher<Text>,
    board: Publisher<Board>,
    overlay: Publisher<Image>,
    overlay_compressed: Publisher<CompressedImage>,
    markers: Option<PublisherUntyped>,
    tf: Option<PublisherUntyped>,
    log: Log,
}

/// Moves and warnings: none is lost on a slow network; 50 is more than a game has in a minute.
pub(super) const EVENTS: QosProfile = QosProfile::default().keep_last(50);
/// State: who comes late gets the last one.
pub(super) const LATCHED: QosProfile = QosProfile::default().keep_last(1).transient_local();
/// Offered reliable, which also serves best-effort subscribers: a best-effort picture above the middleware's segment
/// size practically never arrives whole.
pub(super) const PICTURES: QosProfile = QosProfile::default().keep_last(2);
/// JPEG quality of the overlay, as image_transport has it by default up to thin lines that stay clean.
const OVERLAY_QUALITY: u8 = 90;
/// As every tf broadcaster has it.
const TF: QosProfile = QosProfile::default().keep_last(100);

impl Outputs {
    /// Creates all publishers.
    ///
    /// # Errors
    /// When the middleware refuses one.
    pub fn new(node: &mut Node, log: Log) -> r2r::Result<Self> {
        let tf = match node.create_publisher_untyped("/tf", "tf2_msgs/msg/TFMessage", TF) {
            Ok(publisher) => Some(publisher),
            Err(_) => {
                log.warn("built without tf2_msgs: the board's frame is not published on /tf");
                None
            }
        };
        let markers = match node.create_publisher_untyped("~/markers", "visualization_msgs/msg/MarkerArray", LATCHED) {
            Ok(publisher) => Some(publisher),
            Err(_) => {
                log.warn("built without visualization_msgs: the board is not shown on ~/markers");
                None
            }
        };
        Ok(Self {
            moves: node.create_publisher("moves", EVENTS)?,
            warnings: node.create_publisher("warnings", EVENTS)?,
            position: node.create_publisher("position", LATCHED)?,
            pgn: node.create_publisher("pgn", LATCHED)?,
            board: node.create_publisher("board", LATCHED)?,
            overlay: node.create_publisher("~/overlay", PICTURES)?,
            overlay_compressed: node.create_publisher("~/overlay/compressed", PICTURES)?,
            markers,
            tf,
            log,
        })
    }

    /// Is the node able to publish on `/tf`?
    #[must_use]
    pub(super) const fn has_tf(&self) -> bool {
        self.tf.is_some()
    }

    /// Publishes on `moves`.
    pub fn a_move(&self, message: &Move) {
        self.check("moves", self.moves.publish(message));
    }

    /// Publishes on `warnings`.
    pub fn warning(&self, message: &Warning) {
        self.check("warnings", self.warnings.publish(message));
    }

    /// Publishes on `position`.
    pub fn position(&self, message: &Position) {
        self.check("position", self.position.publish(message));
    }

    /// Publishes on `pgn`.
    pub fn pgn(&self, text: &str) {
        // A C string ends at a NUL, and r2r panics on one.
        self.check("pgn", self.pgn.publish(&Text { data: text.replace('\0', " ") }));
    }

    /// Publishes on `board`.
    pub fn board(&self, message: &Board) {
        self.check("board", self.board.publish(message));
    }

    /// Publishes on `/tf`.
    pub(crate) fn transform(&self, message: serde_json::Value) {
        if let Some(tf) = &self.tf {
            self.check("/tf", tf.publish(message));
        }
    }

    /// How many look at `~/markers`.
    #[must_use]
    pub(super) fn marker_viewers(&self) -> usize {
        self.markers.as_ref().and_then(|markers| markers.get_inter_process_subscription_count().ok()).unwrap_or(0)
    }

    /// Publishes on `~/markers`.
    pub(crate) fn markers(&self, message: serde_json::Value) {
        if let Some(markers) = &self.markers {
            self.check("~/markers", markers.publish(message));
        }
    }

    /// Does somebody look at `~/overlay`, in either form?
    #[must_use]
    pub(super) fn overlay_wanted(&self) -> bool {
        let [raw, compressed] = self.overlay_viewers();
        raw || compressed
    }

    /// Does somebody look at the overlay raw, and compressed?
    fn overlay_viewers(&self) -> [bool; 2] {
        [
            self.overlay.get_inter_process_subscription_count(),
            self.overlay_compressed.get_inter_process_subscription_count(),
        ]
        .map(|count| count.is_ok_and(|n| n > 0))
    }

    /// Publishes on `~/overlay` and `~/overlay/compressed`, where somebody looks.
    pub fn overlay(&self, header: &Header, picture: image::RgbImage) {
        let [raw, compressed] = self.overlay_viewers();
        if compressed {
            let mut data = Vec::new();
            match JpegEncoder::new_with_quality(&mut data, OVERLAY_QUALITY).encode_image(&picture) {
                Ok(()) => {
                    let message =
                        CompressedImage { header: header.clone(), format: "rgb8; jpeg compressed bgr8".into(), data };
                    self.check("~/overlay/compressed", self.overlay_compressed.publish(&message));
                }
                Err(error) => self.log.error(&format!("the overlay cannot be compressed: {error}")),
            }
        }
        if !raw {
            return;
        }
        self.check("~/overlay", self.overlay.publish(&image_message(header, picture)));
    }

    fn check(&self, topic: &str, result: r2r::Result<()>) {
        check(&self.log, topic, result);
    }
}

/// Tells where something could not be published.
pub(super) fn check(log: &Log, topic: &str, result: r2r::Result<()>) {
    if let Err(error) = result {
        log.error(&format!("could not publish on {topic}: {error}"));
    }
}

/// A picture as it is published raw.
pub(super) fn image_message(header: &Header, picture: image::RgbImage) -> Image {
    let (width, height) = picture.dimensions();
    Image {
        header: header.clone(),
        width,
        height,
        step: 3 * width,
        encoding: "rgb8".into(),
        is_bigendian: 0,
        data: picture.into_raw(),
    }
}
