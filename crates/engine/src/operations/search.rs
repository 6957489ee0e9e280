//! Which rows count, what the query's words and vector find among them, and how much it took.

use super::around::Anchor;
use super::asked_events::AskedEvents;
use super::order_phrases;
use super::pictures::PictureSimilarities;
use super::plan::{Plan, RowFilter};
use super::signatures;
use super::visibility::VisibleRows;
use crate::db::{SlotTable, Vector, load};
use crate::{Error, Operations, Result};
use robot_memory_core::access::Visibility;
use robot_memory_core::api::{Order, Ranking};
use robot_memory_core::event::LayoutKind;
use robot_memory_core::limits::{CONTENDERS_MIN, LIST_MIN};
use robot_memory_core::model::{Filter, Path, Trust};
use robot_memory_db::{self as store, ReadTx};
use robot_memory_index::ranking::LOW_TRUST_WEIGHT;
use robot_memory_index::ranking::VectorHit;
use robot_memory_index::ranking::bm25::{Alternative, Corpus, Term, WordQuery};
use robot_memory_index::{
    Bitset, Derived, FullVectors, PlainPostings, RowSelection, Slot, SpatialField, VectorIndex,
    WordIndex, cosine_le_bytes,
};
use robot_memory_text::inference::QueryTerm;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// Weight of data of the real robot beside simulated data.
pub const REAL_WEIGHT: f64 = 1.5;

/// The rows that count, by what every row has, as far as they are seen.
pub fn allowed(derived: &Derived, filter: &RowFilter, visibility: &Visibility) -> Bitset {
    let names = derived.rows.names();
    let number = |name: &String| names.get(name);
    let session = match filter.session_id.as_ref().map(number) {
        // A name that no row has matches no row.
        Some(None) => return Bitset::default(),
        Some(session) => session,
        None => None,
    };
    let collections = filter.collections.as_ref();
    let selection = RowSelection {
        collections: collections.map(|some| some.iter().filter_map(number).collect()),
        scopes: None,
        scope_kinds: Vec::new(),
        session,
        levels: filter.levels.clone(),
        kinds: filter.kinds.clone(),
        mem_types: Vec::new(),
        min_confidence: filter.min_confidence,
        since: filter.since,
        until: filter.until,
    };
    VisibleRows::of(visibility, &derived.rows).allowed(derived, &selection)
}

/// The same rows, of these the ones whose context meets conditions.
pub fn meeting(
    derived: &Derived,
    rows: &RowFilter,
    conditions: &Filter,
    visibility: &Visibility,
) -> Result<Bitset> {
    let mut meeting = allowed(derived, rows, visibility);
    if derived.columns.narrow(conditions, &mut meeting) {
        return Ok(meeting);
    }
    // Another call needed the room between this call's preparation and its search.
    Err(Error::unavailable("too many different filters at once; try again"))
}

/// The two weights of a row in ranking: of its source and of its trust.
pub fn weights(derived: &Derived, slot: Slot) -> (f64, f64) {
    derived.rows.origin(slot).map_or((1.0, 1.0), |(is_real, trust)| {
        let source = if is_real { REAL_WEIGHT } else { 1.0 };
        let trust = if trust == Trust::Low { LOW_TRUST_WEIGHT } else { 1.0 };
        (source, trust)
    })
}

/// How many rows at the head of a list take part in ranking.
pub fn list_len(ranking: Ranking, n: usize) -> usize {
    let least = match ranking {
        Ranking::Best => CONTENDERS_MIN,
        Ranking::Rrf => LIST_MIN,
    };
    n.saturating_mul(2).saturating_add(least)
}

/// The first rows of a set by the time when they were made; of the same time in order of id, the
/// newest first when the newest come first.
pub fn by_time(derived: &Derived, set: &Bitset, order: Order, n: usize) -> Vec<Slot> {
    match order {
        Order::Newest => derived.rows.newest(set, n),
        Order::Oldest => derived.rows.oldest(set, n),
    }
}

