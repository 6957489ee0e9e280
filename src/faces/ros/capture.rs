//! The service `~/capture`: keep what is heard just now.
//!
//! It answers when everything is stored, which takes as long as it listens on. Until then calls wait
//! side by side in one thread of their own, and hold up no others.

use super::service::{Drain, Owed, Requests, arrived, serve, unless_it_panics};
use super::stop::Stop;
use super::streams::Streams;
use super::wire::Wire;
use crate::faces::calls::{CallCounts, Face, OperationCounts};
use crate::faces::http::CaptureAnswer;
use robot_memory_core::api::{ApiError, Capture, CaptureRequest, CaptureResponse, Operation};
use robot_memory_core::limits::{CAPTURE_REASON_CHARS_MAX, CAPTURE_SECS_MAX};
use robot_memory_core::model::nearest;
use robot_memory_engine::Engine;
use robot_memory_perception::Capture as Wanted;
use std::collections::BTreeSet;
use std::sync::mpsc::{
    Receiver, RecvTimeoutError, SyncSender, TryRecvError, TrySendError, sync_channel,
};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Captures that wait at a time; each holds a window of all streams.
const WAITING_MAX: usize = 16;
/// Beyond what it listens, a capture may take so long to be stored.
const STORE_MAX: Duration = Duration::from_secs(5);
/// How late an answer may be.
const LOOK_PERIOD: Duration = Duration::from_millis(20);
/// How late the stop may be seen.
const IDLE_PERIOD: Duration = Duration::from_millis(200);

/// What a caller is told whose call was left when the node stopped.
const LEFT: &str = "the node stopped; what was captured may still be stored";
/// What a caller is told while no topics are subscribed to.
const INACTIVE: &str = "the node is not active: nothing can be captured";

/// A call of the service, or of another face.
pub(super) enum Call {
    Service(Owed<Capture>),
    Direct(Option<CaptureRequest>, CaptureAnswer),
}

impl Call {
    /// What is asked; to be taken once.
    fn request(&mut self) -> Result<CaptureRequest, ApiError> {
        match self {
            Self::Service(owed) => owed.request(),
            Self::Direct(request, _) => Ok(request.take().unwrap_or_default()),
        }
    }

    fn answer(self, outcome: Result<CaptureResponse, ApiError>) {
        match self {
            Self::Service(owed) => owed.answer(outcome),
            Self::Direct(_, answer) => answer(outcome),
        }
    }
}

/// What becomes of an order: told once, as soon as it is stored.
pub(super) type Captured = Receiver<Result<CaptureResponse, ApiError>>;

/// Where the spinning thread puts calls; nowhere while the node is not active.
#[derive(Clone, Default)]
pub(super) struct CaptureGate(Arc<Mutex<Option<SyncSender<Call>>>>);

impl CaptureGate {
    /// Takes calls from now on. They come out where [`Captures::run`] takes them.
    pub fn open(&self) -> Receiver<Call> {
        let (calls, taken) = sync_channel(WAITING_MAX);
        *self.lock() = Some(calls);
        taken
    }

    /// Hands a call on, or answers why not.
    pub fn submit(&self, call: Call) {
        let gate = self.lock();
        let Some(calls) = &*gate else {
            return call.answer(Err(ApiError::unavailable(INACTIVE)));
        };
        match calls.try_send(call) {
            Ok(()) => {}
            Err(TrySendError::Full(call)) => call.answer(Err(too_many())),
            // It says so itself.
            Err(TrySendError::Disconnected(call)) => drop(call),
        }
    }

    /// Takes no more calls.
    pub fn close(&self) {
        *self.lock() = None;
    }

