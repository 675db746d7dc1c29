//! Every square of every clean picture: what sight said of it against what stands there.

use chess_observer::{
    observer::{Observer, TrackerState},
    sight::squares::Squares,
};
use shakmaty::{Board, Color, Square};

use super::{
    calibration::{Bin, Counter},
    interval::Rate,
    truth::Row,
};

use serde::{Deserialize, Serialize};

/// What stands on each square: 0 nothing, 1 a white man, 2 a black man.
pub type Contents = [usize; 64];

/// No probability of what turns out true counts as less than this: f32 tells it from 0 no more when it is taken from 1,
/// and one square that was held impossible must not outweigh a thousand others.
const LEAST: f64 = f32::EPSILON as f64;
/// A square that the picture tells less of than this is a doubtful one.
const RELIABLE: f32 = 0.5;
/// A square of which a hand hides less than this share is beside it: the edge of a finger covers nothing.
const BESIDE: f32 = 0.02;
/// A square of which it hides this share or more is under it.
const UNDER: f32 = 0.5;
/// What "as good as sure" is: of the squares told so, so many must be right.
pub const SURE: f64 = 0.99;

/// The contents of a board's squares.
#[must_use]
pub fn contents(men: &Board) -> Contents {
    std::array::from_fn(|i| match men.color_at(Square::new(i as u32)) {
        None => 0,
        Some(Color::White) => 1,
        Some(Color::Black) => 2,
    })
}

/// Sums over pictures.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Count {
    /// Pictures of which every square was compared.
    pub pictures: usize,
    /// Men that were not seen.
    pub missed: usize,
    /// Men that were seen where nothing stands.
    pub imagined: usize,
    /// Men whose colour was taken for the other one.
    pub wrong_colour: usize,
    /// Squares of which the picture tells little, as sight has it.
    pub doubtful: usize,
    /// Squares said to be covered, though the picture is clean.
    pub covered: usize,
    /// Sum of -ln of the probability that was given to what stands there.
    loss_nats: f64,
    /// Every class of every square: what was told, and was it so?
    each: Counter,
    /// The likeliest class of every square.
    likeliest: Counter,
    /// Change since the last picture that was understood.
    changed: Counter,
}

impl Count {
    /// Compares a look with what stands there, and with what stood there in the last picture that was understood, where
    /// that is known.
    pub fn add(&mut self, told: &Squares, now: &Contents, before: Option<&Contents>) {
        self.pictures += 1;
        self.covered += told.covered.count();
        for square in Square::ALL {
            let i = usize::from(square);
            let (truth, likeliest) = (now[i], told.likeliest(square));
            match (truth, likeliest) {
                (a, b) if a == b => {}
                (0, _) => self.imagined += 1,
                (_, 0) => self.missed += 1,
                _ => self.wrong_colour += 1,
            }
            self.doubtful += usize::from(told.reliability[i] < RELIABLE);
            let probability = told.probability[i].map(f64::from);
            self.loss_nats -= probability[truth].clamp(LEAST, 1.0).ln();
            probability.iter().enumerate().for_each(|(class, p)| self.each.add(*p, class == truth));
            self.likeliest.add(probability[likeliest], likeliest == truth);
            if let Some(before) = before {
                self.changed.add(f64::from(told.changed[i]), before[i] != truth);
            }
        }
    }

    /// Takes in what another one has counted.
    pub fn merge(&mut self, other: &Self) {
        self.pictures += other.pictures;
        self.missed += other.missed;
        self.imagined += other.imagined;
        self.wrong_colour += other.wrong_colour;
        self.doubtful += other.doubtful;
        self.covered += other.covered;
        self.loss_nats += other.loss_nats;
        self.each.merge(&other.each);
        self.likeliest.merge(&other.likeliest);
        self.changed.merge(&other.changed);
    }

    /// Squares whose likeliest content is the true one, of all.
    #[must_use]
    pub fn right(&self) -> Rate {
        let of = self.squares();
        Rate::new(of - (self.missed + self.imagined + self.wrong_colour), of)
    }

    /// Squares that were compared.
    #[must_use]
    pub const fn squares(&self) -> usize {
        64 * self.pictures
    }

    /// The mean of -ln of the probability that was given to what stands there, in nats a square: 0 is perfect, 1.1 is
    /// knowing nothing.
    #[must_use]
    pub fn log_loss_nats(&self) -> f64 {
        self.loss_nats / self.squares().max(1) as f64
    }

    /// How far the probabilities hold.
    #[must_use]
    pub fn calibration(&self) -> Calibration {
        Calibration {
            contents: self.each.bins(),
            error_percent: self.likeliest.error_percent(),
            sure: self.likeliest.at_least(SURE),
            changed: self.changed.bins(),
            changed_error_percent: self.changed.error_percent(),
        }
    }
}

