use super::*;
use crate::go::{Size, board::tests::board};

fn at(x: u8, y: u8) -> Point {
    Point::new(x, y)
}

const KO: &str = ".XO..
                  X.XO.
                  .XO..
                  .....
                  .....";

/// White has just taken in the ko; Black could take back.
fn ko_taken(rules: &Rules) -> Arc<Moment> {
    Moment::start(board(KO), Color::White).play(at(1, 1), rules).unwrap()
}

#[test]
fn a_ko_may_not_be_taken_back_at_once_but_after_a_threat() {
    let rules = Rules::JAPANESE;
    let taken = ko_taken(&rules);
    assert_eq!((taken.captured(), taken.ko()), (&[at(2, 1)][..], Some(at(2, 1))));
    assert_eq!(taken.play(at(2, 1), &rules).err(), Some(Fault::Ko));
    let threat = taken.play(at(4, 4), &rules).unwrap().play(at(0, 4), &rules).unwrap();
    let back = threat.play(at(2, 1), &rules).unwrap();
    assert_eq!(back.captured(), &[at(1, 1)]);
    assert_eq!((back.prisoners(Color::Black), back.prisoners(Color::White)), (1, 1));
}

#[test]
fn after_two_passes_the_ko_may_be_taken_back_where_only_simple_repetition_is_forbidden() {
    for rules in Rules::ALL {
        let passed = ko_taken(&rules).pass().pass();
        let again = passed.play(at(2, 1), &rules);
        match rules.ko {
            Ko::Simple => assert!(again.is_ok(), "{}", rules.name),
            Ko::Positional | Ko::Situational => assert_eq!(again.err(), Some(Fault::Repeats), "{}", rules.name),
        }
    }
}

#[test]
fn suicide_is_forbidden_or_takes_its_own_stones() {
    let eye = ".X.X.
               XX.X.
               OOX..
               .....
               .....";
    let start = Moment::start(board(eye), Color::White);
    assert_eq!(start.play(at(0, 0), &Rules::JAPANESE).err(), Some(Fault::Suicide));
    // One stone alone repeats the board, which these rules let only the player decide.
    assert_eq!(start.play(at(0, 0), &Rules::TROMP_TAYLOR).err(), Some(Fault::Repeats));
    let one = start.play(at(0, 0), &Rules::NEW_ZEALAND).unwrap();
    assert_eq!((one.board(), one.captured()), (start.board(), &[at(0, 0)][..]));
    let two = "..X..
               XXX..
               .....
               .....
               .....";
    let first = Moment::start(board(two), Color::White).play(at(0, 0), &Rules::TROMP_TAYLOR).unwrap();
    let second = first.pass().play(at(1, 0), &Rules::TROMP_TAYLOR);
    assert_eq!(second.err(), Some(Fault::Repeats), "both are gone, as before the first");
    let second = first.play(at(4, 4), &Rules::TROMP_TAYLOR).unwrap().play(at(1, 0), &Rules::TROMP_TAYLOR).unwrap();
    assert_eq!(second.prisoners(Color::Black), 2);
    assert_eq!(second.board().count(Color::White), 0);
    assert_eq!(first.pass().check(at(1, 0), &Rules::CHINESE), Err(Fault::Suicide));
}

#[test]
fn a_stone_that_takes_is_no_suicide() {
    let start = Moment::start(
        board(
            ".XO..
             XO...
             O....
             .....
             .....",
        ),
        Color::White,
    );
    let taken = start.play(at(0, 0), &Rules::JAPANESE).unwrap();
    assert_eq!(taken.captured().len(), 2);
    assert_eq!(taken.ko(), None);
}

#[test]
fn what_is_forbidden_can_be_made_all_the_same_and_says_so() {
    let rules = Rules::JAPANESE;
    let taken = ko_taken(&rules);
    let forced = taken.force(at(2, 1), Color::Black, &rules).unwrap();
    assert_eq!(forced.last().unwrap().fault, Some(Fault::Ko));
    assert_eq!(forced.board(), &board(KO));
    let again = taken.force(at(4, 4), Color::White, &rules).unwrap();
    assert_eq!(again.last().unwrap().fault, Some(Fault::Turn));
    assert!(taken.force(at(1, 1), Color::Black, &rules).is_none());
    assert_eq!(taken.check(at(1, 1), &rules), Err(Fault::Occupied));
    assert_eq!(taken.check(at(9, 9), &rules), Err(Fault::Occupied));
}

#[test]
fn a_game_of_a_hundred_thousand_passes_is_dropped_without_a_deep_stack() {
    let mut moment = Moment::start(Board::empty(Size::new(5).unwrap()), Color::Black);
    for _ in 0..100_000 {
        moment = moment.pass();
    }
    assert_eq!(moment.number(), 100_000);
}

#[test]
fn laws_of_random_games() {
    // A stone more for every play, less what was taken; nobody is without liberties; no position twice where that is forbidden.
    for seed in 1..40_u64 {
        let rules = Rules::ALL[(seed % 6) as usize];
        let size = Size::new(5 + seed % 5).unwrap();
        let mut dice = seed;
        let mut moment = Moment::start(Board::empty(size), Color::Black);
        let mut seen = vec![moment.board().clone()];
        for _ in 0..200 {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let point = size.point((dice >> 33) as usize % size.count());
            let Ok(next) = moment.play(point, &rules) else { continue };
            let stones = |m: &Moment| m.board().stones().count();
            assert_eq!(stones(&next) + next.captured().len(), stones(&moment) + 1);
            assert!(next.board().stones().all(|(p, _)| !next.board().group(p).unwrap().liberties.is_empty()));
            if rules.ko == Ko::Positional {
                assert!(!seen.contains(next.board()));
                seen.push(next.board().clone());
            }
            moment = next;
        }
        assert_eq!(moment.line().len(), moment.number() + 1);
    }
}
