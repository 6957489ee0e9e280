//! The words by which a report tells its attempts apart, and how each ended. English and Chinese.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::super::super::items::{Item, ItemKind};
use super::super::super::phrases::Phrases;
use super::super::super::stem::stem;

/// What a word or phrase says of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// It went well.
    Good,
    /// The same where it stands after the values, or in a clause of its own; before them it is what was to be done.
    Result,
    /// It did not.
    Bad,
    /// The same, when nothing else tells: it was given up, a person was called.
    GivenUp,
    /// What follows did not come about.
    Not,
    /// It did not quite come about.
    Nearly,
    /// Nobody knows.
    Unclear,
    /// Its letters are those of another one.
    Neutral,
    /// It is tried.
    Try,
    /// It is tried anew.
    Again,
    /// It is tried in another way.
    Change,
    /// It is told after the one before.
    Later,
    /// It is not told as done.
    Plan,
    /// The clause is a reason.
    Because,
    /// The clause tells of what was before, when it follows another one.
    Earlier,
    /// What came of it: the clause begins anew.
    Then,
    /// Another thing is tried.
    Other,
    /// All that were named.
    All,
    /// The last of those that were named, and no other.
    OnlyLast,
    /// The number beside it was measured, and not set.
    Measured,
    /// The number after it is the one that was not taken.
    Instead,
}

use Mark::*;

