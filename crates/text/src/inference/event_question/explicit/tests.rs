use super::shown::short;
use super::*;
use jiff::civil::date;

pub(super) fn zone() -> TimeZone {
    TimeZone::fixed(jiff::tz::offset(8))
}

/// A Saturday afternoon in a zone eight hours ahead.
pub(super) fn now() -> Stamp {
    let at = date(2026, 3, 14).at(16, 20, 0, 0).to_zoned(zone()).expect("a time");
    Stamp(i64::try_from(at.timestamp().as_nanosecond()).expect("in range"))
}

fn read(text: &str) -> Option<OrderQuestion> {
    order_question(text, Some((now(), &zone())), None)
}

#[rustfmt::skip]
const READ: &[(&str, &str)] = &[
    // Beside an event.
    ("What happened just before the last protective stop?", "all just before #-1 protective stop"),
    ("what happened right after the first grip loss", "all just after #1 slip"),
    ("What happened in the ten minutes before the second to last grip loss?", "all before #-2 slip within 600"),
    ("what happened within 30 seconds after the third protective stop", "all after #3 protective stop within 30"),
    ("What did the robot do after the first emergency stop yesterday?", "all after #1 emergency stop in 13/00:00-14/00:00"),
    ("What happened after yesterday's first emergency stop?", "all after #1 emergency stop in 13/00:00-14/00:00"),
    ("Just before the last protective stop, what happened?", "all just before #-1 protective stop"),
    ("Which motions were there between the first protective stop and the second protective stop?",
        "motion between #1 protective stop and #2 protective stop"),
    ("what happened between the last two protective stops", "all between #-2 protective stop and #-1 protective stop"),
    ("what happened between the first and the second collision", "all between #1 impact and #2 impact"),
    ("what happened from the last protective stop to the last grip loss", "all from #-1 protective stop to #-1 slip"),
    ("What was the last motion before the last protective stop?", "#-1 motion before #-1 protective stop"),
    ("the first contact after the second to last impact", "#1 contact after #-2 impact"),
    ("the three motions before the last protective stop", "3 motion before #-1 protective stop"),
    ("what happened around the last protective stop", "all around #-1 protective stop"),
    ("what happened before the last time the gripper lost its grip", "all before #-1 slip[gripper]"),
    ("List everything since the last protective stop.", "all since #-1 protective stop"),
    ("how often did the arm move since the last grip loss?", "count motion[arm] since #-1 slip"),
    ("How many motions have there been since the third protective stop?", "count motion since #3 protective stop"),
    ("how many collisions were there in the 5 minutes before the last emergency stop",
        "count impact before #-1 emergency stop within 300"),
    ("what happened after the emergency stop", "all after the emergency stop"),
    // Times.
    ("What happened yesterday?", "all in 13/00:00-14/00:00"),
    ("what happened today", "all in 14/00:00-15/00:00"),
    ("What happened last week?", "all in 02/00:00-09/00:00"),
    ("what happened between 3 and 5 pm yesterday", "all in 13/15:00-13/17:00"),
    ("what happened between 10:00 and 11:30", "all in 14/10:00-14/11:30"),
    ("what happened in the last two hours", "all in 14/14:20-14/16:20"),
    ("protective stops on March 5", "protective stop in 05/00:00-06/00:00"),
    ("was there a protective stop yesterday afternoon?", "protective stop in 13/12:00-13/18:00"),
    ("Which collisions happened on Monday?", "impact in 09/00:00-10/00:00"),
    // Counts.
    ("How many protective stops today?", "count protective stop in 14/00:00-15/00:00"),
    ("how often did it slip today", "count slip in 14/00:00-15/00:00"),
    ("how many protective stops since noon", "count protective stop in 14/12:00-15/00:00"),
    ("How many times did the gripper lose its grip between 10:00 and 12:00 today?", "count slip[gripper] in 14/10:00-14/12:00"),
    ("How many impacts were there in total?", "count impact"),
    ("number of protective stops per day", "count protective stop per day"),
    ("how many protective stops were there each hour yesterday", "count protective stop in 13/00:00-14/00:00 per hour"),
    ("how many grip losses per session", "count slip per session"),
    ("how many protective stops before 10:30 today", "count protective stop in 14/00:00-14/10:30"),
    ("how often did the cycle change today", "count change[cycle] in 14/00:00-15/00:00"),
    // One of several.
    ("When was the last protective stop?", "#-1 protective stop"),
    ("the first contact", "#1 contact"),
    ("the third motion today", "#3 motion in 14/00:00-15/00:00"),
    ("When did the gripper first lose its grip today?", "#1 slip[gripper] in 14/00:00-15/00:00"),
    ("What was the second to last collision?", "#-2 impact"),
    ("the first protective stop of each day", "#1 protective stop per day"),
    ("last grip loss of every session", "#-1 slip per session"),
    ("the last three protective stops", "last 3 protective stop"),
    ("show me the first two impacts of yesterday", "first 2 impact in 13/00:00-14/00:00"),
    ("what was the last event", "#-1 event"),
    ("What was the penultimate emergency stop?", "#-2 emergency stop"),
    ("When was the 4th protective stop?", "#4 protective stop"),
    ("What happened in the minute before the last collision?", "all before #-1 impact within 60"),
    ("protective stops on 5 March 2025", "protective stop in 05/00:00-06/00:00"),
    ("how many protective stops on October 26, 2022", "count protective stop in 26/00:00-27/00:00"),
    ("list the protective stops, newest first", "protective stop newest first"),
    ("all protective stops of today in order", "protective stop in 14/00:00-15/00:00 oldest first"),
    ("how many impacts during the last hour", "count impact in 14/15:20-14/16:20"),
    ("how often was the protective stop triggered today", "count protective stop in 14/00:00-15/00:00"),
    ("how many impacts between two and three in the afternoon", "count impact in 14/14:00-14/15:00"),
    ("What preceded the first collision?", "all before #1 impact"),
    ("Which collision came next after the tenth protective stop?", "#1 impact after #10 protective stop"),
    ("List the last 4 protective stops, newest first", "last 4 protective stop newest first"),
    ("How many protective stops fell between the second and the fifth grip loss?",
        "count protective stop between #2 slip and #5 slip"),
    ("Since the fiftieth protective stop, how often did the gripper lose its grip?", "count slip[gripper] since #50 protective stop"),
    ("How many protective stops to date?", "count protective stop"),
    ("First cycle change after the fourth protective stop", "#1 change[cycle] after #4 protective stop"),
    ("oldest three cycle changes", "first 3 change[cycle]"),
    ("When did the gripper lose its grip for the first time?", "#1 slip[gripper]"),
    ("Which grip loss was the first today?", "#1 slip in 14/00:00-15/00:00"),
    ("What was the hundredth protective stop?", "#100 protective stop"),
    ("First protective stop after 15:00 on 2026-03-12", "#1 protective stop in 12/15:00-13/00:00"),
    ("How many protective stops after 15:00 yesterday?", "count protective stop in 13/15:00-14/00:00"),
    ("How many protective stops since 15:00 yesterday?", "count protective stop in 13/15:00-"),
    ("protective stops 10:00-10:30", "protective stop in 14/10:00-14/10:30"),
    ("Which collision followed the twenty-first protective stop?", "impact after #21 protective stop"),
    ("Which motions lie between the first and the second grip loss?", "motion between #1 slip and #2 slip"),
    ("What came straight after the first emergency stop?", "all just after #1 emergency stop"),
    ("What was logged in the ninety seconds before the 2nd impact?", "all before #2 impact within 90"),
    ("the next protective stop after the fifth grip loss", "#1 protective stop after #5 slip"),
    ("last grip loss before the first protective stop of the afternoon (after 12:00), please",
        "#-1 slip in 14/12:00- before #1 protective stop in 14/12:00-14/18:00"),
    ("how many grip losses until the first protective stop", "count slip before #1 protective stop"),
    ("grip losses in the 8 o'clock hour on 5 March", "slip in 05/08:00-05/09:00"),
    ("Break down the protective stops by hour", "count protective stop per hour"),
    ("the two entries before the fourth collision", "2 event before #4 impact"),
    ("how often was the emergency stop button pressed today", "count emergency stop in 14/00:00-15/00:00"),
    ("what happened after the first stop and before the last stop", "all from #1 stop to #-1 stop"),
    // What happened, told by a clause; who is told of says nothing.
    ("After the second time we lost the grip, what did the robot log next?", "all just after #2 slip"),
    ("Which stop came last before the part slipped for the fourth time?", "#-1 stop before #4 slip"),
    ("Right before the robot tripped for the third time, what was the last thing it logged?", "#-1 event before #3 stop"),
    ("Once the third protective stop was over, what was the first movement?", "#1 motion after the end of #3 protective stop"),
    ("When it dropped the part for the fourth time, what came next in the log?", "all just after #4 slip"),
    ("How many parts were dropped today?", "count slip in 14/00:00-15/00:00"),
    ("How often did the robot go into protective stop today?", "count protective stop in 14/00:00-15/00:00"),
    ("How many times has the robot tripped since the last dropped part?", "count stop since #-1 slip"),
    ("what did it do last before its third protective stop", "#-1 event before #3 protective stop"),
    // Several sentences, and what stands in parentheses.
    ("Has the arm moved since the last grip loss? How many movements?", "count motion[arm] since #-1 slip"),
    ("The third protective stop. What came next?", "all just after #3 protective stop"),
    ("The part slipped out at 08:52 - when did it trip next?", "#1 stop after the slip in 14/08:52-14/08:53"),
    ("Did it trip yesterday, and if so, how often?", "count stop in 13/00:00-14/00:00"),
    ("I'm writing a report, so list the last three grip losses. Thanks!", "last 3 slip"),
    ("Per hour: the last protective stop", "#-1 protective stop per hour"),
    ("what happened before the last grip loss (the dropped part)", "all before #-1 slip"),
    // An event at a moment, and one that made something what it says.
    ("what happened right after the protective stop at 14:21:07", "all just after the protective stop in 14/14:21-14/14:21"),
    ("impacts between the stop at 08:46 and the one at 08:53", "impact between the stop in 14/08:46-14/08:47 and the stop in 14/08:53-14/08:54"),
    ("how many slips between the change to cycle 36 and the change to cycle 42",
        "count slip between the change[cycle]=36 and the change[cycle]=42"),
    ("The counter jumped from 128 to 150; which stops came in the 3 minutes after that jump?", "stop after the change[cycle]=128>150 within 180"),
    // Between two sides, up to one, and from one until now.
    ("motions after the 12th but before the 13th grip loss", "motion from #12 slip to #13 slip"),
    ("how many slips up to the tenth protective stop", "count slip before #10 protective stop"),
    ("From the 100th protective stop until now, how many slips?", "count slip since #100 protective stop"),
    ("how many slips between drop number 3 and drop no. 5", "count slip between #3 slip and #5 slip"),
    // Times.
    ("how many impacts between half past two and three this afternoon", "count impact in 14/14:30-14/15:00"),
    ("impacts from a quarter past two to 3 pm", "impact in 14/14:15-14/15:00"),
    ("How many drops between 8.30 and 9.00 today?", "count slip in 14/08:30-14/09:00"),
    ("impacts from noon to one pm", "impact in 14/12:00-14/13:00"),
    ("impacts, half an hour before 15:00", "impact in 14/14:30-14/15:00"),
    ("the first five minutes after 2 pm, which impacts?", "impact in 14/14:00-14/14:05"),
    ("the final impact of the day", "#-1 impact in 14/00:00-15/00:00"),
    ("how many impacts on the 5th of March (March 2025)", "nothing"),
    ("how many impacts up to 9 am", "count impact in 14/00:00-14/09:00"),
    ("how many impacts today until noon", "count impact in 14/00:00-14/12:00"),
    ("how many impacts since midnight", "count impact in 14/00:00-"),
    ("impacts from 2:15 to 3 pm", "impact in 14/14:15-14/15:00"),
    ("Between drops 3 and 4, how many impacts?", "count impact between #3 slip and #4 slip"),
    ("From the first to the tenth drop, how many impacts?", "count impact from #1 slip to #10 slip"),
    ("the nearest impact after the 30th drop", "impact just after #30 slip"),
    // In groups.
    ("Break today's impacts down by hour.", "count impact in 14/00:00-15/00:00 per hour"),
    ("How were the impacts distributed over the hours?", "count impact per hour"),
    ("For every hour, show the five most recent impacts", "nothing"),
    ("the five most recent impacts", "last 5 impact"),
    ("Which three impacts were the most recent?", "last 3 impact"),
    ("Which impact came first?", "#1 impact"),
    // The same in Chinese.
    ("最初的三次抓取丢失", "first 3 slip"),
    ("第六次抓取丢失后最先发生的保护停止", "#1 protective stop after #6 slip"),
    ("上次碰撞到现在有几次保护停止", "count protective stop since #-1 impact"),
    ("今天到现在急停了几次", "count emergency stop in 14/00:00-"),
    ("周期一共变了几次", "count change[周期]"),
    ("上次保护停止之后有抓取丢失吗", "slip after #-1 protective stop"),
    ("第一百零三次碰撞是哪一条", "#103 impact"),
    ("第五次掉落后，下一次保护停止是哪次？", "#1 protective stop after #5 slip"),
    ("第四次抓取丢失紧前面的两条记录", "2 event just before #4 slip"),
    ("最后一次急停之前刚刚发生了什么", "all just before #-1 emergency stop"),
    ("昨天14点以后的第一次急停", "#1 emergency stop in 13/14:00-14/00:00"),
    ("昨天15点20分以来的急停", "emergency stop in 13/15:20-"),
    ("过去半小时里急停了几回", "count emergency stop in 14/15:50-14/16:20"),
    ("每小时各有几次碰撞", "count impact per hour"),
    ("2025年3月5日有几次急停", "count emergency stop in 05/00:00-06/00:00"),
    ("上次急停之后的三次移动", "3 motion after #-1 emergency stop"),
    ("按时间顺序列出今天的急停", "emergency stop in 14/00:00-15/00:00 oldest first"),
    ("上次急停之前发生了什么？", "all before #-1 emergency stop"),
    ("第三次保护性停止之后发生了什么", "all after #3 protective stop"),
    ("就在上次急停之前发生了什么", "all before #-1 emergency stop"),
    ("上次保护性停止前十分钟内发生了什么？", "all before #-1 protective stop within 600"),
    ("倒数第二次掉落之后的三十秒里发生了什么", "all after #-2 slip within 30"),
    ("昨天第一次急停之后发生了什么", "all after #1 emergency stop in 13/00:00-14/00:00"),
    ("自从上次急停以来发生了什么？", "all since #-1 emergency stop"),
    ("上次急停以来动了几次？", "count motion since #-1 emergency stop"),
    ("从上次保护性停止到现在发生了多少次碰撞", "count impact since #-1 protective stop"),
    ("第一次急停和第二次急停之间发生了什么", "all between #1 emergency stop and #2 emergency stop"),
    ("第一次和第二次保护性停止之间有几次移动", "count motion between #1 protective stop and #2 protective stop"),
    ("最近两次急停之间发生了什么", "all between #-2 emergency stop and #-1 emergency stop"),
    ("上次急停之前的最后一次移动是什么时候", "#-1 motion before #-1 emergency stop"),
    ("上次急停前后发生了什么", "all around #-1 emergency stop"),
    ("今天急停了几次？", "count emergency stop in 14/00:00-15/00:00"),
    ("今天一共发生了几次保护性停止", "count protective stop in 14/00:00-15/00:00"),
    ("昨天下午有几次碰撞", "count impact in 13/12:00-13/18:00"),
    ("一共有多少次急停", "count emergency stop"),
    ("每天有几次保护性停止？", "count protective stop per day"),
    ("昨天每小时发生了多少次碰撞", "count impact in 13/00:00-14/00:00 per hour"),
    ("昨天下午发生了什么", "all in 13/12:00-13/18:00"),
    ("下午两点到四点之间发生了什么", "all in 14/14:00-14/16:00"),
    ("最后一次急停是什么时候？", "#-1 emergency stop"),
    ("每天第一次急停", "#1 emergency stop per day"),
    ("今天的第三次碰撞", "#3 impact in 14/00:00-15/00:00"),
    ("最近三次保护性停止", "last 3 protective stop"),
    ("前两次急停是什么时候", "first 2 emergency stop"),
    ("上周的急停", "emergency stop in 02/00:00-09/00:00"),
    ("夹爪在上次急停之前掉过几次", "count slip[夹爪] before #-1 emergency stop"),
    ("上午八点半到九点一共急停几次", "count emergency stop in 14/08:30-14/09:00"),
    ("下午三点到三点一刻，急停几次？", "count emergency stop in 14/15:00-14/15:15"),
    ("第三次保护性停机刚过，接下来记了什么？", "all just after #3 protective stop"),
    ("第一次抓取丢失后五分钟内，又丢了几次？", "count slip after #1 slip within 300"),
    ("上次抓取丢失以后手臂动过吗？动了几次？", "count motion[手臂] after #-1 slip"),
    ("夹爪第四次丢件之后紧接着发生了什么", "all just after #4 slip[夹爪]"),
    ("机器人第四次触发保护性停机之前最后做了什么", "#-1 event before #4 protective stop"),
    ("今天丢了多少次件", "count slip in 14/00:00-15/00:00"),
    ("15:20以后还停过机吗，停了几次？", "count stop in 14/15:20-"),
    ("每天最后一次保护性停机分别是哪次？", "#-1 protective stop per day"),
    ("5号每小时抓取丢失各多少次？（2026年3月）", "count slip in 05/00:00-06/00:00 per hour"),
    ("最后一次停机到目前为止发生了什么", "all since #-1 stop"),
    ("到目前为止停机几次", "count stop"),
    ("到第十次停机为止，掉了几次件", "count slip before #10 stop"),
    ("周期变成100之前的上一次停机", "#-1 stop before the change[周期]=100"),
    ("从换到第67周期到换到第77周期，夹丢几次", "count slip from the change[周期]=67 to the change[周期]=77"),
    ("15:29:14和15:29:20这两次停机之间手臂动了几次", "count motion[手臂] between the stop in 14/15:29-14/15:29 and the stop in 14/15:29-14/15:29"),
    ("第一次掉件之后、第二次掉件之前，手臂动了几次？", "count motion[手臂] from #1 slip to #2 slip"),
    ("下午三点前五分钟掉了几次件", "count slip in 14/14:55-14/15:00"),
    ("我在做磨损估算，请统计手臂今天的动作次数。多谢。", "count motion[手臂] in 14/00:00-15/00:00"),
    ("第七次抓取丢失的前一条记录", "#-1 event before #7 slip"),
    ("停机第三次之后的头两个动作", "first 2 motion after #3 stop"),
];

