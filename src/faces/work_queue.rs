//! A bounded queue of calls, and the threads that work on them.

use robot_memory_core::api::ApiError;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Something to be done by a worker. When it is dropped instead, it says so to whoever waits.
pub(super) trait Work: Send {
    /// Does it.
    fn run(self: Box<Self>);
}

/// Calls of one kind, those that only read or those that write, and the workers that take them. The node
/// has a queue of each, so that a recall never waits behind a learn.
#[derive(Default)]
pub(super) struct WorkQueue {
    name: &'static str,
    waiting_max: usize,
    state: Mutex<State>,
    changed: Condvar,
    done_count: AtomicU64,
    refused_count: AtomicU64,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Box<dyn Work>>,
    /// Workers that are still there.
    worker_count: usize,
    /// How often it was opened. A worker of an earlier opening that a slow call has held up takes no more.
    opening: u64,
    gate: Gate,
}

#[derive(Clone, Copy, PartialEq)]
enum Gate {
    Open,
    /// With what callers are told.
    Closed(&'static str),
}

impl Default for Gate {
    fn default() -> Self {
        Self::Closed("the node is starting; try again")
    }
}

/// How a queue is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Load {
    /// `reads` or `writes`.
    pub name: &'static str,
    pub waiting: usize,
    /// Calls that may wait.
    pub waiting_max: usize,
    /// Calls that were worked on since the start.
    pub done_count: u64,
    /// Calls that were turned away since the start.
    pub refused_count: u64,
}

impl WorkQueue {
    /// A queue that takes nothing yet, for at most this many waiting calls.
    pub fn new(name: &'static str, waiting_max: usize) -> Arc<Self> {
        Arc::new(Self { name, waiting_max, ..Self::default() })
    }

    /// Takes calls from now on, with this many threads to work on them.
    ///
    /// # Errors
    /// When a thread cannot be started.
    pub fn open(self: &Arc<Self>, worker_count: usize) -> std::io::Result<()> {
        let opening = {
            let mut state = self.state();
            state.gate = Gate::Open;
            state.opening += 1;
            state.opening
        };
        for i in 0..worker_count {
            self.state().worker_count += 1;
            let queue = Arc::clone(self);
            let started = std::thread::Builder::new()
                .name(format!("{}-{i}", self.name))
                .spawn(move || queue.work(opening));
            if let Err(error) = started {
                self.state().worker_count -= 1;
                self.close("the node could not start its threads");
                return Err(error);
            }
        }
        Ok(())
    }

