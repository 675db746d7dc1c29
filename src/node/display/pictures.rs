//! Pictures for pages: at most five a second, and only while somebody looks.

use std::time::Duration;

use futures::{Stream, StreamExt};
use image::codecs::jpeg::JpegEncoder;
use r2r::{Node, QosProfile, qos::ReliabilityPolicy};
use tokio::{
    runtime::Handle,
    task::JoinHandle,
    time::{Instant, interval},
};

use crate::{
    display::{Hall, hall::View},
    node::picture::{self, BadPicture, Picture},
};

/// Least time between two pictures of one board: five a second.
const PACE: Duration = Duration::from_millis(200);
/// How often somebody is asked whether he still looks, where no pictures come.
const STILL: Duration = Duration::from_millis(500);
/// Quality of the JPEG, 1 to 100: at 80 a picture of 1280×720 has some 150 KB, and grid lines stay sharp.
const QUALITY: u8 = 80;

/// Subscribes to `topic` and shows its pictures for as long as somebody looks. The subscription ends with the task.
pub(super) fn show(
    node: &mut Node,
    runtime: &Handle,
    hall: &Hall,
    board: &str,
    view: View,
    topic: &str,
) -> r2r::Result<JoinHandle<()>> {
    let (hall, board) = (hall.clone(), board.to_owned());
    let reliable = node.get_publishers_info_by_topic(topic, false).is_ok_and(|all| {
        !all.is_empty() && all.iter().all(|p| p.qos_profile.reliability == ReliabilityPolicy::Reliable)
    });
    let qos = QosProfile::sensor_data().keep_last(1);
    let qos = if reliable { qos.reliable() } else { qos };
    let pictures = picture::subscribe(node, topic, topic.ends_with("/compressed"), qos)?;
    Ok(runtime.spawn(pass_on(pictures, hall, board, view)))
}

async fn pass_on(
    mut pictures: impl Stream<Item = Result<Picture, BadPicture>> + Unpin,
    hall: Hall,
    board: String,
    view: View,
) {
    let mut still = interval(STILL);
    let mut shown: Option<Instant> = None;
    while hall.is_looked_at(&board, view) {
        let picture = tokio::select! {
            picture = pictures.next() => picture,
            _ = still.tick() => continue,
        };
        let Some(picture) = picture else { return };
        if shown.is_some_and(|then| then.elapsed() < PACE) {
            continue;
        }
        shown = Some(Instant::now());
        // A bad picture is the observer's to count and to report.
        let Ok(picture) = picture else { continue };
        if let Ok(Ok(jpeg)) = tokio::task::spawn_blocking(move || jpeg(&picture)).await {
            hall.show(&board, view, jpeg);
        }
    }
}

fn jpeg(picture: &Picture) -> Result<Vec<u8>, BadPicture> {
    // What is JPEG already need not become it.
    if let Some(jpeg) = picture.jpeg() {
        return Ok(jpeg.to_vec());
    }
    let encoded = picture.with_frame(|frame| {
        let mut out = Vec::new();
        JpegEncoder::new_with_quality(&mut out, QUALITY).encode_image(&frame.to_rgb()).map(|()| out)
    })?;
    encoded.map_err(|e| BadPicture::Decode(e.to_string()))
}
