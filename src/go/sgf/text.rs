//! Texts in SGF: how they are written, and in which letters.

use std::borrow::Cow;

/// The file as text. What is UTF-8 is read so, whatever it says of itself; else it says its own letters in `CA`, and without
/// that the standard's are meant, Latin-1.
#[must_use]
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => letters(bytes).unwrap_or(encoding_rs::WINDOWS_1252).decode(bytes).0,
    }
}

/// The letters that the file names in `CA`.
fn letters(bytes: &[u8]) -> Option<&'static encoding_rs::Encoding> {
    let begin = bytes.windows(3).position(|w| w == b"CA[")? + 3;
    let label = bytes[begin..].split(|&b| b == b']').next()?;
    encoding_rs::Encoding::for_label(label)
}

/// A value as text: escapes are taken out; a line end that is escaped is none.
#[must_use]
pub fn text(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let mut chars = value.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(first @ ('\n' | '\r')) => {
                    // Line ends may have two letters.
                    let second = if first == '\n' { '\r' } else { '\n' };
                    chars.next_if_eq(&second);
                }
                Some(other) => text.push(blank(other)),
                None => {}
            },
            '\r' => {
                chars.next_if_eq(&'\n');
                text.push('\n');
            }
            '\n' => {
                chars.next_if_eq(&'\r');
                text.push('\n');
            }
            other => text.push(blank(other)),
        }
    }
    text
}

/// The same for values of one line: names, places, dates.
#[must_use]
pub fn simple_text(value: &str) -> String {
    text(value).replace('\n', " ").trim().to_owned()
}

/// A text as it is to stand between brackets.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut value = String::with_capacity(text.len());
    for c in text.chars().filter(|&c| c == '\n' || !c.is_control()) {
        if matches!(c, ']' | '\\') {
            value.push('\\');
        }
        value.push(c);
    }
    value
}

/// White space other than line ends is a blank.
fn blank(c: char) -> char {
    if c.is_whitespace() && c.is_ascii() { ' ' } else { c }
}
