//! Plays: brings server, board and player together.
//!
//! One task decides; others hold the streams open, each with waits that double from one second to a minute, and carry one
//! request at a time to the server. Nothing waits for a slow server but what depends on it.

use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use shakmaty::{Color, EnPassantMode, Position as _, fen::Fen};
use tokio::{
    sync::{mpsc, watch},
    task::{AbortHandle, JoinHandle},
    time::sleep,
};

use super::{
    asks::{Ask, News, Request},
    client::{Client, Failed},
    player::{AtBoard, Player, Ply, Rules, Standing},
    streams::{FIRST_WAIT, Heard, LEFT_ALONE, account, hold},
    words::{AccountEvent, GameEvent, GameFull, Online, State},
};

/// How often the player decides without being told anything: a move has to stand for a moment.
const TICK: Duration = Duration::from_millis(100);
/// A move that was accepted is told on the stream by then; else the game is asked for anew.
const TOLD_BY: Duration = Duration::from_secs(10);

/// How it is played.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The game to play; empty: the one that runs.
    pub game: String,
    /// When moves are sent.
    pub rules: Rules,
}

/// The table.
struct Table {
    client: Client,
    settings: Settings,
    me: String,
    player: Player,
    running: BTreeSet<String>,
    /// The game whose stream is open.
    open: Option<(String, AbortHandle)>,
    heard: mpsc::Sender<Heard>,
    told: mpsc::Sender<News>,
    /// A move on its way.
    posting: Option<JoinHandle<Result<Value, Failed>>>,
    not_before: Option<Instant>,
    accepted: Option<Instant>,
    /// Plies of the game that were told already.
    told_plies: usize,
    last_state: Value,
    /// The game whose end was told last.
    ended: Option<String>,
    problem: String,
}

/// Plays until the streams of the board or of the people end.
pub async fn play(
    client: Client,
    settings: Settings,
    mut seen: watch::Receiver<AtBoard>,
    mut asks: mpsc::Receiver<Request>,
    told: mpsc::Sender<News>,
) {
    let (heard, mut hears) = mpsc::channel(64);
    let Some(me) = account(&client, &mut asks, &told).await else { return };
    let events = hold(client.clone(), "/api/stream/event".into(), "account", Heard::Account, heard.clone());
    let mut table = Table::new(client, settings, me, heard, told);
    let mut tick = tokio::time::interval(TICK);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            heard = hears.recv() => match heard {
                Some(heard) => table.hear(heard).await,
                None => break,
            },
            changed = seen.changed() => {
                if changed.is_err() {
                    break;
                }
                let now = seen.borrow_and_update().clone();
                table.player.see(now);
            }
            asked = asks.recv() => match asked {
                Some(request) => table.answer(request).await,
                None => break,
            },
            _ = tick.tick() => {}
        }
        table.decide().await;
    }
    events.abort();
    table.close();
}

impl Table {
    fn new(
        client: Client,
        settings: Settings,
        me: String,
        heard: mpsc::Sender<Heard>,
        told: mpsc::Sender<News>,
    ) -> Self {
        let player = Player::new(settings.rules);
        Self {
            client,
            settings,
            me,
            player,
            running: BTreeSet::new(),
            open: None,
            heard,
            told,
            posting: None,
            not_before: None,
            accepted: None,
            told_plies: 0,
            last_state: Value::Null,
            ended: None,
            problem: String::new(),
        }
    }

    fn close(&mut self) {
        if let Some((_, stream)) = self.open.take() {
            stream.abort();
        }
    }

    async fn say(&self, told: News) {
        let _ = self.told.send(told).await;
    }

    async fn hear(&mut self, heard: Heard) {
        match heard {
            Heard::Account(line) => match serde_json::from_str(&line) {
                Ok(AccountEvent::GameStart { game }) => drop(self.running.insert(game.id)),
                // How it ended, its own stream tells; it may have closed before it did.
                Ok(AccountEvent::GameFinish { game }) if self.is_open(&game.id) => self.ask_anew(),
                Ok(AccountEvent::GameFinish { game }) => drop(self.running.remove(&game.id)),
                _ => {}
            },
            Heard::Game(line) => match serde_json::from_str(&line) {
                Ok(GameEvent::GameFull(full)) => self.hear_full(&full).await,
                Ok(GameEvent::GameState(state)) => self.hear_state(state).await,
                _ => {}
            },
            Heard::Ended(what, why) => {
                self.problem = format!("{what} stream: {why}");
                self.say(News::Notice(self.problem.clone())).await;
            }
        }
    }

