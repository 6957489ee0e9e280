//! A question within what somebody tells around it: where they were, who sent them, what they saw. That is left out
//! where it cannot change the answer; where it might, nothing is read.

use super::super::atoms::{Atom, atoms, longest, longest_of};
use super::super::calendar::{DAY_PARTS, DAYS, PARTS};
use super::super::classes::class_at;
use super::bounds::Present;
use super::grammar::Sentence;
use super::lexer::{self, Kind, Token};
use super::vocabulary::Word;
use super::{Anchor, polite, purposes, words};

/// Texts of more clauses are not read.
const CLAUSES_MAX: usize = 16;
/// So many of its parts are tried.
const TRIES_MAX: usize = 32;

/// What stands between two commas.
#[derive(Debug, Clone)]
struct Clause {
    text: String,
    atoms: Vec<Atom>,
    /// Which sentence it is of.
    sentence: usize,
    is_question: bool,
}

/// A part of a text that may be what is asked, and what was told before it.
#[derive(Debug)]
pub(super) struct Core {
    pub text: String,
    /// The one event that was told before it.
    pub told: Option<Anchor>,
    /// Whether a time was told around it, and it says none itself.
    pub lacks_time: bool,
    /// Whether "each hour" was told around it.
    pub is_of_each: bool,
}

/// The parts of a text that may be what is asked, the longest first, where all others say nothing of it.
pub(super) fn cores(text: &str, present: &Present<'_>) -> Vec<Core> {
    let clauses = clauses(text);
    // A question of nothing that happens has no order of events.
    let names_event = |atoms: &[Atom]| {
        (0..atoms.len()).any(|at| {
            class_at(&atoms[at..]).is_some()
                || words::word(&atoms[at..])
                    .is_some_and(|(_, word)| matches!(word, Word::Event | Word::Happened))
        })
    };
    if clauses.len() > CLAUSES_MAX || !clauses.iter().any(|clause| names_event(&clause.atoms)) {
        return Vec::new();
    }
    let is_idle: Vec<Option<Idle>> = clauses.iter().map(|clause| idle(clause, present)).collect();
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for from in 0..clauses.len() {
        for to in from + 1..=clauses.len() {
            let is_one = clauses[from].sentence == clauses[to - 1].sentence;
            let is_begin = from == 0 || clauses[from - 1].sentence != clauses[from].sentence;
            if is_one || is_begin {
                ranges.push((from, to));
            }
        }
    }
    ranges.sort_by_key(|(from, to)| (std::cmp::Reverse(to - from), std::cmp::Reverse(*from)));
    let fits = |(from, to): &(usize, usize)| {
        let sentence = clauses[*from].sentence;
        let opens = polite::opening(&clauses[*from].atoms) > 0;
        let before = clauses[..*from].iter().zip(&is_idle).all(|(clause, idle)| {
            // What stands in the sentence itself may be of it: "for every hour, the last stop".
            let is_alone =
                clauses.iter().filter(|other| other.sentence == clause.sentence).count() == 1;
            let is_other = clause.sentence != sentence
                && !(is_alone && clause.atoms.len() < HEADING_ATOMS_MAX && is_part(&clause.atoms));
            idle.is_some_and(|idle| {
                idle.says_nothing && !is_short_part(&clause.atoms)
                    || is_other
                    || is_story(&clause.atoms)
                    || opens && !is_part(&clause.atoms) && clause.atoms.len() >= PART_ATOMS_MIN
            })
        });
        let behind =
            is_idle[*to..].iter().all(|idle| matches!(idle, Some(Idle { says_nothing: true, .. })));
        // "... are needed; provide them".
        let tells = clauses[*to..].iter().any(|clause| {
            clause.atoms[0].is_one_of(&["provide", "list", "return", "show", "give"])
        });
        before && behind && (tells || asks(&clauses[*from..*to]))
    };
    let fitting = ranges.iter().filter(|range| fits(range)).take(TRIES_MAX);
    fitting.filter_map(|(from, to)| core(&clauses, *from, *to, present)).collect()
}

