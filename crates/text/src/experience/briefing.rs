//! A briefing in one sentence, English and Chinese. It says nothing that its fields do not.

use super::sentence::{called, shown, spaced, span_of};
use robot_memory_core::api::{
    BriefedAttempts, BriefedNumber, ChangePoint, CheckedLimit, Lesson, LessonJudgment, LessonState,
    Nearness,
};

/// Numbers that a sentence names.
const NUMBERS_MAX: usize = 2;
/// Lessons, and changes, that a sentence names.
const LESSONS_MAX: usize = 2;
/// Limits of other robots that a sentence names.
const TOLD_LIMITS_MAX: usize = 2;

/// A briefing in two languages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Briefing {
    /// English.
    pub en: String,
    /// Chinese.
    pub zh: String,
}

/// What is known of a task on an object: the nearest attempts, when they are near enough, the first bound that is
/// violated, and the limits that other robots told.
pub fn briefing(
    task: &str,
    object: &str,
    known: Option<&BriefedAttempts>,
    (lessons, changes): (&[Lesson], &[ChangePoint]),
    (violations, undecided): (&[CheckedLimit], &[CheckedLimit]),
) -> Briefing {
    let (of, gap) = if object.is_empty() { ("", "") } else { (object, " ") };
    let mut en = format!("{task}{gap}{of}: ");
    let mut zh = format!("{task}{of}：");
    match known {
        None => {
            en.push_str("nothing is known of it");
            zh.push_str("没有相关经验");
        }
        Some(known) => {
            let total = known.success_count + known.failure_count;
            let BriefedAttempts { success_count, unknown_count, objects, .. } = known;
            if known.nearness == Nearness::Kind {
                en.push_str(&format!("of its kind ({}), ", objects.join(", ")));
                zh.push_str(&format!("同类物体（{}），", objects.join("、")));
            }
            en.push_str(&format!("{success_count} of {total} attempts succeeded"));
            zh.push_str(&format!("{total} 次中成功 {success_count} 次"));
            if *unknown_count > 0 {
                en.push_str(&format!(", {unknown_count} without a known outcome"));
                zh.push_str(&format!("，{unknown_count} 次结果未知"));
            }
            let numbers = known.numbers.iter().filter(|it| it.path.starts_with("params."));
            for number in numbers.take(NUMBERS_MAX) {
                add_number(&mut en, &mut zh, number);
            }
            if let Some(first) = known.failures.iter().find(|it| !it.reason.is_empty()) {
                en.push_str(&format!("; failed by {} ({} times)", first.reason, first.count));
                zh.push_str(&format!("；失败原因：{}（{} 次）", first.reason, first.count));
            }
        }
    }
    let tested = lessons.iter().filter(|it| {
        it.judgment == Some(LessonJudgment::Pinned)
            || it.judgment.is_none() && it.state == LessonState::Tested
    });
    let said = tested.map(|it| (&it.sentence_en, &it.sentence_zh)).take(LESSONS_MAX);
    let changed = changes.iter().map(|it| (&it.sentence_en, &it.sentence_zh)).take(LESSONS_MAX);
    for (sentence_en, sentence_zh) in changed.chain(said) {
        en.push_str(&format!("; {sentence_en}"));
        zh.push_str(&format!("；{sentence_zh}"));
    }
    if let Some(violated) = violations.first() {
        en.push_str(&format!("; NOT allowed: {}", violated.reason));
        zh.push_str(&format!("；不允许：{}", violated.reason));
    }
    for CheckedLimit { content, told_by, transfer, .. } in told(violations, undecided) {
        let (other, other_zh) = match &**transfer {
            [] => (String::new(), String::new()),
            other => (format!(" ({})", other.join("; ")), format!("（{}）", other.join("；"))),
        };
        en.push_str(&format!("; told by {}{other}: {content}", told_by.join(", ")));
        zh.push_str(&format!("；{} 告知{other_zh}：{content}", told_by.join("、")));
    }
    Briefing { en, zh }
}

/// The limits that other robots told, each once, without the one that is named as violated.
fn told<'a>(
    violations: &'a [CheckedLimit],
    undecided: &'a [CheckedLimit],
) -> Vec<&'a CheckedLimit> {
    let first = violations.first().map(|it| it.memory_id);
    let mut seen: Vec<i64> = first.into_iter().collect();
    let mut told = Vec::new();
    for limit in violations.iter().chain(undecided) {
        if told.len() == TOLD_LIMITS_MAX {
            break;
        }
        if !limit.told_by.is_empty() && !seen.contains(&limit.memory_id) {
            seen.push(limit.memory_id);
            told.push(limit);
        }
    }
    told
}

fn add_number(en: &mut String, zh: &mut String, number: &BriefedNumber) {
    let unit = spaced(&number.unit);
    let (name, name_zh) = (called(&number.path, false), called(&number.path, true));
    if let [least, _, median, _, most] = number.success_range[..] {
        let median = shown(median);
        en.push_str(&format!(
            "; {name} {}{unit} worked (median {median})",
            span_of(least, most, false)
        ));
        zh.push_str(&format!(
            "；{name_zh} 成功时 {}{unit}（中位数 {median}）",
            span_of(least, most, true)
        ));
    }
    if let [least, _, _, _, most] = number.failure_range[..] {
        en.push_str(&format!("; {name} {}{unit} failed", span_of(least, most, false)));
        zh.push_str(&format!("；{name_zh} 失败时 {}{unit}", span_of(least, most, true)));
    }
}
