//! Where the sentences of a report begin and end.

use std::ops::Range;

use super::super::decimal::Decimal;
use super::super::lexer::{Piece, PieceKind, scan};
use super::super::units::unit;

/// What ends with a point in the middle of a sentence.
#[rustfmt::skip]
const ABBREVIATIONS: &[&str] = &[
    "e.g", "i.e", "eg", "ie", "cf", "vs", "approx", "ca", "dr", "mr", "mrs", "ms", "prof", "resp", "incl", "excl",
    "esp", "st", "op", "rev", "ver", "temp", "dia", "dept", "qty", "ref", "tel", "viz",
];
/// The same, but only before a number.
const BEFORE_NUMBERS: &[&str] =
    &["no", "nos", "nr", "fig", "sec", "pos", "art", "p", "pp", "vol", "ch"];
/// The same, but only before a number or a small letter: they may also end a sentence.
const BEFORE_MORE: &[&str] = &["etc", "min", "max", "avg", "sec", "hr", "hrs", "appr", "al", "inc"];

/// Marks that begin a line of a list.
const BULLETS: &str = "-*•·–—‣▪●○◦+>#";
/// Marks after the number of a line of a list.
const NUMBER_MARKS: &str = ".)、．）:：";
/// Marks that close what a sentence stands in.
const CLOSING: &str = "\"'”’)]】」』）";

/// The sentences of `text`, English and Chinese, in order, in bytes, without the white space and the
/// bullets around them. Points in numbers, names of files and abbreviations end none; the end of a
/// line does. Linear in the length of the text.
///
/// ```
/// use robot_memory_text::inference::sentences;
/// let text = "Held at 12.5 N, approx. 3 s. 抓取成功。放到托盘上";
/// let found: Vec<&str> = sentences(text).into_iter().map(|range| &text[range]).collect();
/// assert_eq!(found, ["Held at 12.5 N, approx. 3 s.", "抓取成功。", "放到托盘上"]);
/// ```
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let pieces = scan(text);
    let mut found = Vec::new();
    let mut index = 0;
    while index < pieces.len() {
        let begins_line = index == 0 || breaks_line(text, &pieces[index - 1], &pieces[index]);
        if begins_line {
            index = after_bullet(text, &pieces, index);
        }
        let Some(first) = pieces.get(index) else { break };
        let mut last = index;
        while !ends_after(text, &pieces, last) && last + 1 < pieces.len() {
            last += 1;
        }
        // A closing mark belongs to the sentence that it closes.
        while let Some(next) = pieces.get(last + 1)
            && next.kind == PieceKind::Mark
            && (CLOSING.contains(next.text) || is_end_mark(next))
            && next.start == pieces[last].end()
        {
            last += 1;
        }
        let has_words = pieces[index..=last].iter().any(|piece| piece.kind != PieceKind::Mark);
        if has_words {
            found.push(first.start..pieces[last].end());
        }
        index = last + 1;
    }
    found
}

fn breaks_line(text: &str, before: &Piece<'_>, after: &Piece<'_>) -> bool {
    text[before.end()..after.start].contains(['\n', '\r', '\u{2028}', '\u{2029}'])
}

