//! Parameters that are one of a few words.

use super::{Field, Value};

/// A parameter that is one of a few words.
macro_rules! words {
    ($(#[doc = $about:literal])+ $name:ident { $($(#[doc = $meaning:literal])+ $variant:ident: $word:literal,)+ }) => {
        $(#[doc = $about])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name { $($(#[doc = $meaning])+ $variant,)+ }

        impl $name {
            /// The words that are accepted.
            pub(crate) const WORDS: &[&str] = &[$($word),+];
        }

        impl Field for $name {
            fn into_value(self) -> Value {
                Value::Text(match self { $(Self::$variant => $word),+ }.into())
            }
            fn from_value(value: &Value) -> Option<Self> {
                match value { $(Value::Text(word) if word == $word => Some(Self::$variant),)+ _ => None }
            }
        }
    };
}
words! {
    /// What ends a move.
    GameMode {
        /// Rest.
        Automatic: "automatic",
        /// Somebody who says so.
        Manual: "manual",
        /// Whichever of the two comes first.
        SemiAutomatic: "semi_automatic",
    }
}
words! {
    /// Are the pictures mirror images?
    Mirrored {
        /// Where that explains them clearly better.
        Auto: "auto",
        /// Always.
        Always: "true",
        /// Never.
        Never: "false",
    }
}
words! {
    /// What becomes of an illegal move that is answered.
    StandingIllegal {
        /// No more than the warning.
        Warn: "warn",
        /// The game goes on from there in a new record.
        Accept: "accept",
    }
}
