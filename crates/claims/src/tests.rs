//! Claims on their way from one robot to another.

mod properties;
mod refusals;
mod vectors;

use crate::{Key, KnownRobots};
use robot_memory_core::claim::{
    Body, CLAIM_VERSION, Claim, ClaimOp, ClaimVector, MemoryRef, Removed, Selector, Statement,
};
use robot_memory_core::model::{Category, Kind, MemType, Stamp, Trust};

/// Who signs here: `arm_2` and `base-1` are robots, `site` is an authority.
const NAMES: [&str; 3] = ["arm_2", "base-1", "site"];

/// The key of one of [`NAMES`], or of nobody.
fn key(name: &str) -> Key {
    let index = NAMES.iter().position(|known| *known == name).unwrap_or(NAMES.len());
    Key::from_seed(&[index as u8 + 1; 32])
}

fn known() -> KnownRobots {
    let [arm, base, site] =
        NAMES.map(|name| format!("{name}: {{key: \"{}\"}}", key(name).public()));
    KnownRobots::parse(&format!("robots: {{{arm}, {base}}}\nauthorities: {{{site}}}")).unwrap()
}

fn memory(origin: &str, memory_id: i64) -> MemoryRef {
    MemoryRef { origin: origin.to_owned(), memory_id }
}

fn statement() -> Statement {
    Statement {
        scope: "global".to_owned(),
        collection: "default".to_owned(),
        kind: Kind::Fact,
        mem_type: MemType::Lesson,
        category: Some(Category::Constraint),
        trust: Trust::High,
        confidence: 0.1,
        created_at: Stamp(1_790_000_000_123_456_789),
        session_id: "s-17".to_owned(),
        stream: "wrist_force".to_owned(),
        content: "The drawer needs 12.5 N.".to_owned(),
        context: r#"{"force": {"value": 12.50, "unit": "N"}}"#.to_owned(),
        map_id: "hall".to_owned(),
        frame: "map".to_owned(),
        roots: vec![memory("arm_2", 41)],
        derived_from: vec![memory("arm_2", 39), memory("base-1", 7)],
        vector: Some(ClaimVector::of("hash-384", &[0.6, -0.8, 0.0])),
        picture: None,
    }
}

/// A claim of `arm_2` with what its op has.
fn claim(op: ClaimOp) -> Claim {
    let mut claim = Claim {
        version: CLAIM_VERSION.to_owned(),
        origin: "arm_2".to_owned(),
        memory_id: 41,
        revision: 3,
        op,
        stamp: Stamp(1_790_000_001_500_000_000),
        body: Body { robot_type: "ur5e".to_owned(), gripper: "rg2".to_owned() },
        statement: None,
        target: None,
        selector: None,
        removed: None,
    };
    match op {
        ClaimOp::Assert | ClaimOp::Revise => claim.statement = Some(statement()),
        ClaimOp::Confirm | ClaimOp::Contradict => claim.target = Some(memory("base-1", 7)),
        ClaimOp::Retract => {}
        ClaimOp::Revoke => {
            claim.selector = Some(Selector {
                origin: "arm_2".to_owned(),
                memory_id: Some(41),
                session_id: "s-17".to_owned(),
                stream: "wrist_force".to_owned(),
                since: Some(Stamp(1_789_000_000_000_000_000)),
                until: Some(Stamp(1_791_000_000_000_000_001)),
                reason: "The sensor was broken.".to_owned(),
            });
        }
        ClaimOp::Receipt => {
            claim.target = Some(memory("site", 5));
            claim.removed = Some(Removed { deleted_count: 4, rewritten_count: 1 });
        }
    }
    claim
}
