//! The smallest form: every placement's distance coded with what is known of it and of its decoded neighbours, unpacked
//! as a whole at the start.
//!
//! Values are tried one after the other, those of neighbours first, and a bit says whether one was right. No rule of
//! the game is asked but what the attributes know: where the men stand, and where the black king may go.

use std::sync::LazyLock;

use chess_observer::endgame::men::{KINGS, Men};
use shakmaty::Square;

use super::{
    coder::{Coder, Decoder, Encoder},
    contexts::{CANDIDATE, CONTEXTS, DIFFERENCES, INPUTS, MIXERS, NEIGHBOURS, RANK, TRIED_FIRST, VALUES},
    features::{Asked, FEATURES, shift},
    model::Model,
};
use crate::places::place;

/// The packed table: written by `krk build`.
static BYTES: &[u8] = include_bytes!("krk_stored.bin");

/// Canonical placements.
const PLACEMENTS: usize = 28_056;
/// A draw, as a value: distances are 0 to 16.
const DRAW: u8 = 17;
/// A neighbour that is not decoded yet, or not on the board.
const UNKNOWN: u8 = 18;
/// Differences are told up to so many moves.
const FAR: i8 = 4;
/// Tries from this one on are not told apart.
const LAST_RANK: u8 = 6;
/// Where no neighbour is known.
const MIDDLE: u8 = 12;

/// Distances by the index of the men.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unpacked {
    values: Vec<u8>,
}

impl Unpacked {
    /// Unpacks the table in the program.
    #[must_use]
    pub fn embedded() -> Self {
        Self::unpack(BYTES)
    }

    /// Unpacks a table. Damaged bytes give wrong distances, nothing worse.
    #[must_use]
    pub fn unpack(bytes: &[u8]) -> Self {
        code(&mut Decoder::new(bytes), None)
    }

    /// Full moves until mate with the weak side to move, of a possible placement; `None` is a draw.
    #[must_use]
    pub fn distance(&self, men: Men) -> Option<u8> {
        self.values.get(place(men.canonical())?).copied().filter(|&value| value != DRAW)
    }
}

/// Size of the packed table in bytes.
#[must_use]
pub fn size() -> usize {
    BYTES.len()
}

/// Packs the distances of all canonical placements with the weak side to move, in their order.
#[must_use]
pub fn pack(distances: impl Iterator<Item = Option<u8>>) -> Vec<u8> {
    let values = distances.map(|distance| distance.unwrap_or(DRAW)).collect();
    let mut encoder = Encoder::default();
    code(&mut encoder, Some(&Unpacked { values }));
    encoder.finish()
}

/// Features in use; the others are not worked out.
static ASKED: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let lists = || CONTEXTS.iter().chain(&MIXERS);
    (0..FEATURES).filter(|feature| lists().any(|list| list.contains(feature))).collect()
});

/// What was decoded, by every placement of the three men, mirrored ones too: neighbours are then found at once.
struct Decoded {
    values: Vec<u8>,
}

/// The board's symmetries.
const MIRRORS: [fn(Square) -> Square; 8] = [
    |square| square,
    Square::flip_horizontal,
    Square::flip_vertical,
    Square::flip_diagonal,
    Square::flip_anti_diagonal,
    Square::rotate_90,
    Square::rotate_180,
    Square::rotate_270,
];

impl Decoded {
    fn place(men: Men) -> usize {
        (men.king.to_usize() * 64 + men.man.to_usize()) * 64 + men.weak.to_usize()
    }

    fn put(&mut self, men: Men, value: u8) {
        for mirror in MIRRORS {
            self.values[Self::place(men.map(mirror))] = value;
        }
    }

    /// The value of the placement that differs from `men` by `way`.
    fn beside(&self, men: Men, way: &[i32; 6]) -> u8 {
        let moved = || {
            let king = shift(men.king, way[0], way[1])?;
            let man = shift(men.man, way[2], way[3])?;
            Some(Men { king, man, weak: shift(men.weak, way[4], way[5])? })
        };
        moved().map_or(UNKNOWN, |men| self.values[Self::place(men)])
    }
}

/// Codes or decodes the table: what is known when decoding is what was decoded.
fn code(coder: &mut impl Coder, known: Option<&Unpacked>) -> Unpacked {
    let mut values = vec![DRAW; PLACEMENTS];
    let mut decoded = Decoded { values: vec![UNKNOWN; 64 * 64 * 64] };
    let mut model = Model::default();
    // A rook's neighbours are told best by the other places of the black king.
    let placements = KINGS.into_iter().flat_map(|king| {
        let men = move |man| Square::ALL.into_iter().map(move |weak| Men { king, man, weak });
        Square::ALL.into_iter().flat_map(men)
    });
    for men in placements.filter(|men| men.possible() && men.canonical() == *men) {
        let Some(place) = place(men).and_then(|index| values.get_mut(index).zip(Some(index))) else { continue };
        let (value, index) = place;
        let wanted = known.and_then(|known| known.values.get(index).copied()).unwrap_or_default();
        *value = code_one(coder, &mut model, men, &decoded, wanted);
        decoded.put(men, *value);
    }
    Unpacked { values }
}

