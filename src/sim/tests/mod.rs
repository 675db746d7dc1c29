//! Laws of the whole simulator.

mod conditions;
mod faults;
mod golden;
mod houses;
mod incidents;
mod knocks;

use shakmaty::{CastlingSide, Chess, Color, Move, Position, Role, Square};

use crate::{
    board::geometry::square_centre,
    game::start::Start,
    sim::{
        Disturbance, Scene, Simulation,
        output::{Pictures, truth_pgn, write_folder},
        play::script::tests::{EVERYTHING, moves},
        scene::{Bump, Sensor},
    },
};

fn simulation(scene: &Scene, line: &str, seed: u64) -> Simulation {
    Simulation::new(scene, (Start::default(), moves(&Chess::default(), line)), seed).unwrap()
}

/// A small, quick picture.
fn small(mut scene: Scene) -> Scene {
    (scene.camera.width, scene.camera.height) = (160, 120);
    scene.camera.frame_rate_hz = 4.0;
    scene
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_seed_does_not() {
    let scene = small(Scene::default());
    let shoot =
        |seed| simulation(&scene, "e2e4 d7d5 e4d5", seed).map(|f| (f.stamp, f.image.into_raw())).collect::<Vec<_>>();
    let (first, again, other) = (shoot(7), shoot(7), shoot(8));
    assert!(first == again, "two films of one seed differ");
    assert!(first[0].1 != other[0].1, "the seed changes nothing");
    assert!(first[0].1 != first[1].1, "the noise stands still");
}

#[test]
fn clean_pictures_show_the_position_after_their_ply() {
    let mut scene = small(Scene::oblique(45.0));
    (scene.camera.width, scene.camera.height, scene.pace.rest_max_s) = (80, 64, 1.4);
    let start = Chess::default();
    let line = moves(&start, EVERYTHING);
    let mut boards = vec![start.board().clone()];
    let mut position = start;
    for m in &line {
        position.play_unchecked(*m);
        boards.push(position.board().clone());
    }
    let mut film = simulation(&scene, EVERYTHING, 3);
    let (total, mut seen, mut last, mut count) = (film.frames(), vec![0; boards.len()], 0, 0);
    let mut stamp = None;
    for frame in film.by_ref() {
        assert!(frame.ply == last || frame.ply == last + 1, "from ply {last} to {}", frame.ply);
        assert!(stamp < Some(frame.stamp), "time stands still");
        stamp = Some(frame.stamp);
        last = frame.ply;
        count += 1;
        if frame.clean {
            seen[frame.ply] += 1;
            assert_eq!(frame.placement, boards[frame.ply], "clean picture of ply {}", frame.ply);
        }
    }
    assert_eq!(count, total);
    assert!(seen.iter().all(|n| *n >= 3), "clean pictures a ply: {seen:?}");
    for (ply, frame) in simulation(&scene, EVERYTHING, 3).stills().enumerate() {
        assert!(frame.clean && frame.ply == ply && frame.placement == boards[ply]);
    }
}

#[test]
fn rendering_only_what_changed_is_rendering_everything() {
    let mut scene = small(Scene::oblique(40.0));
    scene.sensor = Sensor::steady();
    let line = "e2e4 d7d5 e4d5 d8d5 b1c3";
    let stepwise = simulation(&scene, line, 5).stills().last().unwrap();
    // The film ends with the same men on the same places, after hands have passed over all of it.
    let filmed = simulation(&scene, line, 5).last().unwrap();
    let mut fresh = simulation(&scene, line, 5).stills();
    fresh.skip_to_end();
    let fresh = fresh.next().unwrap();
    assert_eq!(fresh.placement, stepwise.placement);
    assert!(fresh.image == stepwise.image, "stills differ from a fresh picture");
    assert!(fresh.image == filmed.image, "the film's end differs from a fresh picture");
}

#[test]
fn the_edges_of_squares_are_where_the_corners_say() {
    // A board of two pure colours: sampled just inside of each corner, the squares a1, h1, h8, a8 must show theirs.
    let mut scene = Scene::oblique(60.0);
    scene.board.light = [255, 255, 255];
    scene.board.dark = [0, 0, 160];
    scene.board.grain = 0.0;
    scene.sensor = Sensor::steady();
    scene.camera.k1 = -0.1;
    let mut sim = Simulation::new(&scene, (Start::from_fen("8/8/8/3k4/8/3K4/8/8 w - - 0 1").unwrap(), vec![]), 2)
        .unwrap()
        .stills();
    let camera = sim.camera().clone();
    let picture = sim.next().unwrap().image;
    let luma = |x: f64, y: f64| {
        let p = camera.to_image(&nalgebra::Point3::new(x, y, 0.0));
        let [r, g, _] = picture.get_pixel(p.x.round() as u32, p.y.round() as u32).0;
        u32::from(r) + u32::from(g)
    };
    for file in 1..8 {
        for rank in [0, 1, 6] {
            // 0.08 squares are some four pixels here: a wrong map by half a square, a pixel or two, shows.
            let (x, y) = (f64::from(file), f64::from(rank) + 0.5);
            let (left, right) = (luma(x - 0.08, y), luma(x + 0.08, y));
            let light_is_right = (file + rank) % 2 == 1;
            let (bright, dark) = if light_is_right { (right, left) } else { (left, right) };
            assert!(bright > dark + 100, "edge at file {file}, rank {rank}: {left} | {right}");
        }
    }
}

#[test]
fn a_man_colours_the_pixels_over_its_square() {
    let mut scene = Scene::oblique(55.0);
    scene.men.white = [255, 40, 40];
    scene.men.black = [40, 255, 40];
    scene.men.off_centre = 0.0;
    scene.sensor = Sensor::steady();
    let mut sim = simulation(&scene, "", 2).stills();
    let camera = sim.camera().clone();
    let frame = sim.next().unwrap();
    for square in Square::ALL {
        let c = square_centre(square);
        // Half way up a pawn, on its axis.
        let p = camera.to_image(&nalgebra::Point3::new(c.x, c.y, 0.45));
        let [r, g, b] = frame.image.get_pixel(p.x.round() as u32, p.y.round() as u32).0.map(i32::from);
        match frame.placement.color_at(square) {
            Some(Color::White) => assert!(r > 2 * g, "{square} shows {r} {g} {b}"),
            Some(Color::Black) => assert!(g > 2 * r, "{square} shows {r} {g} {b}"),
            // Rank 3 may show the pawns' heads behind; further away nothing stands in front.
            None if (2..5).contains(&(square.rank() as u8)) => {
                assert!(r < 2 * g && g < 2 * r, "{square} shows {r} {g} {b}");
            }
            None => {}
        }
    }
}

#[test]
fn a_lamp_casts_shadows_and_diffuse_light_does_not() {
    let mut scene = Scene::overhead();
    scene.sensor = Sensor::steady();
    scene.board.grain = 0.0;
    scene.light.falloff = 0.0;
    (scene.light.azimuth_deg, scene.light.elevation_deg) = (-90.0, 45.0);
    let start = || Start::from_fen("8/8/8/3k4/8/3K4/8/8 w - - 0 1").unwrap();
    let ratio = |scene: &Scene| {
        let mut sim = Simulation::new(scene, (start(), vec![]), 2).unwrap().stills();
        let camera = sim.camera().clone();
        let picture = sim.next().unwrap().image;
        // The lamp stands beyond the a file: the king on d5 shades f5; d7 is of the same colour and open.
        let at = |x: f64, y: f64| {
            let p = camera.to_image(&nalgebra::Point3::new(x, y, 0.0));
            f64::from(picture.get_pixel(p.x.round() as u32, p.y.round() as u32).0[1])
        };
        at(4.6, 4.5) / at(4.6, 6.5)
    };
    let hard = ratio(&scene);
    scene.light.ambient = 1.0;
    let flat = ratio(&scene);
    assert!(hard < 0.85 && flat > 0.9, "shaded over open: {hard:.2} with a lamp, {flat:.2} without");
}

#[test]
fn a_bump_changes_the_corners_from_its_ply_on() {
    let mut scene = small(Scene::default());
    scene.bump = vec![Bump { ply: 1, shift_px: [9.0, 4.0], turn_deg: 1.0, ..Bump::default() }];
    let frames: Vec<_> = simulation(&scene, "e2e4 e7e5", 1).collect();
    let first = frames[0].corners;
    let change = frames.iter().position(|f| f.corners != first).unwrap();
    assert!(frames[change].clean && frames[change].ply == 1 && frames[change].word == "bump");
    assert!(frames[change..].iter().all(|f| f.corners == frames[change].corners));
    let stills: Vec<_> = simulation(&scene, "e2e4 e7e5", 1).stills().collect();
    assert!(stills[1].corners == first && stills[2].corners == frames[change].corners);
}

#[test]
fn a_folder_holds_the_film_and_its_truth() {
    let folder = tempfile::tempdir().unwrap();
    let mut scene = small(Scene::oblique(35.0));
    scene.bump = vec![Bump { ply: 1, shift_px: [5.0, 0.0], ..Bump::default() }];
    let out = folder.path().join("game");
    let mut calls = 0;
    let n = write_folder(simulation(&scene, "e2e4 e7e5 g1f3", 1), &out, Pictures::Jpeg, |_, _| calls += 1).unwrap();
    assert_eq!(n, calls);
    let rows = |name: &str| {
        let mut reader = csv::Reader::from_path(out.join(name)).unwrap();
        reader.records().map(|r| r.unwrap()).collect::<Vec<_>>()
    };
    let events = rows("events.csv");
    assert_eq!((events.len(), rows("frames.csv").len(), rows("corners.csv").len()), (n, n, n));
    assert_eq!(std::fs::read_dir(out.join("frames")).unwrap().count(), n);
    assert!(events.iter().any(|r| &r[5] == "hand") && events.iter().any(|r| &r[3] == "bump"));
    assert_eq!(&events[n - 1][2], "3");
    assert_eq!(&events[n - 1][4], "g1f3");
    let pgn = std::fs::read_to_string(out.join("truth.pgn")).unwrap();
    assert!(pgn.ends_with("\n1. e4 e5 2. Nf3 *\n"), "{pgn}");
    let camera: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(out.join("camera.json")).unwrap()).unwrap();
    assert_eq!(camera["segments"].as_array().unwrap().len(), 2);
    let kept = Scene::from_toml(&std::fs::read_to_string(out.join("scene.toml")).unwrap()).unwrap();
    assert_eq!(kept, scene);
    let about: toml::Table = std::fs::read_to_string(out.join("about.toml")).unwrap().parse().unwrap();
    assert_eq!((about["kind"].as_str(), about["frames"].as_integer()), (Some("video"), Some(n as i64)));
    assert_eq!(about["fixed_camera"].as_bool(), Some(false));
    let again = write_folder(simulation(&scene, "e2e4", 1), &out, Pictures::Png, |_, _| {});
    assert!(again.unwrap_err().to_string().contains("not an empty folder"));
}

