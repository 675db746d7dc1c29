//! Finding the board and its pose in single pictures whose truth is known: how near, how often, how sure?
//!
//! | module | idea |
//! | --- | --- |
//! | `scenes` | any board, anywhere, in any light |
//! | `renders` | pictures of recordings whose camera is known |
//! | `photographs` | single pictures whose corners are known, with any men |

mod photographs;
mod renders;
pub(super) mod scenes;

use std::{path::PathBuf, time::Instant};

use chess_observer::{
    board::{
        corners::Corners,
        lens::Lens,
        locate::{Hint, Located, locate},
        pose::{BoardPose, Optics, board_pose, corner_sd_px},
    },
    frame::Frame,
    sim::{Intrinsics, Scene, Simulation, dice::Dice},
};
use image::RgbImage;
use nalgebra::{Matrix3, Vector3};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use shakmaty::Board;

use super::{
    lab::{Lab, Task, table},
    types::{Experiment, Figures, Table, Timing},
};
use crate::{interval::Rate, simulated::ShowError};

/// Pictures of each row: of a range of heights, with and without distortion.
const PICTURES: usize = 40;
/// The same for the quick version.
const QUICK: usize = 2;
/// What a picture takes to be drawn and searched twice, in milliseconds: for progress bars.
const PICTURE_MS: u64 = 200;
/// Where a corner is further off than this, whatever the corners' names, something else was taken for the board: in
/// squares.
const ELSEWHERE_SQUARES: f64 = 0.5;
/// What is asked of a pose with `camera_info`, and without: degrees, and per cent of the distance.
const ASKED: [[f64; 2]; 2] = [[2.0, 2.0], [4.0, 6.0]];

/// A picture and what is true of it.
#[derive(Debug, Clone)]
struct Shot {
    /// The row of the tables.
    group: String,
    image: RgbImage,
    men: Board,
    corners: Corners,
    pose: TruePose,
    intrinsics: Intrinsics,
}

/// Where the board is in the camera's optical frame, in squares: `rotation * point + translation`.
#[derive(Debug, Clone, Copy, PartialEq)]
struct TruePose {
    rotation: Matrix3<f64>,
    translation: Vector3<f64>,
}

/// What came of a picture.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct Seen {
    /// A board was claimed.
    claimed: bool,
    /// It was the board.
    found: bool,
    /// And a1 was named rightly.
    named: bool,
    /// Distances of its corners from the true ones, named as fits best: pixels, and in mean sides of a square.
    corners_px: [f64; 4],
    square_px: f64,
    /// Angle between the poses in degrees, and distance of the board's centre from its true place in per cent.
    pose: Option<[f64; 2]>,
}

/// A row of the tables, looked at with `camera_info` and without.
#[derive(Debug, Clone, Default)]
struct Group {
    name: String,
    seen: Vec<[Seen; 2]>,
}

/// Runs the experiment.
///
/// # Errors
/// When a scene or a recording cannot be shown.
pub fn run(lab: &Lab<'_>) -> Result<(Experiment, Timing), ShowError> {
    let begin = Instant::now();
    let count = if lab.quick { QUICK } else { PICTURES };
    let (mut groups, left_out) = groups(lab, count)?;
    let mut experiment = lab.experiment(
        "board",
        "The board: found, and where the camera stands",
        "Single pictures of 1280×720 of boards of seven makes on five tables in lights by chance, at the beginning and in \
         the middle of games that are given as the expected position; cameras at any side, of 38° to 85°, with the \
         board in any part of the picture from half to nearly all of its height. Found: a board is claimed, and no \
         corner is more than half a square off; a1 right: and named rightly. Corners: distance from the true ones, of \
         four in each picture. Pose: angle between the found and the true one, and distance of the board's centre from \
         its true place, in per cent of its distance from the camera. With camera_info the intrinsics and the \
         distortion are known, without neither is. Of single pictures the greatest distance of a corner counts, under the \
         names that fit best; elsewhere: farther off than 10 % of a square, or named wrongly though sure.",
    );
    experiment.left_out = left_out;
    if !(lab.recordings.is_empty() && lab.singles.is_empty()) {
        experiment.command += " --recordings DIRS";
    }
    let (photographs, left_out) = photographs::look(lab)?;
    experiment.left_out += left_out;
    let mut all = Group { name: "all".into(), ..Group::default() };
    all.seen = groups.iter().flat_map(|g| g.seen.clone()).collect();
    groups.push(all);
    for (told, name) in ["with camera_info", "without"].into_iter().enumerate() {
        experiment.tables.push(finding(&format!("Finding, {name}"), &groups, told));
        experiment.tables.push(posing(&format!("Pose, {name}"), &groups, told));
    }
    experiment.tables.extend(photographs);
    let all = groups.pop().unwrap_or_default();
    let corners = |told: usize| Some(quantile(&mut all.corners(told, |_| 1.0), 0.5)).filter(|v| v.is_finite());
    experiment.figures = Figures::Board {
        found: [0, 1].map(|told| all.found(told)),
        corner_px: [0, 1].map(corners),
        pose_right: [0, 1].map(|told| all.pose_right(told)),
    };
    let pictures = all.seen.len() as u64;
    let timing = Timing {
        name: "board".into(),
        seconds: begin.elapsed().as_secs_f64(),
        pictures,
        threads: rayon::current_num_threads(),
        ..Timing::default()
    };
    Ok((experiment, timing))
}

