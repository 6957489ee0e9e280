//! The files of deploy/fleet as they are, but for folders and ports; and with what they say for a network.

use crate::journal::Journal;
use crate::server::{Server, free_port, wait_until};
use nkeys::KeyPair;
use robot_memory_fleet::{Settings, Site, Transport, Way, start, start_site};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

/// The ports of hub and leaf.
struct Ports {
    hub: u16,
    leafnodes: u16,
}

fn deploy() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/fleet")
}

/// A file of deploy/fleet with folders, ports and the robot of a test; `is_open`: without what a network needs.
fn file(
    name: &str,
    folder: &Path,
    ports: &Ports,
    client: u16,
    robot: &str,
    is_open: bool,
) -> String {
    let text = std::fs::read_to_string(deploy().join(name)).unwrap();
    let mut config = String::new();
    for line in text.lines() {
        let line = if is_open { line.to_owned() } else { line.replace("#: ", "") };
        writeln!(config, "{line}").unwrap();
    }
    for needed in ["127.0.0.1:4222", "127.0.0.1:7422", "/var/lib/nats"] {
        assert!(config.contains(needed), "{name} has no {needed}");
    }
    let at = folder.display().to_string();
    config
        .replace("127.0.0.1:4222", &format!("127.0.0.1:{client}"))
        .replace("127.0.0.1:7422", &format!("127.0.0.1:{}", ports.leafnodes))
        .replace("/var/lib/nats", &at)
        .replace("/etc/nats", &at)
        .replace("leaf-nkey", &format!("{robot}-nkey"))
        .replace("ROBOT", robot)
}

fn leaf(folder: &Path, robot: &str, ports: &Ports, is_open: bool) -> Server {
    let port = free_port();
    let config = file("leaf.conf", folder, ports, port, robot, is_open);
    Server::start(folder, robot, port, &config)
}

fn memory_of(folder: &Path, robot: &str, server: &Server) -> (Arc<Journal>, Transport) {
    memory_with(folder, Settings::new(&server.url(), robot))
}

pub fn memory_with(folder: &Path, settings: Settings) -> (Arc<Journal>, Transport) {
    let memory = Arc::new(Journal::open(folder, &settings.robot));
    (Arc::clone(&memory), start(settings, memory).unwrap())
}

pub fn wait_for(memory: &Journal, transport: &Transport, key: (&str, i64, u64)) {
    let key = (key.0.to_owned(), key.1, key.2);
    wait_until(|| memory.taken().contains_key(&key), || format!("{:?}", transport.state()));
}

#[test]
fn the_files_work_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let ports = Ports { hub: free_port(), leafnodes: free_port() };
    let config = file("hub.conf", folder, &ports, ports.hub, "hub", true);
    let hub = Server::start(folder, "hub", ports.hub, &config);
    let leaf = leaf(folder, "arm", &ports, true);
    let (arm, arm_transport) = memory_of(folder, "arm", &leaf);
    let (direct, direct_transport) = memory_of(folder, "direct", &hub);
    arm.say(1, 1, 100);
    direct.say(2, 1, 100);
    wait_for(&direct, &direct_transport, ("arm", 1, 1));
    wait_for(&arm, &arm_transport, ("direct", 2, 1));
}

/// A memory of a site that has one answer.
struct Echo;

impl Site for Echo {
    fn answer(&self, question: &[u8]) -> Vec<u8> {
        [question, b" 13 N"].concat()
    }
}

/// Certificates as README.md makes them: the commands of its block.
fn certificates(folder: &Path) {
    let readme = std::fs::read_to_string(deploy().join("README.md")).unwrap();
    let block = readme.split("```").find(|block| block.contains("openssl req")).unwrap();
    let made = Command::new("sh").arg("-ec").arg(block).current_dir(folder).output().unwrap();
    let said = String::from_utf8_lossy(&made.stderr);
    assert!(made.status.success(), "openssl, which scripts/setup engine installs: {said}");
}

