//! One file of the storage `sqlite3`, read without changing it or its folder.

use super::BagError;
use super::file::{
    BagMessage, Contents, MessageSource, Source, Topic, UNKNOWN_SPAN, Wanted, has_room,
    ros_type_name,
};
use super::problems::Problems;
use robot_memory_core::limits::BAG_MESSAGE_BYTES_MAX;
use robot_memory_core::model::Stamp;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Row, params};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

/// Messages that are ordered together.
const BATCH: usize = 4096;

/// Row ids that are tried one by one behind a damaged page, before steps grow.
const SINGLE_STEPS: i64 = 256;

#[derive(Debug)]
struct SqliteFile {
    /// Which topic a `topic_id` is of.
    ids: BTreeMap<i64, usize>,
    /// Rows of a file that lacks its end whose last bytes may be missing.
    doubtful: BTreeSet<i64>,
}

/// Reads the topics. `given` is where the file was before it was unpacked.
pub fn scan(
    path: &Path,
    given: &Path,
    name: &str,
    problems: &mut Problems,
) -> Result<Contents, BagError> {
    let no_bag = |reason: String| BagError::NoBag { path: given.to_owned(), reason };
    let connection = connect(path).map_err(|error| no_bag(error.to_string()))?;
    if !is_bag(&connection).map_err(|error| no_bag(error.to_string()))? {
        return Err(no_bag("it has no tables `topics` and `messages`".to_owned()));
    }
    let (mut topics, ids) = topics(&connection).map_err(|error| no_bag(error.to_string()))?;
    note_log(given, name, problems);
    let mut doubtful = BTreeSet::new();
    if note_end(path, name, problems) {
        doubtful = doubtful_of(&all_rows(&connection));
    }
    let span = match connection.query_row(
        "SELECT (SELECT min(timestamp) FROM messages), (SELECT max(timestamp) FROM messages)",
        [],
        |row| Ok((row.get::<_, Option<i64>>(0)?, row.get::<_, Option<i64>>(1)?)),
    ) {
        Ok((start, end)) => start.map(Stamp).zip(end.map(Stamp)),
        // Messages are looked for all the same.
        Err(error) => {
            problems.note(name, &format!("its times are damaged: {error}"));
            Some(UNKNOWN_SPAN)
        }
    };
    let counts = counts(&connection).unwrap_or_else(|error| {
        problems.note(name, &format!("its messages could not be counted: {error}"));
        let mut found = BTreeMap::new();
        for row in all_rows(&connection) {
            *found.entry(row.topic).or_default() += 1;
        }
        found
    });
    for (id, place) in &ids {
        topics[*place].message_count = counts.get(id).copied().unwrap_or(0);
    }
    Ok(Contents { topics, span, source: Box::new(SqliteFile { ids, doubtful }) })
}

/// The messages of each topic.
fn counts(connection: &Connection) -> rusqlite::Result<BTreeMap<i64, u64>> {
    let mut statement =
        connection.prepare("SELECT topic_id, count(*) FROM messages GROUP BY topic_id")?;
    let count =
        |row: &Row<'_>| Ok((row.get(0)?, u64::try_from(row.get::<_, i64>(1)?).unwrap_or(0)));
    statement.query_map([], count)?.collect()
}

impl Source for SqliteFile {
    fn messages(
        &self,
        path: &Path,
        name: &str,
        wanted: Wanted,
    ) -> Result<Box<dyn MessageSource>, BagError> {
        let connection = connect(path)
            .map_err(|error| BagError::io(path)(io::Error::other(error.to_string())))?;
        Ok(Box::new(SqliteMessages {
            connection,
            name: name.to_owned(),
            ids: self.ids.clone(),
            doubtful: self.doubtful.clone(),
            after: (wanted.from.0, i64::MIN),
            waiting: VecDeque::new(),
            order: Order::ByIndex,
            lost: 0,
            wanted,
        }))
    }
}

