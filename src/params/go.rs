//! The parameters of the observer of Go and its node: named as those of the observer of chess that mean the same.

use super::{Accepts, Field, ParamError, Spec, Table, Value, check};

/// The names of the rules of [`Rules::ALL`](crate::go::Rules::ALL).
const RULES: &[&str] = &["Japanese", "Korean", "Chinese", "AGA", "NZ", "Tromp-Taylor"];
/// More points than any board of 25 lines has are no komi.
const MOST_KOMI: f64 = 625.0;

params! {
    agree;
    /// Where pictures come from: raw is image_raw, compressed image_raw/compressed, auto image_raw where somebody publishes there, else the other.
    image_transport: "image_transport" String = "auto", Accepts::OneOf(&["auto", "raw", "compressed"]), "", false;
    /// Reliability asked of the camera: auto asks for reliable where every publisher offers it.
    image_reliability: "image_reliability" String = "auto", Accepts::OneOf(&["auto", "reliable", "best_effort"]), "", false;
    /// Folder for the SGF file, written after every play; it is made where it is missing. Empty writes none.
    sgf_directory: "sgf_directory" String = "", Accepts::Path, "", false;
    /// With pictures coming and none examined for so long, the node ends, so that it is started again; 0 lets it hang.
    watchdog_s: "watchdog_s" f64 = 30.0, Accepts::Double { min: 0.0, max: 3600.0 }, "s", false;
    /// Be a managed node: wait for ~/change_state to configure and to activate it before pictures are looked at.
    lifecycle: "lifecycle" bool = false, Accepts::Bool, "", false;
    /// Pictures examined a second at most; further ones are counted as skipped. 0 examines all.
    max_rate_hz: "max_rate_hz" f64 = 0.0, Accepts::Double { min: 0.0, max: 240.0 }, "Hz", true;
    /// Lines of the board; 0: 19, 13 or 9 as the board shows.
    board_size: "board.size" i64 = 0, Accepts::Lines, "", false;
    /// Crossings at the board's corners as x, y in the picture; empty lets the observer find the board.
    board_corners: "board.corners" Vec<f64> = Vec::<f64>::new(), Accepts::Crossings, "px", false;
    /// The rules that are played by.
    game_rules: "game.rules" String = "Japanese", Accepts::OneOf(RULES), "", false;
    /// White's points for playing second, for the record.
    game_komi: "game.komi" f64 = 6.5, Accepts::Double { min: -MOST_KOMI, max: MOST_KOMI }, "points", true;
    /// For the record: Black's name.
    game_black: "game.black" String = "", Accepts::Text, "", true;
    /// For the record: White's name.
    game_white: "game.white" String = "", Accepts::Text, "", true;
    /// For the record: the event.
    game_event: "game.event" String = "", Accepts::Text, "", true;
    /// For the record: the round.
    game_round: "game.round" String = "", Accepts::Text, "", true;
    /// After a restart go on with the last game in sgf_directory, if it has no result and the board does not show another one.
    game_resume: "game.resume" bool = true, Accepts::Bool, "", false;
    /// Least probability at which a play is told.
    game_min_confidence: "game.min_confidence" f64 = 0.95, Accepts::Double { min: 0.5, max: 0.9999 }, "probability", true;
    /// How long a part of the board must be at rest before it is read.
    sight_rest_s: "sight.rest_s" f64 = 0.3, Accepts::Double { min: 0.0, max: 10.0 }, "s", true;
    /// How long the board must be at rest before what is unexplained is told.
    sight_warn_after_s: "sight.warn_after_s" f64 = 1.5, Accepts::Double { min: 0.0, max: 60.0 }, "s", true;
    /// Every picture is a separate look: there is no stillness between pictures to wait for.
    sight_stills: "sight.stills" bool = false, Accepts::Bool, "", false;
}

/// No value forbids another one.
const fn agree(_: &Params) -> Result<(), ParamError> {
    Ok(())
}

/// Eight numbers as four points.
pub(crate) fn in_pairs(numbers: [f64; 8]) -> [[f64; 2]; 4] {
    std::array::from_fn(|i| [numbers[2 * i], numbers[2 * i + 1]])
}

impl Params {
    /// Crossings at the board's corners, where they are given.
    #[must_use]
    pub fn corners_px(&self) -> Option<[[f64; 2]; 4]> {
        <[f64; 8]>::try_from(self.board_corners.as_slice()).ok().map(in_pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::Rules;

    #[test]
    fn the_rules_are_all_that_there_are() {
        assert_eq!(Rules::ALL.map(|rules| rules.name), *RULES);
        let usual = Rules::default();
        assert_eq!((Params::default().game_rules.as_str(), Params::default().game_komi), (usual.name, usual.komi));
    }

    #[test]
    fn a_board_has_5_to_25_lines_and_corners_in_order() {
        let refused = |name: &str, value: Value| Params::default().set(name, &value).unwrap_err().to_string();
        for lines in [0, 5, 19, 25] {
            Params::default().set("board.size", &Value::Int(lines)).unwrap();
        }
        for lines in [-1, 1, 4, 26] {
            let said = format!("parameter board.size: expected a whole number from 5 to 25, or 0, got {lines}");
            assert_eq!(refused("board.size", Value::Int(lines)), said);
        }
        let mut params = Params::default();
        let corners = vec![100.0, 100.0, 500.0, 100.0, 550.0, 400.0, 50.0, 400.0];
        params.set("board.corners", &Value::Doubles(corners.clone())).unwrap();
        assert_eq!(params.corners_px().unwrap()[2], [550.0, 400.0]);
        params.set("board.corners", &Value::Text(String::new())).unwrap();
        assert_eq!(params.corners_px(), None);
        assert!(refused("board.corners", Value::Doubles(corners[..6].to_vec())).ends_with("got 6 numbers"));
        assert!(refused("board.corners", Value::Doubles(vec![3.0; 8])).contains("got 8 numbers ("));
    }
}
