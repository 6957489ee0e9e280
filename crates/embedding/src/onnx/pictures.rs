//! A model that makes vectors of one space of pictures and of texts.

use std::fmt;
use std::path::Path;

use ort::session::Session;
use ort::value::{TensorElementType, TensorRef};

use super::picture_card::{PictureFolder, Resize};
use super::pool::Pool;
use super::runtime::Runtime;
use super::sentence::Pooling;
use super::text_model::{TextModel, TextOptions, numbers_of, output_of};
use super::{LoadError, OnnxOptions};
use crate::{EmbedError, MatchRange, to_unit_length};

/// Colors of a pixel.
const CHANNELS: usize = 3;

/// A model of the CLIP kind: `image.onnx` and `text.onnx`, `tokenizer.json`, and the card `model.json`
/// (docs/pictures.md).
///
/// `image.onnx` has one input of `float[1, 3, size, size]`, red, green and blue, less the card's `mean`,
/// by its `std`. `text.onnx` has the inputs of an [`OnnxEmbedder`](super::OnnxEmbedder). Each answers with
/// `float[1, dimension]`: the output `image_embeds` or `text_embeds`, else its first one.
pub struct OnnxPictureModel {
    model_id: String,
    dimension: usize,
    size: usize,
    mean: [f32; CHANNELS],
    std: [f32; CHANNELS],
    resize: Resize,
    match_range: MatchRange,
    text: TextModel,
    image: ImageModel,
}

/// The side that sees pictures.
struct ImageModel {
    input: String,
    output: String,
    sessions: Pool<Session>,
}

impl OnnxPictureModel {
    /// Loads the library and both sides of the model, and tries each of them once.
    pub fn load(options: &OnnxOptions) -> Result<Self, LoadError> {
        let PictureFolder { image: image_path, text: text_path, tokenizer, card, id } =
            PictureFolder::open(&options.model_dir)?;
        let runtime = Runtime::load(&options.onnxruntime)?;
        let (threads, parallel) = (options.threads.max(1), options.parallel);
        let text = TextModel::load(
            &runtime,
            &TextOptions {
                model: &text_path,
                tokenizer: &tokenizer,
                tokens_max: card.tokens_max,
                pad_id: card.pad_id(),
                outputs: &["text_embeds"],
                pooling: Pooling::Mean,
                threads,
                parallel,
            },
        )?;
        let image = ImageModel::load(&runtime, &image_path, card.size, threads, parallel)?;
        let unusable = |path: &Path| {
            let path = path.to_owned();
            move |error: EmbedError| LoadError::Model { path, reason: error.0 }
        };
        let by_text = text.vector("a robot").map_err(unusable(&text_path))?.len();
        let mut model = Self {
            model_id: id,
            dimension: 0,
            size: card.size,
            mean: card.mean,
            std: card.std,
            resize: card.resize,
            match_range: card.match_range(),
            text,
            image,
        };
        let gray = vec![128; CHANNELS * model.size * model.size];
        model.dimension = model.vector(&gray).map_err(unusable(&image_path))?.len();
        if model.dimension != by_text {
            return Err(LoadError::Model {
                path: image_path,
                reason: format!(
                    "its vectors have {} components, and those of text.onnx {by_text}",
                    model.dimension
                ),
            });
        }
        Ok(model)
    }

    /// Names the model and everything that changes its vectors.
    pub fn model_id(&self) -> &str {
        &self.model_id
    }

    /// Length of each vector.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Which cosines mean something.
    pub fn match_range(&self) -> MatchRange {
        self.match_range
    }

    /// Pixels of a side of the pictures that it sees.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Whether it is to see the square in the middle of a picture; else all of it, in another shape.
    pub fn is_cropping(&self) -> bool {
        self.resize == Resize::Crop
    }

    /// The unit vector of a picture: `size` rows of as many pixels, each a byte of red, green and blue.
    pub fn picture(&self, rgb: &[u8]) -> Result<Vec<f32>, EmbedError> {
        self.vector(rgb).and_then(|vector| self.checked(vector))
    }

