//! What is refused, and why.

use super::{claim, key, known, memory};
use crate::{Cause, Refused, canonical, check_robot_name, encode, verify};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use robot_memory_core::claim::{Claim, ClaimOp, ClaimVector, Statement};
use robot_memory_core::limits::{
    CLAIM_BYTES_MAX, CLAIM_COMPONENTS_MAX, CLAIM_INTEGER_MAX, CLAIM_PICTURE_BYTES_MAX,
    CLAIM_REFS_MAX, CONTENT_CHARS_MAX, CONTEXT_BYTES_MAX, NAME_BYTES_MAX, REASON_CHARS_MAX,
};
use robot_memory_core::model::{Kind, Stamp};
use serde_json::{Value, json};

/// A claim that is signed whatever it says.
fn signed(claim: &Value, signer: &str) -> Vec<u8> {
    let form = serde_json_canonicalizer::to_vec(claim).unwrap();
    let signature = key(signer).sign(&[b"memory.claim.v1\n", &form[..]].concat());
    json!({ "claim": claim, "signature": STANDARD.encode(signature) }).to_string().into_bytes()
}

fn value(claim: &Claim) -> Value {
    serde_json::to_value(claim).unwrap()
}

fn refused(message: &[u8]) -> Refused {
    verify(message, &known()).expect_err(&String::from_utf8_lossy(message))
}

fn cause(message: &[u8]) -> Cause {
    refused(message).cause()
}

#[test]
fn a_field_out_of_its_bound_is_named_by_who_sends_and_by_who_reads() {
    type Change = fn(&mut Claim);
    let cases: &[(ClaimOp, &str, Change)] = &[
        (ClaimOp::Assert, "statement", |it| it.statement = None),
        (ClaimOp::Retract, "statement", |it| it.statement = claim(ClaimOp::Assert).statement),
        (ClaimOp::Confirm, "target", |it| it.target = None),
        (ClaimOp::Assert, "target", |it| it.target = Some(memory("base-1", 1))),
        (ClaimOp::Revoke, "selector", |it| it.selector = None),
        (ClaimOp::Receipt, "removed", |it| it.removed = None),
        (ClaimOp::Revoke, "removed", |it| it.removed = Some(Default::default())),
        (ClaimOp::Contradict, "target.origin", |it| it.target = Some(memory("arm_2", 1))),
        (ClaimOp::Confirm, "target.origin", |it| it.target = Some(memory("base.1", 1))),
        (ClaimOp::Retract, "body.gripper", |it| it.body.gripper = "a\nb".to_owned()),
        (ClaimOp::Retract, "body.robot_type", |it| it.body.robot_type = "é".repeat(NAME_BYTES_MAX)),
        (ClaimOp::Revoke, "selector.origin", |it| it.selector.as_mut().unwrap().origin.clear()),
        (ClaimOp::Revoke, "selector.session_id", |it| {
            it.selector.as_mut().unwrap().session_id = "\u{7f}".to_owned();
        }),
        (ClaimOp::Revoke, "selector.stream", |it| {
            it.selector.as_mut().unwrap().stream = "s".repeat(NAME_BYTES_MAX + 1);
        }),
        (ClaimOp::Revoke, "selector.until", |it| {
            let selector = it.selector.as_mut().unwrap();
            selector.until = selector.since;
        }),
        (ClaimOp::Revoke, "selector.reason", |it| {
            it.selector.as_mut().unwrap().reason = "r".repeat(REASON_CHARS_MAX + 1);
        }),
    ];
    for (op, field, change) in cases {
        check(*op, field, *change);
    }
}

const JPEG: [u8; 4] = [0xff, 0xd8, 0xff, 0xe0];

fn perceived(statement: &mut Statement, picture: Vec<u8>) {
    (statement.kind, statement.category) = (Kind::Perception, None);
    statement.picture = Some(picture);
}

