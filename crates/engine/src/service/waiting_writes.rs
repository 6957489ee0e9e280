//! Which writes may wait in the write queue, and how each is checked, stored and answered: by what the floor
//! below has of it.

use super::queued::draft;
use super::queued_event::RECORD;
use crate::db::{Outcome, WriteTx};
use crate::operations::forget::CheckedForget;
use crate::operations::learn::{CheckedLearn, Key};
use crate::operations::save_perception::CheckedPerception;
use crate::operations::update::CheckedUpdate;
use crate::{Engine, Error, Operations, Recording, Result, Run};
use robot_memory_core::api::{
    Forget, ForgetRequest, ForgetResponse, Learn, LearnRequest, LearnResponse, LearnStatus,
    Operation, SavePerception, SavePerceptionRequest, SavePerceptionResponse, SaveStatus, Update,
    UpdateRequest, UpdateResponse,
};
use robot_memory_core::model::Stamp;
use robot_memory_db::write_queue::Record;
use robot_memory_db::{ReadTx, hex};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A write that may wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WriteKind {
    Learn,
    SavePerception,
    Update,
    Forget,
    Event,
}

impl WriteKind {
    const ALL: [Self; 5] =
        [Self::Learn, Self::SavePerception, Self::Update, Self::Forget, Self::Event];

    /// What it is called in the queue.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Learn => Learn::NAME,
            Self::SavePerception => SavePerception::NAME,
            Self::Update => Update::NAME,
            Self::Forget => Forget::NAME,
            Self::Event => RECORD,
        }
    }

    /// The one that is called so.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether several are stored with one wait for the disk: they are compared with nothing.
    pub const fn is_stored_together(self) -> bool {
        match self {
            Self::SavePerception | Self::Event => true,
            Self::Learn | Self::Update | Self::Forget => false,
        }
    }

    /// Whether one that can never be stored is kept for a person to look at; not what was to be said of a
    /// memory that is gone.
    pub const fn is_kept_when_rejected(self) -> bool {
        match self {
            Self::Learn | Self::SavePerception | Self::Event => true,
            Self::Update | Self::Forget => false,
        }
    }
}

