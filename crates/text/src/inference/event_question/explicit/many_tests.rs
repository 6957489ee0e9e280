//! Questions in the words of many writers, and texts that only look like them.

use super::shown::short;
use super::*;
use jiff::Timestamp;
use std::fmt::Write;

/// A time, a question, and what is read of it.
const READ: &str = include_str!("../../../../../../tests/fixtures/order_read.tsv");
/// A time, and a text that asks for something else, or for more than class, order and time.
const NOT_READ: &str = include_str!("../../../../../../tests/fixtures/order_not_read.tsv");

fn read_at(now: &str, text: &str) -> Option<OrderQuestion> {
    let now: Timestamp = now.parse().expect("a time");
    let now = Stamp(i64::try_from(now.as_nanosecond()).expect("in range"));
    order_question(text, Some((now, &TimeZone::UTC)), None)
}

fn rows<const N: usize>(lines: &str) -> impl Iterator<Item = [&str; N]> {
    lines.lines().map(|line| {
        let columns: Vec<&str> = line.split('\t').collect();
        columns.try_into().expect("all columns")
    })
}

#[test]
fn questions_of_many_writers_are_read() {
    let mut wrong = String::new();
    for [now, text, expected] in rows::<3>(READ) {
        let read = read_at(now, text).map_or("nothing".to_owned(), |asked| short(&asked));
        if read != expected {
            writeln!(wrong, "{text}\n    read: {read}\n    is:   {expected}").expect("a text");
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// What stands between two texts.
const JOINS: [&str; 7] = ["", " ", ",", "，", ". ", "：", "?"];

#[test]
fn pieces_of_them_put_together_are_read_without_end() {
    let texts: Vec<&str> = rows::<3>(READ).map(|[_, text, _]| text).collect();
    let mut dice = 0x9e37_79b9_7f4a_7c15_u64;
    let mut below = |count: usize| {
        dice ^= dice << 13;
        dice ^= dice >> 7;
        dice ^= dice << 17;
        (dice % count as u64) as usize
    };
    let mut piece = || {
        let text = texts[below(texts.len())];
        let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let (one, other) = (ends[below(ends.len())], ends[below(ends.len())]);
        format!("{}{}", &text[one.min(other)..one.max(other)], JOINS[below(JOINS.len())])
    };
    for _ in 0..3_000 {
        let _ = read_at("2022-10-26T18:00:00Z", &[piece(), piece(), piece()].concat());
    }
}

#[test]
fn what_only_looks_like_a_question_of_order_is_not_read() {
    let read = rows::<2>(NOT_READ).filter(|[now, text]| read_at(now, text).is_some());
    let read: Vec<&str> = read.map(|[_, text]| text).collect();
    assert!(read.is_empty(), "{read:#?}");
}
