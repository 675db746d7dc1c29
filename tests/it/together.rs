//! Several pictures of a board with hands over it, or of strong noise: found from one, and from five together.

use chess_observer::{
    board::{Hint, corners::Corners, gather::Gather, locate},
    frame::Frame,
    game::pgn_in::read_games,
    sim::{Disturbance, Scene, Simulation},
};
use image::RgbImage;
use shakmaty::Board;

use crate::support::noisy;

/// Found, and within 10 % of a square at all corners (under either name of an end: hands hide men).
fn found(image: &RgbImage, men: &Board, truth: &Corners) -> Result<f64, bool> {
    let frame = Frame::from_rgb(image).unwrap();
    let Ok(located) = locate(&frame, &Hint { men: Some(men.clone()), near: None, lens: None }) else {
        return Err(false);
    };
    let corners = located.corners();
    let off = corners.farthest_px(truth).min(corners.renamed(2).farthest_px(truth)) / truth.square_px();
    if off < 0.1 { Ok(off) } else { Err(true) }
}

/// Pictures, found alone, claimed wrongly alone, groups of five, found together, claimed wrongly together.
#[derive(Debug, Default, PartialEq)]
struct Shares([usize; 6]);

impl Shares {
    fn alone(&mut self, result: Result<f64, bool>) {
        self.count(0, result);
    }

    fn count(&mut self, at: usize, result: Result<f64, bool>) {
        self.0[at] += 1;
        match result {
            Ok(_) => self.0[at + 1] += 1,
            Err(wrong) => self.0[at + 2] += usize::from(wrong),
        }
    }
}

/// Five men go to the same squares and back, so that the men stand alike in the pictures with a hand: knights out and
/// home.
const GAME: &str = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nc3 Nc6 4. Nb1 Nb8 5. Nf3 Nf6 6. Ng1 Ng8 7. Nc3 Nc6 8. Nb1 Nb8 \
                    9. Nf3 Nf6 10. Ng1 Ng8 *";

#[test]
fn five_pictures_show_what_one_hides() {
    let game = read_games(GAME).remove(0).unwrap();
    let (mut hands, mut noise) = (Shares::default(), Shares::default());
    for (i, azimuth_deg) in [4.0, 50.0, 95.0, 170.0, 230.0, 300.0].into_iter().enumerate() {
        let seed = i as u64;
        let elevation = [38.0, 55.0, 80.0][i % 3];
        let mut scene = Scene::oblique(elevation);
        scene.camera.azimuth_deg = azimuth_deg;

        // A hand over the board in every picture; every fourth of them shows the start position. Half of the scenes: the
        // pictures take their time.
        let mut group = Gather::default();
        let film = Simulation::new(&scene, &game, seed).unwrap().stills().disturbed(Disturbance::Visible, 1);
        let shots = film.skip(1).filter(|s| s.placement == Board::new());
        for shot in shots.take(if i % 2 == 1 { 5 } else { 0 }) {
            hands.alone(found(&shot.image, &shot.placement, &shot.corners));
            group.add(&Frame::from_rgb(&shot.image).unwrap());
            if group.kept() == 5 {
                hands.count(3, found(group.median().unwrap(), &shot.placement, &shot.corners));
            }
        }

        // A dark room: the picture is noise for the most part, another noise each time.
        scene.sensor.exposure = 0.3;
        scene.sensor.auto_exposure = 0.0;
        let dark = Simulation::new(&scene, &game, seed).unwrap().stills().next().unwrap();
        let mut group = Gather::default();
        for k in 0..5 {
            let image = noisy(&dark.image, 24.0, 100 * seed + k);
            noise.alone(found(&image, &dark.placement, &dark.corners));
            group.add(&Frame::from_rgb(&image).unwrap());
        }
        assert_eq!(group.kept(), 5, "scene {i}: noise was taken for movement");
        noise.count(3, found(group.median().unwrap(), &dark.placement, &dark.corners));
    }
    for (what, Shares(n)) in [("hands", &hands), ("noise", &noise)] {
        println!("{what}: alone {} of {} ({} wrong), together {} of {} ({} wrong)", n[1], n[0], n[2], n[4], n[3], n[5]);
    }
    assert_eq!(hands.0[3..], [3, 3, 0], "with hands");
    assert_eq!(noise.0[3..], [6, 6, 0], "in noise");
    // Or the pictures were too easy to show anything.
    assert!(hands.0[1] < hands.0[0] && noise.0[1] < noise.0[0]);
}
