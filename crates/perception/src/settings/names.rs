//! Names of topics and types.

use crate::describe::words_by;

/// Bytes of a topic's name (rmw: 255 less what a middleware puts before it).
const TOPIC_BYTES_MAX: usize = 247;

/// A type's full name: `sensor_msgs/JointState` and `sensor_msgs/msg/JointState` are
/// `sensor_msgs/msg/JointState`. `None` for what is no name of a message type.
pub fn full_type_name(name: &str) -> Option<String> {
    let parts: Vec<&str> = name.split('/').collect();
    let (package, message) = match parts[..] {
        [package, message] | [package, "msg", message] => (package, message),
        _ => return None,
    };
    let is_package = package.starts_with(|c: char| c.is_ascii_lowercase())
        && package.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    let is_message = message.starts_with(|c: char| c.is_ascii_uppercase())
        && message.chars().all(|c| c.is_ascii_alphanumeric());
    (is_package && is_message).then(|| format!("{package}/msg/{message}"))
}

/// What is wrong with a topic's name, by the rules of ROS 2 names; substitutions (`{node}`) are not
/// taken.
pub(super) fn fault_of_topic(topic: &str) -> Option<&'static str> {
    if topic.len() > TOPIC_BYTES_MAX {
        return Some("is longer than 247 bytes");
    }
    let path = topic.strip_prefix("~/").or(topic.strip_prefix('/')).unwrap_or(topic);
    if path.is_empty() {
        return Some("names no topic");
    }
    for token in path.split('/') {
        if token.is_empty() {
            return Some("has an empty part between two slashes or at its end");
        }
        if token.starts_with(|c: char| c.is_ascii_digit()) {
            return Some("has a part that begins with a digit");
        }
        if !token.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return Some(
                "has other characters than letters, digits, _ and / (~/ only at its start)",
            );
        }
    }
    None
}

/// Whether a topic's name says that it stops the robot: `/ur/e_stop`, `protectiveStop`, `急停`; not so when it
/// says the contrary, `estop_released`, `safety_ok`.
pub(super) fn is_stop(name: &str) -> bool {
    const WORDS: [&str; 5] = ["stop", "stopped", "halt", "halted", "safety"];
    #[rustfmt::skip]
    const PARTS: [&str; 15] = [
        "estop", "emergency", "emstop", "emgstop", "protectivestop", "protectionstop", "safetystop",
        "safeguard", "killswitch", "stopbutton", "急停", "紧急", "保护性停", "保护停", "安全停",
    ];
    const CONTRARY: [&str; 18] = [
        "ok", "okay", "ready", "enable", "enabled", "clear", "cleared", "released", "release",
        "healthy", "reset", "valid", "no", "not", "off", "unlocked", "inactive", "alive",
    ];
    let words = words_by(name, char::is_lowercase);
    let is_of = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let whole = words.concat();
    (is_of(&WORDS) || PARTS.iter().any(|part| whole.contains(part))) && !is_of(&CONTRARY)
}

#[cfg(test)]
mod tests {
    use super::is_stop;

    #[test]
    fn a_stop_is_known_by_its_name() {
        let stops = [
            "/e_stop",
            "/estop",
            "/ur3/protective_stop",
            "/robot/EmergencyStop",
            "/io/emergency_stop_pressed",
            "/safety/stop",
            "/safety",
            "/base/E-Stop",
            "/kill_switch",
            "/safeguardStop",
            "/stop",
            "/eStop/state",
            "/safety_stop_active",
            "急停",
            "/arm/emStop",
            "/motors/halted",
        ];
        for name in stops {
            assert!(is_stop(name), "{name}");
        }
        let others = [
            "/estop_released",
            "/safety_ok",
            "/safety/enabled",
            "/gripper/grip_lost",
            "/door_open",
            "/stopwatch",
            "/bus_stops_count",
            "/e_stop/reset",
            "/not_stopped",
            "/charging",
            "",
            "/",
        ];
        for name in others {
            assert!(!is_stop(name), "{name}");
        }
    }
}
