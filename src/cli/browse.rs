//! `browse`: kept looks as web pages.

use std::{
    collections::BTreeMap,
    fs,
    net::{IpAddr, SocketAddr},
    path::PathBuf,
    time::Duration,
};

use chess_observer::{
    archive::{Archive, EXTENSION, in_folder},
    display::{
        Hall,
        desk::Desk,
        guard::Token,
        library::Library,
        pgn::Publisher,
        recorded,
        round::{Delay, Round},
        routes::routes,
        server,
    },
};

use super::{Done, print_out, say, stopped};

/// How soon Ctrl-C is noticed.
const NOTICED: Duration = Duration::from_millis(100);

/// Show kept looks as web pages: the games, every look with its picture and evidence, fault reports to download.
///
/// Serves until Ctrl-C and prints the address to open. Nothing is changed, and nothing is loaded from elsewhere.
/// Exit status: 0 ended by Ctrl-C, 2 unusable input or arguments.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// An archive (.looks), as the node's archive_directory or replay --archive make it, or a folder with several
    archive: PathBuf,
    /// Address to listen on; 0.0.0.0 is every network of this machine
    #[arg(long, value_name = "IP", default_value = "127.0.0.1")]
    address: IpAddr,
    /// Port to listen on; 0 takes a free one
    #[arg(long, value_name = "PORT", default_value_t = 8080)]
    port: u16,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Done, String> {
    let (hall, mut known) = (Hall::default(), BTreeMap::new());
    for (id, path) in files(args)? {
        match Archive::open(&path).and_then(|archive| recorded::tell(&hall, &id, &archive)) {
            Ok(()) => drop(known.insert(id, path)),
            // Among several a damaged one costs itself only.
            Err(error) if args.archive.is_dir() => say(&format!("left out: {error}")),
            Err(error) => return Err(error.to_string()),
        }
    }
    if known.is_empty() {
        return Err(format!("{}: expected an archive ({EXTENSION}) or a folder with some", args.archive.display()));
    }
    let games = known.len();
    let library =
        Library::new(move || known.clone(), |board, games| games.contains_key(board).then(|| board.to_owned()));
    let token = Token::random().map_err(|e| format!("no random numbers: {e}"))?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|e| e.to_string())?;
    let listener = runtime.block_on(server::listen(SocketAddr::new(args.address, args.port)))?;
    let at = listener.local_addr().map_err(|e| e.to_string())?;
    let open = if at.ip().is_unspecified() { SocketAddr::new([127, 0, 0, 1].into(), at.port()) } else { at };
    print_out(&format!("{games} {} on http://{open}/ (Ctrl-C ends it)\n", if games == 1 { "game" } else { "games" }))?;
    let publisher = Publisher::new(Round::new(hall.clone(), Delay::default()));
    let ended = async {
        while !stopped() {
            tokio::time::sleep(NOTICED).await;
        }
    };
    let desk = Desk { hall, controls: None, library, publisher, token };
    runtime.block_on(server::serve(listener, routes(desk), ended));
    runtime.shutdown_timeout(Duration::from_millis(500));
    Ok(Done::Processed)
}

/// The archive, or those in the folder, by name.
fn files(args: &Args) -> Result<BTreeMap<String, PathBuf>, String> {
    let path = &args.archive;
    let fault = |e: std::io::Error| format!("{}: {e}", path.display());
    if fs::metadata(path).map_err(fault)?.is_dir() {
        return in_folder(path).map_err(fault);
    }
    let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or("game").to_owned();
    Ok(BTreeMap::from([(name, path.clone())]))
}
