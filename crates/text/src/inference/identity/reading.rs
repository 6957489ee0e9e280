//! A text as pieces whose meaning the table knows, or not.

use super::super::decimal::Decimal;
use super::super::items::{Item, ItemKind, Part, following_unit, parts};
use super::super::lexer::{Piece, PieceKind, is_han, scan};
use super::super::numerals::{english_number, english_ordinal, han_number, han_ordinal};
use super::super::stem::stem;
use super::super::units::{han_unit, unit};
use super::lexicon::{Concept, LEXICON, Section, Senses, lemma};

/// What a [`Token`] is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// What the table knows.
    Known(Senses),
    /// Another word in its one form, or Han characters.
    Unknown(String),
    /// A number that counts or orders: 2 of "drawer 2", "second drawer", 二号抽屉.
    Number(Decimal),
    /// An amount in its base unit.
    Amount(String, Decimal),
    /// A letter or an identifier, in lower case: a, m8, usb.
    Name(String),
    /// Says little by itself, as it is written: of, the, 的.
    Light(String),
    /// Punctuation.
    Break,
}

/// A piece of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub kind: TokenKind,
    /// As it is written, in lower case.
    pub text: String,
    /// Whether it is of Han characters.
    pub is_han: bool,
}

impl Token {
    /// What it may mean; empty of what the table does not know.
    pub fn senses(&self) -> &[Concept] {
        match &self.kind {
            TokenKind::Known(senses) => senses,
            _ => &[],
        }
    }

    /// Whether one thing that it may mean is of such a section.
    pub fn may_be(&self, wanted: impl Fn(Section) -> bool) -> bool {
        self.senses().iter().any(|it| wanted(LEXICON.section(*it)))
    }

    /// Whether it is a noun, or a word or a name that the table does not know.
    pub fn names_thing(&self) -> bool {
        matches!(self.kind, TokenKind::Unknown(_) | TokenKind::Name(_))
            || self.may_be(|section| matches!(section, Section::Noun(_)))
    }

    /// Whether it is one of these words.
    pub fn is_one_of(&self, words: &[&str]) -> bool {
        words.contains(&self.text.as_str())
    }
}

/// English words that say little by themselves.
#[rustfmt::skip]
const LIGHT: &[&str] = &[
    "a", "an", "the", "of", "for", "to", "from", "with", "at", "and", "this", "that", "these", "those", "some", "made", "out",
    "its", "it", "s", "piece", "pair", "type",
];
/// Chinese ones. A measure word is one only behind a number or a pointing word.
#[rustfmt::skip]
const HAN_LIGHT: &[&str] = &[
    "的", "之", "那瓶", "这瓶", "那", "这", "该", "在", "做的", "制的", "制成的", "制作的", "做成的", "位置", "地方", "处", "那里", "这里", "一些",
];
const HAN_LIGHT_CHARS_MAX: usize = 3;
/// Measure words: say nothing of what is counted.
#[rustfmt::skip]
const MEASURE_WORDS: &[&str] = &[
    "个", "只", "把", "台", "张", "条", "根", "双", "块", "支", "辆", "套", "件", "颗", "粒", "枚", "架", "副", "对", "种", "些", "层", "扇", "座", "间",
    "顶", "束", "片", "名", "位", "次", "本", "部", "朵", "棵", "株", "盏", "幅", "封", "册", "卷", "艘", "栋", "幢", "匹", "柄", "枝", "口", "面",
    "节", "份", "床",
];
/// Before a measure word they make it say nothing of what is counted: 那本书.
const POINTING: &[&str] = &["那", "这", "某"];
/// Behind a number they say that it is a name.
const NUMBERING: &[&str] = &["号", "#"];
/// Words for things that are numbered, behind which a numeral needs no measure word.
const NUMBERED: &[&str] =
    &["楼", "区", "轴", "格", "排", "列", "线", "室", "厅", "组", "班", "段", "车间", "关节"];
