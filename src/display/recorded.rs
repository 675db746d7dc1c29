//! Recorded games as boards: what their archives hold, told as if it happened.

use std::path::Path;

use super::{
    Hall,
    words::{BoardWord, PositionWord, Tracker, Word},
};
use crate::archive::{Archive, ArchiveError, Look};

/// Tells the hall a recorded game as the board `id`.
///
/// # Errors
/// When the archive cannot be read.
pub fn tell(hall: &Hall, id: &str, path: &Path) -> Result<(), ArchiveError> {
    let archive = Archive::open(path)?;
    let mut words = Vec::new();
    let mut last: Option<Look> = None;
    for listed in archive.looks()? {
        let Some(look) = archive.look(listed.number)? else { continue };
        let told = look.events.iter().filter_map(|event| Word::of_event(event, listed.stamp_s, &look.fen));
        words.extend(told);
        last = Some(look);
    }
    let pgn = archive.about()?.remove("pgn").unwrap_or_default();
    let result =
        pgn.split_once("[Result \"").and_then(|(_, rest)| rest.split_once('"')).map_or("*", |(result, _)| result);
    if let Some(look) = last {
        let tracker: Tracker = serde_json::from_value(look.state.clone().into()).unwrap_or_default();
        words.push(Word::Position(PositionWord {
            fen: look.fen,
            ply: look.ply,
            result: result.to_owned(),
            illegal: tracker == Tracker::Illegal,
            ..PositionWord::default()
        }));
        let corners = look.corners.iter().flatten().flatten().copied().collect();
        words.push(Word::Board(Box::new(BoardWord { lost: false, tracker, corners, squares: look.after })));
    }
    words.push(Word::Game(pgn));
    hall.open(id, id);
    hall.tell(id, words);
    Ok(())
}
