//! A borrowed picture: pixel formats and sampling.
//!
//! A [`Frame`] is a checked view of a camera's buffer. Nothing is converted or copied: whoever needs a colour asks for
//! it at a pixel, so a board that fills a tenth of a 20-megapixel picture costs a tenth.

mod pixels;

use std::{fmt, str::FromStr};

use pixels::At;
pub(crate) use pixels::Visit;

/// Largest accepted width or height, in pixels: beyond any camera sold, below what could overflow 32-bit products.
pub const MAX_SIDE_PX: u32 = 16_384;

/// Time of a picture: nanoseconds since an epoch of the source's choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, serde::Serialize, serde::Deserialize)]
pub struct Stamp(pub i64);

/// 2000-01-01 in UTC. Earlier stamps are counted from the start of a film, a simulation or a machine.
pub(super) const WALL_CLOCK_FROM: Stamp = Stamp(946_684_800_000_000_000);

impl Stamp {
    /// From seconds; rounds to the nanosecond.
    #[must_use]
    pub fn from_s(seconds: f64) -> Self {
        Self((seconds * 1e9).round() as i64)
    }

    /// In seconds.
    #[must_use]
    pub fn as_s(self) -> f64 {
        self.0 as f64 * 1e-9
    }

    /// Seconds from `earlier` to `self`; negative where time ran backwards.
    #[must_use]
    pub fn since_s(self, earlier: Self) -> f64 {
        self.0.saturating_sub(earlier.0) as f64 * 1e-9
    }

    /// Year, month and day in UTC (H. Hinnant, "chrono-compatible low-level date algorithms").
    #[must_use]
    pub const fn utc_date(self) -> (i64, i64, i64) {
        // Days since 0000-03-01: a year that begins in March ends with the leap day.
        let day = self.0.div_euclid(86_400_000_000_000) + 719_468;
        let (era, day_of_era) = (day.div_euclid(146_097), day.rem_euclid(146_097));
        let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted = (5 * day_of_year + 2) / 153;
        let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
        let year = year_of_era + era * 400 + (month <= 2) as i64;
        (year, month, day_of_year - (153 * shifted + 2) / 5 + 1)
    }
}

/// How the bytes of a picture hold its colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PixelFormat {
    /// One byte a pixel: luminance.
    Mono8,
    /// Red, green, blue.
    Rgb8,
    /// Blue, green, red.
    Bgr8,
    /// Red, green, blue, alpha; alpha is ignored.
    Rgba8,
    /// Blue, green, red, alpha; alpha is ignored.
    Bgra8,
    /// Two pixels in four bytes: U Y V Y (ROS `yuv422`, alias `uyvy`).
    Yuv422,
    /// Two pixels in four bytes: Y U Y V (ROS `yuv422_yuy2`, alias `yuyv`).
    Yuv422Yuy2,
    /// Colour filter array whose top left 2×2 pixels are R G / G B.
    BayerRggb8,
    /// Colour filter array whose top left 2×2 pixels are B G / G R.
    BayerBggr8,
    /// Colour filter array whose top left 2×2 pixels are G B / R G.
    BayerGbrg8,
    /// Colour filter array whose top left 2×2 pixels are G R / B G.
    BayerGrbg8,
}

impl PixelFormat {
    /// Every format, in the order of the documentation.
    pub const ALL: [Self; 11] = [
        Self::Mono8,
        Self::Rgb8,
        Self::Bgr8,
        Self::Rgba8,
        Self::Bgra8,
        Self::Yuv422,
        Self::Yuv422Yuy2,
        Self::BayerRggb8,
        Self::BayerBggr8,
        Self::BayerGbrg8,
        Self::BayerGrbg8,
    ];

    /// The name ROS uses in `sensor_msgs/Image.encoding`.
    #[must_use]
    pub const fn ros_name(self) -> &'static str {
        match self {
            Self::Mono8 => "mono8",
            Self::Rgb8 => "rgb8",
            Self::Bgr8 => "bgr8",
            Self::Rgba8 => "rgba8",
            Self::Bgra8 => "bgra8",
            Self::Yuv422 => "yuv422",
            Self::Yuv422Yuy2 => "yuv422_yuy2",
            Self::BayerRggb8 => "bayer_rggb8",
            Self::BayerBggr8 => "bayer_bggr8",
            Self::BayerGbrg8 => "bayer_gbrg8",
            Self::BayerGrbg8 => "bayer_grbg8",
        }
    }

    /// Bytes in a row of `width` pixels without padding.
    #[must_use]
    pub const fn row_bytes(self, width: u32) -> usize {
        let width = width as usize;
        match self {
            Self::Mono8 | Self::BayerRggb8 | Self::BayerBggr8 | Self::BayerGbrg8 | Self::BayerGrbg8 => width,
            Self::Rgb8 | Self::Bgr8 => 3 * width,
            Self::Rgba8 | Self::Bgra8 => 4 * width,
            Self::Yuv422 | Self::Yuv422Yuy2 => 2 * (width + width % 2),
        }
    }
}

