//! Promotions taken for another kind of man: what follows revises them, and nobody is warned.

use super::*;
use shakmaty::{Chess, Move, Role};

/// Positions in which a pawn promotes, and what it can become changes what the other side may do.
const PROMOTIONS: [(&str, Square); 6] = [
    // Nobody is in check, the king in front.
    ("8/P3k3/8/8/8/8/7p/4K3 w - - 0 1", Square::A8),
    // A knight gives check, or queen and bishop keep the king from h6.
    ("8/1p3P1k/3p4/8/8/pPn5/P2N4/K3n3 w - - 0 38", Square::F8),
    // Black promotes with a capture.
    ("4k3/8/8/8/8/8/K2p2p1/4BR2 b - - 0 1", Square::F1),
    // A queen and a rook give mate.
    ("6k1/P4ppp/8/8/8/8/8/4K3 w - - 0 1", Square::A8),
    // A queen gives stalemate.
    ("8/5P1k/8/6K1/8/8/8/8 w - - 0 1", Square::F8),
    // A bishop and a knight are too few to win: dead, if nothing else is left.
    ("8/5P2/7k/8/8/8/8/K7 w - - 0 1", Square::F8),
];

/// The game after the promotion was seen as another kind, without any doubt.
fn seen_as(fen: &str, men: &Board) -> (Game, Vec<Event>) {
    let mut game = game(fen);
    let evidence = Synthetic::clear(men, &game).with_kinds(men, 20.0);
    let events = game.observe(&evidence, AT_REST).events;
    (game, events)
}

fn after(position: &Chess, mv: Move) -> Chess {
    position.clone().play(mv).unwrap()
}

/// Moves that no move from `other` looks like.
fn only_from(position: &Chess, other: &Chess) -> Vec<Move> {
    let look = |p: &Chess, mv| (after(p, mv).board().white(), after(p, mv).board().black());
    let others: Vec<_> = other.legal_moves().into_iter().map(|mv| look(other, mv)).collect();
    position.legal_moves().into_iter().filter(|&mv| !others.contains(&look(position, mv))).collect()
}

/// Shows what follows the misread promotion, colours alone, and asks for a record that plays what was played.
fn is_revised(mut game: Game, mut events: Vec<Event>, follow: &[&Chess]) {
    for position in follow {
        events.extend(show(&mut game, position.board(), PATIENT).events);
    }
    let words = words(&events);
    assert!(!words.iter().any(|w| w == "illegal" || w == "uncertain"), "{events:?}");
    assert_eq!(words.iter().filter(|w| *w == "revised").count(), 1, "{events:?}");
    assert_eq!(told(&events), ucis(&game));
    assert_eq!(game.plies().len(), 1 + follow.len());
    let (last, now) = (follow[follow.len() - 1].board(), game.position().board());
    assert_eq!((last.white(), last.black()), (now.white(), now.black()));
}

#[test]
fn whatever_a_promotion_was_taken_for_a_reply_that_it_forbids_revises_it() {
    let mut replies = 0;
    for (fen, square) in PROMOTIONS {
        let start = game(fen).position().clone();
        let kinds: Vec<Move> =
            start.legal_moves().into_iter().filter(|mv| mv.is_promotion() && mv.to() == square).collect();
        assert_eq!(kinds.len(), 4);
        for believed in &kinds {
            for played in kinds.iter().filter(|mv| *mv != believed) {
                let (taken, truth) = (after(&start, *believed), after(&start, *played));
                for reply in only_from(&truth, &taken) {
                    let (game, events) = seen_as(fen, taken.board());
                    assert_eq!(game.plies()[0].mv, *believed);
                    is_revised(game, events, &[&after(&truth, reply)]);
                    replies += 1;
                }
            }
        }
    }
    assert!(replies > 60, "{replies}");
}

#[test]
fn and_so_does_a_move_of_his_own_that_only_another_man_could_make() {
    let mut moves = 0;
    for (fen, square) in PROMOTIONS {
        let start = game(fen).position().clone();
        let kind = |role| {
            start.legal_moves().into_iter().find(|mv| mv.to() == square && mv.promotion() == Some(role)).unwrap()
        };
        for (believed, played) in [(Role::Queen, Role::Knight), (Role::Bishop, Role::Rook), (Role::Knight, Role::Queen)]
        {
            let (taken, truth) = (after(&start, kind(believed)), after(&start, kind(played)));
            // A reply that both allow.
            let Some(reply) = truth.legal_moves().into_iter().find(|mv| taken.is_legal(*mv)) else { continue };
            let (taken, answered) = (after(&taken, reply), after(&truth, reply));
            for own in only_from(&answered, &taken).into_iter().filter(|mv| mv.from() == Some(square)) {
                let (game, events) = seen_as(fen, after(&start, kind(believed)).board());
                is_revised(game, events, &[&answered, &after(&answered, own)]);
                moves += 1;
            }
        }
    }
    assert!(moves > 60, "{moves}");
}

#[test]
fn what_no_kind_of_man_allows_is_illegal_still() {
    let fen = "8/P3k3/8/8/8/8/7p/4K3 w - - 0 1";
    let men = board("Q7/4k3/8/8/8/8/7p/4K3");
    let (mut game, _) = seen_as(fen, &men);
    // The king goes two squares.
    let events = see(&mut game, "Q7/8/8/4k3/8/8/7p/4K3", PATIENT);
    assert_eq!(words(&events), ["illegal"]);
    assert_eq!(ucis(&game), ["a7a8q"]);
}
