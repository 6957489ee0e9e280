//! What was read in one way of two, or with a part of the text left out that only what was read shows.

use super::super::atoms::{Atom, ends, has, longest_of};
use super::super::classes::class_at;
use super::bounds::Present;
use super::movers::named_class;
use super::{Anchor, Beside, End, NamedEvents, OrderQuestion, Taken, beyond, words};
use robot_memory_core::api::CountBy;

/// Whether it is so.
pub(super) fn is_ambiguous(atoms: &[Atom], asked: &OrderQuestion, present: &Present<'_>) -> bool {
    is_one_or_all(atoms, asked)
        || is_next_unclear(atoms, asked)
        || has_moment_as_end(atoms, asked, present)
        || is_bound_misplaced(atoms, asked)
        || is_neighbor_counted(atoms, asked)
        || is_adjacent_on_no_side(atoms, asked)
        || asks_how_much(atoms)
        || says_quality(atoms)
        || is_so_far_away(atoms)
        || is_but_one(atoms)
        || is_step_of_step(atoms)
        || is_at_this_time(atoms)
        || is_beside_several(atoms, asked)
        || is_at_hour(atoms, asked)
        || is_turned_about(atoms, asked)
        || is_nested(atoms, asked)
        || is_of_each_thing(atoms, asked)
        || is_of_another_day(atoms, asked, present)
        || is_part_of_time(atoms, asked)
        || is_of_each_side(atoms, asked)
        || is_number_of_them(atoms, asked)
        || is_of_another_quantity(atoms, asked)
        || is_of_some(atoms)
        || asked.per.is_none()
            && has(
                atoms,
                &[
                    "which hours",
                    "what hours",
                    "which days",
                    "which weeks",
                    "which months",
                    "哪些小时",
                    "哪几个小时",
                    "哪几天",
                    "哪些天",
                ],
            )
}

/// "Which of the first ten stops were after 9:00?", 前十次急停哪些在9点后: of those, not of those after 9:00.
fn is_of_some(atoms: &[Atom]) -> bool {
    const WERE: &[&str] =
        &["were", "was", "came", "happened", "occurred", "fell", "started", "began"];
    const HAN_WERE: &[&str] = &[
        "都在",
        "哪些在",
        "有哪些在",
        "哪几次在",
        "有几次在",
        "中哪些",
        "里哪些",
        "中有哪些在",
        "里有哪些在",
    ];
    (0..atoms.len()).any(|at| {
        let of = longest_of(&atoms[at..], &["of the", "any of the", "of its"]);
        let some = at + of.unwrap_or(0);
        let named = || {
            let (count, ..) = words::several(atoms.get(some..)?)?;
            Some(some + count + named_class(&atoms[some + count..])?)
        };
        let is_behind = |words| named().is_some_and(|to| longest_of(&atoms[to..], words).is_some());
        of.is_some() && is_behind(WERE) || atoms[at].is_han() && is_behind(HAN_WERE)
    })
}

/// One of several, or all of these; the next event, or the next one of that kind; the last until three, or until the last at three; an
/// event that another one tells apart.
fn is_one_or_all(atoms: &[Atom], asked: &OrderQuestion) -> bool {
    #[rustfmt::skip]
    const ONE: &[&str] = &["was the last", "was last", "was the first", "was first", "came last", "came first"];
    #[rustfmt::skip]
    const THAT: &[&str] = &["move again", "moving again", "moved again", "再次动", "before the last one", "after the first one"];
    const NESTED: &[&str] =
        &["之前的最后", "之前的第", "之后的第", "之后的最后", "以前的最后", "以后的第"];
    let is_pair = matches!(&asked.beside, Some(Beside::Between(..)));
    let is_twice = matches!(&asked.beside, Some(Beside::Between(one, other, _)) if one == other);
    let is_as_of = asked.beside.is_some() && has(atoms, &["as of", "截至", "截止"]);
    let is_beside = matches!(asked.beside, Some(Beside::Before(..) | Beside::After(..)));
    let is_all = asked.taken == Taken::All && !asked.is_counted && !asked.is_just;
    let is_one_of_all = is_beside && is_all && has(atoms, THAT);
    // "We changed the gripper": no change of the log.
    let is_open_change =
        |of: &NamedEvents| of.class == Some("change") && of.words.is_empty() && of.became.is_none();
    let is_of_asker = asked.named().any(is_open_change) && beyond::changes_a_thing(atoms);
    let is_of_kind = asked.of.class.is_none()
        && has(atoms, &["the next one", "the previous one", "下一次是", "下一个是"]);
    let is_nested = is_pair && has(atoms, NESTED) && !has(atoms, &["之间", "到", "至"]);
    let is_of_several = matches!(asked.taken, Taken::Several(..)) && has(atoms, ONE);
    is_twice || is_as_of || is_one_of_all || is_of_kind || is_nested || is_of_asker || is_of_several
}

