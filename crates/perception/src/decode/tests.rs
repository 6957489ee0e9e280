mod robots;

use super::*;
use crate::{Image, ImageFormat, LayoutKind, Numbers, Pose, Quantity, Value};
use proptest::prelude::*;
use robot_memory_core::model::Stamp;
use robot_memory_messages::testing::{CdrWriter, Recorded, recorded, recorded_of, to_cdr};
use serde_json::{Value as Json, json};
use std::sync::Arc;

fn decode(type_name: &str, message: &[u8]) -> Result<Sample, DecodeError> {
    Decoder::new(type_name, None, None).expect(type_name).decode(message)
}

fn numbers(sample: &Sample) -> (Vec<String>, &Numbers) {
    let Value::Numbers(numbers) = &sample.value else { panic!("{sample:?}") };
    (numbers.layout.channels.iter().map(|channel| channel.name.clone()).collect(), numbers)
}

/// Numbers of a JSON array, or of an object's fields by their names.
fn f64s(json: &Json, names: &str) -> Vec<f64> {
    match json.as_array() {
        Some(array) => array.iter().filter_map(Json::as_f64).collect(),
        None => names.chars().filter_map(|name| json[name.to_string()].as_f64()).collect(),
    }
}

/// Recorded messages of a type in both orders of bytes, with what they say and a reading of each.
fn readings_of(type_name: &str) -> Vec<(Json, Result<Sample, DecodeError>)> {
    let mut readings = Vec::new();
    for Recorded { interface, cdr, json } in recorded_of(type_name) {
        for message in [cdr, &to_cdr(interface, json, true)] {
            let sample = decode(type_name, message);
            if let (Ok(sample), Some(header)) = (&sample, json.get("header")) {
                let part = |name: &str| header["stamp"][name].as_i64().expect("a number");
                let stamp = Stamp(part("sec") * 1_000_000_000 + part("nanosec"));
                assert_eq!(sample.stamp, Some(stamp), "{type_name}");
                assert_eq!(*sample.frame_id, *header["frame_id"].as_str().expect("a text"));
            }
            readings.push((json.clone(), sample));
        }
    }
    readings
}

#[test]
fn knows_the_types_that_it_names() {
    for name in ["sensor_msgs/msg/JointState", "sensor_msgs/JointState", "std_msgs/msg/UInt8"] {
        assert!(is_known(name), "{name}");
    }
    for name in ["sensor_msgs/srv/JointState", "std_msgs/msg/Empty", "my_msgs/msg/Bool", "", "Bool"]
    {
        assert!(!is_known(name), "{name}");
    }
}

#[test]
fn joint_states_have_a_channel_for_what_is_filled() {
    for (json, sample) in readings_of("sensor_msgs/msg/JointState") {
        let mut names = Vec::new();
        let mut values = Vec::new();
        for array in ["position", "velocity", "effort"] {
            for (joint, value) in f64s(&json[array], "").into_iter().enumerate() {
                let name = json["name"][joint].as_str().filter(|name| !name.is_empty());
                let name = name.map_or_else(|| format!("joint{joint}"), str::to_owned);
                names.push(format!("{name}.{array}"));
                values.push(value);
            }
        }
        let sample = sample.expect("filled");
        let (channels, numbers) = numbers(&sample);
        assert_eq!((channels, &numbers.values), (names, &values));
        assert_eq!(numbers.layout.kind, LayoutKind::Joints);
    }
}

/// A JointState; what stands in the gaps between names is told.
fn joint_state(names: &[&str], position: &[f64], effort: &[f64], gap: u8) -> Vec<u8> {
    let mut writer = CdrWriter::new(false);
    writer.header(1, 2, "base").u32(names.len() as u32);
    for name in names {
        writer.text(name);
        while !writer.bytes.len().is_multiple_of(4) {
            writer.bytes.push(gap);
        }
    }
    writer.f64_sequence(position).f64_sequence(&[]).f64_sequence(effort);
    writer.bytes
}

