//! Paraphrases: whatever names the events, the time and what is asked of them, and wherever these stand, the same is read.

use super::shown::short;
use super::*;
use jiff::Timestamp;
use std::collections::BTreeMap;

/// One kind of events: its names in English, one of them and several; what does what, and did it; its names in Chinese, and what
/// does what.
struct Class {
    english: &'static [(&'static str, &'static str)],
    does: &'static [(&'static str, &'static str, &'static str)],
    han: &'static [&'static str],
    han_does: &'static [(&'static str, &'static str)],
}

#[rustfmt::skip]
const CLASSES: [Class; 5] = [
    Class {
        english: &[("protective stop", "protective stops")],
        does: &[],
        han: &["保护性停止", "保护停机"],
        han_does: &[("", "发生保护性停止"), ("", "触发保护停机")],
    },
    Class {
        english: &[("grip loss", "grip losses"), ("drop", "drops")],
        does: &[("gripper", "lose its grip", "lost its grip")],
        han: &["掉件", "抓取丢失"],
        han_does: &[("夹爪", "掉件"), ("", "掉件")],
    },
    Class {
        english: &[("cycle change", "cycle changes"), ("change of the cycle counter", "changes of the cycle counter")],
        does: &[("cycle counter", "change", "changed")],
        han: &["循环计数变化", "周期变化"],
        han_does: &[("循环计数", "变化"), ("周期", "变化")],
    },
    Class {
        english: &[("arm movement", "arm movements"), ("motion of the arm", "motions of the arm")],
        does: &[("arm", "move", "moved")],
        han: &["机械臂运动", "手臂动作"],
        han_does: &[("机械臂", "动"), ("手臂", "运动")],
    },
    Class {
        english: &[("gripper movement", "gripper movements"), ("motion of the gripper", "motions of the gripper")],
        does: &[("gripper", "move", "moved")],
        han: &["夹爪动作", "夹爪运动"],
        han_does: &[("夹爪", "动"), ("夹爪", "动作")],
    },
];

/// A stretch of time, in both languages.
#[rustfmt::skip]
const STRETCHES: [(&[&str], &[&str]); 10] = [
    (&["today"], &["今天"]),
    (&["between 9:00 and 10:00", "from 9:00 to 10:00"], &["9点到10点之间", "在9:00到10:00之间"]),
    (&["yesterday between 14:30 and 15:00", "between 14:30 and 15:00 yesterday"], &["昨天14:30到15:00之间"]),
    (&["after 15:00 today", "today after 15:00"], &["今天15点之后", "今天15:00以后"]),
    (&["on 26 October 2022"], &["2022年10月26日"]),
    (&["since the third protective stop"], &["第三次保护性停止以来", "自第三次保护性停止以来"]),
    (&["since the last protective stop", "since the most recent protective stop"], &["最后一次保护性停止以来"]),
    (&["since memory 288"], &["记忆288以来"]),
    (&["since the protective stop at 14:31:20"], &["14:31:20的保护性停止以来", "14:31:20那次保护性停止以来"]),
    (&["between the third and the fourth protective stop"], &["第三次保护性停止和第四次保护性停止之间", "第三次和第四次保护性停止之间"]),
];

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Ways to ask how many there were of a class in a stretch.
fn counts(class: &Class, english: &str, han: &[&str]) -> Vec<String> {
    let mut texts = Vec::new();
    let first = capital(english);
    for (_, many) in class.english {
        texts.extend([
            format!("How many {many} were there {english}?"),
            format!("{first}, how many {many} were there?"),
            format!("How many {many} occurred {english}?"),
            format!("Count the {many} {english}."),
        ]);
    }
    for (subject, verb, _) in class.does {
        texts.push(format!("How many times did the {subject} {verb} {english}?"));
        texts.push(format!("{first}, how often did the {subject} {verb}?"));
    }
    for han in han {
        for name in class.han {
            texts.push(format!("{han}有几次{name}？"));
            texts.push(format!("{han}一共发生了多少次{name}？"));
        }
        for (subject, verb) in class.han_does {
            texts.push(format!("{han}{subject}{verb}了几次？"));
            texts.push(format!("{subject}{han}{verb}了几次？"));
            texts.push(format!("{han}，{subject}一共{verb}了多少次？"));
        }
    }
    texts
}

/// Ways to ask for all of a class in a stretch.
fn lists(class: &Class, english: &str, han: &[&str]) -> Vec<String> {
    let mut texts = Vec::new();
    let first = capital(english);
    for (_, many) in class.english {
        texts.extend([
            format!("List the {many} {english}."),
            format!("Which {many} were there {english}?"),
            format!("Show me all {many} {english}."),
            format!("{first}, which {many} occurred?"),
        ]);
    }
    for han in han {
        for name in class.han {
            texts.push(format!("{han}有哪些{name}？"));
            texts.push(format!("列出{han}的{name}。"));
            texts.push(format!("把{han}的所有{name}列出来。"));
        }
    }
    texts
}

/// Ways to ask for the first of a class in a stretch.
fn firsts(class: &Class, english: &str, han: &[&str]) -> Vec<String> {
    let mut texts = Vec::new();
    let first = capital(english);
    for (one, _) in class.english {
        texts.push(format!("What was the first {one} {english}?"));
        texts.push(format!("{first}, when was the first {one}?"));
    }
    for (subject, _, did) in class.does {
        texts.push(format!("When was the first time the {subject} {did} {english}?"));
    }
    for han in han {
        for name in class.han {
            texts.push(format!("{han}第一次{name}是什么时候？"));
            texts.push(format!("{han}的第一次{name}是哪次？"));
        }
    }
    texts
}

/// What is read of a text, with the English name of what it is about.
fn read(text: &str) -> String {
    let now: Timestamp = "2022-10-26T18:00:00Z".parse().expect("a time");
    let now = Stamp(i64::try_from(now.as_nanosecond()).expect("in range"));
    let asked = order_question(text, Some((now, &TimeZone::UTC)), None);
    let mut short = asked.map_or_else(|| "nothing".to_owned(), |asked| short(&asked));
    #[rustfmt::skip]
    const NAMES: [(&str, &str); 7] = [
        ("循环计数", "cycle"), ("循环", "cycle"), ("周期", "cycle"), ("机械臂", "arm"), ("手臂", "arm"), ("夹爪", "gripper"), ("slip[gripper]", "slip"),
    ];
    for (name, english) in NAMES {
        short = short.replace(name, english);
    }
    short
}

#[test]
fn paraphrases_are_read_alike() {
    let mut wrong = String::new();
    let mut count = 0;
    for class in &CLASSES {
        for (english, han) in STRETCHES {
            for ask in [counts, lists, firsts] {
                let texts = english.iter().flat_map(|english| ask(class, english, han));
                let mut read_as: BTreeMap<String, Vec<String>> = BTreeMap::new();
                for text in texts {
                    read_as.entry(read(&text)).or_default().push(text);
                    count += 1;
                }
                if read_as.len() > 1 || read_as.contains_key("nothing") {
                    wrong += &format!("{read_as:#?}\n");
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(count > 3_000, "{count} texts");
}
