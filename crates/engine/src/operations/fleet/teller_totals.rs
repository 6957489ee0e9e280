//! What each robot told, for who asks all the time.

use robot_memory_db::{HearsayTotal, Locked, ReadTx, Result};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// All that was told is counted for them. It is not counted again for so many times as long as that takes.
const REST: u32 = 20;
const REST_MAX: Duration = Duration::from_secs(2);

/// What each robot told, as it was counted last.
#[derive(Default)]
pub(crate) struct TellerTotals(Mutex<Option<Counted>>);

struct Counted {
    totals: Vec<HearsayTotal>,
    /// Until then it is not counted again.
    rests_until: Instant,
}

impl TellerTotals {
    /// In order of name. What was told in the last two seconds may be missing.
    pub fn totals(&self, tx: &ReadTx<'_>) -> Result<Vec<HearsayTotal>> {
        if let Some(counted) = &*self.0.locked()
            && Instant::now() < counted.rests_until
        {
            return Ok(counted.totals.clone());
        }
        let begun = Instant::now();
        let totals = tx.hearsay_totals()?;
        let rests_until = Instant::now() + (REST * begun.elapsed()).min(REST_MAX);
        *self.0.locked() = Some(Counted { totals: totals.clone(), rests_until });
        Ok(totals)
    }
}
