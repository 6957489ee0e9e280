//! Sentences about events, as a person would write and search for them.

mod part;
mod robots;
mod subject;

pub(super) use part::moved;
pub use subject::Sense;
pub(super) use subject::{Subject, words_by};

use super::span::secs_between;
use super::{Measure, TriggerKind};
use part::{is_many, part_or};
use robot_memory_core::event::told_secs;
use robot_memory_core::model::Stamp;

/// Characters of a sentence: what a memory may have, less one.
const CHARS_MAX: usize = robot_memory_core::limits::CONTENT_CHARS_MAX - 1;
/// Characters of a text that was read, in a sentence.
const QUOTED_CHARS_MAX: usize = 60;
/// Part of a change that is told as nothing; and sigmas of it that are told.
const NOTHING_PART: f64 = 0.002;
const SIGMAS_SHOWN_MAX: f64 = 20.0;
/// Other activities that are told of.
const BESIDE_MAX: usize = 3;

/// Something that went on beside an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Beside<'a> {
    /// On which stream.
    pub subject: &'a Subject,
    pub kind: TriggerKind,
    /// What of it moved, when that is said; empty else.
    pub part: &'a str,
    /// Whether it had begun before the event.
    pub is_before: bool,
}

/// What there is to say of an event.
#[derive(Debug, Clone, Copy)]
pub(super) struct EventFacts<'a> {
    /// Of which stream.
    pub subject: &'a Subject,
    /// What made it.
    pub kind: TriggerKind,
    pub begin: Stamp,
    /// How long it lasted; `None` when it takes no time.
    pub secs: Option<f64>,
    /// Whether it had not ended when it was closed.
    pub goes_on: bool,
    pub measures: &'a [Measure],
    /// Activities that are one event.
    pub count: u32,
    /// What went on beside it, the most telling first.
    pub beside: &'a [Beside<'a>],
    /// Why it was asked for; empty when it was not.
    pub reason: &'a str,
}

