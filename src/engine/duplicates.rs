//! Whether a row says it already: the same text, nearly the same words, nearly the same meaning.

use super::inferred::Inferred;
use super::search::Similarities;
use super::sharing_words::sharing_words;
use super::{Result, Vector};
use crate::api::DuplicateMethod;
use crate::index::{Bitset, Change, Derived, PostingList, Postings, RowSelection, Slot, cosine};
use crate::inference::{self, Claim, Statement};
use crate::model::{Kind, Level, Memory, Status, Trust};
use crate::store::{Peers, ReadTx};

/// Two statements with more than this share of tokens in common say the same.
const JACCARD_MIN: f64 = 0.70;
/// Two statements whose embeddings have more than this cosine say the same.
const COSINE_MIN: f32 = 0.85;
/// Two statements with nearly the same words, but each with words of its own, say the same only from
/// this cosine on: what they share makes their vectors near, whatever the exchanged words say. Pairs
/// of robot sentences with a synonym exchanged (objects and items, needs and requires) were measured
/// at 0.92 to 0.98, with a thing exchanged (hammer and wrench, cup and plate) at 0.62 to 0.88.
const EXCHANGED_COSINE_MIN: f32 = 0.92;
/// Nearest vectors looked at in one go; more follow while all of them are something else.
const NEAREST_BATCH: usize = 32;

/// A row that says it already.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Duplicate {
    /// The row.
    pub id: i64,
    /// Which layer found it.
    pub method: DuplicateMethod,
    /// 1 for the same text, else the Jaccard similarity or the cosine.
    pub similarity: f64,
}

/// Which rows say a statement already.
#[derive(Debug, Default)]
pub struct Known {
    /// One that is believed as far as the statement at least.
    pub duplicate: Option<Duplicate>,
    /// One that is believed less, and is to be replaced rather than repeated.
    pub weaker: Option<Memory>,
}

/// Looks for both among these by [`find`]; the statement is of this trust.
pub fn known(
    tx: &ReadTx<'_>,
    among: &Peers<'_>,
    trust: Trust,
    find: impl Fn(&Peers<'_>) -> Result<Option<Duplicate>>,
) -> Result<Known> {
    let duplicate = find(among)?;
    let memory = match duplicate {
        Some(found) => tx.memory(found.id, false)?,
        None => None,
    };
    match memory.filter(|memory| memory.trust < trust) {
        None => Ok(Known { duplicate, weaker: None }),
        weaker => Ok(Known { duplicate: find(&Peers { trust_min: trust, ..*among })?, weaker }),
    }
}

/// Looks through the active facts that can say a statement already; task logs are not among them.
///
/// Layers two and three never take two statements for the same whose numbers, negation or opposed
/// terms differ ([`Statement::may_be_same`]), nor, when both have vectors, two that differ by an
/// exchanged word which means something else. Each layer answers its most similar row, the lowest id
/// among equals. Rows that another one came to stand for in this transaction, as `changes` tells, are
/// active no more, though the indexes do not know it yet.
pub fn find(
    tx: &ReadTx<'_>,
    derived: &Derived,
    changes: &[Change],
    inferred: &Inferred,
    vector: Option<&Vector>,
    among: &Peers<'_>,
) -> Result<Option<Duplicate>> {
    if among.mem_types.is_empty() {
        return Ok(None);
    }
    if let Some(id) = tx.exact_duplicate(&inferred.content_hash, among, 0)? {
        return Ok(Some(Duplicate { id, method: DuplicateMethod::Exact, similarity: 1.0 }));
    }
    if !is_readable(&inferred.content) {
        return Ok(None);
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
        return Ok(None);
    }
    let mut similarities = Similarities::new(tx, derived, vector, false)?;
    if let Some(duplicate) = by_words(tx, derived, inferred, &mut similarities, &candidates)? {
        return Ok(Some(duplicate));
    }
    by_vector(tx, derived, inferred, &mut similarities, candidates)
}

/// The same among facts that were stored in this transaction, which the indexes do not know yet; they
/// are few.
pub fn find_fresh(
    tx: &ReadTx<'_>,
    changes: &[Change],
    inferred: &Inferred,
    vector: Option<&Vector>,
    among: &Peers<'_>,
) -> Result<Option<Duplicate>> {
    if !is_readable(&inferred.content) {
        return Ok(None);
    }
    let Peers { collection, scope, mem_types, level, session_id, trust_min } = among;
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
            _ if shared > JACCARD_MIN => (DuplicateMethod::Jaccard, shared),
            Some(near) if near > COSINE_MIN => (DuplicateMethod::Cosine, f64::from(near)),
            _ => continue,
        };
        if best.is_none_or(|best| similarity > best.similarity)
            && is_the_same(inferred, &memory.content, &other, near)
        {
            best = Some(Duplicate { id: put.id, method, similarity });
        }
    }
    Ok(best)
}

