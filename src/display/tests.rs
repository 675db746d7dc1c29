//! The pages over real connections: what is found, what is refused, and what nobody's bad manners can hold up.

use std::{
    net::SocketAddr,
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::Router;
use proptest::prelude::*;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    runtime::Runtime,
    time::{sleep, timeout},
};

use super::{
    Hall,
    control::{Answer, Command, Controls, Promise},
    desk::Desk,
    guard::Token,
    hall::View,
    library::Library,
    pgn::Publisher,
    round::{Delay, Round},
    routes::{games_alone, routes},
    server,
    words::{BoardWord, Health, PositionWord, StonesWord, Tracker, WarningKind, WarningWord, Word},
};

use crate::{
    archive::{
        Keeper, in_folder,
        keeper::{MOST_BYTES, Place},
    },
    event::Event,
    frame::Stamp,
    observer::Observer,
    params::Params,
};

const TOKEN: &str = "the-right-word";

/// Remembers what it was asked for.
#[derive(Default)]
struct Asked(Mutex<Vec<(String, Command)>>);

impl Controls for Asked {
    fn carry_out(&self, board: &str, command: Command) -> Promise {
        self.0.lock().unwrap().push((board.into(), command));
        Box::pin(async { Answer { success: true, message: "done".into() } })
    }
}

/// A display on a port of its own.
struct Display {
    /// Where its board's looks are kept: the game 1. e4 e5, and 1. d4, which is on the board.
    folder: TempDir,
    runtime: Runtime,
    hall: Hall,
    asked: Arc<Asked>,
    address: SocketAddr,
}

fn display() -> Display {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let (hall, asked) = (Hall::default(), Arc::new(Asked::default()));
    hall.open("one", "Board one");
    let token = Token::chosen(TOKEN).unwrap();
    let folder = tempfile::tempdir().unwrap();
    keep_two_games(folder.path());
    let path = folder.path().to_owned();
    let library = Library::new(
        move || in_folder(&path).unwrap(),
        |board, games| games.keys().next_back().filter(|_| board == "one").cloned(),
    );
    let publisher = Publisher::new(Round::new(hall.clone(), Delay::default()));
    let desk = Desk { hall: hall.clone(), controls: Some(asked.clone()), library, publisher, token };
    let listener = runtime.block_on(server::listen("127.0.0.1:0".parse().unwrap())).unwrap();
    let address = listener.local_addr().unwrap();
    let app: Router = routes(desk);
    runtime.spawn(server::serve(listener, app, std::future::pending()));
    Display { folder, runtime, hall, asked, address }
}

/// Two games, said by a person: their looks have no pictures.
fn keep_two_games(folder: &Path) {
    let params = Params::default();
    let mut observer = Observer::new(&params).unwrap();
    let mut keeper = Keeper::new(Place::Folder(folder.into(), "one".into()), MOST_BYTES, &params).unwrap();
    let said: [fn(&mut Observer) -> Vec<Event>; 4] = [
        |o| o.correct_move(1, "e4").unwrap(),
        |o| o.correct_move(2, "e5").unwrap(),
        |o| o.new_game(None).unwrap(),
        |o| o.correct_move(1, "d4").unwrap(),
    ];
    for (second, say) in said.into_iter().enumerate() {
        let events = say(&mut observer);
        keeper.hear(&observer, Stamp::from_s(second as f64), &events);
    }
    assert_eq!(keeper.finish(Duration::from_secs(60)).written, 4);
}

/// An answer: status, head, body.
struct Reply {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Reply {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|e| panic!("{e}: {}", self.text()))
    }
}

impl Display {
    /// Sends these bytes on a connection of their own and reads until it is closed.
    fn send(&self, bytes: &[u8]) -> Option<Reply> {
        self.runtime.block_on(async {
            let mut stream = TcpStream::connect(self.address).await.ok()?;
            // Who is refused may not read all of it.
            let _ = stream.write_all(bytes).await;
            let mut reply = Vec::new();
            let _ = timeout(Duration::from_secs(20), stream.read_to_end(&mut reply)).await.ok()?;
            let split = reply.windows(4).position(|w| w == b"\r\n\r\n")?;
            let head = String::from_utf8_lossy(&reply[..split]).to_ascii_lowercase();
            let status = head.split(' ').nth(1)?.parse().ok()?;
            Some(Reply { status, head, body: reply[split + 4..].to_vec() })
        })
    }

