use crate::{SettingsError, TriggerKind, TriggerSettings};

/// A parameter of a trigger.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameter {
    /// Whose it is.
    pub trigger: TriggerKind,
    /// Its name, unique among those of the trigger.
    pub name: &'static str,
    /// What holds when it is not given; `None`: what the stream itself tells, as `meaning` says.
    pub default: Option<f64>,
    pub min: f64,
    pub max: f64,
    /// Its unit; empty for a bare number.
    pub unit: &'static str,
    /// What it does, for documents.
    pub meaning: &'static str,
}

/// Channels that one message can have (see `perception::decode`), less one.
const CHANNEL_MAX: f64 = 4095.0;
/// No quantity of a robot is beyond it, in any unit.
const VALUE_MAX: f64 = 1e9;
/// Debounce: longer ones would not keep a begin and its end apart.
const DEBOUNCE_SECS_MAX: f64 = 10.0;
/// A day.
const DAY_SECS: f64 = 86_400.0;

/// Makes [`PARAMETERS`]: name, default, bounds, unit, and what it does.
macro_rules! parameters {
    ($($trigger:ident { $($name:literal, $default:expr, $bounds:expr, $unit:literal, $meaning:literal;)+ })+) => {
        /// Every parameter of every trigger, with its default, bounds and unit.
        pub const PARAMETERS: &[Parameter] = &[$($(Parameter {
            trigger: TriggerKind::$trigger,
            name: $name,
            default: $default,
            min: $bounds.0,
            max: $bounds.1,
            unit: $unit,
            meaning: $meaning,
        }),+),+];
    };
}

