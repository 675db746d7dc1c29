//! Squares that tell what they hold, and are wrong as often as they say.

use chess_observer::{game::evidence::Evidence, sim::dice::Dice};
use shakmaty::{Bitboard, Board, Color, Piece, Role, Square};

/// Where nothing is told wrongly, a square is as sure as a clear picture makes it: some thirty nats.
const SUREST: f64 = 1e-12;

/// How far squares can be trusted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Doubt {
    /// Share of the squares that tell something wrong.
    pub flips: f64,
    /// Share of the squares that tell nothing.
    pub hidden: f64,
    /// Does a square tell the kind of its man? Else only its colour.
    pub kinds: bool,
}

impl Doubt {
    /// Squares that are never wrong.
    pub const NONE: Self = Self { flips: 0.0, hidden: 0.0, kinds: true };

    /// What a square can tell besides the truth, each as likely as the others.
    const fn others(self) -> usize {
        if self.kinds { 12 } else { 2 }
    }

    /// Log-likelihood of a square that tells something else than what stands there, against one that tells that.
    fn differs(self) -> f64 {
        let flips = self.flips.max(SUREST);
        (flips / self.others() as f64 / (1.0 - flips)).ln()
    }
}

/// One look. What each square tells is drawn anew, independently of the others and of the looks before.
#[derive(Debug)]
pub(super) struct Told<'a> {
    reference: &'a Board,
    doubt: Doubt,
    /// What the squares tell; where only colours are told, every man is a pawn.
    told: Board,
    hidden: Bitboard,
    differs: f64,
}

impl<'a> Told<'a> {
    /// A look at these men.
    pub fn new(men: &Board, reference: &'a Board, doubt: Doubt, dice: &mut Dice) -> Self {
        let (mut told, mut hidden) = (Board::empty(), Bitboard::EMPTY);
        for square in Square::ALL {
            // As many throws for every square, whatever they decide: settings differ in nothing else.
            let (flips, to, hides) = (dice.unit() < doubt.flips, dice.unit(), dice.unit() < doubt.hidden);
            let truth = class(men.piece_at(square), doubt.kinds);
            let other = (to * doubt.others() as f64) as usize;
            let shown = if flips { (truth + 1 + other) % (doubt.others() + 1) } else { truth };
            if let Some(piece) = content(shown, doubt.kinds) {
                told.set_piece_at(square, piece);
            }
            if hides {
                hidden.add(square);
            }
        }
        Self { reference, doubt, told, hidden, differs: doubt.differs() }
    }

    /// The squares that tell something else than these men.
    fn against(&self, men: &Board) -> Bitboard {
        let colours = (men.white() ^ self.told.white()) | (men.black() ^ self.told.black());
        let kinds = if self.doubt.kinds {
            let other = |role: Role| men.by_role(role) ^ self.told.by_role(role);
            Role::ALL.into_iter().fold(Bitboard::EMPTY, |sum, role| sum | other(role))
        } else {
            Bitboard::EMPTY
        };
        (colours | kinds) & !self.hidden
    }
}

/// What a square holds as a number: 0 for nothing.
fn class(piece: Option<Piece>, kinds: bool) -> usize {
    piece.map_or(0, |p| {
        let black = usize::from(p.color == Color::Black);
        if kinds { 1 + 6 * black + (p.role as usize - 1) } else { 1 + black }
    })
}

/// The opposite of [`class`].
fn content(class: usize, kinds: bool) -> Option<Piece> {
    let index = class.checked_sub(1)?;
    let (black, role) = if kinds { (index >= 6, Role::ALL[index % 6]) } else { (index == 1, Role::Pawn) };
    Some(Piece { color: if black { Color::Black } else { Color::White }, role })
}

impl Evidence for Told<'_> {
    fn log_likelihood(&self, men: &Board) -> f64 {
        self.differs * self.against(men).count() as f64
    }

    fn reference(&self) -> &Board {
        self.reference
    }

    /// Of the men of a colour the likeliest counts.
    fn square(&self, square: Square) -> [f64; 3] {
        let of = |colour: Option<Color>| {
            if self.hidden.contains(square) || self.told.color_at(square) == colour { 0.0 } else { self.differs }
        };
        [of(None), of(Some(Color::White)), of(Some(Color::Black))]
    }

    fn unexplained(&self, men: &Board) -> Bitboard {
        self.against(men)
    }

    /// What hides squares are other men, or the picture's edge: no hand touches anything.
    fn hidden(&self) -> Bitboard {
        Bitboard::EMPTY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Law: of all the squares that tell something wrong with these odds, so many are wrong.
    #[test]
    fn squares_are_wrong_as_often_as_they_say() {
        let men = Board::default();
        for kinds in [true, false] {
            let doubt = Doubt { flips: 0.03, hidden: 0.2, kinds };
            let mut dice = Dice::new(1, 2);
            let (mut wrong, mut seen) = (0, 0);
            for _ in 0..400 {
                let told = Told::new(&men, &men, doubt, &mut dice);
                wrong += told.against(&men).count();
                seen += 64 - told.hidden.count();
            }
            let share = wrong as f64 / seen as f64;
            assert!((share - 0.03).abs() < 0.004, "{share}");
            assert!((seen as f64 / (64.0 * 400.0) - 0.8).abs() < 0.01);
            let odds = (-doubt.differs()).exp();
            assert!((odds - 0.97 / 0.03 * doubt.others() as f64).abs() < 1e-9);
        }
    }

    #[test]
    fn contents_and_numbers_are_one_to_one() {
        for kinds in [true, false] {
            let all = Doubt { kinds, ..Doubt::NONE }.others() + 1;
            assert!((0..all).all(|n| class(content(n, kinds), kinds) == n));
        }
    }
}
