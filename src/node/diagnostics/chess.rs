//! What the observer of chess says of its work.

use r2r::diagnostic_msgs::msg::DiagnosticStatus;

use super::{ERROR, WARN, board_words, key, status, tracker_words};
use crate::{
    event::hindrance::Hindrance,
    game::Explanation,
    node::status::{Missing, Reports, Status},
    observer::{BoardState, LookSummary, Pose, PoseSource, Stats, TrackerState},
    sight::features::Contrast,
};

impl Reports for Status {
    const RECORD: &'static str = "pgn file";

    fn stats(&self) -> &Stats {
        &self.stats
    }

    fn missing(&self) -> Option<Missing> {
        match (self.tracker, self.board) {
            (TrackerState::NoBoard, BoardState::Lost) => Some(Missing::Lost("its corners with ~/locate_board")),
            (TrackerState::NoBoard, _) => Some(match &self.hindrance {
                Some(hindrance) => Missing::Board { kind: hindrance.word(), why: hindrance.sentence() },
                None => Missing::Board {
                    kind: "unknown",
                    why: "it is not found in them; the whole board with the men of the first position (the usual one, or \
                          game.start_fen) must be in the picture"
                        .into(),
                },
            }),
            _ => None,
        }
    }

    fn parts(&self, hangs: Option<&str>) -> Vec<DiagnosticStatus> {
        vec![board(self), tracker(self, hangs)]
    }
}

fn board(actor: &Status) -> DiagnosticStatus {
    let (mut level, state) = board_words(actor.board);
    let mut message = state.to_owned();
    let hindrance = actor.hindrance.as_ref().filter(|_| actor.board == BoardState::Searching);
    if let Some(hindrance) = hindrance {
        message = format!("{state}: {}", hindrance.sentence());
    }
    if actor.mirrored {
        message = format!("{message}; the pictures are read as mirror images");
    }
    if !actor.camera_problem.is_empty() {
        level = WARN;
        message = format!("{message}; camera_info is not used: {}", actor.camera_problem);
    }
    if !actor.corners_problem.is_empty() {
        level = WARN;
        message = format!("{message}; board.corners are not used: {}", actor.corners_problem);
    }
    let source = actor.pose.map_or("none", |pose| match pose.source {
        PoseSource::CameraInfo => "camera_info",
        PoseSource::Estimated => "estimated",
    });
    let of_pose = |number: fn(&Pose) -> f64, digits: usize| {
        actor.pose.as_ref().map_or_else(String::new, |pose| format!("{:.digits$}", number(pose)))
    };
    let values = vec![
        key("state", state),
        key("hindrance", hindrance.map_or("", Hindrance::word)),
        key("mirrored", actor.mirrored),
        key("square_px", actor.square_px.map_or_else(String::new, |px| format!("{px:.1}"))),
        key("pose", source),
        key("pose_angle_sd_deg", of_pose(|pose| pose.angle_sd_rad.to_degrees(), 2)),
        key("pose_distance_sd_percent", of_pose(|pose| 100.0 * pose.distance_sd, 2)),
        key("focal_px", of_pose(|pose| pose.focal_px, 0)),
        key("camera_info_problem", &actor.camera_problem),
        key("corners_problem", &actor.corners_problem),
        key("tf", if actor.has_tf { "available" } else { "built without tf2_msgs" }),
    ];
    status("board", level, message, values)
}

fn tracker(actor: &Status, hangs: Option<&str>) -> DiagnosticStatus {
    let (mut level, state) = tracker_words(actor.tracker);
    let mut message = state.to_owned();
    if !actor.syzygy_problem.is_empty() {
        level = WARN;
        message = format!("{state}; {}", actor.syzygy_problem);
    }
    if let Some(why) = hangs {
        (level, message) = (ERROR, format!("the observer hangs: {why}"));
    }
    let of_sight = |text: fn(&LookSummary) -> String| actor.sight.as_ref().map_or_else(String::new, text);
    let contrast = actor.sight.as_ref().and_then(|sight| sight.contrast.as_ref());
    let of_contrast = |text: fn(&Contrast) -> String| contrast.map_or_else(String::new, text);
    let values = vec![
        key("state", state),
        key("ply", actor.ply),
        key("disturbed_pictures", actor.stats.disturbed),
        key("looks", actor.stats.looks),
        key("looks_without_board", actor.stats.refused),
        key("squares_covered", of_sight(|sight| sight.covered.to_string())),
        key("squares_in_doubt", of_sight(|sight| sight.in_doubt.to_string())),
        key("mean_reliability", of_sight(|sight| format!("{:.2}", sight.mean_reliability))),
        key("squares_shaded", of_sight(|sight| sight.shaded.to_string())),
        key("light_gain_red", of_sight(|sight| format!("{:.3}", sight.light_gain[0]))),
        key("light_gain_green", of_sight(|sight| format!("{:.3}", sight.light_gain[1]))),
        key("light_gain_blue", of_sight(|sight| format!("{:.3}", sight.light_gain[2]))),
        key("noise_levels", of_sight(|sight| format!("{:.2}", sight.noise_levels))),
        key("change_threshold", of_sight(|sight| format!("{:.2}", sight.change_threshold))),
        key("contrast_delta_e", of_contrast(|contrast| format!("{:.1}", contrast.delta_e))),
        key("contrast_between", of_contrast(|contrast| contrast.between.join(" and "))),
        key("explanations", explanations(&actor.explanations)),
        key("last_picture_ms", format!("{:.1}", 1e3 * actor.last_look.as_secs_f64())),
    ];
    status("tracker", level, message, values)
}

