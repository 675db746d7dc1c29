//! What a story needs besides its probability before it is acted on.
//!
//! A hand over the board can look like a man for a moment, and the probability cannot know: it compares only what was
//! proposed. So a picture that is not clear of other things has to show the same twice, and so has a story that
//! seldom happens.

use std::collections::VecDeque;

use super::hypotheses::Story;

/// Squares' worth of foreign picture up to which it counts as clear, where the usual is none. Measured over the
/// recordings: on a quiet board pictures without a hand have under 0.2 in nine of ten cases, pictures with one over 0.4.
const CLEAR: f64 = 0.4;
/// No camera is so bad that this much is clear.
const CLEAR_MOST: f64 = 1.2;
/// The same for a single legal ply. Measured over the recordings: of 400 likely ones with less, one was wrong.
const CLEAR_FOR_ONE_PLY: f64 = 1.5;
/// Two plies at once are as good as one from here.
const SURE_LOG_ODDS_OF_TWO: f64 = 20.0;
/// And more than two from here, where probabilities are as good as 1.
const SURE_LOG_ODDS_OF_MORE: f64 = 30.0;
/// What no rule allows and stood there in two looks: a man off its centre, the shadow of a tall one. Hands have twice as
/// much and more.
const CLEAR_SEEN_TWICE: f64 = 1.5;
/// Before so many looks nothing is known of the camera.
const LEARNING: usize = 6;
/// Looks remembered. Hands may be in most of them: the quarter with the least clutter tells the usual.
const REMEMBERED: usize = 16;
/// Beyond this many times what is clear, even a repeated sight is not believed: an arm rests there.
const CROWDED: f64 = 3.0;

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
        if self.last.len() < LEARNING {
            return CLEAR_MOST;
        }
        let mut last = [0.0; REMEMBERED];
        let count = last.iter_mut().zip(&self.last).map(|(slot, clutter)| *slot = *clutter).count();
        let quarter = *last[..count].select_nth_unstable_by(count / 4, f64::total_cmp).1;
        (CLEAR + quarter).min(CLEAR_MOST)
    }
}

/// How a story was seen.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sighting {
    /// Plies of the game so far.
    pub plies: usize,
    /// Plies of the story that earlier looks suggested already.
    pub suspected: usize,
    /// Earlier looks suggested the same, or a part of it.
    pub repeated: bool,
    /// Foreign picture, in squares.
    pub clutter: f64,
    /// Log-odds of the story.
    pub log_odds: f64,
}

/// Is the story believed?
pub(super) fn believed(story: &Story, seen: Sighting, usual: &UsualClutter) -> bool {
    let Sighting { clutter, repeated, .. } = seen;
    let clear = usual.clear();
    let within = |clear: f64| clutter <= clear || (repeated && clutter <= CROWDED * clear);
    match story {
        Story::Standing | Story::Making { .. } => true,
        Story::Line { keep, moves, over: None } if *keep == seen.plies && !moves.is_empty() => {
            match moves.len() - seen.suspected {
                0 | 1 => within(clear.max(CLEAR_FOR_ONE_PLY)),
                2 if seen.log_odds >= SURE_LOG_ODDS_OF_TWO => within(clear.max(CLEAR_FOR_ONE_PLY)),
                2 => within(clear),
                _ if seen.log_odds >= SURE_LOG_ODDS_OF_MORE => within(clear.max(CLEAR_FOR_ONE_PLY)),
                _ => clutter <= 0.5 * clear || (repeated && clutter <= clear),
            }
        }
        Story::Anything => clutter <= clear && repeated,
        Story::Illegal => clutter <= 0.5 * clear || (repeated && clutter <= clear.max(CLEAR_SEEN_TWICE)),
        // Something taken back or put right otherwise, an end.
        _ => clutter <= 0.5 * clear || (repeated && clutter <= clear),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::{Chess, Position as _};

    fn usual(clutter: f64) -> UsualClutter {
        let mut usual = UsualClutter::default();
        // Hands in two pictures of three.
        (0..20).for_each(|k| usual.add(if k % 3 == 0 { clutter } else { clutter + 7.0 }));
        usual
    }

    fn line(keep: usize, plies: usize) -> Story {
        let moves = Chess::default().legal_moves().into_iter().take(plies).collect();
        Story::Line { keep, moves, over: None }
    }

    #[test]
    fn clutter_asks_for_a_second_look_and_the_unusual_for_a_clearer_one() {
        let usual = usual(0.0);
        let believed = |story: &Story, clutter, repeated| {
            believed(story, Sighting { plies: 4, suspected: 0, repeated, clutter, log_odds: 5.0 }, &usual)
        };
        // One ply; two plies; one ply taken back.
        assert!(believed(&line(4, 1), 1.4, false) && !believed(&line(4, 1), 2.0, false));
        assert!(believed(&line(4, 1), 2.0, true) && !believed(&line(4, 1), 5.0, true));
        assert!(believed(&line(4, 2), 0.3, false) && !believed(&line(4, 2), 0.9, false));
        assert!(believed(&line(3, 0), 0.1, false) && !believed(&line(3, 0), 0.3, false));
        assert!(believed(&line(3, 0), 0.3, true));
        assert!(!believed(&Story::Illegal, 2.0, true) && believed(&Story::Illegal, 0.0, false));
        assert!(!believed(&Story::Anything, 0.0, false) && believed(&Story::Anything, 0.0, true));
        assert!(believed(&Story::Standing, 9.0, false));
    }

    #[test]
    fn a_camera_with_usual_clutter_is_still_believed() {
        let seen = |clutter| Sighting { plies: 4, suspected: 0, repeated: false, clutter, log_odds: 5.0 };
        assert!(!believed(&line(4, 2), seen(0.8), &usual(0.0)));
        assert!(believed(&line(4, 2), seen(0.8), &usual(0.5)));
        assert!(!believed(&line(4, 2), seen(2.0), &usual(5.0)));
    }

    #[test]
    fn play_that_goes_on_from_what_was_suspected_is_believed() {
        let seen = |suspected| Sighting { plies: 4, suspected, repeated: suspected > 0, clutter: 3.0, log_odds: 5.0 };
        assert!(believed(&line(4, 4), seen(3), &usual(0.0)));
        assert!(!believed(&line(4, 4), seen(0), &usual(0.0)));
    }
}
