//! A look, ready to be asked how badly a board fits it.

use std::sync::Arc;

use super::priors::{PARTLY_THERE, STILL_THERE};
use crate::go::{Board, Color, Content, Look, Moment, Point, Size};

/// Most nats by which one crossing speaks against its content: a reflection may lie there, or a finger.
const MOST: f64 = 20.0;
/// Nats from which a crossing that speaks against its content is strange.
const STRANGE: f64 = 5.0;
/// Share of a crossing that must be in sight for it to say where a stone was put.
const IN_SIGHT: f64 = 0.3;
/// A crossing whose content is so much likelier than any other is in sight whatever hides it in part, in nats.
const SHOWS: f64 = 5.0;
/// Plays after which nobody forgets to take off what was taken.
const FORGOTTEN: usize = 3;

/// Crossings that hold something else than the rules say.
pub type Odd = Vec<(Point, Content)>;

/// A look as losses.
#[derive(Debug)]
pub struct Losses {
    pub size: Size,
    /// Nats that each content loses against the likeliest, empty, black, white.
    loss: Vec<[f64; 3]>,
    /// Share in sight.
    sight: Vec<f64>,
    likeliest: Vec<Content>,
    /// What lay on the board when it was last understood.
    before: Board,
}

impl Losses {
    pub fn of(look: &Look, before: &Board) -> Self {
        let seen: Vec<_> = look.size.points().map(|p| look.at(p)).collect();
        let sight: Vec<_> = seen.iter().map(|s| (1.0 - s.covered).clamp(0.0, 1.0)).collect();
        // What is hidden says less by itself: the look's likelihoods know of it.
        let loss = seen.iter().map(|seen| {
            let best = seen.log_likelihood.into_iter().filter(|l| l.is_finite()).fold(f64::NEG_INFINITY, f64::max);
            seen.log_likelihood.map(|l| if best.is_finite() { (best - l).clamp(0.0, MOST) } else { 0.0 })
        });
        let loss: Vec<[f64; 3]> = loss.map(|l| if l.iter().all(|x| x.is_finite()) { l } else { [0.0; 3] }).collect();
        let shows = |loss: &[f64; 3]| loss.iter().filter(|l| **l >= SHOWS).count() == 2;
        let sight: Vec<f64> =
            sight.into_iter().zip(&loss).map(|(s, l)| if shows(l) { s.max(IN_SIGHT) } else { s }).collect();
        // Of what is hidden the last that was known is the likeliest.
        let known = before.contents().iter().zip(&sight);
        let likeliest =
            seen.iter().zip(known).map(|(s, (&c, &sight))| if sight < IN_SIGHT { c } else { s.likeliest() });
        let likeliest = likeliest.collect();
        Self { size: look.size, loss, sight, likeliest, before: before.clone() }
    }

    /// Nats that this content loses here against the likeliest.
    pub fn at(&self, point: Point, content: Content) -> f64 {
        self.loss[self.size.index(point)][content.index()]
    }

    /// Does the picture say where a stone here was put?
    pub(crate) fn in_sight(&self, point: Point) -> bool {
        self.sight[self.size.index(point)] >= IN_SIGHT
    }

    /// Share of the board that is in sight.
    pub(crate) fn share_in_sight(&self) -> f64 {
        self.sight.iter().sum::<f64>() / self.sight.len().max(1) as f64
    }

    /// Is something over this crossing or one beside?
    pub fn held(&self, point: Point) -> bool {
        let Point { x, y } = point;
        let around =
            (y.saturating_sub(1)..=y + 1).flat_map(|y| (x.saturating_sub(1)..=x + 1).map(move |x| Point { x, y }));
        around.filter(|&p| self.size.has(p)).any(|p| !self.in_sight(p))
    }

    /// What every crossing shows by itself.
    pub(crate) fn likeliest(&self) -> Board {
        Board::from_contents(self.size, self.likeliest.iter().copied())
    }

    /// What every crossing holds where nothing is known of the game, and how many crossings are not clear by so many nats.
    ///
    /// What the board holds elsewhere is the prior of each crossing: on a bare board a blurred crossing is bare.
    pub(crate) fn as_boards_are(&self, clear: f64) -> (Board, usize) {
        let mut board = self.likeliest();
        let all = self.size.count() as f64;
        let held = |c: Content| board.contents().iter().filter(|held| **held == c).count() as f64;
        let prior = Content::ALL.map(|c| ((held(c) + 1.0) / (all + 3.0)).ln());
        let mut vague = 0;
        for point in self.size.points() {
            let loss = |c: Content| self.at(point, c) - if self.in_sight(point) { prior[c.index()] } else { 0.0 };
            let mut by_loss = Content::ALL.map(|c| (loss(c), c));
            by_loss.sort_by(|a, b| a.0.total_cmp(&b.0));
            let [(best, content), (next, _), _] = by_loss;
            vague += usize::from(next - best < clear);
            if self.in_sight(point) {
                board.set(point, content);
            }
        }
        (board, vague)
    }

    /// Nats by which the look speaks against these stones, all in all.
    pub(crate) fn misfit(&self, moment: &Arc<Moment>, odd: &Odd) -> f64 {
        let contents = moment.board().contents().iter();
        let mut sum: f64 = contents.zip(&self.loss).map(|(c, l)| l[c.index()]).sum();
        for &(point, content) in odd {
            sum += self.at(point, content) - self.at(point, moment.board().at(point));
        }
        sum - self.still_there(moment, odd)
    }

