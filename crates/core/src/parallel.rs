//! The same work on many things that do not depend on each other, on a few threads.

use std::panic::resume_unwind;
use std::thread;

/// No more threads than these.
const THREADS_MAX: usize = 4;
/// For fewer a thread takes longer to start than it saves.
const ITEMS_PER_THREAD_MIN: usize = 32;

/// What `f` makes of each item, in their order.
pub fn map<T: Sync, R: Send>(items: &[T], f: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    // Half of the cores are for others, but for the second one.
    let threads = (cores / 2).clamp(2.min(cores), THREADS_MAX);
    let threads = threads.min(items.len() / ITEMS_PER_THREAD_MIN).max(1);
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
            let done = thread.map_or_else(|_| Ok(of_part(part)), thread::ScopedJoinHandle::join);
            all.extend(done.unwrap_or_else(|panic| resume_unwind(panic)));
        }
        all
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
    #[should_panic = "the seventieth"]
    fn a_panic_is_not_lost() {
        map(&(0..100).collect::<Vec<_>>(), |item| assert!(*item != 70, "the seventieth"));
    }
}
