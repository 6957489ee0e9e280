//! Each page of a store is zeroed, one at a time; bits of its texts are flipped; it is cut short. It opens at
//! the first start, a backup gives back what is gone, and the status says what was lost without one.

use crate::restore_backup::back_up;
use crate::robot::{Robot, sql};
use crate::sampled::sampled;
use robot_memory_core::api::{
    CommitTurn, CommitTurnRequest, DeleteMemory, DeleteMemoryRequest, GetMemory, GetMemoryRequest,
    GetStatus, Recall, RecallRequest, SavePerception, SavePerceptionRequest, StatusLevel,
    StatusRequest, Update, UpdateRequest,
};
use std::collections::BTreeMap;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

const PAGE: u64 = 8_192;

/// A closed store with rows in many tables, in a folder; what it holds, by id.
struct Closed {
    folder: TempDir,
    contents: BTreeMap<i64, String>,
}

impl Closed {
    fn new(has_backup: bool) -> Self {
        let robot = Robot::with(|config| config.jobs.has_workers = true);
        robot.plug_in_embedder();
        let session_id = robot.start_session();
        robot.learn_in(&session_id, "the tray holds 231 g of screws");
        for number in 0..150 {
            robot.perceive(
                &format!("saw cup number {number} on the table with a long handle"),
                r#"{"at": [1.0, 2.0], "place": "the long table beside the window"}"#,
            );
        }
        robot.call::<SavePerception>(SavePerceptionRequest {
            description: "contact on the wrist".into(),
            data: format!("[{}0.25]", "0.125,".repeat(4_000)),
            ..Default::default()
        });
        robot.call::<CommitTurn>(CommitTurnRequest {
            session_id: session_id.clone(),
            branch_id: "a".into(),
            turn_no: 1,
            text: "The tray is on shelf B2.".into(),
            ..Default::default()
        });
        let gone = robot.learn_with("the spoon is bent", "");
        robot.call::<DeleteMemory>(DeleteMemoryRequest { memory_id: gone, ..Default::default() });
        robot.end_session(&session_id);
        if has_backup {
            back_up(&robot);
        }
        robot.engine.upkeep().expect("upkeep");
        robot.engine.close().expect("it closes");
        let contents = contents(&robot.store_path());
        let folder = TempDir::new().expect("a folder");
        copy(robot.store_path().parent().expect("a folder"), folder.path());
        Self { folder, contents }
    }

    /// A copy of all of it, which is damaged and opened.
    fn damaged(&self, damage: impl FnOnce(&Path)) -> Robot {
        let folder = TempDir::new().expect("a folder");
        copy(self.folder.path(), folder.path());
        damage(&folder.path().join("memory.db"));
        look_is_due(&folder.path().join("memory.db"));
        let robot = Robot::at(Arc::new(folder), |config| config.jobs.has_workers = true);
        robot.plug_in_embedder();
        robot
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("memory.db")
    }
}

fn copy(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).expect("listed").flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            std::fs::create_dir(&target).expect("made");
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("copied");
        }
    }
}

fn contents(path: &Path) -> BTreeMap<i64, String> {
    let connection = rusqlite::Connection::open(path).expect("it opens");
    let query = "SELECT m.id, content || context || status || coalesce(substr(p.data, -20) || \
                 length(p.data) || instr(hex(p.data), '00'), '') FROM memory m \
                 LEFT JOIN perception p ON p.memory_id = m.id";
    let mut statement = connection.prepare(query).expect("prepared");
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("rows");
    rows.collect::<Result<_, _>>().expect("texts")
}

/// Lets a day have passed since the store was looked over.
fn look_is_due(path: &Path) {
    let known = path.with_file_name("memory.db.known.json");
    let noted = std::fs::read_to_string(&known).expect("noted");
    let at = noted.find("\"checked_at\":").expect("it is in it") + "\"checked_at\":".len();
    let end = noted[at..].find(',').expect("a number") + at;
    std::fs::write(&known, format!("{}1{}", &noted[..at], &noted[end..])).expect("written");
}

/// Whether all is as it was, and what is not.
fn compare(found: &BTreeMap<i64, String>, known: &BTreeMap<i64, String>) -> Vec<i64> {
    let ids: std::collections::BTreeSet<i64> = found.keys().chain(known.keys()).copied().collect();
    ids.into_iter().filter(|id| found.get(id) != known.get(id)).collect()
}

/// Upkeep, as often as it takes to find damage and to repair it.
fn upkeep(robot: &Robot) {
    for _ in 0..2 {
        robot.engine.upkeep().expect("upkeep");
    }
    assert!(!robot.engine.is_damaged(), "{}", store_status(robot).1);
}

fn zero(path: &Path, page: u64) {
    let file = std::fs::File::options().write(true).open(path).expect("it opens");
    file.write_all_at(&[0; PAGE as usize], page * PAGE).expect("written");
}

