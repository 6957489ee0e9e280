//! That nothing of a text is left out of what was read of it: each kind of events, each number and each length of time has to be
//! in it again, the numbers as a time, a distance, an ordinal, or a number of events or of a cycle.

use super::super::atoms::{Atom, atoms, ends, has, longest_of, stands_outside};
use super::super::classes::class_at;
use super::super::numbers::unit;
use super::bounds::Present;
use super::slots::is_weak;
use super::{Beside, Bounds, Closest, Lasted, MINUTE_NANOS, Nth, OrderQuestion, Taken};
use super::{NamedEvents, corrections, harmless, ordinals, wishes, words};
use robot_memory_core::model::Stamp;

const NANOS: f64 = 1e9;
const HOUR_SECS: f64 = 3_600.0;
const DAY_SECS: f64 = 86_400.0;
/// Numbers that say no number.
const VAGUE: [&str; 5] = ["few", "several", "couple", "几", "多"];
/// Before hours they make a length of them.
const BEFORE_LENGTH: [&str; 9] =
    ["last", "past", "within", "in", "next", "the", "for", "of", "over"];
/// Before a number they count questions.
#[rustfmt::skip]
const NUMBERED: [&str; 12] = ["step", "question", "task", "q", "item", "request", "query", "ticket", "no", "题", "步", "骤"];
/// So many ordinals may be said one by one.
const RANGE_MAX: usize = 16;

/// Whether the events that a text names are those of the question, or of what it is beside. A state, a mode and what "fell" may
/// be anything.
fn has_classes(atoms: &[Atom], asked: &OrderQuestion) -> bool {
    let is_stop = |class: &str| class.ends_with("stop");
    let said: Vec<&str> = asked.named().filter_map(|of| of.class).collect();
    let is_said = |class: &str| said.iter().any(|it| *it == class || is_stop(it) && is_stop(class));
    let mut at = 0;
    while at < atoms.len() {
        let (count, class) = class_at(&atoms[at..]).unwrap_or((1, None));
        let is_open = atoms[at].is_one_of(&["fell", "fall", "falls", "fallen"]);
        let class = class.filter(|class| !is_weak(class) && *class != "change" && !is_open);
        if !class.is_none_or(is_said) {
            return false;
        }
        at += count;
    }
    true
}

/// Whether a question is beside something, or of some time, when its text says so.
fn has_sides(atoms: &[Atom], asked: &OrderQuestion) -> bool {
    #[rustfmt::skip]
    const SIDES: &[&str] = &["before", "after", "between", "since", "之前", "以前", "之后", "以后", "之间"];
    let is_bounded = asked.beside.is_some() || !asked.bounds.is_open() || asked.of_log.is_some();
    let is_idle = |rest: &[Atom]| harmless::phrase(rest).or_else(|| wishes::wish(rest));
    is_bounded || !stands_outside(atoms, is_idle, |rest| longest_of(rest, SIDES).is_some())
}

/// What a question says in numbers.
#[derive(Default)]
struct Quantities {
    /// Ordinals, numbers of events and of cycles, and parts of dates and clock times.
    numbers: Vec<f64>,
    /// Distances, in seconds.
    lengths: Vec<f64>,
}

/// Whether each name of events and each number of a text is one of the question.
pub(super) fn is_whole(text: &str, asked: &OrderQuestion, present: &Present<'_>) -> bool {
    let text = ordinals::with_hundreds(&corrections::without_taken_back(text, present));
    let atoms = &atoms(&text)[..];
    if !(has_classes(atoms, asked) && has_sides(atoms, asked)) {
        return false;
    }
    let mut said = Quantities::of(asked, present);
    // "It is six now."
    if has(atoms, &["now", "现在", "此刻", "这会儿"])
        && let Some(now) = present.date_time(present.now)
    {
        let hour = now.hour();
        said.numbers.extend([hour, (hour + 11) % 12 + 1, now.minute()].map(f64::from));
    }
    // UR3, and "step 4: ..."
    let is_of_name = |at: usize| {
        let before = at.checked_sub(1).map(|at| &atoms[at]);
        let is_glued = |it: &Atom| it.place.end == atoms[at].place.start && !it.is_han();
        let is_first = at == 0 && atoms[0].is_digits();
        let is_numbering = is_first && text[atoms[0].place.end..].starts_with(['.', ')', '、']);
        // 周三, 星期二; but 周期100.
        let is_weekday = |it: &Atom| it.is_one_of(&["周", "期", "拜"]) && atoms[at].is_han();
        is_numbering
            || before.is_some_and(|it| is_glued(it) || it.is_one_of(&NUMBERED) || is_weekday(it))
    };
    let mut at = 0;
    while at < atoms.len() {
        let rest = &atoms[at..];
        // "In the first hour".
        let of_end = one_of_ends(rest);
        let (count, is_said) = match (words::length(rest), of_end, words::nth(rest)) {
            (Some((count, secs)), ..) if said.has_length(secs) => (count, true),
            (Some((count, secs)), ..) if secs < DAY_SECS && !is_of_clock(atoms, at, count) => {
                (count, is_duration(&atoms[..at]))
            }
            (_, Some((count, secs)), _) => (count, said.has_length(secs)),
            (.., Some((count, Nth { nth, .. }))) if nth > 1 => (count, said.has(f64::from(nth))),
            _ if is_of_name(at) => (1, true),
            _ => said.cardinal(rest),
        };
        if !is_said {
            return false;
        }
        at += count;
    }
    true
}

