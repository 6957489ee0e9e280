use super::keys::{self, NUMBERS};
use super::{Streams, full_type_name, of_topic};
use crate::{Durability, Reliability, StreamSettings, TriggerKind};
use proptest::prelude::*;
use robot_memory_core::limits;
use robot_memory_core::model::{PerceptionType, nearest};

fn list(text: &str) -> Vec<StreamSettings> {
    match Streams::parse(text) {
        Ok(Streams::List(streams)) => streams,
        other => panic!("{text}: {other:?}"),
    }
}

fn error(text: &str) -> String {
    Streams::parse(text).expect_err(text).to_string()
}

fn kinds(settings: &StreamSettings) -> Vec<TriggerKind> {
    settings.triggers.iter().flatten().map(|trigger| trigger.kind).collect()
}

#[test]
fn a_topic_is_enough() {
    let expected = StreamSettings::new("/arm/joint_states");
    let spellings = [
        "- topic: /arm/joint_states",
        "[/arm/joint_states]",
        r#"[{"topic": "/arm/joint_states"}]"#,
    ];
    for text in spellings {
        assert_eq!(list(text), std::slice::from_ref(&expected), "{text}");
    }
    assert_eq!(expected.name, "arm/joint_states");
    assert_eq!(expected.type_name, None);
    assert_eq!((expected.before_secs, expected.after_secs), (2.0, 1.0));
    assert_eq!(expected.ring_bytes_max, 16 * 1024 * 1024);
    assert_eq!(expected.thumbnail_bytes_max, 16 * 1024);
    assert!(expected.with_others && !expected.clip);
}

#[test]
fn every_key_is_read() {
    let text = "
- topic: wrist/wrench
  name: wrist
  type: geometry_msgs/WrenchStamped
  field: wrench.force.z
  perception_type: tactile
  triggers: [contact, {kind: edge, channel: 3, falling: true}]
  before_secs: 3
  after_secs: 0.5
  event_secs_max: 60
  sample_rate_hz: 100
  with_others: no
  rate_max_hz: 250
  events_per_minute_max: 0
  events_per_day_max: 10
  ring_bytes_max: 1048576
  thumbnail_bytes_max: 0
  clip: true
  importance: 0.9
  collection: gripping
  enabled: true
  qos: {reliability: reliable, durability: transient_local, depth: 5}
";
    let [stream] = &list(text)[..] else { panic!("one stream") };
    assert_eq!((stream.name.as_str(), stream.topic.as_str()), ("wrist", "wrist/wrench"));
    assert_eq!(stream.type_name.as_deref(), Some("geometry_msgs/msg/WrenchStamped"));
    assert_eq!(stream.field.as_deref(), Some("wrench.force.z"));
    assert_eq!(stream.perception_type, Some(PerceptionType::Tactile));
    assert_eq!(kinds(stream), [TriggerKind::Contact, TriggerKind::Edge]);
    let edge = &stream.triggers.as_ref().expect("given")[1].parameters;
    assert_eq!(
        edge.iter().map(|(name, value)| (name.as_str(), *value)).collect::<Vec<_>>(),
        [("channel", 3.0), ("falling", 1.0)]
    );
    assert_eq!((stream.before_secs, stream.after_secs), (3.0, 0.5));
    assert_eq!((stream.event_secs_max, stream.sample_rate_hz), (60.0, 100.0));
    assert_eq!((stream.with_others, stream.clip), (false, true));
    assert_eq!((stream.rate_max_hz, stream.events_per_minute_max), (Some(250.0), Some(0)));
    assert_eq!((stream.events_per_day_max, stream.ring_bytes_max), (10, 1 << 20));
    assert_eq!((stream.thumbnail_bytes_max, stream.importance), (0, Some(0.9)));
    assert_eq!(stream.collection, "gripping");
    assert_eq!(stream.qos.reliability, Some(Reliability::Reliable));
    assert_eq!(stream.qos.durability, Some(Durability::TransientLocal));
    assert_eq!(stream.qos.depth, Some(5));
}

