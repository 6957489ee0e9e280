//! Answers to callers that the middleware has not found yet.
//!
//! A client can send a request before the node knows the client's reader of answers; rmw_fastrtps waits a tenth of
//! a second for it and then refuses the answer. It is sent again until the reader is found.

use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// Answers that wait at a time; beyond it callers are left to their timeouts.
const WAITING_MAX: usize = 1_000;
/// A caller that was not found after so long is gone.
const FIND_MAX: Duration = Duration::from_secs(5);
/// Between two attempts: each holds up the service for a tenth of a second.
const PERIOD: Duration = Duration::from_millis(200);

/// Sends an answer. Answers whether that is over: it was sent, or the caller is gone.
pub(super) type Send = Box<dyn FnMut() -> bool + std::marker::Send>;

struct Late {
    send: Send,
    until: Instant,
}

/// Sends an answer later.
pub(super) fn put(send: Send) {
    static QUEUE: OnceLock<Option<SyncSender<Late>>> = OnceLock::new();
    let queue = QUEUE.get_or_init(|| {
        let (late, waiting) = sync_channel(WAITING_MAX);
        let thread = std::thread::Builder::new().name("late replies".to_owned());
        thread.spawn(move || run(&waiting)).ok().map(|_| late)
    });
    let late = Late { send, until: Instant::now() + FIND_MAX };
    if queue.as_ref().is_none_or(|queue| queue.try_send(late).is_err()) {
        log::warn!("an answer is not sent: too many callers are not found yet");
    }
}

fn run(waiting: &Receiver<Late>) {
    let mut all: Vec<Late> = Vec::new();
    loop {
        if all.is_empty() {
            let Ok(late) = waiting.recv() else { return };
            all.push(late);
        }
        all.extend(waiting.try_iter().take(WAITING_MAX - all.len().min(WAITING_MAX)));
        all.retain_mut(|late| !(late.send)() && Instant::now() < late.until);
        std::thread::sleep(PERIOD);
    }
}
