//! What a long summary keeps of the short ones, against what a reader would want to know.

use crate::scope_work::{changed, do_jobs, get, make_micros, note, robot};
use robot_memory_core::api::{CompactScope, CompactScopeRequest};

/// Short summaries of steps in a row, and what a good long one says: words that must be in it, of each
/// fact all of them. The newest four stay as they are, so the last four texts are not compacted.
struct Group {
    name: &'static str,
    texts: &'static [&'static str],
    facts: &'static [&'static [&'static str]],
}

const TAIL_EN: &str = "Waited for the next order.";
const TAIL_ZH: &str = "等待下一个任务。";

const GROUPS: [Group; 6] = [
    Group {
        name: "bolts, one slip",
        texts: &[
            "Picked bolt 1 from bin 3 and placed it in the tray.",
            "Picked bolt 2 from bin 3 and placed it in the tray.",
            "Bolt 3 slipped out of the gripper at 8 N because the pad was oily.",
            "Cleaned the pad. Picked bolt 3 at 14 N and placed it in the tray.",
            "Picked bolt 4 from bin 3 and placed it in the tray.",
            "Picked bolt 5 from bin 3 and placed it in the tray.",
            "The tray is full after 24 bolts.",
            "Brought the tray to shelf B2.",
            TAIL_EN,
            TAIL_EN,
            TAIL_EN,
            TAIL_EN,
        ],
        facts: &[&["slipped", "8 N", "oily"], &["14 N"], &["24 bolts"], &["shelf B2"]],
    },
    Group {
        name: "door and kitchen",
        texts: &[
            "Drove to the kitchen in 42 s.",
            "Opened the fridge door with 18 N; it is stiff.",
            "Took the milk from the upper shelf.",
            "The milk carton was empty.",
            "Could not close the fridge door: the drawer was in the way.",
            "Pushed the drawer back and closed the fridge door.",
            "Drove back to the table in 40 s.",
            "From now on push the drawer in before closing the fridge.",
            TAIL_EN,
            TAIL_EN,
            TAIL_EN,
            TAIL_EN,
        ],
        facts: &[
            &["18 N"],
            &["milk", "empty"],
            &["Could not close", "drawer"],
            &["From now on", "drawer"],
        ],
    },
    Group {
        name: "insertion with failures in between",
        texts: &[
            "Aligned the peg with hole A4.",
            "Inserted the peg into A4 with 6 N.",
            "Aligned the peg with hole A5.",
            "Insertion into A5 failed: the peg jammed at 3 mm depth.",
            "Backed off 5 mm and tilted the peg by 2 degrees.",
            "Inserted the peg into A5 with 9 N.",
            "Aligned the peg with hole A6.",
            "Insertion into A6 timed out after 30 s. The vision lost the hole in glare.",
            "Switched the ring light off.",
            "Inserted the peg into A6 with 6 N.",
            TAIL_EN,
            TAIL_EN,
            TAIL_EN,
            TAIL_EN,
        ],
        facts: &[
            &["A5", "jammed", "3 mm"],
            &["A5", "9 N"],
            &["A6", "timed out", "30 s"],
            &["glare"],
            &["light off"],
        ],
    },
    Group {
        name: "装配",
        texts: &[
            "从3号料箱抓取第1颗螺栓,移动到装配台上方,放到托盘左侧的空位上。",
            "从3号料箱抓取第2颗螺栓,移动到装配台上方,放到托盘左侧的空位上。",
            "从3号料箱抓取第3颗螺栓,移动到装配台上方,放到托盘右侧的空位上。",
            "从3号料箱抓取第4颗螺栓,移动到装配台上方,放到托盘右侧的空位上。",
            "夹持力8 N时螺栓滑落,因为夹爪垫片有油污。",
            "清洁垫片后用14 N抓取成功。",
            "从3号料箱抓取第5颗螺栓,移动到装配台上方,放到托盘左侧的空位上。",
            "从3号料箱抓取第6颗螺栓,移动到装配台上方,放到托盘左侧的空位上。",
            "拧紧扭矩为2.5 Nm。",
            "5号孔拧紧失败,螺纹损坏。",
            "托盘送到B2货架。",
            TAIL_ZH,
            TAIL_ZH,
            TAIL_ZH,
            TAIL_ZH,
        ],
        facts: &[&["8 N", "滑落", "油污"], &["14 N"], &["2.5 Nm"], &["5号孔", "失败"], &["B2货架"]],
    },
    Group {
        name: "配送",
        texts: &[
            "从充电桩出发,沿东侧走廊前往护士站,用时65 s,路上没有障碍物。",
            "在护士站领取了1床、2床、3床和4床的药品,共4个药盒。",
            "沿东侧走廊前往1床,把1号药盒交给护士,并确认了签收。",
            "沿东侧走廊前往2床,把2号药盒交给护士,并确认了签收。",
            "电梯门口等待120 s,电梯超时未到。",
            "改走坡道,用时180 s。",
            "沿西侧走廊前往3床,把3号药盒交给护士,并确认了签收。",
            "4床无人应答,药品未能送达。",
            "返回护士站交还4床药品。",
            "电量剩余22%,无法继续配送。",
            "沿东侧走廊回到充电桩,开始充电,等待下一次任务。",
            TAIL_ZH,
            TAIL_ZH,
            TAIL_ZH,
            TAIL_ZH,
        ],
        facts: &[&["电梯", "超时"], &["坡道"], &["4床", "未能送达"], &["22%"], &["签收"]],
    },
    Group {
        name: "mixed",
        texts: &[
            "Scanned pallet P-17: 36 boxes.",
            "把第1层的12个纸箱逐个搬到传送带上,每个用时约20 s。",
            "把第2层的12个纸箱逐个搬到传送带上,每个用时约20 s。",
            "Moved the empty slip sheet to the rack and checked the next layer with the camera.",
            "Box 14 was dropped: the suction cup leaked at -35 kPa.",
            "更换吸盘后真空度为-62 kPa。",
            "把第3层的12个纸箱逐个搬到传送带上,每个用时约20 s。",
            "Moved the empty slip sheet to the rack and checked the pallet with the camera.",
            "The conveyor stopped because of an emergency stop in zone 2.",
            "急停解除后继续。",
            "Pallet P-17 is done in 48 min.",
            TAIL_EN,
            TAIL_ZH,
            TAIL_EN,
            TAIL_ZH,
        ],
        facts: &[
            &["P-17", "36"],
            &["Box 14", "-35 kPa"],
            &["吸盘", "-62 kPa"],
            &["emergency stop", "zone 2"],
            &["48 min"],
        ],
    },
];

