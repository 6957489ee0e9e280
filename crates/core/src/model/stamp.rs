use serde::Serialize;
use serde::de::{self, Deserialize, Deserializer, Visitor};
use std::fmt::{self, Formatter};

/// A point in ROS time: nanoseconds since the epoch of the clock in use (1970 for a wall clock, the
/// bag's or simulator's own under `use_sim_time`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Stamp(pub i64);

impl Stamp {
    const NANOS_PER_SEC: i64 = 1_000_000_000;

    /// From whole seconds.
    pub const fn from_secs(secs: i64) -> Self {
        Self(secs * Self::NANOS_PER_SEC)
    }

    /// From the two parts of a `builtin_interfaces/Time`.
    pub fn from_parts(sec: i32, nanosec: u32) -> Self {
        Self(i64::from(sec) * Self::NANOS_PER_SEC + i64::from(nanosec))
    }

    /// The two parts of a `builtin_interfaces/Time`; beyond the year 2038 it stays at the last
    /// second that the message can hold.
    pub fn to_parts(self) -> (i32, u32) {
        let sec = self.0.div_euclid(Self::NANOS_PER_SEC);
        let nanosec = self.0.rem_euclid(Self::NANOS_PER_SEC) as u32;
        match i32::try_from(sec) {
            Ok(sec) => (sec, nanosec),
            Err(_) if sec > 0 => (i32::MAX, 999_999_999),
            Err(_) => (i32::MIN, 0),
        }
    }

    /// The date of a day, by its number since 1970-01-01: `2026-11-22`; the number where the calendar
    /// ends.
    pub fn date_of_day(day: i64) -> String {
        let date = day.checked_mul(24).and_then(|hours| {
            jiff::civil::date(1970, 1, 1).checked_add(jiff::SignedDuration::from_hours(hours)).ok()
        });
        date.map_or_else(|| day.to_string(), |date| date.to_string())
    }

    /// The date in UTC: `2026-11-22`.
    pub fn date(self) -> String {
        Self::date_of_day(self.0.div_euclid(86_400 * Self::NANOS_PER_SEC))
    }

    /// The time in UTC for names of files: `20221026T081721.846999808Z`; the nanoseconds where the
    /// calendar ends.
    pub fn compact(self) -> String {
        jiff::Timestamp::from_nanosecond(i128::from(self.0)).map_or_else(
            |_| self.0.to_string(),
            |time| time.strftime("%Y%m%dT%H%M%S.%9fZ").to_string(),
        )
    }

    /// The time in UTC in RFC 3339, with as many digits as it needs: `2026-11-22T08:00:00Z`; the
    /// nanoseconds where the calendar ends.
    pub fn rfc_3339(self) -> String {
        jiff::Timestamp::from_nanosecond(i128::from(self.0))
            .map_or_else(|_| self.0.to_string(), |time| time.to_string())
    }

    /// An hour, by its number since 1970-01-01T00: `2026-11-22T05`.
    pub fn name_of_hour(hour: i64) -> String {
        format!("{}T{:02}", Self::date_of_day(hour.div_euclid(24)), hour.rem_euclid(24))
    }

    /// Days from `earlier` to `self`; negative when the clock went back.
    pub fn days_since(self, earlier: Self) -> f64 {
        self.0.saturating_sub(earlier.0) as f64 / (86_400.0 * Self::NANOS_PER_SEC as f64)
    }

    /// This many days later.
    pub fn plus_days(self, days: f64) -> Self {
        Self(self.0.saturating_add((days * 86_400.0 * Self::NANOS_PER_SEC as f64) as i64))
    }
}

/// From nanoseconds, as the store keeps it, or RFC 3339, as answers say it.
impl<'de> Deserialize<'de> for Stamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Forms;
        impl Visitor<'_> for Forms {
            type Value = Stamp;

            fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
                f.write_str("nanoseconds since 1970, or a time as 2026-11-22T08:30:00Z")
            }

            fn visit_i64<E: de::Error>(self, nanos: i64) -> Result<Stamp, E> {
                Ok(Stamp(nanos))
            }

            fn visit_u64<E: de::Error>(self, nanos: u64) -> Result<Stamp, E> {
                i64::try_from(nanos).map(Stamp).map_err(E::custom)
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Stamp, E> {
                let time: jiff::Timestamp = text.parse().map_err(E::custom)?;
                i64::try_from(time.as_nanosecond()).map(Stamp).map_err(E::custom)
            }
        }
        deserializer.deserialize_any(Forms)
    }
}

/// Where the engine gets its time from.
pub trait Clock: Send + Sync {
    /// The time now, or `None` while it is not known yet (simulated time before the first
    /// `/clock`).
    fn now(&self) -> Option<Stamp>;

    /// Whether it tells the time at which the robot lives, and not that of something recorded.
    fn is_live(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_has_a_date() {
        let cases = [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (20_779, "2026-11-22"),
            (11_016, "2000-02-29"),
            (106_751, "2262-04-11"),
            (-106_752, "1677-09-21"),
            (i64::MAX, "9223372036854775807"),
        ];
        for (day, date) in cases {
            assert_eq!(Stamp::date_of_day(day), date);
        }
    }

    #[test]
    fn a_time_names_a_file() {
        let cases = [
            (1_666_772_241_846_999_808, "20221026T081721.846999808Z"),
            (0, "19700101T000000.000000000Z"),
            (-1, "19691231T235959.999999999Z"),
        ];
        for (nanos, name) in cases {
            assert_eq!(Stamp(nanos).compact(), name);
        }
    }

    #[test]
    fn an_hour_has_a_name() {
        let cases = [(0, "1970-01-01T00"), (-1, "1969-12-31T23"), (498_701, "2026-11-22T05")];
        for (hour, name) in cases {
            assert_eq!(Stamp::name_of_hour(hour), name);
        }
    }

    #[test]
    fn a_time_is_read_in_both_forms() {
        let read = |json: &str| serde_json::from_str::<Stamp>(json).ok();
        assert_eq!(read("1750000000500000000"), Some(Stamp(1_750_000_000_500_000_000)));
        assert_eq!(read("-1"), Some(Stamp(-1)));
        assert_eq!(read(r#""2025-06-15T15:06:40.5Z""#), Some(Stamp(1_750_000_000_500_000_000)));
        for bad in ["18446744073709551615", r#""yesterday""#, r#""9999-01-01T00:00:00Z""#, "1.5"] {
            assert_eq!(read(bad), None, "{bad}");
        }
        assert_eq!(serde_json::to_string(&Stamp(5)).expect("JSON"), "5");
    }
}
