//! The access file: YAML, read into the policy.

mod tree;

#[cfg(test)]
mod tests;

use super::never_store::RuleFault;
use super::pattern::Pattern;
use super::policy::{AGENT, Entry, Grant};
use super::sharing::SharingRule;
use super::{Access, AccessError, MemTypes, NeverStore, Policy, SessionsAccess, Share, Sharing};
use crate::limits::{
    ACCESS_AGENTS_MAX, ACCESS_BYTES_MAX, ACCESS_GRANTS_MAX, NAME_BYTES_MAX, NEVER_STORE_MAX,
};
use crate::model::{MemType, Scope, ScopeKind, nearest};
use std::sync::Arc;
use tree::{Node, shortened};

/// Names of an entry that messages show.
const SHOWN_MAX: usize = 4;
/// How a scope begins that only searches know.
const SEARCH_KINDS: [&str; 2] = ["all", "cross"];

pub(super) fn read(yaml: &str) -> Result<Access, AccessError> {
    if yaml.len() > ACCESS_BYTES_MAX {
        let given = yaml.len();
        let fault = format!("at most {ACCESS_BYTES_MAX} bytes, got {given}");
        return Err(AccessError::new("access file", fault));
    }
    let [agents, default, topics, never_store, fleet] =
        Node::parse(yaml)?.map(["agents", "default", "topics", "never_store", "fleet"])?;
    let mut entries: Vec<Entry> = Vec::new();
    for node in members(agents, ACCESS_AGENTS_MAX)? {
        let entry = named(node, &entries)?;
        entries.push(entry);
    }
    let default = match default {
        Some(node) => allowed(node)?,
        None => Entry::closed("default"),
    };
    let topics = match topics {
        Some(node) => Entry { read: shown(node)?, ..Entry::closed("topics") },
        // What is an agent's own is nothing for everybody.
        None => Entry {
            read: default.read.iter().filter(|grant| !grant.is_own()).cloned().collect(),
            ..Entry::closed("topics")
        },
    };
    let never_store = Arc::new(patterns(never_store)?);
    let sharing = Sharing(
        members(fleet, ACCESS_GRANTS_MAX)?.into_iter().map(shared).collect::<Result<_, _>>()?,
    );
    Ok(Access { policy: Policy { entries, default, topics }, never_store, sharing })
}

/// The members of a list that may be missing.
fn members(list: Option<Node>, count_max: usize) -> Result<Vec<Node>, AccessError> {
    list.map_or_else(|| Ok(Vec::new()), |list| list.list(count_max))
}

fn named(node: Node, before: &[Entry]) -> Result<Entry, AccessError> {
    let at = node.at.clone();
    let [names, read, write, sessions] = node.map(["names", "read", "write", "sessions"])?;
    let mut patterns: Vec<Pattern> = Vec::new();
    for node in members(names, ACCESS_GRANTS_MAX)? {
        let pattern = name(&node, before, &patterns)?;
        patterns.push(pattern);
    }
    if patterns.is_empty() {
        return Err(at.fault("names must list the agents that this entry is for"));
    }
    let mut listed: Vec<String> = patterns.iter().take(SHOWN_MAX).map(Pattern::to_string).collect();
    if patterns.len() > SHOWN_MAX {
        listed.push("...".to_owned());
    }
    Ok(Entry {
        label: format!("agents[{}] ({})", before.len(), listed.join(", ")),
        names: patterns,
        read: grants(read)?,
        write: grants(write)?,
        sessions: sessions_access(sessions)?,
    })
}

/// A name of agents that no earlier one stands for.
fn name(node: &Node, before: &[Entry], beside: &[Pattern]) -> Result<Pattern, AccessError> {
    let text = node.text()?;
    if let Some(reason) = fault_of_name(text) {
        return Err(node.at.fault(format!("an agent's name {reason}, got {:?}", shortened(text))));
    }
    if text.contains(AGENT) {
        return Err(node.at.fault(format!("{AGENT} stands for the agent's name in scopes only")));
    }
    let pattern = Pattern::new(text);
    if beside.iter().any(|other| other.encloses(&pattern)) {
        return Err(node.at.fault(format!("{text} is named in this entry already")));
    }
    match before.iter().find(|entry| entry.names.iter().any(|other| other.encloses(&pattern))) {
        None => Ok(pattern),
        Some(entry) => Err(node.at.fault(format!(
            "the first entry that names an agent holds, and {} names {text} already: put the \
             narrower entry first",
            entry.label
        ))),
    }
}

