//! The words of a score sheet: moves that can be read, moves that cannot, and moves of which a part can.
//!
//! `?` stands for one character that cannot be read: `N?5`, `?xd4`, `e8=?`. A whole word of question marks is a move of
//! which nothing is known, and a man's letter with question marks alone (`N??`) is any move of such a man. Behind a move
//! that is complete, question marks are the annotator's (`Ba4?`).

use shakmaty::{
    CastlingSide, Chess, Move, Position as _, Role, Square,
    san::{San, SanPlus},
    uci::UciMove,
};

use super::GapError;

/// Longest line accepted, in plies: more than any game played.
pub const MAX_PLIES: usize = 1000;

/// One ply of the score sheet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    Missing,
    San(San),
    Uci(UciMove),
    /// Any move of this man.
    Man(Role),
    Illegible(Pattern),
}

/// A move in SAN with characters that cannot be read, without check and mate signs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern(Vec<u8>);

impl Step {
    /// One word; `None` where no move is written like that.
    pub(super) fn read(word: &str) -> Option<Self> {
        if !word.is_empty() && word.bytes().all(|c| c == b'?') {
            return Some(Self::Missing);
        }
        let plain = word.trim_end_matches(['!', '?']);
        if let Ok(uci) = plain.parse::<UciMove>() {
            return uci.is_normal().then_some(Self::Uci(uci));
        }
        if let Ok(san) = plain.parse::<SanPlus>() {
            return Some(Self::San(san.san));
        }
        if let [b'N' | b'B' | b'R' | b'Q' | b'K', rest @ ..] = word.as_bytes()
            && rest.iter().all(|c| *c == b'?')
        {
            return word.chars().next().and_then(Role::from_char).map(Self::Man);
        }
        Pattern::read(word.trim_end_matches(['!', '+', '#'])).map(Self::Illegible)
    }

    /// Can it be read as one move?
    pub(super) const fn is_read(&self) -> bool {
        matches!(self, Self::San(_) | Self::Uci(_))
    }

    /// The move that a readable word is; one that fits several men is none, as everywhere in SAN.
    pub(super) fn one(&self, position: &Chess) -> Option<Move> {
        match self {
            Self::San(san) => san.to_move(position).ok(),
            Self::Uci(uci) => uci.to_move(position).ok(),
            _ => None,
        }
    }

    /// The moves that it can be. Not inlined: a search that calls itself must not carry a list of moves in every frame.
    #[inline(never)]
    pub(super) fn moves(&self, position: &Chess) -> Vec<Move> {
        let mut moves = match self {
            Self::San(_) | Self::Uci(_) => return self.one(position).into_iter().collect(),
            Self::Missing | Self::Man(_) | Self::Illegible(_) => position.legal_moves(),
        };
        match self {
            Self::Man(role) => moves.retain(|m| m.role() == *role && !m.is_castle()),
            Self::Illegible(pattern) => {
                let all = moves.clone();
                moves.retain(|m| pattern.fits(*m, &all));
            }
            _ => {}
        }
        moves.into_iter().collect()
    }
}

const FILES: &[u8] = b"abcdefgh";
const RANKS: &[u8] = b"12345678";

impl Pattern {
    /// Reads it, where some move could be spelt so.
    fn read(word: &str) -> Option<Self> {
        let pattern = Self(word.bytes().collect());
        (word.contains('?') && pattern.spells_something()).then_some(pattern)
    }

    fn spells_something(&self) -> bool {
        if self.matches(b"O-O") || self.matches(b"O-O-O") {
            return true;
        }
        let pawn: &[&[u8]] = &[FILES, b"x", FILES, RANKS, b"=", b"NBRQ"];
        let man: &[&[u8]] = &[b"NBRQK", FILES, RANKS, b"x", FILES, RANKS];
        let (pawn_ways, man_ways) = ([0b00_1100, 0b00_1111, 0b11_1100, 0b11_1111], [0, 1, 2, 3, 4, 5, 6, 7]);
        pawn_ways.iter().any(|way| self.matches_classes(pawn, *way))
            // Which of file, rank and the sign of capture stand between the letter and the square.
            || man_ways.iter().any(|way| self.matches_classes(man, 0b11_0001 | way << 1))
    }