#[test]
fn at_rest_nothing_changes_and_a_hand_covers_much() {
    let mut scene = small(Scene::default());
    scene.sensor = Sensor::steady();
    let frames: Vec<_> = simulation(&scene, "e2e4", 1).collect();
    let differing = |a: &image::RgbImage, b: &image::RgbImage| {
        a.pixels().zip(b.pixels()).filter(|(p, q)| (0..3).any(|k| p.0[k].abs_diff(q.0[k]) > 8)).count()
    };
    let before = &frames[0].image;
    let mut most = 0;
    for frame in &frames {
        if frame.clean && frame.ply == 0 {
            assert!(frame.image == *before, "something moves at rest");
        } else if !frame.clean {
            most = most.max(differing(&frame.image, before));
        }
    }
    assert!(most > 160 * 120 / 20, "the hand changes {most} pixels at most");
    // After the move only two squares and their shadows are new.
    let after = differing(&frames[frames.len() - 1].image, before);
    assert!((20..160 * 120 / 20).contains(&after), "the move changes {after} pixels");
    // A thread of its own may run it.
    fn sendable<T: Send>(_: &T) {}
    sendable(&simulation(&scene, "", 1));
}

#[test]
fn a_disturbed_picture_hides_as_much_of_the_moved_man_as_it_says() {
    for scene in [Scene::oblique(30.0), Scene::overhead()] {
        for wanted in Disturbance::ALL {
            let mut found = 0;
            let mut share_of_goal = 0.0;
            let plain = simulation(&scene, DISTURBED, 1).stills();
            let disturbed = simulation(&scene, DISTURBED, 1).stills().disturbed(wanted, 2);
            for (ply, (before, after)) in plain.zip(disturbed).enumerate() {
                assert_eq!((before.placement, before.ply), (after.placement, after.ply));
                assert!(before.clean && before.note.is_empty());
                assert_eq!(after.clean, after.note.is_empty());
                found += usize::from(!after.clean);
                assert!(after.clean || ply > 0 && ply % 2 == 0, "ply {ply} is disturbed");
                assert!(before.hidden.is_none() && after.hidden.is_none() == after.clean);
                if let Some(hidden) = after.hidden {
                    // Two squares at least, and not all of them.
                    assert!(
                        hidden.iter().sum::<f32>() > 1.5 && hidden.iter().filter(|share| **share == 0.0).count() > 8
                    );
                    let goal: Square = after.uci.unwrap()[2..].parse().unwrap();
                    share_of_goal += hidden[usize::from(goal)];
                }
                let differ = before.image.pixels().zip(after.image.pixels());
                let differ = differ.filter(|(a, b)| (0..3).any(|k| a.0[k].abs_diff(b.0[k]) > 25)).count();
                assert_eq!(differ > 500, !after.clean, "{wanted:?}, ply {ply}: {differ} pixels differ");
            }
            let share_of_goal = share_of_goal / found.max(1) as f32;
            let expected =
                [0.0..0.2, 0.2..0.8, 0.8..1.0][Disturbance::ALL.iter().position(|d| *d == wanted).unwrap()].clone();
            assert!(expected.contains(&share_of_goal), "{wanted:?}: {share_of_goal} of the goal's square is hidden");
            assert!(found >= 3, "{wanted:?} at {}: {found} of 4 pictures", scene.camera.elevation_deg);
        }
    }
}

