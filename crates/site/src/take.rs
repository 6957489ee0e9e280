//! Takes what robots tell, in one transaction for each batch.

use crate::SiteStore;
use crate::error::{Error, Result};
use crate::intake::Intake;
use crate::schema;
use postgres::{Client, Transaction};
use robot_memory_core::claim::{Claim, ClaimOp};
use robot_memory_core::limits::{SITE_BATCH_MAX, SITE_MONTHS_MAX, SITE_TAKE_SECS};
use robot_memory_core::model::Stamp;
use std::collections::BTreeMap;

/// Up to where the stream of the fleet was taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SitePosition {
    /// Which stream: another one begins again.
    pub stream_id: String,
    /// The last message that was taken.
    pub sequence: u64,
}

/// What became of claims that were taken.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Taken {
    /// Memories of robots that were not known.
    pub asserted_count: u64,
    /// Memories that were known in other words.
    pub revised_count: u64,
    /// Memories that were taken back.
    pub retracted_count: u64,
    /// Claims that were known, or older than what is.
    pub known_count: u64,
    /// Claims of what was revoked.
    pub revoked_count: u64,
    /// Verdicts of robots about memories of others.
    pub judged_count: u64,
    /// Receipts that were not known.
    pub receipt_count: u64,
    /// What was done for each revocation that was not known, in order.
    pub removed: Vec<RemovedByRevocation>,
    /// Claims that may not be stored: whose, and why.
    pub refused: Vec<(String, String)>,
}

/// What was done for one revocation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemovedByRevocation {
    /// Who revoked.
    pub revoked_by: String,
    /// The number of the revocation there.
    pub revocation_no: i64,
    /// Whose experience.
    pub origin: String,
    /// Statements that nobody tells any more, which were deleted.
    pub deleted_count: u64,
}

impl SiteStore {
    /// Takes claims whose signatures were verified, in the order of the fleet's stream, and the position after them: in one
    /// transaction. Claims that come again, late or in another order change nothing: only the newest revision of a memory
    /// of a robot holds.
    ///
    /// # Errors
    /// When there are more than [`SITE_BATCH_MAX`], or the database cannot be written; then none was taken. A claim that
    /// may not be stored is no error.
    pub fn take(&self, claims: &[Claim], position: &SitePosition) -> Result<Taken> {
        if claims.len() > SITE_BATCH_MAX {
            return Err(Error::invalid(format!(
                "claims: at most {SITE_BATCH_MAX} at a time, got {}",
                claims.len()
            )));
        }
        let sequence = i64::try_from(position.sequence).map_err(|_| {
            Error::invalid(format!(
                "sequence: must be at most {}, got {}",
                i64::MAX,
                position.sequence
            ))
        })?;
        if position.stream_id.contains('\0') {
            return Err(Error::invalid("stream_id: must not contain the character NUL"));
        }
        self.pool().write(|client| {
            let now = now(client)?;
            self.make_months(client, claims, now)?;
            let mut tx = client.transaction()?;
            begin(&mut tx)?;
            // One batch at a time of a site, also of two programs; and its position, which the lock makes this one's.
            let row = tx.query_one(
                "SELECT stream_id, sequence FROM robot_memory.site WHERE no = $1 FOR UPDATE",
                &[&self.site_no()],
            )?;
            let before: (Option<String>, Option<i64>) = (row.get(0), row.get(1));
            let taken = Intake::new(self.site_no(), now).take(&mut tx, claims)?;
            // Behind / stands what changes with each message.
            let stream = |id: &str| id.split('/').next().map(str::to_owned);
            let is_other = before.0.as_deref().and_then(stream) != stream(&position.stream_id);
            let is_later = is_other || before.1.is_none_or(|before| before < sequence);
            if is_later {
                tx.execute(
                    "UPDATE robot_memory.site SET stream_id = $2, sequence = $3 WHERE no = $1",
                    &[&self.site_no(), &position.stream_id, &sequence],
                )?;
            }
            tx.commit()?;
            Ok(taken)
        })
    }

