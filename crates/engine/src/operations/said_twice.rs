//! A short summary that says no more than the facts beside it is left out of an answer.

use super::lists::Listed;
use crate::Result;
use robot_memory_core::model::Kind;
use robot_memory_db::ReadTx;
use robot_memory_index::Derived;
use robot_memory_text::inference;
use std::collections::BTreeSet;

/// Facts so far below what is shown still say what a summary above them says.
const LOOKED_BELOW: usize = 10;

/// Takes out of a list, of which the first `n` are shown, the summaries of steps all of whose words are in
/// facts of the same step that stand in the list, too.
pub(super) fn leave_out(
    tx: &ReadTx<'_>,
    derived: &Derived,
    listed: &mut Vec<Listed>,
    n: usize,
) -> Result<()> {
    let kind = |row: &Listed| derived.rows.facts(row.slot).map(|facts| (facts.id, facts.kind));
    let mut place = 0;
    while place < listed.len().min(n) {
        let Some((id, Kind::Summary)) = kind(&listed[place]) else {
            place += 1;
            continue;
        };
        let looked_at = &listed[..listed.len().min(n.saturating_add(LOOKED_BELOW))];
        let facts = looked_at.iter().filter_map(kind).filter(|(_, kind)| *kind == Kind::Fact);
        if says_no_more(tx, id, facts.map(|(id, _)| id))? {
            listed.remove(place);
        } else {
            place += 1;
        }
    }
    Ok(())
}

fn says_no_more(
    tx: &ReadTx<'_>,
    summary_id: i64,
    facts: impl Iterator<Item = i64>,
) -> Result<bool> {
    let Some(summary) = tx.memory(summary_id, false)? else { return Ok(false) };
    if summary.turn_id.is_empty() {
        return Ok(false);
    }
    let mut words: BTreeSet<String> = inference::tokens(&summary.content).into_iter().collect();
    for fact in facts {
        if !tx.turns_of_memory(fact)?.contains(&summary.turn_id) {
            continue;
        }
        for token in inference::tokens(&tx.content(fact)?.unwrap_or_default()) {
            words.remove(&token);
        }
        if words.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}
