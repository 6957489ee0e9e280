//! How much of a text asks, and whether a query asks for what was asked.

use super::lexer::is_han;
use super::question::words_of;
use super::tokens::normalized;
use super::turn::sentences;

/// What ends a question.
const MARKS: [char; 2] = ['?', '？'];
/// A name before a colon has so many characters at most; one in Chinese, fewer.
const SPEAKER_CHARS_MAX: usize = 24;
const SPEAKER_HAN_MAX: usize = 8;
/// Behind the last comma of a sentence that tells, they ask whether it is so.
#[rustfmt::skip]
const TAGS: &[&str] = &[
    "right", "all right", "ok", "okay", "yes", "no", "correct", "agreed", "huh", "eh", "hm", "yeah", "you know", "or what",
];
/// The same of verbs: "isn't it", "does she".
#[rustfmt::skip]
const TAG_VERBS: &[&str] = &[
    "is", "isn", "are", "aren", "was", "wasn", "were", "weren", "do", "don", "does", "doesn", "did", "didn", "has", "hasn", "have", "haven",
    "can", "could", "couldn", "will", "won", "would", "wouldn", "should", "shouldn",
];
const TAG_SUBJECTS: &[&str] = &["it", "he", "she", "they", "we", "you", "i", "there", "that"];
/// The same in Chinese.
#[rustfmt::skip]
const TAGS_HAN: &[&str] = &[
    "对吧", "对吗", "对不对", "是吧", "是吗", "是不是", "好吗", "好吧", "好不好", "行吗", "行吧", "没错吧", "可以吗", "吧", "啊", "對吧", "對嗎", "是嗎", "好嗎",
];

/// Words that tell of asking.
#[rustfmt::skip]
const ASKED: &[&str] = &[
    "ask", "asks", "asked", "asking", "question", "questions", "questioned", "wonder", "wonders", "wondered", "wondering", "inquire", "inquired",
    "inquiry", "enquire", "enquired", "enquiry",
];
/// Before them, that somebody asked is not what is asked for: "as Rosa asked", "when Enzo asked", "the part in question", "may I ask where".
#[rustfmt::skip]
const BESIDE_THE_POINT: &[&str] = &[
    "as", "when", "after", "because", "since", "while", "before", "in", "quick", "my", "may", "can", "could", "let", "i", "we",
];
/// With these the reply is asked for.
#[rustfmt::skip]
const REPLYING: &[&str] = &["answer", "answers", "answered", "reply", "replies", "replied", "respond", "responded", "response"];
/// Words with 问 that ask politely, or have nothing to do with asking: a problem, a visit, comfort, learning.
#[rustfmt::skip]
const NOT_ASKED_HAN: &[&str] = &[
    "请问", "請問", "想问", "想問", "问一下", "問一下", "问一句", "先问", "我问问", "疑问", "疑問", "问候", "問候", "问卷", "問卷", "问号", "問號", "过问", "過問",
    "问题", "問題", "访问", "訪問", "顾问", "顧問", "慰问", "慰問", "学问", "學問",
];
const REPLYING_HAN: &[&str] = &["回答", "答复", "回复", "怎么答", "怎么说", "答覆"];

/// Whether `text` asks for what somebody asked. "What did Nora say" asks for all that she said.
pub fn asks_what_was_asked(text: &str) -> bool {
    let text = normalized(text).to_lowercase();
    let words = words_of(&text);
    let is_meant = |at: usize| {
        ASKED.contains(&words[at])
            && words[at.saturating_sub(2)..at].iter().all(|word| !BESIDE_THE_POINT.contains(word))
    };
    if words.iter().any(|word| REPLYING.contains(word))
        || REPLYING_HAN.iter().any(|word| text.contains(word))
    {
        return false;
    }
    let han = NOT_ASKED_HAN.iter().fold(text.clone(), |text, word| text.replace(word, " "));
    let raises = text.contains('提') && (text.contains("问题") || text.contains("問題"));
    (0..words.len()).any(is_meant) || han.contains(['问', '問']) || raises
}

