use crate::model::MemType;

/// A set of life cycle classes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MemTypes(u8);

impl MemTypes {
    /// None.
    pub const NONE: Self = Self(0);
    /// Every one.
    pub const ALL: Self = Self((1 << MemType::ALL.len()) - 1);

    /// Whether it has this one.
    pub const fn has(self, mem_type: MemType) -> bool {
        self.0 & (1 << mem_type as u8) != 0
    }

    /// Whether it has none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Those of either.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Its members, in the order of declaration.
    pub fn iter(self) -> impl Iterator<Item = MemType> {
        MemType::ALL.iter().copied().filter(move |mem_type| self.has(*mem_type))
    }
}

impl FromIterator<MemType> for MemTypes {
    fn from_iter<I: IntoIterator<Item = MemType>>(all: I) -> Self {
        Self(all.into_iter().fold(0, |set, mem_type| set | 1 << mem_type as u8))
    }
}
