//! What is simulated: board and stones, and the scene of chess for all that both games share.

use serde::{Deserialize, Serialize};

use super::{UNIT_M, units};
use crate::sim::scene::{BoardLook, CameraSetup, Scene, SceneError, Srgb};

/// The board.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Goban {
    /// Distance of lines from left to right, and from top to bottom, in millimetres.
    pub(super) spacing_mm: [f64; 2],
    /// From the outer lines to the edge, in millimetres.
    pub(super) margin_mm: f64,
    /// Thickness, in millimetres.
    pub(super) thickness_mm: f64,
    /// Width of a line, in millimetres.
    pub(super) line_mm: f64,
    /// Diameter of a star point, in millimetres.
    pub(super) star_mm: f64,
    /// How far a line's ends lie off their places, in millimetres; the outer lines are true.
    pub(crate) uneven_mm: f64,
    /// Colour of the wood. Some boards are as bright as white stones.
    pub wood: Srgb,
    /// Colour of lines and star points.
    pub ink: Srgb,
    /// How strong the grain is: 0 none, 1 coarse.
    pub grain: f64,
    /// How much it mirrors lamps and stones, 0 dull to 1 lacquered.
    pub gloss: f64,
    /// Are there bowls beside it?
    pub(super) bowls: bool,
}

impl Default for Goban {
    fn default() -> Self {
        Self {
            spacing_mm: [22.0, 23.7], // the usual board: 42.4 by 45.5 cm
            margin_mm: 14.2,
            thickness_mm: 30.0, // a board for a table
            line_mm: 1.0,
            star_mm: 4.0,
            uneven_mm: 0.2, // lines are drawn by hand or printed on wood that works
            wood: [222, 176, 104],
            ink: [38, 28, 20],
            grain: 0.35,
            gloss: 0.15,
            bowls: true,
        }
    }
}

/// The stones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StoneLook {
    /// Diameters of black and white stones, in millimetres.
    pub(super) diameter_mm: [f64; 2],
    /// Height, in millimetres.
    pub(super) height_mm: f64,
    /// Standard deviation of a stone's place from its crossing along each axis, in millimetres.
    pub off_mm: f64,
    /// Colour of black stones.
    pub black: Srgb,
    /// Colour of white stones.
    pub white: Srgb,
    /// How much black and white stones mirror the lamps, 0 to 1.
    pub gloss: [f64; 2],
    /// How much the stones of one colour differ in brightness: 0.03 is ±3 %.
    pub unlike: f64,
}

impl Default for StoneLook {
    fn default() -> Self {
        Self {
            diameter_mm: [22.2, 21.9], // white looks larger, so it is made smaller
            height_mm: 9.0,
            off_mm: 1.0,
            black: [40, 40, 43], // slate, never pure black
            white: [238, 234, 224],
            gloss: [0.06, 0.2], // matte slate, polished shell
            unlike: 0.03,
        }
    }
}

/// Everything that a simulated camera sees, except the game.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GoScene {
    /// The board.
    pub goban: Goban,
    /// The stones.
    pub stones: StoneLook,
    /// Camera, lamps, sensor, table, hands and pace: what chess has as well. Its chessboard and men are not used.
    pub scene: Scene,
}

impl Default for GoScene {
    fn default() -> Self {
        // 19 lines want more pixels than eight squares.
        let camera = CameraSetup { width: 1280, height: 720, ..CameraSetup::default() };
        Self { goban: Goban::default(), stones: StoneLook::default(), scene: Scene { camera, ..Scene::default() } }
    }
}

impl GoScene {
    /// Reads a scene; missing keys have their defaults.
    ///
    /// # Errors
    /// When the text is not TOML, has an unknown key, or a value outside its range.
    pub fn from_toml(text: &str) -> Result<Self, SceneError> {
        let syntax = |e: &dyn std::fmt::Display| SceneError::Syntax(e.to_string());
        let given: toml::Table = toml::from_str(text).map_err(|e| syntax(&e))?;
        // A part of a table is laid over Go's defaults, which are not those of chess.
        let mut whole = toml::Table::try_from(Self::default()).map_err(|e| syntax(&e))?;
        lay_over(&mut whole, given);
        let scene: Self = whole.try_into().map_err(|e| syntax(&e))?;
        scene.check()?;
        Ok(scene)
    }

