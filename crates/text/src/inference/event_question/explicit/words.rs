//! The words of order and time, and those that say nothing beside them.

use super::super::super::numerals::han_ordinal;
use super::super::super::phrases::Rows;
use super::super::atoms::{Atom, ByLetter, begins, has, longest, longest_of};
use super::super::classes::class_at;
use super::super::numbers::{Unit, number, unit};

use super::vocabulary::{ASKING, WORDS, Word};
use super::wishes::wish;
use super::{Became, End, Nth};
use robot_memory_core::api::CountBy;
use std::sync::LazyLock;

/// 没有 at the end, as in 掉过件没有: it only asks.
fn is_or_not(atoms: &[Atom]) -> bool {
    atoms.len() == 2 && longest_of(atoms, &["没有"]).is_some()
}

/// The word that `atoms` begin with.
pub(super) fn word(atoms: &[Atom]) -> Option<(usize, Word)> {
    if is_or_not(atoms) {
        return Some((2, Word::Filler));
    }
    let asking = asked(atoms).map(|count| (count, Word::Filler));
    let words = WORDS.longest(atoms);
    asking.into_iter().chain(words).max_by_key(|(count, _)| *count)
}

/// A way to ask for something that `atoms` begin with: how many of them.
fn asked(atoms: &[Atom]) -> Option<usize> {
    ASKING.longest_of(atoms).max(wish(atoms))
}

/// How many atoms at the begin only ask for something, and say nothing of it: "please", 麻烦帮我查一下.
pub(super) fn asking(atoms: &[Atom]) -> usize {
    let mut at = 0;
    while let Some(count) = asked(&atoms[at..]) {
        at += count;
    }
    at
}

/// Verbs that say that something of a class happened, where no class has them as a word.
pub(super) fn verb(atoms: &[Atom]) -> Option<(usize, &'static str)> {
    #[rustfmt::skip]
    const VERBS: &Rows<&str> = &[
        ("change", &["jump", "jumped", "rolled over", "roll over", "ticked", "ticked over", "advanced", "advance", "advances", "increment", "increments", "stepped", "reached", "incremented",
            "换", "换了", "换过", "换到", "换到了", "换成", "切换成", "变到", "跳到", "跳转到", "跳变", "跳变到", "来到", "到达", "切换为", "变成", "变成了", "变为", "更换"]),
        ("slip", &["掉下", "掉下来", "掉下去", "落下", "掉出来", "slipped out", "slip out", "slipped away", "slipped from", "slip from", "slips from", "dropped from", "drop from", "slip out of", "came loose", "come loose", "let go of"]),
    ];
    // "The counter went to 257".
    #[rustfmt::skip]
    const TO_NUMBER: [&str; 24] = [
        "went", "goes", "go", "moved", "moved on", "went up", "went on", "went over", "got", "turned", "flipped", "clicked", "hit", "came", "turned over",
        "rolled", "rolled on", "counted", "counted up", "skipped", "passed", "stood", "showed", "read",
    ];
    let numbered = longest_of(atoms, &TO_NUMBER).filter(|count| {
        let rest = &atoms[*count..];
        let to = longest_of(
            rest,
            &[
                "to",
                "to cycle",
                "to number",
                "to cycle number",
                "straight to",
                "directly to",
                "on to",
            ],
        );
        let has_to = to.is_some() || atoms[0].is_one_of(&["hit", "turned", "showed", "read"]);
        let rest = &rest[to.unwrap_or(0)..];
        has_to && rest.first().is_some_and(|atom| atom.is_digits())
    });
    longest(atoms, VERBS)
        .into_iter()
        .chain(numbered.map(|count| (count, "change")))
        .max_by_key(|(count, _)| *count)
}

