//! Models that ONNX Runtime runs: one of texts, and one of texts and pictures.

mod folder;
mod load_error;
mod model_file;
mod picture_card;
mod pictures;
mod pool;
mod runtime;
mod sentence;
#[cfg(test)]
mod tests;
mod text_model;

use std::fmt;
use std::path::PathBuf;

use self::folder::ModelFolder;
pub use self::load_error::LoadError;
pub use self::pictures::OnnxPictureModel;
use self::runtime::Runtime;
use self::sentence::SentenceSettings;
use self::text_model::{TextModel, TextOptions};
use super::language::LanguageAxis;
use super::{EmbedError, Embedder};

/// What [`OnnxEmbedder::load`] and [`OnnxPictureModel::load`] need to know.
#[derive(Debug, Clone)]
pub struct OnnxOptions {
    /// The folder with the model's files, or, of a model of texts, the .onnx file in it.
    pub model_dir: PathBuf,
    /// The file of the ONNX Runtime library.
    pub onnxruntime: PathBuf,
    /// Threads that work on one text; zero counts as one.
    pub threads: usize,
    /// Texts, or pictures, that are worked on side by side; zero counts as one. Each holds the weights in
    /// memory.
    pub parallel: usize,
}

/// Embeds with a model of the BERT kind or a sentence encoder.
///
/// The folder has `model.onnx` (or `onnx/model.onnx`, or one other .onnx file), `tokenizer.json` and, as an option, `model.json` and the files
/// that sentence-transformers writes. The model has the input `input_ids` and, as it likes, `attention_mask` and
/// `token_type_ids` (all `int64[1, tokens]`). It answers with the output `sentence_embedding`, else
/// `last_hidden_state`, `token_embeddings` or its first one, of `float[1, dimension]` (or `float16`), or of `float[1, tokens,
/// dimension]`, of which `1_Pooling/config.json` says how one vector is made: their mean unless it says `cls` or
/// `max`. `sentence_bert_config.json`, else `config.json`, says how many tokens of a text are read (512 by default; what is
/// beyond is not read), `config_sentence_transformers.json` what stands before queries and before stored texts.
/// `model.json` goes before all of them: `name`, `pooling`, `query_prefix`, `text_prefix`, `tokens_max`; it may promise
/// the `dimension` and hold the `sha256` of the model and the tokenizer.
///
/// Any number of threads may embed; they wait for a free session in the order of their coming.
pub struct OnnxEmbedder {
    model_id: String,
    dimension: usize,
    text: TextModel,
    /// Before queries, and before other texts.
    query_prefix: String,
    text_prefix: String,
    language: Option<LanguageAxis>,
}

impl OnnxEmbedder {
    /// Loads the library and the model, embeds a word with it to see that it works, and some
    /// sentences to see how it tells languages apart.
    pub fn load(options: &OnnxOptions) -> Result<Self, LoadError> {
        let folder = ModelFolder::open(&options.model_dir)?;
        let runtime = Runtime::load(&options.onnxruntime)?;
        let text = TextModel::load(
            &runtime,
            &TextOptions {
                model: &folder.model,
                tokenizer: &folder.tokenizer,
                tokens_max: folder.tokens_max,
                pad_id: None,
                outputs: &["sentence_embedding", "last_hidden_state", "token_embeddings"],
                pooling: folder.settings.pooling,
                threads: options.threads,
                parallel: options.parallel,
            },
        )?;
        let unusable = |reason: String| LoadError::Model { path: folder.model.clone(), reason };
        let dimension = text.vector("robot").map_err(|error| unusable(error.0))?.len();
        let SentenceSettings { query_prefix, text_prefix, .. } = folder.settings;
        let mut embedder = Self {
            model_id: folder.id,
            dimension,
            text,
            query_prefix,
            text_prefix,
            language: None,
        };
        match folder.dimension {
            Some(promised) if promised != embedder.dimension => Err(unusable(format!(
                "its vectors have {} components, and model.json promises {promised}",
                embedder.dimension
            ))),
            _ => {
                embedder.language = LanguageAxis::of(|text| embedder.embed(text).ok());
                Ok(embedder)
            }
        }
    }
}

impl OnnxEmbedder {
    fn vector(&self, prefix: &str, text: &str) -> Result<Vec<f32>, EmbedError> {
        let vector = if prefix.is_empty() {
            self.text.vector(text)?
        } else {
            self.text.vector(&format!("{prefix}{text}"))?
        };
        if vector.len() != self.dimension {
            return Err(EmbedError(format!(
                "the model gave {} components instead of {}",
                vector.len(),
                self.dimension
            )));
        }
        Ok(vector)
    }
}

impl Embedder for OnnxEmbedder {
    fn model_id(&self) -> &str {
        &self.model_id
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    /// A text without words, the empty one too, gives what the model makes of it, or an error.
    fn embed(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.vector(&self.text_prefix, text)
    }

    /// Does not tell in which language the query is: else memories in that language would seem
    /// more similar to it than those that say the same in another.
    fn embed_query(&self, query: &str) -> Result<Vec<f32>, EmbedError> {
        let vector = self.vector(&self.query_prefix, query)?;
        match &self.language {
            Some(language) => language.taken_out_of(vector),
            None => Ok(vector),
        }
    }
}

impl fmt::Debug for OnnxEmbedder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Not the tokenizer, which would print its whole vocabulary.
        formatter
            .debug_struct("OnnxEmbedder")
            .field("model_id", &self.model_id)
            .field("dimension", &self.dimension)
            .finish_non_exhaustive()
    }
}
