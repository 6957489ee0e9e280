use super::operation;
use crate::model::Stamp;
use crate::record::{record, request};
use serde::Serialize;

operation!(
    /// Queue the job that writes a verified copy of the store.
    Backup, "backup", BackupRequest => BackupResponse
);

request! {
    /// Nothing but who asks.
    pub struct BackupRequest {
        /// Who asks; empty for the operator.
        pub agent: String as text,
    }
}

record! {
    /// The job that was queued.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
    pub struct BackupResponse {
        /// The job; its result names the file.
        pub job_id: i64,
        /// Whether this call queued it; else it was waiting already.
        pub created: bool,
    }
}

operation!(
    /// Put the store back to what a backup holds.
    RestoreBackup, "restore_backup", RestoreBackupRequest => RestoreBackupResponse
);

request! {
    /// Which one.
    pub struct RestoreBackupRequest {
        /// Of a backup, as Status lists them; `latest`: of those of this store the one with the latest contents.
        pub name: String as text,
        /// Who asks; empty for the operator.
        pub agent: String as text,
    }
}

record! {
    /// What is stored now.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
    pub struct RestoreBackupResponse {
        /// The backup that was restored.
        pub name: String,
        /// Memories in the store now, of any status.
        pub memory_count: u64,
        /// The backup that holds what was stored before.
        pub kept_as: String,
        /// Whether the backup says that it is of another store.
        pub is_foreign: bool,
    }
}

record! {
    /// One verified copy of the store.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
    pub struct BackupInfo {
        /// What RestoreBackup takes.
        pub name: String,
        /// On the machine's clock.
        #[serde(serialize_with = "crate::json::time")]
        pub made_at: Stamp,
        /// Of the file.
        pub bytes: u64,
        /// Memories of any status; 0: not known.
        pub memory_count: u64,
        /// Of the version that wrote it.
        pub schema_version: i64,
        /// Whether it was read through when it was made.
        pub is_verified: bool,
        /// Whether it says that it is of another store.
        pub is_foreign: bool,
    }
}
