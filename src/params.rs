//! The parameters of the observer and its node: one table that the ROS parameters, `params/observer.yaml`,
//! `chess_observer replay --params` and the documentation all come from. The observer of Go has a [table of its own](go).

pub mod file;
mod words;

use serde::{Deserialize, Serialize};

pub use self::words::{GameMode, Mirrored, StandingIllegal};

use crate::board::{
    corners::{Corners, GeometryError},
    geometry::ImagePoint,
};

/// A parameter's value, as ROS knows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// true or false.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number; whole numbers are accepted where this is expected.
    Double(f64),
    /// A word or path.
    Text(String),
    /// A list of numbers.
    Doubles(Vec<f64>),
}

/// What a parameter accepts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Accepts {
    /// true or false.
    Bool,
    /// A number from `min` to `max`.
    Double {
        /// Smallest.
        min: f64,
        /// Largest.
        max: f64,
    },
    /// A whole number from `min` to `max`.
    Int {
        /// Smallest.
        min: i64,
        /// Largest.
        max: i64,
    },
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// Any text.
    Text,
    /// Empty, or a path; `~`, `$NAME` and `${NAME}` in it are expanded.
    Path,
    /// Nothing, or the eight numbers x, y of the outer corners a1, h1, h8, a8.
    Corners,
    /// Nothing, or the eight numbers x, y of the crossings at the corners of a Go board.
    Crossings,
    /// Lines of a Go board, or 0.
    Lines,
    /// Empty, or a position in Forsyth-Edwards notation.
    Fen,
    /// Empty, or PGN headers as `Name=value; Name=value`.
    Headers,
}

/// One parameter: its name, what it accepts, and what to tell people.
#[derive(Debug, Clone, Copy)]
pub struct Spec {
    /// Name, dotted groups as in ROS.
    pub name: &'static str,
    /// What it accepts.
    pub accepts: Accepts,
    /// Unit, or empty.
    pub unit: &'static str,
    /// What it does, one line.
    pub about: &'static str,
    /// May it change while the node runs?
    pub live: bool,
}

/// Why a value was refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ParamError {
    /// No such parameter.
    #[error("unknown parameter {name:?}{}", .nearest.as_ref().map(|n| format!(": did you mean {n:?}?")).unwrap_or_default())]
    Unknown {
        /// The name as given.
        name: String,
        /// The most similar known name.
        nearest: Option<String>,
    },
    /// The value is of another type, or out of range.
    #[error("parameter {name}: expected {expected}, got {got}")]
    Refused {
        /// The parameter.
        name: &'static str,
        /// What it accepts.
        expected: String,
        /// What came.
        got: String,
    },
    /// Two values that contradict each other.
    #[error("parameter {low}: expected at most {high}, which is {most}, got {got}")]
    Order {
        /// The parameter that must not be above the other.
        low: &'static str,
        /// The other.
        high: &'static str,
        /// The other's value.
        most: f64,
        /// What came.
        got: f64,
    },
    /// Corners that do not run as those of a board in such pictures.
    #[error("parameter board.corners: {0}")]
    Corners(#[from] GeometryError),
}

/// A table of parameters, with a value for each.
pub trait Table: Clone + PartialEq + Default + std::fmt::Debug + Send + 'static {
    /// All parameters, in the order of the documentation.
    const SPECS: &'static [Spec];

    /// The value of the parameter `name`.
    fn get(&self, name: &str) -> Option<Value>;

    /// Sets the parameter `name`.
    ///
    /// # Errors
    /// When there is no such parameter, or it does not accept `value`: the text says what it does accept.
    fn set(&mut self, name: &str, value: &Value) -> Result<(), ParamError>;

    /// Do the values agree with each other? To be asked when all of them are set: one after another they may pass through
    /// what does not.
    ///
    /// # Errors
    /// When one is above another that it must not exceed.
    fn check(&self) -> Result<(), ParamError> {
        Ok(())
    }

    /// What the parameter called `name` is.
    ///
    /// # Errors
    /// When there is none; the error names the most similar one.
    fn spec(name: &str) -> Result<&'static Spec, ParamError> {
        Self::SPECS.iter().find(|s| s.name == name).ok_or_else(|| unknown(name, Self::SPECS.iter().map(|s| s.name)))
    }
}

