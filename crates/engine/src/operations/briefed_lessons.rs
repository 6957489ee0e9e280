//! What Brief tells beside counts: lessons, changes, procedures, contradictions.

use super::attempts::AttemptContext;
use super::lessons::{KnownLesson, lessons_about};
use crate::Result;
use robot_memory_core::access::Visibility;
use robot_memory_core::api::{
    ChangePoint, Contradiction, Lesson, LessonJudgment, LessonState, Nearness, Procedure,
};
use robot_memory_core::limits::{BRIEF_CONTRADICTIONS_MAX, BRIEF_PROCEDURES_MAX, COMPARE_IDS_MAX};
use robot_memory_core::model::{Stamp, Status};
use robot_memory_db::{ReadTx, SpokenConflict};
use robot_memory_text::experience::{
    self, AttemptSubject, KnownAttempts, LessonOf, Lessons, NearAttempts, ProcedureSum, Quantity,
    TallySum, change_sentence, lesson_sentence,
};
use robot_memory_text::guard::{Name, NameKind};

/// Conflicts between memories that are looked through, those of the newest memories.
const CONFLICTS_MAX: u32 = 100;

/// What attempts of one nearness teach, and what they are about.
pub(super) struct Teaching {
    nearness: Nearness,
    /// Of the object only.
    subjects: Vec<AttemptSubject>,
    lessons: Lessons,
}

/// Steps that were done, before their attempts are read.
pub(super) struct DoneSteps {
    nearness: Nearness,
    sum: ProcedureSum,
}

