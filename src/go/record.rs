//! Games as SGF: what the nodes of a file mean, and how a game is written.

use std::{collections::HashMap, sync::Arc};

use super::{
    Board, Color, Content, Fault, Moment, Play, Point, Rules, Size,
    sgf::{Node, Sgf, SgfError, escape, simple_text, text},
};

/// What a record says beside the plays; empty means unknown.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Info {
    /// Black's name.
    pub black: String,
    /// White's name.
    pub white: String,
    /// Name of the event.
    pub event: String,
    /// Its round.
    pub round: String,
    /// Where.
    pub place: String,
    /// When: `2026-11-23`.
    pub date: String,
    /// As SGF writes it: `B+3.5`, `W+R`.
    pub result: String,
    /// The rules.
    pub rules: Rules,
    /// White's points for playing second; `None`: unknown.
    pub komi: Option<f64>,
    /// Stones of the handicap; 0 without one.
    pub handicap: usize,
}

/// A game that was read from SGF: its main line.
#[derive(Debug, Clone)]
pub struct Record {
    /// What it says beside the plays.
    pub info: Info,
    /// Where the main line ends.
    pub end: Arc<Moment>,
}

/// Why a file holds no game that can be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// It is no SGF.
    #[error(transparent)]
    Sgf(#[from] SgfError),
    /// There are fewer games in it.
    #[error("there is no game {asked}, the file holds {held}")]
    NoGame {
        /// Number that was asked for, from 1.
        asked: usize,
        /// Games in the file.
        held: usize,
    },
    /// Another game than Go.
    #[error("expected a game of Go, GM[1], got GM[{0}]")]
    OtherGame(String),
    /// A board that nobody plays Go on.
    #[error("expected SZ[5] to SZ[25], got SZ[{0}]")]
    Size(String),
    /// A crossing that the board does not have.
    #[error("after play {after}: {name}[{value}] is no crossing of a {size} board")]
    Point {
        /// Plays before it.
        after: usize,
        /// The property.
        name: String,
        /// Its value.
        value: String,
        /// The board.
        size: Size,
    },
    /// A stone on a stone.
    #[error("play {number}, {} {point}: {}", color.name(), Fault::Occupied)]
    Occupied {
        /// Number of the play, from 1.
        number: usize,
        /// Who.
        color: Color,
        /// Where, as players name it.
        point: String,
    },
}

impl Record {
    /// Reads the main line of a file's first game.
    ///
    /// Plays against the rules are taken as they stand, and say so in their [`Play`].
    ///
    /// # Errors
    /// No SGF, no Go, a size that no board has, crossings beside the board, stones on stones.
    pub fn read(bytes: &[u8]) -> Result<Self, RecordError> {
        Self::of(&Sgf::read(bytes)?, 1)
    }

    /// The same of game `number` of a file, from 1.
    ///
    /// # Errors
    /// As [`read`](Self::read), and where there is no such game.
    pub fn of(sgf: &Sgf, number: usize) -> Result<Self, RecordError> {
        let none = || RecordError::NoGame { asked: number, held: sgf.games().len() };
        let first = *sgf.games().get(number.wrapping_sub(1)).ok_or_else(none)?;
        let root = sgf.node(first).ok_or_else(none)?;
        if let Some(other) = root.value("GM").map(simple_text).filter(|gm| gm != "1" && !gm.is_empty()) {
            return Err(RecordError::OtherGame(shown(&other)));
        }
        let (size, info) = (size(root)?, info(root));
        let mut board = Board::empty(size);
        lay(root, &mut board, 0)?;
        let to_play = first_player(sgf, first, &board, info.handicap);
        let mut moment = Moment::start(board, to_play);
        for (index, node) in sgf.main_line(first).enumerate() {
            moment = follow(&moment, node, index == 0, &info.rules)?;
        }
        Ok(Self { info, end: moment })
    }

    /// Reads a file's first game with its comments and its variations.
    ///
    /// # Errors
    /// As [`read`](Self::read), for the variations as well.
    pub(crate) fn with_notes(bytes: &[u8]) -> Result<(Self, Notes), RecordError> {
        let sgf = Sgf::read(bytes)?;
        let record = Self::of(&sgf, 1)?;
        let (mut notes, mut open) = (Notes::default(), Vec::new());
        if let (Some(&first), Some(start)) = (sgf.games().first(), record.line().first()) {
            open.push((first, start.clone()));
        }
        while let Some((number, before)) = open.pop() {
            let Some(node) = sgf.node(number) else { continue };
            let now = follow(&before, node, node.parent.is_none(), &record.info.rules)?;
            let comment = comment(node);
            if !comment.is_empty() {
                notes.comments.insert(now.path(), comment);
            }
            if node.children.is_empty() && now.path() != record.end.path() {
                notes.withdrawn.push(now.clone());
            }
            // The last one is taken first: so the variations keep their order.
            open.extend(node.children.iter().rev().map(|child| (*child, now.clone())));
        }
        Ok((record, notes))
    }

