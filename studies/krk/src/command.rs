//! The program `krk`: what it is asked, and what it answers.

use std::path::{Path, PathBuf};

use chess_observer::{
    VERSION,
    endgame::{
        Outcome,
        generate::Table,
        men::{Man, Men},
        probe,
    },
    game::start::Start,
    program::outputs,
};
use clap::Parser;
use shakmaty::{Board, Chess, Position as _, Role, san::SanPlus};

use crate::{
    attributes::{Reading, values},
    packed::{grow, in_place::InPlace, stored},
    report,
    sets::{Database, Set},
    tree::Tree,
    words::deciding,
};

/// The table of king and rook against king: packs it, compares it with the literature, says what decides.
///
/// Exit status: 0 answered, 2 unusable arguments, or a position of another ending.
#[derive(Debug, Parser)]
#[command(name = "krk", version = VERSION, max_term_width = 110)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
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
    /// Which attributes decide a position, in words (`chess_observer endgame krk probe` tells who mates, and in how many)
    Why {
        /// The position
        fen: String,
        /// One line of JSON: a list of the reasons
        #[arg(long)]
        json: bool,
    },
}

impl Args {
    /// Does what is asked; what there is to print.
    ///
    /// # Errors
    /// In words, when a file cannot be written, or the position is of another ending.
    pub fn answer(&self) -> Result<String, String> {
        match &self.command {
            Command::Build { out } => build(out),
            Command::Report(args) => Ok(report::text(args)),
            Command::Why { fen, json } => why(fen, *json),
        }
    }
}

fn build(out: &Path) -> Result<String, String> {
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
    let mut text = String::new();
    for (name, bytes) in &forms {
        let path = out.join(name);
        outputs::write(&path, bytes)?;
        text += &format!("{}: {} bytes, equal to the generated table at every position\n", path.display(), bytes.len());
    }
    Ok(text)
}

fn why(fen: &str, json: bool) -> Result<String, String> {
    let start = Start::from_fen(fen).map_err(|e| e.to_string())?;
    let reasons = because(start.position())?;
    if json {
        return serde_json::to_string(&reasons).map(|text| text + "\n").map_err(|e| e.to_string());
    }
    let line = |(line, reason)| format!("{} {reason}\n", if line == 0 { "because" } else { "    and" });
    Ok(reasons.iter().enumerate().map(line).collect())
}

/// King, rook and lone king, if it is this ending.
fn rook_ending(board: &Board) -> Option<Men> {
    Men::of_board(board).filter(|(_, role, _)| *role == Role::Rook).map(|(men, _, _)| men)
}

/// Which attributes decide, in words: those of the position with the lone king to move, after the first best move where
/// it is the other side's turn.
fn because(position: &Chess) -> Result<Vec<String>, String> {
    let other = || "expected a king and a rook against a king, and no castling".to_owned();
    let found = probe(position).ok_or_else(other)?;
    rook_ending(position.board()).ok_or_else(other)?;
    let mut position = position.clone();
    let mut after = String::new();
    if found.outcome == Outcome::Win
        && let Some(&mv) = found.best.first()
    {
        after = format!("after {}: ", SanPlus::from_move(position.clone(), mv));
        position.play_unchecked(mv);
    }
    let lone_to_move = |men: &Men| position.board().king_of(position.turn()) == Some(men.weak);
    let men = rook_ending(position.board()).filter(lone_to_move);
    let men = men.ok_or("a draw whoever plays best, with the rook's side to move: nothing decides it")?;
    let table = Table::of(Man::Rook);
    let database = Database::transform(table.weak_to_move(), Set::All, Reading::Words);
    let tree = Tree::grow(&database.rows, &Set::All.attributes(), 1);
    let mut reasons = deciding(&tree, men);
    if tree.classify(&values(men.canonical(), Reading::Words)) != table.distance(men, false) {
        reasons.push("this is one of the few positions that the attributes alone tell wrong".into());
    }
    if let Some(first) = reasons.first_mut() {
        first.insert_str(0, &after);
    }
    Ok(reasons)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(words: &[&str]) -> Result<String, String> {
        Args::try_parse_from([&["krk"], words].concat()).map_err(|e| e.to_string())?.answer()
    }

    #[test]
    fn reasons_are_told_of_the_position_with_the_lone_king_to_move() {
        let text = answer(&["why", "7k/8/6K1/8/8/8/8/R7 w - - 0 1"]).unwrap();
        assert!(text.starts_with("because after Ra8#: the ") && text.contains("\n    and the "), "{text}");
        let mated = answer(&["why", "R6k/8/6K1/8/8/8/8/8 b - - 0 1"]).unwrap();
        // After the move the same position is spoken of.
        assert_eq!(text.replace("after Ra8#: ", ""), mated);
        let json: Vec<String> =
            serde_json::from_str(&answer(&["why", "8/8/8/8/r7/6k1/8/7K w - - 0 1", "--json"]).unwrap()).unwrap();
        assert!(json.len() > 3 && !json[0].starts_with("after"), "{json:?}");
    }

    #[test]
    fn other_endings_are_refused() {
        for (fen, says) in [
            ("no position", "FEN"),
            ("8/8/8/4k3/8/8/8/KQ6 w - - 0 1", "expected a king and a rook"),
            ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "no castling"),
            ("4k3/8/8/8/8/8/4P3/4KR2 w - - 0 1", "expected a king and a rook"),
        ] {
            let why = answer(&["why", fen]).unwrap_err();
            assert!(why.contains(says), "{fen}: {why}");
        }
    }

    #[test]
    fn a_tree_is_printed() {
        // A line for every branch: the thesis counts 45 nodes and leaves, the root has no line.
        let text = answer(&["report", "--tree", "sadikov", "--least", "128"]).unwrap();
        assert_eq!(text.lines().count(), 44, "{text}");
    }
}
