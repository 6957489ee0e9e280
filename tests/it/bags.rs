//! Bags are read whole, and what was damaged gives what can be had.

use mcap::records::MessageHeader;
use mcap::{Compression, WriteOptions};
use robot_memory_bags::{BagError, BagMessage, BagReader, Filter};
use robot_memory_core::model::Stamp;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Messages in each of the two bags.
const MESSAGES: usize = 1287;

pub fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bags").join(name)
}

fn mcap_bytes() -> Vec<u8> {
    fs::read(fixture("ur3_mcap/ur3_mcap_0.mcap")).expect("the bag is there")
}

fn sqlite_bytes() -> Vec<u8> {
    fs::read(fixture("ur3_sqlite3/ur3_sqlite3.db3")).expect("the bag is there")
}

/// A message with its topic's name.
type StoredMessage = (String, Stamp, Vec<u8>);

fn read(reader: &mut BagReader, filter: Filter) -> Vec<StoredMessage> {
    let names: Vec<String> = reader.topics().iter().map(|topic| topic.name.clone()).collect();
    let shown = |message: BagMessage| {
        (names[message.topic].clone(), message.log_time, message.bytes.to_vec())
    };
    reader.messages(filter).map(|message| shown(message.expect("it can be read"))).collect()
}

fn read_all(path: &Path) -> (Vec<StoredMessage>, Vec<String>) {
    let mut reader = BagReader::open(path).expect("it is a bag");
    let messages = read(&mut reader, Filter::default());
    (messages, reader.problems())
}

/// A file of these bytes, or a folder with it and the metadata of the same bag.
fn written(folder: &TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    fs::write(&path, bytes).expect("it can be written");
    path
}

fn is_ordered(messages: &[StoredMessage]) -> bool {
    messages.is_sorted_by_key(|message| message.1)
}

#[test]
fn both_storages_give_the_same_messages() {
    let (from_mcap, problems) = read_all(&fixture("ur3_mcap"));
    assert_eq!(problems, Vec::<String>::new());
    let (mut from_sqlite, problems) = read_all(&fixture("ur3_sqlite3"));
    assert_eq!(problems, Vec::<String>::new());
    assert_eq!(from_mcap.len(), MESSAGES);
    assert!(is_ordered(&from_mcap) && is_ordered(&from_sqlite));
    let mut expected = from_mcap;
    // Messages of one time stand in the order of the storage.
    expected.sort();
    from_sqlite.sort();
    assert_eq!(from_sqlite, expected);
}

#[test]
fn topics_say_what_they_are() {
    for bag in ["ur3_mcap", "ur3_sqlite3"] {
        let reader = BagReader::open(&fixture(bag)).expect("it is a bag");
        let topics: Vec<(&str, &str, u64)> = reader
            .topics()
            .iter()
            .map(|topic| (topic.name.as_str(), topic.type_name.as_str(), topic.message_count))
            .collect();
        assert_eq!(
            topics,
            [
                ("/gripper/grip_lost", "std_msgs/msg/Bool", 258),
                ("/gripper/joint_state", "sensor_msgs/msg/JointState", 258),
                ("/joint_states", "sensor_msgs/msg/JointState", 258),
                ("/ur3/cycle", "std_msgs/msg/String", 258),
                ("/ur3/protective_stop", "std_msgs/msg/Bool", 255),
            ],
            "{bag}"
        );
        for topic in reader.topics() {
            assert_eq!(topic.encoding, "cdr");
            let is_joints = topic.type_name.ends_with("JointState");
            let field = if is_joints { "float64[] effort" } else { " data" };
            assert!(topic.definition.contains(field), "{bag} {}", topic.name);
        }
        let (start, end) = reader.span().expect("it has messages");
        assert_eq!((start.0, end.0 - start.0), (1_666_774_382_073_999_872, 259_364_000_000));
    }
}

