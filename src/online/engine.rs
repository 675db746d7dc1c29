//! An engine on this machine that speaks UCI (Universal Chess Interface): asked for one move at a time.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    time::{Duration, Instant},
};

use shakmaty::{Chess, EnPassantMode, Move, Position as _, fen::Fen, uci::UciMove};

use crate::game::pgn_in::GameText;

/// How long it may take to get ready, and to answer beyond the time that it was given.
const READY: Duration = Duration::from_secs(20);

/// A running engine. It is ended with this value.
#[derive(Debug)]
pub struct Engine {
    child: Child,
    to: ChildStdin,
    from: Receiver<String>,
}

impl Engine {
    /// Starts a program and sets its options: name and value.
    ///
    /// # Errors
    /// One line: it cannot be started, or does not speak UCI.
    pub fn start(program: &str, options: &[(String, String)]) -> Result<Self, String> {
        let mut child = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| format!("the engine {program} cannot be started: {e}"))?;
        let (Some(to), Some(out)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(format!("the engine {program} has no pipes"));
        };
        let (lines, from) = channel();
        std::thread::spawn(move || {
            // Ends with the engine, or with this value.
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                if lines.send(line).is_err() {
                    return;
                }
            }
        });
        let mut engine = Self { child, to, from };
        engine.say("uci")?;
        engine.wait_for("uciok", READY)?;
        for (name, value) in options {
            engine.say(&format!("setoption name {name} value {value}"))?;
        }
        engine.say("isready")?;
        engine.wait_for("readyok", READY)?;
        Ok(engine)
    }

    fn say(&mut self, text: &str) -> Result<(), String> {
        let told = writeln!(self.to, "{text}").and_then(|()| self.to.flush());
        told.map_err(|e| format!("the engine does not listen: {e}"))
    }

    /// Waits for a line that begins with `word`; returns the rest of it.
    fn wait_for(&self, word: &str, most: Duration) -> Result<String, String> {
        let end = Instant::now() + most;
        loop {
            match self.from.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(line) => {
                    let mut words = line.split_whitespace();
                    if words.next() == Some(word) {
                        return Ok(words.collect::<Vec<_>>().join(" "));
                    }
                }
                Err(RecvTimeoutError::Timeout) => return Err(format!("the engine has not said {word} in {most:?}")),
                Err(RecvTimeoutError::Disconnected) => return Err("the engine has ended".into()),
            }
        }
    }

    /// Asks for a move after the moves of `game`, which leads to `position`.
    ///
    /// # Errors
    /// One line: no answer in time, or none that is a legal move. The engine is then not to be used any more.
    pub fn think(&mut self, game: &GameText, position: &Chess, time: Duration) -> Result<Move, String> {
        let start = Fen::from_position(game.start.position(), EnPassantMode::Legal);
        let mut line = format!("position fen {start}");
        let ucis = game.ucis();
        if !ucis.is_empty() {
            line = format!("{line} moves {}", ucis.join(" "));
        }
        self.say(&line)?;
        self.say(&format!("go movetime {}", time.as_millis()))?;
        let answer = self.wait_for("bestmove", time + READY)?;
        let text = answer.split_whitespace().next().unwrap_or_default();
        let mv = text.parse::<UciMove>().ok().and_then(|uci| uci.to_move(position).ok());
        mv.filter(|mv| position.is_legal(*mv))
            .ok_or_else(|| format!("the engine plays {text:?}, which is no legal move there"))
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.say("quit");
        let end = Instant::now() + Duration::from_millis(300);
        while Instant::now() < end {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::pgn_in::read_games;
    use std::os::unix::fs::PermissionsExt as _;

    /// An engine in a few lines of shell, which answers `go` with this.
    fn engine(answer: &str) -> (tempfile::TempDir, String) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("engine");
        let script = format!(
            "#!/bin/sh\nwhile read word rest; do case $word in uci) echo id name x; echo uciok;; isready) echo readyok;; \
             go) echo info depth 1; {answer};; quit) exit;; esac; done\n"
        );
        std::fs::write(&path, script).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        let text = path.to_str().unwrap().to_owned();
        (folder, text)
    }

    fn think(answer: &str) -> Result<Move, String> {
        let (_folder, path) = engine(answer);
        let game = read_games("1. e4 *").remove(0).unwrap();
        let position = game.positions().pop().unwrap();
        Engine::start(&path, &[("Threads".into(), "1".into())])?.think(&game, &position, Duration::from_millis(1))
    }

    #[test]
    fn a_legal_move_is_taken_and_nothing_else() {
        assert_eq!(think("echo bestmove e7e5 ponder g1f3").unwrap().to_string(), "e7-e5");
        assert!(think("echo bestmove e2e4").unwrap_err().contains("\"e2e4\", which is no legal move"));
        assert!(think("echo bestmove '(none)'").unwrap_err().contains("no legal move"));
        assert_eq!(think("exit").unwrap_err(), "the engine has ended");
        assert!(Engine::start("/no/such/engine", &[]).unwrap_err().contains("cannot be started"));
        assert!(Engine::start("/bin/true", &[]).is_err());
    }
}
