//! The bounds that a constraint sets, read from its words.
//!
//! A sentence is read when each of its words is understood, so that nothing in it can change the
//! bound: what holds only under a condition, is hedged, reports or has two meanings gives none. None is
//! better than a wrong one.

mod pieces;
pub(super) mod words;

use super::amount::Amount;
use super::items::{Item, ItemKind, items};
use pieces::{Number, Token, tokens};
use robot_memory_core::limits::CONTENT_CHARS_MAX;
use robot_memory_core::model::{Limit, LimitOp};
use std::sync::LazyLock;
use words::{Comparison, QUANTITIES, Sense, TELLING_BASES};

/// Longer texts are not read: they may have been cut, and what was cut off may have been a condition.
const CHARS_MAX: usize = CONTENT_CHARS_MAX * 2 / 3;
/// Words of the name of an object or a place.
const NAME_WORDS_MAX: usize = 4;
/// Han characters of one.
const NAME_HAN_MAX: usize = 10;
/// The row of [`QUANTITIES`] that distances are of.
const DISTANCE: usize = 0;
/// That of speeds.
static SPEED: LazyLock<usize> = LazyLock::new(|| {
    let is_speed = |quantity: &words::QuantityWord| quantity.parameter == "speed";
    QUANTITIES.iter().position(is_speed).unwrap_or(QUANTITIES.len())
});

/// The bounds that a constraint sets in plain words, English or Chinese, in the order in which they
/// stand there: "grip force must not exceed 15 N", 抓取力不得超过 15N. A parameter that the words name is
/// answered as `params.grip_force.value`; without one the unit says which are meant. What the words say
/// of object, place and task is answered in small letters. Empty when any of the sentences is not
/// understood as a whole.
pub fn limits(text: &str) -> Vec<Limit> {
    if text.chars().nth(CHARS_MAX).is_some() {
        return Vec::new();
    }
    let items = items(text);
    let ends_sentence = |item: &Item| {
        item.kind == ItemKind::Break && item.is_one_of(&[".", "。", ";", "；", "!", "！"])
    };
    let mut limits = Vec::new();
    for sentence in items.split(ends_sentence).filter(|sentence| !sentence.is_empty()) {
        match tokens(sentence).and_then(|tokens| SentenceFeatures::of(&tokens)?.limits()) {
            Some(found) => limits.extend(found),
            None => return Vec::new(),
        }
    }
    limits
}

/// Whether a text sets a bound, though [`limits`] may not understand it as a whole: under a condition, or
/// on what is not told.
pub fn may_set_a_bound(text: &str) -> bool {
    pieces::may_set_a_bound(&items(text))
}

/// What a sentence says, as far as it was read.
#[derive(Debug, Default)]
struct SentenceFeatures {
    negations: usize,
    must: bool,
    is_imperative: bool,
    is_loose: bool,
    /// "is" without an order: it describes.
    describes: bool,
    /// "maximum" or "minimum" without its amount so far.
    extreme: Option<Comparison>,
    quantity: Option<usize>,
    is_distance: bool,
    object: String,
    place: String,
    task: String,
    bounds: Vec<(LimitOp, Number)>,
}

struct Tokens<'t> {
    all: &'t [Token],
    at: usize,
}

