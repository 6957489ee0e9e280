//! What is asked beyond events in order of time: how long something took, where it was, how it compares, whether all were so.
//! Such a question is not read.

use super::super::atoms::{Atom, ByLetter, ends, has, longest_of, stands_outside};
use super::{excepting, harmless, idioms, subjects, words};
use std::sync::LazyLock;

#[rustfmt::skip]
const BEYOND_OF: &[&str] = &[
    // How long.
    "how long", "how much time", "what duration", "the duration of", "durations of", "elapsed", "what s the interval", "what is the interval", "what was the interval", "what s the gap", "what is the gap", "what was the gap", "the gap between", "gaps between", "what is the time between", "what was the time between",
    "what s the time between", "time between failures", "standstill time", "downtime", "down time", "uptime", "idle time", "total time", "time spent", "time lost", "lost time",
    "soon after", "soon before", "ended after", "ended before", "ended by", "finished before", "finished after", "still running", "by more", "still going", "still active", "in progress", "ongoing",
    "total stop", "total grip", "total motion", "total standstill", "total slip", "total drop", "stop time", "stop times", "loss time", "motion time", "sum of", "when did it recover", "总时间", "时间合计", "累计停机", "累计时间", "累计时长", "累计多少时间", "多少时间", "几十", "数十", "时间是多少", "小时停机时间", "停机总", "什么时候恢复", "恢复了吗", "何时恢复",
    // Of those that were left out.
    "the others", "any others", "me more", "其他的呢", "其它的呢", "别的吗", "其余的呢",
    "a third of the", "a fifth of the", "one third of", "one fifth of", "shift change", "program change", "like the first one", "like the last one", "号机", "号零件", "号工位",
    // Which of some were then.
    "was it before", "was it after", "was that before", "was that after", "of recording", "of the trace",
    // Of its end.
    "until it ended", "till it ended", "until it was over", "end of the last", "end of the first", "end of the second", "end of the third", "end of the stop", "end of the motion", "end of the hour", "end of the week", "end of the month", "end of that", "end of it", "end of cycle",
    // How it moved, and what else may.
    "right arm", "right gripper", "right hand", "right robot", "right side", "motion but one", "movement but one", "stop but one", "loss but one",
    // By whom.
    "other robot", "other arm", "other gripper", "did i", "i triggered", "i caused", "have i", "by the operator", "by the technician", "has the technician", "has the operator", "has the engineer", "have the operators", "我触发", "我按", "操作员触发", "操作员按",
    // Of another log, of what is not yet, or of a state.
    "another log", "other log", "other logs", "another recording", "other recording", "previous log", "previous recording", "coming hour", "coming hours", "coming minute", "coming minutes", "coming day", "coming week", "are active", "is active", "only one", "only two", "上一个日志", "上次日志", "其他日志", "其它日志", "别的日志", "另一个日志", "另一份日志", "上一份日志", "前一个日志",
    // One further.
    "再上一次", "再前一次", "再上次", "再下一次", "再下次", "下下次", "下下一次", "另外几次",
    // Weeks and months, which are not grouped by.
    "of the week", "of the month", "of the year", "of the hour", "in the week", "in the month", "all week", "all month", "each week", "every week", "per week", "each month", "every month", "per month", "hour around", "minute around", "different kind", "different kinds", "different type", "different types",
    // Of a position.
    "回到0位", "回0位", "回零", "零位",
    // Of its end, told beside something.
    "解除", "恢复之后", "恢复以后", "恢复后", "结束之前", "结束以前", "结束前", "结束是", "急停结束", "停止结束", "停机结束", "had ended", "stop ended", "stops ended", "loss ended", "losses ended", "motion ended", "movement ended", "drop ended",
    "ending after", "ending before", "that ended in", "that ended after", "that ended before", "which ended in", "which ended after", "which ended before", "to end before", "to end after", "ended last", "ended first",
    // How it compares.
    "compared to", "compared with", "in comparison", "versus", "vs", "relative to", "in contrast", "more often", "less often", "as many", "as often", "twice as", "the same number", "in proportion", "percent", "percentage", "ratio", "proportion", "fraction of", "share of",
    // Some of them by turns.
    "every second one", "every other", "each third", "alternate", "alternating", "in succession", "back to back", "consecutive", "consecutively",
    // Whether all were so.
    "did all", "were all", "was every", "are all", "did every", "has every", "did each", "was each", "were most", "did most",
    // Of what else.
    "by object", "by product", "by part", "by cause", "by reason", "by severity", "by joint", "by axis", "by tool", "by operator", "by program", "by task", "by force", "by size", "by length", "by duration", "by location", "by place", "by zone", "by item", "per object", "per product", "per part", "per item",
    "which the operator", "which the technician", "which the engineer", "that the operator reported", "that the operator noted", "that the operator logged", "that the operator saw", "that the technician", "that the engineer", "reported by", "noticed by", "caused by", "triggered by", "seen by", "logged by", "confirmed by",
    // Some other limit, or measure.
    "in one", "in a single", "in the same", "at the same", "of the same", "there exactly", "exactly one", "exactly two", "exactly three", "exactly four", "exactly five", "precisely two", "precisely three", "at most", "at least", "no more than", "no fewer", "no less", "pairs of", "according to", "measured in", "together with", "along with", "in a row", "every second",
    "on average", "per cycle", "per run", "that matter", "which matter", "of importance", "of note",
    "translate", "into german", "into english", "into chinese", "in german",
    "何处", "哪里", "哪儿", "什么地方", "啥地方", "在哪个位置", "什么位置", "哪个位置", "位置在", "翻译", "译成", "之前该", "该停机", "结束时间", "结束时刻", "结束的时间", "时候结束", "何时结束", "几点结束", "几时结束", "几分结束", "结束于", "怎么回事", "相比", "对比起", "同比", "环比", "占比", "百分之", "比例", "间隔多", "隔多久", "隔了多久",
    "时钟为准", "过完", "什么意思", "指的是什么", "指什么", "是指", "只有", "仅有", "只发生", "各自的第", "全部机器人", "所有机器人", "日均", "平均", "周均", "时均", "人均", "同时", "掉的是", "掉了什么", "撞的是", "撞了什么", "是不是所有", "是否所有", "是不是全", "是否全", "所有的都", "至少", "至多", "最多",
    "越来越", "是不是都", "是否都", "都是在", "全都是", "每隔一", "每隔两", "每隔三", "每隔几", "隔一次", "接连的", "连续的", "连着的", "剩下的", "余下的", "剩余的",
];

