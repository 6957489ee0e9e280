//! Belief fades with the days, and what is no longer worth keeping is archived.

use super::{Done, Payload, ScopeWork};
use crate::operations::fade::{archive, counted, retention};
use crate::service::jobs::{Fault, JobRun};
use crate::{Engine, Result};
use robot_memory_core::model::{Belief, CONFIDENCE_FLOOR, FRESH_DAYS, MemType, Scope, Stamp};
use robot_memory_db::DecayRow;
use robot_memory_index::ranking::half_life_days;
use robot_memory_index::{Change, RowSelection};
use serde_json::json;

/// Rows that are looked at on one snapshot.
const LOOKED_AT: usize = 4096;
/// Rows that are changed in one step.
const CHANGED_PER_STEP: usize = 256;
/// Days are written down when belief fell by so much: it is shown with two digits. What is not written is counted
/// the next time.
const FALL_MIN: f64 = 0.01;
/// What a ledger says of it.
const CAUSE: &str = "maintenance";

/// What is archived.
#[derive(Debug, Clone, Copy)]
struct Rule {
    /// Retention below which it is.
    bound: f64,
    /// Whether a person asked for the run.
    asked_for: bool,
}

/// What becomes of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fate {
    /// Nothing.
    Stays,
    /// Its days are counted.
    Fades,
    /// So much of its importance is left, which is not enough.
    Archived(f64),
}

impl JobRun<'_> {
    /// Lets the belief in the rows of a scope fade, and archives what is forgotten.
    pub(super) fn fade_step(&self, work: &mut ScopeWork) -> Result<(), Fault> {
        let (engine, scope, now) = (self.engine, work.scope.clone(), work.now);
        let clock = engine.clock_state_at(now);
        if !clock.is_steady() {
            work.part().step().note = clock.to_string();
            return Ok(());
        }
        let asked_for = self.payload::<Payload>()?.asked_for;
        let rule = Rule { bound: engine.config.maintenance.archive_retention_min, asked_for };
        let after = work.cursor().as_i64().unwrap_or(0);
        let ids = engine.may_fade(&scope, now)?;
        let total = ids.len() as u64;
        let mut looked_at = ids.partition_point(|id| *id <= after) as u64;
        let left = ids.get(looked_at as usize..).unwrap_or_default();
        for ids in left.chunks(LOOKED_AT) {
            let (due, kept_count) = engine.worth_less(ids, &scope, rule, now)?;
            if kept_count > 0 {
                work.part().count("kept_imported", kept_count);
            }
            for due in due.chunks(CHANGED_PER_STEP) {
                let Some(&last) = due.last() else { continue };
                let done = looked_at + ids.partition_point(|id| *id <= last) as u64;
                self.commit_part(work, total, |tx, part| {
                    for &id in due {
                        // Callers were let in since it was looked at.
                        let Some(row) = tx.decay_row(id)?.filter(|row| row.scope == scope) else {
                            continue;
                        };
                        match fate(&row, rule, now) {
                            Fate::Stays => {}
                            Fate::Fades => {
                                let belief = tx.count_days(id, now, CAUSE)?;
                                tx.index(Change::Belief { id, belief });
                                part.count("faded", 1);
                            }
                            Fate::Archived(retention) => {
                                let why =
                                    format!("retention {retention:.4} is below {}", rule.bound);
                                let cause = format!("{CAUSE}: {why}");
                                archive(tx, id, &cause, "", now)?;
                                part.find("archived", &[id], &why);
                            }
                        }
                    }
                    Ok(Done { cursor: json!(last), done })
                })?;
            }
            looked_at += ids.len() as u64;
        }
        Ok(())
    }
}

impl Engine {
    /// The rows of a scope that may change, in order of id, by what is known of them in memory: those
    /// whose class fades, and those that are believed enough and old enough to be believed less.
    fn may_fade(&self, scope: &Scope, now: Stamp) -> Result<Vec<i64>> {
        let mem_types = MemType::ALL.iter().copied();
        let mem_types = mem_types.filter(|it| half_life_days(*it, None).is_some()).collect();
        self.view(|_, derived| {
            let rows = &derived.rows;
            let Some(number) = rows.names().get(&scope.to_string()) else {
                return Ok(Vec::new());
            };
            let own = RowSelection { scopes: Some(vec![number]), ..RowSelection::default() };
            let forgotten = RowSelection { mem_types, ..own.clone() };
            let believed = RowSelection {
                min_confidence: CONFIDENCE_FLOOR,
                until: Some(now.plus_days(-FRESH_DAYS)),
                ..own
            };
            let mut slots = rows.allowed(&forgotten);
            slots.union_with(&rows.allowed(&believed));
            Ok(slots.iter().filter_map(|slot| rows.id(slot)).collect())
        })
    }

