//! What of a report a reader wants to know first.

use std::sync::LazyLock;

use super::category::classify;
use super::items::{Item, ItemKind, items};
use super::phrases::Phrases;
use robot_memory_core::model::Category;

/// What a sentence weighs that says what went wrong.
const FAILURE: f64 = 1.0;
/// What one weighs that says why, what to do about it, or what holds from now on.
const LESSON: f64 = 0.7;
/// What a number adds.
const QUANTITY: f64 = 0.2;

/// Whether a phrase tells of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SalienceCue {
    Failure,
    /// What follows did not happen.
    Negation,
    /// Looks like one and is none.
    Neutral,
}

#[rustfmt::skip]
const CUES: &[(SalienceCue, &[&str])] = &[
    (SalienceCue::Failure, &[
        "fail", "fails", "failed", "failing", "failure", "failures", "fault", "faults", "faulty", "error", "errors",
        "slip", "slips", "slipped", "slipping", "slid", "drop", "dropped", "fell", "fell off", "lost", "lost grip", "miss",
        "missed", "missing", "collision", "collided", "hit", "crash", "crashed", "stuck", "jam", "jammed", "jams", "abort",
        "aborted", "aborts", "cancelled", "canceled", "rejected", "refused", "timeout", "timed out", "overload", "overloaded",
        "overheated", "broke", "broken", "breaks", "cracked", "damaged", "damage", "spilled", "spilt", "leak", "leaked",
        "leaks", "could not", "cannot", "can not", "can't", "couldn't", "unable to", "did not reach", "did not close",
        "not found", "unreachable", "stalled", "emergency stop", "e-stop", "protective stop", "misaligned", "tipped over",
        "torn", "scratched", "bent", "blocked", "empty", "gave up", "wrong",
        "失败", "失效", "失灵", "故障", "错误", "出错", "报错", "滑落", "打滑", "滑脱", "滑动", "掉落", "跌落", "掉了", "脱落", "碰撞",
        "撞到", "撞上", "卡住", "卡死", "卡滞", "中止", "终止", "放弃", "超时", "过载", "过热", "过流", "损坏", "破损", "断裂", "泄漏",
        "漏液", "洒", "未能", "无法", "没能", "没有成功", "未成功", "未找到", "找不到", "没找到", "未检测到", "偏移", "倾倒", "翻倒",
        "急停", "保护性停止", "丢失", "堵塞", "夹不住", "抓空", "不到位", "拒绝", "划伤", "异常",
    ]),
    (SalienceCue::Negation, &[
        "no", "not", "never", "without", "zero", "avoid", "avoided", "avoids", "prevent", "prevents", "prevented", "n't",
        "没有", "没", "未", "未发生", "未出现", "无", "避免", "防止", "并未", "不再", "不会",
    ]),
    (SalienceCue::Neutral, &[
        "drop off", "drop zone", "drop-off", "hit rate", "error free", "error-free", "fail safe", "fail-safe", "failsafe",
        "not only", "no longer", "无线", "无人", "未来", "错误率为零",
    ]),
];

static PHRASES: LazyLock<Phrases<SalienceCue>> = LazyLock::new(|| Phrases::of(CUES));

/// Items after a negation that it still holds for.
const NEGATED_ITEMS: usize = 3;

/// How much a reader of a report wants to know a sentence, 0 to about 2: most of all what went wrong,
/// then why and what follows from it, then what was measured. Routine is 0.
pub fn salience(sentence: &str) -> f64 {
    let items = items(sentence);
    let failure = if tells_failure(&items) { FAILURE } else { 0.0 };
    let lesson = match classify(sentence).category {
        Category::RootCause
        | Category::Postmortem
        | Category::Gotcha
        | Category::Constraint
        | Category::Pattern
        | Category::Worldview
        | Category::Preference => LESSON,
        _ => 0.0,
    };
    // Most other numbers only say which one.
    let is_measured =
        |item: &Item| matches!(&item.kind, ItemKind::Quantity(it) if !it.symbol.is_empty());
    let has_quantity = items.iter().any(is_measured);
    failure + lesson + if has_quantity { QUANTITY } else { 0.0 }
}

/// Whether one of the sentence's words says that something went wrong, and none before it that it did
/// not.
fn tells_failure(items: &[Item]) -> bool {
    let (mut index, mut negated_to) = (0, 0);
    while let Some(rest) = items.get(index..).filter(|rest| !rest.is_empty()) {
        let (cue, used) = PHRASES.longest(rest).map_or((None, 1), |(cue, used)| (Some(cue), used));
        match cue {
            Some(SalienceCue::Failure) if index >= negated_to => return true,
            Some(SalienceCue::Negation) => negated_to = index + used + NEGATED_ITEMS,
            _ if rest.first().is_some_and(|item| item.kind == ItemKind::Break) => negated_to = 0,
            _ => {}
        }
        index += used;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_went_wrong_weighs_most() {
        let cases = [
            ("Picked the bolt and placed it in the tray.", 0.0),
            ("The bolt weighs 12 g.", QUANTITY),
            ("The grasp failed.", FAILURE),
            ("The bolt slipped at 8 N.", FAILURE + QUANTITY),
            ("The bolt did not slip.", 0.0),
            ("Placed it without any collision.", 0.0),
            ("No errors were seen, but the lid jammed.", FAILURE),
            ("Could not reach bin 4.", FAILURE),
            ("It slipped because the pad was oily.", FAILURE + LESSON),
            ("From now on use the soft pads.", LESSON),
            ("Brought it to the drop zone.", 0.0),
            ("抓取失败。", FAILURE),
            ("螺栓没有滑落。", 0.0),
            ("未能到达料箱。", FAILURE),
            ("放到了托盘上。", 0.0),
            ("因为油污导致打滑。", FAILURE + LESSON),
            ("", 0.0),
        ];
        for (sentence, expected) in cases {
            let found = salience(sentence);
            assert!((found - expected).abs() < 1e-9, "{sentence}: {found}, not {expected}");
        }
    }
}
