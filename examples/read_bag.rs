//! Reads a recording and says what was played: a rosbag2 directory, a `.mcap` or `.db3` file, or a folder of pictures.
//!
//! ```sh
//! cargo run --release --example read_bag -- game.mcap [TOPIC]
//! ```
//!
//! Moves are printed as they are understood, and the whole game as PGN at the end. Nothing of ROS is needed. What cannot
//! be used goes to standard error. `chess_observer replay` does the same with many options.

use std::{env, error::Error, path::Path};

use chess_observer::{
    bag::{self, Item, Picture},
    event::Event,
    observer::{CameraInfo, Observer},
    params::Params,
};

/// Shows one picture to the observer.
fn look(observer: &mut Observer, picture: &Picture) -> Result<Vec<Event>, Box<dyn Error>> {
    let decoded = picture.decode()?;
    Ok(observer.observe(&decoded.frame()?, picture.stamp))
}

/// Prints what is new.
fn tell(event: &Event) {
    match event {
        Event::Move { ply, san, confidence, .. } => println!("ply {ply}: {san}, {:.1} % sure", 100.0 * confidence),
        Event::Revised { ply, was, san, .. } => println!("ply {ply}: {san} after all, not {was}"),
        Event::TakeBack { ply, .. } => println!("ply {ply}: taken back"),
        Event::NewGame { .. } => println!("a new game"),
        Event::Result { result, reason } => println!("{result}: {reason}"),
        // Warnings, and what became of the board, are sentences.
        other => other.sentence().into_iter().for_each(|text| println!("{text}")),
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let path = arguments.next().ok_or("usage: read_bag RECORDING [TOPIC]")?;
    let topic = arguments.next();
    let mut recording = bag::open(Path::new(&path), topic.as_deref())?;
    // The parameters of the node are the fields; `sight_stills` is for photographs, one after each move.
    let mut observer = Observer::new(&Params::default())?;
    while let Some(item) = recording.next_item()? {
        match item {
            Item::Picture(picture) => match look(&mut observer, &picture) {
                Ok(events) => events.iter().for_each(tell),
                Err(why) => eprintln!("picture {}: {why}", picture.index),
            },
            Item::CameraInfo { info, rectified } => {
                if let Err(why) = observer.set_camera_info(&CameraInfo::from_message(*info, rectified)) {
                    eprintln!("camera_info is not used: {why}");
                }
            }
            Item::Bad { reason: text, .. } | Item::Note(text) => eprintln!("{text}"),
        }
    }
    // Where a new game was set up on the board, those before it come first.
    let games = observer.finished().iter().cloned().chain([observer.pgn()]);
    games.for_each(|game| println!("\n{game}"));
    Ok(())
}