fn clauses(text: &str) -> Vec<Clause> {
    let mut clauses: Vec<Clause> = Vec::new();
    let (mut clause, mut sentence) = (String::new(), 0);
    let letters: Vec<char> = text.chars().collect();
    let mut is_quoted = false;
    for (at, letter) in letters.iter().enumerate() {
        let is = |at: Option<usize>, digit: bool| {
            let letter = at.and_then(|at| letters.get(at));
            if digit { letter.is_some_and(char::is_ascii_digit) } else { letter == Some(&' ') }
        };
        let is_number = is(at.checked_sub(1), true) && is(Some(at + 1), true);
        let is_dash = matches!(letter, '–' | '—')
            || *letter == '-'
                && (is(at.checked_sub(1), false)
                    && (is(Some(at + 1), false) || letters.get(at + 1) == Some(&'-')));
        let is_end =
            matches!(letter, '?' | '!' | ';' | '。' | '…' | '\n' | ':' | '.') && !is_number;
        let is_comma = matches!(letter, ',' | '，' | '(' | ')') && !is_number || is_dash;
        is_quoted = match letter {
            '"' => !is_quoted,
            '“' | '「' => true,
            '”' | '」' => false,
            _ => is_quoted,
        };
        if is_quoted || !(is_end || is_comma) {
            clause.push(*letter);
            continue;
        }
        close(&mut clauses, &mut clause, sentence, *letter == '?');
        sentence += usize::from(is_end);
    }
    close(&mut clauses, &mut clause, sentence, false);
    clauses
}

fn close(clauses: &mut Vec<Clause>, clause: &mut String, sentence: usize, is_question: bool) {
    let text = std::mem::take(clause).trim().trim_start_matches('-').trim_start().to_owned();
    let atoms = atoms(&text);
    if !atoms.is_empty() {
        clauses.push(Clause { text, atoms, sentence, is_question });
    } else if let Some(last) = clauses.last_mut() {
        last.is_question |= is_question;
    }
}

/// A clause that does not narrow what is asked.
#[derive(Debug, Clone, Copy)]
struct Idle {
    /// Whether it tells of no event and of no time either.
    says_nothing: bool,
}

/// With one of these it may narrow what is asked, or ask something else.
#[rustfmt::skip]
const NARROWING: &[&str] = &[
    "only", "just count", "just the", "except", "excluding", "exclude", "ignore", "ignoring", "unless", "whenever", "every time", "each time", "without", "other than", "apart from", "instead", "rather than", "not count", "do not count", "don t count", "not include", "not the", "leave out", "skip",
    "the left", "the right", "left one", "right one", "left gripper", "right gripper", "left arm", "right arm", "second robot", "another robot", "other robot", "second arm", "other arm", "other gripper", "i mean", "we mean", "i meant", "meaning", "referring", "talking about", "speaking of", "those of", "the ones", "care about", "interested in", "looking for",
    "if", "blue", "red", "green", "heavy", "longer than", "shorter than", "more than", "less than", "at least", "at most", "why", "suppose", "assume", "assuming", "imagine", "what if", "in case", "tomorrow", "next week", "going to stop", "should", "must", "simulation", "simulated",
    "只", "仅", "除了", "除去", "除开", "不算", "不计", "不包括", "不含", "不要", "排除", "忽略", "去掉", "别算", "别的机", "另一台", "另外一台", "另一个机", "别的夹爪", "左", "右", "我是说", "我说的", "我指的", "指的是", "说的是", "蓝", "红", "绿", "大于", "小于", "超过", "至少", "至多", "不到", "如果", "假如", "要是", "假设", "一旦", "每当", "每次", "明天", "下周", "为什么", "为啥", "怎么", "如何", "应该", "必须", "仿真",
];
/// These have such a word and narrow nothing.
#[rustfmt::skip]
const NOT_NARROWING: &[&str] = &[
    "if you could", "if you can", "if you would", "if you d", "if i may", "if possible", "i only saw", "only saw", "only now", "have only", "i only just", "only just", "right away", "all right", "right then", "i left", "right there", "怎么样", "就怎么", "只听见", "只记得", "前几回都没当回事", "要是方便", "如果方便", "如果可以", "as if", "不要列出", "不要明细", "if i remember rightly", "if memory serves", "if i remember correctly", "if i recall correctly", "if i m not mistaken", "if i am not mistaken",
];
/// A clause that begins so asks, or tells to do something.
#[rustfmt::skip]
const ASKING: &[&str] = &[
    "what", "which", "when", "how", "where", "who", "why", "did", "does", "is", "are", "was", "were", "has", "have", "had", "list", "show", "give", "count", "find", "name", "tell", "identify", "report", "return", "fetch", "if", "can", "should", "will", "stop", "move", "drop", "take", "make", "go", "reset", "set", "remember", "record", "note",
];

