//! A signal for background threads to end.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Set once, seen by all that hold a clone.
#[derive(Clone, Default)]
pub(super) struct Stop(Arc<(Mutex<bool>, Condvar)>);

/// What a thread does until it is time to stop.
pub(super) type Task = Box<dyn FnOnce(&Stop) + Send>;

impl Stop {
    /// Tells all to end.
    pub fn set(&self) {
        let (is_set, changed) = &*self.0;
        *is_set.lock().unwrap_or_else(PoisonError::into_inner) = true;
        changed.notify_all();
    }

    /// A thread that is told by this when to end.
    ///
    /// # Errors
    /// When there can be no more threads.
    pub fn spawn(
        &self,
        name: &str,
        task: impl FnOnce(&Self) + Send + 'static,
    ) -> std::io::Result<JoinHandle<()>> {
        let stop = self.clone();
        std::thread::Builder::new().name(name.to_owned()).spawn(move || task(&stop))
    }

    /// Sleeps, unless it is time to end. Answers whether it is.
    pub fn wait(&self, sleep: Duration) -> bool {
        let (is_set, changed) = &*self.0;
        let guard = is_set.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = changed.wait_timeout_while(guard, sleep, |is_set| !*is_set);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn ends_a_sleep() {
        let stop = Stop::default();
        assert!(!stop.wait(Duration::from_millis(1)));
        let sleeper = {
            let stop = stop.clone();
            std::thread::spawn(move || stop.wait(Duration::from_secs(60)))
        };
        let started = Instant::now();
        stop.set();
        assert!(sleeper.join().unwrap() && stop.wait(Duration::ZERO));
        assert!(started.elapsed() < Duration::from_secs(30));
    }
}
