//! All measurements, each in a process of its own, so that what one leaves in memory is not counted
//! for another.

use crate::Result;
use crate::figures::{Figure, Figures, table as table_of};
use crate::machine::{Machine, Resident};
use crate::measure::{self, BASELINE, OURS, Task};
use crate::plot;
use crate::readers;
use crate::robot::load_model;
use crate::statements::{self, Statements};
use crate::timing::Timings;
use crate::vectors::{NOISE, QUESTION_COUNT, Vectors};
use crate::workload;
use serde_json::json;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Statements that differ in their words at most, and whose vectors are the model's.
const BASE_MAX: usize = 100_000;
/// robotmem learns this many in some minutes; it looks for duplicates of each.
const ROBOTMEM_SIZE_MAX: usize = 10_000;
/// Rounds times memories of the baseline at most, but for a few rounds in any case: it takes
/// seconds to answer at a million.
const BASELINE_WORK: usize = 5_000_000;
const BASELINE_ROUNDS_MIN: usize = 10;

/// What is counted for no memory.
const MODEL: &str = "the model";

/// What the caller wants.
struct Options {
    sizes: Vec<usize>,
    rounds: usize,
    json: Option<PathBuf>,
    svg: Option<PathBuf>,
    /// A Python that has robotmem, and the script that measures it.
    robotmem: Option<(PathBuf, PathBuf)>,
    baseline: bool,
    /// The figures of the other memories, from an earlier run.
    others: Vec<Figure>,
}

impl Options {
    fn parse(arguments: &[&str]) -> Result<Self> {
        let mut options = Self {
            sizes: vec![1_000, 10_000, 100_000, 1_000_000],
            rounds: 1_000,
            json: None,
            svg: None,
            robotmem: None,
            baseline: true,
            others: Vec::new(),
        };
        let mut rest = arguments;
        loop {
            rest = match rest {
                [] => break,
                ["--sizes", sizes, rest @ ..] => {
                    options.sizes =
                        sizes.split(',').map(str::parse).collect::<std::result::Result<_, _>>()?;
                    rest
                }
                ["--rounds", rounds, rest @ ..] => {
                    options.rounds = rounds.parse()?;
                    rest
                }
                ["--json", path, rest @ ..] => {
                    options.json = Some(path.into());
                    rest
                }
                ["--svg", path, rest @ ..] => {
                    options.svg = Some(path.into());
                    rest
                }
                ["--robotmem", python, script, rest @ ..] => {
                    options.robotmem = Some((python.into(), script.into()));
                    rest
                }
                ["--others", path, rest @ ..] => {
                    options.others = others(Path::new(path))?;
                    options.baseline = false;
                    rest
                }
                ["--skip-baseline", rest @ ..] => {
                    options.baseline = false;
                    rest
                }
                [other, ..] => return Err(format!("no such option: {other}").into()),
            }
        }
        options.sizes.sort_unstable();
        if options.rounds == 0 || options.sizes.first().is_none_or(|least| *least < QUESTION_COUNT)
        {
            return Err(format!("a round at least, and sizes of at least {QUESTION_COUNT}").into());
        }
        Ok(options)
    }

    /// Statements that differ in their words, for a size: fresh ones are left for the writing.
    fn base_count(&self, size: usize) -> usize {
        (size + 4 * self.rounds).min(BASE_MAX)
    }
}

/// Embeds the statements and questions that the cache lacks.
pub fn prepare(base_count: &str) -> Result<()> {
    Vectors::prepare(&Statements::new(base_count.parse()?))
}

/// What an earlier run wrote of the memories that do not change with this one.
fn others(json: &Path) -> Result<Vec<Figure>> {
    let document: serde_json::Value = serde_json::from_str(&fs::read_to_string(json)?)?;
    let mut figures: Vec<Figure> = serde_json::from_value(document["figures"].clone())?;
    figures.retain(|figure| ![OURS, MODEL].contains(&figure.system.as_str()));
    Ok(figures)
}

