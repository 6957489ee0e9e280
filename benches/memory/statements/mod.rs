//! What a robot in a house or a hall might come to know, in English and Chinese, with the context of
//! each: the same for the same number, and no two alike.

mod random;
mod stock;
mod templates;

pub use random::SplitMix64;

use serde::Serialize;
use serde_json::json;
use std::collections::HashSet;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use stock::Word;
use templates::{ENDINGS, TEMPLATES, Template};

/// Changes whenever another text is made for the same number.
pub const VERSION: u32 = 1;

/// Of so many statements ...
const MARKED_OF: usize = 10_000;
/// ... this many have the context that [`MARKED_FILTER`] asks for, evenly spread.
const MARKED: usize = 134;
/// A `context_filter` that the marked statements match, and no other: 1.3 % of all.
pub const MARKED_FILTER: &str = r#"{"task.name": "calibrate", "task.success": false}"#;
/// A `context_filter` that 36 % of all match.
pub const BROAD_FILTER: &str = r#"{"task.success": true, "params.speed.value": {"$lt": 1.0}}"#;
/// A question of nothing but the eight most common English words: a half to a tenth of all have each.
pub const COMMON_WORDS: &str = "the of with to at was and it";
/// Where in the context the place of a statement is, in metres.
pub const POSITION: &str = "spatial.position";

const SITE_SIZE_M: [f64; 3] = [40.0, 30.0, 2.0];

/// Something learned or perceived, and where and while doing what.
#[derive(Serialize)]
pub struct Statement {
    /// What it says.
    pub text: String,
    /// JSON object.
    pub context: String,
    /// x, y, z in metres, as in the context.
    pub position_m: [f64; 3],
    /// Whether it matches [`MARKED_FILTER`].
    pub marked: bool,
}

/// A source of statements by number: the first ones differ in their words, each further round says
/// the same of other numbers, as a robot's records of one task do.
pub struct Statements {
    word_seeds: Vec<u64>,
}

impl Statements {
    /// With so many statements that differ in their words, at least one. A greater source begins
    /// like a smaller one.
    pub fn new(base_count: usize) -> Self {
        let mut word_seeds = Vec::with_capacity(base_count);
        // Hashes do, and leave no trace in the resident memory that is measured later.
        let hasher = BuildHasherDefault::<DefaultHasher>::new();
        let mut texts = HashSet::new();
        let mut seeds = 0_u64..;
        while word_seeds.len() < base_count.max(1) {
            let Some(seed) = seeds.next() else { break };
            let wording = Wording::new(seed, word_seeds.len());
            if texts.insert(hasher.hash_one(wording.text())) {
                word_seeds.push(seed);
            }
        }
        Self { word_seeds }
    }

    /// How many differ in their words.
    pub fn base_count(&self) -> usize {
        self.word_seeds.len()
    }

    /// What the statement of this number says.
    pub fn text(&self, number: usize) -> String {
        self.wording(number).text()
    }

    /// A question that the statement of this number answers; of four, one in the other language.
    pub fn question(&self, number: usize) -> String {
        self.wording(number).question()
    }

    /// The statement of this number.
    pub fn get(&self, number: usize) -> Statement {
        let mut random = SplitMix64::new(!(number as u64));
        let marked = (number + 1) * MARKED / MARKED_OF > number * MARKED / MARKED_OF;
        let position_m = position_m(&mut random);
        let (task, success) = if marked {
            ("calibrate", false)
        } else {
            match random.pick(stock::TASKS) {
                "calibrate" => ("calibrate", true),
                task => (task, random.below(4) != 0),
            }
        };
        let context = json!({
            "params": {
                "speed": {"value": random.between(0.1, 2.0, 2), "unit": "m/s"},
                "force": {"value": random.between(1.0, 60.0, 1), "unit": "N"},
            },
            "spatial": {"frame": random.pick(stock::FRAMES), "position": position_m},
            "robot": {"id": random.pick(stock::ROBOTS)},
            "task": {"name": task, "success": success},
            "env": {"sim_or_real": random.pick(&["real", "sim"])},
        });
        Statement { text: self.text(number), context: context.to_string(), position_m, marked }
    }

    fn wording(&self, number: usize) -> Wording {
        Wording::new(self.word_seeds[number % self.word_seeds.len()], number)
    }
}

/// A point of the site: x, y, z in metres, to the millimetre.
pub fn position_m(random: &mut SplitMix64) -> [f64; 3] {
    SITE_SIZE_M.map(|size_m| random.between(0.0, size_m, 3))
}

#[derive(Clone, Copy)]
enum Language {
    English,
    Chinese,
}

impl Language {
    fn of<T>(self, (english, chinese): (T, T)) -> T {
        match self {
            Self::English => english,
            Self::Chinese => chinese,
        }
    }
}

