//! Whose keys are known: a file that a person keeps.

use crate::check_robot_name;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{PUBLIC_KEY_LENGTH, Signature, VerifyingKey};
use robot_memory_core::limits::{KNOWN_ROBOTS_BYTES_MAX, KNOWN_ROBOTS_MAX};
use robot_memory_core::model::cut;
use robot_memory_core::regular_file;
use serde::Deserialize;
use serde_saphyr::Spanned;
use std::collections::BTreeMap;
use std::path::Path;

/// Nodes of the text: more than the most robots have.
const YAML_EVENTS_MAX: usize = 100_000;
/// A map in a map in a map.
const YAML_DEPTH_MAX: usize = 8;
/// What the parser says to programmers, of a key that is there twice.
const ADVICE: &str = ", set DuplicateKeyPolicy in Options if acceptable";

/// Robots, which tell of themselves, and authorities, which revoke for others: people, or programs of a site.
#[derive(Debug, Clone, Default)]
pub struct KnownRobots(BTreeMap<String, Speaker>);

/// Who may sign.
#[derive(Debug, Clone)]
pub(crate) struct Speaker {
    key: VerifyingKey,
    pub(crate) is_authority: bool,
}

/// Why a file of known robots is not used: where, and what is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{at}: {fault}")]
pub struct KnownRobotsError {
    at: String,
    fault: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    #[serde(default)]
    robots: BTreeMap<String, Spanned<Entry>>,
    #[serde(default)]
    authorities: BTreeMap<String, Spanned<Entry>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    key: Spanned<String>,
}

impl KnownRobots {
    /// Reads the file.
    ///
    /// # Errors
    /// When it cannot be read, or is not as [`parse`](Self::parse) reads it.
    pub fn open(path: &Path) -> Result<Self, KnownRobotsError> {
        let at = |fault: String| KnownRobotsError { at: path.display().to_string(), fault };
        let text = regular_file::read_text(path, KNOWN_ROBOTS_BYTES_MAX as u64)
            .map_err(|error| at(error.to_string()))?;
        Self::parse(&text).map_err(|error| at(error.to_string()))
    }

    /// Reads `robots: {name: {key: ...}}` and `authorities: {name: {key: ...}}`, where a key is 32 bytes in
    /// base64.
    ///
    /// # Errors
    /// When it is anything else, a name or a key is there twice, or there are too many.
    pub fn parse(yaml: &str) -> Result<Self, KnownRobotsError> {
        let whole = |fault: String| KnownRobotsError { at: "known robots".to_owned(), fault };
        if yaml.len() > KNOWN_ROBOTS_BYTES_MAX {
            let given = yaml.len();
            return Err(whole(format!("at most {KNOWN_ROBOTS_BYTES_MAX} bytes, got {given}")));
        }
        let options = serde_saphyr::options! {
            budget: serde_saphyr::budget! { max_events: YAML_EVENTS_MAX, max_depth: YAML_DEPTH_MAX },
        };
        let Content { robots, authorities } = serde_saphyr::from_str_with_options(yaml, options)
            .map_err(|error| whole(error.without_snippet().to_string().replace(ADVICE, "")))?;
        let count = robots.len() + authorities.len();
        if count > KNOWN_ROBOTS_MAX {
            return Err(whole(format!("at most {KNOWN_ROBOTS_MAX} names, got {count}")));
        }
        let mut speakers: BTreeMap<String, Speaker> = BTreeMap::new();
        let mut names_by_key: BTreeMap<[u8; PUBLIC_KEY_LENGTH], String> = BTreeMap::new();
        let robots = robots.into_iter().map(|entry| ("robots", entry));
        let authorities = authorities.into_iter().map(|entry| ("authorities", entry));
        for (list, (name, entry)) in robots.chain(authorities) {
            let fault = |path: &str, line: u64, fault: String| KnownRobotsError {
                at: format!("{list}.{}{path} (line {line})", cut(&name)),
                fault,
            };
            let line = entry.referenced.line();
            check_robot_name(&name).map_err(|why| fault("", line, format!("a name {why}")))?;
            if speakers.contains_key(&name) {
                return Err(fault("", line, "is among the robots already".to_owned()));
            }
            let text = entry.value.key;
            let line = text.referenced.line();
            let key = verifying_key(&text.value).map_err(|why| fault(".key", line, why))?;
            // Who signs as two would be two experiences.
            if let Some(other) = names_by_key.insert(key.to_bytes(), name.clone()) {
                return Err(fault(".key", line, format!("is the key of {other} already")));
            }
            speakers.insert(name, Speaker { key, is_authority: list == "authorities" });
        }
        Ok(Self(speakers))
    }

    /// Who has this name.
    pub(crate) fn get(&self, name: &str) -> Option<&Speaker> {
        self.0.get(name)
    }

