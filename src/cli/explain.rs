//! `replay --explain`: what was made of a picture, in tables for people.

use std::fmt::Write as _;

use chess_observer::{
    game::account::{Account, Said, Suggested, Verdict},
    observer::TrackerState,
    replay::Replayed,
};
use shakmaty::Piece;

/// What was made of the picture.
pub fn text(seen: &Replayed<'_>) -> String {
    let name = seen.name.map(|name| format!(" ({name})")).unwrap_or_default();
    let title = format!("picture {}{name}", seen.index);
    let Some(account) = seen.observer.account() else {
        return format!("{title}: not read: {}", why_not(seen.observer.tracker()));
    };
    let mut text = format!("{title}, after ply {}\n", seen.observer.position().ply);
    // Writing to text cannot fail.
    if let Some(sight) = seen.observer.sight() {
        let [red, green, blue] = sight.light_gain;
        let (shaded, noise) = (sight.shaded, sight.noise_levels);
        let _ = writeln!(
            text,
            "Light {red:.2} {green:.2} {blue:.2} of the last picture's, {shaded} squares in another one; noise {noise:.1} levels"
        );
    }
    lines_of_play(&mut text, "Suggested by earlier looks", &account.before);
    stories(&mut text, account);
    squares(&mut text, &account.squares);
    let _ = writeln!(text, "{}", verdict(&account.verdict));
    lines_of_play(&mut text, "Carried over to the next look", &account.after);
    text
}

fn why_not(tracker: TrackerState) -> &'static str {
    match tracker {
        TrackerState::NoBoard => "no board was found yet",
        TrackerState::Paused => "the observer is paused",
        _ => "something moved, or the last look was just before",
    }
}

fn lines_of_play(text: &mut String, title: &str, lines: &[Suggested]) {
    if lines.is_empty() {
        return;
    }
    let _ = writeln!(text, "{title}, in nats against the game as it stands");
    for Suggested { line, log_odds } in lines {
        let _ = writeln!(text, "  {log_odds:8.1}  {line}");
    }
}

fn stories(text: &mut String, account: &Account) {
    let _ = writeln!(
        text,
        "What may have happened (prior and picture in nats against no change)\n  posterior     prior   picture  story"
    );
    for story in &account.stories {
        let _ = writeln!(text, "{:11.6}{:10.1}{:10.1}  {}", story.probability, story.prior, story.picture, story.story);
    }
}

fn squares(text: &mut String, squares: &[Said]) {
    if squares.is_empty() {
        return;
    }
    let _ = writeln!(
        text,
        "What squares say by themselves, in nats against what stood there\n  square  before  now     empty     white     black"
    );
    let man = |piece: Option<Piece>| piece.map_or('.', Piece::char);
    for said in squares {
        let [empty, white, black] = said.nats;
        let remark = match (said.is_hidden, said.is_unexplained) {
            (true, _) => "  hidden",
            (false, true) => "  shows something else",
            (false, false) => "",
        };
        let _ = writeln!(
            text,
            "  {:6}  {:6}  {:3}{empty:10.1}{white:10.1}{black:10.1}{remark}",
            said.square.to_string(),
            man(said.before),
            man(said.now)
        );
    }
}

fn verdict(verdict: &Verdict) -> String {
    let Verdict { posterior, confidence, needed, clutter, is_uncovered, fits, sure } = verdict;
    let mut missing = vec![];
    if confidence < needed {
        missing.push("it is not sure enough");
    }
    if !is_uncovered {
        missing.push("something covers what it changes");
    }
    if !fits {
        missing.push("a square disagrees clearly");
    }
    if missing.is_empty() && !sure {
        missing.push("the picture is not clear enough for it, and it was not seen twice");
    }
    let told = if *sure { "acted on".into() } else { format!("waited: {}", missing.join(", ")) };
    format!(
        "{told}; posterior {posterior:.6}, right with {confidence:.6} as it was seen, needed {needed:.6}; \
         {clutter:.1} squares' worth of picture is foreign"
    )
}
