//! What somebody tells around a question: where they were, who sent them, what they saw.

use super::super::atoms::{Atom, ends, longest_of, stands_outside};
use super::polite;

/// With one of these it may narrow what is asked, or ask something else.
#[rustfmt::skip]
const NARROWING: &[&str] = &[
    "only", "just count", "just the", "except", "excluding", "exclude", "ignore", "ignoring", "unless", "whenever", "every time", "each time", "without", "other than", "apart from", "instead", "rather than", "not count", "do not count", "don t count", "not include", "not the", "leave out", "skip",
    "the left", "the right", "left one", "right one", "left gripper", "right gripper", "left arm", "right arm", "second robot", "another robot", "other robot", "second arm", "other arm", "other gripper", "i mean", "we mean", "i meant", "meaning", "referring", "talking about", "speaking of", "those of", "the ones", "care about", "interested in", "looking for",
    "if", "blue", "red", "green", "heavy", "longer than", "shorter than", "more than", "less than", "at least", "at most", "why", "suppose", "assume", "assuming", "imagine", "what if", "in case", "tomorrow", "next week", "going to stop", "should", "must", "simulation", "simulated",
    "要查的", "我在查", "不归", "归我", "只", "仅", "除了", "除去", "除开", "不算", "不计", "不包括", "不含", "不要", "排除", "忽略", "去掉", "别算", "别的机", "另一台", "另外一台", "另一个机", "别的夹爪", "左", "右", "我是说", "我说的", "我指的", "指的是", "说的是", "蓝", "红", "绿", "大于", "小于", "超过", "至少", "至多", "不到", "如果", "假如", "要是", "假设", "一旦", "每当", "每次", "明天", "下周", "为什么", "为啥", "怎么", "如何", "应该", "必须", "仿真",
];
/// These have such a word and narrow nothing.
#[rustfmt::skip]
const NOT_NARROWING: &[&str] = &[
    "only got", "only came", "only returned", "only started", "only arrived",
    "左右",
    "if you could", "if you can", "if you would", "if you d", "if i may", "if possible", "i only saw", "only saw", "only now", "have only", "i only just", "only just", "right away", "all right", "right then", "i left", "right there", "怎么样", "就怎么", "只听见", "只记得", "前几回都没当回事", "要是方便", "如果方便", "如果可以", "as if", "不要列出", "不要明细", "if i remember rightly", "if memory serves", "if i remember correctly", "if i recall correctly", "if i m not mistaken", "if i am not mistaken",
];

/// Whether words of a clause say that only some events are meant, or ask something else.
pub(super) fn narrows(all: &[Atom]) -> bool {
    let kept = |rest: &[Atom]| longest_of(rest, NOT_NARROWING);
    stands_outside(all, kept, |rest| longest_of(rest, NARROWING).is_some())
}

/// Whether a clause begins as a part of a sentence, and not as one: "for every hour", 从9点起.
pub(super) fn is_part(atoms: &[Atom]) -> bool {
    #[rustfmt::skip]
    const BEGINS: &[&str] = &[
        "for", "from", "after", "before", "since", "between", "in", "on", "at", "of", "during", "within", "until", "till", "by", "per", "each", "every", "the", "with", "over", "under", "among", "as of", "following", "and", "to", "around", "next", "last", "first",
        "以", "从", "自", "打", "在", "截", "到", "就", "过了", "每", "各", "按", "之后", "之前", "等", "当", "第", "最", "前", "后",
    ];
    const DAYS: [&str; 6] = ["上", "下", "今", "昨", "早", "晚"];
    const ENDS: [&str; 9] = ["前", "后", "里", "内", "中", "间", "的", "时", "起"];
    // 好几个小时 is no clause of time.
    let is_length = atoms.len() > 1 && atoms[atoms.len() - 2].text == "小";
    let is_open = !is_length && atoms.last().is_some_and(|last| last.is_one_of(&ENDS));
    let is_day = atoms[0].is_one_of(&DAYS) && (atoms.len() < STORY_ATOMS_MIN || is_open);
    // 温度到了两百以后, but 开会之前.
    const SIDES: [&str; 6] = ["以后", "之后", "以前", "之前", "以来", "的时候"];
    let is_side = !atoms.iter().any(|atom| atom.is_one_of(&["会", "班"])) && ends(atoms, &SIDES);
    is_day
        || is_side
        || longest_of(&atoms[polite::opening(atoms).min(atoms.len() - 1)..], BEGINS).is_some()
        || longest_of(atoms, BEGINS).is_some()
}

/// What begins with a day and is shorter may be only a time.
const STORY_ATOMS_MIN: usize = 9;

/// Whether a clause is told by somebody of somebody: "my boss says that it dropped things".
pub(super) fn is_story(atoms: &[Atom]) -> bool {
    #[rustfmt::skip]
    const TELLERS: &[&str] = &[
        "i", "we", "my", "our", "someone", "somebody", "everyone", "everybody", "people", "they", "he", "she", "a visitor", "a friend", "a colleague", "the boss", "the people", "the crew", "the customer", "the operator", "the technician", "all i", "all we", "when i", "when we", "before i", "it took", "it seemed", "it looked", "there was",
        "there is", "there were", "as i", "as we", "after i", "while i", "while we", "to make", "nobody", "management", "the morning crew", "the night shift",
    ];
    #[rustfmt::skip]
    const HAN_TELLERS: &[&str] = &[
        "我", "我们", "咱们", "老板", "领导", "师傅", "同事", "有人", "听说", "那会儿", "当时", "刚才", "他们", "老王", "老李", "小王", "班长", "组长", "客户", "维修", "学生", "朋友", "大家", "白板", "会上", "换班", "关机前", "早晨那", "做", "为了", "趁",
    ];
    let at = polite::opening(atoms);
    let is_han = atoms[0].is_han();
    let begins =
        |at: usize| longest_of(&atoms[at..], if is_han { HAN_TELLERS } else { TELLERS }).is_some();
    begins(0)
        || at < atoms.len() && begins(at)
        || is_han && atoms.iter().any(|atom| atom.text == "我")
}
