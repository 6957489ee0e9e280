//! What the tokens of a sentence ask for together; nothing when one of them has no place in it.

use super::super::atoms::{Atom, longest_of};
use super::super::order::{AskedOrder, asked_order};
use super::lexer::{Kind, Token};
use super::part::Part;
use super::vocabulary::Word;
use super::{Anchor, Beside, End, NamedEvents, Nth, words};

/// With one of these at its begin a sentence tells to do it, and so it does behind "after the last stop,".
const DOING: [&str; 24] = [
    "stop",
    "halt",
    "move",
    "drop",
    "push",
    "press",
    "touch",
    "hit",
    "switch",
    "change",
    "drive",
    "nudge",
    "poke",
    "strike",
    "lose",
    "stopping",
    "halting",
    "moving",
    "dropping",
    "pushing",
    "switching",
    "changing",
    "driving",
    "losing",
];
/// The same of words that say nothing of what happened.
const TELLING: [&str; 27] = [
    "make",
    "go",
    "enter",
    "perform",
    "execute",
    "carry",
    "start",
    "begin",
    "record",
    "note",
    "register",
    "remember",
    "write",
    "follow",
    "run",
    "do",
    "trip",
    "release",
    "reset",
    "let",
    "encounter",
    "experience",
    "suffer",
    "activate",
    "trigger",
    "log",
    "take",
];
const NOTING: [&str; 6] = ["记下", "记住", "登记", "留下", "写", "触发"];
/// One of these makes a Chinese sentence a question, or a wish to be told.
const ASKS: [&str; 24] = [
    "什", "啥", "哪", "几", "多", "吗", "呢", "有", "列", "给", "查", "找", "显", "告", "看", "问",
    "说", "统", "数", "记", "出", "发", "是", "否",
];

/// With one of these a sentence begins that tells, unless there is one of the others in it.
const SUBJECTS: [&str; 9] = ["the", "we", "it", "our", "a", "robot", "they", "gripper", "arm"];
#[rustfmt::skip]
const ASKS_ENGLISH: [&str; 16] = [
    "what", "which", "when", "how", "did", "was", "were", "has", "have", "had", "any", "all", "every", "times", "time", "that",
];

/// They ask what happened.
const AUXILIARIES: [&str; 5] = ["did", "was", "were", "has", "had"];

/// A sentence's tokens, and the event that was named before it.
#[derive(Clone, Copy)]
pub(super) struct Sentence<'t> {
    pub tokens: &'t [Token],
    pub atoms: &'t [Atom],
    pub is_han: bool,
    /// Whether a question mark ends it.
    pub is_question: bool,
    pub context: Option<&'t Anchor>,
}

/// What a sentence is about beside the event that is named in it, and the words that name it.
#[derive(Default)]
struct Target {
    /// "Other": of the same class as the event beside which they are.
    is_other: bool,
    /// The nearest first.
    is_closest: bool,
    /// On which side of a time they are.
    side: Option<End>,
    naming: Vec<Token>,
    is_any: bool,
    part: Part,
}

impl Target {
    /// With what its parts say only together; `None` when they do not go together.
    fn finished(mut self, beside: Option<&Beside>) -> Option<Self> {
        // "Which three were the most recent?"
        if let (Some(many), Some(Nth { end, nth: 1 })) = (self.part.number, self.part.nth) {
            (self.part.number, self.part.nth) = (None, None);
            self.part.several = self.part.several.or(Some((end, many)));
        }
        self.of_time(beside.is_some());
        let is_near =
            self.side.is_some() || matches!(beside, Some(Beside::Before(..) | Beside::After(..)));
        (!self.is_closest || is_near).then_some(self)
    }

    /// "The next three stops after 14:33", "the two before it": counted from that time.
    fn of_time(&mut self, is_beside: bool) {
        let Self { part, side: Some(end), .. } = self else { return };
        let is_next = match part.adverb {
            None => true,
            Some(Word::Next) => *end == End::First,
            Some(_) => *end == End::Last,
        };
        if is_beside || !is_next {
            return;
        }
        if let Some(many) = part.number.take() {
            part.several = part.several.or(Some((*end, many)));
            (part.adverb, part.is_just) = (None, false);
        } else if part.is_just && part.tells_of_no_one() && part.adverb.is_none() {
            (part.nth, part.is_just) = (Some(Nth { end: *end, nth: 1 }), false);
        } else if part.nth.is_some_and(|nth| nth.nth == 1) {
            part.adverb = None;
        }
    }
}

