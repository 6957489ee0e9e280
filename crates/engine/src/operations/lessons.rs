//! Lessons as memories: written when attempts change them, so that they are recalled, judged and remembered.

use super::inferred::InferredDescription;
use super::summary::{rewrite_summary, summary_draft};
use crate::db::WriteTx;
use crate::{Operations, Result};
use robot_memory_core::api::{EndAttempt, LessonJudgment, LessonState, Operation, Side};
use robot_memory_core::model::{LedgerChange, MemType, Stamp, Status, SummaryKind};
use robot_memory_db::{LedgerNote, MemoryDraft, ReadTx, Subject, SummaryDraft};
use robot_memory_text::experience::{
    AttemptSubject, Contrast, Lesson, LessonOf, Lessons, Quantity, bound_sentence, state_words,
};
use robot_memory_text::inference::is_han;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::json;

/// A lesson as it is kept beside its memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct StoredLesson {
    pub task: String,
    /// May be empty.
    pub object: String,
    pub path: String,
    pub unit: String,
    pub side: Side,
    #[serde(default)]
    pub judgment: Option<LessonJudgment>,
    /// The bound at which it was pinned.
    #[serde(default)]
    pub pinned: Option<Contrast>,
    /// What the attempts teach; `None` when another version of the program wrote it in another form.
    #[serde(default, deserialize_with = "if_known")]
    pub lesson: Option<Lesson>,
}

/// A stored lesson and its memory.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct KnownLesson {
    pub memory_id: i64,
    pub status: Status,
    pub stored: StoredLesson,
}

fn if_known<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> std::result::Result<Option<Lesson>, D::Error> {
    let value = serde_json::Value::deserialize(deserializer)?;
    Ok(serde_json::from_value(value).ok())
}

impl StoredLesson {
    /// The bound that it speaks of.
    pub(super) fn contrast(&self) -> Option<Contrast> {
        self.pinned.or_else(|| Some(self.lesson.as_ref()?.contrast))
    }

    pub(super) fn state(&self) -> LessonState {
        self.lesson.as_ref().map_or(LessonState::Demoted, |it| it.state)
    }

    /// What its memory says.
    fn sentence(&self) -> String {
        let bound = self.contrast().map_or(f64::NAN, |it| it.bound);
        let bound = bound_sentence(&self.quantity(), self.side, bound);
        let (state, state_zh) = state_words(self.state(), self.judgment);
        let Self { task, object, .. } = self;
        if task.chars().chain(object.chars()).any(is_han) {
            return format!("{task}{object}：{}（{state_zh}）", bound.zh);
        }
        let gap = if object.is_empty() { "" } else { " " };
        format!("{task}{gap}{object}: {} ({state})", bound.en)
    }

    pub(super) fn quantity(&self) -> Quantity {
        Quantity { path: self.path.clone(), unit: self.unit.clone() }
    }

    pub(super) fn is_of(&self, of: &LessonOf) -> bool {
        self.path == of.quantity.path
            && self.unit == of.quantity.unit
            && self.side == of.lesson.side
    }

    /// `is_real` as of [`Lessons`].
    pub(super) fn context(&self, subject: &str, is_real: Option<bool>) -> String {
        let Self { task, object, path, unit, side, .. } = self;
        let mut context = json!({
            "summary": {"kind": SummaryKind::Lesson, "subject": subject},
            "task": {"name": task},
            "lesson": {
                "path": path,
                "unit": unit,
                "side": side,
                "bound": self.contrast().map(|it| it.bound),
                "state": self.state(),
                "judgment": self.judgment,
            },
        });
        if !object.is_empty() {
            context["task"]["object"] = json!(object);
        }
        if let Some(is_real) = is_real {
            context["env"] = json!({"sim_or_real": if is_real { "real" } else { "sim" }});
        }
        context.to_string()
    }
}

