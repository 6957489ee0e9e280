use super::*;
use jiff::civil::date;

fn zone() -> TimeZone {
    TimeZone::fixed(jiff::tz::offset(8))
}

/// A Saturday afternoon in a zone eight hours ahead.
fn now() -> Stamp {
    local(2026, 3, 14, 16, 20)
}

fn local(year: i16, month: i8, day: i8, hour: i8, minute: i8) -> Stamp {
    let at = date(year, month, day).at(hour, minute, 0, 0).to_zoned(zone()).expect("a time");
    Stamp(i64::try_from(at.timestamp().as_nanosecond()).expect("in range"))
}

fn read(text: &str) -> EventQuestion {
    asked(text, Some((now(), &zone())), None)
}

#[test]
fn a_time_without_a_day_is_of_the_last_day_that_has_events() {
    let at = local(2026, 3, 5, 9, 30);
    let past = PastDays::of((at, at), (now(), &zone()));
    let span = |text: &str| {
        let span = asked(text, Some((now(), &zone())), past).span.expect("a time");
        (span.from, span.until)
    };
    let day = |day: i8, from: i8, until: i8| {
        (local(2026, 3, day, from, 0), local(2026, 3, day, until, 0))
    };
    assert_eq!(span("did it slip between 9:00 and 10:00?"), day(5, 9, 10));
    assert_eq!(span("上午滑了吗"), day(5, 4, 12));
    assert_eq!(
        span("did it slip before 10:00?"),
        (local(2026, 3, 5, 0, 0), local(2026, 3, 5, 9, 45))
    );
    assert_eq!(span("did it slip between 9:00 and 10:00 today?"), day(14, 9, 10));
}

#[test]
fn words_of_time_are_a_span_in_local_time() {
    let day = |day: i8| (local(2026, 3, day, 0, 0), local(2026, 3, day + 1, 0, 0));
    let part = |day: i8, from: i8, until: i8| {
        (local(2026, 3, day, from, 0), local(2026, 3, day, until, 0))
    };
    let cases = [
        ("what happened today", day(14)),
        ("today's impacts", day(14)),
        ("yesterday", day(13)),
        ("the day before yesterday", day(12)),
        ("was it hit two days ago?", day(12)),
        ("3 days ago", day(11)),
        ("on Monday", day(9)),
        ("last Friday", day(13)),
        ("Did it slip on Wednesday?", day(11)),
        ("yesterday afternoon", part(13, 12, 18)),
        ("yesterday morning", part(13, 4, 12)),
        ("on Tuesday morning", part(10, 4, 12)),
        ("this afternoon", part(14, 12, 18)),
        ("this week", (local(2026, 3, 9, 0, 0), local(2026, 3, 16, 0, 0))),
        ("last week", (local(2026, 3, 2, 0, 0), local(2026, 3, 9, 0, 0))),
        ("on March 5", day(5)),
        ("on 5 March", day(5)),
        ("2026-03-05", day(5)),
        ("between 10:00 and 11:30", (local(2026, 3, 14, 10, 0), local(2026, 3, 14, 11, 30))),
        ("between 9 and 10 today", (local(2026, 3, 14, 9, 0), local(2026, 3, 14, 10, 0))),
        ("around 3 pm", (local(2026, 3, 14, 14, 30), local(2026, 3, 14, 15, 30))),
        ("今天有什么碰撞", day(14)),
        ("昨天", day(13)),
        ("前天", day(12)),
        ("大前天", day(11)),
        ("三天前", day(11)),
        ("八天前那次碰撞", day(6)),
        ("周一", day(9)),
        ("上周三", day(4)),
        ("星期二的急停", day(10)),
        ("上个星期天", day(8)),
        ("昨天下午", part(13, 12, 18)),
        ("前天上午", part(12, 4, 12)),
        ("周二早上", part(10, 4, 12)),
        ("3月5日", day(5)),
        ("5号", day(5)),
        ("昨天下午三点", (local(2026, 3, 13, 14, 30), local(2026, 3, 13, 15, 30))),
        ("上午十点半", (local(2026, 3, 14, 10, 15), local(2026, 3, 14, 10, 45))),
        ("下午两点到四点", (local(2026, 3, 14, 14, 0), local(2026, 3, 14, 16, 0))),
        ("上周", (local(2026, 3, 2, 0, 0), local(2026, 3, 9, 0, 0))),
        ("昨晚", (local(2026, 3, 13, 17, 0), local(2026, 3, 14, 6, 0))),
        ("last night", (local(2026, 3, 13, 17, 0), local(2026, 3, 14, 6, 0))),
        ("最近两小时", (local(2026, 3, 14, 14, 20), now())),
        ("in the last two hours", (local(2026, 3, 14, 14, 20), now())),
        ("since yesterday", (local(2026, 3, 13, 0, 0), local(2026, 3, 14, 16, 20))),
        ("周四以来", (local(2026, 3, 12, 0, 0), local(2026, 3, 14, 16, 20))),
    ];
    for (text, (from, until)) in cases {
        let found = read(text).span.unwrap_or_else(|| panic!("{text} asks of a time"));
        let show = |stamp: Stamp| stamp.rfc_3339();
        assert_eq!((show(found.from), show(found.until)), (show(from), show(until)), "{text}");
    }
}

