//! What a picture says, as the game sees it: likelihoods, never verdicts.

use shakmaty::{Bitboard, Board, Square};

/// One look at the board.
///
/// The game does not know pixels: it proposes placements of men and asks how well the picture fits them.
/// Likelihoods are natural logarithms up to a constant that all placements of one look share.
pub trait Evidence {
    /// log p(picture | these men stand on the board). Cheap for placements that differ from
    /// [`reference`](Self::reference) on a few squares.
    fn log_likelihood(&self, men: &Board) -> f64;

    /// What the picture says besides of the kinds of these men, in nats: from places where it shows things of no
    /// concern to the game as well. It shares the probability of what looks the same in colours, and never changes it.
    fn kinds(&self, _men: &Board) -> f64 {
        0.0
    }

    /// The placement that the picture before this one was understood as.
    fn reference(&self) -> &Board;

    /// Each square by itself, every other one as in the reference: log-likelihoods of empty, white man, black man.
    fn square(&self, square: Square) -> [f64; 3];

    /// Squares whose picture this placement leaves unexplained: something else is there (a hand, a sleeve, a man
    /// that should not be). Empty for a placement that accounts for the whole picture.
    fn unexplained(&self, men: &Board) -> Bitboard;

    /// How much of the picture shows something else than the board and these men, or has changed where these men have
    /// not, in squares. A picture without a hand has little, however little that is for this camera.
    fn clutter(&self, men: &Board) -> f64 {
        self.unexplained(men).count() as f64
    }

    /// The same without what is known to be a hand, or another thing that lies over the board.
    fn residue(&self, men: &Board) -> f64 {
        self.clutter(men)
    }

    /// Squares of which the picture tells nothing, whatever stands there: under a hand, or not at rest.
    fn hidden(&self) -> Bitboard {
        Bitboard::EMPTY
    }

    /// Squares that may hold something else than in [`reference`](Self::reference). Where there is none, nothing has
    /// happened, and no other question is asked.
    fn may_have_changed(&self) -> Bitboard {
        Bitboard::FULL
    }

    /// Squares of [`reference`](Self::reference)'s men on which the picture shows something else than it showed: another
    /// man of the colour stands there, if one does.
    fn altered(&self) -> Bitboard {
        Bitboard::EMPTY
    }

    /// The same look, if whatever has changed over more than a man is a hand; `None` where nothing has, beside what is known
    /// to be one.
    fn with_hand(&self) -> Option<Box<dyn Evidence + '_>> {
        None
    }

    /// The same look, if what these men explain is no hand, however much has changed; `None` where nothing that was taken for
    /// a hand is explained by them.
    fn without_hand(&self, _men: &Board) -> Option<Box<dyn Evidence + '_>> {
        None
    }

    /// Does a hand touch what these men have changed on some of `squares`? A move is made when the hand has let go of the man.
    fn held(&self, men: &Board, squares: Bitboard) -> bool {
        (self.hidden() & squares & super::difference::difference(men, self.reference())).any()
    }
}
