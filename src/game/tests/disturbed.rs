//! What people do besides moving: touching, taking back, two-handed castling, ending the game; and what hides it.

use super::*;
use shakmaty::{CastlingMode, Chess, Move, Outcome, Role, uci::UciMove};

use crate::{
    event::ending::Ending,
    game::{line::tests::moves, plausible::log_probability},
};

fn illegal_seen(events: &[Event]) -> bool {
    events.iter().any(|e| matches!(e, Event::Illegal { .. }))
}

/// The placements that a move passes through, as hands make it.
fn way_of(position: &shakmaty::Chess, mv: shakmaty::Move) -> Vec<Board> {
    let men = position.board().clone();
    let empty = |squares: &[Square]| {
        let mut men = men.clone();
        squares.iter().for_each(|&s| men.discard_piece_at(s));
        men
    };
    let from = mv.from().unwrap();
    let mut way = vec![empty(&[from])];
    match mv {
        shakmaty::Move::Castle { king, rook } => {
            let side = mv.castling_side().unwrap();
            let mut king_there = empty(&[king]);
            king_there.set_piece_at(side.king_to(position.turn()), position.turn().king());
            let mut in_hand = king_there.clone();
            in_hand.discard_piece_at(rook);
            way.extend([king_there, in_hand]);
        }
        shakmaty::Move::EnPassant { to, .. } => {
            let mut there = empty(&[from]);
            there.set_piece_at(to, position.turn().pawn());
            way.push(there);
        }
        _ if mv.is_capture() => way.extend([empty(&[mv.to()]), empty(&[from, mv.to()])]),
        _ => {}
    }
    way
}

/// Law: however long a hand takes to make a legal move, nothing illegal is told, no wrong move, and in the end the move.
#[test]
fn a_move_in_the_making_is_waited_for() {
    let mut stages = 0;
    for seed in 100..115 {
        let mut game = Game::new(Start::default(), Tags::default());
        for mv in random_line(&mut Dice(seed), 120) {
            if mv.promotion().is_some_and(|r| r != Role::Queen) {
                break;
            }
            for men in way_of(&game.position().clone(), mv) {
                let before = game.plies().len();
                let seen = game.observe(&Synthetic::clear(&men, &game).with_hand(), PATIENT);
                assert!(!illegal_seen(&seen.events), "seed {seed} {mv:?}: {:?}", seen.events);
                assert_eq!(game.plies().len(), before, "seed {seed} {mv:?}");
                stages += 1;
            }
            let mut after = game.position().clone();
            after.play_unchecked(mv);
            show(&mut game, after.board(), AT_REST);
            assert_eq!(game.position(), &after, "seed {seed} {mv:?}");
        }
    }
    assert!(stages > 1000);
}

/// Law: without a hand in the picture a half-made capture may look like an exchange; then the move itself revises it.
/// Nothing illegal is told either way, and in the end the move stands.
#[test]
fn a_half_made_move_without_a_hand_is_put_right_by_the_move() {
    let (mut stages, mut exchanges) = (0, 0);
    for seed in 100..115 {
        let mut game = Game::new(Start::default(), Tags::default());
        let mut events = Vec::new();
        for mv in random_line(&mut Dice(seed), 120) {
            if mv.promotion().is_some_and(|r| r != Role::Queen) {
                break;
            }
            let before = game.plies().len();
            let mut after = game.position().clone();
            after.play_unchecked(mv);
            for men in way_of(&game.position().clone(), mv) {
                let seen = show(&mut game, &men, PATIENT).events;
                assert!(!illegal_seen(&seen), "seed {seed} {mv:?}: {seen:?}");
                exchanges += usize::from(game.plies().len() != before);
                stages += 1;
                events.extend(seen);
            }
            // What takes a told move back is believed at the second look.
            for _ in 0..2 {
                events.extend(show(&mut game, after.board(), AT_REST).events);
            }
            assert_eq!(game.position(), &after, "seed {seed} {mv:?}");
            assert_eq!(told(&events), ucis(&game));
        }
    }
    assert!(stages > 1000 && exchanges * 100 < stages, "{exchanges} of {stages} misread");
}

#[test]
fn a_man_lifted_and_put_back_was_touched() {
    let mut game = Game::new(Start::default(), Tags::default());
    let start = game.standing().clone();
    let mut lifted = start.clone();
    lifted.discard_piece_at(Square::D1);
    assert!(show(&mut game, &lifted, AT_REST).events.is_empty());
    let seen = show(&mut game, &start, AT_REST);
    assert_eq!(seen.events, [Event::Touched { square: Square::D1 }]);
    assert_eq!(seen.explained, Some(start.clone()));
    assert!(show(&mut game, &start, AT_REST).events.is_empty());
}

