//! From the observer's words to messages.

use r2r::{
    chess_observer::msg::{Board, Move, Position, Warning},
    geometry_msgs::msg::{Point, Pose, Quaternion},
    std_msgs::msg::Header,
};
use shakmaty::{Bitboard, Color, KnownOutcome, Square};

use crate::{
    endgame::Outcome,
    event::Event,
    observer::{self, BoardReport, BoardState, PoseSource, PositionReport, TrackerState},
};

/// The message that an event becomes. What only changes `position` or `pgn` becomes none.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// On `moves`.
    Move(Move),
    /// On `warnings`.
    Warning(Warning),
}

/// `event`, seen in the picture with `header`; `legal` is the legal position after it as FEN.
#[must_use]
pub fn tell(event: &Event, header: &Header, legal: &str) -> Option<Message> {
    told_move(event, header).map(Message::Move).or_else(|| told_warning(event, header, legal).map(Message::Warning))
}

/// What goes on `moves`.
fn told_move(event: &Event, header: &Header) -> Option<Move> {
    let a_move = |kind: u8| Move { header: header.clone(), kind, confidence: f32::NAN, ..Move::default() };
    Some(match event {
        Event::Move { ply, uci, san, fen, confidence } => Move {
            ply: *ply as u32,
            uci: uci.to_string(),
            san: san.to_string(),
            fen: fen.to_string(),
            confidence: *confidence as f32,
            ..a_move(Move::KIND_NEW as u8)
        },
        Event::Revised { ply, was, uci, san, fen } => Move {
            ply: *ply as u32,
            uci: uci.to_string(),
            san: san.to_string(),
            fen: fen.to_string(),
            was: was.to_string(),
            ..a_move(Move::KIND_REVISED as u8)
        },
        Event::TakeBack { ply, fen } => {
            Move { ply: *ply as u32, fen: fen.to_string(), ..a_move(Move::KIND_TAKEN_BACK as u8) }
        }
        _ => return None,
    })
}

/// What goes on `warnings`.
fn told_warning(event: &Event, header: &Header, legal: &str) -> Option<Warning> {
    let names = |squares: Bitboard| squares.into_iter().map(|square| square.to_string()).collect();
    let warning = |kind: u8, squares: Bitboard| Warning {
        header: header.clone(),
        kind,
        squares: names(squares),
        text: event.sentence().unwrap_or_default(),
        fen: legal.into(),
        ..Warning::default()
    };
    Some(match event {
        Event::Illegal { reasons, squares, uci, text } => Warning {
            reasons: reasons.bits(),
            uci: uci.map_or_else(String::new, |uci| uci.to_string()),
            text: text.clone(),
            ..warning(Warning::KIND_ILLEGAL as u8, *squares)
        },
        Event::Unexpected { uci, expected, text, .. } => Warning {
            uci: uci.to_string(),
            expected: expected.to_string(),
            text: text.clone(),
            // In the order of the move.
            squares: [uci.from(), uci.to()].into_iter().flatten().map(|square| square.to_string()).collect(),
            ..warning(Warning::KIND_UNEXPECTED as u8, Bitboard::EMPTY)
        },
        Event::Restored => warning(Warning::KIND_RESTORED as u8, Bitboard::EMPTY),
        Event::Touched { square } => warning(Warning::KIND_TOUCHED as u8, Bitboard::from_square(*square)),
        Event::Uncertain { squares } => warning(Warning::KIND_UNCERTAIN as u8, *squares),
        Event::BoardMoved { .. } => warning(Warning::KIND_BOARD_MOVED as u8, Bitboard::EMPTY),
        Event::BoardLost => warning(Warning::KIND_BOARD_LOST as u8, Bitboard::EMPTY),
        Event::BoardFound { .. } => warning(Warning::KIND_BOARD_FOUND as u8, Bitboard::EMPTY),
        // The move itself says that it was expected.
        Event::Expected { .. } | Event::NewGame { .. } | Event::Result { .. } => return None,
        Event::Move { .. } | Event::Revised { .. } | Event::TakeBack { .. } => return None,
    })
}

/// `Move.expected`, by the event that follows the move.
#[must_use]
pub(super) const fn expectation(next: Option<&Event>) -> u8 {
    match next {
        Some(Event::Expected { unseen: true, .. }) => Move::EXPECTED_UNSEEN as u8,
        Some(Event::Expected { .. }) => Move::EXPECTED_YES as u8,
        Some(Event::Unexpected { .. }) => Move::EXPECTED_NO as u8,
        _ => Move::EXPECTED_NOTHING as u8,
    }
}

