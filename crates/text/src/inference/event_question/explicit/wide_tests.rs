//! The same questions in many words: each way to say a side, a class, a time and a wish, with each other; within a
//! story; and what must not be read in spite of such words.

use super::tests::{assert_not_read, assert_read};

/// What is asked for, and how it is read.
const CLASSES: [(&str, &str); 6] = [
    ("protective stop", "protective stop"),
    ("loss of grip", "slip"),
    ("drop by the gripper", "slip"),
    ("cycle changeover", "change[cycle]"),
    ("movement of the arm", "motion[arm]"),
    ("prot. stop", "protective stop"),
];
const HAN_CLASSES: [(&str, &str); 5] = [
    ("保护性停车", "protective stop"),
    ("保护停", "protective stop"),
    ("掉件", "slip"),
    ("周期切换", "change[周期]"),
    ("机械臂动作", "motion[手臂]"),
];
/// Half past two of the afternoon.
const CLOCKS: [&str; 8] = [
    "14:30",
    "14h30",
    "2:30 pm",
    "2.30 p.m.",
    "1430 hours",
    "half past two in the afternoon",
    "14:30h",
    "2:30p",
];
const HAN_CLOCKS: [&str; 6] =
    ["14:30", "14点半", "14时30分", "下午两点半", "后晌两点半", "14点30分整"];
const WISHES: [&str; 7] = [
    "",
    "Please list ",
    "Kindly identify ",
    "[planner] step 4: fetch ",
    "Would you be so kind as to tell me ",
    "I'm sorry to bother you, but I need ",
    "My supervisor would like something for the meeting: could you show me ",
];
const HAN_WISHES: [&str; 5] =
    ["", "请返回", "麻烦查一下", "不好意思打扰一下，请问", "[规划器] 第二步：检索"];

fn assert_all_read(cases: &[(String, String)]) {
    let cases: Vec<(&str, &str)> = cases.iter().map(|(text, short)| (&**text, &**short)).collect();
    assert_read(&cases);
}

#[test]
fn each_word_goes_with_each_other() {
    let words_before = ["before", "prior to", "ahead of", "preceding", "earlier than", "b4"];
    let words_after = ["after", "following", "subsequent to", "later than"];
    let mut cases = Vec::new();
    for (at, (class, short)) in CLASSES.iter().enumerate() {
        for (of, clock) in CLOCKS.iter().enumerate() {
            let wish = WISHES[(at + of) % WISHES.len()];
            let before = words_before[(at + of) % words_before.len()];
            let after = words_after[(at + of) % words_after.len()];
            cases.push((
                format!("{wish}the last {class} {before} {clock}"),
                format!("#-1 {short} in 14/00:00-14/14:30"),
            ));
            cases.push((
                format!("{wish}the third {class} {after} {clock}"),
                format!("#3 {short} in 14/14:30-"),
            ));
        }
        cases.push((
            format!("{}s, hour for hour: how many?", class),
            format!("count {short} per hour"),
        ));
        cases.push((
            format!("Per clock hour, the closing {class}"),
            format!("#-1 {short} per hour"),
        ));
    }
    cases.retain(|(text, _)| {
        !text.starts_with("loss of grips")
            && !text.starts_with("drop by the grippers")
            && !text.starts_with("movement of the arms")
    });
    assert_all_read(&cases);
}

#[test]
fn each_chinese_word_goes_with_each_other() {
    let words_before = ["之前", "以前", "往前数", "前头"];
    let words_after = ["之后", "以后", "往后", "过后"];
    let mut cases = Vec::new();
    for (at, (class, short)) in HAN_CLASSES.iter().enumerate() {
        for (of, clock) in HAN_CLOCKS.iter().enumerate() {
            let wish = HAN_WISHES[(at + of) % HAN_WISHES.len()];
            let before = words_before[(at + of) % words_before.len()];
            let after = words_after[(at + of) % words_after.len()];
            cases.push((
                format!("{wish}{clock}{before}最后一次{class}"),
                format!("#-1 {short} in 14/00:00-14/14:30"),
            ));
            cases.push((
                format!("{wish}{clock}{after}的第三次{class}"),
                format!("#3 {short} in 14/14:30-"),
            ));
        }
        cases.push((format!("一个小时挑一条：最末一次{class}"), format!("#-1 {short} per hour")));
        cases.push((format!("逐小时汇总{class}的次数"), format!("count {short} per hour")));
    }
    assert_all_read(&cases);
}