#[test]
fn a_move_is_told_though_the_reply_has_begun() {
    let mut dice = Dice(31);
    let mut game = Game::new(Start::default(), Tags::default());
    for mv in random_line(&mut dice, 60) {
        if mv.promotion().is_some_and(|r| r != Role::Queen) {
            break;
        }
        let mut after = game.position().clone();
        after.play_unchecked(mv);
        let Some(reply) = after.legal_moves().first().copied() else { break };
        let mut men = after.board().clone();
        men.discard_piece_at(reply.from().unwrap());
        let seen = show(&mut game, &men, AT_REST);
        assert_eq!(game.position(), &after, "{mv:?}");
        assert_eq!(seen.explained, Some(men));
        assert!(!game.status().illegal);
        // Put back: touched.
        assert_eq!(words(&show(&mut game, after.board(), AT_REST).events), ["touched"], "{mv:?}");
    }
    assert!(game.plies().len() > 30);
}

#[test]
fn men_missing_before_the_first_move_are_being_set_up() {
    let mut game = Game::new(Start::default(), Tags::default());
    for placement in ["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB2BNR", "r1bqkbnr/pppppp1p/8/8/8/8/PPPPPPPP/RNBQKBNR"] {
        assert!(!illegal_seen(&see(&mut game, placement, PATIENT)));
        assert!(!game.status().illegal);
    }
}

#[test]
fn castling_that_begins_with_the_rook_revises_the_rooks_move() {
    for (fen, rook_moved, castled, uci) in [
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "r3k2r/8/8/8/8/8/8/R3KR2", "r3k2r/8/8/8/8/8/8/R4RK1", "e1g1"),
        ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "3rk2r/8/8/8/8/8/8/R3K2R", "2kr3r/8/8/8/8/8/8/R3K2R", "e8c8"),
    ] {
        let mut game = game(fen);
        let mut events = see(&mut game, rook_moved, AT_REST);
        assert_eq!(words(&events), ["move"]);
        events.extend(see(&mut game, castled, PATIENT));
        assert_eq!(words(&events), ["move", "revised"], "{events:?}");
        assert_eq!(told(&events), [uci]);
        assert_eq!(ucis(&game), [uci]);
    }
}

#[test]
fn a_man_that_goes_on_revises_its_move() {
    let mut game = Game::new(Start::default(), Tags::default());
    let mut events = see(&mut game, "rnbqkbnr/pppppppp/8/8/8/4P3/PPPP1PPP/RNBQKBNR", AT_REST);
    events.extend(see(&mut game, "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR", AT_REST));
    assert_eq!(words(&events), ["move", "revised"]);
    assert_eq!(told(&events), ["e2e4"]);
}

#[test]
fn the_old_position_returns() {
    let mut dice = Dice(5);
    let mut game = Game::new(Start::default(), Tags::default());
    let mut events = Vec::new();
    for mv in random_line(&mut dice, 40) {
        let mut after = game.position().clone();
        after.play_unchecked(mv);
        events.extend(show(&mut game, after.board(), AT_REST).events);
    }
    assert_eq!(game.plies().len(), 40);
    for back in [1, 2, 1, 3] {
        let keep = game.plies().len() - back;
        let men = game.line().position_after(keep).board().clone();
        let seen = show(&mut game, &men, AT_REST).events;
        assert_eq!(words(&seen), vec!["take_back"; back]);
        events.extend(seen);
        assert_eq!(game.plies().len(), keep);
    }
    assert_eq!(told(&events), ucis(&game));
}

#[test]
fn under_promotion_is_told_when_only_it_explains_the_next_move() {
    let mut game = game("8/P3k3/8/8/8/8/7p/4K3 w - - 0 1");
    let mut events = see(&mut game, "N7/4k3/8/8/8/8/7p/4K3", AT_REST);
    assert_eq!(ucis(&game), ["a7a8q"], "colours alone: a queen, as nearly always");
    events.extend(see(&mut game, "N7/8/4k3/8/8/8/7p/4K3", AT_REST));
    events.extend(see(&mut game, "8/2N5/4k3/8/8/8/7p/4K3", PATIENT));
    assert_eq!(told(&events), ["a7a8n", "e7e6", "a8c7"], "{events:?}");
    assert_eq!(ucis(&game), ["a7a8n", "e7e6", "a8c7"]);
    assert!(game.status().check);
}

