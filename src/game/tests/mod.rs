//! A board without a camera: synthetic evidence drives games through [`Game::observe`].

mod announced;
mod disturbed;
mod games;
mod illegal;
mod misread;
mod properties;
mod record;
mod remarks;

use shakmaty::{Bitboard, Board, Color, Position as _, Square, fen::Fen};

use super::{Game, Look, Tags, Understanding, evidence::Evidence, start::Start};
use crate::event::Event;

/// A small deterministic generator (splitmix64).
pub(super) struct Dice(pub u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
    /// 0 to n − 1.
    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
    /// 0 to 1.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
    /// Roughly normal, mean 0, deviation 1.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }
}

/// Independent squares with a known truth.
pub(super) struct Synthetic {
    reference: Board,
    log: [[f64; 3]; 64],
    /// Kinds of men: what each square's man is, and how many nats the picture says so.
    kinds: Option<(Board, f64)>,
    covered: Bitboard,
    /// Squares that say nothing of their men's kinds either.
    blind: Bitboard,
    /// Men who look otherwise than before.
    altered: Bitboard,
    /// A hand elsewhere in the picture, in squares.
    hand: f64,
}

fn class(men: &Board, s: Square) -> usize {
    men.color_at(s).map_or(0, |c| if c == Color::White { 1 } else { 2 })
}

impl Synthetic {
    /// Every square tells its content by `nats`, give or take `noise` nats.
    pub(super) fn new(truth: &Board, reference: &Board, nats: f64, noise: f64, dice: &mut Dice) -> Self {
        let mut log = [[0.0; 3]; 64];
        for s in Square::ALL {
            let row = &mut log[s.to_usize()];
            for (c, value) in row.iter_mut().enumerate() {
                *value = if c == class(truth, s) { 0.0 } else { -nats } + noise * dice.normal();
            }
        }
        Self {
            reference: reference.clone(),
            log,
            kinds: None,
            covered: Bitboard::EMPTY,
            blind: Bitboard::EMPTY,
            altered: Bitboard::EMPTY,
            hand: 0.0,
        }
    }
    pub(super) fn clear(truth: &Board, game: &Game) -> Self {
        Self::new(truth, game.standing(), 20.0, 1.0, &mut Dice(7))
    }
    pub(super) fn with_kinds(mut self, truth: &Board, nats: f64) -> Self {
        self.kinds = Some((truth.clone(), nats));
        self
    }
    /// A hand over these squares: they say nothing, and are unexplained.
    pub(super) fn cover(mut self, squares: Bitboard) -> Self {
        for s in squares {
            self.log[s.to_usize()] = [0.0; 3];
        }
        self.covered = squares;
        self
    }
    /// Out of sight: these squares say nothing, and nothing strange is to be seen.
    pub(super) fn blind(mut self, squares: Bitboard) -> Self {
        for s in squares {
            self.log[s.to_usize()] = [0.0; 3];
        }
        self.blind = squares;
        self
    }
    /// A man in front of it: the square cannot tell whether it is empty or has a man of this colour.
    pub(super) fn hidden(mut self, s: Square, colour: Color) -> Self {
        let row = &mut self.log[s.to_usize()];
        (row[0], row[if colour == Color::White { 1 } else { 2 }]) = (0.0, 0.0);
        self
    }
    /// The square tells what it tells, by this share of the nats.
    pub(super) fn hardly(mut self, s: Square, share: f64) -> Self {
        self.log[s.to_usize()].iter_mut().for_each(|nats| *nats *= share);
        self
    }
    /// The square says by so many nats that a man of this colour stands there, or none, whatever does.
    pub(super) fn seems(mut self, s: Square, colour: impl Into<Option<Color>>, nats: f64) -> Self {
        self.log[s.to_usize()] = [-nats; 3];
        self.log[s.to_usize()][colour.into().map_or(0, |c| if c == Color::White { 1 } else { 2 })] = 0.0;
        self
    }
    /// The men on these squares look otherwise than before.
    pub(super) fn altered(mut self, squares: Bitboard) -> Self {
        self.altered = squares;
        self
    }
    /// A hand beside what changes: it hides nothing, and is seen.
    pub(super) fn with_hand(mut self) -> Self {
        // In the recordings hands have 3 to 9.
        self.hand = 4.0;
        self
    }
}

