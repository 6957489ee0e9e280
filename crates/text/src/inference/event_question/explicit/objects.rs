//! What a gripper holds, in words for that it was lost: "dropped the part", 丢了几次件. There it says nothing more.

use super::super::atoms::Atom;
use super::lexer::{Kind, Token};
use super::vocabulary::Word;

const SLIP: Kind = Kind::Class("slip");
/// Words before which an object is the subject of what happened.
const BEFORE_SUBJECT: [&str; 18] = [
    "before", "after", "since", "let", "did", "was", "were", "has", "have", "had", "time", "times",
    "when", "is", "that", "do", "does", "once",
];
const ARTICLES: [&str; 7] = ["the", "a", "an", "its", "any", "our", "their"];
/// Words before which it is asked for itself, or which one of it is said.
const ASKING: [&str; 6] = ["哪", "种", "么", "啥", "个", "第"];

/// What counts, where what it counts changed: the cycle number.
const COUNTERS: [&str; 8] = ["counter", "number", "index", "号", "数", "计", "器", "值"];

/// Takes such words out of `tokens`, and leaves the others as names.
pub(super) fn leave_out(tokens: &mut Vec<Token>, atoms: &[Atom], is_han: bool) {
    let has = |tokens: &[Token], class| tokens.iter().any(|token| token.kind == Kind::Class(class));
    let (has_change, has_stop) = (has(tokens, "change"), has(tokens, "stop"));
    let has_slip = has(tokens, "slip");
    let says_nothing_more = |at: usize, tokens: &[Token]| {
        let (token, before) = (&tokens[at], &tokens[..at]);
        let is_name = token.kind == Kind::Name && !token.is_cut;
        let is_beside = before.last().is_some_and(|last| last.is_naming() && last.to == token.from)
            || tokens.get(at + 1).is_some_and(|next| next.kind == Kind::Class("change"));
        let is_counter = has_change && is_beside && atoms[token.from].is_one_of(&COUNTERS);
        // 停了几次机.
        let is_count = |token: &&Token| matches!(token.kind, Kind::Word(_) | Kind::Number(_));
        let stop = before.iter().rev().find(|token| !is_count(token));
        let is_machine = has_stop
            && atoms[token.from].is_one_of(&["机"])
            && stop.is_some_and(|stop| stop.kind == Kind::Class("stop"));
        // "Let the part slip".
        let is_let = has_slip && atoms[token.from].is_one_of(&["let", "lets"]);
        is_name && (is_machine || is_let) || token.kind == Kind::Name && is_counter
    };
    let mut at = 0;
    while at < tokens.len() {
        if says_nothing_more(at, tokens) {
            tokens.remove(at);
        } else {
            at += 1;
        }
    }
    let mut at = 0;
    while at < tokens.len() {
        let is_object = tokens[at].is(Word::Object);
        if is_object && (if is_han { says_nothing_han } else { says_nothing })(tokens, at, atoms) {
            let removed = tokens.remove(at);
            if let Some(next) = tokens.get_mut(at) {
                next.is_cut |= removed.is_cut;
            }
            continue;
        }
        if is_object {
            tokens[at].kind = Kind::Name;
        }
        at += 1;
    }
}

fn says_nothing(tokens: &[Token], at: usize, atoms: &[Atom]) -> bool {
    let token = &tokens[at];
    let before = at.checked_sub(1).map(|at| &tokens[at]);
    let has_slip = tokens[at..].iter().any(|token| token.kind == SLIP);
    let is_counted = tokens.iter().any(|token| token.is(Word::Count));
    if let Some(slip) = before.filter(|before| before.kind == SLIP && !token.is_cut) {
        // "The dropped part" is a part.
        let said = &atoms[slip.to - 1];
        let is_adjective = slip.to == token.from
            && (said.text.ends_with("ed") || said.is_one_of(&["lost", "fallen"]));
        let which = at.checked_sub(2).map(|at| tokens[at].kind);
        let is_one = matches!(which, Some(Kind::Nth(_) | Kind::Several(..)));
        return !is_adjective || is_counted || is_one || tokens.len() == 2;
    }
    if before.is_some_and(|before| before.is(Word::Count) && before.to == token.from) {
        return has_slip;
    }
    let lead = &atoms[..token.from];
    let lead = &lead
        [..lead.len() - lead.iter().rev().take_while(|atom| atom.is_one_of(&ARTICLES)).count()];
    let is_subject = lead.last().is_none_or(|atom| atom.is_one_of(&BEFORE_SUBJECT));
    has_slip && is_subject && (!lead.is_empty() || token.from > 0)
}

fn says_nothing_han(tokens: &[Token], at: usize, atoms: &[Atom]) -> bool {
    let token = &tokens[at];
    let is_count = |token: &&Token| matches!(token.kind, Kind::Word(Word::Count) | Kind::Number(_));
    let mut before = tokens[..at].iter().rev().skip_while(is_count);
    let last = tokens[..at].last();
    let is_behind_count = last.as_ref().is_some_and(is_count);
    let asks = token.from.checked_sub(1).is_some_and(|at| atoms[at].is_one_of(&ASKING));
    if asks && !is_behind_count {
        return false;
    }
    if before.next().is_some_and(|before| before.kind == SLIP) && !token.is_cut {
        // 丢失的零件 is a part.
        let is_adjective = token.from.checked_sub(1).is_some_and(|at| atoms[at].text == "的");
        let asks_which =
            atoms[token.to..].iter().any(|atom| atom.is_one_of(&["什", "哪", "谁", "啥"]));
        return !is_adjective || !asks_which;
    }
    // 工件今天滑落了几次.
    let is_between = |next: &&Token| {
        matches!(
            next.kind,
            Kind::Name | Kind::Nth(_) | Kind::Time(_) | Kind::Per(_) | Kind::Word(Word::Count)
        )
    };
    let next = tokens[at + 1..].iter().find(|next| !is_between(next));
    next.is_some_and(|next| next.kind == SLIP && !next.is_cut)
}
