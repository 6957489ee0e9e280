//! The walk over the postings: window by window, 64 memories at a time.
//!
//! A memory is admitted only if what it has of the query weighs enough. So the terms are parted: the
//! cheap ones, of which it must have one, name the memories to look at (the prefix filter of Chaudhuri,
//! Ganti, Kaushik 2006), the others are only looked up. Within a word of 64 memories, these are split by
//! which terms they have. A class of memories that have the same terms is counted as one; and left at
//! that when the best score that it could have is not above the worst of the head (MaxScore: Turtle and
//! Flood 1995), which is what keeps a query of common words cheap.

use super::query::{Weighed, WeighedAlternative, WordList, WordQuery};
use super::{WordHit, saturated};
use crate::index::{Bitset, Cursor, FREQUENCY_MAX, Slot, WINDOW_SLOTS, WINDOW_WORDS, Window};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Bounds are raised, and what must be reached lowered, by more than sums can be rounded.
const SLACK: f64 = 1e-9;
/// Lengths whose saturation is computed once.
const LENGTHS_KNOWN: usize = 256;
/// No memory with a token is shorter.
const LENGTH_MIN: u32 = 1;

/// A search under way.
pub(super) struct Walk<'q, 'a, L> {
    query: &'q WordQuery<'a>,
    admit: &'q [u64],
    lengths: L,
    coverage_min: f64,
    cursors: Vec<Cursor<'a>>,
    /// By list, in the present window.
    present: Vec<Window>,
    /// Memories of the present window that have some token more than once.
    frequent: Window,
    levels: Levels,
    head: Head,
    total: u64,
    /// By length, of a single occurrence.
    once: Vec<f64>,
}

/// The terms that some memory of the present window has, each at one or more levels: what a memory
/// gets for the alternatives of the term that it has.
#[derive(Default)]
struct Levels {
    levels: Vec<Level>,
    /// Where the levels of a term begin in `levels`, and what all terms from it on may add; one more
    /// than there are terms.
    terms: Vec<Begin>,
}

struct Level {
    /// No memory is at two levels of a term.
    present: Window,
    share: f64,
    coverage: f64,
    /// What the term adds to a score, before saturation.
    score: f64,
}

#[derive(Clone, Copy)]
struct Begin {
    level: usize,
    coverage: f64,
    score: f64,
}

/// Memories of one word that have the same of the first terms.
#[derive(Clone, Copy)]
struct Class {
    word: usize,
    slots: u64,
    term: usize,
    coverage: f64,
    score: f64,
    /// No member's saturation is higher.
    saturation_max: f64,
}

impl<'q, 'a, L: Fn(Slot) -> u32> Walk<'q, 'a, L> {
    pub(super) fn new(
        query: &'q WordQuery<'a>,
        admit: &'q Bitset,
        lengths: L,
        coverage_min: f64,
        count: usize,
    ) -> Self {
        let once = (0..LENGTHS_KNOWN as u32)
            .map(|length| saturated(1, query.relative_length(length)))
            .collect();
        Self {
            query,
            admit: admit.words(),
            lengths,
            coverage_min,
            cursors: query.lists.iter().map(|list| Cursor::new(*list)).collect(),
            present: vec![[0; WINDOW_WORDS]; query.lists.len()],
            frequent: [0; WINDOW_WORDS],
            levels: Levels::default(),
            head: Head { count, kept: BinaryHeap::new(), settled: f64::NEG_INFINITY },
            total: 0,
            once,
        }
    }

    pub(super) fn finish(mut self) -> WordList {
        let query = self.query;
        let (leading, following) = self.parted();
        let following_lists = lists_of(&following, &leading);
        let leading_lists = lists_of(&leading, &[]);
        let mut window = 0;
        while let Some(next) = self.next_window(&leading, window) {
            window = next + 1;
            let begin = next * WINDOW_WORDS;
            let Some(admit) = self.admit.get(begin..) else { break };
            self.frequent = [0; WINDOW_WORDS];
            for &list in &leading_lists {
                self.cursors[list].read(next, &mut self.present[list], &mut self.frequent);
            }
            let mut candidates = [0; WINDOW_WORDS];
            for alternative in leading.iter().flat_map(|term| &term.alternatives) {
                add_intersection(&alternative.lists, &self.present, &mut candidates);
            }
            let mut any = 0;
            for (word, candidates) in candidates.iter_mut().enumerate() {
                *candidates &= admit.get(word).copied().unwrap_or(0);
                any |= *candidates;
            }
            if any == 0 {
                continue;
            }
            for &list in &following_lists {
                self.cursors[list].read(next, &mut self.present[list], &mut self.frequent);
            }
            self.levels.fill(&query.terms, &self.present);
            self.take(next, &candidates);
        }
        WordList { head: self.head.into_best_first(), total: self.total }
    }

