//! Lengths of events as they are said: "longer than 8 s", "at least 3 but less than 6 s", 不到三秒, 8秒以上.

use super::super::super::phrases::Rows;
use super::super::atoms::{Atom, longest, longest_of};
use super::{Lengths, words};
use std::ops::Bound;
use std::time::Duration;

/// On which side of a length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Than {
    More,
    AtLeast,
    Less,
    AtMost,
    Just,
}

#[rustfmt::skip]
const THAN: &Rows<Than> = &[
    (Than::More, &["longer than", "more than", "over", "above", "in excess of", "exceeding", "greater than", "beyond", "strictly longer than", "strictly more than", "any longer than", "upwards of", "exceeded", "exceed", "exceeds", "outlasted", "outlast", "topped"]),
    (Than::AtLeast, &["at least", "no less than", "not less than", "no shorter than", "not shorter than", "a minimum of", "no fewer than"]),
    (Than::Less, &["less than", "under", "shorter than", "below", "fewer than", "strictly less than", "strictly shorter than"]),
    (Than::AtMost, &["at most", "no more than", "not more than", "no longer than", "not longer than", "a maximum of"]),
    (Than::Just, &["exactly", "precisely", "only", "just", "exactly for"]),
];
#[rustfmt::skip]
const OR: &Rows<Than> = &[
    (Than::AtLeast, &["or more", "or longer", "and more", "and longer", "or over", "or above", "and up", "or greater", "at least", "at minimum", "或更久", "或更长", "或以上", "及以上", "或更多", "或者更久", "或者更长", "或者以上", "及更久"]),
    (Than::AtMost, &["or less", "or shorter", "and less", "and shorter", "or under", "or below", "or fewer", "at most", "at maximum", "tops", "或更短", "或以下", "及以下", "或更少", "及更短"]),
];
const HAN_LASTING: &[&str] = &["持续", "持续了", "持续时间"];
#[rustfmt::skip]
const HAN_THAN: &Rows<Than> = &[
    (Than::More, &["超过", "超过了", "大于", "多于", "长于", "高于", "超出", "超出了", "比"]),
    (Than::AtLeast, &["不少于", "不低于", "至少", "不短于", "不小于", "起码", "大于等于", "大于或等于", "最少", "达到", "达到了", "满", "满了", "够", "足足"]),
    (Than::Less, &["不到", "少于", "短于", "低于", "不足", "小于", "未到", "未满", "不满", "没到"]),
    (Than::AtMost, &["不超过", "至多", "最多", "不多于", "不长于", "不大于", "未超过", "没超过", "小于等于", "小于或等于"]),
    (Than::Just, &["恰好", "正好", "刚好", "只有", "只", "仅", "仅有", "整整", "恰好是", "正好是", "刚好是", "恰好只", "恰好为", "恰恰"]),
];
/// 八秒以上: whether eight seconds are among them is not sure.
const HAN_OR: &Rows<Than> =
    &[(Than::AtLeast, &["以上"]), (Than::AtMost, &["以下", "以内", "之内", "内"])];
/// Between two lengths that both bound.
const AND: &[&str] = &[
    "but", "and", "yet", "but also", "但", "且", "而且", "又", "但又", "并且", "但是", "同时", "而",
];
impl Than {
    fn bounds(self, secs: f64) -> Option<(Bound<Duration>, Bound<Duration>)> {
        let at = Duration::try_from_secs_f64(secs).ok()?;
        Some(match self {
            Self::More => (Bound::Excluded(at), Bound::Unbounded),
            Self::AtLeast => (Bound::Included(at), Bound::Unbounded),
            Self::Less => (Bound::Unbounded, Bound::Excluded(at)),
            Self::AtMost => (Bound::Unbounded, Bound::Included(at)),
            Self::Just => (Bound::Included(at), Bound::Included(at)),
        })
    }
}

/// A sign that says what stands on which side.
fn sign(before: &str) -> Option<Than> {
    Some(match before.trim() {
        ">" | "＞" => Than::More,
        ">=" | "≥" => Than::AtLeast,
        "<" | "＜" => Than::Less,
        "<=" | "≤" => Than::AtMost,
        _ => return None,
    })
}

/// Whether a sign stands before an atom that says on which side of it.
pub(super) fn is_signed(text: &str, all: &[Atom], at: usize) -> bool {
    at > 0 && sign(&text[all[at - 1].place.end..all[at].place.start]).is_some()
}

/// Exactly so long.
pub(super) fn just(secs: f64) -> Option<Lengths> {
    let (from, until) = Than::Just.bounds(secs)?;
    Some(Lengths { from, until, is_end_sure: true })
}

