use super::{SLACK, WordHit, few, idf, saturated, walk};
use crate::{Bitset, PostingList, Postings, Slot};
use robot_memory_core::limits::QUERY_TOKENS_MAX;
use std::collections::BTreeMap;

/// One thing that a query asks for, in one or more ways to say it.
#[derive(Debug, Clone, PartialEq)]
pub struct Term<'a> {
    /// How much it counts beside the other terms: above 0, 1.0 for an ordinary word.
    pub weight: f64,
    /// The ways to say it.
    pub alternatives: Vec<Alternative<'a>>,
}

/// One way to say a [`Term`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Alternative<'a> {
    /// A memory says it in this way when it has all of these tokens; one at least.
    pub tokens: &'a [String],
    /// How much it counts beside the term's own words: above 0, at most 1.
    pub weight: f64,
    /// Whether it is said by a name, and not by the text. Then it is as rare as the term is in texts, whatever
    /// many memories have that name.
    pub is_name: bool,
}

/// What is known of all memories together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Corpus {
    /// How many there are.
    pub document_count: u64,
    /// How many tokens they have in the mean; lengths do not count when it is not above 0.
    pub mean_length: f64,
}

/// Which memories a search by words answers, of those that have any of the terms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Admission {
    /// All.
    All,
    /// Those with at least this [coverage](WordHit::coverage), 0 to 1.
    CoverageAtLeast(f64),
}

/// The best of the memories that a search by words answers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct WordList {
    /// The highest scores, best first, of equals the lower slot first.
    pub head: Vec<WordHit>,
    /// How many memories were admitted in all.
    pub total: u64,
}

/// The terms of a query with their postings and weights.
///
/// A memory's score is the sum over the terms of `weight * max(alternative weight * BM25)`, the
/// maximum being that of the alternatives which the memory has. An alternative of several tokens
/// occurs as often as the one of them that occurs least, and is as rare as the rarest.
///
/// Its coverage is the sum over the terms of `c * max(alternative weight)`, by the sum of all `c`. The
/// `c` of a term is its weight times the [`idf`] of its most common alternative in texts: what a term tells goes
/// by how many memories say it in any way. A term that no memory has counts too.
#[derive(Debug)]
pub struct WordQuery<'a> {
    pub(super) lists: Vec<PostingList<'a>>,
    /// What tells most first: sums are added in this order.
    pub(super) terms: Vec<Weighed>,
    pub(super) coverage_of_all: f64,
    mean_length: f64,
    positions: Vec<usize>,
}

#[derive(Debug)]
pub(super) struct Weighed {
    pub bit: u64,
    pub coverage: f64,
    /// Those that some memory may have, the weightiest first.
    pub alternatives: Vec<WeighedAlternative>,
}

#[derive(Debug)]
pub(super) struct WeighedAlternative {
    /// Places of its tokens' lists, the shortest first; one at least.
    pub lists: Vec<usize>,
    pub share: f64,
    /// Of the score, before saturation.
    pub score: f64,
}

