use crate::model::Stamp;
use crate::perception::TriggerKind;
use sha2::{Digest, Sha256};

/// The key of a happening: 32 hexadecimal digits of what it is, and of nothing that was configured
/// beside it. `part` tells happenings of one trigger, topic and time apart: the layout, the number of
/// the trigger among its kind.
pub(super) fn of_happening(topic: &str, kind: TriggerKind, part: &str, begin: Stamp) -> String {
    digest(&[topic, kind.as_str(), part, &begin.0.to_string()])
}

/// The id of a capture.
pub(super) fn of_capture(reason: &str, stamp: Stamp, number: u64) -> String {
    digest(&["capture", reason, &stamp.0.to_string(), &number.to_string()])
}

fn digest(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    hash.finalize()[..16].iter().map(|byte| format!("{byte:02x}")).collect()
}