static BEYOND: LazyLock<ByLetter<()>> = LazyLock::new(|| ByLetter::list(BEYOND_OF));

/// What is said not to be so, or not wanted, outside phrases that say nothing.
#[rustfmt::skip]
const NOT: &[&str] = &[
    "not", "don t", "didn t", "doesn t", "isn t", "aren t", "wasn t", "weren t", "haven t", "hasn t", "hadn t", "won t", "wouldn t", "couldn t", "can t", "cannot", "never", "none of", "neither", "nor", "without",
];

/// Whether the last sentence says so: those before it may only tell.
fn says_not(text: &str, atoms: &[Atom]) -> bool {
    let is_end = |pair: &[Atom]| {
        text[pair[0].place.end..pair[1].place.start].contains(['.', ':', ';', '?', '!'])
    };
    let from = atoms.windows(2).rposition(is_end).map_or(0, |last| last + 1);
    let idle = |rest: &[Atom]| {
        longest_of(rest, excepting::NOTHING)
            .or_else(|| longest_of(rest, &["won t do"]))
            .or_else(|| harmless::phrase(rest))
    };
    stands_outside(&atoms[from..], idle, |rest| longest_of(rest, NOT).is_some())
}

/// "That surprised the operator": which of them, by what is not known.
fn says_which(that: &Atom, verb: &Atom) -> bool {
    #[rustfmt::skip]
    const OF_ORDER: [&str; 23] = [
        "happened", "occurred", "followed", "preceded", "started", "recorded", "logged", "registered", "stored", "appeared", "remembered", "noted", "reported", "changed", "stopped", "moved", "dropped", "slipped", "passed", "opened", "ended", "lasted", "dragged",
    ];
    let is_past = verb.text.len() > 4 && verb.text.ends_with("ed");
    that.is_one_of(&["that", "which"]) && is_past && !verb.is_one_of(&OF_ORDER)
}