/// Those of the facts that may be the same by their key; those of which the key is not known count as
/// well.
fn candidates(derived: &Derived, inferred: &Inferred, among: &Peers<'_>) -> Bitset {
    let Peers { collection, scope, mem_types, level, session_id, trust_min } = among;
    let names = derived.rows.names();
    let (Some(collection), Some(scope)) = (names.get(collection), names.get(&scope.to_string()))
    else {
        return Bitset::default();
    };
    let levels = match level {
        Level::Core => vec![Level::Core],
        Level::Knowledge => vec![Level::Core, Level::Knowledge],
        Level::Working => Vec::new(),
    };
    let session = names.get(session_id);
    // As of most statements, so that not each of a million rows is looked at.
    let all_count = *level != Level::Working && *trust_min == Trust::Low;
    let key = inferred.key();
    let mut candidates = derived.rows.allowed(&RowSelection {
        collections: Some(vec![collection]),
        scopes: Some(vec![scope]),
        levels,
        kinds: vec![Kind::Fact],
        mem_types: mem_types.to_vec(),
        ..RowSelection::default()
    });
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

/// The row that shares the most words with the statement, when that is enough. Only rows with more than
/// the least share of the tokens are read.
fn by_words(
    tx: &ReadTx<'_>,
    derived: &Derived,
    inferred: &Inferred,
    similarities: &mut Similarities<'_>,
    candidates: &Bitset,
) -> Result<Option<Duplicate>> {
    let statement = &inferred.statement;
    let (all, mut slots) = sharing_words(tx, derived, statement, JACCARD_MIN)?;
    slots.intersect_with(candidates);
    let mut slots: Vec<Slot> = slots.iter().collect();
    if let Some(words) = &derived.words {
        // What is shared is no more than this, and the union no less than the statement.
        let lists = all.iter().map(|token| words.postings(token));
        let shared = shared_counts(&slots, lists);
        let share = |count: usize| count as f64 / all.len() as f64;
        let mut shares = shared.into_iter().map(share);
        slots.retain(|_| shares.next().is_some_and(|share| share > JACCARD_MIN));
    }

    let mut best: Option<Duplicate> = None;
    for slot in slots {
        let Some(id) = derived.rows.id(slot) else { continue };
        let Some(content) = tx.content(id)? else { continue };
        let other = Statement::parse(&content);
        let similarity = statement.jaccard(&other);
        if similarity > JACCARD_MIN
            && best.is_none_or(|best| similarity > best.similarity)
            && statement.may_be_same(&other)
            && is_the_same(inferred, &content, &other, similarities.of(slot)?)
        {
            best = Some(Duplicate { id, method: DuplicateMethod::Jaccard, similarity });
        }
    }
    Ok(best)
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
) -> Result<Option<Duplicate>> {
    loop {
        let nearest = similarities.nearest(&candidates, NEAREST_BATCH)?.hits;
        for hit in &nearest {
            if hit.similarity <= COSINE_MIN {
                return Ok(None);
            }
            candidates.remove(hit.slot);
            let Some(facts) = derived.rows.facts(hit.slot) else { continue };
            let Some(content) = tx.content(facts.id)? else { continue };
            let other = Statement::parse(&content);
            if inferred.statement.may_be_same(&other)
                && is_the_same(inferred, &content, &other, Some(hit.similarity))
            {
                return Ok(Some(Duplicate {
                    id: facts.id,
                    method: DuplicateMethod::Cosine,
                    similarity: f64::from(hit.similarity),
                }));
            }
        }
        if nearest.len() < NEAREST_BATCH {
            return Ok(None);
        }
    }
}

/// Whether nothing tells two statements apart that share most of their words, or the direction of their
/// vectors.
fn is_the_same(inferred: &Inferred, content: &str, other: &Statement, cosine: Option<f32>) -> bool {
    has_same_symbols(&inferred.content, content)
        && !means_something_else(&inferred.statement, other, cosine)
        && !inferred.claim.disagrees(&Claim::parse(content))
        && sets_the_same_bounds(inferred, content)
}

/// Whether other words set the bounds that those of a constraint do: the guard would not hold what is
/// taken for a duplicate of a narrower one.
fn sets_the_same_bounds(inferred: &Inferred, other: &str) -> bool {
    inferred.limits.is_empty()
        || inferred.has_given_limits
        || inference::limits(&inferred.content) == inference::limits(other)
}

/// Whether two statements with nearly the same words differ by an exchanged word that, as their
/// vectors tell, means something else. Without vectors nothing can be told.
pub fn means_something_else(a: &Statement, b: &Statement, cosine: Option<f32>) -> bool {
    cosine.is_some_and(|cosine| cosine < EXCHANGED_COSINE_MIN) && may_mean_something_else(a, b)
}

/// Whether two statements with nearly the same words differ by an exchanged word.
pub fn may_mean_something_else(a: &Statement, b: &Statement) -> bool {
    a.jaccard(b) > JACCARD_MIN && has_own_word(a, b) && has_own_word(b, a)
}

/// Whether a statement has a word that the other one lacks. A single character is no word: it is a
/// unit (N and 牛), an article, or part of a Chinese word that a pair of characters tells apart.
fn has_own_word(a: &Statement, b: &Statement) -> bool {
    a.tokens().difference(b.tokens()).any(|token| token.chars().nth(1).is_some())
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
pub fn are_apart((a, claim): (&str, &Claim), (b, other): (&str, &Claim)) -> bool {
    let are_comparable = is_readable(a) && is_readable(b) && has_same_symbols(a, b);
    !are_comparable || claim.disagrees(other)
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
