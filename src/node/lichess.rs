//! The node that plays a game with somebody far away: the camera's moves go to the server, the other side's moves come back
//! ([`crate::online`]).
//!
//! One thread spins the node; the runtime's threads turn messages into what the board says, and hold the connections.

use std::{process::ExitCode, time::Duration};

use futures::StreamExt as _;
use r2r::{
    Node, Publisher, QosProfile, RosParams,
    chess_observer::msg::Position,
    diagnostic_msgs::msg::{DiagnosticArray, DiagnosticStatus, KeyValue},
    std_msgs::msg::String as Text,
    std_srvs::srv::Trigger,
};
use serde_json::Value;
use shakmaty::Color;
use tokio::{
    sync::{mpsc, oneshot, watch},
    task::JoinHandle,
};

use super::{
    clock::RosClock,
    log::Log,
    opponent::{LATCHED, Theirs, listen},
    program::{Begun, Program, begin},
};
use crate::{
    event::ending::Ending,
    online::{
        asks::{Ask, News, Request},
        client::Client,
        player::{AtBoard, Rules},
        table::{Settings, play},
        token::Token,
    },
};

/// Longest wait for messages: bounds how late the end of the node is noticed.
const SPIN: Duration = Duration::from_millis(20);
/// Time between two reports on `/diagnostics`.
const REPORT: Duration = Duration::from_secs(1);
/// Why a game is over whose players put the kings in the centre, as `position` says it.
const KINGS: &str = Ending::KingsInTheCentre.text();

#[derive(RosParams, Debug, Clone)]
struct Params {
    /// Address of the server.
    server: String,
    /// File whose first line is the account's token; empty: the environment variable LICHESS_TOKEN.
    token_file: String,
    /// Game to play; empty: the one that runs.
    game: String,
    /// Least confidence at which a move is sent without ~/confirm, 0.5 to 1.0.
    min_confidence: f64,
    /// How long a move has stood on the board when it is sent, in seconds, 0.0 to 60.0.
    settle_s: f64,
    /// Every move waits for ~/confirm.
    confirm_all: bool,
    /// Kings put in the centre that tell a loss or a draw resign the game or offer the draw.
    kings_gesture: bool,
    /// The observer's name, beside this node or absolute.
    observer: String,
    /// Follow /clock instead of the system's time.
    use_sim_time: bool,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            server: "https://lichess.org".into(),
            token_file: String::new(),
            game: String::new(),
            min_confidence: 0.98,
            settle_s: 0.5,
            confirm_all: false,
            kings_gesture: false,
            observer: "chess_observer".into(),
            use_sim_time: false,
        }
    }
}

impl Params {
    fn settings(&self) -> Result<Settings, String> {
        if !(0.5..=1.0).contains(&self.min_confidence) {
            return Err(format!("parameter min_confidence: expected 0.5 to 1.0, got {}", self.min_confidence));
        }
        if !(0.0..=60.0).contains(&self.settle_s) {
            return Err(format!("parameter settle_s: expected 0.0 to 60.0, got {}", self.settle_s));
        }
        let rules = Rules {
            least_confidence: self.min_confidence,
            settled: Duration::from_secs_f64(self.settle_s),
            confirm_all: self.confirm_all,
        };
        Ok(Settings { game: self.game.clone(), rules })
    }
}

type Failure = Box<dyn std::error::Error>;

/// Runs the node until SIGINT or SIGTERM. 0 after an orderly end, 2 when it could not start.
#[must_use]
pub fn run() -> ExitCode {
    let program = Program {
        name: "lichess_node",
        about: "Plays on a server with a board and a camera: the camera's moves go there, the other side's come back.",
        topics: "Hears:  pgn, board, moves, position\n\
                 Says:   opponent_moves, ~/state, /diagnostics\n\
                 Asked:  ~/confirm, ~/draw, ~/resign\n",
    };
    program.run::<Params>(start)
}

fn start() -> Result<(), Failure> {
    let Begun { mut node, runtime, params, log, stop } = begin::<Params>("chess_lichess", 2)?;
    let settings = params.settings()?;
    let token = Token::find(&params.token_file)?;
    if Token::is_open_to_others(&params.token_file) {
        log.warn(&format!("token_file {} can be read by others on this machine: chmod 600", params.token_file));
    }
    let client = Client::new(&params.server, Some(token))?;

    let (seen, sees) = watch::channel(AtBoard::default());
    let (asks, asked) = mpsc::channel(8);
    let (told, tells) = mpsc::channel(64);
    let _guard = runtime.enter();
    listen(&mut node, &runtime, seen)?;
    offer(&mut node, &runtime, &asks)?;
    if params.kings_gesture {
        gestures(&mut node, &runtime, &asks)?;
    }
    let teller = Teller::new(&mut node, &params, log.clone())?;
    runtime.spawn(play(client, settings, sees, asked, told));
    runtime.spawn(teller.tell(tells));
    log.info(&format!("plays on {}", params.server));
    spin(node, &stop);
    drop(asks);
    runtime.shutdown_timeout(Duration::from_millis(500));
    Ok(())
}

