//! Names in a text behind which a secret can stand, and what stands behind them.

use super::forms::{Expression, STATES_BYTES_MAX};
use super::normalized::read;
use super::plausible::is_cjk;
use super::rules::{Kind, NAME_ENDS, NAMES, OPEN_KEYS, PIN_PARTS};
use super::value::{How, Value, is_secret};
use regex::Regex;
use regex::bytes::RegexBuilder;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

/// Bytes behind a name that are read for its value.
const BEHIND_BYTES: usize = 256;
/// Bytes before a name that are read for what it is a name of.
const BEFORE_BYTES: usize = 64;

/// What may join the words of a name.
const JOINT: &str = r"[ \t\n_.\-]{0,2}";
/// Characters that are written for the letters of these names.
const LEET: [(&str, &str); 2] =
    [("password", "p[a@4][s$5][s$5]w[o0]rd"), ("passwort", "p[a@4][s$5][s$5]w[o0]rt")];
/// Names whose letters are also found when they are spelled, one by one.
#[rustfmt::skip]
const SPELLED: [&str; 11] = [
    "password", "passwd", "passwort", "passphrase", "token", "secret", "apikey", "密码", "口令", "密钥",
    "令牌",
];
/// Names that are also found at the end of a longer word.
const GLUED: [&str; 6] = ["password", "passwd", "passwort", "passphrase", "apikey", "token"];

/// Begin what is about a secret, and does not name one.
#[rustfmt::skip]
const NOT_ABOUT: [&str; 21] = [
    "wrong", "forgot", "forgotten", "no", "ask", "enter", "reset", "change", "show", "new", "the", "invalid", "missing",
    "incorrect", "错误", "忘记", "无", "没有", "修改", "输入", "重置",
];
/// Before a name these say that its value does not follow.
#[rustfmt::skip]
const OPENS_NOTHING: [&str; 12] = [
    "ask", "forgot", "for", "enter", "no", "without", "the", "a", "needs", "reset", "typed", "changed",
];

/// A name that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Name {
    pub rule: &'static str,
    pub kind: Kind,
}

/// The expressions that find names, made of the table once.
struct Finder {
    any: regex::bytes::Regex,
    /// Names without what joins their words, and their rows of the table.
    known: HashMap<String, usize>,
    /// For each row of the table: whether a name is of it, however it is written.
    rows: Vec<Expression>,
}

static FINDER: LazyLock<Option<Finder>> = LazyLock::new(|| {
    Finder::made()
        .inspect_err(|error| log::error!("the names of what is never stored: {error}"))
        .ok()
});

/// An expression that finds any of the names.
fn pattern() -> String {
    let mut names: Vec<String> =
        NAMES.iter().flat_map(|row| &row.names).map(|name| name_pattern(name)).collect();
    names.extend(SPELLED.iter().map(|name| spelled(name)));
    // The first that fits is taken.
    names.sort_by_key(|name| std::cmp::Reverse(name.chars().count()));
    format!("(?i:{})", names.join("|"))
}

fn name_pattern(name: &str) -> String {
    let leet = LEET.iter().find(|(known, _)| *known == name);
    leet.map_or_else(
        || read(name).split(' ').collect::<Vec<_>>().join(JOINT),
        |(_, leet)| (*leet).to_owned(),
    )
}

fn spelled(name: &str) -> String {
    let letters: Vec<String> = name.chars().map(String::from).collect();
    letters.join(r"[ \t._·\-]{1,2}")
}

impl Finder {
    fn made() -> Result<Self, regex::Error> {
        let rows = NAMES.iter().map(|row| {
            let mut names: Vec<String> = row.names.iter().map(|name| name_pattern(name)).collect();
            names.extend(
                SPELLED
                    .iter()
                    .filter(|name| {
                        row.names.contains(name)
                            || (**name == "apikey" && row.names.contains(&"api key"))
                    })
                    .map(|name| spelled(name)),
            );
            Expression::of(format!("^(?i:{})$", names.join("|")))
        });
        let any = RegexBuilder::new(&pattern()).dfa_size_limit(STATES_BYTES_MAX).build()?;
        let mut known = HashMap::new();
        for (at, row) in NAMES.iter().enumerate() {
            for name in &row.names {
                known.entry(unjoined(&read(name))).or_insert(at);
            }
        }
        Ok(Self { any, known, rows: rows.collect() })
    }

