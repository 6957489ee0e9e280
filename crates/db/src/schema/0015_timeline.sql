-- Ends of sessions in order of time, as session_by_start has their begins.
CREATE INDEX session_by_end ON session (ended_at, session_id) WHERE ended_at IS NOT NULL;
