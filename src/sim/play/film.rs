//! The timeline: where the hands are at each moment, what they hold, and when an act is completed.

use shakmaty::{Board, Color, Role};

use super::{
    cast::Cast,
    path::{Effect, Path, plan, position},
    script::Script,
};
use crate::sim::{
    dice::Dice,
    math::{self, V3},
    scene::Scene,
    shape::{
        hand::{Hand, shoulder},
        man::Place,
    },
    slip::Slip,
};

/// Quiet time before the first act, in seconds: an observer must find the board.
const OPENING_S: f64 = 3.0;
/// Quiet time after the last act, in seconds.
const CLOSING_S: f64 = 3.0;
/// In this time hands that rested over the men at the beginning are drawn back, in seconds.
const DRAW_BACK_S: f64 = 0.8;
/// What the hand before has set down stands for so long at least before the next one grips a man, in seconds.
const AFTER_S: f64 = 0.05;
/// Where Black's and White's hand rests at first, in squares: over a pawn or two, as when one sets the men right.
const OVER_THE_MEN: [V3; 2] = [V3::new(2.6, 6.4, 1.3), V3::new(5.3, 1.7, 1.3)];
/// So far off the board a hand that was drawn back is out of most pictures, in squares.
const BACK: f32 = 7.5;
/// In this time a hand that comes to rest is lowered, in seconds.
const LOWER_S: f64 = 0.5;

/// The state of things at a moment of the film.
#[derive(Debug, Clone)]
pub struct Moment {
    /// Seconds from the beginning.
    pub time_s: f64,
    /// Acts completed on the board; the hand of the last one may still be in the picture.
    pub acts: usize,
    /// In a pause: its second half has begun.
    pub late: bool,
    /// Which part of the visit that is under way, or else of the pause, has passed, 0 to 1.
    pub share: f64,
    /// Index of the act whose hand came in last, while a hand is in the picture.
    pub(crate) under_way: Option<usize>,
    /// That hand rests in view (true), or has done so and is leaving (false).
    pub resting: Option<bool>,
    /// Men in the air: number, foot, turn in radians.
    pub held: Vec<(usize, V3, f32)>,
    /// The hands.
    pub hands: Vec<Hand>,
    /// What the hand that came in last is doing.
    pub note: &'static str,
    /// Hands are over the men since before the first picture.
    pub opening: bool,
}

/// One act on the timeline.
#[derive(Debug, Clone)]
struct Span {
    player: Color,
    placement: Board,
    path: Path,
    held: Vec<(usize, V3, f32)>,
    note: &'static str,
}

/// A film's timeline, and how far it has run.
#[derive(Debug, Clone)]
pub struct Film {
    spans: Vec<Span>,
    /// Everything that happens to men, in order of time: when, in which span, what.
    effects: Vec<(f64, usize, Effect)>,
    applied: usize,
    /// When the first act may begin.
    opening_s: f64,
    length_s: f64,
    period_s: f64,
    /// Hands rest over the men from the beginning until then.
    hands_s: f64,
    /// The first picture that is taken, and the next one.
    first: usize,
    frame: usize,
    acts: usize,
}

impl Film {
    /// Plans a film. `height` gives a man's height in squares.
    #[must_use]
    pub fn new(scene: &Scene, script: &Script, height: impl Fn(Role) -> f32, seed: u64) -> Self {
        let mut dice = Dice::new(seed, 0xf1);
        let mut cast = script.cast.clone();
        let mut spans: Vec<Span> = Vec::with_capacity(script.acts.len());
        // When the board is as the last act leaves it, and when each player's hand is gone.
        let (mut done_s, mut gone_s) = (0.0, [0.0; 2]);
        let hands_s = scene.opening.hands_s;
        let opening_s = OPENING_S + if hands_s > 0.0 { hands_s + DRAW_BACK_S } else { 0.0 };
        let mut ready_s = opening_s;
        for act in &script.acts {
            let mut path = plan(scene, act, &height, &mut dice, &mut cast);
            let mut begin_s = ready_s + act.rest_s;
            // One hand a player, and the men are moved one after the other.
            begin_s = begin_s.max(gone_s[act.player as usize] + act.rest_s.max(0.0));
            begin_s = begin_s.max(done_s + AFTER_S - path.first_grip_s());
            begin_s = begin_s.max(spans.last().map_or(opening_s, |s| s.path.begin_s()));
            path.shift(begin_s);
            done_s = path.last_effect_s();
            gone_s[act.player as usize] = path.end_s();
            // A hand that rests in view does not keep the opponent from going on.
            ready_s = path.linger_s.map_or(path.end_s(), |(from, _)| from);
            spans.push(Span { player: act.player, placement: act.placement.clone(), path, held: vec![], note: "" });
        }
        let mut effects: Vec<(f64, usize, Effect)> = spans
            .iter_mut()
            .enumerate()
            .flat_map(|(i, span)| std::mem::take(&mut span.path.effects).into_iter().map(move |(t, e)| (t, i, e)))
            .collect();
        // Stable: what happens at one time keeps its order.
        effects.sort_by(|a, b| a.0.total_cmp(&b.0));
        let end_s = spans.iter().map(|s| s.path.end_s()).fold(opening_s, f64::max);
        let period_s = 1.0 / scene.camera.frame_rate_hz;
        let first = spans.first().filter(|_| scene.opening.join > 0.0).map_or(0, |span| {
            let (begin_s, end_s) = (span.path.begin_s(), span.path.end_s());
            ((begin_s + scene.opening.join * (end_s - begin_s)) / period_s).ceil() as usize
        });
        Self {
            spans,
            effects,
            applied: 0,
            opening_s,
            length_s: end_s + CLOSING_S,
            period_s,
            hands_s,
            first,
            frame: first,
            acts: 0,
        }
    }

