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

/// Whether a topic's name says that an operator commands: `/teleop/cmd_vel`, `/joy_vel`, `/key_vel`.
pub(super) fn is_teleop(name: &str) -> bool {
    const WORDS: [&str; 8] =
        ["teleop", "teleoperation", "joy", "joystick", "gamepad", "key", "keyboard", "operator"];
    words_by(name, char::is_lowercase).iter().any(|word| WORDS.contains(&word.as_str()))
}

/// The topic that says the same as one of this type and name, if there is such a topic: a raw image beside a
/// compressed one, the joints beside all of their interfaces, diagnostics beside the sum of them.
pub fn twin_of(topic: &str, type_name: &str) -> Option<String> {
    let (space, name) = topic.rsplit_once('/')?;
    match (type_name, name) {
        ("sensor_msgs/msg/CompressedImage", _) => Some(space.to_owned()),
        ("control_msgs/msg/DynamicJointState", _) => Some(format!("{space}/joint_states")),
        ("diagnostic_msgs/msg/DiagnosticArray", "diagnostics_agg") => {
            Some(format!("{space}/diagnostics"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_operator_commands_and_what_is_said_twice_is_known_by_names() {
        for (name, expected) in [
            ("/teleop/cmd_vel", true),
            ("/joy_vel", true),
            ("/key_vel", true),
            ("/joyful/cmd_vel", false),
            ("/cmd_vel", false),
        ] {
            assert_eq!(is_teleop(name), expected, "{name}");
        }
        for (topic, type_name, twin) in [
            ("/a/image_raw/compressed", "sensor_msgs/msg/CompressedImage", Some("/a/image_raw")),
            ("/dynamic_joint_states", "control_msgs/msg/DynamicJointState", Some("/joint_states")),
            ("/diagnostics_agg", "diagnostic_msgs/msg/DiagnosticArray", Some("/diagnostics")),
            ("/diagnostics", "diagnostic_msgs/msg/DiagnosticArray", None),
            ("/a/image_raw", "sensor_msgs/msg/Image", None),
        ] {
            assert_eq!(twin_of(topic, type_name).as_deref(), twin, "{topic}");
        }
    }

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