/// What a change made it: "from 128 to 150", "to cycle 36", 成100, 第67周期: how many atoms, and the number.
pub(super) fn became(all: &[Atom], place: usize) -> Option<(usize, Became)> {
    let atoms = all.get(place..)?;
    const FROM: [&str; 3] = ["from", "从", "由"];
    #[rustfmt::skip]
    const TO: [&str; 15] = [
        "to", "into", "over", "the", "cycle", "number", "value", "到", "成", "为", "至", "了", "第", "周期", "循环",
    ];
    const HOURS: [&str; 13] =
        ["am", "pm", "a", "p", "o", "点", "时", "in", "this", "st", "nd", "rd", "th"];
    let is = |at: usize, words: &[&str]| atoms.get(at).is_some_and(|atom| atom.is_one_of(words));
    let whole = |at: usize| {
        let (value, count) = cardinal(atoms.get(at..)?)?;
        let is_whole = value.fract() == 0.0 && value >= 0.0 && !is(at, &VAGUE);
        is_whole.then_some((value as u32, at + count))
    };
    let before = |words: &[&str]| place > 0 && all[place - 1].is_one_of(words);
    let mut at = 0;
    let mut from = old_value(&all[..place]);
    let mut old = None;
    if is(0, &FROM) {
        let named = ["cycle", "number", "value", "周期", "循环", "第"];
        let skipped = longest_of(atoms.get(1..)?, &named).unwrap_or(0);
        old = Some(whole(1 + skipped)?);
    } else if before(&FROM) {
        old = Some(whole(0)?);
    }
    if let Some((value, end)) = old {
        (from, at) = (Some(value), end);
    }
    let mut is_said = before(&[
        "到", "成", "为", "至", "了", "into", "reached", "to", "hit", "turned", "showed", "read",
    ]);
    while let Some(count) = longest_of(atoms.get(at..)?, &TO) {
        is_said = true;
        at += count;
    }
    let (to, mut end) = whole(at)?;
    let is_value = is_said || atoms[at].is_han();
    // 换了三次 counts them, and "from 2 to 3 pm" is a time.
    let is_cycle = longest_of(&atoms[end..], &["个周期", "个循环"]).is_some();
    let is_beside =
        atoms.get(end).is_some_and(|next| atoms[end - 1].place.end + 1 >= next.place.start);
    let is_other = is(end, &["次", "回", "下", "个", "条", "times"]) && !is_cycle
        || is_beside && is(end, &HOURS);
    let is_length = !is(end, &["周"]) && unit(&atoms[end..]).is_some();
    if !is_value || is_other || is_length {
        return None;
    }
    while let Some(count) = longest_of(&atoms[end..], &["号", "周期", "循环", "个周期", "个循环"])
    {
        end += count;
    }
    Some((end, Became { from, to }))
}

/// 128 of 从128变, behind which the new value stands.
fn old_value(before: &[Atom]) -> Option<u32> {
    const CHANGED: [&str; 10] = ["变", "到", "成", "为", "跳", "换", "切", "至", "了", "回"];
    let at = before.iter().rposition(|atom| atom.is_one_of(&["从", "由"]))?;
    let (value, count) = cardinal(&before[at + 1..])?;
    let is_whole = value.fract() == 0.0 && value >= 0.0;
    let is_beside = before[at + 1 + count..].iter().all(|atom| atom.is_one_of(&CHANGED));
    (is_whole && is_beside).then_some(value as u32)
}

/// 从128, before 跳到150: how many atoms.
pub(super) fn was(atoms: &[Atom]) -> Option<usize> {
    let (_, count) = cardinal(atoms.get(1..)?).filter(|_| !atoms[1].is_one_of(&VAGUE))?;
    let at_once = ["直接", "一下", "一下子", "突然", "忽然", "straight", "directly"];
    let skipped = longest_of(&atoms[1 + count..], &at_once).unwrap_or(0);
    let rest = &atoms[1 + count + skipped..];
    let class = verb(rest).map(|(_, class)| class).or_else(|| class_at(rest)?.1);
    (atoms[0].is_one_of(&["从", "由"]) && class == Some("change")).then_some(1 + count)
}

