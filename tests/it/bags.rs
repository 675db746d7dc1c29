//! Every form of a recording yields the same pictures.

use std::fs;

use chess_observer::bag::{BagWriter, Compression, messages::types, messages::write_string};

use crate::support::{Contents, PICTURES, SIZE, camera_info, contents, every_form, picture, stamp, write};

fn expected() -> Vec<(usize, chess_observer::frame::Stamp, image::RgbImage)> {
    (0..PICTURES).map(|i| (i, stamp(i), picture(i as u8, SIZE.0, SIZE.1))).collect()
}

#[test]
fn every_form_yields_the_same_pictures() {
    let dir = tempfile::tempdir().unwrap();
    for (name, path) in every_form(dir.path()) {
        let Contents { pictures, infos, bad, notes } = contents(&path, None).unwrap();
        let mut expected = expected();
        if name == "folder" {
            // Seconds as text, through a floating-point number: a microsecond is all that a time since 1970 keeps.
            for ((_, stamp, _), (_, expected, _)) in pictures.iter().zip(&mut expected) {
                assert!((stamp.0 - expected.0).abs() < 1000, "{name}");
                *expected = *stamp;
            }
        } else {
            assert_eq!(infos, [camera_info()], "{name}");
        }
        assert_eq!(pictures, expected, "{name}");
        assert_eq!((bad, notes), (vec![], vec![]), "{name}");
    }
}

#[test]
fn the_number_of_pictures_is_known_beforehand() {
    let dir = tempfile::tempdir().unwrap();
    for (name, path) in every_form(dir.path()) {
        let source = chess_observer::bag::open(&path, None).unwrap();
        assert_eq!(source.pictures(), Some(PICTURES as u64), "{name}");
    }
}

#[test]
fn a_bag_without_metadata_is_read_with_a_note() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("bag");
    write(BagWriter::sqlite(&path, Compression::File).unwrap(), false);
    fs::remove_file(path.join("metadata.yaml")).unwrap();
    let read = contents(&path, None).unwrap();
    assert_eq!(read.pictures, expected());
    assert_eq!(read.notes.len(), 1);
    assert!(read.notes[0].contains("has no metadata.yaml"), "{:?}", read.notes);
}

#[test]
fn several_files_are_one_recording() {
    let dir = tempfile::tempdir().unwrap();
    let bag = dir.path().join("bag");
    fs::create_dir(&bag).unwrap();
    for i in [0, 1, 10] {
        write(BagWriter::mcap(&bag.join(format!("bag_{i}.mcap")), Compression::None).unwrap(), false);
    }
    let read = contents(&bag, None).unwrap();
    assert_eq!(read.pictures.len(), 3 * PICTURES);
    assert_eq!(read.pictures.last().unwrap().0, 3 * PICTURES - 1);
    // One of them is lost: the others are read.
    fs::write(bag.join("bag_1.mcap"), "nothing of use").unwrap();
    let read = contents(&bag, None).unwrap();
    assert_eq!((read.pictures.len(), read.bad.len()), (2 * PICTURES, 1));
}

#[test]
fn messages_come_in_the_order_of_time_across_chunks() {
    let dir = tempfile::tempdir().unwrap();
    for path in [dir.path().join("a.mcap"), dir.path().join("a.db3")] {
        let mut bag = match path.extension().unwrap().to_str() {
            Some("mcap") => BagWriter::mcap(&path, Compression::Chunks).unwrap(),
            _ => BagWriter::sqlite(&path, Compression::None).unwrap(),
        };
        let topic = bag.topic("/i", types::COMPRESSED_IMAGE).unwrap();
        // 2 MB each: two in a chunk. The order of the chunks' beginnings is not that of their messages.
        let payload = vec![7; 2 << 20];
        for i in [0, 5, 1, 3, 2, 4, 9, 8, 7, 6] {
            let message = chess_observer::bag::messages::CompressedImage {
                header: crate::support::header(i),
                format: "jpeg".into(),
                data: &payload,
            };
            bag.write(topic, stamp(i), &message.write()).unwrap();
        }
        bag.finish().unwrap();
        let mut source = chess_observer::bag::open(&path, None).unwrap();
        let mut stamps = Vec::new();
        while let Some(item) = source.next_item().unwrap() {
            let chess_observer::bag::Item::Picture(picture) = item else { panic!("{item:?}") };
            stamps.push(picture.stamp);
        }
        assert_eq!(stamps, (0..10).map(stamp).collect::<Vec<_>>(), "{}", path.display());
    }
}