    /// Pictures from beginning to end.
    #[must_use]
    pub fn frames(&self) -> usize {
        self.last() + 1 - self.first
    }

    /// Number of the last picture.
    fn last(&self) -> usize {
        (self.length_s / self.period_s) as usize
    }

    /// When the first picture is taken.
    #[must_use]
    pub(crate) fn begins_s(&self) -> f64 {
        self.first as f64 * self.period_s
    }

    /// How much of the story is told at a time: 0 until the first ply may begin, 1 from the last one's end.
    #[must_use]
    pub fn progress(&self, time_s: f64) -> f64 {
        ((time_s - self.opening_s) / (self.length_s - self.opening_s - CLOSING_S).max(1e-3)).clamp(0.0, 1.0)
    }

    /// The next moment; moves the men of `cast` accordingly. The players sit at the table, wherever the board is on it.
    /// `None` after the end.
    pub fn next(&mut self, cast: &mut Cast, board_from_table: &Slip) -> Option<Moment> {
        if self.frame > self.last() {
            return None;
        }
        let time_s = self.frame as f64 * self.period_s;
        self.frame += 1;
        self.go_on_to(time_s, cast);
        let active: Vec<&Span> = self.spans.iter().filter(|s| s.path.covers(time_s)).collect();
        let mut held = vec![];
        let mut hands = vec![];
        for span in &active {
            let tip = position(&span.path.points, time_s, board_from_table);
            held.extend(span.held.iter().map(|&(man, hang, turn)| (man, tip + hang, turn)));
            let low = span.path.linger_s.map_or(0.0, |(from, to)| {
                let outside = (from - time_s).max(time_s - to).max(0.0);
                (1.0 - outside / LOWER_S).max(0.0)
            });
            let shoulder = board_from_table.point(shoulder(span.player));
            hands.push(Hand { tip, shoulder, player: span.player, low: low as f32 });
        }
        let waiting = self.waiting(time_s, board_from_table);
        let opening = !waiting.is_empty();
        hands.extend(waiting);
        let under_way = self.spans.iter().rposition(|s| s.path.covers(time_s));
        let last = under_way.map(|i| &self.spans[i]);
        let next_s = self.spans.iter().map(|s| s.path.begin_s()).find(|&t| t > time_s).unwrap_or(self.length_s);
        let past = self.spans.iter().map(|s| s.path.end_s()).filter(|&t| t <= time_s);
        let since_s = past.fold(0.0, f64::max);
        let (from_s, to_s) = last.map_or((since_s, next_s), |s| (s.path.begin_s(), s.path.end_s()));
        Some(Moment {
            share: ((time_s - from_s) / (to_s - from_s).max(1e-9)).clamp(0.0, 1.0),
            time_s,
            acts: self.acts,
            late: hands.is_empty() && 2.0 * time_s > since_s + next_s,
            under_way,
            resting: last.and_then(|s| s.path.linger_s).filter(|l| l.0 <= time_s).map(|l| time_s < l.1),
            held,
            hands,
            note: last.map_or(if opening { "resting since before the first picture" } else { "" }, |s| s.note),
            opening,
        })
    }

