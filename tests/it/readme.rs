//! The README is what somebody reads first: it stays short, and leads to all else.

use std::path::Path;

const WORDS_MAX: usize = 2_000;

fn text(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{file}: {error}"))
}

#[test]
fn the_readme_is_short() {
    let count = text("README.md").split_whitespace().count();
    assert!(count <= WORDS_MAX, "README.md has {count} words, its limit is {WORDS_MAX}");
}

#[test]
fn the_two_commands_stand_at_the_top() {
    let readme = text("README.md");
    for command in ["scripts/run", "scripts/test"] {
        let line = readme.lines().position(|line| line.starts_with(command));
        assert!(line.is_some_and(|line| line < 60), "{command} is at {line:?}");
    }
}

/// Each page is in the table of contents, from which Sphinx builds them, and the README leads there.
#[test]
fn every_page_is_reached() {
    let index = text("docs/index.md");
    for folder in ["docs", "docs/reference"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        for entry in std::fs::read_dir(path).expect(folder) {
            let name = entry.expect("an entry").file_name().into_string().expect("a name");
            let Some(page) = name.strip_suffix(".md").filter(|page| *page != "index") else {
                continue;
            };
            let shown = format!("{folder}/{page}").replacen("docs/", "", 1);
            assert!(index.lines().any(|line| line == shown), "docs/index.md has no {shown}");
        }
    }
    assert!(text("README.md").contains("(docs/index.md)"));
}
