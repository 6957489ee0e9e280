//! The one path of every service: take the request, hand it on, answer it, whatever happens.

use super::late_replies;
use super::received::Checked;
use super::wire::Wire;
use crate::faces::calls::{CallCounts, CallInProgress, Face, OperationCounts};
use crate::faces::engine_slot::EngineSlot;
use crate::faces::work_queue::{Work, WorkQueue};
use futures::FutureExt;
use futures::stream::{Stream, StreamExt};
use r2r::{QosProfile, ServiceRequest, WrappedServiceTypeSupport};
use robot_memory_core::api::{self, ApiError, ErrorKind};
use robot_memory_engine::{Engine, Run};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

/// Requests that the middleware holds for one service until they are taken, and answers until they are
/// sent. It takes the room of those that are there.
const DEPTH: usize = 10_000;

/// What a caller is told whose request was left when the node stopped.
const LEFT: &str = "the node stopped before it got to this request";

/// Quality of service of every service: a burst must not be cut by the middleware, which says
/// nothing to the caller.
const SERVICE_QOS: QosProfile = QosProfile::services_default().keep_last(DEPTH);

/// A service that the spinning thread drains.
pub(super) trait Drain: Send {
    /// Takes every request that has arrived. r2r's own queue is short, and what does not fit there
    /// is lost without an answer, so this is called after each spin.
    fn drain(&mut self);
}

/// A request, with whether its texts are texts.
pub(super) type Request<Srv> = ServiceRequest<Checked<Srv>>;

/// Requests of a service as they arrive.
pub(super) type Requests<Srv> = Box<dyn Stream<Item = Request<Srv>> + Send + Unpin>;

/// Offers a service. Every service of the node is made here, so that each has its texts checked.
///
/// # Errors
/// When the middleware cannot make it.
pub(super) fn serve<Srv>(node: &mut r2r::Node, name: &str) -> r2r::Result<Requests<Srv>>
where
    Srv: WrappedServiceTypeSupport + 'static,
{
    Ok(Box::new(node.create_service::<Checked<Srv>>(name, SERVICE_QOS)?))
}

/// Every request that has arrived on a stream.
pub(super) fn arrived<Srv: WrappedServiceTypeSupport + 'static>(
    requests: &mut Requests<Srv>,
) -> impl Iterator<Item = Request<Srv>> {
    std::iter::from_fn(|| requests.next().now_or_never().flatten())
}

/// Where requests wait, by what they do to the store.
pub(super) struct WorkQueues<'a> {
    /// Of those that may be done beside others.
    pub reads: &'a Arc<WorkQueue>,
    /// Of those that are done one after the other.
    pub writes: &'a Arc<WorkQueue>,
}

macro_rules! offer_each {
    ($($queue:ident $op:ident $request:tt -> $response:ident $(in $field:ident)?;)+) => {
        /// Offers each operation that the engine does.
        ///
        /// # Errors
        /// When the middleware cannot make a service.
        pub(super) fn offer_services(
            node: &mut r2r::Node,
            engine: &EngineSlot,
            queues: &WorkQueues<'_>,
            calls: &CallCounts,
        ) -> r2r::Result<Vec<Box<dyn Drain>>> {
            let services = [$(offer_each!($queue $op node engine queues calls)),+];
            Ok(services.into_iter().flatten().collect())
        }
    };
    // By who hears the streams.
    (streams $op:ident $($rest:ident)+) => {
        None
    };
    ($queue:ident $op:ident $node:ident $engine:ident $queues:ident $calls:ident) => {
        Some(offer::<api::$op>($node, $engine, $queues.$queue, $calls)?)
    };
}
robot_memory_core::operations! { offer_each }

/// Offers an operation under its name in the node's private namespace.
///
/// # Errors
/// When the middleware cannot make the service.
fn offer<W: Wire>(
    node: &mut r2r::Node,
    engine: &EngineSlot,
    queue: &Arc<WorkQueue>,
    calls: &CallCounts,
) -> r2r::Result<Box<dyn Drain>>
where
    Engine: Run<W>,
{
    Ok(Box::new(Service::<W> {
        requests: serve(node, &format!("~/{}", W::NAME))?,
        engine: engine.clone(),
        queue: Arc::clone(queue),
        counts: calls.of(Face::Ros, W::NAME),
    }))
}

struct Service<W: Wire> {
    requests: Requests<W::Srv>,
    engine: EngineSlot,
    queue: Arc<WorkQueue>,
    counts: Arc<OperationCounts>,
}

impl<W: Wire> Drain for Service<W>
where
    Engine: Run<W>,
{
    fn drain(&mut self) {
        for request in arrived(&mut self.requests) {
            let owed = Owed::new(request, LEFT, &self.counts);
            let call = Call::<W> { owed, engine: self.engine.clone() };
            if let Err((call, refusal)) = self.queue.submit(call) {
                call.owed.answer(Err(refusal));
            }
        }
    }
}

