//! The node as a managed node: the services and the topic by which a lifecycle manager leads it, named and
//! typed as `rcl_lifecycle` has them.
//!
//! The spinning thread answers questions about the state, also while a transition is under way. It begins a
//! requested transition and hands it to the thread that does it, which ends it and answers.

mod table;

pub(super) use table::{Outcome, State, Transition};

use super::publish::publish;
use super::service::{Drain, Request, Requests, answer_each, arrived, reply, serve};
use super::wire::text;
use r2r::lifecycle_msgs::msg::{self, TransitionDescription, TransitionEvent};
use r2r::lifecycle_msgs::srv::{
    ChangeState, GetAvailableStates, GetAvailableTransitions, GetState,
};
use r2r::{Publisher, QosProfile};
use robot_memory_core::model::Clock;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// What is asked, in the log.
const WHAT: &str = "a request about the life cycle";
/// Events that the middleware keeps for a subscriber that is slow, as rclcpp has it.
const DEPTH: usize = 10;

/// The state of the node, shared by the threads that ask for it and the one that changes it.
#[derive(Clone)]
pub(super) struct Lifecycle(Arc<Shared>);

struct Shared {
    now: Mutex<Now>,
    clock: Arc<dyn Clock>,
}

struct Now {
    state: State,
    /// Why the last transition did not succeed; empty when it did.
    fault: String,
    /// Whether the node is ending.
    is_closed: bool,
    events: Publisher<TransitionEvent>,
}

/// A transition that was begun because somebody requested it.
pub(super) struct Order {
    pub transition: &'static Transition,
    request: Request<ChangeState::Service>,
}

impl Order {
    /// Says whether it succeeded.
    pub fn answer(self, success: bool) {
        reply(self.request, ChangeState::Response { success }, WHAT);
    }
}

impl Lifecycle {
    /// Offers the topic `~/transition_event` and the five services; a node begins unconfigured.
    ///
    /// # Errors
    /// When the middleware cannot make one.
    pub fn offer(
        node: &mut r2r::Node,
        clock: &Arc<dyn Clock>,
    ) -> r2r::Result<(Self, Box<dyn Drain>, Receiver<Order>)> {
        let qos = QosProfile::default().reliable().keep_last(DEPTH);
        let events = node.create_publisher("~/transition_event", qos)?;
        let now =
            Now { state: State::Unconfigured, fault: String::new(), is_closed: false, events };
        let lifecycle = Self(Arc::new(Shared { now: Mutex::new(now), clock: Arc::clone(clock) }));
        // One: while a transition is under way, none can be begun.
        let (orders, ordered) = channel(1);
        let services = LifecycleServices {
            change: serve(node, "~/change_state")?,
            state: serve(node, "~/get_state")?,
            states: serve(node, "~/get_available_states")?,
            transitions: serve(node, "~/get_available_transitions")?,
            graph: serve(node, "~/get_transition_graph")?,
            lifecycle: lifecycle.clone(),
            orders,
        };
        Ok((lifecycle, Box::new(services), ordered))
    }

    /// The state now.
    pub fn state(&self) -> State {
        self.lock().state
    }

    /// The state now, and why the last transition did not succeed; empty when it did.
    pub fn status(&self) -> (State, String) {
        let now = self.lock();
        (now.state, now.fault.clone())
    }

