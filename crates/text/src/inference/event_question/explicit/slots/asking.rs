//! Whether a text asks for events, and whether a word of it that is not known may narrow which.

use super::super::lexer::{Kind, Token};
use super::super::movers;
use super::super::sentence::Sentence;
use super::super::vocabulary::Word;
use super::Slots;
use super::clauses::{self, Role};
use super::phrases;
use super::sides::Place;
use super::target::Target;

impl Slots<'_> {
    /// Whether a word that is not known may narrow what is asked.
    pub(super) fn may_narrow(&self, place: &Place, target: &Target) -> bool {
        let count = self.clauses.all.len();
        let mut roles = vec![Role::default(); count];
        let mut last_target = None;
        for (at, token) in self.tokens().iter().enumerate() {
            let clause = self.clauses.of_token(token);
            let of = self.phrases.of_token(at);
            let is_place =
                place.tokens.contains(&at) || of.is_some_and(|of| place.phrases.contains(&of));
            let is_target = of.is_some_and(|of| target.phrases.contains(&of));
            let is_story = self.clauses.all[clause].is_story;
            if is_place
                || matches!(token.kind, Kind::Time(_))
                || is_story && token.kind != Kind::Name
            {
                roles[clause].is_place = true;
            } else if is_target
                || of.is_none() && !clauses::is_idle(token) && !token.is(Word::Other)
            {
                roles[clause].is_target = true;
                last_target = last_target.max(Some(clause));
            } else if of.is_none() {
                // "Which cycle was it in when it slipped?"
                let is_counter = clauses::is_counter(token, self.atoms()) && self.names_change();
                // "How did the number of stops per hour look?"
                let is_how = self.atoms()[token.from].is_one_of(&["how"])
                    && self.tokens().iter().any(|token| token.is(Word::Count));
                let is_end = self.has_per() && self.end_of_each(token).is_some();
                let is_subject = self.is_subject(token);
                // Of what the arm and the gripper did, one is named; 桌子第二次动作之后.
                if token.kind == Kind::Name
                    && if is_subject {
                        self.names_other(token)
                    } else {
                        !is_counter && self.is_before_place(at, place)
                    }
                {
                    return true;
                }
                let is_known =
                    is_counter || is_subject || is_how || is_end || self.is_object(token);
                roles[clause].is_unknown |=
                    matches!(token.kind, Kind::Name | Kind::Vague) && !is_known;
            }
        }
        // "What happened after the last stop?"
        let asking = || self.clauses.all.iter().rposition(|clause| clause.asks && !clause.is_story);
        let Some(last) = last_target.or_else(asking) else { return true };
        roles[last].is_target = true;
        for (at, role) in roles.iter_mut().enumerate() {
            role.is_behind = at > last;
        }
        let mut both = self.clauses.all.iter().zip(&roles);
        both.any(|(clause, role)| !clause.allows(self.atoms(), *role))
    }

    /// Whether a name stands right before one of several beside which is looked: 桌子第二次动作之后.
    fn is_before_place(&self, at: usize, place: &Place) -> bool {
        let Some(next) = self.tokens().get(at + 1) else { return false };
        let is_which = matches!(next.kind, Kind::Nth(_) | Kind::Several(..)) && !next.is_cut;
        let is_place = |of: &usize| self.phrases.all[*of].extent().0 == at + 1;
        is_which && place.phrases.iter().any(is_place)
    }

    /// Whether some events have the name of something else that moves.
    fn names_other(&self, token: &Token) -> bool {
        let said = self.sentence.text_of(token);
        let events = self.phrases.all.iter().filter_map(|phrase| self.sentence.events_of(phrase));
        let is_other = |words: &str| words != said && movers::is_mover(words);
        events.into_iter().any(|of| is_other(&of.words))
    }

    /// What a gripper holds, where it is asked when that was lost.
    pub(super) fn is_object(&self, token: &Token) -> bool {
        let has_slip = self.tokens().iter().any(|token| token.kind == Kind::Class("slip"));
        has_slip && phrases::is_object(token, self.atoms())
    }

    /// Whether it is what does what is named: an arm moves, and stops; a gripper loses its grip.
    pub(super) fn is_subject(&self, token: &Token) -> bool {
        self.tokens().iter().any(|other| match other.kind {
            Kind::Class("protective stop" | "stop" | "emergency stop") => {
                self.atoms()[token.from].is_one_of(&["arm", "手", "机", "停"])
            }
            Kind::Class(class) => clauses::is_subject(token, self.atoms(), Some(class)),
            _ => false,
        })
    }

    pub(super) fn names_change(&self) -> bool {
        self.tokens()
            .iter()
            .any(|token| matches!(token.kind, Kind::Class("change") | Kind::Began(_)))
    }

    /// Whether it asks for events, and tells or orders nothing.
    pub(super) fn asks(&self, place: &Place, target: &Target) -> bool {
        let naming: Vec<Token> = target
            .phrases
            .iter()
            .flat_map(|at| &self.tokens()[self.phrases.all[*at].from..self.phrases.all[*at].to])
            .copied()
            .collect();
        let is_one = target.phrases.iter().any(|at| self.phrases.all[*at].nth.is_some());
        let is_doing = self.tells_to_do(target);
        let has_per = self.has_per();
        let asks_whether = (is_one || has_per || place.beside.is_some())
            && self.clauses.all.iter().filter(|clause| clause.asks).count() < 2
            && self.sentence.asks_whether(is_one);
        let is_name = self.is_name(place, target, &naming);
        !is_doing
            && !asks_whether
            && !self.tells_han()
            && (self.clauses.all.iter().any(|clause| clause.asks)
                || is_name && self.says_enough(place, target))
    }

    pub(super) fn says_enough(&self, place: &Place, target: &Target) -> bool {
        self.says_which(target)
            || place.beside.is_some()
            || place.end.is_some()
            || self.tokens().iter().any(|token| matches!(token.kind, Kind::Time(_)))
    }

    /// 15点以后的掉件我都列在表里了。: it tells what was done.
    pub(super) fn tells_han(&self) -> bool {
        #[rustfmt::skip]
        const ASKS: [&str; 11] = ["哪", "几", "什", "啥", "吗", "呢", "多", "何", "请", "给", "没"];
        let last = self.atoms().last();
        self.sentence.is_han
            && !self.sentence.is_question
            && last.is_some_and(|atom| atom.is_one_of(&["了"]))
            && !self.atoms().iter().any(|atom| atom.is_one_of(&ASKS))
    }

    /// Whether it is no sentence, but names what is asked for: "last stop before 9:00".
    pub(super) fn is_name(&self, place: &Place, target: &Target, naming: &[Token]) -> bool {
        if self.sentence.is_han {
            let head = naming.first().map(|token| token.from);
            let words = target.phrases.iter().map(|at| &self.phrases.all[*at]);
            let mut words = words.flat_map(|phrase| &self.tokens()[phrase.from..phrase.to]);
            let names_events = words.any(|token| token.is(Word::Event));
            let is_joined = head
                .and_then(|at| at.checked_sub(1))
                .is_some_and(|at| self.atoms()[at].text == "的");
            let is_one = target.phrases.iter().any(|at| !self.phrases.all[*at].beside.is_empty());
            let is_known =
                !self.tokens().iter().any(|token| clauses::is_unknown(token, self.atoms()));
            return (self.ends_with(target) || is_known)
                && (is_joined || is_one || names_events || place.beside.is_none());
        }
        #[rustfmt::skip]
        const VERBS: [&str; 12] = ["was", "were", "is", "are", "had", "has", "have", "did", "do", "does", "will", "been"];
        let clause = target.phrases.first().map(|at| self.phrases.all[*at].clause);
        let said = clause.map_or(self.atoms(), |at| {
            let clause = &self.clauses.all[at];
            &self.atoms()[clause.from..clause.to]
        });
        let is_told = said.iter().any(|atom| atom.is_one_of(&VERBS)) || self.sentence.tells(naming);
        let is_event =
            |token: &Token| matches!(token.kind, Kind::Class(_)) || token.is(Word::Event);
        let words = target.phrases.iter().map(|at| &self.phrases.all[*at]);
        let mut words = words.flat_map(|phrase| &self.tokens()[phrase.from..phrase.to]);
        !is_told && words.any(is_event)
    }

    /// Whether its clause tells to do something: "stop after the third slip".
    pub(super) fn tells_to_do(&self, target: &Target) -> bool {
        let clause = target.phrases.first().map(|at| self.phrases.all[*at].clause);
        let Some(clause) = clause.map(|at| &self.clauses.all[at]) else { return false };
        let moved = |token: &Token| {
            let from = token.from.checked_sub(clause.from)?;
            (token.from < clause.to).then_some(Token { from, to: token.to - clause.from, ..*token })
        };
        let tokens: Vec<Token> = self.tokens().iter().filter_map(moved).collect();
        let atoms = &self.atoms()[clause.from..clause.to];
        let naming: Vec<Token> = tokens.iter().filter(|token| token.is_naming()).copied().collect();
        let sentence = Sentence { tokens: &tokens, atoms, ..self.sentence };
        #[rustfmt::skip]
        const ASKS: [&str; 8] = ["哪", "几", "什", "啥", "多", "吗", "呢", "何"];
        if self.sentence.is_han && atoms.iter().any(|atom| atom.is_one_of(&ASKS)) {
            return false;
        }
        sentence.tells_to_do(&naming, None)
    }

    /// Whether a word says which, apart from those for the events: 周期变化，倒数第三次.
    pub(super) fn says_which(&self, target: &Target) -> bool {
        let is_free = |(at, token): (usize, &Token)| {
            self.phrases.of_token(at).is_none()
                && matches!(
                    token.kind,
                    Kind::Nth(_) | Kind::Several(..) | Kind::Per(_) | Kind::Word(Word::Count)
                )
        };
        let is_counted = |at: &usize| {
            let phrase = &self.phrases.all[*at];
            phrase.nth.is_some() || phrase.several.is_some() || phrase.number.is_some()
        };
        target.phrases.iter().any(is_counted) || self.tokens().iter().enumerate().any(is_free)
    }

    /// Whether what is asked for ends it: 第一次急停之后的掉件.
    pub(super) fn ends_with(&self, target: &Target) -> bool {
        let last = target.phrases.iter().map(|at| self.phrases.all[*at].extent().1).max();
        last == Some(self.tokens().len())
    }
}