/// "Between the third stop and the next slip", "after the previous stop": next to what?
fn is_next_unclear(atoms: &[Atom], asked: &OrderQuestion) -> bool {
    #[rustfmt::skip]
    const NEXT: &[&str] = &["next", "previous", "following", "preceding", "下一次", "下次", "下一个", "前一次", "上一个"];
    let is_pair = matches!(&asked.beside, Some(Beside::Between(..)));
    // The previous one may be the last of all.
    let is_turned = is_pair
        && has(
            atoms,
            &[
                "和上一次",
                "与上一次",
                "到上一次",
                "和上次",
                "与上次",
                "到上次",
                "和前一次",
                "与前一次",
                "到前一次",
            ],
        );
    let is_any = |anchor: &Anchor| {
        let is_told = anchor.nth.is_some() || anchor.memory.is_some();
        !is_told && anchor.bounds.is_open() && anchor.of.became.is_none()
    };
    is_turned || asked.anchors().any(is_any) && has(atoms, NEXT)
}

/// "Between the last stop and 15:40", 15点到最后一次急停之间: the other end is no stop at 15:40.
pub(super) fn has_moment_as_end(
    atoms: &[Atom],
    asked: &OrderQuestion,
    present: &Present<'_>,
) -> bool {
    let Some(Beside::Between(one, other, _)) = &asked.beside else { return false };
    if one.is_at_moment() == other.is_at_moment() {
        return false;
    }
    const JOINS: [&str; 6] = ["and", "to", "和", "与", "到", "至"];
    let is_join =
        |at: Option<usize>| at.and_then(|at| atoms.get(at)).is_some_and(|it| it.is_one_of(&JOINS));
    (0..atoms.len()).any(|at| {
        let Some(moment) = present.phrase(&atoms[at..]).filter(|it| it.is_clock()) else {
            return false;
        };
        let behind = at + moment.count;
        let is_named = atoms.get(behind..).is_some_and(|rest| {
            longest_of(rest, &["的", "那次", "那一次", "发生的"]).is_some()
                || class_at(rest).is_some()
        });
        !is_named && (is_join(at.checked_sub(1)) || is_join(Some(behind)))
    })
}

/// "Since the first stop until 8:30", 15点之后最后一次急停之前: the time is no part of the name of the stop.
fn is_bound_misplaced(atoms: &[Atom], asked: &OrderQuestion) -> bool {
    const UNTIL: &[&str] = &["until", "till", "up to", "为止"];
    const AFTER: &[&str] = &["之后", "以后", "点后", "分后", "过后"];
    const BEFORE: &[&str] = &["之前", "以前", "点前", "分前"];
    let is_of_time = |anchor: &Anchor| !anchor.bounds.is_open() && anchor.nth.is_some();
    match &asked.beside {
        Some(Beside::Since(anchor)) => is_of_time(anchor) && has(atoms, UNTIL),
        Some(Beside::After(anchor, _)) => {
            is_of_time(anchor) && (has(atoms, UNTIL) || has(atoms, BEFORE))
        }
        // 14点以后第一次急停的前一个事件.
        Some(Beside::Before(anchor, _) | Beside::Until(anchor)) => {
            is_of_time(anchor) && has(atoms, AFTER) && !has(atoms, &["的前一", "的上一"])
        }
        _ => false,
    }
}

