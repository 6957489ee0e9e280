use super::number::plain_of;
use super::{Body, Fault};
use crate::{Numbers, Quantity, Value};
use robot_memory_messages::{CdrReader, Primitive};
use std::sync::Arc;

/// The channel with the status of a battery's supply: a number of `sensor_msgs/BatteryState`.
pub(crate) const STATUS: &str = "power_supply_status";
/// A share of more is one in percent, as of some robots; a full battery may measure some more than one.
const SHARE_MAX: f64 = 2.0;

/// `sensor_msgs/BatteryState`: percentage, voltage, current, temperature, status. A percentage that is not
/// measured is that of the charge in the capacity, if those are.
pub(super) fn battery() -> Body {
    let layout = plain_of(&[
        ("percentage", Quantity::Share),
        ("voltage", Quantity::Voltage),
        ("current", Quantity::Current),
        ("temperature", Quantity::Temperature),
        (STATUS, Quantity::Unknown),
    ]);
    let mut is_percent = false;
    Box::new(move |reader| {
        let [voltage, temperature, current, charge, capacity, design_capacity, percentage] =
            floats(reader)?;
        let status = f64::from(reader.u8()?);
        is_percent |= percentage > SHARE_MAX;
        let capacity = if capacity > 0.0 { capacity } else { design_capacity };
        let share = if percentage >= 0.0 {
            if is_percent { percentage } else { percentage * 100.0 }
        } else if charge >= 0.0 && capacity > 0.0 {
            charge / capacity * 100.0
        } else {
            f64::NAN
        };
        // An f32 has no more digits; `min` would make a number of NaN.
        let share = if share > 100.0 { 100.0 } else { (share * 1000.0).round() / 1000.0 };
        let values = vec![share, voltage, current, temperature, status];
        Ok(Value::Numbers(Numbers { layout: Arc::clone(&layout), values }))
    })
}

/// The charge in percent, if it is the state of a battery that measures it.
pub(crate) fn charge_of(value: &Value) -> Option<f64> {
    let Value::Numbers(Numbers { layout, values }) = value else { return None };
    let is_battery = layout.channels.last().is_some_and(|channel| channel.name == STATUS);
    values.first().copied().filter(|charge| is_battery && charge.is_finite())
}

/// Numbers of 32 bits, one behind the other; NaN for one that is not finite.
pub(super) fn floats<const N: usize>(reader: &mut CdrReader<'_>) -> Result<[f64; N], Fault> {
    let mut values = Vec::with_capacity(N);
    reader.numbers(Primitive::F32, N, &mut values)?;
    let mut values = values.into_iter();
    Ok(std::array::from_fn(|_| values.next().unwrap_or(f64::NAN)))
}
