//! Units of measure in English and Chinese, and what they are multiples of.

use super::any_word::AnyWord;
use super::decimal::Decimal;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

/// A unit as a multiple of a base unit: `factor × 10^power / per` times `base`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unit {
    /// The base unit's symbol; empty for a counting word such as 个, and for a plain number.
    pub base: String,
    /// How the unit itself, not its base, is written in Latin letters; empty for a counting word, and
    /// for a composed unit that has no row here.
    pub symbol: &'static str,
    pub factor: u32,
    pub power: i64,
    /// 1 of what [`unit`] reads.
    pub per: u32,
}

impl Unit {
    /// `number` of this unit, in the base unit.
    pub fn in_base(&self, number: &Decimal) -> Decimal {
        number.scaled(self.factor, self.power)
    }
}

struct Row {
    base: &'static str,
    factor: u32,
    power: i64,
    /// Symbols tell upper from lower case where both exist, else not.
    spellings: &'static [&'static str],
}

const fn row(
    base: &'static str,
    factor: u32,
    power: i64,
    spellings: &'static [&'static str],
) -> Row {
    Row { base, factor, power, spellings }
}

/// Factors are exact: SI prefixes, 60 and 3600 for times, 25.4 for the inch.
#[rustfmt::skip]
const UNITS: &[Row] = &[
    row("m", 1, 0, &["m", "metre", "metres", "meter", "meters", "米", "公尺"]),
    row("m", 1, -3, &["mm", "millimetre", "millimetres", "millimeter", "millimeters", "毫米"]),
    row("m", 1, -2, &["cm", "centimetre", "centimetres", "centimeter", "centimeters", "厘米", "公分"]),
    row("m", 1, 3, &["km", "kilometre", "kilometres", "kilometer", "kilometers", "公里", "千米"]),
    row("m", 1, -6, &["um", "μm", "µm", "micrometer", "micrometers", "微米"]),
    row("m", 254, -4, &["inch", "inches", "英寸"]),
    row("N", 1, 0, &["N", "newton", "newtons", "牛", "牛顿"]),
    row("N", 1, -3, &["mN", "毫牛"]),
    row("N", 1, 3, &["kN", "千牛"]),
    row("N·m", 1, 0, &["Nm", "N·m", "N⋅m", "牛米", "牛顿米"]),
    row("N·m", 1, -3, &["mNm"]),
    row("m", 1, -9, &["nm", "nanometer", "nanometers", "纳米"]),
    row("s", 1, 0, &["s", "sec", "secs", "second", "seconds", "秒", "秒钟"]),
    row("s", 1, -3, &["ms", "msec", "millisecond", "milliseconds", "毫秒"]),
    row("s", 1, -6, &["us", "μs", "µs", "microsecond", "microseconds", "微秒"]),
    row("s", 60, 0, &["min", "mins", "minute", "minutes", "分钟"]),
    row("s", 3600, 0, &["h", "hr", "hrs", "hour", "hours", "小时", "个小时"]),
    row("day", 1, 0, &["day", "days", "天", "日"]),
    row("week", 1, 0, &["week", "weeks", "周", "个星期", "星期"]),
    row("month", 1, 0, &["month", "months", "个月", "月"]),
    row("year", 1, 0, &["year", "years", "年"]),
    row("Hz", 1, 0, &["Hz", "hertz", "赫兹", "赫"]),
    row("Hz", 1, 3, &["kHz", "千赫", "千赫兹"]),
    row("Hz", 1, 6, &["MHz", "兆赫", "兆赫兹"]),
    row("Hz", 1, 9, &["GHz"]),
    row("fps", 1, 0, &["fps"]),
    row("g", 1, 0, &["g", "gram", "grams", "克"]),
    row("g", 1, 3, &["kg", "kgs", "kilo", "kilos", "kilogram", "kilograms", "公斤", "千克"]),
    row("g", 1, -3, &["mg", "毫克"]),
    row("g", 1, 6, &["ton", "tons", "tonne", "tonnes", "t", "吨"]),
    row("V", 1, 0, &["V", "volt", "volts", "伏", "伏特"]),
    row("V", 1, -3, &["mV", "毫伏"]),
    row("V", 1, 3, &["kV", "千伏"]),
    row("A", 1, 0, &["A", "amp", "amps", "ampere", "amperes", "安", "安培"]),
    row("A", 1, -3, &["mA", "毫安"]),
    row("A·h", 1, -3, &["mAh", "毫安时"]),
    row("A·h", 1, 0, &["Ah", "安时"]),
    row("W", 1, 0, &["W", "watt", "watts", "瓦", "瓦特"]),
    row("W", 1, 3, &["kW", "千瓦"]),
    row("W", 1, 6, &["MW", "兆瓦"]),
    row("W", 1, -3, &["mW", "毫瓦"]),
    row("W·h", 1, 0, &["Wh", "瓦时"]),
    row("J", 1, 0, &["J", "joule", "joules", "焦耳"]),
    row("Pa", 1, 0, &["Pa", "帕"]),
    row("Pa", 1, 3, &["kPa", "千帕"]),
    row("Pa", 1, 6, &["MPa", "兆帕"]),
    row("Pa", 1, 5, &["bar", "巴"]),
    row("Ω", 1, 0, &["Ω", "ohm", "ohms", "欧姆"]),
    row("°", 1, 0, &["°", "deg", "degs", "degree", "degrees", "度"]),
    row("rad", 1, 0, &["rad", "rads", "radian", "radians", "弧度"]),
    row("rad", 1, -3, &["mrad"]),
    row("°C", 1, 0, &["°C", "℃", "C", "degC", "celsius", "摄氏度"]),
    row("°F", 1, 0, &["°F", "℉", "fahrenheit", "华氏度"]),
    row("K", 1, 0, &["K", "kelvin"]),
    row("%", 1, 0, &["%", "percent", "pct"]),
    row("l", 1, 0, &["L", "litre", "litres", "liter", "liters", "升"]),
    row("l", 1, -3, &["ml", "毫升"]),
    row("rpm", 1, 0, &["rpm", "转每分", "转/分"]),
    row("m/s", 1, 0, &["m/s", "米每秒", "米/秒"]),
    row("m/s", 1, -3, &["mm/s", "毫米每秒", "毫米/秒"]),
    row("m/s", 1, -2, &["cm/s", "厘米每秒", "厘米/秒"]),
    row("byte", 1, 0, &["B", "byte", "bytes", "字节"]),
    row("byte", 1, 3, &["KB"]),
    row("byte", 1, 6, &["MB"]),
    row("byte", 1, 9, &["GB"]),
    row("bit", 1, 0, &["bit", "bits"]),
    row("dB", 1, 0, &["dB", "分贝"]),
    row("px", 1, 0, &["px", "pixel", "pixels", "像素"]),
    row("lux", 1, 0, &["lux", "lx", "勒克斯"]),
    row("×", 1, 0, &["倍"]),
    row("", 1, 0, &[
        "个", "次", "台", "只", "件", "块", "条", "根", "把", "支", "张", "颗", "粒", "组", "排", "列", "层",
        "步", "轮", "号", "名", "种", "套", "辆", "架", "轴", "枚", "瓶", "杯", "箱", "盒", "袋", "位", "遍",
        "指", "爪", "面", "孔", "级", "档", "路", "代", "格", "段", "圈", "楼", "批", "趟", "回",
        "times",
    ]),
];

