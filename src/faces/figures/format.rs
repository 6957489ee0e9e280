//! Numbers and times as a person reads them.

pub use super::svg::number as round;
use robot_memory_core::model::Stamp;

/// A count with its thousands set apart by a thin space.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut shown = String::with_capacity(digits.len() + digits.len() / 3 * 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            shown.push('\u{202f}');
        }
        shown.push(digit);
    }
    shown
}

/// A count with its unit, which is told in the plural.
pub fn plural(number: u64, unit: &str) -> String {
    let unit = match (number, unit) {
        (1, "memories") => "memory",
        (1, unit) => unit.strip_suffix('s').unwrap_or(unit),
        (_, unit) => unit,
    };
    format!("{} {unit}", count(number))
}

/// A share.
pub fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// Bytes in the greatest unit that leaves a whole number.
pub fn bytes(number: u64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB"];
    let mut value = number as f64;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    let digits = if unit == 0 || value >= 99.5 { 0 } else { 1 };
    format!("{value:.digits$}\u{202f}{}", units[unit])
}

/// How far ahead of UTC.
pub fn offset(utc_offset_secs: i32) -> String {
    if utc_offset_secs == 0 {
        return "UTC".to_owned();
    }
    let minutes = utc_offset_secs.unsigned_abs() / 60;
    let sign = if utc_offset_secs < 0 { '−' } else { '+' };
    format!("UTC{sign}{:02}:{:02}", minutes / 60, minutes % 60)
}

/// How long it was, from one time to another.
pub fn duration(from: Stamp, to: Stamp) -> String {
    let secs = to.0.saturating_sub(from.0).max(0) / 1_000_000_000;
    match secs {
        0..120 => format!("{secs}\u{202f}s"),
        120..7_200 => format!("{}\u{202f}min", secs / 60),
        7_200..172_800 => format!("{}\u{202f}h", secs / 3_600),
        _ => format!("{}\u{202f}days", secs / 86_400),
    }
}

/// A text cut to so many characters.
pub fn shortened(text: &str, chars_max: usize) -> String {
    if text.chars().count() <= chars_max {
        return text.to_owned();
    }
    let kept: String = text.chars().take(chars_max.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// A name with spaces between its words.
pub fn spaced(name: &str) -> String {
    name.replace('_', " ")
}

/// A length in metres.
pub fn metres(length_m: f64) -> String {
    match length_m.abs() {
        size if size < 0.01 && size > 0.0 => format!("{}\u{202f}mm", round(length_m * 1000.0)),
        size if size < 1.0 && size > 0.0 => format!("{}\u{202f}cm", round(length_m * 100.0)),
        size if size >= 1000.0 => format!("{}\u{202f}km", round(length_m / 1000.0)),
        _ => format!("{}\u{202f}m", round(length_m)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_easily() {
        assert_eq!(count(1_234_567), "1\u{202f}234\u{202f}567");
        assert_eq!([count(0), count(999)], ["0", "999"]);
        assert_eq!([plural(1, "memories"), plural(2, "jobs")], ["1 memory", "2 jobs"]);
        assert_eq!(
            [0, 999, 1_000, 123_456, 999_999, 5_100_000_000].map(bytes),
            ["0 B", "999 B", "1.0 kB", "123 kB", "1.0 MB", "5.1 GB"]
                .map(|it| it.replace(' ', "\u{202f}"))
        );
        assert_eq!([offset(0), offset(-12_600)], ["UTC", "UTC−03:30"]);
        assert_eq!(
            [0.005, 0.5, 2.0, 4_500.0].map(metres),
            ["5 mm", "50 cm", "2 m", "4.5 km"].map(|it| it.replace(' ', "\u{202f}"))
        );
        let at = Stamp::from_secs;
        assert_eq!(duration(at(0), at(90)), "90\u{202f}s");
        assert_eq!(duration(at(9), at(3)), "0\u{202f}s");
    }
}
