//! What the node would have been told: its parameter file, and what the flags say beside it.

use crate::config::{Settings, StartParameters, Value, nearest_name};
use crate::faces::cli::arguments::{ImportArguments, StoreArguments};
use crate::faces::cli::failure::{Failure, Outcome};
use crate::faces::import::Parameters;
use crate::faces::paths::{Folders, NODE_NAME};
use crate::faces::patterns::names_node;
use robot_memory_perception::Streams;
use serde_json::{Map, Value as Json};
use std::borrow::Cow;
use std::path::Path;

/// Bytes of a file of parameters or streams: a thousand times those that are shipped.
const FILE_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// Reads the files that the flags name. Flags win over the file.
pub fn read(arguments: &ImportArguments, folders: &Folders) -> Result<Parameters, Failure> {
    let mut given = match &arguments.params_file {
        Some(path) => of_file(&text_of(path)?)
            .map_err(|reason| Failure::Given(format!("{}: {reason}", path.display())))?,
        None => Parameters::default(),
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
    given.streams = streams(arguments, settings, folders)?;
    Ok(given)
}

/// The store and the synonyms of the parameters, where no flag says others.
pub fn complete(parameters: &Parameters, store: &mut StoreArguments, folders: &Folders) -> Outcome {
    let Parameters { settings, namespace, node_name, streams: _ } = parameters;
    if store.store.is_none() {
        let path = folders.store(&settings.store_path, namespace, node_name);
        store.store = Some(path.ok_or(Failure::NoHome)?);
    }
    if store.synonyms.is_none() && !settings.synonyms_path.is_empty() {
        let path = folders.expand(&settings.synonyms_path);
        store.synonyms = Some(path.ok_or(Failure::NoHome)?);
    }
    Ok(())
}

/// What is listened to: by the flags, else as the node's parameters say, else every topic of a known
/// type.
fn streams(
    arguments: &ImportArguments,
    settings: &Settings,
    folders: &Folders,
) -> Result<Streams, Failure> {
    let (place, text) = if let Some(path) = &arguments.streams {
        (path.display().to_string(), text_of(path)?)
    } else if let Some(text) = &arguments.streams_text {
        ("--streams-text".to_owned(), text.clone())
    } else if !settings.streams.trim().is_empty() {
        ("parameter streams".to_owned(), settings.streams.clone())
    } else if !settings.streams_path.is_empty() {
        let path = folders.expand(&settings.streams_path).ok_or(Failure::NoHome)?;
        (path.display().to_string(), text_of(&path)?)
    } else {
        return Ok(Streams::Auto);
    };
    Streams::parse(&text).map_err(|error| Failure::Given(format!("{place}: {error}")))
}

fn text_of(path: &Path) -> Result<String, Failure> {
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

/// The parameters of the node in a file of ROS, by the patterns that name it, and then by its name. It is
/// the node whose name is `robot_memory`, else the only one; its namespace is that of its name.
fn of_file(text: &str) -> Result<Parameters, String> {
    let document: Json = serde_saphyr::from_str(text)
        .map_err(|error| format!("no YAML: {}", error.without_snippet()))?;
    let Json::Object(nodes) = document else {
        return Err("it names no node; it must be as `/**: {ros__parameters: {...}}`".to_owned());
    };
    let nodes: Vec<(String, &Map<String, Json>)> = flat("", &nodes);
    let is_pattern = |name: &str| name.contains('*');
    let named: Vec<&str> =
        nodes.iter().map(|(name, _)| name.as_str()).filter(|name| !is_pattern(name)).collect();
    let own = named
        .iter()
        .find(|name| name.rsplit('/').next() == Some(NODE_NAME))
        .or(match named.as_slice() {
            [only] => Some(only),
            _ => None,
        })
        .copied();
    let mut node = Parameters::default();
    if let Some(own) = own {
        let (namespace, name) = own.rsplit_once('/').unwrap_or(("", own));
        node.namespace = format!("/{}", namespace.trim_matches('/'));
        node.node_name = name.to_owned();
    }
    let full_name = format!("{}/{}", node.namespace.trim_end_matches('/'), node.node_name);
    let general = nodes.iter().filter(|(name, _)| is_pattern(name) && names_node(name, &full_name));
    let special = nodes.iter().filter(|(name, _)| Some(name.as_str()) == own);
    let mut is_empty = true;
    let mut given = Vec::new();
    for (_, parameters) in general.chain(special) {
        is_empty = false;
        collect("", parameters, &mut given)?;
    }
    if is_empty {
        return Err(format!("it has no parameters of {NODE_NAME}: only of {}", named.join(", ")));
    }
    let StartParameters { settings, streams: _, qos: _, unknown } =
        StartParameters::take(given).map_err(|error| error.to_string())?;
    // Others are not of this program, but for one whose name was meant to be.
    for name in unknown {
        if let Some(nearest) = nearest_name(&name) {
            return Err(format!("there is no parameter {name}; {nearest} may be meant"));
        }
    }
    node.settings = settings;
    node.settings.check().map_err(|error| error.to_string())?;
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

/// Parameters with their full names: a map is the parts of a name. A list of maps is no value in ROS.
fn collect(
    prefix: &str,
    parameters: &Map<String, Json>,
    given: &mut Vec<(String, Value)>,
) -> Result<(), String> {
    for (name, value) in parameters {
        let name = format!("{prefix}{name}");
        match value {
            Json::Object(below) => collect(&format!("{name}."), below, given)?,
            Json::Null => {}
            value => {
                let value = value_of(value).ok_or_else(|| {
                    format!("parameter {name} takes a value, or a list of values of one type")
                })?;
                given.push((name, value));
            }
        }
    }
    Ok(())
}

/// A value, or a list of values of one type.
fn value_of(value: &Json) -> Option<Value> {
    Some(match value {
        Json::Bool(value) => Value::Bool(*value),
        Json::String(text) => Value::Text(Cow::Owned(text.clone())),
        Json::Number(number) => match number.as_i64() {
            Some(whole) => Value::Integer(whole),
            None => Value::Double(number.as_f64()?),
        },
        Json::Array(items) => {
            let texts = items.iter().map(|item| item.as_str().map(str::to_owned));
            let wholes = items.iter().map(Json::as_i64);
            let numbers = items.iter().map(Json::as_f64);
            let flags = items.iter().map(Json::as_bool);
            (texts.collect::<Option<_>>().map(Value::Texts))
                .or_else(|| wholes.collect::<Option<_>>().map(Value::Integers))
                .or_else(|| numbers.collect::<Option<_>>().map(Value::Doubles))
                .or_else(|| flags.collect::<Option<_>>().map(Value::Bools))?
        }
        Json::Null | Json::Object(_) => return None,
    })
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
            ("/**/robot_memory: {ros__parameters: {map_id: f}}", "/", "robot_memory", "f"),
            (
                "arm: {memory: {ros__parameters: {map_id: g}}}\n/arm/*: {ros__parameters: \
                 {map_id: h}}\n/*: {ros__parameters: {map_id: i}}",
                "/arm",
                "memory",
                "g",
            ),
        ];
        for (text, namespace, name, map_id) in cases {
            let node = of_file(text).expect(text);
            let read = (&*node.namespace, &*node.node_name, &*node.settings.map_id);
            assert_eq!(read, (namespace, name, map_id));
        }
    }

    #[test]
    fn topics_are_lists_and_maps() {
        let cases = [
            ("[/a, /b]", r#"["/a","/b"]"#),
            ("{arm: {topic: /a, qos: {depth: 5}}}", r#"{"arm":{"qos":{"depth":5},"topic":"/a"}}"#),
            ("auto", "auto"),
        ];
        for (streams, expected) in cases {
            let text = format!("/**: {{ros__parameters: {{streams: {streams}}}}}");
            assert_eq!(of_file(&text).expect(&text).settings.streams, expected);
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
            (
                "robot_memory: {ros__parameters: {map_id: [a]}}",
                "map_id takes a string, not a list of strings",
            ),
            (
                "/**: {ros__parameters: {streams: [{topic: /a}]}}",
                "streams takes a value, or a list",
            ),
            ("/**: {ros__parameters: {streams: {arm: {topik: /a}, x: [1, a]}}}", "streams.x takes"),
            ("robot_memory: {ros__parameters: {reorder_secs: 99}}", "reorder_secs must be from 0"),
            ("robot_memory: {ros__parameters: {map_id: 7}}", "map_id takes a string"),
            (
                "robot_memory: {ros__parameters: {job_backoff_max_secs: 0.5}}",
                "job_backoff_max_secs must not be less than job_backoff_base_secs",
            ),
        ];
        for (text, expected) in cases {
            let reason = of_file(text).expect_err(text);
            assert!(reason.contains(expected), "{reason}");
        }
    }
}
