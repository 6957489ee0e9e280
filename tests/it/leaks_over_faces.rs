//! What a caller may not see is in no answer over HTTP, by a tool of MCP, in an event, and on no page: the random
//! rows of the leak tests of the engine, asked for over real sockets with a token of each agent.
//!
//! Paths that this program does not have yet answer 404 and tell nothing; [`PRESENT`] names those that must answer, so
//! that a path which is gone is no success.

use crate::leak_faces::Said;
use crate::leak_probes::{PROBES, Probe, WITHOUT_FACE};
use crate::leak_world::{AGENTS, NO_ID, NO_SESSION, Row, World, drafts, rules};
use crate::leaks::count_tight_answers;
use crate::sampled::sampled;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What must have been answered to somebody, as [`VIEWS`], `"tool "`, `"resource "` and `"prompt "` name it. Who adds
/// a path adds it here.
const PRESENT: [&str; 38] = [
    "/healthz",
    "/openapi.json",
    "/metrics",
    "/api/v1/memories/{memory}",
    "/api/v1/sessions",
    "/api/v1/sessions/{session}",
    "/api/v1/jobs",
    "/api/v1/jobs/{job}",
    "/api/v1/timeline",
    "/memory/jobs",
    "/",
    "/timeline",
    "/memories/{memory}",
    "/map",
    "/limits",
    "/tasks",
    "/contradictions",
    "/fleet",
    "/jobs",
    "/health",
    "tool begin_task",
    "tool recall",
    "tool locate",
    "tool timeline",
    "tool get_memory",
    "tool compare",
    "tool check_action",
    "tool memory_status",
    "tool learn",
    "tool correct",
    "tool end_task",
    "resource memory://now",
    "resource memory://limits",
    "resource memory://memory/{memory}",
    "resource memory://session/{session}",
    "resource memory://report/latest",
    "prompt brief",
    "prompt teach",
];
/// Whether `GET /api/v1/events` is there.
const HAS_EVENTS: bool = true;

/// What can be looked at. Of those with an id, of each thing that there is.
const VIEWS: [&str; 35] = [
    "/healthz",
    "/openapi.json",
    "/metrics",
    "/api/v1/memories/{memory}",
    "/api/v1/keyframes/{memory}.jpg",
    "/api/v1/clips/{memory}.mcap",
    "/api/v1/sessions",
    "/api/v1/sessions?limit=2",
    "/api/v1/sessions/{session}",
    "/api/v1/jobs",
    "/api/v1/jobs?limit=3",
    "/api/v1/jobs/{job}",
    "/api/v1/timeline",
    "/memory/jobs",
    "/",
    "/?q=grip+the+cup&scope=all",
    "/timeline",
    "/memories/{memory}",
    "/map",
    "/limits",
    "/tasks",
    "/contradictions",
    "/fleet",
    "/jobs",
    "/jobs/{job}",
    "/health",
    "/backups",
    "/tasks?task=grip",
    "/tasks/differences?task=grip",
    "/memories/{memory}/correct",
    "/memories/{memory}/forget",
    "/memories/{memory}/learn-again",
    "/memories/{memory}/restore",
    "/memories/{memory}/judge?to=pinned",
    "/memory/scopes",
];

const RESOURCES: [&str; 7] = [
    "memory://now",
    "memory://limits",
    "memory://memory/{memory}",
    "memory://session/{session}",
    "memory://keyframe/{memory}.jpg",
    "memory://report/latest",
    "memory://job/{job}",
];

/// How often each thing that can be asked for was answered.
#[derive(Default)]
struct Answered(BTreeMap<String, u32>);

impl Answered {
    fn add(&mut self, what: &str, said: &Said) {
        *self.0.entry(what.to_owned()).or_default() += u32::from(said.is_ok());
    }

    /// Everything of a kind that must be there was; says what was not.
    fn assert_present(&self, is_of_kind: impl Fn(&str) -> bool) {
        let absent = self.0.iter().filter(|(_, count)| **count == 0).map(|(what, _)| what.as_str());
        let absent: Vec<&str> = absent.collect();
        println!("never answered, so nothing is known of them: {absent:?}");
        for what in PRESENT.into_iter().filter(|what| is_of_kind(what)) {
            assert!(self.0.get(what).is_some_and(|count| *count > 0), "{what} was never answered");
        }
    }
}

