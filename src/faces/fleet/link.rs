//! The engine's memory, as the transport of claims needs it.

use super::verifier::{NOT_STORABLE, RefusedClaims, Verifier};
use robot_memory_claims::{Cause, Key, KnownRobots, encode};
use robot_memory_core::api::{Recall, SiteState};
use robot_memory_core::claim::{Claim, ClaimOp};
use robot_memory_core::site::{SiteAnswer, SiteQuestion};
use robot_memory_engine::{
    Engine, FleetLink, FleetLinkState, FleetPosition, KeptClaim, SiteCounts, SiteFault, SiteReply,
    Taken,
};
use robot_memory_fleet::{
    Error, Memory, Outgoing, Position, Settings, Site, State, Transport, Unanswered, start,
    start_site,
};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

/// Between two looks whether all was taken.
const LOOK_EACH: Duration = Duration::from_millis(20);

/// After so many late answers in a row the site is not asked for a while.
const LATE_MAX: u32 = 3;
/// For so long: those who wait for it hold up others who ask this robot.
const SPARED: Duration = Duration::from_secs(5);

/// How late the site was.
#[derive(Default)]
struct Lateness(Mutex<(u32, Option<Instant>)>);

impl Lateness {
    fn note(&self, is_late: bool) {
        let mut late = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *late = if is_late { (late.0.saturating_add(1), Some(Instant::now())) } else { (0, None) };
    }

    /// Whether it is not to be asked now.
    fn is_spared(&self) -> bool {
        let late = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        late.0 >= LATE_MAX && late.1.is_some_and(|last| last.elapsed() < SPARED)
    }
}

/// A running link. It ends when it is stopped or dropped.
pub struct Link {
    refused: Arc<RefusedClaims>,
    /// Claims that changed nothing, since they were known.
    came_again: Arc<AtomicU64>,
    /// Questions to the site, and those that were answered.
    asked: AtomicU64,
    answered: Arc<AtomicU64>,
    late: Arc<Lateness>,
    /// Names of the robots that are believed.
    robots: Vec<String>,
    transport: Mutex<Option<Transport>>,
}

/// What of this robot's memory the transport reads and writes.
struct Claims {
    /// The node closes it.
    engine: Weak<Engine>,
    key: Key,
    verifier: Verifier,
    came_again: Arc<AtomicU64>,
    /// Up to where the stream was taken, as the transport knows it.
    position: Mutex<FleetPosition>,
}

impl Link {
    /// Begins to tell and to take.
    ///
    /// # Errors
    /// When a setting cannot be used.
    pub fn start(
        settings: Settings,
        engine: Arc<Engine>,
        key: Key,
        known: KnownRobots,
    ) -> Result<Arc<Self>, Error> {
        Self::of(settings, engine, key, known, false)
    }

    /// The same of the memory of a site, which also answers what robots ask it.
    ///
    /// # Errors
    /// When a setting cannot be used.
    pub fn start_site(
        settings: Settings,
        engine: Arc<Engine>,
        key: Key,
        known: KnownRobots,
    ) -> Result<Arc<Self>, Error> {
        Self::of(settings, engine, key, known, true)
    }

    fn of(
        settings: Settings,
        engine: Arc<Engine>,
        key: Key,
        known: KnownRobots,
        is_site: bool,
    ) -> Result<Arc<Self>, Error> {
        let refused = Arc::new(RefusedClaims::default());
        let engine = Arc::downgrade(&engine);
        let position = Mutex::default();
        let robots = known.robots().map(str::to_owned).collect();
        let verifier = Verifier::new(settings.robot.clone(), known, Arc::clone(&refused));
        let came_again = Arc::<AtomicU64>::default();
        let again = Arc::clone(&came_again);
        let claims = Claims { engine, key, verifier, came_again: again, position };
        let claims = Arc::new(claims);
        let transport = match is_site {
            true => start_site(settings, Arc::clone(&claims) as Arc<dyn Memory>, claims)?,
            false => start(settings, claims)?,
        };
        let transport = Mutex::new(Some(transport));
        let (asked, answered, late) = (AtomicU64::default(), Arc::default(), Arc::default());
        Ok(Arc::new(Self { refused, came_again, asked, answered, late, robots, transport }))
    }

