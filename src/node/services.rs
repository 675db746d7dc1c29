//! The node's services: each turns a request into a word to the actor, and the actor's answer into a response.

use futures::StreamExt;
use r2r::{
    Node, QosProfile, ServiceRequest, WrappedServiceTypeSupport,
    chess_observer::srv::{
        CorrectMove, ExpectMove, LocateBoard, NewGame, SavePgn, SetPosition, SetResult, SquarePose, TakeBack,
    },
    std_srvs::srv::{SetBool, Trigger},
};
use std::sync::Arc;
use tokio::{runtime::Handle, sync::Semaphore};

use super::{actor::Actor, game_file, inbox::Inbox, markers, owner::Owner, viewing};
use crate::board::corners::Corners;

/// A response that refuses.
pub(super) trait Refusal: Default {
    fn refusal(message: &str) -> Self;
}

macro_rules! refusals {
    ($($service:ident)+) => {$(
        impl Refusal for $service::Response {
            fn refusal(message: &str) -> Self {
                Self { message: message.into(), ..Self::default() }
            }
        }
    )+};
}
refusals!(NewGame SetPosition TakeBack CorrectMove ExpectMove SetResult LocateBoard SavePgn SquarePose Trigger SetBool);

/// What is answered where too many requests wait already.
const BUSY: &str = "busy: too many requests wait already; nothing was done, ask again later";
/// What is answered while a copy of the game is being written.
const BUSY_SAVING: &str = "busy: the last request to save is not done yet; ask again later";

/// Offers one service: `answer` runs on the actor, between two pictures.
pub(super) fn offer<S, A>(
    node: &mut Node,
    runtime: &Handle,
    inbox: &Arc<Inbox<A>>,
    name: &str,
    answer: fn(&mut A, S::Request) -> S::Response,
) -> r2r::Result<()>
where
    A: Owner,
    S: WrappedServiceTypeSupport + 'static,
    S::Request: Clone + Send,
    S::Response: Refusal,
    ServiceRequest<S>: Send,
{
    let mut requests = node.create_service::<S>(name, QosProfile::services_default())?;
    let inbox = Arc::clone(inbox);
    runtime.spawn(async move {
        while let Some(asked) = requests.next().await {
            // A client that has gone needs no answer.
            if inbox.has_room() {
                inbox.request(move |actor| {
                    let response = answer(actor, asked.message.clone());
                    let _ = asked.respond(response);
                });
            } else {
                let _ = asked.respond(S::Response::refusal(BUSY));
            }
        }
    });
    Ok(())
}

/// Offers `~/save_pgn`: the actor only says what is to be written, so that no disk keeps it from looking.
fn offer_save_pgn(node: &mut Node, runtime: &Handle, inbox: &Arc<Inbox<Actor>>) -> r2r::Result<()> {
    let mut requests = node.create_service::<SavePgn::Service>("~/save_pgn", QosProfile::services_default())?;
    let (inbox, handle, saving) = (Arc::clone(inbox), runtime.clone(), Arc::new(Semaphore::new(1)));
    runtime.spawn(async move {
        while let Some(asked) = requests.next().await {
            let Ok(turn) = Arc::clone(&saving).try_acquire_owned() else {
                let _ = asked.respond(SavePgn::Response::refusal(BUSY_SAVING));
                continue;
            };
            if !inbox.has_room() {
                let _ = asked.respond(SavePgn::Response::refusal(BUSY));
                continue;
            }
            let handle = handle.clone();
            inbox.request(move |actor| {
                let (copy, pgn) = (actor.copy(&asked.message.path), actor.pgn().to_owned());
                handle.spawn_blocking(move || {
                    let saved = copy.and_then(game_file::Copy::carry_out);
                    let path = saved.as_ref().map_or_else(|_| String::new(), |path| path.display().to_string());
                    let (success, message) = split(saved.map(|path| format!("written to {}", path.display())));
                    // Who hears the answer may ask again at once.
                    drop(turn);
                    let _ = asked.respond(SavePgn::Response { success, message, path, pgn });
                });
            });
        }
    });
    Ok(())
}

/// What became of a request: what was done, or why it was refused.
pub(super) type Outcome = Result<String, String>;

pub(super) fn split(outcome: Outcome) -> (bool, String) {
    match outcome {
        Ok(message) => (true, message),
        Err(message) => (false, message),
    }
}

