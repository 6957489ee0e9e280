//! The access file: YAML, read into the policy.

use super::policy::{Entry, Grant};
use super::{Access, AccessError, MemTypes, NeverStore, Policy, SessionsAccess};
use crate::model::{MemType, Scope};
use serde::Deserialize;
use std::sync::Arc;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    agents: Vec<Named>,
    #[serde(default)]
    default: Allowed,
    topics: Option<Topics>,
    #[serde(default)]
    never_store: Vec<Pattern>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    names: Vec<String>,
    #[serde(default)]
    read: Vec<Given>,
    #[serde(default)]
    write: Vec<Given>,
    #[serde(default)]
    sessions: Sessions,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Allowed {
    #[serde(default)]
    read: Vec<Given>,
    #[serde(default)]
    write: Vec<Given>,
    #[serde(default)]
    sessions: Sessions,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Topics {
    read: Vec<Given>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Given {
    Scope(String),
    Rows { scope: String, mem_types: Vec<String> },
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Sessions {
    #[default]
    None,
    Own,
    All,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pattern {
    name: String,
    pattern: String,
}

pub(super) fn read(yaml: &str) -> Result<Access, AccessError> {
    let file: File = serde_saphyr::from_str(yaml)
        .map_err(|error| AccessError::new("access file", error.to_string()))?;
    let mut entries = Vec::with_capacity(file.agents.len());
    for (index, Named { names, read, write, sessions }) in file.agents.into_iter().enumerate() {
        let place = format!("agents[{index}]");
        if names.is_empty() || names.iter().any(String::is_empty) {
            return Err(AccessError::new(place, "names must hold at least one name, none empty"));
        }
        let label = format!("{place} ({})", names.join(", "));
        entries.push(Entry {
            read: grants(&format!("{place}.read"), read)?,
            write: grants(&format!("{place}.write"), write)?,
            sessions: sessions.into(),
            label,
            names,
        });
    }
    let Allowed { read, write, sessions } = file.default;
    let default = Entry {
        label: "default".into(),
        names: Vec::new(),
        read: grants("default.read", read)?,
        write: grants("default.write", write)?,
        sessions: sessions.into(),
    };
    let shown = match file.topics {
        Some(Topics { read }) => grants("topics.read", read)?,
        None => default.read.clone(),
    };
    let topics = Entry {
        label: "topics".into(),
        names: Vec::new(),
        read: shown,
        write: Vec::new(),
        sessions: SessionsAccess::None,
    };
    let more: Vec<(String, String)> =
        file.never_store.into_iter().map(|each| (each.name, each.pattern)).collect();
    Ok(Access {
        policy: Policy { entries, default, topics },
        never_store: Arc::new(NeverStore::with(&more)?),
    })
}

fn grants(place: &str, given: Vec<Given>) -> Result<Vec<Grant>, AccessError> {
    given
        .into_iter()
        .enumerate()
        .map(|(index, given)| grant(&format!("{place}[{index}]"), given))
        .collect()
}

fn grant(place: &str, given: Given) -> Result<Grant, AccessError> {
    let (scope, mem_types) = match given {
        Given::Scope(scope) => (scope, MemTypes::ALL),
        Given::Rows { scope, mem_types } => {
            let mut known = Vec::with_capacity(mem_types.len());
            for name in mem_types {
                known.push(MemType::parse(&name).ok_or_else(|| {
                    let all = MemType::spellings();
                    AccessError::new(
                        place,
                        format!("mem_types: must be one of {all}, got {name:?}"),
                    )
                })?);
            }
            (scope, known.into_iter().collect())
        }
    };
    let scope = if scope == "all" { "*".to_owned() } else { scope };
    let plain = scope.replace("{agent}", "x").replace('*', "x/x");
    if scope != "*" && Scope::parse(&plain).is_err() {
        return Err(AccessError::new(
            place,
            format!("must be a scope, in which * stands for any characters, or all; got {scope:?}"),
        ));
    }
    Ok(Grant { scope, mem_types })
}

impl From<Sessions> for SessionsAccess {
    fn from(given: Sessions) -> Self {
        match given {
            Sessions::None => Self::None,
            Sessions::Own => Self::Own,
            Sessions::All => Self::All,
        }
    }
}