    /// How the transport is doing; `None`: it was stopped.
    fn transport_state(&self) -> Option<State> {
        let transport = self.transport.lock().unwrap_or_else(PoisonError::into_inner);
        transport.as_ref().map(Transport::state)
    }

    /// Waits until all is taken that the fleet's stream has, but not longer than this, and not for what cannot be reached.
    /// Returns whether it is.
    pub fn catch_up(&self, timeout: Duration) -> bool {
        let deadline = Instant::now() + timeout;
        loop {
            match self.transport_state() {
                Some(State { lag: Some(0), .. }) => return true,
                Some(State { faults, .. }) if faults.is_empty() && Instant::now() < deadline => {}
                _ => return false,
            }
            std::thread::sleep(LOOK_EACH);
        }
    }

    /// Tells and takes no more.
    pub fn stop(&self) {
        let transport = self.transport.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(transport);
    }
}

impl FleetLink for Link {
    fn state(&self) -> FleetLinkState {
        let counts = self.refused.counts();
        let refused =
            counts.into_iter().map(|(reason, count)| (reason.to_owned(), count)).collect();
        let count = |of: &AtomicU64| of.load(Ordering::Relaxed);
        let site = SiteCounts { asked: count(&self.asked), answered: count(&self.answered) };
        let counted = FleetLinkState {
            refused,
            came_again: count(&self.came_again),
            site,
            ..Default::default()
        };
        let Some(state) = self.transport_state() else {
            return FleetLinkState { fault: Some("the link was stopped".to_owned()), ..counted };
        };
        let fault = state
            .faults
            .first()
            .map(|fault| format!("{}, for {} s", fault.text, fault.lasts.as_secs()));
        let fault = fault
            .or_else(|| (!state.is_hub_reached).then(|| "the hub was not reached yet".to_owned()));
        FleetLinkState {
            fault,
            unacked: state.unacked,
            unforwarded: state.unforwarded_max,
            is_unforwarded_known: state.unforwarded.is_some(),
            lag: state.lag.unwrap_or_default(),
            missed: state.missed,
            ..counted
        }
    }

    fn robots(&self) -> Vec<String> {
        self.robots.clone()
    }

    fn ask_site(&self, question: SiteQuestion, within: Duration) -> SiteReply {
        let (send, reply) = sync_channel(1);
        self.asked.fetch_add(1, Ordering::Relaxed);
        if self.late.is_spared() {
            let text = format!("it was late {LATE_MAX} times: it is asked again in some seconds");
            let _ = send.send(Err(SiteFault::new(SiteState::Late, text)));
            return reply;
        }
        let question = match question.message() {
            Ok(question) => question,
            Err(fault) => {
                // Nobody is gone: the other end is returned.
                let _ = send.send(Err(SiteFault::new(SiteState::Failed, fault)));
                return reply;
            }
        };
        let (answered, late) = (Arc::clone(&self.answered), Arc::clone(&self.late));
        let take = Box::new(move |answer: Result<Vec<u8>, Unanswered>| {
            late.note(answer == Err(Unanswered::Late));
            let answer = site_answer(answer);
            if answer.is_ok() {
                answered.fetch_add(1, Ordering::Relaxed);
            }
            // An error: the recall went on without it.
            let _ = send.send(answer);
        });
        if let Some(transport) = &*self.transport.lock().unwrap_or_else(PoisonError::into_inner) {
            transport.ask(question, within, take);
        }
        reply
    }
}

/// What the site answered, or why it did not.
fn site_answer(answer: Result<Vec<u8>, Unanswered>) -> Result<SiteAnswer, SiteFault> {
    let failed = |fault| SiteFault::new(SiteState::Failed, fault);
    let message = answer.map_err(|unanswered| match unanswered {
        Unanswered::Late => SiteFault::late(),
        Unanswered::Unreachable(text) => SiteFault::new(SiteState::Unreachable, text),
    })?;
    let answer = SiteAnswer::read(&message).map_err(failed)?;
    if answer.fault.is_empty() { Ok(answer) } else { Err(failed(answer.fault)) }
}

