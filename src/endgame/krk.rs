//! King and rook against king: distance to mate for every position, by retrograde analysis.
//!
//! No file is read: the table is generated from the rules when it is first asked for, in a few milliseconds. Distances
//! count full moves of the side with the rook, as in M. Bain's table and in G. Breda, *KRK Chess Endgame Database
//! Knowledge Extraction and Compression* (2006), whose table 1.3 it reproduces.
//!
//! The board's eight symmetries put the strong king on one of ten squares (a1, b1, c1, d1, b2, c2, d2, c3, d3, d4).
//! The rule of fifty moves never matters: sixteen are enough.

use std::sync::LazyLock;

use shakmaty::{Bitboard, Board, Chess, Color, Move, Position as _, Square, attacks};

/// What best play leads to, for the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The side to move mates.
    Win,
    /// The rook is lost, or the weak side has no move and is not in check.
    Draw,
    /// The side to move is mated.
    Loss,
}

/// What the table says of a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// For the side to move.
    pub outcome: Outcome,
    /// Full moves until mate, those of the side with the rook: 1 when it mates at once, 0 when it has mated. 0 also
    /// in a draw.
    pub distance: u8,
    /// Every move that keeps the outcome and the distance; empty when the game is over.
    pub best: Vec<Move>,
}

/// Squares of the strong king in the table, one of each eight (or four) that mirror each other.
const KINGS: [Square; 10] = [
    Square::A1,
    Square::B1,
    Square::C1,
    Square::D1,
    Square::B2,
    Square::C2,
    Square::D2,
    Square::C3,
    Square::D3,
    Square::D4,
];
const ENTRIES: usize = KINGS.len() * 64 * 64;
/// No mate can be forced, or the position cannot be.
const NONE: u8 = u8::MAX;

/// Strong king, rook and weak king.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Men {
    king: Square,
    rook: Square,
    weak: Square,
}

impl Men {
    /// Mirrored so that the strong king is on one of [`KINGS`].
    fn canonical(self) -> Self {
        let mut men = self;
        if men.king.file() > shakmaty::File::D {
            men = men.map(Square::flip_horizontal);
        }
        if men.king.rank() > shakmaty::Rank::Fourth {
            men = men.map(Square::flip_vertical);
        }
        if men.king.rank().to_u32() > men.king.file().to_u32() {
            men = men.map(Square::flip_diagonal);
        }
        men
    }

    fn map(self, mirror: impl Fn(Square) -> Square) -> Self {
        Self { king: mirror(self.king), rook: mirror(self.rook), weak: mirror(self.weak) }
    }

    fn on_diagonal(self) -> bool {
        self.king.rank().to_u32() == self.king.file().to_u32()
    }

    /// Place in the table; the strong king must be on one of [`KINGS`].
    fn index(self) -> Option<usize> {
        let king = KINGS.iter().position(|&k| k == self.king)?;
        Some((king * 64 + self.rook.to_usize()) * 64 + self.weak.to_usize())
    }

    fn at(index: usize) -> Self {
        let square = |i: usize| Square::ALL[i % 64];
        Self { king: KINGS[index / 4096 % KINGS.len()], rook: square(index / 64), weak: square(index) }
    }

    fn possible(self) -> bool {
        self.king != self.rook && self.rook != self.weak && self.king != self.weak && !self.kings_touch()
    }

    fn kings_touch(self) -> bool {
        attacks::king_attacks(self.king).contains(self.weak)
    }

    fn check(self) -> bool {
        attacks::rook_attacks(self.rook, Bitboard::from_square(self.king)).contains(self.weak)
    }

    /// Where the weak king may go; the rook's square is among them when it is not protected.
    fn weak_moves(self) -> Bitboard {
        let strong = attacks::king_attacks(self.king);
        // The king does not hide behind itself from the rook.
        let swept = attacks::rook_attacks(self.rook, Bitboard::from_square(self.king));
        attacks::king_attacks(self.weak) & !strong & !swept & !Bitboard::from_square(self.king)
    }
}

/// Distances to mate.
struct Table {
    /// Strong side to move.
    strong: Vec<u8>,
    /// Weak side to move.
    weak: Vec<u8>,
}

static TABLE: LazyLock<Table> = LazyLock::new(Table::generate);