#[test]
fn a_filter_chooses_topics_and_times() {
    let (all, _) = read_all(&fixture("ur3_mcap"));
    let (from, until) = (all[300].1, all[900].1);
    for bag in ["ur3_mcap", "ur3_sqlite3"] {
        let mut reader = BagReader::open(&fixture(bag)).expect("it is a bag");
        let wanted: Vec<usize> = reader
            .topics()
            .iter()
            .enumerate()
            .filter(|(_, topic)| topic.type_name == "std_msgs/msg/Bool")
            .map(|(place, _)| place)
            .collect();
        let filter = Filter { topics: Some(wanted), from: Some(from), until: Some(until) };
        let mut found = read(&mut reader, filter);
        let mut expected: Vec<StoredMessage> = all
            .iter()
            .filter(|(name, time, _)| {
                (name.ends_with("stop") || name.ends_with("lost")) && from <= *time && *time < until
            })
            .cloned()
            .collect();
        found.sort();
        expected.sort();
        assert!(!expected.is_empty());
        assert_eq!(found, expected, "{bag}");
    }
}

#[test]
fn a_bag_is_read_without_metadata_by_file_and_by_its_metadata() {
    let folder = tempfile::tempdir().expect("a folder");
    written(&folder, "b_1.mcap", &mcap_bytes());
    for path in [
        folder.path().to_owned(),
        fixture("ur3_mcap/metadata.yaml"),
        fixture("ur3_mcap/ur3_mcap_0.mcap"),
        fixture("ur3_sqlite3/ur3_sqlite3.db3"),
    ] {
        let (messages, problems) = read_all(&path);
        assert_eq!((messages.len(), problems.len()), (MESSAGES, 0), "{}", path.display());
    }
}

#[test]
fn files_that_overlap_in_time_are_read_in_order() {
    let folder = tempfile::tempdir().expect("a folder");
    written(&folder, "a_0.mcap", &mcap_bytes());
    written(&folder, "a_1.db3", &sqlite_bytes());
    let (messages, problems) = read_all(folder.path());
    assert_eq!((messages.len(), problems.len()), (2 * MESSAGES, 0));
    assert!(is_ordered(&messages));
}

#[test]
fn what_zstd_compressed_is_unpacked() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, bytes) in [("a_0.mcap.zstd", mcap_bytes()), ("a_1.db3.zstd", sqlite_bytes())] {
        let packed = zstd::encode_all(bytes.as_slice(), 3).expect("it is packed");
        written(&folder, name, &packed);
        let (messages, problems) = read_all(&folder.path().join(name));
        assert_eq!((messages.len(), problems.len()), (MESSAGES, 0));
        // The tear is told, and what came before it is there.
        let torn = written(&folder, &format!("torn_{name}"), &packed[..packed.len() / 2]);
        if let Ok(mut reader) = BagReader::open(&torn) {
            let messages = read(&mut reader, Filter::default());
            assert!(messages.len() <= MESSAGES);
            assert!(!reader.problems().is_empty());
        }
        fs::remove_file(torn).expect("it was written");
    }
    let (messages, _) = read_all(folder.path());
    assert_eq!(messages.len(), 2 * MESSAGES);
}

/// Writes messages as an MCAP file in the given order.
fn mcap_of(path: &Path, messages: &[StoredMessage], options: WriteOptions) {
    let mut writer = options.create(fs::File::create(path).expect("a file")).expect("begun");
    let schema = writer.add_schema("a/msg/B", "ros2msg", b"bool data\n").expect("a schema");
    let mut channels = BTreeMap::new();
    for (topic, time, bytes) in messages {
        let channel_id = *channels.entry(topic).or_insert_with(|| {
            writer.add_channel(schema, topic, "cdr", &BTreeMap::new()).expect("a channel")
        });
        let time = time.0 as u64;
        let header = MessageHeader { channel_id, sequence: 0, log_time: time, publish_time: time };
        writer.write_to_known_channel(&header, bytes).expect("written");
    }
    writer.finish().expect("finished");
}

