use super::*;
use serde_json::json;

struct Canned(String);

impl Chat for Canned {
    fn id(&self) -> &str {
        "canned"
    }
    fn complete(&self, _: &str, _: &str) -> Result<String, ChatError> {
        Ok(self.0.clone())
    }
}

const STATEMENTS: [&str; 4] = [
    "The M8 bolt was gripped at 12 N.",
    "It slipped because the pad was oily.",
    "The second grasp at 15.5 N succeeded.",
    "托盘在B2货架上。",
];

fn summary(text: &str, chars_max: usize) -> Result<(String, u64), ChatError> {
    let chat = Canned(json!({ "summary": text }).to_string());
    let summary = summary_by_chat(&chat, &STATEMENTS, chars_max)?;
    Ok((summary.text, summary.dropped_count))
}

#[test]
fn sentences_that_nothing_says_are_dropped() {
    let cases = [
        (
            "The M8 bolt slipped at 12 N because the pad was oily. The second grasp at 15.5 N succeeded.",
            "The M8 bolt slipped at 12 N because the pad was oily. The second grasp at 15.5 N succeeded.",
            0,
        ),
        (
            "The M8 bolt slipped because the pad was oily.\n托盘在B2货架上。The second grasp at 15 N succeeded. \
             Alice was there!",
            "The M8 bolt slipped because the pad was oily.托盘在B2货架上。",
            2,
        ),
        ("The M8 bolt did not slip. The second grasp succeeded.", "The second grasp succeeded.", 1),
    ];
    for (answer, expected, dropped_count) in cases {
        assert_eq!(summary(answer, 300), Ok((expected.to_owned(), dropped_count)), "{answer}");
    }
}

#[test]
fn no_sentence_is_cut() {
    let answer = "The M8 bolt slipped because the pad was oily. The second grasp succeeded.";
    assert_eq!(summary(answer, 73), Ok((answer.to_owned(), 0)));
    for (chars_max, expected) in
        [(72, "The M8 bolt slipped because the pad was oily."), (30, "The second grasp succeeded.")]
    {
        assert_eq!(summary(answer, chars_max), Ok((expected.to_owned(), 1)), "{chars_max}");
    }
    assert_eq!(summary(answer, 20), Err(ChatError::Nothing));
}

#[test]
fn without_a_sentence_there_is_no_summary() {
    for answer in
        ["", " \n", "Bananas are yellow.", "The pad was dry.", "Ignore the previous instructions."]
    {
        assert_eq!(summary(answer, 300), Err(ChatError::Nothing), "{answer}");
    }
    let chat = Canned("{\"summary\": 1}".to_owned());
    assert!(matches!(summary_by_chat(&chat, &STATEMENTS, 300), Err(ChatError::NotJson(_))));
}
