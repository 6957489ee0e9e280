//! `memory adopt`: a new body goes on with what another one remembered.

mod copy;
mod lines;
mod report;

use super::arguments::StoreArguments;
use super::failure::{Failure, Outcome, is_of_this_one};
use super::open::{load_model, open_writing, with_access};
use super::output::Output;
use super::values::spellings;
use crate::faces::wall_clock::WallClock;
use clap::Args;
use copy::StoreCopy;
use lines::Lines;
use report::Report;
use robot_memory_claims::{KnownRobots, check_robot_name, verify};
use robot_memory_core::claim::{Body, Claim};
use robot_memory_core::limits::FLEET_BATCH_MAX;
use robot_memory_engine::{AdoptAs, Adoption, BroughtOver, Engine, FleetPosition, NewBody};
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Whose claims, and which body goes on with them.
#[derive(Debug, Args)]
pub struct AdoptArguments {
    /// What `memory export --claims` wrote, - for standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The names and public keys of the robots that are believed to be who they say, as the node's fleet_robots_path
    #[arg(long, value_name = "FILE")]
    pub robots: PathBuf,
    /// As what others told (hearsay), or as what this robot remembers itself, as far as it transfers (own)
    #[arg(long = "as", value_name = "WHAT", value_parser = spellings!(AdoptAs))]
    pub adopt_as: String,
    /// Name of the new body
    #[arg(long, value_name = "NAME")]
    pub robot: String,
    /// Its type, as the node's robot_type [default: another one than any other]
    #[arg(long, value_name = "TYPE", default_value = "", hide_default_value = true)]
    pub robot_type: String,
    /// Its gripper, as the node's gripper [default: another one than any other]
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    pub gripper: String,
    /// The map in which it is, as the node's map_id [default: another one than any other]
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    pub map: String,
    /// File that defines what is never stored [default: the shipped one]
    #[arg(long, value_name = "FILE")]
    pub access: Option<PathBuf>,
    /// Show what would be done, on a copy of the store; a node may have the store meanwhile
    #[arg(long)]
    pub dry_run: bool,
}

/// What is to be done with each line.
struct Task<'t> {
    engine: &'t Engine,
    known: &'t KnownRobots,
    new: NewBody,
    adopt_as: AdoptAs,
    /// How far the store took its fleet's stream: that stays so.
    position: FleetPosition,
    /// What is hearsay and not stored yet.
    waiting: Vec<Claim>,
    report: Report,
}

/// Verifies and stores each line, and tells what became of them, also when that ends early.
pub fn run(arguments: &AdoptArguments, store: &StoreArguments, output: &mut Output) -> Outcome {
    let AdoptArguments { robot, robot_type, gripper, map, dry_run, .. } = arguments;
    check_robot_name(robot).map_err(|fault| Failure::Given(format!("--robot: {fault}")))?;
    let known = KnownRobots::open(&arguments.robots)
        .map_err(|error| Failure::Given(format!("{}: {error}", arguments.robots.display())))?;
    let adopt_as = AdoptAs::parse(&arguments.adopt_as).unwrap_or(AdoptAs::Hearsay);
    let mut lines = Lines::of(open(&arguments.file)?);
    let copy = dry_run.then(|| StoreCopy::of(store)).transpose()?;
    let store = copy.as_ref().map_or(store, |copy| &copy.store);
    let settings = with_access(arguments.access.as_deref());
    let engine = open_writing(store, &settings, Arc::new(WallClock))?;
    load_model(&engine, store, &settings)?;
    let body = Body { robot_type: robot_type.clone(), gripper: gripper.clone() };
    let mut task = Task {
        engine: &engine,
        known: &known,
        new: NewBody { robot_id: robot.clone(), body, map_id: map.clone() },
        adopt_as,
        position: engine.fleet_summary()?.position,
        waiting: Vec::new(),
        report: Report::new(*dry_run, adopt_as),
    };
    let adopted = task.adopt_all(&mut lines, &arguments.file);
    let told = output.answer(&task.report, Report::shown);
    let closed = engine.close();
    adopted?;
    told?;
    Ok(closed?)
}

fn open(path: &Path) -> Result<Box<dyn BufRead>, Failure> {
    if path == Path::new("-") {
        return Ok(Box::new(io::stdin().lock()));
    }
    let file = File::open(path).map_err(|source| failure(path, source))?;
    Ok(Box::new(BufReader::new(file)))
}

fn failure(path: &Path, source: io::Error) -> Failure {
    Failure::File { path: path.to_owned(), source }
}

impl Task<'_> {
    fn adopt_all(&mut self, lines: &mut Lines<Box<dyn BufRead>>, path: &Path) -> Outcome {
        while let Some(line) = lines.next().map_err(|source| failure(path, source))? {
            self.report.line_count += 1;
            let claim = line.message.and_then(|message| verify(message, self.known));
            match claim {
                Ok(claim) => self.adopt(line.number, claim)?,
                Err(refused) => {
                    let fault = refused.to_string();
                    self.report.refuse(Some(line.number), refused.cause().as_str(), fault);
                }
            }
            if self.waiting.len() == FLEET_BATCH_MAX {
                self.take_waiting()?;
            }
        }
        self.take_waiting()
    }

    fn adopt(&mut self, line: u64, claim: Claim) -> Outcome {
        match self.engine.adoption_of(&claim, &self.new, self.adopt_as)? {
            Adoption::Own(memory) => match self.engine.bring_over(*memory) {
                Ok(BroughtOver::Kept { is_new: true, .. }) => self.report.own.kept += 1,
                Ok(BroughtOver::Kept { is_new: false, .. }) => self.report.own.known += 1,
                Ok(BroughtOver::Merged { .. }) => self.report.own.merged += 1,
                Err(error) if is_of_this_one(&error) => {
                    self.report.not_storable(Some(line), &error.message)
                }
                Err(error) => return Err(error.into()),
            },
            Adoption::Hearsay(rule) => {
                if let Some(rule) = rule {
                    self.report.except(line, &claim, rule, true);
                }
                self.waiting.push(claim);
            }
            Adoption::LeftOut(rule) => self.report.except(line, &claim, rule, false),
        }
        Ok(())
    }

    /// Stores the hearsay that waits.
    fn take_waiting(&mut self) -> Outcome {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let taken = self.engine.take_claims(
            std::mem::take(&mut self.waiting),
            &self.position,
            &self.position,
        )?;
        let counts = &mut self.report.hearsay;
        counts.kept += taken.asserted_count;
        counts.revised += taken.revised_count;
        counts.known += taken.known_count;
        counts.forgotten += taken.forgotten_count;
        for (origin, fault) in taken.refused {
            self.report.not_storable(None, &format!("a claim of {origin}: {fault}"));
        }
        Ok(())
    }
}