/// "How many drops right before the last stop": of how many?
fn is_neighbor_counted(atoms: &[Atom], asked: &OrderQuestion) -> bool {
    #[rustfmt::skip]
    const JUST: &[&str] = &[
        "right before", "just before", "immediately before", "shortly before", "directly before", "right after", "just after", "immediately after", "shortly after", "directly after", "刚发生后", "前一刻", "紧接着", "紧挨着",
    ];
    let is_near =
        |beside: &Beside| matches!(beside, Beside::Before(_, None) | Beside::After(_, None));
    asked.is_counted && asked.beside.as_ref().is_some_and(is_near) && has(atoms, JUST)
}

/// 紧挨着最后一次急停的是什么: on which side of it?
fn is_adjacent_on_no_side(atoms: &[Atom], asked: &OrderQuestion) -> bool {
    let is_beside = asked.beside.is_some() || !asked.bounds.is_open();
    !is_beside && has(atoms, &["紧挨", "紧邻", "紧靠", "紧贴", "挨着"])
}

/// 计数变了多少, and not how many times.
fn asks_how_much(atoms: &[Atom]) -> bool {
    const BY: &[&str] = &["变了多少", "变化了多少", "改变了多少", "涨了多少", "增加了多少"];
    let is_times = |rest: &[Atom]| longest_of(rest, &["次", "回", "遍", "下"]).is_some();
    (0..atoms.len()).any(|at| {
        let by = longest_of(&atoms[at..], BY);
        by.is_some_and(|count| !is_times(&atoms[at + count..]))
    })
}

/// "Brief stops": which are brief?
fn says_quality(atoms: &[Atom]) -> bool {
    const QUALITIES: [&str; 6] = ["brief", "different", "quick", "full", "complete", "partial"];
    let names = |rest: &[Atom]| class_at(rest).is_some_and(|(_, class)| class.is_some());
    (1..atoms.len()).any(|at| atoms[at - 1].is_one_of(&QUALITIES) && names(&atoms[at..]))
}

/// "What happened five minutes after 8:30", "what happened 3 stops before it": one moment, or one event.
fn is_so_far_away(atoms: &[Atom]) -> bool {
    let side = |at: usize| {
        atoms.get(at..).is_some_and(|rest| longest_of(rest, &["before", "after"]).is_some())
    };
    (0..atoms.len()).any(|at| {
        let Some(happened) = longest_of(&atoms[at..], &["happened", "occurred"]) else {
            return false;
        };
        let from = at + happened;
        match (words::length(&atoms[from..]), words::cardinal(&atoms[from..])) {
            (Some((count, _)), _) => side(from + count),
            (None, Some((_, count))) => side(from + count) || side(from + count + 1),
            (None, None) => false,
        }
    })
}

/// "The last stop but two", "the stop before last"; "last but one" is read.
fn is_but_one(atoms: &[Atom]) -> bool {
    let but = |at: usize| {
        let number = atoms.get(at + 1);
        let is_number =
            number.is_some_and(|it| it.is_one_of(&["one", "two", "three", "four", "five"]));
        atoms[at].text == "but" && is_number && !ends(&atoms[..at], &["last"])
    };
    ends(atoms, &["before last"]) || (0..atoms.len()).any(but)
}

/// "Right after the first and right after the last stop", 第一次和最后一次急停之后: beside both, and not the first beside the last.
fn is_beside_several(atoms: &[Atom], asked: &OrderQuestion) -> bool {
    const AND: &[&str] = &["and", "or", "和", "与", "跟", "及", "以及", "或"];
    #[rustfmt::skip]
    const SIDES: &[&str] = &[
        "the", "before", "after", "right before", "right after", "just before", "just after", "right before the", "right after the", "just before the", "just after the", "before the", "after the",
    ];
    let is_beside = matches!(
        asked.beside,
        Some(Beside::Before(..) | Beside::After(..) | Beside::Since(_) | Beside::Until(_))
    );
    let skip = |at: usize, words: &[&str]| {
        at + atoms.get(at..).and_then(|rest| longest_of(rest, words)).unwrap_or(0)
    };
    let nth = |at: usize| words::nth(atoms.get(at..)?).map(|(count, _)| at + count);
    let is_pair = |at: usize| {
        let one = nth(at)?;
        let and = skip(one, AND);
        (and > one).then(|| nth(skip(and, SIDES))).flatten()
    };
    is_beside && (0..atoms.len()).any(|at| is_pair(at).is_some())
}

