//! What a question asks for: how often something was, how much of something it takes, how many there are, when it was.

use super::tokens::normalized;

/// What a question has in it that asks how often something was, or how well it goes, as whole words.
#[rustfmt::skip]
const HOW_OFTEN: &[&str] = &[
    "how often", "how frequently", "how many times", "how reliable", "how reliably", "how likely",
    "success rate", "failure rate", "what share of", "what percentage",
];

/// The same in Chinese.
const HOW_OFTEN_HAN: &[&str] =
    &["多少次", "几次", "成功率", "失败率", "多经常", "频率", "概率", "几率", "多大把握", "可靠"];

/// Words behind "how" that ask for no amount.
#[rustfmt::skip]
const HOW_TO: &[&str] = &[
    "do", "does", "did", "is", "are", "was", "were", "can", "could", "may", "might", "should", "shall", "will", "would", "must", "to",
    "has", "have", "had", "come", "about", "the", "a", "an", "i", "we", "you", "it", "often", "frequently", "reliable", "reliably",
    "likely", "well", "come", "exactly", "best", "old", "sure", "safe", "safely", "s",
];

/// What an amount is asked by behind "what" and "which".
#[rustfmt::skip]
const AMOUNTS: &[&str] = &[
    "force", "speed", "velocity", "torque", "temperature", "pressure", "weight", "angle", "distance", "height", "depth", "current",
    "voltage", "power", "frequency", "payload", "acceleration", "amount", "volume", "limit", "clearance", "stiffness",
];

/// What asks for an amount in Chinese.
#[rustfmt::skip]
const HOW_MUCH_HAN: &[&str] = &[
    "多大", "多少", "多快", "多慢", "多高", "多低", "多重", "多轻", "多热", "多远", "多近", "多深", "多长", "多宽", "多厚", "多紧", "多久", "几牛",
    "几度", "几米", "几厘米", "几毫米", "几升", "几秒", "几分钟", "几公斤", "几克",
];

/// What asks how many there are.
const HOW_MANY: &[&str] = &["how many", "number of", "count of", "count the", "count all"];
/// The same in Chinese: 多少 alone asks for an amount.
#[rustfmt::skip]
const HOW_MANY_HAN: &[&str] = &[
    "多少个", "多少只", "多少台", "多少人", "多少把", "多少件", "多少条", "多少张", "多少辆", "多少位", "多少种", "多少遍", "多少回", "有多少", "几个", "几只", "几台",
    "几把", "几件", "几条", "几张", "几辆", "几位", "几种", "几遍", "几回", "数量", "总数", "总共",
];
/// What asks when something was, or for the last time that it was.
#[rustfmt::skip]
const WHEN: &[&str] = &[
    "when", "what time", "what day", "what date", "which day", "which date", "how long ago", "how recently", "last time", "first time", "since when",
];
/// The same in Chinese.
#[rustfmt::skip]
const WHEN_HAN: &[&str] = &[
    "什么时候", "何时", "几点", "几号", "哪天", "哪一天", "哪几天", "什么时间", "多久前", "多久以前", "多久之前", "上次", "上一次", "最近一次", "第一次", "最后一次",
];

/// Words of a question, wherever they stand in it.
const ASKING: &[&str] = &["where", "how", "why", "when", "who", "whom", "whose", "which", "what"];
/// Words that begin a question.
#[rustfmt::skip]
const BEGINNING: &[&str] = &[
    "is", "are", "was", "were", "do", "does", "did", "can", "could", "may", "might", "must", "should", "shall", "will", "would", "has", "have", "had",
];
/// What a question has in it in Chinese.
#[rustfmt::skip]
const ASKING_HAN: &[&str] = &[
    "吗", "呢", "怎", "哪", "什么", "啥", "谁", "为何", "多少", "多大", "多久", "几", "能不能", "可不可以", "是不是", "有没有", "要不要", "会不会", "该不该", "如何",
];

/// Whether `text` is a question, and no list of words.
pub fn is_question(text: &str) -> bool {
    let text = normalized(text).to_lowercase();
    let words = words_of(&text);
    text.contains('?')
        || words.first().is_some_and(|word| BEGINNING.contains(word))
        || words.iter().any(|word| ASKING.contains(word))
        || ASKING_HAN.iter().any(|word| text.contains(word))
}