impl Evidence for Synthetic {
    fn log_likelihood(&self, men: &Board) -> f64 {
        let colours: f64 = Square::ALL.into_iter().map(|s| self.log[s.to_usize()][class(men, s)]).sum();
        let kinds = self.kinds.as_ref().map_or(0.0, |(truth, nats)| {
            let wrong = |s: &Square| {
                !self.blind.contains(*s)
                    && truth.color_at(*s) == men.color_at(*s)
                    && truth.role_at(*s) != men.role_at(*s)
            };
            -nats * Square::ALL.iter().filter(|s| wrong(s)).count() as f64
        });
        colours + kinds
    }
    fn reference(&self) -> &Board {
        &self.reference
    }
    fn square(&self, s: Square) -> [f64; 3] {
        self.log[s.to_usize()]
    }
    fn unexplained(&self, men: &Board) -> Bitboard {
        let odd = Square::ALL.into_iter().filter(|&s| {
            let row = self.log[s.to_usize()];
            row.iter().copied().fold(f64::MIN, f64::max) - row[class(men, s)] > 6.0
        });
        odd.collect::<Bitboard>() | self.covered
    }
    fn altered(&self) -> Bitboard {
        self.altered
    }
    fn clutter(&self, men: &Board) -> f64 {
        self.unexplained(men).count() as f64 + self.hand
    }
}

/// A hand over these squares, which is known to be one.
pub(super) struct UnderHand<'a>(pub &'a Synthetic, pub Bitboard);

impl Evidence for UnderHand<'_> {
    fn log_likelihood(&self, men: &Board) -> f64 {
        self.0.log_likelihood(men)
    }
    fn reference(&self) -> &Board {
        self.0.reference()
    }
    fn square(&self, square: Square) -> [f64; 3] {
        self.0.square(square)
    }
    fn unexplained(&self, men: &Board) -> Bitboard {
        self.0.unexplained(men)
    }
    fn clutter(&self, men: &Board) -> f64 {
        self.0.clutter(men)
    }
    fn hidden(&self) -> Bitboard {
        self.1
    }
}

pub(super) const AT_REST: Look =
    Look { settled: true, patient: false, forced: false, passing: false, min_confidence: 0.95 };
pub(super) const PATIENT: Look =
    Look { settled: true, patient: true, forced: false, passing: false, min_confidence: 0.95 };

pub(super) fn board(fen: &str) -> Board {
    Fen::from_ascii(fen.as_bytes()).unwrap().into_setup().board
}

pub(super) fn game(fen: &str) -> Game {
    Game::new(Start::from_fen(fen).unwrap(), Tags::default())
}

/// Shows a placement clearly.
pub(super) fn show(game: &mut Game, men: &Board, look: Look) -> Understanding {
    let evidence = Synthetic::clear(men, game);
    game.observe(&evidence, look)
}

/// Shows the placement of a FEN's first field.
pub(super) fn see(game: &mut Game, placement: &str, look: Look) -> Vec<Event> {
    show(game, &board(placement), look).events
}

pub(super) fn ucis(game: &Game) -> Vec<String> {
    game.plies().iter().map(|p| p.uci.to_string()).collect()
}

pub(super) fn sans(game: &Game) -> Vec<String> {
    game.plies().iter().map(|p| p.san.to_string()).collect()
}

/// The events' names, as they are serialised.
pub(super) fn words(events: &[Event]) -> Vec<String> {
    events.iter().map(|e| serde_json::to_value(e).unwrap()["event"].as_str().unwrap().to_owned()).collect()
}

/// The game that the events tell: moves, less what was taken back, as revised.
pub(super) fn told(events: &[Event]) -> Vec<String> {
    let mut line: Vec<String> = Vec::new();
    for event in events {
        match event {
            Event::Move { ply, uci, .. } => {
                assert_eq!(*ply, line.len() + 1, "{event:?}");
                line.push(uci.to_string());
            }
            Event::Revised { ply, was, uci, .. } => {
                assert_eq!(line[ply - 1], was.to_string());
                line[ply - 1] = uci.to_string();
            }
            Event::TakeBack { ply, .. } => {
                assert_eq!(*ply, line.len());
                line.pop();
            }
            Event::NewGame { .. } => line.clear(),
            _ => {}
        }
    }
    line
}

/// Plays random legal moves until the end or `plies`; captures, castling and promotions are favoured.
pub(super) fn random_line(dice: &mut Dice, plies: usize) -> Vec<shakmaty::Move> {
    let mut position = shakmaty::Chess::default();
    let mut moves = Vec::new();
    while moves.len() < plies && !position.is_game_over() {
        let legal = position.legal_moves();
        let mut mv = legal[dice.below(legal.len())];
        if let Some(special) = legal.iter().find(|m| m.is_castle() || m.is_promotion() || m.is_en_passant())
            && dice.unit() < 0.6
        {
            mv = *special;
        }
        position.play_unchecked(mv);
        moves.push(mv);
    }
    moves
}
