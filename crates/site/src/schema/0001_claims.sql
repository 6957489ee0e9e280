-- What the robots of sites told. The schema robot_memory and the table robot_memory.schema_version are there.
-- Times are nanoseconds since 1970. Names and scopes are compared by their bytes.

CREATE TABLE robot_memory.site (
  no integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text COLLATE "C" NOT NULL UNIQUE,
  -- Up to where the stream of the fleet was taken; null: nothing was.
  stream_id text,
  sequence bigint,
  next_id bigint NOT NULL DEFAULT 1
);

-- What each robot told, for totals: never read by the role of recall.
CREATE TABLE robot_memory.origin (
  site_no integer NOT NULL REFERENCES robot_memory.site,
  name text COLLATE "C" NOT NULL,
  -- Claims that came of it, and memories that are known of it, also of those that it took back.
  claim_count bigint NOT NULL DEFAULT 0,
  memory_count bigint NOT NULL DEFAULT 0,
  held_count bigint NOT NULL DEFAULT 0,
  heard_at bigint NOT NULL,
  PRIMARY KEY (site_no, name)
);

-- Vectors of two models are never compared.
CREATE TABLE robot_memory.model (
  no integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text COLLATE "C" NOT NULL,
  dimension integer NOT NULL,
  UNIQUE (name, dimension)
);

-- What was told last of each memory of each robot.
CREATE TABLE robot_memory.head (
  site_no integer NOT NULL REFERENCES robot_memory.site,
  origin text COLLATE "C" NOT NULL,
  memory_id bigint NOT NULL,
  revision bigint NOT NULL,
  state text COLLATE "C" NOT NULL CHECK (state IN ('held', 'retracted', 'revoked')),
  -- Of one that is held: the statement, by its key.
  statement_at bigint,
  statement_id bigint,
  scope text COLLATE "C" NOT NULL,
  -- Whether its origin tells it of its own experience.
  is_own boolean NOT NULL,
  told_at bigint NOT NULL,
  made_at bigint NOT NULL,
  taken_at bigint NOT NULL,
  session_id text COLLATE "C" NOT NULL,
  stream text COLLATE "C" NOT NULL,
  robot_type text NOT NULL,
  gripper text NOT NULL,
  map_id text NOT NULL,
  CHECK ((state = 'held') = (statement_id IS NOT NULL)),
  PRIMARY KEY (site_no, origin, memory_id)
);
CREATE INDEX head_statement ON robot_memory.head (site_no, statement_id) WHERE statement_id IS NOT NULL;

-- What a memory goes back to, when that is not itself alone ('root'), and what it was made of ('derived').
CREATE TABLE robot_memory.edge (
  site_no integer NOT NULL REFERENCES robot_memory.site,
  from_origin text COLLATE "C" NOT NULL,
  from_memory_id bigint NOT NULL,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('root', 'derived')),
  to_origin text COLLATE "C" NOT NULL,
  to_memory_id bigint NOT NULL,
  -- Of the claim that names it.
  scope text COLLATE "C" NOT NULL,
  PRIMARY KEY (site_no, from_origin, from_memory_id, kind, to_origin, to_memory_id)
);
CREATE INDEX edge_to ON robot_memory.edge (site_no, to_origin, to_memory_id);

-- What is remembered: the equal statements of several robots in one scope are one row.
CREATE TABLE robot_memory.statement (
  site_no integer NOT NULL,
  created_at bigint NOT NULL,
  id bigint NOT NULL,
  scope text COLLATE "C" NOT NULL,
  -- Equal statements have the same.
  words_key uuid NOT NULL,
  -- Whether other scopes have or had an equal statement.
  is_split boolean NOT NULL,
  collection text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  mem_type text COLLATE "C" NOT NULL,
  category text COLLATE "C" NOT NULL,
  content text NOT NULL,
  context jsonb,
  -- As it was told, where that is not what `context` is written as (said.rs).
  context_told text,
  tokens tsvector NOT NULL,
  token_count integer NOT NULL,
  taken_at bigint NOT NULL,
  PRIMARY KEY (site_no, created_at, id)
) PARTITION BY LIST (site_no);
-- With the length: of the statements with a common word the short ones score most.
CREATE INDEX statement_tokens ON robot_memory.statement USING gin (tokens, (ARRAY[token_count]));
CREATE INDEX statement_context ON robot_memory.statement USING gin (context jsonb_path_ops) WHERE context IS NOT NULL;

