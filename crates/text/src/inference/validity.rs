//! Whether a statement holds from now on, or only of the occasion that it was said at.

use std::sync::LazyLock;

use super::items::{Item, ItemKind};
use super::phrases::Phrases;

/// For how long a statement means to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Validity {
    /// Until something else is said.
    Lasting,
    /// For one step, run or day: "this time use 10 N".
    Once,
    /// It says what a task is, or what it is about: "the task is to sort the bolts".
    Task,
}

/// What a phrase says of the statement that it stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    Once,
    /// Once, when it begins a clause or ends the text.
    OnceAtEdge,
    Lasting,
    Task,
    /// Task, when it begins the text.
    TaskAtStart,
    /// A verb of making something: what is made has a subject.
    Making,
    /// The subject of what is made.
    Subject,
    /// Only its letters are those of another one.
    None,
}

#[rustfmt::skip]
const SIGNS: &[(Sign, &[&str])] = &[
    (Sign::Once, &[
        "only this time", "just this time", "for this time", "just this once", "this once", "only once today", "just for now", "for now", "just now",
        "for this run", "for this task", "for this step", "for this trial", "for this attempt", "for this session", "for this order",
        "for this job", "for this batch", "for this one", "for this grasp", "for this pick", "for this demo", "for this test",
        "in this run", "on this run", "during this run", "in this session", "during this session", "in this trial", "during this task",
        "for the current run", "for the current task", "for the current step", "for the current session", "this run only",
        "this time only", "today only", "just today", "only today", "only for today", "for today", "just for today", "temporarily",
        "for the moment", "for the time being", "for once", "as an exception", "this one time",
        "这次", "这一次", "本次", "此次", "这回", "这一回", "这趟", "这一趟", "本轮", "这一轮", "本趟", "当次", "仅此一次", "就这一次",
        "只这一次", "只此一次", "今天先", "今天就", "仅今天", "只限今天", "仅限今天", "暂时", "暂且", "临时", "刚才", "刚刚", "眼下先", "这单", "本单",
        "这一步", "本步骤", "当前步骤", "本次任务", "这次任务",
    ]),
    (Sign::OnceAtEdge, &["this time"]),
    (Sign::Lasting, &[
        "from now on", "from here on", "going forward", "henceforth", "from this time on", "from today on", "in future", "in the future", "not only this time",
        "not just this time", "this time and always", "since this time",
        "以后都", "以后一律", "以后请", "以后要", "以后就", "以后总是", "今后", "从今以后", "从今往后", "从此以后", "从现在起", "从现在开始", "从今天起",
        "这次以后", "这次之后", "不只这次", "不仅这次", "不光这次", "不止这次", "从这次起", "从本次起", "从这次开始", "从本次开始", "每次都",
    ]),
    (Sign::Task, &[
        "the task is", "my task is", "your task is", "our task is", "the current task is", "todays task is", "the goal of the task",
        "the subject of the task", "the subject of this task", "the topic of the task", "the subject of the report", "the topic of the report",
        "the job is to", "the job today is", "the assignment is", "the mission is to", "the theme is",
        "任务是", "任务为", "任务主题", "任务内容是", "任务目标是", "当前任务", "今天的任务", "工作内容是", "作业主题",
    ]),
    (Sign::TaskAtStart, &["task", "current task", "new task", "task subject", "subject", "todo", "任务", "新任务", "主题", "待办"]),
    (Sign::Making, &["写", "撰写", "编写", "写作", "制作", "画", "绘制", "拍", "拍摄", "起草", "做个", "做一份", "生成", "文案", "报告",
        "write", "writing", "draft", "draw", "compose", "report", "poster", "essay"]),
    (Sign::Subject, &["主题是", "主题为", "题目是", "题目为", "the subject is", "the topic is", "subject is", "whose subject is", "whose topic is"]),
    (Sign::None, &["every time", "at this time of", "by this time", "this time of", "临时工", "任务管理", "临时文件", "写入", "画面", "拍照"]),
];

static PHRASES: LazyLock<Phrases<Sign>> = LazyLock::new(|| Phrases::of(SIGNS));

/// Words by which what has a time of day comes again.
#[rustfmt::skip]
const RECURRING: &[&str] = &[
    "every", "each", "daily", "always", "usually", "often", "normally", "weekdays", "weekends", "mondays", "tuesdays", "wednesdays",
    "thursdays", "fridays", "saturdays", "sundays", "每", "每天", "总", "通", "常", "都",
];
/// Before a participle these make it a state: "the gate is closed at 18:00".
const STATES: &[&str] = &["is", "are", "be", "gets", "get", "must", "should"];
#[rustfmt::skip]
const PAST_VERBS: &[&str] = &[
    "began", "went", "came", "took", "put", "left", "fell", "lost", "broke", "held", "sent", "got", "found", "saw", "made", "ran", "was",
    "were", "had", "did", "met", "felt", "gave",
];

