//! How well the probability of an answer is calibrated, on questions with an answer and without one; and the
//! program that fits its weights.
//!
//! ```text
//! cargo test --test quality calibration -- --nocapture         print the tables, hold the floors
//! QUALITY_CALIBRATION=write cargo test --test quality calibration      fit the weights anew, into the source
//! ```
//!
//! Fitted on the open half of the questions, judged on the sealed one.

use crate::Result;
use crate::logistic::{self, Sample};
use crate::material::{self, Question, Set, Unanswered};
use crate::measures::least_grade;
use crate::methods::{self, Remembering, Robot};
use robot_memory_core::api::{Hit, RecallRequest};
use robot_memory_index::ranking::{BY_VECTOR, BY_WORDS, CODES_WEIGHT, Signals, Standing, Weights};
use robot_memory_text::inference::{Synonyms, query_terms};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

/// Of so many questions one has no answer: what a robot is asked is mostly what it was told.
const UNANSWERED_SHARE: f64 = 1.0 / 3.0;
/// Expected calibration error on the sealed half at most.
const ERROR_MAX: f64 = 0.04;
/// Of the questions with an answer, so many have one left at 0.5; of those without, so many have a hit left.
const KEPT_MIN: f64 = 0.25;
const ANSWERED_MAX: f64 = 0.25;
/// What the tables show.
const BOUNDS: [f64; 5] = [0.05, 0.1, 0.2, 0.3, 0.5];

/// A question that was asked.
struct Asked {
    set: String,
    is_sealed: bool,
    has_answer: bool,
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
        let open = asked.iter().filter(|it| !it.is_sealed && it.has_model == has_model);
        logistic::fit(&samples(open))
    });
    println!("fitted by vector {:.2?}, by words {:.2?}", fitted[0], fitted[1]);
    if std::env::var("QUALITY_CALIBRATION").is_ok_and(|what| what == "write") {
        return write(&fitted);
    }
    let mut broken = Vec::new();
    for (what, asked) in [("each set a store", &asked), ("all sets one store", &pooled)] {
        for has_model in [true, false] {
            let sealed: Vec<&Asked> =
                asked.iter().filter(|it| it.is_sealed && it.has_model == has_model).collect();
            let with = if has_model { "with the model" } else { "without a model" };
            println!("\n{what}, {with}\n{}", table(&sealed));
            let error = expected_error(&sealed);
            if error > ERROR_MAX {
                broken.push(format!("{what}, {with}: calibration error {error:.3}"));
            }
            let (kept, answered) =
                (share_left(&sealed, true, 0.5), share_left(&sealed, false, 0.5));
            if kept < KEPT_MIN || answered > ANSWERED_MAX {
                broken
                    .push(format!("{what}, {with}: at 0.5 {kept:.2} kept, {answered:.2} answered"));
            }
        }
    }
    // The program that fits reads the same signals as the engine.
    for hit in asked.iter().chain(&pooled).flat_map(|it| &it.hits) {
        let own = hit.signals.probability();
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
    for has_model in [false, true] {
        if has_model {
            robot.take_model(model)?;
        }
        for (number, question) in set.questions.iter().enumerate() {
            let is_odd = number % 2 == 1 && !set.has_sealed();
            asked.push(ask(&robot, set, question, question.is_sealed || is_odd, has_model)?);
        }
        for question in &set.unanswered {
            asked.push(ask(&robot, set, question, question.is_sealed, has_model)?);
        }
        for other in &unanswered {
            asked.push(ask(&robot, set, &other.question(), other.is_sealed, has_model)?);
        }
    }
    Ok(())
}

