//! What a node is given at its start: parameters that are declared, and topics that are listened to,
//! which have parameters of names of their own.

use super::{Invalid, Settings, Value, declaration};
use serde_json::{Map, Value as Json};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The parameter that says which topics are listened to, and what begins the names of those that say
/// more of each.
const STREAMS: &str = "streams";
/// The parameter that says which actions; a list of names, or one word.
const ACTIONS: &str = "actions";

/// What begins the names of parameters that say how a topic is subscribed to, in every node of ROS.
const QOS: &str = "qos_overrides";
/// What of them a subscription or a publisher here can be told.
const POLICIES: [&str; 3] = ["reliability", "durability", "depth"];

/// What a node is given at its start.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StartParameters {
    /// The declared parameters. The topics of `streams.<name>.<key>` are in `streams`, as the same text
    /// would be (docs/sensors.md).
    pub settings: Settings,
    /// `streams.<name>.<key>` as they were given, by their full names, or `streams` itself as a list.
    pub streams: BTreeMap<String, Value>,
    /// `qos_overrides.<topic>.subscription.<policy>` and `.publisher.<policy>` as they were given, by their
    /// full names.
    pub qos: BTreeMap<String, Value>,
    /// Names that are not declared.
    pub unknown: Vec<String>,
}

impl StartParameters {
    /// Takes parameters in; of two of a name, the later.
    ///
    /// # Errors
    /// When one does not take its value, or two do not go together.
    pub fn take(parameters: impl IntoIterator<Item = (String, Value)>) -> Result<Self, Invalid> {
        let mut given = Self::default();
        let parameters: BTreeMap<String, Value> = parameters.into_iter().collect();
        for (name, value) in parameters {
            match value {
                Value::Texts(topics) if name == STREAMS => {
                    given.settings.set(&name, Value::Text(Cow::Owned(list_of(&topics))))?;
                    given.streams.insert(name, Value::Texts(topics));
                }
                Value::Texts(actions) if name == ACTIONS => {
                    given.settings.set(&name, Value::Text(Cow::Owned(actions.join(" "))))?;
                }
                // In YAML `off` without quotes is this.
                Value::Bool(false) if name == ACTIONS => {
                    given.settings.set(&name, Value::Text(Cow::Borrowed("off")))?;
                }
                value if declaration(&name).is_some() => given.settings.set(&name, value)?,
                value if parts_of(&name).is_some() => {
                    given.streams.insert(name, value);
                }
                value if qos_of(&name).is_some() => {
                    given.qos.insert(name, value);
                }
                _ => given.unknown.push(name),
            }
        }
        if let Some(first) = given.streams.keys().find(|name| *name != STREAMS) {
            if !given.settings.streams.is_empty() {
                return Err(Invalid(format!(
                    "parameters {STREAMS} and {first} are both given; give the one or the other"
                )));
            }
            given.settings.streams = nested(&given.streams)?.to_string();
        }
        Ok(given)
    }
}

impl StartParameters {
    /// How topics are subscribed to or published, by their full names: a map of policies as `qos` of a topic
    /// has them.
    pub fn qos_overrides(&self, entity: QosEntity) -> BTreeMap<String, Json> {
        let mut topics: BTreeMap<String, Map<String, Json>> = BTreeMap::new();
        for (name, value) in &self.qos {
            if let Some((topic, of, policy)) = qos_of(name)
                && of == entity
            {
                topics.entry(topic.to_owned()).or_default().insert(policy.to_owned(), json(value));
            }
        }
        topics.into_iter().map(|(topic, policies)| (topic, Json::Object(policies))).collect()
    }
}

/// Whose quality of service a parameter gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QosEntity {
    /// That of what subscribes to a topic.
    Subscription,
    /// That of what publishes a topic.
    Publisher,
}

impl QosEntity {
    const fn infix(self) -> &'static str {
        match self {
            Self::Subscription => ".subscription.",
            Self::Publisher => ".publisher.",
        }
    }
}

/// Topic, entity and policy of a parameter that gives a quality of service.
fn qos_of(name: &str) -> Option<(&str, QosEntity, &str)> {
    let (first, rest) = name.split_once('.')?;
    let entities = [QosEntity::Subscription, QosEntity::Publisher];
    let (topic, entity, policy) = entities.into_iter().find_map(|entity| {
        rest.split_once(entity.infix()).map(|(topic, policy)| (topic, entity, policy))
    })?;
    (first == QOS && topic.starts_with('/') && POLICIES.contains(&policy))
        .then_some((topic, entity, policy))
}

/// Of `streams.wrist.topic`, what stands after `streams`.
fn parts_of(name: &str) -> Option<Vec<&str>> {
    let (first, rest) = name.split_once('.')?;
    (first == STREAMS).then(|| rest.split('.').collect())
}

/// `[/a, /b]`, or the one word that stands for a list.
fn list_of(topics: &[String]) -> String {
    match topics {
        [auto] if auto == "auto" => auto.clone(),
        topics => texts(topics).to_string(),
    }
}

/// A list of texts. ROS cannot say an empty one: one empty text stands for it.
fn texts(texts: &[String]) -> Json {
    match texts {
        [empty] if empty.is_empty() => Json::Array(Vec::new()),
        texts => Json::from(texts),
    }
}

/// `{"wrist": {"topic": "/wrist/wrench"}}`
fn nested(streams: &BTreeMap<String, Value>) -> Result<Json, Invalid> {
    let mut all = Map::new();
    for (name, value) in streams {
        let parts = parts_of(name).unwrap_or_default();
        let Some((last, above)) = parts.split_last() else { continue };
        let mut place = &mut all;
        for part in above {
            let below = place.entry((*part).to_owned()).or_insert_with(|| Json::Object(Map::new()));
            let Json::Object(below) = below else {
                let short = name.trim_end_matches(&format!(".{last}"));
                return Err(Invalid(format!(
                    "parameters {short} and {name} are both given; give the one or the other"
                )));
            };
            place = below;
        }
        place.insert((*last).to_owned(), json(value));
    }
    Ok(Json::Object(all))
}

