//! The summary of a week: how much came, how tasks went, what was learned.

use super::experiences::{COUNTED_AT_ONCE_MAX, attempt_of, shared_trust};
use super::inferred::InferredDescription;
use super::summary::{rewrite_summary, summary_draft};
use crate::db::{Vector, WriteTx};
use crate::{Error, Operations, Result};
use jiff::civil::{Date, ISOWeekDate};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use robot_memory_core::api::LedgerEntry;
use robot_memory_core::limits::{
    CONTENT_CHARS_MAX, EXPERIENCE_NAME_CHARS_MAX, EXPERIENCE_SOURCES_MAX, WEEK_MEMORIES_MIN,
    WEEKS_MAX,
};
use robot_memory_core::model::{
    Category, Kind, LedgerChange, MemType, Scope, Stamp, Status, SummaryKind, Trust,
};
use robot_memory_db::{AttemptSource, MemoryDraft, ReadTx, Subject, SubjectSummary, SummaryDraft};
use robot_memory_index::RowSelection;
use robot_memory_index::ranking::{Passage, extract};
use robot_memory_text::experience::{Attempt, Outcome, key_of};
use robot_memory_text::inference::{Statement, cut, is_han, salience};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// Tasks that the words of a week tell of; the figures have more.
const TASKS_LISTED_MAX: usize = 3;
const TASKS_MAX: usize = 50;
/// Statements among which those are chosen that are told, the newest: each is compared with each.
const LESSONS_MAX: usize = 200;

/// A week of the calendar (ISO 8601: from Monday, the first one of a year has its first Thursday).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Week {
    /// As `2026-W47`.
    pub name: String,
    /// It begins here,
    since: Stamp,
    /// and ends before this.
    until: Stamp,
}

impl Week {
    /// The week that a time is in; `None` of a time that no calendar holds.
    fn of(at: Stamp, zone: &TimeZone) -> Option<Self> {
        let at = Timestamp::from_nanosecond(at.0.into()).ok()?;
        Self::from_day(at.to_zoned(zone.clone()).date(), zone)
    }

    fn from_day(day: Date, zone: &TimeZone) -> Option<Self> {
        let monday =
            day.checked_sub(i64::from(day.weekday().to_monday_zero_offset()).days()).ok()?;
        let begin = |day: Date| {
            let nanos = day.to_zoned(zone.clone()).ok()?.timestamp().as_nanosecond();
            i64::try_from(nanos).ok().map(Stamp)
        };
        let week = monday.iso_week_date();
        Some(Self {
            name: format!("{:04}-W{:02}", week.year(), week.week()),
            since: begin(monday)?,
            until: begin(monday.checked_add(7.days()).ok()?)?,
        })
    }

    /// The week of a name.
    fn named(name: &str, zone: &TimeZone) -> Option<Self> {
        let monday: ISOWeekDate = format!("{name}-1").parse().ok()?;
        Self::from_day(monday.date(), zone)
    }

    /// The weeks that ended before a time, the oldest first.
    fn ended_before(now: Stamp, zone: &TimeZone) -> Vec<Self> {
        let mut weeks = Vec::with_capacity(WEEKS_MAX);
        let mut before = Self::of(now, zone).map(|week| week.since);
        while let Some(week) = before.and_then(|it| Self::of(Stamp(it.0.checked_sub(1)?), zone))
            && weeks.len() < WEEKS_MAX
        {
            before = Some(week.since);
            weeks.push(week);
        }
        weeks.reverse();
        weeks
    }
}

/// A week of one collection that is to be told.
#[derive(Debug)]
pub(crate) struct DueWeek {
    pub subject: Subject,
    /// Its memories, in order of id.
    ids: Vec<i64>,
}

/// What a week was like.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct WeekFigures {
    week: String,
    count: u64,
    by_kind: BTreeMap<String, u64>,
    by_category: BTreeMap<String, u64>,
    tasks: Vec<TaskCount>,
    /// The last memory that was counted.
    newest_id: i64,
    is_han: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct TaskCount {
    task: String,
    object: String,
    success_count: u64,
    failure_count: u64,
}

/// A week in words.
pub(crate) struct WeekSummary {
    figures: WeekFigures,
    text: String,
    source_ids: Vec<i64>,
    trust: Trust,
    newest: Stamp,
    vector: Option<Vector>,
}

