//! An embedder that runs a language model with ONNX Runtime.

mod folder;
mod load_error;
mod pool;
mod runtime;
#[cfg(test)]
mod tests;

use std::fmt;
use std::path::PathBuf;

use ort::session::Session;
use ort::value::{TensorElementType, TensorRef};
use tokenizers::{PostProcessor, Tokenizer, TruncationParams};

use self::folder::ModelFolder;
pub use self::load_error::LoadError;
use self::pool::Pool;
use self::runtime::Runtime;
use super::language::LanguageAxis;
use super::{EmbedError, Embedder, to_unit_length};

/// Characters read of a text for each token that the model reads: pieces are shorter on average, and
/// tokenizing takes time for every character, also for those whose tokens are cut off.
const CHARS_PER_TOKEN: usize = 16;

/// What [`OnnxEmbedder::load`] needs to know.
#[derive(Debug, Clone)]
pub struct OnnxOptions {
    /// A folder with `model.onnx`, `tokenizer.json` and, as an option, `model.json`.
    pub model_dir: PathBuf,
    /// The file of the ONNX Runtime library.
    pub onnxruntime: PathBuf,
    /// Threads that work on one text; zero counts as one.
    pub threads: usize,
    /// Texts that are worked on side by side; zero counts as one. Each holds the weights in memory.
    pub parallel: usize,
}

/// Embeds with a model of the BERT kind or a sentence encoder.
///
/// `model.onnx` has the input `input_ids` and, as it likes, `attention_mask` and `token_type_ids`
/// (all `int64[1, tokens]`). It answers with the output `sentence_embedding`, else its first one,
/// of `float[1, dimension]`, or of `float[1, tokens, dimension]`, whose mean over the tokens is
/// taken. `model.json` may name the model (`name`), promise its `dimension`, say how many tokens
/// of a text it reads (`tokens_max`, 512 by default; what is beyond is not read) and hold the
/// `sha256` of the two other files.
///
/// Any number of threads may embed; they wait for a free session in the order of their coming.
pub struct OnnxEmbedder {
    model_id: String,
    dimension: usize,
    tokenizer: Tokenizer,
    chars_max: usize,
    inputs: Vec<Input>,
    output: String,
    sessions: Pool<Session>,
    language: Option<LanguageAxis>,
}

/// An input that a model may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Input {
    Ids,
    Mask,
    Types,
}

impl Input {
    const ALL: [Self; 3] = [Self::Ids, Self::Mask, Self::Types];

    fn name(self) -> &'static str {
        match self {
            Self::Ids => "input_ids",
            Self::Mask => "attention_mask",
            Self::Types => "token_type_ids",
        }
    }
}

