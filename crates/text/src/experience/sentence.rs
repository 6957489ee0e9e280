//! Figures in a sentence. It says nothing that they do not show.

use super::differences::{Difference, DifferenceKind};
use super::figures::{Figures, NumberFigures, Range, ValueFigures};
use crate::inference::{cut, is_han, key_and_unit};
use robot_memory_core::limits::{CONTENT_CHARS_MAX, EXPERIENCE_NAME_CHARS_MAX};

/// Numbers and values that a sentence tells of.
const PARTS_MAX: usize = 4;

/// What parameters are called in Chinese.
#[rustfmt::skip]
const HAN_NAMES: &[(&str, &str)] = &[
    ("force", "力"), ("grip force", "夹持力"), ("torque", "扭矩"), ("speed", "速度"), ("pressure", "压力"), ("duration", "用时"),
    ("depth", "深度"), ("height", "高度"), ("angle", "角度"), ("temperature", "温度"), ("distance", "距离"), ("humidity", "湿度"),
];

/// The figures in one sentence of at most 300 characters, in English, or in Chinese when most of what they
/// were counted from is.
pub fn sentence(figures: &Figures) -> String {
    let mut text = head(figures);
    let mut numbers: Vec<&NumberFigures> = figures.numbers.iter().collect();
    numbers.sort_by(|a, b| {
        let by_threshold = b.threshold.is_some().cmp(&a.threshold.is_some());
        let by_low = b.effect_low.abs().total_cmp(&a.effect_low.abs());
        let is_parameter = |it: &NumberFigures| it.path.starts_with("params.");
        by_threshold
            .then(by_low)
            .then(is_parameter(b).cmp(&is_parameter(a)))
            .then_with(|| a.path.cmp(&b.path))
    });
    let mut values: Vec<&ValueFigures> =
        figures.values.iter().filter(|it| it.effect_low != 0.0).collect();
    values.sort_by(|a, b| {
        let by_low = b.effect_low.abs().total_cmp(&a.effect_low.abs());
        by_low.then_with(|| (&a.path, &a.value).cmp(&(&b.path, &b.value)))
    });
    let sure = numbers.iter().filter(|it| it.effect_low != 0.0 || it.threshold.is_some());
    let rest = numbers.iter().filter(|it| it.effect_low == 0.0 && it.threshold.is_none());
    let parts = sure
        .map(|it| number_part(it, figures.is_han))
        .chain(values.iter().map(|it| value_part(it, figures.is_han)))
        .chain(rest.map(|it| number_part(it, figures.is_han)))
        .take(PARTS_MAX);
    let joint = if figures.is_han { "；" } else { "; " };
    for part in parts {
        if text.chars().count() + joint.chars().count() + part.chars().count() <= CONTENT_CHARS_MAX
        {
            text.push_str(joint);
            text.push_str(&part);
        }
    }
    text
}

fn head(figures: &Figures) -> String {
    let Figures { task, object, success_count, rate_low, rate_high, .. } = figures;
    let name = |text: &str| cut(text, EXPERIENCE_NAME_CHARS_MAX).0.to_owned();
    let (task, object) = (name(task), name(object));
    let known = figures.known_count();
    let (low, high) = (percent(*rate_low), percent(*rate_high));
    if figures.is_han {
        let is_apart = |c: Option<char>| c.is_some_and(|c| !is_han(c));
        let space =
            if is_apart(task.chars().last()) || is_apart(object.chars().next()) { " " } else { "" };
        let space = if object.is_empty() { "" } else { space };
        return format!(
            "{task}{space}{object} {known} 次中成功 {success_count} 次（95 % 区间 {low} 至 {high} %）"
        );
    }
    let of = if object.is_empty() { String::new() } else { format!(" of {object}") };
    format!(
        "{task}{of} succeeded {success_count} of {known} times (95 % interval {low} to {high} %)"
    )
}

