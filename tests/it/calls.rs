//! Calls within a floor of the engine: which files call each other in a circle, by the names of methods.
//!
//! That calls between the floors go down is held by their types. On one floor a type has many files, so
//! that neither imports nor the compiler show who calls whom. Read are the method calls on `self`, `engine`
//! and `operations` in the files of the crate, tests apart.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// How blocks of methods of the floors above `Db` begin.
const METHODS: [&str; 2] = ["\nimpl Operations {\n", "\nimpl Engine {\n"];
/// And those that run an operation.
const RUNS: [&str; 2] = ["> for Operations {\n", "> for Engine {\n"];

/// The product's code of each file below a folder, by its name.
fn sources(folder: &Path, prefix: &str, found: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        if path.is_dir() {
            if name != "tests" {
                sources(&path, &format!("{prefix}{name}/"), found);
            }
        } else if !name.contains("tests") {
            let text = std::fs::read_to_string(&path).expect("UTF-8");
            let product = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            found.insert(format!("{prefix}{name}"), product.to_owned());
        }
    }
}

/// The bodies of the blocks that begin with this line.
fn blocks<'t>(text: &'t str, begin: &'t str) -> impl Iterator<Item = &'t str> {
    text.split(begin).skip(1).map(|rest| rest.split("\n}\n").next().unwrap_or_default())
}

fn name_at(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}

/// The methods that a text calls on one of these.
fn calls<'t>(text: &'t str, receivers: &[&str]) -> BTreeSet<&'t str> {
    let mut found = BTreeSet::new();
    for receiver in receivers {
        for rest in text.split(receiver).skip(1) {
            let name = name_at(rest);
            if rest[name.len()..].starts_with(['(', ':']) {
                found.insert(name);
            }
        }
    }
    found
}

#[test]
fn files_of_the_engine_do_not_call_each_other_in_a_circle() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/engine/src");
    let mut files = BTreeMap::new();
    sources(&folder, "", &mut files);
    // Where each method is. Those of `Db` know nothing above them: the compiler holds that.
    let mut places: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (file, text) in &files {
        for block in METHODS.into_iter().flat_map(|begin| blocks(text, begin)) {
            for rest in block.split("fn ").skip(1) {
                places.entry(name_at(rest)).or_default().insert(file);
            }
        }
    }
    assert!(places.len() > 200, "{} methods", places.len());
    let mut reached: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (file, text) in files.iter().filter(|(file, _)| !file.starts_with("db/")) {
        let mut called = calls(text, &["engine.", "engine\n            .", "operations."]);
        for block in METHODS.into_iter().chain(RUNS).flat_map(|begin| blocks(text, begin)) {
            called.extend(calls(block, &["self.", "self\n            ."]));
        }
        let to = called.into_iter().filter_map(|name| places.get(name)).flatten().copied();
        reached.insert(file, to.filter(|to| to != file).collect());
    }
    // Whatever is reached by what is reached.
    loop {
        let mut more = false;
        for file in reached.keys().copied().collect::<Vec<_>>() {
            let far: BTreeSet<&str> =
                reached[file].iter().filter_map(|to| reached.get(to)).flatten().copied().collect();
            let known = reached.entry(file).or_default();
            let before = known.len();
            known.extend(far);
            more |= known.len() > before;
        }
        if !more {
            break;
        }
    }
    for (file, to) in &reached {
        let circle: Vec<&&str> = to
            .iter()
            .filter(|to| reached.get(*to).is_some_and(|back| back.contains(file)))
            .collect();
        assert!(circle.is_empty(), "{file} is in a circle of {circle:?}");
    }
}
