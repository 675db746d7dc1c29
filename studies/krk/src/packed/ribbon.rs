//! One bit for each of some numbers, in little more than one bit each, without storing the numbers: a ribbon.
//!
//! Every number names, by hashing, a row of `WIDTH` coefficients that begins somewhere among the stored bits; its bit
//! is the parity of the stored bits that the coefficients choose. Packing solves these equations (P. Dillinger and
//! S. Walzer, *Ribbon filter: practically smaller than Bloom and Xor*, 2021). Numbers that were not packed get a bit of
//! no meaning.

use super::bits::word;

/// Coefficients of an equation: as many bits as one [`word`] surely holds.
const WIDTH: usize = 56;

/// Where the coefficients of `number` begin among `size` bits, and what they are; the first one is always set.
fn equation(number: usize, size: usize) -> (usize, u64) {
    // The finaliser of SplitMix64 (S. Vigna), applied twice for two independent words.
    let mix = |mut z: u64| {
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    let first = mix((number as u64).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let places = (size.saturating_sub(WIDTH) + 1) as u64;
    let begin = ((first >> 32) * places) >> 32;
    (begin as usize, mix(first) & ((1 << WIDTH) - 1) | 1)
}

/// The bit of `number` in the ribbon of `size` bits that begins at the bit `at`.
#[must_use]
pub fn bit(bytes: &[u8], at: usize, size: usize, number: usize) -> bool {
    let (begin, coefficients) = equation(number, size);
    (word(bytes, at + begin) & coefficients).count_ones() % 2 == 1
}

/// A ribbon of the given bits, as small as it can be solved.
#[must_use]
pub fn pack(bits: &[(usize, bool)]) -> Vec<bool> {
    // Below as many bits as numbers there is hardly ever a solution.
    (bits.len().max(WIDTH)..).find_map(|size| solve(bits, size)).unwrap_or_default()
}

fn solve(bits: &[(usize, bool)], size: usize) -> Option<Vec<bool>> {
    let mut rows = vec![(0_u64, false); size];
    for &(number, bit) in bits {
        let (mut row, mut coefficients) = equation(number, size);
        let mut bit = bit;
        loop {
            let (known, value) = &mut rows[row];
            if *known == 0 {
                (*known, *value) = (coefficients, bit);
                break;
            }
            coefficients ^= *known;
            bit ^= *value;
            if coefficients == 0 {
                if bit {
                    return None;
                }
                break;
            }
            let zeros = coefficients.trailing_zeros();
            coefficients >>= zeros;
            row += zeros as usize;
        }
    }
    let mut ribbon = vec![false; size];
    for (row, &(coefficients, value)) in rows.iter().enumerate().rev() {
        let others = (1..WIDTH).filter(|&i| coefficients >> i & 1 == 1 && ribbon[row + i]).count();
        ribbon[row] = value ^ (others % 2 == 1);
    }
    Some(ribbon)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packed::bits::BitWriter;

    #[test]
    fn every_packed_bit_comes_back() {
        for count in [0, 1, 50, 3000] {
            let bits: Vec<(usize, bool)> = (0..count).map(|i| (i * 7, (i * i / 3) % 3 == 1)).collect();
            let ribbon = pack(&bits);
            assert!(ribbon.len() <= 2 * WIDTH + count + count / 8, "{count}: {}", ribbon.len());
            let mut writer = BitWriter::default();
            writer.put(5, 3);
            ribbon.iter().for_each(|&bit| writer.put(u32::from(bit), 1));
            let bytes = writer.finish();
            for &(number, wanted) in &bits {
                assert_eq!(bit(&bytes, 3, ribbon.len(), number), wanted);
            }
        }
    }
}
