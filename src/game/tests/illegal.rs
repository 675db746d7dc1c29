//! Illegal changes: each reason, once an attempt, never while a legal move is being made.

use super::*;
use crate::{
    event::reasons::{IllegalReason as R, Reasons},
    game::verdicts::{attempt, judge},
};
use shakmaty::Role;

fn illegal_of(events: &[Event]) -> Vec<(Vec<R>, String)> {
    events
        .iter()
        .filter_map(|e| match e {
            Event::Illegal { reasons, uci, .. } => {
                Some((reasons.iter().collect(), uci.map_or_else(String::new, |uci| uci.to_string())))
            }
            _ => None,
        })
        .collect()
}

/// Position, what then stands on the board, reasons, attempted move.
const TABLE: &[(&str, &str, &[R], &str)] = &[
    // Black moves twice.
    (
        "rnbqkbnr/pp2pppp/2p5/3p4/3PP3/8/PPP2PPP/RNBQKBNR w KQkq - 0 3",
        "rnbqkb1r/pp2pppp/2p2n2/3p4/3PP3/8/PPP2PPP/RNBQKBNR",
        &[R::WrongSide],
        "g8f6",
    ),
    // A bishop goes straight.
    ("4k3/p7/8/8/8/2B5/8/4K3 w - - 0 1", "4k3/p7/2B5/8/8/8/8/4K3", &[R::WrongPieceMovement], "c3c6"),
    // A rook jumps over its pawn.
    ("4k3/8/8/8/8/8/P7/R3K3 w - - 0 1", "4k3/8/8/R7/8/8/P7/4K3", &[R::PathBlocked], "a1a5"),
    // Castling through an attacked square.
    ("4kr2/8/8/8/8/8/8/4K2R w K - 0 1", "4kr2/8/8/8/8/8/8/5RK1", &[R::CastlingNotAllowed], "e1g1"),
    // Castling with a king that has moved before.
    ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "4k3/8/8/8/8/8/8/2KR4", &[R::CastlingNotAllowed], "e1c1"),
    // A pinned knight moves.
    ("4r1k1/8/8/8/8/4N3/8/4K3 w - - 0 1", "4r1k1/8/8/3N4/8/8/8/4K3", &[R::KingLeftInCheck], "e3d5"),
    // A rook that is pinned jumps.
    (
        "4r1k1/8/8/8/8/4R3/8/4K3 w - - 0 1",
        "4r1k1/8/2R5/8/8/8/8/4K3",
        &[R::WrongPieceMovement, R::KingLeftInCheck],
        "e3c6",
    ),
    // En passant a move too late.
    ("4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1", "4k3/8/3P4/8/8/8/8/4K3", &[R::EnPassantNotAllowed], "e5d6"),
    // A pawn jumps from the third rank; a pawn takes straight ahead.
    ("4k3/8/8/8/8/4P3/8/4K3 w - - 0 1", "4k3/8/8/4P3/8/8/8/4K3", &[R::WrongPieceMovement], "e3e5"),
    ("4k3/8/8/8/4n3/4P3/8/4K3 w - - 0 1", "4k3/8/8/8/4P3/8/8/4K3", &[R::PathBlocked], "e3e4"),
    // A man appears.
    ("4k3/8/8/8/8/8/8/4K2R w - - 0 1", "4k3/8/8/3P4/8/8/8/4K2R", &[R::NoPieceThere], ""),
];

#[test]
fn each_illegal_change_is_told_once_with_its_reasons_and_restored() {
    for (fen, stands, reasons, uci) in TABLE {
        let mut game = game(fen);
        let legal = game.standing().clone();
        let placement = board(stands);
        assert_eq!(words(&see(&mut game, stands, AT_REST)), [""; 0], "{fen}: patience first");
        let told = illegal_of(&show(&mut game, &placement, PATIENT).events);
        assert_eq!(told, [(reasons.to_vec(), (*uci).to_owned())], "{fen}");
        assert!(game.status().illegal);
        assert_eq!(shakmaty::Position::board(game.position()), &legal, "{fen}: the record keeps the legal position");
        for _ in 0..3 {
            let again = show(&mut game, &placement, PATIENT);
            assert!(again.events.is_empty(), "{fen}: {:?}", again.events);
            assert!(again.explained.is_some());
        }
        assert_eq!(words(&show(&mut game, &legal, AT_REST).events), ["restored"], "{fen}");
        assert!(!game.status().illegal);
        // The same attempt again is another attempt.
        assert_eq!(illegal_of(&show(&mut game, &placement, PATIENT).events).len(), 1, "{fen}");
    }
}

