//! Illegal moves that are hard to see or to judge: own men taken, captures that no rule allows, the same player twice,
//! and illegal moves that are let stand and answered.

use chess_observer::sim::{
    Scene,
    dice::Dice,
    play::{
        habits::after,
        story::{HandMove, Incident, What},
    },
};
use shakmaty::{Bitboard, CastlingMode, Chess, FromSetup as _, Position as _, Role, Setup, Square};

use super::film;
use crate::{
    experiments::{
        climb::{Climb, Rung},
        lab::Game,
    },
    simulated::Shots,
};

/// An illegal move is tried before every so manyth ply.
const EVERY: usize = 3;
/// Which of the illegal moves of a position is tried is thrown with these dice.
const PURPOSE: u64 = 0x0cab;

/// Something illegal that can be done in a position.
type Attempt = fn(&Chess, &mut Dice) -> Option<HandMove>;

/// All of them, with these games.
pub(super) fn climbs(games: &[Game]) -> Vec<Climb> {
    let climb = |name, title, x_label, real, rungs| Climb { name, title, x_label, real, rungs };
    let rung = |x: f64, scene, shots, games| Rung { x, label: format!("{x}"), scene, shots, games: Some(games) };
    let seen_from = |attempt: Attempt| -> Vec<Rung> {
        let games: Vec<Game> = games.iter().map(|game| with_attempts(game, attempt)).collect();
        let scene = |deg: f64| Scene::oblique(deg);
        [75.0, 60.0, 50.0, 40.0, 30.0, 25.0].map(|deg| rung(deg, scene(deg), Shots::Stills, games.clone())).into()
    };
    let for_s = |attempt: Attempt| -> Vec<Rung> {
        let games: Vec<Game> = games.iter().map(|game| with_attempts(game, attempt)).collect();
        let scene = |s: f64| {
            let mut scene = film();
            (scene.pace.stand_min_s, scene.pace.stand_max_s) = (s, s);
            scene
        };
        [6.0, 4.0, 2.0, 1.0].map(|s| rung(s, scene(s), Shots::Film, games.clone())).into()
    };
    let stands = |answers: usize| {
        let games = games.iter().map(|game| let_stand(game, answers)).collect();
        rung(answers as f64, film(), Shots::Film, games)
    };
    vec![
        climb(
            "own_capture",
            "A man takes his own: seen from lower and lower",
            "camera's height (°)",
            Some(40.0),
            seen_from(own_capture),
        ),
        climb(
            "illegal_capture",
            "Captures that no rule allows, the taken man beside the board: seen from lower and lower",
            "camera's height (°)",
            Some(40.0),
            seen_from(illegal_capture),
        ),
        climb(
            "twice",
            "The same player moves twice, and takes the second move back after a while",
            "time that it stands (s)",
            Some(2.0),
            for_s(twice),
        ),
        climb(
            "let_stand",
            "An illegal capture is let stand and answered: nothing may be told after it",
            "plies played on",
            Some(1.0),
            [0, 1, 2, 4].map(stands).into(),
        ),
    ]
}

/// The game with an illegal attempt before every third ply, as far as the position has one.
fn with_attempts(game: &Game, attempt: Attempt) -> Game {
    let mut game = game.clone();
    let mut dice = Dice::new(game.number as u64, PURPOSE);
    let mut position = game.story.start.position().clone();
    for (ply, m) in game.story.moves.iter().enumerate() {
        if ply > 0
            && ply % EVERY == 0
            && let Some(hand) = attempt(&position, &mut dice)
        {
            game.story.incidents.push(Incident { ply, what: What::Illegal(vec![hand]) });
        }
        position.play_unchecked(*m);
    }
    game
}

/// How many illegal captures are tried until one can be answered often enough.
const TRIES: usize = 40;

/// The game, an illegal capture after it, and so many answers in turn: of several captures one after which play can go on
/// so long.
fn let_stand(game: &Game, answers: usize) -> Game {
    let mut game = game.clone();
    let mut dice = Dice::new(game.number as u64, PURPOSE);
    let mut position = game.story.start.position().clone();
    game.story.moves.iter().for_each(|m| position.play_unchecked(*m));
    let mut tries = (0..TRIES).filter_map(|_| {
        let first = vec![illegal_capture(&position, &mut dice)?];
        answered(&position, first, answers, &mut dice)
    });
    if let Some(changes) = tries.next() {
        game.story.incidents.push(Incident { ply: game.plies(), what: What::Stands(changes) });
    }
    game
}

