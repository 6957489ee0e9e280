use super::*;
use proptest::prelude::*;

fn compared(a: &str, b: &str, kind: ThingKind) -> (Likeness, Evidence) {
    Thing::parse(a, kind).compare(&Thing::parse(b, kind))
}

fn assert_compared(cases: &[(Likeness, ThingKind, &str, &str)]) {
    let mut wrong = Vec::new();
    for (expected, kind, a, b) in cases {
        let (found, why) = compared(a, b, *kind);
        if found != *expected {
            wrong.push(format!("{a} / {b}: {found:?} by {why:?}, not {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn names_are_told_from_each_other() {
    use Likeness::{Broader, Different, Same, Unknown};
    use ThingKind::{Object, Parameter, Place};
    let cases = [
        (Same, Object, "the glass bottles", "玻璃瓶"),
        (Same, Object, "bottle made of glass", "玻璃瓶子"),
        (Same, Object, "glass_bottle", "GlassBottle"),
        (Same, Object, "bowl of stainless steel", "不锈钢碗"),
        (Same, Object, "Grandma's cup", "奶奶的杯子"),
        (Same, Object, "tray on the left", "左边的托盘"),
        (Same, Object, "M8 bolts", "M8螺栓"),
        (Same, Object, "10 ml syringe", "0.01 l syringe"),
        (Same, Object, "a widget", "the widgets"),
        (Same, Place, "aisle no. 7", "7号通道"),
        (Same, Place, "drawer 2", "第二个抽屉"),
        (Same, Place, "second drawer", "二号抽屉"),
        (Same, Place, "桌上", "on the table"),
        (Same, Place, "near people", "在人附近"),
        (Same, Place, "charging_station", "充電站"),
        (Same, Parameter, "force_n", "force"),
        (Same, Parameter, "grip_force_n", "gripForce"),
        (Same, Parameter, "gripForceN", "抓取力"),
        (Same, Parameter, "max_speed_mps", "最大速度"),
        (Same, Parameter, "temperature_deg_c", "温度"),
        (Same, Parameter, "number of retries", "重试的次数"),
        (Same, Parameter, "抓力上限", "maximum grip force"),
        (Broader, Object, "bottle", "glass bottle"),
        (Broader, Object, "扳手", "torque wrench"),
        (Broader, Object, "cup", "grandma's cup"),
        (Broader, Parameter, "speed", "max_speed_mps"),
        (Broader, Object, "widget", "blue widget"),
        (Different, Object, "glass bottle", "塑料瓶"),
        (Different, Object, "钳子", "锤子"),
        (Different, Object, "剪刀", "小刀"),
        (Different, Object, "橙子", "橘子"),
        (Different, Object, "螺丝", "螺母"),
        (Different, Object, "red cup", "蓝杯子"),
        (Different, Object, "M8 bolt", "M10 bolt"),
        (Different, Object, "大碗", "small bowl"),
        (Different, Object, "salt shaker", "pepper shaker"),
        (Different, Object, "TV remote", "空调遥控器"),
        (Different, Place, "drawer 2", "三号抽屉"),
        (Different, Place, "on the table", "桌下"),
        (Different, Place, "near people", "机器附近"),
        (Different, Place, "left drawer", "右边抽屉"),
        (Different, Parameter, "torque_nm", "force_n"),
        (Different, Parameter, "speed_mps", "speed_rpm"),
        (Different, Parameter, "max_speed", "min_speed"),
        (Different, Parameter, "joint_1_angle", "二轴角度"),
        (Unknown, Object, "cymbal", "钹"),
        (Unknown, Object, "glass bottle", "blue bottle"),
        (Unknown, Object, "cup of tea", "teacup"),
        (Unknown, Object, "widget", "锤子"),
        (Unknown, Place, "table", "under the table"),
        (Unknown, Object, "", "cup"),
    ];
    assert_compared(&cases);
}

#[test]
fn what_only_ends_in_the_name_of_a_thing_is_another_one() {
    use Likeness::{Broader, Different, Same};
    use ThingKind::{Object, Task};
    assert_compared(&[
        (Same, Object, "red box", "红盒子"),
        (Same, Object, "the crimson box", "红色的箱子"),
        (Same, Object, "windscreen", "windshield"),
        (Same, Object, "raw egg", "生鸡蛋"),
        (Same, Object, "book", "一本书"),
        (Same, Object, "the lamp", "那盏灯"),
        (Same, Object, "瓷碗", "陶瓷碗"),
        (Same, Object, "dark blue towels", "深蓝色毛巾"),
        (Same, Task, "unscrew the lid", "拧开盖子"),
        (Broader, Object, "red cup", "深红色的杯子"),
        (Broader, Object, "metal bowl", "不锈钢碗"),
        (Broader, Object, "杯子", "mug"),
        (Different, Object, "盒子", "箱子"),
        (Different, Object, "tulip bulb", "灯泡"),
        (Different, Object, "licence plate", "盘子"),
        (Different, Object, "box cutter", "盒子"),
        (Different, Object, "cup holder", "杯子"),
        (Different, Object, "hot dog", "狗"),
        (Different, Object, "raw egg", "熟鸡蛋"),
        (Different, Object, "浅蓝色杯子", "dark blue cup"),
    ]);
}

#[test]
fn what_the_table_does_not_know_is_never_the_same_as_another_word() {
    let rare = "钹铙镲锣鼓笙箫琵琶胡铃磬埙钵盏盂碾杵臼箕篦笼篓";
    let words: Vec<String> = rare.chars().map(|c| format!("红色的{c}")).collect();
    for a in &words {
        for b in &words {
            let (found, _) = compared(a, b, ThingKind::Object);
            assert_eq!(found == Likeness::Same, a == b, "{a} / {b}");
        }
    }
}

proptest! {
    #[test]
    fn comparing_is_symmetric(
        a in "((glass|bottle|red|蓝色|杯子|锤子|的|左|上|钹|cymbal|of|made of|on|2|第二个|M8|n) ?){0,6}|.{0,30}",
        b in "((glass|bottle|red|蓝色|杯子|锤子|的|左|上|钹|cymbal|of|made of|on|2|第二个|M8|n) ?){0,6}|.{0,30}",
    ) {
        for kind in [ThingKind::Object, ThingKind::Place, ThingKind::Task, ThingKind::Parameter] {
            let (one, other) = (Thing::parse(&a, kind), Thing::parse(&b, kind));
            let exchanged = match one.compare(&other).0 {
                Likeness::Broader => Likeness::Narrower,
                Likeness::Narrower => Likeness::Broader,
                likeness => likeness,
            };
            prop_assert_eq!(other.compare(&one).0, exchanged);
            prop_assert_eq!(one.compare(&one).0, Likeness::Same);
        }
    }
}

#[test]
fn what_each_says_alone_makes_two_kinds() {
    let is_of_kind = |asked: &str, met: &str| {
        let thing = |name| Thing::parse(name, ThingKind::Object);
        thing(asked).is_of_kind(&thing(met))
    };
    for (asked, met) in [
        ("green glass bottle", "red glass bottle"),
        ("cup", "glass cup"),
        ("cherry tomato", "tomato"),
        ("torque wrench", "wrench"),
        ("left kitchen drawer", "right kitchen drawer"),
    ] {
        assert!(is_of_kind(asked, met), "{asked} of {met}");
    }
    for (asked, met) in [
        ("railway switch", "light switch"),
        ("glass rod", "steel rod"),
        ("plastic bottle", "glass bottle"),
        ("glass bottle", "bottle"),
        ("tulip bulb", "light bulb"),
    ] {
        assert!(!is_of_kind(asked, met), "{asked} of {met}");
    }
}
