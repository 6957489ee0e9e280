-- What this robot tells the others of its fleet, and what they told it.

CREATE TABLE fleet_state (
    id            INTEGER PRIMARY KEY CHECK (id = 1),
    is_sharing    INTEGER NOT NULL CHECK (is_sharing IN (0, 1)),    -- whether changes are noted in fleet_claim
    stream_id     TEXT NOT NULL,            -- the stream that was taken; empty: none yet
    taken_until   INTEGER NOT NULL,         -- sequence in that stream
    dropped_count INTEGER NOT NULL          -- memories that were never told, since too many waited
) STRICT;
INSERT INTO fleet_state VALUES (1, 0, '', 0, 0);

-- A row for each memory that waits to be told, or was told. It stays when the memory is deleted: that is told, too.
CREATE TABLE fleet_claim (
    memory_id     INTEGER PRIMARY KEY,
    revision      INTEGER NOT NULL,         -- rises with each change of the memory
    told_revision INTEGER NOT NULL DEFAULT 0,
    told          TEXT NOT NULL DEFAULT 'nothing' CHECK (told IN ('nothing', 'statement', 'retraction'))
) STRICT;
CREATE INDEX fleet_claim_waiting ON fleet_claim (memory_id) WHERE revision > told_revision;

CREATE TRIGGER fleet_memory_stored AFTER INSERT ON memory
WHEN NEW.source <> 'fleet' AND (SELECT is_sharing FROM fleet_state)
BEGIN
    INSERT INTO fleet_claim (memory_id, revision) VALUES (NEW.id, 1)
    ON CONFLICT DO UPDATE SET revision = revision + 1;
END;

CREATE TRIGGER fleet_memory_changed
AFTER UPDATE OF content, context, status, scope, mem_type, category, trust, collection ON memory
WHEN NEW.source <> 'fleet' AND (SELECT is_sharing FROM fleet_state)
BEGIN
    INSERT INTO fleet_claim (memory_id, revision) VALUES (NEW.id, 1)
    ON CONFLICT DO UPDATE SET revision = revision + 1;
END;

CREATE TRIGGER fleet_memory_deleted AFTER DELETE ON memory
WHEN OLD.source <> 'fleet' AND (SELECT is_sharing FROM fleet_state)
BEGIN
    UPDATE fleet_claim SET revision = revision + 1 WHERE memory_id = OLD.id;
END;

-- One row for each memory of another robot, also of one that it took back: an older claim of it is not taken again.
CREATE TABLE hearsay (
    origin           TEXT NOT NULL,
    origin_memory_id INTEGER NOT NULL,
    revision         INTEGER NOT NULL,      -- the newest that is known
    state            TEXT NOT NULL CHECK (state IN ('held', 'retracted', 'revoked')),
    memory_id        INTEGER REFERENCES memory (id) ON DELETE SET NULL,     -- several robots may tell the same
    told_at          INTEGER NOT NULL,      -- by the clock of the origin; so the next
    made_at          INTEGER NOT NULL,
    taken_at         INTEGER NOT NULL,
    session_id       TEXT NOT NULL,         -- there
    stream           TEXT NOT NULL,
    robot_type       TEXT NOT NULL,
    gripper          TEXT NOT NULL,
    map_id           TEXT NOT NULL,
    roots            TEXT NOT NULL,         -- JSON array of {origin, memory_id}
    PRIMARY KEY (origin, origin_memory_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX hearsay_by_memory ON hearsay (memory_id) WHERE memory_id IS NOT NULL;