#[test]
fn layouts_stay_the_same_as_long_as_the_names_do() {
    let mut decoder = Decoder::new("sensor_msgs/JointState", None, None).expect("known");
    let mut layout_of = |message: &[u8]| {
        let sample = decoder.decode(message).expect("whole");
        Arc::clone(&numbers(&sample).1.layout)
    };
    let arm = joint_state(&["tilt", "pan"], &[1.0, 2.0], &[3.0], 0);
    let layout = layout_of(&arm);
    assert_eq!(
        layout.channels.iter().map(|channel| channel.name.as_str()).collect::<Vec<_>>(),
        ["tilt.position", "pan.position", "tilt.effort"]
    );
    assert_eq!(layout.channels[2].quantity, Quantity::Effort);
    // A gripper on the same topic, and other bytes in the gaps, change nothing.
    let gripper = layout_of(&joint_state(&["grip"], &[0.1], &[], 0));
    assert!(Arc::ptr_eq(
        &layout,
        &layout_of(&joint_state(&["tilt", "pan"], &[5.0, 6.0], &[7.0], 9))
    ));
    assert!(Arc::ptr_eq(&gripper, &layout_of(&joint_state(&["grip"], &[0.2], &[], 7))));
    // What else a name or a length may mean is another layout.
    let others = [
        joint_state(&["tilt", "pan"], &[1.0, 2.0], &[3.0, 4.0], 0),
        joint_state(&["til", "pan"], &[1.0, 2.0], &[3.0], 0),
        joint_state(&["tiltpan", ""], &[1.0, 2.0], &[3.0], 0),
        joint_state(&["tilt"], &[1.0, 2.0], &[3.0], 0),
    ];
    for other in &others {
        assert_ne!(layout_of(other), layout);
    }
    assert!(Arc::ptr_eq(&layout, &layout_of(&arm)));
}

#[test]
fn numbers_that_are_none_are_nan_and_no_numbers_are_refused() {
    let sample = decode(
        "sensor_msgs/JointState",
        &joint_state(&["a"], &[f64::INFINITY, 1.0], &[f64::NAN], 0),
    );
    let sample = sample.expect("whole");
    let (names, numbers) = numbers(&sample);
    assert_eq!(names, ["a.position", "joint1.position", "a.effort"]);
    assert!(numbers.values[0].is_nan() && numbers.values[1] == 1.0 && numbers.values[2].is_nan());
    let error = decode("sensor_msgs/JointState", &joint_state(&["a"], &[], &[], 0));
    assert_eq!(
        error.expect_err("nothing in it").to_string(),
        "a sensor_msgs/msg/JointState: there is no number in it"
    );
    for (count, is_taken) in [(2_048, true), (2_049, false)] {
        let values = vec![0.0; count];
        let message = joint_state(&[], &values, &values, 0);
        assert_eq!(decode("sensor_msgs/JointState", &message).is_ok(), is_taken, "{count}");
    }
}

#[test]
fn wrenches_are_forces_and_torques() {
    for type_name in ["geometry_msgs/msg/Wrench", "geometry_msgs/msg/WrenchStamped"] {
        for (json, sample) in readings_of(type_name) {
            let json = json.get("wrench").unwrap_or(&json);
            let sample = sample.expect("whole");
            let (names, numbers) = numbers(&sample);
            let expected = ["force.x", "force.y", "force.z", "torque.x", "torque.y", "torque.z"];
            assert_eq!(names, expected);
            assert_eq!(
                numbers.values,
                [f64s(&json["force"], "xyz"), f64s(&json["torque"], "xyz")].concat()
            );
            assert_eq!(numbers.layout.channels[5].quantity, Quantity::Torque);
        }
    }
}

#[test]
fn what_an_imu_does_not_measure_is_nan() {
    let type_name = "sensor_msgs/msg/Imu";
    let read = |json: &Json| {
        let interface = &recorded_of(type_name).next().expect("one").interface;
        let sample = decode(type_name, &to_cdr(interface, json, false)).expect("whole");
        numbers(&sample).1.values.clone()
    };
    for Recorded { json, .. } in recorded_of(type_name) {
        let mut json = json.clone();
        let rates = f64s(&json["angular_velocity"], "xyz");
        let accelerations = f64s(&json["linear_acceleration"], "xyz");
        assert_eq!(read(&json), [rates, accelerations.clone()].concat());
        json["angular_velocity_covariance"][0] = json!(-1.0);
        let values = read(&json);
        assert!(values[..3].iter().all(|value| value.is_nan()), "{values:?}");
        assert_eq!(values[3..], accelerations);
    }
}