impl<'t> Tokens<'t> {
    fn next(&mut self) -> Option<&'t Token> {
        let token = self.all.get(self.at)?;
        self.at += 1;
        Some(token)
    }

    /// The next one that says something, which is not taken.
    fn peek(&self) -> Option<&'t Token> {
        self.all[self.at..].iter().find(|token| !is_filler(token))
    }

    fn peek_sense(&self) -> Option<Sense> {
        match self.peek()? {
            Token::Sense(sense) => Some(*sense),
            _ => None,
        }
    }

    /// Takes the next one that says something.
    fn take_next(&mut self) {
        self.skip_fillers();
        self.next();
    }

    fn skip_fillers(&mut self) {
        while self.all.get(self.at).is_some_and(is_filler) {
            self.at += 1;
        }
    }

    /// The number that follows at once.
    fn number(&mut self) -> Option<&'t Number> {
        let at = self.at;
        self.skip_fillers();
        if let Some(Token::Number(number)) = self.all.get(self.at) {
            self.at += 1;
            return Some(number);
        }
        self.at = at;
        None
    }

    /// The words that follow at once, as a name; empty when there are none.
    fn name(&mut self) -> Option<String> {
        self.skip_fillers();
        let (mut name, mut words, mut han, mut was_han) = (String::new(), 0, 0, true);
        while let Some(Token::Word { text, is_han }) = self.all.get(self.at) {
            let are_joined = name.is_empty() || was_han && *is_han;
            if !are_joined {
                name.push(' ');
            }
            name.push_str(text);
            was_han = *is_han;
            if *is_han {
                han += 1;
            } else {
                words += 1;
            }
            if text.ends_with("ly") {
                return None;
            }
            self.at += 1;
        }
        (words <= NAME_WORDS_MAX && han <= NAME_HAN_MAX).then_some(name)
    }
}

fn is_filler(token: &Token) -> bool {
    matches!(token, Token::Sense(Sense::Skip | Sense::Article))
}

impl SentenceFeatures {
    /// `None` when anything in the sentence is not understood.
    fn of(all: &[Token]) -> Option<Self> {
        let mut features = Self::default();
        let mut tokens = Tokens { all, at: 0 };
        let mut last: Option<Sense> = None;
        tokens.skip_fillers();
        // "Slower than 0.2 m/s near people" orders as "drive slower than" does.
        if let Some(Sense::Verb | Sense::Keep | Sense::Compare(_) | Sense::Closer(_)) =
            tokens.peek_sense()
        {
            features.is_imperative = true;
        }
        while let Some(token) = tokens.next() {
            match token {
                Token::Break => last = None,
                Token::Number(number) => features.number(&mut tokens, number)?,
                Token::Word { .. } => {
                    tokens.at -= 1;
                    features.name(&mut tokens, last)?;
                    last = Some(Sense::Own);
                }
                Token::Sense(Sense::Because) => {
                    if features.bounds.is_empty() || has_number(&all[tokens.at..]) {
                        return None;
                    }
                    break;
                }
                Token::Sense(sense) => {
                    features.sense(&mut tokens, *sense, last)?;
                    if !is_filler(token) {
                        last = Some(*sense);
                    }
                }
            }
        }
        (features.extreme.is_none() && !features.bounds.is_empty()).then_some(features)
    }

