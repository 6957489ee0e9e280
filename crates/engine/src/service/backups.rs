//! The folder of backups: which are there, how one is added, and which go.

use crate::db::Outcome;
use crate::{Engine, Error};
use jiff::Timestamp;
use jiff::civil::DateTime;
use robot_memory_core::api::{ApiError, BackupInfo};
use robot_memory_core::limits::BACKUPS_KEPT_MIN;
use robot_memory_core::model::Stamp;
use robot_memory_db::backup::Origin;
use robot_memory_db::{self as store, Copied, backup};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::fs;
use std::ops::ControlFlow;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How the file of a backup is called, before its time.
const MADE: &str = "robot_memory-";
/// And that of one that holds what was stored before another was put back.
const BEFORE_RESTORE: &str = "before-restore-";
const ENDING: &str = ".db";
/// The time in a name, in UTC; no colons, so that any file system takes it.
const TIME_FORMAT: &str = "%Y-%m-%dT%H%M%SZ";
const MILLIS_PER_DAY: i64 = 86_400_000;
/// Bytes that stay free beside a new copy: for the log of the store, which cannot be emptied meanwhile.
const SPARE_BYTES: u64 = 16 << 20;
/// After which a copy that was begun and not finished is nobody's.
const ABANDONED_AFTER: Duration = Duration::from_secs(3_600);

/// Why a copy is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BackupKind {
    /// To have one.
    Made,
    /// Because another is put in the place of what it holds.
    BeforeRestore,
}

/// A backup in its folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KeptBackup {
    pub path: PathBuf,
    pub kind: BackupKind,
    /// Which of those that were made in the same second.
    pub number: u32,
    /// Of which store it is, and of which revision, as far as it says so.
    pub origin: Origin,
    pub info: BackupInfo,
}

/// What is known of a backup without reading it, in a file beside it.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Label {
    bytes: u64,
    memory_count: u64,
    schema_version: i64,
    revision: i64,
    /// Of which store; empty, as the next, when an earlier version wrote it.
    #[serde(default)]
    store_id: String,
    /// Of the file's bytes, in hexadecimal digits.
    #[serde(default)]
    sha256: String,
}

impl Engine {
    /// The backups of the store, the newest first, by their names. What is told of their contents was
    /// noted when they were made.
    pub fn backups(&self) -> Vec<BackupInfo> {
        self.kept_backups().into_iter().map(|kept| kept.info).collect()
    }

    /// Where they are.
    pub fn backups_folder(&self) -> PathBuf {
        match &self.config.backups.folder {
            Some(folder) => folder.clone(),
            None => folder_beside(&self.config.store_path),
        }
    }

    /// All that are in the folder, also those of other stores, the newest first.
    pub(super) fn kept_backups(&self) -> Vec<KeptBackup> {
        let own = self.store_id();
        let mut kept = kept_in(&self.backups_folder());
        for kept in &mut kept {
            let of = &kept.origin.store_id;
            kept.info.is_foreign = !of.is_empty() && !own.is_empty() && *of != own;
        }
        kept
    }

    /// Those of this store, or of which nothing says that they are of another.
    fn own_backups(&self) -> Vec<KeptBackup> {
        let mut kept = self.kept_backups();
        kept.retain(|kept| !kept.info.is_foreign);
        kept
    }

    /// Those of this store that were made to have one, the latest by what is in it first. One that does not
    /// say of which store it is counts where no other store's are: in the folder beside the store.
    pub(super) fn latest_backups(&self) -> Vec<KeptBackup> {
        let is_beside = self.config.backups.folder.is_none();
        let mut kept = self.own_backups();
        kept.retain(|kept| {
            kept.kind == BackupKind::Made && (is_beside || !kept.origin.store_id.is_empty())
        });
        kept.sort_by_key(|kept| Reverse((kept.origin.revision, kept.info.made_at, kept.number)));
        kept
    }

    /// The backups that a damaged store may be filled from, the latest first. Of which store they are is held
    /// against what is saved of it.
    pub(super) fn backups_to_fill_from(&self) -> Vec<PathBuf> {
        let mut kept = kept_in(&self.backups_folder());
        kept.retain(|kept| kept.kind == BackupKind::Made);
        kept.sort_by_key(|kept| Reverse((kept.origin.revision, kept.info.made_at, kept.number)));
        kept.into_iter().map(|kept| kept.path).collect()
    }

