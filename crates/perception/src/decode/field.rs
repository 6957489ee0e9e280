use super::header::Header;
use super::number::plain;
use super::string::cut;
use super::{Decode, Fault};
use crate::{Layout, Numbers, Sample, Value};
use robot_memory_messages::{CdrReader, FieldError, FieldPath, Interface, PathValue};
use std::sync::Arc;

/// A type of which no more is known than its definition: what a path finds in it, and the stamp and
/// the frame when it begins with a header.
#[derive(Debug)]
pub(super) struct Field {
    header: Option<Header>,
    path: FieldPath,
    /// The layout of the numbers found last, and the shape it is for.
    layout: Option<(Vec<u32>, Arc<Layout>)>,
}

impl Field {
    pub fn new(interface: &Interface, path: &str) -> Result<Self, FieldError> {
        let header = interface.has_header().then(Header::default);
        Ok(Self { header, path: interface.find(path)?, layout: None })
    }

    fn layout(&mut self, shape: Vec<u32>) -> Arc<Layout> {
        match &self.layout {
            Some((known, layout)) if *known == shape => Arc::clone(layout),
            _ => {
                let layout = plain(self.path.names(&shape));
                Arc::clone(&self.layout.insert((shape, layout)).1)
            }
        }
    }
}

impl Decode for Field {
    fn decode(&mut self, message: &[u8]) -> Result<Sample, Fault> {
        let (stamp, frame_id) = match &mut self.header {
            Some(header) => header.read(&mut CdrReader::new(message)?)?,
            None => (None, Arc::default()),
        };
        let value = match self.path.read(message)? {
            PathValue::Bool(value) => Value::Bool(value),
            PathValue::Text(text) => Value::Text(cut(text)),
            PathValue::Numbers { values, .. } if values.is_empty() => return Err(Fault::Empty),
            PathValue::Numbers { values, shape } => {
                Value::Numbers(Numbers { layout: self.layout(shape), values })
            }
        };
        Ok(Sample { stamp, frame_id, value })
    }
}