    /// The default scene from a side: `elevation_deg` above the board's plane, `azimuth_deg` around it from behind White.
    #[must_use]
    pub fn from_side(elevation_deg: f64, azimuth_deg: f64) -> Self {
        let mut scene = Self::default();
        (scene.scene.camera.elevation_deg, scene.scene.camera.azimuth_deg) = (elevation_deg, azimuth_deg);
        scene
    }

    /// Is every number within its range?
    ///
    /// # Errors
    /// Names the first key that is not.
    pub fn check(&self) -> Result<(), SceneError> {
        let (g, s) = (&self.goban, &self.stones);
        let numbers = [
            ("goban.spacing_mm[0]", g.spacing_mm[0], 8.0, 40.0),
            ("goban.spacing_mm[1]", g.spacing_mm[1], 8.0, 40.0),
            ("goban.margin_mm", g.margin_mm, 2.0, 100.0),
            ("goban.thickness_mm", g.thickness_mm, 0.0, 100.0),
            ("goban.line_mm", g.line_mm, 0.2, 3.0),
            ("goban.star_mm", g.star_mm, 0.0, 8.0),
            ("goban.uneven_mm", g.uneven_mm, 0.0, 2.0),
            ("goban.grain", g.grain, 0.0, 1.0),
            ("goban.gloss", g.gloss, 0.0, 1.0),
            ("stones.diameter_mm[0]", s.diameter_mm[0], 5.0, 40.0),
            ("stones.diameter_mm[1]", s.diameter_mm[1], 5.0, 40.0),
            ("stones.height_mm", s.height_mm, 2.0, 20.0),
            ("stones.off_mm", s.off_mm, 0.0, 5.0),
            ("stones.gloss[0]", s.gloss[0], 0.0, 1.0),
            ("stones.gloss[1]", s.gloss[1], 0.0, 1.0),
            ("stones.unlike", s.unlike, 0.0, 0.3),
        ];
        for (key, value, low, high) in numbers {
            if !(low..=high).contains(&value) {
                return Err(SceneError::Range { key: key.into(), value, low, high });
            }
        }
        self.scene.check_numbers()
    }

    /// The scene in units of [`UNIT_M`]: what camera, lamps and hands are told.
    #[must_use]
    pub(super) fn world(&self) -> Scene {
        let board = BoardLook {
            square_size_m: UNIT_M,
            border: units(self.goban.margin_mm),
            thickness: units(self.goban.thickness_mm),
            gloss: self.goban.gloss,
            ..BoardLook::default()
        };
        Scene { board, ..self.scene.clone() }
    }
}

/// Replaces what a table has by what another one gives, tables in it part by part.
fn lay_over(whole: &mut toml::Table, given: toml::Table) {
    for (key, value) in given {
        match (whole.get_mut(&key), value) {
            (Some(toml::Value::Table(old)), toml::Value::Table(new)) => lay_over(old, new),
            (_, value) => drop(whole.insert(key, value)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_a_usable_scene_and_survives_toml() {
        let scene = GoScene::default();
        scene.check().unwrap();
        assert_eq!(GoScene::from_toml(&toml::to_string(&scene).unwrap()).unwrap(), scene);
        assert_eq!(GoScene::from_toml("").unwrap(), scene);
    }

    #[test]
    fn absurd_values_are_refused_by_name() {
        for (text, key) in [
            ("[goban]\nline_mm = 9", "goban.line_mm"),
            ("[stones]\noff_mm = nan", "stones.off_mm"),
            ("[stones]\nshape = 'cube'", "shape"),
            ("[scene.camera]\nelevation_deg = 5", "camera.elevation_deg"),
        ] {
            let error = GoScene::from_toml(text).expect_err(text).to_string();
            assert!(error.contains(key), "{text:?} gave {error:?}");
        }
    }
}
