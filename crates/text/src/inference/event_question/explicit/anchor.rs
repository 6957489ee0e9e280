//! The words that name events, and which of them is one beside which is looked.

use super::super::classes::one_class;
use super::super::numbers::unit;
use super::bounds::Bounds;
use super::grammar::Sentence;
use super::lexer::{Kind, Token};
use super::vocabulary::Word;
use super::words;
use super::{Anchor, End, NamedEvents, Nth};

/// Before a name they say that any such event is meant.
const ANY: [&str; 10] = ["a", "an", "any", "each", "every", "some", "all", "每", "任何", "最"];
/// What a robot's stop is of, however its stream is called.
const ARMS: [&str; 6] = ["arm", "robot arm", "机械臂", "手臂", "机械手", "机械手臂"];
/// What comes to rest.
const STOPPING: [&str; 9] =
    ["robot", "it", "we", "arm", "cobot", "machine", "system", "gripper", "cell"];
/// Classes whose words say of one kind of event how it went, or are of several kinds.
const MIXED: [&str; 2] = ["battery", "novelty"];

impl Sentence<'_> {
    /// Where what names the event begins that ends at a place.
    pub fn begin_of_anchor(&self, end: usize) -> usize {
        let mut at = end;
        if let [.., class, nth] = self.tokens.get(..end).unwrap_or_default()
            && matches!((class.kind, nth.kind), (Kind::Class(_), Kind::Nth(_)))
            && !nth.is_cut
        {
            // 急停第三次之后.
            return end - 2;
        }
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
        } else if at < end && goes_on(at) && matches!(self.tokens[at - 1].kind, Kind::At(_)) {
            at -= 1;
        }
        at
    }

    /// The event that tokens name: "yesterday's first stop", "the last grip loss today"; and where they end.
    pub fn anchor(&self, at: usize) -> Option<(Anchor, usize)> {
        if let Some(named) = self.that_event(at) {
            return Some(named);
        }
        let first = self.tokens.get(at)?.from;
        if first > 0 && self.atoms[first - 1].is_one_of(&ANY) {
            return None;
        }
        let (mut bounds, mut next) = (Bounds::default(), at);
        if let Kind::Time(time) | Kind::At(time) = self.tokens.get(next)?.kind {
            (bounds, next) = (time, next + 1);
        }
        // "Before the gripper first lost its grip".
        let subject = self.subject_before_nth(next);
        if let Some((words, at)) = subject
            && let Kind::Nth(which) = self.tokens[at].kind
        {
            let (anchor, end) = self.anchor_of(at + 1, Some(which), false)?;
            let words = if anchor.of.words.is_empty() { words } else { anchor.of.words };
            let of = NamedEvents { words, ..anchor.of };
            return Some((Anchor { of, bounds: bounds.and(anchor.bounds)?, ..anchor }, end));
        }
        let mut nth = None;
        if let Kind::Nth(which) = self.tokens.get(next)?.kind {
            (nth, next) = (Some(which), next + 1);
        }
        let is_at = matches!(self.tokens[at].kind, Kind::At(_));
        let (anchor, end) = self.anchor_of(next, nth, is_at)?;
        if !bounds.is_open() && !anchor.bounds.is_open() {
            return None;
        }
        bounds = bounds.and(anchor.bounds)?;
        Some((Anchor { bounds, ..anchor }, end))
    }

    /// The words of who did it, before "first" or "last" and what was done, and where these stand.
    fn subject_before_nth(&self, at: usize) -> Option<(String, usize)> {
        let rest = self.tokens.get(at..)?;
        let names = rest.iter().take_while(|token| token.kind == Kind::Name).count();
        let is_clause = !self.is_han
            && (1..=2).contains(&names)
            && matches!(rest.get(names)?.kind, Kind::Nth(_))
            && matches!(rest.get(names + 1)?.kind, Kind::Class(_))
            && rest[1..names + 2].iter().all(|token| !token.is_cut);
        let said = &self.atoms[rest.first()?.from..rest.get(names)?.from];
        let said: Vec<&str> = said.iter().map(|atom| &*atom.text).collect();
        is_clause.then(|| (said.join(" "), at + names))
    }

    /// "That jump": the event that was named before.
    fn that_event(&self, at: usize) -> Option<(Anchor, usize)> {
        let (context, token) = (self.context?, self.tokens.get(at)?);
        let is_same = token.kind == Kind::Class(context.of.class?);
        let before = token.from.checked_sub(1).map(|at| &self.atoms[at])?;
        let is_that = before.is_one_of(&["that", "this", "the", "这", "那", "次"]);
        let is_whole =
            !self.tokens.get(at + 1).is_some_and(|next| next.is_naming() && !next.is_cut);
        (is_same && is_that && is_whole).then(|| (context.clone(), at + 1))
    }

    /// The same behind what says which.
    pub fn anchor_of(&self, at: usize, nth: Option<Nth>, is_at: bool) -> Option<(Anchor, usize)> {
        let goes_on = |token: &Token| token.is_naming() || token.is(Word::Event);
        let naming = self.tokens.get(at..)?;
        let more = naming.iter().skip(1).take_while(|token| goes_on(token) && !token.is_cut);
        let end = at + usize::from(naming.first().is_some_and(goes_on)) + more.count();
        let end = self.before_other_class(at, end).filter(|_| nth.is_some()).unwrap_or(end);
        let is_any = self.tokens[at..end].iter().any(|token| token.is(Word::Event));
        let names: Vec<Token> =
            self.tokens[at..end].iter().filter(|token| token.is_naming()).copied().collect();
        let of = self.named(&names, is_any)?;
        let behind = self.nth_behind(end).filter(|_| nth.is_none() && !names.is_empty());
        let (nth, end) = (nth.or(behind), end + usize::from(behind.is_some()));
        // "Since it slipped" and "since the gripper dropped it" tell of no event that is the only one.
        let is_told = |token: &Token| self.atoms[token.to - 1].text.ends_with("ed");
        let trailing =
            |at: usize| self.tokens.get(at).filter(|token| !token.is_cut && !self.is_han);
        // "The stop that occurred at 8:46".
        let is_done = trailing(end).is_some_and(|token| token.is(Word::Happened))
            && trailing(end + 1).is_some_and(|token| matches!(token.kind, Kind::At(_)));
        let end = end + usize::from(is_done);
        let trailing = trailing(end);
        let is_at = is_at || trailing.is_some_and(|token| matches!(token.kind, Kind::At(_)));
        let is_one = nth.is_some() || is_at || of.became.is_some();
        if !is_one && (!of.words.is_empty() || names.iter().any(is_told)) {
            return None;
        }
        let (bounds, end) = match trailing.map(|token| token.kind) {
            Some(Kind::Time(time) | Kind::At(time)) => (time, end + 1),
            _ => (Bounds::default(), end),
        };
        (!of.is_empty()).then_some((Anchor { of, nth, bounds }, end))
    }

    /// 从第一次掉件到第十次掉件停机几次: where a word for another class of events begins.
    fn before_other_class(&self, from: usize, to: usize) -> Option<usize> {
        let class = |at: usize| match self.tokens[at].kind {
            Kind::Class(class) => Some(class),
            _ => None,
        };
        let first = (from..to).find(|at| class(*at).is_some())?;
        let is_other = |at: &usize| {
            class(*at).is_some_and(|other| {
                one_class(&[class(first).unwrap_or_default(), other]).is_none()
            })
        };
        (first + 1..to).find(is_other).filter(|_| self.is_han)
    }

    /// Which one, behind its name: "stop number three", "it slipped for the second time", "between stops 3 and 4".
    fn nth_behind(&self, at: usize) -> Option<Nth> {
        let token = self.tokens.get(at).filter(|token| !token.is_cut)?;
        let is_time = |at: usize| self.atoms.get(at).is_some_and(|atom| atom.is_one_of(&["time"]));
        match token.kind {
            // 急停的前一次掉落.
            Kind::Nth(Nth { end: End::Last, nth: 1 })
                if self.is_han
                    && self.atoms[token.from].is_one_of(&["前", "上"])
                    && self
                        .tokens
                        .get(at + 1)
                        .is_some_and(|next| next.is_naming() && !next.is_cut) =>
            {
                None
            }
            Kind::Nth(nth) => {
                let is_number = self.atoms[token.from].is_one_of(&["number"]);
                // "Since we lost the grip last".
                let is_end = self.tokens.get(at + 1).is_none_or(|next| next.is_cut);
                let is_adverb = is_end && token.to - token.from == 1 && nth.nth == 1;
                let is_said = self.is_han
                    || is_number
                    || is_adverb
                    || is_time(token.to - 1)
                    || is_time(token.to);
                is_said.then_some(nth)
            }
            Kind::Number(nth) if !self.is_han => {
                let is_beside = at > 0 && self.tokens[at - 1].to == token.from;
                // "Cycle change 36" may be the change to it.
                let is_class = |kind| matches!(kind, Kind::Class(class) if class != "change");
                let is_class = at > 0 && is_class(self.tokens[at - 1].kind);
                (is_beside && is_class).then_some(Nth { end: End::First, nth })
            }
            _ => None,
        }
    }

    /// 哪几次, 机: of separate stops.
    fn has_which(&self) -> bool {
        self.atoms.iter().any(|atom| atom.is_one_of(&["哪", "几", "机"]))
    }

    /// Which events some tokens name.
    pub fn named(&self, naming: &[Token], is_any: bool) -> Option<NamedEvents> {
        let mut classes = Vec::new();
        let mut words = String::new();
        let mut became = None;
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
                Kind::Became(_) | Kind::Began(_) if became.is_some() => return None,
                Kind::Became(value) | Kind::Began(value) => {
                    if token.kind == Kind::Began(value) {
                        classes.push(("change", token));
                    }
                    became = Some(value);
                    let named = words::named_in(said);
                    if !words.is_empty() && !named.is_empty() {
                        words.push(' ');
                    }
                    words.push_str(named);
                }
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
        // That an arm halted is no stop of the robot.
        let is_verb = |token: &Token| {
            self.is_verb(token) || !words.is_empty() && self.atoms[token.to - 1].text == "halted"
        };
        let is_verb = classes.iter().any(|(class, token)| *class == "stop" && is_verb(token));
        if is_verb || class.is_some_and(|class| MIXED.contains(&class)) {
            return None;
        }
        if became.is_some() && class != Some("change") {
            return None;
        }
        // What stops protectively is the arm.
        let is_tripped = |token: &Token| self.atoms[token.from].text.starts_with("trip");
        let is_stop = class == Some("protective stop")
            || class == Some("stop") && classes.iter().any(|(_, token)| is_tripped(token));
        if is_stop && ARMS.contains(&words.as_str()) {
            words.clear();
        }
        let is_any = is_any && class.is_none() && words.is_empty();
        let mut said = classes.iter().flat_map(|(_, token)| &self.atoms[token.from..token.to]);
        let may_be_protective =
            class == Some("emergency stop") && said.all(|atom| atom.text != "emergency");
        let or_class = may_be_protective.then_some("protective stop");
        Some(NamedEvents { class, or_class, is_any, words, became })
    }

    /// Whether a word for a stop says that something came to rest.
    fn is_verb(&self, token: &Token) -> bool {
        let said: String =
            self.atoms[token.from..token.to].iter().map(|atom| &*atom.text).collect();
        let before = &self.atoms[..token.from];
        // "Did the arm last stop", but "the last stop".
        let is_of = |back: usize, words: &[&str]| {
            before.len().checked_sub(back).is_some_and(|at| before[at].is_one_of(words))
        };
        let is_subject =
            is_of(1, &STOPPING) || is_of(1, &["last", "first", "ever"]) && is_of(2, &STOPPING);
        let is_after_did = is_subject && before.iter().any(|atom| atom.is_one_of(&["did"]));
        let is_counted = self.tokens.iter().any(|token| token.is(Word::Count));
        match said.as_str() {
            "stopped" | "stopping" | "停下" | "停住" => true,
            // 停了几次.
            "停了" | "停过" => !is_counted && !self.has_which(),
            "stop" => is_after_did,
            _ => false,
        }
    }
}
