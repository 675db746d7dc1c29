//! What goes wrong at a board, and before a camera.

use super::*;

/// A game on 9 lines after these plays, all told.
fn after(names: &[&str]) -> (Game, Arc<Moment>) {
    let mut game = game_on(9);
    let mut now = Moment::start(Board::empty(size(9)), Color::Black);
    see(&mut game, now.board());
    for name in names {
        now = now.play(at(name, 9), &Rules::JAPANESE).unwrap();
        see(&mut game, now.board());
    }
    assert_eq!(game.told().number(), names.len());
    (game, now)
}

fn with(moment: &Arc<Moment>, changes: &[(&str, Content)]) -> Board {
    let mut board = moment.board().clone();
    changes.iter().for_each(|&(name, c)| board.set(at(name, 9), c));
    board
}

const B: Content = Content::Black;
const W: Content = Content::White;
const E: Content = Content::Empty;

const KO: &str = ".XO..
                  X.XO.
                  .XO..
                  .....
                  .....";

#[test]
fn a_ko_taken_back_at_once_is_told_and_let_stand_when_the_game_goes_on() {
    let mut game = game_at(KO, Color::White);
    let taken = game.told().play(at("B4", 5), &Rules::JAPANESE).unwrap();
    assert_eq!(see(&mut game, taken.board()), ["1 W B4"]);
    assert_eq!(see(&mut game, &board(KO)), ["B C4 ko"]);
    assert!(game.is_illegal());
    let next = taken.force(at("C4", 5), Color::Black, &Rules::JAPANESE).unwrap();
    let next = next.play(at("E1", 5), &Rules::JAPANESE).unwrap();
    assert_eq!(see(&mut game, next.board()), ["2 B C4 let stand", "3 W E1"]);
    assert!(!game.is_illegal());
    assert!(game.sgf().contains("B[cb]KO[]"), "{}", game.sgf());
}

#[test]
fn a_ko_taken_back_at_once_and_put_right_leaves_nothing_in_the_record() {
    let mut game = game_at(KO, Color::White);
    let taken = game.told().play(at("B4", 5), &Rules::JAPANESE).unwrap();
    see(&mut game, taken.board());
    see(&mut game, &board(KO));
    assert_eq!(see(&mut game, taken.board()), ["restored"]);
    assert!(!game.is_illegal() && !game.sgf().contains("KO"));
    let fight = taken.play(at("E5", 5), &Rules::JAPANESE).unwrap();
    assert_eq!(see(&mut game, fight.board()), ["2 B E5"]);
}

#[test]
fn a_long_ko_fight_is_followed() {
    let mut game = game_at(KO, Color::White);
    let mut now = game.told().clone();
    for (name, told) in [("B4", "1 W B4"), ("E1", "2 B E1"), ("D1", "3 W D1"), ("C4", "4 B C4"), ("A1", "5 W A1")] {
        now = now.play(at(name, 5), &Rules::JAPANESE).unwrap();
        assert_eq!(see(&mut game, now.board()), [told]);
    }
}

#[test]
fn suicide_is_told_and_may_be_taken_off() {
    let eye = ".X...
               X....
               .....
               .....
               ...OO";
    let mut game = game_at(eye, Color::White);
    let mut wrong = board(eye);
    wrong.set(at("A5", 5), W);
    assert_eq!(see(&mut game, &wrong), ["W A5 suicide"]);
    assert_eq!(see(&mut game, &board(eye)), ["restored"]);
}

#[test]
fn two_in_a_row_are_told_early_in_a_game_and_a_pass_late() {
    let (mut game, now) = after(&["E5", "C3", "G7", "C7"]);
    let twice = with(&now, &[("G3", W)]);
    assert_eq!(see(&mut game, &twice), ["W G3 turn"]);
    let next = now.force(at("G3", 9), Color::White, &Rules::JAPANESE).unwrap().play(at("C5", 9), &Rules::JAPANESE);
    assert_eq!(see(&mut game, next.unwrap().board()), ["5 W G3 let stand", "6 B C5"]);

    let full = ".X.O.
                XX.OO
                .X.O.
                XXXO.
                .OXO.";
    let mut game = game_at(full, Color::Black);
    let next = game.told().pass().play(at("C5", 5), &Rules::JAPANESE).unwrap();
    assert_eq!(see(&mut game, next.board()), ["1 B pass", "2 W C5"]);
}

#[test]
fn a_stone_that_is_moved_beside_revises_the_play() {
    let (mut game, now) = after(&["E5", "C3", "G7"]);
    let moved = with(&now, &[("G7", E), ("G6", B)]);
    assert_eq!(see(&mut game, &moved), ["3 G7 is G6"]);
    assert_eq!(game.told().board(), &moved);
}

