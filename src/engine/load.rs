//! Building what is derived from the rows.

use crate::index::{Column, Derived, SpatialIndex, VectorIndex, parse_context, points_from};
use crate::inference::{TOKENS_VERSION, tokens};
use crate::model::{Cell, Path};
use crate::store::{Error, ReadTx, Result, Store};
use std::convert::Infallible;
use std::ops::ControlFlow;

/// Rows whose words are made anew in one transaction.
const WORDS_BATCH: u32 = 1_000;
/// Rows between two lines in the log.
const WORDS_LOGGED: usize = 100_000;

/// The facts of all active rows, which have the words of this version's tokenizer from then on.
pub fn words_and_rows(store: &Store) -> Result<Derived> {
    match words(store) {
        // What is there can be read all the same; the next start goes on.
        Err(error @ (Error::Full(_) | Error::Busy(_))) => {
            log::error!("the words of some memories could not be indexed: {error}");
        }
        outcome => outcome?,
    }
    store.read(rows)
}

/// Makes the words of all rows anew when another tokenizer made them; goes on with what an earlier
/// run began.
fn words(store: &Store) -> Result<()> {
    let version = store.read(|tx| tx.tokens_version())?;
    if version == TOKENS_VERSION {
        return Ok(());
    }
    if version != -TOKENS_VERSION {
        let mut writer = store.writer();
        let tx = writer.begin()?;
        tx.clear_words(TOKENS_VERSION)?;
        tx.commit()?;
    }
    let (mut after, mut count) = (0, 0);
    loop {
        let rows = store.read(|tx| tx.missing_words(after, WORDS_BATCH))?;
        let mut writer = store.writer();
        let tx = writer.begin()?;
        for (id, content) in &rows {
            tx.insert_missing_words(*id, &tokens(content))?;
            after = *id;
        }
        count += rows.len();
        if rows.is_empty() {
            tx.finish_words(TOKENS_VERSION)?;
        }
        tx.commit()?;
        if rows.is_empty() {
            return Ok(());
        }
        if count % WORDS_LOGGED < rows.len() {
            log::info!("the words of {count} memories were indexed anew");
        }
    }
}

/// The facts of all active rows.
fn rows(tx: &ReadTx<'_>) -> Result<Derived> {
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
    let mut vector = Vec::with_capacity(dimension);
    let _ = tx.each_vector::<Infallible>(model, |id, bytes| {
        let (components, _) = bytes.as_chunks::<4>();
        vector.clear();
        vector.extend(components.iter().map(|bytes| f32::from_le_bytes(*bytes)));
        if let Some(slot) = derived.rows.slot(id)
            && let Err(error) = vectors.put(slot, &vector)
        {
            log::warn!("the vector of memory {id} is left out: {error}");
        }
        ControlFlow::Continue(())
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
