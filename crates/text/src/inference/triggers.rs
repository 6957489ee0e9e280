//! The words and phrases by which a statement shows its category. English and Chinese.

use std::sync::LazyLock;

use super::phrases::Phrases;
use robot_memory_core::model::Category;

/// What a phrase says about the statement that it stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trigger {
    /// It is of this category.
    Sure(Category),
    /// It is of this category when nothing surer is found.
    Likely(Category),
    /// It is of this category when the phrase begins a clause, as an imperative does.
    AtStart(Category),
    /// Nothing: only its letters are those of a trigger.
    None,
}

use Category::*;
use Trigger::{AtStart, Likely, Sure};

#[rustfmt::skip]
const TRIGGERS: &[(Trigger, &[&str])] = &[
    (Sure(Constraint), &[
        "must not", "must always", "must never", "shall", "shall not", "shall never", "should always",
        "should never", "should not", "ought not to", "may not", "forbidden", "prohibited", "mandatory", "not allowed",
        "not permitted", "never allowed", "never permitted", "not acceptable", "cannot exceed", "can not exceed",
        "required to", "under no circumstances", "strictly no", "off limits",
        "必须", "不得", "禁止", "严禁", "不可", "不可以", "不允许", "不许", "不准", "切勿", "请勿", "切莫", "切不可", "务必", "绝不能",
        "决不能", "绝不可", "千万不要", "千万别", "绝对不能", "绝对不要", "一律不", "一定要", "不能超过", "不能大于", "不能高于",
        "不能低于", "不能小于", "不能超出", "不能少于", "不能再", "不可不", "不得不小于", "只允许", "只准", "非必要不",
        "不可靠近", "不可靠墙", "不可靠在", "不可用手", "不可用力", "不可用湿", "不可用水", "不可行驶", "不可行走", "不可解除", "不可解开", "不可分开",
        "不可变更", "不可变动", "不可读取", "不可写入", "不可调整",
    ]),
    (AtStart(Constraint), &["do not", "dont", "不要", "别", "勿", "不能"]),
    (Likely(Constraint), &[
        "不应", "不应该", "不应当", "不该", "has to", "have to", "at all times", "handle with care", "handle gently", "speed limit",
        "不要碰", "不要放", "不要用", "不要超过", "不要高于", "不要大于", "不要进", "不要进入", "不要靠近", "不要抓", "不要夹", "不要拿", "不要推", "不要拉",
        "要慢", "要轻", "慢行", "hands off", "不要按", "不要移动", "不要打开", "不要关闭", "不要倾斜", "不要敲", "不能放", "不能碰", "不能进入", "不能靠近", "不能高过", "不能用力", "轻拿轻放",
        "限速", "限重", "限载", "限高", "勿碰", "勿动", "勿近", "勿压",
    ]),
    (Sure(Preference), &[
        "prefer", "prefers", "preferred", "preferring", "preferably", "preferable", "preference", "preferences",
        "recommended", "recommend", "recommends", "recommendation", "better to", "had better", "favor", "favors",
        "favour", "favours", "优先", "推荐", "推荐使用", "优选", "首选", "偏好", "更喜欢", "喜欢", "倾向于", "宜用", "最好用", "最好使用",
        "最好先", "最好从", "最好在", "建议使用", "建议采用", "建议用", "建议优先",
    ]),
    (Likely(Preference), &[
        "i like", "i love", "i enjoy", "i dislike", "i hate", "i do not like", "i dont like", "we like", "we love", "we dislike", "we do not like",
        "likes to", "i would like", "i would rather", "爱吃", "爱喝", "讨厌", "我爱", "不爱吃",
        "best to", "should use", "should be used", "suggested", "suggest", "ideally", "works best", "work best",
        "建议", "最好", "尽量", "应使用", "应该使用", "应该用", "应优先", "更适合", "最适合", "宁可", "宁愿",
    ]),
    (AtStart(Preference), &["avoid", "try to", "避免"]),
    (Sure(Worldview), &[
        "from now on", "from here on", "going forward", "henceforth", "superior to", "inferior to", "outperforms",
        "outperform", "outperformed", "as a rule of thumb", "从现在起", "从现在开始", "从今天起", "从今以后", "从今往后", "从此以后", "今后", "以后都",
        "以后一律", "以后请", "以后要", "以后不要", "以后就", "以后总是", "优于", "劣于", "胜过", "强于", "好于", "不如",
    ]),
    (Likely(Worldview), &[
        "更好", "更快", "更稳", "更稳定", "更可靠", "更安全", "更准", "更准确", "更精确", "更强", "更慢", "更差", "beats",
    ]),
    (AtStart(Worldview), &["以后"]),
    (Sure(Tradeoff), &[
        "tradeoff", "tradeoffs", "trade off", "trade offs", "trades off", "trading off", "pros and cons", "vs", "versus",
        "at the cost of", "at the expense of", "compromise between", "balance between", "权衡", "取舍", "折中", "折衷", "利弊",
        "优缺点", "得失", "速度与精度", "精度与速度", "速度和精度", "精度和速度", "速度与稳定性", "速度与安全", "此消彼长",
        "鱼与熊掌", "以牺牲", "speed and accuracy", "accuracy and speed", "speed and precision", "precision and speed",
    ]),
    (Sure(RootCause), &[
        "because", "because of", "root cause", "root causes", "caused by", "due to", "owing to", "as a result of",
        "leads to", "led to", "lead to", "leading to", "results in", "resulted in", "resulting in", "result in",
        "results from", "resulted from", "the reason is", "the reason was", "the reason for", "stems from",
        "originates from", "traced to", "traced back to", "attributed to", "the culprit", "triggered by",
        "因为", "由于", "导致", "引起", "造成", "致使", "引发", "根因", "根本原因", "原因是", "原因在于", "原因为", "归因于", "源于", "起因",
    ]),
    (Likely(RootCause), &["causes", "caused", "causing", "cause", "thanks to", "原因"]),
    (Sure(Decision), &[
        "chose", "chosen", "choose", "decided", "decide", "decision", "decisions", "instead of", "in place of", "opted for",
        "opt for", "opted to", "settled on", "went with", "选择", "决定", "而非", "而不是", "选定", "选用", "决策", "敲定", "拍板",
    ]),
    (Likely(Decision), &["rather than", "selected", "switched to", "replaced by", "replaced with", "代替", "取代", "改用", "换用", "采用"]),
    (Sure(Pattern), &[
        "every time", "everytime", "each time", "every single time", "whenever", "recurring", "recurs", "recurrent",
        "reoccurs", "repeatedly", "again and again", "time and again", "每当", "每次", "每逢", "每回", "总是", "总会", "老是",
        "反复", "屡次", "屡屡", "一再", "周期性",
    ]),
    (Likely(Pattern), &[
        "usually", "often", "frequently", "typically", "consistently", "tends to", "tend to", "经常", "往往", "通常", "常常",
        "时常", "一直", "频繁", "每到",
    ]),
    (Sure(Postmortem), &[
        "lesson", "lessons", "lesson learned", "lessons learned", "lessons learnt", "postmortem", "postmortems",
        "post mortem", "in hindsight", "in retrospect", "教训", "复盘", "事后分析", "事后总结", "吸取经验",
    ]),
    (Sure(Gotcha), &[
        "gotcha", "gotchas", "pitfall", "pitfalls", "trap", "traps", "陷阱", "坑", "坑点", "踩坑", "大坑", "巨坑", "避坑",
    ]),
    (Likely(Gotcha), &["beware", "watch out", "caveat", "caveats", "easy to miss", "当心", "小心", "容易忽略", "容易忽视"]),
    (Sure(Observation), &[
        "found that", "found to", "found the", "found out", "was found", "were found", "discovered", "noticed", "observed",
        "it turned out", "turned out", "turns out", "observation", "发现", "观察到", "注意到", "观测到", "察觉", "测得", "实测",
    ]),
    (Likely(Observation), &[
        "found", "notice that", "noted that", "measured", "seen that", "saw that", "appears to", "detected that", "检测到", "看到", "结果显示",
    ]),
    (Trigger::None, &[
        "never mind", "not always", "not must", "not found", "lost and found",
        "vs code", "not required to", "not mandatory", "not prohibited", "not forbidden", "no preference", "no longer required to",
        "may not be", "may not have", "not because", "service discovery", "decision tree", "decision trees",
        "water trap", "steam trap", "mouse trap", "trap door", "trap doors", "fly trap", "rat trap", "grease trap", "dust trap", "sand trap", "oil trap",
        "trap handler", "trap the", "trap a", "trap it", "traps the", "traps a", "traps it", "traps dust", "not recommended for", "not have to",
        "不必须", "并非必须", "必须品", "不得不", "不得已", "不得而知", "不得了", "舍不得", "了不得", "巴不得", "怪不得", "由不得", "恨不得", "顾不得",
        "免不得", "见不得", "解除禁止", "未禁止", "不禁止", "没有禁止", "不一定要",
        "不可靠", "不可见", "不可用", "不可能", "不可思议", "不可逆", "不可知", "不可控", "不可行", "不可达", "不可避免", "不可分", "不可读",
        "不可写", "不可编辑", "不可观", "不可否认", "不可或缺", "不可再生", "不可预测", "不可预见", "不可预知", "不可压缩", "不可变", "不可测",
        "不可比", "不可信", "不可抗", "不可调", "不可数", "不可恢复", "不可重复", "不可重现", "不可复现", "不可缺少", "不可忽视", "不可忽略",
        "不可辨", "不可识别", "不可分割", "不可替代", "不可多得", "不可访问", "不可到达", "不可执行", "不可解", "不可微", "不可通行", "不可燃", "可不可",
        "可不可以", "非同不可", "无不可",
        "优先级", "优先权", "优先队列", "优先顺序", "优先度", "推荐值", "推荐器", "推荐系统", "建议值",
        "选择性", "选择器", "选择题", "选择开关", "选择框", "可选择", "选择按钮", "多项选择", "决定性", "决定系数", "决定因素", "决定论", "所决定",
        "解决定", "决策树", "决策层", "引导致", "传导致", "自由于", "理由于", "反复盘", "修复盘", "恢复盘", "教训练", "汇总是", "发现号", "发现者",
        "发现服务", "发现协议", "发现机制", "自动发现", "服务发现", "节点发现", "设备发现", "出发现", "开发现", "研发现", "触发现", "引发现", "突发现",
        "诱发现", "批发现", "爆发现", "蒸发现", "激发现", "分发现", "并发现", "坑洼", "坑坑洼洼", "坑洞", "坑道", "矿坑", "水坑", "泥坑", "沙坑",
        "土坑", "弹坑", "基坑", "地坑", "坑底", "坑槽", "坑位", "填坑机", "总是否", "每次序", "比较", "比如", "比例", "比特", "比赛", "对比", "占空比",
        "同比", "环比", "信噪比", "百分比", "减速比", "传动比", "比对", "特别", "分别", "区别", "识别", "类别", "级别", "别的", "别人", "别处",
        "别名", "不要紧", "不要求", "不能不", "别无", "不能确定", "以后端", "小心翼翼", "最好的", "不建议值", "不如预期", "最好成绩", "原因未知", "原因不明",
    ]),
];