    /// Until when a backup holds what was deleted just now, also one that is being made; `None`: none
    /// does. The newest of them goes when it is older than is kept; while no newer one is made it stays.
    pub(super) fn backups_until(&self) -> Option<Stamp> {
        let keep_days = f64::from(self.config.backups.keep_days);
        let kept = self.own_backups().into_iter().map(|kept| kept.info.made_at).max();
        let newest = kept.max(begun_in(&self.backups_folder()));
        newest.map(|made_at| made_at.plus_days(keep_days))
    }

    /// Copies the store into a folder (`None`: that of the backups) and answers the copy's name; `None`
    /// when it was told to stop, by `progress`, which is told how many pages are copied, and of how many.
    ///
    /// # Errors
    /// `unavailable` when there is no room, `internal` when the store turns out to be damaged.
    pub fn make_backup(
        &self,
        folder: Option<&Path>,
        progress: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<Option<BackupInfo>, ApiError> {
        Ok(self.add_backup(BackupKind::Made, folder, progress)?)
    }

    pub(super) fn add_backup(
        &self,
        kind: BackupKind,
        folder: Option<&Path>,
        progress: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    ) -> crate::Result<Option<BackupInfo>> {
        let folder = folder.map_or_else(|| self.backups_folder(), Path::to_owned);
        store::make_private_folder(&folder)?;
        remove_abandoned(&folder);
        check_room(&folder, self.store.bytes())?;
        // To the second, as the name says it.
        let now = self.machine_now().div_euclid(1_000) * 1_000;
        let name = || folder.join(free_name(&folder, kind, now));
        let Some((path, copied)) = self.store.copy_to(&name, progress)? else { return Ok(None) };
        write_label(&path, &copied);
        // All of it was read, and is what is in the store.
        self.note_looked_over();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let info = BackupInfo {
            name,
            made_at: made_at(now),
            bytes: copied.bytes,
            memory_count: copied.memory_count,
            schema_version: copied.schema_version,
            is_verified: true,
            is_foreign: false,
        };
        Ok(Some(info))
    }

    /// Without a backup nothing can be taken from one.
    pub(super) fn forget_outdated_without_backups(&self) -> crate::Result<()> {
        if !self.own_backups().is_empty() {
            return Ok(());
        }
        self.write(|tx| {
            let count = tx.forget_outdated(i64::MAX)?;
            Ok(Outcome::of(count > 0, ()))
        })
    }

    /// Removes backups that are older than is kept, but for the newest ones and the newest that was
    /// verified; answers how many went, and the revision of the oldest that is left, when that is known.
    pub(super) fn prune_backups(&self) -> (u64, Option<i64>) {
        let kept = self.own_backups();
        let keep_days = i64::from(self.config.backups.keep_days);
        let going = outdated(&kept, self.machine_now(), keep_days);
        let mut removed_count = 0;
        let mut left = Vec::new();
        for (kept, goes) in kept.iter().zip(going) {
            if !goes || !is_old_file(&kept.path, keep_days) {
                left.push(kept);
                continue;
            }
            match fs::remove_file(&kept.path) {
                Ok(()) => {
                    // Without its backup it says nothing.
                    let _ = fs::remove_file(label_path(&kept.path));
                    removed_count += 1;
                }
                Err(error) => {
                    log::warn!("a backup stays: {}: {error}", kept.path.display());
                    left.push(kept);
                }
            }
        }
        let revisions: Option<Vec<i64>> =
            left.iter().map(|kept| Some(backup::origin_of(&kept.path).ok()?.revision)).collect();
        (removed_count, revisions.and_then(|revisions| revisions.into_iter().min()))
    }
}

/// The folder of backups of a store that is told no other.
pub(super) fn folder_beside(store_path: &Path) -> PathBuf {
    store::with_suffix(store_path, ".backups")
}

/// Refuses to write so many bytes into a folder on whose disk there is no room for them.
pub(super) fn check_room(folder: &Path, bytes: u64) -> crate::Result<()> {
    let Some(free) = store::free_bytes(folder) else { return Ok(()) };
    let needed = bytes.saturating_add(SPARE_BYTES);
    if free >= needed {
        return Ok(());
    }
    let message = format!("{} has {free} bytes free, and {needed} are needed", folder.display());
    Err(Error::unavailable(message))
}

/// The backups in a folder, the newest first.
pub(super) fn kept_in(folder: &Path) -> Vec<KeptBackup> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut kept: Vec<KeptBackup> = entries
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let (kind, millis, number) = parse_name(&name)?;
            let path = entry.path();
            let bytes = entry.metadata().ok()?.len();
            let label = read_label(&path).filter(|label| label.bytes == bytes);
            let info = BackupInfo {
                name,
                made_at: made_at(millis),
                bytes,
                memory_count: label.as_ref().map_or(0, |label| label.memory_count),
                schema_version: schema_version(&path)?,
                is_verified: label.is_some(),
                is_foreign: false,
            };
            let origin = match label {
                Some(Label { store_id, revision, .. }) => Origin { store_id, revision },
                None => backup::origin_of(&path).unwrap_or_default(),
            };
            Some(KeptBackup { path, kind, number, origin, info })
        })
        .collect();
    kept.sort_by_key(|kept| Reverse((kept.info.made_at, kept.number, kept.info.name.clone())));
    kept
}

