//! Reads the declarations of types out of the source, for what no macro hands on: how a field is JSON.

use std::collections::BTreeMap;
use std::path::Path;

/// A type.
#[derive(Debug, Clone, PartialEq)]
pub enum Declared {
    /// A struct with named fields, and what is said of it.
    Struct(Vec<Field>, String),
    /// An enum, by its spellings.
    Choices(Vec<String>),
    /// Another name.
    Alias(String),
}

/// A field of a struct.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    pub name: String,
    /// Its type, without spaces.
    pub kind: String,
    /// Its attributes, one after the other.
    pub attributes: String,
}

impl Field {
    /// Its name in JSON.
    pub fn json_name(&self) -> &str {
        let renamed = self.attributes.split_once("rename = \"").map(|(_, rest)| rest);
        renamed.and_then(|rest| Some(rest.split_once('"')?.0)).unwrap_or(&self.name)
    }
}

/// The types that the files of a folder declare, by their names; of one name the first.
pub fn declarations(folder: &Path) -> BTreeMap<String, Declared> {
    let mut declared = BTreeMap::new();
    let mut entries: Vec<_> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    entries.sort();
    for path in entries {
        let found = if path.is_dir() {
            declarations(&path).into_iter().collect()
        } else {
            types(&std::fs::read_to_string(&path).unwrap_or_default())
        };
        for (name, kind) in found {
            declared.entry(name).or_insert(kind);
        }
    }
    declared
}

/// The types of one file, which rustfmt has laid out.
fn types(source: &str) -> Vec<(String, Declared)> {
    let mut found = Vec::new();
    let (mut attributes, mut said) = (String::new(), Vec::new());
    let mut lines = source.lines().map(str::trim);
    while let Some(line) = lines.next() {
        if let Some(comment) = line.strip_prefix("///") {
            said.push(comment.trim());
            continue;
        }
        if line.starts_with("#[") {
            attributes.push_str(line);
            continue;
        }
        if let Some(name) =
            line.strip_prefix("pub struct ").and_then(|rest| rest.strip_suffix(" {"))
        {
            found.push((name.to_owned(), Declared::Struct(fields(&mut lines), said.join(" "))));
        } else if let Some(name) =
            line.strip_prefix("pub enum ").and_then(|rest| rest.strip_suffix(" {"))
        {
            let body = body(&mut lines);
            let variants = body
                .filter(|line| !line.starts_with("#["))
                .map(|line| snake_case(line.trim_end_matches(',')));
            let variants: Vec<String> = variants.collect();
            if attributes.contains("rename_all = \"snake_case\"") {
                found.push((name.to_owned(), Declared::Choices(variants)));
            }
        } else if line == "text_enum! {" {
            let mut body = body(&mut lines);
            let name = body.by_ref().find(|line| line.ends_with(" {")).expect("a name");
            let spellings = body.filter_map(|line| Some(line.split('"').nth(1)?.to_owned()));
            let spellings: Vec<String> = spellings.collect();
            found.push((name.trim_end_matches(" {").to_owned(), Declared::Choices(spellings)));
        } else if let Some((name, of)) =
            line.strip_prefix("pub type ").and_then(|rest| rest.split_once(" = "))
        {
            found.push((name.to_owned(), Declared::Alias(of.trim_end_matches(';').to_owned())));
        }
        attributes.clear();
        said.clear();
    }
    found
}

/// The lines up to the end of a type, without comments.
fn body<'l>(lines: &mut impl Iterator<Item = &'l str>) -> impl Iterator<Item = &'l str> {
    lines.take_while(|line| *line != "}").filter(|line| !line.starts_with("//"))
}

/// The fields up to the end of a struct.
fn fields<'l>(lines: &mut impl Iterator<Item = &'l str>) -> Vec<Field> {
    let (mut found, mut attributes) = (Vec::new(), String::new());
    let mut said = String::new();
    for line in body(lines) {
        if line.starts_with("#[") {
            attributes.push_str(line);
            continue;
        }
        // A field may go over several lines.
        said.push_str(line);
        if !line.ends_with(',') {
            said.push(' ');
            continue;
        }
        let field = said.trim_start_matches("pub ").trim_end_matches(',').to_owned();
        said.clear();
        let (name, rest) = field.split_once(':').unwrap_or_else(|| panic!("{field}"));
        let kind = rest.split(" = ").next().unwrap_or_default();
        let kind = kind.split(" as ").next().unwrap_or_default();
        let (name, kind) = (name.trim().to_owned(), kind.trim().to_owned());
        found.push(Field { name, kind, attributes: std::mem::take(&mut attributes) });
    }
    found
}

fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake
}

#[test]
fn declarations_are_read_with_their_attributes() {
    let source = "
record! {
    /// One.
    /// It is one.
    #[derive(Debug)]
    pub struct One {
        /// The name.
        #[serde(rename = \"type\")]
        pub kind: Option<Kind> as flagged has_kind,
        pub n: u32 = 5,
    }
}

text_enum! {
    /// Which.
    Kind {
        /// First.
        First = \"first\",
        Last = \"<=\",
    }
}

#[serde(rename_all = \"snake_case\")]
pub enum By {
    #[default]
    FromAfar,
}

pub enum Other {
    A,
}

pub type Two = One;
";
    let field = |name: &str, kind: &str, attributes: &str| Field {
        name: name.into(),
        kind: kind.into(),
        attributes: attributes.into(),
    };
    let one =
        vec![field("kind", "Option<Kind>", "#[serde(rename = \"type\")]"), field("n", "u32", "")];
    let choices = |spellings: &[&str]| {
        Declared::Choices(spellings.iter().map(|spelling| (*spelling).to_owned()).collect())
    };
    let expected = [
        ("One", Declared::Struct(one, "One. It is one.".into())),
        ("Kind", choices(&["first", "<="])),
        ("By", choices(&["from_afar"])),
        ("Two", Declared::Alias("One".into())),
    ];
    assert_eq!(types(source), expected.map(|(name, kind)| (name.to_owned(), kind)));
}
