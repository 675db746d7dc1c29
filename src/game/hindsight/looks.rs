//! What looks said, kept in little room: 64 squares by three contents, and which of that is news.

use std::sync::Arc;

use shakmaty::{Bitboard, Board, Color, Piece, Square};

use super::super::evidence::Evidence;
use crate::frame::Stamp;

/// Most looks that are kept, some 1.6 kB each: a film of an hour at five looks a second that never rests. What comes later
/// stays as told.
const MOST: usize = 18_000;
/// Nats between what a square may hold below which it tells nothing, and by which something must be new for a look to be kept.
const SILENT: f32 = 1.0;

/// What every square says by itself: empty, white, black, in nats against the likeliest of them.
type Said = [[f32; 3]; 64];

/// One look.
#[derive(Debug, Clone)]
pub struct Kept {
    /// When it was made, where that is known.
    pub at: Option<Stamp>,
    said: Said,
    /// The part of it that was not said before.
    news: Said,
    /// Squares that speak against being empty, white, black.
    against: [Bitboard; 3],
}

/// The looks at one game.
#[derive(Debug, Clone, Default)]
pub struct Looks {
    kept: Arc<Vec<Kept>>,
    /// For every square the likeliest content at the last look that told it, and the most that was said against each since
    /// that became the likeliest; `None` where it was hidden since.
    known: Vec<Option<(usize, [f32; 3])>>,
}

impl Looks {
    pub fn all(&self) -> &[Kept] {
        &self.kept
    }

    /// Keeps what a look says, unless nothing of it is new.
    pub fn add(&mut self, evidence: &dyn Evidence, at: Option<Stamp>) {
        if self.kept.len() >= MOST {
            return;
        }
        self.known.resize(64, None);
        let hidden = evidence.hidden();
        let asked = square_by_square(evidence, hidden);
        let mut look = Kept { at, said: [[0.0; 3]; 64], news: [[0.0; 3]; 64], against: [Bitboard::EMPTY; 3] };
        let (mut known, mut new) = (self.known.clone(), false);
        for square in Square::ALL {
            let index = square.to_usize();
            if hidden.contains(square) {
                // When it is in sight again, it is asked anew.
                self.known[index] = None;
                continue;
            }
            let Some((said, likeliest)) = against_likeliest(asked[index]) else { continue };
            let (news, worst) = match self.known[index] {
                Some((was, worst)) if was == likeliest => {
                    let more = |c: usize| (said[c] - worst[c]).min(0.0);
                    ([0, 1, 2].map(more), [0, 1, 2].map(|c| said[c].min(worst[c])))
                }
                _ => (said, said),
            };
            new |= news.iter().any(|nats| *nats < -SILENT);
            (look.said[index], look.news[index]) = (said, news);
            known[index] = Some((likeliest, worst));
            for (against, nats) in look.against.iter_mut().zip(said) {
                against.set(square, nats < 0.0);
            }
        }
        if new {
            self.known = known;
            Arc::make_mut(&mut self.kept).push(look);
        }
    }
}

/// Changed squares beyond which a look shows no placement but an arm, or men being cleared away: they are asked once.
const TOO_MANY: usize = 16;

/// What every square says by itself, all others as the look shows them: men who have left hide nothing any more, and who has
/// come hides what is behind him.
fn square_by_square(evidence: &dyn Evidence, hidden: Bitboard) -> [[f64; 3]; 64] {
    let asked: [[f64; 3]; 64] = std::array::from_fn(|index| evidence.square(Square::new(index as u32)));
    let before = evidence.reference();
    let Some(shown) = shown(evidence, &asked, hidden) else { return asked };
    let man = |square: Square, colour: Color| {
        let of = |men: &Board| men.piece_at(square).filter(|piece| piece.color == colour);
        of(&shown).or_else(|| of(before)).unwrap_or(colour.pawn())
    };
    let stands = evidence.log_likelihood(&shown);
    std::array::from_fn(|index| {
        let square = Square::new(index as u32);
        [None, Some(Color::White), Some(Color::Black)].map(|content| {
            if shown.color_at(square) == content {
                return stands;
            }
            let mut men = shown.clone();
            men.discard_piece_at(square);
            if let Some(colour) = content {
                men.set_piece_at(square, man(square, colour));
            }
            evidence.log_likelihood(&men)
        })
    })
}

