//! Games, positions, commands, score sheets, settings.

use std::fs;

use chess_observer::{
    bag::metadata::{FILE_NAME, Metadata},
    board::calibration::Calibration,
    game::{gaps::Sheet, pgn_in::read_games, start::Start},
    observer::Observer,
    params::{self, Params, SPECS, Value},
    sim::{Scene, Story},
};
use shakmaty::{Position as _, san::SanPlus};

use super::{Dice, fuzz, one_line};

fn seeds(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

const GAME: &str = "[Event \"A \\\"B\\\"\"]\n[Result \"1-0\"]\n\n1. e4 $1 {best} e5 2. Nf3! (2. f4 exf4 (2... d5)) 2... Nc6 ; on\n3. Bb5 \
                    {[%emt 0:00:04] [%illegal e8e6]} a6 4. O-O 1-0\n";
const ENDING: &str =
    "[SetUp \"1\"]\n[FEN \"4k3/P7/8/8/8/8/8/4K2R w K - 0 1\"]\n\n1. a8=N Kd7 2. O-O {[%knock a8]} 1/2-1/2\n";
const CHESS960: &str = "[Variant \"Chess960\"]\n[FEN \"1k6/8/8/8/8/8/8/1K4R1 w G - 0 1\"]\n\n1. O-O *";
const PGN_WORDS: [&str; 16] = [
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "\"",
    ";",
    "\n",
    "\n\n",
    "1-0",
    "*",
    "1.",
    "e8=Q#",
    "[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]",
    "\\",
];

#[test]
fn games() {
    fuzz("games", 2.0, &seeds(&[GAME, ENDING, CHESS960]), &PGN_WORDS, |bytes, _| {
        let text = String::from_utf8_lossy(bytes);
        for (i, game) in read_games(&text).into_iter().enumerate() {
            match game {
                Ok(game) => {
                    assert_eq!((game.number, game.positions().len()), (i + 1, game.moves.len() + 1));
                    if let Err(e) = Story::read(&game) {
                        one_line(&e);
                    }
                }
                Err(e) => {
                    one_line(&e);
                    assert_eq!(e.game, i + 1);
                    let line = text.split('\n').nth(e.place.line - 1).expect("a line of the text");
                    assert!((1..=line.chars().count() + 1).contains(&e.place.column), "{e}");
                }
            }
        }
    });
}

#[test]
fn a_word_that_is_none_is_never_passed_over() {
    let words: Vec<&str> = GAME.split_inclusive([' ', '\n']).collect();
    let movetext = words.iter().position(|word| word.starts_with("1.")).unwrap();
    let mut refused = 0;
    for at in movetext..words.len() {
        let before = words[..at].concat();
        // Inside a comment everything is right.
        let in_braces = before.matches('{').count() > before.matches('}').count();
        let in_remark = before.rsplit('\n').next().unwrap().contains(';');
        for word in ["Zz9", "e9", "Ni3", "hello", "$x", "O-O-", "e4e", "\u{1}"] {
            let text = format!("{before}{word} {}", words[at..].concat());
            let read = read_games(&text);
            if in_braces || in_remark {
                assert!(read[0].is_ok(), "{text}");
            } else {
                assert!(read.iter().any(Result::is_err), "{word:?} was passed over in {text}");
                refused += 1;
            }
        }
    }
    assert!(refused > 100, "{refused} words");
}

#[test]
fn score_sheets() {
    const PATIENCE: usize = 100;
    let sheets =
        ["e4 e5 Nf3 Nc6 ?? a6 Ba4", "1. ?? e5 2. N?3 ?? 3. Bb5 ?? ?? O-O", "?? ?? ?? ?? e8=?", "d4 ?xd4 K?? h8"];
    let words = ["?? ", "? ", "O-O ", "e8=Q# ", "N??", "e2e4 ", "a1=N ", "x", "1-0 "];
    let starts = ["4k3/P7/8/8/8/8/7p/R3K2R w KQ - 0 1", "8/8/8/1Pp5/k7/8/8/4K2N w - c6 0 1"]
        .map(|fen| Start::from_fen(fen).unwrap());
    fuzz("score sheets", 0.5, &seeds(&sheets), &words, |bytes, dice| {
        let start = if dice.below(2) == 0 { Start::default() } else { dice.one_of(&starts).clone() };
        let sheet = match Sheet::read(&start, &String::from_utf8_lossy(bytes)) {
            Ok(sheet) => sheet,
            Err(e) => return one_line(&e),
        };
        let patience = || {
            let mut left = PATIENCE;
            move || {
                left = left.saturating_sub(1);
                left > 0
            }
        };
        let (mut lines, mut go_on, mut found) = (sheet.lines(), patience(), 0);
        while let Some(line) = lines.next_while(&mut go_on) {
            found += 1;
            assert_eq!(line.len(), sheet.plies());
            let mut position = start.position().clone();
            for san in &line {
                let mv = san.parse::<SanPlus>().unwrap().san.to_move(&position).expect("a legal line");
                position.play_unchecked(mv);
            }
        }
        // Whoever comes to an end says the same.
        let ended = go_on();
        if let Some(count) = sheet.count(patience()) {
            assert!(if ended { count == found } else { count >= found }, "{count} counted, {found} found");
        }
        if let Some(best) = sheet.best(3, patience()) {
            assert!(best.lines.len() <= 3 && (found == 0 || !best.lines.is_empty()));
            assert!(best.lines.iter().all(|line| line.log_plausibility.is_finite()));
        }
    });
}

const COMMANDS: &str = "new 4k3/P7/8/8/8/8/8/4K2R w K - 0 1\nset rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2\nback \
                        1\ncorrect 1 e4\ncorrect 2 e7e5\nresult 1-0\nresult *\nexpect e2e4\nnew \ncapture\nresume\n";

fn command(observer: &mut Observer, line: &str, dice: &mut Dice) -> Result<(), String> {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    let told = |e: chess_observer::game::CommandError| e.to_string();
    match word {
        "new" => observer.new_game((!rest.is_empty()).then_some(rest)).map(drop).map_err(told),
        "set" => observer.set_position(rest).map(drop).map_err(told),
        "back" => observer.take_back(rest.parse().unwrap_or(dice.below(5))).map(drop).map_err(told),
        "correct" => {
            let (ply, text) = rest.split_once(' ').unwrap_or(("1", rest));
            observer.correct_move(ply.parse().unwrap_or(usize::MAX), text).map(drop).map_err(told)
        }
        "result" => observer.set_result(rest).map(drop).map_err(told),
        "expect" => observer.expect_move(rest).map(drop).map_err(|e| e.to_string()),
        "resume" => {
            let records = [GAME, ENDING, CHESS960, "1. e4 e5 *", rest];
            observer.resume(records[dice.below(records.len())]).map_err(told)
        }
        _ => observer.capture().map_err(|e| e.to_string()),
    }
}

#[test]
fn positions_and_commands() {
    let words = [
        "new ",
        "set ",
        "back ",
        "correct ",
        "expect ",
        "resume\n",
        "0000",
        "e1g1",
        "8/8/8/8/8/8/8/8 w - - 0 1",
        "-1",
        "99999999999",
    ];
    let first = seeds(&[COMMANDS, "resume\nback 3\ncorrect 2 c5\n", "set 8/8/8/8/8/8/8/8 b KQkq e3 99 0\nnew x"]);
    fuzz("commands", 0.5, &first, &words, |bytes, dice| {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let mut params = Params::default();
        if let Err(e) = params.set("game.start_fen", &Value::Text(text.lines().next().unwrap_or_default().into())) {
            one_line(&e);
        }
        let mut observer = match Observer::new(&params) {
            Ok(observer) => observer,
            Err(e) => return one_line(&e),
        };
        for line in text.lines().take(20) {
            if let Err(e) = command(&mut observer, line, dice) {
                one_line(&e);
            }
        }
        // Whatever was commanded, the record can be read, and says what stands on the board.
        let game = read_games(&observer.pgn()).remove(0).expect("a record that can be read");
        assert_eq!(game.moves.len(), observer.position().ply);
    });
}

const YAML_WORDS: [&str; 15] =
    ["&a", "*a", "<<: *a", "- ", ": ", "{", "}", "[", "!!binary", "|\n", "1e999", "~", ".nan", "-1", "\n  "];

#[test]
fn parameter_files() {
    let every = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/params/observer.yaml")).unwrap();
    let ros = "/**:\n  ros__parameters:\n    max_rate_hz: 10\n    sight:\n      rest_s: 0.5\n    board:\n      corners: [0, 9, 9, \
               9.0, 9, 0, 0, 0]\nother_node:\n  ros__parameters:\n    x: 1\n";
    let plain =
        "sight.rest_s: 0.5\ngame: {white: Anna, start_fen: \"4k3/8/8/8/8/8/8/4K2R w K - 0 1\"}\npublish_tf: false\n";
    fuzz("parameter files", 1.0, &seeds(&[&every, ros, plain]), &YAML_WORDS, |bytes, _| {
        let mut params = Params::default();
        if let Err(e) = params::file::apply(&String::from_utf8_lossy(bytes), &mut params) {
            one_line(&e);
        }
        // Whatever came, nothing is in them that a parameter refuses.
        for spec in SPECS {
            let value = params.get(spec.name).unwrap();
            assert_eq!(params.set(spec.name, &value), Ok(()), "{}", spec.name);
        }
    });
}

#[test]
fn settings() {
    let dir = tempfile::tempdir().unwrap();
    let scenes = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/scenes/every_key.toml")).unwrap();
    let toml_words = ["= nan", "= 1e308", "= -1", "[[", "]", "\"", "= 0", "inf"];
    fuzz("scenes", 0.5, &seeds(&[&scenes]), &toml_words, |bytes, _| {
        if let Err(e) = Scene::from_toml(&String::from_utf8_lossy(bytes)) {
            assert!(!e.to_string().is_empty());
        }
    });
    let metadata = "rosbag2_bagfile_information:\n  version: 5\n  relative_file_paths: [a.mcap]\n  topics_with_message_count:\n    - \
                    topic_metadata: {name: /i, type: sensor_msgs/msg/Image, serialization_format: cdr}\n      message_count: 3\n";
    fuzz("metadata", 1.0, &seeds(&[metadata]), &YAML_WORDS, |bytes, _| {
        fs::write(dir.path().join(FILE_NAME), bytes).unwrap();
        if let Err(e) = Metadata::read(dir.path()) {
            one_line(&e);
        }
    });
    let place = "format = \"chess_observer calibration 1\"\npicture_px = [640, 480]\na1 = [105.25, 415.5]\nh1 = [520.0, 428.0]\nh8 = [465.0, \
                 92.0]\na8 = [182.0, 88.0]\n";
    fuzz("calibrations", 1.0, &seeds(&[place]), &toml_words, |bytes, _| {
        match Calibration::parse(&String::from_utf8_lossy(bytes)) {
            Ok(read) => assert_eq!(Calibration::parse(&read.to_text("now")).map(|_| ()), Ok(())),
            Err(e) => one_line(&e),
        }
    });
}
