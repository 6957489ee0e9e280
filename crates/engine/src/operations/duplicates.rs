//! Whether a row says it already: the same text, nearly the same words, nearly the same meaning.

use super::inferred::{Inferred, whole_hash};
use super::lexical_candidates::lexical_candidates;
use super::peers::facts_of;
use super::search::Similarities;
use crate::Result;
use crate::db::Vector;
use robot_memory_core::api::DuplicateMethod;
use robot_memory_core::model::{Kind, Level, Limit, Memory, Status, Trust};
use robot_memory_db::{DuplicateCandidates, ReadTx};
use robot_memory_index::{
    Bitset, Change, Derived, PostingList, Postings, RowSelection, Slot, cosine,
};
use robot_memory_text::inference::{
    self, Amount, Frame, Likeness, Proposition, Statement, Thing, ThingKind,
};
use std::cmp::Ordering;

/// Two statements with more than this share of tokens in common are much alike.
const JACCARD_MIN: f64 = 0.70;
/// Two statements whose embeddings have more than this cosine are much alike.
const COSINE_MIN: f32 = 0.85;
/// Where there are vectors to find them by, statements with fewer words in common are found by those; else
/// this share makes them worth a look.
const LOOKED_AT_JACCARD_MIN: f64 = 0.50;
/// What says the same in the other language, or in other words and units, has a cosine above this, and so
/// has much else: it is looked at, and its words decide.
const LOOKED_AT_COSINE_MIN: f32 = 0.60;
/// Nearest vectors looked at in one go; more follow while all of them are much alike and something else.
const NEAREST_BATCH: usize = 32;
/// Rows that a statement is much like, of which it is told.
const SIMILAR_MAX: usize = 4;

/// A row that says it already.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Duplicate {
    pub id: i64,
    /// Which layer found it.
    pub method: DuplicateMethod,
    /// 1 for the same text, else the Jaccard similarity or the cosine.
    pub similarity: f64,
}

/// The rows that are like a statement.
#[derive(Debug, Default)]
pub struct SimilarRows {
    /// The row that says it already.
    pub duplicate: Option<Duplicate>,
    /// Rows that are much alike, and not known to say the same: at most [`SIMILAR_MAX`].
    pub similar: Vec<i64>,
}

/// Which rows say a statement already.
#[derive(Debug, Default)]
pub struct DuplicateMatch {
    /// One that is believed as far as the statement at least.
    pub duplicate: Option<Duplicate>,
    /// One that is believed less, and is to be replaced rather than repeated.
    pub weaker: Option<Memory>,
    /// Rows that are much alike, and not known to say the same.
    pub similar: Vec<i64>,
}

