//! A body is replaced, and its experience goes on: what of the claims of the old body the new one takes as its own, what
//! as hearsay, and what not at all.

use super::super::bring_over::{ForeignContent, ForeignMemory};
use super::incoming::hearsay_of;
use crate::{Error, Operations, Result};
use robot_memory_core::api::{ApiError, LearnRequest, SavePerceptionRequest};
use robot_memory_core::claim::{Body, Claim, ClaimOp, Statement};
use robot_memory_core::model::{Kind, MemType, PerceptionType, Source, text_enum};
use robot_memory_core::picture::data_with;
use robot_memory_db::{Hearsay, HearsayState};
use robot_memory_index::parse_context;
use robot_memory_text::inference::may_set_a_bound;
use serde_json::Value;

/// Keys of a context under which a robot keeps what it measured of itself. Another body is mounted, worn and zeroed
/// otherwise.
const CALIBRATION_KEYS: [&str; 6] =
    ["calibration", "joint_offsets", "camera_matrix", "hand_eye", "tare", "zero_offset"];

/// Words of a text about the same, as [`in_words`] writes them: a space before one is the begin of a word, one behind
/// it the end. An offset of anything counts: that it is told apart by words is not safe.
const CALIBRATION_WORDS: [&str; 13] = [
    "calibrat",
    " offset",
    " zero point",
    " tare ",
    " tared ",
    " taring ",
    "标定",
    "標定",
    "校准",
    "校準",
    "零点",
    "零點",
    "偏移",
];

/// Words of parameters and amounts that hold for one gripper: what it grips with, and how hard.
const GRIPPER_WORDS: [&str; 11] =
    ["grip", "finger", " jaw", " grasp", " clamp", "夹", "夾", "手指", "抓取", "抓握", "握力"];

/// Words of parameters and amounts that hold for one type of arm: its joints, and what it carries.
const ARM_WORDS: [&str; 9] =
    [" joint", " axis ", " axes ", " tcp ", " payload", "关节", "關節", "负载", "負載"];

/// The body that goes on with what another one remembers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewBody {
    /// Its name.
    pub robot_id: String,
    /// Its type and its gripper, each empty when not known: then no other is known to be the same.
    pub body: Body,
    /// The map in which it is; empty: none that another robot has.
    pub map_id: String,
}

text_enum! {
    /// As what claims are adopted.
    AdoptAs {
        /// As what another robot told.
        Hearsay = "hearsay",
        /// As what this robot remembers, as far as it transfers.
        Own = "own",
    }
}

text_enum! {
    /// Why a claim is not adopted as it was asked for.
    AdoptionRule {
        /// Its poses are in a map that is not that of the new body: left out.
        OtherMap = "other_map",
        /// It is a calibration of the old body: left out.
        Calibration = "calibration",
        /// It depends on the gripper, which is not known to be the same: hearsay.
        OtherGripper = "other_gripper",
        /// It depends on the arm, whose type is not known to be the same: hearsay.
        OtherRobotType = "other_robot_type",
        /// The old body did not experience it, but heard it: hearsay.
        HearsayThere = "hearsay_there",
        /// A claim of the new body itself, or one that goes back to it alone, which is no hearsay: left out.
        OfItself = "of_itself",
        /// It was revoked: left out.
        Revoked = "revoked",
        /// It says nothing that could be remembered, as a retraction: left out.
        NoStatement = "no_statement",
    }
}

/// What becomes of a claim.
#[derive(Debug, Clone)]
pub enum Adoption {
    /// A memory of the new body's own.
    Own(Box<ForeignMemory>),
    /// Hearsay; of one that was to be its own, why it is not.
    Hearsay(Option<AdoptionRule>),
    /// Nothing.
    LeftOut(AdoptionRule),
}

impl Operations {
    /// What becomes of a claim whose signature was verified. Nothing is written.
    ///
    /// # Errors
    /// When the store cannot be read or the time is not known.
    pub fn adoption_of(
        &self,
        claim: &Claim,
        new: &NewBody,
        adopt_as: AdoptAs,
    ) -> Result<Adoption, ApiError> {
        Ok(self.adoption(claim, new, adopt_as)?)
    }

