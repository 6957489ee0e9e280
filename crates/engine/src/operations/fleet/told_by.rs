//! What each robot told, for who asks all the time.

use robot_memory_db::{HearsayTotal, Locked, ReadTx, Result};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// All that was told is counted for them. It is not counted again for so many times as long as that takes.
const REST: u32 = 20;

/// What each robot told, as it was counted last.
#[derive(Default)]
pub(crate) struct ToldBy(Mutex<Option<Counted>>);

struct Counted {
    totals: Vec<HearsayTotal>,
    took: Duration,
    at: Instant,
}

impl ToldBy {
    /// In order of name. What was told in the last moments may be missing: a second where there are some hundred thousands.
    pub fn totals(&self, tx: &ReadTx<'_>) -> Result<Vec<HearsayTotal>> {
        let mut counted = self.0.locked();
        if let Some(counted) = &*counted
            && counted.at.elapsed() < REST * counted.took
        {
            return Ok(counted.totals.clone());
        }
        let begun = Instant::now();
        let totals = tx.hearsay_totals()?;
        let at = Instant::now();
        *counted = Some(Counted { totals: totals.clone(), took: at - begun, at });
        Ok(totals)
    }
}
