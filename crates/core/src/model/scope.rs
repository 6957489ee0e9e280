//! Who may see a row, and which rows a search looks at.

use super::quoted;
use crate::limits::NAME_BYTES_MAX;
use serde::{Deserialize, Serialize};
use std::fmt::{self, Display, Formatter};

/// Who may see a row. Written `kind` or `kind:name`.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Scope {
    /// `global`: everybody.
    Global,
    /// `group:<id>`: a team or cell of robots.
    Group(String),
    /// `dm`: the operator's own.
    Dm,
    /// `agent:<name>`: one skill or process of the robot.
    Agent(String),
    /// `session:<id>`: one episode.
    Session(String),
    /// `branch:<session>/<branch>`: one attempt within an episode. Also taken as
    /// `branch:["<session>","<branch>"]`.
    Branch {
        session: String,
        /// The attempt.
        branch: String,
    },
    /// `turn:<id>`: one step.
    Turn(String),
    /// `unscoped`: quarantine for rows of unknown origin.
    Unscoped,
    /// `fleet`: what other robots tell. Only their claims are stored there.
    Fleet,
}

super::text_enum! {
    /// What kind of scope one is: what its name begins with.
    ScopeKind {
        /// Everybody.
        Global = "global",
        /// A team or cell of robots.
        Group = "group",
        /// The operator's own.
        Dm = "dm",
        /// A skill or process.
        Agent = "agent",
        /// An episode.
        Session = "session",
        /// An attempt within an episode.
        Branch = "branch",
        /// A step.
        Turn = "turn",
        /// Quarantine.
        Unscoped = "unscoped",
        /// What other robots tell.
        Fleet = "fleet",
    }
}

impl ScopeKind {
    /// The kind that is spelled so, or as those do who call an episode a chat and its steps floors.
    pub fn spelled(text: &str) -> Option<Self> {
        match text {
            "chat" => Some(Self::Session),
            "floor" => Some(Self::Turn),
            text => Self::parse(text),
        }
    }

    /// The kind of a scope as it is written. What is written as no scope is in quarantine.
    pub fn of(scope: &str) -> Self {
        let kind = scope.split_once(':').map_or(scope, |(kind, _)| kind);
        Self::parse(kind).unwrap_or(Self::Unscoped)
    }
}

/// What a search looks at.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SearchScope {
    /// A scope, beside what everybody sees.
    In(Scope),
    /// `cross:<group>`: a group and the caller's own scope, beside what everybody sees.
    Cross(String),
    /// `all`: every scope that the caller may read.
    All,
}

/// Why a text is no scope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ScopeError(String);

/// All spellings, for messages.
const SPELLINGS: &str = "global, group:<id>, dm, agent:<name>, session:<id>, \
                         branch:<session>/<branch>, turn:<id>, unscoped, fleet";

impl Scope {
    /// Reads a scope that a row can have.
    ///
    /// # Errors
    /// When it is not spelled as one, or when it is one that only searches know.
    pub fn parse(text: &str) -> Result<Self, ScopeError> {
        match SearchScope::parse(text)? {
            SearchScope::In(scope) => Ok(scope),
            SearchScope::Cross(_) | SearchScope::All => Err(ScopeError(format!(
                "{text} is for searches only, nothing can be stored there; one of {SPELLINGS}"
            ))),
        }
    }

    /// What kind it is.
    pub const fn kind(&self) -> ScopeKind {
        match self {
            Self::Global => ScopeKind::Global,
            Self::Group(_) => ScopeKind::Group,
            Self::Dm => ScopeKind::Dm,
            Self::Agent(_) => ScopeKind::Agent,
            Self::Session(_) => ScopeKind::Session,
            Self::Branch { .. } => ScopeKind::Branch,
            Self::Turn(_) => ScopeKind::Turn,
            Self::Unscoped => ScopeKind::Unscoped,
            Self::Fleet => ScopeKind::Fleet,
        }
    }

    /// Which one of its kind; empty for those that stand alone. A branch is a JSON array of its session
    /// and its name.
    pub fn id(&self) -> String {
        match self {
            Self::Global | Self::Dm | Self::Unscoped | Self::Fleet => String::new(),
            Self::Group(name) | Self::Agent(name) | Self::Session(name) | Self::Turn(name) => {
                name.clone()
            }
            Self::Branch { session, branch } => serde_json::json!([session, branch]).to_string(),
        }
    }
}

impl SearchScope {
    /// Reads what a search can name: a scope of rows, `cross:<group>` or `all`.
    ///
    /// # Errors
    /// When it is spelled in no such way.
    pub fn parse(text: &str) -> Result<Self, ScopeError> {
        let unknown = || {
            let given = quoted(text);
            ScopeError(format!("must be one of {SPELLINGS}, cross:<group>, all, got {given}"))
        };
        let (kind, name) = match text.split_once(':') {
            Some((kind, name)) => (kind, Some(name)),
            None => (text, None),
        };
        let named = |name: Option<&str>| -> Result<String, ScopeError> {
            let name = name.filter(|name| !name.is_empty()).ok_or_else(|| {
                ScopeError(format!(
                    "{kind} needs a name, as in {kind}:<name>, got {}",
                    quoted(text)
                ))
            })?;
            checked(kind, name)
        };
        let scope = match kind {
            "group" => Scope::Group(named(name)?),
            "agent" => Scope::Agent(named(name)?),
            "session" | "chat" => Scope::Session(named(name)?),
            "turn" | "floor" => Scope::Turn(named(name)?),
            "branch" => branch(name.unwrap_or_default())?,
            "cross" => return Ok(Self::Cross(named(name)?)),
            "global" if name.is_none() => Scope::Global,
            "dm" if name.is_none() => Scope::Dm,
            "unscoped" if name.is_none() => Scope::Unscoped,
            "fleet" if name.is_none() => Scope::Fleet,
            "all" if name.is_none() => return Ok(Self::All),
            "global" | "dm" | "unscoped" | "fleet" | "all" => {
                return Err(ScopeError(format!("{kind} stands alone, got {}", quoted(text))));
            }
            _ => return Err(unknown()),
        };
        Ok(Self::In(scope))
    }
}

