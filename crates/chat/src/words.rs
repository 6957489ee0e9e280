//! Words by which a text is held against another one.

/// Words that say how something is put, but not what: they may stand in an answer though the turn has
/// others. Nothing that bounds, hedges, counts, names or judges is among them.
#[rustfmt::skip]
pub(super) const GLUE: &[&str] = &[
    "because", "due", "since", "therefore", "thus", "hence", "cause", "causes", "caused", "causing", "reason", "result",
    "results", "resulted", "resulting", "lead", "leads", "led", "make", "makes", "made", "get", "gets", "got", "become",
    "became", "happen", "happened", "occur", "occurs", "occurred", "use", "uses", "used", "using", "set", "apply",
    "applied", "need", "needs", "needed", "require", "requires", "take", "takes", "took", "be", "has", "lie", "lies",
    "lay", "stand", "stands", "stood", "sit", "sits", "sat", "locate", "located", "position", "positioned", "per", "via",
    "value", "parameter", "setting", "outcome", "step", "task", "action", "object", "thing", "according",
    "respectively", "namely", "upon", "toward", "itself", "themselves", "both",
];

/// The same in Chinese, phrases of two characters and more.
#[rustfmt::skip]
pub(super) const HAN_GLUE: &[&str] = &[
    "因为", "由于", "所以", "因此", "因而", "从而", "导致", "造成", "引起", "原因", "结果", "使用", "采用", "进行", "需要", "位于", "放在",
    "属于", "时候", "期间", "为了", "通过", "根据", "其中", "已经", "参数", "设为", "设置", "设定", "数值", "物体", "对象", "动作", "任务",
    "步骤", "执行", "处于", "位置", "发生", "出现", "使得", "致使", "以及", "并且", "而且", "然后",
];

/// Characters that bind others.
pub(super) const HAN_FUNCTION: &str = "的了在是和与及把将被用为以于由从到对向给让使而并且但其之它这那该此个位处则就都也还又会要有着过地得所因";

/// Opposites of which one is so often something else that it may be added where the other is not there.
pub(super) const LENIENT_CONTRASTS: &[&str] =
    &["on", "during", "while", "well", "上", "上面", "里", "里面", "内"];

/// Makes a guess of what is said.
#[rustfmt::skip]
pub(super) const HEDGES: &[&str] = &[
    "maybe", "perhaps", "probably", "possibly", "presumably", "apparently", "seem", "seems", "seemed", "appears", "think",
    "thinks", "thought", "guess", "suspect", "suspected", "assume", "believe", "likely", "unlikely", "unsure",
    "uncertain", "may", "might", "could", "hopefully", "wonder", "whether", "hypothesis", "almost", "nearly",
    "barely", "partially", "partly", "halfway",
    "可能", "也许", "或许", "大概", "似乎", "好像", "估计", "恐怕", "看起来", "看来", "疑似", "怀疑", "猜", "说不定", "应该是", "不确定",
    "几乎", "差点", "险些", "勉强",
];

/// Says that it is not done, or not yet.
#[rustfmt::skip]
pub(super) const PLANS: &[&str] = &[
    "will", "ll", "going", "plan", "plans", "planned", "intend", "intends", "want", "wants", "wanted", "next", "try",
    "tries", "tried", "trying", "attempt", "attempts", "attempted", "attempting", "would", "wish", "later", "soon", "if", "in case",
    "expected", "expects", "predicted", "supposed",
    "接下来", "下一步", "打算", "计划", "准备", "即将", "将要", "待会", "稍后", "试图", "尝试", "想要", "希望", "再试", "如果", "假如", "若", "预计", "预期", "本应",
];

/// Says that it was not brought about, besides what is the opposite of success.
#[rustfmt::skip]
pub(super) const FAILURES: &[&str] = &[
    "unable", "abort", "aborted", "cancelled", "canceled", "gave up", "interrupted", "timed out",
    "未能", "中止", "放弃", "取消", "中断", "超时",
];

/// Says what ought to be, which need not be so.
#[rustfmt::skip]
pub(super) const DUTIES: &[&str] = &[
    "must", "should", "shall", "ought", "needs", "has to", "have to", "supposed", "recommend", "recommended", "suggest",
    "必须", "应该", "应当", "务必", "需要", "应", "建议",
];

/// What a rule holds under: without it, it is another one.
#[rustfmt::skip]
pub(super) const CONDITIONS: &[&str] = &[
    "if", "when", "whenever", "unless", "except", "until", "only", "while", "once", "before", "after", "without",
    "如果", "若", "当", "除非", "只有", "仅", "只", "时", "之前", "之后", "直到", "的话", "除了",
];

/// Says that it holds from now on.
#[rustfmt::skip]
pub(super) const LASTING: &[&str] = &[
    "always", "never", "must", "should", "shall", "whenever", "every", "each", "only", "avoid", "forbidden", "rule",
    "prefer", "from now on", "in future", "in the future", "do not", "don t", "make sure", "remember", "require", "requires",
    "以后", "今后", "从现在起", "从今", "总是", "始终", "必须", "应", "不要", "不得", "不能", "禁止", "严禁", "切勿", "请勿", "务必", "每次",
    "一律", "都要", "只能", "避免", "别", "绝不", "优先", "规则", "记住",
];

