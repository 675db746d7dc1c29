//! Laws of the whole simulator.

use std::time::Instant;

use shakmaty::Chess;

use super::{
    Scene, Simulation,
    script::tests::{EVERYTHING, moves},
};
use crate::game::start::Start;

fn simulation(scene: &Scene, line: &str, seed: u64) -> Simulation {
    Simulation::new(scene, Start::default(), moves(&Chess::default(), line), seed).unwrap()
}

#[test]
fn pictures_to_look_at() {
    let Ok(folder) = std::env::var("SIM_LOOK") else { return };
    for (name, scene) in [("over", Scene::overhead()), ("o50", Scene::oblique(50.0)), ("o30", Scene::oblique(30.0))] {
        let clock = Instant::now();
        let mut sim = simulation(&scene, EVERYTHING, 1).stills();
        let first = sim.next().unwrap();
        println!("{name}: first {:?}", clock.elapsed());
        first.image.save(format!("{folder}/{name}.png")).unwrap();
        let clock = Instant::now();
        let last = sim.last().unwrap();
        println!("{name}: 39 stills {:?}", clock.elapsed());
        last.image.save(format!("{folder}/{name}_end.png")).unwrap();
    }
    for (name, scene) in [("over", Scene::overhead()), ("o45", Scene::oblique(45.0))] {
        let clock = Instant::now();
        let sim = simulation(&scene, EVERYTHING, 1);
        let frames = sim.frames();
        let mut shown = 0;
        for (i, frame) in sim.take(900).enumerate() {
            if !frame.clean && i % 7 == 0 && shown < 40 {
                frame.image.save(format!("{folder}/film_{name}_{i:04}.png")).unwrap();
                shown += 1;
            }
        }
        println!("{name}: film of {frames}, 900 frames: {:?}", clock.elapsed());
    }
}