/// Whether `text` asks how often something was.
pub fn asks_how_often(text: &str) -> bool {
    has_one_of(text, HOW_OFTEN, HOW_OFTEN_HAN)
}

/// Whether `text` asks how many there are, or how often something was.
pub fn asks_how_many(text: &str) -> bool {
    has_one_of(text, HOW_MANY, HOW_MANY_HAN) || asks_how_often(text)
}

/// Whether `text` asks when something was. A "when" that gives a condition counts too: too often is better than
/// to leave out one of several times.
pub fn asks_when(text: &str) -> bool {
    has_one_of(text, WHEN, WHEN_HAN)
}

/// Whether a text has one of these phrases as whole words, or one of those characters.
fn has_one_of(text: &str, phrases: &[&str], han: &[&str]) -> bool {
    let text = normalized(text).to_lowercase();
    let words = words_of(&text);
    let has = |phrase: &&str| {
        let phrase: Vec<&str> = phrase.split(' ').collect();
        words.windows(phrase.len()).any(|window| window == phrase)
    };
    phrases.iter().any(has) || han.iter().any(|phrase| text.contains(phrase))
}

/// Whether `text` asks for an amount: how hard, how much, what force.
pub fn asks_how_much(text: &str) -> bool {
    let text = normalized(text).to_lowercase();
    let words = words_of(&text);
    let asks = words.windows(2).any(|pair| match pair {
        ["how", next] => !HOW_TO.contains(next),
        ["what" | "which", next] => AMOUNTS.contains(next),
        _ => false,
    });
    (asks || HOW_MUCH_HAN.iter().any(|phrase| text.contains(phrase))) && !asks_how_often(&text)
}

pub(super) fn words_of(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_asks_how_often_or_it_does_not() {
        for text in [
            "how often does inserting the M8 bolt succeed",
            "How many times did the gripper slip?",
            "What is the success rate of picking mugs?",
            "How reliably does the door open",
            "插入M8螺栓成功率是多少",
            "抓马克杯成功了几次",
        ] {
            assert!(asks_how_often(text), "{text}");
        }
        for text in [
            "how hard may I grip the mug",
            "how do I insert the bolt",
            "what times is the shuttle",
            "多大力抓马克杯",
            "show oftentimes",
        ] {
            assert!(!asks_how_often(text), "{text}");
        }
    }

    #[test]
    fn a_question_is_told_from_a_list_of_words() {
        for text in [
            "where is the mug",
            "The mug?",
            "can the sofa be moved",
            "杯子在哪里",
            "椅子可以叠放吗",
        ] {
            assert!(is_question(text), "{text}");
        }
        for text in ["grip cup", "orange peel", "put the mug on the shelf", "卡盘压力", ""] {
            assert!(!is_question(text), "{text}");
        }
    }

    #[test]
    fn a_question_asks_how_many_or_when_or_it_does_not() {
        for (text, how_many, when) in [
            ("how many mugs are on the shelf", true, false),
            ("How often did it slip?", true, false),
            ("架子上有多少个杯子", true, false),
            ("今天滑了几次", true, false),
            ("When did the gripper slip?", false, true),
            ("what time was the last stop", false, true),
            ("上次急停是什么时候", false, true),
            ("how hard may I grip the mug", false, false),
            ("抓马克杯用多少牛", false, false),
            ("why did the gripper slip", false, false),
        ] {
            assert_eq!((asks_how_many(text), asks_when(text)), (how_many, when), "{text}");
        }
    }

    #[test]
    fn a_question_asks_for_an_amount_or_it_does_not() {
        for text in [
            "how hard may I grip the mug?",
            "How fast may I open the oven",
            "how much do I fill into the teapot",
            "at what speed do I wipe",
            "抓马克杯可以用多大的力",
            "打开烤箱可以多快",
        ] {
            assert!(asks_how_much(text), "{text}");
        }
        for text in [
            "how do I grip the mug",
            "how often does the mug slip",
            "which drawer are the pliers in",
            "what is in the mug",
            "怎么抓马克杯",
            "抓马克杯成功了几次",
            "抓马克杯成功了多少次",
        ] {
            assert!(!asks_how_much(text), "{text}");
        }
    }
}