#[test]
fn a_topic_must_be_chosen_where_there_are_several() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("two.mcap");
    let mut bag = BagWriter::mcap(&path, Compression::None).unwrap();
    for name in ["/left/image_raw", "/right/image_raw"] {
        let topic = bag.topic(name, types::IMAGE).unwrap();
        let image = picture(name.len() as u8, 4, 4);
        let frame = chess_observer::frame::Frame::from_rgb(&image).unwrap();
        let header = crate::support::header(0);
        let message = chess_observer::bag::messages::Image::packed(&frame, &image, header).unwrap().write();
        bag.write(topic, stamp(0), &message).unwrap();
    }
    bag.finish().unwrap();
    let text = contents(&path, None).unwrap_err();
    assert!(text.ends_with(
        "several topics with pictures: choose one (--topic NAME) of \
         /left/image_raw (sensor_msgs/msg/Image, 1 messages), /right/image_raw (sensor_msgs/msg/Image, 1 messages)"
    ));
    let read = contents(&path, Some("/right/image_raw")).unwrap();
    assert_eq!(read.pictures[0].2, picture("/right/image_raw".len() as u8, 4, 4));
}

#[test]
fn bad_messages_are_counted_and_passed_over() {
    let dir = tempfile::tempdir().unwrap();
    for path in [dir.path().join("a.mcap"), dir.path().join("a.db3")] {
        let mut bag = match path.extension().unwrap().to_str() {
            Some("mcap") => BagWriter::mcap(&path, Compression::None).unwrap(),
            _ => BagWriter::sqlite(&path, Compression::None).unwrap(),
        };
        let topic = bag.topic("/i", types::IMAGE).unwrap();
        let image = picture(1, 4, 4);
        let frame = chess_observer::frame::Frame::from_rgb(&image).unwrap();
        let good = chess_observer::bag::messages::Image::packed(&frame, &image, crate::support::header(0)).unwrap();
        let wrong_step = chess_observer::bag::messages::Image { step: 5, ..good.clone() };
        let unknown = chess_observer::bag::messages::Image { encoding: "16UC1".into(), ..good.clone() };
        let messages = [
            write_string("no picture"),
            wrong_step.write(),
            vec![0, 7, 0, 0, 1],
            unknown.write(),
            vec![],
            good.write(),
        ];
        for (i, message) in messages.iter().enumerate() {
            bag.write(topic, stamp(i), message).unwrap();
        }
        bag.finish().unwrap();
        let read = contents(&path, None).unwrap();
        assert_eq!(read.pictures.len(), 1);
        assert_eq!(read.pictures[0].0, 5);
        assert_eq!(
            read.bad,
            [
                "picture 0: message ends within header.frame_id: 1970561897 bytes from byte 16 on, of 19",
                "step of 5 bytes: a row of 4 rgb8 pixels has 12",
                "picture 2: message is serialised as XCDR2 (plain): only plain CDR (as ROS 2 writes it) is read",
                "unknown encoding \"16UC1\": expected one of mono8, rgb8, bgr8, rgba8, bgra8, yuv422, yuv422_yuy2, \
                 bayer_rggb8, bayer_bggr8, bayer_gbrg8, bayer_grbg8",
                "picture 4: message of 0 bytes: a serialised message begins with 4 bytes of encapsulation",
            ]
        );
    }
}
