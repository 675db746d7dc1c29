//! Simulated boards with exact truth: how far off the corners are, and whether a1 is named rightly when it is claimed to
//! be sure.

use chess_observer::{
    board::{Hint, lens::Lens, locate},
    frame::Frame,
    game::pgn_in::read_games,
    sim::{Scene, Simulation, dice::Dice},
};
use shakmaty::Board;

type Pair = [[u8; 3]; 2];

/// Colours of men, White's and Black's, and of squares, light and dark.
const SETS: [(Pair, Pair); 5] = [
    ([[222, 190, 142], [58, 36, 27]], [[214, 176, 124], [122, 74, 44]]),
    ([[226, 222, 208], [38, 36, 36]], [[226, 224, 214], [44, 84, 150]]),
    // Red and white, on green.
    ([[220, 210, 190], [150, 40, 36]], [[222, 214, 186], [58, 104, 72]]),
    // Natural wood and a little darker wood.
    ([[206, 164, 108], [132, 86, 52]], [[214, 176, 124], [122, 74, 44]]),
    // White men as dark as the dark squares, Black's darker.
    ([[150, 110, 72], [62, 42, 32]], [[190, 150, 104], [104, 66, 42]]),
];

fn quantile(sorted: &[f64], q: f64) -> f64 {
    sorted.get(((sorted.len() as f64 - 1.0) * q).round() as usize).copied().unwrap_or(f64::NAN)
}

#[test]
fn simulated_boards_are_found_to_half_a_pixel_and_named_rightly_when_sure() {
    let game = read_games("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *").remove(0).unwrap();
    let (mut errors, mut ways) = (Vec::new(), Vec::new());
    let mut missed = 0;
    for number in 0..10_u64 {
        let mut dice = Dice::new(number, 5);
        let mut scene = Scene::oblique(dice.between(32.0, 88.0));
        scene.camera.azimuth_deg = dice.between(0.0, 360.0);
        scene.camera.roll_deg = dice.between(-8.0, 8.0);
        (scene.camera.width, scene.camera.height) = (1280, 720);
        let (men, squares) = SETS[number as usize % SETS.len()];
        (scene.men.white, scene.men.black) = (men[0], men[1]);
        (scene.board.light, scene.board.dark) = (squares[0], squares[1]);
        scene.light.azimuth_deg = dice.between(0.0, 360.0);
        let simulation = Simulation::new(&scene, &game, number).unwrap();
        let info = simulation.camera_info();
        let lens = Lens::new(&info.k, "plumb_bob", &info.d).unwrap();
        for shot in simulation.stills().step_by(6) {
            let frame = Frame::from_rgb(&shot.image).unwrap();
            let Ok(found) = locate(&frame, &Hint { men: Some(shot.placement.clone()), near: None, lens }) else {
                println!("{number} missed");
                missed += 1;
                continue;
            };
            let off: Vec<f64> = (0..4).map(|turns| found.corners().renamed(turns).farthest_px(&shot.corners)).collect();
            let right = off[0] < 0.5 * shot.corners.square_px();
            let start = shot.placement == Board::new();
            println!(
                "{number} set {} start {start} way {:.3} right {right} corners {:.2} px",
                number % 5,
                found.orientation_confidence,
                off.iter().fold(f64::INFINITY, |a, b| a.min(*b))
            );
            ways.push((found.orientation_confidence, right));
            let named = (0..4).min_by(|a, b| off[*a].total_cmp(&off[*b])).unwrap_or(0);
            let corners = found.corners().renamed(named);
            errors.extend(corners.0.iter().zip(&shot.corners.0).map(|(a, b)| (a - b).norm()));
        }
    }
    errors.sort_by(f64::total_cmp);
    println!(
        "corners {}: median {:.2} px, 90 % within {:.2}, worst {:.2}; missed {missed}",
        errors.len(),
        quantile(&errors, 0.5),
        quantile(&errors, 0.9),
        quantile(&errors, 1.0)
    );
    for (low, high) in [(0.0, 0.6), (0.6, 0.9), (0.9, 0.99), (0.99, 1.01)] {
        let of: Vec<bool> = ways.iter().filter(|w| (low..high).contains(&w.0)).map(|w| w.1).collect();
        let right = of.iter().filter(|r| **r).count();
        println!("orientation confidence {low} to {high}: {right} of {} right", of.len());
    }
    assert!(ways.iter().all(|w| w.0 <= 0.9 || w.1), "named wrongly though sure");
    assert!(quantile(&errors, 0.5) <= 0.5, "median {:.2} px", quantile(&errors, 0.5));
}
