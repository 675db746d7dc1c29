//! What was understood, as messages.

use r2r::{
    chess_observer::msg::{GoMove, Warning},
    std_msgs::msg::Header,
};

use crate::{
    event,
    go::{self, Color, Game},
    observer::go::Told,
};

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
