//! RestoreBackup: put the store back to what a backup holds.
//!
//! The backup is read through, copied, and brought to this version first; who writes meanwhile waits only
//! for the last part, in which what is stored now is copied too, and then replaced in one transaction.

use super::backups::{BackupKind, check_room};
use super::load;
use super::replace::{Incoming, StagedFile};
use super::{Engine, Error, Result, Run, check};
use crate::api::{ApiError, ErrorKind, RestoreBackup, RestoreBackupRequest, RestoreBackupResponse};
use crate::store::{self, Store, backup};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// The name of the newest.
const LATEST: &str = "latest";

impl Run<RestoreBackup> for Engine {
    fn run(&self, request: RestoreBackupRequest) -> Result<RestoreBackupResponse> {
        let RestoreBackupRequest { name, agent } = request;
        self.check_agent(&agent)?;
        if !agent.is_empty() {
            let message = "agent: only the operator puts a backup in place".to_owned();
            return Err(ApiError { kind: ErrorKind::Forbidden, message }.into());
        }
        let name = check::text("name", &name)?;
        let kept = self.kept_backups();
        let found = if name == LATEST {
            kept.into_iter().find(|kept| kept.kind == BackupKind::Made)
        } else {
            kept.into_iter().find(|kept| kept.info.name == name)
        };
        let found = found.ok_or_else(|| {
            let folder = self.backups_folder();
            let given: String = name.chars().take(64).collect();
            ApiError::not_found(format!("name: no backup {given:?} is in {}", folder.display()))
        })?;
        self.restore(&found.path, found.info.name)
    }
}

impl Engine {
    /// Puts the store back to what a backup at any path holds.
    ///
    /// # Errors
    /// `invalid_state` when it is no whole store, or one of a later version; `unavailable` when there is
    /// no room.
    pub fn restore_from(
        &self,
        path: &Path,
    ) -> std::result::Result<RestoreBackupResponse, ApiError> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(self.restore(path, name)?)
    }

    fn restore(&self, path: &Path, name: String) -> Result<RestoreBackupResponse> {
        let verified = backup::verify(path).map_err(not_restorable)?;
        let folder = store::folder_of(&self.config.store_path);
        // The copy that is brought to this version, and the log of the transaction.
        check_room(folder, verified.bytes.saturating_mul(2))?;
        let staged = StagedFile::beside(&self.config.store_path)?;
        let incoming = staged.path();
        store::copy_private(path, &incoming)?;
        bring_up_to_date(&incoming)?;

        self.store.check_in_place()?;
        let mut writer = self.store.writer();
        let kept = self.add_backup(BackupKind::BeforeRestore, None, &mut |_, _| {
            if self.is_closing() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let is_damaged = matches!(kept, Err(Error::Store(store::Error::Corrupt(_))));
        let kept_as: PathBuf = if is_damaged {
            self.store.copy_aside(&writer)?
        } else {
            let closing = || ApiError::unavailable("the store is being closed");
            kept?.ok_or_else(closing)?.name.into()
        };
        let memory_count = self.replace_store(
            &mut writer,
            &Incoming { path: &incoming, is_damaged, is_another_past: true },
        )?;
        drop(writer);
        self.follow_replaced();
        let kept_as = kept_as.file_name().unwrap_or_default().to_string_lossy().into_owned();
        log::info!(
            "the backup {name} was put back: {memory_count} memories; {kept_as} has what was stored before"
        );
        Ok(RestoreBackupResponse { name, memory_count, kept_as })
    }
}

/// Migrates a copy of a backup, and gives its rows the words of this version.
fn bring_up_to_date(path: &Path) -> Result<()> {
    let (store, opened) = Store::open(path, 0).map_err(not_restorable)?;
    if opened.damaged_aside.is_some() {
        return Err(ApiError::invalid_state("name: the backup is damaged").into());
    }
    drop(load::words_and_rows(&store)?);
    Ok(store.close()?)
}

/// What is wrong with a backup is no fault of the store.
fn not_restorable(error: store::Error) -> Error {
    match error {
        store::Error::BadCopy { .. }
        | store::Error::NewerSchema { .. }
        | store::Error::Foreign { .. } => ApiError::invalid_state(format!("name: {error}")).into(),
        error => error.into(),
    }
}
