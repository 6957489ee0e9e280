//! The statements of a part: those that are there already, the new ones, and those that nobody tells any more.

use super::Places;
use crate::error::Result;
use crate::intake::StatementKey;
use crate::said::Said;
use postgres::Transaction;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};
use uuid::Uuid;

/// A statement that is not there yet.
struct New<'s> {
    said: &'s Said,
    id: i64,
    is_split: bool,
}

/// Stores what is said, each statement once in its scope. Returns where each is.
pub fn put(
    tx: &mut Transaction<'_>,
    site_no: i32,
    now: i64,
    said: &[&Said],
) -> Result<Vec<StatementKey>> {
    let mut places = places_of(tx, site_no, said)?;
    let row = tx.query_one(
        "UPDATE robot_memory.site SET next_id = next_id + $2 WHERE no = $1 RETURNING next_id",
        &[&site_no, &(said.len() as i64)],
    )?;
    let mut id = row.get::<_, i64>(0) - said.len() as i64;
    let mut new: Vec<New<'_>> = Vec::new();
    let mut all = Vec::with_capacity(said.len());
    for said in said {
        let known = places.entry(said.words_key).or_default();
        if let Some(place) = known.get(&said.scope) {
            all.push(*place);
            continue;
        }
        let place = (said.created_at, id);
        new.push(New { said, id, is_split: false });
        known.insert(said.scope.clone(), place);
        all.push(place);
        id += 1;
    }
    let mut split: Vec<StatementKey> = Vec::new();
    for statement in &mut new {
        let known = &places[&statement.said.words_key];
        if known.len() > 1 {
            statement.is_split = true;
            split.extend(known.values());
        }
    }
    insert(tx, site_no, now, &new)?;
    insert_vectors(tx, site_no, &new)?;
    insert_words(tx, site_no, &new)?;
    let mut counts = Counts::default();
    for New { said, .. } in &new {
        counts.add(&said.scope, said.tokens.iter().map(String::as_str), said.token_count.into(), 1);
    }
    counts.write(tx, site_no)?;
    mark_split(tx, site_no, &split)?;
    Ok(all)
}

fn places_of(tx: &mut Transaction<'_>, site_no: i32, said: &[&Said]) -> Result<Places> {
    let keys: Vec<Uuid> = said.iter().filter(|it| it.is_merged()).map(|it| it.words_key).collect();
    let rows = tx.query(
        "SELECT words_key, scope, created_at, id FROM robot_memory.words WHERE site_no = $1 AND words_key = ANY ($2)",
        &[&site_no, &keys],
    )?;
    let mut places = Places::new();
    for row in &rows {
        places.entry(row.get(0)).or_default().insert(row.get(1), (row.get(2), row.get(3)));
    }
    Ok(places)
}

fn insert(tx: &mut Transaction<'_>, site_no: i32, now: i64, new: &[New<'_>]) -> Result<()> {
    if new.is_empty() {
        return Ok(());
    }
    let text = |of: fn(&Said) -> &str| new.iter().map(|it| of(it.said)).collect::<Vec<_>>();
    // An array of arrays must be a rectangle: the tokens are one text with spaces, which no token has.
    let tokens: Vec<String> = new.iter().map(|it| it.said.tokens.join(" ")).collect();
    tx.execute(
        "INSERT INTO robot_memory.statement (site_no, taken_at, created_at, id, scope, words_key, is_split, \
         collection, kind, mem_type, category, content, context, context_told, tokens, token_count) \
         SELECT $1, $2, n.created_at, n.id, n.scope, n.words_key, n.is_split, n.collection, n.kind, n.mem_type, \
         n.category, n.content, n.context::jsonb, n.context_told, \
         array_to_tsvector(array_remove(string_to_array(n.tokens, ' '), '')), n.token_count \
         FROM unnest($3::bigint[], $4::bigint[], $5::text[], $6::uuid[], $7::boolean[], $8::text[], $9::text[], \
         $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::integer[]) AS n (created_at, id, \
         scope, words_key, is_split, collection, kind, mem_type, category, content, context, context_told, tokens, token_count)",
        &[
            &site_no,
            &now,
            &new.iter().map(|it| it.said.created_at).collect::<Vec<_>>(),
            &new.iter().map(|it| it.id).collect::<Vec<_>>(),
            &text(|it| &it.scope),
            &new.iter().map(|it| it.said.words_key).collect::<Vec<_>>(),
            &new.iter().map(|it| it.is_split).collect::<Vec<_>>(),
            &text(|it| &it.collection),
            &text(|it| it.kind),
            &text(|it| it.mem_type.as_str()),
            &text(|it| it.category.as_str()),
            &text(|it| &it.content),
            &new.iter().map(|it| it.said.context.as_deref()).collect::<Vec<_>>(),
            &new.iter().map(|it| it.said.context_told.as_deref()).collect::<Vec<_>>(),
            &tokens,
            &new.iter().map(|it| it.said.token_count).collect::<Vec<_>>(),
        ],
    )?;
    Ok(())
}

