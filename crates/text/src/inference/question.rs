//! What a question asks for: how often something was, how much of something it takes.

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

/// Whether `text` asks how often something was.
pub fn asks_how_often(text: &str) -> bool {
    let text = normalized(text).to_lowercase();
    let words = words_of(&text);
    let has = |phrase: &&str| {
        let phrase: Vec<&str> = phrase.split(' ').collect();
        words.windows(phrase.len()).any(|window| window == phrase)
    };
    HOW_OFTEN.iter().any(has) || HOW_OFTEN_HAN.iter().any(|phrase| text.contains(phrase))
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

fn words_of(text: &str) -> Vec<&str> {
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
