//! Names of parameters as programs and people write them: `grip_force_n`, `gripForce`, 抓取力.

use super::amount::Amount;
use super::identifier::words_of;
use super::items::{ItemKind, items};
use super::lexer::is_han;
use super::limits::words::{QuantityWord, quantity_of};
use super::statement::number_at;

/// What the name of a parameter says of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ParameterName {
    /// The name in one form: words joined by `_`, the quantity that it ends with as the program calls
    /// it, without a unit and without what says only how the value came about (max, target): 最大抓取力,
    /// `maxGripForceN` and `grasp_force` are `grip_force`.
    pub key: String,
    /// The unit that the name ends with, as units are written; empty without one.
    pub unit: &'static str,
    /// The unit that a plain number of this quantity is in, by REP-103; empty when the name tells no
    /// quantity, or one that is written in several units (angles).
    pub si_unit: &'static str,
    /// The quantity's base units; empty when the name tells none.
    bases: &'static [&'static str],
}

/// Words before or behind a name that say how the value came about, and not what it is of.
#[rustfmt::skip]
const QUALIFIERS: &[&str] = &[
    "max", "maximum", "min", "minimum", "target", "desired", "goal", "cmd", "command", "commanded", "set",
    "setpoint", "planned", "nominal", "limit", "requested", "reference", "ref", "value", "val", "param",
];
/// The same in Chinese, before and behind.
const HAN_PREFIXES: &[&str] = &["最大", "最小", "目标", "期望", "设定", "计划", "额定", "指令"];
const HAN_SUFFIXES: &[&str] = &["大小", "上限", "下限", "设定值", "数值", "值"];

/// Ends of names that are units, the longest first, and the unit.
#[rustfmt::skip]
const UNIT_ENDS: &[(&[&str], &str)] = &[
    (&["meters", "per", "second"], "m/s"), (&["m", "per", "s"], "m/s"), (&["mm", "per", "s"], "mm/s"), (&["cm", "per", "s"], "cm/s"),
    (&["m", "per", "s2"], "m/s2"), (&["km", "per", "h"], "km/h"), (&["rad", "per", "s"], "rad/s"), (&["deg", "per", "s"], "deg/s"),
    (&["m", "s2"], "m/s2"), (&["m", "s"], "m/s"), (&["mm", "s"], "mm/s"), (&["cm", "s"], "cm/s"), (&["km", "h"], "km/h"),
    (&["rad", "s"], "rad/s"), (&["deg", "s"], "deg/s"), (&["n", "m"], "Nm"), (&["deg", "c"], "°C"), (&["deg", "f"], "°F"),
    (&["mps2"], "m/s2"), (&["mps"], "m/s"), (&["mmps"], "mm/s"), (&["cmps"], "cm/s"), (&["kmh"], "km/h"), (&["kph"], "km/h"),
    (&["radps"], "rad/s"), (&["rads"], "rad/s"), (&["dps"], "deg/s"), (&["degps"], "deg/s"), (&["rpm"], "rpm"),
    (&["newtons"], "N"), (&["newton"], "N"), (&["kn"], "kN"), (&["mn"], "mN"), (&["n"], "N"),
    (&["nm"], "Nm"), (&["mnm"], "mNm"),
    (&["meters"], "m"), (&["meter"], "m"), (&["metres"], "m"), (&["metre"], "m"), (&["mm"], "mm"), (&["cm"], "cm"), (&["um"], "um"),
    (&["m"], "m"),
    (&["seconds"], "s"), (&["secs"], "s"), (&["sec"], "s"), (&["ms"], "ms"), (&["s"], "s"), (&["minutes"], "min"), (&["hours"], "h"),
    (&["kg"], "kg"), (&["grams"], "g"), (&["g"], "g"),
    (&["degrees"], "°"), (&["degree"], "°"), (&["deg"], "°"), (&["radians"], "rad"), (&["rad"], "rad"),
    (&["celsius"], "°C"), (&["degc"], "°C"), (&["fahrenheit"], "°F"), (&["kelvin"], "K"), (&["c"], "°C"),
    (&["kpa"], "kPa"), (&["mpa"], "MPa"), (&["pa"], "Pa"), (&["bar"], "bar"),
    (&["volts"], "V"), (&["volt"], "V"), (&["mv"], "mV"), (&["v"], "V"), (&["amps"], "A"), (&["ma"], "mA"), (&["a"], "A"),
    (&["watts"], "W"), (&["w"], "W"), (&["hz"], "Hz"), (&["khz"], "kHz"),
    (&["percent"], "%"), (&["pct"], "%"),
];
/// Units of one letter that more often end a name otherwise (`point_a`, `arm_c`): only behind the name of a
/// quantity that is measured so.
const UNSURE_ENDS: &[&str] = &["°C", "V", "A", "W", "g"];
/// What turning is measured in: there "speed" is an angular one.
const TURNING_UNITS: &[&str] = &["rpm", "rad/s", "deg/s"];

