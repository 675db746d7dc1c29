//! How fast the players are: rests, pauses, the speed of a hand.

use serde::{Deserialize, Serialize};

/// How fast they play.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Pace {
    /// Shortest time without a hand between two plies, in seconds; less than 0: the next hand comes in so long before
    /// the last one has left, and no clean picture is between the plies. A hand begins and ends its way outside of most
    /// pictures, half a second from the board: at -2 both hands are seen, and that is as fast as men can be moved.
    pub rest_min_s: f64,
    /// Longest time without a hand between two plies, in seconds.
    pub rest_max_s: f64,
    /// Shortest time for which something stands that is then put right (an illegal move, a man that lies), in seconds.
    pub stand_min_s: f64,
    /// Longest time of that kind, in seconds.
    pub stand_max_s: f64,
    /// Shortest pause in a move half made (slow castling, late promotion) and after a correction, in seconds.
    pub half_min_s: f64,
    /// Longest pause of that kind, in seconds.
    pub half_max_s: f64,
    /// Speed of the hand on its way, in metres a second.
    pub hand_m_s: f64,
    /// Time for gripping or letting go of a man, in seconds.
    pub grip_s: f64,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            rest_min_s: 1.2,
            rest_max_s: 3.0,
            stand_min_s: 2.5, // long enough for an opponent to object
            stand_max_s: 4.5,
            half_min_s: 0.8, // a hesitation, no more
            half_max_s: 1.6,
            hand_m_s: 0.55,
            grip_s: 0.18,
        }
    }
}

impl Pace {
    /// The numbers with their keys and ranges.
    #[must_use]
    pub fn ranges(&self) -> [(&'static str, f64, f64, f64); 8] {
        [
            // A hand that comes in earlier than this before the other has left would wait for it over the board.
            ("pace.rest_min_s", self.rest_min_s, -5.0, 3600.0),
            ("pace.rest_max_s", self.rest_max_s, self.rest_min_s, 3600.0),
            ("pace.stand_min_s", self.stand_min_s, 0.0, 3600.0),
            ("pace.stand_max_s", self.stand_max_s, self.stand_min_s, 3600.0),
            ("pace.half_min_s", self.half_min_s, 0.0, 3600.0),
            ("pace.half_max_s", self.half_max_s, self.half_min_s, 3600.0),
            ("pace.hand_m_s", self.hand_m_s, 0.05, 5.0),
            ("pace.grip_s", self.grip_s, 0.0, 5.0),
        ]
    }
}
