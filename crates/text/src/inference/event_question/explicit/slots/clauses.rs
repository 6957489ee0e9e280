//! The clauses of a text: which of them only tell what is around a question, and which words may narrow what is asked.

use super::super::super::atoms::{Atom, ends, has, longest_of, stands_outside};
use super::super::in_cycle::names_cycle;
use super::super::lexer::{Kind, Token};
use super::super::movers::mover;
use super::super::vocabulary::Word;
use super::super::{background, harmless, polite, purposes};

/// Texts of more clauses are not read.
const CLAUSES_MAX: usize = 24;
/// Between two of them.
const ENDS: [char; 12] = ['.', '?', '!', ';', ':', '。', '？', '！', '；', '：', '…', '\n'];
const COMMAS: [char; 8] = [',', '，', '(', ')', '（', '）', '–', '—'];
/// What changes when a cycle does. It is part of a name.
const COUNTERS: [&str; 6] = ["cycle", "cycles", "counter", "周", "循", "计"];

/// What stands between two commas, or ends a sentence.
#[derive(Debug)]
pub(super) struct Clause {
    /// Its atoms, the last not included.
    pub from: usize,
    pub to: usize,
    /// Which sentence it is of.
    pub sentence: usize,
    /// Whether something is asked in it, or wished to be told.
    pub asks: bool,
    /// Whether a question mark ends it.
    pub is_question: bool,
    /// Whether it only tells: it has words that are known by nothing, and names no event that is asked for, or
    /// that is one by itself.
    pub is_story: bool,
}

/// Those of a text.
#[derive(Debug)]
pub(super) struct Clauses {
    pub all: Vec<Clause>,
    /// Whether a colon ends the first of several.
    pub has_heading: bool,
}

impl Clauses {
    /// `None` when there are too many, when one of them may say when, or when it is asked for a cause.
    pub fn of(text: &str, atoms: &[Atom], tokens: &[Token]) -> Option<Self> {
        if has(atoms, CAUSES) {
            return None;
        }
        let mut all: Vec<Clause> = Vec::new();
        let mut has_heading = false;
        let (mut from, mut sentence) = (0, 0);
        for at in 0..atoms.len() {
            let end = atoms[at].place.end;
            let next = atoms.get(at + 1).map_or(text.len(), |next| next.place.start);
            let gap = &text[end..next];
            let is_dash = gap.contains(" - ") || gap.contains("--");
            let is_end = gap.contains(ENDS) || at + 1 == atoms.len();
            let is_joined = joins_clause(&atoms[at + 1..]) && at > from;
            // "Oct 26, 2022".
            let is_year = atoms
                .get(at + 1)
                .is_some_and(|next| next.text.len() == 4 && next.text.parse::<u16>().is_ok());
            let is_date = is_year && atoms[at].is_digits() && !is_end;
            if is_date {
                continue;
            }
            if !(is_end || is_dash || is_joined || gap.contains(COMMAS)) {
                continue;
            }
            let is_question = gap.contains(['?', '？']);
            let asks = is_question || asks(&atoms[from..=at]);
            if asks && has(&atoms[from..=at], &["should", "must"]) {
                return None;
            }
            has_heading |= all.is_empty() && gap.contains([':', '：']) && at + 1 < atoms.len();
            all.push(Clause { from, to: at + 1, sentence, asks, is_question, is_story: false });
            (from, sentence) = (at + 1, sentence + usize::from(is_end));
        }
        let sentences: Vec<usize> = all.iter().map(|clause| clause.sentence).collect();
        for (at, clause) in all.iter_mut().enumerate() {
            let of_clause =
                tokens.iter().filter(|token| (clause.from..clause.to).contains(&token.from));
            let of_clause: Vec<&Token> = of_clause.collect();
            clause.is_story = clause.tells(atoms, &of_clause)?;
            let is_begin = sentences.get(at + 1) == Some(&clause.sentence);
            let said = &atoms[clause.from..clause.to];
            // A heading may say of what is asked, and so may a cycle.
            let is_heading =
                at == 0 && has_heading && !polite::is_polite(said) && !purposes::is_purpose(said);
            let names_no_event = of_clause.iter().all(|token| {
                matches!(
                    token.kind,
                    Kind::Name | Kind::Number(_) | Kind::Vague | Kind::Word(Word::Filler)
                )
            });
            if is_heading && !of_clause.is_empty() && names_no_event {
                return None;
            }
            let is_fragment = is_begin && is_fragment(said) || is_heading;
            if clause.is_story && (is_fragment || names_cycle(said)) {
                return None;
            }
        }
        (all.len() <= CLAUSES_MAX).then_some(Self { all, has_heading })
    }

