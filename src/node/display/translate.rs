//! From messages to words.

use r2r::{
    chess_observer::msg::{Board, GoBoard, GoMove, Move, Position, Warning},
    diagnostic_msgs::msg::{DiagnosticArray, DiagnosticStatus},
    std_msgs::msg::Header,
};

use crate::{
    display::words::{
        BoardWord, Health, MoveKind, MoveWord, PositionWord, SightWord, Squares, StonesWord, Tracker, WarningKind,
        WarningWord, Word,
    },
    game::Explanation,
    go::Color,
};

/// No picture for this long is worth a call: as the observer's own diagnostics have it.
const SILENT_S: f64 = 5.0;

/// What stands beside `value`: r2r binds every constant of a message as a type of its own, so they cannot be patterns.
fn meaning<T: Copy>(value: u8, of: &[(u8, T)]) -> Option<T> {
    of.iter().find(|(constant, _)| *constant == value).map(|(_, meaning)| *meaning)
}

fn stamp_s(header: &Header) -> f64 {
    f64::from(header.stamp.sec) + 1e-9 * f64::from(header.stamp.nanosec)
}

/// A message on `moves`; `None` for a kind that is not known here.
pub(super) fn a_move(message: &Move) -> Option<Word> {
    let kinds = [Move::KIND_NEW as u8, Move::KIND_REVISED as u8, Move::KIND_TAKEN_BACK as u8];
    ply(&message.header, (message.kind, kinds), message.ply, &message.uci, message.confidence)
}

/// A message on `go_moves`; `None` for a kind that is not known here.
pub(super) fn go_move(message: &GoMove) -> Option<Word> {
    let kinds = [GoMove::KIND_NEW as u8, GoMove::KIND_REVISED as u8, GoMove::KIND_TAKEN_BACK as u8];
    ply(&message.header, (message.kind, kinds), message.number, &message.point, message.confidence)
}

/// A ply, of the kind that is among new, revised and taken back.
fn ply(header: &Header, (kind, kinds): (u8, [u8; 3]), ply: u32, uci: &str, confidence: f32) -> Option<Word> {
    let [new, revised, taken_back] = kinds;
    let meanings = [(new, MoveKind::New), (revised, MoveKind::Revised), (taken_back, MoveKind::TakenBack)];
    Some(Word::Move(MoveWord {
        kind: meaning(kind, &meanings)?,
        ply: ply as usize,
        uci: uci.to_owned(),
        confidence: Some(f64::from(confidence)).filter(|c| c.is_finite()),
        stamp_s: stamp_s(header),
    }))
}

/// A message on `go_board`.
pub(super) fn go_board(message: GoBoard) -> [Word; 2] {
    let tracker = meaning(
        message.tracker,
        &[
            (GoBoard::TRACKER_FOLLOWING as u8, Tracker::Following),
            (GoBoard::TRACKER_DISTURBED as u8, Tracker::Disturbed),
            (GoBoard::TRACKER_DOUBT as u8, Tracker::Doubt),
            (GoBoard::TRACKER_ILLEGAL as u8, Tracker::Illegal),
            (GoBoard::TRACKER_PAUSED as u8, Tracker::Paused),
            (GoBoard::TRACKER_OVER as u8, Tracker::Over),
        ],
    )
    .unwrap_or_default();
    let colors = [(GoBoard::COLOR_BLACK as u8, Color::Black), (GoBoard::COLOR_WHITE as u8, Color::White)];
    let lost = message.state == GoBoard::STATE_LOST as u8;
    let place = BoardWord { lost, tracker, corners: message.corners, squares: None };
    let stones = StonesWord {
        size: message.size,
        stones: message.stones,
        to_play: meaning(message.to_play, &colors),
        number: message.number as usize,
        last: message.last,
        ko: message.ko,
        captured: [message.captured_by_black, message.captured_by_white],
        illegal: message.illegal,
        problem: message.problem,
    };
    [Word::Board(Box::new(place)), Word::Stones(Box::new(stones))]
}

