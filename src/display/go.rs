//! A game of Go: what its observer says of the board, and the plays from its SGF, so that a page needs no rules of Go.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};

use super::words::StonesWord;
use crate::go::{self, Color, Content, Moment, record::Record};

/// A play of the game as it stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Play {
    /// The number before it, `12.`.
    number: String,
    /// Whose it is.
    color: Color,
    /// Where, as players name it; `pass` for a pass.
    name: String,
    /// The crossing; empty for a pass.
    at: String,
    /// What has changed on the board since the play before, crossing by crossing: `X`, `O`, or empty for a stone that went.
    changes: Vec<(String, &'static str)>,
    /// Stones that Black and White have taken so far.
    captured: [u32; 2],
    /// What the rules have against it; `None` for nothing.
    fault: Option<&'static str>,
    /// How long it took: not noted in SGF by the observer.
    took_s: Option<i64>,
    /// Probability that it is what was played, where it is known.
    confidence: Option<f64>,
    /// Time of the picture in which it was understood, in seconds since the epoch, where it is known.
    stamp_s: Option<f64>,
}

/// A game as its record tells it.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub(super) struct Told {
    black: String,
    white: String,
    event: String,
    round: String,
    date: String,
    /// As SGF writes it; empty while the game goes on.
    result: String,
    rules: &'static str,
    komi: Option<f64>,
    handicap: usize,
    /// Lines of the board.
    size: u8,
    /// The first position, row by row from above: X, O, and . for none, rows ending with a line end.
    start: String,
    plies: Vec<Play>,
}

/// A game of Go on a board.
#[derive(Debug, Clone, Default)]
pub(super) struct GoGame {
    stones: StonesWord,
    told: Told,
}

impl GoGame {
    /// Takes over what its observer says of the stones.
    pub(super) fn hear(&mut self, word: StonesWord) {
        self.stones = word;
    }

    /// Takes over the record. What cannot be read changes nothing.
    pub(super) fn read(&mut self, sgf: &str) {
        if let Ok(record) = Record::read(sgf.as_bytes()) {
            self.told = Told::of(&record);
        }
    }

    /// Plays of the record.
    pub(super) fn plays(&self) -> usize {
        self.told.plies.len()
    }

    /// Notes when each play was understood, and how surely.
    pub(super) fn time(&mut self, told: &BTreeMap<usize, (f64, Option<f64>)>) {
        for (index, play) in self.told.plies.iter_mut().enumerate() {
            if let Some((stamp_s, confidence)) = told.get(&(index + 1)) {
                play.stamp_s = Some(*stamp_s);
                play.confidence = confidence.or(play.confidence);
            }
        }
    }

    /// The stones that belong on these crossings.
    pub(super) fn restore(&self, crossings: &[String]) -> Vec<(String, String)> {
        let Ok(size) = go::Size::new(self.stones.size.into()) else { return Vec::new() };
        let rows: Vec<&[u8]> = self.stones.stones.lines().map(str::as_bytes).collect();
        let stone = |name: &String| {
            let point = go::Point::parse(name, size)?;
            let letter = *rows.get(usize::from(point.y))?.get(usize::from(point.x))?;
            Some((name.clone(), if letter == b'.' { String::new() } else { char::from(letter).to_string() }))
        };
        crossings.iter().filter_map(stone).collect()
    }

    /// What the hall shows of it.
    pub(super) fn tile(&self) -> Value {
        let last = self.told.plies.last();
        json!({
            "white": self.told.white,
            "black": self.told.black,
            "stones": self.stones,
            "ply": self.stones.number,
            "last": last.map(|p| json!({ "number": p.number, "name": p.name, "color": p.color, "stamp_s": p.stamp_s })),
            "result": self.told.result,
        })
    }

    /// What its page shows besides.
    pub(super) fn page(&self) -> Value {
        json!({ "game": self.told })
    }
}

