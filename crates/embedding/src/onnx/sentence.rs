//! How a model makes one vector of a text, as sentence-transformers writes it beside a model.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::LoadError;
use super::folder::{TOKENS_MAX_DEFAULT, TOKENS_MAX_LIMIT, read_description};

/// Bytes of what is put before a text: an instruction of a sentence or two.
const PREFIX_BYTES_MAX: usize = 1024;
/// Parts that a model may have: what they do is done here.
const PARTS: [&str; 3] = ["Transformer", "Pooling", "Normalize"];
/// Where the configuration of the pooling is unless modules.json says otherwise.
const POOLING_FOLDER: &str = "1_Pooling";

/// How one vector is made of those of the tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pooling {
    /// Their mean.
    #[default]
    Mean,
    /// That of the first token.
    Cls,
    /// The largest of each component.
    Max,
}

/// What a model needs beside its graph and its tokens.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SentenceSettings {
    pub pooling: Pooling,
    /// Before a query.
    pub query_prefix: String,
    /// Before a text that is stored.
    pub text_prefix: String,
    /// Tokens of a text that are read.
    pub tokens_max: Option<usize>,
}

/// A part of a model, in modules.json.
#[derive(Debug, Deserialize)]
struct Part {
    #[serde(default)]
    path: String,
    #[serde(rename = "type")]
    kind: String,
}

/// 1_Pooling/config.json: what of it is true is done.
#[derive(Debug, Default, Deserialize)]
struct PoolingCard {
    #[serde(flatten)]
    fields: BTreeMap<String, serde_json::Value>,
}

#[derive(Debug, Default, Deserialize)]
struct LengthCard {
    max_seq_length: Option<usize>,
}

#[derive(Debug, Default, Deserialize)]
struct GraphCard {
    max_position_embeddings: Option<i64>,
}

#[derive(Debug, Default, Deserialize)]
struct TokenizerCard {
    /// Far more than any count of tokens when nothing is known of it.
    model_max_length: Option<f64>,
}

#[derive(Debug, Default, Deserialize)]
struct PromptCard {
    #[serde(default)]
    prompts: BTreeMap<String, String>,
    default_prompt_name: Option<String>,
}

impl SentenceSettings {
    /// Reads what is there of the files; what is not there has its default.
    pub fn read(folder: &Path) -> Result<Self, LoadError> {
        let pooling_folder = pooling_folder(folder)?;
        let prompts: PromptCard = read(&folder.join("config_sentence_transformers.json"))?;
        let prompt = |names: &[&str]| -> String {
            let default = prompts.default_prompt_name.as_deref();
            let mut names = names.iter().copied().chain(default);
            names.find_map(|name| prompts.prompts.get(name)).cloned().unwrap_or_default()
        };
        let settings = Self {
            pooling: pooling(&folder.join(pooling_folder).join("config.json"))?,
            query_prefix: prompt(&["query"]),
            text_prefix: prompt(&["document", "passage"]),
            tokens_max: tokens_max(folder)?,
        };
        for prefix in [&settings.query_prefix, &settings.text_prefix] {
            check_prefix(&folder.join("config_sentence_transformers.json"), "prompts", prefix)?;
        }
        Ok(settings)
    }

    /// What tells vectors that are made this way from those of the same files made the usual way; `None`: they
    /// are the usual way.
    pub fn mark(&self) -> Option<String> {
        let Self { pooling, query_prefix, text_prefix, .. } = self;
        let is_usual =
            *pooling == Pooling::Mean && query_prefix.is_empty() && text_prefix.is_empty();
        (!is_usual).then(|| format!("{pooling:?}\0{query_prefix}\0{text_prefix}"))
    }
}

/// Checks what is to be put before texts.
pub fn check_prefix(path: &Path, field: &str, prefix: &str) -> Result<(), LoadError> {
    if prefix.len() <= PREFIX_BYTES_MAX {
        return Ok(());
    }
    let got = prefix.len();
    let reason = format!("{field}: a prefix has at most {PREFIX_BYTES_MAX} bytes, got {got}");
    Err(LoadError::Description { path: path.into(), reason })
}

