//! Words that narrow nothing in a question about a log, wherever they stand in it: how it is asked, who asks, what it
//! is for, that something happened, that it is in the log.

use super::super::super::tokens::index_token;
use super::super::atoms::{Atom, ByLetter, longest_of};
use std::collections::HashSet;
use std::sync::LazyLock;

/// Words, of which the stems are compared.
const ENGLISH: &str = "
    a an the of in on at by for to from with into onto within inside as than that which what whatever whichever when these those this such
    i we you he she they it me us him her them my our your his their its mine ours yours itself someone somebody one ones
    is are was were be been being am has have had having do does did done doing get gets got gotten getting go goes went gone going come comes came coming
    take takes took taken taking give gives gave given giving kept
    d ll m re s ve would could can may shall will
    show list tell name print display output present return report retrieve recall fetch bring pull dig find locate search trace track
    quote state cite mention specify identify indicate determine establish confirm verify review inspect examine check look see view read hear learn know
    write jot copy send mail email export dump point provide supply deliver produce prepare compile gather collect assemble
    count sum figure figured spell talk go through enumerate itemize itemise tabulate summarize summarise detail describe answer say
    want need like love wish wonder wondering curious interest interested ask asking require required seek looking help please kindly thank thanks sorry hello hi hey ok okay
    happen occur arise arose rise appear show turn crop pop kick fire trip trigger engage activate strike begin began begun start commence initiate launch register log record
    store save remember capture enter perform carry execute undergo underwent experience suffer encounter face meet met witness observe notice detect catch caught signal flag
    raise issue fall land lie lay lain stand stood sit sat belong belonging make making end ended put take place
    event entry entries record item incident occurrence instance case occasion time moment point thing log logbook list report table chart graph figure number sum kind type
    sort class category sequence row line column sheet spreadsheet summary handover diary journal file data database memory archive history timeline recording trace
    slide document doc documentation protocol presentation board dashboard ticket form page overview statistic statistics stats analysis analyses audit meeting briefing
    exactly precisely actually really simply again still yet already ever here now quickly quick briefly overall altogether total entire whole complete completely full fully all every
    each any single individual individually separately different various respective respectively just right soon straight immediate immediately directly strictly exact precise
    there then so too also well and whole very own
    robot cobot machine system controller unit device hand tool cell line robotic
    details detail info information timestamp stamp clock hour hourly day daily today
    chronological order ordered sorted ascending descending
    hour bucket bin bar grouped group bucketed binned counted tallied tally figure
    operator technician engineer manager boss supervisor auditor colleague customer planner analyst agent assistant trainee student inspector lead chief team crew
    therefore hence thus namely up out sharp prompt promptly handle matter whatever regardless irrespective sort
    edge edges held hold holds plus concerned involved relevant respective following
    weekly monthly daily
