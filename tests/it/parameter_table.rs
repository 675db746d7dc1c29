//! The tables of parameters, of chess and of Go: defaults, refusals, and the files `params/observer.yaml` and `params/go.yaml`,
//! which must say the same.

use chess_observer::params::{Accepts, ParamError, Params, Spec, Table, Value, go, spec};
use std::{collections::BTreeMap, fmt::Write as _, path::Path};

fn text(value: &str) -> Value {
    Value::Text(value.into())
}

/// What `value` is refused with; the parameters must not change by it.
fn refusal(name: &str, value: &Value) -> String {
    refusal_of::<Params>(name, value)
}

fn refusal_of<P: Table>(name: &str, value: &Value) -> String {
    let mut params = P::default();
    let error = params.set(name, value).unwrap_err();
    assert_eq!(params, P::default());
    error.to_string()
}

#[test]
fn every_default_is_accepted_and_changes_nothing() {
    fn hold<P: Table>() {
        let mut params = P::default();
        for spec in P::SPECS {
            let value = params.get(spec.name).unwrap();
            params.set(spec.name, &value).unwrap_or_else(|e| panic!("{e}"));
        }
        assert_eq!(params, P::default());
    }
    hold::<Params>();
    hold::<go::Params>();
}

#[test]
fn names_are_unique_and_words_are_there() {
    words_are_there(Params::SPECS);
    words_are_there(go::Params::SPECS);
}

fn words_are_there(specs: &[Spec]) {
    for (i, spec) in specs.iter().enumerate() {
        assert!(specs[..i].iter().all(|s| s.name != spec.name), "{} twice", spec.name);
        assert!(spec.about.trim().ends_with('.'), "{}: {:?}", spec.name, spec.about);
        assert!(!spec.expected().is_empty());
    }
}

#[test]
fn the_ends_of_every_range_are_accepted_and_what_is_beyond_is_not() {
    ends::<Params>();
    ends::<go::Params>();
}

fn ends<P: Table>() {
    for spec in P::SPECS {
        let (inside, outside) = match spec.accepts {
            Accepts::Double { min, max } => (
                vec![Value::Double(min), Value::Double(max)],
                [min - 1e-6, max + 1e-6, f64::NAN, f64::INFINITY, -f64::INFINITY].map(Value::Double).to_vec(),
            ),
            Accepts::Int { min, max } => {
                (vec![Value::Int(min), Value::Int(max)], vec![Value::Int(min - 1), Value::Int(max + 1)])
            }
            Accepts::OneOf(words) => (words.iter().map(|w| text(w)).collect(), vec![text(""), text("rubbish")]),
            Accepts::Bool => (vec![Value::Bool(true), Value::Bool(false)], vec![Value::Int(1), text("true")]),
            Accepts::Text => {
                (vec![text(""), text("Ng. Ł. ♔")], vec![text("two\nlines"), text("\0"), Value::Bool(true)])
            }
            Accepts::Path => (
                vec![text(""), text("/a/b c"), text("games/♔")],
                vec![text("two\nlines"), text("~nobody/x"), text("$NO_SUCH_VARIABLE/x"), Value::Int(8)],
            ),
            Accepts::Corners => {
                let seen = vec![100.0, 400.0, 500.0, 400.0, 450.0, 100.0, 150.0, 100.0];
                (
                    vec![Value::Doubles(Vec::new()), text(""), Value::Doubles(seen.clone())],
                    vec![Value::Doubles(seen[..7].to_vec()), Value::Doubles(vec![f64::NAN; 8]), text("a1")],
                )
            }
            Accepts::Crossings => {
                let seen = vec![150.0, 100.0, 450.0, 100.0, 500.0, 400.0, 100.0, 400.0];
                let back = vec![100.0, 400.0, 500.0, 400.0, 450.0, 100.0, 150.0, 100.0];
                (
                    vec![Value::Doubles(Vec::new()), text(""), Value::Doubles(seen.clone())],
                    vec![Value::Doubles(seen[..7].to_vec()), Value::Doubles(vec![f64::NAN; 8]), Value::Doubles(back)],
                )
            }
            Accepts::Lines => {
                ([0, 5, 25].map(Value::Int).to_vec(), vec![Value::Int(-1), Value::Int(4), Value::Int(26), text("19")])
            }
            Accepts::Headers => (
                vec![text(""), text("WhiteElo=2100; TimeControl=5400+30;"), text("Annotator=Ng, Ł. = ♔")],
                vec![text("WhiteElo"), text("White Elo=2100"), text("Result=1-0"), text("A=1; A=2"), Value::Int(8)],
            ),
            Accepts::Fen => (vec![text(""), text("8/8/8/4k3/8/8/3R4/4K3 w - - 0 1")], vec![text("8/8"), Value::Int(8)]),
        };
        for value in inside {
            P::default().set(spec.name, &value).unwrap_or_else(|e| panic!("{e}"));
        }
        for value in outside {
            let said = refusal_of::<P>(spec.name, &value);
            assert!(
                said.starts_with(&format!("parameter {}: expected {}, got ", spec.name, spec.expected())),
                "{said}"
            );
        }
    }
}

