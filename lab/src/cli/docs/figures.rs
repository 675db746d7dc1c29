//! Figures that blocks are made of: read from the JSON of earlier runs, or measured now.

use std::path::{Path, PathBuf};

use chess_observer::files;
use chess_observer_lab::{
    experiments::{self, Experiment, NAMES, Timing, VERSION, lab::Unwatched, share::Share},
    judge::Judgement,
    report::markdown::{Cost, Shown},
    score::Score,
};
use clap::Parser;
use serde::Deserialize;

use super::super::{
    AskedArgs,
    asked::{Asked, arguments},
    data, judge, recordings,
};

/// The figures of one run, as `--json` or `scripts/costs.py` has written them.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Figures {
    /// The version that gave them.
    version: String,
    /// What was asked, without the names of the experiments.
    arguments: String,
    experiments: Vec<Experiment>,
    timings: Vec<Timing>,
    recordings: Vec<Score>,
    judgement: Option<Judgement>,
    costs: Vec<Bench>,
}

/// What a command of `cargo bench` has measured.
#[derive(Debug, Deserialize)]
struct Bench {
    command: String,
    costs: Vec<Cost>,
}

/// All figures at hand; of equal ones the later count.
#[derive(Debug, Default)]
pub struct Known {
    runs: Vec<Figures>,
    /// What commands have printed that say all themselves.
    printed: Vec<(String, String)>,
}

/// A command that a block names.
#[derive(Debug)]
pub enum Command {
    /// `lab` with these arguments.
    Evaluate(Box<AskedArgs>),
    /// `lab --judge` with these arguments.
    Judge(Box<AskedArgs>),
    /// `cargo bench --bench NAME`.
    Bench(String),
    /// `krk …`: what it prints is shown.
    Study(chess_observer_krk::command::Args),
}

#[derive(Debug, Parser)]
#[command(name = "lab")]
struct Probe {
    #[command(flatten)]
    asked: AskedArgs,
    #[arg(long, conflicts_with_all = ["recordings", "scenes", "experiments", "only", "pgn", "film", "video"])]
    judge: bool,
}

impl Command {
    /// Understands the command of a marker. `root` is the folder of the package: there the benchmarks are.
    ///
    /// # Errors
    /// In words why there is no such command.
    pub fn read(text: &str, root: &Path) -> Result<Self, String> {
        if let Some(name) = text.strip_prefix("cargo bench --bench ") {
            let there = [format!("benches/{name}.rs"), format!("benches/{name}/main.rs")];
            let is_there = there.iter().any(|path| root.join(path).is_file());
            return if is_there { Ok(Self::Bench(text.into())) } else { Err(format!("no benchmark {name:?}")) };
        }
        let words = words(text)?;
        match words.first().map(String::as_str) {
            Some("lab") => {
                let probe = parsed::<Probe>(&words)?;
                let asked = Box::new(probe.asked);
                Ok(if probe.judge { Self::Judge(asked) } else { Self::Evaluate(asked) })
            }
            Some("krk") => parsed(&words).map(Self::Study),
            _ => Err("expected lab …, krk …, or cargo bench --bench NAME".into()),
        }
    }
}

/// The arguments of a command, or the first line of what is wrong with them.
fn parsed<T: Parser>(words: &[String]) -> Result<T, String> {
    T::try_parse_from(words).map_err(|e| {
        let text = e.to_string();
        text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned()
    })
}

