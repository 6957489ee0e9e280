//! Report: what a page about the store shows, gathered in one pass over all memories.

mod attempts;
mod forgetting;
mod maps;
mod periods;

use crate::operations::check;
use crate::operations::visibility::VisibleRows;
use crate::{Engine, Result, Run};
use attempts::Attempts;
use forgetting::Forgetting;
use maps::Maps;
use periods::{Days, PeriodsOf};
use robot_memory_core::access::Visibility;
use robot_memory_core::api::{KeyCount, Report, ReportRequest, ReportResponse};
use robot_memory_core::limits::{REPORT_COLLECTIONS_MAX, REPORT_DAYS_MAX, REPORT_LIST_MAX};
use robot_memory_core::model::{Kind, Stamp, Status};
use robot_memory_index::{RowSelection, parse_context};
use serde_json::Value;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;

/// Bars of the histogram of confidence.
const CONFIDENCE_BARS: usize = 20;
/// Runs of maintenance that are told.
const RUNS: u32 = 8;

impl Run<Report> for Engine {
    fn run(&self, request: ReportRequest) -> Result<ReportResponse> {
        let ReportRequest { days, utc_offset_secs } = request;
        if days > REPORT_DAYS_MAX {
            return Err(check::invalid(format!("days: at most {REPORT_DAYS_MAX}, got {days}")));
        }
        check::utc_offset(utc_offset_secs)?;
        let status = self.status("")?;
        let made_at = self.clock.now();
        let since = made_at.filter(|_| days > 0).map(|now| now.plus_days(-f64::from(days)));
        let of = PeriodsOf { since, until: made_at, utc_offset_secs };
        let archive_retention_min = self.config.maintenance.archive_retention_min;
        let collections = self.collections_of_all()?;
        self.store.read(|tx| {
            let mut span: Option<(Stamp, Stamp)> = None;
            let mut stored: BTreeMap<Kind, Days> = BTreeMap::new();
            let mut confidence = vec![0; CONFIDENCE_BARS];
            let mut attempts = Attempts::default();
            let mut maps = Maps::default();
            let mut forgetting = Forgetting::at(made_at, archive_retention_min);
            tx.each_reported(|row| {
                let at = row.created_at;
                span = Some(span.map_or((at, at), |(first, last)| (first.min(at), last.max(at))));
                let is_active = row.status == Status::Active;
                if is_active {
                    let bar = (row.confidence * CONFIDENCE_BARS as f64) as usize;
                    confidence[bar.min(CONFIDENCE_BARS - 1)] += 1;
                    forgetting.see(row);
                }
                if !of.has(at) {
                    return;
                }
                stored.entry(row.kind).or_default().add(of.day(at));
                if row.context.is_empty() || row.kind == Kind::Summary {
                    return;
                }
                let context = parse_context(row.context);
                let outcome = attempts::outcome(&context);
                if matches!(row.status, Status::Active | Status::Archived) {
                    attempts.see(&context, outcome, of.day(at));
                }
                if is_active {
                    maps.see(&context, outcome);
                }
            })?;
            let mut archived = Days::default();
            tx.each_archived_at(|at| {
                if of.has(at) {
                    archived.add(of.day(at));
                }
            })?;
            let (mut sessions, mut session_count) = (Days::default(), 0);
            tx.each_session_start(|at| {
                session_count += 1;
                if of.has(at) {
                    sessions.add(of.day(at));
                }
            })?;
            let all = stored.values().chain([&archived, &sessions]);
            let periods = of.periods(all);
            let by_period = |days: &Days| periods::by_period(&periods, days);
            let mut notes = Vec::new();
            let (tasks, more_tasks) = attempts.figures(&periods, &mut notes);
            let (maps, more_maps) = maps.figures(&mut notes);
            Ok(ReportResponse {
                made_at,
                span,
                stored: stored.iter().map(|(kind, days)| (*kind, by_period(days))).collect(),
                archived: by_period(&archived),
                sessions: by_period(&sessions),
                session_count,
                collections: collections.clone(),
                tasks,
                more_tasks,
                maps,
                more_maps,
                confidence,
                retention: forgetting.histogram(),
                archive_retention_min,
                archived_within: forgetting.within(),
                archived_next: forgetting.next(),
                conflicts: tx.stored_conflicts(REPORT_LIST_MAX)?,
                maintenance: tx.last_runs(RUNS)?,
                jobs: tx.job_type_totals()?,
                dead_letters: tx.dead_letters(REPORT_LIST_MAX)?,
                notes,
                periods,
                status: status.clone(),
            })
        })
    }
}

impl Engine {
    /// The store's file.
    pub fn store_path(&self) -> &Path {
        &self.config.store_path
    }

    /// Active memories by collection, the greatest of them first.
    fn collections_of_all(&self) -> Result<Vec<KeyCount>> {
        self.view(|_, derived| {
            let rows = &derived.rows;
            let all = VisibleRows::of(&Visibility::Everything, rows)
                .allowed(derived, &RowSelection::default());
            let counts = rows.count_by_collection(&all).into_iter();
            let mut named: Vec<KeyCount> = counts
                .filter_map(|(number, count)| {
                    Some(KeyCount { key: rows.names().name(number)?.to_owned(), count })
                })
                .collect();
            named.sort_by(|one, other| {
                (Reverse(one.count), &one.key).cmp(&(Reverse(other.count), &other.key))
            });
            named.truncate(REPORT_COLLECTIONS_MAX);
            Ok(named)
        })
    }
}

/// A text of a context, at a path of two keys; empty when there is none.
fn text<'c>(context: &'c Value, part: &str, field: &str) -> &'c str {
    context.get(part).and_then(|part| part.get(field)).and_then(Value::as_str).unwrap_or_default()
}
