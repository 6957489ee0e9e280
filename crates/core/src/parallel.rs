//! The same work on many things that do not depend on each other, on a few threads.

use std::panic::resume_unwind;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, ScopedJoinHandle};

/// No more threads than these.
const THREADS_MAX: usize = 4;
/// For fewer a thread takes longer to start than it saves.
const ITEMS_PER_THREAD_MIN: usize = 32;

/// What `f` makes of each item, in their order.
pub fn map<T: Sync, R: Send>(items: &[T], f: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = threads().min(items.len() / ITEMS_PER_THREAD_MIN).max(1);
    let of_part = |part: &[T]| part.iter().map(&f).collect::<Vec<R>>();
    let mut parts = items.chunks(items.len().div_ceil(threads).max(1));
    let first = parts.next().unwrap_or_default();
    thread::scope(|scope| {
        let of_part = &of_part;
        let started: Vec<_> = parts
            .map(|part| (part, thread::Builder::new().spawn_scoped(scope, move || of_part(part))))
            .collect();
        let mut all = of_part(first);
        for (part, thread) in started {
            // Where no thread can be had, this one does it.
            let done = thread.map_or_else(|_| Ok(of_part(part)), ScopedJoinHandle::join);
            all.extend(done.unwrap_or_else(|panic| resume_unwind(panic)));
        }
        all
    })
}

/// Goes through the numbers below `count` on a few threads, each of which takes the lowest that none has taken yet:
/// what each thread made of its numbers, which it gets in ascending order. Which thread gets which differs from time
/// to time. One that starts late, on a busy processor, takes less or nothing.
pub fn fold<A: Send>(
    count: usize,
    begin: impl Fn() -> A + Sync,
    step: impl Fn(&mut A, usize) + Sync,
) -> Vec<A> {
    let next = AtomicUsize::new(0);
    let run = || {
        let mut made = begin();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return made;
            }
            step(&mut made, number);
        }
    };
    let others = threads().min(count).saturating_sub(1);
    thread::scope(|scope| {
        let started = (0..others).map(|_| thread::Builder::new().spawn_scoped(scope, run));
        // Where no thread can be had, this one does it.
        let started: Vec<_> = started.filter_map(Result::ok).collect();
        let mut all = vec![run()];
        let joined = started.into_iter().map(ScopedJoinHandle::join);
        all.extend(joined.map(|made| made.unwrap_or_else(|panic| resume_unwind(panic))));
        all
    })
}

/// How many threads work at once, the one that asks for it included.
fn threads() -> usize {
    static THREADS: OnceLock<usize> = OnceLock::new();
    *THREADS.get_or_init(|| {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        // Half of the cores are for others, but for the second one.
        (cores / 2).clamp(2.min(cores), THREADS_MAX)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn all_are_mapped_in_their_order_on_few_threads() {
        for count in [0, 1, 31, 63, 64, 65, 1_000] {
            let items: Vec<usize> = (0..count).collect();
            let mapped = map(&items, |item| (item * 3, thread::current().id()));
            let values: Vec<usize> = mapped.iter().map(|it| it.0).collect();
            assert_eq!(values, items.iter().map(|item| item * 3).collect::<Vec<_>>());
            let threads: HashSet<_> = mapped.into_iter().map(|it| it.1).collect();
            let cores = thread::available_parallelism().map_or(1, usize::from);
            let most = (cores / 2).clamp(2.min(cores), 4).min(count / 32).max(1);
            assert!(threads.len() <= most, "{count}: {}", threads.len());
            assert!(count < 64 || cores < 2 || threads.len() > 1, "{count}");
        }
    }

    #[test]
    fn each_number_comes_to_one_thread_in_ascending_order() {
        for count in [0, 1, 2, 7, 1_000] {
            let made = fold(count, Vec::new, |numbers, number| numbers.push(number));
            assert!(made.iter().all(|numbers| numbers.is_sorted()), "{made:?}");
            let mut numbers: Vec<usize> = made.concat();
            numbers.sort_unstable();
            assert_eq!(numbers, (0..count).collect::<Vec<_>>());
            assert!(made.len() <= threads().min(count).max(1), "{count}: {}", made.len());
        }
    }

    #[test]
    fn numbers_are_shared_by_threads() {
        let meeting = std::sync::Barrier::new(threads());
        // Each waits for the others before it goes on: one thread alone would never come to an end.
        let made = fold(
            threads(),
            || 0,
            |count, _| {
                meeting.wait();
                *count += 1;
            },
        );
        assert_eq!(made, vec![1; threads()]);
    }

    #[test]
    #[should_panic = "the seventh"]
    fn a_panic_of_a_fold_is_not_lost() {
        fold(10, || (), |(), number| assert!(number != 7, "the seventh"));
    }

    #[test]
    #[should_panic = "the seventieth"]
    fn a_panic_is_not_lost() {
        map(&(0..100).collect::<Vec<_>>(), |item| assert!(*item != 70, "the seventieth"));
    }
}