#[test]
fn what_is_no_time_asks_of_none() {
    let texts = [
        "the last impact",
        "最近一次碰撞",
        "上一次急停",
        "how hard may I grip the mug",
        "the second drawer",
        "M8 bolts, 12 N",
        "the march of the robots",
        "it may fall",
        "rear wheel 后轮打滑",
        "",
    ];
    for text in texts {
        assert_eq!(read(text).span, None, "{text}");
    }
    assert_eq!(asked("yesterday", None, None).span, None);
}

#[test]
fn words_of_time_are_taken_out() {
    let cases =
        [("Did it slip yesterday afternoon?", "Did it slip  ?"), ("昨天下午有碰撞吗", " 有碰撞吗")];
    for (text, bare) in cases {
        let got = read(text).bare;
        assert_eq!(
            got.split_whitespace().collect::<Vec<_>>(),
            bare.split_whitespace().collect::<Vec<_>>()
        );
    }
}

#[test]
fn one_of_several_is_asked_for() {
    use AskedOrder::{Fastest, First, Last, Longest, Strongest, Weakest};
    let cases = [
        ("what was the hardest knock this week", Some(Strongest)),
        ("last time the battery got low", Some(Last)),
        ("When was the first contact today?", Some(First)),
        ("How long did the latest protective halt last?", Some(Last)),
        ("how long did the stop last", None),
        ("the lightest contact so far", Some(Weakest)),
        ("longest push against the tool", Some(Longest)),
        ("the fastest motion", Some(Fastest)),
        ("what happened last night", None),
        ("今天最重的一次碰撞", Some(Strongest)),
        ("上一次急停", Some(Last)),
        ("最近一次移动", Some(Last)),
        ("第一次接触", Some(First)),
        ("急停最早的一次", Some(First)),
        ("运动时间最长的", Some(Longest)),
        ("最近三天的碰撞", None),
    ];
    for (text, order) in cases {
        assert_eq!(read(text).order, order, "{text}");
    }
}

#[test]
fn any_text_is_read() {
    for text in [
        "9999999 days ago",
        "半年前半年前",
        "32月99日",
        "99:99",
        "0 years ago",
        "三十九点",
        "last last last",
        "1e300 weeks ago",
        "the 0th of March",
    ] {
        let found = read(text);
        if let Some(span) = found.span {
            assert!(span.from < span.until, "{text}");
        }
    }
    for now in [Stamp(i64::MIN), Stamp(0), Stamp(i64::MAX)] {
        let _ = asked("three months ago on Monday at 10:00", Some((now, &zone())), None);
        let _ = asked("上个月昨天晚上二十三点", Some((now, &zone())), None);
    }
}

#[test]
fn numbers_are_read_in_figures_and_in_words() {
    let cases = [
        ("2.5", Some((2.5, 1))),
        ("a couple of", Some((2.0, 3))),
        ("半", Some((0.5, 1))),
        ("两", Some((2.0, 1))),
        ("十", Some((10.0, 1))),
        ("十二", Some((12.0, 2))),
        ("二十", Some((20.0, 2))),
        ("三十五", Some((35.0, 3))),
        ("三百", Some((3.0, 1))),
        ("cup", None),
        ("", None),
    ];
    for (text, expected) in cases {
        assert_eq!(super::numbers::number(&super::atoms::atoms(text)), expected, "{text:?}");
    }
}
