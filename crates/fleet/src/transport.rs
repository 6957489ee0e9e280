//! The thread of the transport: connects, runs both directions, connects again.

use crate::backoff::{Backoff, SERVER_LONGEST};
use crate::link::Link;
use crate::memory::{Calls, Memory};
use crate::settings::{Error, Settings};
use crate::site::{self, Question, Site, TakeAnswer, Unanswered};
use crate::state::{Failure, Shared, State, Way};
use crate::{forward, outbox, receive};
use robot_memory_core::limits::{SITE_AT_ONCE_MAX, SITE_WAITING_MAX};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::{Mutex, watch};
use tokio::time::Instant;

/// A connection that lasted so long is made again without a wait when it is lost.
const STEADY: Duration = Duration::from_secs(5);
/// How long a call of the memory is waited for at the end.
const LAST_CALL: Duration = Duration::from_millis(1500);
/// One for each direction.
const CALLS_AT_ONCE: usize = 2;

/// A running transport. It ends when it is dropped, within two seconds.
pub struct Transport {
    shared: Arc<Shared>,
    questions: Sender<Question>,
    is_over: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

/// Starts a transport. It connects by itself, now or when the server is there.
///
/// # Errors
/// When a setting cannot be used.
pub fn start(settings: Settings, memory: Arc<dyn Memory>) -> Result<Transport, Error> {
    start_with(settings, memory, None)
}

/// Starts the transport of the memory of a site, which also answers what robots ask it.
///
/// # Errors
/// When a setting cannot be used.
pub fn start_site(
    settings: Settings,
    memory: Arc<dyn Memory>,
    site: Arc<dyn Site>,
) -> Result<Transport, Error> {
    start_with(settings, memory, Some(site))
}

fn start_with(
    settings: Settings,
    memory: Arc<dyn Memory>,
    site: Option<Arc<dyn Site>>,
) -> Result<Transport, Error> {
    settings.check()?;
    let shared = Arc::new(Shared::default());
    let (is_over, mut over) = watch::channel(false);
    let (questions, asked) = channel(SITE_WAITING_MAX);
    let answers = site.as_ref().map_or(0, |_| SITE_AT_ONCE_MAX);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(CALLS_AT_ONCE + 1 + answers)
        .thread_name("fleet call")
        .build()?;
    let running = Arc::clone(&shared);
    let thread = std::thread::Builder::new().name("fleet".to_owned()).spawn(move || {
        runtime.block_on(async {
            tokio::select! {
                // An error: nobody can end it any more.
                _ = over.wait_for(|is_over| *is_over) => (),
                () = run(&settings, memory, site, Mutex::new(asked), &running) => (),
            }
        });
        runtime.shutdown_timeout(LAST_CALL);
        running.hub_is_reached(false);
        running.change(|state| state.is_connected = false);
    })?;
    Ok(Transport { shared, questions, is_over, thread: Some(thread) })
}

impl Transport {
    /// The outbox got something: it is sent now.
    pub fn wake(&self) {
        self.shared.wake.notify_one();
    }

    /// Asks the memory of the site. `take` is called once, here or on the transport's thread, when there is an answer or
    /// `within` has passed; not when the transport ends before.
    pub fn ask(&self, question: Vec<u8>, within: Duration, take: TakeAnswer) {
        if !self.shared.is_connected() {
            let text = "the NATS server is not connected".to_owned();
            return take(Err(Unanswered::Unreachable(text)));
        }
        let deadline = Instant::now() + within;
        if let Err(refused) = self.questions.try_send(Question { text: question, deadline, take }) {
            let text = format!("{SITE_WAITING_MAX} questions wait already");
            (refused.into_inner().take)(Err(Unanswered::Unreachable(text)));
        }
    }

    /// What is known now.
    #[must_use]
    pub fn state(&self) -> State {
        self.shared.state()
    }

    /// Ends it, as dropping it does.
    pub fn stop(self) {
        drop(self);
    }
}

impl Drop for Transport {
    fn drop(&mut self) {
        self.is_over.send_replace(true);
        if let Some(thread) = self.thread.take() {
            // A panic there is on standard error already.
            let _ = thread.join();
        }
    }
}

async fn run(
    settings: &Settings,
    memory: Arc<dyn Memory>,
    site: Option<Arc<dyn Site>>,
    questions: Mutex<Receiver<Question>>,
    shared: &Shared,
) {
    let (sending, taking) = (Calls::new(Arc::clone(&memory)), Calls::new(memory));
    let mut backoff = Backoff::up_to(SERVER_LONGEST);
    loop {
        match Link::connect(settings).await {
            Err(failure) => shared.failed(failure),
            Ok(link) => {
                let begun = Instant::now();
                let forwarding = async {
                    match &link.leaf {
                        Some(leaf) => forward::run(&link, leaf, settings, shared).await,
                        None => std::future::pending().await,
                    }
                };
                let answering = async {
                    match &site {
                        Some(site) => site::answer(&link, site).await,
                        None => std::future::pending().await,
                    }
                };
                shared.change(|state| state.is_connected = true);
                shared.works(Way::Server);
                tokio::select! {
                    () = link.lost() => (),
                    () = outbox::run(&link, &sending, settings, shared) => (),
                    () = forwarding => (),
                    _ = site::ask(&link, settings, &questions) => (),
                    _ = answering => (),
                    () = receive::run(&link, &taking, settings, shared) => (),
                }
                shared.hub_is_reached(false);
                shared.change(|state| (state.is_connected, state.unacked) = (false, 0));
                let text =
                    format!("the connection to the NATS server {} is lost", settings.shown_url());
                shared.failed(Failure::new(Way::Server, text));
                if begun.elapsed() > STEADY {
                    backoff.reset();
                }
            }
        }
        backoff.wait().await;
    }
}
