//! Motions of mostly one joint: "the last arm motion that was mostly shoulder_pan_joint", 以肘关节 elbow_joint 为主的运动. Without these
//! words the question is read of all motions, and then of those.

use super::super::atoms::{Atom, longest_of, said};
use super::OrderQuestion;

const LEAD: &[&str] = &["that was", "that were", "which was", "which were", "that is", "that are"];
const MOSTLY: &[&str] = &["mostly", "mainly", "primarily", "chiefly", "predominantly", "dominated"];
#[rustfmt::skip]
const OF: &[&str] = &[
    "with", "with the", "with its", "by", "by the", "on", "on the", "in", "in the", "in its", "of the", "using", "using the", "the", "its", "through the", "from the", "driven by", "driven by the", "about the", "around the",
];
const IN_WHICH: &[&str] = &["in which", "in which the", "where", "where the", "for which"];
#[rustfmt::skip]
const MOVED_MOST: &[&str] = &["was the joint that moved most", "was the joint that moved the most", "was the joint moving most", "moved most", "moved the most", "was the main joint", "was the dominant joint", "was the most active joint"];
const HAN_MOSTLY: &[&str] = &[
    "主要靠",
    "主要是",
    "主要由",
    "主要是由",
    "主要用",
    "主要为",
    "以",
    "转动最多的关节是",
    "动得最多的关节是",
    "运动最多的关节是",
    "主要关节是",
    "主要关节为",
    "主要运动的关节是",
];
const HAN_OF: &[&str] =
    &["为主的", "为主", "带动的", "带动", "驱动的", "驱动", "转动的", "运动的", "的"];
/// So many words name a joint.
const WORDS_MAX: usize = 5;

/// A text without the words for a joint, and these.
pub(super) struct Mostly {
    pub text: String,
    joint: String,
}

/// Of a text that names a joint as what moved mostly.
pub(super) fn in_plain_words(text: &str, all: &[Atom]) -> Option<Mostly> {
    (0..all.len()).find_map(|at| english(text, all, at).or_else(|| han(text, all, at)))
}

/// Where the name of a joint ends: `shoulder_pan_joint`, "wrist 3 joint".
fn joint(text: &str, all: &[Atom], from: usize) -> Option<usize> {
    let words = all.get(from..)?.iter().take(WORDS_MAX);
    let end = from + 1 + words.clone().position(|atom| atom.text == "joint")?;
    // "Mostly not the elbow joint", "mainly on the same joint".
    const OTHER: [&str; 12] = [
        "not", "no", "the", "a", "any", "same", "other", "another", "each", "every", "first",
        "last",
    ];
    if all[from..end].iter().any(|atom| atom.is_one_of(&OTHER)) {
        return None;
    }
    let name = said(text, &all[from..end]);
    let is_name =
        end > from + 1 && name.chars().all(|c| c.is_ascii_alphanumeric() || "_ -".contains(c));
    is_name.then_some(end)
}

fn english(text: &str, all: &[Atom], at: usize) -> Option<Mostly> {
    // "In which shoulder_lift_joint was the joint that moved most".
    if let Some(lead) = longest_of(&all[at..], IN_WHICH)
        && let Some(end) = joint(text, all, at + lead)
        && let Some(most) = longest_of(all.get(end..)?, MOVED_MOST)
    {
        return without(text, all, (at, end + most), &all[at + lead..end]);
    }
    let lead = at + longest_of(&all[at..], LEAD).unwrap_or(0);
    let mostly = lead + longest_of(all.get(lead..)?, MOSTLY)?;
    let name = mostly + longest_of(all.get(mostly..)?, OF).unwrap_or(0);
    let end = joint(text, all, name)?;
    without(text, all, (at, end), &all[name..end])
}

fn han(text: &str, all: &[Atom], at: usize) -> Option<Mostly> {
    let name = at + longest_of(&all[at..], HAN_MOSTLY)?;
    let end = joint(text, all, name)?;
    let of = longest_of(all.get(end..)?, HAN_OF);
    // 以前 and 以后 are no joints; 以……为主.
    let is_whole =
        all[at].text != "以" || of.is_some_and(|of| all[end + of - 1].text != "的" || of > 1);
    without(text, all, (at, end + of.unwrap_or(0)), &all[name..end]).filter(|_| is_whole)
}

fn without(text: &str, all: &[Atom], (from, to): (usize, usize), name: &[Atom]) -> Option<Mostly> {
    let (before, behind) = (&text[..all[from].place.start], &text[all[to - 1].place.end..]);
    let text = format!("{}{behind}", before.trim_end());
    Some(Mostly { text, joint: said_parts(name) })
}

fn said_parts(name: &[Atom]) -> String {
    let parts: Vec<&str> = name.iter().map(|atom| &*atom.text).collect();
    parts.join("_")
}

impl Mostly {
    /// What was read, of motions of that joint; `None` when it names no motions, or motions twice.
    pub fn restored(self, mut asked: OrderQuestion) -> Option<OrderQuestion> {
        let mut motions = asked.named_mut().filter(|of| of.class == Some("motion"));
        let (motion, another) = (motions.next()?, motions.next());
        another.is_none().then(|| motion.on = Some(self.joint))?;
        drop(motions);
        Some(asked)
    }
}