#[test]
fn a_man_that_takes_its_own_is_told_by_its_kind() {
    let fen = "4k3/8/8/8/8/P7/8/R3K3 w - - 0 1";
    let men = board("4k3/8/8/8/8/R7/8/4K3");
    // In colours alone it looks like a rook in the air: nothing is said.
    let mut blind = game(fen);
    assert!(show(&mut blind, &men, PATIENT).events.is_empty());
    let mut game = game(fen);
    let evidence = Synthetic::clear(&men, &game).with_kinds(&men, 20.0);
    let told = illegal_of(&game.observe(&evidence, PATIENT).events);
    assert_eq!(told, [(vec![R::OwnPieceCaptured], "a1a3".to_owned())]);
}

#[test]
fn a_man_that_takes_its_own_is_told_where_the_other_looks_otherwise() {
    let fen = "4k3/8/8/8/8/P7/7P/R3K3 w - - 0 1";
    let (taken, lifted) = (board("4k3/8/8/8/8/R7/7P/4K3"), board("4k3/8/8/8/8/P7/7P/4K3"));
    let told = |evidence: &dyn Fn(Synthetic) -> Synthetic, look| {
        let mut game = game(fen);
        let evidence = evidence(Synthetic::clear(&taken, &game));
        illegal_of(&game.observe(&evidence, look).events)
    };
    let a3 = Bitboard::from_square(Square::A3);
    let captured = [(vec![R::OwnPieceCaptured], "a1a3".to_owned())];
    assert_eq!(told(&|e| e.altered(a3), PATIENT), captured);
    // It may still be under way; nobody else looks as before either; nobody could have gone there; a hand is there.
    assert_eq!(told(&|e| e.altered(a3), AT_REST), []);
    assert_eq!(told(&|e| e.altered(a3.with(Square::E1)), PATIENT), []);
    assert_eq!(told(&|e| e.altered(Bitboard::from_square(Square::H2)), PATIENT), []);
    assert_eq!(told(&|e| e.altered(a3).with_hand(), PATIENT), []);
    // The pawn is in another light, but a pawn.
    assert_eq!(told(&|e| e.altered(a3).with_kinds(&lifted, 20.0), PATIENT), []);
    // Once, and put right.
    let mut game = game(fen);
    for (stands, altered, words_told) in
        [(&taken, a3, &["illegal"][..]), (&taken, Bitboard::EMPTY, &[]), (&game.standing().clone(), a3, &["restored"])]
    {
        let evidence = Synthetic::clear(stands, &game).altered(altered);
        assert_eq!(words(&game.observe(&evidence, PATIENT).events), words_told);
    }
}

#[test]
fn a_legal_move_directly_after_an_illegal_one() {
    let mut game = game("4k3/p7/8/8/8/2B5/8/4K3 w - - 0 1");
    assert_eq!(words(&see(&mut game, "4k3/p7/2B5/8/8/8/8/4K3", PATIENT)), ["illegal"]);
    assert_eq!(words(&see(&mut game, "4k3/p7/8/4B3/8/8/8/4K3", AT_REST)), ["restored", "move"]);
    assert_eq!(ucis(&game), ["c3e5"]);
}

/// With many plies everything is possible; that so many were missed at once is not likely.
#[test]
fn two_men_of_one_side_are_too_many_changes() {
    let mut game = game("r1bq1rk1/ppp1ppbp/1nnp2p1/4P3/3P4/1B3N2/PPP1QPPP/RNB2RK1 w - - 0 9");
    let stands = "r1bq1rk1/ppp1ppbp/1nnp2p1/4PQ2/3P4/1BP2N2/PP3PPP/RNB2RK1";
    let events = [AT_REST, PATIENT].map(|look| see(&mut game, stands, look)).concat();
    assert_eq!(illegal_of(&events), [(vec![R::TooManyChanges], String::new())]);
    assert!(game.plies().is_empty());
}

