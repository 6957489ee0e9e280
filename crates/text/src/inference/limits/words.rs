//! The words of constraints. English and Chinese.

use crate::inference::phrases::Phrases;
use std::sync::LazyLock;

/// What a word or phrase does in a sentence that sets a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sense {
    /// The sentence says more than a bound: a condition, a hedge, a report.
    Block,
    /// What follows only says why.
    Because,
    /// Says nothing here.
    Skip,
    /// An article.
    Article,
    /// Negates, and says that it is an order.
    Forbid,
    /// Negates.
    Not,
    /// Says that it is an order.
    Must,
    /// The same, of a state that is to be kept.
    Keep,
    /// A form of "to be".
    Is,
    /// What the robot does to an object.
    Verb,
    /// The same; but "must drop above 15 N" says what to do there, and sets no bound.
    Loose,
    /// The robot itself, or a part of it.
    Own,
    /// What is bounded, by its row of [`QUANTITIES`].
    Quantity(usize),
    /// How a value stands to the amount that follows, or, of the last two, that went before.
    Compare(Comparison),
    /// The same of a distance: closer than.
    Closer(Comparison),
    /// The amount that follows, or that went before, is the greatest.
    Greatest,
    /// The same, of a speed.
    SpeedLimit,
    /// It is the least.
    Least,
    /// The amount before it is the greatest, or the least: 以下, "or more".
    Post(Comparison),
    /// Two amounts follow.
    Between,
    /// Stands between two amounts.
    And,
    /// Stands between two amounts, or before an object or a verb.
    To,
    /// Two amounts went before: 之间.
    Within,
    /// An object follows.
    Object,
    /// A place follows.
    Place,
    /// A task follows.
    Task,
    /// What follows is what the distance is measured from.
    From,
    /// What went before is a place: 厨房内.
    Inside,
    /// What went before is an object: 瓶子上.
    Upon,
    /// After a verb and its object: 抓取鸡蛋时.
    When,
    /// Belongs to.
    Of,
}

/// How a value stands to an amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    More,
    Less,
    AtMost,
    AtLeast,
    Exactly,
}

/// A quantity that can be bounded.
pub(in crate::inference) struct QuantityWord {
    pub parameter: &'static str,
    /// The base units that it is measured in.
    pub bases: &'static [&'static str],
    pub words: &'static [&'static str],
}

const fn quantity(
    parameter: &'static str,
    bases: &'static [&'static str],
    words: &'static [&'static str],
) -> QuantityWord {
    QuantityWord { parameter, bases, words }
}

const FORCE: &[&str] = &["N"];
const SPEED: &[&str] = &["m/s", "km/h", "m/min"];
const TURN: &[&str] = &["°/s", "rad/s", "rpm"];
const LENGTH: &[&str] = &["m"];
const TEMPERATURE: &[&str] = &["°C", "°F", "K"];