/// The placement that the squares tell one by one, where it is another than before. Who has come is one of those of his
/// colour who have left, whoever looks best there.
fn shown(evidence: &dyn Evidence, asked: &[[f64; 3]; 64], hidden: Bitboard) -> Option<Board> {
    let before = evidence.reference();
    let contents = [None, Some(Color::White), Some(Color::Black)];
    let likeliest = |square: Square| against_likeliest(asked[square.to_usize()]).map(|(_, class)| contents[class]);
    let news = |&square: &Square| likeliest(square).is_some_and(|content| content != before.color_at(square));
    let changed: Vec<Square> = Square::ALL.into_iter().filter(|s| !hidden.contains(*s)).filter(news).collect();
    if changed.is_empty() || changed.len() > TOO_MANY {
        return None;
    }
    let mut shown = before.clone();
    changed.iter().for_each(|&square| {
        shown.discard_piece_at(square);
    });
    for &square in &changed {
        let Some(colour) = likeliest(square).flatten() else { continue };
        let left = changed.iter().filter_map(|&s| before.piece_at(s)).filter(|piece| piece.color == colour);
        let mut who: Vec<Piece> = left.collect();
        who.sort_by_key(|piece| piece.role);
        who.dedup();
        let looks = |piece: &Piece| {
            let mut men = shown.clone();
            men.set_piece_at(square, *piece);
            evidence.log_likelihood(&men)
        };
        let best = who.into_iter().max_by(|a, b| looks(a).total_cmp(&looks(b))).unwrap_or(colour.pawn());
        shown.set_piece_at(square, best);
    }
    Some(shown)
}

/// Against the likeliest, and which that is; `None` where the square tells nothing.
fn against_likeliest(log: [f64; 3]) -> Option<([f32; 3], usize)> {
    let likeliest = (0..3).max_by(|&a, &b| log[a].total_cmp(&log[b]))?;
    let said = log.map(|nats| (nats - log[likeliest]) as f32);
    let tells = said.iter().all(|nats| nats.is_finite()) && said.iter().any(|nats| *nats < -SILENT);
    tells.then_some((said, likeliest))
}

/// ln of the prior of a man in the air, and of both men of a capture.
const LIFTED: f64 = -6.0;
const LIFTED_BOTH: f64 = -8.0;
/// ln of the prior that a look shows anything at all, and for each square of it: an arm, a shadow, what no rule allows. They
/// are those of the live game. So no square says more than seven nats beyond the first five against any line.
const ANYTHING: f64 = -5.0;
const ANYTHING_SQUARE: f64 = -7.0;

/// The men of both colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Men {
    white: Bitboard,
    black: Bitboard,
}

impl Men {
    pub fn of(board: &Board) -> Self {
        Self { white: board.white(), black: board.black() }
    }

    fn class(self, square: Square) -> usize {
        if self.white.contains(square) {
            1
        } else if self.black.contains(square) {
            2
        } else {
            0
        }
    }
}

impl Kept {
    /// What the look says for these men, of whom the side `turn` is to move, where `before` stood at the look before, in nats
    /// against a placement that it does not contradict.
    ///
    /// A square that has changed is weighed with all it says; of one that has not, only what is new counts, for a shadow that
    /// stays is no truer for it. What a hand does on its way to the next position is passed through.
    pub fn step(&self, before: Men, men: Men, turn: Color) -> f64 {
        let empty = !(men.white | men.black);
        let changed = (before.white ^ men.white) | (before.black ^ men.black);
        let against = (self.against[0] & empty) | (self.against[1] & men.white) | (self.against[2] & men.black);
        let us = turn.fold_wb(men.white, men.black);
        let (mut whole, mut bounded) = (0.0, 0.0);
        // The most that is gained by a man's being in the air: of the side to move, and of the other one.
        let mut lifted = [0.0_f64; 2];
        for square in against {
            let index = square.to_usize();
            let said = if changed.contains(square) { &self.said[index] } else { &self.news[index] };
            let here = f64::from(said[men.class(square)]);
            whole += here;
            bounded += here.max(ANYTHING_SQUARE);
            if !empty.contains(square) {
                let side = usize::from(!us.contains(square));
                lifted[side] = lifted[side].max(f64::from(said[0]) - here);
            }
        }
        let [own, other] = lifted;
        whole.max(whole + own + LIFTED).max(whole + own + other + LIFTED_BOTH).max(bounded + ANYTHING)
    }

    /// On how many squares does it show something else than these men?
    pub fn contradicted(&self, men: Men) -> usize {
        let empty = !(men.white | men.black);
        ((self.against[0] & empty) | (self.against[1] & men.white) | (self.against[2] & men.black)).count()
    }

    /// The look as evidence for a search, where these men are taken to stand.
    pub fn as_evidence<'a>(&'a self, men: &'a Board) -> impl Evidence + 'a {
        AsKept { look: self, men }
    }
}

struct AsKept<'a> {
    look: &'a Kept,
    men: &'a Board,
}

impl Evidence for AsKept<'_> {
    fn log_likelihood(&self, men: &Board) -> f64 {
        let men = Men::of(men);
        Square::ALL.into_iter().map(|s| f64::from(self.look.said[s.to_usize()][men.class(s)])).sum()
    }

    fn reference(&self) -> &Board {
        self.men
    }

    fn square(&self, square: Square) -> [f64; 3] {
        self.look.said[square.to_usize()].map(f64::from)
    }

    fn unexplained(&self, _: &Board) -> Bitboard {
        Bitboard::EMPTY
    }
}
