//! The rules that always hold, as tables in files: texts that are secrets by their form (`forms.tsv`), names
//! behind which secrets stand (`names.tsv`), and the words by which secrets are told from what is said
//! (`words.txt`).
//!
//! The forms are those that the issuers of keys publish and that scanners of repositories look for.

use super::value::Check;
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error, StrDeserializer};
use std::collections::HashSet;
use std::sync::LazyLock;

/// A text that is a secret by its form.
pub(super) struct Form {
    /// The rule's name in errors.
    pub rule: &'static str,
    /// What the group of the expression, or all of it, must be.
    pub check: Check,
    /// Of these, in small letters, one is in each text of the form.
    pub keys: Vec<&'static str>,
    /// A regular expression.
    pub pattern: &'static str,
}

/// Names behind which a secret of a kind stands. A space stands for what may join their words.
pub(super) struct Names {
    pub rule: &'static str,
    pub kind: Kind,
    pub names: Vec<&'static str>,
}

/// What a secret behind a name looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    /// A password: one word that is not said of passwords, a number, or an odd word in a sentence.
    Password,
    /// The same, and also several words.
    Passphrase,
    /// A code of 4 to 8 digits, of a part that is also called a pin.
    Pin,
    /// A code of 4 to 8 digits, or as short with letters.
    Code,
    /// A key that is named so by programs: one word.
    Key,
    /// What is also a thing that can be touched, or has a name: an odd word of 8 and more characters.
    LooseKey,
    /// A token: an odd word of 8 and more characters; behind `=` any word.
    Token,
    /// A word with other meanings: an odd word; behind `=` any word.
    Secret,
    /// What web pages know a visitor by: long and random, and no id of this program.
    Session,
    /// Words by which an account is recovered: six and more, or an odd word.
    Mnemonic,
    /// What `Authorization` is: the scheme and the rest.
    Authorization,
}

/// What a cell of the tables names.
fn named<T: Deserialize<'static>>(cell: &'static str) -> Option<T> {
    let cell: StrDeserializer<'static, Error> = cell.into_deserializer();
    T::deserialize(cell).ok()
}

pub(super) static FORMS: LazyLock<Vec<Form>> = LazyLock::new(|| {
    let form = |line: &'static str| {
        let mut cells = line.splitn(4, '\t');
        let (rule, check) = (cells.next()?, named(cells.next()?)?);
        let keys = cells.next()?.split(',').collect();
        Some(Form { rule, check, keys, pattern: cells.next()? })
    };
    rows(include_str!("forms.tsv")).filter_map(form).collect()
});

pub(super) static NAMES: LazyLock<Vec<Names>> = LazyLock::new(|| {
    let names = |line: &'static str| {
        let mut cells = line.splitn(3, '\t');
        let (rule, kind) = (cells.next()?, named(cells.next()?)?);
        Some(Names { rule, kind, names: cells.next()?.split(", ").collect() })
    };
    rows(include_str!("names.tsv")).filter_map(names).collect()
});

fn rows(table: &'static str) -> impl Iterator<Item = &'static str> {
    table.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// Words of one part of `words.txt`.
pub(super) type Words = LazyLock<HashSet<&'static str>>;

/// What people say where a secret would stand, and what such a name is used for besides.
pub(super) static HARMLESS: Words = LazyLock::new(|| words("harmless"));
/// Words of sentences: what holds them is an explanation, not a phrase to get in by.
pub(super) static FUNCTION_WORDS: Words = LazyLock::new(|| words("function_words"));
/// What a number counts.
pub(super) static COUNTED: Words = LazyLock::new(|| words("counted"));
/// Units of measures, in small letters.
pub(super) static UNITS: Words = LazyLock::new(|| words("units"));
/// Names with digits that are no secrets, some without the digits of their versions.
pub(super) static TECHNICAL: Words = LazyLock::new(|| words("technical"));
/// Passwords that everybody tries, where they stand directly behind the word.
pub(super) static WELL_KNOWN: Words = LazyLock::new(|| words("well_known"));
/// Passwords that are tried first, although they could be said of one: as the value of a key they are one.
pub(super) static TRIED_FIRST: Words = LazyLock::new(|| words("tried_first"));
/// What a name may end with and be the same name.
pub(super) static NAME_ENDS: Words = LazyLock::new(|| words("name_ends"));
/// What makes `… key` no secret.
pub(super) static OPEN_KEYS: Words = LazyLock::new(|| words("open_keys"));
/// Words before `pin` that make it a part or a contact.
pub(super) static PIN_PARTS: Words = LazyLock::new(|| words("pin_parts"));
/// Fields beside the name of a secret that hold what it is.
pub(super) static VALUE_FIELDS: Words = LazyLock::new(|| words("value_fields"));
/// Fields whose odd words are names.
pub(super) static ID_FIELDS: Words = LazyLock::new(|| words("id_fields"));

/// What a number counts in Chinese, and units.
pub(super) const COUNTED_CHINESE: &str = "次位个天号分秒小年月日米人台毫厘牛公克种条张把行页步度伏安瓦楼层段轮名遍项颗根支只块枚针脚字件";
/// Characters of what is said about a password in Chinese, and of hardly any password.
pub(super) const CHINESE_PLAIN: &str = "见问由在请已未不无需要可是有没到被给和与的了从找向放写贴让用输入设改正确错误空同上保存隐藏默认知道忘记过期\
    略暂失效更换询管理员人工待定变成功败验证登录旧新后前置必填选项红蓝绿黄白黑色圆片块";

fn words(part: &str) -> HashSet<&'static str> {
    rows(include_str!("words.txt"))
        .skip_while(|line| {
            line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) != Some(part)
        })
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .flat_map(|line| line.split(','))
        .map(str::trim)
        .filter(|word| !word.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_of_the_tables_is_read() {
        assert_eq!(FORMS.len(), rows(include_str!("forms.tsv")).count());
        assert_eq!(NAMES.len(), rows(include_str!("names.tsv")).count());
        for form in FORMS.iter() {
            assert!(
                form.keys.iter().all(|key| !key.is_empty() && *key == key.to_lowercase()),
                "{}",
                form.pattern
            );
        }
        let parts = rows(include_str!("words.txt")).filter(|line| line.starts_with('['));
        for part in parts {
            assert!(!words(part.trim_matches(['[', ']'])).is_empty(), "{part}");
        }
        assert!(HARMLESS.contains("unknown") && ID_FIELDS.contains("id"));
    }
}