#[rustfmt::skip]
const WORDS: &[(Mark, &[&str])] = &[
    (Good, &[
        "success", "successful", "successfully", "succeed", "succeeds", "succeeded", "worked", "works", "did work", "ok", "okay", "pass", "passed", "passes", "fine", "perfect", "perfectly", "intact", "firmly",
        "smooth", "smoothly", "cleanly", "securely", "properly", "correctly", "nicely", "well", "enough", "sufficient", "seated", "clicked", "latched", "yes", "yep", "did it", "did the trick", "did the job", "that did",
        "in one piece", "as planned", "as intended", "as it should", "as expected", "as hoped", "without trouble", "all good", "good", "great", "accepted", "achieved", "accomplished", "made it", "got it", "got there", "home", "flush", "unharmed", "undamaged", "in place",
        "safely", "nothing broke", "nothing happened to", "just right", "was right", "were right", "stable", "steady", "held firm", "held fast", "stayed put", "stayed on", "stayed in", "no longer", "at last", "no sweat", "like a charm",
        "成功", "顺利", "搞定", "到位", "没问题", "没有问题", "无异常", "没事", "够了", "足够", "刚好", "正好", "合适", "完好", "完好无损", "完整无损", "合格", "通过", "达标", "正常", "良好", "牢固", "稳当", "稳稳", "妥当", "解决", "可以了", "就好了", "就行了", "就行", "成了", "行了", "好了", "ok", "一次过", "达成", "完成", "无误", "没毛病", "圆满", "吻合", "恢复正常", "管用", "奏效", "有效",
    ]),
    (Result, &[
        "hung it", "hung the", "turned it", "turned the", "went green", "turned green", "held", "holds", "fit", "fitted", "opened", "open", "closed", "shut", "done", "finished", "complete", "completed", "delivered", "reached", "cleared", "filled", "sealed", "locked", "engaged", "docked", "connected", "came off",
        "came free", "came whole", "went in", "went home", "slid in", "slid home", "dropped in", "dropped into place", "fell into place", "popped in", "snapped in", "snapped into place", "snapped on", "snapped shut", "got across", "got through", "got over", "got past", "got to", "landed", "arrived",
        "caught", "tight", "dry", "level", "straight", "flat", "whole", "sat", "clean", "lit", "lit up", "lighted", "secured", "secure", "stuck fast", "joined", "bonded", "released", "freed", "retrieved", "recovered", "solid", "aligned", "centered", "matched", "responded", "detected", "recognized", "all in", "unlocked", "loosened", "undone", "off in one", "carried",
        "夹住", "抓住", "吸住", "夹牢", "抓牢", "夹稳", "抓稳", "拿稳", "够到", "够着", "拿到", "抓到", "打开", "拧开", "拧紧", "拧好", "拧动", "推动", "拉动", "推开", "拉开", "夹起", "抓起", "拿起", "提起", "吊起", "吸起", "起来", "进去", "过去", "出来", "对上", "扣上", "插上", "插进", "插好", "放平", "放稳", "放好", "放正", "装好", "装上", "装进", "干净", "密封", "贴合", "对齐", "咬合", "锁住", "锁紧", "送到", "搬到", "挂上", "挂住", "粘住", "粘牢", "贴住", "识别出", "识别到", "检测到", "读出", "读到", "平稳", "平整", "平滑", "很稳", "稳", "牢", "行", "可以", "取出", "取下", "撕下", "脱开", "合上", "关上", "关严", "对准", "对接", "吃上劲", "均匀", "满了", "平了", "齐了", "动了", "开了", "亮了", "进了", "过了", "通了", "响了", "转了", "合上了", "干了", "匀了", "熟了", "熄了", "到了", "停住", "停稳", "站稳", "立住", "接住", "端稳", "够得着", "拧得动", "打得开", "夹得住", "吸得住", "抓得住", "进得去", "放得下", "过得去", "推得动",
    ]),
    (Bad, &[
        "no luck", "no good", "no go", "nope", "in vain", "to no avail", "came to nothing", "come to nothing", "to nothing", "no use", "nothing happened", "no effect", "no movement", "no reaction", "no response", "no change", "no contact", "no seal", "no signal", "no success", "without success", "without effect", "without result", "without luck",
        "timed out", "time out", "timeout", "went wrong", "gave way", "gave out", "let go", "slid out", "slid off", "slid down", "slid away", "slid back", "slid along", "slid", "fell", "fallen", "fell off", "fell out", "fell over", "fell through", "fell short", "fell down", "came loose again", "came apart", "came undone", "popped off", "popped out", "popped open", "popped up", "popped back", "flew off", "flew out", "flew away", "rolled off", "rolled away", "rolled back", "backed out", "turned back", "on the floor", "stayed red", "went red", "turned red", "peeled off", "blew off", "shot out", "jumped out", "jumped off", "sprang back", "sprang open",
        "came away empty", "came up empty", "came out empty", "empty", "away empty", "stayed off", "stayed shut", "stayed closed", "stayed stuck", "stayed dark", "stayed put in", "stayed open", "stayed where", "remained", "off target", "off center", "off centre", "off course", "off the mark", "lost", "lose", "loses", "broke", "broken", "breaks", "tore", "torn", "bent", "burnt", "burned", "stuck", "swung", "spun", "shook", "split", "sheared", "shear", "not enough", "too",
        "half", "halfway", "half way", "partway", "part way", "only half", "insufficient", "weak", "loose", "wrong", "crooked", "askew", "unstable", "unusable", "still open", "still shut", "still closed", "still loose", "still dripping", "still slipping", "still no", "still not", "still stuck", "short of", "stopped short", "unable to", "unable", "cannot", "emergency stop", "e stop", "protective stop", "safety stop", "out of reach", "out of range", "ran out", "ran into", "ran over", "hit", "hits", "bit",
        "sloshed over", "boiled over", "hung up", "got stuck", "got caught", "got away", "gone", "bad", "poor", "poorly", "badly", "hopeless", "useless", "uneven", "unevenly", "slack", "ajar", "lopsided", "off axis", "wide of", "no joy", "dud", "nok", "not ok", "ng", "rejects", "damaged", "without a result", "came off the", "caught on", "caught in", "caught at", "not good", "lifted off", "lost grip", "lost contact", "went down", "went off", "went askew", "went in crooked", "sank", "dull", "rough", "brittle", "dented", "residue", "streaky", "blurred", "blurry", "undercooked", "overcooked", "raw", "underfilled", "overfilled", "under filled", "leaky",
        "失败", "不行", "不成", "不够", "不到位", "不合格", "不达标", "不通过", "不住", "不动", "不开", "不上", "不了", "不起", "不进", "不稳", "不牢", "不紧", "不平", "不齐", "不准", "不正", "不灵", "不密封", "不管用", "没用", "没反应", "没动静", "没效果", "没到位", "没戏", "白费", "落空", "抓空", "夹空", "吸空", "扑空", "空了", "空抓", "滑", "掉", "翻", "倒了", "倒下", "碰倒", "歪", "弯", "断", "裂", "碎", "脱", "弹", "漏", "洒", "溢", "撞", "卡住", "卡死", "卡滞", "卡了", "卡壳", "堵", "偏", "破", "坏", "烂", "皱", "变形", "散", "松", "糊", "焦", "烧", "冒烟", "超时", "超限", "过载", "过流", "过热", "报警", "报错", "告警", "错", "废", "丢", "摔", "磕", "刮", "划", "穿", "凹", "爆", "崩", "滴水", "还滴", "渗", "沉淀", "残留", "水痕", "痕", "缝", "气泡", "毛刺", "污渍", "结块", "一半", "半截", "半路", "中途", "中止", "终止", "急停", "停机", "打滑", "空转", "打转", "晃", "抖", "飞", "跑偏", "错位", "错开", "够不", "未能", "没能", "无法", "不能", "异常", "故障", "太松", "太紧", "太轻", "太重", "太大", "太小", "太快", "太慢", "太高", "太低", "太浅", "太深", "太弱", "太短", "太长", "过大", "过小", "过快", "过慢", "压坏", "夹坏", "夹扁", "压扁", "捏扁", "扁", "压弯", "变了形", "碰到", "碰翻", "擦到", "撕", "缺口", "缺料", "不足", "不均", "有缝", "蹭", "拒绝", "没成", "失手", "失灵", "失误", "没戏", "走样", "泡汤", "粘连", "黏住", "粘手", "烫", "塌", "陷", "起泡", "起皱", "生", "夹生", "硬", "软", "稀", "暗", "模糊", "脱手", "没了", "丟",
    ]),
    (GivenUp, &["gave up", "given up", "left it for", "called for help", "called a person", "called the operator", "asked for help", "asked a person", "asked the operator", "handed over to", "放弃", "叫人", "转人工", "人工处理", "请人", "求助", "找人"]),
    (Not, &["not", "no", "never", "nothing", "none", "neither", "nor", "hardly", "without", "zero", "stopped", "avoided", "prevented", "free of", "no more", "没有", "没", "未", "不", "无", "并未", "并没有", "不再", "未再", "没再", "从未", "毫无", "一点没", "避免"]),
    (Nearly, &["almost", "nearly", "hardly", "scarcely", "差点", "差一点", "险些", "几乎"]),
    (Unclear, &[
        "unclear", "not sure", "unsure", "not certain", "uncertain", "not clear", "unknown", "not known", "can not tell", "cannot tell", "could not tell", "can not say", "cannot say", "could not see", "can not see", "hard to say", "hard to tell", "impossible to say", "impossible to tell", "maybe", "perhaps", "possibly", "might", "may", "may have", "remains to be seen", "pending", "waiting for", "waiting on", "awaiting", "awaits", "to be checked", "to be confirmed", "to be inspected", "to be seen",
        "not checked", "not verified", "not yet checked", "not yet known", "not yet confirmed", "not confirmed", "unconfirmed", "unverified", "unchecked", "inconclusive", "under inspection", "being checked", "being inspected", "no reading", "no feedback", "not recorded", "not logged", "not reported", "no result", "no verdict", "nobody knows", "no idea", "who knows", "still running", "still going", "in progress", "ongoing", "still waiting", "to be decided", "open question", "camera was off", "camera off", "out of view", "out of sight", "the log ends", "log ends", "log stops", "connection dropped", "whether", "did not look", "nobody looked", "not looked at",
        "看不清", "不确定", "不清楚", "不知道", "不明", "未知", "未确认", "待确认", "待检", "待查", "待定", "待测", "等质检", "等检验", "等结果", "等检测", "等化验", "等待", "等确认", "等人", "可能", "也许", "或许", "大概", "估计", "说不定", "没准", "不好说", "难说", "说不准", "没看清", "没看到", "没记录", "未记录", "没有记录", "没确认", "没检查", "未检查", "是否", "能不能", "行不行", "成不成", "看不出", "看不到", "还没结果", "还没出结果", "没出结果", "结果未", "还在", "正在", "没写", "尚不",
    ]),
    (Neutral, &[
        "drop zone", "drop off zone", "drop point", "pick list", "slip ring", "crash mat", "leak test", "drop test", "crash test", "tear test", "error code", "error rate", "loose part", "loose parts", "too much to", "not only", "test tube", "test tubes", "half a", "half of", "one half", "well plate", "no one", "at home", "home position", "home pose", "goods", "got the", "good side", "ok button", "pass through", "hit the button", "no 1", "no 2", "no 3", "bit by bit", "a bit", "a little bit", "drill bit", "as well", "fine thread", "fine tip", "well known", "split ring", "no matter", "flat pack", "flat screw", "flat head", "flat pouch", "dry cloth", "clean cloth", "open box", "open bin", "clear bag", "clear tape", "empty bin", "empty box", "empty tray", "why", "even so", "even with", "half turn", "half open", "half closed", "hang on", "clean room", "read the", "clean towel",
        "滑轨", "滑块", "滑轮", "滑台", "光滑", "润滑", "平滑地", "断电", "破碎机", "倒水", "倒入", "倒进", "卡扣", "卡槽", "卡片", "卡盘", "卡爪", "松开", "放松", "空气", "缝合", "翻转", "翻面", "翻身", "弯头", "弯管", "弹簧", "漏斗", "滴管", "洒水", "断路器", "破袋", "划线", "划定", "穿过", "穿线", "错误码", "烧杯", "烧瓶", "飞轮", "飞行", "硬件", "软件", "软管", "软垫", "软爪", "硬盘", "硬币", "硬纸", "生产", "生成", "学生", "医生", "卫生", "花生", "废料", "废品", "废液", "垃圾", "散热", "散装", "脱模", "脱水", "撕膜", "撕开", "撕下", "掉头", "翻页", "翻盖", "擦拭", "刮板", "刮刀", "刮胶", "划痕仪", "偏差", "偏移量", "偏移为", "偏移是", "偏移值", "破损件", "旋转", "转动", "错开放", "焦距", "松紧", "松香", "痕迹", "问题", "碎片", "碎纸", "裂解", "稀释", "软糖", "软包", "软管", "露出", "爆米花", "烫金", "弹性", "开关", "一半力", "可以考虑", "行程", "行李", "行走", "运行", "执行", "进行", "平行", "银行", "行人", "不锈钢", "不干胶", "不过", "不同", "不仅", "不但", "不断", "无人", "无线", "无尘", "无菌", "未来", "没收",
    ]),
    (Try, &["try", "tries", "tried", "trying", "attempt", "attempts", "attempted", "trial", "trials", "first", "first time", "first try", "first attempt", "first pass", "at first", "试", "试了", "尝试", "先用", "先以", "首次", "头一次", "第一次", "第一回", "一开始", "起初", "起先", "开始用", "先"]),
    (Again, &["again", "once more", "one more time", "another go", "another try", "another attempt", "anew", "retry", "retried", "retries", "retrying", "reattempted", "repeat", "repeated", "redo", "redid", "second try", "second time", "second attempt", "second pass", "third try", "third time", "third attempt", "third pass", "next try", "next attempt", "last try", "last attempt", "final try", "final attempt", "second go", "third go", "either", "also", "likewise", "still", "又", "再", "重试", "重新", "再次", "再试", "第二次", "第三次", "第四次", "第五次", "第二回", "第三回", "最后一次", "那次", "这次", "也", "还是", "仍", "依然"]),
    (Change, &["instead", "changed", "change", "changing", "switched", "switching", "raised", "raising", "increased", "increasing", "lowered", "lowering", "reduced", "reducing", "decreased", "went up", "went down", "going up", "going down", "stepped up", "bumped", "bumping", "upped", "dropped to", "dropped it to", "cranked", "backed off to", "cut it to", "turned it up", "turned up", "turned down", "slowed", "sped up", "doubled", "halved", "adjusted", "extended", "shortened", "widened", "narrowed", "moved to", "so", "only after", "only when", "only with", "only at", "until", "replaced", "swapped", "with the",
        "改用", "改成", "改为", "改到", "改从", "改以", "改", "换成", "换用", "换了", "换", "调到", "调至", "调高", "调低", "调大", "调小", "加到", "加大", "加至", "增加到", "增到", "增大", "提高到", "提高", "提到", "升到", "升至", "降到", "降至", "降为", "降低到", "降低", "减到", "减至", "减小到", "减小", "减为", "延长到", "延长至", "延长", "缩短到", "缩短", "放慢到", "放慢", "加快到", "加快", "直到", "直至", "才", "于是", "所以", "只好", "用到", "涨到", "放宽到", "收到", "拧到"]),
    (Later, &["then", "finally", "eventually", "in the end", "next", "later", "took", "used", "after that", "afterwards", "后来", "然后", "接着", "随后", "最后", "最终", "之后", "便", "就", "结果"]),
    (Plan, &[
        "next time", "will", "would start", "would use", "would try", "would be", "would have", "would probably", "would recommend", "i d", "we d", "should", "could use", "could try", "could be", "might use", "might try", "going to", "plan", "plans", "planned", "planning", "planning to", "from now on", "in future", "in the future", "going forward", "recommend", "recommends", "recommended", "suggest", "suggests", "suggested", "advise", "advised", "propose", "proposed", "better to", "let us", "must", "never use", "never exceed", "always use", "always", "at most", "no more than", "limit", "limited to", "limits", "maximum", "max", "minimum", "allowed", "allows", "allow", "rated", "rating", "specified", "spec", "specification", "datasheet", "manual", "nominal", "if", "want to", "wants", "wanted to", "intend", "intends", "ready for", "ready to", "i think", "i guess", "i believe", "i suspect", "we think", "we suspect", "tomorrow", "next shift", "next week", "todo", "to do", "please", "supposed to", "expected", "designed for", "approved", "required", "requires", "requirement", "as a rule", "per the", "according to", "setpoint for", "target is", "target was", "goal", "said", "says", "told", "asked", "question", "use at least", "keep", "for wet parts", "needs", "need",
        "我觉得", "我猜", "我想是", "猜", "应为", "应在", "下次", "以后", "今后", "建议", "打算", "计划", "准备", "考虑", "最好", "要是", "如果", "假如", "若", "不要超过", "不得", "不能超过", "不超过", "最多", "上限", "下限", "额定", "允许", "必须", "推荐", "标准", "规定", "要求", "标称", "手册", "说明书", "明天", "想用", "想试", "下一班", "应该用", "应该先", "应当", "应用", "待会", "马上要", "将要", "听说", "据说", "说是", "问", "请", "需要先", "禁止", "严禁", "切勿", "记得", "一律",
    ]),
    (Because, &["because", "since", "as the", "as it", "due to", "owing to", "reason", "the reason", "given that", "因为", "由于", "因", "原因", "是因为", "原因是", "之前", "此前", "原来", "原先", "先前"]),
    (Earlier, &["after", "when", "while", "where", "whereas", "although", "though", "unlike", "following", "previously", "earlier", "before that", "had"]),
    (Then, &["and", "but", "yet", "however", "only to", "before", "which", "that", "whereupon", "causing", "making", "leaving", "letting", "但", "但是", "可是", "不料", "不过", "却", "而", "并", "并且", "且", "导致", "造成", "以致", "害得"]),
    (Other, &["the other", "other side", "on part", "second one", "second tray", "second part", "second piece", "second cup", "second box", "next one", "next part", "next piece", "next tray", "another part", "another piece", "another one", "the next", "下一个", "下一片", "下一件", "下一块", "下一盘", "第二个", "第二件", "第二片", "第三个", "另一个", "另一边", "另一侧", "另外一个", "另一件", "随后推", "接下来"]),
    (All, &["all", "both", "each", "every", "none", "neither", "any", "都", "均", "全", "全都"]),
    (OnlyLast, &["only the last", "only the final", "only the third", "only the last one", "the last one", "the last of", "the final one", "last one", "只有最后", "最后一个", "最后一次才", "只有最后一次", "只有最后一个", "仅最后"]),
    (Measured, &["peak", "peaked", "peaking", "measured", "measuring", "average", "averaged", "reading", "read", "weighs", "weigh", "weighed", "weight", "weighing", "mass", "off by", "missed by", "by", "tolerance", "clearance", "diameter", "thickness", "length", "long", "capacity", "drifted", "away", "took", "lasted", "wide", "within", "gap of", "error of", "error", "moisture", "temperature was", "battery", "than", "about the", "between", "峰值", "实测", "测得", "读数", "重", "重量", "质量", "净重", "直径", "厚度", "壁厚", "容量", "公差", "偏了", "差了", "差", "只有", "仅有", "仅为", "偏", "误差", "耗时", "用时", "电量", "比", "超出", "多出", "少了", "间隙", "介于"]),
    (Instead, &["instead of", "rather than", "in place of", "as opposed to", "而不是", "而非", "代替", "取代", "没用", "不用", "不再用"]),
];