    /// The clause that a token is of.
    pub fn of_token(&self, token: &Token) -> usize {
        let at = self.all.iter().position(|clause| token.from < clause.to);
        at.unwrap_or(self.all.len().saturating_sub(1))
    }
}

/// 我回来以后: since then.
fn ends_after(said: &[Atom]) -> bool {
    const AFTER: [&str; 3] = ["以后", "之后", "以来"];
    said.len() > 2 && ends(said, &AFTER)
}

impl Clause {
    /// Whether it only tells; `None` when it does, and begins as what may say when: "after the long break".
    fn tells(&self, atoms: &[Atom], tokens: &[&Token]) -> Option<bool> {
        let said = &atoms[self.from..self.to];
        let has = |is: fn(&Kind) -> bool| tokens.iter().any(|token| is(&token.kind));
        let has_class = has(|kind| matches!(kind, Kind::Class(_) | Kind::Began(_)));
        let has_moment = has(|kind| matches!(kind, Kind::At(_) | Kind::Became(_) | Kind::Began(_)));
        let is_unknown = tokens
            .iter()
            .any(|token| is_unknown(token, atoms) && !super::phrases::is_object(token, atoms));
        let says_which = has(|kind| {
            matches!(
                kind,
                Kind::Nth(_) | Kind::Several(..) | Kind::Per(_) | Kind::Word(Word::Count)
            )
        });
        // "For each operator, the last stop".
        let is_of_each =
            longest_of(said, &["for each", "for every", "per", "each", "every"]).is_some();
        let has_event = has(|kind| {
            matches!(kind, Kind::Class(class) if !is_weak(class))
                || *kind == Kind::Word(Word::Event)
        });
        let has_when = has(|kind| matches!(kind, Kind::Per(_) | Kind::Time(_)));
        if is_of_each && !has_event && !has_when && said.len() > 1 {
            return None;
        }
        let is_told = is_unknown && !(has_class && (self.asks || has_moment || says_which));
        if !is_told {
            return Some(false);
        }
        let has_side = has(|kind| {
            matches!(
                kind,
                Kind::Word(
                    Word::Before
                        | Word::After
                        | Word::Since
                        | Word::Once
                        | Word::Until
                        | Word::Between
                )
            )
        });
        let is_aside = polite::is_polite(said)
            || purposes::is_purpose(said)
            || longest_of(
                said,
                &["before i", "before we", "to", "as", "because", "since i", "since we"],
            )
            .is_some();
        // "As soon as the stop was released, what moved first?"
        let has_once = has(|kind| *kind == Kind::Word(Word::Once));
        if has_once && has_event {
            return None;
        }
        let is_vague = has(|kind| *kind == Kind::Vague);
        let is_while = is_while(said);
        if has_side && ends_after(said) {
            return None;
        }
        let narrows_time = (has_side || is_vague) && background::is_part(said);
        let begins = begins_aside(said);
        if !is_aside && (narrows_time || begins || is_while || is_when(said)) {
            return None;
        }
        Some(true)
    }

    /// Whether it only tells what is around a question that is asked behind it, in a sentence of its own, or as what
    /// somebody tells.
    pub fn is_told_around(&self, said: &[Atom], asked: usize) -> bool {
        let is_idle =
            polite::is_polite(said) || purposes::is_purpose(said) || purposes::is_of_asker(said);
        let is_apart = self.sentence != asked && !background::is_part(said);
        (is_idle || is_apart || background::is_story(said))
            && !self.is_question
            && !is_while(said)
            && !ends_after(said)
            && !background::narrows(said)
            && !narrows(said)
    }