#[rustfmt::skip]
const READ: &[(&str, &str)] = &[
    // Signs.
    ("[report-gen] section 3: drops from 08:21:00 (inclusive) to 08:24:00 (exclusive)", "slip in 14/08:21-14/08:24"),
    ("drops in the interval 2026-03-14T08:21:00/2026-03-14T08:24:00", "slip in 14/08:21-14/08:24"),
    ("时间区间[2026-03-14 08:21:00, 2026-03-14 08:24:00)内的全部掉件", "slip in 14/08:21-14/08:24"),
    ("the protective stops between the cycle change 63 -> 64 and the cycle change 67 -> 68",
        "protective stop between the change[cycle]=63>64 and the change[cycle]=67>68"),
    ("drops in a window of duration PT5M that ends at 08:24", "slip in 14/08:19-14/08:24"),
    ("以8点24分为终点、时长五分钟的时段内，掉件有哪几次？", "slip in 14/08:19-14/08:24"),
    ("drops on 13/03/2026", "slip in 13/00:00-14/00:00"),
    ("protective stops 14.40 - 14.45h", "protective stop in 14/14:40-14/14:45"),
    ("drops 2:10pm-2:20pm", "slip in 14/14:10-14/14:20"),
    // A length of time ago, where it is a bound.
    ("which drops since an hour ago?", "slip in 14/15:20-"),
    ("Since half an hour, which drops do we have?", "slip in 14/15:50-"),
    ("从四十分钟前到现在，掉件有哪几次？", "slip in 14/15:40-"),
    ("一小时前至半小时前这一区间内，掉件计有几次？", "count slip in 14/15:20-14/15:50"),
    // The nearest to a time.
    ("the drop just before 14:30", "#-1 slip in 14/00:00-14/14:30"),
    ("four drops straight after 1430", "first 4 slip in 14/14:30-"),
    ("14点30分前一条记录", "#-1 event in 14/00:00-14/14:30"),
    ("下午差一刻三点往后，头一个掉件几点来的", "#1 slip in 14/14:45-"),
    ("which drop was the last one before the one at 14:21:07", "#-1 slip before the slip in 14/14:21-14/14:21"),
    // Order of those that are named before it.
    ("protective stop, last but one", "#-2 protective stop"),
    ("Of the drops before 9:00, identify the second-to-last.", "#-2 slip in 14/00:00-14/09:00"),
    ("In chronological order, which drop is number 12?", "#12 slip oldest first"),
    ("15:00以前的掉件中，请指认倒数第三次", "#-3 slip in 14/00:00-14/15:00"),
    // A question within a story.
    ("I stepped out at ten past three, and of course something fell down. What was the first drop after 15:10?",
        "#1 slip in 14/15:10-"),
    ("There was that protective stop at 14:21:07, the one that dragged on. Do you remember the two drops that came right before it?",
        "2 slip just before the protective stop in 14/14:21-14/14:21"),
    ("All I've got is a time stamp, 09:03:25, and the arm at rest. Which drop is the first after that moment, please?",
        "#1 slip in 14/09:03-"),
    ("I was in a training session and have only now returned. Would you mind telling me all the drops we have had since 15:00?",
        "slip in 14/15:00-"),
    ("There is a protective stop at 08:49:29 and another at 08:53:13. I'd like to know which drops lie in between those two.",
        "slip between the protective stop in 14/08:49-14/08:49 and the protective stop in 14/08:53-14/08:53"),
    ("有个同事问我早上08:24:08那次掉件之后的事，我答不上来，你能把它后面的三次保护停找给我吗？",
        "3 protective stop after the slip in 14/08:24-14/08:24"),
    ("做培训材料要用，所以想请你把最早的三次掉件拿出来给我看看。", "first 3 slip"),
    // What is taken back.
    ("the number of drops, no wait, I meant protective stops, since 15:00", "count protective stop in 14/15:00-"),
    ("drops between 8:20 -- no, sorry -- between 8:30 and 8:36", "slip in 14/08:30-14/08:36"),
    ("说是下午三点一刻，哦不，看错了，是下午三点十六分到三点二十分这一段，有哪些掉件？", "slip in 14/15:16-14/15:20"),
];