/// Why a text can be no name that is given in requests or answers.
fn fault_of_name(text: &str) -> Option<String> {
    if text.is_empty() {
        Some("must not be empty".to_owned())
    } else if text.len() > NAME_BYTES_MAX {
        Some(format!("has at most {NAME_BYTES_MAX} bytes"))
    } else if text.trim() != text || text.chars().any(char::is_control) {
        Some("has no control characters and no space around it".to_owned())
    } else {
        None
    }
}

fn allowed(node: Node) -> Result<Entry, AccessError> {
    let [read, write, sessions] = node.map(["read", "write", "sessions"])?;
    Ok(Entry {
        read: grants(read)?,
        write: grants(write)?,
        sessions: sessions_access(sessions)?,
        ..Entry::closed("default")
    })
}

/// What topics show.
fn shown(node: Node) -> Result<Vec<Grant>, AccessError> {
    let at = node.at.clone();
    let [read] = node.map(["read"])?;
    let grants = grants(read)?;
    if grants.iter().any(Grant::is_own) {
        return Err(at.fault(format!("topics are no agent's own: {AGENT} stands for nobody there")));
    }
    Ok(grants)
}

fn sessions_access(node: Option<Node>) -> Result<SessionsAccess, AccessError> {
    let Some(node) = node else { return Ok(SessionsAccess::None) };
    let text = node.text()?;
    SessionsAccess::parse(text).ok_or_else(|| {
        let (all, given) = (SessionsAccess::spellings(), shortened(text));
        node.at.fault(format!("must be one of {all}; got {given:?}"))
    })
}

fn grants(list: Option<Node>) -> Result<Vec<Grant>, AccessError> {
    members(list, ACCESS_GRANTS_MAX)?.into_iter().map(grant).collect()
}

/// A scope, or a map of a scope and some classes.
fn grant(node: Node) -> Result<Grant, AccessError> {
    if !node.is_map() {
        return Ok(Grant { scope: scope(&node)?, mem_types: MemTypes::ALL });
    }
    let at = node.at.clone();
    let [given_scope, mem_types] = node.map(["scope", "mem_types"])?;
    let given_scope = given_scope.ok_or_else(|| at.fault("scope must be given"))?;
    Ok(Grant { scope: scope(&given_scope)?, mem_types: given_mem_types(mem_types)? })
}

/// All classes, unless some are named.
fn given_mem_types(node: Option<Node>) -> Result<MemTypes, AccessError> {
    let Some(node) = node else { return Ok(MemTypes::ALL) };
    let at = node.at.clone();
    let members = node.list(ACCESS_GRANTS_MAX)?;
    if members.is_empty() {
        return Err(at.fault(
            "must name at least one; leave the key out for all, or the whole entry for none",
        ));
    }
    members.iter().map(mem_type).collect()
}

/// How much of some scopes other robots are told.
fn shared(node: Node) -> Result<SharingRule, AccessError> {
    let at = node.at.clone();
    let [given_scope, mem_types, share] = node.map(["scope", "mem_types", "share"])?;
    let given_scope = given_scope.ok_or_else(|| at.fault("scope must be given"))?;
    let text = given_scope.text()?;
    if text != "global" && !text.starts_with("group:") {
        return Err(given_scope.at.fault(format!(
            "must be global or group:<id>, with * in the name; nothing else ever leaves the robot; got {:?}",
            shortened(text)
        )));
    }
    let share = share.ok_or_else(|| at.fault("share must be given"))?;
    let text = share.text()?;
    let share = Share::parse(text).ok_or_else(|| {
        let (all, given) = (Share::spellings(), shortened(text));
        share.at.fault(format!("must be one of {all}; got {given:?}"))
    })?;
    Ok(SharingRule { scope: scope(&given_scope)?, mem_types: given_mem_types(mem_types)?, share })
}