    /// Whether no word of it may narrow what is asked.
    pub fn allows(&self, atoms: &[Atom], role: Role) -> bool {
        let said = &atoms[self.from..self.to];
        if role.is_target {
            return !role.is_unknown;
        }
        if !role.is_unknown && !self.is_story {
            return role.is_place || !narrows(said);
        }
        let is_reason = longest_of(said, REASONS).is_some();
        if is_reason
            || polite::is_polite(said)
            || purposes::is_purpose(said)
            || purposes::is_of_asker(said)
        {
            return !narrows(said);
        }
        if background::narrows(said) && !one_each(said) || narrows(said) {
            return false;
        }
        // What stands behind what is asked for says more of it.
        role.is_place || !role.is_behind && !self.is_question
    }
}

/// With one of these it is asked what brought an event about.
#[rustfmt::skip]
const CAUSES: &[&str] = &["what made", "what makes", "what caused", "what causes", "what led", "what set off", "what started", "what brought", "what triggered", "what triggers", "why", "how come", "happens", "usually", "normally", "typically", "generally", "always", "tomorrow", "next week", "will there be", "will happen", "would happen", "will be", "going to", "倒着", "倒过来", "may a", "can a", "加起来", "时长", "多长时间", "连着三次", "被什么触发", "由什么触发", "什么触发", "怎么触发", "为什么", "为何", "为啥", "怎么会", "通常", "一般", "明天", "下周", "原因是", "什么原因", "引起", "导致", "造成"];

/// 每小时只留一行.
fn one_each(atoms: &[Atom]) -> bool {
    const EACH: &[&str] = &["只留一行", "只留一条", "只取一条", "只要一条", "只列一条", "只画一条"];
    has(atoms, EACH)
}

/// With one of these a clause says why it is asked.
#[rustfmt::skip]
const REASONS: &[&str] = &["because", "so that", "so i can", "so we can", "in order to", "i want to", "i have to", "we have to", "i need to", "i will", "i ll", "我要", "我得", "我们要", "as i", "as we", "since i", "since we", "to", "以便", "好让", "因为", "用于", "用来", "供"];

/// Whether a clause begins that is asked beside another: "I'm writing a report and need the last stops".
fn joins_clause(atoms: &[Atom]) -> bool {
    #[rustfmt::skip]
    const JOINED: &[&str] = &[
        "and need", "and want", "and i", "and we", "and would like", "and therefore", "and so", "and now", "and please", "so please", "so i", "so we", "so list", "so show", "so give", "so tell", "therefore", "because", "and list", "and show", "and give", "and tell", "and return", "and wants", "and needs", "i need", "i want", "we need", "we want", "i d like", "i would like", "tell me", "show me", "give me", "i wonder",
    ];
    const HAN: &[&str] = &[
        "我想",
        "我要",
        "我需要",
        "请你",
        "请帮",
        "帮我",
        "请给",
        "请把",
        "请列",
        "我得",
        "想知道",
        "想看",
        "想问",
        "想了解",
        "想查",
        "要看",
    ];
    longest_of(atoms, JOINED).or_else(|| longest_of(atoms, HAN)).is_some()
}

/// Whether words tell nothing by themselves, and so say more of what is asked behind them: "measured in cycles",
/// "according to the camera".
fn is_fragment(atoms: &[Atom]) -> bool {
    #[rustfmt::skip]
    const VERBS: [&str; 61] = [
        "is", "was", "were", "are", "am", "m", "re", "ve", "has", "have", "had", "did", "does", "do", "can", "could", "will", "would", "won", "got", "went", "came", "says", "said", "tells", "told", "wants", "needs", "want", "need", "asks", "fell", "lost", "saw", "heard", "took", "let", "keeps",
        "kept", "felt", "began", "ran", "broke", "left", "stood", "sat", "made", "found", "knew", "thought", "gave", "put", "set", "hit", "rose", "sent", "spent", "held", "met", "led", "meant",
    ];
    let is_verb =
        |atom: &Atom| atom.is_one_of(&VERBS) || atom.text.len() > 4 && atom.text.ends_with("ed");
    let is_idle = polite::is_polite(atoms)
        || purposes::is_purpose(atoms)
        || longest_of(atoms, &["not counting it", "not including it"]).is_some();
    !atoms.iter().any(Atom::is_han) && !is_idle && !atoms.iter().skip(1).any(is_verb)
}

