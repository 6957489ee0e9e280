-- What happens to memories by themselves: fading, archiving, contradictions, what is learned from
-- many; and what is kept of maintenance. Times are nanoseconds of ROS time.

-- When it was restored after it was archived: its age counts from then.
ALTER TABLE memory ADD COLUMN restored_at INTEGER;

-- What changed a memory, and when. What repeats (fading) is one entry, which grows.
CREATE TABLE memory_ledger (
    memory_id    INTEGER NOT NULL REFERENCES memory (id) ON DELETE CASCADE,
    entry_no     INTEGER NOT NULL,          -- from 1
    change       TEXT NOT NULL,
    cause        TEXT NOT NULL,             -- the operation, or the step of maintenance
    agent        TEXT NOT NULL,
    value_before TEXT NOT NULL,             -- of a number or a name, never a text of the memory
    value_after  TEXT NOT NULL,
    repetitions  INTEGER NOT NULL,          -- how often it was done
    began_at     INTEGER NOT NULL,          -- the first time
    changed_at   INTEGER NOT NULL,          -- the last time
    PRIMARY KEY (memory_id, entry_no)
) STRICT, WITHOUT ROWID;

-- Two rows of one scope that were held against each other: apart, or in conflict, which no rule settles.
CREATE TABLE memory_pair (
    memory_id  INTEGER NOT NULL REFERENCES memory (id) ON DELETE CASCADE,
    other_id   INTEGER NOT NULL REFERENCES memory (id) ON DELETE CASCADE,
    verdict    TEXT NOT NULL CHECK (verdict IN ('apart', 'conflict')),
    reason     TEXT NOT NULL,               -- the rule that told them apart, or in what they differ; no text of a memory
    judged_by  TEXT NOT NULL CHECK (judged_by IN ('rules', 'chat')),
    judged_at  INTEGER NOT NULL,
    PRIMARY KEY (memory_id, other_id),
    CHECK (memory_id < other_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_pair_by_other ON memory_pair (other_id);
CREATE INDEX memory_pair_conflict ON memory_pair (memory_id) WHERE verdict = 'conflict';

-- Summaries of what was learned from many, and of weeks, beside those of turns.
CREATE TABLE summary_2 (
    memory_id     INTEGER PRIMARY KEY REFERENCES memory (id) ON DELETE CASCADE,
    kind          TEXT NOT NULL CHECK (kind IN ('micro', 'macro', 'experience', 'week')),
    scope         TEXT NOT NULL,
    token_count   INTEGER NOT NULL,
    first_turn_no INTEGER,                  -- the turns that it covers; NULL when it belongs to none
    last_turn_no  INTEGER,
    source_ids    TEXT NOT NULL DEFAULT '[]',   -- JSON array of what it was made of
    subject       TEXT NOT NULL DEFAULT '', -- of an experience or a week: what it is about, one in its scope and collection
    figures       TEXT NOT NULL DEFAULT ''  -- JSON: counts and ranges that it tells
) STRICT;
INSERT INTO summary_2 (memory_id, kind, scope, token_count, first_turn_no, last_turn_no, source_ids)
SELECT memory_id, kind, scope, token_count, first_turn_no, last_turn_no, source_ids FROM summary;
DROP TABLE summary;
ALTER TABLE summary_2 RENAME TO summary;
CREATE INDEX summary_by_scope ON summary (scope, kind, first_turn_no, memory_id);
CREATE INDEX summary_by_subject ON summary (subject, kind) WHERE subject <> '';

-- How far maintenance has looked at each scope.
CREATE TABLE maintenance_state (
    scope         TEXT PRIMARY KEY,
    compared_upto INTEGER NOT NULL DEFAULT 0,   -- the last memory that was held against those before it
    daily_at      INTEGER,                      -- when its last daily run ended; so the next
    weekly_at     INTEGER
) STRICT, WITHOUT ROWID;

-- Runs of maintenance, real ones, the newest of them.
CREATE TABLE maintenance_run (
    job_id   INTEGER PRIMARY KEY,
    mode     TEXT NOT NULL CHECK (mode IN ('daily', 'weekly')),
    scope    TEXT NOT NULL,                 -- "all": every scope, one after the other
    began_at INTEGER NOT NULL,
    ended_at INTEGER,                       -- NULL until then
    report   TEXT NOT NULL                  -- JSON; empty until then
) STRICT;

-- What a run did in the scopes that it is done with.
CREATE TABLE maintenance_part (
    job_id INTEGER NOT NULL,
    scope  TEXT NOT NULL,
    report TEXT NOT NULL,                   -- JSON
    PRIMARY KEY (job_id, scope)
) STRICT, WITHOUT ROWID;

-- Up to which entry each queue of writes that could not be stored at once has been replayed.
CREATE TABLE write_queue_state (
    queue_id       TEXT PRIMARY KEY,
    replayed_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The time at which something was stored last: what a clock that jumps is told by.
ALTER TABLE store_state ADD COLUMN last_now INTEGER;

-- What a status counts is read from indexes.
DROP INDEX memory_inactive;
CREATE INDEX memory_inactive ON memory (status, scope, mem_type) WHERE status <> 'active';

-- Runs of maintenance whose report is not in its files yet.
CREATE TABLE maintenance_untold (
    job_id INTEGER PRIMARY KEY
) STRICT;

-- Up to which time each kind of work that is due by the clock was queued: daily, weekly, backup.
CREATE TABLE schedule_state (
    work         TEXT PRIMARY KEY,
    served_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The few sessions that are open: scheduled maintenance waits for those of the present run.
CREATE INDEX session_open ON session (run) WHERE status = 'open';

-- What task logs tell of attempts at tasks, read once from each, so that those of a task are counted
-- without reading all of them again.
ALTER TABLE maintenance_state ADD COLUMN attempts_upto INTEGER NOT NULL DEFAULT 0;  -- the last memory that was read
CREATE TABLE attempt (
    memory_id  INTEGER PRIMARY KEY REFERENCES memory (id) ON DELETE CASCADE,
    scope      TEXT NOT NULL,
    collection TEXT NOT NULL,
    subject    TEXT NOT NULL,               -- of task and object: a hash
    told       TEXT NOT NULL                -- JSON
) STRICT;
CREATE INDEX attempt_by_subject ON attempt (scope, collection, subject);
-- Memories that changed since: of the scope that counts them, and of that where they are.
CREATE TABLE attempt_unread (
    scope     TEXT NOT NULL,
    memory_id INTEGER NOT NULL,
    PRIMARY KEY (scope, memory_id)
) STRICT, WITHOUT ROWID;
INSERT INTO attempt_unread
SELECT scope, id FROM memory WHERE status IN ('archived', 'superseded') AND mem_type = 'task_log';
CREATE TRIGGER attempt_unread_when_changed
AFTER UPDATE OF scope, collection, status, type, mem_type, trust, content, context ON memory
WHEN 'task_log' IN (old.mem_type, new.mem_type) AND new.type <> 'summary'
BEGIN
    INSERT OR IGNORE INTO attempt_unread
    SELECT new.scope, new.id UNION SELECT scope, memory_id FROM attempt WHERE memory_id = old.id;
END;
-- Subjects whose attempts came, changed or went since they were counted.
CREATE TABLE experience_stale (
    scope      TEXT NOT NULL,
    collection TEXT NOT NULL,
    subject    TEXT NOT NULL,
    PRIMARY KEY (scope, collection, subject)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER experience_stale_when_read AFTER INSERT ON attempt
BEGIN
    INSERT OR IGNORE INTO experience_stale VALUES (new.scope, new.collection, new.subject);
END;
CREATE TRIGGER experience_stale_when_gone AFTER DELETE ON attempt
BEGIN
    INSERT OR IGNORE INTO experience_stale VALUES (old.scope, old.collection, old.subject);
END;
-- Rows that were stored before this step and may lack what is inferred today. Maintenance looks at each
-- once, and none comes after.
CREATE INDEX memory_of_earlier ON memory (scope, id) WHERE schema_version < 6 AND status = 'active';

CREATE INDEX memory_pair_conflict_by_other ON memory_pair (other_id) WHERE verdict = 'conflict';

-- Memories that were held against the others of their scope and are to be once more: what they say, where
-- they belong or their vector has changed, or they are active again.
CREATE TABLE memory_to_compare (
    mark_no   INTEGER PRIMARY KEY AUTOINCREMENT,    -- one that changes anew gets another
    memory_id INTEGER NOT NULL UNIQUE REFERENCES memory (id) ON DELETE CASCADE
) STRICT;
-- Up to where the run that has begun compares; what comes later is left to the next.
ALTER TABLE maintenance_state ADD COLUMN comparing_upto INTEGER NOT NULL DEFAULT 0;
ALTER TABLE maintenance_state ADD COLUMN comparing_mark_no INTEGER NOT NULL DEFAULT 0;

-- Whatever changes a memory, by whichever operation: what was judged of it holds no more.
CREATE TRIGGER memory_changed AFTER UPDATE OF
    content, context, status, scope, collection, level, category, mem_type, trust, is_real ON memory
BEGIN
    DELETE FROM memory_pair WHERE memory_id = new.id OR other_id = new.id;
    DELETE FROM memory_to_compare WHERE memory_id = new.id;
    INSERT INTO memory_to_compare (memory_id)
    SELECT new.id WHERE new.status = 'active' AND new.type = 'fact';
END;
-- A vector that came later than its memory, or is of another model.
CREATE TRIGGER memory_vector_came AFTER INSERT ON memory_vector
WHEN EXISTS (
    SELECT 1 FROM memory m JOIN maintenance_state s ON s.scope = m.scope
    WHERE m.id = new.memory_id AND m.id <= max(s.compared_upto, s.comparing_upto)
      AND m.type = 'fact' AND m.status = 'active')
BEGIN
    DELETE FROM memory_to_compare WHERE memory_id = new.memory_id;
    INSERT INTO memory_to_compare (memory_id) VALUES (new.memory_id);
END;

-- Rows of which a copy of the store as it was before says what no longer holds: deleted, withdrawn or
-- said anew. When a damaged store is mended, they are not taken from a backup of this revision or an
-- earlier one. Row 0: no row is, since the store was put back, or its damage hid what else is here.
CREATE TABLE memory_outdated (
    memory_id INTEGER PRIMARY KEY,
    revision  INTEGER NOT NULL              -- of the store before the change
) STRICT;
CREATE TRIGGER memory_outdated_by_delete AFTER DELETE ON memory BEGIN
    INSERT OR REPLACE INTO memory_outdated (memory_id, revision)
    SELECT OLD.id, revision FROM store_state WHERE id = 1;
END;
CREATE TRIGGER memory_outdated_by_update AFTER UPDATE OF status, content ON memory
WHEN OLD.status <> NEW.status OR OLD.content <> NEW.content BEGIN
    INSERT OR REPLACE INTO memory_outdated (memory_id, revision)
    SELECT NEW.id, revision FROM store_state WHERE id = 1;
END;
