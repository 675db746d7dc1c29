//! What came of a game? Its pictures are shown to the observer; what it read is held against what was played.

use std::{
    ops::ControlFlow,
    time::{Duration, Instant},
};

use chess_observer::{
    frame::{Frame, Stamp},
    go::{Board, Color, Event, Moment, Point, Size},
    observer::go::{GoObserver, Settings, Told},
    sim::{
        Disturbance,
        go::{GoScene, GoSimulation},
        scene::SceneError,
    },
};
use serde::{Deserialize, Serialize};

use super::games::GoGame;

/// How a game is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pictures {
    /// A photograph after every so manyth play.
    Every(usize),
    /// A photograph after each play, and a hand left in every so manyth.
    Disturbed(Disturbance, usize),
    /// A film with hands.
    Film,
}

/// A game, how it is shown, and in which scene.
#[derive(Debug, Clone)]
pub struct Show {
    /// The game.
    pub game: GoGame,
    /// Board, camera, light.
    pub scene: GoScene,
    /// What chance decides follows from this.
    pub seed: u64,
    /// Which pictures are taken.
    pub pictures: Pictures,
}

/// A play that is not in the record, or not in the game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoFault {
    /// Number of the play in the game (of one that was invented: of the play before it).
    pub play: usize,
    /// What was played, as players name it; none where it was invented.
    pub correct: Option<String>,
    /// What was read instead at this place of the record; none where nothing was.
    pub read: Option<String>,
}

/// What came of a game.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Came {
    /// Plays played.
    pub plays: usize,
    /// Those that are in the final record, in their order.
    pub right: usize,
    /// Those whose point and colour are in the final record, in whatever order: photographs do not show it.
    pub in_any_order: usize,
    /// Of photographs: those after which the board was believed to hold what it did, and all.
    pub positions: [usize; 2],
    /// Is the record the game?
    pub perfect: bool,
    /// Of disturbed pictures: those whose play is in the final record, those whose play the record held at once, and all.
    pub disturbed: [usize; 3],
    /// Of pictures without a hand: those whose last play the record held at once, and all.
    pub clean: [usize; 2],
    /// What is wrong.
    pub faults: Vec<GoFault>,
    /// Warnings of plays against the rules, though all were within them.
    pub false_warnings: usize,
    /// Was the board found?
    pub found: bool,
    /// Pictures.
    pub pictures: u64,
    /// Time spent in the observer.
    pub observing: Duration,
    /// Time spent drawing.
    pub drawing: Duration,
}

/// A play as records compare it.
type Play = (Color, Point);

impl Show {
    /// Shows the game. `watch` is told of every picture after how many plays it was taken, and may stop it: nothing comes
    /// of it then.
    ///
    /// # Errors
    /// When the scene is refused.
    pub fn run(&self, mut watch: impl FnMut(usize) -> ControlFlow<()>) -> Result<Option<Came>, SceneError> {
        let simulation = GoSimulation::new(&self.scene, &self.game.end, self.seed)?;
        let mut simulation = match self.pictures {
            Pictures::Every(every) => simulation.stills(every),
            Pictures::Disturbed(disturbance, every) => simulation.stills(1).disturbed(disturbance, every),
            Pictures::Film => simulation,
        };
        let stills = self.pictures != Pictures::Film;
        let settings = Settings { stills, size: Some(self.game.end.board().size()), ..Settings::default() };
        let Ok(mut observer) = GoObserver::new(settings) else { return Ok(None) };
        let (truth, line) = (plays(&self.game.end), self.game.end.line());
        let mut came = Came { plays: truth.len(), ..Came::default() };
        // The plays at whose pictures a hand was left.
        let mut hidden = vec![];
        // A board looks the same from four sides: the observer names it as its picture shows it.
        let mut turns = 0;
        loop {
            let begin = Instant::now();
            let Some(picture) = simulation.next() else { break };
            came.drawing += begin.elapsed();
            let begin = Instant::now();
            if let Some(frame) = Frame::from_rgb(&picture.image) {
                let told = observer.observe(&frame, Stamp::from_s(picture.time_s));
                came.false_warnings +=
                    told.iter().filter(|told| matches!(told, Told::Game(Event::Illegal { .. }))).count();
            }
            came.observing += begin.elapsed();
            came.pictures += 1;
            if let Some(grid) = observer.grid() {
                turns = turns_to(grid.corners()[0], &picture.corners);
            }
            if stills && picture.ply > 0 {
                let is_right = line.get(picture.ply).is_some_and(|now| holds(&observer, now.board(), turns));
                came.positions = [came.positions[0] + usize::from(is_right), came.positions[1] + 1];
                let read = read(&observer, turns);
                let at_once = read.len() == picture.ply && read.last() == truth.get(picture.ply - 1);
                if picture.clean {
                    came.clean = [came.clean[0] + usize::from(at_once), came.clean[1] + 1];
                } else {
                    hidden.push(picture.ply - 1);
                    came.disturbed[1] += usize::from(at_once);
                    came.disturbed[2] += 1;
                }
            }
            if watch(picture.ply).is_break() {
                return Ok(None);
            }
        }
        observer.finish();
        came.found = observer.grid().is_some();
        let read = read(&observer, turns);
        came.hold_against(&truth, &read, &hidden, self.game.end.board().size());
        Ok(Some(came))
    }
}

