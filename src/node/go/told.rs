//! What was understood, as messages.

use r2r::{
    chess_observer::msg::{GoBoard, GoMove, Warning},
    std_msgs::msg::Header,
};

use crate::{
    event,
    go::{self, Color, Game},
    observer::{
        BoardState, TrackerState,
        go::{GoObserver, Told},
    },
};

/// Corners that are nearer than this to where they were said to be have not moved: less is the picture's noise.
const SAME_PX: f64 = 1.0;

/// The stones, row by row.
pub(super) fn shown(game: &Game) -> String {
    let letter = |c: &go::Content| match c {
        go::Content::Empty => '.',
        go::Content::Black => 'X',
        go::Content::White => 'O',
    };
    let board = game.told().board();
    let rows = board.contents().chunks(usize::from(board.size().lines()));
    rows.map(|row| row.iter().map(letter).chain(['\n']).collect::<String>()).collect()
}

/// A play as a message; `None` for what is none.
pub(super) fn a_move(event: &go::Event, header: &Header, board: &str) -> Option<GoMove> {
    let color = |c: &Color| match c {
        Color::Black => GoMove::COLOR_BLACK as u8,
        Color::White => GoMove::COLOR_WHITE as u8,
    };
    let empty = GoMove {
        header: header.clone(),
        confidence: f32::NAN,
        order: f32::NAN,
        board: board.to_owned(),
        ..GoMove::default()
    };
    Some(match event {
        go::Event::Play { number, color: c, point, captured, confidence, order, fault } => GoMove {
            kind: GoMove::KIND_NEW as u8,
            number: *number as u32,
            color: color(c),
            point: point.clone().unwrap_or_default(),
            captured: captured.clone(),
            confidence: *confidence as f32,
            order: *order as f32,
            fault: fault.map(|f| f.word().to_owned()).unwrap_or_default(),
            ..empty
        },
        go::Event::Revised { number, color: c, was, point, captured, confidence } => GoMove {
            kind: GoMove::KIND_REVISED as u8,
            number: *number as u32,
            color: color(c),
            point: point.clone(),
            was: was.clone(),
            captured: captured.clone(),
            confidence: *confidence as f32,
            ..empty
        },
        go::Event::TakeBack { number } => {
            GoMove { kind: GoMove::KIND_TAKEN_BACK as u8, number: *number as u32, ..empty }
        }
        _ => return None,
    })
}

/// A warning as a message; `None` for what is none.
pub(super) fn warning(told: &Told, header: &Header) -> Option<Warning> {
    let text = told.sentence()?;
    let (kind, squares) = match told {
        Told::Game(go::Event::Illegal { point, .. }) => (Warning::KIND_ILLEGAL as u8, vec![point.clone()]),
        Told::Game(go::Event::Displaced { points, .. }) => (Warning::KIND_ILLEGAL as u8, points.clone()),
        Told::Game(go::Event::Restored) => (Warning::KIND_RESTORED as u8, Vec::new()),
        Told::Game(go::Event::Uncertain { points } | go::Event::Resumed { points }) => {
            (Warning::KIND_UNCERTAIN as u8, points.clone())
        }
        Told::Board(event::Event::BoardMoved { .. }) => (Warning::KIND_BOARD_MOVED as u8, Vec::new()),
        Told::Board(event::Event::BoardLost) => (Warning::KIND_BOARD_LOST as u8, Vec::new()),
        Told::Board(event::Event::BoardFound { .. }) => (Warning::KIND_BOARD_FOUND as u8, Vec::new()),
        _ => return None,
    };
    Some(Warning { header: header.clone(), kind, squares, text, ..Warning::default() })
}

