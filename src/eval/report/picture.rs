//! What the observer was shown: one small picture of a scene, before or in a game.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use image::{ImageEncoder as _, codecs::jpeg::JpegEncoder, imageops::FilterType};
use shakmaty::{EnPassantMode, Position as _, fen::Fen};

use crate::{
    game::start::Start,
    sim::{Scene, SimError, Simulation, Story},
};

/// Width of a picture in the report in pixels: twice what a phone shows of it in CSS pixels, so that it stays sharp.
const WIDTH_PX: u32 = 400;
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

impl Picture {
    /// The picture in a scene after the last of the story's moves, without a hand.
    ///
    /// # Errors
    /// When the scene or the story is not usable.
    pub fn of(experiment: &str, label: &str, scene: &Scene, story: &Story, seed: u64) -> Result<Self, SimError> {
        // Drawing the pictures before it would take as long again for each.
        let mut position = story.start.position().clone();
        for &m in &story.moves {
            position.play_unchecked(m);
        }
        let fen = Fen::from_position(&position, EnPassantMode::Legal).to_string();
        let start = Start::from_fen(&fen).unwrap_or_else(|_| story.start.clone());
        let mut stills = Simulation::new(scene, (start, vec![]), seed)?.stills();
        let jpeg = stills.next().map(|frame| small(&frame.image)).unwrap_or_default();
        Ok(Self { experiment: experiment.into(), label: label.into(), jpeg })
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

    #[test]
    fn a_picture_is_small_shows_the_last_position_and_is_the_same_again() {
        let story = Story {
            moves: crate::sim::script::tests::moves(&shakmaty::Chess::default(), "e2e4 d7d5"),
            ..Story::default()
        };
        let mut scene = Scene::overhead();
        (scene.camera.width, scene.camera.height) = (800, 640);
        let picture = |story: &Story| Picture::of("petkov", "above", &scene, story, 3).unwrap();
        let (before, after) = (picture(&Story::default()), picture(&story));
        assert_eq!(after, picture(&story));
        assert_ne!(before.jpeg, after.jpeg);
        let read = image::load_from_memory(&after.jpeg).unwrap();
        assert_eq!((read.width(), read.height()), (400, 320));
        assert!(after.jpeg.len() < 40_000, "{}", after.jpeg.len());
        assert!(after.data_url().starts_with("data:image/jpeg;base64,/9j/"));
    }
}
