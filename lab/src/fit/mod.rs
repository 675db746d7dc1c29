//! The weights of trust, fitted to looks whose truth is known: `lab fit`.
//!
//! Every look of the training recordings under all protocols, and of simulated games of a seed below 1000, is one sample: how
//! its likeliest story was seen, and whether that is what was played. The weights of trust are those that lose the fewest nats
//! over them (`logistic`).

mod logistic;

use chess_observer::game::account::{Account, Sighting, Weights};
use serde::{Deserialize, Serialize};
use shakmaty::uci::UciMove;

use self::logistic::{Row, fit};
use crate::truth::Truth;

/// The likeliest line of play of a look, and what was played.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// The line of play, ply by ply.
    pub story: String,
    /// How it was seen.
    pub sighting: Sighting,
    /// The game so far is what was played.
    pub on_track: bool,
    /// The line is what was played.
    pub right: bool,
}

impl Sample {
    /// Of a look that was accounted for; `None` where its likeliest story is no line of play with something new.
    #[must_use]
    pub fn of(account: &Account, truth: &Truth) -> Option<Self> {
        let seen = &account.seen;
        let (line, sighting) = (seen.line.as_deref()?, seen.sighting?);
        let is_played = |line: &[UciMove]| {
            line.len() <= truth.plies.len() && line.iter().zip(&truth.plies).all(|(read, is)| read.to_string() == *is)
        };
        let story = line.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        Some(Self { story, sighting, on_track: is_played(&seen.game), right: is_played(line) })
    }
}

/// What a fit gave.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    /// Looks at lines of play.
    pub looks: usize,
    /// Different stories among them.
    pub stories: usize,
    /// The weights in force.
    pub in_force: Weights,
    /// Those that fit best.
    pub best: Weights,
    /// What a story costs in nats under the posterior alone, under the weights in force, and under the best.
    pub loss_nats: [f64; 3],
}

/// Fits the weights to games, each the samples of its looks in their order.
#[must_use]
pub fn fitted(games: &[Vec<Sample>]) -> Fitted {
    let mut rows = vec![];
    for game in games {
        for looks in stories(game) {
            // The looks at one story tell much the same: together they count as one.
            let weight = 1.0 / looks.len() as f64;
            // A line that goes on from a wrong one cannot be right, whatever its look shows.
            let usable = looks.iter().filter(|look| look.on_track);
            rows.extend(usable.map(|look| Row { parts: look.sighting.parts(), right: look.right, weight }));
        }
    }
    let in_force = Weights::in_force();
    let best = fit(&rows);
    let alone = |row: &Row| row.parts[1];
    Fitted {
        looks: rows.len(),
        stories: games.iter().map(|game| stories(game).count()).sum(),
        loss_nats: [
            logistic::loss(&rows, alone),
            logistic::loss(&rows, |row| row.log_odds(&in_force.parts())),
            logistic::loss(&rows, |row| row.log_odds(&best)),
        ],
        in_force,
        best: Weights::from_parts(best),
    }
}

/// The looks at each story, one after the other, as the game came to it.
fn stories(game: &[Sample]) -> impl Iterator<Item = &[Sample]> {
    game.chunk_by(|a, b| a.story == b.story)
}
