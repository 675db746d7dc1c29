//! What the display costs. To itself: hearing a board that nobody looks at, and telling 200 open pages of a change. To the
//! observer, which is another process: what keeping looks adds to each picture at rest; without an archive, nothing is done.
//!
//! The pages are real connections on this machine. Each measurement ends when the last of them has read the whole event;
//! they read in the same process, so their work counts as well. Run with `cargo bench --bench display_cost`.

mod processor;

use std::{
    hint::black_box,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use chess_observer::{
    archive::{
        Keeper,
        keeper::{MOST_BYTES, Place},
    },
    display::{
        Hall,
        desk::Desk,
        guard::Token,
        library::Library,
        pgn::Publisher,
        round::{Delay, Round},
        routes::routes,
        server,
        words::{PositionWord, Word},
    },
    frame::{Frame, Stamp},
    game::pgn_in::read_games,
    observer::Observer,
    params::Params,
    sim::{Scene, Simulation},
};
use criterion::{Criterion, SamplingMode, criterion_group, criterion_main};
use processor::now;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader},
    net::TcpStream,
    runtime::Runtime,
    sync::Notify,
};

/// A tournament's hall.
const BOARDS: usize = 60;
/// Pages that are open at a time.
const PAGES: usize = 200;
/// A page is sent ten states a second at most: after so long it is ready for the next one.
const READY: Duration = Duration::from_millis(130);
/// Plies of the game that stands on every board: a page is sent all of it.
const PGN: &str = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Nxe4 6. d4 b5 7. Bb3 d5 8. dxe5 Be6 *";

fn name(board: usize) -> String {
    format!("board_{board}")
}

/// A change of every page that shows it.
fn change(ply: usize) -> [Word; 1] {
    [Word::Position(PositionWord { ply, result: "*".into(), ..PositionWord::default() })]
}

fn hall() -> Hall {
    let hall = Hall::default();
    for board in 0..BOARDS {
        hall.open(&name(board), &name(board));
        hall.tell(&name(board), [Word::Game(PGN.into())]);
    }
    hall
}

/// Pages that count the events they have read.
struct Pages {
    read: Arc<AtomicUsize>,
    news: Arc<Notify>,
}

impl Pages {
    async fn open(address: SocketAddr, path: &'static str) -> Self {
        let pages = Self { read: Arc::default(), news: Arc::default() };
        for _ in 0..PAGES {
            let (read, news) = (Arc::clone(&pages.read), Arc::clone(&pages.news));
            tokio::spawn(async move {
                let mut stream = TcpStream::connect(address).await.expect("the display listens");
                let head = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n");
                stream.write_all(head.as_bytes()).await.expect("the display takes requests");
                let mut lines = BufReader::new(stream).lines();
                while let Ok(Some(line)) = lines.next_line().await {
                    if line.starts_with("data:") {
                        read.fetch_add(1, Ordering::SeqCst);
                        news.notify_one();
                    }
                }
            });
        }
        pages.until(PAGES).await;
        pages
    }

    async fn until(&self, events: usize) {
        while self.read.load(Ordering::SeqCst) < events {
            self.news.notified().await;
        }
    }

    /// From the change until the last page has read it.
    async fn told(&self, hall: &Hall, ply: usize) -> Duration {
        tokio::time::sleep(READY).await;
        let before = self.read.load(Ordering::SeqCst);
        let begun = Instant::now();
        hall.tell(&name(0), change(ply));
        self.until(before + PAGES).await;
        begun.elapsed()
    }
}

fn pages(criterion: &mut Criterion) {
    let runtime: Runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    let mut group = criterion.benchmark_group("display");
    group.sample_size(10).sampling_mode(SamplingMode::Flat);
    group.measurement_time(Duration::from_millis(300)).warm_up_time(Duration::from_millis(50));
    let mut ply = 0;
    let quiet = hall();
    group.bench_function("a board tells, nobody looks", |b| {
        b.iter(|| {
            ply += 1;
            quiet.tell(&name(0), black_box(change(ply)));
        });
    });
    for (title, path) in
        [("a change to 200 pages of a board", "/api/boards/board_0/events"), ("a change to 200 halls", "/api/events")]
    {
        let hall = hall();
        let token = Token::chosen("a-word-for-benches").expect("long enough");
        let publisher = Publisher::new(Round::new(hall.clone(), Delay::default()));
        let desk = Desk { hall: hall.clone(), controls: None, library: Library::empty(), publisher, token };
        let listening = server::listen("127.0.0.1:0".parse().expect("an address"));
        let listener = runtime.block_on(listening).expect("a free port");
        let address = listener.local_addr().expect("its port");
        runtime.spawn(server::serve(listener, routes(desk), std::future::pending()));
        let pages = runtime.block_on(Pages::open(address, path));
        group.bench_function(title, |b| {
            b.iter_custom(|n| {
                let all = async {
                    let mut spent = Duration::ZERO;
                    for _ in 0..n {
                        ply += 1;
                        spent += pages.told(&hall, ply).await;
                    }
                    spent
                };
                runtime.block_on(all)
            });
        });
    }
    group.finish();
}

/// Pictures of a board at rest, 25 a second; `kept` says whether a keeper looks on.
fn at_rest(picture: &Frame<'_>, kept: bool, count: u64) -> Duration {
    let folder = tempfile::tempdir().expect("a folder");
    let params = Params::default();
    let mut observer = Observer::new(&params).expect("the usual parameters");
    let place = Place::Folder(folder.path().into(), "bench".into());
    let mut keeper = kept.then(|| Keeper::new(place, MOST_BYTES, &params).expect("a folder to write to"));
    let mut show = |i: u64| {
        let stamp = Stamp::from_s(i as f64 / 25.0);
        let events = observer.observe(picture, stamp);
        if let Some(keeper) = &mut keeper {
            keeper.see(&observer, picture, None, stamp, &events);
        }
    };
    (0..25).for_each(&mut show);
    let start = Instant::now();
    let before = now(start);
    (25..25 + count).for_each(&mut show);
    let spent = now(start).saturating_sub(before);
    if let Some(keeper) = keeper {
        keeper.finish(Duration::from_secs(10));
    }
    spent
}

fn observer(criterion: &mut Criterion) {
    let mut scene = Scene::oblique(45.0);
    (scene.camera.width, scene.camera.height) = (1280, 720);
    let game = read_games("1. e4 *").remove(0).expect("the game is legal");
    let still = Simulation::new(&scene, &game, 1).expect("the scene is within its ranges").stills().next();
    let still = still.expect("a first picture");
    let picture = Frame::from_rgb(&still.image).expect("1280x720 is a picture");
    let mut group = criterion.benchmark_group("observer at rest 1280x720");
    group.sample_size(10).measurement_time(Duration::from_secs(4));
    for (title, kept) in [("no archive", false), ("looks are kept", true)] {
        group.bench_function(title, |b| b.iter_custom(|n| at_rest(&picture, kept, n)));
    }
    group.finish();
}

criterion_group!(benches, pages, observer);
criterion_main!(benches);