/// `e2e4 0.612, none 0.201`: each ply as UCI with its probability.
fn explanations(open: &[Explanation]) -> String {
    let named = |e: &Explanation| {
        let ply = if e.uci.is_empty() { "none" } else { e.uci.as_str() };
        format!("{ply} {:.3}", e.probability)
    };
    open.iter().map(named).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::node::diagnostics::OK;

    fn actor() -> Status {
        Status {
            board: BoardState::Locked,
            square_px: Some(40.0),
            mirrored: false,
            hindrance: None,
            pose: None,
            camera_problem: String::new(),
            corners_problem: String::new(),
            syzygy_problem: String::new(),
            tracker: TrackerState::Following,
            ply: 4,
            sight: None,
            explanations: Vec::new(),
            stats: Stats::default(),
            has_tf: true,
            last_look: Duration::ZERO,
        }
    }

    #[test]
    fn a_calibration_that_is_not_used_is_a_warning() {
        let told = board(&actor());
        assert_eq!((u32::from(told.level), told.message.as_str()), (OK, "locked"));
        let told = board(&Status { camera_problem: "no such lens".into(), ..actor() });
        assert_eq!(
            (u32::from(told.level), told.message.as_str()),
            (WARN, "locked; camera_info is not used: no such lens")
        );
    }

    #[test]
    fn what_hinders_a_beginning_and_a_mirror_are_told() {
        let dark = Status { board: BoardState::Searching, hindrance: Some(Hindrance::Dark), ..actor() };
        let told = board(&dark);
        assert_eq!(u32::from(told.level), WARN);
        assert!(told.message.starts_with("searching: the picture is too dark"), "{}", told.message);
        assert!(told.values.iter().any(|v| (v.key.as_str(), v.value.as_str()) == ("hindrance", "dark")));
        let told = board(&Status { mirrored: true, hindrance: Some(Hindrance::Dark), ..actor() });
        assert_eq!(told.message, "locked; the pictures are read as mirror images");
    }

    #[test]
    fn the_last_look_is_told_in_numbers_once_there_is_one() {
        let values = |sight: Option<LookSummary>| {
            let told = tracker(&Status { sight, ..actor() }, None);
            [
                "squares_covered",
                "squares_in_doubt",
                "mean_reliability",
                "light_gain_blue",
                "noise_levels",
                "contrast_delta_e",
                "contrast_between",
            ]
            .map(|name| told.values.iter().find(|v| v.key == name).unwrap().value.clone())
        };
        assert_eq!(values(None), [""; 7]);
        let sight = LookSummary {
            covered: 3,
            in_doubt: 1,
            mean_reliability: 0.87,
            shaded: 0,
            light_gain: [1.0, 1.0, 0.9],
            noise_levels: 1.25,
            change_threshold: 4.0,
            contrast: Some(Contrast { delta_e: 12.34, between: ["white men", "light squares"] }),
        };
        let told = ["3", "1", "0.87", "0.900", "1.25", "12.3", "white men and light squares"];
        assert_eq!(values(Some(sight)), told);
    }

    #[test]
    fn what_a_look_left_open_is_named() {
        let open = |uci: &str, probability| Explanation { uci: uci.into(), san: String::new(), probability };
        assert_eq!(explanations(&[]), "");
        assert_eq!(explanations(&[open("e2e4", 0.6), open("", 0.25)]), "e2e4 0.600, none 0.250");
    }

    #[test]
    fn an_observer_that_hangs_is_an_error() {
        let told = tracker(&actor(), Some("no picture was finished for 15.0 s"));
        assert_eq!(
            (u32::from(told.level), told.message.as_str()),
            (ERROR, "the observer hangs: no picture was finished for 15.0 s")
        );
    }
}
