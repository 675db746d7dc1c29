//! The figures of a run, printed as they come and written where the user wants them.

use std::fs;

use chess_observer::files::Output;
use chess_observer_lab::{
    experiments::{self, Experiment, Timing, VERSION, lab::Lab, print, scenes::Named, share::Share, views},
    report::{self, Picture, Report},
    score::Score,
    simulated::ShowError,
    table,
};

use super::{
    OutArgs,
    asked::Asked,
    bars::{Bars, Rehearsal},
    compare, recordings,
};
use crate::cli::{outputs, stopped};

/// Where the figures go, and what there is to say of them.
#[derive(Debug)]
pub struct Out<'a> {
    args: &'a OutArgs,
    before: Option<Vec<Experiment>>,
    json: Option<Output>,
    /// Only jobs are carried out: no figures are made of them.
    pub quiet: bool,
    /// Games and recordings that were left out because the run was stopped.
    pub left_out: usize,
    text: String,
    made: Vec<(Experiment, Timing)>,
}

impl<'a> Out<'a> {
    /// Sees that everything can be written.
    pub fn open(args: &'a OutArgs) -> Result<Self, String> {
        let before = args.compare.as_deref().map(compare::read).transpose()?;
        if let Some(folder) = &args.report {
            fs::create_dir_all(folder).map_err(|e| outputs::told(folder, &e))?;
        }
        let json = outputs::open(args.json.as_deref())?;
        Ok(Self { args, before, json, quiet: false, left_out: 0, text: String::new(), made: vec![] })
    }

    /// How long it takes to measure what is asked for in this lab, in milliseconds of one processor.
    pub fn work_ms(asked: &Asked, share: Share) -> Result<u64, String> {
        let rehearsal = Rehearsal::default();
        let lab = asked.lab(share, &rehearsal)?;
        let failed = |e: ShowError| e.to_string();
        recordings::run(&lab, &asked.options()?, None)?;
        if let Some(scenes) = &asked.scenes {
            experiments::scenes::run(&lab, scenes).map_err(failed)?;
        }
        asked.experiments.iter().try_for_each(|name| experiments::run(name, &lab).map(drop)).map_err(failed)?;
        Ok(rehearsal.work_ms())
    }

    /// Measures what is asked for in the lab, and tells it.
    pub fn tell(&mut self, asked: &Asked, lab: &Lab<'_>, bars: &Bars) -> Result<(), String> {
        let mut json = serde_json::Map::new();
        json.insert("version".into(), VERSION.into());
        json.insert("arguments".into(), asked.arguments.clone().into());
        let mut scores = vec![];
        if !asked.recordings.is_empty() {
            let (read, skipped) = recordings::run(lab, &asked.options()?, self.args.report.as_deref())?;
            scores = read;
            self.left_out += skipped;
            self.print(&recordings::text(&scores, self.args.verbose), bars)?;
            json.insert("recordings".into(), value(&scores)?);
            json.insert("all".into(), value(&table::total(&scores))?);
            json.insert("counts".into(), value(&table::counts(&scores))?);
        }
        let scenes = asked.scenes.as_deref().unwrap_or_default();
        if asked.scenes.is_some() {
            self.experiment(experiments::scenes::run(lab, scenes).map_err(|e| e.to_string())?, bars)?;
        }
        for name in &asked.experiments {
            if stopped() {
                break;
            }
            self.experiment(experiments::run(name, lab).map_err(|e| e.to_string())?, bars)?;
        }
        bars.finish();
        if self.quiet {
            return Ok(());
        }
        if !scores.is_empty() || self.made.iter().any(|(one, _)| !one.counts.is_empty()) {
            self.print(&format!("\n{}", table::meanings()), bars)?;
        }
        if let Some(before) = &self.before {
            let now: Vec<Experiment> = self.made.iter().map(|(one, _)| one.clone()).collect();
            self.print(&compare::text(before, &now), bars)?;
        }
        self.report(lab, scenes, &scores)?;
        self.json(json)
    }

    fn print(&mut self, text: &str, bars: &Bars) -> Result<(), String> {
        if !self.quiet {
            bars.print(text)?;
            self.text += text;
        }
        Ok(())
    }

    /// Tells what came of an experiment.
    fn experiment(&mut self, one: (Experiment, Timing), bars: &Bars) -> Result<(), String> {
        let mut told = print::text(&one.0);
        if self.args.verbose && !one.0.errors.is_empty() {
            told += &format!("\nFaults\n{}", print::errors(&one.0));
        }
        if !self.text.is_empty() {
            told.insert(0, '\n');
        }
        self.print(&told, bars)?;
        if !self.quiet {
            bars.say(&print::timing(&one.1));
        }
        self.left_out += one.0.left_out;
        self.made.push(one);
        Ok(())
    }

    fn report(&self, lab: &Lab<'_>, scenes: &[Named], scores: &[Score]) -> Result<(), String> {
        let Some(folder) = &self.args.report else { return Ok(()) };
        outputs::write(&folder.join("table.txt"), self.text.as_bytes())?;
        let names: Vec<&str> = self.made.iter().map(|(one, _)| one.name.as_str()).collect();
        let pictures = pictures(lab, &names, scenes)?;
        let experiments: Vec<&Experiment> = self.made.iter().map(|(one, _)| one).collect();
        let page = Report { experiments: &experiments, recordings: scores, pictures: &pictures }.html();
        outputs::write(&folder.join("index.html"), page.as_bytes())
    }

    fn json(&mut self, mut json: serde_json::Map<String, serde_json::Value>) -> Result<(), String> {
        let Some(mut file) = self.json.take() else { return Ok(()) };
        let (results, timings): (Vec<Experiment>, Vec<Timing>) = std::mem::take(&mut self.made).into_iter().unzip();
        json.insert("experiments".into(), value(&results)?);
        json.insert("timings".into(), value(&timings)?);
        let text = serde_json::to_string_pretty(&json).map_err(|e| e.to_string())?;
        outputs::write_to(&mut file, (text + "\n").as_bytes())
    }
}

fn value(of: &impl serde::Serialize) -> Result<serde_json::Value, String> {
    serde_json::to_value(of).map_err(|e| e.to_string())
}

/// A picture of every scene of these experiments, in the middle of the first game.
fn pictures(lab: &Lab<'_>, experiments: &[&str], scenes: &[Named]) -> Result<Vec<Picture>, String> {
    /// Then some men have been taken, and most still stand.
    const PLIES: usize = 20;
    let mut all = views::of_scenes(scenes);
    all.extend(experiments.iter().flat_map(|name| views::views(name)));
    let Some(game) = lab.games.first() else { return Ok(vec![]) };
    report::pictures(&all, &game.first(PLIES).story, lab.seed).map_err(|e| e.to_string())
}