    /// The terms of which an admitted memory has one at least, and the others. The first are those with
    /// the fewest postings.
    fn parted(&self) -> (Vec<&'q Weighed>, Vec<&'q Weighed>) {
        let mut terms: Vec<&Weighed> =
            self.query.terms.iter().filter(|term| !term.alternatives.is_empty()).collect();
        let postings = |term: &Weighed| -> u64 {
            term.alternatives.iter().map(|a| self.query.lists[a.lists[0]].df()).sum()
        };
        terms.sort_by_key(|term| (postings(term), term.bit));
        let attainable = |term: &Weighed| term.coverage * term.alternatives[0].share;
        let mut rest: f64 = terms.iter().map(|term| attainable(term)).sum();
        if rest < self.coverage_min * (1.0 - SLACK) {
            return (Vec::new(), Vec::new());
        }
        let mut leading = 0;
        while leading < terms.len()
            && (self.coverage_min <= 0.0 || rest >= self.coverage_min * (1.0 - SLACK))
        {
            rest -= attainable(terms[leading]);
            leading += 1;
        }
        let following = terms.split_off(leading);
        (terms, following)
    }

    fn next_window(&self, leading: &[&Weighed], window: usize) -> Option<usize> {
        let of_alternative = |lists: &[usize]| {
            let next = |list: &usize| self.cursors[*list].next_window(window);
            lists.iter().map(next).try_fold(0, |last, next| Some(last.max(next?)))
        };
        let alternatives = leading.iter().flat_map(|term| &term.alternatives);
        alternatives.filter_map(|alternative| of_alternative(&alternative.lists)).min()
    }

    /// Counts the candidates of the present window that are admitted, and offers to the head those
    /// that may belong there.
    fn take(&mut self, window: usize, candidates: &Window) {
        let once_max = self.once[LENGTH_MIN as usize];
        let often_max = saturated(FREQUENCY_MAX, self.query.relative_length(LENGTH_MIN));
        for (word, &candidates) in candidates.iter().enumerate() {
            let often = candidates & self.frequent[word];
            self.head.settle();
            for (slots, saturation_max) in [(candidates & !often, once_max), (often, often_max)] {
                if slots != 0 {
                    let class =
                        Class { word, slots, term: 0, coverage: 0.0, score: 0.0, saturation_max };
                    self.split(window, class);
                }
            }
        }
    }

    fn split(&mut self, window: usize, mut class: Class) {
        let begin = self.levels.terms[class.term];
        let is_admitted = class.coverage >= self.coverage_min;
        if !is_admitted && class.coverage + begin.coverage < self.coverage_min * (1.0 - SLACK) {
            return;
        }
        let best = (class.score + begin.score) * class.saturation_max * (1.0 + SLACK);
        if is_admitted && self.head.rules_out(best) {
            self.total += u64::from(class.slots.count_ones());
            return;
        }
        let Some(end) = self.levels.terms.get(class.term + 1) else {
            if is_admitted {
                self.total += u64::from(class.slots.count_ones());
                self.offer(window, class);
            }
            return;
        };
        for level in begin.level..end.level {
            let level = &self.levels.levels[level];
            let slots = class.slots & level.present[class.word];
            if slots != 0 {
                class.slots &= !slots;
                let part = Class {
                    slots,
                    term: class.term + 1,
                    coverage: class.coverage + level.coverage,
                    score: class.score + level.score,
                    ..class
                };
                self.split(window, part);
            }
        }
        if class.slots != 0 {
            class.term += 1;
            self.split(window, class);
        }
    }

    /// Scores those of a class that may belong into the head.
    fn offer(&mut self, window: usize, class: Class) {
        let word = class.word;
        let is_often = class.slots & self.frequent[word] != 0;
        let first = window * WINDOW_SLOTS + word * u64::BITS as usize;
        let mut rest = class.slots;
        while rest != 0 {
            let bit = rest.trailing_zeros();
            rest &= rest - 1;
            let slot = first as Slot + bit;
            let length = (self.lengths)(slot);
            // Exactly the score when nothing occurs more than once, else no less.
            let score_max = if is_often {
                let relative_length = self.query.relative_length(length);
                class.score * saturated(FREQUENCY_MAX, relative_length) * (1.0 + SLACK)
            } else {
                class.score * self.saturated_once(length)
            };
            if self.head.rules_out(score_max) {
                continue;
            }
            let hit =
                self.query.hit(slot, length, |list| match self.present[list][word] >> bit & 1 {
                    0 => 0,
                    _ if is_often => self.cursors[list].frequency(slot),
                    _ => 1,
                });
            if let Some(hit) = hit {
                self.head.offer(hit);
            }
        }
    }

    fn saturated_once(&self, length: u32) -> f64 {
        match self.once.get(length as usize) {
            Some(once) => *once,
            None => saturated(1, self.query.relative_length(length)),
        }
    }
}