/// What can be bounded. The first whose word is read counts; the longest word is read.
#[rustfmt::skip]
pub(super) const QUANTITIES: &[QuantityWord] = &[
    quantity("distance", LENGTH, &[
        "distance", "distances", "clearance", "safety distance", "safe distance", "距离", "间距", "安全距离", "间隙",
    ]),
    quantity("grip_force", FORCE, &[
        "grip force", "gripping force", "grasp force", "grasping force", "gripper force", "clamping force",
        "抓取力", "夹持力", "夹紧力", "抓握力", "握力", "夹爪力", "夹力",
    ]),
    quantity("contact_force", FORCE, &["contact force", "contact forces", "接触力"]),
    quantity("push_force", FORCE, &["push force", "pushing force", "推力"]),
    quantity("pull_force", FORCE, &["pull force", "pulling force", "拉力"]),
    quantity("press_force", FORCE, &["press force", "pressing force", "压力大小", "按压力", "下压力"]),
    quantity("insertion_force", FORCE, &["insertion force", "插入力"]),
    quantity("force", FORCE, &["force", "forces", "力", "力度", "作用力"]),
    quantity("torque", &["N·m"], &["torque", "torques", "扭矩", "力矩", "转矩"]),
    quantity("angular_speed", TURN, &[
        "angular speed", "angular velocity", "joint speed", "joint speeds", "joint velocity", "joint velocities",
        "turning speed", "rotation speed", "角速度", "关节速度", "转速", "旋转速度",
    ]),
    quantity("speed", SPEED, &[
        "speed", "speeds", "driving speed", "travel speed", "速度", "车速", "移动速度", "行驶速度", "行走速度", "运行速度",
    ]),
    quantity("velocity", SPEED, &["velocity", "velocities"]),
    quantity("acceleration", &["m/s2"], &["acceleration", "accelerations", "加速度"]),
    quantity("payload", &["g"], &["payload", "payloads", "load", "weight", "负载", "载重", "载荷", "承重", "重量"]),
    quantity("temperature", TEMPERATURE, &["temperature", "temperatures", "温度"]),
    quantity("pressure", &["Pa"], &["pressure", "air pressure", "压力", "气压", "压强"]),
    quantity("height", LENGTH, &["height", "lifting height", "lift height", "高度", "抬升高度", "提升高度"]),
    quantity("depth", LENGTH, &["depth", "insertion depth", "深度", "插入深度"]),
    quantity("width", LENGTH, &["width", "gripper opening", "opening", "宽度", "开口", "张开宽度", "开合宽度"]),
    quantity("voltage", &["V"], &["voltage", "电压"]),
    quantity("current", &["A"], &["current", "电流"]),
    quantity("power", &["W"], &["power", "功率"]),
    quantity("duration", &["s"], &["duration", "时长", "持续时间"]),
    quantity("angle", &["°", "rad"], &["angle", "tilt", "tilt angle", "倾角", "倾斜角", "倾斜角度", "倾斜", "倾斜度", "角度"]),
    quantity("frequency", &["Hz"], &["frequency", "频率"]),
];

/// The parameter that is spelled so: `grip_force` for "grip force" and for 夹持力.
pub(in crate::inference) fn parameter_of(spelled: &str) -> Option<&'static str> {
    quantity_of(spelled).map(|quantity| quantity.parameter)
}

/// The quantity that is spelled so, or by the program's own name of it.
pub(in crate::inference) fn quantity_of(spelled: &str) -> Option<&'static QuantityWord> {
    QUANTITIES.iter().find(|quantity| {
        quantity.words.contains(&spelled) || quantity.parameter.split('_').eq(spelled.split(' '))
    })
}

/// Base units that tell by themselves which parameters are meant, when no word does.
pub(super) const TELLING_BASES: &[&str] = &[
    "N", "N·m", "m/s", "km/h", "°/s", "rad/s", "rpm", "m/s2", "g", "°C", "°F", "Pa", "V", "A", "W",
];

/// Parts of the robot, of which a quantity is its own, and not that of a thing that it handles.
#[rustfmt::skip]
pub(super) const OWN_PARTS: &[&str] = &[
    "wrist", "elbow", "shoulder", "joint", "joints", "wheel", "wheels", "axis", "axes", "flange", "tcp", "thumb",
    "finger", "fingertip", "leg", "knee", "hip", "ankle", "waist", "torso", "head", "neck",
    "腕部", "手腕", "腕关节", "肘部", "肩部", "关节", "各关节", "车轮", "轮子", "法兰", "指尖", "腿部", "膝部", "腰部",
    "头部",
];

use Comparison::{AtLeast, AtMost, Exactly, Less, More};
use Sense::*;