/// "After the temperature changed to 80", 工件计数到50之后: no change of that counter. "Between the first change to 230 and the second
/// change": to 230, or the second of all?
fn is_of_another_quantity(atoms: &[Atom], asked: &OrderQuestion) -> bool {
    #[rustfmt::skip]
    const QUANTITIES: &[&str] = &[
        "temperature", "speed", "velocity", "pressure", "voltage", "current", "humidity", "height", "torque", "温度", "速度", "转速", "压力", "电压", "电流", "湿度", "高度", "扭矩", "电量", "力",
    ];
    let is_change = |of: &NamedEvents| of.became.is_some() && of.words.is_empty();
    #[rustfmt::skip]
    const COUNTERS: &[&str] = &[
        "part counter", "parts counter", "piece counter", "part count", "零件计数", "工件计数", "抓取计数", "产量",
    ];
    let is_to = |anchor: &Anchor| anchor.of.became.is_some();
    let is_half = match &asked.beside {
        Some(Beside::Between(one, other, _)) => {
            is_to(one) != is_to(other) && one.of.class == other.of.class
        }
        _ => false,
    };
    let is_reached = asked.named().any(|of| of.became.is_some());
    is_half
        || is_reached && has(atoms, COUNTERS)
        || asked.named().any(is_change) && has(atoms, QUANTITIES)
}

/// "I came after the first stop. What had happened?": before it. "We mended it after the first one. How many in all?": of all. 直到那次为止的
/// 三次: the first three, or the last.
fn is_turned_about(atoms: &[Atom], asked: &OrderQuestion) -> bool {
    const TELLERS: &[&str] = &["i", "we", "my", "our", "they", "he", "she"];
    const IN_ALL: &[&str] = &["in all", "in total", "altogether", "overall", "all told"];
    match &asked.beside {
        Some(Beside::After(..)) => {
            let is_told = longest_of(atoms, TELLERS).is_some();
            has(atoms, &["had happened"]) || is_told && ends(atoms, IN_ALL)
        }
        Some(Beside::Before(..)) => {
            matches!(asked.taken, Taken::Nearest(_)) && has(atoms, &["为止"])
        }
        _ => false,
    }
}

/// "Since the last motion before the first stop", 第一次急停前最后一次掉件之后: the last one before that, and not the last of all.
fn is_nested(atoms: &[Atom], asked: &OrderQuestion) -> bool {
    const BEFORE: &[&str] = &["before", "before the", "prior to", "preceding"];
    const AFTER: &[&str] = &["after", "after the", "following"];
    const HAN_BEFORE: &[&str] = &["前", "之前", "以前", "之前的", "前的"];
    const HAN_AFTER: &[&str] = &["后", "之后", "以后", "之后的", "后的"];
    const SIDES: &[&str] = &["after", "before", "since", "until"];
    if asked.beside.is_none() {
        return false;
    }
    let nth = |at: usize| words::nth(atoms.get(at..)?).map(|(count, nth)| (at + count, nth.end));
    let class = |at: usize| {
        let (count, class) = class_at(atoms.get(at..)?)?;
        Some((at + count, class?))
    };
    let skip = |at: usize, words: &[&str]| Some(at + longest_of(atoms.get(at..)?, words)?);
    let english = |at: usize| {
        let side = skip(at, SIDES)?;
        let (named, end) = nth(skip(side, &["the"]).unwrap_or(side))?;
        let (to, _) = class(named)?;
        let other = skip(to, if end == End::Last { BEFORE } else { AFTER })?;
        nth(other).map(|(named, _)| named).or(Some(other)).and_then(class).map(|_| ())
    };
    let han = |at: usize| {
        let (name, other) = class(at)?;
        let before = skip(name, HAN_BEFORE);
        let side = before.or_else(|| skip(name, HAN_AFTER))?;
        let (named, end) = nth(side)?;
        let (to, of) = class(named)?;
        let is_glued = atoms[side - 1].place.end == atoms[side].place.start && of != other;
        let is_of_side = (end == End::Last) == before.is_some();
        skip(to, HAN_BEFORE)
            .or_else(|| skip(to, HAN_AFTER))
            .filter(|_| is_glued && is_of_side)
            .map(|_| ())
    };
    (0..atoms.len()).any(|at| english(at).is_some() || han(at).is_some())
}

