//! What the structured data of a step says.

use serde_json::{Map, Value, json};

use super::super::lexer::is_han;
use super::super::units::unit as known_unit;
use super::{TurnFact, TurnFactKind, TurnPlace};
use robot_memory_core::limits::CONTENT_CHARS_MAX;

/// Objects nested in each other that are looked at.
const DEPTH_MAX: usize = 6;
/// Steps of one turn that are looked at.
const STEPS_MAX: usize = 64;
/// Parameters of one step.
const PARAMETERS_MAX: usize = 24;
/// Characters of a name, or of a parameter that is a text.
const NAME_CHARS_MAX: usize = 60;

#[rustfmt::skip]
const SKILLS: &[&str] = &["skill", "skill_name", "action", "action_name", "operation", "primitive", "behavior", "task", "task_name", "step", "command", "技能", "动作", "操作", "任务", "步骤"];
#[rustfmt::skip]
const OBJECTS: &[&str] = &["object", "object_name", "target_object", "item", "part", "workpiece", "target", "物体", "对象", "目标", "零件", "物品", "工件"];
#[rustfmt::skip]
const PLACES: &[&str] = &[
    "place", "location", "destination", "bin", "shelf", "station", "地点", "位置", "工位", "目的地",
];
#[rustfmt::skip]
const PARAMETERS: &[&str] = &["params", "parameters", "args", "arguments", "settings", "measurements", "measured", "metrics", "readings", "inputs", "参数", "测量", "测量值"];
#[rustfmt::skip]
const RESULTS: &[&str] = &["result", "results", "outcome", "status", "state", "success", "succeeded", "ok", "is_success", "结果", "状态", "成功"];
#[rustfmt::skip]
const ERRORS: &[&str] = &["error", "error_message", "error_msg", "failure_reason", "reason", "cause", "failure", "错误", "原因", "失败原因", "错误信息"];
#[rustfmt::skip]
const STEPS: &[&str] = &[
    "steps", "actions", "skills", "subtasks", "sub_tasks", "sequence", "stages", "步骤", "子任务",
    "attempts", "tries", "trials", "尝试", "试验",
];
/// Of these lists each step is one attempt at the same.
const ATTEMPTS: &[&str] = &["attempts", "tries", "trials", "尝试", "试验"];
const NAMES: &[&str] = &["name", "label", "id", "type", "class", "名称"];
#[rustfmt::skip]
const SUCCEEDED: &[&str] = &["succeeded", "success", "successful", "ok", "done", "completed", "complete", "finished", "passed", "pass", "true", "成功", "完成", "已完成", "正常", "通过"];
#[rustfmt::skip]
const FAILED: &[&str] = &["failed", "failure", "fail", "aborted", "error", "timeout", "timed_out", "timed out", "cancelled", "canceled", "rejected", "preempted", "false", "失败", "中止", "已中止", "超时", "取消", "已取消", "错误", "异常"];

/// The units that the end of a key names.
#[rustfmt::skip]
const SUFFIXES: &[(&str, &str)] = &[
    ("n", "N"), ("kn", "kN"), ("mn", "mN"), ("nm", "Nm"), ("mm", "mm"), ("cm", "cm"), ("m", "m"), ("km", "km"), ("um", "µm"), ("mps", "m/s"), ("mmps", "mm/s"), ("kmh", "km/h"), ("mps2", "m/s2"),
    ("deg", "deg"), ("degs", "deg"), ("degree", "deg"), ("degrees", "deg"), ("rad", "rad"), ("dps", "deg/s"), ("radps", "rad/s"), ("s", "s"), ("sec", "s"), ("secs", "s"), ("seconds", "s"), ("ms", "ms"), ("us", "µs"), ("min", "min"), ("mins", "min"), ("h", "h"),
    ("kg", "kg"), ("g", "g"), ("mg", "mg"), ("v", "V"), ("mv", "mV"), ("a", "A"), ("ma", "mA"), ("w", "W"), ("kw", "kW"), ("hz", "Hz"), ("khz", "kHz"), ("pa", "Pa"), ("kpa", "kPa"), ("mpa", "MPa"), ("bar", "bar"), ("mbar", "mbar"), ("c", "°C"), ("degc", "°C"), ("celsius", "°C"),
    ("pct", "%"), ("percent", "%"), ("rpm", "rpm"), ("l", "L"), ("ml", "ml"), ("ul", "µl"), ("px", "px"), ("lux", "lux"), ("db", "dB"), ("j", "J"),
];
/// Two words at the end of a key that name one.
#[rustfmt::skip]
const SUFFIX_PAIRS: &[(&str, &str, &str)] = &[
    ("m", "s", "m/s"), ("mm", "s", "mm/s"), ("cm", "s", "cm/s"), ("rad", "s", "rad/s"),
    ("deg", "s", "deg/s"), ("m", "s2", "m/s2"), ("n", "m", "Nm"), ("deg", "c", "°C"), ("km", "h", "km/h"),
    ("l", "min", "L/min"), ("ml", "min", "ml/min"),
];

