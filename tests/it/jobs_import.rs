//! The job that imports a bag, and the session of what is recorded from one.

use crate::robot::{Robot, START};
use crate::streamed::contact;
use robot_memory_core::api::{
    GetMemory, GetMemoryRequest, GetSession, GetSessionRequest, Import, ImportRequest, ListJobs,
    ListJobsRequest, ShownJob,
};
use robot_memory_core::model::{JobProgress, JobStatus, SessionStatus, Stamp};
use robot_memory_engine::{Engine, ImportFault, Importer, JobControl, JobDecision};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

/// What an import comes to.
#[derive(Clone)]
enum Comes {
    Done,
    Fails(ImportFault),
    /// Its job is asked to stop when it is half done.
    Stopped,
}

struct FakeImporter(Comes);

impl Importer for FakeImporter {
    fn import(
        &self,
        engine: &Engine,
        path: &Path,
        collection: &str,
        on_progress: &mut dyn FnMut(&JobProgress) -> JobDecision,
    ) -> Result<Value, ImportFault> {
        if let Comes::Fails(fault) = &self.0 {
            return Err(fault.clone());
        }
        let half = JobProgress { step: "messages".into(), done: 50, total: 100 };
        if on_progress(&half) != JobDecision::On {
            return Err(ImportFault::Passing("stopped".into()));
        }
        if matches!(self.0, Comes::Stopped) {
            let jobs = engine.call::<ListJobs>(ListJobsRequest::default()).expect("jobs").jobs;
            assert_eq!(engine.stop_job(jobs[0].job.id), Ok(true));
            assert_eq!(on_progress(&half), JobDecision::Yield);
            return Err(ImportFault::Passing("stopped".into()));
        }
        Ok(json!({"bag": path, "collection": collection}))
    }
}

/// Answers the same each time.
struct Always(JobDecision);

impl JobControl for Always {
    fn between_steps(&self) -> JobDecision {
        self.0
    }
}

/// A robot on which the import of a bag is queued, and was worked on once.
fn worked(importer: Option<FakeImporter>, control: JobDecision) -> (Robot, ShownJob) {
    let robot = Robot::with(|config| config.jobs.has_workers = true);
    if let Some(importer) = importer {
        robot.engine.set_importer(Arc::new(importer));
    }
    let path = robot.store_path().parent().expect("its folder").display().to_string();
    let request = ImportRequest { path, collection: "bags".into(), ..ImportRequest::default() };
    let queued = robot.call::<Import>(request.clone());
    let again = robot.call::<Import>(request);
    assert_eq!((again.job_id, again.created), (queued.job_id, false));
    let lease = robot.engine.claim_job(0).expect("a look").expect("a job");
    robot.engine.work(&lease, &Always(control)).expect("worked");
    let shown = robot.engine.job(queued.job_id).expect("the job");
    (robot, shown)
}

#[test]
fn its_report_is_the_result() {
    let (robot, ShownJob { job, waits_for }) =
        worked(Some(FakeImporter(Comes::Done)), JobDecision::On);
    assert_eq!((job.status, waits_for.as_str()), (JobStatus::Succeeded, ""));
    let path = robot.store_path();
    let report: Value = serde_json::from_str(&job.result).expect("JSON");
    assert_eq!(report, json!({"bag": path.parent(), "collection": "bags"}));
    assert_eq!((job.progress.step.as_str(), job.progress.done), ("messages", 50));
}

#[test]
fn it_ends_as_it_went() {
    let passing = Comes::Fails(ImportFault::Passing("the disk is full".into()));
    let lasting = Comes::Fails(ImportFault::Lasting("it is no bag".into()));
    let cases = [
        (Some(passing), JobDecision::On, JobStatus::RetryWaiting, "the disk is full"),
        (Some(lasting), JobDecision::On, JobStatus::DeadLetter, "it is no bag"),
        (Some(Comes::Stopped), JobDecision::On, JobStatus::Cancelled, ""),
        (Some(Comes::Done), JobDecision::Yield, JobStatus::Pending, ""),
        (None, JobDecision::On, JobStatus::DeadLetter, "imports no bags"),
    ];
    for (comes, go, status, error) in cases {
        let (_robot, ShownJob { job, .. }) = worked(comes.map(FakeImporter), go);
        assert_eq!(job.status, status, "{}", job.last_error);
        assert!(job.last_error.contains(error), "{status}: {}", job.last_error);
        let counted = u32::from(status != JobStatus::Pending);
        assert_eq!(job.attempt_count, counted, "{status}");
    }
}

#[test]
fn what_is_stored_beside_it_is_no_part_of_the_session_of_a_bag() {
    let robot = Robot::words_only();
    let context = json!({"task": {"name": "import"}});
    let begun = Stamp::from_secs(1_600_000_000);
    let engine = &robot.engine;
    assert_eq!(engine.open_recorded_session("", &context), Ok(None));
    let session_id = engine.begin_recorded_session("", &context, begun).expect("a session");
    let default = robot.call::<GetSession>(GetSessionRequest {
        session_id: session_id.clone(),
        ..GetSessionRequest::default()
    });
    let collection = default.session.collection;
    let open = engine.open_recorded_session(&collection, &context);
    assert_eq!(open, Ok(Some(session_id.clone())));

    let mut own = contact(1, 0.5, 10);
    own.session_id = Some(session_id.clone());
    let answers = engine.record(vec![own, contact(2, 0.5, 10)]).expect("recorded");
    let sessions: Vec<String> = answers
        .into_iter()
        .map(|answer| {
            let memory_id = answer.expect("stored").memory_id;
            let request = GetMemoryRequest { memory_id, ..GetMemoryRequest::default() };
            robot.call::<GetMemory>(request).memory.session_id
        })
        .collect();
    assert_eq!(sessions, [session_id.as_str(), ""]);

    engine.end_recorded_session(&session_id, START).expect("ended");
    assert_eq!(engine.open_recorded_session(&collection, &context), Ok(None));
    let request = GetSessionRequest { session_id, ..GetSessionRequest::default() };
    let session = robot.call::<GetSession>(request).session;
    assert_eq!(session.status, SessionStatus::Ended);
    assert_eq!((session.started_at, session.ended_at), (begun, Some(START)));
    assert_eq!(session.memory_count, 1);
}
