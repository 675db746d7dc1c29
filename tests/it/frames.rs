//! Pixel formats against a plain RGB picture, and what malformed pictures are told.

use chess_observer::frame::{Frame, FrameError, MAX_SIDE_PX, PixelFormat, Stamp, luma_from_rgb};
use proptest::prelude::*;

use crate::support::{encode, picture};

fn largest_difference(a: [u8; 3], b: [u8; 3]) -> u8 {
    (0..3).map(|k| a[k].abs_diff(b[k])).max().unwrap()
}

#[test]
fn formats_without_loss_give_the_colours_back() {
    let image = picture(3, 7, 5);
    for format in [PixelFormat::Rgb8, PixelFormat::Bgr8, PixelFormat::Rgba8, PixelFormat::Bgra8] {
        for padding in [0, 1, 13] {
            let (step, data) = encode(&image, format, padding);
            let frame = Frame::new(7, 5, step, format, &data).unwrap();
            assert_eq!(frame.to_rgb(), image, "{format} padding {padding}");
            for (x, y, p) in image.enumerate_pixels() {
                assert_eq!(frame.luma(x, y), luma_from_rgb(p.0), "{format} {x} {y}");
            }
        }
    }
}

#[test]
fn mono_gives_the_luminance_three_times() {
    let image = picture(3, 7, 5);
    for padding in [0, 3] {
        let (step, data) = encode(&image, PixelFormat::Mono8, padding);
        let frame = Frame::new(7, 5, step, PixelFormat::Mono8, &data).unwrap();
        for (x, y, p) in image.enumerate_pixels() {
            assert_eq!(frame.rgb(x, y), [luma_from_rgb(p.0); 3]);
        }
    }
}

#[test]
fn yuv_gives_pairs_of_equal_pixels_back() {
    // Both pixels of a pair share their colour, so nothing is lost but rounding. Odd widths have half a pair.
    let half = picture(9, 6, 6);
    for width in [11, 12] {
        let image = image::RgbImage::from_fn(width, 6, |x, y| *half.get_pixel(x / 2, y));
        for format in [PixelFormat::Yuv422, PixelFormat::Yuv422Yuy2] {
            for padding in [0, 6] {
                let (step, data) = encode(&image, format, padding);
                let frame = Frame::new(width, 6, step, format, &data).unwrap();
                for (x, y, p) in image.enumerate_pixels() {
                    let off = largest_difference(frame.rgb(x, y), p.0);
                    assert!(off <= 3, "{format} {x} {y}: {:?} for {:?}", frame.rgb(x, y), p.0);
                }
            }
        }
    }
}

#[test]
fn yuv_golden_colours() {
    // BT.601, video range: black, white, and the three primaries as any converter has them.
    let colours = [
        ([16, 128, 128], [0, 0, 0]),
        ([235, 128, 128], [255, 255, 255]),
        ([81, 90, 240], [255, 0, 0]),
        ([145, 54, 34], [0, 255, 0]),
        ([41, 240, 110], [0, 0, 255]),
    ];
    for ([y, u, v], rgb) in colours {
        let uyvy = Frame::new(2, 1, 4, PixelFormat::Yuv422, &[u, y, v, y]).unwrap().rgb(1, 0);
        assert!(largest_difference(uyvy, rgb) <= 2, "{uyvy:?} for {rgb:?}");
        let data = [y, u, y, v];
        assert_eq!(Frame::new(2, 1, 4, PixelFormat::Yuv422Yuy2, &data).unwrap().rgb(0, 0), uyvy);
    }
}

const BAYER: [PixelFormat; 4] =
    [PixelFormat::BayerRggb8, PixelFormat::BayerBggr8, PixelFormat::BayerGbrg8, PixelFormat::BayerGrbg8];