/// A step of the data.
#[derive(Debug, Default)]
pub(super) struct Step {
    pub skill: Option<String>,
    pub object: Option<String>,
    pub place: Option<String>,
    pub success: Option<bool>,
    success_at: String,
    error: Option<(String, String)>,
    pub measures: Vec<Measure>,
    measures_at: String,
    /// One of a list, and not what holds of all.
    pub is_of_several: bool,
}

/// A parameter of a step.
#[derive(Debug, Clone)]
pub(super) struct Measure {
    pub name: String,
    pub value: Value,
    pub unit: String,
}

/// The steps that `data` tells, in order.
pub(super) fn steps(data: &Value) -> Vec<Step> {
    let mut found = Vec::new();
    collect(data, "", &Step::default(), DEPTH_MAX, &mut found);
    found
}

fn collect(value: &Value, at: &str, outer: &Step, depth: usize, found: &mut Vec<Step>) {
    if depth == 0 || found.len() >= STEPS_MAX {
        return;
    }
    match value {
        Value::Array(values) => {
            for (index, value) in values.iter().enumerate().take(STEPS_MAX) {
                let from = found.len();
                collect(value, &format!("{at}/{index}"), outer, depth - 1, found);
                for step in &mut found[from..] {
                    step.is_of_several = true;
                }
            }
        }
        Value::Object(fields) => {
            let mut step = Step::default();
            step.read(fields, at, depth, false);
            // What holds of all steps of a list.
            step.skill = step.skill.or_else(|| outer.skill.clone());
            step.object = step.object.or_else(|| outer.object.clone());
            step.place = step.place.or_else(|| outer.place.clone());
            let lists: Vec<_> = fields
                .iter()
                .filter(|(key, value)| STEPS.contains(&snake(key).as_str()) && value.is_array())
                .collect();
            let shared = Step {
                skill: step.skill.clone(),
                object: step.object.clone(),
                place: step.place.clone(),
                ..Step::default()
            };
            if step.skill.is_some() || !step.measures.is_empty() || step.success.is_some() {
                found.push(step);
            } else if lists.is_empty() && step.object.is_none() {
                // One object around the step: {"step_result": {...}}.
                for (key, value) in fields.iter().filter(|(_, value)| value.is_object()) {
                    let is_step = value.as_object().is_some_and(|inner| {
                        inner.keys().any(|key| SKILLS.contains(&snake(key).as_str()))
                    });
                    if is_step {
                        collect(value, &pointer(at, key), outer, depth - 1, found);
                    }
                }
            } else if lists.is_empty() {
                found.push(step);
            }
            for (key, value) in lists {
                let is_same = ATTEMPTS.contains(&snake(key).as_str());
                let outer = if is_same { &shared } else { outer };
                collect(value, &pointer(at, key), outer, depth - 1, found);
            }
        }
        _ => {}
    }
}

