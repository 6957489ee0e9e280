//! `test_vectors/`: claims for whoever writes another reader. `UPDATE_TEST_VECTORS=1 cargo test -p
//! robot_memory_claims vectors` writes them.

use super::{claim, key, memory};
use crate::{KnownRobots, canonical, encode, verify};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use robot_memory_core::claim::{Body, Claim, ClaimOp};
use robot_memory_core::limits::CLAIM_INTEGER_MAX;
use robot_memory_core::model::{Kind, Stamp};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A message, whose key it is checked with, and what is to come of it.
#[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct TestVector {
    about: String,
    /// The name and the key that are known.
    known: String,
    public_key: String,
    is_authority: bool,
    message: String,
    /// Of one that is taken.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    accepted: Option<Accepted>,
    /// Why another one is refused.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    refused: Option<String>,
}

#[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Accepted {
    message_id: String,
    claim: Value,
    canonical: String,
    signature: String,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("test_vectors")
}

fn accepted(about: &str, claim: &Claim) -> TestVector {
    let message = String::from_utf8(encode(claim, &key(&claim.origin)).unwrap()).unwrap();
    let envelope: Value = serde_json::from_str(&message).unwrap();
    TestVector {
        about: about.to_owned(),
        known: claim.origin.clone(),
        public_key: key(&claim.origin).public(),
        is_authority: claim.origin == "site",
        accepted: Some(Accepted {
            message_id: claim.message_id(),
            claim: envelope["claim"].clone(),
            canonical: String::from_utf8(canonical(claim).unwrap()).unwrap(),
            signature: envelope["signature"].as_str().unwrap().to_owned(),
        }),
        message,
        refused: None,
    }
}

/// A message of whatever text as its claim, signed by `signer` over `tag` and the text's form.
fn refused(about: &str, cause: &str, tag: &str, claim: &Value, signer: &str) -> TestVector {
    let form = serde_json_canonicalizer::to_string(claim).unwrap();
    let signature = STANDARD.encode(key(signer).sign(format!("{tag}{form}").as_bytes()));
    TestVector {
        about: about.to_owned(),
        known: "arm_2".to_owned(),
        public_key: key("arm_2").public(),
        is_authority: false,
        message: format!("{{\"claim\":{form},\"signature\":\"{signature}\"}}"),
        accepted: None,
        refused: Some(cause.to_owned()),
    }
}

fn vectors() -> BTreeMap<&'static str, TestVector> {
    let mut all = BTreeMap::new();
    let ops = [
        ("assert", "all fields of a statement", ClaimOp::Assert),
        ("revise", "the same with another op", ClaimOp::Revise),
        ("confirm", "a memory of another robot was borne out", ClaimOp::Confirm),
        ("contradict", "a memory of another robot was refuted", ClaimOp::Contradict),
        ("retract", "no field beside those of every claim", ClaimOp::Retract),
        ("revoke", "a robot revokes its own", ClaimOp::Revoke),
        ("receipt", "what was deleted for a revocation", ClaimOp::Receipt),
    ];
    for (name, about, op) in ops {
        all.insert(name, accepted(about, &claim(op)));
    }
    let changed = |change: fn(&mut Claim)| {
        let mut changed = claim(ClaimOp::Assert);
        change(&mut changed);
        changed
    };
    let text = changed(|it| {
        let statement = it.statement.as_mut().unwrap();
        statement.content = "抽屉要用 12 N 拉开 – é, e\u{301}, 🤖.".to_owned();
        statement.collection = "küche".to_owned();
    });
    all.insert("non_ascii", accepted("stands as UTF-8, unescaped and not normalized", &text));
    let escapes = changed(|it| {
        let text = "\u{0}\u{8}\t\n\u{b}\u{c}\r\u{1f}\"\\/\u{7f}\u{80}\u{2028}<>&'";
        it.statement.as_mut().unwrap().content = text.to_owned();
    });
    all.insert("escapes", accepted("only what JSON must escape is escaped", &escapes));
    let small = changed(|it| it.statement.as_mut().unwrap().confidence = 1e-7);
    all.insert("float_exponent", accepted("1e-7 has an exponent", &small));
    let digits = changed(|it| it.statement.as_mut().unwrap().confidence = 0.000_001_234_5);
    all.insert("float_digits", accepted("0.0000012345 has none", &digits));
    let whole = changed(|it| it.statement.as_mut().unwrap().confidence = 1.0);
    all.insert("float_whole", accepted("1.0 is 1", &whole));
    let big = changed(|it| {
        it.memory_id = CLAIM_INTEGER_MAX as i64;
        it.revision = CLAIM_INTEGER_MAX;
        it.stamp = Stamp(-1);
        it.statement.as_mut().unwrap().roots = vec![memory("base-1", CLAIM_INTEGER_MAX as i64)];
    });
    all.insert("big_integers", accepted("the greatest integers, and a time before 1970", &big));
    let absent = changed(|it| {
        it.body = Body::default();
        let statement = it.statement.as_mut().unwrap();
        statement.kind = Kind::Perception;
        (statement.category, statement.vector) = (None, None);
        statement.derived_from.clear();
        for field in [
            &mut statement.session_id,
            &mut statement.stream,
            &mut statement.context,
            &mut statement.map_id,
            &mut statement.frame,
        ] {
            field.clear();
        }
    });
    all.insert("absent_fields", accepted("what is absent is not there; what is empty is", &absent));
    let picture = changed(|it| {
        let statement = it.statement.as_mut().unwrap();
        (statement.kind, statement.category) = (Kind::Perception, None);
        statement.picture = Some(vec![0xff, 0xd8, 0xff, 0xe0, 0, 16]);
    });
    all.insert("picture", accepted("the picture of a perception", &picture));
    let mut site = claim(ClaimOp::Revoke);
    site.origin = "site".to_owned();
    if let Some(selector) = &mut site.selector {
        (selector.memory_id, selector.since, selector.until) = (None, None, None);
        (selector.session_id, selector.stream) = (String::new(), String::new());
    }
    all.insert("revoke_by_authority", accepted("everything of another robot", &site));
    refusals(&mut all);
    all
}