    /// The public key of a robot or an authority, in base64.
    pub fn public_key(&self, name: &str) -> Option<String> {
        self.get(name).map(|speaker| STANDARD.encode(speaker.key.as_bytes()))
    }

    /// The names of the robots, in order, without the authorities.
    pub fn robots(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter(|(_, it)| !it.is_authority).map(|(name, _)| name.as_str())
    }

    /// The names of the authorities, in order.
    pub fn authorities(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter(|(_, it)| it.is_authority).map(|(name, _)| name.as_str())
    }
}

impl Speaker {
    /// Whether this is its signature of these bytes, and would be for every reader.
    pub(crate) fn has_signed(&self, bytes: &[u8], signature: &[u8; 64]) -> bool {
        self.key.verify_strict(bytes, &Signature::from_bytes(signature)).is_ok()
    }
}

fn verifying_key(text: &str) -> Result<VerifyingKey, String> {
    let bytes = STANDARD.decode(text).ok().and_then(|key| <[u8; 32]>::try_from(key).ok());
    // Not quoted: it may be a secret one by mistake.
    let given = || format!("got {} characters", text.chars().count());
    let Some(bytes) = bytes else {
        return Err(format!("must be {PUBLIC_KEY_LENGTH} bytes in base64, {}", given()));
    };
    // By a weak one everything is signed.
    match VerifyingKey::from_bytes(&bytes) {
        Ok(key) if !key.is_weak() => Ok(key),
        _ => Err(format!("must be a public key of Ed25519, {} that are none", given())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Key;

    fn public(seed: u8) -> String {
        Key::from_seed(&[seed; 32]).public()
    }

    #[test]
    fn robots_and_authorities_are_known_by_their_names() {
        let (arm, base, site) = (public(1), public(2), public(3));
        let yaml = format!(
            "# The hall.\nrobots:\n  arm_2: {{key: \"{arm}\"}}\n  base-1:\n    key: {base}\nauthorities: {{site: {{key: \"{site}\"}}}}\n"
        );
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("robots.yaml");
        std::fs::write(&path, &yaml).unwrap();
        let known = KnownRobots::open(&path).unwrap();
        assert_eq!(known.robots().collect::<Vec<_>>(), ["arm_2", "base-1"]);
        assert_eq!(known.authorities().collect::<Vec<_>>(), ["site"]);
        assert!(known.get("arm_3").is_none());
        std::fs::write(&path, format!("{yaml}robots: {{}}\n")).unwrap();
        let error = KnownRobots::open(&path).unwrap_err().to_string();
        assert!(error.starts_with(&path.display().to_string()), "{error}");
        assert!(error.contains("duplicate") && error.contains("line 7"), "{error}");
        assert_eq!(KnownRobots::parse("robots: {}").unwrap().robots().count(), 0);
    }

    #[test]
    fn a_file_that_is_not_in_order_is_refused_with_the_place() {
        let (one, two) = (public(1), public(2));
        let many: String =
            (0..=KNOWN_ROBOTS_MAX).map(|n| format!("  r{n}: {{key: \"{one}\"}}\n")).collect();
        // The point of order two, of which every text is signed.
        let weak = format!("7P{}38=", "/".repeat(39));
        let cases = [
            (format!("robots:\n  arm: {{key: \"{one}\", trust: 1}}"), "line 2", "trust"),
            (format!("robots:\n  arm: {{key: \"{one}\"}}\nrobot: {{}}"), "line 3", "robot"),
            ("robots:\n  arm: {}".to_owned(), "line 2", "key"),
            ("robots:\n  arm: {key: \"AAAA\"}".to_owned(), "robots.arm.key (line 2)", "32 bytes"),
            (format!("robots:\n  arm: {{key: \"{weak}\"}}"), "robots.arm.key (line 2)", "Ed25519"),
            (format!("robots:\n  a.b: {{key: \"{one}\"}}"), "robots.a.b (line 2)", "A-Z a-z"),
            (format!("robots:\n  a: {{key: \"{one}\"}}\n  a: {{key: \"{two}\"}}"), "line 3", "a"),
            (
                format!("robots:\n  a: {{key: \"{one}\"}}\nauthorities:\n  a: {{key: \"{two}\"}}"),
                "authorities.a (line 4)",
                "among the robots already",
            ),
            (
                format!("robots:\n  a: {{key: \"{one}\"}}\nauthorities:\n  b: {{key: \"{one}\"}}"),
                "authorities.b.key (line 4)",
                "the key of a",
            ),
            (format!("robots:\n{many}"), "at most 10000 names", "10001"),
            ("#".repeat(KNOWN_ROBOTS_BYTES_MAX + 1), "at most 4194304 bytes", "4194305"),
        ];
        for (yaml, place, fault) in cases {
            let error = KnownRobots::parse(&yaml).expect_err(place).to_string();
            assert!(error.contains(place) && error.contains(fault), "{place}, {fault}: {error}");
            assert!(!error.contains("Options"), "{error}");
        }
    }
}