/// What the status says of the store.
fn store_status(robot: &Robot) -> (StatusLevel, String) {
    let status = robot.call::<GetStatus>(StatusRequest::default());
    let store =
        status.components.into_iter().find(|part| part.name == "store").expect("it is there");
    (store.level, store.message)
}

fn check_sound(robot: &Robot, what: &str) {
    let path = robot.store_path();
    assert_eq!(sql::<String>(&path, "PRAGMA integrity_check"), "ok", "{what}");
    let connection = rusqlite::Connection::open(&path).expect("it opens");
    let is_broken = connection.prepare("PRAGMA foreign_key_check").expect("ok").exists([]);
    assert!(!is_broken.expect("asked"), "{what}");
    robot.call::<Recall>(RecallRequest { query: "cup handle".into(), ..Default::default() });
}

#[test]
fn each_page_zeroed_with_a_backup() {
    let closed = Closed::new(true);
    let pages = std::fs::metadata(closed.path()).expect("bytes").len() / PAGE;
    assert!(pages > 60, "{pages} pages");
    let newest = *closed.contents.keys().max().expect("rows");
    let mut repaired = 0;
    let swept: Vec<_> = sampled(0..pages, 5).collect();
    for &page in &swept {
        let robot = closed.damaged(|path| zero(path, page));
        upkeep(&robot);
        let what = format!("page {page}: {:?}", robot.engine.recovery_report());
        check_sound(&robot, &what);
        assert!(compare(&contents(&robot.store_path()), &closed.contents).is_empty(), "{what}");
        assert!(robot.learn_with("the plate is green", "") > newest, "{what}");
        let sessions = sql::<i64>(&robot.store_path(), "SELECT count(*) FROM session");
        assert_eq!((sessions, what.contains("to be saved")), (1, false), "{what}");
        repaired += usize::from(robot.engine.recovery_report().is_some());
    }
    println!("{repaired} of {} pages were repaired", swept.len());
    assert!(repaired * 2 > swept.len());
}

#[test]
fn each_page_zeroed_without_a_backup() {
    let closed = Closed::new(false);
    let pages = std::fs::metadata(closed.path()).expect("bytes").len() / PAGE;
    // Those of the tables that hold most, and a third of the others.
    for page in sampled((0..pages).filter(|page| *page < 12 || page % 3 == 0), 3) {
        let robot = closed.damaged(|path| zero(path, page));
        upkeep(&robot);
        let what = format!("page {page}: {:?}", robot.engine.recovery_report());
        check_sound(&robot, &what);
        let found = contents(&robot.store_path());
        let as_before = found.iter().filter(|(id, text)| closed.contents.get(id) == Some(text));
        let lost = closed.contents.len() - as_before.count();
        if lost > 0 {
            let (level, message) = store_status(&robot);
            assert!(level > StatusLevel::Ok, "{what}: {lost} lost, {message}");
            assert!(message.contains("lost"), "{what}: {message}");
        }
    }
}

#[test]
fn cut_short_at_any_page() {
    for has_backup in [true, false] {
        let closed = Closed::new(has_backup);
        let pages = std::fs::metadata(closed.path()).expect("bytes").len() / PAGE;
        let lengths = [
            0,
            1,
            512,
            PAGE,
            3 * PAGE + 100,
            pages / 4 * PAGE,
            pages / 2 * PAGE,
            (pages - 1) * PAGE,
            pages * PAGE - 1,
        ];
        for length in sampled(lengths, 2) {
            let robot = closed.damaged(|path| {
                let file = std::fs::File::options().write(true).open(path).expect("it opens");
                file.set_len(length).expect("it is cut");
            });
            let what =
                format!("{length} bytes, {has_backup}: {:?}", robot.engine.recovery_report());
            check_sound(&robot, &what);
            let found = contents(&robot.store_path());
            match has_backup {
                true => assert_eq!(compare(&found, &closed.contents), [0; 0], "{what}"),
                false if found.len() < closed.contents.len() => {
                    let (level, message) = store_status(&robot);
                    assert!(level > StatusLevel::Ok, "{what}: {message}");
                    let lost = robot.engine.recovery_report().expect("repaired").salvaged.lost_max;
                    assert!(lost as usize >= closed.contents.len() - found.len(), "{what}");
                }
                false => {}
            }
        }
    }
}

/// Flips one bit of a byte in a text of the file.
fn flip(path: &Path, text: &str, bit: u8) {
    let mut bytes = std::fs::read(path).expect("bytes");
    let found: Vec<usize> = bytes
        .windows(text.len())
        .enumerate()
        .filter(|(_, window)| *window == text.as_bytes())
        .map(|(at, _)| at)
        .collect();
    assert!(!found.is_empty(), "{text}");
    for at in found {
        bytes[at + 4] ^= 1 << bit;
    }
    std::fs::write(path, bytes).expect("written");
}

