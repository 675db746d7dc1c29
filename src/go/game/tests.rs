use super::*;
use crate::go::{Content, Fault, Play, Point, Rules, Seen, board::tests::board};

mod disturbed;
mod games;
mod said;

/// Dice that every run throws alike.
pub struct Dice(pub u64);

impl Dice {
    /// 0 to below 1.
    pub(crate) fn throw(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(crate) fn below(&mut self, most: usize) -> usize {
        (self.throw() * most as f64) as usize
    }
}

/// A look that shows these stones, each content that is not there by `nats` unlikelier.
pub(crate) fn look_at(board: &Board, nats: f64) -> Look {
    let seen = board.contents().iter().map(|&c| Seen {
        log_likelihood: Content::ALL.map(|other| if other == c { 0.0 } else { -nats }),
        covered: 0.0,
    });
    Look { size: board.size(), seen: seen.collect() }
}

/// The same with noise of so many nats on every likelihood.
pub(crate) fn noisy(board: &Board, nats: f64, noise: f64, dice: &mut Dice) -> Look {
    let mut look = look_at(board, nats);
    for l in look.seen.iter_mut().flat_map(|s| &mut s.log_likelihood) {
        *l += noise * ((0..4).map(|_| dice.throw()).sum::<f64>() - 2.0) * 1.73;
    }
    look
}

/// Hides a part of it.
pub(crate) fn cover(look: &mut Look, hidden: impl Fn(Point) -> bool) {
    let size = look.size;
    for point in size.points().filter(|&p| hidden(p)) {
        look.seen[size.index(point)] = Seen::NOTHING;
    }
}

pub const STILL: How = How { stills: true, patient: true, forced: false, min_confidence: 0.95 };
pub(crate) const FILM: How = How { stills: false, patient: false, forced: false, min_confidence: 0.95 };

pub fn size(lines: u64) -> Size {
    Size::new(lines).unwrap()
}

fn game_on(lines: u64) -> Game {
    Game::new(Begin::AsSeen(size(lines)), Info::default())
}

/// A game that stands here, White or Black to play.
fn game_at(text: &str, to_play: Color) -> Game {
    Game::new(Begin::At(Moment::start(board(text), to_play)), Info::default())
}

pub fn at(name: &str, lines: u64) -> Point {
    Point::parse(name, size(lines)).unwrap()
}

/// What was told, shortly.
pub fn told(events: &[Event]) -> Vec<String> {
    let letter = |c: &Color| if *c == Color::Black { 'B' } else { 'W' };
    events
        .iter()
        .map(|e| match e {
            Event::Begun { stones: [b, w], handicap, .. } => format!("begun {b} {w} handicap {handicap}"),
            Event::Play { number, color, point, fault, .. } => format!(
                "{number} {} {}{}",
                letter(color),
                point.as_deref().unwrap_or("pass"),
                fault.map_or("", |_| " let stand")
            ),
            Event::Revised { number, was, point, .. } => format!("{number} {was} is {point}"),
            Event::TakeBack { number } => format!("{number} taken back"),
            Event::Illegal { reason, point, color, .. } => format!("{} {point} {}", letter(color), reason.word()),
            Event::Displaced { text, .. } => text.clone(),
            Event::Restored => "restored".into(),
            Event::Uncertain { points } => format!("look at {}", points.join(" ")),
            Event::Resumed { points } => format!("resumed {}", points.len()),
            Event::NewGame => "new game".into(),
            Event::Result { result } => format!("result {result}"),
        })
        .collect()
}

pub fn see(game: &mut Game, board: &Board) -> Vec<String> {
    told(&game.observe(&look_at(board, 20.0), STILL).events)
}

/// A random legal game, near each other as people play.
pub(crate) fn random_game(lines: u64, plays: usize, rules: &Rules, dice: &mut Dice) -> Arc<Moment> {
    let size = size(lines);
    let mut moment = Moment::start(Board::empty(size), Color::Black);
    let mut tries = 0;
    while moment.number() < plays && tries < 50 * plays {
        tries += 1;
        let near = moment.last().and_then(|p| p.at).filter(|_| dice.throw() < 0.6);
        let any = size.point(dice.below(size.count()));
        let point = near.map_or(any, |p| {
            let shift = |v: u8, dice: &mut Dice| {
                (i32::from(v) + dice.below(5) as i32 - 2).clamp(0, i32::from(size.lines()) - 1) as u8
            };
            Point::new(shift(p.x, dice), shift(p.y, dice))
        });
        // Nobody fills his own eyes.
        let own = |p: Point| size.next_to(p).all(|q| moment.board().at(q) == moment.to_play().into());
        if !own(point)
            && let Ok(next) = moment.play(point, rules)
        {
            moment = next;
        }
    }
    moment
}

pub(crate) fn plays_of(moment: &Arc<Moment>) -> Vec<Play> {
    moment.line().iter().filter_map(|m| m.last()).collect()
}