/// English verbs, in their plain form, by which something goes wrong; their forms are known by their stems.
#[rustfmt::skip]
const BAD_VERBS: &[&str] = &[
    "fail", "failure", "slip", "slippage", "drop", "jam", "block", "crash", "collide", "collision", "crack", "crush", "rip", "snap", "dent", "scratch", "spill", "slosh", "leak", "drip", "overflow", "overheat", "scorch", "stall", "abort", "fault", "error", "miss", "bounce", "topple", "tip",
    "wobble", "sway", "skid", "strip", "snag", "tangle", "twist", "buckle", "wrinkle", "crease", "smear", "streak", "smudge", "misalign", "skew", "damage", "destroy", "ruin", "deform", "squash", "puncture", "reject", "refuse", "trip", "alarm", "undershoot", "overshoot", "overshot", "undershot", "veer", "drift", "derail", "collapse", "sag", "kink", "froze", "freeze", "chatter",
    "squeal", "splash", "splatter", "shatter", "chip", "flatten", "bruise", "pinch", "nick", "gouge", "lurch", "jerk", "judder", "vibrate", "oscillate", "rock", "rattle", "scrape", "stray", "stumble", "tumble", "cave", "burst", "pop", "separate", "detach", "disconnect", "disengage", "unscrew", "loosen", "fray", "warp", "bulge", "swerve", "clog", "choke", "smoke", "spark", "melt", "curl",
    "fold", "crumple", "crumble", "fumble", "botch", "bungle", "struggle", "escape", "squirt", "spray", "ooze", "foam", "bump", "clip", "graze", "brush", "catch", "hang", "sticky", "stick", "rebound", "recoil", "lag", "exceed", "overload", "overrun", "misread", "misfire", "mispick", "misfeed", "misplace", "unseat", "dislodge", "tear", "break", "bend", "burn", "fall", "slide", "spin", "shake", "swing", "lose", "hollow", "incomplete", "unsuccessful", "unsuccessfully", "unreachable", "lump", "bubble", "blister", "void", "smash", "mangle", "contaminate", "interrupt", "cancel",
];