const TEXTS: [&str; 2] = ["saw cup number 77 on the table", "the tray holds 231 g of screws"];

#[test]
fn one_flipped_bit_in_a_text_comes_from_the_backup_or_is_withdrawn() {
    for has_backup in [true, false] {
        let closed = Closed::new(has_backup);
        for text in TEXTS {
            let at = closed.contents.iter().find(|(_, content)| content.starts_with(text));
            let id = *at.expect("it is there").0;
            for bit in [0, 7] {
                let robot = closed.damaged(|path| flip(path, text, bit));
                let what = format!("{text}, bit {bit}, backup {has_backup}");
                // Whoever meets it first.
                let request = RecallRequest {
                    query: text.into(),
                    context_filter: match bit {
                        0 => String::new(),
                        _ => r#"{"place": "the long table beside the window"}"#.into(),
                    },
                    ..Default::default()
                };
                let answer = robot.call::<Recall>(request);
                for hit in &answer.memories {
                    let known = &closed.contents[&hit.memory.id];
                    assert!(known.starts_with(&hit.memory.content), "{what}");
                }
                let got = robot
                    .call::<GetMemory>(GetMemoryRequest { memory_id: id, ..Default::default() });
                check_sound(&robot, &what);
                let repaired = robot.engine.recovery_report().expect("it was repaired").salvaged;
                if has_backup {
                    assert!(got.memory.content.starts_with(text), "{what}");
                    assert!(
                        compare(&contents(&robot.store_path()), &closed.contents).is_empty(),
                        "{what}"
                    );
                    assert_eq!((repaired.from_backup, repaired.withdrawn), (1, 0), "{what}");
                } else {
                    assert_eq!(got.memory.status.as_str(), "invalidated", "{what}");
                    assert_eq!((repaired.withdrawn, repaired.lost_max), (1, 0), "{what}");
                    let (level, message) = store_status(&robot);
                    assert!(level == StatusLevel::Warn && message.contains("1 are withdrawn"));
                    let refused = robot.engine.call::<Update>(UpdateRequest {
                        memory_id: id,
                        new_content: "the tray holds nothing".into(),
                        ..Default::default()
                    });
                    assert_ne!(
                        refused.err().map(|error| error.kind),
                        Some(robot_memory_core::api::ErrorKind::Internal),
                        "{what}"
                    );
                }
                assert_eq!(
                    answer.total as usize,
                    robot
                        .call::<Recall>(RecallRequest {
                            query: text.into(),
                            context_filter: match bit {
                                0 => String::new(),
                                _ => r#"{"place": "the long table beside the window"}"#.into(),
                            },
                            ..Default::default()
                        })
                        .total as usize,
                    "{what}"
                );
                // The word stays while the damaged file does.
                let robot = robot.restart();
                let (_, message) = store_status(&robot);
                assert!(message.contains("the store was damaged"), "{what}: {message}");
                std::fs::remove_file(robot.store_path().with_file_name("memory.db.damaged-1"))
                    .expect("removed");
                assert!(!store_status(&robot).1.contains("damaged"));
            }
        }
    }
}

#[test]
fn a_flipped_bit_that_nobody_meets_is_found_by_the_backup_and_by_the_look_of_each_day() {
    for by_backup in [true, false] {
        let closed = Closed::new(true);
        let robot = closed.damaged(|path| flip(path, TEXTS[1], 0));
        if by_backup {
            let made =
                robot.engine.make_backup(None, &mut |_, _| std::ops::ControlFlow::Continue(()));
            assert!(made.is_err(), "what is not true is in no backup that is called verified");
        } else {
            // A day later.
            robot.engine.upkeep().expect("upkeep");
        }
        assert!(robot.engine.is_damaged());
        robot.engine.upkeep().expect("it is repaired");
        assert_eq!(compare(&contents(&robot.store_path()), &closed.contents), [0; 0]);
        back_up(&robot);
    }
}

#[test]
fn what_was_deleted_does_not_come_back_though_the_store_cannot_tell_of_it() {
    let closed = Closed::new(true);
    let robot = closed.damaged(|_| {});
    let gone = *closed.contents.keys().next().expect("a memory");
    robot.call::<DeleteMemory>(DeleteMemoryRequest { memory_id: gone, ..Default::default() });
    robot.engine.upkeep().expect("upkeep");
    assert!(!robot.engine.is_damaged(), "{}", store_status(&robot).1);
    robot.engine.close().expect("it closes");
    let path = robot.store_path();
    let file = std::fs::File::options().write(true).open(&path).expect("it opens");
    file.set_len(2 * PAGE).expect("it is cut");
    let robot = robot.pull_the_plug();
    let mut left = closed.contents.clone();
    left.remove(&gone);
    assert_eq!(compare(&contents(&path), &left), [0; 0], "{:?}", robot.engine.recovery_report());
}
