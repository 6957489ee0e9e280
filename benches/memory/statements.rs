//! What a robot in a house or a hall might come to know, in English and Chinese: the same for the
//! same seed, and worded from large enough a stock that hardly two statements say the same.

use serde::Serialize;
use serde_json::json;

/// Of so many statements ...
const MARKED_OF: usize = 10_000;
/// ... this many have the context that [`MARKED_FILTER`] asks for, evenly spread.
const MARKED: usize = 134;
/// A `context_filter` that the marked statements match, and no other.
pub const MARKED_FILTER: &str = r#"{"task.name": "calibrate", "task.success": false}"#;
/// Where in the context the place of a statement is, in metres.
pub const POSITION: &str = "spatial.position";

const SITE_SIZE_M: [f64; 3] = [40.0, 30.0, 2.0];

/// Something learned, and where and while doing what.
#[derive(Serialize)]
pub struct Statement {
    /// What was learned.
    pub insight: String,
    /// JSON object.
    pub context: String,
    /// x, y, z in metres, as in the context.
    pub position_m: [f64; 3],
    /// Whether it matches [`MARKED_FILTER`].
    pub marked: bool,
}

/// An endless source of statements and of questions about them.
pub struct Source {
    random: SplitMix64,
    made: usize,
}

impl Source {
    /// The same statements for the same seed.
    pub fn new(seed: u64) -> Self {
        Self { random: SplitMix64(seed), made: 0 }
    }

    /// The next statement.
    pub fn statement(&mut self) -> Statement {
        let place = self.made;
        self.made += 1;
        let marked = (place + 1) * MARKED / MARKED_OF > place * MARKED / MARKED_OF;
        let insight = if self.random.below(2) == 0 { self.english() } else { self.chinese() };
        let position_m = self.position_m();
        let (task, success) = if marked {
            ("calibrate", false)
        } else {
            (self.random.pick(&["pick", "place", "dock", "wipe", "fetch", "calibrate"]), true)
        };
        let context = json!({
            "params": {"speed": {"value": self.random.between(0.1, 2.0, 2), "unit": "m/s"}},
            "spatial": {"frame": "map", "position": position_m},
            "robot": {"id": self.random.pick(&["arm-1", "arm-2", "base-1", "base-2"])},
            "task": {"name": task, "success": success},
            "env": {"sim_or_real": self.random.pick(&["real", "sim"])},
        });
        Statement { insight, context: context.to_string(), position_m, marked }
    }

    /// A question, half of them in Chinese.
    pub fn query(&mut self) -> String {
        let random = &mut self.random;
        let (color, color_zh) = random.pick(COLORS);
        let (object, object_zh) = random.pick(OBJECTS);
        let (place, place_zh) = random.pick(PLACES);
        let (goal, goal_zh) = random.pick(PLACES);
        let (sensor, sensor_zh) = random.pick(SENSORS);
        let (tool, tool_zh) = random.pick(TOOLS);
        match random.below(8) {
            0 => format!("gripping the {color} {object} with the {tool}"),
            1 => format!("the {object} slipped from the {tool}"),
            2 => format!("is the {sensor} accurate when it is hot"),
            3 => format!("the way from the {place} to the {goal} with a {object}"),
            4 => format!("用{tool_zh}抓取{color_zh}{object_zh}的力"),
            5 => format!("{object_zh}从{tool_zh}滑落"),
            6 => format!("高温时{sensor_zh}准确吗"),
            _ => format!("载着{object_zh}从{place_zh}到{goal_zh}"),
        }
    }

    /// A point of the site: x, y, z in metres, to the millimetre.
    pub fn position_m(&mut self) -> [f64; 3] {
        SITE_SIZE_M.map(|size_m| self.random.between(0.0, size_m, 3))
    }

    /// A vector of unit length, its direction of no meaning.
    pub fn unit_vector(&mut self, dimension: usize) -> Vec<f32> {
        let vector: Vec<f64> = (0..dimension).map(|_| self.random.between(-1.0, 1.0, 6)).collect();
        let norm = vector.iter().map(|component| component * component).sum::<f64>().sqrt();
        vector.iter().map(|component| (component / norm) as f32).collect()
    }

    fn english(&mut self) -> String {
        let random = &mut self.random;
        let (color, _) = random.pick(COLORS);
        let (object, _) = random.pick(OBJECTS);
        let (place, _) = random.pick(PLACES);
        let (goal, _) = random.pick(PLACES);
        let (sensor, _) = random.pick(SENSORS);
        let (part, _) = random.pick(PARTS);
        let (state, _) = random.pick(STATES);
        let (tool, _) = random.pick(TOOLS);
        let force_n = random.between(1.0, 60.0, 1);
        let speed = random.between(0.05, 2.0, 2);
        let secs = random.between(3.0, 240.0, 0);
        let percent = random.between(1.0, 99.0, 0);
        let celsius = random.between(-5.0, 85.0, 1);
        let distance_m = random.between(0.1, 9.0, 2);
        match random.below(8) {
            0 => format!(
                "Gripping the {color} {object} at the {place} takes {force_n} N with the {tool}"
            ),
            1 => format!(
                "The {object} slipped from the {tool} at {speed} m/s because the {part} was {state}"
            ),
            2 => format!(
                "Found that the {sensor} reads {percent} % high at {celsius} °C near the {place}"
            ),
            3 => format!(
                "It takes {secs} s from the {place} to the {goal} with a {color} {object} on board"
            ),
            4 => format!(
                "Docking at the {place} failed {distance_m} m away: the {sensor} saw a {object}"
            ),
            5 => format!(
                "The {part} reached {celsius} °C after {secs} s of lifting the {object} by {tool}"
            ),
            6 => format!(
                "Whenever the {part} is {state}, the {sensor} drifts by {distance_m} m in {secs} s"
            ),
            _ => format!(
                "Chose {speed} m/s past the {place}, not the way by the {goal}: {percent} % safer"
            ),
        }
    }

