//! Whole games, ply by ply and with missed pictures.

use shakmaty::{Position as _, uci::UciMove};

use super::*;

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
    for seed in 0..20 {
        let moves = random_line(&mut Dice(seed), 160);
        specials += moves.iter().filter(|m| m.is_castle() || m.is_promotion() || m.is_en_passant()).count();
        // The synthetic picture knows no kinds of men: every promotion is taken for a queen's.
        let queens = moves.iter().position(|m| m.promotion().is_some_and(|r| r != shakmaty::Role::Queen));
        let moves = &moves[..queens.unwrap_or(moves.len())];
        let (game, events, _) = follow(moves, seed, 1.5, |_| 1);
        let want = uci_list(moves);
        assert_eq!(ucis(&game), want, "seed {seed}");
        assert_eq!(told(&events), want, "seed {seed}");
        assert!(!words(&events).iter().any(|w| w == "illegal" || w == "revised" || w == "take_back"), "seed {seed}");
    }
    assert!(specials > 20, "the games must contain castling, promotion, en passant: {specials}");
}

#[test]
fn a_move_seen_without_doubt_is_told_with_hardly_any() {
    let mut game = Game::new(Start::default(), Tags::default());
    let events = show(&mut game, &board("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"), AT_REST).events;
    let [Event::Move { uci, confidence, .. }] = events.as_slice() else { panic!("{events:?}") };
    // Nothing else leads there: no story against the rules may take a share of it. But nothing seen by a camera is certain.
    assert!(uci.to_string() == "e2e4" && (0.99..0.9999).contains(confidence), "{uci} {confidence}");
}

fn uci_list(moves: &[shakmaty::Move]) -> Vec<String> {
    moves.iter().map(|&m| UciMove::from_move(m, shakmaty::CastlingMode::Standard).to_string()).collect()
}

/// Real games: no man wanders aimlessly, so a missed picture leaves something to see.
const GAMES: &str = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 9. h3 Nb8 10. d4 Nbd7 \
    11. c4 c6 12. cxb5 axb5 13. Nc3 Bb7 14. Bg5 b4 15. Nb1 h6 16. Bh4 c5 17. dxe5 Nxe4 18. Bxe7 Qxe7 19. exd6 Qf6 \
    20. Nbd2 Nxd6 21. Nc4 Nxc4 22. Bxc4 Nb6 23. Ne5 Rae8 24. Bxf7+ Rxf7 25. Nxf7 Rxe1+ 26. Qxe1 Kxf7 27. Qe3 Qg5 \
    28. Qxg5 hxg5 29. b3 Ke6 30. a3 Kd6 31. axb4 cxb4 32. Ra5 Nd5 33. f3 Bc8 34. Kf2 Bf5 35. Ra7 g6 36. Ra6+ Kc5 \
    37. Ke1 Nf4 38. g3 Nxh3 39. Kd2 Kb5 40. Rd6 Kc5 41. Ra6 Nf2 42. g4 Bd3 43. Re6 1/2-1/2\n\n\
    1. e4 c5 2. Nf3 d6 3. e5 f5 4. exf6 Nxf6 5. d4 Bg4 6. dxc5 e5 7. cxd6 Qxd6 8. Qxd6 Bxd6 9. Bb5+ Nc6 10. O-O O-O-O 1/2-1/2\n";

#[test]
fn missed_pictures_are_filled_in() {
    for game in super::super::pgn_in::read_games(GAMES) {
        let game = game.unwrap();
        let want = game.ucis();
        let (seen, events, _) = follow(&game.moves, 1, 1.5, |_| 2);
        assert_eq!(ucis(&seen), want, "every second picture");
        assert_eq!(told(&events), want);
        // With two pictures of three missing, colours cannot tell which of two plies of one side came first, nor that
        // a rook went and came back; the position is right all the same.
        let moves = &game.moves[..want.len().min(78)];
        let (seen, events, _) = follow(moves, 1, 1.5, |_| 3);
        assert_eq!(seen.position(), &game.positions()[moves.len()], "every third picture");
        assert_eq!(told(&events), ucis(&seen));
    }
}

#[test]
fn the_way_back_after_six_missed_plies_is_found_by_patience() {
    let game = super::super::pgn_in::read_games(GAMES).remove(0).unwrap();
    let mut seen = Game::new(Start::default(), Tags::default());
    let positions = game.positions();
    show(&mut seen, positions[6].board(), AT_REST);
    assert!(seen.plies().is_empty(), "too far for a look");
    show(&mut seen, positions[6].board(), PATIENT);
    assert_eq!(seen.position(), &positions[6]);
    show(&mut seen, positions[7].board(), AT_REST);
    assert_eq!(seen.position(), &positions[7]);
}

#[test]
fn one_look_costs_a_bounded_number_of_scores() {
    for (seed, gap) in [(3, 1), (4, 2), (5, 4)] {
        let moves = random_line(&mut Dice(seed), 120);
        // Noise as strong as the signal: nothing is hopeless.
        for noise in [1.0, 6.0, 12.0] {
            let (_, _, most) = follow(&moves, seed, noise, |_| gap);
            assert!(most > 0 && most < 700, "gap {gap}, noise {noise}: {most}");
        }
    }
}

/// Law: with noise near the signal moves may be late, but what is told is nearly always right.
#[test]
fn noise_makes_silent_rather_than_wrong() {
    let (mut told_plies, mut wrong) = (0, 0);
    for seed in 0..30 {
        let mut dice = Dice(900 + seed);
        let mut game = Game::new(Start::default(), Tags::default());
        for mv in random_line(&mut Dice(seed), 30) {
            let mut after = game.position().clone();
            if !after.is_legal(mv) {
                break;
            }
            after.play_unchecked(mv);
            // 8 nats a square, give or take 3.5: one square in twenty points the wrong way.
            let evidence = Synthetic::new(after.board(), game.standing(), 8.0, 3.5, &mut dice);
            let events = game.observe(&evidence, AT_REST).events;
            let moved = events.iter().any(|e| matches!(e, Event::Move { .. }));
            told_plies += usize::from(moved);
            if moved && game.position() != &after {
                wrong += 1;
                break;
            }
            if !moved {
                game.observe(&Synthetic::clear(after.board(), &game), AT_REST);
            }
            assert_eq!(uci_list(&[mv])[0], game.plies().last().unwrap().uci.to_string());
        }
    }
    println!("{wrong} of {told_plies} wrong");
    assert!(told_plies > 200 && wrong * 50 <= told_plies, "{wrong} of {told_plies}");
}
