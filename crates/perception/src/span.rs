use robot_memory_core::model::Stamp;

/// This many seconds in nanoseconds; what is no number is zero, what is too great the greatest.
pub(super) fn nanos(secs: f64) -> i64 {
    // `as` saturates, and makes zero of NaN.
    (secs * 1e9).round() as i64
}

/// A stamp moved by seconds; it stays at the first or last stamp there is.
pub(super) fn plus_secs(stamp: Stamp, secs: f64) -> Stamp {
    Stamp(stamp.0.saturating_add(nanos(secs)))
}

/// Seconds from `earlier` to `later`; negative when they are the other way around.
pub(super) fn secs_between(earlier: Stamp, later: Stamp) -> f64 {
    later.0.saturating_sub(earlier.0) as f64 / 1e9
}
