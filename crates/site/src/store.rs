//! Reads and writes what a part of a batch names and changes, each table in one statement.

use crate::error::Result;
use crate::intake::{Head, HeadKey, Part, State, StatementKey};
use crate::revocation::{Revocations, Revoked};
use crate::said::Said;
use postgres::Transaction;
use robot_memory_core::claim::{Claim, ClaimOp, MemoryRef, Selector};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use uuid::Uuid;

mod statements;

/// What was written besides heads and statements.
pub(crate) struct Written {
    pub judged_count: u64,
    pub receipt_count: u64,
}

/// The heads of these memories, as far as they are known.
pub(crate) fn heads(
    tx: &mut Transaction<'_>,
    site_no: i32,
    keys: &BTreeSet<HeadKey>,
) -> Result<BTreeMap<HeadKey, Head>> {
    let origins: Vec<&str> = keys.iter().map(|key| key.0.as_str()).collect();
    let ids: Vec<i64> = keys.iter().map(|key| key.1).collect();
    let rows = tx.query(
        "SELECT h.* FROM unnest($2::text[], $3::bigint[]) AS k (origin, memory_id) JOIN robot_memory.head h \
         ON h.site_no = $1 AND h.origin = k.origin COLLATE \"C\" AND h.memory_id = k.memory_id",
        &[&site_no, &origins, &ids],
    )?;
    let head = |row: &postgres::Row| {
        let at: Option<i64> = row.get("statement_at");
        let head = Head {
            revision: row.get("revision"),
            state: State::parse(row.get("state")),
            statement: at.zip(row.get("statement_id")),
            scope: row.get("scope"),
            is_own: row.get("is_own"),
            told_at: row.get("told_at"),
            made_at: row.get("made_at"),
            session_id: row.get("session_id"),
            stream: row.get("stream"),
            robot_type: row.get("robot_type"),
            gripper: row.get("gripper"),
            map_id: row.get("map_id"),
            change: None,
        };
        ((row.get("origin"), row.get("memory_id")), head)
    };
    Ok(rows.iter().map(head).collect())
}

/// How many memories of each origin are known.
pub(crate) fn memory_counts(
    tx: &mut Transaction<'_>,
    site_no: i32,
    origins: &[&str],
) -> Result<HashMap<String, i64>> {
    let rows = tx.query(
        "SELECT name, memory_count FROM robot_memory.origin WHERE site_no = $1 AND name = ANY ($2)",
        &[&site_no, &origins],
    )?;
    Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
}

/// Writes what changed.
pub(crate) fn write(
    tx: &mut Transaction<'_>,
    site_no: i32,
    now: i64,
    part: &Part,
) -> Result<Written> {
    let mut changed: Vec<(&HeadKey, &Head)> =
        part.heads.iter().filter(|it| it.1.change.is_some()).collect();
    changed.sort_by_key(|it| it.1.change.as_ref().map(|it| it.at));
    let said: Vec<&Said> =
        changed.iter().filter_map(|(_, head)| head.change.as_ref()?.said.as_ref()).collect();
    let places = statements::put(tx, site_no, now, &said)?;
    put_heads(tx, site_no, now, &changed, &places)?;
    put_edges(tx, site_no, &changed)?;
    let released: Vec<StatementKey> =
        changed.iter().filter_map(|(_, head)| head.statement).collect();
    statements::delete_untold(tx, site_no, &released)?;
    put_origins(tx, site_no, now, part, &changed)?;
    Ok(Written {
        judged_count: put_judgments(tx, site_no, part)?,
        receipt_count: put_receipts(tx, site_no, &part.receipts)?,
    })
}

