use nalgebra::Vector2;

use super::*;
use crate::{
    board::{Hint, lens::Lens, locate as locate_chess},
    frame::{Frame, PixelFormat},
    sim::dice::Dice,
};

const SIZE: (u32, u32) = (960, 640);

/// What a drawing shows.
struct Drawing {
    /// Lines that are drawn from 0 on.
    lines: u8,
    /// Grey levels of wood, ink, table.
    greys: [f64; 3],
    /// What lies on each crossing, row by row: true for black.
    stones: Vec<Option<bool>>,
    /// From the outer lines to the wood's edge, in distances between lines.
    border: f64,
    /// Are there star points?
    stars: bool,
}

impl Drawing {
    fn of(lines: u8) -> Self {
        Self {
            lines,
            greys: [190.0, 60.0, 95.0],
            stones: vec![None; usize::from(lines).pow(2)],
            border: 0.7,
            stars: true,
        }
    }

    fn with_stones(mut self, count: usize, seed: u64) -> Self {
        let mut dice = Dice::new(seed, 0);
        let mut left = count;
        while left > 0 {
            let at = dice.index(self.stones.len());
            if self.stones[at].is_none() {
                self.stones[at] = Some(left.is_multiple_of(2));
                left -= 1;
            }
        }
        self
    }

    /// Grey level at a point of the board's plane.
    fn shade(&self, b: BoardPoint) -> f64 {
        let last = f64::from(self.lines - 1);
        let [wood, ink, table] = self.greys;
        let within = |by: f64| (-by..=last + by).contains(&b.x) && (-by..=last + by).contains(&b.y);
        if !within(self.border) {
            return table;
        }
        let off = |v: f64| (v - v.round()).abs();
        let (x, y) = (b.x.round().max(0.0) as usize, b.y.round().max(0.0) as usize);
        let stone = self.stones.get(y * usize::from(self.lines) + x).copied().flatten();
        if let Some(black) = stone
            && x < usize::from(self.lines)
            && off(b.x).hypot(off(b.y)) < 0.48
        {
            return if black { 30.0 } else { 235.0 };
        }
        let on_line = (off(b.x) < 0.025 || off(b.y) < 0.025) && within(0.025);
        let is_star = self.stars && {
            let edge = if self.lines >= 13 { 3.0 } else { 2.0 };
            let outer = |v: f64| v.round() == edge || v.round() == last - edge || v.round() == 0.5 * last;
            outer(b.x) && outer(b.y) && off(b.x).hypot(off(b.y)) < 0.09
        };
        if on_line || is_star { ink } else { wood }
    }

    /// As a camera sees it, four samples a pixel, with a little noise.
    fn picture(&self, map: &BoardMap, seed: u64) -> Vec<u8> {
        let mut dice = Dice::new(seed, 0);
        let mut data = Vec::new();
        for y in 0..SIZE.1 {
            for x in 0..SIZE.0 {
                let mut sum = 0.0;
                for k in 0..4 {
                    let (dx, dy) = (f64::from(k % 2) * 0.5 - 0.25, f64::from(k / 2) * 0.5 - 0.25);
                    sum += self.shade(map.to_board(ImagePoint::new(f64::from(x) + dx, f64::from(y) + dy)));
                }
                data.push((0.25 * sum + dice.between(-4.0, 4.0)).clamp(0.0, 255.0) as u8);
            }
        }
        data
    }
}

fn frame(data: &[u8]) -> Frame<'_> {
    Frame::new(SIZE.0, SIZE.1, SIZE.0 as usize, PixelFormat::Mono8, data).expect("a frame")
}

fn corners(which: usize) -> [ImagePoint; 4] {
    let all = [
        [[250.0, 110.0], [705.0, 100.0], [850.0, 560.0], [120.0, 580.0]],
        [[230.0, 60.0], [740.0, 65.0], [735.0, 575.0], [225.0, 570.0]],
        [[330.0, 90.0], [800.0, 190.0], [650.0, 590.0], [110.0, 420.0]],
    ];
    all[which].map(|[x, y]| ImagePoint::new(x, y))
}

fn grid(lines: u8, which: usize) -> Grid {
    Grid::from_corners(corners(which), Size::new(u64::from(lines)).expect("a size")).expect("a grid")
}

/// Distance of the corners, in distances between lines.
fn off(found: &Grid, truth: &Grid) -> f64 {
    found.farthest_px(truth) / truth.spacing_px()
}

