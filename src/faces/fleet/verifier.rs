//! Who is believed, and what was not.

use robot_memory_claims::{KnownRobots, Refused, verify};
use robot_memory_core::claim::{CLAIM_VERSION, Claim, ClaimOp};
use robot_memory_core::parallel;
#[cfg(feature = "site")]
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// By which claims are counted that were verified and may not be stored.
pub const NOT_STORABLE: &str = "not_storable";

/// How many claims were refused since the start, by reason.
#[derive(Default)]
pub struct RefusedClaims(Mutex<BTreeMap<&'static str, u64>>);

impl RefusedClaims {
    /// By reason.
    pub fn counts(&self) -> BTreeMap<&'static str, u64> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<&'static str, u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts one, and logs the first of each reason.
    pub fn note(&self, reason: &'static str, fault: &str) {
        let mut counts = self.lock();
        let count = counts.entry(reason).or_default();
        *count += 1;
        match *count {
            1 => log::warn!("refused {reason}: {fault}; further ones are counted in the status"),
            _ => log::debug!("refused {reason}: {fault}"),
        }
    }
}

/// What is read of claims beside the rest of their version. A program that reads more takes the stream again, of which the one before it refused a part.
const READS: &str = "pictures";

/// Tells claims of robots that are believed to be who they say from all else.
pub struct Verifier {
    /// Who verifies: what it told itself is not looked at.
    robot: String,
    known: KnownRobots,
    pub refused: Arc<RefusedClaims>,
}

impl Verifier {
    pub fn new(robot: String, known: KnownRobots, refused: Arc<RefusedClaims>) -> Self {
        Self { robot, known, refused }
    }

    /// Who is believed, and which claims are read.
    pub fn speakers(&self) -> String {
        let keys = |names: &mut dyn Iterator<Item = &str>| -> Vec<String> {
            names.map(|name| format!("{name} {:?}", self.known.public_key(name))).collect()
        };
        let robots = keys(&mut self.known.robots()).join(" ");
        let authorities = keys(&mut self.known.authorities()).join(" ");
        format!("{CLAIM_VERSION} {READS} {}; {robots}; {authorities}", self.robot)
    }

    /// Who may revoke what robots told.
    pub fn authorities(&self) -> Vec<String> {
        self.known.authorities().map(str::to_owned).collect()
    }

    /// The revocations among messages that come again in their turn: what is refused is counted then.
    pub fn revocations(&self, messages: &[Vec<u8>]) -> Vec<Claim> {
        let claims = messages.iter().filter_map(|message| verify(message, &self.known).ok());
        claims.filter(|claim| claim.op == ClaimOp::Revoke).collect()
    }

    /// A hash of them.
    #[cfg(feature = "site")]
    pub fn speakers_hash(&self) -> String {
        Sha256::digest(self.speakers()).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The claims of messages, without those that are refused, which are counted.
    pub fn claims(&self, messages: &[Vec<u8>]) -> Vec<Claim> {
        parallel::map(messages, |message| self.claim(message)).into_iter().flatten().collect()
    }

    /// The claim of a message; `None`: it is refused, and counted.
    pub fn claim(&self, message: &[u8]) -> Option<Claim> {
        match verify(message, &self.known) {
            Ok(claim) => Some(claim),
            // What this robot tells comes back to it, whether or not it has its own key.
            Err(Refused::UnknownRobot { origin }) if origin == self.robot => None,
            Err(refused) => {
                self.refused.note(refused.cause().as_str(), &refused.to_string());
                None
            }
        }
    }
}
