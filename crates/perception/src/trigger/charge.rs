use super::{duration, measure, parameters, signal, text};
use crate::decode::STATUS;
use crate::{Edge, Measure, Numbers, Signal, TriggerKind, TriggerSettings};
use robot_memory_core::model::Stamp;

/// `power_supply_status` of `sensor_msgs/BatteryState`.
const CHARGING: f64 = 1.0;
const FULL: f64 = 4.0;
/// Percent from which a battery that is no longer charged is charged.
const CHARGED_PERCENT: f64 = 95.0;

/// A battery that is low or critical, and that is charged. A battery that is low when it is first heard is low.
#[derive(Debug, Clone, Default)]
pub(super) struct Charge {
    low: f64,
    critical: f64,
    clear: f64,
    /// How low it was told to be: 1 low, 2 critical.
    told: u8,
    /// Since when it is charged, and from how many percent.
    charging: Option<(Stamp, f64)>,
    last_status: Option<f64>,
}

impl Charge {
    pub(super) fn new(settings: &TriggerSettings) -> Self {
        let number = |name| parameters::number(settings, name);
        Self {
            low: number("low"),
            critical: number("critical"),
            clear: number("clear"),
            ..Self::default()
        }
    }

    pub(super) fn take(&mut self, stamp: Stamp, numbers: &Numbers, out: &mut Vec<Signal>) {
        let channels = &numbers.layout.channels;
        let Some(status) = channels.iter().position(|channel| channel.name == STATUS) else {
            return;
        };
        let (Some(&percent), Some(&status)) = (numbers.values.first(), numbers.values.get(status))
        else {
            return;
        };
        // Zero is not known.
        if status > 0.0 {
            self.take_status(stamp, percent, status, out);
            self.last_status = Some(status);
        }
        let low_now = match percent {
            _ if self.charging.is_some() => 0,
            percent if percent <= self.critical => 2,
            percent if percent <= self.low => 1,
            _ => 0,
        };
        if low_now > self.told {
            self.told = low_now;
            let state = if low_now == 2 { "critical" } else { "low" };
            out.push(told(stamp, state, percent, Vec::new()));
        }
        // In each of them once, until it was charged.
        if percent > self.low.max(self.critical) + self.clear {
            self.told = 0;
        } else if percent > self.critical + self.clear {
            self.told = self.told.min(1);
        }
    }

    fn take_status(&mut self, stamp: Stamp, percent: f64, status: f64, out: &mut Vec<Signal>) {
        let is_charging = status == CHARGING;
        match self.charging {
            None if is_charging => {
                // Of what is charged when it is first heard nobody knows since when; a full one is topped up.
                if self.last_status.is_some() && is_less(percent) {
                    out.push(told(stamp, "charging", percent, Vec::new()));
                }
                self.charging = Some((stamp, percent));
            }
            Some((begin, from)) if !is_charging => {
                self.charging = None;
                let is_full = status == FULL || percent >= CHARGED_PERCENT;
                let state = if is_full { "charged" } else { "unplugged" };
                if is_less(from) {
                    let more = vec![measure("from", from, "%"), duration(begin, stamp)];
                    out.push(told(stamp, state, percent, more));
                }
            }
            _ => {}
        }
    }
}

/// Whether so many percent are not known to be charged.
fn is_less(percent: f64) -> bool {
    percent.is_nan() || percent < CHARGED_PERCENT
}

fn told(stamp: Stamp, state: &str, percent: f64, more: Vec<Measure>) -> Signal {
    let mut measures = vec![text("state", state.to_owned()), measure("charge", percent, "%")];
    measures.extend(more);
    signal(TriggerKind::Charge, Edge::Once, stamp, measures)
}
