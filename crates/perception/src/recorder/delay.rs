//! How late the messages of a source come.

use robot_memory_core::model::Stamp;

/// How long a delay is remembered at least, and at most twice as long.
const REMEMBERED_NANOS: i64 = 5_000_000_000;
/// What is waited for beyond a known delay: a part of it, and seconds.
const MORE_PART: f64 = 1.25;
const MORE_SECS: f64 = 0.05;

/// The delays of a source's messages, from their stamps until they came. The greatest one counts that was
/// not alone: a single one is a message that was held up.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Delay {
    /// Which span of time the newer ones are of.
    span: i64,
    /// The two greatest of this span, and of the one before.
    now: [f64; 2],
    before: [f64; 2],
}

impl Delay {
    /// Notes that a message came so many seconds after its stamp.
    pub fn note(&mut self, received: Stamp, secs: f64) {
        let span = received.0.div_euclid(REMEMBERED_NANOS);
        if span != self.span {
            let is_next = span == self.span.saturating_add(1);
            self.before = if is_next { self.now } else { [0.0; 2] };
            (self.span, self.now) = (span, [0.0; 2]);
        }
        if secs > self.now[0] {
            self.now = [secs, self.now[0]];
        } else if secs > self.now[1] {
            self.now[1] = secs;
        }
    }

    /// Seconds to wait for its messages.
    pub fn secs(&self, now: Stamp) -> f64 {
        let is_old = now.0.div_euclid(REMEMBERED_NANOS).saturating_sub(self.span) > 1;
        let delay = if is_old { 0.0 } else { self.now[1].max(self.before[1]) };
        if delay > 0.0 { MORE_PART * delay + MORE_SECS } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delay_counts_that_is_not_alone_and_is_forgotten() {
        let at = |secs: i64| Stamp::from_secs(1_700_000_000 + secs);
        let mut delay = Delay::default();
        assert_eq!(delay.secs(at(0)), 0.0);
        delay.note(at(0), 8.0);
        assert_eq!(delay.secs(at(0)), 0.0);
        delay.note(at(1), 0.6);
        assert_eq!(delay.secs(at(1)), MORE_PART * 0.6 + MORE_SECS);
        delay.note(at(1), 0.8);
        assert_eq!(delay.secs(at(4)), MORE_PART * 0.8 + MORE_SECS);
        // Two sources on one topic: the later one counts.
        for second in 5..9 {
            delay.note(at(second), 0.01);
            delay.note(at(second), 2.0);
        }
        assert_eq!(delay.secs(at(9)), MORE_PART * 2.0 + MORE_SECS);
        assert_eq!(delay.secs(at(15)), 0.0);
        delay.note(at(60), -3.0);
        assert_eq!(delay.secs(at(60)), 0.0);
    }
}
