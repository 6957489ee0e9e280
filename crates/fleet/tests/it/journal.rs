//! A memory that keeps what it says and takes in a file: what is in it is known after a restart.

use robot_memory_fleet::{Memory, Outgoing, Position};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};

/// Origin, memory and revision.
pub type Key = (String, i64, u64);

struct Inner {
    file: File,
    waiting: BTreeMap<u64, (i64, u64, usize)>,
    numbers: HashMap<(i64, u64), u64>,
    said: u64,
    taken: HashMap<Key, u64>,
    position: Option<Position>,
}

/// The memory of a robot.
pub struct Journal {
    robot: String,
    inner: Mutex<Inner>,
    /// `told` fails.
    pub is_told_broken: AtomicBool,
    /// Every so many calls of `take` fail; 0: none.
    pub take_fails_each: AtomicU64,
    takes: AtomicU64,
    told_calls: AtomicU64,
    /// What was taken before its turn, and how much was taken by then.
    pub first: Mutex<Vec<(String, usize)>>,
}

impl Journal {
    /// Opens the journal of a robot, with what was in it.
    pub fn open(folder: &Path, robot: &str) -> Self {
        let path = folder.join(format!("{robot}.journal"));
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let file = OpenOptions::new().create(true).append(true).open(path).unwrap();
        let mut inner = Inner {
            file,
            waiting: BTreeMap::new(),
            numbers: HashMap::new(),
            said: 0,
            taken: HashMap::new(),
            position: None,
        };
        for line in text.lines() {
            inner.apply(line);
        }
        Self {
            robot: robot.to_owned(),
            inner: Mutex::new(inner),
            is_told_broken: AtomicBool::new(false),
            take_fails_each: AtomicU64::new(0),
            takes: AtomicU64::new(0),
            told_calls: AtomicU64::new(0),
            first: Mutex::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap()
    }

    /// Says something of `bytes` bytes or a few more.
    pub fn say(&self, memory_id: i64, revision: u64, bytes: usize) {
        self.lock().store(&format!("say {memory_id} {revision} {bytes}"));
    }

    /// How often each was taken.
    pub fn taken(&self) -> HashMap<Key, u64> {
        self.lock().taken.clone()
    }

    pub fn waiting(&self) -> usize {
        self.lock().waiting.len()
    }

    pub fn told_calls(&self) -> u64 {
        self.told_calls.load(Ordering::SeqCst)
    }

    pub fn position_now(&self) -> Option<Position> {
        self.lock().position.clone()
    }

    /// Those of `keys` that were not taken.
    pub fn missing(&self, keys: &BTreeSet<Key>) -> Vec<Key> {
        let inner = self.lock();
        keys.iter().filter(|key| !inner.taken.contains_key(*key)).cloned().collect()
    }
}

impl Inner {
    /// A line is in the file before it counts.
    fn store(&mut self, line: &str) {
        self.file.write_all(format!("{line}\n").as_bytes()).unwrap();
        self.apply(line);
    }

    fn apply(&mut self, line: &str) {
        let mut words = line.split(' ');
        let what = words.next().unwrap();
        let mut next = || words.next().unwrap();
        match what {
            "say" => {
                let key = (next().parse().unwrap(), next().parse().unwrap());
                let bytes = next().parse().unwrap();
                self.said += 1;
                self.waiting.insert(self.said, (key.0, key.1, bytes));
                self.numbers.insert(key, self.said);
            }
            "told" => {
                let key = (next().parse().unwrap(), next().parse().unwrap());
                self.waiting.remove(&self.numbers[&key]);
            }
            // The position, and all keys: one line, thus one transaction.
            "take" => {
                let position =
                    Position { stream_id: next().to_owned(), sequence: next().parse().unwrap() };
                for key in words {
                    *self.taken.entry(parsed(key)).or_default() += 1;
                }
                self.position = Some(position);
            }
            other => panic!("the journal has {other}"),
        }
    }
}

fn parsed(key: &str) -> Key {
    let mut parts = key.split(':');
    let mut next = || parts.next().unwrap();
    (next().to_owned(), next().parse().unwrap(), next().parse().unwrap())
}

impl Memory for Journal {
    fn to_tell(&self, n: usize) -> Result<Vec<Outgoing>, String> {
        let outgoing = |&(memory_id, revision, bytes): &(i64, u64, usize)| {
            let message_id = format!("{}:{memory_id}:{revision}", self.robot);
            let payload = format!("{message_id} {}", "x".repeat(bytes)).into_bytes();
            Outgoing { memory_id, revision, message_id, payload }
        };
        Ok(self.lock().waiting.values().take(n).map(outgoing).collect())
    }

    fn told(&self, told: &[(i64, u64)]) -> Result<(), String> {
        self.told_calls.fetch_add(1, Ordering::SeqCst);
        if self.is_told_broken.load(Ordering::SeqCst) {
            return Err("the disk is gone".to_owned());
        }
        let mut inner = self.lock();
        for (memory_id, revision) in told {
            inner.store(&format!("told {memory_id} {revision}"));
        }
        Ok(())
    }

    fn take(&self, messages: &[Vec<u8>], position: &Position) -> Result<(), String> {
        let each = self.take_fails_each.load(Ordering::SeqCst);
        let takes = self.takes.fetch_add(1, Ordering::SeqCst) + 1;
        if each > 0 && takes.is_multiple_of(each) {
            return Err("the store is locked".to_owned());
        }
        let mut line = format!("take {} {}", position.stream_id, position.sequence);
        for message in messages {
            let text = std::str::from_utf8(message).unwrap();
            line.push(' ');
            line.push_str(text.split(' ').next().unwrap());
        }
        self.lock().store(&line);
        Ok(())
    }

    fn who_comes_first(&self) -> Vec<String> {
        vec!["nobody".into(), "ops".into()]
    }

    fn take_first(&self, messages: &[Vec<u8>]) -> Result<(), String> {
        let taken = self.taken().len();
        let mut first = self.first.lock().unwrap();
        for message in messages {
            let text = std::str::from_utf8(message).unwrap();
            first.push((text.split(' ').next().unwrap().to_owned(), taken));
        }
        Ok(())
    }

    fn position(&self) -> Result<Option<Position>, String> {
        Ok(self.position_now())
    }
}