#[rustfmt::skip]
const WORDS: &[(Sense, &[&str])] = &[
    (Block, &[
        "if", "when", "whenever", "while", "unless", "except", "excluding", "but", "once", "until", "till", "after",
        "before", "about", "approximately", "approx", "roughly", "around", "nearly", "almost", "ca", "circa",
        "usually", "normally", "typically", "generally", "often", "sometimes", "mostly", "rarely", "seldom", "maybe",
        "perhaps", "probably", "possibly", "might", "could", "would", "ideally", "preferably", "prefer", "recommended",
        "try", "was", "were", "had", "has", "have", "been", "did", "does", "is it", "can", "may", "or", "and or",
        "without", "only", "not only", "every", "each", "per", "average", "mean", "total", "combined", "sum", "peak",
        "nominal", "rated", "default", "initial", "final", "additional", "extra", "another", "this", "that", "these",
        "those", "it", "them", "him", "her", "there", "today", "tomorrow", "yesterday", "by", "through", "via",
        "need not", "need", "needs", "necessarily", "necessary", "have to", "has to", "up to", "instead", "rather",
        "than", "enough", "test", "tests", "simulation", "sim", "again", "likely", "unlikely", "supposed", "allegedly",
        "longer", "anymore", "yet", "still", "other", "others", "some", "then", "even", "both", "either", "neither",
        "nor", "nobody", "none", "nothing", "hardly", "barely", "let go", "monday", "tuesday", "wednesday", "thursday",
        "friday", "saturday", "sunday", "weekends", "morning", "evening", "night", "winter", "summer", "rain", "snow",
        "dark", "general", "particular", "practice", "theory", "principle", "case", "emergency", "emergencies", "mode",
        "phase", "state", "stage", "which", "who", "what", "why", "how", "fine", "ok", "okay", "wrong", "false", "myth",
        "如果", "若", "要是", "假如", "倘若", "一旦", "除非", "除", "除了", "否", "大约", "约", "左右", "大概", "上下", "几乎", "差不多",
        "一般", "通常", "往往", "有时", "偶尔", "可能", "也许", "或许", "建议", "推荐", "尽量", "最好", "尽可能", "曾", "曾经", "过去",
        "上次", "之前", "以前", "之后", "以后", "后", "前", "期间", "当", "或", "或者", "平均", "总", "合计", "峰值", "额定", "默认",
        "初始", "每", "吗", "呢", "是否", "不是", "并非", "未", "没有", "没", "了", "过", "不得不", "不可不", "不能不", "不必", "不用",
        "无需", "不需要", "不一定", "不建议", "不推荐", "不再", "不只", "不仅", "可", "可以", "能", "能够", "允许", "这", "那", "该", "此",
        "其", "它", "其他", "其它", "仿真", "测试", "但", "但是", "不过", "仅", "只", "只有", "才", "会", "原来", "改为", "而",
        "无人", "夜间", "晚上", "白天", "上午", "下午", "周末", "冬天", "夏天", "模式", "阶段", "状态", "情况", "情况下", "放开", "松开",
        "再", "还", "也", "都", "比", "更", "时候", "的时候", "实际", "发现", "听说", "据说", "认为", "觉得", "似乎", "好像",
    ]),
    (Because, &[
        "because", "since", "otherwise", "or else", "so that", "as it", "to avoid", "to prevent", "to protect",
        "否则", "不然", "因为", "以免", "以防", "以避免", "避免", "防止", "以保护",
    ]),
    (Skip, &[
        "please", "always", "strictly", "ever", "at all times", "at any time", "under any circumstances", "in any case",
        "from now on", "constraint", "constraints", "rule", "safety", "safety rule", "hard rule", "warning", "important",
        "note", "attention", "caution", "absolutely", "also", "with", "so", "the robot must", "values", "value",
        "请", "始终", "一律", "任何时候", "任何情况下", "无论如何", "随时", "注意", "约束", "规则", "警告", "重要", "安全", "安全规则",
        "安全要求", "要求", "绝对", "以", "从现在起", "所有", "任何", "严格", "时刻", "一直", "永远", "均", "的值",
    ]),
    (Article, &["the", "a", "an", "any", "all", "your", "its", "our"]),
    (Forbid, &[
        "never", "no", "must not", "must never", "shall not", "shall never", "should not", "should never", "may not",
        "may never", "can not", "cannot", "do not", "dont", "is not allowed to", "are not allowed to", "not allowed to",
        "not allowed", "not permitted", "not permitted to", "forbidden", "forbidden to", "prohibited", "it is forbidden to",
        "it is prohibited to", "it is not allowed to", "it is not permitted to", "is not to", "are not to",
        "is forbidden", "is prohibited", "under no circumstances", "will not", "ought not to", "must under no circumstances",
        "不得", "禁止", "严禁", "不可", "不可以", "不允许", "不许", "不准", "切勿", "请勿", "切不可", "绝不能", "决不能", "绝不可",
        "绝不", "千万不要", "千万别", "绝对不能", "绝对不要", "绝对不得", "不能", "不要", "不应", "不应该", "不应当", "不该", "别", "勿",
        "绝不允许", "一律不得", "严格禁止",
    ]),
    (Not, &["not"]),
    (Must, &[
        "must", "shall", "should", "must always", "should always", "is required to", "has always to", "are required to",
        "必须", "须", "应", "应该", "应当", "务必", "一定要", "要", "需", "需要", "必需", "务必要",
    ]),
    (Keep, &[
        "keep", "stay", "remain", "maintain", "leave", "limit", "restrict", "cap",
        "保持", "控制", "限制", "限定", "维持", "留", "留出", "保留",
    ]),
    (Is, &["be", "is", "are", "set", "set to", "be set to", "为", "是", "设为", "设置为"]),
    (Verb, &[
        "grip", "gripped", "grasp", "grasped", "hold", "held", "squeeze", "squeezed", "press", "pressed", "push", "pushed",
        "pull", "pulled", "lift", "lifted", "carry", "carried", "move", "moved", "drive", "driven", "travel", "run", "use", "apply",
        "handle", "handled", "tighten", "fasten", "screw", "carries", "holds", "bears", "lifts", "supports", "rotate", "heat", "heated", "load", "loaded", "clamp", "clamped", "exert",
        "抓取", "夹持", "夹取", "夹", "抓", "抓握", "握", "握住", "使用", "用", "采用", "施加", "移动", "行驶", "搬运", "提起",
        "举起", "搬", "拿", "拿取", "推", "推动", "拉", "按", "按压", "行走", "运行", "加热", "旋转", "抬起", "搬起", "运动", "拧紧", "拧", "锁紧", "紧固", "承载", "装载", "放", "装", "盛",
    ]),
    (Loose, &[
        "go", "let", "get", "come", "rise", "fall", "drop", "pick", "pick up", "touch", "touched", "turn", "approach",
        "approached", "allow", "tilt", "insert", "inserted", "靠近", "接近", "让", "使",
    ]),
    (Own, &[
        "robot", "robots", "arm", "gripper", "grippers", "hand", "hands", "finger", "fingers", "tool", "end effector", "base",
        "you", "we", "robot arm", "机器人", "机械臂", "夹爪", "手臂", "手爪", "底盘", "末端", "末端执行器", "机械手", "小车", "手指",
    ]),
    (Compare(More), &[
        "exceed", "exceeding", "more than", "greater than", "higher than", "larger than", "above", "over", "beyond",
        "be more than", "faster than", "heavier than", "harder than", "hotter than", "stronger than", "go above", "go over",
        "go beyond", "in excess of", ">", "超过", "大于", "高于", "超出", "多于", "快于", "重于", "超",
    ]),
    (Compare(Less), &[
        "less than", "lower than", "smaller than", "below", "under", "slower than", "lighter than", "fewer than",
        "weaker than", "softer than", "go below", "fall below", "drop below", "<", "低于", "小于", "少于", "慢于", "轻于",
    ]),
    (Compare(AtMost), &[
        "at most", "no more than", "not more than", "no greater than", "not greater than", "no higher than",
        "not higher than", "not above", "not over", "no faster than", "not faster than", "no heavier than", "no harder than", "not harder than", "不能高过", "不得高过", "不高过",
        "limited to", "capped at", "at or below", "less than or equal to", "not exceed", "not exceeding", "restricted to",
        "≤", "<=", "≦", "不超过", "不大于", "不高于", "不超出", "不多于", "至多", "最多", "小于等于", "小于或等于", "低于或等于", "最多不超过",
    ]),
    (Compare(AtLeast), &[
        "at least", "no less than", "not less than", "no lower than", "not lower than", "not below", "at or above",
        "greater than or equal to", "more than or equal to", "no slower than", "≥", ">=", "≧",
        "不低于", "不小于", "不少于", "至少", "至少要", "最少", "最少要", "大于等于", "大于或等于", "高于或等于",
    ]),
    (Compare(Exactly), &["exactly", "equal to", "恰好", "正好", "刚好", "等于"]),
    (Closer(Less), &["closer than", "nearer than"]),
    (Greatest, &[
        "maximum", "max", "upper limit", "limit is", "limits", "upper bound", "the limit", "force limit", "限重", "限载", "限高",
        "最大", "最高", "上限", "最大值", "限值", "最大限制",
    ]),
    (SpeedLimit, &["speed limit", "限速"]),
    (Least, &["minimum", "min", "lower limit", "lower bound", "最小", "最低", "下限", "最小值"]),
    (Post(AtMost), &[
        "or less", "or below", "or lower", "or under", "or slower", "at the most", "以下", "以内", "之内", "之下", "内为限",
    ]),
    (Post(AtLeast), &["or more", "or above", "or higher", "or greater", "以上", "之上"]),
    (Between, &["between", "within the range", "in the range", "in the range of", "in the range from", "介于", "处于"]),
    (And, &["and", "和", "及"]),
    (To, &["to", "到", "至", "~", "～", "-", "–"]),
    (Within, &["之间", "范围内", "的范围内", "范围之内"]),
    (Object, &[
        "on", "onto", "for", "against", "when gripping", "when grasping", "when holding", "when lifting", "when handling",
        "when carrying", "when touching", "while gripping", "while holding", "while carrying", "while handling",
        "对", "对于", "针对", "对准",
    ]),
    (Place, &["in", "at", "inside", "near", "next to", "close to", "beside", "on the floor of", "在", "靠近于"]),
    (Task, &["during"]),
    (From, &["from", "away from", "off", "与", "跟", "同", "离", "距"]),
    (Inside, &["里", "内", "中", "里面", "内部", "区域", "区域内", "附近", "旁", "旁边", "周围", "处", "范围"]),
    (Upon, &["上", "身上", "上面"]),
    (When, &["时"]),
    (Of, &["of", "的"]),
];

