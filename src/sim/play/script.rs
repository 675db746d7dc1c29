//! From a story to what hands do: which man is taken, where it is set down, in which order, and what that means.
//!
//! An [`Act`] is one visit of a hand. Most plies are one act; a slow castling is two, an illegal move and its correction
//! are two more that lead back to where they began. The same acts serve the still pictures (carried out at once) and the
//! film (carried out along a path).

use std::borrow::Cow;

use shakmaty::{Board, CastlingSide, Chess, Color, Move, Piece, Position, Role, Square, uci::UciMove};

use super::{
    cast::{Cast, Task, Way},
    story::{CaptureOrder, Story, What},
};
use crate::sim::{
    dice::Dice,
    math::{self, V3},
    scene::Scene,
    shape::man::{Lean, Man, Place, Stand},
};

/// Why a story cannot be simulated. Plies count from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScriptError {
    /// A move is against the rules.
    #[error("ply {ply}: {uci} is not legal in {fen}; give the moves of one game in order")]
    Illegal {
        /// Number of the ply.
        ply: usize,
        /// The move.
        uci: String,
        /// The position in which it was to be played.
        fen: String,
    },
    /// Something beside the moves does not fit the game.
    #[error("ply {ply}: {what} cannot be shown: {why}")]
    Incident {
        /// Number of the ply that it precedes or shapes.
        ply: usize,
        /// What was to happen.
        what: String,
        /// Why it cannot.
        why: String,
    },
}

/// The state of things in a picture, as in `events.csv`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// No hand, and either the position of the truth stands or an illegal one that its event names.
    Clean,
    /// A hand is in the picture, or about to come in, or hardly gone.
    Hand,
    /// No hand, and what stands is not what the truth says after so many plies: a move half made, a man that lies, moves
    /// that will be taken back.
    Irregular,
    /// The camera has just been knocked.
    Bump,
}

impl State {
    /// The word for `events.csv`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Clean => "clean",
            Self::Hand => "hand",
            Self::Irregular => "irregular",
            Self::Bump => "bump",
        }
    }
}

/// What a row of `events.csv` says of an act.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// The word: `move`, `illegal:path_blocked`, `touch`, …
    pub word: Cow<'static, str>,
    /// The move as UCI (castling as the king's move in standard chess), or the square, or the result.
    pub uci: String,
}

impl Label {
    pub(super) fn new(word: impl Into<Cow<'static, str>>, uci: impl std::fmt::Display) -> Self {
        Self { word: word.into(), uci: uci.to_string() }
    }
}

/// One visit of a hand.
#[derive(Debug, Clone, PartialEq)]
pub struct Act {
    /// Whose hand.
    pub player: Color,
    /// What it is, while the hand is at it.
    pub label: Label,
    /// The trips, in order.
    pub tasks: Vec<Task>,
    /// What stands on the board afterwards.
    pub placement: Board,
    /// Plies that stand afterwards, those included that will be taken back.
    pub plies: usize,
    /// What is told of the pictures afterwards, until the next act.
    pub after: Label,
    /// The state of those without a hand.
    pub state: State,
    /// The note in those.
    pub note: &'static str,
    /// Time without a hand before it, in seconds; less than 0: it comes in before the last one has left.
    pub rest_s: f64,
    /// Speed of the hand against the scene's.
    pub(super) haste: f64,
    /// The man is held here for so many seconds before it is set down.
    pub hover: Option<(V3, f64)>,
    /// Afterwards the hand rests in view here for so many seconds.
    pub(crate) linger: Option<(V3, f64)>,
    /// Does something stand afterwards that a still picture must show?
    pub still: bool,
}

/// A whole story as acts.
#[derive(Debug, Clone, PartialEq)]
pub struct Script {
    /// The men before the first act.
    pub cast: Cast,
    /// The acts.
    pub acts: Vec<Act>,
}

/// Writes scripts: knows how precisely these players set down.
pub(super) struct Writer<'a> {
    pub(super) scene: &'a Scene,
    pub(super) dice: Dice,
    pub(super) cast: Cast,
    pub(super) acts: Vec<Act>,
    /// Least time without a hand before the next act.
    pub(super) calm_s: f64,
}

/// How a ply is carried out.
#[derive(Debug, Default)]
pub(super) struct Manner {
    pub(super) slow: bool,
    pub(super) rook_first: bool,
    pub(super) late: bool,
    pub(super) slide: bool,
    pub(super) hover: Option<(Square, f64)>,
    pub(super) order: Option<CaptureOrder>,
    pub(super) rest_s: Option<f64>,
    pub(super) knocks: Vec<Square>,
}

