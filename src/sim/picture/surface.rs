//! What a line of sight meets when no thing stands in its way: the board, its sides, the table, the room.

use super::texture::{Face, Flat, Near, TableTop};
use crate::sim::{light::lamp::Lamp, math::V3, scene::Scene, slip::Slip};

/// The table ends so many squares from the board's corner.
const TABLE: f32 = 40.0;
/// Linear light of the room beyond the table, and of its walls where a glossy board mirrors them.
pub(super) const ROOM: V3 = V3::new(0.18, 0.17, 0.16);

/// A point that is seen.
#[derive(Debug, Clone, Copy)]
pub struct Hit {
    /// Distance along the optical axis, in squares; 0: nothing but the room.
    pub depth: f32,
    /// Unit normal.
    pub(crate) normal: V3,
    /// Colour in linear light; of the room: its light.
    pub colour: V3,
    /// How much it mirrors, 0 to 1.
    pub gloss: f32,
    /// Is it the board's upper face?
    pub board: bool,
}

/// Board and table.
#[derive(Debug)]
pub(crate) struct Surface {
    face: Box<dyn Face>,
    table: TableTop,
    /// The board from and to, along x and along y.
    low: [f32; 2],
    high: [f32; 2],
    floor: f32,
    gloss: f32,
    table_from_board: Slip,
}

impl Surface {
    /// Those of a scene with a chessboard; `seed` chooses the wood.
    #[must_use]
    pub fn new(scene: &Scene, board_from_table: &Slip, seed: u64) -> Self {
        let border = scene.board.border as f32;
        Self::of(Box::new(Flat::new(scene, seed)), [[-border; 2], [8.0 + border; 2]], scene, board_from_table, seed)
    }

    /// A board with any face on the table of a scene. `[low, high]` are its corners; thickness and gloss are the scene's.
    #[must_use]
    pub fn of(
        face: Box<dyn Face>,
        [low, high]: [[f32; 2]; 2],
        scene: &Scene,
        board_from_table: &Slip,
        seed: u64,
    ) -> Self {
        Self {
            table_from_board: board_from_table.inverse(),
            face,
            table: TableTop::new(scene, seed),
            low,
            high,
            floor: -scene.board.thickness as f32,
            gloss: scene.board.gloss as f32,
        }
    }

    /// Height of the table: not above 0.
    #[must_use]
    pub(crate) const fn floor(&self) -> f32 {
        self.floor
    }

    /// How much the board mirrors.
    #[must_use]
    pub(crate) const fn gloss(&self) -> f32 {
        self.gloss
    }

    /// What is seen from a point in a direction (of length 1 along the optical axis); `near` belongs to the row of samples.
    #[must_use]
    pub(crate) fn hit(&self, c: V3, ray: V3, near: &mut Near) -> Hit {
        let (low, high) = (self.low, self.high);
        if ray.z < 0.0 {
            let t = -c.z / ray.z;
            let p = c + ray * t;
            if (low[0]..high[0]).contains(&p.x) && (low[1]..high[1]).contains(&p.y) {
                let (colour, normal) = (self.face.colour(p.x, p.y, near), self.face.normal(p.x, p.y));
                return Hit { depth: t, normal, colour, gloss: self.gloss, board: true };
            }
            // A side of the board?
            for axis in 0..2 {
                if ray[axis] == 0.0 {
                    continue;
                }
                let (wall, out) = if ray[axis] > 0.0 { (low[axis], -1.0) } else { (high[axis], 1.0) };
                let t = (wall - c[axis]) / ray[axis];
                let p = c + ray * t;
                let along = low[1 - axis]..high[1 - axis];
                if t > 0.0 && p.z <= 0.0 && p.z > self.floor && along.contains(&p[1 - axis]) {
                    let mut normal = V3::zeros();
                    normal[axis] = out;
                    return Hit { depth: t, normal, colour: self.face.side(), gloss: self.gloss, board: false };
                }
            }
            let t = (self.floor - c.z) / ray.z;
            let p = c + ray * t;
            let q = self.table_from_board.point(p);
            if q.x.abs().max(q.y.abs()) < TABLE {
                let colour = self.table.colour(q.x, q.y, near);
                return Hit { depth: t, normal: V3::z(), colour, gloss: 0.08, board: false };
            }
        }
        Hit { depth: 0.0, normal: V3::z(), colour: ROOM, gloss: 0.0, board: false }
    }

    /// Does the board itself stand between a point of the table and a lamp?
    #[must_use]
    pub(crate) fn shades(&self, point: V3, lamp: &Lamp) -> bool {
        if point.z > self.floor + 1e-3 || self.floor > -1e-3 {
            return false;
        }
        let (towards, _) = lamp.at(point);
        let p = point - towards * (point.z / towards.z.max(1e-3));
        (self.low[0]..self.high[0]).contains(&p.x) && (self.low[1]..self.high[1]).contains(&p.y)
    }
}