/// "The first hour", "the last minute": how many atoms, and how long.
fn one_of_ends(atoms: &[Atom]) -> Option<(usize, f64)> {
    let which = longest_of(atoms, &["first", "last", "final", "opening", "closing"])?;
    let (unit, count) = unit(atoms.get(which..)?)?;
    let is_said_in_full = atoms[which].text.len() > 3 && atoms[which].text != "second";
    (is_said_in_full && unit.secs() < DAY_SECS).then(|| (which + count, unit.secs()))
}

/// "Which lasted 12 s", 停了十秒左右: of an event that is named by more.
fn is_duration(before: &[Atom]) -> bool {
    ends(before, &["lasted", "lasted about", "持续", "持续了", "停了"])
}

/// 14点30分, "fifteen minutes past nine", 14h30: of a time of the day.
fn is_of_clock(atoms: &[Atom], at: usize, count: usize) -> bool {
    let is_behind =
        |words: &[&str]| atoms.get(at + count).is_some_and(|next| next.is_one_of(words));
    // "1430 hours".
    let is_military = atoms[at].is_digits() && atoms[at].text.len() == 4;
    let before = at.checked_sub(1).map(|at| &atoms[at]);
    let is_h = atoms[at].has_digit_first()
        && atoms.get(at + 1).is_some_and(|next| next.text == "h")
        && (!before.is_some_and(|it| it.is_one_of(&BEFORE_LENGTH))
            || atoms.get(at + 2).is_some_and(Atom::is_digits));
    is_military
        || is_h
        || before.is_some_and(|before| before.is_one_of(&["点", "时", "分", "差"]))
        || is_behind(&["past", "to"])
}

impl Quantities {
    fn of(asked: &OrderQuestion, present: &Present<'_>) -> Self {
        let mut said = Self::default();
        said.bounds(asked.bounds, present);
        for of in asked.named() {
            said.named(of);
        }
        // "Both kinds", 两次之间.
        said.numbers.push(1.0 + asked.or_of.len() as f64);
        said.lengths.extend(asked.per.map(|_| HOUR_SECS));
        said.lengths.extend(asked.of_log.map(|(_, secs)| secs));
        match asked.taken {
            Taken::All => {}
            Taken::Nth(Nth { nth, .. }) => said.numbers.push(f64::from(nth)),
            Taken::Several(_, many) | Taken::Nearest(many) => said.numbers.push(f64::from(many)),
            Taken::BothEnds => said.numbers.push(2.0),
            Taken::Range(first, last) => {
                let each = (first..=last).take(RANGE_MAX);
                said.numbers.extend(each.chain([last, last - first + 1]).map(f64::from));
            }
        }
        for anchor in asked.anchors() {
            said.numbers.extend(anchor.nth.map(|nth| f64::from(nth.nth)));
            said.numbers.extend(anchor.memory.map(|id| id as f64));
            said.bounds(anchor.bounds, present);
        }
        match &asked.beside {
            Some(Beside::Before(_, secs) | Beside::After(_, secs) | Beside::Around(_, secs)) => {
                said.lengths.extend(secs)
            }
            Some(Beside::Between(..) | Beside::BetweenTwo(_)) => said.numbers.push(2.0),
            Some(Beside::Closest(Closest::Moment(at)) | Beside::UnderWay(at)) => {
                said.moment(*at, present)
            }
            _ => {}
        }
        said
    }

