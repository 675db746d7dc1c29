//! The figures of one recording.
//!
//! *Right* plies agree with the truth position by position from the start; after the first fault, as an alignment by
//! edit distance has it. What else is counted: [`latency`](super::latency), [`told`](mod@super::told),
//! [`stalls`](super::stalls); all of several recordings together: [`counts`](super::counts).

use chess_observer::{
    board::{
        corners::Corners,
        geometry::{BOARD_CORNERS, BoardPoint, Homography},
    },
    event::{
        Event,
        line::Line,
        reasons::{IllegalReason, Reasons},
    },
    game::Game,
    replay::Report,
};
use serde::{Deserialize, Serialize};

use super::{
    align::align,
    latency::{Delay, Lag, made},
    stalls::{Stretch, unread},
    told::{ToldMove, told},
    truth::Truth,
};

/// A ply that was read wrongly, missed, or never played.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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

/// Warnings about illegal moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
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
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct BoardFound {
    /// Picture at which it was found first.
    pub picture: Option<usize>,
    /// Largest distance of an announced corner from the true one, in squares, over all announcements.
    pub worst_corner_squares: Option<f64>,
    /// Times that it was lost.
    pub lost: usize,
}

/// The record that all looks together make likeliest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Hindsight {
    /// Plies in it.
    pub read: usize,
    /// Plies that are right.
    pub right: usize,
}

impl Hindsight {
    /// Of this game.
    #[must_use]
    pub fn of(truth: &Truth, game: &Game) -> Self {
        let correct: Vec<&str> = truth.plies.iter().map(String::as_str).collect();
        let read: Vec<String> = game.plies().iter().map(|ply| ply.uci.to_string()).collect();
        let read: Vec<&str> = read.iter().map(String::as_str).collect();
        Self { read: read.len(), right: align(&correct, &read).iter().filter(|row| row.is_right()).count() }
    }
}

/// The figures of one recording, or the sums of several.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
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
    /// The record in hindsight, where looks were kept.
    #[serde(default)]
    pub hindsight: Option<Hindsight>,
    /// Delays of the right plies.
    pub delays: Vec<Delay>,
    /// Every move as it was published.
    pub told: Vec<ToldMove>,
    /// Stretches of play that went by unread.
    pub unread: Vec<Stretch>,
    /// Seconds from the first picture to the last, where their times are known.
    pub duration_s: Option<f64>,
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
pub fn score(truth: &Truth, events: &[(usize, Event)], report: &Report) -> Score {
    let mut line = Line::default();
    events.iter().for_each(|(frame, event)| line.push(*frame, event));
    let correct: Vec<&str> = truth.plies.iter().map(String::as_str).collect();
    let read: Vec<String> = line.plies().iter().map(|p| p.uci.to_string()).collect();
    let read: Vec<&str> = read.iter().map(String::as_str).collect();

    let made = made(truth);
    let delay = |ply: usize, since: usize| {
        let made = made.get(ply.checked_sub(1)?).copied().flatten()?;
        let hand_gone = made.hand_gone.map(|gone| Lag::new(truth, gone, since));
        Some(Delay { ply, let_go: Lag::new(truth, made.let_go, since), hand_gone })
    };
    let (mut faults, mut delays, mut read_so_far) = (Vec::new(), Vec::new(), 0);
    let rows = align(&correct, &read);
    for row in &rows {
        let since = row.read.map(|_| {
            read_so_far += 1;
            line.plies()[read_so_far - 1].since
        });
        match since {
            Some(since) if row.is_right() => delays.extend(delay(row.ply, since)),
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
        told: told(truth, events),
        unread: unread(truth, events),
        duration_s: truth.seconds(0, truth.rows.len().saturating_sub(1)),
        warnings: warnings(truth, events),
        hindsight: None,
        result: truth.result.clone(),
        result_read: line.result().map(|result| result.to_string()),
        board: board(truth, events),
        contradictions: line.contradictions().to_vec(),
        observing_s: report.observing.as_secs_f64(),
        total_s: report.total.as_secs_f64(),
    }
}

impl Score {
    /// Moves published that are not what was played as their ply, mended later or not.
    #[must_use]
    pub fn told_wrong(&self) -> usize {
        self.told.iter().filter(|told| !told.right).count()
    }

    /// Plies of which a later picture changed the mind.
    #[must_use]
    pub fn revised(&self) -> usize {
        self.told.iter().filter(|told| told.confidence.is_none()).count()
    }

    /// Plies told at the same picture as others.
    #[must_use]
    pub fn told_together(&self) -> usize {
        self.told.iter().filter(|told| told.together).count()
    }

    /// The longest stretch of play that went by unread.
    #[must_use]
    pub fn longest_unread(&self) -> Option<Stretch> {
        self.unread.iter().copied().reduce(Stretch::worse)
    }

    /// Stretches of play that are long enough to be a stall.
    pub fn stalls(&self) -> impl Iterator<Item = &Stretch> {
        self.unread.iter().filter(|stretch| stretch.is_stall())
    }
}

/// Stretch of pictures in which an illegal move stands on the board, is being made or being put back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Incident<'a> {
    /// From the first picture of it to the first one after it.
    pub pictures: std::ops::Range<usize>,
    /// As in events.csv: `illegal` or `illegal:path_blocked`.
    pub event: &'a str,
    /// The attempted move as UCI; may be empty.
    pub uci: &'a str,
    /// Does it stand in a picture without a hand?
    pub shown: bool,
}

