//! Building what is derived from the rows.

use super::beside::SlotTable;
use super::{Db, Result, row_tokens};
use robot_memory_core::model::{Cell, Path};
use robot_memory_db::{self as store, ReadTx, Store};
use robot_memory_index::{
    Column, Derived, EventNames, Row, SpatialField, SpatialIndex, VectorIndex, WordIndexBuilder,
    follow_column, follow_event_names, follow_spatial, follow_vectors, follow_words,
};
use robot_memory_text::inference::{self, Statement, TOKENS_VERSION};
use std::ops::ControlFlow;

/// The facts of all active rows.
pub fn rows(tx: &ReadTx<'_>) -> store::Result<Derived> {
    let mut derived = Derived::at(tx.revision()?);
    let flow = tx.each_active_facts(|facts| {
        let slot = derived.rows.put(&Row {
            id: facts.id,
            collection: facts.collection,
            scope: facts.scope,
            session: facts.session_id,
            level: facts.level,
            kind: facts.kind,
            mem_type: facts.mem_type,
            category: facts.category,
            trust: facts.trust,
            is_real: facts.is_real,
            belief: facts.belief,
            created_at: facts.created_at,
            word_count: facts.word_count,
            quantity_key: facts.quantity_key.cast_unsigned(),
        });
        if slot.is_some() { ControlFlow::Continue(()) } else { ControlFlow::Break(facts.id) }
    })?;
    if let ControlFlow::Break(id) = flow {
        log::error!("there is no room in the indexes for memory {id} and later ones");
    }
    for (collection, fading) in tx.fadings()? {
        derived.rows.fade(&collection, fading.until, fading.last_id);
    }
    Ok(derived)
}

/// Rows between two looks whether the engine closes.
const CLOSING_CHECK_ROWS: usize = 4096;
/// Rows whose words are made anew in one transaction.
const WORDS_BATCH: u32 = 200;
/// Rows between two lines in the log.
const WORDS_LOGGED: usize = 100_000;

/// The facts of all active rows, which have the words of this version's tokenizer from then on.
pub fn words_and_rows(store: &Store) -> store::Result<Derived> {
    match words(store) {
        // What is there can be read all the same; the next start goes on.
        Err(error) if error.is_passing() => {
            log::error!("the words of some memories could not be indexed: {error}");
        }
        outcome => outcome?,
    }
    store.read(rows)
}

/// Fails when the words in the store are not those of this version's tokenizer.
pub fn check_words(tx: &ReadTx<'_>) -> store::Result<()> {
    let found = tx.tokens_version()?;
    if found == TOKENS_VERSION {
        return Ok(());
    }
    Err(store::Error::OtherWords { found, known: TOKENS_VERSION })
}

/// Makes the words of all rows, and the keys of facts, anew when another tokenizer made them; goes on with what an earlier
/// run began.
fn words(store: &Store) -> store::Result<()> {
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
        for row in &rows {
            let tokens = row_tokens(&tx, &row.content, &row.context, &row.session_id, &row.tags)?;
            let count = inference::word_count(&tokens);
            if row.is_fact {
                // The key of its quantities comes of the same reading.
                let key = Statement::parse(&row.content).key().cast_signed();
                tx.put_words(row.id, &tokens, count, key)?;
            } else {
                tx.insert_missing_words(row.id, &tokens, count)?;
            }
            after = row.id;
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
            log::info!("the words of {count} memories were indexed again");
        }
    }
}

impl Db {
    /// Builds the word index beside the work.
    pub(crate) fn build_words(&self) -> Result<bool> {
        self.build_concurrently(
            &self.turns.words,
            |derived| derived.words.is_some(),
            |tx, slots| {
                let mut builder = WordIndexBuilder::new(slots.len());
                let mut count = 0_usize;
                let flow = tx.each_posting(|token, id, frequency| {
                    count += 1;
                    if count.is_multiple_of(CLOSING_CHECK_ROWS) && self.is_closing() {
                        return ControlFlow::Break(());
                    }
                    match slots.slot(id).map(|slot| builder.push(token, slot, frequency)) {
                        None | Some(Ok(())) => ControlFlow::Continue(()),
                        Some(Err(full)) => {
                            log::warn!("words are searched on disk: {full}");
                            ControlFlow::Break(())
                        }
                    }
                })?;
                Ok(flow.is_continue().then(|| Some(builder.finish())))
            },
            follow_words,
            |derived, words| derived.words = words,
        )
    }

