//! Whether a bag is of a simulation, by what is in it.

use robot_memory_bags::{BagReader, Filter};
use robot_memory_core::model::Stamp;
use robot_memory_perception::{has_header, header_stamp};

/// Stamps before are of no date that a robot's clock shows: they count from the begin of a run. 1e9 s, in
/// September 2001.
const DATED_SECS_MIN: i64 = 1_000_000_000;
/// Messages with a header whose stamps are looked at.
const STAMPS_MAX: usize = 200;
/// Parts of names that topics of simulators begin with.
const SIMULATORS: [&str; 11] = [
    "gazebo",
    "gz",
    "ign",
    "ignition",
    "world",
    "mujoco",
    "isaac",
    "isaac_sim",
    "webots",
    "coppeliasim",
    "pybullet",
];

/// What shows that a bag is of a simulation; `None`: nothing does.
pub(super) fn evidence(reader: &mut BagReader, has_clock: bool) -> Option<String> {
    if has_clock {
        return Some("it has /clock".to_owned());
    }
    let simulator = reader.topics().iter().find(|topic| {
        let first = topic.name.trim_start_matches('/').split('/').next().unwrap_or_default();
        SIMULATORS.contains(&first.to_lowercase().as_str()) && topic.message_count > 0
    });
    if let Some(topic) = simulator {
        return Some(format!("it has {}", topic.name));
    }
    let dated = Stamp::from_secs(DATED_SECS_MIN);
    if let Some((begin, _)) = reader.span()
        && begin < dated
        && begin > Stamp(0)
    {
        return Some(format!("its times begin at {} s, on no date", begin.0 / 1_000_000_000));
    }
    let stamped: Vec<usize> = reader
        .topics()
        .iter()
        .enumerate()
        .filter(|(_, topic)| topic.encoding == "cdr" && has_header(&topic.type_name, None))
        .map(|(place, _)| place)
        .collect();
    if stamped.is_empty() {
        return None;
    }
    let filter = Filter { topics: Some(stamped), from: None, until: None };
    let messages = reader.messages(filter).take(STAMPS_MAX).filter_map(Result::ok);
    let stamps: Vec<Stamp> = messages.filter_map(|message| header_stamp(&message.bytes)).collect();
    let undated: Vec<&Stamp> = stamps.iter().filter(|stamp| **stamp < dated).collect();
    let first = undated.first().filter(|_| 2 * undated.len() > stamps.len())?;
    Some(format!("its stamps begin at {:.1} s, on no date", first.0 as f64 / 1e9))
}