impl Step {
    fn read(&mut self, fields: &Map<String, Value>, at: &str, depth: usize, is_result: bool) {
        for (key, value) in fields {
            let place = pointer(at, key);
            let key = snake(key);
            let is = |names: &[&str]| names.contains(&key.as_str());
            if is(RESULTS) {
                self.read_result(value, &place, depth);
            } else if is(ERRORS) {
                if let Some(error) = error_text(value) {
                    self.error.get_or_insert((error, place));
                }
            } else if is_result && ["code", "message", "msg"].contains(&key.as_str()) {
                // Says something only beside a failure, of which the error tells already.
            } else if is(SKILLS) {
                self.skill = self.skill.take().or_else(|| named(value));
            } else if is(OBJECTS) {
                self.object = self.object.take().or_else(|| named(value));
            } else if is(PLACES) {
                self.place = self.place.take().or_else(|| match value {
                    Value::Number(number) => Some(format!("{key} {number}")),
                    _ => named(value),
                });
            } else if is(PARAMETERS)
                && let Value::Object(inner) = value
            {
                self.read_measures(inner, &place, depth - 1, true);
            } else if !is(STEPS)
                && let Some(measure) = measure(&key, value, false)
            {
                self.push(measure, &place);
            }
        }
    }

    fn read_result(&mut self, value: &Value, at: &str, depth: usize) {
        let success = match value {
            Value::Bool(success) => Some(*success),
            Value::String(text) => ended_well(text),
            Value::Object(inner) if depth > 1 => {
                self.read(inner, at, depth - 1, true);
                None
            }
            _ => None,
        };
        if let (Some(success), None) = (success, self.success) {
            self.success = Some(success);
            self.success_at = at.to_owned();
        }
    }

    fn read_measures(
        &mut self,
        fields: &Map<String, Value>,
        at: &str,
        depth: usize,
        is_named: bool,
    ) {
        for (key, value) in fields {
            let place = pointer(at, key);
            let key = snake(key);
            if let Some(measure) = measure(&key, value, is_named) {
                if self.measures_at.is_empty() {
                    self.measures_at = at.to_owned();
                }
                self.push(measure, &place);
            } else if OBJECTS.contains(&key.as_str()) {
                self.object = self.object.take().or_else(|| named(value));
            } else if PLACES.contains(&key.as_str()) {
                self.place = self.place.take().or_else(|| named(value));
            } else if let Value::Object(inner) = value
                && depth > 1
            {
                self.read_measures(inner, &place, depth - 1, is_named);
            }
        }
    }

    fn push(&mut self, measure: Measure, at: &str) {
        if self.measures_at.is_empty() {
            self.measures_at = at.to_owned();
        }
        if self.measures.len() < PARAMETERS_MAX {
            self.measures.push(measure);
        }
    }

    /// What the step is called: "grasp of M8 bolt", 抓取 M8 螺栓.
    fn title(&self) -> Option<String> {
        Some(match (self.skill.as_deref(), self.object.as_deref()) {
            (Some(skill), Some(object)) if is_chinese(skill) => {
                let space = if object.starts_with(is_han) { "" } else { " " };
                format!("{skill}{space}{object}")
            }
            (Some(skill), Some(object)) => format!("{skill} of {object}"),
            (Some(name), None) | (None, Some(name)) => name.to_owned(),
            (None, None) => return None,
        })
    }

    /// Its context: what was done to what, and how it ended.
    pub fn context(&self) -> Map<String, Value> {
        let mut task = Map::new();
        if let Some(skill) = &self.skill {
            task.insert("skill".to_owned(), json!(skill));
        }
        if let Some(object) = &self.object {
            task.insert("object".to_owned(), json!(object));
        }
        if let Some(success) = self.success {
            task.insert("success".to_owned(), json!(success));
        }
        let mut context = Map::new();
        if !task.is_empty() {
            context.insert("task".to_owned(), Value::Object(task));
        }
        if let Some(place) = &self.place {
            context.insert("spatial".to_owned(), json!({"place": place}));
        }
        context
    }