/// `places`: of each head that says something in this part, in order, its statement.
fn put_heads(
    tx: &mut Transaction<'_>,
    site_no: i32,
    now: i64,
    changed: &[(&HeadKey, &Head)],
    places: &[StatementKey],
) -> Result<()> {
    let mut places = places.iter();
    let statements: Vec<Option<StatementKey>> = changed
        .iter()
        .map(|(_, head)| {
            let says = head.change.as_ref().is_some_and(|it| it.said.is_some());
            if says { places.next().copied() } else { None }
        })
        .collect();
    let text = |of: fn(&Head) -> &str| changed.iter().map(|(_, head)| of(head)).collect::<Vec<_>>();
    let time = |of: fn(&Head) -> i64| changed.iter().map(|(_, head)| of(head)).collect::<Vec<_>>();
    let origins: Vec<&str> = changed.iter().map(|(key, _)| key.0.as_str()).collect();
    let ids: Vec<i64> = changed.iter().map(|(key, _)| key.1).collect();
    let own: Vec<bool> = changed.iter().map(|(_, head)| head.is_own).collect();
    tx.execute(
        "INSERT INTO robot_memory.head (site_no, taken_at, origin, memory_id, revision, state, statement_at, \
         statement_id, scope, is_own, told_at, made_at, session_id, stream, robot_type, gripper, map_id) \
         SELECT $1, $2, * FROM unnest($3::text[], $4::bigint[], $5::bigint[], $6::text[], $7::bigint[], \
         $8::bigint[], $9::text[], $10::boolean[], $11::bigint[], $12::bigint[], $13::text[], $14::text[], \
         $15::text[], $16::text[], $17::text[]) \
         ON CONFLICT (site_no, origin, memory_id) DO UPDATE SET revision = excluded.revision, \
         state = excluded.state, statement_at = excluded.statement_at, statement_id = excluded.statement_id, \
         scope = excluded.scope, is_own = excluded.is_own, told_at = excluded.told_at, \
         made_at = excluded.made_at, taken_at = excluded.taken_at, session_id = excluded.session_id, \
         stream = excluded.stream, robot_type = excluded.robot_type, gripper = excluded.gripper, \
         map_id = excluded.map_id",
        &[
            &site_no,
            &now,
            &origins,
            &ids,
            &time(|it| it.revision),
            &text(|it| it.state.as_str()),
            &statements.iter().map(|it| it.map(|it| it.0)).collect::<Vec<_>>(),
            &statements.iter().map(|it| it.map(|it| it.1)).collect::<Vec<_>>(),
            &text(|it| &it.scope),
            &own,
            &time(|it| it.told_at),
            &time(|it| it.made_at),
            &text(|it| &it.session_id),
            &text(|it| &it.stream),
            &text(|it| &it.robot_type),
            &text(|it| &it.gripper),
            &text(|it| &it.map_id),
        ],
    )?;
    Ok(())
}

