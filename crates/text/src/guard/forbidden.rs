//! Whether an action is what a constraint forbids without a number.

use super::action::{Action, NamedSlot, Slot};
use super::name::{Match, Name, NameKind};
use crate::inference::{Clause, Doing, Part, PartRole, Prohibition, SameDoing};

/// What a constraint forbids.
#[derive(Debug, Clone, Default)]
pub(super) struct Forbidden {
    clauses: Vec<Forbids>,
    is_all: bool,
}

/// What one of its sentences forbids.
#[derive(Debug, Clone)]
struct Forbids {
    elements: Vec<Element>,
    is_whole: bool,
}

#[derive(Debug, Clone)]
struct Element {
    any_of: Vec<Wanted>,
    is_excepted: bool,
    is_allowed: bool,
}

#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "a constraint has few of them, and most are things")]
enum Wanted {
    Doing(Doing),
    Thing { name: Name, role: PartRole, doing: Option<Doing> },
}

/// Whether a prohibition applies to an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Applicability {
    /// It is forbidden: all of what is forbidden is told of it.
    Forbidden,
    /// It may be.
    Maybe,
    /// Nothing of it is told.
    Nothing,
    /// It is something else.
    Other,
}

/// What is told of one part of what is forbidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Presence {
    Yes,
    Maybe,
    Not,
    /// Something else is told.
    Other,
}

impl Forbidden {
    /// Reads the words of a constraint.
    pub fn read(content: &str) -> Self {
        let Prohibition { clauses, is_all } = Prohibition::parse(content);
        Self { clauses: clauses.into_iter().map(Forbids::of).collect(), is_all }
    }

    /// Under what it is kept, so that [`asked`] of an action that it may forbid has one of them.
    pub fn keys(&self) -> impl Iterator<Item = String> {
        let elements = self.clauses.iter().flat_map(|clause| &clause.elements);
        elements.flat_map(|element| &element.any_of).flat_map(|wanted| match wanted {
            Wanted::Doing(doing) => doing.groups().map(doing_key).collect::<Vec<_>>(),
            Wanted::Thing { name, doing, .. } => {
                let doings = doing.iter().flat_map(Doing::groups).map(doing_key);
                name.keys().into_iter().chain(doings).collect()
            }
        })
    }

    /// What it says of an action.
    pub fn says_of(&self, action: &Action) -> Applicability {
        let says = self.clauses.iter().map(|clause| clause.says_of(action)).min();
        match says {
            Some(Applicability::Other) if !self.is_all => Applicability::Nothing,
            Some(says) => says,
            None => Applicability::Nothing,
        }
    }
}

/// Under what constraints are found by what is done.
fn doing_key(group: u16) -> String {
    format!("@{group}")
}

/// Under what constraints are found that may forbid an action by what it tells beside its names.
pub(super) fn asked(action: &Action) -> Vec<String> {
    let doings = action.doings.iter().flat_map(Doing::asked).map(doing_key);
    let names = action.named_slots.iter().flat_map(|named_slots| &named_slots.names);
    doings.chain(names.flat_map(Name::asked_by_words)).collect()
}

impl Forbids {
    fn of(clause: Clause) -> Self {
        let wanted = |part: Part| match part {
            Part::Doing(doing) => Wanted::Doing(doing),
            Part::Thing { text, role, doing } => {
                let name = Name::of(&text, NameKind::Object);
                let is_place = role == PartRole::At || name.is_place();
                let name = if is_place { Name::of(&text, NameKind::Place) } else { name };
                Wanted::Thing { name, role, doing }
            }
        };
        let elements = clause.elements.into_iter().map(|element| Element {
            any_of: element.any_of.into_iter().map(wanted).collect(),
            is_excepted: element.is_excepted,
            is_allowed: element.is_allowed,
        });
        Self { elements: elements.collect(), is_whole: clause.is_whole }
    }

    fn says_of(&self, action: &Action) -> Applicability {
        let presence = |at: usize| match (self.presence(at, action), self.elements[at].is_allowed) {
            // All else than what only is allowed.
            (Presence::Other, true) => Presence::Yes,
            (Presence::Yes, true) => Presence::Other,
            (presence, _) => presence,
        };
        let presences: Vec<Presence> = (0..self.elements.len()).map(presence).collect();
        let is_other = |(element, presence): (&Element, &Presence)| {
            *presence == Presence::Other && !element.is_excepted
        };
        if self.elements.iter().zip(&presences).any(is_other) {
            Applicability::Other
        } else if self.is_whole && presences.iter().all(|presence| *presence == Presence::Yes) {
            Applicability::Forbidden
        } else if presences
            .iter()
            .any(|presence| matches!(presence, Presence::Yes | Presence::Maybe))
        {
            Applicability::Maybe
        } else {
            Applicability::Nothing
        }
    }

