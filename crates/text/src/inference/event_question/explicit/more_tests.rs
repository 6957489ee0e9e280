//! Other writers' ways to put the same questions.

use super::tests::{assert_not_read, assert_read};

#[rustfmt::skip]
const READ: &[(&str, &str)] = &[
    // A clause, or a sentence, tells the event that is meant.
    ("When the counter went from 128 to 150, what came right after?", "all just after the change[cycle]=128>150"),
    ("At 9:02 the robot had a protective stop; which other protective stops fell in the five minutes after it?",
        "protective stop after the protective stop in 14/09:02-14/09:03 within 300"),
    ("We saw a protective stop at 15:00. Which grip loss preceded it most recently?", "#-1 slip before the protective stop in 14/15:00-14/15:01"),
    ("The protective stop at 08:46:40 was preceded by which movement?", "#-1 motion before the protective stop in 14/08:46-14/08:46"),
    ("Within three minutes of the grip loss at 15:06:48, did the robot go into protective stop afterwards?",
        "protective stop after the slip in 14/15:06-14/15:06 within 180"),
    ("下午3点05分31秒夹爪掉件了，在那之前的上一次保护性停止是什么时候？", "#-1 protective stop before the slip in 14/15:05-14/15:05"),
    ("8点32分机器人保护停了一次，紧接着它做了什么？", "all just after the protective stop in 14/08:32-14/08:33"),
    ("夹爪15点12分47秒掉了东西，接下来两分钟里有哪些保护停？", "protective stop after the slip in 14/15:12-14/15:12 within 120"),
    // Cycles that began.
    ("Since cycle 260 started, which protective stops did we get?", "protective stop since the change[cycle]=260"),
    ("Between cycle 107 starting and cycle 108 starting, what happened?", "all between the change[cycle]=107 and the change[cycle]=108"),
    ("From cycle 260 onward, how many protective stops were there?", "count protective stop since the change[cycle]=260"),
    ("第 36 周期开始后的五分钟内，丢了几次抓取？", "count slip after the change[周期]=36 within 300"),
    ("循环计数从186跳到188之前，最近一次保护性停止是哪次？", "#-1 protective stop before the change[周期]=186>188"),
    // Other notations of times.
    ("Which protective stops occurred between 1440 and 1450?", "protective stop in 14/14:40-14/14:50"),
    ("grip losses from 15h04 to 15h10", "slip in 14/15:04-14/15:10"),
    ("Robot moved how many times between 08.50 and 08.55?", "count motion in 14/08:50-14/08:55"),
    ("grip losses before twenty to nine this morning", "slip in 14/00:00-14/08:40"),
    ("从 08:35 起三分钟内发生的保护性停止，都列出来。", "protective stop in 14/08:35-14/08:38"),
    ("从8点20到8点30，循环一共切换了几次？", "count change[循环] in 14/08:20-14/08:30"),
    ("十点到下午两点这段时间，有抓取丢失吗？", "slip in 14/10:00-14/14:00"),
    ("到 15:00 为止，今天掉了几次件？", "count slip in 14/00:00-14/15:00"),
    ("How many cycle changes were there in the last half hour?", "count change[cycle] in 14/15:50-14/16:20"),
    ("Within two minutes either side of 14:32, what p-stops do you have?", "protective stop in 14/14:30-14/14:34"),
    ("How many p-stops within two minutes before or after 14:32?", "count protective stop in 14/14:30-14/14:34"),
    ("Give me a count of the protective stops from this morning.", "count protective stop in 14/00:00-14/12:00"),
    // A day that is said elsewhere.
    ("Yesterday, which protective stops came before 9:30?", "protective stop in 13/00:00-13/09:30"),
    ("昨天上午的保护性停止，九点以后的部分，列给班长看。", "protective stop in 13/09:00-13/12:00"),
    // Counted from a time.
    ("Next three protective stops after 2:33 pm", "first 3 protective stop in 14/14:33-"),
    ("four p-stops leading up to 15h25, the closest one first", "last 4 protective stop in 14/00:00-14/15:25"),
    // All since then.
    ("15点29分20秒的保护性停止之后，又来了哪些保护性停止？", "protective stop since the protective stop in 14/15:29-14/15:29"),
    ("从 15:28:41 那次抓取丢失到现在，后来又有过哪几次抓取丢失？", "slip since the slip in 14/15:28-14/15:28"),
    // Every time, and who asks for what.
    ("I need every time the gripper lost its grip from 14:50 to 14:55.", "slip[gripper] in 14/14:50-14/14:55"),
    ("I'm writing up yesterday morning. What were its last three protective stops?", "last 3 protective stop in 13/04:00-13/12:00"),
    ("My colleague wants the first three protective stops of today.", "first 3 protective stop in 14/00:00-15/00:00"),
    ("Any protective stops in the last half hour? I was at the other cell.", "protective stop in 14/15:50-14/16:20"),
    ("planner.query: most recent protective_stop before cycle 160 start", "#-1 protective stop before the change[cycle]=160"),
    ("我刚接班。过去半小时里有哪些抓取丢失？", "slip in 14/15:50-14/16:20"),
    ("First, list the drops of today.", "slip in 14/00:00-15/00:00"),
    ("最早的五条机械臂运动", "first 5 motion[机械臂]"),
];

#[rustfmt::skip]
const NOT_READ: &[&str] = &[
    "What happens every time the gripper loses its grip?",
    "Tell me every time the gripper loses its grip",
    "In the last half hour, how many drops? I want those of the left gripper.",
    "How many drops today? Only the blue ones.",
    "How many other drops today?",
    "For the left gripper, how many drops today?",
    "In manual mode, how many protective stops were there today?",
    "How many drops did robot A have today?",
    "List the protective stops of the last shift.",
    "What happened on the 12th?",
    "How many drops were there this hour?",
    "这段时间掉了几次件？",
    "How many drops came more than ten minutes after the last protective stop?",
    "On how many days last week was there a protective stop?",
    "When it trips at 9:02, what should I do after that?",
    "The value changed to 1200, what came before 1300?",
    "What happened after cycle 200?",
    "How many drops between 8.30 newtons and 9.00 newtons today?",
    "Take the part before the second stop",
    "All the protective stops within two minutes of the last grip loss",
    "The grip loss was followed by an alarm which nobody heard",
    "周期 203 和周期 204 之间发生了什么？",
    "今天掉了几次件？我说的是蓝色的。",
];

#[test]
fn other_words_for_the_same_are_read() {
    assert_read(READ);
}

#[test]
fn what_says_more_is_not_read() {
    assert_not_read(NOT_READ);
}
