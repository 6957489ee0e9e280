//! Shortening a text where it does no damage.

use unicode_segmentation::UnicodeSegmentation;

use super::items::{Part, following_unit, parts};
use super::lexer::{PieceKind, scan};
use super::numerals::han_number_len;

/// The start of `text`, without white space at its ends, in at most `chars_max` Unicode scalar
/// values; and whether anything but white space was left out.
///
/// The cut falls inside no word, number, part number or path, nor between a number and its unit;
/// Chinese is cut between characters. Only what opens the text, or a word or path that is longer
/// than `chars_max` by itself, is cut inside, and then between two graphemes if the first fits.
pub fn cut(text: &str, chars_max: usize) -> (&str, bool) {
    let text = text.trim();
    let Some((limit, _)) = text.char_indices().nth(chars_max) else {
        return (text, false);
    };
    let hard_end = text
        .grapheme_indices(true)
        .map(|(start, _)| start)
        .take_while(|&start| start <= limit)
        .last()
        .filter(|&end| end > 0)
        .unwrap_or(limit);
    let end = match whole_at(text, hard_end) {
        Some(whole) if whole.start > 0 && whole.is_kept(text, chars_max) => whole.start,
        _ => hard_end,
    };
    let is_open = |c: char| c.is_whitespace() || "([{<（【《「『“‘".contains(c);
    (text[..end].trim_end_matches(is_open), true)
}

/// The bytes of what must stay whole.
struct Whole {
    start: usize,
    end: usize,
    is_number: bool,
}

impl Whole {
    /// Whether it is kept whole: a part of a long word still says something, of a number it lies.
    fn is_kept(&self, text: &str, chars_max: usize) -> bool {
        self.is_number || text[self.start..self.end].chars().count() <= chars_max
    }
}

/// What must stay whole and has the byte `at` inside it.
fn whole_at(text: &str, at: usize) -> Option<Whole> {
    let pieces = scan(text);
    let mut index = 0;
    while let Some(piece) = pieces.get(index).filter(|piece| piece.start < at) {
        let mut end = piece.end();
        let is_number = match piece.kind {
            PieceKind::Han => han_number_len(&text[piece.start..]).is_some_and(|len| {
                end = piece.start + len;
                true
            }),
            PieceKind::Chunk => matches!(parts(piece.text).last(), Some(Part::Number(_))),
            _ => false,
        };
        while pieces.get(index + 1).is_some_and(|next| next.start < end) {
            index += 1;
        }
        if is_number && let Some((_, unit_end)) = following_unit(text, &pieces, index) {
            end = unit_end;
        }
        if at < end {
            return Some(Whole { start: piece.start, end, is_number });
        }
        index += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_text_is_cut_where_it_does_no_damage() {
        let cases = [
            ("  short  ", 10, "short", false),
            ("grip the red cup", 12, "grip the red", true),
            ("grip the red cup", 11, "grip the", true),
            ("force is 12.5 N", 14, "force is", true),
            ("force is 12.5 N now", 15, "force is 12.5 N", true),
            ("force is 12.5N now", 13, "force is", true),
            ("at 10,000 steps", 5, "at", true),
            ("at 1e-3 steps", 5, "at", true),
            ("down to -3 degrees", 9, "down to", true),
            ("use M8x40 bolts", 6, "use", true),
            ("ask arm-01 now", 8, "ask", true),
            ("see v2.1.3 now", 8, "see", true),
            ("see /opt/x/y.yaml now", 15, "see", true),
            ("see https://a.io/b now", 15, "see", true),
            ("wait (see below)", 6, "wait", true),
            ("stop, then go", 5, "stop,", true),
            ("抓取红色的杯子", 4, "抓取红色", true),
            ("力为 12.5 牛顿左右", 8, "力为", true),
            ("力为 15毫米左右", 6, "力为", true),
            ("放三个杯子", 2, "放", true),
            ("放一百二十毫米处", 4, "放", true),
            ("abcdefghij", 4, "abcd", true),
            ("to abcdefghij", 6, "to abc", true),
            ("10,000 steps", 4, "10,0", true),
            ("e\u{301}e\u{301}e\u{301}", 3, "e\u{301}", true),
            ("👩‍🔧👩‍🔧", 4, "👩‍🔧", true),
            ("e\u{301}\u{301}\u{301}", 2, "e\u{301}", true),
            ("anything", 0, "", true),
            ("", 0, "", false),
        ];
        for (text, chars_max, expected, is_cut) in cases {
            assert_eq!(cut(text, chars_max), (expected, is_cut), "{text} to {chars_max}");
        }
    }

    proptest! {
        #[test]
        fn a_cut_is_a_bounded_start_and_final(
            text in "\\PC{0,60}|[a-z0-9./_:,%° 力三百米字\u{301}\\-]{0,60}|.{0,40}",
            chars_max in 0usize..50,
        ) {
            let (short, is_cut) = cut(&text, chars_max);
            prop_assert!(short.chars().count() <= chars_max);
            prop_assert!(text.trim().starts_with(short));
            prop_assert_eq!(is_cut, short != text.trim());
            prop_assert_eq!(short, short.trim_end());
            prop_assert_eq!(cut(short, chars_max), (short, false));
        }
    }
}
