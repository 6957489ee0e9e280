use super::{Event, Pacing, after, backoff_millis, next_status, pulled_in};
use crate::limits::{JOB_ENDS_MAX, JOB_ERROR_CHARS_MAX};
use crate::model::{Job, JobProgress, JobScope, JobStatus, JobType};
use proptest::prelude::*;

const PACING: Pacing =
    Pacing { lease_millis: 120_000, backoff_base_millis: 1_000, backoff_max_millis: 30_000 };
const NOW: i64 = 1_750_000_000_000;

const EVENTS: [(&str, Event<'static>); 13] = [
    ("claimed", Event::Claimed { owner: "run-1/worker-0" }),
    ("begun", Event::Begun { revision: 7 }),
    ("renewed", Event::Renewed),
    ("succeeded", Event::Succeeded { result: "{}" }),
    ("failed", Event::Failed { error: "the model is away" }),
    ("failed for good", Event::FailedForGood { error: "no such turn" }),
    ("handed back", Event::Yielded),
    ("lost", Event::Lost { error: "it said nothing" }),
    ("ended", Event::Ended { error: "the node ended", count: JOB_ENDS_MAX - 1 }),
    ("ended often", Event::Ended { error: "the node ended", count: JOB_ENDS_MAX }),
    ("stopped", Event::Stopped),
    ("cancelled", Event::Cancelled),
    ("retried", Event::Retried),
];

fn queued(id: i64, max_attempts: u32) -> Job {
    Job {
        id,
        scope: JobScope::All,
        job_type: JobType::Maintenance,
        status: JobStatus::Pending,
        turn_id: String::new(),
        based_on_revision: 0,
        payload: "{}".into(),
        result: String::new(),
        progress: JobProgress::default(),
        attempt_count: 0,
        max_attempts,
        available_at: NOW,
        lease_owner: String::new(),
        lease_until: None,
        last_error: String::new(),
        agent: String::new(),
        created_at: NOW,
        updated_at: NOW,
        finished_at: None,
    }
}

#[test]
fn every_event_leads_where_it_should_and_nowhere_else() {
    // From, by which event, to; with attempts left, and to when it was the last.
    let table = "\
        pending claimed leased
        pending cancelled cancelled
        retry_waiting claimed leased
        retry_waiting cancelled cancelled
        leased begun running
        leased renewed leased
        leased handed_back pending
        leased lost pending dead_letter
        leased ended pending
        leased ended_often dead_letter
        leased stopped cancelled
        running renewed running
        running succeeded succeeded
        running failed retry_waiting dead_letter
        running failed_for_good dead_letter
        running handed_back pending
        running lost pending dead_letter
        running ended pending
        running ended_often dead_letter
        running stopped cancelled
        dead_letter retried pending
        cancelled retried pending";
    let mut expected: Vec<[String; 4]> = table
        .lines()
        .map(|line| {
            let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            let last = words.get(3).unwrap_or(&words[2]).clone();
            [words[0].clone(), words[1].replace('_', " "), words[2].clone(), last]
        })
        .collect();
    let mut found = Vec::new();
    for status in JobStatus::ALL {
        for (name, event) in &EVENTS {
            let [next, last] = [false, true].map(|is_last| next_status(*status, event, is_last));
            assert_eq!(next.is_some(), last.is_some(), "{status} {name}");
            if let (Some(next), Some(last)) = (next, last) {
                let words = [status.as_str(), name, next.as_str(), last.as_str()];
                found.push(words.map(str::to_owned));
            }
        }
    }
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
}

#[test]
fn waits_double_up_to_the_greatest_and_differ_between_jobs() {
    for (attempt, full) in
        [(1, 1_000), (2, 2_000), (3, 4_000), (4, 8_000), (5, 16_000), (6, 30_000)]
    {
        let waits: Vec<i64> = (1..=1_000).map(|id| backoff_millis(id, attempt, &PACING)).collect();
        assert!(waits.iter().all(|wait| (full / 2..full).contains(wait)), "{attempt}");
        let mean = waits.iter().sum::<i64>() / 1_000;
        assert!((mean - full * 3 / 4).abs() < full / 40, "{attempt}: {mean}");
    }
    assert_eq!(backoff_millis(12, 3, &PACING), backoff_millis(12, 3, &PACING));
    let still = Pacing { backoff_base_millis: 0, backoff_max_millis: 0, ..PACING };
    assert_eq!(backoff_millis(1, 1, &still), 0);
}

#[test]
fn the_end_of_the_node_is_no_attempt_of_a_job() {
    let mut job = queued(1, 2);
    for count in 1..JOB_ENDS_MAX {
        for event in [Event::Claimed { owner: "w" }, Event::Begun { revision: 0 }] {
            job = after(&job, &event, NOW, &PACING).expect("it can");
        }
        assert_eq!(job.attempt_count, 1);
        let ended = Event::Ended { error: "the node ended", count };
        job = after(&job, &ended, NOW, &PACING).expect("it can");
        assert_eq!((job.status, job.attempt_count), (JobStatus::Pending, 0));
        let said = format!("the node ended ({count} of {JOB_ENDS_MAX} times at the same step)");
        assert_eq!(job.last_error, said);
    }
}

#[test]
fn a_long_error_is_kept_in_part() {
    let mut job = queued(1, 1);
    for event in [Event::Claimed { owner: "w" }, Event::Begun { revision: 0 }] {
        job = after(&job, &event, NOW, &PACING).expect("it can");
    }
    let error = "é".repeat(JOB_ERROR_CHARS_MAX + 1);
    let failed = after(&job, &Event::Failed { error: &error }, NOW, &PACING).expect("it can");
    assert_eq!(failed.last_error.chars().count(), JOB_ERROR_CHARS_MAX);
    assert_eq!(failed.status, JobStatus::DeadLetter, "of one attempt");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn what_goes_together_stays_together(
        id in 1..i64::MAX,
        max_attempts in 1..7_u32,
        history in prop::collection::vec((0..EVENTS.len(), -400_000_000_000..400_000_000_000_i64), 1..80),
    ) {
        let mut job = queued(id, max_attempts);
        let mut now = NOW;
        for (event, passed) in history {
            now += passed;
            let (name, event) = &EVENTS[event];
            let Some(next) = after(&job, event, now, &PACING) else { continue };
            prop_assert_eq!(next.lease_until.is_some(), next.status.is_held(), "{}", name);
            prop_assert_eq!(next.lease_owner.is_empty(), !next.status.is_held(), "{}", name);
            prop_assert_eq!(next.finished_at.is_some(), next.status.is_finished(), "{}", name);
            prop_assert!(next.attempt_count <= max_attempts, "{}", name);
            if !next.status.is_finished() && !next.status.is_held() {
                prop_assert!(next.attempt_count < max_attempts, "{}: it could never be given up", name);
                prop_assert!(next.available_at <= now + PACING.backoff_max_millis, "{}", name);
            }
            prop_assert_eq!((next.id, next.created_at, next.updated_at), (id, NOW, now));
            job = next;
        }
    }

    #[test]
    fn times_are_never_further_ahead_than_they_can_be(
        status in 0..JobStatus::ALL.len(),
        available_at in any::<i64>(),
        lease_until in any::<i64>(),
        now in any::<i64>(),
    ) {
        let status = JobStatus::ALL[status];
        let lease_until = status.is_held().then_some(lease_until);
        let job = Job { status, available_at, lease_until, ..queued(1, 5) };
        let pulled = pulled_in(&job, now, &PACING).unwrap_or_else(|| job.clone());
        prop_assert!(pulled.available_at <= available_at && pulled.lease_until <= lease_until);
        prop_assert!(pulled.lease_until.is_none_or(|until| until <= now.saturating_add(120_000)));
        match status {
            JobStatus::Pending => prop_assert!(pulled.available_at <= now),
            JobStatus::RetryWaiting => {
                prop_assert!(pulled.available_at <= now.saturating_add(30_000));
            }
            _ => prop_assert_eq!(pulled.available_at, available_at),
        }
        prop_assert_eq!(pulled_in(&pulled, now, &PACING), None);
    }
}
