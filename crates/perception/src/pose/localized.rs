use super::PoseMissing;
use robot_memory_core::model::Stamp;

/// Whether the robot knows where it is in its map: its pose there has been certain for some seconds.
///
/// After a start a localization publishes poses before it has found the robot, with a covariance that says so.
/// A robot of which no covariance is ever told is taken at its word.
#[derive(Debug, Clone)]
pub(super) struct Localized {
    settle_secs: f64,
    std_dev_m_max: f64,
    /// Since when each pose was certain; `None`: the last one was not, or the map has changed since.
    certain_since: Option<Stamp>,
    /// Of the last pose, m; `None`: no covariance was ever told.
    std_dev_m: Option<f64>,
}

impl Localized {
    /// Forgets all that was told: time began anew.
    pub fn reset(&mut self) {
        *self = Self::new(self.settle_secs, self.std_dev_m_max);
    }

    /// Nothing is checked with a maximum of 0.
    pub fn new(settle_secs: f64, std_dev_m_max: f64) -> Self {
        Self { settle_secs, std_dev_m_max, certain_since: None, std_dev_m: None }
    }

    /// Takes the standard deviation of a pose in the map.
    pub fn take(&mut self, stamp: Stamp, std_dev_m: f64) {
        self.std_dev_m = Some(std_dev_m);
        if self.is_uncertain(std_dev_m) {
            self.certain_since = None;
        } else {
            self.certain_since.get_or_insert(stamp);
        }
    }

    /// One at the bound is, too: that of a pose which a person has set by hand is often just there.
    fn is_uncertain(&self, std_dev_m: f64) -> bool {
        std_dev_m >= self.std_dev_m_max
    }

    /// The map is another one: the robot has to find itself again.
    pub fn lose(&mut self) {
        self.certain_since = None;
    }

    /// Standard deviation of the last pose, m.
    pub fn std_dev_m(&self) -> Option<f64> {
        self.std_dev_m
    }

    /// Whether a pose at `stamp` can be believed.
    ///
    /// # Errors
    /// Since when it was not certain for long enough.
    pub fn check(&self, stamp: Stamp) -> Result<(), PoseMissing> {
        let (Some(std_dev_m), true) = (self.std_dev_m, self.std_dev_m_max > 0.0) else {
            return Ok(());
        };
        if self.is_uncertain(std_dev_m) {
            return Err(PoseMissing::Uncertain { std_dev_m });
        }
        let since = self.certain_since.unwrap_or(stamp);
        let certain_secs = stamp.0.saturating_sub(since.0) as f64 * 1e-9;
        if self.certain_since.is_none() || certain_secs < self.settle_secs {
            return Err(PoseMissing::Unsettled { certain_secs: certain_secs.max(0.0) });
        }
        Ok(())
    }
}