/// Where the postings of a query's words are.
pub enum WordSource<'d> {
    Memory(&'d WordIndex),
    /// Read from the store, while the index in memory is being built.
    Read(PlainPostings),
}

impl<'d> WordSource<'d> {
    /// The index in memory, or what these terms need of the store.
    pub fn find(tx: &ReadTx<'_>, derived: &'d Derived, terms: &[QueryTerm]) -> Result<Self> {
        if let Some(index) = &derived.words {
            return Ok(Self::Memory(index));
        }
        let mut read = PlainPostings::default();
        let alternatives = terms.iter().flat_map(|term| &term.alternatives);
        let mut tokens: Vec<&String> = alternatives.flat_map(|each| &each.tokens).collect();
        tokens.sort_unstable();
        tokens.dedup();
        for token in tokens {
            let postings = tx.postings(token)?;
            let rows = &derived.rows;
            let live = postings.into_iter().filter_map(|(id, count)| Some((rows.slot(id)?, count)));
            read.insert(token, live);
        }
        Ok(Self::Read(read))
    }

    /// The terms, looked up. Frequencies and the mean length are those of the whole store, so that a
    /// filter does not change how rare a word is. So a score tells how rare a word is among all rows,
    /// also those that the caller may not see, and nothing else of them.
    pub fn look_up<'s>(&'s self, derived: &Derived, terms: &'s [QueryTerm]) -> WordQuery<'s> {
        let corpus = Corpus {
            document_count: derived.rows.live().count(),
            mean_length: derived.rows.mean_words(),
        };
        let terms: Vec<Term<'_>> = terms.iter().map(term).collect();
        match self {
            Self::Memory(index) => WordQuery::new(&terms, *index, corpus),
            Self::Read(read) => WordQuery::new(&terms, read, corpus),
        }
    }
}

fn term(term: &QueryTerm) -> Term<'_> {
    let alternatives = term.alternatives.iter();
    Term {
        weight: term.weight,
        alternatives: alternatives
            .map(|each| Alternative {
                tokens: &each.tokens,
                weight: each.weight,
                is_name: each.is_name,
            })
            .collect(),
    }
}

/// What the bits of a hit's matched words mean.
#[derive(Clone, Copy, Default)]
pub struct Matched<'a> {
    pub terms: &'a [QueryTerm],
    /// Of each bit the place of its term.
    pub positions: &'a [usize],
}

impl Matched<'_> {
    /// The words as they stand in the query.
    pub fn of(self, bits: u64) -> Vec<String> {
        let positions = self.positions.iter().enumerate();
        positions
            .filter(|(bit, _)| bits & (1 << bit) != 0)
            .filter_map(|(_, position)| self.terms.get(*position))
            // Parts of a word are no words that anybody asked for.
            .filter(|term| term.weight >= 1.0)
            .map(|term| term.words.clone())
            .collect()
    }
}

/// The similarity of rows with a query.
pub struct Similarities<'t> {
    tx: &'t ReadTx<'t>,
    derived: &'t Derived,
    query: &'t [f32],
    source: Vectors<'t>,
    /// What was computed so far.
    known: HashMap<Slot, f32>,
    /// Of their pictures.
    pub pictures: PictureSimilarities<'t>,
}

enum Vectors<'t> {
    None,
    Memory(&'t VectorIndex),
    /// All of them, from disk, in order of slots.
    Read(Vec<(Slot, f32)>),
}

/// The most similar rows.
#[derive(Default)]
pub struct VectorList {
    /// Best first, equals in order of id.
    pub hits: Vec<VectorHit>,
    /// Whether some that belong here may be missing.
    pub approximate: bool,
}

/// Reads vectors from the store.
struct Stored<'t> {
    tx: &'t ReadTx<'t>,
    derived: &'t Derived,
}

impl FullVectors for Stored<'_> {
    type Error = store::Error;

    fn cosine(&mut self, slot: Slot, query: &[f32]) -> store::Result<Option<f32>> {
        let Some(id) = self.derived.rows.id(slot) else { return Ok(None) };
        Ok(self.tx.vector(id, |bytes| cosine_le_bytes(bytes, query))?.flatten())
    }
}