/// A path for each thing that it may be of, and whether an agent sees that thing.
fn filled(world: &World, agent: &str, path: &str) -> Vec<(String, String, bool)> {
    let one = |kind: &str, id: String, is_seen: bool| (path.replace(kind, &id), id, is_seen);
    if path.contains("{memory}") {
        let sees = |row: &Row| row.is_seen(agent, None);
        let rows = sampled(world.rows.iter(), 3);
        rows.map(|row| one("{memory}", row.id.to_string(), sees(row))).collect()
    } else if path.contains("{session}") {
        let sees = |begun_by: &str| rules::may_see_session(agent, begun_by);
        world.sessions.iter().map(|(id, by)| one("{session}", id.clone(), sees(by))).collect()
    } else if path.contains("{job}") {
        let sees = |scope: &str, begun_by| rules::may_see_jobs(agent, scope, begun_by).0;
        let jobs = sampled(world.jobs.iter(), 3);
        jobs.map(|job| one("{job}", job.id.to_string(), sees(&job.scope, job.begun_by))).collect()
    } else {
        vec![(path.to_owned(), String::new(), true)]
    }
}

fn absent(path: &str) -> (String, String) {
    let (kind, id) = match path {
        path if path.contains("{session}") => ("{session}", NO_SESSION.to_owned()),
        path if path.contains("{job}") => ("{job}", "69999999".to_owned()),
        _ => ("{memory}", NO_ID.to_string()),
    };
    (path.replace(kind, &id), id)
}

/// An answer tells only of what its caller may see, and of what it may not see as of what never was.
fn assert_tight(world: &World, agent: &str, path: &str, ask: impl Fn(&str) -> Said) -> Vec<Said> {
    let (nowhere, no_id) = absent(path);
    let blotted = |said: &Said, id: &str| (said.status, said.body.replace(id, "?"));
    let never_was = path.contains('{').then(|| blotted(&ask(&nowhere), &no_id));
    let mut all = Vec::new();
    for (full, id, is_seen) in filled(world, agent, path) {
        let said = ask(&full);
        if is_seen {
            world.assert_tight(&full, agent, None, &said.body);
        } else {
            assert_eq!(Some(blotted(&said, &id)), never_was, "{full} for {agent:?}");
        }
        all.push(said);
    }
    all
}

#[test]
fn no_answer_over_http_tells_of_what_its_caller_may_not_see() {
    let world = World::over_http(17, 60);
    let offered = |probe: &&Probe| !WITHOUT_FACE.contains(&probe.name);
    let scopes = ["", "global", "group:red", "agent:skill_grasp", "session:s1", "all", "cross:red"];
    let answered = count_tight_answers(&world, &scopes, PROBES.iter().filter(offered));
    assert!(answered > 500, "{answered} answers");
}

#[test]
fn no_page_and_no_view_tells_of_what_its_caller_may_not_see() {
    let world = World::over_http(18, 60);
    let faces = world.faces.as_ref().expect("they are there");
    let mut answered = Answered::default();
    for agent in AGENTS {
        for path in VIEWS {
            for said in assert_tight(&world, agent, path, |path| faces.get(agent, path)) {
                answered.add(path, &said);
            }
        }
        // As a browser asks, which has no token any more.
        let Some(cookie) = faces.log_in(agent) else { continue };
        for path in VIEWS {
            let ask = |path: &str| faces.exchange("GET", path, &cookie, "");
            for said in assert_tight(&world, agent, path, ask) {
                answered.add(&format!("{path} with a cookie"), &said);
            }
        }
    }
    for path in VIEWS.iter().filter(|path| !path.contains('{') && **path != "/healthz") {
        let said = faces.exchange("GET", path, "", "");
        world.assert_tight(path, "mute", Some("turn:nowhere"), &said.body);
    }
    answered.assert_present(|what| what.starts_with('/'));
}

