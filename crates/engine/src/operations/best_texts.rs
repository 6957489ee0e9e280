//! What the texts of the best rows say against them: that they tell of other things than the one that was asked about, or only ask
//! themselves.

use super::echoes::LOOKED_BELOW;
use super::lists::Query;
use crate::Result;
use robot_memory_db::ReadTx;
use robot_memory_index::ranking::{Contender, rank};
use robot_memory_index::{Derived, Slot};
use robot_memory_text::inference::{Objects, share_asked};
use std::collections::HashSet;

/// What a summary that counts has for odds beside a row that tells of one time, when the query asks how
/// often something was.
pub(super) const COUNT_WEIGHT: f64 = 2000.0;
/// What a row has for odds that says of another object what is asked of one: T ln 0.008, as if it were 0.48 less
/// similar.
const OTHER_WEIGHT: f64 = 0.008;
/// What a row has for odds that does nothing but ask: T ln 0.135, as if it were 0.2 less similar. What stands beside it may be the answer,
/// and has as much of its odds as if it told.
const QUESTION_WEIGHT: f64 = 0.135;
/// What follows a row of which so much asks, or more, within this time replies to it.
const REPLY_SHARE_MIN: f64 = 0.5;
const REPLY_DAYS_MAX: f64 = 600.0 / 86_400.0;
/// From this coverage on it says so in the words of the question. What has none of them is found by its meaning, and
/// may call the object otherwise.
const OTHER_COVERAGE_MIN: f64 = 0.25;
/// Of so many of the best, or of all that are shown, at least one must name the object: else they may all call it
/// otherwise.
const NAMED_AMONG: usize = 10;
/// Bytes of a text that is read for what it names; a longer one is about many things.
const READ_BYTES_MAX: usize = 4_096;
/// How often the best are looked at, as rows about other things, and questions, make place for others.
const LOOKED_AT_TIMES: usize = 16;

/// The texts of rows, and what they name.
struct Texts<'a> {
    tx: &'a ReadTx<'a>,
    derived: &'a Derived,
    query: &'a Query,
}

/// Finds out which of the best are about other things than those that were asked about, or ask themselves, until all are known
/// that are shown or come into the place of echoes: what is said of where another one is, how much it takes, or how often it went well, is no answer, nor is a question.
pub(super) fn look(
    tx: &ReadTx<'_>,
    derived: &Derived,
    query: &Query,
    (contenders, codes): (&mut [Contender], u64),
    n: usize,
    is_count: impl Fn(&Contender) -> bool,
) -> Result<()> {
    let texts = Texts { tx, derived, query };
    let asks_amount = query.asks_how_much || query.asks_how_often;
    let objects = if asks_amount { &query.objects } else { &query.sure_object };
    let is_of_object =
        !objects.is_empty() && (asks_amount || texts.name_one(contenders, codes, n)?);
    if !is_of_object && query.asks_what_was_asked {
        return Ok(());
    }
    let mut known: HashSet<usize> = HashSet::new();
    for _ in 0..LOOKED_AT_TIMES {
        let order = rank(contenders, codes);
        let best = order.iter().take(n + LOOKED_BELOW).map(|row| row.contender);
        let unknown: Vec<usize> = best.filter(|row| known.insert(*row)).collect();
        if unknown.is_empty() {
            break;
        }
        for place in unknown {
            let Some(row) = contenders.get_mut(place) else { continue };
            let Some((id, content)) = texts.of(row.slot)? else { continue };
            if is_of_object && !asks_amount {
                if texts.tells_of_another(row, id, &content)? {
                    row.weight *= OTHER_WEIGHT;
                }
            } else if is_of_object {
                let is_count = is_count(row);
                let tells_amount = query.asks_how_much && content.contains(char::is_numeric);
                if is_count || tells_amount {
                    let passed_over = objects.share_passed_over(&query.named.of(id, &content));
                    if passed_over > 0.0 && is_count {
                        row.weight /= COUNT_WEIGHT;
                    }
                    row.is_of_other = tells_amount && passed_over >= 1.0;
                }
            }
            if !query.asks_what_was_asked {
                lower_question(contenders, place, share_asked(&content));
            }
        }
    }
    Ok(())
}

/// Takes from a row what it has for odds as far as it asks, and notes what replies to it.
fn lower_question(contenders: &mut [Contender], place: usize, share_asked: f64) {
    let question = &mut contenders[place];
    question.weight *= QUESTION_WEIGHT.powf(share_asked * share_asked);
    if share_asked < REPLY_SHARE_MIN {
        return;
    }
    let (slot, asked_at) = (question.slot, question.created_at);
    for row in contenders.iter_mut().filter(|row| row.neighbors[0] == Some(slot)) {
        row.is_reply |= row.created_at.days_since(asked_at) <= REPLY_DAYS_MAX;
    }
}

impl Texts<'_> {
    /// The id and the text of a row; `None` when there is none, or it is long: to read what a text names takes longer
    /// than all else.
    fn of(&self, slot: Slot) -> Result<Option<(i64, String)>> {
        let Some(id) = self.derived.rows.id(slot) else { return Ok(None) };
        let content = self.tx.content(id)?.unwrap_or_default();
        Ok((content.len() <= READ_BYTES_MAX).then_some((id, content)))
    }

    /// Whether a row names the object that is surely asked about.
    fn names(&self, slot: Slot) -> Result<bool> {
        let text = self.of(slot)?;
        let sure: &Objects = &self.query.sure_object;
        Ok(text.is_some_and(|(id, content)| sure.is_any_in(&self.query.named.of(id, &content))))
    }

    /// Whether one of the best does.
    fn name_one(&self, contenders: &[Contender], codes: u64, n: usize) -> Result<bool> {
        for row in rank(contenders, codes).iter().take(n.max(NAMED_AMONG)) {
            if let Some(row) = contenders.get(row.contender)
                && self.names(row.slot)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a row says in the words of the question something of other objects only, and not of what was just spoken of.
    fn tells_of_another(&self, row: &Contender, id: i64, content: &str) -> Result<bool> {
        let coverage = row.evidence.words.map_or(0.0, |words| words.coverage);
        if coverage < OTHER_COVERAGE_MIN {
            return Ok(false);
        }
        let named = &self.query.named;
        if !named.of(id, content).are_others_than(&self.query.sure_object)
            || named.told_of(id, content).is_empty()
        {
            return Ok(false);
        }
        // Behind what names it, it is meant without its name.
        Ok(match row.neighbors[0] {
            Some(before) => !self.names(before)?,
            None => true,
        })
    }
}