impl Table {
    /// From the mates backwards: a position of the strong side is won in n + 1 when a move leads to one that is lost
    /// in n; one of the weak side is lost when every move leads to a won one, in as many as the last of them.
    fn generate() -> Self {
        let mut table = Self { strong: vec![NONE; ENTRIES], weak: vec![NONE; ENTRIES] };
        // Moves of the weak king that are not known to lose yet; one that takes the rook never will be.
        let mut escapes = vec![0_u8; ENTRIES];
        let mut front = Vec::new();
        for (index, escape) in escapes.iter_mut().enumerate() {
            let men = Men::at(index);
            if !men.possible() {
                continue;
            }
            *escape = u8::try_from(men.weak_moves().count()).unwrap_or(u8::MAX);
            if *escape == 0 && men.check() {
                table.weak[index] = 0;
                front.push(men);
            }
        }
        for distance in 1.. {
            if front.is_empty() {
                break;
            }
            let mut next = Vec::new();
            for lost in front {
                for won in before_strong_move(lost) {
                    let Some(index) = won.index() else { continue };
                    if table.strong[index] != NONE || won.check() {
                        continue;
                    }
                    table.strong[index] = distance;
                    // From where did the weak king come?
                    for weak in attacks::king_attacks(won.weak) {
                        let before = Men { weak, ..won };
                        let Some(index) = before.index().filter(|_| before.possible()) else { continue };
                        if !before.weak_moves().contains(won.weak) {
                            continue;
                        }
                        escapes[index] -= 1;
                        if escapes[index] == 0 {
                            table.weak[index] = distance;
                            next.push(before);
                        }
                    }
                }
            }
            front = next;
        }
        table
    }

    fn distance(&self, men: Men, strong_to_move: bool) -> Option<u8> {
        let index = men.canonical().index()?;
        let distance = if strong_to_move { self.strong[index] } else { self.weak[index] };
        (distance != NONE).then_some(distance)
    }
}

/// The positions from which a move of the strong side leads to `men`, with the king on one of [`KINGS`]: both of two
/// that mirror each other when it comes to stand on the diagonal.
fn before_strong_move(men: Men) -> Vec<Men> {
    let mut before = Vec::with_capacity(24);
    for king in attacks::king_attacks(men.king) {
        let from = Men { king, ..men };
        if from.possible() {
            let from = from.canonical();
            before.push(from);
            if from.on_diagonal() {
                before.push(from.map(Square::flip_diagonal));
            }
        }
    }
    for rook in attacks::rook_attacks(men.rook, Bitboard::from_square(men.king).with(men.weak)) {
        let from = Men { rook, ..men };
        if from.possible() {
            before.push(from);
        }
    }
    before
}

/// King and rook against king, and whose they are.
fn men_of(board: &Board) -> Option<(Men, Color)> {
    if board.occupied().count() != 3 {
        return None;
    }
    let rook = board.rooks().single_square()?;
    let strong = board.color_at(rook)?;
    Some((Men { king: board.king_of(strong)?, rook, weak: board.king_of(!strong)? }, strong))
}

/// Outcome and distance of best play in a position with king and rook against king, of either colour and with either
/// side to move. `None` for other men, or while castling is possible.
#[must_use]
pub fn probe(position: &Chess) -> Option<Probe> {
    let (men, strong) = men_of(position.board())?;
    if position.castles().any() {
        return None;
    }
    let strong_to_move = position.turn() == strong;
    let distance = TABLE.distance(men, strong_to_move);
    // What a move leads to, with the other side to move; a king alone against a king is drawn.
    let after = |mv: Move| {
        let mut next = position.clone();
        next.play_unchecked(mv);
        men_of(next.board()).and_then(|(men, _)| TABLE.distance(men, !strong_to_move))
    };
    let wanted = distance.map(|d| if strong_to_move { d - 1 } else { d });
    let best = position.legal_moves().into_iter().filter(|&mv| after(mv) == wanted).collect();
    let outcome = match (distance, strong_to_move) {
        (None, _) => Outcome::Draw,
        (Some(_), true) => Outcome::Win,
        (Some(_), false) => Outcome::Loss,
    };
    Some(Probe { outcome, distance: distance.unwrap_or(0), best })
}

/// How many positions with the weak side to move are lost in 0, 1, … 16 full moves, and how many are drawn, each
/// counted once of those that mirror each other.
#[must_use]
pub fn distribution() -> ([usize; 17], usize) {
    let (mut lost, mut drawn) = ([0; 17], 0);
    for index in 0..ENTRIES {
        let men = Men::at(index);
        // Of two that mirror each other at the diagonal the one with the smaller index counts.
        let twin = men.on_diagonal().then(|| men.map(Square::flip_diagonal).index()).flatten();
        if !men.possible() || twin.is_some_and(|twin| twin < index) {
            continue;
        }
        match TABLE.weak[index] {
            NONE => drawn += 1,
            distance => lost[usize::from(distance).min(16)] += 1,
        }
    }
    (lost, drawn)
}

#[cfg(test)]
mod tests {
    use shakmaty::{CastlingMode, fen::Fen};

