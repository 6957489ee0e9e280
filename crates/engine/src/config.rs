//! What the engine is told once, when it opens.

use crate::{BackupSettings, JobSettings, MaintenanceSettings, WriteQueueSettings};
use robot_memory_core::claim::{Body, Takes};
use robot_memory_core::model::Scope;
use std::path::PathBuf;

/// What the engine is told once, when it opens.
#[derive(Debug, Clone)]
pub struct Config {
    /// The store's file. Its folder is made when it is missing.
    pub store_path: PathBuf,
    /// The collection of requests that name none.
    pub default_collection: String,
    /// The scope of requests that name none; `None`: writes that name none are refused, searches
    /// that name none see what everybody sees.
    pub default_scope: Option<Scope>,
    /// `real`, `sim`, or empty: written into `context.env.sim_or_real` of rows that do not say.
    pub sim_or_real: String,
    /// The map in which the robot is; empty: not known.
    pub map_id: String,
    /// Whether requests without an agent are refused.
    pub require_agent: bool,
    /// The store's greatest size; 0: no limit. Writes beyond it are refused.
    pub store_bytes_max: u64,
    /// Bytes that the indexes of words and vectors may take in memory; 0: no limit. An index that
    /// would take more is not built, and its searches read the disk.
    pub index_bytes_max: u64,
    /// Bytes that events may take, with their clips; 0: no limit. Beyond it upkeep deletes the least
    /// important, oldest of them.
    pub events_bytes_max: u64,
    /// Bytes that clips may take; beyond it upkeep deletes the oldest. 0: what is there stays.
    pub clips_bytes_max: u64,
    /// Which words mean the same, as the text of such a file; `None`: as shipped.
    pub synonyms: Option<String>,
    /// Who may read and write what, and what is never stored, as the text of such a file
    /// ([`Access::parse`](robot_memory_core::access::Access::parse)); `None`: as shipped.
    pub access: Option<String>,
    /// How background jobs are done.
    pub jobs: JobSettings,
    /// How memories are looked after.
    pub maintenance: MaintenanceSettings,
    /// When and where the store is copied.
    pub backups: BackupSettings,
    /// Where writes wait that the store cannot take.
    pub write_queue: WriteQueueSettings,
    /// What the robot is in its fleet; `None`: it is in none, and nothing is told or taken.
    pub fleet: Option<FleetMember>,
}

/// A robot of a fleet, as the others know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FleetMember {
    /// Its name: `A-Z a-z 0-9 _ -`.
    pub robot_id: String,
    /// Its type and its gripper.
    pub body: Body,
    /// What it takes of what the others tell.
    pub takes: Takes,
}

impl FleetMember {
    /// A robot that takes all.
    pub fn new(robot_id: &str, body: Body) -> Self {
        Self { robot_id: robot_id.to_owned(), body, takes: Takes::All }
    }
}

impl Config {
    /// The default of everything but where the store is.
    pub fn at(store_path: impl Into<PathBuf>) -> Self {
        Self {
            store_path: store_path.into(),
            default_collection: "default".into(),
            default_scope: Some(Scope::Global),
            sim_or_real: String::new(),
            map_id: String::new(),
            require_agent: false,
            store_bytes_max: 0,
            index_bytes_max: 0,
            events_bytes_max: 0,
            clips_bytes_max: 0,
            synonyms: None,
            access: None,
            jobs: JobSettings::default(),
            maintenance: MaintenanceSettings::default(),
            backups: BackupSettings::default(),
            write_queue: WriteQueueSettings::default(),
            fleet: None,
        }
    }
}
