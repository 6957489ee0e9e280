//! What the node would have been told: its parameter file, and what the flags say beside it.

use crate::config::{Settings, Value, declaration, nearest_name};
use crate::faces::cli::arguments::{ImportArguments, StoreArguments};
use crate::faces::cli::failure::Failure;
use crate::faces::paths::{Folders, NODE_NAME};
use crate::perception::Streams;
use serde_json::{Map, Value as Json};
use std::borrow::Cow;
use std::path::Path;

/// Bytes of a file of parameters or streams: a thousand times those that are shipped.
const FILE_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// The node's parameters, and what is listened to.
#[derive(Debug)]
pub struct Parameters {
    pub settings: Settings,
    /// `/` or that of the node in the file: relative topics are in it.
    pub namespace: String,
    pub node_name: String,
    pub streams: Streams,
}

impl Parameters {
    /// Reads the files that the flags name. Flags win over the file.
    pub fn read(arguments: &ImportArguments, folders: &Folders) -> Result<Self, Failure> {
        let mut given = match &arguments.params_file {
            Some(path) => {
                let text = read(path)?;
                of_file(&text)
                    .map_err(|reason| Failure::Given(format!("{}: {reason}", path.display())))?
            }
            None => Node::default(),
        };
        let settings = &mut given.settings;
        if let Some(collection) = &arguments.collection {
            set(settings, "default_collection", collection)?;
        }
        if let Some(sim_or_real) = &arguments.sim_or_real {
            set(settings, "sim_or_real", sim_or_real)?;
        }
        if let Some(path) = &arguments.access {
            set(settings, "access_path", &path.to_string_lossy())?;
        }
        let streams = streams(arguments, settings, folders)?;
        let Node { settings, namespace, name } = given;
        Ok(Self { settings, namespace, node_name: name, streams })
    }

    /// The store and the synonyms of the parameters, where no flag says others.
    pub fn complete(&self, store: &mut StoreArguments, folders: &Folders) -> Result<(), Failure> {
        if store.store.is_none() {
            let path = folders.store(&self.settings.store_path, &self.namespace, &self.node_name);
            store.store = Some(path.ok_or(Failure::NoHome)?);
        }
        if store.synonyms.is_none() && !self.settings.synonyms_path.is_empty() {
            let path = folders.expand(&self.settings.synonyms_path);
            store.synonyms = Some(path.ok_or(Failure::NoHome)?);
        }
        Ok(())
    }

    /// A topic's full name: relative ones are in the node's namespace, private ones in its name.
    pub fn full_name(&self, topic: &str) -> String {
        let namespace = self.namespace.trim_end_matches('/');
        if topic.starts_with('/') {
            return topic.to_owned();
        }
        match topic.strip_prefix("~/") {
            Some(private) => format!("{namespace}/{}/{private}", self.node_name),
            None => format!("{namespace}/{topic}"),
        }
    }
}

/// One node of a parameter file.
#[derive(Debug)]
struct Node {
    settings: Settings,
    namespace: String,
    name: String,
}

impl Default for Node {
    fn default() -> Self {
        Self {
            settings: Settings::default(),
            namespace: "/".to_owned(),
            name: NODE_NAME.to_owned(),
        }
    }
}

/// What is listened to: by the flags, else as the node's parameters say, else every topic of a known
/// type.
fn streams(
    arguments: &ImportArguments,
    settings: &Settings,
    folders: &Folders,
) -> Result<Streams, Failure> {
    let (place, text) = if let Some(path) = &arguments.streams {
        (path.display().to_string(), read(path)?)
    } else if let Some(text) = &arguments.streams_text {
        ("--streams-text".to_owned(), text.clone())
    } else if !settings.streams.trim().is_empty() {
        ("parameter streams".to_owned(), settings.streams.clone())
    } else if !settings.streams_path.is_empty() {
        let path = folders.expand(&settings.streams_path).ok_or(Failure::NoHome)?;
        (path.display().to_string(), read(&path)?)
    } else {
        return Ok(Streams::Auto);
    };
    Streams::parse(&text).map_err(|error| Failure::Given(format!("{place}: {error}")))
}

fn read(path: &Path) -> Result<String, Failure> {
    let failed = |source| Failure::File { path: path.to_owned(), source };
    if std::fs::metadata(path).map_err(failed)?.len() > FILE_BYTES_MAX {
        return Err(Failure::Given(format!(
            "{} has more than {FILE_BYTES_MAX} bytes",
            path.display()
        )));
    }
    std::fs::read_to_string(path).map_err(failed)
}

fn set(settings: &mut Settings, name: &str, text: &str) -> Result<(), Failure> {
    settings
        .set(name, Value::Text(Cow::Owned(text.to_owned())))
        .map_err(|error| Failure::Given(error.to_string()))
}

