//! How good was that? Runs the observer over recordings and simulations whose truth is known and counts what it got
//! right.
//!
//! | module | idea |
//! | --- | --- |
//! | [`truth`] | what was really played: `truth.pgn`, `events.csv`, corners |
//! | [`align`] | two lists of moves laid side by side |
//! | [`run`] | one recording, from its folder to its figures |
//! | [`simulated`] | one simulated game, from its story to its figures |
//! | [`score`] | the figures of one recording |
//! | [`cause`] | what went wrong at a fault |
//! | [`squares`] | what sight said of each square against what stands there |
//! | [`calibration`] | what was told against what came true |
//! | [`interval`] | a share with its confidence interval |
//! | [`latency`] | how long after a move was made was it told? |
//! | [`told`](mod@told) | every move as it was published, right or wrong |
//! | [`stalls`] | play that went by unread |
//! | [`counts`] | all that is counted of several recordings or games |
//! | [`protocol`] | ways in which one game may come before the observer |
//! | [`split`] | which recordings may be fitted on, and which only judge |
//! | [`singles`] | single pictures: is the board found? |
//! | [`go`] | games of Go on simulated boards |
//! | [`fit`] | the weights of trust, fitted to looks whose truth is known |
//! | [`judge`] | scores of what nobody has looked at |
//! | [`columns`] | columns of text |
//! | [`table`] | the figures of all, for people |
//! | [`experiments`] | the papers' experiments, on simulated boards |
//! | [`report`] | all of that as one page with plots |

pub mod align;
pub mod calibration;
pub mod cause;
pub mod columns;
pub mod condition;
pub mod counts;
pub mod experiments;
pub mod fit;
pub mod go;
pub mod interval;
pub mod judge;
pub mod latency;
pub mod protocol;
pub mod report;
pub mod run;
#[cfg(test)]
mod say;
pub mod score;
pub mod simulated;
pub mod singles;
pub mod split;
pub mod squares;
pub mod stalls;
pub mod table;
pub mod told;
pub mod truth;
