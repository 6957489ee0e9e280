use super::pace::{Pace, Step};
use super::probe::{Felt, Found, Probe, approach, minus, norm};
use super::rest::{Learner, Rest};
use super::robust::weight;
use super::{duration, measure, parameters, secs_between, signal};
use crate::model::Stamp;
use crate::perception::{Edge, Measure, Numbers, Signal, TriggerKind, TriggerSettings};

/// Time constant of the smoothing before anything is compared: short against a touch, long against
/// the noise of a fast sensor.
const SMOOTH_SECS: f64 = 0.01;
/// How far before the deviation was reached the begin may lie: forces rise within it.
const RISE_SECS_MAX: f64 = 0.1;
/// A slow stream has no second reading to confirm a first one by.
const SLOW_PERIOD_SECS: f64 = 0.2;
/// Readings keep a debounce of their own length though their stamps jitter.
const JITTER: f64 = 0.9;
/// Part of a touch's peak below which it is over, whatever remains: sensors creep.
const PEAK_PART_OFF: f64 = 0.05;
/// What goes back to where nothing touched before comes nearer by this factor a reading at least.
const NEARING: f64 = 0.98;
/// How long the first deviation that lessens the force waits: it may be a release.
const FIRST_SECS: f64 = 1.0;
/// Part of the force at the start below which that was a touch, now released.
const RELEASED_PART: f64 = 0.1;
/// Time constants in which the level during a touch is known, should it settle.
const HOLD_SECS: f64 = 1.0;
/// How long what remains after a release is waited for to go.
const REMAINS_SECS: f64 = 1.0;

/// A touch: from the rise of what is felt to its release.
///
/// What is felt of a wrench is its force vector, of taxels their sum. Its level at rest (gravity, tare)
/// and its noise are learned in the first second and followed while nothing touches. The deviation is
/// the distance from the level at rest. It makes a contact at `max(sigmas * noise, on or floor)`, and
/// a release at `off_ratio` of that.
///
/// A touch that is there from the start is taken for the state at rest. When it is released, so that
/// less than a tenth of the force remains, what remains is the state at rest; neither is told.
#[derive(Debug, Clone)]
pub(super) struct Contact {
    on: Option<f64>,
    sigmas: f64,
    off_ratio: f64,
    on_secs: f64,
    off_secs: f64,
    settle_secs: f64,
    probe: Probe,
    pace: Pace,
    smooth: Felt,
    phase: Phase,
    /// Another level at which nothing touches: before a tool was put on, or before a gap.
    former: Option<Felt>,
    /// Whether no touch has been told of since the start.
    is_first: bool,
}

#[derive(Debug, Clone)]
enum Phase {
    Learning(Learner),
    Free(Rest, Option<Candidate>, Option<Remains>),
    Touching(Rest, Touch),
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
}

/// What has not gone yet after a release.
#[derive(Debug, Clone)]
struct Remains {
    since: Stamp,
    least: f64,
    slow: Felt,
}

#[derive(Debug, Clone)]
struct Touch {
    begin: Stamp,
    on: f64,
    tally: Tally,
    peak_smooth: f64,
    held: Felt,
    held_variance: Felt,
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
    peak_deviation: Felt,
    impulse: f64,
    secs: f64,
}

impl Tally {
    fn new(begin: Stamp) -> Self {
        let peak_deviation = [0.0; 3];
        Self { begin, peak: 0.0, peak_at: begin, peak_deviation, impulse: 0.0, secs: 0.0 }
    }

    fn add(&mut self, stamp: Stamp, secs: f64, deviation: &Felt) {
        let size = norm(deviation);
        if size > self.peak {
            (self.peak, self.peak_at, self.peak_deviation) = (size, stamp, *deviation);
        }
        self.impulse += size * secs;
        self.secs += secs;
    }