impl Manner {
    /// How a man gets to its square.
    pub(super) const fn way(&self) -> Way {
        if self.slide { Way::Slid } else { Way::Lifted }
    }
}

impl Script {
    /// The script of a story.
    ///
    /// # Errors
    /// When a move is not legal, or an incident does not fit.
    pub fn new(scene: &Scene, story: &Story, seed: u64) -> Result<Self, ScriptError> {
        let mode = story.start.castling_mode();
        let mut position = story.start.position().clone();
        let mut writer = Writer {
            scene,
            dice: Dice::new(seed, 0x5c),
            cast: Cast::default(),
            acts: vec![],
            calm_s: f64::NEG_INFINITY,
        };
        for (square, piece) in position.board().clone() {
            let stand = writer.stand(square, piece);
            writer.enlist(piece, Place::On(square, stand));
        }
        let late = writer.lay_aside(seed);
        let first = writer.cast.clone();
        if !late.is_empty() {
            writer.set_up(late);
        }
        if let Some(late) = story.incidents.iter().find(|i| i.ply > story.moves.len()) {
            let why = format!("the game has {} plies", story.moves.len());
            return Err(ScriptError::Incident { ply: late.ply + 1, what: late.what.to_string(), why });
        }
        for index in 0..=story.moves.len() {
            let here = story.incidents.iter().filter(|i| i.ply == index);
            let mut manner = Manner::default();
            let next = story.moves.get(index).copied();
            for incident in here {
                let what = &incident.what;
                let done = match what {
                    What::Illegal(hands) => writer.illegal(&position, index, hands),
                    What::Stands(_) if next.is_some() => Err("it belongs after the last ply".into()),
                    What::Stands(changes) => writer.stands(&position, index, changes),
                    What::Touch(square) => writer.touch(index, *square, Way::Lifted),
                    What::Adjust(square) => writer.touch(index, *square, Way::Slid),
                    What::TakeBack(moves) => writer.take_back(&position, mode, index, moves),
                    What::Kings(_) if next.is_some() => Err("it belongs after the last ply".into()),
                    What::Kings(outcome) => writer.kings(index, *outcome),
                    _ => next.map_or_else(|| Err("no ply follows it".into()), |m| manner.note(&position, m, what)),
                };
                done.map_err(|why| ScriptError::Incident { ply: index + 1, what: what.to_string(), why })?;
            }
            let Some(m) = next else { break };
            let uci = UciMove::from_move(m, mode).to_string();
            if !position.is_legal(m) {
                let fen = shakmaty::fen::Fen::from_position(&position, shakmaty::EnPassantMode::Legal).to_string();
                return Err(ScriptError::Illegal { ply: index + 1, uci, fen });
            }
            writer.ply(position.turn(), m, &uci, index + 1, &manner);
            position.play_unchecked(m);
        }
        // Men that come in later (promotions) are there from the beginning, out of the picture.
        let mut cast = first;
        for late in &writer.cast.men[cast.men.len()..] {
            cast.men.push(Man { place: Place::Away, ..*late });
        }
        Ok(Self { cast, acts: writer.acts })
    }
}

impl Manner {
    /// Takes in what shapes the ply; the error says why it does not fit.
    fn note(&mut self, position: &Chess, m: Move, what: &What) -> Result<(), String> {
        let need = |fits: bool, what: &str| if fits { Ok(()) } else { Err(format!("the ply is no {what}")) };
        match *what {
            What::SlowCastling => self.slow = need(m.is_castle(), "castling").map(|()| true)?,
            What::RookFirst => self.rook_first = need(m.is_castle(), "castling").map(|()| true)?,
            What::LatePromotion => self.late = need(m.is_promotion(), "promotion").map(|()| true)?,
            What::Capture(order) => {
                need(m.is_capture() && !m.is_en_passant(), "capture on the square that is gone to")?;
                self.order = Some(order);
            }
            What::Slide => {
                let fits =
                    can_slide(m) && self.hover.is_none() && self.order.is_none_or(|o| o == CaptureOrder::ClearFirst);
                self.slide = need(fits, "move that can be slid (no knight, no castling, captures cleared first, not held over another square)")
                    .map(|()| true)?;
            }
            What::Hover(square, seconds) => {
                need(!m.is_castle() && !self.slide, "move of one man that is lifted")?;
                self.hover = Some((square, seconds));
            }
            What::Rest(seconds) => self.rest_s = Some(seconds),
            What::KnockOver(square) => {
                let mut after = position.clone();
                after.play_unchecked(m);
                let (before, after) = (position.board().piece_at(square), after.board().piece_at(square));
                if before.is_none() || before != after {
                    return Err(format!("on {square} no man stands through the whole ply"));
                }
                self.knocks.push(square);
            }
            _ => {}
        }
        Ok(())
    }
}