fn read<T: Default + serde::de::DeserializeOwned>(path: &Path) -> Result<T, LoadError> {
    Ok(read_description(path)?.unwrap_or_default())
}

/// The folder of the pooling, when all parts of the model are known.
fn pooling_folder(folder: &Path) -> Result<String, LoadError> {
    let path = folder.join("modules.json");
    let parts: Vec<Part> = read(&path)?;
    let mut pooling = POOLING_FOLDER.to_owned();
    for Part { path: inside, kind } in parts {
        let name = kind.rsplit('.').next().unwrap_or_default();
        let unusable = |reason: String| LoadError::Description { path: path.clone(), reason };
        if !PARTS.contains(&name) {
            let known = PARTS.join(", ");
            return Err(unusable(format!("type: {kind} is none of {known}, which are known here")));
        }
        if name == "Pooling" {
            let is_inside = !inside.is_empty()
                && inside.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
            if !is_inside {
                return Err(unusable(format!(
                    "path: must name a folder beside it, got {inside:?}"
                )));
            }
            pooling = inside;
        }
    }
    Ok(pooling)
}

fn pooling(path: &Path) -> Result<Pooling, LoadError> {
    let PoolingCard { fields } = read(path)?;
    let is_true = |(field, value): (&String, &serde_json::Value)| {
        let mode = field.strip_prefix("pooling_mode_")?;
        (value == &serde_json::Value::Bool(true)).then(|| mode.to_owned())
    };
    let mut modes: Vec<String> = fields.iter().filter_map(is_true).collect();
    if let Some(serde_json::Value::String(mode)) = fields.get("pooling_mode") {
        modes = vec![mode.clone()];
    }
    if fields.get("include_prompt") == Some(&serde_json::Value::Bool(false)) {
        let reason =
            "include_prompt: must be true: what stands before a text counts here".to_owned();
        return Err(LoadError::Description { path: path.into(), reason });
    }
    match modes.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        // To the same length they are the same.
        [] | ["mean_tokens" | "mean" | "mean_sqrt_len_tokens" | "mean_sqrt_len"] => {
            Ok(Pooling::Mean)
        }
        ["cls_token" | "cls"] => Ok(Pooling::Cls),
        ["max_tokens" | "max"] => Ok(Pooling::Max),
        _ => {
            let modes = modes.join(", ");
            let reason = format!("pooling_mode: must be one of mean, cls and max, got {modes}");
            Err(LoadError::Description { path: path.into(), reason })
        }
    }
}