    fn lock(&self) -> MutexGuard<'_, Option<SyncSender<Call>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Offers the service.
///
/// # Errors
/// When the middleware cannot make it.
pub(super) fn offer(
    node: &mut r2r::Node,
    calls: &CallCounts,
) -> r2r::Result<(Box<dyn Drain>, CaptureGate)> {
    let requests = serve(node, "~/capture")?;
    let gate = CaptureGate::default();
    let counts = calls.of(Face::Ros, Capture::NAME);
    Ok((Box::new(Offered { requests, gate: gate.clone(), counts }), gate))
}

struct Offered {
    requests: Requests<<Capture as Wire>::Srv>,
    gate: CaptureGate,
    counts: Arc<OperationCounts>,
}

impl Drain for Offered {
    fn drain(&mut self) {
        for request in arrived(&mut self.requests) {
            self.gate.submit(Call::Service(Owed::new(request, LEFT, &self.counts)));
        }
    }
}

fn too_many() -> ApiError {
    ApiError::unavailable(format!("{WAITING_MAX} captures are under way, the limit; try again"))
}

/// A call whose order is under way.
struct PendingCall {
    call: Call,
    captured: Captured,
    deadline: Instant,
}

impl PendingCall {
    /// Answers it when it is time to.
    fn look(self) -> Option<Self> {
        match self.captured.try_recv() {
            Ok(outcome) => self.call.answer(outcome),
            Err(TryRecvError::Disconnected) => {
                self.call.answer(Err(ApiError::unavailable("the streams have ended")));
            }
            Err(TryRecvError::Empty) if Instant::now() >= self.deadline => {
                let late = "capture: not stored in time; it may still come, look for its reason";
                self.call.answer(Err(ApiError::unavailable(late)));
            }
            Err(TryRecvError::Empty) => return Some(self),
        }
        None
    }
}

/// Works on the calls.
pub(super) struct Captures {
    pub engine: Arc<Engine>,
    pub calls: Receiver<Call>,
    /// `None`: no topics are listened to.
    pub streams: Option<Arc<Streams>>,
}

impl Captures {
    /// Does so until it is time to stop; what waits then is answered with `unavailable`.
    pub fn run(self, stop: &Stop) {
        let mut waiting: Vec<PendingCall> = Vec::new();
        while !stop.wait(Duration::ZERO) {
            let period = if waiting.is_empty() { IDLE_PERIOD } else { LOOK_PERIOD };
            match self.calls.recv_timeout(period) {
                Ok(call) if waiting.len() >= WAITING_MAX => call.answer(Err(too_many())),
                Ok(call) => waiting.extend(self.begin(call)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            waiting = waiting.into_iter().filter_map(PendingCall::look).collect();
        }
    }

    fn begin(&self, mut call: Call) -> Option<PendingCall> {
        let begun = unless_it_panics(|| {
            let request = call.request()?;
            self.engine.secrets().check(&request)?;
            self.engine.admit_capture(&request.agent)?;
            let Some(streams) = &self.streams else {
                return Err(ApiError::invalid_state(
                    "no topics are subscribed to: set the parameter streams or streams_path",
                ));
            };
            let order = check(request, &streams.names())?;
            let deadline = Instant::now() + Duration::from_secs_f64(order.after_secs) + STORE_MAX;
            Ok((streams.capture(order)?, deadline))
        });
        match begun {
            Ok((captured, deadline)) => Some(PendingCall { call, captured, deadline }),
            Err(error) => {
                log::debug!("capture: {}", error.kind);
                call.answer(Err(error));
                None
            }
        }
    }
}

/// Checks a request against the streams that there are.
fn check(request: CaptureRequest, names: &[String]) -> Result<Wanted, ApiError> {
    let CaptureRequest { reason, streams, before_secs, after_secs, agent: _ } = request;
    let reason = reason.trim();
    let chars = reason.chars().count();
    if !(1..=CAPTURE_REASON_CHARS_MAX).contains(&chars) {
        return Err(ApiError::invalid_argument(format!(
            "reason: 1 to {CAPTURE_REASON_CHARS_MAX} characters, got {chars}"
        )));
    }
    for (field, secs) in [("before_secs", before_secs), ("after_secs", after_secs)] {
        if !(0.0..=f64::from(CAPTURE_SECS_MAX)).contains(&secs) {
            return Err(ApiError::invalid_argument(format!(
                "{field}: from 0 to {CAPTURE_SECS_MAX}, got {secs}"
            )));
        }
    }
    let places: BTreeSet<usize> =
        streams.iter().map(|stream| place(stream, names)).collect::<Result<_, _>>()?;
    let streams = places.into_iter().collect();
    Ok(Wanted { reason: reason.to_owned(), streams, before_secs, after_secs })
}

fn place(stream: &str, names: &[String]) -> Result<usize, ApiError> {
    names.iter().position(|name| name == stream).ok_or_else(|| {
        let all = names.iter().map(String::as_str);
        ApiError::invalid_argument(match nearest(stream, all.clone()) {
            Some(nearest) => {
                format!("streams: there is no stream {stream:?}; did you mean {nearest:?}?")
            }
            None => format!(
                "streams: there is no stream {stream:?}, only {}",
                all.collect::<Vec<_>>().join(", ")
            ),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<String> {
        ["wrist", "arm", "front camera"].map(str::to_owned).into()
    }

    fn request(reason: &str, streams: &[&str]) -> CaptureRequest {
        let streams = streams.iter().map(|stream| (*stream).to_owned()).collect();
        CaptureRequest { reason: reason.into(), streams, ..Default::default() }
    }

    #[test]
    fn streams_are_found_by_name_each_once() {
        let cases: [(&[&str], &[usize]); 3] =
            [(&[], &[]), (&["arm"], &[1]), (&["front camera", "wrist", "wrist"], &[0, 2])];
        for (streams, places) in cases {
            let order = check(request(" it rattled ", streams), &names()).unwrap();
            assert_eq!((order.reason.as_str(), order.streams.as_slice()), ("it rattled", places));
            assert_eq!((order.before_secs, order.after_secs), (5.0, 1.0));
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_its_bound() {
        let with = |before_secs, after_secs| CaptureRequest {
            before_secs,
            after_secs,
            ..request("why", &[])
        };
        let cases = [
            (request("  ", &[]), "reason: 1 to 200 characters, got 0"),
            (request(&"x".repeat(201), &[]), "reason: 1 to 200 characters, got 201"),
            (with(-1.0, 1.0), "before_secs: from 0 to 60, got -1"),
            (with(1.0, 60.5), "after_secs: from 0 to 60, got 60.5"),
            (with(f64::NAN, 1.0), "before_secs: from 0 to 60, got NaN"),
            (with(1.0, f64::INFINITY), "after_secs: from 0 to 60, got inf"),
            (
                request("why", &["wrst"]),
                r#"streams: there is no stream "wrst"; did you mean "wrist"?"#,
            ),
            (
                request("why", &["battery"]),
                r#"streams: there is no stream "battery", only wrist, arm, front camera"#,
            ),
        ];
        for (request, message) in cases {
            let error = check(request, &names()).unwrap_err();
            assert_eq!(error, ApiError::invalid_argument(message));
        }
    }
}