impl EventFacts<'_> {
    /// The sentence, below 300 characters.
    pub fn sentence(&self) -> String {
        let mut text = match self.kind {
            TriggerKind::Contact => self.contact(),
            TriggerKind::Impact => self.impact(),
            TriggerKind::Slip => self.slip(),
            TriggerKind::Edge => self.edge(),
            TriggerKind::Change => self.change(),
            TriggerKind::Motion => self.motion(),
            TriggerKind::Novelty => self.novelty(),
            TriggerKind::Keyframe => self.keyframe(),
            TriggerKind::Level => self.level(),
            TriggerKind::Threshold => self.threshold(),
            TriggerKind::Charge => self.charge(),
            TriggerKind::Stuck => self.stuck(),
            TriggerKind::Drive => self.drive(),
            TriggerKind::Takeover => self.takeover(),
            TriggerKind::Periodic => self.periodic(),
            TriggerKind::Capture => format!("captured: {}; {}", self.reason.trim(), self.subject.0),
        };
        if self.count > 1 {
            text.push_str(&format!(", {} times", self.count));
        }
        if self.kind != TriggerKind::Periodic {
            self.push_beside(&mut text);
        }
        if text.chars().count() < robot_memory_core::limits::DESCRIPTION_CHARS_MIN {
            text.insert_str(0, "event: ");
        }
        cut(&text, CHARS_MAX)
    }

    fn push_beside(&self, text: &mut String) {
        let is_state = matches!(self.kind, TriggerKind::Edge | TriggerKind::Change);
        let mut is_first = true;
        let mut said: Vec<String> = Vec::new();
        for beside in self.beside {
            let clause = if is_state && beside.is_before {
                let link = if is_first { ", while " } else { " and " };
                format!("{link}{}", beside.was())
            } else {
                let then = if beside.is_before { "" } else { "then " };
                format!("; {then}{}", beside.is())
            };
            if said.contains(&clause) {
                continue;
            }
            text.push_str(&clause);
            said.push(clause);
            is_first = false;
            if said.len() == BESIDE_MAX {
                break;
            }
        }
    }

    fn contact(&self) -> String {
        let mut text =
            format!("contact on {}{}", self.subject.0, self.measure_text(", peak ", "peak"));
        if let Some(stamp) = self.measure("peak").and_then(|peak| peak.stamp) {
            text.push_str(&format!(" at {}", seconds(self.secs_to(stamp))));
        }
        if let Some(secs) = self.secs {
            let how = match (self.measure("settled"), self.goes_on) {
                (Some(_), _) => "taken as the new rest",
                (None, true) => "still on",
                (None, false) => "released",
            };
            text.push_str(&format!(", {how} after {}", seconds(secs)));
        }
        text
    }

    fn impact(&self) -> String {
        let (peak, rate) =
            (self.measure_text(", peak ", "peak"), self.measure_text(", rising by ", "rise_rate"));
        format!("impact on {}{peak}{rate}", self.subject.0)
    }

    fn slip(&self) -> String {
        let mut text = format!("slip felt on {}", self.subject.0);
        if let Some(loss) = self.measure("loss") {
            text.push_str(&format!(", force down by {} %", rounded(loss.value * 100.0)));
        }
        text + &self.measure_text(" from ", "force")
    }

    fn edge(&self) -> String {
        let is_on = self.measure("to").is_none_or(|to| to.of != "false");
        let mut text = state(&self.subject.0, is_on);
        if self.measure("from").is_some_and(|from| from.of == "unknown") {
            text.push_str(" already when first heard");
        }
        if let Some(secs) = self.secs {
            let still = if self.goes_on { ", still so after" } else { ", for" };
            text.push_str(&format!("{still} {}", seconds(secs)));
        }
        text
    }

    fn change(&self) -> String {
        let mut text = format!("{} changed", self.subject.0);
        for (name, link) in [("from", "from"), ("to", "to")] {
            if let Some(measure) = self.measure(name) {
                text.push_str(&format!(" {link} \"{}\"", quoted(&measure.of)));
            }
        }
        text
    }

    fn motion(&self) -> String {
        // All joints of a robot are often on one topic.
        let part = part_or(&self.subject.0, moved(self.kind, self.measures));
        let mut text = match (self.secs, self.goes_on) {
            (Some(secs), false) => format!("{part} moved {}", seconds(secs)),
            (Some(secs), true) => format!("{part} moving, still so after {}", seconds(secs)),
            (None, _) => format!("{part} moved"),
        };
        if let Some(distance) = self.measure("distance") {
            let joint = cut(joint_of(&distance.of), QUOTED_CHARS_MAX);
            text.push_str(&format!(", mostly {joint} by {}", quantity(distance)));
        }
        text + &self.measure_text(", peak ", "peak")
    }

    fn novelty(&self) -> String {
        let mut text = format!("unusual change on {}", self.subject.0);
        let shift = self.measure("shift");
        if let Some(shift) = shift
            && !shift.of.is_empty()
        {
            text.push_str(&format!(", {}", cut(&shift.of, QUOTED_CHARS_MAX)));
        }
        if let (Some(before), Some(after)) = (self.measure("before"), self.measure("after")) {
            // Beside the change the rest of a rounding is nothing.
            let least = NOTHING_PART * (after.value - before.value).abs();
            let shown = |value: f64| if value.abs() < least { 0.0 } else { value };
            let after = Measure { value: shown(after.value), ..after.clone() };
            let (before, after) = (rounded(shown(before.value)), quantity(&after));
            text.push_str(&format!(" from {before} to {after}"));
        }
        match shift.map(|shift| shift.value.abs()) {
            // Of what hardly ever changes the spread is hardly known.
            Some(sigmas) if sigmas > SIGMAS_SHOWN_MAX => {
                text.push_str(&format!(" (more than {SIGMAS_SHOWN_MAX} sigma)"));
            }
            Some(sigmas) => text.push_str(&format!(" ({} sigma)", rounded(sigmas))),
            None => {}
        }
        text
    }

    fn keyframe(&self) -> String {
        let mut text = format!("{}: new view", self.subject.0);
        if let Some(difference) = self.measure("difference")
            && difference.value.is_finite()
        {
            text.push_str(&format!(" (difference {})", rounded(difference.value)));
        }
        text
    }

    fn periodic(&self) -> String {
        let mut text = format!("{}, kept as it was", self.subject.0);
        if let Some(period) = self.measure("period") {
            text.push_str(&format!(", every {}", seconds(period.value)));
        }
        text
    }

    /// A measure behind what leads to it; nothing when there is none.
    fn measure_text(&self, lead: &str, name: &str) -> String {
        self.measure(name).map(|measure| format!("{lead}{}", quantity(measure))).unwrap_or_default()
    }

    fn measure(&self, name: &str) -> Option<&Measure> {
        self.measures.iter().find(|measure| measure.name == name)
    }

    fn secs_to(&self, stamp: Stamp) -> f64 {
        secs_between(self.begin, stamp)
    }
}

