//! Questions about the closest events, several kinds of events, and the time of a cycle.

use super::order_question;
use super::tests::{assert_not_read, assert_read, now, zone};

#[rustfmt::skip]
const READ: &[(&str, &str)] = &[
    // The closest to a moment.
    ("Which protective stop was closest to 8:45?", "1 protective stop closest to 14/08:45"),
    ("Which protective stop was the closest to 14:30 yesterday?", "1 protective stop in 13/00:00-14/00:00 closest to 13/14:30"),
    ("Find the grip loss nearest to 10:15.", "1 slip closest to 14/10:15"),
    ("What was the closest grip loss to 15:00?", "1 slip closest to 14/15:00"),
    ("the three drops closest in time to 14:30", "3 slip closest to 14/14:30"),
    ("离15点最近的一次抓取丢失是哪次？", "1 slip closest to 14/15:00"),
    ("哪次保护性停止离14:30最近？", "1 protective stop closest to 14/14:30"),
    ("距离9点最近的那次掉件", "1 slip closest to 14/09:00"),
    ("最接近14:30的一次掉件是什么时候？", "1 slip closest to 14/14:30"),
    ("离14点30分最近的两次掉件", "2 slip closest to 14/14:30"),
    ("grip loss nearest 3:10 pm", "1 slip closest to 14/15:10"),
    // The closest to an event.
    ("Which protective stop is closest in time to the cycle change from 104 to 105?", "1 protective stop closest to the change[cycle]=104>105"),
    ("Which movement was closest to the third grip loss?", "1 motion closest to #3 slip"),
    ("Which grip loss is nearest in time to the last protective stop?", "1 slip closest to #-1 protective stop"),
    ("离第三次保护性停止最近的掉件是哪次？", "1 slip closest to #3 protective stop"),
    // Several kinds.
    ("List every stop, grip loss and cycle change between 9:00 and 9:05 in order.",
        "stop or slip or change[cycle] in 14/09:00-14/09:05 oldest first"),
    ("Show the protective stops and grip losses after 15:00", "protective stop or slip in 14/15:00-"),
    ("How many protective stops and grip losses were there in total before 9:00?",
        "count protective stop or slip in 14/00:00-14/09:00"),
    ("the last drop or protective stop before 9:00", "#-1 slip or protective stop in 14/00:00-14/09:00"),
    ("Which stops and drops came after the last movement?", "stop or slip since #-1 motion"),
    ("Show both the drops and the protective stops between 15:00 and 15:10", "slip or protective stop in 14/15:00-14/15:10"),
    ("按先后顺序列出14点20分到14点25分之间的保护性停止和抓取丢失。", "protective stop or slip in 14/14:20-14/14:25 oldest first"),
    ("15点以后的掉件和保护性停止一共几次？", "count slip or protective stop in 14/15:00-"),
    ("列出14:20到14:25之间的保护性停止、掉件和手臂运动", "protective stop or slip or motion[手臂] in 14/14:20-14/14:25"),
    ("Give me the last three events before 14:38 that were either a drop or a protective stop",
        "last 3 slip or protective stop in 14/00:00-14/14:38"),
    ("In what order did the stops and drops between 14:36 and 14:40 happen?", "stop or slip in 14/14:36-14/14:40 oldest first"),
    ("今天上午的保护停机加上抓取丢失，总共有多少次？", "count protective stop or slip in 14/04:00-14/12:00"),
    ("把14点50分到14点55分之间的保护停机和掉件放在一起列出来。", "protective stop or slip in 14/14:50-14/14:55"),
    // A part of the day beside a clock of 24 hours, an order, what is beside an event.
    ("今天下午14:25之前有哪几次保护性停止？", "protective stop in 14/12:00-14/14:25"),
    ("List the five arm movements before the last protective stop, most recent first.",
        "5 motion[arm] newest first before #-1 protective stop"),
    ("Which other events are logged within 10 seconds before or after the 19th drop?", "event around #19 slip within 10"),
    ("查一下08:32到08:34的掉件记录，最晚的排在最前面。", "slip in 14/08:32-14/08:34 newest first"),
    ("最近五次保护停机，按从新到旧的顺序排。", "last 5 protective stop newest first"),
    ("From the first stop to today's last drop, list all events.", "event from #1 stop in 14/00:00-15/00:00 to #-1 slip in 14/00:00-15/00:00"),
    ("list the last 4 protective stops, oldest first", "last 4 protective stop oldest first"),
    ("给我看今天最后五次掉件，先列最早的。", "last 5 slip in 14/00:00-15/00:00 oldest first"),
    ("the first three drops after 15:00, newest first", "first 3 slip in 14/15:00- newest first"),
    ("今天的急停和掉件这两类事件，一共几次？", "count emergency stop or slip in 14/00:00-15/00:00"),
    ("急停和掉件这两类事件昨天一共几次", "count emergency stop or slip in 13/00:00-14/00:00"),
    ("把今天的急停和掉件放在一起", "emergency stop or slip in 14/00:00-15/00:00"),
    // The time of a cycle.
    ("How many grip losses were there in cycle 150?", "count slip during the change[cycle]=150"),
    ("List the protective stops during cycle 36.", "protective stop during the change[cycle]=36"),
    ("Show me the grip losses of cycle 36.", "slip during the change[cycle]=36"),
    ("Which protective stops fell into cycle 103?", "protective stop during the change[cycle]=103"),
    ("Cycle 64: how many times did the gripper lose its grip?", "count slip[gripper] during the change[cycle]=64"),
    ("Cycle 64, how many protective stops?", "count protective stop during the change[cycle]=64"),
    ("Which grip losses happened while the cycle counter stood at 253?", "slip during the change[cycle]=253"),
    ("When did the cycle change to 230 for the second time?", "#2 change[cycle]=230"),
    ("今天周期第二次变成229是什么时候?", "#2 change[周期]=229 in 14/00:00-15/00:00"),
    // The two ends are none of what is between them.
    ("How many impacts lie between the first and the last impact, not counting those two themselves?", "count impact between #1 impact and #-1 impact"),
    ("Not counting those two, how many drops were there between the second and the fifth stop?", "count slip between #2 stop and #5 stop"),
    ("在第二次和第五次碰撞之间（这两次不算），发生了哪几次碰撞？", "impact between #2 impact and #5 impact"),
    // On a day.
    ("How many drops in cycle 36 yesterday?", "count slip in 13/00:00-14/00:00 during the change[cycle]=36 in 13/00:00-14/00:00"),
    ("Show me the grip losses of cycle 36 on 12 March 2026.", "slip in 12/00:00-13/00:00 during the change[cycle]=36 in 12/00:00-13/00:00"),
    ("2026年3月12日循环185里夹爪丢件几次？", "count slip[夹爪] in 12/00:00-13/00:00 during the change[循环]=185 in 12/00:00-13/00:00"),
    // One class of several things.
    ("Which arm and gripper motions began after 14:00?", "motion[arm] or motion[gripper] in 14/14:00-"),
    ("How many arm motions and gripper motions were there in total after 14:00?", "count motion[arm] or motion[gripper] in 14/14:00-"),
    ("14点以后，手臂和夹爪的运动一共有几次？", "count motion[手臂] or motion[夹爪] in 14/14:00-"),
    ("The counter reached 230 twice. When was the second time?", "#2 change[cycle]=230"),
    ("The counter reached 230 twice that day. When did it change to 230 for the second time?", "#2 change[cycle]=230"),
    ("计数器两次变到226，第一次是什么时候？", "#1 change[周期]=226"),
    ("循环号225出现过两次，第一次变为225是几点？", "#1 change[周期]=225"),
    ("计数器今天两次变成229,第一次是什么时候?", "#1 change[周期]=229 in 14/00:00-15/00:00"),
    ("夹爪一共动过几次？", "count motion[夹爪]"),
    ("夹爪头一回动是什么时候？", "#1 motion[夹爪]"),
    ("09点到10点（UTC）这一小时内循环计数变了多少次？", "nothing"),
    ("09点到10点这一小时内循环计数变了多少次？", "count change[循环] in 14/09:00-14/10:00"),
    // All before it.
    ("List all stops before the third grip loss.", "stop until #3 slip"),
    ("Which protective stops happened before the second grip loss?", "protective stop until #2 slip"),
    ("Return all motion events that began after the last impact.", "motion since #-1 impact"),
    ("第64周期：掉了几次件？", "count slip during the change[周期]=64"),
    ("第64个周期，一共掉了几次件？", "count slip during the change[周期]=64"),
    ("周期计数为65的那段时间里,夹爪掉件是哪几次?", "slip[夹爪] during the change[周期]=65"),
    ("第150周期里掉了几次件？", "count slip during the change[周期]=150"),
    ("列出周期36期间的保护性停止", "protective stop during the change[周期]=36"),
    ("How many protective stops happened between cycle 86 and cycle 100?",
        "count protective stop between the change[cycle]=86 and the change[cycle]=100"),
    ("第86周期到第100周期之间有几次保护性停止？", "count protective stop between the change[周期]=86 and the change[周期]=100"),
];