fn json(value: &Value) -> Json {
    match value {
        Value::Bool(value) => Json::from(*value),
        Value::Integer(value) => Json::from(*value),
        Value::Double(value) => Json::from(*value),
        Value::Text(value) => Json::from(value.as_ref()),
        Value::Bytes(values) => Json::from(values.as_slice()),
        Value::Bools(values) => Json::from(values.as_slice()),
        Value::Integers(values) => Json::from(values.as_slice()),
        Value::Doubles(values) => Json::from(values.as_slice()),
        Value::Texts(values) => texts(values),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn text(text: &'static str) -> Value {
        Value::Text(Cow::Borrowed(text))
    }

    fn list(texts: &[&str]) -> Value {
        Value::Texts(texts.iter().map(|&text| text.to_owned()).collect())
    }

    fn take(parameters: &[(&str, Value)]) -> Result<StartParameters, String> {
        let parameters = parameters.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
        StartParameters::take(parameters).map_err(|invalid| invalid.0)
    }

    #[test]
    fn declared_parameters_are_set_and_others_told() {
        let given = [("queue_max", Value::Integer(7)), ("stream", text("x")), ("zzz.a", text("y"))];
        let given = take(&given).unwrap();
        assert_eq!(given.settings.queue_max, 7);
        assert_eq!(given.unknown, ["stream", "zzz.a"]);
        let wrong = take(&[("queue_max", list(&["a"]))]).unwrap_err();
        assert_eq!(wrong, r#"parameter queue_max takes an integer, not a list of strings (["a"])"#);
    }

    #[test]
    fn actions_are_a_word_a_list_or_off() {
        let cases = [
            (text("auto"), "auto"),
            (list(&["/a", "/b"]), "/a /b"),
            (list(&[""]), ""),
            (Value::Bool(false), "off"),
        ];
        for (value, expected) in cases {
            assert_eq!(take(&[("actions", value)]).unwrap().settings.actions, expected);
        }
        assert!(take(&[("actions", Value::Bool(true))]).is_err());
    }

    #[test]
    fn topics_are_a_text_or_a_list() {
        let cases = [
            (text("auto"), "auto"),
            (text("[/a, /b]"), "[/a, /b]"),
            (list(&["/a", "/b"]), r#"["/a","/b"]"#),
            (list(&["auto"]), "auto"),
            (list(&[""]), "[]"),
            (list(&[]), "[]"),
        ];
        for (value, expected) in cases {
            let given = take(&[("streams", value.clone())]).unwrap();
            assert_eq!(given.settings.streams, expected);
            let as_given = Some(value).filter(|value| matches!(value, Value::Texts(_)));
            assert_eq!(given.streams.get("streams").cloned(), as_given);
        }
    }

    #[test]
    fn parameters_of_each_topic_are_put_together() {
        let given = [
            ("streams.wrist.topic", text("/wrist/wrench")),
            ("streams.wrist.triggers.impact.rate", Value::Double(300.0)),
            ("streams.wrist.triggers.contact", Value::Bool(true)),
            ("streams.wrist.qos.depth", Value::Integer(10)),
            ("streams.arm", text("/joint_states")),
            ("streams.cup.triggers", list(&["slip", "contact"])),
            ("streams.cup.topic", text("/taxels")),
        ];
        let given = take(&given).unwrap();
        let streams: Json = serde_json::from_str(&given.settings.streams).unwrap();
        let expected = json!({
            "arm": "/joint_states",
            "cup": {"topic": "/taxels", "triggers": ["slip", "contact"]},
            "wrist": {
                "topic": "/wrist/wrench",
                "triggers": {"contact": true, "impact": {"rate": 300.0}},
                "qos": {"depth": 10},
            },
        });
        assert_eq!((streams, given.streams.len()), (expected, 7));
    }

    #[test]
    fn how_topics_are_subscribed_to_is_put_together() {
        let given = [
            ("qos_overrides./a/b.subscription.reliability", text("best_effort")),
            ("qos_overrides./a/b.subscription.depth", Value::Integer(5)),
            ("qos_overrides./c.subscription.durability", text("transient_local")),
            ("qos_overrides./c.publisher.depth", Value::Integer(5)),
            ("qos_overrides./c.subscription.deadline", Value::Integer(5)),
            ("qos_overrides.c.subscription.depth", Value::Integer(5)),
        ];
        let given = take(&given).unwrap();
        let expected = [
            ("/a/b".to_owned(), json!({"depth": 5, "reliability": "best_effort"})),
            ("/c".to_owned(), json!({"durability": "transient_local"})),
        ];
        assert_eq!(given.qos_overrides(QosEntity::Subscription), expected.into());
        let published = BTreeMap::from([("/c".to_owned(), serde_json::json!({"depth": 5}))]);
        assert_eq!(given.qos_overrides(QosEntity::Publisher), published);
        assert_eq!((given.qos.len(), given.unknown.len()), (4, 2));
    }

    #[test]
    fn what_does_not_go_together_is_an_error() {
        let both = [("streams", text("auto")), ("streams.arm.topic", text("/a"))];
        let expected = "parameters streams and streams.arm.topic are both given";
        assert!(take(&both).unwrap_err().starts_with(expected));
        let twice = [("streams.arm", text("/a")), ("streams.arm.topic", text("/b"))];
        let expected = "parameters streams.arm and streams.arm.topic are both given";
        assert!(take(&twice).unwrap_err().starts_with(expected));
    }
}
