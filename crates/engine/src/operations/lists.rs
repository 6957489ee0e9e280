//! What a query makes of the allowed rows: a ranked list, or two of them interleaved.

use super::asked_events::{AskedEvents, Fits};
use super::beside::{Beside, mean_around};
use super::best_texts::{self, COUNT_WEIGHT};
use super::groups::NthOfEach;
use super::named_objects::NamedObjects;
use super::relevant;
use super::search::{self, Similarities, Stages, WordSource};
use crate::Result;
use crate::db::{PictureQuery, Vector};
use robot_memory_core::api::{Order, Ranking};
use robot_memory_core::model::{Kind, MemType};
use robot_memory_db::ReadTx;
use robot_memory_index::ranking::bm25::{Admission, WordHit, WordList, WordQuery};
use robot_memory_index::ranking::{
    Contender, Evidence, NEIGHBORHOODS, Parts, VectorHit, fuse, rank,
};
use robot_memory_index::{Bitset, Derived, Slot};
use robot_memory_text::inference::{Objects, QueryTerm};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Of the words of a question a row must have so much to be in its word list, beside a vector list: a
/// row that shares no more than a common word would else push down one that says the same in another
/// language, which the word list cannot find.
const COVERAGE_MIN: f64 = 0.3;

/// Cosine with the query from which such a summary may be about what is asked.
const COUNT_SIMILARITY_MIN: f32 = 0.4;

/// What a query was read as.
#[derive(Default)]
pub struct Query {
    pub terms: Vec<QueryTerm>,
    /// Its meaning, when there is a model.
    pub vector: Option<Vector>,
    /// What it may show, when there is a model of pictures.
    pub picture: Option<PictureQuery>,
    /// What it asks of events, when it does and there are some.
    pub asked: Option<AskedEvents>,
    /// Whether it asks how often something was.
    pub asks_how_often: bool,
    /// Whether it asks for an amount.
    pub asks_how_much: bool,
    /// Whether it asks how many there are, or how often something was.
    pub asks_how_many: bool,
    /// Whether it asks when something was.
    pub asks_when: bool,
    /// Whether it asks for what somebody asked.
    pub asks_what_was_asked: bool,
    /// What it is about, when it asks how often or for an amount.
    pub objects: Objects,
    /// The one object that the answer must tell of; none when that is not sure.
    pub sure_object: Objects,
    /// What memories name.
    pub named: Arc<NamedObjects>,
}

/// How a list is to be made.
#[derive(Debug, Clone, Copy)]
pub struct ListOptions {
    /// Best hits that are wanted.
    pub n: usize,
    /// How the lists become one.
    pub ranking: Ranking,
    /// Not the best are wanted but the first in this order, and all that match are to be known.
    pub by_time: Option<Order>,
    /// And of these one of each group.
    pub nth_of_each: Option<NthOfEach>,
    /// All that match are to be known, whatever is shown.
    pub wants_all: bool,
}

impl ListOptions {
    /// The best of them.
    pub fn best(n: usize, ranking: Ranking) -> Self {
        Self { n, ranking, by_time: None, nth_of_each: None, wants_all: false }
    }
}

/// A row in the list.
#[derive(Debug, Clone, Copy)]
pub struct Listed {
    pub slot: Slot,
    /// 1.0 for the best.
    pub score: f64,
    pub word_rank: Option<u32>,
    pub vector_rank: Option<u32>,
    pub picture_rank: Option<u32>,
    pub words: Option<WordHit>,
    pub similarity: Option<f32>,
    /// What the score is made of, in the default ranking.
    pub parts: Option<Parts>,
    /// As [`Why::relevance`](robot_memory_core::api::Why::relevance).
    pub relevance: f64,
    /// Hits that say nearly the same and are not shown.
    pub similar_count: u32,
}

