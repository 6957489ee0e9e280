//! Names of objects, places and tasks, as they are compared.

use crate::inference::{Evidence, Groups, Likeness, Thing, ThingKind, is_han, listed, tokens};

/// Say nothing of what is meant.
const EMPTY_WORDS: &[&str] =
    &["the", "a", "an", "of", "in", "on", "at", "near", "to", "with", "for", "and", "的", "在"];

/// A name: the words of it, without regard to case, ending, order and how they are joined ("the glass
/// bottles" and `glass_bottle` are the same one; Chinese: its characters and pairs of them), and what they
/// mean in the two languages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Name {
    words: Vec<String>,
    /// Of what it names; of a text, of all that is named in it and of its properties.
    groups: Groups,
    thing: Thing,
    kind: Option<NameKind>,
    is_han: bool,
    /// Whether it may speak of what it shares no word with.
    is_open: bool,
    /// Whether it is a place of which is said that nobody is there.
    is_empty_of_people: bool,
}

/// What a name is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameKind {
    /// What is acted on.
    Object,
    /// Where.
    Place,
    /// What is done.
    Task,
}

/// Whether a constraint on one thing speaks of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Match {
    /// It does.
    Yes,
    /// It may: the action does not say enough, or nothing that is known decides it.
    Maybe,
    /// It does not.
    No,
}

/// Where names are found that share no word with another one.
const OPEN: &str = "?";

impl Name {
    /// Reads a name.
    pub fn of(text: &str, kind: NameKind) -> Self {
        let of = match kind {
            NameKind::Object => ThingKind::Object,
            NameKind::Place => ThingKind::Place,
            NameKind::Task => ThingKind::Task,
        };
        let thing = Thing::parse(text, of);
        let is_open = match kind {
            NameKind::Object => is_of_many_kinds(text),
            // A children's room is a room.
            NameKind::Place => has_word(text, listed("people")) && !thing.is_place(),
            NameKind::Task => false,
        };
        Self {
            words: words_of(text),
            groups: thing.noun_groups(),
            thing,
            kind: Some(kind),
            is_han: text.contains(is_han),
            is_open,
            is_empty_of_people: kind == NameKind::Place && has_word(text, listed("nobody")),
        }
    }

    /// The words of a whole text, which names nothing.
    pub fn of_text(text: &str) -> Self {
        Self {
            words: words_of(text),
            groups: Groups::named_in(text),
            is_han: text.contains(is_han),
            is_open: is_of_many_kinds(text),
            ..Self::default()
        }
    }

    /// Whether it names nothing.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Under what it is kept, so that [`asked`](Self::asked) of a name that it may speak of has one of them.
    pub fn keys(&self) -> Vec<String> {
        let mut keys = self.words.clone();
        for group in self.groups.numbers() {
            let mut marks = self.thing.marks().peekable();
            if marks.peek().is_none() {
                keys.push(format!("#{group}"));
            } else {
                keys.push(format!("#{group}|*"));
                keys.extend(marks.map(|mark| format!("#{group}|{mark}")));
            }
        }
        keys.extend(self.thing.properties().map(|group| format!("#{group}")));
        if !self.is_empty() {
            keys.push(format!("{OPEN}{}", self.script()));
            if self.kind.is_some() && self.groups.is_empty() {
                keys.push(format!("{OPEN}{}?", self.script()));
            }
            if self.is_open {
                keys.push(OPEN.to_owned());
            }
        }
        keys
    }

    /// Under what names are found that may speak of this one.
    pub fn asked(&self) -> Vec<String> {
        if self.is_empty() {
            return Vec::new();
        }
        let mut asked = self.words.clone();
        for group in self.groups.numbers() {
            asked.push(format!("#{group}"));
            let mut marks = self.thing.marks().peekable();
            if marks.peek().is_none() {
                asked.push(format!("#{group}|*"));
            }
            asked.extend(marks.map(|mark| format!("#{group}|{mark}")));
        }
        asked.extend(self.thing.properties().map(|group| format!("#{group}")));
        for group in self.thing.alike_groups() {
            asked.extend([format!("#{group}"), format!("#{group}|*")]);
        }
        let other = if self.is_han { "latin" } else { "han" };
        // A word that is in no table may be the other language's word for anything.
        let unknown = if self.groups.is_empty() { "" } else { "?" };
        asked.push(format!("{OPEN}{other}{unknown}"));
        asked.push(OPEN.to_owned());
        asked
    }