#[test]
fn under_promotion_is_seen_by_a_picture_that_knows_kinds() {
    let mut game = game("8/P3k3/8/8/8/8/7p/4K3 w - - 0 1");
    let men = board("N7/4k3/8/8/8/8/7p/4K3");
    let evidence = Synthetic::clear(&men, &game).with_kinds(&men, 20.0);
    game.observe(&evidence, AT_REST);
    assert_eq!(ucis(&game), ["a7a8n"]);
    // It was unclear first, and is clear later.
    let mut later = super::game("8/P3k3/8/8/8/8/7p/4K3 w - - 0 1");
    show(&mut later, &men, AT_REST);
    let evidence = Synthetic::clear(&men, &later).with_kinds(&men, 20.0);
    let events = later.observe(&evidence, AT_REST).events;
    assert_eq!(words(&events), ["revised"]);
    assert_eq!(ucis(&later), ["a7a8n"]);
}

#[test]
fn kings_in_the_centre_tell_the_result() {
    let fen = "rnb2b1r/ppk2ppp/2p5/4q1B1/4n3/8/PPP2PPP/2KR1BNR w - - 0 11";
    for (placement, result) in [
        ("rnb2b1r/pp3ppp/2p5/3kq1B1/4K3/8/PPP2PPP/3R1BNR", "1-0"),
        ("rnb2b1r/pp3ppp/2p5/4k1B1/3Kn3/8/PPP2PPP/3R1BNR", "0-1"),
        ("rnb2b1r/pp3ppp/2p5/4k1B1/4K3/8/PPP2PPP/3R1BNR", "1/2-1/2"),
    ] {
        let mut game = game(fen);
        let seen = show(&mut game, &board(placement), AT_REST);
        let result: Outcome = result.parse().unwrap();
        assert_eq!(seen.events, [Event::Result { result, reason: Ending::KingsInTheCentre }]);
        assert_eq!(game.result(), result);
        assert!(game.plies().is_empty());
        assert!(show(&mut game, &board(placement), PATIENT).events.is_empty());
        // Men cleared away afterwards mean nothing.
        assert!(see(&mut game, "4k3/8/8/4k3/4K3/8/8/8", PATIENT).is_empty());
        assert!(game.pgn().contains(&format!("[Result \"{result}\"]")));
    }
    // The last move and the kings in one look, and after mate.
    let mut mate = game(fen);
    let events = see(&mut mate, "rnbB1b1r/pp3ppp/2p5/3kq3/4K3/8/PPP2PPP/3R1BNR", AT_REST);
    assert_eq!(told(&events), ["g5d8"], "{events:?}");
    assert_eq!(mate.result().as_str(), "1-0");
    // Its reason is mate; the kings only say it again.
    let mut shown = game(fen);
    let events = see(&mut shown, "rnbB1b1r/ppk2ppp/2p5/4q3/4n3/8/PPP2PPP/2KR1BNR", AT_REST);
    assert_eq!(words(&events), ["move", "result"]);
    let seen = show(&mut shown, &board("rnbB1b1r/pp3ppp/2p5/3kq3/4K3/8/PPP2PPP/3R1BNR"), AT_REST);
    assert!(seen.events.is_empty(), "{:?}", seen.events);
    assert_eq!(shown.status().reason, Some(Ending::Checkmate));
}

#[test]
fn under_a_hand_a_pawn_in_the_centre_is_as_sure_as_one_beside_it() {
    // It may be the king, on his way to tell a result: no likelier than that they tell one.
    let men = Bitboard::from(shakmaty::Rank::Seventh) | shakmaty::Rank::Eighth;
    let left = |placement: &str| {
        let mut game = Game::new(Start::default(), Tags::default());
        see(&mut game, "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR", AT_REST);
        let look = Synthetic::clear(&board(placement), &game).blind(men);
        game.explain(true);
        game.observe(&UnderHand(&look, men), AT_REST);
        1.0 - game.account().unwrap().stories[0].probability
    };
    let beside = left("rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR");
    let centre = left("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR");
    assert!(centre < 2.0 * beside, "{centre} is left to other stories, {beside} beside the centre");
}

#[test]
fn the_first_king_on_its_way_to_the_centre_is_no_move() {
    // White's king can go to e4 by a legal move; then Black's king follows to d5.
    let mut game = game("8/8/5k2/8/8/3K4/P6p/8 w - - 0 1");
    let mut events = see(&mut game, "8/8/5k2/8/4K3/8/P6p/8", AT_REST);
    assert_eq!(words(&events), ["move"]);
    events.extend(see(&mut game, "8/8/8/3k4/4K3/8/P6p/8", AT_REST));
    assert_eq!(words(&events), ["move", "take_back", "result"]);
    assert!(game.plies().is_empty());
    assert_eq!(game.result().as_str(), "1-0");
}

