//! `memory site provenance`

use super::store_in;
use crate::faces::cli::failure::{Failure, Outcome};
use crate::faces::cli::output::Output;
use crate::faces::cli::values::visible;
use clap::Args;
use robot_memory_core::claim::MemoryRef;
use robot_memory_core::model::Stamp;
use robot_memory_site::{
    Error, Provenance, ProvenanceMemory, ProvenanceTeller, ProvenanceVerdict, Scopes,
};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Which memory, and where the site keeps it.
#[derive(Debug, Args)]
pub struct ProvenanceArguments {
    /// The robot that tells the memory
    #[arg(value_name = "ROBOT")]
    pub robot: String,
    /// Its id there
    #[arg(value_name = "ID")]
    pub id: i64,
    /// File with the address of the Postgres of the site, which only its owner may read
    #[arg(long, value_name = "FILE")]
    pub postgres_file: PathBuf,
    /// Name of the site
    #[arg(long = "as", value_name = "NAME", default_value = "site")]
    pub name: String,
}

/// Shows who told a memory, when, and what it goes back to.
pub fn run(arguments: &ProvenanceArguments, output: &mut Output) -> Outcome {
    let ProvenanceArguments { robot, id, postgres_file, name } = arguments;
    let site = store_in(postgres_file, name)?;
    let found = site.provenance(robot, *id, &Scopes::All).map_err(|error| match error {
        Error::NotFound(text) => Failure::Given(format!("{robot} {id}: {text}")),
        error => Failure::Start(format!("{}: {error}", postgres_file.display())),
    })?;
    output.answer(as_json(&found), |_| shown(&found))
}

fn as_json(found: &Provenance) -> Value {
    let memory = |it: &ProvenanceMemory| {
        let ProvenanceMemory { of, depth, content, told_at } = it;
        let told_at = told_at.map(Stamp::rfc_3339);
        json!({ "of": of, "depth": depth, "content": content, "told_at": told_at })
    };
    let memories = |all: &[ProvenanceMemory]| -> Vec<Value> { all.iter().map(memory).collect() };
    let teller = |it: &ProvenanceTeller| {
        let ProvenanceTeller { of, told_at, is_independent } = it;
        json!({ "of": of, "told_at": told_at.rfc_3339(), "is_independent": is_independent })
    };
    let verdict = |it: &ProvenanceVerdict| {
        let ProvenanceVerdict { origin, is_confirmed, told_at } = it;
        json!({ "origin": origin, "is_confirmed": is_confirmed, "told_at": told_at.rfc_3339() })
    };
    json!({
        "memory": memory(&found.memory),
        "told_by": found.told_by.iter().map(teller).collect::<Vec<_>>(),
        "roots": memories(&found.roots),
        "derived_from": memories(&found.derived_from),
        "derivations": memories(&found.derivations),
        "verdicts": found.verdicts.iter().map(verdict).collect::<Vec<_>>(),
        "is_cut": found.is_cut,
    })
}

fn shown(found: &Provenance) -> String {
    let mut text = format!("{}\n", line_of(&found.memory));
    let mut part = |head: &str, lines: Vec<String>| {
        if !lines.is_empty() {
            text += &format!("{head}\n");
        }
        for line in lines {
            text += &format!("  {line}\n");
        }
    };
    let teller = |it: &ProvenanceTeller| {
        let own = if it.is_independent { "of its own experience" } else { "repeats it" };
        format!("{}, {}, {own}", named(&it.of), it.told_at.rfc_3339())
    };
    let verdict = |it: &ProvenanceVerdict| {
        let says = if it.is_confirmed { "confirms" } else { "contradicts" };
        format!("{} {says} it, {}", visible(&it.origin), it.told_at.rfc_3339())
    };
    let lines = |all: &[ProvenanceMemory]| all.iter().map(line_of).collect::<Vec<_>>();
    part("told by", found.told_by.iter().map(teller).collect());
    part("goes back to", lines(&found.roots));
    part("was made of", lines(&found.derived_from));
    part("of it was made", lines(&found.derivations));
    part("attempts of other robots", found.verdicts.iter().map(verdict).collect());
    if found.is_cut {
        text += "there are more than are shown\n";
    }
    text
}

fn named(of: &MemoryRef) -> String {
    format!("{} {}", visible(&of.origin), of.memory_id)
}

fn line_of(memory: &ProvenanceMemory) -> String {
    let said = memory.content.as_deref().map_or("not known here".into(), visible);
    let at = memory.told_at.map(|at| format!(", {}", at.rfc_3339())).unwrap_or_default();
    format!("{}{at}: {said}", named(&memory.of))
}
