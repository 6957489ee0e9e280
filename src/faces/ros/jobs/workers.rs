//! Those who work on jobs: tasks in a runtime of their own, and the threads that their calls block.

use crate::config::Settings;
use crate::faces::work_queue::WorkQueue;
use robot_memory_core::api::{ApiError, ErrorKind};
use robot_memory_core::model::Job;
use robot_memory_engine::{Engine, JobControl, JobDecision, JobLease, MachineClock};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::Notify;
use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::{sleep, sleep_until};

/// Renewals of a lease while it lasts.
const RENEWALS: u32 = 3;
/// The longest sleep of a worker that nothing wakes: the machine's clock may jump meanwhile.
const SLEEP_MAX: Duration = Duration::from_secs(5);
/// The shortest: another worker may just have taken the job.
const SLEEP_MIN: Duration = Duration::from_millis(20);
/// After an error, which the next attempt would most likely meet again.
const REST: Duration = Duration::from_secs(1);
/// How long a job lets callers go first, between two of its steps.
const YIELD_MAX: Duration = Duration::from_millis(100);
/// How long it sleeps before it looks again whether they wait.
const YIELD: Duration = Duration::from_millis(2);

/// The workers, and the thread that their tasks are on.
pub(in crate::faces::ros) struct Workers {
    shared: Arc<Shared>,
    thread: JoinHandle<()>,
}

struct Shared {
    engine: Arc<Engine>,
    clock: MachineClock,
    renewal: Duration,
    /// A job may be there, or it is time to stop.
    changed: Notify,
    control: WorkerControl,
}

/// Where jobs let callers pass, and where they are told to stop.
struct WorkerControl {
    /// Calls in these go before jobs.
    queues: [Arc<WorkQueue>; 2],
    is_stopping: AtomicBool,
}

impl Workers {
    /// Starts as many workers as the parameters say; `None` when that is none.
    ///
    /// # Errors
    /// When there can be no thread or no runtime.
    pub fn start(
        settings: &Settings,
        engine: &Arc<Engine>,
        queues: [Arc<WorkQueue>; 2],
    ) -> std::io::Result<Option<Self>> {
        let count = usize::try_from(settings.job_workers).unwrap_or(0);
        if count == 0 {
            return Ok(None);
        }
        let lease = Duration::from_secs_f64(settings.job_lease_secs);
        let shared = Arc::new(Shared {
            engine: Arc::clone(engine),
            clock: MachineClock::default(),
            renewal: lease / RENEWALS,
            changed: Notify::new(),
            control: WorkerControl { queues, is_stopping: AtomicBool::new(false) },
        });
        let waking = Arc::downgrade(&shared);
        engine.wake_on_jobs(move || {
            let shared = waking.upgrade();
            shared.inspect(|shared| shared.changed.notify_waiters()).is_some()
        });
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .thread_name("job")
            // One for the body of each job, and one for what is short.
            .max_blocking_threads(count + 1)
            .build()?;
        let working = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("jobs".to_owned()).spawn(move || {
            runtime.block_on(async {
                let mut workers = JoinSet::new();
                for worker in 0..count {
                    workers.spawn(Arc::clone(&working).work(worker));
                }
                while workers.join_next().await.is_some() {}
            });
        })?;
        Ok(Some(Self { shared, thread }))
    }

    /// Takes no more jobs, and lets those that are being done be handed back between two steps. The
    /// thread ends after the last.
    pub fn stop(self) -> JoinHandle<()> {
        self.shared.control.is_stopping.store(true, Ordering::SeqCst);
        self.shared.changed.notify_waiters();
        self.thread
    }
}

impl Shared {
    async fn work(self: Arc<Self>, worker: usize) {
        let mut troubles = Troubles::default();
        loop {
            // What changes from here on is not missed.
            let mut changed = pin!(self.changed.notified());
            changed.as_mut().enable();
            if self.control.is_stopping() {
                return;
            }
            let rest = match self.call(move |engine| engine.claim_job(worker)).await {
                Ok(Some(lease)) => match self.job(lease).await {
                    Ok(job) => {
                        troubles.none();
                        log::debug!("job {} ({}): {}", job.id, job.job_type, job.status);
                        continue;
                    }
                    Err(error) => troubles.rest_after("a job", &error),
                },
                Ok(None) => {
                    troubles.none();
                    self.until_next().await
                }
                Err(error) => troubles.rest_after("looking for jobs", &error),
            };
            let until = tokio::time::Instant::now() + rest;
            loop {
                tokio::select! {
                    () = changed.as_mut() => {}
                    () = sleep_until(until) => break,
                }
                changed.set(self.changed.notified());
                changed.as_mut().enable();
                // After an error the change may be that of the job that met it.
                if !troubles.has_any() || self.control.is_stopping() {
                    break;
                }
            }
        }
    }

