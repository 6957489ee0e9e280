use crate::robot::{HeldEmbedder, Robot};
use robot_memory_core::api::{Mode, Recall, RecallRequest};
use robot_memory_engine::EmbedderState;
use std::sync::atomic::Ordering;

#[test]
fn words_serve_until_the_embedder_is_there_and_vectors_are_filled_in() {
    let robot = Robot::words_only();
    for number in 0..70 {
        let id = robot.learn(&format!("cup number {number} is red")).memory_id;
        assert!(id > 0);
    }
    assert_eq!(robot.recall("cup").mode, Mode::Bm25Only);
    robot.plug_in_embedder();
    assert_eq!(robot.engine.health().expect("health").missing_vectors, 70);
    for _ in 0..10 {
        if !robot.engine.upkeep().expect("upkeep") {
            break;
        }
    }
    assert_eq!(robot.engine.health().expect("health").missing_vectors, 0);
    assert_eq!(robot.recall("cup").mode, Mode::Hybrid);

    let robot = robot.restart();
    assert_eq!(robot.engine.health().expect("health").missing_vectors, 0, "they were stored");
}

#[test]
fn a_failing_embedder_costs_the_vector_and_not_the_memory() {
    let robot = Robot::new();
    robot.embedder_broken.store(true, Ordering::SeqCst);
    let response = robot.learn("the cup is red");
    assert!(response.memory_id > 0 && !response.has_embedding);
    assert_eq!(robot.recall("cup").mode, Mode::Bm25Only);
    let state = || robot.engine.health().expect("health").embedder;
    assert_eq!(state(), EmbedderState::Failed("it was unplugged".into()));
    robot.embedder_broken.store(false, Ordering::SeqCst);
    robot.engine.upkeep().expect("upkeep");
    let answer = robot.call::<Recall>(RecallRequest { query: "cup".into(), ..Default::default() });
    assert_eq!(answer.mode, Mode::Hybrid);
}

#[test]
fn a_row_that_has_no_vector_yet_is_found_by_any_of_its_words() {
    let robot = Robot::words_only();
    let without = robot.learn("the kettle stands behind the long yellow curtain").memory_id;
    robot.plug_in_embedder();
    robot.learn("a spoon is in the drawer");
    let found = robot.recall("where did somebody put this damned kettle yesterday evening");
    assert!(crate::robot::ids(&found).contains(&without));
}

#[test]
fn the_state_of_the_embedder_is_shown() {
    let robot = Robot::words_only();
    let state = || robot.engine.health().expect("health").embedder;
    assert_eq!(state(), EmbedderState::Loading);
    robot.engine.set_embedder(Err("no model folder".into())).expect("taken");
    assert_eq!(state(), EmbedderState::Failed("no model folder".into()));
    robot.engine.set_embedder(Ok(None)).expect("taken");
    assert_eq!(state(), EmbedderState::Off);
}

#[test]
fn vectors_of_a_model_that_was_exchanged_meanwhile_are_not_taken() {
    let robot = Robot::words_only();
    robot.learn("The cup stands beside the sink");
    let (held, asked, go) = HeldEmbedder::new();
    robot.engine.set_embedder(Ok(Some(held))).expect("taken");
    std::thread::scope(|scope| {
        scope.spawn(|| robot.engine.upkeep().expect("upkeep"));
        asked.recv().expect("a row without a vector is embedded");
        robot.plug_in_embedder();
        go.send(()).expect("it waits");
    });
    robot.engine.upkeep().expect("upkeep");
    let hit = robot.recall("The cup stands beside the sink").memories.remove(0);
    assert!(hit.why.similarity.expect("it has a vector") > 0.99, "{:?}", hit.why);
}

#[test]
fn a_query_is_not_compared_with_the_vectors_of_another_model() {
    let robot = Robot::new();
    robot.learn("The cup stands beside the sink");
    let (held, asked, go) = HeldEmbedder::new();
    robot.engine.set_embedder(Ok(Some(held))).expect("taken");
    std::thread::scope(|scope| {
        let found = scope.spawn(|| robot.recall("The cup stands beside the sink"));
        asked.recv().expect("the query is embedded");
        robot.plug_in_embedder();
        go.send(()).expect("it waits");
        let found = found.join().expect("it answers");
        assert_eq!((found.mode, found.memories[0].why.similarity), (Mode::Bm25Only, None));
    });
}