    /// That it ended, and how; `None` when that is not told, or not of what.
    pub fn outcome(&self) -> Option<TurnFact> {
        let success = self.success?;
        let title = self.title()?;
        let is_han = is_chinese(&title);
        let (place, joint) = match (&self.place, is_han) {
            (Some(place), true) => (format!("（{place}）"), ""),
            (Some(place), false) => (format!(" ({place})"), " "),
            (None, true) => (String::new(), ""),
            (None, false) => (String::new(), " "),
        };
        let ended = match (success, is_han) {
            (true, true) => "成功",
            (false, true) => "失败",
            (true, false) => "succeeded",
            (false, false) => "failed",
        };
        let (kind, text, at) = match self.error.as_ref().filter(|_| !success) {
            Some((error, at)) => {
                let mark = if is_han { "：" } else { ": " };
                (TurnFactKind::Cause, format!("{title}{place}{joint}{ended}{mark}{error}"), at)
            }
            None => {
                (TurnFactKind::Outcome, format!("{title}{place}{joint}{ended}"), &self.success_at)
            }
        };
        self.fact(kind, text, self.context(), at)
    }

    /// The error, if one is told.
    pub fn error(&self) -> Option<&str> {
        Some(self.error.as_ref()?.0.as_str())
    }

    /// The parameters that `keep` keeps.
    pub fn parameters(&self, keep: impl Fn(&Measure) -> bool) -> Option<TurnFact> {
        let title = self.title();
        let kept: Vec<&Measure> = self.measures.iter().filter(|measure| keep(measure)).collect();
        if kept.is_empty() {
            return None;
        }
        let is_han = title.as_deref().is_some_and(is_chinese);
        let list: Vec<String> = kept.iter().map(|measure| measure.shown()).collect();
        let list = list.join(if is_han { "，" } else { ", " });
        let text = match title {
            Some(title) => format!("{title}{}{list}", if is_han { "：" } else { ": " }),
            None => list,
        };
        let mut context = self.context();
        let params = kept.iter().map(|measure| (measure.key(), measure.json()));
        context.insert("params".to_owned(), Value::Object(params.collect()));
        self.fact(TurnFactKind::Parameter, text, context, &self.measures_at)
    }

    fn fact(
        &self,
        kind: TurnFactKind,
        text: String,
        context: Map<String, Value>,
        at: &str,
    ) -> Option<TurnFact> {
        let place = TurnPlace::Field { pointer: at.to_owned() };
        (text.chars().count() <= CONTENT_CHARS_MAX).then_some(TurnFact {
            kind,
            text,
            context,
            place,
            more_places: Vec::new(),
        })
    }
}

impl Measure {
    /// As it stands in a statement: "force 12 N".
    pub fn shown(&self) -> String {
        format!("{} {}", self.name, self.amount())
    }

    /// The number with its unit.
    pub fn amount(&self) -> String {
        let number = match &self.value {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.as_f64().map_or(number.to_string(), |n| n.to_string()),
            other => other.to_string(),
        };
        match self.unit.as_str() {
            "" => number,
            unit => format!("{number} {unit}"),
        }
    }

    /// What it is called in a context.
    pub fn key(&self) -> String {
        self.name.replace(' ', "_")
    }

    /// Its value in a context.
    pub fn json(&self) -> Value {
        if self.unit.is_empty() {
            self.value.clone()
        } else {
            json!({"value": self.value, "unit": self.unit})
        }
    }
}

/// A parameter, when the key or the value says what it is measured in, or when it stands among parameters.
fn measure(key: &str, value: &Value, is_named: bool) -> Option<Measure> {
    if let Value::Object(fields) = value {
        let number =
            fields.get("value").or_else(|| fields.get("值")).filter(|value| value.is_number())?;
        let unit = fields.get("unit").or_else(|| fields.get("单位")).and_then(Value::as_str)?;
        let is_short = unit.chars().count() <= 16;
        let name = words(&key_and_unit(key).0)?;
        return is_short.then(|| Measure {
            name,
            value: number.clone(),
            unit: unit.trim().to_owned(),
        });
    }
    let (name, unit) = key_and_unit(key);
    let name = words(&name)?;
    match value {
        Value::Number(_) if !unit.is_empty() || is_named => {
            Some(Measure { name, value: value.clone(), unit })
        }
        Value::String(text) if is_named => {
            let text = text.trim();
            let is_name = !text.is_empty() && text.chars().count() <= NAME_CHARS_MAX;
            let is_own = OBJECTS.contains(&key)
                || PLACES.contains(&key)
                || ["id", "uuid", "frame_id"].contains(&key);
            (is_name && !is_own).then(|| Measure { name, value: json!(text), unit: String::new() })
        }
        _ => None,
    }
}

