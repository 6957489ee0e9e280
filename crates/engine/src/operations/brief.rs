//! Brief: what is known that matters for something that is about to be done.

use super::attempts::{AttemptContext, attempt_name, required_name};
use super::briefed_lessons::{
    DoneSteps, Teaching, briefed_lessons, changes, contradictions, done_steps, is_believed,
    procedures, teachings,
};
use super::check::{self, invalid};
use super::check_action::planned_action;
use crate::{Operations, Result, Run};
use robot_memory_core::access::Visibility;
use robot_memory_core::api::{
    Brief, BriefRequest, BriefResponse, BriefedAttempts, BriefedNumber, ChangePoint,
    CheckActionResponse, FailureReason, Nearness, SimilarAttempt,
};
use robot_memory_core::limits::{BRIEF_FAILURES_MAX, BRIEF_N_MAX, COMPARE_IDS_MAX};
use robot_memory_core::model::Stamp;
use robot_memory_db::ReadTx;
use robot_memory_text::experience::{
    KnownAttempts, NearAttempts, Range, Tally, TallySum, briefing, wilson,
};
use robot_memory_text::guard::Action;
use std::cmp::Reverse;
use std::collections::HashSet;
use std::time::Instant;

/// Where something is to be done.
struct Spot {
    position_m: [f64; 3],
    /// Empty: any.
    frame: String,
}

/// What was found of attempts, before rows are read.
struct AttemptSelection {
    attempts: Vec<BriefedAttempts>,
    /// The nearest first.
    similar: Vec<(Nearness, i64, Option<f64>)>,
    /// The best steps of the nearest attempts that tell any.
    done: Vec<DoneSteps>,
    teachings: Vec<Teaching>,
}

/// A request that was checked.
struct CheckedBrief {
    task: String,
    /// Empty: anything.
    object: String,
    spot: Option<Spot>,
    action: Action,
    collections: Option<Vec<String>>,
    visibility: Visibility,
    similar_max: usize,
}

impl Run<Brief> for Operations {
    fn run(&self, request: BriefRequest) -> Result<BriefResponse> {
        let began = Instant::now();
        let checked = self.check_brief(request)?;
        let CheckedBrief { task, object, action, visibility, .. } = &checked;
        let collections = checked.collections.as_deref();
        let CheckActionResponse { allowed, allowed_by, violations, undecided, .. } =
            self.check_action(action, collections, visibility)?;
        let found = self.attempts.with(self, |known| Ok(checked.select(known)))?;
        let changes = changes(&found.teachings);
        let (similar, lessons, procedures, contradictions) = self.store.read(|tx| {
            let similar = similar(tx, &found.similar, &changes, visibility)?;
            let lessons = briefed_lessons(tx, &found.teachings, visibility)?;
            let procedures = procedures(tx, found.done, visibility)?;
            let contradictions = contradictions(tx, (task, object), collections, visibility)?;
            Ok::<_, crate::Error>((similar, lessons, procedures, contradictions))
        })?;
        // What a briefing gives is used, and believed on.
        if let Ok(now) = self.now() {
            let lessons = lessons.iter().filter(|it| is_believed(it)).map(|it| it.lesson_id);
            let similar = similar.iter().map(|it| it.attempt_id);
            self.note_accesses(lessons.filter(|id| *id > 0).chain(similar), now);
        }
        let nearness = found.attempts.first().map(|it| it.nearness);
        let is_known = match nearness {
            None => false,
            Some(Nearness::Task) => object.is_empty(),
            Some(Nearness::Object | Nearness::Kind) => true,
        };
        let known = found.attempts.first().filter(|_| is_known);
        let sentences =
            briefing(task, object, known, (&lessons, &changes), (&violations, &undecided));
        Ok(BriefResponse {
            is_known,
            nearness,
            attempts: found.attempts,
            similar,
            lessons,
            changes,
            procedures,
            contradictions,
            allowed,
            allowed_by,
            violations,
            undecided,
            sentence_en: sentences.en,
            sentence_zh: sentences.zh,
            query_ms: began.elapsed().as_secs_f64() * 1e3,
        })
    }
}