/// "Which looked odd to me".
fn is_which(atoms: &[Atom]) -> bool {
    #[rustfmt::skip]
    const VERBS: [&str; 14] = [
        "looked", "seemed", "surprised", "struck", "felt", "sounded", "made", "annoyed", "puzzled", "worried", "bothered", "confused", "i", "we",
    ];
    atoms[0].text == "which" && atoms.get(1).is_some_and(|next| next.is_one_of(&VERBS))
}

/// Whether a clause begins as a part of a sentence, and not as one: "for every hour", 从9点起.
fn is_part(atoms: &[Atom]) -> bool {
    #[rustfmt::skip]
    const BEGINS: &[&str] = &[
        "for", "from", "after", "before", "since", "between", "in", "on", "at", "of", "during", "within", "until", "till", "by", "per", "each", "every", "the", "with", "over", "under", "among", "as of", "following", "and", "to", "around", "next", "last", "first",
        "以", "从", "自", "打", "在", "截", "到", "就", "过了", "每", "各", "按", "之后", "之前", "等", "当", "第", "最", "前", "后",
    ];
    const DAYS: [&str; 6] = ["上", "下", "今", "昨", "早", "晚"];
    const ENDS: [&str; 9] = ["前", "后", "里", "内", "中", "间", "的", "时", "起"];
    let is_open = atoms.last().is_some_and(|last| last.is_one_of(&ENDS));
    let is_day = atoms[0].is_one_of(&DAYS) && (atoms.len() < STORY_ATOMS_MIN || is_open);
    is_day
        || longest_of(&atoms[polite::opening(atoms).min(atoms.len() - 1)..], BEGINS).is_some()
        || longest_of(atoms, BEGINS).is_some()
}

/// Whether it is such a part and no more: "per shift".
fn is_short_part(atoms: &[Atom]) -> bool {
    let is_sentence =
        atoms.iter().any(|atom| atom.is_one_of(&["i", "we", "you", "my", "我", "你", "您"]));
    is_part(atoms)
        && !polite::is_polite(atoms)
        && !is_sentence
        && atoms.len() < SENTENCE_ATOMS_MIN
        && !purposes::is_purpose(atoms)
}

/// A sentence that begins as a part and is shorter is a heading.
const HEADING_ATOMS_MAX: usize = 6;
/// What begins as a part and is shorter is no sentence.
const SENTENCE_ATOMS_MIN: usize = 10;
/// What begins with a day and is shorter may be only a time.
const STORY_ATOMS_MIN: usize = 9;
/// What is shorter is no sentence.
const PART_ATOMS_MIN: usize = 3;

/// Whether a clause is told by somebody of somebody: "my boss says that it dropped things".
fn is_story(atoms: &[Atom]) -> bool {
    #[rustfmt::skip]
    const TELLERS: &[&str] = &[
        "i", "we", "my", "our", "someone", "somebody", "everyone", "everybody", "people", "they", "he", "she", "a visitor", "a friend", "a colleague", "the boss", "the people", "the crew", "the customer", "the operator", "the technician", "all i", "all we", "when i", "when we", "before i", "it took", "it seemed", "it looked", "there was",
        "there is", "there were", "as i", "as we", "after i", "while i", "while we", "to make", "nobody", "management", "the morning crew", "the night shift",
    ];
    #[rustfmt::skip]
    const HAN_TELLERS: &[&str] = &[
        "我", "我们", "咱们", "老板", "领导", "师傅", "同事", "有人", "听说", "那会儿", "当时", "刚才", "他们", "老王", "老李", "小王", "班长", "组长", "客户", "维修", "学生", "朋友", "大家", "白板", "会上", "换班", "关机前", "早晨那", "做", "为了", "趁",
    ];
    let at = polite::opening(atoms);
    let is_han = atoms[0].is_han();
    let begins =
        |at: usize| longest_of(&atoms[at..], if is_han { HAN_TELLERS } else { TELLERS }).is_some();
    begins(0)
        || at < atoms.len() && begins(at)
        || is_han && atoms.iter().any(|atom| atom.text == "我")
}

