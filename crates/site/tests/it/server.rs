//! A Postgres as a process of its own, which can be killed and started again.

use postgres::{Client, NoTls};
use robot_memory_site::SiteStore;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Only keeps a test from hanging.
const DEADLINE: Duration = Duration::from_secs(120);
/// Postgres does not run as root: whoever is nobody.
const NOBODY: u32 = 65_534;

/// The folder with `bin/postgres`: `POSTGRES_INSTALL`, or where scripts/setup puts it.
fn install() -> PathBuf {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let path = variable("POSTGRES_INSTALL").map(PathBuf::from).unwrap_or_else(|| {
        let cache = variable("ROBOT_MEMORY_CACHE").map(PathBuf::from).unwrap_or_else(|| {
            let home = || PathBuf::from(variable("HOME").unwrap_or_default()).join(".cache");
            variable("XDG_CACHE_HOME").map_or_else(home, PathBuf::from).join("robot_memory")
        });
        cache.join("tools/postgres/pgserver/pginstall")
    });
    assert!(
        path.join("bin/postgres").is_file(),
        "there is no Postgres with pgvector at {}: run scripts/setup engine, or set POSTGRES_INSTALL to the folder that \
         has bin/postgres, bin/initdb and the extension vector",
        path.display()
    );
    path
}

fn free_port() -> u16 {
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

/// A Postgres with one database, which its user `site` owns, who is no superuser.
pub struct Server {
    folder: TempDir,
    bin: PathBuf,
    as_nobody: bool,
    port: u16,
    child: Option<Child>,
}

impl Server {
    pub fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let as_nobody = std::fs::metadata(folder.path()).unwrap().uid() == 0;
        let mut bin = install().join("bin");
        if as_nobody {
            // The folder of root may be closed to others.
            let copy = folder.path().join("install");
            std::fs::create_dir(&copy).unwrap();
            for part in ["bin", "lib", "share"] {
                let from = install().join(part);
                let copied = Command::new("cp").arg("-rL").arg(from).arg(&copy).status().unwrap();
                assert!(copied.success());
            }
            // A wheel has its libraries beside the folder, where the programs look for them.
            let libraries = install().join("../../pgserver.libs");
            if libraries.is_dir() {
                let copied =
                    Command::new("cp").arg("-rL").arg(libraries).arg(copy.join("libs")).status();
                assert!(copied.unwrap().success());
            }
            let opened = Command::new("chmod").args(["-R", "a+rX"]).arg(folder.path()).status();
            assert!(opened.unwrap().success());
            chown(folder.path(), Some(NOBODY), Some(NOBODY)).unwrap();
            bin = copy.join("bin");
        }
        let mut server = Self { folder, bin, as_nobody, port: free_port(), child: None };
        let data = server.data();
        let made = server
            .command("initdb")
            .arg("-D")
            .arg(&data)
            .args(["-U", "postgres", "--auth=trust", "-E", "UTF8", "--locale=C", "--no-sync"])
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        server.restart();
        server.admin("postgres").batch_execute("CREATE ROLE site LOGIN CREATEROLE").unwrap();
        server.make_database("site");
        server
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.bin.join(program));
        if self.as_nobody {
            command.uid(NOBODY).gid(NOBODY);
        }
        command.env_clear().env("LC_ALL", "C").env("LD_LIBRARY_PATH", self.bin.join("../libs"));
        command.current_dir("/").stdin(Stdio::null());
        command
    }

    /// A database of the user `site`, with pgvector.
    pub fn make_database(&self, name: &str) {
        let sql = format!("CREATE DATABASE {name} OWNER site");
        self.admin("postgres").batch_execute(&sql).unwrap();
        self.admin(name).batch_execute("CREATE EXTENSION vector").unwrap();
    }

    /// Starts it again, and waits until it answers.
    pub fn restart(&mut self) {
        let begun = Instant::now();
        self.child = Some(self.spawn());
        while let Err(error) = Client::connect(&self.url_as("postgres", "postgres"), NoTls) {
            let log = std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
            assert!(begun.elapsed() < DEADLINE, "after {DEADLINE:?}: {error}: {log}");
            std::thread::sleep(Duration::from_millis(20));
            // It gives up at once where a process of the killed one is still ending.
            let mut child = self.child.take().unwrap();
            let has_ended = child.try_wait().unwrap().is_some();
            self.child = Some(if has_ended { self.spawn() } else { child });
        }
    }

    fn spawn(&self) -> Child {
        let log = std::fs::File::create(self.folder.path().join("log")).unwrap();
        let mut command = self.command("postgres");
        command.arg("-D").arg(self.data()).args(["-p", &self.port.to_string()]);
        for setting in
            ["listen_addresses=127.0.0.1", "unix_socket_directories=", "shared_buffers=64MB"]
        {
            command.args(["-c", setting]);
        }
        command.stdout(Stdio::null()).stderr(log).spawn().unwrap()
    }

    /// Kills it, and all processes of it, as a power cut does.
    pub fn kill(&mut self) {
        let mut child = self.child.take().unwrap();
        let children = children_of(child.id());
        child.kill().unwrap();
        child.wait().unwrap();
        for pid in children {
            // One that saw its parent end is gone.
            let _ =
                Command::new("kill").args(["-9", &pid.to_string()]).stderr(Stdio::null()).status();
        }
        // The next one does not start while one of them lives.
        let _ = std::fs::remove_file(self.data().join("postmaster.pid"));
    }

    pub fn url(&self) -> String {
        self.url_as("site", "site")
    }

    pub fn url_as(&self, user: &str, database: &str) -> String {
        format!("postgres://{user}@127.0.0.1:{}/{database}", self.port)
    }

    /// A connection of the superuser.
    pub fn admin(&self, database: &str) -> Client {
        Client::connect(&self.url_as("postgres", database), NoTls).unwrap()
    }

    pub fn store(&self) -> SiteStore {
        SiteStore::open(&self.url(), "plant").unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.child.is_some() {
            self.kill();
        }
    }
}

/// The processes whose parent one is.
fn children_of(pid: u32) -> Vec<u32> {
    let path = format!("/proc/{pid}/task/{pid}/children");
    let text = std::fs::read_to_string(Path::new(&path)).unwrap_or_default();
    text.split_whitespace().filter_map(|it| it.parse().ok()).collect()
}
