use crate::config::Settings;
use crate::faces::paths::NODE_NAME;
use robot_memory_perception::Streams;

/// What the node would have been told, and what is listened to.
#[derive(Debug, Clone)]
pub(in crate::faces) struct Parameters {
    pub settings: Settings,
    /// `/` or that of the node: relative topics are in it.
    pub namespace: String,
    pub node_name: String,
    pub streams: Streams,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            settings: Settings::default(),
            namespace: "/".to_owned(),
            node_name: NODE_NAME.to_owned(),
            streams: Streams::Auto,
        }
    }
}

impl Parameters {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topics_are_resolved_as_the_node_does() {
        let parameters = |namespace: &str| Parameters {
            namespace: namespace.to_owned(),
            ..Parameters::default()
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