/// Looks for both among these by [`find`]; the statement is of this trust.
pub fn known(
    tx: &ReadTx<'_>,
    among: &DuplicateCandidates<'_>,
    trust: Trust,
    find: impl Fn(&DuplicateCandidates<'_>) -> Result<SimilarRows>,
) -> Result<DuplicateMatch> {
    let SimilarRows { duplicate, similar } = find(among)?;
    let memory = match duplicate {
        Some(found) => tx.memory(found.id, false)?,
        None => None,
    };
    match memory.filter(|memory| memory.trust < trust) {
        None => Ok(DuplicateMatch { duplicate, weaker: None, similar }),
        weaker => {
            let duplicate = find(&DuplicateCandidates { trust_min: trust, ..*among })?.duplicate;
            Ok(DuplicateMatch { duplicate, weaker, similar })
        }
    }
}

/// Looks through the active facts that can say a statement already; task logs are not among them.
///
/// Shared words and near vectors only find rows that may say the same. Whether one does, its words decide:
/// numbers, negation and opposed terms ([`Statement::may_be_same`]), and every other word, which must
/// have one that means the same in the same role ([`Frame::says_the_same`]). Each layer answers its most
/// similar row, the lowest id among equals. Rows that another one came to stand for in this transaction, as
/// `changes` tells, are active no more, though the indexes do not know it yet.
pub fn find(
    tx: &ReadTx<'_>,
    derived: &Derived,
    changes: &[Change],
    inferred: &Inferred,
    vector: Option<&Vector>,
    among: &DuplicateCandidates<'_>,
) -> Result<SimilarRows> {
    let mut found = SimilarRows::default();
    if among.mem_types.is_empty() {
        return Ok(found);
    }
    for id in tx.exact_duplicates(&inferred.content_hash, among, 0)? {
        if has_same_whole(tx, inferred, id)? {
            let method = DuplicateMethod::Exact;
            found.duplicate = Some(Duplicate { id, method, similarity: 1.0 });
            return Ok(found);
        }
        found.note_similar(id);
    }
    // Of a text that was cut the words do not say all.
    if inferred.whole_hash.is_some() || !is_readable(&inferred.content) {
        return Ok(found);
    }
    let mut candidates = candidates(derived, inferred, among);
    for change in changes {
        if let Change::Remove { id, .. } = change
            && let Some(slot) = derived.rows.slot(*id)
        {
            candidates.remove(slot);
        }
    }
    if candidates.iter().next().is_none() {
        return Ok(found);
    }
    let jaccard_min = if vector.is_some() { JACCARD_MIN } else { LOOKED_AT_JACCARD_MIN };
    by_words(tx, derived, inferred, jaccard_min, &candidates, &mut found)?;
    if found.duplicate.is_none() {
        let mut similarities = Similarities::new(tx, derived, vector, false)?;
        by_vector(tx, derived, inferred, &mut similarities, candidates, &mut found)?;
    }
    Ok(found)
}

/// Whether a row of the same content says the same behind where it was cut, as far as that is kept.
fn has_same_whole(tx: &ReadTx<'_>, inferred: &Inferred, id: i64) -> Result<bool> {
    let Some(whole) = inferred.whole_hash else { return Ok(true) };
    let row = tx.memory(id, false)?;
    Ok(row.is_some_and(|row| whole_hash(&row.content, &row.context) == Some(whole)))
}

impl SimilarRows {
    /// Notes a row that is much alike.
    fn note_similar(&mut self, id: i64) {
        if self.similar.len() < SIMILAR_MAX && !self.similar.contains(&id) {
            self.similar.push(id);
        }
    }
}

/// The same among facts that were stored in this transaction, which the indexes do not know yet; they
/// are few. Adds to what was found.
pub fn find_fresh(
    tx: &ReadTx<'_>,
    changes: &[Change],
    inferred: &Inferred,
    vector: Option<&Vector>,
    among: &DuplicateCandidates<'_>,
    found: &mut SimilarRows,
) -> Result<()> {
    if inferred.whole_hash.is_some() || !is_readable(&inferred.content) {
        return Ok(());
    }
    let DuplicateCandidates { collection, scope, mem_types, level, session_id, trust_min } = among;
    let scope = scope.to_string();
    let mut best: Option<Duplicate> = None;
    for change in changes {
        let Change::Put(put) = change else { continue };
        let is_peer = put.kind == Kind::Fact
            && put.collection == *collection
            && put.scope == scope
            && mem_types.contains(&put.mem_type)
            && (put.level == *level && put.session_id == *session_id)
            && put.trust >= *trust_min
            && (put.quantity_key == inferred.key() || put.quantity_key == 0);
        if !is_peer {
            continue;
        }
        let Some(memory) = tx.memory(put.id, false)? else { continue };
        let other = Statement::parse(&memory.content);
        if memory.status != Status::Active || !inferred.statement.may_be_same(&other) {
            continue;
        }
        let near = put.vector.as_ref().zip(vector);
        let near = near.map(|(other, vector)| cosine(other, &vector.components));
        let shared = inferred.statement.jaccard(&other);
        let (method, similarity) = match near {
            Some(near) if shared <= JACCARD_MIN => (DuplicateMethod::Cosine, f64::from(near)),
            _ => (DuplicateMethod::Jaccard, shared),
        };
        if is_the_same(inferred, &memory.content) {
            if best.is_none_or(|best| similarity > best.similarity) {
                best = Some(Duplicate { id: put.id, method, similarity });
            }
        } else if shared > JACCARD_MIN || near.is_some_and(|near| near > COSINE_MIN) {
            found.note_similar(put.id);
        }
    }
    found.duplicate = best;
    Ok(())
}

/// Those of the facts that may be the same by their key; those of which the key is not known count as
/// well.
fn candidates(derived: &Derived, inferred: &Inferred, among: &DuplicateCandidates<'_>) -> Bitset {
    let DuplicateCandidates { collection, scope, mem_types, level, session_id, trust_min } = among;
    let levels = match level {
        Level::Core => vec![Level::Core],
        Level::Knowledge => vec![Level::Core, Level::Knowledge],
        Level::Working => Vec::new(),
    };
    let session = derived.rows.names().get(session_id);
    // As of most statements, so that not each of a million rows is looked at.
    let all_count = *level != Level::Working && *trust_min == Trust::Low;
    let key = inferred.key();
    let rows = RowSelection { levels, mem_types: mem_types.to_vec(), ..RowSelection::default() };
    let mut candidates = facts_of(derived, &scope.to_string(), collection, rows);
    candidates.retain(|slot| {
        let other = derived.rows.quantity_key(slot);
        let counts = || {
            derived.rows.facts(slot).is_some_and(|facts| {
                facts.trust >= *trust_min
                    && (facts.level != Level::Working || Some(facts.session) == session)
            })
        };
        (other == key || other == 0) && (all_count || counts())
    });
    candidates
}

/// The row that shares the most words with the statement, when it says the same. Only rows with more than
/// the least share of the tokens are read.
fn by_words(
    tx: &ReadTx<'_>,
    derived: &Derived,
    inferred: &Inferred,
    jaccard_min: f64,
    candidates: &Bitset,
    found: &mut SimilarRows,
) -> Result<()> {
    let statement = &inferred.statement;
    let (all, slots) = lexical_candidates(tx, derived, statement, jaccard_min, candidates)?;
    let mut slots: Vec<Slot> = slots.iter().collect();
    if let Some(words) = &derived.words {
        // What is shared is no more than this, and the union no less than the statement.
        let lists = all.iter().map(|token| words.postings(token));
        let shared = shared_counts(&slots, lists);
        let share = |count: usize| count as f64 / all.len() as f64;
        let mut shares = shared.into_iter().map(share);
        slots.retain(|_| shares.next().is_some_and(|share| share > jaccard_min));
    }

    let mut best: Option<Duplicate> = None;
    for slot in slots {
        let Some(id) = derived.rows.id(slot) else { continue };
        let Some(content) = tx.content(id)? else { continue };
        let other = Statement::parse(&content);
        let similarity = statement.jaccard(&other);
        if similarity <= jaccard_min || !statement.may_be_same(&other) {
            continue;
        }
        if is_the_same(inferred, &content) {
            if best.is_none_or(|best| similarity > best.similarity) {
                best = Some(Duplicate { id, method: DuplicateMethod::Jaccard, similarity });
            }
        } else if similarity > JACCARD_MIN {
            found.note_similar(id);
        }
    }
    found.duplicate = best;
    Ok(())
}

/// Of how many lists each of some slots, which ascend, is.
fn shared_counts<'l>(slots: &[Slot], lists: impl Iterator<Item = PostingList<'l>>) -> Vec<usize> {
    let mut counts = vec![0; slots.len()];
    for list in lists {
        list.each_frequency(slots, |place, _| counts[place] += 1);
    }
    counts
}

