//! The subscriptions: pictures by the transport and with the reliability that their publishers offer, and the camera's
//! parameters.

use futures::StreamExt;
use r2r::{Node, QosProfile, qos::ReliabilityPolicy, sensor_msgs::msg::CameraInfo};
use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};
use tokio::{runtime::Handle, task::JoinHandle};

use super::{
    arguments::RosArguments,
    inbox::{Inbox, Setting},
    log::Log,
    owner::{NodeParams, Owner},
    picture,
};
use crate::{
    bag::messages::{is_rectified, types},
    observer,
};

/// What is known of the source of the pictures.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Source {
    /// Full name of the topic.
    pub topic: String,
    /// Full names of the topics by the other transports.
    pub(super) other_topics: Vec<String>,
    /// While nobody publishes on the topic: other topics with pictures, in the order of their names.
    pub elsewhere: Vec<String>,
    /// Publishers there.
    pub(super) publishers: usize,
    /// Is the subscription reliable (else best effort)?
    pub reliable: bool,
    /// Types of messages on the topic that are no pictures; empty when all are.
    pub(super) foreign_types: Vec<String>,
    /// Do the publishers offer less than what was asked for, so that nothing can arrive?
    pub(super) incompatible: bool,
}

impl Source {
    /// Is this the topic by another transport?
    #[must_use]
    pub(super) fn is_other_transport(&self, topic: &str) -> bool {
        self.other_topics.iter().any(|other| other == topic)
    }
}

/// How pictures are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Transport {
    Raw,
    Compressed,
}

impl Transport {
    const ALL: [Self; 2] = [Self::Raw, Self::Compressed];

    const fn topic(self) -> &'static str {
        match self {
            Self::Raw => "image_raw",
            Self::Compressed => "image_raw/compressed",
        }
    }

    /// The type of the messages that are expected.
    const fn kind(self) -> &'static str {
        match self {
            Self::Raw => types::IMAGE,
            Self::Compressed => types::COMPRESSED_IMAGE,
        }
    }
}

/// The observers draw pictures themselves; nobody looks for a camera there.
const OVERLAY: &str = "/overlay";

/// Which reliability the user asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wish {
    Auto,
    Reliable,
    BestEffort,
}

/// The subscription to the pictures. Lives on the thread that spins.
#[derive(Debug)]
pub(super) struct Input<A> {
    wish: Wish,
    /// The transport that the user asks for; `None` where it follows the publishers.
    asked: Option<Transport>,
    transport: Transport,
    /// Full names of the topics of all transports.
    topics: [(Transport, String); 2],
    reliable: bool,
    task: JoinHandle<()>,
    runtime: Handle,
    inbox: Arc<Inbox<A>>,
    source: Arc<Mutex<Source>>,
    log: Log,
}

/// Two pictures wait in the middleware: one is taken while the next arrives. A picture reaches the inbox at once, and
/// there only the newest is kept.
const PICTURES: QosProfile = QosProfile::sensor_data().keep_last(2);

impl<A: Owner> Input<A> {
    /// Subscribes to the pictures and to `camera_info`.
    ///
    /// # Errors
    /// When the middleware refuses a subscription.
    pub fn new(
        node: &mut Node,
        runtime: &Handle,
        inbox: &Arc<Inbox<A>>,
        params: NodeParams<'_>,
        arguments: &RosArguments,
        log: Log,
    ) -> r2r::Result<Self> {
        let asked = match params.image_transport {
            "raw" => Some(Transport::Raw),
            "compressed" => Some(Transport::Compressed),
            _ => None,
        };
        let wish = match params.image_reliability {
            "reliable" => Wish::Reliable,
            "best_effort" => Wish::BestEffort,
            _ => Wish::Auto,
        };
        let (name, namespace) = (node.name()?, node.namespace()?);
        let topics = Transport::ALL.map(|t| (t, arguments.resolve(t.topic(), &name, &namespace)));
        let reliable = wish == Wish::Reliable;
        let mut input = Self {
            wish,
            asked,
            transport: asked.unwrap_or(Transport::Raw),
            topics,
            reliable,
            task: runtime.spawn(std::future::ready(())),
            runtime: runtime.clone(),
            inbox: Arc::clone(inbox),
            source: Arc::default(),
            log,
        };
        input.subscribe(node)?;
        input.subscribe_camera_info(node)?;
        Ok(input)
    }

    /// What the diagnostics read.
    #[must_use]
    pub fn source(&self) -> Arc<Mutex<Source>> {
        Arc::clone(&self.source)
    }

    fn subscribe(&mut self, node: &mut Node) -> r2r::Result<()> {
        let qos = if self.reliable { PICTURES.reliable() } else { PICTURES };
        // The old stream ends here, and with it, at the next message, the old subscription.
        self.task.abort();
        let transport = self.transport;
        let mut pictures = picture::subscribe(node, transport.topic(), transport == Transport::Compressed, qos)?;
        let inbox = Arc::clone(&self.inbox);
        self.task = self.runtime.spawn(async move {
            while let Some(picture) = pictures.next().await {
                inbox.offer(picture, Instant::now());
            }
        });
        let (topic, others) = self.names();
        let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        (source.topic, source.other_topics, source.reliable) = (topic, others, self.reliable);
        Ok(())
    }

    /// The topic that is read, and the others.
    fn names(&self) -> (String, Vec<String>) {
        let (read, others): (Vec<_>, Vec<_>) = self.topics.iter().partition(|(t, _)| *t == self.transport);
        let name = |all: Vec<&(Transport, String)>| all.into_iter().map(|(_, name)| name.clone()).collect::<Vec<_>>();
        (name(read).concat(), name(others))
    }

