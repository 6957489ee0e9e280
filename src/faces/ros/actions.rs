//! Actions: a job that is asked for, followed and cancelled by one caller.
//!
//! The five parts of an action (three services, two topics) are offered one by one. Those of r2r lose
//! goals that come many at once, answer nobody then, and never forget a goal.

mod follow;
mod goals;

pub(super) use follow::Followers;

use super::publish::publish;
use super::service::{
    Drain, Request, Requests, answer_each, arrived, reply_once, serve, unless_it_panics,
};
use super::wire::{ActionResult, ActionWire, Feedback, Goal, ResultParts};
use crate::faces::engine_slot::EngineSlot;
use crate::faces::work_queue::{Work, WorkQueue};
use follow::{Follow, Following};
use goals::{GoalId, Goals, Live, NotCanceled, ResultRequest, Stage, Time};
use r2r::action_msgs::msg::{GoalInfo, GoalStatus, GoalStatusArray};
use r2r::action_msgs::srv::CancelGoal;
use r2r::unique_identifier_msgs::msg::UUID;
use r2r::{Publisher, QosProfile, WrappedActionTypeSupport, builtin_interfaces};
use robot_memory_core::api::{ApiError, QueuedResponse};
use robot_memory_core::model::Clock;
use robot_memory_engine::{Engine, Run};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

type SendGoal<W> = <<W as ActionWire>::Action as WrappedActionTypeSupport>::SendGoal;
type GetResult<W> = <<W as ActionWire>::Action as WrappedActionTypeSupport>::GetResult;
type FeedbackMessage<W> = <<W as ActionWire>::Action as WrappedActionTypeSupport>::FeedbackMessage;

/// The number of a goal that there is not, in an answer that asks for its result.
const STATUS_UNKNOWN: i8 = 0;

/// Offers an action; goals wait in the work queue as calls do, and are then followed.
///
/// # Errors
/// When the middleware cannot make one of its parts.
pub(super) fn offer<W: ActionWire>(
    node: &mut r2r::Node,
    engine: &EngineSlot,
    queue: &Arc<WorkQueue>,
    clock: &Arc<dyn Clock>,
) -> r2r::Result<(Box<dyn Drain>, Box<dyn Follow>)>
where
    Engine: Run<W::Op>,
{
    let name = |part: &str| format!("~/{}/_action/{part}", W::NAME);
    // As rcl_action has them.
    let feedback_qos = QosProfile::default().reliable().keep_last(10);
    let status_qos = QosProfile::default().reliable().transient_local().keep_last(1);
    let action = Arc::new(Action::<W> {
        table: Mutex::new(Table {
            goals: Goals::default(),
            is_closed: false,
            feedback: node.create_publisher(&name("feedback"), feedback_qos)?,
            status: node.create_publisher(&name("status"), status_qos)?,
        }),
        engine: engine.clone(),
        clock: Arc::clone(clock),
    });
    let following = Box::new(Following::new(Arc::clone(&action)));
    let offered = Offered::<W> {
        goals: serve(node, &name("send_goal"))?,
        cancels: serve(node, &name("cancel_goal"))?,
        results: serve(node, &name("get_result"))?,
        queue: Arc::clone(queue),
        action,
    };
    Ok((Box::new(offered), following))
}

/// What the spinning thread drains.
struct Offered<W: ActionWire> {
    goals: Requests<SendGoal<W>>,
    cancels: Requests<CancelGoal::Service>,
    results: Requests<GetResult<W>>,
    queue: Arc<WorkQueue>,
    action: Arc<Action<W>>,
}

impl<W: ActionWire> Drain for Offered<W>
where
    Engine: Run<W::Op>,
{
    fn drain(&mut self) {
        for mut request in arrived(&mut self.goals) {
            let (message, is_text) = request.message.take_parts();
            let (id, goal) = W::Action::destructure_goal_request_msg(message);
            let now = self.action.now();
            let Some(id) = goal_id(&id).filter(|id| self.action.table().goals.take(*id, now))
            else {
                log::debug!("{}: a goal is rejected", W::NAME);
                answer_goal::<W>(request, false, now);
                continue;
            };
            let action = Arc::clone(&self.action);
            let call = GoalCall::<W> { request: Some((request, goal)), id, now, action };
            if let Err(refusal) = is_text {
                call.answer(Err(refusal));
                continue;
            }
            if let Err((call, refusal)) = self.queue.submit(call) {
                call.answer(Err(refusal));
            }
        }
        answer_each(&mut self.cancels, W::NAME, |message, _no_text| {
            self.action.cancel(&message.goal_info)
        });
        for mut request in arrived(&mut self.results) {
            let (message, _no_text) = request.message.take_parts();
            let id = W::Action::destructure_result_request_msg(message);
            self.action.ask(&id, request);
        }
    }
}

fn answer_goal<W: ActionWire>(
    request: Request<SendGoal<W>>,
    is_accepted: bool,
    (sec, nanosec): Time,
) {
    let stamp = builtin_interfaces::msg::Time { sec, nanosec };
    reply_once(request, W::Action::make_goal_response_msg(is_accepted, stamp), W::NAME);
}

fn answer_result<W: ActionWire>(
    request: Request<GetResult<W>>,
    status: i8,
    result: ActionResult<W>,
) {
    reply_once(request, W::Action::make_result_response_msg(status, result), W::NAME);
}

fn goal_id(message: &UUID) -> Option<GoalId> {
    message.uuid.as_slice().try_into().ok()
}

fn uuid(id: GoalId) -> UUID {
    UUID { uuid: id.to_vec() }
}

