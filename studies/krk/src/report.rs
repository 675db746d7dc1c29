//! `krk report`: what the thesis printed and what comes out here, as Markdown.

use std::{
    fmt::Write as _,
    io::Write as _,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use chess_observer::endgame::{
    generate::{Table, distribution},
    men::{Man, Men},
};
use shakmaty::Square;

use crate::{
    attributes::Reading,
    packed::{
        bits::BitWriter,
        in_place::InPlace,
        stored::{self, Unpacked},
    },
    printed::{DRAWN, LOST, TRANSFORMED, TREES},
    sets::{Database, Set},
    tree::Tree,
    words::distance_words,
};

/// Times are the best of so many runs: other programs only make them longer.
const RUNS: usize = 20;

/// Which report.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print the tree of a set of attributes instead
    #[arg(long, value_name = "SET", value_enum)]
    tree: Option<SetName>,
    /// Fewest rows behind two branches of every question, for --tree
    #[arg(long, value_name = "N", default_value_t = 128, value_parser = clap::value_parser!(u32).range(1..))]
    least: u32,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum SetName {
    Bain,
    Morales,
    Sadikov,
    Torres,
    Selection,
    All,
}

impl SetName {
    fn set(self) -> Set {
        match self {
            Self::Bain => Set::Bain,
            Self::Morales => Set::Morales,
            Self::Sadikov => Set::Sadikov,
            Self::Torres => Set::Torres,
            Self::Selection => Set::Selection,
            Self::All => Set::All,
        }
    }
}

/// The report, as Markdown; or the tree that is asked for.
#[must_use]
pub fn text(args: &Args) -> String {
    let table = Table::generate(Man::Rook);
    match args.tree {
        Some(name) => {
            let database = Database::transform(table.weak_to_move(), name.set(), Reading::Program);
            Tree::grow(&database.rows, &name.set().attributes(), args.least).to_string()
        }
        None => [positions(&table), transformed(&table), trees(&table), sizes(&table), times()].join("\n"),
    }
}

fn positions(table: &Table) -> String {
    let mut text =
        "## Positions\n\n| moves to mate | Black to move | thesis | White to move |\n| --- | --- | --- | --- |\n"
            .to_owned();
    let (lost, drawn) = distribution(table.weak_to_move());
    let (won, white_drawn) = distribution(table.strong_to_move());
    let _ = writeln!(text, "| draw | {drawn} | {DRAWN} | {white_drawn} |");
    for (moves, (&lost, printed)) in lost.iter().zip(LOST).enumerate() {
        let _ = writeln!(text, "| {moves} | {lost} | {printed} | {} |", won.get(moves).unwrap_or(&0));
    }
    let total = |counts: &[usize], drawn: usize| counts.iter().sum::<usize>() + drawn;
    let (black, thesis, white) = (total(&lost, drawn), total(&LOST, DRAWN), total(&won, white_drawn));
    let _ = writeln!(text, "| all | {black} | {thesis} | {white} |");
    text
}

fn transformed(table: &Table) -> String {
    let mut text =
        "## Attributes\n\n| set | attributes | rows | errors | correctness | compression | rows, errors in the thesis \
                    | rows, errors by the definitions in words |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n"
            .to_owned();
    for printed in TRANSFORMED {
        let set = printed.set;
        let ours = Database::transform(table.weak_to_move(), set, Reading::Program);
        let words = Database::transform(table.weak_to_move(), set, Reading::Words);
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {:.2} % | {:.2} | {}, {} | {}, {} |",
            set.name(),
            set.attributes().len(),
            ours.rows.len(),
            ours.errors,
            100.0 * ours.correctness(),
            ours.compression(),
            printed.rows,
            printed.errors,
            words.rows.len(),
            words.errors
        );
    }
    text
}

fn trees(table: &Table) -> String {
    let mut text = "## Trees\n\n| set | fewest rows | leaves | size | wrong rows | thesis |\n| --- | --- | --- | --- | --- | --- |\n".to_owned();
    for (set, printed) in TREES {
        let database = Database::transform(table.weak_to_move(), set, Reading::Program);
        for least in (0..8).map(|power| 1_u32 << power) {
            let tree = Tree::grow(&database.rows, &set.attributes(), least);
            let ours = (tree.leaves(), tree.size(), tree.errors());
            let thesis = match printed.iter().find(|row| row.0 == least) {
                Some(&(_, leaves, size, wrong)) if (leaves, size, wrong) == ours => "the same".into(),
                Some((_, leaves, size, wrong)) => format!("{leaves}, {size}, {wrong}"),
                None => "not legible".into(),
            };
            let (name, (leaves, size, wrong)) = (set.name(), ours);
            let share = 100.0 * f64::from(wrong) / database.rows.len().max(1) as f64;
            let _ = writeln!(text, "| {name} | {least} | {leaves} | {size} | {wrong} ({share:.2} %) | {thesis} |");
        }
    }
    text
}