    /// How much better it fits that stones which were taken still lie on the board, all or some.
    fn still_there(&self, moment: &Arc<Moment>, odd: &Odd) -> f64 {
        moment.back().take(FORGOTTEN).filter(|m| !m.captured().is_empty()).map(|m| self.left(moment, m, odd)).sum()
    }

    fn left(&self, now: &Moment, taken: &Moment, odd: &Odd) -> f64 {
        let Some(content) = captured_content(taken) else { return 0.0 };
        // Only what lay there can still do so: one that has come since is another stone. And what is known to lie otherwise was
        // counted as that.
        let is_odd = |p: Point| odd.iter().any(|(q, _)| *q == p);
        let still = |p: Point| now.board().at(p) == Content::Empty && self.before.at(p) == content && !is_odd(p);
        let still_empty = taken.captured().iter().filter(|&&p| still(p));
        let losses = still_empty.map(|&p| (self.at(p, Content::Empty), self.at(p, content)));
        let (mut gone, mut all, mut some) = (0.0, -STILL_THERE, -PARTLY_THERE);
        for (empty, stone) in losses {
            gone += empty;
            all += stone;
            some += empty.min(stone);
        }
        gone - gone.min(all).min(some)
    }

    /// What lies on the board where this is the moment: of the stones that were just taken, those that still do.
    pub fn standing(&self, moment: &Arc<Moment>, odd: &Odd) -> Board {
        let mut board = moment.board().clone();
        for taken in moment.back().take(FORGOTTEN).filter(|m| self.left(moment, m, odd) > 0.0) {
            let Some(content) = captured_content(taken) else { continue };
            for &point in taken.captured() {
                let lay = board.at(point) == Content::Empty && self.before.at(point) == content;
                if lay && self.at(point, content) < self.at(point, Content::Empty) {
                    board.set(point, content);
                }
            }
        }
        odd.iter().for_each(|&(p, c)| board.set(p, c));
        board
    }

    /// Crossings that show something else than these stones.
    pub(crate) fn strange(&self, standing: &Board) -> Vec<Point> {
        self.size.points().filter(|&p| self.at(p, standing.at(p)) >= STRANGE).collect()
    }

    /// Crossings that could hold a stone of this colour: those that show one, and the few that may.
    pub(crate) fn candidates(&self, color: Color) -> Vec<Point> {
        /// Nats by which a stone may be unlikelier than what is likeliest, to be thought of.
        const FAINT: f64 = 6.0;
        /// How many such crossings are thought of.
        const MOST_FAINT: usize = 3;
        let (mut clear, mut faint) = (Vec::new(), Vec::new());
        for point in self.size.points().filter(|&p| self.in_sight(p)) {
            let loss = self.at(point, color.into());
            if loss <= 0.0 {
                clear.push(point);
            } else if loss < FAINT {
                faint.push((loss, point));
            }
        }
        faint.sort_by(|a, b| a.0.total_cmp(&b.0));
        clear.extend(faint.into_iter().take(MOST_FAINT).map(|(_, p)| p));
        clear
    }
}

/// What the stones were that a play took.
fn captured_content(taken: &Moment) -> Option<Content> {
    let by = taken.last()?;
    let own = by.at.is_some_and(|at| taken.captured().contains(&at));
    Some(if own { by.color } else { by.color.other() }.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::{Rules, Seen, board::tests::board};

    #[test]
    fn a_blurred_crossing_is_what_the_board_holds_elsewhere() {
        let look = |board: &Board, blurred: Point, covered: f64| {
            let size = board.size();
            let seen = size.points().map(|p| {
                // It looks a little like a black stone.
                let (shown, other, covered) =
                    if p == blurred { (Content::Black, -1.0, covered) } else { (board.at(p), -20.0, 0.0) };
                Seen { log_likelihood: Content::ALL.map(|c| if c == shown { 0.0 } else { other }), covered }
            });
            Losses::of(&Look { size, seen: seen.collect() }, &Board::empty(size))
        };
        let (bare, point) = (Board::empty(crate::go::Size::new(19).expect("a size")), Point::new(9, 9));
        assert_eq!(look(&bare, point, 0.0).as_boards_are(2.0), (bare.clone(), 0));
        // Among stones it may be one, and under a hand nobody knows.
        let full = board(".XOXO\nXOXOX\nOXOXO\nXOXOX\nOXOX.");
        assert_eq!(look(&full, Point::new(2, 2), 0.0).as_boards_are(2.0).1, 1);
        assert_eq!(look(&bare, point, 1.0).as_boards_are(2.0).1, 1);
    }

    #[test]
    fn a_taken_stone_that_lies_there_again_counts_once() {
        let start = Moment::start(board(".XO..\nXO.O.\n.XO..\n.....\n....."), Color::Black);
        let taken = Point::new(1, 1);
        let after = start.play(Point::new(2, 1), &Rules::JAPANESE).expect("a ko");
        assert_eq!(after.captured(), [taken]);
        let mut shown = after.board().clone();
        shown.set(taken, Content::White);
        let seen = shown.contents().iter().map(|&c| Seen {
            log_likelihood: Content::ALL.map(|other| if other == c { 0.0 } else { -20.0 }),
            covered: 0.0,
        });
        let look = Look { size: shown.size(), seen: seen.collect() };
        let losses = Losses::of(&look, start.board());
        let odd = vec![(taken, Content::White)];
        assert!(losses.misfit(&after, &Odd::new()) > 0.0);
        assert!(losses.misfit(&after, &odd).abs() < 1e-9, "{}", losses.misfit(&after, &odd));
    }
}