/// A hand that has not let go may go on; who was let go and moves again is the wrong side's, though he could have gone there
/// at once. On the next square he may have stood all the time.
#[test]
fn a_man_who_was_let_go_may_not_go_on() {
    let (before, after) = ("2Q2r1k/3Pb1pp/8/p7/4p3/2Rpq3/PP3pPP/5R1K", "2Qb1r1k/3P2pp/8/p7/4p3/2Rpq3/PP3pPP/5R1K");
    let go_on = |looks: &[Look], to: &str| {
        let mut game = game(&format!("{before} b - - 0 1"));
        looks
            .iter()
            .for_each(|look| assert!(see(&mut game, after, *look).iter().all(|e| !matches!(e, Event::Illegal { .. }))));
        assert_eq!(ucis(&game), ["e7d8"]);
        [AT_REST, PATIENT].map(|look| see(&mut game, to, look)).concat()
    };
    let far = "2Q2r1k/3P2pp/8/p5b1/4p3/2Rpq3/PP3pPP/5R1K";
    assert_eq!(words(&go_on(&[AT_REST], far)), ["revised"]);
    assert_eq!(words(&go_on(&[PATIENT], far)), ["revised"]);
    assert_eq!(illegal_of(&go_on(&[AT_REST, PATIENT], far)), [(vec![R::WrongSide], "d8g5".to_owned())]);
    let mut game = game("4k3/8/8/8/8/8/3R4/4K3 w - - 0 1");
    for look in [AT_REST, PATIENT, PATIENT] {
        see(&mut game, "4k3/8/8/8/3R4/8/8/4K3", look);
    }
    assert_eq!(words(&see(&mut game, "4k3/8/8/3R4/8/8/8/4K3", PATIENT)), ["revised"]);
}

/// Who took, was let go and was answered did not go elsewhere before the answer, though the square that he leaves hardly tells whether
/// what he took stands there again.
#[test]
fn a_man_who_was_let_go_and_answered_may_not_have_gone_elsewhere() {
    let mut game = game("6k1/1b2p3/3p4/pqN1Pp1p/1r6/1P6/P1R3PP/3R3K b - - 0 1");
    for men in ["6k1/1b2p3/3p4/pqN1Pp1p/8/1r6/P1R3PP/3R3K", "6k1/1b2p3/3p4/pqN1Pp1p/8/1r1R4/P1R3PP/7K"] {
        for look in [AT_REST, PATIENT] {
            see(&mut game, men, look);
        }
    }
    assert_eq!(ucis(&game), ["b4b3", "d1d3"]);
    let to = board("6k1/1b2p3/3p4/pqN1Pp1p/2r5/3R4/P1R3PP/7K");
    let events = [AT_REST, PATIENT].map(|look| {
        let evidence = Synthetic::clear(&to, &game).hardly(Square::B3, 0.2);
        game.observe(&evidence, look).events
    });
    assert_eq!(illegal_of(&events.concat()), [(vec![R::WrongPieceMovement], "b3c4".to_owned())]);
    assert_eq!(ucis(&game), ["b4b3", "d1d3"]);
}

/// Whoever takes a ply back by a command begins it anew: its man has not been let go.
#[test]
fn what_was_taken_back_by_a_command_was_not_let_go() {
    let mut game = game("4k3/8/8/8/8/8/8/R3K3 w - - 0 1");
    for look in [AT_REST, PATIENT] {
        see(&mut game, "4k3/8/8/8/8/8/8/1R2K3", look);
    }
    assert_eq!(game.memory.stood, 1);
    game.take_back(1).unwrap();
    assert_eq!(game.memory.stood, 0);
    see(&mut game, "4k3/8/8/8/8/8/8/2R1K3", AT_REST);
    assert_eq!((ucis(&game), game.memory.stood), (vec!["a1c1".to_owned()], 0));
}

