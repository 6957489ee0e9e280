//! Words with which somebody asks, thanks or hesitates: at the begin of a question, and alone between commas, they
//! say nothing of what is asked.

use super::super::atoms::{Atom, ByLetter};
use std::sync::LazyLock;

static ENGLISH: LazyLock<ByLetter<()>> = LazyLock::new(|| ByLetter::list(ENGLISH_OF));
static HAN: LazyLock<ByLetter<()>> = LazyLock::new(|| ByLetter::list(HAN_OF));
static TAGS: LazyLock<ByLetter<()>> = LazyLock::new(|| ByLetter::list(TAGS_OF));

/// Before what is asked for; each by itself means nothing to the answer there.
#[rustfmt::skip]
const ENGLISH_OF: &[&str] = &[
    "a favour", "a favor", "a moment", "a second", "a little", "about", "actually", "you remember", "you recall", "you still remember", "you still recall", "happen to remember", "happen to recall", "for what it s worth", "to cut a long story short", "long story short", "in any case", "to be honest", "honestly", "frankly", "by the way", "my apologies", "apologies", "i hope you can help", "let me put it this way", "never mind", "morning", "evening", "anyone", "anybody", "someone", "somebody", "sorry to bother you", "to bother you", "to disturb you", "bother", "bother you", "quick one", "a quick one", "good morning", "good afternoon", "good evening", "good day", "good night", "greetings", "hiya", "as to", "again", "ahead", "also", "and", "anyway", "appreciate", "as well", "ask", "asking", "at all",
    "back", "be", "bear with me", "but", "by any chance", "can", "confirm", "could", "curious", "d", "dear", "delighted", "do", "does anyone", "does anybody", "does it say",
    "enough", "excuse", "find", "find out", "first of all", "for a start", "forgive", "get", "give", "giving", "giving me", "trouble you for", "bother you for", "mind giving me", "glad", "good", "grateful", "great", "happen", "happy", "have", "hear", "hello", "help", "hey", "hi",
    "i", "i d", "i m", "i ve", "if you can", "if you could", "if you would", "if you d", "if i may", "if i may ask", "if i may so ask", "if it is not too much trouble", "if it isn t too much trouble", "if possible", "in case you know", "interest", "interested", "is it possible", "it", "it d", "it would", "it s me",
    "just", "keen", "kind", "kindly", "know", "knowing", "learn", "let", "like", "look", "look up", "love", "m", "may", "maybe", "me", "might", "mind", "my question is", "my question", "need", "needed", "now", "of you", "oh", "ok", "okay", "one thing", "one more thing",
    "out", "pardon", "perhaps", "please", "possible", "possibly", "pleased", "pull", "pull out", "pull up", "quick question", "quickly", "read", "remind", "right", "say", "see", "seeing", "share", "show", "showing", "simply", "so", "sorry", "sure", "tell", "telling", "thank", "thanks", "thankful",
    "that would", "that d", "the question is", "the question", "then", "to", "trouble", "up", "us", "want", "wanted", "was wondering", "we", "we d", "well", "what i need is", "what i need", "what i want is", "what i d like to know is", "what i would like to know is", "whether", "whether you could", "whether you can", "wonder", "wondered", "wondering", "would", "would it be possible", "you", "you d", "you re",
    "your help", "your memory", "for me", "for us", "with me", "i am", "i was", "am", "fetch", "fill me in", "fill in", "looking", "for", "in mind",
];
/// The same in Chinese.
#[rustfmt::skip]
const HAN_OF: &[&str] = &[
    "请告知", "告知", "请提供", "提供", "请给出", "贵方", "麻烦贵方", "请贵方", "不好意思", "打扰", "打扰一下", "打扰了", "抱歉", "对不起", "你好", "您好", "早上好", "下午好", "晚上好", "嗨", "哎", "诶", "喂", "请问", "请教", "请", "请你", "请您", "请帮忙", "麻烦", "麻烦你", "麻烦您", "劳驾", "劳烦", "烦请", "烦劳", "拜托", "有劳", "受累", "您受累", "你受累", "辛苦", "辛苦你",
    "谢谢", "谢谢你", "多谢", "感谢", "你", "您", "能不能", "能否", "能", "可否", "可不可以", "可以", "可以跟我说一声", "是否能", "是不是可以", "方便", "方便的话", "方便说说", "想", "想请", "想请你", "想请您", "想请教", "想请教一下", "想问", "想问问", "想问一下", "想知道", "想了解", "想了解一下", "想查", "想查一下", "想看", "想看看", "想对一下", "想确认", "想确认一下", "想弄清楚", "想搞清楚", "好奇", "核对", "核对一下", "想核对", "想核对一下", "核实", "核实一下", "想核实一下", "对一下", "统计一下", "查询", "查询一下", "长话短说", "急", "挺急的", "快点", "我好奇", "先问一句", "问一句", "问一下", "问问",
    "我", "我想", "我们", "咱们", "帮我", "帮忙", "帮", "帮我数数", "帮我查", "帮我看看", "帮我翻一翻", "给我", "给", "跟我", "跟我说", "跟我讲", "向我", "告诉", "告诉我", "说", "说说", "说一声", "说一下", "讲讲", "讲一下", "讲", "查", "查查", "查一下", "查一查", "看", "看看", "看一下", "看一看", "找", "找找", "找一下", "找给我", "翻", "翻一翻", "翻翻", "数", "数数", "数一数", "列", "列一下", "列一列", "拿出来", "拿", "一下", "一声", "一遍", "再",
    "还", "还记得", "记得", "还记不记得", "记不记得", "有印象", "还有印象", "印象", "知道", "知不知道", "晓得", "清楚", "清不清楚", "吗", "吧", "呢", "呀", "啊", "好吗", "好不好", "行吗", "行不行", "可以吗", "成吗", "好了", "那么", "那", "所以", "因此", "于是", "就", "但", "但是", "可是", "不过", "而且", "另外", "顺便", "顺带", "确切地说", "准确地说", "具体来说", "具体地说", "就是说", "也就是", "其实", "总之", "谢了", "听好", "快", "赶紧", "先", "来", "哦", "哎呀", "嗯", "唉", "是真的吗", "真的吗",
    "只想知道", "只想知道个数", "一件事", "个事", "个问题", "有个问题", "是这样", "是这样的", "的", "需要", "要", "报给我", "发给我", "出来", "想请你列一下", "了解", "了解一下", "弄清楚", "搞清楚", "确认", "确认一下", "您还", "你还", "回我", "给我看", "给我看看", "给我看一下", "找给我吗", "拿出来给我看看", "答不上来",
];

