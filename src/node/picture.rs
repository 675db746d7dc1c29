//! From a camera's message to a frame.

use image::{ImageFormat, ImageReader, Limits, RgbImage};
use r2r::{
    sensor_msgs::msg::{CompressedImage, Image},
    std_msgs::msg::Header,
};
use std::io::Cursor;

use crate::frame::{Frame, FrameError, MAX_SIDE_PX, PixelFormat, Stamp};

/// Largest decoded picture: 128 megapixels of RGB, far beyond any camera, well below the memory of any computer that
/// runs ROS.
const MAX_DECODED_BYTES: u64 = 384 << 20;

/// Why a picture was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadPicture {
    /// The message contradicts itself, or its encoding is not known.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// The compressed data is neither JPEG nor PNG.
    #[error("compressed data of format {format:?} is neither JPEG nor PNG")]
    Format {
        /// The message's own word for it, cut at 40 characters.
        format: String,
    },
    /// The compressed data is damaged, or its picture too large.
    #[error("cannot decode the compressed picture: {0}")]
    Decode(String),
}

impl BadPicture {
    /// Every [`reason`](Self::reason).
    pub const REASONS: [&'static str; 6] =
        ["unknown_encoding", "bad_size", "bad_step", "short_data", "unknown_format", "undecodable"];

    /// One word for the statistics.
    #[must_use]
    pub const fn reason(&self) -> &'static str {
        match self {
            Self::Frame(FrameError::UnknownEncoding { .. }) => "unknown_encoding",
            Self::Frame(FrameError::Size { .. }) => "bad_size",
            Self::Frame(FrameError::Step { .. }) => "bad_step",
            Self::Frame(FrameError::Short { .. }) => "short_data",
            Self::Format { .. } => "unknown_format",
            Self::Decode(_) => "undecodable",
        }
    }
}

/// A picture that has arrived; raw ones are known to be whole.
#[derive(Debug, Clone)]
pub struct Picture {
    /// The message's header, for the results.
    pub header: Header,
    /// The encoding, as the message names it.
    pub encoding: String,
    pixels: Pixels,
    /// Does its stamp tell no time?
    untimed: bool,
}

#[derive(Debug, Clone)]
enum Pixels {
    Raw { width: u32, height: u32, step: usize, format: PixelFormat, data: Vec<u8> },
    Encoded { data: Vec<u8>, format: ImageFormat },
}

impl Picture {
    /// From an uncompressed picture.
    ///
    /// # Errors
    /// When the encoding is not known, or size, step and data do not fit together.
    pub fn from_image(image: Image) -> Result<Self, BadPicture> {
        let format: PixelFormat = image.encoding.parse()?;
        let (width, height, step) = (image.width, image.height, image.step as usize);
        Frame::new(width, height, step, format, &image.data)?;
        let pixels = Pixels::Raw { width, height, step, format, data: image.data };
        Ok(Self { header: image.header, encoding: image.encoding, pixels, untimed: false })
    }

    /// From a compressed picture. Only its first bytes are looked at here.
    ///
    /// # Errors
    /// When it is neither JPEG nor PNG.
    pub fn from_compressed(image: CompressedImage) -> Result<Self, BadPicture> {
        // The data decides: drivers write many things into `format`.
        match image::guess_format(&image.data) {
            Ok(format @ (ImageFormat::Jpeg | ImageFormat::Png)) => {
                let encoding = if format == ImageFormat::Jpeg { "jpeg" } else { "png" };
                let pixels = Pixels::Encoded { data: image.data, format };
                Ok(Self { header: image.header, encoding: encoding.into(), pixels, untimed: false })
            }
            _ => Err(BadPicture::Format { format: image.format.chars().take(40).collect() }),
        }
    }

    /// Its stamp tells no time: cameras that always send the same one.
    pub const fn forget_stamp(&mut self) {
        self.untimed = true;
    }

    /// When it was taken; `None` where the camera leaves the stamp at zero, or it was forgotten.
    #[must_use]
    pub fn stamp(&self) -> Option<Stamp> {
        let time = &self.header.stamp;
        (!self.untimed && (time.sec != 0 || time.nanosec != 0))
            .then(|| Stamp(i64::from(time.sec) * 1_000_000_000 + i64::from(time.nanosec)))
    }