/// Units of several words or pieces, and how they are written as one.
#[rustfmt::skip]
const IN_WORDS: &[(&[&str], &str)] = &[
    (&["newton metres", "newton meters", "newton metre", "newton meter", "newton-metres", "newton-meters", "newton-metre", "newton-meter"], "Nm"),
    (&["degrees celsius", "degree celsius", "degrees centigrade", "degrees c"], "°C"),
    (&["metres per second", "meters per second", "metre per second", "meter per second"], "m/s"),
    (&["centimetres per second", "centimeters per second"], "cm/s"),
    (&["millimetres per second", "millimeters per second"], "mm/s"),
    (&["kilometres per hour", "kilometers per hour"], "km/h"),
    (&["revolutions per minute", "turns per minute"], "rpm"),
    (&["牛·米", "牛•米", "牛⋅米", "牛顿·米", "牛顿米"], "牛米"),
    (&["每分钟转", "转每分钟", "转/分钟"], "转每分"),
];
/// All of them: most texts have none.
static ANY_IN_WORDS: LazyLock<AnyWord> =
    LazyLock::new(|| AnyWord::of(IN_WORDS.iter().flat_map(|(words, _)| *words).copied()));
/// What is said before the amount of a speed, and behind it.
const PER_SECOND: &str = "每秒";

