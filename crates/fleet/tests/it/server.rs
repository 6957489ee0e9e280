//! A NATS server as a process of its own, which can be killed and started again.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};

/// Only keeps a test from hanging.
pub const DEADLINE: Duration = Duration::from_secs(60);

/// The program: `NATS_SERVER`, or where scripts/setup puts it.
pub fn program() -> PathBuf {
    if let Some(path) = std::env::var_os("NATS_SERVER") {
        let path = PathBuf::from(path);
        assert!(path.is_file(), "NATS_SERVER names no file: {}", path.display());
        return path;
    }
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let cache = variable("ROBOT_MEMORY_CACHE").map(PathBuf::from).unwrap_or_else(|| {
        let home = || PathBuf::from(variable("HOME").unwrap_or_default()).join(".cache");
        variable("XDG_CACHE_HOME").map_or_else(home, PathBuf::from).join("robot_memory")
    });
    let path = cache.join("tools/nats/bin/nats-server");
    assert!(
        path.is_file(),
        "there is no nats-server at {}: run scripts/setup engine, or set NATS_SERVER to one",
        path.display()
    );
    path
}

/// A port that nobody listens on. It is below those that the system gives to clients, so that it stays free while
/// its server is down.
pub fn free_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let begin = u16::try_from(std::process::id() % 10_000).unwrap();
    for _ in 0..10_000 {
        let port = 20_000 + (begin + NEXT.fetch_add(1, Ordering::Relaxed)) % 10_000;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
    panic!("no port is free");
}

/// Waits until `is_so`; fails with what `else_text` says.
pub fn wait_until(mut is_so: impl FnMut() -> bool, else_text: impl Fn() -> String) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < DEADLINE, "after {DEADLINE:?}: {}", else_text());
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A NATS server.
pub struct Server {
    config: PathBuf,
    port: u16,
    child: Option<Child>,
}

impl Server {
    /// Starts one with this configuration, which names `port` for clients.
    pub fn start(folder: &Path, name: &str, port: u16, config: &str) -> Self {
        let path = folder.join(format!("{name}.conf"));
        std::fs::write(&path, config).unwrap();
        let mut server = Self { config: path, port, child: None };
        server.restart();
        server
    }

    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Asks JetStream.
    pub fn ask(&self, subject: &str, body: &str) -> Answer {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(DEADLINE)).unwrap();
        let bytes = body.len();
        let text = format!(
            "CONNECT {{\"verbose\":false}}\r\nSUB _INBOX.test 1\r\nPUB $JS.API.{subject} _INBOX.test {bytes}\r\n{body}\r\nPING\r\n"
        );
        stream.write_all(text.as_bytes()).unwrap();
        let mut answer = Answer { stream, said: String::new() };
        // The server has the request.
        answer.read_until("PONG\r\n");
        answer
    }

    /// Publishes a message under an id, as any client may.
    pub fn publish(&self, subject: &str, message_id: &str, text: &str) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(DEADLINE)).unwrap();
        let head = format!("NATS/1.0\r\nNats-Msg-Id: {message_id}\r\n\r\n");
        let (bytes, all) = (head.len(), head.len() + text.len());
        let said = format!(
            "CONNECT {{\"verbose\":false,\"headers\":true}}\r\nHPUB {subject} {bytes} {all}\r\n{head}{text}\r\nPING\r\n"
        );
        stream.write_all(said.as_bytes()).unwrap();
        Answer { stream, said: String::new() }.read_until("PONG\r\n");
    }

    /// As `kill -9` does it.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    /// Starts it again, when it was killed, and waits until it listens.
    pub fn restart(&mut self) {
        self.kill();
        let log = self.config.with_extension("log");
        let child = Command::new(program())
            .arg("-c")
            .arg(&self.config)
            .arg("-l")
            .arg(&log)
            .stdout(Stdio::null())
            .stderr(Stdio::from(std::fs::File::create(log.with_extension("err")).unwrap()))
            .spawn()
            .unwrap();
        self.child = Some(child);
        let mut has_ended = false;
        let child = self.child.as_mut().unwrap();
        wait_until(
            || {
                has_ended = child.try_wait().unwrap().is_some();
                has_ended || TcpStream::connect(("127.0.0.1", self.port)).is_ok()
            },
            || format!("{} does not listen", self.config.display()),
        );
        assert!(!has_ended, "{} ended: {}", self.config.display(), self.said());
    }

    fn said(&self) -> String {
        let read = |ending| {
            std::fs::read_to_string(self.config.with_extension(ending)).unwrap_or_default()
        };
        read("log") + &read("err")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// What a server says to a request.
pub struct Answer {
    stream: TcpStream,
    said: String,
}

impl Answer {
    /// All that it said, when `mark` is in it.
    pub fn read_until(&mut self, mark: &str) -> &str {
        let mut buffer = vec![0; 64 * 1024];
        while !self.said.contains(mark) {
            let count = self.stream.read(&mut buffer).unwrap();
            assert!(count > 0, "no {mark}: {}", self.said);
            self.said += std::str::from_utf8(&buffer[..count]).unwrap();
        }
        &self.said
    }
}