/// How many atoms at the begin only ask; none of those in which something is asked already.
pub(super) fn opening(atoms: &[Atom]) -> usize {
    let mut at = 0;
    while at < atoms.len() {
        let table = if atoms[at].is_han() { &HAN } else { &ENGLISH };
        let Some(count) = table.longest_of(&atoms[at..]) else { break };
        at += count;
    }
    at
}

/// Behind a question they ask the same again.
#[rustfmt::skip]
const TAGS_OF: &[&str] = &[
    "you know what", "guess what", "got a minute", "got a second", "do you have a minute", "have you got a minute", "have you got a second", "can you help me", "can you help", "could you double check something", "double check something", "are you there", "would you help me", "is that okay", "is that ok", "is that possible", "would that be possible", "can you do that", "does that work", "and then", "when", "when was it", "when was that", "which was it", "which one", "which one was it", "which ones", "what time", "at what time", "what was it", "is it really", "list them", "list all", "all of them", "all please", "just the numbers", "just the number", "just a number", "just the figure", "just numbers", "numbers suffice", "a number is enough", "if there is one", "if there are any", "in short", "provide them", "provide it", "return all of them", "return them all",
    "在吗", "在不在", "在忙吗", "方便吗", "有空吗", "能帮个忙吗", "可以帮个忙吗", "帮个忙", "都有哪些", "是哪次", "哪次", "哪些", "是什么时候", "什么时候", "几点", "有哪些", "分别是哪几次", "是哪几次", "不要明细",
];

/// Whether a clause does nothing else.
pub(super) fn is_polite(atoms: &[Atom]) -> bool {
    let opening = opening(atoms);
    let is_tag =
        || TAGS.longest_of(&atoms[opening..]).is_some_and(|count| opening + count == atoms.len());
    opening == atoms.len() || is_tag()
}