/// "When it restarted", but "when I came in".
fn is_when(atoms: &[Atom]) -> bool {
    let count = longest_of(atoms, &["when", "once", "as soon as"]);
    let tellers = ["i", "we", "my", "our", "you", "did", "was", "were", "is"];
    count.is_some_and(|at| atoms.get(at).is_some_and(|next| !next.is_one_of(&tellers)))
}

/// 客户在旁边的时候: it says when.
fn is_while(atoms: &[Atom]) -> bool {
    ends(atoms, &["的时候", "时候", "时", "期间", "之际", "那会儿"])
}

/// Whether a clause begins as what says where, or of what: "for the left gripper".
pub(super) fn begins_aside(atoms: &[Atom]) -> bool {
    #[rustfmt::skip]
    const BEGINS: [&str; 16] = [
        "with", "during", "under", "while", "on", "among", "for", "in", "at", "from", "of", "near", "inside", "considering", "regarding", "concerning",
    ];
    let has_end = ends(atoms, &["下", "上", "里", "中", "旁", "边"]) && !ends(atoms, &["一下"]);
    let is_idle = polite::is_polite(atoms)
        || purposes::is_purpose(atoms)
        || longest_of(atoms, REASONS).is_some();
    !is_idle && (longest_of(atoms, &BEGINS).is_some() || has_end)
}

/// What opens a turn, and says nothing: "first, list ...".
pub(super) fn is_opener(atoms: &[Atom]) -> bool {
    #[rustfmt::skip]
    const OPENERS: &[&str] = &[
        "first", "firstly", "first of all", "next", "then", "now", "finally", "lastly", "one last thing", "one more thing", "last thing", "last question", "one last question", "first question", "next question", "a second", "just a second", "got a second", "wait a second", "one second", "second", "and then", "and now",
        "首先", "第一", "其次", "然后", "接着", "最后", "另外", "最后一个问题", "第一个问题", "最后问一下", "第二",
    ];
    longest_of(atoms, OPENERS) == Some(atoms.len())
}

/// Whether words for a class are said of many things, and not only of events that a log has.
pub(in super::super) fn is_weak(class: &'static str) -> bool {
    ["fault", "novelty", "contact", "view", "limit", "stuck", "obstacle", "takeover"]
        .contains(&class)
}

/// Whether a word is known by nothing.
pub(super) fn is_unknown(token: &Token, atoms: &[Atom]) -> bool {
    matches!(token.kind, Kind::Name | Kind::Vague)
        && !is_counter(token, atoms)
        && !is_any_subject(token, atoms)
}

/// Whether it is what moves, or grips: part of a name.
pub(super) fn is_subject(token: &Token, atoms: &[Atom], class: Option<&str>) -> bool {
    let atom = &atoms[token.from];
    match class {
        Some("motion") => mover(&atoms[token.from..]).is_some() || atom.is_one_of(&["手", "机"]),
        Some("slip") => atom.is_one_of(&["gripper", "夹"]),
        _ => false,
    }
}

/// Whether it is such a one of any class.
pub(super) fn is_any_subject(token: &Token, atoms: &[Atom]) -> bool {
    let is = |class| is_subject(token, atoms, Some(class));
    token.kind == Kind::Name && (is("motion") || is("slip"))
}

/// Whether it is what counts cycles.
pub(super) fn is_counter(token: &Token, atoms: &[Atom]) -> bool {
    atoms[token.from].is_one_of(&COUNTERS)
}

