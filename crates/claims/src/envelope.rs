//! A claim as a message: its one form, who signed it, and the way back.

use crate::check::{check, check_integers, check_speaker};
use crate::{Key, KnownRobots, Refused};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use robot_memory_core::claim::{CLAIM_VERSION, Claim};
use robot_memory_core::limits::CLAIM_BYTES_MAX;
use serde::Deserialize;
use serde_json::Value;
use serde_json::error::Category;
use serde_json::value::RawValue;

/// Bytes of a signature of Ed25519.
const SIGNATURE_BYTES: usize = 64;

/// Characters of what the parser says: the names of all fields, and one more.
const FAULT_CHARS_MAX: usize = 400;

/// The message.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Envelope {
    claim: Box<RawValue>,
    signature: String,
}

/// What is read of a message of any version, before the rest.
#[derive(Deserialize)]
struct Header {
    claim: HeaderClaim,
}

#[derive(Deserialize)]
struct HeaderClaim {
    version: String,
    /// A text in this version, if it is there.
    #[serde(default)]
    origin: Value,
}

/// The one form of a claim as JSON (RFC 8785).
///
/// # Errors
/// [`Refused::Malformed`] when it has an integer that is not exact there.
pub fn canonical(claim: &Claim) -> Result<Vec<u8>, Refused> {
    check_integers(claim)?;
    serde_json_canonicalizer::to_vec(claim).map_err(|error| malformed(&claim.origin, &error))
}

/// What is signed: the version, so that no signature of another program's text is one of a claim, and the claim.
fn signed_bytes(canonical: &[u8]) -> Vec<u8> {
    [CLAIM_VERSION.as_bytes(), b"\n", canonical].concat()
}

/// A claim as a message, signed.
///
/// # Errors
/// What [`verify`] would refuse, but for who signed.
pub fn encode(claim: &Claim, key: &Key) -> Result<Vec<u8>, Refused> {
    if claim.version != CLAIM_VERSION {
        return Err(unknown_version(&claim.origin, &claim.version));
    }
    check(claim)?;
    let canonical = canonical(claim)?;
    let signature = STANDARD.encode(key.sign(&signed_bytes(&canonical)));
    let message =
        [b"{\"claim\":", &canonical[..], b",\"signature\":\"", signature.as_bytes(), b"\"}"]
            .concat();
    if message.len() > CLAIM_BYTES_MAX {
        return Err(Refused::TooLarge { origin: claim.origin.clone(), given: message.len() });
    }
    Ok(message)
}

/// The claim of a message, if its origin signed it and may say it.
///
/// # Errors
/// When it is not taken.
pub fn verify(message: &[u8], known: &KnownRobots) -> Result<Claim, Refused> {
    if message.len() > CLAIM_BYTES_MAX {
        return Err(Refused::TooLarge { origin: String::new(), given: message.len() });
    }
    // A later version may have other fields, also beside the claim.
    let Header { claim: HeaderClaim { version, origin } } =
        serde_json::from_slice(message).map_err(|error| malformed("", &error))?;
    let origin = origin.as_str().unwrap_or_default().to_owned();
    if version != CLAIM_VERSION {
        return Err(unknown_version(&origin, &version));
    }
    let malformed = |error| malformed(&origin, &error);
    let envelope: Envelope = serde_json::from_slice(message).map_err(malformed)?;
    let claim: Claim = serde_json::from_str(envelope.claim.get()).map_err(malformed)?;
    let signature = signature(&envelope.signature)
        .map_err(|fault| Refused::Malformed { origin: origin.clone(), fault })?;
    let Some(speaker) = known.get(&claim.origin) else {
        return Err(Refused::UnknownRobot { origin });
    };
    // Other spellings of the same claim, in which the order or the escapes differ, have the same form.
    let canonical = canonical(&claim)?;
    if !speaker.has_signed(&signed_bytes(&canonical), &signature) {
        return Err(Refused::BadSignature { origin });
    }
    check(&claim)?;
    check_speaker(&claim, speaker.is_authority)?;
    Ok(claim)
}

fn signature(text: &str) -> Result<[u8; SIGNATURE_BYTES], String> {
    let bytes = STANDARD.decode(text).unwrap_or_default();
    bytes.try_into().map_err(|_| {
        let given = text.len();
        format!("signature: must be {SIGNATURE_BYTES} bytes in base64, got {given} characters")
    })
}

fn unknown_version(origin: &str, version: &str) -> Refused {
    Refused::UnknownVersion { origin: origin.to_owned(), version: version.to_owned() }
}

/// What the parser says, unless it quotes a value.
fn malformed(origin: &str, error: &serde_json::Error) -> Refused {
    let text = error.to_string();
    let names_a_field = ["unknown field", "missing field", "duplicate field"];
    let is_about_names = names_a_field.iter().any(|start| text.starts_with(start));
    let fault = if error.classify() != Category::Data || is_about_names {
        text.chars().filter(|c| !c.is_control()).take(FAULT_CHARS_MAX).collect()
    } else {
        let (line, column) = (error.line(), error.column());
        format!("a value is not one that its field has, at line {line} column {column}")
    };
    Refused::Malformed { origin: origin.to_owned(), fault }
}