/// The lists of some terms that are not lists of others.
fn lists_of(terms: &[&Weighed], others: &[&Weighed]) -> Vec<usize> {
    let lists = |terms: &[&Weighed]| -> Vec<usize> {
        let alternatives = terms.iter().flat_map(|term| &term.alternatives);
        let mut lists: Vec<usize> = alternatives.flat_map(|a| a.lists.iter().copied()).collect();
        lists.sort_unstable();
        lists.dedup();
        lists
    };
    let others = lists(others);
    lists(terms).into_iter().filter(|list| others.binary_search(list).is_err()).collect()
}

/// Adds the slots that all of the lists have.
fn add_intersection(lists: &[usize], present: &[Window], to: &mut Window) {
    match lists {
        [] => {}
        [one] => {
            for (to, word) in to.iter_mut().zip(&present[*one]) {
                *to |= word;
            }
        }
        [first, rest @ ..] => {
            let mut both = present[*first];
            for list in rest {
                for (both, word) in both.iter_mut().zip(&present[*list]) {
                    *both &= word;
                }
            }
            for (to, word) in to.iter_mut().zip(&both) {
                *to |= word;
            }
        }
    }
}

impl Levels {
    fn fill(&mut self, terms: &[Weighed], present: &[Window]) {
        self.levels.clear();
        self.terms.clear();
        for term in terms {
            let begin = self.levels.len();
            for alternative in &term.alternatives {
                let mut own = [0; WINDOW_WORDS];
                add_intersection(&alternative.lists, present, &mut own);
                self.add(begin, term, alternative, own);
            }
            let of_term = &self.levels[begin..];
            if !of_term.is_empty() {
                let coverage = of_term.iter().map(|level| level.coverage).fold(0.0, f64::max);
                let score = of_term.iter().map(|level| level.score).fold(0.0, f64::max);
                self.terms.push(Begin { level: begin, coverage, score });
            }
        }
        self.terms.push(Begin { level: self.levels.len(), coverage: 0.0, score: 0.0 });
        for term in (0..self.terms.len() - 1).rev() {
            let after = self.terms[term + 1];
            self.terms[term].coverage += after.coverage;
            self.terms[term].score += after.score;
        }
    }

    /// Adds the memories of one more alternative, no weightier than those before: those of earlier
    /// levels (the term's begin at `begin`) go up when it scores higher, the rest gets a new one.
    fn add(
        &mut self,
        begin: usize,
        term: &Weighed,
        alternative: &WeighedAlternative,
        mut own: Window,
    ) {
        for index in begin..self.levels.len() {
            let level = &mut self.levels[index];
            let rises = alternative.score > level.score;
            let mut both = [0; WINDOW_WORDS];
            let mut any = 0;
            for ((own, both), word) in own.iter_mut().zip(&mut both).zip(&mut level.present) {
                *both = *own & *word;
                *own &= !*both;
                any |= *both;
                if rises {
                    *word &= !*both;
                }
            }
            if rises && any != 0 {
                let (share, coverage) = (level.share, level.coverage);
                let score = alternative.score;
                self.levels.push(Level { present: both, share, coverage, score });
            }
        }
        if own.iter().any(|&word| word != 0) {
            let same = self.levels[begin..]
                .iter_mut()
                .find(|level| level.share == alternative.share && level.score == alternative.score);
            match same {
                Some(level) => {
                    for (word, own) in level.present.iter_mut().zip(&own) {
                        *word |= own;
                    }
                }
                None => self.levels.push(Level {
                    present: own,
                    share: alternative.share,
                    coverage: term.coverage * alternative.share,
                    score: alternative.score,
                }),
            }
        }
    }
}

/// The best hits so far, of equals the lower slots.
struct Head {
    count: usize,
    /// The worst that is kept is on top.
    kept: BinaryHeap<Kept>,
    /// The worst when the present word was begun: all that is kept then is of lower slots.
    settled: f64,
}

struct Kept(WordHit);

impl Head {
    /// Goes on to higher slots.
    fn settle(&mut self) {
        self.settled = self.worst();
    }

    /// Whether a hit of the present word with no higher score has no place.
    fn rules_out(&self, score_max: f64) -> bool {
        score_max <= self.settled || score_max < self.worst()
    }

    /// The score that a hit of a higher slot must exceed.
    fn worst(&self) -> f64 {
        if self.count == 0 {
            return f64::INFINITY;
        }
        match self.kept.peek() {
            Some(worst) if self.kept.len() >= self.count => worst.0.score,
            _ => f64::NEG_INFINITY,
        }
    }

    fn offer(&mut self, hit: WordHit) {
        if self.kept.len() < self.count {
            self.kept.push(Kept(hit));
        } else if let Some(mut worst) = self.kept.peek_mut()
            && Kept(hit) < *worst
        {
            *worst = Kept(hit);
        }
    }

    fn into_best_first(self) -> Vec<WordHit> {
        self.kept.into_sorted_vec().into_iter().map(|Kept(hit)| hit).collect()
    }
}

impl Ord for Kept {
    fn cmp(&self, other: &Self) -> Ordering {
        other.0.score.total_cmp(&self.0.score).then(self.0.slot.cmp(&other.0.slot))
    }
}

impl PartialOrd for Kept {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Kept {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Kept {}
