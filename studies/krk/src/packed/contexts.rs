//! What the stored form's bits are predicted from. The lists were found by random search for the fewest bytes: an entry
//! was put in, taken out or exchanged, and the change kept when the table became smaller.

/// How the king, the rook and the weak king of a decoded placement stand to those of the placement in hand: files and
/// ranks each.
pub const NEIGHBOURS: [[i32; 6]; 14] = [
    [0, 0, -1, 0, 0, 0],
    [0, 0, 0, -1, 0, 0],
    [0, 0, 0, 0, -1, 0],
    [0, 0, 0, 0, 0, -1],
    [-1, 0, 0, 0, 0, 0],
    [0, -1, 0, 0, 0, 0],
    [1, 0, 0, 0, 0, 0],
    [-1, 0, -1, 0, -1, 0],
    [0, -1, 0, -1, 0, -1],
    [1, 0, 1, 0, 1, 0],
    [0, 0, 0, 0, 1, 0],
    [-1, 0, 0, 0, -1, 0],
    [0, -1, 0, 0, 0, -1],
    [0, 0, 1, 0, 1, 0],
];

/// Neighbours whose values are tried first, by their place in [`NEIGHBOURS`].
pub const TRIED_FIRST: [usize; 3] = [4, 5, 10];

/// Inputs are numbered: features of the placement first, ...
const fn feature(number: u8) -> u8 {
    number
}

/// ... then the distances of the neighbours, ...
pub const VALUES: u8 = 64;
const fn value(neighbour: u8) -> u8 {
    VALUES + neighbour
}

/// ... then how far they are from the value that is tried, ...
pub const DIFFERENCES: u8 = 96;
const fn difference(neighbour: u8) -> u8 {
    DIFFERENCES + neighbour
}

/// ... then which try it is, ...
pub const RANK: u8 = 128;
/// ... and the value that is tried.
pub const CANDIDATE: u8 = 129;
/// Inputs in all: every number that a byte can have, so that none needs a check.
pub const INPUTS: usize = 256;

/// What is counted together: each list of inputs has a table of its own.
pub const CONTEXTS: [&[u8]; 7] = [
    &[feature(39), difference(8), difference(3)],
    &[difference(6), difference(7), difference(2), difference(11), feature(38), feature(30), difference(13)],
    &[difference(0), difference(2), feature(3), feature(24), feature(28)],
    &[difference(4), value(7), difference(8), CANDIDATE],
    &[difference(7), difference(9), difference(5)],
    &[difference(3), feature(11), feature(41), feature(30), difference(1)],
    &[difference(3), feature(7), feature(35), difference(2), difference(12), difference(5), CANDIDATE],
];

/// Inputs that choose the weights of a mixer.
pub const MIXERS: [&[u8]; 2] = [&[feature(47), feature(38)], &[value(13), RANK]];

/// A slot forgets as if it had seen at most so many bits.
pub const SLOT_MEMORY: usize = 250;
/// The same for histories, of which there are few.
pub const HISTORY_MEMORY: usize = 144;
/// After n bits an estimate moves by the part 16 / (16 n + this) towards the next one.
pub const STEP: i64 = 19;
/// First weight of every prediction, in 65,536ths.
pub const FIRST_WEIGHT: i32 = 7968;
/// How fast weights follow the error in the end, ...
pub const RATE: i64 = 23;
/// ... and how much faster at the beginning.
pub const FIRST_RATE: i64 = 20 * 16;
