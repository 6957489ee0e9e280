//! Questions of which one memory is the answer, beside others that are about something else of the same
//! kind: asked alone, and among those of a household.

use crate::material::{Question, Set, Written};
use crate::methods::{self, Robot};
use crate::{ALL, Result};
use robot_memory_core::api::{
    Learn, LearnRequest, Recall, RecallRequest, RunMaintenance, RunMaintenanceRequest,
};
use robot_memory_core::model::Kind;
use robot_memory_engine::{JobControl, JobDecision};
use serde_json::json;
use std::collections::BTreeMap;

/// A question and what is stored, the answer first.
type Case = (&'static str, &'static [&'static str]);

/// What was asked about must come before another thing of its kind, also when that is said in the words of
/// the question.
const THINGS: &[Case] = &[
    (
        "how hard may I grip the mug?",
        &[
            "The porcelain mug needs 9 N",
            "Grip the glass with at most 11 N",
            "Grip the bowl hard, 25 N",
        ],
    ),
    (
        "how hard can I grip the mug",
        &["Mug: 12 N is enough", "The wine glass may be gripped with 8 N", "Grip eggs with 3 N"],
    ),
    (
        "how firmly do I hold the jar",
        &["The jar wants 20 N", "Hold the bottle firmly, with 14 N", "Hold cans with 10 N"],
    ),
    (
        "how much do I fill into the teapot",
        &[
            "0.8 l is right for the teapot",
            "Fill the kettle up to 1.5 l",
            "Fill 6 l into the bucket",
        ],
    ),
    (
        "how fast may I open the oven",
        &[
            "Oven: 0.1 m/s",
            "Open the fridge slowly, at 0.2 m/s",
            "The drawer may be opened at 0.5 m/s",
        ],
    ),
    (
        "抓马克杯可以用多大的力",
        &["瓷马克杯9牛就够", "抓玻璃杯可以用的力最大11牛", "抓碗可以用25牛的力"],
    ),
    ("茶壶要加多少水", &["茶壶0.8升合适", "水壶要加1.5升水", "水桶要加6升水"]),
    (
        "打开烤箱可以多快",
        &["烤箱:0.1米每秒", "打开冰箱可以到0.2米每秒", "抽屉可以快一点,0.5米每秒"],
    ),
    (
        "how hard may I grip the mug?",
        &["瓷马克杯需要9牛", "Grip the glass with at most 11 N", "抓玻璃碗最多用8牛"],
    ),
    (
        "抓马克杯可以用多大的力",
        &["The porcelain mug needs 9 N", "抓玻璃杯可以用11牛的力", "Grip eggs with 3 N"],
    ),
    (
        "where are the pliers",
        &["钳子在三号抽屉", "Where the hammer is: drawer 2", "The saw is where it was"],
    ),
    (
        "how much force does the egg take",
        &["Eggs: 3 N", "The tomato takes a force of 6 N", "Force for the apple: 10 N"],
    ),
    (
        "at what speed do I wipe the table",
        &["Table: 0.2 m/s", "Wipe the window at a speed of 0.1 m/s", "Wipe the floor at 0.4 m/s"],
    ),
    (
        "what torque for the nut",
        &["12 N·m for the nut", "The torque for the screw is 3 N·m", "Bolt: torque 20 N·m"],
    ),
    (
        "how warm must the plate be",
        &["Plate at 40 °C", "The cup must be warm, 60 °C", "The bottle must be warm: 37 °C"],
    ),
    ("拿鸡蛋要用多大的力", &["鸡蛋用3牛", "拿番茄要用6牛的力", "拿苹果要用10牛的力"]),
    (
        "擦桌子的速度是多少",
        &["桌子0.2米每秒", "擦窗户的速度是0.1米每秒", "擦地板的速度是0.4米每秒"],
    ),
    ("螺母用多大扭矩", &["螺母12牛米", "螺丝用3牛米的扭矩", "螺栓用20牛米的扭矩"]),
];

/// Attempts become a summary that counts them, which answers how often it went well: the task, the object,
/// what a log says (with the force), and what is asked.
const COUNTED: &[(&str, &str, [&str; 2], &[&str])] = &[
    (
        "insert",
        "M8 bolt",
        ["Inserting the M8 bolt succeeded with {} N", "Inserting the M8 bolt failed with {} N"],
        &[
            "how often does inserting the M8 bolt succeed",
            "how many times did inserting the M8 bolt succeed?",
            "success rate of inserting the M8 bolt",
        ],
    ),
    (
        "pick",
        "mug",
        ["Picked the mug, it went well at {} N", "Picking the mug went wrong, it slipped at {} N"],
        &["how often does picking the mug succeed", "how reliably can I pick the mug"],
    ),
    (
        "插入",
        "M8螺栓",
        ["插入M8螺栓成功,用了{}牛", "插入M8螺栓失败,用了{}牛"],
        &["插入M8螺栓的成功率是多少", "插入M8螺栓成功了多少次"],
    ),
];

fn set_of((query, texts): &Case, beside: &Set) -> Set {
    let own = texts.iter().zip(0_u32..).map(|(text, number)| Written {
        name: number.to_string(),
        // What is said of one thing is not said after another.
        session: format!("case {number}"),
        minute: f64::from(number),
        text: (*text).to_owned(),
        context: serde_json::Map::new(),
    });
    let others = beside.memories.iter().map(|memory| Written {
        name: memory.name.clone(),
        session: memory.session.clone(),
        minute: 10.0 + memory.minute,
        text: memory.text.clone(),
        context: memory.context.clone(),
    });
    let question = Question {
        name: "question".into(),
        kind: ALL.into(),
        text: (*query).to_owned(),
        since_minute: None,
        until_minute: None,
        answers: BTreeMap::new(),
        is_sealed: false,
        is_judged: false,
    };
    let memories = own.chain(others).collect();
    Set { name: "cases".into(), memories, questions: vec![question], unanswered: Vec::new() }
}

#[test]
fn the_thing_that_is_asked_about_comes_before_others_of_its_kind() -> Result<()> {
    let model = methods::load_model()?;
    let household = Set::read("household")?;
    let nothing = Set::empty("");
    let mut wrong = Vec::new();
    for case in THINGS {
        for (beside, of) in [(&nothing, "alone"), (&household, "among others")] {
            let set = set_of(case, beside);
            let robot = Robot::taught(&set)?;
            robot.take_model(&model)?;
            let found = robot.recall(&set.questions[0], "default")?;
            let place = |name: &str| found.iter().position(|it| it == name).unwrap_or(usize::MAX);
            if place("0") > place("1").min(place("2")) || (of == "alone" && place("0") > 0) {
                wrong.push(format!("{} ({of}): {:?}", case.0, &found[..found.len().min(5)]));
            }
        }
    }
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
    Ok(())
}

struct Unhurried;

impl JobControl for Unhurried {
    fn between_steps(&self) -> JobDecision {
        JobDecision::On
    }
}

#[test]
fn what_was_counted_answers_how_often() -> Result<()> {
    let model = methods::load_model()?;
    let mut wrong = Vec::new();
    for (task, object, logs, queries) in COUNTED {
        let folder = tempfile::TempDir::new()?;
        let engine = methods::working(&folder.path().join("memory.db"), &model)?;
        for number in 0..6 {
            let success = number % 2 == 0;
            let force = 8 + number;
            engine.call::<Learn>(LearnRequest {
                insight: logs[number % 2].replace("{}", &force.to_string()),
                context: json!({
                    "task": {"name": task, "object": object, "success": success},
                    "params": {"force_n": force},
                })
                .to_string(),
                mem_type: "task_log".into(),
                ..Default::default()
            })?;
        }
        engine.call::<Learn>(LearnRequest {
            insight: "How often the floor is swept: twice a day".into(),
            ..Default::default()
        })?;
        let mode = "weekly".to_owned();
        engine.call::<RunMaintenance>(RunMaintenanceRequest { mode, ..Default::default() })?;
        while let Some(claim) = engine.claim_job(0)? {
            engine.work(&claim, &Unhurried)?;
        }
        for query in *queries {
            let query = (*query).to_owned();
            let found = engine
                .call::<Recall>(RecallRequest { query: query.clone(), ..Default::default() })?;
            let kinds: Vec<Kind> = found.memories.iter().map(|hit| hit.memory.kind).collect();
            if kinds.first() != Some(&Kind::Summary) {
                let shown: Vec<String> = found
                    .memories
                    .iter()
                    .map(|hit| format!("{:.3} {}", hit.score, hit.memory.content))
                    .collect();
                wrong.push(format!("{query}: {shown:#?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
    Ok(())
}