/// The share of facts that must be kept of all.
const KEPT_MIN: f64 = 0.80;

fn compacted(with_vectors: bool, group: &Group) -> String {
    let robot = robot();
    let micros: Vec<(i64, u32)> = group
        .texts
        .iter()
        .zip(1..)
        .map(|(text, turn)| (note(&robot, "global", group.name, text), turn))
        .collect();
    let robot = changed(robot, |connection| make_micros(connection, &micros));
    if !with_vectors {
        robot.engine.set_embedder(Ok(None)).expect("taken");
    }
    robot
        .call::<CompactScope>(CompactScopeRequest { scope: "global".into(), ..Default::default() });
    let result = do_jobs(&robot).remove(0).1;
    let id = result["macros"][0]["memory_id"].as_i64().expect("an id");
    get(&robot, id).memory.content
}

/// Prints what is kept of each group; answers of how many facts, of all.
fn kept(with_vectors: bool) -> (usize, usize) {
    let (mut kept, mut all) = (0, 0);
    for group in &GROUPS {
        let text = compacted(with_vectors, group);
        assert!(text.chars().count() <= 300, "{text}");
        let is_kept = |fact: &&&[&str]| fact.iter().all(|words| text.contains(words));
        let count = group.facts.iter().filter(is_kept).count();
        println!("{:<36} {count}/{}  {text}", group.name, group.facts.len());
        for lost in group.facts.iter().filter(|fact| !is_kept(fact)) {
            println!("{:<36} lost: {lost:?}", "");
        }
        kept += count;
        all += group.facts.len();
    }
    println!("kept {kept} of {all} facts by {}", if with_vectors { "vectors" } else { "words" });
    (kept, all)
}

#[test]
fn a_long_summary_keeps_what_a_reader_wants_to_know() {
    for with_vectors in [true, false] {
        let (kept, all) = kept(with_vectors);
        assert!(kept as f64 >= KEPT_MIN * all as f64, "{kept} of {all}");
    }
}