#[test]
fn a_new_game_is_set_up() {
    let mut game = Game::new(Start::default(), Tags::default());
    for mv in random_line(&mut Dice(8), 30) {
        let mut after = game.position().clone();
        after.play_unchecked(mv);
        show(&mut game, after.board(), AT_REST);
    }
    assert_eq!(game.plies().len(), 30);
    let old = game.pgn();
    let events = show(&mut game, &Board::new(), AT_REST).events;
    assert_eq!(words(&events), ["new_game"]);
    assert!(game.plies().is_empty());
    assert_eq!(game.finished(), [old]);
    // Its first ply was played before the camera saw the men.
    for mv in random_line(&mut Dice(9), 12) {
        let mut after = game.position().clone();
        after.play_unchecked(mv);
        show(&mut game, after.board(), AT_REST);
    }
    assert_eq!(game.plies().len(), 12);
    let events = see(&mut game, "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR", AT_REST);
    assert_eq!(words(&events), ["new_game", "move"]);
    assert_eq!(sans(&game), ["d4"]);
    game.new_game(None).unwrap();
    // After two plies it is a take-back.
    for placement in
        ["rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR", "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR"]
    {
        see(&mut game, placement, AT_REST);
    }
    assert_eq!(words(&show(&mut game, &Board::new(), AT_REST).events), ["take_back", "take_back"]);
}

/// Law: a hand over the board never makes a wrong event, and what it hid is understood when it has gone.
#[test]
fn a_hand_over_the_board_says_nothing() {
    let mut dice = Dice(77);
    let mut game = Game::new(Start::default(), Tags::default());
    for mv in random_line(&mut dice, 100) {
        if mv.promotion().is_some_and(|r| r != Role::Queen) {
            break;
        }
        let mut after = game.position().clone();
        after.play_unchecked(mv);
        // Over the square it goes to and some neighbours, during and after the move.
        let to = UciMove::from_move(mv, CastlingMode::Standard).to().unwrap();
        let hand = shakmaty::attacks::king_attacks(to).with(to);
        let before = game.plies().len();
        for men in [game.standing().clone(), after.board().clone()] {
            let evidence = Synthetic::clear(&men, &game).cover(hand);
            let seen = game.observe(&evidence, PATIENT);
            assert!(!illegal_seen(&seen.events), "{mv:?} {:?}", seen.events);
            // The squares beside the hand may be learnt from, if the men are known.
            assert!(seen.explained.is_none_or(|known| known == men), "{mv:?} {:?}", seen.events);
            assert_eq!(game.plies().len(), before, "{mv:?}");
        }
        show(&mut game, after.board(), AT_REST);
        assert_eq!(game.position(), &after, "{mv:?}");
    }
}

#[test]
fn doubt_is_told_once_and_names_squares() {
    let mut game = Game::new(Start::default(), Tags::default());
    let men = game.standing().clone();
    // White's men are gone, and an arm lies over the e file.
    let look = |game: &mut Game, patience| {
        let evidence = Synthetic::clear(&board("rnbqkbnr/pppppppp/8/8/8/8/8/8"), game);
        game.observe(&evidence.cover(Bitboard::from_file(shakmaty::File::E)), patience).events
    };
    assert!(look(&mut game, AT_REST).is_empty(), "patience first");
    let events = look(&mut game, PATIENT);
    assert_eq!(words(&events), ["uncertain"]);
    let Event::Uncertain { squares } = &events[0] else { unreachable!() };
    assert!(squares.contains(Square::E4));
    assert!(look(&mut game, PATIENT).is_empty(), "told already");
    show(&mut game, &men, AT_REST);
    assert_eq!(words(&look(&mut game, PATIENT)), ["uncertain"], "another doubt");
}

#[test]
fn what_a_look_leaves_open_is_named_with_its_probability_until_it_is_settled() {
    let mut game = Game::new(Start::default(), Tags::default());
    assert_eq!(game.explanations(), []);
    // The pawn has left e2, and an arm lies over all it can have gone to.
    let arm = Bitboard::from_square(Square::E3).with(Square::E4);
    let men = board("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR");
    let look = |game: &mut Game| {
        let evidence = Synthetic::clear(&men, game).cover(arm);
        game.observe(&evidence, PATIENT).events
    };
    look(&mut game);
    let named = game.explanations().to_vec();
    let of = |san: &str| named.iter().find(|e| e.san == san).map_or(0.0, |e| e.probability);
    assert!(of("e4") > 0.01 && of("e3") > 0.01 && of("d4") == 0.0, "{named:?}");
    assert!(named.iter().all(|e| e.uci.is_empty() == e.san.is_empty()) && named.len() <= 5);
    assert!(named.is_sorted_by(|a, b| a.probability >= b.probability));
    assert!(named.iter().map(|e| e.probability).sum::<f64>() <= 1.0 + 1e-9);
    // A person has chosen.
    game.correct_move(1, "e4").unwrap();
    assert_eq!(game.explanations(), []);
    // The picture has become clear.
    game.take_back(1).unwrap();
    look(&mut game);
    assert!(!game.explanations().is_empty());
    show(&mut game, &men, AT_REST);
    assert_eq!((game.plies().len(), game.explanations()), (1, &[][..]));
}

