//! From a camera's message to a frame.

use futures::{Stream, StreamExt};
use image::{ImageFormat, ImageReader, Limits, RgbImage};
use r2r::{Node, QosProfile, builtin_interfaces::msg::Time, std_msgs::msg::Header};
use std::{io::Cursor, ops::Range};

use crate::{
    bag::{
        cdr::CdrError,
        messages::{CompressedImage, Header as Read, Image, types},
    },
    frame::{Frame, FrameError, MAX_SIDE_PX, PixelFormat, Stamp},
};

/// Largest decoded picture: 128 megapixels of RGB, far beyond any camera, well below the memory of any computer that
/// runs ROS.
const MAX_DECODED_BYTES: u64 = 384 << 20;

/// Why a picture was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadPicture {
    /// The message contradicts itself, or its encoding is not known.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// The middleware has delivered something that is no message of a picture.
    #[error("damaged message: {0}")]
    Message(#[from] CdrError),
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
    pub(super) const REASONS: [&'static str; 7] =
        ["unknown_encoding", "bad_size", "bad_step", "short_data", "damaged_message", "unknown_format", "undecodable"];

    /// One word for the statistics.
    #[must_use]
    pub const fn reason(&self) -> &'static str {
        match self {
            Self::Frame(FrameError::UnknownEncoding { .. }) => "unknown_encoding",
            Self::Frame(FrameError::Size { .. }) => "bad_size",
            Self::Frame(FrameError::Step { .. }) => "bad_step",
            Self::Frame(FrameError::Short { .. }) => "short_data",
            Self::Message(_) => "damaged_message",
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
    Raw { width: u32, height: u32, step: usize, format: PixelFormat, message: Vec<u8>, place: Range<usize> },
    Encoded { format: ImageFormat, message: Vec<u8>, place: Range<usize> },
}

impl Picture {
    /// From a serialised `sensor_msgs/msg/Image`.
    ///
    /// # Errors
    /// When it is none, the encoding is not known, or size, step and data do not fit together.
    pub(super) fn from_image(message: Vec<u8>) -> Result<Self, BadPicture> {
        let (image, place) = Image::locate(&message)?;
        let format: PixelFormat = image.encoding.parse()?;
        let (width, height, step) = (image.width, image.height, image.step as usize);
        Frame::new(width, height, step, format, image.data)?;
        let (header, encoding) = (header(image.header), image.encoding);
        Ok(Self {
            header,
            encoding,
            pixels: Pixels::Raw { width, height, step, format, message, place },
            untimed: false,
        })
    }

    /// From a serialised `sensor_msgs/msg/CompressedImage`. Only the first bytes of its data are looked at here.
    ///
    /// # Errors
    /// When it is none, or its data is neither JPEG nor PNG.
    fn from_compressed(message: Vec<u8>) -> Result<Self, BadPicture> {
        let (image, place) = CompressedImage::locate(&message)?;
        // The data decides: drivers write many things into `format`.
        match image::guess_format(image.data) {
            Ok(format @ (ImageFormat::Jpeg | ImageFormat::Png)) => {
                let encoding = if format == ImageFormat::Jpeg { "jpeg" } else { "png" };
                let header = header(image.header);
                let pixels = Pixels::Encoded { format, message, place };
                Ok(Self { header, encoding: encoding.into(), pixels, untimed: false })
            }
            _ => Err(BadPicture::Format { format: image.format.chars().take(40).collect() }),
        }
    }

    /// The JPEG that it is; `None` where it is something else.
    #[must_use]
    pub fn jpeg(&self) -> Option<&[u8]> {
        match &self.pixels {
            Pixels::Encoded { format: ImageFormat::Jpeg, message, place } => message.get(place.clone()),
            _ => None,
        }
    }

    /// Its stamp tells no time: cameras that always send the same one.
    pub(super) const fn forget_stamp(&mut self) {
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
            Pixels::Raw { width, height, step, format, message, place } => {
                Ok(look(&Frame::new(*width, *height, *step, *format, &message[place.clone()])?))
            }
            Pixels::Encoded { format, message, place } => {
                let rgb = decode(&message[place.clone()], *format)?;
                let (width, height) = rgb.dimensions();
                Ok(look(&Frame::from_rgb(&rgb).ok_or(FrameError::Size { width, height })?))
            }
        }
    }
}

/// Subscribes to pictures as the bytes that they are sent as. Fast DDS 2.14 does not come to an end with a large message whose
/// first part is missing (as one that was on its way when the subscription began), where it takes it apart itself: the thread
/// that spins hangs. Here such a message is a bad picture like others.
///
/// # Errors
/// When the middleware refuses the subscription.
pub fn subscribe(
    node: &mut Node,
    topic: &str,
    compressed: bool,
    qos: QosProfile,
) -> r2r::Result<impl Stream<Item = Result<Picture, BadPicture>> + Unpin + use<>> {
    let kind = if compressed { types::COMPRESSED_IMAGE } else { types::IMAGE };
    let read = if compressed { Picture::from_compressed } else { Picture::from_image };
    Ok(node.subscribe_raw(topic, kind, qos)?.map(read))
}

fn header(read: Read) -> Header {
    let Stamp(ns) = read.stamp;
    let second = 1_000_000_000;
    let stamp = Time { sec: ns.div_euclid(second) as i32, nanosec: ns.rem_euclid(second) as u32 };
    Header { stamp, frame_id: read.frame_id }
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

    fn image(width: u32, height: u32, step: u32, encoding: &str, bytes: usize) -> Vec<u8> {
        let (header, data) = (Read { stamp: Stamp(0), frame_id: "camera".into() }, &*vec![7; bytes]);
        Image { header, width, height, step, encoding: encoding.into(), is_bigendian: false, data }.write()
    }

    fn compressed(format: &str, data: &[u8]) -> Vec<u8> {
        let header = Read { stamp: Stamp(2_000_000_005), frame_id: "camera".into() };
        CompressedImage { header, format: format.into(), data }.write()
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
        let picture = Picture::from_compressed(compressed("rubbish", &jpeg())).unwrap();
        assert_eq!((picture.encoding.as_str(), picture.jpeg()), ("jpeg", Some(&*jpeg())));
        assert_eq!((picture.stamp(), picture.header.frame_id.as_str()), (Some(Stamp(2_000_000_005)), "camera"));
        let [r, g, b] = picture.with_frame(|f| f.rgb(5, 5)).unwrap();
        assert!(r.abs_diff(200) < 5 && g.abs_diff(100) < 5 && b.abs_diff(50) < 5, "{r} {g} {b}");
    }

    #[test]
    fn damaged_and_foreign_data_is_refused() {
        let refused = |data| Picture::from_compressed(compressed("jpeg", data)).unwrap_err().reason();
        assert_eq!((refused(b"GIF89a"), refused(b"")), ("unknown_format", "unknown_format"));
        let cut = Picture::from_compressed(compressed("jpeg", &jpeg()[..40])).unwrap();
        assert_eq!(cut.with_frame(|_| ()).unwrap_err().reason(), "undecodable");
    }

    #[test]
    fn a_message_of_which_a_part_is_missing_is_a_bad_picture() {
        type Reads = fn(Vec<u8>) -> Result<Picture, BadPicture>;
        let cases: [(Vec<u8>, Reads); 2] = [
            (image(4, 2, 12, "rgb8", 24), Picture::from_image),
            (compressed("jpeg", &jpeg()), Picture::from_compressed),
        ];
        for (whole, read) in cases {
            assert!(read(whole.clone()).is_ok());
            // The first part, the last byte, and everything; and what is no message at all.
            for message in [&whole[whole.len() / 2..], &whole[..whole.len() - 1], &[], &[0xff; 99]] {
                let error = read(message.to_vec()).unwrap_err();
                assert_eq!(error.reason(), "damaged_message", "{error}");
            }
        }
    }

    #[test]
    fn decompression_bombs_are_refused() {
        // A PNG header that announces 60000 x 60000 pixels.
        let mut data = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\xea\x60\0\0\xea\x60\x08\x02\0\0\0".to_vec();
        data.extend([0; 64]);
        let picture = Picture::from_compressed(compressed("png", &data)).unwrap();
        assert_eq!(picture.with_frame(|_| ()).unwrap_err().reason(), "undecodable");
    }

    #[test]
    fn every_reason_is_listed() {
        let errors = [
            BadPicture::Format { format: String::new() },
            BadPicture::Decode(String::new()),
            CdrError::NoHeader(0).into(),
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