macro_rules! params {
    ($check:path; $($(#[doc = $about:literal])+ $field:ident: $name:literal $ty:ty = $default:expr, $accepts:expr, $unit:literal, $live:literal;)+) => {
        /// Every parameter's value. [`Default`] is what the observer starts with.
        #[derive(Debug, Clone, PartialEq)]
        pub struct Params { $($(#[doc = $about])+ pub $field: $ty,)+ }

        impl Default for Params {
            fn default() -> Self { Self { $($field: $default.into(),)+ } }
        }

        /// All parameters, in the order of the documentation.
        pub const SPECS: &[Spec] = &[$(Spec { name: $name, accepts: $accepts, unit: $unit, about: concat!($($about),+), live: $live },)+];

        impl Params {
            /// The value of the parameter `name`.
            #[must_use]
            pub fn get(&self, name: &str) -> Option<Value> {
                match name { $($name => Some(self.$field.clone().into_value()),)+ _ => None }
            }

            /// Sets the parameter `name`.
            ///
            /// # Errors
            /// When there is no such parameter, or it does not accept `value`: the text says what it does accept.
            pub fn set(&mut self, name: &str, value: &Value) -> Result<(), ParamError> {
                let spec = <Self as Table>::spec(name)?;
                let value = check(spec, value)?;
                match name { $($name => if let Some(v) = <$ty as Field>::from_value(&value) { self.$field = v },)+ _ => {} }
                Ok(())
            }
        }

        impl Table for Params {
            const SPECS: &'static [Spec] = SPECS;

            fn get(&self, name: &str) -> Option<Value> {
                self.get(name)
            }

            fn set(&mut self, name: &str, value: &Value) -> Result<(), ParamError> {
                self.set(name, value)
            }

            fn check(&self) -> Result<(), ParamError> {
                $check(self)
            }
        }
    };
}

pub mod go;

params! {
    Self::check;
    /// Where pictures come from: raw is image_raw, compressed image_raw/compressed, auto image_raw where somebody publishes there, else the other.
    image_transport: "image_transport" String = "auto", Accepts::OneOf(&["auto", "raw", "compressed"]), "", false;
    /// Reliability asked of the camera: auto asks for reliable where every publisher offers it.
    image_reliability: "image_reliability" String = "auto", Accepts::OneOf(&["auto", "reliable", "best_effort"]), "", false;
    /// Folder for the PGN file, written after every move; it is made where it is missing. Empty writes none.
    pgn_directory: "pgn_directory" String = "", Accepts::Path, "", false;
    /// Let ~/save_pgn write to any absolute path; false keeps it to new files in pgn_directory.
    pgn_save_anywhere: "pgn_save_anywhere" bool = false, Accepts::Bool, "", false;
    /// With pictures coming and none examined for so long, the node ends, so that it is started again; 0 lets it hang.
    watchdog_s: "watchdog_s" f64 = 30.0, Accepts::Double { min: 0.0, max: 3600.0 }, "s", false;
    /// Folder in which looks are kept, a file a game: pictures, beliefs, what was told; empty keeps none.
    archive_directory: "archive_directory" String = "", Accepts::Path, "", false;
    /// Largest size of such a file: the oldest quiet looks go first.
    archive_max_mb: "archive_max_mb" i64 = 512, Accepts::Int { min: 16, max: 1_000_000 }, "MB", false;
    /// Folder with Syzygy tables, for the outcome of endings with more than three men; empty uses none.
    syzygy_directory: "syzygy_directory" String = "", Accepts::Path, "", false;
    /// Be a managed node: wait for ~/change_state to configure and to activate it before pictures are looked at.
    lifecycle: "lifecycle" bool = false, Accepts::Bool, "", false;
    /// Publish the board's frame on /tf: with camera_info, or where its estimate is good to 4 degrees and 6 %.
    publish_tf: "publish_tf" bool = true, Accepts::Bool, "", true;
    /// Name of the board's frame: origin at a1's outer corner, x towards h1, y towards a8, z up.
    board_frame: "board_frame" String = "chess_board", Accepts::Text, "", false;
    /// Side of one square.
    square_size_m: "square_size_m" f64 = 0.05, Accepts::Double { min: 0.005, max: 1.0 }, "m", true;
    /// Pictures examined a second at most; further ones are counted as skipped. 0 examines all.
    max_rate_hz: "max_rate_hz" f64 = 0.0, Accepts::Double { min: 0.0, max: 240.0 }, "Hz", true;
    /// Overlays drawn a second at most, while somebody looks at them. 0 draws one for every picture.
    overlay_max_rate_hz: "overlay_max_rate_hz" f64 = 10.0, Accepts::Double { min: 0.0, max: 240.0 }, "Hz", true;
    /// Outer corners a1, h1, h8, a8 as x, y in the picture; empty lets the observer find the board.
    board_corners: "board.corners" Vec<f64> = Vec::<f64>::new(), Accepts::Corners, "px", true;
    /// The pictures are mirror images, left and right exchanged, as some webcams send them: auto finds out by the board and its men.
    board_mirrored: "board.mirrored" Mirrored = Mirrored::Auto, Accepts::OneOf(Mirrored::WORDS), "", true;
    /// Where the board's place is kept for the next start: auto is a file named after the node in ~/.ros; empty keeps none.
    board_calibration_file: "board.calibration_file" String = "auto", Accepts::Path, "", false;
    /// Position that the game starts from; empty is the usual one.
    game_start_fen: "game.start_fen" String = "", Accepts::Fen, "", false;
    /// What ends a move: rest (automatic), ~/capture (manual), or whichever comes first (semi_automatic).
    game_mode: "game.mode" GameMode = GameMode::Automatic, Accepts::OneOf(GameMode::WORDS), "", true;
    /// PGN header: event.
    game_event: "game.event" String = "?", Accepts::Text, "", true;
    /// PGN header: site.
    game_site: "game.site" String = "?", Accepts::Text, "", true;
    /// PGN header: round.
    game_round: "game.round" String = "?", Accepts::Text, "", true;
    /// PGN header: White's name.
    game_white: "game.white" String = "?", Accepts::Text, "", true;
    /// PGN header: Black's name.
    game_black: "game.black" String = "?", Accepts::Text, "", true;
    /// Further PGN headers, as Name=value; Name=value.
    game_headers: "game.headers" String = "", Accepts::Headers, "", true;
    /// Note in the PGN how long each move took, as [%emt h:mm:ss], from the pictures' stamps.
    game_note_times: "game.note_times" bool = true, Accepts::Bool, "", true;
    /// Note in the PGN how sure a move is, where it is less sure than this; 0 notes none.
    game_note_doubt_below: "game.note_doubt_below" f64 = 0.9, Accepts::Double { min: 0.0, max: 1.0 }, "probability", true;
    /// Keep in the PGN, as comments, the plies that were taken back.
    game_note_withdrawn: "game.note_withdrawn" bool = false, Accepts::Bool, "", true;
    /// PGN file with the game that is to be played: the first difference is told. Empty follows none.
    game_follow_pgn: "game.follow_pgn" String = "", Accepts::Path, "", false;
    /// Which game of that file.
    game_follow_number: "game.follow_number" i64 = 1, Accepts::Int { min: 1, max: 1_000_000 }, "", false;
    /// Record a move of ~/expect_move of which something has hidden squares for so long, where nothing in sight speaks against it; 0 does not.
    game_expect_hidden_after_s: "game.expect_hidden_after_s" f64 = 0.0, Accepts::Double { min: 0.0, max: 600.0 }, "s", true;
    /// After a restart go on with the last game in pgn_directory, if it has no result and the board does not show a new one.
    game_resume: "game.resume" bool = true, Accepts::Bool, "", false;
    /// Least probability at which a move is announced.
    game_min_confidence: "game.min_confidence" f64 = 0.95, Accepts::Double { min: 0.5, max: 0.9999 }, "probability", true;
    /// Announce changes that no legal move explains.
    game_warn_illegal: "game.warn_illegal" bool = true, Accepts::Bool, "", true;
    /// What becomes of an illegal move that is answered: warn does no more than warn, accept goes on from there in a new record.
    game_on_standing_illegal: "game.on_standing_illegal" StandingIllegal = StandingIllegal::Warn, Accepts::OneOf(StandingIllegal::WORDS), "", true;
    /// How long a square must be at rest before it is read.
    sight_rest_s: "sight.rest_s" f64 = 0.3, Accepts::Double { min: 0.0, max: 10.0 }, "s", true;
    /// How long an unexplained position must be at rest before a warning is given.
    sight_warn_after_s: "sight.warn_after_s" f64 = 1.5, Accepts::Double { min: 0.0, max: 60.0 }, "s", true;
    /// Standard deviations of the noise from which a point has changed, at first: too many false changes raise it, too few lower it.
    sight_change_threshold: "sight.change_threshold" f64 = 4.0, Accepts::Double { min: 1.0, max: 20.0 }, "standard deviations", true;
    /// The lowest that it gets.
    sight_change_threshold_min: "sight.change_threshold_min" f64 = 2.5, Accepts::Double { min: 1.0, max: 20.0 }, "standard deviations", true;
    /// The highest that it gets.
    sight_change_threshold_max: "sight.change_threshold_max" f64 = 8.0, Accepts::Double { min: 1.0, max: 20.0 }, "standard deviations", true;
    /// Every picture is a separate look: there is no stillness between pictures to wait for.
    sight_stills: "sight.stills" bool = false, Accepts::Bool, "", false;
}

impl Params {
    /// Do the values agree with each other? To be asked when all of them are set: one after another they may pass through
    /// what does not.
    ///
    /// # Errors
    /// When one is above another that it must not exceed, or the corners run the wrong way round.
    pub fn check(&self) -> Result<(), ParamError> {
        if let Some(corners) = self.corners() {
            corners.of_hand(self.board_mirrored == Mirrored::Always)?;
        }
        let (got, most) = (self.sight_change_threshold_min, self.sight_change_threshold_max);
        if got > most {
            let (low, high) = ("sight.change_threshold_min", "sight.change_threshold_max");
            return Err(ParamError::Order { low, high, most, got });
        }
        Ok(())
    }

    /// The board's corners, where they are given.
    #[must_use]
    pub fn corners(&self) -> Option<Corners> {
        let c = <[f64; 8]>::try_from(self.board_corners.as_slice()).ok()?;
        Corners::of_either_hand(std::array::from_fn(|i| [c[2 * i], c[2 * i + 1]])).ok()
    }
}

/// A type that a parameter can have.
trait Field: Sized {
    fn into_value(self) -> Value;
    fn from_value(value: &Value) -> Option<Self>;
}

macro_rules! field {
    ($ty:ty, $variant:ident) => {
        impl Field for $ty {
            fn into_value(self) -> Value {
                Value::$variant(self)
            }
            fn from_value(value: &Value) -> Option<Self> {
                if let Value::$variant(v) = value { Some(v.clone()) } else { None }
            }
        }
    };
}
field!(bool, Bool);
field!(i64, Int);
field!(f64, Double);
field!(String, Text);
field!(Vec<f64>, Doubles);

/// The parameter called `name`.
///
/// # Errors
/// When there is none; the error names the most similar one.
pub fn spec(name: &str) -> Result<&'static Spec, ParamError> {
    <Params as Table>::spec(name)
}

/// The error for `name`, which is none of the names in `known`.
pub(crate) fn unknown<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> ParamError {
    ParamError::Unknown { name: name.chars().take(60).collect(), nearest: nearest(name, known).map(str::to_owned) }
}

/// The word of `known` that `name` may have been meant to be; `None` where it is like none of them.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|known| (edit_distance(known, name), known))
        .min()
        .filter(|(distance, known)| *distance <= known.len() / 2)
        .map(|(_, known)| known)
}

impl Spec {
    /// What the parameter accepts, in words.
    #[must_use]
    pub fn expected(&self) -> String {
        let unit = if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) };
        match self.accepts {
            Accepts::Bool => "true or false".into(),
            Accepts::Double { min, max } => format!("a number from {min} to {max}{unit}"),
            Accepts::Int { min, max } => format!("a whole number from {min} to {max}{unit}"),
            Accepts::OneOf(words) => format!("one of {}", words.join(", ")),
            Accepts::Text => "a text without control characters".into(),
            Accepts::Path => "a path, in which ~ and $NAME are expanded".into(),
            Accepts::Corners => "nothing, or 8 finite numbers x, y of the outer corners a1, h1, h8, a8 (px)".into(),
            Accepts::Crossings => {
                "nothing, or 8 finite numbers x, y of the crossings upper left, upper right, lower right, lower left (px)"
                    .into()
            }
            Accepts::Lines => "a whole number from 5 to 25, or 0".into(),
            Accepts::Fen => "nothing, or a legal position in FEN".into(),
            Accepts::Headers => "nothing, or PGN headers as Name=value; Name=value".into(),
        }
    }
}

fn check(spec: &'static Spec, value: &Value) -> Result<Value, ParamError> {
    accepted(spec.accepts, value).map_err(|why| ParamError::Refused {
        name: spec.name,
        expected: spec.expected(),
        got: match (value, why.as_str()) {
            (Value::Bool(v), _) => format!("{v}"),
            (Value::Int(v), _) => format!("{v}"),
            (Value::Double(v), _) => format!("{v}"),
            (Value::Text(v), "") => format!("{:?}", v.chars().take(80).collect::<String>()),
            (Value::Text(v), why) => format!("{:?} ({why})", v.chars().take(80).collect::<String>()),
            (Value::Doubles(v), "") => format!("{} numbers", v.len()),
            (Value::Doubles(v), why) => format!("{} numbers ({why})", v.len()),
        },
    })
}

/// The value as it is taken over.
///
/// # Errors
/// When it is not accepted: why, where there is more to say than what is expected.
fn accepted(accepts: Accepts, value: &Value) -> Result<Value, String> {
    match (accepts, value) {
        (Accepts::Bool, Value::Bool(_)) => Ok(value.clone()),
        (Accepts::Double { min, max }, Value::Double(v)) if (min..=max).contains(v) => Ok(value.clone()),
        (Accepts::Double { min, max }, Value::Int(v)) if (min..=max).contains(&(*v as f64)) => {
            Ok(Value::Double(*v as f64))
        }
        (Accepts::Int { min, max }, Value::Int(v)) if (min..=max).contains(v) => Ok(value.clone()),
        (Accepts::OneOf(words), Value::Text(v)) if words.contains(&v.as_str()) => Ok(value.clone()),
        // As YAML and the command line of ROS read these two words.
        (Accepts::OneOf(words), Value::Bool(v)) if words.contains(&v.to_string().as_str()) => {
            Ok(Value::Text(v.to_string()))
        }
        (Accepts::Text, Value::Text(v)) if !v.chars().any(char::is_control) => Ok(value.clone()),
        (Accepts::Path, Value::Text(v)) if !v.chars().any(char::is_control) => {
            crate::files::expanded(v).map(Value::Text).map_err(|e| e.to_string())
        }
        (Accepts::Corners, Value::Text(v)) if v.is_empty() => Ok(Value::Doubles(Vec::new())),
        (Accepts::Corners, Value::Doubles(v)) if v.is_empty() => Ok(value.clone()),
        (Accepts::Corners, Value::Doubles(v)) => {
            let Ok(numbers) = <[f64; 8]>::try_from(v.as_slice()) else { return Err(String::new()) };
            let corners = std::array::from_fn(|i| [numbers[2 * i], numbers[2 * i + 1]]);
            Corners::of_either_hand(corners).map_err(|e| e.to_string())?;
            Ok(value.clone())
        }
        (Accepts::Crossings, Value::Text(v)) if v.is_empty() => Ok(Value::Doubles(Vec::new())),
        (Accepts::Crossings, Value::Doubles(v)) if v.is_empty() => Ok(value.clone()),
        (Accepts::Crossings, Value::Doubles(v)) => {
            let Ok(numbers) = <[f64; 8]>::try_from(v.as_slice()) else { return Err(String::new()) };
            let corners = go::in_pairs(numbers).map(|[x, y]| ImagePoint::new(x, y));
            // The coarsest board: whether a finer one can be told is known where its size is.
            let coarsest = crate::go::Size::new(5).unwrap_or_default();
            crate::board::grid::Grid::from_corners(corners, coarsest).map_err(|e| e.to_string())?;
            Ok(value.clone())
        }
        (Accepts::Lines, Value::Int(0)) => Ok(value.clone()),
        (Accepts::Lines, Value::Int(v)) => {
            let lines = u64::try_from(*v).map_err(|_| String::new())?;
            crate::go::Size::new(lines).map_err(|_| String::new())?;
            Ok(value.clone())
        }
        (Accepts::Headers, Value::Text(v)) => {
            crate::game::record::read_headers(v)?;
            Ok(value.clone())
        }
        (Accepts::Fen, Value::Text(v)) if v.is_empty() => Ok(value.clone()),
        (Accepts::Fen, Value::Text(v)) => {
            crate::game::start::Start::from_fen(v).map_err(|e| e.to_string())?;
            Ok(value.clone())
        }
        _ => Err(String::new()),
    }
}

/// Levenshtein distance, for "did you mean".
fn edit_distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.chars().enumerate() {
            let up = row[j + 1];
            row[j + 1] = (diagonal + usize::from(x != y)).min(up + 1).min(row[j] + 1);
            diagonal = up;
        }
    }
    row.last().copied().unwrap_or(0)
}
