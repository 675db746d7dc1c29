//! The Common Data Representation in which ROS 2 serialises messages: a bounds-checked reader that copies nothing,
//! and a writer.
//!
//! A message begins with four bytes of encapsulation: `00 01 00 00` for little endian, `00 00 00 00` for big endian.
//! Numbers are aligned to their size, counted from the byte after these four. A text's length counts its closing NUL.

use std::ops::Range;

/// Why bytes are not the message that they should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CdrError {
    /// Too short for the encapsulation.
    #[error("message of {0} bytes: a serialised message begins with 4 bytes of encapsulation")]
    NoHeader(usize),
    /// Serialised in another way.
    #[error("message is serialised as {0}: only plain CDR (as ROS 2 writes it) is read")]
    Representation(&'static str),
    /// The message ends within a field.
    #[error("message ends within {field}: {needed} bytes from byte {at} on, of {len}")]
    Short {
        /// The field.
        field: &'static str,
        /// Where it begins, from the start of the message.
        at: usize,
        /// Bytes that it has.
        needed: usize,
        /// Bytes of the whole message.
        len: usize,
    },
}

/// Reads a message field by field.
#[derive(Debug, Clone)]
pub struct Reader<'a> {
    message: &'a [u8],
    at: usize,
    big_endian: bool,
}

/// Encapsulation and its bytes.
const HEADER_LEN: usize = 4;

impl<'a> Reader<'a> {
    /// Begins reading after the encapsulation.
    ///
    /// # Errors
    /// When there is none, or it announces something else than plain CDR.
    pub fn new(message: &'a [u8]) -> Result<Self, CdrError> {
        let header = message.get(..HEADER_LEN).ok_or(CdrError::NoHeader(message.len()))?;
        let big_endian = match (header[0], header[1]) {
            (0, 0) => true,
            (0, 1) => false,
            (0, 2 | 3) => return Err(CdrError::Representation("PL_CDR (parameter list)")),
            (0, 6 | 7) => return Err(CdrError::Representation("XCDR2 (plain)")),
            (0, 8 | 9) => return Err(CdrError::Representation("XCDR2 (delimited)")),
            (0, 10 | 11) => return Err(CdrError::Representation("XCDR2 (parameter list)")),
            _ => return Err(CdrError::Representation("an unknown representation")),
        };
        Ok(Self { message, at: HEADER_LEN, big_endian })
    }

    fn take(&mut self, field: &'static str, len: usize, align: usize) -> Result<Range<usize>, CdrError> {
        let start = HEADER_LEN + (self.at - HEADER_LEN).next_multiple_of(align);
        let end = start.checked_add(len).filter(|end| *end <= self.message.len());
        let Some(end) = end else {
            return Err(CdrError::Short { field, at: start, needed: len, len: self.message.len() });
        };
        self.at = end;
        Ok(start..end)
    }

    fn number<const N: usize>(&mut self, field: &'static str) -> Result<[u8; N], CdrError> {
        let range = self.take(field, N, N)?;
        let mut bytes = [0; N];
        bytes.copy_from_slice(&self.message[range]);
        if self.big_endian {
            bytes.reverse();
        }
        Ok(bytes)
    }

    /// An unsigned byte.
    ///
    /// # Errors
    /// This, like all the following, when the message ends before the field does.
    pub fn u8(&mut self, field: &'static str) -> Result<u8, CdrError> {
        self.number::<1>(field).map(|[b]| b)
    }

    /// An unsigned 32-bit number.
    ///
    /// # Errors
    /// When the message ends before.
    pub fn u32(&mut self, field: &'static str) -> Result<u32, CdrError> {
        self.number(field).map(u32::from_le_bytes)
    }

    /// A signed 32-bit number.
    ///
    /// # Errors
    /// When the message ends before.
    pub fn i32(&mut self, field: &'static str) -> Result<i32, CdrError> {
        self.number(field).map(i32::from_le_bytes)
    }

    /// A 64-bit floating-point number.
    ///
    /// # Errors
    /// When the message ends before.
    pub fn f64(&mut self, field: &'static str) -> Result<f64, CdrError> {
        self.number(field).map(f64::from_le_bytes)
    }

    /// `N` 64-bit floating-point numbers.
    ///
    /// # Errors
    /// When the message ends before.
    pub(super) fn f64_array<const N: usize>(&mut self, field: &'static str) -> Result<[f64; N], CdrError> {
        let mut numbers = [0.0; N];
        for number in &mut numbers {
            *number = self.f64(field)?;
        }
        Ok(numbers)
    }

    /// A sequence of 64-bit floating-point numbers.
    ///
    /// # Errors
    /// When the message ends before; a forged length costs no memory.
    pub(super) fn f64_sequence(&mut self, field: &'static str) -> Result<Vec<f64>, CdrError> {
        let count = self.u32(field)? as usize;
        let mut whole = self.clone();
        whole.take(field, count.saturating_mul(8), if count == 0 { 1 } else { 8 })?;
        (0..count).map(|_| self.f64(field)).collect()
    }

    /// A text; bytes that are not UTF-8 are replaced.
    ///
    /// # Errors
    /// When the message ends before.
    pub fn text(&mut self, field: &'static str) -> Result<String, CdrError> {
        let len = self.u32(field)? as usize;
        let range = self.take(field, len, 1)?;
        let bytes = &self.message[range];
        let bytes = bytes.strip_suffix(&[0]).unwrap_or(bytes);
        Ok(String::from_utf8_lossy(bytes).into_owned())
    }

