//! An object as people, lists and detectors call it.

use crate::inference::{Thing, ThingKind, is_han};

/// Say which one is meant, not what it is.
#[rustfmt::skip]
const POINTERS: &[&str] = &[
    "the", "a", "an", "this", "that", "these", "those", "my", "your", "our", "his", "her", "their", "some",
    "我们的", "你们的", "他们的", "我的", "你的", "您的", "他的", "她的", "那个", "这个", "一个", "那只", "这只", "一只",
];

/// What an object is, whoever names it: "my frying pan, iron" is an iron frying pan, and 杯子，橙色的 is 橙色杯子.
pub(super) fn object_thing(name: &str) -> Thing {
    Thing::parse(&plain_name(name), ThingKind::Object)
}

/// A name without pointers, its noun last. Lists and detectors put it first, with a comma behind.
fn plain_name(name: &str) -> String {
    let spaced = name.replace(['_', '-', '/'], " ");
    let parts = spaced.split([',', '，']).map(|part| without_pointers(part.trim()));
    let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    let [noun, modifiers @ ..] = parts.as_slice() else { return spaced };
    let is_chinese = parts.iter().all(|part| part.chars().all(is_han));
    let modifiers = modifiers.iter().rev().map(|it| it.strip_suffix('的').unwrap_or(it));
    let ordered: Vec<&str> = modifiers.chain([*noun]).collect();
    ordered.join(if is_chinese { "" } else { " " })
}

fn without_pointers(mut part: &str) -> &str {
    while let Some(rest) = POINTERS.iter().find_map(|pointer| {
        let rest = part.get(pointer.len()..)?;
        let is_same = part[..pointer.len()].eq_ignore_ascii_case(pointer);
        let ends = pointer.starts_with(is_han) || rest.starts_with(char::is_whitespace);
        (is_same && ends && !rest.trim().is_empty()).then(|| rest.trim_start())
    }) {
        part = rest;
    }
    part
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_what_is_named_whoever_says_it() {
        for (name, plain) in [
            ("red glass cup", "red glass cup"),
            ("my frying pan, iron", "iron frying pan"),
            ("The_Cup, glass, red", "red glass Cup"),
            ("我的杯子，橙色塑料的", "橙色塑料杯子"),
            ("那个杯子", "杯子"),
            ("这个 cup，红色的", "红色 cup"),
            ("a", "a"),
            ("cup,", "cup"),
            ("glass cup, red,", "red glass cup"),
            (",", ","),
            ("thermos", "thermos"),
            ("他的", "他的"),
        ] {
            assert_eq!(plain_name(name), plain, "{name}");
        }
    }
}
