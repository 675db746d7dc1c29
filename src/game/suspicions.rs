//! What no line of play leads to, and looks have shown.
//!
//! What a look shows again is news only as far as what deceives a square does not last. A shadow lies there at the next look as well, and
//! shows the same: that two looks agree says little. The noise of a poor sensor is drawn anew for each picture, and then two looks that
//! agree are two witnesses. Which it is, the game learns from the squares that told something else than what is known to stand there: how
//! many of them tell the same at the next look? What has lasted goes on to last (Laplace's rule of succession).

use std::collections::HashMap;

use shakmaty::{Bitboard, Board, Color, Square};

use super::{difference::difference, marginals::Marginals};

/// Nats by which a square must disagree with what stands there to be deceived: three say little.
const DECEIVED: f64 = 3.0;
/// What is believed of a camera before it has shown anything, in squares that were deceived: so many told the same at the next look. The
/// first look that shows something again is then worth 4 nats, and those that follow hardly anything: where each was worth 2, a faint
/// shadow in a training recording (`cu-2ply`) became an illegal move in the end.
const STAYED: f64 = 0.02;
/// The same: so many told something else.
const WENT: f64 = 1.0;
/// Deceived squares that are counted: what a camera did an hour ago, in another light, counts less.
const COUNTED: f64 = 400.0;
/// Most placements that are suspected at a time.
const SUSPECTED: usize = 32;
/// ln of the odds against what stands there below which a placement is not suspected.
const FORGOTTEN: f64 = -12.0;

/// A square, and the colour of the man that it tells; `None`: that it is empty.
type Told = (Square, Option<Color>);

/// How long that lasts which deceives a square.
#[derive(Debug, Clone, Default)]
struct Deceptions {
    /// What stood there at the last look, and the squares that told something else; `None` where that was not understood.
    last: Option<(Board, Vec<Told>)>,
    stayed: f64,
    went: f64,
}

impl Deceptions {
    /// A look was understood: these men stand there.
    fn understood(&mut self, men: &Board, marginals: &Marginals, hidden: Bitboard) {
        let now = marginals.surprises(men, DECEIVED);
        if let Some((before, deceived)) = self.last.take() {
            let same = !difference(&before, men) & !hidden;
            for told in deceived.into_iter().filter(|(square, _)| same.contains(*square)) {
                let count = if now.contains(&told) { &mut self.stayed } else { &mut self.went };
                *count += 1.0;
            }
        }
        if self.stayed + self.went > COUNTED {
            self.stayed *= 0.5;
            self.went *= 0.5;
        }
        self.last = Some((men.clone(), now));
    }

    /// The chance that what deceived at the last look, and has done so again so many times, does it once more.
    fn goes_on(&self, times: u32) -> f64 {
        let stayed = STAYED + self.stayed + f64::from(times);
        stayed / (stayed + WENT + self.went)
    }
}

/// What looks have shown of a placement.
#[derive(Debug, Clone)]
struct Suspicion {
    /// What looks have said for it against what stood there, in nats.
    said: f64,
    /// The squares at which the last look did.
    shown: Bitboard,
    /// How many looks have shown it again.
    again: u32,
}

/// What looks have shown, and what of it is believed.
#[derive(Debug, Clone, Default)]
pub(super) struct Suspicions {
    deceptions: Deceptions,
    /// The squares that told something else than what stood there at the last look.
    told: Vec<Told>,
    placements: HashMap<Board, Suspicion>,
}

/// A placement as a look has weighed it.
pub(super) struct Weighed<'a> {
    pub men: &'a Board,
    /// ln of its prior, with what earlier looks said of it.
    pub prior: f64,
    /// What this look says for it against what stands there, in nats.
    pub says: f64,
}

/// What a look shows that the last one has shown as well.
pub(super) struct Repeated<'a> {
    known: &'a Suspicions,
    standing: &'a Board,
    marginals: &'a Marginals,
    /// Squares that tell the same as at the last look, and something else than what stands there.
    told: Vec<Told>,
}

impl Suspicions {
    /// A look comes, with these men on the board so far.
    pub fn at<'a>(&'a self, standing: &'a Board, marginals: &'a Marginals) -> Repeated<'a> {
        let mut told = marginals.surprises(standing, DECEIVED);
        told.retain(|told| self.told.contains(told));
        Repeated { known: self, standing, marginals, told }
    }

    /// Nothing of what looks have shown is there.
    pub fn forget(&mut self) {
        self.settled();
        self.deceptions.last = None;
    }

    /// The camera deceives as it did; the rest is over.
    pub fn overruled(self) -> Self {
        Self { deceptions: Deceptions { last: None, ..self.deceptions }, ..Self::default() }
    }

    /// Has no look shown anything?
    pub fn is_empty(&self) -> bool {
        self.placements.is_empty()
    }

    /// What goes on to the next look of what this one weighed.
    pub fn after<'m>(&mut self, weighed: impl Iterator<Item = Weighed<'m>>, standing: &Board, marginals: &Marginals) {
        let look = self.at(standing, marginals);
        let log_odds = |w: &Weighed<'_>| w.prior + w.says;
        let mut likely: Vec<Weighed<'m>> = weighed.filter(|w| log_odds(w) > FORGOTTEN && w.men != standing).collect();
        likely.sort_by(|a, b| log_odds(b).total_cmp(&log_odds(a)));
        let mut placements = HashMap::new();
        for w in &likely {
            if placements.len() == SUSPECTED {
                break;
            }
            // Several stories lead to one placement.
            placements.entry(w.men.clone()).or_insert_with(|| look.gone_by(w));
        }
        self.placements = placements;
        self.told = marginals.surprises(standing, DECEIVED);
    }

    /// What became of the look: it was understood, and these men stand there, or it was not.
    pub fn understood(&mut self, men: Option<&Board>, marginals: &Marginals, hidden: Bitboard) {
        match men {
            Some(men) => self.deceptions.understood(men, marginals, hidden),
            None => self.deceptions.last = None,
        }
    }

    /// Other men than before stand there: what looks said of the change is over.
    pub fn settled(&mut self) {
        self.told.clear();
        self.placements.clear();
    }
}