/// Measures everything and prints the table.
pub fn table(folder: &Path, arguments: &[&str]) -> Result<()> {
    let options = Options::parse(arguments)?;
    let mut machine = Machine::this(folder);
    let largest = options.sizes.iter().copied().max().unwrap_or(0);
    Vectors::prepare(&Statements::new(options.base_count(largest)))?;

    let mut figures = Vec::new();
    for &size in &options.sizes {
        let own = |name: &str, rounds: usize| {
            eprintln!("bench: {name}, {size} memories");
            let mut command = Command::new(env::current_exe()?);
            command.args(["part", name]).arg(folder);
            command.args([size, rounds, options.base_count(size)].map(|number| number.to_string()));
            answer_of(command)
        };
        figures.extend(own("fill-ours", options.rounds)?);
        figures.extend(own("measure-ours", options.rounds)?);
        figures.extend(own("readers", options.rounds)?);
        if options.baseline {
            let rounds = options.rounds.min((BASELINE_WORK / size).max(BASELINE_ROUNDS_MIN));
            figures.extend(own("fill-baseline", rounds)?);
            figures.extend(own("measure-baseline", rounds)?);
        }
        if let Some((python, script)) = &options.robotmem
            && size <= ROBOTMEM_SIZE_MAX
        {
            own("workload-for-robotmem", options.rounds)?;
            eprintln!("bench: robotmem, {size} memories");
            let mut command = Command::new(python);
            command.arg("-I").arg(script).arg(folder.join("robotmem"));
            figures.extend(answer_of(command)?);
        }
        let of_this_size = options.others.iter().filter(|figure| figure.size == size);
        figures.extend(of_this_size.cloned());
        figures.extend(own("model", options.rounds)?);
        remove_stores(folder)?;
    }
    machine.finish();

    print!("{}", heading(&options, &machine));
    print!("{}", table_of(&figures));
    if let Some(path) = &options.json {
        let document = json!({
            "machine": machine,
            "rounds": options.rounds,
            "statements_version": statements::VERSION,
            "figures": figures,
        });
        fs::write(path, serde_json::to_string_pretty(&document)? + "\n")?;
    }
    if let Some(path) = &options.svg {
        fs::write(path, plot::svg(&figures))?;
    }
    Ok(())
}

/// Measures a part and prints its figures as JSON.
pub fn part(name: &str, folder: &Path, size: &str, rounds: &str, base_count: &str) -> Result<()> {
    let (size, rounds) = (size.parse()?, rounds.parse()?);
    let task = Task::new(folder, size, rounds, base_count.parse()?)?;
    let figures = match name {
        "fill-ours" => measure::fill_ours(&task)?,
        "measure-ours" => measure::measure_ours(&task)?,
        "readers" => readers::measure(&task)?,
        "fill-baseline" => measure::fill_baseline(&task)?,
        "measure-baseline" => measure::measure_baseline(&task)?,
        "workload-for-robotmem" => {
            workload::for_robotmem(&task, &folder.join("robotmem"))?;
            Vec::new()
        }
        "model" => model(&task)?,
        _ => return Err(format!("no such part: {name}").into()),
    };
    println!("{}", serde_json::to_string(&figures)?);
    Ok(())
}

/// What the model itself takes, whichever memory it serves.
fn model(task: &Task) -> Result<Vec<Figure>> {
    let before = Resident::now()?;
    let model = load_model()?;
    let timings = Timings::of(task.rounds.min(500), |round| {
        model.embed(&task.questions[round % task.questions.len()])?;
        Ok(())
    })?;
    let mut figures = Figures::new(MODEL, task.size);
    figures.add("embedding a question: CPU p50", timings.cpu_ms(0.5), "ms");
    figures.add("embedding a question: CPU p95", timings.cpu_ms(0.95), "ms");
    figures.add("resident memory of the model", Resident::now()?.all_mb - before.all_mb, "MB");
    Ok(figures.into_list())
}

fn answer_of(mut command: Command) -> Result<Vec<Figure>> {
    let output = command.stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        return Err(format!("a part failed: {}", output.status).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// They are large; the folder is the caller's.
fn remove_stores(folder: &Path) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name == "robotmem" {
            fs::remove_dir_all(path)?;
        } else if name.starts_with("ours_") || name.starts_with("baseline_") {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

fn heading(options: &Options, machine: &Machine) -> String {
    let mut heading = format!(
        "{} cores, {}, {}, stores on {}; load {:.2} before, {:.2} after. {} rounds{}. CPU is that of \
         all threads that answer, without the model's time; wall is the latency while another thread \
         stores 100 perceptions a second; n = 5, two conditions on the context (36 % of the rows match, 1.3 % \
         the narrow filter) and min_confidence {}.",
        machine.cores,
        machine.processor,
        env::consts::ARCH,
        machine.file_system,
        machine.load_before,
        machine.load_after,
        options.rounds,
        if options.baseline {
            format!(", of {BASELINE} fewer where it is slow")
        } else {
            String::new()
        },
        crate::system::MIN_CONFIDENCE,
    );
    if !options.others.is_empty() {
        heading += " The figures of the other memories are those of an earlier run.";
    }
    if cfg!(debug_assertions) {
        heading += " Compiled without optimizing: the times say nothing.";
    }
    if options.sizes.iter().any(|size| options.base_count(*size) < *size) {
        heading += &format!(" Beyond {} memories: {NOISE}.", crate::figures::grouped(BASE_MAX));
    }
    heading + "\n\n"
}
