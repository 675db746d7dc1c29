//! Koray and Sümer's experiment: 100 attempts to move, 30 of them against the rules, in three lights, from straight
//! above.
//!
//! C. Koray and E. Sümer, *Computer vision based move detection and interpretation system for chess* (2019, in Turkish),
//! section 5. Their table 1 is garbled in places; how it was read is told in `games/koray_suemer.pgn`.

use std::{collections::BTreeMap, ops::Range};

use chess_observer::{
    event::{Event, reasons::IllegalReason},
    game::{start::Start, verdicts::role_name},
    sim::{Scene, scene::LampColour},
};
use shakmaty::{Bitboard, Chess, Position as _, Role, Square, uci::UciMove};

use super::{
    lab::{Done, Job, Lab, false_warnings, table},
    types::{Experiment, Figures, LightFigures, Table, Timing},
};
use crate::{
    interval::Rate,
    score::incidents,
    simulated::{Shots, ShowError},
    truth::Truth,
};

/// The script, as PGN.
pub const SCRIPT: &str = include_str!("../../../games/koray_suemer.pgn");

/// The lights in their order, with their figures: per cent detected, which were also interpreted rightly.
pub(super) const LIGHTS: [(&str, usize); 3] = [("yellow", 96), ("white", 98), ("day", 95)];
/// The illegal attempts by man in their text, in the order pawn, knight, bishop, rook, queen, king.
const THEIR_ILLEGAL: [usize; 6] = [5, 6, 6, 7, 4, 2];
/// Plies of the quick version.
const QUICK_PLIES: usize = 20;

/// Their rig: a camera straight above the board, reflections and hard shadows avoided.
pub(super) fn scene(light: &str) -> Scene {
    let mut scene = Scene::overhead();
    (scene.light.ambient, scene.light.softness) = (0.5, 0.3);
    scene.light.colour = match light {
        "yellow" => LampColour::Yellow,
        "white" => LampColour::White,
        _ => LampColour::Daylight,
    };
    if light == "day" {
        // A window at one side.
        scene.light.distance_m = 0.0;
        (scene.light.azimuth_deg, scene.light.elevation_deg, scene.light.falloff) = (80.0, 40.0, 0.3);
    }
    scene
}

/// Runs the experiment.
///
/// # Errors
/// When the script cannot be shown.
pub fn run(lab: &Lab<'_>) -> Result<(Experiment, Timing), ShowError> {
    let mut games = super::lab::games(SCRIPT).map_err(|e| ShowError::Script(e.to_string()))?;
    if lab.quick {
        games = games.iter().map(|game| game.first(QUICK_PLIES)).collect();
    }
    let shots = if lab.film { Shots::Film } else { Shots::Twice };
    let job = |(light, _): &(&str, usize)| games.iter().map(|g| lab.job(light, g, &scene(light), shots)).collect();
    let jobs: Vec<Job> = LIGHTS.iter().flat_map(|light| -> Vec<Job> { job(light) }).collect();
    let results = lab.run("koray", jobs)?;
    let how = if lab.film { "A film at 10 pictures a second" } else { "A picture of every position, looked at twice" };
    let mut experiment = lab.experiment(
        "koray",
        "Koray and Sümer: a hundred attempts in three lights",
        &format!(
            "Their script of 100 attempts to move from straight above, under a yellow bulb, white light and daylight. \
             {how}; illegal moves stand and are put back. Detected: the squares of the attempt were named, in a move, \
             a warning or a question to look at them. Interpreted: the legal move stands in the final record, the illegal one was announced with \
             its reason while it stood. Theirs: all that was detected was also interpreted rightly."
        ),
    );
    results.count_into(&mut experiment);
    let mut lights = vec![];
    let mut attempts_of = vec![];
    for (light, _) in LIGHTS {
        let attempts: Vec<Attempt> = results.of(light).flat_map(attempts).collect();
        lights.push(figures(light, &attempts));
        attempts_of.push(attempts);
    }
    let wrong: Vec<usize> = LIGHTS.iter().map(|(light, _)| false_warnings(results.of(light))).collect();
    experiment.tables = vec![by_light(&lights, &wrong), by_man(&attempts_of), missed(&attempts_of)];
    experiment.figures = Figures::Koray { lights };
    Ok((experiment, results.timing))
}

/// An attempt to move, and what became of it.
struct Attempt {
    /// As UCI.
    uci: String,
    role: Role,
    /// The reason for which it is illegal; `None` for a legal move.
    illegal: Option<String>,
    detected: bool,
    interpreted: bool,
    /// Of an illegal one: announced as illegal.
    announced: bool,
    /// What was said instead, in words.
    said: String,
}