/// What the changed heads go back to and were made of, in the place of what they said before.
fn put_edges(tx: &mut Transaction<'_>, site_no: i32, changed: &[(&HeadKey, &Head)]) -> Result<()> {
    let known =
        changed.iter().filter(|(_, head)| head.change.as_ref().is_some_and(|it| !it.is_new));
    let (origins, ids): (Vec<&str>, Vec<i64>) =
        known.map(|(key, _)| (key.0.as_str(), key.1)).unzip();
    if !ids.is_empty() {
        tx.execute(
            "DELETE FROM robot_memory.edge e USING unnest($2::text[], $3::bigint[]) AS k (origin, memory_id) \
             WHERE e.site_no = $1 AND e.from_origin = k.origin COLLATE \"C\" AND e.from_memory_id = k.memory_id",
            &[&site_no, &origins, &ids],
        )?;
    }
    let mut edges: Vec<(&HeadKey, &str, &MemoryRef, &str)> = Vec::new();
    for (key, head) in changed {
        let Some(change) = &head.change else { continue };
        let is_itself = |it: &MemoryRef| it.origin == key.0 && it.memory_id == key.1;
        // Most memories go back to themselves alone: that has no row.
        if !matches!(change.roots.as_slice(), [root] if is_itself(root)) {
            edges.extend(change.roots.iter().map(|it| (*key, "root", it, head.scope.as_str())));
        }
        edges.extend(
            change.derived_from.iter().map(|it| (*key, "derived", it, head.scope.as_str())),
        );
    }
    if edges.is_empty() {
        return Ok(());
    }
    tx.execute(
        "INSERT INTO robot_memory.edge (site_no, from_origin, from_memory_id, kind, to_origin, to_memory_id, scope) \
         SELECT $1, * FROM unnest($2::text[], $3::bigint[], $4::text[], $5::text[], $6::bigint[], $7::text[]) \
         ON CONFLICT DO NOTHING",
        &[
            &site_no,
            &edges.iter().map(|it| it.0.0.as_str()).collect::<Vec<_>>(),
            &edges.iter().map(|it| it.0.1).collect::<Vec<_>>(),
            &edges.iter().map(|it| it.1).collect::<Vec<_>>(),
            &edges.iter().map(|it| it.2.origin.as_str()).collect::<Vec<_>>(),
            &edges.iter().map(|it| it.2.memory_id).collect::<Vec<_>>(),
            &edges.iter().map(|it| it.3).collect::<Vec<_>>(),
        ],
    )?;
    Ok(())
}

fn put_origins(
    tx: &mut Transaction<'_>,
    site_no: i32,
    now: i64,
    part: &Part,
    changed: &[(&HeadKey, &Head)],
) -> Result<()> {
    let mut totals: BTreeMap<&str, [i64; 3]> = BTreeMap::new();
    for (origin, count) in &part.claim_counts {
        totals.entry(origin).or_default()[0] += count;
    }
    for (key, head) in changed {
        let Some(change) = &head.change else { continue };
        let total = totals.entry(&key.0).or_default();
        total[1] += i64::from(change.is_new);
        total[2] += i64::from(head.state == State::Held) - i64::from(change.was_held);
    }
    let column = |at: usize| totals.values().map(|it| it[at]).collect::<Vec<i64>>();
    tx.execute(
        "INSERT INTO robot_memory.origin AS o (site_no, heard_at, name, claim_count, memory_count, held_count) \
         SELECT $1, $2, * FROM unnest($3::text[], $4::bigint[], $5::bigint[], $6::bigint[]) \
         ON CONFLICT (site_no, name) DO UPDATE SET heard_at = excluded.heard_at, \
         claim_count = o.claim_count + excluded.claim_count, \
         memory_count = o.memory_count + excluded.memory_count, held_count = o.held_count + excluded.held_count",
        &[&site_no, &now, &totals.keys().copied().collect::<Vec<_>>(), &column(0), &column(1), &column(2)],
    )?;
    Ok(())
}

fn put_judgments(tx: &mut Transaction<'_>, site_no: i32, part: &Part) -> Result<u64> {
    for ((origin, memory_id), revision) in &part.unjudged {
        tx.execute(
            "DELETE FROM robot_memory.judgment WHERE site_no = $1 AND origin = $2 AND memory_id = $3 \
             AND revision < $4",
            &[&site_no, origin, memory_id, revision],
        )?;
    }
    let mut count = 0;
    for ((target, origin), judgment) in &part.judgments {
        // It may have been about another memory before.
        tx.execute(
            "DELETE FROM robot_memory.judgment WHERE site_no = $1 AND origin = $2 AND memory_id = $3 \
             AND revision < $4 AND (target_origin, target_memory_id) <> ($5, $6)",
            &[
                &site_no,
                origin,
                &judgment.memory_id,
                &judgment.revision,
                &target.origin,
                &target.memory_id,
            ],
        )?;
        let verdict = if judgment.verdict == ClaimOp::Confirm { "confirm" } else { "contradict" };
        count += tx.execute(
            "INSERT INTO robot_memory.judgment AS j (site_no, target_origin, target_memory_id, origin, memory_id, \
             revision, told_at, verdict) SELECT $1::integer, $2::text, $3::bigint, $4::text, $5::bigint, $6::bigint, \
             $7::bigint, $8::text WHERE NOT EXISTS (SELECT 1 FROM robot_memory.judgment k WHERE k.site_no = $1 \
             AND k.origin = $4 AND k.memory_id = $5 AND k.revision > $6) \
             ON CONFLICT (site_no, target_origin, target_memory_id, origin) DO UPDATE SET \
             memory_id = excluded.memory_id, revision = excluded.revision, told_at = excluded.told_at, \
             verdict = excluded.verdict \
             WHERE j.revision < excluded.revision",
            &[
                &site_no,
                &target.origin,
                &target.memory_id,
                origin,
                &judgment.memory_id,
                &judgment.revision,
                &judgment.told_at,
                &verdict,
            ],
        )?;
    }
    Ok(count)
}

