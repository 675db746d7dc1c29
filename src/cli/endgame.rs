//! `endgame`: tables of endings with few men.

mod report;

use std::path::PathBuf;

use chess_observer::{
    endgame::{
        Outcome, Probe, Syzygy,
        attributes::{Reading, values},
        generate::Table,
        men::{Man, Men},
        packed::{grow, in_place::InPlace, stored},
        probe,
        sets::{Database, Set},
        tree::Tree,
        words::deciding,
    },
    game::start::Start,
};
use serde::Serialize;
use shakmaty::{Board, Chess, Move, Position as _, Role, san::SanPlus, uci::UciMove};

use super::{Done, outputs, print_out, say};

/// Ask endgame tables, pack them, compare them with the literature.
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
    /// Generate the table from the rules, pack it in both forms, and prove both equal to it (a minute or two)
    Build {
        /// Folder for krk_stored.bin and krk_in_place.bin
        #[arg(long, value_name = "DIR", default_value = ".")]
        out: PathBuf,
    },
    /// Print the tables of docs/endgame.md: distribution, attributes, trees, sizes; all measured now
    Report(report::Args),
    /// Outcome for the side to move, moves to mate, best moves, and what decides; other endings of three men as well
    Probe {
        /// The position
        fen: String,
        /// One line of JSON: outcome, distance (null where there is none, or it is unknown), best (UCI), because
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
    match command {
        Command::Build { out } => build(out),
        Command::Report(args) => report::run(args),
        Command::Probe { fen, json, syzygy } => ask(fen, *json, syzygy.as_deref()),
    }
}

fn build(out: &std::path::Path) -> Result<Done, String> {
    let table = Table::generate(Man::Rook);
    let forms = [
        ("krk_stored.bin", stored::pack(table.weak_to_move().map(|(_, distance)| distance))),
        ("krk_in_place.bin", grow::pack(table.weak_to_move())?),
    ];
    let unpacked = stored::Unpacked::unpack(&forms[0].1);
    let asked = InPlace::open(&forms[1].1);
    let wrong =
        table.weak_to_move().filter(|&(men, d)| unpacked.distance(men) != d || asked.distance(men) != d).count();
    if wrong > 0 {
        return Err(format!(
            "the packed forms differ from the generated table at {wrong} positions: nothing was written"
        ));
    }
    for (name, bytes) in &forms {
        let path = out.join(name);
        outputs::write(&path, bytes)?;
        print_out(&format!(
            "{}: {} bytes, equal to the generated table at every position\n",
            path.display(),
            bytes.len()
        ))?;
    }
    Ok(Done::Processed)
}

#[derive(Serialize)]
struct Answer {
    outcome: &'static str,
    distance: Option<u8>,
    best: Vec<String>,
    because: Vec<String>,
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
    let because = because(position, &found);
    let text = if json {
        let best = found.best.iter().map(|mv| UciMove::from_move(*mv, start.castling_mode()).to_string()).collect();
        let outcome = match found.outcome {
            Outcome::Win => "win",
            Outcome::Draw => "draw",
            Outcome::Loss => "loss",
        };
        serde_json::to_string(&Answer { outcome, distance: found.distance, best, because })
            .map_err(|e| e.to_string())?
    } else {
        in_words(position, &found, &because)
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

fn in_words(position: &Chess, found: &Probe, because: &[String]) -> String {
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
    for (line, reason) in because.iter().enumerate() {
        text += &format!("\n{} {reason}", if line == 0 { "because" } else { "    and" });
    }
    text
}

/// King, rook and lone king, if it is this ending.
fn rook_ending(board: &Board) -> Option<Men> {
    Men::of_board(board).filter(|(_, role, _)| *role == Role::Rook).map(|(men, _, _)| men)
}

/// Which attributes decide, in words: those of the position with the lone king to move, after the first best move where
/// it is the other side's turn.
fn because(position: &Chess, found: &Probe) -> Vec<String> {
    let mut position = position.clone();
    let mut after = String::new();
    if found.outcome == Outcome::Win
        && let Some(&mv) = found.best.first()
    {
        after = format!("after {}: ", san(&position, mv));
        position.play_unchecked(mv);
    }
    let Some(men) = rook_ending(position.board()).filter(|_| !is_strong_to_move(&position)) else { return Vec::new() };
    let database = Database::transform(Table::of(Man::Rook).weak_to_move(), Set::All, Reading::Words);
    let tree = Tree::grow(&database.rows, &Set::All.attributes(), 1);
    let mut reasons = deciding(&tree, men);
    let told = tree.classify(&values(men.canonical(), Reading::Words));
    let right = InPlace::embedded().distance(men);
    if told != right {
        reasons.push("this is one of the few positions that the attributes alone tell wrong".into());
    }
    if let Some(first) = reasons.first_mut() {
        first.insert_str(0, &after);
    }
    reasons
}

fn is_strong_to_move(position: &Chess) -> bool {
    Men::of_board(position.board()).is_some_and(|(_, _, strong)| strong == position.turn())
}
