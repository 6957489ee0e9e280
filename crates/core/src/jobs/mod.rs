//! The life of a job: which event leads where, and when. Rows in, rows out; pure.

mod backoff;
mod schedule;
#[cfg(test)]
mod tests;

pub use backoff::backoff_millis;
pub use schedule::{DailyAt, DueTimes, WeeklyAt};

use crate::limits::{JOB_ENDS_MAX, JOB_ERROR_CHARS_MAX};
use crate::model::{Job, JobProgress, JobStatus};

/// How long things may take, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pacing {
    /// How long a worker has a job unless it renews its lease.
    pub lease_millis: i64,
    /// The wait after the first failure.
    pub backoff_base_millis: i64,
    /// The longest wait.
    pub backoff_max_millis: i64,
}

/// What happens to a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event<'a> {
    /// A worker takes it.
    Claimed {
        /// Names the worker.
        owner: &'a str,
    },
    /// The worker begins.
    Begun {
        /// That of the scope as it begins.
        revision: i64,
    },
    /// The worker says that it still works.
    Renewed,
    /// It is done.
    Succeeded {
        /// What came of it, a JSON object.
        result: &'a str,
    },
    /// It failed, and may go better next time.
    Failed {
        /// Why; names no content.
        error: &'a str,
    },
    /// It failed, and will never go better.
    FailedForGood {
        /// Why; names no content.
        error: &'a str,
    },
    /// The worker gives it back unharmed, which is no attempt.
    Yielded,
    /// The worker is silent for longer than its lease.
    Lost {
        /// How that shows.
        error: &'a str,
    },
    /// The node ended meanwhile, or the store was put back: no fault of the job, and no attempt.
    Ended {
        /// What ended it.
        error: &'a str,
        /// How often the node ended since the last step that was committed, with this; 0 when it was not
        /// the node.
        count: u32,
    },
    /// The worker was asked to stop, and has.
    Stopped,
    /// It is taken out of the queue.
    Cancelled,
    /// It begins anew after its end.
    Retried,
}

/// Where a job goes from `status` by an event; `None`: nowhere, since that cannot happen to it there.
/// `is_last`: whether its attempts are used up.
pub const fn next_status(status: JobStatus, event: &Event<'_>, is_last: bool) -> Option<JobStatus> {
    use JobStatus::{Cancelled, DeadLetter, Leased, Pending, RetryWaiting, Running, Succeeded};
    match (status, event) {
        (Pending | RetryWaiting, Event::Claimed { .. }) => Some(Leased),
        (Pending | RetryWaiting, Event::Cancelled) => Some(Cancelled),
        (Leased, Event::Begun { .. }) => Some(Running),
        (Leased | Running, Event::Renewed) => Some(status),
        (Leased | Running, Event::Yielded) => Some(Pending),
        (Leased | Running, Event::Lost { .. }) if is_last => Some(DeadLetter),
        (Leased | Running, Event::Lost { .. }) => Some(Pending),
        (Leased | Running, Event::Ended { count, .. }) if *count >= JOB_ENDS_MAX => {
            Some(DeadLetter)
        }
        (Leased | Running, Event::Ended { .. }) => Some(Pending),
        (Leased | Running, Event::Stopped) => Some(Cancelled),
        (Running, Event::Succeeded { .. }) => Some(Succeeded),
        (Running, Event::Failed { .. }) if is_last => Some(DeadLetter),
        (Running, Event::Failed { .. }) => Some(RetryWaiting),
        (Running, Event::FailedForGood { .. }) => Some(DeadLetter),
        (DeadLetter | Cancelled, Event::Retried) => Some(Pending),
        (
            Pending | RetryWaiting,
            Event::Begun { .. }
            | Event::Renewed
            | Event::Succeeded { .. }
            | Event::Failed { .. }
            | Event::FailedForGood { .. }
            | Event::Yielded
            | Event::Lost { .. }
            | Event::Ended { .. }
            | Event::Stopped
            | Event::Retried,
        )
        | (Leased, Event::Succeeded { .. } | Event::Failed { .. } | Event::FailedForGood { .. })
        | (Running, Event::Begun { .. })
        | (Leased | Running, Event::Claimed { .. } | Event::Cancelled | Event::Retried)
        | (Succeeded, _)
        | (
            DeadLetter | Cancelled,
            Event::Claimed { .. }
            | Event::Begun { .. }
            | Event::Renewed
            | Event::Succeeded { .. }
            | Event::Failed { .. }
            | Event::FailedForGood { .. }
            | Event::Yielded
            | Event::Lost { .. }
            | Event::Ended { .. }
            | Event::Stopped
            | Event::Cancelled,
        ) => None,
    }
}

