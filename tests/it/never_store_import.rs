//! What is never stored, in recorded bags.

use crate::disk::files_with;
use crate::import::{Place, bag_of, message};
use crate::never_store::MARK;
use robot_memory_bags::{BagReader, Filter};
use robot_memory_perception::ClipMessage;
use std::fs;

/// A `std_msgs/String`.
fn note(received_secs: i64, text: &str) -> ClipMessage {
    let length = (text.len() as u32 + 1).to_le_bytes();
    let bytes = [&[0, 1, 0, 0][..], &length, text.as_bytes(), &[0]].concat();
    let received = (1_750_000_000 + received_secs) * 1_000_000_000;
    let definition = "string data\n".into();
    ClipMessage { definition, ..message("/note", "std_msgs/msg/String", received, &bytes) }
}

#[test]
fn events_that_hold_a_secret_are_left_out_and_counted() {
    let secret = format!("the password: {MARK}");
    let says = ["all is well", "the cup is full", &secret, "badge 123456", "done", "good night"];
    let messages = (0..).zip(says).map(|(turn, text)| note(turn * 60, text)).collect();
    let bags = Place::new();
    let bag = bag_of(&bags, "bag", messages);
    let access = "never_store: [{name: badge, pattern: 'badge \\d+'}]";
    let access = bags.written("access.yaml", access);
    let access = access.to_str().expect("UTF-8");
    let streams = "[{topic: /note, clip: true}]";
    let place = Place::new();
    let flags = ["--streams-text", streams, "--access", access];

    let bag_name = bag.to_str().expect("UTF-8");
    let dry = place.memory(&[&["import", bag_name, "--dry-run"], &flags[..]].concat());
    assert_eq!(dry.code, 0, "{}", dry.stderr);
    assert!(dry.stdout.contains("the cup is full"), "{}", dry.stdout);
    assert!(dry.stdout.contains("times: description: holds what is never stored (rule password)"));
    assert!(!dry.stdout.contains(MARK) && !dry.stderr.contains(MARK), "{}", dry.stdout);

    let outcome = place.import(&bag, &flags);
    assert!(!outcome.stdout.contains(MARK) && !outcome.stderr.contains(MARK), "{}", outcome.stdout);
    let report = outcome.json();
    let refused = report["refused"].as_object().expect("a map");
    for rule in ["password", "badge"] {
        let reason = format!("description: holds what is never stored (rule {rule})");
        assert!(refused.contains_key(&reason), "{report}");
    }
    // The change to the cup, and the last one.
    assert!(report["stored"].as_u64() >= Some(2), "{report}");
    assert!(report["clips"].as_u64() >= Some(1), "{report}");
    for memory in place.memories() {
        let content = memory["content"].as_str().expect("a text");
        assert!(!content.contains("badge"), "{content}");
    }
    assert_eq!(files_with(place.path("").as_path(), MARK), [""; 0]);
    // Clips are compressed.
    let clips = fs::read_dir(place.path("memory.db.clips")).expect("the folder of clips");
    let mut messages = 0;
    for clip in clips {
        let mut reader = BagReader::open(&clip.expect("an entry").path()).expect("a bag");
        for message in reader.messages(Filter::default()) {
            let bytes = message.expect("it can be read").bytes;
            assert!(!bytes.windows(MARK.len()).any(|window| window == MARK.as_bytes()));
            messages += 1;
        }
    }
    assert!(messages > 0, "the clips are empty");
}
