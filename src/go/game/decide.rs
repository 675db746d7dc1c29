//! What is told: the longest line that nearly all of what is believed shares.

use std::sync::Arc;

use super::{Begin, Game, How, LOST_LOOKS, LOST_STILLS, MOST_MISSED, WHOLE_BOARD, is_long, line_at, words};
use crate::go::{
    Board, Color, Event, Moment, Point,
    belief::{Belief, Kind, Line, Losses, Weighed},
};

/// When somebody says "now", or nothing settles it for long, the likeliest is taken if it is likelier than all else.
const FORCED_CONFIDENCE: f64 = 0.5;
/// Crossings that may show something else elsewhere while a play is told: a cup, a reflection, a bowl's lid.
const STRANGE_ELSEWHERE: usize = 3;
/// Probabilities are never told as certainty.
const SUREST: f64 = 0.9999;
/// Lines that were taken back which the record keeps.
const MOST_WITHDRAWN: usize = 200;

/// The way from what was told to another line.
struct Way {
    /// Where the lines part.
    fork: Arc<Moment>,
    /// What was told after it, first to last.
    old: Vec<Arc<Moment>>,
    /// What is believed after it.
    new: Vec<Arc<Moment>>,
}

/// What came of a look.
pub(super) enum Decided {
    /// The game goes on as believed; the stones that explain the look beyond doubt.
    Along(Option<Board>),
    /// It goes on otherwise, and what was believed before is void.
    Otherwise,
}

impl Game {
    /// Tells what is certain.
    pub(super) fn decide(&mut self, weighed: &Weighed, losses: &Losses, how: How, events: &mut Vec<Event>) -> Decided {
        let Some(best) = weighed.best().cloned() else { return Decided::Along(None) };
        let patience = if how.stills { LOST_STILLS } else { LOST_LOOKS };
        let long = is_long(self.lost, how);
        let least = if how.forced || long { how.min_confidence.min(FORCED_CONFIDENCE) } else { how.min_confidence };
        if best.kind == Kind::NewGame {
            let sure = weighed.probability(|l| l.kind == Kind::NewGame) >= least;
            if sure && (how.patient || how.stills) {
                self.cleared(events);
                return Decided::Otherwise;
            }
        } else if best.kind != Kind::Anything {
            if self.way_to(&best.end).is_none() {
                if weighed.probability(|l| l.end.path() == best.end.path()) >= least {
                    self.begin_otherwise(&best, events);
                    return Decided::Otherwise;
                }
            } else {
                self.tell(&best, weighed, losses, how, least, events);
            }
        }
        let sure = weighed.probability(|l| l.class() == best.class()) >= least;
        let reached = best.end.situation() == self.told.end.situation() && best.odd == self.told.odd;
        let standing = losses.standing(&best.end, &best.odd);
        let strange = losses.strange(&standing);
        let fits = best.kind == Kind::Line && strange.len() <= STRANGE_ELSEWHERE;
        if sure && fits {
            self.standing.clone_from(&standing);
        }
        if sure && reached && fits {
            self.understood();
            return Decided::Along(Some(standing));
        }
        if how.patient || how.stills || how.forced {
            return self.doubt(&best, losses, patience, &strange, events);
        }
        Decided::Along(None)
    }

    /// Tells as much of a line as nearly all lines share.
    fn tell(&mut self, best: &Line, weighed: &Weighed, losses: &Losses, how: How, least: f64, events: &mut Vec<Event>) {
        let Some(way) = self.way_to(&best.end) else { return };
        if let Some(first) = way.old.first() {
            let stands = weighed.probability(|l| l.kind != Kind::NewGame && shares(l, first));
            let held = way.old.iter().filter_map(|m| m.last()?.at).any(|p| !losses.in_sight(p));
            if 1.0 - stands < least || held {
                return;
            }
        }
        let mut told = None;
        for (index, moment) in way.new.iter().enumerate() {
            let faulty = moment.last().is_some_and(|p| p.fault.is_some());
            let at = moment.last().and_then(|p| p.at);
            if (faulty && !how.patient && !how.stills)
                || (!how.stills && !how.forced && at.is_some_and(|p| losses.held(p)))
            {
                break;
            }
            if weighed.probability(|l| l.kind != Kind::Anything && shares(l, moment)) >= least {
                told = Some(index);
            }
        }
        if told.is_none() && way.old.is_empty() {
            self.tell_odd(best, weighed, how, least, events);
            return;
        }
        let end = told.map_or_else(|| way.fork.clone(), |index| way.new[index].clone());
        self.advance(&end, weighed, events);
        self.tell_odd(best, weighed, how, least, events);
    }

