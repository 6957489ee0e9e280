//! Motions by the joint that moved most: "the first motion of each main joint", 按主要运动的关节统计. Read as of each topic.

use super::super::atoms::{Atom, has, longest_of, said};
use super::{OrderQuestion, movers};
use robot_memory_core::api::CountBy;

const EACH: &[&str] =
    &["by", "by the", "per", "each", "for each", "in each", "of each", "every", "for every"];
#[rustfmt::skip]
const JOINTS: &[&str] = &[
    "joint that moved most", "joint that moved the most", "joint which moved most", "joint which moved the most", "joint that mostly moved", "joint that moves most", "joint moving most", "joint moving the most", "joint with the most movement", "joint with the largest movement", "most moved joint", "mostly moved joint", "most active joint", "main joint", "main joints", "main moving joint", "dominant joint", "dominant joints", "dominating joint", "leading joint", "principal joint", "primary joint", "primary joints",
];
/// The same group said once more.
#[rustfmt::skip]
const AGAIN: &[&str] = &["each group", "in each group", "of each group", "from each group", "for each group", "per group", "each joint", "of each joint", "for each joint", "in each joint", "per joint", "in each", "for each", "of each", "from each"];
const HAN_EACH: &[&str] = &["按", "根据", "按照", "依", "每个", "每一个", "各个", "各"];
#[rustfmt::skip]
const HAN_JOINTS: &[&str] = &[
    "主要运动的关节", "主要运动关节", "主要关节", "主要活动关节", "主要活动的关节", "主要动的关节", "主要的关节", "主导关节", "主导的关节", "动得最多的关节", "运动最多的关节", "动作最多的关节", "运动幅度最大的关节",
];
#[rustfmt::skip]
const HAN_DIVIDED: &[&str] = &["分开", "分组", "分类", "归类", "划分", "分一下", "分", "分成几组", "统计", "来分", "来看"];
const HAN_AGAIN: &[&str] =
    &["每个关节", "每一个关节", "各个关节", "各关节", "每组", "每一组", "各组"];
const GROUP: &[&str] = &["group", "split", "split up", "divide", "sort", "bucket", "arrange"];

/// The text with each topic in place of each joint.
pub(super) fn in_plain_words(text: &str, all: &[Atom]) -> Option<String> {
    let joint = |at: usize| {
        let (each, joints) = if all[at].is_han() { (HAN_EACH, HAN_JOINTS) } else { (EACH, JOINTS) };
        let each = at + longest_of(&all[at..], each)?;
        let to = each + longest_of(all.get(each..)?, joints)?;
        Some((at, to))
    };
    let (from, to) = (0..all.len()).find_map(joint)?;
    // "Per main joint and hour".
    let is_of_two = longest_of(&all[to..], &["and", "or", "和", "与", "及", "、"]).is_some();
    if is_of_two && !has(&all[to..], AGAIN) {
        return None;
    }
    if !all[from].is_han() {
        return english(text, all, (from, to));
    }
    let divided = to + longest_of(&all[to..], HAN_DIVIDED).unwrap_or(0);
    let again =
        (divided..all.len()).find_map(|at| Some((at, at + longest_of(&all[at..], HAN_AGAIN)?)));
    Some(match again {
        // 把动作按主要运动的关节分开，每个关节的最后一次动作是哪条.
        Some((again, end)) => {
            let is_clause = all[0].is_one_of(&["把", "将"]) && divided > to;
            is_clause.then_some(())?;
            let (between, behind) = (said(text, &all[divided..again]), behind(text, all, end));
            format!("{between}每个话题{behind}")
        }
        None => {
            let by =
                if all[from].is_one_of(&["每", "各"]) { "每个话题" } else { "按话题" };
            format!("{}{by}{}", &text[..all[from].place.start], behind(text, all, divided))
        }
    })
}

/// "Group the motions by the joint that moved most and show the first one in each group" asks for the first motion in each.
fn english(text: &str, all: &[Atom], (from, to): (usize, usize)) -> Option<String> {
    let again = (to..all.len()).find_map(|at| Some((at, at + longest_of(&all[at..], AGAIN)?)));
    let Some((again, end)) = again else {
        return Some(format!(
            "{}each topic{}",
            &text[..all[from].place.start],
            behind(text, all, to)
        ));
    };
    let grouped = longest_of(all, GROUP)?;
    let article = grouped + longest_of(&all[grouped..], &["the", "all", "all the"]).unwrap_or(0);
    let named = article + movers::named_class(&all[article..])?;
    let joined = to + longest_of(&all[to..], &["and", "then", "and then"]).unwrap_or(0);
    let one = (joined..again).find(|at| all[*at].is_one_of(&["one", "ones"]))?;
    let (before, between) = (said(text, &all[joined..one]), said(text, &all[one + 1..again]));
    let name = said(text, &all[article..named]);
    let name = if named == from { name.trim_end_matches('s') } else { return None };
    Some(format!("{before} {name} {between} in each topic{}", behind(text, all, end)))
}

fn behind<'t>(text: &'t str, all: &[Atom], to: usize) -> &'t str {
    &text[all[to - 1].place.end..]
}

/// What was read of such a text; `None` when it is not of motions.
pub(super) fn of_each(asked: OrderQuestion) -> Option<OrderQuestion> {
    let is_motion = asked.of.class == Some("motion") && asked.of.on.is_none();
    let is_such = asked.per == Some(CountBy::Topic) && asked.or_of.is_empty() && is_motion;
    is_such.then_some(OrderQuestion { per: Some(CountBy::On), ..asked })
}
