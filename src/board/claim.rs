//! How sure is it that a lattice with a board placed on it is a chessboard?
//!
//! Floors, cloths, targets and other games have lattices of crossings as well. What tells them from a board: their
//! chequers go on beyond the eighth line or out of the picture, they are not flat, a man stands on none of the squares
//! where men are expected, or what looks like men stands on the squares of one colour only.

use super::{placement::Placement, refine::Refined};

/// Pixels of a crossing's distance from the plane that noise and reduction explain in any picture.
const NOISE_PX: f64 = 0.3;
/// The same, over the noise as a part of the contrast, in pictures full of noise. Measured on simulated pictures with noise
/// of 20 to 50 levels: 18 to 24.
const NOISE_PX_BY_CONTRAST: f64 = 20.0;

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Probabilities that are claimed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Claim {
    /// That this is a chessboard, in the picture as a whole or not.
    pub(super) board: f64,
    /// And that all of it is in the picture.
    pub(super) whole: f64,
}

/// From the numbers of a placement and of the crossings that it was refined on, in a picture where a square's side is
/// `square_px`, to probabilities. `refined` is `None` where too few crossings agreed on a plane.
pub(super) fn claim(p: &Placement, men_known: bool, refined: Option<&Refined>, square_px: f64) -> Claim {
    // The margin's cells are not independent (one shadow darkens many): it counts a third. A board whose men are known
    // shows its place by a margin of 18 and more, a calibration target larger than a board by 4; without the men
    // boards begin at 4 and such a target has 2.
    let position = if men_known { logistic((p.margin - 10.0) / 3.0) } else { logistic((p.margin - 3.0) / 1.5) };
    // Where the men are not known, more of the lattice must be seen: boards begin at 22, Go stones reach 18.
    let lattice = logistic((p.crossings as f64 - if men_known { 12.0 } else { 20.0 }) / 2.0);
    // Where the men are not known, half of the squares may bear one.
    let fit = logistic((p.empty_fit - if men_known { 0.6 } else { 0.35 }) * 12.0);
    // Men that look like their square are not counted; others in dim light or small are hard to tell from none.
    let men = logistic((p.men_fit - 0.43) * 12.0);
    // Boards photographed with unknown lenses lie within 2 % of a square, noise taken off; flags and cloths begin at 4 %.
    let flat = refined.map_or(0.0, |r| {
        let by_noise = NOISE_PX.max(NOISE_PX_BY_CONTRAST * r.noise);
        logistic((0.035 - (r.residual_px - by_noise) / square_px) / 0.0025)
    });
    // Crossings on one side of a board do not tell its far corners, and a claim says where they are: within a tenth of
    // a square, which a deviation of 8 % of it does in three of four cases.
    let corners = refined.map_or(0.0, |r| logistic((0.08 - r.corner_sd_px / square_px) / 0.008));
    // All squares of every board to be played on are in the picture; half of a corner square
    // may be cut off.
    let whole = if p.visible >= 1.0 { 1.0 } else { logistic((p.visible - 0.988) / 0.008) };
    // Of the boards in the test pictures none seems to go on; of the targets and floors of more than eight lines most.
    let ends = 0.05_f64.powi(p.continued as i32);
    // Draughtsmen, markers: half of the squares bear something, all of one colour.
    let both = if p.one_colour { 0.1 } else { 1.0 };
    let board = position * lattice * fit * men * flat * corners * ends * both;
    let board = if board.is_finite() { board } else { 0.0 };
    Claim { board, whole: board * whole }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{corners::Corners, map::BoardMap};

    fn good() -> Placement {
        let corners = Corners::new([[0.0, 80.0], [80.0, 80.0], [80.0, 0.0], [0.0, 0.0]]).expect("corners");
        Placement {
            map: BoardMap::from_corners(&corners, None).expect("a map"),
            margin: 40.0,
            orientation: 1.0,
            empty_fit: 1.0,
            men_fit: 0.9,
            contrast: 80.0,
            crossings: 40,
            continued: 0,
            visible: 1.0,
            one_colour: false,
        }
    }

    #[test]
    fn every_fault_alone_takes_the_claim_away() {
        let refined = |residual_px, noise, corner_sd_px| {
            Some(Refined { map: good().map, crossings: 40, residual_px, noise, corner_sd_px })
        };
        let sure = |p: &Placement, residual| claim(p, true, refined(residual, 0.01, 0.5).as_ref(), 50.0).whole;
        assert!(sure(&good(), 0.5) > 0.95);
        let faults: [fn(&mut Placement); 7] = [
            |p| p.margin = 4.0,
            |p| p.crossings = 8,
            |p| p.empty_fit = 0.4,
            |p| p.men_fit = 0.2,
            |p| p.continued = 1,
            |p| p.visible = 0.9,
            |p| p.one_colour = true,
        ];
        for (i, fault) in faults.into_iter().enumerate() {
            let mut p = good();
            fault(&mut p);
            assert!(sure(&p, 0.5) < 0.5, "fault {i}");
        }
        assert!(sure(&good(), 3.0) < 0.1);
        // Noise explains as much as it can, and no more.
        let in_noise = |residual| claim(&good(), true, refined(residual, 0.1, 0.5).as_ref(), 50.0).whole;
        assert!(in_noise(3.0) > 0.9 && in_noise(5.0) < 0.1);
        assert_eq!(claim(&good(), true, None, 50.0), Claim { board: 0.0, whole: 0.0 });
        assert!(claim(&good(), true, refined(0.5, 0.01, 6.0).as_ref(), 50.0).whole < 0.1);
        // A board cut off by the picture's edge is a board.
        let cut = claim(&Placement { visible: 0.875, ..good() }, true, refined(0.5, 0.01, 0.5).as_ref(), 50.0);
        assert!(cut.board > 0.95 && cut.whole < 0.01, "{cut:?}");
        // No number is no claim.
        assert_eq!(sure(&Placement { margin: f64::NAN, ..good() }, 0.5), 0.0);
    }
}
