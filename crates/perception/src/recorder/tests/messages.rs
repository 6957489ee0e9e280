//! Messages in little-endian CDR.

use robot_memory_core::model::Stamp;

struct Writer(Vec<u8>);

impl Writer {
    fn new() -> Self {
        Self(vec![0, 1, 0, 0])
    }

    fn align(&mut self, size: usize) {
        while !(self.0.len() - 4).is_multiple_of(size) {
            self.0.push(0);
        }
    }

    fn u32(&mut self, value: u32) {
        self.align(4);
        self.0.extend(value.to_le_bytes());
    }

    fn f64(&mut self, value: f64) {
        self.align(8);
        self.0.extend(value.to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.u32(text.len() as u32 + 1);
        self.0.extend(text.as_bytes());
        self.0.push(0);
    }

    fn header(&mut self, stamp: Stamp, frame_id: &str) {
        let (sec, nanosec) = stamp.to_parts();
        self.u32(sec as u32);
        self.u32(nanosec);
        self.text(frame_id);
    }

    fn f64s(&mut self, values: &[f64]) {
        self.u32(values.len() as u32);
        for value in values {
            self.f64(*value);
        }
    }
}

pub fn bool_message(value: bool) -> Vec<u8> {
    vec![0, 1, 0, 0, u8::from(value)]
}

pub fn string_message(text: &str) -> Vec<u8> {
    let mut writer = Writer::new();
    writer.text(text);
    writer.0
}

pub fn wrench_message(stamp: Stamp, frame_id: &str, values: [f64; 6]) -> Vec<u8> {
    let mut writer = Writer::new();
    writer.header(stamp, frame_id);
    for value in values {
        writer.f64(value);
    }
    writer.0
}

pub fn joints_message(
    stamp: Stamp,
    names: &[&str],
    positions: &[f64],
    velocities: &[f64],
    efforts: &[f64],
) -> Vec<u8> {
    let mut writer = Writer::new();
    writer.header(stamp, "");
    writer.u32(names.len() as u32);
    for name in names {
        writer.text(name);
    }
    for values in [positions, velocities, efforts] {
        writer.f64s(values);
    }
    writer.0
}

pub fn pose_message(stamp: Stamp, frame_id: &str, position: [f64; 3]) -> Vec<u8> {
    let mut writer = Writer::new();
    writer.header(stamp, frame_id);
    for value in position.into_iter().chain([0.0, 0.0, 0.0, 1.0]) {
        writer.f64(value);
    }
    writer.0
}

/// Gray pixels, rows of `width`.
pub fn image_message(stamp: Stamp, width: u32, pixels: &[u8]) -> Vec<u8> {
    let mut writer = Writer::new();
    writer.header(stamp, "camera");
    writer.u32(pixels.len() as u32 / width);
    writer.u32(width);
    writer.text("mono8");
    writer.0.push(0);
    writer.u32(width);
    writer.u32(pixels.len() as u32);
    writer.0.extend(pixels);
    writer.0
}
