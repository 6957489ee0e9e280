//! The floor of operations: what a caller can ask of the store, one file an operation, with what several of
//! them need beside them.
//!
//! It stands on [`Db`], and knows nothing of what happens over time: of the write queue, of who does jobs,
//! of upkeep, schedule, retention, backups and repair.

mod around;
mod arrival;
mod asked_events;
pub(crate) mod attempts;
mod back_up;
mod begin_attempt;
mod beside;
mod best_texts;
mod brief;
mod briefed_lessons;
mod bring_over;
pub(crate) mod chat;
pub(crate) mod check;
mod check_action;
mod clear_memories;
mod commit_turn;
mod compact_scope;
mod compare;
mod condense;
pub(crate) mod conflicts;
pub(crate) mod consolidate;
mod control_job;
mod delete_memory;
pub(crate) mod deletion;
mod duplicates;
mod echoes;
mod elsewhere;
mod end_attempt;
mod end_session;
pub(crate) mod experiences;
mod export;
pub(crate) mod fade;
mod fade_collection;
mod fleet;
pub(crate) mod forget;
mod get_memory;
mod goals;
mod groups;
pub(crate) mod index_entry;
pub(crate) mod inferred;
pub(crate) mod jobs;
mod judge_lesson;
pub(crate) mod judgment;
mod lasting;
pub(crate) mod learn;
pub(crate) mod lessons;
mod levels;
pub(crate) mod lexical_candidates;
mod list_jobs;
mod lists;
mod localization;
mod locate;
pub(crate) mod macro_summary;
mod merge_branch;
pub(crate) mod micro_summary;
mod named_events;
mod named_objects;
mod near;
mod new_memories;
mod newer_first;
mod objects;
mod order_phrases;
pub(crate) mod peers;
mod pictures;
mod places;
mod plan;
mod promote_working;
mod queue_work;
mod recall;
mod record;
mod relevant;
mod restore_memory;
pub(crate) mod save_perception;
pub(crate) mod search;
mod secrets;
mod session_context;
mod sessions;
mod signatures;
mod start_session;
mod stats;
mod steps;
mod stored_after;
mod summary;
pub(crate) mod supersede;
mod timeline;
mod unlearn;
pub(crate) mod update;
mod usage;
pub(crate) mod visibility;
mod weekly_summary;

pub use bring_over::{BroughtOver, ForeignContent, ForeignMemory, ForeignSession};
pub use fleet::{
    AdoptAs, Adoption, AdoptionRule, FleetLink, FleetLinkState, FleetStanding, FleetSummary,
    KeptClaim, NewBody, OwnClaims, SiteCounts, SiteFault, SiteReply, Taken,
};
pub use goals::{Goal, GoalAttempt, GoalEnd};
pub use jobs::OnTopic;
pub use localization::{FrameTransform, Localization};
pub use new_memories::{NewMemories, NewMemory};
pub use places::Place;
pub use record::{Recorded, Recording};
pub use secrets::Secrets;
pub use stored_after::StoredAfter;

use crate::Db;
use fleet::TellerTotals;
use named_objects::NamedObjects;
use robot_memory_chat::Chat;
use robot_memory_core::access::Access;
use robot_memory_text::inference::Synonyms;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, RwLock};

/// What can be asked of the store, and nothing that runs by itself.
pub struct Operations {
    pub(crate) db: Db,
    pub(crate) access: Access,
    synonyms: Synonyms,
    /// Takes facts out of steps and sums them up, in the place of rules.
    chat: RwLock<Option<Arc<dyn Chat>>>,
    localization: RwLock<Option<Arc<dyn Localization>>>,
    fleet_link: RwLock<Option<Arc<dyn FleetLink>>>,
    /// Whether another robot ever told anything.
    has_heard: AtomicBool,
    teller_totals: TellerTotals,
    named_objects: Arc<NamedObjects>,
    objects_generation: AtomicU64,
}

impl Operations {
    pub(crate) fn on(db: Db, access: Access, synonyms: Synonyms) -> Self {
        Self {
            db,
            access,
            synonyms,
            chat: RwLock::new(None),
            localization: RwLock::new(None),
            fleet_link: RwLock::new(None),
            has_heard: AtomicBool::default(),
            teller_totals: TellerTotals::default(),
            named_objects: Arc::default(),
            objects_generation: AtomicU64::default(),
        }
    }
}

impl Deref for Operations {
    type Target = Db;

    fn deref(&self) -> &Db {
        &self.db
    }
}