/// A message on `warnings`; `None` for a kind that is not known here.
pub(super) fn warning(message: &Warning) -> Option<Word> {
    let kind = meaning(
        message.kind,
        &[
            (Warning::KIND_ILLEGAL as u8, WarningKind::Illegal),
            (Warning::KIND_RESTORED as u8, WarningKind::Restored),
            (Warning::KIND_TOUCHED as u8, WarningKind::Touched),
            (Warning::KIND_UNCERTAIN as u8, WarningKind::Uncertain),
            (Warning::KIND_BOARD_MOVED as u8, WarningKind::BoardMoved),
            (Warning::KIND_BOARD_LOST as u8, WarningKind::BoardLost),
            (Warning::KIND_BOARD_FOUND as u8, WarningKind::BoardFound),
            (Warning::KIND_UNEXPECTED as u8, WarningKind::Unexpected),
            (Warning::KIND_NOT_SAVED as u8, WarningKind::NotSaved),
            (Warning::KIND_SAVED as u8, WarningKind::Saved),
        ],
    )?;
    let stamp_s = stamp_s(&message.header);
    let (text, squares, fen) = (message.text.clone(), message.squares.clone(), message.fen.clone());
    Some(Word::Warning(WarningWord { kind, text, squares, fen, stamp_s }))
}

/// A message on `position`.
pub(super) fn position(message: &Position) -> Word {
    let result = meaning(
        message.result,
        &[
            (Position::RESULT_WHITE_WINS as u8, "1-0"),
            (Position::RESULT_BLACK_WINS as u8, "0-1"),
            (Position::RESULT_DRAW as u8, "1/2-1/2"),
        ],
    )
    .unwrap_or("*");
    Word::Position(PositionWord {
        fen: message.fen.clone(),
        ply: message.ply as usize,
        check: message.check,
        threefold: message.can_claim_threefold,
        fifty_moves: message.can_claim_fifty_moves,
        result: result.into(),
        result_reason: message.result_reason.clone(),
        illegal: message.illegal,
    })
}

/// A message on `board`.
pub(super) fn board(message: Board) -> Word {
    let tracker = meaning(
        message.tracker,
        &[
            (Board::TRACKER_FOLLOWING as u8, Tracker::Following),
            (Board::TRACKER_DISTURBED as u8, Tracker::Disturbed),
            (Board::TRACKER_DOUBT as u8, Tracker::Doubt),
            (Board::TRACKER_ILLEGAL as u8, Tracker::Illegal),
            (Board::TRACKER_PAUSED as u8, Tracker::Paused),
            (Board::TRACKER_OVER as u8, Tracker::Over),
        ],
    )
    .unwrap_or_default();
    let squares = Squares {
        occupancy: message.occupancy,
        changed: message.changed,
        reliability: message.reliability,
        covered: message.covered,
    };
    Word::Board(Box::new(BoardWord {
        lost: message.state == Board::STATE_LOST as u8,
        tracker,
        corners: message.corners,
        squares: squares.is_whole().then_some(squares),
    }))
}

/// What an observer's diagnostics say of one of its parts, and how to ask for a value of it; one that is not there is empty.
fn part<'a>(
    message: &'a DiagnosticArray,
    node: &str,
    part: &str,
) -> Option<(&'a DiagnosticStatus, impl Fn(&str) -> &'a str)> {
    let name = format!("{}: {part}", node.trim_start_matches('/'));
    let status = message.status.iter().find(|status| status.name == name)?;
    let value = |key: &str| status.values.iter().find(|v| v.key == key).map_or("", |v| v.value.as_str());
    Some((status, value))
}

/// What an observer's diagnostics say of its input: full name of the pictures' topic, and how it is doing.
pub(super) fn input(message: &DiagnosticArray, node: &str) -> Option<(String, Health)> {
    let (status, value) = part(message, node, "input")?;
    let nobody = value("publishers") == "0";
    let late = value("silent_s").parse::<f64>().is_ok_and(|seconds| seconds > SILENT_S);
    // The seconds in the text would make every report a new state.
    let silent = match (nobody, late) {
        (true, _) => status.message.clone(),
        (false, true) => "The camera sends no usable pictures.".into(),
        (false, false) => String::new(),
    };
    Some((value("topic").to_owned(), Health { silent, gone: false }))
}

/// What an observer's diagnostics say of its last look.
pub(super) fn sight(message: &DiagnosticArray, node: &str) -> Option<SightWord> {
    let (_, value) = part(message, node, "tracker")?;
    // One digit: more of them would make every report a new state.
    let number = |key: &str| value(key).parse().ok().map(|number: f64| (10.0 * number).round() / 10.0);
    Some(SightWord {
        change_threshold: number("change_threshold"),
        noise_levels: number("noise_levels"),
        explanations: value("explanations").split(", ").filter_map(explanation).collect(),
    })
}

