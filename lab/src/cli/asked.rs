//! Everything that a run follows from: equal ones give equal figures, wherever they are made.

use std::path::PathBuf;

use chess_observer::{
    files,
    params::{self, Params, SPECS, Value},
};
use chess_observer_lab::{
    experiments::{
        self,
        lab::{self, GAMES, Game, Lab, Watch},
        scenes::Named,
        share::Share,
    },
    go::{self, games::GoGame},
    run::Options,
    singles,
    split::Half,
    truth,
};
use serde::{Deserialize, Serialize};

use super::{AskedArgs, SEED, data};

/// What is measured, with the contents of all files that say so.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Asked {
    /// The arguments as they were given, without the names of the experiments.
    pub arguments: String,
    /// The experiments, in the order of the documentation.
    pub experiments: Vec<String>,
    seed: u64,
    quick: bool,
    film: bool,
    only: String,
    /// The text of `--pgn`.
    pgn: Option<String>,
    pub scenes: Option<Vec<Named>>,
    pub recordings: Vec<PathBuf>,
    /// Collections of single pictures.
    singles: Vec<PathBuf>,
    /// Recordings of the train half, where an experiment shows them.
    train: Vec<PathBuf>,
    /// The folder with games of Go.
    go_games: Option<PathBuf>,
    given_corners: bool,
    video: bool,
    /// Every parameter of the observer by its name.
    params: Vec<(String, Value)>,
}

impl Asked {
    /// Reads what the arguments name.
    pub fn read(args: &AskedArgs) -> Result<Self, String> {
        let mut params = Params::default();
        if let Some(file) = &args.params {
            params::file::read(file, &mut params)?;
        }
        let nothing_else = args.scenes.is_none() && args.recordings.is_empty();
        let (recordings, singles) = shown(&args.recordings)?;
        let names: Vec<&str> = match &args.experiments {
            // Each once.
            Some(asked) => experiments::NAMES.into_iter().filter(|n| asked.iter().any(|a| a == n)).collect(),
            None if nothing_else => experiments::NAMES.to_vec(),
            // Single pictures are nothing to replay.
            None if !singles.is_empty() => vec!["board"],
            None => vec![],
        };
        if let Some(path) = singles.first().filter(|_| !names.contains(&"board") && !names.contains(&"go")) {
            return Err(format!("{}: single pictures are looked at by --experiments board and go", path.display()));
        }
        let shows_train = args.recordings.is_empty() && names.contains(&"protocols");
        let data = if shows_train { data::read(args.data.as_deref())? } else { None };
        let train = data.map_or_else(Vec::new, |data| data.recordings(Half::Train));
        let pgn = pgn(args)?;
        let scenes = args.scenes.as_deref().map(experiments::scenes::read).transpose().map_err(|e| e.to_string())?;
        Ok(Self {
            arguments: arguments(args),
            experiments: names.into_iter().map(str::to_owned).collect(),
            seed: args.seed.unwrap_or(SEED),
            quick: args.quick,
            film: args.film,
            only: args.only.clone(),
            pgn,
            scenes,
            recordings,
            singles,
            train,
            go_games: args.go_games.clone(),
            given_corners: args.given_corners,
            video: args.video,
            params: SPECS.iter().filter_map(|spec| Some((spec.name.to_owned(), params.get(spec.name)?))).collect(),
        })
    }

    /// The lab in which this is measured.
    pub fn lab<'a>(&self, share: Share, watch: &'a dyn Watch) -> Result<Lab<'a>, String> {
        Ok(Lab {
            seed: self.seed,
            quick: self.quick,
            film: self.film,
            params: self.params()?,
            games: games(self.pgn.as_deref().unwrap_or(GAMES))?,
            own_games: self.pgn.is_some(),
            only: self.only.clone(),
            recordings: self.recordings.clone(),
            singles: self.singles.clone(),
            train: self.train.clone(),
            go_games: self.go_games()?,
            share,
            watch,
        })
    }

    /// How recordings are replayed.
    pub fn options(&self) -> Result<Options, String> {
        Ok(Options { params: self.params()?, given_corners: self.given_corners, video: self.video })
    }

    fn go_games(&self) -> Result<Vec<GoGame>, String> {
        let Some(folder) = self.go_games.as_ref().filter(|_| self.experiments.iter().any(|e| e == "go")) else {
            return Ok(vec![]);
        };
        let (games, _) = go::games::read(folder)?;
        let none = || {
            format!(
                "{}: expected games of Go on 19 lines, found none (scripts/go_games.sh fetches some)",
                folder.display()
            )
        };
        if games.is_empty() { Err(none()) } else { Ok(games) }
    }

    fn params(&self) -> Result<Params, String> {
        let mut params = Params::default();
        for (name, value) in &self.params {
            params.set(name, value).map_err(|e| e.to_string())?;
        }
        Ok(params)
    }
}

/// The recordings and the collections of single pictures in these folders.
fn shown(folders: &[PathBuf]) -> Result<(Vec<PathBuf>, Vec<PathBuf>), String> {
    let (mut recordings, mut all_singles) = (vec![], vec![]);
    for folder in folders {
        let singles = singles::find(folder);
        match truth::find(folder) {
            Ok(found) => recordings.extend(found),
            Err(_) if !singles.is_empty() => {}
            Err(e) => return Err(e.to_string()),
        }
        all_singles.extend(singles);
    }
    Ok((recordings, all_singles))
}

/// What is asked, in one spelling: equal figures have equal ones. The names of the experiments are not in it, for each of
/// them gives the same figures whatever others are asked for.
pub fn arguments(args: &AskedArgs) -> String {
    let path = |name: &str, path: &Option<PathBuf>| path.as_ref().map(|path| format!("{name} {}", path.display()));
    let flag = |name: &str, is: bool| is.then(|| name.to_owned());
    let recordings: Vec<String> = args.recordings.iter().map(|path| path.display().to_string()).collect();
    let all = [
        Some(format!("--seed {}", args.seed.unwrap_or(SEED))),
        path("--pgn", &args.pgn),
        path("--scenes", &args.scenes),
        (!recordings.is_empty()).then(|| format!("--recordings {}", recordings.join(" "))),
        (!args.only.is_empty()).then(|| format!("--only {:?}", args.only)),
        flag("--quick", args.quick),
        flag("--film", args.film),
        flag("--given-corners", args.given_corners),
        flag("--video", args.video),
        path("--params", &args.params),
        path("--go-games", &args.go_games),
    ];
    all.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

fn games(text: &str) -> Result<Vec<Game>, String> {
    let games = lab::games(text).map_err(|e| e.to_string())?;
    if games.is_empty() { Err("no game in it".into()) } else { Ok(games) }
}

/// The games that the user gives, which are looked at before anything begins.
fn pgn(args: &AskedArgs) -> Result<Option<String>, String> {
    let Some(path) = &args.pgn else { return Ok(None) };
    let at = |why: String| format!("{}: {why}", path.display());
    let text = files::text(path, files::LARGEST_TABLE).map_err(|e| at(e.to_string()))?;
    games(&text).map_err(at)?;
    Ok(Some(text))
}