/// What a sentence asks.
pub(super) fn read(sentence: &Sentence<'_>) -> Option<Part> {
    let Sentence { tokens, atoms, .. } = *sentence;
    // The hardest, or the longest: that is no order of time.
    let is_measured = |order| !matches!(order, AskedOrder::First | AskedOrder::Last);
    if asked_order(atoms).0.is_some_and(is_measured) {
        return None;
    }
    let relation = sentence.relation()?;
    let (from, to) = relation.as_ref().map_or((0, 0), |relation| (relation.from, relation.to));
    let rest: Vec<Token> = tokens[..from].iter().chain(&tokens[to..]).copied().collect();
    let target = sentence.target(&rest, relation.as_ref().map(|relation| &relation.beside))?;
    let Target { naming, is_any, is_other, mut part, .. } = target;
    part.of = sentence.named(&naming, is_any)?;
    if is_other {
        part.of = sentence.others(part.of, relation.as_ref().map(|relation| &relation.beside))?;
    }
    let is_beside = relation.is_some();
    let behind = tokens.get(to).filter(|_| is_beside).map(|token| token.from);
    if sentence.tells_to_do(&naming, behind)
        || (is_beside || part.nth.is_some() || part.per.is_some())
            && sentence.asks_whether(part.nth.is_some())
    {
        return None;
    }
    if sentence.tells(&naming) && part.tells_of_no_one() && (is_beside || !part.bounds.is_open()) {
        return None;
    }
    let asks_what = |pair: &[Atom]| pair[0].text == "what" && pair[1].text != "time";
    part.is_open |= is_beside && atoms.windows(2).any(asks_what);
    if let Some(relation) = relation {
        let is_until = tokens[from..to].iter().any(|token| token.is(Word::Until));
        part.is_until = is_until && matches!(relation.beside, super::Beside::Before(..));
        part.is_just |= relation.is_just;
        part.is_of_before = relation.is_of_before;
        if sentence.is_han && !part.of.is_empty() && !sentence.is_asked(to) {
            return None;
        }
        part.beside = Some(sentence.all_since(relation.beside, &part, &naming));
    }
    Some(part)
}