fn by_vector(
    tx: &ReadTx<'_>,
    derived: &Derived,
    inferred: &Inferred,
    similarities: &mut Similarities<'_>,
    mut candidates: Bitset,
    found: &mut SimilarRows,
) -> Result<()> {
    loop {
        let nearest = similarities.nearest(&candidates, NEAREST_BATCH)?.hits;
        for hit in &nearest {
            if hit.similarity <= LOOKED_AT_COSINE_MIN {
                return Ok(());
            }
            candidates.remove(hit.slot);
            let Some(facts) = derived.rows.facts(hit.slot) else { continue };
            let Some(content) = tx.content(facts.id)? else { continue };
            if !inferred.statement.may_be_same(&Statement::parse(&content)) {
                continue;
            }
            if is_the_same(inferred, &content) {
                found.duplicate = Some(Duplicate {
                    id: facts.id,
                    method: DuplicateMethod::Cosine,
                    similarity: f64::from(hit.similarity),
                });
                return Ok(());
            }
            if hit.similarity > COSINE_MIN {
                found.note_similar(facts.id);
            }
        }
        let is_far = nearest.last().is_none_or(|hit| hit.similarity <= COSINE_MIN);
        if nearest.len() < NEAREST_BATCH || is_far {
            return Ok(());
        }
    }
}

