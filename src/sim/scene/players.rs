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

/// Who sits where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Player {
    /// White's.
    #[default]
    White,
    /// Black's.
    Black,
}

/// A hand beside those that move the men: it lies there while plies go by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RestingHand {
    /// It comes when this ply is completed.
    pub ply: usize,
    /// It stays for so many plies.
    #[serde(default)]
    pub plies: usize,
    /// Whose it is: `white` or `black`.
    #[serde(default)]
    pub player: Player,
    /// Where its fingertips lie, in squares from the outer corner of a1 towards h1 and a8.
    #[serde(default = "before_white")]
    pub at: [f64; 2],
    /// Their height over the board, in squares.
    #[serde(default)]
    pub height: f64,
}

/// On the border before White.
const fn before_white() -> [f64; 2] {
    [6.0, -0.3]
}

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
    pub(crate) half_min_s: f64,
    /// Longest pause of that kind, in seconds.
    pub(crate) half_max_s: f64,
    /// Speed of the hand on its way, in metres a second.
    pub hand_m_s: f64,
    /// Time for gripping or letting go of a man, in seconds.
    pub(crate) grip_s: f64,
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
