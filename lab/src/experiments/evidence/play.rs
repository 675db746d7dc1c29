//! A game shown to the rules alone: what stands on the board goes to [`Game::observe`] without a picture.

use std::time::Instant;

use chess_observer::{
    event::Event,
    game::{Game, Look, Tags},
    replay::Report,
    sim::{
        Scene, Story, What,
        dice::Dice,
        play::{
            cast::{Cast, Task},
            habits::after,
            script::{Act, Script, ScriptError, State},
        },
        scene::Habits,
    },
};
use serde::{Deserialize, Serialize};
use shakmaty::{Board, Chess, Move, Position as _, Role, Square, uci::UciMove};

use super::told::{Doubt, Told};
use crate::{
    experiments::lab,
    interval::Rate,
    score::{Hindsight, score},
    simulated::{ShowError, Shown},
    squares::Tally,
    truth::{Row, Truth},
};

/// Looks at the last position of a game beyond those at the others: men stay for a while when a game is over.
const LOOKS_AT_THE_END: usize = 3;
/// The squares that kings are put on to tell a result.
const CENTRAL: [Square; 4] = [Square::E4, Square::D5, Square::D4, Square::E5];
/// Least confidence of a move: the observer's default.
const MIN_CONFIDENCE: f64 = 0.95;
/// What the dice decide.
const PURPOSE: u64 = 0xe51d;

/// When the board is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Looks {
    /// So many times after every act of a hand, with patience at the last one: for a warning a position must stand.
    Each(usize),
    /// The same with patience from the second one on: what stands longer is looked at again.
    Again(usize),
    /// After every so many plies and one more, and after the last, so many times, with patience.
    Missing(usize, usize),
    /// Twice after every act, and once whenever a hand has lifted a man or set one down before it.
    Making,
}

/// How games are shown.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Setting {
    /// Name of the run.
    pub name: String,
    pub doubt: Doubt,
    pub looks: Looks,
    /// What happens beside the moves.
    pub habits: Habits,
}

/// A game as it was understood.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Played {
    pub shown: Shown,
    /// Looks at the position of the game after some ply: of those, where the final record has the same position then.
    pub positions: Rate,
    /// The same of the record that all looks together make likeliest.
    pub positions_in_hindsight: Rate,
    /// Illegal attempts: announced exactly once.
    pub once: Rate,
    /// Of those announced: said to be restored when they had been put right.
    pub restored: Rate,
    /// Most placements that one look scored.
    pub most_scored: usize,
}

impl Played {
    /// Plies that are right in the record that all looks together make likeliest.
    pub fn in_hindsight(&self) -> Rate {
        let score = &self.shown.score;
        Rate::new(score.hindsight.map_or(0, |hindsight| hindsight.right), score.plies)
    }
}

/// What one look sees.
struct Sight {
    men: Board,
    row: Row,
    patient: bool,
}

/// Shows a game; `seed` decides all that chance does.
///
/// # Errors
/// When the story cannot be carried out.
pub(super) fn play(game: &lab::Game, setting: &Setting, seed: u64) -> Result<Played, ShowError> {
    let begin = Instant::now();
    let start = &game.story.start;
    let mode = start.castling_mode();
    let mut truth = Truth {
        name: game.name.clone(),
        start_fen: (!start.is_usual()).then(|| start.fen().to_string()),
        plies: game.story.moves.iter().map(|&m| UciMove::from_move(m, mode).to_string()).collect(),
        ..Truth::default()
    };
    // Of the story its moves alone: what happens beside them is the setting's.
    let plain = Story { incidents: vec![], ..game.story.clone() };
    let scene = Scene { habits: setting.habits.clone(), ..Scene::default() };
    let mut story = setting.habits.embellish(plain, seed);
    let stood = played_out(game);
    story.incidents.retain(
        |i| !matches!(&i.what, What::Illegal(hands) if half_made(&stood[i.ply], &after(stood[i.ply].board(), hands))),
    );
    let script = Script::new(&scene, &story, seed).map_err(|e: ScriptError| ShowError::Script(e.to_string()))?;
    let mut dice = Dice::new(seed, PURPOSE);
    let mut observed = Game::new(start.clone(), Tags::default());
    observed.keep_looks();
    let (mut events, mut most_scored) = (vec![], 0);
    for (index, sight) in sights(&script, setting.looks).into_iter().enumerate() {
        let reference = observed.standing().clone();
        let told = Told::new(&sight.men, &reference, setting.doubt, &mut dice);
        let look = Look {
            settled: true,
            patient: sight.patient,
            forced: false,
            passing: false,
            min_confidence: MIN_CONFIDENCE,
        };
        events.extend(observed.observe(&told, look).events.into_iter().map(|event| (index, event)));
        most_scored = most_scored.max(observed.scored());
        truth.rows.push(sight.row);
        truth.placements.push(Some(sight.men));
    }
    let report = Report { pictures: truth.rows.len() as u64, total: begin.elapsed(), ..Report::default() };
    let mut score = score(&truth, &events, &report);
    let hindsight = observed.in_hindsight();
    score.hindsight = Some(Hindsight::of(&truth, &hindsight));
    let positions_in_hindsight = positions(&truth, &stood, &hindsight);
    let positions = positions(&truth, &stood, &observed);
    let (once, restored) = incidents(&truth, &events);
    let shown = Shown {
        truth,
        events,
        corner_errors: vec![],
        squares: Tally::default(),
        score,
        drawing: std::time::Duration::ZERO,
        observing: begin.elapsed(),
    };
    Ok(Played { shown, positions, positions_in_hindsight, once, restored, most_scored })
}

