//! An attempt in one sentence, for who reads or searches it. What counts is in its fields.

use crate::inference::{cut, is_han};
use robot_memory_core::limits::CONTENT_CHARS_MAX;
use serde_json::{Map, Value};

/// Parameters that a sentence names.
const PARAMS_MAX: usize = 4;

/// How an attempt stands, as it is written: in the context, in English and in Chinese.
const OUTCOMES: &[(&str, &str, &str)] = &[
    ("running", "under way", "进行中"),
    ("success", "success", "成功"),
    ("failure", "failure", "失败"),
    ("cancelled", "cancelled", "已取消"),
    ("interrupted", "interrupted", "中断"),
    ("unknown", "outcome unknown", "结果未知"),
];

/// An attempt at a task in one sentence of at most 300 characters, in Chinese when its task or object is.
/// `outcome` is `running`, `interrupted` or a verdict.
pub fn attempt_sentence(
    task: &str,
    object: &str,
    outcome: &str,
    reason: &str,
    params: &Map<String, Value>,
) -> String {
    let in_chinese = task.chars().chain(object.chars()).any(is_han);
    let known = OUTCOMES.iter().find(|(name, ..)| *name == outcome);
    let outcome = known.map_or(outcome, |(_, en, zh)| if in_chinese { zh } else { en });
    let of = if in_chinese || object.is_empty() { "" } else { " " };
    let (colon, comma) = if in_chinese { ("：", "，") } else { (": ", ", ") };
    let mut sentence = format!("{task}{of}{object}{colon}{outcome}");
    if !reason.is_empty() {
        sentence.push_str(comma);
        sentence.push_str(reason);
    }
    for (name, value) in
        params.iter().filter_map(|(name, value)| Some((name, shown(value)?))).take(PARAMS_MAX)
    {
        sentence.push_str(comma);
        sentence.push_str(&format!("{name} {value}"));
    }
    cut(&sentence, CONTENT_CHARS_MAX).0.to_owned()
}

fn shown(value: &Value) -> Option<String> {
    match value {
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::String(text) => Some(text.clone()),
        Value::Object(amount) => {
            let number = amount.get("value")?.as_f64()?;
            let unit = amount.get("unit").and_then(Value::as_str).unwrap_or_default();
            Some(format!("{number} {unit}").trim_end().to_owned())
        }
        Value::Null | Value::Array(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_sentence_says_task_object_outcome_and_parameters() {
        let params = json!({"force_n": 12, "speed": {"value": 0.2, "unit": "m/s"}, "path": [1, 2]});
        let params = params.as_object().expect("an object");
        assert_eq!(
            attempt_sentence("pick", "red cup", "failure", "slipped", params),
            "pick red cup: failure, slipped, force_n 12, speed 0.2 m/s"
        );
        assert_eq!(attempt_sentence("抓取", "红杯", "success", "", &Map::new()), "抓取红杯：成功");
        assert_eq!(attempt_sentence("dock", "", "running", "", &Map::new()), "dock: under way");
    }
}