/// What was tried at the board, legal or not, as the truth has it.
struct Tried<'a> {
    /// The pictures that show it.
    pictures: Range<usize>,
    /// As UCI.
    uci: &'a str,
    /// The reason for which it is illegal; `None` for a legal move.
    illegal: Option<&'a str>,
    /// How many plies were played before.
    ply: usize,
}

/// Everything that was tried, in its order.
fn tried(truth: &Truth) -> Vec<Tried<'_>> {
    let mut all: Vec<Tried<'_>> = incidents(truth)
        .into_iter()
        .filter(|i| i.shown)
        .map(|i| Tried {
            ply: truth.rows[i.pictures.start].ply,
            pictures: i.pictures,
            uci: i.uci,
            illegal: Some(i.event.strip_prefix("illegal:").unwrap_or_default()),
        })
        .collect();
    for (index, uci) in truth.plies.iter().enumerate() {
        // From the first picture in which the ply stands to the end of those that show nothing later.
        let stands = |row: &crate::truth::Row| row.ply == index + 1 && !row.event.starts_with("illegal");
        let Some(first) = truth.rows.iter().position(stands) else { continue };
        let last = truth.rows.iter().rposition(stands).unwrap_or(first);
        all.push(Tried { pictures: first..last + 1, uci, illegal: None, ply: index });
    }
    all.sort_by_key(|tried| tried.pictures.start);
    all
}

/// All attempts of a show in their order.
fn attempts(done: &Done) -> Vec<Attempt> {
    let truth = &done.shown.truth;
    let positions = positions(truth);
    tried(truth).iter().map(|tried| attempt(done, tried, positions.get(tried.ply))).collect()
}

/// What became of an attempt in this position.
fn attempt(done: &Done, tried: &Tried<'_>, position: Option<&Chess>) -> Attempt {
    let shown = |frame: &usize| tried.pictures.contains(frame);
    let told: Vec<&Event> =
        done.shown.events.iter().filter(|(frame, _)| shown(frame)).map(|(_, event)| event).collect();
    let reasons: Vec<IllegalReason> = told
        .iter()
        .filter_map(|event| if let Event::Illegal { reasons, .. } = event { Some(reasons.iter()) } else { None })
        .flatten()
        .collect();
    let interpreted = match tried.illegal {
        None => done.shown.score.faults.iter().all(|fault| fault.ply != tried.ply + 1),
        Some(reason) => reasons.iter().any(|r| r.word() == reason),
    };
    let squares = squares(tried.uci);
    Attempt {
        uci: tried.uci.to_owned(),
        role: role(position, tried.uci),
        illegal: tried.illegal.map(str::to_owned),
        detected: interpreted || told.iter().any(|event| names(event, squares)),
        interpreted,
        announced: told.iter().any(|event| matches!(event, Event::Illegal { .. })),
        said: said(&told, &reasons),
    }
}

/// Does an event name the squares of an attempt: in a move, a warning, or a question to look at them?
fn names(event: &Event, tried: Bitboard) -> bool {
    match event {
        Event::Move { uci, .. } | Event::Revised { uci, .. } => squares(&uci.to_string()) == tried,
        Event::Illegal { squares, .. } | Event::Uncertain { squares } => tried.is_subset(*squares),
        _ => false,
    }
}

/// What was told, in words: moves and questions, then reasons.
fn said(told: &[&Event], reasons: &[IllegalReason]) -> String {
    let words = told.iter().filter_map(|event| match event {
        Event::Move { san, .. } => Some(san.to_string()),
        Event::Uncertain { squares } => {
            let names: Vec<String> = squares.into_iter().map(|square| square.to_string()).collect();
            Some(format!("look at {}", names.join(" ")))
        }
        _ => None,
    });
    let said: Vec<String> = words.chain(reasons.iter().map(|r| r.word())).collect();
    if said.is_empty() { "nothing".into() } else { said.join(", ") }
}

fn positions(truth: &Truth) -> Vec<Chess> {
    let start = truth.start_fen.as_deref().and_then(|fen| Start::from_fen(fen).ok()).unwrap_or_default();
    let mut positions = vec![start.position().clone()];
    for uci in &truth.plies {
        let Some(last) = positions.last() else { break };
        let Some(m) = uci.parse::<UciMove>().ok().and_then(|u| u.to_move(last).ok()) else { break };
        let mut next = last.clone();
        next.play_unchecked(m);
        positions.push(next);
    }
    positions
}

/// From where and to where, in algebraic notation.
fn squares(uci: &str) -> Bitboard {
    [0, 2].iter().filter_map(|&i| uci.get(i..i + 2)?.parse::<Square>().ok()).collect()
}

