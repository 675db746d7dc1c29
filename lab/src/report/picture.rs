//! What the observer was shown: one small picture of a scene.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use chess_observer::{game::start::Start, sim::Story};
use image::{ImageEncoder as _, codecs::jpeg::JpegEncoder, imageops::FilterType};
use rayon::prelude::*;
use shakmaty::{EnPassantMode, Position as _, fen::Fen};

use crate::{
    experiments::views::View,
    simulated::{Shots, Show, ShowError},
};

/// Width of a picture in the report in pixels: twice what a phone shows of it in CSS pixels, so that it stays sharp.
const WIDTH_PX: u32 = 320;
/// JPEG quality: a picture stays below 20 kB, and noise and shadows can still be seen.
const QUALITY: u8 = 70;

/// A picture of the report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Name of the experiment that it belongs to.
    pub experiment: String,
    /// What it shows.
    pub label: String,
    /// JPEG.
    pub jpeg: Vec<u8>,
}

/// A picture of each view after the last of the story's moves, drawn on all processors; their order stays.
///
/// # Errors
/// When a scene or the story is not usable.
pub fn pictures(views: &[View], story: &Story, seed: u64) -> Result<Vec<Picture>, ShowError> {
    let story = last_ply(story);
    views.par_iter().map(|view| Picture::of(view, &story, seed)).collect()
}

/// The last ply alone, from the position before it: whoever wants the last picture need not draw those before it.
fn last_ply(story: &Story) -> Story {
    let mut position = story.start.position().clone();
    let mut rest = story.clone();
    let Some(last) = rest.moves.pop() else { return rest };
    rest.moves.iter().for_each(|&m| position.play_unchecked(m));
    let fen = Fen::from_position(&position, EnPassantMode::Legal).to_string();
    match Start::from_fen(&fen) {
        Ok(start) => (start, vec![last]).into(),
        Err(_) => story.clone(),
    }
}

impl Picture {
    fn of(view: &View, story: &Story, seed: u64) -> Result<Self, ShowError> {
        let (name, scene) = (view.label.clone(), view.scene.clone());
        let show = Show { name, story: story.clone(), scene, seed, shots: view.shots };
        // A picture with the hand that the view is about (of a film: with a man in the air), or else the last.
        let mut seen = None;
        for frame in show.simulation()? {
            let held = matches!(frame.note, "in the air" | "held over another square");
            let disturbed = !frame.clean && (view.shots != Shots::Film || held);
            let image = frame.image;
            seen = Some(image);
            if disturbed {
                break;
            }
        }
        let jpeg = seen.map(|image| small(&image)).unwrap_or_default();
        Ok(Self { experiment: view.experiment.clone(), label: view.label.clone(), jpeg })
    }

    /// As an address that holds the picture itself (RFC 2397).
    #[must_use]
    pub fn data_url(&self) -> String {
        format!("data:image/jpeg;base64,{}", STANDARD.encode(&self.jpeg))
    }
}

fn small(image: &image::RgbImage) -> Vec<u8> {
    let width = image.width().clamp(1, WIDTH_PX);
    let height = (u64::from(image.height()) * u64::from(width) / u64::from(image.width().max(1))).max(1) as u32;
    let image = image::imageops::resize(image, width, height, FilterType::Triangle);
    let mut jpeg = vec![];
    // Writing to memory cannot fail, and a small RGB picture is what the encoder takes.
    let _ = JpegEncoder::new_with_quality(&mut jpeg, QUALITY).write_image(
        &image,
        image.width(),
        image.height(),
        image::ExtendedColorType::Rgb8,
    );
    jpeg
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess_observer::sim::{Disturbance, Scene};
    use shakmaty::uci::UciMove;

    /// The usual start and these moves, as UCI.
    fn story(line: &str) -> Story {
        let start = Start::default();
        let mut position = start.position().clone();
        let moves = line.split_whitespace().map(|word| {
            let mv = word.parse::<UciMove>().unwrap().to_move(&position).unwrap();
            position.play_unchecked(mv);
            mv
        });
        let moves: Vec<_> = moves.collect();
        (start, moves).into()
    }

    #[test]
    fn a_picture_is_small_and_shows_the_last_position_and_the_hand() {
        let mut scene = Scene::overhead();
        (scene.camera.width, scene.camera.height) = (800, 640);
        let view = |shots| View { experiment: "petkov".into(), label: "above".into(), scene: scene.clone(), shots };
        let views = [view(Shots::Stills), view(Shots::Disturbed(Disturbance::Visible, 1))];
        let [before, after] = ["", "e2e4 d7d5"].map(|line| pictures(&views, &story(line), 3).unwrap());
        assert_eq!(after, pictures(&views, &story("e2e4 d7d5"), 3).unwrap());
        assert!(before[0].jpeg != after[0].jpeg, "the moves are not seen");
        assert!(after[0].jpeg != after[1].jpeg, "the hand is not seen");
        let read = image::load_from_memory(&after[0].jpeg).unwrap();
        assert_eq!((read.width(), read.height()), (320, 256));
        assert!(after.iter().all(|p| p.jpeg.len() < 20_000));
        assert!(after[0].data_url().starts_with("data:image/jpeg;base64,/9j/"));
    }

    #[test]
    fn the_last_ply_leads_to_the_same_position() {
        let line = "e2e4 c7c5 e4e5 d7d5 e5d6 e7d6 g1f3 g8f6 f1e2 f8e7 e1g1";
        let story = story(line);
        for plies in 0..=story.moves.len() {
            let mut story = story.clone();
            story.moves.truncate(plies);
            let last = last_ply(&story);
            assert_eq!(last.moves.len(), plies.min(1));
            let end = |story: &Story| {
                let mut position = story.start.position().clone();
                story.moves.iter().for_each(|&m| position.play_unchecked(m));
                position
            };
            assert_eq!(end(&last), end(&story), "{plies}");
        }
    }
}