    /// The moments from the beginning to the end.
    #[must_use]
    pub fn line(&self) -> Vec<Arc<Moment>> {
        self.end.line()
    }

    /// The plays, first to last.
    #[must_use]
    pub fn plays(&self) -> Vec<Play> {
        self.line().iter().filter_map(|m| m.last()).collect()
    }
}

fn size(root: &Node) -> Result<Size, RecordError> {
    let Some(value) = root.value("SZ") else { return Ok(Size::USUAL) };
    let lines = match value.split_once(':') {
        Some((columns, rows)) if columns.trim() == rows.trim() => columns,
        Some(_) => "",
        None => value,
    };
    let size = lines.trim().parse().ok().and_then(|lines| Size::new(lines).ok());
    size.ok_or_else(|| RecordError::Size(shown(value)))
}

/// The beginning of a value, on one line.
fn shown(value: &str) -> String {
    value.chars().take(20).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn info(root: &Node) -> Info {
    let value = |name: &str| root.value(name).map(simple_text).unwrap_or_default();
    Info {
        black: value("PB"),
        white: value("PW"),
        event: value("EV"),
        round: value("RO"),
        place: value("PC"),
        date: value("DT"),
        result: value("RE"),
        rules: Rules::named(&value("RU")).unwrap_or_default(),
        komi: value("KM").parse().ok().filter(|k: &f64| k.is_finite()),
        handicap: value("HA").parse().unwrap_or(0),
    }
}

/// Who begins: as `PL` says, or whoever plays first, or White after a handicap.
fn first_player(sgf: &Sgf, first: usize, board: &Board, handicap: usize) -> Color {
    let said = sgf.node(first).and_then(|root| root.value("PL")).and_then(color);
    let mut nodes = sgf.main_line(first);
    said.or_else(|| {
        nodes.find_map(|n| match (n.value("B"), n.value("W")) {
            (Some(_), _) => Some(Color::Black),
            (None, Some(_)) => Some(Color::White),
            (None, None) => None,
        })
    })
    .unwrap_or(if handicap > 1 || (board.count(Color::Black) > 1 && board.count(Color::White) == 0) {
        Color::White
    } else {
        Color::Black
    })
}

fn color(value: &str) -> Option<Color> {
    match value.trim().chars().next()? {
        'B' | 'b' | '1' => Some(Color::Black),
        'W' | 'w' | '2' => Some(Color::White),
        _ => None,
    }
}

/// Puts the stones on the board that a node lays out. True where it does so.
fn lay(node: &Node, board: &mut Board, after: usize) -> Result<bool, RecordError> {
    let mut laid = false;
    for (name, content) in [("AE", Content::Empty), ("AB", Content::Black), ("AW", Content::White)] {
        for value in node.values(name).unwrap_or_default() {
            let points = rectangle(value, board.size()).ok_or_else(|| wrong(after, name, value, board.size()))?;
            points.for_each(|p| board.set(p, content));
            laid = true;
        }
    }
    Ok(laid)
}

fn wrong(after: usize, name: &str, value: &str, size: Size) -> RecordError {
    RecordError::Point { after, name: name.to_owned(), value: shown(value), size }
}

/// `ab`, or `aa:cc` for all between these corners.
fn rectangle(value: &str, size: Size) -> Option<impl Iterator<Item = Point>> {
    let (from, to) = value.split_once(':').unwrap_or((value, value));
    let (from, to) = (point(from, size)?, point(to, size)?);
    let rows = from.y.min(to.y)..=from.y.max(to.y);
    Some(rows.flat_map(move |y| (from.x.min(to.x)..=from.x.max(to.x)).map(move |x| Point::new(x, y))))
}

/// A crossing in two letters.
fn point(value: &str, size: Size) -> Option<Point> {
    let &[x, y] = value.trim().as_bytes() else { return None };
    let line = |b: u8| b.is_ascii_lowercase().then(|| b - b'a');
    Some(Point::new(line(x)?, line(y)?)).filter(|&p| size.has(p))
}

/// A crossing as two letters.
fn letters(point: Point) -> String {
    [point.x, point.y].map(|line| char::from(b'a' + line)).iter().collect()
}

/// The moment after a node: what it lays out, then what it plays.
fn follow(moment: &Arc<Moment>, node: &Node, first: bool, rules: &Rules) -> Result<Arc<Moment>, RecordError> {
    let mut now = moment.clone();
    let size = now.board().size();
    if !first {
        let mut board = now.board().clone();
        let laid = lay(node, &mut board, now.number())?;
        let said = node.value("PL").and_then(color);
        if laid || said.is_some_and(|c| c != now.to_play()) {
            now = now.laid(board, said.unwrap_or(now.to_play()));
        }
    }
    for (name, color) in [("B", Color::Black), ("W", Color::White)] {
        let Some(value) = node.value(name) else { continue };
        // Where the last line is `s` at most, `tt` is a pass as well.
        let pass = value.trim().is_empty() || (value.trim() == "tt" && size.lines() <= 19);
        if pass {
            now = if now.to_play() == color { now } else { now.laid(now.board().clone(), color) }.pass();
            continue;
        }
        let at = point(value, size).ok_or_else(|| wrong(now.number(), name, value, size))?;
        now = now.force(at, color, rules).ok_or_else(|| RecordError::Occupied {
            number: now.number() + 1,
            color,
            point: at.name(size),
        })?;
    }
    Ok(now)
}

/// What is written with a game: comments by [`Moment::path`], and lines that were taken back, as variations.
#[derive(Debug, Clone, Default)]
pub struct Notes {
    /// Comments.
    pub comments: HashMap<u64, String>,
    /// Where lines end that no longer count.
    pub withdrawn: Vec<Arc<Moment>>,
}

/// Writes a game, and with it what no longer counts as variations.
#[must_use]
pub fn write(info: &Info, end: &Arc<Moment>, notes: &Notes) -> Sgf {
    let mut sgf = Sgf::default();
    let mut known: HashMap<u64, usize> = HashMap::new();
    // What was taken back at the end has nothing beside it yet: as the first way on it would be read as played.
    let goes_on = |last: &&Arc<Moment>| last.back().any(|m| m.path() == end.path());
    for last in std::iter::once(end).chain(notes.withdrawn.iter().filter(|last| !goes_on(last))) {
        let mut parent = None;
        for moment in last.line() {
            if let Some(&node) = known.get(&moment.path()) {
                parent = Some(node);
                continue;
            }
            let node = sgf.add(parent);
            known.insert(moment.path(), node);
            match moment.before() {
                None => write_root(&mut sgf, node, info, &moment),
                Some(before) => write_moment(&mut sgf, node, before, &moment),
            }
            if let Some(comment) = notes.comments.get(&moment.path()).filter(|c| !c.is_empty()) {
                sgf.put(node, "C", escape(comment));
            }
            parent = Some(node);
        }
    }
    sgf
}

fn write_root(sgf: &mut Sgf, node: usize, info: &Info, start: &Moment) {
    let mut put = |name: &str, value: &str| {
        if !value.trim().is_empty() {
            sgf.put(node, name, escape(value.trim()).replace('\n', " "));
        }
    };
    let size = start.board().size();
    put("GM", "1");
    put("FF", "4");
    put("CA", "UTF-8");
    put("AP", concat!("chess_observer:", env!("CARGO_PKG_VERSION")));
    put("SZ", &size.lines().to_string());
    put("RU", info.rules.name);
    put("KM", &info.komi.map(|k| k.to_string()).unwrap_or_default());
    put("HA", &if info.handicap > 1 { info.handicap.to_string() } else { String::new() });
    put("EV", &info.event);
    put("RO", &info.round);
    put("PC", &info.place);
    put("DT", &info.date);
    put("PB", &info.black);
    put("PW", &info.white);
    put("RE", &info.result);
    for (point, color) in start.board().stones() {
        sgf.put(node, if color == Color::Black { "AB" } else { "AW" }, letters(point));
    }
    if start.board().stones().next().is_some() || start.to_play() == Color::White {
        sgf.put(node, "PL", if start.to_play() == Color::Black { "B" } else { "W" });
    }
}

fn write_moment(sgf: &mut Sgf, node: usize, before: &Moment, moment: &Moment) {
    let letter = |color: Color| if color == Color::Black { "B" } else { "W" };
    if let Some(play) = moment.last() {
        sgf.put(node, letter(play.color), play.at.map(letters).unwrap_or_default());
        if matches!(play.fault, Some(Fault::Ko | Fault::Repeats | Fault::Suicide)) {
            sgf.put(node, "KO", "");
        }
        return;
    }
    for point in before.board().differences(moment.board()) {
        let name = match moment.board().at(point) {
            Content::Empty => "AE",
            Content::Black => "AB",
            Content::White => "AW",
        };
        sgf.put(node, name, letters(point));
    }
    sgf.put(node, "PL", letter(moment.to_play()));
}

/// The comment of a node as text; empty where there is none.
#[must_use]
pub fn comment(node: &Node) -> String {
    node.value("C").map(text).unwrap_or_default()
}

#[cfg(test)]
mod tests;
