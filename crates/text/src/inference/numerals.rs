//! Numbers that are written as words: "twenty-five", 三十五.

use super::items::{Item, ItemKind};
use super::units::han_unit;

#[rustfmt::skip]
const ENGLISH: &[(&str, u64)] = &[
    ("zero", 0), ("one", 1), ("two", 2), ("three", 3), ("four", 4), ("five", 5), ("six", 6),
    ("seven", 7), ("eight", 8), ("nine", 9), ("ten", 10), ("eleven", 11), ("twelve", 12),
    ("thirteen", 13), ("fourteen", 14), ("fifteen", 15), ("sixteen", 16), ("seventeen", 17),
    ("eighteen", 18), ("nineteen", 19), ("twenty", 20), ("thirty", 30), ("forty", 40),
    ("fifty", 50), ("sixty", 60), ("seventy", 70), ("eighty", 80), ("ninety", 90),
    ("hundred", 100), ("thousand", 1_000), ("million", 1_000_000), ("dozen", 12),
];

#[rustfmt::skip]
const ENGLISH_ORDINALS: &[(&str, u64)] = &[
    ("first", 1), ("second", 2), ("third", 3), ("fourth", 4), ("fifth", 5), ("sixth", 6),
    ("seventh", 7), ("eighth", 8), ("ninth", 9), ("tenth", 10),
];

/// Before "one" these make it a pronoun.
const PRONOUN_MARKERS: &[&str] =
    &["this", "that", "each", "every", "any", "no", "another", "other", "which", "some", "the"];

/// Han numerals of one numeral word at most: bounds the look-ahead.
const HAN_NUMERALS_MAX: usize = 20;

/// The English cardinal that begins at `index`, and how many items it takes.
pub(super) fn english_number(items: &[Item], index: usize) -> Option<(u64, usize)> {
    let value_at = |i: usize| {
        let item: &Item = items.get(i).filter(|item| item.kind == ItemKind::Word)?;
        ENGLISH.iter().find(|(word, _)| *word == item.text).map(|&(_, value)| value)
    };
    let first = value_at(index)?;
    let is_pronoun = first == 1
        && (items
            .get(index + 1)
            .is_none_or(|next| next.kind != ItemKind::Word || next.text == "of")
            || index > 0 && items[index - 1].is_one_of(PRONOUN_MARKERS));
    // "hundreds of" is none, and "a hundred" is one hundred.
    if is_pronoun {
        return None;
    }
    let (mut total, mut group) = (0u64, 0u64);
    let mut used = 0;
    while let Some(value) = value_at(index + used) {
        match value {
            100 => group = group.max(1).saturating_mul(100),
            12 if group > 0 && items[index + used].text == "dozen" => {
                group = group.saturating_mul(12);
            }
            1_000 | 1_000_000 => {
                total = total.saturating_add(group.max(1).saturating_mul(value));
                group = 0;
            }
            tens if tens >= 20 && group.is_multiple_of(100) => group += tens,
            small if used == 0 || group.is_multiple_of(100) => group += small,
            units if units < 10 && units > 0 && group % 100 >= 20 && group.is_multiple_of(10) => {
                group += units;
            }
            _ => break,
        }
        used += 1;
    }
    Some((total.saturating_add(group), used))
}

/// The value of an English ordinal up to the tenth.
pub(super) fn english_ordinal(word: &str) -> Option<u64> {
    ENGLISH_ORDINALS.iter().find(|(ordinal, _)| *ordinal == word).map(|&(_, value)| value)
}

/// The Chinese number at the start of `text`: its value and length in bytes. A single numeral
/// counts only before a unit or counting word, since 一样 and 三明治 are no numbers.
pub(super) fn han_number(text: &str) -> Option<(u64, usize)> {
    let run: Vec<char> =
        text.chars().take(HAN_NUMERALS_MAX).take_while(|&c| is_numeral(c)).collect();
    let len = run.iter().map(|c| c.len_utf8()).sum::<usize>();
    let has_unit = || han_unit(&text[len..]).is_some();
    let has_power = run.iter().any(|&c| power(c).is_some());
    let has_digit = run.iter().any(|&c| digit(c).is_some());
    let is_number = match run.len() {
        0 => false,
        1 => has_unit(),
        _ => (has_power && has_digit) || has_unit(),
    };
    is_number.then(|| (value(&run), len))
}

