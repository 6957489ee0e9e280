-- memory.confidence is as it was said last. What is left of it is computed from the latest of created_at, said_at,
-- known_at and last_accessed up to the later of decayed_until and its collection's faded_until. So it comes back
-- with use, and nothing that fades is written over what was said.

-- When it was last said again or confirmed; NULL: not since it was made.
ALTER TABLE memory ADD COLUMN said_at INTEGER;
-- When it came to be known here, of what was imported; NULL: when it was made.
ALTER TABLE memory ADD COLUMN known_at INTEGER;

-- Up to here confidence was written as it faded. What the ledger tells of before that is what was said.
CREATE TEMP TABLE faded_before AS
SELECT l.memory_id, max(CAST(l.value_before AS REAL)) AS said
FROM memory_ledger l JOIN memory m ON m.id = l.memory_id
WHERE l.change = 'faded' AND l.began_at >= m.updated_at AND m.status = 'active'
    AND l.memory_id NOT IN (SELECT memory_id FROM event)
GROUP BY l.memory_id;
UPDATE memory SET confidence = min(1.0, max(confidence,
    (SELECT said FROM temp.faded_before WHERE memory_id = id)))
WHERE id IN (SELECT memory_id FROM temp.faded_before);
-- Of all others it counts as said when it was written.
UPDATE memory SET said_at = decayed_until
WHERE decayed_until IS NOT NULL AND id NOT IN (SELECT memory_id FROM temp.faded_before);
DROP TABLE temp.faded_before;
-- Sessions of imports are of no run.
UPDATE memory SET known_at = decayed_until
WHERE decayed_until IS NOT NULL AND id IN (SELECT memory_id FROM event)
    AND session_id IN (SELECT session_id FROM session WHERE run = 0);
