//! `go`: photographs or a film of a game of Go, to SGF.

use std::{
    fs,
    io::{self, IsTerminal},
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use chess_observer::{
    bag, files,
    frame::Stamp,
    go::{
        Color, Game, Moment, Rules, Size, handicap,
        record::{Info, Record},
    },
    observer::go::{GoObserver, Settings, Told},
    replay::{Ended, Replayed, Report, Watcher, replay},
};
use indicatif::ProgressBar;

use super::{
    Done, args, events,
    outputs::{self, Lines},
    print_out, progress, say, stopped,
};

/// Follow a game of Go in photographs or in a film: plays, SGF, warnings.
///
/// The board is found by its lines; where that fails, --corners tells where it is. A game begins as the first clear picture
/// shows it: an empty board, stones of a handicap, or a game that has begun. The SGF goes to the file given with --sgf,
/// written anew after every change and before the events that tell of it, or else to standard output at the end. Plays that
/// were taken back are kept as variations.
/// Exit status: 0 processed, 2 unusable input or arguments, 130 ended by Ctrl-C (what was read until then is written).
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A folder of pictures (.jpg, .png; optional frames.csv with columns frame,stamp_s gives their times), what
    /// `simulate --go` has written, a rosbag2 directory, a .mcap or .db3 file
    input: PathBuf,
    /// Each picture is a separate look at the board, not a film: photographs, one a play or one every few plays
    #[arg(long)]
    stills: bool,
    /// Lines of the board, 5 to 25; 19, 13 or 9 are found without
    #[arg(long, value_name = "LINES", value_parser = size)]
    size: Option<Size>,
    /// The crossings at the board's corners in pixels, as the picture shows them: upper left, upper right, lower right,
    /// lower left; they replace the search
    #[arg(long, value_name = "x,y,x,y,x,y,x,y", value_parser = corners, allow_hyphen_values = true)]
    corners: Option<[[f64; 2]; 4]>,
    /// Rules: Japanese, Korean, Chinese, AGA, NZ, Tromp-Taylor
    #[arg(long, value_name = "NAME", value_parser = rules, default_value = "Japanese")]
    rules: Rules,
    /// White's points for playing second, for the record
    #[arg(long, value_name = "POINTS", value_parser = komi, allow_hyphen_values = true)]
    komi: Option<f64>,
    /// Stones of a handicap on the star points, 2 to 9; otherwise the first picture tells
    #[arg(long, value_name = "STONES", conflicts_with = "from")]
    handicap: Option<usize>,
    /// SGF file with the game so far: the pictures go on from its end
    #[arg(long, value_name = "GAME.sgf")]
    from: Option<PathBuf>,
    /// Black's name, for the record
    #[arg(long, value_name = "NAME", default_value = "")]
    black: String,
    /// White's name, for the record
    #[arg(long, value_name = "NAME", default_value = "")]
    white: String,
    /// Least probability at which a play is told, 0.5 to 0.9999
    #[arg(long, value_name = "P", value_parser = confidence, default_value = "0.95")]
    min_confidence: f64,
    /// Topic of the pictures; needed where a bag has several
    #[arg(long, value_name = "NAME")]
    topic: Option<String>,
    /// Where to write the game
    #[arg(long, value_name = "OUT.sgf")]
    sgf: Option<PathBuf>,
    /// Where to write the events, one JSON object a line
    #[arg(long, value_name = "OUT.jsonl")]
    events: Option<PathBuf>,
    /// Write the events to standard output, one JSON object a line, and no SGF
    #[arg(long, conflicts_with = "events")]
    json: bool,
    /// Folder for the pictures with what was understood drawn into them
    #[arg(long, value_name = "DIR")]
    overlay: Option<PathBuf>,
}

fn size(text: &str) -> Result<Size, String> {
    let lines = text.trim().parse().map_err(|_| format!("{:?} is not a whole number", text.trim()))?;
    Size::new(lines).map_err(|e| e.to_string())
}

fn corners(text: &str) -> Result<[[f64; 2]; 4], String> {
    args::four_points(text, "the crossings upper left, upper right, lower right, lower left")
}

fn rules(text: &str) -> Result<Rules, String> {
    let known = || Rules::ALL.map(|r| r.name).join(", ");
    Rules::named(text).ok_or_else(|| format!("{text:?} is none of {}", known()))
}

fn komi(text: &str) -> Result<f64, String> {
    /// More than any board has crossings is no komi.
    const MOST: f64 = 625.0;
    let points: f64 = text.trim().parse().map_err(|_| format!("{:?} is not a number", text.trim()))?;
    if points.abs() <= MOST { Ok(points) } else { Err(format!("expected -{MOST} to {MOST} points, got {text}")) }
}

