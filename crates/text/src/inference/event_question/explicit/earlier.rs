//! Which of two came first, or last: "which moved first, the wheels or the arm?", 轮子和夹爪，哪个先动. It is asked for the first of
//! both: "the first wheels motion or arm motion".

use super::super::atoms::{Atom, atoms, longest_of, said};
use super::super::classes::class_at;
use super::movers::{mover, subject};
use super::{End, words};

const ARTICLES: &[&str] = &["the", "a", "an", "its", "our", "any"];
const OR: &[&str] = &["or", "还是", "或"];
const AND: &[&str] = &["or", "and", "还是", "或", "和", "与", "跟"];
const WHICH: &[&str] =
    &["which", "which one", "which of them", "which of the two", "which event", "what", "who"];
#[rustfmt::skip]
const CAME: &[&str] = &[
    "moved", "came", "happened", "occurred", "was", "was recorded", "was logged", "started moving", "began moving", "started to move", "began to move",
];
/// With what stands behind it: "the last to move".
#[rustfmt::skip]
const FIRST: [(End, &[&str]); 2] = [
    (End::First, &["first", "earlier", "the first", "the first to move", "first to move", "the earlier one", "sooner", "first of the two"]),
    (End::Last, &["last", "later", "the last", "the last to move", "last to move", "the later one"]),
];
/// Behind "did it happen": "did it happen last week?" asks for another thing.
const FIRST_ALONE: [(End, &[&str]); 2] = [(End::First, &["first"]), (End::Last, &["last"])];
const OUT_OF: &[&str] = &["out of", "of"];
/// So many atoms stand between "first" and both.
const BETWEEN_MAX: usize = 8;
/// Before both they say where, or when.
const SIDES: [&str; 10] =
    ["between", "when", "while", "after", "before", "since", "until", "from", "once", "if"];
const DO: &[&str] = &["did", "was it", "was"];
const COME: &[&str] = &["move", "come", "happen", "occur", "start", "begin", "start moving"];
const HAN_WHICH: &[&str] =
    &["哪个", "哪一个", "谁", "哪个是", "哪种", "哪类", "是哪个", "哪次", "哪件", "是"];
#[rustfmt::skip]
const HAN_FIRST: [(End, &[&str]); 2] = [
    (End::First, &["先", "最先", "首先", "更早", "较早", "先一步", "最早"]),
    (End::Last, &["后", "最后", "更晚", "较晚", "最晚"]),
];
/// By themselves.
const HAN_BEFORE: &[&str] =
    &["在前", "在先", "更早", "较早", "早一些", "更早一些", "更早发生", "更早出现"];
const HAN_CAME: &[&str] = &[
    "动",
    "动的",
    "发生",
    "发生的",
    "出现",
    "出现的",
    "来",
    "来的",
    "动作",
    "运动",
    "动起来",
    "开始动",
    "触发",
];

/// The text as one that asks for the first, or the last, of both; `None` when it asks for neither.
pub(super) fn in_plain_words(text: &str) -> Option<String> {
    let all = atoms(text);
    let asked = |at| {
        let reader = Reader { text, all: &all };
        reader
            .which_of(at)
            .or_else(|| reader.of_which(at))
            .or_else(|| reader.did(at))
            .or_else(|| reader.han(at))
    };
    (0..all.len()).find_map(asked)
}

/// One of the two.
struct Name {
    /// As a name of events.
    said: String,
    /// The end of them that is meant.
    which: Option<End>,
    to: usize,
}

struct Reader<'a> {
    text: &'a str,
    all: &'a [Atom],
}