/// A shadow that makes king and rook look gone makes other men look so as well, and they stand there by any story.
#[test]
fn what_deceives_several_squares_is_no_witness_against_the_rules() {
    let warned = |elsewhere: &[Square]| {
        let mut game = Game::new(Start::default(), Tags::default());
        let men = game.standing().clone();
        let events = [AT_REST, PATIENT].map(|look| {
            let shadow = Synthetic::clear(&men, &game).seems(Square::A1, None, 8.0).seems(Square::E1, None, 8.0);
            let evidence = elsewhere.iter().fold(shadow, |shadow, &square| shadow.seems(square, None, 5.0));
            game.observe(&evidence, look).events
        });
        illegal_of(&events.concat())
    };
    assert_eq!(warned(&[]), [(vec![R::CastlingNotAllowed], "e1c1".to_owned())]);
    assert_eq!(warned(&[Square::G1]), warned(&[]), "one square may be deceived alone");
    assert_eq!(warned(&[Square::G1, Square::B2, Square::D2, Square::F2]), []);
}

#[test]
fn a_second_illegal_attempt_is_a_second_warning() {
    let mut game = game("4k3/p7/8/8/8/2B5/8/4K3 w - - 0 1");
    assert_eq!(words(&see(&mut game, "4k3/p7/2B5/8/8/8/8/4K3", PATIENT)), ["illegal"]);
    assert_eq!(words(&see(&mut game, "4k3/p7/8/2B5/8/8/8/4K3", PATIENT)), ["illegal"]);
}

#[test]
fn an_unpromoted_pawn_is_waited_for_and_then_told() {
    let mut game = game("8/P3k3/8/8/8/8/8/4K3 w - - 0 1");
    let men = board("P7/4k3/8/8/8/8/8/4K3");
    let look = |game: &mut Game, patience| {
        let evidence = Synthetic::clear(&men, game).with_kinds(&men, 20.0);
        game.observe(&evidence, patience).events
    };
    assert!(look(&mut game, AT_REST).is_empty());
    assert_eq!(illegal_of(&look(&mut game, PATIENT)), [(vec![R::PromotionMissing], "a7a8".to_owned())]);
    assert!(look(&mut game, PATIENT).is_empty());
    let queen = board("Q7/4k3/8/8/8/8/8/4K3");
    let evidence = Synthetic::clear(&queen, &game).with_kinds(&queen, 20.0);
    assert_eq!(words(&game.observe(&evidence, AT_REST).events), ["restored", "move"]);
    assert_eq!(ucis(&game), ["a7a8q"]);
}

#[test]
fn men_all_over_the_place_are_too_many_changes() {
    // Two bishops, each on the wrong colour now.
    let mut game = game("4k3/p7/8/8/8/8/8/B1B1K3 w - - 0 1");
    let mut look = || illegal_of(&see(&mut game, "4k3/p7/8/8/B1B5/8/8/4K3", PATIENT));
    assert_eq!(look(), [], "what no story tells has to be seen twice");
    let told = look();
    assert_eq!(told, [(vec![R::TooManyChanges], String::new())]);
}

/// Position, from, to, promotion, reasons: judged without a picture.
type Attempt = (&'static str, Square, Square, Option<Role>, &'static [R]);
const ATTEMPTS: &[Attempt] = &[
    ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", Square::A4, Square::A5, None, &[R::NoPieceThere]),
    ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", Square::A7, Square::A8, None, &[R::PromotionMissing]),
    ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", Square::A7, Square::A8, Some(Role::Queen), &[]),
    ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", Square::A7, Square::A8, Some(Role::King), &[R::WrongPieceMovement]),
    (
        "4k3/8/8/8/8/8/8/R3K2R b - - 0 1",
        Square::A1,
        Square::H1,
        None,
        &[R::WrongSide, R::PathBlocked, R::OwnPieceCaptured],
    ),
    ("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1", Square::E1, Square::D2, None, &[R::KingLeftInCheck]),
    ("4k3/8/8/8/8/8/8/4K2R w - - 0 1", Square::E1, Square::G1, None, &[R::CastlingNotAllowed]),
];