#[test]
fn boards_of_usual_sizes_are_found_empty_and_full_of_stones() {
    for lines in [9, 13, 19] {
        for which in 0..3 {
            let truth = grid(lines, which);
            for share in [0.0, 0.3, 0.69] {
                let stones = (share * truth.size().count() as f64) as usize;
                let drawing = Drawing::of(lines).with_stones(stones, 5 + which as u64);
                let data = drawing.picture(truth.map(), 3);
                let found = locate(&frame(&data), None);
                let found = found.unwrap_or_else(|e| panic!("{lines} lines, view {which}, {stones} stones: {e}"));
                assert_eq!(found.size(), truth.size());
                assert!(off(&found, &truth) < 0.1, "{lines} lines, view {which}, {stones} stones");
            }
        }
    }
}

#[test]
fn boards_of_other_sizes_are_found_when_asked_for() {
    for lines in [5, 7, 11, 18, 21, 25] {
        let truth = grid(lines, 0);
        let data = Drawing::of(lines).with_stones(usize::from(lines), 9).picture(truth.map(), 4);
        let found = locate(&frame(&data), Some(truth.size())).unwrap_or_else(|e| panic!("{lines} lines: {e}"));
        assert!(off(&found, &truth) < 0.1, "{lines} lines");
        // And not taken for a usual one.
        let any = locate(&frame(&data), None);
        assert!(any.is_err(), "{lines} lines: {any:?}");
    }
}

#[test]
fn squared_paper_and_chess_boards_are_no_go_boards() {
    let paper = Drawing { border: 0.0, stars: false, ..Drawing::of(40) };
    let map = grid(40 - 15, 0);
    let found = locate(&frame(&paper.picture(map.map(), 1)), None);
    assert!(found.is_err(), "{found:?}");
    // Eight squares between nine lines.
    let map = grid(9, 1);
    let ruled = Drawing { stars: false, ..Drawing::of(9) };
    let found = locate(&frame(&ruled.picture(map.map(), 1)), None);
    assert!(found.is_err(), "{found:?}");
    let mut data = ruled.picture(map.map(), 1);
    for (k, v) in data.iter_mut().enumerate() {
        let at = ImagePoint::new((k as u32 % SIZE.0).into(), (k as u32 / SIZE.0).into());
        let b = map.map().to_board(at);
        let inside = (0.0..8.0).contains(&b.x) && (0.0..8.0).contains(&b.y);
        if inside && (b.x as i32 + b.y as i32) % 2 == 1 {
            *v = (*v).saturating_sub(70);
        }
    }
    let found = locate(&frame(&data), Some(map.size()));
    assert!(found.is_err(), "{found:?}");
}

#[test]
fn a_go_board_is_no_chess_board() {
    for lines in [9, 19] {
        let drawing = Drawing::of(lines).with_stones(40, 2);
        let data = drawing.picture(grid(lines, 0).map(), 2);
        for men in [None, Some(shakmaty::Board::new())] {
            let found = locate_chess(&frame(&data), &Hint { men, near: None, lens: None });
            assert!(found.is_err(), "{found:?}");
        }
    }
}

#[test]
fn a_board_that_leaves_the_picture_is_said_to() {
    let moved = corners(1).map(|p| p + Vector2::new(0.0, 200.0));
    let truth = Grid::from_corners(moved, Size::USUAL).expect("a grid");
    let data = Drawing::of(19).picture(truth.map(), 1);
    let error = locate(&frame(&data), None).expect_err("no whole board");
    assert!(!matches!(error, LocateGridError::NoLattice), "{error}");
}

#[test]
fn a_lens_is_known_or_found_from_the_lines() {
    let middle = ImagePoint::new(479.5, 319.5);
    for k1 in [-0.25, 0.15] {
        let lens = Lens::radial(800.0, middle, [k1, 0.0]);
        let plane = grid(19, 0).map().with_plane(*grid(19, 0).map().plane());
        let truth = Grid::new(Size::USUAL, BoardMap::new(*plane.plane(), Some(lens)));
        let data = Drawing::of(19).with_stones(80, 1).picture(truth.map(), 1);
        for known in [None, Some(lens)] {
            let hint = GridHint { lens: known, ..GridHint::default() };
            let found = find(&frame(&data), &hint).expect("a grid");
            assert!(off(&found.grid, &truth) < 0.1, "{k1}: {}", off(&found.grid, &truth));
        }
    }
}