    /// Does a job, and says meanwhile that it is being done.
    async fn job(self: &Arc<Self>, lease: JobLease) -> Result<Job, ApiError> {
        let lease = Arc::new(lease);
        let (own, done) = (Arc::clone(self), Arc::clone(&lease));
        let mut body = spawn_blocking(move || own.engine.work(&done, &own.control));
        loop {
            tokio::select! {
                ended = &mut body => return ended.unwrap_or_else(|_| Err(fault())),
                () = sleep(self.renewal) => {}
            }
            let lease = Arc::clone(&lease);
            match self.call(move |engine| engine.renew_lease(&lease)).await {
                Ok(true) => {}
                // The body finds that out at its next commit.
                Ok(false) => log::debug!("a job was taken over"),
                Err(error) => log::debug!("a lease is not renewed yet: {error}"),
            }
        }
    }

    /// How long there is nothing to do, unless something changes.
    async fn until_next(self: &Arc<Self>) -> Duration {
        match self.call(Engine::next_job_at).await {
            Ok(None) => SLEEP_MAX,
            Ok(Some(at)) => {
                let millis = at.saturating_sub(self.clock.now_millis());
                let until = Duration::from_millis(u64::try_from(millis).unwrap_or(0));
                until.clamp(SLEEP_MIN, SLEEP_MAX)
            }
            Err(_) => REST,
        }
    }

    async fn call<T: Send + 'static>(
        self: &Arc<Self>,
        call: impl FnOnce(&Engine) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let engine = Arc::clone(&self.engine);
        spawn_blocking(move || call(&engine)).await.unwrap_or_else(|_| Err(fault()))
    }
}

fn fault() -> ApiError {
    let message = "a fault in the node; its log names the place".to_owned();
    ApiError { kind: ErrorKind::Internal, message }
}

impl WorkerControl {
    fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::SeqCst)
    }
}

impl JobControl for WorkerControl {
    fn between_steps(&self) -> JobDecision {
        let begun = Instant::now();
        let is_wanted = || self.queues.iter().any(|queue| queue.load().waiting > 0);
        while !self.is_stopping() && begun.elapsed() < YIELD_MAX && is_wanted() {
            std::thread::sleep(YIELD);
        }
        if self.is_stopping() { JobDecision::Yield } else { JobDecision::On }
    }
}

/// What goes wrong, told once as long as it lasts.
#[derive(Default)]
struct Troubles(Option<ErrorKind>);

impl Troubles {
    fn none(&mut self) {
        self.0 = None;
    }

    fn has_any(&self) -> bool {
        self.0.is_some()
    }

    /// Answers how long to wait.
    fn rest_after(&mut self, what: &str, error: &ApiError) -> Duration {
        if self.0.replace(error.kind) == Some(error.kind) {
            log::debug!("{what}: {error}");
        } else {
            log::warn!("{what}: {error}");
        }
        REST
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faces::work_queue::Work;

    /// Waits for ever in a queue that has no workers.
    struct Waiting;

    impl Work for Waiting {
        fn run(self: Box<Self>) {}
    }

    fn control(waiting: usize) -> WorkerControl {
        let writes = WorkQueue::new("writes", 10);
        writes.open(0).expect("no threads are needed");
        for _ in 0..waiting {
            assert!(writes.submit(Waiting).is_ok());
        }
        let queues = [WorkQueue::new("reads", 10), writes];
        WorkerControl { queues, is_stopping: AtomicBool::new(false) }
    }

    fn timed(control: &WorkerControl) -> (JobDecision, bool) {
        let begun = Instant::now();
        (control.between_steps(), begun.elapsed() >= YIELD_MAX)
    }

    #[test]
    fn callers_go_first_but_not_for_ever() {
        assert_eq!(timed(&control(0)), (JobDecision::On, false));
        assert_eq!(timed(&control(3)), (JobDecision::On, true));
    }

    #[test]
    fn a_stop_hands_back_whoever_waits() {
        let control = control(3);
        control.is_stopping.store(true, Ordering::SeqCst);
        assert_eq!(timed(&control), (JobDecision::Yield, false));
    }

    #[test]
    fn a_trouble_that_lasts_is_told_once() {
        let mut troubles = Troubles::default();
        assert!(!troubles.has_any());
        assert_eq!(troubles.rest_after("a test", &fault()), REST);
        assert!(troubles.has_any());
        troubles.none();
        assert!(!troubles.has_any());
    }
}
