//! The folder of a model of texts and pictures, and its card, `model.json`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::LoadError;
use super::folder::{TOKENS_MAX_LIMIT, add_files, id_of, name_of, read_description};
use crate::MatchRange;

/// Pixels of a side that a model may ask for: fewer show nothing, and more take seconds.
const SIZE_RANGE: std::ops::RangeInclusive<usize> = 32..=1024;
/// The least standard deviation of colors: that of a flat picture is zero.
const STD_MIN: f32 = 0.001;

/// How a picture becomes square.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Resize {
    /// What is beyond the square in its middle is not seen.
    #[default]
    Crop,
    /// All is seen, in another shape.
    Stretch,
}

/// What `model.json` says. The defaults are those of CLIP (Radford et al. 2021, "Learning Transferable
/// Visual Models From Natural Language Supervision").
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Card {
    name: Option<String>,
    /// Pixels of a side.
    pub(super) size: usize,
    /// Of red, green and blue, 0 to 1, over the pictures that the model was trained on.
    #[serde(default = "clip_mean")]
    pub(super) mean: [f32; 3],
    #[serde(default = "clip_std")]
    pub(super) std: [f32; 3],
    #[serde(default)]
    pub(super) resize: Resize,
    #[serde(default = "clip_tokens_max")]
    pub(super) tokens_max: usize,
    #[serde(default)]
    pad_to_tokens_max: bool,
    #[serde(default)]
    pad_id: u32,
    #[serde(default = "clip_match_from")]
    match_from: f32,
    #[serde(default = "clip_match_sure")]
    match_sure: f32,
    /// Checksums, in hexadecimal, by file name.
    #[serde(default)]
    sha256: BTreeMap<String, String>,
}

fn clip_mean() -> [f32; 3] {
    [0.481_454_66, 0.457_827_5, 0.408_210_73]
}

fn clip_std() -> [f32; 3] {
    [0.268_629_54, 0.261_302_6, 0.275_777_1]
}

fn clip_tokens_max() -> usize {
    77
}

fn clip_match_from() -> f32 {
    0.22
}

fn clip_match_sure() -> f32 {
    0.32
}

impl Card {
    /// Reads the card of a folder, which needs one.
    fn read(path: &Path) -> Result<Self, LoadError> {
        let Some(card) = read_description::<Self>(path)? else {
            return Err(LoadError::NoPictureFile { path: path.into() });
        };
        match card.fault() {
            Some(reason) => Err(LoadError::Description { path: path.into(), reason }),
            None => Ok(card),
        }
    }

    /// The first field that is out of its bounds, with them.
    fn fault(&self) -> Option<String> {
        let Self { mean, std, match_from, match_sure, .. } = self;
        if self.name.as_deref().is_some_and(|name| name.trim().is_empty()) {
            return Some("name: is empty".into());
        }
        if !SIZE_RANGE.contains(&self.size) {
            let (least, most) = (SIZE_RANGE.start(), SIZE_RANGE.end());
            return Some(format!("size: must be {least} to {most} pixels, is {}", self.size));
        }
        if let Some(number) = mean.iter().find(|number| !(0.0..=1.0).contains(*number)) {
            return Some(format!("mean: must be 0 to 1, is {number}"));
        }
        if let Some(number) = std.iter().find(|number| !(STD_MIN..=1.0).contains(*number)) {
            return Some(format!("std: must be {STD_MIN} to 1, is {number}"));
        }
        if !(1..=TOKENS_MAX_LIMIT).contains(&self.tokens_max) {
            return Some(format!(
                "tokens_max: must be 1 to {TOKENS_MAX_LIMIT}, is {}",
                self.tokens_max
            ));
        }
        let is_range = *match_from >= -1.0 && match_from < match_sure && *match_sure <= 1.0;
        (!is_range).then(|| {
            format!(
                "match_from and match_sure: must be -1 to 1, the former less, are {match_from} and \
                 {match_sure}"
            )
        })
    }

    /// The token with which texts are filled up, when they are.
    pub(super) fn pad_id(&self) -> Option<u32> {
        self.pad_to_tokens_max.then_some(self.pad_id)
    }

    pub(super) fn match_range(&self) -> MatchRange {
        MatchRange { from: self.match_from, sure: self.match_sure }
    }

    /// All of it that changes vectors.
    fn of_vectors(&self) -> String {
        let Self { size, mean, std, resize, tokens_max, .. } = self;
        format!("{size} {mean:?} {std:?} {resize:?} {tokens_max} {:?}", self.pad_id())
    }
}

/// A folder whose files are there and whole.
#[derive(Debug)]
pub(super) struct PictureFolder {
    pub(super) image: PathBuf,
    pub(super) text: PathBuf,
    pub(super) tokenizer: PathBuf,
    pub(super) card: Card,
    /// `<name>@<12 hexadecimal digits>`, the digits from the SHA-256 of the three other files, one after
    /// the other, and of what the card says that changes vectors.
    pub(super) id: String,
}

impl PictureFolder {
    /// Reads the files once, to check and to name them.
    pub(super) fn open(folder: &Path) -> Result<Self, LoadError> {
        if !folder.is_dir() {
            return Err(LoadError::NoPictureFolder { path: folder.into() });
        }
        let card = Card::read(&folder.join("model.json"))?;
        let [image, text, tokenizer] =
            ["image.onnx", "text.onnx", "tokenizer.json"].map(|name| folder.join(name));
        let mut whole = Sha256::new();
        let files = [&image, &text, &tokenizer].map(PathBuf::as_path);
        add_files(&mut whole, files, &card.sha256).map_err(|error| match error {
            LoadError::NoFile { path } => LoadError::NoPictureFile { path },
            error => error,
        })?;
        whole.update(card.of_vectors());
        let name = card.name.clone().unwrap_or_else(|| name_of(folder));
        Ok(Self { image, text, tokenizer, id: id_of(&name, whole), card })
    }
}
