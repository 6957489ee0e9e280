//! What of a robot moved, by the names of its joints.

use super::joint_of;
use super::subject::{ARM, words_of};
use crate::{Measure, TriggerKind};

/// What moved, by the joint that moved most, when its name says so; empty else, and of what is no motion.
pub(crate) fn moved(kind: TriggerKind, measures: &[Measure]) -> &'static str {
    if kind != TriggerKind::Motion {
        return "";
    }
    // The farthest comes first; a motion that goes on has but the fastest.
    let joint = measures.iter().find(|measure| matches!(measure.name, "distance" | "peak"));
    joint.and_then(|joint| part_of(joint_of(&joint.of))).unwrap_or_default()
}

/// All joints of a robot are often on one topic: then what moved has the name of its part.
pub(super) fn part_or<'a>(subject: &'a str, part: &'a str) -> &'a str {
    if subject == ARM && !part.is_empty() { part } else { subject }
}

/// Whether it is told of as of several.
pub(super) fn is_many(part: &str) -> bool {
    matches!(part, "wheels" | "legs")
}

/// What a joint belongs to that is not one of an arm, by its name.
fn part_of(joint: &str) -> Option<&'static str> {
    // Words of their own, and what is part of a word: `fl_wheel2`, `leftwheel`.
    const PARTS: [(&str, &[&str], &[&str]); 6] = [
        ("wheels", &["caster", "castor", "tire", "track"], &["wheel"]),
        (
            "gripper",
            &["jaw", "claw", "hand", "thumb", "grip", "robotiq", "2f85", "2f140", "hande"],
            &["gripper", "finger", "knuckle"],
        ),
        (
            "legs",
            &["leg", "hip", "knee", "ankle", "thigh", "calf", "shin", "foot", "haa", "hfe", "kfe"],
            &[],
        ),
        ("head", &["head", "neck", "pan", "tilt"], &[]),
        ("torso", &["torso", "waist", "lift", "column"], &[]),
        ("steering", &["steer", "steering"], &[]),
    ];
    let words = words_of(joint);
    let bare = |word: &str| word.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
    let is_of = |whole: &[&str], parts: &[&str]| {
        words.iter().any(|word| {
            whole.contains(&word.as_str())
                || whole.contains(&bare(word).as_str())
                || parts.iter().any(|part| word.contains(part))
        })
    };
    // A shoulder that is called `shoulder_pan` or `shoulder_lift` is one of an arm.
    let is_arm = is_of(&["shoulder", "elbow", "wrist", "arm"], &[]) && !is_of(&[], PARTS[1].2);
    let found = PARTS.iter().find(|(_, whole, parts)| is_of(whole, parts)).map(|(part, ..)| *part);
    found.filter(|_| !is_arm)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_moved_is_called_by_its_joint() {
        let cases = [
            ("wheel_left_joint", "wheels"),
            ("frontLeftWheel", "wheels"),
            ("robotiq_85_left_knuckle_joint", "gripper"),
            ("panda_finger_joint1", "gripper"),
            ("gripper_right_link_joint", "gripper"),
            ("hand_jaw2", "gripper"),
            ("FL_hip_joint", "legs"),
            ("head_pan_joint", "head"),
            ("torso_lift_joint", "torso"),
            ("shoulder_pan_joint", ""),
            ("shoulder_lift_joint", ""),
            ("wrist_3_joint", ""),
            ("elbow", ""),
            ("arm_3_link_joint", ""),
            ("joint1", ""),
        ];
        for (joint, part) in cases {
            let measures = [Measure {
                name: "distance",
                value: 1.0,
                unit: "rad".to_owned(),
                of: joint.to_owned(),
                stamp: None,
            }];
            assert_eq!(moved(TriggerKind::Motion, &measures), part, "{joint}");
            assert_eq!(moved(TriggerKind::Contact, &measures), "");
        }
    }
}