#[test]
fn corners_run_as_the_pictures_have_them() {
    let clockwise = vec![0.0, 0.0, 9.0, 0.0, 9.0, 9.0, 0.0, 9.0];
    let anticlockwise = vec![0.0, 9.0, 9.0, 9.0, 9.0, 0.0, 0.0, 0.0];
    // As YAML has it, and as a word.
    for (mirrored, good, bad, why) in [
        (
            text("auto"),
            &anticlockwise,
            &clockwise,
            "as seen in the picture they must run anticlockwise, or clockwise in",
        ),
        (Value::Bool(false), &anticlockwise, &clockwise, "as seen in the picture they must run anticlockwise, or"),
        (
            Value::Bool(true),
            &clockwise,
            &anticlockwise,
            "as seen in pictures that are read as mirrored (board.mirrored)",
        ),
        (text("true"), &clockwise, &anticlockwise, "as seen in pictures that are read as mirrored (board.mirrored)"),
    ] {
        let mut params = Params::default();
        params.set("board.mirrored", &mirrored).unwrap();
        params.set("board.corners", &Value::Doubles(good.clone())).unwrap();
        assert_eq!(params.check(), Ok(()));
        params.set("board.corners", &Value::Doubles(bad.clone())).unwrap();
        let said = params.check().unwrap_err().to_string();
        assert!(
            said.starts_with("parameter board.corners: corners a1, h1, h8, a8 run the wrong way round: "),
            "{said}"
        );
        assert!(said.contains(why), "{said}");
    }
}

#[test]
fn refusals_say_what_is_accepted_and_what_came() {
    assert_eq!(
        refusal("square_size_m", &Value::Double(-1.0)),
        "parameter square_size_m: expected a number from 0.005 to 1 m, got -1"
    );
    assert_eq!(
        refusal("game.mode", &text("auto")),
        "parameter game.mode: expected one of automatic, manual, semi_automatic, got \"auto\""
    );
    assert_eq!(refusal("publish_tf", &text("yes")), "parameter publish_tf: expected true or false, got \"yes\"");
    assert_eq!(
        refusal("board.corners", &Value::Doubles(vec![0.0, 0.0, 9.0, 9.0, 9.0, 0.0, 0.0, 9.0])),
        "parameter board.corners: expected nothing, or 8 finite numbers x, y of the outer corners a1, h1, h8, a8 (px), \
         got 8 numbers (corners a1, h1, h8, a8 must form a convex quadrilateral in this order)"
    );
    assert_eq!(
        refusal("game.start_fen", &text("8/8/8/8/8/8/8/8 w - - 0 1")).split(" (").next(),
        Some(
            "parameter game.start_fen: expected nothing, or a legal position in FEN, got \"8/8/8/8/8/8/8/8 w - - 0 1\""
        )
    );
}

