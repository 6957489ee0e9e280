use super::battery::floats;
use super::number::plain_of;
use super::{Body, Fault};
use crate::{Numbers, Quantity, Value};
use robot_memory_messages::{CdrError, CdrReader};
use std::sync::Arc;

/// The channel with the distance to the nearest obstacle.
pub(crate) const NEAREST: &str = "nearest";
/// Nearer points of a cloud are the sensor itself, or stand for none.
const POINT_M_MIN: f64 = 0.02;
/// The distance where nothing is near and the sensor does not say how far it sees: beyond any sensor's.
const FREE_M: f64 = 1000.0;
/// `FLOAT32` and `FLOAT64` of `sensor_msgs/PointField`.
const FLOAT32: u8 = 7;
const FLOAT64: u8 = 8;

/// `sensor_msgs/Range`: the distance; its greatest one when nothing is there.
pub(super) fn range() -> Body {
    let layout = plain_of(&[(NEAREST, Quantity::Distance)]);
    Box::new(move |reader| {
        let _radiation_type = reader.u8()?;
        let [_field_of_view, range_min, range_max] = floats(reader)?;
        let range = f32_at(reader.take(4)?, reader.is_bigendian());
        let mut nearest = Nearest::within(range_min, range_max);
        nearest.take(range);
        Ok(Value::Numbers(Numbers { layout: Arc::clone(&layout), values: vec![nearest.secured()] }))
    })
}

/// `sensor_msgs/LaserScan`: the nearest of its beams, and where it looks to.
pub(super) fn scan() -> Body {
    let layout = plain_of(&[(NEAREST, Quantity::Distance), ("bearing", Quantity::Position)]);
    Box::new(move |reader| {
        let [angle_min, _, angle_step, _, _, range_min, range_max] = floats(reader)?;
        let count = reader.count(4).map_err(|error| error.within("ranges"))?;
        if count == 0 {
            return Err(Fault::Empty);
        }
        let bytes = reader.take(4 * count).map_err(|error| error.within("ranges"))?;
        let mut nearest = Nearest::within(range_min, range_max);
        for range in bytes.chunks_exact(4) {
            nearest.take(f32_at(range, reader.is_bigendian()));
        }
        let bearing = nearest.index.map_or(f64::NAN, |index| angle_min + angle_step * index as f64);
        let values = vec![nearest.secured(), bearing];
        Ok(Value::Numbers(Numbers { layout: Arc::clone(&layout), values }))
    })
}

/// The nearest of distances that are within the bounds of their sensor (REP 117: infinite is nothing there,
/// less than none is too near to be measured, NaN is no measurement).
#[derive(Debug, Default)]
struct Nearest {
    range_min: f64,
    range_max: f64,
    count: usize,
    /// Of the nearest.
    index: Option<usize>,
    nearest: Option<f64>,
    is_free: bool,
}

impl Nearest {
    /// Bounds that are not given or not finite bound nothing.
    fn within(range_min: f64, range_max: f64) -> Self {
        let range_min = if range_min > 0.0 { range_min } else { 0.0 };
        let range_max = if range_max > 0.0 { range_max } else { FREE_M };
        Self { range_min, range_max, ..Self::default() }
    }

    fn take(&mut self, range: f64) {
        let index = self.count;
        self.count += 1;
        let range = if range == f64::NEG_INFINITY { self.range_min } else { range };
        if range >= self.range_max {
            self.is_free = true;
        } else if range >= self.range_min && self.nearest.is_none_or(|nearest| range < nearest) {
            (self.nearest, self.index) = (Some(range), Some(index));
        }
    }

    /// The distance; NaN when none was measured.
    fn secured(&self) -> f64 {
        self.nearest.unwrap_or(if self.is_free { self.range_max } else { f64::NAN })
    }
}

/// `sensor_msgs/PointCloud2`: the distance of the nearest point from the sensor.
pub(super) fn cloud() -> Body {
    let layout = plain_of(&[(NEAREST, Quantity::Distance)]);
    Box::new(move |reader| {
        let (_height, width) = (reader.u32()?, reader.u32()? as usize);
        let axes = axes(reader).map_err(|error| error.within("fields"))?;
        let is_bigendian = reader.bool()?;
        let (point_step, row_step) = (reader.u32()? as usize, reader.u32()? as usize);
        let count = reader.count(1).map_err(|error| error.within("data"))?;
        let data = reader.take(count)?;
        let [Some(x), Some(y), Some(z)] = axes else { return Err(Fault::Empty) };
        let end = [x, y, z].map(|axis| axis.offset + axis.size()).into_iter().max().unwrap_or(0);
        if point_step == 0 || end > point_step {
            return Err(Fault::Empty);
        }
        // Rows may be padded.
        let row_len = width.saturating_mul(point_step);
        let is_padded = row_len > 0 && row_step > row_len;
        let (row_step, row_len) =
            if is_padded { (row_step, row_len) } else { (count.max(1), count) };
        let rows = data.chunks(row_step).map(|row| row.get(..row_len).unwrap_or(row));
        // A cloud without a point is of a place without an obstacle; points without numbers say nothing.
        let mut nearest = if data.is_empty() { FREE_M * FREE_M } else { f64::INFINITY };
        for point in rows.flat_map(|row| row.chunks_exact(point_step)) {
            let [x, y, z] = [x, y, z].map(|axis| axis.of(point, is_bigendian));
            let square = x * x + y * y + z * z;
            // NaN is not less.
            if square < nearest && square >= POINT_M_MIN * POINT_M_MIN {
                nearest = square;
            }
        }
        let value = if nearest.is_finite() { nearest.sqrt() } else { f64::NAN };
        Ok(Value::Numbers(Numbers { layout: Arc::clone(&layout), values: vec![value] }))
    })
}

/// Where in a point a coordinate is.
#[derive(Debug, Clone, Copy)]
struct Axis {
    offset: usize,
    is_double: bool,
}

impl Axis {
    const fn size(self) -> usize {
        if self.is_double { 8 } else { 4 }
    }

    fn of(self, point: &[u8], is_bigendian: bool) -> f64 {
        let bytes = point.get(self.offset..).unwrap_or_default();
        match bytes.first_chunk::<8>().filter(|_| self.is_double) {
            Some(bytes) if is_bigendian => f64::from_be_bytes(*bytes),
            Some(bytes) => f64::from_le_bytes(*bytes),
            None => f32_at(bytes, is_bigendian),
        }
    }
}

/// Of x, y and z, those that are floating-point numbers.
fn axes(reader: &mut CdrReader<'_>) -> Result<[Option<Axis>; 3], CdrError> {
    let mut axes = [None; 3];
    for _ in 0..reader.count(13)? {
        let name = reader.text_bytes()?;
        let offset = reader.u32()? as usize;
        let datatype = reader.u8()?;
        let _count = reader.u32()?;
        let place = [b"x", b"y", b"z"].iter().position(|axis| *axis == name);
        // A greater offset is beyond any point, and its sum with a size is none.
        if let (Some(place), FLOAT32 | FLOAT64, 0..=0xffff) = (place, datatype, offset) {
            axes[place] = Some(Axis { offset, is_double: datatype == FLOAT64 });
        }
    }
    Ok(axes)
}

/// The first number of 32 bits; NaN where there are fewer bytes.
fn f32_at(bytes: &[u8], is_bigendian: bool) -> f64 {
    bytes.first_chunk::<4>().map_or(f64::NAN, |bytes| {
        f64::from(if is_bigendian {
            f32::from_be_bytes(*bytes)
        } else {
            f32::from_le_bytes(*bytes)
        })
    })
}