    async fn hear_full(&mut self, full: &GameFull) {
        self.problem.clear();
        match Online::read(full, &self.me) {
            Ok(game) => {
                let same = self.player.game().is_some_and(|known| known.id == game.id);
                if !same {
                    // Of what was played before, the last move alone is news.
                    self.told_plies = game.ucis.len().saturating_sub(1);
                    let side = if game.color == Color::White { "White" } else { "Black" };
                    self.say(News::Notice(format!("game {}: plays {side}", game.id))).await;
                }
                self.player.hear(Some(game.clone()), true);
                self.tell_theirs().await;
                self.tell_end(&game).await;
            }
            Err(why) => {
                self.say(News::Notice(why)).await;
                self.running.remove(&full.id);
            }
        }
    }

    async fn hear_state(&mut self, state: State) {
        let Some(mut game) = self.player.game().cloned() else { return };
        let offered = their_offer(&game);
        if let Err(why) = game.hear(state) {
            self.say(News::Notice(why)).await;
            return;
        }
        if their_offer(&game) && !offered {
            self.say(News::Notice("the other side offers a draw: ~/draw accepts it".into())).await;
        }
        self.told_plies = self.told_plies.min(game.ucis.len());
        self.player.hear(Some(game.clone()), false);
        self.tell_theirs().await;
        self.tell_end(&game).await;
    }

    /// Tells the end of a game, once.
    async fn tell_end(&mut self, game: &Online) {
        if !game.runs() && self.ended.as_ref() != Some(&game.id) {
            self.ended = Some(game.id.clone());
            let winner = game.state.winner.as_deref().unwrap_or("nobody");
            self.say(News::Notice(format!("game {} is over: {}, {winner} has won", game.id, game.state.status))).await;
        }
        if !game.runs() {
            self.running.remove(&game.id);
        }
    }

    fn is_open(&self, id: &str) -> bool {
        self.open.as_ref().is_some_and(|(open, _)| open == id)
    }

    /// Tells the moves of the other side that are new.
    async fn tell_theirs(&mut self) {
        let Some(game) = self.player.game().cloned() else { return };
        for index in self.told_plies..game.ucis.len() {
            let theirs = game.positions[index].turn() != game.color;
            if let (true, Some(ply)) = (theirs, super::player::ply_of(&game, index)) {
                let fen = Fen::from_position(&game.positions[index + 1], EnPassantMode::Legal).to_string();
                self.say(News::Theirs(ply.clone(), fen)).await;
                if index + 1 == game.ucis.len() {
                    self.say(News::Expect(ply)).await;
                }
            }
        }
        self.told_plies = game.ucis.len();
    }

    /// Opens the stream of the game that is to be played.
    async fn choose(&mut self) {
        let wanted = if self.settings.game.is_empty() {
            match self.running.len() {
                1 => self.running.first().cloned(),
                // Which one is not for us to guess; the one that is played goes on.
                _ => self.open.as_ref().map(|(id, _)| id.clone()).filter(|id| self.running.contains(id)),
            }
        } else {
            Some(self.settings.game.clone())
        };
        if self.open.as_ref().map(|(id, _)| id) == wanted.as_ref() {
            return;
        }
        self.close();
        match wanted {
            Some(id) => self.open_game(id),
            None => self.player.hear(None, true),
        }
    }

    fn open_game(&mut self, id: String) {
        let path = format!("/api/board/game/stream/{}", plain(&id));
        self.open = Some((id, hold(self.client.clone(), path, "game", Heard::Game, self.heard.clone())));
    }

    /// The game is asked for anew: what the server has of it is not known.
    fn ask_anew(&mut self) {
        if let Some((id, stream)) = self.open.take() {
            stream.abort();
            self.open_game(id);
        }
    }