impl Beside<'_> {
    /// Whether this kind is told of beside others: what only passed is not.
    pub fn is_telling(kind: TriggerKind) -> bool {
        Self::rank(kind) < 5
    }

    /// The most telling have the least.
    pub fn rank(kind: TriggerKind) -> u8 {
        match kind {
            TriggerKind::Edge => 0,
            TriggerKind::Motion => 1,
            TriggerKind::Contact => 2,
            TriggerKind::Slip => 3,
            TriggerKind::Impact => 4,
            TriggerKind::Stuck | TriggerKind::Takeover => 1,
            TriggerKind::Change
            | TriggerKind::Level
            | TriggerKind::Threshold
            | TriggerKind::Charge
            | TriggerKind::Drive
            | TriggerKind::Novelty
            | TriggerKind::Keyframe
            | TriggerKind::Periodic
            | TriggerKind::Capture => 5,
        }
    }

    fn is(&self) -> String {
        let subject = part_or(self.subject.as_str(), self.part);
        match self.kind {
            TriggerKind::Motion => format!("{subject} moving"),
            TriggerKind::Edge => state(subject, true),
            TriggerKind::Slip => format!("slip felt on {subject}"),
            TriggerKind::Stuck => "robot stuck".to_owned(),
            TriggerKind::Takeover => "operator in command".to_owned(),
            kind => format!("{kind} on {subject}"),
        }
    }

    fn was(&self) -> String {
        let subject = part_or(self.subject.as_str(), self.part);
        match self.kind {
            TriggerKind::Motion if is_many(subject) => format!("the {subject} were moving"),
            TriggerKind::Motion => format!("the {subject} was moving"),
            TriggerKind::Edge if is_said(subject) => subject.to_owned(),
            TriggerKind::Edge => format!("{subject} was on"),
            TriggerKind::Contact => format!("in contact on {subject}"),
            TriggerKind::Slip => format!("slip was felt on {subject}"),
            TriggerKind::Stuck => "the robot was stuck".to_owned(),
            TriggerKind::Takeover => "an operator was in command".to_owned(),
            kind => format!("there was an {kind} on {subject}"),
        }
    }
}

/// Whether the words are a statement already: `grip lost`, `door open`.
fn is_said(subject: &str) -> bool {
    const STATES: [&str; 10] =
        ["lost", "open", "down", "up", "done", "ready", "active", "running", "on", "off"];
    let last = subject.rsplit(' ').next().unwrap_or_default();
    STATES.contains(&last) || (last.len() > 4 && last.ends_with("ed"))
}

fn state(subject: &str, is_on: bool) -> String {
    match (is_said(subject), is_on) {
        (true, true) => subject.to_owned(),
        (true, false) => format!("{subject} no longer"),
        (false, true) => format!("{subject} on"),
        (false, false) => format!("{subject} off"),
    }
}

/// The joint of a channel: `elbow_joint.velocity` is one of `elbow_joint`.
fn joint_of(channel: &str) -> &str {
    let ends = [".position", ".velocity", ".effort"];
    ends.iter().find_map(|end| channel.strip_suffix(end)).unwrap_or(channel)
}

fn quantity(measure: &Measure) -> String {
    let unit = if measure.unit.is_empty() { String::new() } else { format!(" {}", measure.unit) };
    format!("{}{unit}", rounded(measure.value))
}

/// Three digits, without zeros at the end.
fn rounded(value: f64) -> String {
    let size = value.abs();
    let decimals = match size {
        _ if !value.is_finite() => return "unknown".to_owned(),
        _ if size >= 1e7 || (size > 0.0 && size < 1e-4) => return format!("{value:.2e}"),
        _ if size >= 100.0 => 0,
        _ if size >= 10.0 => 1,
        _ if size >= 0.1 => 2,
        _ => 4,
    };
    trimmed(format!("{value:.decimals$}"))
}

