//! What rests on some memories, and what it becomes without them.

use super::super::experiences::COUNTED_AT_ONCE_MAX;
use super::super::lessons::lessons_about;
use super::super::micro_summary::summarize_again;
use crate::db::{WriteTx, attempts_among};
use crate::{Operations, Result};
use robot_memory_core::access::Visibility;
use robot_memory_core::api::{UnlearnAction, UnlearnedMemory};
use robot_memory_core::model::{Memory, Stamp, Status, SummaryKind};
use robot_memory_db::Subject;
use robot_memory_text::experience::{AttemptSubject, Lessons};
use std::collections::{BTreeMap, BTreeSet};

/// What became of a memory, and all that it says by now.
pub(super) struct Unlearned {
    pub told: UnlearnedMemory,
    pub content: String,
}

/// Memories that are to go, and what was made of them.
pub(super) struct Dependents {
    roots: BTreeSet<i64>,
    /// Steps in which they were said.
    turn_ids: BTreeSet<String>,
    macro_ids: BTreeSet<i64>,
    /// What they are attempts at.
    subjects: BTreeSet<Subject>,
    attempts: Vec<AttemptsOfOne>,
    week_ids: BTreeSet<i64>,
    /// What rests on them, as it was before.
    before: BTreeMap<i64, (Memory, Dependence)>,
}

/// Attempts at one thing, by whatever name.
struct AttemptsOfOne {
    subjects: Vec<AttemptSubject>,
    ids: BTreeSet<i64>,
}

impl AttemptsOfOne {
    /// Whether they are too many to be read while somebody waits. Upkeep, which knows them, writes their lessons.
    fn is_large(&self) -> bool {
        self.ids.len() as u64 > COUNTED_AT_ONCE_MAX
    }
}

/// How a memory rests on others.
enum Dependence {
    Micro,
    Macro,
    Experience(Subject),
    Lesson { is_judged: bool, is_large: bool },
    Week,
    Superseded,
}

impl Dependence {
    const fn name(&self) -> &'static str {
        match self {
            Self::Micro => "summary of a turn",
            Self::Macro => "summary of turns",
            Self::Experience(_) => "experience of attempts",
            Self::Lesson { .. } => "lesson of attempts",
            Self::Week => "summary of a week",
            Self::Superseded => "superseded by a forgotten memory",
        }
    }
}

impl Dependents {
    /// All that rests on some memories, directly or by others.
    pub(super) fn of(engine: &Operations, tx: &WriteTx<'_>, roots: BTreeSet<i64>) -> Result<Self> {
        let mut dependents = Self {
            turn_ids: BTreeSet::new(),
            macro_ids: BTreeSet::new(),
            subjects: BTreeSet::new(),
            attempts: attempts_with(engine, tx, &roots)?,
            week_ids: BTreeSet::new(),
            before: BTreeMap::new(),
            roots,
        };
        for id in dependents.roots.clone() {
            dependents.turn_ids.extend(tx.turns_of_memory(id)?);
            dependents.macro_ids.extend(tx.macros_made_of(id)?);
            dependents.subjects.extend(tx.subject_of_attempt(id)?);
            dependents.week_ids.extend(engine.weeks_counting(tx, id)?);
        }
        for turn_id in dependents.turn_ids.clone() {
            for micro in tx.turn_summaries(&turn_id)? {
                dependents.macro_ids.extend(tx.macros_made_of(micro)?);
                dependents.note(tx, micro, Dependence::Micro)?;
            }
        }
        for id in dependents.macro_ids.clone() {
            dependents.note(tx, id, Dependence::Macro)?;
        }
        for of in dependents.subjects.clone() {
            for summary in tx.summaries_about(SummaryKind::Experience, &of)? {
                dependents.note(tx, summary.memory_id, Dependence::Experience(of.clone()))?;
            }
        }
        for id in dependents.week_ids.clone() {
            dependents.note(tx, id, Dependence::Week)?;
        }
        dependents.note_lessons(tx)?;
        for id in dependents.roots.clone() {
            for superseded in tx.superseded_by_it(id)? {
                dependents.note(tx, superseded.id, Dependence::Superseded)?;
            }
        }
        Ok(dependents)
    }

    fn note_lessons(&mut self, tx: &WriteTx<'_>) -> Result<()> {
        let mut lessons = Vec::new();
        for set in &self.attempts {
            let about = lessons_about(tx, &set.subjects)?.into_iter();
            lessons.extend(about.map(|(_, known)| (known, set.is_large())));
        }
        for (known, is_large) in lessons {
            let is_judged = known.stored.judgment.is_some();
            self.note(tx, known.memory_id, Dependence::Lesson { is_judged, is_large })?;
        }
        Ok(())
    }

