//! The scenes whose squares are counted, in good conditions and in fair ones. Nothing in them is left to chance.

use chess_observer::sim::{Disturbance, Scene, scene::LampColour};

use crate::experiments::{board::scenes::SETS, ladder, petkov};

/// A scene by its name.
#[derive(Debug, Clone, PartialEq)]
pub struct Named {
    /// Its row in the tables.
    pub name: &'static str,
    /// The scene.
    pub scene: Scene,
}

/// The scenes of these conditions that ship with the program, with the names of their files.
macro_rules! shipped {
    ($($name:literal),*) => { [$(($name, include_str!(concat!("../../../../scenes/", $name, ".toml")))),*] };
}
const SHIPPED_GOOD: [(&str, &str); 3] =
    shipped!("oblique55_evening_club", "overhead_daylight_walnut", "white60_yellow_bulb_glossy");
const SHIPPED_FAIR: [(&str, &str); 5] = shipped!(
    "black48_dim_noisy_green",
    "corner37_dusk_blue_vinyl",
    "side45_hard_point_green_vinyl",
    "white35_low_black_and_white",
    "white50_passers_by_brown_plastic"
);

/// Good conditions: a camera from 50° upwards whose squares have 40 pixels and more, light enough and no hard shadows,
/// men whose colours differ from the squares' as those of sets on sale do.
#[must_use]
pub fn good() -> Vec<Named> {
    let dressed = |name, set: usize, elevation_deg| {
        let mut scene = Scene::oblique(elevation_deg);
        let ([light, dark, border, white, black], grain) = SETS[set];
        let board = &mut scene.board;
        (board.light, board.dark, board.border_colour, board.grain) = (light, dark, border, grain);
        (scene.men.white, scene.men.black) = (white, black);
        Named { name, scene }
    };
    let mut scenes = vec![
        Named { name: "club, 50°", scene: Scene::oblique(50.0) },
        Named { name: "club, 65°", scene: Scene::oblique(65.0) },
        Named { name: "club, 85°", scene: Scene::oblique(85.0) },
        Named { name: "hall in daylight, 50°", scene: petkov::hall() },
        dressed("birch and sapele, 55°", 1, 55.0),
        dressed("mahogany, 60°", 2, 60.0),
        dressed("green vinyl, 55°", 3, 55.0),
        dressed("blue vinyl, 50°", 4, 50.0),
    ];
    scenes.extend(SHIPPED_GOOD.iter().filter_map(shipped));
    scenes
}

/// Fair conditions: one thing is bad at a time in the club's evening; and scenes in which several are.
#[must_use]
pub fn fair(plies: usize) -> Vec<Named> {
    let club = |name, change: &dyn Fn(&mut Scene)| {
        let mut scene = Scene::oblique(50.0);
        change(&mut scene);
        Named { name, scene }
    };
    let mut scenes = vec![
        club("low camera, 32°", &|scene| scene.camera.elevation_deg = 32.0),
        club("480×360", &|scene| (scene.camera.width, scene.camera.height) = (480, 360)),
        club("noise of 10 levels", &|scene| scene.sensor.noise_sigma = 10.0),
        club("hard light from 30°", &|scene| {
            scene.light.elevation_deg = 30.0;
            (scene.light.ambient, scene.light.softness) = (0.2, 0.02);
        }),
        club("dusk by a factor of 8", &|scene| scene.dusk.share = 1.0 / 8.0),
        club("lamp off and on, 35 % left", &|scene| ladder::light_drop(scene, 35.0, plies)),
        club("low contrast, half way", &|scene| ladder::low_contrast(scene, 0.5)),
        club("window at one side", &|scene| {
            (scene.light.colour, scene.light.distance_m) = (LampColour::Daylight, 0.0);
            (scene.light.azimuth_deg, scene.light.elevation_deg, scene.light.falloff) = (90.0, 25.0, 0.4);
            scene.light.softness = 0.2;
        }),
        club("men far off their centres", &|scene| scene.men.off_centre = 0.22),
    ];
    scenes.extend(SHIPPED_FAIR.iter().filter_map(shipped));
    scenes
}

/// How a camera follows whose exposure was left as it was sold.
const FOLLOWS: f64 = 0.7;

/// Hands over the board: where they are against the man that has moved, and in which sleeves.
#[must_use]
pub fn hands() -> Vec<(Named, Disturbance)> {
    let bare =
        |name, elevation_deg, where_: Disturbance| (Named { name, scene: Scene::oblique(elevation_deg) }, where_);
    let sleeved = |name, cloth| {
        let mut scene = Scene::oblique(50.0);
        ladder::sleeve(&mut scene, cloth, FOLLOWS);
        (Named { name, scene }, Disturbance::Visible)
    };
    vec![
        bare("bare hand, 50°", 50.0, Disturbance::Visible),
        bare("before a part of the moved man, 50°", 50.0, Disturbance::Partly),
        bare("before the moved man, 50°", 50.0, Disturbance::Hidden),
        bare("bare hand, 32°", 32.0, Disturbance::Visible),
        bare("bare hand, 85°", 85.0, Disturbance::Visible),
        sleeved("white sleeve, 50°", ladder::PALE_CLOTH),
        sleeved("black sleeve, 50°", ladder::DARK_CLOTH),
    ]
}

/// A test holds all of them to be scenes.
fn shipped((name, text): &(&'static str, &str)) -> Option<Named> {
    Some(Named { name, scene: Scene::from_toml(text).ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess_observer::sim::Camera;

    #[test]
    fn all_are_scenes_that_differ_and_good_ones_are_good() {
        let (good, fair) = (good(), fair(40));
        assert_eq!((good.len(), fair.len()), (8 + SHIPPED_GOOD.len(), 9 + SHIPPED_FAIR.len()));
        let all: Vec<&Named> = good.iter().chain(&fair).collect();
        for (i, named) in all.iter().enumerate() {
            named.scene.check().unwrap();
            assert!(all[..i].iter().all(|other| other.name != named.name && other.scene != named.scene));
        }
        let hands = hands();
        for (i, (named, disturbance)) in hands.iter().enumerate() {
            named.scene.check().unwrap();
            assert!(
                hands[..i]
                    .iter()
                    .all(|(other, d)| other.name != named.name && (d, &other.scene) != (disturbance, &named.scene))
            );
            assert!(all.iter().all(|other| other.name != named.name));
        }
        for named in &good {
            let square_px = Camera::new(&named.scene).unwrap().corners().square_px();
            assert!(named.scene.camera.elevation_deg >= 50.0 && square_px >= 40.0, "{}: {square_px}", named.name);
        }
    }
}
