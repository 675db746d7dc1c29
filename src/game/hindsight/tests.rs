//! Laws of hindsight, on boards without a camera.

use shakmaty::{Bitboard, Board, Color, Move, Position as _, Square};

use super::{
    super::{
        Game, Remarks, Tags,
        commands::read_move,
        line::Line,
        pace::Pace,
        start::Start,
        tests::{AT_REST, Dice, Synthetic, UnderHand, random_line, sans, show, told},
    },
    differences,
    fit::fit,
    lattice::Lattice,
    looks::{Looks, Men},
};
use crate::frame::Stamp;

/// A line of play from the usual position.
fn line(sans: &str) -> Line {
    let mut line = Line::new(Start::default());
    for san in sans.split_whitespace() {
        assert!(line.push(read_move(line.position(), san).unwrap(), 0.97), "{san}");
    }
    line
}

/// What is left of looks at the positions after these plies of a line, one a second from the first on.
fn looks_at(line: &Line, plies: &[usize]) -> Looks {
    let mut looks = Looks::default();
    for (second, &ply) in plies.iter().enumerate() {
        looks.add(&clear(line.position_after(ply).board()), Some(Stamp::from_s(second as f64)));
    }
    looks
}

fn clear(men: &Board) -> Synthetic {
    Synthetic::new(men, men, 20.0, 1.0, &mut Dice(7))
}

/// A game that was told as one line, and looked at while another was played.
fn told_as(told: &Line, looks: Looks) -> Game {
    let mut game = Game::new(told.start().clone(), Tags::default());
    let moves: Vec<Move> = told.plies().iter().map(|ply| ply.mv).collect();
    game.tick(Stamp::from_s(0.0));
    game.take_over(0, &moves, &vec![0.97; moves.len()]);
    game.looks = Some(looks);
    game
}

/// Law: where every position is seen, the line that was played comes back, whatever it is, each ply almost sure.
#[test]
fn what_was_seen_and_told_stays() {
    for seed in 0..6 {
        let moves = random_line(&mut Dice(seed), 60);
        let mut game = Game::new(Start::default(), Tags::default());
        game.keep_looks();
        let mut events = vec![];
        let mut position = game.position().clone();
        events.extend(show(&mut game, position.board(), AT_REST).events);
        for &mv in &moves {
            position.play_unchecked(mv);
            events.extend(show(&mut game, position.board(), AT_REST).events);
        }
        let hindsight = game.in_hindsight();
        assert_eq!(told(&events).len(), moves.len(), "seed {seed}");
        for (ply, (is, was)) in hindsight.plies().iter().zip(game.plies()).enumerate() {
            assert_eq!(is.mv, was.mv, "seed {seed}, ply {ply}");
            let sure = is.confidence > 0.9 || is.mv.is_promotion();
            assert!(sure, "seed {seed}, ply {ply}: {} {}", is.san, is.confidence);
        }
        assert_eq!(hindsight.plies().len(), moves.len());
    }
}

#[test]
fn a_ply_that_later_looks_contradict_is_mended_and_has_its_own_time() {
    let played = line("e4 e5 Nf3 Nc6 Bb5 a6 Bxc6 dxc6 O-O");
    // Told as another bishop's move, and all that followed was lost.
    let wrong = line("e4 e5 Nf3 Nc6 Bc4 h6");
    let mut game = told_as(&wrong, looks_at(&played, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]));
    game.set_remarks(Remarks { times: true, doubt_below: 0.0, withdrawn: true });
    let hindsight = game.in_hindsight();
    assert_eq!(sans(&hindsight), ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Bxc6", "dxc6", "O-O"]);
    let pgn = hindsight.pgn().replace('\n', " ");
    // What was told had all come at once; what was not, at the look that showed it, a second each.
    assert!(pgn.contains("{withdrawn: 3. Bc4 h6}"), "{pgn}");
    assert!(pgn.contains("3. Bb5 {[%emt 0:00:05]} 3... a6 {[%emt 0:00:01]} 4. Bxc6 {[%emt 0:00:01]}"), "{pgn}");
    // What was told is as it was.
    assert_eq!(sans(&game).len(), 6);
}

