//! Stats: count what the store holds.

use crate::{Error, Operations, Result, Run};
use robot_memory_core::access::{SessionsAccess, Visibility};
use robot_memory_core::api::{KeyCount, Stats, StatsRequest, StatsResponse};
use robot_memory_core::model::{SessionStatus, Status};
use robot_memory_db::MemoryTotal;
use std::collections::BTreeMap;

impl Run<Stats> for Operations {
    fn run(&self, request: StatsRequest) -> Result<StatsResponse> {
        let StatsRequest { agent } = request;
        self.check_agent(&agent)?;
        let visibility = self.full_visibility(&agent);
        let of_agent = match self.access.policy.sessions(&agent) {
            SessionsAccess::All => Some(None),
            SessionsAccess::Own | SessionsAccess::Passed => Some(Some(agent.as_str())),
            SessionsAccess::None => None,
        };
        self.store.read(|tx| {
            let mut totals = tx.memory_totals()?;
            totals.retain(|total| visibility.sees(&total.scope, total.mem_type));
            let sessions = |status: SessionStatus| match of_agent {
                Some(agent) => Ok::<_, Error>(tx.sessions("", status.as_str(), agent, 0, 0)?.1),
                None => Ok(0),
            };
            let active = || totals.iter().filter(|total| total.status == Status::Active);
            let vectors_by_model = keyed(match &visibility {
                Visibility::Everything => tx.vector_totals()?,
                visibility => {
                    tx.vector_totals_of(|scope, mem_type| visibility.sees(scope, mem_type))?
                }
            });
            let active_count: u64 = active().map(|total| total.count).sum();
            let vector_count: u64 = vectors_by_model.iter().map(|of_model| of_model.count).sum();
            Ok(StatsResponse {
                memory_count: totals.iter().map(|total| total.count).sum(),
                by_status: count(totals.iter(), |total| Some(total.status.as_str())),
                by_type: count(active(), |total| Some(total.kind.as_str())),
                by_category: count(active(), |total| total.category.map(|of| of.as_str())),
                by_collection: count(active(), |total| Some(total.collection.as_str())),
                by_level: count(active(), |total| Some(total.level.as_str())),
                oldest_created_at: active().map(|total| total.oldest).min(),
                newest_created_at: active().map(|total| total.newest).max(),
                open_sessions: sessions(SessionStatus::Open)?,
                ended_sessions: sessions(SessionStatus::Ended)?,
                vectors_by_model,
                missing_vectors: active_count.saturating_sub(vector_count),
                store_bytes: self.store.bytes(),
                schema_version: tx.schema_version()?,
            })
        })
    }
}

fn count<'t>(
    totals: impl Iterator<Item = &'t MemoryTotal>,
    key: impl Fn(&'t MemoryTotal) -> Option<&'t str>,
) -> Vec<KeyCount> {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for total in totals {
        if let Some(key) = key(total) {
            *counts.entry(key.to_owned()).or_default() += total.count;
        }
    }
    keyed(counts)
}

fn keyed(counts: BTreeMap<String, u64>) -> Vec<KeyCount> {
    counts.into_iter().map(|(key, count)| KeyCount { key, count }).collect()
}
