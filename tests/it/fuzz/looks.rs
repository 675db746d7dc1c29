//! Pictures in any order and at any time: stamps that jump, stand still, run backwards, and are no times at all.

use chess_observer::{
    board::corners::Corners,
    event::Event,
    frame::{Frame, Stamp},
    game::{pgn_in::read_games, start::Start},
    observer::Observer,
    params::{Params, Value},
    sim::{Scene, Simulation},
};
use image::RgbImage;
use shakmaty::{Chess, Position as _, uci::UciMove};

use super::fuzz;

const S: i64 = 1_000_000_000;
/// Steps from one stamp to the next, or stamps, where they are not of a usual size.
const STEPS: [i64; 16] = [
    S / 10,
    S / 10,
    S / 10,
    S / 10,
    S,
    0,
    1,
    -S / 10,
    -S,
    3600 * S,
    -3600 * S,
    86_400 * 365 * S,
    i64::MAX,
    i64::MIN,
    i64::MAX - 1,
    i64::MIN + 1,
];

fn pictures() -> (Vec<RgbImage>, Corners) {
    let mut scene = Scene::oblique(60.0);
    (scene.camera.width, scene.camera.height) = (240, 180);
    let mut position = Chess::default();
    let mut moves = Vec::new();
    for uci in ["e2e4", "e7e5", "g1f3", "b8c6"] {
        let mv = uci.parse::<UciMove>().unwrap().to_move(&position).unwrap();
        position.play_unchecked(mv);
        moves.push(mv);
    }
    let stills: Vec<_> = Simulation::new(&scene, (Start::default(), moves), 3).unwrap().stills().collect();
    let corners = stills[0].corners;
    (stills.into_iter().map(|still| still.image).collect(), corners)
}

#[test]
fn looks_at_any_time() {
    const LOOKS: usize = 16;
    let (pictures, corners) = pictures();
    let other = RgbImage::new(100, 60);
    fuzz("looks", 0.01, &[(0..=255).collect()], &[], |bytes, dice| {
        let mut params = Params::default();
        let given = dice.below(4) > 0;
        if given {
            params.set("board.corners", &Value::Doubles(corners.to_array().concat())).unwrap();
        }
        params.set("sight.stills", &Value::Bool(dice.below(2) == 0)).unwrap();
        let mut observer = Observer::new(&params).unwrap();
        let mut now = if dice.below(2) == 0 { 1_767_225_600 * S } else { *dice.one_of(&STEPS) };
        let mut shown = 0;
        for byte in bytes.iter().cycle().take(LOOKS) {
            let step = STEPS[usize::from(byte & 15)];
            now = if step.unsigned_abs() > 1 << 62 { step } else { now.wrapping_add(step) };
            match byte >> 5 {
                0 => shown = dice.below(pictures.len()),
                1 | 2 => shown = (shown + 1).min(pictures.len() - 1),
                _ => {}
            }
            let picture = if *byte == 31 { &other } else { &pictures[shown] };
            let events = observer.observe(&Frame::from_rgb(picture).unwrap(), Stamp(now));
            for event in events {
                if let Event::Move { confidence, .. } = event {
                    assert!((0.0..=1.0).contains(&confidence), "{confidence}");
                }
            }
        }
        let game = read_games(&observer.pgn()).remove(0).expect("a record that can be read");
        assert_eq!(game.moves.len(), observer.position().ply);
    });
}
