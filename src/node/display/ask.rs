//! What people ask for, as calls of an observer's services.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use r2r::{
    Client, Node, QosProfile, WrappedServiceTypeSupport,
    chess_observer::srv::{CorrectMove, LocateBoard, NewGame, SetPosition, SetResult, TakeBack},
    rcl_interfaces::{
        msg::{Parameter, ParameterType, ParameterValue},
        srv::SetParameters,
    },
    std_srvs::srv::{SetBool, Trigger},
};

use crate::display::{
    control::{Answer, Command, Controls, Promise},
    words::Plays,
};

/// The services of one observer.
pub(super) enum Services {
    /// Of chess.
    Chess(Box<ChessServices>),
    /// Of Go.
    Go(GoServices),
}

impl Services {
    /// Clients of the observer with this full name.
    pub(super) fn of(node: &mut Node, observer: &str, plays: Plays) -> r2r::Result<Self> {
        Ok(match plays {
            Plays::Chess => Self::Chess(Box::new(ChessServices::of(node, observer)?)),
            Plays::Go => Self::Go(GoServices::of(node, observer)?),
        })
    }
}

/// Those of an observer of Go.
pub(super) struct GoServices {
    capture: Client<Trigger::Service>,
    pause: Client<SetBool::Service>,
    new_game: Client<Trigger::Service>,
    set_parameters: Client<SetParameters::Service>,
}

impl GoServices {
    fn of(node: &mut Node, observer: &str) -> r2r::Result<Self> {
        let qos = QosProfile::services_default;
        let at = |service: &str| format!("{observer}/{service}");
        Ok(Self {
            capture: node.create_client(&at("capture"), qos())?,
            pause: node.create_client(&at("pause"), qos())?,
            new_game: node.create_client(&at("new_game"), qos())?,
            set_parameters: node.create_client(&at("set_parameters"), QosProfile::parameters())?,
        })
    }
}

/// Those of an observer of chess.
pub(super) struct ChessServices {
    capture: Client<Trigger::Service>,
    pause: Client<SetBool::Service>,
    take_back: Client<TakeBack::Service>,
    correct_move: Client<CorrectMove::Service>,
    set_position: Client<SetPosition::Service>,
    set_result: Client<SetResult::Service>,
    new_game: Client<NewGame::Service>,
    locate_board: Client<LocateBoard::Service>,
    set_parameters: Client<SetParameters::Service>,
}

impl ChessServices {
    fn of(node: &mut Node, observer: &str) -> r2r::Result<Self> {
        let qos = QosProfile::services_default;
        let at = |service: &str| format!("{observer}/{service}");
        Ok(Self {
            capture: node.create_client(&at("capture"), qos())?,
            pause: node.create_client(&at("pause"), qos())?,
            take_back: node.create_client(&at("take_back"), qos())?,
            correct_move: node.create_client(&at("correct_move"), qos())?,
            set_position: node.create_client(&at("set_position"), qos())?,
            set_result: node.create_client(&at("set_result"), qos())?,
            new_game: node.create_client(&at("new_game"), qos())?,
            locate_board: node.create_client(&at("locate_board"), qos())?,
            set_parameters: node.create_client(&at("set_parameters"), QosProfile::parameters())?,
        })
    }
}

/// Each board's name, with the node that observes it and its services.
type ByBoard = BTreeMap<String, (String, Arc<Services>)>;

/// The services of every board's observer, by the board's name in addresses.
#[derive(Clone, Default)]
pub(super) struct Observers(Arc<Mutex<ByBoard>>);

impl Observers {
    fn all(&self) -> MutexGuard<'_, ByBoard> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on this observer carries out what is asked of this board.
    pub(super) fn know(&self, board: &str, observer: &str, services: Services) {
        self.all().insert(board.to_owned(), (observer.to_owned(), Arc::new(services)));
    }

    /// Full name of a board's observer.
    pub(super) fn name(&self, board: &str) -> Option<String> {
        self.all().get(board).map(|(name, _)| name.clone())
    }

    /// Forgets all of them: the node ends.
    pub(super) fn forget(&self) {
        self.all().clear();
    }
}

impl Controls for Observers {
    fn carry_out(&self, board: &str, command: Command) -> Promise {
        let services = self.all().get(board).map(|(_, services)| Arc::clone(services));
        Box::pin(async move {
            match services {
                Some(services) => carry_out(&services, command).await,
                None => Answer::refused("the observer of this board has not been seen yet"),
            }
        })
    }
}

