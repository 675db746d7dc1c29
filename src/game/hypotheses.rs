//! What may have happened between two looks: placements of men with the story behind each and its prior.
//!
//! Priors are natural logarithms relative to "nothing has changed". They are rough on purpose: a square that shows
//! its content decides by tens of nats, priors only break ties in the direction of what people do at a board.

use std::collections::HashSet;

use shakmaty::{Bitboard, Board, CastlingSide, Chess, Color, KnownOutcome, Move, Piece, Position as _, Role, Square};

use super::{
    alternatives::Alternative,
    line::Line,
    marginals::{Marginals, difference},
    search::{self, Limits},
};

/// One legal ply: about half of the looks after a disturbance show one, spread over some 35 moves.
const PLY: f64 = -4.0;
/// Each further ply in the same look: one picture in twenty is missed, times the moves to choose from.
const FURTHER_PLY: f64 = -6.5;
/// A promotion to a queen is the rule; the others together are under one in thirty.
const UNDER_PROMOTION: f64 = -4.5;
/// What has been told is not taken back for a trifle.
const SWITCH: f64 = -3.0;
/// Taking back is rare, and rarer the further back.
const TAKE_BACK: f64 = -7.0;
const TAKE_BACK_FURTHER: f64 = -1.5;
/// The man that moved last goes on before the hand lets go for good, or the rook was moved first in castling.
const SAME_MAN: f64 = -6.0;
/// The last ply was misunderstood, or replaced by another man's.
const OTHER_MAN: f64 = -10.0;
/// Men in the air and moves half made are as common as moves, but there are fewer kinds of them.
const MAKING: f64 = -6.0;
/// A pawn on the last rank that waits for its queen; to be told from the queen by a picture that knows kinds of men.
const UNPROMOTED: f64 = -9.5;
/// Deliberate or careless, under one move in a hundred, spread over thousands of placements.
const ILLEGAL: f64 = -13.0;
/// Of those, what looks like a move: the other side's turn, the own king in check. There are some fifty.
const ILLEGAL_MOVE: f64 = -9.0;
/// From an announced illegal placement, back to the legal position.
const RESTORED: f64 = -2.0;
/// A new game is set up in the middle of another one; after the end of a game it is expected.
const NEW_GAME: f64 = -11.0;
const NEW_GAME_AFTER_END: f64 = -4.0;
/// The kings go to the centre when players agree on a result; after mate it is a habit.
const CENTRE: f64 = -9.0;
const CENTRE_AFTER_END: f64 = -4.0;
/// Each result is as common as the others, and a draw can be told in eight ways, a win in two.
const CENTRE_DRAW: f64 = -1.4;
/// A king's move to the centre directly before the result is nearly always part of telling it.
const GESTURE: f64 = 1.0;
/// Anything at all: a base and a price for each square that changes.
const ANYTHING: f64 = -5.0;
const ANYTHING_SQUARE: f64 = -7.0;
/// Nats by which a square must disagree before "anything at all" changes it.
const SURPRISE: f64 = 3.0;

/// Placements, besides the single legal plies, that are scored in full: the best by their marginals. With at most 218
/// legal plies a look costs fewer than 500 full scores.
const SHORTLIST: usize = 240;
/// Nats below the best by the marginals from which a placement is not scored at all. The marginals know nothing of men
/// that hide each other, so the margin is wide.
const HOPELESS: f64 = 40.0;
/// Illegal placements among them.
const SHORTLIST_ILLEGAL: usize = 60;
/// Positions expanded in the search for lines of several plies.
const EXPANSIONS: usize = 400;
/// The same when the game is lost: some 30 ms, spent seldom.
const EXPANSIONS_DEEP: usize = 4000;
/// Most plies that one look can add.
const MAX_PLIES: usize = 4;
/// Most plies that are searched for when the game is lost.
const MAX_PLIES_DEEP: usize = 8;

