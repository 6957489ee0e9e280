//! A damaged store is repaired, while it is open and when it is opened.

use crate::colors::{self, Colors};
use crate::robot::{Robot, open, sql};
use robot_memory_core::api::{
    DeleteMemory, DeleteMemoryRequest, Forget, ForgetRequest, Learn, LearnRequest, Recall,
    RecallRequest, RestoreBackup, RestoreBackupRequest,
};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::os::unix::fs::FileExt;
use std::path::Path;

const ROWS: usize = 600;

/// Where a file is damaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spot {
    /// A leaf of the table `memory`.
    TableLeaf,
    /// The root of an index.
    Index,
    /// The data of the full-text index.
    Words,
    /// The first page.
    Header,
    /// The last third is gone.
    Truncated,
}

const SPOTS: [Spot; 5] = [Spot::TableLeaf, Spot::Index, Spot::Words, Spot::Header, Spot::Truncated];

fn filled() -> (Robot, BTreeMap<i64, String>) {
    let robot = Robot::with(|config| config.jobs.has_workers = true);
    robot.plug_in_embedder();
    let mut known = BTreeMap::new();
    for number in 0..ROWS {
        let text = format!("saw cup number {number} on the table with a long handle");
        known.insert(robot.perceive(&text, ""), text);
    }
    (robot, known)
}

/// Pages of a table's tree: its root, and the leaves below it when it has one level.
pub fn pages_of(path: &Path, name: &str) -> (u64, Vec<u64>) {
    let query = format!("SELECT rootpage FROM sqlite_schema WHERE name = '{name}'");
    let root = sql::<i64>(path, &query).unsigned_abs();
    let bytes = sql::<i64>(path, "PRAGMA page_size").unsigned_abs();
    let file = std::fs::File::open(path).expect("it opens");
    let mut page = vec![0; bytes as usize];
    file.read_exact_at(&mut page, (root - 1) * bytes).expect("a page");
    let number = |at: usize| u16::from_be_bytes([page[at], page[at + 1]]) as usize;
    // 5: an inner page of a table, whose cells begin with a child's number.
    if page[0] != 5 {
        return (root, Vec::new());
    }
    let cells = (0..number(3)).map(|cell| number(12 + 2 * cell));
    let child = |at: usize| {
        u64::from(u32::from_be_bytes([page[at], page[at + 1], page[at + 2], page[at + 3]]))
    };
    (root, cells.map(child).collect())
}

fn damage(path: &Path, spot: Spot) {
    let bytes = 8_192;
    let file = std::fs::File::options().read(true).write(true).open(path).expect("it opens");
    let overwrite = |page: u64| {
        file.write_all_at(&vec![0xa5; bytes], (page - 1) * bytes as u64).expect("written");
    };
    match spot {
        Spot::TableLeaf => {
            let (_, leaves) = pages_of(path, "memory");
            overwrite(leaves[leaves.len() / 2]);
        }
        Spot::Index => overwrite(pages_of(path, "memory_inactive").0),
        Spot::Words => {
            let (root, leaves) = pages_of(path, "memory_words_data");
            overwrite(leaves.last().copied().unwrap_or(root));
        }
        Spot::Header => overwrite(1),
        Spot::Truncated => {
            let length = file.metadata().expect("bytes").len();
            let pages = length / bytes as u64 * 2 / 3;
            file.set_len(pages * bytes as u64).expect("cut");
        }
    }
}

/// The log is brought into the file first, else it hides what is done to that.
pub fn settle_log(robot: &Robot) {
    let connection = rusqlite::Connection::open(robot.store_path()).expect("it opens");
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).expect("moved");
}

fn check_sound(path: &Path, known: &BTreeMap<i64, String>) -> usize {
    assert_eq!(sql::<String>(path, "PRAGMA integrity_check"), "ok");
    let connection = rusqlite::Connection::open(path).expect("it opens");
    assert!(!connection.prepare("PRAGMA foreign_key_check").expect("ok").exists([]).expect("ok"));
    let mut statement = connection.prepare("SELECT id, content FROM memory").expect("read");
    let rows = statement
        .query_map([], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)))
        .expect("rows");
    let mut found = 0;
    for row in rows {
        let (id, content) = row.expect("a row");
        if let Some(text) = known.get(&id) {
            assert_eq!(&content, text);
            found += 1;
        }
    }
    found
}