/// How far the probabilities of squares hold.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Calibration {
    /// Empty, white man, black man of every square: told against happened.
    pub contents: Vec<Bin>,
    /// The expected calibration error of what is likeliest on each square, in percentage points.
    pub error_percent: f64,
    /// Of the squares whose likeliest content was told with [`SURE`] or more: those where it stands.
    pub sure: Rate,
    /// That the square holds something else than in the last picture that was understood: told against happened.
    pub changed: Vec<Bin>,
    /// The expected calibration error of that, in percentage points.
    pub changed_error_percent: f64,
}

/// Sums over pictures with a hand, of squares of which it hides nothing, and of those under it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BesideHand {
    /// Pictures.
    pub pictures: usize,
    /// Squares beside the hand.
    pub beside: usize,
    /// Of these, those whose likeliest content is the true one.
    pub beside_right: usize,
    /// Of the same, those that are said to be covered.
    pub beside_covered: usize,
    /// Squares under the hand.
    pub under: usize,
    /// Of these, those that are said to be covered.
    pub under_covered: usize,
    /// Of the same, those of which something false was told with [`SURE`] or more.
    pub under_surely_wrong: usize,
}

impl BesideHand {
    /// Compares a look with what stands there; `hidden` is the share of each square that the hand hides.
    pub fn add(&mut self, told: &Squares, now: &Contents, hidden: &[f32; 64]) {
        self.pictures += 1;
        for square in Square::ALL {
            let i = usize::from(square);
            let likeliest = told.likeliest(square);
            let (right, covered) = (likeliest == now[i], usize::from(told.covered.contains(square)));
            if hidden[i] < BESIDE {
                self.beside += 1;
                self.beside_right += usize::from(right);
                self.beside_covered += covered;
            } else if hidden[i] >= UNDER {
                self.under += 1;
                self.under_covered += covered;
                let sure = f64::from(told.probability[i][likeliest]) >= SURE;
                self.under_surely_wrong += usize::from(sure && !right);
            }
        }
    }

    /// Takes in what another one has counted.
    pub const fn merge(&mut self, other: &Self) {
        self.pictures += other.pictures;
        self.beside += other.beside;
        self.beside_right += other.beside_right;
        self.beside_covered += other.beside_covered;
        self.under += other.under;
        self.under_covered += other.under_covered;
        self.under_surely_wrong += other.under_surely_wrong;
    }
}

/// The squares of one recording or simulated game.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Tally {
    /// While the record before the picture was what the pictures had shown.
    pub in_step: Count,
    /// While it was behind or wrong: sight then compares with men that do not stand there.
    pub out_of_step: Count,
    /// Pictures with a hand of which is known what it hides.
    pub hand: BesideHand,
    /// Clean pictures that brought no look: no board, or not settled.
    pub unread: usize,
}

impl Tally {
    /// Takes in what another one has counted.
    pub fn merge(&mut self, other: &Self) {
        self.in_step.merge(&other.in_step);
        self.out_of_step.merge(&other.out_of_step);
        self.hand.merge(&other.hand);
        self.unread += other.unread;
    }

    /// Both together.
    #[must_use]
    pub fn all(&self) -> Count {
        let mut all = self.in_step.clone();
        all.merge(&self.out_of_step);
        all
    }
}

/// Looks over the observer's shoulder, picture by picture, and counts.
///
/// Counted is every clean picture in which the observer looked at the board. The picture from which it learns what
/// board and men look like is left out: nothing was known before it, and nothing is told of it that could be wrong.
#[derive(Debug, Default)]
pub struct Judge {
    tally: Tally,
    /// What the last look said.
    last: Option<Squares>,
    /// What stood on the board in the last picture that was understood, where that is known.
    understood: Option<Contents>,
    /// The record has not been what the pictures showed.
    out_of_step: bool,
}

impl Judge {
    /// Called after each picture with its row of the truth, and, where they are known, with what stands on the board and
    /// with the share of each square that a hand hides.
    pub fn see(&mut self, observer: &Observer, row: &Row, men: Option<&Board>, hidden: Option<&[f32; 64]>) {
        let clean = men.filter(|_| row.state == "clean");
        let told = observer.squares();
        // A look that finds no board to read leaves what the last one said.
        let Some(told) = told.filter(|told| self.last.as_ref() != Some(told)) else {
            self.tally.unread += usize::from(clean.is_some());
            return;
        };
        let first = self.last.replace(told.clone()).is_none();
        let now = men.map(contents);
        if let (Some(_), Some(now), false) = (clean, &now, first) {
            let count = if self.out_of_step { &mut self.tally.out_of_step } else { &mut self.tally.in_step };
            count.add(told, now, self.understood.as_ref());
        }
        if let (Some(hidden), Some(now), false) = (hidden, &now, first) {
            self.tally.hand.add(told, now, hidden);
        }
        if observer.tracker() != TrackerState::Doubt {
            self.understood = now;
        }
        // What is no legal position is not to stand in the record.
        let legal = !row.event.starts_with("illegal") && row.event != "result" || row.event == "illegal_takeback";
        if let (Some(men), true) = (clean, legal) {
            self.out_of_step = observer.position().fen.as_setup().board != *men;
        }
    }

