//! The definitions of the messages that we write, as an MCAP file carries them (`ros2msg`: the definition, and those
//! of the types that it names, separated by a line of 80 equals signs).

use super::messages::types;

const SEPARATOR: &str = "================================================================================";

const IMAGE: &str = "std_msgs/Header header
uint32 height
uint32 width
string encoding
uint8 is_bigendian
uint32 step
uint8[] data
";

const COMPRESSED_IMAGE: &str = "std_msgs/Header header
string format
uint8[] data
";

const CAMERA_INFO: &str = "std_msgs/Header header
uint32 height
uint32 width
string distortion_model
float64[] d
float64[9] k
float64[9] r
float64[12] p
uint32 binning_x
uint32 binning_y
sensor_msgs/RegionOfInterest roi
";

const REGION_OF_INTEREST: &str = "uint32 x_offset
uint32 y_offset
uint32 height
uint32 width
bool do_rectify
";

const HEADER: &str = "builtin_interfaces/Time stamp
string frame_id
";

const TIME: &str = "int32 sec
uint32 nanosec
";

/// The definition of a type that we write; `None` for others.
#[must_use]
pub(super) fn definition(kind: &str) -> Option<String> {
    let (own, parts): (&str, &[(&str, &str)]) = match kind {
        types::IMAGE => (IMAGE, &[("std_msgs/Header", HEADER), ("builtin_interfaces/Time", TIME)]),
        types::COMPRESSED_IMAGE => {
            (COMPRESSED_IMAGE, &[("std_msgs/Header", HEADER), ("builtin_interfaces/Time", TIME)])
        }
        types::CAMERA_INFO => (
            CAMERA_INFO,
            &[
                ("sensor_msgs/RegionOfInterest", REGION_OF_INTEREST),
                ("std_msgs/Header", HEADER),
                ("builtin_interfaces/Time", TIME),
            ],
        ),
        types::STRING => ("string data\n", &[]),
        _ => return None,
    };
    let parts = parts.iter().map(|(name, text)| format!("{SEPARATOR}\nMSG: {name}\n{text}"));
    Some(std::iter::once(own.to_owned()).chain(parts).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_named_type_is_defined() {
        for kind in [types::IMAGE, types::COMPRESSED_IMAGE, types::CAMERA_INFO, types::STRING] {
            let text = definition(kind).unwrap();
            let defined: Vec<&str> = text.lines().filter_map(|l| l.strip_prefix("MSG: ")).collect();
            let named = text.lines().filter(|l| !l.starts_with("MSG: ")).filter_map(|l| l.split(' ').next());
            for name in named.filter(|n| n.contains('/')) {
                assert!(defined.contains(&name), "{kind}: {name}");
            }
        }
        assert_eq!(definition("a/msg/B"), None);
    }
}
