-- What this robot tells the others of its fleet, and what they told it.

ALTER TABLE store_state ADD COLUMN is_sharing INTEGER NOT NULL DEFAULT 0 CHECK (is_sharing IN (0, 1));
ALTER TABLE store_state ADD COLUMN fleet_rules TEXT NOT NULL DEFAULT '';    -- hash of what says what is told
ALTER TABLE store_state ADD COLUMN fleet_speakers TEXT NOT NULL DEFAULT ''; -- hash of what says who is believed
ALTER TABLE store_state ADD COLUMN fleet_base INTEGER NOT NULL DEFAULT 0;   -- revisions of new claims are above it
ALTER TABLE store_state ADD COLUMN fleet_stream_id TEXT NOT NULL DEFAULT '';    -- that was taken; empty: none yet
ALTER TABLE store_state ADD COLUMN fleet_taken_until INTEGER NOT NULL DEFAULT 0;    -- sequence in that stream
ALTER TABLE store_state ADD COLUMN fleet_dropped_count INTEGER NOT NULL DEFAULT 0;  -- never told, since too many waited

-- A row for each memory that waits to be told, or was told. It stays when the memory is deleted: that is told, too.
CREATE TABLE fleet_claim (
    memory_id     INTEGER PRIMARY KEY,
    revision      INTEGER NOT NULL,         -- rises with each change of the memory
    told_revision INTEGER NOT NULL DEFAULT 0,
    told          TEXT NOT NULL DEFAULT 'nothing' CHECK (told IN ('nothing', 'statement', 'retraction'))
) STRICT;
CREATE INDEX fleet_claim_waiting ON fleet_claim (memory_id) WHERE revision > told_revision;

CREATE TRIGGER fleet_memory_stored AFTER INSERT ON memory
WHEN NEW.source <> 'fleet' AND (NEW.scope = 'global' OR NEW.scope LIKE 'group:%')
    AND (SELECT is_sharing FROM store_state)
BEGIN
    INSERT INTO fleet_claim (memory_id, revision) SELECT NEW.id, fleet_base + 1 FROM store_state WHERE true
    ON CONFLICT DO UPDATE SET revision = revision + 1;
END;

CREATE TRIGGER fleet_memory_changed
AFTER UPDATE OF content, context, status, scope, mem_type, category, trust, collection ON memory
WHEN NEW.source <> 'fleet' AND (SELECT is_sharing FROM store_state)
    AND (NEW.scope = 'global' OR NEW.scope LIKE 'group:%' OR OLD.scope = 'global' OR OLD.scope LIKE 'group:%')
BEGIN
    INSERT INTO fleet_claim (memory_id, revision) SELECT NEW.id, fleet_base + 1 FROM store_state WHERE true
    ON CONFLICT DO UPDATE SET revision = revision + 1;
END;

CREATE TRIGGER fleet_memory_deleted AFTER DELETE ON memory
WHEN OLD.source <> 'fleet' AND (SELECT is_sharing FROM store_state)
BEGIN
    UPDATE fleet_claim SET revision = revision + 1 WHERE memory_id = OLD.id;
END;

-- One row for each memory of another robot, also of one that it took back: an older claim of it is not taken again.
CREATE TABLE hearsay (
    origin           TEXT NOT NULL,
    origin_memory_id INTEGER NOT NULL,
    revision         INTEGER NOT NULL,      -- the newest that is known
    state            TEXT NOT NULL CHECK (state IN ('held', 'retracted', 'forgotten', 'revoked')),
    memory_id        INTEGER REFERENCES memory (id) ON DELETE SET NULL,     -- several robots may tell the same
    told_at          INTEGER NOT NULL,      -- by the clock of the origin
    made_at          INTEGER NOT NULL,      -- by the clock of the origin; not after taken_at
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

-- What every robot was told to delete, and what this one did of it. It holds for claims that come later, too.
CREATE TABLE revocation (
    id              INTEGER PRIMARY KEY,    -- of the receipt
    revoked_by      TEXT NOT NULL,          -- a robot, or a person or program that may revoke
    revocation_no   INTEGER NOT NULL,       -- of theirs
    origin          TEXT NOT NULL,          -- whose experience; empty or NULL in what follows: any of it
    memory_id       INTEGER,
    session_id      TEXT NOT NULL,
    stream          TEXT NOT NULL,
    since           INTEGER,                -- by the clock of the origin; so the next, which is not included
    until           INTEGER,                -- NULL: told_at, unless memory_id is given
    told_at         INTEGER NOT NULL,       -- by the clock of who revoked
    reason          TEXT NOT NULL,
    taken_at        INTEGER NOT NULL,
    deleted_count   INTEGER NOT NULL,
    rewritten_count INTEGER NOT NULL,
    is_told         INTEGER NOT NULL DEFAULT 0 CHECK (is_told IN (0, 1)),   -- whether the fleet has the receipt
    UNIQUE (revoked_by, revocation_no)
) STRICT;
CREATE INDEX revocation_untold ON revocation (id) WHERE is_told = 0;
CREATE INDEX revocation_by_origin ON revocation (origin);
