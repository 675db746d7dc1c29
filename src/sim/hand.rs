//! stub
use super::{raster::Thing, scene::Scene};
#[derive(Debug, Clone)]
pub struct Hand;
impl Hand { pub fn things(&self, _s: &Scene) -> Vec<Thing> { vec![] } }