impl Operations {
    fn check_brief(&self, request: BriefRequest) -> Result<CheckedBrief> {
        let BriefRequest {
            task,
            object,
            place,
            position_m,
            frame,
            params,
            collection,
            collections,
            session_id,
            scope,
            n,
            agent,
        } = request;
        self.check_agent(&agent)?;
        if n == 0 || n > BRIEF_N_MAX {
            return Err(invalid(format!("n: must be 1 to {BRIEF_N_MAX}, got {n}")));
        }
        let task = required_name("task", &task)?;
        let object = attempt_name("object", &object)?;
        let spot = spot(&position_m, &frame)?;
        let action = planned_action(&params, task, object, &place)?;
        check::name("session_id", &session_id)?;
        Ok(CheckedBrief {
            task: task.to_owned(),
            object: object.to_owned(),
            spot,
            action,
            collections: self.collections(&collection, collections, &session_id)?,
            visibility: self.visibility(&agent, &self.search_scope(&scope)?)?,
            similar_max: n as usize,
        })
    }
}

impl CheckedBrief {
    fn select(&self, known: &KnownAttempts) -> AttemptSelection {
        let near = known.near(&self.task, &self.object, |place| {
            let is_asked = |wanted: &Vec<String>| wanted.contains(&place.collection);
            self.collections.as_ref().is_none_or(is_asked)
                && self.visibility.sees(&place.scope, place.mem_type)
        });
        let spot = self.spot.as_ref();
        select_attempts(known, &near, self.object.is_empty(), spot, self.similar_max)
    }
}

fn spot(position_m: &[f64], frame: &str) -> Result<Option<Spot>> {
    check::name("frame", frame)?;
    let position_m = match *position_m {
        [] if frame.is_empty() => return Ok(None),
        [] => return Err(invalid("frame: needs the position_m that is in it")),
        [x, y] => [x, y, 0.0],
        [x, y, z] => [x, y, z],
        _ => {
            let count = position_m.len();
            return Err(invalid(format!("position_m: must have 2 or 3 numbers, got {count}")));
        }
    };
    if let Some(odd) = position_m.iter().find(|it| !it.is_finite()) {
        return Err(invalid(format!("position_m: must be finite numbers, got {odd}")));
    }
    Ok(Some(Spot { position_m, frame: frame.to_owned() }))
}