/// "When did the arm last move to the table?", 五分钟以上, "the second gripper's last motion", 2号夹爪.
fn says_where(atoms: &[Atom]) -> bool {
    #[rustfmt::skip]
    const WHERE: [&str; 20] = [
        "to", "up", "down", "over", "onto", "toward", "towards", "into", "left", "right", "forward", "forwards", "backward", "backwards", "away", "quickly", "slowly", "fast", "straight", "out",
    ];
    const MOVED: [&str; 4] = ["move", "moved", "moves", "moving"];
    let of_three = |three: &[Atom]| {
        let [first, second, third] = three else { return false };
        let is_moved = first.is_one_of(&MOVED) && second.is_one_of(&WHERE);
        let is_of_counter = second.text == "to"
            && (third.has_digit_first() || third.is_one_of(&["cycle", "start", "begin", "happen"]));
        let is_just = second.text == "right" && third.is_one_of(&["before", "after"]);
        let is_length =
            first.is_one_of(&["分", "秒", "时", "钟"]) && second.text == "以" && third.text == "上";
        let is_owner = first.is_one_of(&["second", "third", "fourth", "other"])
            && second.is_one_of(&["arm", "gripper"])
            && third.text == "s";
        let is_numbered =
            first.has_digit_first() && second.text == "号" && third.is_one_of(&["夹", "手", "机"]);
        is_moved && !is_of_counter && !is_just || is_length || is_owner || is_numbered
    };
    let ends_so = |pair: &[Atom]| {
        pair[0].is_one_of(&MOVED) && pair[1].is_one_of(&WHERE) && pair[1].text != "to"
    };
    atoms.windows(3).any(of_three) || atoms.windows(2).last().is_some_and(ends_so)
}

/// "From ten to eleven" is no time at ten to eleven.
fn is_of_hours(atoms: &[Atom]) -> bool {
    const MINUTES: &[&str] = &["five", "ten", "twenty", "twenty five", "quarter"];
    const HOURS: [&str; 12] = [
        "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve",
    ];
    (1..atoms.len()).any(|at| {
        let to = longest_of(&atoms[at..], MINUTES).map(|count| at + count);
        let is_to = to.is_some_and(|to| {
            let is =
                |at: usize, words: &[&str]| atoms.get(at).is_some_and(|it| it.is_one_of(words));
            is(to, &["to"]) && is(to + 1, &HOURS)
        });
        atoms[at - 1].text == "from" && is_to
    })
}

/// "We changed the gripper at 11:00", 换了夹爪: who asks changed something else than the counter.
pub(super) fn changes_a_thing(atoms: &[Atom]) -> bool {
    const COUNTERS: [&str; 5] = ["cycle", "counter", "number", "count", "value"];
    const CHANGED: &[&str] = &["changed", "replaced", "swapped", "exchanged"];
    const HAN_THINGS: &[&str] =
        &["夹爪", "夹具", "工具", "手爪", "吸盘", "程序", "配方", "工件", "产品", "指尖"];
    let is_thing = |at: usize| atoms.get(at).is_some_and(|it| !it.is_one_of(&COUNTERS));
    let is_changed = |at: usize| {
        let changed = longest_of(&atoms[at..], CHANGED);
        let article = changed.and_then(|count| {
            Some(at + count + longest_of(atoms.get(at + count..)?, &["the", "our", "its", "a"])?)
        });
        let han = longest_of(&atoms[at..], &["换了", "换过", "更换了", "更换"]);
        article.is_some_and(is_thing)
            || han.is_some_and(|count| longest_of(&atoms[at + count..], HAN_THINGS).is_some())
    };
    (0..atoms.len()).any(is_changed)
}

