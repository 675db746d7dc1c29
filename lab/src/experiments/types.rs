//! What an experiment yields.

use serde::{Deserialize, Serialize};

use crate::{
    cause::Cause,
    counts::{Counts, SURE, TOLD, sure_rows, told_rows},
    interval::Rate,
    squares::Calibration,
};

/// Runs that are told one by one; of more only those with something that no user should meet.
const RUNS_TOLD: usize = 16;

/// The result of an experiment. Two runs with one seed give equal ones, whatever the machine.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Experiment {
    /// `petkov`, `koray`, `carta`, `ladder`, `conditions`, `squares`, `anywhere`, `bumps`, `board` or `scenes`.
    pub name: String,
    /// Its heading.
    pub title: String,
    /// What was shown to the observer and how it was counted, in a few sentences.
    pub what: String,
    /// The command that repeats it.
    pub command: String,
    /// What chance decided follows from this number.
    pub seed: u64,
    /// A smaller version, for a first impression.
    pub quick: bool,
    /// Games or runs that were left out because somebody pressed Ctrl-C.
    pub left_out: usize,
    /// The tables, in the order in which they are printed.
    pub tables: Vec<Table>,
    /// The curves, in the order in which they are printed.
    pub curves: Vec<Curve>,
    /// What is counted of every run, and of all together where there are several.
    #[serde(default)]
    pub counts: Vec<Counts>,
    /// Every fault.
    pub errors: Vec<ErrorEntry>,
    /// Faults by the kind of man that moved, out of the plies played with it: pawn, knight, … king.
    pub by_piece: Vec<Tally>,
    /// Faults by what went wrong, most frequent first; `of` is the number of all plies.
    pub by_cause: Vec<Tally>,
    /// What a reader should know beside the figures.
    pub notes: Vec<String>,
    /// The figures that only this experiment has.
    pub figures: Figures,
}

impl Experiment {
    /// What was told and when, run by run, and how far the confidences of moves hold; nothing where no games were
    /// played.
    #[must_use]
    pub fn count_tables(&self) -> Vec<Table> {
        let Some(all) = self.counts.last() else { return vec![] };
        let many = self.counts.len() > RUNS_TOLD;
        let told: Vec<&Counts> = self.counts.iter().filter(|c| !many || c.has_harm() || *c == all).collect();
        let left_out = self.counts.len() - told.len();
        let others = format!("{TOLD} ({left_out} runs without a wrong move, a false warning or a stall are left out)");
        let title = if left_out > 0 { others.as_str() } else { TOLD };
        vec![Table::of(title, told_rows(&told)), Table::of(SURE, sure_rows(all))]
    }
}

/// The figures of one kind of experiment.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Figures {
    /// Nothing beside tables and curves.
    #[default]
    None,
    /// Petkov's measures.
    Petkov {
        /// Games played.
        games: usize,
        /// Plies right, of all.
        plies: Rate,
        /// Games right from first to last ply, of all.
        perfect: Rate,
        /// Mean over the games of the first wrong ply; of the whole length where none is wrong.
        mean_first_fault: f64,
        /// Mean length of the games, in plies.
        mean_length: f64,
        /// Illegal moves announced, though all moves were legal.
        false_warnings: usize,
        /// Each game.
        by_game: Vec<GameFigures>,
    },
    /// Koray and Sümer's measures, one for each light.
    Koray {
        /// The lights in their order: yellow, white, day.
        lights: Vec<LightFigures>,
    },
    /// Squares, in good and in fair conditions, and on recordings.
    Squares {
        /// The conditions.
        groups: Vec<SquareFigures>,
        /// Pictures with a hand.
        #[serde(default)]
        hands: Vec<HandFigures>,
    },
    /// Knocks.
    Bumps {
        /// Games in which no false move was announced, of all.
        without_false_move: Rate,
        /// Games whose final record is the truth, of all.
        right: Rate,
    },
    /// Finding the board, each with `camera_info` and without.
    Board {
        /// Boards found, of all pictures.
        found: [Rate; 2],
        /// Median distance of a corner from the true one, in pixels; `None` where no board was found.
        corner_px: [Option<f64>; 2],
        /// Poses within 2° and 2 % (without `camera_info`: 4° and 6 %), of the boards found and named rightly.
        pose_right: [Rate; 2],
    },
    /// Games, each under every protocol.
    Protocols {
        /// Game by game.
        cells: Vec<ProtocolFigures>,
    },
    /// Conditions, each with the rung at which it breaks the observer.
    Conditions {
        /// The conditions.
        breaks: Vec<Break>,
    },
    /// Go: what Carta and Corsolini measured, and whole games.
    Go {
        /// The cells, as theirs.
        cells: Vec<Cell>,
        /// Plays right, of all, from one photograph a play.
        plays: Rate,
        /// Games right from first to last play, of all.
        perfect: Rate,
        /// Grids found, of all.
        grids: Rate,
    },
    /// Carta and Corsolini's cells, view by view and in each from no disturbance to the worst.
    Carta {
        /// The cells.
        cells: Vec<Cell>,
    },
}

