//! Words that a query is put with, but that say nothing of what is looked for.
//!
//! No negation is among them (not, no, never, without, 不, 没), nor what tells one place or time from
//! another (left, right, before, after, over, under, off).

/// Of English, sorted, in lower case and without apostrophes.
#[rustfmt::skip]
const ENGLISH: &[&str] = &[
    "a", "about", "am", "an", "and", "any", "anything", "are", "as", "at", "be", "been", "being", "but", "by", "can",
    "could", "did", "do", "does", "doing", "done", "for", "from", "give", "had", "has", "have", "having", "he", "her",
    "hers", "him", "his", "how", "hows", "i", "id", "if", "ill", "im", "in", "into", "is", "it", "its", "ive", "know",
    "many", "may", "me", "might", "mine", "much", "my", "of", "on", "or", "our", "ours", "please", "shall", "she",
    "should", "show", "so", "some", "something", "tell", "than", "that", "thats", "the", "their", "them", "then",
    "there", "theres", "these", "they", "this", "those", "to", "us", "was", "we", "were", "what", "whats", "when",
    "where", "wheres", "which", "who", "whom", "whos", "whose", "why", "will", "with", "would", "you", "your",
];

/// Of Chinese, the longest first where one begins another.
#[rustfmt::skip]
const CHINESE: &[&str] = &[
    "为什么", "什么时候", "什么地方", "什么", "怎么样", "怎么", "怎样", "如何", "哪里", "哪儿", "哪个", "哪些", "哪只", "哪种", "哪",
    "多少", "几个", "几次", "谁", "是否", "是不是", "有没有", "请问", "请", "告诉", "关于", "一下", "可以", "应该", "需要",
    "这个", "那个", "这些", "那些", "这", "那", "我们", "你们", "他们", "它们", "我", "你", "他", "她", "它",
    "的", "了", "吗", "呢", "吧", "啊", "是", "在", "和", "与", "或", "及", "把", "被", "有", "会", "要", "就", "都", "也", "还",
    "时",
];

/// Words that begin like one of [`CHINESE`], or that one of these stands in, and that are none.
#[rustfmt::skip]
const CHINESE_KEPT: &[&str] = &[
    "没有", "目的", "的确", "现在", "存在", "了解", "会议", "机会", "要求", "主要", "重要", "必要", "有效", "有人", "所有", "只有",
    "还原", "归还", "都市", "总是", "但是", "还是", "不是", "不会", "不要", "不在", "和谐", "温和", "与会", "参与", "或者",
    "时间", "实时", "时候", "延时", "超时", "小时", "定时", "及时", "同时", "时钟", "被动", "这里", "那里", "在线", "有限", "含有",
    "拥有", "带有", "把手", "正在",
];

/// Whether an English word, in lower case and without apostrophes, is one.
pub(super) fn is_english_stop_word(word: &str) -> bool {
    ENGLISH.binary_search(&word).is_ok()
}

/// What begins a run of Han characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HanBeginning {
    /// A stop word of so many bytes.
    Stop(usize),
    /// A word of so many bytes, which is none although it looks like one.
    Kept(usize),
}

/// The longest stop word, or word that looks like one, at the beginning of `run`.
pub(super) fn han_beginning(run: &str) -> Option<HanBeginning> {
    let longest = |words: &[&str]| {
        words.iter().filter(|word| run.starts_with(**word)).map(|word| word.len()).max()
    };
    let (stop, kept) = (longest(CHINESE), longest(CHINESE_KEPT));
    if kept > stop { kept.map(HanBeginning::Kept) } else { stop.map(HanBeginning::Stop) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changes_the_meaning_is_no_stop_word() {
        assert!(ENGLISH.is_sorted());
        for word in ["the", "what", "did", "is", "where"] {
            assert!(is_english_stop_word(word), "{word}");
        }
        let telling =
            "not no never without left right before after over under off up down above below";
        for word in telling.split(' ') {
            assert!(!is_english_stop_word(word), "{word}");
        }
        for word in ["不", "没", "左", "右", "前", "后", "无", "未", "禁"] {
            assert_eq!(han_beginning(word), None, "{word}");
        }
        assert_eq!(han_beginning("什么时候充电"), Some(HanBeginning::Stop("什么时候".len())));
        assert_eq!(han_beginning("没有电"), Some(HanBeginning::Kept("没有".len())));
        assert_eq!(han_beginning("有没有电"), Some(HanBeginning::Stop("有没有".len())));
        assert_eq!(han_beginning("电池"), None);
    }
}