/// What happened, in a hypothesis.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Story {
    /// Nothing: what stood there stands there.
    Standing,
    /// The game is its first `keep` plies and then `moves`. This is a move, several, a take-back, another last move,
    /// or an illegal change put right, whichever the old game makes of it. `over` when the kings tell a result.
    Line { keep: usize, moves: Vec<Move>, over: Option<KnownOutcome> },
    /// The men are set up for a new game.
    NewGame,
    /// A move is being made: wait. `lifted` names the man in the air, when there is one and nothing else has changed.
    Making { lifted: Option<Square> },
    /// A pawn stands on the last rank: wait as well, but not for ever.
    Unpromoted,
    /// What no rule allows.
    Illegal,
    /// Whatever the squares say one by one.
    Anything,
}

/// A placement, how likely it was before looking, and why it would stand there.
#[derive(Debug, Clone)]
pub(super) struct Hypothesis {
    pub men: Board,
    pub prior: f64,
    pub story: Story,
}

/// What the game knows before the look.
pub(super) struct Known<'a> {
    pub line: &'a Line,
    pub standing: &'a Board,
    /// Other lines that look the same so far.
    pub alternatives: &'a [Alternative],
    /// The game has a result: moves are no longer expected.
    pub over: bool,
}

/// Collects placements.
struct Pool<'a> {
    marginals: &'a Marginals,
    base: &'a Board,
    /// Placements with a story that is no line of play.
    seen: HashSet<Board>,
    kept: Vec<Hypothesis>,
    ranked: Vec<(f64, Hypothesis)>,
    /// Estimate of the best placement so far.
    best: f64,
}

impl Pool<'_> {
    /// Scored in full whatever the marginals say.
    fn keep(&mut self, men: Board, prior: f64, story: Story) {
        if !matches!(story, Story::Line { .. }) {
            self.seen.insert(men.clone());
        }
        self.best = self.best.max(self.marginals.gain(&men, self.base) + prior);
        self.kept.push(Hypothesis { men, prior, story });
    }

    /// Scored in full when it is among the best. What no rule allows gives way to a move half made.
    fn rank(&mut self, men: Board, prior: f64, story: Story) {
        let estimate = self.marginals.gain(&men, self.base) + prior;
        if estimate < self.best - HOPELESS {
            return;
        }
        self.best = self.best.max(estimate);
        if !matches!(story, Story::Line { .. }) {
            let first = self.seen.insert(men.clone());
            if !first && matches!(story, Story::Illegal | Story::Anything) {
                return;
            }
        }
        self.ranked.push((estimate, Hypothesis { men, prior, story }));
    }
}

/// Every story worth a full score, at most [`SHORTLIST`] besides the legal plies. `deep` looks for lines of up to
/// [`MAX_PLIES_DEEP`] plies: the way back after many missed pictures.
pub(super) fn all(known: &Known<'_>, marginals: &Marginals, deep: bool) -> Vec<Hypothesis> {
    let line = known.line;
    let legal = line.position();
    let mut pool = Pool {
        marginals,
        base: legal.board(),
        seen: HashSet::new(),
        kept: Vec::new(),
        ranked: Vec::new(),
        best: f64::NEG_INFINITY,
    };
    pool.keep(known.standing.clone(), 0.0, Story::Standing);
    if known.standing != legal.board() && !known.over {
        let story = Story::Line { keep: line.len(), moves: Vec::new(), over: None };
        pool.keep(legal.board().clone(), RESTORED, story);
    }
    if !known.over {
        for mv in legal.legal_moves() {
            let story = Story::Line { keep: line.len(), moves: vec![mv], over: None };
            pool.keep(after(legal, mv), PLY + promotion_prior(mv), story);
        }
    }
    take_backs(&mut pool, line);
    other_last_ply(&mut pool, line, known.over);
    other_lines(&mut pool, known);
    making(&mut pool, known);
    centre(&mut pool, known);
    new_game(&mut pool, known);
    if !known.over {
        several_plies(&mut pool, line, deep);
        illegal(&mut pool, legal);
    }
    anything(&mut pool, known.standing);
    let Pool { mut kept, mut ranked, .. } = pool;
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut illegal_left = SHORTLIST_ILLEGAL;
    ranked.retain(|(_, h)| {
        h.story != Story::Illegal || {
            illegal_left = illegal_left.saturating_sub(1);
            illegal_left > 0
        }
    });
    kept.extend(ranked.into_iter().take(SHORTLIST).map(|(_, h)| h));
    kept
}

