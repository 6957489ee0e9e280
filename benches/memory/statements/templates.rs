//! What is said with the words of the stock, and how one asks for it.
//!
//! A name in braces is a slot. A question has at least a number or three words in common with its
//! statement, though often in the other language, so that the statement can be told from others.

/// A statement and a question that it answers, in both languages.
pub struct Template {
    pub english: &'static str,
    pub english_question: &'static str,
    pub chinese: &'static str,
    pub chinese_question: &'static str,
}

pub const TEMPLATES: &[Template] = &[
    Template {
        english: "Gripping the {color} {object} at the {place} takes {force} with the {tool}",
        english_question: "how hard must the {tool} grip the {color} {object} at the {place}, was it {force}",
        chinese: "在{place}用{tool}抓取{color}{object}需要 {force} 的力",
        chinese_question: "{place}的{color}{object}用{tool}抓要多大的力，是 {force} 吗",
    },
    Template {
        english: "The {color} {object} slipped from the {tool} at {speed} because the {part} was {state}",
        english_question: "why did the {tool} lose the {color} {object} at {speed}",
        chinese: "{color}{object}以 {speed} 的速度从{tool}滑落，因为{part}{state}",
        chinese_question: "{color}{object}为什么在 {speed} 时从{tool}掉下来",
    },
    Template {
        english: "Found that the {sensor} reads {percent} too high at {celsius} near the {place}",
        english_question: "how wrong is the {sensor} near the {place} when it is {celsius}",
        chinese: "发现{sensor}在{place}附近 {celsius} 时读数偏高 {percent}",
        chinese_question: "{celsius} 时{place}附近的{sensor}误差多大",
    },
    Template {
        english: "It takes {secs} from the {place} to the {goal} with a {color} {object} on board",
        english_question: "how long does the way from the {place} to the {goal} take with the {color} {object}, {secs}?",
        chinese: "载着{color}{object}从{place}到{goal}需要 {secs}",
        chinese_question: "带着{color}{object}从{place}去{goal}要多久，是不是 {secs}",
    },
    Template {
        english: "Docking at the {place} failed {distance} short of the goal: the {sensor} saw a {color} {object}",
        english_question: "what stopped the robot {distance} before the {place}",
        chinese: "在{place}对接失败，距离目标 {distance}：{sensor}看到了{color}{object}",
        chinese_question: "是什么让机器人在{place}前 {distance} 停下来",
    },
    Template {
        english: "The {part} reached {celsius} after {secs} of lifting the {object} with the {tool}",
        english_question: "how hot does the {part} get when it lifts the {object} for {secs}",
        chinese: "用{tool}举起{object} {secs} 后，{part}达到 {celsius}",
        chinese_question: "举着{object} {secs} 以后{part}有多热",
    },
    Template {
        english: "Whenever the {part} is {state}, the {sensor} drifts by {distance} within {secs}",
        english_question: "how far does the {sensor} drift in {secs} with a {state} {part}",
        chinese: "每当{part}{state}，{sensor}会在 {secs} 内漂移 {distance}",
        chinese_question: "{part}{state}时{sensor}在 {secs} 内会偏多少",
    },
    Template {
        english: "Chose {speed} past the {place} instead of the way by the {goal}: {percent} fewer stops",
        english_question: "why does it pass the {place} at {speed} and not go by the {goal}",
        chinese: "选择以 {speed} 经过{place}而不走{goal}，停车次数少 {percent}",
        chinese_question: "为什么以 {speed} 走{place}而不走{goal}",
    },
    Template {
        english: "{person} wants the {color} {object} on the {place}, never next to the {other}",
        english_question: "where does {person} want the {color} {object}, away from the {other}",
        chinese: "{person}希望{color}{object}放在{place}，绝不能放在{other}旁边",
        chinese_question: "{person}要把{color}{object}放哪里，不要靠近{other}",
    },
    Template {
        english: "Part {model} is kept in bin {bin} of the {place}, {count} pieces were left",
        english_question: "where is part {model} and how many are left",
        chinese: "零件 {model} 存放在{place}的 {bin} 号盒，还剩 {count} 个",
        chinese_question: "零件 {model} 在哪里，还有几个",
    },
    Template {
        english: "Tightened the {screw} screw of the {part} with {torque}; {more_torque} stripped the thread",
        english_question: "what torque does the {screw} screw of the {part} bear, {torque} or {more_torque}",
        chinese: "用 {torque} 拧紧{part}的 {screw} 螺钉，{more_torque} 会滑牙",
        chinese_question: "{part}的 {screw} 螺钉拧多大扭矩，{torque} 还是 {more_torque}",
    },
    Template {
        english: "On {surface} by the {place} the wheels slide above {speed}, brake {distance} earlier",
        english_question: "how fast may the robot drive on {surface} near the {place}, {speed}?",
        chinese: "在{place}旁的{surface}上，速度超过 {speed} 轮子会打滑，要提前 {distance} 刹车",
        chinese_question: "{place}附近的{surface}上能开多快，{speed} 行吗",
    },
    Template {
        english: "Handed the {color} {object} to {person} at the {place} after {count} attempts",
        english_question: "who got the {color} {object} at the {place} after {count} attempts",
        chinese: "尝试 {count} 次后在{place}把{color}{object}交给了{person}",
        chinese_question: "在{place}试了 {count} 次后{color}{object}给了谁",
    },
    Template {
        english: "The {object} weighs {weight}, so the {tool} needs {force} and the lid must stay closed",
        english_question: "how heavy is the {object} that the {tool} lifts with {force}",
        chinese: "{object}重 {weight}，所以{tool}需要 {force}，盖子必须保持关闭",
        chinese_question: "{tool}用 {force} 提的{object}有多重",
    },
    Template {
        english: "Battery {model} fell from {volts} to {less_volts} in {minutes} of work at the {place}",
        english_question: "how long did battery {model} last at the {place}",
        chinese: "电池 {model} 在{place}工作 {minutes} 后从 {volts} 降到 {less_volts}",
        chinese_question: "电池 {model} 在{place}能用多久",
    },
    Template {
        english: "The door of the {place} stays open for {secs}; with the {color} {object} it has to be held",
        english_question: "how many seconds does the door of the {place} stay open, {secs}? who holds it for the {color} {object}",
        chinese: "{place}的门只开 {secs}，搬{color}{object}时需要有人扶着",
        chinese_question: "{place}的门开几秒，是 {secs} 吗，搬{color}{object}要扶吗",
    },
    Template {
        english: "A scan of the {place} showed the {color} {object} {distance} to the left of the {other}",
        english_question: "what lies {distance} left of the {other} at the {place}",
        chinese: "扫描{place}发现{color}{object}在{other}左侧 {distance}",
        chinese_question: "{place}的{other}左边 {distance} 有什么",
    },
    Template {
        english: "Contact with the {object} began at {force} and rose to {more_force} within {secs}, then the {part} stopped",
        english_question: "at which force did the {part} stop when it touched the {object}, {more_force}?",
        chinese: "接触{object}时力从 {force} 开始，{secs} 内升到 {more_force}，随后{part}停止",
        chinese_question: "碰到{object}后{part}在多大力时停下，{more_force} 吗",
    },
    Template {
        english: "Wiping the {place} with the {object} left {percent} of the stain; {count} passes are not enough",
        english_question: "how many passes with the {object} does it take to clean the {place}, more than {count}?",
        chinese: "用{object}擦{place}还剩 {percent} 的污渍，{count} 遍不够",
        chinese_question: "用{object}擦{place}要几遍，{count} 遍够吗",
    },
    Template {
        english: "Calibration of the {sensor} failed {count} times with error {code}: the {part} was {state}",
        english_question: "what does error {code} of the {sensor} mean",
        chinese: "{sensor}标定失败 {count} 次，错误码 {code}：{part}{state}",
        chinese_question: "{sensor}的错误码 {code} 是什么原因",
    },
    Template {
        english: "Replaced the {part} by {model} after {minutes} because it was {state}",
        english_question: "which {part} replaced the {state} one, was it {model}",
        chinese: "因为{part}{state}，{minutes} 后换成了 {model}",
        chinese_question: "{state}的{part}换成了哪个型号，{model} 吗",
    },
    Template {
        english: "Lost the map between the {place} and the {goal} for {secs}; the {sensor} found the {object} again",
        english_question: "how did it find itself again between the {place} and the {goal} after {secs}",
        chinese: "在{place}和{goal}之间丢失地图 {secs}，{sensor}重新认出了{object}",
        chinese_question: "在{place}和{goal}之间迷路 {secs} 后怎么重新定位的",
    },
    Template {
        english: "The {tool} must not touch the {color} {object} above {celsius}: it was {state} last time",
        english_question: "up to which temperature may the {tool} touch the {color} {object}, {celsius}?",
        chinese: "超过 {celsius} 时{tool}不得接触{color}{object}，上次{state}了",
        chinese_question: "{tool}在多少度以下可以碰{color}{object}，{celsius} 吗",
    },
    Template {
        english: "Insertion of {screw} into the {object} works with {distance} of search and {force} of push",
        english_question: "how much force does it take to insert {screw} into the {object}",
        chinese: "把 {screw} 插入{object}需要 {distance} 的搜索范围和 {force} 的推力",
        chinese_question: "把 {screw} 插进{object}要多大的推力",
    },
];

/// What may follow a statement, in English and in Chinese.
pub const ENDINGS: &[(&str, &str)] = &[
    ("", ""),
    ("", ""),
    ("", ""),
    ("; {person} was told", "；已告诉{person}"),
    (", as on the day before", "，和前一天一样"),
    (", which surprised {person}", "，这让{person}很意外"),
    ("; the second try worked", "；第二次成功了"),
    ("; it has not happened since", "；之后没有再发生"),
    (", but only while the {other} is away", "，但仅当{other}不在时"),
    ("; the {sensor} had warned {secs} before", "；{sensor}在 {secs} 前已经报警"),
    (" and the {goal} was free", "，当时{goal}没有人"),
    (". Slow down to {speed} next time", "。下次减速到 {speed}"),
    (", so try the {tool} first", "，所以先试{tool}"),
    (" in {percent} of the runs", "，占全部运行的 {percent}"),
];