/// Says that it holds this once.
#[rustfmt::skip]
pub(super) const MOMENTARY: &[&str] = &[
    "this time", "for now", "right now", "at the moment", "today", "tonight", "temporarily", "currently", "just now",
    "这次", "本次", "这一次", "暂时", "今天", "目前", "当前", "临时", "此次", "刚才",
];

/// Two lists; what has a word of each is meant.
pub(super) type WordPair = (&'static [&'static str], &'static [&'static str]);

/// A sentence with a word of both lists of one of these speaks to the model.
#[rustfmt::skip]
pub(super) const ORDERS_TO_THE_MODEL: &[WordPair] = &[
    (
        &["ignore", "disregard", "forget", "override", "bypass", "skip", "not follow"],
        &["instruction", "instructions", "prompt", "prompts", "system", "above", "previous", "prior", "earlier", "guidelines",
            "everything", "messages"],
    ),
    (
        &["忽略", "无视", "忘记", "忘掉", "跳过", "不要遵守", "不用遵守", "覆盖"],
        &["指令", "指示", "提示", "以上", "上面", "上述", "之前", "前面", "先前", "规则", "要求", "系统"],
    ),
    (
        &["say", "output", "answer", "respond", "reply", "report", "write", "print", "return", "pretend", "repeat"],
        &["instead", "json", "following text", "you are", "that you", "assistant", "verbatim"],
    ),
    (
        &["输出", "回答", "回复", "假装", "扮演", "返回", "你是", "你现在"],
        &["以下", "如下", "json", "助手", "模型", "改为", "内容", "ai"],
    ),
    (
        &["you are", "act as", "system", "assistant", "as an"],
        &["ai", "chatbot", "language model", "prompt", "llm", "jailbreak", "system message"],
    ),
];

/// Verbs whose forms no rule makes alike: the first one stands for all.
#[rustfmt::skip]
pub(super) const VERB_FORMS: &[&[&str]] = &[
    &["hold", "held"], &["slide", "slid"], &["fall", "fell", "fallen"], &["break", "broke", "broken"],
    &["stick", "stuck"], &["take", "took", "taken"], &["lose", "lost"], &["find", "found"], &["run", "ran"],
    &["go", "went", "gone"], &["bend", "bent"], &["shake", "shook", "shaken"], &["drive", "drove", "driven"],
    &["wear", "wore", "worn"], &["hang", "hung"], &["keep", "kept"], &["feel", "felt"], &["see", "saw", "seen"],
    &["give", "gave", "given"], &["come", "came"], &["lead", "led"], &["mean", "meant"], &["send", "sent"],
    &["stand", "stood"], &["throw", "threw", "thrown"], &["tear", "tore", "torn"], &["wind", "wound"],
    &["weigh", "weighed", "weighs", "weight"], &["catch", "caught"], &["bring", "brought"], &["swing", "swung"],
    &["spin", "spun"], &["freeze", "froze", "frozen"], &["draw", "drew", "drawn"], &["choose", "chose", "chosen"],
    &["rise", "rose", "risen"], &["sink", "sank", "sunk"], &["lie", "lay", "lain"], &["begin", "began", "begun"],
    &["tell", "told"], &["know", "knew", "known"], &["write", "wrote", "written"], &["grow", "grew", "grown"],
    &["melt", "molten"], &["spill", "spilt"], &["build", "built"],
];

/// What a unit is a measure of: the word may be added beside the number.
#[rustfmt::skip]
pub(super) const MEASURED: &[(&str, &[&str])] = &[
    ("N", &["force", "力"]), ("N·m", &["torque", "扭矩", "力矩"]), ("m/s", &["speed", "velocity", "速度"]),
    ("°", &["angle", "角度"]), ("s", &["duration", "time", "时间", "时长"]),
    ("g", &["weight", "weigh", "mass", "重量", "质量", "重"]), ("°C", &["temperature", "温度"]),
    ("V", &["voltage", "电压"]), ("A", &["current", "电流"]), ("Pa", &["pressure", "压力"]),
    ("Hz", &["frequency", "rate", "频率"]), ("m", &["distance", "距离"]),
];

/// Endings of keys of data that say a unit, where that is not the ending itself.
#[rustfmt::skip]
pub(super) const KEY_UNITS: &[(&str, &str)] = &[
    ("mps", "m/s"), ("mmps", "mm/s"), ("mps2", "m/s2"), ("radps", "rad/s"), ("rads", "rad/s"), ("degps", "deg/s"),
    ("pct", "%"), ("percent", "%"), ("c", "°C"), ("degc", "°C"), ("celsius", "°C"), ("a", "A"), ("nm", "N·m"), ("n", "N"),
    ("v", "V"), ("w", "W"), ("k", "K"), ("mn", "mN"), ("hz", "Hz"), ("kn", "kN"), ("mw", "mW"), ("mv", "mV"),
    ("ma", "mA"), ("pa", "Pa"), ("mpa", "MPa"), ("khz", "kHz"), ("mhz", "MHz"), ("kpa", "kPa"), ("kw", "kW"),
];