fn seconds(secs: f64) -> String {
    let told = told_secs(secs);
    match secs.abs() >= 120.0 {
        true => trimmed(format!("{:.1}", told / 60.0)) + " min",
        false => trimmed(format!("{told:.2}")) + " s",
    }
}

fn trimmed(mut number: String) -> String {
    if number.contains('.') {
        number.truncate(number.trim_end_matches('0').trim_end_matches('.').len());
    }
    if number == "-0" { "0".to_owned() } else { number }
}

/// What an event is of, as its sentence calls it.
pub(super) fn part_of_robot<'a>(
    subject: &'a Subject,
    kind: TriggerKind,
    measures: &'a [Measure],
) -> &'a str {
    let component = measures.iter().find(|measure| measure.name == "name");
    match component.filter(|_| kind == TriggerKind::Level) {
        Some(component) => &component.of,
        None => part_or(&subject.0, moved(kind, measures)),
    }
}

/// A text on one line, without double quotes, cut.
pub(super) fn quoted(text: &str) -> String {
    quoted_to(text, QUOTED_CHARS_MAX)
}

fn quoted_to(text: &str, chars_max: usize) -> String {
    let line: String = text
        .chars()
        .map(|letter| match letter {
            '"' => '\'',
            _ if letter.is_control() => ' ',
            _ => letter,
        })
        .collect();
    cut(line.trim(), chars_max)
}