    use super::*;

    fn position(fen: &str) -> Chess {
        fen.parse::<Fen>().unwrap().into_position(CastlingMode::Standard).unwrap()
    }

    /// Breda 2006, table 1.3: 28,056 positions with Black to move.
    #[test]
    fn the_distribution_is_that_of_the_literature() {
        let (lost, drawn) = distribution();
        let table = [27, 78, 246, 81, 198, 471, 592, 683, 1433, 1712, 1985, 2854, 3597, 4194, 4553, 2166, 390];
        assert_eq!(lost, table);
        assert_eq!(drawn, 2796);
        assert_eq!(lost.iter().sum::<usize>() + drawn, 28_056);
    }

    #[test]
    fn known_positions() {
        let mate = probe(&position("R6k/8/6K1/8/8/8/8/8 b - - 0 1")).unwrap();
        assert_eq!((mate.outcome, mate.distance, mate.best.len()), (Outcome::Loss, 0, 0));
        let one = probe(&position("7k/8/6K1/8/8/8/8/R7 w - - 0 1")).unwrap();
        assert_eq!((one.outcome, one.distance), (Outcome::Win, 1));
        assert_eq!(one.best.iter().map(ToString::to_string).collect::<Vec<_>>(), ["Ra1-a8"]);
        let stalemate = probe(&position("k7/1R6/2K5/8/8/8/8/8 b - - 0 1")).unwrap();
        assert_eq!((stalemate.outcome, stalemate.distance), (Outcome::Draw, 0));
        let rook_lost = probe(&position("8/8/8/8/8/1k6/1R6/7K b - - 0 1")).unwrap();
        assert_eq!(rook_lost.outcome, Outcome::Draw);
        assert_eq!(rook_lost.best.len(), 1, "only taking the rook draws");
        assert_eq!(probe(&Chess::default()), None);
        assert_eq!(probe(&position("4k3/8/8/8/8/8/8/4K2R w K - 0 1")), None, "castling");
        assert!(probe(&position("4k3/8/8/8/8/8/8/4K2R w - - 0 1")).is_some());
    }

    /// Law: the table agrees with itself through the moves of an independent move generator, for both colours.
    #[test]
    fn every_distance_follows_from_those_after_one_move() {
        let mut seen = 0;
        // Every 61st position of all 262,144: a prime, so that no square is favoured.
        for code in (0..64 * 64 * 64).step_by(61) {
            let squares = [code / 4096, code / 64 % 64, code % 64].map(|i| Square::ALL[i]);
            for (strong, turn) in
                [(Color::White, Color::White), (Color::White, Color::Black), (Color::Black, Color::Black)]
            {
                let mut setup = shakmaty::Setup::empty();
                setup.board.set_piece_at(squares[1], strong.rook());
                setup.board.set_piece_at(squares[0], strong.king());
                setup.board.set_piece_at(squares[2], (!strong).king());
                setup.turn = turn;
                let Ok(position) = setup.position::<Chess>(CastlingMode::Standard) else { continue };
                let Some(here) = probe(&position) else { continue };
                seen += 1;
                let after: Vec<Option<Probe>> = position
                    .legal_moves()
                    .into_iter()
                    .map(|mv| {
                        let mut next = position.clone();
                        next.play_unchecked(mv);
                        probe(&next)
                    })
                    .collect();
                let lost = after.iter().flatten().filter(|p| p.outcome == Outcome::Loss).map(|p| p.distance).min();
                let won = after.iter().flatten().filter(|p| p.outcome == Outcome::Win).map(|p| p.distance).max();
                let all_won = after.iter().all(|p| p.as_ref().is_some_and(|p| p.outcome == Outcome::Win));
                match here.outcome {
                    Outcome::Win => assert_eq!(lost, Some(here.distance - 1), "{position:?}"),
                    Outcome::Loss if here.distance == 0 => assert!(position.is_checkmate()),
                    Outcome::Loss => assert!(all_won && won == Some(here.distance), "{position:?}"),
                    Outcome::Draw => assert!(lost.is_none() && (!all_won || after.is_empty()), "{position:?}"),
                }
                assert_eq!(here.best.is_empty(), position.legal_moves().is_empty(), "{position:?}");
            }
        }
        assert!(seen > 8000, "{seen}");
    }

    #[test]
    fn is_generated_quickly() {
        let begin = std::time::Instant::now();
        let table = Table::generate();
        let took = begin.elapsed();
        assert!(table.strong.contains(&16));
        println!("generated in {took:?}");
        // 50 ms is the promise; a loaded machine gets ten times that.
        assert!(took.as_millis() < 500, "{took:?}");
    }
}