/// Moves of both colours near to the camera and far from it.
const DISTURBED: &str = "e2e4 d7d5 b1c3 d5e4 c3e4 g8f6 e4f6 e7f6";

#[test]
fn the_scenes_that_ship_are_usable() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let scene = Scene::from_toml(&std::fs::read_to_string(&path).unwrap());
        let scene = scene.unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(scene != Scene::default());
        count += 1;
    }
    assert!(count >= 3);
}

/// What is worth knowing of a collection of games before accuracy is measured on it.
#[derive(Debug, Default, PartialEq)]
struct Census {
    games: usize,
    plies: usize,
    /// King's side, queen's side: white, black.
    castlings: [[usize; 2]; 2],
    both_castled_long: usize,
    castled_to_opposite_sides: usize,
    en_passants: usize,
    promotions: usize,
    under_promotions: usize,
    mates: usize,
    longer_than_110_plies: usize,
}

impl Census {
    fn add(&mut self, line: &[Move], mate: bool) {
        let mut sides = [None; 2];
        for (ply, m) in line.iter().enumerate() {
            if let Some(side) = m.castling_side() {
                self.castlings[side as usize][ply % 2] += 1;
                sides[ply % 2] = Some(side);
            }
            self.en_passants += usize::from(m.is_en_passant());
            self.promotions += usize::from(m.is_promotion());
            self.under_promotions += usize::from(m.promotion().is_some_and(|role| role != Role::Queen));
        }
        if let [Some(white), Some(black)] = sides {
            self.castled_to_opposite_sides += usize::from(white != black);
            self.both_castled_long += usize::from(white == black && white == CastlingSide::QueenSide);
        }
        self.games += 1;
        self.plies += line.len();
        self.mates += usize::from(mate);
        self.longer_than_110_plies += usize::from(line.len() > 110);
    }
}

