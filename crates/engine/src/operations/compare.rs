//! Compare: what differed between the attempts at a task that succeeded and those that failed.

use super::check::{self, invalid};
use super::experiences::attempt_of;
use super::plan::context_conditions;
use crate::{Operations, Result, Run};
use robot_memory_core::access::Visibility;
use robot_memory_core::api::{Compare, CompareRequest, CompareResponse, Contrast, ContrastKind};
use robot_memory_core::limits::{
    COMPARE_ATTEMPTS_MAX, COMPARE_IDS_MAX, COMPARE_N_MAX, EXPERIENCE_NAME_CHARS_MAX,
};
use robot_memory_core::model::{Filter, Kind, MemType, Stamp};
use robot_memory_db::AttemptSource;
use robot_memory_index::parse_context;
use robot_memory_text::experience::{
    self, Attempt, Difference, DifferenceKind, Figures, Outcome, Range, differences, key_of, wilson,
};
use robot_memory_text::inference::{is_han, task_verb};
use std::collections::HashMap;
use std::ops::ControlFlow;

/// Letters that all forms of a verb begin with: drive and drove.
const VERB_BEGIN_CHARS: usize = 2;

/// Which memories are looked at.
struct Wanted {
    task: String,
    object: String,
    collections: Option<Vec<String>>,
    since: Option<Stamp>,
    until: Option<Stamp>,
    filter: Filter,
    visibility: Visibility,
}

/// The attempts that were found, the last stored first.
#[derive(Default)]
struct SelectedAttempts {
    ids: Vec<i64>,
    attempts: Vec<Attempt>,
    is_cut: bool,
}

impl Run<Compare> for Operations {
    fn run(&self, request: CompareRequest) -> Result<CompareResponse> {
        let CompareRequest {
            task,
            object,
            collection,
            collections,
            context_filter,
            since,
            until,
            scope,
            n,
            agent,
        } = request;
        self.check_agent(&agent)?;
        if n == 0 || n > COMPARE_N_MAX {
            return Err(invalid(format!("n: must be 1 to {COMPARE_N_MAX}, got {n}")));
        }
        if let (Some(since), Some(until)) = (since, until)
            && since > until
        {
            return Err(invalid("since: must not be after until"));
        }
        let wanted = Wanted {
            task: named("task", &task)?,
            object: named("object", &object)?,
            collections: self.collections(&collection, collections, "")?,
            since,
            until,
            filter: context_conditions("context_filter", &context_filter)?,
            visibility: self.visibility(&agent, &self.search_scope(&scope)?)?,
        };
        Ok(answer(&self.attempts(&wanted)?, n as usize))
    }
}

/// The key of a name that is asked for.
fn named(field: &str, name: &str) -> Result<String> {
    check::name(field, name)?;
    let name = name.trim();
    check::at_most(field, 2 * EXPERIENCE_NAME_CHARS_MAX, "characters", name.chars().count())?;
    Ok(key_of(name))
}

impl Operations {
    /// Reads all attempts that are wanted, of one snapshot. What several memories tell of one attempt of one
    /// step is one attempt.
    fn attempts(&self, wanted: &Wanted) -> Result<SelectedAttempts> {
        let begins = begins_of(&wanted.task);
        let mut found = SelectedAttempts::default();
        let mut by_turn: HashMap<(String, String, String, u32), usize> = HashMap::new();
        self.store.read(|tx| {
            let Wanted { collections, since, until, .. } = wanted;
            tx.each_attempt_source(collections.as_deref(), *since, *until, |source| {
                if !wanted.visibility.sees(&source.scope, source.mem_type)
                    || !may_tell(&source, &begins)
                {
                    return ControlFlow::Continue(());
                }
                let Some(attempt) = attempt_of(&source).filter(|it| wanted.has(&source, it)) else {
                    return ControlFlow::Continue(());
                };
                if !source.turn_id.is_empty() {
                    let (task, object) = (key_of(&attempt.task), key_of(&attempt.object));
                    let key = (source.turn_id, task, object, attempt.number);
                    let place = *by_turn.entry(key).or_insert(found.attempts.len());
                    if let Some(known) = found.attempts.get_mut(place) {
                        known.join(attempt);
                        return ControlFlow::Continue(());
                    }
                }
                if found.attempts.len() == COMPARE_ATTEMPTS_MAX {
                    found.is_cut = true;
                    return ControlFlow::Break(());
                }
                found.ids.push(source.id);
                found.attempts.push(attempt);
                ControlFlow::Continue(())
            })
        })?;
        Ok(found)
    }
}

