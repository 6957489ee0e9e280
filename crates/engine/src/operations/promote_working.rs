//! What becomes of the working memories of a session that ends.

use super::fade::archive;
use crate::Result;
use crate::db::WriteTx;
use robot_memory_core::access::Visibility;
use robot_memory_core::api::{EndSession, Operation};
use robot_memory_core::model::{Category, LedgerChange, Level, Stamp};
use robot_memory_db::{LedgerNote, SessionRow};
use robot_memory_index::Change;

/// A session that ended with at least this score keeps all of its working memories.
const SUCCESS_MIN: f64 = 0.5;

/// How many working memories a session had that are seen, by what became of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Settled {
    /// They are knowledge now.
    pub promoted_count: u64,
    /// They are out of every search.
    pub archived_count: u64,
    /// All that are knowledge now, also those that are not seen.
    pub promoted: Vec<i64>,
}

/// Promotes the session's working memories that proved their worth to knowledge, and archives the
/// others.
///
/// The order in a transaction that ends a session: waiting access counts are written, confidence
/// fades, what says the same is merged, and then this. So a recall of a moment ago counts, and a row
/// that was merged into another one is neither promoted nor archived.
pub(super) fn settle(
    tx: &WriteTx<'_>,
    session_id: &str,
    outcome_score: Option<f64>,
    visibility: &Visibility,
    agent: &str,
    now: Stamp,
) -> Result<Settled> {
    let is_success = outcome_score.is_some_and(|score| score >= SUCCESS_MIN);
    let mut settled = Settled::default();
    for row in tx.session_rows(session_id)? {
        if row.level != Level::Working {
            continue;
        }
        let seen = u64::from(visibility.sees(&row.scope, row.mem_type));
        if is_success || is_worth_keeping(&row) {
            tx.promote(row.id)?;
            tx.note_change(&LedgerNote {
                memory_id: row.id,
                change: LedgerChange::Promoted,
                cause: EndSession::NAME,
                agent,
                values: (Level::Working.as_str(), Level::Knowledge.as_str()),
                at: now,
            })?;
            settled.promoted.push(row.id);
            tx.index(Change::Level { id: row.id, level: Level::Knowledge });
            settled.promoted_count += seen;
        } else {
            archive(tx, row.id, EndSession::NAME, agent, now)?;
            settled.archived_count += seen;
        }
    }
    Ok(settled)
}

fn is_worth_keeping(row: &SessionRow) -> bool {
    row.access_count > 0 || row.category.is_some_and(Category::is_protected)
}
