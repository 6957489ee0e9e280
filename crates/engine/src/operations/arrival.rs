//! How a statement that comes out of another scope fares against what is said where it comes to.

use super::conflicts::{NewStatement, is_contradicted, is_replaced, lasts_as_long, rule_of};
use super::supersede::supersede;
use crate::db::WriteTx;
use crate::{Operations, Result};
use robot_memory_core::model::{Category, Memory, Stamp, Status, SupersededRule};
use robot_memory_db::ReadTx;
use robot_memory_index::{is_real, parse_context};
use robot_memory_text::inference::Setting;

/// How a statement fares against a row, if they are in conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bout {
    /// It stands for the row.
    Won,
    /// The row does not give way.
    Lost,
    /// Nothing tells which one holds: both do, as when it had been learned there.
    Even,
}

impl Operations {
    /// Lets a statement that comes out of another scope stand for the rows that it is in conflict with,
    /// as the rule of its life cycle class says: active facts of its class, collection and scope that
    /// the caller may see. Answers their ids in order; `None` when one of them does not give way: then
    /// nothing was changed.
    pub(super) fn settle_arrival(
        &self,
        tx: &WriteTx<'_>,
        arriving: &NewStatement<'_>,
        now: Stamp,
    ) -> Result<Option<Vec<i64>>> {
        let Some(rule) = rule_of(arriving.mem_type) else { return Ok(Some(Vec::new())) };
        // What the caller may not see is not there for it.
        if !self.full_visibility(arriving.agent).sees(arriving.scope, arriving.mem_type) {
            return Ok(Some(Vec::new()));
        }
        let setting = Setting::parse(arriving.context);
        let mut beaten = Vec::new();
        for id in self.on_the_same_subject(tx, arriving)? {
            let found = tx.memory(id, false)?;
            // The indexes do not know yet what became of it in this transaction.
            let is_peer =
                |it: &Memory| it.status == Status::Active && it.mem_type == arriving.mem_type;
            let Some(other) = found.filter(is_peer) else { continue };
            let bout = bout(tx, rule, arriving, &other)?;
            if bout == Bout::Even || !is_contradicted(arriving, &setting, &other) {
                continue;
            }
            if bout == Bout::Lost {
                return Ok(None);
            }
            beaten.push(id);
        }
        for id in &beaten {
            supersede(tx, *id, arriving.id, rule, now)?;
        }
        Ok(Some(beaten))
    }
}

fn bout(
    tx: &ReadTx<'_>,
    rule: SupersededRule,
    arriving: &NewStatement<'_>,
    other: &Memory,
) -> Result<Bout> {
    // The better source holds, whoever spoke last.
    let is_by_source = rule == SupersededRule::BetterSource;
    if (is_by_source || arriving.is_said_after(tx, other)?) && is_replaced(rule, arriving, other) {
        return Ok(Bout::Won);
    }
    let is_even = is_by_source
        && !other.category.is_some_and(Category::is_protected)
        && lasts_as_long(arriving, other)
        && other.trust == arriving.trust
        && is_real(&parse_context(&other.context)) == arriving.is_real;
    Ok(if is_even { Bout::Even } else { Bout::Lost })
}