#[test]
fn attempts_are_judged() {
    for (fen, from, to, promotion, reasons) in ATTEMPTS {
        let verdict = attempt(game(fen).position(), *from, *to, *promotion);
        assert_eq!(verdict.reasons.iter().collect::<Vec<_>>(), *reasons, "{fen} {from}{to}");
        assert!(verdict.text.len() > 10, "{}", verdict.text);
    }
    let text = attempt(game(ATTEMPTS[4].0).position(), Square::A1, Square::H1, None).text;
    assert_eq!(
        text,
        "white rook a1-h1: it is Black's turn; another man stands between; a man of the same colour stands there"
    );
}

/// Every reason is reached by the tables above.
#[test]
fn the_tables_hold_all_reasons() {
    let seen = TABLE.iter().flat_map(|t| t.2).chain(ATTEMPTS.iter().flat_map(|t| t.4)).copied();
    let seen: Reasons = seen.chain([R::TooManyChanges]).collect();
    assert_eq!(seen.iter().collect::<Vec<_>>(), R::ALL);
}

#[test]
fn every_legal_move_is_judged_legal_and_no_other_is() {
    let mut dice = Dice(11);
    for _ in 0..30 {
        let mut position = shakmaty::Chess::default();
        for mv in random_line(&mut dice, 80) {
            let legal = position.legal_moves();
            for (from, piece) in position.board().clone().iter() {
                for to in Square::ALL {
                    let castles = piece.role == Role::King && from.distance(to) > 1 && from.rank() == to.rank();
                    if from == to || castles {
                        continue;
                    }
                    let promotion =
                        (piece.role == Role::Pawn && to.rank() == (!piece.color).backrank()).then_some(Role::Queen);
                    let is_legal = legal.iter().any(|m| {
                        m.from() == Some(from) && m.to() == to && m.promotion() == promotion && !m.is_castle()
                    });
                    let verdict = attempt(&position, from, to, promotion);
                    assert_eq!(verdict.reasons.is_empty(), is_legal, "{position:?} {from}{to} {verdict:?}");
                }
            }
            position.play_unchecked(mv);
        }
    }
}

/// A legal move's placement, judged as if it were illegal, has no reason against it.
#[test]
fn judging_the_placement_after_a_legal_move_finds_nothing() {
    let mut dice = Dice(12);
    for _ in 0..20 {
        let mut position = shakmaty::Chess::default();
        for mv in random_line(&mut dice, 100) {
            let before = position.clone();
            position.play_unchecked(mv);
            let verdict = judge(&before, position.board());
            assert!(verdict.reasons.is_empty(), "{before:?} {mv:?} {verdict:?}");
        }
    }
}

#[test]
fn nobody_is_told_that_it_is_not_his_turn_where_the_other_sides_ply_is_hardly_seen() {
    let mut game = Game::new(Start::default(), Tags::default());
    show(&mut game, &board("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"), PATIENT);
    let men = board("rnbqkbnr/pppppppp/8/8/4P3/5N2/PPPP1PPP/RNBQKB1R");
    let wrong_side = |events: &[Event]| {
        events.iter().any(|e| matches!(e, Event::Illegal { reasons, .. } if reasons.contains(R::WrongSide)))
    };
    // Black men on black squares: e7-e5 would show hardly anything.
    let mut dim = game.clone();
    for _ in 0..3 {
        let mut seen = Synthetic::clear(&men, &dim);
        for square in [Square::E7, Square::E5] {
            seen = seen.hardly(square, 0.3);
        }
        assert!(!wrong_side(&dim.observe(&seen, PATIENT).events));
    }
    // The reply to a ply that is seen after all.
    show(&mut dim, &board("rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R"), PATIENT);
    assert_eq!(sans(&dim), ["e4", "e5", "Nf3"]);
    // Where every ply would have been seen, it is told.
    let events: Vec<Event> =
        (0..2).flat_map(|_| game.observe(&Synthetic::clear(&men, &game), PATIENT).events).collect();
    assert!(wrong_side(&events), "{events:?}");
}
