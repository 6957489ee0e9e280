-- How often the node ended while a job was being done, since the last step of it that was committed.
ALTER TABLE job ADD COLUMN end_count INTEGER NOT NULL DEFAULT 0;
