//! What a stream is called.

use super::robots::BATTERY;
use crate::LayoutKind;

/// What kind of thing a stream tells of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sense {
    /// Numbers.
    Numbers(LayoutKind),
    /// Yes or no.
    Bool,
    /// Words.
    Text,
    /// Pictures.
    Image,
}

/// What a stream is called in a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Subject(pub(super) String);

impl Subject {
    /// From the stream's name, when it was given one, else from its topic:
    /// `/ur3/protective_stop` is the protective stop, `/wrist/wrench` the wrist force.
    pub fn new(name: &str, topic: &str, sense: Sense) -> Self {
        let bare = topic.trim_start_matches(['~', '/']);
        let is_named = name != bare && name != topic;
        let mut segments: Vec<Vec<String>> =
            (if is_named { name } else { bare }).split('/').map(words_of).collect();
        segments.retain(|words| !words.is_empty());
        // The name of the robot or of its make, which all of its topics share.
        let has_digit =
            |words: &Vec<String>| words.iter().any(|word| word.contains(char::is_numeric));
        if segments.len() > 1 && has_digit(&segments[0]) {
            segments.remove(0);
        }
        Self(match sense {
            Sense::Bool | Sense::Text => {
                let own = segments.pop().unwrap_or_default().join(" ");
                let space = segments.concat().join(" ");
                if space.is_empty() { own } else { format!("{space}: {own}") }
            }
            Sense::Numbers(LayoutKind::Joints) => without(&segments, JOINTS, ARM, ""),
            Sense::Numbers(LayoutKind::Wrench) => without(&segments, FORCES, "", "force"),
            Sense::Numbers(LayoutKind::Taxels) => without(&segments, TAXELS, "", "tactile sensor"),
            Sense::Numbers(LayoutKind::Imu) => without(&segments, IMUS, "", "IMU"),
            Sense::Numbers(LayoutKind::Plain) => {
                let is_battery = segments.iter().flatten().any(|word| word == BATTERY);
                let generic = if is_battery { BATTERIES } else { PLAIN };
                without(&segments, generic, "value", "")
            }
            Sense::Image => {
                let words = without(&segments, IMAGES, "camera", "");
                if words.contains("cam") { words } else { format!("{words} camera") }
            }
        })
    }

    /// The words.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What joints of which nothing else is said are called.
pub(super) const ARM: &str = "arm";
const JOINTS: &[&str] = &["joint", "joints", "state", "states", "data", "raw", "broadcaster"];
const FORCES: &[&str] = &[
    "wrench",
    "ft",
    "force",
    "torque",
    "forcetorque",
    "sensor",
    "data",
    "raw",
    "filtered",
    "state",
    "states",
    "broadcaster",
];
const TAXELS: &[&str] = &["tactile", "taxels", "taxel", "sensor", "data", "raw", "array", "skin"];
const IMUS: &[&str] = &["imu", "data", "raw", "sensor"];
const IMAGES: &[&str] =
    &["image", "images", "raw", "rgb", "color", "colour", "compressed", "rect", "mono", "data"];
const PLAIN: &[&str] = &["data"];
const BATTERIES: &[&str] = &["data", "state", "status"];

/// `grip_lost` and `gripLost` are both `grip`, `lost`.
pub(super) fn words_of(segment: &str) -> Vec<String> {
    words_by(segment, |before| before.is_lowercase() || before.is_numeric())
}

/// The words of a name in small letters; one begins at a capital behind a letter that ends one.
pub(crate) fn words_by(name: &str, ends: impl Fn(char) -> bool) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut may_end = false;
    for letter in name.chars() {
        let is_hump = letter.is_uppercase() && may_end;
        if !letter.is_alphanumeric() || is_hump {
            words.push(String::new());
        }
        if letter.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(letter.to_lowercase());
        }
        may_end = ends(letter);
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The words that say which one it is, and what it is.
fn without(segments: &[Vec<String>], generic: &[&str], if_none: &str, what: &str) -> String {
    let mut words: Vec<&str> = Vec::new();
    for word in segments.iter().flatten().map(String::as_str) {
        if !generic.contains(&word) && words.last() != Some(&word) {
            words.push(word);
        }
    }
    if words.is_empty() {
        words.push(if_none);
    }
    words.push(what);
    words.join(" ").trim().to_owned()
}