#[rustfmt::skip]
const NOT_READ: &[&str] = &[
    // Each time, whenever: of no time that was.
    "What was right before the last drop each time it dropped?", "What came right after the first drop every time it was lost?",
    "What happens each time the gripper drops a part?", "Each time the arm moves, which drop comes next?",
    "Every time there was a protective stop before 9:00, what came next?", "Show me what came before each time it stopped",
    "Before 9:00, each time it dropped a part, which movement came next?",
    // The story narrows what is asked, or has a time that is meant.
    "We have two robots. How many protective stops did the other robot have today, not this one?",
    "Yesterday I was ill. What was the last protective stop?", "My shift was the morning. How many drops were there?",
    "Between 14:00 and 15:00 I was away. What was the last protective stop?",
    "The trouble began at 14:20. How many protective stops were there?", "How many drops today? Except the blue parts.",
    "For each type of part, the last drop?", "Per operator: the last drop",
    "The first stop of the day was mine. What was the second?", "We had 20 drops before noon. How many were there after 15:00?",
    "昨天我请假了。最后一次保护性停止是哪次？", "出问题是从14点20分开始的。保护性停止有几次？", "两个夹爪里右边那个坏了。15点以后掉了几次件？",
    "上午的不要，15点以后的掉件列一下", "今天保护性停止几次？不算上午的。",
    "Note the last three drops", "Remember the last three drops",
    // Negations, conditions, causes, rules, comparisons.
    "How many drops were there today, not counting the ones after lunch?", "Which stop before 9:00 was not reset by hand?",
    "If the gripper drops a part after 15:00, what should we do?", "If the last drop was before 9:00, what came next?",
    "Why did the last protective stop before 9:00 happen?", "What caused the protective stop at 14:21:07?",
    "How long did the last protective stop before 9:00 last?", "How long was it between the first and the second stop?",
    "Was the last drop before or after the first protective stop?",
    "How many protective stops will there be tomorrow between 9 and 10?", "How many stops per hour may a cobot have?",
    "Which hour had the most drops?", "Is there a protective stop in every hour?", "What usually happens after a protective stop?",
    "Does a drop always follow a protective stop?", "Were there more drops before or after noon?",
    "How many more drops were there in the afternoon than in the morning?", "I think the last drop was before 9:00.",
    "The first thing after a drop is to check the lamp, right?", "Can the gripper drop a part between two stops?",
    "Compare the drops of the morning with those of the afternoon.", "Who reset the last stop before 9:00?",
    "Before the next protective stop, warn me.", "Please stop after the next drop.", "Unless there was a drop before 9:00, show the first stop.",
    "Could you list the drops after 15:00 but not the ones before?", "I want all drops from 14:00 to 15:00 except the first.",
    "为什么15点以后第一次掉件？", "最后一次保护性停止持续了多久？", "掉件通常发生在保护性停止之前还是之后？", "如果15点以后掉件，应该怎么办？",
    "每次掉件之后都要检查夹爪吗？", "明天9点到10点会有几次保护性停止？", "哪个小时掉件最多？", "保护性停止每小时不能超过几次？",
    "今天上午掉件比下午多吗？", "记住：最后一次掉件是9点。", "下次掉件之后请停下来。", "要是没有掉件，下午第一次保护性停止是哪次？",
];

#[test]
fn other_signs_and_stories_are_read() {
    assert_read(READ);
}

#[test]
fn what_a_story_narrows_is_not_read() {
    assert_not_read(NOT_READ);
}
