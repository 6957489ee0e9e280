use crate::robot::{Robot, ids, sql};
use robot_memory_core::api::{
    ErrorKind, Forget, ForgetRequest, Recall, RecallRequest, Update, UpdateRequest,
};
use robot_memory_core::model::Category;

fn request(memory_id: i64, new_content: &str) -> UpdateRequest {
    UpdateRequest { memory_id, new_content: new_content.into(), ..Default::default() }
}

#[test]
fn an_update_reads_everything_again_and_keeps_the_old_words() {
    let robot = Robot::new();
    let id = robot.learn_with("grip_force is 12.5 N", r#"{"params": {"grip": 12.5}}"#);
    let response = robot.call::<Update>(request(id, "Lesson: grip bowls in config/bowls.yaml"));
    assert_eq!(response.status, "updated");
    assert_eq!(response.old_content, "grip_force is 12.5 N");
    assert_eq!(response.new_content, "Lesson: grip bowls in config/bowls.yaml");
    assert_eq!(response.category, Some(Category::Postmortem));
    assert_eq!(response.scope_files, ["config/bowls.yaml"]);
    assert!((response.confidence - 0.90).abs() < 1e-9, "{}", response.confidence);
    assert!(response.has_embedding);

    assert_eq!(robot.recall("grip_force 12.5").memories[0].why.word_rank, 0, "old words are gone");
    let hit = &robot.recall("bowls").memories[0];
    assert_eq!(hit.memory.human_summary, "Lesson: grip bowls in config/bowls.yaml");
    assert_eq!(hit.memory.context, r#"{"params": {"grip": 12.5}}"#, "the context is kept");
    let audit = "SELECT content FROM memory_audit WHERE operation = 'update'";
    assert_eq!(sql::<String>(&robot.store_path(), audit), "grip_force is 12.5 N");
}

#[test]
fn a_given_context_replaces_the_old_one_in_every_filter() {
    let robot = Robot::new();
    let id = robot.learn_with("The cup stands here", r#"{"spatial": {"position": [1, 2]}}"#);
    let near = |target: [f64; 2]| {
        robot.call::<Recall>(RecallRequest {
            spatial_sort: Some(robot_memory_core::api::SpatialSort {
                field: "spatial.position".into(),
                target: target.to_vec(),
                max_distance: 0.1,
                ..robot_memory_core::api::SpatialSort::default()
            }),
            ..Default::default()
        })
    };
    assert_eq!(ids(&near([1.0, 2.0])), [id]);
    robot.call::<Update>(UpdateRequest {
        context: r#"{"spatial": {"position": [5, 6]}}"#.into(),
        ..request(id, "The cup stands there")
    });
    assert!(near([1.0, 2.0]).memories.is_empty());
    assert_eq!(ids(&near([5.0, 6.0])), [id]);
}

#[test]
fn only_active_memories_can_be_updated_and_not_into_another() {
    let robot = Robot::new();
    let first = robot.learn("The red cup needs 15 N").memory_id;
    let second = robot.learn("The blue bowl needs 20 N").memory_id;
    let (kind, message) = robot.refused::<Update>(request(second, "The red cup needs 15 N"));
    assert_eq!(kind, ErrorKind::InvalidState);
    assert!(message.contains(&first.to_string()), "names the other row: {message}");
    assert_eq!(robot.call::<Update>(request(first, "The red cup needs 15 N")).status, "updated");

    let cases = [
        (request(0, "x"), ErrorKind::InvalidArgument),
        (request(first, ""), ErrorKind::InvalidArgument),
        (UpdateRequest { context: "7".into(), ..request(first, "x") }, ErrorKind::InvalidArgument),
        (request(999, "x"), ErrorKind::NotFound),
    ];
    for (request, kind) in cases {
        let (found, message) = robot.refused::<Update>(request);
        assert_eq!(found, kind, "{message}");
    }
    robot.call::<Forget>(ForgetRequest {
        memory_id: first,
        reason: "x".into(),
        scope: String::new(),
        agent: String::new(),
    });
    assert_eq!(robot.refused::<Update>(request(first, "x")).0, ErrorKind::InvalidState);
}