/// Words as a shell has them, as far as blanks and double quotes go.
fn words(text: &str) -> Result<Vec<String>, String> {
    let mut words = vec![];
    for (i, part) in text.split('"').enumerate() {
        if i % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    if text.matches('"').count() % 2 == 1 { Err("a quotation mark is missing".into()) } else { Ok(words) }
}

/// The experiments that are asked for, in their order.
fn names(asked: &AskedArgs) -> Vec<&str> {
    match &asked.experiments {
        Some(names) => NAMES.into_iter().filter(|name| names.iter().any(|asked| asked == name)).collect(),
        None if asked.recordings.is_empty() && asked.scenes.is_none() => NAMES.to_vec(),
        None => vec![],
    }
}

impl Known {
    /// Reads the JSON of earlier runs.
    ///
    /// # Errors
    /// The file, and what is wrong with it.
    pub fn read(paths: &[PathBuf]) -> Result<Self, String> {
        let one = |path: &PathBuf| -> Result<Figures, String> {
            let at = |why: String| format!("{}: {why}", path.display());
            let text = files::text(path, files::LARGEST_TABLE).map_err(|e| at(e.to_string()))?;
            let figures: Figures = serde_json::from_str(&text)
                .map_err(|e| at(format!("not figures that lab --json or scripts/costs.py has written: {e}")))?;
            if figures.version.is_empty() {
                return Err(at("does not say which version has written it".into()));
            }
            Ok(figures)
        };
        Ok(Self { runs: paths.iter().map(one).collect::<Result<_, _>>()?, printed: vec![] })
    }

    /// What a block with this command shows; `None` where its figures are not at hand.
    pub fn shown<'a>(&'a self, text: &str, command: &Command) -> Option<Shown<'a>> {
        let mut shown = Shown { command: text.to_owned(), ..Shown::default() };
        match command {
            Command::Bench(command) => {
                let of = |figures: &'a Figures| figures.costs.iter().rev().find(|b| b.command == *command);
                let (figures, bench) = self.runs.iter().rev().find_map(|figures| Some((figures, of(figures)?)))?;
                shown.costs = &bench.costs;
                shown.version.clone_from(&figures.version);
            }
            Command::Judge(asked) => {
                let arguments = judge::arguments(asked);
                let mut runs = self.runs.iter().rev().filter(|figures| figures.arguments == arguments);
                let judged = |figures: &'a Figures| Some((figures, figures.judgement.as_ref()?));
                let (figures, judgement) = runs.find_map(judged).filter(|(_, judgement)| judgement.left_out == 0)?;
                shown.judgement = Some(judgement);
                shown.version.clone_from(&figures.version);
            }
            Command::Study(_) => {
                let (_, printed) = self.printed.iter().find(|(of, _)| of == text)?;
                shown.printed = printed;
                shown.version = VERSION.into();
            }
            Command::Evaluate(asked) => {
                let arguments = arguments(asked);
                let runs = || self.runs.iter().rev().filter(|figures| figures.arguments == arguments);
                let mut versions: Vec<&str> = vec![];
                for name in names(asked) {
                    let of =
                        |figures: &'a Figures| figures.experiments.iter().find(|e| e.name == name && e.left_out == 0);
                    let (figures, experiment) = runs().find_map(|figures| Some((figures, of(figures)?)))?;
                    shown.experiments.push(experiment);
                    shown.timings.extend(figures.timings.iter().find(|timing| timing.name == name));
                    versions.push(&figures.version);
                }
                if !asked.recordings.is_empty() && asked.experiments.is_none() {
                    let figures = runs().find(|figures| !figures.recordings.is_empty())?;
                    shown.recordings = &figures.recordings;
                    versions.push(&figures.version);
                }
                versions.sort_unstable();
                versions.dedup();
                shown.version = versions.join(" and ");
            }
        }
        Some(shown)
    }

    fn judge(&mut self, asked: &AskedArgs) -> Result<(), String> {
        let (read, seed, data) = (Asked::read(asked)?, judge::seed(asked), data::read(asked.data.as_deref())?);
        let judgement = judge::judged(&read, seed, Share::default(), &Unwatched, data.as_ref())?;
        self.runs.push(Figures {
            version: VERSION.into(),
            arguments: judge::arguments(asked),
            judgement: Some(judgement),
            ..Figures::default()
        });
        Ok(())
    }

    /// Carries out a command now that this program knows.
    ///
    /// # Errors
    /// When it cannot be carried out.
    pub fn measure(&mut self, text: &str, command: &Command) -> Result<(), String> {
        match command {
            Command::Bench(_) => Ok(()),
            Command::Study(args) => {
                self.printed.push((text.to_owned(), args.answer()?));
                Ok(())
            }
            Command::Evaluate(asked) => self.evaluate(asked),
            Command::Judge(asked) => self.judge(asked),
        }
    }

    fn evaluate(&mut self, asked: &AskedArgs) -> Result<(), String> {
        let read = Asked::read(asked)?;
        let lab = read.lab(Share::default(), &Unwatched)?;
        let mut figures = Figures { version: VERSION.into(), arguments: arguments(asked), ..Figures::default() };
        if !read.recordings.is_empty() {
            figures.recordings = recordings::run(&lab, &read.options()?, None)?.0;
        }
        for name in names(asked) {
            let (experiment, timing) = experiments::run(name, &lab).map_err(|e| e.to_string())?;
            figures.experiments.push(experiment);
            figures.timings.push(timing);
        }
        self.runs.push(figures);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_understood_or_refused() {
        let root = &Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for text in [
            "lab",
            "lab --experiments bumps,board --seed 2 --only \"board turned\"",
            "lab --recordings real renders",
            "lab --judge --quick",
            "cargo bench --bench game",
            "krk why \"7k/8/6K1/8/8/8/8/R7 w - - 0 1\"",
        ] {
            assert!(Command::read(text, root).is_ok(), "{text}");
        }
        for (text, says) in [
            ("lab --experiments caruana", "caruana"),
            ("lab --fast", "--fast"),
            ("lab --judge --experiments petkov", "cannot be used with"),
            ("krk guess", "guess"),
            ("rm -rf", "expected lab"),
            ("cargo bench --bench none", "no benchmark \"none\""),
            ("lab --only \"a", "quotation mark"),
        ] {
            let why = Command::read(text, root).unwrap_err();
            assert!(why.contains(says), "{text}: {why}");
        }
        assert_eq!(words("a \"b c\" d").unwrap(), ["a", "b c", "d"]);
    }

    #[test]
    fn later_figures_count_and_others_are_not_taken() {
        let run = |version: &str, seed: u64| Figures {
            version: version.into(),
            arguments: format!("--seed {seed}"),
            experiments: vec![Experiment { name: "petkov".into(), title: version.into(), ..Experiment::default() }],
            ..Figures::default()
        };
        let runs = vec![run("old", 1), run("new", 1), run("other", 2)];
        let known = Known { runs, printed: vec![] };
        let shown = |text: &str| known.shown(text, &Command::read(text, Path::new(".")).unwrap());
        let of = shown("lab --experiments petkov").unwrap();
        assert_eq!((of.version.as_str(), of.experiments[0].title.as_str()), ("new", "new"));
        assert_eq!(shown("lab --experiments petkov --seed 2").unwrap().version, "other");
        assert!(shown("lab --experiments koray").is_none() && shown("lab --quick").is_none());
    }
}