#[test]
fn near_its_last_place_a_board_keeps_its_names() {
    let truth = grid(19, 2);
    let data = Drawing::of(19).with_stones(100, 1).picture(truth.map(), 1);
    for turns in 0..4 {
        let bumped = corners(2).map(|p| p + Vector2::new(31.0, -18.0));
        let near = Grid::from_corners(bumped, Size::USUAL).expect("a grid").renamed(turns);
        let found = find(&frame(&data), &GridHint { near: Some(near), ..GridHint::default() }).expect("a grid");
        assert!(off(&found.grid, &truth.renamed(turns)) < 0.1, "{turns}");
    }
}

/// The same board after a push in the picture and a turn.
fn pushed(by: [f64; 2], turn_deg: f64) -> Grid {
    let (sin, cos) = turn_deg.to_radians().sin_cos();
    let middle = Vector2::new(480.0, 340.0);
    let moved = corners(0).map(|p| {
        let v = p.coords - middle;
        ImagePoint::from(middle + Vector2::new(cos * v.x - sin * v.y, sin * v.x + cos * v.y) + Vector2::from(by))
    });
    Grid::from_corners(moved, Size::USUAL).expect("a grid")
}

#[test]
fn a_board_is_followed_through_small_movements_and_bumps() {
    let truth = grid(19, 0);
    let drawing = Drawing::of(19).with_stones(120, 7);
    let first = drawing.picture(truth.map(), 1);
    let mut follower = Follower::begin(&frame(&first), &truth);
    assert_eq!(follower.follow(&frame(&drawing.picture(truth.map(), 2))), Following::Same);
    for (by, turn) in [([3.0, -2.0], 0.2), ([0.5, 0.4], 0.0), ([5.0, 3.0], 0.0)] {
        let there = pushed(by, turn);
        let result = follower.follow(&frame(&drawing.picture(there.map(), 3)));
        let Following::Moved(found) = result else { panic!("{by:?}: {result:?}") };
        assert!(off(&found, &there) < 0.06, "{by:?}: {}", off(&found, &there));
    }
    // After a bump the board is not where its lines fall on each other again: it is lost, and found anew.
    let (before, there) = (*follower.grid(), pushed([40.0, 25.0], 3.0));
    let bumped = drawing.picture(there.map(), 4);
    assert_eq!(follower.follow(&frame(&bumped)), Following::Lost);
    assert_eq!(*follower.grid(), before);
    let found = find(&frame(&bumped), &GridHint { near: Some(before), ..GridHint::default() }).expect("a grid");
    assert!(off(&found.grid, &there) < 0.06);
    // So is a covered one.
    let covered = vec![120; first.len()];
    assert_eq!(follower.follow(&frame(&covered)), Following::Lost);
}

#[test]
fn stones_that_were_played_are_remembered_when_the_picture_is_understood() {
    let truth = grid(19, 0);
    let mut follower = Follower::begin(&frame(&Drawing::of(19).picture(truth.map(), 1)), &truth);
    let full = Drawing::of(19).with_stones(220, 3).picture(truth.map(), 2);
    follower.renew(&frame(&full), |_, _| true);
    let there = pushed([4.0, 3.0], 0.0);
    let moved = Drawing::of(19).with_stones(220, 3).picture(there.map(), 3);
    let result = follower.follow(&frame(&moved));
    assert!(matches!(result, Following::Moved(found) if off(&found, &there) < 0.06), "{result:?}");
}

#[test]
fn between_photographs_only_the_lines_need_be_the_same() {
    let truth = grid(19, 0);
    let darker = |mut drawing: Drawing| {
        drawing.greys = drawing.greys.map(|v| 0.7 * v);
        drawing
    };
    let same = darker(Drawing::of(19).with_stones(150, 3)).picture(truth.map(), 2);
    assert_eq!(follow(&truth, &frame(&same)), Following::Same);
    let there = pushed([6.0, -5.0], 0.3);
    let moved = darker(Drawing::of(19).with_stones(150, 4)).picture(there.map(), 3);
    let result = follow(&truth, &frame(&moved));
    assert!(matches!(result, Following::Moved(found) if off(&found, &there) < 0.06), "{result:?}");
    // By a whole line the lines lie on each other again: that is not the same place.
    let by = truth.image_from_board(10.0, 9.0) - truth.image_from_board(9.0, 9.0);
    let there = pushed([by.x, by.y], 0.0);
    let far = Drawing::of(19).with_stones(50, 4).picture(there.map(), 3);
    assert_eq!(follow(&truth, &frame(&far)), Following::Lost);
    let found = find(&frame(&far), &GridHint { near: Some(truth), ..GridHint::default() }).expect("a grid");
    assert!(off(&found.grid, &there) < 0.1);
}