/// The list, best first.
#[derive(Default)]
pub struct List {
    pub listed: Vec<Listed>,
    /// Rows that match: those with enough of the words, the most similar ones, those whose pictures may
    /// show what is asked for, and what is listed because it stands beside one of the best.
    pub total: u64,
    /// All of them, when that was asked for; `listed` then lacks those that are not shown.
    pub matching: Option<Bitset>,
    pub words_empty: bool,
    /// Of texts and of pictures.
    pub vectors_empty: bool,
    /// Rows that match by their pictures.
    pub picture_count: usize,
    /// Whether vectors that belong here may be missing.
    pub approximate: bool,
    /// Which of the query's terms each bit of [`WordHit::matched`] stands for.
    pub positions: Vec<usize>,
}

/// The lists before they are one.
struct HitLists {
    words: Vec<WordHit>,
    /// Rows with enough of the words, whether in `words` or not.
    word_total: u64,
    admission: Admission,
    vectors: Vec<VectorHit>,
    pictures: Vec<VectorHit>,
    approximate: bool,
}

impl HitLists {
    /// The rows of all lists; some come again.
    fn slots(&self) -> impl Iterator<Item = Slot> {
        let words = self.words.iter().map(|hit| hit.slot);
        words.chain(self.compared())
    }

    /// The rows that stand in a list by a vector; some come again.
    fn compared(&self) -> impl Iterator<Item = Slot> {
        self.vectors.iter().chain(&self.pictures).map(|hit| hit.slot)
    }

    /// The one list that was made of them.
    fn list(&self, listed: Vec<Listed>, total: u64, matching: Option<Bitset>) -> List {
        List {
            listed,
            total,
            matching,
            words_empty: self.words.is_empty(),
            vectors_empty: self.vectors.is_empty() && self.pictures.is_empty(),
            picture_count: self.pictures.len(),
            approximate: self.approximate,
            positions: Vec::new(),
        }
    }
}

impl List {
    /// Ranks the allowed rows. Each set of them is a list of its own, as if the others were not there;
    /// the lists are interleaved, the first one first.
    pub fn make(
        tx: &ReadTx<'_>,
        derived: &Derived,
        query: &Query,
        similarities: &mut Similarities<'_>,
        allowed: &[Bitset],
        options: ListOptions,
        stages: &mut Stages,
    ) -> Result<Self> {
        let source = WordSource::find(tx, derived, &query.terms)?;
        let words = source.look_up(derived, &query.terms);
        let mut whole: Option<Self> = None;
        for allowed in allowed {
            let list =
                Self::of_words(tx, derived, query, &words, similarities, allowed, options, stages)?;
            whole = Some(match whole {
                None => list,
                Some(whole) => whole.interleaved(list),
            });
        }
        Ok(whole.unwrap_or_default())
    }