#[test]
fn a_statement_out_of_its_bounds_is_refused() {
    type Change = fn(&mut Statement);
    let cases: &[(&'static str, Change)] = &[
        ("statement.scope", |it| it.scope = "agent:arm".to_owned()),
        ("statement.scope", |it| it.scope = "group:".to_owned()),
        ("statement.collection", |it| it.collection.clear()),
        ("statement.session_id", |it| it.session_id = "s".repeat(NAME_BYTES_MAX + 1)),
        ("statement.stream", |it| it.stream = "\u{1}".to_owned()),
        ("statement.map_id", |it| it.map_id = "\u{85}".to_owned()),
        ("statement.frame", |it| it.frame = "a\tb".to_owned()),
        ("statement.category", |it| it.kind = Kind::Summary),
        ("statement.confidence", |it| it.confidence = 1.000_000_1),
        ("statement.confidence", |it| it.confidence = -1e-9),
        ("statement.content", |it| it.content.clear()),
        ("statement.content", |it| it.content = "钳".repeat(CONTENT_CHARS_MAX + 1)),
        ("statement.context", |it| it.context = "[1]".to_owned()),
        ("statement.context", |it| it.context = "{".to_owned()),
        ("statement.context", |it| {
            it.context = format!("{{\"a\":\"{}\"}}", "b".repeat(CONTEXT_BYTES_MAX));
        }),
        ("statement.context", |it| {
            it.context = format!("{{\"a\":{}{}}}", "[".repeat(200), "]".repeat(200));
        }),
        ("statement.roots", |it| it.roots.clear()),
        ("statement.roots", |it| it.roots.push(it.roots[0].clone())),
        ("statement.roots", |it| it.roots[0].origin = "arm 2".to_owned()),
        ("statement.derived_from", |it| {
            it.derived_from = (0..=CLAIM_REFS_MAX as i64).map(|id| memory("arm_2", id)).collect();
        }),
        ("statement.vector.model", |it| it.vector.as_mut().unwrap().model.clear()),
        ("statement.vector.int8", |it| it.vector = Some(ClaimVector::of("m", &[0.0; 8]))),
        ("statement.vector.int8", |it| it.vector = Some(ClaimVector::of("m", &[]))),
        ("statement.vector.int8", |it| {
            it.vector = Some(ClaimVector::of("m", &[0.1; CLAIM_COMPONENTS_MAX + 1]));
        }),
        // Only of a perception.
        ("statement.picture", |it| it.picture = Some(JPEG.to_vec())),
        ("statement.picture", |it| perceived(it, Vec::new())),
        ("statement.picture", |it| perceived(it, b"\x89PNG".to_vec())),
        ("statement.picture", |it| perceived(it, JPEG.repeat(CLAIM_PICTURE_BYTES_MAX / 4 + 1))),
    ];
    for (field, change) in cases {
        for op in [ClaimOp::Assert, ClaimOp::Revise] {
            check(op, field, |claim| change(claim.statement.as_mut().unwrap()));
        }
    }
}

/// Both sides refuse a changed claim for the same reason, which quotes nothing that is remembered.
fn check(op: ClaimOp, expected: &str, change: impl Fn(&mut Claim)) {
    let mut bad = claim(op);
    change(&mut bad);
    let sent = encode(&bad, &key("arm_2")).expect_err(expected);
    let received = refused(&signed(&value(&bad), "arm_2"));
    assert_eq!(sent, received);
    let Refused::Invalid { origin, field, .. } = &sent else { panic!("{expected}: {sent}") };
    assert_eq!((origin.as_str(), *field), ("arm_2", expected), "{sent}");
    let text = sent.to_string();
    assert!(text.starts_with(&format!("a claim of \"arm_2\": {expected}: must ")), "{text}");
    assert!(text.contains(", got ") && text.len() < 300, "{text}");
    assert!(!text.contains("钳") && !text.contains("drawer"), "{text}");
}

#[test]
fn an_integer_that_a_double_does_not_hold_is_refused() {
    let max = CLAIM_INTEGER_MAX as i64;
    let mut claim = claim(ClaimOp::Assert);
    (claim.memory_id, claim.revision) = (max, CLAIM_INTEGER_MAX);
    let message = encode(&claim, &key("arm_2")).unwrap();
    assert_eq!(verify(&message, &known()), Ok(claim.clone()));
    let changes: [fn(&mut Claim); 4] = [
        |it| it.memory_id = CLAIM_INTEGER_MAX as i64 + 1,
        |it| it.memory_id = -1,
        |it| it.revision = u64::MAX,
        |it| it.statement.as_mut().unwrap().roots[0].memory_id = i64::MAX,
    ];
    for change in changes {
        let mut bad = claim.clone();
        change(&mut bad);
        assert_eq!(canonical(&bad).unwrap_err().cause(), Cause::Malformed);
        assert_eq!(encode(&bad, &key("arm_2")).unwrap_err().cause(), Cause::Malformed);
        let error = refused(&signed(&value(&bad), "arm_2"));
        assert_eq!(error.cause(), Cause::Malformed);
        assert!(error.to_string().contains("must be 0 to 9007199254740991, got "), "{error}");
    }
}

#[test]
fn a_message_is_told_apart_by_what_is_wrong() {
    let good = value(&claim(ClaimOp::Retract));
    assert!(verify(&signed(&good, "arm_2"), &known()).is_ok());
    let with = |field: &str, given: Value| {
        let mut claim = good.clone();
        claim[field] = given;
        claim
    };
    let newer = with("version", json!("memory.claim.v2"));
    let mut newer_message: Value = serde_json::from_slice(&signed(&newer, "arm_2")).unwrap();
    newer_message["signatures"] = json!(["one", "two"]);
    newer_message["claim"]["where"] = json!({ "place": 1 });
    let error = refused(newer_message.to_string().as_bytes());
    assert_eq!((error.cause(), error.origin()), (Cause::UnknownVersion, "arm_2"));
    assert!(error.to_string().contains("memory.claim.v2"), "{error}");
    newer_message["claim"]["origin"] = json!({ "robot": "arm_2" });
    let error = refused(newer_message.to_string().as_bytes());
    assert_eq!((error.cause(), error.origin()), (Cause::UnknownVersion, ""));

    for (bad, expected) in [
        (with("where", json!("here")), "unknown field `where`"),
        (with("op", json!("forget")), "a value is not one"),
        (with("memory_id", json!("41")), "a value is not one"),
        (with("memory_id", json!(1.5)), "a value is not one"),
        (with("stamp", json!("yesterday")), "a value is not one"),
    ] {
        let error = refused(&signed(&bad, "arm_2"));
        assert_eq!((error.cause(), error.origin()), (Cause::Malformed, "arm_2"), "{error}");
        assert!(error.to_string().contains(expected), "{error}");
        assert!(!error.to_string().contains("yesterday"), "{error}");
    }
    let unknown = with("origin", json!("arm_9"));
    let error = refused(&signed(&unknown, "arm_9"));
    assert_eq!((error.cause(), error.origin()), (Cause::UnknownRobot, "arm_9"));

    let mut large = signed(&good, "arm_2");
    large.resize(CLAIM_BYTES_MAX, b' ');
    assert!(verify(&large, &known()).is_ok());
    large.push(b' ');
    assert_eq!(cause(&large), Cause::TooLarge);

    let text = String::from_utf8(signed(&good, "arm_2")).unwrap();
    let twice =
        text.replacen("{\"claim\"", "{\"claim\":{\"version\":\"memory.claim.v1\"},\"claim\"", 1);
    let other = text.replacen("\"op\":\"retract\"", "\"op\":\"retract\",\"op\":\"revoke\"", 1);
    let beside = text.replacen("{\"claim\"", "{\"key\":1,\"claim\"", 1);
    let after = format!("{text}{text}");
    let short = text.replacen("\"signature\":\"", "\"signature\":\"AAAA", 1);
    for bad in [&twice, &other, &beside, &after, &short, "", "{}", "[]", "null", "{\"claim\":{}}"] {
        assert_eq!(cause(bad.as_bytes()), Cause::Malformed, "{bad}");
    }
}

#[test]
fn only_the_origin_signs_and_only_what_it_may_say() {
    // Somebody else, known or not, for every op.
    for op in ClaimOp::ALL {
        for signer in ["base-1", "site", "nobody"] {
            assert_eq!(cause(&signed(&value(&claim(*op)), signer)), Cause::BadSignature, "{op}");
        }
    }
    // The same text without its tag, or with another one.
    let retract = value(&claim(ClaimOp::Retract));
    let form = serde_json_canonicalizer::to_vec(&retract).unwrap();
    for tag in ["", "memory.claim.v1", "memory.claim.v2\n"] {
        let signature = key("arm_2").sign(&[tag.as_bytes(), &form].concat());
        let message = json!({ "claim": retract, "signature": STANDARD.encode(signature) });
        assert_eq!(cause(message.to_string().as_bytes()), Cause::BadSignature, "{tag:?}");
    }
    // An authority revokes for others, and does nothing else.
    let mut revoke = claim(ClaimOp::Revoke);
    revoke.origin = "site".to_owned();
    let message = encode(&revoke, &key("site")).unwrap();
    assert_eq!(verify(&message, &known()), Ok(revoke.clone()));
    for op in ClaimOp::ALL.iter().filter(|op| **op != ClaimOp::Revoke) {
        let mut other = claim(*op);
        other.origin = "site".to_owned();
        let error = refused(&encode(&other, &key("site")).unwrap());
        assert!(matches!(&error, Refused::Invalid { field: "op", .. }), "{error}");
    }
    // A robot revokes its own only.
    revoke.origin = "base-1".to_owned();
    let error = refused(&encode(&revoke, &key("base-1")).unwrap());
    assert!(matches!(&error, Refused::Invalid { field: "selector.origin", .. }), "{error}");
}

#[test]
fn a_claim_of_the_longest_parts_is_within_its_bytes() {
    let mut longest = claim(ClaimOp::Assert);
    let id = CLAIM_INTEGER_MAX as i64;
    let robot = "r".repeat(robot_memory_core::limits::ROBOT_NAME_BYTES_MAX);
    let name = "\"".repeat(NAME_BYTES_MAX);
    let refs: Vec<_> = (0..CLAIM_REFS_MAX as i64).map(|n| memory(&robot, id - n)).collect();
    longest.stamp = Stamp(i64::MAX);
    (longest.body.robot_type, longest.body.gripper) = (name.clone(), name.clone());
    let statement = longest.statement.as_mut().unwrap();
    (statement.roots, statement.derived_from) = (refs.clone(), refs);
    for field in [&mut statement.collection, &mut statement.session_id, &mut statement.stream] {
        field.clone_from(&name);
    }
    statement.content = "\u{1}".repeat(CONTENT_CHARS_MAX);
    // In a text of JSON nothing but quotes, backslashes and line breaks is escaped, by one more byte.
    statement.context = format!("{{\"a\":\"{}\"}}", "\\".repeat(CONTEXT_BYTES_MAX - 8));
    statement.vector = Some(ClaimVector::of(&name, &[0.01; CLAIM_COMPONENTS_MAX]));
    perceived(statement, JPEG.repeat(CLAIM_PICTURE_BYTES_MAX / 4));
    let message = encode(&longest, &key("arm_2")).unwrap();
    println!("the longest claim has {} of {CLAIM_BYTES_MAX} bytes", message.len());
    assert_eq!(verify(&message, &known()), Ok(longest));
}

#[test]
fn a_robot_is_a_token_of_a_subject() {
    for name in ["a", "arm_2", "UR5e-left", &"x".repeat(64), "7"] {
        assert_eq!(check_robot_name(name), Ok(()), "{name}");
    }
    for name in ["", "a.b", "*", ">", "a b", "é", "a\n", &"x".repeat(65), "$SYS", "a:1"] {
        let error = check_robot_name(name).expect_err(name);
        assert!(error.starts_with("must be 1 to 64 of A-Z a-z 0-9 _ -, got "), "{error}");
    }
}