    /// Up to where the stream was taken; `None`: nothing was.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn position(&self) -> Result<Option<SitePosition>> {
        self.pool().read(|client| {
            let row = client.query_one(
                "SELECT stream_id, sequence FROM robot_memory.site WHERE no = $1",
                &[&self.site_no()],
            )?;
            let (stream_id, sequence): (Option<String>, Option<i64>) = (row.get(0), row.get(1));
            Ok(stream_id.zip(sequence).map(|(stream_id, sequence)| SitePosition {
                stream_id,
                sequence: sequence.unsigned_abs(),
            }))
        })
    }

    /// Makes the partitions of the months that the claims are of, in transactions of their own: whoever reads waits for
    /// those, and not for all that is taken.
    fn make_months(&self, client: &mut Client, claims: &[Claim], now: i64) -> Result<()> {
        let mut wanted: BTreeMap<String, (i64, i64)> = BTreeMap::new();
        for claim in claims {
            if let (ClaimOp::Assert | ClaimOp::Revise, Some(said)) = (claim.op, &claim.statement)
                && let Some((name, begin, end)) = month(said.created_at.0.clamp(0, now))
            {
                wanted.insert(name, (begin, end));
            }
        }
        let known = self.months();
        if wanted.keys().all(|name| known.contains(name)) {
            return Ok(());
        }
        let mut found = schema::months(client, self.site_no())?;
        for (name, (begin, end)) in wanted {
            if found.len() < SITE_MONTHS_MAX && !found.contains(&name) {
                schema::make_month(client, self.site_no(), &name, begin, end)?;
                found.push(name);
            }
        }
        self.set_months(found);
        Ok(())
    }
}

/// The time by the clock of the database, which all programs of a site share.
fn now(client: &mut Client) -> Result<i64> {
    let row = client.query_one(
        "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint * 1000",
        &[],
    )?;
    Ok(row.get(0))
}

/// A commit that is acknowledged is on the disk, whatever the server's default is.
fn begin(tx: &mut Transaction<'_>) -> Result<()> {
    tx.batch_execute(&format!(
        "SET LOCAL synchronous_commit = on; SET LOCAL statement_timeout = '{SITE_TAKE_SECS}s'; \
         SET LOCAL idle_in_transaction_session_timeout = '{SITE_TAKE_SECS}s'"
    ))?;
    Ok(())
}

/// The month that a time is in, with its bounds; `None`: before 2020, where no robot of a fleet was, but clocks that were
/// never set are.
pub(crate) fn month(nanos: i64) -> Option<(String, i64, i64)> {
    let date = Stamp(nanos).date();
    let (year, month) = (date.get(..4)?.parse::<i64>().ok()?, date.get(5..7)?.parse::<i64>().ok()?);
    if year < 2020 {
        return None;
    }
    let first_day = |year: i64, month: i64| {
        // Days from civil, by years that begin in March.
        let year = year - i64::from(month <= 2);
        let era_year = year.rem_euclid(400);
        let day = (153 * ((month + 9) % 12) + 2) / 5;
        let days = era_year * 365 + era_year / 4 - era_year / 100 + day;
        (year.div_euclid(400) * 146_097 + days - 719_468) * 86_400_000_000_000
    };
    let next = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
    Some((format!("{year:04}{month:02}"), first_day(year, month), first_day(next.0, next.1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_in_its_month() {
        let mut begin = month(1_577_836_800_000_000_000).expect("2020").1;
        assert_eq!(month(begin - 1), None);
        for number in 0..600 {
            let (name, from, to) = month(begin).expect("a month");
            assert_eq!(from, begin);
            assert_eq!(name, format!("{:04}{:02}", 2020 + number / 12, number % 12 + 1));
            assert_eq!(month(to - 1).map(|it| it.0), Some(name));
            assert!(to - from >= 28 * 86_400_000_000_000);
            begin = to;
        }
    }
}
