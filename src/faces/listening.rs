//! What the parameters say about listening, the same for topics and for bags.

use crate::config::Settings;
use robot_memory_perception::{PoseSettings, RecorderSettings};
use std::collections::BTreeSet;

/// How far `/clock` may go back before time has begun anew, ns. One that goes back by less is one of
/// several that are not quite together, as some simulators have them.
pub const CLOCK_BACK_NANOS_MAX: i64 = 1_000_000_000;

/// What `pose_topic` is called when the pose is looked for.
pub const AUTO: &str = "auto";
/// The transforms that are looked for then.
pub const TRANSFORMS: (&str, &str) = ("/tf", "tf2_msgs/msg/TFMessage");

/// Topics that tell where the robot is, the first one first (docs/sensors.md).
const POSES: [&str; 7] = [
    "/odom",
    "/amcl_pose",
    "/odometry/filtered",
    "/odometry",
    "/odom/filtered",
    "/pose",
    "/robot_pose",
];
/// Localizations whose covariance tells how well the robot knows where it is, the first one first.
const LOCALIZATIONS: [&str; 3] = ["/amcl_pose", "/localization_pose", "/pose"];
const COVARIANCES: &str = "geometry_msgs/msg/PoseWithCovarianceStamped";
const ODOMETRY: &str = "nav_msgs/msg/Odometry";
const POSE_TYPES: [&str; 3] =
    [ODOMETRY, "geometry_msgs/msg/PoseWithCovarianceStamped", "geometry_msgs/msg/PoseStamped"];

/// The nodes that are memories, this one among them: what a memory says of itself is nothing that happens.
/// They publish messages of their own package in their own names. Of what a node publishes these are told
/// first, so that they are known by the time that the rest is.
pub fn memory_nodes<'a>(topics: impl Iterator<Item = (&'a str, &'a str)>) -> BTreeSet<String> {
    let own = topics.filter(|(_, type_name)| type_name.starts_with("robot_memory/msg/"));
    own.filter_map(|(topic, _)| Some(topic.rsplit_once('/')?.0.to_owned())).collect()
}

/// Of topics and their types, the place of the one whose poses stand in where transforms give no pose.
pub fn pose_beside<'a>(topics: impl Iterator<Item = (&'a str, &'a str)>) -> Option<usize> {
    let rank = |name: &str, type_name: &str| {
        let known = POSES.iter().position(|known| *known == name);
        match known.filter(|_| POSE_TYPES.contains(&type_name)) {
            Some(place) => Some(place),
            // Of other names only what is no goal.
            None => (type_name == ODOMETRY).then_some(POSES.len()),
        }
    };
    let ranked = topics
        .enumerate()
        .filter_map(|(place, (name, type_name))| Some((rank(name, type_name)?, name, place)));
    ranked.min().map(|(.., place)| place)
}

/// Of topics and their types, the place of the localization whose covariance counts.
pub fn localization<'a>(topics: impl Iterator<Item = (&'a str, &'a str)>) -> Option<usize> {
    let ranked = topics.enumerate().filter_map(|(place, (name, type_name))| {
        let rank = LOCALIZATIONS.iter().position(|known| *known == name)?;
        (type_name == COVARIANCES).then_some((rank, place))
    });
    ranked.min().map(|(_, place)| place)
}

/// The recorder's settings.
pub fn recorder_settings(settings: &Settings) -> RecorderSettings {
    let is_auto = settings.pose_topic == AUTO;
    let pose = (!settings.pose_topic.is_empty()).then(|| PoseSettings {
        is_auto,
        pose_frame: settings.pose_frame.clone(),
        base_frame: settings.base_frame.clone(),
        // A topic that is to name the map has not done so yet.
        map_id: if settings.map_topic.is_empty() { settings.map_id.clone() } else { String::new() },
        age_secs_max: settings.pose_age_secs_max,
        std_dev_m_max: settings.pose_std_dev_m_max,
        settle_secs: settings.pose_settle_secs,
    });
    RecorderSettings { reorder_secs: settings.reorder_secs, pose, ..RecorderSettings::default() }
}

/// The topic of the transforms that hold from then on, beside a pose topic of transforms: `/tf_static`
/// beside `/tf`. `None` beside topics of other types.
pub fn static_topic(pose_topic: &str) -> Option<String> {
    (pose_topic.rsplit('/').next() == Some("tf")).then(|| format!("{pose_topic}_static"))
}

/// `context.env.sim_or_real` of events: as the parameter says, else by whether something shows that it is
/// of a simulation, as `/clock` does.
pub fn sim_or_real(settings: &Settings, is_simulated: bool) -> &str {
    match settings.sim_or_real.as_str() {
        "" if is_simulated => "sim",
        "" => "real",
        given => given,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memories_are_known_by_what_they_publish() {
        let topics = [
            ("/arm/memory/events", "robot_memory/msg/MemoryEvent"),
            ("/arm/memory/ready", "std_msgs/msg/Bool"),
            ("/base/ready", "std_msgs/msg/Bool"),
            ("/robot_memory/jobs", "robot_memory/msg/JobEvent"),
        ];
        let memories: Vec<String> = memory_nodes(topics.into_iter()).into_iter().collect();
        assert_eq!(memories, ["/arm/memory", "/robot_memory"]);
    }

    #[test]
    fn the_covariance_is_that_of_a_localization() {
        let cases = [
            (vec![("/initialpose", COVARIANCES), ("/odom", ODOMETRY)], None),
            (vec![("/pose", COVARIANCES), ("/amcl_pose", COVARIANCES)], Some(1)),
            (vec![("/amcl_pose", ODOMETRY), ("/pose", COVARIANCES)], Some(1)),
        ];
        for (topics, expected) in cases {
            assert_eq!(localization(topics.iter().copied()), expected, "{topics:?}");
        }
    }

    #[test]
    fn the_pose_that_is_told_best_is_taken() {
        let pose = "geometry_msgs/msg/PoseWithCovarianceStamped";
        let stamped = "geometry_msgs/msg/PoseStamped";
        type Case<'c> = (&'c [(&'c str, &'c str)], Option<usize>);
        let cases: [Case<'_>; 7] = [
            (&[("/amcl_pose", pose), ("/odom", ODOMETRY)], Some(1)),
            (&[("/amcl_pose", pose), ("/wheel/odom", ODOMETRY)], Some(0)),
            (&[("/z/odom", ODOMETRY), ("/a/odom", ODOMETRY)], Some(1)),
            (&[("/goal_pose", stamped), ("/initialpose", pose)], None),
            (&[("/odom", "std_msgs/msg/String"), ("/robot_pose", stamped)], Some(1)),
            (&[("/tf", TRANSFORMS.1)], None),
            (&[], None),
        ];
        for (topics, expected) in cases {
            assert_eq!(pose_beside(topics.iter().copied()), expected, "{topics:?}");
        }
    }
}