    /// Tells stones that lie otherwise than they should, or that were put right.
    fn tell_odd(&mut self, best: &Line, weighed: &Weighed, how: How, least: f64, events: &mut Vec<Event>) {
        let here = best.kind == Kind::Line && best.end.situation() == self.told.end.situation();
        let agreed = weighed.probability(|l| l.kind == Kind::Line && l.odd == best.odd) >= least;
        if !here || !agreed || best.odd == self.told.odd || !(how.patient || how.stills) {
            return;
        }
        let size = self.size();
        let new: Vec<_> = best.odd.iter().filter(|o| !self.told.odd.contains(o)).copied().collect();
        if new.is_empty() {
            if best.odd.is_empty() {
                events.push(Event::Restored);
            }
        } else {
            let text = words::displaced(self.told.end.board(), &new);
            events.push(Event::Displaced { points: new.iter().map(|(p, _)| p.name(size)).collect(), text });
        }
        self.told.odd.clone_from(&best.odd);
    }

    /// The way from what was told to `end`; `None` where they do not begin alike.
    fn way_to(&self, end: &Arc<Moment>) -> Option<Way> {
        let (old, new) = (self.told.end.line(), end.line());
        let common = old.iter().zip(&new).take_while(|(a, b)| a.path() == b.path()).count();
        let fork = old.get(common.checked_sub(1)?)?.clone();
        Some(Way { fork, old: old[common..].to_vec(), new: new[common..].to_vec() })
    }

    /// The game has come to `end`: tells what is taken back, and what was played.
    pub(super) fn advance(&mut self, end: &Arc<Moment>, weighed: &Weighed, events: &mut Vec<Event>) {
        let Some(way) = self.way_to(end) else { return };
        let kept_warnings = self.warned.saturating_sub(way.old.len());
        let only_warned = way.old.len() <= self.warned;
        let mut new = way.new.as_slice();
        if let Some(event) = self.revised(&way, weighed) {
            events.push(event);
            self.note(&way.new[0], weighed);
            new = &new[1..];
        } else {
            let played = way.old.iter().rev().skip(self.warned).filter(|m| m.last().is_some());
            events.extend(played.map(|m| Event::TakeBack { number: m.number() }));
            if !way.old.is_empty() && self.warned > 0 {
                events.push(Event::Restored);
            }
        }
        if !way.old.is_empty() && !only_warned && self.notes.withdrawn.len() < MOST_WITHDRAWN {
            self.notes.withdrawn.push(self.told.end.clone());
        }
        self.warned = kept_warnings;
        for moment in new {
            self.note(moment, weighed);
            self.go_on(moment, weighed, events);
        }
        self.told = Line { odd: std::mem::take(&mut self.told.odd), ..line_at(end.clone()) };
        self.told.odd.retain(|&(p, c)| end.board().at(p) != c);
    }

    /// One moment more.
    fn go_on(&mut self, moment: &Arc<Moment>, weighed: &Weighed, events: &mut Vec<Event>) {
        let Some(play) = moment.last() else { return };
        if let Some((fault, at)) = play.fault.zip(play.at) {
            self.warned += 1;
            let text = words::forbidden(play, fault, self.size());
            events.push(Event::Illegal { reason: fault, color: play.color, point: at.name(self.size()), text });
            return;
        }
        // The game goes on from what was only warned of: it was let stand.
        let stood: Vec<_> = moment.back().skip(1).take(self.warned).cloned().collect();
        self.warned = 0;
        events.extend(stood.iter().rev().filter_map(|m| self.play_event(m, weighed)));
        events.extend(self.play_event(moment, weighed));
    }

    fn play_event(&self, moment: &Arc<Moment>, weighed: &Weighed) -> Option<Event> {
        let play = moment.last()?;
        let (size, number) = (self.size(), moment.number());
        let nth = |l: &Line| l.end.back().find(|m| m.number() == number).and_then(|m| m.last());
        let long = weighed.probability(|l| l.kind == Kind::Line && l.end.number() >= number);
        let same = weighed.probability(|l| l.kind == Kind::Line && nth(l) == Some(play));
        Some(Event::Play {
            number,
            color: play.color,
            point: play.at.map(|p| p.name(size)),
            captured: moment.captured().iter().map(|p| p.name(size)).collect(),
            confidence: self.confidence.get(&moment.path()).copied().unwrap_or(0.0),
            order: if long > 0.0 { (same / long).clamp(0.0, SUREST) } else { 0.0 },
            fault: play.fault,
        })
    }

    /// Remembers how sure a play is: as sure as the surest line that goes on from it.
    fn note(&mut self, moment: &Arc<Moment>, weighed: &Weighed) {
        let agreed = weighed.probability(|l| l.kind != Kind::Anything && holds(l, moment));
        self.confidence.insert(moment.path(), agreed.clamp(0.0, SUREST));
    }

    /// Another last play instead of the one that was told.
    fn revised(&self, way: &Way, weighed: &Weighed) -> Option<Event> {
        let ([old], Some(new), 0) = (way.old.as_slice(), way.new.first(), self.warned) else { return None };
        let (was, is) = (old.last()?, new.last()?);
        if was.color != is.color || is.fault.is_some() {
            return None;
        }
        let size = self.size();
        let agreed = weighed.probability(|l| l.kind != Kind::Anything && holds(l, new));
        Some(Event::Revised {
            number: new.number(),
            color: is.color,
            was: was.at?.name(size),
            point: is.at?.name(size),
            captured: new.captured().iter().map(|p| p.name(size)).collect(),
            confidence: agreed.clamp(0.0, SUREST),
        })
    }

