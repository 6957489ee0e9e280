use super::header::Header;
use super::{Decode, Fault};
use crate::limits::MESSAGE_NUMBERS_MAX;
use crate::messages::{CdrError, CdrReader, Primitive};
use crate::perception::{Channel, Layout, LayoutKind, Numbers, Quantity, Reading, Value};
use std::sync::Arc;

/// Layouts that are kept: an arm and a gripper often publish to one topic in turn.
const KEPT_MAX: usize = 8;

/// The arrays of numbers in their order.
const ARRAYS: [(&str, Quantity); 3] = [
    ("position", Quantity::Position),
    ("velocity", Quantity::Velocity),
    ("effort", Quantity::Effort),
];

/// `sensor_msgs/JointState`: all positions, then velocities, then efforts, of those arrays that are
/// filled. A joint without a name is `joint0`, by its place.
#[derive(Debug, Default)]
pub(super) struct JointState {
    header: Header,
    /// The one seen last comes first.
    kept: Vec<Kept>,
}

/// A layout, and what a message that has it begins with.
#[derive(Debug)]
struct Kept {
    is_bigendian: bool,
    /// The array of names as it stands in a message, its length too.
    names: Box<[u8]>,
    lengths: [usize; 3],
    layout: Arc<Layout>,
}

impl Decode for JointState {
    fn decode(&mut self, message: &[u8]) -> Result<Reading, Fault> {
        let mut reader = CdrReader::new(message)?;
        let (stamp, frame_id) = self.header.read(&mut reader)?;
        let names = self.skip_names(&mut reader).map_err(|error| error.within("name"))?;
        let mut lengths = [0; 3];
        let mut values = Vec::with_capacity(self.kept.first().map_or(0, Kept::channels_count));
        for (length, (name, _)) in lengths.iter_mut().zip(ARRAYS) {
            let count = reader.count(8).map_err(|error| error.within(name))?;
            let all = values.len() + count;
            if all > MESSAGE_NUMBERS_MAX {
                return Err(Fault::TooMany { what: "numbers", count: all });
            }
            reader
                .numbers(Primitive::F64, count, &mut values)
                .map_err(|error| error.within(name))?;
            *length = count;
        }
        if values.is_empty() {
            return Err(Fault::Empty);
        }
        let layout = self.layout(names, reader.is_bigendian(), lengths)?;
        Ok(Reading { stamp, frame_id, value: Value::Numbers(Numbers { layout, values }) })
    }
}

impl JointState {
    /// The bytes of the array of names. Those of the message before are only compared.
    fn skip_names<'a>(&self, reader: &mut CdrReader<'a>) -> Result<&'a [u8], CdrError> {
        let message = reader.message();
        let count = reader.count(4)?;
        let begin = reader.at() - 4;
        let is_bigendian = reader.is_bigendian();
        let known = self.kept.iter().find(|kept| {
            kept.is_bigendian == is_bigendian && message[begin..].starts_with(&kept.names)
        });
        match known {
            Some(kept) => {
                reader.take(kept.names.len() - 4)?;
            }
            None => {
                for _ in 0..count {
                    reader.text_bytes()?;
                }
            }
        }
        Ok(&message[begin..reader.at()])
    }

    fn layout(
        &mut self,
        names: &[u8],
        is_bigendian: bool,
        lengths: [usize; 3],
    ) -> Result<Arc<Layout>, CdrError> {
        let known = self.kept.iter().position(|kept| {
            kept.lengths == lengths && kept.is_bigendian == is_bigendian && *kept.names == *names
        });
        match known {
            Some(0) => {}
            Some(index) => self.kept[..=index].rotate_right(1),
            None => {
                let layout = layout(names, is_bigendian, lengths)?;
                self.kept.truncate(KEPT_MAX - 1);
                let kept = Kept { is_bigendian, names: names.into(), lengths, layout };
                self.kept.insert(0, kept);
            }
        }
        Ok(Arc::clone(&self.kept[0].layout))
    }
}

impl Kept {
    fn channels_count(&self) -> usize {
        self.layout.channels.len()
    }
}

fn layout(names: &[u8], is_bigendian: bool, lengths: [usize; 3]) -> Result<Arc<Layout>, CdrError> {
    // The array of names is a message of its own: texts are aligned to no more than four bytes.
    let header = if is_bigendian { [0, 0, 0, 0] } else { [0, 1, 0, 0] };
    let message = [&header, names].concat();
    let mut reader = CdrReader::new(&message)?;
    let count = reader.count(4)?;
    let joints_count = lengths.into_iter().max().unwrap_or_default();
    let mut joints = Vec::with_capacity(joints_count);
    for joint in 0..joints_count {
        let name = if joint < count { reader.text()? } else { "".into() };
        joints.push(if name.is_empty() { format!("joint{joint}") } else { name.into_owned() });
    }
    let channels = lengths.into_iter().zip(ARRAYS).flat_map(|(length, (array, quantity))| {
        joints[..length]
            .iter()
            .map(move |joint| Channel { name: format!("{joint}.{array}"), quantity })
    });
    Ok(Arc::new(Layout { kind: LayoutKind::Joints, channels: channels.collect() }))
}