    /// Those of these rows that do change, and how many are kept because they were imported.
    fn worth_less(
        &self,
        ids: &[i64],
        scope: &Scope,
        rule: Rule,
        now: Stamp,
    ) -> Result<(Vec<i64>, u64)> {
        self.store.read(|tx| {
            let (mut due, mut kept_count) = (Vec::new(), 0);
            for &id in ids {
                let Some(row) = tx.decay_row(id)?.filter(|row| row.scope == *scope) else {
                    continue;
                };
                kept_count += u64::from(is_kept(&row, rule, now));
                if fate(&row, rule, now) != Fate::Stays {
                    due.push(id);
                }
            }
            Ok((due, kept_count))
        })
    }
}

/// What becomes of a row: what is archived need not fade. What a person imported is archived only when a
/// person asks for it.
fn fate(row: &DecayRow, rule: Rule, now: Stamp) -> Fate {
    let forgotten = retention(row, now).filter(|left| *left < rule.bound);
    if let Some(retention) = forgotten.filter(|_| !is_kept(row, rule, now)) {
        return Fate::Archived(retention);
    }
    let left = counted(row, now).map(Belief::confidence);
    if left.is_some_and(|left| row.belief.confidence() - left >= FALL_MIN) {
        Fate::Fades
    } else {
        Fate::Stays
    }
}

/// Whether a row would be archived, had no person imported it.
fn is_kept(row: &DecayRow, rule: Rule, now: Stamp) -> bool {
    row.is_imported && !rule.asked_for && retention(row, now).is_some_and(|left| left < rule.bound)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use robot_memory_core::model::Category;

    const SCHEDULED: Rule = Rule { bound: 0.1, asked_for: false };

    fn row(mem_type: MemType, created_at: Stamp) -> DecayRow {
        DecayRow {
            scope: Scope::Global,
            mem_type,
            category: None,
            belief: Belief::new(0.8, 0.01, created_at),
            created_at,
            importance: 0.5,
            access_count: 0,
            restored_at: None,
            known_at: None,
            is_imported: false,
        }
    }

    #[test]
    fn what_becomes_of_a_row() {
        let born = Stamp::from_secs(1_750_000_000);
        let log = |f: fn(&mut DecayRow)| {
            let mut row = row(MemType::TaskLog, born);
            f(&mut row);
            row
        };
        let days = |days: f64| born.plus_days(days);
        let stays = |row: &DecayRow, at: f64| fate(row, SCHEDULED, days(at)) == Fate::Stays;
        let is_archived =
            |row: &DecayRow, at: f64| matches!(fate(row, SCHEDULED, days(at)), Fate::Archived(_));
        assert!(stays(&log(|_| ()), 1.0), "it is fresh");
        assert!(stays(&log(|row| row.belief.said = 0.1), 7.0), "it would fall by too little");
        assert!(fate(&log(|_| ()), SCHEDULED, days(69.6)) == Fate::Fades);
        assert!(is_archived(&log(|_| ()), 69.7));
        assert!(!is_archived(&log(|row| row.access_count = 3), 160.0));
        assert!(is_archived(&log(|row| row.access_count = 3), 170.0));
        assert!(!is_archived(
            &log(|row| row.restored_at = Some(row.created_at.plus_days(60.0))),
            129.0
        ));
        assert!(is_archived(
            &log(|row| row.restored_at = Some(row.created_at.plus_days(60.0))),
            130.0
        ));
        let imported = |days: f64, rule| {
            let known_at = Some(born.plus_days(1_000.0));
            let mut row = log(|row| row.is_imported = true);
            row.belief.fades_from = born.plus_days(1_000.0);
            fate(&DecayRow { known_at, ..row }, rule, born.plus_days(1_000.0 + days))
        };
        let asked_for = Rule { asked_for: true, ..SCHEDULED };
        assert!(matches!(imported(69.6, SCHEDULED), Fate::Fades));
        assert!(matches!(imported(0.5, asked_for), Fate::Stays));
        assert!(matches!(imported(69.7, asked_for), Fate::Archived(_)));
        assert!(matches!(imported(500.0, SCHEDULED), Fate::Fades));
        assert!(stays(&log(|row| row.category = Some(Category::Constraint)), 10_000.0));
        assert!(!is_archived(&row(MemType::Fact, born), 10_000.0));
        assert!(is_archived(&row(MemType::Procedure, born), 209.0));
        assert!(!is_archived(&row(MemType::Procedure, born), 208.0));
    }

    proptest! {
        #[test]
        fn any_number_of_runs_come_to_the_same_as_one(
            mut at in prop::collection::vec(0.0..200.0_f64, 1..20),
        ) {
            at.sort_by(f64::total_cmp);
            let born = Stamp::from_secs(1_750_000_000);
            let mut often = row(MemType::Fact, born);
            let mut last = 0.0;
            for &day in &at {
                let now = born.plus_days(day);
                if fate(&often, SCHEDULED, now) == Fate::Fades {
                    often.belief = often.belief.counted(now);
                    last = day;
                }
                let exact = 0.8 * 0.99_f64.powf(day);
                prop_assert!(often.belief.confidence() - exact < FALL_MIN + 0.8 * 0.01);
            }
            let expected = if last > 1.0 { 0.8 * 0.99_f64.powf(last) } else { 0.8 };
            prop_assert!((often.belief.confidence() - expected).abs() < 1e-12);
        }
    }
}