";
/// Phrases that are more than their words.
#[rustfmt::skip]
const ENGLISH_PHRASES_OF: &[&str] = &[
    "by start time", "by starting time", "by begin time", "by time of start", "by their start", "by their begin", "by its start", "whatever its kind", "whatever kind", "whatever the kind", "whatever the type", "whatever type", "whatever it is", "whatever it was", "whatever that was", "whatever that is", "whatever they are", "whatever they were", "of any sort", "of any kind", "of any type", "of whatever kind", "of whatever type", "of whatever sort",
    "regardless of type", "regardless of their type", "regardless of its type", "regardless of kind", "regardless of their kind", "regardless of its kind", "regardless of the kind", "regardless of the type", "no matter what kind", "no matter which kind", "no matter what type", "no matter which type", "no matter what", "no matter the kind", "no matter the type", "any kind", "any type", "any sort", "any kind will do", "any type will do", "any kind is fine",
    "all kinds", "all types", "all sorts", "type doesn t matter", "kind doesn t matter", "the type doesn t matter", "the kind doesn t matter", "lumped together", "taken together", "of every kind", "of every type", "of all kinds", "of all types", "every kind", "every type", "irrespective of type", "irrespective of kind", "irrespective of their type", "irrespective of the type",
    "not just one kind", "if any", "if there is one", "if there was one", "if there are any", "if there were any", "if possible", "if you can", "if you could", "if you please", "if you don t mind", "if you have it", "if you have them", "one after the other", "one by one", "in one go", "in turn",
    "without leaving any out", "without exception", "leaving none out", "not leaving any out", "don t leave any out", "don t skip any", "do not skip any", "do not leave any out", "miss none", "no more no less", "nothing else", "nothing more", "that s all", "that is all", "no rush", "no hurry", "no details", "numbers only", "number only", "figures only", "times only", "counts only", "only the number", "only the numbers", "just the number", "just the numbers", "just the count", "only the count", "the number is enough", "only the times", "just the times",
    "the lot", "the whole lot", "the lot of them", "nothing left out", "leave nothing out", "leaving nothing out", "none left out", "with nothing left out", "up to the end", "until the end", "till the end", "to the end", "to the very end", "since the start", "since the beginning", "since the very start", "since the very beginning", "what time", "at what time", "which one", "which ones", "or so i think", "i think", "i guess", "i believe", "i suppose",
    "for the record", "pick out", "picked out", "point out", "put up", "put together", "put in", "set out", "lay out", "laid out", "run through", "walk through", "work out", "take place", "took place", "hand me", "hand over", "pass me", "note that", "keep in", "make a list", "make me a list", "make a table", "draw up", "choose", "select", "shift report", "shift log", "shift book", "shift sheet", "shift notes", "shift note", "shift summary", "shift handover", "shift lead", "shift leader", "shift supervisor", "one row per hour", "next to", "would you mind", "mind telling me", "mind telling us", "mind telling", "mind showing me", "mind giving me", "do you mind", "i e", "e g", "ur 3", "ur 5", "ur 10", "ur 16", "ur 20", "ur 30", "more than once", "behind us", "since the earliest one", "since the first one", "from the earliest", "counting from the earliest", "on one line", "in its own line", "fell into", "fall into", "falls into", "fell within", "fall within", "fell in", "fall in", "fell on", "fall on", "falls in", "falls on", "to state", "as well", "as well as that", "that minute", "that span", "that window", "that period", "that stretch", "that run", "that interval", "that time", "those minutes", "those hours", "this minute", "this hour", "this span", "this window", "this period",
    "from the beginning", "from the start", "from the very beginning", "from the very start", "numbered", "break down", "break it down", "break them down", "broken down", "break up", "break out", "split up", "split", "up to now", "until now", "in between", "from memory", "from the log", "from your log", "from your memory", "from the record", "from the records", "from the recording", "from the file",
    "to me", "to us", "to my", "to the report", "to the ticket", "to the file", "to the list", "and so on", "or so i think", "each of them", "each of these", "each of those",
];
/// The same in Chinese.
#[rustfmt::skip]
const HAN_OF: &[&str] = &[
    // How it is asked.
    "贵方", "贵司", "贵公司", "按开始时间", "按开始时间算", "按开始时间计", "以开始时间计", "以开始时间为准", "告知", "请告知", "请", "请问", "请你", "请您", "麻烦", "麻烦你", "帮", "帮我", "帮忙", "劳驾", "谢谢", "多谢", "拜托", "辛苦", "给", "给我", "给我们", "给个", "给出", "让我", "让我看", "我", "我们", "咱", "咱们", "你", "您", "你们", "我想", "我要", "我们要", "我需要", "需要", "想", "想知道", "想看", "想看看", "想要", "想问", "想查", "希望", "要", "得", "要求",
    "能", "能否", "能不能", "可以", "可否", "是否", "是不是", "有没有", "有无", "可有", "告诉", "说", "说说", "说明", "讲", "回答", "报", "报给我", "报个数", "报一下", "念", "念一下", "念给我", "念念", "答", "问", "问下", "问一下", "查", "查查", "查下", "查一下", "查看", "查到", "查出", "查找", "查阅", "看", "看看", "看下", "看一下", "看一看", "找", "找找", "找出", "找出来", "找一下", "找到", "数", "数数", "数一数", "数一下", "数出", "数出来", "算", "算算", "算一下", "算出",
    "列", "列出", "列出来", "列一下", "列个", "列成", "列成表", "列全", "列明", "罗列", "排", "排出", "排列", "排出来", "整理", "整理出来", "汇总", "归纳", "统计", "统计一下", "合计", "核对", "核实", "核查", "复核", "确认", "弄清", "弄清楚", "搞清楚", "了解", "知道", "指出", "标出", "标出来", "标注", "挑", "挑出", "挑出来", "选", "选出", "选出来", "筛", "筛出", "筛选", "拣", "取", "取出", "取出来", "取一条", "各取一条", "各取", "调", "调出", "调出来", "调一下", "调取", "调看", "提取", "抽取", "翻", "翻出", "翻出来", "翻一下", "拿", "拿出来", "拿来", "导出", "导出来", "输出", "打印", "打印出来", "返回", "显示", "展示", "呈现", "发", "发我", "发给我", "发过来", "发一下", "发来", "传给我", "交", "交给我", "抄", "抄下", "抄下来", "抄进", "抄到", "抄写", "写", "写进", "写到", "写入", "填", "填进", "填到", "填入", "附", "附上", "附在", "贴", "贴到", "贴在", "贴看板", "作", "用", "用作", "用来", "作为", "画图", "做表", "做图", "做对比", "作对比", "对比", "比对", "对一下", "过一遍", "过一下", "回顾", "复盘", "一条不漏", "一个不漏", "一次不漏", "不要漏", "别漏", "不要遗漏", "勿遗漏", "毫无遗漏", "不漏", "无一遗漏",
    "麻烦调出来", "逐条", "逐一", "逐个", "逐次", "逐项", "依次", "按序", "顺次", "按时间", "按时间先后", "按先后", "按先后顺序", "按顺序", "挨个", "一一", "一并", "一起", "完整", "完整的", "详细", "全", "全部", "全都", "统统", "所有", "所有的", "一切", "整个", "整份", "总", "总的", "总共", "一共", "共", "共有", "合起来",
    "清单", "列表", "名单", "表", "表格", "表里", "明细", "报表", "报告", "报告里", "日报", "周报", "月报", "附表", "附件", "台账", "日志", "日志里", "日志中", "记录", "记录里", "记录中", "记忆", "记忆里", "记忆中", "数据", "数据里", "数据库", "历史", "档案", "流水", "看板", "曲线", "图", "图表", "单子", "本子", "工单", "报修单", "交接", "交接班", "交班", "晨会", "会议", "分析", "审核", "审计", "总结", "汇报", "备案",
    // That something happened.
    "发生", "发生过", "发生了", "发生的", "所发生", "出现", "出现过", "出现了", "出现的", "产生", "产生的", "触发", "触发了", "触发过", "触发的", "引发", "触发的那次", "遇到", "遇上", "碰到过", "遭遇", "经历", "进", "进过", "进了", "进入", "进入过", "进入了", "进到", "陷入", "处于", "转入", "启动", "启动了", "启动过", "启动的", "开始", "开始了", "开始的", "起步", "起动", "执行", "执行了", "执行过", "执行的", "进行", "进行了", "进行过", "进行的", "做", "做了", "做过", "做的", "作出", "出", "出过", "出了", "出的", "来", "来过", "来了", "有", "有过", "有的", "存在", "记", "记下", "记下来", "记下了", "记了", "记着", "记录到", "记录了", "记录过", "记录下来", "记得", "被记下来", "被记录", "被记录下来", "被记下", "登记", "登记的", "写下", "存", "存下", "存下来", "留下", "收录", "检测到", "监测到", "捕捉到", "上报", "报出",
    "已", "已经", "曾", "曾经", "曾有", "一度", "都", "又", "还", "也", "再", "再次", "就", "便", "则", "即", "才", "共计", "累计", "分别", "各", "各自", "各是", "各有", "均", "均为", "竟", "究竟", "到底", "确切", "确切地说", "具体", "具体的", "准确", "实际", "正好", "恰好", "刚好",
    "的", "了", "过", "着", "得", "地", "吗", "呢", "吧", "啊", "呀", "嘛", "哦", "哈", "是", "为", "系", "乃", "在", "于", "由", "把", "将", "被", "给我看", "与", "以", "所", "其", "其中", "它", "它们", "这", "那", "这些", "那些次", "这个", "那个", "这次", "那次", "这条", "那条", "该", "此", "之", "等", "及其",
    "哪", "哪些", "哪个", "哪次", "哪条", "哪几次", "哪几个", "哪几条", "哪一次", "哪一条", "哪一个", "什么", "啥", "什么样", "何", "何时", "几时", "什么时候", "几点", "几点钟", "几点几分", "几分", "多少", "几", "个", "次", "条", "回", "件", "项", "起", "笔", "例", "下", "一个", "一次", "一条", "一回", "一件", "一项", "每次", "每条", "每一次", "每一条", "每一个", "每个", "每起", "每回", "凡是", "凡", "全天", "排给我", "别的不要", "其他的不要", "其他不要", "别的都不要", "其它不要", "碰到的", "好几次", "好几回", "好多次", "多次", "隔着", "中间隔着", "车间", "他", "她", "并且", "而且", "要个数", "印象", "有印象", "一声", "一遍", "行", "就行", "话", "其他的不用", "其他不用", "后面的不用", "别的不用", "其余不用", "其它的不用", "是怎样的", "怎样的", "是怎么样的", "分组", "分开", "分", "哪些时候", "什么时候的", "身上", "从头数", "从头数起", "从前往后数", "做个小表", "做个表", "做成表", "列个表", "一个不落", "一条不落", "一次不落", "一个都不落", "一个都不少", "一个都别落下", "一个也别落", "从何时", "从什么时候", "从几点", "整段", "整段时间", "全程", "整个过程", "从头到尾", "排在", "一前一后", "老", "老是", "总是", "频频", "频繁", "不断", "接连", "摆", "摆出来", "打一开始", "从一开始", "一开始", "从头", "记性", "记性里", "记成", "称为", "叫做", "一份", "份", "趋势", "走势", "中间隔了", "以开始时刻为准", "以开始时间为准", "按开始时间算", "按开始时间", "以开始为准", "按开始时刻", "按开始时刻算", "大小不论", "不论大小", "库里", "库中", "系统里", "里头", "库",
    "时间", "时刻", "时间点", "时间上", "时段", "时间段", "段", "区间", "期间", "范围", "当中", "中间", "里面", "里", "内", "中", "上", "间", "处", "点", "情况", "情形", "结果", "内容", "详情", "信息", "条目", "事件", "数目", "数字", "个数", "次数", "数量", "总数", "频次", "分布",
    "机器人", "机器", "系统", "设备", "控制器", "本机", "这台",
    // Of any kind.
    "不限", "不限类型", "不限类别", "不限哪一类", "不限哪类", "不限种类", "不论类型", "不论哪类", "不论哪种", "不管哪类", "不管哪一类", "不管哪种", "不管什么", "不管是什么", "不管是哪类", "无论哪类", "无论什么", "无论是什么", "无论类型", "什么类型都行", "什么类型都可以", "哪类都行", "哪种都行", "哪类都算", "类型不限", "种类不限", "类别不限", "不分类型", "不分类别", "不分种类", "随便哪类", "随便什么类型", "随便什么", "任何", "任意", "任何一类", "任何类型", "任意类型", "各类", "各种", "所有类型", "所有类别", "类型", "类别", "种类", "哪一类", "哪类", "哪种", "什么类型",
    // Who asks.
    "操作员", "操作工", "技术员", "工程师", "班长", "组长", "主管", "经理", "领导", "同事", "客户", "审核员", "质检员", "质检", "维修", "维修工", "师傅", "调度", "值班员", "规划器", "助手", "交班用", "接班", "我接班",
    "原因不明", "夹在", "夹着", "还夹着", "几号", "附在后面", "附在分析后面", "放在后面", "列在后面", "新人", "提问", "学员", "实习生", "一个小时一个数", "每小时一个数", "一小时一个数", "要用一个数字", "一个数", "一个数字", "用一个数字", "方便", "方便的话", "如果有", "如果有的话", "有的话", "若有", "如有",
];

