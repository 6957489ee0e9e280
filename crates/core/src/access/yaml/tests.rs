use crate::access::{Access, SessionsAccess};
use crate::limits::{ACCESS_AGENTS_MAX, ACCESS_BYTES_MAX, ACCESS_GRANTS_MAX, NEVER_STORE_MAX};
use crate::model::{MemType, Scope, SearchScope};

#[test]
fn a_word_stands_for_a_list_of_it() {
    let short = "agents: {names: planner, read: all, write: {scope: global, mem_types: fact}}";
    let long =
        "agents: [{names: [planner], read: [all], write: [{scope: global, mem_types: [fact]}]}]";
    let policy = |text: &str| Access::parse(text).unwrap().policy;
    let (short, long) = (policy(short), policy(long));
    for policy in [short, long] {
        let all = policy.visibility("planner", &SearchScope::All).unwrap();
        assert!(all.sees(&Scope::Dm, MemType::Lesson));
        assert!(policy.check_write("planner", &Scope::Global, MemType::Fact).is_ok());
        assert!(policy.check_write("planner", &Scope::Global, MemType::Lesson).is_err());
    }
}

#[test]
fn what_is_left_out_is_not_allowed() {
    for text in ["{}", "agents: []", "agents: [{names: [a]}]", "default: {}"] {
        let policy = Access::parse(text).unwrap().policy;
        assert!(policy.visibility("a", &SearchScope::All).is_err(), "{text}");
        assert!(policy.check_write("a", &Scope::Global, MemType::Fact).is_err(), "{text}");
        assert_eq!(policy.sessions("a"), SessionsAccess::None, "{text}");
        assert!(!policy.topics().sees(&Scope::Global, MemType::Fact), "{text}");
    }
}

#[test]
fn topics_show_what_everybody_reads_unless_they_say_otherwise() {
    let topics = |text: &str| Access::parse(text).unwrap().policy.topics();
    let unsaid = topics("default: {read: [global, 'agent:{agent}']}");
    assert!(unsaid.sees(&Scope::Global, MemType::Fact));
    let nobody = Scope::Agent("{agent}".into());
    assert!(!unsaid.sees(&nobody, MemType::Fact));
    let said = topics("default: {read: [global]}\ntopics: {read: []}");
    assert!(!said.sees(&Scope::Global, MemType::Fact));
    assert!(topics("topics: {read: all}").sees(&Scope::Unscoped, MemType::Fact));
}

