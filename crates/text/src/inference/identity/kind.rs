//! Whether two things are of one kind and material.

use super::lexicon::Section;
use super::{Concept, Key, LEXICON, Likeness, MATERIAL, Thing};

impl Thing {
    /// Whether the other one is of its kind, or of a broader or narrower one, and of its material when it has
    /// one: of a blue glass bottle the red one, not a plastic one, nor a bottle of which no material is given. Where
    /// each says what the other one does not, neither is: a railway switch is no light switch.
    pub fn is_of_kind(&self, other: &Self) -> bool {
        let (Some(own), Some(noun)) = (&self.noun, &other.noun) else { return false };
        let noun = match own.compare(noun).0 {
            Likeness::Different if self.is_ended_by(other) => Likeness::Narrower,
            Likeness::Different if other.is_ended_by(self) => Likeness::Broader,
            likeness => likeness,
        };
        let is_near = matches!(noun, Likeness::Same | Likeness::Broader | Likeness::Narrower);
        let (own, others) = (self.materials(), other.materials());
        let is_of_material = own.is_empty() || own == others;
        let says_more = self.has_other_modifiers(other) || noun == Likeness::Narrower;
        let is_said_more_of =
            other.has_other_modifiers(self) || noun == Likeness::Broader || own != others;
        is_near && is_of_material && !(says_more && is_said_more_of)
    }

    fn materials(&self) -> Vec<Concept> {
        self.properties.iter().filter(|it| it.0 == MATERIAL).map(|it| it.1).collect()
    }

    /// Whether it says something, but for where it is, that the other one does not.
    fn has_other_modifiers(&self, other: &Self) -> bool {
        self.modifiers.iter().any(|own| {
            let is_said = |it: &Key| own.compare(it).0 == Likeness::Same;
            !own.is_place() && !other.modifiers.iter().any(is_said)
        })
    }
}

impl Key {
    /// Whether it names a place, and no object.
    fn is_place(&self) -> bool {
        let is_place = |it: &Concept| LEXICON.section(*it) == Section::Noun(1);
        matches!(self, Self::Known(senses) if senses.iter().all(is_place))
    }
}