/// The name of what changed, within such words.
pub(super) fn named_in(atoms: &[Atom]) -> &'static str {
    const NAMES: [&str; 3] = ["cycle", "周期", "循环"];
    let has = |name: &&&str| (0..atoms.len()).any(|at| begins(&atoms[at..], name).is_some());
    NAMES.iter().find(has).copied().unwrap_or_default()
}

/// "The last", before a length of time beside an event: how many atoms.
pub(super) fn stretch_beside(atoms: &[Atom], is_side: impl Fn(Word) -> bool) -> Option<usize> {
    #[rustfmt::skip]
    const BEGINS: [&str; 18] = [
        "in the last", "in the final", "the last", "the final", "last", "final", "the first", "first", "in the first", "from the first", "of the first",
        "for the first", "over the first", "during the first", "within the first", "from the last", "over the last", "during the last",
    ];
    let begun = longest_of(atoms, &BEGINS)?;
    let (count, _) = length(&atoms[begun..])?;
    word(&atoms[begun + count..]).filter(|(_, word)| is_side(*word)).map(|_| begun)
}

/// "How were they distributed".
fn spreads(atoms: &[Atom]) -> bool {
    atoms.iter().any(|atom| atom.is_one_of(&["distributed", "spread"]))
        || has(atoms, &["break down", "split up", "split"])
}

/// "Up to": how many atoms.
pub(super) fn up_to(atoms: &[Atom]) -> Option<usize> {
    longest_of(atoms, &["up to", "up to the"])
}

/// 头 in 头十分钟: how many atoms.
pub(super) fn begun(atoms: &[Atom]) -> Option<usize> {
    let begun = longest_of(atoms, &["头", "前", "最初", "最初的", "最后", "最后的"])?;
    length(&atoms[begun..]).map(|_| begun)
}

/// Words that tell to group, where it is said by what: "break them down by hour".
pub(super) fn grouping(atoms: &[Atom], at: usize) -> Option<usize> {
    #[rustfmt::skip]
    const WORDS: [&str; 15] = [
        "breakdown of", "breakdown",
        "break", "down", "split", "split up", "group", "bucket", "divide", "distributed", "spread", "spread out",
        "broken", "break it", "sorted",
    ];
    let is_grouped = atoms.iter().any(|atom| {
        atom.is_one_of(&["by", "per", "each", "every", "over", "across", "hourly", "daily"])
    });
    let is_asked = atoms.get(at + 1).is_some_and(|next| next.is_one_of(&["many", "often"]));
    let is_how = !is_asked && atoms[at].is_one_of(&["how"]) && spreads(atoms);
    let count = longest_of(&atoms[at..], &WORDS).or(is_how.then_some(1));
    count.filter(|_| is_grouped)
}

/// Whether a robot tripped, and made no trip.
pub(super) fn is_tripped(atoms: &[Atom], at: usize) -> bool {
    const SUBJECTS: [&str; 7] = ["robot", "it", "cobot", "we", "machine", "system", "arm"];
    let is_asked = || {
        atoms[..at].iter().any(|atom| atom.is_one_of(&["did"]))
            && at.checked_sub(1).is_some_and(|at| atoms[at].is_one_of(&SUBJECTS))
    };
    atoms[at].is_one_of(&["tripped"]) || atoms[at].is_one_of(&["trip"]) && is_asked()
}

/// 当天, 当日.
pub(super) fn same_day(atoms: &[Atom]) -> bool {
    longest_of(atoms, &["当天", "当日"]).is_some()
}