fn cut(text: &str, chars_max: usize) -> String {
    if text.chars().count() <= chars_max {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(chars_max.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LayoutKind;

    fn measure(name: &'static str, value: f64, unit: &str, of: &str, secs: Option<f64>) -> Measure {
        let stamp = secs.map(|secs| Stamp((secs * 1e9) as i64));
        Measure { name, value, unit: unit.into(), of: of.into(), stamp }
    }

    #[test]
    fn streams_are_called_as_a_person_would() {
        use LayoutKind::{Imu, Joints, Plain, Taxels, Wrench};
        let cases = [
            ("/ur3/protective_stop", Sense::Bool, "protective stop"),
            ("/gripper/grip_lost", Sense::Bool, "gripper: grip lost"),
            ("/ur3/cycle", Sense::Text, "cycle"),
            ("/wrist/wrench", Sense::Numbers(Wrench), "wrist force"),
            ("/ft_sensor/wrench", Sense::Numbers(Wrench), "force"),
            ("/force_torque_sensor_broadcaster/wrench", Sense::Numbers(Wrench), "force"),
            ("/joint_states", Sense::Numbers(Joints), "arm"),
            ("/gripper/joint_state", Sense::Numbers(Joints), "gripper"),
            ("/leftArm/joint_states", Sense::Numbers(Joints), "left arm"),
            ("/left_finger/taxels", Sense::Numbers(Taxels), "left finger tactile sensor"),
            ("/imu/data", Sense::Numbers(Imu), "IMU"),
            ("/battery/voltage", Sense::Numbers(Plain), "battery voltage"),
            ("/camera/front/image_raw", Sense::Image, "camera front"),
            ("/front/image_raw/compressed", Sense::Image, "front camera"),
            ("/image_raw", Sense::Image, "camera"),
        ];
        for (topic, sense, words) in cases {
            let name = topic.trim_start_matches('/');
            assert_eq!(Subject::new(name, topic, sense).as_str(), words, "{topic}");
        }
        let named = Subject::new("wrist", "/ft/wrench", Sense::Numbers(Wrench));
        assert_eq!(named.as_str(), "wrist force");
        assert_eq!(Subject::new("", "", Sense::Bool).as_str(), "");
    }

    #[test]
    fn events_are_told_as_a_person_would() {
        let wrist = Subject("wrist force".into());
        let arm = Subject("arm".into());
        let stop = Subject("protective stop".into());
        let grip = Subject("gripper: grip lost".into());
        let camera = Subject("camera front".into());
        let cycle = Subject("cycle".into());
        let beside = |subject, kind, is_before| Beside { subject, kind, part: "", is_before };
        let moving = [beside(&arm, TriggerKind::Motion, true)];
        let rolling = [Beside { part: "wheels", ..moving[0] }];
        let level = [
            measure("shift", 87.6, "sigma", "data", None),
            measure("before", -1.85e-5, "", "data", None),
            measure("after", 0.5, "", "data", None),
        ];
        let stopped = [beside(&stop, TriggerKind::Edge, false)];
        let contact = [measure("peak", 23.412, "N", "force.z", Some(11.2))];
        let motion = [
            measure("distance", 0.8213, "rad", "elbow_joint.position", None),
            measure("peak", 1.1, "rad/s", "elbow_joint", None),
        ];
        let wheel = [measure("distance", 4.7, "rad", "wheel_left_joint.velocity", None)];
        let words = [
            measure("from", f64::NAN, "", "a", None),
            measure("to", f64::NAN, "", "b\n\"c\"", None),
        ];
        let off = [measure("to", f64::NAN, "", "false", None)];
        let view = [measure("difference", 0.344, "", "", None)];
        let facts = |subject, kind, secs, goes_on, measures, beside| EventFacts {
            subject,
            kind,
            begin: Stamp::from_secs(10),
            secs,
            goes_on,
            measures,
            count: 1,
            beside,
            reason: "",
        };
        use TriggerKind::{Change, Contact, Edge, Keyframe, Motion, Novelty};
        let cases = [
            (
                facts(&wrist, Contact, Some(3.1), false, &contact[..], &moving[..]),
                "contact on wrist force, peak 23.4 N at 1.2 s, released after 3.1 s; arm moving",
            ),
            (
                facts(&wrist, Contact, Some(30.0), true, &[], &[]),
                "contact on wrist force, still on after 30 s",
            ),
            (
                facts(&stop, Edge, Some(2.1), false, &[], &moving),
                "protective stop on, for 2.1 s, while the arm was moving",
            ),
            (
                facts(&stop, Edge, Some(2.1), false, &[], &rolling),
                "protective stop on, for 2.1 s, while the wheels were moving",
            ),
            (
                facts(&cycle, Novelty, None, false, &level, &rolling),
                "unusual change on cycle, data from 0 to 0.5 (more than 20 sigma); wheels moving",
            ),
            (facts(&grip, Edge, None, false, &[], &[]), "gripper: grip lost"),
            (facts(&stop, Edge, None, false, &off, &[]), "protective stop off"),
            (
                facts(&arm, Motion, Some(3.4), false, &motion, &stopped),
                "arm moved 3.4 s, mostly elbow_joint by 0.82 rad, peak 1.1 rad/s; then protective stop on",
            ),
            (
                facts(&arm, Motion, Some(2.4), false, &wheel, &[]),
                "wheels moved 2.4 s, mostly wheel_left_joint by 4.7 rad",
            ),
            (
                facts(&camera, Keyframe, None, false, &view, &[]),
                "camera front: new view (difference 0.34)",
            ),
            (
                facts(&cycle, Change, None, false, &words, &[]),
                "cycle changed from \"a\" to \"b 'c'\"",
            ),
        ];
        for (facts, sentence) in cases {
            assert_eq!(facts.sentence(), sentence);
        }
    }

    #[test]
    fn a_sentence_is_bounded() {
        let subject = Subject("é".repeat(1000));
        let reason = "ü".repeat(1000);
        for kind in TriggerKind::ALL {
            let facts = EventFacts {
                subject: &subject,
                kind: *kind,
                begin: Stamp(0),
                secs: Some(f64::NAN),
                goes_on: true,
                measures: &[measure("peak", f64::NAN, "N", "x", Some(f64::MAX))],
                count: u32::MAX,
                beside: &[],
                reason: &reason,
            };
            let sentence = facts.sentence();
            assert!((5..300).contains(&sentence.chars().count()), "{sentence}");
        }
    }

    #[test]
    fn numbers_are_rounded_to_what_is_heard() {
        let cases = [
            (23.412, "23.4"),
            (0.0, "0"),
            (-0.001, "-0.001"),
            (812.4, "812"),
            (1.0, "1"),
            (0.344, "0.34"),
            (1e9, "1.00e9"),
            (f64::NAN, "unknown"),
        ];
        for (value, text) in cases {
            assert_eq!(rounded(value), text);
        }
        assert_eq!(seconds(3.12), "3.1 s");
        assert_eq!(seconds(0.354), "0.35 s");
        assert_eq!(seconds(600.0), "10 min");
    }
}
