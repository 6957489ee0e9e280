//! The facts of a scope and collection: among these one can say the same as another, or contradict it.

use robot_memory_core::model::Kind;
use robot_memory_index::{Bitset, Derived, RowSelection};

/// The active facts of a scope and collection that a selection admits.
pub(crate) fn facts_of(
    derived: &Derived,
    scope: &str,
    collection: &str,
    rows: RowSelection,
) -> Bitset {
    let names = derived.rows.names();
    let (Some(scope), Some(collection)) = (names.get(scope), names.get(collection)) else {
        return Bitset::default();
    };
    derived.rows.allowed(&RowSelection {
        scopes: Some(vec![scope]),
        collections: Some(vec![collection]),
        kinds: vec![Kind::Fact],
        ..rows
    })
}