#[test]
fn every_form_of_mcap_is_read_in_order_of_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let (whole, _) = read_all(&fixture("ur3_mcap"));
    let mut by_topic = whole.clone();
    // Each chunk then overlaps those of all other topics.
    by_topic.sort();
    let mut backwards = whole.clone();
    backwards.reverse();
    let small = || WriteOptions::new().chunk_size(Some(2000));
    type Form = (&'static str, fn(WriteOptions) -> WriteOptions);
    let forms: [Form; 6] = [
        ("plain", |options| options.compression(None)),
        ("lz4", |options| options.compression(Some(Compression::Lz4))),
        ("zstd", |options| options.compression(Some(Compression::Zstd))),
        ("without chunks", |options| options.use_chunks(false)),
        ("without index", |options| {
            options
                .emit_summary_records(false)
                .emit_summary_offsets(false)
                .emit_message_indexes(false)
        }),
        ("without checksums", |options| options.calculate_chunk_crcs(false)),
    ];
    for (form, options) in forms {
        for messages in [&whole, &by_topic, &backwards] {
            let path = folder.path().join("form.mcap");
            mcap_of(&path, messages, options(small()));
            let (found, problems) = read_all(&path);
            assert_eq!(problems, Vec::<String>::new(), "{form}");
            assert!(is_ordered(&found), "{form}");
            assert_part(&found, &whole, form);
            assert_eq!(found.len(), whole.len(), "{form}");
        }
    }
}

#[test]
fn messages_that_were_compressed_one_by_one_are_unpacked() {
    let folder = tempfile::tempdir().expect("a folder");
    let (whole, _) = read_all(&fixture("ur3_mcap"));
    let packed = |bytes: &[u8]| zstd::encode_all(bytes, 1).expect("it is packed");
    let mut messages: Vec<StoredMessage> =
        whole.iter().map(|(topic, time, bytes)| (topic.clone(), *time, packed(bytes))).collect();
    let path = folder.path().join("packed.mcap");
    mcap_of(&path, &messages, WriteOptions::new());
    assert_eq!(read_all(&path), (whole.clone(), Vec::new()));
    // One that is torn is left out.
    messages[7].2.truncate(9);
    mcap_of(&path, &messages, WriteOptions::new());
    let (found, problems) = read_all(&path);
    assert_eq!(found.len(), whole.len() - 1);
    assert!(problems[0].contains("a compressed message was left out"), "{problems:?}");
}

#[test]
fn what_is_no_bag_is_refused_in_words() {
    let folder = tempfile::tempdir().expect("a folder");
    let only_metadata = folder.path().join("only");
    fs::create_dir(&only_metadata).expect("a folder");
    fs::copy(fixture("ur3_mcap/metadata.yaml"), only_metadata.join("metadata.yaml"))
        .expect("copied");
    let cases = [
        (written(&folder, "empty.mcap", b""), "empty"),
        (written(&folder, "empty.db3", b""), "empty"),
        (written(&folder, "notes.txt", b"grip the cup gently"), "neither MCAP nor"),
        (written(&folder, "text.db3", b"grip the cup gently"), "first bytes"),
        (written(&folder, "old.bag", b"#ROSBAG V2.0\n"), "ROS 1"),
        (written(&folder, "some.db3", b"SQLite format 3\0"), "not a database"),
        (only_metadata, "missing"),
        (folder.path().join("nothing"), "No such file"),
    ];
    for (path, expected) in cases {
        let error: BagError = BagReader::open(&path).expect_err("it is no bag");
        assert!(error.to_string().contains(expected), "{}: {error}", path.display());
    }
    let store = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/store-v1.db");
    let path = folder.path().join("store.db3");
    fs::copy(store, &path).expect("copied");
    let error = BagReader::open(&path).expect_err("it is another database");
    assert!(error.to_string().contains("topics"), "{error}");
}

#[test]
fn a_missing_file_is_said_and_the_others_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    written(&folder, "ur3_mcap_0.mcap", &mcap_bytes());
    let metadata = fs::read_to_string(fixture("ur3_mcap/metadata.yaml")).expect("it is there");
    let named = metadata
        .replace("  - ur3_mcap_0.mcap\n", "  - ur3_mcap_0.mcap\n  - ur3_mcap_1.mcap\n")
        .replace("  message_count: 1287\n  rel", "  message_count: 2000\n  rel");
    assert_ne!(named, metadata);
    written(&folder, "metadata.yaml", named.as_bytes());
    let (messages, problems) = read_all(folder.path());
    assert_eq!(messages.len(), MESSAGES);
    let said = problems.join("\n");
    assert!(said.contains("ur3_mcap_1.mcap, which is missing"), "{said}");
    assert!(said.contains("counts 2000 messages; 1287 are there"), "{said}");
}