fn role(position: Option<&Chess>, uci: &str) -> Role {
    let from: Option<Square> = uci.get(0..2).and_then(|s| s.parse().ok());
    position.zip(from).and_then(|(p, s)| p.board().role_at(s)).unwrap_or(Role::Pawn)
}

fn figures(light: &str, attempts: &[Attempt]) -> LightFigures {
    let rate = |of: &dyn Fn(&Attempt) -> bool, test: &dyn Fn(&Attempt) -> bool| {
        let all: Vec<&Attempt> = attempts.iter().filter(|a| of(a)).collect();
        Rate::new(all.iter().filter(|a| test(a)).count(), all.len())
    };
    let missed = attempts.iter().enumerate().filter(|(_, a)| !a.interpreted).map(|(i, _)| i + 1);
    LightFigures {
        light: light.into(),
        detected: rate(&|_| true, &|a| a.detected),
        interpreted: rate(&|_| true, &|a| a.interpreted),
        illegal_announced: rate(&|a| a.illegal.is_some(), &|a| a.announced),
        reason_right: rate(&|a| a.illegal.is_some(), &|a| a.interpreted),
        missed: missed.collect(),
    }
}

fn by_light(lights: &[LightFigures], wrong: &[usize]) -> Table {
    let cell = |r: &Rate| format!("{} ({})", r.percent_text(), r.count_text());
    let row = |name: &str, f: &LightFigures, theirs: String, wrong: usize| {
        vec![
            name.to_owned(),
            theirs,
            cell(&f.detected),
            cell(&f.interpreted),
            f.interpreted.interval_text(),
            f.illegal_announced.count_text(),
            f.reason_right.count_text(),
            wrong.to_string(),
        ]
    };
    let mut rows: Vec<_> = LIGHTS
        .iter()
        .zip(lights)
        .zip(wrong)
        .map(|(((light, theirs), figures), wrong)| row(light, figures, format!("{theirs} (/100)"), *wrong))
        .collect();
    let sum = lights.iter().fold(LightFigures::default(), |sum, f| LightFigures {
        detected: sum.detected.and(f.detected),
        interpreted: sum.interpreted.and(f.interpreted),
        illegal_announced: sum.illegal_announced.and(f.illegal_announced),
        reason_right: sum.reason_right.and(f.reason_right),
        ..sum
    });
    rows.push(row("all", &sum, "96.3 (289/300)".into(), wrong.iter().sum()));
    let header = [
        "light",
        "theirs, %",
        "detected, %",
        "interpreted, %",
        "95 % interval",
        "illegal announced",
        "reason right",
        "false warnings",
    ];
    table("By light", &header, rows)
}

fn by_man(attempts: &[Vec<Attempt>]) -> Table {
    let rows = Role::ALL
        .iter()
        .zip(THEIR_ILLEGAL)
        .map(|(&role, theirs)| {
            let of = |attempts: &[Attempt]| {
                let all: Vec<&Attempt> = attempts.iter().filter(|a| a.illegal.is_some() && a.role == role).collect();
                let count = |test: &dyn Fn(&&&Attempt) -> bool| all.iter().filter(test).count();
                format!("{} / {} / {}", all.len(), count(&|a| a.announced), count(&|a| a.interpreted))
            };
            [role_name(role).to_owned(), theirs.to_string()].into_iter().chain(attempts.iter().map(|a| of(a))).collect()
        })
        .collect();
    let header = ["man", "theirs (all right)", "yellow", "white", "day"];
    table("Illegal attempts by man: shown / announced / with the right reason", &header, rows)
}

fn missed(attempts: &[Vec<Attempt>]) -> Table {
    let mut rows: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for (light, of_light) in attempts.iter().enumerate() {
        for (i, a) in of_light.iter().enumerate().filter(|(_, a)| !a.interpreted) {
            let what = a.illegal.as_ref().map_or_else(|| "legal".to_owned(), |why| format!("illegal: {why}"));
            let cells = rows.entry(i + 1).or_insert_with(|| {
                vec![
                    format!(
                        "{} {}{} ({what})",
                        i + 1,
                        if a.role == Role::Pawn { String::new() } else { format!("{} ", role_name(a.role)) },
                        a.uci
                    ),
                    "right".into(),
                    "right".into(),
                    "right".into(),
                ]
            });
            cells[light + 1] = a.said.clone();
        }
    }
    table(
        "Attempts not interpreted rightly, and what was said",
        &["attempt", "yellow", "white", "day"],
        rows.into_values().collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_has_seventy_legal_plies() {
        let games = crate::experiments::lab::games(SCRIPT).unwrap();
        assert_eq!((games.len(), games[0].plies(), games[0].story.incidents.len()), (1, 70, 30));
        assert_eq!(THEIR_ILLEGAL.iter().sum::<usize>(), 30);
    }
}
