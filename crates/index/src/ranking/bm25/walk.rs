//! The walk over the postings: window by window, 64 memories at a time.
//!
//! A memory is admitted only if what it has of the query weighs enough. So the terms are parted: the
//! cheap ones, of which it must have one, name the memories to look at (the prefix filter of Chaudhuri,
//! Ganti, Kaushik 2006), the others are only looked up. The memories of a word of 64 are split by the
//! terms that they have, so that those with the same terms are treated as one: first until it is clear
//! which are admitted, then to find those that belong into the head. A class is left alone when the best
//! score that it could have is not above the worst of the head (MaxScore: Turtle and Flood 1995). That
//! keeps a query of common words cheap. Many windows are shared by a few threads, each with a head of its own.

use super::query::{Weighed, WeighedAlternative, WordList, WordQuery};
use super::{SLACK, WordHit, saturated};
use crate::{Bitset, Cursor, FREQUENCY_MAX, Occurrences, Slot, WINDOW_SLOTS, WINDOW_WORDS, Window};
use robot_memory_core::parallel;
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::Range;

/// Lengths whose saturation is computed once.
const LENGTHS_KNOWN: usize = 256;

/// Windows that a thread walks over at a time. Few in tests, whose indexes are small.
const WINDOWS_AT_ONCE: usize = if cfg!(test) { 1 } else { 16 };
/// Of fewer postings the walk takes no longer than to start a thread.
const SHARED_POSTINGS_MIN: u64 = if cfg!(test) { 8 } else { 100_000 };

/// A search under way.
struct Walk<'q, 'a, L> {
    query: &'q WordQuery<'a>,
    admit: &'q [u64],
    lengths: L,
    coverage_min: f64,
    cursors: Vec<Cursor<'a>>,
    /// By list, in the present window.
    found: Vec<Occurrences>,
    /// Lists of which some memory of the present window has the token more than once, each with the most
    /// that it adds to a score before saturation, and the memories: those that have any of them twice or
    /// more, and three times or more.
    repeated: Vec<(usize, f64)>,
    twice: Window,
    thrice: Window,
    levels: Levels,
    head: Head,
    total: u64,
    /// By length, of one, two and the most occurrences.
    saturations: Vec<Saturations>,
    /// By list, the most that it adds to a score before saturation.
    list_scores: Vec<f64>,
}

/// What occurrences count in a memory of some length.
#[derive(Clone, Copy)]
struct Saturations {
    once: f64,
    twice: f64,
    most: f64,
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
    score: f64,
    /// No member's saturation is higher.
    saturation_max: f64,
}

/// The terms of which a memory must have one, and the lists of these and of the other terms.
struct Parted<'q> {
    leading: Vec<&'q Weighed>,
    leading_lists: Vec<usize>,
    following_lists: Vec<usize>,
}

impl<'q> Parted<'q> {
    fn of(query: &'q WordQuery<'_>, coverage_min: f64) -> Self {
        let (leading, following) = query.parted(coverage_min);
        let leading_lists = lists_of(&leading, &[]);
        let following_lists = lists_of(&following, &leading);
        Self { leading, leading_lists, following_lists }
    }
}

/// The best `count` of the memories in `admit` that cover `coverage_min` of the query, and how many there are.
pub(super) fn walk<L: Fn(Slot) -> u32 + Send>(
    query: &WordQuery<'_>,
    admit: &Bitset,
    lengths: impl Fn() -> L + Sync,
    coverage_min: f64,
    count: usize,
) -> WordList {
    let parted = Parted::of(query, coverage_min);
    let window_count = admit.words().len().div_ceil(WINDOW_WORDS);
    let postings: u64 = query.lists.iter().map(|list| list.df()).sum();
    let at_once = if postings < SHARED_POSTINGS_MIN { window_count } else { WINDOWS_AT_ONCE };
    let begin = || Walk::new(query, admit, lengths(), coverage_min, count);
    let parts = window_count.div_ceil(at_once.max(1));
    let walks = parallel::fold(parts, begin, |walk, part| {
        let first = part * at_once;
        walk.go(&parted, first..first + at_once);
    });
    let total = walks.iter().map(|walk| walk.total).sum();
    let mut kept: Vec<Kept> = walks.into_iter().flat_map(|walk| walk.head.kept).collect();
    kept.sort_unstable();
    kept.truncate(count);
    WordList { head: kept.into_iter().map(|Kept(hit)| hit).collect(), total }
}

