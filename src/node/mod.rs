//! The observer as a ROS 2 node: parameters, topics, services, diagnostics, tf. Knows no vision.
//!
//! Three threads share the work, so that nothing waits for pictures being examined:
//!
//! | thread | owns | does |
//! | --- | --- | --- |
//! | spin | the r2r node | takes messages from the middleware, hands them to streams |
//! | tokio | parameters, diagnostics | answers parameter services, reports at 1 Hz, puts pictures and requests into the [`inbox`] |
//! | [`actor`] | the [`Observer`](crate::observer::Observer), the publishers | examines the newest picture, carries out requests, publishes |
//!
//! Two further threads write the PGN file ([`disk`]) and the board's place ([`calibration_file`]), because a disk can be
//! slow. A move is told when it is saved, or when the disk has had its time. The main thread watches that the others work
//! ([`watchdog`]).

pub mod actor;
pub mod arguments;
pub mod awaited;
#[cfg(feature = "online")]
pub mod broadcast;
pub mod calibration_file;
pub mod clock;
pub mod diagnostics;
pub mod disk;
#[cfg(feature = "display")]
pub mod display;
#[cfg(feature = "online")]
pub mod engine;
#[cfg(feature = "online")]
mod far;
pub mod go;
pub mod help;
pub mod inbox;
pub mod input;
#[cfg(feature = "online")]
pub mod lichess;
pub mod lifecycle;
pub mod log;
pub mod logger_levels;
pub mod markers;
pub mod messages;
pub mod outputs;
pub mod parameters;
pub mod pgn_file;
pub mod picture;
mod program;
pub mod run;
pub mod services;
pub mod simulator;
pub mod status;
pub mod systemd;
pub mod viewing;
pub mod watchdog;
pub mod words;