-- Where the statement of some words is, in each scope.
CREATE TABLE robot_memory.words (
  site_no integer NOT NULL REFERENCES robot_memory.site,
  words_key uuid NOT NULL,
  scope text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  id bigint NOT NULL,
  PRIMARY KEY (site_no, words_key, scope)
);

-- Apart from the statements: a filter reads those without reading vectors.
CREATE TABLE robot_memory.vector (
  site_no integer NOT NULL,
  created_at bigint NOT NULL,
  id bigint NOT NULL,
  scope text COLLATE "C" NOT NULL,
  model_no integer NOT NULL,
  embedding VECTOR_TYPE NOT NULL,
  PRIMARY KEY (site_no, created_at, id)
) PARTITION BY LIST (site_no);

-- How many statements of a scope have a token.
CREATE TABLE robot_memory.term (
  site_no integer NOT NULL REFERENCES robot_memory.site,
  scope text COLLATE "C" NOT NULL,
  token text COLLATE "C" NOT NULL,
  statement_count bigint NOT NULL,
  PRIMARY KEY (site_no, token, scope)
) WITH (fillfactor = 70);

-- How many statements a scope has, and how many tokens they have.
CREATE TABLE robot_memory.corpus (
  site_no integer NOT NULL REFERENCES robot_memory.site,
  scope text COLLATE "C" NOT NULL,
  statement_count bigint NOT NULL,
  token_count bigint NOT NULL,
  PRIMARY KEY (site_no, scope)
);

-- What attempts of robots say of memories of others: the last verdict of each.
CREATE TABLE robot_memory.judgment (
  site_no integer NOT NULL REFERENCES robot_memory.site,
  target_origin text COLLATE "C" NOT NULL,
  target_memory_id bigint NOT NULL,
  origin text COLLATE "C" NOT NULL,
  memory_id bigint NOT NULL,
  revision bigint NOT NULL,
  told_at bigint NOT NULL,
  verdict text COLLATE "C" NOT NULL CHECK (verdict IN ('confirm', 'contradict')),
  PRIMARY KEY (site_no, target_origin, target_memory_id, origin)
);
CREATE INDEX judgment_by ON robot_memory.judgment (site_no, origin, memory_id);

CREATE TABLE robot_memory.revocation (
  site_no integer NOT NULL REFERENCES robot_memory.site,
  revoked_by text COLLATE "C" NOT NULL,
  revocation_no bigint NOT NULL,
  origin text COLLATE "C" NOT NULL,
  memory_id bigint,
  session_id text COLLATE "C" NOT NULL,
  stream text COLLATE "C" NOT NULL,
  since bigint,
  until bigint,
  told_at bigint NOT NULL,
  reason text NOT NULL,
  taken_at bigint NOT NULL,
  deleted_count bigint NOT NULL,
  PRIMARY KEY (site_no, revoked_by, revocation_no)
);
CREATE INDEX revocation_of ON robot_memory.revocation (site_no, origin);

-- What each robot did for a revocation, as it told.
CREATE TABLE robot_memory.receipt (
  site_no integer NOT NULL REFERENCES robot_memory.site,
  revoked_by text COLLATE "C" NOT NULL,
  revocation_no bigint NOT NULL,
  origin text COLLATE "C" NOT NULL,
  told_at bigint NOT NULL,
  deleted_count bigint NOT NULL,
  rewritten_count bigint NOT NULL,
  PRIMARY KEY (site_no, revoked_by, revocation_no, origin)
);

-- What the role of recall may see in this transaction: nothing until its settings say so.
CREATE FUNCTION robot_memory.reads_site() RETURNS integer LANGUAGE sql STABLE PARALLEL SAFE AS
  $$ SELECT nullif(current_setting('robot_memory.site_no', true), '')::integer $$;
CREATE FUNCTION robot_memory.reads_all() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS
  $$ SELECT coalesce(current_setting('robot_memory.reads_all', true) = 'on', false) $$;
