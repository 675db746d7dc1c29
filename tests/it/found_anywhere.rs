//! Finding simulated boards that nobody has chosen: colours, cameras, lights and positions by chance, truth exact.

use std::collections::BTreeMap;

use chess_observer::{
    board::{Hint, LocateError, corners::Corners, locate},
    frame::Frame,
    game::start::Start,
    sim::{
        Scene, SimFrame, Simulation, Story,
        dice::Dice,
        scene::{Camera, LampColour, PassingShadow},
    },
};
use image::{Rgb, RgbImage};
use nalgebra::Point3;

/// Name, and colours of light squares, dark squares, border and table.
type Palette = (&'static str, [u8; 3], [u8; 3], [u8; 3], [u8; 3]);

/// Colours of boards.
const PALETTES: [Palette; 10] = [
    ("brown wood", [214, 176, 124], [122, 74, 44], [84, 47, 29], [120, 90, 66]),
    ("maple and walnut", [226, 196, 150], [92, 58, 38], [226, 196, 150], [150, 110, 80]),
    ("pale wood", [205, 170, 120], [165, 122, 78], [190, 150, 100], [210, 200, 190]),
    ("dark wood", [120, 82, 54], [74, 46, 30], [60, 38, 26], [60, 60, 66]),
    ("green vinyl", [236, 232, 208], [64, 112, 72], [236, 232, 208], [90, 70, 60]),
    ("blue vinyl", [232, 232, 226], [60, 90, 140], [60, 90, 140], [200, 196, 190]),
    ("black and white", [236, 234, 228], [46, 46, 48], [40, 40, 42], [130, 130, 130]),
    ("glass", [226, 232, 232], [176, 190, 192], [200, 212, 212], [120, 100, 90]),
    ("red and black", [190, 60, 44], [38, 34, 36], [150, 140, 130], [170, 160, 150]),
    ("brown plastic", [228, 206, 170], [134, 90, 60], [100, 66, 44], [40, 44, 60]),
];

/// Positions: name and FEN. The rules of the simulator want kings; two of them are nearly an empty board.
const POSITIONS: [(&str, &str); 6] = [
    ("start", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
    ("start", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
    ("opening", "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/2PP1N2/PP3PPP/RNBQK2R w KQkq - 0 1"),
    ("middle game", "r2q1rk1/1b2bppp/p1np1n2/1p2p3/3PP3/2P2N1P/PPBN1PP1/R1BQR1K1 w - - 0 1"),
    ("endgame", "8/5pk1/4p1p1/3pP2p/1r3P1P/6P1/4RK2/8 w - - 0 1"),
    ("two kings", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
];

/// What is unusual about a picture: of which kind, and what.
type Trait = (&'static str, String);

/// A picture with its truth and what is unusual about it.
pub struct Found {
    pub picture: SimFrame,
    pub traits: Vec<Trait>,
}

/// The scene of a seed, in pictures of this size.
pub fn scene(seed: u64, (width, height): (u32, u32)) -> Found {
    let mut dice = Dice::new(seed, 77);
    let mut s = Scene::default();
    let mut traits = vec![board_and_table(&mut s, &mut dice)];
    let (position, fen) = POSITIONS[(dice.unit() * POSITIONS.len() as f64) as usize];
    traits.push(("position", position.to_owned()));
    (s.camera.width, s.camera.height) = (width, height);
    traits.extend(camera(&mut s, &mut dice));
    traits.push(light(&mut s, &mut dice));
    s.sensor.exposure = dice.between(0.7, 1.6);
    s.sensor.noise_sigma = dice.between(1.0, 5.0);
    s.sensor.blur_px = dice.between(0.4, 1.2);
    s.sensor.jpeg_quality = dice.between(55.0, 92.0) as u32 as _;

    let story = Story { start: Start::from_fen(fen).unwrap(), ..Story::default() };
    let mut picture = Simulation::new(&s, story, seed).unwrap().stills().next().unwrap();
    // A man cannot be told from the board here: lines are drawn over the two kings.
    let lines = position == "two kings" && chance(&mut dice, 0.5);
    if lines {
        let width = dice.between(0.02, 0.08);
        draw_lines(&mut picture.image, &Camera::new(&s).unwrap(), width);
    }
    traits.push(("lines between squares", yes_or_no(lines)));
    traits.push(size(&picture));
    Found { picture, traits }
}

fn chance(dice: &mut Dice, share: f64) -> bool {
    dice.unit() < share
}

fn yes_or_no(yes: bool) -> String {
    if yes { "yes" } else { "no" }.to_owned()
}

/// A board as it is sold, more or less worn, on a table.
fn board_and_table(s: &mut Scene, dice: &mut Dice) -> Trait {
    let (name, light, dark, border, table) = PALETTES[(dice.unit() * PALETTES.len() as f64) as usize];
    (s.board.light, s.board.dark, s.board.border_colour, s.table.colour) = (light, dark, border, table);
    s.board.border = if chance(dice, 0.2) { 0.0 } else { dice.between(0.1, 1.0) };
    s.board.coordinates = chance(dice, 0.6);
    let wood = name.contains("wood") || name.contains("walnut");
    s.board.grain = if wood { dice.between(0.3, 1.0) } else { 0.0 };
    s.board.gloss = dice.between(0.0, if name == "glass" { 1.0 } else { 0.6 });
    s.board.wrinkles = if name.contains("vinyl") { dice.between(0.0, 0.6) } else { 0.0 };
    s.board.wear = dice.between(0.0, 0.6);
    s.table.grain = dice.between(0.0, 1.0);
    s.table.clutter = chance(dice, 0.6);
    ("board", name.to_owned())
}

/// A camera anywhere from which the whole board is seen.
fn camera(s: &mut Scene, dice: &mut Dice) -> [Trait; 2] {
    s.camera.elevation_deg = dice.between(30.0, 90.0);
    let step = (s.camera.elevation_deg / 15.0) as u32 * 15;
    s.camera.azimuth_deg = dice.between(-180.0, 180.0);
    s.camera.roll_deg = if chance(dice, 0.5) { dice.between(-180.0, 180.0) } else { dice.between(-5.0, 5.0) };
    s.camera.field_of_view_deg = dice.between(35.0, 75.0);
    // The bend in the picture's corner.
    let corner = (s.camera.field_of_view_deg.to_radians() / 2.0).tan().powi(2) * 1.4;
    let bend = dice.between(-0.03, 0.015);
    s.camera.k1 = (bend / corner).clamp(-0.3, 0.3);
    s.camera.aim_m = [0.0; 2];
    // From as near as possible to as small as a fifth.
    let nearest = (Camera::new(s).unwrap().centre - Point3::new(4.0, 4.0, 0.0)).norm() * s.board.square_size_m;
    s.camera.distance_m = (nearest / dice.between(0.18, 1.0)).min(5.0);
    let (x, y) = (dice.between(-0.8, 0.8), dice.between(-0.8, 0.8));
    for part in [1.0, 0.7, 0.45, 0.3, 0.2, 0.1, 0.05, 0.0] {
        s.camera.aim_m = [x * part, y * part];
        if s.check().is_ok() {
            break;
        }
    }
    let bent = if bend < -0.015 { "much" } else { "little" };
    [("elevation", format!("{step}-{}", step + 15)), ("bend", bent.to_owned())]
}

/// A lamp, and now and then a shadow over the board.
fn light(s: &mut Scene, dice: &mut Dice) -> Trait {
    s.light.azimuth_deg = dice.between(-180.0, 180.0);
    s.light.elevation_deg = dice.between(25.0, 75.0);
    s.light.colour = LampColour::Kelvin(dice.between(2500.0, 6500.0));
    s.light.ambient = dice.between(0.1, 0.6);
    s.light.falloff = dice.between(0.0, 0.5);
    s.light.softness = dice.between(0.02, 0.3);
    let shadow = chance(dice, 0.3);
    if shadow {
        s.passing_shadow.push(PassingShadow {
            ply: 0,
            darkness: dice.between(0.2, 0.7),
            width: dice.between(2.0, 6.0),
            edge: dice.between(0.2, 1.5),
            direction_deg: dice.between(0.0, 360.0),
            offset: dice.between(-4.0, 4.0),
            ..PassingShadow::default()
        });
    }
    ("shadow", yes_or_no(shadow))
}

/// How large a square is in the picture.
fn size(picture: &SimFrame) -> Trait {
    let side = picture.corners.square_px();
    let from = [8, 11, 16, 24, 32, 48].into_iter().rfind(|&from| f64::from(from) <= side);
    ("square", from.map_or("below 8 px".to_owned(), |from| format!("from {from:02} px")))
}

/// Draws pale lines of `width` squares between the squares.
fn draw_lines(image: &mut RgbImage, camera: &Camera, width: f64) {
    let on_board = |x: f64, y: f64| {
        let ray = camera.ray(x, y);
        let p = camera.centre - ray * (camera.centre.z / ray.z);
        (ray.z < 0.0).then_some((p.x, p.y))
    };
    for (x, y, pixel) in image.enumerate_pixels_mut() {
        let (u, v) = (f64::from(x), f64::from(y));
        let Some(here) = on_board(u, v) else { continue };
        if !((-0.1..8.1).contains(&here.0) && (-0.1..8.1).contains(&here.1)) {
            continue;
        }
        let Some(next) = on_board(u + 0.7, v + 0.7) else { continue };
        let px = (next.0 - here.0).hypot(next.1 - here.1).max(1e-3);
        let off = (here.0 - here.0.round()).abs().min((here.1 - here.1.round()).abs());
        let cover = ((0.5 * width - off) / px + 0.5).clamp(0.0, (width / px).min(1.0));
        let Rgb(old) = *pixel;
        *pixel = Rgb(std::array::from_fn(|k| {
            let line = [196.0, 190.0, 170.0][k];
            (f64::from(old[k]) * (1.0 - cover) + line * cover) as u8
        }));
    }
}

/// Greatest corner error in squares, under the given names and under the best quarter turn.
fn errors(found: &Corners, truth: &Corners) -> (f64, f64) {
    let error = |turns: usize| found.renamed(turns).farthest_px(truth) / truth.square_px();
    (error(0), (0..4).map(error).fold(f64::INFINITY, f64::min))
}

/// Pictures, and how many of them must be found within a tenth of a square. The scenes are hard on purpose: a third has
/// squares below 16 pixels, a third hardly any contrast.
const SEEDS: u64 = 30;
/// Twenty-five were found; one less leaves room for other machines and changes of the simulator.
const FOUND: usize = 24;
/// Most that may be claimed in a wrong place: one is, 17 % of a square off; a square's side there is 8 to 11 pixels.
const WRONG: usize = 1;

#[test]
fn most_boards_by_chance_are_found() {
    let (mut found, mut wrong) = (0, Vec::new());
    let mut by: BTreeMap<(&str, String), [usize; 2]> = BTreeMap::new();
    let mut distribution: Vec<f64> = Vec::new();
    for seed in 0..SEEDS {
        let case = scene(seed, (640, 480));
        let frame = Frame::from_rgb(&case.picture.image).unwrap();
        let hint = Hint { men: Some(case.picture.placement.clone()), ..Hint::default() };
        let result = locate(&frame, &hint);
        let error = result.as_ref().map_or(f64::INFINITY, |l| errors(&l.corners(), &case.picture.corners).1);
        let ok = error < 0.1;
        found += usize::from(ok);
        if error.is_finite() {
            distribution.push(error);
        }
        for t in case.traits {
            let count = by.entry(t).or_default();
            count[0] += 1;
            count[1] += usize::from(ok);
        }
        match result {
            Ok(l) if !ok => wrong.push((seed, error, l.confidence)),
            Err(LocateError::Unsure { best }) => println!(
                "seed {seed}: unsure {:.2}, off by {:.3} squares",
                best.confidence,
                errors(&best.corners(), &case.picture.corners).1
            ),
            Err(e) => println!("seed {seed}: {e}"),
            Ok(_) => {}
        }
    }
    for ((what, which), [n, found]) in &by {
        println!("{what:22} {which:20} {found:3} of {n:3}");
    }
    distribution.sort_by(f64::total_cmp);
    let at = |share: f64| distribution.get((share * distribution.len() as f64) as usize).copied().unwrap_or(f64::NAN);
    println!("found {found} of {SEEDS}; corner error in squares: median {:.3}, nine tenths {:.3}", at(0.5), at(0.9));
    println!("claimed in a wrong place: {wrong:?}");
    assert!(found >= FOUND, "{found} found, {FOUND} were before");
    assert!(wrong.len() <= WRONG, "{wrong:?}");
}
