//! Messages that answers are made of, and those of topics.

use super::convert::{FromMessage, ToMessage, text};
use r2r::builtin_interfaces::msg::Time;
use r2r::geometry_msgs::msg::{Point, Pose, PoseStamped, Quaternion};
use r2r::robot_memory::msg;
use r2r::std_msgs::msg::Header;
use robot_memory_core::api::{
    ApiError, BackupInfo, BriefedAttempts, BriefedNumber, ChangePoint, CheckedLimit,
    ComponentStatus, Contradiction, Contrast, FailureReason, Hit, KeyCount, LedgerEntry, Lesson,
    LevelContent, MemoryChange, ObjectPlace, Procedure, ShownJob, SimilarAttempt, SpatialSort,
    TimelineEntry, UnlearnedMemory, Why,
};
use robot_memory_core::model::{
    Branch, Job, JobChange, JobProgress, Limit, Memory, ScopeState, Session, TurnSource,
};
use robot_memory_engine::{MaintenanceReport, NewMemory, OnTopic};
use serde_json::{Map, Value};

/// The other field of a message that a value fills.
macro_rules! part {
    (flagged $field:ident) => {
        $field.is_some()
    };
    (split $field:ident) => {
        $field.id().to_message()
    };
}
pub(super) use part;

/// Fills a message, field by field, with what is of the same name.
macro_rules! message {
    ($name:ident { $($field:ident [$($kind:ident $($part:ident)?)?]),+ }) => {
        impl ToMessage<msg::$name> for $name {
            fn to_message(self) -> msg::$name {
                let Self { $($field),+ } = self;
                msg::$name {
                    $($($($part: part!($kind $field),)?)? $field: $field.to_message()),+
                }
            }
        }
    };
}

robot_memory_core::BackupInfo! { message BackupInfo }
robot_memory_core::BriefedAttempts! { message BriefedAttempts }
robot_memory_core::BriefedNumber! { message BriefedNumber }
robot_memory_core::Branch! { message Branch }
robot_memory_core::ChangePoint! { message ChangePoint }
robot_memory_core::CheckedLimit! { message CheckedLimit }
robot_memory_core::ComponentStatus! { message ComponentStatus }
robot_memory_core::Contradiction! { message Contradiction }
robot_memory_core::Contrast! { message Contrast }
robot_memory_core::FailureReason! { message FailureReason }
robot_memory_core::KeyCount! { message KeyCount }
robot_memory_core::LedgerEntry! { message LedgerEntry }
robot_memory_core::Lesson! { message Lesson }
robot_memory_core::LevelContent! { message LevelContent }
robot_memory_core::Limit! { message Limit }
robot_memory_core::MemoryChange! { message MemoryChange }
robot_memory_core::ObjectPlace! { message ObjectPlace }
robot_memory_core::Procedure! { message Procedure }
robot_memory_core::ScopeState! { message ScopeState }
robot_memory_core::Session! { message Session }
robot_memory_core::SimilarAttempt! { message SimilarAttempt }
robot_memory_core::TimelineEntry! { message TimelineEntry }
robot_memory_core::TurnSource! { message TurnSource }
robot_memory_core::UnlearnedMemory! { message UnlearnedMemory }
robot_memory_core::Why! { message Why }

impl ToMessage<msg::Memory> for Hit {
    fn to_message(self) -> msg::Memory {
        let Self {
            memory,
            score,
            similar_count,
            spatial_distance,
            map_relation,
            context_before,
            context_after,
            conflicts_with,
            why,
        } = self;
        msg::Memory {
            score,
            similar_count,
            has_distance: spatial_distance.is_some(),
            spatial_distance: spatial_distance.to_message(),
            map_relation: map_relation.to_message(),
            context_before: context_before.to_message(),
            context_after: context_after.to_message(),
            conflicts_with,
            why: why.to_message(),
            ..memory.to_message()
        }
    }
}

/// Without what only a search says.
impl ToMessage<msg::Memory> for Memory {
    fn to_message(self) -> msg::Memory {
        let Self {
            id,
            collection,
            level,
            scope,
            kind,
            category,
            mem_type,
            content,
            human_summary,
            context,
            perception_type,
            data,
            metadata,
            session_id,
            turn_id,
            agent,
            source,
            trust,
            confidence,
            // The message has no room for what only the store's own upkeep reads.
            decay_rate: _,
            importance,
            tags,
            scope_files,
            scope_entities: _,
            status,
            superseded_by,
            parent_id,
            access_count,
            last_accessed,
            created_at,
            updated_at,
            decayed_until: _,
            restored_at: _,
            known_at: _,
        } = self;
        let parts = serde_json::from_str::<Map<String, Value>>(&context).unwrap_or_default();
        msg::Memory {
            id,
            content: content.to_message(),
            human_summary: human_summary.to_message(),
            type_: kind.to_message(),
            perception_type: perception_type.to_message(),
            session_id: session_id.to_message(),
            turn_id: turn_id.to_message(),
            collection: collection.to_message(),
            level: level.to_message(),
            scope: scope.to_message(),
            parent_id: parent_id.to_message(),
            category: category.to_message(),
            mem_type: mem_type.to_message(),
            status: status.to_message(),
            superseded_by: superseded_by.to_message(),
            agent: agent.to_message(),
            source: source.to_message(),
            trust: trust.to_message(),
            confidence,
            importance,
            tags: tags.to_message(),
            scope_files: scope_files.to_message(),
            params: part_of(&parts, "params"),
            robot_pose: robot_pose(&parts, created_at.to_message()).unwrap_or_default(),
            spatial: part_of(&parts, "spatial"),
            robot: part_of(&parts, "robot"),
            task: part_of(&parts, "task"),
            context: context.to_message(),
            data: data.to_message(),
            metadata: metadata.to_message(),
            access_count,
            created_at: created_at.to_message(),
            updated_at: updated_at.to_message(),
            last_accessed: last_accessed.to_message(),
            ..msg::Memory::default()
        }
    }
}

