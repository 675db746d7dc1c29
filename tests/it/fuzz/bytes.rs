//! Pictures, messages and recordings.

use std::{fs, time::Duration};

use chess_observer::{
    archive::{
        Archive, Keeper,
        keeper::{MOST_BYTES, Place},
        rerun::rerun,
    },
    bag::{
        BagWriter, Compression, Picture,
        messages::{CameraInfo, CompressedImage, Image, read_string, write_string},
        picture::Content,
    },
    board::locate::{Hint, locate},
    frame::{Frame, PixelFormat, Stamp},
    observer::Observer,
    params::Params,
    sim::{Scene, Simulation},
};
use image::RgbImage;

use super::{fuzz, one_line};
use crate::support::{camera_info, contents, header, picture, png, write};

fn jpeg(image: &RgbImage) -> Vec<u8> {
    let mut bytes = Vec::new();
    image.write_to(&mut std::io::Cursor::new(&mut bytes), image::ImageFormat::Jpeg).unwrap();
    bytes
}

/// Its last pixel can be read, or one line says why there is none.
fn look_at(picture: &Picture) {
    match picture.decode() {
        Ok(decoded) => {
            let frame = decoded.frame().unwrap();
            assert!(frame.width() > 0 && frame.height() > 0);
            let _ = frame.luma(frame.width() - 1, frame.height() - 1);
        }
        Err(e) => one_line(&e),
    }
}

#[test]
fn pictures() {
    let grey = image::DynamicImage::ImageRgb8(picture(3, 24, 16)).into_luma8();
    let mut deep = Vec::new();
    image::DynamicImage::ImageRgb8(picture(4, 9, 7))
        .into_rgba16()
        .write_to(&mut std::io::Cursor::new(&mut deep), image::ImageFormat::Png)
        .unwrap();
    let grey_jpeg = jpeg(&image::DynamicImage::ImageLuma8(grey).into_rgb8());
    let seeds = [png(&picture(1, 24, 16)), jpeg(&picture(2, 24, 16)), grey_jpeg, deep];
    let words = ["IHDR", "IDAT", "PLTE", "tRNS", "Exif\0\0MM\0*", "JFIF\0"];
    fuzz("pictures", 1.0, &seeds, &words, |bytes, dice| {
        let content = Content::Encoded { format: String::new(), message: bytes.to_vec(), data: 0..bytes.len() };
        // A file is turned as its tag says, a message is not.
        let name = (dice.below(2) == 0).then(|| "a.jpg".to_owned());
        let shown = Picture { index: 0, stamp: Stamp(0), name, content };
        look_at(&shown);
    });
}

#[test]
fn boards_in_pictures() {
    let mut scene = Scene::oblique(60.0);
    (scene.camera.width, scene.camera.height) = (160, 120);
    let start = (chess_observer::game::start::Start::default(), Vec::new());
    let still = Simulation::new(&scene, start, 1).unwrap().stills().next().unwrap().image;
    let seeds = [still.as_raw().clone(), picture(1, 160, 120).into_raw(), vec![0; 160 * 120 * 3]];
    let formats = [PixelFormat::Rgb8, PixelFormat::Mono8, PixelFormat::Yuv422, PixelFormat::BayerRggb8];
    fuzz("boards", 0.02, &seeds, &[], |bytes, dice| {
        let format = *dice.one_of(&formats);
        let width = *dice.one_of(&[160, 8, 2, 333]);
        let step = format.row_bytes(width) + dice.below(3);
        // Now and then a row is missing.
        let height = (bytes.len() / step.max(1)) as u32 + u32::from(dice.below(8) == 0);
        match Frame::new(width, height, step, format, bytes) {
            Err(e) => one_line(&e),
            Ok(frame) => match locate(&frame, &Hint::default()) {
                Ok(found) => assert!(found.corners().to_array().iter().flatten().all(|v| v.is_finite())),
                Err(e) => one_line(&e),
            },
        }
    });
}