#[test]
fn entries_and_triggers_may_be_maps_by_their_names() {
    let listed = "[{name: arm, topic: /joint_states}, {name: wrist, topic: /wrench, clip: true, \
                  triggers: [contact, {kind: impact, rate: 300}]}]";
    let named = "{arm: /joint_states, wrist: {topic: /wrench, clip: true, triggers: {contact: true, \
                 impact: {rate: 300}, slip: false}}}";
    assert_eq!(list(named), list(listed));
    assert_eq!(list("{arm: {topic: /a, triggers: {}}}")[0].triggers, Some(Vec::new()));
    assert_eq!(list("{}"), []);
}

#[test]
fn auto_nothing_and_what_is_switched_off() {
    for auto in ["auto", " auto\n", "\"auto\""] {
        assert_eq!(Streams::parse(auto), Ok(Streams::Auto), "{auto}");
    }
    for nothing in ["", "[]", "# only a comment\n"] {
        assert_eq!(list(nothing), [], "{nothing:?}");
    }
    assert_eq!(list("[{topic: /camera, enabled: false}]"), []);
    assert!(
        error("[{topic: /camera, enabled: false, clips: true}]").contains("did you mean clip?")
    );
    assert_eq!(list("[{topic: /a, triggers: []}]")[0].triggers, Some(Vec::new()));
}

#[test]
fn what_cannot_be_used_is_said_in_words() {
    let cases = [
        (
            "7",
            "streams: must be a list of maps (`- topic: /joint_states`), a map of them by name, or the word auto; was 7",
        ),
        ("all", "was \"all\""),
        (
            "{topic: /a}",
            "streams: topic is a key of an entry, not its name: put the entry under a name",
        ),
        ("{arm: /a, qos: {depth: 1}}", "streams: qos is a key of an entry"),
        ("{arm: {topik: /a}}", "streams.arm: unknown key \"topik\", did you mean topic?"),
        (
            "{arm: {topic: /a, clips: true}}",
            "streams.arm (/a): unknown key \"clips\", did you mean clip?",
        ),
        ("{arm: 7}", "streams.arm: must be a map, was 7"),
        (
            "{arm: /a, leg: {topic: /b, name: arm}}",
            "streams.leg (/b): the name \"arm\" is that of streams.arm (/a), too",
        ),
        (
            "{arm: {topic: /a, triggers: {contcat: true}}}",
            "streams.arm (/a).triggers[0]: kind must be one of",
        ),
        (
            "{arm: {topic: /a, triggers: {contact: 5}}}",
            "streams.arm (/a): triggers: \"contact\" must be a map of its parameters, true or false, was 5",
        ),
        ("[7]", "streams[0]: must be a map, was 7"),
        ("[/a, {name: b}]", "streams[1]: topic is missing"),
        ("[{topics: /a}]", "streams[0]: unknown key \"topics\", did you mean topic?"),
        ("[{topic: 7}]", "streams[0]: topic must be a text, was 7"),
        ("[{topic: /a/}]", "streams[0]: topic \"/a/\" has an empty part"),
        ("[{topic: /a//b}]", "has an empty part"),
        ("[{topic: /1a}]", "begins with a digit"),
        ("[{topic: \"/a b\"}]", "has other characters than"),
        ("[{topic: /}]", "names no topic"),
        (
            "[{topic: /a, befor_secs: 1}]",
            "streams[0] (/a): unknown key \"befor_secs\", did you mean before_secs?",
        ),
        ("[{topic: /a, window: 1}]", "unknown key \"window\"; the keys are topic, name, type"),
        (
            "[{topic: /a, before_secs: 100}]",
            "streams[0] (/a): before_secs must be a number from 0 to 60 (what leads up to an event waits in memory), was 100",
        ),
        ("[{topic: /a, before_secs: -1}]", "was -1"),
        ("[{topic: /a, before_secs: two}]", "was \"two\""),
        ("[{topic: /a, before_secs: .nan}]", "streams"),
        ("[{topic: /a, before_secs: }]", "was nothing"),
        ("[{topic: /a, events_per_day_max: 1.5}]", "must be a whole number from 0 to 1000000"),
        (
            "[{topic: /a, thumbnail_bytes_max: 9}]",
            "must be 0 or a whole number from 1024 to 262144",
        ),
        ("[{topic: /a, rate_max_hz: 0.001}]", "must be 0 or a number from 0.01 to 100000"),
        ("[{topic: /a, clip: 1}]", "clip must be true or false, was 1"),
        (
            "[{topic: /a, name: \"\"}]",
            "name must be a text of one line and 1 to 256 bytes, was \"\"",
        ),
        ("[{topic: /a, type: JointState}]", "as sensor_msgs/msg/JointState, was \"JointState\""),
        ("[{topic: /a, type: a_msgs/srv/Do}]", "was \"a_msgs/srv/Do\""),
        (
            "[{topic: /a, perception_type: touch}]",
            "must be one of visual, tactile, auditory, proprioceptive, procedural, was \"touch\"",
        ),
        ("[{topic: /a, triggers: contact}]", "triggers must be a list"),
        (
            "[{topic: /a, triggers: [contcat]}]",
            "streams[0] (/a).triggers[0]: kind must be one of contact, impact,",
        ),
        ("[{topic: /a, triggers: [contcat]}]", "was \"contcat\", did you mean contact?"),
        ("[{topic: /a, triggers: [capture]}]", "was \"capture\""),
        ("[{topic: /a, triggers: [{on: 1}]}]", "kind is missing"),
        (
            "[{topic: /a, triggers: [{kind: contact, on: high}]}]",
            "\"on\" must be a number, true or false, was \"high\"",
        ),
        (
            "[{topic: /a, triggers: [{kind: impact, falling: true}]}]",
            "streams[0] (/a).triggers[0]: trigger impact: has no parameter \"falling\", it has",
        ),
        (
            "[{topic: /a, triggers: [contact, {kind: slip, sigmas: 0}]}]",
            "streams[0] (/a).triggers[1]: trigger slip: sigmas must be from",
        ),
        (
            "[{topic: /a, triggers: [contact, {kind: contact}]}]",
            "triggers[1]: contact is there twice",
        ),
        ("[{topic: /a, qos: reliable}]", "qos must be a map"),
        (
            "[{topic: /a, qos: {reliability: sure}}]",
            "streams[0] (/a).qos: reliability must be one of reliable, best_effort, was \"sure\"",
        ),
        ("[{topic: /a, qos: {dept: 1}}]", "did you mean depth?"),
        ("[{topic: /a, qos: {depth: 0}}]", "depth must be a whole number from 1 to 100000"),
        ("[/a, /a]", "streams[1] (/a): the name \"a\" is that of streams[0] (/a), too"),
        ("[/a/b, {topic: /c, name: a/b}]", "streams[1] (/c): the name \"a/b\""),
        ("[{topic: /a, topic: /b}]", "streams: no YAML"),
        ("[{topic: /a", "streams: no YAML"),
    ];
    for (text, expected) in cases {
        let message = error(text);
        assert!(message.contains(expected), "{text}\n  gave {message}\n  not  {expected}");
        assert!(!message.contains('\n'), "{text}: {message:?} is one line");
    }
}

