//! What the parameters say of the game: its headers and remarks, and the game that is followed.

use crate::{
    files,
    game::{CommandError, Remarks, Tags, expect::Expectations, pgn_in, record, start::Start},
    params::Params,
};

/// The headers of a game that was played on the day `date`.
pub(super) fn tags(params: &Params, date: &str) -> Tags {
    let text = |s: &str| if s == "?" { String::new() } else { s.to_owned() };
    Tags {
        event: text(&params.game_event),
        site: text(&params.game_site),
        date: date.to_owned(),
        white: text(&params.game_white),
        round: text(&params.game_round),
        black: text(&params.game_black),
        // The table of parameters has checked it.
        more: record::read_headers(&params.game_headers).unwrap_or_default(),
    }
}

/// The remarks that the record is to have.
pub(super) fn remarks(params: &Params) -> Remarks {
    Remarks {
        times: params.game_note_times,
        doubt_below: params.game_note_doubt_below,
        withdrawn: params.game_note_withdrawn,
    }
}

/// The game that the parameters ask to follow, and where it begins.
pub(super) fn follow(params: &Params) -> Result<(Expectations, Option<Start>), CommandError> {
    if params.game_follow_pgn.is_empty() {
        return Ok((Expectations::default(), None));
    }
    let refused = |why: String| CommandError::Refused(format!("game.follow_pgn: {}: {why}", params.game_follow_pgn));
    let text =
        files::text(params.game_follow_pgn.as_ref(), files::LARGEST_TABLE).map_err(|e| refused(e.to_string()))?;
    let number = usize::try_from(params.game_follow_number).unwrap_or(1);
    let mut games = pgn_in::read_games(&text);
    if number == 0 || number > games.len() {
        return Err(refused(format!("there is no game {number}, it holds {}", games.len())));
    }
    let game = games.swap_remove(number - 1).map_err(|e| refused(e.to_string()))?;
    Ok((Expectations::following(&game), Some(game.start)))
}