impl<'t> Similarities<'t> {
    /// For a query's vector, which must be of the model in use, else there is no similarity.
    /// While there is no index, all vectors are read. `exact`: let sqlite-vec compare all of them.
    pub fn new(
        tx: &'t ReadTx<'t>,
        derived: &'t Derived,
        query: Option<&'t Vector>,
        exact: bool,
    ) -> Result<Self> {
        let mut query_components: &[f32] = &[];
        let mut source = Vectors::None;
        if let Some(vector) = query {
            query_components = &vector.components;
            source = match &derived.vectors {
                Some(index) if index.dimension() != vector.components.len() => Vectors::None,
                Some(index) if !exact => Vectors::Memory(index),
                None if !exact => Vectors::Read(read_vectors(tx, derived, vector)?),
                _ => Vectors::Read(read_similarities(tx, derived, vector)?),
            };
        }
        let pictures = PictureSimilarities::new(tx, derived, None);
        Ok(Self { tx, derived, query: query_components, source, known: HashMap::new(), pictures })
    }

    /// The cosine of a row's vector and the query's, when both have one.
    pub fn of(&mut self, slot: Slot) -> Result<Option<f32>> {
        match &self.source {
            Vectors::None => Ok(None),
            Vectors::Read(all) => {
                Ok(all.binary_search_by_key(&slot, |(slot, _)| *slot).ok().map(|at| all[at].1))
            }
            Vectors::Memory(index) => {
                if let Some(known) = self.known.get(&slot) {
                    return Ok(Some(*known));
                }
                if !index.contains(slot) {
                    return Ok(None);
                }
                let found = self.stored().cosine(slot, self.query)?;
                if let Some(similarity) = found {
                    self.known.insert(slot, similarity);
                }
                Ok(found)
            }
        }
    }

    /// About the same of many rows, by the codes that the index keeps of their vectors: see
    /// [`VectorIndex::estimates`]. Without the index the same codes are made.
    pub fn estimates(&self, slots: &[Slot]) -> Result<Vec<Option<f32>>> {
        match &self.source {
            Vectors::None => Ok(vec![None; slots.len()]),
            Vectors::Memory(index) => Ok(index.estimates(slots, self.query)),
            Vectors::Read(all) => {
                let mut index = VectorIndex::new(self.query.len());
                for (slot, place) in slots.iter().zip(0..) {
                    let is_known = all.binary_search_by_key(slot, |(slot, _)| *slot).is_ok();
                    let Some(id) = self.derived.rows.id(*slot).filter(|_| is_known) else {
                        continue;
                    };
                    if let Some(vector) =
                        self.tx.vector(id, |bytes| load::f32s(bytes).collect::<Vec<f32>>())?
                    {
                        // One that cannot be compared has no similarity.
                        let _ = index.put(place, &vector);
                    }
                }
                let places: Vec<Slot> = (0..).take(slots.len()).collect();
                Ok(index.estimates(&places, self.query))
            }
        }
    }

    /// Takes out the rows that can be compared with the query.
    pub fn take_out_known(&self, rows: &mut Bitset) {
        match &self.source {
            Vectors::None => {}
            Vectors::Memory(index) => rows.subtract(index.present()),
            Vectors::Read(all) => {
                for (slot, _) in all {
                    rows.remove(*slot);
                }
            }
        }
    }

    /// Takes out the rows that are less similar; a row without a vector has similarity 0.
    pub fn narrow(&self, allowed: &mut Bitset, min_similarity: f32) -> Result<()> {
        match &self.source {
            Vectors::None if min_similarity > 0.0 => *allowed = Bitset::default(),
            Vectors::None => {}
            Vectors::Memory(index) => {
                index.narrow(self.query, allowed, min_similarity, &mut self.stored())?;
            }
            Vectors::Read(all) => {
                let mut rest = all.iter().peekable();
                allowed.retain(|slot| {
                    while rest.next_if(|(other, _)| *other < slot).is_some() {}
                    let found = rest.peek().filter(|(other, _)| *other == slot);
                    found.map_or(0.0, |(_, similarity)| *similarity) >= min_similarity
                });
            }
        }
        Ok(())
    }

