//! The shape of men: Staunton sets made for the board they stand on.

use shakmaty::Role;

/// A man as discs from the foot to the top: (height, radius) in squares. The king's base is three quarters of a square,
/// his height between 1.6 and 1.9 squares.
#[must_use]
pub const fn discs(role: Role) -> &'static [(f32, f32)] {
    match role {
        Role::Pawn => &[(0.0, 0.29), (0.15, 0.27), (0.35, 0.17), (0.55, 0.15), (0.7, 0.18), (0.82, 0.16), (0.9, 0.08)],
        Role::Rook => &[(0.0, 0.33), (0.15, 0.31), (0.4, 0.22), (0.6, 0.21), (0.8, 0.23), (1.0, 0.23)],
        Role::Knight => &[(0.0, 0.33), (0.15, 0.31), (0.4, 0.22), (0.6, 0.24), (0.85, 0.25), (1.05, 0.2), (1.2, 0.1)],
        Role::Bishop => {
            &[(0.0, 0.33), (0.15, 0.31), (0.4, 0.19), (0.65, 0.15), (0.9, 0.19), (1.1, 0.18), (1.25, 0.13), (1.4, 0.06)]
        }
        Role::Queen => {
            &[(0.0, 0.36), (0.15, 0.34), (0.4, 0.22), (0.7, 0.16), (1.0, 0.17), (1.25, 0.22), (1.45, 0.22), (1.6, 0.1)]
        }
        Role::King => &[
            (0.0, 0.36),
            (0.15, 0.34),
            (0.4, 0.23),
            (0.7, 0.17),
            (1.0, 0.19),
            (1.3, 0.22),
            (1.5, 0.2),
            (1.65, 0.1),
            (1.8, 0.07),
        ],
    }
}

/// Height of a man, in squares.
#[must_use]
pub fn height(role: Role) -> f64 {
    discs(role).last().map_or(0.0, |(height, _)| f64::from(*height))
}

/// Height of the tallest man, in squares.
pub(crate) const TALLEST: f64 = 1.8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn discs_rise_from_the_board_and_stay_on_their_square() {
        for role in Role::ALL {
            let discs = discs(role);
            assert_eq!(discs[0].0, 0.0);
            assert!(discs.windows(2).all(|pair| pair[0].0 < pair[1].0));
            assert!(discs.iter().all(|(_, r)| (0.0..0.5).contains(r)));
            assert!(height(role) <= TALLEST + 1e-6);
        }
        assert!((height(Role::King) - TALLEST).abs() < 1e-6);
    }
}
