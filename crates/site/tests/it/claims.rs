//! Claims, and chances that repeat.

use robot_memory_core::claim::{
    Body, CLAIM_VERSION, Claim, ClaimOp, ClaimVector, MemoryRef, Selector, Statement,
};
use robot_memory_core::model::{Kind, MemType, Stamp, Trust};
use robot_memory_site::SitePosition;

/// 2026-03-01T00:00:00Z.
pub const BEGIN: i64 = 1_772_323_200;

pub fn of(origin: &str, memory_id: i64) -> MemoryRef {
    MemoryRef { origin: origin.to_owned(), memory_id }
}

pub fn at(sequence: u64) -> SitePosition {
    SitePosition { stream_id: "fleet".to_owned(), sequence }
}

pub fn bare(origin: &str, memory_id: i64, revision: u64, op: ClaimOp) -> Claim {
    Claim {
        version: CLAIM_VERSION.to_owned(),
        origin: origin.to_owned(),
        memory_id,
        revision,
        op,
        stamp: Stamp::from_secs(BEGIN + 1_000),
        body: Body::default(),
        statement: None,
        target: None,
        selector: None,
        removed: None,
    }
}

/// A fact of the robot's own experience.
pub fn says(origin: &str, memory_id: i64, revision: u64, content: &str) -> Claim {
    let statement = Statement {
        scope: "global".to_owned(),
        collection: "default".to_owned(),
        kind: Kind::Fact,
        mem_type: MemType::Fact,
        category: None,
        trust: Trust::High,
        confidence: 1.0,
        created_at: Stamp::from_secs(BEGIN + memory_id),
        session_id: String::new(),
        stream: String::new(),
        content: content.to_owned(),
        context: String::new(),
        map_id: String::new(),
        frame: String::new(),
        roots: vec![of(origin, memory_id)],
        derived_from: Vec::new(),
        vector: None,
        picture: None,
    };
    let op = if revision == 1 { ClaimOp::Assert } else { ClaimOp::Revise };
    Claim { statement: Some(statement), ..bare(origin, memory_id, revision, op) }
}

pub fn with(mut claim: Claim, change: impl FnOnce(&mut Statement)) -> Claim {
    change(claim.statement.as_mut().unwrap());
    claim
}

pub fn revokes(number: i64, selector: Selector) -> Claim {
    Claim { selector: Some(selector), ..bare("ops", number, 1, ClaimOp::Revoke) }
}

pub fn vector(components: &[f32]) -> Option<ClaimVector> {
    Some(ClaimVector::of("test-model", components))
}

/// Chances that repeat with the seed, which is printed.
pub struct Chances(u64);

impl Chances {
    pub fn new() -> Self {
        let given = std::env::var("ROBOT_MEMORY_TEST_SEED").ok().and_then(|it| it.parse().ok());
        let seed: u64 = given.unwrap_or_else(|| {
            let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
            now.unwrap().as_nanos() as u64
        });
        println!("ROBOT_MEMORY_TEST_SEED={seed}");
        Self(seed | 1)
    }

    /// Below a bound.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound
    }

    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}
