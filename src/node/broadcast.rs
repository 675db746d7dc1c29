//! The node that brings the games of a round to a broadcast ([`crate::online::broadcast`]): from the display's address, or any
//! other that has PGN.

use std::{
    process::ExitCode,
    time::{Duration, Instant},
};

use r2r::{
    QosProfile, RosParams,
    diagnostic_msgs::msg::{DiagnosticArray, DiagnosticStatus, KeyValue},
};
use tokio::sync::watch;

use super::{
    clock::RosClock,
    program::{Begun, Program, begin},
};
use crate::online::{
    broadcast::{Doing, Ways, push},
    client::Client,
    token::Token,
};

/// Longest wait for messages: bounds how late the end of the node is noticed.
const SPIN: Duration = Duration::from_millis(50);
/// Time between two reports on `/diagnostics`.
const REPORT: Duration = Duration::from_secs(1);

#[derive(RosParams, Debug, Clone)]
struct Params {
    /// Address of the games as PGN: the display's.
    source: String,
    /// Address of the server.
    server: String,
    /// Name of the broadcast's round, as its address ends.
    round: String,
    /// File whose first line is the account's token; empty: the environment variable LICHESS_TOKEN.
    token_file: String,
    /// Least time between two texts, in whole seconds, 1 to 600.
    pause_s: i64,
    /// Follow /clock instead of the system's time.
    use_sim_time: bool,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            source: "http://127.0.0.1:8080/games.pgn".into(),
            server: "https://lichess.org".into(),
            round: String::new(),
            token_file: String::new(),
            pause_s: 5,
            use_sim_time: false,
        }
    }
}

impl Params {
    fn ways(&self) -> Result<Ways, String> {
        let name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if self.round.is_empty() || !self.round.chars().all(name) {
            return Err(format!(
                "parameter round: expected the name of a round, letters and digits, got {:?}",
                self.round
            ));
        }
        let pause = match u64::try_from(self.pause_s) {
            Ok(seconds @ 1..=600) => Duration::from_secs(seconds),
            _ => return Err(format!("parameter pause_s: expected 1 to 600, got {}", self.pause_s)),
        };
        let split = self.source.split_once("://").and_then(|(kind, rest)| {
            let (host, path) = rest.split_once('/')?;
            Some((format!("{kind}://{host}"), format!("/{path}")))
        });
        let (host, path) = split.ok_or_else(|| {
            format!(
                "parameter source: expected an address such as http://127.0.0.1:8080/games.pgn, got {:?}",
                self.source
            )
        })?;
        let source = (Client::new(&host, None)?, path);
        let server = Client::new(&self.server, Some(Token::find(&self.token_file)?))?;
        Ok(Ways { source, server, round: self.round.clone(), pause })
    }
}

type Failure = Box<dyn std::error::Error>;

/// Runs the node until SIGINT or SIGTERM. 0 after an orderly end, 2 when it could not start.
#[must_use]
pub fn run() -> ExitCode {
    let program = Program {
        name: "broadcast_node",
        about: "Brings the games of a round to a broadcast.",
        topics: "Says:   /diagnostics\n",
    };
    program.run::<Params>(start)
}

fn start() -> Result<(), Failure> {
    let Begun { mut node, runtime, params, log, stop } = begin::<Params>("chess_broadcast", 1)?;
    let ways = params.ways()?;
    if Token::is_open_to_others(&params.token_file) {
        log.warn(&format!("token_file {} can be read by others on this machine: chmod 600", params.token_file));
    }
    let (doing, done) = watch::channel(Doing::default());
    runtime.spawn(push(ways, doing));
    log.info(&format!("brings {} to round {} on {}", params.source, params.round, params.server));
    let reports = node.create_publisher::<DiagnosticArray>("/diagnostics", QosProfile::default().keep_last(1))?;
    let (clock, name) = (RosClock::of(&node), node.fully_qualified_name()?.trim_start_matches('/').to_owned());
    let (mut told, mut problem): (Option<Instant>, String) = (None, String::new());
    while !stop.is_finished() {
        node.spin_once(SPIN);
        if told.is_none_or(|then| then.elapsed() >= REPORT) {
            told = Some(Instant::now());
            let doing = done.borrow().clone();
            if doing.problem != problem {
                problem.clone_from(&doing.problem);
                log.info(if problem.is_empty() { "the games are taken again" } else { &problem });
            }
            let mut message = report(&name, &doing);
            message.header.stamp = clock.stamp();
            let _ = reports.publish(&message);
        }
    }
    runtime.shutdown_timeout(Duration::from_millis(500));
    Ok(())
}

fn report(name: &str, doing: &Doing) -> DiagnosticArray {
    let ok = doing.problem.is_empty();
    let values = [
        ("pushed", doing.pushed.to_string()),
        ("failed", doing.failed.to_string()),
        ("up_to_date", doing.up_to_date.to_string()),
        ("games_refused", doing.games_refused.to_string()),
        ("last_s", doing.last.map_or_else(String::new, |at| format!("{:.1}", at.elapsed().as_secs_f64()))),
    ];
    let status = DiagnosticStatus {
        level: if ok { DiagnosticStatus::OK as u8 } else { DiagnosticStatus::WARN as u8 },
        name: format!("{name}: broadcast"),
        message: if ok { "the games are with the server".into() } else { doing.problem.clone() },
        values: values.map(|(key, value)| KeyValue { key: key.into(), value }).into(),
        ..DiagnosticStatus::default()
    };
    DiagnosticArray { status: vec![status], ..DiagnosticArray::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_checked_before_anything_is_sent() {
        let with = |params: Params| params.ways().unwrap_err();
        assert!(with(Params::default()).contains("parameter round: expected the name"));
        assert!(with(Params { round: "a/b".into(), ..Params::default() }).contains("got \"a/b\""));
        assert!(
            with(Params { round: "a".into(), pause_s: 0, ..Params::default() }).contains("expected 1 to 600, got 0")
        );
        assert!(
            with(Params { round: "a".into(), source: "games".into(), ..Params::default() })
                .contains("parameter source")
        );
    }
}