/// The JSON text of a part of the context, empty when it lacks the part.
fn part_of(parts: &Map<String, Value>, name: &str) -> String {
    parts.get(name).map(Value::to_string).unwrap_or_default()
}

/// Where the robot was, of a place that names its frame: a position of two or three numbers, and an orientation,
/// without which it is upright.
fn robot_pose(parts: &Map<String, Value>, stamp: Time) -> Option<PoseStamped> {
    let place = parts.get("spatial")?;
    let numbers = |name: &str| -> Option<Vec<f64>> {
        place.get(name)?.as_array()?.iter().map(Value::as_f64).collect()
    };
    let (x, y, z) = match *numbers("robot_position")? {
        [x, y] => (x, y, 0.0),
        [x, y, z] => (x, y, z),
        _ => return None,
    };
    let orientation = match numbers("robot_orientation").as_deref() {
        Some(&[x, y, z, w]) => Quaternion { x, y, z, w },
        _ => Quaternion { x: 0.0, y: 0.0, z: 0.0, w: 1.0 },
    };
    let frame_id = text(place.get("frame")?.as_str().filter(|frame| !frame.is_empty())?);
    let pose = Pose { position: Point { x, y, z }, orientation };
    Some(PoseStamped { header: Header { stamp, frame_id }, pose })
}

/// No spatial sort when nothing of it is given.
impl FromMessage<msg::SpatialSort> for Option<SpatialSort> {
    fn from_message(message: msg::SpatialSort) -> Result<Self, ApiError> {
        let msg::SpatialSort { field, target, max_distance, frame, std_dev_field } = message;
        if !field.is_empty() {
            return Ok(Some(SpatialSort { field, target, max_distance, frame, std_dev_field }));
        }
        if target.is_empty() && max_distance == 0.0 && frame.is_empty() && std_dev_field.is_empty()
        {
            return Ok(None);
        }
        Err(ApiError::invalid_argument(
            "spatial_sort.field is empty, but spatial_sort.target, max_distance, frame or std_dev_field is \
             given; name the field, as spatial.object_position",
        ))
    }
}

impl ToMessage<msg::Job> for ShownJob {
    fn to_message(self) -> msg::Job {
        let Self { job, waits_for } = self;
        let Job {
            id,
            scope,
            job_type,
            status,
            turn_id,
            based_on_revision,
            payload,
            result,
            progress: JobProgress { step, done, total },
            attempt_count,
            max_attempts,
            available_at,
            lease_owner,
            lease_until,
            last_error,
            agent,
            created_at,
            updated_at,
            finished_at,
        } = job;
        msg::Job {
            id,
            scope_id: text(scope.id()),
            scope: scope.to_message(),
            job_type: job_type.to_message(),
            status: status.to_message(),
            waits_for: waits_for.to_message(),
            turn_id: turn_id.to_message(),
            based_on_revision,
            payload: payload.to_message(),
            result: result.to_message(),
            step: step.to_message(),
            done,
            total,
            attempt_count,
            max_attempts,
            available_at,
            lease_owner: lease_owner.to_message(),
            has_lease_until: lease_until.is_some(),
            lease_until: lease_until.to_message(),
            last_error: last_error.to_message(),
            agent: agent.to_message(),
            created_at,
            updated_at,
            has_finished_at: finished_at.is_some(),
            finished_at: finished_at.to_message(),
        }
    }
}

/// JobEvent.msg
pub(in crate::faces::ros) fn job_event(
    change: OnTopic<JobChange>,
    dropped_count: u64,
) -> msg::JobEvent {
    let OnTopic { content: JobChange { job: changed, before }, names_scope } = change;
    let mut job: msg::Job = ShownJob { job: changed, waits_for: String::new() }.to_message();
    if !names_scope {
        job.scope_id.clear();
    }
    msg::JobEvent { before: before.to_message(), job, dropped_count }
}