fn confidence(text: &str) -> Result<f64, String> {
    let p: f64 = text.trim().parse().map_err(|_| format!("{:?} is not a number", text.trim()))?;
    if (0.5..=0.9999).contains(&p) { Ok(p) } else { Err(format!("expected 0.5 to 0.9999, got {text}")) }
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Done, String> {
    outputs::different(
        &[("the input", Some(&args.input)), ("--from", args.from.as_deref())],
        &[("--sgf", args.sgf.as_deref()), ("--events", args.events.as_deref())],
    )?;
    let mut observer = GoObserver::new(settings(args)?).map_err(|e| format!("--corners: {e}"))?;
    let mut source = bag::open(&args.input, args.topic.as_deref()).map_err(|e| e.to_string())?;
    let mut output = Output::create(args, source.pictures())?;
    let (report, ended) = replay(source.as_mut(), &mut observer, &mut output);
    output.bar.finish_and_clear();
    let last = output.last.clone().unwrap_or((0, Stamp(0), None));
    let finished = observer.finish();
    output.tell(&finished, &observer, last)?;
    // However it ended: what was read is not lost.
    if args.sgf.is_none() && !args.json && report.pictures > 0 {
        print_out(&all_games(&observer))?;
    }
    output.finish(&observer)?;
    let done = match ended {
        None => Done::Processed,
        Some(Ended::Watcher(Stop::Interrupted)) => Done::Interrupted,
        Some(Ended::Watcher(Stop::Failed(why))) => return Err(why),
        Some(Ended::Source(e)) => return Err(e.to_string()),
    };
    if matches!(done, Done::Processed) {
        usable(args, &report, &observer)?;
    }
    say(&summary(&report, &output, &observer, args.sgf.as_deref(), &done));
    Ok(done)
}

/// Was there anything to be understood?
fn usable(args: &Args, report: &Report, observer: &GoObserver) -> Result<(), String> {
    let input = args.input.display();
    if report.pictures == 0 {
        let why = report.first_bad.as_deref().map_or(String::new(), |why| format!(": {why}"));
        return Err(format!("{input}: no usable picture{why}"));
    }
    match (observer.game(), observer.not_found()) {
        (None, why) => Err(format!("{input}: {}", why.unwrap_or("no Go board was found"))),
        (Some(game), _) if !game.has_begun() => {
            Err(format!("{input}: no picture shows the whole board clearly enough for the game to begin"))
        }
        _ => Ok(()),
    }
}

fn settings(args: &Args) -> Result<Settings, String> {
    let mut info = Info {
        black: args.black.clone(),
        white: args.white.clone(),
        rules: args.rules,
        komi: args.komi,
        ..Info::default()
    };
    let mut begin = None;
    if let Some(path) = &args.from {
        let bytes = files::bytes(path, files::LARGEST_TABLE).map_err(|e| outputs::told(path, &e))?;
        let record = Record::read(&bytes).map_err(|e| outputs::told(path, &e))?;
        let held = record.end.board().size();
        if args.size.is_some_and(|size| size != held) {
            return Err(format!("--size: the game in {} is played on a {held} board", path.display()));
        }
        info = Info { result: String::new(), ..record.info };
        begin = Some(record.end);
    }
    if let Some(stones) = args.handicap {
        let size = args.size.unwrap_or_default();
        let points = handicap::fixed(size, stones)
            .ok_or_else(|| format!("--handicap: a {size} board has no handicap of {stones} stones on star points"))?;
        info.handicap = stones;
        begin = Some(Moment::start(handicap::board(size, &points), Color::White));
    }
    Ok(Settings {
        size: args.size,
        corners_px: args.corners,
        begin,
        info,
        stills: args.stills,
        min_confidence: args.min_confidence,
        ..Settings::default()
    })
}

/// Why the replay ends before its time.
enum Stop {
    Interrupted,
    Failed(String),
}

/// Number, time and name of a picture.
type Which = (usize, Stamp, Option<String>);

/// Where the events, the game and the pictures go.
struct Output {
    bar: ProgressBar,
    events: Option<Lines>,
    json: bool,
    sgf: Option<files::Output>,
    overlay: Option<PathBuf>,
    game: String,
    warnings: usize,
    folder: bool,
    last: Option<Which>,
}

impl Output {
    /// Opens every output before the first picture is read, so that a wrong path is told at once.
    fn create(args: &Args, pictures: Option<u64>) -> Result<Self, String> {
        let events = Lines::create(args.events.as_deref())?;
        if let Some(folder) = &args.overlay {
            fs::create_dir_all(folder).map_err(|e| outputs::told(folder, &e))?;
        }
        Ok(Self {
            bar: progress::bar(pictures),
            events,
            json: args.json,
            sgf: outputs::open(args.sgf.as_deref())?,
            overlay: args.overlay.clone(),
            game: String::new(),
            warnings: 0,
            folder: args.input.is_dir(),
            last: None,
        })
    }

    /// Writes the game where it has changed, and then what is new.
    fn tell(&mut self, told: &[Told], observer: &GoObserver, (index, stamp, name): Which) -> Result<(), String> {
        if !told.is_empty() {
            let game = all_games(observer);
            if game != self.game {
                self.game = game;
                if let Some(file) = &self.sgf {
                    file.write(self.game.as_bytes()).map_err(|e| outputs::told(file.path(), &e))?;
                }
            }
            self.bar.set_message(format!("{} plays", plays(observer)));
        }
        for told in told {
            self.warnings += usize::from(told.sentence().is_some() && matches!(told, Told::Game(_)));
            if self.events.is_none() && !self.json {
                continue;
            }
            let line = events::line(told, index, stamp, name.as_deref().filter(|_| self.folder))?;
            if let Some(lines) = &mut self.events {
                lines.add(&line)?;
            }
            if self.json {
                self.bar.suspend(|| print_out(&format!("{line}\n")))?;
            }
        }
        Ok(())
    }

    /// A pipe gets the game when it is complete.
    fn finish(&mut self, observer: &GoObserver) -> Result<(), String> {
        let Some(file) = &mut self.sgf else { return Ok(()) };
        file.finish(all_games(observer).as_bytes()).map_err(|e| outputs::told(file.path(), &e))
    }

    fn take(&mut self, seen: &Replayed<'_, GoObserver>) -> Result<(), String> {
        let which = (seen.index, seen.stamp, seen.name.map(str::to_owned));
        self.last = Some(which.clone());
        self.tell(seen.events, seen.observer, which)?;
        if let Some(folder) = &self.overlay {
            outputs::overlay(folder, seen.name, seen.index, &seen.observer.overlay(&seen.frame))?;
        }
        Ok(())
    }
}

impl Watcher<GoObserver> for Output {
    type Stop = Stop;

    fn after(&mut self, seen: &Replayed<'_, GoObserver>) -> ControlFlow<Stop> {
        if let Err(why) = self.take(seen) {
            return ControlFlow::Break(Stop::Failed(why));
        }
        self.bar.inc(1);
        if stopped() { ControlFlow::Break(Stop::Interrupted) } else { ControlFlow::Continue(()) }
    }

    fn aside(&mut self, index: Option<usize>, text: &str) {
        if index.is_some() {
            self.bar.inc(1);
        } else if io::stderr().is_terminal() {
            self.bar.println(text);
        }
    }
}

fn plays(observer: &GoObserver) -> usize {
    observer.game().map_or(0, |game| game.told().number())
}

/// The games before this one, and this one.
fn all_games(observer: &GoObserver) -> String {
    let finished = observer.game().map_or(&[][..], Game::finished);
    finished.iter().cloned().chain(std::iter::once(observer.sgf())).collect()
}

/// What was done, for standard error.
fn summary(report: &Report, output: &Output, observer: &GoObserver, sgf: Option<&Path>, done: &Done) -> String {
    let seconds = report.total.as_secs_f64();
    let mut lines = vec![format!(
        "{}{} pictures in {seconds:.1} s ({:.0} a second), {} plays, {} warnings",
        if matches!(done, Done::Interrupted) { "interrupted: " } else { "" },
        report.pictures,
        report.pictures as f64 / seconds.max(1e-3),
        plays(observer),
        output.warnings,
    )];
    lines.extend(report.notes.iter().cloned());
    if let Some(first) = &report.first_bad {
        lines.push(format!("{} not usable, the first: {first}", report.bad));
    }
    if !output.json {
        lines.push(format!("SGF: {}", sgf.map_or("standard output".into(), |path| path.display().to_string())));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_read_or_refused_with_a_reason() {
        assert_eq!(size("13"), Ok(Size::new(13).unwrap()));
        assert_eq!(size("4").unwrap_err(), "a Go board has 5 to 25 lines, not 4");
        assert_eq!(rules("chinese"), Ok(Rules::CHINESE));
        assert!(rules("chess").unwrap_err().contains("Tromp-Taylor"));
        assert_eq!(komi("-0.5"), Ok(-0.5));
        assert!(komi("nan").is_err() && komi("1e9").is_err() && confidence("1").is_err() && confidence("nan").is_err());
        assert!(corners("1,2,3").unwrap_err().starts_with("expected 8 numbers x,y of the crossings upper left"));
    }
}
