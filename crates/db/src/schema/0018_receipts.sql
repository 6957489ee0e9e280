-- What other robots did for revocations, and what of theirs a memory of this robot's own goes back to.

-- Whether it was made of other memories there, as a summary or a lesson is.
ALTER TABLE hearsay ADD COLUMN is_summary INTEGER NOT NULL DEFAULT 0 CHECK (is_summary IN (0, 1));
-- The memory of this robot's own that it was adopted as.
ALTER TABLE hearsay ADD COLUMN adopted_id INTEGER REFERENCES memory (id) ON DELETE SET NULL;
CREATE INDEX hearsay_by_adopted ON hearsay (adopted_id) WHERE adopted_id IS NOT NULL;

UPDATE hearsay SET is_summary = 1
WHERE EXISTS (SELECT 1 FROM json_each(roots) WHERE value ->> 'origin' = hearsay.origin)
    AND NOT EXISTS (
        SELECT 1 FROM json_each(roots)
        WHERE value ->> 'origin' = hearsay.origin AND value ->> 'memory_id' = hearsay.origin_memory_id
    );

-- The receipt of another robot for a revocation.
CREATE TABLE receipt (
    revoked_by      TEXT NOT NULL,
    revocation_no   INTEGER NOT NULL,
    robot           TEXT NOT NULL,
    taken_at        INTEGER NOT NULL,       -- by the clock of the robot
    deleted_count   INTEGER NOT NULL,
    rewritten_count INTEGER NOT NULL,
    PRIMARY KEY (revoked_by, revocation_no, robot)
) STRICT, WITHOUT ROWID;

-- Whether what its origin made of other memories is not believed until there is its receipt.
ALTER TABLE revocation ADD COLUMN awaits_origin INTEGER NOT NULL DEFAULT 0 CHECK (awaits_origin IN (0, 1));

-- Receipts that came before are in the stream, as far as that reaches back: it is taken from its beginning.
UPDATE store_state SET fleet_stream_id = '', fleet_taken_until = 0;
