//! The end of the store, which waits for nobody longer than it may.

use robot_memory_engine::Engine;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Between two looks whether somebody still has a store that was closed.
const LEFT_PERIOD: Duration = Duration::from_millis(2);

/// How it went.
pub(super) struct Closing {
    pub end: ClosingEnd,
    /// What does it, and may still do so.
    pub thread: Option<JoinHandle<()>>,
}

/// What became of the store by the deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClosingEnd {
    /// It is closed, and its lock is free.
    Free,
    /// It is closed: nothing of it needs to be recovered. A thread that does not end still has its lock.
    Held,
    /// It was not closed, or not well: the next start recovers it.
    LeftOpen,
}

/// Closes the store, and waits until its lock is free.
pub(super) fn close(engine: Arc<Engine>, deadline: Instant) -> Closing {
    // In a thread of its own, so that a store that hangs does not make the node hang.
    let (closed, is_closed) = sync_channel(1);
    let (freed, is_free) = sync_channel(1);
    let left = Arc::downgrade(&engine);
    let closing = std::thread::Builder::new().name("close".to_owned()).spawn(move || {
        let _ = closed.send(engine.close());
        drop(engine);
        // A call of which somebody still waits for the answer may have it.
        while left.strong_count() > 0 && Instant::now() < deadline {
            std::thread::sleep(LEFT_PERIOD);
        }
        let _ = freed.send(left.strong_count() == 0);
    });
    let thread = match closing {
        Ok(thread) => thread,
        Err(error) => {
            log::error!("the store was not closed: {error}");
            return Closing { end: ClosingEnd::LeftOpen, thread: None };
        }
    };
    let end = match by(deadline, &is_closed) {
        Ok(Ok(())) if by(deadline, &is_free).unwrap_or(false) => {
            log::info!("the store is closed");
            ClosingEnd::Free
        }
        Ok(Ok(())) => {
            log::warn!(
                "the store is closed; a thread that did not end in time still holds its lock"
            );
            ClosingEnd::Held
        }
        Ok(Err(error)) => {
            log::error!("the store was not closed cleanly: {error}");
            ClosingEnd::LeftOpen
        }
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
            log::error!("the store did not close in time; the next start recovers it");
            ClosingEnd::LeftOpen
        }
    };
    Closing { end, thread: Some(thread) }
}

fn by<T>(deadline: Instant, receiver: &Receiver<T>) -> Result<T, RecvTimeoutError> {
    receiver.recv_timeout(deadline.saturating_duration_since(Instant::now()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faces::wall_clock::WallClock;
    use robot_memory_engine::Config;
    use std::path::Path;

    fn open(path: &Path) -> (Arc<Engine>, bool) {
        let (engine, opened) =
            Engine::open(Config::at(path.to_owned()), Arc::new(WallClock)).unwrap();
        (Arc::new(engine), opened.unclean)
    }

    #[test]
    fn a_store_that_nobody_holds_is_free() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("memory.db");
        let (engine, _) = open(&path);
        let Closing { end, thread } = close(engine, Instant::now() + Duration::from_secs(60));
        assert_eq!(end, ClosingEnd::Free);
        thread.unwrap().join().unwrap();
        assert!(!open(&path).1);
    }

    #[test]
    fn a_store_that_a_thread_holds_is_closed_all_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("memory.db");
        let (engine, _) = open(&path);
        let held = Arc::clone(&engine);
        let Closing { end, thread } = close(engine, Instant::now() + Duration::from_secs(5));
        assert_eq!(end, ClosingEnd::Held);
        thread.unwrap().join().unwrap();
        drop(held);
        assert!(!open(&path).1);
    }
}
