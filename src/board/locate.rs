//! stub
use crate::{board::geometry::Corners, frame::Frame};
/// x
pub struct Hint { pub men: Option<shakmaty::Board>, pub near: Option<Corners> }
/// x
pub struct Located { pub corners: Corners }
/// x
pub fn locate(_f: &Frame<'_>, _h: &Hint) -> Result<Located, ()> { Err(()) }