fn put_receipts(tx: &mut Transaction<'_>, site_no: i32, receipts: &[Claim]) -> Result<u64> {
    let mut count = 0;
    for claim in receipts {
        let (Some(of), Some(removed)) = (&claim.target, &claim.removed) else { continue };
        let whole = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        count += tx.execute(
            "INSERT INTO robot_memory.receipt (site_no, revoked_by, revocation_no, origin, told_at, deleted_count, \
             rewritten_count) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING",
            &[
                &site_no,
                &of.origin,
                &of.memory_id,
                &claim.origin,
                &claim.stamp.0,
                &whole(removed.deleted_count),
                &whole(removed.rewritten_count),
            ],
        )?;
    }
    Ok(count)
}

pub(crate) fn is_revocation_known(
    tx: &mut Transaction<'_>,
    site_no: i32,
    claim: &Claim,
) -> Result<bool> {
    let row = tx.query_opt(
        "SELECT 1 FROM robot_memory.revocation WHERE site_no = $1 AND revoked_by = $2 AND revocation_no = $3",
        &[&site_no, &claim.origin, &claim.memory_id],
    )?;
    Ok(row.is_some())
}

pub(crate) fn insert_revocation(
    tx: &mut Transaction<'_>,
    site_no: i32,
    claim: &Claim,
    selector: &Selector,
    now: i64,
    deleted_count: i64,
) -> Result<()> {
    tx.execute(
        "INSERT INTO robot_memory.revocation (site_no, revoked_by, revocation_no, origin, memory_id, session_id, \
         stream, since, until, told_at, reason, taken_at, deleted_count) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
        &[
            &site_no,
            &claim.origin,
            &claim.memory_id,
            &selector.origin,
            &selector.memory_id,
            &selector.session_id,
            &selector.stream,
            &selector.since.map(|it| it.0),
            &selector.until.map(|it| it.0),
            &claim.stamp.0,
            &selector.reason,
            &now,
            &deleted_count,
        ],
    )?;
    Ok(())
}

/// The origins that what rests on the experience of one goes back to.
pub(crate) fn origins_resting_on(
    tx: &mut Transaction<'_>,
    site_no: i32,
    origin: &str,
) -> Result<Vec<String>> {
    let rows = tx.query(
        "SELECT DISTINCT r.to_origin FROM robot_memory.edge e JOIN robot_memory.edge r ON r.site_no = e.site_no \
         AND r.from_origin = e.from_origin AND r.from_memory_id = e.from_memory_id AND r.kind = 'root' \
         WHERE e.site_no = $1 AND e.to_origin = $2 AND e.kind = 'root'",
        &[&site_no, &origin],
    )?;
    Ok(rows.iter().map(|row| row.get(0)).collect())
}

