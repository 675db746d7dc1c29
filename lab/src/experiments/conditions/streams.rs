//! What becomes of pictures between the light and the observer: lost, frozen, misdated, banded, out of focus, woven of two,
//! compressed, damaged.

use chess_observer::sim::Scene;

use super::{film, of};
use crate::{experiments::climb::Climb, simulated::Shots};

/// The film with a change.
fn with(change: impl FnOnce(&mut Scene)) -> Scene {
    let mut scene = film();
    change(&mut scene);
    scene
}

/// All of them.
pub(super) fn climbs() -> Vec<Climb> {
    let mut all = arrivals();
    all.extend(clocks());
    all.extend(pictures());
    all
}

/// Pictures that do not come, or come again.
fn arrivals() -> Vec<Climb> {
    let climb = |name, title, x_label, real, rungs| Climb { name, title, x_label, real, rungs };
    vec![
        climb(
            "dropped",
            "Pictures are lost (of 5 a second)",
            "pictures lost (%)",
            None,
            of(&[0.0, 40.0, 70.0, 85.0, 95.0], Shots::Film, |percent| with(|s| s.stream.dropped = percent / 100.0)),
        ),
        climb(
            "duplicated",
            "Pictures come twice",
            "pictures that come twice (%)",
            None,
            of(&[0.0, 30.0, 100.0], Shots::Film, |percent| with(|s| s.stream.duplicated = percent / 100.0)),
        ),
        climb(
            "frozen",
            "The stream freezes after every hundredth picture",
            "seconds that it is frozen",
            None,
            of(&[0.0, 1.0, 3.0, 8.0, 20.0], Shots::Film, |s| {
                with(|scene| (scene.stream.frozen, scene.stream.frozen_s) = (if s > 0.0 { 0.01 } else { 0.0 }, s))
            }),
        ),
        climb(
            "damaged",
            "Pictures with a bluish band over their upper half, all through the game",
            "pictures that are damaged (%)",
            None,
            of(&[0.0, 2.0, 10.0, 30.0, 60.0], Shots::Film, |percent| {
                with(|s| (s.stream.damaged, s.stream.damage_height) = (percent / 100.0, 0.5))
            }),
        ),
    ]
}

/// Stamps that do not tell the time.
fn clocks() -> Vec<Climb> {
    let climb = |name, title, x_label, real, rungs| Climb { name, title, x_label, real, rungs };
    vec![
        climb(
            "stamps_jump",
            "The stamps' clock jumps forward or backward after every fiftieth picture",
            "jump (s)",
            None,
            of(&[0.0, 0.3, 2.0, 30.0, 3600.0], Shots::Film, |s| {
                with(|scene| (scene.stream.jump, scene.stream.jump_s) = (if s > 0.0 { 0.02 } else { 0.0 }, s))
            }),
        ),
        climb(
            "unstamped",
            "Every second picture has no stamp, and is given the time at which it comes",
            "it comes so late at most (s)",
            None,
            of(&[0.0, 0.1, 0.5, 2.0], Shots::Film, |s| {
                with(|scene| (scene.stream.unstamped, scene.stream.latency_s) = (if s > 0.0 { 0.5 } else { 0.0 }, s))
            }),
        ),
    ]
}

/// Pictures that come, but not as the light was.
fn pictures() -> Vec<Climb> {
    let climb = |name, title, x_label, real, rungs| Climb { name, title, x_label, real, rungs };
    vec![
        climb(
            "rolling_bands",
            "A flickering lamp and rows exposed one after the other: dark bands roll down",
            "light missing in the bands (%)",
            None,
            of(&[0.0, 15.0, 30.0, 50.0, 80.0], Shots::Film, |percent| with(|s| s.readout.bands = percent / 100.0)),
        ),
        climb(
            "hunting_focus",
            "An autofocus that hunts every eleven seconds, and zooms a little",
            "blur when farthest off (px)",
            None,
            of(&[0.0, 1.0, 2.0, 4.0, 8.0], Shots::Film, |px| {
                with(|s| (s.readout.hunt_px, s.readout.hunt_zoom) = (px, 0.005 * px))
            }),
        ),
        climb(
            "interlaced",
            "Every second row is of the picture before; hands move 0.8 m/s",
            "time between the two (ms)",
            None,
            of(&[0.0, 100.0, 200.0, 400.0], Shots::Film, |ms| {
                with(|s| {
                    s.readout.interlaced = ms > 0.0;
                    if ms > 0.0 {
                        s.camera.frame_rate_hz = 1000.0 / ms;
                    }
                })
            }),
        ),
        climb(
            "heavy_jpeg",
            "A camera that compresses more and more",
            "quality of JPEG",
            None,
            of(&[85.0, 40.0, 20.0, 10.0, 5.0], Shots::Film, |quality| with(|s| s.sensor.jpeg_quality = quality as u8)),
        ),
    ]
}