impl DueWeek {
    /// Its memories, but for those that were withdrawn or replaced meanwhile.
    fn rows(&self, tx: &ReadTx<'_>) -> Result<Vec<AttemptSource>> {
        let mut rows = Vec::with_capacity(self.ids.len());
        for &id in &self.ids {
            let row = tx.attempt_source(id)?;
            rows.extend(row.filter(|it| matches!(it.status, Status::Active | Status::Archived)));
        }
        Ok(rows)
    }
}

/// The summary of a week near the time of a memory.
struct WeekNear {
    summary: SubjectSummary,
    /// Whether it is the week of the memory.
    is_own: bool,
    /// Whether the memory is a task log.
    is_task_log: bool,
}

impl WeekNear {
    /// Whether it names the memory among what it was made of.
    fn is_of(&self, id: i64) -> bool {
        self.summary.source_ids.contains(&id)
    }
}

impl Operations {
    /// The weeks of a scope that ended and are not told yet, or of which something came later; the oldest
    /// first.
    pub(crate) fn due_weeks(&self, scope: &Scope, now: Stamp) -> Result<Vec<DueWeek>> {
        let weeks = Week::ended_before(now, &self.config.maintenance.time_zone);
        let (Some(first), Some(last)) = (weeks.first(), weeks.last()) else {
            return Ok(Vec::new());
        };
        let mut found: BTreeMap<(usize, String), Vec<i64>> = BTreeMap::new();
        self.view(|_, derived| {
            let names = derived.rows.names();
            let Some(number) = names.get(&scope.to_string()) else { return Ok(()) };
            let selection = RowSelection {
                scopes: Some(vec![number]),
                kinds: vec![Kind::Fact, Kind::Perception],
                since: Some(first.since),
                until: Some(last.until),
                ..RowSelection::default()
            };
            for slot in derived.rows.allowed(&selection).iter() {
                let Some(facts) = derived.rows.facts(slot) else { continue };
                let place = weeks.partition_point(|week| week.until <= facts.created_at);
                if let Some(collection) = names.name(facts.collection) {
                    found.entry((place, collection.to_owned())).or_default().push(facts.id);
                }
            }
            Ok(())
        })?;
        self.store.read(|tx| {
            let mut due = Vec::new();
            for ((place, collection), ids) in found {
                let Some(week) = weeks.get(place) else { continue };
                let subject =
                    Subject { scope: scope.to_string(), collection, subject: week.name.clone() };
                let known = tx.summaries_about(SummaryKind::Week, &subject)?;
                let is_due = match known.first() {
                    None => ids.len() as u64 >= WEEK_MEMORIES_MIN,
                    Some(known) => {
                        let counted: Option<WeekFigures> =
                            serde_json::from_str(&known.figures).ok();
                        known.status == Status::Active
                            && ids.last() > counted.map(|counted| counted.newest_id).as_ref()
                    }
                };
                if is_due {
                    due.push(DueWeek { subject, ids });
                }
            }
            Ok(due)
        })
    }

    /// Tells of a week; `None` when its memories are gone, or when its words are never stored.
    pub(crate) fn summarize_week(&self, due: &DueWeek) -> Result<Option<WeekSummary>> {
        let rows = self.store.read(|tx| due.rows(tx))?;
        let told = self.tell_week(due, &rows);
        Ok(told.map(|told| WeekSummary { vector: self.embed(&told.text), ..told }))
    }

    /// Tells of a week whose memories these are, without a vector.
    fn tell_week(&self, due: &DueWeek, rows: &[AttemptSource]) -> Option<WeekSummary> {
        let (Some(newest_id), Some(newest)) =
            (rows.last().map(|row| row.id), rows.iter().map(|row| row.created_at).max())
        else {
            return None;
        };
        let attempts: Vec<(i64, Attempt)> = rows
            .iter()
            .filter(|row| row.mem_type == MemType::TaskLog)
            .filter_map(|row| Some((row.id, attempt_of(row)?)))
            .filter(|(_, attempt)| !attempt.task.is_empty() && attempt.outcome != Outcome::Unknown)
            .collect();
        let mut figures = WeekFigures {
            week: due.subject.subject.clone(),
            count: rows.len() as u64,
            by_kind: BTreeMap::new(),
            by_category: BTreeMap::new(),
            tasks: tasks(&attempts),
            newest_id,
            is_han: rows.iter().filter(|row| row.content.chars().any(is_han)).count() * 2
                > rows.len(),
        };
        for row in rows {
            *figures.by_kind.entry(row.kind.to_string()).or_default() += 1;
            if let Some(category) = row.category {
                *figures.by_category.entry(category.to_string()).or_default() += 1;
            }
        }
        let trust = shared_trust(rows.iter().map(|row| row.trust));
        let mut text = head(&figures);
        // Whoever reads the summary must be one who reads what it says.
        let mem_type = rows.first().map(|row| self.summary_mem_type(&row.scope));
        let is_kept = |row: &AttemptSource| {
            let policy = &self.access.policy;
            mem_type.is_some_and(|mem_type| policy.reads_alike(&row.scope, row.mem_type, mem_type))
                && self.may_store(&row.content)
        };
        let room = CONTENT_CHARS_MAX.saturating_sub(text.chars().count());
        let learned = lessons(rows, room, figures.is_han, is_kept);
        let mut source_ids = Vec::new();
        if !learned.is_empty() {
            text.push_str(if figures.is_han { "；学到：" } else { "; learned: " });
            let joint = if figures.is_han { "；" } else { "; " };
            let words: Vec<&str> = learned.iter().map(|row| plain(&row.content)).collect();
            text.push_str(&words.join(joint));
            source_ids.extend(learned.iter().map(|row| row.id));
        }
        let room = EXPERIENCE_SOURCES_MAX.saturating_sub(source_ids.len());
        source_ids.extend(attempts.iter().rev().map(|(id, _)| *id).take(room));
        source_ids.sort_unstable();
        source_ids.dedup();
        self.may_store(&text).then_some(WeekSummary {
            figures,
            text,
            source_ids,
            trust,
            newest,
            vector: None,
        })
    }