#[test]
fn the_list_and_its_text_are_bounded() {
    let entries = |count: usize| (0..count).map(|i| format!("- /t{i}\n")).collect::<String>();
    assert_eq!(list(&entries(limits::STREAMS_MAX)).len(), limits::STREAMS_MAX);
    let message = error(&entries(limits::STREAMS_MAX + 1));
    assert!(message.contains("has 65 entries, at most 64"), "{message}");
    let message = error(&" ".repeat(limits::STREAMS_BYTES_MAX + 1));
    assert!(message.contains("has 131073 bytes, at most 131072"), "{message}");
    assert!(error(&"[".repeat(1000)).contains("no YAML"));
    let bomb = "- &a [x, x, x, x, x, x, x, x, x, x]\n".to_owned()
        + &(1..9)
            .map(|i| {
                let from = char::from(b'a' + i - 1);
                format!(
                    "- &{} [{}]\n",
                    char::from(b'a' + i),
                    vec![format!("*{from}"); 10].join(", ")
                )
            })
            .collect::<String>();
    assert!(error(&bomb).contains("no YAML"));
}

#[test]
fn a_type_says_what_was_not_said() {
    use PerceptionType::{Procedural, Proprioceptive, Tactile, Visual};
    use TriggerKind::{Change, Contact, Edge, Impact, Keyframe, Motion, Novelty, Slip};
    let cases: [(&str, PerceptionType, &[TriggerKind], f64, u32); 10] = [
        ("sensor_msgs/msg/JointState", Proprioceptive, &[Motion], 0.0, 60),
        ("geometry_msgs/msg/WrenchStamped", Tactile, &[Contact, Impact], 0.0, 60),
        ("geometry_msgs/msg/Wrench", Tactile, &[Contact, Impact], 0.0, 60),
        ("std_msgs/msg/Float32MultiArray", Tactile, &[Contact, Slip], 0.0, 60),
        ("sensor_msgs/msg/Image", Visual, &[Keyframe], 5.0, 60),
        ("sensor_msgs/msg/CompressedImage", Visual, &[Keyframe], 5.0, 60),
        ("sensor_msgs/msg/Imu", Proprioceptive, &[Impact], 0.0, 60),
        ("std_msgs/msg/Bool", Proprioceptive, &[Edge], 0.0, 0),
        ("std_msgs/msg/String", Procedural, &[Change], 0.0, 0),
        ("my_msgs/msg/Anything", Proprioceptive, &[Novelty], 0.0, 60),
    ];
    for (type_name, sense, triggers, rate, per_minute) in cases {
        let stream = StreamSettings::new("/t").completed(type_name);
        assert_eq!(stream.type_name.as_deref(), Some(type_name));
        assert_eq!(stream.perception_type, Some(sense), "{type_name}");
        assert_eq!(kinds(&stream), triggers, "{type_name}");
        assert_eq!(stream.rate_max_hz, Some(rate), "{type_name}");
        assert_eq!(stream.events_per_minute_max, Some(per_minute), "{type_name}");
    }

    let said = "[{topic: /t, perception_type: tactile, triggers: [periodic], rate_max_hz: 1, events_per_minute_max: 7}]";
    let said = list(said).remove(0);
    let completed = said.completed("sensor_msgs/msg/Image");
    assert_eq!(completed, StreamSettings { type_name: completed.type_name.clone(), ..said });

    let effort = list("[{topic: /t, field: \"effort[0]\"}]").remove(0);
    assert_eq!(kinds(&effort.completed("sensor_msgs/msg/JointState")), [Novelty]);
    let force = list("[{topic: /t, field: wrench.force}]").remove(0);
    assert_eq!(kinds(&force.completed("geometry_msgs/msg/Wrench")), [Contact, Impact]);

    let data = list("[{topic: /t, field: data}]").remove(0);
    assert_eq!(kinds(&data.completed("std_msgs/msg/Bool")), [Edge]);
    assert_eq!(kinds(&data.completed("std_msgs/msg/String")), [Change]);

    let flag = list("[{topic: /t, field: is_on, triggers: [edge]}]").remove(0);
    assert_eq!(flag.completed("my_msgs/msg/State").events_per_minute_max, Some(0));
}

