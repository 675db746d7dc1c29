//! A game of Go in progress: what was told of it, and what is believed.

mod commands;
mod decide;
mod words;

use std::{collections::HashMap, sync::Arc};

pub use commands::CommandError;
use decide::Decided;

use super::{
    Board, Color, Event, Look, Moment, Size,
    belief::{Belief, Kind, Line, Losses, Odd, Weighed},
    record::{self, Info, Notes},
};

/// Plays that one look may have missed, while the game is followed.
const MOST_MISSED: usize = 12;
/// The same when it is lost.
const MOST_LOST: usize = 80;
/// Share of the board that must be in sight for its stones to be taken as they lie.
const WHOLE_BOARD: f64 = 0.97;
/// The same when that never comes.
const MOST_OF_IT: f64 = 0.8;
/// Nats by which a crossing must show one content before all others, for the stones to be taken as they lie.
const CLEAR: f64 = 2.0;
/// Looks after which the first stones are taken as they seem, clear or not.
const BEGINNING: usize = 3;
/// At most so many stones of both colours are a game that has just begun; their order is worked out. More are a position.
const JUST_BEGUN: usize = 8;
/// Photographs in a row that nothing explains, after which the game goes on from the stones as they lie.
const LOST_STILLS: usize = 3;
/// The same for looks of a film: half a minute while in doubt, and hands that clear a board are done then.
const LOST_LOOKS: usize = 150;

/// Where a game begins.
#[derive(Debug, Clone)]
pub enum Begin {
    /// As the board shows it at the first clear look.
    AsSeen(Size),
    /// At this moment: an empty board, a handicap, or the end of a record.
    At(Arc<Moment>),
}

impl Begin {
    fn size(&self) -> Size {
        match self {
            Self::AsSeen(size) => *size,
            Self::At(moment) => moment.board().size(),
        }
    }
}

/// How a look may be used.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct How {
    /// The pictures are photographs, and no film: each is all there is of its time.
    pub stills: bool,
    /// It has been at rest long enough that what is unexplained deserves a warning.
    pub patient: bool,
    /// Somebody said "now": decide as well as possible.
    pub forced: bool,
    /// Least probability at which a play is told.
    pub min_confidence: f64,
}

/// What the game made of a look.
#[derive(Debug, Clone, PartialEq)]
pub struct Understanding {
    /// What is new.
    pub events: Vec<Event>,
    /// The stones that explain the look beyond doubt; the picture may be learnt from. `None`: it may not.
    pub explained: Option<Board>,
}

/// A game in progress.
#[derive(Debug, Clone)]
pub struct Game {
    begin: Begin,
    info: Info,
    notes: Notes,
    begun: bool,
    /// As far as it was told.
    told: Line,
    /// Plays at the end of what was told that were only warned of; they count when the game goes on from them.
    warned: usize,
    belief: Belief,
    /// The last look's lines, for when somebody asks for the likeliest.
    weighed: Option<Weighed>,
    /// What the last look was understood as.
    standing: Board,
    /// Probabilities that were told with the plays, by [`Moment::path`].
    confidence: HashMap<u64, f64>,
    doubt_told: bool,
    /// Looks in a row that nothing explained.
    lost: usize,
    /// What they showed.
    lost_with: Option<Board>,
    /// Looks at which the game has not begun.
    waited: usize,
    finished: Vec<String>,
}

impl Game {
    /// A game that begins so.
    #[must_use]
    pub fn new(begin: Begin, info: Info) -> Self {
        let (start, begun) = match &begin {
            Begin::AsSeen(size) => (Moment::start(Board::empty(*size), Color::Black), false),
            Begin::At(moment) => (moment.clone(), true),
        };
        let standing = start.board().clone();
        Self {
            begin,
            info,
            notes: Notes::default(),
            begun,
            told: line_at(start.clone()),
            warned: 0,
            belief: Belief::certain([start]),
            weighed: None,
            standing,
            confidence: HashMap::new(),
            doubt_told: false,
            lost: 0,
            lost_with: None,
            waited: 0,
            finished: Vec::new(),
        }
    }

    /// The game of a record goes on at its end, with what was noted of it.
    #[must_use]
    pub fn resume(end: Arc<Moment>, info: Info, notes: Notes) -> Self {
        let start = end.line().into_iter().next().unwrap_or_else(|| end.clone());
        // A play against the rules from which nothing has gone on was only warned of.
        let warned = end.back().take_while(|m| m.last().is_some_and(|play| play.fault.is_some())).count();
        Self {
            notes,
            warned,
            told: line_at(end.clone()),
            standing: end.board().clone(),
            belief: Belief::certain([end]),
            ..Self::new(Begin::At(start), info)
        }
    }

    /// The board's size.
    #[must_use]
    pub fn size(&self) -> Size {
        self.begin.size()
    }

    /// The game as far as it was told.
    #[must_use]
    pub const fn told(&self) -> &Arc<Moment> {
        &self.told.end
    }

    /// Has the board been seen, or was the beginning known?
    #[must_use]
    pub const fn has_begun(&self) -> bool {
        self.begun
    }

    /// What is taken to lie on the board.
    #[must_use]
    pub const fn standing(&self) -> &Board {
        &self.standing
    }

    /// What the record says beside the plays.
    #[must_use]
    pub const fn info(&self) -> &Info {
        &self.info
    }

    /// Replaces it.
    pub(crate) fn set_info(&mut self, info: Info) {
        let (handicap, result) = (self.info.handicap, std::mem::take(&mut self.info.result));
        self.info = info;
        self.info.handicap = self.info.handicap.max(handicap);
        if self.info.result.is_empty() {
            self.info.result = result;
        }
    }