/// Opens a file so that nothing is written beside it: as one that nobody changes.
fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let mut uri = "file:".to_owned();
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' => uri.push(char::from(*byte)),
            _ if byte.is_ascii_alphanumeric() => uri.push(char::from(*byte)),
            _ => uri.push_str(&format!("%{byte:02x}")),
        }
    }
    uri.push_str("?mode=ro&immutable=1");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(uri, flags)?;
    let bytes_max = i32::try_from(BAG_MESSAGE_BYTES_MAX).unwrap_or(i32::MAX);
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, bytes_max)?;
    // Damaged pages are told from others, and what a file calls a function is not run. A file that lacks its
    // end is refused as a whole, unless its schema is said to be writable; it is open for reading only.
    connection.execute_batch(
        "PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF; PRAGMA writable_schema = ON",
    )?;
    Ok(connection)
}

fn is_bag(connection: &Connection) -> rusqlite::Result<bool> {
    let tables: i64 = connection.query_row(
        "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('topics', 'messages')",
        [],
        |row| row.get(0),
    )?;
    Ok(tables == 2)
}

type Topics = (Vec<Topic>, BTreeMap<i64, usize>);

/// The topics, and which of them an id is of. The columns that came with later versions may be absent.
fn topics(connection: &Connection) -> rusqlite::Result<Topics> {
    let definitions = definitions(connection).unwrap_or_default();
    let mut statement = connection.prepare("SELECT * FROM topics ORDER BY name, type, id")?;
    let qos = statement.column_index("offered_qos_profiles").ok();
    let format = statement.column_index("serialization_format").ok();
    let (id, name, kind) = (
        statement.column_index("id")?,
        statement.column_index("name")?,
        statement.column_index("type")?,
    );
    let mut topics = Vec::new();
    let mut ids = BTreeMap::new();
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let type_name = ros_type_name(&row.get::<_, String>(kind)?);
        ids.insert(row.get(id)?, topics.len());
        topics.push(Topic {
            name: row.get(name)?,
            definition: definitions.get(&type_name).cloned().unwrap_or_default(),
            type_name,
            offered_qos: text(row, qos)?,
            encoding: text(row, format)?,
            message_count: 0,
        });
    }
    Ok((topics, ids))
}

fn text(row: &Row<'_>, column: Option<usize>) -> rusqlite::Result<String> {
    Ok(match column {
        Some(column) => row.get::<_, Option<String>>(column)?.unwrap_or_default(),
        None => String::new(),
    })
}

/// Definitions by type: later versions have them.
fn definitions(connection: &Connection) -> rusqlite::Result<BTreeMap<String, Arc<str>>> {
    let mut statement = connection.prepare(
        "SELECT topic_type, encoded_message_definition FROM message_definitions \
         WHERE encoding = 'ros2msg'",
    )?;
    statement
        .query_map([], |row| {
            let type_name: String = row.get(0)?;
            Ok((ros_type_name(&type_name), row.get::<_, String>(1)?.into()))
        })?
        .collect()
}

/// What waits in a log beside the file belongs to it, and only SQLite can put it there.
fn note_log(given: &Path, name: &str, problems: &mut Problems) {
    let mut log = given.as_os_str().to_owned();
    log.push("-wal");
    if std::fs::metadata(&log).is_ok_and(|log| log.len() > 0) {
        problems.note(
            name,
            "messages that are still in the file beside it that ends in -wal are not read; \
             `sqlite3 FILE 'PRAGMA wal_checkpoint'` moves them",
        );
    }
}