/// A name that can be an index key and can be written down again.
fn checked(kind: &str, name: &str) -> Result<String, ScopeError> {
    if name.len() > NAME_BYTES_MAX {
        return Err(ScopeError(format!(
            "the name in {kind}:<name> has at most {NAME_BYTES_MAX} bytes, got {}",
            name.len()
        )));
    }
    if name.chars().any(char::is_control) || name.trim() != name || name.contains('*') {
        return Err(ScopeError(format!(
            "the name in {kind}:<name> has no control characters, no * and no space around it, got \
             {}",
            quoted(name)
        )));
    }
    Ok(name.to_owned())
}

fn branch(name: &str) -> Result<Scope, ScopeError> {
    let wrong = || {
        let given = quoted(name);
        ScopeError(format!(
            "a branch is branch:<session>/<branch> or branch:[\"session\",\"branch\"], got {given}"
        ))
    };
    let (session, branch) = if name.starts_with('[') {
        serde_json::from_str::<(String, String)>(name).map_err(|_| wrong())?
    } else {
        let (session, branch) = name.split_once('/').ok_or_else(wrong)?;
        (session.to_owned(), branch.to_owned())
    };
    // It is written as the first of the two, and must be read again as what it is.
    if session.is_empty() || branch.is_empty() || session.contains('/') || session.starts_with('[')
    {
        return Err(wrong());
    }
    checked("branch", &format!("{session}/{branch}"))?;
    Ok(Scope::Branch { session: checked("branch", &session)?, branch: checked("branch", &branch)? })
}

impl Display for Scope {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Global => f.write_str("global"),
            Self::Group(id) => write!(f, "group:{id}"),
            Self::Dm => f.write_str("dm"),
            Self::Agent(name) => write!(f, "agent:{name}"),
            Self::Session(id) => write!(f, "session:{id}"),
            Self::Branch { session, branch } => write!(f, "branch:{session}/{branch}"),
            Self::Turn(id) => write!(f, "turn:{id}"),
            Self::Unscoped => f.write_str("unscoped"),
            Self::Fleet => f.write_str("fleet"),
        }
    }
}

impl Display for SearchScope {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::In(scope) => scope.fmt(f),
            Self::Cross(group) => write!(f, "cross:{group}"),
            Self::All => f.write_str("all"),
        }
    }
}

impl TryFrom<String> for Scope {
    type Error = ScopeError;

    fn try_from(text: String) -> Result<Self, ScopeError> {
        Self::parse(&text)
    }
}

impl From<Scope> for String {
    fn from(scope: Scope) -> Self {
        scope.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_is_read_and_written_again() {
        let spellings = [
            "global",
            "group:cell-7",
            "dm",
            "agent:grasp",
            "session:0b1c",
            "branch:0b1c/try 2",
            "branch:0b1c/a/b",
            "turn:17",
            "unscoped",
            "fleet",
        ];
        for text in spellings {
            let scope = Scope::parse(text).unwrap();
            assert_eq!(scope.to_string(), text);
            assert!(text.starts_with(ScopeKind::of(text).as_str()), "{text}");
            assert_eq!(SearchScope::parse(text).unwrap(), SearchScope::In(scope));
        }
        for text in ["all", "cross:cell-7"] {
            assert_eq!(SearchScope::parse(text).unwrap().to_string(), text);
            assert!(Scope::parse(text).unwrap_err().to_string().contains("searches only"));
        }
        let json = Scope::parse(r#"branch:["0b1c","try/2"]"#).unwrap();
        assert_eq!(json.to_string(), "branch:0b1c/try/2");
    }

    #[test]
    fn a_branch_of_any_name_is_read_again_in_both_spellings() {
        let longest = "b".repeat(NAME_BYTES_MAX - "s/".len());
        let quotes = "\"".repeat(longest.len());
        for name in [&longest, &quotes, "[", r#"["a","b"]"#, r"\", "一/二"] {
            let scope = Scope::Branch { session: "s".into(), branch: name.into() };
            assert_eq!(Scope::parse(&scope.to_string()).as_ref(), Ok(&scope));
            assert_eq!(Scope::parse(&format!("branch:{}", scope.id())), Ok(scope));
        }
        for wrong in [format!("s/{longest}b"), format!(r#"["s","{longest}b"]"#), "[".repeat(9_999)]
        {
            let error = Scope::parse(&format!("branch:{wrong}")).expect_err("too long");
            assert!(error.to_string().len() < 999, "{error}");
        }
        // Written with a slash it would be no branch any more.
        assert!(Scope::parse(r#"branch:["[s","b"]"#).is_err());
    }

    #[test]
    fn what_is_no_scope_is_refused_in_words() {
        let wrong = [
            "",
            "Global",
            "group",
            "group:",
            "group:*",
            "agent: x",
            "dm:",
            "dm:x",
            "all:x",
            "cross:",
            "branch:x",
            "branch:/x",
            "branch:x/",
            "branch:[\"a/b\",\"c\"]",
            "branch:[1]",
            "chats:1",
            "global ",
            "turn:a\nb",
        ];
        for text in wrong {
            let error = SearchScope::parse(text).expect_err(text);
            assert!(!error.to_string().is_empty(), "{text}");
        }
        assert!(Scope::parse(&format!("group:{}", "x".repeat(NAME_BYTES_MAX + 1))).is_err());
    }
}
