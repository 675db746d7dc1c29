//! The simulated camera as a node: a game from PGN becomes pictures on `image_raw`, as if somebody played it.
//!
//! The film begins when somebody subscribes to `image_raw`, so that no move is missed; after the last move the camera
//! goes on showing the board.

use r2r::{
    Node, Publisher, QosProfile, RosParams,
    sensor_msgs::msg::{CameraInfo, Image},
    std_msgs::msg::{Bool, Header},
};
use shakmaty::{Chess, Position as _, Square};
use std::{
    process::ExitCode,
    time::{Duration, Instant},
};

use super::{
    clock::RosClock,
    log::Log,
    outputs::image_message,
    program::{Begun, Program, begin},
};
use crate::{
    files,
    game::pgn_in::{GameText, read_games},
    sim::{Intrinsics, Scene, SimFrame, Simulation},
};

/// The games that are played when no file is named. The first is the opera game, Paris 1858.
const CLASSIC_GAMES: &str = include_str!("../../games/classics.pgn");

#[derive(RosParams, Debug, Clone)]
struct Params {
    /// PGN file with the game to play; empty is the collection of classic games, whose first is the opera game.
    pgn: String,
    /// Which game of the file, 1 for the first.
    game: u32,
    /// Scene file (TOML); empty is the default scene.
    scene: String,
    /// Camera above the board's plane in degrees, 15.0 to 90.0; 0.0 is as the scene says.
    elevation_deg: f64,
    /// Seed of everything that chance decides.
    seed: u32,
    /// Film seconds a second, 0.05 to 20.0.
    speed: f64,
    /// Begin only when somebody subscribes to image_raw.
    wait_for_subscriber: bool,
    /// Offer pictures reliably; false offers them best effort, as many drivers do.
    reliable: bool,
    /// Frame of the camera in the headers.
    frame_id: String,
    /// Follow /clock instead of the system's time, at the start only.
    use_sim_time: bool,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            pgn: String::new(),
            game: 1,
            scene: String::new(),
            elevation_deg: 0.0,
            seed: 1,
            speed: 1.0,
            wait_for_subscriber: true,
            reliable: true,
            frame_id: "camera_optical".into(),
            use_sim_time: false,
        }
    }
}

type Failure = Box<dyn std::error::Error>;

/// Runs the node until SIGINT or SIGTERM. 0 after an orderly end, 2 when it could not start.
#[must_use]
pub fn run() -> ExitCode {
    let program = Program {
        name: "simulator_node",
        about: "A simulated camera over a simulated board: plays a game onto image_raw.",
        topics: "Says:   image_raw, camera_info, ~/finished\n",
    };
    program.run::<Params>(start)
}

fn start() -> Result<(), Failure> {
    let Begun { mut node, runtime: _runtime, params, log, stop } = begin::<Params>("chess_simulator", 1)?;
    if !(0.05..=20.0).contains(&params.speed) {
        return Err(format!("parameter speed: expected a number from 0.05 to 20, got {}", params.speed).into());
    }
    let game = game(&params)?;
    let score = Score { ucis: game.ucis(), positions: game.positions() };
    let film = Simulation::new(&scene(&params)?, &game, u64::from(params.seed))?;

    let camera = Camera::new(&mut node, &params)?;
    log.info(&format!("{} pictures of {} plies", film.frames(), score.ucis.len()));
    let filming = {
        let stop = stop.abort_handle();
        let (speed, wait) = (params.speed, params.wait_for_subscriber);
        std::thread::Builder::new().name("film".into()).spawn(move || {
            show(film, &score, &camera, (speed, wait), &log, &|| stop.is_finished());
        })?
    };
    while !stop.is_finished() {
        node.spin_once(Duration::from_millis(50));
    }
    // The film ends before the node does: nothing is published on a node that is gone.
    filming.join().map_err(|_| "the film broke off")?;
    Ok(())
}

fn path(parameter: &str, given: &str) -> Result<String, Failure> {
    Ok(files::expanded(given).map_err(|e| format!("parameter {parameter}: {given:?}: {e}"))?)
}

fn game(params: &Params) -> Result<GameText, Failure> {
    let path = path("pgn", &params.pgn)?;
    let text = if path.is_empty() {
        CLASSIC_GAMES.to_owned()
    } else {
        files::text(path.as_ref(), files::LARGEST_TABLE).map_err(|e| format!("cannot read {path}: {e}"))?
    };
    let mut games = read_games(&text);
    let index = (params.game as usize).checked_sub(1).filter(|i| *i < games.len());
    let index = index.ok_or_else(|| format!("parameter game: expected 1 to {}, got {}", games.len(), params.game))?;
    Ok(games.swap_remove(index)?)
}

fn scene(params: &Params) -> Result<Scene, Failure> {
    let path = path("scene", &params.scene)?;
    let mut scene = if path.is_empty() {
        Scene::default()
    } else {
        let text =
            files::text(path.as_ref(), files::LARGEST_SETTINGS).map_err(|e| format!("cannot read {path}: {e}"))?;
        Scene::from_toml(&text).map_err(|e| format!("{path}: {e}"))?
    };
    if params.elevation_deg != 0.0 {
        scene.camera.elevation_deg = params.elevation_deg;
    }
    Ok(scene)
}

/// What a camera driver publishes.
struct Camera {
    pictures: Publisher<Image>,
    infos: Publisher<CameraInfo>,
    /// Latched: true once the last move has been made.
    finished: Publisher<Bool>,
    frame_id: String,
    clock: RosClock,
}

