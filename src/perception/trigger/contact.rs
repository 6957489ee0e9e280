use super::pace::{Pace, SLOW_PERIOD_SECS, Step, outlasts};
use super::probe::{Felt, Found, Probe, approach, minus, norm};
use super::rest::{Learner, Rest};
use super::robust::weight;
use super::{duration, measure, parameters, signal};
use crate::model::Stamp;
use crate::perception::span::{plus_secs, secs_between};
use crate::perception::{Edge, Measure, Numbers, Signal, TriggerKind, TriggerSettings};

/// Time constant of the smoothing before anything is compared: short against a touch, long against
/// the noise of a fast sensor.
const SMOOTH_SECS: f64 = 0.01;
/// How far before the deviation was reached the begin may lie: forces rise within it.
const RISE_SECS_MAX: f64 = 0.1;
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
/// Time constant by which it is told whether that still changes.
const REMAINS_SMOOTH_SECS: f64 = 0.3;

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
    Free(Free),
    Touching(Rest, Touch),
}

/// Nothing touches.
#[derive(Debug, Clone)]
struct Free {
    rest: Rest,
    candidate: Option<Candidate>,
    remains: Option<Remains>,
}

impl From<Rest> for Phase {
    fn from(rest: Rest) -> Self {
        Self::Free(Free { rest, candidate: None, remains: None })
    }
}

/// A reading.
struct Now<'a> {
    stamp: Stamp,
    /// Since the reading before.
    secs: f64,
    felt: &'a Felt,
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
    slow: Felt,
    /// Since when it is below a release.
    low: Option<Stamp>,
}

impl Remains {
    fn new(since: Stamp, size: f64, smooth: Felt) -> Self {
        Self { since, least: size, slow: smooth, low: None }
    }

    fn take(&mut self, now: &Now, size: f64, smooth: &Felt, off: f64) {
        self.least = self.least.min(size);
        approach(&mut self.slow, smooth, weight(now.secs, REMAINS_SMOOTH_SECS), f64::INFINITY);
        self.low = (size < off).then(|| self.low.unwrap_or(now.stamp));
    }
}

