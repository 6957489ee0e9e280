//! How well the probability that a list has an answer is calibrated, on questions with an answer, on questions about the same things
//! without one, and on questions about other things; and the program that fits its weights.
//!
//! ```text
//! cargo test --test quality calibration -- --nocapture         print the tables, hold the floors
//! QUALITY_CALIBRATION=write cargo test --test quality calibration      fit the weights anew, into the source
//! ```
//!
//! Fitted on one half of the questions, judged by the other, which has all that are sealed: no question is in both, of whatever store it is
//! asked.

use crate::Result;
use crate::logistic::{self, Sample};
use crate::material::{self, Question, Set, Unanswered};
use crate::measures::least_grade;
use crate::methods::{self, Remembering, Robot};
use robot_memory_core::api::{Hit, RecallRequest};
use robot_memory_index::ranking::{
    BY_VECTOR, BY_WORDS, CODES_WEIGHT, Signals, Standing, Weights, own_relevance,
};
use robot_memory_text::inference::{Synonyms, query_terms};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

/// For each question with an answer there is so much of one about the same things without one, and of one about other
/// things: of six, one each.
const UNANSWERED_SHARE: f64 = 0.25;
/// Expected calibration error on the half that judges at most: of some 600 questions the tenths are known to 0.05 or so.
const ERROR_MAX: f64 = 0.08;
/// Of the questions with an answer, so many have one left at 0.5; of those about the same things without one, and of those
/// about other things, so many have a hit left.
const KEPT_MIN: f64 = 0.5;
const NEAR_MAX: f64 = 0.72;
const FOREIGN_MAX: f64 = 0.12;
/// And a question with an answer so many hits.
const HITS_MAX: f64 = 4.5;
/// What the tables show.
const BOUNDS: [f64; 5] = [0.2, 0.3, 0.4, 0.5, 0.6];
/// Of the questions of the other sets one in so many is asked of a store that knows nothing of what they are about.
const FOREIGN_STEP: usize = 3;

/// What a question has to do with the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fit {
    Answered,
    /// It asks of the same things what was not told.
    Near,
    /// It asks of other things.
    Foreign,
}

/// A question that was asked.
struct Asked {
    set: String,
    is_judged: bool,
    fit: Fit,
    has_model: bool,
    is_chinese: bool,
    hits: Vec<Judged>,
}

/// A hit with what the engine says of it.
struct Judged {
    signals: Signals,
    is_answer: bool,
    relevance: f64,
}

