//! What Learn and Recall cost a robot that is in a fleet, beside one that is in none.

use crate::Result;
use crate::robot::{SetClock, load_model};
use crate::statements::Statements;
use crate::timing::Timings;
use robot_memory_core::api::{Learn, LearnRequest, Recall, RecallRequest};
use robot_memory_core::claim::Body;
use robot_memory_embedding::Embedder;
use robot_memory_engine::{Config, Engine, FleetMember, KeptClaim};
use std::path::Path;
use std::sync::Arc;

/// Claims are told after so many rounds, as a link does it beside.
const TOLD_EACH: usize = 50;

/// Two robots learn and recall the same in turn, so that what else the computer does meets both; prints a table with the
/// ratios of their medians.
pub fn measure(folder: &Path, memory_count: usize, rounds: usize) -> Result<()> {
    if memory_count == 0 || rounds == 0 {
        return Err("a memory and a round at least".into());
    }
    let model = load_model()?;
    let statements = Statements::new(memory_count + rounds);
    let open = |name: &str, fleet: Option<FleetMember>| -> Result<Engine> {
        let access = Some("fleet: [{scope: global, share: all}]".to_owned());
        let config = Config { fleet, access, ..Config::at(folder.join(name)) };
        let (engine, _) = Engine::open(config, Arc::new(SetClock::at_start()))?;
        engine.set_embedder(Ok(Some(Arc::clone(&model) as Arc<dyn Embedder>)))?;
        Ok(engine)
    };
    let robots = [
        open("alone.db", None)?,
        open("in_fleet.db", Some(FleetMember::new("arm", Body::default())))?,
    ];
    let learn = |robot: &Engine, number: usize| -> Result<()> {
        let insight = statements.text(number);
        robot.call::<Learn>(LearnRequest { insight, ..Default::default() })?;
        Ok(())
    };
    for number in 0..memory_count {
        robots.iter().try_for_each(|robot| learn(robot, number))?;
    }
    tell_all(&robots[1])?;
    let mut learned: [Timings; 2] = Default::default();
    let mut recalled: [Timings; 2] = Default::default();
    for round in 0..rounds {
        for turn in 0..2 {
            // The first of a round may find other things in the caches than the second.
            let which = (turn + round) % 2;
            let robot = &robots[which];
            learned[which].time(|| learn(robot, memory_count + round))?;
            let query = statements.question(round);
            recalled[which].time(|| {
                let request = RecallRequest { query, ..Default::default() };
                Ok(robot.call::<Recall>(request)?)
            })?;
        }
        if round % TOLD_EACH == 0 {
            tell_all(&robots[1])?;
        }
    }
    println!("{memory_count} memories, {rounds} rounds\n");
    println!("| | alone | in a fleet | ratio |\n|---|---|---|---|");
    for (name, [alone, in_fleet]) in [("Learn", &learned), ("Recall", &recalled)] {
        let cpu = [alone.cpu_ms(0.5), in_fleet.cpu_ms(0.5)];
        let wall = [alone.wall_ms(0.5), in_fleet.wall_ms(0.5)];
        for (clock, [alone, in_fleet]) in [("CPU", cpu), ("wall", wall)] {
            let ratio = in_fleet / alone;
            println!("| {name}, {clock} p50 | {alone:.3} ms | {in_fleet:.3} ms | {ratio:.3} |");
        }
    }
    robots.iter().try_for_each(Engine::close)?;
    Ok(())
}

/// Tells what waits, as if the hub had it.
fn tell_all(robot: &Engine) -> Result<()> {
    loop {
        let claims = robot.claims_to_tell(500)?;
        if claims.is_empty() {
            return Ok(());
        }
        let told: Vec<KeptClaim> = claims.iter().map(KeptClaim::of).collect();
        robot.claims_told(&told)?;
    }
}