static ENGLISH_PHRASES: LazyLock<ByLetter<()>> =
    LazyLock::new(|| ByLetter::list(ENGLISH_PHRASES_OF));
static HAN: LazyLock<ByLetter<()>> = LazyLock::new(|| ByLetter::list(HAN_OF));
static STEMS: LazyLock<HashSet<String>> =
    LazyLock::new(|| ENGLISH.split_whitespace().map(index_token).collect());

/// 不论是哪一类, 不管什么类型: how many atoms.
fn any_kind(atoms: &[Atom]) -> Option<usize> {
    const BEGINS: [&str; 10] =
        ["不论", "不管", "无论", "不限", "不分", "甭管", "随便", "不拘", "任何", "任意"];
    const WHICH: [&str; 14] = [
        "哪",
        "是哪",
        "哪一",
        "是哪一",
        "什么",
        "是什么",
        "何",
        "何种",
        "啥",
        "是啥",
        "属于哪",
        "属于哪一",
        "一",
        "哪种",
    ];
    const KINDS: [&str; 8] = ["类", "种", "类型", "类别", "种类", "样", "事件", "类事件"];
    const ENDS: [&str; 6] = ["都行", "都可以", "都算", "均可", "都成", "都要"];
    let begun = longest_of(atoms, &BEGINS)?;
    let which = longest_of(&atoms[begun..], &WHICH).unwrap_or(0);
    let kind = longest_of(&atoms[begun + which..], &KINDS).unwrap_or(0);
    let count = begun + which + kind;
    (which + kind > 0).then(|| count + longest_of(&atoms[count..], &ENDS).unwrap_or(0))
}

