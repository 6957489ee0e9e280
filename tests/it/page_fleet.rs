//! The page's view of the fleet: a real listener over a store that another robot told something.

use crate::fleet::{GLASS, SHARE_ALL, hits, member, robot, take, tell};
use crate::fleet_rules::revoke;
use crate::http::Served;
use crate::page_browser::{Browser, attributes};
use crate::robot::Robot;
use robot_memory_core::claim::{Claim, ClaimOp, MemoryRef, Removed, Selector};
use robot_memory_core::model::Stamp;
use robot_memory_core::site::SiteQuestion;
use robot_memory_engine::{Config, FleetLink, FleetLinkState, SiteReply};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

/// One that has something to tell of everything.
pub fn busy() -> FleetLinkState {
    FleetLinkState {
        unforwarded: 4_100,
        lag: 7,
        missed: 23,
        came_again: 11,
        refused: vec![("bad_signature".into(), 3)],
        ..FleetLinkState::default()
    }
}

/// A link that is as it is told to be.
pub struct SetLink(pub FleetLinkState);

impl FleetLink for SetLink {
    fn state(&self) -> FleetLinkState {
        self.0.clone()
    }

    fn robots(&self) -> Vec<String> {
        vec!["arm-1".into(), "arm-2".into(), "arm-3".into()]
    }

    fn ask_site(&self, _: SiteQuestion, _: Duration) -> SiteReply {
        std::sync::mpsc::sync_channel(1).1
    }
}

fn in_fleet(config: &mut Config) {
    config.fleet = member("arm-2", "rg6");
    config.access = Some(SHARE_ALL.into());
}

/// A robot that heard a limit from one whose clock is ahead.
pub fn robot_that_heard(folder: &Arc<TempDir>) -> Robot {
    let (one, two) = (robot("arm-1"), Robot::at(Arc::clone(folder), in_fleet));
    one.learn(GLASS);
    let ahead = Stamp(two.clock_now().0 + 90_000_000_000);
    let claims: Vec<Claim> =
        tell(&one).into_iter().map(|it| Claim { stamp: ahead, ..it }).collect();
    assert_eq!(take(&two, &claims).asserted_count, 1);
    two
}

pub fn serve(robot: &Robot, folder: Arc<TempDir>) -> Served {
    Served::of(Arc::clone(&robot.engine), folder, true, 1e6)
}

/// Whether a page leads to the fleet.
fn leads_there(page: &str) -> bool {
    attributes(page, "href").contains(&"/fleet")
}

#[test]
fn a_robot_in_a_fleet_shows_how_it_stands_and_who_told_what() {
    let folder = Arc::new(TempDir::new().expect("a folder"));
    let robot = robot_that_heard(&folder);
    robot.learn("The blue cup stands in the hall");
    robot.engine.set_fleet_link(Some(Arc::new(SetLink(FleetLinkState {
        fault: Some("the hub is not reached, for 12 s".into()),
        ..busy()
    }))));
    let selector = Selector {
        origin: "arm-9".into(),
        since: Some(Stamp::from_secs(1_700_000_000)),
        reason: "its <gripper> was not calibrated".into(),
        ..Selector::default()
    };
    let revocation = revoke("ops", 4, robot.clock_now(), selector);
    let receipt = Claim {
        origin: "arm-3".into(),
        op: ClaimOp::Receipt,
        selector: None,
        target: Some(MemoryRef { origin: "ops".into(), memory_id: 4 }),
        removed: Some(Removed { deleted_count: 5, rewritten_count: 2 }),
        ..revocation.clone()
    };
    take(&robot, &[revocation, receipt]);
    let served = serve(&robot, folder);
    let browser = Browser::new(&served);
    assert!(leads_there(&browser.page("/health")));
    let page = browser.page("/fleet");
    for expected in [
        "<dd>arm-2</dd>",
        "unreachable",
        "the hub is not reached, for 12 s",
        "<dd>1 memory</dd>",
        "<dd>7 messages</dd>",
        "<dd>at most 4100</dd>",
        "<dd>23 messages</dd>",
        "<dd>11 claims</dd>",
        "<dd>2 of FLEET</dd>",
        "bad signature</th><td class=\"n\">3<",
        "arm-1</a></th><td class=\"n\">1<",
        "90.0 s <span class=\"badge warn\">another time<",
        "4 by ops</th><td>arm-9</td><td>all, since <time datetime=\"2023-11-14",
        "its &lt;gripper&gt; was not calibrated",
        ">waits<",
        "<div>arm-1 <span class=\"badge warn\">no answer<",
        "<div>arm-3: 5 deleted, 2 made again</div></td>",
    ] {
        assert!(page.contains(expected), "{expected} is not in {page}");
    }
    let told = attributes(&page, "href").into_iter().find(|it| it.contains("robot=arm-1"));
    let found = browser.page(told.expect("a link to what was told"));
    assert!(found.contains(GLASS) && !found.contains("blue cup"), "{found}");
    assert!(browser.page("/fleet?robot=nobody").contains("Nothing of it is here"));
    tell(&robot);
    let page = browser.page("/fleet");
    assert!(page.contains("ok\">told<") && !page.contains(">waits<"), "{page}");
}

