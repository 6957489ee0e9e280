//! The words of prohibitions. English and Chinese.

use super::PartRole;

/// What forbids in other words, and the words that forbid the same.
#[rustfmt::skip]
pub(super) const OTHER_WORDS: &[(&[&str], &str)] = &[
    (&["no entry to", "no entry into", "no entry for robots to", "no access to", "keep out of", "stay out of", "no admittance to"], "must not enter"),
    (&["keep away from", "stay away from", "keep clear of", "stay clear of", "keep your distance from"], "must not approach"),
    (&["stay off", "keep off"], "must not enter"),
    (&["hands off", "keep your hands off", "no touching of", "no touching"], "must not touch"),
    (&["steer clear of", "do not go near", "don't go near"], "must not approach"),
    (&["nothing may be", "nothing must be", "nothing shall be", "nothing should be", "nothing can be", "nothing is to be", "nothing is allowed to be"],
       "must not be"),
    (&["nobody may", "no one may", "nobody must", "no robot may", "nobody is allowed to", "no one is allowed to"], "must not"),
    (&["never goes into", "never go into", "never goes in", "never go in", "never belongs in", "never belong in"], "must not be put into"),
    (&["never goes on", "never go on", "never goes onto", "never go onto", "never belongs on", "never belong on"], "must not be put on"),
    (&["is off limits", "are off limits", "is off-limits", "are off-limits", "is out of bounds", "are out of bounds",
       "is a no-go area", "is a no-go zone", "is a no go area", "is a no go zone", "is closed to robots", "no entry"], "must not enter"),
    (&["under no circumstances", "on no account", "at no time", "in no case", "by no means"], "never"),
    (&["is not to be", "are not to be", "not to be"], "must not be"),
    (&["isn't allowed", "aren't allowed", "is disallowed", "is banned", "are banned", "is a no-no", "is taboo", "is verboten"], "is forbidden"),
    (&["refrain from", "abstain from"], "must not"),
    (&["it is forbidden to", "it is prohibited to", "it is not allowed to", "it is not permitted to", "it is not ok to", "it's forbidden to",
       "it is never allowed to", "you may not", "you must not", "you should not", "dont", "do not ever", "don't ever"], "do not"),
    (&["can't", "can not"], "cannot"),
    (&["won't"], "will not"),
    (&["禁止入内", "严禁入内", "禁入", "请勿入内", "谢绝入内", "不得入内"], "禁止进入"),
    (&["禁止通行", "禁行", "禁止驶入"], "禁止行驶"),
    (&["远离"], "不要靠近"),
    (&["避开"], "不要进入"),
    (&["禁用"], "禁止用"),
    (&["千万别", "切莫", "不宜", "切忌", "不应该", "不应当", "不应", "不该", "不允许", "不准许", "绝不允许", "绝不能", "决不能", "绝不可",
       "千万不要", "绝对不能", "绝对不要", "绝对不得", "不能再", "不要再", "再也不要", "再也不能", "不可再", "别再", "不可以", "一律不得",
       "不让", "不容许", "请不要"], "不要"),
];

/// Words that change nothing of what is forbidden.
#[rustfmt::skip]
pub(super) const SAY_NOTHING: &[&str] = &[
    "ever", "again", "any", "all", "please", "strictly", "absolutely", "at all", "under any circumstances", "in any case", "at any time",
    "at all times", "always", "simply", "whatsoever", "also", "important", "warning", "note", "attention", "caution", "safety rule",
    "safety", "rule", "constraint", "from now on", "as a rule", "in any way", "in any circumstances", "of any kind", "directly",
    "任何情况下都", "任何情况下", "无论如何", "任何时候", "都", "绝对", "千万", "一律", "任何", "永远", "严格", "所有", "一切", "安全规则", "规则",
    "注意", "警告", "重要", "约束", "直接", "随便", "随意", "擅自", "进行", "来", "去", "绝", "也", "从现在起", "一定",
];

