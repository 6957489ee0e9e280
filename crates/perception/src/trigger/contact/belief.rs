//! What touches, for somebody who takes one state for that at rest.

use super::super::baseline::Baseline;
use super::super::channel_reader::{ChannelReader, FeltVector, approach, minus, norm};
use super::super::pace::{SLOW_PERIOD_SECS, outlasts};
use super::super::robust::weight;
use super::super::{duration, measure, signal};
use super::Bounds;
use crate::span::{plus_secs, secs_between};
use crate::{Edge, Measure, Signal, TriggerKind};
use robot_memory_core::model::Stamp;

/// How far before the deviation was reached the begin may lie: forces rise within it.
const RISE_SECS_MAX: f64 = 0.1;
/// Part of a touch's peak below which it is over, whatever remains: sensors creep.
const PEAK_PART_OFF: f64 = 0.05;
/// What goes back to where nothing touched before comes nearer by this factor a reading at least.
const NEARING: f64 = 0.98;
/// How long what goes there is waited for.
const NEARING_SECS: f64 = 1.0;
/// How long what remains after a release is waited for to go.
const REMAINS_SECS: f64 = 1.0;
/// Time constant by which it is told whether that still changes.
const REMAINS_SMOOTH_SECS: f64 = 0.3;

/// A reading, and by what it is judged.
pub(super) struct Now<'a> {
    pub stamp: Stamp,
    /// Since the reading before.
    pub secs: f64,
    pub felt: &'a FeltVector,
    pub smooth: &'a FeltVector,
    /// The usual time between readings.
    pub period_secs: f64,
    pub reader: &'a ChannelReader,
    pub bounds: &'a Bounds,
}

impl Now<'_> {
    /// The deviation that makes a touch.
    pub fn threshold(&self, baseline: &Baseline) -> f64 {
        f64::max(
            self.bounds.sigmas * baseline.noise(),
            self.bounds.least(self.reader, &baseline.level),
        )
    }

    fn deviation(&self, baseline: &Baseline, felt: &FeltVector) -> FeltVector {
        let mut deviation = minus(felt, &baseline.level);
        if self.reader.only_rises() {
            deviation[0] = deviation[0].max(0.0);
        }
        deviation
    }

    /// Whether something is off for long enough to be over.
    fn is_off(&self, since: Stamp) -> bool {
        outlasts(secs_between(since, self.stamp), self.bounds.off_secs)
    }
}

/// A state at rest that is believed in, and what touches if it is true.
#[derive(Debug, Clone)]
pub(super) struct Belief {
    pub rest: Baseline,
    phase: Phase,
    /// Another level at which nothing touched: before a tool was put on, or before a gap. Going back to
    /// it is no touch, once: what is there twice in a row may be a touch that comes and goes.
    former: Option<FeltVector>,
}

#[derive(Debug, Clone)]
enum Phase {
    Free(Free),
    Touching(Box<Touch>),
    /// A touch did not end: what is the state at rest now must be learned.
    Settled,
}

/// Nothing touches.
#[derive(Debug, Clone, Default)]
struct Free {
    candidate: Option<Candidate>,
    remains: Option<Remains>,
}

/// A deviation that may become a touch.
#[derive(Debug, Clone)]
struct Candidate {
    tally: Tally,
    /// When the deviation that makes a touch was reached, and which it was.
    reached: Option<(Stamp, f64)>,
    /// Since when what is felt, unsmoothed, is below the release again.
    low: Option<Stamp>,
    /// How far it was from where nothing touched before.
    from_former: f64,
    /// Whether it lasted long enough, and is only waited for because it may be a release.
    waits: bool,
}

impl Candidate {
    fn new(stamp: Stamp) -> Self {
        let from_former = f64::INFINITY;
        Self { tally: Tally::new(stamp), reached: None, low: None, from_former, waits: false }
    }

    /// When it left the level at rest, but not long before it was reached.
    fn begin(&self) -> Stamp {
        let reached = self.reached.map_or(self.tally.begin, |(reached, _)| reached);
        self.tally.begin.max(plus_secs(reached, -RISE_SECS_MAX))
    }
}

/// What has not gone yet after a release.
#[derive(Debug, Clone)]
struct Remains {
    since: Stamp,
    least: f64,
    slow: FeltVector,
    /// Since when it is below a release.
    low: Option<Stamp>,
}

impl Remains {
    fn new(since: Stamp, size: f64, smooth: FeltVector) -> Self {
        Self { since, least: size, slow: smooth, low: None }
    }

    fn take(&mut self, now: &Now<'_>, size: f64, off: f64) {
        self.least = self.least.min(size);
        approach(&mut self.slow, now.smooth, weight(now.secs, REMAINS_SMOOTH_SECS), f64::INFINITY);
        self.low = (size < off).then(|| self.low.unwrap_or(now.stamp));
    }
}

/// What is to be made of a deviation that lasts.
enum Verdict {
    /// It may be on its way to where nothing touched before.
    Wait,
    /// It is where nothing touched before, at this level.
    Former(FeltVector),
    Touch,
}

