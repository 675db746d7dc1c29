//! What a story needs besides its probability before it is acted on.
//!
//! A hand over the board can look like a man for a moment, and the probability cannot know: it compares only what was
//! proposed. So a picture that is not clear of other things has to show the same twice, and so has a story that
//! seldom happens.

use super::hypotheses::Story;

/// Squares' worth of unexplained picture up to which it counts as clear, where the usual is none. Measured over all
/// recordings: pictures without a hand have under 0.05 on a clean board, and around 0.3 in a soft or blurred video.
const CLEAR: f64 = 0.12;
/// What is usual for this camera may be exceeded this many times.
const ABOVE_USUAL: f64 = 2.0;
/// No camera is so bad that this much is clear.
const CLEAR_MOST: f64 = 0.8;
/// How fast the usual follows.
const USUAL_RATE: f64 = 0.15;
/// Beyond this even a repeated sight of something unusual is not believed: an arm rests there.
const CROWDED: f64 = 1.0;
/// Plies that players make between two looks when nothing is wrong.
const USUAL_PLIES: usize = 2;

/// How much clutter the pictures of this camera usually have when they are understood.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct UsualClutter(f64);

impl UsualClutter {
    /// An understood picture had this much.
    pub fn add(&mut self, clutter: f64) {
        self.0 += USUAL_RATE * (clutter.min(CLEAR_MOST) - self.0);
    }

    fn clear(self) -> f64 {
        (CLEAR + ABOVE_USUAL * self.0).min(CLEAR_MOST)
    }
}

/// Is the story believed? `plies` is the length of the game; `repeated` says that the look before showed the same.
pub(super) fn believed(story: &Story, plies: usize, clutter: f64, usual: UsualClutter, repeated: bool) -> bool {
    let clear = usual.clear();
    match story {
        Story::Standing | Story::Making { .. } => true,
        Story::Line { keep, moves, over: None } if *keep == plies && moves.len() <= USUAL_PLIES => {
            clutter <= clear || repeated
        }
        Story::Anything => clutter <= clear && repeated,
        _ => clutter <= 0.5 * clear || (repeated && clutter <= CROWDED),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clutter_asks_for_a_second_look_and_the_unusual_for_a_clearer_one() {
        let usual = UsualClutter::default();
        let believed = |story: &Story, clutter, repeated| believed(story, 4, clutter, usual, repeated);
        let back = Story::Line { keep: 3, moves: Vec::new(), over: None };
        assert!(!believed(&back, 0.1, false) && believed(&back, 0.1, true) && believed(&back, 0.05, false));
        let on = Story::Line { keep: 4, moves: Vec::new(), over: None };
        assert!(believed(&on, 0.1, false) && !believed(&on, 2.0, false) && believed(&on, 2.0, true));
        assert!(!believed(&Story::Illegal, 2.0, true) && believed(&Story::Illegal, 0.0, false));
        assert!(!believed(&Story::Anything, 0.0, false) && believed(&Story::Anything, 0.0, true));
        assert!(believed(&Story::Standing, 9.0, false));
    }

    #[test]
    fn a_camera_with_usual_clutter_is_still_believed() {
        let on = Story::Line { keep: 4, moves: Vec::new(), over: None };
        let mut usual = UsualClutter::default();
        assert!(!believed(&on, 4, 0.4, usual, false));
        for _ in 0..20 {
            usual.add(0.3);
        }
        assert!(believed(&on, 4, 0.4, usual, false) && !believed(&on, 4, 3.0, usual, false));
    }
}
