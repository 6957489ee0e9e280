-- What attempts say of lessons that other robots told: those of this robot, and what other robots say of theirs.

-- A row for each lesson that was told and that attempts here can bear out or refute.
CREATE TABLE heard_lesson (
    memory_id INTEGER PRIMARY KEY REFERENCES memory (id) ON DELETE CASCADE,
    task      TEXT NOT NULL,
    object    TEXT NOT NULL,                -- may be empty
    path      TEXT NOT NULL,                -- of the parameter
    unit      TEXT NOT NULL,
    side      TEXT NOT NULL CHECK (side IN ('above', 'below')), -- of the bound on which attempts fail
    bound     REAL NOT NULL,
    ruling    TEXT CHECK (ruling IN ('confirmed', 'contradicted')), -- of the attempts here; NULL: none yet
    is_due    INTEGER NOT NULL DEFAULT 1 CHECK (is_due IN (0, 1))   -- whether it is still to be held against them
) STRICT;
CREATE INDEX heard_lesson_due ON heard_lesson (memory_id) WHERE is_due = 1;

-- What was told on of a memory that ends here is taken back.
CREATE TRIGGER fleet_heard_changed AFTER UPDATE OF status ON memory
WHEN NEW.source = 'fleet' AND (SELECT is_sharing FROM store_state)
BEGIN
    UPDATE fleet_claim SET revision = revision + 1 WHERE memory_id = NEW.id;
END;

CREATE TRIGGER fleet_heard_deleted AFTER DELETE ON memory
WHEN OLD.source = 'fleet' AND (SELECT is_sharing FROM store_state)
BEGIN
    UPDATE fleet_claim SET revision = revision + 1 WHERE memory_id = OLD.id;
END;

-- What other robots say of a memory of a robot, which may be this one. A row stays when it was taken back: an older claim of
-- it is not taken again.
CREATE TABLE ruling (
    origin           TEXT NOT NULL,         -- whose attempts
    memory_id        INTEGER NOT NULL,      -- of its claim
    revision         INTEGER NOT NULL,      -- the newest that is known
    ruling           TEXT CHECK (ruling IN ('confirmed', 'contradicted')),  -- NULL: taken back, or revoked
    target_origin    TEXT NOT NULL,
    target_memory_id INTEGER NOT NULL,
    told_at          INTEGER NOT NULL,      -- by the clock of the origin
    PRIMARY KEY (origin, memory_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX ruling_by_target ON ruling (target_origin, target_memory_id);