fn insert_vectors(tx: &mut Transaction<'_>, site_no: i32, new: &[New<'_>]) -> Result<()> {
    let with: Vec<_> = new.iter().filter_map(|it| Some((it, it.said.vector.as_ref()?))).collect();
    if with.is_empty() {
        return Ok(());
    }
    let mut models: BTreeMap<(&str, i32), i32> = BTreeMap::new();
    for (_, vector) in &with {
        let key = (vector.model.as_str(), vector.dimension);
        if let Entry::Vacant(entry) = models.entry(key) {
            entry.insert(model_no(tx, key.0, key.1)?);
        }
    }
    let numbers: Vec<i32> =
        with.iter().map(|(_, it)| models[&(it.model.as_str(), it.dimension)]).collect();
    tx.execute(
        "INSERT INTO robot_memory.vector (site_no, created_at, id, scope, model_no, embedding) \
         SELECT $1, n.created_at, n.id, n.scope, n.model_no, n.embedding::vector FROM unnest($2::bigint[], \
         $3::bigint[], $4::text[], $5::integer[], $6::text[]) AS n (created_at, id, scope, model_no, embedding)",
        &[
            &site_no,
            &with.iter().map(|(it, _)| it.said.created_at).collect::<Vec<_>>(),
            &with.iter().map(|(it, _)| it.id).collect::<Vec<_>>(),
            &with.iter().map(|(it, _)| it.said.scope.as_str()).collect::<Vec<_>>(),
            &numbers,
            &with.iter().map(|(_, it)| it.text.as_str()).collect::<Vec<_>>(),
        ],
    )?;
    Ok(())
}

fn model_no(tx: &mut Transaction<'_>, name: &str, dimension: i32) -> Result<i32> {
    let known = "SELECT no FROM robot_memory.model WHERE name = $1 AND dimension = $2";
    if let Some(row) = tx.query_opt(known, &[&name, &dimension])? {
        return Ok(row.get(0));
    }
    tx.execute(
        "INSERT INTO robot_memory.model (name, dimension) VALUES ($1, $2) ON CONFLICT DO NOTHING",
        &[&name, &dimension],
    )?;
    Ok(tx.query_one(known, &[&name, &dimension])?.get(0))
}

fn insert_words(tx: &mut Transaction<'_>, site_no: i32, new: &[New<'_>]) -> Result<()> {
    let merged: Vec<_> = new.iter().filter(|it| it.said.is_merged()).collect();
    tx.execute(
        "INSERT INTO robot_memory.words (site_no, words_key, scope, created_at, id) \
         SELECT $1, * FROM unnest($2::uuid[], $3::text[], $4::bigint[], $5::bigint[])",
        &[
            &site_no,
            &merged.iter().map(|it| it.said.words_key).collect::<Vec<_>>(),
            &merged.iter().map(|it| it.said.scope.as_str()).collect::<Vec<_>>(),
            &merged.iter().map(|it| it.said.created_at).collect::<Vec<_>>(),
            &merged.iter().map(|it| it.id).collect::<Vec<_>>(),
        ],
    )?;
    Ok(())
}

fn mark_split(tx: &mut Transaction<'_>, site_no: i32, split: &[StatementKey]) -> Result<()> {
    if split.is_empty() {
        return Ok(());
    }
    let (times, ids): (Vec<i64>, Vec<i64>) = split.iter().copied().unzip();
    tx.execute(
        "UPDATE robot_memory.statement s SET is_split = true FROM unnest($2::bigint[], $3::bigint[]) AS k (at, id) \
         WHERE s.site_no = $1 AND s.created_at = k.at AND s.id = k.id AND NOT s.is_split",
        &[&site_no, &times, &ids],
    )?;
    Ok(())
}

