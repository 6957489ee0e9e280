//! A damaged store is put aside under the locks that it has.

use super::*;

/// Whether somebody holds a lock of SQLite on a store's file.
fn is_locked(path: &Path) -> bool {
    use std::os::fd::AsRawFd;
    // The bytes of SQLite's shared lock.
    const SHARED: (libc::off_t, libc::off_t) = (0x4000_0002, 510);
    let file = std::fs::OpenOptions::new().read(true).write(true).open(path).expect("it opens");
    // SAFETY: a flock is numbers, of which all may be 0.
    let mut asked: libc::flock = unsafe { std::mem::zeroed() };
    (asked.l_start, asked.l_len) = SHARED;
    asked.l_type = libc::F_WRLCK as libc::c_short;
    asked.l_whence = libc::SEEK_SET as libc::c_short;
    // SAFETY: both are there for as long as the call takes.
    assert_eq!(unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_GETLK, &raw mut asked) }, 0);
    // To close it would let the locks go.
    std::mem::forget(file);
    asked.l_type != libc::F_UNLCK as libc::c_short
}

#[test]
fn a_store_that_is_put_aside_stays_locked() {
    let (_folder, store) = store();
    write(&store, |tx| tx.insert_memory(&draft("the cup is red")));
    assert!(is_locked(&store.path));
    let writer = store.writer();
    let aside = store.copy_aside(&writer).expect("it is copied");
    assert!(is_locked(&store.path), "another process could write");
    drop(writer);
    assert_eq!(std::fs::read(&aside).expect("a copy"), {
        let file = store.lock.lock().expect("a lock");
        let file = file.as_ref().and_then(StoreLock::file).expect("its file");
        let mut bytes =
            vec![0; usize::try_from(file.metadata().expect("a size").len()).expect("few")];
        file.read_exact_at(&mut bytes, 0).expect("bytes");
        bytes
    });
    assert!(is_locked(&store.path));
}
