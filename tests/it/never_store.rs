//! What is never stored is refused at every way in, and nothing of it is left anywhere.

use crate::disk::files_with;
use crate::robot::{Robot, START};
use robot_memory_core::api::{
    ApiError, CaptureRequest, ClearMemoriesRequest, CommitTurn, CommitTurnRequest,
    DeleteMemoryRequest, EndSession, EndSessionRequest, ErrorKind, Forget, ForgetRequest, Learn,
    LearnRequest, Operation, Recall, RecallRequest, SavePerception, SavePerceptionRequest,
    StartSession, StartSessionRequest, StorableTexts, Update, UpdateRequest,
};
use robot_memory_core::model::{PerceptionType, Stamp};
use robot_memory_engine::{Engine, Recording, Run};
use robot_memory_perception::{ClipMessage, Event, TriggerKind};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

/// In every secret, and nowhere else.
pub const MARK: &str = "7319046825";
/// In what may be stored.
const HARMLESS: &str = "4285160937";

/// A rule, and what it refuses.
pub const SECRETS: [(&str, &str); 8] = [
    ("api_key", "sk-abcdefghij7319046825"),
    ("api_key", "SK-ABCDEFGHIJ7319046825"),
    ("password", "password: 7319046825"),
    ("password", "我的密码 PassWord = 7319046825，请记住"),
    ("token", "the access_token=7319046825 is"),
    ("cookie", "Cookie \t: 7319046825"),
    ("private_key", "-----BEGIN RSA PRIVATE KEY----- 7319046825"),
    ("private_key", "-----begin  private key----- 7319046825"),
];