/// All rows of the tables but the last, and how many pictures were left out.
fn groups(lab: &Lab<'_>, count: usize) -> Result<(Vec<Group>, usize), ShowError> {
    let mut jobs = vec![];
    for height in scenes::HEIGHTS {
        for (bent, lens) in scenes::LENSES.iter().enumerate() {
            let group = format!("{}–{}°, {}", height[1], height[0], ["no distortion", "distortion"][bent]);
            jobs.extend((0..count).map(|_| (group.clone(), height, *lens)));
        }
    }
    jobs.retain(|(group, ..)| group.contains(&lab.only));
    let task = |(index, (group, height, lens)): (usize, (String, [f64; 2], [f64; 2]))| Task {
        name: format!("board: {group}, picture {index}"),
        work_ms: PICTURE_MS,
        job: (index as u64, group, height, lens),
    };
    let seen =
        lab.work("board", jobs.into_iter().enumerate().map(task).collect(), |(index, group, height, lens)| {
            let shot = simulated(lab, *index, group.clone(), *height, *lens)?;
            lab.watch.advance(PICTURE_MS);
            Ok(Some([true, false].map(|told| look(&shot, told))))
        })?;
    let left_out = seen.iter().filter(|(_, seen)| seen.is_none()).count();
    let mut all: Vec<(String, [Seen; 2])> =
        seen.into_iter().filter_map(|((_, group, ..), seen)| Some((group, seen?))).collect();
    let recording_ms = renders::PICTURES as u64 * PICTURE_MS;
    let task =
        |path: &PathBuf| Task { name: format!("board: {}", path.display()), work_ms: recording_ms, job: path.clone() };
    let of_recordings = lab.work("board", lab.recordings.iter().map(task).collect(), |path| {
        let shots = renders::shots(path).map_err(|e| ShowError::Recording(e.to_string()))?;
        let seen = |shot: &Shot| (shot.group.clone(), [true, false].map(|told| look(shot, told)));
        let seen: Vec<(String, [Seen; 2])> = shots.par_iter().map(seen).collect();
        lab.watch.advance(recording_ms);
        Ok(Some(seen))
    })?;
    all.extend(of_recordings.into_iter().filter_map(|(_, seen)| seen).flatten());
    let mut groups: Vec<Group> = vec![];
    for (name, seen) in all {
        match groups.last_mut().filter(|group| group.name == name) {
            Some(group) => group.seen.push(seen),
            None => groups.push(Group { name, seen: vec![seen] }),
        }
    }
    Ok((groups, left_out))
}

/// The scenes of the report's pictures: one of each height.
pub(super) fn ends() -> Vec<(String, Scene)> {
    let mut dice = Dice::new(1, 0xb0a);
    let of = |[low, high]: [f64; 2], lens: usize| format!("{high}–{low}°, {}", ["no distortion", "distortion"][lens]);
    let heights = scenes::HEIGHTS.iter().flat_map(|height| [(height, 0), (height, 1)]);
    heights.map(|(height, lens)| (of(*height, lens), scenes::scene(*height, scenes::LENSES[lens], &mut dice))).collect()
}

fn simulated(lab: &Lab<'_>, index: u64, group: String, height: [f64; 2], lens: [f64; 2]) -> Result<Shot, ShowError> {
    let mut dice = Dice::new(lab.seed.wrapping_mul(100_003).wrapping_add(index), 0xb0a);
    let scene = scenes::scene(height, lens, &mut dice);
    let start = scenes::position(&lab.games, &mut dice);
    let men = shakmaty::Position::board(start.position()).clone();
    let refused = |source| ShowError::Simulation { name: group.clone(), source };
    let mut film = Simulation::new(&scene, (start, vec![]), lab.seed.wrapping_add(index)).map_err(refused)?.stills();
    let image = film.next().map(|frame| frame.image).unwrap_or_default();
    let camera = film.camera();
    let rotation = camera.camera_from_world;
    let pose = TruePose { rotation, translation: -(rotation * camera.centre.coords) };
    Ok(Shot { image, men, corners: camera.corners(), pose, intrinsics: camera.intrinsics(), group })
}

