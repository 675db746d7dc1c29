//! The board as markers for rviz and Foxglove: squares, men, the last move, and what is wrong, in the board's frame.
//!
//! r2r takes messages whose package may be absent as JSON.

use serde_json::{Value, json};
use shakmaty::{Board, Color, File, Rank, Role, Square};

use crate::board::staunton;

/// Kinds of markers, as visualization_msgs numbers them.
mod kind {
    pub(super) const CUBE: u8 = 1;
    pub(super) const CYLINDER: u8 = 3;
    pub(super) const CUBE_LIST: u8 = 6;
    pub(super) const TEXT: u8 = 9;
    pub(super) const ADD: u8 = 0;
    pub(super) const DELETE_ALL: u8 = 3;
}

/// Colours as red, green, blue and opacity, 0 to 1: board and men as wood has them, signals as in the overlay.
const LIGHT_SQUARE: [f64; 4] = [0.93, 0.85, 0.71, 1.0];
const DARK_SQUARE: [f64; 4] = [0.55, 0.38, 0.25, 1.0];
const WHITE_MAN: [f64; 4] = [0.97, 0.94, 0.86, 1.0];
const BLACK_MAN: [f64; 4] = [0.12, 0.1, 0.09, 1.0];
const LAST_MOVE: [f64; 4] = [1.0, 0.82, 0.0, 0.8];
const WRONG: [f64; 4] = [1.0, 0.2, 0.2, 0.8];

/// Thickness of the board, and of what marks a square, as parts of its side: thin enough to be no hindrance to men.
const THICK: f64 = 0.1;
const MARK: f64 = 0.02;
/// Letters over the men, and the warning over the board, in squares.
const LETTER: f64 = 0.4;
const SENTENCE: f64 = 0.6;
const SENTENCE_AT: f64 = 3.0;

/// What is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Scene {
    /// The men.
    pub men: Board,
    /// Squares of the last move.
    pub(super) last_move: Vec<Square>,
    /// Squares that somebody should look at, and why; none while all is well.
    pub wrong: Vec<Square>,
    /// One sentence for people, or nothing.
    pub text: String,
    /// Side of a square, in metres.
    pub square_m: f64,
    /// The board's frame.
    pub frame: String,
}

/// Middle of a square on the board's surface, in its frame.
#[must_use]
pub(crate) fn middle(square: Square, square_m: f64) -> [f64; 2] {
    let at = |index: u32| (f64::from(index) + 0.5) * square_m;
    [at(square.file() as u32), at(square.rank() as u32)]
}

impl Scene {
    /// The message, a `visualization_msgs/MarkerArray`: it takes the place of whatever was shown before.
    #[must_use]
    pub fn message(&self) -> Value {
        let mut markers = vec![json!({ "header": self.header(), "action": kind::DELETE_ALL })];
        for (id, (colour, light)) in [(DARK_SQUARE, false), (LIGHT_SQUARE, true)].into_iter().enumerate() {
            markers.push(self.squares(id, colour, light));
        }
        let marked = |(name, squares, colour): (&'static str, &[Square], _)| {
            squares.iter().enumerate().map(|(id, s)| self.mark(name, id, *s, colour)).collect::<Vec<_>>()
        };
        let signals = [("last_move", &self.last_move[..], LAST_MOVE), ("wrong", &self.wrong[..], WRONG)];
        markers.extend(signals.into_iter().flat_map(marked));
        for (square, piece) in self.men.clone() {
            markers.extend(self.man(square, piece.color, piece.role));
        }
        if !self.text.is_empty() {
            let at = [4.0 * self.square_m, 4.0 * self.square_m, SENTENCE_AT * self.square_m];
            markers.push(self.text("warning", 0, at, SENTENCE, &self.text, WRONG));
        }
        json!({ "markers": markers })
    }

    /// Without a stamp: the board is shown where its frame is now.
    fn header(&self) -> Value {
        json!({ "frame_id": self.frame, "stamp": { "sec": 0, "nanosec": 0 } })
    }

    fn marker(&self, name: &str, id: usize, kind: u8, at: [f64; 3], size: [f64; 3], colour: [f64; 4]) -> Value {
        json!({
            "header": self.header(),
            "ns": name,
            "id": id,
            "type_": kind,
            "action": kind::ADD,
            "pose": {
                "position": { "x": at[0], "y": at[1], "z": at[2] },
                "orientation": { "x": 0.0, "y": 0.0, "z": 0.0, "w": 1.0 },
            },
            "scale": { "x": size[0], "y": size[1], "z": size[2] },
            "color": { "r": colour[0], "g": colour[1], "b": colour[2], "a": colour[3] },
            "frame_locked": true,
        })
    }

