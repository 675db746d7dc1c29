//! What nodes have in common whose other side is not at the board: hearing the board, and telling the other side's moves.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use futures::StreamExt as _;
use r2r::{
    Client, Node, Publisher, QosProfile,
    chess_observer::{
        msg::{Board, Move},
        srv::ExpectMove,
    },
    std_msgs::msg::String as Text,
};
use tokio::{runtime::Runtime, sync::watch};

use super::{clock::RosClock, log::Log};
use crate::{
    display::record::Record,
    online::player::{AtBoard, Ply},
};

/// As observers offer their topics.
const EVENTS: QosProfile = QosProfile::default().keep_last(50);
pub(super) const LATCHED: QosProfile = QosProfile::default().keep_last(1).transient_local();

/// Hears the board: the game, how sure the last ply is, and whether all is at rest.
pub(super) fn listen(node: &mut Node, runtime: &Runtime, seen: watch::Sender<AtBoard>) -> r2r::Result<()> {
    let mut games = node.subscribe::<Text>("pgn", LATCHED)?;
    let mut boards = node.subscribe::<Board>("board", LATCHED)?;
    let mut moves = node.subscribe::<Move>("moves", EVENTS)?;
    runtime.spawn(async move {
        // How sure the plies are that were heard: the game comes after its move.
        let mut sure: BTreeMap<usize, (String, f64)> = BTreeMap::new();
        loop {
            let mut now = seen.borrow().clone();
            let before = now.clone();
            tokio::select! {
                Some(text) = games.next() => {
                    let record = Record::read(&text.data, now.record.as_deref(), Instant::now());
                    now.record = record.or(now.record);
                }
                Some(board) = boards.next() => now.at_rest = is_at_rest(&board),
                Some(told) = moves.next() => {
                    let ply = told.ply as usize;
                    let confidence = f64::from(told.confidence);
                    sure.split_off(&ply);
                    // What was revised or taken back has none: a person has to look at it.
                    if confidence.is_finite() {
                        sure.insert(ply, (told.uci.clone(), confidence));
                    }
                }
                else => return,
            }
            now.confidence = now.record.as_ref().and_then(|record| {
                let ucis = record.game.ucis();
                let (uci, confidence) = sure.get(&ucis.len())?;
                (ucis.last() == Some(uci)).then_some(*confidence)
            });
            let same = now.at_rest == before.at_rest && same_game(&now, &before);
            now.since = match (now.at_rest, same) {
                (false, _) => None,
                (true, true) => before.since.or_else(|| Some(Instant::now())),
                (true, false) => Some(Instant::now()),
            };
            if seen.send(now).is_err() {
                return;
            }
        }
    });
    Ok(())
}

fn same_game(a: &AtBoard, b: &AtBoard) -> bool {
    match (&a.record, &b.record) {
        (Some(a), Some(b)) => a.positions.last() == b.positions.last() && a.sans == b.sans,
        (a, b) => a.is_none() && b.is_none(),
    }
}

/// Understood, and nothing else than the board and its men over it.
fn is_at_rest(board: &Board) -> bool {
    let calm = [Board::TRACKER_FOLLOWING as u8, Board::TRACKER_OVER as u8].contains(&board.tracker);
    calm && !board.covered.iter().any(|covered| *covered)
}

/// Tells the other side's moves, and the observer what to expect.
pub(super) struct Theirs {
    moves: Publisher<Move>,
    expect: Client<ExpectMove::Service>,
    clock: RosClock,
    log: Log,
}

impl Theirs {
    /// Publishes `opponent_moves`, and calls the observer of this name.
    pub(super) fn new(node: &mut Node, observer: &str, log: Log) -> r2r::Result<Self> {
        Ok(Self {
            moves: node.create_publisher("opponent_moves", EVENTS)?,
            expect: node.create_client(&format!("{observer}/expect_move"), QosProfile::services_default())?,
            clock: RosClock::of(node),
            log,
        })
    }

    /// Tells that the other side has played this; the position is then `fen`.
    pub(super) fn tell(&self, ply: &Ply, fen: String) {
        self.log.info(&format!("the other side plays {}", ply.san));
        let mut message = Move {
            kind: Move::KIND_NEW as u8,
            ply: u32::try_from(ply.number).unwrap_or(u32::MAX),
            uci: ply.uci.clone(),
            san: ply.san.clone(),
            fen,
            confidence: 1.0,
            ..Move::default()
        };
        message.header.stamp = self.clock.stamp();
        let _ = self.moves.publish(&message);
    }

    /// Tells the observer which move is to come. It may not be there, and it may know better; neither holds up the game.
    pub(super) fn expect(&self, ply: &Ply) {
        let Ok(answer) = self.expect.request(&ExpectMove::Request { move_: ply.uci.clone() }) else { return };
        let (log, san) = (self.log.clone(), ply.san.clone());
        tokio::spawn(async move {
            match tokio::time::timeout(Duration::from_secs(5), answer).await {
                Ok(Ok(answer)) if answer.success => log.info(&format!("the observer expects {san}")),
                Ok(Ok(answer)) => log.warn(&format!("the observer does not expect {san}: {}", answer.message)),
                _ => log.warn(&format!("no observer was there to expect {san}")),
            }
        });
    }
}
