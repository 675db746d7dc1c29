//! Pictures without a chessboard: nothing may be claimed in them, least of all a game begun.
//!
//! `GRIDS_OUT=DIR` writes the generated pictures; `GRIDS_ONLY=TEXT` restricts to patterns whose name contains it;
//! `GRIDS_VIEWS=16` shows each from so many sides instead of two: more than a thousand pictures.

use std::{env, path::Path};

use chess_observer::{
    board::{Hint, LocateError, locate},
    frame::Frame,
    sight::view::View,
};
use image::RgbImage;
use shakmaty::Board;

use crate::{
    grids::PATTERNS,
    support::{no_board_pictures, shared},
};

/// Views of each pattern: nearly straight and oblique ones.
const VIEWS: u64 = 2;

/// What was made of a picture under one expectation.
struct Claim {
    /// `locate` claims a board.
    found: bool,
    /// And `View::begin` accepts it under one of its four names: the node would start a game.
    begun: bool,
    confidence: f64,
    text: String,
}

fn claim(image: &RgbImage, men: Option<&Board>) -> Claim {
    let frame = Frame::from_rgb(image).unwrap();
    match locate(&frame, &Hint { men: men.cloned(), near: None, lens: None }) {
        Ok(found) => {
            let begins = |men: &Board| (0..4).any(|t| View::begin(&frame, &found.map.renamed(t), men, None).is_ok());
            Claim {
                found: true,
                begun: men.is_some_and(begins),
                confidence: found.confidence,
                text: format!("{:?} {:?}", found.corners().to_array().map(|c| c.map(f64::round)), found.diagnostics),
            }
        }
        Err(LocateError::Unsure { best }) => {
            let text = format!("{:?} {:?}", best.corners().to_array().map(|c| c.map(f64::round)), best.diagnostics);
            Claim { found: false, begun: false, confidence: best.confidence, text }
        }
        Err(LocateError::CutOff { board }) => {
            let text =
                format!("cut off: {:?} {:?}", board.corners().to_array().map(|c| c.map(f64::round)), board.diagnostics);
            Claim { found: false, begun: false, confidence: board.confidence, text }
        }
        Err(e) => Claim { found: false, begun: false, confidence: 0.0, text: e.to_string() },
    }
}

/// Pictures, found and begun under each expectation, and the greatest confidence.
fn tally(name: &str, pictures: impl Iterator<Item = (String, RgbImage)>) -> (usize, [usize; 3], [usize; 3]) {
    let expectations = [("start", Some(Board::new())), ("empty", Some(Board::empty())), ("any", None)];
    let (mut n, mut found, mut begun, mut most) = (0, [0; 3], [0; 3], [0.0_f64; 3]);
    for (picture, image) in pictures {
        n += 1;
        for (i, (what, men)) in expectations.iter().enumerate() {
            let claim = claim(&image, men.as_ref());
            most[i] = most[i].max(claim.confidence);
            found[i] += usize::from(claim.found);
            begun[i] += usize::from(claim.begun);
            if claim.found || claim.confidence > 0.2 {
                let word = match (claim.begun, claim.found) {
                    (true, _) => "BEGUN",
                    (_, true) => "CLAIMED",
                    _ => "near",
                };
                println!("{word:8} {:.3} {what:5} {picture:34} {}", claim.confidence, claim.text);
            }
        }
    }
    println!(
        "{name}: {n} pictures; claimed {found:?}, begun {begun:?}, most confidence {most:.2?} (start, empty, any)\n"
    );
    (n, found, begun)
}

#[test]
fn nothing_is_claimed_on_other_grids() {
    let only = env::var("GRIDS_ONLY").unwrap_or_default();
    let views = env::var("GRIDS_VIEWS").map_or(VIEWS, |n| n.parse().expect("GRIDS_VIEWS: a number"));
    let patterns = PATTERNS.iter().filter(|p| p.name.contains(&only));
    let pictures = patterns.flat_map(|p| (0..views).map(|v| (format!("{} {v}", p.name), p.view(v))));
    let pictures = pictures.inspect(|(name, image)| {
        if let Some(dir) = env::var_os("GRIDS_OUT") {
            image.save(Path::new(&dir).join(format!("{}.png", name.replace([' ', ','], "_")))).unwrap();
        }
    });
    let (n, found, begun) = tally("grids", pictures);
    if only.is_empty() {
        assert!(n >= 120, "{n} pictures");
    }
    assert_eq!(begun, [0; 3], "a game would be begun where there is no board");
    assert_eq!(found, [0; 3], "a board is claimed where there is none");
}

#[test]
fn nothing_is_claimed_in_photographs_without_a_board() {
    let pictures = no_board_pictures(&shared());
    if pictures.is_empty() {
        println!("skipped: no pictures without a board in {}", shared().display());
        return;
    }
    let pictures = pictures.into_iter().map(|p| {
        let name = p.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        (name, image::open(&p).unwrap().to_rgb8())
    });
    let (_, found, begun) = tally("photographs", pictures);
    assert_eq!((found, begun), ([0; 3], [0; 3]));
}