static PHRASES: LazyLock<Phrases<Mark>> = LazyLock::new(|| {
    Phrases::new(WORDS.iter().flat_map(|(mark, words)| words.iter().map(|word| (*word, *mark))))
});

static BAD_STEMS: LazyLock<HashMap<String, ()>> =
    LazyLock::new(|| BAD_VERBS.iter().map(|verb| (stem(verb).into_owned(), ())).collect());

/// What the items at the begin of `items` say, and how many of them say it.
pub(super) fn mark(items: &[Item]) -> Option<(Mark, usize)> {
    if let Some(found) = PHRASES.longest(items) {
        return Some(found);
    }
    let first = items.first().filter(|item| item.kind == ItemKind::Word)?;
    BAD_STEMS.contains_key(stem(&first.text).as_ref()).then_some((Bad, 1))
}

/// Nouns of acts and settings: "with a 6 N pull" tells how it was pulled.
#[rustfmt::skip]
pub(super) const ACT_NOUNS: &[&str] = &[
    "pull", "push", "grip", "grasp", "press", "squeeze", "try", "attempt", "twist", "turn", "lift", "setting", "force", "torque", "speed", "pressure", "vacuum", "suction", "dwell", "hold", "pause", "wait", "delay", "stroke", "angle", "tilt", "height", "width", "opening", "gap", "stage", "approach", "descent", "run", "pass", "step", "clamp", "feed", "rate", "power", "current", "voltage", "temperature", "level", "insertion", "pick", "pinch", "touch", "tap", "load", "preload", "shot", "pulse", "spin", "pour", "limit", "one", "ones", "version", "program", "profile", "preset", "soak", "rinse", "bake", "cycle", "trial", "test", "swing", "lift", "tension",
];
