//! A game goes on from its own record: after a restart of the program.

use shakmaty::Position as _;

use super::{
    Game, Remarks, Tags,
    line::Line,
    notes::{Notes, Time, WITHDRAWN_WORD},
    pace::Pace,
    pgn_in::GameText,
};
use crate::frame::Stamp;

/// What a comment of ours says of the ply before it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Remark {
    /// How long the ply took, in seconds.
    pub took_s: Option<i64>,
    /// Probability that it is what was played.
    pub confidence: Option<f64>,
}

impl Remark {
    /// Reads one comment; what is none of ours says nothing.
    #[must_use]
    pub fn read(comment: &str) -> Self {
        let took_s = comment.split_once("[%emt").and_then(|(_, rest)| {
            let (time, _) = rest.split_once(']')?;
            let mut parts =
                time.trim().split(':').map(|n| n.parse::<i64>().ok().filter(|n| (0..=1_000_000).contains(n)));
            let (h, m, s) = (parts.next()??, parts.next()??, parts.next()??);
            parts.next().is_none().then_some(3600 * h + 60 * m + s)
        });
        let words: Vec<&str> = comment.split_whitespace().collect();
        let sure = words.windows(3).find(|w| w[1] == "%" && w[2] == "sure").and_then(|w| w[0].parse::<f64>().ok());
        Self { took_s, confidence: sure.map(|percent| (percent / 100.0).clamp(0.0, 1.0)) }
    }
}

/// When the game began, as its headers `UTCDate` and `UTCTime` say.
fn began_at(text: &GameText) -> Option<Stamp> {
    let numbers = |name: &str, separator: char| -> Option<[i64; 3]> {
        let parts: Option<Vec<i64>> = text.header(name)?.split(separator).map(|n| n.parse().ok()).collect();
        parts?.try_into().ok()
    };
    let [year, month, day] = numbers("UTCDate", '.')?;
    let [h, m, s] = numbers("UTCTime", ':')?;
    let possible = (1970..2200).contains(&year) && (0..24).contains(&h) && (0..60).contains(&m) && (0..60).contains(&s);
    // The day is found by what it is called: its number is near 365.2425 days a year.
    let about = ((year - 1970) * 3_652_425 + (month - 1) * 304_369) / 10_000 + day - 1;
    let midnight = (about - 3..=about + 3)
        .map(|days| Stamp(days.saturating_mul(86_400_000_000_000)))
        .find(|stamp| possible && stamp.utc_date() == (year, month, day))?;
    Some(Stamp(midnight.0 + (3600 * h + 60 * m + s) * 1_000_000_000))
}

impl Game {
    /// A game that goes on after the moves of `text`, with the confidences, times and withdrawn lines that its comments
    /// tell. The headers are `tags`.
    #[must_use]
    pub fn resume(text: &GameText, tags: Tags, wanted: Remarks) -> Self {
        let mut notes = Notes::default();
        (notes.wanted, notes.begun) = (wanted, began_at(text));
        let mut remarks = vec![Remark::default(); text.moves.len()];
        for (plies, comment) in &text.comments {
            let plain = comment.split_whitespace().collect::<Vec<_>>().join(" ");
            if let Some(withdrawn) = plain.strip_prefix(WITHDRAWN_WORD) {
                notes.withdraw(*plies, withdrawn.trim().to_owned(), false);
            } else if let Some(remark) = plies.checked_sub(1).and_then(|index| remarks.get_mut(index)) {
                let said = Remark::read(&plain);
                remark.took_s = remark.took_s.or(said.took_s);
                remark.confidence = remark.confidence.or(said.confidence);
            } else {
                notes.preface = plain;
            }
        }
        let mut line = Line::new(text.start.clone());
        let mut at = notes.begun;
        for (&mv, remark) in text.moves.iter().zip(&remarks) {
            if !line.push(mv, remark.confidence.unwrap_or(1.0)) {
                // The reader has checked every move.
                break;
            }
            at = at
                .zip(remark.took_s)
                .map(|(at, took_s)| Stamp(at.0.saturating_add(took_s.saturating_mul(1_000_000_000))));
            notes.times.push(Time { at, took_s: remark.took_s });
        }
        let mut game = Self::new(text.start.clone(), tags);
        game.standing = line.position().board().clone();
        game.line = line;
        game.notes = notes;
        game.memory.pace = Pace::after_absence();
        let _ = game.end_by_rule();
        game
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_are_read_and_nonsense_is_not() {
        let read = Remark::read;
        assert_eq!(read("[%emt 0:01:05] 62.0 % sure"), Remark { took_s: Some(65), confidence: Some(0.62) });
        assert_eq!(read("[%emt 1:00:00]").took_s, Some(3600));
        for text in [
            "[%emt 1:00]",
            "[%emt -1:00:00]",
            "[%emt 1:00:00:00]",
            "[%emt 1:00:00",
            "% sure",
            "x % sure",
            "[%clk 0:01:00]",
        ] {
            assert_eq!(read(text), Remark::default(), "{text}");
        }
    }

    #[test]
    fn a_day_is_found_by_its_name() {
        let text = |date: &str, time: &str| {
            let pgn = format!("[UTCDate \"{date}\"]\n[UTCTime \"{time}\"]\n\n*\n");
            began_at(&crate::game::pgn_in::read_games(&pgn).remove(0).unwrap())
        };
        for seconds in [0, 951_782_400, 951_868_799, 1_795_183_501, 4_107_542_399_i64] {
            let stamp = Stamp(seconds * 1_000_000_000);
            let ((y, m, d), s) = (stamp.utc_date(), seconds % 86_400);
            let found =
                text(&format!("{y:04}.{m:02}.{d:02}"), &format!("{:02}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60));
            assert_eq!(found, Some(stamp));
        }
        for (date, time) in [
            ("2026.02.30", "00:00:00"),
            ("2026.13.01", "00:00:00"),
            ("2026.01.01", "24:00:00"),
            ("????.??.??", "00:00:00"),
            ("2026.01", "1:2:3"),
        ] {
            assert_eq!(text(date, time), None, "{date} {time}");
        }
    }
}
