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
        let loss = seen.iter().zip(&sight).map(|(seen, sight)| {
            let best = seen.log_likelihood.into_iter().filter(|l| l.is_finite()).fold(f64::NEG_INFINITY, f64::max);
            seen.log_likelihood.map(|l| if best.is_finite() { (best - l).clamp(0.0, MOST) * sight } else { 0.0 })
        });
        let loss = loss.map(|l: [f64; 3]| if l.iter().all(|x| x.is_finite()) { l } else { [0.0; 3] }).collect();
        let likeliest = seen.iter().map(crate::go::Seen::likeliest).collect();
        Self { size: look.size, loss, sight, likeliest, before: before.clone() }
    }

    /// Nats that this content loses here against the likeliest.
    pub fn at(&self, point: Point, content: Content) -> f64 {
        self.loss[self.size.index(point)][content.index()]
    }

    /// Does the picture say where a stone here was put?
    pub fn in_sight(&self, point: Point) -> bool {
        self.sight[self.size.index(point)] >= IN_SIGHT
    }

    /// Share of the board that is in sight.
    pub fn share_in_sight(&self) -> f64 {
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
    pub fn likeliest(&self) -> Board {
        Board::from_contents(self.size, self.likeliest.iter().copied())
    }

    /// Nats by which the look speaks against these stones, all in all.
    pub fn misfit(&self, moment: &Arc<Moment>, odd: &Odd) -> f64 {
        let contents = moment.board().contents().iter();
        let mut sum: f64 = contents.zip(&self.loss).map(|(c, l)| l[c.index()]).sum();
        for &(point, content) in odd {
            sum += self.at(point, content) - self.at(point, moment.board().at(point));
        }
        sum - self.still_there(moment)
    }

    /// How much better it fits that stones which were taken still lie on the board, all or some.
    fn still_there(&self, moment: &Arc<Moment>) -> f64 {
        moment.back().take(FORGOTTEN).filter(|m| !m.captured().is_empty()).map(|m| self.left(moment, m)).sum()
    }

    fn left(&self, now: &Moment, taken: &Moment) -> f64 {
        let Some(content) = captured_content(taken) else { return 0.0 };
        // Only what lay there can still do so: one that has come since is another stone.
        let still = |p: Point| now.board().at(p) == Content::Empty && self.before.at(p) == content;
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
        for taken in moment.back().take(FORGOTTEN).filter(|m| self.left(moment, m) > 0.0) {
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
    pub fn strange(&self, standing: &Board) -> Vec<Point> {
        self.size.points().filter(|&p| self.at(p, standing.at(p)) >= STRANGE).collect()
    }

    /// Crossings that could hold a stone of this colour: those that show one, and the few that may.
    pub fn candidates(&self, color: Color) -> Vec<Point> {
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
