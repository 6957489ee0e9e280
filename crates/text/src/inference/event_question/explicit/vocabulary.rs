//! The words of order and time, and those that say nothing beside them.

use super::super::super::phrases::Rows;
use super::super::atoms::ByLetter;
use std::sync::LazyLock;

/// What the words and phrases mean.
pub(super) static WORDS: LazyLock<ByLetter<Word>> = LazyLock::new(|| ByLetter::of(WORDS_OF));
/// Ways to ask for something.
pub(super) static ASKING: LazyLock<ByLetter<()>> = LazyLock::new(|| ByLetter::list(ASKING_OF));

/// What a word or phrase means to the order of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    /// Says nothing.
    Filler,
    /// What happened: of whatever kind.
    Happened,
    /// An event, of whatever kind.
    Event,
    /// What a gripper holds: it says nothing beside a word for that it was lost.
    Object,
    /// How many.
    Count,
    Before,
    After,
    Since,
    Around,
    Between,
    And,
    From,
    To,
    /// Right beside it: "just before".
    Just,
    /// Before a time: "during the last hour".
    During,
    /// The same after it: 昨天下午里.
    Inside,
    Oldest,
    Newest,
    /// The first after an event, and the last before it.
    Next,
    Previous,
    /// Up to an event or a time.
    Until,
    /// Up to now: since an event, when one stands before it.
    SoFar,
    /// A clause follows, after which something came: "once it tripped".
    Once,
    /// Not the one beside which is looked.
    Other,
    /// The nearest to it first.
    Closest,
}

