//! The topics that the node publishes and hears of its own accord: docs/reference/topics.md.

/// A topic, as it is declared.
#[derive(Debug, Clone, Copy)]
pub struct Topic {
    /// The name; `~` is the node's private namespace.
    pub name: &'static str,
    /// The type of its messages.
    pub kind: &'static str,
    /// Quality of service, in short.
    pub qos: &'static str,
    /// What it is for.
    pub description: &'static str,
}

/// Every topic, in the order in which they are shown. A test holds it against the names in the source of the
/// node; topics of streams come from the parameters.
pub const TOPICS: &[Topic] = &[
    Topic {
        name: "~/ready",
        kind: "std_msgs/msg/Bool",
        qos: "reliable, transient local, 1",
        description: "`true` once calls are taken, `false` when the node stops.",
    },
    Topic {
        name: "~/transition_event",
        kind: "lifecycle_msgs/msg/TransitionEvent",
        qos: "reliable, volatile, 10",
        description: "Each change of the node's state ([states](../operations.md#states)).",
    },
    Topic {
        name: "~/events",
        kind: "robot_memory/msg/MemoryEvent",
        qos: "reliable, volatile, 100",
        description: "Each memory once it is on disk, in the order of ids; only scopes that `topics` in the access policy reads.",
    },
    Topic {
        name: "~/markers",
        kind: "visualization_msgs/msg/MarkerArray",
        qos: "reliable, transient local, 1",
        description: "Where the newest memories that have a place are, at most `markers_max`, of the same scopes.",
    },
    Topic {
        name: "~/jobs",
        kind: "robot_memory/msg/JobEvent",
        qos: "reliable, volatile, 300",
        description: "Each background job when its state changes, in order; names are empty unless `topics` reads its scope.",
    },
    Topic {
        name: "~/maintenance",
        kind: "robot_memory/msg/MaintenanceReport",
        qos: "reliable, transient local, 10",
        description: "What each run of maintenance did, or in a dry run would do, as JSON and Markdown; it names memories by id.",
    },
    Topic {
        name: "/diagnostics",
        kind: "diagnostic_msgs/msg/DiagnosticArray",
        qos: "reliable, volatile, 10",
        description: "A status for each part of the memory (as the service `status`), for requests, and for each stream and action, every `diagnostics_period_secs`.",
    },
    Topic {
        name: "/rosout",
        kind: "rcl_interfaces/msg/Log",
        qos: "reliable, transient local, 1000",
        description: "The node's log. At `info` and above it never holds the text of a memory.",
    },
    Topic {
        name: "/parameter_events",
        kind: "rcl_interfaces/msg/ParameterEvent",
        qos: "that of ROS",
        description: "Parameters that changed.",
    },
    Topic {
        name: "<action>/_action/status",
        kind: "action_msgs/msg/GoalStatusArray",
        qos: "reliable, transient local, 10; subscribed",
        description: "The goals of each action of another node that the parameter `actions` selects: they are stored as attempts.",
    },
    Topic {
        name: "/clock",
        kind: "rosgraph_msgs/msg/Clock",
        qos: "that of ROS; subscribed",
        description: "The time, when `use_sim_time` is set. Before its first message nothing is stored: such calls return `unavailable`.",
    },
];