/// Whether it tells what happened at a time of day: "14:02:11 Started bin picking", "released at 14:05".
fn tells_a_moment(items: &[Item]) -> bool {
    let is_time = |item: &Item| {
        let parts: Vec<&str> = item.text.split(':').collect();
        let is_part = |part: &&str| part.len() == 2 || part.len() == 1;
        item.kind == ItemKind::Name
            && (2..=3).contains(&parts.len())
            && parts.iter().all(|part| is_part(part) && part.bytes().all(|b| b.is_ascii_digit()))
    };
    if !items.iter().any(is_time) || items.iter().any(|it| it.is_one_of(RECURRING)) {
        return false;
    }
    let is_past = |index: usize| {
        let before = index.checked_sub(1).map_or("", |at| items[at].text.as_str());
        let item = &items[index];
        match item.kind {
            ItemKind::Word => {
                let is_form = item.text.ends_with("ed")
                    && !item.is_one_of(&["need", "feed", "speed", "exceed", "proceed"]);
                (is_form || item.is_one_of(PAST_VERBS)) && !STATES.contains(&before)
            }
            // 14:05 放下了杯子.
            ItemKind::Han => item.is_one_of(&["了", "已", "刚"]),
            _ => false,
        }
    };
    (0..items.len()).any(is_past)
}

/// Reads it off the words. What says that it is to last counts more than what says that it is not.
pub(super) fn validity(items: &[Item]) -> Validity {
    let mut found = if tells_a_moment(items) { Validity::Once } else { Validity::Lasting };
    let mut is_made = false;
    let mut index = 0;
    while index < items.len() {
        let Some((sign, used)) = PHRASES.longest(&items[index..]) else {
            index += 1;
            continue;
        };
        let end = index + used;
        let is_label = || items.get(end).is_some_and(|next| next.text == ":");
        let opens = index == 0 || items[index - 1].kind == ItemKind::Break;
        let closes = items[end..].iter().all(|item| item.kind == ItemKind::Break);
        let clause_closes = items.get(end).is_none_or(|next| next.kind == ItemKind::Break);
        match sign {
            Sign::Lasting => return Validity::Lasting,
            Sign::Once => found = Validity::Once,
            Sign::OnceAtEdge if opens || closes || clause_closes => found = Validity::Once,
            Sign::Task if found == Validity::Lasting => found = Validity::Task,
            Sign::TaskAtStart if index == 0 && is_label() => found = Validity::Task,
            Sign::Making => is_made = true,
            Sign::Subject if is_made && found == Validity::Lasting => found = Validity::Task,
            _ => {}
        }
        index = end;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::items::items;
    use super::*;

    #[test]
    fn what_is_said_of_one_occasion_is_told_from_what_lasts() {
        let cases = [
            (Validity::Once, "this time use 10 N"),
            (Validity::Once, "This time, prefer the left gripper"),
            (Validity::Once, "use the left gripper this time"),
            (Validity::Once, "for this run the speed is 0.3 m/s"),
            (Validity::Once, "use 12 N just this once"),
            (Validity::Once, "这次用简约"),
            (Validity::Once, "本次优先用吸盘"),
            (Validity::Once, "暂时用左手抓"),
            (Validity::Once, "14:02:11 Started bin picking at station 3"),
            (Validity::Once, "The part was released at 14:05"),
            (Validity::Once, "released at 14:05"),
            (Validity::Once, "14:05 放下了杯子"),
            (Validity::Lasting, "The gate is closed at 18:00"),
            (Validity::Lasting, "The pharmacy opens at 8:30"),
            (Validity::Lasting, "Rounds started at 7:00 every day"),
            (Validity::Lasting, "药房 8:30 开门"),
            (Validity::Lasting, "from now on use 10 N"),
            (Validity::Lasting, "from now on, not only this time, use 10 N"),
            (Validity::Lasting, "以后都用简约"),
            (Validity::Lasting, "不只这次，今后都用吸盘"),
            (Validity::Lasting, "every time the door opens the map shifts"),
            (Validity::Lasting, "at this time of day the sun blinds the camera"),
            (Validity::Lasting, "The clock says this time is local time"),
            (Validity::Lasting, "the task planner is slow"),
            (Validity::Lasting, "主题是 /tf 的消息很多"),
            (Validity::Task, "The task is to sort the bolts by size"),
            (Validity::Task, "task: sort the bolts"),
            (Validity::Task, "任务是把螺栓按大小分开"),
            (Validity::Task, "写文案主题是独居上海"),
            (Validity::Task, "任务：给窗边的植物浇水"),
        ];
        for (expected, text) in cases {
            assert_eq!(validity(&items(text)), expected, "{text}");
        }
    }
}