fn after(position: &Chess, mv: Move) -> Board {
    let mut next = position.clone();
    next.play_unchecked(mv);
    next.board().clone()
}

fn promotion_prior(mv: Move) -> f64 {
    if matches!(mv.promotion(), None | Some(Role::Queen)) { 0.0 } else { UNDER_PROMOTION }
}

fn take_backs(pool: &mut Pool<'_>, line: &Line) {
    for back in 1..=line.len() {
        let keep = line.len() - back;
        let prior = TAKE_BACK + TAKE_BACK_FURTHER * (back - 1) as f64;
        let men = line.position_after(keep).board().clone();
        pool.rank(men, prior, Story::Line { keep, moves: Vec::new(), over: None });
    }
}

/// The last ply was another one: its man went on, castling began with the rook, or it was misunderstood.
fn other_last_ply(pool: &mut Pool<'_>, line: &Line, over: bool) {
    let Some(last) = line.plies().last() else { return };
    let keep = line.len() - 1;
    let before = line.position_after(keep);
    for mv in before.legal_moves() {
        if mv == last.mv {
            continue;
        }
        let rook_first =
            matches!((mv, last.mv), (Move::Castle { rook, .. }, Move::Normal { from, .. }) if rook == from);
        let same_man = mv.from() == last.mv.from() || rook_first;
        let prior = if same_man { SAME_MAN } else { OTHER_MAN } + promotion_prior(mv);
        pool.rank(after(before, mv), prior, Story::Line { keep, moves: vec![mv], over: None });
    }
    if !over {
        let floor = pool.best;
        let limits = limits(2, 2, EXPANSIONS / 4);
        for found in search::lines(before, pool.base, pool.marginals, floor, limits) {
            if found.moves.first() != Some(&last.mv) {
                let prior = OTHER_MAN + FURTHER_PLY;
                let story = Story::Line { keep, moves: found.moves, over: None };
                pool.rank(found.position.board().clone(), prior, story);
            }
        }
    }
}

/// Lines that have looked the same until now: the picture may know kinds of men, or a move is possible only there.
fn other_lines(pool: &mut Pool<'_>, known: &Known<'_>) {
    for alternative in known.alternatives {
        let keep = alternative.common(known.line);
        let story = |more: &[Move]| {
            let moves = alternative.moves[keep..].iter().chain(more).copied().collect();
            Story::Line { keep, moves, over: None }
        };
        let prior = alternative.log_odds.min(0.0) + SWITCH;
        pool.rank(alternative.position.board().clone(), prior, story(&[]));
        if known.over {
            continue;
        }
        for mv in alternative.position.legal_moves() {
            let prior = prior + PLY + promotion_prior(mv);
            pool.rank(after(&alternative.position, mv), prior, story(&[mv]));
        }
        let limits = limits(2, MAX_PLIES - 1, EXPANSIONS / 8);
        for found in search::lines(&alternative.position, pool.base, pool.marginals, pool.best - prior, limits) {
            let prior = prior + several_prior(&found.moves);
            pool.rank(found.position.board().clone(), prior, story(&found.moves));
        }
    }
}

/// Prior of several plies in one look.
fn several_prior(moves: &[Move]) -> f64 {
    PLY + (moves.len() - 1) as f64 * FURTHER_PLY + moves.iter().map(|&m| promotion_prior(m)).sum::<f64>()
}

const fn limits(min_plies: usize, max_plies: usize, expansions: usize) -> Limits {
    Limits { min_plies, max_plies, expansions, lines: 24, ply_prior: FURTHER_PLY, slack: 9.0 }
}