#[test]
fn with_keys_and_tls_a_robot_says_what_is_its_own_only() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    certificates(folder);
    let ports = Ports { hub: free_port(), leafnodes: free_port() };
    let robots = ["arm", "cart", "thief"];
    let mut config = file("hub.conf", folder, &ports, ports.hub, "ENTRY", false);
    let begin = config.find("    {\n      nkey").unwrap();
    let end = config.find("\n  ]\n}").unwrap();
    // That of a robot, and that of the memory of the site.
    let between = config[begin..end].find("    #").unwrap();
    let entry = config[begin..begin + between].trim_end().trim_end_matches(',').to_owned();
    let of_site = config[begin + between..end].to_owned();
    let key = KeyPair::new_user();
    let site_seed = folder.join("site.nk");
    std::fs::write(&site_seed, key.seed().unwrap()).unwrap();
    let mut entries = vec![of_site.replace("USITE", &key.public_key())];
    let key = KeyPair::new_user();
    let direct_seed = folder.join("direct.nk");
    std::fs::write(&direct_seed, key.seed().unwrap()).unwrap();
    let direct = entry.replace("UENTRY", &key.public_key()).replace("ENTRY", "direct");
    entries.push(direct.replace("$JS.hub.API", "$JS.API"));
    for robot in robots {
        let key = KeyPair::new_user();
        let line = format!("nkey: {:?}\n", key.seed().unwrap());
        std::fs::write(folder.join(format!("{robot}-nkey.conf")), line).unwrap();
        // The third has no permission to say what its name says.
        let named = if robot == "thief" { "nobody" } else { robot };
        let entry = entry
            .replace("UENTRY", &key.public_key())
            .replace("log.ENTRY", &format!("log.{named}"))
            .replace("site.ENTRY", &format!("site.{robot}"));
        entries.push(entry);
    }
    config.replace_range(begin..end, &entries.join(",\n"));
    let hub = Server::start(folder, "hub", ports.hub, &config);
    let leaves: Vec<Server> =
        robots.iter().map(|robot| leaf(folder, robot, &ports, false)).collect();
    let memories: Vec<_> = robots
        .iter()
        .zip(&leaves)
        .map(|(robot, leaf)| {
            let (memory, transport) = memory_of(folder, robot, leaf);
            memory.say(1, 1, 100);
            transport.wake();
            (memory, transport)
        })
        .collect();
    for (memory, transport) in &memories {
        wait_for(memory, transport, ("arm", 1, 1));
        wait_for(memory, transport, ("cart", 1, 1));
    }
    let thief = &memories[2].1;
    wait_until(
        || thief.state().faults.iter().any(|fault| fault.way == Way::Forward),
        || format!("{:?}", thief.state()),
    );
    assert!(memories.iter().all(|(memory, _)| memory.taken().keys().all(|key| key.0 != "thief")));
    // So does one without a leaf.
    let mut settings = Settings::new(&hub.url(), "direct");
    settings.nkey_seed_path = Some(direct_seed);
    let (direct, direct_transport) = memory_with(folder, settings);
    direct.say(1, 1, 100);
    direct_transport.wake();
    wait_for(&memories[0].0, &memories[0].1, ("direct", 1, 1));
    wait_for(&direct, &direct_transport, ("arm", 1, 1));
    // The memory of the site takes what they say, hears what a robot asks it, and answers.
    let mut settings = Settings::new(&hub.url(), "site");
    settings.nkey_seed_path = Some(site_seed);
    let journal = Arc::new(Journal::open(folder, "site"));
    let site = start_site(settings, journal.clone(), Arc::new(Echo)).unwrap();
    wait_for(&journal, &site, ("arm", 1, 1));
    let (answer, answered) = std::sync::mpsc::channel();
    let ask = |question: &str| {
        let answer = answer.clone();
        let take = Box::new(move |it| drop(answer.send(it)));
        memories[0].1.ask(question.into(), Duration::from_secs(5), take);
        answered.recv_timeout(Duration::from_secs(10)).unwrap()
    };
    wait_until(|| ask("how hard?") == Ok(b"how hard? 13 N".to_vec()), || format!("{:?}", ask("")));
    // Others are not in its way.
    memories[0].0.say(2, 1, 100);
    memories[0].1.wake();
    wait_for(&memories[1].0, &memories[1].1, ("arm", 2, 1));
}