    /// Does it fit the classes of characters whose bits are set in `way`, the lowest for the first?
    fn matches_classes(&self, classes: &[&[u8]], way: u32) -> bool {
        let mut chosen = classes.iter().enumerate().filter(|(i, _)| way >> i & 1 == 1).map(|(_, class)| class);
        self.0.iter().all(|c| chosen.next().is_some_and(|class| *c == b'?' || class.contains(c)))
            && chosen.next().is_none()
    }

    fn matches(&self, spelling: &[u8]) -> bool {
        self.0.len() == spelling.len() && self.0.iter().zip(spelling).all(|(p, c)| *p == b'?' || p == c)
    }

    /// Is the move spelt so? Any spelling counts that names one move: what is not needed to tell two men apart may be
    /// there.
    fn fits(&self, mv: Move, legal: &[Move]) -> bool {
        if let Some(side) = mv.castling_side() {
            return self.matches(if side == CastlingSide::KingSide { b"O-O" } else { b"O-O-O" });
        }
        let (role, to) = (mv.role(), mv.to());
        let Some(from) = mv.from() else { return false };
        if role == Role::Pawn {
            return self.matches(&spelling(mv, from, mv.is_capture(), false));
        }
        let rivals =
            || legal.iter().filter(|m| m.role() == role && m.to() == to && !m.is_castle()).filter_map(|m| m.from());
        [(false, false), (true, false), (false, true), (true, true)].into_iter().any(|(file, rank)| {
            let named = |s: &Square| (!file || s.file() == from.file()) && (!rank || s.rank() == from.rank());
            self.matches(&spelling(mv, from, file, rank)) && rivals().filter(named).count() == 1
        })
    }
}

/// A move in SAN without check and mate signs, with file and rank where it came from if asked.
fn spelling(mv: Move, from: Square, file: bool, rank: bool) -> Vec<u8> {
    let mut text = Vec::with_capacity(8);
    if mv.role() != Role::Pawn {
        text.push(mv.role().upper_char() as u8);
    }
    if file {
        text.push(from.file().char() as u8);
    }
    if rank {
        text.push(from.rank().char() as u8);
    }
    if mv.is_capture() {
        text.push(b'x');
    }
    text.extend([mv.to().file().char() as u8, mv.to().rank().char() as u8]);
    if let Some(role) = mv.promotion() {
        text.extend([b'=', role.upper_char() as u8]);
    }
    text
}