/// Whether a clause only tells what is around a question.
fn idle(clause: &Clause, present: &Present<'_>) -> Option<Idle> {
    let all = &clause.atoms;
    let opening = polite::opening(all);
    // "And may I see those stops".
    let is_of_those =
        all.get(opening).is_some_and(|atom| atom.is_one_of(&["those", "them", "these"]))
            && opening > 0
            && (opening + 1 == all.len()
                || class_at(&all[opening + 1..])
                    .is_some_and(|(count, _)| opening + 1 + count == all.len()));
    if polite::is_polite(all) || is_of_those {
        return Some(Idle { says_nothing: true });
    }
    let mut at = 0;
    while at < all.len() {
        let kept = longest_of(&all[at..], NOT_NARROWING);
        if kept.is_none() && longest_of(&all[at..], NARROWING).is_some() {
            return None;
        }
        at += kept.unwrap_or(1);
    }
    let begin = polite::opening(all).min(all.len() - 1);
    // "And I had no answer" asks nothing.
    let has_subject = begin > 0 && all[begin - 1].is_one_of(&["i", "we", "it"]);
    let is_aside = all[0].is_one_of(&["when", "if", "to"])
        || is_which(all)
        || clause.text.contains(['"', '“']);
    let is_asking = clause.is_question
        || !is_aside && !has_subject && all[begin].is_one_of(ASKING)
        || !is_aside && all[0].is_one_of(ASKING);
    let is_if = all[0].is_one_of(&["if", "when"])
        && !all.get(1).is_some_and(|next| next.is_one_of(&["i", "we", "memory"]));
    let asks_han = ["哪", "什么", "几次", "多少", "吗", "是不是", "有没有", "列出"]
        .iter()
        .any(|word| (0..all.len()).any(|at| longest_of(&all[at..], &[word]).is_some()))
        && clause.is_question;
    if is_asking || is_if || asks_han {
        return None;
    }
    let tokens = lexer::tokens(&clause.text, all, present, all[0].is_han());
    let is_plain = |token: &Token| token.kind == Kind::Name || token.says_no_event();
    let has_digit = clause.text.contains(|c: char| c.is_ascii_digit());
    let says_nothing = !has_digit && tokens.is_some_and(|tokens| tokens.iter().all(is_plain));
    Some(Idle { says_nothing })
}

/// Whether something is asked.
fn asks(clauses: &[Clause]) -> bool {
    #[rustfmt::skip]
    const ASKS: &[&str] = &[
        "what", "which", "when", "how", "tell", "show", "list", "give", "need", "like", "see", "know", "fetch", "find", "get", "count", "name", "identify", "report", "return", "read", "look", "break", "confirm", "number", "need", "want",
        "什么", "啥", "哪", "几", "多少", "列", "给", "查", "找", "看", "说", "讲", "告诉", "统计", "请问", "请", "麻烦", "数", "吗", "知道", "返回",
    ];
    clauses.iter().any(|clause| {
        clause.is_question
            || (0..clause.atoms.len()).any(|at| longest_of(&clause.atoms[at..], ASKS).is_some())
    })
}

