//! A binary arithmetic coder: bits of given probability in as many bytes as they carry information, to within two.
//!
//! The carry-less coder of M. Mahoney's *lpaq*. The coders in libraries want one distribution for all symbols, or work
//! in floating point; this one takes another probability for every bit, and whole numbers make the same bytes
//! everywhere.

/// A probability in 65,536ths, from 1 to 65,535.
pub type Probability = u32;

/// Where the interval from `low` to `high` is cut: bits that are set take the lower part.
fn cut(low: u32, high: u32, set: Probability) -> u32 {
    let width = u64::from(high - low);
    low + ((width * u64::from(set)) >> 16) as u32
}

/// Codes or decodes bits, so that a model is written once for both.
pub trait Coder {
    /// Codes the bit `known`, or finds out which bit was coded, that is set with the probability `set`.
    fn bit(&mut self, known: bool, set: Probability) -> bool;
}

/// Writes.
#[derive(Debug)]
pub struct Encoder {
    low: u32,
    high: u32,
    bytes: Vec<u8>,
}

impl Default for Encoder {
    fn default() -> Self {
        Self { low: 0, high: u32::MAX, bytes: Vec::new() }
    }
}

impl Encoder {
    /// The bytes. Zeros at their end are left out: the decoder reads zeros behind the end.
    #[must_use]
    pub fn finish(mut self) -> Vec<u8> {
        // Any number in the interval will do: the one that ends in most zeros.
        let bytes = (0..=4).find_map(|kept| {
            let unit = 1_u64 << (32 - 8 * kept);
            let number = u64::from(self.low).div_ceil(unit) * unit;
            (number <= u64::from(self.high)).then(|| number.to_be_bytes()[4..4 + kept as usize].to_vec())
        });
        self.bytes.extend(bytes.unwrap_or_default());
        while self.bytes.last() == Some(&0) {
            self.bytes.pop();
        }
        self.bytes
    }
}

impl Coder for Encoder {
    fn bit(&mut self, known: bool, set: Probability) -> bool {
        let cut = cut(self.low, self.high, set);
        if known {
            self.high = cut;
        } else {
            self.low = cut + 1;
        }
        while (self.low ^ self.high) >> 24 == 0 {
            self.bytes.push((self.high >> 24) as u8);
            self.low <<= 8;
            self.high = self.high << 8 | 0xff;
        }
        known
    }
}

/// Reads.
#[derive(Debug)]
pub struct Decoder<'a> {
    low: u32,
    high: u32,
    code: u32,
    rest: std::slice::Iter<'a, u8>,
}

impl<'a> Decoder<'a> {
    /// Of what an [`Encoder`] wrote.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        let mut decoder = Self { low: 0, high: u32::MAX, code: 0, rest: bytes.iter() };
        (0..4).for_each(|_| decoder.shift());
        decoder
    }

    fn shift(&mut self) {
        self.code = self.code << 8 | u32::from(self.rest.next().copied().unwrap_or(0));
    }
}

impl Coder for Decoder<'_> {
    fn bit(&mut self, _: bool, set: Probability) -> bool {
        let cut = cut(self.low, self.high, set);
        let bit = self.code <= cut;
        if bit {
            self.high = cut;
        } else {
            self.low = cut + 1;
        }
        while (self.low ^ self.high) >> 24 == 0 {
            self.low <<= 8;
            self.high = self.high << 8 | 0xff;
            self.shift();
        }
        bit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bits of any probability come back, in about as many bytes as they carry information.
    #[test]
    fn what_is_coded_is_decoded() {
        for count in [0, 1, 7, 5000_u32] {
            let bits: Vec<(bool, Probability)> = (0..count)
                .map(|i| {
                    let hash = i.wrapping_mul(2_654_435_761);
                    let set = (hash >> 9) % 65_535 + 1;
                    (hash % 65_536 < set, set)
                })
                .collect();
            let mut encoder = Encoder::default();
            let mut information = 0.0;
            for &(bit, set) in &bits {
                encoder.bit(bit, set);
                let p = f64::from(set) / 65_536.0;
                information -= if bit { p.log2() } else { (1.0 - p).log2() };
            }
            let bytes = encoder.finish();
            assert!(bytes.len() as f64 <= information / 8.0 + 2.0, "{} for {information}", bytes.len());
            let mut decoder = Decoder::new(&bytes);
            for &(bit, set) in &bits {
                assert_eq!(decoder.bit(false, set), bit);
            }
        }
    }
}