/// The parameters of the node in a file of ROS: those of `/**`, then those of the node. That is the
/// one whose name is `robot_memory`, else the only one; its namespace is that of its name.
fn of_file(text: &str) -> Result<Node, String> {
    let document: Json = serde_saphyr::from_str(text)
        .map_err(|error| format!("no YAML: {}", error.without_snippet()))?;
    let Json::Object(nodes) = document else {
        return Err("it names no node; it must be as `/**: {ros__parameters: {...}}`".to_owned());
    };
    let nodes: Vec<(String, &Map<String, Json>)> = flat("", &nodes);
    let is_any = |name: &str| name.ends_with('*');
    let named: Vec<&str> =
        nodes.iter().map(|(name, _)| name.as_str()).filter(|name| !is_any(name)).collect();
    let own = named
        .iter()
        .find(|name| name.rsplit('/').next() == Some(NODE_NAME))
        .or(match named.as_slice() {
            [only] => Some(only),
            _ => None,
        })
        .copied();
    let mut node = Node::default();
    if let Some(own) = own {
        let (namespace, name) = own.rsplit_once('/').unwrap_or(("", own));
        node.namespace = format!("/{}", namespace.trim_matches('/'));
        node.name = name.to_owned();
    }
    let general = nodes.iter().filter(|(name, _)| is_any(name));
    let special = nodes.iter().filter(|(name, _)| Some(name.as_str()) == own);
    let mut is_empty = true;
    for (_, parameters) in general.chain(special) {
        is_empty = false;
        for (name, value) in *parameters {
            assign(&mut node.settings, name, value)?;
        }
    }
    if is_empty {
        return Err(format!("it has no parameters of {NODE_NAME}: only of {}", named.join(", ")));
    }
    Ok(node)
}

/// Nodes with their full names. In a file a namespace can hold nodes.
fn flat<'a>(prefix: &str, nodes: &'a Map<String, Json>) -> Vec<(String, &'a Map<String, Json>)> {
    let mut found = Vec::new();
    for (name, value) in nodes {
        let full_name = format!("{prefix}/{}", name.trim_matches('/'));
        let Json::Object(fields) = value else { continue };
        match fields.get("ros__parameters") {
            Some(Json::Object(parameters)) => found.push((full_name, parameters)),
            Some(_) => {}
            None => found.extend(flat(&full_name, fields)),
        }
    }
    found
}

/// Sets a parameter that is declared. Others are not of this program, but for one whose name was
/// meant to be.
fn assign(settings: &mut Settings, name: &str, value: &Json) -> Result<(), String> {
    if declaration(name).is_none() {
        return match nearest_name(name) {
            Some(nearest) => Err(format!("there is no parameter {name}; {nearest} may be meant")),
            None => Ok(()),
        };
    }
    let value = match value {
        Json::Bool(value) => Value::Bool(*value),
        Json::String(text) => Value::Text(Cow::Owned(text.clone())),
        Json::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => Value::Integer(whole),
            (None, Some(number)) => Value::Double(number),
            (None, None) => return Err(format!("parameter {name}: {number} is out of range")),
        },
        Json::Null => return Ok(()),
        Json::Array(_) | Json::Object(_) => {
            return Err(format!("parameter {name} takes one value, not a list or a map"));
        }
    };
    settings.set(name, value).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_parameters_is_read_as_ros_does() {
        let cases = [
            ("/**:\n  ros__parameters:\n    map_id: a\n", "/", "robot_memory", "a"),
            (
                "/**:\n  ros__parameters: {map_id: a, reorder_secs: 1}\nrobot_memory:\n  \
                 ros__parameters: {map_id: b}\nother: {ros__parameters: {map_id: c}}\n",
                "/",
                "robot_memory",
                "b",
            ),
            ("/arm/memory: {ros__parameters: {map_id: d, other: 1}}", "/arm", "memory", "d"),
            ("arm: {robot_memory: {ros__parameters: {map_id: e}}}", "/arm", "robot_memory", "e"),
        ];
        for (text, namespace, name, map_id) in cases {
            let node = of_file(text).expect(text);
            let told = (&*node.namespace, &*node.name, &*node.settings.map_id);
            assert_eq!(told, (namespace, name, map_id));
        }
    }

    #[test]
    fn the_shipped_file_is_taken() {
        let node = of_file(include_str!("../../../../config/memory.yaml")).expect("it is taken");
        assert_eq!(node.settings, Settings::default());
    }

    #[test]
    fn a_mistake_is_named() {
        let cases = [
            ("- 1", "names no node"),
            ("a: [", "no YAML"),
            ("other: 1", "no parameters of robot_memory"),
            ("robot_memory: {ros__parameters: {map_idd: a}}", "map_id may be meant"),
            ("robot_memory: {ros__parameters: {map_id: [a]}}", "map_id takes one value"),
            ("robot_memory: {ros__parameters: {reorder_secs: 99}}", "reorder_secs must be from 0"),
            ("robot_memory: {ros__parameters: {map_id: 7}}", "map_id takes a string"),
        ];
        for (text, expected) in cases {
            let reason = of_file(text).expect_err(text);
            assert!(reason.contains(expected), "{reason}");
        }
    }

    #[test]
    fn topics_are_resolved_as_the_node_does() {
        let parameters = |namespace: &str| Parameters {
            settings: Settings::default(),
            namespace: namespace.to_owned(),
            node_name: "robot_memory".to_owned(),
            streams: Streams::Auto,
        };
        for (namespace, topic, full) in [
            ("/", "joint_states", "/joint_states"),
            ("/arm", "wrist/wrench", "/arm/wrist/wrench"),
            ("/arm", "/wrench", "/wrench"),
            ("/", "~/x", "/robot_memory/x"),
            ("/arm", "~/x", "/arm/robot_memory/x"),
        ] {
            assert_eq!(parameters(namespace).full_name(topic), full);
        }
    }
}
