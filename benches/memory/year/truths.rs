//! What is so in the robot's world, since when, and how one asks for it.

use super::calendar::{Calendar, DAYS};
use super::random::SplitMix64;
use super::tasks::{Task, tasks};

/// Of so many statements, each kind has the share that its constant says.
const STATEMENTS_OF: usize = 200;
const PLACES: usize = 36;
const PARTS: usize = 12;
const VALVES: usize = 4;
const LATCHES: usize = 4;
const HEARSAY: usize = 6;
const REPEATS: usize = 12;
const RETOLD: usize = 12;
const LOGGED: usize = 24;

/// Days that a value holds at least before the next.
const VALUE_DAYS_MIN: usize = 45;
/// Of so many truths one is never asked for.
const UNASKED_OF: usize = 8;
/// Days after which a truth that is in use is asked for again.
const ASKED_DAYS: [usize; 4] = [14, 30, 45, 60];

/// Who would be right if two statements of a truth contradict each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settled {
    /// There is one statement.
    Alone,
    /// The newest.
    Newest,
    /// That of the better source.
    Better,
    /// Nobody can say.
    Nobody,
}

/// One thing that is so.
#[derive(Debug, Clone)]
pub struct Truth {
    /// How it is asked for.
    pub question: String,
    /// Who is right about it.
    pub settled: Settled,
    /// From which days on which of its values holds, in order; none ever does of what nobody can say.
    pub holds: Vec<(usize, usize)>,
    /// After how many days it is asked for again; `None`: never.
    pub asked_days: Option<usize>,
}

impl Truth {
    /// The value that holds at the end of a day; `None`: nobody has said so far.
    pub fn value_at(&self, day: usize) -> Option<usize> {
        let begun = self.holds.iter().rev().find(|(since, _)| *since <= day);
        begun.map(|(_, value)| *value)
    }

    /// Whether it is asked for on a day, when it is asked for at all.
    pub fn is_due(&self, number: usize, day: usize) -> bool {
        self.value_at(day).is_some()
            && self.asked_days.is_some_and(|days| (day + number).is_multiple_of(days))
    }
}

/// Where a statement comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The operator, of the real robot.
    Operator,
    /// The operator, of the simulator.
    Simulator,
    /// Hearsay of a group.
    Group,
}

/// What a statement is for.
#[derive(Debug, Clone)]
pub enum Purpose {
    /// It says this value of this truth.
    Says { truth: usize, value: usize },
    /// It tells of one more attempt at this task.
    Logs { task: usize },
    /// Nothing is asked of it later.
    Noise,
}

/// One statement that the robot is told.
#[derive(Debug, Clone)]
pub struct Saying {
    /// When.
    pub day: usize,
    /// In which words; of an attempt they are made when it is done.
    pub text: String,
    /// By whom.
    pub origin: Origin,
    /// What for.
    pub purpose: Purpose,
}

/// All that is so, and all that is said.
pub struct World {
    /// Things that are so.
    pub truths: Vec<Truth>,
    /// What is said, by day.
    pub sayings: Vec<Saying>,
    /// Tasks whose attempts skills store as perceptions.
    pub tasks: Vec<Task>,
    /// Tasks whose attempts people write down.
    pub logged_tasks: Vec<Task>,
}

const THINGS: [(&str, &str); 6] = [
    ("torque wrench", "扭力扳手"),
    ("caliper", "卡尺"),
    ("glue cartridge", "胶筒"),
    ("spare camera", "备用相机"),
    ("cable drum", "电缆盘"),
    ("test weight", "砝码"),
];
const ROOMS: [(&str, &str); 5] = [
    ("the workshop", "车间"),
    ("the north store", "北仓库"),
    ("the lab", "实验室"),
    ("the cold room", "冷库"),
    ("the tool crib", "工具间"),
];
const PART_NAMES: [(&str, &str); 4] =
    [("hex bolt", "六角螺栓"), ("bearing", "轴承"), ("glass lens", "玻璃透镜"), ("gear", "齿轮")];
const SENSORS: [&str; 4] = ["wrist camera", "force sensor", "light curtain", "air pressure"];

