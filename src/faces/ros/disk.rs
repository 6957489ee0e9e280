//! Room on the store's disk.

use super::parameters::SharedSettings;
use super::stop::Stop;
use robot_memory_engine::Engine;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Between two looks at the disk.
const PERIOD: Duration = Duration::from_secs(1);

/// Watches how much of a disk is free, and says when that becomes too little, or enough again.
pub(super) struct DiskGuard {
    folder: PathBuf,
    is_blocking: bool,
}

impl DiskGuard {
    /// Watches the disk of the engine's store.
    pub fn of(engine: &Engine) -> Self {
        Self::new(folder_of(engine.store_path()))
    }

    fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), is_blocking: false }
    }

    /// Lets the engine write, or not, until it is time to stop.
    pub fn run(&mut self, engine: &Engine, settings: &SharedSettings, stop: &Stop) {
        while !stop.wait(PERIOD) {
            self.check(engine, settings);
        }
    }

    /// Lets the engine write, or not, by the space that is free now.
    pub fn check(&mut self, engine: &Engine, settings: &SharedSettings) {
        let free_bytes_min = u64::try_from(settings.lock().disk_free_bytes_min).unwrap_or(0);
        let Some(change) = self.change(free_bytes_min) else { return };
        match &change {
            Some(reason) => log::error!("writes are refused: {reason}"),
            None => log::info!("there is room on the disk again, writes are taken"),
        }
        engine.block_writes(change);
    }

    /// What changed since the last call: nothing, or `Some(None)` when there is room again, or the
    /// reason why nothing more can be written.
    fn change(&mut self, free_bytes_min: u64) -> Option<Option<String>> {
        match free_bytes(&self.folder) {
            Ok(free) => self.decide(free, free_bytes_min),
            Err(error) => {
                log::debug!("{}: free space is not known: {error}", self.folder.display());
                None
            }
        }
    }

    fn decide(&mut self, free_bytes: u64, free_bytes_min: u64) -> Option<Option<String>> {
        // Once blocked, a tenth more must be free, so that a disk at the limit does not flap.
        let enough = if self.is_blocking {
            free_bytes_min.saturating_add(free_bytes_min / 10)
        } else {
            free_bytes_min
        };
        let blocks = free_bytes < enough;
        if blocks == self.is_blocking {
            return None;
        }
        self.is_blocking = blocks;
        Some(blocks.then(|| {
            format!(
                "the disk of the store has {free_bytes} bytes free, fewer than \
                 disk_free_bytes_min = {free_bytes_min}"
            )
        }))
    }
}

/// The folder that a file is, or will be, in.
fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn free_bytes(folder: &Path) -> rustix::io::Result<u64> {
    let disk = rustix::fs::statvfs(folder)?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_below_the_limit_and_allows_a_tenth_above_it() {
        let mut guard = DiskGuard::new(Path::new("."));
        let mut step = |free| guard.decide(free, 1000).map(|reason| reason.is_some());
        let steps =
            [(1000, None), (999, Some(true)), (500, None), (1099, None), (1100, Some(false))];
        for (free, expected) in steps {
            assert_eq!(step(free), expected, "{free}");
        }
    }

    #[test]
    fn no_limit_never_blocks() {
        assert_eq!(DiskGuard::new(Path::new(".")).decide(0, 0), None);
    }

    #[test]
    fn this_disk_can_be_asked() {
        assert!(free_bytes(Path::new(".")).unwrap() > 0);
    }

    #[test]
    fn a_bare_name_is_in_the_working_folder() {
        assert_eq!(folder_of(Path::new("m.db")), Path::new("."));
        assert_eq!(folder_of(Path::new("/a/m.db")), Path::new("/a"));
    }
}
