//! Building what is derived from the rows.

use crate::index::{Column, Derived, SpatialIndex, VectorIndex, parse_context, points_from};
use crate::model::{Cell, Path};
use crate::store::{ReadTx, Result};

/// The facts of all active rows.
pub fn rows(tx: &ReadTx<'_>) -> Result<Derived> {
    let mut derived = Derived::at(tx.revision()?);
    tx.each_active(|memory, word_count| {
        derived.load(&memory, word_count);
        Ok(())
    })?;
    Ok(derived)
}

/// Rows and vectors.
pub fn all(tx: &ReadTx<'_>, model: Option<&str>, dimension: usize) -> Result<Derived> {
    let mut derived = rows(tx)?;
    if let Some(model) = model {
        derived.vectors = Some(vectors(tx, &derived, model, dimension)?);
    }
    Ok(derived)
}

/// The vectors of one model.
pub fn vectors(
    tx: &ReadTx<'_>,
    derived: &Derived,
    model: &str,
    dimension: usize,
) -> Result<VectorIndex> {
    let mut vectors = VectorIndex::new(dimension);
    tx.each_vector(model, |id, vector| {
        if let Some(slot) = derived.rows.slot(id)
            && let Err(error) = vectors.put(slot, vector)
        {
            log::warn!("the vector of memory {id} is left out: {error}");
        }
    })?;
    Ok(vectors)
}

/// The contexts' values at one path.
pub fn column(tx: &ReadTx<'_>, derived: &Derived, path: &Path) -> Result<Column> {
    let mut column = Column::default();
    tx.each_active_context(|id, context| {
        if let Some(slot) = derived.rows.slot(id) {
            column.put(slot, &Cell::of(path.resolve(&parse_context(context))));
        }
    })?;
    Ok(column)
}

/// The contexts' points at one path.
pub fn spatial(tx: &ReadTx<'_>, derived: &Derived, field: &Path) -> Result<SpatialIndex> {
    let mut index = SpatialIndex::default();
    tx.each_active_context(|id, context| {
        if let Some(slot) = derived.rows.slot(id)
            && let Some(point) = field.resolve(&parse_context(context)).and_then(points_from)
            && let Err(error) = index.put(slot, &point)
        {
            log::warn!("the point of memory {id} is left out: {error}");
        }
    })?;
    index.rebuild_if_due();
    Ok(index)
}