impl World {
    /// What is so and said in a year of about so many statements.
    pub fn new(calendar: &Calendar, statement_count: usize, seed: u64) -> Self {
        let share = |of: usize| (statement_count * of / STATEMENTS_OF).max(1);
        let part_count = share(PARTS);
        let parts: Vec<String> = (0..part_count).map(|number| part(number).0).collect();
        let crates: Vec<String> = (0..share(LOGGED).div_ceil(40).max(1))
            .map(|number| format!("crate K-{number}"))
            .collect();
        let mut making = Making {
            random: SplitMix64::new(seed),
            calendar,
            world: Self {
                truths: Vec::new(),
                sayings: Vec::new(),
                tasks: tasks(&parts[..3.min(parts.len())]),
                logged_tasks: tasks(&crates).into_iter().step_by(2).collect(),
            },
        };
        making.places(share(PLACES));
        let first_force = making.world.truths.len();
        making.parts(part_count);
        making.hearsay(share(HEARSAY), first_force, part_count);
        making.valves(share(VALVES));
        making.latches(share(LATCHES));
        making.said_again(share(REPEATS), share(RETOLD));
        making.logged(share(LOGGED));
        making.noise(statement_count);
        let mut world = making.world;
        // Of one day in the order in which they were made up.
        world.sayings.sort_by_key(|saying| saying.day);
        world
    }
}

fn part(number: usize) -> (String, String) {
    let (english, chinese) = PART_NAMES[number % PART_NAMES.len()];
    (format!("{english} P-{number}"), format!("{chinese} P-{number}"))
}

/// A world that is being made up.
struct Making<'a> {
    random: SplitMix64,
    calendar: &'a Calendar,
    world: World,
}