#[test]
fn bayer_gives_a_smooth_picture_back() {
    // A linear ramp is what bilinear interpolation reproduces: exactly inside, up to rounding.
    let image = image::RgbImage::from_fn(12, 10, |x, y| {
        image::Rgb([(20 + 4 * x + 2 * y) as u8, (200 - 6 * x) as u8, (30 + 8 * y) as u8])
    });
    for format in BAYER {
        for padding in [0, 5] {
            let (step, data) = encode(&image, format, padding);
            let frame = Frame::new(12, 10, step, format, &data).unwrap();
            for (x, y, p) in image.enumerate_pixels() {
                let edge = x == 0 || y == 0 || x == 11 || y == 9;
                let off = largest_difference(frame.rgb(x, y), p.0);
                assert!(off <= if edge { 8 } else { 1 }, "{format} {x} {y}: {:?} for {:?}", frame.rgb(x, y), p.0);
            }
        }
    }
}

#[test]
fn bayer_keeps_the_measured_colour_of_each_pixel() {
    let image = picture(5, 8, 6);
    for format in BAYER {
        let (step, data) = encode(&image, format, 2);
        let frame = Frame::new(8, 6, step, format, &data).unwrap();
        for (x, y, p) in image.enumerate_pixels() {
            let measured = data[y as usize * step + x as usize];
            let k = (0..3).find(|k| p.0[*k] == measured).unwrap();
            assert_eq!(frame.rgb(x, y)[k], measured, "{format} {x} {y}");
        }
    }
}

#[test]
fn between_pixels_colours_are_mixed() {
    let data = [0, 100, 200, 40];
    let frame = Frame::new(2, 2, 2, PixelFormat::Mono8, &data).unwrap();
    assert_eq!(frame.sample(0.0, 0.0), Some([0.0; 3]));
    assert_eq!(frame.sample(0.5, 0.0), Some([50.0; 3]));
    assert_eq!(frame.sample(0.5, 0.5), Some([85.0; 3]));
    assert_eq!(frame.sample(-7.0, 9.0), Some([200.0; 3]), "beyond the edge is the edge");
    assert_eq!(frame.sample(f64::NAN, 0.0), None);
    assert_eq!(frame.sample(0.0, f64::INFINITY), None);
}

#[test]
fn malformed_pictures_are_told_what_is_wrong() {
    let says = |width, height, step, format: PixelFormat, len: usize| {
        Frame::new(width, height, step, format, &vec![0; len]).unwrap_err().to_string()
    };
    assert_eq!(says(0, 4, 4, PixelFormat::Mono8, 16), "picture of 0x4 pixels: each side must be 1 to 16384");
    assert_eq!(
        says(4, MAX_SIDE_PX + 1, 4, PixelFormat::Mono8, 16),
        "picture of 4x16385 pixels: each side must be 1 to 16384"
    );
    assert_eq!(says(4, 2, 11, PixelFormat::Rgb8, 99), "step of 11 bytes: a row of 4 rgb8 pixels has 12");
    assert_eq!(says(3, 2, 7, PixelFormat::Yuv422, 99), "step of 7 bytes: a row of 3 yuv422 pixels has 8");
    assert_eq!(says(4, 3, 16, PixelFormat::Rgb8, 43), "43 bytes of data: 44 are needed for 3 rows of step 16");
    assert!(Frame::new(4, 3, 16, PixelFormat::Rgb8, &[0; 44]).is_ok(), "the last row may lack its padding");
    assert_eq!(
        says(4, 3, usize::MAX, PixelFormat::Rgb8, 43),
        format!("43 bytes of data: {} are needed for 3 rows of step {}", usize::MAX, usize::MAX)
    );
    let unknown = "x".repeat(99).parse::<PixelFormat>().unwrap_err();
    assert_eq!(unknown, FrameError::UnknownEncoding { name: "x".repeat(40) });
}

#[test]
fn names_are_those_of_ros() {
    for format in PixelFormat::ALL {
        assert_eq!(format.ros_name().parse(), Ok(format));
        assert_eq!(format.to_string(), format.ros_name());
    }
    let aliases = [("uyvy", PixelFormat::Yuv422), ("yuyv", PixelFormat::Yuv422Yuy2), ("8UC1", PixelFormat::Mono8)];
    for (alias, format) in aliases.into_iter().chain([("8UC3", PixelFormat::Bgr8), ("8UC4", PixelFormat::Bgra8)]) {
        assert_eq!(alias.parse(), Ok(format));
    }
}