    fn get(&self, path: &str) -> Reply {
        let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.address);
        self.send(request.as_bytes()).unwrap()
    }

    fn post(&self, path: &str, body: &str, headers: &str) -> Reply {
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: {}\r\n{headers}\r\n{body}",
            self.address,
            body.len()
        );
        self.send(request.as_bytes()).unwrap()
    }

    /// As one who has the token.
    fn control(&self, path: &str, body: &str) -> Reply {
        self.post(path, body, &format!("Authorization: Bearer {TOKEN}\r\n"))
    }

    fn still_works(&self) {
        assert_eq!(self.get("/api/boards").json()[0]["name"], json!("Board one"));
    }
}

fn position(fen: &str, ply: usize) -> Word {
    Word::Position(PositionWord { fen: fen.into(), ply, result: "*".into(), ..PositionWord::default() })
}

fn warning(text: &str) -> Word {
    Word::Warning(WarningWord {
        kind: WarningKind::Illegal,
        text: text.into(),
        squares: vec!["e2".into()],
        fen: "8/8/8/8/8/8/4P3/8 w - - 0 1".into(),
        stamp_s: 1.0,
    })
}

#[test]
fn pages_and_what_they_need_are_found_and_load_nothing_from_elsewhere() {
    let display = display();
    for (path, kind) in [
        ("/", "text/html"),
        ("/board/one", "text/html"),
        ("/game/one", "text/html"),
        ("/games", "text/html"),
        ("/assets/style.css", "text/css"),
    ] {
        let reply = display.get(path);
        assert_eq!(reply.status, 200, "{path}");
        assert!(reply.head.contains(&format!("content-type: {kind}")), "{}", reply.head);
        assert!(reply.head.contains("content-security-policy: default-src 'none'"), "{}", reply.head);
        assert!(reply.head.contains("x-content-type-options: nosniff"));
        assert!(!reply.text().contains("://"), "{path} names another place");
        // Everything it names is there.
        for part in reply.text().split('"').filter(|part| part.starts_with("/assets/")) {
            assert_eq!(display.get(part).status, 200, "{part}");
        }
    }
    assert_eq!(display.get("/board/none").status, 404);
}

#[test]
fn files_outside_are_not_found_however_they_are_asked_for() {
    let display = display();
    for path in [
        "/assets/../Cargo.toml",
        "/assets/..%2f..%2fCargo.toml",
        "/assets/%2e%2e/%2e%2e/etc/passwd",
        "/assets//etc/passwd",
        "//etc/passwd",
        "/assets/style.css%00.html",
        "/api/boards/..%2f..%2fetc%2fpasswd",
        "/api/games/..%2f..%2fetc%2fpasswd",
        "/api/games/%2fetc%2fpasswd/archive",
        "/api/games/../../etc/passwd/looks/1",
        "/api/boards/one/../../secret",
    ] {
        let reply = display.get(path);
        assert!(reply.status == 404 || reply.status == 400, "{path}: {}", reply.status);
        assert!(!reply.text().contains("root:") && !reply.text().contains("[package]"));
    }
}

#[test]
fn a_board_is_told_as_it_is() {
    let display = display();
    let fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
    display.hall.tell("one", [position(fen, 1), Word::Game("[White \"<b>Ada\"]\n\n1. e4 *\n".into())]);
    let page = display.get("/api/boards/one").json();
    assert_eq!((&page["fen"], &page["game"]["plies"][0]["san"]), (&json!(fen), &json!("e4")));
    let pgn = display.get("/api/boards/one/game.pgn");
    assert!(
        pgn.head.contains("content-disposition: attachment; filename=\"one.pgn\"") && pgn.text().contains("1. e4 *")
    );
    assert_eq!(display.get("/api/boards/one/squares").json(), Value::Null);
    assert_eq!(display.get("/api/boards/two").status, 404);
}

