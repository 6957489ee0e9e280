//! Which short summaries become one long summary, and when.

use super::Enqueued;
use crate::db::WriteTx;
use crate::{CompactionSettings, Error, Operations, Result};
use robot_memory_core::api::{ApiError, CompactReason, ErrorKind};
use robot_memory_core::model::{JobScope, JobType, Level, Scope};
use robot_memory_db::{JobDraft, MicroSummary};
use serde_json::json;
use std::collections::BTreeMap;

/// A short summary, as far as it counts here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Micro {
    id: i64,
    /// The step that it covers; `None` when it belongs to none.
    turn_no: Option<u32>,
    token_count: u32,
}

/// The short summaries that become a long one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Why now.
    pub reason: CompactReason,
    /// In order of their steps.
    pub source_ids: Vec<i64>,
    /// The steps that they cover; `None` when they belong to none.
    pub first_turn_no: Option<u32>,
    pub last_turn_no: Option<u32>,
}

/// Chooses among the short summaries of one kind, in order of their steps: when there are many of them,
/// when they are long together, when they reach over many steps, or when it is forced; then the oldest,
/// all but the newest. What is forced leaves fewer of the newest, when there would be too few of the others.
/// `None`: not now.
fn choose(micros: &[Micro], settings: &CompactionSettings, force: bool) -> Option<Choice> {
    let reason = due(micros, settings).or(force.then_some(CompactReason::Forced))?;
    let may_stay = micros.len().saturating_sub(settings.sources_min.max(1));
    let keep_newest = if force { settings.keep_newest.min(may_stay) } else { settings.keep_newest };
    let old = micros.get(..micros.len().saturating_sub(keep_newest))?;
    let sources = old.get(..old.len().min(settings.sources_max))?;
    if sources.is_empty() || sources.len() < settings.sources_min {
        return None;
    }
    let turns = || sources.iter().filter_map(|micro| micro.turn_no);
    Some(Choice {
        reason,
        source_ids: sources.iter().map(|micro| micro.id).collect(),
        first_turn_no: turns().min(),
        last_turn_no: turns().max(),
    })
}

/// The first threshold that all short summaries together have reached.
fn due(micros: &[Micro], settings: &CompactionSettings) -> Option<CompactReason> {
    let tokens: u64 = micros.iter().map(|micro| u64::from(micro.token_count)).sum();
    let turns = || micros.iter().filter_map(|micro| micro.turn_no);
    let gap = turns().min().zip(turns().max()).map(|(first, last)| last - first);
    if micros.len() >= settings.count_min {
        Some(CompactReason::MicroCountThreshold)
    } else if tokens >= settings.tokens_min {
        Some(CompactReason::MicroTokenThreshold)
    } else if gap.is_some_and(|gap| gap >= settings.turn_gap_min) {
        Some(CompactReason::TurnGapThreshold)
    } else {
        None
    }
}

/// The short summaries of a scope that may become one: of one collection and level, so that the long
/// one is found exactly where they were.
fn by_place(micros: Vec<MicroSummary>) -> BTreeMap<(String, Level), Vec<MicroSummary>> {
    let mut by_place = BTreeMap::<_, Vec<MicroSummary>>::new();
    for micro in micros {
        by_place.entry((micro.collection.clone(), micro.level)).or_default().push(micro);
    }
    by_place
}

/// What is to be compacted first of all short summaries of a scope, and the most of them that are in
/// one place.
pub(crate) fn choose_among(
    micros: Vec<MicroSummary>,
    settings: &CompactionSettings,
    force: bool,
) -> (Option<(Choice, Vec<MicroSummary>)>, usize) {
    let mut most = 0;
    let mut forced = None;
    for mut micros in by_place(micros).into_values() {
        most = most.max(micros.len());
        let seen: Vec<Micro> = micros.iter().map(Micro::from).collect();
        let Some(choice) = choose(&seen, settings, force) else { continue };
        micros.truncate(choice.source_ids.len());
        // What has reached a threshold comes before what is only forced.
        if choice.reason != CompactReason::Forced {
            return (Some((choice, micros)), most);
        }
        forced.get_or_insert((choice, micros));
    }
    (forced, most)
}

impl From<&MicroSummary> for Micro {
    fn from(micro: &MicroSummary) -> Self {
        Self { id: micro.id, turn_no: micro.turn_no, token_count: micro.token_count }
    }
}

impl Operations {
    /// Queues the job that compacts a scope's summaries when a threshold is reached; to be called when
    /// one more was written. `None`: not yet, or not with a full queue: the next one that is written
    /// comes here again.
    pub(crate) fn queue_compaction_if_due(
        &self,
        tx: &WriteTx<'_>,
        scope: &Scope,
        turn_id: &str,
        agent: &str,
    ) -> Result<Option<Enqueued>> {
        let micros = tx.micro_summaries(scope)?;
        let (chosen, _) = choose_among(micros, &self.config.jobs.compaction, false);
        match chosen {
            Some(_) => match self.queue_compaction(tx, scope, turn_id, agent, false) {
                Err(Error::Api(ApiError { kind: ErrorKind::Unavailable, .. })) => Ok(None),
                queued => queued.map(Some),
            },
            None => Ok(None),
        }
    }

