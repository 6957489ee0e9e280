use std::borrow::Cow;

use frostem::{Algorithm, Stemmer};

/// The stem of a word in lower case: by the English algorithm of Snowball (M. F. Porter 2001, "Snowball: A
/// language for stemming algorithms") when it is all ASCII letters, else the word itself. So part
/// numbers, identifiers and words of other alphabets stay as they are.
///
/// It goes by the letters alone. Whether a word was written in capitals does not matter, because who asks
/// for LEDs may type leds.
pub(super) fn stem(word: &str) -> Cow<'_, str> {
    if word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        Stemmer::new(Algorithm::English).stem(word)
    } else {
        Cow::Borrowed(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn english_words_lose_their_endings() {
        let cases = [
            ("grips gripped gripping", "grip grip grip"),
            ("batteries battery", "batteri batteri"),
            ("slide slides sliding", "slide slide slide"),
            ("failed fails failing", "fail fail fail"),
            ("not never no without", "not never no without"),
            ("ros gps imu led leds", "ros gps imu led led"),
            ("m8x40 arm-01 größen 12.5 力", "m8x40 arm-01 größen 12.5 力"),
        ];
        for (words, stems) in cases {
            let found: Vec<_> = words.split(' ').map(stem).collect();
            assert_eq!(found.join(" "), stems);
        }
    }

    proptest! {
        #[test]
        fn any_word_has_a_stem(word in "[a-z]{1,64}") {
            let stem = stem(&word);
            prop_assert!((1..=word.len() + 1).contains(&stem.len()), "{word} {stem}");
        }
    }
}
