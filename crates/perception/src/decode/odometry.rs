use super::header::Header;
use super::pose_stamped::read_pose_with_covariance;
use super::{Decode, Fault};
use crate::{Reading, Value};
use robot_memory_messages::CdrReader;

/// `nav_msgs/Odometry`: its pose; the twist is left out.
#[derive(Debug, Default)]
pub(super) struct Odometry {
    header: Header,
}

impl Decode for Odometry {
    fn decode(&mut self, message: &[u8]) -> Result<Reading, Fault> {
        let mut reader = CdrReader::new(message)?;
        let (stamp, frame_id) = self.header.read(&mut reader)?;
        let _child_frame_id =
            reader.text_bytes().map_err(|error| error.within("child_frame_id"))?;
        let pose = read_pose_with_covariance(&mut reader)?;
        Ok(Reading { stamp, frame_id, value: Value::Pose(pose) })
    }
}
