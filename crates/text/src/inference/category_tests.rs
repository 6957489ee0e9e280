use super::*;
use proptest::prelude::*;

#[rustfmt::skip]
const CASES: &[(Category, &[&str])] = &[
    (Category::Constraint, &[
        "抓取力不得超过 15N", "The grip force must never exceed 15 N", "never exceed 15 N", "Never use the left gripper",
        "The gripper must never close", "must always check limits", "Always check the joint limits before moving",
        "Please never open the door while moving", "In simulation never trust the force reading", "Force never above 15 N",
        "The door is never to be opened", "Smoking is never allowed here", "It is forbidden to enter the cell",
        "The speed must not exceed 0.5 m/s", "Do not touch the lens", "Don't touch the lens", "If it is wet, do not grip it",
        "You should never lift more than 5 kg", "THE FORCE MUST NEVER EXCEED 15 N", "Humans are not allowed in the cell",
        "The arm shall stop within 2 s", "The arm may not enter zone B", "Operators must wear gloves because oil is hot",
        "抓取前必须校准", "禁止进入工作区", "不可打开柜门", "不允许高速移动", "严禁触碰镜头", "切勿用湿手抓取", "速度不能超过 0.5 m/s",
        "移动前务必检查限位", "不要触碰镜头", "别碰镜头", "请勿打开", "抓取力绝不能大于 15N", "湿度高时，不要抓取",
        "never mind the dust, but the lid must stay shut",
        "夹爪不可靠近热源", "Never, ever touch the lens", "Never again use the left gripper", "The arm must have a cover",
        "传感器不可靠，不得使用", "constraint: keep below 15 N", "Safety rule: keep out", "约束：力小于 15N", "constraint - the lid stays shut",
    ]),
    (Category::Preference, &[
        "优先从左侧接近", "Prefer approaching from the left over the right", "It is recommended to use the left camera",
        "It is better to approach slowly", "I prefer the left rather than the right", "推荐使用左侧相机", "建议使用吸盘抓取玻璃",
        "首选左侧通道", "It works best to approach slowly", "You should use the soft gripper", "最好从左侧接近",
        "preference: quiet motion", "偏好：低速", "Avoid the wet corner", "优先走左侧，因为右侧窄",
    ]),
    (Category::Worldview, &[
        "ONNX 对小模型比 Ollama 更快", "ONNX is faster than Ollama for small models", "The soft gripper works better than the hard one",
        "X is better than Y", "PID is more reliable than MPC here", "From now on use the left camera", "吸盘比夹爪更稳",
        "从现在起使用左侧相机", "以后都从左侧接近", "左侧相机优于右侧相机", "A比B好", "This gripper has better accuracy than that one",
        "左手抓取更快", "worldview: simple plans win", "以后每次都从左侧接近", "The left arm is stronger than the right arm",
    ]),
    (Category::Tradeoff, &[
        "速度与精度:实时场景使用 10Hz", "Speed and accuracy tradeoff: use 10 Hz in real-time scenes", "PID vs MPC for this arm",
        "PID vs. MPC", "The pros and cons of suction", "More speed at the cost of accuracy", "There is a trade-off here",
        "Speed and accuracy: use 10 Hz in real-time scenes", "需要在速度和力之间权衡", "速度与精度的取舍", "吸盘的优缺点", "Trade-off: 10 Hz", "权衡：10Hz",
    ]),
    (Category::RootCause, &[
        "故障由传感器漂移引起", "The fault was caused by sensor drift", "It slipped because the cup was wet", "root cause: loose cable",
        "Heat leads to drift", "The drop was due to low friction", "潮湿导致打滑", "因为杯子湿了所以打滑", "由于光照不足，识别失败",
        "故障的原因是线缆松动", "根因：线缆松动", "Root-cause: the cable", "Heat causes drift", "振动造成误差",
        "The camera failed due to heat, observed twice", "故障原因为过热",
        "It must have been caused by heat", "舍不得换电池导致掉电", "出发现场前线缆松动导致故障",
    ]),
    (Category::Decision, &[
        "为了简化选择 PID 而非 MPC", "Chose PID instead of MPC for simplicity", "We decided to mount the camera on the left",
        "Opted for suction", "决定使用左侧相机", "使用 PID 而不是 MPC", "decision: use suction", "决策：使用吸盘",
        "Used the left arm rather than the right", "每个站点采用 PID 控制",
    ]),
    (Category::Pattern, &[
        "每当湿度 > 80%,抓取就会失败", "Every time humidity is above 80 %, grasping fails", "Whenever it rains the floor is slippery",
        "The left camera is always overexposed at noon", "A recurring drift of joint 3", "Each time the door opens the map shifts",
        "总是在中午过曝", "每次重启后零点漂移", "关节3反复过热", "pattern: noon glare", "规律：中午过曝", "The belt usually slips at noon",
        "Always drifts when hot", "通常在中午过曝", "汇总是正常的,但每次都慢",
    ]),
    (Category::Postmortem, &[
        "教训:新会话前务必先校准", "教训：新会话前务必先校准", "Lesson: always calibrate before a new session", "lessons learned - never skip checks",
        "Post-mortem: the arm must be homed first", "postmortem of the dropped cup", "复盘：夹爪未归零", "这次的教训很深刻",
        "LESSON LEARNED: use gloves", "Lesson 2: check the cable", "经验教训：先校准", "In hindsight the cable was loose",
        "【教训】必须先校准", "[lesson] must calibrate",
    ]),
    (Category::Gotcha, &[
        "陷阱:仿真中未检查关节限位", "Gotcha: joint limits are never checked in simulation", "gotcha: limits are never checked",
        "Gotcha - must reset twice", "A common pitfall is the frame id", "This is a trap for beginners", "陷阱：必须重启两次",
        "坑：必须重启两次", "这里有个坑", "踩坑记录", "Pitfall: the tool frame is flipped", "Beware of the glass door", "注意陷阱：坐标系翻转",
    ]),
    (Category::Observation, &[
        "发现红色杯子需要更大的力", "Found that the red cup needs more force", "Discovered a crack in the cup", "Noticed a drift of 2 mm",
        "The cup turned out to be glass", "We observed slipping", "观察到杯子打滑", "测得摩擦系数 0.3", "注意到夹爪松动", "发现：杯子是玻璃的",
        "Observation: the cup is never full", "found a crack", "The door was found to be open", "自动发现服务中发现异常",
    ]),
    (Category::Code, &[
        "grip_force=12.5N for cylindrical objects", "夹爪串口波特率 115200", "The gripper baud rate is 115200", "",
        "was never checked", "The joint was never checked", "It has never failed", "It never worked", "The cup is never seen at night",
        "Never seen such a cup", "The gripper never fails", "We never use it", "Never worked", "The door never closes", "mustard is yellow",
        "the trapezoidal profile", "neverland", "You never know", "The fingers do not fit", "strapped to the table",
        "/opt/never/must.yaml", "never_close is a flag", "The battery is not required to be full", "open VS Code", "file not found",
        "not forbidden here", "prefix_prefer=1", "the because_flag", "vsync is on", "humidity higher than 80%", "it took longer than expected",
        "other than that it fits", "The force is 5 N more than before", "code: must compile",
        "传感器不可靠", "标签不可见", "相机不可用", "不可能完成", "优先级为 3", "选择性激光烧结", "可选择模式", "发现号飞船", "触发现象记录",
        "到出发现场", "解决定位问题", "示教训练数据", "路面坑洼", "前方有水坑", "比例系数为 3", "占空比 50% 更新", "舍不得换电池", "别名为 arm1",
        "分别为 1 和 2", "特别大的箱子", "汇总是正常的", "湿度比 80% 高", "不必须佩戴", "用户不要杯子", "The camera must have overheated", "The gripper can never reach it", "不可燃物放在左侧", "坑位三是空的", "推荐值为 12N", "我觉得不要紧",
        "夹爪不能闭合",
    ]),
];

