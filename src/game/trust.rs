//! What a story needs besides its probability before it is acted on.
//!
//! A hand over the board can look like a man for a moment, and the probability cannot know: it compares only what was
//! proposed. So a picture that is not clear of other things has to show the same twice, and so has a story that
//! seldom happens.

use std::collections::VecDeque;

use super::hypotheses::Story;

/// Squares' worth of foreign picture up to which it counts as clear, where the usual is none. Measured over all
/// recordings: on a quiet board pictures without a hand have under 0.2 in nine of ten cases, pictures with one over 0.4.
const CLEAR: f64 = 0.4;
/// What is usual for this camera may be exceeded this many times: a soft, blurred video has 1, its hands 3 to 9.
const ABOVE_USUAL: f64 = 2.0;
/// No camera is so bad that this much is clear.
const CLEAR_MOST: f64 = 8.0;
/// Before so many looks nothing is known of the camera, and this much is clear: half of what a hand has.
const LEARNING: usize = 6;
const CLEAR_LEARNING: f64 = 1.5;
/// Looks remembered. Hands may be in most of them: the third with the least clutter tells the usual.
const REMEMBERED: usize = 16;
/// Beyond this many times what is clear, even a repeated sight is not believed: an arm rests there.
const CROWDED: f64 = 3.0;
/// Plies that players make between two looks when nothing is wrong.
const USUAL_PLIES: usize = 2;

/// How much clutter the pictures of this camera usually have without a hand in them.
#[derive(Debug, Clone, Default)]
pub(super) struct UsualClutter {
    last: VecDeque<f64>,
}

impl UsualClutter {
    /// A settled picture had this much.
    pub fn add(&mut self, clutter: f64) {
        self.last.push_back(clutter);
        if self.last.len() > REMEMBERED {
            self.last.pop_front();
        }
    }

    /// Is a picture with this much clutter clear?
    pub fn is_clear(&self, clutter: f64) -> bool {
        clutter <= self.clear()
    }

    /// As much as this is clear.
    fn clear(&self) -> f64 {
        let mut sorted: Vec<f64> = self.last.iter().copied().collect();
        sorted.sort_by(f64::total_cmp);
        let clear = CLEAR + ABOVE_USUAL * sorted.get(sorted.len() / 3).copied().unwrap_or(0.0);
        if sorted.len() < LEARNING { clear.max(CLEAR_LEARNING) } else { clear.min(CLEAR_MOST) }
    }
}

/// Is the story believed? `plies` is the length of the game; `repeated` says that the look before showed the same.
pub(super) fn believed(story: &Story, plies: usize, clutter: f64, usual: &UsualClutter, repeated: bool) -> bool {
    let clear = usual.clear();
    match story {
        Story::Standing | Story::Making { .. } => true,
        Story::Line { keep, moves, over: None } if *keep == plies && moves.len() <= USUAL_PLIES => {
            clutter <= clear || (repeated && clutter <= CROWDED * clear)
        }
        Story::Anything => clutter <= clear && repeated,
        _ => clutter <= 0.5 * clear || (repeated && clutter <= clear),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clutter_asks_for_a_second_look_and_the_unusual_for_a_clearer_one() {
        let mut usual = UsualClutter::default();
        (0..8).for_each(|_| usual.add(0.0));
        let believed = |story: &Story, clutter, repeated| believed(story, 4, clutter, &usual, repeated);
        let back = Story::Line { keep: 3, moves: Vec::new(), over: None };
        assert!(!believed(&back, 0.3, false) && believed(&back, 0.3, true) && believed(&back, 0.1, false));
        let on = Story::Line { keep: 4, moves: Vec::new(), over: None };
        assert!(believed(&on, 0.3, false) && !believed(&on, 0.9, false) && believed(&on, 0.9, true));
        assert!(!believed(&on, 5.0, true));
        assert!(!believed(&Story::Illegal, 2.0, true) && believed(&Story::Illegal, 0.0, false));
        assert!(!believed(&Story::Anything, 0.0, false) && believed(&Story::Anything, 0.0, true));
        assert!(believed(&Story::Standing, 9.0, false));
    }

    #[test]
    fn a_camera_with_usual_clutter_is_still_believed() {
        let on = Story::Line { keep: 4, moves: Vec::new(), over: None };
        let mut usual = UsualClutter::default();
        (0..8).for_each(|_| usual.add(0.0));
        assert!(!believed(&on, 4, 1.5, &usual, false));
        // Hands in two pictures of three.
        (0..20).for_each(|k| usual.add(if k % 3 == 0 { 1.0 } else { 7.0 }));
        assert!(believed(&on, 4, 1.5, &usual, false) && !believed(&on, 4, 5.0, &usual, false));
    }
}
