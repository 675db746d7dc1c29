//! An archive through an observer again: are the looks understood as they were?

use super::{Archive, ArchiveError, Look, Why};
use crate::{
    bag::{Picture, picture::Content},
    event::Event,
    frame::{Frame, Stamp},
    observer::Observer,
};

/// How one look came out.
#[derive(Debug, Clone, PartialEq)]
pub struct Again {
    /// The look as it was kept.
    pub look: Look,
    /// What is told now.
    pub events: Vec<Event>,
    /// The legal position is the one that it was.
    pub same_position: bool,
    /// Squares of which the likeliest content is another one now.
    pub other_squares: usize,
}

/// Shows every kept picture to `observer`, in the manner in which it was looked at, and says again what people said.
/// `take` hears of each; false ends it.
///
/// # Errors
/// When the archive cannot be read.
pub fn rerun(
    archive: &Archive,
    observer: &mut Observer,
    mut take: impl FnMut(&Again, Option<&Frame<'_>>, &Observer) -> bool,
) -> Result<(), ArchiveError> {
    for listed in archive.looks()? {
        let Some(look) = archive.look(listed.number)? else { continue };
        let stamp = Stamp(look.stamp_ns);
        let picture = archive.picture(listed.number)?.map(|jpeg| {
            let content = Content::Encoded { format: "jpeg".into(), data: 0..jpeg.len(), message: jpeg };
            Picture { index: 0, stamp, name: None, content }
        });
        let decoded = picture.as_ref().and_then(|picture| picture.decode().ok());
        let frame = decoded.as_ref().and_then(|decoded| decoded.frame().ok());
        let events = match (&frame, look.why) {
            (_, Why::Said) => say(observer, &look.events),
            (Some(frame), _) => observer.observe_again(frame, stamp, look.manner),
            // Its picture was let go: what came of it is all that is left.
            (None, _) => say(observer, &look.events),
        };
        let after = observer.squares().map(super::Belief::of);
        let other_squares = match (&look.after, &after) {
            (Some(was), Some(is)) => was.likeliest().iter().zip(is.likeliest()).filter(|(a, b)| **a != *b).count(),
            (was, is) => 64 * usize::from(was.is_some() != is.is_some()),
        };
        let same_position = observer.position().fen.to_string() == look.fen;
        let again = Again { look, events, same_position, other_squares };
        if !take(&again, frame.as_ref(), observer) {
            break;
        }
    }
    Ok(())
}

/// Says to the observer what follows from these events, as a person would.
fn say(observer: &mut Observer, events: &[Event]) -> Vec<Event> {
    let mut told = Vec::new();
    for event in events {
        let said = match event {
            Event::Move { ply, uci, .. } | Event::Revised { ply, uci, .. } => {
                observer.correct_move(*ply, &uci.to_string())
            }
            Event::TakeBack { .. } => observer.take_back(1),
            Event::NewGame { fen } => observer.set_position(&fen.to_string()),
            Event::Result { result, .. } => observer.set_result(result.as_str()),
            _ => continue,
        };
        told.extend(said.unwrap_or_default());
    }
    told
}
