use super::number::plain_of;
use super::pose::read_pose;
use super::wrench::vectors;
use super::{Body, Fault};
use crate::{Channel, Layout, LayoutKind, Numbers, Quantity, Value};
use robot_memory_core::limits::MESSAGE_NUMBERS_MAX;
use robot_memory_messages::Primitive;
use std::sync::Arc;

/// The channel with a robot's speed in its plane.
pub(crate) const SPEED: &str = "speed";

/// `geometry_msgs/Twist` and `TwistStamped`.
pub(super) fn twist() -> Body {
    let channels = vectors([("linear", Quantity::Speed), ("angular", Quantity::AngularVelocity)]);
    let layout = Arc::new(Layout { kind: LayoutKind::Plain, channels });
    Box::new(move |reader| {
        let mut values = Vec::with_capacity(6);
        reader.numbers(Primitive::F64, 6, &mut values)?;
        Ok(Value::Numbers(Numbers { layout: Arc::clone(&layout), values }))
    })
}

/// `nav_msgs/Odometry`: where the robot is, and how fast it moves.
pub(super) fn odometry() -> Body {
    let layout = plain_of(&[
        ("x", Quantity::Place),
        ("y", Quantity::Place),
        (SPEED, Quantity::Speed),
        ("turn", Quantity::AngularVelocity),
    ]);
    Box::new(move |reader| {
        let _child_frame_id =
            reader.text_bytes().map_err(|error| error.within("child_frame_id"))?;
        let [x, y, _] = read_pose(reader)?.position;
        let _covariance: [f64; 36] =
            reader.f64_array().map_err(|error| error.within("covariance"))?;
        let [speed_x, speed_y, _, _, _, turn] =
            reader.f64_array().map_err(|error| error.within("twist"))?;
        let values = vec![x, y, f64::hypot(speed_x, speed_y), turn];
        Ok(Value::Numbers(Numbers { layout: Arc::clone(&layout), values }))
    })
}

/// `sensor_msgs/Joy`: its axes, then its buttons.
pub(super) fn joy() -> Body {
    let mut layout = plain_of(&[]);
    Box::new(move |reader| {
        let mut values = Vec::with_capacity(layout.channels.len());
        let mut axes_count = 0;
        for (name, primitive) in [("axes", Primitive::F32), ("buttons", Primitive::I32)] {
            let count = reader.count(4).map_err(|error| error.within(name))?;
            if values.len() + count > MESSAGE_NUMBERS_MAX {
                return Err(Fault::TooMany { what: "numbers", count });
            }
            if name == "axes" {
                axes_count = count;
            }
            reader.numbers(primitive, count, &mut values).map_err(|error| error.within(name))?;
        }
        if values.is_empty() {
            return Err(Fault::Empty);
        }
        let name = |index: usize| match index.checked_sub(axes_count) {
            Some(button) => format!("buttons[{button}]"),
            None => format!("axes[{index}]"),
        };
        let is_same = layout.channels.len() == values.len()
            && layout.channels.get(axes_count).is_none_or(|first| first.name == name(axes_count));
        if !is_same {
            let channel = |index| Channel { name: name(index), quantity: Quantity::Unknown };
            let channels = (0..values.len()).map(channel).collect();
            layout = Arc::new(Layout { kind: LayoutKind::Plain, channels });
        }
        Ok(Value::Numbers(Numbers { layout: Arc::clone(&layout), values }))
    })
}