/// Codes the value `known`, or finds it.
fn code_one(coder: &mut impl Coder, model: &mut Model, men: Men, decoded: &Decoded, known: u8) -> u8 {
    let asked = Asked::of(men);
    let mut inputs = [0; INPUTS];
    for &feature in ASKED.iter() {
        inputs[usize::from(feature)] = asked.feature(feature);
    }
    let neighbours = NEIGHBOURS.each_ref().map(|way| decoded.beside(men, way));
    inputs[usize::from(VALUES)..][..NEIGHBOURS.len()].copy_from_slice(&neighbours);

    let mut tries = Tries::new(&asked, &neighbours);
    let mut rank = 0;
    loop {
        let (candidate, last) = tries.next();
        if last {
            return candidate;
        }
        for (place, &neighbour) in neighbours.iter().enumerate() {
            inputs[usize::from(DIFFERENCES) + place] = difference(neighbour, candidate);
        }
        inputs[usize::from(RANK)] = rank;
        inputs[usize::from(CANDIDATE)] = candidate;
        let set = model.predict(&inputs, rank > 0);
        let bit = coder.bit(candidate == known, set);
        model.learn(bit);
        if bit {
            return candidate;
        }
        rank = (rank + 1).min(LAST_RANK);
    }
}

/// How far a neighbour's value is from the one that is tried; draws, unknown ones and tried draws have numbers of
/// their own.
fn difference(neighbour: u8, candidate: u8) -> u8 {
    match (neighbour, candidate) {
        (DRAW.., _) => neighbour + 3,
        (_, DRAW) => 23,
        _ => (neighbour as i8 - candidate as i8).clamp(-FAR, FAR) as u8 & 15,
    }
}

/// The values in the order in which they are tried: those of neighbours, then the nearest to the first of them. A
/// draw comes first where the rook hangs or the black king has no move, and else last.
struct Tries<'a> {
    neighbours: &'a [u8; NEIGHBOURS.len()],
    /// Values that were tried, a bit each.
    tried: u32,
    /// Places of [`TRIED_FIRST`] that were looked at.
    looked: usize,
    draw_first: bool,
    first: Option<u8>,
    /// How far from the first value the search is, twice: above, then below.
    off: u8,
}

impl<'a> Tries<'a> {
    fn new(asked: &Asked, neighbours: &'a [u8; NEIGHBOURS.len()]) -> Self {
        let draw_first = asked.rook_hangs() || asked.stalemate();
        Self { neighbours, tried: 0, looked: 0, draw_first, first: None, off: 0 }
    }

    /// Is it new? It will not be again.
    fn take(&mut self, value: u8) -> bool {
        let new = self.tried >> value & 1 == 0;
        self.tried |= 1 << value;
        new
    }

    /// The next value, and whether it is the last one.
    fn next(&mut self) -> (u8, bool) {
        let value = self.next_value();
        (value, self.tried.count_ones() > u32::from(DRAW))
    }

    fn next_value(&mut self) -> u8 {
        if self.draw_first && self.take(DRAW) {
            return DRAW;
        }
        while let Some(&place) = TRIED_FIRST.get(self.looked) {
            self.looked += 1;
            let value = self.neighbours[place];
            if value < DRAW && self.take(value) {
                self.first.get_or_insert(value);
                return value;
            }
        }
        let first = self.first.unwrap_or(MIDDLE);
        while self.off < 2 * DRAW {
            let off = self.off / 2;
            let value = if self.off.is_multiple_of(2) { first.checked_add(off) } else { first.checked_sub(off) };
            self.off += 1;
            if let Some(value) = value.filter(|&value| value < DRAW)
                && self.take(value)
            {
                return value;
            }
        }
        self.take(DRAW);
        DRAW
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess_observer::endgame::{generate::Table, men::Man};

    /// The unpacked table says of every position what the generated one says.
    #[test]
    fn equals_the_generated_table() {
        let unpacked = Unpacked::embedded();
        for (men, distance) in Table::of(Man::Rook).weak_to_move() {
            assert_eq!(unpacked.distance(men), distance, "{men:?}");
        }
    }

    /// Packing gives the bytes in the program.
    #[test]
    fn packing_is_repeatable() {
        assert_eq!(pack(Table::of(Man::Rook).weak_to_move().map(|(_, distance)| distance)), BYTES);
    }

    /// Whatever stands in the bytes, unpacking ends.
    #[test]
    fn damaged_bytes_do_no_harm() {
        let mut bytes = BYTES.to_vec();
        bytes[BYTES.len() / 2] ^= 0x10;
        let damaged = Unpacked::unpack(&bytes);
        assert_ne!(damaged, Unpacked::embedded());
        assert!(damaged.values.iter().all(|&value| value <= DRAW));
        assert_eq!(Unpacked::unpack(&[]).values.len(), PLACEMENTS);
    }
}
