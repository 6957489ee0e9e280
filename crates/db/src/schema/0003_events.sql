-- What the robot's streams made memories of, and what a window of numbers felt like.

-- Beside the memory and the perception of the same happening.
CREATE TABLE event (
    memory_id    INTEGER PRIMARY KEY REFERENCES memory (id) ON DELETE CASCADE,
    event_key    TEXT NOT NULL UNIQUE,      -- of the happening: a bag that is read again adds nothing
    event_id     TEXT NOT NULL,             -- shared by what happened at the same time
    stream       TEXT NOT NULL,
    trigger_kind TEXT NOT NULL,
    began_at     INTEGER NOT NULL,
    ended_at     INTEGER NOT NULL,
    data_bytes   INTEGER NOT NULL,          -- of the perception's data and metadata
    clip         TEXT NOT NULL,             -- file in the folder of clips; empty when there is none
    clip_bytes   INTEGER NOT NULL
) STRICT;
-- The oldest clips go first.
CREATE INDEX event_with_clip ON event (began_at, memory_id) WHERE clip <> '';
-- Whether a row stands for another is asked whenever one is deleted.
CREATE INDEX memory_by_superseder ON memory (superseded_by) WHERE superseded_by IS NOT NULL;

-- Little-endian f32. Only those of one kind and version are compared.
CREATE TABLE memory_signature (
    memory_id INTEGER PRIMARY KEY REFERENCES memory (id) ON DELETE CASCADE,
    kind      TEXT NOT NULL,
    version   INTEGER NOT NULL,
    signature BLOB NOT NULL
) STRICT;