    /// Begins the transition with this number or, when it is not empty, this label. `None` when it is not
    /// possible now.
    pub fn begin(&self, id: u8, label: &str) -> Option<&'static Transition> {
        self.begin_in(self.lock(), id, label)
    }

    /// Lets no transition begin any more but that of [`begin_shutdown`](Self::begin_shutdown).
    pub fn close(&self) {
        self.lock().is_closed = true;
    }

    /// Begins the last transition, if there is one from this state.
    pub fn begin_shutdown(&self) {
        let mut now = self.lock();
        now.is_closed = false;
        self.begin_in(now, 0, "shutdown");
        self.lock().is_closed = true;
    }

    fn begin_in(
        &self,
        mut now: MutexGuard<'_, Now>,
        id: u8,
        label: &str,
    ) -> Option<&'static Transition> {
        if now.is_closed {
            return None;
        }
        let transition = table::requested(now.state, id, label)?;
        now.fault.clear();
        self.go(now, transition);
        Some(transition)
    }

    /// Ends the transition that was begun. `fault` says why it did not succeed, if it did not.
    pub fn end(&self, outcome: Outcome, fault: &str) -> State {
        let mut now = self.lock();
        let Some(transition) = table::ending(now.state, outcome) else { return now.state };
        if !fault.is_empty() {
            fault.clone_into(&mut now.fault);
        }
        self.go(now, transition);
        transition.goal
    }

    /// Changes the state and publishes that, in one order.
    fn go(&self, mut now: MutexGuard<'_, Now>, transition: &Transition) {
        now.state = transition.goal;
        let (sec, nanosec) = self.0.clock.now().map(|now| now.to_parts()).unwrap_or_default();
        let event = TransitionEvent {
            timestamp: u64::try_from(sec).unwrap_or(0) * 1_000_000_000 + u64::from(nanosec),
            transition: transition_message(transition),
            start_state: state_message(transition.start),
            goal_state: state_message(transition.goal),
        };
        publish(&now.events, "~/transition_event", &event);
    }

    fn lock(&self) -> MutexGuard<'_, Now> {
        self.0.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The services.
struct LifecycleServices {
    change: Requests<ChangeState::Service>,
    state: Requests<GetState::Service>,
    states: Requests<GetAvailableStates::Service>,
    transitions: Requests<GetAvailableTransitions::Service>,
    graph: Requests<GetAvailableTransitions::Service>,
    lifecycle: Lifecycle,
    orders: Sender<Order>,
}

impl Drain for LifecycleServices {
    fn drain(&mut self) {
        for mut request in arrived(&mut self.change) {
            let (message, is_text) = request.message.take_parts();
            let msg::Transition { id, label } = message.transition;
            let begun = is_text.ok().and_then(|()| self.lifecycle.begin(id, &label));
            let Some(transition) = begun else {
                let (state, label) = (self.lifecycle.state().label(), label.escape_debug());
                log::warn!(
                    "no transition {id} \"{label:.64}\" can be requested in the state {state}"
                );
                reply(request, ChangeState::Response { success: false }, WHAT);
                continue;
            };
            if let Err(error) = self.orders.try_send(Order { transition, request }) {
                // The node is stopping.
                self.lifecycle.end(Outcome::Failure, "the node is shutting down");
                error.into_inner().answer(false);
            }
        }
        let state = self.lifecycle.state();
        answer_each(&mut self.state, WHAT, |_, _| GetState::Response {
            current_state: state_message(state),
        });
        answer_each(&mut self.states, WHAT, |_, _| GetAvailableStates::Response {
            available_states: State::ALL.map(state_message).into(),
        });
        answer_each(&mut self.transitions, WHAT, |_, _| descriptions(table::from_state(state)));
        answer_each(&mut self.graph, WHAT, |_, _| descriptions(table::TRANSITIONS.iter()));
    }
}

fn descriptions<'a>(
    transitions: impl Iterator<Item = &'a Transition>,
) -> GetAvailableTransitions::Response {
    let described = |transition: &Transition| TransitionDescription {
        transition: transition_message(transition),
        start_state: state_message(transition.start),
        goal_state: state_message(transition.goal),
    };
    GetAvailableTransitions::Response {
        available_transitions: transitions.map(described).collect(),
    }
}

fn state_message(state: State) -> msg::State {
    msg::State { id: state.id(), label: text(state.label()) }
}

fn transition_message(transition: &Transition) -> msg::Transition {
    msg::Transition { id: transition.id, label: text(transition.label) }
}