    /// What was counted.
    #[must_use]
    pub fn into_tally(self) -> Tally {
        self.tally
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::Bitboard;

    /// Squares that are sure of these contents, a little less sure than `1 - doubt`.
    fn told(contents: &Contents, doubt: f32) -> Squares {
        let probability = contents.map(|class| {
            let mut of = [doubt / 2.0; 3];
            of[class] = 1.0 - doubt;
            of
        });
        Squares { probability, changed: [doubt; 64], reliability: [1.0; 64], covered: Bitboard::EMPTY }
    }

    #[test]
    fn boards_become_classes() {
        let start = contents(&Board::new());
        assert_eq!((start[0], start[12], start[28], start[52], start[63]), (1, 1, 0, 2, 2));
        assert_eq!(start.iter().filter(|class| **class == 0).count(), 32);
    }

    #[test]
    fn each_kind_of_error_has_its_place() {
        let truth = contents(&Board::new());
        let mut said = truth;
        // a1 not seen, e4 and e5 imagined, a8, b8 and c8 taken for white men.
        said[0] = 0;
        (said[28], said[36]) = (1, 2);
        said[56..59].fill(1);
        let mut count = Count::default();
        let mut squares = told(&said, 0.02);
        squares.reliability[5] = 0.4;
        squares.covered = Bitboard::from_square(Square::E4);
        count.add(&squares, &truth, None);
        assert_eq!((count.missed, count.imagined, count.wrong_colour), (1, 2, 3));
        assert_eq!((count.doubtful, count.covered), (1, 1));
        assert_eq!(count.right(), Rate::new(58, 64));
        let loss = -(58.0 * 0.98f64.ln() + 6.0 * 0.01f64.ln()) / 64.0;
        assert!((count.log_loss_nats() - loss).abs() < 1e-6);
        let calibration = count.calibration();
        assert_eq!(calibration.contents.iter().map(|bin| bin.happened.of).sum::<usize>(), 3 * 64);
        // Told 98 %, right 58 of 64; none was told with 99 %.
        assert!((calibration.error_percent - (98.0 - 100.0 * 58.0 / 64.0)).abs() < 1e-4);
        assert_eq!((calibration.sure.of, calibration.changed.len()), (0, 0));
    }

    #[test]
    fn change_is_told_against_the_last_picture_that_was_understood() {
        let before = contents(&Board::new());
        let mut now = before;
        (now[12], now[28]) = (0, 1);
        let mut squares = told(&now, 0.001);
        (squares.changed[12], squares.changed[28]) = (0.9995, 0.9995);
        let mut count = Count::default();
        count.add(&squares, &now, Some(&before));
        let bins = count.calibration().changed;
        let rates: Vec<Rate> = bins.iter().map(|bin| bin.happened).collect();
        assert_eq!(rates, [Rate::new(0, 62), Rate::new(2, 2)]);
        assert_eq!(count.right(), Rate::new(64, 64));
    }

    #[test]
    fn beside_a_hand_and_under_it_other_things_are_asked() {
        let truth = contents(&Board::new());
        let mut said = truth;
        // Wrong: a1 and e2 beside the hand, h8 and g8 under it, h7 at its edge.
        for square in [0, 12, 63, 62, 55] {
            said[square] = 0;
        }
        let mut squares = told(&said, 0.005);
        squares.probability[62] = [0.6, 0.2, 0.2];
        squares.covered = [Square::H8, Square::A2].into_iter().collect();
        let hidden = std::array::from_fn(|i| match i {
            62..64 => 0.9,
            55 => 0.3,
            _ => 0.0,
        });
        let mut count = BesideHand::default();
        count.add(&squares, &truth, &hidden);
        let expected = BesideHand {
            pictures: 1,
            beside: 61,
            beside_right: 59,
            beside_covered: 1,
            under: 2,
            under_covered: 1,
            under_surely_wrong: 1,
        };
        assert_eq!(count, expected);
    }

    #[test]
    fn what_was_held_impossible_costs_much_and_not_all() {
        let truth = contents(&Board::new());
        let mut said = truth;
        said[0] = 2;
        let mut count = Count::default();
        count.add(&told(&said, 0.0), &truth, None);
        assert!((64.0 * count.log_loss_nats() + LEAST.ln()).abs() < 1e-9);
        let mut twice = count.clone();
        twice.merge(&count);
        assert!((twice.log_loss_nats() - count.log_loss_nats()).abs() < 1e-12);
        assert_eq!((twice.right(), twice.pictures), (Rate::new(126, 128), 2));
    }
}