#[test]
fn the_date_is_that_of_the_calendar() {
    let date = |s: i64| Stamp(s * 1_000_000_000).utc_date();
    assert_eq!(date(0), (1970, 1, 1));
    assert_eq!(date(-1), (1969, 12, 31));
    assert_eq!((date(951_782_399), date(951_782_400), date(951_868_800)), ((2000, 2, 28), (2000, 2, 29), (2000, 3, 1)));
    assert_eq!(date(1_795_183_501), (2026, 11, 20));
    assert_eq!(Stamp(i64::MAX).utc_date(), (2262, 4, 11));
    assert_eq!(Stamp(i64::MIN).utc_date(), (1677, 9, 21));
}

#[test]
fn time_is_kept_to_the_nanosecond() {
    assert_eq!(Stamp::from_s(1.5), Stamp(1_500_000_000));
    assert_eq!(Stamp(2_500_000_000).since_s(Stamp(500_000_000)), 2.0);
    assert_eq!(Stamp(i64::MIN).since_s(Stamp(i64::MAX)), i64::MIN as f64 * 1e-9);
}

proptest! {
    #[test]
    fn no_header_makes_it_panic(
        width in prop_oneof![0_u32..20, any::<u32>()],
        height in prop_oneof![0_u32..20, any::<u32>()],
        step in prop_oneof![0_usize..100, any::<usize>()],
        format in proptest::sample::select(PixelFormat::ALL.to_vec()),
        data in proptest::collection::vec(any::<u8>(), 0..2000),
        at in any::<(u32, u32)>(),
        between in any::<(f64, f64)>(),
    ) {
        if let Ok(frame) = Frame::new(width, height, step, format, &data) {
            let _ = (frame.rgb(at.0, at.1), frame.luma(at.0, at.1), frame.sample(between.0, between.1));
            let _ = (frame.rgb(width - 1, height - 1), frame.sample(f64::from(width) - 0.5, f64::from(height) - 0.5));
            if u64::from(width) * u64::from(height) < 10_000 {
                prop_assert_eq!(frame.to_rgb().dimensions(), (width, height));
                prop_assert_eq!(frame.to_luma().dimensions(), (width, height));
            }
        }
    }

    #[test]
    fn padding_changes_nothing(
        (width, height) in (1_u32..9, 1_u32..9),
        padding in 0_usize..40,
        format in proptest::sample::select(PixelFormat::ALL.to_vec()),
        seed in any::<u8>(),
    ) {
        let image = picture(seed, width, height);
        let ((step, data), (packed_step, packed)) = (encode(&image, format, padding), encode(&image, format, 0));
        let padded = Frame::new(width, height, step, format, &data).unwrap();
        let packed = Frame::new(width, height, packed_step, format, &packed).unwrap();
        prop_assert_eq!(padded.to_rgb(), packed.to_rgb());
    }
}

#[test]
fn a_mirror_image_has_left_and_right_exchanged_in_every_format() {
    for (width, format) in [7, 8].into_iter().flat_map(|w| PixelFormat::ALL.map(|format| (w, format))) {
        let (step, data) = encode(&picture(5, width, 6), format, 4);
        let frame = Frame::new(width, 6, step, format, &data).unwrap();
        let (plain, mirrored) = (frame.to_rgb(), frame.mirrored());
        assert_eq!(mirrored.to_rgb(), image::imageops::flip_horizontal(&plain), "{format}");
        assert_eq!(mirrored.mirrored().to_rgb(), plain, "{format}");
        let mut row = Vec::new();
        for y in 0..6 {
            mirrored.luma_row(y, &mut row);
            let by_pixel: Vec<u8> = (0..width).map(|x| frame.luma(width - 1 - x, y)).collect();
            assert_eq!(row, by_pixel, "{format}");
        }
        let (x, y) = (1.3, 2.4);
        let back = frame.sample(f64::from(width - 1) - x, y).unwrap();
        let off = mirrored.sample(x, y).unwrap().iter().zip(back).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(off < 1e-3, "{format}: {off}");
    }
}
