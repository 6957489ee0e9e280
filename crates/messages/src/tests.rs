use super::testing::{CdrWriter, Recorded, bytes, recorded, recorded_of, to_cdr};
use super::*;
use proptest::prelude::*;
use serde_json::json;

#[test]
fn reads_what_ros_wrote() {
    for Recorded { interface, cdr, json } in recorded() {
        assert_eq!(interface.to_json(cdr).expect("whole"), *json, "{}", interface.type_name());
    }
}

#[test]
fn reads_either_order_of_bytes() {
    for Recorded { interface, cdr, json } in recorded() {
        let type_name = interface.type_name();
        let read = interface.to_json(cdr).expect("whole");
        for is_bigendian in [false, true] {
            let written = to_cdr(interface, json, is_bigendian);
            // Not the same bytes: ROS leaves in the gaps what was there before, and some at the end.
            assert!((written.len()..written.len() + 9).contains(&cdr.len()), "{type_name}");
            assert_eq!(interface.to_json(&written).expect("whole"), read, "{type_name}");
        }
    }
}

#[test]
fn reads_what_few_types_have() {
    let text = "wstring name\nEmpty[2] nothing\nbool[<=3] flags\nint8[3] three\nwstring<=9[] more\n\
                ================================================================================\n\
                MSG: odd_msgs/Empty\n";
    let odd = Interface::parse("odd_msgs/Odd", text).expect("a definition");
    let json = json!({
        "name": "Öl 🤖", "nothing": [{}, {}], "flags": [true, false], "three": [-1, 0, 1],
        "more": ["", "b"],
    });
    for is_bigendian in [false, true] {
        let message = to_cdr(&odd, &json, is_bigendian);
        assert_eq!(odd.to_json(&message).expect("whole"), json);
        let found = odd.find("three[2]").expect("a path").read(&message);
        assert_eq!(
            found,
            Ok(PathValue::Numbers { values: vec![1.0], shape: vec![], labels: vec![] })
        );
    }
}

#[test]
fn an_empty_array_is_not_aligned() {
    let interface = Interface::parse("a/A", "float64[] none\nint32 next").expect("a definition");
    // Length 0, and right after it the number, where an eight would begin four bytes later.
    let message = bytes("00010000 00000000 07000000");
    assert_eq!(interface.to_json(&message).expect("whole"), json!({"none": [], "next": 7}));
    let found = interface.find("next").expect("a path").read(&message);
    assert_eq!(found, Ok(PathValue::Numbers { values: vec![7.0], shape: vec![], labels: vec![] }));
}