/// The plies of a line with the words that told them; move numbers and a result are left out.
pub(super) fn steps(text: &str) -> Result<Vec<(Step, String)>, GapError> {
    let mut steps = Vec::new();
    for (index, word) in text.split_whitespace().enumerate() {
        // `12.`, `12...`, `12.e4`
        let digits = word.trim_start_matches(|c: char| c.is_ascii_digit());
        let bare =
            if digits.len() < word.len() && digits.starts_with('.') { digits.trim_start_matches('.') } else { word };
        if bare.is_empty() || matches!(bare, "1-0" | "0-1" | "1/2-1/2" | "*") {
            continue;
        }
        let shown = || word.chars().take(40).collect();
        let step = Step::read(bare).ok_or_else(|| GapError::Word { number: index + 1, word: shown() })?;
        steps.push((step, bare.to_owned()));
    }
    match steps.len() {
        0 => Err(GapError::Empty),
        plies if plies > MAX_PLIES => Err(GapError::Long { plies }),
        _ => Ok(steps),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::start::Start;

    fn sans(word: &str, fen: &str) -> Vec<String> {
        let start = Start::from_fen(fen).unwrap();
        let step = Step::read(word).unwrap_or_else(|| panic!("{word}"));
        let mut sans: Vec<_> =
            step.moves(start.position()).iter().map(|m| San::from_move(start.position(), *m).to_string()).collect();
        sans.sort();
        sans
    }

    const ITALIAN: &str = "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2BPP3/2P2N2/PP3PPP/RNBQK2R b KQkq - 0 5";

    #[test]
    fn what_can_be_read_of_a_word_chooses_among_the_moves() {
        assert_eq!(sans("?xd4", ITALIAN), ["Bxd4", "Nxd4", "exd4"]);
        assert_eq!(sans("N?5", ITALIAN), ["Na5", "Nd5", "Nh5"]);
        assert_eq!(sans("Nx??", ITALIAN), ["Nxd4", "Nxe4"]);
        assert_eq!(sans("?-O", ITALIAN), ["O-O"]);
        assert_eq!(sans("O-O!?", ITALIAN), ["O-O"]);
        assert_eq!(sans("K??", ITALIAN), ["Ke7", "Kf8"]);
        assert_eq!(sans("?5", ITALIAN), ["a5", "b5", "d5", "g5", "h5"]);
        assert_eq!(sans("??", ITALIAN).len(), Start::from_fen(ITALIAN).unwrap().position().legal_moves().len());
    }

    #[test]
    fn promotions_and_men_that_must_be_told_apart() {
        let fen = "1n4k1/P7/8/8/8/8/8/R3K2R w - - 0 1";
        assert_eq!(sans("a8=?", fen), ["a8=B", "a8=N", "a8=Q", "a8=R"]);
        assert_eq!(sans("axb8=?+", fen).len(), 4);
        // Rd1 would name two rooks; Rad1 and Rhf1 name one each.
        let fen = "6k1/8/8/8/8/8/4K3/R6R w - - 0 1";
        assert_eq!(sans("R?d1", fen), ["Rad1", "Rhd1"]);
        assert!(sans("R?1", fen).is_empty());
        assert_eq!(sans("R1a?", fen).len(), 7);
        assert_eq!(sans("Ra1b?", fen), ["Rab1"]);
    }

    #[test]
    fn words_that_no_move_is_spelt_like_are_none() {
        for word in ["Z?5", "N?9", "e?x", "?x", "a8=?N", "O-?-?-O", "é?", "P??", "n??", "!", ""] {
            assert_eq!(Step::read(word), None, "{word}");
        }
        assert_eq!(Step::read("Ba4??"), Step::read("Ba4"));
        assert!(matches!(Step::read("Nf?"), Some(Step::Illegible(_))));
        assert_eq!(Step::read("????"), Some(Step::Missing));
    }

    /// Law: whatever characters of a move's SAN cannot be read, the move is among those that the word can be.
    #[test]
    fn illegible_characters_never_lose_the_move() {
        for fen in [
            ITALIAN,
            "1n4k1/P7/8/8/8/8/8/R3K2R w KQ - 0 1",
            "8/8/8/1Pp5/k7/8/8/4K2N w - c6 0 1",
            "6k1/8/8/8/8/8/4K3/R6R w - - 0 1",
        ] {
            let start = Start::from_fen(fen).unwrap();
            for mv in start.position().legal_moves() {
                let san = San::from_move(start.position(), mv).to_string();
                for mask in 0_u32..1 << san.len() {
                    let word: String =
                        san.chars().enumerate().map(|(i, c)| if mask >> i & 1 == 1 { '?' } else { c }).collect();
                    let Some(step) = Step::read(&word) else { panic!("{word}") };
                    // `e4?` is a move with an annotation: nothing of it is missing.
                    let complete = word.trim_end_matches('?').parse::<San>().is_ok();
                    assert!(complete || step.moves(start.position()).contains(&mv), "{word} for {san} in {fen}");
                }
            }
        }
    }
}
