use super::*;
use crate::access::Access;
use proptest::prelude::*;

/// How a scope is granted in the file, and what that means for a scope and an agent.
type Granted = (&'static str, fn(&Scope, &str) -> bool);

const GRANTED: [Granted; 12] = [
    ("all", |_, _| true),
    ("global", |scope, _| *scope == Scope::Global),
    ("group:*", |scope, _| matches!(scope, Scope::Group(_))),
    ("group:a", |scope, _| matches!(scope, Scope::Group(id) if id == "a")),
    ("dm", |scope, _| *scope == Scope::Dm),
    ("agent:{agent}", |scope, agent| matches!(scope, Scope::Agent(name) if name == agent)),
    ("agent:{agent}/*", |scope, agent| {
        let begin = format!("{agent}/");
        matches!(scope, Scope::Agent(name) if name.starts_with(&begin))
    }),
    ("agent:a*", |scope, _| matches!(scope, Scope::Agent(name) if name.starts_with('a'))),
    ("session:*", |scope, _| matches!(scope, Scope::Session(_))),
    ("branch:s/*", |scope, _| matches!(scope, Scope::Branch { session, .. } if session == "s")),
    ("turn:1", |scope, _| matches!(scope, Scope::Turn(id) if id == "1")),
    ("unscoped", |scope, _| *scope == Scope::Unscoped),
];

/// The names of an entry, and what they mean for an agent. An earlier one is the narrower one.
type Names = (&'static str, fn(&str) -> bool);

const NAMES: [Names; 4] = [
    ("a", |agent| agent == "a"),
    ("ab, b", |agent| agent == "ab" || agent == "b"),
    ("a*", |agent| agent.starts_with('a')),
    ("'*'", |_| true),
];

const AGENTS: [&str; 10] = ["", "a", "ab", "a/b", "b", "c", "*", "a*", "{agent}", "agent:a"];

const SCOPES: [&str; 20] = [
    "global",
    "group:a",
    "group:ab",
    "group:b",
    "dm",
    "agent:a",
    "agent:ab",
    "agent:a/b",
    "agent:b",
    "agent:c",
    "agent:agent:a",
    "agent:{agent}",
    "session:s",
    "session:t",
    "branch:s/1",
    "branch:s/1/2",
    "branch:t/1",
    "turn:1",
    "turn:12",
    "unscoped",
];

/// One grant: an index into [`GRANTED`], and classes as bits; 0: none are named.
type Drawn = (usize, u8);

#[derive(Debug, Clone)]
struct DrawnEntry {
    names: usize,
    read: Vec<Drawn>,
    write: Vec<Drawn>,
}

fn classes(bits: u8) -> Vec<MemType> {
    MemType::ALL
        .iter()
        .enumerate()
        .filter(|(index, _)| bits & (1 << index) != 0)
        .map(|(_, mem_type)| *mem_type)
        .collect()
}

fn yaml(grants: &[Drawn]) -> String {
    let all = grants.iter().map(|(granted, bits)| {
        let scope = GRANTED[*granted].0;
        match classes(*bits).iter().map(|class| class.as_str()).collect::<Vec<_>>() {
            none if none.is_empty() => format!("'{scope}'"),
            some => format!("{{scope: '{scope}', mem_types: [{}]}}", some.join(", ")),
        }
    });
    format!("[{}]", all.collect::<Vec<_>>().join(", "))
}

/// What the file says, read out by hand.
fn is_granted(grants: &[Drawn], agent: &str, scope: &Scope, mem_type: MemType) -> bool {
    grants.iter().any(|(granted, bits)| {
        GRANTED[*granted].1(scope, agent) && (*bits == 0 || classes(*bits).contains(&mem_type))
    })
}

fn grants() -> impl Strategy<Value = Vec<Drawn>> {
    prop::collection::vec((0..GRANTED.len(), prop_oneof![Just(0), 1_u8..1 << 7]), 0..4)
}

fn entries() -> impl Strategy<Value = Vec<DrawnEntry>> {
    (prop::sample::subsequence((0..NAMES.len()).collect::<Vec<_>>(), 0..=NAMES.len()))
        .prop_flat_map(|names| {
            names
                .into_iter()
                .map(|names| {
                    (grants(), grants()).prop_map(move |(read, write)| DrawnEntry {
                        names,
                        read,
                        write,
                    })
                })
                .collect::<Vec<_>>()
        })
}

fn wanted() -> Vec<SearchScope> {
    let of_rows = SCOPES.iter().map(|text| SearchScope::parse(text).unwrap());
    let others = ["all", "cross:a", "cross:b"].map(|text| SearchScope::parse(text).unwrap());
    of_rows.chain(others).collect()
}

fn is_asked_for(wanted: &SearchScope, agent: &str, scope: &Scope) -> bool {
    match wanted {
        SearchScope::All => true,
        SearchScope::In(named) => scope == named || *scope == Scope::Global,
        SearchScope::Cross(group) => match scope {
            Scope::Global => true,
            Scope::Group(id) => id == group,
            Scope::Agent(name) => !agent.is_empty() && name == agent,
            Scope::Dm => agent.is_empty(),
            _ => false,
        },
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Every agent, what it can ask for, every scope and class: as the file says.
    #[test]
    fn what_is_seen_and_written_is_what_the_file_says(
        entries in entries(),
        default_read in grants(),
        default_write in grants(),
    ) {
        let mut text = "agents:\n".to_owned();
        for entry in &entries {
            let (names, read, write) = (NAMES[entry.names].0, yaml(&entry.read), yaml(&entry.write));
            text.push_str(&format!("  - {{names: [{names}], read: {read}, write: {write}}}\n"));
        }
        if entries.is_empty() {
            text = "agents: []\n".to_owned();
        }
        text.push_str(&format!(
            "default: {{read: {}, write: {}}}\n", yaml(&default_read), yaml(&default_write)
        ));
        let policy = Access::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}")).policy;
        let scopes = SCOPES.map(|text| Scope::parse(text).unwrap());
        for agent in AGENTS {
            let entry = entries.iter().find(|entry| NAMES[entry.names].1(agent));
            let (read, write) = match entry {
                Some(entry) => (&entry.read, &entry.write),
                None => (&default_read, &default_write),
            };
            let is_operator = agent.is_empty();
            for wanted in wanted() {
                let reads_something = |scope: &Scope| {
                    MemType::ALL.iter().any(|class| is_granted(read, agent, scope, *class))
                };
                let may_ask = is_operator || match &wanted {
                    SearchScope::All => !read.is_empty(),
                    SearchScope::In(scope) => reads_something(scope),
                    SearchScope::Cross(group) => reads_something(&Scope::Group(group.clone())),
                };
                let visibility = policy.visibility(agent, &wanted);
                prop_assert_eq!(visibility.is_ok(), may_ask, "{} {} {:?}", agent, wanted, visibility);
                let Ok(visibility) = visibility else { continue };
                for scope in &scopes {
                    for class in MemType::ALL {
                        let expected = is_asked_for(&wanted, agent, scope)
                            && (is_operator || is_granted(read, agent, scope, *class));
                        prop_assert_eq!(
                            visibility.sees(scope, *class), expected,
                            "{} asks for {}, sees {} in {}?\n{}", agent, wanted, class, scope, text
                        );
                    }
                }
            }
            for scope in &scopes {
                for class in MemType::ALL {
                    let expected = is_operator || is_granted(write, agent, scope, *class);
                    prop_assert_eq!(
                        policy.check_write(agent, scope, *class).is_ok(), expected,
                        "{} writes {} in {}?\n{}", agent, class, scope, text
                    );
                }
            }
        }
    }
}

fn shipped() -> Policy {
    Access::shipped().policy
}

#[test]
fn the_shipped_policy_says_what_each_may() {
    use MemType::{Fact, Lesson, Preference, Procedure, TaskLog};
    /// Who, where, which class, reads it, writes it.
    const CASES: [(&str, &str, MemType, bool, bool); 28] = [
        ("", "unscoped", Fact, true, true),
        ("planner", "global", Fact, true, true),
        ("planner", "group:cell-7", Fact, true, true),
        ("planner", "dm", Preference, true, true),
        ("planner", "agent:skill_grasp", TaskLog, true, false),
        ("planner", "session:1", Fact, true, false),
        ("planner", "branch:1/2", Fact, true, false),
        ("planner", "unscoped", Fact, true, false),
        ("main", "dm", Preference, true, true),
        ("operations", "global", Procedure, true, true),
        ("ops", "global", Lesson, true, true),
        ("operations", "global", Fact, false, false),
        ("operations", "group:cell-7", Lesson, false, false),
        ("skill_grasp", "agent:skill_grasp", Procedure, true, true),
        ("skill_grasp", "agent:skill_grasp", TaskLog, true, true),
        ("skill_grasp", "agent:skill_grasp", Preference, true, false),
        ("skill_grasp", "agent:skill_grasp2", TaskLog, false, false),
        ("skill_grasp", "agent:skill_", TaskLog, false, false),
        ("skill_grasp", "global", Fact, true, false),
        ("skill_grasp", "group:cell-7", Fact, false, false),
        ("skill_grasp", "dm", Fact, false, false),
        ("skill_grasp", "session:1", Fact, false, false),
        ("worker_1", "agent:worker_1", TaskLog, true, true),
        ("skill_*", "agent:skill_grasp", TaskLog, false, false),
        ("stranger", "global", Fact, true, false),
        ("stranger", "agent:stranger", TaskLog, false, false),
        ("Planner", "dm", Fact, false, false),
        ("stranger", "unscoped", Fact, false, false),
    ];
    let policy = shipped();
    for (agent, scope, class, reads, writes) in CASES {
        let scope = Scope::parse(scope).unwrap();
        let sees = policy
            .visibility(agent, &SearchScope::In(scope.clone()))
            .is_ok_and(|visibility| visibility.sees(&scope, class));
        assert_eq!(sees, reads, "{agent} reads {class} in {scope}");
        let sees = policy.visibility(agent, &SearchScope::All).unwrap().sees(&scope, class);
        assert_eq!(sees, reads, "{agent} reads {class} in {scope}, which all shows");
        let may = policy.check_write(agent, &scope, class).is_ok();
        assert_eq!(may, writes, "{agent} writes {class} in {scope}");
    }
    let topics = policy.topics();
    assert!(topics.sees(&Scope::Global, Fact));
    assert!(!topics.sees(&Scope::Dm, Fact));
    let sessions = ["", "planner", "skill_grasp", "stranger"].map(|agent| policy.sessions(agent));
    use SessionsAccess::{All, None, Own};
    assert_eq!(sessions, [All, All, Own, None]);
}

#[test]
fn a_violation_names_the_rule_and_what_it_allows() {
    let policy = shipped();
    let scope = |text: &str| Scope::parse(text).unwrap();
    let write = |agent: &str, at: &str, class| {
        policy.check_write(agent, &scope(at), class).unwrap_err().to_string()
    };
    assert_eq!(
        write("skill_grasp", "global", MemType::Fact),
        "scope: agent skill_grasp may not write fact in global; access policy entry agents[2] \
         (skill_*, worker_*, writer, creator): write agent:skill_grasp (procedure, task_log)"
    );
    assert_eq!(
        write("planer", "global", MemType::Fact),
        "scope: agent planer may not write fact in global; access policy entry default: write \
         nothing (no other entry names it; did you mean planner?)"
    );
    assert_eq!(
        policy
            .visibility("stranger", &SearchScope::parse("cross:cell-7").unwrap())
            .unwrap_err()
            .to_string(),
        "scope: agent stranger may not read cross:cell-7; access policy entry default: read global, \
         fleet (no other entry names it)"
    );
    assert_eq!(
        policy.check_begin_session("stranger").unwrap_err().to_string(),
        "agent: agent stranger may not begin sessions; access policy entry default: sessions none \
         (no other entry names it)"
    );
}

#[test]
fn what_is_granted_by_name_is_looked_up() {
    let policy = shipped();
    let is_named = |agent: &str| {
        let visibility = policy.visibility(agent, &SearchScope::All).unwrap();
        matches!(visibility, Visibility::Named { .. })
    };
    assert_eq!(
        ["stranger", "skill_grasp", "ops", "planner"].map(is_named),
        [true, true, true, false]
    );
    assert!(matches!(policy.topics(), Visibility::Named { .. }));
}

#[test]
fn a_violation_is_of_bounded_length() {
    let list = |prefix: &str| {
        let all: Vec<String> =
            (0..64).map(|n| format!("'{prefix}{n}{}'", "x".repeat(200))).collect();
        all.join(", ")
    };
    let text = format!("agents: [{{names: [{}], write: [{}]}}]", list("a"), list("group:"));
    let policy = Access::parse(&text).unwrap().policy;
    let agent = format!("a7{}", "x".repeat(200));
    let violation = policy.check_write(&agent, &Scope::Dm, MemType::Fact).unwrap_err().to_string();
    assert!(violation.len() < 4_000, "{}", violation.len());
    assert!(violation.contains("and 56 more"), "{violation}");
}

#[test]
fn a_closed_policy_leaves_only_the_operator() {
    let policy = Policy::closed();
    assert!(policy.visibility("", &SearchScope::All).unwrap().sees(&Scope::Dm, MemType::Fact));
    assert!(policy.visibility("planner", &SearchScope::All).is_err());
    assert!(policy.check_write("planner", &Scope::Global, MemType::Fact).is_err());
    assert!(!policy.topics().sees(&Scope::Global, MemType::Fact));
}

#[test]
fn two_classes_are_read_alike_when_nobody_sees_but_one_of_them() {
    let cases = [
        ("[all]", "branch:s/1", true),
        ("[global]", "branch:s/1", true),
        ("[{scope: 'branch:*', mem_types: [knowledge]}]", "branch:s/1", false),
        ("[{scope: 'branch:*', mem_types: [task_log]}]", "branch:s/1", false),
        ("[{scope: 'branch:*', mem_types: [knowledge, task_log]}]", "branch:s/1", true),
        ("[{scope: 'branch:s/*', mem_types: [knowledge]}, 'branch:*']", "branch:s/1", true),
        ("[{scope: 'branch:t/*', mem_types: [knowledge]}]", "branch:s/1", true),
        ("[{scope: 'agent:{agent}', mem_types: [knowledge]}]", "branch:s/1", true),
        ("[{scope: 'agent:{agent}', mem_types: [knowledge]}]", "agent:a", false),
        ("[{scope: 'agent:a', mem_types: [knowledge]}, 'agent:{agent}']", "agent:a", false),
        ("['agent:*', 'agent:{agent}']", "agent:a", true),
    ];
    for (read, scope, expected) in cases {
        let yaml = format!("agents: [{{names: [a], read: {read}}}]");
        let policy = Access::parse(&yaml).unwrap().policy;
        let scope = Scope::parse(scope).unwrap();
        let alike = policy.reads_alike(&scope, MemType::TaskLog, MemType::Knowledge);
        assert_eq!(alike, expected, "{read} of {scope}");
        assert_eq!(policy.reads_alike(&scope, MemType::Knowledge, MemType::TaskLog), expected);
    }
}
