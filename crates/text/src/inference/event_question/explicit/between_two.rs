//! "Between the two gripper motions", 两次夹爪动作之间: between the first and the last of them, when there are two.

use super::super::atoms::{atoms, longest_of, said};
use super::movers::named_class;
use super::{Anchor, Beside, OrderQuestion};

const BETWEEN: &[&str] =
    &["between the two", "between both", "in between the two", "between these two"];
const HAN_BETWEEN: &[&str] = &["之间", "中间"];

/// What a text asks of the stretch between the only two events of a kind, by what `read` reads of it between the first and the last of
/// these.
pub(super) fn read(
    text: &str,
    read: impl Fn(&str) -> Option<OrderQuestion>,
) -> Option<OrderQuestion> {
    let asked = read(&between_ends(text)?)?;
    let Some(Beside::Between(one, other, _)) = &asked.beside else { return None };
    let two = Anchor { nth: None, ..one.clone() };
    let is_same = two == Anchor { nth: None, ..other.clone() };
    let beside = Some(Beside::BetweenTwo(two));
    is_same.then_some(OrderQuestion { beside, ..asked })
}

/// "Between the first gripper motion and the last gripper motion" in place of the two.
fn between_ends(text: &str) -> Option<String> {
    let all = atoms(text);
    let name = |from: usize| Some(from + named_class(all.get(from..)?)?);
    let two = |at: usize| {
        if let Some(count) = longest_of(&all[at..], BETWEEN) {
            let to = name(at + count)?;
            let said = said(text, &all[at + count..to]);
            return Some((at, to, format!("between the first {said} and the last {said}")));
        }
        let from = at + longest_of(&all[at..], &["两次", "这两次"])?;
        let to = name(from)?;
        let end = to + longest_of(all.get(to..)?, HAN_BETWEEN)?;
        let said = said(text, &all[from..to]);
        Some((at, end, format!("第一次{said}和最后一次{said}之间")))
    };
    let (from, to, between) = (0..all.len()).find_map(two)?;
    let (before, behind) = (&text[..all[from].place.start], &text[all[to - 1].place.end..]);
    Some(format!("{before}{between}{behind}"))
}
