//! When a knock comes, and what it moves beside the board: table, hands, captured men.

use super::Simulation;
use crate::sim::{
    math::{self, V3},
    picture::render::Renderer,
    play::film::Moment,
    scene::Bump,
    shape::{hand::shoulder, man::Place},
    slip::{self, Slip},
};

/// A hand finds the squares of a board that has slipped after so many seconds: two reaction times of the eye.
const FIND_S: f64 = 0.4;
/// Radius of a man's foot at the standard size, in squares: captured men are pushed by it.
const FOOT: f32 = 0.33;

impl Simulation {
    /// Does a knock come at this moment of the film, or has its own moment passed?
    pub(super) fn is_due(&self, bump: &Bump, moment: &Moment, ply: usize) -> bool {
        let before = |act: usize| act.checked_sub(1).map_or(0, |i| self.acts[i].plies);
        match moment.under_way {
            // The hand that makes a ply stays in the picture for a while after it.
            Some(act) if bump.while_hand => {
                before(act) > bump.ply || before(act) == bump.ply && moment.share >= bump.moment
            }
            None if bump.while_hand => ply > bump.ply,
            None => ply > bump.ply || ply == bump.ply && moment.share > bump.moment,
            Some(_) => ply > bump.ply,
        }
    }

    /// Brings camera and table to where they are at a time. Has anything moved?
    pub(super) fn stand_at(&mut self, time_s: f64) -> bool {
        let standpoint = self.knocks.at(time_s);
        if standpoint == self.standpoint {
            return false;
        }
        let table_from_board = self.standpoint.board_from_table.inverse();
        let slip = table_from_board.then(&standpoint.board_from_table);
        if standpoint.board_from_table != self.standpoint.board_from_table {
            self.slips.push((time_s, slip));
            self.leave_behind(&slip);
        }
        self.standpoint = standpoint;
        self.renderer = Renderer::new(&self.scene, &self.standpoint, self.seed);
        self.sensor.moved();
        true
    }

    /// What stands on the table does not go with the board, unless it is pushed.
    fn leave_behind(&mut self, slip: &Slip) {
        let edge = self.scene.board.border as f32;
        let foot = FOOT * self.scene.men.scale as f32;
        for man in &mut self.cast.men {
            if let Place::Beside(stand) = &mut man.place {
                stand.at = slip::pushed(slip.point(stand.at), foot, edge);
                stand.turn_rad += slip.turn_rad() as f32;
            }
        }
        for thing in &mut self.clutter {
            thing.at = slip::pushed(slip.point(thing.at), thing.reach(), edge);
            thing.turn_rad += slip.turn_rad() as f32;
        }
    }

    /// Hands and what they hold are in the air: they do not go with a board that slips, and find its squares again in
    /// a moment.
    pub(super) fn lag(&mut self, moment: &mut Moment) {
        let board_from_table = self.standpoint.board_from_table;
        moment.hands.iter_mut().for_each(|hand| hand.shoulder = board_from_table.point(shoulder(hand.player)));
        self.slips.retain(|(at_s, _)| moment.time_s - at_s < FIND_S);
        for (at_s, slip) in &self.slips {
            let behind = 1.0 - math::ease(((moment.time_s - at_s) / FIND_S) as f32);
            let drawn = |p: &mut V3| *p += (slip.point(*p) - *p) * behind;
            moment.held.iter_mut().for_each(|(_, at, _)| drawn(at));
            moment.hands.iter_mut().for_each(|hand| drawn(&mut hand.tip));
        }
    }
}
