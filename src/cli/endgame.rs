//! `endgame`: tables of endings with few men.

use chess_observer::{
    endgame::{Outcome, Probe, Syzygy, probe},
    game::start::Start,
};
use serde::Serialize;
use shakmaty::{Chess, Move, Position as _, san::SanPlus, uci::UciMove};

use super::{Done, print_out, say};

/// Ask endgame tables.
///
/// Exit status: 0 answered, 2 unusable arguments, or a position that is in no table.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    ending: Ending,
}

#[derive(Debug, clap::Subcommand)]
enum Ending {
    /// King and rook against king
    #[command(subcommand)]
    Krk(Command),
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Outcome for the side to move, moves to mate, best moves; other endings of three men as well
    Probe {
        /// The position
        fen: String,
        /// One line of JSON: outcome, distance (null where there is none, or it is unknown), best (UCI)
        #[arg(long)]
        json: bool,
        /// Folder with Syzygy tables for more men: the outcome only
        #[arg(long, value_name = "DIR")]
        syzygy: Option<String>,
    },
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Done, String> {
    let Ending::Krk(command) = &args.ending;
    let Command::Probe { fen, json, syzygy } = command;
    ask(fen, *json, syzygy.as_deref())
}

#[derive(Serialize)]
struct Answer {
    outcome: &'static str,
    distance: Option<u8>,
    best: Vec<String>,
}

fn ask(fen: &str, json: bool, syzygy: Option<&str>) -> Result<Done, String> {
    let start = Start::from_fen(fen).map_err(|e| e.to_string())?;
    let position = start.position();
    let found = match (probe(position), syzygy) {
        (Some(found), _) => Some(found),
        (None, None) => None,
        (None, Some(directory)) => {
            let (tables, fault) = Syzygy::open(directory);
            if let Some(fault) = fault {
                say(&fault.to_string());
            }
            tables.probe(position)
        }
    };
    let found = found.ok_or_else(|| why_unknown(position, syzygy.is_some()))?;
    let text = if json {
        let best = found.best.iter().map(|mv| UciMove::from_move(*mv, start.castling_mode()).to_string()).collect();
        let outcome = match found.outcome {
            Outcome::Win => "win",
            Outcome::Draw => "draw",
            Outcome::Loss => "loss",
        };
        serde_json::to_string(&Answer { outcome, distance: found.distance, best }).map_err(|e| e.to_string())?
    } else {
        in_words(position, &found)
    };
    print_out(&format!("{text}\n"))?;
    Ok(Done::Processed)
}

fn why_unknown(position: &Chess, syzygy: bool) -> String {
    let men = position.board().occupied().count();
    if position.castles().any() {
        return "endgame tables do not know positions in which castling is possible".into();
    }
    let more = if syzygy { "and the Syzygy tables do not hold these men" } else { "more with --syzygy DIR" };
    format!("in no table: expected a king against a king and at most one man, got {men} men; {more}")
}

fn san(position: &Chess, mv: Move) -> String {
    SanPlus::from_move(position.clone(), mv).to_string()
}

fn in_words(position: &Chess, found: &Probe) -> String {
    let turn = position.turn();
    let name = |white: bool| if white { "White" } else { "Black" };
    let winner = if found.outcome == Outcome::Win { turn } else { !turn };
    let mut text = match (found.outcome, found.distance) {
        (Outcome::Draw, _) if position.is_stalemate() => "draw: stalemate".into(),
        (Outcome::Draw, _) => "draw".into(),
        (_, Some(0)) => format!("checkmate: {} has won", name(winner.is_white())),
        (_, Some(distance)) => {
            format!("{} to move: {} mates in {distance}", name(turn.is_white()), name(winner.is_white()))
        }
        (_, None) => format!("{} to move: {} wins", name(turn.is_white()), name(winner.is_white())),
    };
    if !found.best.is_empty() {
        let best: Vec<String> = found.best.iter().map(|&mv| san(position, mv)).collect();
        text += &format!("\nbest: {}", best.join(" "));
    }
    text
}