/// "each day", 每天: how many atoms, and of what.
pub(super) fn per(atoms: &[Atom]) -> Option<(usize, CountBy)> {
    #[rustfmt::skip]
    const HAN: &Rows<CountBy> = &[
        (CountBy::Day, &["每天", "每日", "每一天", "各天", "按天", "按日", "逐日", "逐天", "分天", "每一日", "daily", "day by day",
            "on a daily basis"]),
        (CountBy::Hour, &["one line an hour", "one row an hour", "one for each hour", "每小时", "每个小时", "按小时", "每一小时", "每个钟头", "各小时", "各个小时", "逐小时", "逐个小时", "每一个小时",
            "分小时", "按钟头", "每钟头", "按小时分", "按小时分布", "按小时分组", "按小时分开", "按小时算", "按每小时", "按每个小时", "按钟点", "按时段", "每一小时内", "逐时", "hourly", "hour by hour", "an hour by hour", "on an hourly basis"]),
        (CountBy::Topic, &["每个话题", "每个话题上", "各话题", "各个话题", "按话题", "每一个话题", "每个主题", "各主题"]),
        (CountBy::Session, &["每个会话", "每次会话", "每一次会话", "按会话", "各会话", "每会话", "各个会话", "每一个会话"]),
    ];
    const UNITS: &Rows<CountBy> = &[
        (CountBy::Day, &["day", "days", "single day", "calendar day", "of the days"]),
        (
            CountBy::Hour,
            &[
                "hour",
                "hours",
                "single hour",
                "clock hour",
                "full hour",
                "of the hours",
                "of those hours",
                "of these hours",
                "one of those hours",
                "one of these hours",
                "the hour",
                "the hours",
            ],
        ),
        (CountBy::Session, &["session", "sessions", "single session", "of the sessions"]),
        (CountBy::Topic, &["topic", "topics", "ros topic", "single topic", "of the topics"]),
    ];
    const EACH: [&str; 9] =
        ["each", "every", "per", "by", "for each", "for every", "in each", "over", "across"];
    longest(atoms, HAN).or_else(|| {
        let begun = longest_of(atoms, &EACH)?;
        let (count, by) = longest(&atoms[begun..], UNITS)?;
        // "By the hour", but "over the hour" is a time.
        let is_of_all = !atoms[begun - 1].is_one_of(&["over", "across"])
            || atoms[begun + count - 1].text.ends_with('s');
        if !is_of_all {
            return None;
        }
        Some((begun + count, by))
    })
}

