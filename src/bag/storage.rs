//! What the two storage formats of rosbag2 have in common.

use std::io::{self, Read};

use super::BagError;

/// Largest message that is read, in bytes: a raw 100-megapixel colour picture has 300 MB.
pub(super) const MAX_MESSAGE_BYTES: u64 = 512 << 20;

/// Begins every zstd frame; no serialised message begins like that.
pub(super) const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// A topic of a recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topic {
    /// Its name.
    pub name: String,
    /// Type of its messages, `sensor_msgs/msg/Image` for instance.
    pub kind: String,
    /// How they are serialised; `cdr` everywhere in practice.
    pub(super) serialization: String,
    /// How many there are, where that is known.
    pub count: Option<u64>,
}

/// A piece of a storage file.
#[derive(Debug)]
pub(super) enum Stored {
    /// A message of one of the wanted topics.
    Message {
        /// Number of the topic in [`Storage::topics`].
        topic: usize,
        /// When it was recorded, in nanoseconds.
        time_ns: i64,
        /// The serialised message.
        data: Vec<u8>,
    },
    /// Something that cannot be used.
    Bad {
        /// The topic that it is a message of, where that is known.
        topic: Option<usize>,
        /// What is wrong with it.
        why: String,
    },
    /// Something that the user should know of.
    Note(String),
}

/// A storage file: yields the messages of some topics in the order of their times.
pub(super) trait Storage: std::fmt::Debug {
    /// Its topics.
    fn topics(&self) -> &[Topic];

    /// Begins reading the messages of these topics (numbers in [`topics`](Self::topics)).
    ///
    /// # Errors
    /// When the file cannot be read.
    fn select(&mut self, topics: &[usize]) -> Result<(), BagError>;

    /// What comes next; `None` at the end.
    ///
    /// # Errors
    /// When the file cannot be read any further.
    fn next_stored(&mut self) -> Result<Option<Stored>, BagError>;
}

/// Unpacks a message that is a zstd frame (rosbag2's compression mode `message`); others stay as they are.
///
/// # Errors
/// When the frame is damaged, or larger than [`MAX_MESSAGE_BYTES`] when unpacked.
pub(super) fn unpack_message(data: Vec<u8>) -> Result<Vec<u8>, String> {
    if !data.starts_with(&ZSTD_MAGIC) {
        return Ok(data);
    }
    let damaged = |e: io::Error| format!("message cannot be unpacked (zstd): {e}");
    let mut unpacked = Vec::new();
    let decoder = zstd::stream::read::Decoder::new(data.as_slice()).map_err(damaged)?;
    decoder.take(MAX_MESSAGE_BYTES + 1).read_to_end(&mut unpacked).map_err(damaged)?;
    if unpacked.len() as u64 > MAX_MESSAGE_BYTES {
        return Err(format!("message unpacks to more than {} MB", MAX_MESSAGE_BYTES >> 20));
    }
    Ok(unpacked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zstd_messages_are_unpacked_and_others_left_alone() {
        let plain = vec![0, 1, 0, 0, 5];
        assert_eq!(unpack_message(plain.clone()), Ok(plain.clone()));
        let packed = zstd::encode_all(plain.as_slice(), 0).unwrap();
        assert_eq!(unpack_message(packed.clone()), Ok(plain));
        let text = unpack_message(packed[..packed.len() - 1].to_vec()).unwrap_err();
        assert!(text.starts_with("message cannot be unpacked (zstd): "), "{text}");
    }

    #[test]
    fn a_bomb_does_not_go_off() {
        // 600 MB of zeros in some 20 kB.
        let bomb = zstd::encode_all(io::repeat(0).take(MAX_MESSAGE_BYTES + (90 << 20)), 1).unwrap();
        assert!(bomb.len() < 100_000);
        assert_eq!(unpack_message(bomb).unwrap_err(), "message unpacks to more than 512 MB");
    }
}
