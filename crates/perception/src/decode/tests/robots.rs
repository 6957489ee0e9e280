//! Records that are selected, and what robots publish beside the types of the other tests.

use super::*;
use crate::Selection;

const MOTORS: &str = "my_msgs/msg/Motors";

fn motors() -> Interface {
    let line = "=".repeat(80);
    let definition = format!(
        "std_msgs/Header header\nMotor[] motors\nfloat64 total\n{line}\nMSG: my_msgs/Motor\nstring name\n\
         float32 temperature\nbool is_on\nuint8 level\n{line}\nMSG: std_msgs/Header\n\
         builtin_interfaces/Time stamp\nstring frame_id"
    );
    Interface::parse(MOTORS, &definition).expect("a definition")
}

fn selection(map: &serde_json::Value) -> Selection {
    Selection::parse(map.as_object().expect("a map")).expect("conditions")
}

/// Of two messages with the same motors in two orders.
fn read(field: &str, selected: serde_json::Value) -> Vec<Result<Value, String>> {
    let interface = motors();
    let decoder = Decoder::selecting(MOTORS, Some(&interface), Some(field), &selection(&selected));
    let mut decoder = match decoder {
        Ok(decoder) => decoder,
        Err(error) => return vec![Err(error.to_string())],
    };
    let motor = |name: &str, temperature: f64, level: u8| json!({"name": name, "temperature": temperature, "is_on": level > 0, "level": level});
    let (left, right, lift) =
        (motor("left", 40.0, 0), motor("right", 50.0, 2), motor("lift", 60.0, 1));
    [[left.clone(), right.clone(), lift.clone()], [lift, left, right]]
        .into_iter()
        .map(|motors| {
            let header = json!({"stamp": {"sec": 1, "nanosec": 0}, "frame_id": ""});
            let message = json!({"header": header, "motors": motors, "total": 7.0});
            let cdr = to_cdr(&interface, &message, false);
            decoder.decode(&cdr).map(|sample| sample.value).map_err(|error| error.to_string())
        })
        .collect()
}

fn numbers(value: &Result<Value, String>) -> (Vec<&str>, &[f64]) {
    let Ok(Value::Numbers(numbers)) = value else { panic!("{value:?}") };
    let names = numbers.layout.channels.iter().map(|channel| channel.name.as_str());
    (names.collect(), &numbers.values)
}

#[test]
fn records_are_selected_by_name_wherever_they_are() {
    let found = read("motors[*].temperature", json!({"motors.name": "l*"}));
    assert_eq!(
        numbers(&found[0]),
        (vec!["motors[left].temperature", "motors[lift].temperature"], &[40.0, 60.0][..])
    );
    assert_eq!(
        numbers(&found[1]),
        (vec!["motors[lift].temperature", "motors[left].temperature"], &[60.0, 40.0][..])
    );
    for found in read("motors[*].temperature", json!({"name": "right", "level": ">=2"})) {
        assert_eq!(numbers(&found), (vec!["motors[right].temperature"], &[50.0][..]));
    }
    for found in read("motors[*].is_on", json!({"name": "right"})) {
        assert_eq!(found, Ok(Value::Bool(true)));
    }
    for found in read("motors[*].name", json!({"temperature": ">55"})) {
        assert_eq!(found, Ok(Value::Text("lift".to_owned())));
    }
    for found in read("motors[*].temperature", json!({"name": "none"})) {
        assert!(found.unwrap_err().contains("no record in it is selected"));
    }
}

#[test]
fn what_cannot_be_selected_by_is_said() {
    for (field, selected, part) in [
        ("total", json!({"name": "x"}), "leads through no array of records"),
        (
            "motors[*].temperature",
            json!({"motors.label": "x"}),
            "has no \"label\"; it has name (string)",
        ),
        ("motors[0].temperature", json!({"name": "x"}), "leads through no array of records"),
    ] {
        let refused = read(field, selected).remove(0).unwrap_err();
        assert!(refused.contains(part), "{refused}");
    }
    for (type_name, selected, part) in [
        ("sensor_msgs/msg/Imu", json!({"name": "x"}), "has no \"name\" to select records by"),
        (
            "rcl_interfaces/msg/Log",
            json!({"message": "x"}),
            "it has name, level, msg, file, function",
        ),
    ] {
        let refused = Decoder::selecting(type_name, None, None, &selection(&selected));
        let refused = refused.unwrap_err().to_string();
        assert!(refused.starts_with("`where`: ") && refused.contains(part), "{refused}");
    }
}

#[test]
fn interfaces_of_joints_are_called_by_their_names() {
    let mut writer = CdrWriter::new(false);
    writer.header(1, 0, "").u32(2).text("elbow").text("gripper").u32(2);
    writer.u32(2).text("position").text("velocity").f64_sequence(&[0.5, 0.1]);
    writer.u32(1).text("temperature").f64_sequence(&[41.0]);
    let value = decode("control_msgs/msg/DynamicJointState", &writer.bytes).expect("whole").value;
    let Value::Numbers(read) = &value else { panic!("{value:?}") };
    assert_eq!(
        numbers(&Ok(value.clone())).0,
        ["elbow.position", "elbow.velocity", "gripper.temperature"]
    );
    assert_eq!(read.values, [0.5, 0.1, 41.0]);
    assert_eq!(read.layout.channels[2].quantity, Quantity::Temperature);
}

