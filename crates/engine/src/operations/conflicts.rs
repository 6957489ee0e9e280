//! Which rows a new statement stands for, because they say something else of the same subject.

use super::lexical_candidates::insert_with_token;
use super::peers::facts_of;
use super::supersede::supersede;
use crate::db::WriteTx;
use crate::{Operations, Result};
use robot_memory_core::model::{
    Category, JudgedBy, Kind, Level, MemType, Memory, PairVerdict, Scope, Stamp, Status,
    SupersededRule, Trust, Turn,
};
use robot_memory_db::{JudgedPair, ReadTx};
use robot_memory_index::{Bitset, Change, Derived, RowSelection, Slot, is_real, parse_context};
use robot_memory_text::inference::{Proposition, Setting, is_conflict};
use std::collections::BTreeSet;

/// Rows on the same subject that are read, the newest first. There are mostly none or one, since the
/// others are superseded; more of them are rows whose words are not understood.
const CANDIDATES_MAX: usize = 256;
/// Sets of tokens by which rows are looked for: what has the rarest of them is little.
const TOKEN_SETS_MAX: usize = 8;
/// Rows with a token that are counted where the words are read from the store.
const COUNT_MAX: u32 = 4096;

/// A statement that was just stored, what an Update made of it, or one that was promoted.
#[derive(Debug, Clone, Copy)]
pub(super) struct NewStatement<'a> {
    pub id: i64,
    pub agent: &'a str,
    pub collection: &'a str,
    pub scope: &'a Scope,
    pub session_id: &'a str,
    pub level: Level,
    pub mem_type: MemType,
    pub trust: Trust,
    pub is_real: bool,
    pub proposition: &'a Proposition,
    pub context: &'a str,
    pub said: SaidAt<'a>,
}

/// When a statement was said.
#[derive(Debug, Clone, Copy)]
pub(super) enum SaidAt<'a> {
    /// Just now, after all others.
    Now,
    /// Then.
    At(Stamp),
    /// Then, though it is only stored now: what was said later stands for it.
    Before(Stamp),
    /// Then, in another scope, out of which it comes.
    Elsewhere(Stamp),
    /// In this step. The steps of a branch follow each other by their numbers, whenever they were handed
    /// over and taken in; other rows, by the time at which the step was handed over.
    In(&'a Turn),
}

impl Operations {
    /// Lets a statement stand for the rows that it is in conflict with: active facts of its collection and
    /// scope that the caller may see and write. Those of its class by the rule of that class, those of
    /// others when it says that it holds from now on. Answers their ids in order.
    pub(super) fn resolve_conflicts(
        &self,
        tx: &WriteTx<'_>,
        newer: &NewStatement<'_>,
        now: Stamp,
    ) -> Result<Vec<i64>> {
        if newer.mem_type == MemType::TaskLog {
            return Ok(Vec::new());
        }
        // What it may not see is not there for it.
        let visibility = self.full_visibility(newer.agent);
        let may_settle = |mem_type: MemType| {
            visibility.sees(newer.scope, mem_type)
                && self.check_write(newer.agent, newer.scope, mem_type).is_ok()
        };
        if !may_settle(newer.mem_type) {
            return Ok(Vec::new());
        }
        let ids = self.on_the_same_subject(tx, newer)?;
        let setting = Setting::parse(newer.context);
        let mut superseded = Vec::new();
        let mut later = Vec::new();
        for id in ids {
            let Some(older) = tx.memory(id, false)? else { continue };
            // The indexes do not know yet what became of it in this transaction.
            if older.status != Status::Active || !may_settle(older.mem_type) {
                continue;
            }
            if !newer.is_said_after(tx, &older)? {
                later.push(older);
            } else if is_contradicted(newer, &setting, &older) {
                if let Some(rule) = replacing_rule(newer, &older) {
                    supersede(tx, id, newer.id, rule, now)?;
                    superseded.push(id);
                } else if rule_of(newer.mem_type).is_some() || newer.mem_type != older.mem_type {
                    // Whoever recalls one of them is told of the other.
                    tx.put_pair(&JudgedPair {
                        ids: (newer.id, id),
                        verdict: PairVerdict::Conflict,
                        reason: why_both_stay(newer, &older),
                        judged_by: JudgedBy::Rules,
                        judged_at: now,
                    })?;
                }
            }
        }
        superseded.sort_unstable();
        if matches!(newer.said, SaidAt::In(_) | SaidAt::Before(_)) {
            give_way(tx, newer.id, &later, now)?;
        }
        Ok(superseded)
    }

