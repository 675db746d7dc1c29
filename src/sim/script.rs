//! From moves to what a hand does: which man is taken, where it is set down, and in which order.
//!
//! A [`Cast`] is every man with its place; a [`Task`] is one trip of the hand with one man. The same tasks serve the
//! still pictures (carried out at once) and the film (carried out along a path).

use shakmaty::{Board, CastlingSide, Color, Move, Piece, Position, Role, Square, uci::UciMove};

use super::{mesh::V3, scene::Scene, story::Story, texture::Dice};

/// Why a game cannot be simulated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScriptError {
    /// A move is against the rules.
    #[error("ply {ply}: {uci} is not legal in {fen}; give the moves of one game in order")]
    Illegal {
        /// Number of the ply, 1 for the first.
        ply: usize,
        /// The move.
        uci: String,
        /// The position in which it was to be played.
        fen: String,
    },
}

/// Where and how a man stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stand {
    /// Its foot's centre, in squares.
    pub at: V3,
    /// The direction that it faces, in radians from +x, anticlockwise.
    pub turn_rad: f32,
}

/// What a man is doing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Place {
    /// It stands on a square.
    On(Square, Stand),
    /// It stands beside the board.
    Beside(Stand),
    /// A hand holds it.
    Held,
    /// It is not in the picture.
    Away,
}

/// A man of the set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Man {
    /// Colour and kind.
    pub piece: Piece,
    /// Where it is.
    pub place: Place,
    /// Its brightness against its colour's mean.
    pub tone: f32,
}

/// One trip of the hand with a man.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Task {
    /// Take a man from where it stands, or bring it from outside of the picture, and set it down.
    Carry {
        /// Number of the man.
        man: usize,
        /// Where it will stand.
        to: Place,
    },
    /// Take a man, lift the victim from its goal with the same hand, set the man down, and the victim aside.
    Swap {
        /// Number of the man.
        man: usize,
        /// Where it will stand.
        to: Place,
        /// Number of the man on the goal.
        victim: usize,
        /// Where that one will stand.
        aside: Place,
    },
}

/// What the hand does for one ply.
#[derive(Debug, Clone, PartialEq)]
pub struct PlyScript {
    /// Who moves.
    pub mover: Color,
    /// The move as UCI; castling as the king's move in standard chess.
    pub uci: String,
    /// The word for `events.csv`.
    pub word: &'static str,
    /// The trips, in order.
    pub tasks: Vec<Task>,
    /// What stands on the board afterwards.
    pub placement: Board,
    /// Time without a hand before it, in seconds.
    pub rest_s: f64,
    /// Speed of the hand against the scene's.
    pub haste: f64,
}

/// Every man of a set.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Cast {
    /// The men; a man keeps its number.
    pub men: Vec<Man>,
}

impl Cast {
    /// What stands on the squares. Two men on a square: the later one.
    #[must_use]
    pub fn placement(&self) -> Board {
        let mut board = Board::empty();
        for man in &self.men {
            if let Place::On(square, _) = man.place {
                board.set_piece_at(square, man.piece);
            }
        }
        board
    }

    /// Carries out a task at once.
    pub fn perform(&mut self, task: Task) {
        match task {
            Task::Carry { man, to } => self.men[man].place = to,
            Task::Swap { man, to, victim, aside } => {
                self.men[man].place = to;
                self.men[victim].place = aside;
            }
        }
    }

    fn on(&self, square: Square) -> Option<usize> {
        self.men.iter().position(|m| matches!(m.place, Place::On(s, _) if s == square))
    }
}

/// A whole game as tasks.
#[derive(Debug, Clone, PartialEq)]
pub struct Script {
    /// The men before the first ply.
    pub cast: Cast,
    /// The plies.
    pub plies: Vec<PlyScript>,
}

/// Writes scripts: knows how precisely these players set down.
struct Writer<'a> {
    scene: &'a Scene,
    dice: Dice,
    cast: Cast,
    aside: [usize; 2],
}

impl Script {
    /// The script of a game.
    ///
    /// # Errors
    /// When a move is not legal.
    pub fn new(scene: &Scene, story: &Story, seed: u64) -> Result<Self, ScriptError> {
        let (start, mode) = (story.start.position(), story.start.castling_mode());
        let mut writer = Writer { scene, dice: Dice::new(seed, 0x5c), cast: Cast::default(), aside: [0, 0] };
        for (square, piece) in start.board() {
            let stand = writer.stand(square, piece);
            writer.enlist(piece, Place::On(square, stand));
        }
        let first = writer.cast.clone();
        let mut position = start.clone();
        let mut plies = vec![];
        for (index, m) in story.moves.iter().enumerate() {
            let uci = UciMove::from_move(*m, mode).to_string();
            if !position.is_legal(*m) {
                let fen = shakmaty::fen::Fen::from_position(&position, shakmaty::EnPassantMode::Legal).to_string();
                return Err(ScriptError::Illegal { ply: index + 1, uci, fen });
            }
            let mover = position.turn();
            let tasks = writer.tasks(mover, *m);
            for task in &tasks {
                writer.cast.perform(*task);
            }
            position.play_unchecked(*m);
            let pace = &scene.pace;
            plies.push(PlyScript {
                mover,
                uci,
                word: word(*m),
                tasks,
                placement: position.board().clone(),
                rest_s: writer.dice.between(pace.rest_min_s, pace.rest_max_s),
                haste: writer.dice.between(0.75, 1.3),
            });
        }
        // Men that come in later (promotions) are there from the beginning, out of the picture.
        let mut cast = first;
        for late in &writer.cast.men[cast.men.len()..] {
            cast.men.push(Man { place: Place::Away, ..*late });
        }
        Ok(Self { cast, plies })
    }
}

