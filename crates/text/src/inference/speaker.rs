//! Whether a statement is about whoever made it.

use super::tokens::normalized;

/// By what one speaks of oneself. "us" is left out: US is a sensor.
const ENGLISH: &[&str] = &["i", "me", "my", "mine", "myself", "we", "our", "ours", "ourselves"];
/// The same in Chinese.
const CHINESE: &[&str] = &["我", "咱", "俺", "本人"];
/// Words with such a character that are about nobody.
const CHINESE_OTHERS: &[&str] = &["自我"];

/// Whether `text` says something of its speaker: "I like the spicy noodles", 我们的车间在三楼.
pub fn is_of_speaker(text: &str) -> bool {
    let mut text = normalized(text).to_lowercase();
    for other in CHINESE_OTHERS {
        text = text.replace(other, "");
    }
    // A joint numbered I, a part in a list: a letter beside a sign is no speaker.
    let mut words =
        text.split([' ', '\t', '\n', ',', '.', '!', '?', ';', ':', '"', '(', ')', '\'', '’']);
    words.any(|word| ENGLISH.contains(&word)) || CHINESE.iter().any(|word| text.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_is_about_its_speaker_or_not() {
        for text in [
            "I like the spicy noodles",
            "I'm allergic to nuts",
            "Our kitchen is on floor 3",
            "please put it on my desk",
            "我喜欢辣的面条",
            "我们的厨房在三楼",
        ] {
            assert!(is_of_speaker(text), "{text}");
        }
        for text in [
            "Anna likes the spicy noodles",
            "the US sensor is on the left",
            "the i-beam is 2 m long",
            "机器人启动时自我检查",
            "厨房在三楼",
        ] {
            assert!(!is_of_speaker(text), "{text}");
        }
    }
}
