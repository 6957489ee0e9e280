//! Lessons as memories: written when attempts change them, so that they are recalled, judged and remembered.

use super::inferred::InferredDescription;
use super::summary::{rewrite_summary, summary_draft};
use crate::db::WriteTx;
use crate::{Operations, Result};
use robot_memory_core::api::{EndAttempt, LessonJudgment, Operation};
use robot_memory_core::model::{LedgerChange, MemType, Stamp, Status, SummaryKind};
use robot_memory_db::{LedgerNote, ReadTx, Subject, SummaryDraft};
use robot_memory_text::experience::{
    AttemptSubject, Lesson, LessonOf, Lessons, Quantity, bound_sentence, state_words,
};
use robot_memory_text::inference::is_han;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// A lesson as it is kept beside its memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct StoredLesson {
    pub task: String,
    /// May be empty.
    pub object: String,
    pub path: String,
    pub unit: String,
    pub judgment: Option<LessonJudgment>,
    /// Why a person judged it so; may be empty.
    pub judged_because: String,
    pub lesson: Lesson,
}

/// A stored lesson and its memory.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct KnownLesson {
    pub memory_id: i64,
    pub status: Status,
    pub stored: StoredLesson,
}

impl StoredLesson {
    /// What its memory says.
    fn sentence(&self) -> String {
        let quantity = self.quantity();
        let bound = bound_sentence(&quantity, self.lesson.side, self.lesson.contrast.bound);
        let (state, state_zh) = match self.judgment {
            None => state_words(self.lesson.state),
            Some(LessonJudgment::Pinned) => ("pinned", "已确认"),
            Some(LessonJudgment::Rejected) => ("rejected", "已否决"),
        };
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
            && self.lesson.side == of.lesson.side
    }

    fn context(&self, subject: &str) -> String {
        let Self { task, object, path, unit, lesson, .. } = self;
        let mut context = json!({
            "summary": {"kind": SummaryKind::Lesson, "subject": subject},
            "task": {"name": task},
            "lesson": {
                "path": path,
                "unit": unit,
                "side": lesson.side,
                "bound": lesson.contrast.bound,
                "state": lesson.state,
                "judgment": self.judgment,
            },
        });
        if !object.is_empty() {
            context["task"]["object"] = json!(object);
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

fn subject(about: &AttemptSubject) -> Subject {
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
                    self.renew_lesson(tx, &subject, known, &of.lesson, now)?
                }
                None => self.insert_lesson(tx, about, of, now)?,
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

    fn insert_lesson(
        &self,
        tx: &WriteTx<'_>,
        about: &AttemptSubject,
        of: &LessonOf,
        now: Stamp,
    ) -> Result<bool> {
        let stored = StoredLesson {
            task: about.task.clone(),
            object: about.object.clone(),
            path: of.quantity.path.clone(),
            unit: of.quantity.unit.clone(),
            judgment: None,
            judged_because: String::new(),
            lesson: of.lesson.clone(),
        };
        let text = stored.sentence();
        if !self.may_store(&text) {
            return Ok(false);
        }
        let (kind, scope) = (SummaryKind::Lesson, &about.place.scope);
        let context = stored.context(&about.subject);
        let inferred = InferredDescription::read(&text, &context);
        let mem_type = self.summary_mem_type(scope);
        let place = (about.place.collection.as_str(), scope);
        let draft = summary_draft(kind, place, mem_type, inferred, context, now);
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
        lesson: &Lesson,
        now: Stamp,
    ) -> Result<bool> {
        let KnownLesson { memory_id, status, stored: before } = known;
        if status == Status::Invalidated {
            return Ok(false);
        }
        let mut stored = before.clone();
        stored.lesson = lesson.clone();
        if before.judgment == Some(LessonJudgment::Pinned) {
            // It was pinned at this bound.
            stored.lesson.contrast = before.lesson.contrast;
        }
        // Counts that Brief takes from the attempts need no new text.
        if stored.sentence() == before.sentence() {
            return Ok(false);
        }
        note_steps(tx, memory_id, Some(&before.lesson), lesson)?;
        self.write_lesson(tx, memory_id, &subject.subject, &stored, now)
    }

    /// Lets the memory of a lesson say it. Returns whether it is still there.
    pub(super) fn write_lesson(
        &self,
        tx: &WriteTx<'_>,
        memory_id: i64,
        subject: &str,
        stored: &StoredLesson,
        now: Stamp,
    ) -> Result<bool> {
        let Some(memory) = tx.memory(memory_id, false)? else { return Ok(false) };
        tx.put_figures(memory_id, &json!(stored).to_string(), &stored.lesson.failure_ids)?;
        let (text, context) = (stored.sentence(), stored.context(subject));
        if !self.may_store(&text) {
            tx.remove(memory_id, now)?;
            return Ok(false);
        }
        tx.put_context(memory_id, &context)?;
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
    let known = lesson.steps.iter().position(|it| Some(it) == last).map_or(0, |place| place + 1);
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