impl<'a> WordQuery<'a> {
    /// Looks up the terms. Of more than [`QUERY_TOKENS_MAX`] the rarest are kept.
    pub fn new(terms: &[Term<'_>], source: &'a impl Postings, corpus: Corpus) -> Self {
        let mut lists: Vec<PostingList<'a>> = Vec::new();
        let mut places: BTreeMap<&str, usize> = BTreeMap::new();
        for token in terms.iter().flat_map(|term| &term.alternatives).flat_map(|a| a.tokens) {
            places.entry(token).or_insert_with(|| {
                lists.push(source.postings(token));
                lists.len() - 1
            });
        }
        let mut found: Vec<PresentTerm> = terms
            .iter()
            .enumerate()
            .map(|(position, term)| find(position, term, &places, &lists))
            .collect();
        if found.len() > QUERY_TOKENS_MAX {
            // The rarest tell most; those that no memory has find nothing.
            found.sort_by_key(|found| (found.df == 0, found.df, found.position));
            found.truncate(QUERY_TOKENS_MAX);
            found.sort_by_key(|found| found.position);
        }
        let positions = found.iter().map(|found| found.position).collect();
        let mut weighed: Vec<Weighed> = found
            .into_iter()
            .enumerate()
            .map(|(index, found)| found.weighed(1 << index, terms, &lists, corpus))
            .collect();
        weighed.sort_by(|a, b| b.coverage.total_cmp(&a.coverage).then(a.bit.cmp(&b.bit)));
        let coverage_of_all = weighed.iter().map(|term| term.coverage).sum();
        Self { lists, terms: weighed, coverage_of_all, mean_length: corpus.mean_length, positions }
    }

    /// The position among the terms that were given, of each bit of [`WordHit::matched`].
    pub fn positions(&self) -> &[usize] {
        &self.positions
    }

    /// The best `count` of the admitted memories in `admit`, and how many there are in all.
    ///
    /// Exact: a memory that has none of the terms which it must have one of to be admitted is not
    /// looked at, and one whose score cannot reach the head is not scored, but none is missed.
    /// What `lengths` makes answers how many tokens a memory has, to one thread.
    pub fn search<L: Fn(Slot) -> u32 + Send>(
        &self,
        admit: &Bitset,
        lengths: impl Fn() -> L + Sync,
        admission: Admission,
        count: usize,
    ) -> WordList {
        if few::are_few(admit) {
            self.look_up(admit, lengths(), admission, count)
        } else {
            self.walk(admit, lengths, admission, count)
        }
    }

    /// The search by a walk over the postings.
    pub(super) fn walk<L: Fn(Slot) -> u32 + Send>(
        &self,
        admit: &Bitset,
        lengths: impl Fn() -> L + Sync,
        admission: Admission,
        count: usize,
    ) -> WordList {
        match self.coverage_min(admission) {
            Some(coverage_min) => walk::walk(self, admit, lengths, coverage_min, count),
            None => WordList::default(),
        }
    }

    /// What the terms make of some memories; `None` for one that has none of them.
    pub fn features(&self, lengths: impl Fn(Slot) -> u32, slots: &[Slot]) -> Vec<Option<WordHit>> {
        if slots.is_sorted() {
            return self.features_of_ascending(lengths, slots);
        }
        slots
            .iter()
            .map(|&slot| self.hit(slot, lengths(slot), |list| self.lists[list].frequency(slot)))
            .collect()
    }

    /// Scores a memory by how often it has the token of each list.
    pub(super) fn hit(
        &self,
        slot: Slot,
        length: u32,
        frequency: impl Fn(usize) -> u32,
    ) -> Option<WordHit> {
        let relative_length = self.relative_length(length);
        let mut hit = WordHit { slot, score: 0.0, coverage: 0.0, matched: 0 };
        // Without saturation, while nothing occurs more than once.
        let mut once = Some(0.0);
        for term in &self.terms {
            let (mut score, mut score_once, mut share) = (0.0_f64, 0.0_f64, 0.0_f64);
            for alternative in &term.alternatives {
                let least = alternative.lists.iter().map(|&list| frequency(list)).min();
                let Some(least @ 1..) = least else { continue };
                score = score.max(alternative.score * saturated(least, relative_length));
                score_once = score_once.max(alternative.score);
                share = share.max(alternative.share);
                once = once.filter(|_| least == 1);
            }
            if share > 0.0 {
                hit.score += score;
                once = once.map(|once| once + score_once);
                hit.coverage += term.coverage * share;
                hit.matched |= term.bit;
            }
        }
        // The same but for rounding; a class of memories shares it, see the walk.
        if let Some(once) = once {
            hit.score = once * saturated(1, relative_length);
        }
        hit.coverage = (hit.coverage / self.coverage_of_all).min(1.0);
        (hit.matched != 0).then_some(hit)
    }

    /// The terms of which an admitted memory has one at least, and the others. The first are those with
    /// the fewest postings.
    pub(super) fn parted(&self, coverage_min: f64) -> (Vec<&Weighed>, Vec<&Weighed>) {
        let mut terms: Vec<&Weighed> =
            self.terms.iter().filter(|term| !term.alternatives.is_empty()).collect();
        let postings = |term: &Weighed| -> u64 {
            term.alternatives.iter().map(|a| self.lists[a.lists[0]].df()).sum()
        };
        terms.sort_by_key(|term| (postings(term), term.bit));
        let attainable = |term: &Weighed| term.coverage * term.alternatives[0].share;
        let mut rest: f64 = terms.iter().map(|term| attainable(term)).sum();
        if rest < coverage_min * (1.0 - SLACK) {
            return (Vec::new(), Vec::new());
        }
        let mut leading = 0;
        while leading < terms.len() && (coverage_min <= 0.0 || rest >= coverage_min * (1.0 - SLACK))
        {
            rest -= attainable(terms[leading]);
            leading += 1;
        }
        let following = terms.split_off(leading);
        (terms, following)
    }

    /// A length beside the mean.
    pub(super) fn relative_length(&self, length: u32) -> f64 {
        if self.mean_length > 0.0 { f64::from(length) / self.mean_length } else { 1.0 }
    }

    /// The least covered weight with which a memory is admitted, such that comparing with it says the
    /// same as comparing the coverage. `None` when none is.
    pub(super) fn coverage_min(&self, admission: Admission) -> Option<f64> {
        let share = match admission {
            Admission::All => return Some(0.0),
            Admission::CoverageAtLeast(share) if share <= 1.0 => share,
            Admission::CoverageAtLeast(_) => return None,
        };
        if share <= 0.0 || self.coverage_of_all <= 0.0 {
            return Some(0.0);
        }
        let admits = |covered: f64| (covered / self.coverage_of_all).min(1.0) >= share;
        let mut least = share * self.coverage_of_all;
        while least > 0.0 && admits(least.next_down()) {
            least = least.next_down();
        }
        while !admits(least) {
            least = least.next_up();
        }
        Some(least)
    }
}

/// A term with the alternatives that some memory may have.
struct PresentTerm {
    position: usize,
    /// Of the most common alternative of texts; of names where no text has one.
    df: u64,
    /// Position, and the lists of its tokens, the shortest first.
    alternatives: Vec<(usize, Vec<usize>)>,
}

fn find(
    position: usize,
    term: &Term<'_>,
    places: &BTreeMap<&str, usize>,
    lists: &[PostingList<'_>],
) -> PresentTerm {
    let mut alternatives = Vec::with_capacity(term.alternatives.len());
    let (mut df, mut df_of_names) = (0, 0);
    for (index, alternative) in term.alternatives.iter().enumerate() {
        let mut own: Vec<usize> =
            alternative.tokens.iter().filter_map(|token| places.get(&**token).copied()).collect();
        own.sort_unstable();
        own.dedup();
        own.sort_by_key(|&list| lists[list].df());
        let rarest = own.first().map_or(0, |&list| lists[list].df());
        if rarest > 0 {
            let most = if alternative.is_name { &mut df_of_names } else { &mut df };
            *most = rarest.max(*most);
            alternatives.push((index, own));
        }
    }
    PresentTerm { position, df: if df > 0 { df } else { df_of_names }, alternatives }
}

impl PresentTerm {
    fn weighed(
        self,
        bit: u64,
        terms: &[Term<'_>],
        lists: &[PostingList<'_>],
        corpus: Corpus,
    ) -> Weighed {
        let term = &terms[self.position];
        let mut alternatives: Vec<WeighedAlternative> = self
            .alternatives
            .into_iter()
            .map(|(index, own)| {
                let Alternative { weight: share, is_name, .. } = term.alternatives[index];
                let df = if is_name { self.df } else { lists[own[0]].df() };
                let idf = idf(corpus.document_count, df);
                WeighedAlternative { lists: own, share, score: term.weight * share * idf }
            })
            .collect();
        alternatives.sort_by(|a, b| b.share.total_cmp(&a.share));
        let coverage = term.weight * idf(corpus.document_count, self.df);
        Weighed { bit, coverage, alternatives }
    }
}
