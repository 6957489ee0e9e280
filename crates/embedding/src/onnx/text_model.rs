//! The side of a model that reads texts: a tokenizer, and sessions that make a vector of tokens.

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use ort::session::Session;
use ort::value::{DynValue, Outlet, Shape, TensorElementType, TensorRef};
use tokenizers::{PaddingParams, PaddingStrategy, PostProcessor, Tokenizer, TruncationParams};

use super::LoadError;
use super::pool::Pool;
use super::runtime::Runtime;
use super::sentence::Pooling;
use crate::{EmbedError, to_unit_length};

/// Characters read of a text for each token that the model reads: pieces are shorter on average, and
/// tokenizing takes time for every character, also for those whose tokens are cut off.
const CHARS_PER_TOKEN: usize = 16;

/// What [`TextModel::load`] needs to know.
#[derive(Debug, Clone, Copy)]
pub(super) struct TextOptions<'a> {
    pub(super) model: &'a Path,
    pub(super) tokenizer: &'a Path,
    /// Tokens of a text that are read.
    pub(super) tokens_max: usize,
    /// The token with which every text is filled up to `tokens_max`, for a model that takes no fewer.
    pub(super) pad_id: Option<u32>,
    /// The outputs that may hold the vector, the preferred one first; else it is the first one of floats.
    pub(super) outputs: &'a [&'a str],
    /// How a vector is made of those of the tokens, where the model does not.
    pub(super) pooling: Pooling,
    pub(super) threads: usize,
    pub(super) parallel: usize,
}

/// Makes vectors of texts. Any number of threads may ask; they wait for a free session in the order
/// of their coming.
pub(super) struct TextModel {
    tokenizer: Tokenizer,
    chars_max: usize,
    inputs: Vec<Input>,
    output: String,
    pooling: Pooling,
    sessions: Pool<Session>,
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

impl TextModel {
    /// Loads the tokenizer and the sessions.
    pub(super) fn load(runtime: &Runtime, options: &TextOptions<'_>) -> Result<Self, LoadError> {
        let tokenizer = load_tokenizer(options)?;
        let unusable = |reason: String| LoadError::Model { path: options.model.into(), reason };
        let start = || {
            runtime
                .session(options.model, options.threads.max(1))
                .map_err(|error| unusable(error.to_string()))
        };
        let first = start()?;
        let inputs = inputs_of(&first).map_err(unusable)?;
        let output = output_of(&first, options.outputs).map_err(unusable)?;
        let others = (1..options.parallel).map(|_| start()).collect::<Result<Vec<_>, _>>()?;
        Ok(Self {
            tokenizer,
            chars_max: options.tokens_max * CHARS_PER_TOKEN,
            inputs,
            output,
            pooling: options.pooling,
            sessions: Pool::new(first, others),
        })
    }

    /// The unit vector of a text, of whatever dimension the model gives.
    pub(super) fn vector(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let end = text.char_indices().nth(self.chars_max).map_or(text.len(), |(index, _)| index);
        let encoding = caught(|| self.tokenizer.encode_fast(&text[..end], true))
            .and_then(|encoded| encoded.map_err(|error| error.to_string()))
            .map_err(|reason| EmbedError(format!("the tokenizer failed: {reason}")))?;
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
        let (shape, values) = numbers_of(output)?;
        pool_tokens(shape, &values, mask, self.pooling)
    }
}

/// What a call of the tokenizers library gives: it panics at some files, such as one that ends within its
/// decoder or adds a token that it does not define.
fn caught<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(call))
        .map_err(|_logged_by_the_panic_hook| "it is not whole, or contradicts itself".to_owned())
}

