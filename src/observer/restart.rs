//! After a restart the board decides: is it the game that was resumed, and what was played meanwhile?
//!
//! Colours that were learnt from wrong men mislead every later look, so this is asked before any are learnt: how well can
//! the squares be told apart, in this picture alone, if these men stand there?

use shakmaty::{Bitboard, Board, Chess, Position as _, Square};

use super::{
    Observer,
    begin::Begun,
    settings::{remarks, tags},
    watch::Watch,
};
use crate::{
    event::Event,
    frame::{Frame, Stamp},
    game::{CommandError, Game, Look, evidence::Evidence, pgn_in},
    sight::{evidence::LookEvidence, layout::Layout, view::View},
};

/// Share of the squares that must read better with the men of a new game: two squares, so more than a ply and less than a
/// game.
const CLEARLY_NEW: f64 = 0.03;
/// Nats by which the picture must be likelier for each ply that was played meanwhile: what a ply costs in the game.
const CLEARLY_PLAYED: f64 = 4.0;
/// Plies that are looked for: more have been played in many orders, which no picture tells.
const PLIES: usize = 4;
/// Lines that are followed from ply to ply: a ply that was played makes the picture better by itself. With 8 of them, and
/// plies that make it no better, one of 60 restarts went on that did not with 3, and the first look took twice as long.
const LINES: usize = 3;

/// Squares in which a picture may differ from the first one and still go on from it: those of a ply with their shadows. On
/// another day most squares with men differ.
const OTHERWISE: usize = 12;
/// Share of the squares that must read as a position has them before the first picture is given up for it: in every recording
/// the start position reads 0.96 to 1.0 by itself.
const SHOWN_BY_ITSELF: f64 = 0.95;

/// Change of the light, as ln of a channel's gain, from which a picture may show more than the one that was learnt from: a tenth, which
/// clips other points.
const OTHER_LIGHT: f32 = 0.1;
/// Nats by which sound pictures of one position differ in how likely their own colours make them: up to 20, in films of the simulator
/// and in the render `s07`. A hand's fingertips at the rim take 50, a hand 240, a first picture that is over-exposed, blurred or has
/// hands in it 100 to 800.
const AS_LIKELY: f64 = 25.0;

/// Points of a square that are worth as much as if none knew of the others.
const POINTS_WORTH: f64 = 6.0;
/// Nats by which a ply must explain a picture better than none for it to have been played: plies of the simulator gain 40 and more
/// on a first picture that is sound, and at most 1 where the first one was damaged, lit otherwise, or had a hand in it.
const PLAYED: f64 = 8.0;

/// Nats beyond which no square is surer: its colours were learnt from men of whom some stand elsewhere.
const SUREST_SQUARE: f64 = 10.0;
/// So often the squares are read again with colours learnt from the men that they told.
const READINGS: usize = 3;
/// What the squares tell is taken as well as possible; [`Observer`] asks for more when it looks at them itself.
const NOW: Look = Look { settled: true, patient: true, forced: true, passing: false, min_confidence: 0.95 };

/// The squares of one picture, each by itself.
struct Squares {
    men: Board,
    /// Empty, white man, black man, in nats.
    log: [[f64; 3]; 64],
}

impl Squares {
    /// As `Recognition::told` says, if `men` stood there before.
    fn new(told: [[f64; 3]; 64], men: Board) -> Self {
        let log = told.map(|[white, black, bare]| {
            let most = white.max(black).max(bare);
            [bare, white, black].map(|v| (POINTS_WORTH * (v - most)).max(-SUREST_SQUARE))
        });
        Self { men, log }
    }
}

impl Evidence for Squares {
    fn log_likelihood(&self, men: &Board) -> f64 {
        let men = Layout::of(men);
        Square::ALL.into_iter().map(|s| self.log[usize::from(s)][men.class(s)]).sum()
    }

    fn reference(&self) -> &Board {
        &self.men
    }

    fn square(&self, square: Square) -> [f64; 3] {
        self.log[usize::from(square)]
    }

    fn unexplained(&self, _: &Board) -> Bitboard {
        Bitboard::EMPTY
    }
}

/// What a picture says of what was learnt of the board.
pub(super) enum Memory {
    /// It may be as it was learnt.
    Holds,
    /// The picture shows these men better: it takes the memory's place.
    Replaced(Board),
    /// It is of another day, or damaged: nothing that was learnt of single points holds.
    Deceives,
}

