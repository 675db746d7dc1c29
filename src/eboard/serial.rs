//! The numbers by which programs know boards: made from the boards' names, so they stay the same for ever.

use std::collections::BTreeSet;

use crate::display::{Hall, round::by_number};

/// A board as programs know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// Its name in addresses.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// Its number, nine digits.
    pub(super) serial: String,
}

/// All boards by name and number: `board_10` comes after `board_9`.
#[must_use]
pub fn boards(hall: &Hall) -> Vec<Known> {
    let mut names = hall.chess_names();
    // Where two numbers are the same, the second name takes the next one: always the same name, since these are in order.
    let mut taken = BTreeSet::new();
    let mut known: Vec<_> = names
        .drain(..)
        .map(|(id, name)| {
            let mut serial = number(&id);
            while !taken.insert(serial) {
                serial += 1;
            }
            Known { id, name, serial: serial.to_string() }
        })
        .collect();
    known.sort_by_cached_key(|board| by_number(&board.id));
    known
}

/// Nine digits from a name: FNV-1a, which is short and the same on every machine.
fn number(name: &str) -> u64 {
    let hash = name
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    100_000_000 + hash % 900_000_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_names_in_the_order_of_the_boards() {
        let hall = Hall::default();
        for id in ["board_10", "board_9", "the-board"] {
            hall.open(id, id);
        }
        let first = boards(&hall);
        assert_eq!(first.iter().map(|b| b.id.as_str()).collect::<Vec<_>>(), ["board_9", "board_10", "the-board"]);
        assert!(first.iter().all(|b| b.serial.len() == 9 && b.serial.bytes().all(|c| c.is_ascii_digit())));
        // Others come: those that were there keep their numbers, and those are never to be others.
        hall.open("board_1", "One");
        let later = boards(&hall);
        assert!(first.iter().all(|board| later.contains(board)));
        assert_eq!((number("the-board"), number("board_1")), (745_702_873, 794_896_919));
    }
}