fn ask(
    robot: &Robot,
    set: &Set,
    question: &Question,
    is_sealed: bool,
    has_model: bool,
) -> Result<Asked> {
    let request = RecallRequest { diversity: false, ..methods::asking(question) };
    let hits = robot.hits(request)?;
    let standing = Standing::of(hits.iter().map(|(_, hit)| hit.why.evidence));
    let terms = query_terms(&question.text, &Synonyms::default());
    let has_codes = terms.iter().any(|term| term.words.contains(char::is_numeric));
    let least = least_grade(&question.answers);
    let judged = |(name, hit): (String, Hit)| Judged {
        signals: Signals {
            coverage: hit.why.coverage,
            behind: standing.behind(hit.why.evidence),
            lead: standing.lead(),
            codes_missed: match has_codes {
                true => 1.0 - hit.why.code_gain / CODES_WEIGHT,
                false => 0.0,
            },
            has_similarity: hit.why.similarity.is_some(),
        },
        is_answer: question.answers.get(&name).is_some_and(|grade| *grade >= least),
        relevance: hit.why.relevance,
    };
    Ok(Asked {
        set: set.name.clone(),
        is_sealed,
        has_answer: !question.answers.is_empty(),
        has_model,
        is_chinese: question.text.contains(|c| matches!(c, '\u{4e00}'..='\u{9fff}')),
        hits: hits.into_iter().map(judged).collect(),
    })
}

/// What a question without an answer weighs beside one with an answer, so that they are [`UNANSWERED_SHARE`].
fn weight_of_unanswered(asked: &[&Asked]) -> f64 {
    let answered = asked.iter().filter(|it| it.has_answer).count();
    let others = asked.len() - answered;
    UNANSWERED_SHARE / (1.0 - UNANSWERED_SHARE) * answered as f64 / others.max(1) as f64
}

fn samples<'a>(asked: impl Iterator<Item = &'a Asked>) -> Vec<Sample> {
    let asked: Vec<&Asked> = asked.collect();
    let of_unanswered = weight_of_unanswered(&asked);
    let samples = asked.iter().flat_map(|it| {
        let weight = if it.has_answer { 1.0 } else { of_unanswered };
        it.hits.iter().map(move |hit| Sample {
            values: hit.signals.values(),
            is_answer: hit.is_answer,
            weight,
        })
    });
    samples.collect()
}

/// The share of questions, with an answer or without one, that have an answer, or any hit, at a bound.
fn share_left(asked: &[&Asked], has_answer: bool, bound: f64) -> f64 {
    let of = asked.iter().filter(|it| it.has_answer == has_answer);
    let is_left = |hit: &Judged| hit.relevance >= bound && (hit.is_answer || !has_answer);
    let left = of.clone().filter(|it| it.hits.iter().any(is_left)).count();
    left as f64 / of.count().max(1) as f64
}

/// Of all hits at a bound the share that are answers, questions weighed.
fn precision(asked: &[&Asked], bound: f64) -> f64 {
    let of_unanswered = weight_of_unanswered(asked);
    let (mut answers, mut all) = (0.0, 0.0);
    for it in asked {
        let weight = if it.has_answer { 1.0 } else { of_unanswered };
        for hit in it.hits.iter().filter(|hit| hit.relevance >= bound) {
            all += weight;
            answers += if hit.is_answer { weight } else { 0.0 };
        }
    }
    if all == 0.0 { 1.0 } else { answers / all }
}

/// Hits in tenths of their relevance: weight, mean relevance, share that are answers.
fn bins(asked: &[&Asked]) -> Vec<(f64, f64, f64)> {
    let of_unanswered = weight_of_unanswered(asked);
    let mut bins = vec![(0.0, 0.0, 0.0); 10];
    for it in asked {
        let weight = if it.has_answer { 1.0 } else { of_unanswered };
        for hit in &it.hits {
            let bin = &mut bins[((hit.relevance * 10.0) as usize).min(9)];
            bin.0 += weight;
            bin.1 += weight * hit.relevance;
            bin.2 += if hit.is_answer { weight } else { 0.0 };
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
    let mut text = String::from("relevance | hits | said | were answers\n");
    for (tenth, (weight, said, was)) in bins(asked).into_iter().enumerate() {
        if weight > 0.0 {
            let _ = writeln!(text, "0.{tenth} | {weight:.0} | {said:.3} | {was:.3}");
        }
    }
    let _ = writeln!(text, "calibration error {:.3}", expected_error(asked));
    let of = |name: &str, asked: &[&Asked], text: &mut String| {
        let _ =
            write!(text, "{name}: error {:.3}; kept/answered/precision at", expected_error(asked));
        for bound in BOUNDS {
            let (kept, others) = (share_left(asked, true, bound), share_left(asked, false, bound));
            let _ = write!(text, "  {bound}: {kept:.2}/{others:.2}/{:.2}", precision(asked, bound));
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
