//! The records of an MCAP file, one after the other, from a file that may end or be damaged anywhere.
//!
//! A record is an opcode, a length and a body. Chunks hold records in turn, perhaps compressed; they are unpacked as
//! they are read, so that no chunk is ever whole in memory. Format: <https://mcap.dev/spec>.

use std::io::{self, Read};

pub use mcap::records::op;

use super::storage::MAX_MESSAGE_BYTES;

/// Largest record other than a chunk, an attachment or unknown data that is read into memory.
const MAX_RECORD_BYTES: u64 = MAX_MESSAGE_BYTES + 64;

/// Opcode and length of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// What the record is.
    pub(super) opcode: u8,
    /// Bytes of its body.
    pub len: u64,
}

/// Bytes of opcode and length.
pub(super) const HEAD_LEN: u64 = 9;

/// Reads opcode and length; `None` where the data end between two records.
///
/// # Errors
/// `UnexpectedEof` when the data end within, and whatever `source` says.
pub(super) fn read_head(source: &mut dyn Read) -> io::Result<Option<Head>> {
    let mut head = [0; HEAD_LEN as usize];
    let mut got = 0;
    while got < head.len() {
        match source.read(&mut head[got..]) {
            Ok(0) if got == 0 => return Ok(None),
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(n) => got += n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    let [opcode, len @ ..] = head;
    Ok(Some(Head { opcode, len: u64::from_le_bytes(len) }))
}

/// Reads a body of `len` bytes; memory grows with what is really there.
///
/// # Errors
/// When there is less, or `len` is beyond reason.
pub(super) fn read_body(source: &mut dyn Read, len: u64) -> io::Result<Vec<u8>> {
    if len > MAX_RECORD_BYTES {
        return Err(io::Error::other(format!("a record claims {len} bytes: at most {MAX_RECORD_BYTES} are read")));
    }
    let mut body = Vec::with_capacity(len.min(16 << 20) as usize);
    source.take(len).read_to_end(&mut body)?;
    if (body.len() as u64) < len {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(body)
}

/// What precedes the records of a chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ChunkHead {
    /// Bytes of the records when unpacked.
    uncompressed_size: u64,
    /// `zstd`, `lz4`, or empty.
    pub compression: String,
    /// Bytes of the records as they are stored.
    compressed_size: u64,
}

impl ChunkHead {
    /// Reads it.
    ///
    /// # Errors
    /// When the data end within, or the compression's name is no name.
    pub fn read(source: &mut dyn Read) -> io::Result<Self> {
        // Start time, end time, uncompressed size, checksum, length of the compression's name.
        let mut fixed = [0; 8 + 8 + 8 + 4 + 4];
        source.read_exact(&mut fixed)?;
        let uncompressed_size = u64_at(&fixed, 16);
        let name_len = u32::from_le_bytes([fixed[28], fixed[29], fixed[30], fixed[31]]);
        if name_len > 64 {
            return Err(io::Error::other(format!("a chunk's compression has a name of {name_len} bytes")));
        }
        let mut name = vec![0; name_len as usize];
        source.read_exact(&mut name)?;
        let mut size = [0; 8];
        source.read_exact(&mut size)?;
        let compression = String::from_utf8_lossy(&name).into_owned();
        Ok(Self { uncompressed_size, compression, compressed_size: u64::from_le_bytes(size) })
    }

    /// The chunk's records, unpacked while reading; `source` yields what is stored.
    fn unpack<'a>(&self, source: &'a mut dyn Read) -> io::Result<io::Take<Box<dyn Read + 'a>>> {
        let stored = source.take(self.compressed_size);
        let records: Box<dyn Read + 'a> = match self.compression.as_str() {
            "" => Box::new(stored),
            "zstd" => Box::new(zstd::stream::read::Decoder::new(stored)?),
            "lz4" => Box::new(lz4::Decoder::new(stored)?),
            other => {
                return Err(io::Error::other(format!(
                    "a chunk is compressed with {other:?}: only zstd and lz4 are read"
                )));
            }
        };
        // What a forged frame yields beyond its announced size is never looked at.
        Ok(records.take(self.uncompressed_size))
    }
}