    /// Lets the summary of a week tell of what is left without some memories. It is deleted where too little is left, and
    /// where that is too much to be read while somebody waits: then the next maintenance tells of the week again. Returns
    /// whether that is left to it.
    pub(super) fn tell_week_again(
        &self,
        tx: &WriteTx<'_>,
        id: i64,
        gone: &BTreeSet<i64>,
        now: Stamp,
    ) -> Result<bool> {
        let Some(subject) = tx.week_summary(id)? else { return Ok(false) };
        let ids = self.left_of_week(tx, &subject, gone)?;
        let count = ids.len() as u64;
        let is_told = (WEEK_MEMORIES_MIN..=COUNTED_AT_ONCE_MAX).contains(&count);
        let due = DueWeek { subject, ids };
        let mut written = None;
        if is_told && let Some(told) = self.tell_week(&due, &due.rows(tx)?) {
            written = self.put_week(tx, &due, told, now)?;
        }
        if written.is_none() {
            tx.remove(id, now)?;
        }
        Ok(count > COUNTED_AT_ONCE_MAX)
    }

    /// The memories of a week that are not withdrawn or replaced, in order of id: it told of those that were archived since.
    fn left_of_week(
        &self,
        tx: &ReadTx<'_>,
        week: &Subject,
        gone: &BTreeSet<i64>,
    ) -> Result<Vec<i64>> {
        let derived = self.derived();
        if derived.revision() != Some(tx.revision()?) {
            return Err(Error::unavailable("the indexes are behind the store"));
        }
        let Some(span) = Week::named(&week.subject, &self.config.maintenance.time_zone) else {
            return Ok(Vec::new());
        };
        let mut ids: BTreeSet<i64> =
            tx.archived_in(week, span.since, span.until)?.into_iter().collect();
        let names = derived.rows.names();
        let place = (names.get(&week.scope), names.get(&week.collection));
        if let (Some(scope), Some(collection)) = place {
            let rows = derived.rows.allowed(&RowSelection {
                scopes: Some(vec![scope]),
                collections: Some(vec![collection]),
                kinds: vec![Kind::Fact, Kind::Perception],
                since: Some(span.since),
                until: Some(span.until),
                ..RowSelection::default()
            });
            ids.extend(rows.iter().filter_map(|slot| derived.rows.id(slot)));
        }
        Ok(ids.into_iter().filter(|id| !gone.contains(id)).collect())
    }

