//! What somebody takes back: "between 8:20 -- no, sorry -- between 8:30 and 8:36", 三点一刻，哦不，是三点十六分.

use super::super::atoms::{Atom, atoms, longest_of};
use super::super::classes::class_at;
use super::bounds::Present;
use super::words;

/// With one of these something is said anew.
#[rustfmt::skip]
const TAKING_BACK: &[&str] = &[
    "no sorry", "no wait", "no pardon", "sorry no", "sorry i meant", "sorry i mean", "no i meant", "no i mean", "i meant", "i mean", "wait no", "no no", "oops", "correction", "scratch that", "make that", "or rather", "rather",
    "哦不", "呃不对", "啊不是", "不对", "不不", "哎不对", "说错了", "我说错了", "看错了", "更正", "口误", "不是不是", "啊不对", "噢不", "呃不是", "等等不对",
];
/// They stand between it and what is meant.
#[rustfmt::skip]
const BETWEEN: &[&str] = &[
    "no", "sorry", "wait", "i meant", "i mean", "i misread my own note", "i misread", "that was wrong", "my mistake", "my bad", "oops", "rather", "pardon", "actually", "i misspoke", "it was", "it is", "should be", "well", "i mixed that up",
    "看错了", "说错了", "我看错了", "我说错了", "记错了", "我记错了", "是", "应该是", "我是说", "不对", "不", "口误", "改成", "更正", "哦", "呃", "啊",
];
/// They may stand before both.
const SIDES: [&str; 16] = [
    "between", "from", "before", "after", "since", "until", "at", "to", "in", "of", "the", "on",
    "than", "past", "从", "在",
];

/// What begins a place: a time, or a word for a class of events; and how many atoms it has.
#[derive(PartialEq)]
enum Item {
    Time,
    Class,
    Nth,
}

fn item(atoms: &[Atom], present: &Present<'_>) -> Option<(usize, Item)> {
    if let Some(time) = present.phrase(atoms) {
        return Some((time.count, Item::Time));
    }
    if let Some((count, _)) = words::nth(atoms) {
        return Some((count, Item::Nth));
    }
    class_at(atoms).and_then(|(count, class)| class.map(|_| (count, Item::Class)))
}

/// The text without what was taken back in it.
pub(super) fn without_taken_back(text: &str, present: &Present<'_>) -> String {
    let all = atoms(text);
    let found = (1..all.len()).find_map(|at| Some((at, longest_of(&all[at..], TAKING_BACK)?)));
    let Some((marked, count)) = found else { return text.to_owned() };
    let is_apart = all[marked - 1].place.end + 1 < all[marked].place.start
        || text[all[marked - 1].place.end..all[marked].place.start]
            .contains([',', '，', '-', '.', '。']);
    let mut anew = marked + count;
    while let Some(count) = all.get(anew..).and_then(|rest| longest_of(rest, BETWEEN)) {
        anew += count;
    }
    if !is_apart || anew >= all.len() {
        return text.to_owned();
    }
    let sides = all[anew..].iter().take_while(|atom| atom.is_one_of(&SIDES)).count();
    let Some((_, said)) = item(&all[anew + sides..], present) else { return text.to_owned() };
    // The last of that kind, which ends there.
    let old = (0..marked).find_map(|at| {
        let (count, old) = item(&all[at..marked], present)?;
        (at + count == marked && old == said).then_some(at)
    });
    let Some(mut old) = old else { return text.to_owned() };
    // What stands before both is said twice.
    let mut skipped = anew;
    if sides > 0 && old > 0 && all[old - 1].text == all[anew].text {
        old -= 1;
    } else if sides > 0 && !all[anew].is_one_of(&["the"]) {
        return text.to_owned();
    } else {
        skipped += sides;
    }
    format!("{}{}", &text[..all[old].place.start], &text[all[skipped].place.start..])
}
