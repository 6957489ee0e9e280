-- Which store this is, in the file and in all copies of it: a backup says of which store it is.
ALTER TABLE store_state ADD COLUMN store_id TEXT NOT NULL DEFAULT '';
UPDATE store_state SET store_id = lower(hex(randomblob(16)));
-- Of a copy: the SHA-256 of all its rows. NULL in a store that is written.
ALTER TABLE store_state ADD COLUMN rows_sha256 BLOB;