#[rustfmt::skip]
const NOT_READ: &[&str] = &[
    // It says something else, or leaves something open.
    "what did not happen before the last protective stop",
    "how often did it not slip today",
    "If the last protective stop was today, what now?",
    "what should I do after the last protective stop",
    "what happens after a protective stop?",
    "what happens before the last stop of the bus",
    "Why did the last protective stop happen?",
    "how long did the last stop last",
    "what happened before the protective stop before the last one",
    "what happened before and after the last collision or the last slip",
    "what happened three hours ago",
    "what happened at ten",
    "what happened a few minutes before the last protective stop",
    "what happened five minutes before the last protective stop",
    "how many protective stops recently",
    "how many protective stops in the last few days",
    "how many seconds passed between the first stop and the last stop",
    "what happened before every protective stop",
    "what happened before any emergency stop",
    "the hardest collision yesterday",
    "how often today",
    "yesterday",
    "protective stop",
    "the last one",
    "just before the last",
    "between 3 and 5",
    "what happened during the last protective stop",
    "what happened when the last protective stop began",
    "how many protective stops in the first session",
    "what happened at 10:30",
    "how many protective stops between 8 and 9 yesterday",
    "what happened after the first protective stop was followed by a grip loss",
    "is there a limit of protective stops per hour",
    "the next protective stop",
    "since the gripper dropped the part, what happened",
    "Was the last protective stop before the last grip loss?",
    "Did the first protective stop come before the first grip loss?",
    "Was the arm moving before the last protective stop?",
    "Stop after the first grip loss",
    "上次保护停止在上次抓取丢失之前吗",
    // It tells, or tells to do something.
    "The gripper dropped the part after the second protective stop.",
    "After the first grip loss, stop the robot.",
    "Could you stop after the third grip loss?",
    "Once it trips, what should I do?",
    "Please take the part before the second stop",
    "第三次掉件之后停机",
    "请在第三次掉件之后停机",
    "记下最后一次停机",
    // Another sentence asks for something else, or narrows it.
    "How many stops today? And how many drops?",
    "When was the third stop? What happened before it?",
    "How many drops today? Only those with the blue cup.",
    "Show the last three protective stops. Then the arm moved.",
    "How many drops (of the blue part) today?",
    "I am looking for the second gripper.",
    "今天停机几次？掉件几次？",
    "今天掉件几次？只算蓝色的。",
    // A length of time, a moment, a thing.
    "What is the time between the first and the second grip loss?",
    "What happened at 08:32?",
        "Were there more grip losses than protective stops today?",
    "cycle changes between cycle change 36 and cycle change 42",
    "最后掉的是哪个件？",
    "第30次掉件之后最近的一次停机",
        "How many drops on Saturday?",
    "How many drops per day are too many?",
    "第三次停机是什么时候？之前发生了什么？",
    // A place, a name, a verb, something quoted.
    "First, move the arm to the home position",
    "first move the arm and then stop",
    "when did the arm last stop?",
    "Anna said \"what happened just before the last protective stop\"",
    "Log: what happened yesterday. Then the arm moved.",
    "when was the robot last charged",
    // The same in Chinese.
    "上次急停之前没有发生什么",
    "如果今天急停了几次",
    "急停之后应该做什么",
    "每次急停之前发生了什么",
    "今天几次",
    "三小时前发生了什么",
    "最近急停了几次",
    "上次急停和上次碰撞之前发生了什么",
    "上次急停持续了多久",
    "昨天",
    "最强的碰撞",
    "昨天之后发生了什么",
    "今天几点急停按钮在门之前",
    "为什么会发生上次急停",
    "上次急停时发生了什么",
    "第一时间急停了吗",
    "急停后第二天会好吗",
    "最后急停了吗",
    "昨天八点到九点有几次急停",
    "上次急停期间发生了什么",
];

