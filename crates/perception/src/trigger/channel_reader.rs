use crate::{Layout, LayoutKind, Numbers, Quantity};
use std::sync::Arc;

/// Greatest number that is taken for a measurement: squares of greater ones are not finite.
const VALUE_MAX: f64 = 1e100;
/// Channels up to which the numbers of an unknown type are a vector, and not a field of taxels.
const VECTOR_MAX: usize = 3;

/// What was felt: a vector (of a force, an acceleration, or the numbers of an unknown type), or one number,
/// as the sum of taxels, and two zeros.
pub(super) type FeltVector = [f64; 3];

/// Which quantity of a stream is felt.
#[derive(Debug, Clone, Default)]
pub(super) struct ChannelReader {
    channel: Option<usize>,
    layout: Option<Arc<Layout>>,
    plan: Plan,
    /// The last number of each taxel: a missing one must not look like a release.
    held: Vec<f64>,
    /// Whether every number so far was a whole one, as raw counts are.
    is_whole: bool,
}

#[derive(Debug, Clone, Default, PartialEq)]
enum Plan {
    #[default]
    Nothing,
    Vector(Vec<usize>),
    Sum,
}

impl ChannelReader {
    /// Of one channel, or of what the kind of stream is about.
    pub(super) fn new(channel: Option<usize>) -> Self {
        Self { channel, ..Self::default() }
    }

    /// What is felt, if anything, and whether the layout is another one from now on.
    pub(super) fn read(&mut self, numbers: &Numbers) -> Option<(FeltVector, bool)> {
        let has_new_layout = self.layout.as_ref().is_some_and(|layout| *layout != numbers.layout);
        if has_new_layout || self.layout.is_none() {
            self.plan = plan(&numbers.layout, self.channel);
            self.held = vec![0.0; numbers.layout.channels.len()];
            self.is_whole = true;
            self.layout = Some(Arc::clone(&numbers.layout));
        }
        let sane = |value: f64| value.is_finite() && value.abs() <= VALUE_MAX;
        let mut felt = [0.0; 3];
        match &self.plan {
            Plan::Nothing => return None,
            Plan::Vector(channels) => {
                for (axis, &channel) in felt.iter_mut().zip(channels) {
                    match numbers.values.get(channel) {
                        Some(&value) if sane(value) => *axis = value,
                        _ => return None,
                    }
                }
            }
            Plan::Sum => {
                let mut is_any = false;
                for (held, &value) in self.held.iter_mut().zip(&numbers.values) {
                    if sane(value) {
                        *held = value;
                        is_any = true;
                        self.is_whole = self.is_whole && value.fract() == 0.0;
                    }
                }
                if !is_any {
                    return None;
                }
                felt[0] = self.held.iter().sum();
            }
        }
        Some((felt, has_new_layout))
    }

    /// Whether a touch can only raise what is felt.
    pub(super) fn only_rises(&self) -> bool {
        self.plan == Plan::Sum
    }

    /// The least deviation that can mean something on this stream, about a level at rest.
    pub(super) fn floor(&self, level: f64) -> f64 {
        match (self.quantity(), &self.plan) {
            (Quantity::Force, _) => f64::max(0.2, 0.01 * level),
            // Counts at exactly zero have been thresholded in the sensor.
            (_, Plan::Sum) if self.is_whole => {
                f64::max(if level == 0.0 { 0.9 } else { 3.0 }, 1e-3 * level)
            }
            _ => f64::max(1e-6, 1e-3 * level),
        }
    }

    /// What is measured.
    pub(super) fn quantity(&self) -> Quantity {
        match (&self.plan, &self.layout) {
            (Plan::Vector(channels), Some(layout)) => channels
                .first()
                .and_then(|&channel| layout.channels.get(channel))
                .map_or(Quantity::Unknown, |channel| channel.quantity),
            _ => Quantity::Unknown,
        }
    }

    /// Its unit.
    pub(super) fn unit(&self) -> &'static str {
        self.quantity().unit()
    }

    /// The name of the channel that has most of a deviation.
    pub(super) fn name_of(&self, deviation: &FeltVector) -> String {
        match (&self.plan, &self.layout) {
            (Plan::Vector(channels), Some(layout)) => {
                let mut most = 0;
                for axis in 1..channels.len().min(VECTOR_MAX) {
                    if deviation[axis].abs() > deviation[most].abs() {
                        most = axis;
                    }
                }
                let channel = channels.get(most).and_then(|&channel| layout.channels.get(channel));
                channel.map_or_else(String::new, |channel| channel.name.clone())
            }
            (Plan::Sum, _) => "sum".to_owned(),
            _ => String::new(),
        }
    }
}

fn plan(layout: &Layout, channel: Option<usize>) -> Plan {
    if let Some(channel) = channel {
        let is_there = channel < layout.channels.len();
        return if is_there { Plan::Vector(vec![channel]) } else { Plan::Nothing };
    }
    let with = |quantity: Quantity| {
        let channels = layout.channels.iter().enumerate();
        let found: Vec<_> = channels
            .filter(|(_, channel)| channel.quantity == quantity)
            .map(|(index, _)| index)
            .take(VECTOR_MAX)
            .collect();
        if found.is_empty() { Plan::Nothing } else { Plan::Vector(found) }
    };
    match layout.kind {
        LayoutKind::Wrench => with(Quantity::Force),
        LayoutKind::Imu => with(Quantity::Acceleration),
        LayoutKind::Joints => Plan::Nothing,
        LayoutKind::Taxels => Plan::Sum,
        LayoutKind::Plain => match layout.channels.len() {
            0 => Plan::Nothing,
            count if count <= VECTOR_MAX => Plan::Vector((0..count).collect()),
            _ => Plan::Sum,
        },
    }
}

/// The difference of two.
pub(super) fn minus(a: &FeltVector, b: &FeltVector) -> FeltVector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// The length.
pub(super) fn norm(felt: &FeltVector) -> f64 {
    felt.iter().map(|axis| axis * axis).sum::<f64>().sqrt()
}

/// Moves a mean toward a value by a part of their difference, of which no more than `reach` counts.
pub(super) fn approach(mean: &mut FeltVector, value: &FeltVector, part: f64, reach: f64) {
    let difference = minus(value, mean);
    let length = norm(&difference);
    let part = if length > reach { part * reach / length } else { part };
    for (mean, difference) in mean.iter_mut().zip(&difference) {
        *mean += part * difference;
    }
}