/// Pictures were missed: two plies and more since the last look.
fn several_plies(pool: &mut Pool<'_>, line: &Line, deep: bool) {
    let (plies, expansions) = if deep { (MAX_PLIES_DEEP, EXPANSIONS_DEEP) } else { (MAX_PLIES, EXPANSIONS) };
    let found = search::lines(line.position(), pool.base, pool.marginals, pool.best, limits(2, plies, expansions));
    for found in found {
        let prior = several_prior(&found.moves);
        let story = Story::Line { keep: line.len(), moves: found.moves, over: None };
        pool.rank(found.position.board().clone(), prior, story);
    }
}

/// `men` with some squares emptied and one man put down.
fn changed(men: &Board, emptied: &[Square], put: &[(Square, Piece)]) -> Board {
    let mut men = men.clone();
    for &square in emptied {
        men.discard_piece_at(square);
    }
    for &(square, piece) in put {
        men.set_piece_at(square, piece);
    }
    men
}

/// Moves half made, by either hand, and illegal changes being put right.
fn making(pool: &mut Pool<'_>, known: &Known<'_>) {
    let line = known.line;
    let legal = line.position();
    let men = legal.board();
    // Any man may be touched or lifted by the side to move; the other side's when it is captured.
    for square in legal.us() {
        pool.rank(changed(men, &[square], &[]), MAKING, Story::Making { lifted: Some(square) });
    }
    for mv in legal.legal_moves() {
        half_made(pool, legal, mv);
    }
    // The last move being undone or its man adjusted; a captured man comes back last.
    if let Some(last) = line.plies().last() {
        let before = line.position_after(line.len() - 1);
        for square in difference(before.board(), men) & men.by_color(!legal.turn()) {
            pool.rank(changed(men, &[square], &[]), MAKING, Story::Making { lifted: Some(square) });
        }
        if let Some(captured) = captured_square(last.mv) {
            pool.rank(changed(before.board(), &[captured], &[]), MAKING, Story::Making { lifted: None });
        }
        // Castling that began with the rook.
        if let Move::Normal { role: Role::Rook, from, .. } = last.mv {
            for mv in before.legal_moves() {
                if matches!(mv, Move::Castle { rook, .. } if rook == from) {
                    half_made(pool, before, mv);
                }
            }
        }
    }
    // An illegal change being put right: its men in the air, or some of them back.
    if known.standing != men && !known.over {
        let wrong = difference(known.standing, men);
        for square in wrong {
            let undone = men.piece_at(square).map_or_else(
                || changed(known.standing, &[square], &[]),
                |piece| changed(known.standing, &[], &[(square, piece)]),
            );
            pool.rank(undone, MAKING, Story::Making { lifted: None });
            pool.rank(changed(known.standing, &[square], &[]), MAKING, Story::Making { lifted: None });
            pool.rank(changed(men, &[square], &[]), MAKING, Story::Making { lifted: None });
        }
    }
    // One king has gone to the centre and the other is on its way. Nearer than three squares it may be a move.
    for colour in Color::ALL {
        let Some(home) = men.king_of(colour) else { continue };
        for to in CENTRAL {
            let near = home.distance(to) < 3;
            if !near || known.over {
                let gone = changed(men, &[home], &[(to, colour.king())]);
                pool.rank(gone, MAKING, Story::Making { lifted: None });
            }
        }
    }
}

/// Square of the man that a move captures.
pub(super) fn captured_square(mv: Move) -> Option<Square> {
    match mv {
        Move::Normal { to, capture: Some(_), .. } => Some(to),
        Move::EnPassant { from, to } => Some(Square::from_coords(to.file(), from.rank())),
        _ => None,
    }
}

