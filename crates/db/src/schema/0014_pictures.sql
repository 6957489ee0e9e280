-- What pictures of active perceptions show.

CREATE TABLE memory_picture (
    memory_id INTEGER PRIMARY KEY REFERENCES memory (id) ON DELETE CASCADE,
    model     INTEGER REFERENCES embedding_model (model),   -- that was tried last; NULL: none
    embedding BLOB                          -- little-endian f32; NULL: none was tried, or it failed
) STRICT;
-- With the id, as in every index: which have none of a model is found without reading vectors.
CREATE INDEX memory_picture_by_model ON memory_picture (model);
CREATE INDEX memory_picture_failed ON memory_picture (model) WHERE model IS NOT NULL AND embedding IS NULL;

-- Active perceptions whose data have a picture. Few data name one: only those are parsed.
CREATE VIEW perception_with_picture AS
SELECT p.memory_id FROM perception p JOIN memory m ON m.id = p.memory_id
WHERE m.status = 'active' AND instr(p.data, '"thumbnail_jpeg"') > 0
  AND CASE WHEN json_valid(p.data)
           THEN coalesce(json_type(p.data, '$.image.thumbnail_jpeg') = 'text', 0) ELSE 0 END;
INSERT INTO memory_picture (memory_id) SELECT memory_id FROM perception_with_picture;