    /// Names in a text, with where the name ends: first the places of all, then which name each is.
    fn names<'t>(&'t self, text: &'t str) -> impl Iterator<Item = (Name, Range<usize>)> + 't {
        let mut at = 0;
        std::iter::from_fn(move || {
            while let Some(found) = self.any.find_at(text.as_bytes(), at) {
                if let Some((name, place)) = self.name(text, found.range()) {
                    at = place.end.max(found.end());
                    return Some((name, place));
                }
                // Another name can begin within what is none.
                at = found.start() + text[found.range()].chars().next().map_or(1, char::len_utf8);
            }
            None
        })
    }

    fn name(&self, text: &str, place: Range<usize>) -> Option<(Name, Range<usize>)> {
        let name = text.get(place.clone())?;
        let known = self.known.get(&unjoined(name)).copied();
        let row = known.or_else(|| {
            let is_of =
                |row: &Expression| row.made().is_some_and(|row| row.is_match(name.as_bytes()));
            self.rows.iter().position(is_of)
        });
        let row = NAMES.get(row?)?;
        let end = is_name(text, place.clone(), row.kind)?;
        Some((Name { rule: row.rule, kind: row.kind }, place.start..end))
    }
}

/// A name in small letters, without what may join its words.
fn unjoined(name: &str) -> String {
    let is_joint = |c: &char| matches!(c, ' ' | '\t' | '\n' | '_' | '.' | '-');
    name.chars().filter(|c| !is_joint(c)).flat_map(char::to_lowercase).collect()
}

/// The first secret behind a name in a text as it reads: the name's rule, and where it begins.
pub(super) fn find(text: &str) -> Option<(&'static str, usize)> {
    let finder = FINDER.as_ref()?;
    finder.names(text).find_map(|(name, place)| {
        let is_found =
            stands_behind(text, name, place.clone()) || stands_before(text, name, &place);
        is_found.then_some((name.rule, place.start))
    })
}

/// Whether bytes that hold texts hold a name.
pub(super) fn may_be_in(bytes: &[u8]) -> bool {
    FINDER.as_ref().is_some_and(|finder| finder.any.is_match(bytes))
}

/// The name that a text is as a whole, as that of a field: its last one, when nothing else follows.
pub(super) fn of_field(field: &str) -> Option<Name> {
    let field = read(field);
    let finder = FINDER.as_ref()?;
    let (name, place) = finder.names(&field).last()?;
    let rest = field.get(place.end..)?.trim();
    let is_end = |rest: &str| {
        let rest = rest.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        rest.is_empty() || NAME_ENDS.contains(&*rest)
    };
    let is_noted = rest.starts_with(['(', '[']) && rest.ends_with([')', ']']);
    (is_noted || is_end(rest)).then_some(name)
}

/// The name that a value is, and nothing else than what it is a name of: "WiFi password", `DB_PASSWORD`.
pub(super) fn as_value(value: &str) -> Option<Name> {
    const WORDS_MAX: usize = 4;
    let is_short = value.len() <= BEFORE_BYTES && value.split_whitespace().count() <= WORDS_MAX;
    let is_about = |name: &&str| {
        value.to_lowercase().trim_start().starts_with(*name)
            && !value.starts_with(|c: char| c.is_uppercase())
    };
    (is_short && !NOT_ABOUT.iter().any(is_about))
        .then(|| of_field(value.trim_start_matches('-')))?
}

/// The name that a text ends with, whose value it does not hold: "The WiFi password is".
pub(super) fn open_end(text: &str) -> Option<Name> {
    const WORDS_MAX: usize = 8;
    let text = read(text);
    let (name, place) = FINDER.as_ref()?.names(&text).last()?;
    let rest = text.get(place.end..)?.trim();
    let rest = rest.trim_end_matches([':', '.', '=', ' ', '"', '…', '。']);
    let before = text.get(..place.start)?;
    let is_named = before.split_whitespace().count() <= 3
        && !before.to_lowercase().split_whitespace().any(|word| OPENS_NOTHING.contains(&word));
    let is_open = matches!(rest, "is" | "are" | "是" | "为" | "was")
        || (rest.is_empty() && (text.trim_end().ends_with([':', '=']) || is_named));
    (is_open && text.split_whitespace().count() <= WORDS_MAX).then_some(name)
}

/// Before 口令 these make it a command that is spoken.
const SPOKEN: &[&str] = &["语音", "声控", "唤醒", "喊话"];

