//! The figures of one recording.
//!
//! *Right* plies agree with the truth position by position from the start; after the first fault, as an alignment by
//! edit distance has it. *Delay* runs from the first clean picture in which a ply stands to the picture at which the
//! record came to say so; it is negative when the move was announced with the hand still on the board.

use serde::Serialize;

use super::{align::align, line::Line, replay::Report, truth::Recording};
use crate::{
    board::geometry::{Corners, Homography},
    event::{Event, IllegalReason},
};

/// A ply that was read wrongly, missed, or never played.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// Number of the correct ply, 1 for the first; of the next one where a move was invented.
    pub ply: usize,
    /// What was played; `None`: nothing.
    pub correct: Option<String>,
    /// What was read; `None`: nothing.
    pub read: Option<String>,
    /// Picture at which it was read, from 0.
    pub picture: Option<usize>,
}

/// How long the record lagged behind the board at one right ply.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Delay {
    /// Number of the ply, 1 for the first.
    pub ply: usize,
    /// In pictures.
    pub pictures: i64,
    /// In seconds, where the pictures' times are known.
    pub seconds: Option<f64>,
}

/// Warnings about illegal moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Warnings {
    /// Illegal moves that stood on the board in a picture without a hand.
    pub shown: usize,
    /// Of these, those announced.
    pub announced: usize,
    /// Illegal moves shown whose reason the truth tells.
    pub with_reason: usize,
    /// Of these, those announced with it.
    pub reason_right: usize,
    /// Warnings while nothing illegal stood on the board.
    pub wrong: usize,
}

/// Where the board was found.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct BoardFound {
    /// Picture at which it was found first.
    pub picture: Option<usize>,
    /// Largest distance of an announced corner from the true one, in squares, over all announcements.
    pub worst_corner_squares: Option<f64>,
    /// Times that it was lost.
    pub lost: usize,
}

/// The figures of one recording, or the sums of several.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Score {
    /// The recording's name.
    pub name: String,
    /// Pictures shown to the observer.
    pub pictures: u64,
    /// Pictures that could not be decoded.
    pub bad_pictures: u64,
    /// Plies played.
    pub plies: usize,
    /// Plies in the final record.
    pub read: usize,
    /// Plies that are right.
    pub right: usize,
    /// First ply that differs; `None` where none does.
    pub first_fault: Option<usize>,
    /// Is the record equal to the truth from first to last ply?
    pub perfect: bool,
    /// What is wrong.
    pub faults: Vec<Fault>,
    /// Delays of the right plies.
    pub delays: Vec<Delay>,
    /// Warnings.
    pub warnings: Warnings,
    /// The true result, where the game was finished.
    pub result: Option<String>,
    /// The result as it was read.
    pub result_read: Option<String>,
    /// The search for the board.
    pub board: BoardFound,
    /// Events that contradict one another: faults of the observer's bookkeeping.
    pub contradictions: Vec<String>,
    /// Seconds spent in the observer.
    pub observing_s: f64,
    /// Seconds in all, reading and decoding included.
    pub total_s: f64,
}

/// Compares the events of a replay (each with its picture's number) with the truth.
#[must_use]
pub fn score(truth: &Recording, events: &[(usize, Event)], report: &Report) -> Score {
    let mut line = Line::default();
    events.iter().for_each(|(frame, event)| line.push(*frame, event));
    let correct: Vec<&str> = truth.plies.iter().map(String::as_str).collect();
    let read: Vec<&str> = line.plies().iter().map(|p| p.uci.as_str()).collect();

    let (mut faults, mut delays, mut read_so_far) = (Vec::new(), Vec::new(), 0);
    let rows = align(&correct, &read);
    for row in &rows {
        let since = row.read.map(|_| {
            read_so_far += 1;
            line.plies()[read_so_far - 1].since
        });
        match since {
            Some(since) if row.is_right() => delays.extend(delay(truth, row.ply, since)),
            picture => {
                let owned = |m: Option<&str>| m.map(str::to_owned);
                faults.push(Fault { ply: row.ply, correct: owned(row.correct), read: owned(row.read), picture });
            }
        }
    }
    Score {
        name: truth.name.clone(),
        pictures: report.pictures,
        bad_pictures: report.bad,
        plies: correct.len(),
        read: read.len(),
        right: rows.len() - faults.len(),
        first_fault: faults.first().map(|f| f.ply),
        perfect: correct == read,
        faults,
        delays,
        warnings: warnings(truth, events),
        result: truth.result.clone(),
        result_read: line.result().map(str::to_owned),
        board: board(truth, events),
        contradictions: line.contradictions().to_vec(),
        observing_s: report.observing.as_secs_f64(),
        total_s: report.total.as_secs_f64(),
    }
}