#[test]
fn every_case_is_classified_as_its_row_says() {
    let mut wrong = Vec::new();
    for (expected, texts) in CASES {
        for text in *texts {
            let found = classify(text);
            if found.category != *expected {
                wrong.push(format!(
                    "{text:?}: {} instead of {expected} {:?}",
                    found.category, found.tags
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn tags_name_every_category_in_the_order_of_the_table() {
    let cases: &[(&str, &[&str])] = &[
        ("Lesson: always calibrate", &["constraint", "postmortem"]),
        (
            "Found that it fails every time because it is wet",
            &["root_cause", "pattern", "observation"],
        ),
        ("教训:新会话前务必先校准", &["constraint", "postmortem"]),
        ("发现每当潮湿就打滑", &["pattern", "observation"]),
        ("gotcha: limits are never checked", &["gotcha"]),
        ("夹爪串口波特率 115200", &["code"]),
    ];
    for (text, expected) in cases {
        assert_eq!(&classify(text).tags, expected, "{text}");
    }
}

proptest! {
    #[test]
    fn any_text_has_a_category_among_its_tags(text in ".{0,80}|(never|always|than|比|不可|lesson|:|to| |must|do not|[0-9a-z力]){0,20}") {
        let found = classify(&text);
        let spelling = found.category.as_str();
        prop_assert!(found.tags.iter().any(|tag| tag == spelling));
    }
}

#[test]
fn a_trap_door_is_no_trap_and_a_liking_is_a_preference() {
    let cases = [
        (Category::Code, "The trap door is closed"),
        (Category::Gotcha, "The trap here is the frame id"),
        (Category::Preference, "I like the spicy noodles"),
        (Category::Preference, "奶奶不爱吃香菜"),
    ];
    for (expected, text) in cases {
        assert_eq!(classify(text).category, expected, "{text}");
    }
    for text in ["14:02:11 Started bin picking at station 3", "The part was released at 14:05"] {
        assert_eq!(classify(text).mem_type, MemType::TaskLog, "{text}");
    }
}