type Lookup<C, R> = fn(&Operations, &ReadTx<'_>, &C) -> Result<Option<R>>;
type Store<C, R> = fn(&Operations, &WriteTx<'_>, C) -> Result<Outcome<R>>;
type KeyOf<C> = fn(&C) -> Option<(Key<'_>, &[u8; 32])>;

/// How the writes of an operation wait, `C` being one that was checked, read and embedded.
pub(super) struct WaitingWrite<Op: Operation, C> {
    /// Checks all that can be checked without the store.
    check: fn(&Operations, Op::Request) -> Result<C>,
    /// Holds one that is to wait against the store, as far as that can be read: whether it could be done
    /// now, and its answer when it was done before.
    look_up: Lookup<C, Op::Response>,
    store: Store<C, Op::Response>,
    /// What is answered when it waits.
    queued: fn(&Operations, &C) -> Op::Response,
    asked_at: fn(&mut C) -> &mut Stamp,
    /// By what it is known to be the same, and the hash of its request.
    key: KeyOf<C>,
}

const LEARN: WaitingWrite<Learn, CheckedLearn> = WaitingWrite {
    check: Operations::check_learn,
    look_up: Operations::look_up_learn,
    store: Operations::store_learn,
    queued: |_, checked| LearnResponse {
        status: LearnStatus::Queued,
        ..checked.response_template()
    },
    asked_at: |checked| &mut checked.statement.now,
    key: |checked| Some((checked.key(), &checked.request_hash)),
};

const SAVE_PERCEPTION: WaitingWrite<SavePerception, CheckedPerception> = WaitingWrite {
    check: Operations::check_save_perception,
    look_up: Operations::look_up_perception,
    store: Operations::store_perception,
    queued: |operations, checked| SavePerceptionResponse {
        status: SaveStatus::Queued,
        ..operations.forecast_perception(checked)
    },
    asked_at: |checked| &mut checked.now,
    key: |checked| Some((checked.key(), &checked.request_hash)),
};

const UPDATE: WaitingWrite<Update, CheckedUpdate> = WaitingWrite {
    check: Operations::check_update,
    look_up: |operations, tx, checked| operations.look_up_update(tx, checked).map(|()| None),
    store: Operations::store_update,
    queued: |_, checked| UpdateResponse { status: "queued".into(), ..checked.response_template() },
    asked_at: |checked| &mut checked.now,
    key: |_| None,
};

const FORGET: WaitingWrite<Forget, CheckedForget> = WaitingWrite {
    check: Operations::check_forget,
    look_up: |operations, tx, checked| operations.forgettable(tx, checked).map(|_| None),
    store: Operations::store_forget,
    queued: |_, checked| ForgetResponse { status: "queued".into(), ..checked.response_template() },
    asked_at: |checked| &mut checked.now,
    key: |_| None,
};

impl Run<Learn> for Engine {
    fn run(&self, request: LearnRequest) -> Result<LearnResponse> {
        self.run_or_queue(&LEARN, request)
    }
}

impl Run<SavePerception> for Engine {
    fn run(&self, request: SavePerceptionRequest) -> Result<SavePerceptionResponse> {
        self.run_or_queue(&SAVE_PERCEPTION, request)
    }
}

impl Run<Update> for Engine {
    fn run(&self, request: UpdateRequest) -> Result<UpdateResponse> {
        self.run_or_queue(&UPDATE, request)
    }
}

impl Run<Forget> for Engine {
    fn run(&self, request: ForgetRequest) -> Result<ForgetResponse> {
        self.run_or_queue(&FORGET, request)
    }
}

/// Stores a write that waited, which was checked, read and embedded again.
pub(super) type Prepared<'e> = Box<dyn FnOnce(&WriteTx<'_>) -> Result<()> + 'e>;

impl Engine {
    /// Does a write, or puts it into the queue when the store cannot take it, or others wait.
    fn run_or_queue<Op, C>(
        &self,
        write: &WaitingWrite<Op, C>,
        request: Op::Request,
    ) -> Result<Op::Response>
    where
        Op: Operation,
        Op::Request: Serialize,
    {
        let kept = self.has_queue().then(|| request.clone());
        let checked = (write.check)(self, request)?;
        let Some(kept) = kept else {
            return self.write(|tx| (write.store)(self, tx, checked));
        };
        if self.must_queue() {
            return self.queue_one(write, &kept, checked);
        }
        match self.write(|tx| (write.store)(self, tx, checked)) {
            Err(error) if self.may_wait_for(&error) => {
                let checked = (write.check)(self, kept.clone())?;
                self.queue_one(write, &kept, checked)
            }
            outcome => outcome,
        }
    }

    fn queue_one<Op, C>(
        &self,
        write: &WaitingWrite<Op, C>,
        request: &Op::Request,
        mut checked: C,
    ) -> Result<Op::Response>
    where
        Op: Operation,
        Op::Request: Serialize,
    {
        match self.store.read(|tx| (write.look_up)(self, tx, &checked)) {
            Ok(Some(first)) => return Ok(first),
            // It is held against the store when it is stored.
            Ok(None) | Err(Error::Store(_)) => {}
            Err(refused) => return Err(refused),
        }
        let at = *(write.asked_at)(&mut checked);
        let (key, key_hash) = match (write.key)(&checked) {
            Some((key, hash)) if !key.key.is_empty() => {
                (format!("{}\u{1f}{}", Op::NAME, key.stored()), hex(hash))
            }
            _ => (String::new(), String::new()),
        };
        self.queue_all(vec![draft(Op::NAME, key, key_hash, at, request)?])?;
        Ok((write.queued)(self, &checked))
    }

    /// Whether an update of a memory waits.
    pub(super) fn has_waiting_update(&self, memory_id: i64) -> bool {
        let mut is_found = false;
        self.each_waiting(|record| {
            is_found |= record.operation == Update::NAME
                && request::<UpdateRequest>(&record).is_ok_and(|it| it.memory_id == memory_id);
        });
        is_found
    }

    /// Checks a write that waited again: policy, and what is never stored, may be others by now.
    pub(super) fn prepare(&self, record: &Record) -> Result<Prepared<'_>> {
        let Some(kind) = WriteKind::named(&record.operation) else {
            let message = format!("operation: {:?} is none that waits", record.operation);
            return Err(Error::invalid_argument(message));
        };
        match kind {
            WriteKind::Learn => self.prepare_write(&LEARN, record),
            WriteKind::SavePerception => self.prepare_write(&SAVE_PERCEPTION, record),
            WriteKind::Update => self.prepare_write(&UPDATE, record),
            WriteKind::Forget => self.prepare_write(&FORGET, record),
            WriteKind::Event => {
                let checked = self.check_event(request::<Recording>(record)?)?;
                Ok(Box::new(|tx| self.store_event(tx, checked).map(drop)))
            }
        }
    }

    fn prepare_write<'e, Op, C: 'e>(
        &'e self,
        write: &'static WaitingWrite<Op, C>,
        record: &Record,
    ) -> Result<Prepared<'e>>
    where
        Op: Operation,
        Op::Request: DeserializeOwned,
    {
        let request: Op::Request = request(record)?;
        self.secrets().check(&request)?;
        let mut checked = (write.check)(self, request)?;
        *(write.asked_at)(&mut checked) = record.at;
        Ok(Box::new(|tx| (write.store)(self, tx, checked).map(drop)))
    }
}

fn request<T: DeserializeOwned>(record: &Record) -> Result<T> {
    // What the error says may be of the request.
    serde_json::from_str(record.request.get())
        .map_err(|_| Error::invalid_argument("the request cannot be read"))
}
