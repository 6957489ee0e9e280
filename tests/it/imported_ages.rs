//! What was imported ages from then on, and is archived for nobody who did not ask for it.

use crate::import::{Place, real_bag};
use crate::robot::{config, sql};
use crate::scope_work::Steps;
use robot_memory_core::api::{RunMaintenance, RunMaintenanceRequest};
use robot_memory_core::model::{Clock, JobStatus, Stamp};
use robot_memory_engine::Engine;
use std::path::Path;
use std::sync::Arc;

/// It is always then.
struct Standing(Stamp);

impl Clock for Standing {
    fn now(&self) -> Option<Stamp> {
        Some(self.0)
    }
}

#[test]
fn what_was_imported_ages_from_then_on_and_the_time_is_not_that_of_the_bag() {
    let place = Place::new();
    let bag = real_bag();
    place.import(&bag, &[]);
    let imported = place.memories().len();
    assert!(imported > 10);
    let now = "SELECT last_now IS NULL FROM store_state";
    assert!(sql::<bool>(&place.store(), now), "the store knows no time by an import");
    let known_at = Stamp(sql(&place.store(), "SELECT min(known_at) FROM memory"));
    assert_eq!(sql::<i64>(&place.store(), "SELECT count(known_at) FROM memory"), imported as i64);
    let archived = |place: &Place| -> i64 {
        sql(&place.store(), "SELECT count(*) FROM memory WHERE status = 'archived'")
    };
    // A robot lives on with the store; each week it looks for what is forgotten.
    for (days, asked_for, expected) in
        [(1.0, false, 0), (60.0, true, 0), (120.0, false, 0), (121.0, true, 1)]
    {
        let clock = Arc::new(Standing(known_at.plus_days(days)));
        let mut config = config(&place.store());
        config.jobs.has_workers = true;
        let (engine, _) = Engine::open(config, clock).expect("it opens");
        assert_eq!(engine.clock_state().as_str(), "steady", "{days} days");
        maintain_weekly(&engine, &place.store(), asked_for);
        drop(engine);
        // The important ones later.
        let is_archived = archived(&place) > imported as i64 / 2;
        assert_eq!(is_archived, expected > 0, "{days} days: {}", archived(&place));
    }
}

/// As the schedule does it, or a person who asks for it.
fn maintain_weekly(engine: &Engine, store: &Path, asked_for: bool) {
    let mode = "weekly".into();
    let request = RunMaintenanceRequest { mode, ..Default::default() };
    engine.call::<RunMaintenance>(request).expect("it is queued");
    if !asked_for {
        let store = rusqlite::Connection::open(store).expect("the file opens");
        let scheduled = "UPDATE job SET payload = json_remove(payload, '$.asked_for') \
             WHERE finished_at IS NULL";
        assert_eq!(store.execute(scheduled, []).expect("changed"), 1);
    }
    let lease = engine.claim_job(0).expect("a job can be claimed").expect("a job");
    let job = engine.work(&lease, &Steps::at_most(usize::MAX)).expect("it is worked on");
    assert_eq!(job.status, JobStatus::Succeeded, "{}", job.last_error);
}