CREATE FUNCTION robot_memory.reads_scopes() RETURNS text[] LANGUAGE sql STABLE PARALLEL SAFE AS
  $$ SELECT nullif(current_setting('robot_memory.scopes', true), '')::text[] $$;

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['head', 'edge', 'statement', 'words', 'vector', 'term', 'corpus'] LOOP
    EXECUTE format('ALTER TABLE robot_memory.%I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE robot_memory.%I FORCE ROW LEVEL SECURITY', name);
    -- Uncorrelated subqueries, so that they are read once in a query and not once for each row.
    EXECUTE format(
      'CREATE POLICY readable ON robot_memory.%I FOR SELECT TO robot_memory_reader USING ('
      'site_no = (SELECT robot_memory.reads_site()) AND ((SELECT robot_memory.reads_all()) '
      'OR scope = ANY ((SELECT robot_memory.reads_scopes())::text[])))', name);
    -- Who takes claims, and nobody else; superusers are not asked.
    EXECUTE format('CREATE POLICY taken ON robot_memory.%I TO CURRENT_USER USING (true) WITH CHECK (true)', name);
    EXECUTE format('GRANT SELECT ON robot_memory.%I TO robot_memory_reader', name);
  END LOOP;
END $$;
-- Of these nobody but their owner reads anything, but for counts of verdicts.
ALTER TABLE robot_memory.judgment ENABLE ROW LEVEL SECURITY;
ALTER TABLE robot_memory.judgment FORCE ROW LEVEL SECURITY;
CREATE POLICY taken ON robot_memory.judgment TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY readable ON robot_memory.judgment FOR SELECT TO robot_memory_reader USING (
  site_no = (SELECT robot_memory.reads_site()) AND EXISTS (
    SELECT 1 FROM robot_memory.head h WHERE h.site_no = judgment.site_no
    AND h.origin = judgment.target_origin AND h.memory_id = judgment.target_memory_id));
GRANT SELECT ON robot_memory.judgment, robot_memory.model TO robot_memory_reader;
GRANT USAGE ON SCHEMA robot_memory TO robot_memory_reader;

-- An index whose operator Postgres does not call leakproof, as those of words and of JSON, is not used below a policy. These
-- use it for the same rows: they read as their owner, take values and no SQL, and ask for the scopes that the policy asks for.
-- What is told of their rows is read again, below the policy.
-- with_words: of each query of words those with at most so many tokens, or of any length. Without its settings Postgres
-- reads the table in its order, since the limit might be reached soon.
CREATE FUNCTION robot_memory.with_words(
  words text[], tokens_max integer[], indexed_max integer, since bigint, until bigint, row_limit integer, newest boolean)
RETURNS TABLE (created_at bigint, id bigint, words_key uuid, is_split boolean, tokens tsvector, token_count integer)
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 5000
SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET enable_indexscan = off AS $$
DECLARE
  parts text := (
    SELECT string_agg(format('(s.tokens @@ %L::tsquery', part.words) || CASE
      WHEN part.tokens_max IS NULL THEN ')'
      WHEN part.tokens_max > indexed_max THEN format(' AND s.token_count <= %s)', part.tokens_max)
      ELSE format(' AND ARRAY[s.token_count] && %L::integer[])', ARRAY(SELECT generate_series(1, part.tokens_max)))
    END, ' OR ') FROM unnest(words, tokens_max) AS part (words, tokens_max));
BEGIN
  IF newest THEN
    PERFORM set_config('enable_indexscan', 'on', true);
  END IF;
  RETURN QUERY EXECUTE
    'SELECT s.created_at, s.id, s.words_key, s.is_split, s.tokens, s.token_count FROM robot_memory.statement s '
    'WHERE s.site_no = $1 AND s.created_at >= $2 AND s.created_at < $3 AND ($4 OR s.scope = ANY ($5)) AND ('
    || parts || ')' || CASE WHEN newest THEN ' ORDER BY s.created_at DESC, s.id DESC' ELSE '' END || ' LIMIT $6'
    USING robot_memory.reads_site(), since, until, robot_memory.reads_all(), robot_memory.reads_scopes(), row_limit;
END $$;
CREATE FUNCTION robot_memory.with_context(part jsonb, since bigint, until bigint, row_limit integer)
RETURNS TABLE (created_at bigint, id bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 5000 SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY EXECUTE
    'SELECT s.created_at, s.id FROM robot_memory.statement s WHERE s.site_no = $1 AND s.context @> $2 '
    'AND s.context IS NOT NULL AND s.created_at >= $3 AND s.created_at < $4 AND ($5 OR s.scope = ANY ($6)) LIMIT $7'
    USING robot_memory.reads_site(), part, since, until, robot_memory.reads_all(), robot_memory.reads_scopes(), row_limit;
END $$;
REVOKE ALL ON FUNCTION robot_memory.with_words, robot_memory.with_context FROM PUBLIC;
GRANT EXECUTE ON FUNCTION robot_memory.with_words, robot_memory.with_context TO robot_memory_reader;
