-- Finished steps of episodes, what was made of them, and the work that no caller waits for. Times of
-- jobs are integer milliseconds of the machine's clock; all others are nanoseconds of ROS time.

-- An attempt within an episode.
CREATE TABLE branch (
    session_id  TEXT NOT NULL REFERENCES session (session_id),
    branch_id   TEXT NOT NULL,
    status      TEXT NOT NULL CHECK (status IN ('open', 'won', 'lost')),
    merged_into TEXT NOT NULL DEFAULT '[]', -- JSON array of scopes
    PRIMARY KEY (session_id, branch_id)
) STRICT, WITHOUT ROWID;
-- Those of which there are memories already: of branch:<session>/<branch>, in a session that is known.
INSERT INTO branch (session_id, branch_id, status)
SELECT s.session_id, m.branch_id, 'open'
FROM (SELECT DISTINCT substr(scope, 8, instr(scope, '/') - 8) AS session_id,
                      substr(scope, instr(scope, '/') + 1) AS branch_id
      FROM memory WHERE scope LIKE 'branch:%/%') m
JOIN session s ON s.session_id = m.session_id;

CREATE TABLE turn (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    turn_id      TEXT NOT NULL UNIQUE,
    session_id   TEXT NOT NULL,
    branch_id    TEXT NOT NULL,
    turn_no      INTEGER NOT NULL CHECK (turn_no > 0),
    collection   TEXT NOT NULL,
    agent        TEXT NOT NULL,
    text         TEXT NOT NULL,
    data         TEXT NOT NULL,             -- JSON, or empty
    given_hash   BLOB NOT NULL CHECK (length(given_hash) = 32),   -- of text and data as they were given
    committed_at INTEGER NOT NULL,
    ingested     INTEGER NOT NULL DEFAULT 0 CHECK (ingested IN (0, 1)),  -- whether memories were taken out of it
    UNIQUE (session_id, branch_id, turn_no),
    FOREIGN KEY (session_id, branch_id) REFERENCES branch (session_id, branch_id)
) STRICT;

-- Which memory was said where.
CREATE TABLE turn_memory (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    turn_id         TEXT NOT NULL REFERENCES turn (turn_id) ON DELETE CASCADE,
    memory_id       INTEGER NOT NULL REFERENCES memory (id) ON DELETE CASCADE,
    sentence_number INTEGER NOT NULL,       -- from 1; 0: a field, or the step as a whole
    sentence_start  INTEGER NOT NULL,       -- bytes of the turn's text
    sentence_end    INTEGER NOT NULL,
    pointer         TEXT NOT NULL           -- JSON pointer into the turn's data, or empty
) STRICT;
CREATE INDEX turn_memory_by_memory ON turn_memory (memory_id);
CREATE INDEX turn_memory_by_turn ON turn_memory (turn_id);

-- What only a summary has.
CREATE TABLE summary (
    memory_id     INTEGER PRIMARY KEY REFERENCES memory (id) ON DELETE CASCADE,
    kind          TEXT NOT NULL CHECK (kind IN ('micro', 'macro')),
    scope         TEXT NOT NULL,
    token_count   INTEGER NOT NULL,
    first_turn_no INTEGER,                  -- the steps that it covers; NULL when it belongs to none
    last_turn_no  INTEGER,
    source_ids    TEXT NOT NULL DEFAULT '[]'    -- JSON array of the short summaries of a long one
) STRICT;
CREATE INDEX summary_by_scope ON summary (scope, kind, first_turn_no, memory_id);

CREATE TABLE job (
    id                INTEGER PRIMARY KEY AUTOINCREMENT,    -- never used again
    scope             TEXT NOT NULL,        -- the kind
    scope_id          TEXT NOT NULL,
    job_type          TEXT NOT NULL,
    status            TEXT NOT NULL CHECK (status IN
        ('pending', 'leased', 'running', 'retry_waiting', 'succeeded', 'dead_letter', 'cancelled')),
    is_head           INTEGER NOT NULL DEFAULT 0 CHECK (is_head IN (0, 1)),  -- the one of its scope that may be done
    dedup_key         TEXT NOT NULL,        -- of two unfinished jobs with the same there is only the first
    turn_id           TEXT NOT NULL,
    based_on_revision INTEGER NOT NULL,
    payload           TEXT NOT NULL,        -- JSON
    result            TEXT NOT NULL,        -- JSON, or empty
    step              TEXT NOT NULL,
    done              INTEGER NOT NULL,
    total             INTEGER NOT NULL,
    position          TEXT NOT NULL,        -- JSON, or empty: from where a long job goes on
    attempt_count     INTEGER NOT NULL,
    max_attempts      INTEGER NOT NULL CHECK (max_attempts > 0),
    available_at      INTEGER NOT NULL,
    claim_count       INTEGER NOT NULL DEFAULT 0,   -- how often it was ever taken: what a worker's claim is known by
    lease_owner       TEXT NOT NULL,
    lease_until       INTEGER,
    last_error        TEXT NOT NULL,
    agent             TEXT NOT NULL,
    created_at        INTEGER NOT NULL,
    updated_at        INTEGER NOT NULL,
    finished_at       INTEGER,
    CHECK ((status IN ('leased', 'running')) = (lease_until IS NOT NULL)),
    CHECK ((status IN ('succeeded', 'dead_letter', 'cancelled')) = (finished_at IS NOT NULL)),
    CHECK (lease_until IS NULL OR is_head = 1),
    CHECK (finished_at IS NULL OR is_head = 0)
) STRICT;
CREATE UNIQUE INDEX job_by_key ON job (dedup_key)
    WHERE status IN ('pending', 'leased', 'running', 'retry_waiting');
CREATE INDEX job_unfinished ON job (scope, scope_id, id)
    WHERE status IN ('pending', 'leased', 'running', 'retry_waiting');
CREATE UNIQUE INDEX job_head ON job (scope, scope_id) WHERE is_head = 1;
CREATE INDEX job_claimable ON job (status, available_at, id)
    WHERE is_head = 1 AND status IN ('pending', 'retry_waiting');
CREATE INDEX job_held ON job (lease_until) WHERE lease_until IS NOT NULL;
CREATE INDEX job_finished ON job (status = 'dead_letter', finished_at, id) WHERE finished_at IS NOT NULL;
CREATE INDEX job_by_creation ON job (created_at, id);
CREATE INDEX job_by_update ON job (updated_at, id);
CREATE INDEX job_by_availability ON job (available_at, id);
CREATE INDEX job_by_turn ON job (turn_id) WHERE turn_id != '';
CREATE INDEX job_by_scope ON job (scope, scope_id, created_at, id);
CREATE INDEX job_by_status ON job (status, created_at, id);

CREATE TABLE scope_state (
    scope                  TEXT NOT NULL,
    scope_id               TEXT NOT NULL,
    revision               INTEGER NOT NULL,
    last_processed_turn_no INTEGER,
    last_compaction_at     INTEGER,
    updated_at             INTEGER NOT NULL,
    PRIMARY KEY (scope, scope_id)
) STRICT, WITHOUT ROWID;