    /// The most similar allowed rows.
    pub fn nearest(&mut self, allowed: &Bitset, count: usize) -> Result<VectorList> {
        match &self.source {
            Vectors::None => Ok(VectorList::default()),
            Vectors::Memory(index) => {
                let stored = &mut self.stored();
                let found = index.nearest(self.query, allowed, count, f32::NEG_INFINITY, stored)?;
                self.known.extend(found.hits.iter().copied());
                let hits = found.hits.into_iter().map(VectorHit::from).collect();
                Ok(VectorList { hits, approximate: found.approximate })
            }
            Vectors::Read(all) => {
                let mut hits: Vec<VectorHit> = all
                    .iter()
                    .filter(|(slot, _)| allowed.contains(*slot))
                    .map(|hit| VectorHit::from(*hit))
                    .collect();
                hits.sort_by(|a, b| {
                    b.similarity.total_cmp(&a.similarity).then(a.slot.cmp(&b.slot))
                });
                hits.truncate(count);
                Ok(VectorList { hits, approximate: false })
            }
        }
    }

    fn stored(&self) -> Stored<'t> {
        Stored { tx: self.tx, derived: self.derived }
    }
}

/// Compares all vectors with the query, as the index does with those that it reads in full. It takes
/// less than half of the time that SQLite takes to call a function for each.
fn read_vectors(tx: &ReadTx<'_>, derived: &Derived, query: &Vector) -> Result<Vec<(Slot, f32)>> {
    let mut all = Vec::new();
    let _: ControlFlow<()> = tx.each_vector(&query.model, |id, bytes| {
        if let Some(slot) = derived.rows.slot(id)
            && let Some(similarity) = cosine_le_bytes(bytes, &query.components)
        {
            all.push((slot, similarity));
        }
        ControlFlow::Continue(())
    })?;
    Ok(all)
}

/// Lets sqlite-vec compare all vectors with the query.
fn read_similarities(
    tx: &ReadTx<'_>,
    derived: &Derived,
    query: &Vector,
) -> Result<Vec<(Slot, f32)>> {
    let mut all = Vec::new();
    let _: ControlFlow<()> =
        tx.each_similarity(&query.model, &query.components, |id, similarity| {
            if let Some(slot) = derived.rows.slot(id) {
                all.push((slot, similarity));
            }
            ControlFlow::Continue(())
        })?;
    Ok(all)
}

/// How long each part of a search took, for the explanation of an answer.
pub struct Stages {
    last: Instant,
    pub taken: Vec<(&'static str, Duration)>,
}

impl Stages {
    /// Begins to measure.
    pub fn begin() -> Self {
        Self { last: Instant::now(), taken: Vec::new() }
    }

    /// Ends a part.
    pub fn end(&mut self, part: &'static str) {
        let now = Instant::now();
        self.taken.push((part, now - self.last));
        self.last = now;
    }
}

/// What a plan needs of the contexts and is not there yet.
struct Missing {
    columns: Vec<Path>,
    event_names: bool,
    field: Option<SpatialField>,
    signatures: Option<LayoutKind>,
}

impl Missing {
    fn of(plan: &Plan, asked: Option<&AskedEvents>, derived: &Derived) -> Self {
        let field = plan.spatial.as_ref().map(|spatial| &spatial.field);
        let kind = plan.example.as_ref().map(|example| example.kind);
        let mut columns: Vec<Path> =
            derived.columns.missing(&plan.filter).into_iter().cloned().collect();
        for path in asked.into_iter().flat_map(AskedEvents::paths) {
            if derived.columns.get(path).is_none() && !columns.contains(path) {
                columns.push(path.clone());
            }
        }
        for path in order_phrases::paths(plan) {
            if derived.columns.get(&path).is_none() && !columns.contains(&path) {
                columns.push(path);
            }
        }
        let anchor = plan.around.as_ref().map(|around| &around.anchor);
        if let Some(Anchor::NthNewest { filter, .. }) = anchor {
            let missing = derived.columns.missing(filter);
            let new = missing.into_iter().filter(|path| !columns.contains(path));
            let new: Vec<Path> = new.cloned().collect();
            columns.extend(new);
        }
        for path in plan.spatial.iter().flat_map(|spatial| spatial.columns(plan)) {
            if derived.columns.get(&path).is_none() && !columns.contains(&path) {
                columns.push(path);
            }
        }
        let asks_of_events =
            asked.is_some() || plan.order_question.is_some() || plan.is_by_event_name();
        Self {
            columns,
            event_names: asks_of_events && derived.event_names().is_none(),
            field: field.filter(|field| derived.spatial(field).is_none()).cloned(),
            signatures: kind.filter(|kind| derived.signatures(kind.as_str()).is_none()),
        }
    }