#[test]
fn numbers_texts_and_booleans_of_std_msgs() {
    for name in ["Float32", "Float64", "Int16", "Int64", "Int8", "UInt32", "UInt64"] {
        for (json, sample) in readings_of(&format!("std_msgs/msg/{name}")) {
            let sample = sample.expect("whole");
            let (names, numbers) = numbers(&sample);
            assert_eq!(names, ["data"]);
            assert_eq!(numbers.values, [json["data"].as_f64().expect("a number")], "{name}");
            assert_eq!((sample.stamp, &*sample.frame_id), (None, ""));
        }
    }
    for name in ["Float32MultiArray", "Float64MultiArray", "UInt16MultiArray", "ByteMultiArray"] {
        for (json, sample) in readings_of(&format!("std_msgs/msg/{name}")) {
            let values = f64s(&json["data"], "");
            let Ok(sample) = sample else {
                assert!(values.is_empty(), "{sample:?}");
                continue;
            };
            let (names, numbers) = numbers(&sample);
            assert_eq!(numbers.values, values);
            let expected: Vec<String> = (0..values.len()).map(|i| format!("data[{i}]")).collect();
            assert_eq!(names, expected);
            assert_eq!(numbers.layout.kind, LayoutKind::Taxels);
        }
    }
    for (json, sample) in readings_of("std_msgs/msg/Bool") {
        let expected = Value::Bool(json["data"].as_bool().expect("a boolean"));
        assert_eq!(sample.expect("whole").value, expected);
    }
    for (json, sample) in readings_of("std_msgs/msg/String") {
        let expected = Value::Text(json["data"].as_str().expect("a text").to_owned());
        assert_eq!(sample.expect("whole").value, expected);
    }
}

#[test]
fn long_texts_are_cut_and_foreign_bytes_are_shown_as_such() {
    let mut writer = CdrWriter::new(false);
    writer.text(&format!("x{}", "é".repeat(40_000)));
    let sample = decode("std_msgs/String", &writer.bytes).expect("whole");
    let Value::Text(text) = sample.value else { panic!("a text") };
    assert_eq!(text.len(), 65_535);
    let message = [&[0, 1, 0, 0, 3, 0, 0, 0], &b"a\xff\0"[..]].concat();
    let sample = decode("std_msgs/String", &message).expect("whole");
    assert_eq!(sample.value, Value::Text("a\u{fffd}".to_owned()));
}

#[test]
fn poses_have_their_variances() {
    let pose_of = |json: &Json| Pose {
        position: f64s(&json["position"], "xyz").try_into().expect("three"),
        orientation: f64s(&json["orientation"], "xyzw").try_into().expect("four"),
        variances: None,
    };
    for (json, reading) in readings_of("geometry_msgs/msg/PoseStamped") {
        assert_eq!(reading.expect("whole").value, Value::Pose(pose_of(&json["pose"])));
    }
    for type_name in ["geometry_msgs/msg/PoseWithCovarianceStamped", "nav_msgs/msg/Odometry"] {
        for Recorded { cdr, json, .. } in recorded_of(type_name) {
            let reading = Decoder::of_poses(type_name, None).expect("known").decode(cdr);
            let json = &json["pose"];
            let covariance = f64s(&json["covariance"], "");
            let variances = [0, 7, 14, 21, 28, 35].map(|at| match covariance[at] {
                variance if variance < 0.0 => f64::INFINITY,
                variance => variance,
            });
            let expected = Pose { variances: Some(variances), ..pose_of(&json["pose"]) };
            assert_eq!(reading.expect("whole").value, Value::Pose(expected), "{type_name}");
        }
    }
}

#[test]
fn a_pose_must_be_finite_and_zeros_are_no_covariance() {
    let message = |x: f64, w: f64, covariance: [f64; 36]| {
        let mut writer = CdrWriter::new(true);
        writer.header(0, 0, "map").f64s(&[x, 0.0, 0.0]).f64s(&[0.0, 0.0, 0.0, w]);
        writer.f64s(&covariance);
        decode("geometry_msgs/PoseWithCovarianceStamped", &writer.bytes)
    };
    let sample = message(1.0, 1.0, [0.0; 36]).expect("a pose");
    assert_eq!(sample.stamp, None);
    let Value::Pose(pose) = sample.value else { panic!("a pose") };
    assert_eq!(pose.variances, None);
    let Value::Pose(pose) = message(1.0, 1.0, [f64::NAN; 36]).expect("a pose").value else {
        panic!("a pose")
    };
    assert_eq!(pose.variances, Some([f64::INFINITY; 6]));
    let error = message(f64::NAN, 1.0, [0.0; 36]).expect_err("no place").to_string();
    assert!(error.ends_with("its position is not finite"), "{error}");
    let error = message(1.0, f64::INFINITY, [0.0; 36]).expect_err("no turn").to_string();
    assert!(error.ends_with("its orientation is not finite"), "{error}");
}

