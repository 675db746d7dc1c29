//! A game with somebody who is not at the board: the moves of one side go from our board to a server, those of the other side
//! come back.
//! Knows no vision and no ROS. The server's words are those of Lichess's Board API.
//!
//! | file | what |
//! | --- | --- |
//! | [`words`] | what the server says |
//! | [`player`] | what is to be sent, shown or asked, from what server and board say |
//! | [`token`] | the secret that opens the account |
//! | [`client`] | HTTP with TLS; streams that come back by themselves |
//! | [`broadcast`] | the games of a round, brought to a broadcast |
//! | [`engine`] | an engine on this machine |
//! | `streams` | streams that come back by themselves |
//! | [`asks`] | what people ask the table for, and what it tells them |
//! | [`table`] | plays: brings server, board and player together |

pub mod asks;
pub mod broadcast;
pub mod client;
pub mod engine;
pub mod player;
mod streams;
pub mod table;
pub mod token;
pub mod words;