/// A text in which each unit is written as one: "25 newton metres" is "25 Nm", 每秒0.3米 is 0.3米每秒.
pub(super) fn in_symbols(text: &str) -> Cow<'_, str> {
    let mut changed = Cow::Borrowed(text);
    let has_words = ANY_IN_WORDS.may_be_in(text);
    for (words, symbol) in IN_WORDS.iter().filter(|_| has_words) {
        for word in *words {
            while let Some(at) = find_unit(&changed, word) {
                let text = changed.to_mut();
                text.replace_range(at..at + word.len(), symbol);
            }
        }
    }
    if changed.contains(PER_SECOND) {
        changed = Cow::Owned(per_second_behind(&changed));
    }
    changed
}

/// Where a word is that is a unit: behind a number, or in Han characters.
fn find_unit(text: &str, word: &str) -> Option<usize> {
    let ends = |at: usize| !text[at..].starts_with(char::is_alphanumeric) || !word.is_ascii();
    let bytes = text.as_bytes();
    let begin = word.as_bytes().first()?;
    let is_word = |at: &usize| {
        bytes[*at].eq_ignore_ascii_case(begin)
            && text.get(*at..at + word.len()).is_some_and(|it| it.eq_ignore_ascii_case(word))
    };
    let mut from = 0;
    while let Some(start) = (from..text.len()).find(is_word) {
        let is_free = !word.is_ascii() || text[..start].ends_with([' ', '-']);
        if is_free && ends(start + word.len()) {
            return Some(start);
        }
        from = start + word.chars().next().map_or(1, char::len_utf8);
    }
    None
}

/// 每秒0.3米 as 0.3米每秒, when a length follows.
fn per_second_behind(text: &str) -> String {
    let mut moved = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(PER_SECOND) {
        let after = &rest[at + PER_SECOND.len()..];
        let is_number =
            |c: &char| c.is_ascii_digit() || ". 零一二三四五六七八九十百点".contains(*c);
        let number: String = after.chars().take_while(is_number).collect();
        let unit = ["毫米", "厘米", "公里", "千米", "米"]
            .into_iter()
            .find(|unit| !number.trim().is_empty() && after[number.len()..].starts_with(unit));
        moved.push_str(&rest[..at]);
        match unit {
            Some(unit) => {
                moved.push_str(&number);
                moved.push_str(unit);
                moved.push_str(PER_SECOND);
                rest = &after[number.len() + unit.len()..];
            }
            None => {
                moved.push_str(PER_SECOND);
                rest = after;
            }
        }
    }
    moved.push_str(rest);
    moved
}

/// The unit that `symbol` spells, alone or composed as in `N/m`, `m/s^2`. `None` when it is none.
pub(super) fn unit(symbol: &str) -> Option<Unit> {
    simple(symbol).or_else(|| composed(symbol))
}

/// What the unit that `symbol` spells is a multiple of, by a stricter reading than [`unit`]'s, for
/// numbers that are held against each other: a symbol in the wrong case is none when its first letter
/// would be another prefix (`MN`, `mhz`). It knows fractions of other bases too (`km/h` is of `m/s`).
/// `None` when it is none; the empty symbol is that of plain numbers.
pub(super) fn scale(symbol: &str) -> Option<Unit> {
    if symbol.is_empty() {
        return Some(Unit { base: String::new(), symbol: "", factor: 1, power: 0, per: 1 });
    }
    if let Some(row) = strict(symbol) {
        return Some(row.unit());
    }
    if symbol.contains('/') {
        return fraction(symbol);
    }
    powered(symbol).filter(|_| symbol.ends_with(|c: char| c.is_ascii_digit()))
}