/// What a compressor makes of `bytes`, if it is installed.
fn squeezed(program: &str, options: &[&str], bytes: &[u8]) -> Option<usize> {
    let mut child = Command::new(program)
        .args(options)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut input = child.stdin.take()?;
    let bytes = bytes.to_vec();
    // Written aside, so that neither side waits for the other.
    let writer = std::thread::spawn(move || input.write_all(&bytes));
    let output = child.wait_with_output().ok()?;
    writer.join().ok()?.ok()?;
    output.status.success().then_some(output.stdout.len())
}

fn class(distance: Option<u8>) -> u8 {
    distance.map_or(0, |distance| distance + 1)
}

/// The table as text, a line a position: squares by file and rank, and the depth.
fn as_text(table: &Table) -> String {
    let square = |square: Square| format!("{},{}", square.file().char(), square.rank().char());
    table.weak_to_move().fold(String::new(), |text, (Men { king, man, weak }, distance)| {
        text + &format!("{},{},{},{}\n", square(king), square(man), square(weak), distance_words(distance))
    })
}

fn sizes(table: &Table) -> String {
    let text = as_text(table);
    let bytes: Vec<u8> = table.weak_to_move().map(|(_, distance)| class(distance)).collect();
    let mut five = BitWriter::default();
    bytes.iter().for_each(|&class| five.put(u32::from(class), 5));
    let database = Database::transform(table.weak_to_move(), Set::All, Reading::Program);
    let tree = Tree::grow(&database.rows, &Set::All.attributes(), 1);
    let mut thesis = tree.to_string();
    for row in database.rows.iter().filter(|row| tree.classify(&row.values) != row.distance) {
        let _ = writeln!(thesis, "{:?},{}", row.values, distance_words(row.distance));
    }
    let tool = |program: &str, options: &[&str], bytes: &[u8]| {
        squeezed(program, options, bytes).map_or_else(|| format!("{program} is not installed"), |size| size.to_string())
    };
    let mut table = "## Sizes\n\n| form | bytes | asked without unpacking |\n| --- | --- | --- |\n".to_owned();
    let rows = [
        ("text, a line a position", text.len().to_string(), "no"),
        ("the same, bzip2 (the thesis's measure; it prints 68239)", tool("bzip2", &["-9"], text.as_bytes()), "no"),
        (
            "tree of all attributes and its errors as text, bzip2 (the thesis's best; it prints 22087)",
            tool("bzip2", &["-9"], thesis.as_bytes()),
            "no",
        ),
        ("a byte a position", bytes.len().to_string(), "yes"),
        ("five bits a position", five.finish().len().to_string(), "yes"),
        ("a byte a position, bzip2 -9", tool("bzip2", &["-9"], &bytes), "no"),
        (
            "a byte a position, zstd -22",
            zstd::bulk::compress(&bytes, 22).map_or_else(|e| e.to_string(), |b| b.len().to_string()),
            "no",
        ),
        ("a byte a position, xz -9e", tool("xz", &["-9e"], &bytes), "no"),
        ("**in place**: tree, ribbon and exceptions", InPlace::embedded().size().to_string(), "yes"),
        ("**stored**: contexts mixed, arithmetic code", stored::size().to_string(), "no"),
    ];
    for (form, size, in_place) in rows {
        let _ = writeln!(table, "| {form} | {size} | {in_place} |");
    }
    table
}

fn best_of(mut work: impl FnMut()) -> Duration {
    let run = |_| {
        let begin = Instant::now();
        work();
        begin.elapsed()
    };
    (0..RUNS).map(run).min().unwrap_or_default()
}

fn times() -> String {
    let table = Table::generate(Man::Rook);
    let positions: Vec<Men> = table.weak_to_move().map(|(men, _)| men).collect();
    let ms = |time: Duration| 1e3 * time.as_secs_f64();
    let generate = best_of(|| drop(std::hint::black_box(Table::generate(Man::Rook))));
    let unpack = best_of(|| drop(std::hint::black_box(Unpacked::embedded())));
    let ask = best_of(|| {
        let sum: u64 = positions.iter().filter_map(|&men| InPlace::embedded().distance(men)).map(u64::from).sum();
        std::hint::black_box(sum);
    });
    format!(
        "## Times\n\nBest of {RUNS} runs.\n\n| | |\n| --- | --- |\n| generate the table, both sides to move | {:.1} ms |\n\
         | unpack the stored form | {:.1} ms |\n| ask the form in place, mean of all positions | {:.2} µs |\n",
        ms(generate),
        ms(unpack),
        1e3 * ms(ask) / positions.len() as f64
    )
}
