//! What the transport shows of itself, and when it logs.

use robot_memory_core::limits::ERROR_CHARS_MAX;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, watch};

/// What can be at fault, each for itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    /// The connection to the NATS server.
    Server,
    /// From the memory's outbox to JetStream.
    Outbox,
    /// From `CLAIMS_OUT` to `FLEET`.
    Forward,
    /// From `FLEET` to this robot.
    Fleet,
    /// The memory does not take what comes.
    Memory,
}

/// What is at fault now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What it is about.
    pub way: Way,
    /// What a person needs to know.
    pub text: String,
    /// For how long.
    pub lasts: Duration,
}

/// What the transport shows of itself. Counts are since its start.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct State {
    /// Whether the NATS server is connected.
    pub is_connected: bool,
    /// Whether `FLEET` can be read.
    pub is_hub_reached: bool,
    /// Messages that were sent and are not acknowledged yet.
    pub unacked: u64,
    /// Messages in `CLAIMS_OUT` that `FLEET` is not known to have; `None` until the hub was reached. 0 without
    /// `CLAIMS_OUT`.
    pub unforwarded: Option<u64>,
    /// What [`Self::unforwarded`] is at most, also before the hub was reached: all that `CLAIMS_OUT` ever had.
    pub unforwarded_max: u64,
    /// Messages in `FLEET` that the memory did not take yet, as last known; `None` until the hub was reached.
    pub lag: Option<u64>,
    /// Messages of the outbox that JetStream acknowledged.
    pub acknowledged: u64,
    /// Messages that `FLEET` acknowledged, from `CLAIMS_OUT`.
    pub forwarded: u64,
    /// Messages that the memory took.
    pub taken: u64,
    /// Messages of the outbox that no server takes, since they are too long: they are dropped.
    pub refused: u64,
    /// How often `FLEET` was another stream than the one before, and was taken from its beginning.
    pub anew: u64,
    /// Messages that `FLEET` dropped, as it was full, before the memory took them.
    pub missed: u64,
    /// What is at fault now, in the order of [`Way`].
    pub faults: Vec<Fault>,
    /// The newest fault, also when it is over.
    pub last_error: Option<String>,
}

/// A failure on its way to [`Shared::failed`].
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) way: Way,
    pub(crate) text: String,
}

impl Failure {
    pub(crate) fn new(way: Way, text: impl Into<String>) -> Self {
        Self { way, text: text.into() }
    }
}

/// The state, shared by all that runs.
#[derive(Default)]
pub(crate) struct Shared {
    inner: Mutex<Inner>,
    /// The outbox got something.
    pub(crate) wake: Notify,
    /// How often the hub was reached, and whether it is.
    hub: watch::Sender<(u64, bool)>,
}

