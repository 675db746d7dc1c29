//! Games in a row, each set up by hand: what an observer needs does not grow, and its last look is as quick as its first.
//! `CHESS_OBSERVER_SOAK` is the number of pictures (1,000 by default; two million are more than two days of play).

#[path = "../../benches/processor/mod.rs"]
mod processor;

use std::{fs, process::Command, time::Instant};

use chess_observer::{
    event::Event,
    frame::{Frame, Stamp},
    game::pgn_in::read_games,
    observer::Observer,
    params::Params,
    sim::{Scene, Simulation},
};
use image::RgbImage;
use processor::now;

/// Captures, castling on both sides, checks.
const GAME: &str =
    "1. e4 d5 2. exd5 Qxd5 3. Nc3 Qa5 4. d4 Nf6 5. Nf3 c6 6. Bc4 Bf5 7. O-O e6 8. Bf4 Bb4 9. Qd3 Bxd3 10. cxd3 O-O *";
const SCENE: &str = "[pace]\nrest_min_s = 1.0\nrest_max_s = 1.2\n[camera]\nwidth = 320\nheight = 240\n";
/// Set where the test runs alone in its process.
const ALONE: &str = "CHESS_OBSERVER_SOAK_ALONE";
/// Time between two pictures, and between two games.
const STEP_NS: i64 = 100_000_000;
const PAUSE_NS: i64 = 60_000_000_000;
/// Memory may grow by so much after the first game, and latency by this factor.
const GROWTH_MB: f64 = 5.0;
const SLOWER: f64 = 1.5;
/// Share of the plies that may be told wrongly at first: the pictures are small, so that there are many.
const MOST_WRONG: f64 = 0.01;

#[test]
fn games_in_a_row() {
    if std::env::var_os(ALONE).is_some() {
        return play();
    }
    // Memory is that of a process.
    let program = std::env::current_exe().unwrap();
    let alone = Command::new(program)
        .args(["soak::games_in_a_row", "--exact", "--nocapture"])
        .env(ALONE, "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&alone.stdout);
    assert!(alone.status.success(), "{said}{}", String::from_utf8_lossy(&alone.stderr));
    said.lines().filter(|line| line.starts_with("soak: ")).for_each(|line| println!("{line}"));
}

/// A film of the game, hands and all, and its moves.
fn film() -> (Vec<RgbImage>, Vec<String>) {
    let game = read_games(GAME).remove(0).unwrap();
    let simulation = Simulation::new(&Scene::from_toml(SCENE).unwrap(), &game, 3).unwrap();
    (simulation.map(|shown| shown.image).collect(), game.ucis())
}

/// Memory in use by this process, where the system tells.
fn memory_mb() -> f64 {
    let pages =
        fs::read_to_string("/proc/self/statm").ok().and_then(|text| text.split(' ').nth(1)?.parse::<f64>().ok());
    pages.unwrap_or_default() * 4096.0 / 1e6
}

/// An observer to whom pictures are shown.
struct Shown {
    observer: Observer,
    now_ns: i64,
    pictures: usize,
    /// Moves of this game as they stand now: told, revised, taken back.
    told: Vec<String>,
    /// Moves told wrongly in all games, mended later or not.
    wrong: usize,
    /// The first of them: picture, ply, what was told.
    faults: Vec<(usize, usize, String)>,
}

/// So many of them are shown.
const SHOWN_FAULTS: usize = 12;

impl Shown {
    fn show(&mut self, picture: &RgbImage, ucis: &[String]) {
        self.now_ns += STEP_NS;
        self.pictures += 1;
        for event in self.observer.observe(&Frame::from_rgb(picture).unwrap(), Stamp(self.now_ns)) {
            match event {
                Event::Move { ply, uci, .. } | Event::Revised { ply, uci, .. } => {
                    let uci = uci.to_string();
                    if ucis.get(ply - 1) != Some(&uci) {
                        self.wrong += 1;
                        if self.faults.len() < SHOWN_FAULTS {
                            self.faults.push((self.pictures, ply, uci.clone()));
                        }
                    }
                    self.told.resize(ply.max(self.told.len()), String::new());
                    self.told[ply - 1] = uci;
                }
                Event::TakeBack { ply, .. } => self.told.truncate(ply - 1),
                _ => (),
            }
        }
    }

    /// Plays a game, and clears the table: the men are set up while nobody sees them. What a look takes on average, in seconds of
    /// the processor: what else the machine does is not in it. The system counts such time in steps longer than a look.
    fn game(&mut self, film: &[RgbImage], ucis: &[String]) -> f64 {
        let table = RgbImage::from_pixel(film[0].width(), film[0].height(), image::Rgb([120, 90, 66]));
        let (start, pictures) = (Instant::now(), self.pictures);
        let before = now(start);
        self.told.clear();
        film.iter().for_each(|picture| self.show(picture, ucis));
        for _ in 0..50 {
            if self.told.len() < ucis.len() {
                self.show(&film[film.len() - 1], ucis);
            }
        }
        assert_eq!(self.told.len(), ucis.len(), "after {} pictures: {:?}", self.pictures, self.told);
        (0..10).for_each(|_| self.show(&table, ucis));
        self.now_ns += PAUSE_NS;
        now(start).saturating_sub(before).as_secs_f64() / (self.pictures - pictures) as f64
    }
}

fn median(of: &[f64]) -> f64 {
    let mut sorted = of.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

fn play() {
    let asked = std::env::var("CHESS_OBSERVER_SOAK").ok().and_then(|n| n.parse().ok()).unwrap_or(1_000);
    let (film, ucis) = film();
    let observer = Observer::new(&Params::default()).unwrap();
    let mut shown =
        Shown { observer, now_ns: 1_767_225_600_000_000_000, pictures: 0, told: vec![], wrong: 0, faults: vec![] };
    let begun = Instant::now();
    let (mut memory, mut latency) = (vec![], vec![]);
    while shown.pictures < asked || latency.len() < 2 {
        latency.push(shown.game(&film, &ucis));
        memory.push(memory_mb());
    }
    let (first, last) = (memory[0], memory[memory.len() - 1]);
    let most = memory.iter().copied().fold(0.0, f64::max);
    // An hour of play, or a game where there was less.
    let hour = (36_000 / film.len()).clamp(1, latency.len());
    let (early, late) = (median(&latency[..hour]), median(&latency[latency.len() - hour..]));
    println!(
        "soak: {} pictures, {} games, {} of {} plies told wrongly, {:.0} s; memory {first:.1} MB after the first game, {last:.1} MB after the last, {most:.1} MB at \
         most; a look takes {:.2} ms in the first hour, {:.2} ms in the last",
        shown.pictures,
        latency.len(),
        shown.wrong,
        latency.len() * ucis.len(),
        begun.elapsed().as_secs_f64(),
        1e3 * early,
        1e3 * late,
    );
    assert!(
        shown.wrong as f64 <= MOST_WRONG * (latency.len() * ucis.len()) as f64,
        "{} plies told wrongly, first {:?}",
        shown.wrong,
        shown.faults
    );
    assert!(early > 0.0, "the time of looks is not measured");
    assert!(last < first + GROWTH_MB, "memory has grown: {memory:?}");
    // Less than an hour is at the mercy of whatever else the machine does.
    assert!(shown.pictures < 100_000 || late < SLOWER * early, "looks have become slower");
}
