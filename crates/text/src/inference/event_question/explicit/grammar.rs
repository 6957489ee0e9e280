//! What the tokens of a question ask for together; nothing when one of them has no place in it.

use super::super::atoms::Atom;
use super::super::classes::one_class;
use super::super::numbers::unit;
use super::super::order::{AskedOrder, asked_order};
use super::bounds::Bounds;
use super::lexer::{Kind, Token};
use super::words::Word;
use super::{Anchor, Beside, End, NamedEvents, Nth, OrderQuestion, Taken};
use robot_memory_core::api::CountBy;

/// Before a name they say that any such event is meant.
const ANY: [&str; 10] = ["a", "an", "any", "each", "every", "some", "all", "每", "任何", "最"];
/// With one of these at its begin a sentence tells to do it.
const DOING: [&str; 14] = [
    "stop", "halt", "move", "drop", "push", "press", "touch", "hit", "switch", "change", "drive",
    "nudge", "poke", "strike",
];
/// Classes whose words say of one kind of event how it went, or are of several kinds.
const MIXED: [&str; 2] = ["battery", "novelty"];

/// A question's tokens.
#[derive(Clone, Copy)]
struct Sentence<'t> {
    tokens: &'t [Token],
    atoms: &'t [Atom],
    is_han: bool,
}

/// What is said of the events asked for.
#[derive(Default)]
struct Target {
    naming: Vec<Token>,
    nth: Option<Nth>,
    several: Option<(End, u32)>,
    number: Option<u32>,
    per: Option<CountBy>,
    is_counted: bool,
    is_any: bool,
    /// The next after an event, or the previous before it.
    beside: Option<Word>,
    /// In this order.
    order: Option<End>,
    /// It asks what happened.
    is_open: bool,
    bounds: Bounds,
}

/// The part of a sentence that says beside which event: its tokens, the last not included.
struct Relation {
    beside: Beside,
    from: usize,
    to: usize,
    is_just: bool,
}

/// What a question asks.
pub(super) fn read(tokens: &[Token], atoms: &[Atom], is_han: bool) -> Option<OrderQuestion> {
    // The hardest, or the longest: that is no order of time.
    let is_measured = |order| !matches!(order, AskedOrder::First | AskedOrder::Last);
    if asked_order(atoms).0.is_some_and(is_measured) {
        return None;
    }
    let sentence = Sentence { tokens, atoms, is_han };
    let relation = match sentence.side()? {
        None => None,
        Some(at) => Some(sentence.relation(at)?),
    };
    let (from, to) = relation.as_ref().map_or((0, 0), |relation| (relation.from, relation.to));
    let rest: Vec<Token> = tokens[..from].iter().chain(&tokens[to..]).copied().collect();
    let target = sentence.target(&rest)?;
    let of = sentence.named(&target.naming, target.is_any)?;
    let is_told = target.naming.first().is_some_and(|token| token.from == 0);
    let is_told = is_told && atoms[0].is_one_of(&DOING);
    if is_told || relation.is_some() && sentence.asks_whether(target.nth.is_some()) {
        return None;
    }
    let beside = relation.as_ref().map(|relation| &relation.beside);
    let is_fit = matches!(
        (target.beside, beside),
        (None, _)
            | (Some(Word::Next), Some(Beside::After(..)))
            | (Some(Word::Previous), Some(Beside::Before(..)))
    );
    if !is_fit {
        return None;
    }
    let (is_said, is_beside) = (!of.is_empty(), relation.is_some());
    let taken = match (target.nth, target.several, target.number) {
        (None, None, None) => Taken::All,
        (Some(nth), None, None) if is_said => Taken::Nth(nth),
        (None, Some((end, many)), None) if is_said => Taken::Several(end, many),
        (None, None, Some(many)) if is_said && is_beside => Taken::Nearest(many),
        _ => return None,
    };
    let is_until = tokens[from..to].iter().any(|token| token.is(Word::Until))
        && relation.as_ref().is_some_and(|relation| matches!(relation.beside, Beside::Before(..)));
    let is_just = relation.as_ref().is_some_and(|relation| relation.is_just);
    let per = target.per;
    // "Stops per day" counts them.
    let is_counted = target.is_counted || per.is_some() && taken == Taken::All;
    let is_whole = match (is_counted, taken) {
        // How many of what?
        (true, Taken::All) => is_said && !is_just,
        _ if is_until => false,
        (true, _) => false,
        (false, Taken::All) => is_beside || !target.bounds.is_open() || target.order.is_some(),
        (false, Taken::Nth(_)) => per.is_none() || !is_beside,
        (false, _) => per.is_none(),
    };
    // A time alone asks for nothing.
    let is_open = target.is_open || is_beside && atoms[0].is_one_of(&["what"]);
    let is_whole = is_whole && (is_said || is_open);
    let beside = relation.map(|relation| relation.beside);
    let Target { bounds, order, .. } = target;
    let is_ordered = |end| match taken {
        Taken::All => true,
        Taken::Several(from, _) => from == end,
        _ => false,
    };
    let is_whole = is_whole && order.is_none_or(is_ordered);
    is_whole.then_some(OrderQuestion { of, bounds, beside, taken, is_just, is_counted, per, order })
}

