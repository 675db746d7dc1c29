//! The secret that opens the account: from a file or the environment, to nobody but the server.

use std::{fmt, path::Path};

use crate::files;

/// Name of the environment variable.
pub(crate) const VARIABLE: &str = "LICHESS_TOKEN";
/// Largest file: a token has some forty signs.
const LARGEST: u64 = 4096;

/// A secret. It cannot be printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

impl Token {
    /// The token in the first line of a file; where `path` is empty, that of the environment.
    ///
    /// # Errors
    /// One line, which never holds the token.
    pub fn find(path: &str) -> Result<Self, String> {
        let (text, from) = if path.is_empty() {
            (std::env::var(VARIABLE).unwrap_or_default(), format!("the environment variable {VARIABLE}"))
        } else {
            let text = files::text(Path::new(path), LARGEST).map_err(|e| format!("token_file {path}: {e}"))?;
            (text, format!("token_file {path}"))
        };
        let line = text.lines().next().unwrap_or_default().trim();
        let fit = line.len() >= 8 && line.chars().all(|c| c.is_ascii_graphic());
        if fit { Ok(Self(line.to_owned())) } else { Err(format!("{from}: expected a token in one line, found none")) }
    }

    /// Can others on this machine read the file?
    #[must_use]
    pub fn is_open_to_others(path: &str) -> bool {
        use std::os::unix::fs::PermissionsExt as _;
        !path.is_empty() && std::fs::metadata(path).is_ok_and(|about| about.permissions().mode() & 0o077 != 0)
    }

    /// The value of the header that carries it.
    pub(super) fn header(&self) -> String {
        format!("Bearer {}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_read_and_never_shown() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        let text = path.to_str().unwrap();
        assert!(Token::find(text).unwrap_err().contains("No such file"));
        std::fs::write(&path, " lip_0123456789 \nmore\n").unwrap();
        let token = Token::find(text).unwrap();
        assert_eq!((token.header().as_str(), format!("{token:?}").as_str()), ("Bearer lip_0123456789", "Token(…)"));
        std::fs::write(&path, "two words, and secret\n").unwrap();
        let error = Token::find(text).unwrap_err();
        assert!(error.contains("expected a token in one line") && !error.contains("secret"), "{error}");
    }
}