impl Site for Claims {
    fn answer(&self, question: &[u8]) -> Vec<u8> {
        let answered = || -> Result<SiteAnswer, String> {
            let SiteQuestion { request, .. } = SiteQuestion::read(question)?;
            let engine = self.engine()?;
            let response = engine.call::<Recall>(request).map_err(|error| error.message)?;
            engine.site_answer(response).map_err(|error| error.message)
        };
        answered().unwrap_or_else(SiteAnswer::fault).message()
    }
}

impl Claims {
    fn engine(&self) -> Result<Arc<Engine>, String> {
        self.engine.upgrade().ok_or_else(|| "the memory is closed".to_owned())
    }
}

fn log_revocations(taken: &Taken) {
    for revocation in &taken.revocations {
        log::warn!("{revocation}");
    }
}

/// What the transport knows a claim by: a memory by its id, a receipt by the negative of its number.
fn key_of(claim: &Claim) -> (i64, u64) {
    match claim.op {
        ClaimOp::Receipt => (-claim.memory_id, claim.revision),
        _ => (claim.memory_id, claim.revision),
    }
}

fn kept((id, revision): (i64, u64)) -> KeptClaim {
    match id {
        ..0 => KeptClaim::Receipt { id: -id },
        memory_id => KeptClaim::Memory { memory_id, revision },
    }
}

impl Memory for Claims {
    fn to_tell(&self, n: usize) -> Result<Vec<Outgoing>, String> {
        let engine = self.engine()?;
        loop {
            let claims = engine.claims_to_tell(n).map_err(|error| error.message)?;
            if claims.is_empty() {
                return Ok(Vec::new());
            }
            let (mut outgoing, mut untold) = (Vec::with_capacity(claims.len()), Vec::new());
            for claim in claims {
                let (memory_id, revision) = key_of(&claim);
                match encode(&claim, &self.key) {
                    Ok(payload) => {
                        let message_id = claim.message_id();
                        outgoing.push(Outgoing { memory_id, revision, message_id, payload });
                    }
                    // Readers would refuse it: it is not told, and does not keep others waiting.
                    Err(refused) => {
                        self.verifier
                            .refused
                            .note(Cause::Invalid.as_str(), &format!("own {refused}"));
                        untold.push(kept((memory_id, revision)));
                    }
                }
            }
            engine.claims_told(&untold).map_err(|error| error.message)?;
            if !outgoing.is_empty() {
                return Ok(outgoing);
            }
        }
    }

    fn told(&self, told: &[(i64, u64)]) -> Result<(), String> {
        let told: Vec<KeptClaim> = told.iter().copied().map(kept).collect();
        self.engine()?.claims_told(&told).map_err(|error| error.message)
    }

    fn take(&self, messages: &[Vec<u8>], position: &Position) -> Result<(), String> {
        let claims = self.verifier.claims(messages);
        let Position { stream_id, sequence } = position.clone();
        let to = FleetPosition { stream_id, sequence };
        let mut from = self.position.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = self.engine()?.take_claims(claims, &from, &to);
        let taken = taken.map_err(|error| error.message)?;
        *from = to;
        drop(from);
        self.came_again.fetch_add(taken.known_count, Ordering::Relaxed);
        for (origin, fault) in &taken.refused {
            self.verifier.refused.note(NOT_STORABLE, &format!("a claim of {origin}: {fault}"));
        }
        log_revocations(&taken);
        Ok(())
    }

    fn who_comes_first(&self) -> Vec<String> {
        self.verifier.authorities()
    }

    fn take_first(&self, messages: &[Vec<u8>]) -> Result<(), String> {
        let claims = self.verifier.revocations(messages);
        let at = self.position.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = self.engine()?.take_claims(claims, &at, &at).map_err(|error| error.message)?;
        drop(at);
        log_revocations(&taken);
        Ok(())
    }

    fn position(&self) -> Result<Option<Position>, String> {
        let position = self.engine()?.fleet_position(&self.verifier.speakers());
        let position = position.map_err(|error| error.message)?;
        *self.position.lock().unwrap_or_else(PoisonError::into_inner) = position.clone();
        let FleetPosition { stream_id, sequence } = position;
        Ok((!stream_id.is_empty()).then_some(Position { stream_id, sequence }))
    }
}