    fn sense(&mut self, tokens: &mut Tokens<'_>, sense: Sense, last: Option<Sense>) -> Option<()> {
        match sense {
            Sense::Skip | Sense::Article | Sense::Own => {}
            Sense::Forbid | Sense::Not => {
                self.negations += 1;
                self.must |= sense == Sense::Forbid;
                let is_scope = match tokens.peek() {
                    Some(Token::Break) => sense == Sense::Forbid,
                    Some(Token::Sense(next)) => matches!(
                        next,
                        Sense::Verb
                            | Sense::Loose
                            | Sense::Is
                            | Sense::Compare(_)
                            | Sense::Closer(_)
                            | Sense::Quantity(_)
                            | Sense::Place
                            | Sense::Object
                    ),
                    _ => false,
                };
                if !is_scope || !self.bounds.is_empty() || self.describes {
                    return None;
                }
            }
            Sense::Must => self.must = true,
            Sense::Keep if self.negations > 0 => return None,
            Sense::Keep => {
                self.must = true;
                tokens.skip_fillers();
                if let Some(Token::Word { is_han: false, .. }) = tokens.all.get(tokens.at) {
                    set(&mut self.object, tokens.name()?)?;
                }
            }
            Sense::Is => self.describes |= !self.must && self.extreme.is_none(),
            Sense::Verb | Sense::Loose => {
                self.is_loose |= sense == Sense::Loose;
                tokens.skip_fillers();
                if let Some(Token::Word { .. }) = tokens.all.get(tokens.at) {
                    set(&mut self.object, tokens.name()?)?;
                }
            }
            Sense::Quantity(row) => {
                if self.quantity.is_some_and(|known| known != row) {
                    return None;
                }
                self.quantity = Some(row);
                tokens.skip_fillers();
                if row == DISTANCE
                    && let Some(Token::Word { is_han: true, .. }) = tokens.all.get(tokens.at)
                {
                    set(&mut self.object, tokens.name()?)?;
                }
            }
            Sense::Closer(comparison) => {
                self.is_distance = true;
                self.compare(tokens, comparison)?;
            }
            Sense::Compare(comparison) => self.compare(tokens, comparison)?,
            Sense::Greatest => self.set_extreme(Comparison::AtMost)?,
            Sense::SpeedLimit => {
                if self.quantity.replace(*SPEED).is_some() {
                    return None;
                }
                self.set_extreme(Comparison::AtMost)?;
            }
            Sense::Least => self.set_extreme(Comparison::AtLeast)?,
            Sense::Between => {
                let (least, most) = range(tokens, None)?;
                self.set_range(tokens, least, most)?;
            }
            Sense::To => match tokens.peek()? {
                Token::Number(_) if self.extreme.is_some() || last == Some(Sense::Keep) => {}
                Token::Number(_) if self.must && self.quantity.is_some() => {
                    // "Limit the grip force to 15 N".
                    let is_limit = |token: &Token| *token == Token::Sense(Sense::Keep);
                    if !tokens.all[..tokens.at].iter().any(is_limit) || !self.bounds.is_empty() {
                        return None;
                    }
                    self.extreme = Some(Comparison::AtMost);
                }
                Token::Sense(Sense::Verb | Sense::Loose | Sense::Compare(_) | Sense::Is) => {}
                Token::Word { .. } if self.is_distance => self.object(tokens)?,
                _ => return None,
            },
            Sense::Object => match tokens.peek()? {
                Token::Sense(Sense::Own) => {}
                _ => self.object(tokens)?,
            },
            Sense::From => {
                self.is_distance = true;
                self.object(tokens)?;
            }
            Sense::Place => match tokens.peek()? {
                // 在 1 到 3 N 之间, 在 15 N 以下.
                Token::Number(_) => {}
                Token::Sense(Sense::Compare(_) | Sense::Greatest | Sense::Least) => {}
                _ => {
                    set(&mut self.place, tokens.name()?)?;
                    if let Some(Sense::Inside | Sense::Upon) = tokens.peek_sense() {
                        tokens.next();
                    }
                }
            },
            Sense::Task => {
                set(&mut self.task, tokens.name()?)?;
            }
            Sense::When => {
                // 抓取鸡蛋时: only what a verb and its object were.
                if last != Some(Sense::Verb) || self.object.is_empty() || self.must {
                    return None;
                }
            }
            Sense::Of => match tokens.peek()? {
                Token::Number(_) | Token::Sense(Sense::Compare(_) | Sense::Quantity(_)) => {}
                Token::Sense(Sense::Between) => {}
                Token::Sense(Sense::Own) if self.quantity.is_some() => {}
                Token::Word { is_han: false, .. } if matches!(last, Some(Sense::Quantity(_))) => {
                    self.object(tokens)?;
                }
                _ => return None,
            },
            Sense::Block
            | Sense::Because
            | Sense::Post(_)
            | Sense::And
            | Sense::Within
            | Sense::Inside
            | Sense::Upon => return None,
        }
        Some(())
    }

    fn object(&mut self, tokens: &mut Tokens<'_>) -> Option<()> {
        let name = tokens.name()?;
        if let (Some(Sense::Own), false) = (tokens.peek_sense(), name.is_empty()) {
            return None;
        }
        // "For pouring" names a task.
        if name.ends_with("ing") && !name.contains(' ') {
            return set(&mut self.task, name);
        }
        set(&mut self.object, name)
    }

