//! Names of topics and types, and the nearest of what may have been meant.

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

/// The one of `known` that `given` is most likely a slip of: at most a third of its letters differ
/// (Levenshtein's distance), the first of equals.
pub fn nearest<'a>(given: &str, known: &[&'a str]) -> Option<&'a str> {
    const CHARS_MAX: usize = 64;
    let given: Vec<char> = given.chars().take(CHARS_MAX).flat_map(char::to_lowercase).collect();
    let distance_max = (given.len() / 3).max(1);
    known
        .iter()
        .map(|name| (distance(&given, name), *name))
        .filter(|(distance, name)| *distance <= distance_max && *distance < name.len())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// How many letters have to be put in, taken out or exchanged.
fn distance(given: &[char], name: &str) -> usize {
    let mut row: Vec<usize> = (0..=given.len()).collect();
    for (i, letter) in name.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, other) in given.iter().enumerate() {
            let exchanged = diagonal + usize::from(letter != *other);
            diagonal = row[j + 1];
            row[j + 1] = exchanged.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[given.len()]
}