/// What the attempts that are near enough teach.
pub(super) fn teachings(
    known: &KnownAttempts,
    near: &[NearAttempts<'_>],
    is_of_any_object: bool,
) -> Vec<Teaching> {
    let mut teachings: Vec<Teaching> = Vec::new();
    let mut last: &[usize] = &[];
    for NearAttempts { nearness, groups, .. } in near {
        let is_near_enough = *nearness != Nearness::Task || is_of_any_object;
        // The kind of an object that is alone in it teaches the same.
        if !is_near_enough || groups.is_empty() || groups.as_slice() == last {
            continue;
        }
        last = groups;
        teachings.push(Teaching {
            nearness: *nearness,
            subjects: subjects_of(known, *nearness, groups),
            lessons: known.lessons(groups),
        });
    }
    teachings
}

/// What stored lessons are about: the object under its names, or a task that has none.
fn subjects_of(known: &KnownAttempts, nearness: Nearness, groups: &[usize]) -> Vec<AttemptSubject> {
    match nearness {
        Nearness::Object => known.subjects(groups),
        Nearness::Kind => Vec::new(),
        Nearness::Task => {
            let mut subjects = known.subjects(groups);
            subjects.retain(|it| it.object.is_empty());
            subjects
        }
    }
}

/// The steps of one nearness, the best first.
pub(super) fn done_steps(nearness: Nearness, sum: &TallySum) -> Vec<DoneSteps> {
    let best = sum.procedures.iter().take(BRIEF_PROCEDURES_MAX).cloned();
    best.map(|sum| DoneSteps { nearness, sum }).collect()
}

/// Changes of what works, of the nearest attempts.
pub(super) fn changes(teachings: &[Teaching]) -> Vec<ChangePoint> {
    let nearest = teachings.first().filter(|it| it.nearness != Nearness::Kind);
    let changes = nearest.into_iter().flat_map(|it| &it.lessons.changes);
    changes.map(|(quantity, change)| shown_change(quantity, change)).collect()
}

fn shown_change(quantity: &Quantity, change: &experience::ChangePoint) -> ChangePoint {
    let sentences = change_sentence(quantity, change);
    ChangePoint {
        path: quantity.path.clone(),
        unit: quantity.unit.clone(),
        attempt_id: change.attempt_id,
        at: change.at,
        before_range: change.before.at.to_vec(),
        after_range: change.after.map_or_else(Vec::new, |it| it.at.to_vec()),
        sentence_en: sentences.en,
        sentence_zh: sentences.zh,
    }
}

/// Lessons, the surest first. Of a kind only what the object itself does not teach.
pub(super) fn briefed_lessons(
    tx: &ReadTx<'_>,
    teachings: &[Teaching],
    visibility: &Visibility,
) -> Result<Vec<Lesson>> {
    let mut lessons: Vec<Lesson> = Vec::new();
    for Teaching { nearness, subjects, lessons: taught } in teachings {
        let stored = lessons_about(tx, subjects)?.into_iter();
        let mut stored: Vec<KnownLesson> = stored.map(|it| it.1).collect();
        for of in &taught.lessons {
            let is_known = lessons.iter().any(|it| {
                (&it.path, &it.unit, it.side)
                    == (&of.quantity.path, &of.quantity.unit, of.lesson.side)
            });
            if is_known {
                continue;
            }
            // Of one in several places, what a person said of any counts.
            let is_of = |it: &mut KnownLesson| it.stored.is_of(of);
            let mut kept: Vec<KnownLesson> = stored.extract_if(.., is_of).collect();
            kept.sort_by_key(|it| judgment_of(it).is_none());
            lessons.push(shown_lesson(*nearness, of, kept.first()));
        }
        // What a person said stays, though its attempts have gone.
        for left in stored.iter().filter(|it| it.stored.judgment.is_some()) {
            let Some(lesson) = left.stored.lesson.clone() else { continue };
            let of = LessonOf { quantity: left.stored.quantity(), lesson };
            lessons.push(shown_lesson(*nearness, &of, Some(left)));
        }
    }
    for lesson in lessons.iter_mut().filter(|it| it.lesson_id > 0) {
        let memory = tx.memory(lesson.lesson_id, false)?;
        if !memory.is_some_and(|it| visibility.sees(&it.scope, it.mem_type)) {
            lesson.lesson_id = 0;
        }
    }
    lessons.sort_by_key(surety);
    Ok(lessons)
}

/// Memories about the object or the task that contradict each other.
pub(super) fn contradictions(
    tx: &ReadTx<'_>,
    (task, object): (&str, &str),
    collections: Option<&[String]>,
    visibility: &Visibility,
) -> Result<Vec<Contradiction>> {
    let named = match object {
        "" => Name::of(task, NameKind::Task),
        object => Name::of(object, NameKind::Object),
    };
    let mut found = Vec::new();
    for SpokenConflict { ids: (id, other_id), contents: (content, other_content), reason } in
        tx.newest_conflicts(CONFLICTS_MAX)?
    {
        let is_about =
            Name::of_text(&content).has(&named) && Name::of_text(&other_content).has(&named);
        if !is_about || found.len() == BRIEF_CONTRADICTIONS_MAX {
            continue;
        }
        let mut is_seen = true;
        for id in [id, other_id] {
            is_seen &= tx.memory(id, false)?.is_some_and(|it| {
                visibility.sees(&it.scope, it.mem_type)
                    && collections.is_none_or(|some| some.contains(&it.collection))
            });
        }
        if is_seen {
            found.push(Contradiction { memory_id: id, content, other_id, other_content, reason });
        }
    }
    Ok(found)
}

/// What a person said of a stored lesson. To forget it is to reject it.
fn judgment_of(kept: &KnownLesson) -> Option<LessonJudgment> {
    match kept.status {
        Status::Invalidated => Some(LessonJudgment::Rejected),
        _ => kept.stored.judgment,
    }
}

/// A lesson of attempts, and what is stored of it.
fn shown_lesson(nearness: Nearness, of: &LessonOf, kept: Option<&KnownLesson>) -> Lesson {
    let mut lesson = of.lesson.clone();
    let judgment = kept.and_then(judgment_of);
    if let Some(pinned) = kept.and_then(|it| it.stored.pinned) {
        lesson.contrast = pinned;
    }
    let sentences = lesson_sentence(&of.quantity, &lesson, judgment);
    let contrast = lesson.contrast;
    Lesson {
        lesson_id: kept.map_or(0, |it| it.memory_id),
        nearness,
        state: lesson.state,
        judgment,
        path: of.quantity.path.clone(),
        unit: of.quantity.unit.clone(),
        side: lesson.side,
        bound: contrast.bound,
        works_from: contrast.works_from,
        beyond_failure_count: contrast.beyond_failure_count,
        beyond_count: contrast.beyond_count,
        within_failure_count: contrast.within_failure_count,
        within_count: contrast.within_count,
        confirmed_count: lesson.confirmed_count,
        refuted_count: lesson.refuted_count,
        state_at: lesson.steps.back().map_or(Stamp(0), |it| it.at),
        failure_ids: lesson.failure_ids,
        success_ids: lesson.success_ids,
        sentence_en: sentences.en,
        sentence_zh: sentences.zh,
    }
}

/// Whether it is given as something that may hold.
pub(super) fn is_believed(lesson: &Lesson) -> bool {
    surety(lesson) < 3
}

/// By what lessons are sorted; those of one surety stay in the order of their attempts.
fn surety(lesson: &Lesson) -> u8 {
    match (lesson.judgment, lesson.state) {
        (Some(LessonJudgment::Pinned), _) => 0,
        (None, LessonState::Tested) => 1,
        (None, LessonState::Hypothesis) => 2,
        (None, LessonState::Demoted) => 3,
        (Some(LessonJudgment::Rejected), _) => 4,
    }
}

/// Reads the steps of procedures. One whose attempts have gone meanwhile is left out.
pub(super) fn procedures(
    tx: &ReadTx<'_>,
    done: Vec<DoneSteps>,
    visibility: &Visibility,
) -> Result<Vec<Procedure>> {
    let mut procedures = Vec::new();
    for DoneSteps { nearness, sum } in done {
        let Some(newest) = sum.success_ids.first() else { continue };
        let memory = tx.memory(*newest, false)?;
        let Some(memory) = memory.filter(|it| visibility.sees(&it.scope, it.mem_type)) else {
            continue;
        };
        let steps = AttemptContext::of(&memory.context).part("steps");
        let ids = |ids: Vec<i64>| ids.into_iter().take(COMPARE_IDS_MAX).collect();
        procedures.push(Procedure {
            nearness,
            steps,
            success_count: sum.success_count,
            failure_count: sum.failure_count,
            success_rate_interval: vec![sum.interval.low, sum.interval.high],
            newest_at: sum.newest_at,
            success_ids: ids(sum.success_ids),
            failure_ids: ids(sum.failure_ids),
        });
    }
    Ok(procedures)
}
