//! Words that take some events out of those that are asked for: "not counting the first two", 除第一次外. Which are left
//! is not read, so that such a question is not sure.

use super::super::atoms::{Atom, ByLetter, ends, has, longest_of, stands_outside};
use super::harmless;
use super::lexer::{Kind, Token};
use std::sync::LazyLock;

/// They take out what stands behind them, whatever it is.
#[rustfmt::skip]
const OUT_OF: &[&str] = &[
    "not counting", "without counting", "not including", "without including", "not considering", "setting aside", "set aside", "putting aside", "put aside", "leaving aside", "leave aside", "leaving out", "leave out", "aside from", "apart from",
    "other than", "rather than", "instead of", "disregarding", "disregard", "discounting", "discount", "omitting", "omit", "ignoring", "ignore", "skipping", "neglecting", "overlooking", "subtracting", "deducting", "excluding", "exclude", "exclusive of", "except", "excepting",
    "barring", "bar the", "bar one", "minus", "less the", "save the", "save for", "never mind", "all but", "everything but", "anything but", "nothing but", "but the first", "but the last", "but the earliest", "but the latest", "but the second", "but the third",
    "but the newest", "but the oldest", "but the final", "but not", "but for", "besides", "not the first", "not the last", "beyond the first",
    "撇开", "撇去", "撇除", "抛开", "抛去", "抛除", "刨去", "刨除", "刨掉", "减去", "减掉", "扣除", "扣去", "扣掉", "除外", "除开", "除去", "除掉", "除了", "以外", "之外", "跳过", "略过", "忽略", "排除", "剔除", "去除", "先不管", "不要算", "不用算", "别算", "别数", "不把", "不计在内", "不算在内", "不算进", "不数",
];
static OUT: LazyLock<ByLetter<()>> = LazyLock::new(|| ByLetter::list(OUT_OF));

/// They take out what nobody asks for: the event since which is asked.
pub(super) const NOTHING: &[&str] =
    &["not counting it", "not including it", "not counting that one"];
/// The same before one or some of several.
#[rustfmt::skip]
const OUT_OF_SEVERAL: &[&str] = &["不算", "不计", "不含", "不包括", "不包含", "不看", "不管", "不要", "去掉", "略去", "除"];
const SEVERAL: &[&str] =
    &["第", "前", "头", "首次", "最后", "最初", "最早", "最先", "最近", "末次", "开头", "那", "这"];
/// Behind one of several, at the end of what is said.
const LEFT_OUT: &[&str] = &["不算", "不计", "不要", "不用算", "不用计", "不含", "除"];

/// The text without words that take the two events out between which is asked, since they are not between them anyway; `None` when
/// there are no such words.
pub(super) fn without_ends(text: &str) -> Option<String> {
    #[rustfmt::skip]
    const ENDS: [&str; 23] = [
        "not counting those two themselves", "not counting these two themselves", "not counting the two themselves", "not counting those two", "not counting these two", "not counting either of them",
        "excluding those two themselves", "excluding both of them", "excluding those two", "excluding these two", "both excluded", "both not counted", "这两条本身不算", "不算这两条", "这两条不算", "不含这两条", "不包括这两条", "不算这两次本身", "这两次本身不算", "不算这两次", "这两次不算", "不含这两次", "不包括这两次",
    ];
    let small = text.to_ascii_lowercase();
    let (at, count) = ENDS.iter().find_map(|said| Some((small.find(said)?, said.len())))?;
    let behind = text[at + count..].trim_start();
    let is_whole =
        behind.starts_with([',', '?', ')', '，', '？', '）', '.', '。']) || behind.is_empty();
    is_whole.then(|| format!("{}{}", &text[..at], &text[at + count..]))
}

/// Whether the two between which is asked are to be counted.
pub(super) fn with_ends(atoms: &[Atom]) -> bool {
    #[rustfmt::skip]
    const WITH: &[&str] = &[
        "inclusive", "included", "including", "包括", "包含", "连同", "在内", "算上这", "含这两", "两头都算", "首尾都算", "也算",
    ];
    has(atoms, WITH)
}

/// Whether some of the events are taken out.
pub(super) fn takes_out(atoms: &[Atom]) -> bool {
    let idle = |rest: &[Atom]| longest_of(rest, NOTHING).or_else(|| harmless::phrase(rest));
    let is_out = |rest: &[Atom]| {
        let of_several = longest_of(rest, OUT_OF_SEVERAL);
        OUT.longest_of(rest).is_some()
            || of_several.is_some_and(|count| longest_of(&rest[count..], SEVERAL).is_some())
    };
    stands_outside(atoms, idle, is_out) || ends(atoms, LEFT_OUT)
}

/// Whether a token in what is only told is one of the events that are asked for, which it does not name again: "forgetting
/// the first two, ...", but not "on my second day, ...".
pub(super) fn is_of_those(token: &Token, atoms: &[Atom], clause_end: usize) -> bool {
    let is_which = matches!(token.kind, Kind::Nth(_) | Kind::Several(..));
    // One that goes on beyond the clause has nothing behind it there.
    let rest = atoms.get(token.to..clause_end).unwrap_or_default();
    let ones = longest_of(rest, &["one", "ones", "of them", "of these", "of those"]).unwrap_or(0);
    is_which && rest.len() == ones
}