/// What stands on the board.
enum Shown {
    /// The men of a new game.
    New,
    /// The resumed game, with these men.
    Resumed(Board),
}

impl Observer {
    /// Goes on with the last game of a PGN, as this program has written it: moves, times, confidences. Where the board is
    /// then found with the men of the first position that the parameters tell instead, a new game begins.
    ///
    /// # Errors
    /// When it cannot be read, or has a result: then nothing changes.
    pub fn resume(&mut self, pgn: &str) -> Result<(), CommandError> {
        let refused = |why: String| CommandError::Refused(why);
        let text = pgn_in::read_games(pgn).pop().ok_or_else(|| refused("it holds no game".into()))?;
        let text = text.map_err(|e| refused(e.to_string()))?;
        if text.result != shakmaty::Outcome::Unknown {
            return Err(refused(format!("its game is over: {}", text.result)));
        }
        self.undecided = Some(self.game.start().clone());
        self.date = text.tags().date;
        self.game = Game::resume(&text, tags(&self.params, &self.date), remarks(&self.params));
        self.pace.set_quiet(false);
        Ok(())
    }

    /// Is what was learnt of the board not what the camera sees now, because the first picture was damaged, over-exposed, of another
    /// day, or had a hand in it? Then this picture is begun with instead.
    ///
    /// Until the first ply is told nothing else was learnt than how these men look where they stand, so nothing is lost, and no
    /// single picture is trusted. What covers men or squares, and what mixes their colours, makes a picture less likely in colours
    /// that are learnt in it alone. So one at rest that is likelier so than the first one was takes the memory's place, and one that
    /// shows many squares otherwise and is as likely, unless the memory says that a ply was played: a pawn's shadow is another light
    /// too. As long as no picture has borne out the first one, so does one of a position that may have come of it.
    pub(super) fn memory(&self, frame: &Frame<'_>, evidence: &LookEvidence<'_>, unsettled: Bitboard) -> Memory {
        let Some(view) = self.watch.view().filter(|view| view.goes_on()) else { return Memory::Holds };
        let alone = view.is_first_alone();
        let before_play = self.game.line().is_empty() && unsettled.is_empty();
        if !alone && !before_play {
            return Memory::Holds;
        }
        let standing = self.game.standing();
        let other = (!evidence.clear(standing)).count();
        let otherwise = other > OTHERWISE;
        let light = self.reading.light();
        let lit_otherwise = light.shaded.any() || light.gain.iter().any(|gain| gain.ln().abs() > OTHER_LIGHT);
        // Most looks show nothing new: plies are asked for only where something is.
        let shows_more =
            !otherwise && before_play && (lit_otherwise || other > 0) && !shows_a_ply(evidence, self.game.position());
        if !otherwise && !shows_more {
            return Memory::Holds;
        }
        let least = view.first_likelihood() + if otherwise { -AS_LIKELY } else { AS_LIKELY };
        // Where something lies over the board, what it shows beside that is no other position.
        let may_deceive = otherwise && (alone || evidence.hidden().is_empty());
        // Plies are tried only where they matter: one look at these men is quick.
        if !may_deceive && view.likelihood_of(frame, standing) < least {
            return Memory::Holds;
        }
        let Played { men, likelihood } = ply_by_ply(view, frame, self.game.position());
        let same_men = self.game.line().is_empty() && men == *standing;
        if same_men && unsettled.any() {
            // What moves may be damage that goes, or a hand: the picture at rest is the better beginning, or none is needed.
            return Memory::Holds;
        }
        if same_men && likelihood >= least {
            return Memory::Replaced(men);
        }
        if may_deceive && view.recognition_of(frame, &men).share >= SHOWN_BY_ITSELF {
            return Memory::Deceives;
        }
        Memory::Holds
    }

    /// The men with which the board is searched for. After a restart the board itself says which game it is, and what was
    /// played meanwhile.
    pub(super) fn men_to_find(&mut self, frame: &Frame<'_>, stamp: Stamp, events: &mut Vec<Event>) -> Board {
        let standing = || self.game.standing().clone();
        let Some(start) = self.undecided.take().filter(|_| self.watch.view().is_none()) else { return standing() };
        let searched = (!self.params.sight_stills).then_some(stamp);
        match shown(&self.watch, frame, searched, start.position().board(), &self.game) {
            Some(Shown::New) => {
                // The position is that of a start: it is legal.
                let begun = self.game.new_game(Some(&start.fen().to_string())).unwrap_or_default();
                events.extend(self.expectations.judge(begun, &self.game));
                self.date_game();
                self.game.standing().clone()
            }
            Some(Shown::Resumed(men)) => {
                self.undecided = Some(start);
                men
            }
            None => {
                let standing = standing();
                self.undecided = Some(start);
                standing
            }
        }
    }
}