#[test]
fn plies_in_an_order_that_nothing_tells_stay_as_told() {
    let played = line("Nf3 Nf6 Nc3 Nc6 e4");
    let other = line("Nc3 Nc6 Nf3 Nf6 e4");
    let looks = looks_at(&played, &[0, 4, 5]);
    for told in [&played, &other] {
        let hindsight = told_as(told, looks.clone()).in_hindsight();
        let (is, was) = (sans(&hindsight), told.plies().iter().map(|p| p.san.to_string()).collect::<Vec<_>>());
        assert_eq!(is, was);
        // Either order may have been played, and that is said.
        assert!(hindsight.plies()[0].confidence < 0.6 && hindsight.plies()[4].confidence > 0.9);
    }
    // One look between them tells.
    let looks = looks_at(&played, &[0, 2, 4, 5]);
    assert_eq!(sans(&told_as(&other, looks).in_hindsight()), ["Nf3", "Nf6", "Nc3", "Nc6", "e4"]);
}

#[test]
fn a_shadow_that_stays_is_no_truer_for_it() {
    let position = line("e4").position().clone();
    let men = position.board();
    let shadow = || clear(men).seems(Square::E5, Color::Black, 20.0);
    let mut looks = Looks::default();
    for _ in 0..50 {
        looks.add(&shadow(), None);
    }
    // A hand, and it is asked again; then nothing is new.
    looks.add(&UnderHand(&shadow(), Bitboard::from_square(Square::E5)), None);
    looks.add(&shadow(), None);
    looks.add(&shadow(), None);
    assert_eq!(looks.all().len(), 2);
    let of = Men::of(men);
    let said: Vec<f64> = looks.all().iter().map(|look| look.step(of, of, Color::Black)).collect();
    assert!(said.iter().all(|nats| (-13.0..-11.0).contains(nats)), "{said:?}");
}

#[test]
fn a_man_in_the_air_speaks_for_no_line() {
    let position = line("e4 e5").position().clone();
    let men = position.board();
    let mut lifted = men.clone();
    lifted.discard_piece_at(Square::G1);
    let mut looks = Looks::default();
    looks.add(&clear(men), None);
    looks.add(&clear(&lifted), None);
    let of = Men::of(men);
    let said = looks.all()[1].step(of, of, Color::White);
    assert!((-6.5..-5.5).contains(&said), "{said}");
}

#[test]
fn what_differs_is_found_part_by_part() {
    let told = line("Nf3 Nf6 Nc3 Nc6 e4 e5 Bb5 a6");
    let moves: Vec<Move> = line("Nc3 Nc6 Nf3 Nf6 e4 e5 Bc4").plies().iter().map(|ply| ply.mv).collect();
    let parts: Vec<(usize, usize, usize)> =
        differences(&told, &moves).into_iter().map(|(from, moves, to)| (from, moves.len(), to)).collect();
    assert_eq!(parts, [(0, 4, 4), (6, 1, 8)]);
    let same: Vec<Move> = told.plies().iter().map(|ply| ply.mv).collect();
    assert!(differences(&told, &same).is_empty());
}

/// Law: a long game whose looks nothing explains costs no more than its bound.
#[test]
fn a_game_that_nothing_explains_ends_in_time() {
    let mut dice = Dice(3);
    let moves = random_line(&mut dice, 30);
    let mut line = Line::new(Start::default());
    let mut looks = Looks::default();
    let start = line.position().board().clone();
    for &mv in &moves {
        line.push(mv, 0.9);
        // Some squares of each look say anything.
        looks.add(&Synthetic::new(&start, &start, 6.0, 4.0, &mut dice), None);
    }
    let further_ply = Pace::default().further_ply();
    let lattice = Lattice::of(&line, looks.all(), further_ply);
    let (widest, most) = lattice.width();
    assert!(looks.all().len() == moves.len() && widest > 1 && widest <= most, "{widest} of {most}");
    let likeliest = lattice.likeliest();
    assert_eq!(lattice.confidences(&likeliest).len(), likeliest.len());
    let _ = fit(&line, looks.all(), further_ply);
    let mut position = line.position_after(0).clone();
    for mv in likeliest {
        assert!(position.is_legal(mv));
        position.play_unchecked(mv);
    }
}
