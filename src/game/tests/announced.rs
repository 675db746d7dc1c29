//! Plies that were announced, while an arm hides their squares.

use super::*;
use crate::frame::Stamp;
use shakmaty::Position as _;

const AFTER_S: f64 = 3.0;
const OPEN: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";

/// An arm over these squares, known to be one: they say nothing.
struct Under(Synthetic, Bitboard);

impl Under {
    fn arm(truth: &str, game: &Game, squares: &[Square]) -> Self {
        let over: Bitboard = squares.iter().copied().collect();
        Self(Synthetic::clear(&board(truth), game).blind(over), over)
    }
}

impl Evidence for Under {
    fn log_likelihood(&self, men: &Board) -> f64 {
        self.0.log_likelihood(men)
    }
    fn reference(&self) -> &Board {
        self.0.reference()
    }
    fn square(&self, s: Square) -> [f64; 3] {
        self.0.square(s)
    }
    fn unexplained(&self, men: &Board) -> Bitboard {
        self.0.unexplained(men)
    }
    fn hidden(&self) -> Bitboard {
        self.1
    }
    /// Who has come stands under it.
    fn held(&self, men: &Board, squares: Bitboard) -> bool {
        (crate::game::difference::difference(men, self.reference()) & squares & men.occupied() & self.1).any()
    }
}

/// Looks at what stands there once a second, for six seconds; returns what was told, with the second. That an arm leaves doubts is
/// told as well, and is not asked here.
fn look_at(game: &mut Game, truth: &str, arm: &[Square], look: Look) -> Vec<(u32, String, f64)> {
    let mut told = Vec::new();
    for second in 0..6 {
        game.tick(Stamp::from_s(f64::from(second)));
        let events = game.observe(&Under::arm(truth, game, arm), look).events;
        for event in events.iter().filter(|event| !matches!(event, Event::Uncertain { .. })) {
            match event {
                Event::Move { uci, confidence, .. } => told.push((second, uci.to_string(), *confidence)),
                other => told.push((second, words(std::slice::from_ref(other)).remove(0), f64::NAN)),
            }
        }
    }
    told
}

const REPLIED: &str = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR";
const STANDS: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";
const ARM: [Square; 4] = [Square::E7, Square::E6, Square::E5, Square::D6];

#[test]
fn what_an_arm_hides_is_told_on_the_word_of_who_announced_it_and_not_before() {
    for look in [AT_REST, PATIENT] {
        let mut game = game(OPEN);
        assert_eq!(look_at(&mut game, REPLIED, &ARM, look), [], "nobody announced anything");
        game.announce("e7e5".parse().ok(), 0.0);
        assert_eq!(look_at(&mut game, REPLIED, &ARM, look), [], "who asks for looks alone");
        game.announce("e7e5".parse().ok(), AFTER_S);
        let told = look_at(&mut game, REPLIED, &ARM, look);
        let [(3, uci, confidence)] = told.as_slice() else { panic!("{told:?}") };
        assert!(uci == "e7e5" && (0.95..0.995).contains(confidence), "{told:?}");
        assert!(game.told_unseen(1) && !game.told_unseen(2));
        // The arm goes; the men stand as was said.
        assert_eq!(look_at(&mut game, REPLIED, &[], look), []);
        assert_eq!(ucis(&game), ["e7e5"]);
    }
}

#[test]
fn what_is_in_sight_decides_whatever_was_announced() {
    // The squares are hidden, but only in part: the pawn still stands on e7, or e5 is empty.
    for arm in [[Square::E5, Square::E6], [Square::E7, Square::E6]] {
        let mut game = game(OPEN);
        game.announce("e7e5".parse().ok(), AFTER_S);
        assert_eq!(look_at(&mut game, STANDS, &arm, PATIENT), [], "{arm:?}");
    }
    // Another move is seen to be made.
    let mut seen = game(OPEN);
    seen.announce("e7e5".parse().ok(), AFTER_S);
    let told = look_at(&mut seen, "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR", &ARM, PATIENT);
    assert_eq!(told.iter().map(|t| t.1.as_str()).collect::<Vec<_>>(), ["c7c5"]);
    assert!(!seen.told_unseen(1));
    // Nothing hides anything, and nothing was done.
    let mut still = game(OPEN);
    still.announce("e7e5".parse().ok(), AFTER_S);
    assert_eq!(look_at(&mut still, STANDS, &[], PATIENT), []);
    // Who wants to be surer than anybody's word can be is not told.
    let mut surer = game(OPEN);
    surer.announce("e7e5".parse().ok(), AFTER_S);
    assert_eq!(look_at(&mut surer, REPLIED, &ARM, Look { min_confidence: 0.999, ..PATIENT }), []);
}

