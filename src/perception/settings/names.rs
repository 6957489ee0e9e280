//! Names of topics and types.

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
