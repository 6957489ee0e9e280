use super::{Decode, Fault};
use crate::{Reading, Value};
use robot_memory_messages::CdrReader;
use std::sync::Arc;

/// `std_msgs/Bool`.
#[derive(Debug)]
pub(super) struct Bool;

impl Decode for Bool {
    fn decode(&mut self, message: &[u8]) -> Result<Reading, Fault> {
        let value = Value::Bool(CdrReader::new(message)?.bool()?);
        Ok(Reading { stamp: None, frame_id: Arc::default(), value })
    }
}
