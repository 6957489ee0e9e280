//! In which forms a word of the table is written.

use std::collections::HashMap;
use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization;

use super::super::super::lexer::is_han;

/// Traditional characters and the simplified ones.
const TRADITIONAL: &str = include_str!("../../../../../../config/traditional.txt");

/// Characters of Chinese that are another word without the ending 子.
#[rustfmt::skip]
const NOT_ALONE: &[&str] = &[
    "被", "院", "个", "种", "样", "面", "车", "房", "本", "夹", "抹", "推", "瓜", "色", "扣", "包", "冲", "李", "起", "腻", "搅拌",
];

/// Words whose forms the stemmer does not bring together.
#[rustfmt::skip]
const IRREGULAR: &[(&str, &str)] = &[
    ("knives", "knife"), ("wolves", "wolf"), ("shelves", "shelf"), ("leaves", "leaf"), ("loaves", "loaf"), ("halves", "half"),
    ("lives", "life"), ("men", "man"), ("women", "woman"), ("feet", "foot"), ("teeth", "tooth"), ("mice", "mouse"),
    ("axes", "axis"), ("children", "child"), ("persons", "people"), ("humans", "people"), ("axe", "ax"), ("vertices", "vertex"),
    ("colour", "color"), ("colours", "color"), ("grey", "gray"), ("fibre", "fiber"), ("aluminium", "aluminum"), ("centre", "center"),
    ("litre", "liter"), ("metre", "meter"), ("tyre", "tire"), ("tyres", "tire"), ("mould", "mold"), ("storeys", "storey"),
    ("theatre", "theater"), ("pyjamas", "pajama"), ("programme", "program"), ("catalogue", "catalog"), ("doughnut", "donut"),
    ("yoghurt", "yogurt"), ("vice", "vise"), ("broke", "break"), ("broken", "break"), ("kept", "keep"), ("held", "hold"),
    ("stood", "stand"), ("went", "go"), ("gone", "go"), ("took", "take"), ("taken", "take"), ("glasses", "glasses"), ("toes", "toe"),
    ("shorts", "shorts"), ("tights", "tights"), ("briefs", "briefs"), ("overalls", "overalls"), ("trainers", "trainers"),
    ("blinds", "blinds"), ("geese", "goose"), ("scarves", "scarf"), ("calves", "calf"), ("hooves", "hoof"),
];

/// The one form of an English word in lower case: not in the plural, and in one of its two spellings. A
/// stemmer takes the riveter for the rivet.
pub(in crate::inference::identity) fn lemma(word: &str) -> String {
    let irregular = |word: &str| {
        let found = IRREGULAR.iter().find(|(form, _)| *form == word);
        found.map(|(_, form)| (*form).to_owned())
    };
    irregular(word).unwrap_or_else(|| {
        let form = singular(word);
        irregular(&form).unwrap_or(form)
    })
}

/// A word without its regular plural ending.
fn singular(word: &str) -> String {
    let ends = |endings: &[&str]| endings.iter().any(|ending| word.ends_with(ending));
    if word.len() < 4 || !word.is_ascii() || ends(&["ss", "us", "is"]) {
        return word.to_owned();
    }
    if let Some(start) = word.strip_suffix("ies").filter(|start| start.len() > 2) {
        return format!("{start}y");
    }
    if ends(&["sses", "shes", "ches", "xes", "zes", "toes"]) {
        return word[..word.len() - 2].to_owned();
    }
    word.strip_suffix('s').unwrap_or(word).to_owned()
}

static FOLDED: LazyLock<HashMap<char, char>> = LazyLock::new(|| {
    let rows = TRADITIONAL.lines().filter(|line| !line.starts_with('#'));
    let pairs = rows.flat_map(str::split_whitespace).filter_map(|pair| {
        let mut chars = pair.chars();
        Some((chars.next()?, chars.next()?))
    });
    pairs.collect()
});

/// A text after NFKC, with simplified characters in the place of traditional ones.
pub fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    text.nfkc().map(|c| if is_han(c) { *FOLDED.get(&c).unwrap_or(&c) } else { c }).collect()
}

/// A Chinese word with and without its ending 子.
pub(super) fn han_forms(word: &str) -> Vec<String> {
    let mut forms = vec![word.to_owned()];
    match word.strip_suffix('子') {
        Some("") => {}
        Some(short) if NOT_ALONE.contains(&short) => {}
        Some(short) => forms.push(short.to_owned()),
        None if word.chars().count() > 1 => forms.push(format!("{word}子")),
        None => {}
    }
    forms
}

/// The words of an English phrase in their one form.
pub(super) fn latin_words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(lemma).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_has_one_form() {
        for (written, form) in [
            ("moulds", "mold"),
            ("tyres", "tire"),
            ("leaves", "leaf"),
            ("shorts", "shorts"),
            ("torches", "torch"),
            ("berries", "berry"),
            ("glass", "glass"),
        ] {
            assert_eq!(lemma(written), form);
        }
        assert_eq!(han_forms("夹子"), ["夹子"]);
        assert_eq!(han_forms("盒子"), ["盒子", "盒"]);
    }

    #[test]
    fn traditional_characters_are_read_as_simplified_ones() {
        assert!(FOLDED.len() > 1500, "{}", FOLDED.len());
        for (text, expected) in [
            ("工作檯", "工作台"),
            ("充電站在西牆邊", "充电站在西墙边"),
            ("昨天第二次急停是什麼時候", "昨天第二次急停是什么时候"),
        ] {
            assert_eq!(folded(text), expected);
        }
    }
}
