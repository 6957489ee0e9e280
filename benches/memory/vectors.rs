//! The vectors of statements and questions: made once by the shipped model and kept in a file in the
//! cache; beyond those, vectors with noise.

use crate::Result;
use crate::robot;
use crate::statements::{self, COMMON_WORDS, SplitMix64, Statements};
use robot_memory_embedding::{EmbedError, Embedder};
use std::collections::HashMap;
use std::env;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Questions that are asked; the k-th is about the k-th statement.
pub const QUESTION_COUNT: usize = 200;
/// Cosine of a vector with noise and the one it was made of: evenly from this ...
const NOISY_COSINE_MIN: f64 = 0.65;
/// ... to this. What the model says of two statements that differ in their numbers only, from the
/// 5th to nearly the 95th percentile, which is printed whenever a table is made.
const NOISY_COSINE_MAX: f64 = 0.99;
/// How the table names the vectors with noise.
pub const NOISE: &str = "the same words with other numbers; vector = the real one turned by the \
                         difference of two others to a cosine of 0.65 to 0.99";
/// Statements whose change of numbers is looked at.
const VARIED_COUNT: usize = 200;

const BYTES: usize = size_of::<f32>();

/// Which model made the vectors, and where they are.
pub struct Vectors {
    model_id: String,
    dimension: usize,
    base_count: usize,
    file: File,
    questions: HashMap<String, Vec<f32>>,
}

impl Vectors {
    /// Makes what is missing in the cache; says on stderr how much the model sees numbers.
    pub fn prepare(statements: &Statements) -> Result<()> {
        let model = robot::load_model()?;
        let folder = folder()?;
        fs::create_dir_all(&folder)?;
        let base_count = statements.base_count();
        extend(&folder, "statements", model.as_ref(), base_count, |k| statements.text(k))?;
        extend(&folder, "questions", model.as_ref(), QUESTION_COUNT, |k| statements.question(k))?;
        fs::write(
            folder.join("model.json"),
            serde_json::to_string(&(model.model_id(), model.dimension()))?,
        )?;
        let mut cosines = Vec::new();
        for number in 0..VARIED_COUNT.min(base_count) {
            let one = model.embed(&statements.text(number))?;
            let other = model.embed(&statements.text(number + base_count))?;
            cosines.push(dot(&one, &other));
        }
        cosines.sort_by(f32::total_cmp);
        let at = |percent: usize| cosines[cosines.len() * percent / 100];
        eprintln!(
            "bench: cosine of statements that differ in their numbers only: 5 % {:.2}, \
             50 % {:.2}, 95 % {:.2}",
            at(5),
            at(50),
            at(95)
        );
        Ok(())
    }

    /// What [`Vectors::prepare`] made.
    pub fn open(statements: &Statements) -> Result<Self> {
        let folder = folder()?;
        let about = fs::read_to_string(folder.join("model.json"))?;
        let (model_id, dimension): (String, usize) = serde_json::from_str(&about)?;
        let file = File::open(path(&folder, "statements", &model_id))?;
        let base_count = statements.base_count();
        if file.metadata()?.len() < (base_count * dimension * BYTES) as u64 {
            return Err("the cache holds fewer vectors than are needed".into());
        }
        let mut questions = HashMap::new();
        let vectors = File::open(path(&folder, "questions", &model_id))?;
        for number in 0..QUESTION_COUNT {
            questions.insert(statements.question(number), row(&vectors, dimension, number)?);
        }
        // What matters of it is its words.
        questions.insert(COMMON_WORDS.to_owned(), row(&vectors, dimension, 0)?);
        Ok(Self { model_id, dimension, base_count, file, questions })
    }

    /// Numbers in a vector.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// The vector of the statement of this number.
    pub fn statement(&self, number: usize) -> Result<Vec<f32>> {
        let mut vector = row(&self.file, self.dimension, number % self.base_count)?;
        if number < self.base_count {
            return Ok(vector);
        }
        let mut random = SplitMix64::new(number as u64);
        let mut some = || row(&self.file, self.dimension, random.below(self.base_count));
        let mut noise: Vec<f32> = some()?.iter().zip(some()?).map(|(a, b)| a - b).collect();
        let along = dot(&noise, &vector);
        for (noise, component) in noise.iter_mut().zip(&vector) {
            *noise -= along * component;
        }
        let norm = dot(&noise, &noise).sqrt().max(f32::MIN_POSITIVE);
        let cosine = random.between(NOISY_COSINE_MIN, NOISY_COSINE_MAX, 4);
        let sine = (1.0 - cosine * cosine).sqrt() as f32 / norm;
        for (component, noise) in vector.iter_mut().zip(&noise) {
            *component = *component * cosine as f32 + sine * noise;
        }
        Ok(vector)
    }