/// What came of a game under one protocol.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ProtocolFigures {
    /// The recording, or the simulated game.
    pub source: String,
    /// The protocol.
    pub protocol: String,
    /// All that is counted.
    pub counts: Counts,
}

/// At what strength a condition breaks the observer.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Break {
    /// The condition: the name of its curve.
    pub name: String,
    /// The strength measured in reality, in the unit of the curve, where that is known.
    pub real: Option<f64>,
    /// The first rung that breaks the observer; `None` where none does.
    pub at: Option<f64>,
    /// What is wrong there: fewer than 99 % of the plies, a move told wrongly, a false warning, a stall, an illegal move
    /// that is not announced.
    pub why: Vec<String>,
    /// Is it stronger than reality was? `None` where that is not known, or nothing breaks.
    pub beyond_real: Option<bool>,
}

/// What was seen of squares under some conditions.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SquareFigures {
    /// `good`, `fair` or `recordings`.
    pub name: String,
    /// Clean pictures in which the observer looked.
    pub pictures: usize,
    /// Squares whose likeliest content is the true one, of all.
    pub right: Rate,
    /// The same for pictures before which the record was what the pictures had shown.
    pub in_step: Rate,
    /// Men that were not seen.
    pub missed: usize,
    /// Men that were seen where nothing stands.
    pub imagined: usize,
    /// Men whose colour was taken for the other one.
    pub wrong_colour: usize,
    /// Mean of -ln of the probability of what stands there, in nats a square.
    pub log_loss_nats: f64,
    /// How far the probabilities hold.
    pub calibration: Calibration,
}

/// What was seen of squares in pictures with a hand.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct HandFigures {
    /// The scene.
    pub name: String,
    /// Pictures with a hand.
    pub pictures: usize,
    /// Squares of which it hides nothing: those whose likeliest content is the true one.
    pub beside_right: Rate,
    /// Of the same: those that are said to be covered.
    pub beside_covered: Rate,
    /// Squares of which it hides half and more: those that are said to be covered.
    pub under_covered: Rate,
    /// Of the same: those of which something false was told as good as surely.
    pub under_surely_wrong: Rate,
}

/// One game of Petkov's experiment.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct GameFigures {
    /// Number of the game, 1 for the first.
    pub number: usize,
    /// Players and year.
    pub name: String,
    /// Plies played.
    pub plies: usize,
    /// Plies right.
    pub right: usize,
    /// The first wrong ply, 1 for the first; `None` where none is.
    pub first_fault: Option<usize>,
    /// Illegal moves announced, though all were legal.
    pub false_warnings: usize,
}

/// One cell of Carta and Corsolini's table.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Cell {
    /// `optimal`, `good` or `fair`.
    pub condition: String,
    /// `none`, `fully visible`, `partly hidden` or `hidden`.
    pub disturbance: String,
    /// Of the disturbed plies (without disturbance: of all), those that are right in the final record.
    pub in_the_end: Rate,
    /// Of the same plies, those that were right in the record at their picture already.
    pub at_once: Rate,
    /// What they expect, in per cent; empty where they give nothing.
    pub theirs: String,
}

/// Koray and Sümer's measures in one light.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LightFigures {
    /// `yellow`, `white` or `day`.
    pub light: String,
    /// Attempts whose squares were named, of all.
    pub detected: Rate,
    /// Attempts named rightly: the legal move, or the illegal one with its reason.
    pub interpreted: Rate,
    /// Of the illegal attempts, those announced as illegal.
    pub illegal_announced: Rate,
    /// Of the illegal attempts, those announced with the right reason.
    pub reason_right: Rate,
    /// Numbers of the attempts that were not interpreted rightly, 1 for the first.
    pub missed: Vec<usize>,
}