impl Told {
    fn of(record: &Record) -> Self {
        let (info, line) = (&record.info, record.line());
        let size = record.end.board().size();
        let mut told = Self {
            black: info.black.clone(),
            white: info.white.clone(),
            event: info.event.clone(),
            round: info.round.clone(),
            date: info.date.clone(),
            result: info.result.clone(),
            rules: info.rules.name,
            komi: info.komi,
            handicap: info.handicap,
            size: size.lines(),
            start: line.first().map(|moment| rows(moment.board())).unwrap_or_default(),
            plies: Vec::new(),
        };
        // Stones that were laid out between two plays count to the play after them.
        let mut before = line.first().map(|moment| moment.board().clone()).unwrap_or_else(|| go::Board::empty(size));
        for moment in &line {
            let Some(play) = moment.last() else { continue };
            told.plies.push(a_play(moment, play, &before));
            before = moment.board().clone();
        }
        told
    }
}

fn a_play(moment: &Moment, play: go::Play, before: &go::Board) -> Play {
    let (board, size) = (moment.board(), before.size());
    let at = play.at.map_or_else(String::new, |point| point.name(size));
    let letter = |content| match content {
        Content::Empty => "",
        Content::Black => "X",
        Content::White => "O",
    };
    Play {
        number: format!("{}.", moment.number()),
        color: play.color,
        name: if at.is_empty() { "pass".into() } else { at.clone() },
        at,
        changes: board.differences(before).map(|point| (point.name(size), letter(board.at(point)))).collect(),
        captured: [Color::Black, Color::White].map(|by| moment.prisoners(by)),
        fault: play.fault.map(go::Fault::word),
        took_s: None,
        confidence: None,
        stamp_s: None,
    }
}

/// The stones row by row, as messages write them.
fn rows(board: &go::Board) -> String {
    let letter = |content: &Content| match content {
        Content::Empty => '.',
        Content::Black => 'X',
        Content::White => 'O',
    };
    let rows = board.contents().chunks(usize::from(board.size().lines()));
    rows.map(|row| row.iter().map(letter).chain(['\n']).collect::<String>()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// White's stone in the corner is taken; then both pass.
    const TAKEN: &str = "(;GM[1]FF[4]SZ[5]PB[Ann]KM[6.5]RU[Japanese];B[ba];W[aa];B[ab];W[];B[])";

    #[test]
    fn every_play_has_what_it_changed() {
        let mut game = GoGame::default();
        game.read(TAKEN);
        game.time(&BTreeMap::from([(3, (7.0, Some(0.9)))]));
        let plies = &game.told.plies;
        let named: Vec<_> = plies.iter().map(|p| (p.number.as_str(), p.name.as_str())).collect();
        assert_eq!(named, [("1.", "B5"), ("2.", "A5"), ("3.", "A4"), ("4.", "pass"), ("5.", "pass")]);
        assert_eq!(plies[1].changes, [("A5".to_owned(), "O")]);
        let mut taken = plies[2].changes.clone();
        taken.sort();
        assert_eq!(taken, [("A4".to_owned(), "X"), ("A5".to_owned(), "")]);
        assert_eq!((plies[2].captured, plies[2].confidence, plies[2].stamp_s), ([1, 0], Some(0.9), Some(7.0)));
        assert!(plies[3].changes.is_empty() && plies[3].at.is_empty());
        assert_eq!((game.told.black.as_str(), game.told.size, game.told.start.len()), ("Ann", 5, 30));
    }

    #[test]
    fn what_cannot_be_read_changes_nothing() {
        let mut game = GoGame::default();
        game.read(TAKEN);
        for bad in ["", "(;GM[1]SZ[99])", "1. e4 *"] {
            game.read(bad);
            assert_eq!(game.plays(), 5, "{bad:?}");
        }
    }

    #[test]
    fn what_belongs_on_a_crossing_is_known() {
        let mut game = GoGame::default();
        let stones = "X....\n.O...\n.....\n.....\n.....\n".into();
        game.hear(StonesWord { size: 5, stones, ..StonesWord::default() });
        let told = game.restore(&["A5", "B4", "E1", "Z9"].map(str::to_owned));
        let told: Vec<_> = told.iter().map(|(name, stone)| (name.as_str(), stone.as_str())).collect();
        assert_eq!(told, [("A5", "X"), ("B4", "O"), ("E1", "")]);
    }
}
