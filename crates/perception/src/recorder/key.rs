use crate::TriggerKind;
use robot_memory_core::model::Stamp;
use sha2::{Digest, Sha256};

/// The key of an activity: 32 hexadecimal digits of what it is, and of nothing that was configured
/// beside it. `part` tells activities of one trigger, topic and time apart: the layout, the number of
/// the trigger among its kind.
pub(super) fn of_activity(topic: &str, kind: TriggerKind, part: &str, begin: Stamp) -> String {
    // A relative name and the one it is resolved to in the root namespace are one topic.
    let topic = topic.trim_start_matches('/');
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_that_of_one_activity_and_stays() {
        let of = |topic, kind, part, secs| of_activity(topic, kind, part, Stamp::from_secs(secs));
        let key = of("/wrist/wrench", TriggerKind::Contact, "0 force.x", 5);
        // What is stored must be known again by later versions.
        assert_eq!(key, "6557e7db352d9c23071bdd908bb8ed61");
        assert_eq!(key, of("wrist/wrench", TriggerKind::Contact, "0 force.x", 5));
        let others = [
            of("/wrist/wrenc", TriggerKind::Contact, "h0 force.x", 5),
            of("/wrist/wrench", TriggerKind::Impact, "0 force.x", 5),
            of("/wrist/wrench", TriggerKind::Contact, "1 force.x", 5),
            of("/wrist/wrench", TriggerKind::Contact, "0 force.x", 6),
        ];
        assert!(others.iter().all(|other| *other != key));
    }
}