/// Which of the backups, the newest of which comes first, are older than is kept. Not the newest ones,
/// whatever the clock says, nor the newest that was verified.
fn outdated(kept: &[KeptBackup], now_millis: i64, keep_days: i64) -> Vec<bool> {
    let newest_verified = kept.iter().position(|kept| kept.info.is_verified);
    let oldest = now_millis.saturating_sub(keep_days.saturating_mul(MILLIS_PER_DAY));
    kept.iter()
        .enumerate()
        .map(|(place, kept)| {
            place >= BACKUPS_KEPT_MIN
                && Some(place) != newest_verified
                && kept.info.made_at < made_at(oldest)
        })
        .collect()
}

/// Whether the file was written longer ago than is kept, too: a name may be of a wrong clock.
#[expect(clippy::disallowed_methods, reason = "the times of files are those of the machine")]
fn is_old_file(path: &Path, keep_days: i64) -> bool {
    let age = fs::metadata(path)
        .and_then(|file| file.modified())
        .map(|modified| SystemTime::now().duration_since(modified).unwrap_or_default());
    let kept = Duration::from_millis((keep_days.max(0) * MILLIS_PER_DAY).unsigned_abs());
    age.is_ok_and(|age| age >= kept)
}

fn made_at(millis: i64) -> Stamp {
    Stamp(millis.saturating_mul(1_000_000))
}

fn free_name(folder: &Path, kind: BackupKind, now_millis: i64) -> String {
    let prefix = match kind {
        BackupKind::Made => MADE,
        BackupKind::BeforeRestore => BEFORE_RESTORE,
    };
    let time = Timestamp::from_millisecond(now_millis).unwrap_or(Timestamp::UNIX_EPOCH);
    let time = time.strftime(TIME_FORMAT);
    let mut name = format!("{prefix}{time}{ENDING}");
    let mut number = 2;
    while folder.join(&name).exists() {
        name = format!("{prefix}{time}-{number}{ENDING}");
        number += 1;
    }
    name
}

/// What a file of this name is, when it was made, in milliseconds since 1970, and which of that second.
fn parse_name(name: &str) -> Option<(BackupKind, i64, u32)> {
    let stem = name.strip_suffix(ENDING)?;
    let (kind, time) = match stem.strip_prefix(MADE) {
        Some(time) => (BackupKind::Made, time),
        None => (BackupKind::BeforeRestore, stem.strip_prefix(BEFORE_RESTORE)?),
    };
    let (time, number) = time.split_at_checked("2026-11-22T023000Z".len())?;
    let number = match number.strip_prefix('-') {
        None if number.is_empty() => 1,
        Some(digits) if digits.bytes().all(|it| it.is_ascii_digit()) => digits.parse().ok()?,
        _ => return None,
    };
    let time = DateTime::strptime(TIME_FORMAT, time).ok()?;
    let time = time.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
    Some((kind, time.timestamp().as_millisecond(), number))
}

/// What SQLite keeps as `user_version`, big-endian in the header.
fn schema_version(path: &Path) -> Option<i64> {
    let mut bytes = [0; 4];
    fs::File::open(path).ok()?.read_exact_at(&mut bytes, 60).ok()?;
    Some(i64::from(u32::from_be_bytes(bytes)))
}

fn label_path(path: &Path) -> PathBuf {
    path.with_extension("json")
}

fn read_label(path: &Path) -> Option<Label> {
    serde_json::from_slice(&fs::read(label_path(path)).ok()?).ok()
}

/// Whether the bytes of a copy are those that are noted beside the backup at `path`, of as many bytes; so when
/// nothing is noted.
///
/// # Errors
/// When the copy cannot be read.
pub(super) fn is_as_noted(path: &Path, copy: &Path) -> store::Result<bool> {
    match read_label(path) {
        Some(label) if !label.sha256.is_empty() => Ok(store::sha256_of(copy)? == label.sha256),
        _ => Ok(true),
    }
}

