//! What the middleware is told before anything of it starts.

use crate::faces::installed::Installed;
use std::path::PathBuf;

/// The profiles file of Fast DDS is named by the first of these up to its version 2, by the second
/// from 3 on.
const PROFILES_VARIABLES: [&str; 2] =
    ["FASTRTPS_DEFAULT_PROFILES_FILE", "FASTDDS_DEFAULT_PROFILES_FILE"];

/// The node's own profiles file, in a folder of installed packages.
const PROFILES_FILE: &str = "robot_memory/config/fastdds_node.xml";

/// Names the node's own profiles file to Fast DDS, unless another one is chosen. It is read when
/// the first participant of the process is made, and holds for all of them.
///
/// To be called before there are other threads; where there are, nothing is chosen.
#[expect(clippy::disallowed_methods, reason = "Fast DDS is set up by environment variables")]
pub(super) fn choose_profiles() {
    let is_chosen = |name| std::env::var_os(name).is_some_and(|file| !file.is_empty());
    if PROFILES_VARIABLES.into_iter().any(is_chosen) {
        return;
    }
    let Some(file) = shipped_profiles(&Installed::from_environment()) else { return };
    if !is_only_thread() {
        return;
    }
    for name in PROFILES_VARIABLES {
        // SAFETY: this is the only thread, so nobody reads the environment meanwhile.
        unsafe { std::env::set_var(name, &file) };
    }
}

fn is_only_thread() -> bool {
    std::fs::read_dir("/proc/self/task").is_ok_and(|threads| threads.count() == 1)
}

fn shipped_profiles(installed: &Installed) -> Option<PathBuf> {
    let mut files = installed.share_folders.iter().map(|share| share.join(PROFILES_FILE));
    files.find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_first_installed_file_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        let [without, first, second] = ["a", "b", "c"].map(|name| folder.path().join(name));
        for share in [&first, &second] {
            fs::create_dir_all(share.join("robot_memory/config")).unwrap();
            fs::write(share.join(PROFILES_FILE), "").unwrap();
        }
        let installed = |share_folders: &[&PathBuf]| Installed {
            share_folders: share_folders.iter().map(|&share| share.clone()).collect(),
            library_folders: Vec::new(),
        };
        let found = shipped_profiles(&installed(&[&without, &first, &second]));
        assert_eq!(found, Some(first.join(PROFILES_FILE)));
        assert_eq!(shipped_profiles(&installed(&[&without])), None);
    }
}