/// Does a picture show, against what is remembered of the board, that a ply was played?
fn shows_a_ply(evidence: &dyn Evidence, position: &Chess) -> bool {
    let standing = evidence.log_likelihood(position.board());
    position.legal_moves().into_iter().any(|mv| {
        let mut after = position.clone();
        after.play_unchecked(mv);
        evidence.log_likelihood(after.board()) > standing + PLAYED
    })
}

/// What the picture shows while the board is not found yet: the men of `start`, or those of the `resumed` game or of a position
/// a few plies later. `None` where it shows no board, or is not to be searched.
fn shown(watch: &Watch, frame: &Frame<'_>, stamp: Option<Stamp>, start: &Board, resumed: &Game) -> Option<Shown> {
    if watch.view().is_some() || stamp.is_some_and(|stamp| !watch.may_search(stamp)) {
        return None;
    }
    let share = |begun: &Option<Begun>| begun.as_ref().map_or(0.0, |begun| begun.view.recognised());
    let (new, old) = (watch.begin(frame, start).ok(), watch.begin(frame, resumed.position().board()).ok());
    if share(&new) > share(&old) + CLEARLY_NEW {
        return Some(Shown::New);
    }
    old.map(|begun| Shown::Resumed(after(&begun.view, &begun.picture(frame), resumed)))
}

/// The men that stand after what was played until this picture of the board in `view`: found ply by ply, or from what the
/// squares tell, whichever the picture shows better.
fn after(view: &View, frame: &Frame<'_>, resumed: &Game) -> Board {
    let played = ply_by_ply(view, frame, resumed.position());
    let told = by_squares(view, frame, resumed, &played.men);
    if view.likelihood_of(frame, &told) > played.likelihood { told } else { played.men }
}

/// Men who may stand after some plies, and how likely the picture is with them.
struct Played {
    men: Board,
    likelihood: f64,
}

/// The men that the rules make of what the squares tell one by one, their colours learnt with `men` on them.
fn by_squares(view: &View, frame: &Frame<'_>, resumed: &Game, men: &Board) -> Board {
    let mut men = men.clone();
    for _ in 0..READINGS {
        let evidence = Squares::new(view.recognition_of(frame, &men).told, resumed.standing().clone());
        let mut game = resumed.clone();
        // The events are nobody's concern: the game is looked at again with all that sight knows.
        let _ = game.observe(&evidence, NOW);
        if *game.standing() == men {
            break;
        }
        men.clone_from(game.standing());
    }
    men
}

/// The men that make the picture clearly likelier with every ply.
fn ply_by_ply(view: &View, frame: &Frame<'_>, position: &Chess) -> Played {
    let shown = |positions: &[Chess]| -> Vec<Played> {
        let men: Vec<Board> = positions.iter().map(|position| position.board().clone()).collect();
        let likelihoods = view.likelihoods(frame, &men);
        men.into_iter().zip(likelihoods).map(|(men, likelihood)| Played { men, likelihood }).collect()
    };
    let mut lines = vec![position.clone()];
    let mut best = shown(&lines).remove(0);
    for _ in 0..PLIES {
        let mut next: Vec<Chess> = Vec::new();
        for position in &lines {
            for mv in position.legal_moves() {
                let mut after = position.clone();
                after.play_unchecked(mv);
                if next.iter().all(|known| known.board() != after.board()) {
                    next.push(after);
                }
            }
        }
        let mut ranked: Vec<(Played, Chess)> = shown(&next).into_iter().zip(next).collect();
        ranked.sort_by(|(a, _), (b, _)| b.likelihood.total_cmp(&a.likelihood));
        ranked.truncate(LINES);
        let is_better = ranked.first().is_some_and(|(played, _)| played.likelihood > best.likelihood + CLEARLY_PLAYED);
        if !is_better {
            break;
        }
        let (mut played, positions): (Vec<Played>, Vec<Chess>) = ranked.into_iter().unzip();
        best = played.swap_remove(0);
        lines = positions;
    }
    best
}