#[test]
fn calibration_of_relevance() -> Result<()> {
    let model = methods::load_model()?;
    let mut asked = Vec::new();
    for name in material::SETS {
        let set = Set::read(name)?;
        ask_all(&set, &[name], &model, &mut asked)?;
    }
    let mut pooled = Vec::new();
    ask_all(&Set::pooled()?, &material::SETS, &model, &mut pooled)?;
    let fitted = [true, false].map(|has_model| {
        let open = asked.iter().filter(|it| !it.is_judged && it.has_model == has_model);
        logistic::fit(&samples(open))
    });
    println!("fitted by vector {:.2?}, by words {:.2?}", fitted[0], fitted[1]);
    if std::env::var("QUALITY_CALIBRATION").is_ok_and(|what| what == "write") {
        return write(&fitted);
    }
    let mut broken = Vec::new();
    for (what, asked) in [("each set a store", &asked), ("all sets one store", &pooled)] {
        for has_model in [true, false] {
            let judged: Vec<&Asked> =
                asked.iter().filter(|it| it.is_judged && it.has_model == has_model).collect();
            let with = if has_model { "with the model" } else { "without a model" };
            println!("\n{what}, {with}\n{}", table(&judged));
            let error = expected_error(&judged);
            if error > ERROR_MAX {
                broken.push(format!("{what}, {with}: calibration error {error:.3}"));
            }
            let left = |fit| share_left(&judged, fit, 0.5);
            let (kept, near, foreign) = (left(Fit::Answered), left(Fit::Near), left(Fit::Foreign));
            let hits = hits_left(&judged, 0.5);
            if kept < KEPT_MIN || near > NEAR_MAX || foreign > FOREIGN_MAX || hits > HITS_MAX {
                let at = format!("{kept:.2} {near:.2} {foreign:.2} {hits:.1}");
                broken.push(format!("{what}, {with}: at 0.5 {at}"));
            }
        }
    }
    // The program that fits reads the same signals as the engine.
    for hit in asked.iter().chain(&pooled).flat_map(|it| &it.hits) {
        let own = hit.signals.relevance();
        if (own - hit.relevance).abs() > 1e-6 {
            broken.push(format!("the engine says {}, {:?} make {own}", hit.relevance, hit.signals));
            break;
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
    Ok(())
}

/// Asks the questions of a store, with and without the model, and those of its sets that have no answer.
fn ask_all(
    set: &Set,
    parts: &[&str],
    model: &Arc<Remembering>,
    asked: &mut Vec<Asked>,
) -> Result<()> {
    let robot = Robot::taught(set)?;
    let unanswered: Vec<Unanswered> =
        Unanswered::read()?.into_iter().filter(|it| parts.contains(&it.set.as_str())).collect();
    let foreign = foreign(parts)?;
    for has_model in [false, true] {
        if has_model {
            robot.take_model(model)?;
        }
        for question in &set.questions {
            asked.push(ask(&robot, set, question, Fit::Answered, has_model)?);
        }
        for question in &set.unanswered {
            asked.push(ask(&robot, set, question, Fit::Near, has_model)?);
        }
        for other in &unanswered {
            asked.push(ask(&robot, set, &other.question(), Fit::Near, has_model)?);
        }
        for other in &foreign {
            asked.push(ask(&robot, set, other, Fit::Foreign, has_model)?);
        }
    }
    Ok(())
}

/// Questions of the sets that are not among these. Each is of the same half as in its own set, of whatever store it is asked.
fn foreign(parts: &[&str]) -> Result<Vec<Question>> {
    let mut foreign = Vec::new();
    for name in material::SETS.into_iter().filter(|name| !parts.contains(name)) {
        for Question { text, is_judged, .. } in
            Set::read(name)?.questions.into_iter().step_by(FOREIGN_STEP)
        {
            let set = String::new();
            foreign.push(Unanswered { set, text, is_sealed: is_judged }.question());
        }
    }
    Ok(foreign)
}

fn ask(robot: &Robot, set: &Set, question: &Question, fit: Fit, has_model: bool) -> Result<Asked> {
    let request = RecallRequest { diversity: false, ..methods::asking(question) };
    let hits = robot.hits(request)?;
    let standing = Standing::of(hits.iter().map(|(_, hit)| hit.why.evidence));
    let terms = query_terms(&question.text, &Synonyms::default());
    let has_codes = terms.iter().any(|term| term.words.contains(char::is_numeric));
    let least = least_grade(&question.answers);
    let best = hits.iter().map(|(_, hit)| &hit.why);
    let best = best.reduce(|best, why| if why.evidence > best.evidence { why } else { best });
    let best = best.cloned().unwrap_or_default();
    let judged = |(name, hit): (String, Hit)| Judged {
        signals: Signals {
            fit: own_relevance(best.similarity, best.coverage),
            lead: standing.lead(),
            codes_missed: match has_codes {
                true => 1.0 - best.code_gain / CODES_WEIGHT,
                false => 0.0,
            },
            share_left: standing.share_left(hit.why.evidence),
            has_similarity: best.similarity.is_some(),
        },
        is_answer: question.answers.get(&name).is_some_and(|grade| *grade >= least),
        relevance: hit.why.relevance,
    };
    Ok(Asked {
        set: set.name.clone(),
        is_judged: question.is_judged,
        fit,
        has_model,
        is_chinese: question.text.contains(|c| matches!(c, '\u{4e00}'..='\u{9fff}')),
        hits: hits.into_iter().map(judged).collect(),
    })
}

impl Asked {
    /// What is said of the list: the relevance of its best hit.
    fn said(&self) -> Option<f64> {
        self.hits.iter().map(|hit| hit.relevance).reduce(f64::max)
    }

    /// Whether one of the hits is an answer.
    fn has_answer(&self) -> bool {
        self.hits.iter().any(|hit| hit.is_answer)
    }
}

/// What each question weighs: those of each kind without an answer as much together as [`UNANSWERED_SHARE`] of those that
/// have one.
fn weights(asked: &[&Asked]) -> impl Fn(&Asked) -> f64 {
    let count = |fit: Fit| asked.iter().filter(|it| it.fit == fit).count() as f64;
    let [answered, near, foreign] = [Fit::Answered, Fit::Near, Fit::Foreign].map(count);
    move |it| match it.fit {
        Fit::Answered => 1.0,
        Fit::Near => UNANSWERED_SHARE * answered / near,
        Fit::Foreign => UNANSWERED_SHARE * answered / foreign,
    }
}

fn samples<'a>(asked: impl Iterator<Item = &'a Asked>) -> Vec<Sample> {
    let asked: Vec<&Asked> = asked.collect();
    let weight = weights(&asked);
    let sample = |it: &&Asked| {
        // But for the share that is left those of all hits are the same.
        let values = it.hits.first()?.signals.values();
        Some(Sample { values, is_answer: it.has_answer(), weight: weight(it) })
    };
    asked.iter().filter_map(sample).collect()
}

/// The share of questions that have an answer left at a bound, or any hit where they have no answer.
fn share_left(asked: &[&Asked], fit: Fit, bound: f64) -> f64 {
    let of = asked.iter().filter(|it| it.fit == fit);
    let is_left = |hit: &Judged| hit.relevance >= bound && (hit.is_answer || fit != Fit::Answered);
    let left = of.clone().filter(|it| it.hits.iter().any(is_left)).count();
    left as f64 / of.count().max(1) as f64
}

/// How many hits a question that has an answer has left at a bound, on average.
fn hits_left(asked: &[&Asked], bound: f64) -> f64 {
    let of: Vec<_> = asked.iter().filter(|it| it.fit == Fit::Answered).collect();
    let left = of.iter().flat_map(|it| &it.hits).filter(|hit| hit.relevance >= bound).count();
    left as f64 / of.len().max(1) as f64
}

/// Lists in tenths of what is said of them: weight, mean of that, share with an answer.
fn bins(asked: &[&Asked]) -> Vec<(f64, f64, f64)> {
    let weight = weights(asked);
    let mut bins = vec![(0.0, 0.0, 0.0); 10];
    for it in asked {
        let weight = weight(it);
        if let Some(said) = it.said() {
            let bin = &mut bins[((said * 10.0) as usize).min(9)];
            bin.0 += weight;
            bin.1 += weight * said;
            bin.2 += if it.has_answer() { weight } else { 0.0 };
        }
    }
    bins.into_iter().map(|(all, said, was)| (all, said / all, was / all)).collect()
}

/// The mean distance between what was said and what was, over bins (Naeini, Cooper and Hauskrecht 2015,
/// "Obtaining Well Calibrated Probabilities Using Bayesian Binning").
fn expected_error(asked: &[&Asked]) -> f64 {
    let bins = bins(asked);
    let all: f64 = bins.iter().map(|bin| bin.0).sum();
    let filled = bins.iter().filter(|bin| bin.0 > 0.0);
    filled.map(|(weight, said, was)| weight / all * (said - was).abs()).sum()
}

fn table(asked: &[&Asked]) -> String {
    let mut text = String::from("relevance | lists | said | had an answer\n");
    for (tenth, (weight, said, was)) in bins(asked).into_iter().enumerate() {
        if weight > 0.0 {
            let _ = writeln!(text, "0.{tenth} | {weight:.0} | {said:.3} | {was:.3}");
        }
    }
    let _ = writeln!(text, "calibration error {:.3}", expected_error(asked));
    let of = |name: &str, asked: &[&Asked], text: &mut String| {
        let _ = write!(text, "{name}: error {:.3}; kept/near/foreign/hits", expected_error(asked));
        for bound in BOUNDS {
            let [kept, near, foreign] =
                [Fit::Answered, Fit::Near, Fit::Foreign].map(|fit| share_left(asked, fit, bound));
            let hits = hits_left(asked, bound);
            let _ = write!(text, "  {bound}: {kept:.2}/{near:.2}/{foreign:.2}/{hits:.1}");
        }
        text.push('\n');
    };
    of("all", asked, &mut text);
    for (name, is_chinese) in [("English", false), ("Chinese", true)] {
        let some: Vec<&Asked> =
            asked.iter().copied().filter(|it| it.is_chinese == is_chinese).collect();
        of(name, &some, &mut text);
    }
    for set in material::SETS {
        let some: Vec<&Asked> = asked.iter().copied().filter(|it| it.set == set).collect();
        if !some.is_empty() {
            of(set, &some, &mut text);
        }
    }
    text
}

/// Writes the weights where the engine has them.
fn write(fitted: &[Weights; 2]) -> Result<()> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("crates/index/src/ranking/calibration/weights.rs");
    let text = std::fs::read_to_string(&path)?;
    let mut lines: Vec<String> = text.lines().map(String::from).collect();
    for (name, weights) in ["BY_VECTOR", "BY_WORDS"].into_iter().zip(fitted) {
        let begin = format!("pub const {name}: Weights = ");
        let line = lines.iter_mut().find(|line| line.starts_with(&begin));
        *line.ok_or("the file of the weights has another form")? = format!("{begin}{weights:.2?};");
    }
    std::fs::write(path, lines.join("\n") + "\n")?;
    println!("were {BY_VECTOR:?}, {BY_WORDS:?}; compile again to judge the new ones");
    Ok(())
}
