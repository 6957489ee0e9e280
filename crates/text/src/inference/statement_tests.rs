use super::*;
use proptest::prelude::*;

fn may_be_same(a: &str, b: &str) -> bool {
    let (a, b) = (Statement::parse(a), Statement::parse(b));
    assert_eq!(a.may_be_same(&b), b.may_be_same(&a), "not symmetric");
    assert!(a.key() == b.key() || !a.may_be_same(&b), "{a:?} and {b:?} have two keys");
    a.may_be_same(&b)
}

#[rustfmt::skip]
const SAME: &[(&str, &str)] = &[
    ("grip the red cup with 12.5 N", "Grip the red cup with 12.5N force"),
    ("抓取红色杯子需要 12.5N", "抓取红色的杯子需要12.5 N"),
    ("grip with 12.50 N", "grip with 12.5N"),
    ("a gap of 1500 mm", "a gap of 1.5 m"),
    ("wait two minutes", "wait 120 s"),
    ("grip two cups", "grip 2 cups"),
    ("抓取三个杯子", "抓取3个杯子"),
    ("等待十五秒", "等待 15 秒"),
    ("抓取一个杯子", "抓取杯子"),
    ("use the first drawer", "use the 1st drawer"),
    ("打开第三个抽屉", "打开第3个抽屉"),
    ("力不得超过 15 N", "禁止力超过 15N"),
    ("The force must not exceed 15 N", "The force must never exceed 15 N"),
    ("Do not touch the lens", "Don't touch the lens"),
    ("never close the gripper", "it is forbidden to close the gripper"),
    ("never grip without gloves", "never grip without wearing gloves"),
    ("prefer left over right", "prefer the left over the right"),
    ("The stainless cup is heavy", "the cup of stainless steel is heavy"),
    ("使用不锈钢杯子", "使用不锈钢的杯子"),
    ("无人机飞行", "无人机在飞行"),
    ("非常重的杯子", "重的杯子"),
    ("check the limits before moving", "Before moving, check the limits"),
    ("ONNX is faster than Ollama", "onnx is faster than Ollama"),
    ("the cup is not only heavy but large", "the cup is heavy but large"),
    ("抓取红色杯子需要 12.5N", "Gripping the red cup needs 12.5 N"),
    ("速度 0.25 m/s", "速度 250 mm/s"),
    ("充电到百分之八十", "充电到 80%"),
    ("temperature 20 °C", "temperature 20°C"),
    ("use the three-finger gripper", "use the 3-finger gripper"),
    ("不断增加", "增加"),
    ("grip at 10 N for 5 s", "grip for 5 s at 10 N"),
    ("The left camera is overexposed at noon", "At noon the left camera is overexposed"),
    ("在仿真中夹爪打滑", "夹爪在仿真中打滑"),
    ("", ""),
];