    /// Stores the summary of a week, or lets the one that is there say it; answers its id, and whether it
    /// is new.
    pub(crate) fn put_week(
        &self,
        tx: &WriteTx<'_>,
        due: &DueWeek,
        summary: WeekSummary,
        now: Stamp,
    ) -> Result<Option<(i64, bool)>> {
        let WeekSummary { figures, text, source_ids, trust, newest, vector } = summary;
        // What was deleted or forgotten meanwhile must not be told.
        if tx.standing_count(&due.ids)? != figures.count {
            return Ok(None);
        }
        let Subject { scope, collection, subject } = &due.subject;
        let context =
            json!({"summary": {"kind": SummaryKind::Week, "subject": subject}}).to_string();
        let figures = json!(figures).to_string();
        let mut known = tx.summaries_about(SummaryKind::Week, &due.subject)?.into_iter();
        let first = known.next();
        for other in known {
            tx.remove(other.memory_id, now)?;
        }
        if let Some(first) = first {
            let Some(memory) =
                tx.memory(first.memory_id, false)?.filter(|it| it.status != Status::Invalidated)
            else {
                return Ok(None);
            };
            tx.put_figures(first.memory_id, &figures, &source_ids)?;
            let inferred = InferredDescription::read(&text, &context);
            rewrite_summary(tx, memory, context, inferred, now)?;
            return Ok(Some((first.memory_id, false)));
        }
        let Ok(scope) = Scope::parse(scope) else { return Ok(None) };
        let kind = SummaryKind::Week;
        let mem_type = self.summary_mem_type(&scope);
        let inferred = InferredDescription::read(&text, &context);
        let (draft, tokens) =
            summary_draft(kind, (collection, &scope), mem_type, inferred, context, newest);
        let draft = MemoryDraft { trust, ..draft };
        let (source_ids, figures) = (&*source_ids, &*figures);
        let summary = SummaryDraft { source_ids, subject, figures, ..SummaryDraft::of(kind) };
        let memory_id = self.insert_summary(tx, (draft, tokens), vector.as_ref(), &summary)?;
        Ok(Some((memory_id, true)))
    }

    /// The summaries of weeks in which there may be words of a memory.
    pub(super) fn weeks_about(&self, tx: &ReadTx<'_>, id: i64) -> Result<Vec<i64>> {
        let near = self.weeks_near(tx, id)?.into_iter();
        let about = near.filter(|it| it.is_own && it.is_task_log || it.is_of(id));
        Ok(about.map(|it| it.summary.memory_id).collect())
    }

    /// The summaries of weeks that say or count a memory.
    pub(super) fn weeks_counting(&self, tx: &ReadTx<'_>, id: i64) -> Result<Vec<i64>> {
        let near = self.weeks_near(tx, id)?.into_iter();
        let counting = near.filter(|it| {
            let figures = serde_json::from_str(&it.summary.figures);
            let newest_id = figures.map_or(i64::MAX, |it: WeekFigures| it.newest_id);
            it.is_own && id <= newest_id || it.is_of(id)
        });
        Ok(counting.map(|it| it.summary.memory_id).collect())
    }

    /// The summaries of the week of a memory and of those around it: also of a scope that it was in before, and of a
    /// week that began at another hour, by the time zone that was set then.
    fn weeks_near(&self, tx: &ReadTx<'_>, id: i64) -> Result<Vec<WeekNear>> {
        let Some(row) = tx.attempt_source(id)?.filter(|row| row.kind != Kind::Summary) else {
            return Ok(Vec::new());
        };
        let zone = &self.config.maintenance.time_zone;
        let Some(own) = Week::of(row.created_at, zone) else { return Ok(Vec::new()) };
        let around = [own.since.0.checked_sub(1), Some(own.until.0)];
        let around = around.into_iter().flatten().filter_map(|at| Week::of(Stamp(at), zone));
        let names: Vec<String> =
            std::iter::once(own.name.clone()).chain(around.map(|week| week.name)).collect();
        let mut scopes = BTreeSet::from([row.scope.to_string()]);
        let rescoped = |it: &LedgerEntry| it.change == LedgerChange::Rescoped;
        scopes.extend(tx.ledger(id)?.into_iter().filter(rescoped).map(|it| it.value_before));
        let mut found = Vec::new();
        for scope in scopes {
            for name in &names {
                let collection = row.collection.clone();
                let subject = Subject { scope: scope.clone(), collection, subject: name.clone() };
                let (is_own, is_task_log) = (*name == own.name, row.mem_type == MemType::TaskLog);
                let about = tx.summaries_about(SummaryKind::Week, &subject)?.into_iter();
                found.extend(about.map(|summary| WeekNear { summary, is_own, is_task_log }));
            }
        }
        Ok(found)
    }
}

/// How tasks went, those that failed most often first.
fn tasks(attempts: &[(i64, Attempt)]) -> Vec<TaskCount> {
    let mut counts: BTreeMap<(String, String), TaskCount> = BTreeMap::new();
    for (_, attempt) in attempts {
        let key = (key_of(&attempt.task), key_of(&attempt.object));
        let count = counts.entry(key).or_insert_with(|| TaskCount {
            task: attempt.task.clone(),
            object: attempt.object.clone(),
            success_count: 0,
            failure_count: 0,
        });
        match attempt.outcome {
            Outcome::Success => count.success_count += 1,
            Outcome::Failure => count.failure_count += 1,
            Outcome::Unknown => {}
        }
    }
    let mut tasks: Vec<TaskCount> = counts.into_values().collect();
    tasks.sort_by_key(|it| {
        std::cmp::Reverse((it.failure_count, it.success_count + it.failure_count))
    });
    tasks.truncate(TASKS_MAX);
    tasks
}

