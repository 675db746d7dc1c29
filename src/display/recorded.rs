//! Recorded games as boards: what their archives hold, told as if it happened.

use serde_json::Value;

use super::{
    Hall,
    board::Board,
    game::Game,
    words::{BoardWord, PositionWord, SightWord, Tracker, Word},
};
use crate::archive::{Archive, ArchiveError, Look};

/// Tells the hall a recorded game as the board `id`.
///
/// # Errors
/// When the archive cannot be read.
pub fn tell(hall: &Hall, id: &str, archive: &Archive) -> Result<(), ArchiveError> {
    let words = words(archive)?;
    hall.open(id, id);
    hall.tell(id, words);
    Ok(())
}

/// What the page of a board would show that had played this game and no other.
pub(super) fn page(id: &str, archive: &Archive) -> Result<Value, ArchiveError> {
    let mut board = Board::new(id);
    for word in words(archive)? {
        board.hear(word);
    }
    Ok(board.page(id))
}

fn words(archive: &Archive) -> Result<Vec<Word>, ArchiveError> {
    let mut words = Vec::new();
    let mut last: Option<Look> = None;
    for listed in archive.looks()? {
        let Some(look) = archive.look(listed.number)? else { continue };
        let told = look.events.iter().filter_map(|event| Word::of_event(event, listed.stamp_s, &look.fen));
        words.extend(told);
        last = Some(look);
    }
    let pgn = archive.about()?.remove("pgn").unwrap_or_default();
    let result = Game::read(&pgn).map_or_else(|| "*".to_owned(), |game| game.result);
    if let Some(look) = last {
        let tracker: Tracker = serde_json::from_value(look.state.clone().into()).unwrap_or_default();
        words.push(Word::Position(PositionWord {
            fen: look.fen,
            ply: look.ply,
            result,
            illegal: tracker == Tracker::Illegal,
            ..PositionWord::default()
        }));
        let corners = look.corners.iter().flatten().flatten().copied().collect();
        words.push(Word::Board(Box::new(BoardWord { lost: false, tracker, corners, squares: look.after })));
        words.push(Word::Sight(SightWord {
            change_threshold: look.change_threshold.map(f64::from),
            noise_levels: look.noise_levels.map(f64::from),
            explanations: look.explanations,
        }));
    }
    words.push(Word::Game(pgn));
    Ok(words)
}