    /// Lets a call wait for a worker, or gives it back with the reason why it cannot.
    pub fn submit<W: Work + 'static>(&self, work: W) -> Result<(), (W, ApiError)> {
        let mut state = self.state();
        let refusal = match state.gate {
            Gate::Closed(reason) => reason.to_owned(),
            Gate::Open if state.waiting.len() >= self.waiting_max => format!(
                "the node has {} {} waiting, its limit (queue_max); try again",
                state.waiting.len(),
                self.name
            ),
            Gate::Open => {
                state.waiting.push_back(Box::new(work));
                drop(state);
                self.changed.notify_all();
                return Ok(());
            }
        };
        drop(state);
        self.refused_count.fetch_add(1, Ordering::Relaxed);
        Err((work, ApiError::unavailable(refusal)))
    }

    /// Takes no more calls, and tells callers why. Those that wait are still worked on.
    pub fn close(&self, reason: &'static str) {
        self.state().gate = Gate::Closed(reason);
        self.changed.notify_all();
    }

    /// Waits until the workers of a closed queue have done all that waited. At the deadline, drops
    /// what still waits. Answers whether every worker ended.
    pub fn drain(&self, deadline: Instant) -> bool {
        let mut state = self.state();
        while state.worker_count > 0 {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let dropped = std::mem::take(&mut state.waiting);
                drop(state);
                drop(dropped);
                return false;
            }
            let woken = self.changed.wait_timeout(state, left);
            state = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }

    /// As [`drain`](Self::drain); says in the log when not all was done.
    pub fn drain_logged(&self, deadline: Instant) {
        if !self.drain(deadline) {
            let name = self.name;
            log::warn!("some {name} were not done in time; their callers got unavailable");
        }
    }

    /// How the queue is doing.
    pub fn load(&self) -> Load {
        Load {
            name: self.name,
            waiting: self.state().waiting.len(),
            waiting_max: self.waiting_max,
            done_count: self.done_count.load(Ordering::Relaxed),
            refused_count: self.refused_count.load(Ordering::Relaxed),
        }
    }

    fn work(&self, opening: u64) {
        while let Some(work) = self.next(opening) {
            // A worker outlives whatever happens in one call; the panic hook has logged it.
            let _ = catch_unwind(AssertUnwindSafe(|| work.run()));
            self.done_count.fetch_add(1, Ordering::Relaxed);
        }
        self.state().worker_count -= 1;
        self.changed.notify_all();
    }

    /// The next call, as soon as there is one; nothing once the queue is closed and empty.
    fn next(&self, opening: u64) -> Option<Box<dyn Work>> {
        let mut state = self.state();
        loop {
            if state.opening != opening {
                return None;
            }
            if let Some(work) = state.waiting.pop_front() {
                return Some(work);
            }
            if state.gate != Gate::Open {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
    use std::time::Duration;

    /// Waits for a permit, then says its number; says its negative when it is dropped unworked.
    struct Numbered {
        number: i32,
        permit: Option<Arc<Mutex<Receiver<()>>>>,
        said: SyncSender<i32>,
    }

    impl Work for Numbered {
        fn run(mut self: Box<Self>) {
            if let Some(permit) = self.permit.take() {
                let _ = permit.lock().unwrap().recv_timeout(Duration::from_secs(5));
                self.said.send(self.number).unwrap();
                self.number = 0;
            }
        }
    }

    impl Drop for Numbered {
        fn drop(&mut self) {
            if self.number != 0 {
                let _ = self.said.send(-self.number);
            }
        }
    }

    struct Scene {
        queue: Arc<WorkQueue>,
        permits: SyncSender<()>,
        permit: Arc<Mutex<Receiver<()>>>,
        said: SyncSender<i32>,
        hears: Receiver<i32>,
    }

    impl Scene {
        fn new(waiting_max: usize) -> Self {
            let (permits, permit) = sync_channel(16);
            let (said, hears) = sync_channel(16);
            let queue = WorkQueue::new("reads", waiting_max);
            Self { queue, permits, permit: Arc::new(Mutex::new(permit)), said, hears }
        }

        fn submit(&self, number: i32) -> Result<(), String> {
            let permit = Some(Arc::clone(&self.permit));
            let work = Numbered { number, permit, said: self.said.clone() };
            self.queue.submit(work).map_err(|(mut work, error)| {
                work.number = 0;
                error.to_string()
            })
        }

        fn wait_until_waiting(&self, waiting: usize) {
            for _ in 0..500 {
                if self.queue.load().waiting == waiting {
                    return;
                }
                std::thread::sleep(Duration::from_millis(10));
            }
            panic!("never {waiting} waiting");
        }
    }

    #[test]
    fn works_in_order_and_refuses_beyond_the_limit() {
        let scene = Scene::new(2);
        assert_eq!(scene.submit(9), Err("unavailable: the node is starting; try again".to_owned()));
        scene.queue.open(1).unwrap();
        scene.submit(1).unwrap();
        scene.wait_until_waiting(0);
        scene.submit(2).unwrap();
        scene.submit(3).unwrap();
        assert_eq!(
            scene.submit(4),
            Err("unavailable: the node has 2 reads waiting, its limit (queue_max); try again"
                .to_owned())
        );
        for _ in 0..3 {
            scene.permits.send(()).unwrap();
        }
        scene.queue.close("the node is shutting down");
        assert!(scene.queue.drain(Instant::now() + Duration::from_secs(5)));
        assert_eq!(scene.hears.try_iter().collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!(scene.submit(5), Err("unavailable: the node is shutting down".to_owned()));
        let load = scene.queue.load();
        assert_eq!((load.done_count, load.refused_count), (3, 3));
    }

    #[test]
    fn can_be_opened_again_while_a_worker_is_held_up() {
        let scene = Scene::new(10);
        scene.queue.open(1).unwrap();
        scene.submit(1).unwrap();
        scene.wait_until_waiting(0);
        scene.queue.close("inactive");
        assert!(!scene.queue.drain(Instant::now() + Duration::from_millis(20)));
        assert_eq!(scene.submit(2), Err("unavailable: inactive".to_owned()));
        scene.queue.open(1).unwrap();
        scene.submit(3).unwrap();
        for _ in 0..2 {
            scene.permits.send(()).unwrap();
        }
        scene.queue.close("inactive");
        assert!(scene.queue.drain(Instant::now() + Duration::from_secs(5)));
        let mut said: Vec<_> = scene.hears.try_iter().collect();
        said.sort_unstable();
        assert_eq!(said, [1, 3]);
    }

    #[test]
    fn what_still_waits_at_the_deadline_is_dropped_not_forgotten() {
        let scene = Scene::new(10);
        scene.queue.open(1).unwrap();
        scene.submit(1).unwrap();
        scene.wait_until_waiting(0);
        scene.submit(2).unwrap();
        scene.queue.close("the node is shutting down");
        assert!(!scene.queue.drain(Instant::now() + Duration::from_millis(20)));
        assert_eq!(scene.hears.try_iter().collect::<Vec<_>>(), [-2]);
        scene.permits.send(()).unwrap();
    }
}