    /// Queues the job that compacts a scope's summaries. One that waits is forced from now on, when this
    /// is.
    pub(crate) fn queue_compaction(
        &self,
        tx: &WriteTx<'_>,
        scope: &Scope,
        turn_id: &str,
        agent: &str,
        force: bool,
    ) -> Result<Enqueued> {
        let payload = json!({ "force": force });
        let queued = self.enqueue(
            tx,
            &JobDraft {
                // What a job forces needs no other one that does not.
                dedup_key: format!("{}:{scope}", JobType::CompactMacro),
                turn_id,
                payload: payload.clone(),
                ..JobDraft::of(&JobScope::Of(scope.clone()), JobType::CompactMacro, agent)
            },
        )?;
        if force && !queued.created {
            tx.put_job_payload(queued.job_id, &payload.to_string())?;
        }
        Ok(queued)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Of these steps, ten tokens each, ids from 101.
    fn micros(turns: impl IntoIterator<Item = u32>) -> Vec<Micro> {
        (101..)
            .zip(turns)
            .map(|(id, turn)| Micro { id, turn_no: Some(turn), token_count: 10 })
            .collect()
    }

    #[test]
    fn the_first_threshold_that_is_reached_is_the_reason() {
        use CompactReason::*;
        let long = |count: u32, tokens| {
            let mut micros = micros(1..=count);
            micros.iter_mut().for_each(|micro| micro.token_count = tokens);
            micros
        };
        let apart = |last| micros([1, 2, 3, 4, 5, 6, last]);
        let cases = [
            ("eleven", micros(1..=11), false, None),
            ("twelve", micros(1..=12), false, Some(MicroCountThreshold)),
            (
                "899 tokens",
                {
                    let mut m = long(9, 99);
                    m[0].token_count = 107;
                    m
                },
                false,
                None,
            ),
            ("900 tokens", long(9, 100), false, Some(MicroTokenThreshold)),
            ("a gap of eleven", apart(12), false, None),
            ("a gap of twelve", apart(13), false, Some(TurnGapThreshold)),
            (
                "tokens before the gap",
                {
                    let mut m = apart(13);
                    m[0].token_count = 900;
                    m
                },
                false,
                Some(MicroTokenThreshold),
            ),
            ("count before all", long(12, 100), false, Some(MicroCountThreshold)),
            ("a threshold before force", micros(1..=12), true, Some(MicroCountThreshold)),
            ("forced", micros(1..=7), true, Some(Forced)),
            ("three are enough to be forced", micros(1..=3), true, Some(Forced)),
            ("two are too few to be forced", micros(1..=2), true, None),
            ("six are too few for a threshold", micros([1, 2, 3, 4, 5, 50]), false, None),
            ("none", micros([]), true, None),
        ];
        for (case, micros, force, expected) in cases {
            let chosen = choose(&micros, &CompactionSettings::default(), force);
            assert_eq!(chosen.map(|choice| choice.reason), expected, "{case}");
        }
    }

    #[test]
    fn the_oldest_are_chosen_and_the_newest_stay() {
        let defaults = CompactionSettings::default();
        for (count, expected) in [(7, 3), (8, 4), (12, 8), (16, 12), (17, 12), (99, 12)] {
            let choice = choose(&micros(1..=count), &defaults, true).expect("a choice");
            let ids: Vec<i64> = (101..101 + expected).collect();
            assert_eq!(choice.source_ids, ids, "of {count}");
            assert_eq!(choice.first_turn_no, Some(1));
            assert_eq!(choice.last_turn_no.map(i64::from), Some(expected));
        }
    }

    #[test]
    fn every_number_can_be_set() {
        let settings = CompactionSettings {
            count_min: 3,
            tokens_min: 50,
            turn_gap_min: 4,
            keep_newest: 1,
            sources_min: 1,
            sources_max: 2,
        };
        let ids = |micros: &[Micro]| choose(micros, &settings, false).map(|it| it.source_ids);
        assert_eq!(ids(&micros([1, 2])), None);
        assert_eq!(ids(&micros([1, 5])), Some(vec![101]));
        assert_eq!(ids(&micros([1, 2, 3, 4])), Some(vec![101, 102]));
        let none = CompactionSettings { sources_min: 0, sources_max: 0, ..settings };
        assert_eq!(choose(&micros(1..=50), &none, true), None);
        let all = CompactionSettings { keep_newest: 0, ..CompactionSettings::default() };
        assert_eq!(choose(&micros(1..=3), &all, true).expect("all").source_ids.len(), 3);
    }

    #[test]
    fn summaries_of_no_step_count_and_reach_nowhere() {
        let mut some = micros(1..=7);
        some.iter_mut().for_each(|micro| micro.turn_no = None);
        let choice = choose(&some, &CompactionSettings::default(), true).expect("forced");
        assert_eq!((choice.first_turn_no, choice.last_turn_no), (None, None));
    }

    proptest! {
        #[test]
        fn a_choice_keeps_its_bounds(
            mut turns in prop::collection::vec(1u32..60, 0..40),
            tokens in 0u32..200,
            force: bool,
        ) {
            turns.sort_unstable();
            let mut micros = micros(turns);
            micros.iter_mut().for_each(|micro| micro.token_count = tokens);
            let defaults = CompactionSettings::default();
            match choose(&micros, &defaults, force) {
                Some(choice) => {
                    prop_assert!((3..=12).contains(&choice.source_ids.len()));
                    let left = micros.len() - choice.source_ids.len();
                    prop_assert!(left >= 4 || force && choice.source_ids.len() == 3);
                    prop_assert!(choice.first_turn_no <= choice.last_turn_no);
                    prop_assert!(force || choice.reason != CompactReason::Forced);
                }
                None => prop_assert!(!force || micros.len() < 3),
            }
        }
    }
}