    /// Builds the vector index of a model beside the work.
    pub(crate) fn build_vectors(&self, model: &str, dimension: usize) -> Result<bool> {
        self.build_concurrently(
            &self.turns.vectors,
            // With another model by now, another call builds the index of that.
            |derived| derived.vectors.is_some() || self.model().as_deref() != Some(model),
            |tx, slots| {
                let mut vectors = VectorIndex::new(dimension);
                let mut components = Vec::with_capacity(dimension);
                let mut count = 0_usize;
                let flow = tx.each_vector(model, |id, bytes| {
                    count += 1;
                    if count.is_multiple_of(CLOSING_CHECK_ROWS) && self.is_closing() {
                        return ControlFlow::Break(());
                    }
                    if let Some(slot) = slots.slot(id) {
                        components.clear();
                        components.extend(f32s(bytes));
                        if let Err(error) = vectors.put(slot, &components) {
                            log::warn!("the vector of memory {id} is left out: {error}");
                        }
                    }
                    ControlFlow::Continue(())
                })?;
                Ok(flow.is_continue().then_some(vectors))
            },
            follow_vectors,
            |derived, vectors| {
                if self.model().as_deref() == Some(model) {
                    derived.vectors = Some(vectors);
                }
            },
        )
    }

    /// Builds the columns of some paths beside the work, in one pass.
    pub(crate) fn build_columns(&self, paths: &[Path]) -> Result<bool> {
        self.build_concurrently(
            &self.turns.contexts,
            |derived| paths.iter().all(|path| derived.columns.get(path).is_some()),
            |tx, slots| Ok(Some(columns(tx, slots, paths)?)),
            |columns, slot, change| {
                for (column, path) in columns.iter_mut().zip(paths) {
                    follow_column(column, path, slot, change);
                }
            },
            |derived, columns| {
                for (column, path) in columns.into_iter().zip(paths) {
                    derived.columns.insert(path.clone(), column);
                }
            },
        )
    }

    /// Builds the names of events beside the work.
    pub(crate) fn build_event_names(&self) -> Result<bool> {
        self.build_concurrently(
            &self.turns.contexts,
            |derived| derived.event_names().is_some(),
            |tx, slots| Ok(Some(event_names(tx, slots)?)),
            follow_event_names,
            Derived::insert_event_names,
        )
    }

    /// Builds the spatial index of a field beside the work.
    pub(crate) fn build_spatial(&self, field: &SpatialField) -> Result<bool> {
        self.build_concurrently(
            &self.turns.contexts,
            |derived| derived.spatial(field).is_some(),
            |tx, slots| Ok(Some(spatial(tx, slots, field)?)),
            |index, slot, change| follow_spatial(index, field, slot, change),
            |derived, index| derived.insert_spatial(field.clone(), index),
        )
    }
}

/// The contexts' values at some paths, a column each.
pub fn columns(tx: &ReadTx<'_>, slots: &SlotTable, paths: &[Path]) -> Result<Vec<Column>> {
    let mut columns = vec![Column::default(); paths.len()];
    tx.each_active_context(|id, context| {
        if let Some(slot) = slots.slot(id) {
            for (column, path) in columns.iter_mut().zip(paths) {
                column.put(slot, &Cell::of(path.resolve_text(context).as_ref()));
            }
        }
    })?;
    Ok(columns)
}

/// The names of all events.
pub fn event_names(tx: &ReadTx<'_>, slots: &SlotTable) -> Result<EventNames> {
    let mut names = EventNames::default();
    tx.each_active_context(|id, context| {
        if let Some(slot) = slots.slot(id) {
            names.put_text(slot, context);
        }
    })?;
    Ok(names)
}

/// The contexts' points at one field.
pub fn spatial(tx: &ReadTx<'_>, slots: &SlotTable, field: &SpatialField) -> Result<SpatialIndex> {
    let mut index = SpatialIndex::default();
    tx.each_active_context(|id, context| {
        if let Some(slot) = slots.slot(id)
            && let Some(point) = field.point_in_text(context)
            && let Err(error) = index.put(slot, &point)
        {
            log::warn!("the point of memory {id} is left out: {error}");
        }
    })?;
    index.rebuild_if_due();
    Ok(index)
}

/// The components of a stored vector.
pub fn f32s(bytes: &[u8]) -> impl Iterator<Item = f32> + '_ {
    bytes.as_chunks::<4>().0.iter().map(|component| f32::from_le_bytes(*component))
}
