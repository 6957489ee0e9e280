use super::Appearance;
use crate::{Edge, Measure, Signal, TriggerKind};
use robot_memory_core::model::Stamp;
use std::collections::VecDeque;

/// Seconds for which a blurred view waits for a sharp picture; not of a camera that takes longer for one.
const WAIT_SECS: f64 = 1.0;
/// Then the first one is taken that is so sharp, as a share of the sharpest that was waited through;
/// after as long again, any.
const WAITED_RATIO: f64 = 0.8;
/// Seconds after which what was sharp counts for a third: another view may have less to be sharp about.
const SHARPEST_SECS: f64 = 10.0;
/// Differences from one picture to the next that are remembered, for the camera's own noise.
const STEPS_MAX: usize = 32;
/// So many of them must be known.
const STEPS_MIN: usize = 4;
/// A camera is still when a picture differs from the one before by no more beyond noise,
const STILL_DIFFERENCE: f64 = 0.05;
/// and has settled when it is then also as sharp, to this share: neither swinging nor focusing.
const SETTLED_SHARPNESS: f64 = 0.2;
/// The most that counts as noise: a camera that always moves has no still pictures to know it from.
const NOISE_MAX: f64 = 0.15;
/// Seconds by which a picture can be older than the one before it; beyond it time began anew.
const BACK_SECS: f64 = 1.0;

/// When a picture is worth keeping. The defaults need no tuning.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KeyframeSettings {
    /// [`Appearance::difference`] from the last one kept at least, 0 to 1.
    pub difference: f64,
    /// Seconds between two that are kept at least.
    pub min_secs: f64,
    /// Seconds after which one is kept though nothing is new; 0: never.
    pub max_secs: f64,
    /// Sharpness at least, as a share of the sharpest of the last seconds; 0: not looked at.
    pub sharpness_ratio: f64,
}

impl Default for KeyframeSettings {
    fn default() -> Self {
        Self { difference: 0.25, min_secs: 1.0, max_secs: 0.0, sharpness_ratio: 0.5 }
    }
}

/// Chooses the pictures of a camera that show something new.
///
/// The first picture is one, and each that differs from the last one kept by more than
/// [`KeyframeSettings::difference`] beyond the camera's own noise, which is the first quartile of the
/// last differences from one picture to the next. A blurred one is not taken; the view waits for a
/// sharper one until the camera has settled, and no longer than a second or two. Black pictures are
/// passed over. The one that is kept is always the one just taken.
#[derive(Debug, Clone, Default)]
pub struct Keyframes {
    settings: KeyframeSettings,
    kept: Option<(Stamp, Appearance)>,
    last: Option<(Stamp, Appearance)>,
    steps: VecDeque<f64>,
    sharpest: f64,
    waiting: Option<PendingKeyframe>,
}

/// A new view of which there is no sharp picture yet.
#[derive(Debug, Clone, Copy)]
struct PendingKeyframe {
    since: Stamp,
    sharpest: f64,
}

impl Keyframes {
    /// That has seen nothing yet.
    pub fn new(settings: KeyframeSettings) -> Self {
        Self { settings, ..Self::default() }
    }

    /// Looks at the next picture. When it is to be kept, a [`Signal`] of its stamp says so, with
    /// `difference` (not of the first one), `sharpness` and `brightness`.
    pub fn take(&mut self, stamp: Stamp, appearance: &Appearance, out: &mut Vec<Signal>) {
        let mut since_last = 0.0;
        if let Some((last, _)) = &self.last {
            since_last = secs(*last, stamp);
            if since_last < -BACK_SECS {
                *self = Self::new(self.settings);
                since_last = 0.0;
            } else if since_last < 0.0 {
                return;
            }
        }
        if appearance.is_black() {
            return;
        }
        let mut is_settled = false;
        if let Some((_, last)) = &self.last {
            let step = appearance.difference(last);
            if self.steps.len() == STEPS_MAX {
                self.steps.pop_front();
            }
            self.steps.push_back(step);
            let change = (appearance.sharpness - last.sharpness).abs();
            is_settled = step - self.noise() <= STILL_DIFFERENCE
                && change <= SETTLED_SHARPNESS * appearance.sharpness.max(last.sharpness);
        }
        self.last = Some((stamp, appearance.clone()));
        self.sharpest =
            (self.sharpest * (-since_last / SHARPEST_SECS).exp()).max(appearance.sharpness);

        let difference = self.kept.as_ref().map(|(_, kept)| appearance.difference(kept));
        let is_due = self.kept.as_ref().zip(difference).is_none_or(|((kept, _), difference)| {
            let KeyframeSettings { difference: asked, min_secs, max_secs, .. } = self.settings;
            let since = secs(*kept, stamp);
            since >= min_secs && difference - self.noise() >= asked
                || max_secs > 0.0 && since >= max_secs
        });
        if !is_due {
            self.waiting = None;
        } else if is_settled || since_last > WAIT_SECS || !self.waits(stamp, appearance.sharpness) {
            self.waiting = None;
            self.kept = Some((stamp, appearance.clone()));
            out.push(signal(stamp, difference, appearance));
        }
    }

    /// By how much the pictures of one view differ.
    fn noise(&self) -> f64 {
        if self.steps.len() < STEPS_MIN {
            return 0.0;
        }
        let mut steps: Vec<f64> = self.steps.iter().copied().collect();
        steps.sort_by(f64::total_cmp);
        steps[steps.len() / 4].min(NOISE_MAX)
    }

    /// Whether a new view waits for a sharper picture than this one.
    fn waits(&mut self, stamp: Stamp, sharpness: f64) -> bool {
        if sharpness >= self.settings.sharpness_ratio * self.sharpest {
            return false;
        }
        let waiting = self.waiting.get_or_insert(PendingKeyframe { since: stamp, sharpest: 0.0 });
        waiting.sharpest = waiting.sharpest.max(sharpness);
        let waited = secs(waiting.since, stamp);
        let is_sharp_enough = sharpness >= WAITED_RATIO * waiting.sharpest;
        waited < WAIT_SECS || waited < 2.0 * WAIT_SECS && !is_sharp_enough
    }
}

fn secs(from: Stamp, to: Stamp) -> f64 {
    to.0.saturating_sub(from.0) as f64 * 1e-9
}

fn signal(stamp: Stamp, difference: Option<f64>, appearance: &Appearance) -> Signal {
    let measure = |name, value| Measure {
        name,
        value,
        unit: String::new(),
        of: String::new(),
        stamp: Some(stamp),
    };
    let mut measures: Vec<Measure> =
        difference.map(|value| measure("difference", value)).into_iter().collect();
    measures.push(measure("sharpness", appearance.sharpness));
    measures.push(measure("brightness", appearance.brightness));
    Signal { kind: TriggerKind::Keyframe, part: 0, edge: Edge::Once, stamp, measures }
}
