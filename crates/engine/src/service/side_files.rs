//! What lies beside the store's file is named after that file, whatever links lead to it.

use robot_memory_db as store;
use std::path::{Path, PathBuf};

/// What may lie beside a store, by what is added to its name.
const BESIDE: [&str; 5] = [
    ".write_queue.jsonl",
    ".write_queue.jsonl.rejected.jsonl",
    ".clips",
    ".backups",
    ".maintenance",
];

/// The store's own path. What lies beside a link to it, as of a version that named it after the link, is
/// put beside the file, unless there is such a one.
pub(super) fn resolved(given: &Path, real: &Path) -> PathBuf {
    for suffix in BESIDE {
        let [from, to] = [given, real].map(|path| store::with_suffix(path, suffix));
        // The same where only a folder is a link.
        let is_the_same =
            from.canonicalize().is_ok_and(|from| to.canonicalize().ok() == Some(from));
        if from == to || is_the_same || from.symlink_metadata().is_err() {
            continue;
        }
        let moved = match to.symlink_metadata() {
            Ok(_) => Err("the other is there, too".to_owned()),
            Err(_) => std::fs::rename(&from, &to).map_err(|error| error.to_string()),
        };
        match moved {
            Ok(()) => log::info!("{} is {} now", from.display(), to.display()),
            Err(reason) => {
                log::warn!("{} is not used any more, {} is: {reason}", from.display(), to.display())
            }
        }
    }
    real.to_owned()
}