impl ParameterName {
    /// Reads the last part of a parameter's path.
    pub fn parse(name: &str) -> Self {
        let words = words_of(name);
        let mut best: Option<Self> = None;
        for (end, unit) in UNIT_ENDS {
            let Some(front) = words.strip_suffix_words(end) else { continue };
            let front = Self::of_words(front);
            let fits = front.bases.is_empty() || is_of(unit, front.bases);
            let is_unsure = UNSURE_ENDS.contains(unit) && front.bases.is_empty();
            if fits && !is_unsure && !front.key.is_empty() {
                best = Some(Self { unit, ..front });
                break;
            }
        }
        let mut read = best.unwrap_or_else(|| Self::of_words(&words));
        if read.key.ends_with("speed") || read.key.ends_with("velocity") {
            read.turn();
        }
        read
    }

    /// An angular speed is told from another by its unit.
    fn turn(&mut self) {
        if TURNING_UNITS.contains(&self.unit) && !self.key.contains("angular") {
            let front = self.key.strip_suffix("speed").or(self.key.strip_suffix("velocity"));
            self.key = format!("{}angular_speed", front.unwrap_or_default());
            self.si_unit = "";
        }
    }

    fn of_words(words: &[String]) -> Self {
        let is_qualifier = |word: &String| QUALIFIERS.contains(&word.as_str());
        let start = words.iter().position(|word| !is_qualifier(word)).unwrap_or(words.len());
        let end = words.iter().rposition(|word| !is_qualifier(word)).map_or(start, |last| last + 1);
        let words = &words[start..end];
        // The longest end that names a quantity.
        for at in 0..words.len() {
            let last = words[at..].join(" ");
            if let Some(quantity) = quantity_of(&last) {
                return Self::of_quantity(&words[..at], quantity);
            }
        }
        if let Some((front, last)) = words.split_last().map(|(last, front)| (front, last))
            && last.chars().all(is_han)
        {
            let mut name = last.as_str();
            for prefix in HAN_PREFIXES {
                name = name.strip_prefix(prefix).unwrap_or(name);
            }
            for suffix in HAN_SUFFIXES {
                name = name.strip_suffix(suffix).filter(|rest| !rest.is_empty()).unwrap_or(name);
            }
            for (at, _) in name.char_indices() {
                if let Some(quantity) = quantity_of(&name[at..]) {
                    let front: Vec<String> = front
                        .iter()
                        .cloned()
                        .chain((at > 0).then(|| name[..at].trim_end_matches('的').to_owned()))
                        .collect();
                    return Self::of_quantity(&front, quantity);
                }
            }
            return Self {
                key: front.iter().map(String::as_str).chain([name]).collect::<Vec<_>>().join("_"),
                ..Self::default()
            };
        }
        Self { key: words.join("_"), ..Self::default() }
    }

    fn of_quantity(front: &[String], quantity: &'static QuantityWord) -> Self {
        let key = front
            .iter()
            .map(String::as_str)
            .chain([quantity.parameter])
            .collect::<Vec<_>>()
            .join("_");
        Self { key, unit: "", si_unit: si_unit(quantity), bases: quantity.bases }
    }

    /// Whether it is of what is measured in degrees of temperature, which people write as plain degrees.
    pub fn is_temperature(&self) -> bool {
        self.bases.contains(&"°C")
    }
}

/// The unit of plain numbers (REP-103).
fn si_unit(quantity: &QuantityWord) -> &'static str {
    match quantity.bases.first() {
        Some(&"g") => "kg",
        Some(&"°/s") | Some(&"°") | None => "",
        Some(base) => base,
    }
}

fn is_of(unit: &str, bases: &[&str]) -> bool {
    let base =
        Amount::new(1.0, unit).map(|amount| amount.dimension().to_owned()).unwrap_or_default();
    // "Speed" is measured in turns as well.
    bases.contains(&base.as_str()) || bases.contains(&"m/s") && TURNING_UNITS.contains(&unit)
}

trait Words {
    fn strip_suffix_words(&self, end: &[&str]) -> Option<&[String]>;
}

impl Words for [String] {
    fn strip_suffix_words(&self, end: &[&str]) -> Option<&[String]> {
        let at = self.len().checked_sub(end.len()).filter(|at| *at > 0)?;
        self[at..].iter().zip(end).all(|(word, end)| word == end).then(|| &self[..at])
    }
}