#[test]
fn nothing_is_decided_before_the_board_is_at_rest_or_somebody_says_now() {
    let mut game = Game::new(Start::default(), Tags::default());
    let moved = board("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR");
    let moving = Look { settled: false, ..AT_REST };
    assert!(show(&mut game, &moved, moving).events.is_empty());
    let now = Look { forced: true, ..moving };
    assert_eq!(words(&show(&mut game, &moved, now).events), ["move"]);
}

#[test]
fn numbers_that_are_none_do_no_harm() {
    struct Broken(Board, f64);
    impl Evidence for Broken {
        fn log_likelihood(&self, _: &Board) -> f64 {
            self.1
        }
        fn reference(&self) -> &Board {
            &self.0
        }
        fn square(&self, _: Square) -> [f64; 3] {
            [self.1; 3]
        }
        fn unexplained(&self, _: &Board) -> Bitboard {
            Bitboard::FULL
        }
    }
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0] {
        let mut game = Game::new(Start::default(), Tags::default());
        let evidence = Broken(game.standing().clone(), value);
        for look in [AT_REST, PATIENT, Look { forced: true, ..PATIENT }] {
            let seen = game.observe(&evidence, look);
            assert!(!seen.events.iter().any(|e| matches!(e, Event::Move { .. } | Event::Illegal { .. })), "{value}");
        }
    }
}

/// Law: what a look showed and was not believed, for a hand was there, counts at the next look, which alone would
/// not tell: in the opera game the rook that leaves d8 stood behind the knight on d7.
#[test]
fn what_an_earlier_look_suggested_counts_at_the_next_one() {
    let mut game = game("r3kb1r/p2nqppp/5n2/1B2p1B1/4P3/1Q6/PPP2PPP/2KR3R b kq - 2 12");
    let after =
        ["d8", "d7", "d7"].iter().zip(["a8", "d1", "d8"]).scan(game.position().clone(), |position, (to, from)| {
            let mv = format!("{from}{to}").parse::<UciMove>().unwrap().to_move(position).unwrap();
            position.play_unchecked(mv);
            Some(position.board().clone())
        });
    let after: Vec<Board> = after.collect();
    let alone = {
        let mut game = game.clone();
        game.observe(&Synthetic::clear(&after[2], &game).hidden(Square::D8, shakmaty::Color::Black), PATIENT);
        ucis(&game).join(" ")
    };
    assert_ne!(alone, "a8d8 d1d7 d8d7", "this look alone tells it: the test shows nothing");
    let asks_more = Look { min_confidence: 0.99, ..PATIENT };
    let first = game
        .observe(&Synthetic::clear(&after[1], &game).hidden(Square::D8, shakmaty::Color::Black).with_hand(), asks_more);
    assert_eq!(told(&first.events), [""; 0], "believed under a hand");
    game.observe(&Synthetic::clear(&after[2], &game).hidden(Square::D8, shakmaty::Color::Black), PATIENT);
    assert_eq!(ucis(&game), ["a8d8", "d1d7", "d8d7"]);
}

/// Law: a ply that a look has shown with nothing over it was let go of before the next one was played, whatever hand lies over it
/// then. Without such a look it may still be in that hand.
#[test]
fn what_was_shown_is_told_with_the_reply_though_the_next_hand_lies_over_it() {
    let (e4, nf6) =
        ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR", "rnbqkb1r/pppppppp/5n2/8/4P3/8/PPPP1PPP/RNBQKBNR");
    // What a hand was passing by is suggested, and not told.
    let passing = Look { passing: true, ..AT_REST };
    for (shown, expected) in [(true, vec!["e2e4", "g8f6"]), (false, vec![])] {
        let mut game = Game::new(Start::default(), Tags::default());
        let look_at = |game: &mut Game, men, under: Square, look| {
            let seen = Synthetic::clear(&board(men), game).cover(under.into());
            game.observe(&UnderHand(&seen, under.into()), look).events
        };
        if shown {
            let events = look_at(&mut game, e4, Square::A8, passing);
            assert_eq!(told(&events), [""; 0]);
        }
        let events = look_at(&mut game, nf6, Square::E4, AT_REST);
        assert_eq!(told(&events), expected, "shown before: {shown}");
    }
}

