//! How events are written: what has a text of its own as that text.

use std::{fmt::Display, str::FromStr};

use serde::{Deserialize, Deserializer, Serializer, de::Error};
use shakmaty::{Bitboard, Square};

pub(super) fn serialize<T: Display, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

pub(super) fn deserialize<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: FromStr<Err: Display>,
    D: Deserializer<'de>,
{
    String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
}

/// Squares in algebraic notation, a1 first.
pub(crate) fn names(squares: Bitboard) -> Vec<String> {
    squares.into_iter().map(|square: Square| square.to_string()).collect()
}

/// The text of what may not be there: then it is empty.
pub(super) mod or_empty {
    use super::*;

    pub(crate) fn serialize<T: Display, S: Serializer>(value: &Option<T>, serializer: S) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => serializer.collect_str(value),
            None => serializer.serialize_str(""),
        }
    }

    pub(crate) fn deserialize<'de, T, D>(deserializer: D) -> Result<Option<T>, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'de>,
    {
        let text = String::deserialize(deserializer)?;
        (!text.is_empty()).then(|| text.parse().map_err(D::Error::custom)).transpose()
    }
}

/// A list of squares.
pub(super) mod squares {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(squares: &Bitboard, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(names(*squares))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Bitboard, D::Error> {
        let names = Vec::<String>::deserialize(deserializer)?;
        names.iter().map(|name| name.parse::<Square>().map_err(D::Error::custom)).collect()
    }
}