parameters! {
    Contact {
        "on", None, (0.0, VALUE_MAX), "N or as measured",
            "Least deviation from rest that is a contact; not given: by `sigmas` and a floor of \
             0.2 N or 1 % of the force at rest for wrenches, three steps of the sensor for others.";
        "sigmas", Some(6.0), (2.0, 100.0), "",
            "Deviation that is a contact, in times the noise at rest.";
        "off_ratio", Some(0.6), (0.05, 0.95), "",
            "Release is at this part of the deviation that made the contact.";
        "on_secs", Some(0.02), (0.0, DEBOUNCE_SECS_MAX), "s",
            "How long it must last to be a contact.";
        "off_secs", Some(0.1), (0.0, DEBOUNCE_SECS_MAX), "s",
            "How long a release must last.";
        "settle_secs", Some(30.0), (1.0, DAY_SECS), "s",
            "A contact that lasts so long becomes the state at rest, as a tool that was put on.";
        "channel", None, (0.0, CHANNEL_MAX), "",
            "Index of the one channel to look at; not given: the force of a wrench, the sum else.";
    }
    Impact {
        "rate", None, (0.0, VALUE_MAX), "N/s, m/s^3",
            "Rise in a second that an impact has at least; a noisy stream needs more, by `sigmas`. \
             Not given: 50 N/s, 200 m/s^3.";
        "sigmas", Some(10.0), (2.0, 1000.0), "",
            "Rise that is an impact, in times the stream's usual one.";
        "rise_secs", Some(0.03), (0.001, 1.0), "s",
            "Over how long the rise is measured; at least from one reading to the next.";
        "rest_secs", Some(0.3), (0.0, 60.0), "s",
            "Quiet after which another impact can be reported.";
        "channel", None, (0.0, CHANNEL_MAX), "",
            "Index of the one channel to look at; not given: force, acceleration, or the sum.";
    }
    Slip {
        "loss", Some(0.15), (0.01, 0.9), "",
            "Part of the force in the grip that is quickly lost when something slips.";
        "vibration", Some(0.05), (0.001, 10.0), "",
            "Vibration of something that slips, as a part of the force in the grip.";
        "sigmas", Some(8.0), (2.0, 1000.0), "",
            "Loss or vibration that is a slip, in times the noise at rest.";
        "rest_secs", Some(0.5), (0.0, 60.0), "s",
            "Quiet after which another slip can be reported.";
        "channel", None, (0.0, CHANNEL_MAX), "",
            "Index of the one channel to look at; not given: the force of a wrench, the sum else.";
    }
    Edge {
        "falling", Some(0.0), (0.0, 1.0), "",
            "1: a falling edge is an activity of its own, too; 0: it only ends that of the rising.";
        "first", None, (0.0, 1.0), "",
            "1: a first value that is true is an activity, too; 0: it is none. Not given: 1 of a \
             topic whose name says that it stops the robot.";
        "channel", Some(0.0), (0.0, CHANNEL_MAX), "",
            "Of numbers, index of the one that is true when it is not zero.";
    }
    Change {
        "channel", Some(0.0), (0.0, CHANNEL_MAX), "",
            "Of numbers, index of the one that is watched.";
    }
    Motion {
        "on", None, (0.0, VALUE_MAX), "rad/s",
            "Least velocity that is a motion; not given: by `sigmas` and a floor of 0.01 rad/s.";
        "sigmas", Some(7.0), (2.0, 100.0), "",
            "Velocity that is a motion, in times a joint's noise at rest.";
        "off_ratio", Some(0.6), (0.05, 0.95), "",
            "Stopped is below this part of the velocity that made the motion.";
        "on_secs", Some(0.04), (0.0, DEBOUNCE_SECS_MAX), "s",
            "How long it must last to be a motion.";
        "off_secs", Some(0.3), (0.0, DEBOUNCE_SECS_MAX), "s",
            "How long a stop must last; shorter ones belong to the motion.";
    }
    Novelty {
        "sigmas", Some(4.0), (1.0, 100.0), "",
            "Shift of the mean that is new, in times the usual spread.";
        "decision", Some(8.0), (2.0, 100.0), "",
            "Sum of deviations that decides; more: later and surer.";
        "window_secs", Some(10.0), (1.0, 3600.0), "s",
            "How far back the usual mean and spread reach.";
        "rest_secs", Some(5.0), (0.0, 3600.0), "s",
            "Least time between two of them, in which the new is got used to.";
        "channel", None, (0.0, CHANNEL_MAX), "",
            "Index of the one channel to look at; not given: all of them.";
    }
    Keyframe {
        "difference", Some(0.25), (0.0, 1.0), "",
            "Least difference from the last picture kept; raised where the camera's own noise is \
             greater.";
        "min_secs", Some(1.0), (0.0, DAY_SECS), "s",
            "Least time between two pictures that are kept.";
        "max_secs", Some(0.0), (0.0, 30.0 * DAY_SECS), "s",
            "Time after which a picture is kept though nothing changed; 0: never.";
        "sharpness_ratio", Some(0.5), (0.0, 1.0), "",
            "Least sharpness, as a part of that of the sharpest of the last seconds; 0: any.";
    }
    Level {
        "fold_secs", Some(10.0), (0.0, 3600.0), "s",
            "What comes again so soon after it was over is the same: a component that flaps, a line \
             that is repeated.";
    }
    Threshold {
        "below", None, (-VALUE_MAX, VALUE_MAX), "as measured",
            "The number is too low below it. Not given: 0.25 m of distances to obstacles, none of others.";
        "above", None, (-VALUE_MAX, VALUE_MAX), "as measured",
            "The number is too high above it.";
        "clear", None, (-VALUE_MAX, VALUE_MAX), "as measured",
            "Where it is back; not given: a tenth of the bound away from it.";
        "hold_secs", Some(0.0), (0.0, 3600.0), "s",
            "How long it must last.";
        "first", None, (0.0, 1.0), "",
            "1: a first number beyond the bound is an event, too; 0: it is none. Not given: 0 of \
             distances, 1 of others.";
        "channel", None, (0.0, CHANNEL_MAX), "",
            "Index of the one channel to look at; not given: all that measure what the first does.";
    }
    Charge {
        "low", Some(20.0), (0.0, 100.0), "%",
            "Charge at which a battery is low.";
        "critical", Some(10.0), (0.0, 100.0), "%",
            "Charge at which it is critical.";
        "clear", Some(3.0), (0.0, 100.0), "%",
            "How far above them it must be before it can be so again.";
    }
    Stuck {
        "hold_secs", Some(5.0), (0.5, 600.0), "s",
            "How long a robot is commanded and does not move.";
        "speed", Some(0.05), (0.001, 100.0), "m/s, rad/s",
            "Least command that should move it.";
        "distance", Some(0.05), (0.001, 100.0), "m, rad",
            "What is no movement, as that of a wheel that slips.";
    }
    Drive {
        "speed", Some(0.02), (0.001, 100.0), "m/s",
            "Speed from which a robot drives.";
        "off_secs", Some(2.0), (0.0, 600.0), "s",
            "How long a stop must last; shorter ones belong to the drive.";
    }
    Takeover {
        "quiet_secs", Some(5.0), (0.1, 3600.0), "s",
            "Rest after which the operator has let go; shorter ones belong to the takeover.";
        "settle_secs", Some(30.0), (1.0, DAY_SECS), "s",
            "What does not change for so long is rest, as a lever that was left.";
    }
    Periodic {
        "period_secs", Some(60.0), (0.01, 30.0 * DAY_SECS), "s",
            "From one to the next.";
    }
}