#[derive(Debug, Clone)]
struct Touch {
    begin: Stamp,
    on: f64,
    tally: Tally,
    peak_smooth: f64,
    /// Since when what is felt, unsmoothed, is below the release.
    low: Option<Stamp>,
    /// When it fell below, and the tally until then.
    released: Option<(Stamp, Tally)>,
    /// Since when it is where nothing touched before.
    back: Option<Stamp>,
}

/// What is summed up of a touch.
#[derive(Debug, Clone)]
struct Tally {
    begin: Stamp,
    peak: f64,
    peak_at: Stamp,
    peak_deviation: FeltVector,
    impulse: f64,
    secs: f64,
}

impl Tally {
    fn new(begin: Stamp) -> Self {
        let peak_deviation = [0.0; 3];
        Self { begin, peak: 0.0, peak_at: begin, peak_deviation, impulse: 0.0, secs: 0.0 }
    }

    fn add(&mut self, stamp: Stamp, secs: f64, deviation: &FeltVector) {
        let size = norm(deviation);
        if size > self.peak {
            (self.peak, self.peak_at, self.peak_deviation) = (size, stamp, *deviation);
        }
        self.impulse += size * secs;
        self.secs += secs;
    }

    fn measures(&self, reader: &ChannelReader, end: Option<Stamp>) -> Vec<Measure> {
        let unit = reader.unit();
        let of = reader.name_of(&self.peak_deviation);
        let stamp = Some(self.peak_at);
        let mut measures = vec![Measure { of, stamp, ..measure("peak", self.peak, unit) }];
        if let Some(end) = end {
            let mean = if self.secs > 0.0 { self.impulse / self.secs } else { self.peak };
            let impulse_unit = if unit.is_empty() { "s".to_owned() } else { format!("{unit} s") };
            measures.push(measure("mean", mean, unit));
            measures.push(duration(self.begin, end));
            measures.push(measure("impulse", self.impulse, &impulse_unit));
        }
        measures
    }
}

impl Belief {
    /// That this is the state at rest; and that it was `former` before a gap.
    pub fn new(baseline: Baseline, former: Option<FeltVector>) -> Self {
        Self { rest: baseline, phase: Phase::Free(Free::default()), former }
    }

    /// Since when something touches.
    pub fn touched_since(&self) -> Option<Stamp> {
        match &self.phase {
            Phase::Touching(touch) => Some(touch.begin),
            Phase::Free(_) | Phase::Settled => None,
        }
    }

    /// Whether a touch has lasted for so long that it is none any more. Nothing is told from then on.
    pub fn is_settled(&self) -> bool {
        matches!(self.phase, Phase::Settled)
    }

    /// Whether another level is known at which nothing touched.
    pub fn knows_former(&self) -> bool {
        self.former.is_some()
    }

    pub fn take(&mut self, now: &Now<'_>, out: &mut Vec<Signal>) {
        self.phase = match std::mem::replace(&mut self.phase, Phase::Free(Free::default())) {
            Phase::Free(free) => self.free(now, free, out),
            Phase::Touching(touch) => self.touching(now, touch, out),
            Phase::Settled => Phase::Settled,
        };
    }

    /// Readings are over: what touches ends.
    pub fn end_at(&mut self, stamp: Stamp, reader: &ChannelReader, out: &mut Vec<Signal>) {
        let phase = std::mem::replace(&mut self.phase, Phase::Free(Free::default()));
        if let Phase::Touching(touch) = phase {
            let (end, tally) = match &touch.released {
                Some((released, tally)) => (*released, tally),
                None => (stamp, &touch.tally),
            };
            let measures = tally.measures(reader, Some(end));
            out.push(signal(TriggerKind::Contact, Edge::End, end, measures));
        }
    }

    fn free(&mut self, now: &Now<'_>, mut free: Free, out: &mut Vec<Signal>) -> Phase {
        let on = now.threshold(&self.rest);
        let off = now.bounds.off_ratio * on;
        let size = norm(&now.deviation(&self.rest, now.smooth));
        let mut least = 0.0;
        if let Some(remains) = &mut free.remains {
            remains.take(now, size, off);
            least = remains.least;
            let is_steady = norm(&minus(&remains.slow, now.smooth)) < 0.25 * on;
            let is_old = secs_between(remains.since, now.stamp) > REMAINS_SECS;
            match remains.low {
                Some(low) if now.is_off(low) => free.remains = None,
                None if is_steady && is_old => {
                    self.former = Some(std::mem::replace(&mut self.rest.level, remains.slow));
                    return Phase::Free(Free::default());
                }
                _ => {}
            }
        }
        if free.remains.is_none() {
            self.rest.follow(now.secs, now.smooth, off, now.reader.only_rises());
        }
        if size < least + off {
            if let Some(candidate) = free.candidate.take() {
                end_candidate(now, &candidate, out);
            }
            return Phase::Free(free);
        }
        let deviation = now.deviation(&self.rest, now.felt);
        let candidate = free.candidate.get_or_insert_with(|| Candidate::new(now.stamp));
        let is_low = norm(&deviation) < least + off;
        candidate.low = is_low.then(|| candidate.low.unwrap_or(now.stamp));
        candidate.tally.add(now.stamp, now.secs, &deviation);
        if candidate.reached.is_none() && size >= least + on {
            candidate.reached = Some((now.stamp, on));
        }
        let Some((reached, on)) = candidate.reached else { return Phase::Free(free) };
        match self.verdict(now, candidate, on, secs_between(reached, now.stamp)) {
            None => Phase::Free(free),
            Some(Verdict::Wait) => {
                candidate.waits = true;
                Phase::Free(free)
            }
            Some(Verdict::Former(level)) => {
                (self.rest.level, self.former) = (level, None);
                Phase::Free(Free::default())
            }
            Some(Verdict::Touch) => {
                let touch = self.begin(now, candidate, on);
                let measures = touch.tally.measures(now.reader, None);
                out.push(signal(TriggerKind::Contact, Edge::Begin, touch.begin, measures));
                Phase::Touching(Box::new(touch))
            }
        }
    }