/// The index after the bullet or number that a line begins with at `index`.
fn after_bullet(text: &str, pieces: &[Piece<'_>], index: usize) -> usize {
    let is_spaced = |at: usize| match (pieces.get(at), pieces.get(at + 1)) {
        (Some(piece), Some(next)) => next.start > piece.end() && !breaks_line(text, piece, next),
        _ => false,
    };
    let Some(first) = pieces.get(index) else { return index };
    if first.kind == PieceKind::Mark && BULLETS.contains(first.text) {
        let mut at = index;
        while pieces.get(at).is_some_and(|piece| BULLETS.contains(piece.text)) {
            at += 1;
        }
        // "[x]" of a check list.
        return if is_spaced(at - 1) || first.text != "-" { at } else { index };
    }
    if first.kind == PieceKind::Mark && first.text.chars().all(|c| ('①'..='⑳').contains(&c)) {
        return index + 1;
    }
    let is_number = first.text.len() <= 3 && first.text.bytes().all(|byte| byte.is_ascii_digit());
    let is_marked = pieces.get(index + 1).is_some_and(|mark| {
        mark.start == first.end()
            && mark.kind == PieceKind::Mark
            && NUMBER_MARKS.contains(mark.text)
    });
    let goes_on = pieces.get(index + 2).is_some_and(|next| {
        !breaks_line(text, &pieces[index + 1], next)
            && (is_spaced(index + 1) || next.kind == PieceKind::Han)
    });
    if is_number && is_marked && goes_on { index + 2 } else { index }
}

fn is_end_mark(piece: &Piece<'_>) -> bool {
    piece.kind == PieceKind::Mark && ".!?。！？…．｡".contains(piece.text)
}

/// Whether a sentence ends after the piece at `index`.
fn ends_after(text: &str, pieces: &[Piece<'_>], index: usize) -> bool {
    let piece = &pieces[index];
    let Some(next) = pieces.get(index + 1) else { return true };
    if breaks_line(text, piece, next) {
        return true;
    }
    if !is_end_mark(piece) {
        return false;
    }
    if piece.text != "." {
        return true;
    }
    let Some(before) = index.checked_sub(1).map(|i| &pieces[i]) else { return false };
    if before.end() != piece.start || before.kind == PieceKind::Mark && before.text == "." {
        return before.kind == PieceKind::Mark;
    }
    let word = before.text.to_ascii_lowercase();
    let is = |words: &[&str]| words.contains(&word.as_str());
    let before_number = next.text.starts_with(|c: char| c.is_ascii_digit());
    let before_small = next.text.starts_with(char::is_lowercase);
    // "Still no. 70 N held" ends a sentence, "bin no. 5" does not.
    let is_measure = before_number && word == "no" && is_measure(pieces, index + 1);
    !(is(ABBREVIATIONS)
        || is(BEFORE_NUMBERS) && before_number && !is_measure
        || is(BEFORE_MORE) && (before_number || before_small))
}

/// Whether a number with its unit stands at `index`.
fn is_measure(pieces: &[Piece<'_>], index: usize) -> bool {
    let Some((_, rest)) = pieces.get(index).and_then(|piece| Decimal::read(piece.text)) else {
        return false;
    };
    match rest {
        "" => pieces.get(index + 1).is_some_and(|next| unit(next.text).is_some()),
        rest => unit(rest).is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cut(text: &str) -> Vec<&str> {
        sentences(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn a_report_falls_into_its_sentences() {
        let cases: &[(&str, &[&str])] = &[
            ("Held at 12.5 N. It slipped.", &["Held at 12.5 N.", "It slipped."]),
            ("See grip.yaml, e.g. line 3. Done!", &["See grip.yaml, e.g. line 3.", "Done!"]),
            ("Bin No. 5 is empty. No. It is full", &["Bin No. 5 is empty.", "No.", "It is full"]),
            ("It took approx. 3 min. after that", &["It took approx. 3 min. after that"]),
            ("It took 3 min. Then it stopped", &["It took 3 min.", "Then it stopped"]),
            ("抓取成功。放到托盘上！完成了吗？", &["抓取成功。", "放到托盘上！", "完成了吗？"]),
            ("力为3.5 N.速度0.1 m/s", &["力为3.5 N.", "速度0.1 m/s"]),
            ("- picked\n- placed at 3 N\n\n* done", &["picked", "placed at 3 N", "done"]),
            ("1. 抓取\n2) 放置\n3、完成", &["抓取", "放置", "完成"]),
            ("12 N held\n-3 mm offset", &["12 N held", "-3 mm offset"]),
            ("Wait... It slipped?! Yes", &["Wait...", "It slipped?!", "Yes"]),
            ("He said \"stop.\" Then it stopped", &["He said \"stop.\"", "Then it stopped"]),
            ("55 N: still no. 70 N: yes", &["55 N: still no.", "70 N: yes"]),
            ("In bin A. The tray", &["In bin A.", "The tray"]),
            ("v2.1.3 runs at 192.168.1.10. Ok", &["v2.1.3 runs at 192.168.1.10.", "Ok"]),
            ("...", &[]),
            ("", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(&cut(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn sentences_are_in_order_and_whole(
            text in "\\PC{0,80}|[a-z0-9 .,!?。\n\\-)力3N]{0,80}|.{0,40}",
        ) {
            let mut end = 0;
            for range in sentences(&text) {
                prop_assert!(range.start >= end && range.end > range.start);
                prop_assert!(!text[range.clone()].trim().is_empty());
                prop_assert_eq!(text[range.clone()].trim(), &text[range.clone()]);
                end = range.end;
            }
        }
    }
}