    #[expect(clippy::too_many_arguments, reason = "each is one thing that is known")]
    fn of_words(
        tx: &ReadTx<'_>,
        derived: &Derived,
        query: &Query,
        words: &WordQuery<'_>,
        similarities: &mut Similarities<'_>,
        allowed: &Bitset,
        options: ListOptions,
        stages: &mut Stages,
    ) -> Result<Self> {
        let count = search::list_len(options.ranking, options.n);
        let vectors = similarities.nearest(allowed, count)?;
        let pictures = similarities.pictures.best(allowed, count)?;
        stages.end("vectors");
        let admission = match options.ranking {
            Ranking::Best if !vectors.hits.is_empty() => Admission::CoverageAtLeast(COVERAGE_MIN),
            Ranking::Best | Ranking::Rrf => Admission::All,
        };
        let wants_all = options.wants_all || options.by_time.is_some();
        let word_count = if wants_all { usize::MAX } else { count };
        let lengths = || derived.rows.word_counts();
        let search = |rows: &Bitset, admission| words.search(rows, lengths, admission, word_count);
        // A row that has no vector yet can only be found by its words: any of them will do.
        let mut without = Bitset::default();
        if admission != Admission::All {
            without = allowed.clone();
            similarities.take_out_known(&mut without);
        }
        let word_list = if without.is_empty() {
            search(allowed, admission)
        } else {
            let mut with = allowed.clone();
            with.subtract(&without);
            joined(search(&with, admission), search(&without, Admission::All), word_count)
        };
        stages.end("words");
        let mut found = HitLists {
            words: word_list.head,
            word_total: word_list.total,
            admission,
            vectors: vectors.hits,
            pictures,
            approximate: vectors.approximate,
        };
        let fits = query.asked.as_ref().and_then(|asked| asked.fits(derived, allowed));
        let mut field = Field {
            tx,
            derived,
            words,
            similarities,
            fits,
            codes: codes(words, &query.terms),
            evidence: HashMap::new(),
            beside: Beside::of(derived, allowed),
            coverages: HashMap::new(),
            similarities_around: HashMap::new(),
            picture_shares: HashMap::new(),
        };
        let mut list = match (options.ranking, options.by_time) {
            (Ranking::Best, None) => {
                let matching = wants_all.then(|| found.slots().collect());
                found.words.truncate(count);
                field.ranked(query, found, matching, options.n)?
            }
            (Ranking::Best, Some(order)) => field.dated(query, found, order, options)?,
            (Ranking::Rrf, _) => field.fused(found, wants_all),
        };
        list.positions = words.positions().to_vec();
        relevant::judge(&mut list.listed, field.codes);
        stages.end("ranking");
        Ok(list)
    }

    /// One row of each in turn, this list's first; when one has ended, the rest of the other. No row
    /// may be in both.
    fn interleaved(self, other: Self) -> Self {
        let mut listed = Vec::with_capacity(self.listed.len() + other.listed.len());
        let mut rows = [self.listed.into_iter(), other.listed.into_iter()];
        loop {
            let count = listed.len();
            for list in &mut rows {
                listed.extend(list.next());
            }
            if listed.len() == count {
                break;
            }
        }
        let matching = match (self.matching, other.matching) {
            (Some(mut matching), Some(more)) => {
                matching.union_with(&more);
                Some(matching)
            }
            _ => None,
        };
        Self {
            listed,
            total: self.total + other.total,
            matching,
            words_empty: self.words_empty && other.words_empty,
            vectors_empty: self.vectors_empty && other.vectors_empty,
            picture_count: self.picture_count + other.picture_count,
            approximate: self.approximate || other.approximate,
            // Both are of the same words.
            positions: self.positions,
        }
    }
}

/// One list of two; no row is in both.
fn joined(mut list: WordList, other: WordList, count: usize) -> WordList {
    list.head.extend(other.head);
    list.head.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(a.slot.cmp(&b.slot)));
    list.head.truncate(count);
    list.total += other.total;
    list
}

/// What is known of the rows that may be answered.
struct Field<'a, 'w, 's, 't> {
    tx: &'a ReadTx<'a>,
    derived: &'a Derived,
    words: &'a WordQuery<'w>,
    similarities: &'s mut Similarities<'t>,
    /// How well events fit what is asked of them.
    fits: Option<Fits<'a>>,
    /// The query's numbers and part numbers.
    codes: u64,
    evidence: HashMap<Slot, Evidence>,
    /// The rows beside them.
    beside: Beside<'a>,
    /// What they cover of the query together with the rows beside them, where that was computed.
    coverages: HashMap<Slot, f64>,
    /// The mean of their cosines and those beside them, where that was computed.
    similarities_around: HashMap<Slot, f64>,
    /// How sure it is that their pictures show what is asked for, where it may be.
    picture_shares: HashMap<Slot, f64>,
}