#[rustfmt::skip]
const DIFFERENT: &[(&str, &str)] = &[
    ("grip 12.5 N", "grip 15 N"),
    ("grip 12.5 N", "grip -12.5 N"),
    ("grip 12.5 N", "grip 12.5 kg"),
    ("wait 10 s", "wait 10 ms"),
    ("grip two cups", "grip three cups"),
    ("抓取两个杯子", "抓取三个杯子"),
    ("抓取一个杯子", "抓取两个杯子"),
    ("等待十秒", "等待二十秒"),
    ("x=1, y=2", "x=2, y=1"),
    ("use the first drawer", "use the second drawer"),
    ("打开第一个抽屉", "打开第二个抽屉"),
    ("use M8x40 bolts", "use M8x30 bolts"),
    ("arm-01 drifts", "arm-02 drifts"),
    ("关节 J3 过热", "关节 J4 过热"),
    ("arm-01 hands over to arm-02", "arm-02 hands over to arm-01"),
    ("read /joint_states", "read /wrench"),
    ("put it in bin A", "put it in bin B"),
    ("放到A区", "放到B区"),
    ("use PID for the arm", "use MPC for the arm"),
    ("the gripper must close", "the gripper must not close"),
    ("the cup fits", "the cup doesn't fit"),
    ("the sensor is reliable", "the sensor is unreliable"),
    ("传感器可靠", "传感器不可靠"),
    ("允许进入", "禁止进入"),
    ("已检查限位", "未检查限位"),
    ("可以用湿手抓取", "别用湿手抓取"),
    ("grip with gloves", "grip without gloves"),
    ("do not grip the cup, use the tray", "grip the cup, do not use the tray"),
    ("never grip without checking", "grip without checking"),
    ("approach from the left", "approach from the right"),
    ("从左侧接近", "从右侧接近"),
    ("prefer left over right", "prefer right over left"),
    ("move from left to right", "move from right to left"),
    ("move the cup from the table to the shelf", "move the cup from the shelf to the table"),
    ("把杯子从桌子移到架子", "把杯子从架子移到桌子"),
    ("calibrate before gripping", "calibrate after gripping"),
    ("抓取前校准", "抓取后校准"),
    ("check the camera before the gripper", "check the gripper before the camera"),
    ("use PID instead of MPC", "use MPC instead of PID"),
    ("吸盘比夹爪更稳", "夹爪比吸盘更稳"),
    ("open the gripper", "close the gripper"),
    ("打开夹爪", "关闭夹爪"),
    ("open the gripper", "关闭夹爪"),
    ("turn the light on", "turn the light off"),
    ("the red cup", "the blue cup"),
    ("红色杯子", "蓝色杯子"),
    ("湿度 > 80%", "湿度 < 80%"),
    ("humidity above 80%", "humidity below 80%"),
    ("force over 15 N", "force under 15 N"),
    ("at most 15 N", "at least 15 N"),
    ("力大于 15N", "力小于 15N"),
    ("raise the arm", "lower the arm"),
    ("increase the force", "decrease the force"),
    ("the grasp succeeds", "the grasp fails"),
    ("抓取成功", "抓取失败"),
    ("turn clockwise", "turn counter-clockwise"),
    ("in simulation it drifts", "on the real robot it drifts"),
    ("仿真中会漂移", "真机上会漂移"),
    ("move along the x-axis", "move along the y-axis"),
    ("push the door", "pull the door"),
    ("the cup on the table", "the cup off the table"),
    ("杯子在桌子上", "杯子在桌子下"),
    ("use wireless control", "use wired control"),
    ("the battery is full", "the battery is empty"),
    ("enable the brake", "disable the brake"),
    ("start the motor", "stop the motor"),
    ("you must stop", "you may stop"),
    ("the cup is left of the plate", "the plate is left of the cup"),
    ("杯子在盘子左边", "盘子在杯子左边"),
    ("the red cup is on the blue plate", "the blue cup is on the red plate"),
    ("use tool A for glass and tool B for metal", "use tool B for glass and tool A for metal"),
    ("heat causes drift", "drift causes heat"),
    ("先校准再抓取", "先抓取再校准"),
    ("on Monday the belt is loose", "on Tuesday the belt is loose"),
    ("it opens at 9 am", "it opens at 9 pm"),
    ("the cup is glass", "the cup is plastic"),
    ("没有人在工作区", "有人在工作区"),
    ("这两个杯子不同", "这两个杯子相同"),
    ("use map lab_a", "use map lab_b"),
    ("两指夹爪", "三指夹爪"),
    ("放在盒子里", "放在盒子外"),
    ("move toward the wall", "move away from the wall"),
    ("夹爪松开", "夹爪夹紧"),
    ("use config/a.yaml", "use config/b.yaml"),
    ("turn 90 degrees", "turn -90 degrees"),
];

#[test]
fn the_same_in_other_words_may_be_the_same() {
    let wrong: Vec<_> = SAME.iter().filter(|(a, b)| !may_be_same(a, b)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_differs_in_meaning_is_told_apart() {
    let wrong: Vec<_> = DIFFERENT.iter().filter(|(a, b)| may_be_same(a, b)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn paraphrases_share_most_tokens() {
    for (a, b) in &SAME[..2] {
        let similarity = Statement::parse(a).jaccard(&Statement::parse(b));
        assert!(similarity > 0.70, "{a} / {b}: {similarity}");
    }
    assert_eq!(Statement::parse("red cup").jaccard(&Statement::parse("blue box")), 0.0);
}

fn any_text() -> impl Strategy<Value = String> {
    let words = "(not|never|left|right|over|before|from|to|unsafe|safe|without|and|two|one|第|三|个|不|前|A|B|x|12\\.5N|15 N|arm-01|杯子|, |\\. | ){0,16}";
    prop_oneof![".{0,60}".boxed(), words.boxed()]
}

proptest! {
    #[test]
    fn a_statement_is_the_same_as_itself(text in any_text()) {
        let (a, b) = (Statement::parse(&text), Statement::parse(&text));
        prop_assert!(a.may_be_same(&b));
        prop_assert_eq!(a.jaccard(&b), 1.0);
    }

    #[test]
    fn comparing_is_symmetric(a in any_text(), b in any_text()) {
        let (a, b) = (Statement::parse(&a), Statement::parse(&b));
        let similarity = a.jaccard(&b);
        prop_assert!((0.0..=1.0).contains(&similarity));
        prop_assert_eq!(similarity, b.jaccard(&a));
        prop_assert_eq!(a.may_be_same(&b), b.may_be_same(&a));
    }
}

#[test]
fn statements_that_differ_by_a_number_or_a_name_have_two_keys() {
    let key = |text: &str| Statement::parse(text).key();
    for (a, b) in [
        ("grip 12.5 N", "grip 15 N"),
        ("grip 12.5 N", "grip 12.5 kg"),
        ("turn the M8x40 bolt", "turn the M8x30 bolt"),
        ("grip 1 N and 2 m", "grip 12 m"),
        ("grip the cup", "never grip the cup"),
    ] {
        assert_ne!(key(a), key(b), "{a} / {b}");
    }
    assert_eq!(key("grip two cups with 12.50 N"), key("cups: 2, force: 12.5N"));
}
