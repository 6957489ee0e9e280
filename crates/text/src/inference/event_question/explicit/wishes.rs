//! Ways to ask for something that are put together: "my boss would like to know", 同事想知道. They say nothing of it.

use super::super::atoms::{Atom, ByLetter, longest_of};
use std::sync::LazyLock;

static HEADS: LazyLock<ByLetter<()>> = LazyLock::new(|| ByLetter::list(HEADS_OF));

#[rustfmt::skip]
const PERSONS: &[&str] = &[
    "boss", "manager", "colleague", "colleagues", "supervisor", "customer", "client", "team", "lead", "shift lead", "team lead", "engineer",
    "technician", "maintenance", "office", "qa", "quality", "auditor", "foreman", "planner", "director", "coworker", "safety officer",
    "production", "management", "insurance", "insurer", "inspector", "safety", "chief", "operator", "shift leader", "trainee", "student", "planner", "plant manager",
];
#[rustfmt::skip]
const WANTS: &[&str] = &[
    "d love", "would love", "d like", "would like", "want", "wants", "need", "needs", "asked", "asks", "is asking", "was asking", "has asked",
    "d be glad", "d be happy", "would be glad", "would be happy", "d be interested", "would be interested", "d be curious", "m curious", "am curious",
    "m keen", "m trying", "am trying", "d appreciate", "would appreciate", "d want", "d need", "wanted", "needed", "have been asked",
];
#[rustfmt::skip]
const TO: &[&str] = &[
    "to know", "to see", "to have", "to get", "to hear", "to learn", "to find out", "to find", "to check", "to look at", "to look up", "to be told", "to ask",
    "to understand", "to work out", "to figure out", "to read", "to ask about", "to ask for", "for", "about", "me", "us", "me for", "us for",
    "me about", "us about", "me to find", "me to check", "me to list", "me to count", "in", "in knowing", "knowing", "seeing", "a look at", "to", "to be sure", "me to find out",
    "to establish",
];
/// What somebody does with a time, or with events, whose words follow.
#[rustfmt::skip]
const STUDYING: &[&str] = &[
    "writing up", "reviewing", "looking at", "looking back at", "looking into", "going over", "going through", "summarising", "summarizing",
    "analysing", "analyzing", "checking", "auditing", "examining", "recapping", "documenting", "reporting on", "talking about", "asking about",
    "thinking of", "preparing a report on", "writing a report on", "writing about", "working on", "working through", "studying", "tracing",
    "reconstructing", "interested in", "curious about",
];
#[rustfmt::skip]
const HEADS_OF: &[&str] = &[
    "please state", "state the", "please provide", "provide the", "please indicate", "please specify", "let s look at", "look at", "look back at", "have a look at", "take a look at", "think of", "go back to", "going by", "let us look at", "let s go over", "let s review", "let s talk about", "let s take", "let s consider", "looking at", "looking back at",
    "regarding", "concerning", "with regard to", "with respect to", "as for", "as regards", "going back to", "thinking of",
    "do me a favour and", "do me a favor and", "be so kind as to", "would you be so kind as to", "be so good as to", "if you can", "if you could", "if you would", "if you don t mind",
    "if that s possible", "when you have a moment", "when you get a chance", "would you mind", "do you happen to know", "do you happen to remember", "do you happen to have", "happen to know", "any idea",
    "any chance you know", "any chance you can tell me", "can anyone tell me", "can somebody tell me", "remind me", "please remind me", "help me out", "help me", "i forgot", "i can t remember",
    "i don t remember", "i don t know", "not sure", "i m not sure", "tell me about", "tell me", "how about", "what about", "and what about", "talk me through", "walk me through", "run me through", "give me an overview of", "give me details of", "it would be good to know",
    "it d be good to know", "it would help to know", "it would be nice to know", "is it possible to see", "is it possible to know", "is it possible to get", "can i have", "could i have", "may i have", "could we see", "could we get",
    "could we have", "can we see", "can we get", "can we have", "i was asked", "we were asked", "i have been asked", "one more", "one more thing", "one more question", "next question", "another question", "last question", "and now", "now the", "now for the", "now show", "now list", "next the",
    "good morning", "good afternoon", "good evening", "cheers", "ta", "thx", "many thanks in advance", "thanks in advance", "thank you in advance", "much appreciated", "would be great", "that would be great", "that would help",
    "if you please", "dear robot", "for my notes", "for our notes", "for the record", "for the log", "for the shift report", "for the handover", "just for the record", "out of curiosity", "just curious", "just to be sure", "to be sure", "to be clear", "to be precise", "to be exact",
    "劳烦", "烦请", "有劳", "辛苦", "辛苦了", "拜托", "帮个忙", "帮下忙", "帮忙看下", "帮看一下", "帮看下", "帮我看下", "帮我查下", "查下", "看下", "说下", "列下", "数下", "帮忙查一下", "帮忙查下", "帮忙列一下", "帮忙统计一下", "帮忙数一下", "帮忙看一下",
    "帮我列一下", "帮我列个表", "帮我找出", "帮我找一下", "帮我找找", "帮我翻一下", "帮我调一下", "帮我算一下", "帮我算算", "帮我确认一下", "确认一下", "核实一下", "核对一下", "我想确认一下", "我想核实一下", "我要确认一下", "想确认一下", "请确认一下", "请核对一下",
    "请列出", "请统计", "请查", "请告诉我", "请给我", "请说明", "请教一下", "请教", "打听一下", "有个问题", "问一下", "问下", "问个问题", "再问一下", "还想问", "还想知道", "顺便问一下", "顺便问", "顺便", "另外问一下", "我忘了", "我不记得", "我不记得了", "我记不清了", "记不清了", "不知道",
    "不清楚", "我不清楚", "不太清楚", "不确定", "可不可以告诉我", "可不可以", "可以的话", "方便的话", "有空的话", "如果可以的话", "如果方便的话", "麻烦给我", "麻烦列一下", "麻烦统计一下", "麻烦数一下", "麻烦看一下", "麻烦查一下", "给我看看", "给我看一下", "给我列一下", "给我列出", "给我查一下", "让我看看", "让我看一下",
    "我想看一下", "我要看一下", "我看一下", "我看看", "我查一下", "想请你", "想请教", "关于", "至于", "说到", "先看", "先看看", "来看看", "我来看看", "早上好", "下午好", "晚上好", "感谢", "非常感谢", "谢了", "辛苦啦", "好吗", "行吗", "可以吗", "谢谢啦", "交班用", "备查",
];
#[rustfmt::skip]
const HAN_PERSONS: &[&str] = &[
    "操作工", "操作员", "工人", "新人", "夜班", "白班", "早班", "中班", "晚班", "技术员", "同事", "老板", "领导", "主管", "经理", "班长", "组长", "客户", "师傅", "工程师", "质检", "车间", "厂长", "主任", "老师", "班组", "安全员", "质量部", "上级", "甲方", "项目经理", "值班长", "我",
];
#[rustfmt::skip]
const HAN_WANTS: &[&str] = &[
    "说", "说是", "反映", "发现", "告诉我", "报告说", "提到", "想知道", "想看", "想看看", "想要", "要看", "要", "需要", "问", "想问", "想了解", "让我查", "让我找", "叫我找", "要我找", "让我问", "让我统计", "让我列", "要我查", "要我报", "要求", "问我", "在问", "在查", "想查", "要知道", "叫我查", "要统计", "在复盘", "正在复盘", "在回顾", "在核对", "在整理", "在看",
];