/// Deletes what a revocation means, what its origin made of other memories since, and what others told that goes back to nothing
/// else. Returns how many statements are gone.
pub(crate) fn delete_revoked(
    tx: &mut Transaction<'_>,
    site_no: i32,
    revoked: &Revoked,
    before: &Revocations,
) -> Result<i64> {
    let own_roots = "SELECT 1 FROM robot_memory.edge e WHERE e.site_no = $1 AND e.from_origin = h.origin \
                     AND e.from_memory_id = h.memory_id AND e.kind = 'root' AND e.to_origin = $2";
    // What it made of other memories since may rest on it; it tells again what it makes again.
    let made = tx.query(
        &format!(
            "SELECT origin, memory_id, statement_at, statement_id FROM robot_memory.head h WHERE site_no = $1 \
             AND origin = $2 AND state = 'held' AND ($3::bigint IS NULL OR memory_id <> $3) \
             AND ($4::bigint IS NULL OR told_at >= $4) \
             AND EXISTS ({own_roots} AND ($3::bigint IS NULL OR e.to_memory_id = $3))"
        ),
        &[&site_no, &revoked.origin, &revoked.memory_id, &revoked.since],
    )?;
    let mut released = end_heads(tx, site_no, &made, State::Retracted)?;
    let meant = tx.query(
        &format!(
            "SELECT origin, memory_id, statement_at, statement_id FROM robot_memory.head h WHERE site_no = $1 \
             AND origin = $2 AND state <> 'revoked' AND ($3::bigint IS NULL OR memory_id = $3) \
             AND ($4 = '' OR session_id = $4) AND ($5 = '' OR stream = $5) \
             AND ($6::bigint IS NULL OR made_at >= $6) AND ($7::bigint IS NULL OR made_at < $7) \
             AND ($8::bigint IS NULL OR $7::bigint IS NOT NULL OR LEAST(made_at, taken_at) < $8) \
             AND ($3::bigint IS NOT NULL OR NOT EXISTS ({own_roots}))"
        ),
        &[
            &site_no,
            &revoked.origin,
            &revoked.memory_id,
            &revoked.session_id,
            &revoked.stream,
            &revoked.since,
            &revoked.until,
            &revoked.end(),
        ],
    )?;
    released.extend(end_heads(tx, site_no, &meant, State::Revoked)?);
    // What others tell that goes back to the robot's experience, and maybe to others', with all its roots.
    let rows = tx.query(
        "SELECT r.from_origin, r.from_memory_id, r.to_origin, r.to_memory_id, h.statement_at, h.statement_id, \
         t.state FROM robot_memory.edge r JOIN robot_memory.head h ON h.site_no = $1 AND h.origin = r.from_origin \
         AND h.memory_id = r.from_memory_id LEFT JOIN robot_memory.head t ON t.site_no = $1 \
         AND t.origin = r.to_origin AND t.memory_id = r.to_memory_id \
         WHERE r.site_no = $1 AND r.kind = 'root' AND h.state <> 'revoked' AND h.origin <> $2 AND EXISTS (SELECT 1 \
         FROM robot_memory.edge e WHERE e.site_no = $1 AND e.from_origin = r.from_origin \
         AND e.from_memory_id = r.from_memory_id AND e.kind = 'root' AND e.to_origin = $2)",
        &[&site_no, &revoked.origin],
    )?;
    let mut roots: BTreeMap<HeadKey, (Vec<MemoryRef>, usize)> = BTreeMap::new();
    let mut states: HashMap<MemoryRef, State> = HashMap::new();
    for (at, row) in rows.iter().enumerate() {
        let root = MemoryRef { origin: row.get(2), memory_id: row.get(3) };
        if let Some(state) = row.get::<_, Option<&str>>(6) {
            states.insert(root.clone(), State::parse(state));
        }
        roots.entry((row.get(0), row.get(1))).or_insert_with(|| (Vec::new(), at)).0.push(root);
    }
    let is_revoked =
        |roots: &[MemoryRef]| before.mean_all(roots, |root| states.get(root), Some(revoked));
    let resting: Vec<(HeadKey, Option<StatementKey>)> = roots
        .into_iter()
        .filter(|(_, (roots, _))| is_revoked(roots))
        .filter_map(|(key, (_, at))| {
            let row = rows.get(at)?;
            Some((key, row.get::<_, Option<i64>>(4).zip(row.get::<_, Option<i64>>(5))))
        })
        .collect();
    released.extend(end(tx, site_no, &resting, State::Revoked)?);
    delete_verdicts(tx, site_no, revoked)?;
    statements::delete_untold(tx, site_no, &released)
}