/// The stored lessons about some subjects, of any status.
pub(super) fn lessons_about(
    tx: &ReadTx<'_>,
    subjects: &[AttemptSubject],
) -> Result<Vec<(Subject, KnownLesson)>> {
    let mut known = Vec::new();
    for about in subjects.iter().filter(|it| is_kept(it)) {
        let of = subject(about);
        for summary in tx.summaries_about(SummaryKind::Lesson, &of)? {
            if let Ok(stored) = serde_json::from_str(&summary.figures) {
                let (memory_id, status) = (summary.memory_id, summary.status);
                known.push((of.clone(), KnownLesson { memory_id, status, stored }));
            }
        }
    }
    Ok(known)
}

/// Lessons are kept of attempts, not of what is called one in another class of memories.
fn is_kept(about: &AttemptSubject) -> bool {
    about.place.mem_type == MemType::TaskLog
}

/// What attempts are about, as their summaries name it.
pub(crate) fn subject(about: &AttemptSubject) -> Subject {
    Subject {
        scope: about.place.scope.to_string(),
        collection: about.place.collection.clone(),
        subject: about.subject.clone(),
    }
}

impl Operations {
    /// Lets the memories of lessons about some subjects, which are one thing under several names, say what their
    /// attempts teach. What a person judged stays. Returns whether anything changed.
    pub(crate) fn put_lessons(
        &self,
        tx: &WriteTx<'_>,
        subjects: &[AttemptSubject],
        lessons: &Lessons,
        now: Stamp,
    ) -> Result<bool> {
        let Some(about) = subjects.iter().find(|it| is_kept(it)) else { return Ok(false) };
        let mut known = lessons_about(tx, subjects)?;
        let mut has_changed = false;
        for of in &lessons.lessons {
            let place = known.iter().position(|(_, it)| it.stored.is_of(of));
            has_changed |= match place {
                Some(place) => {
                    let (subject, known) = known.remove(place);
                    self.renew_lesson(tx, &subject, known, (of, lessons.is_real), now)?
                }
                None => self.insert_lesson(tx, about, of, lessons, now)?,
            };
        }
        for (_, left) in known {
            // Forgotten is rejected, and both stay known.
            if left.stored.judgment.is_none() && left.status != Status::Invalidated {
                tx.remove(left.memory_id, now)?;
                has_changed = true;
            }
        }
        Ok(has_changed)
    }

    /// Lets the lessons about some subjects keep the figures that their attempts have, also where they say the same.
    pub(super) fn put_counts(
        &self,
        tx: &WriteTx<'_>,
        subjects: &[AttemptSubject],
        lessons: &Lessons,
    ) -> Result<()> {
        for (_, known) in lessons_about(tx, subjects)? {
            let is_of = |of: &&LessonOf| known.stored.is_of(of);
            if let Some(LessonOf { lesson, .. }) = lessons.lessons.iter().find(is_of)
                && known.status != Status::Invalidated
                && known.stored.lesson.as_ref() != Some(lesson)
            {
                let stored = StoredLesson { lesson: Some(lesson.clone()), ..known.stored };
                tx.put_figures(known.memory_id, &json!(stored).to_string(), &lesson.failure_ids)?;
            }
        }
        Ok(())
    }

    /// Removes a lesson that nobody judged. Returns whether it did.
    pub(crate) fn remove_orphan(&self, tx: &WriteTx<'_>, id: i64, now: Stamp) -> Result<bool> {
        let stored = tx.lesson(id)?;
        let stored = stored.and_then(|it| serde_json::from_str::<StoredLesson>(&it.1).ok());
        let is_judged = stored.is_none_or(|it| it.judgment.is_some());
        Ok(!is_judged && tx.remove(id, now)?.is_some())
    }

