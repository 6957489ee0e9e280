use crate::tests::{count, draft, read, store, write};
use crate::{Error, Store, schema};
use rusqlite::Connection;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Names the store of a child process that reads it without end; set, this test binary is that
/// child.
const STORE: &str = "ROBOT_MEMORY_READ_STORE";

fn refusal(path: &Path) -> Error {
    Store::open_reading(path).err().expect("it is refused")
}

/// All files of a folder, with their bytes.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths.map(|path| (path.clone(), std::fs::read(path).expect("bytes"))).collect()
}

#[test]
fn a_closed_store_is_read_without_a_trace() {
    for name in ["memory.db", "a?b=c&d#e%20 杯.db"] {
        let folder = TempDir::new().expect("a folder");
        let path = folder.path().join(name);
        let (writing, _) = Store::open(&path, 0).expect("it opens");
        write(&writing, |tx| tx.insert_memory(&draft("the cup is red")));
        writing.close().expect("it closes");
        drop(writing);
        std::fs::remove_file(folder.path().join(format!("{name}.lock"))).expect("removed");
        let before = files(folder.path());
        assert_eq!(before.len(), 1, "{:?}", before.keys());
        let reading = Store::open_reading(&path).expect("it opens");
        assert_eq!(count(&reading), 1);
        assert!(matches!(reading.writer().begin(), Err(Error::ReadingOnly)));
        reading.checkpoint_passive().expect("nothing to do");
        reading.close().expect("nothing to do");
        drop(reading);
        assert!(files(folder.path()) == before, "the folder was changed");
    }
}

#[test]
fn beside_a_writer_committed_rows_are_seen_and_no_others() {
    let (folder, writing) = store();
    let path = folder.path().join("memory.db");
    write(&writing, |tx| tx.insert_memory(&draft("one")));
    let reading = Store::open_reading(&path).expect("it opens");
    let counted = || count(&reading);
    assert_eq!(counted(), 1);
    {
        let mut writer = writing.writer();
        let tx = writer.begin().expect("it begins");
        tx.insert_memory(&draft("two")).expect("it writes");
        assert_eq!(counted(), 1);
        tx.commit().expect("it commits");
        assert_eq!(counted(), 2);
    }
    // One snapshot, whatever is committed meanwhile.
    read(&reading, |tx| {
        let revision = tx.revision()?;
        let third = write(&writing, |tx| tx.insert_memory(&draft("three")));
        assert!(tx.memory(third, false)?.is_none());
        assert_eq!(tx.revision()?, revision);
        Ok(())
    });
    assert_eq!(counted(), 3);
    writing.close().expect("it closes");
    assert_eq!(counted(), 3);
}

#[test]
fn what_a_killed_writer_left_is_read_and_not_repaired() {
    let (folder, writing) = store();
    write(&writing, |tx| tx.insert_memory(&draft("in the log")));
    // What lies there while it is open is what a kill leaves.
    let copy = TempDir::new().expect("a folder");
    for (path, bytes) in files(folder.path()) {
        std::fs::write(copy.path().join(path.file_name().expect("a name")), bytes).expect("copied");
    }
    let before = files(copy.path());
    let path = copy.path().join("memory.db");
    let reading = Store::open_reading(&path).expect("it opens");
    assert_eq!(count(&reading), 1);
    assert!(files(copy.path()) == before, "the folder was changed");
    let (writing, opened) = Store::open(&path, 0).expect("it opens");
    assert!(opened.unclean && opened.damaged_aside.is_none());
    assert_eq!(count(&writing), 1);
}

#[test]
fn a_store_that_is_opened_meanwhile_is_not_trusted() {
    let (folder, writing) = store();
    let path = folder.path().join("memory.db");
    writing.close().expect("it closes");
    drop(writing);
    let reading = Store::open_reading(&path).expect("it opens");
    let outcome: Result<u64, Error> = reading.read(|tx| {
        let count = tx.inactive_count()?;
        let (writing, _) = Store::open(&path, 0).expect("it opens");
        write(&writing, |tx| tx.insert_memory(&draft("one")));
        writing.close().expect("it closes");
        Ok(count)
    });
    assert!(matches!(outcome, Err(Error::Changed)), "{outcome:?}");
    assert_eq!(count(&reading), 1);
}