impl<'q, 'a, L: Fn(Slot) -> u32> Walk<'q, 'a, L> {
    fn new(
        query: &'q WordQuery<'a>,
        admit: &'q Bitset,
        lengths: L,
        coverage_min: f64,
        count: usize,
    ) -> Self {
        let saturations =
            (0..LENGTHS_KNOWN as u32).map(|length| Saturations::of(query, length)).collect();
        let mut list_scores = vec![0.0; query.lists.len()];
        for alternative in query.terms.iter().flat_map(|term| &term.alternatives) {
            for &list in &alternative.lists {
                list_scores[list] += alternative.score;
            }
        }
        Self {
            query,
            admit: admit.words(),
            lengths,
            coverage_min,
            cursors: query.lists.iter().map(|list| Cursor::new(*list)).collect(),
            found: vec![Occurrences::default(); query.lists.len()],
            repeated: Vec::new(),
            twice: [0; WINDOW_WORDS],
            thrice: [0; WINDOW_WORDS],
            levels: Levels::default(),
            head: Head { count, kept: BinaryHeap::new(), settled: f64::NEG_INFINITY },
            total: 0,
            saturations,
            list_scores,
        }
    }

    /// Goes through some windows, which are after those that it has gone through.
    fn go(&mut self, parted: &Parted<'_>, windows: Range<usize>) {
        let mut window = windows.start;
        while let Some(next) = self.next_window(&parted.leading, window) {
            window = next + 1;
            let begin = next * WINDOW_WORDS;
            let Some(admit) = self.admit.get(begin..).filter(|_| next < windows.end) else { break };
            let admit = &admit[..admit.len().min(WINDOW_WORDS)];
            if admit.iter().all(|&word| word == 0) {
                continue;
            }
            for &list in &parted.leading_lists {
                self.cursors[list].read(next, &mut self.found[list]);
            }
            let mut candidates = [0; WINDOW_WORDS];
            for alternative in parted.leading.iter().flat_map(|term| &term.alternatives) {
                add_intersection(&alternative.lists, &self.found, &mut candidates);
            }
            let mut any = 0;
            for (word, candidates) in candidates.iter_mut().enumerate() {
                *candidates &= admit.get(word).copied().unwrap_or(0);
                any |= *candidates;
            }
            if any == 0 {
                continue;
            }
            for &list in &parted.following_lists {
                self.cursors[list].read(next, &mut self.found[list]);
            }
            self.note_repeated(parted.leading_lists.iter().chain(&parted.following_lists));
            self.levels.fill(&self.query.terms, &self.found);
            self.take(next, &candidates);
        }
    }

    fn next_window(&self, leading: &[&Weighed], window: usize) -> Option<usize> {
        let of_alternative = |lists: &[usize]| {
            let next = |list: &usize| self.cursors[*list].next_window(window);
            lists.iter().map(next).try_fold(0, |last, next| Some(last.max(next?)))
        };
        let alternatives = leading.iter().flat_map(|term| &term.alternatives);
        alternatives.filter_map(|alternative| of_alternative(&alternative.lists)).min()
    }