fn load_tokenizer(options: &TextOptions<'_>) -> Result<Tokenizer, LoadError> {
    let TextOptions { tokenizer: path, tokens_max, pad_id, .. } = *options;
    let unusable = |reason: String| LoadError::Tokenizer { path: path.into(), reason };
    let mut tokenizer = caught(|| Tokenizer::from_file(path))
        .and_then(|loaded| loaded.map_err(|error| error.to_string()))
        .map_err(unusable)?;
    // The tokenizers library subtracts the one from the other without looking.
    let added = tokenizer.get_post_processor().map_or(0, |added| added.added_tokens(false));
    if tokens_max <= added {
        return Err(unusable(format!(
            "it adds {added} tokens to every text, and tokens_max is {tokens_max}"
        )));
    }
    let truncation = TruncationParams { max_length: tokens_max, ..Default::default() };
    let padding = pad_id.map(|pad_id| PaddingParams {
        strategy: PaddingStrategy::Fixed(tokens_max),
        pad_id,
        ..Default::default()
    });
    tokenizer
        .with_truncation(Some(truncation))
        .map_err(|error| unusable(error.to_string()))?
        .with_padding(padding);
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

/// The name of the output that holds the vector: the most preferred one, else the first of floats; or why
/// there is none.
pub(super) fn output_of(session: &Session, preferred: &[&str]) -> Result<String, String> {
    let outputs = session.outputs();
    let named = |name: &&str| outputs.iter().find(|output| output.name() == *name);
    let is_of_floats = |output: &&Outlet| {
        let numbers = output.dtype().tensor_type();
        matches!(numbers, Some(TensorElementType::Float32 | TensorElementType::Float16))
    };
    // Some exporters give the tokens back before the vectors.
    let output = preferred
        .iter()
        .find_map(named)
        .or_else(|| outputs.iter().find(is_of_floats))
        .or_else(|| outputs.first())
        .ok_or("it has no output")?;
    if is_of_floats(&output) {
        Ok(output.name().into())
    } else {
        Err(format!("its output {} is not of 32-bit or 16-bit floats", output.name()))
    }
}

/// The shape and the numbers of an output, which [`output_of`] has checked.
pub(super) fn numbers_of(output: &DynValue) -> Result<(&Shape, Cow<'_, [f32]>), String> {
    let is_half = output.dtype().tensor_type() == Some(TensorElementType::Float16);
    let numbers = if is_half {
        let numbers = output.try_extract_tensor::<half::f16>();
        numbers.map(|(shape, values)| (shape, values.iter().map(|value| value.to_f32()).collect()))
    } else {
        output.try_extract_tensor::<f32>().map(|(shape, values)| (shape, values.into()))
    };
    numbers.map_err(|error| error.to_string())
}

/// From the output of one text, the vector as it is, or one of the tokens that the mask lets count.
fn pool_tokens(
    shape: &[i64],
    values: &[f32],
    mask: &[i64],
    pooling: Pooling,
) -> Result<Vec<f32>, String> {
    match *shape {
        [1, dimension] if dimension > 0 => Ok(values.to_vec()),
        [1, tokens, dimension] if usize::try_from(tokens) == Ok(mask.len()) && dimension > 0 => {
            let rows = values.chunks_exact(values.len() / mask.len());
            let mut rows = rows.zip(mask).filter(|&(_, &counts)| counts != 0).map(|(row, _)| row);
            let mut pooled = rows.next().ok_or("no token of the text counts")?.to_vec();
            let join: fn(f32, f32) -> f32 = match pooling {
                Pooling::Cls => return Ok(pooled),
                // Unlike `f32::max` it keeps what is not a number, which is refused later.
                Pooling::Max => {
                    |max, value| if value > max || value.is_nan() { value } else { max }
                }
                // Scaling to unit length makes the mean of the sum.
                Pooling::Mean => |sum, value| sum + value,
            };
            for row in rows {
                for (all, value) in pooled.iter_mut().zip(row) {
                    *all = join(*all, *value);
                }
            }
            Ok(pooled)
        }
        _ => Err(format!("its output has the shape {shape:?}")),
    }
}