#[rustfmt::skip]
const WORDS_OF: &Rows<Word> = &[
    (Word::Filler, &["date", "contain", "contains", "contained", "holds", "hold in total", "trigger", "triggers", "full", "complete", "single", "lying", "whole", "kept", "把", "取", "按时间先后计", "介于", "将", "离", "清单", "列表", "表", "列个表", "列张表", "表格", "一览", "一览表", "个表", "看", "一行", "下来", "下来的", "one line", "a line", "one row", "one number", "one figure", "one value", "of any kind", "of any sort", "of whatever kind", "of every kind", "really", "in fact", "in reality", "come in", "came in", "come along", "came along", "come about", "came about", "crop up", "cropped up", "pop up", "popped up", "fall in", "fall within", "fell within", "fell in", "的部分", "部分", "要等到", "等到", "一样一样", "里的", "这一段", "那一段", "各个", "当中的", "其中的", "直接", "突然", "忽然", "一下子", "suddenly", "the lot", "the whole lot", "in full", "complete list of", "full list of", "a full list", "a complete list", "tabulate", "itemise", "itemize", "compute", "calculate", "determine", "work out", "add up", "state", "spell out", "pick out", "dig out", "dig up", "track down", "locate", "后来", "from what to what", "from which to which", "from what value to what value", "details of", "details on", "details for", "overview of", "details", "some", "些", "一回", "哪一回", "哪回", "哪几回", "那一回", "介于", "回事", "来着", "来的", "的呢", "具体时间", "各是", "时间点", "哪一个时间", "各在", "各是哪次", "哪会儿", "什么时间点", "几点几分几秒", "a list", "a table", "the times", "the times of", "the time of", "the timestamps of", "whereabouts in time", "turn out to be", "turned out to be", "back then", "whenabouts", "what", "whats", "which", "when", "was", "were", "is", "are", "did", "has", "have", "had", "been",
        "be", "the", "there", "of", "us", "me", "it", "its", "robot", "robots", "s", "show", "list", "tell", "give",
        "find", "return", "retrieve", "print", "enumerate", "provide", "identify", "read out", "bring up", "extract", "collect", "you", "we", "our", "see", "in", "on", "at", "cobot", "machine", "system", "robotic", "ve",
        "that", "this", "ever", "so far", "already", "exactly", "precisely", "actually", "time", "times", "what time", "very", "up to",
        "all", "any", "a", "an", "one", "ones", "itself", "do we have", "we have", "do you have", "triggered",
        "activated", "went off", "go off", "start", "started", "begin", "began", "overall", "come up", "came up", "come", "lie", "lies",
        "lay", "display", "fetch", "name", "onwards", "onward", "something", "broken down", "break down", "grouped", "to date",
        "go into", "goes into", "went into", "going into", "gone into", "enter", "entered", "entering", "into", "ended up in",
        "suffer", "suffered", "experience", "experienced", "encounter", "encountered", "run into", "ran into",
        "make", "made", "perform", "performed", "execute", "executed", "carry out", "carried out", "get", "got",
        "again", "also", "still", "raised", "kicked in", "kick in", "engage", "engaged", "fired", "issued", "flagged", "signalled", "signaled", "come to", "came to",
        "to start", "to begin", "to occur", "to happen", "to be", "to come", "instances of", "occurrences of", "occurrence of", "instance of", "cases of",
        "in the log", "in the logs", "from the log", "in the record", "in the records", "on record", "on file", "in memory",
        "in your memory", "in your log", "in your records", "according to the log", "in the data", "in the whole log",
        "in the entire log", "in the history", "as of now", "by now", "at all", "by the clock",
        "is over", "was over", "were over", "had ended", "was cleared", "in turn", "respectively", "for", "timestamp", "timestamps",
        "every one of them", "list every", "show every", "give me every", "find every", "list each", "show each", "show me every", "every single", "all of them", "each of them", "every one", "each one", "every single one", "them all", "pls", "plz", "the start of", "the beginning of", "took", "take", "the whole time", "moment", "do we see", "does the log", "do the logs", "does the record", "of them", "of those",
        "的", "了", "过", "吗", "呢", "啊", "呀", "是", "在", "什么时候", "何时", "几点", "哪一刻", "时间", "机器人", "么",
        "有", "有没有", "是否", "是否有", "是不是", "告诉我", "告诉", "给我", "列出", "显示", "查", "查一下", "查询", "一下", "都", "机器", "系统",
        "到的", "那次", "那一次", "这", "那", "曾", "曾经", "究竟", "到底", "全部", "所有", "次", "一次", "这些", "那些",
        "回", "个", "起", "目前", "哪些", "哪个", "哪次", "哪一次", "哪一条", "哪条", "哪几次", "哪几条", "哪", "条", "那条", "哪一个",
        "那一条", "那几次", "列一下", "列出来", "列", "给出", "看看", "看一下", "查看", "找出", "找一下", "找", "说一下", "说说", "都有",
        "分别", "分别是", "各有", "各", "各自", "具体", "开始", "激活", "又是", "又", "再", "再次", "还", "被", "为", "几点几分", "几点几分几秒",
        "什么时间", "哪个时间", "什么时刻", "几时", "啥时候", "时刻", "过没有", "了没有", "从夹爪里", "从夹爪中", "从夹爪上", "从夹爪里面", "从夹爪", "从爪子里", "从手爪里", "日志", "日志里", "日志中", "日志里面", "日志上", "记录里", "记录中", "记录上",
        "历史记录里", "历史记录中", "里面的记录", "一条", "一个", "自己", "本身", "到了", "起来", "一共有", "正", "正在", "共有", "一件",
        "于", "其", "它", "也", "刚过", "刚过去", "过去了", "结束", "解除", "这一次", "这次", "这条", "完", "数据里", "数据中", "内容",
        "总共有", "从几换到几", "从几变到几", "从多少变成多少", "从几变成几", "从几到几", "换到几", "变成几", "从多少换到多少", "从多少到多少", "调出来", "调出", "调取", "调一下", "导出", "返回", "汇总", "罗列", "输出", "检索", "查出", "查出来", "查到", "查查", "翻出", "拉出", "拉一下", "整理", "提供", "标出", "新", "这中间", "中间", "当间", "哪两次", "这两次", "那两次", "这几次", "里面", "经过", "只", "仅", "就只", "一些", "当时的", "出来", "下面", "那", "此", "依次", "逐个", "逐一", "算起", "整个", "全程", "哪两次"]),
    (Word::Happened, &["来了", "来过", "冒出", "冒出来", "took place", "turn up", "turned up", "record", "recorded down", "发生过", "出现过", "记录过", "记到的", "记下的", "发生的", "出现的", "记录下", "记录下来", "happen", "happened", "occur", "occurred", "took place", "take place", "went on", "going on", "taking place",
        "do", "doing", "done", "everything", "anything", "anything else", "what else", "something else", "recorded", "happening", "came", "comes", "logged",
        "registered", "seen", "detected", "noted", "reported", "log", "logs", "register", "write", "wrote", "written", "written down",
        "show up", "showed up", "shown", "saw", "note", "report", "noticed", "observed", "captured", "appear", "appeared", "stored", "saved", "remember", "remembered",
        "一切", "所有事情", "什么", "什么事", "什么事情", "什么情况", "发生", "发生什么", "发生了什么", "出现", "出了什么事", "做", "做了什么", "在做什么",
        "干了什么", "干", "经历", "情况", "事情", "有什么", "触发", "被触发", "啥", "啥事", "干嘛", "干什么", "记了", "记下", "记下了", "记到", "记录到", "记录了",
        "检测到", "监测到", "报告", "报了", "出", "遇到", "写了", "留下", "登记", "记的", "记录的", "登记的", "存的"]),
    (Word::Event, &["event", "events", "thing", "things", "record", "records", "entry", "entries", "row", "rows", "log entry", "log entries",
        "log line", "log lines", "log record", "log records", "log item", "log items", "incident", "incidents",
        "事件", "什么事件", "事", "记录", "条目", "日志记录", "日志条目", "条日志", "件事"]),
    (Word::Object, &["part", "parts", "object", "objects", "piece", "pieces", "workpiece", "workpieces", "item", "items", "something", "grip", "grips",
        "grasp", "grasps", "hold", "component", "components", "payload",
        "件", "工件", "零件", "物件", "物体", "物品", "东西", "部件", "抓取", "抓握", "夹持", "抓取物"]),
    (Word::Count, &["怎么分布", "如何分布", "怎样分布", "numbers", "how often", "how many times", "how many", "how many more", "how many further", "how many different", "how frequently", "how many of them",
        "how many of those", "how many such", "number of", "number of times", "count of", "count", "count them", "count up", "counts of", "counts", "total", "tally", "in total", "altogether",
        "total number of", "in all", "all told", "total count of", "total count", "overall number of", "overall count of", "breakdown", "distribution",
        "几次", "多少次", "几回", "多少回", "几个", "多少个", "多少", "次数", "一共", "总共", "共", "合计", "总数", "几下", "多少下", "几遍", "多少遍",
        "几起", "多少起", "几条", "多少条", "几件", "多少件", "计数", "累计", "共计", "频次", "数目", "数", "各几次", "各多少次", "几次数", "几趟",
        "总计", "总次数", "数一下", "数一数", "数数", "统计", "统计一下", "数量", "分布", "一共几次", "总共几次"]),
    (Word::During, &["in the period", "in the window", "in the interval", "in the stretch", "in the time", "in the span", "in the timeframe", "in the time frame", "in the time window", "over the period", "over the interval", "during the period", "during the window", "for the period", "in the time range", "in the time span", "during", "within", "over", "less than", "at most", "across"]),
    (Word::Inside, &["window", "period", "interval", "slot", "timeframe", "time frame", "time window", "stretch", "time range", "内", "里", "期间", "中", "当中", "之内", "以内", "之中", "里头", "里面", "这段时间", "这段时间内", "这段时间里"]),
    (Word::Oldest, &["是按什么顺序发生的", "按什么顺序发生的", "按什么顺序发生", "按什么顺序出现的", "是按怎样的顺序发生的", "in what order", "in which order", "按发生顺序", "按发生的顺序", "按时间顺序数", "按先后顺序数", "按从旧到新的顺序排", "按从旧到新的顺序", "按从旧到新排", "按从旧到新", "从旧到新的顺序", "按从早到晚的顺序排", "按从早到晚的顺序", "从旧到新", "由旧到新", "从老到新", "oldest first", "earliest first", "in order", "in order of time", "chronologically",
        "in chronological order", "按时间顺序", "按先后顺序", "从早到晚", "按时间先后"]),
    (Word::Newest, &["按从新到旧的顺序排", "按从新到旧的顺序", "按从新到旧排", "按从新到旧", "从新到旧的顺序", "从新到旧", "由新到旧", "从新到老", "newest first", "latest first", "most recent first", "从晚到早", "按时间倒序"]),
    (Word::Before, &["在这之前", "在那之前", "这之前", "那之前", "在那以前", "在这以前", "那以前", "往前", "再往前", "before", "prior to", "leading up to", "ahead of", "preceding", "preceded", "precede", "precedes", "earlier than",
        "in advance of", "previous to", "beforehand", "之前", "以前", "前", "前面", "前边", "前头", "发生前", "发生之前", "发生以前", "此前", "在此之前", "触发前", "触发之前"]),
    (Word::After, &["right behind", "在这之后", "这之后", "那之后", "自那以后", "自那之后", "从那以后", "在这以后", "在那以后", "那以后", "这以后", "其后", "往后", "继", "after", "following", "followed", "follow", "follows", "later than", "subsequent to", "afterwards", "afterward", "thereafter",
        "之后", "以后", "后", "过后", "后面", "后边", "后头", "结束后", "结束之后", "结束以后", "发生后", "发生之后", "发生以后", "完之后", "完以后", "完后", "此后",
        "在此之后", "在那之后", "触发后", "触发之后", "解除后", "解除之后"]),
    (Word::Since, &["从那时起", "自那时起", "从那一刻起", "从那会儿起", "从那时开始", "from the moment", "from the time", "from the point", "from the instant", "starting at", "beginning at", "beginning with", "from then on", "since", "starting from", "starting with", "counting from", "beginning from", "ever since", "since then", "以来", "到现在", "至今", "以来到现在", "之后到现在", "以后到现在", "后到现在", "之后至今", "以后至今", "之后到目前为止", "以后到目前为止", "之后到现在为止", "以后到现在为止", "后到现在为止", "之后直到现在", "以后直到现在", "之后一直到现在为止", "之后一直到现在", "直到现在", "一直到现在", "到此刻", "到这会儿"]),
    (Word::Around, &["either side of", "on each side of", "both sides of", "around", "before and after", "on either side of", "on both sides of", "前后"]),
    (Word::Between, &["夹在当中", "夹在中间", "夹在其间", "夹在这当中", "between the hours of", "b w", "betwixt", "in the time between", "in the interval between", "anywhere between", "sometime between", "between", "fell between", "fall between", "in between", "之间", "其间", "间"]),
    (Word::And, &["and", "but", "和", "与", "跟", "以及", "及"]),
    (Word::From, &["自打", "打", "打自", "from", "从", "自", "自从", "打从"]),
    (Word::To, &["to", "到", "至", "直到", "一直到"]),
    (Word::Until, &["up till", "right up to", "right up until", "by", "截至", "截止到", "截止", "截至到", "直到", "until", "till", "up until", "up to the", "by the", "by the time of", "为止"]),
    (Word::Next, &["next", "then", "下一次", "下一个", "下次", "下一条", "下一回", "下一起", "下一件", "接下来", "接着", "然后", "随后", "后一次", "后一条",
        "后一个", "后续", "接下来的", "往下"]),
    (Word::Previous, &["previous", "上一件", "前一件", "前一条", "前一个", "上一条"]),
    (Word::Just, &["most closely", "most immediately", "soonest", "closely", "just", "right", "nearest", "closest", "immediately", "directly", "shortly", "straight", "instantly", "the moment", "moments", "the instant", "the very moment",
        "就", "紧接着", "紧挨着", "紧接", "刚", "刚刚", "刚好",
        "马上", "立即", "立刻", "随即", "紧", "紧跟着", "紧跟", "紧接在", "紧随", "一刻", "离它最近的", "离它最近", "离其最近的", "紧邻", "紧随其", "即刻", "当即", "紧挨", "挨着", "旋即"]),
    (Word::SoFar, &["until now", "and now", "up to now", "till now", "right up to now", "to now", "to the present", "up until now", "到目前为止", "目前为止", "截至目前", "截止目前", "截至目前为止", "截止到目前", "截至现在", "截止到现在", "迄今", "迄今为止", "至今为止",
        "到现在为止", "直到目前为止", "直到目前"]),
    (Word::Other, &["other", "others", "another", "further", "additional", "more", "别的", "其他", "其它", "另外的", "另外", "其余", "其余的", "其他的", "其它的", "更多"]),
    (Word::Closest, &["closest first", "closest one first", "nearest first", "nearest one first", "the closest first", "the closest one first", "the nearest first", "the nearest one first", "由近到远", "由近及远", "从近到远", "先近后远"]),
    (Word::Once, &["once", "as soon as"]),
];

