-- Times are integer nanoseconds of ROS time. Texts that hold JSON are empty when there is none.

-- One row: what the file as a whole knows about itself.
CREATE TABLE store_state (
    id       INTEGER PRIMARY KEY CHECK (id = 1),
    revision INTEGER NOT NULL,              -- rises with every transaction that changed anything
    run      INTEGER NOT NULL,              -- rises each time the store is opened
    clean    INTEGER NOT NULL CHECK (clean IN (0, 1))   -- 1 after an orderly close
) STRICT;
INSERT INTO store_state VALUES (1, 0, 0, 1);

CREATE TABLE session (
    session_id    TEXT PRIMARY KEY,
    collection    TEXT NOT NULL,
    status        TEXT NOT NULL CHECK (status IN ('open', 'ended')),
    agent         TEXT NOT NULL,
    context       TEXT NOT NULL,
    outcome_score REAL,
    run           INTEGER NOT NULL,         -- the run that began it
    started_at    INTEGER NOT NULL,
    ended_at      INTEGER
) STRICT;
CREATE INDEX session_by_start ON session (started_at, session_id);

CREATE TABLE memory (
    id                 INTEGER PRIMARY KEY AUTOINCREMENT,   -- never used again
    collection         TEXT NOT NULL,
    level              TEXT NOT NULL CHECK (level IN ('core', 'knowledge', 'working')),
    scope              TEXT NOT NULL,
    type               TEXT NOT NULL CHECK (type IN ('fact', 'perception', 'summary')),
    category           TEXT,                -- of facts
    mem_type           TEXT NOT NULL,
    content            TEXT NOT NULL,
    human_summary      TEXT NOT NULL,
    content_hash       BLOB NOT NULL CHECK (length(content_hash) = 32),
    word_count         INTEGER NOT NULL,    -- tokens in memory_words
    context            TEXT NOT NULL,
    session_id         TEXT REFERENCES session (session_id),
    turn_id            TEXT NOT NULL,
    agent              TEXT NOT NULL,
    source             TEXT NOT NULL,
    trust              TEXT NOT NULL CHECK (trust IN ('high', 'medium', 'low')),
    confidence         REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    decay_rate         REAL NOT NULL CHECK (decay_rate BETWEEN 0 AND 1),
    importance         REAL NOT NULL CHECK (importance BETWEEN 0 AND 1),
    tags               TEXT NOT NULL,       -- JSON array
    scope_files        TEXT NOT NULL,       -- JSON array
    scope_entities     TEXT NOT NULL,       -- JSON array
    status             TEXT NOT NULL CHECK (status IN ('active', 'superseded', 'invalidated', 'archived')),
    superseded_by      INTEGER REFERENCES memory (id),
    invalidated_reason TEXT,
    invalidated_at     INTEGER,
    access_count       INTEGER NOT NULL DEFAULT 0,
    last_accessed      INTEGER,
    created_at         INTEGER NOT NULL,
    updated_at         INTEGER NOT NULL,
    decayed_until      INTEGER,
    schema_version     INTEGER NOT NULL,    -- of the row: the schema it was written under
    CHECK ((status = 'superseded') = (superseded_by IS NOT NULL)),
    CHECK ((status = 'invalidated') = (invalidated_at IS NOT NULL))
) STRICT;
CREATE INDEX memory_by_hash ON memory (content_hash, collection, scope) WHERE status = 'active';
CREATE INDEX memory_by_session ON memory (session_id) WHERE session_id IS NOT NULL;

-- What only a perception has. Apart, so that reading memories does not read trajectories.
CREATE TABLE perception (
    memory_id       INTEGER PRIMARY KEY REFERENCES memory (id) ON DELETE CASCADE,
    perception_type TEXT NOT NULL,
    data            TEXT NOT NULL,
    metadata        TEXT NOT NULL
) STRICT;

-- Embeddings of active memories as little-endian f32, the format of sqlite-vec.
CREATE TABLE memory_vector (
    memory_id INTEGER PRIMARY KEY REFERENCES memory (id) ON DELETE CASCADE,
    model     TEXT NOT NULL,                -- vectors of two models are never compared
    embedding BLOB NOT NULL
) STRICT;

-- Words of active memories. The text is tokenized before it comes here (Chinese has no spaces), so
-- the tokenizer only splits at spaces; any SQLite with FTS5 can read it.
CREATE VIRTUAL TABLE memory_words USING fts5 (
    tokens, content = '', contentless_delete = 1, tokenize = "ascii tokenchars '-_./'"
);
CREATE VIRTUAL TABLE memory_words_instance USING fts5vocab ('memory_words', 'instance');

-- What a memory said before it was changed.
CREATE TABLE memory_audit (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    memory_id  INTEGER NOT NULL REFERENCES memory (id) ON DELETE CASCADE,
    operation  TEXT NOT NULL,
    agent      TEXT NOT NULL,
    content    TEXT NOT NULL,
    context    TEXT NOT NULL,
    changed_at INTEGER NOT NULL
) STRICT;
CREATE INDEX memory_audit_by_memory ON memory_audit (memory_id);

-- Answers of calls that carried a key, so that a repeated call gets the same one.
CREATE TABLE idempotency (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    operation      TEXT NOT NULL,
    key            TEXT NOT NULL,
    request_hash   BLOB NOT NULL,
    response       TEXT NOT NULL,           -- JSON
    created_at     INTEGER NOT NULL,
    UNIQUE (operation, key)
) STRICT;
