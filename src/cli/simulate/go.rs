//! `simulate --go`: a game of Go on a simulated board, as a recording.

use std::{
    fs,
    path::{Path, PathBuf},
};

use chess_observer::{
    bag::{
        BagWriter, Compression, TopicId,
        messages::{CameraInfo, Header, types},
    },
    files,
    frame::Stamp,
    go::{record::Record, sgf::Sgf},
    sim::{
        go::{GoFrame, GoScene, GoSimulation, GoTruth},
        output::jpeg,
    },
};

use super::{Args, BAG_EPOCH, ask_for_room, topic, truth_folder};
use crate::cli::{Done, outputs, progress, say, stopped};

/// Runs the command.
pub(super) fn run(args: &Args, sgf: &Path) -> Result<Done, String> {
    let is_bag = args.out.extension().is_some_and(|e| e == "mcap");
    if is_bag {
        ask_for_room(&args.out, args.force)?;
    }
    let at = |e: &dyn std::fmt::Display| format!("{}: {e}", sgf.display());
    let text = files::text(sgf, files::LARGEST_TABLE).map_err(|e| at(&e))?;
    let record = Record::of(&Sgf::read(text.as_bytes()).map_err(|e| at(&e))?, args.game).map_err(|e| at(&e))?;
    let scene = match &args.scene {
        Some(path) => {
            let at = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
            GoScene::from_toml(&files::text(path, files::LARGEST_SETTINGS).map_err(|e| at(&e))?).map_err(|e| at(&e))?
        }
        None => GoScene::default(),
    };
    let simulation = GoSimulation::new(&scene, &record.end, args.seed).map_err(|e| at(&e))?;
    let simulation = if args.stills { simulation.stills(1) } else { simulation };
    let bar = progress::bar(Some(simulation.frames() as u64));
    let folder = if is_bag { truth_folder(&args.out) } else { args.out.clone() };
    if is_bag {
        GoTruth::clear(&folder).map_err(|e| e.to_string())?;
    }
    let mut truth = GoTruth::new(&folder, &text, &scene).map_err(|e| e.to_string())?;
    let mut pictures = if is_bag { Pictures::bag(args, &simulation, &scene)? } else { Pictures::folder(args, &scene)? };
    let mut ended = false;
    for frame in simulation {
        pictures.add(truth.rows(), &frame)?;
        truth.push(&frame);
        bar.inc(1);
        if stopped() {
            ended = true;
            break;
        }
    }
    bar.finish_and_clear();
    pictures.finish()?;
    let count = truth.finish().map_err(|e| e.to_string())?;
    say(&format!("{count} pictures: {}", args.out.display()));
    Ok(if ended { Done::Interrupted } else { Done::Processed })
}

/// Where the pictures go.
enum Pictures {
    Folder { out: PathBuf, stamps: String, raw: bool, quality: u8 },
    Bag { bag: Box<BagWriter>, images: TopicId, infos: TopicId, info: Box<CameraInfo>, raw: bool, quality: u8 },
}

impl Pictures {
    fn folder(args: &Args, scene: &GoScene) -> Result<Self, String> {
        let frames = args.out.join("frames");
        fs::create_dir_all(&frames).map_err(|e| outputs::told(&frames, &e))?;
        let (raw, quality) = (args.raw, scene.scene.sensor.file_quality());
        Ok(Self::Folder { out: args.out.clone(), stamps: "frame,stamp_s\n".into(), raw, quality })
    }

    fn bag(args: &Args, simulation: &GoSimulation, scene: &GoScene) -> Result<Self, String> {
        let failed = |e: chess_observer::bag::BagError| e.to_string();
        let compression = if args.raw { Compression::Chunks } else { Compression::None };
        let mut bag = BagWriter::mcap(&args.out, compression).map_err(failed)?;
        let images = bag.topic(topic(args.raw).0, topic(args.raw).1).map_err(failed)?;
        let infos = bag.topic("/camera_info", types::CAMERA_INFO).map_err(failed)?;
        let info = Box::new(super::camera_info(&simulation.view().camera.intrinsics()));
        let (raw, quality) = (args.raw, scene.scene.sensor.file_quality());
        Ok(Self::Bag { bag: Box::new(bag), images, infos, info, raw, quality })
    }

    fn add(&mut self, number: usize, frame: &GoFrame) -> Result<(), String> {
        match self {
            Self::Folder { out, stamps, raw, quality } => {
                let path = out.join(format!("frames/{number:05}.{}", if *raw { "png" } else { "jpg" }));
                if *raw {
                    frame.image.save(&path).map_err(|e| outputs::told(&path, &e))?;
                } else {
                    let bytes = jpeg(&frame.image, *quality).map_err(|e| outputs::told(&path, &e))?;
                    fs::write(&path, bytes).map_err(|e| outputs::told(&path, &e))?;
                }
                *stamps += &format!("{number:05},{:.6}\n", frame.time_s);
                Ok(())
            }
            Self::Bag { bag, images, infos, info, raw, quality } => {
                let failed = |e: chess_observer::bag::BagError| e.to_string();
                let stamp = Stamp(BAG_EPOCH.0 + Stamp::from_s(frame.time_s).0);
                let header = Header { stamp, frame_id: "camera_optical".into() };
                let info = CameraInfo { header: header.clone(), ..(**info).clone() };
                bag.write(*infos, stamp, &info.write()).map_err(failed)?;
                bag.write(*images, stamp, &super::message(&frame.image, header, *raw, *quality)?).map_err(failed)
            }
        }
    }

    fn finish(self) -> Result<(), String> {
        match self {
            Self::Folder { out, stamps, .. } => {
                let path = out.join("frames.csv");
                fs::write(&path, stamps).map_err(|e| outputs::told(&path, &e))
            }
            Self::Bag { bag, .. } => bag.finish().map_err(|e| e.to_string()),
        }
    }
}