/// Reads the records of `source` to its end: `visit` gets each head and reads as much of the body as it wants.
///
/// # Errors
/// When the data end within a record or cannot be unpacked; what came before has been visited.
pub(crate) fn visit(
    source: &mut dyn Read,
    visit: &mut dyn FnMut(Head, &mut dyn Read) -> io::Result<()>,
) -> io::Result<()> {
    while let Some(head) = read_head(source)? {
        let mut body = source.take(head.len);
        visit(head, &mut body)?;
        io::copy(&mut body, &mut io::sink())?;
        if body.limit() > 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(())
}

/// As [`visit`], for the body of a chunk.
///
/// # Errors
/// When the chunk is damaged, ends early or is compressed in an unknown way; what came before has been visited.
pub(super) fn visit_chunk(
    source: &mut dyn Read,
    sink: &mut dyn FnMut(Head, &mut dyn Read) -> io::Result<()>,
) -> io::Result<()> {
    let mut records = ChunkHead::read(source)?.unpack(source)?;
    visit(&mut records, sink)?;
    if records.limit() > 0 {
        return Err(io::Error::new(
            io::ErrorKind::UnexpectedEof,
            format!("a chunk ends {} bytes early", records.limit()),
        ));
    }
    Ok(())
}

/// What precedes the data of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MessageHead {
    /// Number of its channel.
    pub channel: u16,
    /// When it was recorded, in nanoseconds.
    pub(super) log_time: u64,
}

impl MessageHead {
    /// Bytes of it.
    pub(super) const LEN: u64 = 2 + 4 + 8 + 8;

    /// Reads it.
    ///
    /// # Errors
    /// When the data end within.
    pub fn read(source: &mut dyn Read) -> io::Result<Self> {
        let mut head = [0; Self::LEN as usize];
        source.read_exact(&mut head)?;
        Ok(Self { channel: u16::from_le_bytes([head[0], head[1]]), log_time: u64_at(&head, 6) })
    }
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut number = [0; 8];
    number.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(opcode: u8, body: &[u8]) -> Vec<u8> {
        let mut bytes = vec![opcode];
        bytes.extend((body.len() as u64).to_le_bytes());
        bytes.extend(body);
        bytes
    }

    fn chunk(compression: &str, uncompressed_size: u64, stored: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0; 16];
        bytes.extend(uncompressed_size.to_le_bytes());
        bytes.extend([0; 4]);
        bytes.extend((compression.len() as u32).to_le_bytes());
        bytes.extend(compression.as_bytes());
        bytes.extend((stored.len() as u64).to_le_bytes());
        bytes.extend(stored);
        bytes
    }

    fn opcodes(mut chunk: &[u8]) -> (Vec<u8>, io::Result<()>) {
        let mut seen = Vec::new();
        let result = visit_chunk(&mut chunk, &mut |head, _| {
            seen.push(head.opcode);
            Ok(())
        });
        (seen, result)
    }

    #[test]
    fn chunks_of_every_compression_hold_the_same_records() {
        let records = [record(3, b"abc"), record(5, &[7; 3000]), record(9, b"")].concat();
        let size = records.len() as u64;
        let zstd = zstd::encode_all(records.as_slice(), 1).unwrap();
        let mut encoder = lz4::EncoderBuilder::new().build(Vec::new()).unwrap();
        io::copy(&mut records.as_slice(), &mut encoder).unwrap();
        let lz4 = encoder.finish().0;
        for (name, stored) in [("", records), ("zstd", zstd), ("lz4", lz4)] {
            let whole = chunk(name, size, &stored);
            let (seen, result) = opcodes(&whole);
            assert_eq!(seen, [3, 5, 9], "{name}");
            result.unwrap();
            // Cut anywhere, it yields a part of the records and says that it is cut.
            for cut in 0..whole.len() {
                let (seen, result) = opcodes(&whole[..cut]);
                assert!([3, 5, 9].starts_with(&seen), "{name} cut at {cut}");
                // Only the mark of the end, which lz4 and zstd put after the last record, may be missing unnoticed.
                assert!(result.is_err() || (!name.is_empty() && seen.len() == 3), "{name} cut at {cut}");
            }
        }
        assert_eq!(
            opcodes(&chunk("xz", 3, b"abc")).1.unwrap_err().to_string(),
            "a chunk is compressed with \"xz\": only zstd and lz4 are read"
        );
    }

    #[test]
    fn forged_lengths_cost_no_memory() {
        let error = read_body(&mut [1, 2, 3].as_slice(), u64::MAX).unwrap_err();
        assert_eq!(error.to_string(), "a record claims 18446744073709551615 bytes: at most 536870976 are read");
        assert_eq!(read_body(&mut [1, 2, 3].as_slice(), 1 << 28).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        let mut lying = record(5, b"abc");
        lying[1..9].fill(0xff);
        let result = visit(&mut lying.as_slice(), &mut |_, _| Ok(()));
        assert_eq!(result.unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }
}