#[test]
fn the_games_of_a_round_are_cheap_to_ask_for_again() {
    let display = display();
    display.hall.tell("one", [Word::Game("[White \"Ada\"]\n\n1. e4 *\n".into())]);
    let first = display.get("/games.pgn");
    assert!(first.status == 200 && first.head.contains("content-type: application/x-chess-pgn"), "{}", first.head);
    assert!(first.text().contains("[Board \"1\"]") && first.text().contains("1. e4 *"));
    let ask = |path: &str, header: String| {
        let host = display.address;
        let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{header}\r\n\r\n");
        display.send(request.as_bytes()).unwrap()
    };
    let value = |name: &str| first.head.split(&format!("{name}: ")).nth(1).unwrap().lines().next().unwrap().to_owned();
    let tag = || format!("If-None-Match: {}", value("etag"));
    let again = ask("/games.pgn", tag());
    assert_eq!((again.status, again.body.len()), (304, 0));
    // The time of a head that was made small is read all the same.
    assert_eq!(ask("/games.pgn", "If-Modified-Since: Fri, 31 Dec 2100 23:59:59 GMT".into()).status, 304);
    display.hall.tell("one", [Word::Game("1. e4 e5 *\n".into())]);
    let news = ask("/games.pgn", tag());
    assert!(news.status == 200 && news.text().contains("1. e4 e5 *"));
    assert_eq!(display.get("/boards/1.pgn").text(), display.get("/boards/one.pgn").text());
    for path in ["/boards/2.pgn", "/boards/one", "/boards/01.pgn", "/boards/..%2f1.pgn"] {
        assert_eq!(display.get(path).status, 404, "{path}");
    }
}

#[test]
fn who_may_see_the_games_alone_sees_nothing_else() {
    let display = display();
    let publisher = Publisher::new(Round::new(display.hall.clone(), Delay { plies: 1, ..Delay::default() }));
    display.hall.tell("one", [Word::Game("1. e4 e5 2. Nf3 *\n".into())]);
    let listener = display.runtime.block_on(server::listen("127.0.0.1:0".parse().unwrap())).unwrap();
    let alone = Display { address: listener.local_addr().unwrap(), ..display };
    alone.runtime.spawn(server::serve(listener, games_alone(publisher), std::future::pending()));
    let games = alone.get("/games.pgn");
    assert!(games.status == 200 && games.text().contains("1. e4 e5 *") && !games.text().contains("Nf3"));
    for path in ["/", "/api/boards", "/api/boards/one/game.pgn", "/board/one"] {
        assert_eq!(alone.get(path).status, 404, "{path}");
    }
}