impl OnnxEmbedder {
    /// Loads the library and the model, embeds a word with it to see that it works, and some
    /// sentences to see how it tells languages apart.
    pub fn load(options: &OnnxOptions) -> Result<Self, LoadError> {
        let folder = ModelFolder::open(&options.model_dir)?;
        let tokenizer = load_tokenizer(&folder)?;
        let runtime = Runtime::load(&options.onnxruntime)?;

        let unusable = |reason: String| LoadError::Model { path: folder.model.clone(), reason };
        let start = || {
            runtime
                .session(&folder.model, options.threads.max(1))
                .map_err(|error| unusable(error.to_string()))
        };
        let first = start()?;
        let inputs = inputs_of(&first).map_err(unusable)?;
        let output = output_of(&first).map_err(unusable)?;
        let others = (1..options.parallel).map(|_| start()).collect::<Result<Vec<_>, _>>()?;

        let mut embedder = Self {
            model_id: folder.id,
            dimension: 0,
            tokenizer,
            chars_max: folder.tokens_max * CHARS_PER_TOKEN,
            inputs,
            output,
            sessions: Pool::new(first, others),
            language: None,
        };
        embedder.dimension = embedder.vector("robot").map_err(|error| unusable(error.0))?.len();
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

    /// The unit vector of a text, of whatever dimension the model gives.
    fn vector(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let end = text.char_indices().nth(self.chars_max).map_or(text.len(), |(index, _)| index);
        let encoding = self
            .tokenizer
            .encode_fast(&text[..end], true)
            .map_err(|error| EmbedError(format!("the tokenizer failed: {error}")))?;
        if encoding.is_empty() {
            return Err(EmbedError("the text has no token that the model knows".into()));
        }
        let [ids, mask] = [encoding.get_ids(), encoding.get_attention_mask()]
            .map(|values| values.iter().map(|&value| i64::from(value)).collect::<Vec<_>>());
        let vector = self
            .sessions
            .with(|session| self.run(session, &ids, &mask))
            .map_err(|reason| EmbedError(format!("the model failed: {reason}")))?;
        to_unit_length(vector)
    }

    /// What the model answers to the tokens of one text, before scaling.
    fn run(&self, session: &mut Session, ids: &[i64], mask: &[i64]) -> Result<Vec<f32>, String> {
        let types = vec![0; ids.len()];
        let shape = [1, ids.len()];
        let tensors = self.inputs.iter().map(|&input| {
            let values = match input {
                Input::Ids => ids,
                Input::Mask => mask,
                Input::Types => &types,
            };
            Ok((input.name(), TensorRef::from_array_view((shape, values))?))
        });
        let tensors =
            tensors.collect::<ort::Result<Vec<_>>>().map_err(|error| error.to_string())?;
        let outputs = session.run(tensors).map_err(|error| error.to_string())?;
        let output = outputs.get(&self.output).ok_or("the model gave no output")?;
        let (shape, values) =
            output.try_extract_tensor::<f32>().map_err(|error| error.to_string())?;
        pool_tokens(shape, values, mask)
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
        let vector = self.vector(text)?;
        if vector.len() != self.dimension {
            return Err(EmbedError(format!(
                "the model gave {} components instead of {}",
                vector.len(),
                self.dimension
            )));
        }
        Ok(vector)
    }

    /// Does not tell in which language the query is: else memories in that language would seem
    /// more similar to it than those that say the same in another.
    fn embed_query(&self, query: &str) -> Result<Vec<f32>, EmbedError> {
        let vector = self.embed(query)?;
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

fn load_tokenizer(folder: &ModelFolder) -> Result<Tokenizer, LoadError> {
    let unusable = |reason: String| LoadError::Tokenizer { path: folder.tokenizer.clone(), reason };
    let mut tokenizer =
        Tokenizer::from_file(&folder.tokenizer).map_err(|error| unusable(error.to_string()))?;
    // The tokenizers library subtracts the one from the other without looking.
    let added = tokenizer.get_post_processor().map_or(0, |added| added.added_tokens(false));
    if folder.tokens_max <= added {
        return Err(unusable(format!(
            "it adds {added} tokens to every text, and tokens_max is {}",
            folder.tokens_max
        )));
    }
    let truncation = TruncationParams { max_length: folder.tokens_max, ..Default::default() };
    tokenizer
        .with_truncation(Some(truncation))
        .map_err(|error| unusable(error.to_string()))?
        .with_padding(None);
    Ok(tokenizer)
}

/// The inputs that the model asks for, or why they cannot be given.
fn inputs_of(session: &Session) -> Result<Vec<Input>, String> {
    let mut inputs = Vec::new();
    for declared in session.inputs() {
        let name = declared.name();
        let input = Input::ALL
            .into_iter()
            .find(|input| input.name() == name)
            .ok_or_else(|| format!("it asks for an input {name}, which is not known here"))?;
        if declared.dtype().tensor_type() != Some(TensorElementType::Int64) {
            return Err(format!("its input {name} is not of 64-bit integers"));
        }
        inputs.push(input);
    }
    if !inputs.contains(&Input::Ids) {
        return Err("it has no input input_ids".into());
    }
    Ok(inputs)
}

/// The name of the output that holds the vector, or why there is none.
fn output_of(session: &Session) -> Result<String, String> {
    let outputs = session.outputs();
    let output = outputs
        .iter()
        .find(|output| output.name() == "sentence_embedding")
        .or_else(|| outputs.first())
        .ok_or("it has no output")?;
    if output.dtype().tensor_type() != Some(TensorElementType::Float32) {
        return Err(format!("its output {} is not of 32-bit floats", output.name()));
    }
    Ok(output.name().into())
}

/// From the output of one text, the vector as it is, or the mean of the tokens that the mask lets
/// count.
fn pool_tokens(shape: &[i64], values: &[f32], mask: &[i64]) -> Result<Vec<f32>, String> {
    match *shape {
        [1, dimension] if dimension > 0 => Ok(values.to_vec()),
        [1, tokens, dimension] if usize::try_from(tokens) == Ok(mask.len()) && dimension > 0 => {
            let rows = values.chunks_exact(values.len() / mask.len());
            let mut sum = vec![0.0; values.len() / mask.len()];
            for (row, _) in rows.zip(mask).filter(|&(_, &counts)| counts != 0) {
                for (total, value) in sum.iter_mut().zip(row) {
                    *total += value;
                }
            }
            // Scaling to unit length makes the mean of the sum.
            Ok(sum)
        }
        _ => Err(format!("its output has the shape {shape:?}")),
    }
}
