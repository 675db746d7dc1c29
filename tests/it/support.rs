//! What several tests use.

use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
};

use chess_observer::{
    bag::{
        self, BagWriter, Compression, Item,
        messages::{CameraInfo, CompressedImage, Header, Image, types},
    },
    frame::{Frame, PixelFormat, Stamp},
    sim::dice::Dice,
};
use image::RgbImage;

/// Recordings with truth, which are not part of the package: tests that need them say so when they are not there.
pub fn shared() -> PathBuf {
    std::env::var_os("CHESS_OBSERVER_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from)
}

/// The photographs in which there is no chessboard; none where the recordings are not there.
pub fn no_board_pictures(root: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(root.join("data/locate/no-board")) else { return Vec::new() };
    let picture = |p: &PathBuf| p.extension().is_some_and(|e| e == "jpg" || e == "png");
    let mut pictures: Vec<PathBuf> = entries.flatten().map(|e| e.path()).filter(picture).collect();
    pictures.sort();
    pictures
}

/// A small picture that differs with `seed` in every pixel.
pub fn picture(seed: u8, width: u32, height: u32) -> image::RgbImage {
    image::RgbImage::from_fn(width, height, |x, y| {
        let v = |k: u32| ((x * 7 + y * 13 + k * 31) as u8).wrapping_mul(3).wrapping_add(seed.wrapping_mul(17));
        image::Rgb([v(0), v(1), v(2)])
    })
}

/// Bytes of noise, others for each seed (a linear congruential generator: its high bits).
pub fn noise(seed: u32) -> impl Iterator<Item = u8> {
    let next = |state: &u32| Some(state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
    std::iter::successors(Some(seed), next).skip(1).map(|state| (state >> 24) as u8)
}

pub fn png(image: &image::RgbImage) -> Vec<u8> {
    let mut bytes = Vec::new();
    image.write_to(&mut std::io::Cursor::new(&mut bytes), image::ImageFormat::Png).unwrap();
    bytes
}

/// The recording that every format is tested with: 12 pictures of 40×30, 0.1 s apart, and the camera's parameters.
pub const PICTURES: usize = 12;
pub const SIZE: (u32, u32) = (40, 30);

pub fn stamp(i: usize) -> Stamp {
    Stamp(1_700_000_000_000_000_000 + i as i64 * 100_000_000)
}

pub fn header(i: usize) -> Header {
    Header { stamp: stamp(i), frame_id: "camera".into() }
}

pub fn camera_info() -> CameraInfo {
    CameraInfo {
        header: header(0),
        height: SIZE.1,
        width: SIZE.0,
        distortion_model: "plumb_bob".into(),
        d: vec![0.0; 5],
        k: [50.0, 0.0, 20.0, 0.0, 50.0, 15.0, 0.0, 0.0, 1.0],
        r: [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        p: [50.0, 0.0, 20.0, 0.0, 0.0, 50.0, 15.0, 0.0, 0.0, 0.0, 1.0, 0.0],
        ..CameraInfo::default()
    }
}

/// Writes the recording: raw pictures on /cam/image_raw, or PNGs on /cam/image_raw/compressed.
pub fn write(mut bag: BagWriter, compressed: bool) {
    let info = bag.topic("/cam/camera_info", types::CAMERA_INFO).unwrap();
    let text = bag.topic("/chatter", types::STRING).unwrap();
    let (name, kind) = match compressed {
        true => ("/cam/image_raw/compressed", types::COMPRESSED_IMAGE),
        false => ("/cam/image_raw", types::IMAGE),
    };
    let images = bag.topic(name, kind).unwrap();
    bag.write(info, stamp(0), &camera_info().write()).unwrap();
    for i in 0..PICTURES {
        let image = picture(i as u8, SIZE.0, SIZE.1);
        let message = if compressed {
            CompressedImage { header: header(i), format: "rgb8; png compressed rgb8".into(), data: &png(&image) }
                .write()
        } else {
            Image::packed(&Frame::from_rgb(&image).unwrap(), &image, header(i)).unwrap().write()
        };
        bag.write(images, stamp(i), &message).unwrap();
        bag.write(text, stamp(i), &bag::messages::write_string(&format!("hello {i}"))).unwrap();
    }
    bag.finish().unwrap();
}

/// Every form in which the recording can be written: its name, and where it was written to.
pub fn every_form(dir: &Path) -> Vec<(&'static str, PathBuf)> {
    let mut forms = Vec::new();
    let mut add = |name: &'static str, file: &str, compressed: bool, bag: &dyn Fn(&Path) -> BagWriter| {
        let path = dir.join(file);
        write(bag(&path), compressed);
        forms.push((name, path));
    };
    let mcap = |c: Compression| move |p: &Path| BagWriter::mcap(p, c).unwrap();
    let sqlite = |c: Compression| move |p: &Path| BagWriter::sqlite(p, c).unwrap();
    add("mcap", "mcap", false, &mcap(Compression::None));
    add("mcap, compressed pictures", "mcap_png", true, &mcap(Compression::None));
    add("mcap, zstd chunks", "mcap_chunks", false, &mcap(Compression::Chunks));
    add("mcap, zstd file", "mcap_file", false, &mcap(Compression::File));
    add("bare mcap", "bare.mcap", false, &mcap(Compression::Chunks));
    add("sqlite3", "sqlite", false, &sqlite(Compression::None));
    add("sqlite3, compressed pictures", "sqlite_png", true, &sqlite(Compression::None));
    add("sqlite3, zstd messages", "sqlite_messages", false, &sqlite(Compression::Messages));
    add("sqlite3, zstd file", "sqlite_file", false, &sqlite(Compression::File));
    add("bare db3", "bare.db3", false, &sqlite(Compression::None));
    let folder = dir.join("folder");
    std::fs::create_dir(&folder).unwrap();
    let mut times = String::from("frame,stamp_s\n");
    for i in 0..PICTURES {
        let name = format!("{i:03}");
        std::fs::write(folder.join(format!("{name}.png")), png(&picture(i as u8, SIZE.0, SIZE.1))).unwrap();
        let ns = stamp(i).0;
        times.push_str(&format!("{name},{}.{}\n", ns / 1_000_000_000, ns % 1_000_000_000 / 100_000_000));
    }
    std::fs::write(folder.join("frames.csv"), times).unwrap();
    forms.push(("folder", folder));
    forms
}

/// What a recording yields.
#[derive(Debug, Default, PartialEq)]
pub struct Contents {
    pub pictures: Vec<(usize, Stamp, image::RgbImage)>,
    pub infos: Vec<CameraInfo>,
    pub bad: Vec<String>,
    pub notes: Vec<String>,
}

/// Reads a recording to its end.
pub fn contents(path: &Path, topic: Option<&str>) -> Result<Contents, String> {
    let mut source = bag::open(path, topic).map_err(|e| e.to_string())?;
    let mut all = Contents::default();
    loop {
        match source.next_item().map_err(|e| e.to_string())? {
            None => return Ok(all),
            Some(Item::Picture(picture)) => match picture.decode() {
                Ok(decoded) => all.pictures.push((picture.index, picture.stamp, decoded.frame().unwrap().to_rgb())),
                Err(e) => all.bad.push(e.to_string()),
            },
            Some(Item::CameraInfo { info, .. }) => all.infos.push(*info),
            Some(Item::Bad { reason, .. }) => all.bad.push(reason),
            Some(Item::Note(text)) => all.notes.push(text),
        }
    }
}

/// Runs the command line program.
pub fn program(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_chess_observer")).args(args).output().unwrap()
}

/// The program's exit status, standard output and standard error.
pub fn run(args: &[&str]) -> (i32, String, String) {
    let output = program(args);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

/// Bytes of `image` in another pixel format, `padding` bytes after each row.
pub fn encode(image: &image::RgbImage, format: PixelFormat, padding: usize) -> (usize, Vec<u8>) {
    let step = format.row_bytes(image.width()) + padding;
    let mut data = vec![0xA5; step * image.height() as usize];
    let yuv = |p: [u8; 3]| {
        let [r, g, b] = p.map(f64::from);
        let y = 16.0 + (65.481 * r + 128.553 * g + 24.966 * b) / 255.0;
        let u = 128.0 + (-37.797 * r - 74.203 * g + 112.0 * b) / 255.0;
        let v = 128.0 + (112.0 * r - 93.786 * g - 18.214 * b) / 255.0;
        [y, u, v].map(|c| c.round() as u8)
    };
    for (x, y, image::Rgb(p)) in image.enumerate_pixels() {
        let row = &mut data[y as usize * step..];
        let (x, [r, g, b]) = (x as usize, *p);
        // Which colour a Bayer filter passes, by the parity of the pixel.
        let bayer = |names: [u8; 4]| match names[(y as usize % 2) * 2 + x % 2] {
            b'r' => r,
            b'g' => g,
            _ => b,
        };
        match format {
            PixelFormat::Mono8 => row[x] = chess_observer::frame::luma_from_rgb(*p),
            PixelFormat::Rgb8 => row[3 * x..3 * x + 3].copy_from_slice(&[r, g, b]),
            PixelFormat::Bgr8 => row[3 * x..3 * x + 3].copy_from_slice(&[b, g, r]),
            PixelFormat::Rgba8 => row[4 * x..4 * x + 4].copy_from_slice(&[r, g, b, 9]),
            PixelFormat::Bgra8 => row[4 * x..4 * x + 4].copy_from_slice(&[b, g, r, 9]),
            PixelFormat::Yuv422 => {
                let [luma, u, v] = yuv(*p);
                let pair = 4 * (x / 2);
                row[pair + 1 + 2 * (x % 2)] = luma;
                (row[pair], row[pair + 2]) = (u, v);
            }
            PixelFormat::Yuv422Yuy2 => {
                let [luma, u, v] = yuv(*p);
                let pair = 4 * (x / 2);
                row[pair + 2 * (x % 2)] = luma;
                (row[pair + 1], row[pair + 3]) = (u, v);
            }
            PixelFormat::BayerRggb8 => row[x] = bayer(*b"rggb"),
            PixelFormat::BayerBggr8 => row[x] = bayer(*b"bggr"),
            PixelFormat::BayerGbrg8 => row[x] = bayer(*b"gbrg"),
            PixelFormat::BayerGrbg8 => row[x] = bayer(*b"grbg"),
        }
    }
    (step, data)
}

/// With more noise, this standard deviation in levels.
pub fn noisy(image: &RgbImage, sigma: f64, seed: u64) -> RgbImage {
    let mut dice = Dice::new(seed, 77);
    let mut image = image.clone();
    for value in image.iter_mut() {
        // Three throws: a bell, its deviation a half.
        let bell = dice.unit() + dice.unit() + dice.unit() - 1.5;
        *value = (f64::from(*value) + 2.0 * sigma * bell).clamp(0.0, 255.0) as u8;
    }
    image
}