#[test]
fn paths_are_expanded_as_a_shell_does() {
    let mut params = Params::default();
    let home = std::env::var("HOME").unwrap();
    for given in ["~/games", "$HOME/games", "${HOME}/games"] {
        params.set("pgn_directory", &text(given)).unwrap();
        assert_eq!(params.pgn_directory, format!("{home}/games"));
    }
    assert_eq!(
        refusal("pgn_directory", &text("$NO_SUCH_VARIABLE/x")),
        "parameter pgn_directory: expected a path, in which ~ and $NAME are expanded, got \"$NO_SUCH_VARIABLE/x\" \
         (the environment has no $NO_SUCH_VARIABLE)"
    );
}

#[test]
fn values_that_contradict_each_other_are_refused_when_all_are_set() {
    let mut params = Params::default();
    params.set("sight.change_threshold_min", &Value::Double(9.0)).unwrap();
    assert_eq!(
        params.check().unwrap_err().to_string(),
        "parameter sight.change_threshold_min: expected at most sight.change_threshold_max, which is 8, got 9"
    );
    params.set("sight.change_threshold_max", &Value::Int(12)).unwrap();
    params.check().unwrap();
}

#[test]
fn unknown_names_get_the_nearest_known_one() {
    let unknown = |name: &str| refusal(name, &Value::Bool(true));
    assert_eq!(
        unknown("game.min_confidense"),
        "unknown parameter \"game.min_confidense\": did you mean \"game.min_confidence\"?"
    );
    assert_eq!(unknown("square_size"), "unknown parameter \"square_size\": did you mean \"square_size_m\"?");
    assert_eq!(unknown("entirely.different.thing"), "unknown parameter \"entirely.different.thing\"");
    assert!(matches!(spec("x").unwrap_err(), ParamError::Unknown { nearest: None, .. }));
}

#[test]
fn whole_numbers_are_numbers() {
    let mut params = Params::default();
    params.set("max_rate_hz", &Value::Int(15)).unwrap();
    assert_eq!(params.max_rate_hz, 15.0);
}

/// The file as the table says it should be. A changed table rewrites it: REGENERATE=1 cargo test --test it parameter_table
fn yaml_of<P: Table>(node: &str, file: &str) -> String {
    let mut yaml = format!(
        "# Every parameter of {node}: what it does, its default, and what it accepts.\n\
         #\n\
         #   ros2 run chess_observer {node} --ros-args --params-file {file}\n\
         #\n\
         # [start]: read when the node starts; [live]: may also change while it runs (ros2 param set).\n\
         /**:\n  ros__parameters:\n"
    );
    let mut open = "";
    for spec in P::SPECS {
        let (group, name) = spec.name.split_once('.').unwrap_or(("", spec.name));
        if group != open {
            writeln!(yaml, "    {group}:").unwrap();
            open = group;
        }
        let indent = if group.is_empty() { 4 } else { 6 };
        let setting = format!("{:indent$}{name}: {}", "", default_of::<P>(spec));
        let when = if spec.live { "live" } else { "start" };
        writeln!(yaml, "{:indent$}# {}", "", spec.about.trim()).unwrap();
        writeln!(yaml, "{setting:<36}  # {} [{when}]", spec.expected()).unwrap();
    }
    yaml
}

fn default_of<P: Table>(spec: &Spec) -> String {
    match P::default().get(spec.name).unwrap() {
        Value::Bool(v) => v.to_string(),
        Value::Int(v) => v.to_string(),
        Value::Double(v) => format!("{v:?}"),
        Value::Text(v) => format!("{v:?}"),
        // rcl reads no empty list.
        Value::Doubles(v) if v.is_empty() => "\"\"".into(),
        Value::Doubles(v) => format!("{v:?}"),
    }
}

#[test]
fn the_parameter_files_list_exactly_the_tables() {
    for (name, yaml) in [
        ("observer.yaml", yaml_of::<Params>("observer_node", "observer.yaml")),
        ("go.yaml", yaml_of::<go::Params>("go_node", "go.yaml")),
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("params").join(name);
        if std::env::var_os("REGENERATE").is_some() {
            std::fs::write(&path, &yaml).unwrap();
        }
        let file = std::fs::read_to_string(&path).unwrap();
        for (number, (is, should)) in file.lines().zip(yaml.lines()).enumerate() {
            assert_eq!(is, should, "{name}, line {}", number + 1);
        }
        assert_eq!(file, yaml);
    }
}