/// What is to be made of a deviation that lasts.
enum Verdict {
    /// It may be a release.
    Wait,
    /// It is where nothing touched before, at this level.
    Former(Felt),
    /// What touched from the start is released.
    Released,
    Touch,
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
                self.smooth = felt;
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
        let now = Now { stamp, secs, felt: &felt };
        let phase = std::mem::replace(&mut self.phase, Phase::Learning(Learner::default()));
        self.phase = match phase {
            Phase::Learning(mut learner) => match learner.take(stamp, &self.smooth) {
                Some(rest) => rest.into(),
                None => Phase::Learning(learner),
            },
            Phase::Free(free) => self.free(&now, free, out),
            Phase::Touching(rest, touch) => self.touching(&now, rest, touch, out),
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
            Phase::Free(Free { rest, .. }) | Phase::Touching(rest, _) => Some(rest),
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

    fn free(&mut self, now: &Now, mut free: Free, out: &mut Vec<Signal>) -> Phase {
        let on = self.threshold(&free.rest);
        let off = self.off_ratio * on;
        let size = norm(&self.deviation(&free.rest, &self.smooth));
        let mut least = 0.0;
        if let Some(remains) = &mut free.remains {
            remains.take(now, size, &self.smooth, off);
            least = remains.least;
            let is_steady = norm(&minus(&remains.slow, &self.smooth)) < 0.25 * on;
            let is_old = secs_between(remains.since, now.stamp) > REMAINS_SECS;
            match remains.low {
                Some(low) if self.is_off(low, now.stamp) => free.remains = None,
                None if is_steady && is_old => {
                    self.former = Some(std::mem::replace(&mut free.rest.level, remains.slow));
                    return free.rest.into();
                }
                _ => {}
            }
        }
        if free.remains.is_none() {
            free.rest.follow(now.secs, &self.smooth, off, self.probe.only_rises());
        }
        if size < least + off {
            if let Some(candidate) = free.candidate.take() {
                self.end_candidate(&candidate, now.stamp, out);
            }
            return Phase::Free(free);
        }
        let deviation = self.deviation(&free.rest, now.felt);
        let candidate = free.candidate.get_or_insert_with(|| Candidate::new(now.stamp));
        let is_low = norm(&deviation) < least + off;
        candidate.low = is_low.then(|| candidate.low.unwrap_or(now.stamp));
        candidate.tally.add(now.stamp, now.secs, &deviation);
        if candidate.reached.is_none() && size >= least + on {
            candidate.reached = Some((now.stamp, on));
        }
        let Some((reached, on)) = candidate.reached else { return Phase::Free(free) };
        match self.verdict(&free.rest, candidate, on, secs_between(reached, now.stamp)) {
            None => Phase::Free(free),
            Some(Verdict::Wait) => {
                candidate.waits = true;
                Phase::Free(free)
            }
            Some(Verdict::Former(level)) => {
                self.former = Some(std::mem::replace(&mut free.rest.level, level));
                free.rest.into()
            }
            Some(Verdict::Released) => Phase::Learning(Learner::default()),
            Some(Verdict::Touch) => {
                let touch = self.begin(&free.rest, candidate, on);
                let measures = touch.tally.measures(&self.probe, None);
                out.push(signal(TriggerKind::Contact, Edge::Begin, touch.begin, measures));
                Phase::Touching(free.rest, touch)
            }
        }
    }

    /// What a deviation is that was reached so many seconds ago; `None` when that is too short.
    fn verdict(
        &self,
        rest: &Rest,
        candidate: &mut Candidate,
        on: f64,
        lasted_secs: f64,
    ) -> Option<Verdict> {
        let is_slow = self.pace.period_secs() >= SLOW_PERIOD_SECS;
        if !is_slow && !outlasts(lasted_secs, self.on_secs) {
            return None;
        }
        let may_wait = lasted_secs < FIRST_SECS && !is_slow;
        if let Some(former) = self.former {
            let from_former = norm(&minus(&self.smooth, &former));
            if from_former < on {
                return Some(Verdict::Former(former));
            }
            let before = candidate.from_former.min(norm(&minus(&rest.level, &former)));
            candidate.from_former = from_former;
            if may_wait && from_former < NEARING * before {
                return Some(Verdict::Wait);
            }
        }
        if self.may_be_release(rest, on) {
            if may_wait {
                return Some(Verdict::Wait);
            }
            if norm(&self.smooth) < RELEASED_PART * norm(&rest.level) {
                return Some(Verdict::Released);
            }
        }
        Some(Verdict::Touch)
    }

    /// Whether something is off for long enough to be over.
    fn is_off(&self, since: Stamp, now: Stamp) -> bool {
        outlasts(secs_between(since, now), self.off_secs)
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

    fn begin(&mut self, rest: &Rest, candidate: &Candidate, on: f64) -> Touch {
        self.is_first = false;
        let tally = Tally { begin: candidate.begin(), ..candidate.tally.clone() };
        Touch {
            begin: tally.begin,
            on,
            tally,
            peak_smooth: norm(&self.deviation(rest, &self.smooth)),
            held: self.smooth,
            held_variance: [0.0; 3],
            low: None,
            released: None,
            back: None,
        }
    }

    /// A deviation that waited, and went back to where it came from, was a touch.
    fn end_candidate(&mut self, candidate: &Candidate, stamp: Stamp, out: &mut Vec<Signal>) {
        if !candidate.waits {
            return;
        }
        self.is_first = false;
        let end = candidate.low.unwrap_or(stamp);
        let begin = candidate.begin();
        let measures = candidate.tally.measures(&self.probe, Some(end));
        out.push(signal(TriggerKind::Contact, Edge::Begin, begin, measures.clone()));
        out.push(signal(TriggerKind::Contact, Edge::End, end, measures));
    }

    fn touching(
        &mut self,
        now: &Now,
        mut rest: Rest,
        mut touch: Touch,
        out: &mut Vec<Signal>,
    ) -> Phase {
        let stamp = now.stamp;
        let size = norm(&self.deviation(&rest, &self.smooth));
        touch.peak_smooth = touch.peak_smooth.max(size);
        let off = f64::max(self.off_ratio * touch.on, PEAK_PART_OFF * touch.peak_smooth);
        let deviation = self.deviation(&rest, now.felt);
        touch.low = (norm(&deviation) < off).then(|| touch.low.unwrap_or(stamp));
        if size < off {
            if touch.released.is_none() {
                touch.released = Some((touch.low.unwrap_or(stamp), touch.tally.clone()));
            }
        } else {
            touch.released = None;
        }
        touch.tally.add(stamp, now.secs, &deviation);

        let away = minus(&self.smooth, &touch.held);
        let part = weight(now.secs, HOLD_SECS);
        for (variance, away) in touch.held_variance.iter_mut().zip(&away) {
            *variance += part * (away * away - *variance);
        }
        approach(&mut touch.held, &self.smooth, part, f64::INFINITY);

        let is_back =
            self.former.is_some_and(|former| norm(&minus(&self.smooth, &former)) < touch.on);
        touch.back = if is_back { touch.back.or(Some(stamp)) } else { None };

        let mut end = |tally: &Tally, at: Stamp, settled: Option<Measure>| {
            let mut measures = tally.measures(&self.probe, Some(at));
            measures.extend(settled);
            out.push(signal(TriggerKind::Contact, Edge::End, at, measures));
        };
        if let Some((released, tally)) = &touch.released
            && self.is_off(*released, stamp)
        {
            end(tally, *released, None);
            let is_left = size >= self.off_ratio * self.threshold(&rest);
            let remains = is_left.then(|| Remains::new(stamp, size, self.smooth));
            return Phase::Free(Free { rest, candidate: None, remains });
        }
        if let (Some(back), Some(former)) = (touch.back, self.former)
            && self.is_off(back, stamp)
        {
            end(&touch.tally, back, None);
            self.former = Some(std::mem::replace(&mut rest.level, former));
            return rest.into();
        }
        if secs_between(touch.begin, stamp) >= self.settle_secs {
            end(&touch.tally, stamp, Some(measure("settled", self.settle_secs, "s")));
            self.former = Some(rest.level);
            rest.settle(touch.held, &touch.held_variance);
            return rest.into();
        }
        Phase::Touching(rest, touch)
    }
}