/// What names something that the store must know: it is for the names of the store to refuse it.
#[rustfmt::skip]
const OF_NAMES: &[&str] = &[
    "How many round trips did the robot make since noon?",
    "第二个零件什么时候掉的？",
    "How many drops this shift?",
    "最早的五台机器人运动",
    "Which part was dropped last?",
    "Which joint moved first?",
    "今天换了几次夹爪？",
    "where is the first aid kit",
    "What is a protective stop?",
    "How do I reset the last protective stop?",
    "Who reset the last protective stop?",
    "Please reset after the last protective stop",
    "Is the second grip loss of a part normal?",
    "The first rule: no protective stop before lunch",
    "Set the protective stop limit between 3 and 5 newtons",
    "Put the cup between the first and the second box",
    "Move the arm before the second protective stop sign",
    "the last grip loss training was yesterday",
    "We talked about protective stops yesterday",
    "Does the gripper always lose its grip after the first protective stop?",
    "How many protective stops are normal per day?",
    "How many protective stops per day are too many?",
    "Are more than two grip losses per hour normal?",
    "Did the night shift report grip losses yesterday?",
    "Remind me tomorrow about the last protective stop",
    "What will happen after the next protective stop?",
    "What would happen after the first grip loss?",
    "Explain the difference between the first protective stop and the last protective stop",
    "Compare the first and the last protective stop",
    "The last protective stop cost us an hour",
    "Reduce the speed after the third grip loss",
    "Stop after the first grip loss",
    "When the gripper loses its grip, stop first",
    "last protective stop operator",
    "Is the first protective stop counted?",
    "Which motion was faster, the first or the last?",
    "How far did the arm move before the last protective stop?",
    "How fast was the last motion?",
    "What caused the last protective stop?",
    "Where was the arm during the last protective stop?",
    "Was the gripper open before the last protective stop?",
    "Which object was lost in the last grip loss?",
    "Show me the manual page on protective stops, second edition",
    "Second the motion to move the meeting",
    "The motion passed after the second vote",
    "Grip the last part firmly",
    "My first grip loss was scary",
    "Every protective stop since the update",
    "protective stops since the update yesterday",
    "How many protective stops before the update?",
    "How many grip losses with the blue cup today?",
    "How many protective stops today were caused by Anna?",
    "The robot should stop before the second drop",
    "Take a picture after the last motion",
    "Schedule maintenance after the hundredth protective stop",
    "第一次保护停止应该怎么复位",
    "最后一次保护停止是谁按的",
    "请在下一次保护停止之前停下",
    "每次抓取丢失之后都要检查",
    "每天保护停止几次算正常",
    "今天的抓取丢失是什么原因",
    "上次保护停止之前手臂速度多快",
    "昨天操作员说抓取丢失很多",
    "保护停止第一条规定是什么",
    "第二个杯子抓取丢失了吗",
    "在第一次抓取丢失之后请降低速度",
    "最后一次抓取丢失的是哪个零件",
    "上次保护停止离现在多久",
    "先移动手臂再抓取",
    "抓取丢失之后第一件事是复位",
    "手臂动作前后要一致",
    "动作之前检查夹爪",
    "今天是第几次保护停止",
    "上午的保护停止比下午多吗",
    "stand before the last door",
    "the cup before the first shelf",
    "put the box before the emergency stop button",
    "What did Caroline do yesterday with the mug?",
    "who bumped into Anna on Monday",
    "the last door on the left",
    "take the second drawer",
    "how many cups are on the table",
    "最后一个抽屉在哪里",
    "第一个房间的杯子",
    "小明昨天说了什么",
    "今天几点开会",
];