    /// Lets a statement stand for one that says the same and is believed less, unless its class or
    /// category keeps it or the caller may not write it. Answers whether it does.
    pub(super) fn replace_weaker(
        &self,
        tx: &WriteTx<'_>,
        newer: &NewStatement<'_>,
        weaker: &Memory,
        now: Stamp,
    ) -> Result<bool> {
        let rule = SupersededRule::BetterSource;
        let may_write = self.check_write(newer.agent, &weaker.scope, weaker.mem_type).is_ok();
        let is_of_its_class =
            weaker.mem_type == newer.mem_type && rule_of(newer.mem_type).is_some();
        if !may_write || !is_of_its_class || !is_replaced(rule, newer, weaker) {
            return Ok(false);
        }
        supersede(tx, weaker.id, newer.id, rule, now)?;
        Ok(true)
    }

    /// The same for working memories that have become knowledge: now they last as long as the older rows
    /// that they contradict, and stand for them as their writers could have said.
    pub(super) fn settle_promoted(&self, tx: &WriteTx<'_>, ids: &[i64], now: Stamp) -> Result<()> {
        for id in ids {
            let Some(memory) = tx.memory(*id, false)?.filter(|it| it.kind == Kind::Fact) else {
                continue;
            };
            if memory.status != Status::Active {
                continue;
            }
            let proposition = Proposition::parse(&memory.content);
            self.resolve_conflicts(tx, &NewStatement::stored(&memory, &proposition), now)?;
        }
        Ok(())
    }

    /// The newest rows of its collection and scope, of any class that lasts, that have the words which a row
    /// in conflict has.
    pub(super) fn on_the_same_subject(
        &self,
        tx: &WriteTx<'_>,
        newer: &NewStatement<'_>,
    ) -> Result<Vec<i64>> {
        let mut found = newer.of_the_same_step(&tx.changes());
        let mut searches = vec![newer.proposition.disagreeing_tokens()];
        if newer.mem_type == MemType::Procedure {
            searches.push(newer.proposition.version_tokens());
        }
        let derived = self.derived();
        searches.retain(|sets| !sets.is_empty());
        if searches.is_empty() {
            return Ok(found.into_iter().collect());
        }
        let lasting = MemType::ALL.iter().copied().filter(|it| *it != MemType::TaskLog);
        let rows = RowSelection { mem_types: lasting.collect(), ..RowSelection::default() };
        let peers = facts_of(&derived, &newer.scope.to_string(), newer.collection, rows);
        for sets in searches {
            let slots: Vec<Slot> = with_tokens(tx, &derived, sets, &peers)?.iter().collect();
            let ids = slots.into_iter().rev().filter_map(|slot| derived.rows.id(slot));
            found.extend(ids.filter(|id| *id != newer.id).take(CANDIDATES_MAX));
        }
        Ok(found.into_iter().collect())
    }
}

impl<'a> NewStatement<'a> {
    /// A row that was there before.
    pub(super) fn stored(memory: &'a Memory, proposition: &'a Proposition) -> Self {
        Self {
            id: memory.id,
            agent: &memory.agent,
            collection: &memory.collection,
            scope: &memory.scope,
            session_id: &memory.session_id,
            level: memory.level,
            mem_type: memory.mem_type,
            trust: memory.trust,
            is_real: is_real(&parse_context(&memory.context)),
            proposition,
            context: &memory.context,
            said: SaidAt::At(memory.updated_at),
        }
    }