/// Ways to ask for something that say nothing of it.
#[rustfmt::skip]
const ASKING_OF: &[&str] = &[
    "please", "thanks", "thank you", "thank you very much", "thanks a lot", "many thanks", "hi", "hello", "hey", "ok", "okay", "well", "so",
    "kindly", "can you", "could you", "would you", "will you", "can you tell me", "could you tell me", "can we", "could we", "could i", "can i",
    "could i see", "can i see", "could i get", "can i get", "may i see", "may i know", "would you mind telling me", "would you tell me", "i d like", "i d like to", "i d like to see",
    "i d like to know", "i would like", "i would like to", "i would like to see", "i would like to know", "i want", "i want to", "i want to know",
    "i want to see", "i need", "i need to", "i need to know", "i need to see", "i m looking for", "i am looking for", "i m after", "i m interested in",
    "i am interested in", "i m asking for", "i m asking about", "we d like to know", "we d like to see", "we d like", "we want to know",
    "we want", "we need", "we need to know", "let me know", "let me see", "let s see", "do you know", "do we know", "do you remember", "do you recall", "can you recall",
    "can you remember", "can you say", "i wonder", "i was wondering", "i mean", "i only mean", "i only need", "i only want", "i just want",
    "i just need", "i just want to know", "i m curious", "just tell me", "just show me", "just give me", "just list", "just count", "just the", "only", "quick question", "one question",
    "a quick question", "a question", "if possible", "if any", "if so", "and if so", "if there were any", "for me", "for us", "pull up", "look up", "for the report",
    "say", "namely", "specifically", "that is", "of interest", "as a list", "as a table", "want to know", "need to know", "wondering", "curious", "may i ask",
    "请", "请问", "请你", "请您", "麻烦", "麻烦你", "麻烦您", "劳驾", "谢谢", "谢谢你", "多谢", "你好", "您好", "帮我", "帮忙", "请帮我", "帮我看看", "帮我看一下", "帮我查一下",
    "帮我查", "帮我查查", "帮我列", "帮我列出", "帮我找", "帮我数", "帮我数一下", "帮我统计", "帮我统计一下", "我想知道", "我想了解", "我想看", "我想看看", "我想查", "我想查一下", "我想问",
    "我想问一下", "我想问问", "想知道", "想问", "想问一下", "想问问", "想看", "想看看", "想查", "想查一下", "想了解", "想了解一下", "我要", "我要知道", "我要看", "我要查", "我要的是",
    "我需要", "我需要知道", "我只要", "我只想知道", "我只想看", "我只看", "只要", "只需要", "只看", "只列", "只数", "我是说", "我的意思是", "我指的是", "我说的是", "指的是", "我问的是", "也就是", "也就是说", "就是说",
    "能不能告诉我", "能告诉我", "能否告诉我", "可以告诉我", "可否告诉我", "你能告诉我", "你能不能告诉我", "能不能", "能否", "能帮我", "能不能帮我", "可以帮我", "你能帮我", "能说说", "能列出", "能列一下", "能给我", "能不能给我", "可以给我", "能查到", "能查一下",
    "你知道", "你还记得", "还记得", "你记得", "记得", "如果有", "如果有的话", "有的话", "若有", "如有", "我们", "咱们", "吧", "嘛", "哈", "哦", "嗯", "那么", "话说",
];
