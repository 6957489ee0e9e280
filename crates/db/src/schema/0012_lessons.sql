-- Lessons of attempts, beside the other summaries.
CREATE TABLE summary_2 (
    memory_id     INTEGER PRIMARY KEY REFERENCES memory (id) ON DELETE CASCADE,
    kind          TEXT NOT NULL CHECK (kind IN ('micro', 'macro', 'experience', 'week', 'lesson')),
    scope         TEXT NOT NULL,
    token_count   INTEGER NOT NULL,
    first_turn_no INTEGER,                  -- the turns that it covers; NULL when it belongs to none
    last_turn_no  INTEGER,
    source_ids    TEXT NOT NULL DEFAULT '[]',   -- JSON array of what it was made of
    subject       TEXT NOT NULL DEFAULT '', -- of an experience, a week or a lesson: what it is about
    figures       TEXT NOT NULL DEFAULT ''  -- JSON: counts and ranges that it tells
) STRICT;
INSERT INTO summary_2 SELECT memory_id, kind, scope, token_count, first_turn_no, last_turn_no, source_ids, subject, figures
FROM summary;
DROP TABLE summary;
ALTER TABLE summary_2 RENAME TO summary;
CREATE INDEX summary_by_scope ON summary (scope, kind, first_turn_no, memory_id);
CREATE INDEX summary_by_subject ON summary (subject, kind) WHERE subject <> '';
