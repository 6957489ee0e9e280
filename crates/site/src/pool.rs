//! Connections to the database: one that takes claims, and some that read. A reader never waits for the writer.

use crate::error::{Error, Result};
use postgres::config::Host;
use postgres::{Client, Config, NoTls};
use robot_memory_core::limits::{SITE_CONNECT_SECS, SITE_READERS_MAX, SITE_WAIT_SECS};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Connections, opened when they are needed, and again when they were lost.
pub(crate) struct Pool {
    config: Config,
    place: String,
    idle: Mutex<Idle>,
    returned: Condvar,
    writer: Mutex<Option<Client>>,
}

#[derive(Default)]
struct Idle {
    clients: Vec<Client>,
    in_use: usize,
}

impl Pool {
    /// Reads the address; connects to nothing yet.
    pub fn new(url: &str) -> Result<Self> {
        let mut config: Config = url.parse().map_err(|_| Error::Url)?;
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            return Err(Error::Url);
        }
        config.connect_timeout(Duration::from_secs(SITE_CONNECT_SECS));
        // A server that is gone without a word is noticed in a minute, not in hours.
        config.keepalives_idle(Duration::from_secs(20));
        config.keepalives_interval(Duration::from_secs(10));
        config.keepalives_retries(4);
        config.tcp_user_timeout(Duration::from_secs(60));
        config.application_name("robot_memory");
        let place = place_of(&config);
        Ok(Self {
            config,
            place,
            idle: Mutex::default(),
            returned: Condvar::new(),
            writer: Mutex::default(),
        })
    }

    /// Host and database, without user and password.
    pub fn place(&self) -> &str {
        &self.place
    }

    fn connect(&self) -> Result<Client> {
        self.config.connect(NoTls).map_err(|error| {
            let reason = match error.as_db_error() {
                Some(error) => format!("SQLSTATE {}", error.code().code()),
                None => {
                    let source = std::error::Error::source(&error);
                    source.map_or_else(|| error.to_string(), ToString::to_string)
                }
            };
            Error::Unreachable { place: self.place.clone(), reason }
        })
    }

    /// Runs something on the one connection that writes.
    pub fn write<T>(&self, run: impl FnOnce(&mut Client) -> Result<T>) -> Result<T> {
        let mut writer = locked(&self.writer);
        let mut client = match writer.take().and_then(alive) {
            Some(client) => client,
            None => self.connect()?,
        };
        let done = run(&mut client);
        if !client.is_closed() {
            *writer = Some(client);
        }
        done
    }

    /// Runs something on a connection of its own.
    pub fn read<T>(&self, run: impl FnOnce(&mut Client) -> Result<T>) -> Result<T> {
        let client = self.take()?;
        // Counts as in use until it is dropped, also when `run` does not return.
        let mut lease = Lease { pool: self, client };
        let client = match lease.client.take().and_then(alive) {
            Some(client) => client,
            None => self.connect()?,
        };
        run(lease.client.insert(client))
    }

    fn take(&self) -> Result<Option<Client>> {
        let until = Instant::now() + Duration::from_secs(SITE_WAIT_SECS);
        let mut idle = locked(&self.idle);
        while idle.in_use >= SITE_READERS_MAX {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Error::Busy(format!(
                    "all {SITE_READERS_MAX} connections to the database are in use"
                )));
            }
            idle = self.returned.wait_timeout(idle, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        idle.in_use += 1;
        Ok(idle.clients.pop())
    }
}

/// A connection that still answers: the database may have been started again since it was used.
fn alive(mut client: Client) -> Option<Client> {
    client.is_valid(Duration::from_secs(SITE_CONNECT_SECS)).is_ok().then_some(client)
}

/// A connection in use.
struct Lease<'p> {
    pool: &'p Pool,
    client: Option<Client>,
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        let mut idle = locked(&self.pool.idle);
        idle.in_use -= 1;
        idle.clients.extend(self.client.take().filter(|client| !client.is_closed()));
        self.pool.returned.notify_one();
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What it guards is whole at every moment.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn place_of(config: &Config) -> String {
    let hosts = config.get_hosts().iter().map(|host| match host {
        Host::Tcp(name) => name.clone(),
        Host::Unix(path) => path.display().to_string(),
    });
    let hosts: Vec<String> = hosts.collect();
    let ports = config.get_ports().iter().map(u16::to_string).collect::<Vec<_>>().join(",");
    let name = config.get_dbname().or(config.get_user()).unwrap_or_default();
    match ports.is_empty() {
        true => format!("{}/{name}", hosts.join(",")),
        false => format!("{}:{ports}/{name}", hosts.join(",")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_error_shows_the_password() {
        for url in [
            "postgres://user:sesame@127.0.0.1:1/site",
            "host=127.0.0.1 port=1 user=u password=sesame dbname=site",
            "postgres://user:sesame@127.0.0.1:port/site",
            "host=127.0.0.1 password='sesame",
            "sesame",
        ] {
            let error = match Pool::new(url) {
                Ok(pool) => pool.read(|_| Ok(())).unwrap_err(),
                Err(error) => error,
            };
            let shown = format!("{error} {error:?}");
            assert!(!shown.contains("sesame"), "{shown}");
        }
    }
}
