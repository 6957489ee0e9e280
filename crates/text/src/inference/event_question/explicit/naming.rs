//! The words that name events.

use super::super::classes::one_class;
use super::super::numbers::unit;
use super::lexer::{Kind, Token};
use super::sentence::Sentence;
use super::vocabulary::Word;
use super::words;
use super::{Became, NamedEvents};

/// Before a name they say that any such event is meant.
const ANY: [&str; 10] = ["a", "an", "any", "each", "every", "some", "all", "每", "任何", "最"];
/// What a robot's stop is of, however its stream is called.
const ARMS: [&str; 6] = ["arm", "robot arm", "机械臂", "手臂", "机械手", "机械手臂"];
/// What comes to rest.
const STOPPING: [&str; 9] =
    ["robot", "it", "we", "arm", "cobot", "machine", "system", "gripper", "cell"];
/// Classes whose words say of one kind of event how it went, or are of several kinds.
const MIXED: [&str; 2] = ["battery", "novelty"];

impl Sentence<'_> {
    /// Which events some tokens name.
    pub fn named(&self, naming: &[Token], is_any: bool) -> Option<NamedEvents> {
        let mut classes = Vec::new();
        let mut words = String::new();
        let mut became = None;
        let mut last = None;
        for token in naming {
            let said = &self.atoms[token.from..token.to];
            // 周 in 周期 is no week.
            let is_word = said[0].is_one_of(&["周"]);
            let is_of_time = !is_word && unit(said).is_some_and(|(_, count)| count == said.len());
            if said[0].is_one_of(&ANY) || is_of_time && token.kind == Kind::Name {
                return None;
            }
            match token.kind {
                Kind::Class(class) => classes.push((class, token)),
                Kind::Became(_) | Kind::Began(_) if became.is_some() => return None,
                Kind::Became(_) | Kind::Began(_) => {
                    became = match token.kind {
                        Kind::Became(value) => Some(value),
                        Kind::Began(to) => {
                            classes.push(("change", token));
                            Some(Became { from: None, to })
                        }
                        _ => None,
                    };
                    let named = words::named_in(said);
                    if !words.is_empty() && !named.is_empty() {
                        words.push(' ');
                    }
                    words.push_str(named);
                }
                _ => {
                    let is_apart = last != Some(token.from) || !self.atoms[token.from].is_han();
                    if is_apart && !words.is_empty() {
                        words.push(' ');
                    }
                    words.push_str(&self.text_of(token));
                    last = Some(token.to);
                }
            }
        }
        let names: Vec<&'static str> = classes.iter().map(|(class, _)| *class).collect();
        let class = one_class(&names)?;
        // That an arm halted is no stop of the robot.
        let is_verb = |token: &Token| {
            self.is_verb(token) || !words.is_empty() && self.atoms[token.to - 1].text == "halted"
        };
        let is_verb = classes.iter().any(|(class, token)| *class == "stop" && is_verb(token));
        if is_verb || class.is_some_and(|class| MIXED.contains(&class)) {
            return None;
        }
        if became.is_some() && class != Some("change") {
            return None;
        }
        // What stops protectively is the arm.
        let is_tripped = |token: &Token| self.atoms[token.from].text.starts_with("trip");
        let is_stop = class == Some("protective stop")
            || class == Some("stop") && classes.iter().any(|(_, token)| is_tripped(token));
        if is_stop && ARMS.contains(&words.as_str()) {
            words.clear();
        }
        let is_any = is_any && class.is_none() && words.is_empty();
        let mut said = classes.iter().flat_map(|(_, token)| &self.atoms[token.from..token.to]);
        let may_be_protective =
            class == Some("emergency stop") && said.all(|atom| atom.text != "emergency");
        let or_class = may_be_protective.then_some("protective stop");
        Some(NamedEvents { class, or_class, is_any, words, became, ..NamedEvents::default() })
    }

    /// Whether a word for a stop says that something came to rest.
    fn is_verb(&self, token: &Token) -> bool {
        let said = self.text_of(token);
        let before = &self.atoms[..token.from];
        // "Did the arm last stop", but "the last stop".
        let is_of = |back: usize, words: &[&str]| {
            before.len().checked_sub(back).is_some_and(|at| before[at].is_one_of(words))
        };
        let is_subject =
            is_of(1, &STOPPING) || is_of(1, &["last", "first", "ever"]) && is_of(2, &STOPPING);
        let is_after_did = is_subject && before.iter().any(|atom| atom.is_one_of(&["did"]));
        let is_counted = self.tokens.iter().any(|token| token.is(Word::Count));
        match said.as_str() {
            "stopped" | "stopping" | "停下" | "停住" => true,
            // 停了几次.
            "停了" | "停过" => !is_counted && !self.has_which(),
            "stop" => is_after_did,
            _ => false,
        }
    }

    /// 哪几次, 机: of separate stops.
    fn has_which(&self) -> bool {
        self.atoms.iter().any(|atom| atom.is_one_of(&["哪", "几", "机"]))
    }
}
