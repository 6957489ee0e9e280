//! The words of reports, by what they do in a sentence. English and Chinese.

use std::sync::LazyLock;

use super::super::phrases::Phrases;

/// What a word or phrase does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LexicalClass {
    /// Nothing of its own: only its letters are those of another one.
    Plain,
    /// Announces what is still to be done.
    Plan,
    /// The same, where it begins a clause.
    PlanAtStart,
    /// Asks somebody to do something.
    Request,
    /// Asks for an answer.
    Question,
    /// The same, where it begins a clause.
    QuestionAtStart,
    Wish,
    Guess,
    /// Says nothing of the step; a clause of nothing else is left out.
    Chatter,
    /// Says who said it.
    Hearsay,
    /// What comes after it, or the clause that it begins, is why.
    Because,
    /// The clause that it begins is what came of the one before.
    Therefore,
    /// A verb of causing, between cause and effect.
    Causes,
    /// The reason of what the sentence before says.
    Reason,
    /// An order, or a thing to keep to, wherever it stands.
    Rule,
    /// The same, where it begins a clause.
    RuleAtStart,
    /// "Always", "never": a rule before an imperative.
    Ever,
    /// An imperative that is a rule when it says for what, when or how much.
    Imperative,
    /// For what, when or how much.
    Scope,
    /// Another claim follows.
    But,
    /// What a sentence may call itself before a colon.
    Label,
    /// Joins two of a kind.
    And,
    /// Opens a clause that needs another one after or before it.
    Condition,
    /// A preposition that says nothing of a place.
    Preposition,
    /// The clause that it ends needs another one after it: 时.
    ConditionEnd,
    /// Opens a clause that belongs to the one before.
    Relative,
    /// It went well.
    Good,
    /// It did not go well.
    Bad,
    /// It was done.
    Done,
    /// A past tense that `-ed` does not show.
    Past,
    /// A verb that says how much of something was set, held or measured.
    Measured,
    /// An act that a step is named by: grasp, insertion, 抓取.
    Act,
    /// An attempt, which says nothing of how it ended.
    Tries,
    Not,
    Is,
    Was,
    /// A verb, or another word, that says what a thing is like.
    Attribute,
    /// A preposition of place.
    At,
    /// A verb of being somewhere.
    Lies,
    /// What a number can be a value of.
    Parameter,
    /// The same, of how something is handled: it says little without what that is.
    Handling,
    /// It, they, 它.
    Pronoun,
    /// Its, their, 其.
    Possessive,
    /// This, that: a pronoun when no noun follows.
    Demonstrative,
    /// The one who speaks.
    Speaker,
    /// Somebody who is no thing.
    Person,
    /// Says how, and nothing by itself.
    Adverb,
    /// About a number: 大概, roughly.
    About,
    /// Everything, all: says nothing by itself.
    Vague,
    /// 把, 将: the object follows.
    Takes,
    /// A verb of handling in Chinese, after which its object follows.
    Handles,
}

use LexicalClass::*;

