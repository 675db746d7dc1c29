//! Where the pictures of a game come from: a recording or the simulator. They are read or drawn once, and shown to the
//! witnesses of all protocols in one pass, for that is what costs.

use std::{
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use chess_observer::{
    bag::Item,
    game::CommandError,
    params::Params,
    sim::{STILL_S, Scene, SimError, Simulation, Story},
};

use super::{
    Protocol,
    slots::{film, held, photographed, stills},
    witness::{Picture, Witness},
};
use crate::{
    cause::Explained,
    fit::Sample,
    run::{EvalError, pictures, stamps},
    score::Score,
    simulated::{row, truth_of},
    truth::{Recording, Truth},
};

/// A game on a simulated board.
#[derive(Debug, Clone, PartialEq)]
pub struct Simulated {
    /// What it is called in the figures.
    pub name: String,
    /// What happens at the board.
    pub story: Story,
    /// What it looks like.
    pub scene: Scene,
    /// What chance decides follows from this number.
    pub seed: u64,
}

/// Where a game's pictures come from.
#[derive(Debug, Clone, PartialEq)]
pub enum Source {
    /// The folder of a recording.
    Recording(PathBuf),
    /// The simulator.
    Simulated(Box<Simulated>),
}

/// What came of a game under one protocol.
#[derive(Debug)]
pub struct Shown {
    /// The protocol.
    pub protocol: Protocol,
    /// The figures.
    pub score: Score,
    /// Every fault with its cause.
    pub faults: Vec<Explained>,
    /// What was seen at every look, where that was asked for.
    pub samples: Vec<Sample>,
}

/// Why a source cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// Its truth or its pictures cannot be read.
    #[error(transparent)]
    Recording(#[from] EvalError),
    /// The simulator refuses the scene or the story.
    #[error("{name}: {source}")]
    Simulation {
        /// The game.
        name: String,
        /// Why.
        source: SimError,
    },
    /// The observer refuses the first position.
    #[error("{name}: {source}")]
    Start {
        /// The game.
        name: String,
        /// Why.
        source: CommandError,
    },
}

/// How a source is shown.
#[derive(Debug, Clone)]
pub struct Showing<'a> {
    /// The protocols; those for which a recording lacks times are left out.
    pub protocols: &'a [Protocol],
    /// The game is cut off after so many plies.
    pub plies: usize,
    /// What the observers start with.
    pub params: &'a Params,
    /// Noise and holding times follow from this number.
    pub seed: u64,
    /// Samples of all looks are wanted.
    pub samples: bool,
}