    /// What happens until then happens: men are gripped and put down, acts are over.
    fn go_on_to(&mut self, time_s: f64, cast: &mut Cast) {
        while let Some(&(_, index, effect)) = self.effects.get(self.applied).filter(|e| e.0 <= time_s) {
            self.applied += 1;
            let span = &mut self.spans[index];
            match effect {
                Effect::Grip { man, hang, turn_rad } => {
                    cast.men[man].place = Place::Held;
                    span.held.push((man, hang, turn_rad));
                }
                Effect::Put { man, place } => {
                    cast.men[man].place = place;
                    span.held.retain(|h| h.0 != man);
                }
                Effect::Note(note) => span.note = note,
            }
            if index == self.acts && !matches!(effect, Effect::Note(_)) && cast.shows(&span.placement) {
                self.acts += 1;
            }
        }
        // All effects lie before the end.
        while self.spans.get(self.acts).is_some_and(|s| s.path.end_s() <= time_s) {
            self.acts += 1;
        }
    }

    /// The hands that are over the men when the film begins, until they have been drawn back.
    fn waiting(&self, time_s: f64, board_from_table: &Slip) -> Vec<Hand> {
        if self.hands_s <= 0.0 || time_s >= self.hands_s + DRAW_BACK_S {
            return vec![];
        }
        let back = math::ease(((time_s - self.hands_s) / DRAW_BACK_S).max(0.0) as f32);
        let hand = |player: Color| {
            let over = OVER_THE_MEN[player as usize];
            let from = shoulder(player);
            let seat = V3::new(from.x, if player == Color::White { -BACK } else { 8.0 + BACK }, 2.5);
            let tip = over + (board_from_table.point(seat) - over) * back;
            Hand { tip, shoulder: board_from_table.point(from), player, low: 0.0 }
        };
        vec![hand(Color::White), hand(Color::Black)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        game::start::Start,
        sim::play::{
            script::tests::{EVERYTHING, moves},
            story::{Story, What},
        },
    };

    fn film(scene: &Scene, story: &Story) -> (Film, Cast) {
        let script = Script::new(scene, story, 3).unwrap();
        (Film::new(scene, &script, |_| 1.0, 3), script.cast)
    }

    #[test]
    fn fast_players_leave_no_clean_picture_and_slow_ones_do() {
        let start = Start::default();
        let story: Story = (start.clone(), moves(start.position(), EVERYTHING)).into();
        let mut scene = Scene::default();
        let look = |scene: &Scene| {
            let (mut film, mut cast) = film(scene, &story);
            let (mut clean, mut both, mut acts) = (0, 0, 0);
            while let Some(moment) = film.next(&mut cast, &Slip::NONE) {
                assert!(moment.acts >= acts, "an act is undone");
                acts = moment.acts;
                let inside = acts > 0 && acts < film.spans.len();
                clean += usize::from(inside && moment.hands.is_empty());
                both += usize::from(moment.hands.len() == 2);
                let men = cast.men.iter().filter(|m| m.place == Place::Held).count();
                assert_eq!(men, moment.held.len(), "men in the air at {} s", moment.time_s);
            }
            assert_eq!(acts, film.spans.len());
            (clean, both)
        };
        let (clean, both) = look(&scene);
        assert!(clean > 300 && both == 0, "{clean} clean pictures, {both} with two hands");
        (scene.pace.rest_min_s, scene.pace.rest_max_s) = (-0.8, -0.8);
        let (clean, both) = look(&scene);
        assert!(clean == 0 && both > 100, "{clean} clean pictures, {both} with two hands");
    }

    #[test]
    fn a_resting_hand_stays_for_its_time_and_the_opponent_plays_on() {
        let start = Start::default();
        let story: Story = (start.clone(), moves(start.position(), "e2e4 e7e5 g1f3")).into();
        let scene = Scene::default();
        let (mut film, mut cast) = film(&scene, &story.with(0, What::Rest(9.0)));
        let (mut rests, mut replies) = (0, 0);
        while let Some(moment) = film.next(&mut cast, &Slip::NONE) {
            rests += usize::from(moment.hands.iter().any(|h| h.player == Color::White && h.low == 1.0));
            replies += usize::from(moment.hands.len() == 2 && moment.under_way == Some(1));
            assert!(moment.hands.len() < 3);
        }
        assert!((89..=91).contains(&rests), "rests for {rests} pictures of 0.1 s");
        assert!(replies > 10, "the reply is seen beside the resting hand in {replies} pictures");
    }
}
