//! `simulate`: a game played on a simulated board, as a recording.

mod go;

use std::{
    fs,
    path::{Path, PathBuf},
};

use chess_observer::{
    bag::{
        BagWriter, Compression,
        messages::{CameraInfo, CompressedImage, Header, Image, types},
    },
    files,
    frame::{Frame, Stamp},
    game::pgn_in::{GameText, read_games},
    sim::{
        Intrinsics, Scene, Simulation,
        output::{self, TruthWriter},
    },
};

use super::{Done, outputs, progress, say, stopped};

/// When simulated bags begin: the first second of 2026. ROS takes time 0 for "unknown".
const BAG_EPOCH: Stamp = Stamp(1_767_225_600_000_000_000);

/// Play a game on a simulated board and record it.
///
/// A folder gets frames/, frames.csv, and the truth: truth.pgn, events.csv, corners.csv, camera.json. A .mcap file gets
/// the topics image_raw/compressed (or, with --raw, image_raw) and camera_info, and the truth is written beside it, into
/// NAME_truth/. The same arguments give the same pictures on every machine.
///
/// Comments before a move tell what else happens: {[%illegal e8e6]} (hand moves with commas between: e8e6, xd5 takes a man
/// off, N@f3 or n@f3 puts one on), {[%touch d1]}, {[%adjust d1]}, {[%takeback g1h3 b8c6]}, {[%knock e4]}; how it is made:
/// {[%slow]} or {[%rook_first]} castling, {[%late_promotion]}, {[%clear_first]}, {[%in_hand]} or {[%put_first]} captures,
/// {[%slide]}, {[%hover e5 2.0]} (the man is held over another square), {[%rest 4.0]} (the hand stays in view); and after the
/// last move {[%kings]}, {[%stands e1e3 d7d5]} (an illegal move is let stand and answered). What happens by chance is in
/// the scene, under [habits].
///
/// Exit status: 0 recorded, 2 unusable input or arguments, 130 ended by Ctrl-C.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The game
    #[arg(long, value_name = "GAMES.pgn", required_unless_present = "go")]
    pgn: Option<PathBuf>,
    /// A game of Go instead: a board of Go, seen by the same cameras
    #[arg(long, value_name = "GAME.sgf", conflicts_with = "pgn")]
    go: Option<PathBuf>,
    /// Where to write: a new folder, or a file ending in .mcap
    #[arg(long, value_name = "DIR|FILE.mcap")]
    out: PathBuf,
    /// Board, men, camera, light, hand, pace
    #[arg(long, value_name = "SCENE.toml")]
    scene: Option<PathBuf>,
    /// What chance decides (grain, noise, how men stand) follows from this number
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Which game of the file, 1 for the first
    #[arg(long, value_name = "N", default_value_t = 1)]
    game: usize,
    /// One clean picture after each ply instead of a film
    #[arg(long)]
    stills: bool,
    /// Keep every bit: PNG in a folder, uncompressed pictures in a bag
    #[arg(long)]
    raw: bool,
    /// Replace the .mcap file that is there, and its truth; a folder is never replaced
    #[arg(long)]
    force: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Done, String> {
    outputs::different(
        &[("--pgn", args.pgn.as_deref()), ("--go", args.go.as_deref()), ("--scene", args.scene.as_deref())],
        &[("--out", Some(&args.out))],
    )?;
    if let Some(sgf) = &args.go {
        return go::run(args, sgf);
    }
    let Some(pgn) = &args.pgn else { return Err("expected a game: --pgn or --go".into()) };
    let is_bag = args.out.extension().is_some_and(|e| e == "mcap");
    if is_bag {
        ask_for_room(&args.out, args.force)?;
    }
    let game = game(pgn, args.game)?;
    let scene = match &args.scene {
        Some(path) => {
            let at = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
            Scene::from_toml(&files::text(path, files::LARGEST_SETTINGS).map_err(|e| at(&e))?).map_err(|e| at(&e))?
        }
        None => Scene::default(),
    };
    let simulation = Simulation::new(&scene, &game, args.seed);
    let simulation = simulation.map_err(|e| format!("{}, game {}: {e}", pgn.display(), args.game))?;
    // The truth's result is what the pictures tell, not what was agreed upon elsewhere.
    let mut simulation = simulation.with_tags(game.headers.into_iter().filter(|tag| tag.0 != "Result").collect());
    if args.stills {
        simulation = simulation.stills();
    }
    let count = if is_bag {
        match bag(simulation, &args.out, args.raw)? {
            Some(count) => count,
            None => return Ok(Done::Interrupted),
        }
    } else {
        let bar = progress::bar(Some(simulation.frames() as u64));
        let pictures = if args.raw { output::Pictures::Png } else { output::Pictures::Jpeg };
        let count = output::write_folder(simulation, &args.out, pictures, |_, _| {
            bar.inc(1);
            // The folder is the user's to remove; nothing in it claims to be complete before camera.json is there.
            if stopped() {
                bar.finish_and_clear();
                std::process::exit(i32::from(super::INTERRUPTED));
            }
        });
        bar.finish_and_clear();
        count.map_err(|e| e.to_string())?
    };
    say(&format!("{count} pictures: {}", args.out.display()));
    Ok(Done::Processed)
}

