//! CommitTurn: store a finished step, and queue the job that takes memories out of it.

use super::check;
use super::sessions::given_session_id;
use crate::db::{Outcome, WriteTx};
use crate::{Error, Operations, Result, Run};
use robot_memory_core::api::{CommitTurn, CommitTurnRequest, CommitTurnResponse, CommitTurnStatus};
use robot_memory_core::limits::TURN_BYTES_MAX;
use robot_memory_core::model::{
    BranchStatus, JobScope, JobType, Session, SessionStatus, Stamp, Turn,
};
use robot_memory_db::{JobDraft, ReadTx};
use sha2::{Digest, Sha256};
use uuid::Builder;

/// The branch of requests that name none.
const DEFAULT_BRANCH: &str = "main";

impl Run<CommitTurn> for Operations {
    fn run(&self, request: CommitTurnRequest) -> Result<CommitTurnResponse> {
        self.check_agent(&request.agent)?;
        let given = GivenTurn::check(request)?;
        self.write(|tx| {
            let session = self.seen_session(tx, &given.session_id, &given.agent)?;
            if let Some(known) = given.known(tx)? {
                return Ok(Outcome::Unchanged(known));
            }
            given.check_open(tx, &session)?;
            let turn = given.turn(tx, session, self.now()?)?;
            let job_id = self.store_turn(tx, &turn, &given)?;
            Ok(Outcome::Changed(CommitTurnResponse {
                status: CommitTurnStatus::Committed,
                turn_id: turn.turn_id,
                job_id,
                created: true,
                scope: given.scope.clone(),
            }))
        })
    }
}

impl Operations {
    fn store_turn(&self, tx: &WriteTx<'_>, turn: &Turn, given: &GivenTurn) -> Result<i64> {
        tx.open_branch(&turn.session_id, &turn.branch_id)?;
        tx.insert_turn(turn, &given.hash)?;
        Ok(self.queue_ingest(tx, turn, &given.scope)?.job_id)
    }

    /// Queues the job that takes memories out of a step, unless it waits already.
    pub(crate) fn queue_ingest(
        &self,
        tx: &WriteTx<'_>,
        turn: &Turn,
        scope: &JobScope,
    ) -> Result<super::jobs::Enqueued> {
        self.enqueue(
            tx,
            &JobDraft {
                dedup_key: format!("ingest_turn:{}", turn.turn_id),
                turn_id: &turn.turn_id,
                payload: serde_json::json!({"turn_no": turn.turn_no}),
                ..JobDraft::of(scope, JobType::IngestTurn, &turn.agent)
            },
        )
    }
}

/// A step as it was handed over, checked.
struct GivenTurn {
    session_id: String,
    branch_id: String,
    turn_no: u32,
    /// Empty: none was given.
    turn_id: String,
    text: String,
    data: String,
    agent: String,
    scope: JobScope,
    /// Of text and data.
    hash: [u8; 32],
}

impl GivenTurn {
    fn check(request: CommitTurnRequest) -> Result<Self> {
        let CommitTurnRequest { session_id, branch_id, turn_no, turn_id, text, data, agent } =
            request;
        given_session_id(&session_id)?;
        let branch_id = if branch_id.is_empty() { DEFAULT_BRANCH.to_owned() } else { branch_id };
        let scope = JobScope::Of(check::branch_scope(&session_id, &branch_id)?);
        if turn_no == 0 {
            return Err(check::invalid("turn_no: must be at least 1, got 0"));
        }
        check::name("turn_id", &turn_id)?;
        for (field, given) in [("text", &text), ("data", &data)] {
            check::at_most(field, TURN_BYTES_MAX, "bytes", given.len())?;
            if given.contains('\0') {
                return Err(check::invalid(format!("{field}: must not contain the character NUL")));
            }
        }
        let object = check::object("data", &data, TURN_BYTES_MAX)?;
        if object.is_none() && text.trim().is_empty() {
            return Err(check::invalid("text: must be given, or data"));
        }
        // A NUL stands for no text, so no two requests are one.
        let hash = Sha256::new_with_prefix(&text).chain_update("\0").chain_update(&data).finalize();
        let data = data.trim().to_owned();
        let hash = hash.into();
        Ok(Self { session_id, branch_id, turn_no, turn_id, text, data, agent, scope, hash })
    }

    /// The answer when this step was handed over before; what was given may have been deleted since.
    ///
    /// # Errors
    /// When another step has its place or its name.
    fn known(&self, tx: &ReadTx<'_>) -> Result<Option<CommitTurnResponse>> {
        let Self { session_id, branch_id, turn_no, turn_id, .. } = self;
        let Some(known) = tx.given_turn(session_id, branch_id, *turn_no)? else {
            if !turn_id.is_empty() && tx.turn(turn_id)?.is_some() {
                return Err(Error::invalid_state(format!(
                    "turn_id: {turn_id} names another turn; take another name, or none"
                )));
            }
            return Ok(None);
        };
        let is_of_that_name = turn_id.is_empty() || *turn_id == known.turn_id;
        if known.given_hash != self.hash || !is_of_that_name {
            let what = if is_of_that_name { "another text or data" } else { "another turn_id" };
            return Err(Error::invalid_state(format!(
                "turn_no: turn {turn_no} of branch {branch_id} was handed over before, with {what}, \
                 as {}",
                known.turn_id
            )));
        }
        Ok(Some(CommitTurnResponse {
            status: CommitTurnStatus::Known,
            job_id: tx.turn_job(&known.turn_id)?.unwrap_or(0),
            turn_id: known.turn_id,
            created: false,
            scope: self.scope.clone(),
        }))
    }

    /// Refuses a step of a session that has ended, or of a branch that was decided about.
    fn check_open(&self, tx: &ReadTx<'_>, session: &Session) -> Result<()> {
        let Self { session_id, branch_id, .. } = self;
        if session.status != SessionStatus::Open {
            let message = format!("session_id: {session_id} has ended, it takes no more turns");
            return Err(Error::invalid_state(message));
        }
        match tx.branch_status(session_id, branch_id)? {
            None | Some(BranchStatus::Open) => Ok(()),
            Some(decided @ (BranchStatus::Won | BranchStatus::Lost)) => Err(Error::invalid_state(
                format!("branch_id: {branch_id} has {decided}, it takes no more turns"),
            )),
        }
    }

    fn turn(&self, tx: &ReadTx<'_>, session: Session, committed_at: Stamp) -> Result<Turn> {
        let turn_id =
            if self.turn_id.is_empty() { self.free_id(tx)? } else { self.turn_id.clone() };
        Ok(Turn {
            turn_id,
            session_id: session.session_id,
            branch_id: self.branch_id.clone(),
            turn_no: self.turn_no,
            collection: session.collection,
            agent: self.agent.clone(),
            text: self.text.clone(),
            data: self.data.clone(),
            committed_at,
        })
    }

    /// A name that no step has: somebody may have given that of this place to another one.
    fn free_id(&self, tx: &ReadTx<'_>) -> Result<String> {
        let mut turn_id = self.made_id("");
        while tx.session_of_turn(&turn_id)?.is_some() {
            turn_id = self.made_id(&turn_id);
        }
        Ok(turn_id)
    }

    /// A UUID (of version 8) that is made from the step's place, and from a name that is taken, alone.
    fn made_id(&self, taken: &str) -> String {
        let place = format!("{}\0{}\0{}{taken}", self.session_id, self.branch_id, self.turn_no);
        let hash: [u8; 32] = Sha256::digest(place).into();
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hash[..16]);
        Builder::from_custom_bytes(bytes).into_uuid().to_string()
    }
}