    /// Whether another row was said before it.
    pub(super) fn is_said_after(&self, tx: &ReadTx<'_>, other: &Memory) -> Result<bool> {
        Ok(match self.said {
            SaidAt::Now => true,
            SaidAt::At(at) | SaidAt::Before(at) | SaidAt::Elsewhere(at) => {
                (other.updated_at, other.id) < (at, self.id)
            }
            SaidAt::In(turn) => {
                let is_changed_later = other.updated_at > turn.committed_at;
                match tx.last_said(other.id, &turn.session_id, &turn.branch_id)? {
                    Some(turn_no) => {
                        let was_changed = other.updated_at > other.created_at;
                        turn_no <= turn.turn_no && !(was_changed && is_changed_later)
                    }
                    None => !is_changed_later,
                }
            }
        })
    }

    /// The lasting facts of its collection and scope that were stored before it in the same transaction,
    /// when it was said in a step; they are few.
    fn of_the_same_step(&self, changes: &[Change]) -> BTreeSet<i64> {
        if !matches!(self.said, SaidAt::In(_)) {
            return BTreeSet::new();
        }
        let scope = self.scope.to_string();
        let puts = changes.iter().filter_map(|change| match change {
            Change::Put(put) => Some(put),
            _ => None,
        });
        puts.filter(|put| {
            put.kind == Kind::Fact
                && put.mem_type != MemType::TaskLog
                && put.collection == self.collection
                && put.scope == scope
                && put.id != self.id
        })
        .map(|put| put.id)
        .collect()
    }
}

/// What becomes of two rows of one scope and collection that contradict each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Settled {
    /// The first stands for the second, by this rule.
    First(SupersededRule),
    /// The second stands for the first.
    Second(SupersededRule),
    /// Both stay: why no rule settles it.
    Neither(&'static str),
}

/// Which of two active facts that contradict each other holds, by the rule of their class: of facts the
/// better source, whichever was said first; else what was said last. What is trusted less never stands
/// for what is trusted more.
pub(crate) fn settle(a: &Memory, b: &Memory) -> Settled {
    let (one, other) = (Proposition::parse(&a.content), Proposition::parse(&b.content));
    let (one, other) = (NewStatement::stored(a, &one), NewStatement::stored(b, &other));
    let is_last = (a.updated_at, a.id) > (b.updated_at, b.id);
    let said_last = if is_last { replacing_rule(&one, b) } else { replacing_rule(&other, a) };
    match said_last {
        Some(rule) if is_last => return Settled::First(rule),
        Some(rule) => return Settled::Second(rule),
        None => {}
    }
    if a.mem_type != b.mem_type {
        return Settled::Neither(OF_OTHER_CLASSES);
    }
    let Some(rule) = rule_of(a.mem_type) else {
        return Settled::Neither("their class is never replaced");
    };
    let is_by_source = rule == SupersededRule::BetterSource;
    if (is_last || is_by_source) && is_replaced(rule, &one, b) {
        Settled::First(rule)
    } else if (!is_last || is_by_source) && is_replaced(rule, &other, a) {
        Settled::Second(rule)
    } else if is_last {
        Settled::Neither(why_both_stay(&one, b))
    } else {
        Settled::Neither(why_both_stay(&other, a))
    }
}

