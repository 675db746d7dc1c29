//! The folder of recordings that says which of them only judge.

use std::path::{Path, PathBuf};

use chess_observer_lab::{
    singles,
    split::{Data, FILE, FIRST_JUDGE_SEED},
    truth,
};

use super::Args;

/// Names the folder above the data where it is not given.
const VARIABLE: &str = "CHESS_OBSERVER_SHARED";
/// Where it is otherwise looked for, from the folder in which the program is started.
const BESIDE: &str = "../shared";

/// The folder where no other is given.
pub fn usual() -> PathBuf {
    std::env::var_os(VARIABLE).map_or_else(|| BESIDE.into(), PathBuf::from).join("data")
}

/// The data in the given folder, or in the usual one if it is there.
pub fn read(given: Option<&Path>) -> Result<Option<Data>, String> {
    let folder = given.map_or_else(usual, Path::to_path_buf);
    match Data::read(&folder).map_err(|e| e.to_string())? {
        None if given.is_some() => Err(format!("{}: no {FILE} in it, which says what only judges", folder.display())),
        data => Ok(data),
    }
}

/// Sees that nobody looks at what only judges.
pub fn guard(args: &Args) -> Result<(), String> {
    if !args.out.verbose && args.out.report.is_none() {
        return Ok(());
    }
    let instead = "leave --verbose and --report: what judges gives scores alone";
    if let Some(seed) = args.asked.seed.filter(|seed| *seed >= FIRST_JUDGE_SEED) {
        return Err(format!("seed {seed} only judges, as all from {FIRST_JUDGE_SEED} on: {instead}"));
    }
    let Some(data) = read(args.asked.data.as_deref())? else { return Ok(()) };
    let folders = &args.asked.recordings;
    let found = folders.iter().filter_map(|folder| truth::find(folder).ok()).flatten();
    match found.chain(folders.iter().flat_map(|folder| singles::find(folder))).find(|path| data.is_judge(path)) {
        Some(path) => Err(format!("{}: only judges: {instead}", path.display())),
        None => Ok(()),
    }
}
