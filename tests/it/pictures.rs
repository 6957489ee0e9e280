//! Pictures that are found by what they show.

use crate::colors::{BLUE, Colors, GREEN, PURPLE, RED, data, make_vectors, see, see_as};
use crate::restore_backup::{back_up, restore};
use crate::robot::{Robot, ids, sql};
use robot_memory_core::api::{
    DeleteMemory, DeleteMemoryRequest, Forget, ForgetRequest, Hit, Mode, Recall, RecallRequest,
    RecallResponse, RestoreMemory, RestoreMemoryRequest, SavePerceptionRequest, SpatialSort,
};
use robot_memory_embedding::{EmbedError, MatchRange, PictureEmbedder};
use robot_memory_engine::{EmbedderState, PicturesHealth};
use serde_json::{Value, json};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

fn health(robot: &Robot) -> PicturesHealth {
    robot.engine.health().expect("health").pictures
}

/// Made, missing, failed.
fn counts(robot: &Robot) -> (u64, u64, u64) {
    let PicturesHealth { made, missing, failed, .. } = health(robot);
    (made, missing, failed)
}

/// A robot that saw red, green, blue and purple, in this order.
fn robot_that_saw() -> (Robot, Arc<Colors>, [i64; 4]) {
    let robot = Robot::new();
    let seen = [RED, GREEN, BLUE, PURPLE].map(|color| see(&robot, color));
    let colors = Colors::new("colors");
    colors.plug_in(&robot);
    make_vectors(&robot);
    (robot, colors, seen)
}

fn look_for(robot: &Robot, query: &str, request: RecallRequest) -> RecallResponse {
    robot.call::<Recall>(RecallRequest { query: query.into(), explain: true, ..request })
}

fn hit(answer: &RecallResponse, id: i64) -> &Hit {
    answer.memories.iter().find(|hit| hit.memory.id == id).expect("it is in the answer")
}

/// What evidence is made of beside the picture.
fn rest(hit: &Hit) -> f64 {
    let why = &hit.why;
    let origin = 0.05 * (why.source_weight * why.trust_weight).ln();
    why.similarity.unwrap_or_default() + why.word_gain + why.code_gain + why.neighbor_gain + origin
}

#[test]
fn what_a_picture_shows_is_found_though_no_word_tells_of_it() {
    let (robot, _, [red, green, blue, purple]) = robot_that_saw();
    robot.learn("The bolts are in the drawer by the window");
    let answer = look_for(&robot, "red", RecallRequest::default());
    assert_eq!(ids(&answer)[..2], [red, purple]);
    assert_eq!(answer.mode, Mode::VecOnly);
    let best = &answer.memories[0];
    assert_eq!(best.why.picture_rank, 1);
    let similarity = best.why.picture_similarity.expect("a picture");
    assert!(similarity > 0.99, "{similarity}");
    // Surely red: all of what a picture can gain. Purple has cos 0.71 of 0.5 to 0.9.
    assert!((best.why.evidence - rest(best) - 0.4).abs() < 1e-6, "{:?}", best.why);
    let half = hit(&answer, purple);
    let gain = half.why.evidence - rest(half);
    assert!(half.why.picture_rank == 2 && (0.15..0.25).contains(&gain), "{:?}", half.why);
    for other in [green, blue].map(|id| hit(&answer, id)) {
        assert_eq!(other.why.picture_rank, 0);
        assert!(other.why.picture_similarity.is_some_and(|it| it < 0.2));
        assert!((other.why.evidence - rest(other)).abs() < 1e-6);
    }
    let without = answer.memories.iter().find(|hit| hit.memory.perception_type.is_none());
    assert_eq!(without.and_then(|hit| hit.why.picture_similarity), None);
    assert!(answer.plan.contains("; pictures: 2 (colors)"), "{}", answer.plan);
    assert_eq!(ids(&look_for(&robot, "green", RecallRequest::default()))[0], green);
}

#[test]
fn without_a_model_nothing_is_made_and_nothing_is_looked_for() {
    let robot = Robot::new();
    let red = see(&robot, RED);
    make_vectors(&robot);
    assert_eq!(health(&robot).embedder, EmbedderState::Off);
    let answer = look_for(&robot, "red view", RecallRequest::default());
    assert_eq!(ids(&answer), [red]);
    assert_eq!((answer.memories[0].why.picture_rank, counts(&robot)), (0, (0, 0, 0)));
    assert_eq!(answer.memories[0].why.picture_similarity, None);
    assert!(!answer.plan.contains("pictures"), "{}", answer.plan);
    assert_eq!(sql::<i64>(&robot.store_path(), "SELECT count(model) FROM memory_picture"), 0);
}

