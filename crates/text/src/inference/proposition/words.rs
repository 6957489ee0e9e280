//! The words that say which part of a statement is its subject and which is what it says of it.
//! English and Chinese.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use super::super::items::Item;
use super::super::phrases::Phrases;
use super::super::tokens::tokens;

/// What a word or phrase does to the words around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// Says nothing about the subject.
    Filler,
    /// A preference: what follows is preferred, unless it is an activity.
    Prefer,
    /// What follows is used.
    Use,
    /// What follows is not to be used.
    Avoid,
    /// What follows is the other choice.
    Over,
    /// A reason follows, up to the end of the clause.
    Reason,
    /// A condition follows, up to the end of the clause.
    Condition,
    /// More of the subject follows.
    About,
    /// More of the subject follows, in this role.
    Role(&'static str),
    From,
    With,
    At,
    To,
    Of,
    In,
    /// A predicate follows, of a subject that was named.
    Is,
    /// A value follows, of a parameter that the word itself names.
    Needs(&'static str),
    /// A parameter follows, and "to" its value.
    Set,
    Every,
    /// Makes a bound of the number that follows.
    Bound,
    /// A direction that follows is a value: "keep left".
    Keep,
    /// A verb after which no more of what is used is named.
    Verb(&'static str),
    /// The same subject in other words.
    Same(&'static str),
    /// A parameter that is always of one unit.
    Parameter(&'static str, &'static str),
    /// A parameter whose values have no unit.
    Numbered(&'static str),
    /// One of several things of which one is chosen: the choice, and which.
    OneOf(Choice, &'static str),
    /// A manner in which a thing is done.
    Manner(Choice, &'static str),
}

/// Things of which one is chosen at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Choice {
    Tool,
    Direction,
    Camera,
    Route,
    RouteQuality,
    Controller,
    Planner,
    Speed,
    Firmness,
    Language,
    Hands,
    Loudness,
}

use Choice::*;
use Part::*;

#[rustfmt::skip]
const WORDS: &[(Part, &[&str])] = &[
    (Filler, &[
        "a", "an", "the", "be", "please", "should", "would", "will", "this", "that", "these", "those", "it", "its", "we", "you", "i", "they", "our", "my",
        "your", "all", "any", "always", "generally", "in general", "really", "much", "rather", "now", "instead", "again", "anymore", "any more", "any longer",
        "just", "simply", "also", "then", "so", "and", "from now on", "from here on", "from today on", "going forward", "henceforth", "in future",
        "in the future", "as of now", "ought", "actually", "in fact", "still", "do", "does",
        "found that", "noticed that", "discovered that", "observed that", "note that", "it turned out that", "it turns out that", "ever", "only",
        "的", "了", "请", "都", "也", "就", "把", "将", "来", "地", "得", "一律", "总是", "尽量", "应", "应该", "应当", "要", "会", "我", "我们", "那", "这", "这个", "那个", "该",
        "子", "色", "在", "里", "里面", "中", "内", "方向", "一侧", "一边", "时", "的时候", "时候", "的话", "则", "再", "先", "以后都", "以后", "以后一律", "以后请", "以后要",
        "以后就", "以后总是", "今后", "从今以后", "从今往后", "从此以后", "从现在起", "从现在开始", "从今天起", "从今天开始", "今后都", "发现", "注意到", "观察到", "务必",
        "并", "并且", "和", "且", "其", "它", "所以", "所有", "一般", "通常都", "方式", "方法",
    ]),
    (Prefer, &[
        "prefer", "prefers", "preferred", "preferring", "preferably", "favor", "favors", "favour", "favours", "recommended", "recommend", "recommends",
        "it is recommended", "it is better", "better", "best", "it is best", "preference", "preferences", "give preference",
        "优先", "推荐", "建议", "优选", "首选", "偏好", "更喜欢", "喜欢", "倾向于", "最好", "宜", "更愿意",
    ]),
    (Use, &[
        "use", "uses", "using", "choose", "choosing", "select", "selecting", "apply", "applying", "switch to", "go with", "employ",
        "用", "使用", "采用", "选用", "选", "选择", "改用", "换用", "换成", "换", "走", "沿", "沿着", "应使用", "以", "按", "通过", "借助", "利用", "优先用", "优先使用", "优先采用",
        "推荐使用", "推荐用", "建议使用", "建议用", "建议采用", "最好用", "最好使用", "优先选", "优先选择", "优先选用", "优先走", "靠",
    ]),
    (Avoid, &[
        "avoid", "avoids", "avoiding", "stop using", "避免使用", "避免用", "避免", "停用", "不再使用", "不再用", "不要用", "不要使用", "别用", "不用", "不得使用", "禁止使用", "不能用", "不走",
        "不要走", "别走", "不要再用", "不要再使用", "不使用", "不宜用", "不建议用", "不建议使用", "不推荐使用", "不推荐用", "不推荐", "别再用", "不再优先用", "不再优先使用", "不再优先",
    ]),
    (Over, &["over", "rather than", "instead of", "in place of", "not with", "而非", "而不是", "而不用", "代替", "而别用"]),
    (Reason, &["because", "because of", "since", "due to", "owing to", "so that", "in order to", "as this", "因为", "由于", "为了", "以便", "以免", "原因是", "这样"]),
    (Condition, &["when", "while", "if", "whenever", "once", "until", "unless", "except", "as long as", "as soon as", "where",
        "当", "如果", "若", "每当", "假如", "一旦", "只要", "除非", "除了", "遇到", "遇"]),
    (About, &["for", "during", "regarding", "concerning", "对", "对于", "针对", "关于", "给", "在给", "用于", "处理", "用来"]),
    (Of, &["of"]),
    (In, &["in"]),
    (From, &["from", "从", "由"]),
    (With, &["with", "by", "via", "through", "靠近时用"]),
    (At, &["at"]),
    (To, &["to"]),
    (Is, &["is", "are", "=", "equals", "为", "是", "设为", "设成", "设置为", "调为", "调到", "设到", "改为", "改成", "定为", "等于", "保持在", "保持", "控制在", "处于"]),
    (Needs("need"), &["needs", "need", "requires", "require", "needed", "需要", "需", "要用", "需要用", "需用", "必需"]),
    (Needs("weigh"), &["weighs", "weigh", "重", "重量为", "重量是", "净重"]),
    (Needs("measure"), &["measures"]),
    (Needs("take"), &["takes", "耗时", "用时", "需时"]),
    (Needs("last"), &["lasts", "续航"]),
    (Needs("hold"), &["holds", "carries", "lifts", "supports", "承重", "载重", "最多装"]),
    (Needs("draw"), &["draws", "consumes", "功耗"]),
    (Needs("wait"), &["wait", "pause", "等待", "等", "停留", "暂停"]),
    (Needs("run"), &["runs at", "publishes at", "operates at", "发布频率", "运行在"]),
    (Set, &["set", "limit", "reduce", "lower", "raise", "increase", "adjust", "change", "tune", "slow down", "heat"]),
    (Every, &["every", "each", "每隔", "每"]),
    (Keep, &["keep", "stay", "drive", "walk", "travel", "turn", "靠边"]),
    (Bound, &[
        "at most", "at least", "no more than", "no less than", "up to", "within", "more than", "less than", "above", "below", "under", "beyond", "exceed", "exceeds", "exceeding", "near",
        "about", "around", "approximately", "roughly", "nearly", "almost", "between", "min", "max", "minimum", "maximum", ">", "<", "≥", "≤", "~", "±",
        "超过", "不超过", "大于", "小于", "高于", "低于", "不高于", "不低于", "不大于", "不小于", "至少", "至多", "最多", "最少", "多于", "少于", "约", "大约", "大概", "左右", "达到", "不足", "以内",
        "以上", "以下", "不得超过", "不能超过", "上限", "下限", "最大", "最小", "接近于",
    ]),
    (Role("on"), &["on", "onto", "on top of"]),
    (Role("into"), &["into"]),
    (Role("near"), &["beside", "next to", "close to", "附近", "旁边", "旁"]),
    (Role("inside"), &["inside"]),
    (Role("outside"), &["outside", "外面", "外"]),
    (Role("before"), &["before", "prior to", "之前", "以前", "前"]),
    (Role("after"), &["after", "之后", "后"]),
    (Role("without"), &["without", "没有", "无"]),
    (Role("between"), &["across", "along", "toward", "towards", "against"]),
    (Role("to"), &["到", "往", "向", "至", "朝"]),
    (Role("than"), &["than", "比"]),
    (Verb("grip"), &["抓取", "抓握", "抓住", "抓", "夹取", "夹住", "夹持", "夹"]),
    (Same("grip"), &["grip", "grips", "gripping", "gripped", "grasp", "grasps", "grasping", "grab", "grabs", "grabbing"]),
    (Verb("pick"), &["拿", "拿取", "拿起", "取走", "取放", "拾取", "捡"]),
    (Verb("approach"), &["接近", "靠近"]),
    (Same("may"), &["may", "can", "可以", "可"]),
    (Same("approach"), &["approach", "approaches", "approaching"]),
    (Verb("carry"), &["搬", "搬运", "运送", "运", "运输", "携带"]),
    (Verb("deliver"), &["递", "递送", "送", "配送", "递交", "交接"]),
    (Verb("place"), &["放", "放置", "摆放", "摆", "放下"]),
    (Verb("move"), &["移动", "运动"]),
    (Verb("drive"), &["行驶", "行走", "通行", "走路", "前进", "巡航", "经过", "前往", "过"]),
    (Verb("clean"), &["清洁", "清扫", "擦", "擦拭", "打扫", "清理", "拖地", "扫地"]),
    (Verb("open"), &["打开", "开启"]),
    (Verb("open door"), &["开门"]),
    (Verb("close"), &["关闭", "关上", "关"]),
    (Verb("close door"), &["关门"]),
    (Verb("charge"), &["充电"]),
    (Verb("check"), &["检查", "检测", "检验", "巡检", "巡逻"]),
    (Verb("calibrate"), &["标定", "校准"]),
    (Verb("screw"), &["拧紧", "拧", "拧螺丝", "拧入"]),
    (Verb("cut"), &["切", "切割"]),
    (Verb("weld"), &["焊接", "焊"]),
    (Verb("push"), &["推", "推动"]),
    (Verb("pull"), &["拉", "拉动"]),
    (Verb("assemble"), &["装配", "组装", "安装"]),
    (Verb("insert"), &["插入", "插"]),
    (Verb("detect"), &["识别", "扫描", "拍摄", "拍照", "观测"]),
    (Verb("localize"), &["定位", "建图"]),
    (Verb("navigate"), &["导航"]),
    (Verb("plan"), &["规划"]),
    (Verb("answer"), &["回答", "回复", "播报", "说话", "交流", "沟通", "汇报", "提示", "打招呼"]),
    (Verb("avoid obstacles"), &["避障"]),
    (Verb("pour"), &["倒", "倒水"]),
    (Verb("measure"), &["测量", "测"]),
    (Verb("operate"), &["操作", "控制", "执行", "作业"]),
    (Verb("stop"), &["停车", "停靠", "停下", "停"]),
    (Verb("polish"), &["打磨", "抛光", "喷涂"]),
    (Verb("lift"), &["抬", "抬起", "提起", "举"]),
    (Verb("turn"), &["转弯", "拐弯", "转向"]),
    (Verb("sort"), &["分拣", "分类", "整理"]),
    (Verb("enter"), &["进入", "进出", "进", "出"]),
    (Verb("pack"), &["装箱", "打包", "包装", "码垛"]),
    (Verb("up"), &["上楼", "上楼去"]),
    (Verb("down"), &["下楼"]),
    (Parameter("force", "N"), &["force", "grip force", "gripping force", "力", "力度", "抓力", "夹持力", "抓取力", "力气"]),
    (Parameter("torque", "N·m"), &["torque", "扭矩", "力矩"]),
    (Parameter("speed", "m/s"), &["speed", "velocity", "速度", "车速"]),
    (Parameter("rate", "Hz"), &["rate", "frequency", "频率"]),
    (Parameter("pressure", "Pa"), &["pressure", "压力", "气压"]),
    (Parameter("angle", "°"), &["angle", "角度"]),
    (Parameter("voltage", "V"), &["voltage", "电压"]),
    (Parameter("current", "A"), &["current", "电流"]),
    (Parameter("power", "W"), &["power", "功率"]),
    (Parameter("distance", "m"), &["distance", "距离"]),
    (Parameter("height", "m"), &["height", "高度"]),
    (Parameter("weight", "g"), &["weight", "mass", "重量", "质量"]),
    (Numbered("baud rate"), &["baud rate", "波特率"]),
    (Numbered("port"), &["port", "端口", "端口号"]),
    (Numbered("gain"), &["gain", "增益", "kp", "ki", "kd"]),
    (Numbered("threshold"), &["threshold", "阈值"]),
    (Numbered("priority"), &["priority", "优先级"]),
    (OneOf(Tool, "suction"), &["suction cup", "suction cups", "suction", "suction gripper", "vacuum gripper", "vacuum cup", "vacuum", "吸盘", "真空吸盘", "真空吸附"]),
    (OneOf(Tool, "gripper"), &["gripper", "grippers", "claw", "夹爪", "手爪", "夹持器"]),
    (OneOf(Tool, "parallel"), &["parallel", "parallel jaw", "平行", "平行夹爪", "二指夹爪", "两指夹爪"]),
    (OneOf(Tool, "three fingers"), &["three finger", "three fingered", "三指", "三指夹爪"]),
    (OneOf(Tool, "soft"), &["soft", "soft gripper", "软夹爪", "柔性夹爪", "软体夹爪"]),
    (OneOf(Tool, "hard"), &["hard", "rigid", "hard gripper", "rigid gripper", "硬夹爪", "刚性夹爪"]),
    (OneOf(Tool, "magnet"), &["magnetic", "magnet", "magnetic gripper", "磁吸", "电磁铁", "磁力吸盘"]),
    (OneOf(Tool, "hand"), &["hand", "灵巧手", "机械手"]),
    (OneOf(Tool, "hook"), &["hook", "钩子"]),
    (OneOf(Direction, "left"), &["left", "left side", "left hand side", "左", "左侧", "左边", "左面", "左方", "左手边"]),
    (OneOf(Direction, "right"), &["right", "right side", "right hand side", "右", "右侧", "右边", "右面", "右方", "右手边"]),
    (OneOf(Direction, "top"), &["top", "the top", "overhead", "上方", "上面", "顶部", "顶端", "上侧", "正上方"]),
    (OneOf(Direction, "bottom"), &["bottom", "underneath", "下方", "下面", "底部", "下侧"]),
    (OneOf(Direction, "front"), &["front", "in front", "前方", "正面", "正前方", "前侧", "前面"]),
    (OneOf(Direction, "back"), &["back", "behind", "rear", "后方", "背面", "后侧", "后面", "背后"]),
    (OneOf(Direction, "side"), &["side", "sideways", "侧面", "侧方", "旁侧"]),
    (OneOf(Camera, "wrist"), &["wrist", "wrist mounted", "腕部", "腕", "手腕"]),
    (OneOf(Camera, "head"), &["head", "head mounted", "头部"]),
    (OneOf(Camera, "chest"), &["chest", "胸部", "胸前"]),
    (OneOf(Camera, "depth"), &["depth", "深度"]),
    (OneOf(Camera, "stereo"), &["stereo", "双目"]),
    (OneOf(Camera, "rgb"), &["rgb", "color", "彩色"]),
    (OneOf(Camera, "thermal"), &["thermal", "infrared", "热成像", "红外"]),
    (OneOf(Route, "stairs"), &["stairs", "staircase", "楼梯"]),
    (OneOf(Route, "elevator"), &["elevator", "lift", "电梯"]),
    (OneOf(Route, "ramp"), &["ramp", "坡道", "斜坡"]),
    (OneOf(Route, "corridor"), &["corridor", "hallway", "走廊"]),
    (OneOf(Route, "yard"), &["yard", "courtyard", "院子"]),
    (OneOf(RouteQuality, "shortest"), &["shortest", "最短"]),
    (OneOf(RouteQuality, "safest"), &["safest", "最安全"]),
    (OneOf(RouteQuality, "fastest"), &["fastest", "最快"]),
    (OneOf(RouteQuality, "widest"), &["widest", "最宽"]),
    (OneOf(Controller, "pid"), &["pid"]),
    (OneOf(Controller, "mpc"), &["mpc"]),
    (OneOf(Controller, "lqr"), &["lqr"]),
    (OneOf(Controller, "impedance"), &["impedance", "impedance control", "阻抗", "阻抗控制"]),
    (OneOf(Controller, "admittance"), &["admittance", "admittance control", "导纳", "导纳控制"]),
    (OneOf(Controller, "position"), &["position control", "位置控制", "位控"]),
    (OneOf(Controller, "force control"), &["force control", "力控", "力控制"]),
    (OneOf(Planner, "rrt"), &["rrt", "rrtconnect", "rrt connect"]),
    (OneOf(Planner, "prm"), &["prm"]),
    (OneOf(Planner, "chomp"), &["chomp"]),
    (OneOf(Planner, "stomp"), &["stomp"]),
    (OneOf(Planner, "dijkstra"), &["dijkstra"]),
    (OneOf(Planner, "teb"), &["teb"]),
    (OneOf(Planner, "dwa"), &["dwa", "dwb"]),
    (OneOf(Planner, "mppi"), &["mppi"]),
    (OneOf(Speed, "slow"), &["slow", "low speed", "slow speed", "慢"]),
    (OneOf(Speed, "fast"), &["fast", "high speed", "full speed", "快"]),
    (OneOf(Speed, "half speed"), &["half speed", "半速"]),
    (Manner(Speed, "slow"), &["slowly", "慢速", "低速", "缓慢", "慢慢", "慢慢地", "低速度"]),
    (Manner(Speed, "fast"), &["quickly", "快速", "高速", "全速", "迅速", "高速度"]),
    (Manner(Firmness, "gentle"), &["gently", "lightly", "softly", "轻轻", "轻柔", "轻拿"]),
    (Manner(Firmness, "firm"), &["firmly", "tightly", "用力", "紧紧", "牢牢"]),
    (OneOf(Language, "english"), &["english", "英文", "英语"]),
    (OneOf(Language, "chinese"), &["chinese", "mandarin", "中文", "汉语", "普通话"]),
    (OneOf(Language, "german"), &["german", "德文", "德语"]),
    (OneOf(Language, "japanese"), &["japanese", "日文", "日语"]),
    (OneOf(Language, "french"), &["french", "法文", "法语"]),
    (OneOf(Language, "cantonese"), &["cantonese", "粤语"]),
    (OneOf(Hands, "one"), &["one hand", "a single hand", "one arm", "a single arm", "single arm"]),
    (OneOf(Hands, "both"), &["both hands", "two hands", "both arms", "two arms", "dual arm"]),
    (Manner(Hands, "one"), &["单手", "单臂"]),
    (Manner(Hands, "both"), &["双手", "双臂"]),
    (OneOf(Hands, "left"), &["left hand", "left arm", "left gripper", "左手", "左臂", "左夹爪", "左机械臂", "左侧机械臂", "左侧手臂", "左侧夹爪"]),
    (OneOf(Hands, "right"), &["right hand", "right arm", "right gripper", "右手", "右臂", "右夹爪", "右机械臂", "右侧机械臂", "右侧手臂", "右侧夹爪"]),
    (OneOf(Loudness, "quiet"), &["quiet", "silent", "安静", "静音"]),
    (OneOf(Loudness, "loud"), &["loud", "大声"]),
    (Manner(Loudness, "quiet"), &["quietly", "silently", "小声", "轻声"]),
    (Manner(Loudness, "loud"), &["loudly", "高声"]),
];

/// What each of them does.
pub(super) static PARTS: LazyLock<Phrases<Part>> = LazyLock::new(|| Phrases::of(WORDS));

/// By the one spelling that stands for it: the index tokens of which every text that says it has one.
static SPELLINGS: LazyLock<BTreeMap<&'static str, BTreeSet<String>>> = LazyLock::new(|| {
    let mut spellings: BTreeMap<&'static str, BTreeSet<String>> = BTreeMap::new();
    for (part, texts) in WORDS {
        let (Verb(key)
        | Same(key)
        | Needs(key)
        | Parameter(key, _)
        | Numbered(key)
        | OneOf(_, key)
        | Manner(_, key)) = part
        else {
            continue;
        };
        // The word itself may stand in a text without being one of the spellings of this part.
        let tokens = texts.iter().chain([key]).filter_map(|text| telling_token(text));
        spellings.entry(key).or_default().extend(tokens);
    }
    spellings
});

/// The tokens by which the members of a choice are found.
static CHOICES: LazyLock<BTreeMap<Choice, BTreeSet<String>>> = LazyLock::new(|| {
    let mut choices: BTreeMap<Choice, BTreeSet<String>> = BTreeMap::new();
    for (part, texts) in WORDS {
        if let OneOf(choice, _) | Manner(choice, _) = part {
            let tokens = texts.iter().filter_map(|text| telling_token(text));
            choices.entry(*choice).or_default().extend(tokens);
        }
    }
    choices
});

/// The token of a phrase that tells most: of Chinese its first pair of characters, else its first
/// word.
fn telling_token(text: &str) -> Option<String> {
    let mut tokens = tokens(text).into_iter();
    let first = tokens.next()?;
    let pair = tokens.next().filter(|second| !first.is_ascii() && second.starts_with(&first));
    Some(pair.unwrap_or(first))
}

/// The longest of these phrases at the start of `items`, and how many items it takes.
pub(super) fn part_at(items: &[Item]) -> Option<(Part, usize)> {
    PARTS.longest(items)
}

/// The index tokens of which every text has one that says what this spelling stands for.
pub(super) fn spellings(key: &str) -> Option<&'static BTreeSet<String>> {
    SPELLINGS.get(key)
}

/// The index tokens of which every text has one that names a member of a choice.
pub(super) fn choice_tokens(choice: Choice) -> Option<&'static BTreeSet<String>> {
    CHOICES.get(&choice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_phrase_stands_for_two_things() {
        let mut seen = BTreeMap::new();
        let mut twice = Vec::new();
        for (part, texts) in WORDS {
            for text in *texts {
                if seen.insert(*text, *part).is_some() {
                    twice.push(*text);
                }
            }
        }
        assert_eq!(twice, Vec::<&str>::new());
    }
}
