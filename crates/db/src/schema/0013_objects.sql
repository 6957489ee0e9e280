-- Things that detectors saw, and where they are.
CREATE TABLE object (
    id         INTEGER PRIMARY KEY,
    object_key TEXT NOT NULL UNIQUE,         -- of its first sighting
    scope      TEXT NOT NULL,
    frame      TEXT NOT NULL,
    map_id     TEXT NOT NULL,                -- empty: not said
    last_seen  INTEGER NOT NULL,
    told       TEXT NOT NULL,                -- JSON: all that is known of it
    thumbnail  BLOB NOT NULL DEFAULT x''     -- JPEG; empty: none
) STRICT;
CREATE INDEX object_by_last_seen ON object (last_seen, id);