/// A request on its way to a worker.
struct Call<W: Wire> {
    owed: Owed<W>,
    engine: EngineSlot,
}

impl<W: Wire> Work for Call<W>
where
    Engine: Run<W>,
{
    fn run(self: Box<Self>) {
        let Self { mut owed, engine } = *self;
        let started = Instant::now();
        let outcome = unless_it_panics(|| engine.engine()?.call::<W>(owed.request()?));
        let millis = started.elapsed().as_secs_f64() * 1e3;
        let name = W::NAME;
        match &outcome {
            Ok(_) => log::debug!("{name}: done in {millis:.1} ms"),
            // The engine has logged what matters of it.
            Err(error) => log::debug!("{name}: {} in {millis:.1} ms", error.kind),
        }
        owed.answer(outcome);
    }
}

/// A request that is answered once. Dropped on the way, it says so itself.
pub(super) struct Owed<W: Wire> {
    request: Option<Request<W::Srv>>,
    /// What the caller is told then.
    if_dropped: &'static str,
    counted: Option<CallInProgress>,
}

impl<W: Wire> Owed<W> {
    /// One that has just arrived; it is counted here.
    pub fn new(
        request: Request<W::Srv>,
        if_dropped: &'static str,
        counts: &Arc<OperationCounts>,
    ) -> Self {
        let counted = Some(CallInProgress::begin(Arc::clone(counts)));
        Self { request: Some(request), if_dropped, counted }
    }

    /// What is asked; to be taken once.
    ///
    /// # Errors
    /// When the message is not well formed.
    pub fn request(&mut self) -> Result<W::Request, ApiError> {
        let message = self.request.as_mut().map(|request| request.message.take());
        W::decode(message.transpose()?.unwrap_or_default())
    }

    pub fn answer(mut self, outcome: Result<W::Response, ApiError>) {
        self.respond(outcome);
    }

    fn respond(&mut self, outcome: Result<W::Response, ApiError>) {
        if let Some(request) = self.request.take() {
            if let Some(counted) = self.counted.take() {
                counted.end(outcome.as_ref().err().map(|error| error.kind));
            }
            respond::<W>(request, outcome);
        }
    }
}

impl<W: Wire> Drop for Owed<W> {
    fn drop(&mut self) {
        if self.request.is_some() {
            self.respond(Err(ApiError::unavailable(self.if_dropped)));
        }
    }
}

/// Answers a request. A caller that is gone is no fault.
fn respond<W: Wire>(request: Request<W::Srv>, outcome: Result<W::Response, ApiError>) {
    let encoded = unless_it_panics(|| Ok(W::encode(outcome)));
    let response = encoded.unwrap_or_else(|error| W::encode(Err(error)));
    reply(request, response, W::NAME);
}

/// Sends an answer; again, as long as the middleware has not found the caller yet.
pub(super) fn reply<Srv>(request: Request<Srv>, response: Srv::Response, what: &str)
where
    Srv: WrappedServiceTypeSupport<Response: Send> + 'static,
{
    let again = request.clone();
    match request.respond(response.clone()) {
        Err(r2r::Error::RCL_RET_TIMEOUT) => late_replies::put(Box::new(move || {
            let sent = again.clone().respond(response.clone());
            !matches!(sent, Err(r2r::Error::RCL_RET_TIMEOUT))
        })),
        sent => log_unsent(sent, what),
    }
}

/// Sends an answer of an action, whose caller was found when its goal was taken.
pub(super) fn reply_once<Srv>(request: Request<Srv>, response: Srv::Response, what: &str)
where
    Srv: WrappedServiceTypeSupport + 'static,
{
    log_unsent(request.respond(response), what);
}

fn log_unsent(sent: r2r::Result<()>, what: &str) {
    if let Err(error) = sent {
        log::debug!("{what}: the caller is gone ({error})");
    }
}

/// Answers all requests that have arrived; of each it is told whether all its texts are.
pub(super) fn answer_each<Srv>(
    requests: &mut Requests<Srv>,
    what: &str,
    mut answer: impl FnMut(Srv::Request, Result<(), ApiError>) -> Srv::Response,
) where
    Srv: WrappedServiceTypeSupport<Response: Send> + 'static,
{
    for mut request in arrived(requests) {
        let (message, is_text) = request.message.take_parts();
        let response = answer(message, is_text);
        reply(request, response, what);
    }
}

/// The outcome of a call, of which a fault costs this one request and not the node.
pub(super) fn unless_it_panics<T>(
    call: impl FnOnce() -> Result<T, ApiError>,
) -> Result<T, ApiError> {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|_logged_by_the_panic_hook| {
        Err(ApiError {
            kind: ErrorKind::Internal,
            message: "a fault in the node; its log names the place".to_owned(),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_an_answer() {
        let outcome = unless_it_panics::<()>(|| panic!("on purpose"));
        assert_eq!(outcome.map_err(|error| error.kind), Err(ErrorKind::Internal));
        assert_eq!(unless_it_panics(|| Ok(1)), Ok(1));
    }
}
