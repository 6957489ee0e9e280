//! What is in the bytes of files.

use std::path::Path;

/// Files below a folder that hold a text.
pub fn files_with(folder: &Path, text: &str) -> Vec<String> {
    assert_never_by_chance(text);
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files_with(&path, text));
        } else if holds(&path, text) {
            found.push(path.display().to_string());
        }
    }
    found
}

/// Whether a file holds a text; one that is not there holds none.
pub fn holds(path: &Path, text: &str) -> bool {
    assert_never_by_chance(text);
    let bytes = std::fs::read(path).unwrap_or_default();
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

/// Fails for a text that may be in what is random: ids and hashes in hexadecimal digits, and their bytes.
fn assert_never_by_chance(text: &str) {
    let is_hexadecimal = text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    let least = if is_hexadecimal { 9 } else { 5 };
    assert!(text.len() >= least, "{text:?} may be in a file by chance: look for a longer text");
}

#[test]
fn texts_that_may_be_in_a_file_by_chance_are_not_looked_for() {
    let nowhere = Path::new("/nowhere");
    for text in ["", "9", "412", "beef", "12345678", "cafe-412", "rims", "钳"] {
        let looked = std::panic::catch_unwind(|| holds(nowhere, text));
        assert!(looked.is_err(), "{text:?}");
    }
    for text in ["rimso", "412775318", "钳子", "cafe-4127"] {
        assert!(!holds(nowhere, text));
    }
}
