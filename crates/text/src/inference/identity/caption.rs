//! The objects that the description of a picture names.

use super::{Thing, ThingKind};

/// What stands between two things of a description, in small letters.
const BETWEEN: &[&str] = &[
    " and ",
    " with ",
    " on ",
    " in ",
    " of ",
    " next to ",
    " near ",
    " beside ",
    " behind ",
    " under ",
    " above ",
    " over ",
    " at ",
    " by ",
    " from ",
    " is ",
    " are ",
    " there ",
    " holding ",
    " to ",
];
const BETWEEN_HAN: &[&str] =
    &["和", "与", "在", "有", "上", "下", "里", "中", "旁边", "，", "、", "。", "；"];
/// Words before a thing that say nothing of it.
const ARTICLES: &[&str] =
    &["a ", "an ", "the ", "some ", "two ", "one ", "一个", "一只", "一台", "一把"];
/// Things of one description.
const THINGS_MAX: usize = 16;

/// The objects that the table of names knows in a description, as it calls them, each once.
pub fn things_in(description: &str) -> Vec<String> {
    let mut text = format!(" {} ", description.to_lowercase());
    for between in BETWEEN {
        text = text.replace(between, ",  ");
    }
    for between in BETWEEN_HAN {
        text = text.replace(between, ",");
    }
    let mut things: Vec<String> = Vec::new();
    for part in text.split([',', '.', ';', ':', '\n', '!', '?', '(', ')']) {
        let part = part.trim();
        let named = ARTICLES.iter().find_map(|it| part.strip_prefix(it)).unwrap_or(part).trim();
        let is_new = !named.is_empty() && !things.iter().any(|known| known == named);
        if is_new && things.len() < THINGS_MAX && Thing::parse(named, ThingKind::Object).is_object()
        {
            things.push(named.to_owned());
        }
    }
    things
}

#[cfg(test)]
mod tests {
    use super::things_in;

    #[test]
    fn what_the_table_knows_is_named() {
        for (description, things) in [
            ("A red cup on a table next to the laptop.", &["red cup", "table", "laptop"][..]),
            ("桌子上有一个杯子和一台笔记本电脑", &["桌子", "杯子", "笔记本电脑"]),
            ("nothing is wrong, all quiet", &[]),
            ("", &[]),
        ] {
            assert_eq!(things_in(description), things, "{description}");
        }
    }
}