/// What a statement may call itself at its start, before a colon.
#[rustfmt::skip]
const LABELS: &[(Category, &[&str])] = &[
    (Constraint, &["constraint", "constraints", "hard constraint", "safety constraint", "rule", "safety rule", "约束", "约束条件",
        "限制", "规则", "安全规则", "硬约束", "禁止", "禁令", "红线"]),
    (Preference, &["preference", "preferences", "recommendation", "偏好", "推荐", "建议", "首选"]),
    (Worldview, &["worldview", "belief", "principle", "世界观", "观点", "认知", "原则"]),
    (Tradeoff, &["tradeoff", "tradeoffs", "trade off", "trade offs", "pros and cons", "权衡", "取舍", "利弊", "优缺点"]),
    (RootCause, &["root cause", "cause", "reason", "根因", "根本原因", "原因", "故障原因"]),
    (Decision, &["decision", "decisions", "决定", "决策", "选择"]),
    (Pattern, &["pattern", "patterns", "recurring pattern", "规律", "共性"]),
    (Postmortem, &["postmortem", "post mortem", "lesson", "lessons", "lesson learned", "lessons learned", "lesson learnt",
        "lessons learnt", "retrospective", "教训", "经验教训", "复盘", "事后分析", "事后总结"]),
    (Gotcha, &["gotcha", "gotchas", "pitfall", "pitfalls", "trap", "caveat", "陷阱", "注意陷阱", "坑", "坑点", "踩坑", "避坑"]),
    (Observation, &["observation", "observations", "observed", "finding", "findings", "观察", "发现", "观测"]),
    (Code, &["code", "snippet", "代码"]),
];

/// The table of triggers.
pub(super) static PHRASES: LazyLock<Phrases<Trigger>> = LazyLock::new(|| Phrases::of(TRIGGERS));

/// The table of labels.
pub(super) static LABEL_PHRASES: LazyLock<Phrases<Category>> =
    LazyLock::new(|| Phrases::of(LABELS));

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_phrase_stands_twice_in_a_table() {
        fn pairs<T: Copy>(rows: &[(T, &'static [&'static str])]) -> Vec<(&'static str, T)> {
            rows.iter()
                .flat_map(|(t, phrases)| phrases.iter().map(|phrase| (*phrase, *t)))
                .collect()
        }

        fn repeated<T: Copy>(rows: Vec<(&'static str, T)>) -> Vec<&'static str> {
            let mut seen = BTreeSet::new();
            rows.iter().map(|(phrase, _)| *phrase).filter(|phrase| !seen.insert(*phrase)).collect()
        }
        assert_eq!(repeated(pairs(TRIGGERS)), Vec::<&str>::new());
        assert_eq!(repeated(pairs(LABELS)), Vec::<&str>::new());
    }
}
