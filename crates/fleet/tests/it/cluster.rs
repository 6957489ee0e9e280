//! A hub and robots, each with its leaf behind a network of its own.

use crate::configs::{self, HubConfig};
use crate::journal::{Journal, Key};
use crate::proxy::Proxy;
use crate::server::{Server, free_port, wait_until};
use robot_memory_fleet::{Settings, State, Transport, start};
use std::collections::BTreeSet;
use std::path::Path;
use std::slice::SliceIndex;
use std::sync::Arc;
use tempfile::TempDir;

/// The hub.
pub struct Hub {
    pub server: Server,
    pub leaf_port: u16,
    store: std::path::PathBuf,
}

impl Hub {
    fn start(folder: &Path) -> Self {
        let HubConfig { port, leaf_port, store, text } = HubConfig::new(folder);
        let server = Server::start(folder, "hub", port, &text);
        Self { server, leaf_port, store }
    }

    /// Keeps its storage aside as it is now.
    pub fn keep(&mut self) {
        self.server.kill();
        copy(&self.store, &self.kept());
        self.server.restart();
    }

    /// Is again as it was when it was [kept](Self::keep), as if a power cut had taken what came since.
    pub fn lose_what_came_since(&mut self) {
        self.server.kill();
        std::fs::remove_dir_all(&self.store).unwrap();
        std::fs::rename(self.kept(), &self.store).unwrap();
        self.server.restart();
    }

    fn kept(&self) -> std::path::PathBuf {
        self.store.with_extension("kept")
    }

    /// Loses its storage.
    pub fn wipe(&mut self) {
        self.server.kill();
        std::fs::remove_dir_all(&self.store).unwrap();
        self.server.restart();
    }
}

/// Copies a folder with all that is in it.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let (path, to) = (entry.as_ref().unwrap().path(), to.join(entry.unwrap().file_name()));
        match path.is_dir() {
            true => copy(&path, &to),
            false => drop(std::fs::copy(&path, &to).unwrap()),
        }
    }
}

/// A robot. Its transport ends before its leaf.
pub struct Robot {
    pub name: String,
    transport: Option<Transport>,
    pub memory: Arc<Journal>,
    pub settings: Settings,
    pub leaf: Option<Server>,
    pub network: Option<Proxy>,
    folder: std::path::PathBuf,
}

impl Robot {
    /// One with a leaf.
    pub fn with_leaf(folder: &Path, name: &str, hub: &Hub) -> Self {
        let network = Proxy::to(hub.leaf_port);
        let port = free_port();
        let config = configs::leaf(folder, name, port, network.port);
        let leaf = Server::start(folder, name, port, &config);
        let settings = Settings::new(&leaf.url(), name);
        Self::new(folder, settings, Some(leaf), Some(network))
    }

    /// One that is connected to the hub itself.
    pub fn without_leaf(folder: &Path, name: &str, hub: &Hub) -> Self {
        Self::new(folder, Settings::new(&hub.server.url(), name), None, None)
    }

    fn new(
        folder: &Path,
        settings: Settings,
        leaf: Option<Server>,
        network: Option<Proxy>,
    ) -> Self {
        let memory = Arc::new(Journal::open(folder, &settings.robot));
        let name = settings.robot.clone();
        let folder = folder.to_owned();
        Self { name, transport: None, memory, settings, leaf, network, folder }
    }

    pub fn start(&mut self) {
        let memory: Arc<Journal> = Arc::clone(&self.memory);
        self.transport = Some(start(self.settings.clone(), memory).unwrap());
    }

    pub fn stop(&mut self) {
        self.transport = None;
    }

    /// As after a kill of its process: what is not in the file of the memory is lost.
    pub fn restart(&mut self) {
        self.stop();
        self.memory = Arc::new(Journal::open(&self.folder, &self.name));
        self.start();
    }

    pub fn state(&self) -> State {
        self.transport.as_ref().map(Transport::state).unwrap_or_default()
    }

    /// Says memories `from` to `to`, revision 1.
    pub fn say(&self, from: i64, to: i64) {
        self.say_all((from..to).map(|memory_id| (memory_id, 1)), 100);
    }

    pub fn say_all(&self, keys: impl IntoIterator<Item = (i64, u64)>, bytes: usize) {
        for (memory_id, revision) in keys {
            self.memory.say(memory_id, revision, bytes);
        }
        if let Some(transport) = &self.transport {
            transport.wake();
        }
    }

    pub fn cut(&self, is_cut: bool) {
        self.network.as_ref().unwrap().cut(is_cut);
    }

    pub fn leaf(&mut self) -> &mut Server {
        self.leaf.as_mut().unwrap()
    }
}

/// A hub and robots `r0`, `r1` ... with leaves; not started.
pub struct Cluster {
    pub robots: Vec<Robot>,
    pub hub: Hub,
    pub folder: TempDir,
}

impl Cluster {
    pub fn new(count: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let hub = Hub::start(folder.path());
        let robot = |at| Robot::with_leaf(folder.path(), &format!("r{at}"), &hub);
        let robots = (0..count).map(robot).collect();
        Self { robots, hub, folder }
    }

    pub fn started(count: usize) -> Self {
        let mut cluster = Self::new(count);
        cluster.robots.iter_mut().for_each(Robot::start);
        cluster
    }

    /// Waits until every robot took all of `keys`, and nothing waits.
    pub fn wait_for(&self, keys: &BTreeSet<Key>) {
        self.wait_for_some(.., keys);
    }

    /// The same of some of the robots.
    pub fn wait_for_some(
        &self,
        which: impl SliceIndex<[Robot], Output = [Robot]>,
        keys: &BTreeSet<Key>,
    ) {
        for robot in &self.robots[which] {
            wait_until(
                || {
                    robot.memory.waiting() == 0
                        && robot.memory.taken().len() >= keys.len()
                        && robot.memory.missing(keys).is_empty()
                },
                || {
                    let missing = robot.memory.missing(keys);
                    format!(
                        "{} lacks {} of {}, first {:?}; {} wait; {:?}",
                        robot.name,
                        missing.len(),
                        keys.len(),
                        missing.first(),
                        robot.memory.waiting(),
                        self.robots.iter().map(Robot::state).collect::<Vec<_>>()
                    )
                },
            );
        }
    }

    /// Every robot has exactly `keys`, each at least once; returns what came more than once.
    pub fn assert_has_exactly(&self, keys: &BTreeSet<Key>) -> u64 {
        let mut again = 0;
        for robot in &self.robots {
            let taken = robot.memory.taken();
            let distinct: BTreeSet<Key> = taken.keys().cloned().collect();
            assert_eq!(distinct.len(), keys.len(), "{}", robot.name);
            assert!(distinct == *keys, "{} has others than were said", robot.name);
            again += taken.values().map(|count| count - 1).sum::<u64>();
        }
        again
    }
}

/// Keys of memories `from` to `to` of each of these robots, revision 1.
pub fn keys(robots: &[Robot], from: i64, to: i64) -> BTreeSet<Key> {
    let of = |robot: &Robot| {
        let name = robot.name.clone();
        (from..to).map(move |memory_id| (name.clone(), memory_id, 1))
    };
    robots.iter().flat_map(of).collect()
}