/// What is seen, look by look.
fn sights(script: &Script, looks: Looks) -> Vec<Sight> {
    let mut sights = vec![];
    let mut see = |men: &Board, act: Option<&Act>, state: &str, patient: bool| {
        let row = Row {
            frame: sights.len().to_string(),
            time_ms: None,
            ply: act.map_or(0, |a| a.plies),
            let_go: act.map_or(0, |a| a.plies),
            event: act.map_or("start".into(), |a| a.after.word.to_string()),
            uci: act.map_or_else(String::new, |a| a.after.uci.clone()),
            state: state.into(),
        };
        sights.push(Sight { men: men.clone(), row, patient });
    };
    let mut cast = script.cast.clone();
    let last = script.acts.len().saturating_sub(1);
    see(&cast.placement(), None, "clean", true);
    for (index, act) in script.acts.iter().enumerate() {
        if looks == Looks::Making {
            for men in on_the_way(&cast, &act.tasks) {
                see(&men, Some(act), "hand", true);
            }
        }
        for task in &act.tasks {
            cast.perform(*task);
        }
        let men = cast.placement();
        let end = if index == last { LOOKS_AT_THE_END } else { 0 };
        let (count, patient_from) = match looks {
            Looks::Each(count) => (count, count),
            Looks::Again(count) => (count, 2),
            Looks::Making => (2, 2),
            Looks::Missing(plies, count) => (count * usize::from(act.plies.is_multiple_of(plies + 1)), 1),
        };
        for look in 1..=count + end {
            // What is half made does not stand long enough for a warning.
            see(&men, Some(act), act.state.word(), look >= patient_from && act.state == State::Clean);
        }
    }
    sights
}

/// What stands on the board while a hand is at an act: each man lifted and set down, the last one excepted.
fn on_the_way(cast: &Cast, tasks: &[Task]) -> Vec<Board> {
    let mut cast = cast.clone();
    let mut way = vec![];
    for task in tasks {
        let mut men = cast.placement();
        for man in task.men() {
            if let Some(square) = men.occupied().into_iter().find(|&square| cast.on(square) == Some(man)) {
                men.discard_piece_at(square);
                way.push(men.clone());
            }
        }
        cast.perform(*task);
        way.push(cast.placement());
    }
    way.pop();
    way
}

/// May this be what stands while something allowed is being done? A man gone is a man lifted, a king on its way may be
/// castling or telling a result: no look tells them from the illegal change.
fn half_made(position: &Chess, men: &Board) -> bool {
    let before = position.board();
    let changed: Vec<Square> = Square::ALL.into_iter().filter(|&s| before.piece_at(s) != men.piece_at(s)).collect();
    let king = |&to: &Square| men.role_at(to) == Some(Role::King);
    match changed.as_slice() {
        [one] => men.piece_at(*one).is_none(),
        two @ [_, _] => two.iter().filter(|s| king(s)).any(|&to| {
            let castles = |m: &Move| m.castling_side().is_some_and(|side| side.king_to(position.turn()) == to);
            CENTRAL.contains(&to) || (before.piece_at(to).is_none() && position.legal_moves().iter().any(castles))
        }),
        _ => false,
    }
}

/// The positions of a game, the first and the last one included.
fn played_out(game: &lab::Game) -> Vec<Chess> {
    let mut position = game.story.start.position().clone();
    let mut all = vec![position.clone()];
    for &mv in &game.story.moves {
        position.play_unchecked(mv);
        all.push(position.clone());
    }
    all
}

/// Plies after which somebody looked: those after which the final record has the position that stood there.
fn positions(truth: &Truth, stood: &[Chess], game: &Game) -> Rate {
    let clean = truth.rows.iter().filter(|row| row.state == "clean" && !row.event.starts_with("illegal"));
    let mut seen: Vec<usize> = clean.map(|row| row.ply).filter(|&ply| ply > 0).collect();
    seen.dedup();
    let right =
        |ply: &&usize| **ply <= game.plies().len() && stood.get(**ply) == Some(game.line().position_after(**ply));
    Rate::new(seen.iter().filter(right).count(), seen.len())
}

/// Of the illegal attempts: those that were announced exactly once; of those announced: told restored afterwards.
fn incidents(truth: &Truth, events: &[(usize, Event)]) -> (Rate, Rate) {
    let (mut once, mut restored, mut announced, mut of) = (0, 0, 0, 0);
    for incident in crate::score::incidents(truth).iter().filter(|i| i.shown) {
        of += 1;
        let here = |test: fn(&Event) -> bool| {
            // Put right at the look after the last one of it at the latest.
            let until = incident.pictures.end + 1;
            let of_it = |frame: &usize| (incident.pictures.start..until).contains(frame);
            events.iter().filter(|(frame, event)| of_it(frame) && test(event)).count()
        };
        let told = here(|event| matches!(event, Event::Illegal { .. }));
        once += usize::from(told == 1);
        announced += usize::from(told > 0);
        restored += usize::from(told > 0 && here(|event| matches!(event, Event::Restored)) == 1);
    }
    (Rate::new(once, of), Rate::new(restored, announced))
}