#[test]
fn records_are_selected_by_conditions() {
    let flat = list("[{topic: /d, where: {status.name: 'lidar*', level: '>=WARN'}}]").remove(0);
    let nested =
        list("{d: {topic: /d, where: {status: {name: 'lidar*'}, level: '>=WARN'}}}").remove(0);
    assert_eq!(flat.selection, nested.selection);
    assert!(!flat.selection.takes_text("status.name", "imu"));
    for (given, part) in [
        ("lidar", "where must be a map, as {name: lidar*, level: >=ERROR}, was \"lidar\""),
        ("{level: '>=BAD'}", "where: \"level\" must be a name as lidar*"),
    ] {
        let error = Streams::parse(&format!("[{{topic: /d, where: {given}}}]")).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
    }
}

#[test]
fn only_topics_that_can_be_read_are_found() {
    let found = of_topic("/camera/image_raw", "sensor_msgs/msg/Image").expect("an image");
    assert_eq!(found.name, "camera/image_raw");
    assert_eq!(found.type_name.as_deref(), Some("sensor_msgs/msg/Image"));
    assert!(of_topic("/cmd_vel", "geometry_msgs/msg/Twist").is_some());
    for other in ["/base/velocity", "/cmd_vel_nav", "/cmd_vel_smoothed"] {
        assert_eq!(of_topic(other, "geometry_msgs/msg/Twist"), None, "{other}");
    }
    for other in
        ["geometry_msgs/msg/PoseStamped", "tf2_msgs/msg/TFMessage", "rosgraph_msgs/msg/Clock", "x"]
    {
        assert_eq!(of_topic("/t", other), None, "{other}");
    }
}

