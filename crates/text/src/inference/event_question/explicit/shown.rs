//! What was read of a question, in short, for the tests.

use super::tests::zone;
use super::*;
use jiff::Timestamp;
use std::fmt::Write;

fn named(of: &NamedEvents) -> String {
    let class = of.class.or(of.is_any.then_some("event")).unwrap_or_default();
    let words = if of.words.is_empty() { String::new() } else { format!("[{}]", of.words) };
    let became = of.became.map_or_else(String::new, |it| {
        let from = it.from.map_or_else(String::new, |from| format!("{from}>"));
        format!("={from}{}", it.to)
    });
    let on = of.on.as_ref().map_or_else(String::new, |on| format!(" on {on}"));
    let lasted = match of.lasted {
        None => String::new(),
        Some(Lasted::Ranked { is_longest, from, to }) => {
            let which = if is_longest { "longest" } else { "shortest" };
            format!(" {which} {from}-{to}")
        }
        Some(Lasted::For(lengths)) => {
            let end = |end: Bound<Duration>, signs: [&str; 2]| match end {
                Bound::Included(end) => format!(" {}{}", signs[0], end.as_secs_f64()),
                Bound::Excluded(end) => format!(" {}{}", signs[1], end.as_secs_f64()),
                Bound::Unbounded => String::new(),
            };
            let sure = if lengths.is_end_sure { "" } else { "?" };
            end(lengths.from, [">=", ">"]) + &end(lengths.until, ["<=", "<"]) + sure
        }
    };
    let back = if of.is_back { " back" } else { "" };
    format!("{class}{words}{became}{on}{back}{lasted}")
}

fn which(nth: Nth) -> String {
    let sign = if nth.end == End::Last { "-" } else { "" };
    format!("#{sign}{}", nth.nth)
}

fn time(stamp: Option<Stamp>) -> String {
    let Some(stamp) = stamp else { return String::new() };
    let at = Timestamp::from_nanosecond(stamp.0.into()).expect("a time");
    zone().to_datetime(at).strftime("%d/%H:%M").to_string()
}

fn bounded(bounds: Bounds) -> String {
    if bounds.is_open() {
        return String::new();
    }
    format!(" in {}-{}", time(bounds.since), time(bounds.until))
}

fn anchored(anchor: &Anchor) -> String {
    if let Some(id) = anchor.memory {
        let of = if anchor.of.is_empty() { "memory".to_owned() } else { named(&anchor.of) };
        return format!("{of} {id}");
    }
    let nth = anchor.nth.map_or_else(|| "the".to_owned(), which);
    let end = if anchor.is_end { "the end of " } else { "" };
    format!("{end}{nth} {}{}", named(&anchor.of), bounded(anchor.bounds))
}

/// What was read, in short.
pub(super) fn short(asked: &OrderQuestion) -> String {
    let mut text = String::new();
    if asked.is_counted {
        text.push_str("count ");
    }
    match asked.taken {
        Taken::All => {}
        Taken::Nth(nth) => write!(text, "{} ", which(nth)).expect("a text"),
        Taken::Several(End::First, many) => write!(text, "first {many} ").expect("a text"),
        Taken::Several(End::Last, many) => write!(text, "last {many} ").expect("a text"),
        Taken::Range(first, last) => write!(text, "#{first} to #{last} ").expect("a text"),
        Taken::BothEnds => text.push_str("#1 and #-1 "),
        Taken::Nearest(many) => write!(text, "{many} ").expect("a text"),
    }
    let of: Vec<String> = std::iter::once(&asked.of).chain(&asked.or_of).map(named).collect();
    let of = of.join(" or ");
    text.push_str(if of.is_empty() { "all" } else { &of });
    if let Some(but_not) = &asked.but_not {
        write!(text, " but {}", named(but_not)).expect("a text");
    }
    text.push_str(&bounded(asked.bounds));
    if let Some((end, secs)) = asked.of_log {
        write!(text, " in the {end:?} {secs} s").expect("a text");
    }
    if let Some(per) = asked.per {
        let per = if asked.is_per_kind { "kind" } else { per.as_str() };
        write!(text, " per {per}").expect("a text");
    }
    match asked.order {
        None => {}
        Some(End::First) => text.push_str(" oldest first"),
        Some(End::Last) => text.push_str(" newest first"),
    }
    let just = if asked.is_just { "just " } else { "" };
    let secs = |secs: &Option<f64>| secs.map_or_else(String::new, |secs| format!(" within {secs}"));
    match &asked.beside {
        None => {}
        Some(Beside::Before(anchor, length)) => {
            write!(text, " {just}before {}{}", anchored(anchor), secs(length)).expect("a text");
        }
        Some(Beside::After(anchor, length)) => {
            write!(text, " {just}after {}{}", anchored(anchor), secs(length)).expect("a text");
        }
        Some(Beside::Around(anchor, length)) => {
            write!(text, " {just}around {}{}", anchored(anchor), secs(length)).expect("a text");
        }
        Some(Beside::Until(anchor)) => {
            write!(text, " until {}", anchored(anchor)).expect("a text");
        }
        Some(Beside::Since(anchor)) => write!(text, " since {}", anchored(anchor)).expect("a text"),
        Some(Beside::Between(one, other, is_ordered)) => {
            let (from, to) = if *is_ordered { ("from", "to") } else { ("between", "and") };
            write!(text, " {from} {} {to} {}", anchored(one), anchored(other)).expect("a text");
        }
        Some(Beside::BetweenTwo(anchor)) => {
            write!(text, " between two {}", named(&anchor.of)).expect("a text");
        }
        Some(Beside::During(anchor)) => {
            write!(text, " during {}", anchored(anchor)).expect("a text");
        }
        Some(Beside::UnderWay(at)) => {
            write!(text, " under way at {}", time(Some(*at))).expect("a text");
        }
        Some(Beside::Closest(Closest::Moment(at))) => {
            write!(text, " closest to {}", time(Some(*at))).expect("a text");
        }
        Some(Beside::Closest(Closest::Event(anchor))) => {
            write!(text, " closest to {}", anchored(anchor)).expect("a text");
        }
    }
    text
}
