use super::{QueueError, Rejected, RejectedLine, WriteDraft, WriteQueue};
use proptest::prelude::*;
use robot_memory_core::model::Stamp;
use serde_json::value::RawValue;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const BYTES_MAX: u64 = 64 * 1024;

fn folder() -> (TempDir, PathBuf) {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("queue.jsonl");
    (folder, path)
}

fn open(path: &Path) -> WriteQueue {
    WriteQueue::open(path, BYTES_MAX).expect("it opens")
}

fn draft(text: &str, key: &str) -> WriteDraft {
    let request = serde_json::json!({ "insight": text }).to_string();
    WriteDraft {
        at: Stamp::from_secs(7),
        operation: "learn",
        key: key.to_owned(),
        key_hash: if key.is_empty() { String::new() } else { format!("hash of {text}") },
        request: RawValue::from_string(request).expect("JSON"),
    }
}

fn append(queue: &mut WriteQueue, text: &str) {
    queue.append(vec![draft(text, "")]).expect("there is room");
}

/// Numbers and requests of all that wait.
fn waiting(queue: &WriteQueue) -> Vec<(u64, String)> {
    let read = queue.first(usize::MAX, usize::MAX).expect("it is read");
    read.into_iter()
        .map(|read| {
            let record = read.record.expect("it is whole");
            (read.number, record.request.get().to_owned())
        })
        .collect()
}

fn numbers(queue: &WriteQueue) -> Vec<u64> {
    waiting(queue).into_iter().map(|(number, _)| number).collect()
}

#[test]
fn what_was_added_is_there_when_it_is_opened_again_and_goes_when_it_is_done() {
    let (_folder, path) = folder();
    let mut queue = open(&path);
    while queue.reserve().expect("there is room") {}
    assert!(queue.is_reserved());
    let reserved = std::fs::read(&path).expect("bytes");
    assert!(reserved.len() as u64 == BYTES_MAX && reserved.iter().all(|byte| *byte == b'\n'));
    append(&mut queue, "the cup is red");
    append(&mut queue, "the cup is \"blue\"\nnow");
    let id = queue.queue_id().to_owned();
    drop(queue);

    let text = std::fs::read_to_string(&path).expect("text");
    let lines: Vec<serde_json::Value> = text
        .lines()
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_str(line).expect("each line is JSON"))
        .collect();
    assert_eq!(lines.len(), 2);
    assert_eq!((&lines[1]["number"], &lines[1]["operation"]), (&2.into(), &"learn".into()));
    assert_eq!(std::fs::metadata(&path).expect("it is there").permissions().mode() & 0o777, 0o600);

    let mut queue = open(&path);
    assert_eq!((queue.queue_id(), numbers(&queue)), (id.as_str(), vec![1, 2]));
    append(&mut queue, "it is full");
    queue.pass(2).expect("passed");
    assert_eq!((numbers(&queue), queue.count()), (vec![3], 1));
    queue.pass(3).expect("passed");
    assert_eq!((queue.count(), queue.bytes()), (0, 0));
    append(&mut queue, "numbers go on");
    assert_eq!(numbers(&queue), [4]);
    queue.pass(4).expect("passed");
    drop(queue);
    let after = std::fs::read(&path).expect("bytes");
    assert!(after == reserved, "something is left on the disk");
}

#[test]
fn of_a_file_that_was_cut_anywhere_all_whole_lines_are_there_and_no_other() {
    let (_folder, path) = folder();
    let mut queue = open(&path);
    let mut ends = vec![0];
    for text in ["one", "two", "three"] {
        append(&mut queue, text);
        ends.push(queue.tail_of_test());
    }
    drop(queue);
    let whole = std::fs::read(&path).expect("bytes");
    for cut in 0..=whole.len() {
        // A line without its end is whole: nothing of it is missing.
        let expected = ends.iter().skip(1).filter(|end| cut as u64 + 1 >= **end).count() as u64;
        for is_reserved in [false, true] {
            let mut bytes = whole[..cut].to_vec();
            if is_reserved {
                bytes.resize(BYTES_MAX as usize, b'\n');
            }
            std::fs::write(&path, &bytes).expect("written");
            let mut queue = open(&path);
            assert_eq!(queue.count(), expected, "cut at {cut}");
            append(&mut queue, "four");
            drop(queue);
            let found = numbers(&open(&path));
            assert_eq!(found, (1..=expected + 1).collect::<Vec<_>>(), "cut at {cut}");
        }
    }
}

#[test]
fn what_is_done_stays_done_wherever_its_blanking_was_cut() {
    let (_folder, path) = folder();
    let mut queue = open(&path);
    for text in ["one", "two", "three"] {
        append(&mut queue, text);
    }
    drop(queue);
    let whole = std::fs::read(&path).expect("bytes");
    for begin in 0..whole.len() {
        for end in [begin, begin + 1, begin + 40, whole.len()] {
            let mut bytes = whole.clone();
            bytes[begin..end.min(whole.len())].fill(b'\n');
            std::fs::write(&path, &bytes).expect("written");
            let Ok(mut queue) = WriteQueue::open(&path, BYTES_MAX) else {
                panic!("it does not open, blanked from {begin} to {end}")
            };
            assert_eq!((queue.pass_over(Some(3)), queue.count()), (0, 0), "{begin} to {end}");
            queue.erase().expect("blanked");
            drop(queue);
            let left = std::fs::read(&path).expect("bytes");
            assert!(left.iter().all(|byte| *byte == b'\n'), "{begin} to {end}");
        }
    }
}