impl fmt::Display for PixelFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.ros_name())
    }
}

impl FromStr for PixelFormat {
    type Err = FrameError;

    /// Reads the ROS name; `8UC1`, `8UC3` and `8UC4` are read as OpenCV writes them (mono, BGR, BGRA).
    fn from_str(name: &str) -> Result<Self, FrameError> {
        let alias = match name {
            "uyvy" => "yuv422",
            "yuyv" => "yuv422_yuy2",
            "8UC1" => "mono8",
            "8UC3" => "bgr8",
            "8UC4" => "bgra8",
            other => other,
        };
        Self::ALL
            .into_iter()
            .find(|format| format.ros_name() == alias)
            .ok_or_else(|| FrameError::UnknownEncoding { name: name.chars().take(40).collect() })
    }
}

/// Why a picture cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// The encoding is not one of [`PixelFormat::ALL`].
    #[error(
        "unknown encoding {name:?}: expected one of mono8, rgb8, bgr8, rgba8, bgra8, yuv422, yuv422_yuy2, bayer_rggb8, bayer_bggr8, bayer_gbrg8, bayer_grbg8"
    )]
    UnknownEncoding {
        /// The name as it came, cut at 40 characters.
        name: String,
    },
    /// Width or height is zero or too large.
    #[error("picture of {width}x{height} pixels: each side must be 1 to {MAX_SIDE_PX}")]
    Size {
        /// Pixels in a row.
        width: u32,
        /// Rows.
        height: u32,
    },
    /// A row is shorter than its pixels.
    #[error("step of {step} bytes: a row of {width} {format} pixels has {needed}")]
    Step {
        /// Bytes from one row to the next, as announced.
        step: usize,
        /// Pixels in a row.
        width: u32,
        /// The encoding.
        format: PixelFormat,
        /// Bytes that a row needs.
        needed: usize,
    },
    /// The buffer ends before the picture does.
    #[error("{got} bytes of data: {needed} are needed for {height} rows of step {step}")]
    Short {
        /// Bytes that came.
        got: usize,
        /// Bytes that a whole picture has.
        needed: usize,
        /// Rows.
        height: u32,
        /// Bytes from one row to the next.
        step: usize,
    },
}

/// A checked view of a picture in memory. Pixel (0, 0) is the top left; its centre has the coordinates (0.0, 0.0).
#[derive(Clone, Copy)]
pub struct Frame<'a> {
    width: u32,
    height: u32,
    step: usize,
    format: PixelFormat,
    /// Left and right are exchanged when it is read.
    mirrored: bool,
    data: &'a [u8],
}

impl fmt::Debug for Frame<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Frame({}x{} {}, step {})", self.width, self.height, self.format, self.step)
    }
}

impl<'a> Frame<'a> {
    /// A view of `data`: `height` rows, `step` bytes apart, the last of which may lack its padding.
    ///
    /// # Errors
    /// When a side is 0 or above [`MAX_SIDE_PX`], when `step` is shorter than a row, or when `data` is.
    pub fn new(width: u32, height: u32, step: usize, format: PixelFormat, data: &'a [u8]) -> Result<Self, FrameError> {
        if width == 0 || height == 0 || width > MAX_SIDE_PX || height > MAX_SIDE_PX {
            return Err(FrameError::Size { width, height });
        }
        let row = format.row_bytes(width);
        if step < row {
            return Err(FrameError::Step { step, width, format, needed: row });
        }
        let needed = step.saturating_mul(height as usize - 1).saturating_add(row);
        if data.len() < needed {
            return Err(FrameError::Short { got: data.len(), needed, height, step });
        }
        Ok(Self { width, height, step, format, mirrored: false, data })
    }

    /// A view of an RGB picture of the `image` crate; `None` where a side is 0 or above [`MAX_SIDE_PX`].
    #[must_use]
    pub fn from_rgb(image: &'a image::RgbImage) -> Option<Self> {
        let step = 3 * image.width() as usize;
        Self::new(image.width(), image.height(), step, PixelFormat::Rgb8, image.as_raw()).ok()
    }