/// Without its label a backup serves as well; only lists know less of it.
fn write_label(path: &Path, copied: &Copied) {
    let Copied { store_id, bytes, memory_count, revision, schema_version } = copied.clone();
    let written = store::sha256_of(path).map_err(std::io::Error::other).and_then(|sha256| {
        use std::io::Write;
        let label = Label { bytes, memory_count, schema_version, revision, store_id, sha256 };
        let text = serde_json::to_vec(&label)?;
        let mut file = store::new_private_file(&label_path(path)).map_err(std::io::Error::other)?;
        file.write_all(&text)
    });
    if let Err(error) = written {
        log::warn!("nothing is noted of the backup {}: {error}", path.display());
    }
}

/// When the newest of those was begun that are being made.
fn begun_in(folder: &Path) -> Option<Stamp> {
    let entries = fs::read_dir(folder).ok()?.flatten();
    entries.filter_map(|entry| begun_at(entry.file_name().to_str()?)).max().map(made_at)
}

/// When a backup was begun whose file is called so until it is finished, in milliseconds since 1970.
fn begun_at(name: &str) -> Option<i64> {
    let (stem, _) = name.split_once(".db.part")?;
    parse_name(&format!("{stem}{ENDING}")).map(|(_, millis, _)| millis)
}

/// Removes what was begun in another run and not finished.
#[expect(clippy::disallowed_methods, reason = "the times of files are those of the machine")]
fn remove_abandoned(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let is_part = name.to_str().is_some_and(|name| begun_at(name).is_some());
        let age = entry.metadata().and_then(|file| file.modified()).map(|modified| {
            SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .unwrap_or_default()
                .saturating_sub(modified.duration_since(UNIX_EPOCH).unwrap_or_default())
        });
        if is_part && age.is_ok_and(|age| age > ABANDONED_AFTER) {
            // The next backup tries again.
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: i64 = 1_795_348_800_000;

    fn kept(days_ago: i64, is_verified: bool) -> KeptBackup {
        let info = BackupInfo {
            name: String::new(),
            made_at: made_at(NOON - days_ago * MILLIS_PER_DAY),
            bytes: 1,
            memory_count: 1,
            schema_version: 7,
            is_verified,
            is_foreign: false,
        };
        let origin = Origin::default();
        KeptBackup { path: PathBuf::new(), kind: BackupKind::Made, number: 1, origin, info }
    }

    #[test]
    fn a_name_says_when_it_was_made() {
        let folder = Path::new("/nowhere");
        for kind in [BackupKind::Made, BackupKind::BeforeRestore] {
            let name = free_name(folder, kind, NOON);
            assert_eq!(parse_name(&name), Some((kind, NOON, 1)), "{name}");
        }
        assert_eq!(free_name(folder, BackupKind::Made, NOON), "robot_memory-2026-11-22T120000Z.db");
        let numbered = "before-restore-2026-11-22T120000Z-12.db";
        assert_eq!(parse_name(numbered), Some((BackupKind::BeforeRestore, NOON, 12)));
        for name in [
            "robot_memory-2026-11-22T120000Z.db.part",
            "robot_memory-2026-11-22T120000Z-.db",
            "robot_memory-2026-11-22T120000Z-x.db",
            "robot_memory-2026-13-22T120000Z.db",
            "../robot_memory-2026-11-22T120000Z.db",
            "robot_memory-.db",
            "latest",
            "memory.db",
        ] {
            assert_eq!(parse_name(name), None, "{name}");
        }
    }

    #[test]
    fn the_newest_ones_and_the_newest_that_was_verified_stay_whatever_the_clock_says() {
        let of = |days: &[i64]| days.iter().map(|day| kept(*day, true)).collect::<Vec<_>>();
        let daily = of(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        let going = outdated(&daily, NOON, 7);
        assert_eq!(going.iter().filter(|goes| **goes).count(), 2, "8 and 9 days old");
        // A clock that is ten years ahead, and one that is behind.
        let ahead = outdated(&daily, NOON + 3_650 * MILLIS_PER_DAY, 7);
        assert_eq!(ahead.iter().filter(|goes| !**goes).count(), BACKUPS_KEPT_MIN);
        assert!(outdated(&daily, 0, 7).iter().all(|goes| !goes));
        let mut unverified: Vec<_> = (0..10).map(|day| kept(day + 100, false)).collect();
        unverified.push(kept(200, true));
        let going = outdated(&unverified, NOON, 7);
        assert!(!going[10] && going[9]);
    }

    #[test]
    fn what_is_made_today_is_kept_however_many_there_are() {
        let many: Vec<_> = (0..30).map(|_| kept(0, true)).collect();
        assert!(outdated(&many, NOON, 7).iter().all(|goes| !goes));
    }
}
