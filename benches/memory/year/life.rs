//! The year, day by day: what the robot does, what it is told, and how its nights are spent.

use super::Result;
use super::calendar::{Calendar, DAYS};
use super::events::recording;
use super::exam::{self, Costs, Month};
use super::random::SplitMix64;
use super::tasks::{Outcomes, Task};
use super::truths::{Origin, Purpose, Saying, World};
use robot_memory_core::api::{
    EndSession, EndSessionRequest, Learn, LearnRequest, LearnStatus, Recall, RecallRequest,
    SavePerceptionRequest, StartSession, StartSessionRequest,
};
use robot_memory_core::limits::BATCH_MAX;
use robot_memory_core::model::{Clock, JobStatus, Stamp};
use robot_memory_embedding::HashedEmbedder;
use robot_memory_engine::{Config, DailyAt, Engine, JobControl, JobDecision, WeeklyAt};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Instant;

/// Of so many perceptions one is an attempt that a skill stores with its outcome.
const ATTEMPT_OF: usize = 20;
/// When the sessions of a day begin, and for how long they last.
const SESSION_HOURS: [i8; 2] = [8, 13];
const SESSION_SECS: i64 = 4 * 3_600;
const NANOS_PER_SEC: i64 = 1_000_000_000;
/// When the node looks whether something is due: just before, at, and after each time of maintenance.
const NIGHT: [(i8, i8); 4] = [(0, 30), (3, 0), (4, 0), (6, 0)];

/// How much of a year there is, and what it may take.
#[derive(Debug, Clone)]
pub struct Scale {
    /// Events and attempts.
    pub perceptions: usize,
    /// Statements that the robot is told.
    pub statements: usize,
    /// What differs in another year.
    pub seed: u64,
    /// Of its vectors.
    pub dimension: usize,
    /// What events may take.
    pub events_bytes_max: u64,
    /// What the store's file may take: beyond it, writes would be refused.
    pub store_bytes_max: u64,
    /// Whether recalls are timed.
    pub is_timed: bool,
    /// How many of its days are lived.
    pub days: usize,
}

impl Scale {
    /// A share of the whole year: 500 000 perceptions and 20 000 statements, in a gibibyte of events.
    pub fn share(share: f64) -> Self {
        let of = |whole: f64| (whole * share).round() as usize;
        Self {
            perceptions: of(500_000.0),
            statements: of(20_000.0),
            seed: 2026,
            dimension: 256,
            events_bytes_max: of(f64::from(1 << 30)) as u64,
            store_bytes_max: of(f64::from(1 << 30) * 1.25) as u64,
            is_timed: true,
            days: DAYS,
        }
    }
}

/// A clock that stands until it is moved.
#[derive(Default)]
pub struct SetClock(AtomicI64);

impl SetClock {
    fn set(&self, stamp: Stamp) {
        self.0.store(stamp.0, Ordering::SeqCst);
    }
}

impl Clock for SetClock {
    fn now(&self) -> Option<Stamp> {
        Some(Stamp(self.0.load(Ordering::SeqCst)))
    }
}

/// Nobody waits while the robot sleeps.
struct Unhurried;

impl JobControl for Unhurried {
    fn between_steps(&self) -> JobDecision {
        JobDecision::On
    }
}

/// What the robot was told, and where that went.
#[derive(Debug, Default)]
pub struct RobotKnowledge {
    /// By memory: which value of which truth it says.
    pub values: BTreeMap<i64, (usize, usize)>,
    /// Statements that were taken for something else that was said.
    pub mistaken: u64,
    /// By task and object: how that went so far.
    pub outcomes: BTreeMap<(String, String), Outcomes>,
    /// The same, as it was at the last weekly maintenance.
    pub outcomes_of_week: BTreeMap<(String, String), Outcomes>,
}