/// The placements that a legal move passes through on its way.
fn half_made(pool: &mut Pool<'_>, position: &Chess, mv: Move) {
    let men = position.board();
    let us = position.turn();
    let waiting = |lifted| Story::Making { lifted };
    if let (Some(captured), Some(from)) = (captured_square(mv), mv.from()) {
        pool.rank(changed(men, &[captured], &[]), MAKING, waiting(Some(captured)));
        pool.rank(changed(men, &[captured, from], &[]), MAKING, waiting(None));
        if mv.is_en_passant() {
            pool.rank(changed(men, &[from], &[(mv.to(), us.pawn())]), MAKING, waiting(None));
        }
    }
    if mv.is_promotion()
        && let Some(from) = mv.from()
    {
        pool.rank(changed(men, &[from], &[(mv.to(), us.pawn())]), UNPROMOTED, Story::Unpromoted);
    }
    if let (Move::Castle { king, rook }, Some(side)) = (mv, mv.castling_side()) {
        let (king_to, rook_to) = castled(us, side);
        pool.rank(changed(men, &[king], &[]), MAKING, waiting(Some(king)));
        pool.rank(changed(men, &[king, rook], &[]), MAKING, waiting(None));
        // Put down one of the two while the other is still at home, or in the air.
        pool.rank(changed(men, &[king], &[(king_to, us.king())]), MAKING, waiting(None));
        pool.rank(changed(men, &[king, rook], &[(king_to, us.king())]), MAKING, waiting(None));
        pool.rank(changed(men, &[king, rook], &[(rook_to, us.rook())]), MAKING, waiting(None));
        pool.rank(changed(men, &[rook], &[(rook_to, us.rook())]), MAKING, waiting(None));
    }
}

/// Where king and rook stand after castling.
pub(super) fn castled(colour: Color, side: CastlingSide) -> (Square, Square) {
    (side.king_to(colour), side.rook_to(colour))
}

/// The squares that kings are put on to tell a result.
const CENTRAL: [Square; 4] = [Square::E4, Square::D5, Square::D4, Square::E5];

/// Kings in the centre: e4 and d5, both light, White has won; d4 and e5, both dark, Black; one of each colour, a draw.
fn centre(pool: &mut Pool<'_>, known: &Known<'_>) {
    let line = known.line;
    let prior = if known.over { CENTRE_AFTER_END } else { CENTRE };
    let mut ends = vec![(line.len(), Vec::new(), line.position().clone(), prior)];
    if let Some(last) = line.plies().last()
        && last.mv.role() == Role::King
        && CENTRAL.contains(&last.mv.to())
    {
        // The first king that went was taken for a move.
        ends.push((line.len() - 1, Vec::new(), line.position_after(line.len() - 1).clone(), prior + GESTURE));
    }
    if !known.over {
        for mv in line.position().legal_moves() {
            let mut position = line.position().clone();
            position.play_unchecked(mv);
            let prior = prior + if position.is_game_over() { PLY / 2.0 } else { PLY } + promotion_prior(mv);
            ends.push((line.len(), vec![mv], position, prior));
        }
    }
    for (keep, moves, position, prior) in ends {
        for white in CENTRAL {
            for black in CENTRAL {
                let over = match (white.is_light(), black.is_light()) {
                    _ if white == black => continue,
                    (true, true) => KnownOutcome::Decisive { winner: Color::White },
                    (false, false) => KnownOutcome::Decisive { winner: Color::Black },
                    _ => KnownOutcome::Draw,
                };
                let men = position.board();
                let (Some(w), Some(b)) = (men.king_of(Color::White), men.king_of(Color::Black)) else { continue };
                let men = changed(men, &[w, b], &[(white, Color::White.king()), (black, Color::Black.king())]);
                let prior = prior + if over == KnownOutcome::Draw { CENTRE_DRAW } else { 0.0 };
                pool.rank(men, prior, Story::Line { keep, moves: moves.clone(), over: Some(over) });
            }
        }
    }
}

fn new_game(pool: &mut Pool<'_>, known: &Known<'_>) {
    if known.line.is_empty() && !known.over {
        return;
    }
    let prior = if known.over { NEW_GAME_AFTER_END } else { NEW_GAME };
    let men = known.line.start().position().board().clone();
    // Taking back everything leads to the same placement: the shorter the game, the likelier that.
    pool.ranked.push((pool.marginals.gain(&men, pool.base) + prior, Hypothesis { men, prior, story: Story::NewGame }));
    if !known.line.start().is_usual() {
        pool.rank(Board::new(), prior, Story::NewGame);
    }
}

