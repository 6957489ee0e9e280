//! Claims of 1 000 robots that tell fifty a day: the same for the same number.

use robot_memory_core::claim::{
    Body, CLAIM_VERSION, Claim, ClaimOp, ClaimVector, MemoryRef, Statement,
};
use robot_memory_core::model::{Kind, MemType, Stamp, Trust};
use serde_json::json;

pub const ROBOTS: u64 = 1_000;
pub const PER_DAY: u64 = 50;
const DIMENSION: usize = 384;
pub const MODEL: &str = "synthetic-384";
/// 2025-09-01T00:00:00Z: when the first claim is of. A year of them is over: times in the future become that of the database.
pub const BEGIN: i64 = 1_756_684_800;

/// Chances that repeat.
pub struct Chances(pub u64);

impl Chances {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// Small numbers are likelier: as words of a language are.
    pub fn rank(&mut self, bound: u64) -> u64 {
        let unit = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        ((bound as f64).powf(unit) as u64).min(bound - 1)
    }
}

/// A word of a language of 20 000, the first of them the commonest.
pub fn word(rank: u64) -> String {
    const KNOWN: [&str; 16] = [
        "the", "gripper", "object", "slipped", "from", "force", "newton", "shelf", "glass",
        "grasp", "robot", "motion", "failed", "battery", "door", "hall",
    ];
    if let Some(known) = KNOWN.get(rank as usize) {
        return (*known).to_owned();
    }
    let syllables = ["ka", "lo", "mi", "ren", "tu", "vok", "bor", "del", "fin", "gol"];
    let mut text = String::new();
    let mut rest = rank;
    while rest > 0 {
        text.push_str(syllables[(rest % 10) as usize]);
        rest /= 10;
    }
    text
}

/// One of 200 themes, near which vectors are; random ones have no neighbours.
pub fn direction(chances: &mut Chances) -> Vec<f32> {
    let mut theme = Chances(chances.below(200) * 7_919 + 1);
    let component = |chances: &mut Chances| (chances.below(2_001) as f32 - 1_000.0) / 1_000.0;
    (0..DIMENSION).map(|_| component(&mut theme) + 0.5 * component(chances)).collect()
}

/// When a claim was told.
pub fn told_at(number: u64) -> Stamp {
    let per_sec = (ROBOTS * PER_DAY) as f64 / 86_400.0;
    Stamp(BEGIN * 1_000_000_000 + (number as f64 / per_sec * 1e9) as i64)
}

/// The claim of this number, with a vector or without.
pub fn claim(number: u64, has_vector: bool) -> Claim {
    let mut chances = Chances(number);
    let origin = format!("robot-{:04}", number % ROBOTS);
    let memory_id = (number / ROBOTS + 1) as i64;
    let words: Vec<String> =
        (0..8 + chances.below(16)).map(|_| word(chances.rank(20_000))).collect();
    let mut content = words.join(" ");
    content.truncate(290);
    content.push_str(&format!(" {}", chances.below(1_000)));
    let created_at = told_at(number);
    let kind = if chances.below(10) < 7 { Kind::Fact } else { Kind::Perception };
    let context = json!({
        "task": {"name": format!("task-{}", chances.rank(2_000)), "success": chances.below(4) > 0},
        "params": {"force": chances.below(400) as f64 / 10.0},
        "spatial": {"map_id": format!("hall-{}", number % ROBOTS % 20), "position": [chances.below(500) as f64 / 10.0, 2.5, 0.0]},
    });
    let own = MemoryRef { origin: origin.clone(), memory_id };
    Claim {
        version: CLAIM_VERSION.to_owned(),
        origin,
        memory_id,
        revision: 1,
        op: ClaimOp::Assert,
        stamp: created_at,
        body: Body { robot_type: "ur5e".into(), gripper: "rg2".into() },
        statement: Some(Statement {
            scope: if chances.below(5) > 0 {
                "global".into()
            } else {
                format!("group:cell-{}", number % 20)
            },
            collection: "default".into(),
            kind,
            mem_type: if kind == Kind::Fact { MemType::Fact } else { MemType::TaskLog },
            category: None,
            trust: Trust::High,
            confidence: 0.9,
            created_at,
            session_id: format!("{:08x}-0000-4000-8000-{:012x}", number / 20, number % ROBOTS),
            stream: if kind == Kind::Fact { String::new() } else { "wrist_wrench".into() },
            content,
            context: context.to_string(),
            map_id: format!("hall-{}", number % ROBOTS % 20),
            frame: "map".into(),
            roots: vec![own],
            derived_from: Vec::new(),
            vector: has_vector.then(|| ClaimVector::of(MODEL, &direction(&mut chances))),
            picture: None,
        }),
        target: None,
        selector: None,
        removed: None,
    }
}
