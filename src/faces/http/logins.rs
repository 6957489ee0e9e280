//! Logins of browsers, which send no token: a cookie stands for the token with which its holder logged in.

use super::tokens::{hashed, new_secret};
use robot_memory_core::limits::{HTTP_LOGINS_MAX, HTTP_LOGINS_PER_PROOF_MAX};
use std::io;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The cookie of the node at this port: a browser sends cookies to all ports of a computer, where there may be another node.
pub(super) fn cookie_name(port: u16) -> String {
    format!("robot_memory_login_{port}")
}

/// A login ends after so long: a working day.
pub(super) const LOGIN_LIFE: Duration = Duration::from_secs(12 * 60 * 60);

/// With what somebody logged in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Proof {
    /// A token of the file, by its hash: when the file has it no more, the login has ended.
    Token(String),
    /// The one-time token of the start.
    Link,
}

/// The logins that have not ended. They are kept in memory only, so that a restart ends them all.
#[derive(Debug, Default)]
pub(super) struct Logins(Mutex<Vec<Login>>);

#[derive(Debug)]
struct Login {
    /// Of what the cookie holds.
    sha256: String,
    proof: Proof,
    began_at: Instant,
}

impl Logins {
    /// Begins a login; answers what the cookie holds, which is kept nowhere.
    ///
    /// # Errors
    /// When the operating system gives no random numbers.
    pub fn begin(&self, proof: Proof, now: Instant) -> io::Result<String> {
        let secret = new_secret()?;
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|login| !login.is_over(now));
        // They are in the order in which they began.
        let of_proof = || open.iter().enumerate().filter(|(_, login)| login.proof == proof);
        let oldest = if of_proof().count() >= HTTP_LOGINS_PER_PROOF_MAX {
            of_proof().next().map(|(at, _)| at)
        } else {
            (open.len() >= HTTP_LOGINS_MAX).then_some(0)
        };
        if let Some(at) = oldest {
            open.remove(at);
        }
        open.push(Login { sha256: hashed(&secret), proof, began_at: now });
        Ok(secret)
    }

    /// With what the holder of a cookie logged in; `None`: it has no login.
    pub fn proof(&self, secret: &str, now: Instant) -> Option<Proof> {
        let sha256 = hashed(secret);
        let open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let login = open.iter().find(|login| login.sha256 == sha256 && !login.is_over(now))?;
        Some(login.proof.clone())
    }

    /// Ends a login.
    pub fn end(&self, secret: &str) {
        let sha256 = hashed(secret);
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|login| login.sha256 != sha256);
    }
}

impl Login {
    fn is_over(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.began_at) >= LOGIN_LIFE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_ends_by_itself_and_when_it_is_ended() {
        let (logins, now) = (Logins::default(), Instant::now());
        let [one, other] =
            ["a", "b"].map(|token| logins.begin(Proof::Token(token.to_owned()), now).unwrap());
        assert_eq!(logins.proof(&one, now), Some(Proof::Token("a".to_owned())));
        assert_eq!(logins.proof(&one[1..], now), None);
        logins.end(&one);
        assert_eq!(logins.proof(&one, now), None);
        let soon = now + LOGIN_LIFE - Duration::from_secs(1);
        assert!(logins.proof(&other, soon).is_some());
        assert_eq!(logins.proof(&other, now + LOGIN_LIFE), None);
    }

    #[test]
    fn the_oldest_makes_room() {
        let (logins, now) = (Logins::default(), Instant::now());
        let of_token = |number: usize| Proof::Token(number.to_string());
        let begin = |proof: Proof| logins.begin(proof, now).unwrap();
        let [first, second] = [Proof::Link, of_token(0)].map(begin);
        // Its own, when they are many of one.
        let own = begin(of_token(1));
        for _ in 0..HTTP_LOGINS_MAX {
            begin(of_token(1));
        }
        assert_eq!(logins.proof(&own, now), None);
        assert_eq!(logins.0.lock().unwrap().len(), 2 + HTTP_LOGINS_PER_PROOF_MAX);
        assert_eq!(logins.proof(&first, now), Some(Proof::Link));
        for number in 0..HTTP_LOGINS_MAX - 1 - HTTP_LOGINS_PER_PROOF_MAX {
            begin(of_token(2 + number));
        }
        assert_eq!(logins.proof(&first, now), None);
        assert_eq!(logins.proof(&second, now), Some(of_token(0)));
        assert_eq!(logins.0.lock().unwrap().len(), HTTP_LOGINS_MAX);
    }
}