/// What a player could do against the rules with one man, or with king and rook.
fn illegal(pool: &mut Pool<'_>, legal: &Chess) {
    let men = legal.board();
    for colour in Color::ALL {
        // Castling without the right to it, from the usual squares.
        for side in [CastlingSide::KingSide, CastlingSide::QueenSide] {
            let king = Square::from_coords(shakmaty::File::E, colour.backrank());
            let rook_file = if side == CastlingSide::KingSide { shakmaty::File::H } else { shakmaty::File::A };
            let rook = Square::from_coords(rook_file, colour.backrank());
            if men.piece_at(king) == Some(colour.king()) && men.piece_at(rook) == Some(colour.rook()) {
                let (king_to, rook_to) = castled(colour, side);
                let put = [(king_to, colour.king()), (rook_to, colour.rook())];
                pool.rank(changed(men, &[king, rook], &put), ILLEGAL + 4.0, Story::Illegal);
            }
        }
        // A pawn takes a neighbour en passant.
        for from in men.by_piece(colour.pawn()) {
            for to in shakmaty::attacks::pawn_attacks(colour, from) & !men.occupied() {
                let beside = Square::from_coords(to.file(), from.rank());
                if men.piece_at(beside) == Some((!colour).pawn()) {
                    let put = [(to, colour.pawn())];
                    pool.rank(changed(men, &[from, beside], &put), ILLEGAL + 3.0, Story::Illegal);
                }
            }
        }
    }
    for (from, piece) in men.iter() {
        let reach = reach(men, from, piece);
        for to in !Bitboard::from_square(from) {
            let prior = if reach.contains(to) { ILLEGAL_MOVE } else { ILLEGAL };
            pool.rank(changed(men, &[from], &[(to, piece)]), prior, Story::Illegal);
        }
        // The man has left the board.
        pool.rank(changed(men, &[from], &[]), ILLEGAL, Story::Illegal);
    }
    for to in !men.occupied() {
        for colour in Color::ALL {
            pool.rank(changed(men, &[], &[(to, colour.pawn())]), ILLEGAL - 1.0, Story::Illegal);
        }
    }
}

/// Where a man could go if it were its turn and its king did not matter.
fn reach(men: &Board, from: Square, piece: Piece) -> Bitboard {
    let attacked = men.attacks_from(from);
    if piece.role != Role::Pawn {
        return attacked & !men.by_color(piece.color);
    }
    let free = !men.occupied();
    let forward = piece.color.fold_wb(8, -8);
    let one = Bitboard::from_square(from).shift(forward) & free;
    let from_home = Bitboard::from_rank(piece.color.relative_rank(shakmaty::Rank::Third));
    let two = (one & from_home).shift(forward) & free;
    (attacked & men.by_color(!piece.color)) | one | two
}

/// The placement that the squares say one by one. It stands for all that nobody thought of: where it wins, the look
/// is not understood, or a good deal more has changed than a move changes.
fn anything(pool: &mut Pool<'_>, standing: &Board) {
    let surprises = pool.marginals.surprises(standing, SURPRISE);
    if surprises.is_empty() {
        return;
    }
    let mut men = standing.clone();
    for &(square, colour) in &surprises {
        match colour {
            None => men.discard_piece_at(square),
            Some(colour) => men.set_piece_at(square, lost_man(standing, &surprises, colour)),
        }
    }
    let told = |h: &Hypothesis| difference(&h.men, &men).is_empty();
    if pool.kept.iter().any(told) || pool.ranked.iter().any(|(_, h)| told(h)) {
        return;
    }
    let prior = ANYTHING + ANYTHING_SQUARE * surprises.len() as f64;
    pool.rank(men, prior, Story::Anything);
}

/// The man of this colour that left its square, when there is one; else a pawn, the most common man.
fn lost_man(standing: &Board, surprises: &[(Square, Option<Color>)], colour: Color) -> Piece {
    let gone = |&(square, now): &(Square, Option<Color>)| {
        standing.piece_at(square).filter(|p| p.color == colour && now != Some(colour))
    };
    surprises.iter().find_map(gone).unwrap_or(colour.pawn())
}
