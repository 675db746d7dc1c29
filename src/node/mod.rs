//! The observer as a ROS 2 node: parameters, topics, services, diagnostics, tf. Knows no vision.
//!
//! Three threads share the work, so that nothing waits for pictures being examined:
//!
//! | thread | owns | does |
//! | --- | --- | --- |
//! | spin | the r2r node | takes messages from the middleware, hands them to streams |
//! | tokio | parameters | answers parameter services, puts pictures and requests into the [`inbox`] |
//! | [`actor`] | the [`Observer`](crate::observer::Observer), the publishers | examines the newest picture, carries out requests, publishes |
//!
//! Two further threads write the PGN file ([`disk`]) and the board's place ([`calibration_file`]), because a disk can be
//! slow. A move is told when it is saved, or when the disk has had its time. The main thread watches that the others work
//! ([`watchdog`]); what it finds is published at 1 Hz ([`diagnostics`]) by one more, which may wait for the middleware.
//!
//! The observer of [Go](go) lives the same life: what both share knows its actor as an [`Owner`](owner::Owner).

pub(crate) mod actor;
pub(crate) mod arguments;
pub(crate) mod awaited;
#[cfg(feature = "online")]
pub mod broadcast;
pub(crate) mod calibration_file;
pub(crate) mod clock;
pub(crate) mod diagnostics;
pub(crate) mod disk;
#[cfg(feature = "display")]
pub mod display;
#[cfg(feature = "online")]
pub mod engine;
pub(crate) mod game_file;
pub mod go;
pub(crate) mod help;
pub(crate) mod inbox;
pub(crate) mod input;
mod level;
#[cfg(feature = "online")]
pub mod lichess;
mod life;
pub(crate) mod lifecycle;
pub(crate) mod log;
pub(crate) mod logger_levels;
pub(crate) mod markers;
pub(crate) mod messages;
#[cfg(feature = "online")]
mod opponent;
pub(crate) mod outputs;
pub(crate) mod owner;
pub(crate) mod parameters;
pub(crate) mod picture;
mod program;
pub(crate) mod record;
pub mod run;
pub(crate) mod services;
pub mod simulator;
pub(crate) mod status;
pub(crate) mod systemd;
pub(crate) mod viewing;
pub(crate) mod watchdog;
pub(crate) mod words;