/// The message on `position`.
#[must_use]
pub fn position(report: &PositionReport, header: &Header) -> Position {
    Position {
        header: header.clone(),
        fen: report.fen.to_string(),
        white_to_move: report.fen.as_setup().turn.is_white(),
        check: report.check,
        ply: report.ply as u32,
        can_claim_threefold: report.threefold,
        can_claim_fifty_moves: report.fifty_moves,
        result: match report.result.known() {
            Some(KnownOutcome::Decisive { winner: Color::White }) => Position::RESULT_WHITE_WINS as u8,
            Some(KnownOutcome::Decisive { winner: Color::Black }) => Position::RESULT_BLACK_WINS as u8,
            Some(KnownOutcome::Draw) => Position::RESULT_DRAW as u8,
            None => Position::RESULT_NONE as u8,
        },
        result_reason: report.result_reason.map_or_else(String::new, |reason| reason.to_string()),
        illegal: report.illegal,
        endgame: match report.endgame.map(|e| e.outcome) {
            None => Position::ENDGAME_UNKNOWN as u8,
            Some(Outcome::Win) => Position::ENDGAME_WIN as u8,
            Some(Outcome::Draw) => Position::ENDGAME_DRAW as u8,
            Some(Outcome::Loss) => Position::ENDGAME_LOSS as u8,
        },
        endgame_distance: match report.endgame.map(|e| (e.outcome, e.distance)) {
            None | Some((Outcome::Draw, _)) => 0,
            Some((_, Some(moves))) => u16::from(moves),
            Some((_, None)) => Position::ENDGAME_DISTANCE_UNKNOWN as u16,
        },
    }
}

/// The message on `board`.
#[must_use]
pub fn board(report: &BoardReport, tracker: TrackerState, header: &Header) -> Board {
    let of_pose = |number: fn(&observer::Pose) -> f64| report.pose.as_ref().map_or(f64::NAN, number);
    Board {
        header: header.clone(),
        state: match report.state {
            BoardState::Searching => Board::STATE_SEARCHING as u8,
            BoardState::Locked => Board::STATE_LOCKED as u8,
            BoardState::Lost => Board::STATE_LOST as u8,
        },
        corners: report.corners.iter().flat_map(|c| c.to_array().concat()).collect(),
        mirrored: report.mirrored,
        pose_source: match report.pose.as_ref().map(|pose| pose.source) {
            None => Board::POSE_NONE as u8,
            Some(PoseSource::CameraInfo) => Board::POSE_CAMERA_INFO as u8,
            Some(PoseSource::Estimated) => Board::POSE_ESTIMATED as u8,
        },
        pose: report.pose.as_ref().map_or_else(identity, pose),
        pose_angle_sd_rad: of_pose(|pose| pose.angle_sd_rad),
        pose_distance_sd: of_pose(|pose| pose.distance_sd),
        focal_px: of_pose(|pose| pose.focal_px),
        focal_sd: of_pose(|pose| pose.focal_sd),
        occupancy: report.squares.iter().flat_map(|s| s.probability.as_flattened()).copied().collect(),
        changed: report.squares.iter().flat_map(|s| s.changed).collect(),
        reliability: report.squares.iter().flat_map(|s| s.reliability).collect(),
        covered: report.squares.iter().flat_map(|s| Square::ALL.map(|square| s.covered.contains(square))).collect(),
        tracker: match tracker {
            TrackerState::NoBoard => Board::TRACKER_NO_BOARD as u8,
            TrackerState::Following => Board::TRACKER_FOLLOWING as u8,
            TrackerState::Disturbed => Board::TRACKER_DISTURBED as u8,
            TrackerState::Doubt => Board::TRACKER_DOUBT as u8,
            TrackerState::Illegal => Board::TRACKER_ILLEGAL as u8,
            TrackerState::Paused => Board::TRACKER_PAUSED as u8,
            TrackerState::Over => Board::TRACKER_OVER as u8,
        },
    }
}

fn pose(pose: &observer::Pose) -> Pose {
    let (t, q) = (&pose.translation_m, &pose.rotation);
    Pose { position: Point { x: t.x, y: t.y, z: t.z }, orientation: Quaternion { x: q.i, y: q.j, z: q.k, w: q.w } }
}

/// A quaternion of zeros is no rotation at all.
fn identity() -> Pose {
    Pose { orientation: Quaternion { w: 1.0, ..Quaternion::default() }, ..Pose::default() }
}

