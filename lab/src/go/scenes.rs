//! On which boards, before which cameras? Any within what is usual, thrown by a seed.

use chess_observer::sim::{
    dice::Dice,
    go::GoScene,
    scene::{LampColour, Srgb},
};

use crate::condition::Condition;

/// Woods of boards: kaya, spruce as bright as white stones, katsura, old bamboo.
const WOODS: [Srgb; 4] = [[222, 176, 104], [234, 216, 178], [190, 136, 78], [206, 178, 126]];
/// Tables under them.
const TABLES: [Srgb; 4] = [[120, 90, 66], [60, 62, 66], [196, 190, 180], [44, 70, 52]];

/// The views of the paper's experiment, in the middle of bands as we read them.
pub const CONDITIONS: [Condition; 3] = Condition::all([1280, 1024, 800]);

/// The scene of a condition; boards, stones and lights differ from seed to seed.
#[must_use]
pub fn of(condition: &Condition, seed: u64) -> GoScene {
    let mut scene = any(seed);
    let camera = &mut scene.scene.camera;
    camera.elevation_deg = condition.elevation_deg;
    (camera.width, camera.height) = condition.picture();
    scene
}

/// A board in any usual light before a camera of 960×720 from 40° to 85° on any side.
#[must_use]
pub fn any(seed: u64) -> GoScene {
    let mut dice = Dice::new(seed, 0x60_5c);
    let mut scene = GoScene::default();
    let camera = &mut scene.scene.camera;
    camera.width = 960; // the board fills a picture of this shape
    camera.elevation_deg = dice.between(40.0, 85.0);
    camera.azimuth_deg = dice.between(-180.0, 180.0);
    camera.roll_deg = dice.between(-3.0, 3.0);
    camera.field_of_view_deg = dice.between(38.0, 70.0);
    camera.k1 = dice.between(-0.04, 0.01);
    scene.goban.wood = WOODS[dice.index(WOODS.len())];
    scene.goban.grain = dice.between(0.1, 0.5);
    scene.goban.gloss = dice.between(0.0, 0.3);
    scene.scene.table.colour = TABLES[dice.index(TABLES.len())];
    scene.stones.off_mm = dice.between(0.7, 1.4);
    // Glass is brighter to the lamp than slate and shell.
    scene.stones.gloss = [dice.between(0.03, 0.35), dice.between(0.05, 0.6)];
    let light = &mut scene.scene.light;
    light.azimuth_deg = dice.between(-180.0, 180.0);
    light.elevation_deg = dice.between(32.0, 80.0);
    light.distance_m = dice.between(1.0, 4.0);
    light.colour = LampColour::Kelvin(dice.between(2700.0, 6500.0));
    light.ambient = dice.between(0.25, 0.6);
    light.softness = dice.between(0.04, 0.35);
    light.falloff = dice.between(0.0, 0.25);
    let sensor = &mut scene.scene.sensor;
    sensor.exposure = dice.between(0.8, 1.2);
    sensor.noise_sigma = dice.between(1.2, 3.0);
    scene
}