/// Why a row does not stand for one that it contradicts.
fn why_both_stay(newer: &NewStatement<'_>, older: &Memory) -> &'static str {
    if older.category.is_some_and(Category::is_protected) {
        "one of them is protected"
    } else if older.mem_type != newer.mem_type && !newer.proposition.is_replacing() {
        OF_OTHER_CLASSES
    } else if older.trust > newer.trust {
        "what was said last is trusted less"
    } else if !lasts_as_long(newer, older) {
        "what was said last does not last as long"
    } else {
        "neither has the better source"
    }
}

/// Lets the first of these rows, all said after a row that was just stored, stand for that one when it
/// contradicts it, as it would when both had been stored in the order in which they were said.
fn give_way(tx: &WriteTx<'_>, id: i64, later: &[Memory], now: Stamp) -> Result<()> {
    let Some(earlier) = tx.memory(id, false)? else { return Ok(()) };
    for memory in later {
        let proposition = Proposition::parse(&memory.content);
        let newer = NewStatement::stored(memory, &proposition);
        let setting = Setting::parse(newer.context);
        if let Some(rule) = replacing_rule(&newer, &earlier)
            && is_contradicted(&newer, &setting, &earlier)
        {
            return supersede(tx, id, memory.id, rule, now);
        }
    }
    Ok(())
}

/// The rows of `among` that have a token of each set.
fn with_tokens(
    tx: &ReadTx<'_>,
    derived: &Derived,
    sets: Vec<BTreeSet<String>>,
    among: &Bitset,
) -> Result<Bitset> {
    let mut by_count = Vec::with_capacity(sets.len());
    for set in sets {
        let mut count = 0;
        for token in &set {
            count += match &derived.words {
                Some(words) => words.df(token),
                None => tx.token_count(token, COUNT_MAX)?.into(),
            };
        }
        by_count.push((count, set));
    }
    by_count.sort();
    let mut found: Option<Bitset> = None;
    for (_, set) in by_count.into_iter().take(TOKEN_SETS_MAX) {
        if found.as_ref().is_some_and(|found| found.iter().nth(CANDIDATES_MAX).is_none()) {
            break;
        }
        let among = found.as_ref().unwrap_or(among);
        let mut slots = Bitset::default();
        for token in &set {
            insert_with_token(tx, derived, token, among, &mut slots)?;
        }
        found = Some(slots);
    }
    Ok(found.unwrap_or_default())
}

/// The rule by which rows of a class replace each other; `None` for what is never replaced.
pub(super) fn rule_of(mem_type: MemType) -> Option<SupersededRule> {
    match mem_type {
        MemType::Preference => Some(SupersededRule::NewestPreference),
        MemType::Procedure => Some(SupersededRule::NewestProcedure),
        MemType::Knowledge => Some(SupersededRule::NewestKnowledge),
        MemType::Fact => Some(SupersededRule::BetterSource),
        MemType::Lesson | MemType::Decision | MemType::TaskLog => None,
    }
}

/// Why rows of two classes both stay.
const OF_OTHER_CLASSES: &str = "they are of different classes";

/// The rule by which the newer row stands for the older one, if they are in conflict: that of their class, or
/// that it says so itself. Lessons and decisions are never replaced.
pub(super) fn replacing_rule(newer: &NewStatement<'_>, older: &Memory) -> Option<SupersededRule> {
    let of_class = rule_of(newer.mem_type).filter(|_| newer.mem_type == older.mem_type);
    let of_instruction = rule_of(older.mem_type)
        .filter(|_| newer.proposition.is_replacing())
        .map(|_| SupersededRule::NewestInstruction);
    let rules = of_class.into_iter().chain(of_instruction);
    rules.into_iter().find(|rule| is_replaced(*rule, newer, older))
}

/// Whether the rule lets the newer row stand for the older one, if they are in conflict.
pub(super) fn is_replaced(rule: SupersededRule, newer: &NewStatement<'_>, older: &Memory) -> bool {
    let older_is_real = || is_real(&parse_context(&older.context));
    let is_better = || {
        newer.trust > older.trust || newer.trust == older.trust && newer.is_real && !older_is_real()
    };
    !older.category.is_some_and(Category::is_protected)
        && older.trust <= newer.trust
        && lasts_as_long(newer, older)
        && (rule != SupersededRule::BetterSource || is_better())
}

/// Whether a row is at least as lasting as another one: what ends with a task or an episode does not
/// stand for what outlasts it.
pub(super) fn lasts_as_long(newer: &NewStatement<'_>, older: &Memory) -> bool {
    match newer.level {
        Level::Core => true,
        Level::Knowledge => older.level != Level::Core,
        Level::Working => older.level == Level::Working && older.session_id == newer.session_id,
    }
}

pub(super) fn is_contradicted(newer: &NewStatement<'_>, setting: &Setting, older: &Memory) -> bool {
    let (proposition, older_setting) =
        (Proposition::parse(&older.content), Setting::parse(&older.context));
    is_conflict((&proposition, &older_setting), (newer.proposition, setting))
        || newer.mem_type == MemType::Procedure
            && older.mem_type == MemType::Procedure
            && newer.proposition.is_version_of(&proposition)
            && setting.agrees_with(&older_setting)
}
