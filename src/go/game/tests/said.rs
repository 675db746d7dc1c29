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
fn plays_are_taken_back() {
    let mut game = played(&["E5", "C3", "G7", "C7"]);
    assert_eq!(told(&game.take_back(2).unwrap()), ["4 taken back", "3 taken back"]);
    assert_eq!(game.told().number(), 2);
    assert_eq!(game.take_back(5).unwrap_err().to_string(), "cannot take back 5 plays: 2 have been played");
    assert!(game.take_back(0).is_err());
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
