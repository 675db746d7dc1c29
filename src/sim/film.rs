//! stub
use super::{mesh::V3, scene::Scene, script::{Cast, Script}, hand::Hand};
use shakmaty::Role;
#[derive(Debug)]
pub struct Film;
pub struct Moment { pub time_s: f64, pub ply: usize, pub late: bool, pub clean: bool, pub under_way: usize, pub held: Vec<(usize, V3)>, pub held_turn: f32, pub hand: Option<Hand>, pub note: &'static str }
impl Film {
    pub fn new(_s: &Scene, _p: &Script, _h: impl Fn(Role) -> f32, _seed: u64) -> Self { Self }
    pub fn frames(&self) -> usize { 0 }
    pub fn next(&mut self, _c: &mut Cast) -> Option<Moment> { None }
}