/// A robot that lives through a year.
pub struct Life {
    /// How much of it.
    pub scale: Scale,
    /// When it works.
    pub calendar: Calendar,
    /// What is so.
    pub world: World,
    /// Its memory.
    pub engine: Engine,
    /// Its time.
    pub clock: Arc<SetClock>,
    /// What it was told so far.
    pub knowledge: RobotKnowledge,
    /// What this month cost.
    pub costs: Costs,
    /// Perceptions so far.
    pub perceived: usize,
    /// Of these, events.
    pub recorded: u64,
    /// Statements so far.
    pub stated: usize,
    folder: PathBuf,
    random: SplitMix64,
}

/// Lives through a year with a store in a folder, and tells of each month as it ends.
///
/// # Errors
/// When the memory refuses what a robot may do, or a job fails.
pub fn live(folder: &Path, scale: Scale, mut tell: impl FnMut(&Month)) -> Result<Vec<Month>> {
    let mut life = Life::new(folder, scale)?;
    let sayings = std::mem::take(&mut life.world.sayings);
    let perceptions = life.calendar.split(life.scale.perceptions);
    let mut months = Vec::new();
    for (day, perception_count) in perceptions.into_iter().enumerate().take(life.scale.days) {
        if life.calendar.days[day].is_on {
            if day > 0 && !life.calendar.days[day - 1].is_on {
                life = life.restart()?;
            }
            life.night(day)?;
            if life.calendar.days[day].load > 0.0 {
                let first = sayings.partition_point(|saying| saying.day < day);
                let last = sayings.partition_point(|saying| saying.day <= day);
                life.work(day, &sayings[first..last], perception_count)?;
            }
        }
        if life.calendar.ends_month(day) {
            let month = exam::hold(&mut life, day)?;
            tell(&month);
            months.push(month);
        }
    }
    life.engine.close()?;
    Ok(months)
}

impl Life {
    fn new(folder: &Path, scale: Scale) -> Result<Self> {
        let calendar = Calendar::of_year()?;
        let world = World::new(&calendar, scale.statements, scale.seed);
        let clock = Arc::new(SetClock::default());
        clock.set(calendar.at(0, 0, 0)?);
        let engine = open(&config(folder, &calendar, &scale)?, &scale, &clock)?;
        let random = SplitMix64::new(!scale.seed);
        Ok(Self {
            scale,
            calendar,
            world,
            engine,
            clock,
            knowledge: RobotKnowledge::default(),
            costs: Costs::default(),
            perceived: 0,
            recorded: 0,
            stated: 0,
            folder: folder.to_owned(),
            random,
        })
    }

    /// Closes the memory and opens it again.
    fn restart(self) -> Result<Self> {
        self.engine.close()?;
        // The file is locked until then.
        drop(self.engine);
        let config = config(&self.folder, &self.calendar, &self.scale)?;
        let engine = open(&config, &self.scale, &self.clock)?;
        Ok(Self { engine, ..self })
    }

    /// The store's file.
    pub fn store_path(&self) -> PathBuf {
        store_path(&self.folder)
    }

    /// A memory on a copy of the store, to be asked without being changed by it; and the copy.
    pub fn copy(&self) -> Result<(Engine, PathBuf)> {
        let folder = self.folder.join("copy");
        if folder.exists() {
            std::fs::remove_dir_all(&folder)?;
        }
        std::fs::create_dir(&folder)?;
        let path = store_path(&folder);
        for ending in ["", "-wal"] {
            let of = |path: &Path| PathBuf::from(format!("{}{ending}", path.display()));
            if of(&self.store_path()).exists() {
                std::fs::copy(of(&self.store_path()), of(&path))?;
            }
        }
        let engine = open(&Config::at(&path), &self.scale, &self.clock)?;
        Ok((engine, path))
    }

    /// What the node does by itself before somebody comes.
    fn night(&mut self, day: usize) -> Result<()> {
        for (hour, minute) in NIGHT {
            self.clock.set(self.calendar.at(day, hour, minute)?);
            let begun = Instant::now();
            self.engine.schedule()?;
            let is_weekly = self.do_jobs()?;
            self.rest()?;
            match is_weekly {
                Some(true) => {
                    self.costs.weekly_secs.push(begun.elapsed().as_secs_f64());
                    self.knowledge.outcomes_of_week = self.knowledge.outcomes.clone();
                }
                Some(false) => self.costs.daily_secs.push(begun.elapsed().as_secs_f64()),
                None => {}
            }
        }
        Ok(())
    }