/// Deletes the verdicts of the origin that are meant, and those in memories that were revoked.
fn delete_verdicts(tx: &mut Transaction<'_>, site_no: i32, revoked: &Revoked) -> Result<()> {
    tx.execute(
        "DELETE FROM robot_memory.judgment j WHERE j.site_no = $1 AND j.origin = $2 AND ($4 AND $5 \
         AND ($3::bigint IS NULL OR j.memory_id = $3) AND ($6::bigint IS NULL OR j.told_at >= $6) \
         AND ($7::bigint IS NULL OR j.told_at < $7) OR EXISTS (SELECT 1 FROM robot_memory.head h WHERE h.site_no = $1 \
         AND h.origin = j.origin AND h.memory_id = j.memory_id AND h.state = 'revoked'))",
        &[
            &site_no,
            &revoked.origin,
            &revoked.memory_id,
            &revoked.session_id.is_empty(),
            &revoked.stream.is_empty(),
            &revoked.since,
            &revoked.end(),
        ],
    )?;
    Ok(())
}

fn end_heads(
    tx: &mut Transaction<'_>,
    site_no: i32,
    rows: &[postgres::Row],
    state: State,
) -> Result<Vec<StatementKey>> {
    let heads: Vec<(HeadKey, Option<StatementKey>)> = rows
        .iter()
        .map(|row| {
            let statement = row.get::<_, Option<i64>>(2).zip(row.get::<_, Option<i64>>(3));
            ((row.get(0), row.get(1)), statement)
        })
        .collect();
    end(tx, site_no, &heads, state)
}

/// Returns the statements that they told.
fn end(
    tx: &mut Transaction<'_>,
    site_no: i32,
    heads: &[(HeadKey, Option<StatementKey>)],
    state: State,
) -> Result<Vec<StatementKey>> {
    let origins: Vec<&str> = heads.iter().map(|(key, _)| key.0.as_str()).collect();
    let ids: Vec<i64> = heads.iter().map(|(key, _)| key.1).collect();
    tx.execute(
        "UPDATE robot_memory.head h SET state = $4, statement_at = NULL, statement_id = NULL \
         FROM unnest($2::text[], $3::bigint[]) AS k (origin, memory_id) WHERE h.site_no = $1 \
         AND h.origin = k.origin COLLATE \"C\" AND h.memory_id = k.memory_id",
        &[&site_no, &origins, &ids, &state.as_str()],
    )?;
    let mut lost: BTreeMap<&str, i64> = BTreeMap::new();
    for ((origin, _), _) in heads.iter().filter(|(_, statement)| statement.is_some()) {
        *lost.entry(origin).or_default() += 1;
    }
    tx.execute(
        "UPDATE robot_memory.origin o SET held_count = o.held_count - k.lost \
         FROM unnest($2::text[], $3::bigint[]) AS k (name, lost) \
         WHERE o.site_no = $1 AND o.name = k.name COLLATE \"C\"",
        &[
            &site_no,
            &lost.keys().copied().collect::<Vec<_>>(),
            &lost.values().copied().collect::<Vec<_>>(),
        ],
    )?;
    Ok(heads.iter().filter_map(|(_, statement)| *statement).collect())
}

/// Where the equal statements of other scopes are, by the key of their words.
type Places = HashMap<Uuid, BTreeMap<String, StatementKey>>;
