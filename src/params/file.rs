//! Parameter files: the ROS form (`/**: ros__parameters: …`) and plain nested keys.

use std::path::Path;

use serde_json::Value as Json;

use super::{Params, Value};
use crate::files;

/// Sections of a ROS parameter file that speak to this node; sections of other nodes are passed over.
const OWN_SECTIONS: [&str; 4] = ["/**", "**", "chess_observer", "/chess_observer"];

/// Keys that ROS itself reads from the same section.
const ROS_OWN: [&str; 3] = ["use_sim_time", "qos_overrides", "start_type_description_service"];

/// Sets in `params` what a file says.
///
/// # Errors
/// One line with the name of the file: what cannot be read of it, or what a parameter refuses. Then `params` may have got
/// what stands before that.
pub fn read(path: &Path, params: &mut Params) -> Result<(), String> {
    let at = |why: String| format!("{}: {why}", path.display());
    let text = files::text(path, files::LARGEST_SETTINGS).map_err(|e| at(e.to_string()))?;
    apply(&text, params).map_err(at)
}

/// Sets in `params` what the text of such a file says.
///
/// # Errors
/// As [`read`], without the file's name.
pub fn apply(text: &str, params: &mut Params) -> Result<(), String> {
    set_all(text, params)?;
    params.check().map_err(|e| e.to_string())
}

fn set_all(text: &str, params: &mut Params) -> Result<(), String> {
    let yaml: Json = serde_saphyr::from_str(text).map_err(|e| {
        let text = e.to_string();
        format!("not YAML: {}", text.lines().next().unwrap_or_default())
    })?;
    let top = match yaml {
        Json::Null => return Ok(()),
        Json::Object(top) => top,
        _ => return Err("expected `/**: ros__parameters:` or parameter names with values".into()),
    };
    let is_ros = |value: &Json| value.get("ros__parameters").is_some();
    if !top.values().any(is_ros) {
        return top.iter().try_for_each(|(key, value)| set(params, key, value));
    }
    let mut ours = 0;
    for (section, value) in &top {
        let name_matches = OWN_SECTIONS.contains(&section.as_str()) || section.ends_with("/chess_observer");
        if let Some(Json::Object(own)) = value.get("ros__parameters").filter(|_| name_matches) {
            ours += 1;
            own.iter().try_for_each(|(key, value)| set(params, key, value))?;
        }
    }
    if ours == 0 {
        let sections: Vec<&str> = top.keys().map(String::as_str).collect();
        return Err(format!("no section for this node: expected /** or chess_observer, found {}", sections.join(", ")));
    }
    Ok(())
}

/// Sets a parameter, or all those of a group.
fn set(params: &mut Params, name: &str, value: &Json) -> Result<(), String> {
    if ROS_OWN.contains(&name) || name.starts_with("qos_overrides.") {
        return Ok(());
    }
    let value = match value {
        Json::Object(group) => {
            return group.iter().try_for_each(|(key, value)| set(params, &format!("{name}.{key}"), value));
        }
        Json::Bool(v) => Value::Bool(*v),
        Json::Number(v) => match v.as_i64() {
            Some(whole) => Value::Int(whole),
            None => Value::Double(v.as_f64().unwrap_or(f64::NAN)),
        },
        Json::String(v) => Value::Text(v.clone()),
        Json::Array(items) => Value::Doubles(
            items
                .iter()
                .map(|v| v.as_f64().ok_or_else(|| format!("parameter {name}: expected numbers, got {v}")))
                .collect::<Result<_, _>>()?,
        ),
        // `name:` with nothing behind it, as YAML writes an empty text.
        Json::Null => Value::Text(String::new()),
    };
    params.set(name, &value).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(text: &str) -> Result<Params, String> {
        let mut params = Params::default();
        apply(text, &mut params)?;
        Ok(params)
    }

    #[test]
    fn the_ros_form_and_plain_keys_say_the_same() {
        let expected = Params {
            sight_rest_s: 0.5,
            game_white: "Anna".into(),
            max_rate_hz: 10.0,
            board_corners: vec![0.0, 9.0, 9.0, 9.0, 9.0, 0.0, 0.0, 0.0],
            ..Params::default()
        };
        let ros = "/**:\n  ros__parameters:\n    use_sim_time: true\n    max_rate_hz: 10\n    sight:\n      rest_s: 0.5\n    \
                   game.white: Anna\n    board:\n      corners: [0, 9, 9, 9.0, 9, 0, 0, 0]\nother_node:\n  ros__parameters:\n    x: 1\n";
        assert_eq!(applied(ros).unwrap(), expected);
        let plain =
            "sight.rest_s: 0.5\ngame: {white: Anna}\nmax_rate_hz: 10.0\nboard.corners: [0, 9, 9, 9, 9, 0, 0, 0]\n";
        assert_eq!(applied(plain).unwrap(), expected);
        assert_eq!(applied("").unwrap(), Params::default());
    }

    #[test]
    fn what_is_wrong_is_said() {
        let says = |text: &str| applied(text).unwrap_err();
        assert_eq!(says("sight: {rest: 1}"), "unknown parameter \"sight.rest\": did you mean \"sight.rest_s\"?");
        assert_eq!(says("max_rate_hz: 1000"), "parameter max_rate_hz: expected a number from 0 to 240 Hz, got 1000");
        assert_eq!(says("board.corners: [a]"), "parameter board.corners: expected numbers, got \"a\"");
        assert_eq!(says("- 1"), "expected `/**: ros__parameters:` or parameter names with values");
        assert_eq!(
            says("camera:\n  ros__parameters: {}\n"),
            "no section for this node: expected /** or chess_observer, found camera"
        );
        assert!(says("a: [1").starts_with("not YAML: "));
        assert_eq!(
            says("sight: {change_threshold_min: 9, change_threshold_max: 3}"),
            "parameter sight.change_threshold_min: expected at most sight.change_threshold_max, which is 3, got 9"
        );
        // In whatever order they stand, only the end counts.
        assert!(applied("sight: {change_threshold_min: 9, change_threshold_max: 12}").is_ok());
    }
}
