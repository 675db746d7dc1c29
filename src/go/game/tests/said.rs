//! What people say.

use super::*;

fn played(names: &[&str]) -> Game {
    let mut game = game_on(9);
    let mut now = Moment::start(Board::empty(size(9)), Color::Black);
    see(&mut game, now.board());
    for name in names {
        now = now.play(at(name, 9), &Rules::JAPANESE).unwrap();
        see(&mut game, now.board());
    }
    game
}

#[test]
fn plays_are_taken_back_and_corrected() {
    let mut game = played(&["E5", "C3", "G7", "C7"]);
    assert_eq!(told(&game.take_back(2).unwrap()), ["4 taken back", "3 taken back"]);
    assert_eq!(told(&game.correct(3, "g3").unwrap()), ["3 B G3"]);
    assert_eq!(told(&game.correct(0, "G4").unwrap()), ["3 G3 is G4"]);
    assert_eq!(told(&game.correct(4, "pass").unwrap()), ["4 W pass"]);
    let all = told(&game.correct(1, "D5").unwrap());
    assert_eq!(all.len(), 8, "{all:?}");
    assert_eq!(game.told().number(), 4);
    assert_eq!(game.take_back(5).unwrap_err().to_string(), "cannot take back 5 plays: 4 have been played");
    assert_eq!(
        game.correct(2, "D5").unwrap_err().to_string(),
        "play 2 cannot be D5: play 2 would be against the rules, there is a stone already"
    );
    assert_eq!(
        game.correct(2, "J99").unwrap_err().to_string(),
        "play 2: \"J99\" is no crossing of a 9x9 board, such as D4, and no pass"
    );
    assert!(game.correct(9, "A1").is_err() && game.take_back(0).is_err());
}

#[test]
fn the_result_is_set_and_withdrawn() {
    let mut game = played(&["E5"]);
    for result in ["B+3.5", "W+R", "0", "Void"] {
        assert_eq!(told(&game.set_result(result).unwrap()), [format!("result {result}")]);
        assert!(game.sgf().contains(&format!("RE[{result}]")));
    }
    game.set_result("").unwrap();
    assert!(!game.sgf().contains("RE["));
    for wrong in ["1-0", "B+", "B+-1", "B+NaN", "W+x"] {
        assert!(game.set_result(wrong).is_err(), "{wrong}");
    }
}