#[test]
fn messages() {
    let image = picture(1, 6, 4);
    let seeds = [
        Image::packed(&Frame::from_rgb(&image).unwrap(), &image, header(0)).unwrap().write(),
        CompressedImage { header: header(1), format: "png".into(), data: &png(&image) }.write(),
        camera_info().write(),
        write_string("hello"),
    ];
    fuzz("messages", 4.0, &seeds, &["rgb8", "plumb_bob", "\0\u{1}\0\0"], |bytes, _| {
        if let Ok((found, range)) = Image::locate(bytes) {
            // A byte that is no text is told by a sign of three.
            assert!(bytes.get(range.clone()).is_some() && found.encoding.len() <= 3 * bytes.len());
            let (width, height, step) = (found.width, found.height, found.step);
            let content =
                Content::Raw { width, height, step, encoding: found.encoding, message: bytes.to_vec(), pixels: range };
            look_at(&Picture { index: 0, stamp: Stamp(0), name: None, content });
        }
        if let Ok((_, range)) = CompressedImage::locate(bytes) {
            assert!(bytes.get(range).is_some());
        }
        // What can be read is written as it was; a text ends at its first zero.
        if let Ok(info) = CameraInfo::read(bytes)
            && !format!("{info:?}").contains("\\0")
        {
            let again = CameraInfo::read(&info.write()).unwrap();
            assert_eq!(format!("{info:?}"), format!("{again:?}"));
        }
        if let Err(e) = read_string(bytes) {
            one_line(&e);
        }
    });
}

fn recordings(name: &str, share: f64, files: &[(&str, Compression)]) {
    let dir = tempfile::tempdir().unwrap();
    let seeds: Vec<Vec<u8>> = files
        .iter()
        .map(|(file, compression)| {
            let path = dir.path().join(file);
            let bag = if file.ends_with("mcap") {
                BagWriter::mcap(&path, *compression).unwrap()
            } else {
                BagWriter::sqlite(&path, *compression).unwrap()
            };
            write(bag, true);
            fs::read(path).unwrap()
        })
        .collect();
    let path = dir.path().join("input");
    fuzz(name, share, &seeds, &["\u{89}MCAP0\r\n", "/cam/image_raw/compressed", "cdr"], |bytes, _| {
        fs::write(&path, bytes).unwrap();
        match contents(&path, None) {
            Ok(read) => read.bad.iter().chain(&read.notes).for_each(one_line),
            Err(e) => one_line(&e),
        }
    });
}

#[test]
fn archives() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.looks");
    let params = Params::default();
    let mut observer = Observer::new(&params).unwrap();
    let mut keeper = Keeper::new(Place::File(path.clone()), MOST_BYTES, &params).unwrap();
    for (ply, san) in ["e4", "e5", "Nf3"].into_iter().enumerate() {
        let events = observer.correct_move(ply + 1, san).unwrap();
        keeper.hear(&observer, Stamp(ply as i64), &events);
    }
    assert_eq!(keeper.finish(Duration::from_secs(60)).written, 3);
    let seed = fs::read(path).unwrap();
    let path = dir.path().join("input");
    fuzz("archives", 0.1, &[seed], &["\"move\"", "told", "e2e4", "9e999"], |bytes, _| {
        fs::write(&path, bytes).unwrap();
        let archive = match Archive::open(&path) {
            Ok(archive) => archive,
            Err(e) => return one_line(&e),
        };
        if let Err(e) = archive.params() {
            one_line(&e);
        }
        match archive.looks() {
            Err(e) => one_line(&e),
            Ok(looks) => {
                for listed in looks.iter().take(5) {
                    if let Err(e) = archive.look(listed.number) {
                        one_line(&e);
                    }
                }
            }
        }
        if let Err(e) = rerun(&archive, &mut Observer::new(&params).unwrap(), |_, _, _| true) {
            one_line(&e);
        }
    });
}

/// The table of times beside the pictures of a folder.
#[test]
fn times_of_pictures() {
    let dir = tempfile::tempdir().unwrap();
    for i in 0..2 {
        fs::write(dir.path().join(format!("{i}.png")), png(&picture(i, 4, 3))).unwrap();
    }
    let seeds =
        [b"frame,stamp_s\n0,1700000000.25\n1,1700000000.35\n".to_vec(), b"stamp_s,frame,x\n1,0,\"a\nb\"\n".to_vec()];
    fuzz("times of pictures", 0.3, &seeds, &["\"", ",", "nan", "-1e308", "\r\n", "frame"], |bytes, _| {
        fs::write(dir.path().join("frames.csv"), bytes).unwrap();
        match contents(dir.path(), None) {
            Ok(read) => read.bad.iter().chain(&read.notes).for_each(one_line),
            Err(e) => one_line(&e),
        }
    });
}

#[test]
fn mcap_files() {
    recordings("mcap files", 0.5, &[("a.mcap", Compression::None), ("b.mcap", Compression::Chunks)]);
}

#[test]
fn db3_files() {
    recordings("db3 files", 0.1, &[("a.db3", Compression::None), ("b.db3", Compression::Messages)]);
}