    /// The stones of a handicap were still being put down.
    fn begin_otherwise(&mut self, best: &Line, events: &mut Vec<Event>) {
        let told = self.told.end.back().filter(|m| m.last().is_some());
        events.extend(told.map(|m| Event::TakeBack { number: m.number() }));
        self.info.handicap = best.end.board().count(Color::Black);
        self.told = line_at(best.end.clone());
        self.warned = 0;
        self.belief = Belief::certain([best.end.clone()]);
        events.push(self.begun_event());
    }

    /// The board was cleared: a new game.
    fn cleared(&mut self, events: &mut Vec<Event>) {
        events.extend(self.new_game());
        events.push(self.begun_event());
    }

    /// Begins anew.
    pub(super) fn restart(&mut self, begin: Begin) -> Vec<Event> {
        let mut finished = std::mem::take(&mut self.finished);
        if self.told.end.before().is_some() {
            finished.push(self.sgf());
        }
        let mut info = self.info.clone();
        info.result.clear();
        info.handicap = 0;
        *self = Self::new(begin, info);
        self.finished = finished;
        vec![Event::NewGame]
    }

    /// A look that was not understood: tells it once, and goes on from the stones as they lie when it stays so for long.
    fn doubt(
        &mut self,
        best: &Line,
        losses: &Losses,
        patience: usize,
        strange: &[Point],
        events: &mut Vec<Event>,
    ) -> Decided {
        let shown = losses.likeliest();
        let same = self.lost_with.as_ref().is_some_and(|before| {
            let other = before.differences(&shown).filter(|&p| losses.in_sight(p));
            other.count() <= STRANGE_ELSEWHERE
        });
        self.lost = if same || best.kind != Kind::Anything { self.lost + 1 } else { 1 };
        self.lost_with = Some(shown.clone());
        let told = losses.standing(&self.told.end, &self.told.odd);
        let mut points: Vec<Point> = told.differences(&losses.standing(&best.end, &best.odd)).collect();
        points.extend(strange.iter().filter(|p| !points.contains(p)).copied().collect::<Vec<_>>());
        if best.kind == Kind::Anything {
            points = told.differences(&shown).filter(|&p| losses.at(p, told.at(p)) > 0.0).collect();
        }
        if !self.doubt_told && !points.is_empty() && (self.lost > 1 || best.kind != Kind::Waiting) {
            self.doubt_told = true;
            events.push(Event::Uncertain { points: points.iter().map(|p| p.name(self.size())).collect() });
        }
        let whole = losses.share_in_sight() >= WHOLE_BOARD;
        if best.kind == Kind::Anything && self.lost >= patience && whole && breathes(&shown) {
            self.go_on_from(&shown, events);
            return Decided::Otherwise;
        }
        Decided::Along(None)
    }

    /// The game goes on from the stones as they lie.
    fn go_on_from(&mut self, shown: &Board, events: &mut Vec<Event>) {
        let before = self.told.end.board();
        let points: Vec<_> = before.differences(shown).map(|p| p.name(self.size())).collect();
        let more = |c: Color| shown.count(c) as i64 - before.count(c) as i64;
        let to_play = match more(Color::Black) - more(Color::White) {
            0 => self.told.end.to_play(),
            more if more > 0 => Color::White,
            _ => Color::Black,
        };
        let [likely, other] = [to_play, to_play.other()].map(|c| self.told.end.laid(shown.clone(), c));
        let comment = format!("{} crossings changed here that no plays explain; the order is not known", points.len());
        self.notes.comments.insert(likely.path(), comment.clone());
        self.notes.comments.insert(other.path(), comment);
        self.told = line_at(likely.clone());
        self.warned = 0;
        self.standing = shown.clone();
        self.belief = Belief::certain([likely, other]);
        self.understood();
        events.push(Event::Resumed { points });
    }
}

/// Does a line come through this situation, after as many plays?
fn shares(line: &Line, moment: &Moment) -> bool {
    line.end.back().take_while(|m| m.number() >= moment.number()).any(|m| m.situation() == moment.situation())
}

/// Does a line hold this play, whenever it was made?
fn holds(line: &Line, moment: &Moment) -> bool {
    let Some(play) = moment.last() else { return shares(line, moment) };
    // A ko may be taken again and again: only what came since counts.
    let since = moment.number().saturating_sub(MOST_MISSED);
    line.end.back().take_while(|m| m.number() > since).any(|m| m.last() == Some(play))
}

/// Has every stone a liberty, as on a board on which people play?
fn breathes(board: &Board) -> bool {
    board.stones().all(|(p, _)| board.group(p).is_some_and(|g| !g.liberties.is_empty()))
}
