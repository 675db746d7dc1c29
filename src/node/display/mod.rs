//! The display as a node: follows the boards that it can see, and serves the pages of [`crate::display`].
//!
//! A process of its own, so that nothing on a page can hold up an observer. Of an observer it uses what every client
//! does: topics, services, `/diagnostics`. Pictures are subscribed to only while somebody looks at them.
//!
//! One thread spins the node and looks for boards ([`follow`]); the runtime's threads serve pages, turn messages into
//! [words](crate::display::words) ([`translate`]), encode pictures ([`pictures`]) and put questions ([`ask`]).

mod ask;
mod follow;
mod pictures;
mod translate;

use std::{
    net::{IpAddr, SocketAddr},
    path::PathBuf,
    process::ExitCode,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use r2r::{Node, RosParams};
use tokio::{
    runtime::Runtime,
    signal::unix::{SignalKind, signal},
};

use self::{ask::Observers, follow::Follower};
use super::{arguments::RosArguments, log::Log, run::context};
use crate::archive::{in_folder, keeper::stem};
use crate::display::{
    Hall,
    guard::Token,
    kept::Library,
    routes::{Desk, routes},
    server,
};

/// Longest wait for messages: bounds how late the end of the node is noticed.
const SPIN: Duration = Duration::from_millis(20);
/// How often the graph is looked at for boards that have come or gone.
const LOOK_AROUND: Duration = Duration::from_millis(500);

#[derive(RosParams, Debug, Clone)]
struct Params {
    /// Namespaces of the boards to show, separated by spaces; empty shows all that can be seen.
    boards: String,
    /// Address to listen on; 0.0.0.0 is every network of this machine.
    address: String,
    /// Port to listen on, 0 to 65535; 0 takes a free one.
    port: i64,
    /// Word that controlling needs, at least 8 signs; empty makes one by chance and prints it.
    token: String,
    /// Folder in which the observers keep their looks (their archive_directory); empty shows none.
    archive_directory: String,
    /// Follow /clock instead of the system's time; times on the pages are those of the pictures either way.
    use_sim_time: bool,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            boards: String::new(),
            address: "127.0.0.1".into(),
            port: 8080,
            token: String::new(),
            archive_directory: String::new(),
            use_sim_time: false,
        }
    }
}

type Failure = Box<dyn std::error::Error>;

/// Runs the node until SIGINT or SIGTERM. 0 after an orderly end, 2 when it could not start.
#[must_use]
pub fn run() -> ExitCode {
    match start() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("display_node: {error}");
            ExitCode::from(2)
        }
    }
}

fn start() -> Result<(), Failure> {
    RosArguments::parse(std::env::args())?.check_files()?;
    let mut node = Node::create(context()?, "chess_display", "")?;
    super::log::bridge_r2r();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let params = Arc::new(Mutex::new(Params::default()));
    let (services, _) = node.make_derived_parameter_handler(params.clone())?;
    runtime.spawn(services);
    let params = params.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let log = Log::new(node.logger());

    let token = if params.token.is_empty() { Token::random()? } else { Token::chosen(&params.token)? };
    let listener = runtime.block_on(server::listen(address(&params)?))?;
    let (hall, observers) = (Hall::default(), Observers::default());
    let controls = Some(Arc::new(observers.clone()) as _);
    let at = listener.local_addr()?;
    runtime.spawn(server::serve(
        listener,
        routes(Desk {
            hall: hall.clone(),
            controls,
            library: library(&params.archive_directory, &observers),
            token: token.clone(),
        }),
        std::future::pending(),
    ));
    // Everywhere is no address to open; this machine is one of everywhere.
    let open = if at.ip().is_unspecified() { SocketAddr::new([127, 0, 0, 1].into(), at.port()) } else { at };
    log.info(&format!("the boards are on http://{open}/"));
    log.info(&format!("with control: http://{open}/#token={}", token.text()));

    let follower = Follower::new(&mut node, runtime.handle(), hall, observers, &params.boards, log)?;
    spin(node, follower, &runtime);
    runtime.shutdown_timeout(Duration::from_millis(500));
    Ok(())
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

fn address(params: &Params) -> Result<SocketAddr, String> {
    let ip: IpAddr = params
        .address
        .parse()
        .map_err(|_| format!("parameter address: expected an IP address, got {:?}", params.address))?;
    let port = u16::try_from(params.port)
        .map_err(|_| format!("parameter port: expected a number from 0 to 65535, got {}", params.port))?;
    Ok(SocketAddr::new(ip, port))
}

/// Spins the node until a signal comes.
fn spin(mut node: Node, mut follower: Follower, runtime: &Runtime) {
    let stop = runtime.spawn(async {
        let (Ok(mut interrupt), Ok(mut terminate)) = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
        else {
            return;
        };
        tokio::select! { _ = interrupt.recv() => (), _ = terminate.recv() => () }
    });
    let mut looked: Option<Instant> = None;
    while !stop.is_finished() {
        node.spin_once(SPIN);
        if looked.is_none_or(|then| then.elapsed() >= LOOK_AROUND) {
            looked = Some(Instant::now());
            follower.look_around(&mut node);
        }
        follower.open_eyes(&mut node);
    }
    // Nothing is asked of a node that is gone.
    follower.end();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_checked() {
        let with = |address: &str, port| super::address(&Params { address: address.into(), port, ..Params::default() });
        assert_eq!(with("127.0.0.1", 8080), Ok("127.0.0.1:8080".parse().unwrap()));
        assert_eq!(with("::1", 0), Ok("[::1]:0".parse().unwrap()));
        assert_eq!(with("tower", 80), Err("parameter address: expected an IP address, got \"tower\"".into()));
        assert_eq!(with("::1", 70_000), Err("parameter port: expected a number from 0 to 65535, got 70000".into()));
    }
}