/// "More than", "at least": how many atoms.
pub(super) fn more(all: &[Atom]) -> Option<usize> {
    let (count, than) = longest(all, THAN)?;
    matches!(than, Than::More | Than::AtLeast).then_some(count)
}

/// "Between 3 and 5 s", 3到5秒: whether the ends are among them is not sure.
fn between(all: &[Atom], at: usize) -> Option<(usize, Lengths)> {
    let low_at = at + longest_of(&all[at..], &["between", "from", "在", "介于", "从"]).unwrap_or(0);
    let (number, count) = words::cardinal(all.get(low_at..)?)?;
    let own = words::length(&all[low_at..]);
    let low_end = low_at + own.map_or(count, |(count, _)| count);
    let and = low_end + longest_of(all.get(low_end..)?, &["and", "to", "到", "至", "和", "与"])?;
    let (count, high) = words::length(all.get(and..)?)?;
    // "3 to 5 min".
    let unit = high / words::cardinal(&all[and..])?.0;
    let low = own.map_or(number * unit, |(_, secs)| secs);
    let end = and + count + longest_of(&all[and + count..], &["之间", "间"]).unwrap_or(0);
    let at = |secs| Duration::try_from_secs_f64(secs).ok();
    let (from, until) = (Bound::Included(at(low)?), Bound::Included(at(high)?));
    (low < high).then_some((end, Lengths { from, until, is_end_sure: false }))
}

/// Lengths that are said at a place.
pub(super) struct Bounded {
    /// Where they end.
    pub to: usize,
    pub lengths: Lengths,
    /// Whether a length alone says it.
    pub is_bare: bool,
}

/// One bound that stands at a place.
fn bound(text: &str, all: &[Atom], at: usize) -> Option<Bounded> {
    let begun = all.get(at)?.place.start;
    let before = at.checked_sub(1).map_or(0, |before| all[before].place.end);
    let signed = sign(&text[before..begun]).map(|than| (0, than));
    // ".5 s", "-5 s".
    let is_part = |at: usize| text[..all[at].place.start].ends_with(['.', '-', '−']);
    let than = longest(&all[at..], THAN).or_else(|| longest(&all[at..], HAN_THAN)).or(signed);
    // 至少持续四秒.
    let lasting = |(count, _)| count + longest_of(&all[at + count..], HAN_LASTING).unwrap_or(0);
    let length = at + than.map_or(0, lasting);
    let (count, secs) = words::length(all.get(length..)?)?;
    if is_part(length) {
        return None;
    }
    let rest = &all[length + count..];
    let is_vague =
        longest_of(rest, &["or so", "in total", "左右", "多", "上下", "前后", "per", "each"])
            .is_some();
    let (or, han_or) = (longest(rest, OR), longest(rest, HAN_OR));
    let (more, than) = match (than, or.or(han_or)) {
        // 比8秒长的, 比8秒短的.
        (Some(_), _) if all[at].text == "比" => match rest.first()?.text.as_str() {
            "长" | "久" => (1, Some(Than::More)),
            "短" => (1, Some(Than::Less)),
            _ => return None,
        },
        (None | Some((_, Than::Just)), Some((count, than))) => (count, Some(than)),
        // 不到八秒以内.
        (Some(_), Some(_)) => return None,
        (than, None) => (0, than.map(|(_, than)| than)),
    };
    let (from, until) = than.unwrap_or(Than::Just).bounds(secs)?;
    let lengths = Lengths { from, until, is_end_sure: han_or.is_none() };
    let to = length + count + more;
    // 之后的十秒之内.
    let is_bare = than.is_none() || all[to - 1].text == "内";
    let is_about = text[before..all[length].place.start].contains(['~', '≈', '～']);
    (!is_vague && !is_about).then_some(Bounded { to, lengths, is_bare })
}

/// One bound, or two that bound from both sides: "longer than 3 s but shorter than 6".
pub(super) fn bounds(text: &str, all: &[Atom], at: usize) -> Option<Bounded> {
    if let Some((to, lengths)) = between(all, at) {
        // They may be times of the day, or a distance, without a word before them.
        return Some(Bounded { to, lengths, is_bare: true });
    }
    let one = bound(text, all, at)?;
    let and = one.to + longest_of(&all[one.to..], AND).unwrap_or(0);
    match bound(text, all, and).filter(|next| !next.is_bare && !one.is_bare) {
        Some(Bounded { to, lengths, .. }) => {
            Some(Bounded { to, lengths: one.lengths.and(lengths)?, is_bare: false })
        }
        None => Some(one),
    }
}
