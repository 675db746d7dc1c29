//! Streams that come back by themselves, each with waits that double from one second to a minute.

use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::{sync::mpsc, task::AbortHandle, time::sleep};

use super::{
    asks::{News, Request},
    client::{Client, Failed},
};

/// Waits before a stream is opened again: the first, and the longest.
pub(super) const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// A server that asks to be left alone says: for a minute.
pub(super) const LEFT_ALONE: Duration = Duration::from_secs(60);
/// A stream that has lasted so long was a good one: the next wait is the first again.
const GOOD: Duration = Duration::from_secs(30);

/// What the streams say.
pub(super) enum Heard {
    /// A line of the account's events.
    Account(String),
    /// A line of the game.
    Game(String),
    /// A stream has ended: which, and why.
    Ended(&'static str, String),
}

/// Holds a stream open until it is aborted.
pub(super) fn hold(
    client: Client,
    path: String,
    what: &'static str,
    word: fn(String) -> Heard,
    heard: mpsc::Sender<Heard>,
) -> AbortHandle {
    let task = tokio::spawn(async move {
        let mut wait = FIRST_WAIT;
        loop {
            let begun = Instant::now();
            let (to, mut lines) = mpsc::channel(64);
            let pass_on = async {
                while let Some(line) = lines.recv().await {
                    if heard.send(word(line)).await.is_err() {
                        return;
                    }
                }
            };
            let stream = async {
                let ended = client.lines(&path, &to).await;
                drop(to);
                ended
            };
            let (ended, ()) = tokio::join!(stream, pass_on);
            if begun.elapsed() >= GOOD {
                wait = FIRST_WAIT;
            }
            if ended == Err(Failed::Busy) {
                wait = LEFT_ALONE;
            }
            let why = ended.map_or_else(|failed| failed.to_string(), |()| "the server has ended it".into());
            if heard.send(Heard::Ended(what, why)).await.is_err() {
                return;
            }
            sleep(wait).await;
            wait = (2 * wait).min(LONGEST_WAIT);
        }
    });
    task.abort_handle()
}

/// The account's name, as soon as the server tells it; who asks for something meanwhile is told why it cannot be done. `None`
/// when nobody asks any more.
pub(super) async fn account(
    client: &Client,
    asks: &mut mpsc::Receiver<Request>,
    told: &mpsc::Sender<News>,
) -> Option<String> {
    let mut next = FIRST_WAIT;
    loop {
        let wait = next;
        next = (2 * wait).min(LONGEST_WAIT);
        let attempt = async {
            let failed = match name(client).await {
                Ok(name) => return Some(name),
                Err(failed) => failed,
            };
            let wait = if failed == Failed::Busy { LEFT_ALONE } else { wait };
            let text = format!("the account cannot be asked for: {failed}; again in {} s", wait.as_secs());
            let _ = told.send(News::Notice(text)).await;
            sleep(wait).await;
            None
        };
        tokio::pin!(attempt);
        let named = loop {
            tokio::select! {
                named = &mut attempt => break named,
                asked = asks.recv() => {
                    let _ = asked?.answer.send(Err("the server has not been reached yet".into()));
                }
            }
        };
        if named.is_some() {
            return named;
        }
    }
}

async fn name(client: &Client) -> Result<String, Failed> {
    let account = client.get("/api/account").await?;
    let id = account.get("id").and_then(Value::as_str).map(str::to_owned);
    id.ok_or_else(|| Failed::Unknown("the account has no name".into()))
}