impl Field<'_, '_, '_, '_> {
    /// The default: the rows of all lists, those beside the ones with the best words, and those beside the
    /// best of all, by what is known of each. `matching` are the rows of all lists when all are to be known, of which the
    /// word list then has only the head.
    fn ranked(
        &mut self,
        query: &Query,
        found: HitLists,
        mut matching: Option<Bitset>,
        n: usize,
    ) -> Result<List> {
        let mut slots = self.take_in(&found)?;
        let codes = self.codes;
        let drawn_in = self.draw_in(&found, &slots, search::list_len(Ranking::Best, n));
        self.gather(&drawn_in)?;
        slots.extend(&drawn_in);
        slots.sort_unstable();
        self.cover(&slots);
        self.look_around(&slots)?;
        let mut contenders: Vec<Contender> =
            slots.iter().map(|slot| self.contender(query, *slot)).collect();
        // A row beside a good one may be what was asked for.
        let first = rank(&contenders, codes);
        let best = first.iter().take(NEIGHBORHOODS);
        let mut beside: BTreeSet<Slot> =
            best.flat_map(|row| contenders[row.contender].neighbors).flatten().collect();
        // So may an event whose words say little of what it is asked by.
        beside.extend(self.fits.iter().flat_map(|fits| &fits.leaders));
        let unlisted: Vec<Slot> =
            beside.into_iter().filter(|slot| slots.binary_search(slot).is_err()).collect();
        self.gather(&unlisted)?;
        self.cover(&unlisted);
        self.look_around(&unlisted)?;
        let others = drawn_in.iter().chain(&unlisted).copied();
        let wordless: BTreeSet<Slot> = found.compared().chain(others.clone()).collect();
        let total = found.word_total + self.beside_words(found.admission, wordless.into_iter());
        if let Some(matching) = &mut matching {
            others.for_each(|slot| matching.insert(slot));
        }
        contenders.extend(unlisted.iter().map(|slot| self.contender(query, *slot)));
        let is_count = |row: &Contender| self.is_count(query, row);
        let looked_at = (&mut contenders[..], codes);
        best_texts::look(self.tx, self.derived, query, looked_at, n, is_count)?;
        Ok(found.list(listed(&contenders, codes, &found), total, matching))
    }

    /// Whether a row tells at once how often it was, of what is asked.
    fn is_count(&self, query: &Query, row: &Contender) -> bool {
        let Evidence { similarity, words } = row.evidence;
        // What it is about is looked at later, when the query says of what.
        let may_be_of_it = !query.objects.is_empty()
            || similarity.is_some_and(|it| it >= COUNT_SIMILARITY_MIN)
            || words.is_some_and(|words| words.coverage >= COVERAGE_MIN);
        query.asks_how_often
            && may_be_of_it
            && words.is_some_and(|words| words.matched & self.codes == self.codes)
            && self.derived.rows.facts(row.slot).is_some_and(|facts| {
                facts.kind == Kind::Summary && facts.mem_type == MemType::Knowledge
            })
    }

    /// The documented plain fusion. `all`: every row that matches is to be known.
    fn fused(&self, found: HitLists, all: bool) -> List {
        let weight = |slot| {
            let (source, trust) = search::weights(self.derived, slot);
            source * trust
        };
        let fused = fuse(&found.words, &found.vectors, &found.pictures, weight);
        // A row of another list may have words and lie beyond the head of the word list.
        let slots: BTreeSet<Slot> = found.compared().collect();
        let slots: Vec<Slot> = slots.into_iter().collect();
        let features = self.words.features(|slot| self.derived.rows.word_count(slot), &slots);
        let wordless = features.iter().filter(|words| words.is_none()).count();
        let matching = all.then(|| fused.iter().map(|fused| fused.slot).collect());
        let listed = fused.into_iter().map(|fused| Listed {
            slot: fused.slot,
            score: fused.score,
            word_rank: fused.word_rank,
            vector_rank: fused.vector_rank,
            picture_rank: fused.picture_rank,
            words: fused.word,
            similarity: fused.similarity,
            parts: None,
            relevance: 0.0,
            similar_count: 0,
        });
        found.list(listed.collect(), found.word_total + wordless as u64, matching)
    }