#[test]
fn no_tool_resource_or_prompt_tells_of_what_its_caller_may_not_see() {
    let world = World::over_http(19, 60);
    let faces = world.faces.as_ref().expect("they are there");
    let mut answered = Answered::default();
    for agent in AGENTS {
        let searches = [
            ("recall", json!({ "query": "grip the cup 抓取 force", "n": 20 })),
            ("recall", json!({ "query": "grip", "filter": { "params.force": { "$gte": 0 } } })),
            ("locate", json!({ "what": "" })),
            ("locate", json!({ "what": "cup" })),
            ("timeline", json!({ "n": 50 })),
            ("timeline", json!({ "oldest_first": true, "n": 50 })),
            ("compare", json!({ "task": "grip" })),
            ("check_action", json!({ "params": { "force": { "value": -30, "unit": "N" } } })),
            ("check_action", json!({ "params": { "force": 5 }, "task": "grip" })),
        ];
        for (tool, arguments) in searches {
            let said = faces.tool(agent, tool, arguments);
            answered.add(&format!("tool {tool}"), &said);
            world.assert_tight(tool, agent, Some("global"), &said.body);
        }
        for (session, begun_by) in &world.sessions {
            if rules::may_see_session(agent, begun_by) {
                let said = faces.tool(agent, "timeline", json!({ "session_id": session }));
                world.assert_tight("timeline", agent, Some("global"), &said.body);
            }
        }
        let said = faces.tool(agent, "memory_status", json!({}));
        answered.add("tool memory_status", &said);
        world.assert_tight("memory_status", agent, None, &said.body);
        let get = |id: &str| faces.tool(agent, "get_memory", json!({ "id": number(id) }));
        for said in assert_tight(&world, agent, "{memory}", get) {
            answered.add("tool get_memory", &said);
        }
        for uri in RESOURCES {
            let read = |uri: &str| faces.rpc(agent, "resources/read", json!({ "uri": uri }));
            for said in assert_tight(&world, agent, uri, read) {
                answered.add(&format!("resource {uri}"), &said);
            }
        }
        for method in ["tools/list", "resources/list", "resources/templates/list", "prompts/list"] {
            let said = faces.rpc(agent, method, json!({}));
            world.assert_tight(method, agent, None, &said.body);
        }
        for (name, said) in prompts(&world, agent) {
            answered.add(&format!("prompt {name}"), &said);
            world.assert_tight(&name, agent, None, &said.body);
        }
    }
    writing_tools(&world, &mut answered);
    let is_of_mcp =
        |what: &str| ["tool ", "resource ", "prompt "].iter().any(|kind| what.starts_with(kind));
    answered.assert_present(is_of_mcp);
}

fn number(id: &str) -> i64 {
    id.parse().expect("a number")
}

/// Each prompt that is offered, with something for each of its arguments.
fn prompts(world: &World, agent: &str) -> Vec<(String, Said)> {
    let faces = world.faces.as_ref().expect("they are there");
    let listed: Value =
        serde_json::from_str(&faces.rpc(agent, "prompts/list", json!({})).body).unwrap_or_default();
    let listed = listed["result"]["prompts"].as_array().cloned().unwrap_or_default();
    let own = world.sessions.iter().find(|(_, by)| rules::may_see_session(agent, by));
    let filled = |prompt: &Value| {
        let mut arguments = json!({});
        for argument in prompt["arguments"].as_array().into_iter().flatten() {
            let name = argument["name"].as_str().unwrap_or_default();
            arguments[name] = match name {
                name if name.contains("session") => own.map_or(NO_SESSION, |(id, _)| id).into(),
                name if name.contains("task") => "grip".into(),
                _ => "cup".into(),
            };
        }
        let name = prompt["name"].as_str().unwrap_or_default().to_owned();
        let said = faces.rpc(agent, "prompts/get", json!({ "name": name, "arguments": arguments }));
        (name, said)
    };
    listed.iter().map(filled).collect()
}

