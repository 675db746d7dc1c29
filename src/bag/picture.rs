//! One picture of a recording: as it came, and decoded.

use std::{
    io::{self, Cursor},
    ops::Range,
    path::Path,
};

use image::{
    DynamicImage, GrayImage, ImageDecoder, ImageError, ImageFormat, ImageReader, Limits, RgbImage,
    metadata::Orientation,
};

use crate::{
    files,
    frame::{Frame, FrameError, MAX_SIDE_PX, PixelFormat, Stamp},
};

/// Most memory that decoding one picture may take, in bytes: 170 megapixels of RGB, far above any camera, and small
/// enough that a forged header cannot exhaust the machine.
pub const MAX_DECODED_BYTES: u64 = 512 << 20;

/// Largest accepted picture file, in bytes; a camera's JPEG has a tenth of that.
const MAX_FILE_BYTES: u64 = 256 << 20;

/// Why a picture cannot be decoded.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// The fields of the raw picture contradict each other.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// The bytes are neither JPEG nor PNG.
    #[error("neither JPEG nor PNG{}: it begins with {start:02x?}", if .format.is_empty() { String::new() } else { format!(" (its format field says {:?})", .format) })]
    Format {
        /// What the message says of itself, cut at 60 characters; empty for a file.
        format: String,
        /// The first bytes, at most eight.
        start: Vec<u8>,
    },
    /// JPEG or PNG, and damaged or too large.
    #[error("cannot decode the {format}: {why}")]
    Damaged {
        /// `JPEG` or `PNG`.
        format: &'static str,
        /// What the decoder says.
        why: String,
    },
}

/// A picture of a recording, not yet decoded.
#[derive(Debug, Clone)]
pub struct Picture {
    /// Number of the picture in its recording, from 0; pictures that cannot be read count as well.
    pub index: usize,
    /// When it was taken.
    pub stamp: Stamp,
    /// Name of its file, with extension; `None` for a message of a bag.
    pub name: Option<String>,
    /// Its bytes.
    pub content: Content,
}

/// The bytes of a picture and what they mean. The pixels are a range of the message that they came in, so that a
/// message is never copied.
#[derive(Debug, Clone)]
pub enum Content {
    /// Pixels in memory, as `sensor_msgs/Image` has them.
    Raw {
        /// Pixels in a row.
        width: u32,
        /// Rows.
        height: u32,
        /// Bytes from one row to the next.
        step: u32,
        /// Name of the pixel format, see [`PixelFormat`].
        encoding: String,
        /// The message.
        message: Vec<u8>,
        /// Where in it the pixels are.
        pixels: Range<usize>,
    },
    /// A JPEG or PNG, as `sensor_msgs/CompressedImage` and files have it.
    Encoded {
        /// What the message says of itself; empty for a file.
        format: String,
        /// The message or the whole file.
        message: Vec<u8>,
        /// Where in it the JPEG or PNG is.
        data: Range<usize>,
    },
}

/// A decoded picture: borrows raw pixels, owns decompressed ones.
#[derive(Debug)]
pub struct Decoded<'a> {
    pixels: Pixels<'a>,
    jpeg: Option<&'a [u8]>,
}

#[derive(Debug)]
enum Pixels<'a> {
    Borrowed(Frame<'a>),
    Colour(RgbImage),
    Grey(GrayImage),
}

impl Picture {
    /// Reads a picture file (JPEG or PNG). Its content is looked at when it is [decoded](Self::decode).
    ///
    /// # Errors
    /// When it is no regular file, cannot be read, or is larger than 256 MB.
    pub fn from_file(path: &Path, index: usize, stamp: Stamp) -> io::Result<Self> {
        let message = files::bytes(path, MAX_FILE_BYTES)?;
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned());
        let data = 0..message.len();
        Ok(Self { index, stamp, name, content: Content::Encoded { format: String::new(), message, data } })
    }

    /// Decodes the picture. Raw pixels are only checked.
    ///
    /// A file's EXIF orientation is applied, as every viewer does; a message's is not, as no ROS driver does.
    ///
    /// # Errors
    /// When the fields contradict each other, or the bytes are no intact JPEG or PNG of a reasonable size.
    pub fn decode(&self) -> Result<Decoded<'_>, PictureError> {
        match &self.content {
            Content::Raw { width, height, step, encoding, message, pixels } => {
                let format: PixelFormat = encoding.parse()?;
                let data = message.get(pixels.clone()).unwrap_or(&[]);
                let frame = Frame::new(*width, *height, *step as usize, format, data)?;
                Ok(Decoded { pixels: Pixels::Borrowed(frame), jpeg: None })
            }
            Content::Encoded { format, message, data } => {
                let bytes = message.get(data.clone()).unwrap_or(&[]);
                decode_bytes(bytes, format, self.name.is_some())
            }
        }
    }
}

impl Decoded<'_> {
    /// The picture's pixels.
    ///
    /// # Errors
    /// Never for a picture that came out of [`Picture::decode`]; the type says it all the same.
    pub fn frame(&self) -> Result<Frame<'_>, FrameError> {
        match &self.pixels {
            Pixels::Borrowed(frame) => Ok(*frame),
            Pixels::Colour(image) => {
                Frame::new(image.width(), image.height(), 3 * image.width() as usize, PixelFormat::Rgb8, image)
            }
            Pixels::Grey(image) => {
                Frame::new(image.width(), image.height(), image.width() as usize, PixelFormat::Mono8, image)
            }
        }
    }

    /// The JPEG that has these pixels as they lie; `None` where they came otherwise, or were turned.
    #[must_use]
    pub const fn jpeg(&self) -> Option<&[u8]> {
        self.jpeg
    }
}

fn decode_bytes<'a>(bytes: &'a [u8], format: &str, orient: bool) -> Result<Decoded<'a>, PictureError> {
    let (kind, kind_name) = match image::guess_format(bytes) {
        Ok(kind @ ImageFormat::Jpeg) => (kind, "JPEG"),
        Ok(kind @ ImageFormat::Png) => (kind, "PNG"),
        _ => {
            return Err(PictureError::Format {
                format: format.chars().take(60).collect(),
                start: bytes.iter().take(8).copied().collect(),
            });
        }
    };
    let damaged = |e: ImageError| {
        // Some of the decoder's words end their line.
        let why = e.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
        PictureError::Damaged { format: kind_name, why }
    };
    let mut reader = ImageReader::with_format(Cursor::new(bytes), kind);
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_SIDE_PX);
    limits.max_image_height = Some(MAX_SIDE_PX);
    limits.max_alloc = Some(MAX_DECODED_BYTES);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(damaged)?;
    // A damaged orientation tag is no reason to lose the picture.
    let orientation = if orient { decoder.orientation().ok() } else { None };
    if decoder.total_bytes() > MAX_DECODED_BYTES {
        let (width, height) = decoder.dimensions();
        let why = format!("{width}x{height} pixels take more than {} MB", MAX_DECODED_BYTES >> 20);
        return Err(PictureError::Damaged { format: kind_name, why });
    }
    let mut image = DynamicImage::from_decoder(decoder).map_err(damaged)?;
    if let Some(orientation) = orientation {
        image.apply_orientation(orientation);
    }
    let pixels = match image {
        DynamicImage::ImageLuma8(grey) => Pixels::Grey(grey),
        other => Pixels::Colour(other.into_rgb8()),
    };
    let as_it_lies = orientation.is_none_or(|orientation| orientation == Orientation::NoTransforms);
    Ok(Decoded { pixels, jpeg: (kind == ImageFormat::Jpeg && as_it_lies).then_some(bytes) })
}
