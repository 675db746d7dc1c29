//! The likeliest explanations of an uncertain look, from what it said of every square.

use serde::Serialize;
use shakmaty::{Board, CastlingMode, Chess, Position as _, Square, fen::Fen, san::SanPlus};

use super::words::Squares;

/// A probability below this is not believed: one square alone excludes nothing.
const LEAST: f64 = 1e-3;
/// How many are offered: what one glance takes in.
const OFFERED: usize = 5;

/// One explanation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Choice {
    /// The move as UCI; empty where nothing was played.
    pub uci: String,
    /// The move as SAN; empty where nothing was played.
    pub san: String,
    /// Its share of the likelihood of all explanations of up to one ply, 0 to 1.
    pub share: f64,
}

/// The likeliest explanations of `squares` where `fen` was the position, the likeliest first: a legal move each, or none.
/// Empty where the position cannot be read.
#[must_use]
pub fn likeliest(fen: &str, squares: &Squares) -> Vec<Choice> {
    let position = fen.parse::<Fen>().ok().and_then(|fen| fen.into_position::<Chess>(CastlingMode::Standard).ok());
    let (Some(position), true) = (position, squares.is_whole()) else { return Vec::new() };
    let mut all = vec![(String::new(), String::new(), ln(position.board(), squares))];
    for mv in position.legal_moves() {
        let uci = mv.to_uci(CastlingMode::Standard).to_string();
        let mut after = position.clone();
        let san = SanPlus::from_move_and_play_unchecked(&mut after, mv).to_string();
        all.push((uci, san, ln(after.board(), squares)));
    }
    all.sort_by(|a, b| b.2.total_cmp(&a.2));
    let best = all.first().map_or(0.0, |first| first.2);
    let sum: f64 = all.iter().map(|(_, _, ln)| (ln - best).exp()).sum();
    let choice = |(uci, san, ln): (String, String, f64)| Choice { uci, san, share: (ln - best).exp() / sum };
    all.into_iter().take(OFFERED).map(choice).collect()
}

/// ln of the probability that the squares hold these men, each square by itself.
fn ln(men: &Board, squares: &Squares) -> f64 {
    Square::ALL
        .iter()
        .map(|&square| {
            let class = men.color_at(square).map_or(0, |color| if color.is_white() { 1 } else { 2 });
            f64::from(squares.occupancy[3 * usize::from(square) + class]).max(LEAST).ln()
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    /// A look at the start position with `holds` laid over it.
    fn look(holds: &[(Square, [f32; 3])]) -> Squares {
        let men = Board::default();
        let mut occupancy = Vec::new();
        for square in Square::ALL {
            let class = men.color_at(square).map_or(0, |color| if color.is_white() { 1 } else { 2 });
            let mut p = [0.005; 3];
            p[class] = 0.99;
            occupancy.extend(holds.iter().find(|(s, _)| *s == square).map_or(p, |(_, p)| *p));
        }
        Squares { occupancy, changed: vec![0.0; 64], reliability: vec![1.0; 64], covered: vec![false; 64] }
    }

    #[test]
    fn the_move_that_the_squares_show_comes_first() {
        let seen = look(&[(Square::E2, [0.9, 0.1, 0.0]), (Square::E3, [0.5, 0.5, 0.0]), (Square::E4, [0.4, 0.6, 0.0])]);
        let choices = likeliest(START, &seen);
        assert_eq!(choices.len(), OFFERED);
        assert_eq!((choices[0].san.as_str(), choices[1].san.as_str()), ("e4", "e3"));
        assert!(choices[0].share > choices[1].share && choices.iter().map(|c| c.share).sum::<f64>() <= 1.0);
    }

    #[test]
    fn nothing_was_played_is_an_explanation_too() {
        assert_eq!(likeliest(START, &look(&[]))[0].uci, "");
    }

    #[test]
    fn what_is_no_position_or_no_look_has_none() {
        assert_eq!(likeliest("8/8", &look(&[])), []);
        assert_eq!(likeliest(START, &Squares { occupancy: vec![1.0], ..look(&[]) }), []);
    }
}