/// Law: what an arm shows is worth little, but a line that explains the pictures is not forgotten for short ones that do not,
/// however long no ply of it can be told.
#[test]
fn a_line_that_explains_the_looks_is_followed_while_a_hand_is_always_there() {
    let mut game = Game::new(Start::default(), Tags::default());
    let mut position = game.position().clone();
    let under = Bitboard::from_square(Square::H4);
    let plies = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7 f1e1 b7b5 a4b3 d7d6";
    for ply in plies.split_whitespace() {
        position.play_unchecked(ply.parse::<UciMove>().unwrap().to_move(&position).unwrap());
        let seen = Synthetic::clear(position.board(), &game).cover(under).with_hand();
        let asks_more = Look { min_confidence: 0.99, ..AT_REST };
        assert_eq!(
            told(&game.observe(&UnderHand(&seen, under), asks_more).events),
            [""; 0],
            "{ply} is believed under a hand"
        );
    }
    show(&mut game, position.board(), PATIENT);
    assert_eq!(ucis(&game).join(" "), plies);
}

/// A hand that looks like men who have moved, unless it is supposed to be one.
struct LikeMen<'a> {
    seen: &'a Synthetic,
    supposed: UnderHand<'a>,
}

impl Evidence for LikeMen<'_> {
    fn log_likelihood(&self, men: &Board) -> f64 {
        self.seen.log_likelihood(men)
    }
    fn reference(&self) -> &Board {
        self.seen.reference()
    }
    fn square(&self, square: Square) -> [f64; 3] {
        self.seen.square(square)
    }
    fn unexplained(&self, men: &Board) -> Bitboard {
        self.seen.unexplained(men)
    }
    fn with_hand(&self) -> Option<Box<dyn Evidence + '_>> {
        Some(Box::new(UnderHand(self.supposed.0, self.supposed.1)))
    }
}

#[test]
fn a_hand_that_looks_like_men_hides_no_ply_beside_it_and_a_passing_one_is_waited_for() {
    let start = Game::new(Start::default(), Tags::default());
    let played = board("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR");
    // Over d6 to f6, as pale as White's men.
    let like_men = board("rnbqkbnr/pppppppp/3PPP2/8/4P3/8/PPPP1PPP/RNBQKBNR");
    let under: Bitboard = ["d6", "e6", "f6"].iter().map(|s| s.parse::<Square>().unwrap()).collect();
    let seen = Synthetic::clear(&like_men, &start);
    let beside = Synthetic::clear(&played, &start).blind(under);
    // Where that much is asked for, one look with a hand that may be passing is not enough.
    let passing = Look { passing: true, min_confidence: 0.98, ..AT_REST };

    let mut game = start.clone();
    assert!(told(&game.observe(&seen, PATIENT).events).is_empty(), "no hand is thought of");
    let look = LikeMen { seen: &seen, supposed: UnderHand(&beside, under) };
    let mut game = start.clone();
    assert!(told(&game.observe(&look, passing).events).is_empty(), "it may be passing");
    assert_eq!(told(&game.observe(&look, PATIENT).events), ["e2e4"]);
    // The move is under the hand as well: then it is no move that is seen.
    let all = under | ["e2", "e4"].iter().map(|s| s.parse::<Square>().unwrap()).collect::<Bitboard>();
    let covered = Synthetic::clear(&played, &start).blind(all);
    let look = LikeMen { seen: &seen, supposed: UnderHand(&covered, all) };
    let mut game = start.clone();
    assert!(told(&game.observe(&look, PATIENT).events).is_empty());
    // Of a hand that is known to be one, but may be passing, the second look is believed.
    let mut game = start.clone();
    assert!(told(&game.observe(&UnderHand(&beside, under), passing).events).is_empty());
    assert_eq!(told(&game.observe(&UnderHand(&beside, under), passing).events), ["e2e4"]);
}

/// What one ply explains was taken for a hand: a king who has castled, with all the shadows.
struct Explained<'a> {
    seen: UnderHand<'a>,
    open: &'a Synthetic,
    by: Board,
}