#[test]
fn transforms_are_read_and_those_that_are_not_finite_left_out() {
    for is_bigendian in [false, true] {
        let mut writer = CdrWriter::new(is_bigendian);
        writer.u32(3);
        for (child, x) in [("odom", 1.5), ("lost", f64::NAN), ("base_link", 2.5)] {
            writer.header(7, 8, "map").text(child).f64s(&[x, 0.0, 0.5, 0.0, 0.0, 0.0, 1.0]);
        }
        let Value::Transforms(transforms) =
            decode("tf2_msgs/msg/TFMessage", &writer.bytes).expect("whole").value
        else {
            panic!("transforms")
        };
        let children: Vec<&str> = transforms.iter().map(|found| found.child.as_str()).collect();
        assert_eq!(children, ["odom", "base_link"]);
        assert_eq!(transforms[1].parent, "map");
        assert_eq!(transforms[1].stamp, Some(Stamp(7_000_000_008)));
        assert_eq!(transforms[1].translation, [2.5, 0.0, 0.5]);
        assert_eq!(transforms[1].rotation, [0.0, 0.0, 0.0, 1.0]);
    }
}

#[test]
fn a_clock_tells_its_time() {
    for Recorded { cdr, json, .. } in recorded_of("rosgraph_msgs/msg/Clock") {
        let part = |name: &str| json["clock"][name].as_i64().expect("a number");
        let stamp = Stamp(part("sec") * 1_000_000_000 + part("nanosec"));
        assert_eq!(stamp_of_clock(cdr), Ok(stamp));
        assert_eq!(decode("rosgraph_msgs/Clock", cdr).expect("whole").stamp, Some(stamp));
    }
    assert_eq!(stamp_of_clock(&[0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]), Ok(Stamp(0)));
    assert!(stamp_of_clock(&[0, 1, 0, 0, 0, 0, 0]).is_err());
}

fn image(height: u32, width: u32, step: u32, data: &[u8]) -> Vec<u8> {
    let mut writer = CdrWriter::new(false);
    writer.header(5, 0, "camera").u32(height).u32(width).text("rgb8").number([0]);
    writer.u32(step).u32(data.len() as u32);
    writer.bytes.extend(data);
    writer.bytes
}

#[test]
fn images_stay_in_their_message() {
    let message = image(2, 1, 3, &[1, 2, 3, 4, 5, 6]);
    let sample = decode("sensor_msgs/Image", &message).expect("whole");
    let Value::Image(Image { format, bytes }) = sample.value else { panic!("an image") };
    assert_eq!(message[bytes], [1, 2, 3, 4, 5, 6]);
    assert_eq!(
        format,
        ImageFormat::Raw {
            encoding: "rgb8".to_owned(),
            width: 1,
            height: 2,
            step: 3,
            is_bigendian: false
        }
    );
    let cases = [
        (image(0, 1, 3, &[1]), "an image of 1 x 0 pixels shows nothing"),
        (image(2, 1, 4, &[1; 7]), "2 rows of 4 bytes are more than the 7 bytes of data"),
        (image(u32::MAX, 1, u32::MAX, &[1]), "rows of 4294967295 bytes are more than the 1 bytes"),
    ];
    for (message, expected) in cases {
        let error = decode("sensor_msgs/Image", &message).expect_err(expected).to_string();
        assert!(error.contains(expected), "{error}");
    }
    for Recorded { cdr, json, .. } in recorded_of("sensor_msgs/msg/CompressedImage") {
        let Ok(sample) = decode("sensor_msgs/CompressedImage", cdr) else {
            assert_eq!(json["data"], json!([]));
            continue;
        };
        let Value::Image(Image { format, bytes }) = sample.value else { panic!("an image") };
        assert_eq!(format, ImageFormat::Compressed(json["format"].as_str().expect("it").into()));
        assert_eq!(json!(cdr[bytes]), json["data"]);
    }
}

