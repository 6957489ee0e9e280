//! Sentences about what robots say of themselves, and how they are driven.

use super::{EventFacts, cut, quantity, quoted_to, rounded, seconds};
use crate::decode::NEAREST;
use crate::facts::OVER;

/// Characters of what a component or a line says: it is what there is to know.
const REPORT_CHARS_MAX: usize = 120;
const NAME_CHARS_MAX: usize = 80;

/// What a battery is called.
pub(super) const BATTERY: &str = "battery";

impl EventFacts<'_> {
    pub(super) fn level(&self) -> String {
        let name = cut(self.text_of("name"), NAME_CHARS_MAX);
        let mut trouble = self.text_of("level").to_owned();
        if !self.text_of("text").is_empty() {
            trouble
                .push_str(&format!(" \"{}\"", quoted_to(self.text_of("text"), REPORT_CHARS_MAX)));
        }
        let over = self.measure(OVER).map(|over| over.value);
        if let (Some(secs), Some(to)) = (over, self.measure("to")) {
            let to = match to.of.as_str() {
                "OK" => "OK again".to_owned(),
                level => format!("now {level}"),
            };
            return format!("{name}: {to}, after {} of {trouble}", seconds(secs));
        }
        let count = self.measure("count").map_or(1.0, |count| count.value);
        let lasted = match (self.secs.or(over), self.goes_on) {
            (Some(secs), false) if count > 1.0 => {
                format!(", {} times in {}", rounded(count), seconds(secs))
            }
            _ => self.lasted(),
        };
        format!("{name}: {trouble}{lasted}")
    }

    pub(super) fn threshold(&self) -> String {
        let bound = self.measure("bound");
        let is_below = bound.is_some_and(|bound| bound.of == "below");
        let text = bound.map(quantity).unwrap_or_default();
        let (subject, extreme) = (self.subject.as_str(), self.measure("extreme"));
        let lead = match extreme.filter(|it| !it.of.is_empty()) {
            Some(extreme) if extreme.of == NEAREST => {
                format!("obstacle within {text} on {subject}")
            }
            Some(extreme) => {
                let on = cut(&extreme.of, NAME_CHARS_MAX);
                format!("{subject} {on}{} {text}", side(is_below))
            }
            None => format!("{subject}{} {text}", side(is_below)),
        };
        if let Some(over) = self.measure(OVER) {
            let lead = lead.replacen(side(is_below), &format!(" no longer{}", side(is_below)), 1);
            return format!("{lead}, after {}", seconds(over.value));
        }
        let (extreme, way) = (extreme.map(quantity), if is_below { "down" } else { "up" });
        let extreme = extreme.map(|it| format!(", {way} to {it}")).unwrap_or_default();
        format!("{lead}{extreme}{}", self.lasted())
    }

    pub(super) fn charge(&self) -> String {
        let subject = self.subject.as_str();
        let battery = if subject.contains(BATTERY) { "" } else { " battery" };
        let charge = self.measure("charge").filter(|charge| charge.value.is_finite()).map(quantity);
        let from = self.measure("from").filter(|from| from.value.is_finite());
        let span = match (from, &charge) {
            (Some(from), Some(charge)) => format!(", from {} to {charge}", rounded(from.value)),
            _ => String::new(),
        };
        let secs = self.measure("duration").map_or(0.0, |duration| duration.value);
        let state = match (self.text_of("state"), charge) {
            ("charged", _) => format!("charged{span} in {}", seconds(secs)),
            ("unplugged", _) => format!("no longer charging{span} in {}", seconds(secs)),
            ("charging", Some(charge)) => format!("charging begun, at {charge}"),
            ("charging", None) => "charging begun".to_owned(),
            (low, Some(charge)) => format!("{low}: {charge} left"),
            (low, None) => low.to_owned(),
        };
        format!("{subject}{battery} {state}")
    }

    pub(super) fn stuck(&self) -> String {
        if let Some(over) = self.measure(OVER) {
            return format!("robot no longer stuck, after {}", seconds(over.value));
        }
        let commanded = self.measure_text(": commanded ", "commanded");
        format!("robot stuck{commanded} and not moving{}", self.lasted())
    }

    pub(super) fn drive(&self) -> String {
        let over = self.measure(OVER).map(|over| over.value);
        let lead = match (over.or(self.secs), self.goes_on) {
            (Some(secs), true) => format!("robot driving, still so after {}", seconds(secs)),
            (Some(secs), false) => format!("robot drove {}", seconds(secs)),
            (None, _) => "robot drove".to_owned(),
        };
        lead + &self.measure_text(", ", "travelled") + &self.measure_text(", up to ", "peak")
    }

    pub(super) fn takeover(&self) -> String {
        let by = self.subject.as_str();
        match self.measure(OVER) {
            Some(over) => format!("operator let go of {by}, after {}", seconds(over.value)),
            None => format!("operator took over by {by}{}", self.lasted()),
        }
    }

    /// How long it lasted, or has lasted by now.
    fn lasted(&self) -> String {
        match (self.secs, self.goes_on) {
            (Some(secs), true) => format!(", still so after {}", seconds(secs)),
            (Some(secs), false) => format!(", for {}", seconds(secs)),
            (None, _) => String::new(),
        }
    }

    fn text_of(&self, name: &str) -> &str {
        self.measure(name).map_or("", |measure| &measure.of)
    }
}

fn side(is_below: bool) -> &'static str {
    if is_below { " below" } else { " above" }
}