fn mem_type(node: &Node) -> Result<MemType, AccessError> {
    let text = node.text()?;
    MemType::parse(text).ok_or_else(|| {
        let (all, given) = (MemType::spellings(), shortened(text));
        let names = MemType::ALL.iter().map(|mem_type| mem_type.as_str());
        let hint = match nearest(text, names) {
            Some(nearest) => format!("; did you mean {nearest}?"),
            None => String::new(),
        };
        node.at.fault(format!("must be one of {all}; got {given:?}{hint}"))
    })
}

/// How a scope can begin.
fn kinds() -> impl Iterator<Item = &'static str> {
    SEARCH_KINDS.into_iter().chain(ScopeKind::ALL.iter().map(|kind| kind.as_str()))
}

/// A pattern of scopes that a row can have.
fn scope(node: &Node) -> Result<Pattern, AccessError> {
    let text = node.text()?;
    if text == "all" {
        return Ok(Pattern::new("*"));
    }
    let pattern = Pattern::new(text);
    if pattern.is_everything() {
        return Ok(pattern);
    }
    let wrong = |reason: &str| Err(node.at.fault(format!("{reason}; got {:?}", shortened(text))));
    let (kind, name) = text.split_once(':').unwrap_or((text, ""));
    if kind == "cross" {
        return wrong("cross:<group> is for searches: grant group:<group> instead");
    }
    if kind == "none" {
        return wrong("there is no scope none: an empty list, [], grants nothing");
    }
    // Whoever chooses its own name would choose what it reads; only agent:<name> is meant to be so.
    // Beside a star, the name of one agent would be the beginning of another's.
    let own = text.replace(AGENT, "");
    if own.contains(['{', '}']) {
        return wrong("braces stand in {agent} only");
    }
    if own.len() < text.len() {
        let is_beside_star = name.contains("{agent}*") || name.contains("*{agent}");
        if kind != "agent" || name.matches(AGENT).count() > 1 || is_beside_star {
            return wrong("{agent} stands in agent:{agent} only, and not beside a *");
        }
    }
    if kind == "branch" && name.starts_with('[') {
        return wrong("must be written as branch:<session>/<branch>");
    }
    // As one of the scopes that it stands for.
    match Scope::parse(&text.replace(AGENT, "x").replace('*', "x/x")) {
        Ok(_) if !kind.contains('*') => Ok(pattern),
        _ => match nearest(kind, kinds()).filter(|nearest| *nearest != kind) {
            Some(nearest) => wrong(&format!("is no scope; did you mean {nearest}?")),
            None => wrong(
                "must be all or a scope: global, group:<id>, dm, agent:<name>, session:<id>, \
                 branch:<session>/<branch>, turn:<id>, unscoped, fleet; * in a name stands for any \
                 characters",
            ),
        },
    }
}

/// What is never stored, beside what never is.
fn patterns(list: Option<Node>) -> Result<NeverStore, AccessError> {
    let Some(list) = list else { return Ok(NeverStore::built_in()) };
    let at = list.at.clone();
    let mut rules: Vec<(String, String)> = Vec::new();
    let mut places = Vec::new();
    for node in list.list(NEVER_STORE_MAX)? {
        let at = node.at.clone();
        let [Some(name), Some(pattern)] = node.map(["name", "pattern"])? else {
            return Err(at.fault("must have a name, for messages, and a pattern"));
        };
        rules.push((name.text()?.to_owned(), pattern.text()?.to_owned()));
        places.push((name.at, pattern.at));
    }
    NeverStore::with(&rules).map_err(|fault| match &fault {
        RuleFault::Name { index, fault } => places[*index].0.fault(fault),
        RuleFault::Pattern { index, fault } => places[*index].1.fault(fault),
        RuleFault::All(fault) => at.fault(format!("all patterns: {fault}")),
    })
}
