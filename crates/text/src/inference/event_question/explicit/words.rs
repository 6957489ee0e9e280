//! The words of order and time, and those that say nothing beside them.

use super::super::super::numerals::han_ordinal;
use super::super::super::phrases::Rows;
use super::super::atoms::{Atom, begins, longest, longest_of};
use super::super::numbers::{Unit, number, unit};
use super::{End, Nth};
use robot_memory_core::api::CountBy;

/// What a word or phrase means to the order of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    /// Says nothing.
    Filler,
    /// What happened: of whatever kind.
    Happened,
    /// An event, of whatever kind.
    Event,
    /// How many.
    Count,
    Before,
    After,
    Since,
    Around,
    Between,
    And,
    From,
    To,
    /// Right beside it: "just before".
    Just,
    /// Before a time: "during the last hour".
    During,
    /// The same after it: 昨天下午里.
    Inside,
    Oldest,
    Newest,
    /// The first after an event, and the last before it.
    Next,
    Previous,
    /// Up to an event or a time.
    Until,
}

#[rustfmt::skip]
const WORDS: &Rows<Word> = &[
    (Word::Filler, &["what", "whats", "which", "when", "was", "were", "is", "are", "did", "has", "have", "had", "been",
        "be", "the", "there", "of", "us", "me", "it", "its", "robot", "robots", "s", "show", "list", "tell", "give",
        "find", "please", "can you", "could you", "you", "we", "our", "see", "in", "on", "at",
        "that", "this", "ever", "so far", "already", "exactly", "actually", "time", "times", "what time", "very", "up to",
        "all", "any", "a", "an", "one", "itself", "do we have", "we have", "triggered",
        "activated", "tripped", "went off", "go off", "start", "started", "begin", "began", "overall", "come up", "came up", "come", "lie", "lies",
        "lay", "display", "fetch", "name", "onwards", "onward", "something", "broken down", "break down", "grouped", "to date", "trip",
        "的", "了", "过", "吗", "呢", "啊", "呀", "是", "在", "什么时候", "何时", "几点", "哪一刻", "时间", "机器人",
        "有", "有没有", "请", "请问", "告诉我", "告诉", "给我", "列出", "显示", "查", "查一下", "查询", "一下", "都",
        "到的", "那次", "那一次", "这", "那", "曾", "曾经", "究竟", "到底", "全部", "所有", "次", "一次",
        "回", "个", "起", "为止", "到目前为止", "目前为止", "哪些", "哪个", "哪次", "哪一次", "哪一条", "哪条", "哪几次", "哪几条", "哪", "条", "那条",
        "那一条", "那几次", "列一下", "列出来", "列", "给出", "看看", "看一下", "查看", "找出", "找一下", "找", "说一下", "说说", "都有",
        "分别", "各有", "各", "具体", "开始", "激活", "又是",
        "于", "其", "它", "也","共有"]),
    (Word::Happened, &["happen", "happened", "occur", "occurred", "took place", "take place", "went on", "going on",
        "do", "doing", "everything", "anything", "recorded", "happening", "came", "logged",
        "registered", "seen", "detected", "noted", "reported",
        "什么", "什么事", "什么事情", "什么情况", "发生", "发生什么", "发生了什么", "出现", "出了什么事", "做", "做了什么", "在做什么",
        "干了什么", "干", "经历", "情况", "事情", "有什么", "触发", "被触发"]),
    (Word::Event, &["event", "events", "thing", "things", "record", "records", "entry", "entries", "row", "rows", "事件", "事",
        "记录", "条目"]),
    (Word::Count, &["how often", "how many times", "how many", "number of", "count of", "count", "counts of", "counts", "total", "tally", "in total", "altogether",
        "total number of", "几次", "多少次", "几回", "多少回", "几个", "多少个", "多少", "次数", "一共", "总共", "共", "合计", "总数",
        "总计", "总次数", "数一下", "统计", "数量", "分布", "一共几次", "总共几次"]),
    (Word::During, &["during", "within", "over", "less than", "at most"]),
    (Word::Inside, &["内", "里", "期间", "中", "当中", "之内", "以内", "之中"]),
    (Word::Oldest, &["oldest first", "earliest first", "in order", "in order of time", "chronologically",
        "in chronological order", "按时间顺序", "按先后顺序", "从早到晚"]),
    (Word::Newest, &["newest first", "latest first", "most recent first", "从晚到早", "按时间倒序"]),
    (Word::Before, &["before", "prior to", "leading up to", "ahead of", "preceding", "preceded", "earlier than", "之前", "以前",
        "前", "前面"]),
    (Word::After, &["after", "next after", "following", "followed", "later than", "之后", "以后", "后", "过后", "后面"]),
    (Word::Since, &["since", "以来", "到现在", "至今", "以来到现在"]),
    (Word::Around, &["around", "前后"]),
    (Word::Between, &["between", "fell between", "fall between", "之间"]),
    (Word::And, &["and", "和", "与", "跟"]),
    (Word::From, &["from", "从", "自", "自从", "打从"]),
    (Word::To, &["to", "到", "至"]),
    (Word::Until, &["until", "till"]),
    (Word::Next, &["next", "下一次", "下一个", "下次", "下一条"]),
    (Word::Previous, &["previous"]),
    (Word::Just, &["just", "right", "immediately", "directly", "shortly", "straight", "instantly", "就", "紧接着", "紧挨着", "紧接", "刚", "刚刚", "刚好",
        "马上", "立即", "立刻", "随即", "紧", "紧跟着", "紧跟", "紧接在", "紧随", "随后", "一刻", "紧邻"]),
];