    /// Lends the picture as a frame to `look`; decodes it first where it is compressed.
    ///
    /// # Errors
    /// When it cannot be decoded.
    pub fn with_frame<T>(&self, look: impl FnOnce(&Frame<'_>) -> T) -> Result<T, BadPicture> {
        match &self.pixels {
            Pixels::Raw { width, height, step, format, data } => {
                Ok(look(&Frame::new(*width, *height, *step, *format, data)?))
            }
            Pixels::Encoded { data, format } => {
                let rgb = decode(data, *format)?;
                let (width, height) = rgb.dimensions();
                Ok(look(&Frame::from_rgb(&rgb).ok_or(FrameError::Size { width, height })?))
            }
        }
    }
}

fn decode(data: &[u8], format: ImageFormat) -> Result<RgbImage, BadPicture> {
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_SIDE_PX);
    limits.max_image_height = Some(MAX_SIDE_PX);
    limits.max_alloc = Some(MAX_DECODED_BYTES);
    let mut reader = ImageReader::with_format(Cursor::new(data), format);
    reader.limits(limits);
    reader.decode().map(image::DynamicImage::into_rgb8).map_err(|e| BadPicture::Decode(e.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(width: u32, height: u32, step: u32, encoding: &str, bytes: usize) -> Image {
        Image { width, height, step, encoding: encoding.into(), data: vec![7; bytes], ..Default::default() }
    }

    fn jpeg() -> Vec<u8> {
        let mut data = Vec::new();
        RgbImage::from_pixel(16, 8, image::Rgb([200, 100, 50]))
            .write_to(&mut Cursor::new(&mut data), ImageFormat::Jpeg)
            .unwrap();
        data
    }

    #[test]
    fn padded_rows_are_kept() {
        let picture = Picture::from_image(image(4, 2, 16, "bgr8", 28)).unwrap();
        assert_eq!(picture.with_frame(|f| (f.width(), f.height(), f.rgb(3, 1))).unwrap(), (4, 2, [7; 3]));
    }

    #[test]
    fn contradictions_are_refused_with_a_reason() {
        for (bad, reason, text) in [
            (image(0, 0, 0, "rgb8", 0), "bad_size", "picture of 0x0 pixels: each side must be 1 to 16384"),
            (image(4, 2, 11, "rgb8", 99), "bad_step", "step of 11 bytes: a row of 4 rgb8 pixels has 12"),
            (image(4, 2, 12, "rgb8", 23), "short_data", "23 bytes of data: 24 are needed for 2 rows of step 12"),
            (image(4, 2, 12, "rgb16", 24), "unknown_encoding", "unknown encoding \"rgb16\": expected one of mono8"),
        ] {
            let error = Picture::from_image(bad).unwrap_err();
            assert_eq!(error.reason(), reason);
            assert!(error.to_string().starts_with(text), "{error}");
        }
    }

    #[test]
    fn jpeg_is_decoded_whatever_the_format_says() {
        let message = CompressedImage { format: "rubbish".into(), data: jpeg(), ..Default::default() };
        let picture = Picture::from_compressed(message).unwrap();
        assert_eq!(picture.encoding, "jpeg");
        let [r, g, b] = picture.with_frame(|f| f.rgb(5, 5)).unwrap();
        assert!(r.abs_diff(200) < 5 && g.abs_diff(100) < 5 && b.abs_diff(50) < 5, "{r} {g} {b}");
    }

    #[test]
    fn damaged_and_foreign_data_is_refused() {
        let message = |data| CompressedImage { format: "jpeg".into(), data, ..Default::default() };
        assert_eq!(Picture::from_compressed(message(b"GIF89a".to_vec())).unwrap_err().reason(), "unknown_format");
        assert_eq!(Picture::from_compressed(message(Vec::new())).unwrap_err().reason(), "unknown_format");
        let cut = Picture::from_compressed(message(jpeg()[..40].to_vec())).unwrap();
        assert_eq!(cut.with_frame(|_| ()).unwrap_err().reason(), "undecodable");
    }

    #[test]
    fn decompression_bombs_are_refused() {
        // A PNG header that announces 60000 x 60000 pixels.
        let mut data = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\xea\x60\0\0\xea\x60\x08\x02\0\0\0".to_vec();
        data.extend([0; 64]);
        let message = CompressedImage { data, ..Default::default() };
        let picture = Picture::from_compressed(message).unwrap();
        assert_eq!(picture.with_frame(|_| ()).unwrap_err().reason(), "undecodable");
    }

    #[test]
    fn every_reason_is_listed() {
        let errors = [
            BadPicture::Format { format: String::new() },
            BadPicture::Decode(String::new()),
            FrameError::UnknownEncoding { name: String::new() }.into(),
            FrameError::Size { width: 0, height: 0 }.into(),
        ];
        assert!(errors.iter().all(|e| BadPicture::REASONS.contains(&e.reason())));
    }

    #[test]
    fn a_stamp_of_zero_is_none() {
        let mut picture = Picture::from_image(image(1, 1, 1, "mono8", 1)).unwrap();
        assert_eq!(picture.stamp(), None);
        picture.header.stamp.sec = 2;
        picture.header.stamp.nanosec = 5;
        assert_eq!(picture.stamp(), Some(Stamp(2_000_000_005)));
        picture.forget_stamp();
        assert_eq!(picture.stamp(), None);
    }
}
