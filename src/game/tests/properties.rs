//! Laws that hold for any game, however it is seen.

use proptest::prelude::*;
use shakmaty::{Position as _, uci::UciMove};

use super::*;
use crate::game::pgn_in::read_games;

/// The placements of a random game, the first position's included, and its moves as UCI.
fn random_game(seed: u64, plies: usize) -> (Vec<Board>, Vec<String>) {
    let mut position = shakmaty::Chess::default();
    let (mut boards, mut ucis) = (vec![position.board().clone()], vec![]);
    for mv in random_line(&mut Dice(seed), plies) {
        ucis.push(UciMove::from_move(mv, shakmaty::CastlingMode::Standard).to_string());
        position.play_unchecked(mv);
        boards.push(position.board().clone());
    }
    (boards, ucis)
}

fn exact(game: &mut Game, men: &Board) -> Vec<Event> {
    let evidence = Synthetic::clear(men, game).with_kinds(men, 20.0);
    game.observe(&evidence, PATIENT).events
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Any legal game that is seen exactly is told exactly.
    #[test]
    fn a_game_seen_exactly_is_told_exactly(seed in any::<u64>(), plies in 1_usize..160) {
        let (boards, ucis) = random_game(seed, plies);
        let mut game = Game::new(Start::default(), Tags::default());
        let mut events = vec![];
        for men in &boards[1..] {
            events.extend(exact(&mut game, men));
        }
        prop_assert_eq!(super::ucis(&game), ucis.clone());
        prop_assert_eq!(told(&events), ucis);
        prop_assert!(words(&events).iter().all(|w| w == "move" || w == "result"));
    }

    /// Whatever is hidden and when: what is told is a legal game, and its PGN is read back as it is. (Warnings are another
    /// matter: with half of the squares hidden, the one that a man came from may be among them.)
    #[test]
    fn hidden_squares_never_make_an_illegal_game(
        seed in any::<u64>(),
        hidden in prop::collection::vec(any::<u64>(), 40),
        share in 0_u32..3,
    ) {
        let (boards, _) = random_game(seed, 40);
        let mut game = Game::new(Start::default(), Tags::default());
        let mut events = vec![];
        for (men, &bits) in boards.iter().skip(1).zip(&hidden) {
            // A half, a quarter or an eighth of the squares.
            let squares = (0..share).fold(bits, |all, turn| all & bits.rotate_left(13 * (turn + 1)));
            let evidence = Synthetic::clear(men, &game).with_kinds(men, 20.0).blind(Bitboard(squares));
            events.extend(game.observe(&evidence, PATIENT).events);
            prop_assert_eq!(told(&events), super::ucis(&game));
        }
        let read = read_games(&game.pgn()).remove(0);
        prop_assert!(read.is_ok(), "{}", game.pgn());
        prop_assert_eq!(read.unwrap().ucis(), super::ucis(&game));
    }

    /// One ply or several that are put back are taken back, and the game goes on from there.
    #[test]
    fn plies_put_back_are_taken_back(seed in any::<u64>(), plies in 8_usize..60, back in 1_usize..6) {
        let (boards, ucis) = random_game(seed, plies);
        prop_assume!(boards.len() > back + 1);
        let keep = boards.len() - 1 - back;
        // A position that stood twice is gone back to the shorter way.
        prop_assume!(boards[keep + 1..].iter().all(|men| *men != boards[keep]));
        // And so is one to which a man who went out and on may have come home by himself.
        let withdrawn = &ucis[keep..];
        let went_on = |(i, uci): (usize, &String)| withdrawn[..i].iter().any(|earlier| uci[..2] == earlier[2..4]);
        prop_assume!(!withdrawn.iter().enumerate().any(went_on));
        let mut game = Game::new(Start::default(), Tags::default());
        for men in &boards[1..] {
            exact(&mut game, men);
        }
        prop_assert_eq!(game.plies().len(), ucis.len());
        let events = exact(&mut game, &boards[keep]);
        prop_assert!(!words(&events).iter().any(|w| w == "illegal"), "{:?}", events);
        prop_assert_eq!(super::ucis(&game), ucis[..keep].to_vec());
        for men in &boards[keep + 1..] {
            exact(&mut game, men);
        }
        prop_assert_eq!(super::ucis(&game), ucis);
    }
}