/// That each question is read so.
pub(super) fn assert_read(questions: &[(&str, &str)]) {
    let mut wrong = Vec::new();
    for (text, expected) in questions {
        let got = read(text).map_or_else(|| "nothing".to_owned(), |asked| short(&asked));
        if got != *expected {
            wrong.push(format!("{text}\n    read: {got}\n    is:   {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), questions.len(), wrong.join("\n"));
}

/// That none of them is read.
pub(super) fn assert_not_read(questions: &[&str]) {
    let read: Vec<String> = questions
        .iter()
        .filter_map(|text| Some(format!("{text}: {}", short(&read(text)?))))
        .collect();
    assert!(read.is_empty(), "{} of {}:\n{}", read.len(), questions.len(), read.join("\n"));
}

#[test]
fn explicit_phrases_are_read() {
    assert_read(READ);
}

#[test]
fn what_is_not_wholly_of_order_is_not_read() {
    assert_not_read(NOT_READ);
}

#[test]
fn words_of_names_are_left_to_the_store() {
    for text in OF_NAMES {
        let Some(asked) = read(text) else { continue };
        let is_pair = matches!(asked.beside, Some(Beside::Between(..)));
        let anchors = asked.anchors().map(|anchor| &anchor.of).filter(|_| !is_pair);
        let has_words = anchors.chain([&asked.of]).any(|of| !of.words.is_empty());
        assert!(has_words, "{text}: {}", short(&asked));
    }
}

#[test]
fn any_text_is_read_without_end() {
    for text in [
        "",
        "？",
        "last last last",
        "第第第次",
        "between between and and",
        "上次之前之前",
        "1e9 before",
        "how many stops between 8 and 9 o'",
        "stops yesterday on",
        "10 \"周期20变为21号\" leading up to 9:00",
        "İ within 5 of éẞ afterwards",
        "现在18点,过去两小时掉过几次件?",
    ] {
        let _ = read(text);
    }
    // A text that breaks off anywhere.
    for text in READ.iter().map(|(text, _)| text).chain(NOT_READ) {
        for (at, _) in text.char_indices().step_by(7) {
            let _ = (read(&text[..at]), read(&text[at..]));
        }
    }
    for now in [Stamp(i64::MIN), Stamp(0), Stamp(i64::MAX)] {
        let _ = order_question("how many stops since yesterday 10:00", Some((now, &zone())), None);
    }
    assert_eq!(order_question("what happened yesterday", None, None), None);
}

#[test]
fn what_is_said_again_and_again_is_not_read() {
    for (begin, again) in [
        ("Which stops", " longer than 8 s"),
        ("今天循环计数", "变小"),
        ("急停", "结束后急停"),
        ("what came after the last stop", " ended after the last stop"),
        ("the last stop", " in memory 97"),
    ] {
        let text = begin.to_owned() + &again.repeat(90);
        assert_eq!(read(&text), None, "{begin}{again} ...");
    }
}