/// Whether something is asked, or is to be told.
fn asks(atoms: &[Atom]) -> bool {
    #[rustfmt::skip]
    const ASKS: &[&str] = &[
        "what", "which", "when", "how many", "how often", "how frequently", "tell", "show", "list", "give", "fetch", "find", "get me", "count", "name", "identify", "report", "return", "retrieve", "recall", "pull", "bring", "send", "read out",
        "need", "want", "would like", "d like", "like to", "wonder", "wondering", "wish", "wants", "wanted", "needs", "asks", "looking for", "let me", "i d love", "please", "display", "print", "state", "quote", "number of", "provide", "output", "break", "split", "put up", "pick", "choose", "search", "look up", "any", "did", "has", "have",
        "all", "every", "everything", "anything", "total", "numbers", "tally", "get",
        "什么", "啥", "哪", "几次", "几回", "几个", "几条", "几件", "几点", "几时", "多少", "次数", "列", "给我", "给出", "查", "找", "看", "说说", "讲", "告诉", "统计", "请", "麻烦", "数一", "数数", "数出", "吗", "呢", "返回", "调", "取", "翻", "发我", "发给", "报", "有没有", "是否", "显示", "输出", "提取", "筛", "挑", "选", "念", "要", "想", "何", "总数", "全部", "所有",
    ];
    has(atoms, ASKS)
}

/// What a clause has that the answer comes from.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Role {
    /// What is asked for, or which and how many of it.
    pub is_target: bool,
    /// An event that says when, or a time.
    pub is_place: bool,
    /// Whether a word of it is known by nothing, and names no event.
    pub is_unknown: bool,
    /// Whether it stands behind what is asked for, in the same sentence.
    pub is_behind: bool,
}

/// Says that only some of them are meant.
fn narrows(atoms: &[Atom]) -> bool {
    #[rustfmt::skip]
    const NARROWING: &[&str] = &[
        "only", "ones", "worried", "worry", "care", "concern", "concerns", "either", "or", "forget", "unrelated", "specific", "particular", "certain", "some of", "part of them", "responsible", "interests me", "about the", "matter to me",
        "that made", "that caused", "that needed", "that required", "that was caused", "that were caused", "whose", "not count", "aren t", "isn t", "wasn t", "weren t", "those where", "those with", "those that", "those who",
        "leave", "leaving", "out of it", "out of this", "skip", "ignore", "ignoring", "exclude", "excluding", "minus", "omit", "disregard", "don t count", "do not count", "i mean", "i meant", "left gripper", "right gripper", "left arm", "right arm", "left one", "right one", "other robot", "other arm", "other gripper", "other one", "real ones", "false alarms", "share", "took turns", "taking turns", "in turns", "轮流", "那几轮", "那几次", "混着", "有的时候",
        "真的", "假的", "误报", "真正",
        "凡是", "凡", "要查的", "我在查", "要看的", "要的是", "在意", "关心", "怀疑", "不归", "归我", "负责", "别管", "不管他", "不看", "另算", "其余", "那些", "这些", "部分", "有的", "某", "分开", "除", "不一样",
    ];
    const NOT_NARROWING: &[&str] = &[
        "只留一行",
        "只留一条",
        "只取一条",
        "只要一条",
        "只列一条",
        "只画一条",
        "i mean entries",
        "i mean events",
        "i mean any",
        "i mean all",
        "before i forget",
        "only got",
        "only came",
        "only returned",
        "only started",
        "only arrived",
        "only just",
        "only now",
        "or so",
        "or rather",
        "不怀疑",
    ];
    let kept = |rest: &[Atom]| longest_of(rest, NOT_NARROWING).or_else(|| harmless::phrase(rest));
    stands_outside(atoms, kept, |rest| longest_of(rest, NARROWING).is_some())
}

/// Whether a token says nothing that has to have a place.
pub(super) fn is_idle(token: &Token) -> bool {
    matches!(
        token.kind,
        Kind::Name
            | Kind::Vague
            | Kind::Word(
                Word::Happened
                    | Word::Object
                    | Word::Just
                    | Word::SoFar
                    | Word::And
                    | Word::To
                    | Word::From
                    | Word::Next
                    | Word::Previous
            )
    )
}

/// Whether a token says something even where a clause only tells what is around a question.
pub(super) fn counts_in_story(token: &Token) -> bool {
    matches!(token.kind, Kind::Time(_) | Kind::At(_) | Kind::Per(_) | Kind::Name | Kind::Vague)
}