fn tokens_max(folder: &Path) -> Result<Option<usize>, LoadError> {
    let lengths: LengthCard = read(&folder.join("sentence_bert_config.json"))?;
    match lengths.max_seq_length {
        Some(0) => {
            let reason = "max_seq_length: must be at least 1, got 0".to_owned();
            let path = folder.join("sentence_bert_config.json");
            Err(LoadError::Description { path, reason })
        }
        Some(count) => Ok(Some(count.min(TOKENS_MAX_LIMIT))),
        None => {
            let graph: GraphCard = read(&folder.join("config.json"))?;
            // Newer sentence-transformers keep the length here only.
            let tokenizer: TokenizerCard = read(&folder.join("tokenizer_config.json"))?;
            // Below 1 it stands for positions that are not counted.
            let positions = graph.max_position_embeddings.filter(|count| *count > 0);
            let positions = positions.and_then(|count| usize::try_from(count).ok());
            let length = tokenizer.model_max_length.filter(|count| *count >= 1.0);
            let count = positions.into_iter().chain(length.map(|count| count as usize)).min();
            // Some families count positions from 2: their tokens are fewer.
            Ok(count.map(|count| count.min(TOKENS_MAX_DEFAULT)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn read_with(files: &[(&str, &str)]) -> Result<SentenceSettings, String> {
        let folder = tempfile::tempdir().unwrap();
        for (file, text) in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        SentenceSettings::read(folder.path()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_folder_says_how_its_vectors_are_made() {
        assert_eq!(read_with(&[]).unwrap(), SentenceSettings::default());
        let module = |kind: &str, path: &str| {
            format!(
                r#"{{"idx": 0, "path": "{path}", "type": "sentence_transformers.models.{kind}"}}"#
            )
        };
        let modules =
            [module("Transformer", ""), module("Pooling", "2_P"), module("Normalize", "3_N")];
        let settings = read_with(&[
            ("modules.json", &format!("[{}]", modules.join(","))),
            ("1_Pooling/config.json", r#"{"pooling_mode_max_tokens": true}"#),
            (
                "2_P/config.json",
                r#"{"word_embedding_dimension": 2, "pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false}"#,
            ),
            ("sentence_bert_config.json", r#"{"max_seq_length": 256, "do_lower_case": false}"#),
            ("config.json", r#"{"max_position_embeddings": 514}"#),
            (
                "config_sentence_transformers.json",
                r#"{"prompts": {"query": "query: ", "passage": "passage: "}, "default_prompt_name": null}"#,
            ),
        ]);
        let expected = SentenceSettings {
            pooling: Pooling::Cls,
            query_prefix: "query: ".into(),
            text_prefix: "passage: ".into(),
            tokens_max: Some(256),
        };
        assert_eq!(settings.unwrap(), expected);
        let by_graph = read_with(&[("config.json", r#"{"max_position_embeddings": 514}"#)]);
        assert_eq!(by_graph.unwrap().tokens_max, Some(512));
        for (length, positions, expected) in [
            ("256", "514", Some(256)),
            ("1000000000000000019884624838656", "514", Some(512)),
            ("1000000000000000019884624838656", "-1", Some(512)),
            ("8192", "128", Some(128)),
            ("0", "-1", None),
        ] {
            let settings = read_with(&[
                ("sentence_bert_config.json", r#"{"module_output_name": "token_embeddings"}"#),
                ("tokenizer_config.json", &format!(r#"{{"model_max_length": {length}}}"#)),
                ("config.json", &format!(r#"{{"max_position_embeddings": {positions}}}"#)),
            ]);
            assert_eq!(settings.unwrap().tokens_max, expected, "{length} {positions}");
        }
        let default = read_with(&[(
            "config_sentence_transformers.json",
            r#"{"prompts": {"web": "search: "}, "default_prompt_name": "web"}"#,
        )]);
        let default = default.unwrap();
        assert_eq!(
            (default.query_prefix, default.text_prefix),
            ("search: ".into(), "search: ".into())
        );
    }

    #[test]
    fn what_is_not_done_here_is_named() {
        let dense = r#"[{"path": "2_Dense", "type": "sentence_transformers.models.Dense"}]"#;
        let outside = r#"[{"path": "../../etc", "type": "sentence_transformers.models.Pooling"}]"#;
        let both = r#"{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": true}"#;
        let long = format!(r#"{{"prompts": {{"query": "{}"}}}}"#, "x".repeat(1025));
        for (file, text, why) in [
            ("modules.json", dense, "sentence_transformers.models.Dense"),
            ("modules.json", outside, "path: must name a folder beside it, got \"../../etc\""),
            ("modules.json", "[", "EOF"),
            ("1_Pooling/config.json", both, "pooling_mode: must be one of"),
            ("1_Pooling/config.json", r#"{"pooling_mode_lasttoken": true}"#, "got lasttoken"),
            (
                "1_Pooling/config.json",
                r#"{"include_prompt": false}"#,
                "include_prompt: must be true",
            ),
            ("sentence_bert_config.json", r#"{"max_seq_length": 0}"#, "must be at least 1, got 0"),
            ("sentence_bert_config.json", r#"{"max_seq_length": -7}"#, "-7"),
            ("config_sentence_transformers.json", &long, "at most 1024 bytes, got 1025"),
        ] {
            let error = read_with(&[(file, text)]).unwrap_err();
            assert!(error.contains(why) && error.contains(file), "{why}: {error}");
        }
    }
}
