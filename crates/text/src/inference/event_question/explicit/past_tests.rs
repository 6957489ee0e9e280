//! Questions about a log of the past.

use super::shown::short;
use super::tests::{now, zone};
use super::*;
use jiff::civil::Date;

/// Of the days from one to the other, at noon.
fn events(first: Date, last: Date) -> Option<PastDays> {
    let noon = |day: Date| {
        let at = day.at(12, 0, 0, 0).to_zoned(zone()).expect("a time").timestamp();
        Stamp(i64::try_from(at.as_nanosecond()).expect("in range"))
    };
    PastDays::of((noon(first), noon(last)), (now(), &zone()))
}

fn assert_read(past: Option<PastDays>, questions: &[(&str, &str)]) {
    for (text, expected) in questions {
        let read = order_question(text, Some((now(), &zone())), past);
        let read = read.map_or_else(|| "nothing".to_owned(), |asked| short(&asked));
        assert_eq!(read, *expected, "{text}");
    }
}

fn day(month: i8, day: i8) -> Date {
    Date::constant(2026, month, day)
}

#[test]
fn a_time_of_the_day_is_of_the_only_day_that_has_events() {
    assert_read(
        events(day(3, 6), day(3, 6)),
        &[
            (
                "How many protective stops between 14:00 and 15:00?",
                "count protective stop in 06/14:00-06/15:00",
            ),
            ("Which protective stop was closest to 8:45?", "1 protective stop closest to 06/08:45"),
            ("the first drop after 23:30", "#1 slip in 06/23:30-"),
            ("What happened before 9:30?", "all in 06/00:00-06/09:30"),
            ("how many stops in the afternoon", "count stop in 06/12:00-06/18:00"),
            ("the third stop of the day", "#3 stop in 06/00:00-07/00:00"),
            ("14:49这一分钟里的急停", "emergency stop in 06/14:49-06/14:50"),
            ("下午掉了几次件？", "count slip in 06/12:00-06/18:00"),
            // Which half of the day is not said.
            ("the first drop after 3", "nothing"),
            // A day that is said is that one.
            ("How many protective stops today?", "count protective stop in 14/00:00-15/00:00"),
            (
                "How many protective stops this afternoon?",
                "count protective stop in 14/12:00-14/18:00",
            ),
            (
                "How many protective stops yesterday before 9:30?",
                "count protective stop in 13/00:00-13/09:30",
            ),
            ("stops on 2026-03-12", "stop in 12/00:00-13/00:00"),
            ("how many stops on 6 March", "count stop in 06/00:00-07/00:00"),
            // On one before or after the events?
            ("how many stops on Tuesday", "nothing"),
        ],
    );
}

#[test]
fn a_time_of_the_day_may_be_of_any_of_several_days() {
    assert_read(
        events(day(3, 5), day(3, 6)),
        &[
            ("How many protective stops between 14:00 and 15:00?", "nothing"),
            ("Which protective stop was closest to 8:45?", "nothing"),
            ("On 5 March, which stops came after 15:00?", "stop in 05/15:00-06/00:00"),
            ("the last protective stop", "#-1 protective stop"),
        ],
    );
}

#[test]
fn a_day_without_a_year_is_of_the_year_of_the_events() {
    let october = Date::constant(2022, 10, 26);
    let read = |text| order_question(text, Some((now(), &zone())), events(october, october));
    let of = |text| read(text).map(|asked| asked.bounds);
    let expected = of("stops on 26 October 2022");
    assert!(expected.is_some());
    for text in ["stops on 26 October", "stops on October 26th", "10月26日的急停", "26号的急停"]
    {
        let read = read(text).map(|asked| asked.bounds);
        assert_eq!(read, expected, "{text}");
    }
    // The events are of another day.
    let other = of("stops on 3 January").expect("a time");
    assert!(other.since > expected.expect("a time").until);
}

#[test]
fn what_is_said_of_a_second_bounds_exactly() {
    let october = Date::constant(2022, 10, 26);
    let at = |time: jiff::civil::DateTime| {
        let at = time.to_zoned(zone()).expect("a time").timestamp();
        Stamp(i64::try_from(at.as_nanosecond()).expect("in range"))
    };
    let time = |second, nanos| at(october.at(14, 30, second, nanos));
    let cases = [
        ("what happened at 14:30:00?", time(0, 0), Some(time(1, 0))),
        ("14点30分0秒发生了什么？", time(0, 0), Some(time(1, 0))),
        ("how many stops after 14:30:26.5?", time(26, 500_000_000), None),
        (
            "how many stops between 14:30:26 and 14:30:26.342?",
            time(26, 0),
            Some(time(26, 342_000_000)),
        ),
        ("how many stops between 14:30:00 and 14:30:26?", time(0, 0), Some(time(26, 0))),
        ("14:30:26.5之后有多少次急停？", time(26, 500_000_000), None),
    ];
    for (text, since, until) in cases {
        let read = order_question(text, Some((now(), &zone())), events(october, october));
        let bounds = read.map(|asked| asked.bounds);
        assert_eq!(bounds, Some(Bounds { since: Some(since), until }), "{text}");
    }
}

#[test]
fn events_of_today_are_no_past() {
    assert_eq!(events(day(3, 1), day(3, 14)), None);
    assert_eq!(events(day(3, 1), day(3, 15)), None);
    assert!(events(day(3, 1), day(3, 13)).is_some());
}
