use super::Fault;
use crate::{Channel, Layout, LayoutKind, Numbers, Quantity, Value};
use robot_memory_core::limits::MESSAGE_NUMBERS_MAX;
use robot_memory_messages::{CdrError, CdrReader, Primitive};
use std::collections::{BTreeMap, BTreeSet};
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
/// filled. The same joints in another order are put into that of the first message that had them. A joint without a name is `joint0`, by its place.
#[derive(Debug, Default)]
pub(super) struct JointState {
    /// The names of the message at hand, each with its length before it. Not as they stand in the
    /// message: there any bytes may be in the gaps between names.
    names: Vec<u8>,
    /// The one seen last comes first.
    kept: Vec<CachedLayout>,
}

/// A layout, and the names and lengths of arrays it is for.
#[derive(Debug)]
struct CachedLayout {
    names: Box<[u8]>,
    lengths: [usize; 3],
    layout: Arc<Layout>,
    /// Where in a message each channel of the layout is, when that is not in its order.
    order: Option<Box<[usize]>>,
}

impl JointState {
    pub fn read(&mut self, reader: &mut CdrReader<'_>) -> Result<Value, Fault> {
        self.read_names(reader).map_err(|error| error.within("name"))?;
        let mut lengths = [0; 3];
        let count_before = self.kept.first().map_or(0, |kept| kept.layout.channels.len());
        let mut values = Vec::with_capacity(count_before);
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
        let (layout, order) = self.layout(lengths);
        let values = match order {
            Some(order) => order.iter().map(|at| values[*at]).collect(),
            None => values,
        };
        Ok(Value::Numbers(Numbers { layout, values }))
    }

    fn read_names(&mut self, reader: &mut CdrReader<'_>) -> Result<(), CdrError> {
        self.names.clear();
        for _ in 0..reader.count(4)? {
            let name = reader.text_bytes()?;
            self.names.extend((name.len() as u32).to_ne_bytes());
            self.names.extend(name);
        }
        Ok(())
    }

    /// The layout of the message at hand.
    fn layout(&mut self, lengths: [usize; 3]) -> (Arc<Layout>, Option<&[usize]>) {
        let known =
            self.kept.iter().position(|kept| kept.lengths == lengths && *kept.names == *self.names);
        match known {
            Some(0) => {}
            Some(index) => self.kept[..=index].rotate_right(1),
            None => {
                self.kept.truncate(KEPT_MAX - 1);
                let own = layout(&self.names, lengths);
                let same = self.kept.iter().find_map(|kept| {
                    let order = order_of(&kept.layout, &own)?;
                    Some((Arc::clone(&kept.layout), Some(order)))
                });
                let (layout, order) = same.unwrap_or_else(|| (Arc::new(own), None));
                let names = self.names.as_slice().into();
                self.kept.insert(0, CachedLayout { names, lengths, layout, order });
            }
        }
        let kept = &self.kept[0];
        (Arc::clone(&kept.layout), kept.order.as_deref())
    }
}

/// Where in `other` each channel of a layout is; `None` when they do not have the same ones, or one of them
/// twice.
fn order_of(layout: &Layout, other: &Layout) -> Option<Box<[usize]>> {
    if layout.channels.len() != other.channels.len() {
        return None;
    }
    let places: BTreeMap<&str, usize> =
        other.channels.iter().enumerate().map(|(at, one)| (one.name.as_str(), at)).collect();
    if places.len() != other.channels.len() {
        return None;
    }
    let order: Option<Box<[usize]>> =
        layout.channels.iter().map(|one| places.get(one.name.as_str()).copied()).collect();
    order.filter(|order| order.iter().collect::<BTreeSet<_>>().len() == order.len())
}

fn layout(mut names: &[u8], lengths: [usize; 3]) -> Layout {
    let joints_count = lengths.into_iter().max().unwrap_or_default();
    let joints: Vec<String> = (0..joints_count)
        .map(|joint| match split_name(&mut names) {
            None | Some([]) => format!("joint{joint}"),
            Some(name) => String::from_utf8_lossy(name).into_owned(),
        })
        .collect();
    let channels = lengths.into_iter().zip(ARRAYS).flat_map(|(length, (array, quantity))| {
        joints[..length]
            .iter()
            .map(move |joint| Channel { name: format!("{joint}.{array}"), quantity })
    });
    Layout { kind: LayoutKind::Joints, channels: channels.collect() }
}

/// Takes the first name off.
fn split_name<'a>(names: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, rest) = names.split_first_chunk()?;
    let (name, rest) = rest.split_at_checked(u32::from_ne_bytes(*length) as usize)?;
    *names = rest;
    Some(name)
}