    fn insert_lesson(
        &self,
        tx: &WriteTx<'_>,
        about: &AttemptSubject,
        of: &LessonOf,
        taught: &Lessons,
        now: Stamp,
    ) -> Result<bool> {
        let stored = StoredLesson {
            task: about.task.clone(),
            object: about.object.clone(),
            path: of.quantity.path.clone(),
            unit: of.quantity.unit.clone(),
            side: of.lesson.side,
            judgment: None,
            pinned: None,
            lesson: Some(of.lesson.clone()),
        };
        let text = stored.sentence();
        if !self.may_store(&text) {
            return Ok(false);
        }
        let (kind, scope) = (SummaryKind::Lesson, &about.place.scope);
        let context = stored.context(&about.subject, taught.is_real);
        let inferred = InferredDescription::read(&text, &context);
        let mem_type = self.summary_mem_type(scope);
        let place = (about.place.collection.as_str(), scope);
        let (draft, tokens) = summary_draft(kind, place, mem_type, inferred, context, now);
        let trust = taught.trust.unwrap_or(draft.trust).min(draft.trust);
        let draft = (MemoryDraft { trust, ..draft }, tokens);
        let figures = json!(stored).to_string();
        let summary = SummaryDraft {
            source_ids: &of.lesson.failure_ids,
            subject: &about.subject,
            figures: &figures,
            ..SummaryDraft::of(kind)
        };
        let id = self.insert_summary(tx, draft, None, &summary)?;
        note_steps(tx, id, None, &of.lesson)?;
        Ok(true)
    }

    fn renew_lesson(
        &self,
        tx: &WriteTx<'_>,
        subject: &Subject,
        known: KnownLesson,
        (of, is_real): (&LessonOf, Option<bool>),
        now: Stamp,
    ) -> Result<bool> {
        let KnownLesson { memory_id, status, stored: before } = known;
        if status == Status::Invalidated {
            return Ok(false);
        }
        let lesson = &of.lesson;
        let stored = StoredLesson { lesson: Some(lesson.clone()), ..before.clone() };
        let steps = |it: &StoredLesson| it.lesson.as_ref().map(|it| it.steps.clone());
        // Counts that Brief takes from the attempts need no new text.
        if stored.sentence() == before.sentence() && steps(&stored) == steps(&before) {
            return Ok(false);
        }
        note_steps(tx, memory_id, before.lesson.as_ref(), lesson)?;
        let context = stored.context(&subject.subject, is_real);
        self.write_lesson(tx, memory_id, &stored, context, now)
    }

    /// Lets the memory of a lesson say it. Returns whether it is still there.
    pub(super) fn write_lesson(
        &self,
        tx: &WriteTx<'_>,
        memory_id: i64,
        stored: &StoredLesson,
        context: String,
        now: Stamp,
    ) -> Result<bool> {
        let Some(memory) = tx.memory(memory_id, false)? else { return Ok(false) };
        let failure_ids = stored.lesson.as_ref().map_or(&[][..], |it| &it.failure_ids);
        tx.put_figures(memory_id, &json!(stored).to_string(), failure_ids)?;
        let text = stored.sentence();
        if !self.may_store(&text) {
            tx.remove(memory_id, now)?;
            return Ok(false);
        }
        let inferred = InferredDescription::read(&text, &context);
        rewrite_summary(tx, memory, context, inferred, now)?;
        Ok(true)
    }
}

/// Notes what became of a lesson since it was stored.
fn note_steps(
    tx: &WriteTx<'_>,
    memory_id: i64,
    before: Option<&Lesson>,
    lesson: &Lesson,
) -> Result<()> {
    let last = before.and_then(|it| it.steps.back());
    let known = lesson.steps.iter().position(|it| Some(it) == last).map(|place| place + 1);
    // Of another past, because an attempt was corrected, only what it came to is news.
    let is_other =
        last.is_some_and(|last| lesson.steps.back().is_some_and(|it| it.state != last.state));
    let known = known.unwrap_or(match last {
        None => 0,
        Some(_) => lesson.steps.len() - usize::from(is_other),
    });
    let mut state = last.map_or("", |it| it.state.as_str());
    for step in lesson.steps.iter().skip(known) {
        tx.note_change(&LedgerNote {
            memory_id,
            change: LedgerChange::Tested,
            cause: EndAttempt::NAME,
            agent: "",
            values: (state, step.state.as_str()),
            at: step.at,
        })?;
        state = step.state.as_str();
    }
    Ok(())
}
