//! The ROS messages that a recording is read for, and those that we write.

use std::ops::Range;

use super::cdr::{CdrError, Reader, Writer};
use crate::frame::{Frame, Stamp};

/// Type names, as rosbag2 writes them.
pub mod types {
    /// Raw picture.
    pub const IMAGE: &str = "sensor_msgs/msg/Image";
    /// JPEG or PNG.
    pub const COMPRESSED_IMAGE: &str = "sensor_msgs/msg/CompressedImage";
    /// A camera's intrinsic parameters.
    pub const CAMERA_INFO: &str = "sensor_msgs/msg/CameraInfo";
    /// A text.
    pub const STRING: &str = "std_msgs/msg/String";
}

/// `std_msgs/Header`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Header {
    /// When the data was acquired.
    pub stamp: Stamp,
    /// Name of the frame of reference.
    pub frame_id: String,
}

/// `sensor_msgs/Image`, borrowing its pixels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image<'a> {
    /// When, and in which frame of reference.
    pub header: Header,
    /// Rows.
    pub height: u32,
    /// Pixels in a row.
    pub width: u32,
    /// Name of the pixel format.
    pub encoding: String,
    /// Byte order of pixels wider than a byte.
    pub is_bigendian: bool,
    /// Bytes from one row to the next.
    pub step: u32,
    /// The rows.
    pub data: &'a [u8],
}

/// `sensor_msgs/CompressedImage`, borrowing its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompressedImage<'a> {
    /// When, and in which frame of reference.
    pub header: Header,
    /// What the bytes are, in words: `jpeg`, `rgb8; jpeg compressed bgr8`, …
    pub format: String,
    /// The JPEG or PNG.
    pub data: &'a [u8],
}

/// `sensor_msgs/CameraInfo`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CameraInfo {
    /// When, and in which frame of reference.
    pub header: Header,
    /// Rows of the calibrated picture.
    pub height: u32,
    /// Pixels in a row of the calibrated picture.
    pub width: u32,
    /// `plumb_bob`, `rational_polynomial`, `equidistant`.
    pub distortion_model: String,
    /// Its coefficients.
    pub d: Vec<f64>,
    /// Row-major 3×3 intrinsic matrix, in pixels.
    pub k: [f64; 9],
    /// Row-major 3×3 rectification matrix.
    pub r: [f64; 9],
    /// Row-major 3×4 projection matrix, in pixels.
    pub p: [f64; 12],
    /// Pixels of the sensor that make one of the picture, along x and y; 0 and 1 are the same.
    pub binning: [u32; 2],
    /// The part of the calibrated picture that is sent: x and y of its first pixel, width, height. Zeros: all of it.
    pub roi: [u32; 4],
}

/// Are the pictures of this topic rectified? By the convention of `image_proc`, those called `image_rect…` are.
#[must_use]
pub fn is_rectified(topic: &str) -> bool {
    let mut names = topic.rsplit('/');
    let last = names.next().unwrap_or_default();
    let name = if last == "compressed" { names.next().unwrap_or_default() } else { last };
    name.starts_with("image_rect")
}

fn read_header(r: &mut Reader<'_>) -> Result<Header, CdrError> {
    let (sec, nanosec) = (r.i32("header.stamp.sec")?, r.u32("header.stamp.nanosec")?);
    let stamp = Stamp(i64::from(sec) * 1_000_000_000 + i64::from(nanosec));
    Ok(Header { stamp, frame_id: r.text("header.frame_id")? })
}

fn write_header(w: &mut Writer, header: &Header) {
    let (sec, nanosec) = (header.stamp.0.div_euclid(1_000_000_000), header.stamp.0.rem_euclid(1_000_000_000));
    w.i32(i32::try_from(sec).unwrap_or(if sec < 0 { i32::MIN } else { i32::MAX }));
    w.u32(nanosec as u32);
    w.text(&header.frame_id);
}