    /// A name that no other word announced: 玻璃瓶的抓取力, "the egg must not be gripped", 厨房内.
    fn name(&mut self, tokens: &mut Tokens<'_>, last: Option<Sense>) -> Option<()> {
        if !self.bounds.is_empty() {
            return None;
        }
        let name = tokens.name()?;
        match tokens.peek() {
            Some(Token::Sense(Sense::Inside)) if last.is_none() => {
                tokens.take_next();
                set(&mut self.place, name)
            }
            Some(Token::Sense(Sense::Of)) if last.is_none_or(|last| last == Sense::Inside) => {
                tokens.take_next();
                let has_quantity = matches!(tokens.peek_sense(), Some(Sense::Quantity(_)));
                has_quantity.then(|| set(&mut self.object, name))?
            }
            Some(Token::Sense(Sense::Forbid | Sense::Must) | Token::Break) if last.is_none() => {
                set(&mut self.object, name)
            }
            // 走廊限速: there, and not of it.
            Some(Token::Sense(Sense::SpeedLimit)) if last.is_none() => set(&mut self.place, name),
            // 玻璃瓶最多用 8 牛, "the cart carries at most 50 kg".
            Some(Token::Sense(
                Sense::Verb
                | Sense::Greatest
                | Sense::Least
                | Sense::Compare(Comparison::AtMost | Comparison::AtLeast),
            )) if last.is_none() => set(&mut self.object, name),
            // 推车载重, "the oven temperature"; a speed may be that of a place.
            Some(Token::Sense(Sense::Quantity(row)))
                if last.is_none()
                    && *row != *SPEED
                    && !words::OWN_PARTS.contains(&name.as_str()) =>
            {
                set(&mut self.object, name)
            }
            _ => None,
        }
    }

    fn set_extreme(&mut self, extreme: Comparison) -> Option<()> {
        if self.extreme.replace(extreme).is_some() || self.negations > 0 || !self.bounds.is_empty()
        {
            return None;
        }
        Some(())
    }

    /// What a comparison says of the amount that follows it.
    fn compare(&mut self, tokens: &mut Tokens<'_>, comparison: Comparison) -> Option<()> {
        while let Some(Token::Break | Token::Sense(Sense::Of)) = tokens.all.get(tokens.at) {
            tokens.at += 1;
        }
        // 最多用 8 牛.
        let is_order = matches!(comparison, Comparison::AtMost | Comparison::AtLeast);
        if is_order && let Some(Token::Sense(Sense::Verb)) = tokens.all.get(tokens.at) {
            tokens.at += 1;
        }
        // 最多载重 50 公斤.
        if is_order
            && let Some(Token::Sense(Sense::Quantity(row))) = tokens.all.get(tokens.at)
            && self.quantity.is_none_or(|known| known == *row)
        {
            self.quantity = Some(*row);
            tokens.at += 1;
        }
        let number = tokens.number()?;
        if let Some(Token::Sense(Sense::And | Sense::To) | Token::Number(_)) = tokens.peek()
            && matches!(tokens.all.get(tokens.at + 1), Some(Token::Number(_)))
        {
            return None;
        }
        let op = match (comparison, self.negations) {
            (_, 1) if !self.must => return None,
            (Comparison::More, 1) => LimitOp::AtMost,
            (Comparison::Less, 1) => LimitOp::AtLeast,
            (_, 1..) => return None,
            (Comparison::AtMost, _) => LimitOp::AtMost,
            (Comparison::AtLeast, _) => LimitOp::AtLeast,
            _ if self.is_loose => return None,
            (Comparison::Less, _) if self.must || self.is_imperative => LimitOp::Below,
            (Comparison::More, _) if self.must => LimitOp::Above,
            (Comparison::Exactly, _) if self.must => LimitOp::Equal,
            _ => return None,
        };
        match (self.extreme.take(), op) {
            (None, _) | (Some(Comparison::AtMost), LimitOp::AtMost | LimitOp::Below) => {}
            (Some(Comparison::AtLeast), LimitOp::AtLeast | LimitOp::Above) => {}
            _ => return None,
        }
        self.bound(op, number.clone())
    }