/// Where a name ends, with what belongs to it; none when it is part of another word.
fn is_name(text: &str, place: Range<usize>, kind: Kind) -> Option<usize> {
    let name = text.get(place.clone())?;
    let before = text.get(..place.start)?;
    let after = cut(text.get(place.end..)?, BEFORE_BYTES);
    // What is said to a robot aloud is no secret: 语音口令.
    if name == "口令" && SPOKEN.iter().any(|spoken| before.ends_with(spoken)) {
        return None;
    }
    if name.ends_with(is_cjk) || !name.is_ascii() {
        // 口令牌, 密码锁: followed by what a secret does not begin with, no connection is found.
        return Some(place.end);
    }
    let last = before.chars().next_back();
    let is_hump = name.starts_with(|c: char| c.is_ascii_uppercase())
        && last.is_some_and(|c| c.is_ascii_lowercase());
    let is_glued = GLUED.iter().any(|glued| name.eq_ignore_ascii_case(glued)) && kind != Kind::Pin;
    if last.is_some_and(|c| c.is_ascii_alphabetic()) && !is_hump && !is_glued {
        return None;
    }
    if name.eq_ignore_ascii_case("key") && !is_named_key(before) {
        return None;
    }
    // The rest of the word, and words that are joined to it.
    let tail = after.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-')));
    let tail = after.get(..tail.unwrap_or(after.len()))?;
    let plain = tail.trim_end_matches(['-', '_']);
    if plain.is_empty() {
        return Some(place.end + tail.len());
    }
    let ends = words_of(plain);
    let is_plural = |word: &str| word == "s" || word == "es";
    let ends = match ends.split_first() {
        Some((first, rest)) if is_plural(first) && plain.starts_with('s') => rest,
        _ => &ends[..],
    };
    ends.iter().all(|end| NAME_ENDS.contains(&**end)).then_some(place.end + plain.len())
}