/// Letters of the longest symbol; what is longer is a word, which may begin with a capital.
const SYMBOL_LETTERS_MAX: usize = 3;

fn strict(symbol: &str) -> Option<&'static Row> {
    let [as_spelled, in_small_letters] = &*ROWS;
    let has_base = |row: &&&'static Row| row.base == symbol && row.factor == 1 && row.power == 0;
    if let Some(row) = as_spelled.get(symbol).or_else(|| as_spelled.values().find(has_base)) {
        return Some(row);
    }
    let row = in_small_letters.get(&symbol.to_ascii_lowercase())?;
    let is_symbol = (2..=SYMBOL_LETTERS_MAX).contains(&symbol.len());
    let is_prefixed = is_symbol && symbol.starts_with(['m', 'M']);
    let has_its_prefix = row.spellings.iter().any(|spelling| {
        spelling.eq_ignore_ascii_case(symbol) && spelling.as_bytes()[0] == symbol.as_bytes()[0]
    });
    (!is_prefixed || has_its_prefix).then_some(row)
}

/// The longest unit at the start of `text` (Han characters), and its length in bytes.
pub(super) fn han_unit(text: &str) -> Option<(Unit, usize)> {
    let begin_alike = HAN_UNITS.get(&text.chars().next()?)?;
    let (row, spelling) = begin_alike.iter().find(|(_, spelling)| text.starts_with(spelling))?;
    Some((row.unit(), spelling.len()))
}

/// The spellings that are not ASCII by their first character, the longest first, of equal ones the last row's.
static HAN_UNITS: LazyLock<HashMap<char, Vec<(&'static Row, &'static str)>>> =
    LazyLock::new(|| {
        let mut units: HashMap<char, Vec<(&'static Row, &'static str)>> = HashMap::new();
        for row in UNITS.iter().rev() {
            for spelling in row.spellings.iter().rev().filter(|spelling| !spelling.is_ascii()) {
                units
                    .entry(spelling.chars().next().unwrap_or_default())
                    .or_default()
                    .push((row, spelling));
            }
        }
        for begin_alike in units.values_mut() {
            begin_alike.sort_by_key(|(_, spelling)| std::cmp::Reverse(spelling.len()));
        }
        units
    });

impl Row {
    fn symbol(&self) -> &'static str {
        let is_latin =
            |spelling: &&&str| spelling.chars().all(|c| c.is_ascii_alphabetic() || c == '/');
        let symbol = self.spellings.iter().find(is_latin).copied();
        symbol.filter(|_| !self.base.is_empty()).unwrap_or_default()
    }

    fn unit(&self) -> Unit {
        Unit {
            base: self.base.to_owned(),
            symbol: self.symbol(),
            factor: self.factor,
            power: self.power,
            per: 1,
        }
    }
}

/// The row of each spelling, and of each in small letters; of equal ones the first.
static ROWS: LazyLock<[HashMap<String, &'static Row>; 2]> = LazyLock::new(|| {
    let mut rows = [HashMap::new(), HashMap::new()];
    for row in UNITS {
        for spelling in row.spellings {
            rows[0].entry((*spelling).to_owned()).or_insert(row);
            rows[1].entry(spelling.to_ascii_lowercase()).or_insert(row);
        }
    }
    rows
});

fn simple(symbol: &str) -> Option<Unit> {
    let [as_spelled, in_small_letters] = &*ROWS;
    let row = as_spelled.get(symbol);
    row.or_else(|| in_small_letters.get(&symbol.to_ascii_lowercase())).map(|row| row.unit())
}

/// A unit over another one: `N/m`, `km/h`.
fn fraction(symbol: &str) -> Option<Unit> {
    let (above, below) = symbol.split_once('/')?;
    let (above, below) = (powered(above)?, powered(below)?);
    Some(Unit {
        base: format!("{}/{}", above.base, below.base),
        symbol: "",
        factor: above.factor,
        power: above.power - below.power,
        per: below.factor,
    })
}

fn composed(symbol: &str) -> Option<Unit> {
    let read = fraction(symbol)?;
    if read.per == 1 {
        return Some(read);
    }
    // Not a decimal fraction (km/h): a unit of its own.
    Some(Unit { base: symbol.to_lowercase(), factor: 1, power: 0, per: 1, ..read })
}