/// Whether a text says the same, word by word, that may be the same by its numbers and opposites.
fn is_the_same(inferred: &Inferred, content: &str) -> bool {
    has_same_symbols(&inferred.content, content)
        && inferred.frame.says_the_same(&Frame::parse(content))
        && !inferred.proposition.disagrees(&Proposition::parse(content))
        && sets_the_same_bounds(inferred, content)
}

/// Whether other words set the bounds that those of a constraint do: the guard would not hold what is
/// taken for a duplicate of a narrower one.
fn sets_the_same_bounds(inferred: &Inferred, other: &str) -> bool {
    inferred.limits.is_empty()
        || inferred.has_given_limits
        || are_one(&inference::limits(&inferred.content), &inference::limits(other))
}

/// Whether two readings set the same bounds.
fn are_one(own: &[Limit], others: &[Limit]) -> bool {
    own.len() == others.len() && own.iter().zip(others).all(|(a, b)| is_one(a, b))
}

/// Whether two bounds are one, in whichever unit and language.
pub fn is_one(one: &Limit, other: &Limit) -> bool {
    let amount = |limit: &Limit| Amount::new(limit.value, &limit.unit);
    let are_equal = amount(one).zip(amount(other)).and_then(|(a, b)| a.compare(&b));
    let is_same = |a: &str, b: &str, kind| {
        a == b
            || !a.is_empty()
                && !b.is_empty()
                && Thing::parse(a, kind).compare(&Thing::parse(b, kind)).0 == Likeness::Same
    };
    one.path == other.path
        && one.op == other.op
        && are_equal == Some(Ordering::Equal)
        && is_same(&one.object, &other.object, ThingKind::Object)
        && is_same(&one.place, &other.place, ThingKind::Place)
        && is_same(&one.task, &other.task, ThingKind::Task)
}

/// Whether the rules that tell statements apart can read a text: its letters are Latin, Greek (as in
/// units) or Han. In other scripts a negation would go unseen, so only the same text is a duplicate.
fn is_readable(text: &str) -> bool {
    text.chars().filter(|c| c.is_alphabetic()).all(|letter| {
        matches!(letter,
            '\0'..='\u{3ff}' | '\u{1e00}'..='\u{1eff}' | '\u{2100}'..='\u{214f}'
            | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
            | '\u{ff21}'..='\u{ff5a}' | '\u{20000}'..='\u{3ffff}')
    })
}

/// Whether two texts are no duplicates, however many words they share: they claim different things of
/// one subject, differ by a symbol, or are in a script of which the rules know no words.
pub fn are_apart((a, one): (&str, &Proposition), (b, other): (&str, &Proposition)) -> bool {
    let are_comparable = is_readable(a) && is_readable(b) && has_same_symbols(a, b);
    !are_comparable || one.disagrees(other)
}

/// Whether two texts have the same arrows, signs and emoji, which are no words: a thumb up is not a
/// thumb down.
fn has_same_symbols(a: &str, b: &str) -> bool {
    let symbols = |text: &str| {
        let is_symbol = |c: &char| matches!(c, '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}');
        let mut symbols: Vec<char> = text.chars().filter(is_symbol).collect();
        symbols.sort_unstable();
        symbols
    };
    symbols(a) == symbols(b)
}
