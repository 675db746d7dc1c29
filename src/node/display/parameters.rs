//! What the display is told at its start.

use std::{
    net::{IpAddr, SocketAddr},
    time::Duration,
};

use r2r::RosParams;

use crate::{display::round::Delay, eboard::origin::Origins};

/// A port that is none: the listener is not wanted.
const NONE: i64 = -1;

/// All parameters of the node.
#[derive(RosParams, Debug, Clone)]
pub(super) struct Params {
    /// Namespaces of the boards to show, separated by spaces; empty shows all that can be seen.
    pub(super) boards: String,
    /// Address to listen on; 0.0.0.0 is every network of this machine.
    pub(super) address: String,
    /// Port to listen on, 0 to 65535; 0 takes a free one.
    pub(super) port: i64,
    /// Word that controlling needs, at least 8 signs; empty makes one by chance and prints it.
    pub(super) token: String,
    /// Folder in which the observers keep their looks (their archive_directory); empty shows none.
    pub(super) archive_directory: String,
    /// Follow /clock instead of the system's time; times on the pages are those of the pictures either way.
    pub(super) use_sim_time: bool,
    /// The games of the round as PGN.
    pub(super) pgn: PgnParams,
    /// The boards as electronic boards.
    pub(super) eboard: EboardParams,
}

/// The boards as electronic boards, for programs on this machine.
#[derive(RosParams, Debug, Clone)]
pub(super) struct EboardParams {
    /// Port of the listener for programs that take moves from electronic boards; they look at 1982. 0 takes a free one, -1 none.
    pub(super) port: i64,
    /// Address that it listens on; programs look at this machine alone.
    pub(super) address: String,
    /// Sites whose pages may listen as well, such as https://club.example, separated by spaces.
    pub(super) origins: String,
}

/// What others are told of the games.
#[derive(RosParams, Debug, Clone)]
pub(super) struct PgnParams {
    /// Port of a listener that has the games alone (/games.pgn, /boards/N.pgn), 0 to 65535; 0 takes a free one, -1 none.
    pub(super) port: i64,
    /// Address that it listens on; 0.0.0.0 is every network of this machine.
    pub(super) address: String,
    /// File that says who plays at which board (TOML); empty: as the boards say. It is read again when it changes.
    pub(super) players_file: String,
    /// Moves of both sides that are held back while a game goes on, 0 to 200.
    pub(super) delay_moves: i64,
    /// Minutes that every move is held back while a game goes on, 0 to 600.
    pub(super) delay_minutes: i64,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            boards: String::new(),
            address: "127.0.0.1".into(),
            port: 8080,
            token: String::new(),
            archive_directory: String::new(),
            use_sim_time: false,
            pgn: PgnParams::default(),
            eboard: EboardParams::default(),
        }
    }
}

impl Default for EboardParams {
    fn default() -> Self {
        Self { port: NONE, address: "127.0.0.1".into(), origins: String::new() }
    }
}

impl Default for PgnParams {
    fn default() -> Self {
        Self { port: NONE, address: "127.0.0.1".into(), players_file: String::new(), delay_moves: 0, delay_minutes: 0 }
    }
}

impl Params {
    /// Where the pages are.
    pub(super) fn listens_on(&self) -> Result<SocketAddr, String> {
        address("", &self.address, self.port)
    }
}

impl EboardParams {
    /// Where programs find the boards, if anywhere.
    pub(super) fn listens_on(&self) -> Result<Option<SocketAddr>, String> {
        wanted("eboard.", &self.address, self.port)
    }

    /// Whose pages may listen.
    pub(super) fn origins(&self) -> Result<Origins, String> {
        Origins::new(&self.origins).map_err(|e| format!("parameter eboard.origins: {e}"))
    }
}

impl PgnParams {
    /// Where the games alone are, if anywhere.
    pub(super) fn listens_on(&self) -> Result<Option<SocketAddr>, String> {
        wanted("pgn.", &self.address, self.port)
    }

    /// How late they are told.
    pub(super) fn delay(&self) -> Result<Delay, String> {
        let within = |name: &str, value: i64, most: u64| match u64::try_from(value) {
            Ok(value) if value <= most => Ok(value),
            _ => Err(format!("parameter pgn.{name}: expected a number from 0 to {most}, got {value}")),
        };
        let moves = within("delay_moves", self.delay_moves, 200)?;
        let minutes = within("delay_minutes", self.delay_minutes, 600)?;
        Ok(Delay { plies: 2 * usize::try_from(moves).unwrap_or(0), time: Duration::from_secs(60 * minutes) })
    }
}

/// The address of a listener that may not be wanted.
fn wanted(group: &str, ip: &str, port: i64) -> Result<Option<SocketAddr>, String> {
    if port == NONE { Ok(None) } else { address(group, ip, port).map(Some) }
}

fn address(group: &str, ip: &str, port: i64) -> Result<SocketAddr, String> {
    let ip: IpAddr = ip.parse().map_err(|_| format!("parameter {group}address: expected an IP address, got {ip:?}"))?;
    let port = u16::try_from(port)
        .map_err(|_| format!("parameter {group}port: expected a number from 0 to 65535, got {port}"))?;
    Ok(SocketAddr::new(ip, port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_checked() {
        let with = |ip: &str, port| address("", ip, port);
        assert_eq!(with("127.0.0.1", 8080), Ok("127.0.0.1:8080".parse().unwrap()));
        assert_eq!(with("::1", 0), Ok("[::1]:0".parse().unwrap()));
        assert_eq!(with("tower", 80), Err("parameter address: expected an IP address, got \"tower\"".into()));
        assert_eq!(with("::1", 70_000), Err("parameter port: expected a number from 0 to 65535, got 70000".into()));
        assert_eq!(wanted("pgn.", "nowhere", NONE), Ok(None));
        assert_eq!(
            wanted("pgn.", "::1", -2),
            Err("parameter pgn.port: expected a number from 0 to 65535, got -2".into())
        );
    }

    #[test]
    fn a_move_is_two_plies_and_delays_have_bounds() {
        let delay =
            |delay_moves, delay_minutes| PgnParams { delay_moves, delay_minutes, ..PgnParams::default() }.delay();
        assert_eq!(delay(3, 15), Ok(Delay { plies: 6, time: Duration::from_secs(900) }));
        assert!(delay(-1, 0).unwrap_err().contains("delay_moves: expected a number from 0 to 200, got -1"));
        assert!(delay(0, 601).is_err());
    }
}