/// Verbs of whatever is done.
#[rustfmt::skip]
pub(super) const ANY_DOING: &[&str] = &[
    "used", "handle", "handled", "handling", "operate", "operated", "manipulate", "manipulated", "work", "employ", "employed", "apply",
    "applied", "allow", "allowed", "allowing", "permitted", "be", "been", "try", "attempt", "do", "done", "perform", "let", "处理", "操作", "做", "作业", "用于", "用在",
    "允许", "施加",
];

/// Words that negate but forbid nothing.
pub(super) const NO_ORDER: &[&str] = &["without", "none", "没", "没有", "无", "未"];
/// What is an order wherever it stands.
#[rustfmt::skip]
pub(super) const ORDERS: &[&str] = &["不要", "不得", "禁止", "严禁", "不许", "不准", "请勿", "切勿", "勿", "must not", "must never", "is forbidden", "is prohibited"];
/// What may as well say what cannot be.
pub(super) const WEAK_ORDERS: &[&str] = &["不能", "不可", "cannot"];
/// "No cups on the table" may as well tell what is there; with these it is said for all cases, and forbids.
pub(super) const FOR_ALL: &[&str] = &[" ever", " any"];
/// Only this is allowed: all else is forbidden.
#[rustfmt::skip]
pub(super) const ONLY: &[&str] = &[
    "only", "solely", "exclusively", "只能", "只", "仅", "只准", "只许", "只可", "仅能", "只允许",
];
/// Begin what is to be done instead.
pub(super) const INSTEAD: &[&str] = &[
    "only", "instead", "rather", "just", "always", "use", "应", "要", "应该", "而要", "只能", "请",
];
/// What forbids something that is named, and not done.
pub(super) const FORBIDS_THINGS: &[&str] =
    &["no", "forbidden", "prohibited", "is forbidden", "is prohibited"];

/// What holds only then, or not then, begins with these, up to the end of its part of the sentence.
#[rustfmt::skip]
pub(super) const CONDITIONS: &[&str] = &[
    "if", "when", "whenever", "while", "unless", "until", "till", "before", "after", "except", "without", "during", "once", "than",
    "but", "outside", "other", "else", "too", "where", "that", "which", "who", "whose", "as", "excluding", "more", "less", "yet",
    "however", "still", "instead", "rather", "unattended",
    "如果", "若", "当", "除非", "除", "除了", "要是", "一旦", "才", "过于", "太", "没有", "没", "未", "无", "还", "先", "但", "而",
];
/// These end one that stands before.
#[rustfmt::skip]
pub(super) const HAN_CONDITION_ENDS: &[&str] = &["时", "时候", "以外", "之外", "期间", "后", "前", "之前", "之后", "以前", "以后", "的话"];
/// What only says why follows.
#[rustfmt::skip]
pub(super) const BECAUSE: &[&str] = &[
    "because", "since", "otherwise", "so", "due", "to avoid", "as it", "会", "因为", "否则", "以免", "以防", "防止", "避免", "不然", "由于",
];
/// Say how it is done.
#[rustfmt::skip]
pub(super) const MANNERS: &[&str] = &[
    "fast", "quickly", "hard", "roughly", "slowly", "sideways", "backward", "backwards", "forward", "upside", "down", "up", "together", "alone",
    "manually", "here", "there", "anywhere", "full", "bare", "bluntly", "loudly", "too", "快速", "高速", "用力", "猛", "单独", "单手", "直着", "倒着",
];
/// Stand for what was named before.
pub(super) const PRONOUNS: &[&str] = &["it", "them", "they", "its", "their", "它", "它们", "其"];

/// Prepositions, and what the thing after them is.
#[rustfmt::skip]
pub(super) const ROLES: &[(&[&str], PartRole)] = &[
    (&["with", "using", "use", "uses", "by", "via", "用", "使用", "采用", "以"], PartRole::With),
    (&["on", "onto", "for", "against", "to", "of", "from", "over", "upon", "对", "给", "于", "向"], PartRole::On),
    (&["把", "将"], PartRole::Unspecified),
    (&["in", "into", "at", "inside", "through", "across", "along", "past", "near", "next to", "within", "under", "behind", "beside",
       "around", "onboard", "between", "above", "below", "在", "到", "往", "从", "经", "沿"], PartRole::At),
];
