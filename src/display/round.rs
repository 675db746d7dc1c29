//! The games of a round as PGN for others: who plays, and how much of it may be told already.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use super::{
    Hall,
    players::{Players, Seat},
    record::Record,
};
use crate::game::excerpt::excerpt;

/// How far behind the boards the games are told, so that nobody is helped from outside. A game that is over is told whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Delay {
    /// Plies that are held back.
    pub plies: usize,
    /// How long a ply is held back.
    pub time: Duration,
}

impl Delay {
    /// How many plies of a game are told at `now`.
    fn told(self, record: &Record, now: Instant) -> usize {
        let plies = record.heard.len();
        if record.is_over() {
            return plies;
        }
        let old_enough = |at: &&Instant| now.saturating_duration_since(**at) >= self.time;
        record.heard[..plies.saturating_sub(self.plies)].iter().take_while(old_enough).count()
    }
}

/// A game as it was last written.
struct Written {
    /// What it was written from.
    from: (Option<Arc<Record>>, usize, u64),
    text: Arc<str>,
}

/// The games of a round. Cheap to share.
#[derive(Clone)]
pub struct Round {
    hall: Hall,
    delay: Delay,
    /// Who plays, and how often that was told.
    players: Arc<Mutex<(Arc<Players>, u64)>>,
    written: Arc<Mutex<BTreeMap<String, Written>>>,
}

impl std::fmt::Debug for Round {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Round").field("delay", &self.delay).finish_non_exhaustive()
    }
}

impl Round {
    /// The games of these boards, told so late.
    #[must_use]
    pub fn new(hall: Hall, delay: Delay) -> Self {
        Self { hall, delay, players: Arc::default(), written: Arc::default() }
    }

    /// From now on these play.
    pub fn set_players(&self, players: Players) {
        let mut known = self.players.lock().unwrap_or_else(PoisonError::into_inner);
        *known = (Arc::new(players), known.1 + 1);
    }

    fn written(&self) -> MutexGuard<'_, BTreeMap<String, Written>> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The boards of the round in order: those of the players file, else all, by name and number.
    fn seats(&self) -> (Vec<Seat>, Arc<Players>, u64) {
        let (players, times) = self.players.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if !players.boards.is_empty() {
            return (players.boards.clone(), players, times);
        }
        let mut ids: Vec<_> = self.hall.chess_names().into_iter().map(|(id, _)| id).collect();
        ids.sort_by_cached_key(|id| by_number(id));
        let seat = |(index, id): (usize, String)| {
            let number = u32::try_from(index + 1).ok();
            Seat { name: if id == "the-board" { String::new() } else { id }, number, ..Seat::default() }
        };
        (ids.into_iter().enumerate().map(seat).collect(), players, times)
    }

    /// All games, an empty line between them, those of boards that have not been seen yet without moves: order and names stay
    /// what they are while a round is played.
    #[must_use]
    pub fn games(&self, now: Instant) -> String {
        let (seats, players, times) = self.seats();
        let games: Vec<_> = seats.iter().map(|seat| self.game(seat, &players, times, now)).collect();
        games.join("\n")
    }

    /// The game of one board, by its number or its name in addresses; `None` where the round has no such board.
    #[must_use]
    pub fn board(&self, which: &str, now: Instant) -> Option<String> {
        let (seats, players, times) = self.seats();
        let numbered = |seat: &&Seat| seat.number.is_some_and(|number| number.to_string() == which);
        let seat = seats.iter().find(numbered).or_else(|| seats.iter().find(|seat| seat.id() == which))?;
        Some(self.game(seat, &players, times, now).to_string())
    }

    fn game(&self, seat: &Seat, players: &Players, times: u64, now: Instant) -> Arc<str> {
        let id = seat.id();
        let record = self.hall.record(&id);
        let told = record.as_ref().map_or(0, |record| self.delay.told(record, now));
        let mut written = self.written();
        let same = |w: &&Written| {
            let (of, plies, of_times) = &w.from;
            let same_record = match (of, &record) {
                (Some(a), Some(b)) => Arc::ptr_eq(a, b),
                (a, b) => a.is_none() && b.is_none(),
            };
            same_record && (*plies, *of_times) == (told, times)
        };
        // The number of a board may change when others come.
        let key = format!("{} {id}", seat.number.unwrap_or_default());
        if let Some(known) = written.get(&key).filter(same) {
            return Arc::clone(&known.text);
        }
        let text: Arc<str> = write(record.as_deref(), told, seat, players).into();
        written.retain(|_, w| w.from.2 == times);
        written.insert(key, Written { from: (record, told, times), text: Arc::clone(&text) });
        text
    }
}

