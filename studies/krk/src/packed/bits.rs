//! Bits in bytes, the lowest first.

/// Writes bits one after the other.
#[derive(Debug, Default)]
pub struct BitWriter {
    bytes: Vec<u8>,
    used: usize,
}

impl BitWriter {
    /// Appends the lowest `width` bits of `value`.
    pub fn put(&mut self, value: u32, width: usize) {
        for bit in 0..width {
            if self.used.is_multiple_of(8) {
                self.bytes.push(0);
            }
            if let Some(last) = self.bytes.last_mut() {
                *last |= u8::from(value >> bit & 1 == 1) << (self.used % 8);
            }
            self.used += 1;
        }
    }

    /// Appends `value` in `width` bits; `None` where it has more.
    #[must_use]
    pub fn put_whole(&mut self, value: usize, width: usize) -> Option<()> {
        let fits = value as u64 >> width == 0;
        fits.then(|| self.put(value as u32, width))
    }

    /// What was written; the last byte is filled with zeros.
    #[must_use]
    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }
}

/// The 64 bits from the bit `at` on, but for the last seven of them, which may be missing; 0 beyond the end.
#[must_use]
pub fn word(bytes: &[u8], at: usize) -> u64 {
    let first = at / 8;
    let word = match bytes.get(first..first + 8).and_then(|eight| <[u8; 8]>::try_from(eight).ok()) {
        Some(eight) => u64::from_le_bytes(eight),
        None => bytes.iter().skip(first).take(8).rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    };
    word >> (at % 8)
}

/// The `width` bits (at most 32) from the bit `at` on.
#[must_use]
pub fn read(bytes: &[u8], at: usize, width: usize) -> usize {
    (word(bytes, at) & ((1 << width) - 1)) as usize
}

/// How many of the `width` bits from the bit `at` on are set.
#[must_use]
pub fn ones(bytes: &[u8], at: usize, width: usize) -> usize {
    let mut count = 0;
    let mut done = 0;
    while done < width {
        let take = (width - done).min(32);
        count += (word(bytes, at + done) & ((1 << take) - 1)).count_ones() as usize;
        done += take;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut writer = BitWriter::default();
        let fields: Vec<(u32, usize)> = (0..300).map(|i| (i * 2_654_435 % (1 << (i % 17)), i as usize % 17)).collect();
        fields.iter().for_each(|&(value, width)| writer.put(value, width));
        let bytes = writer.finish();
        let mut at = 0;
        for &(value, width) in &fields {
            assert_eq!(read(&bytes, at, width), value as usize);
            assert_eq!(ones(&bytes, at, width), value.count_ones() as usize);
            at += width;
        }
        let set: usize = fields.iter().map(|(value, _)| value.count_ones() as usize).sum();
        assert_eq!(ones(&bytes, 0, at), set);
        assert_eq!(read(&bytes, 8 * bytes.len(), 32), 0);
    }
    #[test]
    fn what_does_not_fit_is_not_written() {
        let mut writer = BitWriter::default();
        assert_eq!([writer.put_whole(8, 3), writer.put_whole(7, 3)], [None, Some(())]);
        assert_eq!(writer.put_whole(1 << 32, 32), None);
        assert_eq!(writer.finish(), [7]);
    }
}