#[test]
fn a_mistake_is_named_with_its_place() {
    let long = "x".repeat(300);
    let of_names = |count: usize| {
        let names: Vec<String> = (0..count).map(|index| format!("n{index}")).collect();
        format!("agents: [{{names: [{}]}}]", names.join(", "))
    };
    let entries: Vec<String> =
        (0..=ACCESS_AGENTS_MAX).map(|index| format!("  - {{names: [n{index}]}}\n")).collect();
    let patterns: Vec<String> = (0..=NEVER_STORE_MAX)
        .map(|index| format!("  - {{name: n{index}, pattern: x}}\n"))
        .collect();
    let cases: Vec<(String, &str)> = [
        ("a: [", "access file: no YAML: "),
        ("", "access file (line 1): must be a map with the keys agents, default, topics"),
        ("- 1", "access file (line 1): must be a map"),
        ("agent: []", "there is no key \"agent\"; did you mean agents?"),
        ("agents: []\nagents: []", "access file (line 1): agents is given twice, in lines 1 and 2"),
        ("agents:\n", "agents (line 1): must be a list, got nothing; an empty one is []"),
        ("agents: [a]", "agents[0] (line 1): must be a map with the keys names, read, write, sessions; got the text \"a\""),
        ("agents: [{read: all}]", "agents[0] (line 1): names must list"),
        ("agents: [{names: []}]", "names must list"),
        ("agents:\n  - names: a\n    reed: all", "agents[0] (line 3): there is no key \"reed\"; did you mean read?"),
        ("agents:\n  - names: a\n    read: all\n    read: all", "agents[0] (line 2): read is given twice, in lines 3 and 4"),
        ("agents: [{names: a, roles: all}]", "there is no key \"roles\"; there are names, read"),
        ("agents: [{names: ['']}]", "agents[0].names[0] (line 1): an agent's name must not be empty"),
        ("agents: [{names: [' a']}]", "no space around it, got \" a\""),
        ("agents: [{names: [\"a\\nb\"]}]", "no control characters"),
        ("agents: [{names: [7]}]", "agents[0].names[0] (line 1): must be a text, got the number 7; put it in quotes"),
        ("agents: [{names: ['{agent}']}]", "{agent} stands for the agent's name in scopes only"),
        ("agents: [{names: [a, a]}]", "agents[0].names[1] (line 1): a is named in this entry already"),
        ("agents:\n  - names: skill_*\n  - names: skill_a", "agents[1].names (line 3): the first entry that names an agent holds, and agents[0] (skill_*) names skill_a already"),
        ("agents: [{names: a}, {names: [b, a]}]", "agents[1].names[1] (line 1): the first entry"),
        ("agents: [{names: '*'}, {names: a*}]", "agents[0] (*) names a* already"),
        ("agents: [{names: a, sessions: mine}]", "agents[0].sessions (line 1): must be one of none, own, passed, all; got \"mine\""),
        ("default: {names: a}", "default (line 1): there is no key \"names\""),
        ("default: {read: [golbal]}", "default.read[0] (line 1): is no scope; did you mean global?; got \"golbal\""),
        ("default: {read: [groups:a]}", "did you mean group?"),
        ("default: {read: [none]}", "an empty list, [], grants nothing"),
        ("default: {read: []}\ntopics: {read: ['agent:{agent}']}", "topics (line 2): topics are no agent's own"),
        ("default: {read: [group]}", "must be all or a scope"),
        ("default: {read: ['group:']}", "must be all or a scope"),
        ("default: {read: ['g*']}", "must be all or a scope"),
        ("default: {read: ['*:a']}", "must be all or a scope"),
        ("default: {read: ['global*']}", "did you mean global?"),
        ("default: {read: ['all:a']}", "must be all or a scope"),
        ("default: {read: [cross:a]}", "cross:<group> is for searches: grant group:<group> instead"),
        ("default: {read: ['branch:a']}", "must be all or a scope"),
        ("default: {read: ['branch:[\"a\",\"b\"]']}", "must be written as branch:<session>/<branch>"),
        ("default: {read: ['session:{agent}']}", "{agent} stands in agent:{agent} only"),
        ("default: {read: ['branch:{agent}/*']}", "{agent} stands in agent:{agent} only"),
        ("default: {read: ['agent:{agent}*']}", "and not beside a *"),
        ("default: {read: ['agent:*{agent}']}", "and not beside a *"),
        ("default: {read: ['{agent}']}", "{agent} stands in agent:{agent} only"),
        ("default: {read: ['agent:{name}']}", "braces stand in {agent} only"),
        ("default: {read: [{mem_types: fact}]}", "default.read[0] (line 1): scope must be given"),
        ("default: {read: [{scope: global, types: fact}]}", "there is no key \"types\""),
        ("default: {read: [{scope: global, mem_types: []}]}", "default.read[0].mem_types (line 1): must name at least one"),
        ("default: {read: [{scope: global, mem_types: [leson]}]}", "got \"leson\"; did you mean lesson?"),
        ("default: {read: [[global]]}", "default.read[0] (line 1): must be a text, got a list"),
        ("default: {read: [true]}", "must be a text, got the boolean true"),
        ("never_store: [{name: a}]", "never_store[0] (line 1): must have a name, for messages, and a pattern"),
        ("never_store: [{name: '', pattern: a}]", "never_store[0].name (line 1): must be 1 to 32 of a-z, 0-9 and _, got"),
        ("never_store: [{name: a, pattern: ''}]", "never_store[0].pattern (line 1): must be 1 to 1024 bytes, got 0"),
        ("never_store: [{name: a, pattern: x}, {name: a, pattern: z}]", "never_store[1].name (line 1): a is the name of another pattern"),
        (
            "never_store:
  - {name: a, pattern: b}
  - {name: c, pattern: '('}",
            "never_store[1].pattern (line 3): error: unclosed group",
        ),
    ]
    .into_iter()
    .map(|(text, expected)| (text.to_owned(), expected))
    .chain([
        (format!("agents: [{{names: {long}}}]"), "an agent's name has at most 256 bytes"),
        (of_names(ACCESS_GRANTS_MAX + 1), "agents[0].names (line 1): at most 64 entries, got 65"),
        (format!("agents:\n{}", entries.concat()), "agents (line 2): at most 256 entries, got 257"),
        (format!("never_store:\n{}", patterns.concat()), "never_store (line 2): at most 256 entries"),
        (" ".repeat(ACCESS_BYTES_MAX + 1), "access file: at most 262144 bytes, got 262145"),
        (format!("{}a{}", "[".repeat(2_000), "]".repeat(2_000)), "no YAML"),
    ])
    .collect();
    let mut wrong = Vec::new();
    for (text, expected) in cases {
        match Access::parse(&text) {
            Ok(_) => wrong.push(format!("{text:.120}\n  is taken, and not {expected}")),
            Err(error) => {
                let error = error.to_string();
                if !error.contains(expected) || error.len() > 500 || error.contains('\n') {
                    wrong.push(format!("{text:.120}\n  gives {error}\n  and not {expected}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
