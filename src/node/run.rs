//! The observer of chess as a node: what it is made from.

use std::process::ExitCode;

use super::{
    actor::Actor,
    calibration_file::{self, CalibrationFile},
    clock::RosClock,
    game_file::{Form, GameFile},
    help,
    life::{Failure, Ground, Running, live},
    log::Log,
    outputs::Outputs,
    services,
};
use crate::{
    archive::{
        Keeper,
        keeper::{Place, stem},
    },
    board::calibration::Calibration,
    params::Params,
};

/// Runs the node until SIGINT or SIGTERM. 0 after an orderly end, 2 when it could not start, 1 when it broke.
#[must_use]
pub fn run() -> ExitCode {
    live("observer_node", help::observer, start)
}

fn start() -> Result<Running<Actor>, Failure> {
    let mut ground = Ground::<Params>::lay("chess_observer")?;
    let (node, log, params) = (&mut ground.node, ground.log.clone(), ground.params.clone());
    let name = node.fully_qualified_name()?;
    let outputs = Outputs::new(node, log.clone())?;
    let (game_file, writer) = GameFile::new(Form::Pgn, &params.pgn_directory, &name)?;
    let calibration = calibration(&params.board_calibration_file, &name, &log)?;
    let (clock, archive) = (RosClock::of(node), archive(&params, &name)?);
    let actor = Actor::new(params, outputs, game_file, calibration, clock, log)?.with_archive(archive);
    ground.begin(actor, writer, services::serve)
}

/// Where the board's place is kept, by the parameter and the node's name, and what was kept there.
fn calibration(parameter: &str, name: &str, log: &Log) -> std::io::Result<(CalibrationFile, Option<Calibration>)> {
    let variable = |name: &str| std::env::var_os(name).map(Into::into);
    let kept_at = calibration_file::place(parameter, name, variable("ROS_HOME"), variable("HOME"));
    let kept = kept_at.as_ref().and_then(|place| calibration_file::read(&place.path, log));
    Ok((CalibrationFile::new(kept_at, log.clone())?, kept))
}

/// The keeper of looks, where a folder is named for them.
fn archive(params: &Params, name: &str) -> Result<Option<Keeper>, Failure> {
    if params.archive_directory.is_empty() {
        return Ok(None);
    }
    let place = Place::Folder(params.archive_directory.clone().into(), stem(name));
    let most_bytes = params.archive_max_mb.unsigned_abs() << 20;
    let keeper = Keeper::new(place, most_bytes, params);
    Ok(Some(keeper.map_err(|e| format!("archive_directory {}: {e}", params.archive_directory))?))
}