    fn adoption(&self, claim: &Claim, new: &NewBody, adopt_as: AdoptAs) -> Result<Adoption> {
        // A revocation that is known is minded when hearsay is taken.
        let (mut memory, statement) = match (by_rule(claim, new, adopt_as), &claim.statement) {
            (Adoption::Own(memory), Some(statement)) => (memory, statement),
            (adoption, _) => return Ok(adoption),
        };
        let hearsay = hearsay_of(claim, statement, self.now()?);
        let is_revoked = self.store.read(|tx| {
            let known = tx.hearsay(&claim.origin, claim.memory_id)?;
            let is_known = known.is_some_and(|it| it.state == HearsayState::Revoked);
            Ok::<_, Error>(
                is_known || self.why_revoked(tx, &hearsay, statement.mem_type)?.is_some(),
            )
        })?;
        if is_revoked {
            return Ok(Adoption::LeftOut(AdoptionRule::Revoked));
        }
        // What it told under the same name is what it knows itself.
        if claim.origin != new.robot_id {
            let state = HearsayState::Retracted;
            memory.told = Some(Box::new(Hearsay { state, ..hearsay }));
        }
        Ok(Adoption::Own(memory))
    }
}

/// What becomes of a claim, whatever the store has.
fn by_rule(claim: &Claim, new: &NewBody, adopt_as: AdoptAs) -> Adoption {
    let statement = match (claim.op, &claim.statement) {
        (ClaimOp::Assert | ClaimOp::Revise, Some(statement)) => statement,
        _ => return Adoption::LeftOut(AdoptionRule::NoStatement),
    };
    let rule = match adopt_as {
        AdoptAs::Hearsay => None,
        AdoptAs::Own => match transfer(claim, statement, new) {
            None => return Adoption::Own(Box::new(own(claim, statement))),
            Some(rule @ (AdoptionRule::OtherMap | AdoptionRule::Calibration)) => {
                return Adoption::LeftOut(rule);
            }
            rule => rule,
        },
    };
    let is_new_body = |origin: &str| origin == new.robot_id;
    if is_new_body(&claim.origin) || statement.roots.iter().all(|root| is_new_body(&root.origin)) {
        return Adoption::LeftOut(AdoptionRule::OfItself);
    }
    Adoption::Hearsay(rule)
}

/// Why a statement cannot be the new body's own; `None`: it can.
fn transfer(claim: &Claim, statement: &Statement, new: &NewBody) -> Option<AdoptionRule> {
    let context = parse_context(&statement.context);
    let text = in_words(&statement.content);
    if is_calibration(&context, &text) {
        return Some(AdoptionRule::Calibration);
    }
    let map_id = context.pointer("/spatial/map_id").and_then(Value::as_str).unwrap_or_default();
    if !map_id.is_empty() && map_id != new.map_id {
        return Some(AdoptionRule::OtherMap);
    }
    if !statement.roots.iter().any(|root| root.origin == claim.origin) {
        return Some(AdoptionRule::HearsayThere);
    }
    let has_amount =
        statement.content.contains(char::is_numeric) || may_set_a_bound(&statement.content);
    let depends_on = |words: &[&str]| {
        has_amount && names_any(&text, words)
            || context
                .get("params")
                .is_some_and(|params| any_key(params, &mut |key| names_any(&in_words(key), words)))
            || limit_paths(&context).any(|path| names_any(&in_words(path), words))
    };
    let is_other_type = claim.body.robot_type != new.body.robot_type;
    // A gripper of the same name is another one on another arm, by its mounting and its controller.
    if (is_other_type || claim.body.gripper != new.body.gripper) && depends_on(&GRIPPER_WORDS) {
        return Some(AdoptionRule::OtherGripper);
    }
    (is_other_type && depends_on(&ARM_WORDS)).then_some(AdoptionRule::OtherRobotType)
}

fn is_calibration(context: &Value, text: &str) -> bool {
    let is_key = |key: &str| {
        CALIBRATION_KEYS.contains(&key.trim().to_lowercase().replace(['-', ' '], "_").as_str())
    };
    names_any(text, &CALIBRATION_WORDS) || any_key(context, &mut |key| is_key(key))
}

/// A text in small letters with a space for all that is no letter and no digit, one before it and one behind it.
fn in_words(text: &str) -> String {
    let mut words = String::from(" ");
    for c in text.chars() {
        match c.is_alphanumeric() {
            true => words.extend(c.to_lowercase()),
            false if words.ends_with(' ') => {}
            false => words.push(' '),
        }
    }
    if !words.ends_with(' ') {
        words.push(' ');
    }
    words
}

fn names_any(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.contains(word))
}

/// Whether a key of a value, or of one in it, is such.
fn any_key(value: &Value, is_such: &mut impl FnMut(&str) -> bool) -> bool {
    match value {
        Value::Object(fields) => {
            fields.iter().any(|(key, value)| is_such(key) || any_key(value, is_such))
        }
        Value::Array(values) => values.iter().any(|value| any_key(value, is_such)),
        _ => false,
    }
}