fn number_part(it: &NumberFigures, is_han: bool) -> String {
    let name = called(&it.path, is_han);
    let unit = spaced(&it.unit);
    let (success, failure) =
        (it.success.map(|it| span(&it, is_han)), it.failure.map(|it| span(&it, is_han)));
    let worked = success.map(|range| match is_han {
        true => format!("成功时 {range}{unit}"),
        false => format!("{range}{unit} when it worked"),
    });
    let failed = match (it.threshold, failure) {
        (Some(it), _) => {
            let (at, count, total) = (shown(it.at), it.count, it.total);
            let side = match (it.is_above, is_han) {
                (true, true) => "不低于",
                (false, true) => "不高于",
                (true, false) => "or more",
                (false, false) => "or less",
            };
            Some(match is_han {
                true => format!("{total} 次失败中 {count} 次{side} {at}{unit}"),
                false => format!("{at}{unit} {side} in {count} of {total} failures"),
            })
        }
        (None, Some(range)) if is_han => Some(format!("失败时 {range}{unit}")),
        (None, Some(range)) => Some(format!("{range}{unit} when it failed")),
        (None, None) => None,
    };
    let comma = if is_han { "，" } else { ", " };
    let texts: Vec<String> = worked.into_iter().chain(failed).collect();
    format!("{name} {}", texts.join(comma))
}

fn value_part(it: &ValueFigures, is_han: bool) -> String {
    let name = called(&it.path, is_han);
    let ValueFigures {
        value,
        success_with_value,
        success_count,
        failure_with_value,
        failure_count,
        ..
    } = it;
    let value = cut(value.trim_matches('"'), EXPERIENCE_NAME_CHARS_MAX).0;
    match is_han {
        true => format!(
            "{name} 为 {value}：{success_count} 次成功中 {success_with_value} 次，{failure_count} 次失败中 {failure_with_value} 次"
        ),
        false => format!(
            "{name} {value} in {success_with_value} of {success_count} successes and {failure_with_value} of \
             {failure_count} failures"
        ),
    }
}

/// A difference in a sentence.
pub fn statement(difference: &Difference) -> String {
    let Difference { path, kind, success_count, failure_count, .. } = difference;
    match kind {
        DifferenceKind::Number { unit, success, failure } => {
            let unit = spaced(unit);
            format!(
                "{path}: {}{unit} when it worked (median {}, {success_count} times), {}{unit} when it failed \
                 (median {}, {failure_count} times)",
                span(success, false),
                shown(success.at[2]),
                span(failure, false),
                shown(failure.at[2]),
            )
        }
        DifferenceKind::Value { value, success_with_value, failure_with_value } => format!(
            "{path} was {value} in {success_with_value} of {success_count} successes and in \
             {failure_with_value} of {failure_count} failures"
        ),
    }
}

/// The last word of a path, without its unit.
pub(super) fn called(path: &str, is_han: bool) -> String {
    let key = path.rsplit('.').next().unwrap_or(path);
    let (name, unit) = key_and_unit(&key.to_lowercase());
    let name = if unit.is_empty() { key.to_owned() } else { name };
    let name = name.replace('_', " ");
    let han = HAN_NAMES.iter().find(|(english, _)| is_han && *english == name);
    han.map_or(name, |(_, han)| (*han).to_owned())
}

fn span(range: &Range, is_han: bool) -> String {
    span_of(range.min(), range.max(), is_han)
}

/// From one number to another.
pub(super) fn span_of(low: f64, high: f64, is_han: bool) -> String {
    let (low, high) = (shown(low), shown(high));
    if low == high {
        low
    } else if is_han {
        format!("{low} 至 {high}")
    } else {
        format!("{low} to {high}")
    }
}

/// A unit behind a number.
pub(super) fn spaced(unit: &str) -> String {
    if unit.is_empty() { String::new() } else { format!(" {unit}") }
}

fn percent(share: f64) -> String {
    format!("{:.0}", share * 100.0)
}

/// A number to four digits.
pub(super) fn shown(value: f64) -> String {
    let rounded: f64 = format!("{value:.3e}").parse().unwrap_or(value);
    let size = rounded.abs();
    if rounded == 0.0 {
        "0".to_owned()
    } else if (1e-4..1e9).contains(&size) {
        rounded.to_string()
    } else {
        format!("{rounded:e}")
    }
}