/// Offers what people can ask for.
fn offer(node: &mut Node, runtime: &tokio::runtime::Runtime, asks: &mpsc::Sender<Request>) -> Result<(), Failure> {
    for (name, ask) in [("~/confirm", Ask::Confirm), ("~/draw", Ask::Draw), ("~/resign", Ask::Resign)] {
        let mut requests = node.create_service::<Trigger::Service>(name, QosProfile::services_default())?;
        let asks = asks.clone();
        runtime.spawn(async move {
            while let Some(request) = requests.next().await {
                let (answer, answered) = oneshot::channel();
                let sent = asks.send(Request { ask, answer }).await.is_ok();
                let done = if sent { answered.await.ok() } else { None };
                let done = done.unwrap_or_else(|| Err("the node ends".into()));
                let (success, message) = done.map_or_else(|why| (false, why), |done| (true, done));
                let _ = request.respond(Trigger::Response { success, message });
            }
        });
    }
    Ok(())
}

/// What kings in the centre say is told to the server: a draw is offered, a lost game given up.
fn gestures(node: &mut Node, runtime: &tokio::runtime::Runtime, asks: &mpsc::Sender<Request>) -> Result<(), Failure> {
    let mut positions = node.subscribe::<Position>("position", LATCHED)?;
    let asks = asks.clone();
    runtime.spawn(async move {
        let mut over = false;
        while let Some(position) = positions.next().await {
            let kings = position.result_reason == KINGS;
            if kings && !over {
                let winners = [
                    (Position::RESULT_WHITE_WINS as u8, Color::White),
                    (Position::RESULT_BLACK_WINS as u8, Color::Black),
                ];
                let winner = winners.into_iter().find(|(result, _)| *result == position.result).map(|(_, color)| color);
                let (answer, _) = oneshot::channel();
                let _ = asks.send(Request { ask: Ask::Kings(winner), answer }).await;
            }
            over = kings;
        }
    });
    Ok(())
}

/// Publishes what the table tells.
struct Teller {
    theirs: Theirs,
    state: Publisher<Text>,
    reports: Publisher<DiagnosticArray>,
    clock: RosClock,
    name: String,
    log: Log,
}

impl Teller {
    fn new(node: &mut Node, params: &Params, log: Log) -> r2r::Result<Self> {
        Ok(Self {
            theirs: Theirs::new(node, &params.observer, log.clone())?,
            state: node.create_publisher("~/state", LATCHED)?,
            reports: node.create_publisher("/diagnostics", QosProfile::default().keep_last(1))?,
            clock: RosClock::of(node),
            name: node.fully_qualified_name()?.trim_start_matches('/').to_owned(),
            log,
        })
    }

    async fn tell(self, mut told: mpsc::Receiver<News>) {
        let mut state = Value::Null;
        let mut reports = tokio::time::interval(REPORT);
        reports.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            let news = tokio::select! {
                news = told.recv() => news,
                _ = reports.tick() => {
                    self.report(&state);
                    continue;
                }
            };
            match news {
                None => return,
                Some(News::Notice(text)) => self.log.info(&text),
                Some(News::Theirs(ply, fen)) => self.theirs.tell(&ply, fen),
                Some(News::Expect(ply)) => self.theirs.expect(&ply),
                Some(News::State(new)) => {
                    let _ = self.state.publish(&Text { data: new.to_string() });
                    state = new;
                }
            }
        }
    }

    fn report(&self, state: &Value) {
        let text = |key: &str| match &state[key] {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            other => other.to_string(),
        };
        let problem = text("problem");
        let level = if problem.is_empty() { DiagnosticStatus::OK as u8 } else { DiagnosticStatus::WARN as u8 };
        let keys =
            ["account", "game", "color", "status", "standing", "wtime_ms", "btime_ms", "draw_offered", "problem"];
        let values = keys.map(|key| KeyValue { key: key.into(), value: text(key) });
        let status = DiagnosticStatus {
            level,
            name: format!("{}: game", self.name),
            message: if problem.is_empty() { text("standing") } else { problem },
            values: values.into(),
            ..DiagnosticStatus::default()
        };
        let mut message = DiagnosticArray { status: vec![status], ..DiagnosticArray::default() };
        message.header.stamp = self.clock.stamp();
        let _ = self.reports.publish(&message);
    }
}

/// Spins the node until a signal comes.
fn spin(mut node: Node, stop: &JoinHandle<()>) {
    while !stop.is_finished() {
        node.spin_once(SPIN);
    }
}
