//! Sentences for people.

use crate::go::{Board, Color, Content, Fault, Play, Point, Size, belief::Odd};

/// What is wrong with a play.
pub(super) fn forbidden(play: Play, fault: Fault, size: Size) -> String {
    let at = play.at.map_or_else(|| "pass".to_owned(), |p| p.name(size));
    match fault {
        Fault::Turn => format!("{} has played {at}, but {} was to play.", play.color.name(), play.color.other().name()),
        fault => format!("{} may not play {at}: {fault}.", play.color.name()),
    }
}

/// What lies otherwise than it should.
pub(super) fn displaced(board: &Board, odd: &Odd) -> String {
    let size = board.size();
    let stone = |c: Color| c.name().to_lowercase();
    if let Some((from, to, color)) = pushed(board, odd) {
        return format!("The {} stone of {} lies on {} now.", stone(color), from.name(size), to.name(size));
    }
    let parts: Vec<String> = odd
        .iter()
        .map(|&(p, content)| match (board.at(p).color(), content.color()) {
            (Some(was), None) => format!("the {} stone of {} is gone", stone(was), p.name(size)),
            (None, Some(is)) => format!("a {} stone lies on {} that nobody has played", stone(is), p.name(size)),
            (_, Some(is)) => format!("the stone on {} is {} now", p.name(size), stone(is)),
            (None, None) => format!("{} is empty", p.name(size)),
        })
        .collect();
    let text = parts.join(", ");
    let mut letters = text.chars();
    letters.next().map(|first| format!("{}{}.", first.to_uppercase(), letters.as_str())).unwrap_or_default()
}

/// A stone that has gone from one crossing to another.
fn pushed(board: &Board, odd: &Odd) -> Option<(Point, Point, Color)> {
    let &[(a, a_now), (b, b_now)] = odd.as_slice() else { return None };
    let gone = |from: Point, from_now: Content, to: Point, to_now: Content| {
        let color = board.at(from).color()?;
        let moved = from_now == Content::Empty && board.at(to) == Content::Empty && to_now == color.into();
        moved.then_some((from, to, color))
    };
    gone(a, a_now, b, b_now).or_else(|| gone(b, b_now, a, a_now))
}