impl Making<'_> {
    /// A day between two on which somebody works, the first such at the latest after `last`.
    fn day(&mut self, first: usize, last: usize) -> usize {
        let drawn = first + self.random.below((last + 1).saturating_sub(first).max(1));
        let is_worked = |day: &usize| self.calendar.days[*day].load > 0.0;
        let after = (drawn..DAYS).find(is_worked);
        after.or_else(|| (0..drawn.min(DAYS)).rev().find(is_worked)).unwrap_or(0)
    }

    fn truth(&mut self, question: String, settled: Settled) -> usize {
        let number = self.world.truths.len();
        let is_asked = number % UNASKED_OF != 3;
        let asked_days = is_asked.then(|| self.random.pick(&ASKED_DAYS));
        self.world.truths.push(Truth { question, settled, holds: Vec::new(), asked_days });
        number
    }

    fn say(&mut self, day: usize, truth: usize, value: usize, text: String, origin: Origin) {
        let purpose = Purpose::Says { truth, value };
        self.world.sayings.push(Saying { day, text, origin, purpose });
    }

    /// Says a value that holds from then on.
    fn hold(&mut self, day: usize, truth: usize, value: usize, text: String) {
        self.world.truths[truth].holds.push((day, value));
        self.say(day, truth, value, text, Origin::Operator);
    }

    /// Where things are kept: the same all year.
    fn places(&mut self, count: usize) {
        for number in 0..count {
            let (english, chinese) = self.random.pick(&THINGS);
            let (room, room_chinese) = self.random.pick(&ROOMS);
            let bin = self.random.below(90) + 10;
            let (question, text) = match number % 6 {
                5 => (
                    format!("{chinese} T-{number} 放在哪里"),
                    format!("{chinese} T-{number} 放在{room_chinese}的 B-{bin} 号箱"),
                ),
                _ => (
                    format!("Where is the {english} T-{number} kept?"),
                    format!("The {english} T-{number} is kept in bin B-{bin} of {room}"),
                ),
            };
            let truth = self.truth(question, Settled::Alone);
            let day = self.day(0, 120);
            self.hold(day, truth, 0, text);
        }
    }

    /// Of each part a force that drifts in steps, a preference that is reversed, a rule and a lesson.
    fn parts(&mut self, count: usize) {
        for number in 0..count {
            let (english, chinese) = part(number);
            let is_chinese = number % 6 == 5;
            let question = match is_chinese {
                true => format!("抓{chinese}用多大的力"),
                false => format!("How much force for the {english}?"),
            };
            let truth = self.truth(question, Settled::Newest);
            let mut day = self.day(0, 40);
            let first_n = 6 + self.random.below(8);
            for value in 0..4 {
                let force_n = first_n + 2 * value;
                let text = match is_chinese {
                    true => format!("以后都用 {force_n} N 抓{chinese}"),
                    false => format!("from now on use {force_n} N for the {english}"),
                };
                self.hold(day, truth, value, text);
                day = self.day(day + VALUE_DAYS_MIN, day + VALUE_DAYS_MIN + 40);
            }
        }
        for number in (0..count).step_by(2) {
            let (english, _) = part(number);
            let question = format!("Which gripper for the {english}?");
            let truth = self.truth(question, Settled::Newest);
            let mut day = self.day(0, 60);
            for value in 0..3 {
                let side = ["left", "right"][value % 2];
                self.hold(
                    day,
                    truth,
                    value,
                    format!("prefer the {side} gripper for the {english}"),
                );
                day = self.day(day + VALUE_DAYS_MIN, day + VALUE_DAYS_MIN + 60);
            }
        }
        for number in (0..count).step_by(2) {
            let (english, _) = part(number);
            let bound_n = 18 + self.random.below(10);
            let question = format!("What must the grip force on the {english} never exceed?");
            let truth = self.truth(question, Settled::Alone);
            let day = self.day(0, 90);
            let text = format!("The grip force on the {english} must never exceed {bound_n} N");
            self.hold(day, truth, 0, text);
            let sensor = self.random.pick(&SENSORS);
            let question = format!("What was the lesson about the {english}?");
            let truth = self.truth(question, Settled::Alone);
            let day = self.day(30, 200);
            self.hold(
                day,
                truth,
                0,
                format!("Lesson: check the {sensor} before touching the {english}"),
            );
        }
    }

    /// Others say other forces of some parts; nobody should believe them.
    fn hearsay(&mut self, count: usize, first_force: usize, part_count: usize) {
        for number in 0..count {
            // Of a part whose statements are in English.
            let of_part = number * 5 % part_count;
            if of_part % 6 == 5 {
                continue;
            }
            let (english, _) = part(of_part);
            let truth = first_force + of_part;
            let first = self.world.truths[truth].holds[0].0;
            let day = self.day(first + 10, (first + 200).min(DAYS - 30));
            // Said twice in the same words it is the same.
            let force_n = 40 + number % 20;
            let text = format!("from now on use {force_n} N for the {english}");
            self.say(day, truth, 100 + force_n, text, Origin::Group);
        }
    }

    /// Two say the opposite, and nobody can say who is right.
    fn valves(&mut self, count: usize) {
        for number in 0..count {
            let truth = self.truth(format!("Is the water valve V-{number} open?"), Settled::Nobody);
            let first = self.day(20, 150);
            let then = self.day(first + 5, first + 60);
            for (value, (day, state)) in [(first, "open"), (then, "closed")].into_iter().enumerate()
            {
                let text = format!("The water valve V-{number} is {state}");
                self.say(day, truth, value, text, Origin::Operator);
            }
        }
    }

    /// The simulator says the opposite of the real robot, before or after it.
    fn latches(&mut self, count: usize) {
        for number in 0..count {
            let truth = self.truth(format!("Is the latch L-{number} locked?"), Settled::Better);
            let first = self.day(20, 150);
            let then = self.day(first + 5, first + 60);
            let (simulated, real) = if number % 2 == 0 { (first, then) } else { (then, first) };
            let text = |state: &str| format!("The latch L-{number} is {state}");
            self.say(simulated, truth, 0, text("unlocked"), Origin::Simulator);
            self.hold(real, truth, 1, text("locked"));
        }
    }

    /// Some of what holds is said again: in the same words, and in some words more.
    fn said_again(&mut self, repeat_count: usize, retold_count: usize) {
        let alone: Vec<Saying> =
            self.world.sayings.iter().filter(|said| self.is_alone(said)).cloned().collect();
        for number in 0..repeat_count + retold_count {
            let said = &alone[number * 7 % alone.len()];
            let day = self.day(said.day + 3, (said.day + 180).min(DAYS - 1));
            let text = match number < repeat_count {
                true => said.text.clone(),
                false => format!("Checked on the evening tour as asked: {}", said.text),
            };
            self.world.sayings.push(Saying { day, text, ..said.clone() });
        }
    }

    /// Whether a saying is of a place, in English: the rest has rules of its own.
    fn is_alone(&self, saying: &Saying) -> bool {
        match saying.purpose {
            Purpose::Says { truth, .. } => {
                let question = &self.world.truths[truth].question;
                question.starts_with("Where is")
            }
            Purpose::Logs { .. } | Purpose::Noise => false,
        }
    }

    /// Attempts that people write down.
    fn logged(&mut self, count: usize) {
        for number in 0..count {
            let day = self.day(5, DAYS - 20);
            let task = number % self.world.logged_tasks.len();
            let purpose = Purpose::Logs { task };
            let saying = Saying { day, text: String::new(), origin: Origin::Operator, purpose };
            self.world.sayings.push(saying);
        }
    }

    /// Notes that nobody asks for, until there are so many statements.
    fn noise(&mut self, statement_count: usize) {
        for number in self.world.sayings.len()..statement_count {
            let day = self.day(0, DAYS - 1);
            let room = self.random.pick(&ROOMS).0;
            let text = match number % 3 {
                0 => format!("The pallet N-{number} was moved to {room} before noon"),
                1 => format!("The visitor group {number} asked about the crane in {room}"),
                _ => format!("The battery pack A-{number} was charged near {room}"),
            };
            let (origin, purpose) = (Origin::Operator, Purpose::Noise);
            self.world.sayings.push(Saying { day, text, origin, purpose });
        }
    }
}
