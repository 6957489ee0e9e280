-- Up to when the belief in the memories of a collection has faded, but for those that are protected or not
-- active. What is left of it is computed where it is read: memory.confidence is as it was at the latest of
-- decayed_until, last_accessed and created_at.
CREATE TABLE collection_fading (
    collection  TEXT PRIMARY KEY,
    faded_until INTEGER NOT NULL,
    last_id     INTEGER NOT NULL,           -- the last memory that there was: later ones are not meant
    cause       TEXT NOT NULL               -- the operation
) STRICT, WITHOUT ROWID;
