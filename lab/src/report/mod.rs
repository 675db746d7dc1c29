//! The results as one page with plots, because people would rather look than read.
//!
//! [`Report::html`] is the whole page: style, plots (SVG) and pictures (JPEG) are in it, nothing is loaded from
//! elsewhere, and no clock is read, so that equal results give equal pages.
//!
//! | module | idea |
//! | --- | --- |
//! | `page` | headings, tables, lists of faults |
//! | [`bad`] | what is bad, the worst first |
//! | [`markdown`] | figures for the pages of the documentation |
//! | [`plots`] | curves, bars and grids as SVG |
//! | [`survival`] | how many games are still without a fault after so many plies? |
//! | [`picture`] | what the observer was shown |

pub mod bad;
pub mod markdown;
mod page;
pub mod picture;
pub mod plots;
pub mod survival;

pub use page::Report;
pub use picture::{Picture, pictures};

#[cfg(test)]
mod tests;