    /// The mirror image: left and right exchanged.
    #[must_use]
    pub const fn mirrored(&self) -> Self {
        Self { mirrored: !self.mirrored, ..*self }
    }

    /// Pixels in a row.
    #[must_use]
    pub const fn width(&self) -> u32 {
        self.width
    }

    /// Rows.
    #[must_use]
    pub const fn height(&self) -> u32 {
        self.height
    }

    /// How the bytes hold the colours.
    #[must_use]
    pub const fn format(&self) -> PixelFormat {
        self.format
    }

    /// Red, green and blue at the pixel `(x, y)`; coordinates beyond the edge read the edge.
    #[must_use]
    pub fn rgb(&self, x: u32, y: u32) -> [u8; 3] {
        let x = x.min(self.width - 1) as usize;
        let y = y.min(self.height - 1) as usize;
        self.visit(At { x, y })
    }

    /// Luminance at the pixel `(x, y)` (BT.601 weights); coordinates beyond the edge read the edge.
    #[must_use]
    pub fn luma(&self, x: u32, y: u32) -> u8 {
        match self.format {
            PixelFormat::Mono8 => self.rgb(x, y)[0],
            _ => luma_from_rgb(self.rgb(x, y)),
        }
    }

    /// Luminance of a whole row, as [`Frame::luma`] gives it pixel by pixel; rows beyond the edge read the edge.
    pub fn luma_row(&self, y: u32, out: &mut Vec<u8>) {
        out.clear();
        let row = &self.data[y.min(self.height - 1) as usize * self.step..];
        let width = self.width as usize;
        match self.format {
            PixelFormat::Mono8 => out.extend_from_slice(&row[..width]),
            PixelFormat::Rgb8 => out.extend(row.chunks_exact(3).take(width).map(|p| luma_from_rgb([p[0], p[1], p[2]]))),
            PixelFormat::Bgr8 => out.extend(row.chunks_exact(3).take(width).map(|p| luma_from_rgb([p[2], p[1], p[0]]))),
            PixelFormat::Rgba8 => {
                out.extend(row.chunks_exact(4).take(width).map(|p| luma_from_rgb([p[0], p[1], p[2]])));
            }
            PixelFormat::Bgra8 => {
                out.extend(row.chunks_exact(4).take(width).map(|p| luma_from_rgb([p[2], p[1], p[0]])));
            }
            _ => {
                out.extend((0..self.width).map(|x| self.luma(x, y)));
                return;
            }
        }
        if self.mirrored {
            out.reverse();
        }
    }

    /// Colour between pixels, bilinear, as floating-point red, green and blue in 0 to 255.
    /// Coordinates beyond the edge read the edge; `None` where they are not finite.
    #[must_use]
    pub fn sample(&self, x: f64, y: f64) -> Option<[f32; 3]> {
        if !(x.is_finite() && y.is_finite()) {
            return None;
        }
        let x = x.clamp(0.0, f64::from(self.width - 1));
        let y = y.clamp(0.0, f64::from(self.height - 1));
        let (x0, y0) = (x.floor() as u32, y.floor() as u32);
        let (fx, fy) = (x.fract() as f32, y.fract() as f32);
        let [a, b, c, d] = [self.rgb(x0, y0), self.rgb(x0 + 1, y0), self.rgb(x0, y0 + 1), self.rgb(x0 + 1, y0 + 1)];
        Some(std::array::from_fn(|k| {
            let top = f32::from(a[k]) * (1.0 - fx) + f32::from(b[k]) * fx;
            let bottom = f32::from(c[k]) * (1.0 - fx) + f32::from(d[k]) * fx;
            top * (1.0 - fy) + bottom * fy
        }))
    }

    /// The whole picture as RGB, for drawing and for methods that need every pixel.
    #[must_use]
    pub fn to_rgb(&self) -> image::RgbImage {
        image::RgbImage::from_fn(self.width, self.height, |x, y| image::Rgb(self.rgb(x, y)))
    }

    /// The whole picture as luminance.
    #[must_use]
    pub fn to_luma(&self) -> image::GrayImage {
        image::GrayImage::from_fn(self.width, self.height, |x, y| image::Luma([self.luma(x, y)]))
    }
}

/// BT.601 luminance of a colour.
#[must_use]
pub fn luma_from_rgb([r, g, b]: [u8; 3]) -> u8 {
    ((77 * u32::from(r) + 150 * u32::from(g) + 29 * u32::from(b) + 128) >> 8) as u8
}
