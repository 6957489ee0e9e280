//! Where the fleet is, and who this robot is.

use async_nats::ServerAddr;
use robot_memory_core::limits::{
    FLEET_OUT_BYTES_MAX, FLEET_STREAM_BYTES_MAX, ROBOT_NAME_BYTES_MAX,
};
use std::path::PathBuf;

/// Where the fleet is, and who this robot is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The NATS server, as `nats://127.0.0.1:4222`, or `tls://` for TLS; several with commas between them.
    pub url: String,
    /// The file of credentials (`.creds`: a JWT and its seed), read at every connection.
    pub credentials_path: Option<PathBuf>,
    /// A file with the seed of an nkey, read at every connection. Not together with credentials.
    pub nkey_seed_path: Option<PathBuf>,
    /// Certificates (PEM) of the authority that signed the server's; else the computer's own.
    pub ca_path: Option<PathBuf>,
    /// The name of this robot: letters, digits, `_` and `-`.
    pub robot: String,
    /// The JetStream domain of the hub; empty: the server itself is the hub, without a domain.
    pub hub_domain: String,
    /// Bytes that `CLAIMS_OUT` keeps on the leaf, when it is made. When these are full of what the hub does not
    /// have, the memory's outbox waits.
    pub out_bytes_max: u64,
    /// Bytes that `FLEET` keeps on the hub, when it is made. When these are full the oldest go.
    pub fleet_bytes_max: u64,
}

/// Why a transport does not start.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An address cannot be read.
    #[error("url must be addresses as nats://127.0.0.1:4222 or tls://hub.example:4222: {0}")]
    Url(String),
    /// A name is none.
    #[error(
        "{field} must have 1 to {ROBOT_NAME_BYTES_MAX} characters, of A to Z, a to z, 0 to 9, _ and -; it has {given:?}"
    )]
    Name {
        /// The setting.
        field: &'static str,
        /// Its value.
        given: String,
    },
    /// Both kinds of credentials.
    #[error("credentials_path and nkey_seed_path are both given: a server wants one of them")]
    Credentials,
    /// A bound that a stream cannot have.
    #[error("{field} must be 1 to {max}; it is {given}")]
    Bytes {
        /// The setting.
        field: &'static str,
        /// The greatest value.
        max: u64,
        /// Its value.
        given: u64,
    },
    /// The system gives no thread.
    #[error("the thread of the fleet does not start: {0}")]
    Thread(#[from] std::io::Error),
}

impl Settings {
    /// Those of a robot, without credentials, with the usual bounds.
    #[must_use]
    pub fn new(url: &str, robot: &str) -> Self {
        Self {
            url: url.to_owned(),
            credentials_path: None,
            nkey_seed_path: None,
            ca_path: None,
            robot: robot.to_owned(),
            hub_domain: "hub".to_owned(),
            out_bytes_max: FLEET_OUT_BYTES_MAX,
            fleet_bytes_max: FLEET_STREAM_BYTES_MAX,
        }
    }

    /// Whether a transport can start with them.
    ///
    /// # Errors
    /// Names the setting that cannot be used.
    pub fn check(&self) -> Result<(), Error> {
        self.addresses()?;
        check_name("robot", &self.robot)?;
        if !self.hub_domain.is_empty() {
            check_name("hub_domain", &self.hub_domain)?;
        }
        if self.credentials_path.is_some() && self.nkey_seed_path.is_some() {
            return Err(Error::Credentials);
        }
        let max = i64::MAX.unsigned_abs();
        for (field, given) in
            [("out_bytes_max", self.out_bytes_max), ("fleet_bytes_max", self.fleet_bytes_max)]
        {
            if given == 0 || given > max {
                return Err(Error::Bytes { field, max, given });
            }
        }
        Ok(())
    }

    /// The addresses of `url`.
    pub(crate) fn addresses(&self) -> Result<Vec<ServerAddr>, Error> {
        let read = |address: &str| {
            let address: ServerAddr =
                address.trim().parse().map_err(|error| Error::Url(format!("{error}")))?;
            if address.host().is_empty() {
                return Err(Error::Url("one of them names no host".to_owned()));
            }
            match address.scheme() {
                "nats" | "tls" => Ok(address),
                other => Err(Error::Url(format!("it begins with {other}://"))),
            }
        };
        self.url.split(',').map(read).collect()
    }

    /// The addresses for people: without a password.
    pub(crate) fn shown_url(&self) -> String {
        let shown = |address: &ServerAddr| format!("{}:{}", address.host(), address.port());
        let addresses = self.addresses().unwrap_or_default();
        addresses.iter().map(shown).collect::<Vec<_>>().join(", ")
    }
}

/// A token of a subject.
fn check_name(field: &'static str, given: &str) -> Result<(), Error> {
    let is_token = |c: u8| c.is_ascii_alphanumeric() || c == b'_' || c == b'-';
    if given.is_empty() || given.len() > ROBOT_NAME_BYTES_MAX || !given.bytes().all(is_token) {
        let given = given.chars().take(ROBOT_NAME_BYTES_MAX).collect();
        return Err(Error::Name { field, given });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_checked() {
        let good = Settings::new("nats://127.0.0.1:4222, tls://hub.example", "arm-2_b");
        assert!(good.check().is_ok());
        assert_eq!(good.shown_url(), "127.0.0.1:4222, hub.example:4222");
        let secret = Settings::new("nats://arm:secret@127.0.0.1:4222", "arm");
        assert_eq!(secret.shown_url(), "127.0.0.1:4222");
        let bad = |change: &dyn Fn(&mut Settings)| {
            let mut settings = good.clone();
            change(&mut settings);
            settings.check().expect_err("it is refused").to_string()
        };
        assert!(bad(&|s| s.url = String::new()).starts_with("url must be"));
        assert!(bad(&|s| s.url = "ws://hub".to_owned()).contains("it begins with ws://"));
        assert!(bad(&|s| s.robot = "arm.2".to_owned()).contains("it has \"arm.2\""));
        assert!(bad(&|s| s.robot = String::new()).starts_with("robot must have 1 to 64"));
        assert!(bad(&|s| s.robot = "a".repeat(65)).starts_with("robot must have 1 to 64"));
        assert!(bad(&|s| s.hub_domain = "*".to_owned()).starts_with("hub_domain must"));
        assert!(bad(&|s| s.out_bytes_max = 0).starts_with("out_bytes_max must be 1 to"));
        let both = bad(&|s| {
            s.credentials_path = Some("a".into());
            s.nkey_seed_path = Some("b".into());
        });
        assert!(both.contains("both given"), "{both}");
    }
}
