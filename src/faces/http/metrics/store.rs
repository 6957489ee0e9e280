//! The metrics of the store.

use super::text::Exposition;
use robot_memory_core::api::{ApiError, KeyCount, StatusLevel, StatusResponse};
use robot_memory_engine::{Engine, FleetLinkState, Health};

/// What is read of the engine, at one time.
pub(super) struct StoreNumbers {
    totals: StatusResponse,
    health: Health,
    indexes: [(&'static str, u64); 3],
    /// `None`: this robot is in no fleet.
    fleet: Option<FleetNumbers>,
}

struct FleetNumbers {
    waiting_count: u64,
    link: FleetLinkState,
}

impl StoreNumbers {
    /// Now.
    pub fn of(engine: &Engine) -> Result<Self, ApiError> {
        let (totals, health) = (engine.totals()?, engine.health()?);
        let fleet = match engine.fleet_link_state() {
            None => None,
            Some(link) => Some(FleetNumbers { waiting_count: engine.waiting_claim_count()?, link }),
        };
        Ok(Self { totals, health, indexes: engine.index_sizes(), fleet })
    }

    pub fn put(&self, to: &mut Exposition) {
        self.sizes(to);
        self.memories(to);
        self.work(to);
        if let Some(numbers) = &self.fleet {
            fleet(to, numbers);
        }
        let mut family = to.gauge(
            "robot_memory_component_level",
            "How each component is doing, as ~/status: 0 ok, 1 warn, 2 error.",
        );
        for part in &self.totals.components {
            let level: u8 = match part.level {
                StatusLevel::Ok => 0,
                StatusLevel::Warn => 1,
                StatusLevel::Error => 2,
            };
            family.add(&[("component", &part.name)], level);
        }
    }

    fn sizes(&self, to: &mut Exposition) {
        let Self { totals, health, indexes, .. } = self;
        let sizes = [
            ("robot_memory_store_size_bytes", "The store's file with its log.", health.store_bytes),
            ("robot_memory_store_wal_bytes", "The store's log (WAL) alone.", health.log_bytes),
            ("robot_memory_disk_free_bytes", "Free on the store's disk.", totals.free_bytes),
            ("robot_memory_clips_bytes", "Clips of events.", totals.clip_bytes),
            ("robot_memory_backups_bytes", "Backups.", totals.backup_bytes),
            (
                "robot_memory_events_bytes",
                "Events of streams with their rows and clips (events_bytes_max).",
                health.events.bytes,
            ),
            (
                "robot_memory_write_queue_bytes",
                "Writes that wait until the store can be written.",
                health.write_queue.bytes,
            ),
        ];
        for (name, help, bytes) in sizes {
            to.gauge(name, help).add(&[], bytes);
        }
        let mut family = to.gauge("robot_memory_index_bytes", "Each index in memory.");
        for (index, bytes) in indexes {
            family.add(&[("index", index)], *bytes);
        }
    }

    fn memories(&self, to: &mut Exposition) {
        let Self { totals, health, .. } = self;
        let by = [
            ("robot_memory_memories", "type", "Active memories by type.", &totals.by_type),
            (
                "robot_memory_memories_by_status",
                "status",
                "All memories by status.",
                &totals.by_status,
            ),
            (
                "robot_memory_memories_by_level",
                "level",
                "Active memories by level.",
                &totals.by_level,
            ),
        ];
        for (name, label, help, counts) in by {
            let mut family = to.gauge(name, help);
            for KeyCount { key, count } in counts {
                family.add(&[(label, key)], *count);
            }
        }
        let gauges = [
            (
                "robot_memory_memories_without_vector",
                "Active memories that wait for a vector.",
                totals.missing_vectors,
            ),
            (
                "robot_memory_pictures_without_vector",
                "Pictures that wait for a vector.",
                health.pictures.missing,
            ),
            (
                "robot_memory_contradictions",
                "Pairs of memories that contradict each other and are not settled.",
                totals.conflict_count,
            ),
            ("robot_memory_open_sessions", "Sessions that have not ended.", totals.open_sessions),
            ("robot_memory_events", "Events of streams in the store.", health.events.count),
        ];
        for (name, help, count) in gauges {
            to.gauge(name, help).add(&[], count);
        }
        to.gauge("robot_memory_indexes_ready", "Whether searches use the indexes in memory.")
            .add(&[], u8::from(health.indexes_ready));
    }

    fn work(&self, to: &mut Exposition) {
        let Self { totals, health, .. } = self;
        let mut family = to.gauge("robot_memory_jobs", "Jobs by state, of those that are kept.");
        for KeyCount { key, count } in &totals.jobs {
            family.add(&[("state", key)], *count);
        }
        to.gauge(
            "robot_memory_write_queue_waiting",
            "Writes that wait until the store can be written.",
        )
        .add(&[], health.write_queue.queued);
        let counters = [
            (
                "robot_memory_write_queue_replayed",
                "Writes that were stored out of the write queue.",
                health.write_queue.replayed,
            ),
            (
                "robot_memory_write_queue_rejected",
                "Writes of the write queue that could not be stored.",
                health.write_queue.rejected,
            ),
            (
                "robot_memory_events_deleted",
                "Events deleted by events_bytes_max.",
                health.events.deleted_count,
            ),
            (
                "robot_memory_clips_deleted",
                "Clips deleted by clips_bytes_max.",
                health.events.deleted_clip_count,
            ),
            (
                "robot_memory_dropped_accesses",
                "Access counts that were dropped because too many waited.",
                health.dropped_accesses,
            ),
        ];
        for (name, help, count) in counters {
            to.counter(name, help).add(&[], count);
        }
        let mut family = to.counter(
            "robot_memory_unpublished",
            "What was left out of a topic because too many waited.",
        );
        family.add(&[("topic", "events")], health.unpublished_memories);
        family.add(&[("topic", "jobs")], health.jobs.unpublished);
    }
}

fn fleet(to: &mut Exposition, FleetNumbers { waiting_count, link }: &FleetNumbers) {
    to.gauge("robot_memory_fleet_connected", "Whether claims go to the fleet and come from it.")
        .add(&[], u8::from(link.fault.is_none()));
    let gauges = [
        (
            "robot_memory_fleet_waiting",
            "Memories that wait in the store to be told.",
            *waiting_count,
        ),
        (
            "robot_memory_fleet_unacked",
            "Claims that were sent and are not acknowledged yet.",
            link.unacked,
        ),
        (
            "robot_memory_fleet_unforwarded",
            "Claims on the robot's own server that the hub does not have; before the hub was reached the most that it may be.",
            link.unforwarded,
        ),
        ("robot_memory_fleet_lag", "Messages of the fleet that are still to be taken.", link.lag),
    ];
    for (name, help, count) in gauges {
        to.gauge(name, help).add(&[], count);
    }
    let counters = [
        (
            "robot_memory_fleet_missed",
            "Messages that the hub dropped before they were taken.",
            link.missed,
        ),
        (
            "robot_memory_fleet_came_again",
            "Claims that were known and changed nothing.",
            link.came_again,
        ),
    ];
    for (name, help, count) in counters {
        to.counter(name, help).add(&[], count);
    }
    let mut family = to.counter("robot_memory_fleet_refused", "Claims that were refused.");
    for (reason, count) in &link.refused {
        family.add(&[("reason", reason)], *count);
    }
}