/// The message on `/tf` for a board seen in the picture with `header`, as JSON: r2r takes messages whose package may be
/// absent in that form.
#[must_use]
pub(crate) fn transform(report: &observer::Pose, header: &Header, board_frame: &str) -> serde_json::Value {
    let Pose { position: t, orientation: q } = pose(report);
    serde_json::json!({ "transforms": [{
        "header": {
            "stamp": { "sec": header.stamp.sec, "nanosec": header.stamp.nanosec },
            "frame_id": header.frame_id,
        },
        "child_frame_id": board_frame,
        "transform": {
            "translation": { "x": t.x, "y": t.y, "z": t.z },
            "rotation": { "x": q.x, "y": q.y, "z": q.z, "w": q.w },
        },
    }] })
}

#[cfg(test)]
mod tests {
    use shakmaty::fen::Fen;

    use super::*;
    use crate::{
        board::corners::Corners,
        event::{ending::Ending, reasons::IllegalReason},
        sight::squares::Squares,
    };

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    fn header() -> Header {
        let mut header = Header { frame_id: "camera_optical".into(), ..Header::default() };
        header.stamp.sec = 12;
        header
    }

    #[test]
    fn a_move_carries_everything_and_its_pictures_header() {
        let (uci, san) = ("g1f3".parse().unwrap(), "Nf3".parse().unwrap());
        let event = Event::Move { ply: 3, uci, san, fen: Fen::default(), confidence: 0.75 };
        let Some(Message::Move(told)) = tell(&event, &header(), "other") else { panic!("no move") };
        assert_eq!((told.kind, told.ply, told.confidence), (1, 3, 0.75));
        assert_eq!((told.uci.as_str(), told.san.as_str(), told.fen.as_str()), ("g1f3", "Nf3", START));
        assert_eq!(told.header, header());
    }

    #[test]
    fn revised_and_taken_back_plies_are_told_apart() {
        let [was, uci] = ["h7h8q", "h7h8n"].map(|uci| uci.parse().unwrap());
        let revised = Event::Revised { ply: 13, was, uci, san: "h8=N".parse().unwrap(), fen: Fen::default() };
        let Some(Message::Move(told)) = tell(&revised, &header(), "") else { panic!("no move") };
        assert_eq!((told.kind, told.was.as_str(), told.confidence.is_nan()), (2, "h7h8q", true));
        let Some(Message::Move(told)) = tell(&Event::TakeBack { ply: 13, fen: Fen::default() }, &header(), "") else {
            panic!("no move")
        };
        assert_eq!((told.kind, told.ply, told.uci.as_str(), told.fen.as_str()), (3, 13, "", START));
    }

    #[test]
    fn all_reasons_of_an_illegal_move_are_told() {
        let event = Event::Illegal {
            reasons: [IllegalReason::PathBlocked, IllegalReason::KingLeftInCheck].into_iter().collect(),
            squares: Bitboard::from_square(Square::A1).with(Square::A5),
            uci: "a1a5".parse().ok(),
            text: "The rook cannot jump.".into(),
        };
        let Some(Message::Warning(told)) = tell(&event, &header(), "legal") else { panic!("no warning") };
        assert_eq!((told.kind, told.reasons, told.fen.as_str()), (1, 4 + 16, "legal"));
        assert_eq!(told.squares, ["a1", "a5"]);
    }

    #[test]
    fn the_message_has_a_constant_for_every_reason() {
        let told: Vec<(String, u16)> = include_str!("../../msg/Warning.msg")
            .lines()
            .filter_map(|line| line.strip_prefix("uint16 REASON_")?.split_once('='))
            .map(|(name, rest)| (name.to_lowercase(), rest.split_whitespace().next().unwrap().parse().unwrap()))
            .collect();
        assert_eq!(told, IllegalReason::ALL.map(|reason| (reason.word(), reason.bit())));
    }

    #[test]
    fn every_warning_has_a_kind_of_its_own_and_a_text() {
        let corners = [[0.0; 2]; 4];
        let events = [
            Event::Restored,
            Event::Touched { square: Square::D1 },
            Event::Uncertain { squares: Bitboard::from_square(Square::E4) },
            Event::BoardMoved { corners },
            Event::BoardLost,
            Event::found(corners),
        ];
        for (event, kind) in events.iter().zip(2..) {
            let Some(Message::Warning(told)) = tell(event, &header(), "") else { panic!("no warning for {event:?}") };
            assert_eq!(told.kind, kind);
            assert!(!told.text.is_empty());
        }
        assert_eq!(tell(&Event::NewGame { fen: Fen::default() }, &header(), ""), None);
    }