#[test]
fn whole_numbers_of_every_size_can_be_read() {
    let is_read = |name: &str| of_topic("/t", &format!("std_msgs/msg/{name}")).is_some();
    for name in ["Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64"] {
        assert!(is_read(name), "{name}");
    }
    for name in ["Int", "Int7", "Int128", "UUInt8", "SInt8", "8", "ByteMultiArray", ""] {
        assert!(!is_read(name), "{name}");
    }
    assert_eq!(of_topic("/t", "Int8"), None);
}

#[test]
fn what_should_not_have_happened_is_worth_more_than_time_that_passed() {
    for kind in TriggerKind::ALL {
        assert!((0.0..=1.0).contains(&kind.importance()), "{kind}");
    }
    for kind in [TriggerKind::Edge, TriggerKind::Impact] {
        assert!(kind.importance() > TriggerKind::Periodic.importance());
    }
}

#[test]
fn names_of_types_and_slips_of_names() {
    let cases = [
        ("sensor_msgs/JointState", Some("sensor_msgs/msg/JointState")),
        ("sensor_msgs/msg/JointState", Some("sensor_msgs/msg/JointState")),
        ("a_1/Float32", Some("a_1/msg/Float32")),
        ("JointState", None),
        ("sensor_msgs/jointState", None),
        ("Sensor/JointState", None),
        ("sensor_msgs/action/Go", None),
        ("sensor_msgs/msg/a/B", None),
        ("", None),
        ("/", None),
    ];
    for (name, expected) in cases {
        assert_eq!(full_type_name(name).as_deref(), expected, "{name:?}");
    }
    let cases = [
        ("topc", Some("topic")),
        ("Topic", Some("topic")),
        ("rate_hz", None),
        ("triger", Some("triggers")),
        ("after_sec", Some("after_secs")),
        ("", None),
        ("xyz", None),
    ];
    for (given, expected) in cases {
        assert_eq!(nearest(given, keys::ENTRY), expected, "{given:?}");
    }
}

#[test]
fn the_document_says_what_the_program_does() {
    let document = include_str!("../../../../docs/sensors.md");
    for key in keys::ENTRY.iter().chain(&keys::QOS_KEYS).chain([&keys::QOS, &keys::WHERE]) {
        assert!(document.contains(&format!("| `{key}` |")), "docs/sensors.md has no `{key}`");
    }
    for key in NUMBERS {
        let default = key.default.map_or("as its type says".to_owned(), |value| value.to_string());
        let default =
            if key.name == "importance" { "as its trigger says".to_owned() } else { default };
        let bounds = key.bounds();
        let row = format!("| `{}` | {default} | {bounds} |", key.name);
        assert!(document.contains(&row), "docs/sensors.md has no row {row}");
    }
    for kind in TriggerKind::ALL {
        let row = format!("| `{kind}` | {} |", kind.importance());
        assert!(document.contains(&row), "docs/sensors.md has no row {row}");
    }
}

#[test]
fn the_shipped_example_is_one() {
    let streams = list(include_str!("../../../../config/streams.yaml"));
    assert!(streams.len() >= 5);
}

proptest! {
    #[test]
    fn no_text_brings_it_down(text in "[-\\[\\]{}:, a-z0-9&*!|>\n\"'#.~/]{0,200}") {
        let _ = Streams::parse(&text);
    }

    #[test]
    fn no_value_brings_it_down(
        key in prop::sample::select(keys::ENTRY.to_vec()),
        value in "[-+.0-9eE]{1,12}|\\PC{0,8}|\\[.{0,5}\\]",
    ) {
        let _ = Streams::parse(&format!("[{{topic: /a, {key}: {value}}}]"));
    }
}
