//! Blocks of figures on a page: where they begin and end, and what the marker says of them.
//!
//! ```text
//! <!-- figures: lab --experiments petkov --seed 1; as text; version 0.1.0+0a1b2c3d; hash 4e5f6a7b -->
//! … what the program has written …
//! <!-- end of figures -->
//! ```
//!
//! Version and hash are the program's affair: of a block that was never written they are absent.

use chess_observer_lab::report::markdown::Form;

const BEGIN: &str = "<!-- figures: ";
const CLOSE: &str = " -->";
const END: &str = "<!-- end of figures -->";

/// What the marker of a block says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marker {
    /// The command that gives the figures.
    pub command: String,
    /// How they are shown.
    pub form: Form,
    /// The version that gave them, and the hash of what was written.
    pub written: Option<(String, String)>,
}

/// A block of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Number of the marker's line, 1 for the first.
    pub line: usize,
    /// What the marker says.
    pub marker: Marker,
    /// What stands between the markers.
    pub body: String,
}

/// A page, cut at its blocks: text, block, text, … text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// What stands before each block, and after the last one.
    pub texts: Vec<String>,
    /// The blocks.
    pub blocks: Vec<Block>,
}

/// Does a code block begin or end here? One may begin beside the mark of a list: `1. ```sh`.
fn is_fence(line: &str) -> bool {
    let listed = |c: char| c.is_ascii_digit() || c.is_whitespace() || matches!(c, '.' | '-' | '*');
    line.trim_start_matches(listed).starts_with("```")
}

impl Page {
    /// Cuts a page.
    ///
    /// # Errors
    /// The number of the line, and what is wrong there.
    pub fn read(text: &str) -> Result<Self, (usize, String)> {
        let mut page = Self { texts: vec![String::new()], blocks: vec![] };
        let (mut open, mut fenced) = (None, false);
        for (index, line) in text.split_inclusive('\n').enumerate() {
            let at = |why: &str| (index + 1, why.to_owned());
            let is_end = line.trim_end() == END;
            match &mut open {
                None => {
                    fenced ^= is_fence(line);
                    if line.starts_with(BEGIN) && !fenced {
                        let marker = Marker::read(line.trim_end()).map_err(|why| (index + 1, why))?;
                        open = Some(Block { line: index + 1, marker, body: String::new() });
                    } else if is_end && !fenced {
                        return Err(at("a block of figures ends here that has not begun"));
                    } else if let Some(text) = page.texts.last_mut() {
                        text.push_str(line);
                    }
                }
                Some(_) if line.starts_with(BEGIN) => {
                    return Err(at("the block of figures before this one has no end"));
                }
                Some(_) if is_end => {
                    page.blocks.extend(open.take());
                    page.texts.push(String::new());
                }
                Some(block) => block.body.push_str(line),
            }
        }
        match open {
            Some(block) => Err((block.line, format!("this block of figures has no end: expected {END}"))),
            None => Ok(page),
        }
    }

    /// The page as text.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (before, block) in self.texts.iter().zip(&self.blocks) {
            text += before;
            text += &format!("{}\n{}{END}\n", block.marker.text(), block.body);
        }
        text + self.texts.last().map_or("", String::as_str)
    }
}

impl Block {
    /// Is it as the program has left it? A block that was never written is not asked.
    pub fn is_as_written(&self) -> bool {
        self.marker.written.as_ref().is_none_or(|(_, hash)| *hash == hash_of(&self.body))
    }

    /// Puts new figures into it. Returns whether they differ from the old ones.
    pub fn write(&mut self, body: String, version: &str) -> bool {
        let differs = self.body != body;
        self.marker.written = Some((version.to_owned(), hash_of(&body)));
        self.body = body;
        differs
    }
}

impl Marker {
    fn read(line: &str) -> Result<Self, String> {
        let shape = || format!("expected {BEGIN}COMMAND; as FORM{CLOSE}");
        let inner = line.strip_prefix(BEGIN).and_then(|rest| rest.strip_suffix(CLOSE)).ok_or_else(shape)?;
        let mut fields = inner.split("; ");
        let (Some(command), Some(form)) = (fields.next(), fields.next().and_then(|f| f.strip_prefix("as "))) else {
            return Err(shape());
        };
        let mut field = |name: &str| fields.next().and_then(|f| f.strip_prefix(name)).map(str::to_owned);
        let written = field("version ").zip(field("hash "));
        Ok(Self { command: command.trim().into(), form: form.parse()?, written })
    }

    fn text(&self) -> String {
        let written = self
            .written
            .as_ref()
            .map_or_else(String::new, |(version, hash)| format!("; version {version}; hash {hash}"));
        format!("{BEGIN}{}; as {}{written}{CLOSE}", self.command, self.form)
    }
}

/// G. Fowler, L. C. Noll and K.-P. Vo's hash, version 1a, of 64 bits; half of it: nobody hides anything here.
fn hash_of(text: &str) -> String {
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{:08x}", hash >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# Title\n\n```text\n<!-- figures: not one; as text -->\n```\n\
        <!-- figures: lab --seed 1; as text -->\nold\n<!-- end of figures -->\nlast\n";

    #[test]
    fn pages_are_cut_and_put_together_again() {
        let mut page = Page::read(PAGE).unwrap();
        assert_eq!(page.text(), PAGE);
        let [block] = &mut page.blocks[..] else { panic!("{page:?}") };
        assert_eq!((block.line, block.body.as_str(), block.is_as_written()), (6, "old\n", true));
        assert!(block.write("new\n".into(), "1.0+x"));
        assert!(!block.write("new\n".into(), "1.0+y"), "the same figures again");
        let text = page.text();
        assert!(text.contains("; as text; version 1.0+y; hash ") && text.ends_with("\nlast\n"), "{text}");
        let again = Page::read(&text).unwrap();
        assert_eq!((again.clone(), again.blocks[0].is_as_written()), (page, true));
        let edited = Page::read(&text.replace("new", "better")).unwrap();
        assert!(!edited.blocks[0].is_as_written());
    }

    #[test]
    fn code_in_a_list_hides_no_block() {
        let list = "1. ```sh\n   ls\n   ```\n2. more\n\n";
        assert_eq!(Page::read(&format!("{list}{PAGE}")).unwrap().blocks.len(), 1);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        for (text, line, says) in [
            ("a\n<!-- figures: x; as text -->\n", 2, "has no end"),
            ("<!-- end of figures -->\n", 1, "has not begun"),
            ("<!-- figures: x; as poem -->\n<!-- end of figures -->\n", 1, "no form \"poem\""),
            ("<!-- figures: x -->\n", 1, "expected <!-- figures: COMMAND; as FORM -->"),
            ("<!-- figures: x; as text -->\n<!-- figures: x; as text -->\n", 2, "before this one has no end"),
        ] {
            let (at, why) = Page::read(text).unwrap_err();
            assert!(at == line && why.contains(says), "{text}: {at}, {why}");
        }
    }
}