fn refusals(all: &mut BTreeMap<&'static str, TestVector>) {
    const TAG: &str = "memory.claim.v1\n";
    let good = serde_json::to_value(claim(ClaimOp::Assert)).unwrap();
    let with = |pointer: &str, given: Value| {
        let mut claim = good.clone();
        *claim.pointer_mut(pointer).unwrap() = given;
        claim
    };
    let mut add = |name, about, cause, tag, claim: &Value, signer| {
        all.insert(name, refused(about, cause, tag, claim, signer));
    };
    add("refused_tag", "signed without the tag", "bad_signature", "", &good, "arm_2");
    add("refused_signer", "signed by another robot", "bad_signature", TAG, &good, "base-1");
    let newer = with("/version", json!("memory.claim.v2"));
    add(
        "refused_version",
        "a later version",
        "unknown_version",
        "memory.claim.v2\n",
        &newer,
        "arm_2",
    );
    let stranger = with("/origin", json!("arm_9"));
    add("refused_origin", "nobody's name", "unknown_robot", TAG, &stranger, "arm_9");
    let mut unknown = good.clone();
    unknown["where"] = json!("here");
    add("refused_field", "a field that v1 does not have", "malformed", TAG, &unknown, "arm_2");
    let inexact = with("/memory_id", json!(CLAIM_INTEGER_MAX + 1));
    add("refused_integer", "2^53", "malformed", TAG, &inexact, "arm_2");
    let sure = with("/statement/confidence", json!(1.5));
    add("refused_confidence", "more than sure", "invalid", TAG, &sure, "arm_2");
    let mut stated = good.clone();
    stated["statement"]["picture"] = json!("/9j/4AAQ");
    add("refused_picture", "a fact with a picture", "invalid", TAG, &stated, "arm_2");
    let rootless = with("/statement/roots", json!([]));
    add("refused_roots", "rests on nothing", "invalid", TAG, &rootless, "arm_2");
    let private = with("/statement/scope", json!("dm"));
    add("refused_scope", "a scope that no robot shares", "invalid", TAG, &private, "arm_2");
    let mut revoke = serde_json::to_value(claim(ClaimOp::Revoke)).unwrap();
    revoke["selector"]["origin"] = json!("base-1");
    add("refused_revoke", "a robot revokes another's", "invalid", TAG, &revoke, "arm_2");
    let mut changed = refused("one digit changed", "bad_signature", TAG, &good, "arm_2");
    changed.message = changed.message.replacen("12.5 N", "72.5 N", 1);
    all.insert("refused_change", changed);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a person asks for new ones")]
fn the_vectors_are_those_that_this_program_makes() {
    let expected = vectors();
    let path = |name: &str| folder().join(format!("{name}.json"));
    if std::env::var_os("UPDATE_TEST_VECTORS").is_some() {
        for (name, vector) in &expected {
            let text = serde_json::to_string_pretty(vector).unwrap();
            std::fs::write(path(name), format!("{text}\n")).unwrap();
        }
    }
    for (name, vector) in &expected {
        let text = std::fs::read_to_string(path(name)).expect(name);
        assert_eq!(serde_json::from_str::<TestVector>(&text).unwrap(), *vector, "{name}");
    }
    assert_eq!(std::fs::read_dir(folder()).unwrap().count(), expected.len());
}

#[test]
fn every_vector_is_read_as_it_says() {
    let mut count = 0;
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let vector: TestVector = serde_json::from_str(&text).unwrap();
        let list = if vector.is_authority { "authorities" } else { "robots" };
        let yaml = format!("{list}: {{{}: {{key: \"{}\"}}}}", vector.known, vector.public_key);
        let known = KnownRobots::parse(&yaml).unwrap();
        let read = verify(vector.message.as_bytes(), &known);
        match (vector.accepted, vector.refused) {
            (Some(accepted), None) => {
                let claim = read.expect(&name);
                let told: Claim = serde_json::from_value(accepted.claim.clone()).unwrap();
                assert_eq!(claim, told, "{name}");
                let form = String::from_utf8(canonical(&claim).unwrap()).unwrap();
                assert_eq!(form, accepted.canonical, "{name}");
                assert_eq!(claim.message_id(), accepted.message_id, "{name}");
                // As any program spells it.
                let envelope = json!({ "signature": accepted.signature, "claim": accepted.claim });
                let spelled = serde_json::to_string_pretty(&envelope).unwrap();
                assert_eq!(verify(spelled.as_bytes(), &known), Ok(claim), "{name}");
            }
            (None, Some(cause)) => {
                assert_eq!(read.expect_err(&name).cause().as_str(), cause, "{name}");
            }
            other => panic!("{name}: {other:?}"),
        }
        count += 1;
    }
    assert!(count > 20, "{count}");
}