/// Calls until damage is met, and repairs it.
fn meet_and_mend(robot: &Robot) {
    for _ in 0..3 {
        // Whatever each of them answers: it meets the damage.
        let _ = robot.engine.call::<Recall>(RecallRequest {
            query: "cup handle".into(),
            n: 100,
            exact: true,
            ..Default::default()
        });
        let request = LearnRequest { insight: "the bowl is blue".into(), ..Default::default() };
        let _ = robot.engine.call::<Learn>(request);
        if !robot.engine.is_damaged() {
            let made = robot.engine.make_backup(None, &mut |_, _| ControlFlow::Continue(()));
            assert!(made.is_err() || !robot.engine.is_damaged());
        }
        if robot.engine.is_damaged() {
            let request = LearnRequest { insight: "the fork is long".into(), ..Default::default() };
            let refused = robot.engine.call::<Learn>(request).expect_err("it is refused");
            assert_eq!(refused.kind, robot_memory_core::api::ErrorKind::Unavailable, "{refused}");
            robot.engine.upkeep().expect("it is repaired");
            return;
        }
    }
    panic!("nobody met the damage");
}

#[test]
fn while_it_is_open() {
    for spot in SPOTS {
        for has_backup in [false, true] {
            let (robot, known) = filled();
            if has_backup {
                let made = robot.engine.make_backup(None, &mut |_, _| ControlFlow::Continue(()));
                made.expect("it is made");
            }
            settle_log(&robot);
            damage(&robot.store_path(), spot);
            meet_and_mend(&robot);
            let repaired = robot.engine.recovery_report().expect("it was repaired");
            assert!(repaired.aside.exists());
            assert!(!robot.engine.is_damaged());
            let found = check_sound(&robot.store_path(), &known);
            println!("{spot:?}, backup {has_backup}: {found} of {ROWS}; {repaired}");
            match (spot, has_backup) {
                (Spot::Index | Spot::Words, _) | (Spot::TableLeaf, true) => assert_eq!(found, ROWS),
                (Spot::TableLeaf, false) => {
                    assert!(found > ROWS / 2 && found < ROWS);
                    assert!(repaired.salvaged.lost_max as usize >= ROWS - found);
                }
                _ => {}
            }
            // It serves as before, without a restart.
            let newest = *known.keys().max().expect("rows");
            let id = robot.learn_with("the plate is green", "");
            assert!(id > newest);
            assert_eq!(robot.recall("green plate").memories[0].memory.id, id);
            robot.engine.upkeep().expect("upkeep");
            let robot = robot.restart();
            assert!(robot.opened.damaged_aside.is_none() && !robot.opened.unclean);
        }
    }
}

#[test]
fn before_it_is_opened() {
    for spot in SPOTS {
        let (robot, known) = filled();
        let made = robot.engine.make_backup(None, &mut |_, _| ControlFlow::Continue(()));
        made.expect("it is made");
        let path = robot.store_path();
        robot.engine.close().expect("it closes");
        {
            // As a program that died left it.
            let connection = rusqlite::Connection::open(&path).expect("it opens");
            connection.execute("UPDATE store_state SET clean = 0", []).expect("set");
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).expect("moved");
        }
        damage(&path, spot);
        let robot = robot.pull_the_plug();
        assert!(robot.opened.damaged_aside.is_some(), "{spot:?}");
        let found = check_sound(&path, &known);
        println!("{spot:?}: {found} of {ROWS}");
        assert_eq!(robot.opened.memory_count as usize, found);
        if spot != Spot::Truncated && spot != Spot::Header {
            assert_eq!(found, ROWS, "{spot:?}");
        }
        assert_eq!(robot.recall("cup").total as usize, found);
        assert!(!path.with_file_name("memory.db.salvage").exists());
    }
}

