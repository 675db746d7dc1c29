//! Whole games, ply by ply and with missed pictures.

use shakmaty::{Position as _, uci::UciMove};

use super::*;
use crate::game::line;

/// Follows a line, showing every `stride`-th position; returns the events.
fn follow(
    moves: &[shakmaty::Move],
    seed: u64,
    noise: f64,
    gap: impl Fn(&mut Dice) -> usize,
) -> (Game, Vec<Event>, usize) {
    let mut dice = Dice(seed);
    let mut game = Game::new(Start::default(), Tags::default());
    let mut position = game.position().clone();
    let mut events = Vec::new();
    let mut most = 0;
    let mut left = moves.iter();
    loop {
        let plies = gap(&mut dice);
        let before = left.len();
        for &mv in left.by_ref().take(plies) {
            position.play_unchecked(mv);
        }
        if before == 0 {
            return (game, events, most);
        }
        let evidence = Synthetic::new(position.board(), game.standing(), 12.0, noise, &mut dice);
        events.extend(game.observe(&evidence, AT_REST).events);
        most = most.max(game.scored());
    }
}

#[test]
fn every_ply_of_random_games_is_recovered() {
    let mut specials = 0;
    for seed in 0..40 {
        let moves = random_line(&mut Dice(seed), 160);
        specials += moves.iter().filter(|m| m.is_castle() || m.is_promotion() || m.is_en_passant()).count();
        // The synthetic picture knows no kinds of men: every promotion is taken for a queen's.
        let queens = moves.iter().position(|m| m.promotion().is_some_and(|r| r != shakmaty::Role::Queen));
        let moves = &moves[..queens.unwrap_or(moves.len())];
        let (game, events, _) = follow(moves, seed, 1.5, |_| 1);
        let want: Vec<String> =
            moves.iter().map(|&m| UciMove::from_move(m, shakmaty::CastlingMode::Standard).to_string()).collect();
        assert_eq!(ucis(&game), want, "seed {seed}");
        assert_eq!(told(&events), want, "seed {seed}");
        assert!(!words(&events).iter().any(|w| w == "illegal" || w == "revised" || w == "take_back"), "seed {seed}");
    }
    assert!(specials > 40, "the games must contain castling, promotion, en passant: {specials}");
}

#[test]
#[ignore = "measures"]
fn cost_of_a_look() {
    for (seed, gap) in [(3u64, 1usize), (3, 2), (3, 3), (3, 4)] {
        let moves = random_line(&mut Dice(seed), 120);
        let t = std::time::Instant::now();
        let (game, _, most) = follow(&moves, seed, 1.5, |_| gap);
        println!(
            "gap {gap}: {} of {} plies, {:?} a look, most scored {most}",
            game.line().len(),
            moves.len(),
            t.elapsed() / (moves.len() / gap) as u32
        );
    }
}

#[test]
#[ignore = "debug"]
fn debug_gap() {
    for gap in [3usize, 4] {
        let moves = random_line(&mut Dice(3), 120);
        let (game, events, _) = follow(&moves, 3, 1.5, |_| gap);
        println!(
            "gap {gap}: {} {:?}",
            game.line().len(),
            words(&events).iter().filter(|w| *w != "move").collect::<Vec<_>>()
        );
        let want: Vec<String> =
            moves.iter().map(|&m| UciMove::from_move(m, shakmaty::CastlingMode::Standard).to_string()).collect();
        let n = game.line().len();
        for e in &events {
            if let Event::Revised { ply, was, uci, .. } = e {
                print!("{ply}:{was}>{uci} ");
            }
        }
        println!("at {} next {:?}", line::fen(game.position()), &want[n..(n + 8).min(want.len())]);
        println!("{:?}\n{:?}", &ucis(&game)[n.saturating_sub(8)..], &want[n.saturating_sub(8)..n]);
    }
}