impl Sentence<'_> {
    /// The place of the word that says on which side of an event; `None` when there are two.
    #[expect(clippy::option_option, reason = "none is said, or too many are")]
    fn side(&self) -> Option<Option<usize>> {
        let sides = [Word::Before, Word::After, Word::Since, Word::Around, Word::Between];
        let is_side = |token: &Token| sides.iter().any(|side| token.is(*side));
        let mut places = (0..self.tokens.len()).filter(|at| is_side(&self.tokens[*at]));
        match (places.next(), places.next()) {
            (found @ Some(_), None) => Some(found),
            (None, _) => {
                let find = |word| self.tokens.iter().position(|token| token.is(word));
                Some(find(Word::From).or_else(|| find(Word::Until)))
            }
            _ => None,
        }
    }

    /// Whether it asks if one event was before another, and not for events: "was the last stop before the slip".
    fn asks_whether(&self, is_of_one: bool) -> bool {
        if self.is_han {
            let has = |word: &str| self.atoms.iter().any(|atom| atom.text == word);
            return has("吗") && !has("有");
        }
        let is_verb = self.atoms[0].is_one_of(&["was", "were", "is", "are"])
            || is_of_one && self.atoms[0].is_one_of(&["did", "has", "have", "had", "do"]);
        is_verb && !self.atoms.get(1).is_some_and(|atom| atom.is_one_of(&["there"]))
    }

    fn is(&self, at: Option<usize>, word: Word) -> bool {
        at.and_then(|at| self.tokens.get(at)).is_some_and(|token| token.is(word))
    }

    fn relation(&self, at: usize) -> Option<Relation> {
        if self.tokens[at].is(Word::From) {
            return self.one_to_another(at);
        }
        if self.tokens[at].is(Word::Between) {
            return if self.is_han { self.between_han(at) } else { self.between(at) };
        }
        if self.is_han { self.beside_han(at) } else { self.beside(at) }
    }

    /// "In the ten minutes just before the last stop".
    fn beside(&self, at: usize) -> Option<Relation> {
        let (anchor, to) = self.anchor(at + 1)?;
        let mut from = at;
        let is_just = self.is(from.checked_sub(1), Word::Just);
        from -= usize::from(is_just);
        let secs = from.checked_sub(1).and_then(|at| self.length(at));
        from -= usize::from(secs.is_some());
        let beside = self.on_side(at, anchor, secs)?;
        Some(Relation { beside, from, to, is_just })
    }

    /// 就在上次急停之前十分钟内.
    fn beside_han(&self, at: usize) -> Option<Relation> {
        // 急停发生之前, 急停紧前面.
        let mut named = at - usize::from(self.is(at.checked_sub(1), Word::Happened));
        let is_just_before = self.is(named.checked_sub(1), Word::Just);
        named -= usize::from(is_just_before);
        let begun = self.begin_of_anchor(named);
        let (anchor, end) = self.anchor(begun)?;
        if end != named {
            return None;
        }
        let (mut from, mut to) = (begun, at + 1);
        let mut is_just = self.is(from.checked_sub(1), Word::Just);
        from -= usize::from(is_just);
        is_just |= is_just_before;
        let is_from = self.is(from.checked_sub(1), Word::From);
        from -= usize::from(is_from);
        if self.is(Some(to), Word::Just) {
            (is_just, to) = (true, to + 1);
        }
        let secs = self.length(to);
        to += usize::from(secs.is_some());
        let mut beside = self.on_side(at, anchor, secs)?;
        if is_from {
            // 自从上次急停之后.
            beside = match beside {
                Beside::After(anchor, None) | Beside::Since(anchor) => Beside::Since(anchor),
                _ => return None,
            };
        }
        Some(Relation { beside, from, to, is_just })
    }

    fn on_side(&self, at: usize, anchor: Anchor, secs: Option<f64>) -> Option<Beside> {
        match self.tokens[at].kind {
            Kind::Word(Word::Before) => Some(Beside::Before(anchor, secs)),
            Kind::Word(Word::Until) if secs.is_none() => Some(Beside::Before(anchor, None)),
            Kind::Word(Word::After) => Some(Beside::After(anchor, secs)),
            Kind::Word(Word::Around) => Some(Beside::Around(anchor, secs)),
            Kind::Word(Word::Since) if secs.is_none() => Some(Beside::Since(anchor)),
            _ => None,
        }
    }

    fn length(&self, at: usize) -> Option<f64> {
        match self.tokens.get(at)?.kind {
            Kind::Length(secs) => Some(secs),
            _ => None,
        }
    }

    /// "Between the first stop and the last one of something".
    fn between(&self, at: usize) -> Option<Relation> {
        if let Some((end, many)) = self.two_of(at + 1) {
            let (one, to) = self.anchor_of(at + 2, Some(Nth { end, nth: many }))?;
            let other = Anchor { nth: Some(Nth { end, nth: 1 }), ..one.clone() };
            let beside = Beside::Between(one, other, false);
            return Some(Relation { beside, from: at, to, is_just: false });
        }
        let next = self.tokens.get(at + 1)?;
        if let (Kind::Nth(nth), true) = (next.kind, self.is(Some(at + 2), Word::And)) {
            // "Between the first and the second stop".
            let (other, to) = self.anchor(at + 3)?;
            let one = Anchor { nth: Some(nth), ..other.clone() };
            other.nth?;
            let beside = Beside::Between(one, other, false);
            return Some(Relation { beside, from: at, to, is_just: false });
        }
        let (one, middle) = self.anchor(at + 1)?;
        if !self.is(Some(middle), Word::And) {
            return None;
        }
        let (other, to) = self.anchor(middle + 1)?;
        Some(Relation { beside: Beside::Between(one, other, false), from: at, to, is_just: false })
    }

    /// "The last two": only of two is there one time between.
    fn two_of(&self, at: usize) -> Option<(End, u32)> {
        match self.tokens.get(at)?.kind {
            Kind::Several(end, 2) => Some((end, 2)),
            _ => None,
        }
    }

    /// 第一次急停和第二次急停之间, 最近两次急停之间.
    fn between_han(&self, at: usize) -> Option<Relation> {
        let begun = self.begin_of_anchor(at);
        if let Some(several) = begun.checked_sub(1)
            && let Some((end, many)) = self.two_of(several)
        {
            let (one, to) = self.anchor_of(begun, Some(Nth { end, nth: many }))?;
            let other = Anchor { nth: Some(Nth { end, nth: 1 }), ..one.clone() };
            let beside = Beside::Between(one, other, false);
            return (to == at).then_some(Relation {
                beside,
                from: several,
                to: at + 1,
                is_just: false,
            });
        }
        let (other, end) = self.anchor(begun)?;
        let middle = begun.checked_sub(1)?;
        let is_ordered = self.is(Some(middle), Word::To);
        if end != at || !(is_ordered || self.is(Some(middle), Word::And)) {
            return None;
        }
        let first = self.begin_of_anchor(middle);
        let (one, end) = if let (true, Some(Kind::Nth(nth))) =
            (first == middle, middle.checked_sub(1).map(|at| self.tokens[at].kind))
        {
            // 第一次和第二次急停之间.
            (Anchor { nth: Some(nth), ..other.clone() }, middle)
        } else {
            self.anchor(first)?
        };
        let mut from = if first == middle { middle - 1 } else { first };
        from -= usize::from(self.is(from.checked_sub(1), Word::From));
        let beside = Beside::Between(one, other, is_ordered);
        (end == middle).then_some(Relation { beside, from, to: at + 1, is_just: false })
    }

    /// "From the first stop to the last": from one event to another, or 从上次急停到现在.
    fn one_to_another(&self, at: usize) -> Option<Relation> {
        let (one, middle) = self.anchor(at + 1)?;
        if self.is(Some(middle), Word::To) || self.is(Some(middle), Word::Until) {
            let (other, to) = self.anchor(middle + 1)?;
            let beside = Beside::Between(one, other, true);
            return Some(Relation { beside, from: at, to, is_just: false });
        }
        let beside = Beside::Since(one);
        self.is_han.then_some(Relation { beside, from: at, to: middle, is_just: false })
    }

    /// Where what names the event begins that ends at a place.
    fn begin_of_anchor(&self, end: usize) -> usize {
        let mut at = end;
        let goes_on = |at: usize| at > 0 && (at == end || !self.tokens[at].is_cut);
        let is_any = |token: &Token| token.is(Word::Event);
        while goes_on(at) && (self.tokens[at - 1].is_naming() || is_any(&self.tokens[at - 1])) {
            at -= 1;
        }
        if at < end && goes_on(at) && matches!(self.tokens[at - 1].kind, Kind::Nth(_)) {
            at -= 1;
            if goes_on(at) && matches!(self.tokens[at - 1].kind, Kind::Time(_)) {
                at -= 1;
            }
        }
        at
    }

    /// The event that tokens name: "yesterday's first stop", "the last grip loss today"; and where they end.
    fn anchor(&self, at: usize) -> Option<(Anchor, usize)> {
        let first = self.tokens.get(at)?.from;
        if first > 0 && self.atoms[first - 1].is_one_of(&ANY) {
            return None;
        }
        let (mut bounds, mut next) = (Bounds::default(), at);
        if let Kind::Time(time) = self.tokens.get(next)?.kind {
            (bounds, next) = (time, next + 1);
        }
        let mut nth = None;
        if let Kind::Nth(which) = self.tokens.get(next)?.kind {
            (nth, next) = (Some(which), next + 1);
        }
        let (anchor, end) = self.anchor_of(next, nth)?;
        if !bounds.is_open() && !anchor.bounds.is_open() {
            return None;
        }
        bounds = bounds.and(anchor.bounds)?;
        Some((Anchor { bounds, ..anchor }, end))
    }

    /// The same behind what says which.
    fn anchor_of(&self, at: usize, nth: Option<Nth>) -> Option<(Anchor, usize)> {
        let goes_on = |token: &Token| token.is_naming() || token.is(Word::Event);
        let naming = self.tokens.get(at..)?;
        let more = naming.iter().skip(1).take_while(|token| goes_on(token) && !token.is_cut);
        let end = at + usize::from(naming.first().is_some_and(goes_on)) + more.count();
        let is_any = self.tokens[at..end].iter().any(|token| token.is(Word::Event));
        let names: Vec<Token> =
            self.tokens[at..end].iter().filter(|token| token.is_naming()).copied().collect();
        let of = self.named(&names, is_any)?;
        // "Since it slipped" and "since the gripper dropped it" tell of no event that is the only one.
        let is_told = |token: &Token| self.atoms[token.to - 1].text.ends_with("ed");
        if nth.is_none() && (!of.words.is_empty() || names.iter().any(is_told)) {
            return None;
        }
        let trailing = self.tokens.get(end).filter(|token| !token.is_cut && !self.is_han);
        let (bounds, end) = match trailing.map(|token| token.kind) {
            Some(Kind::Time(time)) => (time, end + 1),
            _ => (Bounds::default(), end),
        };
        (!of.is_empty()).then_some((Anchor { of, nth, bounds }, end))
    }

    /// Which events some tokens name.
    fn named(&self, naming: &[Token], is_any: bool) -> Option<NamedEvents> {
        let mut classes = Vec::new();
        let mut words = String::new();
        let mut last = None;
        for token in naming {
            let said = &self.atoms[token.from..token.to];
            // 周 in 周期 is no week.
            let is_word = said[0].is_one_of(&["周"]);
            let is_of_time = !is_word && unit(said).is_some_and(|(_, count)| count == said.len());
            if said[0].is_one_of(&ANY) || is_of_time && token.kind == Kind::Name {
                return None;
            }
            match token.kind {
                Kind::Class(class) => classes.push((class, token)),
                _ => {
                    let is_apart = last != Some(token.from) || !self.atoms[token.from].is_han();
                    if is_apart && !words.is_empty() {
                        words.push(' ');
                    }
                    let texts = self.atoms[token.from..token.to].iter().map(|atom| &*atom.text);
                    words.extend(texts);
                    last = Some(token.to);
                }
            }
        }
        let names: Vec<&'static str> = classes.iter().map(|(class, _)| *class).collect();
        let class = one_class(&names)?;
        let is_verb = classes.iter().any(|(class, token)| *class == "stop" && self.is_verb(token));
        if is_verb || class.is_some_and(|class| MIXED.contains(&class)) {
            return None;
        }
        Some(NamedEvents { class, is_any: is_any && class.is_none() && words.is_empty(), words })
    }

    /// Whether a word for a stop says that something came to rest.
    fn is_verb(&self, token: &Token) -> bool {
        let said: String =
            self.atoms[token.from..token.to].iter().map(|atom| &*atom.text).collect();
        let is_after_did = self.atoms[..token.from].iter().any(|atom| atom.is_one_of(&["did"]));
        match said.as_str() {
            "stopped" | "stopping" | "halted" | "停下" | "停住" | "停了" | "停过" => true,
            "stop" | "halt" => is_after_did,
            _ => false,
        }
    }

    fn target(&self, rest: &[Token]) -> Option<Target> {
        let mut target = Target::default();
        for (at, token) in rest.iter().enumerate() {
            match token.kind {
                Kind::Word(Word::Count) => target.is_counted = true,
                Kind::Word(Word::Happened) => target.is_open = true,
                Kind::Word(Word::Event) => target.is_any = true,
                Kind::Word(word @ (Word::Next | Word::Previous))
                    if target.nth.is_none() && is_named(rest.get(at + 1)) =>
                {
                    let end = if word == Word::Next { End::First } else { End::Last };
                    (target.nth, target.beside) = (Some(Nth { end, nth: 1 }), Some(word));
                }
                Kind::Word(Word::Oldest) => target.order = Some(End::First),
                Kind::Word(Word::Newest) => target.order = Some(End::Last),
                Kind::Class(_) | Kind::Name => target.naming.push(*token),
                Kind::Time(time) => target.bounds = target.bounds.and(time)?,
                Kind::Per(by) if target.per.is_none() => target.per = Some(by),
                Kind::Nth(nth) if target.nth.is_none() && self.is_of_name(rest, at) => {
                    target.nth = Some(nth);
                }
                Kind::Several(end, many) if target.several.is_none() => {
                    target.several = Some((end, many));
                }
                Kind::Number(many) if target.number.is_none() && is_named(rest.get(at + 1)) => {
                    target.number = Some(many);
                }
                _ => return None,
            }
        }
        Some(target)
    }

    /// Whether a word such as "first" says which event, and not what to do first.
    fn is_of_name(&self, rest: &[Token], at: usize) -> bool {
        let token = &rest[at];
        let is_before_name = is_named(rest.get(at + 1));
        if self.is_han {
            return is_before_name || at > 0 && is_named(rest.get(at - 1));
        }
        let before = &self.atoms[..token.from];
        let has_article =
            before.last().is_some_and(|atom| atom.is_one_of(&["the", "our", "its", "s", "very"]));
        let auxiliary = ["did", "was", "were", "has", "had"];
        let is_adverb = before.iter().any(|atom| atom.is_one_of(&auxiliary));
        // "First arm motion", but not "first move the arm".
        let naming = rest.iter().rfind(|token| token.is_naming());
        let is_noun = naming.is_some_and(|token| matches!(token.kind, Kind::Class(_)));
        let is_behind_name = at > 0 && is_named(rest.get(at - 1));
        let is_time = self.atoms[token.to - 1].is_one_of(&["time"]);
        let is_last = rest.get(at + 1).is_none_or(|token| token.is_cut || is_time_of(token));
        if is_behind_name && is_last && (is_time || has_article) {
            return true;
        }
        is_before_name && !rest[at + 1].is_cut && (has_article || is_adverb || is_noun)
    }
}

fn is_time_of(token: &Token) -> bool {
    matches!(token.kind, Kind::Time(_) | Kind::Per(_))
}

fn is_named(token: Option<&Token>) -> bool {
    token.is_some_and(|token| token.is_naming() || token.is(Word::Event))
}