#[test]
fn pictures_are_found_without_a_model_of_texts_too() {
    let robot = Robot::words_only();
    let [red, _] = [RED, GREEN].map(|color| see(&robot, color));
    Colors::new("colors").plug_in(&robot);
    make_vectors(&robot);
    let answer = look_for(&robot, "something red", RecallRequest::default());
    assert_eq!((ids(&answer), answer.total, answer.mode), (vec![red], 1, Mode::VecOnly));
    let answer = look_for(&robot, "camera red", RecallRequest::default());
    assert_eq!((ids(&answer)[0], answer.total, answer.mode), (red, 2, Mode::Hybrid));
    // The model fails of it: words serve.
    let answer = look_for(&robot, "camera", RecallRequest::default());
    assert_eq!((answer.total, answer.mode), (2, Mode::Bm25Only));
}

#[test]
fn pictures_are_a_third_list_of_the_plain_fusion() {
    let (robot, _, [red, _, blue, purple]) = robot_that_saw();
    let rrf = RecallRequest { ranking: "rrf".into(), ..Default::default() };
    let answer = look_for(&robot, "red", rrf);
    assert_eq!((ids(&answer)[0], answer.total), (red, 4));
    let places: Vec<u32> = [red, purple, blue].map(|id| hit(&answer, id).why.picture_rank).into();
    assert_eq!(places, [1, 2, 0]);
    // Of one list more than those that say as little.
    assert!(hit(&answer, purple).score > hit(&answer, blue).score);
}

#[test]
fn what_matches_by_its_picture_is_counted_and_put_in_order() {
    let robot = Robot::words_only();
    let seen = [RED, GREEN, RED, BLUE].map(|color| see(&robot, color));
    Colors::new("colors").plug_in(&robot);
    make_vectors(&robot);
    let counted = RecallRequest { count_by: "day".into(), n: 1, ..Default::default() };
    for ranking in ["default", "rrf"] {
        let request = RecallRequest { ranking: ranking.into(), ..counted.clone() };
        let answer = look_for(&robot, "red", request);
        assert_eq!((answer.total, answer.counts[0].count), (2, 2), "{ranking}");
    }
    let dated = RecallRequest { order: "newest".into(), ..Default::default() };
    let answer = look_for(&robot, "red", dated);
    assert_eq!((ids(&answer), answer.total), (vec![seen[2], seen[0]], 2));
    assert_eq!(hit(&answer, seen[0]).why.picture_rank, 1);
}

#[test]
fn a_place_decides_and_the_picture_is_shown() {
    let robot = Robot::new();
    let place = |x: f64| json!({"at": [x, 0.0]}).to_string();
    let seen = [(GREEN, 1.0), (RED, 2.0)].map(|(color, x)| {
        let (data, context) = (data(color).to_string(), place(x));
        see_as(&robot, SavePerceptionRequest { data, context, ..Default::default() })
    });
    Colors::new("colors").plug_in(&robot);
    make_vectors(&robot);
    let near = SpatialSort { field: "at".into(), target: vec![0.0, 0.0], ..Default::default() };
    let request = RecallRequest { spatial_sort: Some(near), ..Default::default() };
    let answer = look_for(&robot, "red", request);
    assert_eq!(ids(&answer), seen);
    assert!(answer.memories.iter().all(|hit| hit.why.picture_similarity.is_some()));
    assert_eq!(answer.memories[1].why.picture_rank, 1);
}