/// An illegal change and so many quiet answers in turn; `None` where the players have not so many.
fn answered(position: &Chess, first: Vec<HandMove>, answers: usize, dice: &mut Dice) -> Option<Vec<Vec<HandMove>>> {
    let mut men = after(position.board(), &first);
    let (mut changes, mut turn) = (vec![first], position.turn());
    for _ in 0..answers {
        turn = !turn;
        let setup = Setup { board: men.clone(), turn, ..Setup::empty() };
        let now = Chess::from_setup(setup, CastlingMode::Standard).ok()?;
        let quiet: Vec<_> = now.legal_moves().into_iter().filter(|m| !m.is_capture() && !m.is_promotion()).collect();
        let m = (!quiet.is_empty()).then(|| quiet[dice.index(quiet.len())])?;
        let answer = vec![HandMove::Carry { from: m.from()?, to: m.to() }];
        men = after(&men, &answer);
        changes.push(answer);
    }
    Some(changes)
}

/// A man goes as he may, and takes a man of his own side, of another kind.
fn own_capture(position: &Chess, dice: &mut Dice) -> Option<HandMove> {
    let (men, us) = (position.board(), position.us());
    carry(position, dice, |from| men.attacks_from(from) & us & !men.kings() & !of_kind(position, from))
}

/// A man goes as he may not, and takes one of the other side.
fn illegal_capture(position: &Chess, dice: &mut Dice) -> Option<HandMove> {
    let (men, them) = (position.board(), position.them());
    carry(position, dice, |from| them & !men.kings() & !men.attacks_from(from))
}

/// Who has just moved moves again, as he might if it were his turn.
fn twice(position: &Chess, dice: &mut Dice) -> Option<HandMove> {
    let again = position.clone().swap_turn().ok()?;
    let quiet: Vec<_> = again.legal_moves().into_iter().filter(|m| !m.is_capture() && !m.is_castle()).collect();
    let m = (!quiet.is_empty()).then(|| quiet[dice.index(quiet.len())])?;
    Some(HandMove::Carry { from: m.from()?, to: m.to() })
}

fn of_kind(position: &Chess, square: Square) -> Bitboard {
    position.board().role_at(square).map_or(Bitboard::EMPTY, |role: Role| position.board().by_role(role))
}

/// One of the mover's men, the kings left aside, is carried to one of these goals.
fn carry(position: &Chess, dice: &mut Dice, goals: impl Fn(Square) -> Bitboard) -> Option<HandMove> {
    let own = position.us() & !position.board().kings();
    let all: Vec<HandMove> =
        own.into_iter().flat_map(|from| goals(from).into_iter().map(move |to| HandMove::Carry { from, to })).collect();
    (!all.is_empty()).then(|| all[dice.index(all.len())])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::lab::{GAMES, games};
    use chess_observer::sim::{Simulation, play::script::State};

    #[test]
    fn every_attempt_is_shown_as_the_illegal_move_that_it_is() {
        // From all over the collection, as the experiment takes them.
        let games: Vec<Game> = games(GAMES).unwrap().iter().step_by(16).map(|game| game.first(9)).collect();
        let mut scene = Scene::oblique(50.0);
        (scene.camera.width, scene.camera.height) = (64, 64);
        for climb in climbs(&games) {
            let rung = climb.rungs.last().unwrap();
            let mut words = vec![];
            for game in rung.games.as_ref().unwrap() {
                let stills = Simulation::new(&scene, game.story.clone(), 1).unwrap().stills();
                for frame in stills.filter(|f| f.word.starts_with("illegal:")) {
                    assert!(frame.state != State::Hand);
                    words.push(frame.word.into_owned());
                }
                assert_eq!(game.plies(), 9);
            }
            assert!(words.len() >= games.len(), "{}: {words:?}", climb.name);
            let all_are = |word: &str| words.iter().all(|w| w.contains(word));
            match climb.name {
                "own_capture" => assert!(all_are("own"), "{words:?}"),
                "twice" => assert!(all_are("wrong_side"), "{words:?}"),
                "let_stand" => assert_eq!(words.len(), games.len() * 5, "{words:?}"),
                _ => {}
            }
        }
    }
}