fn game(path: &Path, number: usize) -> Result<GameText, String> {
    let at = |why: String| format!("{}: {why}", path.display());
    let text = files::text(path, files::LARGEST_TABLE).map_err(|e| at(e.to_string()))?;
    let games = read_games(&text);
    let count = games.len();
    match number.checked_sub(1).and_then(|i| games.into_iter().nth(i)) {
        Some(game) => game.map_err(|e| at(e.to_string())),
        None => Err(at(format!("game {number} asked for, it has {count}"))),
    }
}

/// Is there anything that a bag and its truth would destroy, and that was not given up?
fn ask_for_room(bag: &Path, force: bool) -> Result<(), String> {
    let truth = truth_folder(bag);
    let occupied = |path: &Path| outputs::told(path, &"exists: give another name, or --force to replace it");
    match fs::metadata(bag) {
        Ok(there) if !there.is_file() => {
            return Err(outputs::told(bag, &"is no file, expected one that can be replaced"));
        }
        Ok(_) if !force => return Err(occupied(bag)),
        _ => {}
    }
    let is_empty = fs::read_dir(&truth).map_or(true, |mut entries| entries.next().is_none());
    if is_empty || force { Ok(()) } else { Err(occupied(&truth)) }
}

/// The folder beside a bag that holds its truth: `game.mcap` has `game_truth`.
fn truth_folder(bag: &Path) -> PathBuf {
    let mut name = bag.file_stem().unwrap_or_default().to_owned();
    name.push("_truth");
    bag.with_file_name(name)
}

/// Writes a bag and its truth; `None` when interrupted, with what was simulated until then.
fn bag(mut simulation: Simulation, path: &Path, raw: bool) -> Result<Option<usize>, String> {
    let folder = truth_folder(path);
    // What is still there was given up.
    output::clear_truth(&folder).map_err(|e| e.to_string())?;
    let mut truth = TruthWriter::new(&folder, &simulation).map_err(|e| e.to_string())?;
    let failed = |e: chess_observer::bag::BagError| e.to_string();
    let compression = if raw { Compression::Chunks } else { Compression::None };
    let mut bag = BagWriter::mcap(path, compression).map_err(failed)?;
    let (name, kind) = topic(raw);
    let images = bag.topic(name, kind).map_err(failed)?;
    let infos = bag.topic("/camera_info", types::CAMERA_INFO).map_err(failed)?;
    let quality = simulation.scene().sensor.file_quality();
    let camera = simulation.camera_info();
    let info = |header: Header| CameraInfo { header, ..camera_info(&camera) };
    let bar = progress::bar(Some(simulation.frames() as u64));
    let (mut ended, mut came) = (false, BAG_EPOCH);
    for frame in simulation.by_ref() {
        // Messages are recorded when they come, one after the other, whatever their stamps say.
        came = came.max(Stamp(BAG_EPOCH.0 + if frame.stamped { frame.taken } else { frame.stamp }.0));
        let stamp = if frame.stamped { Stamp(BAG_EPOCH.0 + frame.stamp.0) } else { Stamp::default() };
        let header = Header { stamp, frame_id: "camera_optical".into() };
        bag.write(infos, came, &info(header.clone()).write()).map_err(failed)?;
        bag.write(images, came, &message(&frame.image, header, raw, quality)?).map_err(failed)?;
        truth.push(&frame).map_err(|e| e.to_string())?;
        bar.inc(1);
        if stopped() {
            ended = true;
            break;
        }
    }
    bar.finish_and_clear();
    bag.finish().map_err(failed)?;
    let name = format!("../{}", path.file_name().unwrap_or_default().to_string_lossy());
    let count = truth.finish(&simulation, Some(&name)).map_err(|e| e.to_string())?;
    Ok((!ended).then_some(count))
}

/// The topic of the pictures and its type.
const fn topic(raw: bool) -> (&'static str, &'static str) {
    if raw { ("/image_raw", types::IMAGE) } else { ("/image_raw/compressed", types::COMPRESSED_IMAGE) }
}

/// What a camera says of itself, without a header.
fn camera_info(camera: &Intrinsics) -> CameraInfo {
    let k = camera.k;
    CameraInfo {
        height: camera.height,
        width: camera.width,
        distortion_model: "plumb_bob".into(),
        d: camera.d.to_vec(),
        k,
        r: [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        p: [k[0], k[1], k[2], 0.0, k[3], k[4], k[5], 0.0, k[6], k[7], k[8], 0.0],
        ..CameraInfo::default()
    }
}

fn message(image: &image::RgbImage, header: Header, raw: bool, quality: u8) -> Result<Vec<u8>, String> {
    if raw {
        let view = Frame::from_rgb(image).ok_or("a simulated picture without pixels")?;
        let image = Image::packed(&view, image, header).ok_or("a simulated picture with padded rows")?;
        return Ok(image.write());
    }
    let jpeg = output::jpeg(image, quality).map_err(|e| e.to_string())?;
    Ok(CompressedImage { header, format: "rgb8; jpeg compressed bgr8".into(), data: &jpeg }.write())
}