#[test]
fn paths_find_what_they_name() {
    let numbers = |values: &[f64], shape: &[u32]| PathValue::Numbers {
        values: values.to_vec(),
        shape: shape.to_vec(),
        labels: Vec::new(),
    };
    let text = "std_msgs/Header header\nJoint[] joints\nfloat32[3] force\nbool[2] pads\nbool held\n\
                Pair[2] pairs\nstring[] names\nFinger[2] fingers\n\
                ================================================================================\n\
                MSG: hand_msgs/Finger\nLink[] joints\nstring name\n\
                ================================================================================\n\
                MSG: hand_msgs/Link\nstring name\nuint8 x\nfloat64 y\n\
                ================================================================================\n\
                MSG: hand_msgs/Joint\nstring name\nfloat64 effort\nint16[] counts\n\
                ================================================================================\n\
                MSG: hand_msgs/Pair\nuint8 low\nuint8 high\n\
                ================================================================================\n\
                MSG: std_msgs/Header\nbuiltin_interfaces/Time stamp\nstring frame_id\n";
    let hand = Interface::parse("hand_msgs/msg/Hand", text).expect("a definition");
    let json = json!({
        "header": {"stamp": {"sec": 3, "nanosec": 4}, "frame_id": "palm"},
        "joints": [
            {"name": "a", "effort": 1.5, "counts": [1, 2]},
            {"name": "b", "effort": null, "counts": []},
            {"name": "c", "effort": 3.5, "counts": [-3]},
        ],
        "force": [1.0, 2.0, 3.0],
        "pads": [true, false],
        "held": true,
        "pairs": [{"low": 1, "high": 2}, {"low": 3, "high": 4}],
        "names": ["x", "y"],
        "fingers": [
            {"name": "index", "joints": [
                {"name": "a", "x": 1, "y": 0.5}, {"name": "b", "x": 2, "y": 0.5},
                {"name": "c", "x": 3, "y": 0.5},
            ]},
            {"name": "thumb", "joints": [
                {"name": "d", "x": 4, "y": 0.5}, {"name": "e", "x": 5, "y": 0.5},
            ]},
        ],
    });
    let cases: &[(&str, PathValue, &[&str])] = &[
        ("force", numbers(&[1.0, 2.0, 3.0], &[3]), &["force[0]", "force[1]", "force[2]"]),
        ("force[*]", numbers(&[1.0, 2.0, 3.0], &[3]), &["force[0]", "force[1]", "force[2]"]),
        ("force[1]", numbers(&[2.0], &[]), &["force[1]"]),
        ("header.stamp.sec", numbers(&[3.0], &[]), &["header.stamp.sec"]),
        ("header.stamp", numbers(&[3.0, 4.0], &[]), &["header.stamp.sec", "header.stamp.nanosec"]),
        ("joints[2].effort", numbers(&[3.5], &[]), &["joints[2].effort"]),
        (
            "joints[*].counts",
            numbers(&[1.0, 2.0, -3.0], &[3, 2, 0, 1]),
            &["joints[0].counts[0]", "joints[0].counts[1]", "joints[2].counts[0]"],
        ),
        (
            "fingers[*].joints[1].x",
            numbers(&[2.0, 5.0], &[2]),
            &["fingers[0].joints[1].x", "fingers[1].joints[1].x"],
        ),
        ("joints[*].counts[*]", numbers(&[1.0, 2.0, -3.0], &[3, 2, 0, 1]), &[]),
        ("pads", numbers(&[1.0, 0.0], &[2]), &["pads[0]", "pads[1]"]),
        ("pads[0]", PathValue::Bool(true), &[]),
        ("held", PathValue::Bool(true), &[]),
        ("names[1]", PathValue::Text("y".into()), &[]),
        ("joints[1].name", PathValue::Text("b".into()), &[]),
        ("header.frame_id", PathValue::Text("palm".into()), &[]),
        ("pairs[*].high", numbers(&[2.0, 4.0], &[2]), &["pairs[0].high", "pairs[1].high"]),
        (
            "pairs",
            numbers(&[1.0, 2.0, 3.0, 4.0], &[2]),
            &["pairs[0].low", "pairs[0].high", "pairs[1].low", "pairs[1].high"],
        ),
        ("pairs[1]", numbers(&[3.0, 4.0], &[]), &["pairs[1].low", "pairs[1].high"]),
    ];
    for is_bigendian in [false, true] {
        let message = to_cdr(&hand, &json, is_bigendian);
        for (path, expected, names) in cases {
            let path = hand.find(path).expect(path);
            let found = path.read(&message).expect("whole");
            assert_eq!(found, *expected);
            if let (PathValue::Numbers { shape, .. }, false) = (found, names.is_empty()) {
                assert_eq!(path.names(&shape, &[]), *names);
            }
        }
        let found = hand.find("joints[*].effort").expect("a path").read(&message).expect("whole");
        let PathValue::Numbers { values, .. } = found else { panic!("{found:?}") };
        assert!(values[0] == 1.5 && values[1].is_nan() && values[2] == 3.5, "{values:?}");
        let missing = hand.find("joints[3].effort").expect("a path").read(&message);
        assert_eq!(
            missing.expect_err("three joints").to_string(),
            "joints, byte 28: element 3 is asked for, and there are 3"
        );
    }
    let refused = [
        ("", "hand_msgs/msg/Hand has no \"\"; it has header (std_msgs/msg/Header), joints "),
        (
            "torque",
            "has no \"torque\"; it has header (std_msgs/msg/Header), joints (hand_msgs/msg/J",
        ),
        ("header.stamp.secs", "header.stamp has no \"secs\"; it has sec (int32), nanosec (uint32)"),
        (
            "joints.effort",
            "joints is an array (hand_msgs/msg/Joint[]): write joints[0] or joints[*]",
        ),
        ("joints[*].torque", "joints[*] has no \"torque\"; it has name (string), effort (float64)"),
        ("held[0]", "held is a bool, no array: leave out the brackets"),
        ("held.x", "held is a bool, and has no parts"),
        ("force[3]", "force has at most 3 elements, and 3 counts from 0"),
        ("force[-1]", "\"force[-1]\" is not understood: force[0] or force[*] would be"),
        ("force[", "\"force[\" is not understood: force[0] or force[*] would be"),
        ("names", "names is many texts: choose one, as by [0]"),
        ("joints[*].name", "joints[*].name is many texts"),
        ("joints", "joints is not made of numbers alone, it has the text name; go on with one of"),
        (
            "header",
            "it has the text frame_id; go on with one of stamp (builtin_interfaces/msg/Time)",
        ),
    ];
    for (path, expected) in refused {
        let error = hand.find(path).expect_err(path).to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn definitions_may_be_written_in_many_ways() {
    let text = "\u{feff}# Says what.\r\n\
                uint8 TOUCHED = 1\r\n\
                string NAME=\"a # b = c\"\r\n\
                \r\n\
                   Header   header   # where\r\n\
                uint8\tstate 3\r\n\
                string<=5 mode \"x=1\"\r\n\
                float64[<=4] cost [1.0, 2.0]\r\n\
                byte[]  data# no space\r\n\
                Point[2] corners\r\n\
                geometry_msgs/msg/Point other\r\n\
                duration_msgs/D d\r\n\
                ================================================================================\r\n\
                \r\n\
                MSG: std_msgs/Header\r\n\
                builtin_interfaces/Time stamp\r\n\
                string frame_id\r\n\
                ================================================================================\n\
                MSG: geometry_msgs/msg/Point\n\
                float64 x\n\
                ================================================================================\n\
                MSG: my_msgs/Point\n\
                float32 x 0\n\
                ================================================================================\n\
                MSG: duration_msgs/D\n\
                builtin_interfaces/Duration length\n";
    let interface = Interface::parse("my_msgs/State", text).expect("a definition");
    assert_eq!(interface.type_name(), "my_msgs/msg/State");
    assert_eq!(interface.definition(), text);
    assert!(interface.has_header());
    assert_eq!(
        interface.fields_text(),
        "header (std_msgs/msg/Header), state (uint8), mode (string), cost (float64[<=4]), \
         data (uint8[]), corners (my_msgs/msg/Point[2]), other (geometry_msgs/msg/Point), \
         d (duration_msgs/msg/D)"
    );
}

#[test]
fn what_is_no_definition_is_refused_with_its_place() {
    let cases = [
        ("float64", "a/msg/A, line 1 of its definition: a type and a name are needed"),
        ("\nfloat64 1x", "line 2 of its definition: a type and a name are needed"),
        ("float64 x-y", "line 1 of its definition: '-' cannot be in a name"),
        ("float64[ x", "the array \"float64[\" has no `]` at its end"),
        ("float64[0] x", "\"0\" is no length of an array: [], [3] or [<=3] is"),
        ("float64[4294967296] x", "\"4294967296\" is no length of an array"),
        ("float64[<=-1] x", "is no length of an array"),
        ("float64<=3 x", "\"float64<=3\" is no type: string<=10 is"),
        ("bool x\nbool x", "line 2 of its definition: there are two fields named x"),
        ("B b", "a/msg/A: its field b is a a/msg/B, which is not defined beside it"),
        ("../../B b", "\"../../B\" is no name of a type"),
        ("A a", "a/msg/A is nested more than 32 types deep, or in itself"),
        ("bool x\n====================\nIDL: a/B\n", "line 3 of its definition: `MSG: `"),
        ("bool x\n====================\nMSG: b/B\n\nbool\n", "b/msg/B, line 2 of its definition"),
    ];
    for (text, expected) in cases {
        let error = Interface::parse("a/A", text).expect_err(text).to_string();
        assert!(error.contains(expected), "{error}");
    }
    let error = Interface::parse("A", "").expect_err("no package").to_string();
    assert_eq!(error, "\"A\" is no message type: it must be like sensor_msgs/msg/JointState");
    let long = "#".repeat(2_000_000);
    let error = Interface::parse("a/A", &long).expect_err("long").to_string();
    assert!(error.contains("more than 1048576 bytes"), "{error}");
}

/// Types of which each has ten fields of the next: 10^n parts in all.
fn towers(types_count: usize, last: &str) -> String {
    let mut text = String::new();
    for level in 0..types_count {
        if level > 0 {
            text.push_str(&format!("{}\nMSG: t/T{level}\n", "=".repeat(80)));
        }
        for field in 0..10 {
            text.push_str(&match level + 1 {
                next if next < types_count => format!("T{next}[1000] f{field}\n"),
                _ => format!("{last} f{field}\n"),
            });
        }
    }
    text
}

#[test]
fn types_nested_a_thousandfold_are_read_no_further_than_the_message() {
    for last in ["bool", "string", "float64[]"] {
        let tower = Interface::parse("t/T", &towers(32, last)).expect("a definition");
        let message = [vec![0, 1, 0, 0], vec![0; 4_000]].concat();
        let error = tower.to_json(&message).expect_err("short").to_string();
        assert!(error.contains("more bytes are needed"), "{error}");
        assert_eq!(tower.find("f0").is_ok(), last != "string");
    }
    let error = Interface::parse("t/T", &towers(33, "bool")).expect_err("deep").to_string();
    assert!(error.contains("more than 32 types deep"), "{error}");
}

#[test]
fn definitions_are_loaded_with_all_that_is_nested_in_them() {
    let folders = [tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder")];
    let files = [
        (0, "hand_msgs", "Hand", "Header header\nJoint[] joints\ngeometry_msgs/Point tip"),
        (0, "hand_msgs", "Joint", "geometry_msgs/Point at # caf\u{e9}\n"),
        (1, "hand_msgs", "Joint", "this is never read"),
        (1, "std_msgs", "Header", "builtin_interfaces/Time stamp\nstring frame_id\n"),
        (1, "geometry_msgs", "Point", "float64 x\n"),
        (1, "hand_msgs", "Lost", "nowhere_msgs/Type it\n"),
    ];
    for (folder, package, name, text) in files {
        let folder = folders[folder].path().join(package).join("msg");
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join(format!("{name}.msg")), text).expect("a file");
    }
    let shares = folders.each_ref().map(|folder| folder.path().to_owned());
    let hand = Interface::load("hand_msgs/Hand", &shares).expect("all is there");
    let again = Interface::parse("hand_msgs/msg/Hand", hand.definition()).expect("the same");
    assert_eq!(again, hand);
    let separator = "=".repeat(80);
    assert_eq!(
        hand.definition(),
        format!(
            "Header header\nJoint[] joints\ngeometry_msgs/Point tip\n{separator}\n\
             MSG: std_msgs/Header\nbuiltin_interfaces/Time stamp\nstring frame_id\n{separator}\n\
             MSG: hand_msgs/Joint\ngeometry_msgs/Point at # café\n{separator}\n\
             MSG: geometry_msgs/Point\nfloat64 x\n"
        )
    );
    let error = Interface::load("hand_msgs/Lost", &shares).expect_err("lost").to_string();
    assert!(
        error.starts_with("there is no definition of nowhere_msgs/msg/Type: no file "),
        "{error}"
    );
    assert!(error.ends_with("nowhere_msgs/msg/Type.msg, nor in 1 other share folders"), "{error}");
    let error = Interface::load("hand_msgs/Hand", &[]).expect_err("nowhere").to_string();
    assert!(error.ends_with("no share folder of ROS was given to look in"), "{error}");
}

#[test]
fn the_result_of_an_action_is_read_out_of_its_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = [
        (
            "action/Pick.action",
            "string object\n---\nuint16 error_code\nGrip grip\n---\nfloat32 left\n",
        ),
        ("msg/Grip.msg", "float64 force_n\n"),
        ("action/Go.action", "---\n---\n"),
    ];
    for (file, text) in files {
        let path = folder.path().join("hand_msgs").join(file);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }
    let shares = [folder.path().to_owned()];
    let pick = Interface::load_result("hand_msgs/action/Pick", &shares).expect("all is there");
    // Status, error code, and the force behind its padding.
    let answer = bytes("0001 0000 06 00 cf00 00000000 000000000000 f03f");
    let expected = json!({"status": 6, "result": {"error_code": 207, "grip": {"force_n": 1.0}}});
    assert_eq!(pick.to_json(&answer).expect("an answer"), expected);
    let go = Interface::load_result("hand_msgs/action/Go", &shares).expect("nothing is in it");
    let expected = json!({"status": 4, "result": {}});
    assert_eq!(go.to_json(&bytes("0001 0000 04 00")).expect("an answer"), expected);
    assert!(Interface::load_result("hand_msgs/action/Lost", &shares).is_err());
    let uuid = folder.path().join("unique_identifier_msgs/msg/UUID.msg");
    std::fs::create_dir_all(uuid.parent().expect("a folder")).expect("a folder");
    std::fs::write(uuid, "uint8[16] uuid\n").expect("a file");
    let going =
        Interface::load("hand_msgs/action/Pick_FeedbackMessage", &shares).expect("it is there");
    let left = going.find("feedback.left").expect("a field");
    let message = bytes(&format!("0001 0000 {} 0000 0040", "00".repeat(16)));
    let read = PathValue::Numbers { values: vec![2.0], shape: Vec::new(), labels: Vec::new() };
    assert_eq!(left.read(&message).expect("whole"), read);
}

#[test]
fn what_is_no_message_is_refused_in_words() {
    let interface =
        Interface::parse("a/A", "bool is_on\nfloat64[<=2] x\nstring name").expect("a definition");
    let cases = [
        ("", "byte 0: 4 more bytes are needed, and 0 are left"),
        ("0003 0000", "byte 0: the encapsulation 0x0003 is none of plain CDR"),
        ("0007 0000", "(0x0000 and 0x0001): it is XCDR2"),
        ("4242 0000", "(0x0000 and 0x0001): it is not known"),
        ("0001 0000", "is_on, byte 4: 1 more bytes are needed, and 0 are left"),
        ("0001 0000 02", "is_on, byte 4: a bool is 2, which is neither 0 nor 1"),
        (
            "0001 0000 01000000 ffffffff",
            "x, byte 12: 34359738360 more bytes are needed, and 0 are left",
        ),
        (
            "0001 0000 01000000 03000000 0000000000000000 0000000000000000 0000000000000000",
            "x, byte 12: there are 3 elements, and its definition allows 2",
        ),
        (
            "0001 0000 01000000 00000000 09000000 4142",
            "name, byte 16: 9 more bytes are needed, and 2",
        ),
    ];
    for (hex, expected) in cases {
        let error = interface.to_json(&bytes(hex)).expect_err(hex).to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn json_is_bounded() {
    let interface =
        Interface::parse("a/A", "uint8[] data\nfloat32[] x\nstring s\nbyte[] few").expect("it is");
    let mut writer = CdrWriter::new(false);
    writer.u32(65);
    writer.bytes.extend([7; 65]);
    writer.u32(5_000);
    writer.bytes.extend([0; 20_000]);
    writer.text(&"ä".repeat(3_000)).u32(2);
    writer.bytes.extend([1, 2]);
    let json = interface.to_json(&writer.bytes).expect("whole");
    assert_eq!(json["data"], "<65 uint8>");
    assert_eq!(json["x"], "<5000 float32>");
    assert_eq!(json["s"], format!("{}…", "ä".repeat(2_048)));
    assert_eq!(json["few"], json!([1, 2]));
}

#[test]
fn no_more_numbers_are_taken_than_the_limit() {
    let interface = Interface::parse("a/A", "float64[] x").expect("a definition");
    let path = interface.find("x").expect("a path");
    for (count, is_taken) in [(4_096, true), (4_097, false)] {
        let mut writer = CdrWriter::new(false);
        writer.f64_sequence(&vec![1.0; count]);
        assert_eq!(path.read(&writer.bytes).is_ok(), is_taken, "{count}");
    }
}

/// Paths to every field of a structure that can be found.
fn paths_of(interface: &Interface) -> Vec<FieldPath> {
    let names = interface.root().fields.iter().map(|field| field.name.as_str());
    let deeper = ["header.stamp", "pose.pose.position", "points[*].positions", "status[0].values"];
    names.chain(deeper).filter_map(|path| interface.find(path).ok()).collect()
}

proptest! {
    #[test]
    fn damaged_messages_are_read_or_refused(
        index in any::<prop::sample::Index>(),
        cut in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8),
        is_bigendian: bool,
    ) {
        let messages = recorded();
        let Recorded { interface, json, .. } = &messages[index.index(messages.len())];
        let mut message = to_cdr(interface, json, is_bigendian);
        message.truncate(cut.index(message.len()) + 1);
        for (at, byte) in changes {
            let at = at.index(message.len());
            message[at] = byte;
        }
        let _ = interface.to_json(&message);
        for path in paths_of(interface) {
            if let Ok(PathValue::Numbers { values, shape, .. }) = path.read(&message) {
                prop_assert_eq!(path.names(&shape, &[]).len(), values.len());
                prop_assert!(values.len() + 4 * shape.len() <= message.len() + 4);
            }
        }
    }

    #[test]
    fn any_text_is_a_definition_or_refused(text in "([a-zA-Z0-9_/\\[\\]<=# \n\r\"]|MSG: |={80}\n|float64 |std_msgs/Header ){0,60}") {
        if let Ok(interface) = Interface::parse("a/A", &text) {
            let _ = interface.to_json(&[0, 1, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]);
        }
    }

    #[test]
    fn any_path_is_found_or_refused(path in "(joints|names|pose|covariance|header|stamp|[a-z\\[\\]*0-9.]|\\[0\\]|\\[\\*\\]|\\.){0,9}") {
        for Recorded { interface, cdr, .. } in recorded_of("nav_msgs/msg/Odometry") {
            if let Ok(path) = interface.find(&path) {
                prop_assert!(path.read(cdr).is_ok());
            }
        }
    }
}