/// Each message of a damaged bag is one of the whole bag, at most once, in order.
fn assert_part(messages: &[StoredMessage], whole: &[StoredMessage], what: &str) {
    assert!(is_ordered(messages), "{what}: out of order");
    let mut left: Vec<&StoredMessage> = whole.iter().collect();
    left.sort();
    let mut found: Vec<&StoredMessage> = messages.iter().collect();
    found.sort();
    let mut left = left.into_iter();
    for message in found {
        assert!(left.any(|other| other == message), "{what}: a message that was not recorded");
    }
}

#[test]
fn a_torn_mcap_file_gives_all_up_to_the_tear() {
    let folder = tempfile::tempdir().expect("a folder");
    let (whole, _) = read_all(&fixture("ur3_mcap"));
    let bytes = mcap_bytes();
    let mut before = 0;
    for len in (0..bytes.len()).step_by(997) {
        let path = written(&folder, "torn.mcap", &bytes[..len]);
        let (messages, problems) = match BagReader::open(&path) {
            Ok(mut reader) => (read(&mut reader, Filter::default()), reader.problems()),
            Err(error) => (Vec::new(), vec![error.to_string()]),
        };
        assert_part(&messages, &whole, &format!("{len} bytes"));
        assert!(messages.len() >= before, "{len} bytes: fewer messages than of a shorter file");
        assert!(!problems.is_empty(), "{len} bytes: nothing is said");
        before = messages.len();
    }
    assert_eq!(before, MESSAGES);
}

#[test]
fn a_damaged_mcap_chunk_is_left_out_and_the_others_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let (whole, _) = read_all(&fixture("ur3_mcap"));
    let bytes = mcap_bytes();
    let mut most_lost = 0;
    for at in (8..bytes.len()).step_by(613) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x55;
        let path = written(&folder, "flipped.mcap", &damaged);
        let (messages, problems) = match BagReader::open(&path) {
            Ok(mut reader) => (read(&mut reader, Filter::default()), reader.problems()),
            Err(error) => (Vec::new(), vec![error.to_string()]),
        };
        let lost = MESSAGES - messages.len();
        assert!(lost == 0 || !problems.is_empty(), "byte {at}: {lost} lost, and nothing is said");
        assert_part(&messages, &whole, &format!("byte {at}"));
        most_lost = most_lost.max(lost);
    }
    // A chunk has about 130 messages.
    assert!((50..=200).contains(&most_lost), "{most_lost} messages lost by one byte");
}

#[test]
fn a_chunk_that_claims_too_much_is_not_believed() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut bytes = mcap_bytes();
    // Magic, the header's record, then the chunk's record: times, unpacked size.
    let header_len = u64::from_le_bytes(bytes[9..17].try_into().expect("eight bytes")) as usize;
    let chunk = 8 + 9 + header_len;
    assert_eq!(bytes[chunk], 6, "a chunk");
    let size = chunk + 9 + 16;
    for claim in [u64::MAX, 1 << 40] {
        bytes[size..size + 8].copy_from_slice(&claim.to_le_bytes());
        let (messages, problems) = read_all(&written(&folder, "claim.mcap", &bytes));
        assert!((1100..MESSAGES).contains(&messages.len()));
        assert!(problems.join("\n").contains(&format!("claims {claim} bytes")), "{problems:?}");
    }
}

#[test]
fn a_damaged_database_gives_what_can_be_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let (whole, _) = read_all(&fixture("ur3_sqlite3"));
    let bytes = sqlite_bytes();
    for len in (0..bytes.len()).step_by(4099) {
        let path = written(&folder, "torn.db3", &bytes[..len]);
        let Ok(mut reader) = BagReader::open(&path) else { continue };
        let messages = read(&mut reader, Filter::default());
        assert_part(&messages, &whole, &format!("{len} bytes"));
        let is_whole = messages.len() == MESSAGES;
        assert!(is_whole || !reader.problems().is_empty(), "{len} bytes: nothing is said");
    }
    let page = 4096;
    let mut most_lost = 0;
    let mut without_index = 0;
    for at in (page..bytes.len()).step_by(page) {
        let mut damaged = bytes.clone();
        damaged[at..at + page].fill(0xa5);
        let path = written(&folder, "page.db3", &damaged);
        let Ok(mut reader) = BagReader::open(&path) else { continue };
        let messages = read(&mut reader, Filter::default());
        assert_part(&messages, &whole, &format!("page at {at}"));
        let lost = MESSAGES - messages.len();
        assert!(lost == 0 || !reader.problems().is_empty(), "page at {at}: nothing is said");
        let is_of_index = reader.problems().iter().any(|said| said.contains("index of times"));
        without_index += usize::from(is_of_index && lost == 0);
        most_lost = most_lost.max(if lost == MESSAGES { 0 } else { lost });
    }
    assert!((1..=200).contains(&most_lost), "{most_lost} messages lost by one page");
    assert!(without_index > 0, "without the index of times all messages are found");
}