/// Words with which a text asks or says something else: it is not read.
#[rustfmt::skip]
const ELSE: &[&str] = &[
    "not", "no", "never", "without", "none", "nothing", "neither", "nor", "except", "but", "if", "unless", "because",
    "while", "or", "should", "must", "could", "would", "might", "will", "shall", "why", "how long", "t", "until then", "other",
    "another", "followed by", "preceded by", "every time", "each time", "whenever", "few", "several", "recently", "lately", "always", "usually", "happens", "does", "may", "can", "how", "where", "i", "my", "mine", "your", "he", "she", "they", "his", "her", "him",
    "them", "their", "who", "whom", "whose",
    "不", "没", "无", "未", "非", "除", "如果", "若", "假如", "要是", "或", "还是", "应该", "必须", "请勿", "别", "为什么", "为何",
    "多久", "怎么", "如何", "需要", "我", "能", "要", "会", "每次", "每当", "一旦", "第一时间", "另", "其他", "其它", "谁", "你", "他", "她", "他们", "我们", "时", "当",
];
/// Ways to ask in which one of those stands.
const NOT_ELSE: &[&str] = &[
    "有没有",
    "会话",
    "每次会话",
    "could you",
    "can you",
    "告诉我",
    "给我",
    "什么时候",
    "何时",
    "时间",
    "小时",
    "how often",
    "how many",
];

/// Whether it says something that no words of order and time say.
pub(super) fn says_else(atoms: &[Atom]) -> bool {
    let mut at = 0;
    while at < atoms.len() {
        let kept = longest_of(&atoms[at..], NOT_ELSE);
        if kept.is_none() && longest_of(&atoms[at..], ELSE).is_some() {
            return true;
        }
        at += kept.unwrap_or(1);
    }
    false
}

/// The word that `atoms` begin with.
pub(super) fn word(atoms: &[Atom]) -> Option<(usize, Word)> {
    longest(atoms, WORDS)
}

/// "each day", 每天: how many atoms, and of what.
pub(super) fn per(atoms: &[Atom]) -> Option<(usize, CountBy)> {
    #[rustfmt::skip]
    const HAN: &Rows<CountBy> = &[
        (CountBy::Day, &["每天", "每日", "每一天", "各天", "按天", "按日", "逐日", "daily", "day by day"]),
        (CountBy::Hour, &["每小时", "每个小时", "按小时", "每一小时", "每个钟头", "各小时", "各个小时", "逐小时",
            "hourly", "hour by hour"]),
        (CountBy::Session, &["每个会话", "每次会话", "每一次会话", "按会话", "各会话", "每会话"]),
    ];
    const UNITS: &Rows<CountBy> = &[
        (CountBy::Day, &["day", "days", "single day"]),
        (CountBy::Hour, &["hour", "hours", "single hour"]),
        (CountBy::Session, &["session", "sessions"]),
    ];
    longest(atoms, HAN).or_else(|| {
        let begun = longest_of(atoms, &["each", "every", "per", "by", "for each", "for every"])?;
        let (count, by) = longest(&atoms[begun..], UNITS)?;
        Some((begun + count, by))
    })
}

