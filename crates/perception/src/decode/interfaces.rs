use super::{Body, Fault};
use crate::{Channel, Layout, LayoutKind, Numbers, Quantity, Value};
use robot_memory_core::limits::{MESSAGE_NUMBERS_MAX, NAME_BYTES_MAX};
use robot_memory_messages::{CdrError, CdrReader, Primitive, beginning};
use std::sync::Arc;

/// `control_msgs/DynamicJointState`: each interface of each joint, as `elbow.position`, `gripper.temperature`.
pub(super) fn dynamic_joints() -> Body {
    let mut known =
        (Vec::new(), Arc::new(Layout { kind: LayoutKind::Joints, channels: Vec::new() }));
    Box::new(move |reader| {
        let (mut names, mut values) = (Vec::new(), Vec::new());
        read(reader, &mut names, &mut values)?;
        if values.is_empty() {
            return Err(Fault::Empty);
        }
        if known.0 != names {
            let channels = names
                .iter()
                .map(|name: &String| Channel { name: name.clone(), quantity: quantity_of(name) });
            let channels = channels.collect();
            known = (names, Arc::new(Layout { kind: LayoutKind::Joints, channels }));
        }
        Ok(Value::Numbers(Numbers { layout: Arc::clone(&known.1), values }))
    })
}

fn read(
    reader: &mut CdrReader<'_>,
    names: &mut Vec<String>,
    values: &mut Vec<f64>,
) -> Result<(), Fault> {
    let joints = texts(reader).map_err(|error| error.within("joint_names"))?;
    let within = |error: CdrError| error.within("interface_values");
    let count = reader.count(8).map_err(within)?;
    for index in 0..count {
        let interfaces = texts(reader).map_err(within)?;
        let given = reader.count(8).map_err(within)?;
        if values.len().max(given) + given > MESSAGE_NUMBERS_MAX {
            return Err(Fault::TooMany { what: "numbers", count: values.len() + given });
        }
        reader.numbers(Primitive::F64, given, values).map_err(within)?;
        let joint = joints.get(index).cloned().unwrap_or_else(|| format!("joint{index}"));
        names.extend((0..given).map(|at| match interfaces.get(at) {
            Some(interface) => format!("{joint}.{interface}"),
            None => format!("{joint}.interface{at}"),
        }));
    }
    Ok(())
}

fn texts(reader: &mut CdrReader<'_>) -> Result<Vec<String>, CdrError> {
    // One is in the names of all its interfaces.
    let text = |text: &str| beginning(text, NAME_BYTES_MAX).to_owned();
    (0..reader.count(4)?).map(|_| reader.text().map(|whole| text(&whole))).collect()
}

/// What is measured, by the names of ros2_control.
fn quantity_of(name: &str) -> Quantity {
    match name.rsplit('.').next() {
        Some("position") => Quantity::Position,
        Some("velocity") => Quantity::Velocity,
        Some("effort" | "torque") => Quantity::Effort,
        Some("temperature") => Quantity::Temperature,
        Some("voltage") => Quantity::Voltage,
        Some("current") => Quantity::Current,
        _ => Quantity::Unknown,
    }
}