/// "The last motion of each joint", 每个循环的急停次数: they are grouped by nothing of that kind. 上一个循环的动作 are not the last motion.
fn is_of_each_thing(atoms: &[Atom], asked: &OrderQuestion) -> bool {
    #[rustfmt::skip]
    const EACH: &[&str] = &[
        "each joint", "every joint", "per joint", "each cycle", "every cycle", "each gripper", "per gripper", "each robot", "per robot", "every robot", "each arm", "按关节", "各关节", "各个关节", "每个关节", "每个循环", "每个周期", "各循环", "各周期", "每个机器人", "每台", "每个夹爪", "各自的",
    ];
    #[rustfmt::skip]
    const CYCLES: &[&str] = &["上一个循环", "上个循环", "最后一个循环", "下一个循环", "这个循环", "上一个周期", "上个周期", "最后一个周期", "下一个周期", "这个周期"];
    const BACK: &[&str] = &[
        "go back",
        "goes back",
        "went back",
        "fall back",
        "fell back",
        "退回",
        "掉回",
        "跌回",
        "回退",
    ];
    let is_change = asked.of.class == Some("change");
    let of_each = |at: usize| {
        let count = longest_of(&atoms[at..], EACH);
        let is_change = |next: &Atom| {
            next.is_one_of(&[
                "change", "changes", "counter", "number", "变", "变化", "计", "号", "数",
            ])
        };
        count.is_some_and(|count| !atoms.get(at + count).is_some_and(is_change))
    };
    asked.per.is_none() && (0..atoms.len()).any(of_each)
        || !is_change && has(atoms, CYCLES)
        || asked.named().all(|of| of.became.is_none()) && has(atoms, BACK)
}

/// "On 24 and 25 October", "each day after 10:15", "until the end of yesterday", "at the start of 25 October": these days are not read.
fn is_of_another_day(atoms: &[Atom], asked: &OrderQuestion, present: &Present<'_>) -> bool {
    let phrase = |at: usize| present.phrase(atoms.get(at..)?);
    let has_clock = || (0..atoms.len()).any(|at| phrase(at).is_some_and(|it| it.is_clock()));
    let is_each_day = asked.per == Some(CountBy::Day) && has_clock();
    let is_number = |at: usize| atoms.get(at).is_some_and(|it| it.is_digits() && it.text.len() < 3);
    let of_day = |at: usize| phrase(at).is_some_and(|it| it.has_day() && !it.is_clock());
    (0..atoms.len()).any(|at| {
        let is_two = is_number(at)
            && atoms.get(at + 1).is_some_and(|it| it.text == "and")
            && of_day(at + 2)
            && is_number(at + 2);
        let edge = longest_of(
            &atoms[at..],
            &["end of", "end of the", "at the start of", "at the beginning of"],
        );
        is_two || edge.is_some_and(|count| of_day(at + count))
    }) || is_each_day
}

