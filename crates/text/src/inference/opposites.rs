//! Words that turn a statement into another one: opposites, negations, and words whose two sides
//! must not be exchanged. English and Chinese.

use std::sync::LazyLock;

use super::items::items;
use super::phrases::Phrases;

/// What a word or phrase does to the statement that it stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sense {
    /// Looks like one of the others and is not: 不锈钢, "not only".
    Neutral,
    /// Negates what follows.
    Negation,
    /// One of the words of a contrast group; `is_relation` as in [`Sense::Relation`].
    Member { group: u8, member: u8, is_relation: bool },
    /// What stands before it and what stands after it play different parts: "A instead of B".
    Relation(u8),
    /// Begins "from A to B".
    From,
    /// Parts the two sides of "from A to B".
    To,
}

/// A contrast group: statements that hold different members of it say different things.
struct Contrast {
    is_relation: bool,
    members: &'static [&'static [&'static str]],
}

const fn opposed(members: &'static [&'static [&'static str]]) -> Contrast {
    Contrast { is_relation: false, members }
}

const fn related(members: &'static [&'static [&'static str]]) -> Contrast {
    Contrast { is_relation: true, members }
}

/// Every group is a row, every member the list of its spellings.
#[rustfmt::skip]
const CONTRASTS: &[Contrast] = &[
    related(&[&["left", "leftmost", "leftward", "左"], &["right", "rightmost", "rightward", "右"],
        &["middle", "center", "centre", "中间", "中央", "中心"]]),
    opposed(&[&["up", "upward", "upwards", "upper", "top", "上", "顶部", "顶层", "顶端"],
        &["down", "downward", "downwards", "bottom", "下", "底部", "底层", "底端"]]),
    related(&[&["above", "上方", "上面"], &["below", "beneath", "underneath", "下方", "下面"]]),
    opposed(&[&["open", "opens", "opened", "opening", "打开", "开启", "张开", "松开", "敞开", "开着"],
        &["close", "closes", "closed", "closing", "shut", "夹紧", "关闭", "关上", "闭合", "合上", "关着", "合拢"]]),
    related(&[&["before", "prior to", "之前", "以前", "前"], &["after", "之后", "以后", "后"],
        &["during", "while", "期间", "同时", "过程中"]]),
    opposed(&[&["front", "forward", "forwards", "前方", "前面", "前侧", "前进", "向前", "往前", "前端"],
        &["back", "rear", "backward", "backwards", "后方", "后面", "后侧", "后退", "向后", "往后", "后端", "背面"]]),
    opposed(&[&["fast", "faster", "fastest", "quick", "quicker", "quickly", "快", "更快", "加速", "高速"],
        &["slow", "slower", "slowest", "slowly", "慢", "更慢", "减速", "低速"]]),
    opposed(&[&["more", "greater", "higher", "high", "larger", "bigger", "big", "large", ">", "≥", "exceed",
            "exceeds", "exceeded", "exceeding", "大", "更大", "更多", "更高", "高", "大于", "高于", "超过", "多于",
            "超出", "过大", "过高", "偏大", "偏高", "太大", "太高", "increase", "increases", "increased", "increasing", "rise",
            "rises", "rising", "raise", "raises", "raised", "lift", "lifts", "lifted", "增加", "增大", "提高", "升高",
            "增强", "调高", "调大", "上升", "抬起", "抬高", "升起", "举起"],
        &["less", "fewer", "smaller", "lower", "low", "small", "<", "≤", "under", "小", "更小", "更少", "更低", "低",
            "小于", "低于", "少于", "不足", "过小", "过低", "偏小", "偏低", "太小", "太低", "decrease", "decreases",
            "decreased", "decreasing", "reduce", "reduces", "reduced", "reducing", "drop", "drops", "falls",
            "lowers", "lowered", "减少", "减小", "降低", "减弱", "调低", "调小", "下降", "放下", "降下"]]),
    opposed(&[&["maximum", "max", "at most", "no more than", "up to", "upper limit", "最大", "最多", "最高",
            "至多", "上限"],
        &["minimum", "min", "at least", "no less than", "lower limit", "最小", "最少", "最低", "至少", "下限"]]),
    opposed(&[&["better", "best", "good", "well", "更好", "最好", "好"],
        &["worse", "worst", "bad", "badly", "poor", "poorly", "更差", "最差", "差", "更糟"]]),
    opposed(&[&["success", "successful", "successfully", "succeed", "succeeds", "succeeded", "works", "passes",
            "passed", "成功", "正常", "通过"],
        &["failure", "failures", "fail", "fails", "failed", "failing", "faulty", "失败", "异常", "故障", "失效"]]),
    related(&[&["on", "开机", "接通", "通电", "上电"], &["off", "关机", "断开", "断电", "下电"]]),
    opposed(&[&["start", "starts", "started", "starting", "begin", "begins", "启动", "开始"],
        &["stop", "stops", "stopped", "stopping", "halt", "halts", "end", "ends", "停止", "停机", "结束", "暂停"]]),
    related(&[&["inside", "内部", "里面", "内侧", "里", "内"], &["outside", "外部", "外面", "外侧", "外"]]),
    related(&[&["in front of"], &["behind"]]),
    opposed(&[&["indoor", "indoors", "室内"], &["outdoor", "outdoors", "室外"]]),
    opposed(&[&["clockwise", "顺时针"],
        &["counterclockwise", "anticlockwise", "counter clockwise", "anti clockwise", "逆时针"]]),
    opposed(&[&["red", "红"], &["green", "绿"], &["blue", "蓝"], &["yellow", "黄"], &["white", "白"],
        &["black", "黑"], &["orange", "橙"], &["purple", "violet", "紫"], &["gray", "grey", "灰"],
        &["brown", "棕", "褐"], &["pink", "粉色", "粉红"], &["silver", "银色"], &["gold", "golden", "金色"],
        &["transparent", "透明"]]),
    opposed(&[&["north", "northern", "北"], &["south", "southern", "南"], &["east", "eastern", "东"],
        &["west", "western", "西"]]),
    opposed(&[&["wet", "humid", "湿", "潮湿"], &["dry", "干燥", "干的"]]),
    opposed(&[&["hot", "warm", "hotter", "warmer", "热", "高温"], &["cold", "cool", "colder", "cooler", "冷", "低温"]]),
    opposed(&[&["heavy", "heavier", "重物", "更重", "较重", "沉重"], &["light", "lighter", "轻", "更轻", "较轻"]]),
    opposed(&[&["hard", "rigid", "stiff", "硬"], &["soft", "flexible", "软", "柔软"]]),
    opposed(&[&["rough", "粗糙"], &["smooth", "光滑", "平滑"]]),
    opposed(&[&["full", "满"], &["empty", "空的", "空载", "空箱"]]),
    opposed(&[&["thick", "厚"], &["thin", "薄"]]),
    opposed(&[&["long", "longer", "长"], &["short", "shorter", "短"]]),
    opposed(&[&["wide", "wider", "宽"], &["narrow", "narrower", "窄"]]),
    opposed(&[&["near", "nearer", "nearest", "closest", "toward", "towards", "近", "靠近", "接近", "朝"], &["far", "farther", "farthest", "away", "远", "远离"]]),
    opposed(&[&["early", "earlier", "提前", "早"], &["late", "later", "推迟", "延迟", "晚"]]),
    opposed(&[&["day", "daytime", "daylight", "白天"], &["night", "晚上", "夜间"]]),
    opposed(&[&["morning", "上午", "早上"], &["afternoon", "下午"], &["evening", "傍晚"]]),
    opposed(&[&["bright", "brighter", "亮"], &["dark", "darker", "暗"]]),
    opposed(&[&["x", "x轴", "x方向"], &["y", "y轴", "y方向"], &["z", "z轴", "z方向"]]),
    opposed(&[&["roll", "横滚", "滚转"], &["pitch", "俯仰"], &["yaw", "偏航"]]),
    opposed(&[&["horizontal", "horizontally", "水平"], &["vertical", "vertically", "垂直", "竖直"]]),
    opposed(&[&["sim", "simulation", "simulated", "simulator", "仿真", "模拟"],
        &["real", "physical", "真机", "实机", "真实", "实物"]]),
    opposed(&[&["enable", "enables", "enabled", "启用", "使能"],
        &["disable", "disables", "disabled", "禁用", "停用"]]),
    opposed(&[&["first", "首次", "最先", "第一次"], &["last", "final", "最后", "最终"]]),
    opposed(&[&["push", "pushes", "pushing", "推"], &["pull", "pulls", "pulling", "拉"]]),
    opposed(&[&["pick", "picks", "picking", "pick up", "拾取", "拿起"],
        &["place", "places", "placing", "放置"]]),
    opposed(&[&["grasp", "grip", "grasping", "gripping", "抓取", "抓住"],
        &["release", "releases", "releasing", "释放", "放开"]]),
    opposed(&[&["load", "loads", "loaded", "装载"], &["unload", "unloads", "unloaded", "卸载"]]),
    opposed(&[&["add", "adds", "added", "添加"], &["remove", "removes", "removed", "移除", "删除", "去除"]]),
    opposed(&[&["connect", "connects", "connected", "连接"], &["disconnect", "disconnected"]]),
    opposed(&[&["lock", "locked", "锁定", "锁住"], &["unlock", "unlocked", "解锁"]]),
    opposed(&[&["enter", "enters", "entering", "进入"], &["leave", "leaves", "leaving", "exit", "离开", "退出"]]),
    opposed(&[&["safe", "safely", "安全"], &["unsafe", "dangerous", "危险"]]),
    opposed(&[&["always", "总是", "一直", "始终"], &["often", "usually", "frequently", "经常", "通常", "往往"],
        &["sometimes", "occasionally", "有时", "偶尔"], &["rarely", "seldom", "hardly", "很少", "极少"]]),
    opposed(&[&["all", "every", "each", "全部", "所有"], &["some", "part of", "部分", "有些"]]),
    opposed(&[&["once", "一次"], &["twice", "两次"]]),
    opposed(&[&["half", "一半"], &["double", "twice as", "两倍", "双倍"]]),
    opposed(&[&["must", "shall", "必须", "务必"], &["may", "might", "could", "可以", "可能", "也许"]]),
    opposed(&[&["allowed", "permitted", "allow"], &["required", "mandatory"]]),
    opposed(&[&["true"], &["false"]]),
    opposed(&[&["single", "one handed", "单手", "单臂"], &["dual", "two handed", "both", "双手", "双臂"]]),
    opposed(&[&["positive", "正向", "正方向"], &["negative", "reverse", "反向", "负方向"]]),
    opposed(&[&["input", "输入"], &["output", "输出"]]),
    opposed(&[&["manual", "manually", "手动"], &["automatic", "automatically", "auto", "自动"]]),
    opposed(&[&["wired", "有线"], &["wireless", "无线"]]),
    opposed(&[&["today", "今天"], &["tomorrow", "明天"], &["yesterday", "昨天"]]),
    opposed(&[&["monday", "周一", "星期一"], &["tuesday", "周二", "星期二"], &["wednesday", "周三", "星期三"],
        &["thursday", "周四", "星期四"], &["friday", "周五", "星期五"], &["saturday", "周六", "星期六"],
        &["sunday", "周日", "星期日", "星期天"]]),
    opposed(&[&["am"], &["pm"]]),
    opposed(&[&["glass", "玻璃"], &["plastic", "塑料"], &["metal", "metallic", "steel", "金属", "钢"],
        &["wood", "wooden", "木"], &["rubber", "橡胶"], &["paper", "纸"], &["ceramic", "陶瓷"]]),
    opposed(&[&["same", "equal", "相同", "一样", "一致"], &["different", "differs", "differ", "不同", "不一样", "不一致"]]),
    opposed(&[&["tighten", "tight", "拧紧", "紧"], &["loosen", "loose", "拧松", "松动", "松"]]),
    opposed(&[&["static", "静态"], &["dynamic", "动态"]]),
];

/// Phrases by kind of relation. What stands on the two sides of one must not be exchanged.
#[rustfmt::skip]
const RELATIONS: &[&[&str]] = &[
    &["over", "than", "rather than", "instead of", "in place of", "而非", "而不是", "优于", "胜过", "不如",
        "比", "强于", "好于", "优先于", "劣于"],
    &["because", "because of", "due to", "caused by", "owing to", "is caused by", "was caused by",
        "因为", "由于"],
    &["causes", "caused", "leads to", "led to", "results in", "导致", "引起", "造成"],
    &["then", "再", "然后"],
    &["if", "when", "如果"],
    &["for"],
    &["with", "用"],
    &["by", "被", "由"],
    &["in", "在"],
];

#[rustfmt::skip]
const NEGATIONS: &[&str] = &[
    "not", "no", "never", "cannot", "without", "neither", "none", "nothing", "nobody", "nowhere", "dont",
    "doesnt", "didnt", "isnt", "wasnt", "arent", "cant", "wont", "shouldnt", "mustnt",
    "avoid", "avoids", "avoiding", "forbidden", "forbid", "forbids", "prohibited", "prohibit", "prohibits",
    "unless", "except", "lack", "lacks", "lacking", "refuse", "refuses", "prevent", "prevents", "banned",
    "must not", "shall not", "may not", "should not", "do not", "does not", "did not", "can not", "will not",
    "must never", "should never", "shall never", "not allowed to", "not permitted to", "never allowed to",
    "is forbidden to", "it is forbidden to", "no longer", "not yet",
    "不", "没", "没有", "无", "未", "未曾", "勿", "别", "非", "并非", "除非", "禁止", "严禁", "切勿", "请勿", "切莫",
    "避免", "防止", "拒绝", "不得", "不可", "不可以", "不能", "不许", "不准", "不要", "不应", "不应该", "不会", "不该",
    "不允许", "不再", "从不", "从未", "绝不", "决不", "绝不能", "绝不可", "不是", "无法", "无需", "无须", "不必", "缺少",
    "缺乏", "缺失",
];

/// What holds a negation or a member only by its letters.
#[rustfmt::skip]
const NEUTRAL: &[&str] = &[
    "not only", "not just", "nor", "no matter", "whether or not", "no doubt", "real time", "right now", "right away",
    "back up", "set up", "start up", "up to date", "in order to", "as well", "as well as",
    "at last", "so far", "light curtain", "traffic light", "end effector", "hard drive", "top level", "low level",
    "high level", "as long as", "as soon as", "no problem", "follow up", "in case", "in case of", "turned out",
    "turns out", "based on", "depends on", "depending on", "carry out", "find out", "found out", "other than",
    "more or less", "over time", "a lot more", "with respect to", "stainless",
    "不锈钢", "不断", "不仅", "不但", "不只", "不光", "不止", "不过", "不久", "不少", "不管", "不论", "不然", "不等式",
    "不妨", "不错", "差不多", "对不起", "不如说", "不是不", "是不是", "能不能", "要不要", "会不会", "有没有", "可不可以",
    "得不到", "不得不", "不得已", "不能不", "不可不", "无线电", "无人机", "无人车", "无人", "无论", "无限", "无刷", "无菌",
    "无源", "无损", "无缝", "无尘", "无疑", "无机", "无锡", "未来", "未必", "非常", "非洲", "是非", "除非常",
    "别的", "别人", "别处", "别名", "分别", "特别", "区别", "识别", "类别", "级别", "差别", "辨别", "鉴别", "判别", "性别",
    "个别", "告别", "淹没", "沉没", "埋没", "没收", "毫无疑问", "前提", "目前", "当前", "前置", "前往", "以前端",
    "后续", "后果", "后台", "情况下", "条件下", "环境下", "状态下", "模式下", "光照下", "负载下", "以下", "以上",
    "如下", "一下", "基本上", "实际上", "事实上", "马上", "上述", "上传", "下载", "下发", "上位机", "下位机", "世界上",
    "加上", "留下", "剩下", "遇上", "红外", "蓝牙", "灰尘", "明白", "空白", "黑盒", "白盒", "黄铜", "左右",
    "上下文", "大约", "大概", "大家", "大量", "大部分", "大小", "小心", "小时", "多少", "高度", "大型", "长度", "宽度",
    "厚度", "亮度", "硬件", "软件", "硬盘", "重量", "年轻", "较好", "良好", "正好", "刚好", "最好是", "好像", "误差", "偏差",
    "温差", "差值", "方差", "差分", "差异", "差速", "热点", "快照", "近似", "最近", "附近", "远程",
    "遥远", "长期", "短路", "成长", "满足", "早已", "高斯", "低头", "充满", "推荐", "推理", "推断", "推导", "类推",
    "拉丁", "拉伸", "东西", "广东", "山东", "西安", "南京", "北京", "湖南", "河北", "模拟量", "比较", "比如", "比例", "比特", "比赛", "对比",
    "占空比", "相比", "同比", "十分", "一些", "一定", "一起", "一旦", "一般", "统一", "唯一", "万一",
    "再次", "再现", "使用", "作用", "应用", "用户", "利用", "通用", "可用", "有用", "专用", "采用", "费用", "当作",
    "由此", "理由", "自由", "自由度", "适当", "相当", "应当", "现在", "正在", "存在", "另外", "此外", "意外", "额外", "例外", "外壳", "外观", "公里", "这里", "那里", "哪里", "里程", "里程计", "内存", "内容", "轻松", "紧急", "赶紧", "在线", "在于", "被动", "一周",
];

/// The sense that "over" has before a number: "over 15 N" is "more than 15 N".
pub(super) static OVER_A_NUMBER: LazyLock<Option<Sense>> =
    LazyLock::new(|| SENSES.longest(&items("more")).map(|(sense, _)| sense));

/// The senses of all these words and phrases.
pub(super) static SENSES: LazyLock<Phrases<Sense>> = LazyLock::new(|| Phrases::new(rows()));

fn rows() -> Vec<(&'static str, Sense)> {
    let mut rows: Vec<(&str, Sense)> = Vec::new();
    for (group, contrast) in (0..).zip(CONTRASTS) {
        for (member, spellings) in (0..).zip(contrast.members) {
            let sense = Sense::Member { group, member, is_relation: contrast.is_relation };
            rows.extend(spellings.iter().map(|spelling| (*spelling, sense)));
        }
    }
    rows.extend(NEUTRAL.iter().map(|phrase| (*phrase, Sense::Neutral)));
    rows.extend(NEGATIONS.iter().map(|phrase| (*phrase, Sense::Negation)));
    for (kind, phrases) in (0..).zip(RELATIONS) {
        rows.extend(phrases.iter().map(|phrase| (*phrase, Sense::Relation(kind))));
    }
    rows.extend([("from", Sense::From), ("从", Sense::From)]);
    rows.extend([("to", Sense::To), ("into", Sense::To), ("onto", Sense::To), ("到", Sense::To)]);
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn no_phrase_has_two_meanings() {
        let mut seen: BTreeMap<&str, Sense> = BTreeMap::new();
        let mut clashes = Vec::new();
        for (phrase, sense) in rows() {
            if seen.insert(phrase, sense).is_some_and(|other| other != sense) {
                clashes.push(phrase);
            }
        }
        assert_eq!(clashes, Vec::<&str>::new());
    }

    #[test]
    fn what_only_looks_like_a_negation_is_none() {
        for (text, is_negation) in [
            ("不锈钢", false),
            ("不同", false),
            ("无人机", false),
            ("非常", false),
            ("特别", false),
            ("未来", false),
            ("not only", false),
            ("不可靠", true),
            ("未检查", true),
            ("别碰", true),
            ("never", true),
        ] {
            let sense = SENSES.longest(&items(text)).map(|(sense, _)| sense);
            assert_eq!(sense == Some(Sense::Negation), is_negation, "{text}");
        }
    }
}
