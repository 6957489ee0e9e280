//! Things that are lent to one thread at a time.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A few equal things, lent in the order in which they were asked for: a thread that asks again and
/// again cannot keep another one waiting.
#[derive(Debug)]
pub struct Pool<T> {
    items: Vec<Mutex<T>>,
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Debug)]
struct Queue {
    /// Indices of the items that nobody has.
    free: Vec<usize>,
    next_ticket: u64,
    now_serving: u64,
}

impl<T> Pool<T> {
    /// Takes at least one item: a pool without any would keep its borrowers waiting for ever.
    pub fn new(first: T, others: impl IntoIterator<Item = T>) -> Self {
        let items: Vec<_> = std::iter::once(first).chain(others).map(Mutex::new).collect();
        let queue = Queue { free: (0..items.len()).collect(), next_ticket: 0, now_serving: 0 };
        Self { items, queue: Mutex::new(queue), changed: Condvar::new() }
    }

    /// Waits for its turn and a free item, and works with it. The item comes back even when `work`
    /// panics.
    pub fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        let loan = self.borrow();
        work(&mut lock(&self.items[loan.index]))
    }

    fn borrow(&self) -> Loan<'_, T> {
        let mut queue = lock(&self.queue);
        let ticket = queue.next_ticket;
        queue.next_ticket += 1;
        loop {
            if queue.now_serving == ticket
                && let Some(index) = queue.free.pop()
            {
                queue.now_serving += 1;
                // There may be a second free item for the next in line.
                self.changed.notify_all();
                return Loan { pool: self, index };
            }
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Entitles to the item of this index, until it is dropped.
struct Loan<'a, T> {
    pool: &'a Pool<T>,
    index: usize,
}

impl<T> Drop for Loan<'_, T> {
    fn drop(&mut self) {
        lock(&self.pool.queue).free.push(self.index);
        self.pool.changed.notify_all();
    }
}

/// Locks also what a panic has poisoned: the queue is whole at every step, and a session of ONNX
/// Runtime is not left half-changed by a Rust panic.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;
    use std::thread;
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn lends_each_item_to_one_thread_at_a_time() {
        let pool = Pool::new(AtomicUsize::new(0), [AtomicUsize::new(0)]);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        pool.with(|uses| {
                            let before = uses.load(Ordering::Relaxed);
                            thread::yield_now();
                            uses.store(before + 1, Ordering::Relaxed);
                        });
                    }
                });
            }
        });
        let uses: usize = pool.items.iter().map(|item| lock(item).load(Ordering::Relaxed)).sum();
        assert_eq!(uses, 800);
        assert_eq!(lock(&pool.queue).free.len(), 2);
    }

    #[test]
    fn two_items_are_lent_side_by_side() {
        let pool = Pool::new((), [()]);
        let (sender, receiver) = mpsc::sync_channel(1);
        thread::scope(|scope| {
            pool.with(|()| {
                scope.spawn(|| pool.with(|()| sender.send(())));
                receiver.recv_timeout(Duration::from_secs(10)).unwrap();
            });
        });
    }

    #[test]
    fn serves_in_the_order_of_asking() {
        let pool = Pool::new(Vec::new(), []);
        thread::scope(|scope| {
            pool.with(|_| {
                for number in 0..8 {
                    let pool = &pool;
                    scope.spawn(move || pool.with(|served: &mut Vec<u64>| served.push(number)));
                    let deadline = Instant::now() + Duration::from_secs(10);
                    while lock(&pool.queue).next_ticket < number + 2 && Instant::now() < deadline {
                        thread::yield_now();
                    }
                }
            });
        });
        assert_eq!(pool.with(|served| served.clone()), Vec::from_iter(0..8));
    }

    #[test]
    fn a_panic_gives_the_item_back() {
        let pool = Pool::new(1, []);
        let panic = catch_unwind(AssertUnwindSafe(|| pool.with(|_| panic!("on purpose"))));
        assert!(panic.is_err());
        assert_eq!(pool.with(|item| *item), 1);
    }
}
