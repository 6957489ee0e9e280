//! What a vector tells of the language of its text.

use super::{EmbedError, to_unit_length};

/// Sentences in English and Chinese, a line each, with a tab between.
const TRANSLATIONS: &str = include_str!("translations.tsv");
/// Means of two languages that are no farther apart than this do not tell them apart.
const DISTANCE_MIN: f64 = 0.05;
/// What is left of a vector without a larger part along the axis says little.
const PART_MAX: f64 = 0.9;

/// The direction in which vectors of English and Chinese sentences differ when they say the same.
///
/// A vector that has nothing of it can be compared with those of both languages alike. That is what
/// Yang and others 2021, "A Simple and Effective Method To Eliminate the Self Language Bias in
/// Multilingual Representations", do with several directions and on both sides; one is enough for
/// two languages, and since `(q - (q·a) a)·d = q·(d - (d·a) a)` it is enough to take it out of the
/// query.
pub(super) struct LanguageAxis(Vec<f32>);

impl LanguageAxis {
    /// That of a model whose vectors `embed` makes: from the mean of the English sentences to that
    /// of the Chinese ones. `None` when the model cannot read them or does not tell them apart.
    pub(super) fn of(embed: impl Fn(&str) -> Option<Vec<f32>>) -> Option<Self> {
        let mut difference: Vec<f64> = Vec::new();
        let mut count = 0;
        for line in TRANSLATIONS.lines() {
            let (english, chinese) = line.split_once('\t')?;
            let (english, chinese) = (embed(english)?, embed(chinese)?);
            difference.resize(english.len(), 0.0);
            for (sum, (english, chinese)) in difference.iter_mut().zip(english.iter().zip(chinese))
            {
                *sum += f64::from(chinese) - f64::from(*english);
            }
            count += 1;
        }
        let distance =
            difference.iter().map(|sum| sum * sum).sum::<f64>().sqrt() / f64::from(count);
        if distance < DISTANCE_MIN {
            return None;
        }
        to_unit_length(difference.into_iter().map(|sum| sum as f32).collect()).ok().map(Self)
    }

    /// The unit vector without its part along this axis, again of unit length. One that is little
    /// more than that part stays as it is.
    pub(super) fn taken_out_of(&self, vector: Vec<f32>) -> Result<Vec<f32>, EmbedError> {
        let part: f64 =
            vector.iter().zip(&self.0).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
        if part.abs() > PART_MAX {
            return Ok(vector);
        }
        let without = vector
            .iter()
            .zip(&self.0)
            .map(|(value, axis)| (f64::from(*value) - part * f64::from(*axis)) as f32);
        to_unit_length(without.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said, 0 to 1, and how much it is Chinese.
    fn vector(said: f32, chinese: f32) -> Vec<f32> {
        to_unit_length(vec![said, 1.0 - said, chinese]).unwrap()
    }

    fn is_chinese(text: &str) -> bool {
        text.contains(|c| ('\u{4e00}'..='\u{9fff}').contains(&c))
    }

    #[test]
    fn a_query_is_as_near_to_either_language() {
        let axis = LanguageAxis::of(|text| {
            let chinese = if is_chinese(text) { 0.6 } else { -0.2 };
            Some(vector(text.len() as f32 % 7.0 / 7.0, chinese))
        });
        let query = axis.unwrap().taken_out_of(vector(0.3, 0.6)).unwrap();
        let cosine =
            |memory: Vec<f32>| -> f32 { memory.iter().zip(&query).map(|(a, b)| a * b).sum() };
        let length = cosine(query.clone());
        assert!((length - 1.0).abs() < 1e-5);
        assert!(query[2].abs() < 0.25, "{query:?}");
        assert!(cosine(vector(0.3, -0.2)) > cosine(vector(0.8, 0.6)));
    }

    #[test]
    fn there_is_none_without_two_languages() {
        assert!(LanguageAxis::of(|_| Some(vec![0.6, 0.8])).is_none());
        assert!(LanguageAxis::of(|text| (!is_chinese(text)).then(|| vec![0.6, 0.8])).is_none());
        let axis =
            LanguageAxis::of(|text| Some(vector(0.5, if is_chinese(text) { 1.0 } else { 0.0 })));
        let axis = axis.unwrap();
        assert_eq!(axis.taken_out_of(axis.0.clone()).unwrap(), axis.0);
    }

    #[test]
    fn every_line_is_a_sentence_and_its_translation() {
        for line in TRANSLATIONS.lines() {
            let (english, chinese) = line.split_once('\t').unwrap();
            assert!(!is_chinese(english) && is_chinese(chinese), "{line}");
        }
    }
}