    /// Does all jobs that wait; answers whether one was a weekly maintenance, if any was maintenance.
    fn do_jobs(&self) -> Result<Option<bool>> {
        let mut is_weekly = None;
        while let Some(claim) = self.engine.claim_job(0)? {
            let job = self.engine.work(&claim, &Unhurried)?;
            if job.status != JobStatus::Succeeded {
                let of = (job.job_type, job.status, &job.last_error);
                return Err(format!("a job did not succeed: {of:?}").into());
            }
            if job.job_type == robot_memory_core::model::JobType::Maintenance {
                let weekly = job.payload.contains("weekly");
                is_weekly = Some(is_weekly.unwrap_or(false) || weekly);
            }
        }
        Ok(is_weekly)
    }

    /// Upkeep, until there is nothing to do at once.
    fn rest(&self) -> Result<()> {
        while self.engine.upkeep()? {}
        Ok(())
    }

    /// The sessions of a day.
    fn work(&mut self, day: usize, sayings: &[Saying], perception_count: usize) -> Result<()> {
        let session_count = SESSION_HOURS.len();
        let part = |whole: usize, session: usize| {
            whole * session / session_count..whole * (session + 1) / session_count
        };
        for (session, hour) in SESSION_HOURS.into_iter().enumerate() {
            let begin = self.calendar.at(day, hour, 0)?;
            self.clock.set(begin);
            let request = StartSessionRequest {
                context: r#"{"task": {"name": "assembly"}}"#.into(),
                ..Default::default()
            };
            let session_id = self.engine.call::<StartSession>(request)?.session_id;
            for saying in &sayings[part(sayings.len(), session)] {
                self.hear(saying, &session_id)?;
            }
            let perceptions = part(perception_count, session);
            self.perceive(day, begin, perceptions.len(), &session_id)?;
            if session == 0 {
                self.ask(day)?;
            }
            self.clock.set(Stamp(begin.0 + SESSION_SECS * NANOS_PER_SEC));
            let begun = Instant::now();
            let outcome_score = Some(if day.is_multiple_of(3) { 0.2 } else { 0.9 });
            let request = EndSessionRequest { session_id, outcome_score, ..Default::default() };
            self.engine.call::<EndSession>(request)?;
            self.costs.end_session_secs.push(begun.elapsed().as_secs_f64());
            self.rest()?;
        }
        Ok(())
    }

    /// Learns a statement.
    fn hear(&mut self, saying: &Saying, session_id: &str) -> Result<()> {
        let mut request = LearnRequest {
            insight: saying.text.clone(),
            session_id: session_id.to_owned(),
            ..Default::default()
        };
        match saying.origin {
            Origin::Operator => {}
            Origin::Simulator => request.context = r#"{"env": {"sim_or_real": "sim"}}"#.into(),
            Origin::Group => request.source = "group_chat".into(),
        }
        if let Purpose::Logs { task } = saying.purpose {
            let task = &self.world.logged_tasks[task];
            let attempt = task.attempt(&mut self.random);
            request.insight = task.text(attempt);
            request.context = task.context(attempt).to_string();
            request.mem_type = "task_log".into();
            self.knowledge.count(task, attempt);
        }
        let begun = Instant::now();
        let answer = self.engine.call::<Learn>(request)?;
        self.costs.learn_secs.push(begun.elapsed().as_secs_f64());
        self.stated += 1;
        let id = match answer.status {
            LearnStatus::Created => answer.memory_id,
            LearnStatus::Duplicate => answer.existing_id,
            LearnStatus::Queued => return Err("a statement was queued".into()),
        };
        let means = match saying.purpose {
            Purpose::Says { truth, value } => Some((truth, value)),
            Purpose::Logs { .. } | Purpose::Noise => None,
        };
        if answer.status == LearnStatus::Duplicate {
            self.knowledge.mistaken += u64::from(self.knowledge.values.get(&id).copied() != means);
        } else if let Some(means) = means {
            self.knowledge.values.insert(id, means);
        }
        Ok(())
    }