/// 保护性停止之前30秒内有抓取丢失的有几次 counts the stops.
fn counts_those_with(atoms: &[Atom]) -> bool {
    const WITH: &[&str] = &["内有", "之前有", "之后有", "以前有", "以后有", "里有"];
    has(atoms, &["的有几次", "的有多少次", "的有几个", "的有哪些", "的有哪几次"])
        && has(atoms, WITH)
}

/// "Going back from 15:00, the first four stops": the last four.
fn goes_back(atoms: &[Atom]) -> bool {
    const BACK: &[&str] =
        &["going back", "working back", "counting back", "looking back", "backward", "backwards"];
    let is_from = has(atoms, &["from"]) && has(atoms, &["first", "earliest"]);
    has(atoms, BACK) && is_from
}

/// "Every sixth drop", "each fifth one".
fn is_every_nth(atoms: &[Atom]) -> bool {
    let is_nth = |at: usize| words::nth(&atoms[at..]).is_some_and(|(_, nth)| nth.nth > 1);
    (1..atoms.len()).any(|at| atoms[at - 1].is_one_of(&["every", "each"]) && is_nth(at))
}

/// "What happened two events before the last stop?": one, and not the two.
fn counts_back(atoms: &[Atom]) -> bool {
    const BACK: &[&str] = &[
        "events before",
        "events after",
        "events earlier",
        "events later",
        "entries before",
        "entries after",
    ];
    let is_asked = has(
        atoms,
        &["what happened", "what was", "which event", "what came", "the event", "the entry"],
    );
    let counted = |at: usize| {
        let count = words::cardinal(&atoms[at..]).filter(|(number, _)| *number > 1.0);
        count.is_some_and(|(_, count)| longest_of(&atoms[at + count..], BACK).is_some())
    };
    is_asked
        && (0..atoms.len())
            .any(|at| counted(at) && (at == 0 || !atoms[at - 1].is_one_of(&["the", "last"])))
}

/// "The last closing motion of the gripper".
fn opens_or_closes(atoms: &[Atom]) -> bool {
    has(atoms, &["closing", "opening"])
        && has(atoms, &["gripper", "fingers", "jaws"])
        && has(atoms, subjects::MOTIONS)
}

/// "The motion that ended at 14:30": events are told by their begin.
fn says_end(text: &str) -> bool {
    ["that ended at ", "which ended at "].iter().any(|said| {
        let before = text.find(said).map(|at| text[..at].trim_end());
        before.is_some_and(|before| !idioms::STRETCHES.iter().any(|it| before.ends_with(it)))
    })
}

/// Whether something is asked that no order of events says.
pub(super) fn is_asked(text: &str, atoms: &[Atom]) -> bool {
    let is_end = |atom: &Atom| atom.is_one_of(&["end", "finish", "cease"]);
    // "When did the last stop end?"
    let asks_for_end = atoms.last().is_some_and(is_end) && has(atoms, &["when did", "time did"]);
    let are_some = atoms.windows(2).any(|pair| says_which(&pair[0], &pair[1]));
    // "When was the tenth stop over?", "when the stop was over, what happened?"
    let ends_over = atoms.last().is_some_and(|last| last.text == "over");
    let is_over =
        has(atoms, &["was over", "were over"]) || ends_over && has(atoms, &["was", "were"]);
    asks_for_end
        || text.contains('%')
        || is_over && atoms[0].text == "when"
        || is_every_nth(atoms)
        || goes_back(atoms)
        || is_of_hours(atoms)
        || counts_those_with(atoms)
        || are_some
        || says_where(atoms)
        || opens_or_closes(atoms)
        || counts_back(atoms)
        || says_end(text)
        || says_not(text, atoms)
        || (0..atoms.len()).any(|at| BEYOND.longest_of(&atoms[at..]).is_some())
        || ends(atoms, &["in the hour", "within the hour"])
}