#[test]
fn a_kept_game_stays_what_it_is_when_the_board_has_begun_another() {
    let display = display();
    let titles = display.get("/api/games").json();
    let [newer, older] = [0, 1].map(|i: usize| titles[i]["id"].as_str().unwrap().to_owned());
    assert_eq!((titles.as_array().unwrap().len(), &titles[0]["plies"], &titles[1]["plies"]), (2, &json!(1), &json!(2)));
    let looks = display.get("/api/boards/one/looks").json();
    assert_eq!((&looks["game"], looks["looks"].as_array().unwrap().len()), (&json!(newer), 2));
    let whole = display.get(&format!("/api/games/{older}")).json();
    let sans: Vec<_> = whole["game"]["plies"].as_array().unwrap().iter().map(|ply| ply["san"].clone()).collect();
    assert_eq!((sans, &whole["board"], &whole["kept"]), (vec![json!("e4"), json!("e5")], &Value::Null, &json!(true)));
    assert_eq!(whole["looks"][1]["told"], json!(["e5"]));
    assert_eq!(display.get(&format!("/api/games/{newer}")).json()["board"], json!("one"));
    // A board whose looks are not kept is a game as well.
    display.hall.open("two", "Board two");
    display.hall.tell("two", [Word::Game("1. c4 *\n".into())]);
    let whole = display.get("/api/games/two").json();
    assert_eq!((&whole["kept"], &whole["game"]["plies"][0]["san"]), (&json!(false), &json!("c4")));

    let pgn = display.get(&format!("/api/games/{older}/game.pgn"));
    assert!(
        pgn.text().contains("1. e4 e5") && pgn.head.contains(&format!("filename=\"{older}.pgn\"")),
        "{}",
        pgn.text()
    );
    assert_eq!(display.get(&format!("/api/games/{older}/looks/2")).json()["ply"], json!(2));
    assert_eq!(display.get(&format!("/api/games/{older}/looks/9")).status, 404);
    assert_eq!(display.get(&format!("/api/games/{older}/looks/1/picture.jpg")).status, 404);
    assert_eq!(display.get(&format!("/api/games/{older}/looks/1/picture.jpg?width=9")).status, 400);
    for part in ["archive", "looks/1/report"] {
        let file = display.get(&format!("/api/games/{older}/{part}"));
        assert!(file.status == 200 && file.body.starts_with(b"SQLite format 3"), "{part}");
    }
    for (page, status) in [(older.as_str(), 200), ("one", 200), ("none", 404), ("..%2fsecret", 404)] {
        assert_eq!(display.get(&format!("/game/{page}")).status, status, "{page}");
        assert_eq!(display.get(&format!("/api/games/{page}")).status, status, "{page}");
    }
    assert_eq!(display.get("/games").status, 200);
    assert_eq!(display.get("/api/boards/two/looks").status, 404);
}

#[test]
fn an_archive_that_is_damaged_costs_itself_only_and_its_path_is_not_told() {
    let display = display();
    let bad = display.folder.path().join("zz_bad.looks");
    std::fs::write(&bad, "no archive").unwrap();
    assert_eq!(display.get("/api/games").json().as_array().unwrap().len(), 2);
    let reply = display.get("/api/games/zz_bad");
    assert!(reply.status == 500 && !reply.text().contains("tmp"), "{}", reply.text());
    display.still_works();
}

#[test]
fn nothing_is_controlled_without_the_token_or_from_another_site() {
    let display = display();
    let pause = r#"{"command":"pause","on":true}"#;
    let at = "/api/boards/one/commands";
    assert_eq!(display.post(at, pause, "").status, 401);
    assert_eq!(display.post(at, pause, "Authorization: Bearer the-wrong-word\r\n").status, 401);
    let right = format!("Authorization: Bearer {TOKEN}\r\n");
    assert_eq!(display.post(at, pause, &format!("{right}Origin: http://evil.example\r\n")).status, 403);
    assert_eq!(display.post(at, pause, &format!("{right}Sec-Fetch-Site: cross-site\r\n")).status, 403);
    assert!(display.asked.0.lock().unwrap().is_empty());
    let own = format!("{right}Origin: http://{}\r\nSec-Fetch-Site: same-origin\r\n", display.address);
    let reply = display.post(at, pause, &own);
    assert_eq!((reply.status, reply.json()), (200, json!({ "success": true, "message": "done" })));
    assert_eq!(*display.asked.0.lock().unwrap(), [("one".to_owned(), Command::Pause { on: true })]);
}

#[test]
fn a_foreign_name_for_this_server_is_refused() {
    let display = display();
    let ask = |host: &str| {
        display
            .send(format!("GET /api/boards HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").as_bytes())
            .unwrap()
    };
    assert_eq!(ask("rebound.example:8080").status, 403);
    assert_eq!(ask("localhost:8080").status, 200);
}