    fn named(&mut self, of: &NamedEvents) {
        match &of.lasted {
            Some(Lasted::For(lengths)) => {
                let ends = || lengths.ends().map(|end| end.as_secs_f64());
                self.lengths.extend(ends());
                // "Between 3 and 5 s".
                self.numbers.extend(ends().filter(|_| !lengths.is_end_sure));
            }
            Some(Lasted::Ranked { to, .. }) => self.numbers.push(f64::from(*to)),
            None => {}
        }
        let names = [of.words.as_str(), of.on.as_deref().unwrap_or_default()];
        let digits = names.iter().flat_map(|name| name.split(|c: char| !c.is_ascii_digit()));
        self.numbers.extend(digits.filter_map(|it| it.parse::<f64>().ok()));
        if let Some(became) = of.became {
            self.numbers.extend(became.from.into_iter().chain([became.to]).map(f64::from));
            // 周期263换成264, and "it reached 230 twice: when was the first time?"
            self.numbers.extend([f64::from(became.to) - 1.0, 2.0]);
        }
    }

    fn bounds(&mut self, bounds: Bounds, present: &Present<'_>) {
        let stamps = [bounds.since, bounds.until];
        for at in stamps.into_iter().flatten() {
            self.moment(at, present);
            self.lengths.push(present.now.0.abs_diff(at.0) as f64 / NANOS);
        }
        if let [Some(since), Some(until)] = stamps {
            // "Within ten minutes on either side of 14:32".
            self.moment(Stamp(since.0.midpoint(until.0)), present);
            let length = until.0.abs_diff(since.0) as f64 / NANOS;
            self.lengths.extend([length, length / 2.0]);
        }
    }

    /// The parts of a moment; of one before it too, since an end is not included, and of one behind it: "a quarter to three".
    fn moment(&mut self, at: Stamp, present: &Present<'_>) {
        let today = present.day(present.now);
        for back in [0, 1, MINUTE_NANOS, 60 * MINUTE_NANOS, -60 * MINUTE_NANOS] {
            let before = Stamp(at.0.saturating_sub(back));
            let Some(date) = present.date_time(before) else { continue };
            let hour = date.hour();
            let half_day_hour = (hour + 11) % 12 + 1;
            let parts =
                [date.day(), date.month(), hour, half_day_hour, date.minute(), date.second()];
            self.numbers.extend(parts.map(f64::from));
            // "1430 hours".
            self.numbers.push(f64::from(hour) * 100.0 + f64::from(date.minute()));
            self.numbers.extend([f64::from(date.year()), f64::from(date.year() % 100)]);
            // 三刻.
            self.numbers.push(f64::from(date.minute()) / 15.0);
            // A day that ends at midnight ends at 24:00; "twenty to three" is 14:40.
            self.numbers.extend([24.0, 60.0 - f64::from(date.minute())]);
            let days = today.and_then(|today| date.date().until(today).ok());
            let days = days.map_or(0.0, |days| f64::from(days.get_days()));
            self.numbers.extend([days, (days / 7.0).round()]);
        }
    }

    fn has(&self, number: f64) -> bool {
        self.numbers.contains(&number)
    }

    fn has_length(&self, secs: f64) -> bool {
        self.lengths.iter().any(|said| (said - secs).abs() < 1.0)
    }

    /// How many atoms a number has that stands there, and whether it is said. "One" and "a" say no more than that it is.
    fn cardinal(&self, atoms: &[Atom]) -> (usize, bool) {
        let digits = |part: &str| part.parse::<f64>().map_or(true, |number| self.has(number));
        let first = &atoms[0].text;
        // 16:01:12.5: a part of a second is said by its second.
        let first = match first.rsplit_once('.') {
            Some((clock, _)) if clock.contains([':', '：']) => clock,
            _ => first,
        };
        if atoms[0].has_digit_first() {
            let is_decimal = first.parse::<f64>().is_ok_and(|number| self.has(number));
            return (1, is_decimal || first.split([':', '：', '.']).all(digits));
        }
        match words::cardinal(atoms) {
            Some((number, count)) => {
                let is_vague = atoms[..count].iter().any(|atom| atom.is_one_of(&VAGUE));
                (count, is_vague || number <= 1.0 || self.has(number))
            }
            None => (1, true),
        }
    }
}