/// "the second to last", 第三次: how many atoms, and which.
pub(super) fn nth(atoms: &[Atom]) -> Option<(usize, Nth)> {
    #[rustfmt::skip]
    const ENDS_OF: &Rows<(End, u32)> = &[
        ((End::First, 1), &["first", "earliest", "first ever", "最先一次", "最初一次", "最开始的", "首起", "头次", "oldest", "very first", "首次", "头一次", "头一回", "最早", "最早的", "最初的",
            "最早一次", "最早的一次", "最老的一条", "最老的一次", "最旧的一条", "最早那次", "最早那条", "最早那个", "最早的那次", "最早的那条", "最先那次", "头一条", "最先的", "头一个", "首个", "最先发生的",
            "最早发生的"]),
        ((End::Last, 1), &["last", "latest", "final", "very latest", "most recently", "最后的一次", "最后那一次", "最后一起", "最后一件", "末次", "最近那一次",
            "最近的那次", "最近一条", "最新一条", "最新的一条", "最近的一条", "最后的一条", "最末的", "最近一起", "最晚的", "最晚一次", "最晚的一次", "most recent", "newest", "very last", "最后一次", "最后一个", "最后一回", "最后一条", "最后那次", "最后的",
            "上次", "上一次", "上一个", "上回", "上一回", "最近一次", "最近一个", "最近的一个", "最近的一次", "最近那次", "最近一回", "最新的", "最新一次", "最新那条", "最新那次", "最新那个", "最新的那条", "最新的那次", "最后那条", "最后那个", "最近那条", "最近那个", "最后的那次",
            "最新的一次", "前一次", "最末一次", "最后发生的"]),
        ((End::Last, 2), &["next to last", "next to the last", "last but one", "penultimate", "one before the last", "one before last", "one but last", "上上次", "上上一次", "上上回"]),
        ((End::Last, 3), &["last but two", "antepenultimate"]),
    ];
    static ENDS: LazyLock<ByLetter<(End, u32)>> = LazyLock::new(|| ByLetter::of(ENDS_OF));
    const ADVERBS: &Rows<End> =
        &[(End::First, &["先", "首先", "最先", "最早"]), (End::Last, &["最后"])];
    // 最后做了什么.
    let is_adverb = |rest: &[Atom]| {
        let is_happened = word(rest).is_some_and(|(_, word)| word == Word::Happened);
        // 最后动的一次.
        let class = class_at(rest).map(|(count, _)| count);
        let is_of = |count: usize| longest_of(&rest[count..], &["的一次", "的那次", "的那一次"]);
        is_happened || class.is_some_and(|count| is_of(count).is_some())
    };
    let adverb = longest(atoms, ADVERBS).filter(|(count, _)| is_adverb(&atoms[*count..]));
    if let Some((count, end)) = adverb {
        return Some((count, Nth { end, nth: 1 }));
    }
    let fixed = ENDS.longest(atoms).map(|(count, (end, nth))| (count, Nth { end, nth }));
    let counted = english_nth(atoms).or_else(|| han_nth(atoms));
    if atoms.len() > 3 && begins(atoms, "for the").is_some() {
        // "For the first time".
        let (count, nth) = self::nth(&atoms[2..])?;
        let is_time = atoms.get(2 + count).is_some_and(|atom| atom.text == "time");
        return is_time.then_some((count + 3, nth));
    }
    counted.into_iter().chain(fixed).max_by_key(|(count, _)| *count)
}

/// 最近开始的一次: how many atoms, and which.
pub(super) fn done_last(atoms: &[Atom]) -> Option<(usize, Nth)> {
    const ENDS: &Rows<End> =
        &[(End::First, &["最先", "最早", "最初"]), (End::Last, &["最近", "最后"])];
    const DONE: [&str; 16] = [
        "开始",
        "发生",
        "出现",
        "做",
        "记录",
        "记下",
        "启动",
        "触发",
        "动",
        "来",
        "进行",
        "执行",
        "开始做",
        "收到",
        "写下",
        "记",
    ];
    #[rustfmt::skip]
    const ONE: [&str; 16] = [
        "的一次", "的那次", "的一个", "的那个", "的一条", "的那条", "的一件", "的那件", "的一回", "的那回", "的那一次", "的那一个", "的那一条", "的一段", "的那段", "的",
    ];
    let (begun, end) = longest(atoms, ENDS)?;
    let done = longest_of(&atoms[begun..], &DONE)?;
    let one = longest_of(&atoms[begun + done..], &ONE)?;
    Some((begun + done + one, Nth { end, nth: 1 }))
}