/// Whether a file lacks its end, which is said: its first page says how many pages there are.
fn note_end(path: &Path, name: &str, problems: &mut Problems) -> bool {
    let mut head = [0_u8; 32];
    let read = File::open(path).and_then(|mut file| {
        file.read_exact(&mut head)?;
        Ok(file.metadata()?.len())
    });
    let Ok(len) = read else { return false };
    let page_bytes = match u16::from_be_bytes([head[16], head[17]]) {
        1 => 65_536,
        bytes => u64::from(bytes),
    };
    let pages = u64::from(u32::from_be_bytes([head[28], head[29], head[30], head[31]]));
    let whole = pages * page_bytes;
    if len < whole {
        problems.note(
            name,
            &format!(
                "it breaks off: {len} of its {whole} bytes are there; what lies in them is read"
            ),
        );
    }
    len < whole
}

/// The rows of a file that lacks its end whose own end may lie behind it: those beside what is missing, and the
/// last ones, of which a page holds so many at most when each goes on on other pages.
fn doubtful_of(rows: &[MessageRow]) -> BTreeSet<i64> {
    const LAST: usize = 16;
    let mut ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
    ids.sort_unstable();
    let beside = ids.windows(2).filter(|pair| pair[1] - pair[0] > 1).flatten();
    beside.chain(ids.iter().rev().take(LAST)).copied().collect()
}

/// A row of a damaged file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct MessageRow {
    time: i64,
    id: i64,
    topic: i64,
}

