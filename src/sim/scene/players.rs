//! The players: their hands, and how fast they play.

use serde::{Deserialize, Serialize};

use super::Srgb;

/// The hand that moves the men.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HandLook {
    /// Colour of White's player's skin.
    pub skin_white: Srgb,
    /// Colour of Black's player's skin.
    pub skin_black: Srgb,
    /// Colour of White's player's sleeve.
    pub sleeve_white: Srgb,
    /// Colour of Black's player's sleeve.
    pub sleeve_black: Srgb,
    /// Size against a grown-up's hand.
    pub scale: f64,
}

impl Default for HandLook {
    fn default() -> Self {
        Self {
            skin_white: [205, 150, 120],
            skin_black: [150, 100, 76],
            sleeve_white: [60, 72, 104],
            sleeve_black: [128, 44, 40],
            scale: 1.0,
        }
    }
}

/// How fast they play.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Pace {
    /// Shortest time without a hand between two plies, in seconds.
    pub rest_min_s: f64,
    /// Longest time without a hand between two plies, in seconds.
    pub rest_max_s: f64,
    /// Speed of the hand on its way, in metres a second.
    pub hand_m_s: f64,
    /// Time for gripping or letting go of a man, in seconds.
    pub grip_s: f64,
    /// Share of the captures in which the mover swaps the men in hand instead of clearing the square first.
    pub swap_captures: f64,
}

impl Default for Pace {
    fn default() -> Self {
        Self { rest_min_s: 1.2, rest_max_s: 3.0, hand_m_s: 0.55, grip_s: 0.18, swap_captures: 0.4 }
    }
}
