//! The thread that owns the node and spins.

use super::life::has_ended;
use super::lifecycle::{Lifecycle, State};
use super::outcomes::GoalReceiver;
use super::parameters::ParameterServer;
use super::service::Drain;
use super::slot::Rounds;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// How long one spin waits for something to arrive, which is how late the stop is seen.
const SPIN_WAIT: Duration = Duration::from_millis(20);

/// The spinning thread.
pub(super) struct Spin {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<()>,
    ended: oneshot::Receiver<()>,
}

impl Spin {
    /// Spins, and after each spin takes whatever arrived.
    ///
    /// # Errors
    /// When there can be no thread.
    pub fn start(
        mut node: r2r::Node,
        mut services: Vec<Box<dyn Drain>>,
        mut parameters: ParameterServer,
        mut goals: Option<GoalReceiver>,
        lifecycle: Lifecycle,
        rounds: Rounds,
    ) -> std::io::Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let is_stopped = Arc::clone(&stop);
        let (ends, ended) = oneshot::channel();
        let thread = std::thread::Builder::new().name("spin".to_owned()).spawn(move || {
            // Dropped when this thread ends, for whatever reason.
            let _ends: oneshot::Sender<()> = ends;
            while !is_stopped.load(Ordering::Relaxed) {
                node.spin_once(SPIN_WAIT);
                rounds.add();
                for service in &mut services {
                    service.drain();
                }
                parameters.answer(&mut node);
                if let Some(goals) = &mut goals {
                    goals.drain(&mut node, lifecycle.state() == State::Active);
                }
            }
        })?;
        Ok(Self { stop, thread, ended })
    }

    /// Waits until the thread has ended, which it only does by itself when something is broken.
    pub async fn ended(&mut self) {
        let _ = (&mut self.ended).await;
    }

    /// Spins no more, and drops the node in the thread that spun. Answers whether that was done by
    /// the deadline.
    pub fn end(self, deadline: Instant) -> bool {
        self.stop.store(true, Ordering::Relaxed);
        if !has_ended(&self.thread, deadline) {
            log::warn!("the node did not leave ROS in time");
            return false;
        }
        if let Err(_logged_by_the_panic_hook) = self.thread.join() {
            log::error!("the spinning thread ended by a fault");
        }
        true
    }
}
