//! Values as a person types and reads them.

use jiff::Timestamp;
use robot_memory_core::api::SpatialSort;
use robot_memory_core::model::Stamp;

const NANOS_DIGITS: usize = 9;
const NANOS_PER_MILLI: i64 = 1_000_000;

/// A point in time: RFC 3339 with an offset, or seconds since 1970.
pub fn stamp(text: &str) -> Result<Stamp, String> {
    if let Some(stamp) = seconds(text) {
        return Ok(stamp);
    }
    let timestamp: Timestamp = text.parse().map_err(|_| {
        format!(
            "{text} is neither as 2026-11-22T08:30:00Z nor as 1795336200.5, in seconds since 1970"
        )
    })?;
    i64::try_from(timestamp.as_nanosecond())
        .map(Stamp)
        .map_err(|_| format!("{text} is out of range: the years 1678 to 2261 can be named"))
}

/// Decimal seconds, exact to the nanosecond; further digits are cut.
fn seconds(text: &str) -> Option<Stamp> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text),
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_number(whole) || !is_number(part) {
        return None;
    }
    let nanos: String = part.chars().chain(std::iter::repeat('0')).take(NANOS_DIGITS).collect();
    let total: i128 = format!("{whole}{nanos}").parse().ok()?;
    i64::try_from(sign * total).ok().map(Stamp)
}

/// Milliseconds since 1970, as services tell the times of jobs.
pub fn millis(stamp: Stamp) -> i64 {
    stamp.0.div_euclid(NANOS_PER_MILLI)
}

/// The same, the other way round.
pub fn of_millis(millis: i64) -> Stamp {
    Stamp(millis.saturating_mul(NANOS_PER_MILLI))
}

/// A point in time in RFC 3339, in UTC, to the second.
pub fn rfc_3339_secs(stamp: Stamp) -> String {
    timestamp(stamp).map_or_else(|| stamp.0.to_string(), |timestamp| format!("{timestamp:.0}"))
}

/// The same to the minute, so many seconds ahead of UTC: `2026-11-22 05:10`.
pub fn timestamp_at(stamp: Stamp, utc_offset_secs: i32) -> String {
    let offset = jiff::tz::Offset::from_seconds(utc_offset_secs).unwrap_or(jiff::tz::Offset::UTC);
    timestamp(stamp).map_or_else(
        || stamp.0.to_string(),
        |timestamp| offset.to_datetime(timestamp).strftime("%Y-%m-%d %H:%M").to_string(),
    )
}

fn timestamp(stamp: Stamp) -> Option<Timestamp> {
    Timestamp::from_nanosecond(stamp.0.into()).ok()
}

/// `FIELD=X,Y,Z`: a dotted path into the context, and the reference point.
pub fn near(text: &str) -> Result<SpatialSort, String> {
    let wanted = || format!("{text} is not as spatial.object_position=1.3,0.7,0.4");
    let (field, numbers) = text.split_once('=').ok_or_else(wanted)?;
    let target: Result<Vec<f64>, _> = numbers.split(',').map(|part| part.trim().parse()).collect();
    Ok(SpatialSort {
        field: field.trim().to_owned(),
        target: target.map_err(|_| wanted())?,
        ..SpatialSort::default()
    })
}

/// Takes one of the spellings of a type.
macro_rules! spellings {
    ($type:ident) => {
        clap::builder::PossibleValuesParser::new($type::ALL.iter().map(|one| one.as_str()))
    };
}
pub(super) use spellings;

/// Numbers of memories, in a row.
pub fn ids(all: &[i64]) -> String {
    all.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")
}

/// A text that a terminal shows as it is: what would move its cursor or change its state is gone.
pub fn visible(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\n' | '\r' | '\t' => ' ',
            c if c.is_control() => char::REPLACEMENT_CHARACTER,
            c => c,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_rfc_3339_or_seconds() {
        let cases = [
            ("0", Some(0)),
            ("1750000000", Some(1_750_000_000_000_000_000)),
            ("1750000000.5", Some(1_750_000_000_500_000_000)),
            ("1750000000.123456789", Some(1_750_000_000_123_456_789)),
            ("1750000000.1234567899", Some(1_750_000_000_123_456_789)),
            ("-1.5", Some(-1_500_000_000)),
            ("1970-01-01T00:00:01Z", Some(1_000_000_000)),
            ("2025-06-15T17:06:40+02:00", Some(1_750_000_000_000_000_000)),
            ("2025-06-15 15:06:40.25Z", Some(1_750_000_000_250_000_000)),
            ("2025-06-15", None),
            ("2025-06-15T15:06:40", None),
            ("yesterday", None),
            ("", None),
            ("-", None),
            (".5", None),
            ("1e9", None),
            ("99999999999999999999", None),
            ("9999-01-01T00:00:00Z", None),
        ];
        for (text, nanos) in cases {
            assert_eq!(stamp(text).ok(), nanos.map(Stamp), "{text}");
        }
    }

    #[test]
    fn time_is_shown_as_it_is_read() {
        for nanos in [0, -1, 1_750_000_000_123_456_789, i64::MAX, i64::MIN] {
            assert_eq!(stamp(&Stamp(nanos).rfc_3339()), Ok(Stamp(nanos)), "{nanos}");
        }
        assert_eq!(rfc_3339_secs(Stamp(1_750_000_000_999_999_999)), "2025-06-15T15:06:40Z");
    }

    #[test]
    fn a_place_is_a_field_and_numbers() {
        let sort = near("spatial.p=1,-2.5, 3e0").expect("it is one");
        assert_eq!((sort.field.as_str(), sort.target), ("spatial.p", vec![1.0, -2.5, 3.0]));
        for text in ["", "spatial.p", "spatial.p=", "spatial.p=1,,2", "spatial.p=x"] {
            assert!(near(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_terminal_is_not_steered() {
        assert_eq!(visible("a\u{1b}[2Jb\nc\u{9b}d 杯"), "a\u{fffd}[2Jb c\u{fffd}d 杯");
    }
}