impl Wanted {
    fn has(&self, source: &AttemptSource, attempt: &Attempt) -> bool {
        // What a statement of any other class says of an outcome in words is a rule or a lesson.
        let is_log = source.mem_type == MemType::TaskLog || source.kind == Kind::Perception;
        (attempt.is_stated || is_log)
            && attempt.is_at(&self.task)
            && attempt.is_on(&self.object)
            && (self.filter.conditions.is_empty()
                || self.filter.matches(&parse_context(&source.context)))
    }
}

/// What must be in a memory that tells of a task, so that most need not be read. "Insert of bolt" names the
/// object, too, and not the word between.
fn begins_of(task: &str) -> Vec<String> {
    let begin = |word: &str| match task_verb(word) {
        Some(verb) => verb.chars().take(VERB_BEGIN_CHARS).collect(),
        None => word.to_owned(),
    };
    task.split(' ').filter(|word| !word.is_empty() && *word != "of").map(begin).collect()
}

fn may_tell(source: &AttemptSource, begins: &[String]) -> bool {
    let AttemptSource { content, context, data, .. } = source;
    if begins.is_empty() {
        return true;
    }
    let texts = [content, context, data].map(|text| text.to_lowercase());
    // JSON may spell a letter by its number.
    let is_escaped = texts[1..].iter().any(|text| text.contains("\\u"));
    is_escaped || begins.iter().all(|begin| texts.iter().any(|text| text.contains(begin.as_str())))
}

fn answer(found: &SelectedAttempts, n: usize) -> CompareResponse {
    let SelectedAttempts { ids, attempts, is_cut } = found;
    let newest = |outcome| {
        let pairs = ids.iter().zip(attempts).filter(|(_, attempt)| attempt.outcome == outcome);
        pairs.map(|(id, _)| *id).take(COMPARE_IDS_MAX).collect::<Vec<_>>()
    };
    let figures = Figures::of(attempts);
    let (success, known) = (figures.success_count, figures.known_count());
    let interval = wilson(success, known);
    let mut contrasts = differences(attempts);
    contrasts.truncate(n);
    CompareResponse {
        success_count: small(success),
        failure_count: small(figures.failure_count),
        unknown_count: small(figures.unknown_count),
        success_rate: if known == 0 { 0.0 } else { success as f64 / known as f64 },
        success_rate_interval: if known == 0 {
            Vec::new()
        } else {
            vec![interval.low, interval.high]
        },
        success_ids: newest(Outcome::Success),
        failure_ids: newest(Outcome::Failure),
        summary: summary(&figures, !contrasts.is_empty(), *is_cut),
        contrasts: contrasts.iter().map(contrast).collect(),
    }
}

/// What a person wants to know first.
fn summary(figures: &Figures, has_contrasts: bool, is_cut: bool) -> String {
    let is_chinese =
        figures.is_han && figures.task.chars().chain(figures.object.chars()).any(is_han);
    let known = figures.known_count();
    let mut text =
        match (figures.success_count + figures.failure_count + figures.unknown_count, known) {
            (0, _) => return "no attempts found".to_owned(),
            (count, 0) => {
                return format!("{count} attempts found, none of them with an outcome");
            }
            _ if figures.task.is_empty() => {
                let named = Figures {
                    task: "attempts".to_owned(),
                    object: String::new(),
                    ..figures.clone()
                };
                experience::sentence(&named)
            }
            _ => experience::sentence(&Figures { is_han: is_chinese, ..figures.clone() }),
        };
    let mut add = |more: &str| {
        text.push_str("; ");
        text.push_str(more);
    };
    match (figures.success_count, figures.failure_count) {
        (0, _) => add("none succeeded, so there is nothing to compare with"),
        (_, 0) => add("none failed, so there is nothing to compare with"),
        _ if !has_contrasts => add("nothing that both name differed"),
        _ => {}
    }
    if is_cut {
        add(&format!("only the newest {COMPARE_ATTEMPTS_MAX} were looked at"));
    }
    text
}

fn contrast(difference: &Difference) -> Contrast {
    let statement = experience::statement(difference);
    let Difference { path, kind, effect, effect_low, success_count, failure_count } =
        difference.clone();
    let plain = Contrast {
        path,
        kind: ContrastKind::Value,
        unit: String::new(),
        value: String::new(),
        statement,
        effect,
        effect_low,
        success_count: small(success_count),
        failure_count: small(failure_count),
        success_with_value: 0,
        failure_with_value: 0,
        success_range: Vec::new(),
        failure_range: Vec::new(),
    };
    let range = |range: Range| range.at.to_vec();
    match kind {
        DifferenceKind::Number { unit, success, failure } => Contrast {
            kind: ContrastKind::Number,
            unit,
            success_range: range(success),
            failure_range: range(failure),
            ..plain
        },
        DifferenceKind::Value { value, success_with_value, failure_with_value } => Contrast {
            value,
            success_with_value: small(success_with_value),
            failure_with_value: small(failure_with_value),
            ..plain
        },
    }
}

fn small(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
