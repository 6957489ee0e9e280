//! The events that are asked for.

use super::super::super::atoms::has;
use super::super::super::classes::one_class;
use super::super::NamedEvents;
use super::Slots;
use super::clauses;
use super::sides::Place;

/// What is asked for: some phrases that name the same.
#[derive(Debug, Default)]
pub(super) struct Target {
    pub phrases: Vec<usize>,
}

impl Slots<'_> {
    /// What is asked for; `None` when two things are.
    pub(super) fn target(&self, place: &Place) -> Option<Target> {
        let all = &self.phrases.all;
        let free: Vec<usize> =
            (0..all.len()).filter(|at| !place.phrases.contains(at) && !all[*at].is_aside).collect();
        let asked = |at: &usize| {
            let phrase = &all[*at];
            phrase.is_asked || self.clauses.all[phrase.clause].asks
        };
        // What is told beside a question is not asked for: "the line kept halting, list the grip losses".
        // "It looked odd": of many things.
        let is_weak = |at: &usize| {
            let class = self.sentence.events_of(&all[*at]).and_then(|of| of.class);
            let clause = all[*at].clause;
            let is_alone = !all[*at].is_asked
                && all[*at].beside.is_empty()
                && all.iter().filter(|phrase| phrase.clause == clause).count() == 1;
            is_alone
                && class.is_some_and(clauses::is_weak)
                && !self.clauses.all[all[*at].clause].asks
        };
        let is_told =
            |at: &usize| !asked(at) && !all[*at].is_pinned() && all[*at].beside.is_empty();
        let has_asked = free.iter().any(asked);
        let mut target = Target::default();
        let mut class: Option<NamedEvents> = None;
        for at in free {
            if has_asked && is_told(&at) || is_weak(&at) {
                // "In manual mode, how many stops were there?"
                let clause = &self.clauses.all[all[at].clause];
                let said = &self.atoms()[clause.from..clause.to];
                if clauses::begins_aside(said) {
                    return None;
                }
                continue;
            }
            let events = self.sentence.events_of(&all[at])?;
            if all[at].at.is_some() {
                return None;
            }
            match &class {
                None => class = Some(events),
                Some(before) => {
                    // A protective stop is a stop.
                    let both = [before.class, events.class];
                    let both: Vec<&'static str> = both.into_iter().flatten().collect();
                    let class_of_both = one_class(&both).filter(|_| both.len() == 2);
                    let is_same = class_of_both.is_some() && before.became == events.became;
                    // "What was the last event, a stop?"
                    let is_any = |of: &NamedEvents| of.is_any && of.class.is_none();
                    // "What went wrong? List the slips."
                    let weak = [before.class, events.class]
                        .map(|class| class.is_some_and(clauses::is_weak));
                    let is_apart =
                        target.phrases.iter().all(|one| all[*one].clause != all[at].clause);
                    match weak {
                        [true, false] | [false, true] if !is_apart => return None,
                        // "... They must have touched something."
                        [false, true]
                            if target
                                .phrases
                                .iter()
                                .any(|one| all[*one].clause < all[at].clause) =>
                        {
                            return None;
                        }
                        [false, true] => continue,
                        [true, false] => {
                            (class, target.phrases) = (Some(events), vec![at]);
                            continue;
                        }
                        _ => {}
                    }
                    if !is_same && !is_any(before) && !is_any(&events) {
                        return None;
                    }
                    if is_any(before) || class_of_both.flatten() != before.class && !is_any(&events)
                    {
                        class = Some(events);
                    }
                }
            }
            target.phrases.push(at);
        }
        Some(target)
    }

    /// "When was the third stop? What happened before it?"
    pub(super) fn asks_twice(&self, place: &Place, target: &Target) -> bool {
        let clause = |of: &usize| &self.clauses.all[self.phrases.all[*of].clause];
        let sentence = match target.phrases.first() {
            Some(of) => clause(of).sentence,
            None => self.clauses.all.last().map_or(0, |clause| clause.sentence),
        };
        const WHEN: [&str; 6] = ["什么时候", "何时", "几点", "几时", "when was", "what time"];
        let is_asked = |of: &usize| {
            let clause = clause(of);
            let is_apart = target
                .phrases
                .iter()
                .all(|at| self.phrases.all[*at].clause != self.phrases.all[*of].clause);
            let asks_when = || has(&self.atoms()[clause.from..clause.to], &WHEN);
            clause.is_question && clause.sentence != sentence || is_apart && asks_when()
        };
        // "First stop: when was it? And the one after that?"
        let is_tag = |at: usize| {
            let clause = &self.clauses.all[at];
            clause.is_question && has(&self.atoms()[clause.from..clause.to], &WHEN)
        };
        let count = self.clauses.all.len();
        let is_asked_on = (1..count).any(|at| {
            is_tag(at) && self.clauses.all[at + 1..].iter().any(|later| later.is_question)
        });
        place.phrases.iter().any(is_asked) || is_asked_on && !place.phrases.is_empty()
    }
}