#[test]
fn a_damaged_line_between_others_is_counted_and_the_others_are_there() {
    let (_folder, path) = folder();
    let mut queue = open(&path);
    for text in ["one", "two", "three"] {
        append(&mut queue, text);
    }
    drop(queue);
    let text = std::fs::read_to_string(&path).expect("text");
    std::fs::write(&path, text.replace("two", "tvo")).expect("written");
    let mut queue = open(&path);
    assert_eq!((queue.pass_over(Some(0)), numbers(&queue)), (1, vec![1, 3]));
    assert_eq!(open_again(queue, &path).pass_over(Some(1)), 1);
    // Of a store that knows nothing of this queue it is not known what was before.
    let mut queue = open(&path);
    assert_eq!((queue.pass_over(None), queue.count()), (1, 2));
}

fn open_again(queue: WriteQueue, path: &Path) -> WriteQueue {
    drop(queue);
    open(path)
}

#[test]
fn when_it_is_full_it_says_so_and_nothing_is_added() {
    let (_folder, path) = folder();
    let mut queue = open(&path);
    let error = loop {
        if let Err(error) = queue.append(vec![draft(&"x".repeat(900), "")]) {
            break error;
        }
    };
    assert!(matches!(error, QueueError::Full { bytes_max: BYTES_MAX, .. }), "{error}");
    assert!(error.to_string().contains("write_queue_bytes_max, 65536"), "{error}");
    let count = queue.count();
    assert!(count > 50 && queue.append(vec![draft("x", ""), draft(&"x".repeat(900), "")]).is_err());
    assert_eq!(open_again(queue, &path).count(), count);
}

#[test]
fn a_key_is_known_for_as_long_as_its_last_write_waits() {
    let (_folder, path) = folder();
    let mut queue = open(&path);
    queue.append(vec![draft("one", "k"), draft("two", "")]).expect("added");
    let mut queue = open_again(queue, &path);
    assert_eq!((queue.key_hash("k"), queue.key_hash("")), (Some("hash of one"), None));
    queue.append(vec![draft("three", "k")]).expect("added");
    queue.pass(2).expect("passed");
    assert_eq!(queue.key_hash("k"), Some("hash of three"));
    queue.pass(3).expect("passed");
    assert_eq!(queue.key_hash("k"), None);
}

#[test]
fn another_file_is_left_as_it_is_and_one_process_has_the_queue() {
    let (_folder, path) = folder();
    for other in ["a letter\nof two lines\n", "SQLite format 3\0"] {
        std::fs::write(&path, other).expect("written");
        assert!(matches!(WriteQueue::open(&path, BYTES_MAX), Err(QueueError::Foreign)));
        assert_eq!(std::fs::read_to_string(&path).expect("text"), other);
    }
    std::fs::remove_file(&path).expect("removed");
    let _queue = open(&path);
    assert!(matches!(WriteQueue::open(&path, BYTES_MAX), Err(QueueError::InUse)));
}

#[test]
fn a_rejected_write_is_kept_once_and_within_bounds() {
    let (_folder, path) = folder();
    let rejected = Rejected::at(path.clone(), 400);
    let request = RawValue::from_string("{\"insight\":\"x\"}".into()).expect("JSON");
    let line = |number| RejectedLine {
        number,
        queue_id: "q",
        at: 7,
        operation: "learn",
        error: "not_found",
        request: Some(&request),
    };
    assert!(rejected.keep(&line(1)).expect("kept") && rejected.keep(&line(1)).expect("kept"));
    assert!(rejected.keep(&line(2)).expect("kept"));
    assert_eq!(std::fs::read_to_string(&path).expect("text").lines().count(), 2);
    let has_room =
        (3..20).take_while(|number| rejected.keep(&line(*number)).expect("read")).count();
    assert!(has_room < 10 && std::fs::metadata(&path).expect("it is there").len() <= 400);
}

proptest! {
    /// Against a list in memory: whatever is added, done and reopened, in whatever order.
    #[test]
    fn it_holds_what_a_list_would(steps in prop::collection::vec((0_u8..4, 0_usize..200), 1..40)) {
        let (_folder, path) = folder();
        let mut queue = open(&path);
        let mut model: Vec<(u64, String)> = Vec::new();
        let (mut next, mut done) = (1, 0);
        for (step, size) in steps {
            match step {
                0 | 1 => {
                    let text = "ä\"".repeat(size);
                    append(&mut queue, &text);
                    model.push((next, serde_json::json!({ "insight": text }).to_string()));
                    next += 1;
                }
                2 => {
                    let count = size % (model.len() + 1);
                    done = model.drain(..count).next_back().map_or(done, |(number, _)| number);
                    queue.pass(done).expect("passed");
                }
                _ => {
                    queue = open_again(queue, &path);
                    prop_assert_eq!(queue.pass_over(Some(done)), 0);
                    if model.is_empty() {
                        // A file in which nothing waits begins a queue of its own.
                        queue.erase().expect("blanked");
                        queue = open_again(queue, &path);
                        (next, done) = (1, 0);
                    }
                }
            }
            prop_assert_eq!(&waiting(&queue), &model);
            prop_assert_eq!(queue.count(), model.len() as u64);
        }
    }
}