impl Evidence for Explained<'_> {
    fn log_likelihood(&self, men: &Board) -> f64 {
        self.seen.log_likelihood(men)
    }
    fn reference(&self) -> &Board {
        self.seen.reference()
    }
    fn square(&self, square: Square) -> [f64; 3] {
        self.seen.square(square)
    }
    fn unexplained(&self, men: &Board) -> Bitboard {
        self.seen.unexplained(men)
    }
    fn hidden(&self) -> Bitboard {
        self.seen.hidden()
    }
    fn without_hand(&self, men: &Board) -> Option<Box<dyn Evidence + '_>> {
        (*men == self.by).then(|| Box::new(UnderHand(self.open, Bitboard::EMPTY)) as Box<dyn Evidence + '_>)
    }
}

#[test]
fn what_one_ply_explains_is_no_hand_once_it_rests() {
    let start = game("r3k3/8/8/8/8/8/8/4K2R w K - 0 1");
    let castled = board("r3k3/8/8/8/8/8/8/5RK1");
    let open = Synthetic::clear(&castled, &start);
    let changed = crate::game::difference::difference(&castled, start.standing());
    let look = |by: &Board| Explained { seen: UnderHand(&open, changed), open: &open, by: by.clone() };
    let told_at = |by: &Board, at: Look| told(&start.clone().observe(&look(by), at).events);
    assert_eq!(told_at(&castled, PATIENT), ["e1g1"]);
    assert_eq!(told_at(&castled, AT_REST), [""; 0], "a hand may be there for a moment");
    assert_eq!(told_at(start.standing(), PATIENT), [""; 0], "it is a hand");
}

#[test]
fn an_arm_may_deceive_and_what_it_shows_best_leads_all_the_same() {
    let mut game = Game::new(Start::default(), Tags::default());
    let men = board("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR");
    let look = Synthetic::clear(&men, &game);
    let hidden = Bitboard::from_square(Square::H4);
    let passing = Look { passing: true, min_confidence: 0.98, ..PATIENT };
    assert!(told(&game.observe(&UnderHand(&look, hidden), passing).events).is_empty(), "it may be passing");
    let line =
        |moves: &[shakmaty::Move]| moves.iter().map(|mv| mv.to_uci(CastlingMode::Standard).to_string()).collect();
    let beliefs = game.memory.beliefs.iter();
    let lines: Vec<(Vec<String>, f64)> = beliefs.map(|belief| (line(&belief.moves), belief.log_odds())).collect();
    let odds = |moves: &[&str]| lines.iter().find(|(line, _)| line == moves).map(|(_, odds)| *odds);
    let shown = odds(&["e2e4", "e7e5"]).unwrap();
    assert!(lines.iter().all(|(line, odds)| *odds < shown || *line == ["e2e4", "e7e5"]), "{lines:?}");
    assert!(shown < 8.0, "it may be the arm: {shown}");
}

#[test]
fn a_game_that_is_not_understood_for_long_says_so_though_the_board_never_rests() {
    let mut game = Game::new(Start::default(), Tags::default());
    // No square tells anything: some ply may have been played.
    let silent = |game: &Game| {
        Square::ALL.into_iter().fold(Synthetic::clear(game.standing(), game), |look, s| look.hardly(s, 0.0))
    };
    let mut doubts_s = vec![];
    for second in (0..40).step_by(5) {
        game.passed(Some(5.0));
        let events = game.observe(&silent(&game), AT_REST).events;
        assert!(told(&events).is_empty());
        doubts_s.extend(events.iter().filter(|e| matches!(e, Event::Uncertain { .. })).map(|_| second));
    }
    assert_eq!(doubts_s, [5], "once, and not before a hand would have made its move");
}

#[test]
fn two_plies_that_probably_went_by_untold_are_said_to_be_missing_within_a_second_or_two() {
    // A hand lies over white's queenside and something else over three squares: two plies are not as sure as was asked for.
    let thing: Bitboard = [Square::A5, Square::B5, Square::A6].into_iter().collect();
    let under: Bitboard = [Square::A1, Square::B1, Square::C1, Square::B2].into_iter().collect();
    let men = board("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR");
    let mut game = Game::new(Start::default(), Tags::default());
    let mut doubts_s = vec![];
    for look in 0..8_u32 {
        game.passed(Some(0.5));
        let evidence = Synthetic::clear(&men, &game).blind(under).cover(thing);
        let look_at = Look { min_confidence: 0.99, ..AT_REST };
        let events = game.observe(&UnderHand(&evidence, under), look_at).events;
        assert!(told(&events).is_empty());
        doubts_s.extend(events.iter().filter(|e| matches!(e, Event::Uncertain { .. })).map(|_| 0.5 * f64::from(look)));
    }
    assert_eq!(doubts_s, [1.0], "once");
}