#[test]
fn what_was_told_unseen_is_revised_when_the_squares_come_to_light() {
    for (truth, said) in [
        (STANDS, "take_back"),
        ("rnbqkbnr/pppp1ppp/4p3/8/4P3/8/PPPP1PPP/RNBQKBNR", "revised"),
        ("rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR", "revised"),
    ] {
        let mut game = game(OPEN);
        game.announce("e7e5".parse().ok(), AFTER_S);
        assert_eq!(look_at(&mut game, REPLIED, &ARM, PATIENT).len(), 1);
        let told = look_at(&mut game, truth, &[], PATIENT);
        assert_eq!(told.iter().map(|t| t.1.as_str()).collect::<Vec<_>>(), [said], "{truth}");
        assert!(!game.told_unseen(1));
        assert_eq!(game.position().board(), &board(truth));
    }
}

#[test]
fn now_is_as_good_as_waiting_and_another_position_asks_for_another_word() {
    let now = Look { forced: true, ..PATIENT };
    let mut told = game(OPEN);
    told.announce("e7e5".parse().ok(), AFTER_S);
    told.tick(Stamp::from_s(0.0));
    let events = told.observe(&Under::arm(REPLIED, &told, &ARM), now).events;
    assert_eq!(words(&events), ["move"]);
    // It was said of a position that has gone.
    let mut gone = game(OPEN);
    gone.announce("e7e5".parse().ok(), AFTER_S);
    see(&mut gone, "rnbqkb1r/pppppppp/5n2/8/4P3/8/PPPP1PPP/RNBQKBNR", AT_REST);
    see(&mut gone, "rnbqkb1r/pppppppp/5n2/8/4P3/3P4/PPP2PPP/RNBQKBNR", AT_REST);
    assert_eq!(look_at(&mut gone, "rnbqkb1r/pppp1ppp/5n2/4p3/4P3/3P4/PPP2PPP/RNBQKBNR", &ARM, PATIENT), []);
    // Withdrawn.
    let mut withdrawn = game(OPEN);
    withdrawn.announce("e7e5".parse().ok(), AFTER_S);
    withdrawn.announce(None, AFTER_S);
    assert_eq!(look_at(&mut withdrawn, REPLIED, &ARM, PATIENT), []);
}

#[test]
fn castling_a_capture_and_a_promotion_are_told_with_all_that_they_change() {
    for (fen, uci, after) in [
        ("r3k2r/8/8/8/8/8/8/4K3 b kq - 0 1", "e8g8", "r4rk1/8/8/8/8/8/8/4K3"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", "4k3/8/3P4/8/8/8/8/4K3"),
        ("4k3/p7/8/8/8/8/4p3/K2R4 b - - 0 1", "e2d1n", "4k3/p7/8/8/8/8/8/K2n4"),
    ] {
        let mut game = game(fen);
        let over = crate::game::difference::difference(game.position().board(), &board(after));
        let arm: Vec<Square> = over.into_iter().collect();
        game.announce(uci.parse().ok(), AFTER_S);
        let told = look_at(&mut game, after, &arm, PATIENT);
        assert!(matches!(told.as_slice(), [(3, told, _)] if told == uci), "{uci}: {told:?}");
        assert_eq!(game.position().board(), &board(after), "{uci}");
        assert_eq!(look_at(&mut game, after, &[], PATIENT), [], "{uci}");
    }
}