impl Came {
    /// Counts what a record has of a game.
    fn hold_against(&mut self, truth: &[Play], read: &[Play], hidden: &[usize], size: Size) {
        let pairs = common(truth, read);
        self.right = pairs.len();
        let mut rest = read.to_vec();
        let mut take =
            |play: &&Play| rest.iter().position(|read| read == *play).map(|at| rest.swap_remove(at)).is_some();
        self.in_any_order = truth.iter().filter(|play| take(play)).count();
        self.perfect = truth == read;
        self.disturbed[0] = hidden.iter().filter(|play| pairs.iter().any(|pair| pair.0 == **play)).count();
        // Between two plays that are right lies what is wrong.
        let name = |play: Option<&Play>| play.map(|(color, at)| format!("{} {}", color.name(), at.name(size)));
        let ends = pairs.iter().copied().chain([(truth.len(), read.len())]);
        let mut from = (0, 0);
        for (t, r) in ends {
            for k in 0..(t - from.0).max(r - from.1) {
                self.faults.push(GoFault {
                    play: (from.0 + k + 1).min(t),
                    correct: name(truth[from.0..t].get(k)),
                    read: name(read[from.1..r].get(k)),
                });
            }
            from = (t + 1, r + 1);
        }
    }
}

/// Which of a board's corners, as its record names them, lies nearest to a point of the picture.
fn turns_to(corner: nalgebra::Point2<f64>, corners: &[nalgebra::Point2<f64>; 4]) -> usize {
    let far = |k: &usize| nalgebra::distance(&corner, &corners[*k]);
    (0..4).min_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or(0)
}

/// What was read, as somebody names it who calls the `turns`th corner of the record the first one.
fn read(observer: &GoObserver, turns: usize) -> Vec<Play> {
    let Some(game) = observer.game() else { return vec![] };
    let size = game.size();
    plays(game.told()).into_iter().map(|(color, at)| (color, turned(at, turns, size))).collect()
}

/// Does the board hold what is believed to lie on it?
fn holds(observer: &GoObserver, board: &Board, turns: usize) -> bool {
    let (size, standing) = (board.size(), observer.standing());
    standing.len() == size.count() && size.points().zip(standing).all(|(p, c)| board.at(turned(p, turns, size)) == *c)
}

/// A crossing of a board that is named from its `turns`th corner, clockwise, as the record names it.
const fn turned(at: Point, turns: usize, size: Size) -> Point {
    let last = size.lines() - 1;
    match turns {
        1 => Point::new(last - at.y, at.x),
        2 => Point::new(last - at.x, last - at.y),
        3 => Point::new(at.y, last - at.x),
        _ => at,
    }
}

/// The plays on the board up to a moment.
fn plays(end: &std::sync::Arc<Moment>) -> Vec<Play> {
    end.line().iter().filter_map(|moment| moment.last()).filter_map(|play| Some((play.color, play.at?))).collect()
}

/// The longest sequence that both have in common: where its members stand in both (E. W. Myers' problem, by the table,
/// for records of some hundred plays).
fn common(a: &[Play], b: &[Play]) -> Vec<(usize, usize)> {
    let mut longest = vec![vec![0u16; b.len() + 1]; a.len() + 1];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            longest[i][j] =
                if a[i] == b[j] { longest[i + 1][j + 1] + 1 } else { longest[i + 1][j].max(longest[i][j + 1]) };
        }
    }
    let (mut i, mut j, mut pairs) = (0, 0, vec![]);
    while i < a.len() && j < b.len() {
        if a[i] == b[j] {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if longest[i + 1][j] >= longest[i][j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn play(n: u8) -> Play {
        (if n.is_multiple_of(2) { Color::Black } else { Color::White }, Point::new(n, 0))
    }

    #[test]
    fn a_board_that_is_named_from_another_corner_is_the_same_board() {
        let size = Size::USUAL;
        let corners = [Point::new(0, 0), Point::new(18, 0), Point::new(18, 18), Point::new(0, 18)];
        for turns in 0..4 {
            for k in 0..4 {
                assert_eq!(turned(corners[k], turns, size), corners[(k + turns) % 4]);
            }
        }
    }

    #[test]
    fn records_are_held_against_games() {
        let truth: Vec<Play> = (0..6).map(play).collect();
        let read = vec![play(0), play(1), play(9), play(3), play(4), play(5), play(7)];
        let mut came = Came::default();
        came.hold_against(&truth, &read, &[2, 4], Size::USUAL);
        assert_eq!((came.right, came.perfect, came.disturbed[0]), (5, false, 1));
        assert_eq!(came.in_any_order, 5);
        assert_eq!(came.faults.len(), 2, "{:?}", came.faults);
        assert_eq!(
            (came.faults[0].play, came.faults[0].correct.is_some(), came.faults[0].read.is_some()),
            (3, true, true)
        );
        assert_eq!(came.faults[1].correct, None);
        let mut swapped = Came::default();
        let others = [1, 0, 2, 3, 4, 5].map(play);
        swapped.hold_against(&truth, &others, &[], Size::USUAL);
        assert_eq!((swapped.right, swapped.in_any_order), (5, 6));
        let mut same = Came::default();
        same.hold_against(&truth, &truth, &[], Size::USUAL);
        assert!(same.perfect && same.faults.is_empty());
    }
}