    /// Notes what a memory is before. One that is to go itself, or was forgotten before, is no more made again.
    fn note(&mut self, tx: &WriteTx<'_>, id: i64, dependence: Dependence) -> Result<()> {
        if self.roots.contains(&id) || self.before.contains_key(&id) {
            return Ok(());
        }
        let memory = tx.memory(id, false)?.filter(|it| it.status != Status::Invalidated);
        if let Some(memory) = memory {
            self.before.insert(id, (memory, dependence));
        }
        Ok(())
    }

    /// Lets what rests on the memories, which are withdrawn by now, say what is left without them; tells what became of
    /// all that a caller sees.
    pub(super) fn make_again(
        self,
        engine: &Operations,
        tx: &WriteTx<'_>,
        now: Stamp,
        visibility: &Visibility,
    ) -> Result<Vec<Unlearned>> {
        for id in &self.roots {
            tx.blank_sources(*id)?;
            tx.drop_attempt(*id)?;
        }
        let mut left = self.roots.clone();
        for turn_id in &self.turn_ids {
            let micros = tx.turn_summaries(turn_id)?.into_iter();
            left.extend(micros.filter(|id| !self.before.contains_key(id)));
        }
        summarize_again(tx, &self.turn_ids, &left, now)?;
        let is_known = |id: &&i64| self.before.contains_key(*id);
        let macro_ids = self.macro_ids.iter().filter(is_known).copied().collect();
        engine.write_macros_again(tx, &macro_ids, now)?;
        engine.learn_again(tx, &self.subjects, now)?;
        for set in &self.attempts {
            let mut taught = match set.is_large() {
                true => Lessons::default(),
                false => attempts_among(tx, &set.ids)?.lessons_of_all(),
            };
            // What shows only without them, upkeep writes.
            let known = lessons_about(tx, &set.subjects)?;
            taught.lessons.retain(|of| known.iter().any(|(_, it)| it.stored.is_of(of)));
            engine.put_lessons(tx, &set.subjects, &taught, now)?;
            engine.put_counts(tx, &set.subjects, &taught)?;
        }
        let mut later = BTreeSet::new();
        for id in self.week_ids.iter().filter(is_known) {
            if engine.tell_week_again(tx, *id, &self.roots, now)? {
                later.insert(*id);
            }
        }
        let mut told = Vec::new();
        for (id, (memory, dependence)) in self.before {
            if visibility.sees(&memory.scope, memory.mem_type) {
                told.push(became(tx, id, memory, &dependence, later.contains(&id))?);
            }
        }
        Ok(told)
    }
}

/// The attempts at what some are attempts at, when there are lessons at all.
fn attempts_with(
    engine: &Operations,
    tx: &WriteTx<'_>,
    roots: &BTreeSet<i64>,
) -> Result<Vec<AttemptsOfOne>> {
    if roots.is_empty() || tx.lessons()?.is_empty() {
        return Ok(Vec::new());
    }
    engine.attempts.with(engine, |known| {
        let sets = known.sets_of(roots.iter().copied()).into_iter();
        let of = sets
            .map(|set| AttemptsOfOne { subjects: known.subjects(&set), ids: known.ids_of(&set) });
        Ok(of.collect())
    })
}

/// What became of a memory.
fn became(
    tx: &WriteTx<'_>,
    id: i64,
    before: Memory,
    dependence: &Dependence,
    is_told_later: bool,
) -> Result<Unlearned> {
    let after = tx.memory(id, false)?.filter(|it| it.status != Status::Invalidated);
    let content = after.as_ref().map(|it| it.content.clone()).unwrap_or_default();
    let (action, cause, new_text) = match (after, dependence) {
        (None, Dependence::Experience(of))
            if tx.attempt_count(of, COUNTED_AT_ONCE_MAX + 1)? > COUNTED_AT_ONCE_MAX =>
        {
            (UnlearnAction::Removed, LATER, String::new())
        }
        (None, Dependence::Week) if is_told_later => (UnlearnAction::Removed, LATER, String::new()),
        (None, Dependence::Lesson { is_large: true, .. }) => {
            (UnlearnAction::Removed, "upkeep makes it again", String::new())
        }
        (None, _) => (UnlearnAction::Removed, "too little else is left", String::new()),
        (Some(after), _) if after.content != before.content => {
            (UnlearnAction::Remade, "made again of what is left", after.human_summary)
        }
        (Some(_), Dependence::Superseded) => (UnlearnAction::Kept, "it stays so", String::new()),
        (Some(_), Dependence::Lesson { is_judged: true, .. }) => {
            (UnlearnAction::Kept, "a person judged it", String::new())
        }
        (Some(_), _) => (UnlearnAction::Kept, "it says the same without them", String::new()),
    };
    let why = format!("{}: {cause}", dependence.name());
    let (memory_id, kind, text) = (id, before.kind, before.human_summary);
    let told = UnlearnedMemory { memory_id, kind, action, why, text, new_text };
    Ok(Unlearned { told, content })
}

/// What is too long for a caller who waits.
const LATER: &str = "the next weekly maintenance makes it again";
