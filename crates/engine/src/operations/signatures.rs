//! What memories felt like: kept with them, and looked for by example.

use super::check::{self, invalid};
use crate::db::load::f32s;
use crate::db::{SlotTable, WriteTx};
use crate::{Error, Operations, Result};
use robot_memory_core::access::Visibility;
use robot_memory_core::event::{LayoutKind, Signature};
use robot_memory_core::model::{Kind, Memory, Status};
use robot_memory_core::signature::{self, NUMBERS_MAX, SAMPLES_MIN};
use robot_memory_db::ReadTx;
use robot_memory_index::{Change, SignatureColumn, follow_signatures};

/// What is to be felt alike.
#[derive(Debug, Clone, PartialEq)]
pub struct Example {
    /// Only memories with a signature of this kind count.
    pub kind: LayoutKind,
    /// Its signature, in steps of the grid.
    pub steps: Vec<i8>,
    /// The memory that it is of: it is left out.
    pub memory_id: Option<i64>,
}

/// The fields of a request that make an [`Example`], as they were given.
pub struct GivenExample {
    pub like_memory_id: i64,
    pub window_name: String,
    pub window: Vec<f64>,
    pub window_channels: u32,
    pub window_rate_hz: f64,
}

impl GivenExample {
    /// The field that gives one; `None` when none does.
    pub fn field(&self) -> Option<&'static str> {
        match (self.like_memory_id != 0, self.has_window()) {
            (true, _) => Some("like_memory_id"),
            (false, true) => Some("window"),
            (false, false) => None,
        }
    }

    fn has_window(&self) -> bool {
        !self.window_name.is_empty()
            || !self.window.is_empty()
            || self.window_channels != 0
            || self.window_rate_hz != 0.0
    }
}

impl Operations {
    /// The example that a request gives, if any; of a memory only when the agent may read it.
    pub(super) fn example(&self, given: &GivenExample, agent: &str) -> Result<Option<Example>> {
        let id = given.like_memory_id;
        match (id != 0, given.has_window()) {
            (false, false) => Ok(None),
            (true, true) => {
                Err(invalid("like_memory_id: give either a memory or a window, not both"))
            }
            (false, true) => of_window(given).map(Some),
            (true, false) if id < 0 => {
                Err(invalid(format!("like_memory_id: must be a positive id, got {id}")))
            }
            (true, false) => {
                let visibility = self.full_visibility(agent);
                self.store.read(|tx| of_memory(tx, id, &visibility)).map(Some)
            }
        }
    }

    /// Stores what a row felt like, and lets the index follow.
    pub(crate) fn put_signature(&self, tx: &WriteTx<'_>, id: i64, felt: &Signature) -> Result<()> {
        tx.insert_signature(id, felt.kind.as_str(), signature::VERSION, &felt.values)?;
        let steps = signature::steps(&felt.values);
        tx.index(Change::Signature { id, kind: felt.kind.as_str(), steps });
        Ok(())
    }

    /// What a perception felt like; `None` when its data holds no series of numbers.
    pub(crate) fn signature_of(&self, memory: &Memory) -> Option<Signature> {
        of_perception(memory)
    }

    /// Builds the column of a kind's signatures beside the work.
    pub(super) fn build_signatures(&self, kind: LayoutKind) -> Result<bool> {
        let kind = kind.as_str();
        self.build_concurrently(
            &self.turns.signatures,
            |derived| derived.signatures(kind).is_some(),
            |tx, slots| Ok(Some(column(tx, slots, kind)?)),
            |column, slot, change| follow_signatures(column, kind, slot, change),
            |derived, column| derived.insert_signatures(kind, column),
        )
    }
}

/// The signatures of a kind, of the rows that have a slot.
pub fn column(tx: &ReadTx<'_>, slots: &SlotTable, kind: &str) -> Result<SignatureColumn> {
    let mut column = SignatureColumn::new(signature::LEN);
    let mut values = Vec::with_capacity(signature::LEN);
    tx.each_signature(kind, signature::VERSION, |id, bytes| {
        if let Some(slot) = slots.slot(id) {
            values.clear();
            values.extend(f32s(bytes));
            column.put(slot, &signature::steps(&values));
        }
    })?;
    Ok(column)
}

fn of_perception(memory: &Memory) -> Option<Signature> {
    let data = serde_json::from_str(&memory.data).ok()?;
    signature::of_data(memory.perception_type?, &data)
}

fn of_window(given: &GivenExample) -> Result<Example> {
    let GivenExample { window_name, window, window_channels, window_rate_hz, .. } = given;
    if window_name.is_empty() {
        let kinds = LayoutKind::spellings();
        return Err(invalid(format!("window_name: must say what the window is of: {kinds}")));
    }
    let kind =
        check::parse_enum("window_name", window_name, LayoutKind::parse, LayoutKind::spellings)?
            .unwrap_or(LayoutKind::Plain);
    if !window_rate_hz.is_finite() || *window_rate_hz < 0.0 {
        return Err(invalid(format!(
            "window_rate_hz: must be finite and not negative, got {window_rate_hz}"
        )));
    }
    let given_channels = (*window_channels != 0).then_some(*window_channels as usize);
    let channels = given_channels.or(signature::channels_of(kind)).unwrap_or(1);
    if let Some(expected) = signature::channels_of(kind)
        && channels != expected
    {
        return Err(invalid(format!(
            "window_channels: a window of {kind} has {expected} channels, got {channels}"
        )));
    }
    check::at_most("window", NUMBERS_MAX, "numbers", window.len())?;
    if !window.len().is_multiple_of(channels) {
        return Err(invalid(format!(
            "window: must have a multiple of {channels} numbers, one for each channel \
             (window_channels) of each sample, got {}",
            window.len()
        )));
    }
    if window.len() / channels < SAMPLES_MIN {
        return Err(invalid(format!(
            "window: must have {SAMPLES_MIN} samples or more, got {}",
            window.len() / channels
        )));
    }
    if let Some(number) = window.iter().find(|number| !number.is_finite()) {
        return Err(invalid(format!("window: must hold finite numbers, got {number}")));
    }
    match signature::of(kind, channels, window) {
        Some(felt) => Ok(Example { kind, steps: signature::steps(&felt.values), memory_id: None }),
        None => Err(invalid(format!("window: {} numbers have no signature", window.len()))),
    }
}

fn of_memory(tx: &ReadTx<'_>, id: i64, visibility: &Visibility) -> Result<Example> {
    let memory = tx.memory(id, false)?;
    let Some(memory) = memory.filter(|memory| visibility.sees(&memory.scope, memory.mem_type))
    else {
        return Err(Error::not_found(format!("like_memory_id: there is no memory {id}")));
    };
    let Some(stored) = tx.signature(id)? else {
        let why = match (memory.status, memory.kind) {
            (Status::Active, Kind::Perception) => {
                "its data holds no series of numbers (docs/recall.md)".to_owned()
            }
            (Status::Active, kind) => format!("it is a {kind}"),
            (status, _) => format!("it is {status}"),
        };
        return Err(invalid(format!("like_memory_id: memory {id} has no signature: {why}")));
    };
    let values: Vec<f32> = f32s(&stored.bytes).collect();
    let is_present = stored.version == signature::VERSION && values.len() == signature::LEN;
    let Some(kind) = LayoutKind::parse(&stored.kind).filter(|_| is_present) else {
        return Err(Error::unavailable(format!(
            "like_memory_id: the signature of memory {id} is of another version and is being made \
             again"
        )));
    };
    Ok(Example { kind, steps: signature::steps(&values), memory_id: Some(id) })
}
