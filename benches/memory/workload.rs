//! The same statements and questions for programs that are no part of this one.

use crate::Result;
use crate::comparison::Scale;
use crate::measure::Task;
use crate::robot::{Robot, load_model};
use crate::statements::Statements;
use crate::system::{Filter, MIN_CONFIDENCE};
use crate::vectors::QUESTION_COUNT;
use robot_memory_core::api::{SavePerception, SavePerceptionRequest};
use serde_json::{Value, json};
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

/// Statements for a round, for two writes and for what another thread stores meanwhile: robotmem
/// takes none twice.
const FRESH_PER_ROUND: usize = 12;

/// Leaves `memory.db` and `workload.json` for a client of the node.
pub fn write(scale: &Scale) -> Result<()> {
    let count = scale.memory_count;
    let statements = Statements::new(count + 2 * scale.rounds);
    eprintln!("bench: storing {count} memories");
    let robot = Robot::open(&scale.folder.join("memory.db"))?;
    robot.engine.set_embedder(Ok(Some(load_model()?)))?;
    for number in 0..count {
        let statement = statements.get(number);
        let (description, context) = (statement.text, statement.context);
        let request = SavePerceptionRequest { description, context, ..Default::default() };
        robot.engine.call::<SavePerception>(request)?;
    }
    robot.engine.close()?;
    let questions: Vec<_> = (0..QUESTION_COUNT).map(|number| statements.question(number)).collect();
    let fresh: Vec<_> =
        (count..statements.base_count()).map(|number| statements.get(number)).collect();
    let workload = json!({ "queries": questions, "statements": fresh });
    fs::write(scale.folder.join("workload.json"), workload.to_string())?;
    Ok(())
}

/// Leaves `workload.json` and `vectors.bin`, the vectors of its statements and then of its
/// questions, little-endian f32.
pub fn for_robotmem(task: &Task, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    let count = task.size + FRESH_PER_ROUND * task.rounds;
    let statements: Vec<_> = (0..count).map(|number| task.statements.get(number)).collect();
    let filter = |filter: Filter| -> Result<Value> { Ok(serde_json::from_str(filter.json())?) };
    let workload = json!({
        "size": task.size,
        "rounds": task.rounds,
        "statements": statements,
        "questions": task.questions,
        "broad": filter(Filter::Broad)?,
        "narrow": filter(Filter::Narrow)?,
        "min_confidence": MIN_CONFIDENCE,
        "dimension": task.vectors.dimension(),
    });
    fs::write(folder.join("workload.json"), workload.to_string())?;
    let mut file = BufWriter::new(File::create(folder.join("vectors.bin"))?);
    let mut write = |vector: &[f32]| {
        vector.iter().try_for_each(|component| file.write_all(&component.to_le_bytes()))
    };
    for number in 0..count {
        write(&task.vectors.statement(number)?)?;
    }
    for question in &task.questions {
        write(task.vectors.question(question)?)?;
    }
    file.flush()?;
    Ok(())
}
