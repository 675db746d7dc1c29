//! Real and rendered games as separate pictures, against their truth: a table, printed, and floors that no change may
//! fall below. The board is found by the program itself, except in recordings that show nothing but the 64 squares.

use chess_observer::eval::{
    run::{Options, run},
    score::Score,
};
use rayon::prelude::*;

use crate::support::shared;

/// The least that is asked of a recording.
enum Floor {
    /// Every ply, from first to last.
    Perfect,
    /// No fault among the first so many plies.
    FaultlessTo(usize),
}
use Floor::{FaultlessTo, Perfect};

const FLOORS: &[(&str, Floor)] = &[
    ("real/bgu-game5", Perfect),
    // Plies 45 and 47 in the wrong order: a hand covered the first of them, and the reply has no picture.
    ("real/bgu-game7", FaultlessTo(44)),
    ("real/cu-2ply", Perfect),
    ("real/hfcc-10ply", Perfect),
    ("real/ts-0303-2", Perfect),
    ("real/ts-0303-3", Perfect),
    ("real/ts-testset1", Perfect),
    ("real/vp-2ply", Perfect),
    ("renders/s02_white60_walnut_hd", Perfect),
    ("renders/s03_side45_brown_hardlight_illegal", Perfect),
    ("renders/s04_corner35_blue_dusk_bump", Perfect),
    ("renders/s09_white48_dim_noisy_ep", Perfect),
];

impl Floor {
    fn holds(&self, score: &Score) -> bool {
        match *self {
            Perfect => score.perfect,
            FaultlessTo(plies) => score.first_fault.is_none_or(|first| first > plies),
        }
    }

    fn words(&self) -> String {
        match self {
            Perfect => "perfect".into(),
            FaultlessTo(plies) => format!("faultless to {plies}"),
        }
    }
}

#[test]
fn recorded_games_are_read_at_least_as_well_as_before() {
    let data = shared();
    let scores: Vec<_> = FLOORS
        .par_iter()
        .map(|(name, floor)| {
            let path = data.join("data").join(name);
            path.is_dir().then(|| (floor, run(&path, &Options::default(), || {}).unwrap().score))
        })
        .collect();
    let mut broken = Vec::new();
    println!(
        "{:44} {:>5} {:>5} {:>5} {:>5} {:>6} {:>6}  floor",
        "recording", "plies", "right", "first", "false", "delay", "s"
    );
    for ((name, _), score) in FLOORS.iter().zip(scores) {
        let Some((floor, score)) = score else {
            println!("skipped: {} is not there", data.join("data").join(name).display());
            continue;
        };
        let delay = score.delays.iter().map(|d| d.pictures as f64).sum::<f64>() / score.delays.len().max(1) as f64;
        let first = score.first_fault.map_or_else(|| "–".into(), |ply| ply.to_string());
        println!(
            "{name:44} {:5} {:5} {first:>5} {:5} {delay:6.2} {:6.1}  {}",
            score.plies,
            score.right,
            score.warnings.wrong,
            score.observing_s,
            floor.words()
        );
        if !floor.holds(&score) {
            broken.push(format!("{name}: {} is asked, faults: {:?}", floor.words(), score.faults));
        }
        if score.warnings.wrong > 0 {
            broken.push(format!("{name}: {} false warnings", score.warnings.wrong));
        }
        if !score.contradictions.is_empty() {
            broken.push(format!("{name}: {:?}", score.contradictions));
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}
