//! A text as a person reads it, whatever it is written with, and where in the text each part of that stands.

use std::borrow::Cow;
use unicode_normalization::char::{decompose_compatible, is_combining_mark};

/// What is encoded can be encoded again; nobody reads it deeper.
const LAYERS_MAX: usize = 3;
/// Bytes of an HTML tag that only says how a text looks.
const TAG_BYTES_MAX: usize = 64;
/// Bytes of the longest HTML entity, between `&` and `;`.
const ENTITY_BYTES_MAX: usize = 10;
/// Stars in a row that hide something, instead of making it bold.
const MASK_STARS_MIN: usize = 4;

/// Tags within a line, and tags that begin another one.
const INLINE_TAGS: [&str; 16] = [
    "b", "i", "em", "strong", "code", "u", "s", "span", "tt", "kbd", "mark", "font", "small",
    "sub", "sup", "a",
];
const BLOCK_TAGS: [&str; 14] =
    ["p", "br", "br/", "div", "td", "tr", "th", "li", "ul", "ol", "pre", "table", "h1", "h2"];
#[rustfmt::skip]
const ENTITIES: [(&str, char); 14] = [
    ("quot", '"'), ("apos", '\''), ("amp", '&'), ("lt", '<'), ("gt", '>'), ("nbsp", ' '), ("colon", ':'),
    ("equals", '='), ("period", '.'), ("comma", ','), ("sol", '/'), ("num", '#'), ("excl", '!'),
    ("commat", '@'),
];

/// Characters of other scripts that look like Latin ones.
#[rustfmt::skip]
const LOOKALIKES: [(char, char); 93] = [
    ('а', 'a'), ('е', 'e'), ('о', 'o'), ('р', 'p'), ('с', 'c'), ('у', 'y'), ('х', 'x'), ('і', 'i'),
    ('ј', 'j'), ('ѕ', 's'), ('ԁ', 'd'), ('һ', 'h'), ('ԛ', 'q'), ('ԝ', 'w'), ('к', 'k'), ('м', 'm'),
    ('т', 't'), ('ѡ', 'w'), ('ԍ', 'g'), ('ո', 'n'), ('А', 'A'), ('В', 'B'), ('Е', 'E'), ('К', 'K'),
    ('М', 'M'), ('Н', 'H'), ('О', 'O'), ('Р', 'P'), ('С', 'C'), ('Т', 'T'), ('У', 'Y'), ('Х', 'X'),
    ('І', 'I'), ('Ј', 'J'), ('Ѕ', 'S'), ('Ԝ', 'W'), ('α', 'a'), ('ο', 'o'), ('ρ', 'p'), ('ν', 'v'),
    ('τ', 't'), ('ι', 'i'), ('κ', 'k'), ('υ', 'u'), ('χ', 'x'), ('γ', 'y'), ('ω', 'w'), ('ε', 'e'),
    ('Α', 'A'), ('Β', 'B'), ('Ε', 'E'), ('Ζ', 'Z'), ('Η', 'H'), ('Ι', 'I'), ('Κ', 'K'), ('Μ', 'M'),
    ('Ν', 'N'), ('Ο', 'O'), ('Ρ', 'P'), ('Τ', 'T'), ('Υ', 'Y'), ('Χ', 'X'), ('ı', 'i'), ('ɑ', 'a'),
    ('ɡ', 'g'), ('ɩ', 'i'), ('ᴀ', 'a'), ('ʙ', 'b'), ('ᴄ', 'c'), ('ᴅ', 'd'), ('ᴇ', 'e'), ('ꜰ', 'f'),
    ('ɢ', 'g'), ('ʜ', 'h'), ('ɪ', 'i'), ('ᴊ', 'j'), ('ᴋ', 'k'), ('ʟ', 'l'), ('ᴍ', 'm'), ('ɴ', 'n'),
    ('ᴏ', 'o'), ('ᴘ', 'p'), ('ʀ', 'r'), ('ꜱ', 's'), ('ᴛ', 't'), ('ᴜ', 'u'), ('ᴠ', 'v'), ('ᴡ', 'w'),
    ('ʏ', 'y'), ('ᴢ', 'z'), ('ł', 'l'), ('ø', 'o'), ('ß', 's'),
];