/// What fills the slots of a template.
struct Wording {
    template: &'static Template,
    ending: (&'static str, &'static str),
    language: Language,
    question_language: Language,
    words: [(&'static str, Word); 11],
    numbers: Numbers,
}

impl Wording {
    /// The words by one seed, the numbers by another.
    fn new(word_seed: u64, number_seed: usize) -> Self {
        let mut random = SplitMix64::new(word_seed);
        let language = if random.below(2) == 0 { Language::English } else { Language::Chinese };
        let question_language = match (random.below(4), language) {
            (0, Language::English) => Language::Chinese,
            (0, Language::Chinese) => Language::English,
            (_, same) => same,
        };
        let template = &TEMPLATES[random.below(TEMPLATES.len())];
        let ending = random.pick(ENDINGS);
        let words = [
            ("color", stock::COLORS),
            ("object", stock::OBJECTS),
            ("other", stock::OBJECTS),
            ("place", stock::PLACES),
            ("goal", stock::PLACES),
            ("sensor", stock::SENSORS),
            ("part", stock::PARTS),
            ("state", stock::STATES),
            ("tool", stock::TOOLS),
            ("person", stock::PEOPLE),
            ("surface", stock::SURFACES),
        ]
        .map(|(slot, stock)| (slot, random.pick(stock)));
        let numbers = Numbers::new(SplitMix64::new((number_seed as u64).wrapping_mul(3)));
        Self { template, ending, language, question_language, words, numbers }
    }

    fn text(&self) -> String {
        let statement = self.language.of((self.template.english, self.template.chinese));
        let ending = self.language.of(self.ending);
        let text = self.fill(statement, self.language) + &self.fill(ending, self.language);
        capitalized(text)
    }

    fn question(&self) -> String {
        let (english, chinese) = (self.template.english_question, self.template.chinese_question);
        self.fill(self.question_language.of((english, chinese)), self.question_language)
    }

    fn fill(&self, template: &str, language: Language) -> String {
        let mut filled = String::new();
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('{')
            && let Some((slot, after)) = after.split_once('}')
        {
            filled += before;
            match self.words.iter().find(|(name, _)| *name == slot) {
                Some((_, word)) => filled += language.of(*word),
                None => filled += &self.numbers.spelled(slot, language),
            }
            rest = after;
        }
        filled + rest
    }
}

fn capitalized(text: String) -> String {
    let mut characters = text.chars();
    match characters.next() {
        Some(first) => first.to_uppercase().collect::<String>() + characters.as_str(),
        None => text,
    }
}

/// What is counted and measured in a statement.
struct Numbers {
    force_n: f64,
    speed_m_per_s: f64,
    secs: usize,
    minutes: usize,
    percent: usize,
    celsius: f64,
    distance_m: f64,
    torque_nm: f64,
    weight_g: usize,
    volts: f64,
    count: usize,
    thread_mm: usize,
    length_mm: usize,
    series: &'static str,
    serial: usize,
}

impl Numbers {
    fn new(mut random: SplitMix64) -> Self {
        Self {
            force_n: random.between(1.0, 60.0, 1),
            speed_m_per_s: random.between(0.05, 2.0, 2),
            secs: 3 + random.below(300),
            minutes: 2 + random.below(500),
            percent: 1 + random.below(98),
            celsius: random.between(-5.0, 85.0, 1),
            distance_m: random.between(0.02, 9.0, 2),
            torque_nm: random.between(0.2, 12.0, 2),
            weight_g: 20 + 5 * random.below(900),
            volts: random.between(21.0, 54.0, 1),
            count: 2 + random.below(60),
            thread_mm: random.pick(&[2, 3, 4, 5, 6, 8, 10, 12]),
            length_mm: 5 * (1 + random.below(24)),
            series: random.pick(&["KR", "BRG", "SN", "PX", "AB", "QF", "TM", "LC"]),
            serial: 1_000 + random.below(9_000),
        }
    }

    /// What stands in the slot; a slot that there is not is left as it is, to be seen.
    fn spelled(&self, slot: &str, language: Language) -> String {
        match slot {
            "force" => format!("{} N", self.force_n),
            "more_force" => format!("{:.1} N", self.force_n * 1.6),
            "speed" => format!("{} m/s", self.speed_m_per_s),
            "secs" => format!("{} {}", self.secs, language.of(("s", "秒"))),
            "minutes" => format!("{} {}", self.minutes, language.of(("minutes", "分钟"))),
            "percent" => format!("{} %", self.percent),
            "celsius" => format!("{} °C", self.celsius),
            "distance" => format!("{} {}", self.distance_m, language.of(("m", "米"))),
            "torque" => format!("{} Nm", self.torque_nm),
            "more_torque" => format!("{:.2} Nm", self.torque_nm * 1.4),
            "weight" => format!("{} {}", self.weight_g, language.of(("g", "克"))),
            "volts" => format!("{} V", self.volts),
            "less_volts" => format!("{:.1} V", self.volts * 0.9),
            "count" => self.count.to_string(),
            "screw" => format!("M{}x{}", self.thread_mm, self.length_mm),
            "model" => format!("{}-{}", self.series, self.serial),
            "bin" => format!("{}{}", self.series, self.count),
            "code" => format!("E{}", self.serial),
            _ => format!("{{{slot}}}"),
        }
    }
}
