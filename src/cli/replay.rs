//! `replay`: a recording through the observer.

use std::{
    fs,
    io::{self, IsTerminal},
    ops::ControlFlow,
    path::{Path, PathBuf},
    time::Duration,
};

use chess_observer::{
    archive::{
        Archive, Keeper,
        keeper::{MOST_BYTES, Place},
        rerun::rerun,
    },
    bag,
    board::corners::Corners,
    event::Event,
    files,
    frame::Stamp,
    observer::Observer,
    params::{self, Params, Value},
    replay::{Ended, Replayed, Report, Watcher, replay},
};
use indicatif::ProgressBar;

use super::{
    Done, args, events, explain,
    features::Table,
    outputs::{self, Lines},
    print_out, progress, say, stopped,
};

/// Replay a recording through the observer: moves, PGN, warnings.
///
/// The PGN goes to the file given with --pgn, written anew after every change and before the events that tell of it, or
/// else to standard output at the end (as to a pipe or a device).
/// Exit status: 0 processed, 2 unusable input or arguments, 130 ended by Ctrl-C (what was read until then is written).
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A rosbag2 directory, a .mcap or .db3 file, a folder of pictures (.jpg, .png; optional frames.csv with
    /// columns frame,stamp_s gives their times), what `simulate` has written, or an archive of looks (.looks): its
    /// pictures are looked at again with its own parameters
    input: PathBuf,
    /// Each picture is a separate look at the board, not a video: there is no stillness between pictures to wait for
    #[arg(long)]
    stills: bool,
    /// Position that the game starts from; the usual one otherwise
    #[arg(long, value_name = "FEN")]
    fen: Option<String>,
    /// Outer corners of a1, h1, h8, a8 in pixels (of the 64 squares, not of the border); they replace the search
    #[arg(long, value_name = "x,y,x,y,x,y,x,y", value_parser = args::corners, allow_hyphen_values = true)]
    corners: Option<Corners>,
    /// Parameters of the observer, as the node reads them
    #[arg(long, value_name = "FILE.yaml")]
    params: Option<PathBuf>,
    /// Topic of the pictures; needed where a bag has several
    #[arg(long, value_name = "NAME")]
    topic: Option<String>,
    /// Where to write the game
    #[arg(long, value_name = "OUT.pgn")]
    pgn: Option<PathBuf>,
    /// Where to write the events, one JSON object a line
    #[arg(long, value_name = "OUT.jsonl")]
    events: Option<PathBuf>,
    /// Table of every position as it was first seen, square by square and part by part: colours, spread, edges, what has
    /// changed
    #[arg(long, value_name = "OUT.csv")]
    features: Option<PathBuf>,
    /// Folder for the pictures with what was understood drawn into them
    #[arg(long, value_name = "DIR")]
    overlay: Option<PathBuf>,
    /// File to keep every look in that changed, warned or doubted something, to be browsed and to be replayed
    #[arg(long, value_name = "OUT.looks")]
    archive: Option<PathBuf>,
    /// At the end, write the game that all looks together make likeliest: a ply that later looks contradict is mended, with
    /// the time at which it was first seen. Events stay those of the moment
    #[arg(long)]
    hindsight: bool,
    /// Say on standard error what was made of this picture (its number from 0, or its file's name): what was suggested, every
    /// story that was weighed, what the squares say, and what a decision needed; may be given several times
    #[arg(long, value_name = "PICTURE")]
    explain: Vec<String>,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Done, String> {
    if Archive::is_one(&args.input) {
        return again(args);
    }
    outputs::different(
        &[("the input", Some(&args.input)), ("--params", args.params.as_deref())],
        &[
            ("--pgn", args.pgn.as_deref()),
            ("--events", args.events.as_deref()),
            ("--features", args.features.as_deref()),
            ("--archive", args.archive.as_deref()),
        ],
    )?;
    let mut params = params(args)?;
    let mut source = bag::open(&args.input, args.topic.as_deref()).map_err(|e| e.to_string())?;
    // Where the pictures tell no times, the record has none to note.
    params.game_note_times &= source.is_timed();
    let mut observer = Observer::new(&params).map_err(|e| e.to_string())?;
    if let Some(fault) = observer.syzygy_fault() {
        say(&fault.to_string());
    }
    observer.explain(!args.explain.is_empty());
    if args.hindsight {
        observer.keep_looks();
    }
    let mut output = Output::create(args, &observer, source.pictures())?;
    outputs::open(args.archive.as_deref())?;
    let keeper = args.archive.as_ref().map(|path| Keeper::new(Place::File(path.clone()), MOST_BYTES, &params));
    output.archive = keeper.transpose().map_err(|e| e.to_string())?;
    let (report, ended) = replay(source.as_mut(), &mut observer, &mut output);
    let concluded = output.conclude(&mut observer);
    output.bar.finish_and_clear();
    if args.hindsight {
        output.look_back(&observer);
    }
    let archived = output.finish_archive(args.archive.as_deref());
    // However it ended: what was read is not lost.
    if args.pgn.is_none() && report.pictures > 0 {
        print_out(&output.pgn())?;
    }
    output.finish_pgn()?;
    let done = match ended {
        None => Done::Processed,
        Some(Ended::Watcher(Stop::Interrupted)) => Done::Interrupted,
        Some(Ended::Watcher(Stop::Failed(why))) => return Err(why),
        Some(Ended::Source(e)) => return Err(e.to_string()),
    };
    concluded?;
    archived?;
    if report.pictures == 0 && matches!(done, Done::Processed) {
        let why = report.first_bad.as_deref().map_or(String::new(), |why| format!(": {why}"));
        return Err(format!("{}: no usable picture{why}", args.input.display()));
    }
    say(&summary(&report, &output, &observer, args.pgn.as_deref(), &done));
    output.never_came()?;
    Ok(done)
}

/// An archive: the same looks again, and what came out otherwise.
fn again(args: &Args) -> Result<Done, String> {
    if args.archive.is_some() {
        return Err("--archive: the input is an archive already".into());
    }
    let archive = Archive::open(&args.input).map_err(|e| e.to_string())?;
    let mut params = archive.params().map_err(|e| e.to_string())?;
    if let Some(file) = &args.params {
        params::file::read(file, &mut params)?;
    }
    let mut observer = Observer::new(&params).map_err(|e| e.to_string())?;
    observer.explain(!args.explain.is_empty());
    if args.hindsight {
        observer.keep_looks();
    }
    let looks = archive.looks().map_err(|e| e.to_string())?.len();
    let mut output = Output::create(args, &observer, Some(looks as u64))?;
    let (mut index, mut same, mut failed) = (0, 0, None);
    let result = rerun(&archive, &mut observer, |again, frame, observer| {
        let look = &again.look;
        if again.same_position && again.other_squares == 0 {
            same += 1;
        } else {
            let position = if again.same_position { "the same position" } else { "another position" };
            let squares = again.other_squares;
            output.bar.suspend(|| {
                say(&format!("look {}, ply {}: {position}, {squares} squares otherwise", look.number, look.ply))
            });
        }
        if let Some(frame) = frame {
            let stamp = Stamp(look.stamp_ns);
            let seen =
                Replayed { index, stamp, name: None, frame: *frame, jpeg: None, events: &again.events, observer };
            failed = output.take(&seen).err();
        } else if output.note_game(observer) {
            failed = output.write_pgn().err();
        }
        index += 1;
        output.bar.inc(1);
        failed.is_none() && !stopped()
    });
    output.bar.finish_and_clear();
    result.map_err(|e| e.to_string())?;
    if let Some(why) = failed {
        return Err(why);
    }
    if args.hindsight {
        output.look_back(&observer);
    }
    if args.pgn.is_none() {
        print_out(&output.pgn())?;
    }
    output.finish_pgn()?;
    say(&format!("{same} of {looks} looks were understood as they were kept"));
    output.never_came()?;
    Ok(if stopped() { Done::Interrupted } else { Done::Processed })
}

fn params(args: &Args) -> Result<Params, String> {
    let mut params = Params::default();
    if let Some(file) = &args.params {
        params::file::read(file, &mut params)?;
    }
    let mut set = |name: &str, value: Value| params.set(name, &value).map_err(|e| e.to_string());
    if args.stills {
        set("sight.stills", Value::Bool(true))?;
    }
    if let Some(fen) = &args.fen {
        set("game.start_fen", Value::Text(fen.clone()))?;
    }
    if let Some(corners) = &args.corners {
        set("board.corners", Value::Doubles(corners.to_array().concat()))?;
    }
    params.check().map_err(|e| e.to_string())?;
    Ok(params)
}

/// How long the end waits for the archive: a disk that takes longer for 16 pictures takes none.
const ARCHIVE_PATIENCE: Duration = Duration::from_secs(60);

/// Why the replay ends before its time.
enum Stop {
    Interrupted,
    Failed(String),
}

/// Where the events, the game and the pictures go.
struct Output {
    bar: ProgressBar,
    events: Option<Lines>,
    features: Option<Table>,
    pgn_file: Option<files::Output>,
    overlay: Option<PathBuf>,
    /// Who gave the corners, if anybody.
    corners_from: &'static str,
    archive: Option<Keeper>,
    /// Number, time and file of the last picture.
    last: Option<(usize, Stamp, Option<String>)>,
    /// The current game, and those before it, as PGN.
    game: String,
    finished: Vec<String>,
    plies: usize,
    /// Plies that are others in hindsight than they were told.
    mended: usize,
    warnings: usize,
    /// Was the board found?
    found: bool,
    folder: bool,
    /// Pictures to be explained that have not come yet.
    explain: Vec<String>,
}

impl Output {
    /// Opens every output before the first picture is read, so that a wrong path is told at once.
    fn create(args: &Args, observer: &Observer, pictures: Option<u64>) -> Result<Self, String> {
        let events = Lines::create(args.events.as_deref())?;
        if let Some(folder) = &args.overlay {
            fs::create_dir_all(folder).map_err(|e| outputs::told(folder, &e))?;
        }
        let output = Self {
            bar: progress::bar(pictures),
            events,
            features: args.features.as_deref().map(Table::create).transpose()?,
            pgn_file: outputs::open(args.pgn.as_deref())?,
            overlay: args.overlay.clone(),
            corners_from: if args.corners.is_some() { "--corners" } else { "parameter board.corners" },
            archive: None,
            last: None,
            game: observer.pgn(),
            finished: Vec::new(),
            plies: 0,
            mended: 0,
            warnings: 0,
            found: false,
            folder: args.input.is_dir(),
            explain: args.explain.clone(),
        };
        output.write_pgn()?;
        Ok(output)
    }

    fn pgn(&self) -> String {
        let games = self.finished.iter().map(String::as_str).chain([self.game.as_str()]);
        games.map(str::trim_end).filter(|g| !g.is_empty()).map(|g| format!("{g}\n")).collect::<Vec<_>>().join("\n")
    }

    fn write_pgn(&self) -> Result<(), String> {
        let Some(file) = &self.pgn_file else { return Ok(()) };
        file.write(self.pgn().as_bytes()).map_err(|e| outputs::told(file.path(), &e))
    }

    /// A pipe gets the game when it is complete.
    fn finish_pgn(&mut self) -> Result<(), String> {
        let pgn = self.pgn();
        let Some(file) = &mut self.pgn_file else { return Ok(()) };
        file.finish(pgn.as_bytes()).map_err(|e| outputs::told(file.path(), &e))
    }

    /// Waits for the archive, and says what it has.
    fn finish_archive(&mut self, path: Option<&Path>) -> Result<(), String> {
        let (Some(keeper), Some(path)) = (self.archive.take(), path) else { return Ok(()) };
        let kept = keeper.finish(ARCHIVE_PATIENCE);
        if kept.lost > 0 {
            let named = format!("{}: ", path.display());
            let why = kept.why_lost.strip_prefix(&named).unwrap_or(&kept.why_lost);
            return Err(format!("{named}{} of {} looks are lost: {why}", kept.lost, kept.lost + kept.written));
        }
        say(&format!("archive: {}, {} looks", path.display(), kept.written));
        Ok(())
    }

    /// A picture that was to be explained must have been there, unless the replay was interrupted.
    fn never_came(&self) -> Result<(), String> {
        match self.explain.first().filter(|_| !stopped()) {
            None => Ok(()),
            Some(asked) => {
                Err(format!("--explain {asked}: no picture of this number or name; they are counted from 0"))
            }
        }
    }

    /// Takes over the game as it stands. True where it has changed.
    fn note_game(&mut self, observer: &Observer) -> bool {
        let (game, finished) = (observer.pgn(), observer.finished());
        let changed = game != self.game || finished.len() != self.finished.len();
        if changed {
            self.finished.extend_from_slice(&finished[self.finished.len()..]);
            self.game = game;
        }
        self.plies = observer.position().ply;
        self.bar.set_message(format!("{} plies", self.plies));
        changed
    }

    /// No picture comes any more: what the last ones suggest is told where it is likelier than all else.
    fn conclude(&mut self, observer: &mut Observer) -> Result<(), String> {
        let events = observer.finish();
        if !events.is_empty() && self.note_game(observer) {
            self.write_pgn()?;
        }
        self.tell(&events)
    }

    /// Events of the last picture. After the record: whoever reads of a move here finds it there, wherever this is killed.
    fn tell(&mut self, events: &[Event]) -> Result<(), String> {
        let Some((index, stamp, name)) = &self.last else { return Ok(()) };
        let name = name.as_deref().filter(|_| self.folder);
        for event in events {
            self.warnings += usize::from(matches!(event, Event::Illegal { .. }));
            self.found |= matches!(event, Event::BoardFound { .. });
            if let Some(lines) = &mut self.events {
                lines.add(&events::line(event, *index, *stamp, name)?)?;
            }
        }
        Ok(())
    }

    /// The last game is written as all looks together make it likeliest.
    fn look_back(&mut self, observer: &Observer) {
        let hindsight = observer.in_hindsight();
        let (told, now) = (observer.plies(), hindsight.plies());
        let same = told.iter().zip(now).filter(|(a, b)| a.mv == b.mv).count();
        self.mended = told.len().max(now.len()) - same;
        self.game = hindsight.pgn();
    }

    fn take(&mut self, seen: &Replayed<'_>) -> Result<(), String> {
        if let Some(problem) = seen.observer.corners_problem() {
            return Err(format!("{}: {problem}", self.corners_from));
        }
        if !seen.events.is_empty() && self.note_game(seen.observer) {
            self.write_pgn()?;
        }
        if let Some(keeper) = &mut self.archive {
            keeper.see(seen.observer, &seen.frame, seen.jpeg, seen.stamp, seen.events);
        }
        let number = seen.index.to_string();
        let named = |asked: &String| *asked == number || Some(asked.as_str()) == seen.name;
        if self.explain.iter().any(named) {
            self.explain.retain(|asked| !named(asked));
            self.bar.suspend(|| say(&explain::text(seen)));
        }
        self.last = Some((seen.index, seen.stamp, seen.name.map(str::to_owned)));
        self.tell(seen.events)?;
        if let (Some(table), Some(figures)) = (&mut self.features, seen.observer.figures()) {
            table.take(figures)?;
        }
        if let Some(folder) = &self.overlay {
            outputs::overlay(folder, seen.name, seen.index, &seen.observer.overlay(&seen.frame))?;
        }
        Ok(())
    }
}

impl Watcher for Output {
    type Stop = Stop;

    fn after(&mut self, seen: &Replayed<'_>) -> ControlFlow<Stop> {
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

/// What was done, for standard error.
fn summary(report: &Report, output: &Output, observer: &Observer, pgn: Option<&Path>, done: &Done) -> String {
    let mut lines = Vec::new();
    let seconds = report.total.as_secs_f64();
    lines.push(format!(
        "{}{} pictures in {seconds:.1} s ({:.0} a second), {} plies, {} warnings",
        if matches!(done, Done::Interrupted) { "interrupted: " } else { "" },
        report.pictures,
        report.pictures as f64 / seconds.max(1e-3),
        observer.position().ply,
        output.warnings,
    ));
    if output.mended > 0 {
        lines.push(format!("{} plies of the PGN are others in hindsight than they were told", output.mended));
    }
    lines.extend(report.notes.iter().cloned());
    if let Some(first) = &report.first_bad {
        lines.push(format!("{} not usable, the first: {first}", report.bad));
    }
    if let (Some(hindrance), false) = (observer.hindrance(), output.found) {
        lines.push(format!("no game began: {}", hindrance.sentence()));
    }
    if observer.board().mirrored {
        lines.push("the pictures are mirror images, and were read so (board.mirrored)".into());
    }
    lines.push(match pgn {
        Some(path) => format!("PGN: {}", path.display()),
        None => "PGN: standard output".into(),
    });
    lines.join("\n")
}