#[test]
fn only_rows_that_are_allowed_are_looked_at() {
    let (robot, _, [red, ..]) = robot_that_saw();
    let (data, collection) = (data(RED).to_string(), "yard".to_owned());
    let yard = see_as(&robot, SavePerceptionRequest { data, collection, ..Default::default() });
    make_vectors(&robot);
    let answer = look_for(&robot, "red", RecallRequest::default());
    assert!(ids(&answer).contains(&red) && !ids(&answer).contains(&yard));
    assert_eq!(hit(&answer, red).why.picture_rank, 1);
    // A picture elsewhere that shows it is told of as any hit is.
    let green =
        RecallRequest { context_filter: r#"{"none": "such"}"#.into(), ..Default::default() };
    assert_eq!(look_for(&robot, "red", green).total, 0);
    let request = RecallRequest { collections: vec!["yard".into()], ..Default::default() };
    assert_eq!(ids(&look_for(&robot, "red", request)), [yard]);
    // Of texts that are too unlike, no picture counts either.
    let request = RecallRequest { min_similarity: 0.9, ..Default::default() };
    assert_eq!(look_for(&robot, "red", request).total, 0);
}

#[test]
fn a_picture_of_which_no_vector_can_be_made_is_told_of_and_holds_up_none() {
    let robot = Robot::new();
    // The model panics at the fourth.
    let broken = ["not base64", "bm90IGEgSlBFRw==", "AAAA", "AA==", "/9j/4AAQ"];
    for jpeg in broken {
        let data = json!({"image": {"thumbnail_jpeg": jpeg}}).to_string();
        see_as(&robot, SavePerceptionRequest { data, ..Default::default() });
    }
    let red = see(&robot, RED);
    // No picture: another place, no text, and none at all.
    for data in [r#"{"thumbnail_jpeg": "AAAA"}"#, r#"{"image": {"thumbnail_jpeg": 7}}"#, ""] {
        let data = data.to_owned();
        see_as(&robot, SavePerceptionRequest { data, ..Default::default() });
    }
    let colors = Colors::new("colors");
    colors.plug_in(&robot);
    assert_eq!(counts(&robot), (0, 6, 0));
    make_vectors(&robot);
    assert_eq!(counts(&robot), (1, 0, 5));
    assert_eq!(ids(&look_for(&robot, "red", RecallRequest::default()))[0], red);
    // They are not tried again and again, but once more by each run.
    let seen = colors.seen.load(Ordering::SeqCst);
    for _ in 0..3 {
        assert!(!robot.engine.upkeep().expect("upkeep"));
    }
    assert_eq!(colors.seen.load(Ordering::SeqCst), seen);
    let robot = robot.restart();
    let colors = Colors::new("colors");
    colors.plug_in(&robot);
    assert_eq!(counts(&robot), (1, 5, 0));
    make_vectors(&robot);
    assert_eq!(counts(&robot), (1, 0, 5));
    // What is not base64 is not even given to it.
    assert_eq!(colors.seen.load(Ordering::SeqCst), 4);
}

#[test]
fn vectors_are_stored_and_those_of_another_model_are_made_again() {
    let (robot, first, [red, ..]) = robot_that_saw();
    assert_eq!((first.seen.load(Ordering::SeqCst), counts(&robot)), (4, (4, 0, 0)));
    let robot = robot.restart();
    let again = Colors::new("colors");
    again.plug_in(&robot);
    // At once, before any upkeep.
    assert_eq!(ids(&look_for(&robot, "red", RecallRequest::default()))[0], red);
    make_vectors(&robot);
    assert_eq!((again.seen.load(Ordering::SeqCst), counts(&robot)), (0, (4, 0, 0)));

    let other = Colors::new("other colors");
    other.plug_in(&robot);
    assert_eq!(counts(&robot), (0, 4, 0));
    let answer = look_for(&robot, "red", RecallRequest::default());
    assert!(answer.memories.iter().all(|hit| hit.why.picture_similarity.is_none()));
    make_vectors(&robot);
    assert_eq!((other.seen.load(Ordering::SeqCst), counts(&robot)), (4, (4, 0, 0)));
    assert_eq!(hit(&look_for(&robot, "red", RecallRequest::default()), red).why.picture_rank, 1);

    robot.engine.set_picture_embedder(Err("no model folder".into())).expect("taken");
    assert_eq!(health(&robot).embedder, EmbedderState::Failed("no model folder".into()));
    let parts = robot.engine.components();
    let part = parts.iter().find(|part| part.name == "embedder").expect("it is told of");
    assert!(part.level.as_str() == "warn" && part.message.contains("no model folder"), "{part:?}");
    let answer = look_for(&robot, "red", RecallRequest::default());
    assert!(answer.memories.iter().all(|hit| hit.why.picture_rank == 0));
}

#[test]
fn what_is_withdrawn_or_deleted_is_not_found_and_what_comes_back_is() {
    let (robot, _, [red, green, blue, purple]) = robot_that_saw();
    let rows = || sql::<i64>(&robot.store_path(), "SELECT count(*) FROM memory_picture");
    assert_eq!(rows(), 4);
    let forget = ForgetRequest { memory_id: red, reason: "wrong".into(), ..Default::default() };
    robot.call::<Forget>(forget);
    let answer = look_for(&robot, "red", RecallRequest::default());
    assert_eq!((hit(&answer, purple).why.picture_rank, rows()), (1, 3));
    robot.call::<DeleteMemory>(DeleteMemoryRequest { memory_id: purple, ..Default::default() });
    assert_eq!((rows(), counts(&robot)), (2, (2, 0, 0)));
    let name = back_up(&robot);
    robot.call::<DeleteMemory>(DeleteMemoryRequest { memory_id: green, ..Default::default() });
    assert_eq!(look_for(&robot, "green", RecallRequest::default()).memories[0].memory.id, blue);
    restore(&robot, &name);
    make_vectors(&robot);
    assert_eq!(counts(&robot), (2, 0, 0));
    let answer = look_for(&robot, "green", RecallRequest::default());
    assert_eq!((ids(&answer)[0], answer.memories[0].why.picture_rank), (green, 1));
}

#[test]
fn an_archived_picture_is_found_again_once_it_is_taken_back() {
    let robot = Robot::new();
    let session_id = robot.start_session();
    let (data, level) = (data(RED).to_string(), "working".to_owned());
    let request = SavePerceptionRequest { data, level, session_id, ..Default::default() };
    let session = request.session_id.clone();
    let id = see_as(&robot, SavePerceptionRequest { importance: Some(0.1), ..request });
    Colors::new("colors").plug_in(&robot);
    make_vectors(&robot);
    assert_eq!(robot.end_session(&session).archived_count, 1);
    assert_eq!(counts(&robot), (0, 0, 0));
    let request = RestoreMemoryRequest { memory_id: id, ..Default::default() };
    robot.call::<RestoreMemory>(request);
    assert_eq!(counts(&robot), (0, 1, 0));
    make_vectors(&robot);
    let answer = look_for(&robot, "red", RecallRequest::default());
    assert_eq!((ids(&answer), answer.memories[0].why.picture_rank), (vec![id], 1));
}

#[test]
fn from_the_disk_the_same_is_found_as_from_memory() {
    let (robot, _, _) = robot_that_saw();
    for color in [[250, 200, 10], [120, 250, 10], [10, 90, 250]] {
        see(&robot, color);
    }
    make_vectors(&robot);
    let shown = |robot: &Robot| -> Vec<Value> {
        let answers = ["red", "green", "blue red", "blue"].map(|query| {
            let answer = look_for(robot, query, RecallRequest { n: 9, ..Default::default() });
            answer
                .memories
                .iter()
                .map(|hit| json!([hit.memory.id, hit.why.picture_rank, hit.why.picture_similarity]))
                .collect::<Vec<_>>()
        });
        answers.into_iter().flatten().collect()
    };
    let in_memory = shown(&robot);
    // An index of three components and seven rows takes more.
    let robot = robot.restart_with(|config| config.index_bytes_max = 1);
    robot.plug_in_embedder();
    Colors::new("colors").plug_in(&robot);
    make_vectors(&robot);
    assert_eq!(shown(&robot), in_memory);
}

/// Sees a picture when it is let.
struct Held {
    asked: Mutex<Sender<()>>,
    let_go: Mutex<Receiver<()>>,
}

impl PictureEmbedder for Held {
    fn model_id(&self) -> &str {
        "held"
    }

    fn dimension(&self) -> usize {
        1
    }

    fn match_range(&self) -> MatchRange {
        MatchRange { from: 0.5, sure: 0.9 }
    }

    fn embed_picture(&self, _: &[u8]) -> Result<Vec<f32>, EmbedError> {
        self.asked.lock().expect("a lock").send(()).expect("somebody listens");
        self.let_go.lock().expect("a lock").recv().expect("somebody lets it go");
        Ok(vec![1.0])
    }

    fn embed_query(&self, _: &str) -> Result<Vec<f32>, EmbedError> {
        Ok(vec![1.0])
    }
}

#[test]
fn nobody_waits_for_a_slow_model_and_what_goes_meanwhile_gets_no_vector() {
    let robot = Robot::new();
    let [gone, kept] = [RED, GREEN].map(|color| see(&robot, color));
    let (asked, was_asked) = channel();
    let (go, let_go) = channel();
    let held = Held { asked: Mutex::new(asked), let_go: Mutex::new(let_go) };
    robot.engine.set_picture_embedder(Ok(Some(Arc::new(held)))).expect("taken");
    std::thread::scope(|scope| {
        let upkeep = scope.spawn(|| robot.engine.upkeep());
        was_asked.recv().expect("it is asked");
        // Others write and search while it looks.
        robot.learn("The lid is under the bench");
        robot.call::<DeleteMemory>(DeleteMemoryRequest { memory_id: gone, ..Default::default() });
        assert_eq!(ids(&robot.recall("lid bench")).len(), 2);
        go.send(()).expect("it waits");
        assert!(upkeep.join().expect("no panic").expect("upkeep"), "there is more");
    });
    // The next one need not wait.
    go.send(()).expect("it waits");
    make_vectors(&robot);
    assert_eq!(counts(&robot), (1, 0, 0));
    let answer = look_for(&robot, "anything", RecallRequest::default());
    assert_eq!(hit(&answer, kept).why.picture_rank, 1);
}