/// All rows of all pages that can be read, in order of time. Behind a page that cannot, ids are tried, first one
/// by one, then in growing steps; where a step led to rows again, what it passed over is read backward.
fn all_rows(connection: &Connection) -> Vec<MessageRow> {
    let mut found: Vec<MessageRow> = Vec::new();
    // Ids begin at 1; before the first row was found nothing else is known.
    let mut last = i64::MIN;
    let mut step = 1;
    let mut steps = 0;
    loop {
        let count = found.len();
        let outcome = rows_after(connection, &mut last, &mut found);
        if let Some(first) = found.get(count).copied() {
            let before =
                count.checked_sub(1).and_then(|at| found.get(at)).map_or(i64::MIN, |row| row.id);
            // Also ends at the page that could not be read.
            let _ = rows_between(connection, before, first.id, &mut found);
            (step, steps) = (1, 0);
            // Those come last, out of order: what was read last is where to go on.
            found.sort_unstable_by_key(|row| row.id);
        }
        if outcome.is_ok() {
            break;
        }
        steps += 1;
        if steps > SINGLE_STEPS {
            step *= 2;
        }
        let Some(next) = last.max(0).checked_add(step) else { break };
        last = next;
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn message_row(row: &Row<'_>) -> rusqlite::Result<MessageRow> {
    Ok(MessageRow { time: row.get(0)?, id: row.get(1)?, topic: row.get(2)? })
}

fn rows_after(
    connection: &Connection,
    last: &mut i64,
    found: &mut Vec<MessageRow>,
) -> rusqlite::Result<()> {
    let mut statement = connection
        .prepare_cached("SELECT timestamp, id, topic_id FROM messages WHERE id > ?1 ORDER BY id")?;
    let mut rows = statement.query([*last])?;
    while let Some(row) = rows.next()? {
        let row = message_row(row)?;
        found.push(row);
        *last = row.id;
    }
    Ok(())
}

/// The last of the rows between two, as far as they can be read.
fn rows_between(
    connection: &Connection,
    after: i64,
    before: i64,
    found: &mut Vec<MessageRow>,
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "SELECT timestamp, id, topic_id FROM messages WHERE id > ?1 AND id < ?2 ORDER BY id DESC",
    )?;
    let mut rows = statement.query([after, before])?;
    while let Some(row) = rows.next()? {
        found.push(message_row(row)?);
    }
    Ok(())
}

/// The messages of a file, in order of log time.
struct SqliteMessages {
    connection: Connection,
    name: String,
    ids: BTreeMap<i64, usize>,
    doubtful: BTreeSet<i64>,
    /// Time and row of the last message that was given or is waiting.
    after: (i64, i64),
    /// Times and rows of the next messages.
    waiting: VecDeque<(i64, i64)>,
    order: Order,
    /// Messages that lie on damaged pages.
    lost: u64,
    wanted: Wanted,
}

/// Where the order of messages comes from.
#[derive(PartialEq)]
enum Order {
    /// The file's index of times.
    ByIndex,
    /// All rows that were found, all waiting.
    ByRows,
    /// There are no more.
    Done,
}

impl MessageSource for SqliteMessages {
    fn next(&mut self, problems: &mut Problems) -> Option<BagMessage> {
        loop {
            let Some((time, id)) = self.waiting.pop_front() else {
                if self.order == Order::ByIndex {
                    self.fill(problems);
                    continue;
                }
                if self.lost > 0 {
                    let what = format!("{} messages lie on damaged pages", self.lost);
                    problems.note(&self.name, &what);
                    self.lost = 0;
                }
                return None;
            };
            match self.message(time, id) {
                Ok(Some(message)) => return Some(message),
                Ok(None) => {}
                Err(_) => self.lost += 1,
            }
        }
    }
}

impl SqliteMessages {
    fn message(&self, time: i64, id: i64) -> rusqlite::Result<Option<BagMessage>> {
        // Two steps, so that the bytes of other topics are never read.
        let topic: Option<i64> = self
            .connection
            .prepare_cached("SELECT topic_id FROM messages WHERE id = ?1 AND timestamp = ?2")?
            .query_row(params![id, time], |row| row.get(0))
            .optional()?;
        let place = topic.and_then(|topic| self.ids.get(&topic)).copied();
        let Some(topic) = place.filter(|place| self.wanted.has_topic(*place)) else {
            return Ok(None);
        };
        let mut statement =
            self.connection.prepare_cached("SELECT data FROM messages WHERE id = ?1")?;
        let is_doubtful = self.doubtful.contains(&id);
        let bytes = statement.query_row([id], |row| {
            let bytes = row.get_ref(0)?.as_blob()?;
            // SQLite reads zeros behind the end of a file.
            if is_doubtful && bytes.last() == Some(&0) {
                return Err(rusqlite::Error::QueryReturnedNoRows);
            }
            Ok(has_room(bytes.len() as u64).then(|| Arc::from(bytes)))
        })?;
        Ok(bytes.map(|bytes| BagMessage { topic, log_time: Stamp(time), bytes }))
    }

    fn fill(&mut self, problems: &mut Problems) {
        match self.batch() {
            Ok(()) if self.waiting.is_empty() => self.order = Order::Done,
            Ok(()) => {}
            Err(error) => {
                problems.note(&self.name, &format!("its index of times is damaged: {error}"));
                self.waiting = self.all_rows();
                self.order = Order::ByRows;
            }
        }
    }

    /// The next rows in order of time, as the file's index has them.
    fn batch(&mut self) -> rusqlite::Result<()> {
        let mut statement = self.connection.prepare_cached(
            "SELECT timestamp, id FROM messages \
             WHERE timestamp >= ?1 AND (timestamp > ?1 OR id > ?2) AND timestamp < ?3 \
             ORDER BY timestamp, id LIMIT ?4",
        )?;
        let (time, id) = self.after;
        let mut rows = statement.query(params![time, id, self.wanted.until.0, BATCH as i64])?;
        let mut found = VecDeque::with_capacity(BATCH);
        while let Some(row) = rows.next()? {
            found.push_back((row.get(0)?, row.get(1)?));
        }
        if let Some(last) = found.back() {
            self.after = *last;
        }
        self.waiting = found;
        Ok(())
    }

    /// All rows behind the last that was given, of all pages that can be read, in order of time.
    fn all_rows(&self) -> VecDeque<(i64, i64)> {
        let rows = all_rows(&self.connection).into_iter().map(|row| (row.time, row.id));
        rows.filter(|row| *row > self.after && self.wanted.has_time(Stamp(row.0))).collect()
    }
}