/// Soft hyphen, joiners and spaces of no width, marks of direction, fillers, variants, tags; from and to.
#[rustfmt::skip]
const INVISIBLE: [(char, char); 16] = [
    ('\u{ad}', '\u{ad}'), ('\u{34f}', '\u{34f}'), ('\u{61c}', '\u{61c}'), ('\u{115f}', '\u{1160}'),
    ('\u{17b4}', '\u{17b5}'), ('\u{180b}', '\u{180f}'), ('\u{200b}', '\u{200f}'), ('\u{202a}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'), ('\u{2800}', '\u{2800}'), ('\u{3164}', '\u{3164}'), ('\u{fe00}', '\u{fe0f}'),
    ('\u{feff}', '\u{feff}'), ('\u{ffa0}', '\u{ffa0}'), ('\u{fff9}', '\u{fffb}'),
    ('\u{e0000}', '\u{e0fff}'),
];

/// A text, and how it reads: layer upon layer of what it is disguised with taken away.
///
/// Invisible and combining characters are gone, full-width and mathematical forms and lookalikes are the
/// Latin characters, quotes of all kinds are `"`, emphasis and tags of appearance are gone, and escapes of
/// HTML, URLs and strings are what they stand for.
pub(super) struct NormalizedText<'t> {
    given: &'t str,
    layers: Vec<String>,
}

impl<'t> NormalizedText<'t> {
    pub fn of(given: &'t str) -> Self {
        let mut normalized = Self { given, layers: Vec::new() };
        while normalized.layers.len() < LAYERS_MAX {
            let text = normalized.text();
            if is_plain(text) {
                break;
            }
            let mut pass = Pass { text, out: String::with_capacity(text.len()), is_decoded: false };
            pass.run(None);
            let Pass { out, is_decoded, .. } = pass;
            if out == text {
                break;
            }
            normalized.layers.push(out);
            if !is_decoded {
                break;
            }
        }
        normalized
    }

    /// How it reads.
    pub fn text(&self) -> &str {
        self.layers.last().map_or(self.given, String::as_str)
    }

    /// The character of the text that was given, counted from 0, of which the byte at an offset of
    /// [`Self::text`] came.
    pub fn origin(&self, at: usize) -> usize {
        let mut at = at;
        for depth in (0..self.layers.len()).rev() {
            let below = depth.checked_sub(1).and_then(|below| self.layers.get(below));
            let text = below.map_or(self.given, String::as_str);
            let mut pass = Pass { text, out: String::new(), is_decoded: false };
            at = pass.run(Some(at));
        }
        self.given.char_indices().take_while(|(index, _)| *index < at).count()
    }
}

/// A short name as it reads.
pub(super) fn read(text: &str) -> Cow<'_, str> {
    if is_plain(text) {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(NormalizedText::of(text).text().to_owned())
    }
}

fn is_plain(text: &str) -> bool {
    let is_plain = |byte: u8| {
        byte.is_ascii() && !matches!(byte, b'\'' | b'`' | b'*' | b'\\' | b'&' | b'%' | b'<')
    };
    text.bytes().all(is_plain)
}

/// One layer taken away.
struct Pass<'t> {
    text: &'t str,
    out: String,
    /// Whether an escape was read: there may be another one below.
    is_decoded: bool,
}

