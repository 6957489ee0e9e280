//! Whose actions become attempts.

use crate::config::{Invalid, Settings};
use crate::faces::patterns::names_topic;

/// What the topic of an action's status is called, behind the action's name.
pub(super) const STATUS: &str = "/_action/status";
/// The topic whose type names the action's type, and what that type has behind it.
const FEEDBACK: (&str, &str) = ("/_action/feedback", "_FeedbackMessage");
const STATUS_TYPE: &str = "action_msgs/msg/GoalStatusArray";

/// Actions that Nav2 calls again and again within one navigation, whose goals are no attempts of their own:
/// `auto` leaves them out.
const INNER: [&str; 5] = [
    "compute_path_to_pose",
    "compute_path_through_poses",
    "compute_route",
    "smooth_path",
    "follow_path",
];

/// What the parameters `actions` and `actions_exclude` say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::faces::ros) struct Selection {
    /// `None`: auto.
    names: Option<Vec<String>>,
    exclude: Vec<String>,
}

/// An action that somebody offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Offered {
    /// Its full name.
    pub action: String,
    /// `my_msgs/action/Pick`; empty as long as it is not known.
    pub type_name: String,
}

impl Selection {
    /// Reads them; `None`: no action.
    ///
    /// # Errors
    /// When a name cannot be one of an action.
    pub fn read(settings: &Settings) -> Result<Option<Self>, Invalid> {
        let exclude = settings.actions_exclude.clone();
        let mut names: Vec<String> =
            settings.actions.split_whitespace().map(str::to_owned).collect();
        let names = match names.as_slice() {
            [] => return Ok(None),
            [word] if word == "off" => return Ok(None),
            [word] if word == "auto" => None,
            _ => Some(std::mem::take(&mut names)),
        };
        for name in names.iter().flatten().chain(&exclude) {
            let is_letter = |c: char| c.is_ascii_alphanumeric() || "_/*".contains(c);
            if name == "auto" || name == "off" || !name.chars().all(is_letter) {
                return Err(Invalid(format!(
                    "parameters actions and actions_exclude: {name:?} is no name of an action; auto and off \
                     stand alone"
                )));
            }
        }
        Ok(Some(Self { names, exclude }))
    }

    /// Whether the goals of an action become attempts, in a node of this namespace.
    pub fn has(&self, action: &str, namespace: &str) -> bool {
        let namespace = namespace.trim_end_matches('/');
        let is_named = |pattern: &String| match pattern.starts_with('/') {
            true => names_topic(pattern, action),
            false => names_topic(&format!("{namespace}/{pattern}"), action),
        };
        if self.exclude.iter().any(is_named) {
            return false;
        }
        match &self.names {
            Some(names) => names.iter().any(is_named),
            None => !INNER.contains(&action.rsplit('/').next().unwrap_or_default()),
        }
    }
}

/// What a memory offers itself, in the name of its node.
const OF_MEMORIES: [&str; 3] = ["maintain", "rebuild", "import"];

/// Whether an action is that of a memory, by the full name of the node that serves it: what becomes of its
/// goals is in its jobs.
pub(super) fn is_of_memory(action: &str, node_name: &str) -> bool {
    action.rsplit_once('/').is_some_and(|(of, name)| of == node_name && OF_MEMORIES.contains(&name))
}

/// The actions among topics and their types, by their names.
pub(super) fn offered<'a>(
    topics: impl Iterator<Item = (&'a str, &'a [String])> + Clone,
) -> Vec<Offered> {
    let mut all: Vec<Offered> = topics
        .clone()
        .filter(|(_, types)| types.iter().any(|name| name == STATUS_TYPE))
        .filter_map(|(topic, _)| topic.strip_suffix(STATUS))
        .map(|action| Offered { action: action.to_owned(), type_name: String::new() })
        .collect();
    all.sort_by(|a, b| a.action.cmp(&b.action));
    for (topic, types) in topics {
        let Some(action) = topic.strip_suffix(FEEDBACK.0) else { continue };
        let type_name = types.iter().find_map(|name| name.strip_suffix(FEEDBACK.1));
        let of_action = all.binary_search_by(|offered| offered.action.as_str().cmp(action));
        if let (Ok(place), Some(type_name)) = (of_action, type_name) {
            type_name.clone_into(&mut all[place].type_name);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selection(actions: &str, exclude: &[&str]) -> Result<Option<Selection>, Invalid> {
        Selection::read(&Settings {
            actions: actions.to_owned(),
            actions_exclude: exclude.iter().map(|&it| it.to_owned()).collect(),
            ..Settings::default()
        })
    }

    #[test]
    fn actions_are_all_none_or_some() {
        for off in ["", " ", "off"] {
            assert_eq!(selection(off, &[]), Ok(None));
        }
        for wrong in ["auto /a", "off /a", "/a, /b", "[/a]"] {
            assert!(selection(wrong, &[]).is_err(), "{wrong}");
        }
        let cases = [
            ("auto", "/navigate_to_pose", true),
            ("auto", "/robot1/follow_path", false),
            ("/robot1/follow_path", "/robot1/follow_path", true),
            ("pick", "/arm/pick", true),
            ("pick", "/pick", false),
            ("/pick place*", "/arm/place_cup", true),
            ("/**/pick", "/a/b/pick", true),
        ];
        for (actions, action, expected) in cases {
            let selection = selection(actions, &[]).unwrap().unwrap();
            assert_eq!(selection.has(action, "/arm"), expected, "{actions} {action}");
        }
        let without = selection("auto", &["/arm/*"]).unwrap().unwrap();
        assert!(!without.has("/arm/pick", "/") && without.has("/base/dock", "/"));
    }

    #[test]
    fn actions_are_known_by_their_status_and_typed_by_their_feedback() {
        let topics = [
            ("/pick/_action/feedback", "my_msgs/action/Pick_FeedbackMessage"),
            ("/pick/_action/status", STATUS_TYPE),
            ("/dock/_action/status", STATUS_TYPE),
            ("/odd/_action/status", "std_msgs/msg/String"),
        ]
        .map(|(topic, name)| (topic, vec![name.to_owned()]));
        let offered = offered(topics.iter().map(|(topic, types)| (*topic, types.as_slice())));
        let named: Vec<_> =
            offered.iter().map(|it| (it.action.as_str(), it.type_name.as_str())).collect();
        assert_eq!(named, [("/dock", ""), ("/pick", "my_msgs/action/Pick")]);
        let memories = [("/a/memory/import", "/a/memory"), ("/import", "/a"), ("/a/pick", "/a")];
        let are = memories.map(|(action, node_name)| is_of_memory(action, node_name));
        assert_eq!(are, [true, false, false]);
    }
}