/// How many atoms at the begin only ask.
pub(super) fn wish(atoms: &[Atom]) -> Option<usize> {
    let head = HEADS.longest_of(atoms);
    head.into_iter().chain(wanted(atoms)).chain(wanted_han(atoms)).max()
}

/// "My boss would like to know", "we need", "I'm reviewing".
fn wanted(atoms: &[Atom]) -> Option<usize> {
    let person = longest_of(atoms, &["i", "we"]).or_else(|| {
        let of = longest_of(atoms, &["my", "our", "the", "a"]).unwrap_or(0);
        Some(of + longest_of(&atoms[of..], PERSONS)?)
    })?;
    let rest = &atoms[person..];
    // "Our shift lead here".
    if let Some(here) = longest_of(rest, &["here", "speaking"]).filter(|_| person > 1) {
        return Some(person + here);
    }
    if let Some(is) = longest_of(rest, &["m", "am", "re", "are", "is", "was", "were"]) {
        let now = longest_of(&rest[is..], &["just", "now", "currently", "only"]).unwrap_or(0);
        let studying = longest_of(&rest[is + now..], STUDYING);
        if let Some(studying) = studying {
            return Some(person + is + now + studying);
        }
    }
    let adverb = longest_of(rest, &["just", "only", "really", "also", "still", "now"]).unwrap_or(0);
    // "The operator says that it slipped at 9:02".
    #[rustfmt::skip]
    const SAYS: &[&str] = &[
        "says", "said", "reports", "reported", "noticed", "noted", "thinks", "told me", "tells me", "mentioned", "saw that", "says that", "said that", "reports that",
        "reported that", "noticed that", "told me that", "tells me that", "mentioned that", "noted that",
    ];
    if let Some(says) = longest_of(rest, SAYS).filter(|_| person > 1) {
        return Some(person + says);
    }
    let wants = longest_of(&rest[adverb..], WANTS)?;
    let end = person + adverb + wants;
    Some(end + longest_of(&atoms[end..], TO).unwrap_or(0))
}

/// 同事想知道, 我在复盘.
fn wanted_han(atoms: &[Atom]) -> Option<usize> {
    // 列给班长看.
    if let Some(given) = longest_of(atoms, &["列给", "发给", "报给", "交给", "给", "拿给", "传给"])
        && let Some(person) = longest_of(&atoms[given..], HAN_PERSONS)
        && let Some(seen) = longest_of(
            &atoms[given + person..],
            &["看", "看看", "看一下", "过目", "用", "参考", "审"],
        )
    {
        return Some(given + person + seen);
    }
    let person = longest_of(atoms, HAN_PERSONS)?;
    let adverb =
        longest_of(&atoms[person..], &["们", "也", "还", "就", "只", "刚", "刚才", "现在"])
            .unwrap_or(0);
    let wants = longest_of(&atoms[person + adverb..], HAN_WANTS)?;
    Some(person + adverb + wants)
}
