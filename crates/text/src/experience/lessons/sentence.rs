//! A lesson, and a change, in one sentence.

use super::{ChangePoint, Lesson};
use crate::experience::figures::Range;
use crate::experience::known::Quantity;
use crate::experience::sentence::{called, shown, spaced};
use robot_memory_core::api::{LessonJudgment, LessonState, Side};

/// One sentence in two languages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sentences {
    /// English.
    pub en: String,
    /// Chinese.
    pub zh: String,
}

/// As `force above 13 N fails`.
pub fn bound_sentence(quantity: &Quantity, side: Side, bound: f64) -> Sentences {
    let (bound, unit) = (shown(bound), spaced(&quantity.unit));
    let (side, side_zh) = match side {
        Side::Above => ("above", "高于"),
        Side::Below => ("below", "低于"),
    };
    Sentences {
        en: format!("{} {side} {bound}{unit} fails", called(&quantity.path, false)),
        zh: format!("{}{side_zh} {bound}{unit} 会失败", called(&quantity.path, true)),
    }
}

/// How far a lesson is believed, in a word: English and Chinese.
pub fn state_words(
    state: LessonState,
    judgment: Option<LessonJudgment>,
) -> (&'static str, &'static str) {
    match (judgment, state) {
        (Some(LessonJudgment::Pinned), LessonState::Demoted) => {
            ("pinned against later attempts", "人工确认，与之后的尝试不符")
        }
        (Some(LessonJudgment::Pinned), _) => ("pinned", "人工确认"),
        (Some(LessonJudgment::Rejected), _) => ("rejected", "人工否决"),
        (None, LessonState::Hypothesis) => ("hypothesis", "假设"),
        (None, LessonState::Tested) => ("tested", "已验证"),
        (None, LessonState::Demoted) => ("no longer holds", "已被推翻"),
    }
}

/// As `force above 13 N fails (tested: 11 of 12 later attempts bear it out; 6 of 6 beyond it failed)`.
pub fn lesson_sentence(
    quantity: &Quantity,
    lesson: &Lesson,
    judgment: Option<LessonJudgment>,
) -> Sentences {
    let bound = bound_sentence(quantity, lesson.side, lesson.contrast.bound);
    let (state, state_zh) = state_words(lesson.state, judgment);
    let right = lesson.confirmed_count;
    let total = right + lesson.refuted_count;
    let (beyond, count) = (lesson.contrast.beyond_failure_count, lesson.contrast.beyond_count);
    Sentences {
        en: format!(
            "{} ({state}: {right} of {total} later attempts bear it out; {beyond} of {count} beyond it failed)",
            bound.en
        ),
        zh: format!(
            "{}（{state_zh}：之后 {total} 次中 {right} 次相符；越界 {count} 次中失败 {beyond} 次）",
            bound.zh
        ),
    }
}

/// As `force: 8 N worked until 2026-11-12, since then 9.5 N`, by the medians.
pub fn change_sentence(quantity: &Quantity, change: &ChangePoint) -> Sentences {
    let unit = spaced(&quantity.unit);
    let day = change.at.date();
    let median = |range: &Range| format!("{}{unit}", shown(range.at[2]));
    let (before, after) = (median(&change.before), change.after.as_ref().map(median));
    Sentences {
        en: format!(
            "{}: {before} worked until {day}, since then {}",
            called(&quantity.path, false),
            after.as_deref().unwrap_or("nothing")
        ),
        zh: format!(
            "{}：{day} 之前 {before} 可行，此后{}",
            called(&quantity.path, true),
            after.map_or_else(|| "无值可行".to_owned(), |it| format!(" {it} 可行"))
        ),
    }
}