/// The word for a move in `events.csv`.
fn word(m: Move) -> &'static str {
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
    fn enlist(&mut self, piece: Piece, place: Place) -> usize {
        let unlike = self.scene.men.unlike;
        let tone = 1.0 + self.dice.between(-unlike, unlike) as f32;
        self.cast.men.push(Man { piece, place, tone });
        self.cast.men.len() - 1
    }

    /// A way to stand on a square: somewhat off its centre, somewhat turned.
    fn stand(&mut self, square: Square, piece: Piece) -> Stand {
        // Uniform in the disc.
        let off = self.scene.men.off_centre * self.dice.unit().sqrt();
        let (sin, cos) = super::math::sin_cos(self.dice.between(0.0, std::f64::consts::TAU));
        let centre = crate::board::geometry::square_centre(square);
        let turn = self.dice.between(-1.0, 1.0) * self.scene.men.turn_deg.to_radians();
        let forward = if piece.color == Color::White { 0.5 } else { -0.5 } * std::f64::consts::PI;
        Stand {
            at: V3::new((centre.x + off * cos) as f32, (centre.y + off * sin) as f32, 0.0),
            turn_rad: (forward + turn) as f32,
        }
    }

    fn set_down(&mut self, square: Square, piece: Piece) -> Place {
        Place::On(square, self.stand(square, piece))
    }

    /// The next place in the captor's row of captured men.
    fn set_aside(&mut self, captor: Color) -> Place {
        let n = self.aside[captor as usize];
        self.aside[captor as usize] += 1;
        let (column, row) = ((n / 8) as f64, (n % 8) as f64);
        let out = self.scene.board.border + 0.75 + 0.85 * column + self.dice.between(-0.1, 0.1);
        let along = 0.6 + 0.85 * row + self.dice.between(-0.1, 0.1);
        let (x, y) = if captor == Color::White { (8.0 + out, along) } else { (-out, 8.0 - along) };
        let turn_rad = self.dice.between(0.0, std::f64::consts::TAU) as f32;
        Place::Beside(Stand { at: V3::new(x as f32, y as f32, -self.scene.board.thickness as f32), turn_rad })
    }

    fn tasks(&mut self, mover: Color, m: Move) -> Vec<Task> {
        let carry = |writer: &mut Self, from: Square, to: Square| {
            let man = writer.cast.on(from)?;
            let to = writer.set_down(to, writer.cast.men[man].piece);
            Some(Task::Carry { man, to })
        };
        match m {
            Move::Normal { from, to, promotion, .. } => {
                let mut tasks = vec![];
                if let (Some(victim), Some(man)) = (self.cast.on(to), self.cast.on(from)) {
                    let aside = self.set_aside(mover);
                    let goal = self.set_down(to, self.cast.men[man].piece);
                    if self.dice.unit() < self.scene.pace.swap_captures {
                        tasks.push(Task::Swap { man, to: goal, victim, aside });
                    } else {
                        tasks.push(Task::Carry { man: victim, to: aside });
                        tasks.push(Task::Carry { man, to: goal });
                    }
                } else {
                    tasks.extend(carry(self, from, to));
                }
                if let (Some(role), Some(pawn)) = (promotion, self.cast.on(from)) {
                    let aside = self.set_aside(mover);
                    tasks.push(Task::Carry { man: pawn, to: aside });
                    let piece = Piece { color: mover, role };
                    // A captured man of this kind comes back; otherwise the player has one at hand.
                    let back =
                        self.cast.men.iter().position(|o| o.piece == piece && matches!(o.place, Place::Beside(_)));
                    let man = back.unwrap_or_else(|| self.enlist(piece, Place::Away));
                    let goal = self.set_down(to, piece);
                    tasks.push(Task::Carry { man, to: goal });
                }
                tasks
            }
            Move::EnPassant { from, to } => {
                let victim = self.cast.on(Square::from_coords(to.file(), from.rank()));
                let aside = self.set_aside(mover);
                let removal = victim.map(|man| Task::Carry { man, to: aside });
                let advance = carry(self, from, to);
                if self.dice.unit() < 0.5 {
                    removal.into_iter().chain(advance).collect()
                } else {
                    advance.into_iter().chain(removal).collect()
                }
            }
            Move::Castle { king, rook } => {
                let side = if rook > king { CastlingSide::KingSide } else { CastlingSide::QueenSide };
                let tasks = [carry(self, king, side.king_to(mover)), carry(self, rook, side.rook_to(mover))];
                tasks.into_iter().flatten().collect()
            }
            Move::Put { .. } => vec![],
        }
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
            let words: Vec<_> = script.plies.iter().map(|p| p.word).collect();
            for expected in ["castle_k", "castle_q", "en_passant", "promotion_N", "promotion_Q", "capture", "move"] {
                assert!(words.contains(&expected), "{expected} is not in the line");
            }
            let mut cast = script.cast.clone();
            let mut position = start;
            for (ply, m) in script.plies.iter().zip(&line) {
                for task in &ply.tasks {
                    cast.perform(*task);
                }
                position.play_unchecked(*m);
                assert_eq!(&cast.placement(), position.board(), "after {}", ply.uci);
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