#[test]
fn what_another_robot_told_is_adopted_on_its_page() {
    let folder = Arc::new(TempDir::new().expect("a folder"));
    let robot = robot_that_heard(&folder);
    let served = serve(&robot, folder);
    let browser = Browser::new(&served);
    let heard = hits(&robot, "grip the glass")[0].memory.id;
    let page = browser.page(&format!("/memories/{heard}"));
    let adopt = format!("/memories/{heard}/adopt");
    assert!(attributes(&page, "href").contains(&adopt.as_str()), "{page}");
    assert!(!page.contains("/correct\""), "what others told cannot be changed: {page}");
    assert!(browser.page(&adopt).contains(GLASS));
    let own = browser.done(&adopt, "");
    assert!(
        own.contains("It is this robot&#39;s own") || own.contains("It is this robot's own"),
        "{own}"
    );
    assert!(own.contains(GLASS) && own.contains("/correct\""), "{own}");
    assert!(browser.done(&adopt, "").contains("says it already"));
}

#[test]
fn the_page_of_a_memory_says_who_told_it_and_when() {
    let folder = Arc::new(TempDir::new().expect("a folder"));
    let robot = robot_that_heard(&folder);
    let id = hits(&robot, "grip the glass")[0].memory.id;
    let own = robot.learn("The blue cup stands in the hall").memory_id;
    let told_at = Stamp(robot.clock_now().0 + 90_000_000_000).rfc_3339();
    let served = serve(&robot, folder);
    let browser = Browser::new(&served);
    let page = browser.page(&format!("/memories/{id}"));
    let told = format!("<dt>Told by</dt><dd>arm-1, last <time datetime=\"{told_at}\">");
    assert!(page.contains(&told), "{told} is not in {page}");
    assert!(page.contains("1 of their own experience"), "{page}");
    assert!(page.contains("<dt>Not as here</dt><dd>gripper: rg2 there, rg6 here"), "{page}");
    let found = browser.page("/?q=grip+the+glass");
    assert!(found.contains(&format!("<dd>{told_at}</dd>")), "{found}");
    let page = browser.page(&format!("/memories/{own}"));
    assert!(!page.contains("Told by") && !page.contains("Not as here"), "{page}");
}

#[test]
fn where_nothing_was_told_it_is_said_and_what_was_stays_shown() {
    let folder = Arc::new(TempDir::new().expect("a folder"));
    let alone = Robot::at(Arc::clone(&folder), |_| {});
    let served = serve(&alone, folder);
    let browser = Browser::new(&served);
    let page = browser.page("/fleet");
    for expected in ["is in no fleet", "No other robot has told anything", "Nothing was revoked"] {
        assert!(page.contains(expected), "{expected} is not in {page}");
    }
    assert!(!leads_there(&page));

    let folder = Arc::new(TempDir::new().expect("a folder"));
    let left = robot_that_heard(&folder).restart();
    let served = serve(&left, folder);
    let browser = Browser::new(&served);
    let page = browser.page("/fleet");
    assert!(page.contains("is in no fleet") && page.contains("arm-1</a></th>"), "{page}");
    assert!(leads_there(&page));
}

#[test]
fn who_may_not_see_the_status_does_not_see_the_fleet() {
    let folder = Arc::new(TempDir::new().expect("a folder"));
    robot_that_heard(&folder).engine.close().expect("it closes");
    let robot = Robot::at(Arc::clone(&folder), |config| {
        in_fleet(config);
        config.require_agent = true;
        config.access = Some("default: {read: global}".into());
    });
    let served = serve(&robot, folder);
    let nobody = Browser::new(&served);
    for path in ["/health", "/fleet"] {
        let got = nobody.get(path);
        assert_eq!(got.status, 403, "{path}: {}", got.text());
        assert!(!got.text().contains("arm-1"), "{path}: {}", got.text());
    }
    let reader = Browser::with_token(&served, &served.reader);
    assert!(reader.page("/fleet").contains("arm-1"));
    // What was told is a memory, which only those see who may read it.
    let told = reader.page("/fleet?robot=arm-1");
    assert!(told.contains("Nothing of it is here") && !told.contains("13 N"), "{told}");
}