#[test]
fn a_take_back_is_told_and_kept_as_a_variation() {
    let (mut game, now) = after(&["E5", "C3", "G7", "C7"]);
    let before = now.before().unwrap();
    assert_eq!(see(&mut game, before.board()), ["4 taken back"]);
    let other = before.play(at("G3", 9), &Rules::JAPANESE).unwrap();
    assert_eq!(see(&mut game, other.board()), ["4 W G3"]);
    let sgf = game.sgf().replace('\n', "");
    assert!(sgf.contains("(;W[gg])(;W[cc])"), "{sgf}");
    // Two at once as well.
    assert_eq!(see(&mut game, before.before().unwrap().board()), ["4 taken back", "3 taken back"]);
}

#[test]
fn a_stone_pushed_away_is_told_and_put_right() {
    let (mut game, now) = after(&["E5", "C3", "G7", "C7", "G3"]);
    let pushed = with(&now, &[("C3", E), ("C4", W)]);
    assert_eq!(see(&mut game, &pushed), ["The white stone of C3 lies on C4 now."]);
    // The game goes on all the same.
    let next = with(&now, &[("C3", E), ("C4", W), ("E3", W)]);
    assert_eq!(see(&mut game, &next), ["6 W E3"]);
    let right = with(&now, &[("E3", W)]);
    assert_eq!(see(&mut game, &right), ["restored"]);
}

#[test]
fn a_stone_that_is_gone_and_one_that_nobody_has_played() {
    let (mut game, now) = after(&["E5", "C3", "G7", "C7", "G3", "C5", "E7"]);
    assert_eq!(see(&mut game, &with(&now, &[("E5", E)])), ["The black stone of E5 is gone."]);
    assert_eq!(see(&mut game, now.board()), ["restored"]);
}

#[test]
fn stones_that_were_taken_may_still_lie_there_or_be_off_too_early() {
    let corner = "OOX..
                  XX...
                  .....
                  .....
                  ....O";
    // Black takes two at B... by playing nothing yet: White's two stones have one liberty less than they need.
    let atari = corner.replace("OOX", "OO.");
    let start = Moment::start(board(&atari), Color::Black);
    let taken = start.play(at("C5", 5), &Rules::JAPANESE).unwrap();
    assert_eq!(taken.captured().len(), 2);
    // Between play and removal.
    let mut game = game_at(&atari, Color::Black);
    assert_eq!(see(&mut game, &board(corner)), ["1 B C5"]);
    assert_eq!(game.standing(), &board(corner));
    assert!(see(&mut game, taken.board()).is_empty());
    assert_eq!(game.standing(), taken.board());
    // One of two taken off.
    let mut game = game_at(&atari, Color::Black);
    assert_eq!(see(&mut game, &board(&corner.replace("OOX", ".OX"))), ["1 B C5"]);
    // Taken off before the stone is put down: nothing is told until it is.
    let mut game = game_at(&atari, Color::Black);
    let off = see(&mut game, &board(&atari.replace("OO.", "...")));
    assert!(off.is_empty(), "{off:?}");
    assert_eq!(see(&mut game, taken.board()), ["1 B C5"]);
}

#[test]
fn a_large_capture_is_one_play() {
    let mut rows = vec![String::from("XXXXXXXXX"); 2];
    rows.extend(vec![String::from("OOOOOOOOO"); 2]);
    rows.extend([".XXXXXXXX", "XXXXXXXXX", "XXX.XXXXX", ".........", "........."].map(String::from));
    let text = rows.join("\n").replacen("OOOOOOOOO", "OOOOOOOO.", 0);
    let mut game = game_at(&text, Color::Black);
    let next = game.told().play(at("A5", 9), &Rules::JAPANESE).unwrap();
    assert_eq!(next.captured().len(), 18);
    assert_eq!(see(&mut game, next.board()), ["1 B A5"]);
}

#[test]
fn what_a_hand_hides_is_told_when_it_has_gone() {
    let (mut game, now) = after(&["E5", "C3", "G7", "C7"]);
    let next = now.play(at("G3", 9), &Rules::JAPANESE).unwrap();
    let mut look = look_at(next.board(), 15.0);
    cover(&mut look, |p| p.x >= 5);
    assert!(told(&game.observe(&look, STILL).events).is_empty());
    // White answers in sight while Black's stone is still under the arm: nothing is told of White alone.
    let answer = next.play(at("C5", 9), &Rules::JAPANESE).unwrap();
    let mut look = look_at(answer.board(), 15.0);
    cover(&mut look, |p| p.x >= 5);
    let events = told(&game.observe(&look, STILL).events);
    assert!(events.iter().all(|e| e.starts_with("look at")), "{events:?}");
    let all = see(&mut game, answer.board());
    assert_eq!(all, ["5 B G3", "6 W C5"]);
}

#[test]
fn a_play_beside_a_hand_waits_in_a_film_and_counts_in_a_photograph() {
    let (mut game, now) = after(&["E5", "C3", "G7", "C7"]);
    let next = now.play(at("G3", 9), &Rules::JAPANESE).unwrap();
    let mut look = look_at(next.board(), 15.0);
    cover(&mut look, |p| p.x >= 7);
    assert!(game.clone().observe(&look, FILM).events.is_empty());
    assert_eq!(told(&game.observe(&look, STILL).events), ["5 B G3"]);
}