#[rustfmt::skip]
const WORDS: &[(LexicalClass, &[&str])] = &[
    (Plan, &[
        "i will", "i ll", "we will", "we ll", "will now", "will then", "will next", "going to", "gonna", "plan to", "plans to", "planning to",
        "planned to", "about to", "intend to", "intends to", "want to", "wants to", "wanted to", "want", "wants", "let me", "up next", "next up", "will try", "will retry",
        "will check", "will continue", "will proceed", "will be", "next step", "next steps", "next task", "needs to be", "need to be", "needs to", "need to",
        "still to do", "to do", "todo", "remains to be", "yet to be", "as a next step", "used to be", "used to have", "i shall", "we shall", "i d like", "we d like", "would like",
        "will", "shall we", "waiting for", "wait for", "awaiting", "scheduled for", "tomorrow", "later today", "next shift", "next week", "next run",
        "ready to", "ready for", "looking to", "hoping to", "pending", "in the next", "for the next", "before the next",
        "接下来", "下一步", "下面我", "接着我", "随后我会", "稍后", "待会", "等会", "等下", "马上", "即将", "打算", "准备", "计划", "我会", "我将", "我要", "我来", "我去",
        "我们会", "我们将", "我们要", "将要", "将会", "想要", "想试", "我想", "下一个任务", "下一轮", "待办", "有待", "待处理", "待确认", "还需要", "还要", "还得", "需要再", "要再",
        "明天", "后续会", "后续再", "后续将", "再去", "再来", "等待", "等着", "有空再", "回头", "之后会", "之后再", "然后会", "然后再", "下次再", "下次会", "下次尝试", "下次试", "目标是",
        "正准备", "拟", "改天", "晚点", "一会儿", "先去", "需要检查", "需要确认", "需安排", "待检查",
    ]),
    (PlanAtStart, &[
        "next", "now for", "now to", "then next", "todo", "now let", "let", "lets", "try to", "trying to", "time to", "continue with", "continuing with",
        "proceed", "proceeding to", "proceeding with", "moving on", "moving on to", "on to the next", "going back to", "heading to", "goal", "the goal is", "the plan is",
        "will", "now moving", "now going", "下次", "继续", "再试", "目标", "现在去", "现在开始",
    ]),
    (Request, &[
        "please", "could you", "can you", "would you", "will you", "could someone", "can someone", "could somebody", "can somebody", "can anyone", "kindly", "let me know", "would somebody",
        "request", "requesting", "requested to", "asking for", "need someone", "we should", "i should", "应该买", "应该换", "someone should", "somebody should", "someone has to", "somebody has to", "ask", "suggest", "suggested", "recommend", "recommended", "i would suggest", "i d suggest", "remind me", "help me", "tell me", "advise",
        "请", "麻烦", "帮我", "帮忙", "能否", "能不能", "可否", "可不可以", "要不要", "是否", "是不是", "告诉我", "烦请", "劳烦", "申请", "建议", "尽量", "尽可能", "派人", "让人", "通知", "联系",
    ]),
    (Question, &["吗", "么", "为什么", "怎么回事", "怎么办", "有没有", "什么时候", "哪个", "哪里", "多少", "如何", "怎么", "何时", "什么原因", "什么情况", "why is", "why did", "why does", "how come"]),
    (QuestionAtStart, &[
        "should i", "should we", "should it", "shall i", "what", "why", "how", "which", "who", "when is", "when will", "when do", "when should", "where is", "where are", "where did",
        "where should", "whose", "any idea", "any ideas", "anyone know",
        "谁", "什么", "几",
    ]),
    (Wish, &[
        "i wish", "wish", "wishes", "i hope", "hope", "hopes", "hopefully", "hoping", "would be nice", "would be great", "would be good", "would be better", "would help", "would love", "if only", "it d be", "ideally", "should have", "could have been",
        "would have", "would", "fingers crossed", "with luck", "with any luck", "looking forward", "希望", "但愿", "盼", "期待", "最好能", "要是能", "如果能", "就好了", "该多好", "巴不得", "本应", "本来应该", "早知道", "真想", "真是", "太棒了", "糟透了", "理想情况下",
    ]),
    (Guess, &[
        "maybe", "perhaps", "possibly", "probably", "presumably", "supposedly", "apparently", "might", "may be", "may have", "may need", "may not have", "may also", "may still", "may well", "may", "could be", "could have", "could also", "could well", "must have", "must have been",
        "i think", "we think", "i guess", "i suppose", "i believe", "we believe", "i assume", "i suspect", "we suspect", "suspect", "suspects", "suspected", "my guess", "guess", "guessing", "assume", "assuming", "assumed", "seems", "seem", "seemed", "seemingly",
        "appears to", "appear to", "appeared to", "appears", "looks like", "look like", "looked like", "looks as if", "looked as if", "feels like", "felt like", "sounds like", "sounded like", "likely", "unlikely", "most likely", "not sure", "unsure", "unclear", "uncertain", "no idea", "unknown", "not certain", "not clear",
        "hard to say", "hard to tell", "who knows", "wonder", "wondering", "potentially", "conceivably", "it is possible", "it s possible", "is possible that", "in my opinion", "i feel", "as if", "as though", "kind of", "sort of", "i m not", "i doubt", "doubt", "doubtful", "should be fine", "should be ok", "should be okay",
        "should be good", "should be enough", "should work", "should do", "should hold", "should fit", "should help", "arguably", "theoretically", "in theory", "don t know", "do not know", "does not know", "cannot tell", "can not tell", "expect", "expected to", "expects",
        "可能", "也许", "或许", "大概是", "大概率", "大概因为", "大概由于", "估计", "似乎", "好像", "貌似", "我觉得", "我猜", "觉得", "吧", "猜", "猜测", "推测", "应该是", "应该在", "应该已", "应该会", "应该没", "应该不会", "应该能", "应该可以", "应该就", "应该够", "恐怕", "说不定", "看起来", "看上去", "看样子", "看来", "怀疑", "不确定", "不清楚",
        "不太清楚", "不知道", "不明", "未知", "待定", "疑似", "没准", "兴许", "八成", "多半", "感觉", "我认为", "我想是", "不好说", "难说", "也有可能", "有可能", "不一定", "未必", "理论上", "会不会", "难道", "据推断", "未确认", "尚未确认", "待查",
    ]),
    (Chatter, &[
        "ok", "okay", "okey", "alright", "right", "well", "hmm", "hm", "mhm", "um", "uh", "uhm", "ah", "oh", "oops", "wow", "hey", "hi", "hello", "yes", "yeah", "yep", "no problem", "no problems", "no worries", "thanks", "thank you", "cheers", "sorry", "sure", "great", "nice", "cool", "perfect", "excellent", "good",
        "fine", "all good", "all fine", "all done", "all set", "all clear", "done", "finished", "that s it", "that is it", "that s all", "that is all", "see you", "got it", "roger", "copy that", "understood", "ready", "ready when you are", "here we go", "let see", "good job", "well done", "looks good", "look good", "looking good", "so far so good", "so far",
        "nothing special", "nothing to report", "nothing else", "business as usual", "as usual", "as always", "no comment", "anyway", "by the way", "btw", "fyi", "long story short", "to be honest", "honestly", "interesting", "funny", "strange", "odd", "weird", "bummer", "damn", "finally", "phew", "morning", "good morning", "hello everyone", "good evening",
        "that went well", "went well", "went fine", "went smoothly", "worked well", "works well", "no issue", "no issues", "no luck", "what a day", "bye", "and so on", "of course", "i see", "as expected", "no surprise", "nothing unusual",
        "好", "好的", "好吧", "好了", "好嘞", "嗯", "嗯嗯", "哦", "噢", "啊", "哎", "哎呀", "唉", "哈", "哈哈", "行", "行吧", "可以了", "收到", "明白", "明白了", "知道了", "谢谢", "多谢", "辛苦了", "辛苦", "搞定", "完成了", "没问题", "开始", "开工", "收工", "稍等", "等一下", "让我看看", "我看看", "看看", "看一下", "问题不大", "影响不大", "无大碍", "就这样", "没事", "不好意思", "抱歉", "没什么", "不错",
        "很好", "太好了", "挺好", "完美", "真棒", "加油", "你好", "早上好", "大家好", "老样子", "一切正常", "一切顺利", "总之", "顺便说一下", "对了", "说实话", "有点奇怪", "奇怪", "怪了", "真奇怪", "有意思", "算了", "呃", "额", "诶", "哇", "糟糕", "还好", "还行", "再见", "如常", "以上", "就这些", "准备好了", "准备就绪", "准备完毕",
    ]),
    (Hearsay, &[
        "said", "says", "told", "tells", "mentioned", "mentions", "claimed", "claims", "heard", "asked", "asks", "according to", "reportedly", "wondered", "complained", "joked", "thought", "thinks", "talked", "discussed", "chatted",
        "说", "听说", "据说", "提到", "问", "问了", "讨论", "聊", "抱怨",
    ]),
    (Because, &[
        "because", "because of", "due to", "owing to", "as a result of", "caused by", "thanks to", "on account of", "since", "triggered by", "resulted from", "results from", "stemmed from", "stems from", "attributed to", "traced to", "traced back to",
        "was down to", "is down to", "on the grounds that", "given that", "seeing that", "as a consequence of", "inasmuch as", "brought on by", "brought about by", "induced by", "stems", "came from", "comes from",
        "因为", "由于", "因", "是因", "归因于", "源于", "缘于", "起因于", "鉴于", "起因是", "系因", "皆因",
    ]),
    (Therefore, &[
        "so", "and so", "therefore", "hence", "thus", "consequently", "as a result", "as a consequence", "which is why", "that is why", "that s why", "this is why", "for that reason", "for this reason", "accordingly", "and therefore", "and thus", "which meant", "which means",
        "所以", "因此", "因而", "故", "于是", "结果导致", "以致", "以至于", "以致于", "从而", "致使",
    ]),
    (Causes, &[
        "forced", "forces", "forcing", "meant that", "meaning that", "ruined", "to the point that", "caused", "causes", "causing", "cause", "led to", "leads to", "leading to", "lead to", "resulted in", "results in", "resulting in", "result in", "made it", "which made", "triggered", "triggers", "triggering", "prevented", "prevents", "preventing", "gave rise to", "provoked", "brought about", "induces", "induced", "is to blame for", "was to blame for", "is responsible for", "was responsible for",
        "导致", "造成", "引起", "引发", "使得", "致使", "害得", "触发了", "使", "让", "造成了", "导致了", "引起了", "引发了",
    ]),
    (Reason, &[
        "the reason was", "the reason is", "reason was", "reason is", "the cause was", "the cause is", "root cause was", "root cause is", "root cause", "cause was", "cause is", "reason", "the culprit was", "the culprit is", "culprit was", "this was because", "this is because", "that was because", "that is because", "it was because", "it is because", "the problem was", "the problem is", "the trouble was", "the issue was", "the issue is", "the fault was", "to blame was", "reason for this was", "the reason for this was", "the reason for that was", "this was caused by", "this was due to", "that was due to", "it was due to", "this is due to", "why",
        "原因是", "原因在于", "原因为", "原因", "根因", "根因是", "根本原因是", "根本原因", "这是因为", "那是因为", "主要是因为", "主要原因是", "是因为", "是由于", "是由", "问题出在", "问题在于", "罪魁祸首是", "症结在于",
    ]),
    (Rule, &[
        "we should never", "we should always", "we should not", "we should only", "we should keep", "we should use", "不要",
        "from now on", "from here on", "from here on out", "going forward", "henceforth", "from today on", "in future", "in the future", "must", "must not", "must never", "must always", "shall not", "shall never", "shall always", "shall be", "should not", "should never", "should always", "should be", "should", "should only", "should stay", "should remain", "ought to", "not allowed", "is forbidden", "are forbidden", "forbidden", "prohibited",
        "not permitted", "only allowed", "only permitted", "make sure", "be sure to", "remember to", "mandatory", "under no circumstances", "at all times", "is to be", "are to be", "has to be", "have to be", "may not exceed", "may never", "may only", "cannot exceed", "can not exceed", "always use", "every time", "rule of thumb", "no exceptions", "off limits", "is required", "are required", "needs to be at least", "do not ever", "never ever", "each time", "from tomorrow on", "starting tomorrow", "as of tomorrow", "effective immediately", "otherwise", "never to", "always to", "not to be", "is preferred", "are preferred", "prefers", "as a rule", "has to stay", "have to stay", "not exceed",
        "以后都", "以后一律", "以后请", "以后要", "以后不要", "以后别", "以后就", "以后用", "今后", "从现在起", "从现在开始", "从今以后", "从今往后", "从此", "往后", "日后", "必须", "务必", "一定要", "应当", "应该", "应", "应先", "应使用", "应采用", "应保持", "不应", "不应该", "禁止", "严禁", "不得", "不可以", "不可超过", "不可用", "不许", "不准", "切勿", "勿", "切忌", "切记", "一律", "每次都要", "每次都必须", "每次都", "每次要", "只能用",
        "只允许", "只准", "不允许", "不能超过", "不能大于", "不能高于", "不能低于", "不能小于", "不能超出", "不能少于", "不能再用", "不能放在", "不能放到", "不能放进", "不能叠放", "不能靠近", "不能接触", "不能碰", "不能与", "不能和", "不能混", "不可放", "不可叠", "不可靠近", "不可接触", "不得", "千万不要", "千万别", "绝不能", "绝对不能", "绝不可", "不宜", "优先使用", "优先用", "优先", "首选", "喜欢", "偏好", "习惯", "记得", "规定", "不要超过", "不要用", "不要再", "别用", "别再", "须", "需保持", "均需", "都要先", "都需要先", "都需", "始终保持", "不准许", "要求必须", "限速", "限高", "限重", "每当", "凡是", "凡", "可不能", "都要", "要先", "需先", "需要先", "否则", "不然", "从明天起", "明天起", "即日起", "从下周起", "要用", "需用", "得用", "须用", "保持至少", "至少保持", "最多只能", "至少要", "得先",
    ]),
    (RuleAtStart, &[
        "do not", "don t", "dont", "no more than", "at most", "at least", "avoid", "ensure", "limit", "prefer", "preferably", "only use", "only ever", "as of now", "rule", "in general use", "in general keep", "以后", "别", "不能", "不可", "最多", "至少", "避免", "请勿", "保证", "确保", "注意", "只能", "最高", "最大不", "遇到",
    ]),
    (Ever, &["always", "never"]),
    (Imperative, &["use", "keep", "handle", "store", "treat", "stay", "hold", "grip", "grasp", "approach", "clean", "check", "verify", "wear", "drive", "run", "reduce", "lower", "slow", "stop", "wait", "replace", "pick", "place", "put", "set", "lift", "carry", "push", "press", "move", "leave", "close", "open", "count", "inspect", "wipe", "confirm", "switch", "change", "increase", "raise", "give", "take", "start", "call", "ask", "label", "dry", "wash", "disinfect", "rinse", "turn"]),
    (Scope, &["for",  "below", "above", "under", "over", "every", "each", "away from", "clear of", "near", "during", "between", "than", "only"]),
    (But, &["but", "however", "nevertheless", "nonetheless", "但", "但是", "不过", "然而", "可是"]),
    (Label, &["note", "notes", "info", "observation", "observations", "result", "results", "lesson", "lessons", "lesson learned", "finding", "findings", "remark", "summary", "status", "outcome", "report", "log", "update", "fyi", "comment", "注", "备注", "说明", "结果", "观察", "总结", "记录", "状态", "小结", "教训", "经验", "发现"]),
    (And, &["and", "then", "also", "and then", "plus", "afterwards", "after that", "finally", "in addition", "additionally", "moreover", "furthermore", "meanwhile", "eventually", "并", "并且", "而且", "且", "然后", "接着", "随后", "同时", "另外", "此外", "还", "也", "又", "反正", "最后", "首先", "其次", "再", "之后", "后来", "最终", "随即", "现", "现在", "如今", "此时", "目前"]),
    (Condition, &["if", "when", "while", "after", "before", "once", "until", "unless", "whenever", "as soon as", "as long as", "in case", "provided", "despite", "in spite of", "even if", "even though", "although", "though", "whereas",
        "如果", "若", "要是", "假如", "一旦", "当", "除非", "虽然", "尽管", "即使", "为了", "每次", "只要"]),
    (Preposition, &["从", "向", "往", "由", "沿", "用", "给", "跟", "与", "和", "对", "with", "without", "using", "having", "for", "from", "via", "through", "in order to", "to avoid", "of", "to", "into", "onto", "toward", "towards", "across", "per", "up", "down", "upon", "out of", "off of"]),
    (ConditionEnd, &["时", "的时候", "时候", "的话", "期间", "过程中", "后", "之前", "前", "以前", "情况下", "场合"]),
    (Relative, &["which", "who", "whose", "where", "leaving", "including", "excluding", "namely", "especially", "even", "except", "than", "compared", "versus", "vs", "instead of", "rather than", "such as", "e.g", "i.e", "as", "so that", "其中", "包括", "例如", "比如", "尤其", "特别是", "除", "而不是", "而非", "低于", "高于", "超过", "不足", "多于", "少于", "大于", "小于", "约", "大约", "合计", "共", "共计", "总计", "仅", "达到", "达"]),
    (Good, &["succeeded", "succeed", "succeeds", "success", "successful", "successfully", "completed", "complete", "worked", "passed", "secured", "stable", "accomplished", "ok", "without trouble", "without error", "without errors", "without incident", "without problems", "without issue", "without issues", "as planned", "on the first try", "first try", "achieved", "recovered", "accepted", "delivered", "成功", "顺利", "完成", "达成", "通过", "正常", "合格", "无误", "良好", "恢复", "到位", "完毕", "稳定", "完好", "妥当"]),
    (Bad, &["failed", "fail", "fails", "failure", "failures", "unsuccessful", "unsuccessfully", "aborted", "abort", "timed out", "time out", "timeout", "collided", "collision", "collisions", "slipped", "slip", "slippage", "dropped", "drop", "jammed", "jam", "stuck", "stalled", "crashed", "crash", "broke", "broken", "cracked", "spilled", "spilt", "spill", "tipped", "lost", "missed", "missing", "damaged", "damage", "rejected", "interrupted", "cancelled", "canceled", "blocked", "error", "errors", "fault", "faults", "alarm", "tripped", "overheated", "overheating", "overshot", "could not", "cannot", "can not", "unable to", "was not able to", "would not", "was unable to", "refused", "incomplete", "wrong", "leaked", "leak", "leaking", "emergency stop", "e stop", "scratched", "dented", "bent", "torn", "tore", "fell", "fallen", "disconnected", "lost contact", "froze", "frozen", "denied", "exceeded", "misaligned", "deformed", "collapsed", "spoiled", "burnt", "burned", "contaminated",
        "失败", "未成功", "没成功", "中止", "终止", "中断", "超时", "碰撞", "相撞", "撞", "撞到", "撞上", "滑落", "滑脱", "打滑", "滑动", "滑", "掉落", "掉", "脱落", "跌落", "卡住", "卡死", "卡滞", "卡", "堵", "堵住", "堵塞", "破裂", "破损", "损坏", "破", "碎", "断", "断裂", "断开", "丢失", "丢", "洒", "洒出", "洒了", "溢出", "倾倒", "翻倒", "倒了", "报错", "报警", "告警", "故障", "错误", "异常", "急停", "无法", "不能", "未能", "没能", "夹不住", "抓不住", "吸不住", "放不进", "插不进", "拧不动", "打不开", "够不到", "到不了", "不上", "不了", "偏移", "偏位", "歪", "变形", "刮伤", "划伤", "漏", "漏气", "漏液", "泄漏", "过热", "过载", "过流", "松脱", "脱手", "取消", "拒绝", "不合格", "漏检", "误检", "误抓", "抓空", "污染", "脱轨", "停机", "宕机", "死机", "离线", "掉线", "掉电"]),
    (Done, &["已经", "已", "了", "完", "好了", "done", "finished", "has been", "have been", "had been"]),
    (Past, &["put", "took", "held", "found", "got", "went", "came", "ran", "hit", "left the", "left it", "left a", "left at", "left in", "left on", "left behind", "made", "gave", "slid", "began", "brought", "caught", "cut", "did", "drew", "drove", "fed", "flew", "hung", "laid", "lit", "met", "rose", "saw", "shut", "spun", "split", "spread", "stood", "swept", "swung", "turned", "threw", "won", "wrote", "built", "bought", "chose", "sank", "shrank", "shook", "shot", "wound", "dug", "bound", "unwound", "took out", "put down", "sent", "withdrew", "undid", "overran", "fit", "let go", "became", "struck", "stole", "dealt", "lay", "led", "ground", "lent", "rang", "slept", "spent", "stuck to"]),
    (Measured, &["set", "used", "reached", "measured", "read", "showed", "lasted", "peaked", "kept", "applied", "held at", "held with", "limited", "adjusted", "lowered", "raised", "increased", "reduced", "decreased", "settled", "averaged", "tuned", "regulated", "amounted", "stayed", "rose", "dropped to", "fell to", "went up", "went down", "took", "ran at", "logged", "recorded", "registered", "dialed", "configured", "clocked", "ranged", "came to", "stabilized", "stabilised", "set to", "used up", "needed", "required", "cost",
        "设为", "设置为", "设定为", "调到", "调至", "调为", "降到", "降至", "降为", "升到", "升至", "达到", "测得", "实测", "保持在", "控制在", "用时", "耗时", "历时", "约为", "仅为", "只有", "为", "改为", "采用", "使用", "设到", "稳定在", "维持在", "读数", "显示", "设定", "限制在", "增加到", "减小到", "提高到", "降低到", "持续", "停留", "花了", "用了", "本次用", "这次用"]),
    (Act, &["grasp", "grasps", "grasping", "pick", "picks", "picking", "grip", "place", "placement", "placing", "insertion", "inserting", "attempt", "attempts", "run", "scan", "scans", "scanning", "transfer", "move", "approach", "lift", "lifting", "handover", "calibration", "docking", "navigation", "detection", "assembly", "screwing", "pouring", "wiping", "cleaning", "delivery", "pickup", "unloading", "loading", "mission", "task", "step", "motion", "trajectory", "cycle", "retry", "regrasp", "release", "sorting", "packing", "weighing", "inspection", "test", "measurement", "planning", "localization", "door opening", "opening", "closing", "stacking", "pipetting", "dispensing", "mixing", "homing", "charging", "welding", "palletizing", "depalletizing", "drop off", "dropoff", "pull", "push", "alignment", "tightening", "operation", "procedure", "experiment", "trip", "drive", "route",
        "抓取", "夹取", "抓", "插入", "放置", "移动", "搬运", "扫码", "扫描", "标定", "对接", "导航", "检测", "装配", "拧紧", "倒水", "擦拭", "清洁", "配送", "递送", "装载", "卸载", "任务", "步骤", "轨迹", "重试", "释放", "分拣", "包装", "称重", "测量", "规划", "定位", "开门", "码垛", "移液", "搅拌", "回零", "充电", "焊接", "吸取", "识别", "操作", "实验", "取料", "上料", "下料", "对准", "加热", "冲洗"]),
    (Tries, &["tried to", "attempted to", "tried", "attempted", "trying", "试图", "试着", "尝试了", "尝试", "试了", "设法"]),
    (Not, &["not", "no", "never", "without", "none", "nothing", "nobody", "neither", "nor", "hardly", "zero", "没有", "没", "未", "不", "无", "并未", "从未", "尚未", "毫无", "并没有"]),
    (Is, &["is", "are", "s", "re", "是", "不是", "属于", "都是"]),
    (Was, &["was", "were", "been", "being"]),
    (Attribute, &["weighs", "weigh", "weighed", "contains", "contain", "holds", "has", "have", "had", "made of", "made from", "consists of", "consist of", "belongs to", "fits", "fit", "sticks", "wobbles", "leaks", "slips", "tips", "bends", "breaks", "drifts", "costs", "lacks", "opens", "closes", "runs", "needs", "turns", "slides", "rotates", "rattles", "squeaks", "reads", "tilts", "spans", "supports", "accepts", "comes", "expands", "shrinks", "melts", "overheats", "vibrates", "jams", "tends to", "reflects", "absorbs", "covers", "carries", "takes", "starts", "stops", "works", "reaches", "there is", "there are", "there was", "there were", "measures", "becomes", "gets", "gives", "loses", "blocks", "need", "require", "requires", "can hold", "can carry", "can only", "can be", "can", "cannot",
        "重", "重量", "有", "共有", "含有", "含", "装有", "带有", "材质", "材料", "直径", "长度", "宽度", "厚度", "宽", "高", "厚", "颜色", "外径", "内径", "净重", "容量", "一般", "通常", "平时", "往往", "缺", "缺少", "缺失", "缺货", "不足", "很", "太", "较", "偏", "比较", "非常", "易碎", "容易", "易", "过", "过于", "只剩", "剩", "剩余", "还有", "还剩", "磨损", "空", "满", "松", "松动", "锋利", "光滑", "反光", "透明", "潮湿", "柔软", "硬", "软", "热", "冷", "旧", "新", "贴反", "反", "做的", "制成", "制", "型号", "编号", "属于", "会", "才能", "能够", "可以", "需要", "用于", "负责", "能", "长", "最大", "最小", "最多", "太大", "太小", "太松", "太紧", "老化", "开裂", "生锈", "油污", "脏", "湿", "湿滑", "烫", "粘", "堆满", "装满", "装着", "可承受", "能承受", "能装"]),
    (At, &["in", "on", "at", "under", "underneath", "behind", "beside", "above", "below", "next to", "left of", "right of", "to the left of", "to the right of", "on the left", "on the right", "on the left of", "on the right of", "in front of", "inside", "outside", "near", "between", "over", "beneath", "against", "close to", "opposite", "along", "by", "within", "attached to", "taped to", "clipped to", "tied to", "bolted to", "fastened to", "screwed to", "connected to", "on top of", "at the back of", "at the end of", "across from", "adjacent to", "upstairs", "around", "among", "in the middle of", "to the north of", "to the south of", "beyond", "off"]),
    (Lies, &["lies", "lie", "sits", "sit", "stands", "stand", "hangs", "hang", "located", "stored", "kept", "parked", "mounted", "stays", "belongs", "belong", "rests", "goes", "placed", "situated", "positioned", "found", "installed", "fixed", "docked", "laying", "lying", "sitting", "standing", "hanging", "位于", "在", "放在", "挂在", "存放在", "存放于", "装在", "摆在", "停在", "安装在", "固定在", "处于", "坐落在", "贴在", "靠在", "插在", "收在", "锁在", "放置在", "置于", "不在", "存在", "落在", "躺在", "搁在", "堆在", "停靠在", "保存在"]),
    (Parameter, &["tension", "stiffness", "strain", "torque limit", "moisture", "gap width", "张力", "风量", "室压", "水分", "误差值", "error", "confidence", "threshold", "battery", "charge", "exposure", "exposure time", "exposure was", "gain", "offset", "deviation", "tolerance", "rate", "flow", "flow rate", "volume", "humidity", "score", "distance", "gap", "position error", "reprojection error", "residual", "cycle time", "latency", "level", "limit", "setpoint", "weight", "mass", "angle", "count", "yield", "accuracy", "brightness", "voltage", "current", "power", "temperature", "frequency", "concentration", "ph", "rpm", "ratio", "length", "width", "diameter", "thickness", "load", "payload", "clearance", "range", "resolution", "peak", "average", "signal", "state of charge", "soc",
        "误差", "置信度", "阈值", "电量", "电池", "曝光时间", "曝光", "增益", "偏差", "偏移为", "公差", "速率", "流量", "流速", "体积", "湿度", "得分", "分数", "距离", "间隙", "间距", "周期", "延迟", "上限", "下限", "液位", "重投影误差", "角度", "准确率", "良率", "亮度", "电压", "电流", "功率", "温度", "频率", "浓度", "转速", "比例", "负载", "分辨率", "精度", "信号强度", "峰值", "平均", "室温", "水温", "油温", "参数", "高度差", "剂量", "液量"]),
    (Handling, &["force", "forces", "grip force", "grasp force", "gripping force", "peak force", "contact force", "insertion force", "push force", "torque", "peak torque", "speed", "velocity", "approach speed", "descent speed", "lift speed", "approach height", "height", "lift height", "depth", "insertion depth", "pressure", "vacuum", "suction", "dwell", "dwell time", "duration", "acceleration", "opening width", "stroke", "travel", "cycle", "time", "took", "lasted", "stiffness", "retries",
        "力", "夹持力", "抓取力", "夹紧力", "握力", "推力", "拉力", "插入力", "压入力", "峰值力", "接触力", "最大力", "扭矩", "力矩", "速度", "接近速度", "抓取速度", "移动速度", "下降速度", "提升速度", "插入速度", "接近高度", "高度", "抬升高度", "深度", "插入深度", "压力", "气压", "真空", "真空度", "吸力", "停留", "时长", "时间", "用时", "耗时", "加速度", "开口", "行程", "刚度"]),
    (Pronoun, &["it", "they", "them", "it s", "itself", "这东西", "它", "它们", "该物体", "该零件", "该件", "此件"]),
    (Possessive, &["its", "their", "它的", "它们的", "其"]),
    (Demonstrative, &["this", "that", "these", "those", "this one", "that one", "the latter", "the former", "这个", "那个", "这", "那", "这些", "那些"]),
    (Speaker, &["i", "we", "me", "us", "我", "我们", "本机"]),
    (Person, &["operator", "operators", "person", "human", "he", "she", "you", "worker", "colleague", "supervisor", "technician", "nurse", "patient", "customer", "chef", "doctor", "visitor", "操作员", "工人", "人员", "同事", "护士", "病人", "患者", "顾客", "厨师", "医生", "主管", "师傅"]),
    (Adverb, &["主要", "主要是", "基本", "基本上", "大部分", "部分", "完全", "仍然", "仍", "直接", "立即", "立刻", "突然", "刚", "刚刚", "一直", "都", "均", "才", "就", "全部", "全都", "只", "这才", "又", "其实", "确实", "明显", "稍微", "略", "略微", "有点", "有些", "一点", "一下", "just", "only", "even", "too", "very", "quite", "rather", "again", "already", "still", "now", "here", "there", "today", "yesterday", "always", "away", "back", "somewhat", "slightly", "twice", "thrice", "together", "mainly", "a bit", "a little"]),
    (About, &["about", "approximately", "approx", "roughly", "around", "nearly", "almost", "ca", "circa", "大约", "约", "大概", "左右", "差不多", "将近"]),
    (Vague, &["everything", "something", "anything", "things", "thing", "all", "stuff", "situation", "rest", "result", "一切", "全部", "情况", "东西", "整体"]),
    (Takes, &["把", "将"]),
    (Handles, &["采收", "收割", "收获", "运送", "运到", "运走", "运回", "取样", "分装", "归档", "登记", "录入", "拆开", "拆箱", "开箱", "挑选", "拣选", "拣出", "吊起", "托起", "插上", "拔出", "拔掉", "接上", "接通", "连接", "调整", "调节", "校正", "刷洗", "拖地", "扫地", "吸尘", "熨烫", "缝合", "注射", "抽取", "裁切", "裁", "预热", "预冷", "抓取", "抓起", "抓住", "抓", "夹取", "夹起", "夹住", "夹紧", "拿起", "拿到", "拿", "取出", "取下", "取走", "取回", "放置", "放入", "放到", "放下", "放好", "放进", "放回", "放上", "放在", "插入", "插进", "拧紧", "拧开", "拧", "移动", "移到", "移至", "移开", "移入", "搬运", "搬到", "搬", "递给", "递到", "递", "交给", "吸取", "吸起", "吸住", "推开", "推到", "推", "拉开", "拉到", "拉", "打开", "关闭", "关上", "拉上", "检测到", "识别到", "扫描", "扫到", "分拣", "装配", "安装", "装上", "装入", "装进", "拆下", "拆除", "清洗", "清理", "清除", "清空", "更换", "替换", "换上", "换成", "换", "端到", "端", "送到", "送达", "送至", "送", "倒入", "倒进", "倒出", "切", "切成", "切开", "按下", "按", "丢失", "擦拭", "擦", "擦干", "旋转", "翻转", "转到", "转动", "找到", "看到", "到达", "抵达", "进入", "离开", "返回", "回到", "驶入", "驶出", "通过了", "停靠", "停在了", "完成了", "签收", "收到", "接收", "领取", "取料", "上料", "下料", "卸下", "卸货", "装载", "装车", "码放", "码垛", "堆叠", "摆放", "摆好", "贴上", "贴", "撕下", "剪断", "剪", "焊接", "焊", "喷涂", "喷", "涂抹", "涂", "加热", "冷却", "加入", "加", "注入", "滴加", "吸出", "移液", "混合", "搅拌", "摇匀", "离心", "称量", "称重", "称", "测量", "量", "标定", "校准", "记录", "拍摄", "拍照", "拍", "读取", "读出", "写入", "上传", "下载", "发送", "播放", "提醒", "通知了", "已通知", "已联系", "已请", "已申请", "已告知", "已上报", "叫", "打包", "封装", "密封", "盖上", "盖好", "拉出", "推入", "推进去", "抽出", "举起", "抬起", "抬升", "提起", "升起", "降下", "放低", "压入", "压紧", "压", "敲", "挂上", "挂", "晾", "晒", "叠好", "叠", "折叠", "洗", "洗净", "冲洗", "烘干", "消毒", "灭菌", "煮", "炒", "煎", "烤", "蒸", "切换到", "切换", "启动", "停止", "重启", "复位", "回零", "对接", "充电", "补充", "补", "添加", "填充", "填满", "倒掉", "扔掉", "扔", "丢弃", "捡起", "捡", "收集", "收拾", "整理", "归位", "归还", "巡检", "巡逻", "绕行", "避让", "避开", "躲避", "跟随", "引导", "陪同", "搀扶", "扶", "采集", "采样", "采摘", "摘", "修剪", "浇", "浇水", "播种", "施肥", "挖", "铺", "钻孔", "钻", "打磨", "抛光", "切割", "拼接", "对齐", "对准", "锁紧", "锁上", "解锁", "松开", "释放", "固定", "夹持", "撞到", "碰到", "触碰", "识别", "定位", "导航到", "行驶到", "走到", "开到", "跑到", "前往", "穿过", "越过", "爬上", "下楼", "上楼", "乘坐"]),
    (Plain, &[
        "不要紧", "不要求", "吧台", "酒吧", "热床", "喷嘴", "喷头", "切刀", "量杯", "量筒", "拍照", "加热板", "要不要紧",
        "备用", "门禁卡", "工卡", "刷卡", "网卡", "房卡", "内存卡", "存储卡", "读卡", "磁卡", "卡号", "卡口", "预备", "设备", "装备", "配备", "备件", "备份",
        "应急", "应用", "响应", "反应", "适应", "供应", "相应", "应力", "应变", "应答", "感应", "效应", "应为", "应有", "习惯性", "一般的",
        "功能", "性能", "智能", "能力", "能量", "能源", "节能", "只能", "技能", "机能", "都市", "成都", "就位", "就绪", "刚性", "刚度", "人才", "全部件", "一点点", "均匀", "平均", "只读", "一只", "两只", "三只",
        "right now", "right side", "right hand", "right arm", "right gripper", "good parts", "good side", "well plate", "well plates", "fine mesh", "drop zone", "drop off zone", "pick list", "place holder", "as soon as possible", "no problem", "run out", "next to", "time of flight", "test tube", "test tubes", "still image", "left arm", "left hand", "left side", "left gripper", "the left", "ground floor", "let go of", "fixed", "may 2026",
        "这么", "那么", "除了", "了解", "极了", "罢了", "目的地", "将近", "因子", "因素", "受力", "受控", "接受", "准备好", "可能性", "计划路径", "规划路径", "过程", "通过率", "经过", "超过", "不过滤", "通知单", "请求", "联系人", "好像素", "感觉器", "中间", "中心", "后面", "后方", "后侧", "后门", "前面", "前方", "前侧", "前门", "后端", "前端", "前臂", "后轮", "前轮", "实时", "及时", "按时", "定时", "小时", "临时", "时钟", "同时", "时间戳", "有效", "有限", "所有", "只有", "没有", "有人", "拥有", "具有",
        "存在", "所在", "正在", "在线", "还是", "总是", "但是", "可是", "或是", "就是", "只是", "实在", "是非", "为止", "行为", "因为", "为何", "分为", "作为", "成为", "认为", "变为", "高亮", "提高", "高压", "高度", "高速", "过高", "长边", "延长", "生长", "成长", "很好", "新鲜", "空气", "空间", "航空", "空调", "空载", "真空", "满足", "满意", "重新", "重复", "重启", "重置", "重试", "重心", "严重", "重要", "多重", "双重", "放松", "松开", "松手", "热水", "冷却", "硬件", "软件", "软管", "硬盘", "倒车", "反复", "反馈", "反应", "相反", "反向",
        "换行", "行程", "进行", "运行", "执行", "行走", "飞行", "平行", "行驶", "两行", "自行", "行人", "行列", "卡片", "卡车", "卡扣", "卡盘", "卡槽", "卡爪", "断电", "判断", "诊断", "不断", "中断点", "丢弃", "漏斗", "粉碎", "碎片", "破碎机", "掉头", "撞针", "使用", "即使", "大使", "让开", "让位", "以及", "可以", "所以", "难以", "以内", "以上", "以下", "以外", "予以", "从而", "从来", "对应", "对齐", "对准", "对角", "对接", "相对", "绝对", "应对", "反对", "按钮", "按键", "用于", "用户", "用力", "用途", "作用", "常用", "专用", "占用", "通用", "启用", "禁用",
        "当前", "适当", "相当", "当天", "当中", "因此", "再次", "再生", "现场", "出现", "发现", "实现", "表现", "现象", "也门", "还原", "归还", "推车", "拉链", "推杆", "拉杆", "拉手", "推进", "倒角", "切换", "按压", "端口", "端子", "末端", "两端", "终端", "顶端", "底端", "送料", "搬运车", "拿铁", "卡尺", "拧紧机", "无尘", "无线", "无人", "无菌", "无锁", "不锈钢", "不同", "不断", "不仅", "不但", "不良", "不干胶", "未来", "关于", "把手", "将军", "容易",
        "好坏", "爱好", "友好", "恰好", "正好", "只好", "刚好", "良好", "最好", "完整", "完全", "完好", "看到", "看见", "查看", "额定", "额外", "额头", "啊", "哈密", "开始时", "开始前", "开始后", "停留在", "问题", "提问", "访问", "说明", "说明书", "演说", "听到", "几何", "几乎", "什么都", "谁都", "不行", "其他", "其它", "其中", "其余", "尤其", "目前", "之后", "最后", "背后", "滑轨", "滑块", "滑轮", "滑台", "光滑", "润滑", "平滑", "堵头", "停机位", "倒数", "故障码", "错误码", "完成度", "完毕", "完成率", "前臂", "须知", "无须", "必须", "会议", "机会", "重物", "载重", "负重", "举重", "超重", "长方", "较准", "校准", "偏差", "偏移", "太阳", "太空", "软垫", "新增", "更新", "重新", "刷新", "干净", "拟合", "模拟", "虚拟", "凡士林", "平凡", "别人", "别的", "分别", "识别", "级别", "类别", "区别", "特别", "建议值", "注意到", "首选项", "优先级", "最高温度", "最大值", "最小值", "制动", "控制", "限制", "复制", "机制", "制程", "制冷", "定制", "抑制", "反光", "反了",
    ]),
];

/// All of them. Of one phrase in several rows the first counts.
pub(super) static CUES: LazyLock<Phrases<LexicalClass>> = LazyLock::new(|| Phrases::of(WORDS));