/// "In the last hour before the last stop", "in the third hour", "on the day of the last stop": a time that is not read.
fn is_part_of_time(atoms: &[Atom], asked: &OrderQuestion) -> bool {
    #[rustfmt::skip]
    const TIMES: &[&str] = &[
        "last minute before", "last hour before", "last second before", "final minute before", "final hour before", "at the start of the day", "at the beginning of the day", "今天一开始", "昨天一开始", "day before the last", "day before the first", "day after the last", "day after the first", "cycle before", "cycle after", "day and hour", "hour and day", "what happened nearest", "sorted by number", "sorted by count", "按次数排", "just starting", "just beginning", "were there only",
    ];
    const UNITS: [&str; 6] = ["hour", "hours", "minute", "day", "week", "month"];
    #[rustfmt::skip]
    const OF_IT: &[&str] = &[
        "day of the", "hour of the", "time of the", "course of the", "beginning of the", "start of the", "minute of the", "moment of the", "那一天", "那天", "当天", "那个小时",
    ];
    const HAPPENED: &[&str] =
        &["what happened", "what was going on", "what went on", "发生了什么", "有哪些"];
    let unit = |at: usize| atoms.get(at).is_some_and(|it| it.is_one_of(&UNITS));
    let is_nth_hour = |at: usize| {
        let nth = words::nth(&atoms[at..]).filter(|(_, nth)| nth.nth > 1);
        let is_numbered = atoms[at].text == "hour"
            && atoms.get(at + 1).is_some_and(|it| it.is_digits() && it.text.len() < 3);
        nth.is_some_and(|(count, _)| unit(at + count)) || is_numbered
    };
    let is_one = asked.beside.is_none() && matches!(asked.taken, Taken::Nth(_));
    has(atoms, TIMES)
        || asked.bounds.until.is_none() && has(atoms, &["in the hour from", "during the hour from"])
        || is_one && has(atoms, OF_IT) && has(atoms, HAPPENED)
        || (0..atoms.len()).any(is_nth_hour)
}

/// 记忆738前后各有几次急停, "the last stop before and after memory 504": of each side, or of both?
fn is_of_each_side(atoms: &[Atom], asked: &OrderQuestion) -> bool {
    #[rustfmt::skip]
    const BOTH: &[&str] = &["before and after", "前后各", "前一条和后一条", "前一个和后一个"];
    const ONE: &[&str] =
        &["the event", "the entry", "which event", "前一条", "前一个", "各一条", "各一个"];
    let is_one = asked.taken == Taken::All && !asked.is_just && has(atoms, ONE);
    let is_some = asked.is_counted || matches!(asked.taken, Taken::Nth(_) | Taken::Several(..));
    let is_around = matches!(asked.beside, Some(Beside::Around(..)));
    is_around && (is_some && has(atoms, BOTH) || is_one)
}

/// "Grip lost three times" is no third loss, 5个周期之前 not before cycle 5, and "the last mode change" not that of any value.
fn is_number_of_them(atoms: &[Atom], asked: &OrderQuestion) -> bool {
    let counted = |at: usize, words: &[&str]| {
        let (_, count) = words::cardinal(&atoms[at..])?;
        longest_of(atoms.get(at + count..)?, words)
    };
    let are = |words: &[&str]| {
        (0..atoms.len()).any(|at| {
            let is_ordinal = at > 0 && atoms[at - 1].text == "第";
            !is_ordinal && counted(at, words).is_some()
        })
    };
    let is_any_change = |of: &NamedEvents| of.class == Some("change") && of.words.is_empty();
    let is_reached = asked.named().any(|of| of.became.is_some());
    // "After event 12": the twelfth one, or memory 12?
    let numbered = atoms
        .windows(2)
        .any(|pair| pair[0].is_one_of(&["event", "entry", "record"]) && pair[1].is_digits());
    numbered
        || matches!(asked.taken, Taken::Nth(_)) && are(&["times"])
        || is_reached && are(&["个周期", "个循环"])
        || asked.named().any(is_any_change) && has(atoms, &["mode", "模式"])
}

/// "The stop at 15": the fifteenth one, or that of three? "At 9 last stop", "between 9 and the last stop": nine of them, the ninth?
fn is_at_hour(atoms: &[Atom], asked: &OrderQuestion) -> bool {
    const ENDS: [&str; 4] = ["last", "first", "latest", "earliest"];
    const BEFORE: [&str; 9] =
        ["happened", "occurred", "came", "started", "began", "active", "running", "day", "hour"];
    let is_between = matches!(asked.beside, Some(Beside::Between(..)));
    let is_hour = |atom: &Atom| atom.is_digits() && atom.text.len() < 3;
    let is_alone = |at: usize| {
        atoms.get(at).is_none_or(|next| !next.is_one_of(&["am", "pm", "a", "p", "o", "h", "hours"]))
    };
    (1..atoms.len()).any(|at| {
        let is_class = class_at(&atoms[at - 1..]).is_some_and(|(_, class)| class.is_some());
        let is_at = atoms[at].text == "at" && atoms.get(at + 1).is_some_and(is_hour);
        (is_class || atoms[at - 1].is_one_of(&BEFORE)) && is_at && is_alone(at + 2)
    }) || atoms.windows(3).any(|three| {
        let is_bare = is_hour(&three[1]);
        let is_end = three[0].text == "at" && three[2].is_one_of(&ENDS);
        is_bare && (is_end || is_between && three[0].text == "between" && three[2].text == "and")
    })
}