/// Calls one service; `read` takes success and message from its response.
async fn call<S: WrappedServiceTypeSupport + 'static>(
    client: &Client<S>,
    request: S::Request,
    read: fn(S::Response) -> (bool, String),
) -> Answer {
    let gone = || Answer::refused("the observer cannot be asked: is it still running?");
    let Ok(response) = client.request(&request) else { return gone() };
    response.await.map_or_else(
        |_| gone(),
        |response| {
            let (success, message) = read(response);
            Answer { success, message }
        },
    )
}

/// r2r panics on a NUL in a text.
fn clean(text: String) -> String {
    text.replace('\0', " ")
}

async fn carry_out(to: &Services, command: Command) -> Answer {
    match to {
        Services::Chess(to) => of_chess(to, command).await,
        Services::Go(to) => of_go(to, command).await,
    }
}

async fn of_go(to: &GoServices, command: Command) -> Answer {
    match command {
        Command::Capture {} => call(&to.capture, Trigger::Request {}, |r| (r.success, r.message)).await,
        Command::Pause { on } => call(&to.pause, SetBool::Request { data: on }, |r| (r.success, r.message)).await,
        Command::NewGame { white, black, .. } => {
            let begun = call(&to.new_game, Trigger::Request {}, |r| (r.success, r.message)).await;
            if begun.success { named(&to.set_parameters, begun, white, black).await } else { begun }
        }
        _ => Answer::refused("the observer of Go does not offer this"),
    }
}

async fn of_chess(to: &ChessServices, command: Command) -> Answer {
    match command {
        Command::Capture {} => call(&to.capture, Trigger::Request {}, |r| (r.success, r.message)).await,
        Command::Pause { on } => call(&to.pause, SetBool::Request { data: on }, |r| (r.success, r.message)).await,
        Command::TakeBack { plies } => {
            call(&to.take_back, TakeBack::Request { plies }, |r| (r.success, r.message)).await
        }
        Command::CorrectMove { ply, text } => {
            let request = CorrectMove::Request { ply, move_: clean(text) };
            call(&to.correct_move, request, |r| (r.success, r.message)).await
        }
        Command::SetPosition { fen } => {
            call(&to.set_position, SetPosition::Request { fen: clean(fen) }, |r| (r.success, r.message)).await
        }
        Command::SetResult { result } => {
            call(&to.set_result, SetResult::Request { result: clean(result) }, |r| (r.success, r.message)).await
        }
        Command::NewGame { fen, white, black } => new_game(to, fen, white, black).await,
        Command::LocateBoard { corners } => {
            call(&to.locate_board, LocateBoard::Request { corners }, |r| (r.success, r.message)).await
        }
        Command::SetMode { mode } => {
            let text = format!("a move ends in the mode {mode}");
            let answer = set(&to.set_parameters, vec![("game.mode", mode)]).await;
            if answer.success { Answer { success: true, message: text } } else { answer }
        }
    }
}

/// The old game keeps its names: the new one begins first, and then it is given its own.
async fn new_game(to: &ChessServices, fen: String, white: String, black: String) -> Answer {
    let begun = call(&to.new_game, NewGame::Request { fen: clean(fen) }, |r| (r.success, r.message)).await;
    let or = |name: String| if name.is_empty() { "?".to_owned() } else { name };
    if begun.success { named(&to.set_parameters, begun, or(white), or(black)).await } else { begun }
}

/// Gives the game that has begun its players.
async fn named(to: &Client<SetParameters::Service>, begun: Answer, white: String, black: String) -> Answer {
    let named = set(to, vec![("game.white", white), ("game.black", black)]).await;
    if named.success { begun } else { named }
}

/// Sets text parameters of the observer.
async fn set(to: &Client<SetParameters::Service>, values: Vec<(&str, String)>) -> Answer {
    let parameter = |(name, text): (&str, String)| Parameter {
        name: name.into(),
        value: ParameterValue {
            type_: ParameterType::PARAMETER_STRING as u8,
            string_value: clean(text),
            ..ParameterValue::default()
        },
    };
    let request = SetParameters::Request { parameters: values.into_iter().map(parameter).collect() };
    call(to, request, |response| {
        let refused = response.results.into_iter().find(|result| !result.successful);
        (refused.is_none(), refused.map_or_else(|| "set".into(), |result| result.reason))
    })
    .await
}
