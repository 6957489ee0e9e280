//! An event as it waits in the write queue.

use super::queued::draft;
use crate::{Engine, Recording, Result};
use robot_memory_core::model::Stamp;
use robot_memory_db::write_queue::WriteDraft;

/// What an event is called in the queue.
pub(super) const RECORD: &str = "record";

/// What goes into the queue for an event; of its clip the name, and not the messages.
pub(super) fn event_draft(recording: &Recording, at: Stamp) -> Result<WriteDraft> {
    let key = format!("{RECORD}\u{1f}{}", recording.event.key);
    draft(RECORD, key, String::new(), at, recording)
}

impl Engine {
    /// The clips of events that wait: no memory names them yet.
    pub(super) fn waiting_clips(&self) -> Vec<String> {
        let mut clips = Vec::new();
        self.each_waiting(|record| {
            if record.operation == RECORD
                && let Ok(event) = serde_json::from_str::<Recording>(record.request.get())
            {
                clips.extend(event.clip.map(|(file, _)| file));
            }
        });
        clips
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use robot_memory_core::event::{LayoutKind, Signature};

    /// A line as version 0.1.0 wrote it.
    const LINE: &str = r#"{"key":"k","event_id":"e","stamp":1,"end":2,"stream":"wrist","topic":"/wrist","trigger":"contact","perception_type":"tactile","description":"touched","data":"{}","metadata":"{}","context":"","importance":0.6,"collection":"","signature":["wrench",[0.5,1.0]],"sim_or_real":"real","session_id":null,"clip":["a.mcap",7],"fades_from":9}"#;

    #[test]
    fn a_line_of_a_release_is_read_and_written_alike() {
        let recording: Recording = serde_json::from_str(LINE).expect("it is read");
        let felt = Signature { kind: LayoutKind::Wrench, values: vec![0.5, 1.0] };
        assert_eq!(recording.event.signature, Some(felt));
        assert_eq!(recording.clip, Some(("a.mcap".into(), 7)));
        assert_eq!(recording.known_at, Some(Stamp(9)));
        let written = serde_json::to_string(&recording).expect("it is written");
        assert_eq!(written, LINE.replace("fades_from", "known_at"));
    }
}