#[test]
fn what_was_deleted_or_forgotten_since_the_backup_does_not_come_back() {
    let (robot, known) = filled();
    let made = robot.engine.make_backup(None, &mut |_, _| ControlFlow::Continue(()));
    made.expect("it is made");
    let middle: Vec<i64> = known.keys().copied().skip(ROWS / 2 - 60).take(120).collect();
    for pair in middle.chunks(2) {
        robot
            .call::<DeleteMemory>(DeleteMemoryRequest { memory_id: pair[0], ..Default::default() });
        robot.call::<Forget>(ForgetRequest {
            memory_id: pair[1],
            reason: "moved".into(),
            scope: String::new(),
            agent: String::new(),
        });
    }
    settle_log(&robot);
    damage(&robot.store_path(), Spot::TableLeaf);
    meet_and_mend(&robot);
    let path = robot.store_path();
    check_sound(&path, &known);
    for pair in middle.chunks(2) {
        let query = format!("SELECT count(*) FROM memory WHERE id = {}", pair[0]);
        assert_eq!(sql::<i64>(&path, &query), 0, "it was deleted");
        let query =
            format!("SELECT count(*) FROM memory WHERE id = {} AND status = 'active'", pair[1]);
        assert_eq!(sql::<i64>(&path, &query), 0, "it was forgotten");
    }
    let outdated: std::collections::BTreeSet<i64> = middle.into_iter().collect();
    for id in known.keys().filter(|id| !outdated.contains(id)) {
        let query = format!("SELECT count(*) FROM memory WHERE id = {id}");
        assert_eq!(sql::<i64>(&path, &query), 1, "{id} was in the backup");
    }
}

#[test]
fn a_backup_of_a_past_that_was_left_fills_nothing() {
    let (robot, _) = filled();
    let back_up = |robot: &Robot| {
        let made = robot.engine.make_backup(None, &mut |_, _| ControlFlow::Continue(()));
        made.expect("it is made").expect("nobody stopped it").name
    };
    let first = back_up(&robot);
    let later = robot.learn_with("the plate is green", "");
    back_up(&robot);
    robot.call::<RestoreBackup>(RestoreBackupRequest { name: first, ..Default::default() });
    settle_log(&robot);
    damage(&robot.store_path(), Spot::TableLeaf);
    meet_and_mend(&robot);
    let query = format!("SELECT count(*) FROM memory WHERE id = {later}");
    assert_eq!(sql::<i64>(&robot.store_path(), &query), 0);
    assert_eq!(robot.engine.recovery_report().expect("repaired").salvaged.from_backup, 0);
}

#[test]
fn a_damaged_store_can_be_put_back_to_a_backup() {
    let (robot, known) = filled();
    let made = robot.engine.make_backup(None, &mut |_, _| ControlFlow::Continue(()));
    let name = made.expect("it is made").expect("nobody stopped it").name;
    settle_log(&robot);
    damage(&robot.store_path(), Spot::Header);
    let answer = robot.call::<RestoreBackup>(RestoreBackupRequest { name, ..Default::default() });
    assert_eq!(answer.memory_count as usize, ROWS);
    assert!(answer.kept_as.contains("damaged"), "{}", answer.kept_as);
    assert_eq!(check_sound(&robot.store_path(), &known), ROWS);
}

#[test]
fn a_start_that_was_cut_short_saves_the_rows_at_the_next_one() {
    let (robot, _) = filled();
    let path = robot.store_path();
    robot.engine.close().expect("it closes");
    drop(robot.engine);
    // The damaged file is aside, and a new one was begun.
    std::fs::rename(&path, path.with_file_name("memory.db.damaged-1")).expect("renamed");
    drop(open(&path).expect("a new one"));
    std::fs::write(path.with_file_name("memory.db.salvage"), "memory.db.damaged-1").expect("noted");
    let (engine, opened) = open(&path).expect("it opens");
    assert_eq!(opened.memory_count as usize, ROWS);
    drop(engine);
}

#[test]
fn pictures_are_found_again_when_what_is_known_of_them_is_damaged() {
    for table in ["memory_picture", "memory"] {
        let (robot, _) = filled();
        let seen: Vec<i64> = (0..40).map(|_| colors::see(&robot, colors::RED)).collect();
        Colors::new("colors").plug_in(&robot);
        colors::make_vectors(&robot);
        settle_log(&robot);
        let path = robot.store_path();
        let (root, leaves) = pages_of(&path, table);
        let page = if table == "memory" { leaves[0] } else { root };
        let file = std::fs::File::options().write(true).open(&path).expect("it opens");
        file.write_all_at(&[0xa5; 8_192], (page - 1) * 8_192).expect("written");
        drop(robot.engine);
        let (engine, opened) = open(&path).expect("it is repaired");
        assert!(opened.damaged_aside.is_some() || engine.is_damaged(), "{table}");
        let count = sql::<i64>(&path, "SELECT count(*) FROM memory_picture");
        assert_eq!(count, seen.len() as i64, "{table}");
    }
}