/// What attempts of each nearness come to, and the `n` that are most similar.
fn select_attempts(
    known: &KnownAttempts,
    near: &[NearAttempts<'_>],
    is_of_any_object: bool,
    spot: Option<&Spot>,
    n: usize,
) -> AttemptSelection {
    let mut attempts = Vec::with_capacity(near.len());
    let mut similar: Vec<(Nearness, i64, Option<f64>)> = Vec::new();
    let mut listed = HashSet::new();
    let mut done = Vec::new();
    for NearAttempts { nearness, objects, tallies, .. } in near {
        let sum = Tally::sum(tallies, COMPARE_IDS_MAX.max(n));
        let is_near_enough = *nearness != Nearness::Task || is_of_any_object;
        if is_near_enough && similar.len() < n {
            let ids: Vec<i64> = match spot {
                // The nearest may be the oldest.
                Some(_) => tallies.iter().flat_map(|tally| tally.ids()).collect(),
                None => {
                    let newest = [&sum.success_ids, &sum.failure_ids, &sum.unknown_ids];
                    newest.into_iter().flatten().copied().collect()
                }
            };
            let more = ids.into_iter().filter(|id| listed.insert(*id)).map(|id| {
                let far_m = spot.and_then(|spot| distance_m(known, id, spot));
                (far_m.unwrap_or(f64::INFINITY), Reverse((known.made_at(id), id)), far_m)
            });
            let mut more: Vec<_> = more.collect();
            more.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            similar.extend(
                more.into_iter().map(|(_, Reverse((_, id)), far_m)| (*nearness, id, far_m)),
            );
        }
        if is_near_enough && done.is_empty() {
            done = done_steps(*nearness, &sum);
        }
        attempts.push(briefed(known, *nearness, objects, sum));
    }
    similar.truncate(n);
    AttemptSelection {
        attempts,
        similar,
        done,
        teachings: teachings(known, near, is_of_any_object),
    }
}

fn distance_m(known: &KnownAttempts, id: i64, spot: &Spot) -> Option<f64> {
    let (position_m, frame) = known.position_m(id)?;
    let is_comparable = spot.frame.is_empty() || spot.frame == *frame;
    let squares = position_m.iter().zip(spot.position_m).map(|(a, b)| (a - b) * (a - b));
    is_comparable.then(|| squares.sum::<f64>().sqrt())
}

fn briefed(
    known: &KnownAttempts,
    nearness: Nearness,
    objects: &[&str],
    sum: TallySum,
) -> BriefedAttempts {
    let TallySum {
        success_count,
        failure_count,
        unknown_count,
        real_count,
        made_at,
        numbers,
        reasons,
        procedures: _,
        mut success_ids,
        mut failure_ids,
        unknown_ids: _,
    } = sum;
    let total = success_count + failure_count;
    let interval = wilson(success_count, total);
    let range = |range: Option<Range>| range.map_or_else(Vec::new, |it| it.at.to_vec());
    let count = |range: Option<Range>| range.map_or(0, |it| it.count);
    let numbers = numbers.into_iter().filter_map(|(quantity, (success, failure))| {
        let quantity = known.quantity_called(quantity)?;
        Some(BriefedNumber {
            path: quantity.path.clone(),
            unit: quantity.unit.clone(),
            success_count: count(success),
            success_range: range(success),
            failure_count: count(failure),
            failure_range: range(failure),
        })
    });
    let mut numbers: Vec<BriefedNumber> = numbers.collect();
    numbers.sort_by(|a, b| (&a.path, &a.unit).cmp(&(&b.path, &b.unit)));
    let failures = reasons.into_iter().take(BRIEF_FAILURES_MAX).map(|it| FailureReason {
        reason: it.reason,
        count: it.count,
        last_at: it.last_at,
        attempt_ids: it.ids.into_iter().take(COMPARE_IDS_MAX).collect(),
    });
    success_ids.truncate(COMPARE_IDS_MAX);
    failure_ids.truncate(COMPARE_IDS_MAX);
    let (oldest_at, newest_at) = made_at.unwrap_or((Stamp(0), Stamp(0)));
    BriefedAttempts {
        nearness,
        objects: objects.iter().map(|it| (*it).to_owned()).collect(),
        success_count,
        failure_count,
        unknown_count,
        success_rate: if total == 0 { 0.0 } else { success_count as f64 / total as f64 },
        success_rate_interval: if total == 0 {
            Vec::new()
        } else {
            vec![interval.low, interval.high]
        },
        real_count,
        oldest_at,
        newest_at,
        numbers,
        failures: failures.collect(),
        success_ids,
        failure_ids,
    }
}

/// Reads what the answer shows of attempts. One that has gone meanwhile is left out.
fn similar(
    tx: &ReadTx<'_>,
    chosen: &[(Nearness, i64, Option<f64>)],
    changes: &[ChangePoint],
    visibility: &Visibility,
) -> Result<Vec<SimilarAttempt>> {
    let mut shown = Vec::with_capacity(chosen.len());
    for (nearness, id, distance_m) in chosen {
        let memory = tx.memory(*id, false)?;
        let Some(memory) = memory.filter(|it| visibility.sees(&it.scope, it.mem_type)) else {
            continue;
        };
        let context = AttemptContext::of(&memory.context);
        shown.push(SimilarAttempt {
            attempt_id: *id,
            nearness: *nearness,
            object: context.of_task("object").to_owned(),
            outcome: context.outcome().to_owned(),
            reason: context.of_task("reason").to_owned(),
            params: context.part("params"),
            measured: context.part("measured"),
            distance_m: *distance_m,
            created_at: memory.created_at,
            // A change is one of the object, not of its kind.
            is_outdated: *nearness != Nearness::Kind
                && changes.iter().any(|it| (memory.created_at, *id) < (it.at, it.attempt_id)),
        });
    }
    Ok(shown)
}