    fn squares(&self, id: usize, colour: [f64; 4], light: bool) -> Value {
        let (side, thick) = (self.square_m, THICK * self.square_m);
        let points: Vec<Value> = Square::ALL
            .into_iter()
            .filter(|square| square.is_light() == light)
            .map(|square| {
                let [x, y] = middle(square, side);
                json!({ "x": x, "y": y, "z": -thick / 2.0 })
            })
            .collect();
        let mut marker = self.marker("board", id, kind::CUBE_LIST, [0.0; 3], [side, side, thick], colour);
        marker["points"] = points.into();
        marker
    }

    fn mark(&self, name: &str, id: usize, square: Square, colour: [f64; 4]) -> Value {
        let ([x, y], side) = (middle(square, self.square_m), self.square_m);
        self.marker(name, id, kind::CUBE, [x, y, MARK * side / 2.0], [side, side, MARK * side], colour)
    }

    /// A man and his letter.
    fn man(&self, square: Square, colour: Color, role: Role) -> [Value; 2] {
        let ([x, y], side) = (middle(square, self.square_m), self.square_m);
        let height = staunton::height(role) * side;
        let foot = 2.0 * staunton::discs(role).first().map_or(0.0, |(_, radius)| f64::from(*radius)) * side;
        let (men, letters) = (colour.fold_wb(WHITE_MAN, BLACK_MAN), colour.fold_wb(WHITE_MAN, BLACK_MAN));
        let id = square as usize;
        let letter = role.upper_char().to_string();
        let above = [x, y, height + LETTER * side];
        [
            self.marker("men", id, kind::CYLINDER, [x, y, height / 2.0], [foot, foot, height], men),
            self.text("letters", id, above, LETTER, &letter, letters),
        ]
    }

    fn text(&self, name: &str, id: usize, at: [f64; 3], size: f64, text: &str, colour: [f64; 4]) -> Value {
        let mut marker = self.marker(name, id, kind::TEXT, at, [0.0, 0.0, size * self.square_m], colour);
        marker["text"] = text.replace('\0', " ").into();
        marker
    }
}

/// The square called `name`, such as e4.
///
/// # Errors
/// When there is no such square.
pub fn square(name: &str) -> Result<Square, String> {
    let mut signs = name.trim().chars();
    let (file, rank) = (signs.next().and_then(File::from_char), signs.next().and_then(Rank::from_char));
    match (file, rank, signs.next()) {
        (Some(file), Some(rank), None) => Ok(Square::from_coords(file, rank)),
        _ => Err(format!("expected a square such as e4, got {:?}", name.chars().take(20).collect::<String>())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scene() -> Scene {
        Scene {
            men: Board::default(),
            last_move: vec![Square::E2, Square::E4],
            wrong: vec![Square::A8],
            text: "The rook cannot jump.".into(),
            square_m: 0.05,
            frame: "chess_board".into(),
        }
    }

    #[test]
    fn everything_is_shown_in_the_boards_frame() {
        let message = scene().message();
        let markers = message["markers"].as_array().unwrap();
        let named = |name: &str| markers.iter().filter(|m| m["ns"] == name).collect::<Vec<_>>();
        assert_eq!(markers[0]["action"], 3);
        assert!(markers.iter().all(|m| m["header"]["frame_id"] == "chess_board"));
        assert_eq!(
            ["board", "last_move", "wrong", "men", "letters", "warning"].map(|n| named(n).len()),
            [2, 2, 1, 32, 32, 1]
        );
        assert!(named("board").iter().all(|m| m["points"].as_array().unwrap().len() == 32));
        // e4 is the fifth square along x and the fourth along y.
        let at = &named("last_move")[1]["pose"]["position"];
        assert!((at["x"].as_f64().unwrap() - 0.225).abs() < 1e-9 && (at["y"].as_f64().unwrap() - 0.175).abs() < 1e-9);
        let king = named("men").into_iter().find(|m| m["id"] == Square::E1 as usize).unwrap();
        assert!((king["scale"]["z"].as_f64().unwrap() - 0.09).abs() < 1e-6);
    }

    #[test]
    fn a_quiet_board_has_no_warning() {
        let quiet = Scene { wrong: Vec::new(), text: String::new(), last_move: Vec::new(), ..scene() };
        let message = quiet.message();
        let quiet = message["markers"].as_array().unwrap();
        assert!(quiet.iter().all(|m| m["ns"] != "warning" && m["ns"] != "wrong" && m["ns"] != "last_move"));
    }

    #[test]
    fn squares_are_read_as_people_write_them() {
        assert_eq!(square(" e4 "), Ok(Square::E4));
        for bad in ["", "e", "e9", "i1", "e44", "♔1"] {
            assert_eq!(square(bad), Err(format!("expected a square such as e4, got {bad:?}")));
        }
    }
}