    /// A number that no comparison announced.
    fn number(&mut self, tokens: &mut Tokens<'_>, first: &Number) -> Option<()> {
        let at = tokens.at;
        if let Some((least, most)) = range(tokens, Some(first)) {
            return self.set_range(tokens, least, most);
        }
        tokens.at = at;
        if let Some(extreme) = self.extreme.take() {
            return self.bound(op_of(extreme)?, first.clone());
        }
        let comparison = match tokens.peek_sense()? {
            Sense::Post(comparison) if self.must || self.is_imperative => comparison,
            Sense::Compare(comparison @ (Comparison::AtMost | Comparison::AtLeast)) => comparison,
            Sense::Greatest => Comparison::AtMost,
            Sense::Least => Comparison::AtLeast,
            _ => return None,
        };
        if self.negations > 0 {
            return None;
        }
        tokens.take_next();
        self.bound(op_of(comparison)?, first.clone())
    }

    fn set_range(&mut self, tokens: &mut Tokens<'_>, least: Number, most: Number) -> Option<()> {
        let is_closed =
            matches!(tokens.peek_sense(), Some(Sense::Within | Sense::Post(Comparison::AtMost)));
        if is_closed {
            tokens.take_next();
        }
        let is_order = self.must || self.is_imperative;
        if !is_order || self.describes || self.negations > 0 || self.extreme.is_some() {
            return None;
        }
        let amount =
            |number: &Number| Amount::new(number.value.to_string().parse().ok()?, &number.unit);
        if amount(&least)?.compare(&amount(&most)?)?.is_ge() {
            return None;
        }
        self.bound(LimitOp::AtLeast, least)?;
        self.bounds.push((LimitOp::AtMost, most));
        Some(())
    }

    fn bound(&mut self, op: LimitOp, number: Number) -> Option<()> {
        if !self.bounds.is_empty() || self.describes && !self.must && self.extreme.is_none() {
            return None;
        }
        self.bounds.push((op, number));
        Some(())
    }

    /// The bounds, when what they are of is told.
    fn limits(self) -> Option<Vec<Limit>> {
        let quantity = match self.quantity {
            None if self.is_distance => Some(DISTANCE),
            quantity => quantity,
        };
        let quantity = quantity.map(|row| &QUANTITIES[row]);
        let mut limits = Vec::new();
        for (op, number) in self.bounds {
            let mut unit = number.unit;
            let is_telling = match quantity {
                // 60 度 of a temperature are degrees Celsius; nothing else is measured so in Chinese.
                Some(quantity) if number.base == "°" && quantity.parameter == "temperature" => {
                    unit = "°C".to_owned();
                    true
                }
                Some(quantity) => quantity.bases.contains(&number.base.as_str()),
                None => TELLING_BASES.contains(&number.base.as_str()),
            };
            let value: f64 = number.value.to_string().parse().ok()?;
            if !is_telling || Amount::new(value, &unit).is_none() {
                return None;
            }
            limits.push(Limit {
                path: quantity.map_or(String::new(), |q| format!("params.{}.value", q.parameter)),
                op,
                value,
                unit,
                object: self.object.clone(),
                place: self.place.clone(),
                task: self.task.clone(),
            });
        }
        Some(limits)
    }
}

fn op_of(comparison: Comparison) -> Option<LimitOp> {
    match comparison {
        Comparison::AtMost => Some(LimitOp::AtMost),
        Comparison::AtLeast => Some(LimitOp::AtLeast),
        Comparison::More | Comparison::Less | Comparison::Exactly => None,
    }
}

/// Two numbers of a range; the first has the unit of the second when it has none.
fn range(tokens: &mut Tokens<'_>, first: Option<&Number>) -> Option<(Number, Number)> {
    let first = match first {
        Some(first) => first,
        None => tokens.number()?,
    };
    if let Some(Sense::And | Sense::To) = tokens.peek_sense() {
        tokens.take_next();
    }
    let second = tokens.number()?.clone();
    let mut first = first.clone();
    if first.base.is_empty() {
        first.unit.clone_from(&second.unit);
        first.base.clone_from(&second.base);
    }
    Some((first, second))
}

fn has_number(tokens: &[Token]) -> bool {
    tokens.iter().any(|token| matches!(token, Token::Number(_)))
}

/// Sets a name once; `None` when it is empty or another one is there.
fn set(slot: &mut String, name: String) -> Option<()> {
    if name.is_empty() || !slot.is_empty() && *slot != name {
        return None;
    }
    *slot = name;
    Some(())
}
