//! Pictures that robots of a fleet tell each other.

use crate::colors::{Colors, GREEN, RED, data, make_vectors, see, see_as};
use crate::fleet::{forget, hits, member, robot, take, tell, told};
use crate::robot::{Robot, sql};
use robot_memory_core::api::{Recall, RecallRequest, SavePerceptionRequest};
use robot_memory_core::claim::{Claim, ClaimOp, Takes};
use robot_memory_core::limits::CLAIM_PICTURE_BYTES_MAX;
use robot_memory_core::model::{Category, Kind, PerceptionType};
use robot_memory_core::picture;
use robot_memory_engine::{AdoptAs, Adoption, Config, FleetMember, NewBody};
use serde_json::json;

const VIEW: &str = "camera showed a new view";

fn sharing(robot_id: &'static str, access: &'static str) -> impl FnOnce(&mut Config) {
    move |config| {
        config.fleet = member(robot_id, "rg2");
        config.access = Some(access.into());
    }
}

fn picture_of(claim: &Claim) -> Option<&[u8]> {
    claim.statement.as_ref().expect("it says something").picture.as_deref()
}

fn pictures(robot: &Robot) -> i64 {
    sql(&robot.store_path(), "SELECT count(*) FROM memory_picture")
}

#[test]
fn what_another_robot_saw_is_found_by_what_it_shows() {
    let (one, two) = (robot("arm-1"), robot("arm-2"));
    let (red, green) = (see(&one, RED), see(&one, GREEN));
    let claims = tell(&one);
    take(&two, &claims);
    Colors::new("colors").plug_in(&two);
    make_vectors(&two);
    let ask = |query: &str| {
        let request =
            RecallRequest { query: query.into(), include_data: true, ..Default::default() };
        two.call::<Recall>(request).memories
    };
    for (query, id, color) in [("red", red, RED), ("green", green, GREEN)] {
        let hit = &ask(query)[0];
        let told = claims.iter().find(|it| it.memory_id == id).and_then(picture_of);
        assert_eq!(picture::jpeg_of(&hit.memory.data).as_deref(), told, "{query}");
        assert_eq!(told.map(<[u8]>::to_vec), picture::jpeg_of(&data(color).to_string()));
        assert_eq!(
            (hit.why.picture_rank, hit.why.told_by.as_slice()),
            (1, &["arm-1".to_owned()][..])
        );
        let (kind, seen) = (hit.memory.kind, hit.memory.perception_type);
        assert_eq!((kind, seen), (Kind::Perception, Some(PerceptionType::Visual)));
    }
    forget(&one, red);
    take(&two, &tell(&one));
    assert_eq!((pictures(&two), hits(&two, VIEW).len()), (1, 1));
    // Hearsay is not told on.
    assert!(tell(&two).is_empty());
    // A site answers with its words.
    let request = RecallRequest { query: VIEW.into(), ..Default::default() };
    let answer = two.engine.site_answer(two.call::<Recall>(request)).expect("it answers");
    let told: Vec<_> = answer.memories.iter().map(|it| (it.category, it.tellers.len())).collect();
    assert_eq!(told, [(Category::Code, 1)], "as of one without a picture");
}

#[test]
fn a_picture_is_told_as_the_policy_says() {
    const WORDS: &str = "fleet: [{scope: global, share: all_but_pictures}]";
    const ALL: &str = "fleet: [{scope: global, mem_types: [task_log], share: all}]";
    const AS_MUCH: &str = "fleet: [{scope: global, share: all}]";
    let (mut one, two) = (Robot::with(sharing("arm-1", WORDS)), robot("arm-2"));
    let id = see(&one, RED);
    let words = tell(&one);
    assert_eq!((told(&words), picture_of(&words[0])), (vec![(id, 1, ClaimOp::Assert)], None));
    take(&two, &words);
    assert_eq!((pictures(&two), hits(&two, VIEW).len()), (0, 1));
    // Other rules hold from the next start on, for what was told, too.
    let mut ids = vec![hits(&two, VIEW)[0].memory.id];
    for (access, count) in [(ALL, 1), (AS_MUCH, 1), (WORDS, 0)] {
        one = one.restart_with(sharing("arm-1", access));
        let again = tell(&one);
        assert_eq!((again.len(), again[0].op), (1, ClaimOp::Revise));
        assert_eq!(picture_of(&again[0]).is_some(), count == 1, "{access}");
        assert_eq!(take(&two, &again).revised_count, 1);
        assert_eq!((pictures(&two), hits(&two, VIEW).len()), (count, 1), "{access}");
        ids.push(hits(&two, VIEW)[0].memory.id);
    }
    ids.dedup();
    assert_eq!(ids.len(), 3, "what did not change stays the same memory: {ids:?}");
}

#[test]
fn who_takes_no_pictures_takes_what_was_seen_in_words() {
    let one = robot("arm-1");
    see(&one, RED);
    let claims = tell(&one);
    for (takes, count, held) in
        [(Takes::All, 1, 1), (Takes::AllButPictures, 0, 1), (Takes::LimitsAndLessons, 0, 0)]
    {
        let two = Robot::with(|config| {
            config.fleet = member("arm-2", "rg2").map(|it| FleetMember { takes, ..it });
        });
        take(&two, &claims);
        assert_eq!((pictures(&two), hits(&two, VIEW).len()), (count, held), "{takes}");
    }
}

#[test]
fn what_is_no_jpeg_or_too_long_is_told_in_words() {
    let one = robot("arm-1");
    let long = [&[0xff, 0xd8, 0xff, 0xe0][..], &vec![7; CLAIM_PICTURE_BYTES_MAX]].concat();
    let mut fits = long.clone();
    fits.truncate(CLAIM_PICTURE_BYTES_MAX);
    for (data, is_told) in [
        (picture::data_with(&fits), true),
        (picture::data_with(&long), false),
        (picture::data_with(b"\x89PNG"), false),
        (json!({"image": {"thumbnail_jpeg": "not base64"}}).to_string(), false),
        (json!({"image": {"width": 7}}).to_string(), false),
    ] {
        see_as(&one, SavePerceptionRequest { data, ..Default::default() });
        let claims = tell(&one);
        assert_eq!((claims.len(), picture_of(&claims[0]).is_some()), (1, is_told));
    }
}

#[test]
fn a_new_body_keeps_what_the_old_one_saw() {
    let (old, new) = (robot("arm-1"), robot("arm-2"));
    see(&old, RED);
    let claim = old.engine.own_claims(0, 10).expect("they are read").claims.remove(0);
    let body =
        NewBody { robot_id: "arm-2".into(), body: claim.body.clone(), map_id: String::new() };
    let adoption = new.engine.adoption_of(&claim, &body, AdoptAs::Own).expect("it is read");
    let Adoption::Own(memory) = adoption else { panic!("{adoption:?}") };
    new.engine.bring_over(*memory).expect("it is stored");
    assert_eq!(pictures(&new), 1);
}
