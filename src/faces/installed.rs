//! Where installed packages are.

use std::path::PathBuf;

/// The folders of installed packages, those of a workspace on top first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Installed {
    /// Each has `<package>/msg/<Type>.msg`.
    pub share_folders: Vec<PathBuf>,
    /// Each has the libraries of packages.
    pub library_folders: Vec<PathBuf>,
}

impl Installed {
    /// As `AMENT_PREFIX_PATH` says, and, when that was not sourced, where this program is.
    #[expect(clippy::disallowed_methods, reason = "ROS says there where it is installed")]
    pub fn from_environment() -> Self {
        let prefixes = std::env::var("AMENT_PREFIX_PATH").unwrap_or_default();
        let mut prefixes: Vec<PathBuf> =
            prefixes.split(':').filter(|prefix| !prefix.is_empty()).map(PathBuf::from).collect();
        // <prefix>/lib/robot_memory/memory_node
        let own = std::env::current_exe().ok();
        prefixes.extend(own.as_deref().and_then(|own| own.ancestors().nth(3)).map(PathBuf::from));
        Self {
            share_folders: prefixes.iter().map(|prefix| prefix.join("share")).collect(),
            library_folders: prefixes.iter().map(|prefix| prefix.join("lib")).collect(),
        }
    }
}
