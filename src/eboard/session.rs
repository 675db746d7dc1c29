//! What one program asks, and what it is answered. Whatever is asked, there is an answer; nothing that is asked changes a
//! board.

use std::{
    collections::BTreeSet,
    time::{SystemTime, UNIX_EPOCH},
};

use serde_json::{Value, json};

use super::{
    feed::Feed,
    placement,
    serial::{Known, boards},
};
use crate::display::{Hall, hall::Stand};

/// Boards that one program can follow at a time: twice the largest hall that was tried.
const FEEDS: usize = 128;
/// The longest name that a program can give to a call or a feed.
const LONGEST_ID: usize = 64;
/// The only feed there is.
const FEED: &str = "eboardevent";

/// One connection.
#[derive(Debug)]
pub(super) struct Session {
    hall: Hall,
    /// The one board that it is to see; `None` for all.
    only: Option<String>,
    feeds: Vec<Feed>,
    /// Serial numbers of the boards that it wants turned.
    flipped: BTreeSet<String>,
}

impl Session {
    /// A program that has asked nothing yet. `only`: the board it is to see; `None` for all.
    #[must_use]
    pub fn new(hall: Hall, only: Option<String>) -> Self {
        Self { hall, only, feeds: Vec::new(), flipped: BTreeSet::new() }
    }

    /// Does it follow a board?
    #[must_use]
    pub(crate) fn follows(&self) -> bool {
        !self.feeds.is_empty()
    }

    fn boards(&self) -> Vec<Known> {
        let mut known = boards(&self.hall);
        known.retain(|board| self.only.as_ref().is_none_or(|only| *only == board.id));
        known
    }

    /// The list of boards.
    #[must_use]
    pub fn list(&self) -> Value {
        let one = |board: Known| {
            let stand = self.hall.stand(&board.id);
            let flipped = self.flipped.contains(&board.serial);
            let men = stand.as_ref().and_then(Stand::men).map(|(_, shown)| placement::text(&shown, flipped));
            json!({
                "serialnr": board.serial,
                "source": board.id,
                "state": if stand.is_some_and(|stand| stand.responds()) { "ACTIVE" } else { "NOTRESPONDING" },
                "battery": null,
                "comment": board.name,
                "board": men,
                "flipped": flipped,
                "clock": null,
            })
        };
        self.boards().into_iter().map(one).collect()
    }

    /// Hears a message; returns the answer, and what there is to tell after it.
    #[must_use]
    pub fn hear(&mut self, text: &str) -> Vec<String> {
        let asked: Value = serde_json::from_str(text).unwrap_or(Value::Null);
        let id = asked.get("id").filter(|id| is_id(id)).cloned();
        let answer = match (asked.get("call").and_then(Value::as_str), &id) {
            (Some(call), Some(_)) => self.answer(call, asked.get("param").unwrap_or(&Value::Null)),
            _ => Err("expected {\"id\":…,\"call\":…,\"param\":…}".into()),
        };
        let answer = match answer {
            Ok(param) => json!({ "response": "call", "id": id, "param": param, "time": now_ms() }),
            Err(message) => json!({ "response": "error", "id": id, "param": { "message": message }, "time": now_ms() }),
        };
        let mut said = vec![answer.to_string()];
        said.extend(self.news());
        said
    }

    fn answer(&mut self, call: &str, param: &Value) -> Result<Value, String> {
        match call {
            "eboards" => Ok(self.list()),
            "subscribe" => self.subscribe(param),
            "unsubscribe" => self.unsubscribe(param),
            "call" => {
                let method = param.get("method").and_then(Value::as_str).unwrap_or_default();
                let given = param.get("param").unwrap_or(&Value::Null);
                self.call(method, param.get("id"), given)
            }
            _ => Err(format!("{}: expected eboards, subscribe, unsubscribe or call", short(call))),
        }
    }

    fn subscribe(&mut self, param: &Value) -> Result<Value, String> {
        let feed = param.get("feed").and_then(Value::as_str).unwrap_or_default();
        if !feed.eq_ignore_ascii_case(FEED) {
            return Err(format!("subscribe: expected the feed {FEED}, got {}", short(feed)));
        }
        let id = param.get("id").filter(|id| is_id(id)).ok_or("subscribe: expected an id for the feed")?;
        let serial = param.get("param").and_then(|given| given.get("serialnr")).map(plain).unwrap_or_default();
        let board = self.boards().into_iter().find(|board| board.serial == serial);
        let board = board.ok_or_else(|| format!("subscribe: no board has the serialnr {}", short(&serial)))?;
        self.feeds.retain(|feed| plain(&feed.id) != plain(id));
        if self.feeds.len() == FEEDS {
            return Err(format!("subscribe: at most {FEEDS} feeds"));
        }
        self.feeds.push(Feed::new(id.clone(), board));
        Ok(Value::Null)
    }

    fn unsubscribe(&mut self, param: &Value) -> Result<Value, String> {
        let id = param.get("id").unwrap_or(param);
        let index = self.place(Some(id))?;
        self.feeds.remove(index);
        Ok(Value::Null)
    }

    /// Where a feed stands.
    fn place(&self, id: Option<&Value>) -> Result<usize, String> {
        let wanted = id.map(plain).unwrap_or_default();
        let place = self.feeds.iter().position(|feed| plain(&feed.id) == wanted);
        place.ok_or_else(|| format!("no feed has the id {}", short(&wanted)))
    }

    fn call(&mut self, method: &str, id: Option<&Value>, given: &Value) -> Result<Value, String> {
        let index = self.place(id)?;
        match method {
            "setup" => {
                let fen = given.get("fen").and_then(Value::as_str).ok_or("setup: expected a fen")?;
                self.feeds[index].set_up(fen)?;
            }
            "flip" => {
                let flip = given.get("flip").and_then(Value::as_bool).ok_or("flip: expected true or false")?;
                let serial = self.feeds[index].board.serial.clone();
                let _ = if flip { self.flipped.insert(serial.clone()) } else { self.flipped.remove(&serial) };
                self.feeds.iter_mut().filter(|feed| feed.board.serial == serial).for_each(Feed::tell_anew);
            }
            "unsubscribe" => drop(self.feeds.remove(index)),
            _ => return Err(format!("{}: expected setup, flip or unsubscribe; there is no clock", short(method))),
        }
        Ok(Value::Null)
    }

    /// What is new on the boards that are followed.
    #[must_use]
    pub fn news(&mut self) -> Vec<String> {
        let mut news = Vec::new();
        for feed in &mut self.feeds {
            if !self.hall.version(&feed.board.id).is_some_and(|version| feed.is_behind(version)) {
                continue;
            }
            let Some(stand) = self.hall.stand(&feed.board.id) else { continue };
            for param in feed.events(&stand, self.flipped.contains(&feed.board.serial)) {
                news.push(json!({ "response": "feed", "id": feed.id, "param": param, "time": now_ms() }).to_string());
            }
        }
        news
    }
}

/// A number or a short text.
fn is_id(id: &Value) -> bool {
    id.is_number() || id.as_str().is_some_and(|text| text.len() <= LONGEST_ID)
}

/// A number or a text as text: programs write serial numbers and ids either way.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Somebody else's text in a message of ours.
fn short(text: &str) -> String {
    format!("{:?}", text.chars().take(40).collect::<String>())
}

/// Milliseconds since the epoch.
fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or(u64::MAX)
}