    /// Whether an element is told of an action.
    fn presence(&self, at: usize, action: &Action) -> Presence {
        let element = &self.elements[at];
        let presences = element.any_of.iter().map(|wanted| match wanted {
            Wanted::Doing(doing) => self.doing_presence(doing, action),
            Wanted::Thing { name, role, doing } => {
                let by_doing = doing.iter().any(|it| is_done(it, action) == Some(SameDoing::Yes));
                if by_doing { Presence::Yes } else { self.thing_presence(at, name, *role, action) }
            }
        });
        presences.min().unwrap_or(Presence::Not)
    }

    fn doing_presence(&self, doing: &Doing, action: &Action) -> Presence {
        let by_tool = action.tool_doings.iter().any(|it| doing.compare(it) == SameDoing::Yes);
        // Who has the hammer on the tile knocks.
        let is_tool_named = || {
            self.elements.iter().flat_map(|it| &it.any_of).any(|wanted| match wanted {
                Wanted::Thing { name, role: PartRole::With, .. } => action
                    .named_slots
                    .iter()
                    .any(|slot| best(name, PartRole::With, slot) == Match::Yes),
                _ => false,
            })
        };
        match is_done(doing, action) {
            _ if by_tool => Presence::Yes,
            Some(SameDoing::Yes) => Presence::Yes,
            None | Some(SameDoing::Maybe) if is_tool_named() => Presence::Yes,
            Some(SameDoing::Maybe) => Presence::Maybe,
            Some(SameDoing::No) if is_tool_named() => Presence::Maybe,
            Some(SameDoing::No) => Presence::Other,
            None => Presence::Not,
        }
    }

    fn thing_presence(&self, at: usize, name: &Name, role: PartRole, action: &Action) -> Presence {
        let found = action.named_slots.iter().map(|slot| best(name, role, slot)).min();
        match found {
            Some(Match::Yes) => return Presence::Yes,
            Some(Match::Maybe) => return Presence::Maybe,
            _ => {}
        }
        if action.not.iter().any(|it| name.speaks_of(it) == Match::Yes) {
            return Presence::Other;
        }
        // What another element is told by tells nothing of this one.
        let is_free = |slot: &&NamedSlot| !self.is_used(at, slot);
        let given = |slot: Slot| action.named_slots.iter().filter(move |it| it.slot == slot);
        let is_given = |slot: Slot| given(slot).any(|it| is_free(&it));
        let is_other = match role {
            PartRole::When => false,
            PartRole::With => is_given(Slot::Tool),
            PartRole::At => is_given(Slot::Place),
            PartRole::On | PartRole::Unspecified if name.is_place() => is_given(Slot::Place),
            PartRole::On => {
                is_given(Slot::Object)
                    || given(Slot::Object).next().is_some() && is_given(Slot::Place)
            }
            PartRole::Unspecified => {
                is_given(Slot::Object)
                    || given(Slot::Object).next().is_some() && is_given(Slot::Tool)
            }
        };
        if is_other { Presence::Other } else { Presence::Not }
    }

    fn is_used(&self, at: usize, named: &NamedSlot) -> bool {
        let others = self.elements.iter().enumerate().filter(|(other, _)| *other != at);
        others.flat_map(|(_, element)| &element.any_of).any(|wanted| match wanted {
            Wanted::Thing { name, role, .. } => best(name, *role, named) != Match::No,
            Wanted::Doing(_) => false,
        })
    }
}

/// Whether something is done; `None` when what is done is not told.
fn is_done(doing: &Doing, action: &Action) -> Option<SameDoing> {
    action.doings.iter().map(|it| doing.compare(it)).min()
}

