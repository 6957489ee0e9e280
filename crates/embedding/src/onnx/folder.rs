//! The files of a model folder.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use super::LoadError;
use super::model_file::{ModelFile, weights_of};
use super::sentence::{Pooling, SentenceSettings, check_prefix};
use robot_memory_core::regular_file;

/// Tokens read of a text unless the model says otherwise: more than any memory has, and as many as
/// models of this kind were trained on.
pub const TOKENS_MAX_DEFAULT: usize = 512;
/// Tokens that a model may ask for: attention needs memory by the square of it.
pub const TOKENS_MAX_LIMIT: usize = 8192;
/// Bytes of a description: a handful of lines, but a `tokenizer_config.json` may list thousands of tokens.
const DESCRIPTION_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// A folder whose files are there and whole.
#[derive(Debug)]
pub struct ModelFolder {
    pub model: PathBuf,
    pub tokenizer: PathBuf,
    /// `<name>@<12 hexadecimal digits>`, the digits from the SHA-256 of the model, the files
    /// with its weights and tokenizer.json, one after the other, and of what its vectors are made with besides.
    pub id: String,
    /// The dimension that model.json promises.
    pub dimension: Option<usize>,
    pub tokens_max: usize,
    /// How its vectors are made.
    pub settings: SentenceSettings,
}

/// What model.json may say; it goes before what other files say.
#[derive(Debug, Default, Deserialize)]
struct Description {
    name: Option<String>,
    dimension: Option<usize>,
    tokens_max: Option<usize>,
    pooling: Option<Pooling>,
    query_prefix: Option<String>,
    text_prefix: Option<String>,
    /// Checksums, in hexadecimal, by file name.
    #[serde(default)]
    sha256: BTreeMap<String, String>,
}

impl ModelFolder {
    /// Reads the files once, to check and to name them. The path is the folder's, or that of the model in it.
    pub fn open(path: &Path) -> Result<Self, LoadError> {
        let ModelFile { folder, model } = ModelFile::find(path)?;
        let description = Description::read(&folder.join("model.json"))?;
        let tokenizer = folder.join("tokenizer.json");
        let of_files = SentenceSettings::read(&folder)?;
        let settings = SentenceSettings {
            pooling: description.pooling.unwrap_or(of_files.pooling),
            query_prefix: description.query_prefix.unwrap_or(of_files.query_prefix),
            text_prefix: description.text_prefix.unwrap_or(of_files.text_prefix),
            tokens_max: description.tokens_max.or(of_files.tokens_max),
        };
        let mut whole = Sha256::new();
        let weights = weights_of(&model)?;
        let read = [&model].into_iter().chain(&weights).chain([&tokenizer]);
        add_files(&mut whole, read.map(PathBuf::as_path), &description.sha256)?;
        whole.update(settings.mark().unwrap_or_default());
        let name = description.name.unwrap_or_else(|| name_of(&folder));
        Ok(Self {
            model,
            tokenizer,
            id: id_of(&name, whole),
            dimension: description.dimension,
            tokens_max: settings.tokens_max.unwrap_or(TOKENS_MAX_DEFAULT),
            settings,
        })
    }
}

impl Description {
    /// A folder without a model.json is described by defaults.
    fn read(path: &Path) -> Result<Self, LoadError> {
        let Some(description) = read_description::<Self>(path)? else { return Ok(Self::default()) };
        let invalid = |reason: String| LoadError::Description { path: path.into(), reason };
        if description.name.as_deref().is_some_and(|name| name.trim().is_empty()) {
            return Err(invalid("the name is empty".into()));
        }
        if description.tokens_max.is_some_and(|count| !(1..=TOKENS_MAX_LIMIT).contains(&count)) {
            return Err(invalid(format!("tokens_max is not from 1 to {TOKENS_MAX_LIMIT}")));
        }
        let (query, text) = (&description.query_prefix, &description.text_prefix);
        for (field, prefix) in [("query_prefix", query), ("text_prefix", text)] {
            check_prefix(path, field, prefix.as_deref().unwrap_or_default())?;
        }
        Ok(description)
    }
}

/// What a model.json says; `None` when there is no such file.
pub fn read_description<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, LoadError> {
    let mut text = String::new();
    match regular_file::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened
            .and_then(|file| file.take(DESCRIPTION_BYTES_MAX).read_to_string(&mut text))
            .map_err(|source| LoadError::Read { path: path.into(), source })?,
    };
    serde_json::from_str(&text)
        .map(Some)
        .map_err(|error| LoadError::Description { path: path.into(), reason: error.to_string() })
}

/// Adds files to a checksum, one after the other, each held against the one that is known of it by name.
pub fn add_files<'a>(
    whole: &mut Sha256,
    paths: impl IntoIterator<Item = &'a Path>,
    known: &BTreeMap<String, String>,
) -> Result<(), LoadError> {
    for path in paths {
        let sum = add_file(whole, path)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        match known.get(name.as_ref()) {
            Some(expected) if !expected.eq_ignore_ascii_case(&sum) => {
                return Err(LoadError::Damaged { path: path.to_path_buf() });
            }
            _ => {}
        }
    }
    Ok(())
}

/// `<name>@<12 hexadecimal digits>` of a checksum.
pub fn id_of(name: &str, whole: Sha256) -> String {
    format!("{name}@{}", &hexadecimal(&whole.finalize())[..12])
}

/// Adds a file to a checksum, and returns the file's own.
fn add_file(whole: &mut Sha256, path: &Path) -> Result<String, LoadError> {
    let read = |source| LoadError::Read { path: path.into(), source };
    let mut file = regular_file::open(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => LoadError::NoFile { path: path.into() },
        _ => read(error),
    })?;
    let mut own = Sha256::new();
    let mut buffer = vec![0; 256 * 1024];
    loop {
        let count = file.read(&mut buffer).map_err(read)?;
        if count == 0 {
            return Ok(hexadecimal(&own.finalize()));
        }
        own.update(&buffer[..count]);
        whole.update(&buffer[..count]);
    }
}

/// The last part of a folder's path; of `.` and the like, that of the folder which it stands for.
pub fn name_of(folder: &Path) -> String {
    let path = folder.canonicalize().unwrap_or_else(|_| folder.into());
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