/// How many atoms a phrase has that says nothing as a whole.
pub(super) fn phrase(atoms: &[Atom]) -> Option<usize> {
    let han = HAN.longest_of(atoms).filter(|count| *count > 1);
    ENGLISH_PHRASES.longest_of(atoms).max(han)
}

/// Whether a word says of what something is: "the tool change", "the 8 o'clock meeting".
fn is_of_next(before: &[Atom], rest: &[Atom]) -> bool {
    #[rustfmt::skip]
    const CHANGED: [&str; 14] = [
        "tool", "machine", "robot", "cobot", "system", "unit", "device", "hand", "cell", "line", "controller", "file", "operator", "crew",
    ];
    const HELD: [&str; 5] = ["meeting", "briefing", "handover", "audit", "presentation"];
    #[rustfmt::skip]
    const MOVED: [&str; 11] = [
        "tool", "hand", "quick", "table", "line", "cell", "controller", "operator", "crew", "unit", "device",
    ];
    let is_next = |words: &[&str]| rest.get(1).is_some_and(|next| next.is_one_of(words));
    let is_changed = rest[0].is_one_of(&CHANGED) && is_next(&["change", "changes"])
        || rest[0].is_one_of(&MOVED)
            && is_next(&["motion", "motions", "movement", "movements", "moves"]);
    let is_clock = |atom: &Atom| atom.text == "clock" || atom.text.contains(':');
    is_changed || rest[0].is_one_of(&HELD) && before.last().is_some_and(is_clock)
}