/// May the man be pushed along the board, and nothing be in its way?
pub(super) fn can_slide(m: Move) -> bool {
    !m.is_castle() && m.role() != Role::Knight && m.from().is_some()
}

/// The word for a move in `events.csv`.
pub(super) fn word(m: Move) -> &'static str {
    match m {
        Move::EnPassant { .. } => "en_passant",
        Move::Castle { .. } => match m.castling_side() {
            Some(CastlingSide::QueenSide) => "castle_q",
            _ => "castle_k",
        },
        _ => match m.promotion() {
            Some(Role::Queen) => "promotion_Q",
            Some(Role::Rook) => "promotion_R",
            Some(Role::Bishop) => "promotion_B",
            Some(Role::Knight) => "promotion_N",
            _ if m.is_capture() => "capture",
            _ => "move",
        },
    }
}

impl Writer<'_> {
    pub(super) fn enlist(&mut self, piece: Piece, place: Place) -> usize {
        let unlike = self.scene.men.unlike;
        let tone = 1.0 + self.dice.between(-unlike, unlike) as f32;
        self.cast.men.push(Man { piece, place, tone });
        self.cast.men.len() - 1
    }

    /// A way to stand on a square: somewhat off its centre, somewhat turned.
    pub(super) fn stand(&mut self, square: Square, piece: Piece) -> Stand {
        self.stand_within(square, piece, self.scene.men.off_centre)
    }

    pub(super) fn stand_within(&mut self, square: Square, piece: Piece, off_centre: f64) -> Stand {
        // Uniform in the disc.
        let off = off_centre * self.dice.unit().sqrt();
        let (sin, cos) = math::sin_cos(self.dice.between(0.0, std::f64::consts::TAU));
        let centre = crate::board::geometry::square_centre(square);
        let turn = self.dice.between(-1.0, 1.0) * self.scene.men.turn_deg.to_radians();
        let forward = if piece.color == Color::White { 0.5 } else { -0.5 } * std::f64::consts::PI;
        Stand {
            at: V3::new((centre.x + off * cos) as f32, (centre.y + off * sin) as f32, 0.0),
            turn_rad: (forward + turn) as f32,
            lean: Lean::Upright,
        }
    }

    /// A task that carries a man to a square.
    pub(super) fn carry(&mut self, man: usize, square: Square, way: Way) -> Task {
        let to = Place::On(square, self.stand(square, self.cast.men[man].piece));
        Task::Carry { man, to, way }
    }

    /// The first free place in the captor's row of captured men.
    pub(super) fn aside(&mut self, captor: Color) -> Place {
        let beside = |n: usize| {
            let (column, row) = ((n / 8) as f64, (n % 8) as f64);
            let (out, along) = (self.scene.board.border + 0.75 + 0.85 * column, 0.6 + 0.85 * row);
            let (x, y) = if captor == Color::White { (8.0 + out, along) } else { (-out, 8.0 - along) };
            V3::new(x as f32, y as f32, -self.scene.board.thickness as f32)
        };
        let taken = |place: V3| {
            self.cast.men.iter().any(|m| matches!(m.place, Place::Beside(stand) if (stand.at - place).norm() < 0.4))
        };
        // There are fewer men than places in four columns; a row that is full all the same is used twice.
        let place = (0..32).map(beside).find(|&place| !taken(place)).unwrap_or_else(|| beside(31));
        let off = V3::new(self.dice.between(-0.1, 0.1) as f32, self.dice.between(-0.1, 0.1) as f32, 0.0);
        let turn_rad = self.dice.between(0.0, std::f64::consts::TAU) as f32;
        Place::Beside(Stand { at: place + off, turn_rad, lean: Lean::Upright })
    }

    /// Carries a task out and keeps it.
    pub(super) fn does(&mut self, tasks: &mut Vec<Task>, task: Task) {
        self.cast.perform(task);
        tasks.push(task);
    }

    /// Takes a man off the board.
    pub(super) fn takes_off(&mut self, tasks: &mut Vec<Task>, man: usize, captor: Color) {
        let to = self.aside(captor);
        self.does(tasks, Task::Carry { man, to, way: Way::Lifted });
    }

    /// A man of this kind from beside the board; there is always another one at hand.
    pub(super) fn spare(&mut self, piece: Piece) -> usize {
        let beside = self.cast.men.iter().position(|o| o.piece == piece && matches!(o.place, Place::Beside(_)));
        beside.unwrap_or_else(|| self.enlist(piece, Place::Away))
    }

    /// Ends an act whose tasks have been carried out. Plain: a clean position, told of as the act.
    pub(super) fn act(&mut self, player: Color, label: Label, tasks: Vec<Task>, plies: usize) -> &mut Act {
        let pace = &self.scene.pace;
        let rest_s = self.dice.between(pace.rest_min_s, pace.rest_max_s);
        // Both hands in the picture are never of one player.
        let again = self.acts.last().is_some_and(|last| last.player == player);
        let least_s = if again { self.calm_s.max(0.0) } else { self.calm_s };
        self.calm_s = f64::NEG_INFINITY;
        self.acts.push(Act {
            player,
            after: label.clone(),
            label,
            tasks,
            placement: self.cast.placement(),
            plies,
            state: State::Clean,
            note: "",
            rest_s: rest_s.max(least_s),
            haste: self.dice.between(0.75, 1.3),
            hover: None,
            linger: None,
            still: true,
        });
        let last = self.acts.len() - 1;
        &mut self.acts[last]
    }

    /// For how long something stands that will be put right, in seconds.
    pub(super) fn stand_s(&mut self) -> f64 {
        self.dice.between(self.scene.pace.stand_min_s, self.scene.pace.stand_max_s)
    }

    /// For how long a move half made stands, in seconds.
    pub(super) fn half_s(&mut self) -> f64 {
        self.dice.between(self.scene.pace.half_min_s, self.scene.pace.half_max_s)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use shakmaty::Chess;

    use super::*;
    use crate::game::start::Start;

    /// Moves from UCI, for tests.
    pub(crate) fn moves(start: &Chess, line: &str) -> Vec<Move> {
        let mut position = start.clone();
        line.split_whitespace()
            .map(|word| {
                let m = word.parse::<UciMove>().unwrap().to_move(&position).unwrap();
                position.play_unchecked(m);
                m
            })
            .collect()
    }

    /// A line with both castlings, en passant, captures and two promotions.
    pub(crate) const EVERYTHING: &str = "e2e4 g8f6 e4e5 d7d5 e5d6 c7d6 g1f3 g7g6 f1e2 f8g7 e1g1 b8c6 h2h4 c8f5 h4h5 d8a5 \
        h5g6 e8c8 g6f7 h8g8 f7g8n d8g8 a2a4 f6g4 a1a3 h7h5 b2b4 a5b4 a4a5 b4a3 a5a6 a3c1 a6b7 c8b8 f3d4 h5h4 d4c6 b8c7 b7b8q";

    #[test]
    fn carrying_out_every_ply_gives_the_position_after_it() {
        for seed in 0..6 {
            let start = Chess::default();
            let line = moves(&start, EVERYTHING);
            let script = Script::new(&Scene::default(), &(Start::default(), line.clone()).into(), seed).unwrap();
            let words: Vec<_> = script.acts.iter().map(|a| a.label.word.clone()).collect();
            for expected in ["castle_k", "castle_q", "en_passant", "promotion_N", "promotion_Q", "capture", "move"] {
                assert!(words.iter().any(|w| w == expected), "{expected} is not in the line");
            }
            let mut cast = script.cast.clone();
            let mut position = start;
            assert_eq!(script.acts.len(), line.len());
            for (ply, m) in script.acts.iter().zip(&line) {
                for task in &ply.tasks {
                    cast.perform(*task);
                }
                position.play_unchecked(*m);
                assert!(cast.shows(position.board()), "after {}: {}", ply.label.uci, cast.placement());
                assert_eq!(&ply.placement, position.board());
            }
        }
    }

    #[test]
    fn an_illegal_move_is_named() {
        let start = Chess::default();
        let mut line = moves(&start, "e2e4 e7e5");
        line.push(line[0]);
        let error = Script::new(&Scene::default(), &(Start::default(), line).into(), 1).unwrap_err().to_string();
        assert!(error.contains("ply 3") && error.contains("e2e4"), "{error}");
    }

    #[test]
    fn men_stand_within_the_given_distance_of_their_centres() {
        let mut scene = Scene::default();
        scene.men.off_centre = 0.3;
        let script = Script::new(&scene, &Story::default(), 4).unwrap();
        let offs: Vec<f32> = script
            .cast
            .men
            .iter()
            .filter_map(|man| match man.place {
                Place::On(square, stand) => {
                    let c = crate::board::geometry::square_centre(square);
                    Some((stand.at.x - c.x as f32).hypot(stand.at.y - c.y as f32))
                }
                _ => None,
            })
            .collect();
        assert_eq!(offs.len(), 32);
        assert!(offs.iter().all(|d| *d <= 0.3001) && offs.iter().any(|d| *d > 0.2));
    }
}