/// Words that only look like one of the others.
#[rustfmt::skip]
const OTHERS: &[&str] = &[
    "时间", "小时", "同时", "对象", "对齐", "中心", "中间", "上方", "下方", "内存", "内侧", "外侧", "前方", "后方", "用户", "要点", "能量",
    "能力", "功能", "电力", "压力机", "压力传感器", "力传感器", "力矩传感器", "巧克力", "动力", "人力", "阻力", "重力", "在线", "对接", "处理",
    "推车", "推杆", "拉杆", "按钮", "按键", "夹具", "抓手", "使能", "需求", "应用", "应急", "及时", "为止", "目的", "的确", "是的", "前台",
    "离心机", "离心管", "后台", "前厅", "后厨", "总线", "总装", "同步", "离合器", "玻璃", "会议室", "会客室", "要塞", "餐厅", "可乐", "易拉罐", "拉链", "手推车",
    "可乐罐", "可乐瓶", "test tube", "test tubes",
];

/// All of the above but [`OTHERS`], by their first word.
pub(super) static SENSES: LazyLock<Phrases<Option<Sense>>> = LazyLock::new(|| {
    let quantities = QUANTITIES.iter().enumerate().flat_map(|(row, quantity)| {
        quantity.words.iter().map(move |word| (*word, Some(Quantity(row))))
    });
    let others = OTHERS.iter().map(|word| (*word, None));
    let words =
        WORDS.iter().flat_map(|(sense, words)| words.iter().map(|word| (*word, Some(*sense))));
    Phrases::new(others.chain(quantities).chain(words))
});