/// 前一条的前一条: two steps away.
fn is_step_of_step(atoms: &[Atom]) -> bool {
    #[rustfmt::skip]
    const STEPS: &[&str] = &[
        "前一条", "上一条", "后一条", "下一条", "前一个", "上一个", "后一个", "下一个", "前一次", "上一次", "后一次", "下一次",
    ];
    let step = |at: usize| longest_of(atoms.get(at..)?, STEPS).map(|count| at + count);
    let of = |at: usize| atoms.get(at).filter(|it| it.text == "的").map(|_| at + 1);
    (0..atoms.len()).any(|at| step(at).and_then(of).and_then(step).is_some())
}

/// "Yesterday, by this time of day": until when it is now on the clock.
fn is_at_this_time(atoms: &[Atom]) -> bool {
    #[rustfmt::skip]
    const SAME: &[&str] = &[
        "this time of day", "this time of the day", "that time of day", "that time of the day", "same time", "same hour", "by this time", "by that time", "around this time", "this time yesterday", "the time it is now",
        "这个时候", "这个时间", "这时候", "同一时间", "同一时刻", "同样的时间", "相同的时间", "相同的时刻", "同时刻",
    ];
    has(atoms, SAME)
}

/// Whether a text has a range of lengths, "5 to 10 minutes", or of days that has one end only, "up to yesterday".
pub(super) fn has_open_range(atoms: &[Atom], present: &Present<'_>) -> bool {
    #[rustfmt::skip]
    const EDGES: &[&str] = &["up to", "through", "as of", "ending", "starting", "beginning", "than", "截至", "截止"];
    let day =
        |at: usize| present.phrase(atoms.get(at..)?).filter(|it| it.has_day() && !it.is_clock());
    let is_inside = |at: usize| {
        (0..at).any(|from| present.phrase(&atoms[from..]).is_some_and(|it| from + it.count > at))
    };
    let is_edge = |at: usize| {
        let edge = longest_of(&atoms[at..], EDGES);
        // "How many stops did it go through today?"
        const GO: [&str; 5] = ["go", "went", "gone", "get", "got"];
        let is_verb = at > 0 && atoms[at - 1].is_one_of(&GO);
        edge.is_some_and(|count| day(at + count).is_some()) && !is_verb && !is_inside(at)
    };
    // 今天前两个小时: from its begin.
    let is_begin = |at: usize| {
        let behind = day(at).map(|it| at + it.count).filter(|_| atoms[at].is_han());
        let front = behind.and_then(|at| Some(at + longest_of(atoms.get(at..)?, &["前", "头"])?));
        front.is_some_and(|at| words::length(&atoms[at..]).is_some())
    };
    (0..atoms.len()).any(|at| is_edge(at) || is_begin(at) || is_range_of_lengths(atoms, at))
}

/// "5 to 10 minutes", 30到60秒; but 9点10分到20分 is of a clock.
fn is_range_of_lengths(atoms: &[Atom], at: usize) -> bool {
    const TO: &[&str] = &["to", "and", "or", "到", "至"];
    const CLOCK: [&str; 5] = ["点", "时", "分", "秒", "h"];
    let Some((_, count)) = words::cardinal(&atoms[at..]) else { return false };
    // "0830 to 0850 hours", "15h04 to 15h10".
    let is_of_clock = at > 0 && atoms[at - 1].is_one_of(&CLOCK)
        || atoms[at].is_digits() && atoms[at].text.len() > 3;
    let join = at + count;
    let to = longest_of(&atoms[join..], TO).map(|to| join + to);
    let is_length = to.is_some_and(|to| words::length(&atoms[to..]).is_some());
    is_length && !is_of_clock && !atoms[at].text.contains(':') && !atoms[at].is_one_of(&["a", "an"])
}
