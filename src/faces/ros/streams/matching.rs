//! Which type and which quality of service a subscription asks for, seeing who publishes.

use super::rcl::{Endpoint, Qos};
use robot_memory_perception::{Durability, QosOverrides, Reliability, settings};

/// What one topic is listened to as.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Wanted {
    /// `None`: what is published.
    pub type_name: Option<String>,
    /// Whether nobody named the topic (`auto`): of several types the first that is known is heard, and
    /// that nobody publishes it any more is no trouble.
    pub is_found: bool,
    pub qos: QosOverrides,
}

/// What to subscribe to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Match {
    pub type_name: String,
    pub qos: Qos,
    /// Who is not heard, and why; empty when all are.
    pub unheard: String,
}

/// Messages that may wait in the middleware: seconds of the fastest topics.
const DEPTH: usize = 1000;
/// The same of images, which are large: a second of them.
const IMAGES_DEPTH: usize = 30;

/// Whether messages of this type are images, by its name.
fn is_image(type_name: &str) -> bool {
    type_name.ends_with("/Image") || type_name.ends_with("/CompressedImage")
}

/// What to subscribe to, or, in words, what is waited for. A type that is heard stays while somebody
/// publishes it.
pub(super) fn matched(
    topic: &str,
    wanted: &Wanted,
    heard_type: Option<&str>,
    publishers: &[Endpoint],
) -> Result<Match, String> {
    if publishers.is_empty() {
        return Err(format!("nobody publishes {topic}"));
    }
    let type_name = match &wanted.type_name {
        Some(type_name) => type_name.clone(),
        None => the_type(topic, wanted.is_found, heard_type, publishers)?,
    };
    let heard: Vec<_> = publishers.iter().filter(|one| one.type_name == type_name).collect();
    if heard.is_empty() {
        let published = types(publishers).join(" and ");
        return Err(format!("{topic} is published as {published}, not as {type_name}"));
    }
    let all_reliable = heard.iter().all(|one| one.reliability == Reliability::Reliable);
    let fitting = if all_reliable { Reliability::Reliable } else { Reliability::BestEffort };
    // What was published before is a state that holds, when who publishes keeps it for those who come late.
    let all_kept = heard.iter().all(|one| one.durability == Durability::TransientLocal);
    let durability = if all_kept { Durability::TransientLocal } else { Durability::Volatile };
    let depth = if is_image(&type_name) { IMAGES_DEPTH } else { DEPTH };
    let qos = Qos {
        reliability: wanted.qos.reliability.unwrap_or(fitting),
        durability: wanted.qos.durability.unwrap_or(durability),
        depth: wanted.qos.depth.map_or(depth, |depth| depth.max(1) as usize),
    };
    let mut unheard: Vec<_> =
        heard.iter().filter_map(|publisher| incompatible(topic, qos, publisher)).collect();
    if wanted.type_name.is_none() {
        let others = types(publishers).into_iter().filter(|other| *other != type_name);
        unheard.extend(others.map(|other| {
            format!(
                "{topic} is also published as {other}, which is not subscribed to: name it with its type"
            )
        }));
    }
    Ok(Match { type_name, qos, unheard: unheard.join("; ") })
}

fn the_type(
    topic: &str,
    is_found: bool,
    heard_type: Option<&str>,
    publishers: &[Endpoint],
) -> Result<String, String> {
    let mut types = types(publishers);
    let is_usable = |name: &&String| !is_found || settings::of_topic(topic, name).is_some();
    if types.len() == 1 {
        return match types.iter().find(is_usable) {
            Some(_) => Ok(types.remove(0)),
            None => Err(format!(
                "{topic} is now published as {}, which is not found by itself: name it with a field",
                types[0]
            )),
        };
    }
    if let Some(heard) = types.iter().find(|name| heard_type == Some(name.as_str())) {
        return Ok(heard.clone());
    }
    types.iter().filter(|_| is_found).find(is_usable).cloned().ok_or_else(|| {
        let types = types.join(" and ");
        format!("{topic} is published with several types, {types}: say which one (type)")
    })
}

fn types(publishers: &[Endpoint]) -> Vec<String> {
    let mut types: Vec<_> = publishers.iter().map(|one| one.type_name.clone()).collect();
    types.sort();
    types.dedup();
    types
}

/// Which publisher is not received, and why.
fn incompatible(topic: &str, asked: Qos, publisher: &Endpoint) -> Option<String> {
    let policies = unmet(asked.reliability, asked.durability, publisher);
    let node_name = publisher.node_name.as_deref().unwrap_or("somebody");
    (!policies.is_empty()).then(|| format!("{node_name} is not received on {topic}: {policies}"))
}

