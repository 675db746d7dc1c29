//! The games of a round, brought to a broadcast: whenever the text at an address is another one, the newest whole text goes to
//! the server. Nothing queues, and no game waits for it.

use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::{sync::watch, time::sleep};

use super::client::{Client, Failed};

/// How often the games are asked for: an answer that nothing is new costs little.
const LOOK: Duration = Duration::from_secs(1);
/// Waits after a failure: the first, and the longest.
const FIRST_WAIT: Duration = Duration::from_secs(2);
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// How the broadcast is doing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Doing {
    /// Texts that the server has taken.
    pub pushed: u64,
    /// Attempts that failed.
    pub failed: u64,
    /// The newest text is with the server.
    pub up_to_date: bool,
    /// What went wrong last; empty while nothing is wrong.
    pub problem: String,
    /// Games of the last answer that the server could not read.
    pub games_refused: usize,
    /// When a text was taken last.
    pub last: Option<Instant>,
}

/// Where the games come from and go to.
#[derive(Debug, Clone)]
pub struct Ways {
    /// The server that has the games, and their path.
    pub source: (Client, String),
    /// The server of the broadcast.
    pub server: Client,
    /// The round there.
    pub round: String,
    /// Least time between two texts.
    pub pause: Duration,
}

/// Brings the games for ever.
pub async fn push(ways: Ways, doing: watch::Sender<Doing>) {
    let (mut known, mut text, mut wait) = (String::new(), None, FIRST_WAIT);
    loop {
        match ways.source.0.text(&ways.source.1, &known).await {
            Ok(Some((tag, new))) => {
                (known, text) = (tag, Some(new));
                doing.send_modify(|doing| doing.up_to_date = false);
            }
            Ok(None) => {}
            Err(failed) => doing.send_modify(|doing| doing.problem = format!("the games cannot be read: {failed}")),
        }
        let Some(newest) = &text else {
            sleep(LOOK).await;
            continue;
        };
        let path = format!("/api/broadcast/round/{}/push", ways.round);
        match ways.server.post(&path, newest.to_vec()).await {
            Ok(answer) => {
                (text, wait) = (None, FIRST_WAIT);
                doing.send_modify(|doing| doing.taken(&answer));
                sleep(ways.pause.max(LOOK)).await;
            }
            Err(failed) => {
                if failed == Failed::Busy {
                    wait = LONGEST_WAIT;
                }
                doing.send_modify(|doing| doing.failed(&failed));
                sleep(wait).await;
                wait = (2 * wait).min(LONGEST_WAIT);
            }
        }
    }
}

impl Doing {
    fn taken(&mut self, answer: &Value) {
        let games = answer.get("games").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        self.games_refused =
            games.iter().filter(|game| game.get("error").is_some_and(|error| !error.is_null())).count();
        self.problem = match self.games_refused {
            0 => String::new(),
            refused => format!("the server could not read {refused} of {} games", games.len()),
        };
        (self.pushed, self.up_to_date, self.last) = (self.pushed + 1, true, Some(Instant::now()));
    }

    fn failed(&mut self, failed: &Failed) {
        self.failed += 1;
        self.problem = format!("the games were not taken: {failed}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_the_server_could_not_read_is_counted() {
        let mut doing = Doing { problem: "before".into(), ..Doing::default() };
        doing.taken(&json!({ "games": [{ "tags": {}, "moves": 3 }, { "tags": {}, "error": null }] }));
        assert_eq!((doing.pushed, doing.up_to_date, doing.problem.as_str()), (1, true, ""));
        doing.taken(&json!({ "games": [{ "tags": {}, "error": "no such move" }, {}] }));
        assert_eq!((doing.games_refused, doing.problem.as_str()), (1, "the server could not read 1 of 2 games"));
        doing.failed(&Failed::Busy);
        assert_eq!((doing.failed, doing.pushed), (1, 2));
        doing.taken(&serde_json::Value::Null);
        assert!(doing.problem.is_empty());
    }
}