impl Sentence<'_> {
    /// Whether it tells to do something: "stop after the third slip", "after the third slip, stop".
    fn tells_to_do(&self, naming: &[Token], behind: Option<usize>) -> bool {
        let asking = words::asking(self.atoms);
        let Some(first) = self.atoms.get(asking) else { return false };
        let is_class = |token: &&Token| matches!(token.kind, Kind::Class(_));
        let is_told = |token: &Token| {
            let is_first = token.from == asking || Some(token.from) == behind;
            let is_first =
                is_first && self.atoms.get(token.to).is_none_or(|next| next.text != "number");
            is_first && self.atoms[token.from].is_one_of(&DOING)
        };
        let names_first = naming.iter().filter(is_class).any(is_told);
        let is_log = self.atoms.get(asking + 1).is_some_and(|next| {
            next.is_one_of(&["entries", "entry", "lines", "records", "items", "of"])
        });
        let rest = &self.atoms[asking..];
        let is_telling =
            first.is_one_of(&TELLING) && !is_log || longest_of(rest, &NOTING).is_some();
        let is_polite = self.is_han && first.is_one_of(&["在", "等"]) && asking > 0;
        names_first || is_telling || is_polite && !self.has_asking()
    }

    /// Whether it tells what happened, and asks nothing: "the gripper dropped the part yesterday".
    fn tells(&self, naming: &[Token]) -> bool {
        let first = self.atoms.get(words::asking(self.atoms));
        let is_subject = first.is_some_and(|first| first.is_one_of(&SUBJECTS));
        let is_verb = |token: &Token| {
            let last = &self.atoms[token.to - 1];
            let said = &self.atoms[token.from..token.to];
            matches!(token.kind, Kind::Class(_))
                && (last.text.ends_with("ed")
                    || said.iter().any(|atom| atom.is_one_of(&["lost", "fell", "dropped"])))
        };
        let asks = self.atoms.iter().any(|atom| atom.is_one_of(&ASKS_ENGLISH));
        !self.is_han && !self.is_question && is_subject && !asks && naming.iter().any(is_verb)
    }

    fn has_asking(&self) -> bool {
        self.atoms.iter().any(|atom| atom.is_one_of(&ASKS))
    }

    /// Whether a Chinese sentence asks for what it names: 急停之后的移动, but not 急停之后移动.
    fn is_asked(&self, to: usize) -> bool {
        let rest = self.tokens.get(to..).unwrap_or_default();
        let from = to.checked_sub(1).map_or(0, |to| self.tokens[to].to);
        let is_joined = self.atoms[from..].iter().any(|atom| atom.text == "的");
        let is_one = rest.iter().any(|token| {
            matches!(
                token.kind,
                Kind::Nth(_) | Kind::Several(..) | Kind::Number(_) | Kind::Word(Word::Next)
            )
        });
        is_joined || is_one || self.has_asking() || rest.is_empty()
    }

    /// Whether it asks if one event was before another, and not for events: "was the last stop before the slip".
    fn asks_whether(&self, is_of_one: bool) -> bool {
        // "Is there a stop in every hour?"
        let is_of_each = self.tokens.iter().any(|token| matches!(token.kind, Kind::Per(_)));
        if is_of_each
            && self.atoms[words::asking(self.atoms).min(self.atoms.len() - 1)]
                .is_one_of(&["is", "are"])
        {
            return true;
        }
        if self.is_han {
            let has = |word: &str| self.atoms.iter().any(|atom| atom.text == word);
            // 动过吗 asks for events.
            let is_of_past = !is_of_one && (has("过") || has("了"));
            let asks_which = ["什", "哪", "几", "多"].iter().any(|word| has(word));
            return (has("吗") || has("否")) && !has("有") && !is_of_past && !asks_which;
        }
        let asking = words::asking(self.atoms);
        let Some(first) = self.atoms.get(asking) else { return false };
        let is_verb = first.is_one_of(&["was", "were", "is", "are"])
            || is_of_one && first.is_one_of(&["did", "has", "have", "had", "do"]);
        is_verb && !self.atoms.get(asking + 1).is_some_and(|atom| atom.is_one_of(&["there"]))
    }

    /// "Which stops came after it?" asks for all since then, and not for the nearest.
    fn all_since(&self, beside: Beside, part: &Part, naming: &[Token]) -> Beside {
        let is_class = |token: &&Token| matches!(token.kind, Kind::Class(_));
        let is_plural = if self.is_han {
            const MANY: [&str; 8] =
                ["哪些", "哪几次", "哪几回", "哪几个", "所有", "全部", "都有", "都列"];
            (0..self.atoms.len()).any(|at| longest_of(&self.atoms[at..], &MANY).is_some())
        } else {
            let last = |token: &Token| &self.atoms[token.to - 1];
            naming.iter().filter(is_class).any(|token| {
                last(token).text.ends_with('s') && !last(token).is_one_of(&["loss", "press"])
            })
        };
        let is_all = part.tells_of_no_one() && part.adverb.is_none() && !part.is_just;
        match beside {
            Beside::After(anchor, None) if is_plural && is_all && part.of.class.is_some() => {
                Beside::Since(anchor)
            }
            beside => beside,
        }
    }

    /// "Other stops after it": events like the one beside which is looked.
    fn others(&self, of: NamedEvents, beside: Option<&Beside>) -> Option<NamedEvents> {
        let (Beside::Before(anchor, _) | Beside::After(anchor, _) | Beside::Since(anchor)) =
            beside?
        else {
            return None;
        };
        let like = NamedEvents { became: None, ..anchor.of.clone() };
        let is_like = of.class == like.class && of.class.is_some() || of.is_any;
        if of.is_empty() { Some(like) } else { is_like.then_some(of) }
    }

    /// On which side of a time of the day what a token says lies.
    fn side_of(&self, token: &Token) -> Option<End> {
        let said = &self.atoms[token.from..token.to];
        let at = |at: usize| words::word(&said[at..]).map(|(_, word)| word);
        let all: Vec<Word> = (0..said.len()).filter_map(at).collect();
        if all.contains(&Word::Before) || all.contains(&Word::Until) {
            return Some(End::Last);
        }
        (all.contains(&Word::After) || all.contains(&Word::Since)).then_some(End::First)
    }

    fn target(&self, rest: &[Token], beside: Option<&Beside>) -> Option<Target> {
        let mut target = Target::default();
        target.part.is_counted = rest.iter().any(|token| token.is(Word::Count));
        let has_number =
            rest.iter().any(|it| matches!(it.kind, Kind::Number(_) | Kind::Several(..)));
        let is_one = rest.iter().any(|it| matches!(it.kind, Kind::Nth(_) | Kind::Several(..)));
        for (at, token) in rest.iter().enumerate() {
            let is_before_name = is_named(rest.get(at + 1));
            let Target { naming, is_any, part, is_other, is_closest, side } = &mut target;
            match token.kind {
                Kind::Word(Word::Count) => {}
                Kind::Word(Word::Happened) => part.is_open = true,
                Kind::Word(Word::Event) => *is_any = true,
                Kind::Word(word @ (Word::Next | Word::Previous)) if part.adverb.is_none() => {
                    part.adverb = Some(word).filter(|_| !part.is_counted);
                    if is_before_name && part.nth.is_none() && !part.is_counted && !has_number {
                        let end = if word == Word::Next { End::First } else { End::Last };
                        part.nth = Some(Nth { end, nth: 1 });
                    }
                }
                Kind::Word(Word::Just)
                    if self.is_han && (happens(rest.get(at + 1)) || self.is_right_then(at))
                        || self.atoms[token.from].is_one_of(&["nearest", "closest"]) =>
                {
                    part.is_just = true;
                }
                // "The stop just before 14:30", 15点10分之后紧接着的两次急停.
                Kind::Word(Word::Just) if self.is_beside_time(rest, at) => part.is_just = !is_one,
                Kind::Word(Word::Oldest) => part.order = Some(End::First),
                Kind::Word(Word::Newest) => part.order = Some(End::Last),
                // "Did it trip today, and how often?"
                Kind::Word(Word::And) if self.joins_count(rest, at) => {}
                Kind::Class(_) | Kind::Name | Kind::Became(_) | Kind::Began(_) => {
                    naming.push(*token);
                }
                Kind::At(at) if part.at.is_none() => part.at = Some(at),
                Kind::Time(time) => {
                    *side = side.or(self.side_of(token));
                    part.bounds = part.bounds.and(time)?;
                }
                Kind::Word(Word::Other) => *is_other = true,
                Kind::Word(Word::Closest) => *is_closest = true,
                Kind::Per(by) if part.per.is_none_or(|per| per == by) => part.per = Some(by),
                Kind::Nth(nth) if part.nth.is_none() && self.is_of_name(rest, at) => {
                    part.nth = Some(nth);
                    let said = &self.atoms[token.from..token.to];
                    part.is_nearest = longest_of(said, &["最近"]).is_some();
                    // "What did it do last?"
                    let is_done = at > 0 && happens(rest.get(at - 1)) || happens(rest.get(at + 1));
                    *is_any |= is_done && !rest.iter().any(Token::is_naming);
                }
                Kind::Several(end, many) if part.several.is_none() => {
                    part.several = Some((end, many));
                }
                Kind::Number(many) if part.number.is_none() => {
                    let is_of_verb = self.is_han && rest[..at].iter().any(Token::is_naming);
                    if !is_before_name && !is_of_verb {
                        return None;
                    }
                    part.number = Some(many);
                }
                _ => return None,
            }
        }
        target.finished(beside)
    }

    /// Whether "just" is said of a time.
    fn is_beside_time(&self, rest: &[Token], at: usize) -> bool {
        let is_behind = self.is_han && at > 0 && is_time_of(&rest[at - 1]);
        is_behind || rest.get(at + 1).is_some_and(is_time_of)
    }

    /// Whether "and how often" goes on to ask of what was named.
    fn joins_count(&self, rest: &[Token], at: usize) -> bool {
        let (before, after) = rest.split_at(at);
        let is_open = before.iter().any(|token| token.is(Word::Happened));
        let is_count = after.get(1).is_some_and(|token| token.is(Word::Count));
        let names_more = after.iter().any(Token::is_naming);
        is_count && !is_open && !names_more && before.iter().any(Token::is_naming)
    }

    /// Whether a word such as "first" says which event, and not what to do first.
    fn is_of_name(&self, rest: &[Token], at: usize) -> bool {
        let token = &rest[at];
        let is_before_name = is_named(rest.get(at + 1));
        if self.is_han {
            let is_done = rest.get(at + 1).is_some_and(|next| next.is(Word::Happened));
            // 哪次急停是下午的第一次?
            let is_end = at + 1 == rest.len() && rest.iter().any(Token::is_naming);
            return is_before_name || is_done || is_end || at > 0 && is_named(rest.get(at - 1));
        }
        let before = &self.atoms[..token.from];
        // "Which stop came last before the first slip?"
        let came = at.checked_sub(1).and_then(|at| rest.get(at));
        if came.is_some_and(|came| came.is(Word::Happened) && came.to == token.from) {
            return rest.get(at + 1).is_none_or(|next| next.is_cut || is_time_of(next));
        }
        // "Stop number three".
        if token.to - token.from > 1 && self.atoms[token.from].is_one_of(&["number"]) {
            let is_of = self.atoms.get(token.to).is_some_and(|next| next.text == "of");
            return at > 0 && is_named(rest.get(at - 1)) || is_of && is_before_name;
        }
        let has_article =
            before.last().is_some_and(|atom| atom.is_one_of(&["the", "our", "its", "s", "very"]));
        let is_adverb = before.iter().any(|atom| atom.is_one_of(&AUXILIARIES));
        // "First arm motion", but not "first move the arm".
        let naming = rest.iter().rfind(|token| token.is_naming());
        let is_class = |token: &Token| matches!(token.kind, Kind::Class(_));
        let is_next = rest.get(at + 1).filter(|token| is_class(token));
        let is_next = is_next.is_some_and(|next| !self.atoms[next.from].is_one_of(&DOING));
        let is_event = next_is_event(rest.get(at + 1));
        // "The first of today's stops".
        let is_of_time = rest.get(at + 1).is_some_and(is_time_of) && is_named(rest.get(at + 2));
        let is_of = self.atoms[token.to..].iter().take(2).any(|atom| atom.text == "of");
        // "The first time this morning that it slipped".
        let is_times = self.atoms.get(token.to).is_some_and(|atom| atom.text == "time")
            || self.atoms[token.to - 1].text == "time";
        if is_of_time && (is_of || is_times) {
            return true;
        }
        let is_noun = naming.is_some_and(is_class) || is_next || is_event;
        let is_behind_name = at > 0 && is_named(rest.get(at - 1));
        let is_time = self.atoms[token.to - 1].is_one_of(&["time"]);
        let next = rest.get(at + 1);
        let is_last = next.is_none_or(|token| token.is_cut || is_time_of(token)) || happens(next);
        // "Which motion was first", but not "which joint moved first".
        let said = at.checked_sub(1).map_or(&[][..], |at| &self.atoms[rest[at].from..rest[at].to]);
        let is_verb = |atom: &Atom| {
            atom.text.ends_with("ed") || atom.is_one_of(&["lost", "fell", "let", "lose", "move"])
        };
        let asks_which = before.iter().any(|atom| atom.is_one_of(&["which", "who"]));
        let is_asked = !(asks_which && said.iter().any(is_verb))
            && before.iter().any(|atom| atom.is_one_of(&AUXILIARIES) || atom.text == "which");
        if is_behind_name && is_last && (is_time || has_article || is_asked) {
            return true;
        }
        // "Stop, last but one", "of the stops before 9:00, the last".
        let is_apart = (token.is_cut || has_article || is_which(before)) && is_noun;
        let is_end = rest.get(at + 1).is_none_or(is_time_of) && is_apart && !before.is_empty();
        is_end || is_before_name && !rest[at + 1].is_cut && (has_article || is_adverb || is_noun)
    }
}

/// Whether it ends with what asks which one: "identify the", "which was the".
fn is_which(before: &[Atom]) -> bool {
    before.last().is_some_and(|last| last.is_one_of(&["identify", "which", "was", "is"]))
}

fn is_time_of(token: &Token) -> bool {
    matches!(token.kind, Kind::Time(_) | Kind::Per(_))
}

fn next_is_event(token: Option<&Token>) -> bool {
    token.is_some_and(|token| token.is(Word::Event))
}

fn happens(token: Option<&Token>) -> bool {
    token.is_some_and(|token| token.is(Word::Happened))
}

fn is_named(token: Option<&Token>) -> bool {
    token.is_some_and(|token| token.is_naming() || token.is(Word::Event))
}
