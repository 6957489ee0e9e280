//! What holds of every claim.

use super::{claim, key, known, memory};
use crate::{Cause, canonical, encode, verify};
use proptest::collection::vec;
use proptest::prelude::*;
use robot_memory_core::claim::{Claim, ClaimOp, ClaimVector};
use robot_memory_core::limits::{CLAIM_COMPONENTS_MAX, CLAIM_INTEGER_MAX, CONTENT_CHARS_MAX};
use robot_memory_core::model::Stamp;
use serde_json::Value;

fn integers() -> impl Strategy<Value = i64> {
    let max = CLAIM_INTEGER_MAX as i64;
    prop_oneof![0..=max, Just(0), Just(max), 0..100_i64]
}

fn claims() -> impl Strategy<Value = Claim> {
    let ops = prop::sample::select(ClaimOp::ALL);
    let texts = (".{1,60}", "\\PC{0,40}", any::<String>());
    let vectors = prop::option::of(vec(-1.0_f32..1.0, 1..20));
    let numbers = (integers(), integers(), any::<i64>(), any::<i64>(), 0.0..=1.0_f64);
    (ops, texts, vectors, numbers, vec(integers(), 1..5)).prop_map(
        |(op, (content, name, note), vector, (id, revision, stamp, created, confidence), ids)| {
            let mut claim = claim(op);
            (claim.memory_id, claim.revision) = (id, revision as u64);
            claim.stamp = Stamp(stamp);
            if let Some(statement) = &mut claim.statement {
                statement.content = content;
                statement.frame = name;
                statement.context =
                    serde_json::json!({ "note": note, "at": confidence }).to_string();
                (statement.created_at, statement.confidence) = (Stamp(created), confidence);
                statement.roots = ids.iter().map(|id| memory("arm_2", *id)).collect();
                statement.roots.sort();
                statement.roots.dedup();
                statement.vector = vector
                    .map(|components| ClaimVector::of("m", &components))
                    .filter(|vector| vector.components().is_some());
            }
            claim
        },
    )
}

/// A text with what JSON escapes, quotes, and characters of every length.
#[test]
fn a_text_of_any_characters_is_the_same_afterwards() {
    let every =
        "\u{0}\u{1}\u{8}\t\n\u{b}\u{c}\r\u{1f}\"\\/\u{7f}\u{80}é钳\u{2028}\u{fffd}🤖\u{10ffff}";
    let mut sent = claim(ClaimOp::Assert);
    let statement = sent.statement.as_mut().unwrap();
    statement.content = every.repeat(CONTENT_CHARS_MAX / every.chars().count());
    let message = encode(&sent, &key("arm_2")).unwrap();
    assert_eq!(verify(&message, &known()).unwrap(), sent);
}

/// Texts are compared by the angle between their vectors.
#[test]
fn eight_bits_keep_the_direction_of_a_vector() {
    let mut state = 7_u64;
    let mut uniform = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1 << 24) as f32
    };
    let dot = |a: &[f32], b: &[f32]| -> f64 {
        a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
    };
    for (count, dimensions) in [(500, 384), (50, CLAIM_COMPONENTS_MAX)] {
        let mut error_max = 0.0_f64;
        for _ in 0..count {
            // A sum of uniform numbers is about normal, so that every direction is as likely.
            let mut normal = || (0..12).map(|_| uniform()).sum::<f32>() - 6.0;
            let components: Vec<f32> = (0..dimensions).map(|_| normal()).collect();
            let length = dot(&components, &components).sqrt() as f32;
            let sent: Vec<f32> = components.iter().map(|it| it / length).collect();
            let text = serde_json::to_string(&ClaimVector::of("m", &sent)).unwrap();
            let received: ClaimVector = serde_json::from_str(&text).unwrap();
            let received = received.components().unwrap();
            assert!((dot(&received, &received) - 1.0).abs() < 1e-5);
            error_max = error_max.max(1.0 - dot(&sent, &received));
        }
        println!("{dimensions} components: the greatest cosine error is {error_max:.6}");
        assert!(error_max < 0.001, "{error_max}");
    }
    let none = [[0.0; 4], [f32::NAN; 4], [f32::INFINITY; 4]];
    assert!(none.iter().all(|it| ClaimVector::of("m", it).components().is_none()));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_claim_is_the_same_afterwards(sent in claims()) {
        let message = encode(&sent, &key("arm_2")).unwrap();
        prop_assert_eq!(verify(&message, &known()), Ok(sent));
    }

    #[test]
    fn the_canonical_form_is_a_fixed_point(sent in claims()) {
        let form = canonical(&sent).unwrap();
        let read: Claim = serde_json::from_slice(&form).unwrap();
        prop_assert_eq!(&canonical(&read).unwrap(), &form);
        // The same of a reader that does not know the fields.
        let value: Value = serde_json::from_slice(&form).unwrap();
        prop_assert_eq!(&serde_json_canonicalizer::to_vec(&value).unwrap(), &form);
    }

    #[test]
    fn a_changed_byte_changes_no_claim(sent in claims(), at in any::<prop::sample::Index>(), bits in 1..=255_u8) {
        let mut message = encode(&sent, &key("arm_2")).unwrap();
        let at = at.index(message.len());
        message[at] ^= bits;
        match verify(&message, &known()) {
            Ok(received) => prop_assert_eq!(received, sent),
            // What its origin signed is never out of its bounds.
            Err(refused) => prop_assert_ne!(refused.cause(), Cause::Invalid, "{}", refused),
        }
    }

    #[test]
    fn any_bytes_are_refused(bytes in vec(any::<u8>(), 0..200)) {
        prop_assert_eq!(verify(&bytes, &known()).map_err(|it| it.cause()), Err(Cause::Malformed));
    }
}