    /// The rows of all lists in order of time; only those that are shown are ranked.
    fn dated(
        &mut self,
        query: &Query,
        found: HitLists,
        order: Order,
        ListOptions { n, nth_of_each, .. }: ListOptions,
    ) -> Result<List> {
        let matching: Bitset = found.slots().collect();
        let mut shown = match nth_of_each {
            Some(nth_of_each) => nth_of_each.of(self.derived, &matching)?,
            None => search::by_time(self.derived, &matching, order, n),
        };
        shown.truncate(n);
        for hit in found.words.iter().filter(|hit| shown.contains(&hit.slot)) {
            self.evidence.insert(hit.slot, Evidence { similarity: None, words: Some(*hit) });
        }
        self.gather(&shown)?;
        self.beside = Beside::nothing(self.derived);
        let contenders: Vec<Contender> =
            shown.iter().map(|slot| self.contender(query, *slot)).collect();
        let listed = listed(&contenders, self.codes, &found);
        Ok(found.list(listed, matching.count(), Some(matching)))
    }

    /// Gathers what is known of the rows of all lists; answers their slots, ascending.
    fn take_in(&mut self, found: &HitLists) -> Result<Vec<Slot>> {
        for hit in &found.words {
            self.evidence.insert(hit.slot, Evidence { similarity: None, words: Some(*hit) });
        }
        let mut slots: Vec<Slot> = found.slots().collect();
        slots.sort_unstable();
        slots.dedup();
        self.gather(&slots)?;
        Ok(slots)
    }

    /// How many of these rows have too few of the words to be counted among those that have them.
    fn beside_words(&self, admission: Admission, slots: impl Iterator<Item = Slot>) -> u64 {
        let has_words = |slot| {
            let known = self.known(slot).unwrap_or_default();
            known.words.is_some_and(|words| match admission {
                Admission::All => true,
                Admission::CoverageAtLeast(min) => {
                    words.coverage >= min || known.similarity.is_none()
                }
            })
        };
        slots.filter(|slot| !has_words(*slot)).count() as u64
    }

    /// Completes what is known of these rows.
    fn gather(&mut self, slots: &[Slot]) -> Result<()> {
        let without_words: Vec<Slot> = slots
            .iter()
            .copied()
            .filter(|slot| self.evidence.get(slot).is_none_or(|known| known.words.is_none()))
            .collect();
        let lengths = |slot| self.derived.rows.word_count(slot);
        let features = self.words.features(lengths, &without_words);
        for (slot, words) in without_words.into_iter().zip(features) {
            self.evidence.entry(slot).or_default().words = words;
        }
        for slot in slots {
            let similarity = self.similarities.of(*slot)?;
            self.evidence.entry(*slot).or_default().similarity = similarity;
            let share = self.similarities.pictures.share(*slot)?;
            if share > 0.0 {
                self.picture_shares.insert(*slot, share);
            }
        }
        Ok(())
    }

    /// Of the rows beside those of the word list, which are not in a list themselves, the `count` that cover
    /// most of the query together with what stands beside them; ascending.
    fn draw_in(&mut self, found: &HitLists, listed: &[Slot], count: usize) -> Vec<Slot> {
        let beside = found.words.iter().flat_map(|hit| self.beside.rows(hit.slot)).flatten();
        let mut slots: Vec<Slot> = beside.collect();
        slots.sort_unstable();
        slots.dedup();
        slots.retain(|slot| listed.binary_search(slot).is_err());
        self.cover(&slots);
        let coverage = |slot: &Slot| self.coverages.get(slot).copied().unwrap_or_default();
        slots.retain(|slot| coverage(slot) >= COVERAGE_MIN);
        slots.sort_by(|a, b| coverage(b).total_cmp(&coverage(a)).then(a.cmp(b)));
        slots.truncate(count);
        slots.sort_unstable();
        slots
    }