    /// What streams record and skills store in a session.
    fn perceive(&mut self, day: usize, begin: Stamp, count: usize, session_id: &str) -> Result<()> {
        let temperature_c = self.calendar.days[day].temperature_c;
        let step = SESSION_SECS * NANOS_PER_SEC / (count as i64 + 1);
        let (mut recordings, mut attempts) = (Vec::new(), Vec::new());
        for number in 0..count {
            let at = Stamp(begin.0 + step * (number as i64 + 1));
            if self.perceived.is_multiple_of(ATTEMPT_OF) {
                let task = self.random.below(self.world.tasks.len());
                let task = &self.world.tasks[task];
                let attempt = task.attempt(&mut self.random);
                self.knowledge.count(task, attempt);
                attempts.push(SavePerceptionRequest {
                    description: task.text(attempt),
                    perception_type: "tactile".into(),
                    context: task.context(attempt).to_string(),
                    session_id: session_id.to_owned(),
                    ..Default::default()
                });
            } else {
                self.recorded += 1;
                recordings.push(recording(self.perceived, at, temperature_c));
            }
            self.perceived += 1;
            let is_last = number + 1 == count;
            if is_last || recordings.len() == BATCH_MAX {
                self.clock.set(Stamp(at.0 + 10 * NANOS_PER_SEC));
                let begun = Instant::now();
                for stored in self.engine.record(std::mem::take(&mut recordings))? {
                    stored?;
                }
                for stored in self.engine.save_perceptions(std::mem::take(&mut attempts))? {
                    stored?;
                }
                self.costs.record_secs += begun.elapsed().as_secs_f64();
                self.rest()?;
            }
        }
        Ok(())
    }

    /// Asks for what the day's work needs.
    fn ask(&mut self, day: usize) -> Result<()> {
        for (number, truth) in self.world.truths.iter().enumerate() {
            // What was due on days without work is asked for on the next.
            let since = (0..day).rev().find(|day| self.calendar.days[*day].load > 0.0);
            let mut days = since.map_or(0, |since| since + 1)..=day;
            if days.any(|day| truth.is_due(number, day)) {
                self.engine.call::<Recall>(RecallRequest {
                    query: truth.question.clone(),
                    ..Default::default()
                })?;
            }
        }
        Ok(())
    }
}

impl RobotKnowledge {
    fn count(&mut self, task: &Task, attempt: super::tasks::Attempt) {
        let of = (task.name.to_owned(), task.object.clone());
        self.outcomes.entry(of).or_default().add(attempt);
    }
}

fn store_path(folder: &Path) -> PathBuf {
    folder.join("memory.db")
}

fn config(folder: &Path, calendar: &Calendar, scale: &Scale) -> Result<Config> {
    let mut config = Config::at(store_path(folder));
    config.sim_or_real = "real".into();
    config.jobs.has_workers = true;
    config.events_bytes_max = scale.events_bytes_max;
    config.store_bytes_max = scale.store_bytes_max;
    config.maintenance.time_zone = calendar.zone.clone();
    config.maintenance.daily_at = Some(DailyAt::parse("03:00")?);
    config.maintenance.weekly_at = Some(WeeklyAt::parse("sun 04:00")?);
    Ok(config)
}

/// Opens a memory with words and vectors.
fn open(config: &Config, scale: &Scale, clock: &Arc<SetClock>) -> Result<Engine> {
    let (engine, opened) = Engine::open(config.clone(), Arc::clone(clock) as Arc<dyn Clock>)?;
    if let Some(aside) = opened.damaged_aside {
        return Err(format!("the store was damaged: see {}", aside.display()).into());
    }
    engine.set_embedder(Ok(Some(Arc::new(HashedEmbedder::new(scale.dimension)))))?;
    while engine.upkeep()? {}
    Ok(engine)
}
