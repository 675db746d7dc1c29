#![allow(missing_docs)]
use super::super::plane::Plane;
use super::*;
use crate::frame::Frame;
pub fn combs(frame: &Frame<'_>, factor: u32) -> Vec<(Homography, [(i32, i32); 2])> {
    let t = std::time::Instant::now();
    let plane = Plane::reduced(frame, factor);
    let e = ridges::find(&plane);
    let t1 = t.elapsed();
    let around = pencils::Around::new(plane.width, plane.height);
    let p = pencils::find(&e, &around);
    let t2 = t.elapsed();
    let mut out = vec![];
    for i in 0..p.len() {
        for j in 0..i {
            if let Some(c) = comb::comb(&e, [&p[i], &p[j]], &around) {
                out.push((c.map, c.seen));
                eprintln!("  pencils {j} {i}: {:?}", c.seen);
            }
        }
    }
    eprintln!(
        "edgels {} in {:?}; pencils {:?} in {:?}; combs {} in {:?}",
        e.len(),
        t1,
        p.iter().map(|p| p.points as i32).collect::<Vec<_>>(),
        t2,
        out.len(),
        t.elapsed()
    );
    out
}