    fn script(&self) -> &'static str {
        if self.is_han { "han" } else { "latin" }
    }

    /// Whether all of its words are among those of `other`.
    pub fn is_in(&self, other: &Self) -> bool {
        self.words.iter().all(|word| other.words.binary_search(word).is_ok())
    }

    /// Whether a constraint on this speaks of what an action names: on a bottle, of a glass bottle and of
    /// 玻璃瓶. It may when the action names nothing, or says less ("bottle" for "glass bottle"), or when a
    /// word is known in one language only.
    pub fn speaks_of(&self, named: &Self) -> Match {
        let by_words = if self.is_in(named) {
            Match::Yes
        } else if named.is_in(self) {
            Match::Maybe
        } else {
            Match::No
        };
        if self.is_empty() || named.is_empty() {
            return by_words;
        }
        // People are nowhere where nobody is.
        if self.is_open && self.kind == Some(NameKind::Place) && named.is_empty_of_people {
            return Match::No;
        }
        let at_least = |found: Match| if self.is_open { found.min(Match::Maybe) } else { found };
        let (likeness, evidence) = self.thing.compare(&named.thing);
        match (likeness, by_words) {
            (Likeness::Same | Likeness::Broader, _) => Match::Yes,
            (Likeness::Different, Match::Yes) => Match::Maybe,
            // Of two languages the nouns of one material may be two words for one: 玻璃瓶 is a jar, too.
            (Likeness::Different, _)
                if evidence == Evidence::Noun
                    && self.is_han != named.is_han
                    && self.thing.property_groups().are_near(&named.thing.property_groups()) =>
            {
                Match::Maybe
            }
            (Likeness::Different, _) if evidence == Evidence::Noun && self.is_alike(named) => {
                Match::Maybe
            }
            (Likeness::Different, Match::Maybe | Match::No) => at_least(Match::No),
            (Likeness::Unknown, Match::Yes) => Match::Yes,
            // "People" of a bound on what is near people.
            (Likeness::Unknown | Likeness::Narrower, _)
                if evidence == Evidence::Relation && self.kind == Some(NameKind::Place) =>
            {
                Match::Yes
            }
            (Likeness::Narrower, _) => Match::Maybe,
            (Likeness::Unknown, Match::No)
                if evidence == Evidence::UnknownWord && self.is_han == named.is_han =>
            {
                at_least(Match::No)
            }
            (Likeness::Unknown, _) => Match::Maybe,
        }
    }

    /// Whether people may call both by one name.
    pub fn is_alike(&self, named: &Self) -> bool {
        self.thing.is_alike(&named.thing)
    }

    /// Whether it names a place, and no object.
    pub fn is_place(&self) -> bool {
        self.thing.is_place()
    }

    /// Whether this may be at the place that an action names: a stove in a kitchen, an aisle in a
    /// warehouse.
    pub fn may_be_in(&self, place: &Self) -> bool {
        let (own, place) = (&self.thing, &place.thing);
        own.is_object() && place.is_place()
            || own.is_place() && place.is_object()
            || own.is_part_of_place() && !place.is_part_of_place()
    }

    /// Under what names are found that share a word with this one, or a group of the table.
    pub fn asked_by_words(&self) -> Vec<String> {
        let mut asked = self.asked();
        asked.retain(|key| !key.starts_with(OPEN));
        asked
    }

    /// Whether a text that this is names it: all of its words, or what it means in either language.
    pub fn has(&self, named: &Self) -> bool {
        !named.is_empty() && (named.is_in(self) || self.groups.are_near(&named.groups))
    }

    /// Whether a text that this is may speak of what an action names, by a word in either language.
    pub fn mentions(&self, named: &Self) -> bool {
        let is_unknown = named.groups.is_empty() && named.is_han != self.is_han;
        // Of a thing that is in the table in one language only its material may be known in both.
        let shares_property =
            named.is_han != self.is_han && self.groups.are_near(&named.thing.property_groups());
        let may_mean = self.is_open || is_unknown || shares_property;
        self.has(named) || may_mean && !named.is_empty()
    }
}

/// Whether one of some words in small letters is in a text: a whole one in English.
fn has_word(text: &str, words: &[String]) -> bool {
    let text = text.to_lowercase();
    words.iter().any(|word| {
        if word.starts_with(is_han) {
            text.contains(word.as_str())
        } else {
            text.split(|c: char| !c.is_alphanumeric()).any(|part| part == word)
        }
    })
}

/// Whether a name stands for many kinds of things.
fn is_of_many_kinds(text: &str) -> bool {
    has_word(text, listed("of many kinds"))
        || listed("many kinds").iter().any(|word| text.ends_with(word.as_str()))
}

fn words_of(text: &str) -> Vec<String> {
    let mut words = tokens(&text.replace(['_', '-', '/'], " "));
    words.retain(|word| !EMPTY_WORDS.contains(&word.as_str()));
    words.sort_unstable();
    words.dedup();
    words
}
