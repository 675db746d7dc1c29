//! What one look costs the rules: an ordinary ply, a look at which nothing has changed, four plies that nobody saw; and the
//! worst: what no line explains, from a line that is lost already. Time on the processor where the system tells it: other
//! programs do not count. What the costliest of a row's looks took is printed as well.
//!
//! Run with `cargo bench --bench game`.

mod processor;

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use chess_observer::game::{Game, Look, Tags, evidence::Evidence, pgn_in::read_games};
use criterion::{Criterion, criterion_group, criterion_main};
use processor::now;
use shakmaty::{Bitboard, Board, Color, Square};

/// The collection that ships with the program.
const GAMES: &str = include_str!("../games/classics.pgn");
/// Middlegames: after so many plies, of games that are longer.
const AFTER: usize = 30;

/// Squares that tell their colours by thirty nats, and nothing else.
struct Clear {
    reference: Board,
    told: Board,
}

const NATS: f64 = 30.0;

impl Clear {
    fn against(&self, men: &Board) -> Bitboard {
        (men.white() ^ self.told.white()) | (men.black() ^ self.told.black())
    }
}

impl Evidence for Clear {
    fn log_likelihood(&self, men: &Board) -> f64 {
        -NATS * self.against(men).count() as f64
    }
    fn reference(&self) -> &Board {
        &self.reference
    }
    fn square(&self, square: Square) -> [f64; 3] {
        [None, Some(Color::White), Some(Color::Black)]
            .map(|c| if self.told.color_at(square) == c { 0.0 } else { -NATS })
    }
    fn unexplained(&self, men: &Board) -> Bitboard {
        self.against(men)
    }
}

/// Games after [`AFTER`] plies, each with what stands so many plies later.
fn looks(unseen: usize) -> Vec<(Game, Clear)> {
    let games = read_games(GAMES).into_iter().flatten().filter(|g| g.moves.len() > AFTER + unseen);
    let see = |game: &mut Game, men: &Board| {
        let evidence = Clear { reference: game.standing().clone(), told: men.clone() };
        game.observe(&evidence, PATIENT);
    };
    games
        .map(|text| {
            let positions = text.positions();
            let mut game = Game::new(text.start.clone(), Tags::default());
            positions[1..=AFTER].iter().for_each(|p| see(&mut game, shakmaty::Position::board(p)));
            let told = shakmaty::Position::board(&positions[AFTER + unseen]).clone();
            let evidence = Clear { reference: game.standing().clone(), told };
            (game, evidence)
        })
        .collect()
}

/// The same where no line leads: two men more stand on the board, and two fewer.
fn lost(unseen: usize) -> Vec<(Game, Clear)> {
    let spoilt = |(mut game, mut evidence): (Game, Clear)| {
        let men = evidence.told.clone();
        let odd = |colour: Color| {
            men.by_color(colour).into_iter().filter(|s| s.rank() != shakmaty::Rank::First).step_by(5).next()
        };
        for (colour, to) in [(Color::White, Square::A5), (Color::Black, Square::H4)] {
            if let Some(from) = odd(colour) {
                evidence.told.discard_piece_at(from);
            }
            evidence.told.set_piece_at(to, colour.pawn());
        }
        // A look that was not understood leaves lines to go on from.
        game.observe(&evidence, Look { patient: false, ..PATIENT });
        (game, evidence)
    };
    looks(unseen).into_iter().map(spoilt).collect()
}

/// What a look takes by this clock.
fn cost(game: &Game, evidence: &Clear, clock: impl Fn() -> Duration) -> Duration {
    let mut game = game.clone();
    let before = clock();
    black_box(game.observe(evidence, PATIENT));
    clock().saturating_sub(before)
}

const PATIENT: Look = Look { settled: true, patient: true, forced: false, passing: false, min_confidence: 0.95 };

fn costs(c: &mut Criterion) {
    let mut group = c.benchmark_group("game");
    group.sample_size(20);
    let plain = [("nothing new", 0), ("one ply", 1), ("two plies", 2), ("four plies", 4), ("six plies", 6)];
    let rows = plain.map(|(name, unseen)| (name, looks(unseen)));
    for (name, looks) in rows.into_iter().chain([("six plies and no line", lost(6))]) {
        // By the clock, for a single look is too short for the system's count; the least of some runs, for what else the
        // machine does is in the others.
        let start = Instant::now();
        let least = |(game, evidence): &(Game, Clear)| (0..5).map(|_| cost(game, evidence, || start.elapsed())).min();
        eprintln!(
            "{name}: {} looks, the costliest {:?}",
            looks.len(),
            looks.iter().filter_map(least).max().unwrap_or_default()
        );
        group.bench_function(name, |b| {
            b.iter_custom(|runs| {
                let start = Instant::now();
                let mut spent = Duration::ZERO;
                for run in 0..runs {
                    let (game, evidence) = &looks[(run % looks.len() as u64) as usize];
                    spent += cost(game, evidence, || now(start));
                }
                spent
            });
        });
    }
    group.finish();
}

criterion_group!(benches, costs);
criterion_main!(benches);