/// A key without the unit that it ends with, and the unit: `grip_force_n` is `grip_force` in `N`. The
/// key is in small letters, its words joined by `_`.
pub fn key_and_unit(key: &str) -> (String, String) {
    // "speed (m/s)".
    if let Some((name, rest)) = key.split_once(['(', '[', '（']) {
        let unit = rest.trim_end_matches([')', ']', '）']).trim();
        if known_unit(unit).is_some() {
            return (name.trim_end_matches('_').trim().to_owned(), unit.to_owned());
        }
    }
    let parts: Vec<&str> = key.split('_').filter(|part| !part.is_empty()).collect();
    let pair = match &parts[..] {
        [name @ .., above, "per", below] | [name @ .., above, below] => Some((name, above, below)),
        _ => None,
    };
    if let Some((name, above, below)) = pair.filter(|(name, ..)| !name.is_empty())
        && let Some((_, _, unit)) = SUFFIX_PAIRS.iter().find(|(a, b, _)| a == above && b == below)
    {
        return (name.join("_"), (*unit).to_owned());
    }
    if let [name @ .., last] = &parts[..]
        && !name.is_empty()
        && let Some((_, unit)) = SUFFIXES.iter().find(|(suffix, _)| suffix == last)
    {
        return (name.join("_"), (*unit).to_owned());
    }
    (key.to_owned(), String::new())
}

/// A key as words; `None` when it is none that could stand in a sentence.
fn words(key: &str) -> Option<String> {
    let name = key.replace('_', " ").trim().to_owned();
    let is_name = !name.is_empty()
        && name.chars().count() <= NAME_CHARS_MAX
        && name.chars().any(char::is_alphabetic)
        && name.chars().all(|c| c.is_alphanumeric() || " -/().".contains(c));
    is_name.then_some(name)
}

/// A key in small letters, its words joined by `_`.
fn snake(key: &str) -> String {
    let mut found = String::with_capacity(key.len() + 4);
    let mut was_small = false;
    for c in key.trim().chars() {
        if c.is_uppercase() && was_small {
            found.push('_');
        }
        was_small = c.is_lowercase() || c.is_ascii_digit();
        if c == '-' || c.is_whitespace() {
            found.push('_');
        } else {
            found.extend(c.to_lowercase());
        }
    }
    found
}

fn pointer(at: &str, key: &str) -> String {
    format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"))
}

/// A text that names something.
fn named(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => {
            let text = text.trim();
            let is_name =
                !text.is_empty() && text.chars().count() <= NAME_CHARS_MAX && !text.contains('\n');
            is_name.then(|| text.to_owned())
        }
        Value::Object(fields) => NAMES.iter().find_map(|name| match fields.get(*name)? {
            Value::String(text) => named(&Value::String(text.clone())),
            _ => None,
        }),
        Value::Array(values) if values.len() == 1 => named(&values[0]),
        _ => None,
    }
}

/// What an error says.
fn error_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => {
            let text = text.trim().trim_end_matches(['.', '。']);
            let says_none =
                ["", "none", "null", "no error", "ok", "n/a", "无", "-", "success", "succeeded"];
            let is_short = text.chars().count() <= CONTENT_CHARS_MAX / 2 && !text.contains('\n');
            (is_short && !says_none.contains(&text.to_lowercase().as_str()))
                .then(|| text.to_owned())
        }
        Value::Object(fields) => {
            ["message", "msg", "text", "description", "reason", "type", "信息"]
                .iter()
                .find_map(|key| error_text(fields.get(*key)?))
        }
        _ => None,
    }
}

/// How a word says that something ended: well or not; `None` when it is no such word.
pub fn ended_well(text: &str) -> Option<bool> {
    let text = text.trim().to_lowercase();
    let is = |words: &[&str]| words.contains(&text.as_str());
    if is(SUCCEEDED) {
        Some(true)
    } else if is(FAILED) {
        Some(false)
    } else {
        None
    }
}

fn is_chinese(text: &str) -> bool {
    text.chars().any(is_han)
}