    fn note_repeated<'l>(&mut self, lists: impl Iterator<Item = &'l usize>) {
        self.repeated.clear();
        self.twice = [0; WINDOW_WORDS];
        self.thrice = [0; WINDOW_WORDS];
        for &list in lists {
            let found = &self.found[list];
            if found.has_twice {
                self.repeated.push((list, self.list_scores[list]));
                for (word, own) in self.twice.iter_mut().zip(&found.twice) {
                    *word |= own;
                }
                for (word, own) in self.thrice.iter_mut().zip(&found.thrice) {
                    *word |= own;
                }
            }
        }
    }

    /// Counts the candidates of the present window that are admitted, and offers to the head those
    /// that may belong there.
    fn take(&mut self, window: usize, candidates: &Window) {
        for (word, &candidates) in candidates.iter().enumerate() {
            let candidates = match candidates {
                0 => 0,
                _ if self.coverage_min <= 0.0 => candidates,
                _ => self.admitted(word, candidates, 0, 0.0),
            };
            if candidates == 0 {
                continue;
            }
            self.total += u64::from(candidates.count_ones());
            self.head.settle();
            let shortest = self.saturations(self.shortest(window, word, candidates));
            let (twice, thrice) = (self.twice[word], self.thrice[word]);
            for (slots, saturation_max) in [
                (candidates & !twice, shortest.once),
                (candidates & twice & !thrice, shortest.twice),
                (candidates & thrice, shortest.most),
            ] {
                if slots != 0 {
                    let class = Class { word, slots, term: 0, score: 0.0, saturation_max };
                    self.split(window, class);
                }
            }
        }
    }

    /// The length of the shortest of some memories of a word.
    fn shortest(&self, window: usize, word: usize, slots: u64) -> u32 {
        let first = window * WINDOW_SLOTS + word * u64::BITS as usize;
        let mut shortest = u32::MAX;
        let mut rest = slots;
        while rest != 0 {
            let slot = first as Slot + rest.trailing_zeros();
            rest &= rest - 1;
            shortest = shortest.min((self.lengths)(slot));
        }
        shortest
    }

    /// Those of some memories of a word that are admitted. They have the same of the terms before
    /// `term`, which cover `coverage`.
    fn admitted(&self, word: usize, mut slots: u64, term: usize, coverage: f64) -> u64 {
        if coverage >= self.coverage_min {
            return slots;
        }
        let begin = self.levels.terms[term];
        if coverage + begin.coverage < self.coverage_min * (1.0 - SLACK) {
            return 0;
        }
        let Some(end) = self.levels.terms.get(term + 1) else { return 0 };
        let mut admitted = 0;
        for level in &self.levels.levels[begin.level..end.level] {
            let own = slots & level.present[word];
            if own != 0 {
                slots &= !own;
                admitted |= self.admitted(word, own, term + 1, coverage + level.coverage);
            }
        }
        if slots != 0 {
            admitted |= self.admitted(word, slots, term + 1, coverage);
        }
        admitted
    }

    /// Offers to the head those of a class of admitted memories that may belong there.
    fn split(&mut self, window: usize, mut class: Class) {
        let begin = self.levels.terms[class.term];
        let best = (class.score + begin.score) * class.saturation_max * (1.0 + SLACK);
        if self.head.rules_out(best) {
            return;
        }
        let Some(end) = self.levels.terms.get(class.term + 1) else {
            self.offer(window, class);
            return;
        };
        for level in begin.level..end.level {
            let level = &self.levels.levels[level];
            let slots = class.slots & level.present[class.word];
            if slots != 0 {
                class.slots &= !slots;
                let score = class.score + level.score;
                self.split(window, Class { slots, term: class.term + 1, score, ..class });
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
        let is_repeated = class.slots & self.twice[word] != 0;
        let first = window * WINDOW_SLOTS + word * u64::BITS as usize;
        let mut rest = class.slots;
        while rest != 0 {
            let bit = rest.trailing_zeros();
            rest &= rest - 1;
            let slot = first as Slot + bit;
            let length = (self.lengths)(slot);
            let saturations = self.saturations(length);
            // Exactly the score when nothing occurs more than once, else no less.
            let mut score_max = class.score * saturations.once;
            if is_repeated {
                score_max += self.repeated_max(word, bit, saturations);
                score_max *= 1.0 + SLACK;
            }
            if self.head.rules_out(score_max) {
                continue;
            }
            let hit = self.query.hit(slot, length, |list| {
                let found = &self.found[list];
                match found.present[word] >> bit & 1 {
                    0 => 0,
                    _ if found.twice[word] >> bit & 1 == 0 => 1,
                    _ => self.cursors[list].frequency(slot),
                }
            });
            if let Some(hit) = hit {
                self.head.offer(hit);
            }
        }
    }

    /// The most that further occurrences of its tokens add to a memory's score.
    fn repeated_max(&self, word: usize, bit: u32, saturations: Saturations) -> f64 {
        let (mut twice, mut thrice) = (0.0, 0.0);
        for &(list, score) in &self.repeated {
            let found = &self.found[list];
            twice += score * (found.twice[word] >> bit & 1) as f64;
            thrice += score * (found.thrice[word] >> bit & 1) as f64;
        }
        twice * (saturations.twice - saturations.once)
            + thrice * (saturations.most - saturations.twice)
    }

    fn saturations(&self, length: u32) -> Saturations {
        match self.saturations.get(length as usize) {
            Some(known) => *known,
            None => Saturations::of(self.query, length),
        }
    }
}

impl Saturations {
    fn of(query: &WordQuery<'_>, length: u32) -> Self {
        let relative_length = query.relative_length(length);
        Self {
            once: saturated(1, relative_length),
            twice: saturated(2, relative_length),
            most: saturated(FREQUENCY_MAX, relative_length),
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
fn add_intersection(lists: &[usize], found: &[Occurrences], to: &mut Window) {
    match lists {
        [] => {}
        [one] => {
            for (to, word) in to.iter_mut().zip(&found[*one].present) {
                *to |= word;
            }
        }
        [first, rest @ ..] => {
            let mut both = found[*first].present;
            for list in rest {
                for (both, word) in both.iter_mut().zip(&found[*list].present) {
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
    fn fill(&mut self, terms: &[Weighed], found: &[Occurrences]) {
        self.levels.clear();
        self.terms.clear();
        for term in terms {
            let begin = self.levels.len();
            for alternative in &term.alternatives {
                let mut own = [0; WINDOW_WORDS];
                add_intersection(&alternative.lists, found, &mut own);
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