#[test]
fn a_faint_stone_is_not_told_and_is_when_it_is_seen_again() {
    let (mut game, now) = after(&["E5", "C3", "G7", "C7"]);
    let next = now.play(at("G3", 9), &Rules::JAPANESE).unwrap();
    let mut look = look_at(next.board(), 15.0);
    look.seen[size(9).index(at("G3", 9))].log_likelihood = [-3.0, 0.0, -9.0];
    let events = told(&game.observe(&look, STILL).events);
    assert!(events.iter().all(|e| e.starts_with("look at")), "{events:?}");
    assert_eq!(see(&mut game, next.board()), ["5 B G3"]);
}

#[test]
fn a_reflection_that_looks_like_a_stone_at_one_look_is_no_play() {
    let (mut game, now) = after(&["E5", "C3", "G7", "C7"]);
    let mut look = look_at(now.board(), 15.0);
    // Not as clear as a stone, and of the colour that is not to play.
    look.seen[size(9).index(at("G3", 9))].log_likelihood = [-9.0, -15.0, 0.0];
    let events = told(&game.observe(&look, STILL).events);
    assert!(events.iter().all(|e| e.starts_with("look at")), "{events:?}");
    assert!(see(&mut game, now.board()).is_empty());
    assert_eq!(game.told().number(), 4);
}

#[test]
fn a_board_that_nothing_explains_is_told_and_the_game_goes_on_from_it() {
    let (mut game, now) = after(&["E5", "C3", "G7", "C7", "G3", "C5"]);
    let other = random_game(9, 31, &Rules::JAPANESE, &mut Dice(77));
    let first = see(&mut game, other.board());
    assert!(first.len() == 1 && first[0].starts_with("look at"), "{first:?}");
    assert!(see(&mut game, other.board()).is_empty());
    let third = see(&mut game, other.board());
    assert!(third.len() == 1 && third[0].starts_with("resumed"), "{third:?}");
    assert_eq!(game.told().board(), other.board());
    let mut next = other.clone();
    for _ in 0..4 {
        let free = size(9).points().find(|&p| next.play(p, &Rules::JAPANESE).is_ok()).unwrap();
        next = next.play(free, &Rules::JAPANESE).unwrap();
        see(&mut game, next.board());
    }
    assert_eq!(game.told().number(), now.number() + 4);
    assert!(game.sgf().contains("AE["), "{}", game.sgf());
}

#[test]
fn many_plays_that_were_missed_are_all_told() {
    let end = random_game(19, 160, &Rules::JAPANESE, &mut Dice(12));
    let line = end.line();
    let mut game = game_on(19);
    see(&mut game, line[0].board());
    for moment in &line[1..100] {
        see(&mut game, moment.board());
    }
    see(&mut game, line[130].board());
    assert_eq!(game.told().board(), line[130].board());
    see(&mut game, line[131].board());
    assert_eq!(game.told().last().map(|p| p.at), line[131].last().map(|p| p.at));
}

#[test]
fn nothing_is_certain_that_the_look_does_not_bear_out() {
    // Every crossing says the same of all contents: nothing is told, however often it is looked at.
    let (mut game, _) = after(&["E5", "C3"]);
    for _ in 0..10 {
        assert!(game.observe(&Look::nothing(size(9)), STILL).events.is_empty());
    }
    assert_eq!(game.told().number(), 2);
}

#[test]
fn looks_with_numbers_that_are_none_end_nothing() {
    let (mut game, now) = after(&["E5", "C3"]);
    let mut look = look_at(now.board(), 15.0);
    for (index, seen) in look.seen.iter_mut().enumerate() {
        seen.log_likelihood[index % 3] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY][index / 3 % 3];
        seen.covered = if index % 7 == 0 { f64::NAN } else { 0.0 };
    }
    game.observe(&look, STILL);
    let short = Look { size: size(9), seen: vec![Seen::NOTHING; 3] };
    assert!(game.observe(&short, STILL).events.is_empty());
    assert!(game.observe(&Look::nothing(size(13)), STILL).events.is_empty());
}

#[test]
fn at_the_end_of_the_photographs_the_likeliest_counts() {
    let (mut game, now) = after(&["E5", "C3", "G7", "C7"]);
    let next = now.play(at("G3", 9), &Rules::JAPANESE).unwrap();
    let mut look = look_at(next.board(), 15.0);
    look.seen[size(9).index(at("G3", 9))].log_likelihood = [-8.0, 0.0, -12.0];
    game.observe(&look, STILL);
    assert_eq!(game.told().number(), 4);
    assert_eq!(told(&game.finish()), ["5 B G3"]);
    assert!(game.finish().is_empty());
}

#[test]
fn a_fault_is_named() {
    let (mut game, now) = after(&["E5", "C3", "G7", "C7"]);
    let events = game.observe(&look_at(&with(&now, &[("G3", W)]), 20.0), STILL).events;
    let Some(Event::Illegal { reason: Fault::Turn, text, .. }) = events.first() else { panic!("{events:?}") };
    assert_eq!(text, "White has played G3, but Black was to play.");
}