/// Which subscribers of a topic do not receive the publisher of it, and why; in the order of their names,
/// each once.
pub(super) fn unserved(topic: &str, publisher: &Endpoint, subscribers: &[Endpoint]) -> Vec<String> {
    let mut unserved: Vec<String> = subscribers
        .iter()
        .filter(|subscriber| subscriber.type_name == publisher.type_name)
        .filter_map(|subscriber| {
            let policies = unmet(subscriber.reliability, subscriber.durability, publisher);
            let node_name = subscriber.node_name.as_deref().unwrap_or("somebody");
            (!policies.is_empty())
                .then(|| format!("{node_name} does not receive {topic}: {policies}"))
        })
        .collect();
    unserved.sort();
    unserved.dedup();
    unserved
}

/// Why the middleware does not connect the two: a publisher must offer at least what is asked for. Empty: it
/// connects them.
fn unmet(reliability: Reliability, durability: Durability, publisher: &Endpoint) -> String {
    let mut policies = Vec::new();
    if reliability == Reliability::Reliable && publisher.reliability == Reliability::BestEffort {
        policies.push("reliability reliable is asked for, best_effort offered");
    }
    if durability == Durability::TransientLocal && publisher.durability == Durability::Volatile {
        policies.push("durability transient_local is asked for, volatile offered");
    }
    policies.join(", and ")
}

/// Whether a subscription must be made anew to be what fits now. One that hears everybody stays:
/// making it anew would miss messages. But when all who publish now keep what was published before, that is
/// asked for, and with it comes what would be missed.
pub(super) fn must_change(now: &Match, fits: &Match, publishers: &[Endpoint]) -> bool {
    let misses_some = publishers
        .iter()
        .filter(|one| one.type_name == now.type_name)
        .any(|publisher| incompatible("", now.qos, publisher).is_some());
    let asks_for_more = now.qos.durability == Durability::Volatile
        && fits.qos.durability == Durability::TransientLocal;
    now.type_name != fits.type_name || (misses_some && now.qos != fits.qos) || asks_for_more
}

#[cfg(test)]
mod tests {
    use super::*;

    const JOINTS: &str = "sensor_msgs/msg/JointState";

    fn publisher(type_name: &str, reliability: Reliability) -> Endpoint {
        Endpoint {
            node_name: Some("/driver".to_owned()),
            type_name: type_name.to_owned(),
            reliability,
            durability: Durability::Volatile,
        }
    }

    fn wanted(type_name: Option<&str>, qos: QosOverrides) -> Wanted {
        Wanted { type_name: type_name.map(str::to_owned), is_found: false, qos }
    }

    #[test]
    fn type_and_reliability_are_those_of_who_publishes() {
        use Reliability::{BestEffort, Reliable};
        let any = QosOverrides::default();
        let reliable = QosOverrides { reliability: Some(Reliable), ..any };
        let latched = QosOverrides { durability: Some(Durability::TransientLocal), ..any };
        let joints = |reliability| publisher(JOINTS, reliability);
        let other = publisher("std_msgs/msg/Bool", Reliable);
        let kept = |reliability| Endpoint {
            durability: Durability::TransientLocal,
            ..publisher("std_msgs/msg/Bool", reliability)
        };
        let volatile = QosOverrides { durability: Some(Durability::Volatile), ..any };
        let cases: [(Option<&str>, QosOverrides, Vec<Endpoint>, &str); 12] = [
            (None, any, vec![kept(Reliable)], "std_msgs/msg/Bool reliable transient_local 1000"),
            (
                None,
                any,
                vec![kept(BestEffort), other.clone()],
                "std_msgs/msg/Bool best_effort volatile 1000",
            ),
            (None, volatile, vec![kept(Reliable)], "std_msgs/msg/Bool reliable volatile 1000"),
            (None, any, vec![], "nobody publishes /t"),
            (
                None,
                any,
                vec![joints(Reliable)],
                "sensor_msgs/msg/JointState reliable volatile 1000",
            ),
            (
                None,
                any,
                vec![joints(BestEffort), joints(Reliable)],
                "sensor_msgs/msg/JointState best_effort volatile 1000",
            ),
            (
                None,
                reliable,
                vec![joints(BestEffort)],
                "sensor_msgs/msg/JointState reliable volatile 1000 /driver is not received on /t: reliability reliable is asked for, best_effort offered",
            ),
            (
                None,
                latched,
                vec![joints(Reliable)],
                "sensor_msgs/msg/JointState reliable transient_local 1000 /driver is not received on /t: durability transient_local is asked for, volatile offered",
            ),
            (
                None,
                any,
                vec![joints(Reliable), other.clone()],
                "/t is published with several types, sensor_msgs/msg/JointState and std_msgs/msg/Bool: say which one (type)",
            ),
            (
                Some(JOINTS),
                any,
                vec![joints(Reliable), other.clone()],
                "sensor_msgs/msg/JointState reliable volatile 1000",
            ),
            (
                Some(JOINTS),
                any,
                vec![other],
                "/t is published as std_msgs/msg/Bool, not as sensor_msgs/msg/JointState",
            ),
            (
                None,
                any,
                vec![publisher("sensor_msgs/msg/Image", BestEffort)],
                "sensor_msgs/msg/Image best_effort volatile 30",
            ),
        ];
        for (type_name, qos, publishers, expected) in cases {
            let shown = match matched("/t", &wanted(type_name, qos), None, &publishers) {
                Ok(Match { type_name, qos: Qos { reliability, durability, depth }, unheard }) => {
                    format!("{type_name} {reliability} {durability} {depth} {unheard}")
                }
                Err(reason) => reason,
            };
            assert_eq!(shown.trim_end(), expected);
        }
    }

