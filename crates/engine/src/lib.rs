//! The memory, in three floors: [`Db`], the store with its indexes; [`Operations`], what can be asked of it, one
//! file an operation; [`Engine`], what happens over time. It knows no ROS.
//!
//! The time is given to it ([`Clock`](robot_memory_core::model::Clock)), where its file is ([`Config`])
//! and which model makes its vectors ([`Embedder`](robot_memory_embedding::Embedder)); of the world it
//! takes nothing else but random session ids. All calls are synchronous and may come from any thread.
//! Writes run one after the other. Reads run side by side, each on a version of the indexes that does
//! not change, and wait for no write.
//!
//! ```
//! use robot_memory_core::api::{Learn, LearnRequest, Recall, RecallRequest};
//! use robot_memory_core::model::{Clock, Stamp};
//! use robot_memory_engine::{Config, Engine};
//! use std::sync::Arc;
//!
//! struct Noon;
//! impl Clock for Noon {
//!     fn now(&self) -> Option<Stamp> {
//!         Some(Stamp::from_secs(1_750_000_000))
//!     }
//! }
//!
//! let folder = tempfile::tempdir()?;
//! let (engine, _) = Engine::open(Config::at(folder.path().join("memory.db")), Arc::new(Noon))?;
//! let insight = "The red cup slips below 12.5 N".to_owned();
//! engine.call::<Learn>(LearnRequest { insight, ..Default::default() })?;
//! let query = "red cup".to_owned();
//! let found = engine.call::<Recall>(RecallRequest { query, ..Default::default() })?;
//! assert_eq!(found.memories[0].memory.content, "The red cup slips below 12.5 N");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(missing_docs)]

mod config;
mod db;
mod error;
mod job_settings;
mod operations;
mod service;
mod settings;

pub use config::{Config, FleetMember};
pub use db::{ClockState, Db, JobChanges, JobsHealth, StoreState, Subscription};
pub use error::{Error, OpenError, Result};
pub use job_settings::{CompactionSettings, JobSettings, MachineClock};
pub use operations::{
    AdoptAs, Adoption, AdoptionRule, BroughtOver, FleetLink, FleetLinkState, FleetStanding,
    FleetSummary, ForeignContent, ForeignMemory, ForeignSession, FrameTransform, Goal, GoalAttempt,
    GoalEnd, KeptClaim, Localization, NewBody, NewMemories, NewMemory, OnTopic, Operations,
    OwnClaims, Place, Recorded, Recording, Secrets, SiteCounts, SiteFault, SiteReply, StoredAfter,
    Taken,
};
pub use robot_memory_core::jobs::{DailyAt, WeeklyAt};
/// Files of other programs.
pub use robot_memory_db::foreign;
pub use robot_memory_db::{
    FleetPosition, FleetTotals, ForeignReceipt, HearsayTotal, TakenRevocation,
};
pub use service::{
    EmbedderState, Engine, EventsHealth, Health, ImportFault, Importer, JobControl, JobDecision,
    JobLease, MaintenanceReport, MaintenanceReports, Opened, PicturesHealth, RecoveryReport,
    ScheduleState, WriteQueueHealth,
};
pub use settings::{BackupSettings, MaintenanceSettings, WriteQueueSettings};

use robot_memory_core::api::Operation;

/// One operation, run.
pub trait Run<Op: Operation> {
    /// Does it.
    fn run(&self, request: Op::Request) -> Result<Op::Response>;
}
