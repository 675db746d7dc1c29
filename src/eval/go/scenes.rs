//! On which boards, before which cameras? Any within what is usual, thrown by a seed.

use crate::sim::{
    dice::Dice,
    go::GoScene,
    scene::{LampColour, Srgb},
};

/// Woods of boards: kaya, spruce as bright as white stones, katsura, old bamboo.
const WOODS: [Srgb; 4] = [[222, 176, 104], [234, 216, 178], [190, 136, 78], [206, 178, 126]];
/// Tables under them.
const TABLES: [Srgb; 4] = [[120, 90, 66], [60, 62, 66], [196, 190, 180], [44, 70, 52]];

/// A view of the paper's experiment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Condition {
    /// Its name.
    pub name: &'static str,
    /// Elevation of the camera over the board, in degrees.
    pub elevation_deg: f64,
    /// Pixels in a row of the picture; its height is three quarters of that.
    pub width: u32,
    /// What Carta and Corsolini expect without a disturbance, with the stone visible, and partly hidden, in per cent.
    pub theirs: [&'static str; 3],
}

/// The paper draws its conditions in a figure without numbers (the goban's size in pixels, and the elevation): these are
/// views in the middle of bands as we read it.
pub const CONDITIONS: [Condition; 3] = [
    Condition { name: "optimal", elevation_deg: 70.0, width: 1280, theirs: ["100", "100", "70–80"] },
    Condition { name: "good", elevation_deg: 48.0, width: 1024, theirs: ["100", "100", "60–70"] },
    Condition { name: "fair", elevation_deg: 32.0, width: 800, theirs: ["99–100", "95–100", "50–60"] },
];

impl Condition {
    /// The scene of it; boards, stones and lights differ from seed to seed.
    #[must_use]
    pub fn scene(&self, seed: u64) -> GoScene {
        let mut scene = any(seed);
        let camera = &mut scene.scene.camera;
        camera.elevation_deg = self.elevation_deg;
        (camera.width, camera.height) = (self.width, self.width / 4 * 3);
        scene
    }
}

/// A board in any usual light before a camera of 1280×720 from 40° to 85° on any side.
#[must_use]
pub fn any(seed: u64) -> GoScene {
    let mut dice = Dice::new(seed, 0x60_5c);
    let mut scene = GoScene::default();
    let camera = &mut scene.scene.camera;
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
