//! What is never stored, on written examples: secrets of many forms, and harmless texts that look alike.

use robot_memory_core::api::{ErrorKind, FieldText, Learn, LearnRequest};
use robot_memory_engine::Secrets;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Of 100 secrets so many may be missed, and of 100 harmless texts so many refused.
const PERCENT_MAX: usize = 1;

/// Files of lines `{"form": "text" | "json", "value": …, "secret": …, "kind": …}`; those that are not there are
/// left out, but for the first.
const FILES: [&str; 3] = ["secrets.jsonl", "secrets_forms.jsonl", "secrets_held_out.jsonl"];

/// How examples of a kind fare.
#[derive(Default)]
struct Tally {
    count: usize,
    wrong: Vec<String>,
}

#[test]
fn secrets_are_refused_and_harmless_texts_kept() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let secrets = Secrets::read(None).expect("the shipped policy");
    for (index, file) in FILES.iter().enumerate() {
        let Ok(lines) = std::fs::read_to_string(folder.join(file)) else {
            assert_ne!(index, 0, "{file} is not there");
            continue;
        };
        let mut kinds: BTreeMap<(bool, String), Tally> = BTreeMap::new();
        for line in lines.lines().filter(|line| !line.is_empty()) {
            let example: Value = serde_json::from_str(line).expect("JSON");
            let text = |field: &str| example[field].as_str().expect("a text");
            let is_secret = example["secret"].as_bool().expect("true or false");
            let given = match text("form") {
                "json" => FieldText::Json(text("value")),
                "text" => FieldText::Text(text("value")),
                other => panic!("form {other}"),
            };
            let refused = secrets.check_given("insight", given).err();
            if let Some(error) = &refused {
                assert!(error.message.starts_with("insight: holds what is never stored (rule "));
            }
            let tally = kinds.entry((is_secret, text("kind").to_owned())).or_default();
            tally.count += 1;
            if refused.is_some() != is_secret {
                let why = refused.map_or("not refused".to_owned(), |error| error.message);
                tally.wrong.push(format!("{} ({why})", text("value")));
            }
        }
        for ((is_secret, kind), Tally { count, wrong }) in &kinds {
            let what = if *is_secret { "missed" } else { "refused falsely" };
            println!("{file}: {kind}: {} of {count} {what}", wrong.len());
            wrong.iter().for_each(|example| println!("    {example}"));
        }
        for side in [true, false] {
            let of_side = || kinds.iter().filter(|((is_secret, _), _)| *is_secret == side);
            let count: usize = of_side().map(|(_, tally)| tally.count).sum();
            let wrong: usize = of_side().map(|(_, tally)| tally.wrong.len()).sum();
            let what = if side { "secrets missed" } else { "harmless texts refused" };
            println!("{file}: {wrong} of {count} {what}");
            assert!(
                count > 0 && wrong * 100 <= count * PERCENT_MAX,
                "{file}: {wrong} of {count} {what}"
            );
        }
    }
}

#[test]
fn what_is_said_to_a_robot_aloud_is_no_secret() {
    let robot = crate::robot::Robot::words_only();
    for harmless in [r#"{"语音口令": "停止"}"#, "唤醒口令: 你好小白"] {
        robot.learn(harmless);
    }
    let secret = LearnRequest { insight: "登录口令: Falke845".into(), ..Default::default() };
    assert_eq!(robot.refused::<Learn>(secret).0, ErrorKind::Refused);
}