impl Camera {
    fn new(node: &mut Node, params: &Params) -> r2r::Result<Self> {
        let qos = QosProfile::sensor_data();
        let qos = if params.reliable { qos.reliable() } else { qos };
        Ok(Self {
            pictures: node.create_publisher("image_raw", qos.clone())?,
            infos: node.create_publisher("camera_info", qos)?,
            finished: node.create_publisher("~/finished", QosProfile::default().keep_last(1).transient_local())?,
            frame_id: params.frame_id.clone(),
            clock: RosClock::of(node),
        })
    }

    /// Publishing fails only when the node is gone, and then it ends anyway.
    fn publish(&self, frame: &SimFrame, intrinsics: &Intrinsics) {
        // A stamp of zero is none.
        let ahead_ns = frame.stamp.0.saturating_sub(frame.taken.0);
        let stamp = if frame.stamped { self.clock.stamp_ahead(ahead_ns) } else { Default::default() };
        let header = Header { stamp, frame_id: self.frame_id.clone() };
        let _ = self.infos.publish(&camera_info(intrinsics, header.clone()));
        let _ = self.pictures.publish(&image_message(&header, frame.image.clone()));
    }
}

fn camera_info(intrinsics: &Intrinsics, header: Header) -> CameraInfo {
    let k = intrinsics.k;
    CameraInfo {
        header,
        width: intrinsics.width,
        height: intrinsics.height,
        distortion_model: "plumb_bob".into(),
        d: intrinsics.d.to_vec(),
        k: k.to_vec(),
        r: vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        p: vec![k[0], k[1], k[2], 0.0, k[3], k[4], k[5], 0.0, k[6], k[7], k[8], 0.0],
        ..CameraInfo::default()
    }
}

/// Shows the film, then its last picture, until `ended`.
fn show(
    film: Simulation,
    score: &Score,
    camera: &Camera,
    (speed, wait): (f64, bool),
    log: &Log,
    ended: &dyn Fn() -> bool,
) {
    let watched = || camera.pictures.get_inter_process_subscription_count().is_ok_and(|n| n > 0);
    while wait && !watched() {
        if ended() {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let intrinsics = film.camera_info();
    let (mut begun, mut last): (Instant, Option<SimFrame>) = (Instant::now(), None);
    let mut interval = Duration::from_millis(100);
    for frame in film {
        if ended() {
            return;
        }
        let due = Duration::try_from_secs_f64(frame.taken.as_s() / speed).unwrap_or_default();
        match due.checked_sub(begun.elapsed()) {
            Some(early) => std::thread::sleep(early),
            // A machine too slow to draw in time shows the film slower, not with gaps.
            None => begun += begun.elapsed().saturating_sub(due),
        }
        camera.publish(&frame, &intrinsics);
        if let Some(before) = &last {
            let step = frame.taken.since_s(before.taken) / speed;
            interval = Duration::try_from_secs_f64(step).unwrap_or(interval);
            for ply in before.ply + 1..=frame.ply {
                log.info(&format!("ply {ply} was played: {}", score.played(ply, &frame)));
            }
        }
        last = Some(frame);
    }
    log.info("the last move was made; the camera goes on");
    let _ = camera.finished.publish(&Bool { data: true });
    while let (Some(frame), false) = (&last, ended()) {
        camera.publish(frame, &intrinsics);
        std::thread::sleep(interval);
    }
}

/// The game that is played.
struct Score {
    ucis: Vec<String>,
    /// One more than there are moves.
    positions: Vec<Chess>,
}

impl Score {
    /// The ply that has just come to stand in `frame`. The word of a picture may already be that of the hand that comes in
    /// (who moves fast is making the next ply), and the game's own ply need not be what was played: it may be one that will
    /// be taken back.
    fn played<'a>(&'a self, ply: usize, frame: &'a SimFrame) -> &'a str {
        let of_the_game = ply.checked_sub(1).and_then(|index| {
            let [before, after] = [self.positions.get(index)?.board(), self.positions.get(ply)?.board()];
            let stands = |square: Square| after.piece_at(square) == frame.placement.piece_at(square);
            let moved = |square: &Square| after.piece_at(*square) != before.piece_at(*square);
            after.occupied().into_iter().filter(moved).all(stands).then_some(self.ucis.get(index)?.as_str())
        });
        of_the_game.or(frame.uci.as_deref()).unwrap_or("?")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_opera_game_is_whole() {
        let game = game(&Params::default()).unwrap();
        assert_eq!(game.moves.len(), 33);
        assert_eq!(game.ucis().last().unwrap(), "d1d8");
    }

    #[test]
    fn games_that_are_not_there_are_refused() {
        let error = game(&Params { game: 0, ..Params::default() }).unwrap_err().to_string();
        assert!(error.starts_with("parameter game: expected 1 to ") && error.ends_with(", got 0"), "{error}");
        let error = game(&Params { pgn: "/no/such.pgn".into(), ..Params::default() }).unwrap_err().to_string();
        assert!(error.starts_with("cannot read /no/such.pgn: No such file"), "{error}");
    }

    #[test]
    fn projection_and_intrinsics_agree() {
        let k = [500.0, 0.0, 320.0, 0.0, 501.0, 240.0, 0.0, 0.0, 1.0];
        let message = camera_info(&Intrinsics { width: 640, height: 480, k, d: [0.0; 5] }, Header::default());
        assert_eq!([message.p[0], message.p[2], message.p[5], message.p[6]], [500.0, 320.0, 501.0, 240.0]);
    }
}
