//! What a robot makes of the answer of its site: engines alone, and a link that answers as it is told to.

use crate::fleet::{SHARE_ALL, as_told_by, forget, hits, member, robot, take, tell};
use crate::order_phrases::stops;
use crate::robot::Robot;
use robot_memory_core::api::{
    Learn, LearnRequest, Recall, RecallRequest, RecallResponse, SiteState, Update, UpdateRequest,
};
use robot_memory_core::claim::{Claim, Takes};
use robot_memory_core::model::MemType;
use robot_memory_core::site::{SiteAnswer, SiteMemory, SiteQuestion};
use robot_memory_engine::{Config, FleetLink, FleetLinkState, FleetMember, SiteFault, SiteReply};
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::time::Duration;

const CRATE: &str = "The green crate stands beside the oven";

/// A site whose memory is that of an engine.
struct SetSite(Arc<robot_memory_engine::Engine>);

impl FleetLink for SetSite {
    fn state(&self) -> FleetLinkState {
        FleetLinkState::default()
    }

    fn robots(&self) -> Vec<String> {
        vec!["arm-1".into(), "arm-2".into(), "arm-3".into()]
    }

    fn ask_site(&self, question: SiteQuestion, _: Duration) -> SiteReply {
        let (send, reply) = sync_channel(1);
        let message = question.message().expect("it is short");
        let SiteQuestion { request, .. } = SiteQuestion::read(&message).expect("it is one");
        let answer = self.0.call::<Recall>(request).and_then(|found| self.0.site_answer(found));
        let answer = answer.map(SiteAnswer::message).map_err(|error| error.message);
        let answer = answer.and_then(|message| SiteAnswer::read(&message));
        let answer = answer.map_err(|text| SiteFault::new(SiteState::Failed, text));
        send.send(answer).expect("the other end is here");
        reply
    }
}

fn taking(takes: Takes) -> impl FnOnce(&mut Config) {
    move |config| {
        config.fleet = member("arm-2", "rg2").map(|it| FleetMember { takes, ..it });
        config.access = Some(format!(
            "agents: [{{names: [reader], read: [{{scope: global}}, {{scope: fleet, mem_types: [lesson]}}]}}]\n{SHARE_ALL}"
        ));
    }
}

/// A robot that takes limits and lessons, and a site that took these claims.
fn robot_with_site(claims: &[Claim]) -> (Robot, Robot) {
    let (asker, site) = (Robot::with(taking(Takes::LimitsAndLessons)), robot("site"));
    asker.plug_in_embedder();
    take(&site, claims);
    asker.engine.set_fleet_link(Some(Arc::new(SetSite(Arc::clone(&site.engine)))));
    (asker, site)
}

fn ask(robot: &Robot, query: &str, agent: &str) -> RecallResponse {
    let request = RecallRequest {
        query: query.into(),
        agent: agent.into(),
        scope: if agent.is_empty() { String::new() } else { "all".into() },
        include_site: true,
        n: 20,
        ..Default::default()
    };
    robot.call::<Recall>(request)
}

fn from_site(response: &RecallResponse) -> Vec<&str> {
    let hits = response.memories.iter().filter(|hit| hit.why.from_site);
    hits.map(|hit| hit.memory.content.as_str()).collect()
}

fn revise(robot: &Robot, memory_id: i64, new_content: &str) -> Vec<Claim> {
    let new_content = new_content.into();
    robot.call::<Update>(UpdateRequest { memory_id, new_content, ..Default::default() });
    tell(robot)
}

/// A site that answers every question the same.
struct SetAnswer(SiteAnswer);

impl FleetLink for SetAnswer {
    fn state(&self) -> FleetLinkState {
        FleetLinkState::default()
    }

    fn robots(&self) -> Vec<String> {
        Vec::new()
    }

    fn ask_site(&self, _: SiteQuestion, _: Duration) -> SiteReply {
        let (send, reply) = sync_channel(1);
        send.send(Ok(self.0.clone())).expect("the other end is here");
        reply
    }
}

/// A robot that asks its site, and what one answers of a crate that another told of.
fn asks_of_a_crate() -> (Robot, SiteAnswer) {
    let (one, two) = (robot("arm-1"), Robot::with(taking(Takes::LimitsAndLessons)));
    two.plug_in_embedder();
    one.learn(CRATE);
    let site = robot("site");
    take(&site, &tell(&one));
    let request = RecallRequest { query: "green crate".into(), ..Default::default() };
    let found = site.engine.call::<Recall>(request).expect("it is recalled");
    (two, site.engine.site_answer(found).expect("it is answered"))
}

#[test]
fn what_only_the_site_has_stands_behind_what_the_robot_knows_unless_it_fits_much_better() {
    let (two, mut answer) = asks_of_a_crate();
    assert_eq!(answer.memories.len(), 1);
    let told_at = Some(answer.memories[0].tellers[0].told_at);
    let beside = "The green crate is on the shelf of the long hall";
    two.learn(beside);
    let own = hits(&two, "green crate")[0].why.relevance;
    assert!(own > 0.0 && own < 0.76, "{own}");
    for (times, first) in [(1.0, beside), (1.2, beside), (1.3, CRATE)] {
        answer.memories[0].relevance = own * times;
        two.engine.set_fleet_link(Some(Arc::new(SetAnswer(answer.clone()))));
        let response = ask(&two, "green crate", "");
        let texts: Vec<&str> =
            response.memories.iter().map(|hit| hit.memory.content.as_str()).collect();
        assert_eq!((texts[0], texts.len()), (first, 2), "{times}");
        let hit = response.memories.iter().find(|hit| hit.why.from_site).expect("it is told");
        assert_eq!((hit.why.trust_weight, hit.why.told_at), (0.8, told_at));
    }
}

