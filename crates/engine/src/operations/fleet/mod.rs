//! One robot among others: what it tells them of its memories, and what it takes of what they tell.
//!
//! A change of a memory is noted in the transaction of its cause, by triggers of the store, and told later as a claim. What
//! others tell becomes memories of the scope `fleet`, which are hearsay: known, marked, and nothing that this robot counts
//! as its own experience.

mod adopt;
mod adoption;
mod incoming;
mod outgoing;
mod revocation;
mod rulings;
mod site;
mod teller_totals;
mod tellers;

pub use adoption::{AdoptAs, Adoption, AdoptionRule, NewBody};
pub use incoming::Taken;
pub use outgoing::{KeptClaim, OwnClaims};
pub use site::{SiteFault, SiteReply};
pub(crate) use teller_totals::TellerTotals;
pub(crate) use tellers::Tellers;

use crate::db::Outcome;
use crate::{Error, FleetMember, Operations, Result};
use robot_memory_core::access::Access;
use robot_memory_core::api::ApiError;
use robot_memory_core::claim::{Body, CLAIM_VERSION, Claim, ClaimOp, Statement, Takes};
use robot_memory_core::limits::FLEET_WAITING_MAX;
use robot_memory_core::model::Stamp;
use robot_memory_core::site::SiteQuestion;
use robot_memory_db::{FleetPosition, FleetTotals, HearsayTotal, ReadTx, RwLocked, hex};
use sha2::{Digest, Sha256};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// What a robot told its fleet, and what it was told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FleetSummary {
    /// What it told.
    pub totals: FleetTotals,
    /// How far it took the fleet's stream.
    pub position: FleetPosition,
    /// What each robot told, in order of name.
    pub told_by: Vec<HearsayTotal>,
    /// Whether the access policy has nothing told.
    pub shares_nothing: bool,
}

/// How a robot stands in its fleet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FleetStanding {
    /// Its name there; empty: it is in none.
    pub robot_id: String,
    /// What it told, and was told.
    pub summary: FleetSummary,
    /// `None`: only the process knows that carries claims.
    pub link: Option<FleetLinkState>,
}

/// What carries claims between this robot and its fleet.
pub trait FleetLink: Send + Sync {
    /// How it is doing.
    fn state(&self) -> FleetLinkState;

    /// The names of the robots that are believed, in order.
    fn robots(&self) -> Vec<String>;

    /// Asks the memory of the site. What comes later than `within` is of no use.
    fn ask_site(&self, question: SiteQuestion, within: Duration) -> SiteReply;
}

/// How the link to the fleet is doing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FleetLinkState {
    /// Why nothing is told or taken, since when; `None`: it is connected.
    pub fault: Option<String>,
    /// Claims that were sent and are not acknowledged yet; they also wait in the store.
    pub unacked: u64,
    /// Claims on the robot's own server that the hub does not have; before the hub was reached at most so many.
    pub unforwarded: u64,
    /// Whether it is known that there are so many.
    pub is_unforwarded_known: bool,
    /// Messages of the fleet's stream that are still to be taken.
    pub lag: u64,
    /// Messages that the hub dropped before they were taken, since the start.
    pub missed: u64,
    /// Claims that were known already, or older than what is known, since the start.
    pub came_again: u64,
    /// How many messages were refused since the start, by reason.
    pub refused: Vec<(String, u64)>,
    /// What became of the questions to the site since the start.
    pub site: SiteCounts,
}

impl FleetLinkState {
    /// What the robot's own server has and the hub does not, in words; empty: nothing.
    pub fn unforwarded_text(&self) -> String {
        match self.unforwarded {
            0 => String::new(),
            count if self.is_unforwarded_known => count.to_string(),
            count => format!("at most {count}"),
        }
    }
}

/// What became of questions to the memory of the site.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SiteCounts {
    /// Asked.
    pub asked: u64,
    /// Answered in time.
    pub answered: u64,
}

impl Operations {
    /// Tells what carries the claims.
    pub fn set_fleet_link(&self, link: Option<Arc<dyn FleetLink>>) {
        *self.fleet_link.write_locked() = link;
    }

    /// How the link is doing; `None`: there is none in this process.
    pub fn fleet_link_state(&self) -> Option<FleetLinkState> {
        let link = self.fleet_link.read_locked().clone();
        link.map(|link| link.state())
    }

    /// The robots that this one believes, in order of name, as far as this process knows them: those that answer a revocation.
    pub fn fleet_robots(&self) -> Vec<String> {
        let link = self.fleet_link.read_locked().clone();
        link.map(|link| link.robots()).unwrap_or_default()
    }