    fn measures(&self, probe: &Probe, end: Option<Stamp>) -> Vec<Measure> {
        let unit = probe.unit();
        let of = probe.name_of(&self.peak_deviation);
        let mut measures = vec![Measure {
            name: "peak",
            value: self.peak,
            unit: unit.to_owned(),
            of,
            stamp: Some(self.peak_at),
        }];
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

impl Contact {
    pub(super) fn new(settings: &TriggerSettings) -> Self {
        let number = |name| parameters::number(settings, name);
        Self {
            on: parameters::value(settings, "on"),
            sigmas: number("sigmas"),
            off_ratio: number("off_ratio"),
            on_secs: number("on_secs"),
            off_secs: number("off_secs"),
            settle_secs: number("settle_secs"),
            probe: Probe::new(parameters::channel(settings)),
            pace: Pace::default(),
            smooth: [0.0; 3],
            phase: Phase::Learning(Learner::default()),
            former: None,
            is_first: true,
        }
    }

    pub(super) fn take(&mut self, stamp: Stamp, numbers: &Numbers, out: &mut Vec<Signal>) {
        let felt = match self.probe.read(numbers) {
            Found::Nothing => return,
            Found::Felt(felt) => felt,
            Found::Anew(felt) => {
                self.end_open(out);
                self.former = None;
                self.begin_anew();
                felt
            }
        };
        let secs = match self.pace.step(stamp) {
            Step::Next(secs) => secs,
            Step::First => {
                self.smooth = felt;
                0.0
            }
            Step::Gap(last) => {
                self.end_at(last, out);
                self.former = self.rest().map(|rest| rest.level).or(self.former);
                self.begin_anew();
                self.smooth = felt;
                0.0
            }
        };
        approach(&mut self.smooth, &felt, weight(secs, SMOOTH_SECS), f64::INFINITY);
        let phase = std::mem::replace(&mut self.phase, Phase::Learning(Learner::default()));
        self.phase = match phase {
            Phase::Learning(mut learner) => match learner.take(stamp, &self.smooth) {
                Some(rest) => Phase::Free(rest, None, None),
                None => Phase::Learning(learner),
            },
            Phase::Free(rest, candidate, remains) => {
                self.free(stamp, secs, &felt, rest, candidate, remains, out)
            }
            Phase::Touching(rest, touch) => self.touching(stamp, secs, &felt, rest, touch, out),
        };
    }

    pub(super) fn finish(&mut self, stamp: Stamp, out: &mut Vec<Signal>) {
        self.end_at(stamp, out);
        self.former = None;
        self.begin_anew();
        self.pace = Pace::default();
        self.probe.forget();
    }

    /// The level at rest, once it is known.
    pub(super) fn rest(&self) -> Option<&Rest> {
        match &self.phase {
            Phase::Learning(_) => None,
            Phase::Free(rest, ..) | Phase::Touching(rest, _) => Some(rest),
        }
    }

    /// Since when something touches.
    pub(super) fn touched_since(&self) -> Option<Stamp> {
        match &self.phase {
            Phase::Touching(_, touch) => Some(touch.begin),
            _ => None,
        }
    }

    fn begin_anew(&mut self) {
        self.phase = Phase::Learning(Learner::default());
        self.is_first = true;
    }

    fn end_open(&mut self, out: &mut Vec<Signal>) {
        if let Some(last) = self.pace.last() {
            self.end_at(last, out);
        }
    }

    fn end_at(&mut self, stamp: Stamp, out: &mut Vec<Signal>) {
        if let Phase::Touching(_, touch) = &self.phase {
            let (end, tally) = match &touch.released {
                Some((released, tally)) => (*released, tally),
                None => (stamp, &touch.tally),
            };
            let measures = tally.measures(&self.probe, Some(end));
            out.push(signal(TriggerKind::Contact, Edge::End, end, measures));
        }
    }

    /// The deviation that makes a touch.
    fn threshold(&self, rest: &Rest) -> f64 {
        let least = self.on.unwrap_or_else(|| self.probe.floor(norm(&rest.level)));
        f64::max(self.sigmas * rest.noise(), least)
    }

    fn deviation(&self, rest: &Rest, felt: &Felt) -> Felt {
        let mut deviation = minus(felt, &rest.level);
        if self.probe.only_rises() {
            deviation[0] = deviation[0].max(0.0);
        }
        deviation
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of a phase, taken out of it")]
    fn free(
        &mut self,
        stamp: Stamp,
        secs: f64,
        felt: &Felt,
        mut rest: Rest,
        mut candidate: Option<Candidate>,
        mut remains: Option<Remains>,
        out: &mut Vec<Signal>,
    ) -> Phase {
        let on = self.threshold(&rest);
        let size = norm(&self.deviation(&rest, &self.smooth));
        let mut least = 0.0;
        if let Some(left) = &mut remains {
            left.least = left.least.min(size);
            least = left.least;
            approach(&mut left.slow, &self.smooth, weight(secs, 0.3), f64::INFINITY);
            let is_steady = norm(&minus(&left.slow, &self.smooth)) < 0.25 * on;
            if size < self.off_ratio * on {
                remains = None;
            } else if is_steady && secs_between(left.since, stamp) > REMAINS_SECS {
                self.former = Some(rest.level);
                rest.level = left.slow;
                return Phase::Free(rest, None, None);
            }
        }
        if size < least + self.off_ratio * on {
            if let Some(candidate) = candidate.take() {
                self.end_candidate(candidate, stamp, out);
            }
        } else {
            let possible = candidate.get_or_insert_with(|| Candidate::new(stamp));
            let deviation = self.deviation(&rest, felt);
            let is_low = norm(&deviation) < least + self.off_ratio * on;
            possible.low = is_low.then(|| possible.low.unwrap_or(stamp));
            possible.tally.add(stamp, secs, &deviation);
            if possible.reached.is_none() && size >= least + on {
                possible.reached = Some((stamp, on));
            }
        }
        if remains.is_none() {
            rest.follow(secs, &self.smooth, self.off_ratio * on, self.probe.only_rises());
        }
        let Some((reached, on)) = candidate.as_ref().and_then(|candidate| candidate.reached) else {
            return Phase::Free(rest, candidate, remains);
        };
        let lasted = secs_between(reached, stamp);
        let is_slow = self.pace.period_secs() >= SLOW_PERIOD_SECS;
        if !is_slow && lasted < JITTER * self.on_secs {
            return Phase::Free(rest, candidate, remains);
        }
        if let (Some(former), Some(candidate)) = (self.former, &mut candidate) {
            let from_former = norm(&minus(&self.smooth, &former));
            if from_former < on {
                self.former = Some(rest.level);
                rest.level = former;
                return Phase::Free(rest, None, None);
            }
            let is_nearing = from_former
                < NEARING * candidate.from_former.min(norm(&minus(&rest.level, &former)));
            candidate.from_former = from_former;
            if is_nearing && lasted < FIRST_SECS {
                candidate.waits = true;
                return Phase::Free(rest, Some(candidate.clone()), remains);
            }
        }
        if self.may_be_release(&rest, on) {
            if lasted < FIRST_SECS && !is_slow {
                if let Some(candidate) = &mut candidate {
                    candidate.waits = true;
                }
                return Phase::Free(rest, candidate, remains);
            }
            if norm(&self.smooth) < RELEASED_PART * norm(&rest.level) {
                return Phase::Learning(Learner::default());
            }
        }
        match candidate {
            Some(candidate) => {
                let touch = self.begin(&candidate, reached, on, size);
                let measures = touch.tally.measures(&self.probe, None);
                out.push(signal(TriggerKind::Contact, Edge::Begin, touch.begin, measures));
                Phase::Touching(rest, touch)
            }
            None => Phase::Free(rest, None, remains),
        }
    }

    /// Whether a deviation lessens the force that was there from the start.
    fn may_be_release(&self, rest: &Rest, on: f64) -> bool {
        let level = norm(&rest.level);
        self.is_first
            && self.former.is_none()
            && !self.probe.only_rises()
            && level > 4.0 * on
            && norm(&self.smooth) < level
    }

    fn begin(&mut self, candidate: &Candidate, reached: Stamp, on: f64, size: f64) -> Touch {
        self.is_first = false;
        let mut tally = candidate.tally.clone();
        let earliest = Stamp(reached.0.saturating_sub((RISE_SECS_MAX * 1e9) as i64));
        tally.begin = tally.begin.max(earliest);
        Touch {
            begin: tally.begin,
            on,
            tally,
            peak_smooth: size,
            held: self.smooth,
            held_variance: [0.0; 3],
            low: None,
            released: None,
            back: None,
        }
    }

    /// A deviation that waited, and went back to where it came from, was a touch.
    fn end_candidate(&mut self, candidate: Candidate, stamp: Stamp, out: &mut Vec<Signal>) {
        if let (true, Some((reached, on))) = (candidate.waits, candidate.reached) {
            let end = candidate.low.unwrap_or(stamp);
            let touch = self.begin(&candidate, reached, on, 0.0);
            let measures = touch.tally.measures(&self.probe, Some(end));
            out.push(signal(TriggerKind::Contact, Edge::Begin, touch.begin, measures.clone()));
            out.push(signal(TriggerKind::Contact, Edge::End, end, measures));
        }
    }

    fn touching(
        &mut self,
        stamp: Stamp,
        secs: f64,
        felt: &Felt,
        mut rest: Rest,
        mut touch: Touch,
        out: &mut Vec<Signal>,
    ) -> Phase {
        let size = norm(&self.deviation(&rest, &self.smooth));
        touch.peak_smooth = touch.peak_smooth.max(size);
        let off = f64::max(self.off_ratio * touch.on, PEAK_PART_OFF * touch.peak_smooth);
        let deviation = self.deviation(&rest, felt);
        touch.low = (norm(&deviation) < off).then(|| touch.low.unwrap_or(stamp));
        if size < off {
            if touch.released.is_none() {
                touch.released = Some((touch.low.unwrap_or(stamp), touch.tally.clone()));
            }
        } else {
            touch.released = None;
        }
        touch.tally.add(stamp, secs, &deviation);

        let away = minus(&self.smooth, &touch.held);
        let part = weight(secs, HOLD_SECS);
        for (variance, away) in touch.held_variance.iter_mut().zip(&away) {
            *variance += part * (away * away - *variance);
        }
        approach(&mut touch.held, &self.smooth, part, f64::INFINITY);

        let is_back =
            self.former.is_some_and(|former| norm(&minus(&self.smooth, &former)) < touch.on);
        touch.back = if is_back { touch.back.or(Some(stamp)) } else { None };

        let lasted = |since: Stamp| secs_between(since, stamp) >= JITTER * self.off_secs;
        if let Some((released, tally)) = &touch.released
            && lasted(*released)
        {
            let measures = tally.measures(&self.probe, Some(*released));
            out.push(signal(TriggerKind::Contact, Edge::End, *released, measures));
            let on = self.threshold(&rest);
            let remains = (size >= self.off_ratio * on).then_some(Remains {
                since: stamp,
                least: size,
                slow: self.smooth,
            });
            return Phase::Free(rest, None, remains);
        }
        if let (Some(back), Some(former)) = (touch.back, self.former)
            && lasted(back)
        {
            let measures = touch.tally.measures(&self.probe, Some(back));
            out.push(signal(TriggerKind::Contact, Edge::End, back, measures));
            self.former = Some(rest.level);
            rest.level = former;
            return Phase::Free(rest, None, None);
        }
        if secs_between(touch.begin, stamp) >= self.settle_secs {
            let mut measures = touch.tally.measures(&self.probe, Some(stamp));
            measures.push(measure("settled", self.settle_secs, "s"));
            out.push(signal(TriggerKind::Contact, Edge::End, stamp, measures));
            self.former = Some(rest.level);
            rest.settle(touch.held, &touch.held_variance);
            return Phase::Free(rest, None, None);
        }
        Phase::Touching(rest, touch)
    }
}