impl<'a> Image<'a> {
    /// Reads a serialised message. Only the pixels' presence is checked, not that they fit the picture:
    /// [`Frame::new`] does that.
    ///
    /// # Errors
    /// When the message is not plain CDR or ends too early.
    pub fn read(message: &'a [u8]) -> Result<Self, CdrError> {
        Self::locate(message).map(|(image, _)| image)
    }

    /// As [`read`](Self::read), with the place of the pixels in the message.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn locate(message: &'a [u8]) -> Result<(Self, Range<usize>), CdrError> {
        let mut r = Reader::new(message)?;
        let header = read_header(&mut r)?;
        let (height, width) = (r.u32("height")?, r.u32("width")?);
        let encoding = r.text("encoding")?;
        let is_bigendian = r.u8("is_bigendian")? != 0;
        let step = r.u32("step")?;
        let place = r.bytes("data")?;
        let data = &message[place.clone()];
        Ok((Self { header, height, width, encoding, is_bigendian, step, data }, place))
    }

    /// A message of a picture whose rows lie without padding; `None` where they do not.
    #[must_use]
    pub fn packed(frame: &Frame<'_>, data: &'a [u8], header: Header) -> Option<Self> {
        let step = frame.format().row_bytes(frame.width());
        (data.len() == step * frame.height() as usize).then(|| Self {
            header,
            height: frame.height(),
            width: frame.width(),
            encoding: frame.format().ros_name().into(),
            is_bigendian: false,
            step: step as u32,
            data,
        })
    }

    /// Serialises the message.
    #[must_use]
    pub fn write(&self) -> Vec<u8> {
        let mut w = Writer::new(self.data.len() + 96);
        write_header(&mut w, &self.header);
        w.u32(self.height);
        w.u32(self.width);
        w.text(&self.encoding);
        w.u8(u8::from(self.is_bigendian));
        w.u32(self.step);
        w.bytes(self.data);
        w.finish()
    }
}

impl<'a> CompressedImage<'a> {
    /// Reads a serialised message.
    ///
    /// # Errors
    /// When the message is not plain CDR or ends too early.
    pub fn read(message: &'a [u8]) -> Result<Self, CdrError> {
        Self::locate(message).map(|(image, _)| image)
    }

    /// As [`read`](Self::read), with the place of the JPEG or PNG in the message.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn locate(message: &'a [u8]) -> Result<(Self, Range<usize>), CdrError> {
        let mut r = Reader::new(message)?;
        let header = read_header(&mut r)?;
        let format = r.text("format")?;
        let place = r.bytes("data")?;
        let data = &message[place.clone()];
        Ok((Self { header, format, data }, place))
    }

    /// Serialises the message.
    #[must_use]
    pub fn write(&self) -> Vec<u8> {
        let mut w = Writer::new(self.data.len() + 96);
        write_header(&mut w, &self.header);
        w.text(&self.format);
        w.bytes(self.data);
        w.finish()
    }
}

impl CameraInfo {
    /// Reads a serialised message.
    ///
    /// # Errors
    /// When the message is not plain CDR or ends too early.
    pub fn read(message: &[u8]) -> Result<Self, CdrError> {
        let mut r = Reader::new(message)?;
        let mut info = Self {
            header: read_header(&mut r)?,
            height: r.u32("height")?,
            width: r.u32("width")?,
            distortion_model: r.text("distortion_model")?,
            d: r.f64_sequence("d")?,
            k: r.f64_array("k")?,
            r: r.f64_array("r")?,
            p: r.f64_array("p")?,
            binning: [r.u32("binning_x")?, r.u32("binning_y")?],
            roi: [0; 4],
        };
        // The message has the region's height before its width.
        let [x, y] = [r.u32("roi.x_offset")?, r.u32("roi.y_offset")?];
        let [height, width] = [r.u32("roi.height")?, r.u32("roi.width")?];
        info.roi = [x, y, width, height];
        Ok(info)
    }

