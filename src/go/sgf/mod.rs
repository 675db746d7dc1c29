//! SGF, the format in which games of Go are kept (`FF[4]`, and what older programs wrote).
//!
//! [`Sgf`] is the file as it is: trees of nodes with properties, everything kept, known or not. What the nodes mean as a
//! game of Go is read by [`record`](super::record).
//!
//! Written here and not taken from a crate: trees are nested as deep as games are long, and what reads them by calls within
//! calls ends on a file that is made for it.

mod read;
mod text;
mod write;

pub use read::SgfError;
pub use text::{decode, escape, simple_text, text};

/// A property of a node: `C[Well played.]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Property {
    /// Capital letters.
    pub name: String,
    /// The values as they stand in the file between brackets, escapes and all; see [`text()`].
    pub values: Vec<String>,
}

/// A node of a game tree.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Node {
    /// Its properties in the file's order.
    pub(crate) properties: Vec<Property>,
    /// Number of the node before it; `None` for the first of a game.
    pub parent: Option<usize>,
    /// Numbers of the nodes after it: the main line first, then the variations.
    pub(super) children: Vec<usize>,
}

impl Node {
    /// The values of a property, as they stand in the file; `None` where there is no such property.
    #[must_use]
    pub fn values(&self, name: &str) -> Option<&[String]> {
        self.properties.iter().find(|p| p.name == name).map(|p| p.values.as_slice())
    }

    /// The first value of a property, as it stands in the file.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&str> {
        self.values(name)?.first().map(String::as_str)
    }
}

/// Everything in an SGF file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sgf {
    nodes: Vec<Node>,
    games: Vec<usize>,
}

impl Sgf {
    /// Reads a file. Text before the first game, as mails have it, is passed over; small letters in names, as older
    /// programs wrote them, as well.
    ///
    /// # Errors
    /// Where in the text something else was expected.
    pub fn read(bytes: &[u8]) -> Result<Self, SgfError> {
        read::read(&text::decode(bytes))
    }

    /// The file's text, in lines of at most about 80 columns.
    #[must_use]
    pub fn write(&self) -> String {
        write::write(self)
    }

    /// Numbers of the games' first nodes.
    #[must_use]
    pub fn games(&self) -> &[usize] {
        &self.games
    }

    /// A node by its number.
    #[must_use]
    pub fn node(&self, number: usize) -> Option<&Node> {
        self.nodes.get(number)
    }

    /// How many nodes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Is there no node?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Adds a node after another one, or a new game; returns its number.
    pub fn add(&mut self, parent: Option<usize>) -> usize {
        let number = self.nodes.len();
        let parent = parent.filter(|&p| p < number);
        self.nodes.push(Node { parent, ..Node::default() });
        match parent {
            Some(parent) => self.nodes[parent].children.push(number),
            None => self.games.push(number),
        }
        number
    }

    /// Adds a value, as it is to stand in the file, to a node's property.
    pub fn put(&mut self, node: usize, name: &str, value: impl Into<String>) {
        let Some(node) = self.nodes.get_mut(node) else { return };
        match node.properties.iter_mut().find(|p| p.name == name) {
            Some(property) => property.values.push(value.into()),
            None => node.properties.push(Property { name: name.to_owned(), values: vec![value.into()] }),
        }
    }

    /// The main line from a node: it, the first after it, and so on.
    pub fn main_line(&self, from: usize) -> impl Iterator<Item = &Node> {
        std::iter::successors(self.node(from), |n| n.children.first().and_then(|&c| self.node(c)))
    }
}

#[cfg(test)]
mod tests;
