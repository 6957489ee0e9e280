use super::header::Header;
use super::{Decode, Fault};
use crate::{Pose, Reading, Value};
use robot_memory_messages::{CdrError, CdrReader};

/// `geometry_msgs/PoseStamped`.
#[derive(Debug, Default)]
pub(super) struct PoseStamped {
    header: Header,
}

impl Decode for PoseStamped {
    fn decode(&mut self, message: &[u8]) -> Result<Reading, Fault> {
        let mut reader = CdrReader::new(message)?;
        let (stamp, frame_id) = self.header.read(&mut reader)?;
        let pose = read_pose(&mut reader)?;
        Ok(Reading { stamp, frame_id, value: Value::Pose(pose) })
    }
}

/// `geometry_msgs/PoseWithCovarianceStamped`.
#[derive(Debug, Default)]
pub(super) struct PoseWithCovarianceStamped {
    header: Header,
}

impl Decode for PoseWithCovarianceStamped {
    fn decode(&mut self, message: &[u8]) -> Result<Reading, Fault> {
        let mut reader = CdrReader::new(message)?;
        let (stamp, frame_id) = self.header.read(&mut reader)?;
        let pose = read_pose_with_covariance(&mut reader)?;
        Ok(Reading { stamp, frame_id, value: Value::Pose(pose) })
    }
}

/// Reads a `geometry_msgs/PoseWithCovariance`. All zeros are nobody's covariance, and taken as not
/// told; a variance that is negative or no number is taken as endless, so that nobody trusts it.
pub(super) fn read_pose_with_covariance(reader: &mut CdrReader<'_>) -> Result<Pose, Fault> {
    let mut pose = read_pose(reader)?;
    let covariance: [f64; 36] =
        reader.f64_array().map_err(|error: CdrError| error.within("covariance"))?;
    let is_told = covariance.iter().any(|&entry| entry != 0.0);
    pose.variances = is_told.then(|| {
        std::array::from_fn(|axis| match covariance[axis * 7] {
            variance if variance >= 0.0 => variance,
            _ => f64::INFINITY,
        })
    });
    Ok(pose)
}

/// Reads a `geometry_msgs/Pose`.
fn read_pose(reader: &mut CdrReader<'_>) -> Result<Pose, Fault> {
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
