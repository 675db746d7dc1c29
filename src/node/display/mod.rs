//! The display as a node: follows the boards that it can see, and serves the pages of [`crate::display`].
//!
//! A process of its own, so that nothing on a page can hold up an observer. Of an observer it uses what every client
//! does: topics, services, `/diagnostics`. Pictures are subscribed to only while somebody looks at them.
//!
//! One thread spins the node and looks for boards ([`follow`]); the runtime's threads serve pages, turn messages into
//! [words](crate::display::words) ([`translate`]), encode pictures ([`pictures`]) and put questions ([`ask`]).
//!
//! Besides the pages it serves, where its [`parameters`] ask for it, the games of the round alone, and the boards
//! as electronic boards ([`crate::eboard`]).

mod ask;
mod follow;
mod parameters;
mod pictures;
mod players;
mod translate;

use std::{
    net::SocketAddr,
    path::PathBuf,
    process::ExitCode,
    sync::Arc,
    time::{Duration, Instant},
};

use r2r::Node;
use tokio::{runtime::Runtime, task::JoinHandle};

use self::{ask::Observers, follow::Follower, parameters::Params, players::PlayersFile};
use super::{
    log::Log,
    program::{Begun, Program, begin},
};
use crate::archive::{in_folder, keeper::stem};
use crate::display::{
    Hall,
    desk::Desk,
    guard::Token,
    library::Library,
    pgn::Publisher,
    round::Round,
    routes::{games_alone, routes},
    server,
};
use crate::eboard;

/// Longest wait for messages: bounds how late the end of the node is noticed.
const SPIN: Duration = Duration::from_millis(20);
/// How often the graph is looked at for boards that have come or gone.
const LOOK_AROUND: Duration = Duration::from_millis(500);

type Failure = Box<dyn std::error::Error>;

/// Runs the node until SIGINT or SIGTERM. 0 after an orderly end, 2 when it could not start.
#[must_use]
pub fn run() -> ExitCode {
    let program = Program {
        name: "display_node",
        about: "Shows the boards as web pages, and others their games as PGN and as electronic boards.",
        topics: "Hears:  every board's topics\n\
                 Says:   the address of its pages, and the token that controlling needs\n",
    };
    program.run::<Params>(start)
}

fn start() -> Result<(), Failure> {
    let Begun { mut node, runtime, params, log, stop } = begin::<Params>("chess_display", 2)?;

    let (hall, observers) = (Hall::default(), Observers::default());
    let round = Round::new(hall.clone(), params.pgn.delay()?);
    let players = PlayersFile::open(&params.pgn.players_file, round.clone())?;
    let publisher = Publisher::new(round);
    serve_pages(&params, &runtime, &hall, &observers, &publisher, &log)?;
    if let Some(address) = params.pgn.listens_on()? {
        let at = serve(&runtime, address, games_alone(publisher))?;
        log.info(&format!("the games alone are on http://{at}/games.pgn"));
    }
    if let Some(address) = params.eboard.listens_on()? {
        let at = serve(&runtime, address, eboard::server::routes(hall.clone(), params.eboard.origins()?))?;
        log.info(&format!("the boards are electronic boards on ws://{at}/api/v1.0"));
    }
    let follower = Follower::new(&mut node, runtime.handle(), hall, observers, &params.boards, log.clone())?;
    spin(node, follower, players, &stop, &log);
    runtime.shutdown_timeout(Duration::from_millis(500));
    Ok(())
}

/// Serves the pages, and says where they are.
fn serve_pages(
    params: &Params,
    runtime: &Runtime,
    hall: &Hall,
    observers: &Observers,
    publisher: &Publisher,
    log: &Log,
) -> Result<(), Failure> {
    let token = if params.token.is_empty() { Token::random()? } else { Token::chosen(&params.token)? };
    let desk = Desk {
        hall: hall.clone(),
        controls: Some(Arc::new(observers.clone()) as _),
        library: library(&params.archive_directory, observers),
        publisher: publisher.clone(),
        token: token.clone(),
    };
    let open = serve(runtime, params.listens_on()?, routes(desk))?;
    log.info(&format!("the boards are on http://{open}/"));
    log.info(&format!("with control: http://{open}/#token={}", token.text()));
    Ok(())
}

/// Serves `routes`; returns an address under which this machine reaches them.
fn serve(runtime: &Runtime, address: SocketAddr, routes: axum::Router) -> Result<SocketAddr, Failure> {
    let listener = runtime.block_on(server::listen(address))?;
    let at = listener.local_addr()?;
    runtime.spawn(server::serve(listener, routes, std::future::pending()));
    // Everywhere is no address to open; this machine is one of everywhere.
    Ok(if at.ip().is_unspecified() { SocketAddr::new([127, 0, 0, 1].into(), at.port()) } else { at })
}

/// The archives in the folder; a board plays the newest one of its observer.
fn library(folder: &str, observers: &Observers) -> Library {
    if folder.is_empty() {
        return Library::empty();
    }
    let (folder, observers) = (PathBuf::from(folder), observers.clone());
    // A folder that is not there yet holds nothing.
    let games = move || in_folder(&folder).unwrap_or_default();
    Library::new(games, move |board, games| {
        let begin = format!("{}_", stem(&observers.name(board)?));
        // What follows is day, time and number; else it is the file of a node whose name begins the same.
        let begun = |name: &str| -> Option<Vec<u64>> {
            name.strip_prefix(&begin)?.split('_').map(|part| part.parse().ok()).collect()
        };
        games.keys().filter_map(|name| Some((begun(name)?, name))).max().map(|(_, name)| name.clone())
    })
}

/// Spins the node until a signal comes.
fn spin(mut node: Node, mut follower: Follower, mut players: PlayersFile, stop: &JoinHandle<()>, log: &Log) {
    let mut looked: Option<Instant> = None;
    while !stop.is_finished() {
        node.spin_once(SPIN);
        if looked.is_none_or(|then| then.elapsed() >= LOOK_AROUND) {
            looked = Some(Instant::now());
            follower.look_around(&mut node);
            players.look_again(log);
        }
        follower.open_eyes(&mut node);
    }
    // Nothing is asked of a node that is gone.
    follower.end();
}