/// Looks for the board in a picture; `told`: the camera's parameters are known.
fn look(shot: &Shot, told: bool) -> Seen {
    let mut seen = Seen::default();
    let k = shot.intrinsics.k;
    let lens = if told { Lens::new(&k, "plumb_bob", &shot.intrinsics.d).ok().flatten() } else { None };
    let hint = Hint { men: Some(shot.men.clone()), lens, ..Hint::default() };
    let located = match Frame::from_rgb(&shot.image).map(|frame| locate(&frame, &hint)) {
        Some(Ok(located)) => located,
        _ => return seen,
    };
    seen.claimed = true;
    let errors = |turns: usize| {
        let found = located.corners().renamed(turns);
        std::array::from_fn(|i| nalgebra::distance(&found.0[i], &shot.corners.0[i]))
    };
    let worst = |errors: &[f64; 4]| errors.iter().copied().fold(0.0, f64::max);
    let all: [[f64; 4]; 4] = std::array::from_fn(errors);
    let (turns, best) = all.iter().enumerate().fold((0, &all[0]), |a, b| if worst(b.1) < worst(a.1) { b } else { a });
    seen.square_px = shot.corners.square_px();
    seen.corners_px = *best;
    seen.found = worst(best) <= ELSEWHERE_SQUARES * seen.square_px;
    seen.named = seen.found && turns == 0;
    if seen.named {
        seen.pose = pose(&located, told.then_some(k), shot.image.dimensions()).map(|found| off(&found, &shot.pose));
    }
    seen
}

/// The board's pose as the observer has it.
fn pose(located: &Located, k: Option<[f64; 9]>, size_px: (u32, u32)) -> Option<BoardPose> {
    let plane = located.map.plane();
    let optics = k.map_or(Optics::Unknown { size_px }, Optics::Known);
    board_pose(plane, &optics, corner_sd_px(plane))
}

/// How far a pose is off: degrees, and per cent of the distance of the board's centre.
fn off(found: &BoardPose, truth: &TruePose) -> [f64; 2] {
    // From the matrices' distance: the trace knows no small angles, and files round their rotations.
    let apart = (found.rotation.to_rotation_matrix().matrix() - truth.rotation).norm();
    let degrees = 2.0 * (apart / 8f64.sqrt()).min(1.0).asin().to_degrees();
    let middle = Vector3::new(4.0, 4.0, 0.0);
    let (is, was) = (found.rotation * middle + found.translation, truth.rotation * middle + truth.translation);
    [degrees, 100.0 * (is - was).norm() / was.norm()]
}

impl Group {
    fn of(&self, told: usize) -> impl Iterator<Item = &Seen> {
        self.seen.iter().map(move |seen| &seen[told])
    }

    fn rate(&self, told: usize, right: impl Fn(&Seen) -> bool) -> Rate {
        Rate::new(self.of(told).filter(|s| right(s)).count(), self.seen.len())
    }

    fn found(&self, told: usize) -> Rate {
        self.rate(told, |s| s.found)
    }

    /// Distances of all corners of boards that were found, divided.
    fn corners(&self, told: usize, by: impl Fn(&Seen) -> f64) -> Vec<f64> {
        self.of(told).filter(|s| s.found).flat_map(|s| s.corners_px.map(|e| e / by(s))).collect()
    }

    /// Poses as good as is asked, of all boards that were found and named rightly.
    fn pose_right(&self, told: usize) -> Rate {
        let [degrees, percent] = ASKED[told];
        let named: Vec<&Seen> = self.of(told).filter(|s| s.named).collect();
        let right = named.iter().filter(|s| s.pose.is_some_and(|[d, p]| d <= degrees && p <= percent));
        Rate::new(right.count(), named.len())
    }
}

/// The value below which so large a share lies; not a number where there are none.
fn quantile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let rank = (share * values.len() as f64).ceil() as usize;
    values.get(rank.saturating_sub(1)).copied().unwrap_or(f64::NAN)
}

/// Median and 95 %.
fn spread(mut values: Vec<f64>, digits: usize) -> String {
    if values.is_empty() {
        return "–".into();
    }
    format!("{:.digits$} / {:.digits$}", quantile(&mut values, 0.5), quantile(&mut values, 0.95))
}

