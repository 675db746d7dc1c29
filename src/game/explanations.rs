//! What a look left open: the plies that it may have shown, for a person to choose from.

use serde::{Deserialize, Serialize};
use shakmaty::{Move, san::SanPlus, uci::UciMove};

use super::{hypotheses::Story, line::Line, weighing::Group};

/// How many are named: what one glance takes in.
const NAMED: usize = 5;
/// What is less probable is not worth naming.
const LEAST: f64 = 1e-3;

/// A ply that may have been played, or none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Explanation {
    /// The ply as UCI; empty where nothing was played yet.
    pub uci: String,
    /// The ply as SAN; empty where nothing was played yet.
    pub san: String,
    /// Its posterior: of all stories that begin with it. What no rule allows has the rest.
    pub probability: f64,
}

/// The likeliest next plies after `line`, by all that was weighed; the likeliest first.
pub(super) fn of<'a>(line: &Line, groups: impl Iterator<Item = &'a Group>) -> Vec<Explanation> {
    let mut plies: Vec<(Option<Move>, f64)> = Vec::new();
    for member in groups.flat_map(|group| &group.members) {
        let ply = match &member.hypothesis.story {
            Story::Standing | Story::Making { .. } => None,
            Story::Line { keep, moves, over: None } if *keep == line.len() => moves.first().copied(),
            _ => continue,
        };
        match plies.iter_mut().find(|(known, _)| *known == ply) {
            Some((_, sum)) => *sum += member.probability,
            None => plies.push((ply, member.probability)),
        }
    }
    plies.retain(|(_, probability)| *probability >= LEAST);
    plies.sort_by(|a, b| b.1.total_cmp(&a.1));
    plies.truncate(NAMED);
    let named = |(ply, probability): (Option<Move>, f64)| {
        let (uci, san) = ply.map_or_else(Default::default, |mv| {
            let san = SanPlus::from_move_and_play_unchecked(&mut line.position().clone(), mv);
            (UciMove::from_move(mv, line.start().castling_mode()).to_string(), san.to_string())
        });
        Explanation { uci, san, probability }
    };
    plies.into_iter().map(named).collect()
}