/// The same in JSON, where the text alone does not say it.
const PAIRS: [(&str, &str); 8] = [
    ("password", r#"{"password": "7319046825"}"#),
    ("password", r#"{"env": [{"DB_PASSWORD": 7319046825}]}"#),
    ("password", r#"{"p\u0061ssword": ["7319046825"]}"#),
    ("password", r#"{"password": "7319046825", "password": ""}"#),
    ("password", r#"{"password": {"value": "7319046825"}}"#),
    ("token", r#"{"note": "token\u003a 7319046825"}"#),
    ("cookie", r#"{"values": "{\"cookie\": \"7319046825\"}"}"#),
    ("password", r#"{"password": "7319046825", and then it is no JSON"#),
];

/// Every line that was logged, at any level, by all tests of this program.
static LOGGED: Mutex<String> = Mutex::new(String::new());

struct Recorded;

impl log::Log for Recorded {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        let line = format!("{} {}\n", record.target(), record.args());
        logged().push_str(&line);
    }

    fn flush(&self) {}
}

static LOGGING: LazyLock<()> = LazyLock::new(|| {
    log::set_logger(&Recorded).expect("the only logger");
    log::set_max_level(log::LevelFilter::Trace);
    log::trace!("of {HARMLESS}");
});

/// One test that fails must not make all others fail that log.
fn logged() -> MutexGuard<'static, String> {
    LOGGED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A robot whose log is kept, and which knows one memory.
pub fn robot() -> Robot {
    LazyLock::force(&LOGGING);
    let robot = Robot::new();
    robot.learn(&format!("The shelf of {HARMLESS} is on the left"));
    robot
}

/// Nothing of any secret is on the disk or in the log, while what may be stored is there.
pub fn assert_no_trace(robot: Robot) {
    let path = robot.store_path();
    let folder = path.parent().expect("a folder");
    assert!(!files_with(folder, HARMLESS).is_empty(), "this test looks in the wrong place");
    assert_eq!(files_with(folder, MARK), [""; 0]);
    while robot.engine.upkeep().expect("upkeep") {}
    robot.engine.close().expect("it closes");
    assert_eq!(files_with(folder, MARK), [""; 0]);
    let logged = logged();
    assert!(logged.contains(HARMLESS), "this test looks in the wrong log");
    let lines: Vec<&str> = logged.lines().filter(|line| line.contains(MARK)).collect();
    assert_eq!(lines, [""; 0]);
}

/// Nothing but the refusal of a field by a rule, with a place that tells nothing of the secret.
fn assert_refused(outcome: Result<(), ApiError>, field: &str, rule: &str, secret: &str) {
    let error = outcome.expect_err(secret);
    assert_eq!(error.kind, ErrorKind::Refused, "{secret}");
    let message = format!("{field}: holds what is never stored (rule {rule}) ");
    let place =
        error.message.strip_prefix(&message).unwrap_or_else(|| panic!("{secret}: {error:?}"));
    assert!(place.starts_with("at ") || place.starts_with("in "), "{place}");
    assert!(!place.contains(MARK), "{place}");
}

/// A request with one field set to a text.
fn with<R: Serialize + DeserializeOwned>(request: &R, field: &str, text: &str) -> R {
    let mut request = serde_json::to_value(request).expect("it serializes");
    request[field] = match &request[field] {
        Value::String(_) => text.into(),
        Value::Array(_) => json!([text]),
        other => panic!("{field} is {other}"),
    };
    serde_json::from_value(request).expect("it is a request")
}

/// Each secret through each of the named fields of a request, and pairs through those of JSON.
fn refuses_each<R: Serialize + DeserializeOwned>(
    request: &R,
    texts: &[&str],
    jsons: &[&str],
    call: impl Fn(R) -> Result<(), ApiError>,
) {
    for field in texts.iter().chain(jsons) {
        for (rule, secret) in SECRETS {
            assert_refused(call(with(request, field, secret)), field, rule, secret);
        }
    }
    for field in jsons {
        for (rule, json) in PAIRS {
            assert_refused(call(with(request, field, json)), field, rule, json);
        }
        for (rule, secret) in SECRETS {
            let nested = json!({"robot": {"notes": ["fine", secret]}}).to_string();
            assert_refused(call(with(request, field, &nested)), field, rule, &nested);
        }
    }
}

fn called<Op: Operation>(robot: &Robot, request: Op::Request) -> Result<(), ApiError>
where
    Engine: Run<Op>,
{
    robot.engine.call::<Op>(request).map(drop)
}

const LEARN: [&str; 11] = [
    "insight",
    "collection",
    "session_id",
    "turn_id",
    "level",
    "scope",
    "agent",
    "source",
    "trust",
    "mem_type",
    "idempotency_key",
];

#[test]
fn learning_is_refused() {
    let robot = robot();
    let request = LearnRequest { insight: "The door opens inward".into(), ..Default::default() };
    refuses_each(&request, &LEARN, &["context"], |request| called::<Learn>(&robot, request));
    // Beyond what is kept of a long text; beyond what may come at all nothing is looked at.
    for (spaces, kind) in [
        (400, ErrorKind::Refused),
        (60_000, ErrorKind::Refused),
        (100_000, ErrorKind::InvalidArgument),
    ] {
        let long = format!("The door opens inward{}password: {MARK}", " ".repeat(spaces));
        let outcome = called::<Learn>(&robot, with(&request, "insight", &long));
        if kind == ErrorKind::Refused {
            assert_refused(outcome, "insight", "password", "a long text");
        } else {
            assert_eq!(outcome.expect_err("it is refused").kind, kind);
        }
    }
    assert_no_trace(robot);
}

fn seen() -> SavePerceptionRequest {
    SavePerceptionRequest { description: "A cup on the table".into(), ..Default::default() }
}

#[test]
fn perceiving_is_refused_alone_and_in_a_batch() {
    let robot = robot();
    let texts: Vec<&str> =
        LEARN[1..].iter().copied().chain(["description", "perception_type"]).collect();
    let jsons = ["data", "metadata", "context"];
    refuses_each(&seen(), &texts, &jsons, |request| called::<SavePerception>(&robot, request));
    refuses_each(&seen(), &texts, &jsons, |request| {
        let answers = robot.engine.save_perceptions(vec![seen(), request, seen()]);
        let mut answers = answers.expect("the batch is stored");
        assert!(answers[0].is_ok() && answers[2].is_ok(), "the others are stored");
        answers.swap_remove(1).map(drop)
    });
    assert_no_trace(robot);
}

#[test]
fn changing_is_refused() {
    let robot = robot();
    let id = robot.learn_with("The cup is red", "");
    let request =
        UpdateRequest { memory_id: id, new_content: "It is blue".into(), ..Default::default() };
    refuses_each(&request, &["new_content", "scope", "agent"], &["context"], |request| {
        called::<Update>(&robot, request)
    });
    let request = ForgetRequest { memory_id: id, reason: "wrong".into(), ..Default::default() };
    refuses_each(&request, &["reason", "scope", "agent"], &[], |request| {
        called::<Forget>(&robot, request)
    });
    assert_no_trace(robot);
}

#[test]
fn episodes_are_refused() {
    let robot = robot();
    let request = StartSessionRequest::default();
    refuses_each(&request, &["collection", "agent"], &["context"], |request| {
        called::<StartSession>(&robot, request)
    });
    let request = EndSessionRequest { session_id: robot.start_session(), ..Default::default() };
    refuses_each(&request, &["session_id", "agent"], &[], |request| {
        called::<EndSession>(&robot, request)
    });
    let request = CommitTurnRequest {
        session_id: robot.start_session(),
        turn_no: 1,
        text: "The cup is red".into(),
        ..Default::default()
    };
    let texts = ["session_id", "branch_id", "turn_id", "text", "agent"];
    refuses_each(&request, &texts, &["data"], |request| called::<CommitTurn>(&robot, request));
    assert_no_trace(robot);
}

#[test]
fn what_a_face_does_is_refused_too() {
    let robot = robot();
    let capture = CaptureRequest { reason: "it rattled".into(), ..Default::default() };
    let secrets = robot.engine.secrets();
    refuses_each(&capture, &["reason", "streams", "agent"], &[], |it| secrets.check(&it));
    let delete = DeleteMemoryRequest { memory_id: 1, ..Default::default() };
    refuses_each(&delete, &["agent"], &[], |request| secrets.check(&request));
    let clear = ClearMemoriesRequest::default();
    refuses_each(&clear, &["agent"], &[], |request| secrets.check(&request));
    assert_no_trace(robot);
}

/// What is asked is not stored, so it may be about anything; it is not logged either.
#[test]
fn asking_leaves_no_trace() {
    let robot = robot();
    for (_, secret) in SECRETS {
        let request = RecallRequest { query: secret.into(), explain: true, ..Default::default() };
        robot.call::<Recall>(request);
        let request =
            RecallRequest { query: "x".into(), order: secret.into(), ..Default::default() };
        let (kind, _) = robot.refused::<Recall>(request);
        assert_eq!(kind, ErrorKind::InvalidArgument);
    }
    assert_no_trace(robot);
}

/// Every text of a request is looked at, but for those that are named here.
#[test]
fn no_field_is_forgotten() {
    fn all<R: StorableTexts + Serialize>(request: &R, finds_only: &[&str]) {
        let value = serde_json::to_value(request).expect("it serializes");
        let fields = value.as_object().expect("an object").iter();
        let fields: BTreeSet<&str> = fields
            .filter(|(_, value)| value.is_string() || value.is_array())
            .map(|(name, _)| name.as_str())
            .filter(|name| !finds_only.contains(name))
            .collect();
        let looked_at: BTreeSet<&str> = request.texts().map(|(field, _)| field).collect();
        assert_eq!(looked_at, fields);
    }
    all(&LearnRequest::default(), &[]);
    all(&SavePerceptionRequest::default(), &[]);
    all(&UpdateRequest::default(), &[]);
    all(&ForgetRequest::default(), &[]);
    all(&StartSessionRequest::default(), &[]);
    all(&EndSessionRequest::default(), &[]);
    all(&CaptureRequest { streams: vec!["wrist".into()], ..Default::default() }, &[]);
    all(&CommitTurnRequest::default(), &[]);
    all(&DeleteMemoryRequest::default(), &["scope"]);
    all(&ClearMemoriesRequest::default(), &["scope", "level", "collection"]);
}

fn recording(key: &str) -> Recording {
    Recording {
        event: Event {
            key: key.into(),
            event_id: "e1".into(),
            stamp: START,
            end: Stamp(START.0 + 3_000_000_000),
            stream: "wrist".into(),
            topic: "/wrist/wrench".into(),
            trigger: TriggerKind::Contact,
            perception_type: PerceptionType::Tactile,
            description: "contact on wrist force, peak 23.4 N at 1.2 s".into(),
            data: r#"{"series":[]}"#.into(),
            metadata: r#"{"topic":"/wrist/wrench"}"#.into(),
            context: r#"{"spatial":{"frame":"map"}}"#.into(),
            importance: 0.6,
            collection: String::new(),
            signature: None,
            clip: Vec::new(),
        },
        sim_or_real: "real".into(),
        session_id: None,
        clip: None,
        known_at: None,
    }
}

#[test]
fn events_are_refused_and_the_others_stored() {
    let robot = robot();
    type Set = fn(&mut Recording, &str);
    let texts: [(&str, Set); 9] = [
        ("description", |it, text| it.event.description = text.into()),
        ("collection", |it, text| it.event.collection = text.into()),
        ("stream", |it, text| it.event.stream = text.into()),
        ("topic", |it, text| it.event.topic = text.into()),
        ("event_id", |it, text| it.event.event_id = text.into()),
        ("key", |it, text| it.event.key = text.into()),
        ("sim_or_real", |it, text| it.sim_or_real = text.into()),
        ("session_id", |it, text| it.session_id = Some(text.into())),
        ("clip", |it, text| it.clip = Some((text.into(), 1))),
    ];
    let jsons: [(&str, Set); 3] = [
        ("data", |it, text| it.event.data = text.into()),
        ("metadata", |it, text| it.event.metadata = text.into()),
        ("context", |it, text| it.event.context = text.into()),
    ];
    let mut count = 0;
    let mut refuses = |field: &str, set: Set, rule: &str, secret: &str| {
        count += 1;
        let mut bad = recording(&format!("bad {count}"));
        set(&mut bad, secret);
        let answers = robot.engine.record(vec![bad, recording(&format!("good {count}"))]);
        let answers = answers.expect("the batch is stored");
        assert_refused(answers[0].clone().map(drop), field, rule, secret);
        assert!(answers[1].as_ref().is_ok_and(|good| good.is_first));
    };
    for (rule, secret) in SECRETS {
        for (field, set) in texts.iter().chain(&jsons) {
            refuses(field, *set, rule, secret);
        }
    }
    for (rule, json) in PAIRS {
        for (field, set) in jsons {
            refuses(field, set, rule, json);
        }
    }
    assert_no_trace(robot);
}

/// A message whose bytes hold these texts as CDR does: behind their length, and with a zero.
fn message(type_name: &str, definition: &str, texts: &[&str]) -> ClipMessage {
    let mut bytes = vec![0, 1, 0, 0];
    for text in texts {
        while bytes.len() % 4 > 0 {
            bytes.push(0);
        }
        bytes.extend_from_slice(&(text.len() as u32 + 1).to_le_bytes());
        bytes.extend_from_slice(text.as_bytes());
        bytes.push(0);
    }
    ClipMessage {
        topic: "/notes".into(),
        type_name: type_name.into(),
        definition: definition.into(),
        received: START,
        stamp: START,
        bytes: bytes.into(),
    }
}

#[test]
fn clips_are_refused_by_the_bytes_and_the_fields_of_their_messages() {
    let secrets = robot().engine.secrets();
    let note = |text: &str| message("std_msgs/msg/String", "string data\n", &["fine", text]);
    let harmless = note("the token ring");
    assert_eq!(secrets.check_clip(&[harmless.clone(), harmless.clone()]), Ok(()));
    for (rule, secret) in SECRETS {
        let clip = [harmless.clone(), note(secret)];
        assert_refused(secrets.check_clip(&clip), "clip", rule, secret);
    }
    // Only the name of the field tells.
    let login = message("my_msgs/msg/Login", "string user\nstring password\n", &["r2", MARK]);
    assert_refused(secrets.check_clip(&[login]), "clip", "password", MARK);
    let mut named = harmless;
    named.topic = format!("/token={MARK}");
    assert_refused(secrets.check_clip(&[named]), "clip", "token", MARK);
}

#[test]
fn what_is_no_secret_is_stored() {
    let robot = robot();
    for text in [
        "The token ring is in the lab",
        "The password manager was opened",
        "The label says sk-short",
        "The cookie jar is on the shelf",
        "12 tokens: all on the table",
        "请把 cookie 放在桌子上",
    ] {
        robot.learn_with(text, r#"{"tokens": 5, "object": "cookie", "password": null}"#);
    }
    assert_eq!(robot.engine.health().expect("health").active_count, 7);
}

#[test]
fn what_was_stored_before_a_rule_came_may_still_be_found_and_forgotten() {
    let rule = "never_store:\n  - {name: badge, pattern: 'badge\\s*#?\\d{6}'}\n";
    let robot = Robot::with(|config| config.access = Some(rule.into()));
    let (kind, message) = robot.refused::<Learn>(LearnRequest {
        insight: "Ann has Badge #123456".into(),
        ..Default::default()
    });
    assert_eq!(kind, ErrorKind::Refused);
    assert_eq!(message, "insight: holds what is never stored (rule badge) at character 0");
    let hits = robot.recall("who has badge 123456");
    assert_eq!(hits.total, 0);
    let robot = Robot::new();
    let id = robot.learn("Ann has Badge #123456").memory_id;
    let request = ForgetRequest { memory_id: id, reason: "secret".into(), ..Default::default() };
    robot.call::<Forget>(request);
}