/// A unit with a small whole exponent: `s2`, `s^2`, `m3`.
fn powered(symbol: &str) -> Option<Unit> {
    if let Some(plain) = simple(symbol) {
        return Some(plain);
    }
    let digit = symbol.chars().next_back().filter(|c| ('2'..='4').contains(c))?;
    let base = simple(symbol[..symbol.len() - 1].trim_end_matches('^'))?;
    let exponent = digit.to_digit(10)?;
    Some(Unit {
        base: format!("{}{digit}", base.base),
        symbol: "",
        factor: base.factor.checked_pow(exponent)?,
        power: base.power * i64::from(exponent),
        per: 1,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_quantity_has_one_base_form() {
        let cases = [
            ("1500", "mm", "1.5 m"),
            ("1.5", "m", "1.5 m"),
            ("12.5", "n", "12.5 N"),
            ("2", "min", "120 s"),
            ("2", "MHz", "2000000 Hz"),
            ("5", "mW", "0.005 W"),
            ("5", "MW", "5000000 W"),
            ("250", "mm/s", "0.25 m/s"),
            ("9.8", "m/s^2", "9.8 m/s2"),
            ("2", "mm2/s", "0.000002 m2/s"),
            ("5", "km/h", "5 km/h"),
            ("1", "inch", "0.0254 m"),
            ("3", "个", "3 "),
        ];
        for (number, symbol, expected) in cases {
            let (number, _) = Decimal::read(number).expect("a number");
            let unit = unit(symbol).expect(symbol);
            assert_eq!(format!("{} {}", unit.in_base(&number), unit.base), expected, "{symbol}");
        }
        for word in ["cup", "and/or", "in", "x", "", "/", "N/"] {
            assert_eq!(unit(word), None, "{word}");
        }
    }

    #[test]
    fn units_of_several_words_are_written_as_one() {
        let cases = [
            ("a torque of 25 newton metres", "a torque of 25 Nm"),
            ("at 4 Degrees Celsius.", "at 4 °C."),
            ("25牛·米", "25牛米"),
            ("0.5 metres per second", "0.5 m/s"),
            ("走廊限速每秒0.3米", "走廊限速0.3米每秒"),
            ("每秒二十厘米以下", "二十厘米每秒以下"),
            ("每秒三次", "每秒三次"),
            ("the newton meterstick", "the newton meterstick"),
            ("no unit", "no unit"),
        ];
        for (text, expected) in cases {
            assert_eq!(in_symbols(text), expected);
        }
    }

    #[test]
    fn a_scale_is_read_strictly() {
        let cases = [
            ("N", Some(("N", 1, 0, 1))),
            ("n", Some(("N", 1, 0, 1))),
            ("mN", Some(("N", 1, -3, 1))),
            ("MN", None),
            ("mhz", None),
            ("Meters", Some(("m", 1, 0, 1))),
            ("N·m", Some(("N·m", 1, 0, 1))),
            ("A·h", Some(("A·h", 1, 0, 1))),
            ("km/h", Some(("m/s", 1, 3, 3600))),
            ("m/min", Some(("m/s", 1, 0, 60))),
            ("deg/s", Some(("°/s", 1, 0, 1))),
            ("m/s^2", Some(("m/s2", 1, 0, 1))),
            ("mm2", Some(("m2", 1, -6, 1))),
            ("", Some(("", 1, 0, 1))),
            ("次", Some(("", 1, 0, 1))),
            ("cup", None),
            ("N/", None),
        ];
        for (symbol, expected) in cases {
            let found = scale(symbol);
            let found = found.as_ref().map(|s| (s.base.as_str(), s.factor, s.power, s.per));
            assert_eq!(found, expected, "{symbol}");
        }
    }

    #[test]
    fn the_longest_chinese_unit_is_taken() {
        let found = han_unit("毫米每秒的速度").map(|(unit, len)| (unit.base, len));
        assert_eq!(found, Some(("m/s".to_owned(), "毫米每秒".len())));
        assert_eq!(han_unit("杆"), None);
    }
}