#[test]
fn a_shadow_that_looks_like_a_man_holds_no_game_up() {
    let mut game = Game::new(Start::default(), Tags::default());
    let after: Vec<Board> = [
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR",
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR",
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R",
    ]
    .map(board)
    .to_vec();
    let shadow = |men: &Board, game: &Game| Synthetic::clear(men, game).seems(Square::C5, Color::White, 15.0);
    let mut told: Vec<Event> = Vec::new();
    // Twice the first ply, once each of the others.
    for men in [&after[0], &after[0], &after[1], &after[2]] {
        told.extend(game.observe(&shadow(men, &game), PATIENT).events);
    }
    told.extend(show(&mut game, &after[2], PATIENT).events);
    assert!(!told.iter().any(|e| matches!(e, Event::Illegal { .. })), "{told:?}");
    let sans = sans(&game);
    assert_eq!(sans, ["e4", "e5", "Nf3"]);
    // A man who is gone besides is no shadow.
    let mut game = Game::new(Start::default(), Tags::default());
    for _ in 0..2 {
        let mut men = after[0].clone();
        men.discard_piece_at(Square::B8);
        men.discard_piece_at(Square::H7);
        let seen = shadow(&men, &game).seems(Square::C6, Color::White, 15.0);
        assert!(!game.observe(&seen, PATIENT).events.iter().any(|e| matches!(e, Event::Move { .. })));
    }
}

/// Law: no picture tells in which order plies were played that it shows together; the order is told that people play rather, and the
/// confidence says how much rather.
#[test]
fn plies_that_were_not_seen_one_by_one_are_as_sure_as_their_order() {
    let mut game = Game::new(Start::default(), Tags::default());
    let men = board("r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R");
    for _ in 0..4 {
        show(&mut game, &men, PATIENT);
    }
    assert_eq!((game.plies().len(), game.standing()), (5, &men));
    // White's orders, of which Black's two know nothing.
    let orders = ["e2e4 g1f3 f1b5", "e2e4 f1b5 g1f3", "g1f3 e2e4 f1b5"].map(|white| {
        let [first, second, third]: [&str; 3] = white.split(' ').collect::<Vec<_>>().try_into().unwrap();
        ["e7e5 b8c6", "b8c6 e7e5"].map(|black| {
            let (one, other) = black.split_once(' ').unwrap();
            moves(&format!("{first} {one} {second} {other} {third}"))
        })
    });
    let likely = |order: &&Vec<Move>| log_probability(&Chess::default(), None, order).exp();
    let all = || orders.iter().flatten();
    let told: Vec<Move> = game.plies().iter().map(|ply| ply.mv).collect();
    assert_eq!(Some(&told), all().max_by(|a, b| likely(a).total_cmp(&likely(b))));
    let whole: f64 = all().map(|order| likely(&order)).sum();
    for (index, ply) in game.plies().iter().enumerate() {
        let chance = all().filter(|order| order[index] == ply.mv).map(|order| likely(&order)).sum::<f64>() / whole;
        assert!((0.97 * chance..=chance).contains(&ply.confidence), "{} {} {chance}", ply.san, ply.confidence);
    }
}

/// Law: who has waited for long is content with less proof; a hand in the picture is waited for, and that time counts for nothing.
#[test]
fn long_doubt_asks_for_less_proof_but_a_hand_is_waited_for() {
    let men = board("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR");
    let where_to = Bitboard::from(Square::E3).with(Square::E4);
    // The least share of what squares usually tell with which the pawn's move is told, after five looks that do not show where it went.
    let proof = |hand: bool, apart_s: f64| -> Option<u32> {
        (0..=100).find(|percent| {
            let mut game = Game::new(Start::default(), Tags::default());
            for _ in 0..5 {
                let seen = Synthetic::clear(&men, &game).blind(where_to);
                let under = if hand { where_to } else { Bitboard::EMPTY };
                let events = game.observe(&UnderHand(&seen, under), AT_REST).events;
                assert!(!events.iter().any(|e| matches!(e, Event::Move { .. })));
                game.passed(Some(apart_s));
            }
            let share = f64::from(*percent) / 100.0;
            let seen = Synthetic::clear(&men, &game).hardly(Square::E3, share).hardly(Square::E4, share);
            game.observe(&seen, AT_REST);
            sans(&game) == ["e4"]
        })
    };
    let [[soon, late], [soon_with_hand, late_with_hand]] =
        [false, true].map(|hand| [0.0, 2.0].map(|apart_s| proof(hand, apart_s)));
    println!(
        "least share in %: {soon:?}, after ten seconds {late:?}; with hands {soon_with_hand:?}, {late_with_hand:?}"
    );
    assert!(late < soon && late_with_hand == soon_with_hand && soon_with_hand.is_some());
}
