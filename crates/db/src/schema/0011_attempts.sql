-- Attempts that were begun and have not ended. The attempt itself is the memory.
CREATE TABLE open_attempt (
    memory_id INTEGER PRIMARY KEY REFERENCES memory (id) ON DELETE CASCADE,
    agent     TEXT NOT NULL,                -- who began it
    began_at  INTEGER NOT NULL,
    run       INTEGER NOT NULL,             -- the run that it was begun in: of an earlier one it was interrupted
    is_marked INTEGER NOT NULL DEFAULT 0 CHECK (is_marked IN (0, 1))    -- 1 when the memory says that it was
) STRICT;

-- Answers that name a memory go with it.
CREATE INDEX idempotency_by_attempt ON idempotency (json_extract(response, '$.attempt_id'))
    WHERE json_extract(response, '$.attempt_id') IS NOT NULL;
