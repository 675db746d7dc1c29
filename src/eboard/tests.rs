//! Programs that speak to the boards: what they ask, what they hear, and what nobody's nonsense can break.

use futures::{SinkExt as _, StreamExt as _};
use proptest::prelude::*;
use serde_json::{Value, json};
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position as _, fen::Fen, san::San};
use tokio::{net::TcpStream, runtime::Runtime, time::timeout};
use tokio_tungstenite::{
    WebSocketStream, client_async,
    tungstenite::{self, Message, client::IntoClientRequest as _},
};

use super::{origin::Origins, serial::boards, server::routes, session::Session};
use crate::display::{
    Hall,
    server::{listen, serve},
    words::{BoardWord, Health, PositionWord, Word},
};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const AFTER_E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";

/// A hall with these boards, each at the beginning of a game.
fn hall(ids: &[&str]) -> Hall {
    let hall = Hall::default();
    for id in ids {
        hall.open(id, &format!("Board {id}"));
        play(&hall, id, "*");
    }
    hall
}

/// The board's game is this.
fn play(hall: &Hall, id: &str, pgn: &str) {
    hall.tell(id, [Word::Game(pgn.into())]);
    let record = hall.record(id).unwrap();
    let last = record.positions.last().unwrap();
    let fen = Fen::from_position(last, EnPassantMode::Legal).to_string();
    hall.tell(id, [Word::Position(PositionWord { fen, ..PositionWord::default() })]);
}

/// Asks, and returns all that is said then.
fn ask(session: &mut Session, question: Value) -> Vec<Value> {
    session.hear(&question.to_string()).iter().map(|text| serde_json::from_str(text).unwrap()).collect()
}

/// What came as events since.
fn news(session: &mut Session) -> Vec<Value> {
    session.news().iter().map(|text| serde_json::from_str::<Value>(text).unwrap()["param"].clone()).collect()
}

/// A program that follows the first board, as Lichess's page begins.
fn follower(hall: &Hall) -> Session {
    let mut session = Session::new(hall.clone(), None);
    let list = ask(&mut session, json!({ "id": 1, "call": "eboards" }));
    let serial = &list[0]["param"][0]["serialnr"];
    let said = ask(&mut session, subscribe(1, serial));
    assert_eq!((&said[0]["response"], &said[0]["id"], &said[0]["param"]), (&json!("call"), &json!(2), &Value::Null));
    assert_eq!((&said[1]["response"], &said[1]["id"]), (&json!("feed"), &json!(1)));
    session
}

fn subscribe(feed: i32, serial: &Value) -> Value {
    json!({ "id": 2, "call": "subscribe", "param": { "feed": "eboardevent", "id": feed, "param": { "serialnr": serial } } })
}

fn set_up(session: &mut Session, fen: &str) -> Vec<Value> {
    let param = json!({ "id": 1, "method": "setup", "param": { "fen": fen } });
    let said = ask(session, json!({ "id": 3, "call": "call", "param": param }));
    assert_eq!((&said[0]["response"], &said[0]["id"]), (&json!("call"), &json!(3)));
    said[1..].iter().map(|event| event["param"].clone()).collect()
}