impl Reader<'_> {
    fn skip(&self, at: usize, words: &[&str]) -> Option<usize> {
        Some(at + longest_of(self.all.get(at..)?, words)?)
    }

    fn either(&self, at: usize, words: [(End, &[&str]); 2]) -> Option<(End, usize)> {
        let found = words.into_iter().filter_map(|(end, words)| Some((end, self.skip(at, words)?)));
        found.max_by_key(|(_, to)| *to)
    }

    /// "The arm", "the first stop", 第一次掉件.
    fn name(&self, at: usize) -> Option<Name> {
        const ENDS: [(End, &[&str]); 2] = [
            (End::First, &["first", "earliest", "第一次", "首次", "头一次", "最早一次", "第一个"]),
            (End::Last, &["last", "latest", "最后一次", "最近一次", "末次", "上次", "最后一个"]),
        ];
        let begun = self.skip(at, ARTICLES).unwrap_or(at);
        let which = self.either(begun, ENDS);
        let from = which.map_or(begun, |(_, to)| to);
        let rest = self.all.get(from..)?;
        let of = subject(rest).unwrap_or(0);
        let class = class_at(&rest[of..]).filter(|(_, class)| class.is_some());
        let count = match class {
            Some((class, _)) => of + class,
            // What moves by itself: a counter has changes.
            None => mover(rest).unwrap_or(0),
        };
        let to = from + count;
        let last = self.all.get(to.checked_sub(1)?).filter(|_| count > 0)?;
        let said = said(self.text, &self.all[from..to]);
        let motion = match (class.is_some(), last.is_han()) {
            (true, _) => "",
            (false, true) => "运动",
            (false, false) => " motion",
        };
        Some(Name { said: format!("{said}{motion}"), which: which.map(|(end, _)| end), to })
    }

    /// Both, and where they end.
    fn both(&self, at: usize, join: &[&str]) -> Option<([Name; 2], usize)> {
        let one = self.name(at)?;
        let other = self.name(self.skip(one.to, join)?)?;
        let to = other.to;
        Some(([one, other], to))
    }

    /// The question for one from an end of both, in place of what stands from one atom to another. The first one or the last one
    /// of each is said by that, and any other is not asked for.
    fn asked(&self, end: End, names: [Name; 2], (from, to): (usize, usize)) -> Option<String> {
        let is_of_end = |name: &Name| name.which.is_none_or(|which| which == end);
        let (before, behind) =
            (&self.text[..self.all[from].place.start], &self.text[self.all[to - 1].place.end..]);
        // 哪个先发生两次, 谁先动完.
        let next = self.all.get(to..)?;
        let is_more = words::cardinal(next).is_some() && next[0].is_han()
            || longest_of(next, &["完", "了", "过"]).is_some();
        if is_more {
            return None;
        }
        let [one, other] = &names;
        let is_han = self.all[from].is_han();
        let first = match (end, is_han) {
            (End::First, false) => "what was the first",
            (End::Last, false) => "what was the last",
            (End::First, true) => "最早一次",
            (End::Last, true) => "最后一次",
        };
        let asked = match is_han {
            false => format!("{before}{first} {} or {}{behind}", one.said, other.said),
            true => format!("{before}{first}{}或{}是什么时候{behind}", one.said, other.said),
        };
        names.iter().all(is_of_end).then_some(asked)
    }

    /// "Which moved first, the wheels or the arm", "what came first: a stop or a grip loss".
    fn which_of(&self, at: usize) -> Option<String> {
        let came = self.skip(self.skip(at, WHICH)?, CAME)?;
        let (end, first) = self.either(came, FIRST)?;
        if let Some((names, to)) = self.both(first, OR) {
            return self.asked(end, names, (at, to));
        }
        // "Which moved first this afternoon, the wheels or the arm?"
        let is_cut = |at: &usize| {
            let gap = &self.text[self.all[at - 1].place.end..self.all[*at].place.start];
            gap.contains([',', ':'])
        };
        let begin = (first..self.all.len()).take(BETWEEN_MAX).find(is_cut)?;
        let (names, to) = self.both(begin, OR)?;
        let time = said(self.text, &self.all[first..begin]);
        self.asked(end, names, (at, to)).map(|asked| {
            let behind = &self.text[self.all[to - 1].place.end..];
            format!("{} {time}{behind}", asked.strip_suffix(behind).unwrap_or(&asked))
        })
    }

    /// "Out of the arm and the gripper, which was the last to move".
    fn of_which(&self, at: usize) -> Option<String> {
        let before = at.checked_sub(1).map(|at| &self.all[at]);
        if before.is_some_and(|before| before.is_one_of(&SIDES)) {
            return None;
        }
        let (names, to) = self.both(self.skip(at, OUT_OF).unwrap_or(at), AND)?;
        let is_verb = |atom: &Atom| atom.is_one_of(&["moved", "stopped", "dropped", "slipped"]);
        let which = self.skip(to, WHICH).filter(|_| !is_verb(&self.all[to - 1]))?;
        if self.all[to].text == "what" || which - to == 2 && self.all[to + 1].text == "event" {
            return None;
        }
        let came = self.skip(which, CAME)?;
        let (end, first) = self.either(came, FIRST)?;
        self.asked(end, names, (at, first))
    }

    /// "Did the arm or the gripper move first".
    fn did(&self, at: usize) -> Option<String> {
        let (names, to) = self.both(self.skip(at, DO)?, AND)?;
        let is_verb = self.all[to - 1].is_one_of(COME);
        let come = self.skip(to, COME).or(is_verb.then_some(to))?;
        let (end, first) = self.either(come, FIRST_ALONE)?;
        let behind = self.text[self.all[first - 1].place.end..].trim_start();
        let is_last = behind.is_empty() || behind.starts_with(['?', ',', '.', ';', '!']);
        self.asked(end, names, (at, first)).filter(|_| is_last)
    }

    /// 轮子和夹爪，哪个先动, 先动的是机械臂还是夹爪, 哪个先发生：急停还是掉件.
    fn han(&self, at: usize) -> Option<String> {
        if let Some((names, to)) = self.both(at, AND) {
            let which = self.skip(to, HAN_WHICH)?;
            let before = self.skip(which, HAN_BEFORE).map(|to| (End::First, to));
            let (end, came) = before.or_else(|| {
                let (end, first) = self.either(which, HAN_FIRST)?;
                Some((end, self.skip(first, HAN_CAME)?))
            })?;
            return self.asked(end, names, (at, came));
        }
        let which = self.skip(at, HAN_WHICH).unwrap_or(at);
        let (end, first) = self.either(which, HAN_FIRST)?;
        let came = self.skip(first, HAN_CAME)?;
        let is = self.skip(came, &["是", "的是"]).unwrap_or(came);
        let (names, to) = self.both(is, AND)?;
        let is_asked = which > at || is > came;
        self.asked(end, names, (at, to)).filter(|_| is_asked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_two_is_the_first_of_both() {
        let cases = [
            (
                "Which moved first, the wheels or the arm?",
                "what was the first wheels motion or arm motion?",
            ),
            (
                "Out of the arm and the gripper, which was the last to move?",
                "what was the last arm motion or gripper motion?",
            ),
            (
                "Today, which one moved first: the gripper or the arm?",
                "Today, what was the first gripper motion or arm motion?",
            ),
            (
                "which came first, the first stop or the first grip loss?",
                "what was the first stop or grip loss?",
            ),
            (
                "which came first, the second stop or the first grip loss?",
                "which came first, the second stop or the first grip loss?",
            ),
            (
                "which came first, the last stop or a slip?",
                "which came first, the last stop or a slip?",
            ),
            (
                "Did the arm or the gripper move first?",
                "what was the first arm motion or gripper move?",
            ),
            (
                "Which moved first this afternoon, the wheels or the arm?",
                "what was the first wheels motion or arm motion this afternoon?",
            ),
            ("轮子和夹爪，哪个先动？", "最早一次轮子运动或夹爪运动是什么时候？"),
            ("今天先动的是手臂还是夹爪？", "今天最早一次手臂运动或夹爪运动是什么时候？"),
            ("第一次碰撞和第一次手臂运动，哪个先发生？", "最早一次碰撞或手臂运动是什么时候？"),
            ("急停和掉件发生了几次？", "急停和掉件发生了几次？"),
            ("急停和掉件哪个最先发生两次？", "急停和掉件哪个最先发生两次？"),
            ("Did a stop or a drop happen last week?", "Did a stop or a drop happen last week?"),
            (
                "Between the first stop and the first drop, what came first?",
                "Between the first stop and the first drop, what came first?",
            ),
            (
                "When the arm and the gripper moved, which moved first?",
                "When the arm and the gripper moved, which moved first?",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(in_plain_words(text).as_deref().unwrap_or(text), expected);
        }
    }
}