/// The share of a text that asks, 0 to 1, where it ends by asking: by characters, of the sentences that end with a question mark. Who says
/// it ("Nora: Where is it?") does not count, and of "it is on B2, isn't it?" only what asks.
pub fn share_asked(text: &str) -> f64 {
    if !text.contains(MARKS) {
        return 0.0;
    }
    let said: Vec<&str> = sentences(text).into_iter().filter_map(|range| text.get(range)).collect();
    if !said.last().is_some_and(|last| asks(last)) {
        return 0.0;
    }
    let (mut asked, mut all) = (0, 0);
    for (place, sentence) in said.into_iter().enumerate() {
        let sentence = if place == 0 { after_speaker(sentence) } else { sentence };
        let count = sentence.chars().count();
        all += count;
        if asks(sentence) {
            asked += tag(sentence).map_or(count, |tag| tag.chars().count());
        }
    }
    asked as f64 / all.max(1) as f64
}

/// Whether a sentence ends with a question mark.
fn asks(sentence: &str) -> bool {
    sentence.chars().rev().take_while(|c| !c.is_alphanumeric()).any(|c| MARKS.contains(&c))
}

/// A sentence without the name before its colon.
fn after_speaker(sentence: &str) -> &str {
    let Some((speaker, said)) = sentence.split_once([':', '：']) else { return sentence };
    let is_spaced = sentence[speaker.len()..].starts_with('：') || said.starts_with(' ');
    let count = speaker.chars().count();
    let has_han = speaker.chars().any(is_han);
    let is_name = speaker.chars().all(|c| c.is_alphabetic() || " .'’-·".contains(c));
    let count_max = if has_han { SPEAKER_HAN_MAX } else { SPEAKER_CHARS_MAX };
    if is_spaced && is_name && count <= count_max { said } else { sentence }
}

/// What only asks whether a sentence is so: behind its last comma.
fn tag(sentence: &str) -> Option<&str> {
    let (_, tag) = sentence.rsplit_once([',', '，'])?;
    let text = tag.to_lowercase();
    let words = words_of(&text);
    let is_tag = TAGS.contains(&words.join(" ").as_str())
        || TAGS_HAN.contains(&words.concat().as_str())
        || words.len() <= 3
            && words.first().is_some_and(|word| TAG_VERBS.contains(word))
            && words.last().is_some_and(|word| TAG_SUBJECTS.contains(word));
    is_tag.then_some(tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_asks_in_part() {
        for (text, share) in [
            ("Where is the mug?", 1.0),
            ("Nora: Where is it? And the tray?", 1.0),
            ("小赵：酸啤什么时候搬回去？", 1.0),
            ("\"Which lot is it?\"", 1.0),
            ("Really?! ", 1.0),
            ("Dev: Eat now. And you?", 0.45),
            ("Mug found at 14:05. Is it yours?", 0.4),
            ("钥匙在A柜第二格。小李问：要拿过来吗？", 0.5),
            ("The door is open. Note: is it?", 0.4),
            ("The key is in the tin, right?", 0.2),
            ("Dev: That clashes with the fair in Lisbon, doesn't it?", 0.25),
            ("云南的行程是十六号出发、二十三号回来,对吗?", 0.15),
            // What is answered at once, and marks in the middle.
            ("Is the door open? Yes.", 0.0),
            ("LOT 4?17", 0.0),
            ("The page is http://robot/map?floor=2 of the site", 0.0),
            ("Gripper at 12.5 N, slip 0.3 mm.", 0.0),
            ("?", 0.0),
            ("", 0.0),
        ] {
            assert!((share_asked(text) - share).abs() < 0.1, "{text}: {}", share_asked(text));
        }
    }

    #[test]
    fn a_question_asks_what_was_asked_or_it_does_not() {
        for text in [
            "What did Nora ask about?",
            "list the questions of the cook",
            "what was Tom wondering about",
            "旅客问了什么",
            "旅客提了什么问题",
            "谁打听过钥匙，问过几次",
        ] {
            assert!(asks_what_was_asked(text), "{text}");
        }
        for text in [
            "which task failed",
            "How heavy a thing can the robot carry, as Rosa asked?",
            "What did Ana answer when Enzo asked about the dog?",
            "What did Tom reply when asked",
            "may I ask where the key is",
            "where is the part in question",
            "夹爪有什么问题",
            "请问钥匙在哪里",
            "我想问一下钥匙在哪里",
            "谁访问过仓库",
            "where is the mask",
            "",
        ] {
            assert!(!asks_what_was_asked(text), "{text}");
        }
    }
}