    /// A sequence of bytes: where in the message it is.
    ///
    /// # Errors
    /// When the message ends before.
    pub fn bytes(&mut self, field: &'static str) -> Result<Range<usize>, CdrError> {
        let len = self.u32(field)? as usize;
        self.take(field, len, 1)
    }
}

/// Writes a message field by field, little endian.
#[derive(Debug, Clone)]
pub struct Writer {
    message: Vec<u8>,
}

impl Writer {
    /// Begins a message; `capacity` is a guess at its bytes.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        let mut message = Vec::with_capacity(capacity + HEADER_LEN);
        message.extend([0, 1, 0, 0]);
        Self { message }
    }

    fn put<const N: usize>(&mut self, bytes: [u8; N]) {
        let aligned = HEADER_LEN + (self.message.len() - HEADER_LEN).next_multiple_of(N);
        self.message.resize(aligned, 0);
        self.message.extend(bytes);
    }

    /// An unsigned byte.
    pub fn u8(&mut self, value: u8) {
        self.put([value]);
    }

    /// An unsigned 32-bit number.
    pub fn u32(&mut self, value: u32) {
        self.put(value.to_le_bytes());
    }

    /// A signed 32-bit number.
    pub fn i32(&mut self, value: i32) {
        self.put(value.to_le_bytes());
    }

    /// 64-bit floating-point numbers, without their count.
    pub(super) fn f64s(&mut self, values: &[f64]) {
        values.iter().for_each(|v| self.put(v.to_le_bytes()));
    }

    /// A text; it is cut at a NUL, which no ROS text can hold.
    pub fn text(&mut self, value: &str) {
        let value = value.split('\0').next().unwrap_or_default();
        self.len(value.len() + 1);
        self.message.extend(value.as_bytes());
        self.message.push(0);
    }

    /// A sequence of bytes with its count.
    pub fn bytes(&mut self, value: &[u8]) {
        self.len(value.len());
        self.message.extend(value);
    }

    /// The count of a sequence. Longer ones than the format can hold do not come from a picture in memory.
    pub fn len(&mut self, count: usize) {
        self.u32(u32::try_from(count).unwrap_or(u32::MAX));
    }

    /// The message.
    #[must_use]
    pub fn finish(self) -> Vec<u8> {
        self.message
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_come_back_as_they_were_written() {
        let mut w = Writer::new(0);
        w.u8(7);
        w.text("mono8");
        w.u8(1);
        w.len(2);
        w.f64s(&[0.5, -2.0]);
        w.i32(-3);
        w.bytes(&[1, 2, 3]);
        let message = w.finish();
        let mut r = Reader::new(&message).unwrap();
        assert_eq!(r.u8("a"), Ok(7));
        assert_eq!(r.text("b").as_deref(), Ok("mono8"));
        assert_eq!(r.u8("c"), Ok(1));
        assert_eq!(r.f64_sequence("d"), Ok(vec![0.5, -2.0]));
        assert_eq!(r.i32("e"), Ok(-3));
        let range = r.bytes("f").unwrap();
        assert_eq!((&message[range.clone()], range.end), (&[1, 2, 3][..], message.len()));
    }

    #[test]
    fn alignment_counts_from_after_the_encapsulation() {
        // 1 byte, 3 of padding, then the number; golden bytes as rosbags writes {uint8 7, uint32 0x01020304}.
        let mut w = Writer::new(0);
        w.u8(7);
        w.u32(0x0102_0304);
        assert_eq!(w.finish(), [0, 1, 0, 0, 7, 0, 0, 0, 4, 3, 2, 1]);
    }

    #[test]
    fn big_endian_is_read() {
        let message = [0, 0, 0, 0, 0, 0, 0, 2, 0x41, 0, 0, 0, 0x3f, 0xf8, 0, 0, 0, 0, 0, 0];
        let mut r = Reader::new(&message).unwrap();
        assert_eq!(r.text("t").as_deref(), Ok("A"));
        assert_eq!(r.f64("x"), Ok(1.5));
    }

    #[test]
    fn other_representations_are_refused_by_name() {
        let text = |b: u8| Reader::new(&[0, b, 0, 0]).unwrap_err().to_string();
        assert_eq!(text(7), "message is serialised as XCDR2 (plain): only plain CDR (as ROS 2 writes it) is read");
        assert_eq!(
            text(3),
            "message is serialised as PL_CDR (parameter list): only plain CDR (as ROS 2 writes it) is read"
        );
        assert_eq!(
            Reader::new(&[0, 1]).unwrap_err().to_string(),
            "message of 2 bytes: a serialised message begins with 4 bytes of encapsulation"
        );
    }

    #[test]
    fn forged_lengths_are_refused_without_memory() {
        let message = [0, 1, 0, 0, 0xff, 0xff, 0xff, 0xff];
        let short = |field, needed| CdrError::Short { field, at: 8, needed, len: 8 };
        let reader = || Reader::new(&message).unwrap();
        assert_eq!(reader().text("t"), Err(short("t", u32::MAX as usize)));
        assert_eq!(reader().bytes("b"), Err(short("b", u32::MAX as usize)));
        let needed = 8 * u32::MAX as usize;
        assert!(matches!(reader().f64_sequence("d"), Err(CdrError::Short { needed: n, .. }) if n == needed));
    }
}