impl Repeated<'_> {
    /// What earlier looks say for a placement besides what this one says, in nats.
    pub fn carried(&self, men: &Board) -> f64 {
        let Some(suspicion) = self.known.placements.get(men) else { return 0.0 };
        let nats: f64 = self.speak_for(men).filter(|(s, _)| suspicion.shown.contains(*s)).map(|(_, nats)| nats).sum();
        // Whatever deceives squares that it does not explain may deceive these as well.
        let explained = self.told.iter().all(|&(square, colour)| men.color_at(square) == colour);
        let goes_on = if explained { self.known.deceptions.goes_on(suspicion.again) } else { 1.0 };
        let news = -(goes_on + (1.0 - goes_on) * (-nats).exp()).ln();
        (suspicion.said - nats + news).max(0.0)
    }

    /// The squares that speak for a placement against what stands there, with their nats.
    fn speak_for(&self, men: &Board) -> impl Iterator<Item = (Square, f64)> {
        self.marginals.gains_of(men, self.standing).filter(|(_, nats)| *nats > 0.0)
    }

    /// A placement as this look leaves it.
    fn gone_by(&self, weighed: &Weighed<'_>) -> Suspicion {
        let shown: Bitboard = self.speak_for(weighed.men).map(|(square, _)| square).collect();
        let again = self.known.placements.get(weighed.men).map_or(0, |s| s.again + u32::from((s.shown & shown).any()));
        Suspicion { said: self.carried(weighed.men) + weighed.says, shown, again }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::tests::{Dice, Synthetic};

    /// What a look leaves: these squares seem to hold a white man, by 7 nats each, where nothing stands.
    fn look(suspicions: &mut Suspicions, placements: &[&Board], seem: &[Square]) -> Vec<f64> {
        let standing = Board::default();
        let mut told = Synthetic::new(&standing, &standing, 7.0, 0.0, &mut Dice(1));
        for &square in seem {
            told = told.seems(square, Color::White, 7.0);
        }
        let marginals = Marginals::new(&told);
        let carried: Vec<f64> =
            placements.iter().map(|men| suspicions.at(&standing, &marginals).carried(men)).collect();
        let says = |men: &Board| marginals.gain(men, &standing);
        let weighed = placements.iter().zip(&carried);
        let weighed = weighed.map(|(men, said)| Weighed { men, prior: (said - 13.0).min(0.0), says: says(men) });
        suspicions.after(weighed, &standing, &marginals);
        carried
    }

    fn with_men(squares: &[Square]) -> Board {
        let mut men = Board::default();
        squares.iter().for_each(|&square| men.set_piece_at(square, Color::White.knight()));
        men
    }

    /// A camera on whose pictures one square is deceived in every look: another one each time, or the same for ever.
    fn camera(flickers: bool) -> Suspicions {
        let mut suspicions = Suspicions::default();
        let standing = Board::default();
        for n in 0..40 {
            let square = Square::new(16 + if flickers { n % 32 } else { 0 });
            let told = Synthetic::new(&standing, &standing, 7.0, 0.0, &mut Dice(1)).seems(square, Color::Black, 7.0);
            suspicions.understood(Some(&standing), &Marginals::new(&told), Bitboard::EMPTY);
        }
        suspicions
    }

    #[test]
    fn what_is_shown_again_is_news_where_what_deceives_flickers_and_none_where_it_lasts() {
        let men = with_men(&[Square::E4]);
        let after_six = |mut suspicions: Suspicions| {
            let all: Vec<f64> = (0..6).map(|_| look(&mut suspicions, &[&men], &[Square::E4])[0]).collect();
            assert_eq!(all[0], 0.0, "nothing has been said before the first look");
            assert!(all.is_sorted(), "{all:?}");
            all[5]
        };
        let [flickers, unknown, lasts] = [camera(true), Suspicions::default(), camera(false)].map(after_six);
        // Of what six looks say, 7 nats each, the last one's are its own.
        assert!(flickers > 15.0 && flickers <= 35.0, "{flickers}");
        assert!((2.0..8.0).contains(&unknown), "{unknown}");
        assert!(lasts < 1.0, "{lasts}");
    }

    #[test]
    fn what_explains_a_part_of_what_lasts_gets_no_news() {
        let (whole, part) = (with_men(&[Square::E4, Square::D5]), with_men(&[Square::E4]));
        let mut suspicions = camera(true);
        for n in 0..4 {
            let carried = look(&mut suspicions, &[&whole, &part], &[Square::E4, Square::D5]);
            assert_eq!(carried[1], 0.0, "look {n}");
            assert!(n == 0 || carried[0] > 4.0, "look {n}: {carried:?}");
        }
    }

    #[test]
    fn a_look_that_shows_what_stood_there_takes_a_suspicion_back() {
        let men = with_men(&[Square::E4]);
        let mut suspicions = camera(true);
        (0..3).for_each(|_| drop(look(&mut suspicions, &[&men], &[Square::E4])));
        let said = look(&mut suspicions, &[&men], &[])[0];
        let after = look(&mut suspicions, &[&men], &[Square::E4])[0];
        assert!(said > 7.0 && (after - (said - 7.0)).abs() < 1e-9, "{said} {after}");
        // Other men on the board end it.
        suspicions.settled();
        assert_eq!(look(&mut suspicions, &[&men], &[Square::E4])[0], 0.0);
    }
}