    /// The game as SGF: the main line, and what was taken back as variations.
    #[must_use]
    pub fn sgf(&self) -> String {
        record::write(&self.info, &self.told.end, &self.notes).write()
    }

    /// The games before this one, as SGF.
    #[must_use]
    pub fn finished(&self) -> &[String] {
        &self.finished
    }

    /// Is something in doubt that was told so?
    #[must_use]
    pub const fn in_doubt(&self) -> bool {
        self.doubt_told
    }

    /// Was a play told that the rules forbid, or stones that lie otherwise, and neither put right nor let stand?
    #[must_use]
    pub fn is_illegal(&self) -> bool {
        self.warned > 0 || !self.told.odd.is_empty()
    }

    /// Understands one look; returns what is new. A look at a board of another size says nothing.
    pub fn observe(&mut self, look: &Look, how: How) -> Understanding {
        if look.size != self.size() || look.seen.len() != look.size.count() {
            return Understanding { events: Vec::new(), explained: None };
        }
        let losses = Losses::of(look, &self.standing);
        let mut events = Vec::new();
        if !self.begun && !self.begin_as_seen(&losses, &mut events) {
            return Understanding { events, explained: None };
        }
        if self.belief.is_quiet(&losses, &self.told.end, &self.told.odd) {
            self.understood();
            self.weighed = None;
            self.standing = losses.standing(&self.told.end, &self.told.odd);
            return Understanding { events, explained: Some(self.standing.clone()) };
        }
        let told = Line { prior: 0.0, ..self.told.clone() };
        let mut weighed = self.belief.weigh(&losses, &told, &self.info.rules, MOST_MISSED);
        let lost = |w: &Weighed| w.best().is_none_or(|b| b.kind == Kind::Anything || b.misfit > LOST_MISFIT);
        if lost(&weighed) && (how.stills || how.patient || how.forced) {
            let further = self.belief.weigh(&losses, &told, &self.info.rules, MOST_LOST);
            if !lost(&further) {
                weighed = further;
            }
        }
        let (before, was_lost) = (self.told.end.path(), self.lost);
        let explained = match self.decide(&weighed, &losses, how, &mut events) {
            Decided::Otherwise => None,
            Decided::Along(explained) => {
                let settled = self.told.end.path() != before && is_long(was_lost, how);
                self.belief.remember(&weighed, &self.told.end, settled);
                explained
            }
        };
        self.weighed = Some(weighed);
        Understanding { events, explained }
    }

    /// There are no more pictures: the likeliest of what is believed is told.
    pub fn finish(&mut self) -> Vec<Event> {
        let mut events = Vec::new();
        if let Some(weighed) = self.weighed.take() {
            let line = weighed.lines.iter().find(|(l, _)| l.kind == Kind::Line).map(|(l, _)| l.clone());
            if let Some(line) = line {
                self.advance(&line.end, &weighed, &mut events);
            }
        }
        events
    }

    /// The beginning of a game that is taken as the board shows it. False while that is not clear.
    fn begin_as_seen(&mut self, losses: &Losses, events: &mut Vec<Event>) -> bool {
        self.waited += 1;
        let (shown, vague) = losses.as_boards_are(CLEAR);
        let share = losses.share_in_sight();
        let clear = share >= WHOLE_BOARD && vague == 0;
        let long = share >= WHOLE_BOARD && self.waited >= BEGINNING;
        // A thing that lies on the board for good is no reason not to begin at all.
        let very_long = share >= MOST_OF_IT && self.waited >= 10 * BEGINNING;
        if !clear && !long && !very_long {
            return false;
        }
        let (black, white) = (shown.count(Color::Black), shown.count(Color::White));
        let empty = Moment::start(Board::empty(losses.size), Color::Black);
        let just_begun = black + white <= JUST_BEGUN && (black == white || black == white + 1);
        let starts = match (black, white) {
            (2.., 0) => {
                self.info.handicap = black;
                vec![Moment::start(shown, Color::White)]
            }
            _ if just_begun => vec![empty],
            _ => {
                let to_play = if black > white { Color::White } else { Color::Black };
                vec![Moment::start(shown.clone(), to_play), Moment::start(shown, to_play.other())]
            }
        };
        self.begun = true;
        self.told = line_at(starts[0].clone());
        self.standing = starts[0].board().clone();
        self.belief = Belief::certain(starts);
        events.push(self.begun_event());
        true
    }

    fn begun_event(&self) -> Event {
        let board = self.told.end.board();
        Event::Begun {
            size: self.size().lines(),
            stones: [board.count(Color::Black), board.count(Color::White)],
            handicap: self.info.handicap,
        }
    }

    fn understood(&mut self) {
        self.doubt_told = false;
        self.lost = 0;
        self.lost_with = None;
    }
}

/// Has the doubt lasted so long that the likeliest has to do?
const fn is_long(lost: usize, how: How) -> bool {
    lost >= if how.stills { LOST_STILLS } else { LOST_LOOKS }
}

/// Nats of misfit beyond which a look is not explained: three crossings that show something else.
const LOST_MISFIT: f64 = 24.0;

/// The line that ends here, without doubt.
fn line_at(end: Arc<Moment>) -> Line {
    Line { end, odd: Odd::new(), kind: Kind::Line, prior: 0.0, misfit: 0.0, undone: None, left: 0 }
}

#[cfg(test)]
mod tests;