#[test]
fn other_types_are_read_by_their_definition_and_a_path() {
    let type_name = "trajectory_msgs/msg/JointTrajectory";
    for Recorded { interface, cdr, json } in recorded_of(type_name) {
        let path = "points[*].time_from_start.sec";
        let mut decoder = Decoder::new(type_name, Some(interface), Some(path)).expect("a path");
        let Ok(sample) = decoder.decode(cdr) else {
            assert_eq!(json["points"], json!([]));
            continue;
        };
        let (names, numbers) = numbers(&sample);
        assert_eq!(numbers.layout.kind, LayoutKind::Plain);
        for (index, point) in json["points"].as_array().expect("points").iter().enumerate() {
            assert_eq!(names[index], format!("points[{index}].time_from_start.sec"));
            let expected = point["time_from_start"]["sec"].as_f64().expect("a number");
            assert_eq!(numbers.values[index], expected);
        }
        assert_eq!(*sample.frame_id, *json["header"]["frame_id"].as_str().expect("a text"));
        let again = decoder.decode(cdr).expect("the same");
        let Value::Numbers(again) = again.value else { panic!("numbers") };
        assert!(Arc::ptr_eq(&again.layout, &numbers.layout));
    }
    let battery = recorded_of("sensor_msgs/msg/BatteryState").next().expect("one");
    let read = |field| {
        let mut decoder =
            Decoder::new("sensor_msgs/BatteryState", Some(&battery.interface), Some(field));
        decoder.as_mut().expect(field).decode(&battery.cdr).expect("whole").value
    };
    assert_eq!(read("present"), Value::Bool(battery.json["present"].as_bool().expect("it")));
    let place = battery.json["location"].as_str().expect("it");
    assert_eq!(read("location"), Value::Text(place.to_owned()));
}

#[test]
fn what_is_missing_to_decode_a_type_is_said() {
    let polygon = &recorded_of("geometry_msgs/msg/PolygonStamped").next().expect("one").interface;
    let battery = &recorded_of("sensor_msgs/msg/BatteryState").next().expect("one").interface;
    let cases = [
        (("Bool", None, None), "\"Bool\" is no message type"),
        (("a/B", None, Some("x")), "the definition of a/msg/B is needed, and is not there"),
        (("a/B", None, None), "the definition of a/msg/B is needed, and is not there"),
        (
            ("sensor_msgs/JointState", None, Some("effort[3]")),
            "the definition of sensor_msgs/msg/JointState is needed",
        ),
        (
            ("geometry_msgs/PolygonStamped", Some(polygon), None),
            "`field` must name what in a geometry_msgs/msg/PolygonStamped is used; it has header \
             (std_msgs/msg/Header), polygon (geometry_msgs/msg/Polygon)",
        ),
        (
            ("sensor_msgs/BatteryState", Some(battery), Some("volts")),
            "`field`: \"volts\" in sensor_msgs/msg/BatteryState: sensor_msgs/msg/BatteryState has no \
             \"volts\"; it has header",
        ),
    ];
    for ((type_name, interface, field), expected) in cases {
        let error = Decoder::new(type_name, interface, field).expect_err(expected).to_string();
        assert!(error.contains(expected), "{error}");
    }
    for field in ["data", "data[*]"] {
        assert!(Decoder::new("std_msgs/msg/Float64MultiArray", None, Some(field)).is_ok());
    }
}

proptest! {
    #[test]
    fn damaged_messages_are_decoded_or_refused(
        index in any::<prop::sample::Index>(),
        cut in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8),
        is_bigendian: bool,
    ) {
        let messages = recorded();
        let Recorded { interface, json, .. } = &messages[index.index(messages.len())];
        let whole = to_cdr(interface, json, is_bigendian);
        let mut message = whole.clone();
        message.truncate(cut.index(message.len()) + 1);
        for (at, byte) in changes {
            let at = at.index(message.len());
            message[at] = byte;
        }
        if let Ok(mut decoder) = Decoder::new(interface.type_name(), None, None) {
            let first = format!("{:?}", decoder.decode(&whole));
            if let Ok(sample) = decoder.decode(&message) {
                match sample.value {
                    Value::Numbers(numbers) => {
                        prop_assert_eq!(numbers.values.len(), numbers.layout.channels.len());
                        prop_assert!(numbers.values.len() <= message.len());
                        prop_assert!(numbers.values.iter().all(|value| !value.is_infinite()));
                    }
                    Value::Image(image) => prop_assert!(message.get(image.bytes).is_some()),
                    _ => {}
                }
            }
            // Nothing of a damaged message stays behind.
            prop_assert_eq!(format!("{:?}", decoder.decode(&whole)), first);
        }
    }

    #[test]
    fn any_bytes_are_decoded_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300), is_bigendian: bool) {
        let message = [&[0, u8::from(!is_bigendian), 0, 0], &bytes[..]].concat();
        for Recorded { interface, .. } in recorded() {
            if let Ok(mut decoder) = Decoder::new(interface.type_name(), None, None) {
                let _ = decoder.decode(&message);
            }
        }
    }
}
