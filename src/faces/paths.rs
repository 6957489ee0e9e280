//! Where files are, when a parameter says it with `~` or leaves it empty.

use std::env;
use std::path::PathBuf;

/// The node's name unless it is remapped; its store is called after it.
pub(super) const NODE_NAME: &str = "robot_memory";

/// The folders that the environment names.
#[derive(Debug, Clone, Default)]
pub struct Folders {
    home: Option<PathBuf>,
    ros_home: Option<PathBuf>,
}

impl Folders {
    /// As `HOME` and `ROS_HOME` say.
    #[expect(clippy::disallowed_methods, reason = "where a user keeps files")]
    pub fn from_environment() -> Self {
        let folder = |name| env::var_os(name).filter(|path| !path.is_empty()).map(PathBuf::from);
        Self { home: folder("HOME"), ros_home: folder("ROS_HOME") }
    }

    /// The path with a leading `~` as the home folder; nothing when that is not known.
    pub fn expand(&self, path: &str) -> Option<PathBuf> {
        match path.strip_prefix('~') {
            Some("") => self.home.clone(),
            Some(rest) if rest.starts_with('/') => {
                Some(self.home.as_ref()?.join(rest.trim_start_matches('/')))
            }
            _ => Some(PathBuf::from(path)),
        }
    }

    /// The store's file: as the parameter says, or one of each node's own below `ROS_HOME`; nothing
    /// when the folder that it needs is not known.
    pub fn store(&self, store_path: &str, namespace: &str, node_name: &str) -> Option<PathBuf> {
        if !store_path.is_empty() {
            return self.expand(store_path);
        }
        let ros_home = match &self.ros_home {
            Some(folder) => folder.clone(),
            None => self.home.as_ref()?.join(".ros"),
        };
        let folder = ros_home.join("robot_memory").join(namespace.trim_matches('/'));
        Some(folder.join(format!("{node_name}.db")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn store_is_where_the_parameter_says_or_of_each_node_its_own() {
        let home = |home: &str| Folders { home: Some(home.into()), ros_home: None };
        let ros = Folders { home: Some("/h".into()), ros_home: Some("/r".into()) };
        let cases = [
            (home("/h"), "", "/", "a", Some("/h/.ros/robot_memory/a.db")),
            (home("/h"), "", "/x/y", "a", Some("/h/.ros/robot_memory/x/y/a.db")),
            (ros.clone(), "", "/x", "a", Some("/r/robot_memory/x/a.db")),
            (home("/h"), "~/m.db", "/", "a", Some("/h/m.db")),
            (home("/h"), "~", "/", "a", Some("/h")),
            (home("/h"), "~other/m.db", "/", "a", Some("~other/m.db")),
            (home("/h"), "m.db", "/", "a", Some("m.db")),
            (Folders::default(), "", "/", "a", None),
            (Folders::default(), "~/m.db", "/", "a", None),
            (Folders::default(), "/m.db", "/", "a", Some("/m.db")),
        ];
        for (folders, store_path, namespace, node_name, expected) in cases {
            assert_eq!(
                folders.store(store_path, namespace, node_name),
                expected.map(PathBuf::from),
                "{store_path} {namespace}"
            );
        }
    }
}
