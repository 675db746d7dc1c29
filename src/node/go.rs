//! The node that watches a Go board: pictures in; plays, the board, SGF, warnings and the overlay out.
//!
//! It lives as the observer of chess does (`node::life`); here is what it is made from.

mod actor;
mod outputs;
mod status;
mod told;

use std::{process::ExitCode, sync::Arc};

use r2r::{
    Node,
    std_srvs::srv::{SetBool, Trigger},
};
use tokio::runtime::Handle;

use self::{actor::GoActor, outputs::Outputs};
use super::{
    clock::RosClock,
    game_file::{Form, GameFile},
    help,
    inbox::Inbox,
    life::{Failure, Ground, Running, live},
    services::{offer, split},
};
use crate::{
    go::{Rules, Size, record::Info},
    observer::go::{GoObserver, Settings},
    params::go::Params,
};

/// Runs the node until SIGINT or SIGTERM. 0 after an orderly end, 2 when it could not start, 1 when it broke.
#[must_use]
pub fn run() -> ExitCode {
    live("go_node", help::go, start)
}

fn start() -> Result<Running<GoActor>, Failure> {
    let mut ground = Ground::<Params>::lay("go_observer")?;
    let (node, log, params) = (&mut ground.node, ground.log.clone(), ground.params.clone());
    let observer = GoObserver::new(settings(&params)).map_err(|e| format!("parameter board.corners: {e}"))?;
    let outputs = Outputs::new(node, log.clone())?;
    let (game_file, writer) = GameFile::new(Form::Sgf, &params.sgf_directory, &node.fully_qualified_name()?)?;
    let clock = RosClock::of(node);
    let actor = GoActor::new(observer, outputs, game_file, params.game_resume, clock, log);
    ground.begin(actor, writer, serve)
}

/// How the parameters want the game to be observed.
fn settings(params: &Params) -> Settings {
    // The table accepts no other size, and no other rules.
    let size = u64::try_from(params.board_size).ok().and_then(|lines| Size::new(lines).ok());
    let info = Info {
        black: params.game_black.clone(),
        white: params.game_white.clone(),
        event: params.game_event.clone(),
        round: params.game_round.clone(),
        rules: Rules::named(&params.game_rules).unwrap_or_default(),
        komi: Some(params.game_komi),
        ..Info::default()
    };
    Settings {
        size,
        corners_px: params.corners_px(),
        info,
        stills: params.sight_stills,
        min_confidence: params.game_min_confidence,
        rest_s: params.sight_rest_s,
        warn_after_s: params.sight_warn_after_s,
        ..Settings::default()
    }
}

/// Offers the services of the node.
fn serve(node: &mut Node, runtime: &Handle, inbox: &Arc<Inbox<GoActor>>) -> r2r::Result<()> {
    offer::<Trigger::Service, _>(node, runtime, inbox, "~/capture", |actor, _| {
        let (success, message) = split(actor.capture());
        Trigger::Response { success, message }
    })?;
    offer::<Trigger::Service, _>(node, runtime, inbox, "~/new_game", |actor, _| {
        let (success, message) = split(actor.new_game());
        Trigger::Response { success, message }
    })?;
    offer::<SetBool::Service, _>(node, runtime, inbox, "~/pause", |actor, request| {
        let (success, message) = split(actor.pause(request.data));
        SetBool::Response { success, message }
    })
}