/// The parameters that the bounds in a context are of.
fn limit_paths(context: &Value) -> impl Iterator<Item = &str> {
    let limits = context.get("limits").and_then(Value::as_array).into_iter().flatten();
    limits.filter_map(|limit| limit.get("path")?.as_str())
}

/// The same as a memory of the new body's own, without the session, which was the old one's.
fn own(claim: &Claim, statement: &Statement) -> ForeignMemory {
    let Statement { scope, collection, mem_type, content, context, .. } = statement.clone();
    let mem_type_text = mem_type.to_string();
    let source = Source::Migration.to_string();
    let idempotency_key = format!("adopt:{}:{}", claim.origin, claim.memory_id);
    let said = match statement.kind {
        Kind::Perception => ForeignContent::Perception(SavePerceptionRequest {
            description: content,
            data: statement.picture.as_deref().map(data_with).unwrap_or_default(),
            // A claim does not have it; that of a procedure follows from its class.
            perception_type: match mem_type {
                MemType::Procedure => PerceptionType::Procedural.to_string(),
                _ => String::new(),
            },
            context,
            collection,
            scope,
            source,
            mem_type: mem_type_text,
            idempotency_key,
            ..SavePerceptionRequest::default()
        }),
        Kind::Fact | Kind::Summary => ForeignContent::Statement(LearnRequest {
            insight: content,
            context,
            collection,
            scope,
            source,
            mem_type: mem_type_text,
            idempotency_key,
            ..LearnRequest::default()
        }),
    };
    ForeignMemory {
        said,
        created_at: Some(statement.created_at),
        confidence: Some(statement.confidence),
        told: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use robot_memory_core::claim::{CLAIM_VERSION, MemoryRef};
    use robot_memory_core::model::{Stamp, Trust};

    fn body(robot_type: &str, gripper: &str) -> Body {
        Body { robot_type: robot_type.into(), gripper: gripper.into() }
    }

    fn new_body(robot_type: &str, gripper: &str) -> NewBody {
        let body = body(robot_type, gripper);
        NewBody { robot_id: "arm-2".into(), body, map_id: "hall".into() }
    }

    fn claim(content: &str, context: &str) -> Claim {
        Claim {
            version: CLAIM_VERSION.into(),
            origin: "arm-1".into(),
            memory_id: 7,
            revision: 1,
            op: ClaimOp::Assert,
            stamp: Stamp(2_000),
            body: body("ur5e", "rg2"),
            statement: Some(Statement {
                scope: "group:cell-7".into(),
                collection: "kitchen".into(),
                kind: Kind::Fact,
                mem_type: MemType::Lesson,
                category: None,
                trust: Trust::High,
                confidence: 0.7,
                created_at: Stamp(1_000),
                session_id: "s-1".into(),
                stream: String::new(),
                content: content.into(),
                context: context.into(),
                map_id: String::new(),
                frame: String::new(),
                roots: vec![MemoryRef { origin: "arm-1".into(), memory_id: 7 }],
                derived_from: Vec::new(),
                vector: None,
                picture: None,
            }),
            target: None,
            selector: None,
            removed: None,
        }
    }

    /// Why it is not the own one of a body; empty: it is.
    fn rule(claim: &Claim, new: &NewBody) -> &'static str {
        match by_rule(claim, new, AdoptAs::Own) {
            Adoption::Own(_) => "",
            Adoption::Hearsay(rule) => rule.expect("a rule").as_str(),
            Adoption::LeftOut(rule) => rule.as_str(),
        }
    }

    #[test]
    fn calibrations_and_poses_of_another_map_are_left_out() {
        let cases = [
            ("The glass is kept in the left tray", "", ""),
            ("The camera was recalibrated", "", "calibration"),
            ("Wrist OFFSETS: see the log", "", "calibration"),
            ("The zero-point of the scale moved", "", "calibration"),
            ("The scale was tared", "", "calibration"),
            ("Do not stare at the lamp", "", ""),
            ("相机标定完成", "", "calibration"),
            ("關節零點已經校準", "", "calibration"),
            ("The wrist camera is fine", r#"{"a": [{"Hand-Eye": [1, 2]}]}"#, "calibration"),
            ("The wrist camera is fine", r#"{"notes": {"topic": "tare"}}"#, ""),
            ("The tray stands there", r#"{"spatial": {"map_id": "hall", "p": [1, 2, 3]}}"#, ""),
            ("The tray stands there", r#"{"spatial": {"map_id": "lab"}}"#, "other_map"),
            ("The tray stands there", r#"{"spatial": {"frame": "map"}}"#, ""),
        ];
        for (content, context, expected) in cases {
            let given = rule(&claim(content, context), &new_body("ur5e", "rg2"));
            assert_eq!(given, expected, "{content} {context}");
        }
        let nowhere = NewBody { map_id: String::new(), ..new_body("ur5e", "rg2") };
        let placed = claim("The tray stands there", r#"{"spatial": {"map_id": "hall"}}"#);
        assert_eq!(rule(&placed, &nowhere), "other_map");
    }

    #[test]
    fn what_depends_on_another_gripper_or_arm_is_hearsay() {
        let force = r#"{"params": {"grip_force": {"value": 12.5, "unit": "N"}}}"#;
        let nested = r#"{"params": {"left": {"FingerWidth": 3}}}"#;
        let bound = r#"{"limits": [{"path": "params.gripper.force", "op": "<=", "value": 9, "unit": "N"}]}"#;
        let joint = r#"{"params": {"joint_3": 1.2}}"#;
        // Text, context, with another gripper, and on another arm.
        let cases = [
            ("Never grip the glass harder than 13 N", "", "other_gripper", "other_gripper"),
            ("抓取力不得超过 15N", "", "other_gripper", "other_gripper"),
            ("Grip the glass at its foot", "", "", ""),
            ("The glass breaks above 13 N", "", "", ""),
            ("It slipped", force, "other_gripper", "other_gripper"),
            ("It slipped", nested, "other_gripper", "other_gripper"),
            ("It slipped", bound, "other_gripper", "other_gripper"),
            ("It slipped", r#"{"params": {"speed": 3}}"#, "", ""),
            ("It stopped", joint, "", "other_robot_type"),
            ("Joint 3 must not exceed 1.2 rad/s", "", "", "other_robot_type"),
        ];
        for (content, context, gripper, arm) in cases {
            let claim = claim(content, context);
            let rules = [
                rule(&claim, &new_body("ur5e", "rg2")),
                rule(&claim, &new_body("ur5e", "rg6")),
                rule(&claim, &new_body("ur5e", "")),
                rule(&claim, &new_body("panda", "rg2")),
            ];
            assert_eq!(rules, ["", gripper, gripper, arm], "{content} {context}");
        }
    }

    #[test]
    fn hearsay_is_of_others_and_own_of_the_old_body() {
        let (new, own) = (new_body("ur5e", "rg2"), claim("The tray is red", ""));
        let is_hearsay = |claim: &Claim| match by_rule(claim, &new, AdoptAs::Hearsay) {
            Adoption::Hearsay(None) => "hearsay",
            Adoption::LeftOut(rule) => rule.as_str(),
            other => panic!("{other:?}"),
        };
        assert_eq!(is_hearsay(&own), "hearsay");
        assert_eq!(is_hearsay(&Claim { origin: "arm-2".into(), ..own.clone() }), "of_itself");
        let rooted_in = |origin: &str| {
            let mut claim = own.clone();
            claim.statement.as_mut().expect("one").roots[0].origin = origin.into();
            claim
        };
        assert_eq!(is_hearsay(&rooted_in("arm-2")), "of_itself");
        assert_eq!(rule(&rooted_in("arm-3"), &new), "hearsay_there");
        assert_eq!(rule(&rooted_in("arm-2"), &new), "of_itself");
        let op = ClaimOp::Retract;
        assert_eq!(is_hearsay(&Claim { op, statement: None, ..own }), "no_statement");
        // A body that keeps its name cannot hear what it said itself.
        let same_name = NewBody { robot_id: "arm-1".into(), ..new_body("ur5e", "rg6") };
        assert_eq!(rule(&claim("The tray is red", ""), &same_name), "");
        assert_eq!(rule(&claim("Grip it with 3 N", ""), &same_name), "of_itself");
    }

    #[test]
    fn an_own_memory_keeps_all_but_its_session() {
        let Adoption::Own(memory) =
            by_rule(&claim("The tray is red", "{}"), &new_body("ur5e", "rg2"), AdoptAs::Own)
        else {
            panic!("it is adopted");
        };
        assert_eq!((memory.created_at, memory.confidence), (Some(Stamp(1_000)), Some(0.7)));
        let ForeignContent::Statement(request) = memory.said else { panic!("a statement") };
        let expected = LearnRequest {
            insight: "The tray is red".into(),
            context: "{}".into(),
            collection: "kitchen".into(),
            scope: "group:cell-7".into(),
            source: "migration".into(),
            mem_type: "lesson".into(),
            idempotency_key: "adopt:arm-1:7".into(),
            ..LearnRequest::default()
        };
        assert_eq!(request, expected);
    }
}