    #[test]
    fn an_unexpected_move_is_a_warning_and_the_move_says_so() {
        let [uci, expected] = ["e2e4", "d2d4"].map(|uci| uci.parse().unwrap());
        let unexpected = Event::Unexpected { ply: 1, uci, expected, text: "Not that.".into() };
        let Some(Message::Warning(told)) = tell(&unexpected, &header(), "legal") else { panic!("no warning") };
        assert_eq!((told.kind, told.uci.as_str(), told.expected.as_str()), (8, "e2e4", "d2d4"));
        assert_eq!((told.squares, told.text.as_str()), (vec!["e2".to_owned(), "e4".into()], "Not that."));
        let [seen, unseen] = [false, true].map(|unseen| Event::Expected { ply: 1, unseen });
        assert_eq!(tell(&seen, &header(), ""), None);
        let said = [Some(&seen), Some(&unexpected), Some(&unseen), Some(&Event::Restored), None].map(expectation);
        assert_eq!(said, [1, 2, 3, 0, 0]);
    }

    #[test]
    fn results_become_constants() {
        let report = |result: &str| PositionReport {
            fen: Fen::default(),
            check: true,
            ply: 7,
            threefold: false,
            fifty_moves: true,
            result: result.parse().unwrap(),
            result_reason: Some(Ending::Checkmate),
            illegal: false,
            endgame: None,
        };
        let results = ["*", "1-0", "0-1", "1/2-1/2"].map(|r| position(&report(r), &header()).result);
        assert_eq!(results, [0, 1, 2, 3]);
        let told = position(&report("1-0"), &header());
        assert_eq!(
            (told.ply, told.check, told.can_claim_fifty_moves, told.can_claim_threefold),
            (7, true, true, false)
        );
        assert_eq!((told.endgame, told.endgame_distance), (0, 0));
        let outcomes =
            [(Outcome::Win, Some(16)), (Outcome::Draw, None), (Outcome::Loss, Some(9)), (Outcome::Win, None)];
        let told = outcomes.map(|(outcome, distance)| {
            let told = position(
                &PositionReport { endgame: Some(observer::Endgame { outcome, distance }), ..report("*") },
                &header(),
            );
            (told.endgame, told.endgame_distance)
        });
        assert_eq!(told, [(1, 16), (2, 0), (3, 9), (1, u16::MAX)]);
    }

    #[test]
    fn an_unknown_board_is_empty_and_a_known_one_in_order() {
        let unknown =
            BoardReport { state: BoardState::Searching, corners: None, mirrored: false, pose: None, squares: None };
        let told = board(&unknown, TrackerState::NoBoard, &header());
        assert_eq!((told.corners.len(), told.occupancy.len(), told.pose_source), (0, 0, 0));
        assert_eq!((told.changed.len(), told.reliability.len(), told.covered.len()), (0, 0, 0));
        assert!(told.pose_angle_sd_rad.is_nan() && told.focal_px.is_nan());
        assert_eq!(told.pose.orientation.w, 1.0);

        let corners = [[10.0, 90.0], [90.0, 90.0], [90.0, 10.0], [10.0, 10.0]];
        let mut probability = [[1.0, 0.0, 0.0]; 64];
        probability[1] = [0.0, 0.75, 0.25];
        let mut changed = [0.0; 64];
        changed[1] = 0.75;
        let mut reliability = [1.0; 64];
        reliability[63] = 0.25;
        let covered = shakmaty::Bitboard::from_square(Square::A2);
        let squares = Squares { probability, changed, reliability, covered };
        let known = BoardReport {
            state: BoardState::Locked,
            corners: Some(Corners::new(corners).unwrap()),
            mirrored: true,
            pose: Some(observer::Pose {
                source: PoseSource::Estimated,
                rotation: nalgebra::UnitQuaternion::identity(),
                translation_m: nalgebra::Vector3::new(0.1, 0.2, 0.8),
                angle_sd_rad: 0.02,
                distance_sd: 0.05,
                focal_px: 900.0,
                focal_sd: 0.04,
            }),
            squares: Some(squares),
        };
        let told = board(&known, TrackerState::Over, &header());
        assert!(told.mirrored);
        assert_eq!(told.corners, [10.0, 90.0, 90.0, 90.0, 90.0, 10.0, 10.0, 10.0]);
        assert_eq!((told.occupancy.len(), &told.occupancy[3..6]), (192, &[0.0, 0.75, 0.25][..]));
        assert_eq!((told.changed.len(), &told.changed[..2]), (64, &[0.0, 0.75][..]));
        assert_eq!((told.reliability.len(), &told.reliability[62..]), (64, &[1.0, 0.25][..]));
        assert_eq!((told.covered.len(), &told.covered[7..10]), (64, &[false, true, false][..]));
        assert_eq!((told.state, told.tracker), (1, 6));
        assert_eq!((told.pose_source, told.pose.position.z, told.pose_distance_sd), (2, 0.8, 0.05));
        assert_eq!((told.pose_angle_sd_rad, told.focal_px, told.focal_sd), (0.02, 900.0, 0.04));
    }
}