/// `board_10` after `board_9`: the text before the last number, then the number.
pub(crate) fn by_number(id: &str) -> (String, u64, String) {
    let digits = id.len() - id.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (text, number) = id.split_at(id.len() - digits);
    (text.to_owned(), number.parse().unwrap_or(0), id.to_owned())
}

/// A game for others.
fn write(record: Option<&Record>, plies: usize, seat: &Seat, players: &Players) -> String {
    let result = record.filter(|record| record.heard.len() == plies).map_or("*", |record| record.game.result.as_str());
    let mut headers: Vec<(String, String)> =
        ["Event", "Site", "Date", "Round", "White", "Black"].map(|name| (name.into(), "?".into())).into();
    headers[2].1 = "????.??.??".into();
    headers.push(("Result".into(), result.into()));
    let mut set = |name: &str, value: String| match headers.iter_mut().find(|(known, _)| known == name) {
        Some((_, old)) => *old = value,
        None => headers.push((name.into(), value)),
    };
    // The record's own first, what the players file says over it.
    for (name, value) in record.iter().flat_map(|record| &record.game.headers).filter(|(name, _)| name != "Result") {
        set(name, value.clone());
    }
    let common =
        [("Event", &players.event), ("Site", &players.site), ("Date", &players.date), ("Round", &players.round)];
    for (name, value) in common {
        value.iter().for_each(|value| set(name, value.clone()));
    }
    for (name, value) in seat.white.headers("White").into_iter().chain(seat.black.headers("Black")) {
        set(&name, value);
    }
    seat.number.iter().for_each(|number| set("Board", number.to_string()));
    players.headers.iter().for_each(|(name, value)| set(name, value.clone()));
    let nothing = crate::game::pgn_in::GameText::default();
    excerpt(record.map_or(&nothing, |record| &record.game), &headers, plies, result)
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use pgn_reader::{RawTag, SanPlus};
    use shakmaty::{Chess, Position as _};

    use super::*;
    use crate::{display::words::Word, game::pgn_in::read_games};

    fn hall(games: &[(&str, &str)]) -> Hall {
        let hall = Hall::default();
        for (id, pgn) in games {
            hall.open(id, id);
            hall.tell(id, [Word::Game((*pgn).into())]);
        }
        hall
    }

    #[test]
    fn all_games_stand_in_order_with_board_and_result() {
        let hall = hall(&[
            ("board_10", "[White \"J\"]\n\n1. d4 *\n"),
            ("board_2", "[White \"B\"]\n[Result \"1-0\"]\n\n1. e4 {12.0 % sure} e5 1-0\n"),
        ]);
        hall.open("board_1", "board_1");
        let text = Round::new(hall, Delay::default()).games(Instant::now());
        let games: Vec<_> = read_games(&text).into_iter().map(Result::unwrap).collect();
        let told: Vec<_> = games
            .iter()
            .map(|g| (g.header("Board").unwrap(), g.header("White").unwrap(), g.moves.len(), g.result.as_str()))
            .collect();
        assert_eq!(told, [("1", "?", 0, "*"), ("2", "B", 2, "1-0"), ("3", "J", 1, "*")]);
        assert!(!text.contains("sure"));
        assert!(text.starts_with("[Event \"?\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[White \"?\"]\n"));
    }

    #[test]
    fn the_players_file_names_players_and_boards() {
        let round = Round::new(hall(&[("a", "[White \"x\"]\n\n1. e4 *\n"), ("guest", "1. c4 *\n")]), Delay::default());
        let players = "event = \"Open\"\n[headers]\nTimeControl = \"5400+30\"\n[[board]]\nname = \"late\"\nnumber = 2\n\
                       [[board]]\nname = \"/a\"\nnumber = 1\nwhite = { name = \"Lovelace, Ada\", rating = 2100 }\n";
        round.set_players(Players::read(players).unwrap());
        let now = Instant::now();
        let games: Vec<_> = read_games(&round.games(now)).into_iter().map(Result::unwrap).collect();
        assert_eq!(games.len(), 2);
        for (name, value) in [
            ("White", "Lovelace, Ada"),
            ("WhiteElo", "2100"),
            ("Event", "Open"),
            ("Board", "1"),
            ("TimeControl", "5400+30"),
        ] {
            assert_eq!(games[0].header(name), Some(value));
        }
        assert_eq!((games[0].moves.len(), games[1].moves.len(), games[1].header("Board")), (1, 0, Some("2")));
        assert_eq!(round.board("1", now), round.board("a", now));
        assert!(
            round.board("2", now).is_some() && round.board("guest", now).is_none() && round.board("3", now).is_none()
        );
    }

    #[test]
    fn moves_are_held_back_until_the_game_is_over() {
        let hall = hall(&[("a", "1. e4 e5 2. Nf3 Nc6 3. Bb5 *\n")]);
        let delayed = |plies, seconds| Delay { plies, time: Duration::from_secs(seconds) };
        let told = |delay, at| {
            let text = Round::new(hall.clone(), delay).games(at);
            read_games(&text)[0].as_ref().unwrap().moves.len()
        };
        let now = Instant::now();
        let later = now + Duration::from_secs(60);
        for (delay, at, plies) in [
            (delayed(0, 0), now, 5),
            (delayed(4, 0), now, 1),
            (delayed(9, 0), now, 0),
            (delayed(1, 60), now, 0),
            (delayed(1, 60), later, 4),
        ] {
            assert_eq!(told(delay, at), plies, "{delay:?}");
        }
        hall.tell("a", [Word::Game("[Result \"0-1\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 0-1\n".into())]);
        assert_eq!(told(delayed(4, 600), now), 5);
    }

    #[test]
    fn a_game_is_written_once_for_many_readers() {
        let hall = hall(&[("a", "1. e4 *\n")]);
        let round = Round::new(hall.clone(), Delay::default());
        let now = Instant::now();
        let text = |round: &Round| {
            let _ = round.games(now);
            Arc::clone(&round.written().values().next().unwrap().text)
        };
        let first = text(&round);
        assert!(Arc::ptr_eq(&first, &text(&round)));
        hall.tell("a", [Word::Game("1. e4 e5 *\n".into())]);
        assert!(!Arc::ptr_eq(&first, &text(&round)) && round.written().len() == 1);
    }

    /// Counts moves and remembers names, as another program reads them.
    struct Other;

    impl pgn_reader::Visitor for Other {
        type Tags = Vec<(String, String)>;
        type Movetext = (Vec<(String, String)>, Chess, usize);
        type Output = (Vec<(String, String)>, usize);

        fn begin_tags(&mut self) -> ControlFlow<Self::Output, Self::Tags> {
            ControlFlow::Continue(Vec::new())
        }

        fn tag(&mut self, tags: &mut Self::Tags, name: &[u8], value: RawTag<'_>) -> ControlFlow<Self::Output> {
            let name = String::from_utf8(name.to_vec()).unwrap();
            tags.push((name, value.decode_utf8().unwrap().into_owned()));
            ControlFlow::Continue(())
        }

        fn begin_movetext(&mut self, tags: Self::Tags) -> ControlFlow<Self::Output, Self::Movetext> {
            ControlFlow::Continue((tags, Chess::default(), 0))
        }

        fn san(&mut self, moves: &mut Self::Movetext, san: SanPlus) -> ControlFlow<Self::Output> {
            let mv = san.san.to_move(&moves.1).unwrap();
            moves.1.play_unchecked(mv);
            moves.2 += 1;
            ControlFlow::Continue(())
        }

        fn end_game(&mut self, (tags, _, plies): Self::Movetext) -> Self::Output {
            (tags, plies)
        }
    }

    #[test]
    fn another_reader_finds_every_game_in_every_state() {
        let games: Vec<_> =
            read_games(include_str!("../../games/classics.pgn")).into_iter().flatten().take(6).collect();
        let hall = Hall::default();
        let round = Round::new(hall.clone(), Delay { plies: 2, ..Delay::default() });
        for number in 0..games.len() {
            hall.open(&format!("board_{number}"), "");
        }
        let longest = games.iter().map(|game| game.moves.len()).max().unwrap();
        for ply in 1..=longest {
            for (number, game) in games.iter().enumerate() {
                let plies = ply.min(game.moves.len());
                let result = if plies < game.moves.len() { "*" } else { game.result.as_str() };
                let headers = [("White", "\\ \"Ö\" ]"), ("Result", result)].map(|(a, b)| (a.into(), b.into()));
                hall.tell(&format!("board_{number}"), [Word::Game(excerpt(game, &headers, plies, result))]);
            }
            let text = round.games(Instant::now());
            let mut reader = pgn_reader::Reader::new(text.as_bytes());
            let read: Vec<_> = reader.read_games(&mut Other).map(Result::unwrap).collect();
            assert_eq!(read.len(), games.len());
            for (number, ((tags, plies), game)) in read.iter().zip(&games).enumerate() {
                let over = ply >= game.moves.len() && game.result != shakmaty::Outcome::Unknown;
                assert_eq!(*plies, if over { game.moves.len() } else { ply.min(game.moves.len()).saturating_sub(2) });
                let value = |name: &str| tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str());
                assert_eq!(value("Board"), Some((number + 1).to_string().as_str()));
                assert_eq!(value("Result"), Some(if over { game.result.as_str() } else { "*" }));
            }
        }
    }
}
