//! What the messages of a bag are made of: the bag says it, or an installed package does.

use crate::cli::{Outcome, program, run};
use crate::import::Place;
use rusqlite::{Connection, params};
use std::fs;
use std::path::{Path, PathBuf};

const DEFINITION: &str = "float32 voltage\nbool is_low\n";

/// How a bag of the storage sqlite3 says what a type is made of.
#[derive(Clone, Copy)]
enum StoredDefinition {
    /// As before ROS 2 Iron: there is no table for it.
    NoTable,
    /// As rosbag2 writes what it could not find, and some converters write always.
    Text(&'static str),
}

/// A bag in which a flag of an own type becomes true twice.
fn bag(path: &Path, definition: StoredDefinition) {
    let bag = Connection::open(path).expect("a database");
    bag.execute_batch(
        "CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL,
             serialization_format TEXT NOT NULL, offered_qos_profiles TEXT NOT NULL);
         CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL,
             timestamp INTEGER NOT NULL, data BLOB NOT NULL);
         INSERT INTO topics VALUES (1, '/pack', 'power_msgs/msg/Pack', 'cdr', '');",
    )
    .expect("the tables of a bag");
    if let StoredDefinition::Text(text) = definition {
        bag.execute_batch(
            "CREATE TABLE message_definitions(id INTEGER PRIMARY KEY, topic_type TEXT NOT NULL,
                 encoding TEXT NOT NULL, encoded_message_definition TEXT NOT NULL,
                 type_description_hash TEXT NOT NULL)",
        )
        .expect("the table of definitions");
        bag.execute(
            "INSERT INTO message_definitions VALUES (1, 'power_msgs/msg/Pack', 'ros2msg', ?1, '')",
            params![text],
        )
        .expect("a definition");
    }
    for tenth in 0..600_i64 {
        let is_low = (100..200).contains(&tenth) || (400..500).contains(&tenth);
        let bytes = [&[0, 1, 0, 0][..], &12.5_f32.to_le_bytes(), &[u8::from(is_low)]].concat();
        bag.execute(
            "INSERT INTO messages(topic_id, timestamp, data) VALUES (1, ?1, ?2)",
            params![1_666_742_400_000_000_000 + tenth * 100_000_000, bytes],
        )
        .expect("a message");
    }
}

/// A prefix in which a package with the type is installed.
fn prefix(place: &Place) -> PathBuf {
    let prefix = place.path("prefix");
    let folder = prefix.join("share/power_msgs/msg");
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("Pack.msg"), DEFINITION).expect("a definition");
    prefix
}

fn import(place: &Place, bag: &Path, prefix: Option<&Path>) -> Outcome {
    let mut command = program();
    command.args(["import", "--no-model", "--json", "--store"]).arg(place.path("memory.db"));
    command.args(["--streams-text", "[{topic: /pack, field: is_low, triggers: [edge]}]"]).arg(bag);
    if let Some(prefix) = prefix {
        command.env("AMENT_PREFIX_PATH", prefix);
    }
    run(&mut command)
}

#[test]
fn a_field_is_found_by_the_bag_or_else_by_an_installed_package() {
    for (definition, needs_package) in [
        (StoredDefinition::NoTable, true),
        (StoredDefinition::Text(""), true),
        (StoredDefinition::Text(" \n"), true),
        (StoredDefinition::Text(DEFINITION), false),
    ] {
        let place = Place::new();
        let path = place.path("pack.db3");
        bag(&path, definition);
        if needs_package {
            let outcome = import(&place, &path, None);
            let refusal = outcome.refusal(1);
            assert!(refusal.contains("the bag has no definition of its type"), "{refusal}");
            assert!(refusal.contains("AMENT_PREFIX_PATH"), "{refusal}");
        }
        let installed = needs_package.then(|| prefix(&place));
        let report = import(&place, &path, installed.as_deref()).json();
        assert_eq!(report["stored"], 2, "{report}");
    }
}