/// The parameters of a trigger, in the order of documents.
pub fn parameters_of(trigger: TriggerKind) -> impl Iterator<Item = &'static Parameter> {
    PARAMETERS.iter().filter(move |parameter| parameter.trigger == trigger)
}

/// Checks names and bounds.
pub(super) fn check(settings: &TriggerSettings) -> Result<(), SettingsError> {
    let trigger = settings.kind;
    let wrong = |reason| Err(SettingsError::new(format!("trigger {trigger}"), reason));
    if trigger == TriggerKind::Capture {
        return Err(by_call(trigger));
    }
    for (name, &given) in &settings.parameters {
        let Some(parameter) = parameters_of(trigger).find(|parameter| parameter.name == name)
        else {
            let known: Vec<_> = parameters_of(trigger).map(|parameter| parameter.name).collect();
            return wrong(format!("has no parameter {name:?}, it has {}", known.join(", ")));
        };
        let &Parameter { name, min, max, .. } = parameter;
        if !(min..=max).contains(&given) {
            return wrong(format!("{name} must be from {min} to {max}, was {given}"));
        }
    }
    let given = |name: &str| settings.parameters.get(name);
    if let (TriggerKind::Threshold, Some(clear)) = (trigger, given("clear")) {
        if let Some(below) = given("below").filter(|below| clear < below) {
            return wrong(format!("clear must be at least below ({below}), was {clear}"));
        }
        if let Some(above) = given("above").filter(|above| clear > above) {
            return wrong(format!("clear must be at most above ({above}), was {clear}"));
        }
    }
    Ok(())
}

/// It is asked for by a call, not by a stream.
pub(super) fn by_call(trigger: TriggerKind) -> SettingsError {
    let reason = "is asked for by a call, and no trigger of a stream";
    SettingsError::new(format!("trigger {trigger}"), reason)
}

/// What holds of a parameter: what was given, or else its default.
pub(super) fn value(settings: &TriggerSettings, name: &'static str) -> Option<f64> {
    settings.parameters.get(name).copied().or_else(|| {
        parameters_of(settings.kind)
            .find(|parameter| parameter.name == name)
            .and_then(|parameter| parameter.default)
    })
}

/// That of a parameter which has a default; 0 for one without, which the tests rule out.
pub(super) fn number(settings: &TriggerSettings, name: &'static str) -> f64 {
    value(settings, name).unwrap_or_default()
}

/// That of a parameter that is a channel's index.
pub(super) fn channel(settings: &TriggerSettings) -> Option<usize> {
    value(settings, "channel").map(|index| index as usize)
}
