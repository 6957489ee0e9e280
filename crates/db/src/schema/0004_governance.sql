-- Levels form a tree, and a row that was replaced says by which rule.

-- The row one level up that it belongs to.
ALTER TABLE memory ADD COLUMN parent_id INTEGER REFERENCES memory (id) ON DELETE SET NULL;
CREATE INDEX memory_by_parent ON memory (parent_id) WHERE parent_id IS NOT NULL;

-- Why another row stands for it; NULL when none does, and of rows that were superseded before rules
-- were kept: then it was consolidation.
ALTER TABLE memory ADD COLUMN superseded_rule TEXT;

-- Constraints are asked for all at once.
CREATE INDEX memory_constraint ON memory (id) WHERE status = 'active' AND category = 'constraint';

-- What is deleted takes the kept answers along that name it.
CREATE INDEX idempotency_by_memory ON idempotency (json_extract(response, '$.memory_id'))
    WHERE json_extract(response, '$.memory_id') IS NOT NULL;
CREATE INDEX idempotency_by_existing ON idempotency (json_extract(response, '$.existing_id'))
    WHERE json_extract(response, '$.existing_id') IS NOT NULL;