/// "third", "3rd", "third to last".
fn english_nth(atoms: &[Atom]) -> Option<(usize, Nth)> {
    #[rustfmt::skip]
    const ORDINALS: [&str; 20] = [
        "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
        "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth",
        "twentieth",
    ];
    const TENTHS: [&str; 8] = [
        "thirtieth",
        "fortieth",
        "fiftieth",
        "sixtieth",
        "seventieth",
        "eightieth",
        "ninetieth",
        "hundredth",
    ];
    let first = atoms.first()?;
    if first.is_one_of(&["number"]) {
        // "Grip loss number three".
        let (value, count) = cardinal(&atoms[1..])?;
        let is_whole = value.fract() == 0.0 && (1.0..=1_000.0).contains(&value);
        let is_sure = !atoms[1].is_one_of(&VAGUE);
        return (is_whole && is_sure)
            .then_some((1 + count, Nth { end: End::First, nth: value as u32 }));
    }
    let ten = TENTHS.iter().position(|word| *word == first.text).map(|at| 29 + 10 * at);
    let said = ORDINALS.iter().position(|word| *word == first.text).or(ten);
    let after_tens = tens(&first.text).zip(atoms.get(1)).and_then(|(tens, ones)| {
        let ones = ORDINALS[..9].iter().position(|word| *word == ones.text)?;
        Some(tens + u32::try_from(ones + 1).ok()?)
    });
    let (nth, count) = match said {
        Some(place) => (u32::try_from(place + 1).ok()?, 1),
        None if after_tens.is_some() => (after_tens?, 2),
        None => {
            let digits = first.text.parse().ok().filter(|nth| *nth > 0)?;
            let ends = ["st", "nd", "rd", "th"];
            atoms.get(1).filter(|end| end.is_one_of(&ends)).map(|_| (digits, 2))?
        }
    };
    let from_end =
        ["to last", "to the last", "last", "from last", "most recent", "latest", "from the end"];
    Some(match longest_of(&atoms[count..], &from_end) {
        Some(_) if nth == 1 => return None,
        Some(more) => (count + more, Nth { end: End::Last, nth }),
        None => (count, Nth { end: End::First, nth }),
    })
}

/// 第三次, 倒数第二次.
fn han_nth(atoms: &[Atom]) -> Option<(usize, Nth)> {
    let begun = longest_of(atoms, &["第", "倒数第"])?;
    let end = if begun > 1 { End::Last } else { End::First };
    let (value, count) = cardinal(&atoms[begun..])?;
    let is_whole = value.fract() == 0.0 && (1.0..=1_000.0).contains(&value);
    // 第三四次: the third or the fourth.
    const ONES: [&str; 9] = ["一", "二", "三", "四", "五", "六", "七", "八", "九"];
    let is_either = count == 2 && atoms[begun..begun + 2].iter().all(|atom| atom.is_one_of(&ONES));
    let is_number = is_whole && !atoms[begun].is_one_of(&["几"]) && !is_either;
    // 第二天 is a day.
    let more = longest_of(
        &atoms[begun + count..],
        &["次", "个", "回", "起", "场", "条", "遍", "下", "例", "趟", "件", "位", "段", "笔"],
    )?;
    is_number.then_some((begun + count + more, Nth { end, nth: value as u32 }))
}

/// "the last three", 最近三次: how many atoms, from which end, how many of them.
pub(super) fn several(atoms: &[Atom]) -> Option<(usize, End, u32)> {
    #[rustfmt::skip]
    const ENDS: &Rows<End> = &[
        (End::First, &["first", "earliest", "oldest", "very first", "前", "头", "开头", "开头的", "最开头的", "最前面的", "最早的", "最早", "最老的", "最老", "最旧的", "最旧", "最初", "最初的", "最先", "最先的", "开头", "最先发生的", "最早发生的", "最先出现的", "最早出现的"]),
        (End::Last, &["last", "latest", "most recent", "newest", "final", "very last", "最近", "最近的", "最后", "最后的", "最新的", "最新",
            "倒数", "末尾", "最末", "最近发生的", "最后发生的", "最近出现的", "最后出现的", "最晚", "最晚的"]),
    ];
    let Some((begun, end)) = longest(atoms, ENDS) else {
        // "The five most recent ones".
        let (count, many) = how_many(atoms).filter(|_| !atoms[0].is_han())?;
        let (more, end) = longest(&atoms[count..], ENDS)?;
        // "Twenty-first" is no number of firsts.
        if atoms[count].is_one_of(&["first"]) {
            return None;
        }
        return Some((count + more, end, many));
    };
    let is_han = atoms[0].is_han();
    // 开头那五次.
    let begun = begun
        + usize::from(is_han && atoms.get(begun).is_some_and(|atom| atom.is_one_of(&["那", "这"])));
    // 最先记录的五件事.
    let done = longest_of(&atoms[begun..], &["记录", "记下", "发生", "出现", "触发", "记"]);
    let done = done.filter(|_| is_han).unwrap_or(0);
    let joined =
        usize::from(atoms.get(begun + done).is_some_and(|atom| done > 0 && atom.text == "的"));
    let begun = begun + done + joined;
    let (count, many) = how_many(&atoms[begun..])?;
    let more = longest_of(
        &atoms[begun + count..],
        &["次", "个", "回", "起", "条", "件", "下", "段", "笔"],
    );
    if is_han && more.is_none() {
        return None;
    }
    Some((begun + count + more.unwrap_or(0), end, many))
}