#[derive(Default)]
struct Inner {
    state: State,
    faults: Vec<(Way, String, Instant)>,
    /// When `CLAIMS_OUT` was made, its newest sequence, and up to where `FLEET` has it.
    out_created: i128,
    out_last: u64,
    out_floor: Option<u64>,
    /// When the `FLEET` was made whose dropped messages are counted, and up to which of them.
    missed_until: (i128, u64),
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.lock().state);
    }

    pub(crate) fn is_connected(&self) -> bool {
        self.lock().state.is_connected
    }

    pub(crate) fn hub_is_reached(&self, is_reached: bool) {
        self.lock().state.is_hub_reached = is_reached;
        self.hub.send_modify(|hub| *hub = (hub.0 + u64::from(is_reached), is_reached));
    }

    /// Returns when the hub is reached, with what [`Self::hub_left`] takes.
    pub(crate) async fn hub_reached(&self) -> u64 {
        let mut hub = self.hub.subscribe();
        // It cannot be closed while there is a `self`.
        hub.wait_for(|hub| hub.1).await.map_or(0, |hub| hub.0)
    }

    /// Returns when the hub is left, also when it is reached again: it may be another one then.
    pub(crate) async fn hub_left(&self, times: u64) {
        let mut hub = self.hub.subscribe();
        let _ = hub.wait_for(|hub| *hub != (times, true)).await;
    }

    /// `CLAIMS_OUT` has messages up to `last`.
    pub(crate) fn out_has(&self, last: u64) {
        let mut inner = self.lock();
        inner.out_last = inner.out_last.max(last);
    }

    /// The `CLAIMS_OUT` that was made then has messages up to `last`.
    pub(crate) fn out_is(&self, created: i128, last: u64) {
        let mut inner = self.lock();
        if inner.out_created != created {
            (inner.out_created, inner.out_floor) = (created, None);
        }
        inner.out_last = last;
    }

    /// `FLEET` has `CLAIMS_OUT` up to `floor`.
    pub(crate) fn floor_is(&self, floor: u64) {
        self.lock().out_floor = Some(floor);
    }

    /// `FLEET` has all up to `floor`, of which it had the last one already unless it is new.
    pub(crate) fn forwarded(&self, floor: u64, is_new: bool) {
        let mut inner = self.lock();
        inner.state.forwarded += u64::from(is_new);
        inner.out_floor = Some(floor);
        inner.out_last = inner.out_last.max(floor);
    }

    /// The `FLEET` that was made then has nothing of what is between `taken` and `next`. Returns how many of these were not
    /// known to be missed: who reads again from the same place misses the same.
    pub(crate) fn missed(&self, created: i128, taken: u64, next: u64) -> u64 {
        let mut inner = self.lock();
        let (of, until) = inner.missed_until;
        let known = if of == created { until.max(taken) } else { taken };
        let count = next.saturating_sub(1).saturating_sub(known);
        if count > 0 {
            inner.missed_until = (created, next - 1);
            inner.state.missed += count;
        }
        count
    }

    pub(crate) fn state(&self) -> State {
        let inner = self.lock();
        let mut state = inner.state.clone();
        state.unforwarded_max = inner.out_last.saturating_sub(inner.out_floor.unwrap_or(0));
        if inner.out_floor.is_some() {
            state.unforwarded = Some(state.unforwarded_max);
        }
        let mut faults = inner.faults.clone();
        faults.sort_by_key(|(way, ..)| *way);
        let shown = |(way, text, since): (Way, String, Instant)| Fault {
            way,
            text,
            lasts: since.elapsed(),
        };
        state.faults = faults.into_iter().map(shown).collect();
        state
    }

    /// Logs when a fault begins, not at each try.
    pub(crate) fn failed(&self, failure: Failure) {
        let Failure { way, text } = failure;
        let text: String = text.chars().take(ERROR_CHARS_MAX).collect();
        let mut inner = self.lock();
        inner.state.last_error = Some(text.clone());
        let waiting = inner.waiting();
        if let Some(fault) = inner.faults.iter_mut().find(|fault| fault.0 == way) {
            if fault.1 != text {
                log::debug!("fleet: {text}");
                fault.1 = text;
            }
            return;
        }
        inner.faults.push((way, text.clone(), Instant::now()));
        drop(inner);
        log::warn!("fleet: {text}{waiting}; it is tried again until it works");
    }

    /// Logs when a fault ends.
    pub(crate) fn works(&self, way: Way) {
        let mut inner = self.lock();
        let Some(at) = inner.faults.iter().position(|fault| fault.0 == way) else { return };
        let (_, _, since) = inner.faults.remove(at);
        let waiting = inner.waiting();
        drop(inner);
        let what = match way {
            Way::Server => "the NATS server is connected again",
            Way::Outbox => "claims are acknowledged again",
            Way::Forward => "claims reach the hub again",
            Way::Fleet => "the hub is reached again",
            Way::Memory => "the memory takes claims again",
        };
        log::info!("fleet: {what}, after {} s{waiting}", since.elapsed().as_secs());
    }
}

impl Inner {
    /// What waits, as far as it is known.
    fn waiting(&self) -> String {
        let floor = self.out_floor.unwrap_or(0);
        match self.out_last.saturating_sub(floor) {
            0 => String::new(),
            count if self.out_floor.is_some() => format!("; {count} claims wait on the leaf"),
            count => format!("; at most {count} claims wait on the leaf"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_one_until_it_ends() {
        let shared = Shared::default();
        shared.out_is(1, 7);
        let state = shared.state();
        assert_eq!((state.unforwarded, state.unforwarded_max), (None, 7));
        shared.floor_is(3);
        shared.failed(Failure::new(Way::Fleet, "no hub"));
        shared.failed(Failure::new(Way::Server, "no server"));
        shared.failed(Failure::new(Way::Fleet, "still no hub"));
        let state = shared.state();
        let faults: Vec<_> = state.faults.iter().map(|f| (f.way, f.text.as_str())).collect();
        assert_eq!(faults, [(Way::Server, "no server"), (Way::Fleet, "still no hub")]);
        assert_eq!((state.unforwarded, state.unforwarded_max), (Some(4), 4));
        shared.works(Way::Fleet);
        shared.works(Way::Memory);
        shared.forwarded(7, true);
        let state = shared.state();
        assert_eq!((state.faults.len(), state.unforwarded), (1, Some(0)));
        assert_eq!(state.last_error.as_deref(), Some("still no hub"));
        // A new one.
        shared.out_is(2, 1);
        assert_eq!(shared.state().unforwarded, None);
    }

    #[test]
    fn what_is_missed_counts_once() {
        let shared = Shared::default();
        assert_eq!(shared.missed(1, 7, 8), 0);
        assert_eq!(shared.missed(1, 7, 11), 3);
        // Read again before anything was taken, when more was dropped.
        assert_eq!(shared.missed(1, 7, 13), 2);
        assert_eq!(shared.missed(1, 12, 13), 0);
        assert_eq!(shared.missed(1, 20, 22), 1);
        // Another stream.
        assert_eq!(shared.missed(2, 0, 5), 4);
        assert_eq!(shared.state().missed, 10);
    }
}