    /// Serialises the message.
    #[must_use]
    pub fn write(&self) -> Vec<u8> {
        let mut w = Writer::new(512);
        write_header(&mut w, &self.header);
        w.u32(self.height);
        w.u32(self.width);
        w.text(&self.distortion_model);
        w.len(self.d.len());
        w.f64s(&self.d);
        w.f64s(&self.k);
        w.f64s(&self.r);
        w.f64s(&self.p);
        self.binning.iter().for_each(|v| w.u32(*v));
        let [x, y, width, height] = self.roi;
        [x, y, height, width].iter().for_each(|v| w.u32(*v));
        // roi.do_rectify
        w.u8(0);
        w.finish()
    }
}

/// Serialises a `std_msgs/String`.
#[must_use]
pub fn write_string(text: &str) -> Vec<u8> {
    let mut w = Writer::new(text.len() + 8);
    w.text(text);
    w.finish()
}

/// Reads a `std_msgs/String`.
///
/// # Errors
/// When the message is not plain CDR or ends too early.
pub fn read_string(message: &[u8]) -> Result<String, CdrError> {
    Reader::new(message)?.text("data")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn header() -> Header {
        Header { stamp: Stamp(-1_500_000_000), frame_id: "camera_optical".into() }
    }

    #[test]
    fn messages_come_back_as_they_were_written() {
        let image = Image {
            header: header(),
            height: 2,
            width: 1,
            encoding: "rgb8".into(),
            is_bigendian: true,
            step: 5,
            data: &[1, 2, 3, 0, 0, 4, 5, 6],
        };
        assert_eq!(Image::read(&image.write()), Ok(image));
        let image = CompressedImage { header: header(), format: "jpeg".into(), data: &[0xff, 0xd8] };
        assert_eq!(CompressedImage::read(&image.write()), Ok(image));
        let info = CameraInfo {
            header: header(),
            height: 3,
            width: 4,
            distortion_model: "plumb_bob".into(),
            d: vec![0.1, 0.2],
            k: std::array::from_fn(|i| i as f64),
            r: [1.0; 9],
            p: [2.0; 12],
            binning: [2, 1],
            roi: [10, 20, 300, 200],
        };
        assert_eq!(CameraInfo::read(&info.write()), Ok(info.clone()));
        let no_distortion = CameraInfo { d: vec![], ..info };
        assert_eq!(CameraInfo::read(&no_distortion.write()), Ok(no_distortion));
        assert_eq!(read_string(&write_string("1. e4 *")).as_deref(), Ok("1. e4 *"));
    }

    #[test]
    fn rectified_pictures_are_known_by_their_name() {
        for (topic, is) in [
            ("/cam/image_rect", true),
            ("/cam/image_rect_color/compressed", true),
            ("image_raw", false),
            ("/image_rect/image_raw", false),
            ("", false),
        ] {
            assert_eq!(is_rectified(topic), is, "{topic}");
        }
    }

    #[test]
    fn every_cut_is_an_error_that_names_the_field() {
        let image = Image {
            header: header(),
            height: 1,
            width: 1,
            encoding: "mono8".into(),
            is_bigendian: false,
            step: 1,
            data: &[9],
        }
        .write();
        for cut in 0..image.len() {
            assert!(Image::read(&image[..cut]).is_err(), "cut at {cut}");
        }
        let text = Image::read(&image[..image.len() - 1]).unwrap_err().to_string();
        assert_eq!(text, format!("message ends within data: 1 bytes from byte {} on, of {0}", image.len() - 1));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(message in proptest::collection::vec(any::<u8>(), 0..200), kind in 0_u8..2) {
            let mut message = message;
            if message.len() >= 4 {
                message[..4].copy_from_slice(&[0, kind, 0, 0]);
            }
            let _ = (Image::read(&message), CompressedImage::read(&message), CameraInfo::read(&message), read_string(&message));
        }
    }
}