    /// The vector of a question.
    pub fn question(&self, text: &str) -> Result<&[f32]> {
        Ok(self.questions.get(text).ok_or("a question of this source was expected")?)
    }

    /// An embedder that knows the questions, and what it is told.
    pub fn embedder(&self) -> Given {
        Given {
            model_id: self.model_id.clone(),
            dimension: self.dimension,
            questions: self.questions.clone(),
            given: Mutex::default(),
        }
    }
}

/// An embedder that looks its texts up, so that the model's time is not part of what is measured.
pub struct Given {
    model_id: String,
    dimension: usize,
    questions: HashMap<String, Vec<f32>>,
    given: Mutex<HashMap<String, Vec<f32>>>,
}

impl Given {
    /// Tells the vector of a text that will be embedded once.
    pub fn give(&self, text: &str, vector: Vec<f32>) {
        self.given.lock().unwrap_or_else(PoisonError::into_inner).insert(text.to_owned(), vector);
    }
}

impl Embedder for Given {
    fn model_id(&self) -> &str {
        &self.model_id
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn embed(&self, text: &str) -> std::result::Result<Vec<f32>, EmbedError> {
        if let Some(vector) = self.questions.get(text) {
            return Ok(vector.clone());
        }
        let given = self.given.lock().unwrap_or_else(PoisonError::into_inner).remove(text);
        given.ok_or_else(|| EmbedError(format!("the vector of this text was not told: {text}")))
    }
}

/// Scalar product, added up in sixteen lanes that a compiler can put side by side.
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    const LANES: usize = 16;
    let mut lanes = [0.0_f32; LANES];
    let (a_chunks, b_chunks) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest: f32 = a_chunks.remainder().iter().zip(b_chunks.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a_chunks.zip(b_chunks) {
        for ((lane, a), b) in lanes.iter_mut().zip(a).zip(b) {
            *lane += a * b;
        }
    }
    lanes.iter().sum::<f32>() + rest
}

fn folder() -> Result<PathBuf> {
    let cache = robot_memory_embedding::locate::cache_dir(|name| env::var_os(name))
        .ok_or("there is no home folder for the cache: set ROBOT_MEMORY_CACHE")?;
    Ok(cache.join("bench"))
}

/// Little-endian f32, vector after vector.
fn path(folder: &Path, what: &str, model_id: &str) -> PathBuf {
    let model: String =
        model_id.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    folder.join(format!("{what}-v{}-{model}.f32", statements::VERSION))
}

/// Embeds what the file lacks; the file is replaced as a whole, so that it is never half a vector.
fn extend(
    folder: &Path,
    what: &str,
    model: &dyn Embedder,
    count: usize,
    text: impl Fn(usize) -> String,
) -> Result<()> {
    let path = path(folder, what, model.model_id());
    let row_bytes = model.dimension() * BYTES;
    let kept = fs::read(&path).unwrap_or_default();
    let kept_count = kept.len() / row_bytes;
    if kept_count >= count {
        return Ok(());
    }
    eprintln!("bench: embedding {} {what}", count - kept_count);
    let part = path.with_extension(format!("part{}", std::process::id()));
    let mut file = BufWriter::new(File::create(&part)?);
    file.write_all(&kept[..kept_count * row_bytes])?;
    for number in kept_count..count {
        for component in model.embed(&text(number))? {
            file.write_all(&component.to_le_bytes())?;
        }
    }
    file.into_inner()?.sync_all()?;
    fs::rename(part, path)?;
    Ok(())
}

fn row(file: &File, dimension: usize, number: usize) -> Result<Vec<f32>> {
    let mut bytes = vec![0; dimension * BYTES];
    file.read_exact_at(&mut bytes, (number * dimension * BYTES) as u64)?;
    let components = bytes.chunks_exact(BYTES);
    Ok(components.map(|c| f32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect())
}