#[test]
fn the_games_that_ship_are_legal_and_can_be_filmed() {
    let classics = Census {
        games: 64,
        plies: 4651,
        castlings: [[47, 48], [10, 6]],
        both_castled_long: 3,
        castled_to_opposite_sides: 6,
        en_passants: 6,
        promotions: 7,
        under_promotions: 3,
        mates: 21,
        longer_than_110_plies: 6,
    };
    let forty = Census { games: 1, plies: 40, castlings: [[0, 0], [1, 1]], both_castled_long: 1, ..Census::default() };
    // A reader of its own, so that the games are judged by shakmaty alone.
    for (file, expected) in [("classics.pgn", classics), ("forty_plies.pgn", forty)] {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("games").join(file);
        let text = std::fs::read_to_string(path).unwrap();
        let (mut found, mut seen) = (Census::default(), std::collections::HashSet::new());
        let parts: Vec<&str> = text.split("\n\n").filter(|part| !part.trim().is_empty()).collect();
        for part in parts.chunks(2) {
            let [headers, movetext] = part else { panic!("{file}: {part:?} is no headers and moves") };
            let game = found.games + 1;
            for name in ["Event", "Site", "Date", "Round", "White", "Black", "Result"] {
                assert!(headers.contains(&format!("[{name} \"")), "{file}, game {game} has no {name}");
            }
            let mut position = Chess::default();
            let mut line = vec![];
            let (moves, result) = movetext.trim().rsplit_once(char::is_whitespace).unwrap();
            for word in moves.split_whitespace().filter(|w| !w.ends_with('.')) {
                let m = word.parse::<shakmaty::san::SanPlus>().unwrap().san.to_move(&position);
                let m = m.unwrap_or_else(|e| panic!("{file}, game {game}: {word}: {e}"));
                position.play_unchecked(m);
                let check = if position.is_checkmate() { '#' } else { '+' };
                assert_eq!(word.ends_with(['+', '#']), position.is_check(), "{file}, game {game}: {word}");
                assert!(!position.is_check() || word.ends_with(check), "{file}, game {game}: {word}");
                line.push(m);
            }
            assert!(headers.contains(&format!("[Result \"{result}\"]")), "{file}, game {game} ends in {result}");
            if let Some(outcome) = position.outcome().known() {
                assert_eq!(outcome.as_str(), result, "{file}, game {game}");
            }
            assert!(seen.insert(movetext.split_whitespace().collect::<String>()), "{file}: game {game} stands twice");
            found.add(&line, position.is_checkmate());
            let last = Simulation::new(&small(Scene::overhead()), (Start::default(), line), 1).unwrap();
            let pgn = truth_pgn(last.start(), last.moves(), &[("White".into(), "A \"B\"".into())]);
            assert!(pgn.contains("[White \"A \\\"B\\\"\"]") && pgn.lines().all(|l| l.len() < 80));
        }
        assert_eq!(found, expected, "{file}");
        assert!(text.lines().all(|line| line.len() < 80), "{file} has lines of 80 columns and more");
        assert!(file != "classics.pgn" || text.matches("[Source \"").count() == found.games);
    }
}