#[rustfmt::skip]
const NOT_READ: &[&str] = &[
    // A number of cycles, another cycle, or more than one.
    "最近10个循环里有几次急停？", "每100个循环里有多少次掉件？", "这5个周期内掉件几次？", "How many stops in cycle 36-40?",
    "What happened in cycle 36 versus cycle 35?", "List the stops other than in cycle 36", "What happened in cycle 12 345?", "Stops in cycle 3 minutes",
    "List the drops in cycle 36 of the left arm", "Stops in cycle 36 with code 5", "Stops in cycle 3 of 5",
    "We changed the gripper in cycle 36. How many drops since?", "I was away in cycle 36. List the stops and drops since then.",
    "During cycle 36 the arm dropped the part. What happened next?", "Between cycle 36 and 12 o'clock, how many stops?",
    "How many stops between cycle 36 and 2 hours ago", "周期3和周期3之间发生了什么", "between cycle 4294967295 and cycle 4294967295, how many stops?",
    "In cycle 36 the gripper lost the part. When was the last stop?", "Log: last stop in cycle 36",
    "第150周期里该做什么", "请在第150周期里急停", "Stops and drops happened today.", "今天发生了急停和掉件。",
    "List drops, stops and issues today", "List the drops, stops and starts after 15:00",
    // Together at one time, or what is no event.
    "How many stops and drops happened together today?", "今天急停和掉件一起发生过吗", "今天的急停和掉件及维修",
    "What is the difference between stops and drops today?", "How many stops or drops may happen per hour?", "昨天急停和掉件总时间",
    // Near in space or kind.
    "Which stop came closest to the limit?", "哪次碰撞最接近阈值", "Which movement came closest to the operator?", "离障碍物最近的是哪次运动",
    "离上次掉件地点最近的急停", "Which drop was closest to the place of the last stop?", "与上次碰撞最接近的碰撞", "Which obstacle was closest to the robot at 9:00?",
    "Which of the two stops was closest to 9:00?", "Which stop was closest to 9:00 without a drop?", "Which stop was closest to 30 minutes before the last drop?",
    "nearest stop from 9:00 to 10:00", "离9点最近的急停之后发生了什么", "Which stop was closest to but before 9:00?",
    // Each by itself, or which of them.
    "How many protective stops and grip losses were there before 9:00?", "the last drop and protective stop before 9:00",
    "How many drops and how many protective stops were there after 15:00?", "the last three drops and protective stops",
    "How many drops and stops per hour?",
    "What was the first drop or stop of each hour respectively?", "the drops and the paint marks after 15:00",
    "What happened between the last drop and the last protective stop and movement?",
    "保护性停止和掉件分别有几次？", "15点以后的掉件和保护性停止各几次？", "保护性停止和掉件有几次？",
    "最后一次掉件和保护性停止", "列出掉件和换刀",
    // No moment, or of another kind.
    "Which shelf is closest to the arm?", "Which protective stop was closest to lunch?", "Which cup is nearest to 8:45?",
    "What is closest to 8:45?", "Which stops were closest to 8:45?", "Was the last stop closest to 8:45?",
    "How many stops were closest to 8:45?", "离15点最近的是什么？", "离工作台最近的杯子", "离15点最近的掉件有哪些？",
    "Which force was closest to 15?", "Which stop is closest to each drop?",
    // What is asked may be of that cycle, or not.
    "Cycle 64 was a mess. How many times did the gripper lose its grip today?", "第64周期有点乱。今天急停几次？",
    "Cycle 64, 65 and 66: how many stops?", "How many stops at the start of cycle 36, 40 and 44?",
    // What is counted besides, or only in part.
    "Tom pressed the button twice. How many stops were there between 14:00 and 15:00, not counting those two?",
    "How many drops between cycle 36 and cycle 40, not counting those two?", "第三次急停和第五次急停之间，包括这两次，一共几次急停？",
    "How many events between the stop and the drop, not counting those two motions?",
    // Headings.
    "Cycle sixty-four: how many drops?", "Cycles 36 to 40: how many stops?", "第六十四周期：掉件几次？", "周期36到40：掉件几次？",
    "循环号225出现过两次，第一次急停是几点？",
    // A part of a cycle, or another day.
    "从周期数为65时起有几次急停？", "Starting in cycle 36, how many stops were there?",
    "What happened between the stops of cycle 36?", "When did the move into cycle 36 happen?", "第36周期中段掉件几次？",
    // Their end, where they went, and which of several parts.
    "the motion that ended at 14:30", "How many stops from 14:00 to the end of the hour?",
    "When did the right arm last move?", "the second gripper's last motion", "2号夹爪的最后一次动作是几点？", "When did the arm last move to the table?",
    "How many drops between the arm's first and the gripper's third motion?", "arm and table motions after 14:00",
    "When was the last closing motion of the gripper?", "第三次掉件后五分钟以上的急停有哪些？", "Was the event nearest 15:10 a drop?",
    "Which stops did I trigger after 14:00?", "今天我触发了几次急停？",
    // Not those between which is asked.
    "There were two stops at 9. Not counting those two, how many stops were there?",
    // Their sum, or each?
    "How many arm and gripper motions were there?", "手臂和夹爪动过几次？",
    // Of no one cycle.
    "In cycle 150 the arm moved.", "Since the last stop the arm moved.", "How long was cycle 150?", "What was the force in cycle 150?", "第150周期有多长？",
    "What happened between cycle 203 and cycle 204?", "周期203和周期204之间发生了什么？",
];

#[test]
fn the_closest_several_kinds_and_cycles_are_read() {
    assert_read(READ);
}

#[test]
fn what_is_not_one_kind_moment_or_cycle_is_not_read() {
    assert_not_read(NOT_READ);
}

#[test]
fn any_part_of_them_is_read_without_end() {
    const MORE: [&str; 3] = [
        "今天急停和掉件这两类😀",
        "急停和掉件这两类事件放在一起，放在一起这三类事件",
        "离离最近最近的的急停和和",
    ];
    let texts = READ.iter().map(|(text, _)| *text).chain(NOT_READ.iter().copied()).chain(MORE);
    for text in texts {
        for (at, _) in text.char_indices().step_by(3) {
            for part in [&text[..at], &text[at..]] {
                let _ = order_question(part, Some((now(), &zone())), None);
            }
        }
    }
}