/// A job after an event at `now`, in milliseconds of the machine's clock; `None` when that cannot
/// happen to it.
pub fn after(job: &Job, event: &Event<'_>, now: i64, pacing: &Pacing) -> Option<Job> {
    let is_last = job.attempt_count >= job.max_attempts;
    let status = next_status(job.status, event, is_last)?;
    let mut job = Job { status, updated_at: now, ..job.clone() };
    if !status.is_held() {
        job.lease_owner.clear();
        job.lease_until = None;
    }
    job.finished_at = status.is_finished().then_some(now);
    match *event {
        Event::Claimed { owner } => {
            owner.clone_into(&mut job.lease_owner);
            job.lease_until = Some(now.saturating_add(pacing.lease_millis));
            job.attempt_count = job.attempt_count.saturating_add(1);
        }
        Event::Begun { revision } => job.based_on_revision = revision,
        Event::Renewed => job.lease_until = Some(now.saturating_add(pacing.lease_millis)),
        Event::Succeeded { result } => result.clone_into(&mut job.result),
        Event::Failed { error } => {
            job.last_error = shortened(error);
            if status == JobStatus::RetryWaiting {
                let wait = backoff_millis(job.id, job.attempt_count, pacing);
                job.available_at = now.saturating_add(wait);
            }
        }
        Event::FailedForGood { error } => job.last_error = shortened(error),
        Event::Yielded => {
            job.attempt_count = job.attempt_count.saturating_sub(1);
            job.available_at = now;
        }
        Event::Lost { error } => {
            let (attempt, most) = (job.attempt_count, job.max_attempts);
            job.last_error = shortened(&format!("{error} (attempt {attempt} of {most})"));
            if status == JobStatus::Pending {
                job.available_at = now;
            }
        }
        Event::Ended { error, count } => {
            job.last_error = shortened(&match count {
                0 => error.to_owned(),
                count => format!("{error} ({count} of {JOB_ENDS_MAX} times at the same step)"),
            });
            // A worker that is gone has not failed.
            job.attempt_count = job.attempt_count.saturating_sub(1);
            if status == JobStatus::Pending {
                job.available_at = now;
            }
        }
        Event::Stopped | Event::Cancelled => {}
        Event::Retried => {
            job.attempt_count = 0;
            job.available_at = now;
            job.last_error.clear();
            job.progress = JobProgress::default();
        }
    }
    Some(job)
}

/// A job whose times lie further ahead than they were ever set, because the clock was set back since:
/// with times that are as far ahead as they can be. `None` when its times are as they should be.
pub fn pulled_in(job: &Job, now: i64, pacing: &Pacing) -> Option<Job> {
    let lease_max = now.saturating_add(pacing.lease_millis);
    let available_max = match job.status {
        // It is available as soon as it is queued.
        JobStatus::Pending => now,
        JobStatus::RetryWaiting => now.saturating_add(pacing.backoff_max_millis),
        _ => i64::MAX,
    };
    let lease_until = job.lease_until.map(|until| until.min(lease_max));
    let available_at = job.available_at.min(available_max);
    (lease_until != job.lease_until || available_at != job.available_at).then(|| Job {
        lease_until,
        available_at,
        updated_at: now,
        ..job.clone()
    })
}

/// As much of an error's text as a job keeps.
fn shortened(error: &str) -> String {
    error.chars().take(JOB_ERROR_CHARS_MAX).collect()
}