/// "the second to last", 第三次: how many atoms, and which.
pub(super) fn nth(atoms: &[Atom]) -> Option<(usize, Nth)> {
    #[rustfmt::skip]
    const ENDS: &Rows<(End, u32)> = &[
        ((End::First, 1), &["first", "earliest", "oldest", "very first", "首次", "头一次", "头一回", "最早", "最早的", "最初的",
            "最早一次", "最早的一次", "最先的", "头一个", "首个", "最先发生的",
            "最早发生的"]),
        ((End::Last, 1), &["last", "latest", "most recent", "newest", "very last", "最后一次", "最后一个", "最后一回", "最后一条", "最后那次", "最后的",
            "上次", "上一次", "上一个", "上回", "上一回", "最近一次", "最近一个", "最近的一次", "最近那次", "最近一回", "最新的", "最新一次",
            "最新的一次", "前一次", "最末一次", "最后发生的"]),
        ((End::Last, 2), &["next to last", "last but one", "penultimate", "上上次", "上上一次", "上上回"]),
        ((End::Last, 3), &["last but two", "antepenultimate"]),
    ];
    let fixed = longest(atoms, ENDS).map(|(count, (end, nth))| (count, Nth { end, nth }));
    let counted = english_nth(atoms).or_else(|| han_nth(atoms));
    if atoms.len() > 3 && begins(atoms, "for the").is_some() {
        // "For the first time".
        let (count, nth) = self::nth(&atoms[2..])?;
        let is_time = atoms.get(2 + count).is_some_and(|atom| atom.text == "time");
        return is_time.then_some((count + 3, nth));
    }
    counted.into_iter().chain(fixed).max_by_key(|(count, _)| *count)
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
    let is_number = is_whole && !atoms[begun].is_one_of(&["几"]) && !atoms[begun].text.is_empty();
    // 第二天 is a day.
    let more = longest_of(&atoms[begun + count..], &["次", "个", "回", "起", "场", "条", "遍"])?;
    is_number.then_some((begun + count + more, Nth { end, nth: value as u32 }))
}

/// "the last three", 最近三次: how many atoms, from which end, how many of them.
pub(super) fn several(atoms: &[Atom]) -> Option<(usize, End, u32)> {
    #[rustfmt::skip]
    const ENDS: &Rows<End> = &[
        (End::First, &["first", "earliest", "oldest", "前", "头", "最早的", "最早", "最初", "最初的"]),
        (End::Last, &["last", "latest", "most recent", "newest", "最近", "最近的", "最后", "最后的", "最新的"]),
    ];
    let (begun, end) = longest(atoms, ENDS)?;
    let (count, many) = how_many(&atoms[begun..])?;
    let is_han = atoms[0].is_han();
    let more = longest_of(&atoms[begun + count..], &["次", "个", "回", "起"]);
    if is_han && more.is_none() {
        return None;
    }
    Some((begun + count + more.unwrap_or(0), end, many))
}

/// A number of events, two at least.
pub(super) fn how_many(atoms: &[Atom]) -> Option<(usize, u32)> {
    let (value, count) = cardinal(atoms)?;
    let is_vague = ["few", "several", "couple", "几", "a", "an"];
    let is_count = value.fract() == 0.0 && (2.0..=100.0).contains(&value);
    let is_sure = !atoms[..count].iter().any(|atom| atom.is_one_of(&is_vague));
    (is_count && is_sure && unit(&atoms[count..]).is_none()).then_some((count, value as u32))
}

const FRACTIONS: &Rows<f64> = &[
    (1_800.0, &["half hour", "half an hour"]),
    (900.0, &["quarter of an hour", "quarter hour", "一刻钟"]),
];

/// "forty-five", 一百零三: a number, and how many atoms say it.
fn cardinal(atoms: &[Atom]) -> Option<(f64, usize)> {
    #[rustfmt::skip]
    const TEENS: [&str; 7] =
        ["thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"];
    let numerals: String =
        atoms.iter().take(8).take_while(|atom| atom.is_han()).map(|atom| &*atom.text).collect();
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

/// "ten minutes": how many atoms, and seconds.
pub(super) fn length(atoms: &[Atom]) -> Option<(usize, f64)> {
    if let Some((count, secs)) = longest(atoms, FRACTIONS) {
        return Some((count, secs));
    }
    let (value, count) = cardinal(atoms)?;
    let is_vague = ["few", "several", "couple", "几"];
    if atoms[..count].iter().any(|atom| atom.is_one_of(&is_vague)) {
        return None;
    }
    let (of, more) = unit(&atoms[count..])?;
    let is_exact = !matches!(of, Unit::Month | Unit::Year) && value > 0.0;
    is_exact.then(|| (count + more, of.secs() * value))
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
pub(super) fn is_stretch(before: &[Atom]) -> bool {
    let opens = ["in", "within", "during", "over", "the", "last", "final", "than", "most"];
    before.last().is_some_and(|atom| atom.is_one_of(&opens))
        || before.len() > 1 && begins(&before[before.len() - 2..], "up to").is_some()
}
