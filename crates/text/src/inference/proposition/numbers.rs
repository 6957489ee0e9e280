//! Which numbers of a statement are what it says, and which belong to its subject.

use super::super::items::{Item, ItemKind, Quantity, is_at};
use super::reader::{Place, Reader};
use super::words::{Part, part_at};
use super::{Value, plain_term};

impl Reader<'_> {
    /// Takes in the number at `index`.
    pub(super) fn quantity(&mut self, quantity: &Quantity, index: usize) {
        let is_value = !self.in_condition && self.marks_value(quantity, index);
        let said = Value::Quantity { unit: quantity.unit.clone(), value: quantity.value.clone() };
        if is_value {
            let place = self.place;
            self.say(said);
            self.place = place;
        } else {
            let is_free = !self.in_condition
                && !quantity.is_count
                && !self.is_bounded()
                && match self.before[1] {
                    Some(Part::Numbered(_)) => true,
                    None | Some(Part::Parameter(..)) => !quantity.unit.is_empty(),
                    Some(_) => false,
                };
            self.unmarked.push((quantity.clone(), index, is_free));
        }
        self.is_after_prefer = false;
        self.before = [None, None];
    }

    fn is_bounded(&self) -> bool {
        self.before.contains(&Some(Part::Bound))
    }

    /// Whether the words around a number say that it is what the statement says.
    fn marks_value(&self, quantity: &Quantity, index: usize) -> bool {
        if self.is_bounded() {
            return false;
        }
        let Some(mut marker) = self.before[1] else { return self.place == Place::Said };
        if matches!(marker, Part::Parameter(..) | Part::Numbered(_)) {
            match self.before[0] {
                Some(before) => marker = before,
                None => return self.place == Place::Said,
            }
        }
        let is_parameter = matches!(self.before[0], Some(Part::Parameter(..) | Part::Numbered(_)));
        let ends = self.ends_value(index + 1);
        let is_rate = |unit: &str| {
            [
                "N", "m/s", "Hz", "%", "rpm", "W", "V", "A", "fps", "N·m", "Pa", "km/h", "°/s",
                "rad/s", "dB",
            ]
            .contains(&unit)
        };
        match marker {
            Part::Use | Part::Prefer | Part::Avoid | Part::Over => {
                !self.begins_condition(index + 1)
            }
            Part::With => ends && !quantity.unit.is_empty() && !self.reports(index),
            Part::At => ends && is_rate(&quantity.unit) && !self.reports(index),
            Part::To => self.sets && ends,
            Part::Of => is_parameter && ends,
            Part::Is => ends,
            Part::Needs(_) => ends,
            Part::Every => ["s", "day", "week", "month", "m"].contains(&quantity.unit.as_str()),
            Part::Set => ends,
            _ => false,
        }
    }

    /// Whether what stands at `index` is not what the number before it counts or describes.
    fn ends_value(&self, index: usize) -> bool {
        let Some(item) = self.items.get(index) else { return true };
        if item.text == "的" {
            return matches!(self.part_after(index + 1), Some(Part::Parameter(..)));
        }
        match self.part_after(index) {
            Some(Part::Bound | Part::OneOf(..) | Part::Same(_)) => false,
            Some(Part::Role("before" | "after")) => item.kind == ItemKind::Word,
            Some(Part::Filler) => !item.is_one_of(&["时", "时候"]) && !item.text.starts_with("子"),
            Some(_) => true,
            None => !matches!(item.kind, ItemKind::Word | ItemKind::Han | ItemKind::Name),
        }
    }

    /// Whether the number before `index` goes with a verb that tells what happened: "it slipped at
    /// 10 N".
    fn reports(&self, index: usize) -> bool {
        let before = &self.items[..index];
        let marker = before.iter().rposition(|item| item.is_one_of(&["at", "with"]));
        let Some([verb, marker, ..]) = marker.and_then(|at| before.get(at.checked_sub(1)?..))
        else {
            return false;
        };
        let is_verb_of_rate = verb.is_one_of(&["runs", "operates", "publishes"]);
        verb.text.ends_with("ed")
            || marker.text == "at" && verb.text.ends_with('s') && !is_verb_of_rate
    }

    fn begins_condition(&self, index: usize) -> bool {
        is_at(self.items, index, &["时", "后", "前", "以"])
    }

    /// The part at `index`, after an article.
    pub(super) fn part_after(&self, index: usize) -> Option<Part> {
        let is_article = |item: &&Item| item.is_one_of(&["a", "an", "the", "its", "your"]);
        let articles = self.items.get(index..)?.iter().take(2).take_while(is_article).count();
        part_at(self.items.get(index + articles..)?).map(|(part, _)| part)
    }

    /// A single number at the end of a statement is what it says; others belong to its subject.
    pub(super) fn place_unmarked(&mut self) {
        let ends = |index: usize| {
            self.items[index + 1..]
                .iter()
                .all(|item| matches!(item.kind, ItemKind::Break) || item.text == "了")
        };
        let says_nothing =
            self.proposition.values.is_empty() && self.proposition.excluded.is_empty();
        match &self.unmarked[..] {
            [(quantity, index, true)] if says_nothing && ends(*index) && *index > 0 => {
                let value =
                    Value::Quantity { unit: quantity.unit.clone(), value: quantity.value.clone() };
                self.proposition.values.push(value);
            }
            unmarked => {
                for (_, index, _) in unmarked {
                    let term = plain_term(&self.items[*index]);
                    self.proposition.subject.insert(("", term));
                }
            }
        }
    }
}
