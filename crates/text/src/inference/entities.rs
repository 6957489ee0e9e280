//! The files, robots, parts and topics that a text names.

use std::collections::BTreeSet;

use super::items::{Part, parts};
use super::lexer::{PieceKind, scan};

/// Endings by which a file is known.
#[rustfmt::skip]
const FILE_EXTENSIONS: &[&str] = &[
    "yaml", "yml", "json", "toml", "xml", "ini", "cfg", "conf", "env", "properties", "lock",
    "py", "rs", "c", "cc", "cpp", "cxx", "h", "hh", "hpp", "java", "lua", "sh", "bash", "js", "ts", "ipynb", "m",
    "urdf", "xacro", "sdf", "srdf", "world", "rviz", "msg", "srv", "action", "launch", "repos", "cmake",
    "bag", "mcap", "db", "db3", "sqlite", "sql", "csv", "tsv", "txt", "md", "rst", "log", "pdf", "html",
    "onnx", "pt", "pth", "npz", "npy", "safetensors", "bin", "dat", "hex", "elf", "so", "deb", "whl",
    "png", "jpg", "jpeg", "pgm", "bmp", "tiff", "gif", "mp4", "avi", "wav", "mp3", "pcd", "ply", "stl", "dae", "obj",
    "step", "stp", "dxf", "gcode", "zip", "tar", "gz", "tgz", "xz", "bz2", "zst", "7z", "service", "rules", "bak",
    "tmp", "dll", "exe", "bat", "docx", "xlsx",
];

/// Folders at the root of a file system; any other path from the root is a topic's name.
#[rustfmt::skip]
const ROOT_FOLDERS: &[&str] = &[
    "bin", "boot", "data", "dev", "etc", "home", "lib", "lib64", "media", "mnt", "opt", "proc", "root", "run", "sbin",
    "srv", "sys", "tmp", "usr", "var", "workspace", "users",
];

/// The file paths in `text`, in order of first appearance, each once.
pub fn scope_files(text: &str) -> Vec<String> {
    let files = scan(text).into_iter().filter(|piece| match piece.kind {
        PieceKind::DrivePath => true,
        PieceKind::Chunk => is_file(piece.text),
        _ => false,
    });
    distinct(files.map(|piece| piece.text))
}

/// The identifiers in `text`: part numbers, robots, topics, parameters. In order of first
/// appearance, each once; files, numbers and measures are none.
pub fn scope_entities(text: &str) -> Vec<String> {
    let chunks = scan(text)
        .into_iter()
        .filter(|piece| piece.kind == PieceKind::Chunk && !is_file(piece.text));
    distinct(chunks.flat_map(|piece| parts(piece.text)).filter_map(|part| entity(&part)))
}

fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    names.filter(|name| seen.insert(*name)).map(str::to_owned).collect()
}

/// Whether a chunk of text is a path, or the name of a file.
pub(super) fn is_file(chunk: &str) -> bool {
    if ["~/", "./", "../"].iter().any(|start| chunk.starts_with(start)) {
        return true;
    }
    if let Some(path) = chunk.strip_prefix('/') {
        let root = path.split('/').next().unwrap_or_default().to_lowercase();
        if ROOT_FOLDERS.contains(&root.as_str()) && path.contains('/') {
            return true;
        }
    }
    let name = chunk.rsplit(['/', '\\']).next().unwrap_or_default();
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    let is_known = FILE_EXTENSIONS.contains(&extension.to_lowercase().as_str());
    // One letter says little: "a.m", "3.c".
    is_known && stem.contains(char::is_alphabetic) && (extension.len() > 1 || stem.len() > 1)
}

fn entity<'a>(part: &Part<'a>) -> Option<&'a str> {
    match part {
        Part::Name(name) => is_identifier(name).then_some(*name),
        Part::Word(word) => is_camel_case(word).then_some(*word),
        _ => None,
    }
}

fn is_identifier(name: &str) -> bool {
    let has_letter = name.contains(char::is_alphabetic);
    let has_digit = name.contains(|c: char| c.is_numeric());
    let is_topic = name.starts_with('/');
    let is_address = !has_letter && name.matches('.').count() == 3;
    let is_named = has_digit || name.contains('_') || is_topic;
    (has_letter && is_named && !is_dimension(name)) || is_address
}

/// Whether `name` only looks like a part number: "3D", "2x".
fn is_dimension(name: &str) -> bool {
    let number = name.trim_end_matches(['d', 'D', 'x', 'X']);
    number.len() + 1 == name.len() && number.chars().all(|c| c.is_ascii_digit())
}

fn is_camel_case(word: &str) -> bool {
    let has_small = word.contains(char::is_lowercase);
    let rises =
        word.chars().zip(word.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    has_small && rises && word.chars().all(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn files_are_found() {
        let cases: &[(&str, &[&str])] = &[
            ("edit /opt/x/y.yaml first", &["/opt/x/y.yaml"]),
            ("config/grip.yaml and src/main.rs.", &["config/grip.yaml", "src/main.rs"]),
            (r"see C:\x\y.txt, then", &[r"C:\x\y.txt"]),
            ("run node.py; run node.py", &["node.py"]),
            ("`src/lib.rs:42` fails", &["src/lib.rs"]),
            ("参数在config/grip.yaml文件中", &["config/grip.yaml"]),
            ("in ~/maps/lab and ./a/b", &["~/maps/lab", "./a/b"]),
            ("on /dev/ttyUSB0", &["/dev/ttyUSB0"]),
            ("/home/u/.config/x.yaml", &["/home/u/.config/x.yaml"]),
            ("and/or 3 N/m, 1/2, 5 m/s, km/h", &[]),
            ("https://a.io/b/c.yaml and package://p/m.stl", &[]),
            ("topic /joint_states, e.g. v2.1.3, i.e. 12.5", &[]),
            ("stop.Then go", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(&scope_files(text), expected, "{text}");
        }
    }

    #[test]
    fn identifiers_are_found() {
        let cases: &[(&str, &[&str])] = &[
            ("arm-01 is a UR5e", &["arm-01", "UR5e"]),
            ("M8x40 bolts, M8x40 nuts", &["M8x40"]),
            ("/joint_states at 100 Hz", &["/joint_states"]),
            ("grip_force=12.5N", &["grip_force"]),
            ("关节J3过热", &["J3"]),
            ("firmware v2.1.3 at 192.168.1.10", &["v2.1.3", "192.168.1.10"]),
            ("plan with MoveIt", &["MoveIt"]),
            ("15N 10Hz 80% 10-20mm 2nd 3D 2x 6-axis 1e-3", &[]),
            ("on 2026-03-09 at 10:30, and/or 1/2", &[]),
            ("config/grip2.yaml", &[]),
            ("plain words only", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(&scope_entities(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in ".{0,60}|[a-zA-Z0-9./_:\\\\~\\- 字]{0,60}") {
            for found in scope_files(&text).iter().chain(&scope_entities(&text)) {
                prop_assert!(text.contains(found.as_str()));
            }
        }
    }
}
