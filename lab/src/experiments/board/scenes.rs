//! Any board, anywhere, in any light: scenes by chance.

use chess_observer::{
    game::start::Start,
    sim::{
        Camera, Scene,
        dice::Dice,
        scene::{LampColour, Srgb},
    },
};
use shakmaty::{EnPassantMode, Position as _, fen::Fen};

use crate::experiments::lab::Game;

/// Cameras' heights over the board, in degrees, from which the rows of the tables are made.
pub const HEIGHTS: [[f64; 2]; 3] = [[60.0, 90.0], [45.0, 60.0], [30.0, 45.0]];
/// Radial distortion k1: none, and what webcams and cheap wide lenses have.
pub const LENSES: [[f64; 2]; 2] = [[0.0, 0.0], [-0.25, 0.08]];
/// Throws until a camera is found that shows the whole board.
const THROWS: usize = 50;

/// Light squares, dark squares, border, White's men, Black's men; strength of grain.
pub type Set = ([Srgb; 5], f64);

/// Sets as they are sold: maple and walnut, birch and sapele, mahogany, green and blue vinyl, black and white, brown
/// plastic with a border in the colour of the light squares.
pub const SETS: [Set; 7] = [
    ([[214, 176, 124], [122, 74, 44], [84, 47, 29], [222, 190, 142], [58, 36, 27]], 0.5),
    ([[222, 196, 152], [140, 88, 56], [120, 70, 42], [226, 200, 150], [70, 42, 30]], 0.4),
    ([[176, 124, 84], [84, 44, 30], [60, 32, 24], [206, 168, 118], [44, 28, 22]], 0.7),
    ([[232, 228, 200], [86, 122, 74], [232, 228, 200], [232, 222, 196], [34, 32, 30]], 0.0),
    ([[226, 228, 222], [70, 104, 148], [60, 90, 130], [236, 230, 214], [30, 30, 34]], 0.0),
    ([[232, 232, 228], [44, 44, 46], [44, 44, 46], [236, 234, 228], [36, 36, 38]], 0.0),
    ([[236, 212, 172], [170, 124, 88], [236, 212, 172], [240, 222, 184], [66, 44, 32]], 0.1),
];
/// What boards lie on: wood, dark wood, a white and a grey table top, green cloth.
const TABLES: [(Srgb, f64); 5] =
    [([120, 90, 66], 0.6), ([70, 48, 36], 0.7), ([206, 204, 198], 0.1), ([120, 122, 124], 0.2), ([52, 84, 62], 0.2)];

/// A scene of 1280×720 whose camera's height and lens are within ranges; all else by chance.
pub fn scene(height_deg: [f64; 2], k1: [f64; 2], dice: &mut Dice) -> Scene {
    let mut scene = Scene::default();
    let ([light, dark, border, white, black], grain) = SETS[dice.index(SETS.len())];
    let board = &mut scene.board;
    (board.light, board.dark, board.border_colour, board.grain) = (light, dark, border, grain);
    (board.border, board.wear, board.gloss) = (dice.between(0.1, 0.8), dice.between(0.0, 0.5), dice.between(0.0, 0.6));
    (board.coordinates, board.fold) = (dice.unit() < 0.6, dice.unit() < 0.5);
    (scene.men.white, scene.men.black) = (white, black);
    (scene.men.off_centre, scene.men.turn_deg) = (dice.between(0.05, 0.2), 60.0);
    (scene.table.colour, scene.table.grain) = TABLES[dice.index(TABLES.len())];

    let lamp = &mut scene.light;
    (lamp.azimuth_deg, lamp.elevation_deg) = (dice.between(-180.0, 180.0), dice.between(30.0, 75.0));
    lamp.distance_m = if dice.unit() < 0.3 { 0.0 } else { dice.between(0.9, 2.5) };
    lamp.colour = [LampColour::Yellow, LampColour::White, LampColour::Daylight][dice.index(3)];
    (lamp.ambient, lamp.softness, lamp.falloff) =
        (dice.between(0.25, 0.7), dice.between(0.03, 0.4), dice.between(0.0, 0.3));
    scene.sensor.noise_sigma = dice.between(1.0, 4.0);
    scene.sensor.exposure = dice.between(0.9, 1.3);

    (scene.camera.width, scene.camera.height) = (1280, 720);
    let plain = scene;
    for _ in 0..THROWS {
        let mut scene = plain.clone();
        let camera = &mut scene.camera;
        camera.elevation_deg = dice.between(height_deg[0], height_deg[1]);
        camera.azimuth_deg = dice.between(-180.0, 180.0);
        camera.roll_deg = dice.between(-10.0, 10.0);
        camera.field_of_view_deg = dice.between(38.0, 85.0);
        camera.k1 = dice.between(k1[0], k1[1]);
        camera.aim_m = [dice.between(-0.06, 0.06), dice.between(-0.06, 0.06)];
        let farther = dice.between(1.0, 2.0);
        let Ok(fitted) = Camera::new(&scene) else { continue };
        let square_m = scene.board.square_size_m;
        let aim =
            nalgebra::Point3::new(4.0 + scene.camera.aim_m[0] / square_m, 4.0 + scene.camera.aim_m[1] / square_m, 0.0);
        scene.camera.distance_m = farther * square_m * nalgebra::distance(&fitted.centre, &aim);
        if scene.check().is_ok() {
            return scene;
        }
    }
    plain
}

/// Half of the time the beginning of a game, else some position of it.
pub fn position(games: &[Game], dice: &mut Dice) -> Start {
    let index = dice.index(games.len());
    let (throw, share) = (dice.unit(), dice.unit());
    let Some(game) = games.get(index).filter(|_| throw > 0.5) else { return Start::default() };
    let plies = (share * game.plies() as f64) as usize;
    let mut position = game.story.start.position().clone();
    game.story.moves[..plies].iter().for_each(|&m| position.play_unchecked(m));
    let fen = Fen::from_position(&position, EnPassantMode::Legal).to_string();
    Start::from_fen(&fen).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_throw_is_a_scene_of_its_own_within_its_ranges() {
        let mut dice = Dice::new(1, 1);
        let mut scenes: Vec<Scene> = vec![];
        for [low, high] in HEIGHTS {
            for k1 in LENSES {
                for _ in 0..20 {
                    let scene = scene([low, high], k1, &mut dice);
                    scene.check().unwrap();
                    assert!((low..=high).contains(&scene.camera.elevation_deg));
                    assert!((k1[0]..=k1[1]).contains(&scene.camera.k1));
                    assert!(!scenes.contains(&scene));
                    scenes.push(scene);
                }
            }
        }
        let share = |scene: &Scene| {
            let corners = Camera::new(scene).unwrap().corners();
            8.0 * corners.square_px() / 720.0
        };
        let (least, most) = scenes.iter().map(share).fold((9.0f64, 0.0f64), |(a, b), s| (a.min(s), b.max(s)));
        assert!(least < 0.45 && most > 0.75, "a board takes {least} to {most} of the picture's height");
    }
}
