//! Which picture is shown when.

use chess_observer::{bag::folder::DEFAULT_INTERVAL_S, sim::dice::Dice};

use crate::truth::Row;

/// For so long a clean still is held in a film made of stills, in seconds: from a player who answers at once to one who
/// thinks for a moment.
const CLEAN_S: [f64; 2] = [0.4, 3.0];
/// For so long a still with a hand is held, in seconds: from a hand that passes to one that rests over the board.
const HAND_S: [f64; 2] = [0.1, 2.4];

/// A picture at a moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Slot {
    /// Its number in the source, from 0.
    pub picture: usize,
    /// When the observer is told that it was taken, in seconds.
    pub time_s: f64,
    /// It was shown before.
    pub again: bool,
}

/// A film of so many pictures a second: at each moment the last picture that was taken by then, from the first picture to
/// one moment after `end_s`, so that even the slowest film shows the end. `times_s` rise.
pub(super) fn film(times_s: &[f64], end_s: f64, rate_hz: f64) -> Vec<Slot> {
    let Some(first) = times_s.first() else { return vec![] };
    let count = ((end_s - first) * rate_hz).ceil() as usize + 1;
    let mut before = None;
    (0..=count)
        .map(|k| {
            // A thousandth early: moments that fall on pictures must not miss them by rounding.
            let time_s = first + k as f64 / rate_hz;
            let picture = times_s.partition_point(|t| *t <= time_s + 1e-3).saturating_sub(1);
            let again = before.replace(picture) == Some(picture);
            Slot { picture, time_s, again }
        })
        .collect()
}

/// When each still begins to stand in a film made of them, and when the last one ends. Chance decides how long each stands,
/// the same for every protocol.
pub(super) fn held(rows: &[Row], seed: u64) -> (Vec<f64>, f64) {
    let mut dice = Dice::new(seed, 0x4e1d);
    let mut time_s = 0.0;
    let begins = |row: &Row| {
        let [least, most] = if row.state == "hand" || row.state == "lifted" { HAND_S } else { CLEAN_S };
        let begins_s = time_s;
        time_s += dice.between(least, most);
        begins_s
    };
    let begin_s = rows.iter().map(begins).collect();
    (begin_s, time_s)
}

/// These pictures one after the other, at these times, or in the rhythm of a folder without times.
pub(super) fn stills(pictures: &[usize], times_s: Option<&[f64]>) -> Vec<Slot> {
    let slot = |(i, &picture): (usize, &usize)| {
        let time_s = times_s.and_then(|times| times.get(picture).copied());
        Slot { picture, time_s: time_s.unwrap_or(i as f64 * DEFAULT_INTERVAL_S), again: false }
    };
    pictures.iter().enumerate().map(slot).collect()
}

/// The pictures of a film that a photographer would have taken: of each stretch of clean pictures of one position the one
/// in its middle.
pub(super) fn photographed(rows: &[Row]) -> Vec<usize> {
    let mut stretches: Vec<(usize, usize)> = vec![];
    let same = |a: &Row, b: &Row| (a.ply, &a.event, &a.uci, &a.state) == (b.ply, &b.event, &b.uci, &b.state);
    for (i, row) in rows.iter().enumerate().filter(|(_, row)| row.state == "clean") {
        match stretches.last_mut() {
            Some((_, last)) if *last + 1 == i && same(&rows[*last], row) => *last = i,
            _ => stretches.push((i, i)),
        }
    }
    stretches.into_iter().map(|(first, last)| first.midpoint(last)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(ply: usize, state: &str) -> Row {
        Row {
            frame: String::new(),
            time_ms: None,
            ply,
            let_go: ply,
            event: "move".into(),
            uci: String::new(),
            state: state.into(),
        }
    }

    #[test]
    fn films_are_thinned_out_or_hold_their_pictures() {
        let times: Vec<f64> = (0..=10).map(|i| i as f64 * 0.1).collect();
        let numbers = |rate: f64| film(&times, 1.0, rate).iter().map(|s| s.picture).collect::<Vec<_>>();
        assert_eq!(numbers(10.0), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10]);
        assert_eq!(numbers(5.0), [0, 2, 4, 6, 8, 10, 10]);
        // The slowest film shows the beginning, and then the end.
        assert_eq!(numbers(0.2), [0, 10, 10]);
        let fast = film(&times, 1.0, 20.0);
        assert_eq!(fast.iter().filter(|s| s.again).count(), 11, "every second one was shown before");
        assert!(fast.windows(2).all(|w| w[1].time_s > w[0].time_s && w[1].picture >= w[0].picture));
        assert_eq!(film(&[], 0.0, 5.0), []);
        // The last picture stands until the end, and one moment more.
        assert_eq!(film(&times, 1.5, 10.0).iter().filter(|s| s.picture == 10).count(), 7);
    }

    #[test]
    fn stills_are_held_as_long_as_said_and_always_alike() {
        let rows: Vec<Row> = (0..400).map(|i| row(i, if i % 2 == 0 { "clean" } else { "hand" })).collect();
        let (mut begins, end_s) = held(&rows, 3);
        assert_eq!((begins.clone(), end_s), held(&rows, 3));
        assert_ne!(begins, held(&rows, 4).0);
        begins.push(end_s);
        for (i, pair) in begins.windows(2).enumerate() {
            let [least, most] = if i % 2 == 0 { CLEAN_S } else { HAND_S };
            assert!((least..=most).contains(&(pair[1] - pair[0])), "{i}: {pair:?}");
        }
    }

    #[test]
    fn a_photographer_takes_one_picture_of_each_position() {
        let states = [(0, "clean"), (0, "clean"), (0, "clean"), (0, "hand"), (1, "clean"), (2, "clean"), (2, "clean")];
        let rows: Vec<Row> = states.iter().map(|&(ply, state)| row(ply, state)).collect();
        assert_eq!(photographed(&rows), [1, 4, 5]);
        let slots = stills(&[1, 4, 5], Some(&[0.0, 2.0, 3.0, 4.0, 9.0, 11.0]));
        assert_eq!(slots.iter().map(|s| s.time_s).collect::<Vec<_>>(), [2.0, 9.0, 11.0]);
        assert_eq!(stills(&[1, 4], None)[1].time_s, DEFAULT_INTERVAL_S);
    }
}
