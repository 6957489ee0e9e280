-- Rows and vectors that stay small and quick by the million.
--
-- Tables are made anew, since a column cannot be moved: what indexes are loaded from stands before
-- the texts, which may run on over further pages. Foreign keys are not enforced meanwhile.

-- 1 after damage was met, so that the next start looks for it before anything else.
ALTER TABLE store_state ADD COLUMN damaged INTEGER NOT NULL DEFAULT 0 CHECK (damaged IN (0, 1));

-- The version of the tokenizer that made memory_words; 0 when none did, and less than 0 while that
-- of the opposite number has not yet come to all rows.
ALTER TABLE store_state ADD COLUMN tokens_version INTEGER NOT NULL DEFAULT 0;

CREATE TABLE embedding_model (
    model INTEGER PRIMARY KEY,
    name  TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO embedding_model (name) SELECT DISTINCT model FROM memory_vector ORDER BY model;

CREATE TABLE memory_2 (
    id                 INTEGER PRIMARY KEY AUTOINCREMENT,   -- never used again
    status             TEXT NOT NULL CHECK (status IN ('active', 'superseded', 'invalidated', 'archived')),
    type               TEXT NOT NULL CHECK (type IN ('fact', 'perception', 'summary')),
    level              TEXT NOT NULL CHECK (level IN ('core', 'knowledge', 'working')),
    mem_type           TEXT NOT NULL,
    category           TEXT,                -- of facts
    trust              TEXT NOT NULL CHECK (trust IN ('high', 'medium', 'low')),
    is_real            INTEGER NOT NULL CHECK (is_real IN (0, 1)),  -- context.env.sim_or_real is "real"
    word_count         INTEGER NOT NULL,    -- tokens in memory_words
    quantity_key       INTEGER NOT NULL,    -- of the numbers with units in content; 0 when not known
    confidence         REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    created_at         INTEGER NOT NULL,
    collection         TEXT NOT NULL,
    scope              TEXT NOT NULL,
    session_id         TEXT REFERENCES session (session_id),
    turn_id            TEXT NOT NULL,
    agent              TEXT NOT NULL,
    source             TEXT NOT NULL,
    decay_rate         REAL NOT NULL CHECK (decay_rate BETWEEN 0 AND 1),
    importance         REAL NOT NULL CHECK (importance BETWEEN 0 AND 1),
    superseded_by      INTEGER REFERENCES memory (id),
    invalidated_at     INTEGER,
    invalidated_reason TEXT,
    access_count       INTEGER NOT NULL DEFAULT 0,
    last_accessed      INTEGER,
    updated_at         INTEGER NOT NULL,
    decayed_until      INTEGER,
    schema_version     INTEGER NOT NULL,    -- of the row: the schema it was written under
    content_hash       BLOB NOT NULL CHECK (length(content_hash) = 32),
    content            TEXT NOT NULL,
    tags               TEXT NOT NULL,       -- JSON array, or empty when there is none; so the next two
    scope_files        TEXT NOT NULL,
    scope_entities     TEXT NOT NULL,
    context            TEXT NOT NULL,
    CHECK ((status = 'superseded') = (superseded_by IS NOT NULL)),
    CHECK ((status = 'invalidated') = (invalidated_at IS NOT NULL))
) STRICT;
INSERT INTO memory_2
SELECT id, status, type, level, mem_type, category, trust,
       CASE WHEN json_valid(context)
            THEN coalesce(json_extract(context, '$.env.sim_or_real') = 'real', 0) ELSE 0 END,
       word_count, 0, confidence, created_at, collection, scope, session_id, turn_id, agent, source,
       decay_rate, importance, superseded_by, invalidated_at, invalidated_reason, access_count,
       last_accessed, updated_at, decayed_until, schema_version, content_hash, content,
       iif(tags = '[]', '', tags), iif(scope_files = '[]', '', scope_files),
       iif(scope_entities = '[]', '', scope_entities), context
FROM memory ORDER BY id;
-- Ids of rows that are gone stay used.
DELETE FROM sqlite_sequence WHERE name = 'memory_2';
INSERT INTO sqlite_sequence (name, seq) SELECT 'memory_2', seq FROM sqlite_sequence WHERE name = 'memory';
DROP TABLE memory;
ALTER TABLE memory_2 RENAME TO memory;
CREATE INDEX memory_by_session ON memory (session_id) WHERE session_id IS NOT NULL;
-- Few rows: what is active is counted in memory.
CREATE INDEX memory_inactive ON memory (status) WHERE status <> 'active';
-- Only what can be the first of an exact duplicate; eight bytes of a hash tell texts apart.
CREATE INDEX memory_by_hash ON memory (substr(content_hash, 1, 8))
    WHERE status = 'active' AND type = 'fact' AND mem_type <> 'task_log';

-- Embeddings of active memories as little-endian f32, the format of sqlite-vec.
CREATE TABLE memory_vector_2 (
    memory_id INTEGER PRIMARY KEY REFERENCES memory (id) ON DELETE CASCADE,
    model     INTEGER NOT NULL REFERENCES embedding_model (model),  -- those of two are never compared
    embedding BLOB NOT NULL
) STRICT;
INSERT INTO memory_vector_2
SELECT v.memory_id, m.model, v.embedding
FROM memory_vector v JOIN embedding_model m ON m.name = v.model ORDER BY v.memory_id;
DROP TABLE memory_vector;
ALTER TABLE memory_vector_2 RENAME TO memory_vector;

-- Words of active memories, as before; the engine fills them, since it has the tokenizer.
DROP TABLE memory_words_instance;
DROP TABLE memory_words;
CREATE VIRTUAL TABLE memory_words USING fts5 (
    tokens, content = '', contentless_delete = 1, tokenize = "ascii tokenchars '-_./'"
);
CREATE VIRTUAL TABLE memory_words_instance USING fts5vocab ('memory_words', 'instance');
