//! Numbers that stand for texts.

use sha2::{Digest, Sha256};

/// A number that equal parts share, and few others: the first bytes of their SHA-256.
pub(super) fn key_of(parts: impl IntoIterator<Item = impl AsRef<[u8]>>) -> u64 {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part);
    }
    let digest: [u8; 32] = hash.finalize().into();
    let mut first = [0; 8];
    first.copy_from_slice(&digest[..8]);
    u64::from_le_bytes(first)
}