/// The words that `aName_of_parts2` is made of, in small letters.
fn words_of(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut last = '_';
    for c in name.chars() {
        let is_joint = matches!(c, '_' | '-' | ' ' | '.');
        let begins = (c.is_uppercase() && last.is_lowercase())
            || (c.is_ascii_digit() != last.is_ascii_digit())
            || is_joint
            || matches!(last, '_' | '-' | ' ' | '.');
        if begins {
            words.push(String::new());
        }
        if !is_joint && let Some(word) = words.last_mut() {
            word.extend(c.to_lowercase());
        }
        last = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether what stands before `key` makes it one of a program: an identifier that is none of things.
fn is_named_key(before: &str) -> bool {
    let before = last(before, BEFORE_BYTES);
    let begin = before
        .rfind(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-')))
        .map_or(0, |at| at + 1);
    let Some(identifier) = before.get(begin..) else { return false };
    let words = words_of(identifier);
    words.last().is_some_and(|word| word.len() > 1 && !OPEN_KEYS.contains(&**word))
}

/// Signs and words between a name and its value.
static JOINTS: LazyLock<Option<[Regex; 4]>> = LazyLock::new(|| {
    let made = || -> Result<_, regex::Error> {
        Ok([
            // A sign, perhaps behind a remark in brackets; the attribute of XML that holds the value.
            Regex::new(
                r#"^["\s\]~_]*(?:\([^()\n]{0,32}\)\s*)?(?P<sign>:=|\(\s*"|</[\w:]+>\s*<[\w:]+>|==?>|->|:\s*[|>][-+]?\s*\n|:+|=+|→|—|–|>+|\s-\s|\||"?\s+(?:value|val|content|data|string)\s*[=:])[\s"]*"#,
            )?,
            // "is", "has been set to", "lautet", 是, 已改为.
            Regex::new(
                r#"(?i)^[",]*\s+(?:\([^()\n]{0,32}\)\s+)?(?:(?:value|itself|which|that)\s+){0,2}(?:(?:is|was|are|were|be|has|have|had|been|being|gets?|got|will|shall|should|must|now|still|always|currently|again|set|changed|reset|updated|switched|equals?|equal|reads?|to|as|ist|war|lautet|heißt|heisst|wurde|geändert|auf|est|es|era|e|jest|called|namely|simply)\b[\s:]*){1,5}"?\s*"#,
            )?,
            Regex::new(
                r#"^["\s)]*(?:已经|现在|目前|暂时|临时|统一|默认|初始|已|都|就|被|仍|还|也|均|一律|全部|现|将|应)*(?:是|为|設為|设为|设成|设置为|设置成|设定为|改为|改成|改到|更改为|修改为|修改成|更新为|变成|变为|换成|换为|叫做|叫|等于|即|用的是|填|输入|输|は|が|는|은|使用|用|设置|:)+了?["\s:]*"#,
            )?,
            // Of what it is a password, and then one of the others.
            Regex::new(
                r#"(?i)^\s+(?:for|of|to|on|at|from|in|für|fuer|fur|zu|zum|des|der|de|del|da|du|des|della|do|pour|para)\s[^\n.;!?:=]*?(?:\s(?:is|was|are|ist|lautet|est|es|set to)\s|\s*[:=→])[\s"]*"#,
            )?,
        ])
    };
    made().inspect_err(|error| log::error!("what joins names and values: {error}")).ok()
});

/// Whether a secret stands behind a name.
fn stands_behind(text: &str, name: Name, place: Range<usize>) -> bool {
    let Some(rest) = text.get(place.end..) else { return false };
    let rest = cut(rest, BEHIND_BYTES);
    let Some([sign, said, said_in_chinese, of_what]) = JOINTS.as_ref() else { return false };
    let is_pin = matches!(name.kind, Kind::Pin);
    if is_pin && is_part(text.get(..place.start).unwrap_or_default()) {
        return false;
    }
    // Whether one is there is known much sooner than which of its parts is where.
    if let Some(found) = sign.is_match(rest).then(|| sign.captures(rest)).flatten() {
        let end = found.get(0).map_or(0, |all| all.end());
        let is_equals = found.name("sign").is_some_and(|sign| sign.as_str() == "=");
        let is_tight =
            is_equals && !rest.get(..end).unwrap_or_default().contains(char::is_whitespace);
        return is_secret(name.kind, How::Sign { is_tight }, value_at(rest, end));
    }
    for joint in [said, said_in_chinese] {
        if let Some(found) = joint.find(rest)
            && is_secret(name.kind, How::Said, value_at(rest, found.end()))
        {
            return true;
        }
    }
    if let Some(found) = of_what.find(rest) {
        let is_sign = found.as_str().contains([':', '=', '→']);
        let how = if is_sign { How::Sign { is_tight: false } } else { How::Said };
        if is_secret(name.kind, how, value_at(rest, found.end())) {
            return true;
        }
    }
    let pause = rest.len() - rest.trim_start_matches("...").trim_start_matches(['…', '/']).len();
    let lead = [' ', '\t', '\n', '\r', '"', ')', ']', '>'];
    let direct = rest.len() - rest.get(pause..).unwrap_or_default().trim_start_matches(lead).len();
    let is_apart = direct > 0
        || text.get(..place.end).is_some_and(|name| name.ends_with(|c: char| !c.is_ascii()));
    let is_code = !is_pin || is_code_direct(text, &place);
    // A flag of a program: `--password x`.
    let before = last(text.get(..place.start).unwrap_or_default(), BEFORE_BYTES);
    let word = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    let how = if word.starts_with("--") { How::Sign { is_tight: true } } else { How::Direct };
    is_apart && is_code && is_secret(name.kind, how, value_at(rest, direct))
}

/// Whether a secret stands before a name: "x is the password", "x 是密码".
fn stands_before(text: &str, name: Name, place: &Range<usize>) -> bool {
    static JOINT: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r#"(?i)(\S+?)"?\s*(?:\s(?:is|was|as|ist|est)\s(?:now\s)?(?:the|my|our|your|his|her|its|a|das|le)?\s?(?:[\w-]+\s){0,2}|\s?(?:是|为|就是|作为|当)(?:我的|它的|新的?|登录|管理员|门禁|门锁|WiFi|wifi|无线|开门)*)$"#).ok()
    });
    if !matches!(name.kind, Kind::Password | Kind::Passphrase | Kind::Key | Kind::Code | Kind::Pin)
    {
        return false;
    }
    let before = text.get(..place.start).unwrap_or_default();
    let before = last(before, BEFORE_BYTES * 2);
    let joint = JOINT.as_ref().filter(|joint| joint.is_match(before));
    let Some(found) = joint.and_then(|joint| joint.captures(before)) else { return false };
    let word = found.get(1).map_or("", |word| word.as_str());
    let word =
        word.rsplit(|c| is_cjk(c) || c == '"').find(|part| !part.is_empty()).unwrap_or_default();
    let after = text.get(place.end..).unwrap_or_default();
    // "… is the password field".
    let goes_on = after
        .trim_start_matches(['"', ' '])
        .starts_with(|c: char| c.is_ascii_alphabetic() || c == '锁' || c == '箱' || c == '的')
        && !after.trim_start().to_lowercase().starts_with(['f', 'o', 't']);
    let word_is_long = !matches!(name.kind, Kind::Key) || word.len() >= 10;
    !goes_on
        && word_is_long
        && is_secret(
            name.kind,
            How::Direct,
            Value { word, clause: word, after: "", is_quoted: false },
        )
}

/// The last bytes of a text, as many as are a text.
pub(super) fn last(text: &str, bytes: usize) -> &str {
    let from = text.len().saturating_sub(bytes);
    (from..=text.len()).find_map(|at| text.get(at..)).unwrap_or_default()
}

/// The first bytes of a text, as many as are a text.
fn cut(text: &str, bytes: usize) -> &str {
    let to = text.len().min(bytes);
    (0..=to).rev().find_map(|at| text.get(..at)).unwrap_or_default()
}

/// Whether `pin` is a part or a contact there.
fn is_part(before: &str) -> bool {
    let before = last(before, BEFORE_BYTES).to_lowercase();
    let clause = before.rsplit(['.', ';', '!', '?', '。']).next().unwrap_or_default();
    let words: Vec<&str> =
        clause.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.iter().rev().take(3).any(|word| PIN_PARTS.contains(*word))
}

/// Whether a number directly behind `pin` is a code: it is written `PIN`, or it is somebody's.
fn is_code_direct(text: &str, place: &Range<usize>) -> bool {
    #[rustfmt::skip]
    const OF_SOMEBODY: [&str; 30] = [
        "my", "your", "his", "her", "our", "their", "the", "door", "lock", "user", "card", "sim", "phone",
        "tablet", "entry", "panel", "alarm", "unlock", "login", "access", "safe", "admin", "supervisor",
        "operator", "with", "use", "code", "enter", "type", "new",
    ];
    let is_upper = text.get(place.clone()).is_some_and(|name| name == "PIN");
    let before = last(text.get(..place.start).unwrap_or_default(), BEFORE_BYTES).to_lowercase();
    let word = before.split_whitespace().next_back().unwrap_or_default();
    is_upper || OF_SOMEBODY.contains(&word)
}

/// The value that begins there.
fn value_at(text: &str, at: usize) -> Value<'_> {
    let is_quoted = text.get(..at).is_some_and(|before| before.ends_with('"'));
    let rest = text.get(at..).unwrap_or_default();
    if is_quoted && let Some(end) = rest.find(['"', '\n']).filter(|end| *end > 0) {
        let (word, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        let first = word.find(char::is_whitespace).unwrap_or(word.len());
        let word_only = word.get(..first).unwrap_or(word);
        // A sentence in quotes is judged by its first word, and as a whole.
        return Value {
            word: word_only,
            clause: word,
            after: if first < word.len() { word.get(first..).unwrap_or("") } else { after },
            is_quoted,
        };
    }
    let begins_cjk = rest.starts_with(is_cjk);
    let is_end = |c: char| {
        c.is_whitespace() || "\",;<，。；、！？|&".contains(c) || (!begins_cjk && is_cjk(c))
    };
    let end = rest.find(is_end).unwrap_or(rest.len());
    let (word, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
    let clause_ends = |(at, c): (usize, char)| {
        let is_stop = "\n\",;<，。；！？|(}]".contains(c);
        let next = rest.get(at + c.len_utf8()..).and_then(|rest| rest.chars().next());
        is_stop || (matches!(c, '.' | '!' | '?') && next.is_none_or(char::is_whitespace))
    };
    let clause = rest
        .char_indices()
        .find(|(at, c)| *at >= end && clause_ends((*at, *c)))
        .map_or(rest.len(), |(at, _)| at);
    Value { word, clause: rest.get(..clause.max(end)).unwrap_or(word), after, is_quoted: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_expressions_can_be_made() {
        let finder = Finder::made().unwrap();
        assert!(finder.rows.iter().all(|row| row.made().is_some()));
    }
}