/// Those that write tell no more, and change nothing that their caller may not see or not write.
fn writing_tools(world: &World, answered: &mut Answered) {
    let faces = world.faces.as_ref().expect("they are there");
    for agent in AGENTS {
        let begun = faces.tool(agent, "begin_task", json!({ "task": "grip", "object": "cup" }));
        world.assert_tight("begin_task", agent, Some("global"), &begun.body);
        let id = serde_json::from_str::<Value>(&begun.body).unwrap_or_default();
        let id = id["result"]["structuredContent"]["task_id"].as_i64().unwrap_or(NO_ID);
        let ended = faces.tool(agent, "end_task", json!({ "task_id": id, "outcome": "success" }));
        world.assert_tight("end_task", agent, Some("global"), &ended.body);
        let learn = json!({ "statement": format!("{agent} found that cups slip on wet tables") });
        let learned = faces.tool(agent, "learn", learn);
        world.assert_tight("learn", agent, None, &learned.body);
        for (tool, said) in [("begin_task", begun), ("end_task", ended), ("learn", learned)] {
            answered.add(&format!("tool {tool}"), &said);
        }
        let nowhere =
            |tool: Value| faces.tool(agent, "correct", tool).body.replace(&NO_ID.to_string(), "?");
        let (reason, statement) =
            (json!({ "id": NO_ID, "reason": "x" }), json!({ "id": NO_ID, "statement": "y" }));
        let never_was = [nowhere(reason), nowhere(statement)];
        for row in sampled(&world.rows, 2) {
            let withdraw = json!({ "id": row.id, "reason": "x" });
            let replace = json!({ "id": row.id, "statement": "y" });
            let is_seen = row.is_seen(agent, None);
            // Whoever may write what it sees would change the world for the next one.
            if is_seen && rules::may_write(agent, row.scope, row.class) {
                continue;
            }
            for (what, never_was) in [withdraw, replace].into_iter().zip(&never_was) {
                let said = faces.tool(agent, "correct", what);
                assert!(!said.is_ok(), "{agent} {row:?}: {}", said.body);
                if is_seen {
                    world.assert_tight("correct", agent, None, &said.body);
                } else {
                    let blotted = said.body.replace(&row.id.to_string(), "?");
                    assert_eq!(&blotted, never_was, "{agent} {row:?}");
                }
            }
        }
    }
    let own = world.active().find(|row| rules::may_write("", row.scope, row.class)).expect("a row");
    let said = faces.tool("", "correct", json!({ "id": own.id, "reason": "it was a test" }));
    answered.add("tool correct", &said);
}

/// What a stream tells of memories. Where it begins and what it leaves out are the numbers that every memory counts in.
fn told(text: &str) -> String {
    let is_told = |block: &&str| block.contains("data: ") && !block.contains("event: gap");
    text.split("\n\n").filter(is_told).collect::<Vec<_>>().join("\n\n")
}

#[test]
fn no_event_tells_of_what_its_listener_may_not_see() {
    let mut world = World::over_http(20, 10);
    let faces = world.faces.take().expect("they are there");
    let mut heard: Vec<_> = AGENTS.iter().map(|agent| faces.listen(agent, None)).collect();
    for draft in drafts(21, 40) {
        world.store(&draft);
    }
    let mut is_there = false;
    for (agent, heard) in AGENTS.iter().zip(&mut heard) {
        let text = heard.text();
        is_there |= text.starts_with("HTTP/1.1 200");
        world.assert_tight("events", agent, None, &told(&text));
        // What came before is told to nobody else either.
        for last_id in ["0", "1", "-1", "x"] {
            let text = faces.listen(agent, Some(last_id)).text();
            world.assert_tight("events", agent, None, &told(&text));
        }
        if is_there && agent.is_empty() {
            let told = world.rows.iter().filter(|row| text.contains(&row.id.to_string()));
            assert!(told.count() > 10, "the operator hears of little: {text}");
        }
    }
    println!(
        "events are {}",
        if is_there { "there" } else { "not there: nothing is known of them" }
    );
    assert!(is_there || !HAS_EVENTS, "no events");
}