    /// The unit vector of a text.
    pub fn text(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.text.vector(text).and_then(|vector| self.checked(vector))
    }

    fn checked(&self, vector: Vec<f32>) -> Result<Vec<f32>, EmbedError> {
        if vector.len() == self.dimension {
            return Ok(vector);
        }
        Err(EmbedError(format!(
            "the model gave {} components instead of {}",
            vector.len(),
            self.dimension
        )))
    }

    /// Of whatever dimension the model gives.
    fn vector(&self, rgb: &[u8]) -> Result<Vec<f32>, EmbedError> {
        let needed = CHANNELS * self.size * self.size;
        if rgb.len() != needed {
            return Err(EmbedError(format!(
                "a picture of {0} x {0} pixels has {needed} bytes, not {1}",
                self.size,
                rgb.len()
            )));
        }
        let mut values = Vec::with_capacity(needed);
        for channel in 0..CHANNELS {
            let (mean, std) = (self.mean[channel], self.std[channel]);
            let levels = rgb.iter().skip(channel).step_by(CHANNELS);
            values.extend(levels.map(|level| (f32::from(*level) / 255.0 - mean) / std));
        }
        let vector = self
            .image
            .sessions
            .with(|session| self.image.run(session, self.size, &values))
            .map_err(|reason| EmbedError(format!("the model failed: {reason}")))?;
        to_unit_length(vector)
    }
}

impl ImageModel {
    fn load(
        runtime: &Runtime,
        path: &Path,
        size: usize,
        threads: usize,
        parallel: usize,
    ) -> Result<Self, LoadError> {
        let unusable = |reason: String| LoadError::Model { path: path.into(), reason };
        let start = || runtime.session(path, threads).map_err(|error| unusable(error.to_string()));
        let first = start()?;
        let input = image_input_of(&first, size).map_err(unusable)?;
        let output = output_of(&first, &["image_embeds"]).map_err(unusable)?;
        let others = (1..parallel).map(|_| start()).collect::<Result<Vec<_>, _>>()?;
        Ok(Self { input, output, sessions: Pool::new(first, others) })
    }

    fn run(&self, session: &mut Session, size: usize, values: &[f32]) -> Result<Vec<f32>, String> {
        let tensor = TensorRef::from_array_view(([1, CHANNELS, size, size], values))
            .map_err(|error| error.to_string())?;
        let outputs =
            session.run(vec![(self.input.as_str(), tensor)]).map_err(|error| error.to_string())?;
        let output = outputs.get(&self.output).ok_or("the model gave no output")?;
        let (shape, values) = numbers_of(output)?;
        match **shape {
            [1, dimension] if dimension > 0 => Ok(values.into_owned()),
            _ => Err(format!("its output has the shape {shape:?}, not [1, dimension]")),
        }
    }
}

/// The name of the one input, of pictures of this size, or why they cannot be given.
fn image_input_of(session: &Session, size: usize) -> Result<String, String> {
    let [input] = session.inputs() else {
        return Err(format!("it has {} inputs, must have one", session.inputs().len()));
    };
    let name = input.name();
    if input.dtype().tensor_type() != Some(TensorElementType::Float32) {
        return Err(format!("its input {name} is not of 32-bit floats"));
    }
    let shape: Vec<i64> = input.dtype().tensor_shape().map(|it| it.to_vec()).unwrap_or_default();
    let side = i64::try_from(size).unwrap_or(i64::MAX);
    let needed = [1, CHANNELS as i64, side, side];
    // What is not fixed is given as below zero.
    let fits = |(has, needs): (&i64, &i64)| *has < 0 || has == needs;
    if shape.len() != needed.len() || !shape.iter().zip(&needed).all(fits) {
        return Err(format!(
            "its input {name} has the shape {shape:?}, model.json says {needed:?}"
        ));
    }
    Ok(name.into())
}

impl fmt::Debug for OnnxPictureModel {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("OnnxPictureModel")
            .field("model_id", &self.model_id)
            .field("dimension", &self.dimension)
            .finish_non_exhaustive()
    }
}