/// The illegal moves of a recording, in their order.
#[must_use]
pub fn incidents(truth: &Truth) -> Vec<Incident<'_>> {
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

fn warnings(truth: &Truth, events: &[(usize, Event)]) -> Warnings {
    let given: Vec<(usize, Reasons)> = events
        .iter()
        .filter_map(|(frame, e)| if let Event::Illegal { reasons, .. } = e { Some((*frame, *reasons)) } else { None })
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
            let named = |r: IllegalReason| r.word() == reason;
            count.reason_right += usize::from(here.iter().any(|(_, reasons)| reasons.iter().any(named)));
        }
    }
    count
}

fn board(truth: &Truth, events: &[(usize, Event)]) -> BoardFound {
    let mut found = BoardFound::default();
    for (frame, event) in events {
        let corners = match event {
            Event::BoardFound { corners, .. } | Event::BoardMoved { corners } => corners,
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
pub(super) fn corner_error(truth: &Corners, found: &[[f64; 2]; 4]) -> f64 {
    let Some(map) = Homography::from_corners(truth) else { return f64::INFINITY };
    let distance = |(place, [x, y]): (BoardPoint, [f64; 2])| {
        let p = map.to_board(nalgebra::Point2::new(x, y));
        let distance = (p.x - place.x).hypot(p.y - place.y);
        // Behind the horizon: not a number.
        if distance.is_finite() { distance } else { f64::INFINITY }
    };
    BOARD_CORNERS.into_iter().zip(*found).map(distance).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::say::{self, illegal};
    use crate::truth::Row;

    /// A recording of 1. e4 e5 2. Nf3; the knight's move is tried illegally before. Rows: ply, event, uci, state.
    fn truth() -> Truth {
        let rows = [
            (0, "start", "", "clean"),
            (0, "move", "e2e4", "hand"),
            (1, "move", "e2e4", "clean"),
            (2, "move", "e7e5", "clean"),
            (2, "illegal:path_blocked", "f1b5", "hand"),
            (2, "illegal:path_blocked", "f1b5", "clean"),
            (2, "illegal_takeback", "f1b5", "hand"),
            (2, "illegal_takeback", "f1b5", "clean"),
            (3, "move", "g1f3", "clean"),
            (3, "illegal", "a1a8", "hand"),
        ];
        let row = |(i, (ply, event, uci, state)): (usize, (usize, &str, &str, &str))| Row {
            frame: i.to_string(),
            time_ms: Some(i as i64 * 500),
            ply,
            let_go: ply,
            event: event.into(),
            uci: uci.into(),
            state: state.into(),
        };
        let corners = Corners::new([[0.0, 80.0], [80.0, 80.0], [80.0, 0.0], [0.0, 0.0]]).unwrap();
        Truth {
            name: "r".into(),
            start_fen: None,
            plies: ["e2e4", "e7e5", "g1f3"].map(str::to_owned).to_vec(),
            result: Some("1-0".into()),
            corners: vec![Some(corners); rows.len()],
            placements: vec![],
            rows: rows.into_iter().enumerate().map(row).collect(),
        }
    }

    fn played(ply: usize, uci: &str) -> Event {
        say::played(ply, uci, 1.0)
    }

    #[test]
    fn a_perfect_record_has_only_delays() {
        let events = [(2, played(1, "e2e4")), (5, played(2, "e7e5")), (7, played(3, "g1f3"))];
        let score = score(&truth(), &events, &Report::default());
        assert!(score.perfect && score.faults.is_empty());
        assert_eq!((score.plies, score.read, score.right, score.first_fault), (3, 3, 3, None));
        let lags: Vec<_> =
            score.delays.iter().map(|d| d.hand_gone.map(|lag| (d.ply, lag.pictures, lag.seconds))).collect();
        assert_eq!(lags, [Some((1, 0, Some(0.0))), Some((2, 2, Some(1.0))), Some((3, -1, Some(-0.5)))]);
        assert_eq!((score.told_wrong(), score.revised(), score.told_together()), (0, 0, 0));
        assert_eq!(score.duration_s, Some(4.5));
    }

    #[test]
    fn faults_are_counted_by_alignment() {
        let events = [(2, played(1, "e2e4")), (8, played(2, "g1f3"))];
        let score = score(&truth(), &events, &Report::default());
        assert_eq!((score.right, score.first_fault, score.perfect), (2, Some(2), false));
        let fault = Fault { ply: 2, correct: Some("e7e5".into()), read: None, picture: None };
        assert_eq!(score.faults, [fault]);
        assert_eq!(score.delays.iter().map(|d| d.ply).collect::<Vec<_>>(), [1, 3]);
    }

    #[test]
    fn a_late_correction_counts_from_when_it_is_made() {
        let events = [(2, played(1, "d2d4")), (6, say::revised(1, "d2d4", "e2e4"))];
        let score = score(&truth(), &events, &Report::default());
        assert_eq!(score.delays[0].let_go.pictures, 4);
        assert_eq!((score.right, score.told_wrong(), score.revised()), (1, 1, 1));
        assert!(score.stalls().count() == 0 && score.longest_unread().is_some_and(|s| s.plies == 2));
    }

    #[test]
    fn warnings_are_matched_with_what_stood_on_the_board() {
        let warn = |events: &[(usize, Event)]| warnings(&truth(), events);
        // The second illegal move never stood without a hand: missing it is no fault, announcing it neither.
        assert_eq!(warn(&[]), Warnings { shown: 1, with_reason: 1, ..Warnings::default() });
        let right = illegal(&[IllegalReason::TooManyChanges, IllegalReason::PathBlocked]);
        let found = Warnings { shown: 1, announced: 1, with_reason: 1, reason_right: 1, wrong: 0 };
        assert_eq!(warn(&[(5, right.clone()), (6, right.clone()), (9, right.clone())]), found);
        let other_reason = Warnings { reason_right: 0, ..found };
        assert_eq!(warn(&[(7, illegal(&[IllegalReason::WrongSide]))]), other_reason);
        let false_alarm = Warnings { wrong: 2, ..found };
        assert_eq!(warn(&[(3, right.clone()), (5, right.clone()), (8, right)]), false_alarm);
    }

    #[test]
    fn corners_are_compared_in_squares() {
        let at = |dx: f64| Event::found([[dx, 80.0], [80.0, 80.0], [80.0, 0.0], [0.0, 0.0]]);
        let found = board(&truth(), &[(3, at(0.0)), (4, Event::BoardLost), (5, at(-5.0)), (6, at(2.0))]);
        assert_eq!((found.picture, found.lost), (Some(3), 1));
        assert!((found.worst_corner_squares.unwrap() - 0.5).abs() < 1e-9, "5 px of a square of 10");
    }
}
