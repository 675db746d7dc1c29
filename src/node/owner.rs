//! Whoever owns an observer, whichever game it watches: what the parts that all observing nodes share ask of him.

use super::{
    inbox::{Inbox, Next},
    picture::Picture,
    status::{Reports, Shared},
};
use crate::{observer::CameraInfo, params::Table};

/// What the node itself takes from its parameters.
#[derive(Debug, Clone, Copy)]
pub struct NodeParams<'a> {
    /// `auto`, `raw` or `compressed`.
    pub(crate) image_transport: &'a str,
    /// `auto`, `reliable` or `best_effort`.
    pub(crate) image_reliability: &'a str,
    /// Pictures examined a second at most; 0 is all.
    pub max_rate_hz: f64,
    /// For so long a turn may take, in seconds; 0 is for ever.
    pub(crate) watchdog_s: f64,
    /// Is it a managed node?
    pub(crate) lifecycle: bool,
}

/// What the node itself takes from either table of parameters.
macro_rules! node_params {
    ($params:expr) => {
        NodeParams {
            image_transport: &$params.image_transport,
            image_reliability: &$params.image_reliability,
            max_rate_hz: $params.max_rate_hz,
            watchdog_s: $params.watchdog_s,
            lifecycle: $params.lifecycle,
        }
    };
}
pub(super) use node_params;

/// The owner of an observer: examines pictures, carries out requests, publishes what is new.
pub trait Owner: Sized + Send + 'static {
    /// The node's parameters.
    type Params: Table;
    /// What it tells of its work.
    type Status: Reports;

    /// What the node itself takes from the parameters.
    fn node_params(params: &Self::Params) -> NodeParams<'_>;

    /// What the diagnostics read.
    fn status(&self) -> Shared<Self::Status>;

    /// Examines a picture. One that turns out to be bad is counted in the inbox.
    fn look(&mut self, picture: Picture, inbox: &Inbox<Self>);

    /// Takes over what the camera says of itself.
    fn set_camera_info(&mut self, info: &CameraInfo);

    /// Takes over changed parameters.
    fn set_params(&mut self, params: Self::Params);

    /// Looks at pictures from now on, or at none, as the node's life cycle says.
    fn set_active(&mut self, active: bool);

    /// Ends: there are no more pictures.
    fn finish(self);

    /// Works until the inbox is closed.
    fn run(mut self, inbox: &Inbox<Self>) {
        loop {
            match inbox.next() {
                Next::Request(request) => request(&mut self),
                Next::Picture(picture) => self.look(*picture, inbox),
                Next::Closed => break,
            }
        }
        self.finish();
    }
}