/// `e2e4 0.612`, or `none 0.201`.
fn explanation(text: &str) -> Option<Explanation> {
    let (ply, probability) = text.split_once(' ')?;
    let uci = if ply == "none" { String::new() } else { ply.to_owned() };
    Some(Explanation { uci, san: String::new(), probability: probability.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        event::{Event, reasons::IllegalReason},
        node::messages::{Message, tell},
    };
    use r2r::diagnostic_msgs::msg::{DiagnosticStatus, KeyValue};
    use shakmaty::{Bitboard, Square, fen::Fen, uci::UciMove};

    #[test]
    fn an_event_says_the_same_over_ros_and_without() {
        let [uci, was]: [UciMove; 2] = ["e2e4", "e2e3"].map(|uci| uci.parse().unwrap());
        let san = "e4".parse().unwrap();
        let mut header = Header::default();
        (header.stamp.sec, header.stamp.nanosec) = (7, 500_000_000);
        for event in [
            Event::Move { ply: 1, uci, san, fen: Fen::default(), confidence: 0.5 },
            Event::Revised { ply: 1, was, uci, san, fen: Fen::default() },
            Event::TakeBack { ply: 1, fen: Fen::default() },
            Event::Illegal {
                reasons: [IllegalReason::PathBlocked].into_iter().collect(),
                squares: Bitboard::from_square(Square::E2),
                uci: None,
                text: "no".into(),
            },
            Event::Restored,
            Event::Touched { square: Square::D1 },
            Event::Uncertain { squares: Bitboard::from_square(Square::E4).with(Square::E5) },
            Event::BoardLost,
            Event::found([[0.0; 2]; 4]),
            Event::BoardMoved { corners: [[0.0; 2]; 4] },
        ] {
            let over_ros = match tell(&event, &header, "legal").unwrap() {
                Message::Move(message) => a_move(&message),
                Message::Warning(message) => warning(&message),
            };
            assert_eq!(over_ros, Word::of_event(&event, 7.5, "legal"), "{event:?}");
        }
    }

    #[test]
    fn the_last_look_is_read_from_the_diagnostics() {
        let report = |values: &[(&str, &str)]| {
            let values = values.iter().map(|(key, value)| KeyValue { key: (*key).into(), value: (*value).into() });
            let status = DiagnosticStatus {
                name: "b/eye: tracker".into(),
                values: values.collect(),
                ..DiagnosticStatus::default()
            };
            DiagnosticArray { status: vec![status], ..DiagnosticArray::default() }
        };
        let values =
            [("change_threshold", "4.04"), ("noise_levels", "1.25"), ("explanations", "e2e4 0.612, none 0.201, junk")];
        let told = sight(&report(&values), "/b/eye").unwrap();
        assert_eq!((told.change_threshold, told.noise_levels), (Some(4.0), Some(1.3)));
        let open: Vec<_> = told.explanations.iter().map(|e| (e.uci.as_str(), e.probability)).collect();
        assert_eq!(open, [("e2e4", 0.612), ("", 0.201)]);
        assert_eq!(sight(&report(&[("change_threshold", "")]), "/b/eye"), Some(SightWord::default()));
        assert_eq!(sight(&report(&[]), "/c/eye"), None);
    }

    #[test]
    fn a_silent_camera_is_told_in_words_that_stay_the_same() {
        let report = |publishers: &str, silent_s: &str| {
            let value = |key: &str, value: &str| KeyValue { key: key.into(), value: value.into() };
            let values =
                vec![value("topic", "/b/image_raw"), value("publishers", publishers), value("silent_s", silent_s)];
            let status = DiagnosticStatus {
                name: "b/eye: input".into(),
                message: "nobody publishes on /b/image_raw".into(),
                values,
                ..DiagnosticStatus::default()
            };
            DiagnosticArray { status: vec![status], ..DiagnosticArray::default() }
        };
        let silent = |publishers, silent_s| input(&report(publishers, silent_s), "/b/eye").unwrap().1.silent;
        assert_eq!(silent("1", "0.1"), "");
        assert_eq!(silent("1", "6.1"), silent("1", "7.1"));
        assert_eq!(silent("0", "0.1"), "nobody publishes on /b/image_raw");
        assert_eq!(input(&report("1", "0"), "/c/eye"), None);
    }
}