#[test]
fn a_database_that_lacks_its_end_gives_the_rows_that_are_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let (whole, _) = read_all(&fixture("ur3_sqlite3"));
    let bytes = sqlite_bytes();
    // Definitions come first in it, and messages differ in size: a fifth less is expected.
    for percent in (30..100).step_by(7) {
        let len = bytes.len() * percent / 100;
        let path = written(&folder, "cut.db3", &bytes[..len]);
        let mut reader = BagReader::open(&path).expect("it is read as far as it goes");
        let counted: u64 = reader.topics().iter().map(|topic| topic.message_count).sum();
        let messages = read(&mut reader, Filter::default());
        assert_part(&messages, &whole, &format!("{percent} %"));
        let share = messages.len() * 100 / MESSAGES;
        assert!(share + 20 >= percent, "{percent} % of the bytes give {share} % of the messages");
        assert!(counted >= messages.len() as u64, "{counted} counted, {} read", messages.len());
        let problems = reader.problems().join("\n");
        assert!(problems.contains("it breaks off"), "{problems}");
    }
}

#[test]
fn garbage_never_panics() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut state = 7_u64;
    let mut next = move || {
        // xorshift64 (Marsaglia 2003).
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for (name, bytes) in [("g.mcap", mcap_bytes()), ("g.db3", sqlite_bytes())] {
        for _ in 0..60 {
            let mut damaged = bytes.clone();
            for _ in 0..1 + next() % 40 {
                let at = next() as usize % damaged.len();
                damaged[at] = next() as u8;
            }
            let path = written(&folder, name, &damaged);
            if let Ok(mut reader) = BagReader::open(&path) {
                let count = reader.messages(Filter::default()).count();
                assert!(count <= 4 * MESSAGES);
            }
        }
    }
}

/// A FIFO that nobody writes.
pub fn fifo(path: &Path) -> PathBuf {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    let mode = Mode::from_raw_mode(0o600);
    mknodat(CWD, path, FileType::Fifo, mode, 0).expect("a FIFO");
    path.to_owned()
}

#[test]
fn nothing_that_is_no_file_is_waited_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let refused = |path: &Path| {
        let error = BagReader::open(path).expect_err("it is refused");
        assert!(matches!(error, BagError::NoBag { .. }), "{error}");
        error.to_string()
    };
    for place in [fifo(&path("run.mcap")), fifo(&path("run.db3")), "/dev/zero".into()] {
        assert!(refused(&place).ends_with("it is not a regular file"));
    }
    for (name, is_fifo) in [("waits", true), ("nested", false)] {
        let bag = path(name);
        fs::create_dir(&bag).expect("a folder");
        fs::write(bag.join("run.mcap"), mcap_bytes()).expect("written");
        let metadata = bag.join("metadata.yaml");
        if is_fifo {
            fifo(&metadata);
        } else {
            fs::create_dir(&metadata).expect("a folder");
        }
        let error = refused(&bag);
        assert!(error.contains("metadata.yaml is no bag: it is not a regular file"), "{error}");
        assert!(!is_fifo || refused(&metadata) == error);
    }
    // Beside a file that can be read it is left out, and said so.
    let bag = path("half");
    fs::create_dir(&bag).expect("a folder");
    fs::write(bag.join("run_0.mcap"), mcap_bytes()).expect("written");
    fifo(&bag.join("run_1.mcap"));
    let information =
        "rosbag2_bagfile_information:\n  relative_file_paths: [run_0.mcap, run_1.mcap]";
    fs::write(bag.join("metadata.yaml"), information).expect("written");
    let (messages, problems) = read_all(&bag);
    assert_eq!(messages.len(), MESSAGES);
    assert!(problems.join("; ").contains("run_1.mcap"), "{problems:?}");
}