/// Letters before the digits of a word that is numbered: "warehouse3" is a warehouse, M8 is a size.
const NUMBERED_WORD_CHARS_MIN: usize = 3;

/// The pieces of a text after [`folded`](super::lexicon::folded), in order. Linear in its length.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let pieces = scan(text);
    let mut reader = Reader { text, tokens: Vec::new(), words: Vec::new(), number_ends: None };
    let mut index = 0;
    while let Some(piece) = pieces.get(index) {
        index += reader.read(&pieces, index, piece);
    }
    reader.end_words();
    reader.tokens
}

struct Reader<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    /// English words that follow each other: as they are written, and whether in capitals.
    words: Vec<(String, bool)>,
    /// The byte behind the last number that has no unit.
    number_ends: Option<usize>,
}

impl Reader<'_> {
    /// Reads a piece, and answers how many were read.
    fn read(&mut self, pieces: &[Piece<'_>], index: usize, piece: &Piece<'_>) -> usize {
        match piece.kind {
            PieceKind::Han => {
                let mut used = 1;
                while let Some(next) = pieces.get(index + used)
                    && next.kind == PieceKind::Han
                    && next.start == pieces[index + used - 1].end()
                {
                    used += 1;
                }
                let run = &self.text[piece.start..pieces[index + used - 1].end()];
                self.end_words();
                let follows_number = self.number_ends.take() == Some(piece.start)
                    || matches!(self.tokens.last(), Some(Token { kind: TokenKind::Number(_), .. }));
                self.han(run, follows_number);
                used
            }
            PieceKind::Url | PieceKind::DrivePath => {
                self.push(TokenKind::Name(piece.text.to_lowercase()), piece.text);
                1
            }
            PieceKind::Mark => {
                // A number sign before a number is none.
                if ",;:!?。、，；：！？…\n".contains(piece.text) {
                    self.push(TokenKind::Break, piece.text);
                }
                1
            }
            PieceKind::Chunk => self.chunk(pieces, index, piece),
        }
    }

    fn push(&mut self, kind: TokenKind, text: &str) {
        self.end_words();
        let is_han = text.chars().any(is_han);
        self.tokens.push(Token { kind, text: text.to_lowercase(), is_han });
    }

    fn chunk(&mut self, pieces: &[Piece<'_>], index: usize, piece: &Piece<'_>) -> usize {
        let mut used = 1;
        let parts = parts(piece.text);
        let last = parts.len().saturating_sub(1);
        for (at, part) in parts.iter().enumerate() {
            match part {
                Part::Number(number) => {
                    let following = (at == last)
                        .then(|| following_unit(self.text, pieces, index))
                        .flatten()
                        .filter(|(unit, _)| !unit.base.is_empty());
                    match following {
                        Some((unit, end)) => {
                            let amount = TokenKind::Amount(unit.base.clone(), unit.in_base(number));
                            self.push(amount, &self.text[piece.start..end]);
                            while pieces.get(index + used).is_some_and(|next| next.start < end) {
                                used += 1;
                            }
                        }
                        None => {
                            self.push(TokenKind::Number(number.clone()), piece.text);
                            self.number_ends = Some(piece.end());
                        }
                    }
                }
                Part::Ordinal(number) => self.push(TokenKind::Number(number.clone()), piece.text),
                Part::Measure(number, symbol) => match unit(symbol) {
                    Some(unit) if !unit.base.is_empty() => {
                        let amount = TokenKind::Amount(unit.base.clone(), unit.in_base(number));
                        self.push(amount, piece.text);
                    }
                    _ => self.push(TokenKind::Number(number.clone()), piece.text),
                },
                Part::Word(text) => self.composed(text),
                Part::Name(text) => self.name(text),
            }
        }
        used
    }

    /// Words with hyphens, slashes and apostrophes between.
    fn composed(&mut self, text: &str) {
        for word in text.split(['-', '/', '·', '⋅', '^']).filter(|word| !word.is_empty()) {
            let straight = word.replace('\u{2019}', "'");
            match straight.split_once('\'') {
                Some((stem, suffix)) if suffix.eq_ignore_ascii_case("t") => {
                    let verb = stem.strip_suffix(['n', 'N']).unwrap_or(stem);
                    self.word(verb);
                    self.word("not");
                }
                Some((stem, _)) => self.word(stem),
                None => self.word(&straight),
            }
        }
    }

    fn word(&mut self, word: &str) {
        let mut letters = word.chars();
        let is_capital = letters.next().is_some_and(char::is_uppercase);
        let is_acronym = is_capital && letters.all(char::is_uppercase);
        self.words.push((word.to_lowercase(), is_acronym));
    }

    /// What has digits in it: numbered words are taken apart.
    fn name(&mut self, text: &str) {
        if text.contains(['/', '\\', '.', ':']) {
            self.push(TokenKind::Name(text.to_lowercase()), text);
            return;
        }
        for part in text.split(['_', '-']).filter(|part| !part.is_empty()) {
            let digits = part.trim_start_matches(|c: char| c.is_alphabetic());
            let letters = &part[..part.len() - digits.len()];
            let number = Decimal::read(digits).filter(|(_, rest)| rest.is_empty());
            let is_numbering = ["no", "nr"].contains(&letters.to_lowercase().as_str());
            match number {
                Some((number, _))
                    if is_numbering || letters.chars().count() >= NUMBERED_WORD_CHARS_MIN =>
                {
                    if !is_numbering {
                        self.word(letters);
                    }
                    self.push(TokenKind::Number(number), digits);
                }
                Some((number, _)) if letters.is_empty() => {
                    self.push(TokenKind::Number(number), digits);
                }
                _ if digits.is_empty() => self.word(letters),
                _ => self.push(TokenKind::Name(part.to_lowercase()), part),
            }
        }
    }

    /// Ends a run of English words: the longest phrases of the table, and the rest word by word.
    fn end_words(&mut self) {
        let words = std::mem::take(&mut self.words);
        let forms: Vec<String> = words.iter().map(|(word, _)| lemma(word)).collect();
        let items: Vec<Item> = words.iter().map(|(word, _)| word_item(word)).collect();
        let mut index = 0;
        while index < words.len() {
            let (word, is_acronym) = &words[index];
            let (kind, used) = self.meaning(&words, &forms, &items, index).unwrap_or_else(|| {
                let kind = if *is_acronym && word.chars().count() > 1 {
                    TokenKind::Name(word.clone())
                } else {
                    TokenKind::Unknown(stem(&forms[index]).into_owned())
                };
                (kind, 1)
            });
            let text = words[index..index + used].iter().map(|(word, _)| word.as_str());
            let text = text.collect::<Vec<_>>().join(" ");
            self.tokens.push(Token { kind, text, is_han: false });
            index += used;
        }
    }

    fn meaning(
        &self,
        words: &[(String, bool)],
        forms: &[String],
        items: &[Item],
        index: usize,
    ) -> Option<(TokenKind, usize)> {
        let (word, is_acronym) = &words[index];
        let is_last = index + 1 == words.len();
        let known = LEXICON.longest_words(&forms[index..]);
        if let Some((senses, used)) = known.clone().filter(|(_, used)| *used > 1) {
            return Some((TokenKind::Known(senses), used));
        }
        if word.chars().count() == 1 && !word.starts_with(|c: char| c.is_numeric()) {
            let opens =
                index == 0 && self.tokens.last().is_none_or(|token| token.kind == TokenKind::Break);
            let is_article = word == "a" && !is_last && (!is_acronym || opens);
            let is_known = known.is_some() || word == "s";
            if !is_article && !is_known {
                return Some((TokenKind::Name(word.clone()), 1));
            }
        }
        let next = words.get(index + 1).map(|(word, _)| word.as_str());
        let is_number_next = match next {
            Some(_) => english_number(items, index + 1).is_some(),
            None => true,
        };
        if ["no", "nr", "number"].contains(&word.as_str()) && is_number_next && index > 0 {
            return Some((TokenKind::Light(word.clone()), 1));
        }
        // "one cup" is a cup, "line one" is its number.
        if word == "one" {
            let kind = if is_last && index > 0 {
                TokenKind::Number(Decimal::from_integer(1))
            } else {
                TokenKind::Light(word.clone())
            };
            return Some((kind, 1));
        }
        if let Some((number, used)) = english_number(items, index) {
            let number = Decimal::from_integer(number);
            let following = words.get(index + used).filter(|(word, _)| word != "a");
            return Some(match following.and_then(|(word, _)| unit(word)) {
                Some(unit) if !unit.base.is_empty() => {
                    (TokenKind::Amount(unit.base.clone(), unit.in_base(&number)), used + 1)
                }
                _ => (TokenKind::Number(number), used),
            });
        }
        if let Some(number) = english_ordinal(word) {
            return Some((TokenKind::Number(Decimal::from_integer(number)), 1));
        }
        if LIGHT.contains(&word.as_str()) && known.is_none() {
            return Some((TokenKind::Light(word.clone()), 1));
        }
        if let Some((senses, used)) = known {
            return Some((TokenKind::Known(senses), used));
        }
        // "work bench" and "workbench".
        (1..=2.min(words.len() - index)).rev().find_map(|used| {
            let written: String =
                words[index..index + used].iter().map(|(w, _)| w.as_str()).collect();
            let senses = LEXICON.joined(&lemma(&written))?;
            Some((TokenKind::Known(senses), used))
        })
    }

    /// Parts a run of Han characters into words: so that the fewest characters are in none.
    fn han(&mut self, run: &str, follows_number: bool) {
        let chars: Vec<usize> = run.char_indices().map(|(at, _)| at).chain([run.len()]).collect();
        let count = chars.len() - 1;
        let has_before = !self.tokens.is_empty();
        let mut best: Vec<Option<(u32, usize, TokenKind)>> = vec![None; count + 1];
        best[0] = Some((0, 0, TokenKind::Break));
        let reach = |best: &mut Vec<Option<(u32, usize, TokenKind)>>,
                     from: usize,
                     to: usize,
                     cost: u32,
                     kind: &dyn Fn() -> TokenKind| {
            let Some((before, _, _)) = &best[from] else { return };
            let total = before + cost;
            if best[to].as_ref().is_none_or(|(known, _, _)| total < *known) {
                best[to] = Some((total, from, kind()));
            }
        };
        for from in 0..count {
            let rest = &run[chars[from]..];
            let first = rest.chars().next().unwrap_or_default();
            let longest = (LEXICON.han_chars_max_from(first) + 1).max(HAN_LIGHT_CHARS_MAX);
            for len in 1..=longest.min(count - from) {
                let word = &run[chars[from]..chars[from + len]];
                // 重试的次数 is 重试次数.
                let known = LEXICON.han(word).or_else(|| {
                    let inner =
                        word.contains('的') && !word.starts_with('的') && !word.ends_with('的');
                    inner.then(|| LEXICON.han(&word.replace('的', ""))).flatten()
                });
                if let Some(senses) = known
                    && (has_before
                        || from > 0
                        || !is_relation_only(senses)
                        || word.starts_with('靠'))
                {
                    let kind = || TokenKind::Known(senses.clone());
                    reach(&mut best, from, from + len, WORD_COST + u32::from(len == 1), &kind);
                }
                if HAN_LIGHT.contains(&word) || is_pointing(word) {
                    let kind = || TokenKind::Light(word.to_owned());
                    reach(&mut best, from, from + len, WORD_COST + u32::from(len == 1), &kind);
                }
            }
            if let Some((kind, bytes)) = number_at(rest) {
                let to = chars.partition_point(|at| *at < chars[from] + bytes);
                reach(&mut best, from, to, WORD_COST, &|| kind.clone());
            }
            if from == 0 && follows_number {
                let is_measure = |word: &&&str| rest.starts_with(**word);
                if let Some(word) = MEASURE_WORDS.iter().chain(NUMBERING).find(is_measure) {
                    reach(&mut best, 0, word.chars().count(), WORD_COST, &|| {
                        TokenKind::Light((*word).to_owned())
                    });
                }
            }
            let letter = &run[chars[from]..chars[from + 1]];
            let kind = || TokenKind::Unknown(letter.to_owned());
            reach(&mut best, from, from + 1, UNKNOWN_COST, &kind);
        }
        let mut found = Vec::new();
        let mut at = count;
        while at > 0 {
            let Some((_, from, kind)) = best[at].take() else { break };
            let text = run[chars[from]..chars[at]].to_owned();
            found.push(Token { kind, text, is_han: true });
            at = from;
        }
        found.reverse();
        self.tokens.extend(found);
    }
}

const WORD_COST: u32 = 2;
const UNKNOWN_COST: u32 = 5;

/// Whether a word points at what follows: 那本, 这只.
fn is_pointing(word: &str) -> bool {
    let measure = POINTING.iter().find_map(|it| word.strip_prefix(it));
    measure.is_some_and(|measure| MEASURE_WORDS.contains(&measure))
}

/// Whether a word says only where something is: it stands behind what it is near (人附近), or is 靠.
fn is_relation_only(senses: &Senses) -> bool {
    senses.iter().all(|it| LEXICON.section(*it) == Section::Relation)
}

/// The Chinese number at the beginning of `rest`, and how many bytes it takes, with the measure word that
/// follows it.
fn number_at(rest: &str) -> Option<(TokenKind, usize)> {
    let measure = |rest: &str| {
        let is_next = |word: &&&str| rest.starts_with(**word);
        MEASURE_WORDS.iter().chain(NUMBERING).find(is_next).map(|word| (*word, word.len()))
    };
    if let Some(after) = rest.strip_prefix('第') {
        let (value, len) = han_ordinal(after)?;
        let used = '第'.len_utf8() + len;
        let used = used + measure(&rest[used..]).map_or(0, |(_, len)| len);
        return Some((TokenKind::Number(Decimal::from_integer(value)), used));
    }
    if let Some((value, len)) = han_number(rest)
        && let Some((unit, unit_len)) = han_unit(&rest[len..])
        && !unit.base.is_empty()
    {
        let number = unit.in_base(&Decimal::from_integer(value));
        return Some((TokenKind::Amount(unit.base, number), len + unit_len));
    }
    let (value, len) = han_ordinal(rest)?;
    let number = || TokenKind::Number(Decimal::from_integer(value));
    let after = &rest[len..];
    match measure(after) {
        Some((word, word_len)) if NUMBERING.contains(&word) => Some((number(), len + word_len)),
        // 一个杯子 is a cup.
        Some((_, word_len)) if value == 1 => {
            Some((TokenKind::Light(rest[..len + word_len].to_owned()), len + word_len))
        }
        Some((_, word_len)) => Some((number(), len + word_len)),
        None if NUMBERED.iter().any(|word| after.starts_with(word)) => Some((number(), len)),
        None => han_number(rest).map(|(_, len)| (number(), len)),
    }
}

fn word_item(word: &str) -> Item {
    Item { kind: ItemKind::Word, text: word.to_owned(), is_capital: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_light_word_is_short_enough_to_be_found() {
        let longest = HAN_LIGHT.iter().map(|word| word.chars().count()).max();
        assert_eq!(longest, Some(HAN_LIGHT_CHARS_MAX));
    }
}