/// Whether a thing that a constraint names is what an action tells.
fn best(name: &Name, role: PartRole, named: &NamedSlot) -> Match {
    let is_where = matches!(role, PartRole::At | PartRole::On) || name.is_place();
    let found = named.names.iter().map(|it| match name.speaks_of(it) {
        Match::No if named.slot == Slot::Place && is_where && name.may_be_in(it) => Match::Maybe,
        Match::No if named.slot != Slot::Other && name.is_alike(it) => Match::Maybe,
        Match::Maybe if named.slot == Slot::Other => Match::No,
        found => found,
    });
    found.min().unwrap_or(Match::No)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(constraint: &str, object: &str, place: &str, params: &str) -> Applicability {
        let params = serde_json::from_str(params).expect("JSON");
        let action = Action::read(&params, object, place, "").expect("an action");
        Forbidden::read(constraint).says_of(&action)
    }

    #[test]
    fn all_parts_of_what_is_forbidden_are_held_against_the_action() {
        let cases = [
            (
                Applicability::Forbidden,
                "Never use suction on mesh",
                "mesh",
                "",
                r#"{"tool": "suction"}"#,
            ),
            (
                Applicability::Forbidden,
                "Never use suction on mesh",
                "网布",
                "",
                r#"{"gripper": "吸盘"}"#,
            ),
            (Applicability::Forbidden, "网布禁止用吸盘", "mesh", "", r#"{"use_suction": true}"#),
            (
                Applicability::Other,
                "Never use suction on mesh",
                "mesh",
                "",
                r#"{"suction": false}"#,
            ),
            (
                Applicability::Other,
                "Never use suction on mesh",
                "mesh",
                "",
                r#"{"tool": "soft gripper"}"#,
            ),
            (
                Applicability::Other,
                "Never use suction on mesh",
                "glass",
                "",
                r#"{"tool": "suction"}"#,
            ),
            (
                Applicability::Maybe,
                "Never use suction on mesh",
                "mesh",
                "",
                r#"{"action": "pick"}"#,
            ),
            (Applicability::Maybe, "Never use suction on mesh", "", "", r#"{"tool": "suction"}"#),
            (
                Applicability::Maybe,
                "Never use suction on mesh",
                "mesh bag",
                "",
                r#"{"tool": "suction"}"#,
            ),
            (
                Applicability::Forbidden,
                "不要把刀放在儿童房",
                "knife",
                "nursery",
                r#"{"action": "place"}"#,
            ),
            (
                Applicability::Other,
                "不要把刀放在儿童房",
                "knife",
                "kitchen",
                r#"{"action": "place"}"#,
            ),
            (Applicability::Other, "不要把刀放在儿童房", "勺子", "儿童房", r#"{"action": "放置"}"#),
            (
                Applicability::Other,
                "不要把刀放在儿童房",
                "knife",
                "nursery",
                r#"{"action": "pick"}"#,
            ),
            (
                Applicability::Maybe,
                "Never touch fragile items",
                "vase",
                "",
                r#"{"action": "grasp"}"#,
            ),
            (
                Applicability::Other,
                "Do not drive through aisle 7",
                "robot",
                "aisle 17",
                r#"{"action": "drive"}"#,
            ),
            (
                Applicability::Forbidden,
                "Do not drive through aisle 7",
                "robot",
                "aisle 7",
                r#"{"action": "move"}"#,
            ),
            (
                Applicability::Forbidden,
                "Only grip eggs with the soft gripper",
                "egg",
                "",
                r#"{"tool": "suction", "action": "grip"}"#,
            ),
            (
                Applicability::Other,
                "Only grip eggs with the soft gripper",
                "egg",
                "",
                r#"{"tool": "soft gripper", "action": "grip"}"#,
            ),
            (
                Applicability::Maybe,
                "Only grip eggs with the soft gripper",
                "egg",
                "",
                r#"{"action": "grip"}"#,
            ),
            (
                Applicability::Maybe,
                "Never lift the tray except in the kitchen",
                "tray",
                "hall",
                r#"{"action": "lift"}"#,
            ),
            (
                Applicability::Maybe,
                "If the cup is wet, do not grip it",
                "cup",
                "",
                r#"{"action": "grip"}"#,
            ),
            (
                Applicability::Forbidden,
                "Don't vacuum at night",
                "",
                "",
                r#"{"action": "vacuum", "time": "night"}"#,
            ),
            (Applicability::Maybe, "Don't vacuum at night", "", "", r#"{"action": "vacuum"}"#),
        ];
        let wrong: Vec<String> = cases
            .iter()
            .map(|(expected, constraint, object, place, params)| {
                (
                    expected,
                    says(constraint, object, place, params),
                    (constraint, object, place, params),
                )
            })
            .filter(|(expected, found, _)| *expected != found)
            .map(|(_, found, case)| format!("{found:?} {case:?}"))
            .collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
