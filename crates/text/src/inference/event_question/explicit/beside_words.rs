//! Words that say nothing, or something, only for what stands beside them.

use super::super::super::phrases::Rows;
use super::super::atoms::{Atom, longest, longest_of};
use super::vocabulary::Word;
use super::words::length;

/// 两次, behind two times of the day: how many atoms.
pub(super) fn two_times(atoms: &[Atom]) -> Option<usize> {
    longest_of(atoms, &["两次", "这两次", "那两次", "两回", "两起", "两个", "的两次", "的这两次"])
}

/// 止, behind two times of the day: how many atoms.
pub(super) fn to_its_end(atoms: &[Atom]) -> Option<usize> {
    longest_of(atoms, &["止", "为止", "inclusive", "sharp"])
}

/// 起, 开始的, before a length of time: how many atoms.
pub(super) fn from_then(atoms: &[Atom]) -> Option<usize> {
    let count =
        longest_of(atoms, &["起", "开始", "算起", "起算", "开始算", "起的", "开始的", "算起的"])?;
    let rest = &atoms[count..];
    let joined =
        longest_of(rest, &["的", "往后", "之后", "后", "后的", "之后的", "往后的"]).unwrap_or(0);
    length(&rest[joined..]).map(|_| count + joined)
}

/// "Over the whole recording": how many atoms.
pub(super) fn of_whole_log(atoms: &[Atom]) -> Option<usize> {
    #[rustfmt::skip]
    const LOGS: [&str; 20] = [
        "log", "logs", "record", "records", "recording", "recordings", "data", "dataset", "data set", "history", "file", "bag", "memory", "logbook", "journal", "event log",
        "robot log", "trace", "archive", "database",
    ];
    let begun = longest_of(
        atoms,
        &["in", "over", "of", "across", "from", "for", "throughout", "within", "during"],
    )?;
    let article = longest_of(&atoms[begun..], &["the", "this", "your", "our", "my"]).unwrap_or(0);
    let whole = longest_of(
        &atoms[begun + article..],
        &["whole", "entire", "complete", "full", "present", "current"],
    )
    .unwrap_or(0);
    let end = begun + article + whole;
    let count = longest_of(atoms.get(end..)?, &LOGS)?;
    (article + whole > 0).then_some(end + count)
}

/// "Every time" where what is asked for are the times at which it happened: "list every time it slipped", but not
/// "what comes every time it slips".
pub(super) fn lists_times(atoms: &[Atom], at: usize) -> Option<usize> {
    #[rustfmt::skip]
    const LISTING: [&str; 14] = [
        "list", "show", "me", "need", "want", "for", "find", "give", "of", "see", "get", "know", "about", "pull",
    ];
    const PAST: [&str; 8] = ["lost", "fell", "went", "was", "has", "had", "did", "came"];
    let (before, rest) = atoms.split_at(at);
    let count = longest_of(
        rest,
        &["every time", "each time", "every single time", "every one of the times"],
    )?;
    let is_listed = before.last().is_some_and(|last| last.is_one_of(&LISTING));
    let is_past = rest[count..]
        .iter()
        .any(|atom| atom.is_one_of(&PAST) || atom.text.len() > 4 && atom.text.ends_with("ed"));
    (is_listed && is_past).then_some(count)
}

/// 计数器, or 计数 behind what it counts: how many atoms.
pub(super) fn counter(atoms: &[Atom], at: usize) -> Option<usize> {
    let rest = &atoms[at..];
    let whole = longest_of(rest, &["计数器", "计数值", "计数器值", "编号", "数值"]);
    let told = ["计数从", "计数由", "计数变", "计数跳", "计数到"];
    let is_behind = ["周期", "循环"].iter().any(|cycle| {
        at.checked_sub(2).is_some_and(|from| longest_of(&atoms[from..at], &[cycle]).is_some())
    });
    let is_beside = is_behind || longest_of(rest, &told).is_some();
    whole.or_else(|| longest_of(rest, &["计数"]).filter(|_| is_beside))
}

/// "Followed by which": what came next.
pub(super) fn passive(atoms: &[Atom]) -> Option<(usize, Word)> {
    const PASSIVE: &Rows<Word> =
        &[(Word::Next, &["followed by", "succeeded by"]), (Word::Previous, &["preceded by"])];
    let (by, word) = longest(atoms, PASSIVE)?;
    let asks = atoms.get(by).is_some_and(|next| next.is_one_of(&["which", "what", "how"]));
    asks.then_some((by, word))
}