#[test]
fn the_best_of_both_come_before_what_is_far_behind_in_either() {
    let (two, answer) = asks_of_a_crate();
    let beside = "The green crate is on the shelf of the long hall";
    two.learn(beside);
    let own = hits(&two, "green crate")[0].why.relevance;
    // A site that is surer than the robot, with rows from which on all, half and a tenth of the odds are left.
    let best = (1.6 * own).min(1.0);
    let memories =
        [("of all", 1.0), ("of half", 0.9933), ("of a tenth", 0.6321)].map(|(what, worth)| {
            let content = format!("A green crate {what}");
            SiteMemory { content, relevance: best * worth, ..answer.memories[0].clone() }
        });
    let answer = SiteAnswer { memories: memories.to_vec(), ..answer };
    two.engine.set_fleet_link(Some(Arc::new(SetAnswer(answer))));
    let response = ask(&two, "green crate", "");
    let texts: Vec<&str> =
        response.memories.iter().map(|hit| hit.memory.content.as_str()).collect();
    let expected =
        ["A green crate of all", beside, "A green crate of half", "A green crate of a tenth"];
    assert_eq!(texts, expected);
}

#[test]
fn what_changes_while_it_is_not_taken_is_at_the_site_and_taken_later() {
    let (one, two) = (robot("arm-1"), Robot::with(taking(Takes::All)));
    let id = one.learn(CRATE).memory_id;
    let first = tell(&one);
    assert_eq!(take(&two, &first).asserted_count, 1);
    let two = two.restart_with(taking(Takes::LimitsAndLessons));
    assert_eq!(hits(&two, "green crate").len(), 1, "what was taken stays");
    let moved = "The green crate stands beside the window";
    let second = revise(&one, id, moved);
    let taken = take(&two, &second);
    assert_eq!((taken.passed_over_count, taken.retracted_count), (1, 0));
    assert_eq!(hits(&two, "green crate").len(), 0, "what is no longer so is gone");
    let site = robot("site");
    take(&site, &[first.clone(), second.clone()].concat());
    two.engine.set_fleet_link(Some(Arc::new(SetSite(Arc::clone(&site.engine)))));
    assert_eq!(from_site(&ask(&two, "green crate", "")), [moved]);
    // The stream from its beginning.
    let two = two.restart_with(taking(Takes::All));
    take(&two, &first);
    take(&two, &second);
    let held: Vec<String> =
        hits(&two, "green crate").into_iter().map(|hit| hit.memory.content).collect();
    assert_eq!(held, [moved]);
    // Taken back, it does not come again from a site that is behind.
    forget(&one, id);
    take(&two, &tell(&one));
    two.engine.set_fleet_link(Some(Arc::new(SetSite(Arc::clone(&site.engine)))));
    let response = ask(&two, "green crate", "");
    assert_eq!((response.site, response.memories.len()), (Some(SiteState::Answered), 0));
}

#[test]
fn own_experience_does_not_come_back_as_that_of_others() {
    let (asker, site) = robot_with_site(&[]);
    let id = asker.learn(CRATE).memory_id;
    let own = tell(&asker);
    let echo = as_told_by(&own[0], "arm-3", &[("arm-2", id)]);
    let also = as_told_by(&own[0], "arm-1", &[("arm-1", own[0].memory_id)]);
    take(&site, &[own[0].clone(), echo, also]);
    let response = ask(&asker, "green crate", "");
    assert_eq!((response.memories.len(), from_site(&response).len()), (1, 0));
    // Neither in the words that it had, of which the site was not told that they changed.
    revise(&asker, id, "The green crate stands beside the window");
    let response = ask(&asker, "green crate", "");
    assert_eq!((response.memories.len(), from_site(&response).len()), (1, 0));
}

#[test]
fn an_agent_sees_the_classes_that_it_may_read_and_a_question_of_order_is_the_robots() {
    let one = robot("arm-1");
    one.learn(CRATE);
    let lesson = LearnRequest {
        insight: "The green crate slides on wet floors".into(),
        mem_type: MemType::Lesson.to_string(),
        ..Default::default()
    };
    one.call::<Learn>(lesson);
    let (asker, _site) = robot_with_site(&tell(&one));
    assert_eq!(from_site(&ask(&asker, "green crate", "")).len(), 2);
    let seen = ask(&asker, "green crate", "reader");
    assert_eq!(from_site(&seen), ["The green crate slides on wet floors"], "{}", seen.site_fault);
    asker.sleep_days(2.0);
    asker.engine.record(stops()).expect("they are stored");
    let read = ask(&asker, "when was the last protective stop", "");
    assert_ne!(read.understood, "");
    assert_eq!((read.site, from_site(&read).len()), (Some(SiteState::Skipped), 0));
    assert!(read.site_fault.contains("order and time"), "{}", read.site_fault);
}
