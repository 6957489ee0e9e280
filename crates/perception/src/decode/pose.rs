use super::Fault;
use crate::{Pose, Value};
use robot_memory_messages::{CdrError, CdrReader};

/// `geometry_msgs/PoseStamped`.
pub(super) fn pose(reader: &mut CdrReader<'_>) -> Result<Value, Fault> {
    read_pose(reader).map(Value::Pose)
}

/// `nav_msgs/Odometry`: its pose; the twist is left out.
pub(super) fn odometry(reader: &mut CdrReader<'_>) -> Result<Value, Fault> {
    let _child_frame_id = reader.text_bytes().map_err(|error| error.within("child_frame_id"))?;
    pose_with_covariance(reader)
}

/// `geometry_msgs/PoseWithCovarianceStamped`. All zeros are nobody's covariance, and taken as not
/// told; a variance that is negative or no number is taken as endless, so that nobody trusts it.
pub(super) fn pose_with_covariance(reader: &mut CdrReader<'_>) -> Result<Value, Fault> {
    let mut pose = read_pose(reader)?;
    let covariance: [f64; 36] =
        reader.f64_array().map_err(|error: CdrError| error.within("covariance"))?;
    let is_given = covariance.iter().any(|&entry| entry != 0.0);
    pose.variances = is_given.then(|| {
        std::array::from_fn(|axis| match covariance[axis * 7] {
            variance if variance >= 0.0 => variance,
            _ => f64::INFINITY,
        })
    });
    Ok(Value::Pose(pose))
}

/// Reads a `geometry_msgs/Pose`.
pub(super) fn read_pose(reader: &mut CdrReader<'_>) -> Result<Pose, Fault> {
    let position: [f64; 3] = reader.f64_array().map_err(|error| error.within("position"))?;
    let orientation: [f64; 4] = reader.f64_array().map_err(|error| error.within("orientation"))?;
    if !position.iter().all(|number| number.is_finite()) {
        return Err(Fault::NotFinite("its position"));
    }
    if !orientation.iter().all(|number| number.is_finite()) {
        return Err(Fault::NotFinite("its orientation"));
    }
    Ok(Pose { position, orientation, variances: None })
}