#[test]
fn a_share_of_slightly_more_than_one_is_no_percent() {
    let mut decoder = Decoder::new("sensor_msgs/msg/BatteryState", None, None).expect("known");
    let mut charge = |percentage: f32| {
        let mut writer = CdrWriter::new(true);
        writer.header(1, 0, "");
        for number in [24.0_f32, 20.0, -1.0, f32::NAN, f32::NAN, f32::NAN, percentage] {
            writer.number(number.to_be_bytes());
        }
        writer.u32(0);
        match decoder.decode(&writer.bytes).expect("whole").value {
            Value::Numbers(numbers) => numbers.values[0],
            other => panic!("{other:?}"),
        }
    };
    assert_eq!([charge(0.5), charge(1.01), charge(0.5)], [50.0, 100.0, 50.0]);
    assert_eq!([charge(80.0), charge(1.5)], [80.0, 1.5]);
}

#[test]
fn what_is_no_range_is_no_obstacle() {
    let scan_to = |range_max: f32, ranges: &[f32]| {
        let mut writer = CdrWriter::new(true);
        writer.header(1, 0, "laser");
        for number in [0.0_f32, 3.0, 0.1, 0.0, 0.1, 0.1, range_max] {
            writer.number(number.to_be_bytes());
        }
        writer.u32(ranges.len() as u32);
        for range in ranges {
            writer.number(range.to_be_bytes());
        }
        writer.u32(0);
        match decode("sensor_msgs/msg/LaserScan", &writer.bytes).expect("whole").value {
            Value::Numbers(numbers) => numbers.values[0],
            other => panic!("{other:?}"),
        }
    };
    let scan = |ranges: &[f32]| scan_to(10.0, ranges);
    for range_max in [f32::INFINITY, f32::NAN, 0.0] {
        assert_eq!(scan_to(range_max, &[f32::INFINITY, f32::NAN]), 1000.0);
        assert_eq!(scan_to(range_max, &[f32::INFINITY, 2.0]), 2.0);
    }
    assert_eq!(scan(&[f32::NAN, f32::INFINITY, 0.0, 0.05]), 10.0);
    assert_eq!(scan(&[f32::NAN, 2.0, f32::INFINITY]), 2.0);
    assert!((scan(&[5.0, f32::NEG_INFINITY]) - 0.1).abs() < 1e-6);
    assert!(scan(&[f32::NAN, 0.01]).is_nan());
}

#[test]
fn the_nearest_point_of_a_cloud_is_read_by_rows() {
    let cloud = |width: u32, row_step: u32, data: &[f32]| {
        let mut writer = CdrWriter::new(true);
        writer.header(1, 0, "camera").u32(2).u32(width).u32(3);
        for (axis, offset) in [("x", 0), ("y", 4), ("z", 8)] {
            writer.text(axis).u32(offset).number([7]).u32(1);
        }
        writer.number([1]).u32(12).u32(row_step).u32(data.len() as u32 * 4);
        for number in data {
            writer.number(number.to_be_bytes());
        }
        match decode("sensor_msgs/msg/PointCloud2", &writer.bytes).expect("whole").value {
            Value::Numbers(numbers) => numbers.values[0],
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(cloud(1, 12, &[3.0, 0.0, 0.0, 2.0, 0.0, 0.0]), 2.0);
    // Padding is no point.
    let padded = [3.0, 0.0, 0.0, 0.5, 0.5, 0.5, 0.0, 2.0, 0.0, 0.5, 0.5, 0.5];
    assert_eq!(cloud(1, 24, &padded), 2.0);
    assert_eq!(cloud(0, 0, &[]), 1000.0);
    assert!(cloud(1, 12, &[f32::NAN; 6]).is_nan());
}

#[test]
fn names_are_cut_as_they_are_read() {
    let mut writer = CdrWriter::new(false);
    writer.header(1, 0, "").u32(1).text(&"\u{e9}".repeat(100_000)).u32(1);
    writer.u32(1).text(&"i".repeat(100_000)).f64_sequence(&[0.5]);
    let value = decode("control_msgs/msg/DynamicJointState", &writer.bytes).expect("whole").value;
    assert_eq!(numbers(&Ok(value)).0[0].len(), 256 + 1 + 256);

    let interface = motors();
    let (field, all) = (Some("motors[*].temperature"), selection(&json!({"name": "*"})));
    let mut decoder = Decoder::selecting(MOTORS, Some(&interface), field, &all).expect("a field");
    let motor = json!({"name": "m".repeat(100_000), "temperature": 1.0, "is_on": true, "level": 0});
    let header = json!({"stamp": {"sec": 1, "nanosec": 0}, "frame_id": ""});
    let message = json!({"header": header, "motors": [motor], "total": 7.0});
    let value = decoder.decode(&to_cdr(&interface, &message, false)).expect("whole").value;
    assert_eq!(numbers(&Ok(value)).0[0].len(), "motors[].temperature".len() + 256);
}
