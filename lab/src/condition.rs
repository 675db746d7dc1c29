//! Views of Carta and Corsolini's experiment, before which both games are played.
//!
//! A. Carta and M. Corsolini, *A new approach to an old problem: the reconstruction of a Go game through a series of
//! photographs* (2015), figure 15 and table 2.

/// A band of views.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Condition {
    /// Its name.
    pub name: &'static str,
    /// Elevation of the camera over the board, in degrees.
    pub elevation_deg: f64,
    /// Width of the picture, in pixels.
    pub width: u32,
    /// What they expect without a disturbance, with the stone visible, and partly hidden, in per cent.
    pub theirs: [&'static str; 3],
}

impl Condition {
    /// One view in the middle of each band, with pictures so wide. The paper draws its conditions in a figure without numbers:
    /// the bands are ours.
    #[must_use]
    pub const fn all([optimal, good, fair]: [u32; 3]) -> [Self; 3] {
        [
            Self { name: "optimal", elevation_deg: 70.0, width: optimal, theirs: ["100", "100", "70–80"] },
            Self { name: "good", elevation_deg: 48.0, width: good, theirs: ["100", "100", "60–70"] },
            Self { name: "fair", elevation_deg: 32.0, width: fair, theirs: ["99–100", "95–100", "50–60"] },
        ]
    }

    /// Width and height of the picture, in pixels.
    #[must_use]
    pub const fn picture(&self) -> (u32, u32) {
        (self.width, self.width / 4 * 3)
    }
}