impl Pass<'_> {
    /// Reads all of it, or until so many bytes are read; answers where in the text that is.
    fn run(&mut self, until: Option<usize>) -> usize {
        let mut at = 0;
        while let Some(c) = self.text.get(at..).and_then(|rest| rest.chars().next()) {
            let taken = self.step(at, c);
            if until.is_some_and(|until| self.out.len() > until) {
                break;
            }
            at += taken;
        }
        at
    }

    /// Reads what begins with a character, and answers how many bytes that takes.
    fn step(&mut self, at: usize, c: char) -> usize {
        let rest = self.text.get(at + c.len_utf8()..).unwrap_or_default();
        let taken = match c {
            '*' => return self.stars(at),
            '\'' => {
                let is_within = self.out.ends_with(char::is_alphabetic)
                    && rest.starts_with(char::is_alphabetic);
                if !is_within {
                    self.out.push('"');
                }
                0
            }
            '\\' => self.escape(rest),
            '&' => self.entity(rest),
            '%' => return self.percent(at),
            '<' => self.tag(rest),
            '`' => {
                self.out.push('"');
                0
            }
            _ if c.is_ascii() => {
                self.out.push(c);
                0
            }
            _ => {
                self.push(c);
                0
            }
        };
        c.len_utf8() + taken
    }

    /// A few stars are emphasis, more of them a mask.
    fn stars(&mut self, at: usize) -> usize {
        let count = self.text.bytes().skip(at).take_while(|byte| *byte == b'*').count();
        if count >= MASK_STARS_MIN {
            self.out.extend(std::iter::repeat_n('*', count));
        }
        count
    }

    /// What a backslash stands before, as in the strings of programs.
    fn escape(&mut self, rest: &str) -> usize {
        self.is_decoded = true;
        let digits = |from: usize, count: usize| {
            let digits = rest.get(from..from + count)?;
            u32::from_str_radix(digits, 16).ok().and_then(char::from_u32)
        };
        let (read, taken) = match rest.bytes().next() {
            Some(b'u') => (digits(1, 4), 5),
            Some(b'x') => (digits(1, 2), 3),
            Some(b'n' | b'r') => (Some('\n'), 1),
            Some(b't') => (Some('\t'), 1),
            _ => (None, 0),
        };
        match read {
            Some(c) => {
                self.push(c);
                taken
            }
            None => 0,
        }
    }

    fn entity(&mut self, rest: &str) -> usize {
        let end = rest.bytes().take(ENTITY_BYTES_MAX + 1).position(|byte| byte == b';');
        let name = end.and_then(|end| rest.get(..end)).unwrap_or_default();
        let read = match name.strip_prefix('#') {
            Some(number) => {
                let hex = number.strip_prefix(['x', 'X']);
                let code = hex
                    .map_or_else(|| number.parse().ok(), |hex| u32::from_str_radix(hex, 16).ok());
                code.and_then(char::from_u32)
            }
            None => ENTITIES.iter().find(|(known, _)| *known == name).map(|(_, c)| *c),
        };
        match read {
            Some(c) => {
                self.is_decoded = true;
                self.push(c);
                name.len() + 1
            }
            None => {
                self.out.push('&');
                0
            }
        }
    }

    /// The bytes of one character as URLs escape them.
    fn percent(&mut self, at: usize) -> usize {
        let bytes = self.text.as_bytes();
        let byte_at = |index: usize| {
            let at = at + 3 * index;
            let digit = |at: usize| bytes.get(at).and_then(|byte| char::from(*byte).to_digit(16));
            let is_escape = bytes.get(at) == Some(&b'%');
            let (high, low) = (digit(at + 1).filter(|_| is_escape)?, digit(at + 2)?);
            u8::try_from(high * 16 + low).ok()
        };
        let mut read = [0; 4];
        for (index, place) in read.iter_mut().enumerate() {
            let Some(byte) = byte_at(index) else { break };
            *place = byte;
        }
        let count = match read[0] {
            0x09 | 0x0a | 0x0d | 0x20..=0x7e => 1,
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            _ => 0,
        };
        let read = read.get(..count).and_then(|read| std::str::from_utf8(read).ok());
        match read.and_then(|read| read.chars().next()) {
            Some(c) => {
                self.is_decoded = true;
                self.push(c);
                3 * count
            }
            None => {
                self.out.push('%');
                1
            }
        }
    }

    /// A tag that only says how a text looks, or what begins a part of XML that is no markup.
    fn tag(&mut self, rest: &str) -> usize {
        const CDATA: &str = "![CDATA[";
        if rest.starts_with(CDATA) {
            return CDATA.len();
        }
        let end =
            rest.bytes().take(TAG_BYTES_MAX).position(|byte| matches!(byte, b'>' | b'<' | b'='));
        let end = end.filter(|end| rest.as_bytes().get(*end) == Some(&b'>'));
        let inner = end.and_then(|end| rest.get(..end)).unwrap_or_default();
        let name = inner.strip_prefix('/').unwrap_or(inner).trim().to_ascii_lowercase();
        let taken = inner.len() + 1;
        if INLINE_TAGS.contains(&&*name) {
            taken
        } else if BLOCK_TAGS.contains(&&*name) {
            self.out.push(' ');
            taken
        } else {
            self.out.push('<');
            0
        }
    }

    fn push(&mut self, c: char) {
        match c {
            // Chinese, and the syllables of Korean, whose parts are none of the names.
            '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' => self.out.push(c),
            _ if INVISIBLE.iter().any(|(first, last)| (*first..=*last).contains(&c)) => {}
            '“' | '”' | '„' | '‟' | '‘' | '’' | '‚' | '‛' | '«' | '»' | '‹' | '›' | '「' | '」'
            | '『' | '』' | '＂' | '＇' | '〝' | '〞' | '′' | '″' => self.out.push('"'),
            '【' | '〔' => self.out.push(' '),
            '】' | '〕' | '∶' | '꞉' | 'ː' => self.out.push(':'),
            '⇒' | '⟶' | '➜' | '➔' | '➡' | '⇨' | '⟹' => self.out.push('→'),
            '\u{2028}' | '\u{2029}' => self.out.push('\n'),
            '*' => {}
            _ => decompose_compatible(c, |part| {
                if !is_combining_mark(part) {
                    let alike = LOOKALIKES.iter().find(|(other, _)| *other == part);
                    self.out.push(alike.map_or(part, |(_, latin)| *latin));
                }
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disguise_is_read_through() {
        for (given, read) in [
            ("plain words: 12 \"x\"", "plain words: 12 \"x\""),
            ("ｐａｓｓ：Ａ１", "pass:A1"),
            ("pa\u{200b}ss\u{ad}", "pass"),
            ("pа\u{301}ss", "pass"),
            ("**pass**: `x`", "pass: \"x\""),
            ("pass: ******", "pass: ******"),
            ("pass&#58; &#x41;&quot;", "pass: A\""),
            ("u%3Dop%26k%253Dv", "u=op&k=v"),
            ("%E5%AF%86%E7%A0%81", "密码"),
            ("50% of it, 100%", "50% of it, 100%"),
            ("<b>pass</b>: <i>x</i>", "pass: x"),
            ("<td>pass</td><td>x</td>", " pass  x "),
            ("<pass>x</pass>", "<pass>x</pass>"),
            (r"\u0070ass\n\x41", "pass\nA"),
            ("「密码」是『x』", "\"密码\"是\"x\""),
            ("don't", "dont"),
            ("contraseña Schlüssel", "contrasena Schlussel"),
        ] {
            assert_eq!(NormalizedText::of(given).text(), read);
        }
    }

    #[test]
    fn what_is_read_is_found_again_in_the_text() {
        let given = "密\u{200b}码 **pass&#58;** u%253Dop «x»";
        let normalized = NormalizedText::of(given);
        for (part, character) in
            [("密码", 0), ("pass", 6), (":", 10), ("=op", 19), ("op", 24), ("x", 28)]
        {
            let at = normalized.text().find(part).unwrap();
            assert_eq!(normalized.origin(at), character, "{part} in {:?}", normalized.text());
        }
        assert_eq!(NormalizedText::of("a: b").origin(3), 3);
    }
}