/// Delay of a ply that the record holds since picture `since`; `None` when no clean picture shows the ply.
fn delay(truth: &Recording, ply: usize, since: usize) -> Option<Delay> {
    let first_clean = truth.rows.iter().position(|r| r.ply >= ply && r.state == "clean")?;
    let time = |i: usize| truth.rows.get(i)?.time_ms;
    let seconds = time(since).zip(time(first_clean)).map(|(a, b)| (a - b) as f64 * 1e-3);
    Some(Delay { ply, pictures: since as i64 - first_clean as i64, seconds })
}

/// Stretch of pictures in which an illegal move stands on the board, is being made or being put back.
struct Incident<'a> {
    pictures: std::ops::Range<usize>,
    /// As in events.csv: `illegal` or `illegal:path_blocked`.
    event: &'a str,
    uci: &'a str,
    /// Does it stand in a picture without a hand?
    shown: bool,
}

fn incidents(truth: &Recording) -> Vec<Incident<'_>> {
    let mut found: Vec<Incident<'_>> = Vec::new();
    for (i, row) in truth.rows.iter().enumerate() {
        let goes_on = found.last_mut().filter(|last| last.pictures.end == i);
        if row.event == "illegal_takeback" {
            if let Some(last) = goes_on {
                last.pictures.end = i + 1;
            }
        } else if row.event == "illegal" || row.event.starts_with("illegal:") {
            let shown = row.state != "hand";
            match goes_on {
                Some(last) if last.event == row.event && last.uci == row.uci => {
                    last.pictures.end = i + 1;
                    last.shown |= shown;
                }
                _ => found.push(Incident { pictures: i..i + 1, event: &row.event, uci: &row.uci, shown }),
            }
        }
    }
    found
}

fn warnings(truth: &Recording, events: &[(usize, Event)]) -> Warnings {
    let given: Vec<(usize, &[IllegalReason])> = events
        .iter()
        .filter_map(
            |(frame, e)| if let Event::Illegal { reasons, .. } = e { Some((*frame, reasons.as_slice())) } else { None },
        )
        .collect();
    let incidents = incidents(truth);
    let mut count = Warnings {
        wrong: given.iter().filter(|(frame, _)| !incidents.iter().any(|i| i.pictures.contains(frame))).count(),
        ..Warnings::default()
    };
    for incident in incidents.iter().filter(|i| i.shown) {
        let here: Vec<_> = given.iter().filter(|(frame, _)| incident.pictures.contains(frame)).collect();
        count.shown += 1;
        count.announced += usize::from(!here.is_empty());
        if let Some(reason) = incident.event.strip_prefix("illegal:") {
            count.with_reason += 1;
            let named = |r: &IllegalReason| serde_json::to_value(r).is_ok_and(|v| v == reason);
            count.reason_right += usize::from(here.iter().any(|(_, reasons)| reasons.iter().any(named)));
        }
    }
    count
}

fn board(truth: &Recording, events: &[(usize, Event)]) -> BoardFound {
    let mut found = BoardFound::default();
    for (frame, event) in events {
        let corners = match event {
            Event::BoardFound { corners } | Event::BoardMoved { corners } => corners,
            Event::BoardLost => {
                found.lost += 1;
                continue;
            }
            _ => continue,
        };
        found.picture.get_or_insert(*frame);
        if let Some(true_corners) = truth.corners.get(*frame).copied().flatten() {
            let error = corner_error(&true_corners, corners);
            found.worst_corner_squares = Some(found.worst_corner_squares.map_or(error, |worst: f64| worst.max(error)));
        }
    }
    found
}

/// Largest distance of a corner from the true one, measured on the board's plane, in squares.
fn corner_error(truth: &Corners, found: &[[f64; 2]; 4]) -> f64 {
    let Some(map) = Homography::from_corners(truth) else { return f64::INFINITY };
    let places = [[0.0, 0.0], [8.0, 0.0], [8.0, 8.0], [0.0, 8.0]];
    let distance = |(place, [x, y]): ([f64; 2], [f64; 2])| {
        let p = map.to_board(nalgebra::Point2::new(x, y));
        let distance = (p.x - place[0]).hypot(p.y - place[1]);
        // Behind the horizon: not a number.
        if distance.is_finite() { distance } else { f64::INFINITY }
    };
    places.into_iter().zip(*found).map(distance).fold(0.0, f64::max)
}