/// A table for people: the first column names, the others count.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Table {
    /// Its heading.
    pub title: String,
    /// Names of the columns.
    pub header: Vec<String>,
    /// The cells; each row is as long as the header.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// From rows of which the first one names the columns.
    #[must_use]
    pub fn of(title: &str, rows: Vec<Vec<String>>) -> Self {
        let mut rows = rows.into_iter();
        Self { title: title.into(), header: rows.next().unwrap_or_default(), rows: rows.collect() }
    }
}

/// How the accuracy falls while one disturbance grows.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Curve {
    /// A short name without blanks, for files and for `falls_below_99`: `bump`, `light_drop`, …
    pub name: String,
    /// Its heading.
    pub title: String,
    /// What grows, with its unit.
    pub x_label: String,
    /// The rungs, from no disturbance to the worst.
    pub points: Vec<Point>,
    /// Where the accuracy falls below 99 % for the first time, interpolated between two rungs; `None` where it never
    /// does.
    pub falls_below_99: Option<f64>,
    /// How much of it was measured in reality, in the unit of `x`, where that is known.
    #[serde(default)]
    pub real: Option<f64>,
}

impl Curve {
    /// The rungs as a table.
    #[must_use]
    pub fn table(&self) -> Table {
        let header = [
            self.x_label.as_str(),
            "plies",
            "right",
            "%",
            "95 % interval",
            "perfect games",
            "told wrong",
            "false warnings",
            "illegal announced",
            "stalls",
            "one square wrong in (95 % interval)",
        ];
        let row = |p: &Point| {
            vec![
                p.label.clone(),
                p.rate.of.to_string(),
                p.rate.right.to_string(),
                p.rate.percent_text(),
                p.rate.interval_text(),
                p.perfect.count_text(),
                p.told_wrong.to_string(),
                p.false_warnings.to_string(),
                format!("{}/{}", p.illegal_announced, p.illegal_shown),
                p.stalls.to_string(),
                p.squares.one_wrong_in_text(),
            ]
        };
        Table {
            title: self.title.clone(),
            header: header.map(str::to_owned).to_vec(),
            rows: self.points.iter().map(row).collect(),
        }
    }
}

/// A rung: so much of a disturbance, and what the observer still got right.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Point {
    /// How much, in the unit of the curve.
    pub x: f64,
    /// The same for people.
    pub label: String,
    /// Plies right, of all, with the interval.
    pub rate: Rate,
    /// Games right from first to last ply, of all.
    pub perfect: Rate,
    /// Illegal moves announced where nothing illegal stood on the board.
    pub false_warnings: usize,
    /// Squares of clean pictures seen rightly, of all (see [`squares`](super::squares)).
    #[serde(default)]
    pub squares: Rate,
    /// Moves published that are not what was played as their ply.
    #[serde(default)]
    pub told_wrong: usize,
    /// Illegal moves that stood on the board in a picture without a hand.
    #[serde(default)]
    pub illegal_shown: usize,
    /// Of these, those announced.
    #[serde(default)]
    pub illegal_announced: usize,
    /// Stretches of three plies or more that went by unread.
    #[serde(default)]
    pub stalls: usize,
}

/// A fault, as Petkov lists them: `[correct – read]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorEntry {
    /// The run in which it happened: a view, a light, a rung; empty where there is only one.
    pub run: String,
    /// Number of the game, 1 for the first.
    pub game: usize,
    /// Its name: players and year.
    pub game_name: String,
    /// Number of the ply, 1 for the first.
    pub ply: usize,
    /// The move in its game, as people write it: `12.` or `12...`.
    pub number: String,
    /// The right move as SAN; `None` where a move was invented.
    pub correct: Option<String>,
    /// The move that was read, as SAN; `None` where none was.
    pub read: Option<String>,
    /// The man that moved (or, where a move was invented, that was said to move): `pawn`, … `king`.
    pub piece: String,
    /// What went wrong.
    pub cause: Cause,
    /// The picture at which it was read, from 0.
    pub picture: Option<usize>,
}

/// Faults of one sort.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tally {
    /// The sort.
    pub name: String,
    /// Faults.
    pub errors: usize,
    /// Plies among which they could have happened.
    pub of: usize,
}

/// What the clock said: differs from run to run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Timing {
    /// The experiment.
    pub name: String,
    /// Seconds from its beginning to its end.
    pub seconds: f64,
    /// Seconds spent drawing pictures, all cores together.
    pub drawing_s: f64,
    /// Seconds spent in the observer, all cores together.
    pub observing_s: f64,
    /// Pictures shown to the observer.
    pub pictures: u64,
    /// Plies played.
    pub plies: usize,
    /// Processors used.
    pub threads: usize,
}