/// The week in numbers.
fn head(figures: &WeekFigures) -> String {
    let WeekFigures { week, count, by_kind, tasks, is_han, .. } = figures;
    let of = |kind: Kind| by_kind.get(kind.as_str()).copied().unwrap_or(0);
    let (perceptions, facts) = (of(Kind::Perception), of(Kind::Fact));
    let named = |it: &TaskCount| {
        let name = |text: &str| cut(text, EXPERIENCE_NAME_CHARS_MAX / 2).0.to_owned();
        let (task, object) = (name(&it.task), name(&it.object));
        match (object.is_empty(), is_han) {
            (true, _) => task,
            (false, true) => format!("{task} {object}"),
            (false, false) => format!("{task} of {object}"),
        }
    };
    let went = tasks.iter().take(TASKS_LISTED_MAX).map(|it| {
        let (success, known) = (it.success_count, it.success_count + it.failure_count);
        match is_han {
            true => format!("{} {known} 次成功 {success} 次", named(it)),
            false => format!("{} succeeded {success} of {known} times", named(it)),
        }
    });
    let went: Vec<String> = went.collect();
    let (head, joint) = match is_han {
        true => (format!("{week} 周：{count} 条记忆（感知 {perceptions}，事实 {facts}）"), "；"),
        false => (
            format!("week {week}: {count} memories ({perceptions} perceptions, {facts} facts)"),
            "; ",
        ),
    };
    std::iter::once(head).chain(went).collect::<Vec<_>>().join(joint)
}

/// The most central of what is to be kept to or was learned, in order of id, that fit in `chars_max`.
fn lessons(
    rows: &[AttemptSource],
    chars_max: usize,
    is_han: bool,
    is_kept: impl Fn(&AttemptSource) -> bool,
) -> Vec<&AttemptSource> {
    // What stands before the first of them.
    let opening = if is_han { 4 } else { 11 };
    let is_lesson = |row: &&AttemptSource| {
        row.kind == Kind::Fact
            && (row.category == Some(Category::Constraint) || row.mem_type == MemType::Lesson)
            && is_kept(row)
    };
    let mut found: Vec<&AttemptSource> =
        rows.iter().rev().filter(is_lesson).take(LESSONS_MAX).collect();
    found.reverse();
    let passage = |row: &&AttemptSource| Passage {
        chars: plain(&row.content).chars().count() + 2,
        weight: salience(&row.content),
    };
    let passages: Vec<Passage> = found.iter().map(passage).collect();
    let statements: Vec<Statement> =
        found.iter().map(|row| Statement::parse(&row.content)).collect();
    let taken = extract(
        &passages,
        |a, b| statements[a].jaccard(&statements[b]),
        // The last one is joined to nothing.
        (chars_max + 2).saturating_sub(opening),
    );
    taken.into_iter().filter_map(|place| found.get(place).copied()).collect()
}

fn plain(content: &str) -> &str {
    content.trim().trim_end_matches(['.', '。', ';', '；'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weeks_are_those_of_the_calendar_and_of_the_zone() {
        let at = |text: &str| {
            let at: Timestamp = text.parse().expect("a time");
            Stamp(i64::try_from(at.as_nanosecond()).expect("in range"))
        };
        let name = |text: &str, zone: &TimeZone| Week::of(at(text), zone).expect("a week").name;
        let utc = TimeZone::UTC;
        assert_eq!(name("2026-11-22T12:00:00Z", &utc), "2026-W47");
        assert_eq!(name("2027-01-03T23:59:59Z", &utc), "2026-W53");
        assert_eq!(name("2027-01-04T00:00:00Z", &utc), "2027-W01");
        let east = TimeZone::fixed(jiff::tz::offset(8));
        assert_eq!(name("2027-01-03T23:59:59Z", &east), "2027-W01");
        let weeks = Week::ended_before(at("2026-11-22T12:00:00Z"), &utc);
        assert_eq!(
            (weeks.len(), weeks.last().expect("some").name.as_str()),
            (WEEKS_MAX, "2026-W46")
        );
        assert!(weeks.windows(2).all(|pair| pair[0].until == pair[1].since));
    }
}