/// A part of the text as a question by itself.
fn core(clauses: &[Clause], from: usize, to: usize, present: &Present<'_>) -> Option<Core> {
    let (told, said) = (&clauses[..from], &clauses[from..to]);
    let opening = polite::opening(&said[0].atoms);
    let mut text = String::new();
    for (at, clause) in said.iter().enumerate() {
        let skipped = if at == 0 { opening } else { 0 };
        let begin = clause.atoms.get(skipped).map_or(clause.text.len(), |atom| atom.place.start);
        if !text.is_empty() {
            let is_apart = said[at - 1].sentence != clause.sentence;
            text.push_str(if is_apart { ". " } else { ", " });
        }
        let mut closing =
            if at + 1 == said.len() { polite::closing(&clause.atoms) } else { clause.atoms.len() };
        // 方便说说它之后的第一次吗: what is asked is to be told.
        let is_particle = clause.atoms[closing - 1].is_one_of(&["吗", "吧", "呢", "呀", "啊"]);
        closing -= usize::from(at + 1 == said.len() && opening > 0 && closing > 1 && is_particle);
        let end = clause.atoms[closing.max(1) - 1].place.end.max(begin);
        text.push_str(&clause.text[begin..end]);
    }
    if text.is_empty() || from == 0 && to == clauses.len() && opening == 0 {
        return None;
    }
    let mut core =
        Core { text, told: told_event(told, present), lacks_time: false, is_of_each: false };
    core.is_of_each = told
        .iter()
        .any(|clause| (0..clause.atoms.len()).any(|at| words::per(&clause.atoms[at..]).is_some()));
    core.take_moment(told, present);
    core.take_pair(told, present);
    // "My shift was the morning".
    let tells_part = |clause: &Clause| {
        (0..clause.atoms.len()).any(|at| longest(&clause.atoms[at..], PARTS).is_some())
    };
    let tells_time = times(told, present).next().is_some() || told.iter().any(tells_part);
    core.lacks_time = tells_time && !has_time(&core.text, present);
    core.take_day(told, present)?;
    core.text.push('?');
    Some(core)
}

impl Core {
    /// Puts the one moment that was told where "that moment" stands.
    fn take_moment(&mut self, told: &[Clause], present: &Present<'_>) {
        #[rustfmt::skip]
        const THAT: [&str; 22] = [
            "that moment", "this moment", "that instant", "that point in time", "that point", "that time", "that time stamp", "that timestamp", "then",
            "这个时刻", "那个时刻", "这一时刻", "那一时刻", "这个时间点", "那个时间点", "这个时间", "那个时间", "这个点", "那个点", "这时候", "那时候", "那会儿",
        ];
        let mut moments: Vec<&str> = times(told, present)
            .filter(|(_, is_moment)| *is_moment)
            .map(|(text, _)| text)
            .collect();
        moments.dedup();
        let ([moment], None) = (&moments[..], &self.told) else { return };
        if let Some((at, that)) = THAT.iter().find_map(|that| Some((self.text.find(that)?, *that)))
        {
            self.text.replace_range(at..at + that.len(), moment);
        }
    }

    /// Puts the two events of one class that were told where "those two" stands.
    fn take_pair(&mut self, told: &[Clause], present: &Present<'_>) {
        const BETWEEN: [&str; 6] = [
            "between those two",
            "between these two",
            "between the two",
            "between them",
            "between both",
            "between",
        ];
        let moments: Vec<&str> = times(told, present)
            .filter(|(_, is_moment)| *is_moment)
            .map(|(text, _)| text)
            .collect();
        let pair = told.iter().find_map(|clause| {
            let atoms = &clause.atoms;
            (0..atoms.len()).find_map(|at| {
                let (count, class) = class_at(&atoms[at..])?;
                class.map(|_| &clause.text[atoms[at].place.start..atoms[at + count - 1].place.end])
            })
        });
        let (mut text, ([one, two], Some(class))) = (self.text.clone(), (&moments[..], pair))
        else {
            return;
        };
        let is_han = atoms(&text).iter().any(Atom::is_han);
        if is_han && text.starts_with("之间") {
            text.insert_str(0, &format!("{one}的{class}和{two}的{class}"));
        } else if let Some((at, said)) = BETWEEN.iter().find_map(|it| Some((text.find(it)?, *it)))
            && (said != "between" || at + said.len() == text.len())
        {
            text.replace_range(
                at..at + said.len(),
                &format!("between the {class} at {one} and the {class} at {two}"),
            );
        } else {
            return;
        }
        (self.text, self.told) = (text, None);
    }