#[test]
fn the_list_has_what_programs_look_for() {
    let hall = hall(&["two", "one"]);
    let mut session = Session::new(hall.clone(), None);
    let answer = &ask(&mut session, json!({ "id": "a", "call": "eboards" }))[0];
    assert_eq!((&answer["response"], &answer["id"]), (&json!("call"), &json!("a")));
    assert!(answer["time"].as_u64().unwrap() > 1_600_000_000_000);
    let serial = boards(&hall)[0].serial.clone();
    assert_eq!(
        answer["param"][0],
        json!({ "serialnr": serial, "source": "one", "state": "ACTIVE", "battery": null, "comment": "Board one",
                "board": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", "flipped": false, "clock": null })
    );
    hall.tell("one", [Word::Health(Health { silent: String::new(), gone: true })]);
    hall.open("zero", "Zero");
    let list = session.list();
    assert_eq!((&list[0]["state"], &list[1]["state"]), (&json!("NOTRESPONDING"), &json!("ACTIVE")));
    assert_eq!((&list[2]["state"], &list[2]["board"]), (&json!("NOTRESPONDING"), &Value::Null));
    // One board alone.
    let only = Session::new(hall, Some("two".into())).list();
    assert_eq!((only.as_array().unwrap().len(), &only[0]["source"]), (1, &json!("two")));
}

#[test]
fn without_a_position_set_up_the_men_are_told_and_no_moves() {
    let hall = hall(&["one"]);
    let mut session = Session::new(hall.clone(), None);
    let serial = json!(boards(&hall)[0].serial);
    let first = ask(&mut session, subscribe(1, &serial))[1]["param"].clone();
    let board = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
    assert_eq!(first, json!({ "serialnr": serial, "flipped": false, "board": board, "clock": null }));
    play(&hall, "one", "1. e4 *");
    assert_eq!(news(&mut session), [json!({ "serialnr": serial, "flipped": false, "board": AFTER_E4 })]);
    assert_eq!(news(&mut session), [Value::Null; 0]);
    // Something else than the men has changed.
    hall.tell("one", [Word::Health(Health { silent: "no picture".into(), gone: false })]);
    assert_eq!(news(&mut session), [Value::Null; 0]);
}

#[test]
fn moves_are_counted_from_the_position_that_was_set_up() {
    let hall = hall(&["one"]);
    let mut session = follower(&hall);
    let said = set_up(&mut session, START);
    assert_eq!(
        (said[0]["san"].clone(), &said[0]["match"], &said[0]["start"]),
        (json!([]), &json!(true), &json!(START))
    );
    for (pgn, lists) in [
        ("1. e4 *", json!([["e4"]])),
        ("1. e4 e5 2. Nf3 *", json!([["e4", "e5", "Nf3"]])),
        // Corrected, and taken back.
        ("1. e4 e6 2. Nf3 *", json!([["e4"], ["e4", "e6", "Nf3"]])),
        ("1. e4 *", json!([["e4"]])),
        ("*", json!([[]])),
        ("1. d4 *", json!([["d4"]])),
    ] {
        play(&hall, "one", pgn);
        let events = news(&mut session);
        assert_eq!(events.iter().map(|event| event["san"].clone()).collect::<Value>(), lists, "{pgn}");
        assert_eq!(events.last().unwrap()["match"], json!(true));
    }
    // The same list does not come twice.
    play(&hall, "one", "[White \"Ada\"]\n\n1. d4 *");
    assert_eq!(news(&mut session), [Value::Null; 0]);
    // From here.
    let said = set_up(&mut session, "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1");
    assert_eq!(said[0]["san"], json!([]));
    play(&hall, "one", "1. d4 d5 *");
    assert_eq!(news(&mut session)[0]["san"], json!(["d5"]));
    // What was set up was taken back with it.
    play(&hall, "one", "1. c4 *");
    assert_eq!((&news(&mut session)[0]["san"], session.news().len()), (&json!([]), 0));
}

#[test]
fn a_game_that_the_board_does_not_show_has_no_moves_until_it_does() {
    let hall = hall(&["one"]);
    play(&hall, "one", "1. e4 e5 2. Nf3 *");
    let mut session = follower(&hall);
    // The usual position: this game began there, and its moves are of another game.
    assert!(set_up(&mut session, START).is_empty());
    play(&hall, "one", "1. e4 e5 2. Nf3 Nc6 *");
    assert!(news(&mut session)[0].get("san").is_none());
    play(&hall, "one", "[UTCTime \"10:00:00\"]\n\n*");
    let event = &news(&mut session)[0];
    assert_eq!((&event["san"], &event["match"]), (&json!([]), &json!(true)));
    play(&hall, "one", "[UTCTime \"10:00:00\"]\n\n1. c4 *");
    assert_eq!(news(&mut session)[0]["san"], json!(["c4"]));
}

#[test]
fn a_ply_that_came_while_a_position_was_set_up_is_told() {
    let hall = hall(&["one"]);
    play(&hall, "one", "1. e4 e5 *");
    let mut session = follower(&hall);
    let said = set_up(&mut session, "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
    assert_eq!(said[0]["san"], json!(["e5"]));
    // The men alone would also do; with the other side to move it is another position.
    assert_eq!(set_up(&mut session, AFTER_E4)[0]["san"], json!(["e5"]));
    assert!(set_up(&mut session, "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 1").is_empty());
}

#[test]
fn men_in_the_air_are_told_and_match_nothing() {
    let hall = hall(&["one"]);
    let mut session = follower(&hall);
    set_up(&mut session, START);
    let mut squares = crate::display::words::Squares {
        occupancy: [1.0_f32, 0.0, 0.0].repeat(64),
        changed: vec![0.0; 64],
        reliability: vec![1.0; 64],
        covered: vec![false; 64],
    };
    squares.changed[12] = 1.0;
    hall.tell("one", [Word::Board(Box::new(BoardWord { squares: Some(squares), ..BoardWord::default() }))]);
    let event = &news(&mut session)[0];
    assert_eq!(event["board"], json!("rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR"));
    assert_eq!((&event["match"], event.get("san")), (&json!(false), None));
}

#[test]
fn a_board_is_turned_for_the_program_that_asks() {
    let hall = hall(&["one"]);
    let (mut session, mut other) = (follower(&hall), follower(&hall));
    let flip = |flip: bool| json!({ "id": 4, "call": "call", "param": { "id": 1, "method": "flip", "param": { "flip": flip } } });
    let said = ask(&mut session, flip(true));
    assert_eq!(said[1]["param"]["board"], json!("RNBKQBNR/PPPPPPPP/8/8/8/8/pppppppp/rnbkqbnr"));
    assert_eq!((&said[1]["param"]["flipped"], &session.list()[0]["flipped"]), (&json!(true), &json!(true)));
    assert!(news(&mut other).is_empty());
    assert_eq!(ask(&mut session, flip(false))[1]["param"]["flipped"], json!(false));
}

#[test]
fn two_boards_on_one_connection_are_kept_apart() {
    let hall = hall(&["one", "two"]);
    let mut session = Session::new(hall.clone(), None);
    let serials = boards(&hall).into_iter().map(|board| board.serial).collect::<Vec<_>>();
    for (feed, serial) in [(1, &serials[0]), (2, &serials[1])] {
        // A number will do as well.
        ask(&mut session, subscribe(feed, &json!(serial.parse::<u64>().unwrap())));
    }
    play(&hall, "two", "1. e4 *");
    let said: Vec<Value> = session.news().iter().map(|text| serde_json::from_str(text).unwrap()).collect();
    assert_eq!((said.len(), &said[0]["id"], &said[0]["param"]["serialnr"]), (1, &json!(2), &json!(serials[1])));
    ask(&mut session, json!({ "id": 5, "call": "unsubscribe", "param": { "id": 2 } }));
    play(&hall, "two", "1. e4 e5 *");
    assert!(session.news().is_empty() && session.follows());
    ask(&mut session, json!({ "id": 6, "call": "unsubscribe", "param": 1 }));
    assert!(!session.follows());
}

#[test]
fn what_is_not_understood_gets_an_error_that_says_why() {
    let hall = hall(&["one"]);
    let mut session = follower(&hall);
    let call = |method: &str, param: Value| json!({ "id": 7, "call": "call", "param": { "id": 1, "method": method, "param": param } });
    for (question, told) in [
        (json!({ "id": 7, "call": "sing" }), "\"sing\": expected eboards"),
        (json!({ "call": "eboards" }), "expected {\"id\""),
        (json!([1, 2]), "expected {\"id\""),
        (json!({ "id": [1], "call": "eboards" }), "expected {\"id\""),
        (json!({ "id": 7, "call": "subscribe" }), "expected the feed eboardevent"),
        (subscribe(3, &json!("1")), "no board has the serialnr \"1\""),
        (call("setup", json!({ "fen": "no position" })), "setup: not a FEN"),
        (call("setup", Value::Null), "setup: expected a fen"),
        (call("flip", json!({ "flip": 1 })), "flip: expected true or false"),
        (call("setclock", json!({})), "there is no clock"),
        (json!({ "id": 7, "call": "call", "param": { "id": 9, "method": "setup" } }), "no feed has the id \"9\""),
        (json!({ "id": 7, "call": "unsubscribe" }), "no feed has the id"),
    ] {
        let answer = ask(&mut session, question.clone());
        let message = answer[0]["param"]["message"].as_str().unwrap_or_default();
        assert!(answer[0]["response"] == "error" && message.contains(told), "{question}: {}", answer[0]);
        assert_eq!(answer.len(), 1);
    }
    assert!(session.hear("{").len() == 1 && session.hear("").len() == 1);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// Whatever a board plays, corrects and takes back: the list that a program holds leads from its position to the board's.
    #[test]
    fn the_list_always_leads_to_the_position(choices in proptest::collection::vec((0_u8..10, any::<prop::sample::Index>()), 1..60)) {
        let hall = hall(&["one"]);
        let mut session = follower(&hall);
        set_up(&mut session, START);
        let (mut line, mut held): (Vec<Chess>, Vec<String>) = (vec![Chess::default()], Vec::new());
        let mut sans: Vec<String> = Vec::new();
        for (what, index) in choices {
            if what < 3 && !sans.is_empty() {
                let keep = index.index(sans.len());
                sans.truncate(keep);
                line.truncate(keep + 1);
            } else {
                let mut position = line.last().unwrap().clone();
                let moves = position.legal_moves();
                if moves.is_empty() { break; }
                let mv = moves[index.index(moves.len())];
                sans.push(San::from_move(&position, mv).to_string());
                position.play_unchecked(mv);
                line.push(position);
            }
            play(&hall, "one", &format!("{} *", sans.join(" ")));
            for event in news(&mut session) {
                if let Some(san) = event.get("san") {
                    let new: Vec<String> = serde_json::from_value(san.clone()).unwrap();
                    // A list goes on, or is cut: programs that count see every move that is new.
                    prop_assert!(new.starts_with(&held) || held.starts_with(&new));
                    held = new;
                }
            }
            let mut shown: Chess = START.parse::<Fen>().unwrap().into_position(CastlingMode::Standard).unwrap();
            for san in &held {
                let mv = san.parse::<shakmaty::san::SanPlus>().unwrap().san.to_move(&shown).unwrap();
                shown.play_unchecked(mv);
            }
            prop_assert_eq!(shown.board(), line.last().unwrap().board());
        }
    }

    /// Anything at all is answered, and the program goes on.
    #[test]
    fn nonsense_is_answered(text in "\\PC{0,200}", call in "(eboards|subscribe|unsubscribe|call|x)", id in 0_u8..3,
                            method in "(setup|flip|unsubscribe|x)", junk in "\\PC{0,90}") {
        let hall = hall(&["one"]);
        let mut session = follower(&hall);
        prop_assert_eq!(session.hear(&text).len(), 1);
        let param = json!({ "id": id, "feed": "eboardevent", "method": method, "param": { "fen": junk, "serialnr": junk, "flip": id > 1 } });
        let question = json!({ "id": 1, "call": call, "param": param }).to_string();
        prop_assert!(!session.hear(&question).is_empty());
        let list = ask(&mut session, json!({ "id": 1, "call": "eboards" }));
        prop_assert_eq!(list[0]["param"].as_array().unwrap().len(), 1);
    }
}

/// The listener on a port of its own.
fn listener(hall: &Hall) -> (Runtime, std::net::SocketAddr) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let listener = runtime.block_on(listen("127.0.0.1:0".parse().unwrap())).unwrap();
    let address = listener.local_addr().unwrap();
    runtime.spawn(serve(listener, routes(hall.clone(), Origins::new("").unwrap()), std::future::pending()));
    (runtime, address)
}

async fn connect(
    address: std::net::SocketAddr,
    path: &str,
    origin: &'static str,
) -> tungstenite::Result<WebSocketStream<TcpStream>> {
    let mut request = format!("ws://{address}{path}").into_client_request()?;
    if !origin.is_empty() {
        request.headers_mut().insert("origin", origin.parse().unwrap());
    }
    Ok(client_async(request, TcpStream::connect(address).await?).await?.0)
}

async fn next(socket: &mut WebSocketStream<TcpStream>) -> Value {
    loop {
        let message = timeout(std::time::Duration::from_secs(20), socket.next()).await.expect("in time");
        if let Message::Text(text) = message.expect("still open").expect("a message") {
            return serde_json::from_str(&text).unwrap();
        }
    }
}

#[test]
fn a_program_hears_of_a_move_over_a_real_connection() {
    let hall = hall(&["one", "two"]);
    let (runtime, address) = listener(&hall);
    runtime.block_on(async {
        let mut socket = connect(address, "/two/api/v1.0", "https://lichess.org").await.unwrap();
        socket.send(Message::text(r#"{"id":1,"call":"eboards"}"#)).await.unwrap();
        let list = next(&mut socket).await;
        assert_eq!(list["param"].as_array().unwrap().len(), 1);
        socket.send(Message::text(subscribe(1, &list["param"][0]["serialnr"]).to_string())).await.unwrap();
        assert_eq!(next(&mut socket).await["response"], json!("call"));
        assert_eq!(next(&mut socket).await["response"], json!("feed"));
        play(&hall, "two", "1. e4 *");
        assert_eq!(next(&mut socket).await["param"]["board"], json!(AFTER_E4));
        // Pages of others are refused, also where they know a board.
        assert!(connect(address, "/api/v1.0", "https://evil.example").await.is_err());
        assert!(connect(address, "/api/v1.0/", "http://localhost:9663").await.is_ok());
        assert!(connect(address, "/api/v2.0", "").await.is_err());
    });
}

#[test]
fn garbage_on_a_connection_harms_nobody_else() {
    let hall = hall(&["one"]);
    let (runtime, address) = listener(&hall);
    runtime.block_on(async {
        let mut good = connect(address, "/api/v1.0", "").await.unwrap();
        let mut runner = proptest::test_runner::TestRunner::deterministic();
        for _ in 0..60 {
            let mut bad = connect(address, "/api/v1.0", "").await.unwrap();
            let bytes = proptest::collection::vec(any::<u8>(), 0..400);
            let bytes = proptest::strategy::ValueTree::current(&bytes.new_tree(&mut runner).unwrap());
            let _ = bad.send(Message::binary(bytes.clone())).await;
            // Past the frames, and then gone without a word.
            let _ = tokio::io::AsyncWriteExt::write_all(bad.get_mut(), &bytes).await;
            drop(bad);
        }
        let mut long = connect(address, "/api/v1.0", "").await.unwrap();
        let _ = long.send(Message::text("x".repeat(1 << 20))).await;
        while let Ok(Some(Ok(_))) = timeout(std::time::Duration::from_secs(20), long.next()).await {}
        good.send(Message::text(r#"{"id":1,"call":"eboards"}"#)).await.unwrap();
        assert_eq!(next(&mut good).await["param"].as_array().unwrap().len(), 1);
    });
}