/// What the reference says of a parameter: default, what is accepted, and whether it may change.
fn row(reference: &str, name: &str) -> [String; 3] {
    let named = format!("`{name}`");
    let is_row =
        |line: &&str| line.starts_with("| `") && line.split('|').nth(1).is_some_and(|cell| cell.contains(&named));
    let line = reference.lines().find(is_row).unwrap_or_else(|| panic!("{name} is not in docs/reference.md"));
    [2, 3, 4].map(|column| line.split('|').nth(column).unwrap_or_default().trim().to_owned())
}

#[test]
fn the_reference_says_what_the_table_says() {
    let reference = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reference.md")).unwrap();
    let chapter = |name: &str| reference.split("\n## ").find(|part| part.split('\n').next() == Some(name)).unwrap();
    says_the_same::<Params>(chapter("Parameters"));
    says_the_same::<go::Params>(chapter("go_node"));
}

fn says_the_same<P: Table>(parameters: &str) {
    for spec in P::SPECS {
        let [default, accepts, live] = row(parameters, spec.name);
        let is = match P::default().get(spec.name).unwrap() {
            Value::Bool(v) => format!("`{v}`"),
            Value::Int(v) => v.to_string(),
            Value::Double(v) => v.to_string(),
            Value::Text(v) if v.is_empty() => "empty".into(),
            Value::Text(v) => format!("`{v}`"),
            Value::Doubles(_) => "empty".into(),
        };
        assert_eq!(default, is, "{}", spec.name);
        assert_eq!(live == "yes", spec.live, "{}", spec.name);
        let says = match spec.accepts {
            Accepts::Bool => vec!["true, false".to_owned()],
            Accepts::Double { min, max } => vec![format!("{min} to {max}")],
            Accepts::Int { min, max } => vec![format!("{min} to {max}")],
            Accepts::OneOf(words) => words.iter().map(|word| format!("`{word}`")).collect(),
            Accepts::Text => vec!["text".into()],
            Accepts::Path => vec!["path".into()],
            Accepts::Corners => vec!["8 numbers, px".into()],
            Accepts::Crossings => vec!["8 numbers, px".to_owned()],
            Accepts::Lines => vec!["5 to 25".to_owned(), "0".to_owned()],
            Accepts::Fen => vec!["FEN".into()],
            Accepts::Headers => vec!["`Name=value; Name=value`".into()],
        };
        assert!(says.iter().all(|says| accepts.contains(says)), "{}: {accepts:?} is not {says:?}", spec.name);
    }
}

#[test]
fn the_parameter_files_read_as_yaml_give_the_defaults() {
    given_as_yaml("observer.yaml", Params { square_size_m: 0.3, ..Params::default() });
    given_as_yaml("go.yaml", go::Params { game_komi: 0.5, ..go::Params::default() });
}

/// Reads a file over `params`, of which one value is another one than its default.
fn given_as_yaml<P: Table>(file: &str, mut params: P) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("params").join(file);
    type Nodes = BTreeMap<String, BTreeMap<String, BTreeMap<String, serde_json::Value>>>;
    let nodes: Nodes = serde_saphyr::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let mut set = |name: &str, value: &serde_json::Value| {
        params.set(name, &serde_json::from_value(value.clone()).unwrap()).unwrap();
    };
    let mut count = 0;
    for (name, value) in &nodes["/**"]["ros__parameters"] {
        match value.as_object() {
            None => set(name, value),
            Some(group) => group.iter().for_each(|(inner, value)| set(&format!("{name}.{inner}"), value)),
        }
        count += value.as_object().map_or(1, serde_json::Map::len);
    }
    assert_eq!((params, count), (P::default(), P::SPECS.len()));
}