/// The length in bytes of the Chinese number at the start of `text`.
pub(super) fn han_number_len(text: &str) -> Option<usize> {
    han_number(text).map(|(_, len)| len)
}

/// The value of a run of numerals after 第, where no unit is needed, and its length in bytes.
pub(super) fn han_ordinal(text: &str) -> Option<(u64, usize)> {
    let run: Vec<char> =
        text.chars().take(HAN_NUMERALS_MAX).take_while(|&c| is_numeral(c)).collect();
    let len = run.iter().map(|c| c.len_utf8()).sum();
    (!run.is_empty()).then(|| (value(&run), len))
}

/// The value of a Han digit.
pub(super) fn digit(c: char) -> Option<u64> {
    Some(match c {
        '零' | '〇' => 0,
        '一' => 1,
        '二' | '两' => 2,
        '三' => 3,
        '四' => 4,
        '五' => 5,
        '六' => 6,
        '七' => 7,
        '八' => 8,
        '九' => 9,
        _ => return None,
    })
}

fn power(c: char) -> Option<u64> {
    Some(match c {
        '十' => 10,
        '百' => 100,
        '千' => 1_000,
        '万' => 10_000,
        _ => return None,
    })
}

fn is_numeral(c: char) -> bool {
    digit(c).is_some() || power(c).is_some()
}

fn value(run: &[char]) -> u64 {
    if run.iter().all(|&c| digit(c).is_some()) {
        // Digit by digit, as in 二〇二六.
        return run
            .iter()
            .filter_map(|&c| digit(c))
            .fold(0, |sum: u64, d| sum.saturating_mul(10).saturating_add(d));
    }
    let (mut total, mut section, mut pending) = (0u64, 0u64, None);
    for &c in run {
        match (digit(c), power(c)) {
            (Some(d), _) => pending = Some(d),
            (None, Some(10_000)) => {
                section = section.saturating_add(pending.take().unwrap_or(0)).max(1);
                total = total.saturating_add(section).saturating_mul(10_000);
                section = 0;
            }
            (None, Some(p)) => {
                section = section.saturating_add(pending.take().unwrap_or(1).saturating_mul(p));
            }
            (None, None) => {}
        }
    }
    total.saturating_add(section).saturating_add(pending.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::super::items::items;
    use super::*;

    #[test]
    fn english_numbers_are_read() {
        let cases = [
            ("two cups", Some((2, 1))),
            ("twenty-five degrees", Some((25, 2))),
            ("two hundred five", Some((205, 3))),
            ("three thousand two hundred", Some((3200, 4))),
            ("two three", Some((2, 1))),
            ("one cup", Some((1, 1))),
            ("one of them", None),
            ("one.", None),
            ("cup", None),
        ];
        for (text, expected) in cases {
            assert_eq!(english_number(&items(text), 0), expected, "{text}");
        }
        assert_eq!(english_number(&items("the one cup"), 1), None);
    }

    #[test]
    fn chinese_numbers_are_read() {
        let cases = [
            ("三个", Some(3)),
            ("两次", Some(2)),
            ("十五毫米", Some(15)),
            ("一百二十", Some(120)),
            ("三千零五米", Some(3005)),
            ("两万五千", Some(25_000)),
            ("二〇二六年", Some(2026)),
            ("一样", None),
            ("三明治", None),
            ("千万", None),
            ("杯", None),
        ];
        for (text, expected) in cases {
            assert_eq!(han_number(text).map(|(value, _)| value), expected, "{text}");
        }
        assert_eq!(han_ordinal("三抽屉").map(|(value, _)| value), Some(3));
    }
}