    /// How this robot stands in its fleet: what the status says of it in words.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn fleet_standing(&self) -> Result<FleetStanding, ApiError> {
        Ok(FleetStanding {
            robot_id: self.robot_id().to_owned(),
            summary: self.summary(|tx| self.teller_totals.totals(tx))?,
            link: self.fleet_link_state(),
        })
    }

    /// Whether this robot is in a fleet, or was told anything in one. Costs nothing to ask.
    pub fn knows_fleet(&self) -> bool {
        self.config.fleet.is_some() || self.has_heard.load(Ordering::Relaxed)
    }

    /// What was told, and taken.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn fleet_summary(&self) -> Result<FleetSummary, ApiError> {
        Ok(self.summary(|tx| tx.hearsay_totals())?)
    }

    fn summary(
        &self,
        told_by: impl FnOnce(&ReadTx<'_>) -> robot_memory_db::Result<Vec<HearsayTotal>>,
    ) -> Result<FleetSummary> {
        self.store.read(|tx| {
            Ok(FleetSummary {
                totals: tx.fleet_totals()?,
                position: tx.fleet_position()?,
                told_by: told_by(tx)?,
                shares_nothing: self.access.sharing.is_nothing(),
            })
        })
    }

    /// How many memories wait to be told.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn waiting_claim_count(&self) -> Result<u64, ApiError> {
        let read = || -> Result<u64> { Ok(self.store.read(|tx| tx.waiting_claim_count())?) };
        Ok(read()?)
    }

    /// Lets the store note changes for the fleet, when the robot is in one. Else nothing changes: who imports a bag does
    /// not know whether it is. All is told again when what says what is told is another than before, and when changes
    /// that may have been told are lost.
    pub(crate) fn begin_sharing(&self) -> Result<()> {
        let (is_sharing, rules, has_claims) = self.store.read(|tx| {
            self.has_heard.store(tx.has_hearsay()?, Ordering::Relaxed);
            Ok::<_, Error>((tx.is_sharing()?, tx.fleet_rules()?, tx.has_fleet_claims()?))
        })?;
        // Loaded from lines, or saved from a damaged file, it does not know what was told since.
        let is_behind = self.store.missing_commits() > 0 || rules.is_empty() && has_claims;
        let told_by = match &self.config.fleet {
            Some(member) => {
                let Access { sharing, never_store, .. } = &self.access;
                let FleetMember { robot_id, body, takes: _ } = member;
                hash_of(&format!("{robot_id:?} {body:?} {sharing:?} {never_store:?}"))
            }
            None => rules.clone(),
        };
        let is_due = match self.config.fleet {
            Some(_) => !is_sharing || is_behind || rules != told_by,
            None => is_sharing && is_behind,
        };
        if !is_due {
            return Ok(());
        }
        self.write(|tx| {
            tx.begin_sharing(&told_by, is_behind)?;
            Ok(Outcome::Changed(()))
        })
    }

    /// How far the fleet's stream was taken. From its beginning, when others are believed now than then: `speakers` tells
    /// who. And when more is taken now than then.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub fn fleet_position(&self, speakers: &str) -> Result<FleetPosition, ApiError> {
        // A picture that was not taken does not come with a claim that is known.
        let takes = match self.takes() {
            Takes::All | Takes::AllButPictures => Takes::All,
            takes @ Takes::LimitsAndLessons => takes,
        };
        let speakers = hash_of(&format!("{speakers}; {takes}"));
        let asked = || -> Result<FleetPosition> {
            if self.store.read(|tx| tx.fleet_speakers())? != speakers {
                self.write(|tx| {
                    tx.believe_speakers(&speakers)?;
                    Ok(Outcome::Changed(()))
                })?;
            }
            Ok(self.store.read(|tx| tx.fleet_position())?)
        };
        Ok(asked()?)
    }

    /// Lets the store note no more changes for a fleet: this robot is in none any more. What others told stays.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn leave_fleet(&self) -> Result<(), ApiError> {
        let left = || -> Result<()> {
            if !self.store.read(|tx| tx.is_sharing())? {
                return Ok(());
            }
            self.write(|tx| {
                tx.end_sharing()?;
                Ok(Outcome::Changed(()))
            })
        };
        Ok(left()?)
    }

    /// This robot's name in its fleet; empty when it is in none.
    fn robot_id(&self) -> &str {
        self.config.fleet.as_ref().map_or("", |member| &member.robot_id)
    }

    /// What it takes of what others tell.
    fn takes(&self) -> Takes {
        self.config.fleet.as_ref().map_or(Takes::All, |member| member.takes)
    }

    /// This robot, as far as it is configured.
    fn body(&self) -> Body {
        self.config.fleet.as_ref().map(|member| member.body.clone()).unwrap_or_default()
    }

    /// A claim of this robot.
    fn claim(
        &self,
        memory_id: i64,
        revision: u64,
        op: ClaimOp,
        now: Stamp,
        statement: Option<Statement>,
    ) -> Claim {
        Claim {
            version: CLAIM_VERSION.to_owned(),
            origin: self.robot_id().to_owned(),
            memory_id,
            revision,
            op,
            stamp: now,
            body: self.body(),
            statement,
            target: None,
            selector: None,
            removed: None,
        }
    }

    /// Lets no more memories wait to be told than are bounded.
    pub(crate) fn bound_waiting(&self) -> Result<()> {
        if self.store.read(|tx| tx.waiting_claim_count())? <= FLEET_WAITING_MAX {
            return Ok(());
        }
        let dropped = self.write(|tx| Ok(Outcome::Changed(tx.drop_waiting(FLEET_WAITING_MAX)?)))?;
        if dropped > 0 {
            log::warn!(
                "{dropped} memories are not told to the fleet: more than {FLEET_WAITING_MAX} wait, and these are the \
                 least important"
            );
        }
        Ok(())
    }
}

/// SHA-256 in base 16.
fn hash_of(text: &str) -> String {
    hex(&Sha256::digest(text))
}
