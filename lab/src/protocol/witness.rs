//! An observer that is shown a game under one protocol.

use std::time::Instant;

use chess_observer::{
    board::corners::Corners,
    event::Event,
    frame::{Frame, Stamp},
    game::CommandError,
    observer::Observer,
    params::Params,
    replay::Report,
};
use image::RgbImage;
use shakmaty::Board;

use super::{Protocol, Showing, Shown, grain::Grain, slots::Slot};
use crate::{
    cause::explain,
    fit::Sample,
    score::score,
    truth::{Row, Truth},
};

/// One picture of a source with its truth.
#[derive(Debug, Clone, Copy)]
pub(super) struct Picture<'a> {
    pub image: &'a RgbImage,
    pub row: &'a Row,
    pub corners: Option<Corners>,
    pub men: Option<&'a Board>,
}

/// The observer, what it was shown and what it told.
#[derive(Debug)]
pub(super) struct Witness {
    pub protocol: Protocol,
    slots: std::iter::Peekable<std::vec::IntoIter<Slot>>,
    observer: Observer,
    grain: Grain,
    truth: Truth,
    samples: Vec<Sample>,
    events: Vec<(usize, Event)>,
    report: Report,
}

impl Witness {
    /// `truth` tells the game; its rows come with the pictures.
    ///
    /// # Errors
    /// When the observer refuses the game's first position.
    pub fn new(protocol: Protocol, slots: Vec<Slot>, truth: &Truth, how: &Showing<'_>) -> Result<Self, CommandError> {
        let Showing { params, seed, samples, .. } = *how;
        let params = Params {
            sight_stills: protocol.is_stills(),
            game_start_fen: truth.start_fen.clone().unwrap_or_default(),
            ..params.clone()
        };
        let truth = Truth { rows: vec![], corners: vec![], placements: vec![], ..truth.clone() };
        let slots = slots.into_iter().peekable();
        let (mut observer, grain) = (Observer::new(&params)?, Grain::new(seed));
        observer.explain(samples);
        Ok(Self { protocol, slots, observer, grain, truth, samples: vec![], events: vec![], report: Report::default() })
    }

    /// Will it want to see this picture of the source? Earlier ones were not to be had.
    pub fn wants(&mut self, number: usize) -> bool {
        while self.slots.next_if(|slot| slot.picture < number).is_some() {}
        self.slots.peek().is_some_and(|slot| slot.picture == number)
    }

    /// Is shown the picture as often as its protocol says.
    pub fn see(&mut self, number: usize, picture: Picture<'_>) {
        while self.wants(number) {
            let Some(slot) = self.slots.next() else { return };
            let index = self.truth.rows.len();
            let stamp = Stamp::from_s(slot.time_s);
            let time_ms = (self.protocol != Protocol::Untimed).then_some(stamp.0 / 1_000_000);
            self.truth.rows.push(Row { frame: format!("{index:05}"), time_ms, ..picture.row.clone() });
            self.truth.corners.push(picture.corners);
            self.truth.placements.push(picture.men.cloned());
            // As the node does with a camera's pictures.
            if self.observer.leaves_out(stamp) {
                continue;
            }
            let image = if slot.again { self.grain.over(picture.image, index as u64) } else { picture.image };
            let looking = Instant::now();
            let told = Frame::from_rgb(image).map_or_else(Vec::new, |frame| self.observer.observe(&frame, stamp));
            self.report.observing += looking.elapsed();
            self.report.pictures += 1;
            let sample = self.observer.account().and_then(|account| Sample::of(account, &self.truth));
            self.samples.extend(sample);
            self.events.extend(told.into_iter().map(|event| (index, event)));
        }
    }

    /// The figures, every fault with its cause, and the samples.
    pub fn finish(mut self) -> Shown {
        let last = self.truth.rows.len().saturating_sub(1);
        self.events.extend(self.observer.finish().into_iter().map(|event| (last, event)));
        self.report.total = self.report.observing;
        Shown {
            protocol: self.protocol,
            score: score(&self.truth, &self.events, &self.report),
            faults: explain(&self.truth, &self.events),
            samples: self.samples,
        }
    }
}