    fn is_empty(&self) -> bool {
        self.columns.is_empty()
            && !self.event_names
            && self.field.is_none()
            && self.signatures.is_none()
    }
}

impl Operations {
    /// Builds the columns, the names of events, the spatial index and the signatures that a plan needs and that
    /// are not there yet.
    pub(super) fn prepare(&self, plan: &Plan, asked: Option<&AskedEvents>) -> Result<()> {
        if self.store.is_reading_only() {
            // They must agree with a snapshot that another process may leave behind at any moment.
            return Ok(());
        }
        let missing = Missing::of(plan, asked, &self.derived());
        if !missing.columns.is_empty() {
            self.build_columns(&missing.columns)?;
        }
        if missing.event_names {
            self.build_event_names()?;
        }
        if let Some(field) = &missing.field {
            self.build_spatial(field)?;
        }
        if let Some(kind) = missing.signatures {
            self.build_signatures(kind)?;
        }
        Ok(())
    }

    /// The same for an engine that only reads, from the snapshot that will be searched.
    pub(super) fn prepare_reading(
        &self,
        tx: &ReadTx<'_>,
        plan: &Plan,
        asked: Option<&AskedEvents>,
    ) -> Result<()> {
        let derived = self.derived();
        let revision = tx.revision()?;
        let missing = Missing::of(plan, asked, &derived);
        if missing.is_empty() || derived.revision() != Some(revision) {
            return Ok(());
        }
        let slots = SlotTable::new(derived.rows.ids());
        drop(derived);
        let columns = match missing.columns.is_empty() {
            true => Vec::new(),
            false => load::columns(tx, &slots, &missing.columns)?,
        };
        let event_names = missing.event_names.then(|| load::event_names(tx, &slots)).transpose()?;
        let field =
            missing.field.map(|field| Ok::<_, Error>((load::spatial(tx, &slots, &field)?, field)));
        let field = field.transpose()?;
        let signatures = missing.signatures.map(|kind| {
            Ok::<_, Error>((kind.as_str(), signatures::column(tx, &slots, kind.as_str())?))
        });
        let signatures = signatures.transpose()?;
        self.change_indexes(|derived| {
            if derived.revision() != Some(revision) {
                // Another call has met a later revision meanwhile; this one begins anew.
                return;
            }
            for (path, column) in missing.columns.into_iter().zip(columns) {
                derived.columns.insert(path, column);
            }
            if let Some(names) = event_names {
                derived.insert_event_names(names);
            }
            if let Some((index, field)) = field {
                derived.insert_spatial(field, index);
            }
            if let Some((kind, column)) = signatures {
                derived.insert_signatures(kind, column);
            }
        });
        Ok(())
    }

    /// The rows that a plan allows of what is seen, similarity aside.
    pub(super) fn allowed(
        &self,
        derived: &Derived,
        plan: &Plan,
        visibility: &Visibility,
    ) -> Result<Bitset> {
        let mut allowed = meeting(derived, &plan.rows, &plan.filter, visibility)?;
        if let Some(only) = &plan.only {
            allowed.intersect_with(only);
        }
        Ok(allowed)
    }
}