    #[test]
    fn a_subscriber_that_asks_for_more_than_is_offered_is_named() {
        let offered = publisher(JOINTS, Reliability::BestEffort);
        let subscriber = |name: &str, reliability, durability| Endpoint {
            node_name: Some(name.to_owned()),
            type_name: JOINTS.to_owned(),
            reliability,
            durability,
        };
        let served = subscriber("/a", Reliability::BestEffort, Durability::Volatile);
        let reliable = subscriber("/b", Reliability::Reliable, Durability::Volatile);
        let both = subscriber("/a", Reliability::Reliable, Durability::TransientLocal);
        let other = Endpoint { type_name: "std_msgs/msg/Bool".to_owned(), ..reliable.clone() };
        let subscribers = [served, reliable.clone(), reliable, both, other];
        assert_eq!(
            unserved("/t", &offered, &subscribers),
            [
                "/a does not receive /t: reliability reliable is asked for, best_effort offered, and \
                 durability transient_local is asked for, volatile offered",
                "/b does not receive /t: reliability reliable is asked for, best_effort offered",
            ]
        );
        assert!(
            unserved("/t", &publisher(JOINTS, Reliability::Reliable), &subscribers[..3]).is_empty()
        );
    }

    #[test]
    fn of_several_types_the_heard_one_stays_and_the_other_is_told() {
        const BOOL: &str = "std_msgs/msg/Bool";
        const ODD: &str = "a_msgs/msg/Odd";
        let shown = |is_found, heard: Option<&str>, types: &[&str]| {
            let publishers: Vec<_> =
                types.iter().map(|name| publisher(name, Reliability::Reliable)).collect();
            let wanted = Wanted { is_found, ..wanted(None, QosOverrides::default()) };
            match matched("/t", &wanted, heard, &publishers) {
                Ok(Match { type_name, unheard, .. }) => format!("{type_name}; {unheard}"),
                Err(reason) => reason,
            }
        };
        let also = |heard, other| {
            format!(
                "{heard}; /t is also published as {other}, which is not subscribed to: name it with its type"
            )
        };
        for is_found in [false, true] {
            assert_eq!(shown(is_found, Some(BOOL), &[JOINTS, BOOL]), also(BOOL, JOINTS));
            assert_eq!(shown(is_found, Some(JOINTS), &[JOINTS, BOOL]), also(JOINTS, BOOL));
            assert_eq!(shown(is_found, Some(BOOL), &[JOINTS]), format!("{JOINTS}; "));
        }
        assert_eq!(shown(true, None, &[ODD, BOOL]), also(BOOL, ODD));
        const POSE: &str = "nav_msgs/msg/Path";
        assert_eq!(shown(true, None, &[POSE, BOOL]), also(BOOL, POSE));
        assert!(shown(true, Some(BOOL), &[POSE]).contains("is now published as nav_msgs"));
        assert_eq!(shown(false, None, &[POSE]), format!("{POSE}; "));
        assert!(shown(true, None, &[ODD, "a_msgs/msg/Other"]).contains("say which one"));
        assert!(shown(false, None, &[JOINTS, BOOL]).contains("say which one"));
    }

    #[test]
    fn a_subscription_is_made_anew_only_for_who_would_not_be_heard() {
        use Reliability::{BestEffort, Reliable};
        let of = |publishers: &[Endpoint]| {
            matched("/t", &wanted(None, QosOverrides::default()), None, publishers).unwrap()
        };
        let reliable = vec![publisher(JOINTS, Reliable)];
        let both = vec![publisher(JOINTS, Reliable), publisher(JOINTS, BestEffort)];
        assert!(must_change(&of(&reliable), &of(&both), &both));
        assert!(!must_change(&of(&both), &of(&reliable), &reliable));
        // What is kept for those who come late is asked for, and no longer when somebody does not keep it.
        let kept = vec![Endpoint { durability: Durability::TransientLocal, ..reliable[0].clone() }];
        assert!(must_change(&of(&reliable), &of(&kept), &kept));
        let mixed = vec![kept[0].clone(), reliable[0].clone()];
        assert!(must_change(&of(&kept), &of(&mixed), &mixed));
        assert!(!must_change(&of(&mixed), &of(&reliable), &reliable));
        assert!(!must_change(&of(&kept), &of(&kept), &kept));
        let other = vec![publisher("std_msgs/msg/Bool", BestEffort)];
        assert!(must_change(&of(&reliable), &of(&other), &other));
    }
}