    /// Computes what rows cover of the query together with the rows beside them.
    fn cover(&mut self, slots: &[Slot]) {
        let coverages = self.words.coverage_in_context(slots, |slot| self.beside.weighed(slot));
        self.coverages.extend(slots.iter().copied().zip(coverages));
    }

    /// Computes the mean similarity of rows whose own is known and of the rows beside them.
    fn look_around(&mut self, slots: &[Slot]) -> Result<()> {
        let own = |slot: &Slot| Some((*slot, f64::from(self.evidence.get(slot)?.similarity?)));
        let own: Vec<(Slot, f64)> = slots.iter().filter_map(own).collect();
        let around: Vec<_> = own.iter().map(|(slot, _)| self.beside.weighed(*slot)).collect();
        let mut others: Vec<Slot> = around.iter().flatten().map(|(slot, _)| *slot).collect();
        others.sort_unstable();
        others.dedup();
        let similarities = self.similarities.estimates(&others)?;
        for ((slot, own), around) in own.into_iter().zip(around) {
            let similar = around.into_iter().filter_map(|(slot, weight)| {
                let at = others.binary_search(&slot).ok()?;
                Some((f64::from(similarities[at]?), weight))
            });
            self.similarities_around.insert(slot, mean_around(own, similar));
        }
        Ok(())
    }

    fn known(&self, slot: Slot) -> Option<Evidence> {
        self.evidence.get(&slot).copied()
    }

    fn contender(&self, query: &Query, slot: Slot) -> Contender {
        let (source, trust) = search::weights(self.derived, slot);
        let created_at = self.derived.rows.created_at(slot);
        let evidence = self.known(slot).unwrap_or_default();
        let own_coverage = evidence.words.map_or(0.0, |words| words.coverage);
        let mut contender = Contender {
            slot,
            evidence,
            coverage: self.coverages.get(&slot).copied().unwrap_or(own_coverage),
            neighbors: self.beside.rows(slot),
            similarity_around: self.similarities_around.get(&slot).copied(),
            is_of_other: false,
            is_reply: false,
            weight: source * trust,
            asked_gain: self.fits.as_ref().map_or(0.0, |fits| fits.gain(slot)),
            picture_share: self.picture_shares.get(&slot).copied().unwrap_or_default(),
            created_at: created_at.unwrap_or_default(),
        };
        if self.is_count(query, &contender) {
            contender.weight *= COUNT_WEIGHT;
        }
        contender
    }
}

/// The contenders, ranked, with their places in the lists.
fn listed(contenders: &[Contender], codes: u64, found: &HitLists) -> Vec<Listed> {
    let word_ranks: HashMap<Slot, u32> = found.words.iter().map(|hit| hit.slot).zip(1..).collect();
    let ranks = |hits: &[VectorHit]| -> HashMap<Slot, u32> {
        hits.iter().map(|hit| hit.slot).zip(1..).collect()
    };
    let (vector_ranks, picture_ranks) = (ranks(&found.vectors), ranks(&found.pictures));
    rank(contenders, codes)
        .into_iter()
        .map(|ranked| {
            let Contender { slot, evidence, .. } = contenders[ranked.contender];
            Listed {
                slot,
                score: ranked.score,
                word_rank: word_ranks.get(&slot).copied(),
                vector_rank: vector_ranks.get(&slot).copied(),
                picture_rank: picture_ranks.get(&slot).copied(),
                words: evidence.words,
                similarity: evidence.similarity,
                parts: Some(ranked.parts),
                relevance: 0.0,
                similar_count: 0,
            }
        })
        .collect()
}

/// The terms with a digit in them, numbers and part numbers, as bits of [`WordHit::matched`].
fn codes(words: &WordQuery<'_>, terms: &[QueryTerm]) -> u64 {
    let has_digit = |place: usize| {
        terms.get(place).is_some_and(|term| term.words.contains(|c: char| c.is_numeric()))
    };
    let bits = words.positions().iter().enumerate();
    bits.map(|(bit, place)| u64::from(has_digit(*place)) << bit).sum()
}