impl Source {
    /// What it is called.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Recording(path) => file_name(path),
            Self::Simulated(of) => of.name.clone(),
        }
    }

    /// Shows the game under all protocols. `tick` is called after each picture of the source and may end the show: then
    /// there are no figures.
    ///
    /// # Errors
    /// When the recording cannot be read, or the scene, the story or the first position is refused.
    pub fn show(
        &self,
        how: &Showing<'_>,
        tick: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Option<Vec<Shown>>, SourceError> {
        match self {
            Self::Recording(path) => recording(path, how, tick),
            Self::Simulated(of) => simulated(of, how, tick),
        }
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn finish(witnesses: Vec<Witness>) -> Vec<Shown> {
    witnesses.into_iter().map(Witness::finish).collect()
}

fn recording(
    path: &Path,
    how: &Showing<'_>,
    tick: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<Option<Vec<Shown>>, SourceError> {
    let mut recording = Recording::open(path).map_err(EvalError::from)?;
    let (mut source, _) = pictures(&recording, &stamps(&recording.truth))?;
    cut_off(&mut recording.truth, how.plies);
    let truth = &recording.truth;
    let mut witnesses = vec![];
    for &protocol in how.protocols {
        let Some(slots) = slots(&recording, protocol, how.seed) else { continue };
        let witness = Witness::new(protocol, slots, truth, how)
            .map_err(|source| SourceError::Start { name: truth.name.clone(), source })?;
        witnesses.push(witness);
    }
    while let Some(item) = source.next_item().map_err(EvalError::from)? {
        let Item::Picture(picture) = item else { continue };
        let number = picture.index;
        let Some(row) = truth.rows.get(number) else { break };
        if witnesses.iter_mut().any(|witness| witness.wants(number)) {
            // What cannot be decoded is shown to nobody.
            if let Some(image) = picture.decode().ok().and_then(|d| Some(d.frame().ok()?.to_rgb())) {
                let corners = truth.corners.get(number).copied().flatten();
                let men = truth.placements.get(number).and_then(Option::as_ref);
                let picture = Picture { image: &image, row, corners, men };
                witnesses.iter_mut().for_each(|witness| witness.see(number, picture));
            }
        }
        if tick().is_break() {
            return Ok(None);
        }
    }
    Ok(Some(finish(witnesses)))
}

/// Leaves the pictures up to this ply.
fn cut_off(truth: &mut Truth, plies: usize) {
    let rows = truth.rows.iter().position(|row| row.let_go > plies).unwrap_or(truth.rows.len());
    truth.rows.truncate(rows);
    truth.plies.truncate(truth.rows.iter().map(|row| row.let_go).max().unwrap_or(0));
}

/// The pictures of a recording under a protocol; `None` where it lacks the times for that.
fn slots(recording: &Recording, protocol: Protocol, seed: u64) -> Option<Vec<super::slots::Slot>> {
    let rows = &recording.truth.rows;
    let times: Option<Vec<f64>> = rows.iter().map(|row| Some(row.time_ms? as f64 * 1e-3)).collect();
    let filmed = times.as_deref().filter(|_| recording.film);
    let chosen: Vec<usize> = if filmed.is_some() { photographed(rows) } else { (0..rows.len()).collect() };
    match protocol {
        Protocol::Stills => Some(stills(&chosen, Some(times.as_deref()?))),
        Protocol::Untimed => Some(stills(&chosen, None)),
        Protocol::Film(in_ten_s) => {
            let rate_hz = f64::from(in_ten_s) / 10.0;
            Some(match filmed {
                Some(times) => film(times, times.last().copied().unwrap_or(0.0), rate_hz),
                None => {
                    let (begin_s, end_s) = held(rows, seed);
                    film(&begin_s, end_s, rate_hz)
                }
            })
        }
    }
}

fn simulated(
    of: &Simulated,
    how: &Showing<'_>,
    tick: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<Option<Vec<Shown>>, SourceError> {
    let mut story = of.story.clone();
    story.moves.truncate(how.plies);
    story.incidents.retain(|incident| incident.ply < how.plies);
    let refused = |source| SourceError::Simulation { name: of.name.clone(), source };
    let mut all = vec![];
    for are_stills in [true, false] {
        let mut simulation = Simulation::new(&of.scene, story.clone(), of.seed).map_err(refused)?;
        if are_stills {
            simulation = simulation.stills();
        }
        let (truth, count) = (truth_of(&of.name, &simulation), simulation.frames());
        let period_s = if are_stills { STILL_S } else { 1.0 / of.scene.camera.frame_rate_hz };
        let times: Vec<f64> = (0..count).map(|i| i as f64 * period_s).collect();
        let every: Vec<usize> = (0..count).collect();
        let slots = |protocol: Protocol| match protocol {
            Protocol::Stills => stills(&every, Some(&times)),
            Protocol::Untimed => stills(&every, None),
            Protocol::Film(in_ten_s) => film(&times, times.last().copied().unwrap_or(0.0), f64::from(in_ten_s) / 10.0),
        };
        let wanted = how.protocols.iter().filter(|protocol| protocol.is_stills() == are_stills);
        let witness = |&protocol: &Protocol| Witness::new(protocol, slots(protocol), &truth, how);
        let witnesses: Result<Vec<Witness>, CommandError> = wanted.map(witness).collect();
        let mut witnesses = witnesses.map_err(|source| SourceError::Start { name: of.name.clone(), source })?;
        if witnesses.is_empty() {
            continue;
        }
        for (number, frame) in simulation.enumerate() {
            let row = row(number, &frame, frame.stamp);
            let (corners, men) = (Some(frame.corners), Some(&frame.placement));
            let picture = Picture { image: &frame.image, row: &row, corners, men };
            witnesses.iter_mut().for_each(|witness| witness.see(number, picture));
            if tick().is_break() {
                return Ok(None);
            }
        }
        all.extend(finish(witnesses));
    }
    Ok(Some(all))
}