fn percent(rate: Rate) -> [String; 3] {
    [rate.count_text(), rate.percent_text(), rate.interval_text()]
}

fn finding(title: &str, groups: &[Group], told: usize) -> Table {
    let header = [
        "camera's height, lens",
        "found",
        "%",
        "95 % interval",
        "elsewhere",
        "a1 right",
        "%",
        "95 % interval",
        "corners (px): median / 95 %",
        "(squares)",
    ];
    let row = |g: &Group| {
        let mut cells = vec![g.name.clone()];
        cells.extend(percent(g.found(told)));
        cells.push(g.of(told).filter(|s| s.claimed && !s.found).count().to_string());
        let found = g.of(told).filter(|s| s.found).count();
        cells.extend(percent(Rate::new(g.of(told).filter(|s| s.named).count(), found)));
        cells.push(spread(g.corners(told, |_| 1.0), 2));
        cells.push(spread(g.corners(told, |s| s.square_px), 3));
        cells
    };
    table(title, &header, groups.iter().map(row).collect())
}

fn posing(title: &str, groups: &[Group], told: usize) -> Table {
    let [degrees, per_cent] = ASKED[told];
    let within = format!("within {degrees}° and {per_cent} %");
    let header = [
        "camera's height, lens",
        "angle (°): median / 95 %",
        "place (%): median / 95 %",
        &within,
        "%",
        "95 % interval",
    ];
    let row = |g: &Group| {
        let poses: Vec<[f64; 2]> = g.of(told).filter_map(|s| s.pose).collect();
        let mut cells = vec![g.name.clone()];
        cells.extend([0, 1].map(|i| spread(poses.iter().map(|p| p[i]).collect(), 2)));
        cells.extend(percent(g.pose_right(told)));
        cells
    };
    table(title, &header, groups.iter().map(row).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess_observer::board::geometry::BOARD_CORNERS;

    #[test]
    fn a_pose_is_off_by_its_angle_and_by_the_share_of_its_distance() {
        let truth = TruePose { rotation: Matrix3::identity(), translation: Vector3::new(-4.0, -4.0, 20.0) };
        let found = |angle: f64, farther: f64| BoardPose {
            rotation: nalgebra::UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angle.to_radians()),
            // About the board's centre.
            translation: Vector3::new(0.0, 0.0, 20.0 * farther)
                - nalgebra::UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angle.to_radians())
                    * Vector3::new(4.0, 4.0, 0.0),
            residual_px: 0.0,
            k: [0.0; 9],
            focal_sd: 0.0,
            angle_sd_rad: 0.0,
            distance_sd: 0.0,
        };
        for (angle, farther) in [(0.0, 1.0), (3.0, 1.0), (0.0, 1.02), (7.0, 0.9)] {
            let [degrees, percent] = off(&found(angle, farther), &truth);
            assert!((degrees - angle).abs() < 1e-6, "{degrees}");
            assert!((percent - 100.0 * (farther - 1.0).abs()).abs() < 1e-6, "{percent}");
        }
    }

    #[test]
    fn quantiles() {
        let mut values = [5.0, 1.0, 4.0, 2.0, 3.0];
        assert_eq!([0.5, 0.95, 0.2].map(|share| quantile(&mut values, share)), [3.0, 5.0, 1.0]);
        assert!(quantile(&mut [], 0.5).is_nan());
        assert_eq!(spread(vec![], 2), "–");
    }

    /// The true corners of a simulated picture are those of its pose.
    #[test]
    fn truths_agree() {
        let games = super::super::lab::games("1. e4 e5 *").unwrap();
        let lab = Lab {
            seed: 3,
            quick: true,
            film: false,
            params: Default::default(),
            games,
            own_games: true,
            only: String::new(),
            recordings: vec![],
            singles: vec![],
            train: vec![],
            go_games: vec![],
            share: Default::default(),
            watch: &super::super::lab::Unwatched,
        };
        let shot = simulated(&lab, 5, "one".into(), scenes::HEIGHTS[1], scenes::LENSES[0]).unwrap();
        let k = Matrix3::from_row_slice(&shot.intrinsics.k);
        for (corner, at) in shot.corners.0.iter().zip(BOARD_CORNERS) {
            let p = k * (shot.pose.rotation * Vector3::new(at.x, at.y, 0.0) + shot.pose.translation);
            assert!((p.x / p.z - corner.x).hypot(p.y / p.z - corner.y) < 1e-6);
        }
        assert_eq!(shot.image.dimensions(), (1280, 720));
    }
}