/// A number of events, two at least.
pub(super) fn how_many(atoms: &[Atom]) -> Option<(usize, u32)> {
    let (value, count) = cardinal(atoms)?;
    let is_count = value.fract() == 0.0 && (2.0..=100.0).contains(&value);
    let is_sure = !atoms[..count].iter().any(|atom| atom.is_one_of(&VAGUE));
    (is_count && is_sure && unit(&atoms[count..]).is_none()).then_some((count, value as u32))
}

/// Numbers that leave open how many.
const VAGUE: [&str; 6] = ["few", "several", "couple", "几", "a", "an"];
#[rustfmt::skip]
const FRACTIONS: &Rows<f64> = &[
    (30.0, &["half minute", "half a minute"]),
    (1_800.0, &["half hour", "half an hour", "半小时", "半个小时", "半个钟头"]),
    (900.0, &["quarter of an hour", "quarter of the hour", "quarter hour", "a quarter of an hour", "a quarter hour", "一刻钟"]),
    (2_700.0, &["three quarters of an hour", "three quarter hour", "三刻钟"]),
    (5_400.0, &["hour and a half", "an hour and a half", "one and a half hours", "one hour and a half", "一个半小时", "一个半钟头"]),
    (90.0, &["a minute and a half", "minute and a half", "one and a half minutes", "一分半钟", "一分半"]),
];
/// They may stand behind a length of time: "the five minute window".
const STRETCHES: [&str; 5] = ["window", "span", "period", "stretch", "interval"];

/// 两三, 二三十, 几十: two digits of which either may be meant, or none.
fn is_about(atoms: &[Atom]) -> bool {
    const DIGITS: &[&str] =
        &["一", "二", "两", "三", "四", "五", "六", "七", "八", "九", "几", "数"];
    let is_digit = |atom: &Atom| atom.is_one_of(DIGITS);
    let [one, other, ..] = atoms else { return false };
    let is_joined = one.place.end == other.place.start && is_digit(one);
    let is_open = one.is_one_of(&["几", "数"]) && other.is_one_of(&["十", "百", "千"]);
    // 一五零 is said digit by digit.
    let is_spelled = atoms.get(2).is_some_and(|next| {
        next.place.start == other.place.end && (is_digit(next) || next.is_one_of(&["零", "〇"]))
    });
    is_joined && (is_open || is_digit(other) && !is_spelled)
}

/// "forty-five", 一百零三: a number, and how many atoms say it.
pub(super) fn cardinal(atoms: &[Atom]) -> Option<(f64, usize)> {
    #[rustfmt::skip]
    const TEENS: [&str; 7] =
        ["thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"];
    // 两三次, 七八秒: about so many.
    if is_about(atoms) {
        return None;
    }
    // 三、四 are two.
    let is_apart = |at: usize| at > 0 && atoms[at - 1].place.end != atoms[at].place.start;
    let is_numeral = |at: &usize| atoms[*at].is_han() && !is_apart(*at);
    let numerals: String =
        (0..atoms.len().min(8)).take_while(is_numeral).map(|at| &*atoms[at].text).collect();
    if let Some((value, len)) = han_ordinal(&numerals)
        && len > '一'.len_utf8()
    {
        return Some((value as f64, numerals[..len].chars().count()));
    }
    let first = &atoms.first()?.text;
    if let Some(teen) = TEENS.iter().position(|word| word == first) {
        return Some((teen as f64 + 13.0, 1));
    }
    let Some(tens) = tens(first) else { return number(atoms) };
    let ones = atoms.get(1).filter(|atom| !atom.text.starts_with(char::is_numeric));
    let ones =
        ones.and_then(|_| number(&atoms[1..2]).filter(|(ones, _)| (1.0..10.0).contains(ones)));
    let ones = ones.filter(|_| !atoms[1].is_one_of(&["a", "an", "few", "several"]));
    Some((f64::from(tens) + ones.map_or(0.0, |(ones, _)| ones), 1 + usize::from(ones.is_some())))
}