    async fn decide(&mut self) {
        self.choose().await;
        self.take_answer().await;
        let now = Instant::now();
        let standing = self.player.standing(now);
        let may = self.posting.is_none() && self.not_before.is_none_or(|until| now >= until);
        match &standing {
            Standing::Send(ply) if may => self.send(ply.clone()).await,
            Standing::Sent(_) if self.accepted.is_some_and(|at| now.duration_since(at) > TOLD_BY) => {
                self.accepted = None;
                self.player.unknown();
                self.ask_anew();
            }
            _ => {}
        }
        let state = self.state(&standing);
        if state != self.last_state {
            self.last_state = state.clone();
            self.say(News::State(state)).await;
        }
    }

    async fn send(&mut self, ply: Ply) {
        let Some(game) = self.player.game() else { return };
        let path = format!("/api/board/game/{}/move/{}", plain(&game.id), ply.uci);
        self.say(News::Notice(format!("sends {}", ply.san))).await;
        self.player.sending(ply);
        self.accepted = None;
        let client = self.client.clone();
        self.posting = Some(tokio::spawn(async move { client.post(&path, Vec::new()).await }));
    }

    /// Takes the answer to the move on its way, when it is there.
    async fn take_answer(&mut self) {
        let Some(posting) = self.posting.take_if(|posting| posting.is_finished()) else { return };
        let answer = posting.await.unwrap_or_else(|e| Err(Failed::Unknown(e.to_string())));
        match answer {
            Ok(_) => self.accepted = Some(Instant::now()),
            Err(failed) => {
                self.say(News::Notice(format!("the move was not accepted: {failed}"))).await;
                match failed {
                    Failed::Busy => {
                        self.not_before = Some(Instant::now() + LEFT_ALONE);
                        self.player.busy();
                    }
                    Failed::Refused(..) => self.player.refused(),
                    Failed::Unknown(_) => {
                        self.player.unknown();
                        sleep(FIRST_WAIT).await;
                        self.ask_anew();
                    }
                }
            }
        }
    }

    async fn answer(&mut self, request: Request) {
        let done = match request.ask {
            Ask::Confirm => self.player.confirm(Instant::now()).map(|ply| format!("{} is sent", ply.san)),
            Ask::Draw => self.gesture("draw/yes", "a draw is offered, or the offer accepted").await,
            Ask::Resign => self.gesture("resign", "the game is given up").await,
            Ask::Kings(None) => self.gesture("draw/yes", "a draw is offered, or the offer accepted").await,
            Ask::Kings(Some(winner)) if self.player.game().is_some_and(|game| game.color != winner) => {
                self.gesture("resign", "the game is given up").await
            }
            Ask::Kings(Some(_)) => Err("the other side cannot be made to give up".into()),
        };
        if let (Ask::Kings(_), Ok(text) | Err(text)) = (request.ask, &done) {
            self.say(News::Notice(format!("kings in the centre: {text}"))).await;
        }
        let _ = request.answer.send(done);
    }

    async fn gesture(&self, what: &str, done: &str) -> Result<String, String> {
        let game = self.player.game().filter(|game| game.runs()).ok_or("no game runs")?;
        let path = format!("/api/board/game/{}/{what}", plain(&game.id));
        self.client.post(&path, Vec::new()).await.map(|_| done.to_owned()).map_err(|failed| failed.to_string())
    }

    fn state(&self, standing: &Standing) -> Value {
        let game = self.player.game();
        json!({
            "account": self.me,
            "game": game.map(|game| &game.id),
            "color": game.map(|game| if game.color == Color::White { "white" } else { "black" }),
            "status": game.map(|game| &game.state.status),
            "moves": game.map(|game| &game.ucis),
            "wtime_ms": game.and_then(|game| game.state.wtime),
            "btime_ms": game.and_then(|game| game.state.btime),
            "draw_offered": game.is_some_and(their_offer),
            "running": self.running,
            "standing": standing.sentence(),
            "problem": self.problem,
        })
    }
}

/// Does the other side offer a draw?
const fn their_offer(game: &Online) -> bool {
    match game.color {
        Color::White => game.state.bdraw,
        Color::Black => game.state.wdraw,
    }
}

/// A name as a part of a path: letters and digits, as games are called.
fn plain(id: &str) -> String {
    id.chars().filter(char::is_ascii_alphanumeric).collect()
}