#[test]
fn commands_are_understood_or_refused_with_a_reason() {
    let display = display();
    let at = "/api/boards/one/commands";
    for (body, command) in [
        (r#"{"command":"capture"}"#, Command::Capture {}),
        (r#"{"command":"take_back","plies":2}"#, Command::TakeBack { plies: 2 }),
        (r#"{"command":"correct_move","ply":3,"move":"Nf3"}"#, Command::CorrectMove { ply: 3, text: "Nf3".into() }),
        (r#"{"command":"set_result","result":"1-0"}"#, Command::SetResult { result: "1-0".into() }),
        (
            r#"{"command":"new_game","white":"Ada"}"#,
            Command::NewGame { fen: String::new(), white: "Ada".into(), black: String::new() },
        ),
        (r#"{"command":"locate_board","corners":[]}"#, Command::LocateBoard { corners: vec![] }),
    ] {
        assert_eq!(display.control(at, body).status, 200, "{body}");
        assert_eq!(display.asked.0.lock().unwrap().pop(), Some(("one".to_owned(), command)));
    }
    for bad in
        ["", "{", "[]", r#"{"command":"fly"}"#, r#"{"command":"pause"}"#, r#"{"command":"pause","on":true,"x":1}"#]
    {
        let reply = display.control(at, bad);
        assert_eq!(reply.status, 400, "{bad}");
        assert!(reply.json()["message"].as_str().unwrap().starts_with("the body is not as expected"));
    }
    assert_eq!(display.control("/api/boards/two/commands", r#"{"command":"capture"}"#).status, 404);
    assert!(display.asked.0.lock().unwrap().is_empty());
}

#[test]
fn an_alarm_is_acknowledged_once_and_with_the_token() {
    let display = display();
    display.hall.tell("one", [warning("illegal")]);
    let at = "/api/boards/one/acknowledge";
    assert_eq!(display.post(at, r#"{"alarm":1}"#, "").status, 401);
    assert_eq!(display.get("/api/boards").json()[0]["alarm"]["acknowledged"], json!(false));
    assert_eq!(display.control(at, r#"{"alarm":1}"#).status, 200);
    assert_eq!(display.get("/api/boards").json()[0]["alarm"]["acknowledged"], json!(true));
    assert_eq!(display.control(at, r#"{"alarm":7}"#).status, 404);
}

#[test]
fn a_go_board_stands_beside_those_of_chess_and_has_an_sgf() {
    let display = display();
    display.hall.open_go("table", "The Go board");
    let stones = StonesWord {
        size: 5,
        stones: "X....\n.....\n.....\n.....\n.....\n".into(),
        number: 1,
        ..StonesWord::default()
    };
    display.hall.tell("table", [Word::Stones(Box::new(stones)), Word::Game("(;GM[1]SZ[5];B[aa])".into())]);
    let plays: Vec<_> =
        display.get("/api/boards").json().as_array().unwrap().iter().map(|tile| tile["plays"].clone()).collect();
    assert_eq!(plays, [json!("chess"), json!("go")]);
    let page = display.get("/api/boards/table").json();
    assert_eq!((&page["game"]["plies"][0]["name"], &page["stones"]["size"]), (&json!("A5"), &json!(5)));
    let sgf = display.get("/api/boards/table/game.sgf");
    assert!(sgf.text() == "(;GM[1]SZ[5];B[aa])" && sgf.head.contains("filename=\"table.sgf\""), "{}", sgf.head);
    // What is of the other game is not there, and rounds of chess know nothing of it.
    for path in [
        "/api/boards/table/game.pgn",
        "/api/boards/one/game.sgf",
        "/game/table",
        "/api/games/table",
        "/boards/table.pgn",
    ] {
        assert_eq!(display.get(path).status, 404, "{path}");
    }
    assert_eq!(display.hall.chess_names().len(), 1);
    display.still_works();
}

/// Reads events until one holds `wanted`; returns all that was read.
async fn hear(stream: &mut TcpStream, wanted: &str) -> String {
    let mut heard = String::new();
    let mut part = [0; 4096];
    while !heard.contains(wanted) {
        let read = timeout(Duration::from_secs(20), stream.read(&mut part)).await.expect("an event in time").unwrap();
        assert!(read > 0, "the stream ended after: {heard}");
        heard.push_str(&String::from_utf8_lossy(&part[..read]));
    }
    heard
}

async fn listen(display: SocketAddr, path: &str) -> TcpStream {
    let mut stream = TcpStream::connect(display).await.unwrap();
    stream.write_all(format!("GET {path} HTTP/1.1\r\nHost: {display}\r\n\r\n").as_bytes()).await.unwrap();
    stream
}

#[test]
fn changes_are_told_as_they_happen_and_only_those() {
    let display = display();
    display.hall.open("two", "Board two");
    display.runtime.block_on(async {
        let mut hall = listen(display.address, "/api/events").await;
        let first = hear(&mut hall, "Board two").await;
        assert!(first.contains("text/event-stream") && first.contains("Board one"));
        let mut board = listen(display.address, "/api/boards/two/events").await;
        hear(&mut board, "\"ply\":0").await;
        display.hall.tell("two", [warning("the second board calls")]);
        assert!(!hear(&mut hall, "the second board calls").await.contains("Board one"));
        hear(&mut board, "the second board calls").await;
        display.hall.tell("one", [warning("the first board calls")]);
        assert!(!hear(&mut hall, "the first board calls").await.contains("Board two"));
    });
}

#[test]
fn who_does_not_read_is_sent_the_newest_state_and_holds_nobody_up() {
    let display = display();
    display.runtime.block_on(async {
        let mut slow = listen(display.address, "/api/boards/one/events").await;
        for i in 0..20_000 {
            display.hall.tell("one", [Word::Health(Health { silent: format!("state {i}"), gone: false })]);
        }
        // The states between were never queued: the newest comes among the first few that are read.
        let heard = hear(&mut slow, "state 19999").await;
        assert!(heard.matches("event: board").count() < 200, "{} states", heard.matches("event: board").count());
    });
}

#[test]
fn a_picture_is_drawn_only_while_somebody_looks_and_comes_when_it_is_new() {
    let display = display();
    assert!(!display.hall.is_looked_at("one", View::Camera));
    let hall = display.hall.clone();
    display.runtime.spawn(async move {
        while !hall.is_looked_at("one", View::Camera) {
            sleep(Duration::from_millis(5)).await;
        }
        hall.show("one", View::Camera, b"first".to_vec());
    });
    let reply = display.get("/api/boards/one/picture.jpg?view=camera");
    assert_eq!((reply.status, reply.text().as_str()), (200, "first"));
    assert!(reply.head.contains("content-type: image/jpeg") && reply.head.contains("x-picture: 1"));
    // Nothing newer has come: the page is told so.
    assert_eq!(display.get("/api/boards/one/picture.jpg?view=camera&after=1").status, 204);
    assert_eq!(display.get("/api/boards/one/picture.jpg?view=secret").status, 400);
    assert_eq!(display.get("/api/boards/one/picture.jpg?after=x").status, 400);
}

#[test]
fn a_page_is_sent_at_most_five_pictures_a_second() {
    let display = display();
    let (hall, over) = (display.hall.clone(), Arc::new(std::sync::atomic::AtomicBool::new(false)));
    let ended = Arc::clone(&over);
    // A camera of 200 Hz.
    let camera = std::thread::spawn(move || {
        while !ended.load(std::sync::atomic::Ordering::Relaxed) {
            hall.show("one", View::Camera, vec![0]);
            std::thread::sleep(Duration::from_millis(5));
        }
    });
    let (begun, mut number, mut pictures) = (std::time::Instant::now(), 0, 0);
    while pictures < 6 {
        let reply = display.get(&format!("/api/boards/one/picture.jpg?view=camera&after={number}"));
        assert_eq!(reply.status, 200);
        number = reply.head.split("x-picture: ").nth(1).unwrap().lines().next().unwrap().trim().parse().unwrap();
        pictures += 1;
    }
    // The first one comes at once, each other one a fifth of a second after the one before.
    assert!(begun.elapsed() >= Duration::from_millis(5 * 200 - 10), "{:?}", begun.elapsed());
    over.store(true, std::sync::atomic::Ordering::Relaxed);
    camera.join().unwrap();
}

#[test]
fn bodies_too_large_and_clients_too_slow_cost_only_themselves() {
    let display = display();
    let large = "x".repeat(1 << 20);
    assert_eq!(display.control("/api/boards/one/commands", &large).status, 413);
    // It claims much and sends little; meanwhile 200 others are served.
    display.runtime.block_on(async {
        let mut lazy = TcpStream::connect(display.address).await.unwrap();
        lazy.write_all(b"POST /api/token HTTP/1.1\r\nHost: localhost\r\nContent-Le").await.unwrap();
        let address = display.address;
        let many: Vec<_> = (0..200)
            .map(|_| tokio::spawn(async move { hear(&mut listen(address, "/api/boards").await, "Board one").await }))
            .collect();
        for one in many {
            one.await.unwrap();
        }
        drop(lazy);
    });
    display.still_works();
}

#[test]
fn who_is_slow_on_purpose_is_let_go() {
    let display = display();
    display.runtime.block_on(async {
        let mut head = TcpStream::connect(display.address).await.unwrap();
        head.write_all(b"GET /api/boards HTTP/1.1\r\nHo").await.unwrap();
        let mut body = TcpStream::connect(display.address).await.unwrap();
        let request = format!(
            "POST /api/boards/one/commands HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\n\
             Content-Length: 9\r\n\r\n{{"
        );
        body.write_all(request.as_bytes()).await.unwrap();
        let end = |mut stream: TcpStream| async move {
            let mut said = Vec::new();
            let closed = timeout(Duration::from_secs(60), stream.read_to_end(&mut said)).await;
            assert!(closed.is_ok(), "still open after a minute");
            String::from_utf8_lossy(&said).into_owned()
        };
        let (_, answer) = tokio::join!(end(head), end(body));
        assert!(answer.starts_with("HTTP/1.1 400") && answer.contains("too late"), "{answer}");
    });
    display.still_works();
}

#[test]
fn heads_without_end_are_refused() {
    let display = display();
    let long = "x".repeat(2 << 20);
    for request in [
        format!("GET /{long} HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        format!("GET / HTTP/1.1\r\nHost: localhost\r\nX: {long}\r\n\r\n"),
        format!("GET / HTTP/1.1\r\nHost: localhost\r\n{}\r\n", "X: y\r\n".repeat(1000)),
    ] {
        // An answer that refuses, or a connection that was closed meanwhile.
        let reply = display.send(request.as_bytes());
        assert!(reply.is_none_or(|reply| (400..500).contains(&reply.status)));
        display.still_works();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Requests by chance: an answer or a closed connection, never a server that fails.
    #[test]
    fn whatever_is_sent_the_display_goes_on(
        method in "(GET|POST|PUT|DELETE|OPTIONS|[A-Z]{1,9})",
        path in "(/api/boards/one/(commands|picture.jpg|looks|events2)|/api/games/one_19700101_000000/(looks/1/|)|/assets/|/games.pgn|/boards/(1|one)(.pgn|)|/game/|/)[ -~]{0,40}",
        header in "[!-9;-~]{1,20}: [ -~]{0,60}",
        body in proptest::collection::vec(any::<u8>(), 0..300),
    ) {
        static DISPLAY: std::sync::LazyLock<Display> = std::sync::LazyLock::new(display);
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{header}\r\n\
             Authorization: Bearer {TOKEN}\r\nContent-Length: {}\r\n\r\n", body.len());
        let reply = DISPLAY.send(&[head.as_bytes(), &body].concat());
        if let Some(reply) = reply {
            prop_assert!(reply.status < 500, "{} {}", reply.status, reply.text());
        }
        DISPLAY.still_works();
    }
}

#[test]
fn squares_in_doubt_are_marked() {
    let display = display();
    let mut occupancy = [1.0_f32, 0.0, 0.0].repeat(64);
    occupancy[0..3].copy_from_slice(&[0.5, 0.5, 0.0]);
    let squares = super::words::Squares {
        occupancy,
        changed: vec![0.0; 64],
        reliability: vec![1.0; 64],
        covered: vec![false; 64],
    };
    let word = BoardWord { tracker: Tracker::Doubt, squares: Some(squares), ..BoardWord::default() };
    display.hall.tell("one", [Word::Board(Box::new(word))]);
    assert_eq!(display.get("/api/boards/one").json()["in_doubt"], json!([0]));
}