fn tens(word: &str) -> Option<u32> {
    const TENS: [&str; 8] =
        ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
    TENS.iter().position(|tens| *tens == word).and_then(|at| u32::try_from(20 + 10 * at).ok())
}

/// "ten minutes", "a minute and thirty seconds": how many atoms, and seconds.
pub(super) fn length(atoms: &[Atom]) -> Option<(usize, f64)> {
    let stretch = |at: usize| usize::from(atoms.get(at).is_some_and(|a| a.is_one_of(&STRETCHES)));
    if let Some((count, secs)) = longest(atoms, FRACTIONS) {
        return Some((count + stretch(count), secs));
    }
    let (mut end, mut secs, mut of) = one_part(atoms)?;
    let joined =
        |at: usize| usize::from(atoms.get(at).is_some_and(|atom| atom.is_one_of(&["and", "零"])));
    while let Some((more, added, smaller)) = one_part(&atoms[end + joined(end)..])
        && smaller < of
    {
        (end, secs, of) = (end + joined(end) + more, secs + added, smaller);
    }
    Some((end + stretch(end), secs))
}

/// A number of one unit: how many atoms, seconds, and those of the unit.
fn one_part(atoms: &[Atom]) -> Option<(usize, f64, f64)> {
    let (value, count) = cardinal(atoms)?;
    if atoms[..count].iter().any(|atom| atom.is_one_of(&["few", "several", "couple", "几"])) {
        return None;
    }
    // "Three and a half hours", 三个半小时.
    let half = longest_of(&atoms[count..], &["and a half", "个半"]);
    let (value, count) = half.map_or((value, count), |half| (value + 0.5, count + half));
    let (of, more) = unit(&atoms[count..])?;
    let is_exact = !matches!(of, Unit::Month | Unit::Year) && value > 0.0;
    is_exact.then(|| (count + more, of.secs() * value, of.secs()))
}

/// "The minute": how many atoms, and seconds.
pub(super) fn one_length(atoms: &[Atom], at: usize) -> Option<(usize, f64)> {
    let (of, count) = unit(&atoms[at..])?;
    let is_whole = matches!(atoms[at].text.as_str(), "minute" | "hour");
    let has_article = at > 0 && atoms[at - 1].text == "the";
    (is_whole && has_article).then(|| (count, of.secs()))
}

/// Whether what stands before an English length of time makes it a stretch: "in the ten minutes before", but
/// not "ten minutes before".
pub(super) fn is_stretch(atoms: &[Atom], at: usize) -> bool {
    let before = &atoms[..at];
    // "Grip losses, half an hour before 15:00": no question of a moment.
    let asks = ["what", "which", "how", "when", "did", "was", "were", "has", "have"];
    let is_question = before.iter().any(|atom| atom.is_one_of(&asks));
    let is_cut = before.last().is_some_and(|last| last.place.end + 1 < atoms[at].place.start);
    if is_cut && !is_question {
        return true;
    }
    let opens = [
        "first", "in", "within", "during", "over", "the", "last", "final", "than", "most", "full",
        "whole",
    ];
    before.last().is_some_and(|atom| atom.is_one_of(&opens))
        || before.len() > 1 && begins(&before[before.len() - 2..], "up to").is_some()
}