/// MaintenanceReport.msg
pub(in crate::faces::ros) fn maintenance_report(
    report: OnTopic<MaintenanceReport>,
) -> msg::MaintenanceReport {
    let OnTopic { content: report, names_scope } = report;
    let MaintenanceReport { stamp, job_id, mode, dry_run, scope, success, json, markdown, folder } =
        report;
    msg::MaintenanceReport {
        stamp: stamp.to_message(),
        job_id,
        mode: mode.to_message(),
        dry_run,
        scope: text(scope.kind()),
        scope_id: if names_scope { text(scope.id()) } else { String::new() },
        success,
        json: json.to_message(),
        markdown: markdown.to_message(),
        folder: text(folder.map(|folder| folder.display().to_string()).unwrap_or_default()),
    }
}

/// MemoryEvent.msg
pub(in crate::faces::ros) fn memory_event(new: NewMemory) -> msg::MemoryEvent {
    let NewMemory { memory, origin } = new;
    let (stream, trigger, event_id) =
        origin.map(|origin| (origin.stream, origin.trigger, origin.event_id)).unwrap_or_default();
    let Memory {
        id,
        collection,
        scope,
        kind,
        category,
        content,
        perception_type,
        session_id,
        source,
        created_at,
        // Who wants to know more asks for it by the id.
        ..
    } = memory;
    msg::MemoryEvent {
        stamp: created_at.to_message(),
        memory_id: id,
        type_: kind.to_message(),
        perception_type: perception_type.to_message(),
        category: category.to_message(),
        content: content.to_message(),
        collection: collection.to_message(),
        session_id: session_id.to_message(),
        scope: scope.to_message(),
        source: source.to_message(),
        stream: stream.to_message(),
        trigger: trigger.to_message(),
        event_id: event_id.to_message(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests;
    use super::*;

    #[test]
    fn a_row_becomes_a_message() {
        let context = r#"{"params":{"force_n":12.5},"spatial":[1,2],"x":1}"#;
        let message: msg::Memory = tests::hit("a trap", context).to_message();
        assert_eq!((message.id, message.type_.as_str()), (7, "fact"));
        assert_eq!(message.category, "gotcha");
        assert_eq!(message.perception_type, "");
        assert_eq!(message.params, r#"{"force_n":12.5}"#);
        assert_eq!(message.spatial, "[1,2]");
        assert_eq!((message.robot.as_str(), message.task.as_str()), ("", ""));
        assert_eq!((message.has_distance, message.spatial_distance), (true, 0.25));
        assert_eq!((message.parent_id, message.superseded_by), (5, 0));
        assert_eq!((message.created_at.sec, message.last_accessed.sec), (5, 0));
        assert_eq!((message.why.has_similarity, message.why.similarity), (true, -0.5));
        assert_eq!(message.robot_pose.header.frame_id, "");
    }

    #[test]
    fn a_place_with_its_frame_is_a_pose() {
        let pose = |spatial: &str| {
            let context = format!(r#"{{"spatial":{spatial}}}"#);
            let message: msg::Memory = tests::hit("a trap", &context).to_message();
            message.robot_pose
        };
        let whole =
            r#"{"frame":"map","robot_position":[1,2.5,3],"robot_orientation":[0,0,0.6,0.8]}"#;
        let told = pose(whole);
        assert_eq!((told.header.frame_id.as_str(), told.header.stamp.sec), ("map", 5));
        assert_eq!((told.pose.position.y, told.pose.position.z), (2.5, 3.0));
        assert_eq!((told.pose.orientation.z, told.pose.orientation.w), (0.6, 0.8));
        let flat = pose(r#"{"frame":"map","robot_position":[1,2]}"#);
        assert_eq!((flat.pose.position.z, flat.pose.orientation.w), (0.0, 1.0));
        for unknown in
            [r#"{"robot_position":[1,2]}"#, r#"{"frame":"map","robot_position":["a",2]}"#]
        {
            assert_eq!(pose(unknown), PoseStamped::default());
        }
    }

    #[test]
    fn spatial_sort_is_whole_or_absent() {
        let sort_order = <Option<SpatialSort>>::from_message;
        let message = |field: &str, target: &[f64], max_distance| msg::SpatialSort {
            field: field.to_owned(),
            target: target.to_vec(),
            max_distance,
            ..msg::SpatialSort::default()
        };
        assert_eq!(sort_order(message("", &[], 0.0)), Ok(None));
        assert_eq!(
            sort_order(message("spatial.p", &[1.0], 2.0)),
            Ok(Some(SpatialSort {
                field: "spatial.p".to_owned(),
                target: vec![1.0],
                max_distance: 2.0,
                ..SpatialSort::default()
            }))
        );
        for lacking in [message("", &[1.0], 0.0), message("", &[], 1.0), message("", &[], f64::NAN)]
        {
            let error = sort_order(lacking).unwrap_err();
            assert!(error.to_string().contains("spatial_sort.field is empty"), "{error}");
        }
    }
}
