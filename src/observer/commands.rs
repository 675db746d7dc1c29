//! What people may tell an observer: it overrules what was seen.

use shakmaty::{san::SanPlus, uci::UciMove};

use super::{Observer, TrackerState};
use crate::{
    board::{calibration::Calibration, corners::Corners},
    event::Event,
    game::CommandError,
    params::GameMode,
};

impl Observer {
    /// From now on what looks say is kept, for [`in_hindsight`](Self::in_hindsight); games that end are written so too.
    pub fn keep_looks(&mut self) {
        self.game.keep_looks();
    }

    /// Says whether looks from now on are to be accounted for: see [`account`](Self::account).
    pub const fn explain(&mut self, wanted: bool) {
        self.game.explain(wanted);
    }

    /// Begins a new game from `fen`, or from the usual position.
    ///
    /// # Errors
    /// When the position is not legal.
    pub fn new_game(&mut self, fen: Option<&str>) -> Result<Vec<Event>, CommandError> {
        self.pace.set_quiet(false);
        let events = self.game.new_game(fen)?;
        self.undecided = None;
        self.date_game();
        Ok(self.expectations.judge(events, &self.game))
    }

    /// Says what stands on the board now; the game goes on from there.
    ///
    /// # Errors
    /// When the position is not legal.
    pub fn set_position(&mut self, fen: &str) -> Result<Vec<Event>, CommandError> {
        self.pace.set_quiet(false);
        let events = self.game.set_position(fen)?;
        self.undecided = None;
        self.date_game();
        Ok(self.expectations.judge(events, &self.game))
    }

    /// Takes the next picture as a settled position (a clock press, a robot's own signal).
    ///
    /// # Errors
    /// When the parameter `game.mode` is `automatic`: rest alone ends a move then.
    pub fn capture(&mut self) -> Result<(), CommandError> {
        if self.params.game_mode == GameMode::Automatic {
            let why = "game.mode is automatic: only rest ends a move; set it to manual or semi_automatic";
            return Err(CommandError::Refused(why.into()));
        }
        self.pace.capture();
        Ok(())
    }

    /// Expects `text` (UCI or SAN) as the next move; an empty text expects nothing any more. Returns the move.
    /// When the move is told, so is whether it was this one. With the parameter `game.expect_hidden_after_s` it is told as well
    /// where something hides its squares for so long.
    ///
    /// # Errors
    /// When it is not one legal move in the position.
    pub fn expect_move(&mut self, text: &str) -> Result<Option<(UciMove, SanPlus)>, CommandError> {
        let expected = self.expectations.announce(&self.game, text)?;
        let uci = expected.map(|(uci, _)| uci);
        self.game.announce(uci, self.params.game_expect_hidden_after_s);
        Ok(expected)
    }

    /// No picture comes any more: tells what the last ones suggest, where that is likelier than all else.
    pub fn finish(&mut self) -> Vec<Event> {
        let events = self.game.conclude();
        self.expectations.judge(events, &self.game)
    }

    /// Takes back the last `plies` plies.
    ///
    /// # Errors
    /// When fewer have been played.
    pub fn take_back(&mut self, plies: usize) -> Result<Vec<Event>, CommandError> {
        self.pace.set_quiet(false);
        let events = self.game.take_back(plies)?;
        Ok(self.expectations.judge(events, &self.game))
    }

    /// Says that ply `ply` (1 for the first, 0 for the last one played, one beyond the last for one that was not told)
    /// was `text`, as UCI or SAN.
    ///
    /// # Errors
    /// When there is no such ply, the move is not legal there, or the plies after it no longer are.
    pub fn correct_move(&mut self, ply: usize, text: &str) -> Result<Vec<Event>, CommandError> {
        self.pace.set_quiet(false);
        let events = self.game.correct_move(ply, text)?;
        Ok(self.expectations.judge(events, &self.game))
    }

    /// Ends the game (`1-0`, `0-1`, `1/2-1/2`) or reopens it (`*`).
    ///
    /// # Errors
    /// When the text is none of these.
    pub fn set_result(&mut self, result: &str) -> Result<Vec<Event>, CommandError> {
        self.game.set_result(result)
    }

    /// Gives the board's corners, in the pictures as they come, or asks for a new search in the next picture.
    ///
    /// # Errors
    /// When no board can be there in the pictures that come; nothing changes then.
    pub fn locate_board(&mut self, corners: Option<Corners>) -> Result<(), CommandError> {
        match corners {
            Some(corners) => {
                self.watch.accepts(&corners).map_err(|e| CommandError::Refused(e.to_string()))?;
                self.watch.give_corners(corners);
            }
            None => self.watch.search_again(),
        }
        Ok(())
    }

    /// Offers the place where the board was before. The first search begins there; where it finds nothing, that place
    /// itself is taken if it looks like the position. Forgotten when somebody asks for a new search.
    pub fn offer_calibration(&mut self, calibration: &Calibration) {
        self.watch.offer(calibration);
    }

    /// While paused, pictures are counted and not looked at.
    pub fn set_paused(&mut self, paused: bool) {
        self.tracker = match (paused, self.watch.view()) {
            (true, _) => TrackerState::Paused,
            (false, None) => TrackerState::NoBoard,
            (false, Some(_)) => TrackerState::Disturbed,
        };
        self.watch.disturb();
    }
}