/// Deletes those of some statements that no robot tells any more; returns how many.
pub fn delete_untold(
    tx: &mut Transaction<'_>,
    site_no: i32,
    released: &[StatementKey],
) -> Result<i64> {
    if released.is_empty() {
        return Ok(0);
    }
    let (times, ids): (Vec<i64>, Vec<i64>) = released.iter().copied().unzip();
    let rows = tx.query(
        "DELETE FROM robot_memory.statement s USING unnest($2::bigint[], $3::bigint[]) AS k (at, id) \
         WHERE s.site_no = $1 AND s.created_at = k.at AND s.id = k.id AND NOT EXISTS (SELECT 1 \
         FROM robot_memory.head h WHERE h.site_no = $1 AND h.statement_id = k.id) \
         RETURNING s.created_at, s.id, s.scope, s.words_key, tsvector_to_array(s.tokens), s.token_count",
        &[&site_no, &times, &ids],
    )?;
    if rows.is_empty() {
        return Ok(0);
    }
    let times: Vec<i64> = rows.iter().map(|row| row.get(0)).collect();
    let ids: Vec<i64> = rows.iter().map(|row| row.get(1)).collect();
    let scopes: Vec<&str> = rows.iter().map(|row| row.get(2)).collect();
    let keys: Vec<Uuid> = rows.iter().map(|row| row.get(3)).collect();
    tx.execute(
        "DELETE FROM robot_memory.vector v USING unnest($2::bigint[], $3::bigint[]) AS k (at, id) \
         WHERE v.site_no = $1 AND v.created_at = k.at AND v.id = k.id",
        &[&site_no, &times, &ids],
    )?;
    tx.execute(
        "DELETE FROM robot_memory.words w USING unnest($2::uuid[], $3::text[], $4::bigint[]) AS k (key, scope, id) \
         WHERE w.site_no = $1 AND w.words_key = k.key AND w.scope = k.scope COLLATE \"C\" AND w.id = k.id",
        &[&site_no, &keys, &scopes, &ids],
    )?;
    let mut counts = Counts::default();
    for row in &rows {
        let tokens: Vec<&str> = row.get(4);
        counts.add(row.get(2), tokens.into_iter(), row.get::<_, i32>(5).into(), -1);
    }
    counts.write(tx, site_no)?;
    Ok(rows.len() as i64)
}

/// By how much the counts of tokens change.
#[derive(Default)]
struct Counts<'s> {
    tokens: HashMap<(&'s str, &'s str), i64>,
    corpus: BTreeMap<&'s str, (i64, i64)>,
}

impl<'s> Counts<'s> {
    fn add(
        &mut self,
        scope: &'s str,
        tokens: impl Iterator<Item = &'s str>,
        token_count: i64,
        by: i64,
    ) {
        for token in tokens {
            *self.tokens.entry((scope, token)).or_default() += by;
        }
        let corpus = self.corpus.entry(scope).or_default();
        corpus.0 += by;
        corpus.1 += by * token_count;
    }

    fn write(self, tx: &mut Transaction<'_>, site_no: i32) -> Result<()> {
        let mut tokens: Vec<_> = self.tokens.into_iter().filter(|it| it.1 != 0).collect();
        if !tokens.is_empty() {
            tokens.sort_unstable();
            tx.execute(
                "INSERT INTO robot_memory.term AS t (site_no, scope, token, statement_count) \
                 SELECT $1, * FROM unnest($2::text[], $3::text[], $4::bigint[]) \
                 ON CONFLICT (site_no, token, scope) DO UPDATE SET \
                 statement_count = t.statement_count + excluded.statement_count",
                &[
                    &site_no,
                    &tokens.iter().map(|it| it.0.0).collect::<Vec<_>>(),
                    &tokens.iter().map(|it| it.0.1).collect::<Vec<_>>(),
                    &tokens.iter().map(|it| it.1).collect::<Vec<_>>(),
                ],
            )?;
        }
        if self.corpus.is_empty() {
            return Ok(());
        }
        tx.execute(
            "INSERT INTO robot_memory.corpus AS c (site_no, scope, statement_count, token_count) \
             SELECT $1, * FROM unnest($2::text[], $3::bigint[], $4::bigint[]) \
             ON CONFLICT (site_no, scope) DO UPDATE SET \
             statement_count = c.statement_count + excluded.statement_count, \
             token_count = c.token_count + excluded.token_count",
            &[
                &site_no,
                &self.corpus.keys().copied().collect::<Vec<_>>(),
                &self.corpus.values().map(|it| it.0).collect::<Vec<_>>(),
                &self.corpus.values().map(|it| it.1).collect::<Vec<_>>(),
            ],
        )?;
        Ok(())
    }
}
