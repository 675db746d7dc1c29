//! How much a line of the log matters.

use r2r::rcl_interfaces::msg::Log as Line;

/// How much a line matters; the numbers are those of rcl.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Level {
    /// For developers.
    Debug = Line::DEBUG as u8,
    /// Something worth knowing.
    Info = Line::INFO as u8,
    /// Something that works less well than it could.
    Warn = Line::WARN as u8,
    /// Something that does not work.
    Error = Line::ERROR as u8,
    /// Something that ends the node.
    Fatal = Line::FATAL as u8,
}

impl Level {
    const ALL: [Self; 5] = [Self::Debug, Self::Info, Self::Warn, Self::Error, Self::Fatal];

    /// The level that `--log-level` calls so.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| format!("{level:?}").eq_ignore_ascii_case(name))
    }

    /// The level with rcl's number.
    #[must_use]
    pub fn numbered(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|level| *level as u32 == number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_those_of_rcl() {
        assert_eq!(Level::ALL.map(|level| level as u8), [10, 20, 30, 40, 50]);
        assert_eq!(Level::ALL.map(|level| Level::numbered(level as u32)), Level::ALL.map(Some));
        assert_eq!(
            [Level::named("WARN"), Level::named("warn"), Level::named("loud")],
            [Some(Level::Warn); 2].into_iter().chain([None]).collect::<Vec<_>>()[..]
        );
        assert_eq!(Level::numbered(0), None);
    }
}