/// Offers all services of the node.
///
/// # Errors
/// When the middleware refuses one.
pub fn serve(node: &mut Node, runtime: &Handle, inbox: &Arc<Inbox<Actor>>) -> r2r::Result<()> {
    offer::<NewGame::Service, _>(node, runtime, inbox, "~/new_game", |actor, request| {
        let (success, message) = split(new_game(actor, &request.fen));
        let fen = if success { actor.position().fen.to_string() } else { String::new() };
        NewGame::Response { success, message, fen }
    })?;
    offer::<SetPosition::Service, _>(node, runtime, inbox, "~/set_position", |actor, request| {
        let (success, message) = split(set_position(actor, &request.fen));
        SetPosition::Response { success, message }
    })?;
    offer::<TakeBack::Service, _>(node, runtime, inbox, "~/take_back", |actor, request| {
        let (success, message) = split(take_back(actor, request.plies));
        TakeBack::Response { success, message, fen: actor.position().fen.to_string() }
    })?;
    offer::<CorrectMove::Service, _>(node, runtime, inbox, "~/correct_move", |actor, request| {
        let (success, message) = split(correct_move(actor, request.ply, &request.move_));
        CorrectMove::Response { success, message, fen: actor.position().fen.to_string() }
    })?;
    offer::<ExpectMove::Service, _>(node, runtime, inbox, "~/expect_move", |actor, request| {
        expect_move(actor, &request.move_)
    })?;
    offer::<SetResult::Service, _>(node, runtime, inbox, "~/set_result", |actor, request| {
        let (success, message) = split(set_result(actor, &request.result));
        SetResult::Response { success, message }
    })?;
    offer::<LocateBoard::Service, _>(node, runtime, inbox, "~/locate_board", |actor, request| {
        let (success, message) = split(locate_board(actor, &request.corners));
        LocateBoard::Response { success, message }
    })?;
    offer_save_pgn(node, runtime, inbox)?;
    offer::<SquarePose::Service, _>(node, runtime, inbox, "~/square_pose", |actor, request| {
        square_pose(actor, &request.square)
    })?;
    offer::<Trigger::Service, _>(node, runtime, inbox, "~/capture", |actor, _| {
        let (success, message) = split(capture(actor));
        Trigger::Response { success, message }
    })?;
    offer::<SetBool::Service, _>(node, runtime, inbox, "~/pause", |actor, request| {
        let (success, message) = split(pause(actor, request.data));
        SetBool::Response { success, message }
    })
}

fn new_game(actor: &mut Actor, fen: &str) -> Outcome {
    let fen = fen.trim();
    actor
        .command(|observer| observer.new_game((!fen.is_empty()).then_some(fen)))
        .map(|()| "a new game begins".into())
        .map_err(|e| e.to_string())
}

fn set_position(actor: &mut Actor, fen: &str) -> Outcome {
    if fen.trim().is_empty() {
        return Err("expected a position in FEN, got an empty text".into());
    }
    actor
        .command(|observer| observer.set_position(fen))
        .map(|()| format!("the game goes on from {}", actor.position().fen))
        .map_err(|e| e.to_string())
}

fn take_back(actor: &mut Actor, plies: u32) -> Outcome {
    let plies = plies.max(1) as usize;
    actor
        .command(|observer| observer.take_back(plies))
        .map(|()| format!("{plies} taken back, {} played", actor.position().ply))
        .map_err(|e| e.to_string())
}

fn correct_move(actor: &mut Actor, ply: u32, text: &str) -> Outcome {
    let text = text.trim();
    if text.is_empty() {
        return Err("expected a move in UCI or SAN, got an empty text".into());
    }
    actor
        .command(|observer| observer.correct_move(ply as usize, text))
        .map(|()| format!("corrected to {text}"))
        .map_err(|e| e.to_string())
}

fn expect_move(actor: &mut Actor, text: &str) -> ExpectMove::Response {
    match actor.ask(|observer| observer.expect_move(text)) {
        Ok(Some((uci, san))) => ExpectMove::Response {
            success: true,
            message: format!("{san} is expected next"),
            uci: uci.to_string(),
            san: san.to_string(),
        },
        Ok(None) => ExpectMove::Response {
            success: true,
            message: "no move is expected".into(),
            ..ExpectMove::Response::default()
        },
        Err(error) => ExpectMove::Response::refusal(&error.to_string()),
    }
}

fn square_pose(actor: &Actor, name: &str) -> SquarePose::Response {
    let square = match markers::square(name) {
        Ok(square) => square,
        Err(why) => return SquarePose::Response::refusal(&why),
    };
    let (pose, man, man_height_m) = viewing::square_pose(square, actor.position(), actor.params(), actor.header());
    let message = man.map_or_else(|| format!("{square} is empty"), |man| format!("{} on {square}", man.char()));
    let man = man.map_or_else(String::new, |man| man.char().into());
    SquarePose::Response { success: true, message, pose, man, man_height_m }
}

fn set_result(actor: &mut Actor, result: &str) -> Outcome {
    actor
        .command(|observer| observer.set_result(result.trim()))
        .map(|()| format!("the result is {}", actor.position().result))
        .map_err(|e| e.to_string())
}

fn locate_board(actor: &mut Actor, corners: &[f64]) -> Outcome {
    let corners = if corners.is_empty() {
        None
    } else {
        let numbers: [f64; 8] = corners
            .try_into()
            .map_err(|_| format!("expected 8 numbers x, y of a1, h1, h8, a8, or none; got {}", corners.len()))?;
        let corners = std::array::from_fn(|i| [numbers[2 * i], numbers[2 * i + 1]]);
        Some(Corners::of_either_hand(corners).map_err(|e| e.to_string())?)
    };
    let message = if corners.is_some() { "the corners are taken as given" } else { "the next picture is searched" };
    actor
        .command(|observer| {
            observer.locate_board(corners)?;
            Ok(Vec::new())
        })
        .map(|()| message.into())
        .map_err(|e| e.to_string())
}

fn capture(actor: &mut Actor) -> Outcome {
    actor
        .ask(crate::observer::Observer::capture)
        .map(|()| "the next picture is read as it is".into())
        .map_err(|e| e.to_string())
}

fn pause(actor: &mut Actor, paused: bool) -> Outcome {
    Ok(match (actor.set_paused(paused), paused) {
        (true, _) => "the game is followed",
        (false, true) => "paused",
        (false, false) => "the game is followed as soon as the node is activated",
    }
    .into())
}