/// How many atoms at a place say nothing.
pub(super) fn at(atoms: &[Atom], at: usize) -> Option<usize> {
    let rest = &atoms[at..];
    if rest[0].is_han() {
        if let Some(count) = any_kind(rest) {
            return Some(count);
        }
        // 变过没有.
        if at > 0
            && atoms[at - 1].is_one_of(&["过", "了", "到"])
            && longest_of(rest, &["没有"]).is_some()
        {
            return Some(2);
        }
        return HAN.longest_of(rest);
    }
    if is_of_next(&atoms[..at], rest) {
        return None;
    }
    // "Since the start of cycle 256".
    let is_of_cycle =
        |count: &usize| longest_of(&rest[*count..], &["of cycle", "of the cycle"]).is_none();
    ENGLISH_PHRASES
        .longest_of(rest)
        .filter(is_of_cycle)
        .or_else(|| STEMS.contains(&rest[0].stem).then_some(1))
}

/// The robot that a text names, "UR3", if it names one: that narrows nothing where there is no other. `None` when it names two.
#[expect(clippy::option_option, reason = "none is named, one, or several")]
pub(super) fn robot(atoms: &[Atom]) -> Option<Option<String>> {
    let is_glued = |one: &Atom, next: &Atom| one.place.end == next.place.start;
    let model = |at: usize| {
        let number = atoms.get(at + 1).filter(|next| next.is_digits())?;
        let is_model = atoms[at].text == "ur" && is_glued(&atoms[at], number);
        let more = atoms.get(at + 2).filter(|next| is_glued(number, next) && !next.is_han());
        let more = more.map_or("", |more| &more.text);
        is_model.then(|| format!("ur{}{more}", number.text))
    };
    let mut models = (0..atoms.len()).filter_map(model);
    let first = models.next();
    models.all(|model| Some(model) == first).then_some(first)
}
