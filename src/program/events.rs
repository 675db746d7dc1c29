//! Events as JSON lines.

use serde::Serialize;

use crate::frame::Stamp;

/// One event as a line of JSON without line end: the event's own name, the picture, then what it says.
///
/// # Errors
/// In words, when the event cannot be written as JSON.
pub fn line(event: &impl Serialize, frame: usize, stamp: Stamp, picture: Option<&str>) -> Result<String, String> {
    let own = serde_json::to_string(event).map_err(|e| format!("event cannot be written: {e}"))?;
    // `{"event":"name"` comes first; no name holds a comma.
    let (name, rest) =
        own.split_once(',').map_or((own.trim_end_matches('}'), "}".to_owned()), |(n, r)| (n, format!(",{r}")));
    // Divided, not multiplied by 1e-9: the nearest number, so that 30.2 is written as 30.2.
    let seconds = stamp.0 as f64 / 1e9;
    let picture = match picture {
        Some(p) => format!(",\"picture\":{}", serde_json::Value::from(p)),
        None => String::new(),
    };
    Ok(format!("{name},\"frame\":{frame},\"stamp\":{}{picture}{rest}", serde_json::Value::from(seconds)))
}

#[cfg(test)]
mod tests {
    use shakmaty::{Bitboard, Outcome, Square, fen::Fen};

    use super::*;
    use crate::event::{Event, ending::Ending, reasons::IllegalReason};

    #[test]
    fn lines_are_as_the_contract_writes_them() {
        let event = Event::Touched { square: Square::D1 };
        assert_eq!(
            line(&event, 150, Stamp::from_s(30.2), Some("a \"b\".jpg")).unwrap(),
            r#"{"event":"touched","frame":150,"stamp":30.2,"picture":"a \"b\".jpg","square":"d1"}"#
        );
        assert_eq!(line(&Event::Restored, 3, Stamp(0), None).unwrap(), r#"{"event":"restored","frame":3,"stamp":0.0}"#);
        // Of mirrors only those say anything that are some.
        let found = line(&Event::found([[0.5; 2]; 4]), 0, Stamp(0), None).unwrap();
        assert!(!found.contains("mirrored"), "{found}");
    }

    #[test]
    fn every_line_reads_back_as_its_event() {
        let events = [
            Event::found([[0.25, 1.0], [2.0, 3.0], [4.0, 5.0], [6.0, 7.5]]),
            Event::BoardFound { corners: [[6.0, 7.5], [4.0, 5.0], [2.0, 3.0], [0.25, 1.0]], mirrored: true },
            Event::BoardLost,
            Event::Move {
                ply: 1,
                uci: "e2e4".parse().unwrap(),
                san: "e4".parse().unwrap(),
                fen: Fen::default(),
                confidence: 0.5,
            },
            Event::NewGame { fen: Fen::default() },
            Event::Illegal {
                reasons: IllegalReason::ALL.into_iter().collect(),
                squares: Bitboard::from_square(Square::E4).with(Square::A1),
                uci: None,
                text: "f, \"x\"}".into(),
            },
            Event::Touched { square: Square::D1 },
            Event::Result { result: Outcome::Unknown, reason: Ending::GoesOn },
        ];
        for event in events {
            let text = line(&event, 7, Stamp::from_s(1.5), Some("p, }.png")).unwrap();
            let value: serde_json::Value = serde_json::from_str(&text).unwrap();
            assert_eq!(
                (&value["frame"], &value["stamp"], &value["picture"]),
                (&7.into(), &1.5.into(), &"p, }.png".into())
            );
            assert_eq!(serde_json::from_value::<Event>(value).unwrap(), event);
        }
    }
}