    /// Takes the one day that was told, when it says none itself; `None` when it is not sure which.
    fn take_day(&mut self, told: &[Clause], present: &Present<'_>) -> Option<()> {
        let days = |atoms: &[Atom]| -> Vec<String> {
            let at = |at: usize| {
                let day = longest(&atoms[at..], DAYS).map(|(count, _)| count);
                let part = longest(&atoms[at..], DAY_PARTS).map(|(count, _)| count);
                let count = day.max(part)?;
                // 昨天上午.
                let part = longest(&atoms[at + count..], PARTS).map_or(0, |(count, _)| count);
                let texts: Vec<&str> =
                    atoms[at..at + count + part].iter().map(|atom| &*atom.text).collect();
                Some(texts.join(if atoms[at].is_han() { "" } else { " " }))
            };
            (0..atoms.len()).filter_map(at).collect()
        };
        let mut of_told: Vec<String> = told.iter().flat_map(|clause| days(&clause.atoms)).collect();
        of_told.dedup();
        let all = atoms(&self.text);
        let has_day = !days(&all).is_empty()
            || (0..all.len())
                .any(|at| present.phrase(&all[at..]).is_some_and(|time| time.has_day()));
        let is_free = has_day || self.lacks_time || !has_time(&self.text, present);
        match &of_told[..] {
            _ if is_free => Some(()),
            [] => Some(()),
            [day] => {
                let is_han = all.first().is_some_and(Atom::is_han);
                self.text = format!("{day}{}{}", if is_han { "" } else { ", " }, self.text);
                Some(())
            }
            _ => None,
        }
    }
}

/// Whether a text says a time itself.
fn has_time(text: &str, present: &Present<'_>) -> bool {
    let all = atoms(text);
    (0..all.len()).any(|at| {
        let part = || {
            present
                .part(&all[at..])
                .filter(|_| at > 0 && all[at - 1].is_one_of(&["the", "of", "in"]))
        };
        present.phrase(&all[at..]).or_else(part).is_some()
    })
}

/// The times in some clauses, and whether each is a moment.
fn times<'c>(
    clauses: &'c [Clause],
    present: &'c Present<'_>,
) -> impl Iterator<Item = (&'c str, bool)> {
    clauses.iter().flat_map(move |clause| {
        let mut found = Vec::new();
        let mut at = 0;
        while at < clause.atoms.len() {
            if let Some(time) = present.phrase(&clause.atoms[at..]) {
                let to = at + time.count;
                let text =
                    &clause.text[clause.atoms[at].place.start..clause.atoms[to - 1].place.end];
                found.push((text, time.is_moment()));
                at = to;
            } else {
                at += 1;
            }
        }
        found
    })
}

/// The one event that some clauses tell of; `None` when there is none, or two.
fn told_event(clauses: &[Clause], present: &Present<'_>) -> Option<Anchor> {
    let mut events: Vec<Anchor> = Vec::new();
    for clause in clauses {
        let is_han = clause.atoms[0].is_han();
        let Some(tokens) = lexer::tokens(&clause.text, &clause.atoms, present, is_han) else {
            continue;
        };
        let is_event = |token: &Token| {
            matches!(token.kind, Kind::Class(_) | Kind::Became(_) | Kind::Began(_) | Kind::At(_))
        };
        let mut from = 0;
        for end in 1..=tokens.len() {
            // As far as it is named, and not what was done then.
            let is_whole = is_event(&tokens[end - 1])
                && !tokens.get(end).is_some_and(|next| is_event(next) && !next.is_cut);
            if !is_whole {
                continue;
            }
            let sentence = Sentence {
                tokens: &tokens[..end],
                atoms: &clause.atoms,
                is_han,
                is_question: false,
                context: None,
            };
            let found = (from..end).find_map(|at| {
                sentence.anchor(at).filter(|(anchor, to)| *to == end && anchor.is_one())
            });
            if let Some((event, _)) = found {
                from = end;
                if !events.contains(&event) {
                    events.push(event);
                }
            }
        }
    }
    (events.len() == 1).then(|| events.remove(0))
}

impl Anchor {
    /// Whether it says which one.
    fn is_one(&self) -> bool {
        (self.nth.is_some() || self.of.became.is_some() || !self.bounds.is_open())
            && self.of.class.is_some()
    }
}