    fn subscribe_camera_info(&self, node: &mut Node) -> r2r::Result<()> {
        let mut messages = node.subscribe::<CameraInfo>("camera_info", QosProfile::sensor_data())?;
        let inbox = Arc::clone(&self.inbox);
        let source = Arc::clone(&self.source);
        self.runtime.spawn(async move {
            let mut known = None;
            while let Some(message) = messages.next().await {
                inbox.count_camera_info();
                let rectified = is_rectified(&source.lock().unwrap_or_else(PoisonError::into_inner).topic);
                // Drivers repeat it with every picture.
                let info = calibration(message, rectified);
                if info.is_some() && info != known {
                    known.clone_from(&info);
                    inbox.set(Setting::Camera, move |actor| info.iter().for_each(|info| actor.set_camera_info(info)));
                }
            }
        });
        Ok(())
    }

    /// Looks who publishes, and subscribes anew where another transport or reliability suits them better. To be called now
    /// and then.
    pub(super) fn follow_publishers(&mut self, node: &mut Node) {
        let publishers = |transport: Transport| {
            let name = &self.topics.iter().find(|(t, _)| *t == transport)?.1;
            node.get_publishers_info_by_topic(name, false).ok()
        };
        // Raw pictures have lost nothing.
        let transport = self.asked.or_else(|| {
            Transport::ALL
                .into_iter()
                .find(|t| publishers(*t).is_some_and(|p| p.iter().any(|p| p.topic_type == t.kind())))
        });
        let transport = transport.unwrap_or(self.transport);
        let Some(mut publishers) = publishers(transport) else { return };
        let mut foreign_types: Vec<String> =
            publishers.extract_if(.., |p| p.topic_type != transport.kind()).map(|p| p.topic_type).collect();
        foreign_types.sort();
        foreign_types.dedup();
        let all_reliable = !publishers.is_empty()
            && publishers.iter().all(|p| p.qos_profile.reliability == ReliabilityPolicy::Reliable);
        let wanted = match self.wish {
            Wish::Auto => all_reliable,
            // Without publishers nothing is known, and nothing needs to change.
            Wish::Reliable => true,
            Wish::BestEffort => false,
        };
        if !publishers.is_empty() && (wanted != self.reliable || transport != self.transport) {
            (self.reliable, self.transport) = (wanted, transport);
            self.subscribe_anew(node, publishers.len());
        }
        let elsewhere = if publishers.is_empty() { self.elsewhere(node) } else { Vec::new() };
        let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        source.publishers = publishers.len();
        source.foreign_types = foreign_types;
        source.elsewhere = elsewhere;
        source.incompatible = self.reliable && !publishers.is_empty() && !all_reliable;
    }

    fn subscribe_anew(&mut self, node: &mut Node, publishers: usize) {
        let (topic, _) = self.names();
        let word = if self.reliable { "reliable" } else { "best effort" };
        match self.subscribe(node) {
            Ok(()) => self.log.info(&format!("{topic}: {publishers} publishers, now read {word}")),
            Err(error) => self.log.error(&format!("{topic}: cannot subscribe again: {error}")),
        }
    }

    /// Topics on which somebody publishes pictures, other than those that the observers draw.
    fn elsewhere(&self, node: &Node) -> Vec<String> {
        let Ok(topics) = node.get_topic_names_and_types() else { return Vec::new() };
        let carries = |types: &[String]| types.iter().any(|kind| Transport::ALL.iter().any(|t| t.kind() == kind));
        let drawn = |name: &str| name.trim_end_matches("/compressed").ends_with(OVERLAY);
        let published = |name: &str| node.get_publishers_info_by_topic(name, false).is_ok_and(|all| !all.is_empty());
        let mut names: Vec<String> = topics
            .into_iter()
            .filter(|(name, types)| carries(types) && !drawn(name) && *name != self.names().0 && published(name))
            .map(|(name, _)| name)
            .collect();
        names.sort();
        names
    }
}

/// The calibration in a message; `None` where the camera says that it has none.
pub(super) fn calibration(message: CameraInfo, rectified: bool) -> Option<observer::CameraInfo> {
    let k: [f64; 9] = message.k.as_slice().try_into().ok()?;
    let p = message.p.as_slice().try_into().ok()?;
    let roi = &message.roi;
    (k != [0.0; 9]).then_some(observer::CameraInfo {
        width: message.width,
        height: message.height,
        k,
        distortion_model: message.distortion_model,
        d: message.d,
        p,
        rectified,
        binning: [message.binning_x, message.binning_y],
        roi: [roi.x_offset, roi.y_offset, roi.width, roi.height],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_uncalibrated_camera_is_none() {
        let (k, p) = (vec![0.0; 9], vec![0.0; 12]);
        let mut message = CameraInfo { width: 640, height: 480, k, p, ..CameraInfo::default() };
        assert_eq!(calibration(message.clone(), false), None);
        message.k = vec![500.0, 0.0, 320.0, 0.0, 500.0, 240.0, 0.0, 0.0, 1.0];
        (message.binning_x, message.binning_y, message.roi.height, message.roi.width) = (2, 1, 200, 300);
        let info = calibration(message, true).unwrap();
        assert_eq!((info.k[2], info.rectified, info.binning, info.roi), (320.0, true, [2, 1], [0, 0, 300, 200]));
    }
}