#[test]
fn what_is_no_store_of_this_version_is_refused_and_left_alone() {
    let (folder, writing) = store();
    let path = folder.path().join("memory.db");
    writing.close().expect("it closes");
    let mark = |name: &str, value: i64| {
        Connection::open(&path).expect("opens").pragma_update(None, name, value).expect("set");
    };
    mark("user_version", 1);
    let before = std::fs::read(&path).expect("bytes");
    assert!(matches!(refusal(&path), Error::OlderSchema { found: 1, .. }));
    assert!(std::fs::read(&path).expect("bytes") == before, "it was changed");
    mark("user_version", 99);
    assert!(matches!(refusal(&path), Error::NewerSchema { found: 99, .. }));
    mark("user_version", schema::VERSION);
    assert!(Store::open_reading(&path).is_ok());
    mark("application_id", 5);
    assert!(matches!(refusal(&path), Error::Foreign { found: 5, .. }));

    let notes = folder.path().join("notes.txt");
    std::fs::write(&notes, "buy screws, M8x40, two boxes of them").expect("written");
    assert!(matches!(refusal(&notes), Error::NoStore { .. }));
    assert!(matches!(refusal(folder.path()), Error::NoStore { .. }));
    let missing = folder.path().join("deep/missing.db");
    assert!(matches!(refusal(&missing), Error::Io { .. }));
    assert!(!missing.exists() && !folder.path().join("deep").exists());
}

/// Reads all rows without end, and says when it began.
#[test]
#[expect(clippy::disallowed_methods, reason = "the parent hands the path over so")]
fn endless_reader() {
    let Some(path) = std::env::var_os(STORE).map(PathBuf::from) else { return };
    let reading = Store::open_reading(&path).expect("it opens");
    println!("\nreading");
    // Bounded, so that a child whose parent died ends.
    for _ in 0..100_000 {
        read(&reading, |tx| tx.each_active_context(|_, _| ()));
    }
}

#[test]
fn a_killed_reader_harms_no_writer() {
    let (folder, writing) = store();
    let path = folder.path().join("memory.db");
    write(&writing, |tx| (0..200).try_for_each(|_| tx.insert_memory(&draft("one")).map(drop)));
    let mut written = 200;
    for _ in 0..5 {
        let mut child = Command::new(std::env::current_exe().expect("this binary"))
            .args(["endless_reader", "--nocapture", "--test-threads=1"])
            .env(STORE, &path)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the child starts");
        let lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        let began = lines.map_while(Result::ok).any(|line| line.trim() == "reading");
        assert!(began, "the child died by itself");
        for _ in 0..20 {
            write(&writing, |tx| tx.insert_memory(&draft("more")));
            written += 1;
        }
        child.kill().expect("it is killed");
        child.wait().expect("it is gone");
        write(&writing, |tx| tx.insert_memory(&draft("after")));
        written += 1;
    }
    assert_eq!(count(&writing), written);
    writing.close().expect("it closes");
    assert!(!folder.path().join("memory.db-wal").exists(), "the log came into the file");
}

#[test]
fn a_held_store_stays_as_it_was() {
    let (folder, writing) = store();
    let path = folder.path().join("memory.db");
    write(&writing, |tx| tx.insert_memory(&draft("one")));
    assert!(matches!(writing.pin_snapshot(), Err(Error::NotReadingOnly)));
    let reading = Store::open_reading(&path).expect("it opens");
    reading.pin_snapshot().expect("it is held");
    write(&writing, |tx| tx.insert_memory(&draft("two")));
    assert_eq!((count(&reading), count(&writing)), (1, 2));
    writing.checkpoint_passive().expect("as far as it goes");
    assert_eq!(count(&reading), 1);
    reading.pin_snapshot().expect("it is held anew");
    assert_eq!(count(&reading), 2);
    drop(reading);
    writing.close().expect("it closes");
    drop(writing);

    // Without a log there are no locks: it can only be noticed.
    let reading = Store::open_reading(&path).expect("it opens");
    reading.pin_snapshot().expect("it is held");
    assert_eq!(count(&reading), 2);
    let (writing, _) = Store::open(&path, 0).expect("it opens");
    write(&writing, |tx| tx.insert_memory(&draft("three")));
    let outcome: Result<i64, Error> = reading.read(|tx| tx.revision());
    assert!(matches!(outcome, Err(Error::Changed)), "{outcome:?}");
}