    /// What a deviation is that was reached so many seconds ago; `None` when that is too short.
    fn verdict(
        &self,
        now: &Now<'_>,
        candidate: &mut Candidate,
        on: f64,
        lasted_secs: f64,
    ) -> Option<Verdict> {
        let is_slow = now.period_secs >= SLOW_PERIOD_SECS;
        if !is_slow && !outlasts(lasted_secs, now.bounds.on_secs) {
            return None;
        }
        if let Some(former) = self.former {
            let from_former = norm(&minus(now.smooth, &former));
            if from_former < on {
                return Some(Verdict::Former(former));
            }
            let before = candidate.from_former.min(norm(&minus(&self.rest.level, &former)));
            candidate.from_former = from_former;
            if lasted_secs < NEARING_SECS && !is_slow && from_former < NEARING * before {
                return Some(Verdict::Wait);
            }
        }
        Some(Verdict::Touch)
    }

    fn begin(&self, now: &Now<'_>, candidate: &Candidate, on: f64) -> Touch {
        let tally = Tally { begin: candidate.begin(), ..candidate.tally.clone() };
        Touch {
            begin: tally.begin,
            on,
            tally,
            peak_smooth: norm(&now.deviation(&self.rest, now.smooth)),
            low: None,
            released: None,
            back: None,
        }
    }

    fn touching(&mut self, now: &Now<'_>, mut touch: Box<Touch>, out: &mut Vec<Signal>) -> Phase {
        let stamp = now.stamp;
        let bounds = now.bounds;
        let size = norm(&now.deviation(&self.rest, now.smooth));
        touch.peak_smooth = touch.peak_smooth.max(size);
        let off = f64::max(bounds.off_ratio * touch.on, PEAK_PART_OFF * touch.peak_smooth);
        let deviation = now.deviation(&self.rest, now.felt);
        touch.low = (norm(&deviation) < off).then(|| touch.low.unwrap_or(stamp));
        if size < off {
            if touch.released.is_none() {
                touch.released = Some((touch.low.unwrap_or(stamp), touch.tally.clone()));
            }
        } else {
            touch.released = None;
        }
        touch.tally.add(stamp, now.secs, &deviation);

        let is_back =
            self.former.is_some_and(|former| norm(&minus(now.smooth, &former)) < touch.on);
        touch.back = if is_back { touch.back.or(Some(stamp)) } else { None };

        let mut end = |tally: &Tally, at: Stamp, settled: Option<Measure>| {
            let mut measures = tally.measures(now.reader, Some(at));
            measures.extend(settled);
            out.push(signal(TriggerKind::Contact, Edge::End, at, measures));
        };
        if let Some((released, tally)) = &touch.released
            && now.is_off(*released)
        {
            end(tally, *released, None);
            let is_left = size >= bounds.off_ratio * now.threshold(&self.rest);
            let remains = is_left.then(|| Remains::new(stamp, size, *now.smooth));
            return Phase::Free(Free { candidate: None, remains });
        }
        if let (Some(back), Some(former)) = (touch.back, self.former)
            && now.is_off(back)
        {
            end(&touch.tally, back, None);
            (self.rest.level, self.former) = (former, None);
            return Phase::Free(Free::default());
        }
        if secs_between(touch.begin, stamp) >= bounds.settle_secs {
            end(&touch.tally, stamp, Some(measure("settled", bounds.settle_secs, "s")));
            return Phase::Settled;
        }
        Phase::Touching(touch)
    }
}

/// A deviation that waited, and went back to where it came from, was a touch.
fn end_candidate(now: &Now<'_>, candidate: &Candidate, out: &mut Vec<Signal>) {
    if !candidate.waits {
        return;
    }
    let end = candidate.low.unwrap_or(now.stamp);
    let begin = candidate.begin();
    let measures = candidate.tally.measures(now.reader, Some(end));
    out.push(signal(TriggerKind::Contact, Edge::Begin, begin, measures.clone()));
    out.push(signal(TriggerKind::Contact, Edge::End, end, measures));
}