fn goal_info(id: GoalId, (sec, nanosec): Time) -> GoalInfo {
    GoalInfo { goal_id: uuid(id), stamp: builtin_interfaces::msg::Time { sec, nanosec } }
}

/// A goal that is answered exactly once, at the latest when it is dropped.
struct GoalCall<W: ActionWire> {
    request: Option<(Request<SendGoal<W>>, Goal<W>)>,
    id: GoalId,
    now: Time,
    action: Arc<Action<W>>,
}

impl<W: ActionWire> Work for GoalCall<W>
where
    Engine: Run<W::Op>,
{
    fn run(mut self: Box<Self>) {
        let Some((_, goal)) = &mut self.request else { return };
        let goal = std::mem::take(goal);
        let engine = self.action.engine.clone();
        let outcome = unless_it_panics(|| engine.engine()?.call::<W::Op>(W::decode(goal)));
        if let Err(error) = &outcome {
            log::debug!("{}: {}", W::NAME, error.kind);
        }
        self.answer(outcome);
    }
}

impl<W: ActionWire> GoalCall<W> {
    /// A goal that is refused is accepted and aborted, so that its result says why.
    fn answer(mut self, outcome: Result<QueuedResponse, ApiError>) {
        let Some((request, _)) = self.request.take() else { return };
        match outcome {
            Ok(queued) => self.action.execute(self.id, queued.job_id),
            Err(error) => self.action.end(self.id, Stage::Aborted, ResultParts::failed(error)),
        }
        answer_goal::<W>(request, true, self.now);
    }
}

impl<W: ActionWire> Drop for GoalCall<W> {
    fn drop(&mut self) {
        if let Some((request, _)) = self.request.take() {
            self.action.table().goals.forget(self.id);
            answer_goal::<W>(request, false, self.now);
        }
    }
}

/// What the threads share of an action.
struct Action<W: ActionWire> {
    table: Mutex<Table<W>>,
    engine: EngineSlot,
    clock: Arc<dyn Clock>,
}

struct Table<W: ActionWire> {
    goals: Goals<ActionResult<W>, Request<GetResult<W>>>,
    /// Whether nobody follows jobs any more.
    is_closed: bool,
    feedback: Publisher<FeedbackMessage<W>>,
    status: Publisher<GoalStatusArray>,
}

impl<W: ActionWire> Action<W> {
    fn now(&self) -> Time {
        self.clock.now().map(|now| now.to_parts()).unwrap_or_default()
    }

    fn execute(&self, id: GoalId, job_id: i64) {
        let mut table = self.table();
        table.goals.execute(id, job_id);
        if table.is_closed {
            table.end(id, Stage::Aborted, left());
        } else {
            table.tell_status();
        }
    }

    fn end(&self, id: GoalId, stage: Stage, parts: ResultParts) {
        self.table().end(id, stage, parts);
    }

    fn cancel(&self, info: &GoalInfo) -> CancelGoal::Response {
        let until = (info.stamp.sec, info.stamp.nanosec);
        let mut table = self.table();
        let id = goal_id(&info.goal_id).ok_or(NotCanceled::Unknown);
        let (return_code, goals) = match id.and_then(|id| table.goals.cancel(id, until)) {
            Ok(goals) => {
                table.tell_status();
                (0, goals)
            }
            Err(reason) => (reason as i8, Vec::new()),
        };
        let goals = goals.into_iter().map(|(id, accepted_at)| goal_info(id, accepted_at));
        CancelGoal::Response { return_code, goals_canceling: goals.collect() }
    }

    fn ask(&self, id: &UUID, request: Request<GetResult<W>>) {
        let asked = match goal_id(id) {
            Some(id) => self.table().goals.ask(id, request),
            None => ResultRequest::Unknown(request),
        };
        match asked {
            ResultRequest::Waits => {}
            ResultRequest::Ended(request, stage, result) => {
                answer_result::<W>(request, stage as i8, result);
            }
            ResultRequest::Unknown(request) => {
                let parts = ResultParts::failed(ApiError::not_found("goal_id: no such goal"));
                answer_result::<W>(request, STATUS_UNKNOWN, W::result(parts));
            }
        }
    }

    fn live(&self) -> Vec<Live> {
        let mut table = self.table();
        if table.goals.expire(std::time::Instant::now()) {
            table.tell_status();
        }
        table.goals.live()
    }

    /// Follows goals from now on.
    fn open(&self) {
        self.table().is_closed = false;
    }

    /// Ends every goal, and each that still comes: the node is no longer active.
    fn close(&self) {
        let mut table = self.table();
        table.is_closed = true;
        for live in table.goals.live() {
            table.end(live.id, Stage::Aborted, left());
        }
    }

    fn tell_feedback(&self, id: GoalId, feedback: Feedback<W>) {
        let message = W::Action::make_feedback_msg(uuid(id), feedback);
        publish(&self.table().feedback, W::NAME, &message);
    }

    fn table(&self) -> MutexGuard<'_, Table<W>> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W: ActionWire> Table<W> {
    fn end(&mut self, id: GoalId, stage: Stage, parts: ResultParts) {
        let result = W::result(parts);
        for request in self.goals.end(id, stage, result.clone()) {
            answer_result::<W>(request, stage as i8, result.clone());
        }
        self.tell_status();
    }

    fn tell_status(&self) {
        let status_list = self
            .goals
            .stages()
            .map(|(id, accepted_at, stage)| GoalStatus {
                goal_info: goal_info(id, accepted_at),
                status: stage as i8,
            })
            .collect();
        publish(&self.status, W::NAME, &GoalStatusArray { status_list });
    }
}

fn left() -> ResultParts {
    ResultParts::failed(ApiError::unavailable(
        "the node stopped; the job goes on when it is active again",
    ))
}