    fn chinese(&mut self) -> String {
        let random = &mut self.random;
        let (_, color) = random.pick(COLORS);
        let (_, object) = random.pick(OBJECTS);
        let (_, place) = random.pick(PLACES);
        let (_, goal) = random.pick(PLACES);
        let (_, sensor) = random.pick(SENSORS);
        let (_, part) = random.pick(PARTS);
        let (_, state) = random.pick(STATES);
        let (_, tool) = random.pick(TOOLS);
        let force_n = random.between(1.0, 60.0, 1);
        let speed = random.between(0.05, 2.0, 2);
        let secs = random.between(3.0, 240.0, 0);
        let percent = random.between(1.0, 99.0, 0);
        let celsius = random.between(-5.0, 85.0, 1);
        let distance_m = random.between(0.1, 9.0, 2);
        match random.below(8) {
            0 => format!("在{place}用{tool}抓取{color}{object}需要 {force_n} N 的力"),
            1 => format!("{object}以 {speed} m/s 从{tool}滑落,因为{part}{state}"),
            2 => format!("发现{sensor}在{place}附近 {celsius} °C 时偏高 {percent}%"),
            3 => format!("载着{color}{object}从{place}到{goal}需要 {secs} 秒"),
            4 => format!("在{place}对接失败,距离 {distance_m} 米:{sensor}看到了{object}"),
            5 => format!("用{tool}举起{object} {secs} 秒后,{part}达到 {celsius} °C"),
            6 => format!("每当{part}{state},{sensor}在 {secs} 秒内漂移 {distance_m} 米"),
            _ => format!("选择以 {speed} m/s 经过{place}而非{goal},安全 {percent}%"),
        }
    }
}

/// Sebastiano Vigna's SplitMix64: a counter and a mixing function.
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// 0 up to but not including the bound.
    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    fn pick<T: Copy>(&mut self, stock: &[T]) -> T {
        stock[self.below(stock.len())]
    }

    /// A number with so many digits after the point.
    fn between(&mut self, low: f64, high: f64, digits: i32) -> f64 {
        let share = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        let scale = 10_f64.powi(digits);
        ((low + share * (high - low)) * scale).round() / scale
    }
}

/// A word in English and in Chinese.
type Word = (&'static str, &'static str);

const COLORS: &[Word] = &[
    ("red", "红色"),
    ("blue", "蓝色"),
    ("green", "绿色"),
    ("yellow", "黄色"),
    ("white", "白色"),
    ("black", "黑色"),
    ("gray", "灰色"),
    ("orange", "橙色"),
    ("brown", "棕色"),
    ("silver", "银色"),
];

const OBJECTS: &[Word] = &[
    ("cup", "杯子"),
    ("bottle", "瓶子"),
    ("book", "书"),
    ("tray", "托盘"),
    ("box", "箱子"),
    ("towel", "毛巾"),
    ("screwdriver", "螺丝刀"),
    ("bolt", "螺栓"),
    ("gear", "齿轮"),
    ("plate", "盘子"),
    ("can", "罐头"),
    ("apple", "苹果"),
    ("cable", "电缆"),
    ("battery", "电池"),
    ("hose", "软管"),
    ("panel", "面板"),
    ("bracket", "支架"),
    ("basket", "篮子"),
    ("pan", "平底锅"),
    ("wrench", "扳手"),
];

const PLACES: &[Word] = &[
    ("kitchen table", "餐桌"),
    ("sink", "水槽"),
    ("charging dock", "充电桩"),
    ("elevator", "电梯"),
    ("corridor", "走廊"),
    ("loading bay", "装卸区"),
    ("workbench", "工作台"),
    ("shelf", "货架"),
    ("stairs", "楼梯"),
    ("balcony", "阳台"),
    ("entrance", "入口"),
    ("conveyor", "传送带"),
    ("storage room", "储藏室"),
    ("window", "窗户"),
    ("fridge", "冰箱"),
    ("assembly cell", "装配单元"),
];

const SENSORS: &[Word] = &[
    ("lidar", "激光雷达"),
    ("depth camera", "深度相机"),
    ("wrist camera", "腕部相机"),
    ("force sensor", "力传感器"),
    ("gyroscope", "陀螺仪"),
    ("wheel encoder", "轮式编码器"),
    ("microphone", "麦克风"),
    ("bumper", "防撞条"),
    ("thermometer", "温度计"),
    ("tactile pad", "触觉垫"),
];

const PARTS: &[Word] = &[
    ("gripper", "夹爪"),
    ("elbow joint", "肘关节"),
    ("wrist joint", "腕关节"),
    ("left wheel", "左轮"),
    ("right wheel", "右轮"),
    ("lift column", "升降柱"),
    ("finger pad", "指垫"),
    ("belt", "皮带"),
    ("gearbox", "减速器"),
    ("mast", "立杆"),
];

const STATES: &[Word] = &[
    ("wet", "潮湿"),
    ("worn", "磨损"),
    ("cold", "过冷"),
    ("loose", "松动"),
    ("dusty", "积灰"),
    ("overheated", "过热"),
    ("misaligned", "错位"),
    ("new", "全新"),
];

const TOOLS: &[Word] = &[
    ("suction cup", "吸盘"),
    ("soft gripper", "软夹爪"),
    ("two-finger gripper", "两指夹爪"),
    ("magnet", "磁铁"),
    ("hook", "挂钩"),
    ("three-finger hand", "三指手"),
    ("scoop", "铲斗"),
    ("tongs", "钳子"),
];