/// Where the board is and what stands on it, without a header.
pub(super) fn board(observer: &GoObserver, tracker: TrackerState) -> GoBoard {
    let state = match observer.board_state() {
        BoardState::Searching => GoBoard::STATE_SEARCHING as u8,
        BoardState::Locked => GoBoard::STATE_LOCKED as u8,
        BoardState::Lost => GoBoard::STATE_LOST as u8,
    };
    let tracker = match tracker {
        TrackerState::NoBoard => GoBoard::TRACKER_NO_BOARD as u8,
        TrackerState::Following => GoBoard::TRACKER_FOLLOWING as u8,
        TrackerState::Disturbed => GoBoard::TRACKER_DISTURBED as u8,
        TrackerState::Doubt => GoBoard::TRACKER_DOUBT as u8,
        TrackerState::Illegal => GoBoard::TRACKER_ILLEGAL as u8,
        TrackerState::Paused => GoBoard::TRACKER_PAUSED as u8,
        TrackerState::Over => GoBoard::TRACKER_OVER as u8,
    };
    let corners = observer.grid().map(|grid| grid.corners().into_iter().flat_map(|p| [p.x, p.y]).collect());
    let problem = observer.not_found().unwrap_or_default().to_owned();
    let empty = GoBoard { state, problem, tracker, corners: corners.unwrap_or_default(), ..GoBoard::default() };
    let Some(game) = observer.game() else { return empty };
    let (told, size) = (game.told(), game.size());
    let name = |point: Option<go::Point>| point.map_or_else(String::new, |point| point.name(size));
    GoBoard {
        size: size.lines(),
        stones: shown(game),
        to_play: match told.to_play() {
            Color::Black => GoBoard::COLOR_BLACK as u8,
            Color::White => GoBoard::COLOR_WHITE as u8,
        },
        number: told.number() as u32,
        last: name(told.last().and_then(|play| play.at)),
        ko: name(told.ko()),
        captured_by_black: told.prisoners(Color::Black),
        captured_by_white: told.prisoners(Color::White),
        illegal: game.is_illegal(),
        ..empty
    }
}

/// Does `now` say something else than `then`? What noise moves from picture to picture is nothing else.
pub(super) fn is_news(now: &GoBoard, then: &GoBoard) -> bool {
    let near = |(a, b): (&f64, &f64)| (a - b).abs() <= SAME_PX;
    let same_place = now.corners.len() == then.corners.len() && now.corners.iter().zip(&then.corners).all(near);
    !same_place || GoBoard { corners: then.corners.clone(), ..now.clone() } != *then
}

/// A line for people: what a message on `go_moves` says.
pub(super) fn describe(message: &GoMove) -> String {
    let who = if message.color == GoMove::COLOR_BLACK as u8 { "black" } else { "white" };
    let point = if message.point.is_empty() { "pass" } else { &message.point };
    if message.kind == GoMove::KIND_TAKEN_BACK as u8 {
        return format!("play {} was taken back", message.number);
    }
    let takes = match message.captured.len() {
        0 => String::new(),
        n => format!(", takes {n}"),
    };
    let how = if message.kind == GoMove::KIND_REVISED as u8 {
        format!("was {}", message.was)
    } else {
        format!("{:.1} % sure", 100.0 * message.confidence)
    };
    let fault =
        if message.fault.is_empty() { String::new() } else { format!(", against the rules: {}", message.fault) };
    format!("{}. {who} {point}{takes} ({how}){fault}", message.number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_that_trembles_is_no_news() {
        let then = GoBoard { corners: vec![10.0; 8], number: 3, ..GoBoard::default() };
        let at = |px: f64| GoBoard { corners: vec![px; 8], ..then.clone() };
        assert!(!is_news(&then, &then) && !is_news(&at(10.9), &then) && is_news(&at(11.1), &then));
        assert!(is_news(&GoBoard { number: 4, ..then.clone() }, &then));
        assert!(is_news(&GoBoard { corners: Vec::new(), ..then.clone() }, &then));
    }

    #[test]
    fn plays_are_told_in_words() {
        let play = GoMove {
            kind: GoMove::KIND_NEW as u8,
            number: 12,
            color: GoMove::COLOR_WHITE as u8,
            point: "Q16".into(),
            captured: vec!["Q17".into()],
            confidence: 0.991,
            ..GoMove::default()
        };
        assert_eq!(describe(&play), "12. white Q16, takes 1 (99.1 % sure)");
        let pass = GoMove { point: String::new(), captured: Vec::new(), ..play.clone() };
        assert_eq!(describe(&pass), "12. white pass (99.1 % sure)");
        let revised =
            GoMove { kind: GoMove::KIND_REVISED as u8, was: "Q15".into(), captured: Vec::new(), ..play.clone() };
        assert_eq!(describe(&revised), "12. white Q16 (was Q15)");
        assert_eq!(describe(&GoMove { kind: GoMove::KIND_TAKEN_BACK as u8, ..play }), "play 12 was taken back");
    }
}
