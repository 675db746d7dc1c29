//! Paths as people write them: `~` and `$NAME`, which a shell would have expanded, and a parameter file has not.

use std::env;

/// Why a path cannot be expanded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExpandError {
    /// The variable is not set, or is no text.
    #[error("the environment has no ${0}")]
    Unset(String),
    /// `${` without `}`, or a name that is none.
    #[error("${{ without a name and }} behind it")]
    Open,
    /// `~name`: whose home that is, only a shell knows.
    #[error("~{0}: only ~ and ~/… are expanded")]
    Other(String),
}

/// `path` with a leading `~` replaced by the home, and `$NAME` and `${NAME}` by what the environment says. A `$` that no name
/// follows stays.
///
/// # Errors
/// When something in it cannot be expanded.
pub fn expanded(path: &str) -> Result<String, ExpandError> {
    expanded_by(path, |name| env::var(name).ok())
}

fn expanded_by(path: &str, variable: impl Fn(&str) -> Option<String>) -> Result<String, ExpandError> {
    let set = |name: &str| variable(name).ok_or_else(|| ExpandError::Unset(name.into()));
    let (mut text, mut rest) = (String::new(), path);
    if let Some(after) = path.strip_prefix('~') {
        if !after.is_empty() && !after.starts_with('/') {
            return Err(ExpandError::Other(after.split('/').next().unwrap_or_default().into()));
        }
        (text, rest) = (set("HOME")?, after);
    }
    while let Some((before, after)) = rest.split_once('$') {
        text.push_str(before);
        rest = if let Some(braced) = after.strip_prefix('{') {
            let (name, after) = braced.split_once('}').ok_or(ExpandError::Open)?;
            if name.is_empty() || name_length(name) != name.len() {
                return Err(ExpandError::Open);
            }
            text.push_str(&set(name)?);
            after
        } else {
            match name_length(after) {
                0 => text.push('$'),
                length => text.push_str(&set(&after[..length])?),
            }
            &after[name_length(after)..]
        };
    }
    text.push_str(rest);
    Ok(text)
}

/// Bytes at the beginning of `text` that are the name of a variable.
fn name_length(text: &str) -> usize {
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        return 0;
    }
    text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &str) -> Result<String, ExpandError> {
        expanded_by(path, |name| match name {
            "HOME" => Some("/home/ada".into()),
            "CLUB_1" => Some("rook".into()),
            _ => None,
        })
    }

    #[test]
    fn homes_and_variables_are_expanded() {
        for (path, is) in [
            ("", ""),
            ("auto", "auto"),
            ("~", "/home/ada"),
            ("~/games", "/home/ada/games"),
            ("/a/~/b", "/a/~/b"),
            ("$HOME/games", "/home/ada/games"),
            ("/x/${CLUB_1}s/$CLUB_1.pgn", "/x/rooks/rook.pgn"),
            ("~/$CLUB_1", "/home/ada/rook"),
            ("/5$/$5/$", "/5$/$5/$"),
        ] {
            assert_eq!(of(path).as_deref(), Ok(is), "{path}");
        }
    }

    #[test]
    fn what_cannot_be_expanded_is_said() {
        for (path, why) in [
            ("/x/$CLUB/y", "the environment has no $CLUB"),
            ("${CLUB}", "the environment has no $CLUB"),
            ("~bob/games", "~bob: only ~ and ~/… are expanded"),
            ("/${HOME", "${ without a name and } behind it"),
            ("/${}", "${ without a name and } behind it"),
            ("/${A-b}", "${ without a name and } behind it"),
        ] {
            assert_eq!(of(path).unwrap_err().to_string(), why, "{path}");
        }
    }
}
