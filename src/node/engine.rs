//! The node that has an engine play one side: it answers on `opponent_moves`, for a robot's arm or a person who makes the moves.

use std::{
    process::ExitCode,
    sync::Arc,
    time::{Duration, Instant},
};

use r2r::RosParams;
use shakmaty::{CastlingMode, Color, EnPassantMode, Position as _, fen::Fen, san::SanPlus, uci::UciMove};
use tokio::sync::watch;

use super::{
    log::Log,
    opponent::{Theirs, listen},
    program::{Begun, Program, begin},
};
use crate::{
    display::record::Record,
    online::{
        engine::Engine,
        player::{AtBoard, Ply},
    },
};

/// Longest wait for messages: bounds how late the end of the node is noticed.
const SPIN: Duration = Duration::from_millis(20);
/// How often the board is looked at, and how long an engine that has failed is left alone.
const LOOK: Duration = Duration::from_millis(50);
const AGAIN: Duration = Duration::from_secs(5);

#[derive(RosParams, Debug, Clone)]
struct Params {
    /// Program of the engine, which speaks UCI.
    engine: String,
    /// Its options: Name=value; Name=value.
    options: String,
    /// Its side: white or black.
    color: String,
    /// How long it thinks about a move, in milliseconds, 1 to 600000.
    movetime_ms: i64,
    /// The observer's name, beside this node or absolute.
    observer: String,
    /// Follow /clock instead of the system's time.
    use_sim_time: bool,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            engine: "/usr/games/stockfish".into(),
            options: String::new(),
            color: "black".into(),
            movetime_ms: 1000,
            observer: "chess_observer".into(),
            use_sim_time: false,
        }
    }
}

/// What the engine is told.
struct Rules {
    engine: String,
    options: Vec<(String, String)>,
    color: Color,
    time: Duration,
}

impl Params {
    fn rules(&self) -> Result<Rules, String> {
        let color = match self.color.as_str() {
            "white" => Color::White,
            "black" => Color::Black,
            other => return Err(format!("parameter color: expected white or black, got {other:?}")),
        };
        let time = match u64::try_from(self.movetime_ms) {
            Ok(time @ 1..=600_000) => Duration::from_millis(time),
            _ => return Err(format!("parameter movetime_ms: expected 1 to 600000, got {}", self.movetime_ms)),
        };
        let option = |text: &str| match text.split_once('=') {
            Some((name, value)) if !text.contains(['\n', '\r']) => {
                Ok((name.trim().to_owned(), value.trim().to_owned()))
            }
            _ => Err(format!("parameter options: expected Name=value, got {text:?}")),
        };
        let options = self.options.split(';').map(str::trim).filter(|text| !text.is_empty()).map(option);
        Ok(Rules { engine: self.engine.clone(), options: options.collect::<Result<_, _>>()?, color, time })
    }
}

type Failure = Box<dyn std::error::Error>;

/// Runs the node until SIGINT or SIGTERM. 0 after an orderly end, 2 when it could not start.
#[must_use]
pub fn run() -> ExitCode {
    let program = Program {
        name: "engine_node",
        about: "Has an engine that speaks UCI play one side.",
        topics: "Hears:  pgn, board, moves\n\
                 Says:   opponent_moves\n",
    };
    program.run::<Params>(start)
}

fn start() -> Result<(), Failure> {
    let Begun { mut node, runtime, params, log, stop } = begin::<Params>("chess_engine", 2)?;
    let rules = params.rules()?;
    // An engine that cannot be started at all is told at once.
    let engine = Engine::start(&rules.engine, &rules.options)?;
    let (seen, sees) = watch::channel(AtBoard::default());
    listen(&mut node, &runtime, seen)?;
    let theirs = Theirs::new(&mut node, &params.observer, log.clone())?;
    log.info(&format!("{} plays {}", rules.engine, params.color));
    let over = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let (ended, handle) = (Arc::clone(&over), runtime.handle().clone());
    let thinker = std::thread::spawn(move || {
        let _guard = handle.enter();
        think(&rules, engine, &sees, &theirs, &log, &ended);
    });
    while !stop.is_finished() {
        node.spin_once(SPIN);
    }
    over.store(true, std::sync::atomic::Ordering::Relaxed);
    // An engine in thought is not waited for: it ends with this process, whose pipe it reads.
    let patience = Instant::now() + Duration::from_secs(1);
    while !thinker.is_finished() && Instant::now() < patience {
        std::thread::sleep(LOOK);
    }
    runtime.shutdown_timeout(Duration::from_millis(500));
    Ok(())
}

/// Answers whenever it is the engine's turn on a board at rest.
fn think(
    rules: &Rules,
    engine: Engine,
    sees: &watch::Receiver<AtBoard>,
    theirs: &Theirs,
    log: &Log,
    over: &std::sync::atomic::AtomicBool,
) {
    let mut engine = Some(engine);
    let mut answered: Option<Arc<Record>> = None;
    while !over.load(std::sync::atomic::Ordering::Relaxed) {
        std::thread::sleep(LOOK);
        let Some(record) = turn(rules, &sees.borrow()) else { continue };
        if answered.as_ref().is_some_and(|answered| same(answered, &record)) {
            continue;
        }
        let Some(position) = record.positions.last() else { continue };
        let thought = match &mut engine {
            Some(engine) => engine.think(&record.game, position, rules.time),
            None => Err("it is started again".into()),
        };
        match thought {
            // The board may show something else by now: the next look says so.
            Ok(_) if !turn(rules, &sees.borrow()).is_some_and(|now| same(&now, &record)) => {}
            Ok(mv) => {
                let mut after = position.clone();
                let uci = UciMove::from_move(mv, CastlingMode::Standard).to_string();
                let san = SanPlus::from_move_and_play_unchecked(&mut after, mv).to_string();
                let ply = Ply { number: record.sans.len() + 1, uci, san };
                theirs.tell(&ply, Fen::from_position(&after, EnPassantMode::Legal).to_string());
                theirs.expect(&ply);
                answered = Some(record);
            }
            Err(why) => {
                log.warn(&why);
                drop(engine.take());
                std::thread::sleep(AGAIN);
                engine = Engine::start(&rules.engine, &rules.options).map_err(|why| log.error(&why)).ok();
            }
        }
    }
}

/// The game, where it is the engine's turn on a board at rest.
fn turn(rules: &Rules, seen: &AtBoard) -> Option<Arc<Record>> {
    let record = seen.record.as_ref().filter(|record| seen.at_rest && !record.is_over())?;
    let position = record.positions.last()?;
    (position.turn() == rules.color && !position.is_game_over()).then(|| Arc::clone(record))
}

/// The same moves from the same position.
fn same(a: &Record, b: &Record) -> bool {
    a.game.start == b.game.start && a.game.moves == b.game.moves
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_checked() {
        let rules = Params { options: "Skill Level=5; Threads = 1;".into(), ..Params::default() }.rules().unwrap();
        assert_eq!(rules.options, [("Skill Level", "5"), ("Threads", "1")].map(|(a, b)| (a.to_owned(), b.to_owned())));
        let wrong = |params: Params| params.rules().err().unwrap();
        assert!(wrong(Params { color: "red".into(), ..Params::default() }).contains("expected white or black"));
        assert!(wrong(Params { movetime_ms: 0, ..Params::default() }).contains("expected 1 to 600000, got 0"));
        assert!(wrong(Params { options: "x".into(), ..Params::default() }).contains("expected Name=value"));
    }
}