impl Amount {
    /// Reads a text that is one number with or without a unit, and nothing else: `20 N`, 20牛, 八牛,
    /// `0.5 m/s`, 每秒0.5米. `None` when it is anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let number_end = text
            .char_indices()
            .find(|(at, c)| {
                let is_exponent = matches!(c, 'e' | 'E')
                    && text[at + 1..]
                        .starts_with(|next: char| next.is_ascii_digit() || "+-".contains(next));
                let is_part = c.is_ascii_digit() || matches!(c, '.' | '+' | '-') || is_exponent;
                !is_part
            })
            .map_or(text.len(), |(at, _)| at);
        if let Ok(value) = text[..number_end].parse::<f64>() {
            return Self::new(value, text[number_end..].trim());
        }
        for (front, per) in [("每秒", "每秒"), ("每小时", "/h"), ("每分钟", "/min")] {
            if let Some(rest) = text.strip_prefix(front) {
                let above = Self::parse(rest).filter(|amount| !amount.unit().is_empty())?;
                let unit = match per {
                    "每秒" => format!("{}每秒", above.unit()),
                    per => format!(
                        "{}{per}",
                        if above.dimension() == "m" { "km" } else { return None }
                    ),
                };
                return Self::new(above.value(), &unit);
            }
        }
        let items = items(text);
        let (unit, value, used) = match items.first()?.kind {
            ItemKind::Ordinal(_) => return None,
            _ => number_at(&items, 0)?,
        };
        let value: f64 = value?.to_string().parse().ok()?;
        (used == items.len()).then(|| Self::new(value, &unit))?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_parameter_have_one_key() {
        let cases = [
            (
                "grip_force",
                &[
                    "grip_force",
                    "gripForce",
                    "grip-force",
                    "Grip Force",
                    "grip_force_n",
                    "gripForceN",
                    "graspForce",
                    "max_grip_force_n",
                    "抓取力",
                    "夹持力",
                    "最大抓取力",
                    "抓取力大小",
                    "grip_force_newtons",
                ][..],
            ),
            ("force", &["force", "force_n", "Force", "forceN", "maxForce", "力", "target_force"]),
            (
                "speed",
                &[
                    "speed",
                    "speed_mps",
                    "maxSpeed",
                    "speed_m_s",
                    "速度",
                    "speed_mm_s",
                    "speed_kmh",
                    "speed_m_per_s",
                ],
            ),
            (
                "angular_speed",
                &[
                    "speed_rpm",
                    "rotation_speed",
                    "joint_velocity",
                    "speed_rad_s",
                    "转速",
                    "angular_velocity_rad_s",
                ],
            ),
            ("torque", &["torque_nm", "torque", "扭矩", "max_torque_n_m", "torqueNm"]),
            ("angle", &["tilt_deg", "tilt_angle_deg", "angle_rad", "倾斜角", "tiltAngle"]),
            (
                "temperature",
                &["temperature_c", "temperature_deg_c", "温度", "target_temperature_celsius"],
            ),
            ("payload", &["payload_kg", "load_kg", "载重", "weight_g"]),
            ("left_arm_grip_force", &["left_arm_grip_force_n", "leftArmGripForce"]),
            ("point_a", &["point_a"]),
            ("retries", &["retries", "max_retries"]),
            ("tool", &["tool"]),
        ];
        for (key, names) in cases {
            for name in names {
                assert_eq!(ParameterName::parse(name).key, key, "{name}");
            }
        }
    }

    #[test]
    fn units_at_the_end_of_a_name_are_units() {
        let cases = [
            ("force_n", "N"),
            ("grip_force_n", "N"),
            ("gripForceN", "N"),
            ("speed_mps", "m/s"),
            ("speed_m_s", "m/s"),
            ("torque_nm", "Nm"),
            ("tilt_deg", "°"),
            ("payload_kg", "kg"),
            ("duration_s", "s"),
            ("height_mm", "mm"),
            ("temperature_c", "°C"),
            ("speed_rpm", "rpm"),
            ("pressure_kpa", "kPa"),
            ("accel_mps2", "m/s2"),
            ("x_m", "m"),
            ("point_a", ""),
            ("arm_c", ""),
            ("n", ""),
            ("force", ""),
            ("items", ""),
            ("voltage_v", "V"),
            ("lens", ""),
        ];
        for (name, unit) in cases {
            assert_eq!(ParameterName::parse(name).unit, unit, "{name}");
        }
    }

    #[test]
    fn an_amount_is_read_from_its_text() {
        let cases = [
            ("20 N", Some((20.0, "N"))),
            ("20牛", Some((20.0, "N"))),
            ("20 牛顿", Some((20.0, "N"))),
            ("八牛", Some((8.0, "N"))),
            ("80 cm/s", Some((80.0, "m/s"))),
            ("0.6米每秒", Some((0.6, "m/s"))),
            ("每秒0.5米", Some((0.5, "m/s"))),
            ("-1.5e1 mm", Some((-15.0, "m"))),
            ("40度", Some((40.0, "°"))),
            ("12", Some((12.0, ""))),
            ("9500 rpm", Some((9500.0, "rpm"))),
            ("每小时3公里", Some((3.0, "m/s"))),
            ("gentle", None),
            ("20 N or more", None),
            ("", None),
            ("twelve newtons", Some((12.0, "N"))),
            ("N", None),
            ("10-20 N", None),
        ];
        for (text, expected) in cases {
            let found = Amount::parse(text);
            let found = found.as_ref().map(|amount| (amount.value(), amount.dimension()));
            assert_eq!(found, expected, "{text}");
        }
    }
}
